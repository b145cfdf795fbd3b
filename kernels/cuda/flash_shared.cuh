// kernels/cuda/flash_shared.cuh — attention to a past that several sequences share, read once.
//
// flash_decode.cu attends each sequence to the keys that are its own. Then spans_kernel, over tiles
// of rows as for prefill, attends the queries of all sequences of a span to its keys, and
// merge_spans_kernel merges the parts of each row by their maxima: its own keys first, then its
// spans from key 0 on. Which parts a span is divided into depends on the batch. On a deterministic
// device ordered_spans_kernel comes first instead, one launch for each depth of the tree, and the
// kernel for several queries continues from the state that it leaves of each row.
//
//   values    [parts of spans x rows, num_kv_heads, head_size]  fp32, weighted
//   extremes  the same rows: maximum, sum of weights
//
//   grid   (num_kv_heads, blocks), as many as are resident at once; (num_kv_heads, num_seqs)
//
// Bound by reading K and V once, or, for many sequences, by the tensor cores.
#pragma once
#include "kernels/cuda/flash_merge.cuh"

enum {
    FLASH_SHARED_KEYS = 128, // spans begin and end at multiples of it
    FLASH_SHARED_HEAD_MAX = 256,
    FLASH_SPAN_ROWS = 192, // that a multiprocessor computes at once, at most
};

struct span_grid {
    int rows, keys; // of a tile
    int blocks;     // that divide the work of a KV head
};

struct shared_args {
    struct paged_attention attention;
    struct kv_cache cache;
    struct batch batch;
    struct shared_sums sums;
    const __half *q; // [num_tokens, num_heads, head_size]
    struct span_grid grid;
};

struct span_list {            // a span's part of the flat list
    int begin;                // the first key in any window; tiles begin at multiples of grid.keys
    int key_tiles, rows;      // 0 tiles: nothing of it is in a window
    int first_tile, end_tile; // of the list
    int all_tiles, share;     // of all spans; of a block
    int first_row;            // of its parts
};

// Rows of parts, at most. The blocks that are resident at once compute that many rows of whole
// shares, and each row tile may begin and end inside one.
static inline size_t shared_part_rows(const struct device *device) {
    const size_t resident =
        (size_t)device->properties.multiProcessorCount + (size_t)device->limits.num_heads;
    return FLASH_SPAN_ROWS * resident + 2 * SHARED_DEPTH_MAX * (size_t)device->limits.max_seqs *
                                            (size_t)device->limits.num_heads;
}

// The batch, in which nothing is shared where heads are too large for it.
static inline struct batch batch_that_shares(const struct paged_attention *args) {
    struct batch batch = *args->batch;
    if (args->cache->head_size > FLASH_SHARED_HEAD_MAX) batch.shared = {};
    return batch;
}

// After flash_decode(): adds what sequences share to the sums that it left. On a deterministic
// device before flash_prefill() or flash_hopper(): leaves the state of each row. `q` is rotated.
void flash_shared(struct device *device, const struct paged_attention *args, const void *q);
// On a card of compute capability 9.0, for heads of at most 128.
void flash_shared_hopper(struct device *device, const struct paged_attention *args, const void *q);
