// kernels/cuda/flash_rows.cuh — attention of a tile of query rows to its keys: the frame of both
// prefill kernels, and of flash_spans.cuh and flash_split.cuh.
//
// The rows of a tile are the queries of a sequence under the heads of one group, so K and V are
// read once for the group (FlashAttention-2, arXiv 2307.08691). Each kernel brings its own way of
// copying and multiplying as `tiles`, a struct of constants and functions:
//
//   cache_t, size           type of K and V, columns of q and K in shared memory
//   columns                 of V and of the result, that a block computes: size, or a part of it
//   cluster                 blocks that have shares of one tile's keys: flash_split.cuh; else 1
//   threads, blocks         threads of a block; blocks of a multiprocessor
//   together, span_stages   threads that multiply as one; tiles in shared memory for
//                           flash_spans.cuh
//   copiers                 0, or: threads before this one compute half of the rows, while the
//                           others copy
//   keys                    of a tile; at most `threads`, since a thread looks up one key
//   plane, stage            bytes of K of a tile; of K and V
//   bytes, alignment        of all shared memory; its alignment
//   queries                 q of a warp's rows: set() and get() an operand of the tensor cores
//   copy, landed            start copying a tile; make all copied ones but the last few readable
//   score, weigh            scores = q K^T, values += p V
//
// Row r of a sequence is query r / group under head r % group. Warp w of a block computes rows
// 16 w ... 16 w + 15 of its tile. A thread holds two of these, lane / 4 and lane / 4 + 8, and two
// of every eight columns, as the tensor cores lay out their sums.
#pragma once
#include "kernels/cuda/flash_shapes.cuh"

// A thread's operands of q: the first KEPT in registers, the others in slots of shared memory,
// which it alone writes and reads.
template <int SIZE, int THREADS, int KEPT> struct row_queries {
    unsigned at[KEPT > 0 ? KEPT : 1][4];
    unsigned slots;
    __device__ inline explicit row_queries(unsigned memory) : slots(memory + threadIdx.x * 16) {}
    __device__ inline void set(int k, int i, unsigned pair) {
        if (k < KEPT)
            at[k][i] = pair;
        else
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(slot(k) + i * 4), "r"(pair) : "memory");
    }
    __device__ inline void get(unsigned (&a)[4], int k) const {
        if (k < KEPT)
            for (int i = 0; i < 4; i++)
                a[i] = at[k][i];
        else
            asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                         : "r"(slot(k))
                         : "memory");
    }
    __device__ inline unsigned slot(int k) const { return slots + (k - KEPT) * THREADS * 16; }
};

// Blocks of one KV head, side by side, compute its columns in parts, or are a cluster.
template <typename tiles> static __device__ inline int kv_head_of_block() {
    return tiles::cluster > 1 ? blockIdx.y : blockIdx.x / (tiles::size / tiles::columns);
}
template <typename tiles> static __device__ inline int first_column() {
    return blockIdx.x % (tiles::size / tiles::columns) * tiles::columns;
}

struct tile {
    int sequence; // -1: no such tile
    int first_token, queries, past;
    int row; // first of the tile
};

// The index-th tile of all sequences with at least `least` queries. Called by whole warps.
template <int ROWS>
static __device__ tile find_tile(const batch &batch, int group, int least, int index) {
    const int lane = threadIdx.x % 32;
    int before = 0;
    for (int base = 0; base < batch.num_seqs; base += 32) {
        const int s = base + lane;
        int first = 0, queries = 0, keys = 0;
        if (s < batch.num_seqs) {
            first = batch.cu_seqlens_q[s];
            queries = batch.cu_seqlens_q[s + 1] - first;
            keys = batch.seq_lens_kv[s];
        }
        const int tiles = queries < least ? 0 : (queries * group + ROWS - 1) / ROWS;
        const int through = warp_scan(tiles);
        const unsigned reached = __ballot_sync(0xffffffffu, before + through > index);
        if (reached) {
            const int owner = __ffs(reached) - 1;
            // The last rows see the most keys, so they start first.
            const int row = (before + through - 1 - index) * ROWS;
            return {base + owner, __shfl_sync(0xffffffffu, first, owner),
                    __shfl_sync(0xffffffffu, queries, owner),
                    __shfl_sync(0xffffffffu, keys - queries, owner),
                    __shfl_sync(0xffffffffu, row, owner)};
        }
        before += __shfl_sync(0xffffffffu, through, 31);
    }
    return {-1, 0, 0, 0, 0};
}

// The limits of this thread's two rows; rows past the end see what the last one sees.
static __device__ inline void set_limits(int (&limit)[2], const tile &tile, int group, int keys) {
    const int row = tile.row + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    for (int half = 0; half < 2; half++)
        limit[half] = min(keys, tile.past + (row + 8 * half) / group + 1);
}

// The first key that a tile's first row sees.
static __device__ inline int first_key_of(const tile &tile, int group, int window) {
    return max(0, tile.past + tile.row / group + 1 - window);
}

// One past the last key that a tile of ROWS rows sees.
template <int ROWS> static __device__ inline int keys_of(const tile &tile, int group) {
    return tile.past + (min(tile.row + ROWS, tile.queries * group) - 1) / group + 1;
}

template <typename tiles>
static __device__ void load_queries(typename tiles::queries &q, const paged_attention &args,
                                    const tile &tile, int kv_head, int group, int head_size) {
    typedef typename tiles::cache_t cache_t;
    const int lane = threadIdx.x % 32, column = 2 * (lane % 4);
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int row = tile.row + threadIdx.x / 32 * 16 + lane / 4 + 8 * half;
        const bool valid = row < tile.queries * group;
        const size_t token = tile.first_token + row / group;
        const __half *from =
            (const __half *)args.q +
            (valid ? (token * args.num_heads + kv_head * group + row % group) * head_size : 0);
#pragma unroll
        for (int k = 0; k < tiles::size / 16; k++)
#pragma unroll
            for (int side = 0; side < 2; side++) {
                const int at = 16 * k + 8 * side + column;
                q.set(k, half + 2 * side,
                      valid && at < head_size ? query_pair(from + at, cache_t()) : 0);
            }
    }
}

struct row_state { // of a thread's two rows
    float highest[2], sum[2];
    int limit[2]; // keys that the row sees
};

// The sum of a row's probabilities; each of its four threads has a part.
static __device__ inline float row_sum(const row_state &state, int half) {
    float sum = state.sum[half];
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    return sum + __shfl_xor_sync(0xffffffffu, sum, 2);
}

// Turns scores into probabilities under the new maxima; returns the factors that rescale the old
// sums.
template <int KEYS>
static __device__ inline float2 soften(float (&scores)[KEYS / 8][4], row_state &state, int first,
                                       const scoring &scoring) {
    const int column = first + 2 * (threadIdx.x % 4);
    const float scale = scoring.scale;
    if (scoring.inner > 0)
#pragma unroll
        for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                scores[n][i] = cap_score(scores[n][i], scoring.inner);
    float old[2];
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int low = state.limit[half] - scoring.window;
        if (state.limit[half] < first + KEYS || low > first)
#pragma unroll
            for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
                for (int i = 0; i < 2; i++)
                    if (column + 8 * n + i >= state.limit[half] || column + 8 * n + i < low)
                        scores[n][2 * half + i] = -INFINITY;
        float top = state.highest[half];
#pragma unroll
        for (int n = 0; n < KEYS / 8; n++)
            top = fmaxf(top, fmaxf(scores[n][2 * half], scores[n][2 * half + 1]));
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
        // A row whose window begins after this tile has seen no key yet. A tile without a new
        // maximum leaves the sums as they are, to the bit: it may be another row's alone.
        const float offset = top > -INFINITY ? top * scale : 0;
        const float power = power_of_two(fmaf(state.highest[half], scale, -offset));
        old[half] = top == state.highest[half] ? 1 : power;
        state.highest[half] = top;
        float sum = 0;
#pragma unroll
        for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
            for (int i = 2 * half; i < 2 * half + 2; i++) {
                scores[n][i] = power_of_two(fmaf(scores[n][i], scale, -offset));
                sum += scores[n][i];
            }
        state.sum[half] = state.sum[half] * old[half] + sum;
    }
    return make_float2(old[0], old[1]);
}

// What a deterministic device keeps of a row between the keys that it shares and the others: all
// that a thread holds of it, so that it continues as if nothing had come between. `rows` are this
// thread's two, as in shared_sums; -1: none.
template <int SIZE>
static __device__ void load_rows(float (&values)[SIZE / 8][4], row_state &state,
                                 const struct shared_sums &sums, const int (&rows)[2],
                                 int head_size) {
    const int column = threadIdx.x % 4;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        if (rows[half] < 0) continue;
        const float *from = sums.own_values + (size_t)rows[half] * head_size + 2 * column;
        state.highest[half] = sums.own_extremes[rows[half]].x;
        state.sum[half] = ((const float *)(sums.own_weights + rows[half]))[column];
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++) {
            if (8 * n >= head_size) continue;
            const float2 pair = *(const float2 *)(from + 8 * n);
            values[n][2 * half] = pair.x;
            values[n][2 * half + 1] = pair.y;
        }
    }
}

template <int SIZE>
static __device__ void keep_rows(const float (&values)[SIZE / 8][4], const row_state &state,
                                 const struct shared_sums &sums, const int (&rows)[2],
                                 int head_size) {
    const int column = threadIdx.x % 4;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        if (rows[half] < 0) continue;
        float *to = sums.own_values + (size_t)rows[half] * head_size + 2 * column;
        if (column == 0) sums.own_extremes[rows[half]] = make_float2(state.highest[half], 0);
        ((float *)(sums.own_weights + rows[half]))[column] = state.sum[half];
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++)
            if (8 * n < head_size)
                *(float2 *)(to + 8 * n) = make_float2(values[n][2 * half], values[n][2 * half + 1]);
    }
}

template <int COLUMNS>
static __device__ inline void rescale(float (&values)[COLUMNS / 8][4], float2 old) {
#pragma unroll
    for (int n = 0; n < COLUMNS / 8; n++) {
        values[n][0] *= old.x;
        values[n][1] *= old.x;
        values[n][2] *= old.y;
        values[n][3] *= old.y;
    }
}

// Columns from `begin` on.
template <int COLUMNS>
static __device__ void store_rows(const paged_attention &args, const tile &tile,
                                  const float (&values)[COLUMNS / 8][4], const row_state &state,
                                  float scale, int kv_head, int group, int head_size, int begin) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float sum = row_sum(state, half);
        const int row = tile.row + threadIdx.x / 32 * 16 + lane / 4 + 8 * half;
        if (row >= tile.queries * group) continue;
        const size_t token = tile.first_token + row / group;
        const int head = kv_head * group + row % group;
        sum += sink_weight(args, head, state.highest[half] * scale);
        __half *to = (__half *)args.out + (token * args.num_heads + head) * head_size + begin;
#pragma unroll
        for (int n = 0; n < COLUMNS / 8; n++)
            if (begin + 8 * n < head_size)
                *(__half2 *)(to + 8 * n + 2 * (lane % 4)) =
                    halves(values[n][2 * half] / sum, values[n][2 * half + 1] / sum);
    }
}

// The row in the cache of this thread's key of the tile from `first`, if it is in [begin, end).
template <typename tiles>
static __device__ inline unsigned find_row(const paged_attention &args, const kv_cache &cache,
                                           const int32_t *table, int thread, int first, int begin,
                                           int end) {
    const int key = first + thread;
    return thread >= 0 && thread < tiles::keys && key >= begin && key < end
               ? flash_row(cache, table, args.layer, kv_head_of_block<tiles>(), key)
               : 0;
}

// The keys of a tile of rows: begin ... end - 1 of a block table.
struct key_range {
    const int32_t *table;
    int begin, end;
};

// Where the keys of STAGES tiles lie, from the current one on.
template <typename tiles, int STAGES> struct key_rows { unsigned rows[STAGES][tiles::keys]; };

// Starts copying a tile of keys, or nothing past the last one, by threads from FROM on.
template <typename tiles, int FROM>
static __device__ inline void copy_tile(const kv_cache &cache, unsigned stage, const unsigned *rows,
                                        const key_range &range, int first) {
    if ((int)threadIdx.x < FROM) return;
    if (first < range.end)
        tiles::template copy<FROM>(cache, stage, rows, max(0, range.begin - first),
                                   range.end - first);
    else
        copy_commit();
}

// Starts copying all tiles but the last one that there are stages for. The first begins at a
// multiple of tiles::keys.
template <typename tiles, int STAGES, int FROM = 0>
static __device__ void start_keys(key_rows<tiles, STAGES> &keys, const paged_attention &args,
                                  const kv_cache &cache, const key_range &range, unsigned stages) {
    const int KEYS = tiles::keys, first = range.begin / KEYS * KEYS;
    const int thread = (int)threadIdx.x - FROM;
    if (thread >= 0 && thread < KEYS)
        for (int i = 0; i < STAGES; i++)
            keys.rows[i][thread] = find_row<tiles>(args, cache, range.table, thread,
                                                   first + i * KEYS, range.begin, range.end);
    __syncthreads(); // orders these tiles' rows before their reads
    for (int i = 0; i < STAGES - 1; i++)
        copy_tile<tiles, FROM>(cache, stages + i * tiles::stage, keys.rows[i], range,
                               first + i * KEYS);
}

// Attends a warp's rows to all keys. A warp without rows, `idle`, only copies.
template <typename tiles, int STAGES, int FROM = 0>
static __device__ void attend_keys(float (&values)[tiles::columns / 8][4], row_state &state,
                                   const typename tiles::queries &q, key_rows<tiles, STAGES> &keys,
                                   const paged_attention &args, const kv_cache &cache,
                                   const key_range &range, unsigned stages, bool idle) {
    const int KEYS = tiles::keys, thread = (int)threadIdx.x - FROM;
    const scoring scoring = scoring_of(args);
    int first = range.begin / KEYS * KEYS;
    for (int stage = 0; first < range.end; first += KEYS) {
        const int ahead = stage == 0 ? STAGES - 1 : stage - 1; // the stage that was read last
        const unsigned at = stages + stage * tiles::stage;
        tiles::template landed<STAGES - 2>();
        __syncthreads(); // orders this tile's copies before its reads, and the previous tile's
                         // reads
        copy_tile<tiles, FROM>(cache, stages + ahead * tiles::stage, keys.rows[ahead], range,
                               first + (STAGES - 1) * KEYS);
        const unsigned next = find_row<tiles>(args, cache, range.table, thread,
                                              first + STAGES * KEYS, range.begin, range.end);
        if (!idle) {
            float scores[KEYS / 8][4];
            tiles::score(scores, q, at);
            rescale<tiles::columns>(values, soften<KEYS>(scores, state, first, scoring));
            tiles::weigh(values, scores, at + tiles::plane);
        }
        if (thread >= 0 && thread < KEYS) keys.rows[stage][thread] = next;
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
}

template <typename tiles> static __device__ inline unsigned aligned_stages(const char *memory) {
    return (shared_address(memory) + tiles::alignment - 1) / tiles::alignment * tiles::alignment;
}

template <typename tiles>
static __global__ __launch_bounds__(tiles::threads, tiles::blocks) void rows_kernel(
    const paged_attention args, const kv_cache cache, const batch batch, const shared_sums sums,
    int least) {
    const int ROWS = tiles::threads / 2;
    extern __shared__ __align__(16) char memory[]; // [2][K, V] as `tiles` lays them out
    __shared__ key_rows<tiles, 2> keys;
    const int group = args.num_heads / cache.num_kv_heads;
    const int kv_head = kv_head_of_block<tiles>();
    const tile tile = find_tile<ROWS>(batch, group, least, blockIdx.y);
    grid_wait(); // so far only copies were read, which overlap no kernel
    grid_launch_dependents();
    if (tile.sequence < 0) return;
    const scoring scoring = scoring_of(args);
    const int own = batch.shared.own ? batch.shared.own[tile.sequence] : 0;
    const key_range range = {batch.block_table + (size_t)tile.sequence * batch.max_blocks_per_seq,
                             max(own, first_key_of(tile, group, scoring.window)),
                             keys_of<ROWS>(tile, group)};
    const unsigned stages = aligned_stages<tiles>(memory);
    start_keys<tiles, 2>(keys, args, cache, range, stages);
    typename tiles::queries q(stages + 2 * tiles::stage);
    load_queries<tiles>(q, args, tile, kv_head, group, cache.head_size);
    row_state state = {{-INFINITY, -INFINITY}, {}, {}};
    set_limits(state.limit, tile, group, range.end);
    float values[tiles::columns / 8][4] = {};
    if (own > 0) { // there is one query
        const int first = tile.sequence * args.num_heads + kv_head * group;
        const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
        const int rows[2] = {row < group ? first + row : -1,
                             row + 8 < group ? first + row + 8 : -1};
        load_rows<tiles::columns>(values, state, sums, rows, cache.head_size);
    }
    attend_keys<tiles, 2>(values, state, q, keys, args, cache, range, stages, false);
    store_rows<tiles::columns>(args, tile, values, state, scoring.scale, kv_head, group,
                               cache.head_size, first_column<tiles>());
}

// Sequences with at least `least` queries.
template <typename tiles>
static void launch_rows(struct device *device, const struct paged_attention *args, int least) {
    const struct batch *batch = args->batch;
    const int group = args->num_heads / args->cache->num_kv_heads;
    const size_t rows = (size_t)batch->num_tokens * group;
    const dim3 grid(args->cache->num_kv_heads * (tiles::size / tiles::columns),
                    (unsigned)(rows / (tiles::threads / 2)) + batch->num_seqs);
    static_assert(tiles::keys <= tiles::threads, "a thread looks up one key of a tile");
    device_allow_shared(device, (const void *)rows_kernel<tiles>, tiles::bytes);
    launch_after(device, rows_kernel<tiles>, grid, tiles::threads, tiles::bytes, *args,
                 *args->cache, *batch, device->shared, least);
}
