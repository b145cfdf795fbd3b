// kernels/cuda/paged_attention_kernel.cuh — the kernel of PagedAttention v1 and v2.
//
//   q, out, caches   paged_attention.cuh
//
//   grid   (num_heads / HEADS, num_seqs, partitions): v1 has one partition, the whole context
//   block  NUM_THREADS: WARPS warps, which take the partition's KV blocks round robin
//   smem   q    [HEADS, QUERY_SIZE] fp32
//          logits [HEADS, logit_stride] fp32, and after them, in the same place,
//          the warps' values [WARPS, HEADS, HEAD_SIZE] fp32
//
// First pass: a thread group of THREAD_GROUP_SIZE lanes has one key. Lane l has key l % BLOCK_SIZE
// and every THREAD_GROUP_SIZE-th of its 16-byte vecs, so a warp loads 512 consecutive bytes. The
// group's sums make q k; qk_max is reduced over the warp, then over the thread block.
// Second pass: logits become exp(logit - qk_max), and exp_sum is their sum.
// Third pass: lane l has one 16-byte vec of a row of V (one element of several keys), so these
// loads are consecutive too. accs are reduced over the row's lanes, then over the warps.
//
// Both passes over pages keep the next vecs in flight while they work on the current ones, and
// fetch block numbers 32 at a time, so that a load of a page need not wait for the block table.
//
// Arithmetic is fp32; the one rounding is at the store. k_scale and v_scale multiply sums, not
// elements. HEADS query heads of one KV head share what is loaded; their sums are independent.
//
// Cost: packed_attention_bytes(). With HEADS 1 each byte is requested from L2 once for each query
// head, which bounds the kernel; with the whole group in one block, device memory does.
#pragma once
#include <float.h>

#include <type_traits>

#include "kernels/cuda/paged_attention.cuh"

enum { NUM_THREADS = 128, WARP_SIZE = 32, WARPS = NUM_THREADS / WARP_SIZE };
enum { VECS_IN_FLIGHT = 8 }; // 32 registers

struct fp8 { // e4m3
    __nv_fp8_storage_t bits;
};

// The elements of one 32-bit word of a page.
static __device__ inline void unpack_word(uint32_t word, const float *, float *out) {
    out[0] = __uint_as_float(word);
}
static __device__ inline void unpack_word(uint32_t word, const __half *, float *out) {
    const float2 pair = __half22float2(*(const __half2 *)&word);
    out[0] = pair.x;
    out[1] = pair.y;
}
static __device__ inline void unpack_word(uint32_t word, const __nv_bfloat16 *, float *out) {
    out[0] = __uint_as_float(word << 16);
    out[1] = __uint_as_float(word & 0xffff0000u);
}
static __device__ inline void unpack_word(uint32_t word, const fp8 *, float *out) {
    for (int i = 0; i < 2; i++) {
        const __half2_raw raw = __nv_cvt_fp8x2_to_halfraw2(
            (__nv_fp8x2_storage_t)(word >> (16 * i) & 0xffffu), __NV_E4M3);
        const float2 pair = __half22float2(*(const __half2 *)&raw);
        out[2 * i] = pair.x;
        out[2 * i + 1] = pair.y;
    }
}

static __device__ inline void vec_words(const uint4 &vec, uint32_t *words) {
    words[0] = vec.x;
    words[1] = vec.y;
    words[2] = vec.z;
    words[3] = vec.w;
}
static __device__ inline void vec_words(const uint2 &vec, uint32_t *words) {
    words[0] = vec.x;
    words[1] = vec.y;
}

template <typename cache_t, typename vec_t>
static __device__ inline void unpack_vec(const vec_t &vec, float *out) {
    uint32_t words[sizeof(vec_t) / 4];
    vec_words(vec, words);
#pragma unroll
    for (int i = 0; i < (int)sizeof(vec_t) / 4; i++)
        unpack_word(words[i], (const cache_t *)nullptr, out + i * (4 / sizeof(cache_t)));
}

// The KV blocks that one warp reads: first, first + WARPS, ... below last.
struct warp_blocks {
    const int32_t *table; // of the sequence
    int first, last;
    int32_t held; // block numbers, one a lane
};

// The number of the warp's i-th block; i must not skip a multiple of 32.
static __device__ inline size_t block_number(warp_blocks &blocks, int i) {
    const int lane = threadIdx.x % WARP_SIZE;
    if (i % WARP_SIZE == 0) {
        const int block = blocks.first + (i + lane) * WARPS;
        blocks.held = block < blocks.last ? blocks.table[block] : 0;
    }
    return (size_t)__shfl_sync(0xffffffffu, blocks.held, i % WARP_SIZE);
}

// Loads vecs FIRST ... of a head's plane (K or V of one block), PLANE consecutive bytes.
template <int PLANE, int COUNT, typename vec_t>
static __device__ inline void load_vecs(vec_t *vecs, const char *plane, int first) {
    const int lane = threadIdx.x % WARP_SIZE;
    const vec_t *from = (const vec_t *)plane + lane;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const int ends = (first + i + 1) * WARP_SIZE * (int)sizeof(vec_t);
        const int at = ((first + i) * WARP_SIZE + lane) * (int)sizeof(vec_t);
        vecs[i] = vec_t();
        if (ends <= PLANE || at < PLANE) vecs[i] = __ldg(from + (first + i) * WARP_SIZE);
    }
}

// Calls consume(block, index, vec) for every vec of the warp's blocks, in order, while later ones
// are in flight. `index` is a compile-time constant, so that sums stay in registers.
template <int PLANE, typename vec_t, typename consume_t>
static __device__ inline void read_blocks(warp_blocks blocks, const char *planes,
                                          size_t block_bytes, consume_t consume) {
    enum {
        STEP = WARP_SIZE * (int)sizeof(vec_t),
        VECS = (PLANE + STEP - 1) / STEP,
        COUNT = VECS < VECS_IN_FLIGHT ? VECS : VECS_IN_FLIGHT,
        LOADS = (VECS + COUNT - 1) / COUNT,
    };
    if (blocks.first >= blocks.last) return;
    vec_t now[COUNT], next[COUNT];
    const char *plane = planes + block_number(blocks, 0) * block_bytes, *next_plane = plane;
    load_vecs<PLANE, COUNT>(now, plane, 0);
    int i = 0;
#pragma unroll 2
    for (int block = blocks.first; block < blocks.last; block += WARPS) {
        i++;
        const bool more = block + WARPS < blocks.last; // the same in all lanes
        if (more) next_plane = planes + block_number(blocks, i) * block_bytes;
#pragma unroll
        for (int load = 0; load < LOADS; load++) {
            if (load + 1 < LOADS)
                load_vecs<PLANE, COUNT>(next, plane, (load + 1) * COUNT);
            else if (more)
                load_vecs<PLANE, COUNT>(next, next_plane, 0);
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                if (load * COUNT + k < VECS) consume(block, load * COUNT + k, now[k]);
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                now[k] = next[k];
        }
        plane = next_plane;
    }
}

// Maximum or sum of each head over the thread block, given each thread's; returned to all.
template <int HEADS, bool MAXIMUM> static __device__ inline void reduce_heads(float *values) {
    __shared__ float partial[HEADS][WARPS];
#pragma unroll
    for (int h = 0; h < HEADS; h++) {
        const float of_warp = MAXIMUM ? warp_max(values[h]) : warp_sum(values[h]);
        if (threadIdx.x % WARP_SIZE == 0) partial[h][threadIdx.x / WARP_SIZE] = of_warp;
    }
    __syncthreads(); // partial results, and logits, are written before they are read
#pragma unroll
    for (int h = 0; h < HEADS; h++) {
        values[h] = partial[h][0];
        for (int w = 1; w < WARPS; w++)
            values[h] = MAXIMUM ? fmaxf(values[h], partial[h][w]) : values[h] + partial[h][w];
    }
}

// What one thread block works on.
struct packed_work {
    int seq, row, head, kv_head, partition; // `row` of q, below 0: none; `head` is the first
    int len, start, keys;                   // of the sequence; of the partition, in whole blocks
    warp_blocks blocks;                     // of this warp
};

// The row of a sequence's one query; below 0: it has none, or several.
static __device__ inline int query_row(const packed_attention &args, int seq) {
    if (!args.cu_seqlens_q) return seq;
    const int row = args.cu_seqlens_q[seq];
    return args.cu_seqlens_q[seq + 1] - row == 1 ? row : -1;
}

template <int BLOCK_SIZE, int HEADS>
static __device__ inline packed_work work_of_block(const packed_attention &args,
                                                   const packed_launch &launch) {
    packed_work work;
    work.seq = blockIdx.y;
    work.row = query_row(args, work.seq);
    work.head = blockIdx.x * HEADS;
    work.kv_head = work.head / (args.num_heads / args.num_kv_heads);
    work.partition = blockIdx.z;
    work.len = args.seq_lens_kv[work.seq];
    work.start = work.partition * launch.partition_keys;
    const int end = min(work.len, work.start + launch.partition_keys);
    work.blocks.table = args.block_table + (size_t)work.seq * args.max_blocks_per_seq;
    work.blocks.first = work.start / BLOCK_SIZE + threadIdx.x / WARP_SIZE;
    work.blocks.last = (end + BLOCK_SIZE - 1) / BLOCK_SIZE;
    work.blocks.held = 0;
    work.keys = work.blocks.last * BLOCK_SIZE - work.start;
    return work;
}

// First pass: logits, -infinity past the sequence's end, and this thread's qk_max of each head.
template <typename cache_t, int HEAD_SIZE, int BLOCK_SIZE, int HEADS, int QUERY_SIZE>
static __device__ inline void
multiply_keys(const packed_attention &args, const packed_launch &launch, const packed_work &work,
              const float (*q)[QUERY_SIZE], float *logits, float *qk_max) {
    enum {
        X = 16 / (int)sizeof(cache_t),
        THREAD_GROUP_SIZE = WARP_SIZE / BLOCK_SIZE > 1 ? WARP_SIZE / BLOCK_SIZE : 1,
        PLANE = HEAD_SIZE * BLOCK_SIZE * (int)sizeof(cache_t),
        LAST = (PLANE + 511) / 512 - 1, // vec of a lane
    };
    const int lane = threadIdx.x % WARP_SIZE, member = lane / BLOCK_SIZE;
    const float scale = args.scale * args.k_scale;
    const char *planes = (const char *)args.k_cache + (size_t)work.kv_head * PLANE;
    float slopes[HEADS], qk[HEADS];
#pragma unroll
    for (int h = 0; h < HEADS; h++) {
        slopes[h] = args.alibi_slopes ? args.alibi_slopes[work.head + h] : 0;
        qk_max[h] = -FLT_MAX;
        qk[h] = 0;
    }
    read_blocks<PLANE, uint4>(
        work.blocks, planes, args.block_bytes, [&](int block, int index, const uint4 &vec) {
            float k[X];
            unpack_vec<cache_t>(vec, k);
            const int element = (index * THREAD_GROUP_SIZE + member) * X;
#pragma unroll
            for (int h = 0; h < HEADS; h++) {
                float part = index == 0 ? 0 : qk[h];
#pragma unroll
                for (int e = 0; e < X; e += 4) {
                    const float4 query = *(const float4 *)&q[h][element + e];
                    part = fmaf(query.x, k[e], part);
                    part = fmaf(query.y, k[e + 1], part);
                    part = fmaf(query.z, k[e + 2], part);
                    part = fmaf(query.w, k[e + 3], part);
                }
                qk[h] = part;
            }
            if (index < LAST) return;
            const int key = block * BLOCK_SIZE + lane % BLOCK_SIZE;
#pragma unroll
            for (int h = 0; h < HEADS; h++) {
#pragma unroll
                for (int offset = WARP_SIZE / 2; offset >= BLOCK_SIZE; offset /= 2)
                    qk[h] += __shfl_xor_sync(0xffffffffu, qk[h], offset);
                // Spelled out: the compiler could contract it differently for different HEADS.
                const float bias = __fmul_rn(slopes[h], (float)(key - work.len + 1));
                const float logit = key < work.len ? fmaf(qk[h], scale, bias) : -INFINITY;
                if (member == 0) logits[h * launch.logit_stride + key - work.start] = logit;
                qk_max[h] = fmaxf(qk_max[h], logit);
            }
        });
}

// Second pass: logits become weights, exp(logit - qk_max); each thread's sum of each head's.
template <int HEADS>
static __device__ inline void exponentiate(const packed_launch &launch, int keys,
                                           const float *qk_max, float *logits, float *exp_sum) {
#pragma unroll
    for (int h = 0; h < HEADS; h++) {
        float *row = logits + h * launch.logit_stride;
        exp_sum[h] = 0;
        for (int i = threadIdx.x; i < keys; i += NUM_THREADS) {
            const float weight = __expf(row[i] - qk_max[h]);
            row[i] = weight;
            exp_sum[h] += weight;
        }
    }
}

// Third pass: weights V of this warp's blocks. accs[h][i] is this lane's part of row
// i * ROWS + lane / VECS_A_ROW.
template <typename cache_t, typename vec_t, int HEAD_SIZE, int BLOCK_SIZE, int HEADS, int ACCS>
static __device__ inline void multiply_values(const packed_attention &args,
                                              const packed_launch &launch, const packed_work &work,
                                              const float *logits, float (*accs)[ACCS]) {
    enum {
        COUNT = (int)(sizeof(vec_t) / sizeof(cache_t)), // keys
        VECS_A_ROW = BLOCK_SIZE / COUNT,
        PLANE = HEAD_SIZE * BLOCK_SIZE * (int)sizeof(cache_t),
    };
    const int first_key = threadIdx.x % WARP_SIZE % VECS_A_ROW * COUNT;
    const char *planes = (const char *)args.v_cache + (size_t)work.kv_head * PLANE;
    float weights[HEADS][COUNT];
#pragma unroll
    for (int h = 0; h < HEADS; h++)
#pragma unroll
        for (int i = 0; i < ACCS; i++)
            accs[h][i] = 0;
    read_blocks<PLANE, vec_t>(
        work.blocks, planes, args.block_bytes, [&](int block, int index, const vec_t &vec) {
            const int key = block * BLOCK_SIZE + first_key;
            if (index == 0) {
#pragma unroll
                for (int h = 0; h < HEADS; h++)
#pragma unroll
                    for (int e = 0; e < COUNT; e += 4)
                        *(float4 *)&weights[h][e] = *(
                            const float4 *)&logits[h * launch.logit_stride + key - work.start + e];
            }
            float v[COUNT];
            unpack_vec<cache_t>(vec, v);
            // Past the sequence's end a page may hold anything, and 0 times anything is not 0.
            if ((block + 1) * BLOCK_SIZE > work.len)
#pragma unroll
                for (int e = 0; e < COUNT; e++)
                    v[e] = key + e < work.len ? v[e] : 0;
#pragma unroll
            for (int h = 0; h < HEADS; h++)
#pragma unroll
                for (int e = 0; e < COUNT; e++)
                    accs[h][index] = fmaf(weights[h][e], v[e], accs[h][index]);
        });
}

// Stores the warps' accs in shared memory, [WARPS, HEADS, HEAD_SIZE].
template <int HEAD_SIZE, int HEADS, int VECS_A_ROW, int ACCS>
static __device__ inline void share_accs(float (*accs)[ACCS], float *values) {
    const int warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
    __syncthreads(); // orders all reads of the weights before values are stored over them
#pragma unroll
    for (int h = 0; h < HEADS; h++)
#pragma unroll
        for (int i = 0; i < ACCS; i++) {
            float acc = accs[h][i];
#pragma unroll
            for (int offset = VECS_A_ROW / 2; offset > 0; offset /= 2)
                acc += __shfl_xor_sync(0xffffffffu, acc, offset);
            const int row = i * (WARP_SIZE / VECS_A_ROW) + lane / VECS_A_ROW;
            if (lane % VECS_A_ROW == 0 && row < HEAD_SIZE)
                values[(warp * HEADS + h) * HEAD_SIZE + row] = acc;
        }
    __syncthreads(); // all warps' values are written before they are summed
}

// Sums the warps' values. v1 divides and rounds; v2 leaves the sums, and what rescales them.
template <typename scalar_t, int HEAD_SIZE, int HEADS>
static __device__ inline void store(const packed_attention &args, const packed_launch &launch,
                                    const packed_work &work, const float *values,
                                    const float *qk_max, const float *exp_sum) {
    const size_t parts = ((size_t)work.seq * args.num_heads + work.head) * gridDim.z;
    scalar_t *out =
        (scalar_t *)args.out + ((size_t)work.row * args.num_heads + work.head) * HEAD_SIZE;
#pragma unroll
    for (int h = 0; h < HEADS; h++) {
        const size_t part = parts + (size_t)h * gridDim.z + work.partition;
        const float factor = args.v_scale / exp_sum[h];
        for (int i = threadIdx.x; i < HEAD_SIZE; i += NUM_THREADS) {
            float value = 0;
#pragma unroll
            for (int w = 0; w < WARPS; w++)
                value += values[(w * HEADS + h) * HEAD_SIZE + i];
            if (launch.values)
                launch.values[part * HEAD_SIZE + i] = value;
            else
                from_float(value * factor, &out[h * HEAD_SIZE + i]);
        }
        if (launch.values && threadIdx.x == 0) {
            launch.maxima[part] = qk_max[h];
            launch.exp_sums[part] = exp_sum[h];
        }
    }
}

template <typename scalar_t, typename cache_t, int HEAD_SIZE, int BLOCK_SIZE, int HEADS>
static __global__ __launch_bounds__(NUM_THREADS) void paged_attention_kernel(
    const __grid_constant__ packed_attention args, const __grid_constant__ packed_launch launch) {
    enum {
        X = 16 / (int)sizeof(cache_t),
        PLANE = HEAD_SIZE * BLOCK_SIZE * (int)sizeof(cache_t),
        QUERY_SIZE = (PLANE + 511) / 512 * 512 / 16 / BLOCK_SIZE * X, // whole vecs of all lanes
        COUNT = X < BLOCK_SIZE ? X : BLOCK_SIZE,
        VECS_A_ROW = BLOCK_SIZE / COUNT,
        ACCS = (HEAD_SIZE + WARP_SIZE / VECS_A_ROW - 1) / (WARP_SIZE / VECS_A_ROW),
    };
    static_assert(HEAD_SIZE % X == 0, "K is made of whole vecs");
    static_assert(BLOCK_SIZE % 8 == 0 && WARP_SIZE % BLOCK_SIZE == 0, "whole thread groups");
    static_assert(PARTITION_SIZE % BLOCK_SIZE == 0, "whole blocks a partition");
    using value_vec = typename std::conditional<COUNT * sizeof(cache_t) == 16, uint4, uint2>::type;
    extern __shared__ float4 shared[]; // of 16 bytes each, for their alignment
    float *logits = (float *)shared;
    __shared__ __align__(16) float q[HEADS][QUERY_SIZE];

    const packed_work work = work_of_block<BLOCK_SIZE, HEADS>(args, launch);
    if (work.row < 0 || work.start >= work.len) return;
    const scalar_t *query =
        (const scalar_t *)args.q + ((size_t)work.row * args.num_heads + work.head) * HEAD_SIZE;
    for (int i = threadIdx.x; i < HEADS * QUERY_SIZE; i += NUM_THREADS) {
        const int h = i / QUERY_SIZE, element = i % QUERY_SIZE;
        q[h][element] = element < HEAD_SIZE ? to_float(query[h * HEAD_SIZE + element]) : 0;
    }
    __syncthreads(); // q is written before any warp reads it

    float qk_max[HEADS], exp_sum[HEADS], accs[HEADS][ACCS];
    multiply_keys<cache_t, HEAD_SIZE, BLOCK_SIZE, HEADS, QUERY_SIZE>(args, launch, work, q, logits,
                                                                     qk_max);
    reduce_heads<HEADS, true>(qk_max);
    exponentiate<HEADS>(launch, work.keys, qk_max, logits, exp_sum);
    reduce_heads<HEADS, false>(exp_sum);
    multiply_values<cache_t, value_vec, HEAD_SIZE, BLOCK_SIZE, HEADS, ACCS>(args, launch, work,
                                                                            logits, accs);
    share_accs<HEAD_SIZE, HEADS, VECS_A_ROW, ACCS>(accs, logits);
    store<scalar_t, HEAD_SIZE, HEADS>(args, launch, work, logits, qk_max, exp_sum);
}

// The kernel among HEAD_SIZES..., if `head_size` is one of them.
template <typename scalar_t, typename cache_t, int BLOCK_SIZE, int HEADS, int... HEAD_SIZES>
static inline packed_kernel kernel_of_size(int head_size) {
    packed_kernel found = nullptr;
    const int sizes[] = {HEAD_SIZES...};
    const packed_kernel kernels[] = {
        paged_attention_kernel<scalar_t, cache_t, HEAD_SIZES, BLOCK_SIZE, HEADS>...};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i] == head_size) found = kernels[i];
    return found;
}
