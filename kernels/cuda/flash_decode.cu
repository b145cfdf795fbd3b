// kernels/cuda/flash_decode.cu — softmax(q K^T scale) V over pages, one query a sequence.
//
//   q, out  [num_tokens, num_heads, head_size]  fp16
//   cache   rows layout, fp16 or bf16
//
// A unit is a sequence under one KV head: K and V are read once for its whole group. The tiles of
// TILE keys of all units, from the first key in the window on, are shared out evenly over a grid
// that fills the card once, so a block may end one unit and begin another. Inside a block the warps
// take STEP keys in turn, each for itself: it copies, multiplies and keeps its own maxima and sums.
// Scores are computed transposed, keys as rows and heads as columns: a group of 8 fills a tile.
//
//   grid   blocks that are resident at once
//   block  up to WARPS x 32
//   smem   warps x STAGES x (K, V) x STEP x row,  row = SIZE elements, padded to an odd chunk
//
// A unit that several blocks share is merged by the one that ends last: each leaves its weighted
// values, maximum and sum in device->flash_parts, counts itself in device->flash_arrived, and the
// last rescales all parts by the common maximum, in their order. Which block that is does not
// change the result; how a unit is cut depends on the batch.
//
// Probabilities are rounded to 16 bits before the second product, the result at the store.
// Bound by reading K and V.
#include "kernels/cuda/flash.cuh"

enum { WARPS = 4, STAGES = 3, STEP = 16, TILE = 64 };

template <int SIZE> struct layout {
    static const int chunks = SIZE / 8;
    static const int row = (chunks | 1) * 16;   // bytes
    static const int plane = STEP * row;        // K or V of a stage
    static const int warp = STAGES * 2 * plane; // of a warp
    static const int rounds = STEP * chunks / 32;
    static_assert(STEP * chunks % 32 == 0, "whole rounds");
    static_assert(warp >= FLASH_GROUP_MAX * SIZE * (int)sizeof(float), "values fit when it ends");
};

struct decode_args {
    struct paged_attention attention;
    struct kv_cache cache;
    struct batch batch;
    float *parts;      // [2 x blocks][group x SIZE values, group maxima, group sums]
    unsigned *arrived; // [num_seqs x num_kv_heads], 0 between calls
};

// Of one block's part of a unit; a multiple of 16 bytes.
template <int SIZE> static __device__ inline size_t part_floats(int group) {
    return (size_t)group * SIZE + (2 * group + 3) / 4 * 4;
}

// Tiles [first, end) of the flat order, of which `from` ... `to` - 1 are this block's.
struct unit {
    int sequence, kv_head;
    int begin, keys; // the first key in the window, the end of the last
    int first, end, from, to;
};

static __device__ inline int tiles_of(const decode_args &args, int s) {
    const batch &batch = args.batch;
    if (s >= batch.num_seqs) return 0;
    const int keys = batch.seq_lens_kv[s]; // together with the loads below, not after them
    const int seen = args.attention.window > 0 ? min(keys, args.attention.window) : keys;
    return batch.cu_seqlens_q[s + 1] - batch.cu_seqlens_q[s] == 1 ? (seen + TILE - 1) / TILE : 0;
}

// Every thread of a warp calls these two.
static __device__ int all_tiles(const decode_args &args) {
    int tiles = 0;
    for (int s = threadIdx.x % 32; s < args.batch.num_seqs; s += 32)
        tiles += tiles_of(args, s);
    return (int)__reduce_add_sync(0xffffffffu, (unsigned)tiles) * args.cache.num_kv_heads;
}

// The unit that tile `from` of the flat order lies in, cut at `to`.
static __device__ unit find_unit(const decode_args &args, int from, int to) {
    const int lane = threadIdx.x % 32, kv_heads = args.cache.num_kv_heads;
    int before = 0;
    for (int base = 0;; base += 32) {
        const int tiles = tiles_of(args, base + lane) * kv_heads;
        int through = tiles;
        for (int offset = 1; offset < 32; offset *= 2) {
            const int lower = __shfl_up_sync(0xffffffffu, through, offset);
            if (lane >= offset) through += lower;
        }
        const unsigned reached = __ballot_sync(0xffffffffu, before + through > from);
        if (reached) {
            const int owner = __ffs(reached) - 1, s = base + owner;
            const int tiles_each = __shfl_sync(0xffffffffu, tiles, owner) / kv_heads;
            const int start = before + __shfl_sync(0xffffffffu, through - tiles, owner);
            const int kv_head = (from - start) / tiles_each;
            const int first = start + kv_head * tiles_each, end = first + tiles_each;
            const int keys = args.batch.seq_lens_kv[s], window = args.attention.window;
            const int begin = window > 0 ? max(0, keys - window) : 0;
            return {s, kv_head, begin, keys, first, end, from, min(to, end)};
        }
        before += __shfl_sync(0xffffffffu, through, 31);
    }
}

// What a warp carries over its keys: columns are heads, two a thread in each tile of eight.
template <int SIZE, int HEADS> struct sums {
    float values[HEADS][SIZE / 16][4];
    float highest[HEADS][2], total[HEADS][2];
};

template <typename cache_t, int SIZE, int HEADS>
static __device__ void load_query(unsigned (&q)[HEADS][SIZE / 16][2], const decode_args &args,
                                  const unit &unit, int group) {
    const int lane = threadIdx.x % 32, size = args.cache.head_size;
    const size_t token = args.batch.cu_seqlens_q[unit.sequence];
#pragma unroll
    for (int n = 0; n < HEADS; n++) {
        const int head = 8 * n + lane / 4;
        const bool some = head < group;
        const __half *from =
            (const __half *)args.attention.q +
            (token * args.attention.num_heads + unit.kv_head * group + (some ? head : 0)) * size;
#pragma unroll
        for (int k = 0; k < SIZE / 16; k++)
#pragma unroll
            for (int side = 0; side < 2; side++) {
                const int at = 16 * k + 8 * side + 2 * (lane % 4);
                q[n][k][side] = some && at < size ? query_pair(from + at, cache_t()) : 0;
            }
    }
}

// Starts copying STEP keys from `first` on; lanes 0 ... STEP - 1 hold the keys' rows.
template <typename cache_t, int SIZE>
static __device__ inline void copy_step(const decode_args &args, unsigned to, unsigned row,
                                        int keys) {
    typedef layout<SIZE> shape;
    const int lane = threadIdx.x % 32, size = args.cache.head_size;
    const size_t v_plane = (size_t)args.cache.num_kv_heads * args.cache.block_size * size;
#pragma unroll
    for (int i = 0; i < shape::rounds; i++) {
        const int index = lane + 32 * i, key = index / shape::chunks, chunk = index % shape::chunks;
        const size_t at = (size_t)__shfl_sync(0xffffffffu, row, key) * size + chunk * 8;
        const bool some = key < keys && chunk * 8 < size;
        const cache_t *from = (const cache_t *)args.cache.data + (some ? at : 0);
        const unsigned put = to + key * shape::row + chunk * 16;
        copy16(put, from, some);
        copy16(put + shape::plane, from + (some ? v_plane : 0), some);
    }
}

// One step of online softmax (arXiv 1805.02867) over STEP keys, `keys` of them real.
template <typename cache_t, int SIZE, int HEADS>
static __device__ inline void take_step(sums<SIZE, HEADS> &sums,
                                        const unsigned (&q)[HEADS][SIZE / 16][2], unsigned stage,
                                        int keys, const scoring &scoring) {
    typedef layout<SIZE> shape;
    const int lane = threadIdx.x % 32;
    const unsigned k_from = stage + (lane % 16) * shape::row + (lane / 16) * 16;
    const unsigned v_from =
        stage + shape::plane + (lane % 8 + lane / 16 * 8) * shape::row + (lane / 8 % 2) * 16;
    float scores[HEADS][2][4] = {}; // two chains, added below
#pragma unroll
    for (int k = 0; k < SIZE / 16; k++) {
        unsigned a[4];
        load_matrices(a, k_from + k * 32);
#pragma unroll
        for (int n = 0; n < HEADS; n++)
            multiply(scores[n][k % 2], a, q[n][k][0], q[n][k][1], cache_t());
    }
    unsigned p[HEADS][2];
#pragma unroll
    for (int n = 0; n < HEADS; n++) {
        float score[4], old[2];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            score[i] = scores[n][0][i] + scores[n][1][i];
            if (scoring.inner > 0) score[i] = cap_score(score[i], scoring.inner);
            score[i] = lane / 4 + i / 2 * 8 < keys ? score[i] * scoring.scale : -INFINITY;
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float top = fmaxf(sums.highest[n][i], fmaxf(score[i], score[i + 2]));
            for (int offset = 4; offset < 32; offset *= 2)
                top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
            old[i] = power_of_two(sums.highest[n][i] - top);
            sums.highest[n][i] = top;
            score[i] = power_of_two(score[i] - top);
            score[i + 2] = power_of_two(score[i + 2] - top);
            sums.total[n][i] = sums.total[n][i] * old[i] + score[i] + score[i + 2];
        }
        p[n][0] = transpose(pack_pair(score[0], score[1], cache_t()));
        p[n][1] = transpose(pack_pair(score[2], score[3], cache_t()));
#pragma unroll
        for (int m = 0; m < SIZE / 16; m++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                sums.values[n][m][i] *= old[i % 2];
    }
#pragma unroll
    for (int m = 0; m < SIZE / 16; m++) {
        unsigned a[4];
        load_transposed(a, v_from + m * 32);
#pragma unroll
        for (int n = 0; n < HEADS; n++)
            multiply(sums.values[n][m], a, p[n][0], p[n][1], cache_t());
    }
}

// A warp's share of keys from ... to - 1 of a unit.
template <typename cache_t, int SIZE, int HEADS>
static __device__ void take_keys(sums<SIZE, HEADS> &sums, const decode_args &args, const unit &unit,
                                 unsigned stages, int group) {
    typedef layout<SIZE> shape;
    const int lane = threadIdx.x % 32, stride = blockDim.x / 32 * STEP;
    const int32_t *table =
        args.batch.block_table + (size_t)unit.sequence * args.batch.max_blocks_per_seq;
    const int to = min(unit.keys, unit.begin + (unit.to - unit.first) * TILE);
    int key = unit.begin + (unit.from - unit.first) * TILE + threadIdx.x / 32 * STEP;
    int ahead = key, stage_in = 0, stage_out = 0;
    unsigned row = 0, next = 0;
    if (lane < STEP && ahead + lane < to)
        row = flash_row(args.cache, table, args.attention.layer, unit.kv_head, ahead + lane);
    grid_wait(); // all before this comes by copies, which no kernel runs beside
    grid_launch_dependents();
    for (int i = 0; i < STAGES - 1; i++) {
        if (lane < STEP && ahead + stride + lane < to)
            next = flash_row(args.cache, table, args.attention.layer, unit.kv_head,
                             ahead + stride + lane);
        if (ahead < to)
            copy_step<cache_t, SIZE>(args, stages + stage_in * 2 * shape::plane, row, to - ahead);
        copy_commit();
        ahead += stride;
        stage_in++;
        row = next;
    }
    unsigned q[HEADS][SIZE / 16][2];
    load_query<cache_t, SIZE, HEADS>(q, args, unit, group);
    const scoring scoring = scoring_of(args.attention);
    for (; key < to; key += stride) {
        copy_wait<STAGES - 2>();
        __syncwarp(); // all lanes' copies are there, and all are done with the stage before
        if (lane < STEP && ahead + stride + lane < to)
            next = flash_row(args.cache, table, args.attention.layer, unit.kv_head,
                             ahead + stride + lane);
        if (ahead < to)
            copy_step<cache_t, SIZE>(args, stages + stage_in * 2 * shape::plane, row, to - ahead);
        copy_commit();
        ahead += stride;
        stage_in = stage_in == STAGES - 1 ? 0 : stage_in + 1;
        row = next;
        take_step<cache_t, SIZE, HEADS>(sums, q, stages + stage_out * 2 * shape::plane, to - key,
                                        scoring);
        stage_out = stage_out == STAGES - 1 ? 0 : stage_out + 1;
    }
    copy_wait<0>();
    __syncwarp(); // the stages are free for the values
}

// Each warp's sums to shared memory: values [heads][SIZE] at its stages, then maximum and sum.
template <int SIZE, int HEADS>
static __device__ void leave_sums(const sums<SIZE, HEADS> &sums, float *values,
                                  float (*extremes)[2]) {
    const int lane = threadIdx.x % 32;
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
                values[head * SIZE + 16 * m + lane / 4] = sums.values[n][m][i];
                values[head * SIZE + 16 * m + 8 + lane / 4] = sums.values[n][m][i + 2];
            }
        }
}

// Adds up `count` parts of one element, each worth weights[i]; `stride` floats apart.
static __device__ inline float4 weigh(const float *parts, size_t stride, const float *weights,
                                      int weight_stride, int count) {
    float4 sum = {};
#pragma unroll 8
    for (int i = 0; i < count; i++) {
        const float4 part = __ldcg((const float4 *)(parts + i * stride));
        const float weight = weights[i * weight_stride];
        sum.x = fmaf(part.x, weight, sum.x);
        sum.y = fmaf(part.y, weight, sum.y);
        sum.z = fmaf(part.z, weight, sum.z);
        sum.w = fmaf(part.w, weight, sum.w);
    }
    return sum;
}

static __device__ inline void store4(__half *to, float4 value) {
    *(__half2 *)to = halves(value.x, value.y);
    *(__half2 *)(to + 2) = halves(value.z, value.w);
}

// The last block to end a part of a unit puts the parts together.
template <int SIZE>
static __device__ void merge_parts(const decode_args &args, const unit &unit, int share,
                                   float *weights, int group) {
    const size_t part = part_floats<SIZE>(group);
    const int lane = threadIdx.x % 32, warps = blockDim.x / 32, size = args.cache.head_size;
    const int first = unit.first / share, count = (unit.end - 1) / share - first + 1;
    // A block's first part is its even one; a unit that begins inside the block is its odd one.
    const int odd = first * share < unit.first;
    const float *parts = args.parts + 2 * (size_t)first * part;
    for (int head = threadIdx.x / 32; head < group; head += warps) {
        float top = -INFINITY, total = 0;
        for (int i = lane; i < count; i += 32)
            top =
                fmaxf(top, __ldcg(parts + (2 * i + (i == 0 && odd)) * part + group * SIZE + head));
        top = warp_max(top);
        for (int i = lane; i < count; i += 32) {
            const float *from = parts + (2 * i + (i == 0 && odd)) * part + group * SIZE + head;
            const float weight = power_of_two(__ldcg(from) - top);
            weights[i * group + head] = weight;
            total += weight * __ldcg(from + group);
        }
        total = warp_sum(total) + sink_weight(args.attention, unit.kv_head * group + head, top);
        __syncwarp(); // the weights are written
        for (int i = lane; i < count; i += 32)
            weights[i * group + head] /= total;
    }
    __syncthreads(); // all weights are known
    const size_t token = args.batch.cu_seqlens_q[unit.sequence];
    __half *out = (__half *)args.attention.out +
                  (token * args.attention.num_heads + unit.kv_head * group) * size;
    for (int i = threadIdx.x; i < group * (SIZE / 4); i += blockDim.x) {
        const int head = i / (SIZE / 4), at = i % (SIZE / 4) * 4;
        if (at >= size) continue;
        const float *from = parts + head * SIZE + at;
        float4 sum = weigh(from + odd * part, 0, weights + head, 0, 1);
        const float4 rest =
            weigh(from + 2 * part, 2 * part, weights + group + head, group, count - 1);
        sum.x += rest.x;
        sum.y += rest.y;
        sum.z += rest.z;
        sum.w += rest.w;
        store4(out + head * size + at, sum);
    }
}

// Puts the warps' sums together: the result, or the part of it that has this index.
template <int SIZE, int HEADS>
static __device__ void join_warps(const decode_args &args, const unit &unit, const char *memory,
                                  float (*extremes)[8 * HEADS][2], int index, int group) {
    const int warps = blockDim.x / 32, size = args.cache.head_size;
    const bool whole = unit.from == unit.first && unit.to == unit.end;
    const size_t token = args.batch.cu_seqlens_q[unit.sequence];
    __half *out = (__half *)args.attention.out +
                  (token * args.attention.num_heads + unit.kv_head * group) * size;
    float *part = args.parts + (size_t)index * part_floats<SIZE>(group);
    for (int i = threadIdx.x; i < group * (SIZE / 4); i += blockDim.x) {
        const int head = i / (SIZE / 4), at = i % (SIZE / 4) * 4;
        float top = -INFINITY, total = 0;
        for (int w = 0; w < warps; w++)
            top = fmaxf(top, extremes[w][head][0]);
        float4 sum = {};
        for (int w = 0; w < warps; w++) {
            const float weight = power_of_two(extremes[w][head][0] - top);
            const float4 value = *(const float4 *)(memory + w * layout<SIZE>::warp +
                                                   (head * SIZE + at) * sizeof(float));
            total += weight * extremes[w][head][1];
            sum.x = fmaf(weight, value.x, sum.x);
            sum.y = fmaf(weight, value.y, sum.y);
            sum.z = fmaf(weight, value.z, sum.z);
            sum.w = fmaf(weight, value.w, sum.w);
        }
        if (!whole) {
            __stcg((float4 *)(part + head * SIZE + at), sum);
            if (at == 0) {
                __stcg(part + group * SIZE + head, top);
                __stcg(part + group * SIZE + group + head, total);
            }
        } else if (at < size) {
            total += sink_weight(args.attention, unit.kv_head * group + head, top);
            store4(out + head * size + at,
                   make_float4(sum.x / total, sum.y / total, sum.z / total, sum.w / total));
        }
    }
}

// Was this the last part of the unit? The same answer to every thread.
static __device__ bool arrive(const decode_args &args, const unit &unit, int share) {
    __shared__ bool last;
    __threadfence(); // this thread's share of the part is seen before the count
    __syncthreads();
    if (threadIdx.x == 0) {
        const int others = (unit.end - 1) / share - unit.first / share;
        unsigned *arrived = args.arrived + unit.sequence * args.cache.num_kv_heads + unit.kv_head;
        last = atomicInc(arrived, others) == (unsigned)others; // back to 0 with the last
        __threadfence(); // the others' parts are read after the count
    }
    __syncthreads();
    return last;
}

template <typename cache_t, int SIZE, int HEADS>
static __global__ __launch_bounds__(WARPS * 32,
                                    FLASH_BLOCKS) void decode_kernel(const decode_args args) {
    extern __shared__ __align__(16) char memory[];  // [warps][STAGES][K, V][STEP][row]
    __shared__ float extremes[WARPS][8 * HEADS][2]; // maximum and sum of each warp and head
    const int warp = threadIdx.x / 32, group = args.attention.num_heads / args.cache.num_kv_heads;
    const int tiles = all_tiles(args);
    const int share = (tiles + gridDim.x - 1) / gridDim.x;
    char *own = memory + warp * layout<SIZE>::warp;
    const int begin = blockIdx.x * share, end = min(tiles, begin + share);
    // One block waits even with nothing to do, or this kernel would end before the last has, and
    // the next one, which waits for this alone, would begin too early.
    if (tiles == 0 && blockIdx.x == 0) grid_wait();
    for (int from = begin; from < end;) {
        const unit unit = find_unit(args, from, end);
        sums<SIZE, HEADS> sums = {};
        for (int n = 0; n < HEADS; n++)
            sums.highest[n][0] = sums.highest[n][1] = -INFINITY;
        take_keys<cache_t, SIZE, HEADS>(sums, args, unit, shared_address(own), group);
        leave_sums<SIZE, HEADS>(sums, (float *)own, extremes[warp]);
        __syncthreads(); // all warps' sums are there
        const int index = 2 * blockIdx.x + (from > begin);
        join_warps<SIZE, HEADS>(args, unit, memory, extremes, index, group);
        if (unit.from != unit.first || unit.to != unit.end)
            if (arrive(args, unit, share))
                merge_parts<SIZE>(args, unit, share, (float *)memory, group);
        __syncthreads(); // the next unit takes the memory
        from = unit.to;
    }
}

struct decode_launch {
    struct device *device;
    const struct paged_attention *args;
    template <typename cache_t, int SIZE> void run() const {
        if (args->num_heads / args->cache->num_kv_heads <= 8)
            start<cache_t, SIZE, 1>();
        else
            start<cache_t, SIZE, 2>();
    }
    template <typename cache_t, int SIZE, int HEADS> void start() const {
        const struct cudaDeviceProp *card = &device->properties;
        const int room = (int)card->sharedMemPerBlockOptin - (int)sizeof(float[WARPS][16][2]);
        const int warps = min(WARPS, room / layout<SIZE>::warp);
        const int shared = warps * layout<SIZE>::warp;
        const int fitting = (int)card->sharedMemPerMultiprocessor / (shared + 2048);
        const int blocks = card->multiProcessorCount * max(1, min(FLASH_BLOCKS, fitting));
        const decode_args all = {*args, *args->cache, *args->batch, device->flash_parts,
                                 device->flash_arrived};
        ASSERT(args->batch->num_seqs <= device->limits.max_seqs);
        device_note(device,
                    cudaFuncSetAttribute(decode_kernel<cache_t, SIZE, HEADS>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
        launch_after(device, decode_kernel<cache_t, SIZE, HEADS>, blocks, warps * 32, shared, all);
    }
};

void flash_decode(struct device *device, const struct paged_attention *args) {
    flash_choose(args->cache, decode_launch{device, args});
}
