// kernels/cuda/flash_decode.cuh — softmax(q K^T scale) V over pages, for one query a sequence or a
// few.
//
//   q, out  [num_tokens, num_heads, head_size]  fp16
//   k, v    [num_tokens, num_kv_heads, head_size]  fp16, of the new tokens; with rope only
//   cache   rows layout, fp16, bf16 or eight bits; with rope the new tokens' slots are written
//
// A column is a query under one head of a KV head's group. A work item is a sequence and up to 8 or
// 16 columns under one KV head, so that K and V are read once for these. Its keys, from the first
// in the first query's window on, without those of a shared past, are cut into tiles of TILE keys.
// The flat list of all items' tiles is divided into even splits (as in Flash-Decoding), as many as
// fill the card once, so a block may end one item and begin another. Neighbouring blocks compute
// the same keys for different columns or heads, which lie side by side in a page.
//
// Within a block, warps take steps of STEP keys round robin, each on its own: a warp copies,
// multiplies and keeps its own maxima and sums (flash_step.cuh).
//
//   grid   (column sets side by side, splits in tile order), as many as are resident at once
//   block  up to layout::warps x 32, as many as the card's shared memory holds
//   smem   warps x stages as in flash_step.cuh; q of the columns; k and v of the new tokens
//
// With rope, q arrives as the linear left it. Each block norms and rotates its columns. The blocks
// whose keys include new tokens do the same for k, write k and v to the cache, and put them over
// what their stages hold for those keys. All other keys are older than the step, so their first
// copies start before the kernel that makes q, k and v is done.
//
// An item that several blocks share is merged by the last of them to finish. Each leaves its
// weighted values, maximum and sum in device->flash_parts and counts itself in
// device->flash_arrived; the last rescales all parts by the common maximum, in split order. The
// result does not depend on which block is last, but how an item is split depends on the batch.
//
// Of a sequence that shares a past the result is not stored, but the sums over its own keys and,
// with rope, its rotated queries: flash_shared.cuh adds the rest.
//
// Probabilities are rounded to 16 bits before the second product, the result at the store.
// Bound by reading K and V.
#pragma once
#include "kernels/cuda/flash_merge.cuh"
#include "kernels/cuda/flash_shared.cuh"
#include "kernels/cuda/flash_step.cuh"
#include "kernels/cuda/rope.cuh"

#include <numeric>
#include <type_traits>

enum { TILE = 64 };

struct decode_args {
    struct rope_and_cache rope; // q is NULL: q is rotated, and all keys are in the cache
    struct paged_attention attention;
    struct kv_cache cache;
    struct batch batch;
    float *parts;      // [2 x blocks][part_floats()]
    unsigned *arrived; // [num_seqs x num_kv_heads], 0 between calls
    struct shared_sums shared;
    int splits;      // that fill the card; the grid has fewer where a batch cannot need them
    int group;       // query heads of a KV head
    int head_sets;   // column sets of all KV heads that are not side by side
    int column_sets; // of a KV head, as many as the sequence with the most queries may need
};

// The index of a split's first part; a split has two.
static __device__ inline size_t part_index(int split) {
    return 2 * ((size_t)split * gridDim.x + blockIdx.x);
}

// Floats of a block's part of an item: [columns][SIZE] values, [columns] maximum and sum, rounded
// up to 16 bytes.
template <int SIZE> static __device__ inline size_t part_floats(int columns) {
    return (size_t)columns * SIZE + (2 * columns + 3) / 4 * 4;
}
// The columns that a part has memory for, the same for all items.
template <int HEADS, int QUERIES> static __device__ inline int part_columns(int group) {
    return QUERIES == 1 ? group : 8 * HEADS;
}

// A work item: tiles [first, end) of the flat list, of which [from, to) are this block's. The list
// is ordered by sequence and then by column set; gridDim.x sets have lists side by side.
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
        int through = tiles;
        for (int offset = 1; offset < 32; offset *= 2) {
            const int lower = __shfl_up_sync(0xffffffffu, through, offset);
            if (lane >= offset) through += lower;
        }
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

// Brings q of the new tokens to shared memory, and k and v of those that are among this block's
// keys, which it writes to the cache as well.
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

// A warp's copies of its keys of an item, step by step.
template <typename cache_t, int SIZE, int STAGES> struct copies {
    typedef layout<cache_t, SIZE> shape;
    const decode_args &args;
    const work &of;
    const int32_t *table;
    const unsigned stages; // of this warp, in shared memory
    const int to, last;    // end of the block's keys; end of those that are copied
    int ahead, stage;      // first key and stage of the next step
    unsigned row;          // of this lane's key in that step; its slot, if it has eight bits
    kv_head head;          // of eight bits

    __device__ copies(const decode_args &args, const work &work, unsigned stages)
        : args(args), of(work),
          table(args.batch.block_table + (size_t)work.sequence * args.batch.max_blocks_per_seq),
          stages(stages), to(work.end_key()),
          last(args.rope.q ? min(to, work.first_new_key()) : to),
          ahead(work.first_key() + threadIdx.x / 32 * STEP), stage(0), row(find_row(ahead)) {
        if constexpr (shape::scaled)
            head = kv_head_of(args.cache, args.attention.layer, work.kv_head);
    }

    __device__ unsigned find_row(int first) const {
        const int key = first + threadIdx.x % 32, size = args.cache.block_size;
        if (threadIdx.x % 32 >= STEP || key >= last) return 0;
        if (shape::scaled)
            return (unsigned)table[key >> (31 - __clz(size))] * size + (key & (size - 1));
        return flash_row(args.cache, table, args.attention.layer, of.kv_head, key);
    }

    __device__ void start_next() {
        const int stride = blockDim.x / 32 * STEP;
        const unsigned next = find_row(ahead + stride);
        const unsigned at = stages + stage * shape::stage;
        if (ahead < to) {
            if constexpr (shape::scaled)
                copy_scaled_step<cache_t, SIZE>(args.cache, head, at, row, last - ahead);
            else
                copy_step<cache_t, SIZE>(args.cache, at, row, last - ahead);
        }
        copy_commit();
        ahead += stride;
        stage = stage == STAGES - 1 ? 0 : stage + 1;
        row = next;
    }
};

// The keys that the queries of a thread's columns see, in a step.
template <int HEADS> struct seen_by_few {
    enum { ALL_SEE = 0 };
    int ends[HEADS][2], window;
    __device__ seen_by_few(const work &work, int group, int window) : window(window) {
#pragma unroll
        for (int n = 0; n < HEADS; n++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int column = work.column + 8 * n + threadIdx.x % 4 * 2 + i;
                ends[n][i] = min(work.keys, work.first_new_key() + column / group + 1);
            }
    }
    __device__ bool sees(int n, int i, int first, int row, int) const {
        return first + row < ends[n][i] && first + row >= ends[n][i] - window;
    }
};
struct seen_by_one {
    enum { ALL_SEE = 1 };
    __device__ seen_by_one(const work &, int, int) {}
    __device__ bool sees(int, int, int, int row, int keys) const { return row < keys; }
};

// Attends to a warp's keys of an item.
template <typename cache_t, int SIZE, int HEADS, int QUERIES, int STAGES>
static __device__ void attend_keys(sums<SIZE, HEADS> &sums,
                                   new_tokens<cache_t, SIZE, HEADS, QUERIES> &news,
                                   const decode_args &args, const work &work, char *own) {
    typedef layout<cache_t, SIZE> shape;
    typedef std::conditional_t<QUERIES == 1, seen_by_one, seen_by_few<HEADS>> seen_t;
    const early_loads early(args, work);
    copies<cache_t, SIZE, STAGES> copies(args, work, shared_address(own));
    const items<QUERIES> items(args, work, early.slot);
    int key = copies.ahead, stage = 0;
    const int to = copies.to, stride = blockDim.x / 32 * STEP;
    if (!args.rope.q) grid_wait(); // so far only copies were read, which overlap no kernel
    for (int i = 0; i < STAGES - 1; i++)
        copies.start_next();
    angles<QUERIES, (SIZE / 2 + 31) / 32> angles;
    if (args.rope.q) {
        for (int i = threadIdx.x; i < args.cache.head_size; i += blockDim.x) {
            const bool loaded = i < (int)blockDim.x;
            if (args.rope.q_norm) news.norms[0][i] = loaded ? early.norms[0] : args.rope.q_norm[i];
            if (args.rope.k_norm) news.norms[1][i] = loaded ? early.norms[1] : args.rope.k_norm[i];
        }
        angles.prepare(news, args, work, early,
                       item_of<QUERIES>(args, work, items, items.begin).query);
        if (QUERIES > 1 && (int)threadIdx.x < work.queries) news.slots[threadIdx.x] = early.slot;
    }
    grid_wait(); // the keys copied so far are older than the step
    grid_launch_dependents();
    prepare_new_tokens(news, args, work, items, angles);
    unsigned q[HEADS][SIZE / 16][2];
    load_query<shape::scaled>(q, news, work.columns);
    const scoring scoring = scoring_of(args.attention);
    const seen_t seen(work, args.group, scoring.window);
    for (; key < to; key += stride) {
        copy_wait<STAGES - 2>();
        __syncwarp(); // orders all lanes' copies before their reads, and the previous stage's reads
        copies.start_next();
        char *at = own + stage * shape::stage;
        if (args.rope.q && work.first_new_key() < key + STEP) put_new_tokens(at, news, work, key);
        step_scales scales = {};
        if constexpr (shape::scaled) scales = scales_of<cache_t, SIZE>(at, key);
        attend_step<cache_t, SIZE, HEADS>(sums, q, shared_address(at), key, to - key, seen, scales,
                                          scoring);
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
    copy_wait<0>();
    __syncwarp(); // orders the last reads before values are stored over the stages
}

// Stores a warp's sums in shared memory: values [heads][SIZE] over its stages; maxima and sums
// apart.
// With BYTES, rows of a tile are in the order that a tile of bytes is in.
template <bool BYTES, int SIZE, int HEADS>
static __device__ void store_warp_sums(const sums<SIZE, HEADS> &sums, float *values,
                                       float (*extremes)[2]) {
    const int lane = threadIdx.x % 32, first = (BYTES ? 2 : 1) * (lane / 4);
#pragma unroll
    for (int n = 0; n < HEADS; n++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int head = 8 * n + 2 * (lane % 4) + i;
            float total = sums.total[n][i];
            for (int offset = 4; offset < 32; offset *= 2)
                total += __shfl_xor_sync(0xffffffffu, total, offset);
            if (lane < 4) {
                extremes[head][0] = sums.highest[n][i];
                extremes[head][1] = total;
            }
#pragma unroll
            for (int m = 0; m < SIZE / 16; m++) {
                float *to = values + head * SIZE + 16 * m + first;
                to[0] = sums.values[n][m][i];
                to[BYTES ? 1 : 8] = sums.values[n][m][i + 2];
            }
        }
}

// Stores the result of a thread's four elements.
template <int QUERIES>
static __device__ inline void store_merged(const decode_args &args, const work &work,
                                           const merged &merged, int index, int at) {
    const int column = work.column + index, query = QUERIES == 1 ? 0 : column / args.group;
    const int size = args.cache.head_size;
    const int q_head = work.kv_head * args.group + column - query * args.group;
    const size_t token = args.batch.cu_seqlens_q[work.sequence] + query;
    const size_t row = token * args.attention.num_heads + q_head;
    if (at >= size) return;
    if (!args.batch.shared.own || args.batch.shared.own[work.sequence] == 0) {
        store_result(args.attention, merged, row, size, at);
        return;
    }
    const size_t own = (size_t)work.sequence * args.attention.num_heads + q_head;
    *(float4 *)(args.shared.own_values + own * size + at) = merged.sum;
    if (at == 0) args.shared.own_extremes[own] = make_float2(merged.highest, merged.total);
}

// Merges the parts of an item; called by the last block to finish one.
template <int SIZE, int HEADS, int QUERIES>
static __device__ void merge_parts(const decode_args &args, const work &work, int split_tiles) {
    const int all_columns = part_columns<HEADS, QUERIES>(args.group);
    const size_t part = part_floats<SIZE>(all_columns);
    const int first = work.first / split_tiles;
    const int count = (work.end - 1) / split_tiles - first + 1;
    // A block leaves its first item's part in its even slot, and that of an item that begins inside
    // the block in its odd one.
    const bool odd = first * split_tiles < work.first;
    const float *parts = args.parts + part_index(first) * part;
    const size_t stride = 2 * (size_t)gridDim.x * part;
    for (int i = threadIdx.x; i < work.columns * (SIZE / 4); i += blockDim.x) {
        const int column = i / (SIZE / 4), at = i % (SIZE / 4) * 4;
        const float *values = parts + column * SIZE + at;
        const float2 *extremes = (const float2 *)(parts + all_columns * SIZE) + column;
        merged merged = {{}, -INFINITY, 0};
        if (odd) add_parts(merged, values + part, 0, extremes + part / 2, 0, 1);
        for (int begin = odd; begin < count; begin += MERGED)
            add_parts(merged, values + begin * stride, stride, extremes + begin * stride / 2,
                      stride / 2, count - begin);
        store_merged<QUERIES>(args, work, merged, column, at);
    }
}

// Joins the warps' sums and stores the result or, if the item is split, part `index`.
template <int SIZE, int HEADS, int QUERIES, int WARP_BYTES>
static __device__ void join_warps(const decode_args &args, const work &work, const char *memory,
                                  float (*extremes)[8 * HEADS][2], size_t index) {
    const int warps = blockDim.x / 32, all_columns = part_columns<HEADS, QUERIES>(args.group);
    const bool whole = work.from == work.first && work.to == work.end;
    float *part = args.parts + index * part_floats<SIZE>(all_columns);
    for (int i = threadIdx.x; i < work.columns * (SIZE / 4); i += blockDim.x) {
        const int head = i / (SIZE / 4), at = i % (SIZE / 4) * 4;
        merged merged = {{}, -INFINITY, 0};
        for (int w = 0; w < warps; w++)
            merged.highest = fmaxf(merged.highest, extremes[w][head][0]);
        // The first queries may see none of the block's keys.
        const float top = QUERIES == 1 || merged.highest > -INFINITY ? merged.highest : 0;
        for (int w = 0; w < warps; w++) {
            const float weight = power_of_two(extremes[w][head][0] - top);
            const float4 value =
                *(const float4 *)(memory + w * WARP_BYTES + (head * SIZE + at) * sizeof(float));
            merged.total += weight * extremes[w][head][1];
            merged.sum.x = fmaf(weight, value.x, merged.sum.x);
            merged.sum.y = fmaf(weight, value.y, merged.sum.y);
            merged.sum.z = fmaf(weight, value.z, merged.sum.z);
            merged.sum.w = fmaf(weight, value.w, merged.sum.w);
        }
        if (whole) {
            store_merged<QUERIES>(args, work, merged, head, at);
            continue;
        }
        __stcg((float4 *)(part + head * SIZE + at), merged.sum);
        if (at == 0)
            __stcg((float2 *)(part + all_columns * SIZE) + head,
                   make_float2(merged.highest, merged.total));
    }
}

// The number of an item in the batch.
template <int HEADS>
static __device__ inline int item_index(const decode_args &args, const work &work) {
    const int set = work.kv_head * args.column_sets + work.column / (8 * HEADS);
    return work.sequence * args.cache.num_kv_heads * args.column_sets + set;
}

// Counts the block's arrival; true, for every thread, in the last block of the item.
template <int HEADS>
static __device__ bool arrive_last(const decode_args &args, const work &work, int split_tiles) {
    __shared__ bool last;
    __syncthreads(); // orders the block's part before its arrival
    if (threadIdx.x == 0) {
        const unsigned others = (work.end - 1) / split_tiles - work.first / split_tiles;
        last = count_arrival(args.arrived + item_index<HEADS>(args, work), others);
    }
    __syncthreads();
    return last;
}

template <typename cache_t, int SIZE, int HEADS, int QUERIES, int STAGES>
static __global__ __launch_bounds__(32 * layout<cache_t, SIZE>::warps,
                                    FLASH_BLOCKS) void decode_kernel(const decode_args args) {
    typedef layout<cache_t, SIZE> shape;
    enum { WARP_BYTES = STAGES * shape::stage };
    extern __shared__ __align__(16) char memory[];         // [warps][stages][K, V][STEP][row]
    __shared__ float extremes[shape::warps][8 * HEADS][2]; // maximum and sum of each warp and head
    __shared__ new_tokens<cache_t, SIZE, HEADS, QUERIES> news;
    const int warp = threadIdx.x / 32;
    const int tiles = all_tiles<QUERIES>(args);
    const int split_tiles = split_tiles_of<QUERIES>(tiles, args.splits);
    // The splits of the last keys start first, because they have a new token to rotate.
    const int split = (tiles + split_tiles - 1) / split_tiles - 1 - (int)blockIdx.y;
    char *own = memory + warp * WARP_BYTES;
    const int begin = split * split_tiles,
              end = split < 0 ? begin : min(tiles, begin + split_tiles);
    // One block waits even if there is nothing to do. Otherwise this kernel could end before the
    // previous one, and the next kernel, which waits for this one only, would start too early.
    if (tiles == 0 && blockIdx.x + blockIdx.y == 0) grid_wait();
    for (int from = begin; from < end;) {
        const work work = find_work<HEADS, QUERIES>(args, from, end);
        from = work.to;
        if (QUERIES > 1 && work.columns <= 0) continue; // others of the batch have more queries
        sums<SIZE, HEADS> sums = {};
        for (int n = 0; n < HEADS; n++)
            sums.highest[n][0] = sums.highest[n][1] = -INFINITY;
        attend_keys<cache_t, SIZE, HEADS, QUERIES, STAGES>(sums, news, args, work, own);
        store_warp_sums<shape::scaled>(sums, (float *)own, extremes[warp]);
        __syncthreads(); // orders all warps' sums before they are joined
        const size_t index = part_index(split) + (work.from > begin);
        join_warps<SIZE, HEADS, QUERIES, WARP_BYTES>(args, work, memory, extremes, index);
        if (work.from != work.first || work.to != work.end)
            if (arrive_last<HEADS>(args, work, split_tiles))
                merge_parts<SIZE, HEADS, QUERIES>(args, work, split_tiles);
        __syncthreads(); // orders the reads before the next item reuses the memory
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

template <int QUERIES> struct decode_launch {
    struct device *device;
    const struct paged_attention *args;
    const struct rope_and_cache *rope; // or NULL
    int columns;                       // under a KV head, at most
    template <typename cache_t, int SIZE> void run() const {
        if (columns <= 8 || SIZE > 256 || prefers_narrow<cache_t, SIZE>())
            start<cache_t, SIZE, 1>();
        else if constexpr (SIZE <= 256)
            start<cache_t, SIZE, 2>();
    }
    // Sets of 8 columns read K and V more often than sets of 16, but are done sooner where each
    // tile of keys has a block of its own.
    template <typename cache_t, int SIZE> bool prefers_narrow() const {
        if constexpr (QUERIES == 1 || SIZE > FLASH_FEW_HEAD_MAX) return false;
        const int blocks = device->properties.multiProcessorCount *
                           decode_shape_on<cache_t, SIZE, 1, QUERIES>(&device->properties).resident;
        const int kv_heads = args->cache->num_kv_heads, column_sets = (columns + 7) / 8;
        const int sets = kv_heads * column_sets, side_by_side = std::gcd(sets, blocks);
        return sets <= args->num_heads &&
               most_tiles(args, sets / side_by_side) <= blocks / side_by_side;
    }
    template <typename cache_t, int SIZE, int HEADS> void start() const {
        if constexpr (QUERIES == 1 || SIZE <= FLASH_FEW_HEAD_MAX) {
            const decode_shape shape =
                decode_shape_on<cache_t, SIZE, HEADS, QUERIES>(&device->properties);
            ASSERT(shape.warps > 0); // flash_has_instance()
            if (shape.stages == STEP_STAGES)
                launch(decode_kernel<cache_t, SIZE, HEADS, QUERIES, STEP_STAGES>, shape, 8 * HEADS);
            else if constexpr (layout<cache_t, SIZE>::least_stages < STEP_STAGES)
                launch(decode_kernel<cache_t, SIZE, HEADS, QUERIES, STEP_STAGES - 1>, shape,
                       8 * HEADS);
        }
    }
    void launch(void (*kernel)(decode_args), const decode_shape &shape, int at_once) const {
        const int blocks = device->properties.multiProcessorCount * shape.resident;
        const int column_sets = QUERIES == 1 ? 1 : (columns + at_once - 1) / at_once;
        const int sets = args->cache->num_kv_heads * column_sets;
        const int side_by_side = std::gcd(sets, blocks), splits = blocks / side_by_side;
        const struct rope_and_cache none = {};
        const decode_args all = {rope ? *rope : none,
                                 *args,
                                 *args->cache,
                                 *args->batch,
                                 device->flash_parts,
                                 device->flash_arrived,
                                 device->shared,
                                 splits,
                                 args->num_heads / args->cache->num_kv_heads,
                                 sets / side_by_side,
                                 column_sets};
        ASSERT(args->batch->num_seqs <= device->limits.max_seqs && sets <= args->num_heads);
        device_allow_shared(device, (const void *)kernel, (size_t)shape.bytes);
        launch_after(device, kernel,
                     dim3(side_by_side, splits_needed<QUERIES>(args, sets / side_by_side, splits)),
                     shape.warps * 32, shape.bytes, all);
    }
};
