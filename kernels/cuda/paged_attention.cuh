// kernels/cuda/paged_attention.cuh — how are PagedAttention v1 and v2 called?
//
// out = softmax(q K^T * scale + ALiBi) V for one query token a sequence, over the `packed` layout,
// in the manner of the paper (Kwon et al., SOSP 2023, arXiv 2309.06180). With x = 16 bytes of
// elements, what one block holds of one layer is
//
//   K  [num_kv_heads, head_size / x, block_size, x]   x elements of each key side by side
//   V  [num_kv_heads, head_size, block_size]          one element of all keys side by side
//
// so that a warp reads a block's K, and its V, from end to end with 16 bytes a lane. Blocks are
// `block_bytes` apart, with any number of layers in between.
//
//   v1   a thread block goes over the whole context; its logits stay in shared memory
//   v2   a thread block goes over PARTITION_SIZE keys; a second kernel merges the partitions
//
// A row's result depends only on that row and on which of the two computes it. Several query heads
// of one KV head can share a thread block, which changes what is read, but no bit of the result.
//
// Memory: nothing is allocated; v2's scratch is the caller's. Threads: as in kernels/backend.h.
#pragma once
#include "kernels/cuda/device.cuh"

#include <cuda_fp8.h> // after device.cuh, which keeps cuda_fp16.h from naming its type half

enum { PARTITION_SIZE = 512 };

enum cache_format {
    CACHE_SAME,     // the activations' type
    CACHE_FP8_E4M3, // one byte: value = fp8 * k_scale, or v_scale
};

struct packed_attention {
    void *out;                  // [rows, num_heads, head_size] `type`
    const void *q;              // the same shape and type; 16-byte aligned
    const void *k_cache;        // block 0's K of this layer, 16-byte aligned
    const void *v_cache;        // block 0's V of this layer, 16-byte aligned
    const int32_t *block_table; // [num_seqs, max_blocks_per_seq]
    const int32_t *seq_lens_kv; // [num_seqs], each in 1 ... max_seq_len
    // [num_seqs + 1], the first row of each sequence; a sequence with any other number of rows than
    // one is skipped. NULL: rows are sequences.
    const int32_t *cu_seqlens_q;
    const float *alibi_slopes; // [num_heads], or NULL; adds slope * (key - query), arXiv 2108.12409
    void *scratch;             // v2: [paged_attention_v2_scratch_bytes()], 16-byte aligned
    size_t block_bytes;        // from one block's K to the next one's, a multiple of 16
    enum dtype type;           // F16, BF16 or F32
    enum cache_format format;
    int32_t num_seqs, num_heads, num_kv_heads; // num_heads is a multiple of num_kv_heads
    int32_t head_size, block_size, max_blocks_per_seq, max_seq_len;
    float scale, k_scale, v_scale; // k_scale and v_scale are 1 for CACHE_SAME
};

// Which pages a kernel is compiled for.
struct packed_shape {
    enum dtype type;
    enum cache_format format;
    int head_size, block_size;
    int heads_per_block; // query heads that share a thread block, all of one KV head
};

struct packed_launch {        // what v1 and v2 set for their thread blocks
    int partition_keys;       // keys of one thread block
    int logit_stride;         // floats from one head's logits to the next one's
    float *values;            // [num_seqs, num_heads, partitions, head_size]; v1: NULL
    float *maxima, *exp_sums; // [num_seqs, num_heads, partitions]
};

typedef void (*packed_kernel)(struct packed_attention, struct packed_launch);

// The kernel for a shape, or NULL if none is compiled. The program's are in
// paged_attention_instances.cu; tests compile the whole matrix.
typedef packed_kernel (*packed_kernel_find)(const struct packed_shape *shape);
packed_kernel packed_kernel_in_program(const struct packed_shape *shape);
#define PACKED_SHAPES \
    "f16, block sizes 8, 16 and 32, and head sizes 64, 80, 96, 112, 128, 192 and 256"

static inline int packed_partitions(const struct packed_attention *args) {
    return (args->max_seq_len + PARTITION_SIZE - 1) / PARTITION_SIZE;
}

// vLLM's rule: v1 for few logits, if there is one partition or enough thread blocks without more.
static inline bool paged_attention_prefers_v1(const struct packed_attention *args) {
    return args->max_seq_len <= 8192 &&
           (packed_partitions(args) == 1 ||
            (int64_t)args->num_seqs * args->num_heads > PARTITION_SIZE);
}

static inline size_t packed_element_bytes(const struct packed_attention *args) {
    return args->format == CACHE_FP8_E4M3 ? 1 : args->type == DTYPE_F32 ? 4 : 2;
}

// The cost: K and V of `keys` cached tokens, all sequences together, read once.
static inline size_t packed_attention_bytes(const struct packed_attention *args, int64_t keys) {
    return 2 * (size_t)keys * (size_t)args->num_kv_heads * (size_t)args->head_size *
           packed_element_bytes(args);
}

static inline size_t paged_attention_v2_scratch_bytes(const struct packed_attention *args) {
    return (size_t)args->num_seqs * (size_t)args->num_heads * (size_t)packed_partitions(args) *
           ((size_t)args->head_size + 2) * sizeof(float);
}

// The largest number of query heads of a thread block that is compiled and pays. Fewer, where the
// card would be partly idle or v1's logits would leave a multiprocessor too few blocks. 0: no
// kernel for the shape.
int packed_heads_per_block(const struct device *device, const struct packed_attention *args,
                           packed_kernel_find find, int logit_stride, int partitions);

// Enqueues the kernel over `partitions` thread blocks a (head, sequence).
void packed_launch_kernel(struct device *device, const struct packed_attention *args,
                          const struct packed_launch *launch, packed_kernel kernel,
                          int heads_per_block, int partitions);

// The largest max_seq_len of v1, in whole blocks: its logits lie in shared memory, 4 bytes a key.
int32_t paged_attention_v1_longest(struct device *device, packed_kernel kernel, int block_size);

// Pre: packed_heads_per_block() > 0, and for v1 a max_seq_len of at most the longest.
// `heads_per_block` 0 chooses.
void paged_attention_v1_with(struct device *device, const struct packed_attention *args,
                             packed_kernel_find find, int heads_per_block);
void paged_attention_v2_with(struct device *device, const struct packed_attention *args,
                             packed_kernel_find find, int heads_per_block);

extern "C" {
void cuda_paged_attention_v1(struct device *device, const struct packed_attention *args);
void cuda_paged_attention_v2(struct device *device, const struct packed_attention *args);
}

struct reshape_and_cache {       // K and V of new tokens go to their slots
    const void *k, *v;           // [num_tokens, num_kv_heads, head_size] `type`
    void *k_cache, *v_cache;     // block 0's of this layer, out
    const int64_t *slot_mapping; // [num_tokens], block * block_size + offset; below 0: no slot
    size_t block_bytes;          // from one block's K to the next one's
    enum dtype type;             // F16, BF16 or F32
    enum cache_format format;
    enum kv_layout layout; // PACKED needs head_size % x == 0
    int32_t num_tokens, num_kv_heads, head_size, block_size;
    float k_scale, v_scale; // fp8: stored = value / scale, saturated
};

extern "C" void cuda_reshape_and_cache(struct device *device, const struct reshape_and_cache *args);
