// kernels/cuda/flash_decode.cu — softmax(q K^T scale) V over pages, one query a sequence.
//
//   q, out  [num_tokens, num_heads, head_size]  fp16
//   k, v    [num_tokens, num_kv_heads, head_size]  fp16, of the new tokens; with rope only
//   cache   rows layout, fp16, bf16 or eight bits; with rope the new tokens' slots are written
//
// A work item is a sequence under one KV head, so that K and V are read once for the whole group of
// query heads. Its keys, from the first in the window on, without those of a shared past, are cut
// into tiles of TILE keys. The flat list of all items' tiles is divided into even splits (as in
// Flash-Decoding), as many as fill the card once, so a block may end one item and begin another.
// Neighbouring blocks compute the same keys for different heads, which lie side by side in a page.
//
// Within a block, warps take steps of STEP keys round robin, each on its own: a warp copies,
// multiplies and keeps its own maxima and sums (flash_step.cuh).
//
//   grid   (KV heads side by side, splits in tile order), as many as are resident at once
//   block  up to layout::warps x 32, as many as the card's shared memory holds
//   smem   warps x stages as in flash_step.cuh; q of a group; cosines and sines of a token; its k
//          and v
//
// With rope, q arrives as the linear left it. Each block norms and rotates the heads of its group.
// The block whose keys include the sequence's last does the same for k, writes k and v to the
// cache, and puts them over what its stages hold for that key. All other keys are older than the
// step, so their first copies start before the kernel that makes q, k and v is done.
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
#include "kernels/cuda/flash_merge.cuh"
#include "kernels/cuda/flash_shared.cuh"
#include "kernels/cuda/flash_step.cuh"
#include "kernels/cuda/rope.cuh"

#include <numeric>

enum { TILE = 64 };

struct decode_args {
    struct rope_and_cache rope; // q is NULL: q is rotated, and all keys are in the cache
    struct paged_attention attention;
    struct kv_cache cache;
    struct batch batch;
    float *parts;      // [2 x blocks][part_floats()]
    unsigned *arrived; // [num_seqs x num_kv_heads], 0 between calls
    struct shared_sums shared;
    int splits;           // that fill the card; the grid has fewer where a batch cannot need them
    int group, head_sets; // query heads of a KV head; KV heads that are not side by side
};

// The index of a split's first part; a split has two.
static __device__ inline size_t part_index(int split) {
    return 2 * ((size_t)split * gridDim.x + blockIdx.x);
}

// Floats of a block's part of an item: [group][SIZE] values, [group] maximum and sum, rounded up to
// 16 bytes.
template <int SIZE> static __device__ inline size_t part_floats(int group) {
    return (size_t)group * SIZE + (2 * group + 3) / 4 * 4;
}

// A work item: tiles [first, end) of the flat list, of which [from, to) are this block's. The list
// is ordered by sequence and then by KV head; gridDim.x heads have lists side by side.
struct work {
    int sequence, kv_head;
    int begin, keys; // the first key that is attended to here, and one past the last
    int first, end, from, to;
};

// The first key in a sequence's window that is not in a span.
static __device__ inline int first_key(const decode_args &args, int s, int keys) {
    const int32_t *own = args.batch.shared.own;
    const int window = args.attention.window;
    return max(own ? own[s] : 0, window > 0 ? keys - window : 0);
}

static __device__ inline int tiles_of(const decode_args &args, int s) {
    const batch &batch = args.batch;
    if (s >= batch.num_seqs) return 0;
    const int keys = batch.seq_lens_kv[s]; // loaded here, so that it overlaps with the loads below
    const int seen = keys - first_key(args, s, keys);
    return batch.cu_seqlens_q[s + 1] - batch.cu_seqlens_q[s] == 1 ? (seen + TILE - 1) / TILE : 0;
}

// Tiles of all items. Every thread of a warp calls this and find_work().
static __device__ int all_tiles(const decode_args &args) {
    int tiles = 0;
    for (int s = threadIdx.x % 32; s < args.batch.num_seqs; s += 32)
        tiles += tiles_of(args, s);
    return (int)__reduce_add_sync(0xffffffffu, (unsigned)tiles) * args.head_sets;
}

// Tiles of a split. Where every block would have one, every second may as well have two as long as
// no multiprocessor becomes idle: that leaves fewer parts to merge.
static __host__ __device__ inline int split_tiles_of(int tiles, int splits) {
    return tiles > splits ? (tiles + splits - 1) / splits : 2 * tiles > splits ? 2 : 1;
}

// The item that contains tile `from` of the flat list, cut at `to`.
static __device__ work find_work(const decode_args &args, int from, int to) {
    const int lane = threadIdx.x % 32, head_sets = args.head_sets;
    int before = 0;
    for (int base = 0;; base += 32) {
        const int tiles = tiles_of(args, base + lane) * head_sets;
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
            const int kv_head = head_set * gridDim.x + blockIdx.x;
            const int keys = args.batch.seq_lens_kv[s];
            return {s, kv_head, first_key(args, s, keys), keys, first, end, from, min(to, end)};
        }
        before += __shfl_sync(0xffffffffu, through, 31);
    }
}

// Loads and computes what rotating and norming need; called by all threads. It depends on no other
// kernel.
template <typename new_token_t>
static __device__ void load_cos_sin(new_token_t &new_token, const decode_args &args,
                                    const work &work) {
    const rope_and_cache &rope = args.rope;
    if (!rope.q) return;
    const int position = args.batch.positions[args.batch.cu_seqlens_q[work.sequence]];
    for (int i = threadIdx.x; i < args.cache.head_size; i += blockDim.x) {
        if (rope.q_norm) new_token.norms[0][i] = rope.q_norm[i];
        if (rope.k_norm) new_token.norms[1][i] = rope.k_norm[i];
    }
    for (int pair = threadIdx.x; pair < rope.rotary / 2; pair += blockDim.x)
        new_token.cos_sin[pair] = rope_cos_sin(rope, position, pair);
}

// The slot of a sequence's new token.
static __device__ inline unsigned new_slot(const decode_args &args, const work &work) {
    return (unsigned)args.batch.slot_mapping[args.batch.cu_seqlens_q[work.sequence]];
}

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

// What a warp prepares of a new token: head `index` of the group, then k, then v.
struct item {
    const __half *from;
    int plane; // of k or v; -1: q
    bool normed, rotated;
};

static __device__ inline item item_of(const decode_args &args, const work &work, int index,
                                      int group) {
    const int size = args.cache.head_size;
    const size_t token = args.batch.cu_seqlens_q[work.sequence];
    const size_t q_head = token * args.attention.num_heads + work.kv_head * group + index;
    const size_t kv_head = token * args.cache.num_kv_heads + work.kv_head;
    if (index < group)
        return {(const __half *)args.attention.q + q_head * size, -1, args.rope.q_norm != nullptr,
                args.rope.q != nullptr};
    if (index == group)
        return {(const __half *)args.rope.k + kv_head * size, 0, args.rope.k_norm != nullptr, true};
    return {(const __half *)args.rope.v + kv_head * size, 1, false, false};
}

// Stores k or v for this block, and in the cache.
template <typename cache_t, int SIZE, int HEADS, int PAIRS>
static __device__ inline void put_row(new_token<cache_t, SIZE, HEADS> &new_token,
                                      const decode_args &args, const work &work, int plane,
                                      unsigned slot, const rope_head<PAIRS> &head) {
    const kv_cache &cache = args.cache;
    cache_t *in_cache;
    float inverse = 0;
    if constexpr (kv_traits<cache_t>::scaled) {
        const kv_place place =
            kv_place_at(cache, kv_head_of(cache, args.attention.layer, work.kv_head), slot);
        const bf16 scale = kv_scale_of<cache_t>(rope_highest(head));
        char *data = (char *)cache.data;
        in_cache = (cache_t *)(data + (plane ? place.v : place.k));
        inverse = kv_inverse(scale);
        if (threadIdx.x % 32 == 0)
            *(bf16 *)(data + (plane ? place.v_scale : place.k_scale)) = new_token.scales[plane] =
                scale;
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
            cache_t *to = &new_token.rows[plane][at];
            if constexpr (kv_traits<cache_t>::scaled)
                to->bits = kv_element_of(head.x[i][side], inverse, cache_t());
            else
                from_float(head.x[i][side], to);
            if (at < cache.head_size) in_cache[at] = *to;
        }
    }
}

// Stores a head of q for this block and, with `shares`, for flash_shared().
template <typename cache_t, int SIZE, int HEADS, int PAIRS>
static __device__ inline void put_query(new_token<cache_t, SIZE, HEADS> &new_token,
                                        const decode_args &args, const item &item, int index,
                                        bool shares, const rope_head<PAIRS> &head) {
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        const int2 pair = rope_pair(args.rope, threadIdx.x % 32 + 32 * i);
#pragma unroll
        for (int side = 0; side < 2; side++) {
            const int at = side ? pair.y : pair.x;
            if (at >= SIZE) continue;
            from_float(head.x[i][side], &new_token.q[index][at]);
            if (shares && at < args.cache.head_size)
                args.shared.q[item.from - (const __half *)args.attention.q + at] =
                    new_token.q[index][at];
        }
    }
}

template <typename cache_t, int SIZE, int HEADS, int PAIRS>
static __device__ inline void
put_item(new_token<cache_t, SIZE, HEADS> &new_token, const decode_args &args, const work &work,
         const item &item, bool has_last, unsigned slot, rope_head<PAIRS> &head, int index) {
    const float *norm = new_token.norms[item.plane + 1];
    if (item.normed && !args.rope.norm_last) rope_norm(head, args.rope, norm, args.cache.head_size);
    if (item.rotated) {
        float2 cos_sin[PAIRS];
#pragma unroll
        for (int i = 0; i < PAIRS; i++)
            cos_sin[i] = new_token.cos_sin[min((int)threadIdx.x % 32 + 32 * i, SIZE / 2 - 1)];
        rope_rotate(head, args.rope, cos_sin);
    }
    if (item.normed && args.rope.norm_last) rope_norm(head, args.rope, norm, args.cache.head_size);
    if (item.plane < 0)
        put_query(new_token, args, item, index, has_last && args.batch.shared.own, head);
    else
        put_row(new_token, args, work, item.plane, slot, head);
}

// Brings q of the new token to shared memory. If the sequence's last key is among this block's, it
// brings k and v there as well, and writes them to the cache.
template <typename cache_t, int SIZE, int HEADS>
static __device__ void prepare_new_token(new_token<cache_t, SIZE, HEADS> &new_token,
                                         const decode_args &args, const work &work, int group) {
    enum { PAIRS = (SIZE / 2 + 31) / 32, TOGETHER = 2 };
    const int warps = blockDim.x / 32, size = args.cache.head_size;
    const bool has_last = args.rope.q && work.to == work.end;
    const int count = group + (has_last ? 2 : 0);
    const unsigned slot = has_last ? new_slot(args, work) : 0;
    __syncthreads(); // orders cosines, sines and norms before their reads
    for (int first = threadIdx.x / 32; first < count; first += TOGETHER * warps) {
        rope_head<PAIRS> heads[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            if (first + i * warps < count)
                rope_load(heads[i], args.rope, item_of(args, work, first + i * warps, group).from,
                          size);
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            if (first + i * warps < count)
                put_item<cache_t, SIZE, HEADS>(new_token, args, work,
                                               item_of(args, work, first + i * warps, group),
                                               has_last, slot, heads[i], first + i * warps);
    }
    __syncthreads(); // orders q, k and v before their reads
}

// With BYTES, columns are in the order that a tile of bytes is in.
template <bool BYTES, typename cache_t, int SIZE, int HEADS>
static __device__ void load_query(unsigned (&q)[HEADS][SIZE / 16][2],
                                  const new_token<cache_t, SIZE, HEADS> &new_token, int group) {
    typedef typename kv_traits<cache_t>::multiplied multiplied;
    const int lane = threadIdx.x % 32, first = (BYTES ? 4 : 2) * (lane % 4);
#pragma unroll
    for (int n = 0; n < HEADS; n++) {
        const int head = 8 * n + lane / 4;
#pragma unroll
        for (int k = 0; k < SIZE / 16; k++)
#pragma unroll
            for (int side = 0; side < 2; side++)
                q[n][k][side] =
                    head < group
                        ? query_pair(&new_token.q[head][16 * k + first + (BYTES ? 2 : 8) * side],
                                     multiplied())
                        : 0;
    }
}

// Puts the new token's k and v, which are key `key`, over what the copies left in row `row` of a
// step.
template <typename cache_t, int SIZE, int HEADS>
static __device__ inline void
put_new_token(char *stage, const new_token<cache_t, SIZE, HEADS> &new_token, int row, int key) {
    typedef layout<cache_t, SIZE> shape;
    const int lane = threadIdx.x % 32;
    for (int i = lane; i < 2 * shape::chunks; i += 32) {
        const int plane = i / shape::chunks, at = i % shape::chunks * 16;
        *(uint4 *)(stage + plane * shape::plane + row * shape::row + at) =
            *(const uint4 *)((const char *)new_token.rows[plane] + at);
    }
    if (shape::scaled && lane < 2)
        *(bf16 *)(stage + 2 * shape::plane + (lane * STEP + row) * 4 + key % 2 * 2) =
            new_token.scales[lane];
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
          stages(stages), to(min(work.keys, work.begin + (work.to - work.first) * TILE)),
          last(args.rope.q ? min(to, work.keys - 1) : to),
          ahead(work.begin + (work.from - work.first) * TILE + threadIdx.x / 32 * STEP), stage(0),
          row(find_row(ahead)) {
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

// Attends to a warp's keys of an item.
template <typename cache_t, int SIZE, int HEADS, int STAGES, typename new_token_t>
static __device__ void attend_keys(sums<SIZE, HEADS> &sums, new_token_t &new_token,
                                   const decode_args &args, const work &work, char *own,
                                   int group) {
    typedef layout<cache_t, SIZE> shape;
    copies<cache_t, SIZE, STAGES> copies(args, work, shared_address(own));
    int key = copies.ahead, stage = 0;
    const int to = copies.to, stride = blockDim.x / 32 * STEP;
    if (!args.rope.q) grid_wait(); // so far only copies were read, which overlap no kernel
    for (int i = 0; i < STAGES - 1; i++)
        copies.start_next();
    load_cos_sin(new_token, args, work);
    grid_wait(); // the keys copied so far are older than the step
    grid_launch_dependents();
    prepare_new_token(new_token, args, work, group);
    unsigned q[HEADS][SIZE / 16][2];
    load_query<shape::scaled>(q, new_token, group);
    const scoring scoring = scoring_of(args.attention);
    for (; key < to; key += stride) {
        copy_wait<STAGES - 2>();
        __syncwarp(); // orders all lanes' copies before their reads, and the previous stage's reads
        copies.start_next();
        char *at = own + stage * shape::stage;
        if (args.rope.q && work.keys <= key + STEP)
            put_new_token(at, new_token, work.keys - 1 - key, work.keys - 1);
        step_scales scales = {};
        if constexpr (shape::scaled) scales = scales_of<cache_t, SIZE>(at, key);
        attend_step<cache_t, SIZE, HEADS>(sums, q, shared_address(at), to - key, scales, scoring);
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
static __device__ inline void store_merged(const decode_args &args, const work &work, int group,
                                           const merged &merged, int head, int at) {
    const int size = args.cache.head_size, q_head = work.kv_head * group + head;
    const size_t token = args.batch.cu_seqlens_q[work.sequence];
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
template <int SIZE>
static __device__ void merge_parts(const decode_args &args, const work &work, int split_tiles,
                                   int group) {
    const size_t part = part_floats<SIZE>(group);
    const int first = work.first / split_tiles;
    const int count = (work.end - 1) / split_tiles - first + 1;
    // A block leaves its first item's part in its even slot, and that of an item that begins inside
    // the block in its odd one.
    const bool odd = first * split_tiles < work.first;
    const float *parts = args.parts + part_index(first) * part;
    const size_t stride = 2 * (size_t)gridDim.x * part;
    for (int i = threadIdx.x; i < group * (SIZE / 4); i += blockDim.x) {
        const int head = i / (SIZE / 4), at = i % (SIZE / 4) * 4;
        const float *values = parts + head * SIZE + at;
        const float2 *extremes = (const float2 *)(parts + group * SIZE) + head;
        merged merged = {{}, -INFINITY, 0};
        if (odd) add_parts(merged, values + part, 0, extremes + part / 2, 0, 1);
        for (int begin = odd; begin < count; begin += MERGED)
            add_parts(merged, values + begin * stride, stride, extremes + begin * stride / 2,
                      stride / 2, count - begin);
        store_merged(args, work, group, merged, head, at);
    }
}

// Joins the warps' sums and stores the result or, if the item is split, part `index`.
template <int SIZE, int HEADS, int WARP_BYTES>
static __device__ void join_warps(const decode_args &args, const work &work, const char *memory,
                                  float (*extremes)[8 * HEADS][2], size_t index, int group) {
    const int warps = blockDim.x / 32;
    const bool whole = work.from == work.first && work.to == work.end;
    float *part = args.parts + index * part_floats<SIZE>(group);
    for (int i = threadIdx.x; i < group * (SIZE / 4); i += blockDim.x) {
        const int head = i / (SIZE / 4), at = i % (SIZE / 4) * 4;
        merged merged = {{}, -INFINITY, 0};
        for (int w = 0; w < warps; w++)
            merged.highest = fmaxf(merged.highest, extremes[w][head][0]);
        for (int w = 0; w < warps; w++) {
            const float weight = power_of_two(extremes[w][head][0] - merged.highest);
            const float4 value =
                *(const float4 *)(memory + w * WARP_BYTES + (head * SIZE + at) * sizeof(float));
            merged.total += weight * extremes[w][head][1];
            merged.sum.x = fmaf(weight, value.x, merged.sum.x);
            merged.sum.y = fmaf(weight, value.y, merged.sum.y);
            merged.sum.z = fmaf(weight, value.z, merged.sum.z);
            merged.sum.w = fmaf(weight, value.w, merged.sum.w);
        }
        if (whole) {
            store_merged(args, work, group, merged, head, at);
            continue;
        }
        __stcg((float4 *)(part + head * SIZE + at), merged.sum);
        if (at == 0)
            __stcg((float2 *)(part + group * SIZE) + head,
                   make_float2(merged.highest, merged.total));
    }
}

// Counts the block's arrival; true, for every thread, in the last block of the item.
static __device__ bool arrive_last(const decode_args &args, const work &work, int split_tiles) {
    __shared__ bool last;
    __syncthreads(); // orders the block's part before its arrival
    if (threadIdx.x == 0) {
        const unsigned others = (work.end - 1) / split_tiles - work.first / split_tiles;
        unsigned *arrived = args.arrived + work.sequence * args.cache.num_kv_heads + work.kv_head;
        unsigned before;
        // Releases our part to later arrivals and acquires the parts of earlier ones. The last
        // arrival wraps the counter to 0.
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(arrived), "r"(others)
                     : "memory");
        last = before == others;
    }
    __syncthreads();
    return last;
}

template <typename cache_t, int SIZE, int HEADS, int STAGES>
static __global__ __launch_bounds__(32 * layout<cache_t, SIZE>::warps,
                                    FLASH_BLOCKS) void decode_kernel(const decode_args args) {
    typedef layout<cache_t, SIZE> shape;
    enum { WARP_BYTES = STAGES * shape::stage };
    extern __shared__ __align__(16) char memory[];         // [warps][stages][K, V][STEP][row]
    __shared__ float extremes[shape::warps][8 * HEADS][2]; // maximum and sum of each warp and head
    __shared__ new_token<cache_t, SIZE, HEADS> new_token;
    const int warp = threadIdx.x / 32, group = args.group;
    const int tiles = all_tiles(args);
    const int split_tiles = split_tiles_of(tiles, args.splits);
    // The splits of the last keys start first, because they have a new token to rotate.
    const int split = (tiles + split_tiles - 1) / split_tiles - 1 - (int)blockIdx.y;
    char *own = memory + warp * WARP_BYTES;
    const int begin = split * split_tiles,
              end = split < 0 ? begin : min(tiles, begin + split_tiles);
    // One block waits even if there is nothing to do. Otherwise this kernel could end before the
    // previous one, and the next kernel, which waits for this one only, would start too early.
    if (tiles == 0 && blockIdx.x + blockIdx.y == 0) grid_wait();
    for (int from = begin; from < end;) {
        const work work = find_work(args, from, end);
        sums<SIZE, HEADS> sums = {};
        for (int n = 0; n < HEADS; n++)
            sums.highest[n][0] = sums.highest[n][1] = -INFINITY;
        attend_keys<cache_t, SIZE, HEADS, STAGES>(sums, new_token, args, work, own, group);
        store_warp_sums<shape::scaled>(sums, (float *)own, extremes[warp]);
        __syncthreads(); // orders all warps' sums before they are joined
        const size_t index = part_index(split) + (from > begin);
        join_warps<SIZE, HEADS, WARP_BYTES>(args, work, memory, extremes, index, group);
        if (work.from != work.first || work.to != work.end)
            if (arrive_last(args, work, split_tiles))
                merge_parts<SIZE>(args, work, split_tiles, group);
        __syncthreads(); // orders the reads before the next item reuses the memory
        from = work.to;
    }
}

// The most splits that can have work, whatever the lengths are.
static int splits_needed(const struct paged_attention *args, int heads_side_by_side, int splits) {
    ASSERT(heads_side_by_side > 0 && splits > 0);
    const struct batch *batch = args->batch;
    const int64_t keys = (int64_t)batch->max_blocks_per_seq * args->cache->block_size;
    const int64_t tiles = (keys + TILE - 1) / TILE * batch->num_seqs *
                          (args->cache->num_kv_heads / heads_side_by_side);
    if (2 * tiles <= splits) return (int)tiles;
    return tiles <= splits ? (splits + 1) / 2 : splits;
}

struct decode_launch {
    struct device *device;
    const struct paged_attention *args;
    const struct rope_and_cache *rope; // or NULL
    template <typename cache_t, int SIZE> void run() const {
        if (args->num_heads / args->cache->num_kv_heads <= 8)
            start<cache_t, SIZE, 1>();
        else if constexpr (SIZE <= 256)
            start<cache_t, SIZE, 2>();
    }
    template <typename cache_t, int SIZE, int HEADS> void start() const {
        const decode_shape shape = decode_shape_on<cache_t, SIZE, HEADS>(&device->properties);
        ASSERT(shape.warps > 0); // flash_has_instance()
        if (shape.stages == STEP_STAGES)
            launch(decode_kernel<cache_t, SIZE, HEADS, STEP_STAGES>, shape);
        else if constexpr (layout<cache_t, SIZE>::least_stages < STEP_STAGES)
            launch(decode_kernel<cache_t, SIZE, HEADS, STEP_STAGES - 1>, shape);
    }
    void launch(void (*kernel)(decode_args), const decode_shape &shape) const {
        const int blocks = device->properties.multiProcessorCount * shape.resident;
        const int heads_side_by_side = std::gcd(args->cache->num_kv_heads, blocks);
        const int splits = blocks / heads_side_by_side;
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
                                 args->cache->num_kv_heads / heads_side_by_side};
        ASSERT(args->batch->num_seqs <= device->limits.max_seqs);
        device_allow_shared(device, (const void *)kernel, (size_t)shape.bytes);
        launch_after(device, kernel,
                     dim3(heads_side_by_side, splits_needed(args, heads_side_by_side, splits)),
                     shape.warps * 32, shape.bytes, all);
    }
};

void flash_decode(struct device *device, const struct paged_attention *args,
                  const struct rope_and_cache *rope) {
    ASSERT(args->batch->num_seqs > 0 && args->batch->num_seqs <= device->limits.max_seqs);
    ASSERT(!rope || (rope->cache == args->cache && rope->layer == args->layer));
    const struct batch batch = batch_that_shares(args);
    struct paged_attention mine = *args;
    mine.batch = &batch;
    flash_choose(args->cache, decode_launch{device, &mine, rope});
    if (batch.shared.own) flash_shared(device, args, rope ? device->shared.q : args->q);
}
