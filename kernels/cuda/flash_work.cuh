// kernels/cuda/flash_work.cuh — which keys, for which queries and heads, does a block of
// flash_decode.cuh compute?
//
// A column is a query under one head of a KV head's group. A work item is a sequence and up to 8 or
// 16 columns under one KV head. Its keys, from the first in the first query's window on, without
// those of a shared past, are cut into tiles of TILE keys. The flat list of all items' tiles is
// divided into even splits (as in Flash-Decoding), as many as fill the card once, so a block may
// end one item and begin another. Neighbouring blocks compute the same keys for different columns
// or heads, which lie side by side in a page.
#pragma once
#include "kernels/cuda/device.cuh"

enum { TILE = 64 };

struct decode_args {
    struct rope_and_cache rope; // q is NULL: q is rotated, and all keys are in the cache
    struct paged_attention attention;
    struct kv_cache cache;
    struct batch batch;
    float *parts;      // [2 x blocks][part_floats()]
    unsigned *arrived; // [num_seqs x num_kv_heads x column_sets], 0 between calls
    struct shared_sums shared;
    int splits;      // that fill the card; the grid has fewer where a batch cannot need them
    int group;       // query heads of a KV head
    int head_sets;   // column sets of all KV heads that are not side by side
    int column_sets; // of a KV head, as many as the sequence with the most queries may need
};

// A work item: tiles [first, end) of the flat list. This block computes [from, to) of them. The
// list is ordered by sequence and then by column set; gridDim.x sets have lists side by side.
struct work {
    int sequence, queries;
    int kv_head, column, columns; // of all columns under the KV head, the first here and how many
    int begin, keys;              // the first key that is attended to here, and one past the last
    int first, end, from, to;
    __device__ int first_key() const { return begin + (from - first) * TILE; }
    __device__ int end_key() const { return min(keys, begin + (to - first) * TILE); }
    __device__ int first_new_key() const { return keys - queries; }
};

static __device__ inline int queries_of(const decode_args &args, int s) {
    return args.batch.cu_seqlens_q[s + 1] - args.batch.cu_seqlens_q[s];
}

// The first key in the window of a sequence's first query that is not in a span.
static __device__ inline int first_key(const decode_args &args, int s, int keys, int queries) {
    const int32_t *own = args.batch.shared.own;
    const int window = args.attention.window;
    return max(own ? own[s] : 0, window > 0 ? keys - queries + 1 - window : 0);
}

template <int QUERIES> static __device__ inline int tiles_of(const decode_args &args, int s) {
    const batch &batch = args.batch;
    if (s >= batch.num_seqs) return 0;
    const int keys = batch.seq_lens_kv[s]; // loaded here, so that it overlaps with the loads below
    const int queries = queries_of(args, s);
    const int seen = keys - first_key(args, s, keys, queries);
    return queries <= QUERIES ? (seen + TILE - 1) / TILE : 0;
}

// Tiles of all items. Every thread of a warp calls this and find_work().
template <int QUERIES> static __device__ int all_tiles(const decode_args &args) {
    int tiles = 0;
    for (int s = threadIdx.x % 32; s < args.batch.num_seqs; s += 32)
        tiles += tiles_of<QUERIES>(args, s);
    return (int)__reduce_add_sync(0xffffffffu, (unsigned)tiles) * args.head_sets;
}

// Tiles of a split. Where every block would have one, every second may as well have two as long as
// no multiprocessor becomes idle: that leaves fewer parts to merge. Not with several queries: a
// block with two tiles may have two items, and it would prepare the new tokens for each.
template <int QUERIES> static __host__ __device__ inline int split_tiles_of(int tiles, int splits) {
    if (tiles > splits) return (tiles + splits - 1) / splits;
    return QUERIES == 1 && 2 * tiles > splits ? 2 : 1;
}

// The item that contains tile `from` of the flat list, cut at `to`.
template <int HEADS, int QUERIES>
static __device__ work find_work(const decode_args &args, int from, int to) {
    const int lane = threadIdx.x % 32, head_sets = args.head_sets;
    int before = 0;
    for (int base = 0;; base += 32) {
        const int tiles = tiles_of<QUERIES>(args, base + lane) * head_sets;
        const int through = warp_scan(tiles);
        const unsigned reached = __ballot_sync(0xffffffffu, before + through > from);
        if (reached) {
            const int owner = __ffs(reached) - 1, s = base + owner;
            const int tiles_each = __shfl_sync(0xffffffffu, tiles, owner) / head_sets;
            const int start = before + __shfl_sync(0xffffffffu, through - tiles, owner);
            const int head_set = (from - start) / tiles_each;
            const int first = start + head_set * tiles_each, end = first + tiles_each;
            const int set = head_set * gridDim.x + blockIdx.x;
            const int keys = args.batch.seq_lens_kv[s];
            const int queries = QUERIES == 1 ? 1 : queries_of(args, s);
            const int kv_head = QUERIES == 1 ? set : set / args.column_sets;
            const int column = QUERIES == 1 ? 0 : set % args.column_sets * 8 * HEADS;
            const int columns =
                QUERIES == 1 ? args.group : min(8 * HEADS, queries * args.group - column);
            return {s,    queries, kv_head, column, columns,     first_key(args, s, keys, queries),
                    keys, first,   end,     from,   min(to, end)};
        }
        before += __shfl_sync(0xffffffffu, through, 31);
    }
}

// The most tiles that a batch can have, whatever the lengths are.
static int64_t most_tiles(const struct paged_attention *args, int head_sets) {
    ASSERT(head_sets > 0);
    const struct batch *batch = args->batch;
    const int64_t keys = (int64_t)batch->max_blocks_per_seq * args->cache->block_size;
    return (keys + TILE - 1) / TILE * batch->num_seqs * head_sets;
}

// The most splits that can have work.
template <int QUERIES>
static int splits_needed(const struct paged_attention *args, int head_sets, int splits) {
    ASSERT(splits > 0);
    const int64_t tiles = most_tiles(args, head_sets);
    if (tiles > splits) return splits;
    return QUERIES == 1 && 2 * tiles > splits ? (splits + 1) / 2 : (int)tiles;
}
