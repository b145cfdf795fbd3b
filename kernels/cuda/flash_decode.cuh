// kernels/cuda/flash_decode.cuh — softmax(q K^T scale) V over pages, for one query a sequence or a
// few.
//
//   q, out  [num_tokens, num_heads, head_size]  fp16
//   k, v    [num_tokens, num_kv_heads, head_size]  fp16, of the new tokens; with rope only
//   cache   rows layout, fp16, bf16 or eight bits; with rope the new tokens' slots are written
//
// A block computes work items (flash_work.cuh), each a sequence and up to 8 or 16 columns under one
// KV head, so that K and V are read once for these. Within a block, warps take steps of STEP keys
// round robin, each on its own: a warp copies, multiplies and keeps its own maxima and sums
// (flash_step.cuh). With rope, q, k and v arrive as the linear left them (flash_new_tokens.cuh).
//
//   grid   (column sets side by side, splits in tile order), as many as are resident at once
//   block  up to layout::warps x 32, as many as the card's shared memory holds
//   smem   warps x stages as in flash_step.cuh; q of the columns; k and v of the new tokens
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
#include "kernels/cuda/flash_new_tokens.cuh"
#include "kernels/cuda/flash_step.cuh"
#include "kernels/cuda/flash_work.cuh"

#include <numeric>
#include <type_traits>

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
