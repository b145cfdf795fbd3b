// kernels/cuda/flash_new_tokens.cuh — the new tokens of a work item, from what the linear left of
// them to q in shared memory and k and v in the cache.
//
// Each block norms and rotates its columns of q. The blocks whose keys include new tokens do the
// same for k, write k and v to the cache, and put them over what their stages hold for those keys.
// All other keys are older than the step, so their first copies start before the kernel that makes
// q, k and v is done. Without rope, q is rotated and only brought to shared memory.
#pragma once
#include "kernels/cuda/flash_shapes.cuh"
#include "kernels/cuda/flash_step.cuh"
#include "kernels/cuda/flash_work.cuh"
#include "kernels/cuda/rope.cuh"

// What a thread loads that depends on no other kernel. Weights have displaced all of it from the
// caches, so its loads start together, before those of the block table.
struct early_loads {
    int position;
    unsigned slot;   // of query threadIdx.x, or of the last one
    float frequency; // of pair threadIdx.x
    float norms[2];  // element threadIdx.x of q's and k's
    __device__ early_loads(const decode_args &args, const work &work)
        : position(0), slot(0), frequency(0), norms() {
        const rope_and_cache &rope = args.rope;
        const int thread = threadIdx.x;
        if (!rope.q) return;
        const int first = args.batch.cu_seqlens_q[work.sequence];
        position = args.batch.positions[first];
        slot = (unsigned)args.batch.slot_mapping[first + min(thread, work.queries - 1)];
        if (thread < rope.rotary / 2) frequency = rope.inv_freq[thread];
        if (thread >= args.cache.head_size) return;
        if (rope.q_norm) norms[0] = rope.q_norm[thread];
        if (rope.k_norm) norms[1] = rope.k_norm[thread];
    }
};

// Cosines and sines of the queries' positions. Those of a lone query are computed once for the
// block, in shared memory; of several, each warp computes those that it needs, in registers.
template <int QUERIES, int PAIRS> struct angles {
    float2 cos_sin[PAIRS];
    int query = -1;
    // Called by all threads; `first` is the warp's first query.
    template <typename news_t>
    __device__ void prepare(news_t &, const decode_args &args, const work &work,
                            const early_loads &, int first) {
        turn_to(args, work, first);
    }
    template <typename news_t>
    __device__ void rotate(rope_head<PAIRS> &head, const news_t &, const decode_args &args,
                           const work &work, int next) {
        turn_to(args, work, next);
        rope_rotate(head, args.rope, cos_sin);
    }
    __device__ void turn_to(const decode_args &args, const work &work, int next) {
        if (next == query) return;
        query = next;
        const int position = args.batch.positions[args.batch.cu_seqlens_q[work.sequence] + next];
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            const int pair = (int)threadIdx.x % 32 + 32 * i;
            if (pair < args.rope.rotary / 2)
                cos_sin[i] = rope_cos_sin(args.rope, position, args.rope.inv_freq[pair]);
        }
    }
};
template <int PAIRS> struct angles<1, PAIRS> {
    template <typename news_t>
    __device__ void prepare(news_t &news, const decode_args &args, const work &,
                            const early_loads &early, int) {
        float frequency = early.frequency;
        for (int pair = threadIdx.x; pair < args.rope.rotary / 2; pair += blockDim.x) {
            if (pair >= (int)blockDim.x) frequency = args.rope.inv_freq[pair];
            news.cos_sin[pair] = rope_cos_sin(args.rope, early.position, frequency);
        }
    }
    template <typename news_t>
    __device__ void rotate(rope_head<PAIRS> &head, const news_t &news, const decode_args &args,
                           const work &, int) {
        const int last = sizeof news.cos_sin / sizeof news.cos_sin[0] - 1;
        float2 cos_sin[PAIRS];
#pragma unroll
        for (int i = 0; i < PAIRS; i++)
            cos_sin[i] = news.cos_sin[min((int)threadIdx.x % 32 + 32 * i, last)];
        rope_rotate(head, args.rope, cos_sin);
    }
};

// Where K of a slot is in the cache, if elements have 16 bits; V is v_plane() further.
template <typename cache_t>
static __device__ inline cache_t *slot_in_cache(const decode_args &args, const work &work,
                                                unsigned slot) {
    const kv_cache &cache = args.cache;
    const int32_t block = (int32_t)(slot >> (31 - __clz(cache.block_size)));
    const size_t row = flash_row(cache, &block, args.attention.layer, work.kv_head,
                                 (int)slot & (cache.block_size - 1));
    return (cache_t *)cache.data + row * cache.head_size;
}

// What a block prepares of the new tokens: the columns of q, then k of those among its keys, then
// their v. Of a lone token, a warp has every warps-th of that list; of several, an equal share in
// one piece, which has few queries.
template <int QUERIES> struct items {
    int first, count;      // queries whose keys are among the block's
    int begin, end, apart; // this warp's
    unsigned slot;         // in the cache, of a lone token; those of several are in shared memory
    __device__ items(const decode_args &args, const work &work, unsigned slot)
        : first(0), count(0), slot(slot) {
        const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
        if (QUERIES == 1) {
            count = args.rope.q && work.to == work.end;
        } else if (args.rope.q) {
            first = max(0, work.first_key() - work.first_new_key());
            count = max(0, work.end_key() - work.first_new_key() - first);
        }
        const int all = work.columns + 2 * count;
        begin = QUERIES == 1 ? warp : warp * all / warps;
        end = QUERIES == 1 ? all : (warp + 1) * all / warps;
        apart = QUERIES == 1 ? warps : 1;
    }
};

struct item {
    const __half *from;
    int query;
    int plane; // of k or v; -1: q
    bool normed, rotated;
};

template <int QUERIES>
static __device__ inline item item_of(const decode_args &args, const work &work,
                                      const items<QUERIES> &items, int index) {
    const int size = args.cache.head_size;
    const size_t first_token = args.batch.cu_seqlens_q[work.sequence];
    if (index < work.columns) {
        const int column = work.column + index, query = QUERIES == 1 ? 0 : column / args.group;
        const int head = work.kv_head * args.group + column - query * args.group;
        return {(const __half *)args.attention.q +
                    ((first_token + query) * args.attention.num_heads + head) * size,
                query, -1, args.rope.q_norm != nullptr, args.rope.q != nullptr};
    }
    const int plane = QUERIES == 1 ? index > work.columns : index - work.columns >= items.count;
    const int query = QUERIES == 1 ? 0 : items.first + index - work.columns - plane * items.count;
    const size_t row = (first_token + query) * args.cache.num_kv_heads + work.kv_head;
    if (plane == 0)
        return {(const __half *)args.rope.k + row * size, query, 0, args.rope.k_norm != nullptr,
                true};
    return {(const __half *)args.rope.v + row * size, query, 1, false, false};
}

// Stores k or v for this block, and in the cache.
template <typename cache_t, int SIZE, int HEADS, int QUERIES, int PAIRS>
static __device__ inline void
put_row(new_tokens<cache_t, SIZE, HEADS, QUERIES> &news, const decode_args &args, const work &work,
        const items<QUERIES> &items, const item &item, const rope_head<PAIRS> &head) {
    const kv_cache &cache = args.cache;
    const int plane = item.plane;
    const unsigned slot = QUERIES == 1 ? items.slot : news.slots[item.query];
    const bool stores = QUERIES == 1 || work.column == 0; // one of the column sets
    cache_t *in_cache;
    float inverse = 0;
    if constexpr (kv_traits<cache_t>::scaled) {
        const kv_place place =
            kv_place_at(cache, kv_head_of(cache, args.attention.layer, work.kv_head), slot);
        const bf16 scale = kv_scale_of<cache_t>(rope_highest(head));
        char *data = (char *)cache.data;
        in_cache = (cache_t *)(data + (plane ? place.v : place.k));
        inverse = kv_inverse(scale);
        if (threadIdx.x % 32 == 0) {
            news.scales[item.query][plane] = scale;
            if (stores) *(bf16 *)(data + (plane ? place.v_scale : place.k_scale)) = scale;
        }
    } else {
        in_cache = slot_in_cache<cache_t>(args, work, slot) + plane * v_plane(cache);
    }
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        const int2 pair = rope_pair(args.rope, threadIdx.x % 32 + 32 * i);
#pragma unroll
        for (int side = 0; side < 2; side++) {
            const int at = side ? pair.y : pair.x;
            if (at >= SIZE) continue;
            cache_t *to = &news.rows[item.query][plane][at];
            if constexpr (kv_traits<cache_t>::scaled)
                to->bits = kv_element_of(head.x[i][side], inverse, cache_t());
            else
                from_float(head.x[i][side], to);
            if (stores && at < cache.head_size) in_cache[at] = *to;
        }
    }
}

// Stores a head of q for this block and, with `shares`, for flash_shared().
template <typename cache_t, int SIZE, int HEADS, int QUERIES, int PAIRS>
static __device__ inline void put_query(new_tokens<cache_t, SIZE, HEADS, QUERIES> &news,
                                        const decode_args &args, const item &item, int index,
                                        bool shares, const rope_head<PAIRS> &head) {
    rope_store(head, args.rope, SIZE, [&](int at, float value) {
        from_float(value, &news.q[index][at]);
        if (shares && at < args.cache.head_size)
            args.shared.q[item.from - (const __half *)args.attention.q + at] = news.q[index][at];
    });
}

template <typename cache_t, int SIZE, int HEADS, int QUERIES, int PAIRS>
static __device__ inline void
put_item(new_tokens<cache_t, SIZE, HEADS, QUERIES> &news, const decode_args &args, const work &work,
         const items<QUERIES> &items, const item &item, angles<QUERIES, PAIRS> &angles,
         rope_head<PAIRS> &head, int index) {
    const float *norm = news.norms[item.plane + 1];
    if (item.normed && !args.rope.norm_last) rope_norm(head, args.rope, norm, args.cache.head_size);
    if (item.rotated) angles.rotate(head, news, args, work, item.query);
    if (item.normed && args.rope.norm_last) rope_norm(head, args.rope, norm, args.cache.head_size);
    if (item.plane < 0)
        put_query(news, args, item, index, items.count > 0 && args.batch.shared.own, head);
    else
        put_row(news, args, work, items, item, head);
}

// Brings q of the new tokens to shared memory. Where this block's keys include new tokens, it
// brings their k and v as well, and writes them to the cache.
template <typename cache_t, int SIZE, int HEADS, int QUERIES, int PAIRS>
static __device__ void
prepare_new_tokens(new_tokens<cache_t, SIZE, HEADS, QUERIES> &news, const decode_args &args,
                   const work &work, const items<QUERIES> &items, angles<QUERIES, PAIRS> &angles) {
    enum { TOGETHER = QUERIES == 1 ? 2 : 4 };
    const int size = args.cache.head_size, end = items.end, apart = items.apart;
    __syncthreads(); // orders angles, norms and slots before their reads
    for (int first = items.begin; first < end; first += TOGETHER * apart) {
        rope_head<PAIRS> heads[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            if (first + i * apart < end)
                rope_load(heads[i], args.rope,
                          item_of<QUERIES>(args, work, items, first + i * apart).from, size);
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            const int index = first + i * apart;
            if (index >= end) break;
            const item item = item_of<QUERIES>(args, work, items, index);
            put_item(news, args, work, items, item, angles, heads[i], index);
        }
    }
    __syncthreads(); // orders q, k and v before their reads
}

// With BYTES, columns are in the order that a tile of bytes is in.
template <bool BYTES, typename cache_t, int SIZE, int HEADS, int QUERIES>
static __device__ void load_query(unsigned (&q)[HEADS][SIZE / 16][2],
                                  const new_tokens<cache_t, SIZE, HEADS, QUERIES> &news,
                                  int columns) {
    typedef typename kv_traits<cache_t>::multiplied multiplied;
    const int lane = threadIdx.x % 32, first = (BYTES ? 4 : 2) * (lane % 4);
#pragma unroll
    for (int n = 0; n < HEADS; n++) {
        const int column = 8 * n + lane / 4;
#pragma unroll
        for (int k = 0; k < SIZE / 16; k++)
#pragma unroll
            for (int side = 0; side < 2; side++)
                q[n][k][side] =
                    column < columns
                        ? query_pair(&news.q[column][16 * k + first + (BYTES ? 2 : 8) * side],
                                     multiplied())
                        : 0;
    }
}

// Puts k and v of the new tokens over what the copies left of them in a step that begins at `key`.
template <typename cache_t, int SIZE, int HEADS, int QUERIES>
static __device__ inline void put_new_tokens(char *stage,
                                             const new_tokens<cache_t, SIZE, HEADS, QUERIES> &news,
                                             const work &work, int key) {
    typedef layout<cache_t, SIZE> shape;
    const int lane = threadIdx.x % 32, new_key = work.first_new_key();
    const int first = QUERIES == 1 ? 0 : max(0, key - new_key);
    const int end = QUERIES == 1 ? 1 : min(work.queries, key + STEP - new_key);
    for (int query = first; query < end; query++) {
        const int row = new_key + query - key;
        for (int i = lane; i < 2 * shape::chunks; i += 32) {
            const int plane = i / shape::chunks, at = i % shape::chunks * 16;
            *(uint4 *)(stage + plane * shape::plane + row * shape::row + at) =
                *(const uint4 *)((const char *)news.rows[query][plane] + at);
        }
        if (shape::scaled && lane < 2)
            *(bf16 *)(stage + 2 * shape::plane + (lane * STEP + row) * 4 +
                      (new_key + query) % 2 * 2) = news.scales[query][lane];
    }
    __syncwarp(); // orders the writes before all lanes' reads
}
