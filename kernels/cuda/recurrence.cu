// kernels/cuda/recurrence.cu — a recurrent layer: the convolution, the heads' states, the gate.
//
//   qkv    [num_tokens, channels]                 fp16, in; convolved in place, then o where v was
//   z      [num_tokens, value_heads, value_size]  fp16, in and out
//   state  of a sequence's block, fp32: [width - 1, channels], then [value_heads, key_size,
//          value_size]
//
//   conv   a channel of a sequence a thread, from its first new token to its last
//          grid  (channels / THREADS, sequences)
//   heads  8 columns of a head's state a warp, in registers: lane l has column l % 8 and a quarter
//          of the rows
//          grid  (value_heads * value_size / 8 / WARPS, sequences);  block  WARPS x 32
//   gate   of a delta net: z of a token's head a warp
//          grid  (num_tokens * value_heads / WARPS)
//   norm   of SSD: the gate, and z of a key head's value heads a thread block
//          grid  (key_heads, num_tokens)
//
// A column of the state depends on its own element of v alone, so that a warp goes through all
// tokens without waiting for another; only a norm wants all columns. Tokens come one after
// the other, whatever the chunks: the state has the same bits. Arithmetic is fp32. One token is
// bound by reading and writing the state, many by the latency of a token. States are of earlier
// steps, so they are read before grid_wait().
#include "kernels/cuda/device.cuh"

enum { LANES = 32, WARPS = 4, THREADS = WARPS * LANES, COLUMNS = 8, QUARTERS = LANES / COLUMNS };
static_assert((int)RECURRENCE_SIZE_MAX <= 64 * QUARTERS, "the largest head has an instance");

struct state_cache {
    char *layer; // of block 0
    size_t block_bytes;
    int block_size;
};

struct stretch { // a sequence's new tokens, and its state before and after them
    int begin, end;
    const float *before; // NULL: zeros
    float *after;
};

static __device__ inline stretch stretch_of(const batch &batch, const state_cache &cache, int s) {
    const int begin = batch.cu_seqlens_q[s], end = batch.cu_seqlens_q[s + 1];
    const int length = batch.seq_lens_kv[s], past = length - (end - begin);
    const int32_t *table = batch.block_table + (size_t)s * batch.max_blocks_per_seq;
    const auto state = [&](int tokens) {
        return (float *)(cache.layer +
                         (size_t)table[(tokens - 1) / cache.block_size] * cache.block_bytes);
    };
    return {begin, end, past > 0 ? state(past) : nullptr, state(length)};
}

static __device__ inline int channels_of(const recurrence &args) {
    return 2 * args.key_heads * args.key_size + args.value_heads * args.value_size;
}

static __device__ inline float sigmoid(float x) { return 1 / (1 + __expf(-x)); }

static __global__ __launch_bounds__(THREADS) void conv_kernel(const recurrence args,
                                                              const batch batch,
                                                              const state_cache cache) {
    enum { AHEAD = 8 };
    const int c = blockIdx.x * THREADS + threadIdx.x, channels = channels_of(args);
    const int kept = args.width - 1;
    const stretch stretch = stretch_of(batch, cache, blockIdx.y);
    grid_launch_dependents();
    if (c >= channels || stretch.begin == stretch.end) return;
    __half *rows = (__half *)args.qkv + c;
    const float bias =
        args.rule == RECURRENCE_SSD ? args.conv[(size_t)args.width * channels + c] : 0;
    float weights[SHORT_CONV_MAX], past[SHORT_CONV_MAX] = {}; // past: the newest is number `kept`
#pragma unroll
    for (int j = 0; j < SHORT_CONV_MAX; j++) {
        weights[j] = j < args.width ? args.conv[(size_t)j * channels + c] : 0;
        if (j < kept && stretch.before) past[j] = stretch.before[(size_t)j * channels + c];
    }
    grid_wait();
    for (int first = stretch.begin; first < stretch.end; first += AHEAD) {
        float next[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (first + i < stretch.end)
                next[i] = __half2float(rows[(size_t)(first + i) * channels]);
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (first + i >= stretch.end) break;
            float sum = bias;
#pragma unroll
            for (int j = 0; j < SHORT_CONV_MAX; j++) {
                if (j == kept) past[j] = next[i];
                if (j <= kept) sum += weights[j] * past[j];
            }
#pragma unroll
            for (int j = 0; j + 1 < SHORT_CONV_MAX; j++)
                if (j < kept) past[j] = past[j + 1];
            rows[(size_t)(first + i) * channels] = __float2half(sum * sigmoid(sum));
        }
    }
#pragma unroll
    for (int j = 0; j < SHORT_CONV_MAX; j++)
        if (j < kept) stretch.after[(size_t)j * channels + c] = past[j];
}

// What a lane needs of a token: its rows of q and k, and its head's v, alpha and beta.
template <int ROWS> struct token_input {
    uint4 q[ROWS / 8], k[ROWS / 8];
    __half v, alpha, beta;
};

struct lane_place {
    int head, row, column; // the lane's first row
    int q, k, v;           // where they are in a token's row: those of its head and its column
    bool valid;            // has a column
};

template <int ROWS>
static __device__ inline void load_token(const recurrence &args, const lane_place &lane, int token,
                                         token_input<ROWS> &input) {
    const __half *row = (const __half *)args.qkv + (size_t)token * channels_of(args);
    const size_t at = (size_t)token * args.value_heads + lane.head;
#pragma unroll
    for (int i = 0; i < ROWS / 8; i++) {
        const int from = lane.row + 8 * i;
        const bool inside = from < args.key_size;
        input.q[i] = inside ? *(const uint4 *)(row + lane.q + from) : make_uint4(0, 0, 0, 0);
        input.k[i] = inside ? *(const uint4 *)(row + lane.k + from) : make_uint4(0, 0, 0, 0);
    }
    input.v = lane.valid ? row[lane.v] : __half(0);
    input.alpha = ((const __half *)args.alpha)[at];
    input.beta = args.rule == RECURRENCE_DELTA ? ((const __half *)args.beta)[at] : __half(0);
}

static __device__ inline float element(const uint4 *of, int i) {
    return __half2float(((const __half *)of)[i]);
}

// The sum over the lanes of a column.
static __device__ inline float column_sum(float value) {
    value += __shfl_xor_sync(0xffffffffu, value, COLUMNS);
    return value + __shfl_xor_sync(0xffffffffu, value, 2 * COLUMNS);
}

// S = decay S + k change^T; returns o of the lane's column.
template <int ROWS, recurrence_rule RULE>
static __device__ inline float update(const recurrence &args, const lane_place &lane,
                                      const token_input<ROWS> &input, float (&state)[ROWS]) {
    const float raw = __half2float(input.alpha) + args.bias[lane.head];
    const float step = raw > 20 ? raw : log1pf(expf(raw));
    const float decay = expf(args.decay[lane.head] * step), v = __half2float(input.v);
    float q_scale = 1, change = step * v, o = 0;
    if (RULE == RECURRENCE_DELTA) {
        float q_squares = 0, k_squares = 0, known = 0;
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            const float q = element(input.q, i), k = element(input.k, i);
            q_squares += q * q, k_squares += k * k, known += state[i] * k;
        }
        q_scale = rsqrtf((column_sum(q_squares) + args.eps) * args.key_size);
        const float k_scale = rsqrtf(column_sum(k_squares) + args.eps);
        const float rest = v - decay * k_scale * column_sum(known);
        change = sigmoid(__half2float(input.beta)) * k_scale * rest;
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        state[i] = decay * state[i] + change * element(input.k, i);
        o += state[i] * element(input.q, i);
    }
    o = q_scale * column_sum(o);
    return RULE == RECURRENCE_SSD ? o + args.skip[lane.head] * v : o;
}

template <int ROWS, recurrence_rule RULE>
static __global__
__launch_bounds__(THREADS) void heads_kernel(const recurrence args, const recurrence_parts parts,
                                             const batch batch, const state_cache cache) {
    const int rows = args.key_size, columns = args.value_size;
    const int strips = (columns + COLUMNS - 1) / COLUMNS, in_warp = threadIdx.x % LANES;
    const int warp = blockIdx.x * WARPS + threadIdx.x / LANES, head = warp / strips;
    const stretch stretch = stretch_of(batch, cache, blockIdx.y);
    grid_launch_dependents();
    if (head >= args.value_heads || stretch.begin == stretch.end) return;
    const int key = args.tiled ? head % args.key_heads : head / (args.value_heads / args.key_heads);
    const int column = warp % strips * COLUMNS + in_warp % COLUMNS;
    const lane_place lane = {head,
                             in_warp / COLUMNS * ROWS,
                             column,
                             parts.q + key * rows,
                             parts.k + key * rows,
                             parts.v + head * columns + column,
                             column < columns};
    const size_t at = (size_t)(args.width - 1) * channels_of(args) +
                      ((size_t)head * rows + lane.row) * columns + column;
    float state[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        state[i] = stretch.before && lane.valid && lane.row + i < rows
                       ? stretch.before[at + (size_t)i * columns]
                       : 0;
    token_input<ROWS> next;
    grid_wait();
    load_token(args, lane, stretch.begin, next);
    for (int t = stretch.begin; t < stretch.end; t++) {
        const token_input<ROWS> now = next;
        if (t + 1 < stretch.end) load_token(args, lane, t + 1, next);
        const float o = update<ROWS, RULE>(args, lane, now, state);
        if (lane.valid && lane.row == 0)
            ((__half *)args.qkv)[(size_t)t * channels_of(args) + lane.v] = __float2half(o);
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        if (lane.valid && lane.row + i < rows) stretch.after[at + (size_t)i * columns] = state[i];
}

static __device__ inline float gated(__half z, __half o) {
    const float gate = __half2float(z);
    return gate * sigmoid(gate) * __half2float(o);
}

static __global__ __launch_bounds__(THREADS) void gate_kernel(const recurrence args, int first,
                                                              int count) {
    const int index = blockIdx.x * WARPS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int token = index / args.value_heads, head = index % args.value_heads;
    const int size = args.value_size;
    grid_launch_dependents();
    grid_wait();
    if (index >= count) return;
    const __half *o =
        (const __half *)args.qkv + (size_t)token * channels_of(args) + first + head * size;
    __half *z = (__half *)args.z + (size_t)index * size;
    float squares = 0;
    for (int i = lane; i < size; i += LANES)
        squares += __half2float(o[i]) * __half2float(o[i]);
    const float scale = rsqrtf(warp_sum(squares) / size + args.eps);
    for (int i = lane; i < size; i += LANES)
        z[i] = __float2half(gated(z[i], o[i]) * args.norm[i] * scale);
}

static __global__ __launch_bounds__(THREADS) void norm_kernel(const recurrence args) {
    const int values = args.value_heads * args.value_size, size = values / args.key_heads;
    const int first = blockIdx.x * size, token = blockIdx.y;
    const __half *o = (const __half *)args.qkv + (size_t)token * channels_of(args) + first;
    __half *z = (__half *)args.z + (size_t)token * values + first;
    float squares = 0;
    grid_launch_dependents();
    grid_wait();
    for (int i = threadIdx.x; i < size && args.norm; i += THREADS)
        squares += gated(z[i], o[i]) * gated(z[i], o[i]);
    const float scale = args.norm ? rsqrtf(block_sum<THREADS>(squares) / size + args.eps) : 1;
    for (int i = threadIdx.x; i < size; i += THREADS)
        z[i] = __float2half(gated(z[i], o[i]) * scale * (args.norm ? args.norm[first + i] : 1));
}

template <recurrence_rule RULE>
static void run_heads(struct device *device, const struct recurrence *args,
                      const state_cache &cache) {
    const auto heads_of = args->key_size <= 8 * QUARTERS    ? heads_kernel<8, RULE>
                          : args->key_size <= 32 * QUARTERS ? heads_kernel<32, RULE>
                                                            : heads_kernel<64, RULE>;
    const size_t strips = ceil_divide((size_t)args->value_size, COLUMNS);
    const dim3 grid(ceil_divide((size_t)args->value_heads * strips, WARPS),
                    (unsigned)args->batch->num_seqs);
    launch_after(device, heads_of, grid, dim3(THREADS), 0, *args, recurrence_parts_of(args),
                 *args->batch, cache);
}

extern "C" void cuda_recurrence(struct device *device, const struct recurrence *args) {
    const struct kv_cache *kv = args->cache;
    const struct batch *batch = args->batch;
    const int values = args->value_heads * args->value_size;
    ASSERT(recurrence_fits(args) && args->key_size % 8 == 0 && values % 8 == 0); // 16 bytes at once
    const state_cache cache = {(char *)kv->data + (size_t)args->layer * kv->state_bytes,
                               kv_block_bytes(kv), kv->block_size};
    const dim3 channels(ceil_divide((size_t)recurrence_channels(args), THREADS),
                        (unsigned)batch->num_seqs);
    launch_after(device, conv_kernel, channels, dim3(THREADS), 0, *args, *batch, cache);
    if (args->rule == RECURRENCE_DELTA) {
        const int count = batch->num_tokens * args->value_heads;
        run_heads<RECURRENCE_DELTA>(device, args, cache);
        launch_after(device, gate_kernel, dim3(ceil_divide((size_t)count, WARPS)), dim3(THREADS), 0,
                     *args, recurrence_parts_of(args).v, count);
    } else {
        const dim3 groups((unsigned)args->key_heads, (unsigned)batch->num_tokens);
        run_heads<RECURRENCE_SSD>(device, args, cache);
        launch_after(device, norm_kernel, groups, dim3(THREADS), 0, *args);
    }
}
