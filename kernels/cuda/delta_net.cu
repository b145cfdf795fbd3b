// kernels/cuda/delta_net.cu — a gated delta net: the convolution, the heads' states, the gate.
//
//   qkv    [num_tokens, channels]           fp16, in; convolved in place, then o where v was
//   z      [num_tokens, value_heads, size]  fp16, in and out
//   state  of a sequence's block, fp32: [width - 1, channels], then [value_heads, size, size]
//
//   conv   a channel of a sequence a thread, from its first new token to its last
//          grid  (channels / THREADS, sequences)
//   heads  8 columns of a head's state a warp, in registers: lane l has column l % 8 and a quarter
//          of the rows
//          grid  (value_heads * size / 8 / WARPS, sequences);  block  WARPS x 32
//   gate   z of a token's head a warp
//          grid  (num_tokens * value_heads / WARPS)
//
// A column of the state depends on its own element of v alone, so that a warp goes through all
// tokens without waiting for another; only the norm of o wants all columns. Tokens come one after
// the other, whatever the chunks: the state has the same bits. Arithmetic is fp32. One token is
// bound by reading and writing the state, many by the latency of a token.
#include "kernels/cuda/device.cuh"

enum { LANES = 32, WARPS = 4, THREADS = WARPS * LANES, COLUMNS = 8, QUARTERS = LANES / COLUMNS };
static_assert((int)DELTA_SIZE_MAX <= 64 * QUARTERS, "the largest head has an instance");

struct delta_cache {
    char *layer; // of block 0
    size_t block_bytes;
    int block_size;
};

struct stretch { // a sequence's new tokens, and its state before and after them
    int begin, end;
    const float *before; // NULL: zeros
    float *after;
};

static __device__ inline stretch stretch_of(const batch &batch, const delta_cache &cache, int s) {
    const int begin = batch.cu_seqlens_q[s], end = batch.cu_seqlens_q[s + 1];
    const int length = batch.seq_lens_kv[s], past = length - (end - begin);
    const int32_t *table = batch.block_table + (size_t)s * batch.max_blocks_per_seq;
    const auto state = [&](int tokens) {
        return (float *)(cache.layer +
                         (size_t)table[(tokens - 1) / cache.block_size] * cache.block_bytes);
    };
    return {begin, end, past > 0 ? state(past) : nullptr, state(length)};
}

static __device__ inline int channels_of(const delta_net &args) {
    return (2 * args.key_heads + args.value_heads) * args.size;
}

static __device__ inline float sigmoid(float x) { return 1 / (1 + __expf(-x)); }

static __global__ __launch_bounds__(THREADS) void conv_kernel(const delta_net args,
                                                              const batch batch,
                                                              const delta_cache cache) {
    enum { AHEAD = 8 };
    const int c = blockIdx.x * THREADS + threadIdx.x, channels = channels_of(args);
    const int kept = args.width - 1;
    const stretch stretch = stretch_of(batch, cache, blockIdx.y);
    if (c >= channels || stretch.begin == stretch.end) return;
    __half *rows = (__half *)args.qkv + c;
    float weights[SHORT_CONV_MAX], past[SHORT_CONV_MAX] = {}; // past: the newest is number `kept`
#pragma unroll
    for (int j = 0; j < SHORT_CONV_MAX; j++) {
        weights[j] = j < args.width ? args.conv[(size_t)j * channels + c] : 0;
        if (j < kept && stretch.before) past[j] = stretch.before[(size_t)j * channels + c];
    }
    for (int first = stretch.begin; first < stretch.end; first += AHEAD) {
        float next[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (first + i < stretch.end)
                next[i] = __half2float(rows[(size_t)(first + i) * channels]);
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (first + i >= stretch.end) break;
            float sum = 0;
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
    int head, key, row, column; // the lane's first row
    bool valid;                 // has a column
};

template <int ROWS>
static __device__ inline void load_token(const delta_net &args, const lane_place &lane, int token,
                                         token_input<ROWS> &input) {
    const int size = args.size;
    const __half *row = (const __half *)args.qkv + (size_t)token * channels_of(args);
    const __half *q = row + lane.key * size, *k = q + args.key_heads * size;
    const size_t at = (size_t)token * args.value_heads + lane.head;
#pragma unroll
    for (int i = 0; i < ROWS / 8; i++) {
        const int from = lane.row + 8 * i;
        input.q[i] = from < size ? *(const uint4 *)(q + from) : make_uint4(0, 0, 0, 0);
        input.k[i] = from < size ? *(const uint4 *)(k + from) : make_uint4(0, 0, 0, 0);
    }
    input.v = lane.valid ? row[(2 * args.key_heads + lane.head) * size + lane.column] : __half(0);
    input.alpha = ((const __half *)args.alpha)[at];
    input.beta = ((const __half *)args.beta)[at];
}

static __device__ inline float element(const uint4 *of, int i) {
    return __half2float(((const __half *)of)[i]);
}

// The sum over the lanes of a column.
static __device__ inline float column_sum(float value) {
    value += __shfl_xor_sync(0xffffffffu, value, COLUMNS);
    return value + __shfl_xor_sync(0xffffffffu, value, 2 * COLUMNS);
}

// S = decay S + k delta^T; returns o of the lane's column.
template <int ROWS>
static __device__ inline float update(const delta_net &args, const lane_place &lane,
                                      const token_input<ROWS> &input, float (&state)[ROWS]) {
    float q_squares = 0, k_squares = 0, known = 0, o = 0;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const float q = element(input.q, i), k = element(input.k, i);
        q_squares += q * q, k_squares += k * k, known += state[i] * k;
    }
    const float q_scale = rsqrtf((column_sum(q_squares) + args.eps) * args.size);
    const float k_scale = rsqrtf(column_sum(k_squares) + args.eps);
    const float raw = __half2float(input.alpha) + args.bias[lane.head];
    const float decay = expf(args.decay[lane.head] * (raw > 20 ? raw : log1pf(expf(raw))));
    const float rest = __half2float(input.v) - decay * k_scale * column_sum(known);
    const float delta = sigmoid(__half2float(input.beta)) * k_scale * rest;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        state[i] = decay * state[i] + delta * element(input.k, i);
        o += state[i] * element(input.q, i);
    }
    return q_scale * column_sum(o);
}

template <int ROWS>
static __global__ __launch_bounds__(THREADS) void heads_kernel(const delta_net args,
                                                               const batch batch,
                                                               const delta_cache cache) {
    const int size = args.size, strips = (size + COLUMNS - 1) / COLUMNS;
    const int warp = blockIdx.x * WARPS + threadIdx.x / LANES, in_warp = threadIdx.x % LANES;
    const stretch stretch = stretch_of(batch, cache, blockIdx.y);
    lane_place lane = {warp / strips, 0, in_warp / COLUMNS * ROWS,
                       warp % strips * COLUMNS + in_warp % COLUMNS, false};
    if (lane.head >= args.value_heads || stretch.begin == stretch.end) return;
    lane.key =
        args.tiled ? lane.head % args.key_heads : lane.head / (args.value_heads / args.key_heads);
    lane.valid = lane.column < size;
    const size_t at = (size_t)(args.width - 1) * channels_of(args) +
                      ((size_t)lane.head * size + lane.row) * size + lane.column;
    float state[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        state[i] = stretch.before && lane.valid && lane.row + i < size
                       ? stretch.before[at + (size_t)i * size]
                       : 0;
    token_input<ROWS> next;
    load_token(args, lane, stretch.begin, next);
    for (int t = stretch.begin; t < stretch.end; t++) {
        const token_input<ROWS> now = next;
        if (t + 1 < stretch.end) load_token(args, lane, t + 1, next);
        const float o = update(args, lane, now, state);
        if (lane.valid && lane.row == 0)
            ((__half *)args.qkv)[(size_t)t * channels_of(args) +
                                 (2 * args.key_heads + lane.head) * size + lane.column] =
                __float2half(o);
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        if (lane.valid && lane.row + i < size) stretch.after[at + (size_t)i * size] = state[i];
}

static __global__ __launch_bounds__(THREADS) void gate_kernel(const delta_net args, int count) {
    const int index = blockIdx.x * WARPS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int token = index / args.value_heads, head = index % args.value_heads, size = args.size;
    if (index >= count) return;
    const __half *o = (const __half *)args.qkv + (size_t)token * channels_of(args) +
                      (2 * args.key_heads + head) * size;
    __half *z = (__half *)args.z + (size_t)index * size;
    float squares = 0;
    for (int i = lane; i < size; i += LANES)
        squares += __half2float(o[i]) * __half2float(o[i]);
    const float scale = rsqrtf(warp_sum(squares) / size + args.eps);
    for (int i = lane; i < size; i += LANES) {
        const float gate = __half2float(z[i]);
        z[i] = __float2half(gate * sigmoid(gate) * args.norm[i] * __half2float(o[i]) * scale);
    }
}

extern "C" void cuda_delta_net(struct device *device, const struct delta_net *args) {
    const struct kv_cache *kv = args->cache;
    const struct batch *batch = args->batch;
    ASSERT(delta_net_fits(args) && args->size % 8 == 0); // 16 bytes of a head at once
    const delta_cache cache = {(char *)kv->data + (size_t)args->layer * kv->state_bytes,
                               kv_block_bytes(kv), kv->block_size};
    const unsigned seqs = (unsigned)batch->num_seqs, strips = args->size / COLUMNS;
    const size_t heads = (size_t)args->value_heads, count = (size_t)batch->num_tokens * heads;
    const auto heads_of = args->size <= 8 * QUARTERS    ? heads_kernel<8>
                          : args->size <= 32 * QUARTERS ? heads_kernel<32>
                                                        : heads_kernel<64>;
    const dim3 channels(ceil_divide((size_t)delta_channels(args), THREADS), seqs);
    conv_kernel<<<channels, THREADS, 0, device->stream>>>(*args, *batch, cache);
    const dim3 columns(ceil_divide(heads * strips, WARPS), seqs);
    heads_of<<<columns, THREADS, 0, device->stream>>>(*args, *batch, cache);
    gate_kernel<<<ceil_divide(count, WARPS), THREADS, 0, device->stream>>>(*args, (int)count);
    device_note(device, cudaGetLastError());
}
