// kernels/cuda/flash_split.cuh — attention of sequences with a few queries, whose keys the blocks
// of a cluster share.
//
//   q, out, k, v, cache  as in flash_decode.cuh, with elements of 16 bits
//
// A cluster has one tile of rows, the queries of a sequence under the heads of a KV head, and each
// of its blocks an equal share of the key tiles. A block leaves its sums in its shared memory. Then
// each block merges an equal share of the results from all of them, in the order of the keys. So K
// and V are read once, no block merges alone, and on the multiprocessors that have no block the
// next kernel begins to copy its weights.
//
// With rope, q arrives as the linear left it, and each block norms and rotates its rows. The block
// whose share a new key is in does the same for its k, writes k and v to the cache, and puts them
// over what the first copies got there: these start before the kernel ends that makes q, k and v.
// Copies of later tiles start after it has written.
//
//   grid   (SPLITS, num_kv_heads, num_seqs), clusters of SPLITS;  block  tiles::threads
//   smem   span_stages x (K, V) as `tiles` lays them out, and q of the rows; then the sums
//
// Bound by latency; with many keys by reading K and V.
#pragma once
#include "kernels/cuda/clusters.cuh"
#include "kernels/cuda/flash_merge.cuh"
#include "kernels/cuda/flash_rows.cuh"
#include "kernels/cuda/rope.cuh"

enum { SPLITS = MERGED };

struct split_args {
    struct rope_and_cache rope; // q is NULL: q is rotated, and all keys are in the cache
    struct paged_attention attention;
    struct kv_cache cache;
    struct batch batch;
};

// The new tokens: cosines and sines of their pairs, their slots in the cache, and k, rotated, and v
// of those whose keys are in the block's share.
template <typename cache_t, int SIZE> struct split_tokens {
    float2 cos_sin[FLASH_FEW][SIZE / 2];
    alignas(16) cache_t rows[FLASH_FEW][2][SIZE];
    unsigned slots[FLASH_FEW];
};

// Called by all threads; needs nothing that another kernel of the step makes.
template <typename cache_t, int SIZE>
static __device__ void find_tokens(split_tokens<cache_t, SIZE> &tokens, const split_args &args,
                                   const tile &tile) {
    const int pairs = args.rope.rotary / 2;
    if ((int)threadIdx.x < tile.queries)
        tokens.slots[threadIdx.x] =
            (unsigned)args.batch.slot_mapping[tile.first_token + (int)threadIdx.x];
    for (int i = threadIdx.x; i < tile.queries * (SIZE / 2); i += blockDim.x) {
        const int query = i / (SIZE / 2), pair = i % (SIZE / 2);
        if (pair >= pairs) continue;
        const int position = args.batch.positions[tile.first_token + query];
        tokens.cos_sin[query][pair] = rope_cos_sin(args.rope, position, args.rope.inv_freq[pair]);
    }
}

// What a warp prepares: a row of q; or k or v of a new key.
struct split_item {
    const __half *from;
    int query;
    int plane; // of k or v; -1: q
};

// The new tokens whose keys are in a block's share.
struct split_news {
    int first, count;
};

static __device__ inline split_item item_of(const split_args &args, const tile &tile,
                                            const split_news &news, int group, int index) {
    const int kv_heads = args.cache.num_kv_heads, kv_head = blockIdx.y;
    const int rows = tile.queries * group, size = args.cache.head_size;
    if (index < rows) {
        const int query = index / group, head = kv_head * group + index % group;
        const size_t row = (size_t)(tile.first_token + query) * args.attention.num_heads + head;
        return {(const __half *)args.rope.q + row * size, query, -1};
    }
    const int plane = index - rows >= news.count;
    const int query = news.first + index - rows - plane * news.count;
    const size_t row = (size_t)(tile.first_token + query) * kv_heads + kv_head;
    return {(const __half *)(plane ? args.rope.v : args.rope.k) + row * size, query, plane};
}

// Stores a head of q in `q_row`; or of k or v in `tokens`, and in the cache.
template <typename cache_t, int SIZE, int PAIRS>
static __device__ inline void put_head(split_tokens<cache_t, SIZE> &tokens, const split_args &args,
                                       const split_item &item, const rope_head<PAIRS> &head,
                                       __half *q_row) {
    const kv_cache &cache = args.cache;
    const bool is_q = item.plane < 0;
    cache_t *row = nullptr, *in_cache = nullptr;
    if (!is_q) {
        const unsigned slot = tokens.slots[item.query];
        const int32_t block = (int32_t)(slot >> (31 - __clz(cache.block_size)));
        const size_t k_row = flash_row(cache, &block, args.attention.layer, blockIdx.y,
                                       (int)slot & (cache.block_size - 1));
        const size_t v_rows = (size_t)cache.num_kv_heads * cache.block_size;
        row = tokens.rows[item.query][item.plane];
        in_cache = (cache_t *)cache.data + (k_row + item.plane * v_rows) * cache.head_size;
    }
    rope_store(head, args.rope, SIZE, [&](int at, float value) {
        if (is_q) {
            from_float(value, q_row + at);
        } else {
            from_float(value, row + at);
            if (at < cache.head_size) in_cache[at] = row[at];
        }
    });
}

// Elements from one row of q to the next in shared memory.
template <int SIZE> static const int Q_ROW = SIZE + 8;

template <typename tiles>
static __device__ void
prepare_rows(const split_args &args, const tile &tile, const split_news &news, int group,
             split_tokens<typename tiles::cache_t, tiles::size> &tokens, __half *q_rows) {
    enum { SIZE = tiles::size, PAIRS = (SIZE / 2 + 31) / 32, TOGETHER = 6 };
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = tiles::threads / 32;
    const int size = args.cache.head_size;
    const int all = tile.queries * group + 2 * news.count;
    for (int from = warp; from < all; from += TOGETHER * warps) {
        rope_head<PAIRS> heads[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            if (from + i * warps < all)
                rope_load(heads[i], args.rope,
                          item_of(args, tile, news, group, from + i * warps).from, size);
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            const int index = from + i * warps;
            if (index >= all) break;
            const split_item item = item_of(args, tile, news, group, index);
            const float *norm = item.plane < 0    ? args.rope.q_norm
                                : item.plane == 0 ? args.rope.k_norm
                                                  : nullptr;
            float2 cos_sin[PAIRS];
#pragma unroll
            for (int p = 0; p < PAIRS; p++)
                cos_sin[p] = tokens.cos_sin[item.query][min(lane + 32 * p, SIZE / 2 - 1)];
            if (norm && !args.rope.norm_last) rope_norm(heads[i], args.rope, norm, size);
            if (item.plane <= 0) rope_rotate(heads[i], args.rope, cos_sin);
            if (norm && args.rope.norm_last) rope_norm(heads[i], args.rope, norm, size);
            put_head(tokens, args, item, heads[i], q_rows + index * Q_ROW<SIZE>);
        }
    }
}

// Puts k and v of new keys before `end` over what the copies left of them. The first tile copied
// begins at key `first`.
template <typename tiles>
static __device__ void
put_new_keys(const split_tokens<typename tiles::cache_t, tiles::size> &tokens, const tile &tile,
             const split_news &news, unsigned stages, int first, int end) {
    enum { CHUNKS = tiles::chunks, KEYS = tiles::keys };
    const int count = min(news.count, end - tile.past - news.first);
    for (int i = threadIdx.x; i < count * 2 * CHUNKS; i += blockDim.x) {
        const int chunk = i % CHUNKS, plane = i / CHUNKS % 2;
        const int query = news.first + i / (2 * CHUNKS), ahead = tile.past + query - first;
        store16(stages + ahead / KEYS * tiles::stage + plane * tiles::plane +
                    tiles::place(ahead % KEYS, chunk),
                *(const uint4 *)(tokens.rows[query][plane] + chunk * 8));
    }
}

// The same as load_queries(), of rows in shared memory.
template <typename tiles>
static __device__ void load_prepared(typename tiles::queries &q, const __half *q_rows, int rows) {
    typedef typename tiles::cache_t cache_t;
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int row = threadIdx.x / 32 * 16 + lane / 4 + 8 * half;
        const __half *from = q_rows + row * Q_ROW<tiles::size> + 2 * (lane % 4);
#pragma unroll
        for (int k = 0; k < tiles::size / 16; k++)
#pragma unroll
            for (int side = 0; side < 2; side++)
                q.set(k, half + 2 * side,
                      row < rows ? query_pair(from + 16 * k + 8 * side, cache_t()) : 0);
    }
}

// A thread's rows into shared memory, padded so that lanes that store together use different banks.
template <int SIZE>
static __device__ void put_rows(float *sums, float2 *extremes, const float (&values)[SIZE / 8][4],
                                const row_state &state, float scale) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const float sum = row_sum(state, half);
        const int row = threadIdx.x / 32 * 16 + lane / 4 + 8 * half;
        if (lane % 4 == 0) extremes[row] = make_float2(state.highest[half] * scale, sum);
        float *to = sums + row * (SIZE + 8) + 2 * (lane % 4);
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++)
            *(float2 *)(to + 8 * n) = make_float2(values[n][2 * half], values[n][2 * half + 1]);
    }
}

// A block's part of the cluster's results, from all blocks' sums.
template <int SIZE>
static __device__ void merge_rows(const split_args &args, const tile &tile, const float *sums,
                                  const float2 *extremes, int group) {
    const int all = tile.queries * group * (SIZE / 4), stride = SPLITS * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += stride) {
        const int row = i / (SIZE / 4), at = i % (SIZE / 4) * 4;
        float4 parts[SPLITS];
        float2 ends[SPLITS];
#pragma unroll
        for (int block = 0; block < SPLITS; block++) {
            ends[block] = cluster_load2(cluster_address(extremes + row, block));
            parts[block] = cluster_load4(cluster_address(sums + row * (SIZE + 8) + at, block));
        }
        merged merged = {{}, -INFINITY, 0};
        add_loaded(merged, parts, ends);
        const size_t token = tile.first_token + row / group;
        const int head = (int)blockIdx.y * group + row % group;
        if (at < args.cache.head_size)
            store_result(args.attention, merged, token * args.attention.num_heads + head,
                         args.cache.head_size, at);
    }
}

template <typename tiles>
static __global__ __launch_bounds__(tiles::threads,
                                    1) void split_kernel(const __grid_constant__ split_args args) {
    enum { ROWS = tiles::together / 2, STAGES = tiles::span_stages, SIZE = tiles::size };
    static_assert(tiles::columns == tiles::size, "a block computes whole rows");
    static_assert(ROWS * (SIZE + 8) * (int)sizeof(float) <= STAGES * tiles::stage, "sums fit");
    extern __shared__ __align__(16) char memory[];
    __shared__ key_rows<tiles, STAGES> keys;
    __shared__ split_tokens<typename tiles::cache_t, SIZE> tokens;
    __shared__ float2 extremes[ROWS];
    const batch &batch = args.batch;
    const int s = blockIdx.z, group = args.attention.num_heads / args.cache.num_kv_heads;
    const int first_token = batch.cu_seqlens_q[s],
              queries = batch.cu_seqlens_q[s + 1] - first_token;
    const int all_keys = batch.seq_lens_kv[s], rows = queries * group;
    if (rows == 0 || rows > ROWS || queries > FLASH_FEW) { // of the whole cluster
        grid_wait();
        return;
    }
    const tile tile = {s, first_token, queries, all_keys - queries, 0};
    const scoring scoring = scoring_of(args.attention);
    const int begin = first_key_of(tile, group, scoring.window), first = begin / tiles::keys;
    const int key_tiles = (all_keys + tiles::keys - 1) / tiles::keys - first;
    const int share = (key_tiles + SPLITS - 1) / SPLITS * tiles::keys;
    const int from = first * tiles::keys + blockIdx.x * share;
    const bool any = from < all_keys;
    const key_range range = {batch.block_table + (size_t)s * batch.max_blocks_per_seq,
                             any ? max(begin, from) : 0, any ? min(all_keys, from + share) : 0};
    const unsigned stages = aligned_stages<tiles>(memory);
    const int first_copied = range.begin / tiles::keys * tiles::keys;
    const int copied = min(range.end, first_copied + (STAGES - 1) * tiles::keys); // before the loop
    const int first_new = max(0, range.begin - tile.past);
    const split_news news = {first_new, max(0, range.end - tile.past - first_new)};
    const bool early = args.rope.q || copied <= tile.past;
    if (early) start_keys<tiles, STAGES>(keys, args.attention, args.cache, range, stages);
    if (args.rope.q) find_tokens(tokens, args, tile);
    grid_wait();
    grid_launch_dependents();
    if (!early) start_keys<tiles, STAGES>(keys, args.attention, args.cache, range, stages);
    typename tiles::queries q(0); // all in registers
    if (args.rope.q) {
        __half *q_rows = (__half *)(memory + tiles::alignment + STAGES * tiles::stage);
        __syncthreads(); // orders what find_tokens() stored before its reads
        prepare_rows<tiles>(args, tile, news, group, tokens, q_rows);
        if (copied > tile.past) copy_wait<0>();
        __syncthreads(); // orders q, k, v and the copies before what follows
        if (copied > tile.past)
            put_new_keys<tiles>(tokens, tile, news, stages, first_copied, copied);
        load_prepared<tiles>(q, q_rows, rows);
    } else {
        load_queries<tiles>(q, args.attention, tile, blockIdx.y, group, args.cache.head_size);
    }
    row_state state = {{-INFINITY, -INFINITY}, {}, {}};
    set_limits(state.limit, tile, group, all_keys);
    float values[SIZE / 8][4] = {};
    const bool idle = threadIdx.x >= tiles::together;
    attend_keys<tiles, STAGES>(values, state, q, keys, args.attention, args.cache, range, stages,
                               idle);
    copy_wait<0>();
    __syncthreads(); // orders the last reads of keys before sums are stored over them
    float *sums = (float *)memory;
    if (!idle) put_rows<SIZE>(sums, extremes, values, state, scoring.scale);
    cluster_sync(); // orders all blocks' sums before they are merged
    merge_rows<SIZE>(args, tile, sums, extremes, group);
    cluster_sync(); // none ends while others read its memory
}

template <typename tiles>
static void launch_split(struct device *device, const struct paged_attention *args,
                         const struct rope_and_cache *rope) {
    const int q_bytes = tiles::together / 2 * Q_ROW<tiles::size> * (int)sizeof(__half);
    const int bytes = tiles::alignment + tiles::span_stages * tiles::stage + q_bytes;
    const auto kernel = split_kernel<tiles>;
    const struct rope_and_cache none = {};
    const struct split_args all = {rope ? *rope : none, *args, *args->cache, *args->batch};
    device_allow_shared(device, (const void *)kernel, bytes);
    launch_clusters_after(device, kernel,
                          dim3(SPLITS, args->cache->num_kv_heads, args->batch->num_seqs), SPLITS,
                          dim3(tiles::threads), bytes, all);
}
