// kernels/cuda/linear.cu — which kernels compute products with matrices: linear, gated_linear and
// logits.
//
//   gemv      few tokens: weights are read once; one launch does all parts, the norm before them
//             and what follows (bias, residual, SiLU)
//   stream_k  some dozens of tokens: the same, without the norm
//   gemm      many tokens: cuBLASLt
//   plain     matrices that the first two do not accept: F32, and rows of fp16 that are not whole
//             fragments
//
// stream_k and cuBLASLt sum in an order that depends on the number of tokens; a deterministic
// device uses the others for any number.
//
//   plain  grid (ceil(rows / WARPS), tokens);  block WARPS x 32, a warp a row; fp32 sums
#include "kernels/cuda/gemm.cuh"
#include "kernels/cuda/stream_k.cuh"
#include "kernels/cuda/unpack.cuh"

enum { WARPS = 4, GEMV_LEAST_TOKENS = 4, FEW_PLAIN_TOKENS = 8, CAP_THREADS = 256 };

template <enum dtype TYPE>
static __device__ inline float4 four_weights(const void *rows, size_t at) {
    if (TYPE == DTYPE_F32) return *(const float4 *)((const float *)rows + at);
    const uint2 four = *(const uint2 *)((const __half *)rows + at);
    return make_float4(low_float(four.x), high_float(four.x), low_float(four.y),
                       high_float(four.y));
}

// sum + the products of four columns
static __device__ inline float add_four(float sum, const __half *x, float4 by) {
    const uint2 four = *(const uint2 *)x;
    sum = fmaf(low_float(four.x), by.x, sum);
    sum = fmaf(high_float(four.x), by.y, sum);
    sum = fmaf(low_float(four.y), by.z, sum);
    return fmaf(high_float(four.y), by.w, sum);
}

// Rows are short and latency is long, so several loads are in flight; the first of the weights,
// which no kernel writes, before grid_wait().
template <enum dtype TYPE>
static __global__
__launch_bounds__(WARPS *LANES) void plain_kernel(const __grid_constant__ gemv args) {
    enum { KEPT = 16, STEP = 4 * LANES };
    const gemv_part &part = args.parts[0];
    const int row = blockIdx.x * WARPS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int token = blockIdx.y, columns = row < part.rows ? args.columns : 0;
    const size_t first = (size_t)row * args.columns;
    float4 kept[KEPT];
    grid_launch_dependents();
#pragma unroll
    for (int k = 0, column = 4 * lane; k < KEPT; k++, column += STEP)
        if (column < columns) kept[k] = four_weights<TYPE>(part.data, first + column);
    grid_wait();
    if (row >= part.rows) return;
    const __half *x =
        args.x + (size_t)(args.row_index ? args.row_index[token] : token) * args.columns;
    float sum = 0;
#pragma unroll
    for (int k = 0, column = 4 * lane; k < KEPT; k++, column += STEP)
        if (column < columns) sum = add_four(sum, x + column, kept[k]);
#pragma unroll 4
    for (int column = 4 * lane + KEPT * STEP; column < columns; column += STEP)
        sum = add_four(sum, x + column, four_weights<TYPE>(part.data, first + column));
    sum = warp_sum(sum);
    if (lane) return;
    sum += part.bias ? part.bias[row] : 0.0f;
    const size_t at = (size_t)token * part.rows + row;
    if (args.store == GEMV_ADD)
        ((float *)part.y)[at] += sum;
    else if (args.store == GEMV_FLOATS)
        ((float *)part.y)[at] = sum;
    else
        from_float(sum, &((__half *)part.y)[at]);
}

static void plain(struct device *device, const struct gemv *args) {
    ASSERT(args->count == 1 && args->store != GEMV_GATED && !is_packed(args->type));
    const dim3 grid(ceil_divide((size_t)args->parts[0].rows, WARPS), (unsigned)args->tokens);
    launch_after(device,
                 args->type == DTYPE_F32 ? plain_kernel<DTYPE_F32> : plain_kernel<DTYPE_F16>, grid,
                 dim3(WARPS * LANES), 0, *args);
}

static bool few(const struct device *device, const struct weight *w, int32_t tokens) {
    ASSERT(tokens > 0);
    if (device->deterministic) return true;
    return tokens <= (gemv_fits(w) ? (int32_t)STREAM_K_TOKENS : (int32_t)FEW_PLAIN_TOKENS);
}

// Is stream_k faster? gemv brings all of x to each multiprocessor; stream_k brings a part of it,
// and joins sums. So gemv is for few elements of x: for more of them the taller the matrix is, and
// the fewer bits it has.
static bool streams(const struct device *device, const struct gemv *args) {
    ASSERT(args->count > 0 && args->count <= LINEAR_PARTS);
    const int64_t elements = (int64_t)args->tokens * args->columns;
    const size_t bits = dtype_row_bytes(args->type, 256) * 8 / 256;
    int32_t rows = 0;
    for (int i = 0; i < args->count; i++)
        rows += args->parts[i].rows;
    if (device->deterministic || args->tokens <= GEMV_LEAST_TOKENS) return false;
    if (args->tokens > GEMV_TOKENS) return true;
    if (elements <= 16 << 10) return false;
    return rows <= args->columns || elements > (bits < 6 ? 36 : bits < 9 ? 26 : 16) << 10;
}

// Computes a product whose matrices gemv_fits().
static void few_launch(struct device *device, const struct gemv *args) {
    streams(device, args) ? stream_k_launch(device, args) : gemv_launch(device, args);
}

// The input of a product: for few tokens gemv norms it, otherwise it is normed here.
static struct gemv input_of(struct device *device, const struct linear_input *in,
                            const struct weight *w, bool fused) {
    struct gemv args = {};
    args.type = kept_type(w->type);
    args.columns = w->columns;
    args.tokens = in->tokens;
    args.x = (const __half *)in->x;
    if (!in->norm) return args;
    if (fused && !device->deterministic && in->tokens <= GEMV_TOKENS &&
        gemv_norms(device, in->tokens, w->columns)) {
        args.stream = (const float *)in->x;
        args.norm = in->norm;
        args.eps = in->eps;
        return args;
    }
    struct rmsnorm norm = {};
    norm.y = in->normed;
    norm.x = in->x;
    norm.weight = in->norm;
    norm.rows = in->tokens;
    norm.dim = w->columns;
    norm.eps = in->eps;
    cuda_rmsnorm(device, &norm);
    args.x = (const __half *)in->normed;
    return args;
}

static struct gemv_part part_of(const struct projection *from) {
    struct gemv_part part = {};
    part.data = from->weight.data;
    part.y = from->y;
    part.bias = from->bias;
    part.rows = from->weight.rows;
    return part;
}

// Computes parts of one type together.
static void few_parts(struct device *device, const struct linear *args, struct gemv input) {
    static const enum gemv_store STORES[] = {GEMV_HALVES, GEMV_FLOATS, GEMV_ADD};
    input.store = STORES[args->store];
    for (int i = 0; i < args->count; i += input.count) {
        const struct weight *w = &args->parts[i].weight;
        const bool fits = gemv_fits(w);
        input.type = kept_type(w->type);
        for (input.count = 0; i + input.count < args->count; input.count++) {
            const struct projection *next = &args->parts[i + input.count];
            if (input.count > 0 && (!fits || kept_type(next->weight.type) != input.type)) break;
            input.parts[input.count] = part_of(next);
        }
        fits ? few_launch(device, &input) : plain(device, &input);
    }
}

// Computes neighbouring parts of one shape together.
static void many_parts(struct device *device, const struct linear *args, const __half *x) {
    struct gemm product = {};
    product.x = x;
    product.tokens = args->in.tokens;
    product.store = args->store;
    for (int i = 0; i < args->count; i += product.count) {
        const struct weight *w = &args->parts[i].weight;
        for (product.count = 0; product.count < GEMM_PARTS; product.count++) {
            if (i + product.count == args->count) break;
            const struct projection *part = &args->parts[i + product.count];
            if (part->weight.rows != w->rows || part->weight.columns != w->columns) break;
            product.y[product.count] = part->y;
            product.w[product.count] = part->weight;
            product.bias[product.count] = part->bias;
        }
        gemm_launch(device, &product);
    }
}

extern "C" void cuda_linear(struct device *device, const struct linear *args) {
    ASSERT(args->in.tokens > 0 && args->count > 0 && args->count <= LINEAR_PARTS);
    bool all_few = true, all_fit = true;
    for (int i = 0; i < args->count; i++) {
        all_few = all_few && few(device, &args->parts[i].weight, args->in.tokens);
        all_fit = all_fit && gemv_fits(&args->parts[i].weight);
    }
    const struct gemv input =
        input_of(device, &args->in, &args->parts[0].weight, all_few && all_fit);
    if (all_few) {
        few_parts(device, args, input);
        return;
    }
    many_parts(device, args, input.x);
}

extern "C" void cuda_gated_linear(struct device *device, const struct gated_linear *args) {
    ASSERT(args->in.tokens > 0 && args->gate.rows == args->up.rows);
    const bool alike =
        kept_type(args->gate.type) == kept_type(args->up.type) && gemv_fits(&args->gate);
    if (alike && args->act == ACT_SILU && few(device, &args->gate, args->in.tokens)) {
        struct gemv product = input_of(device, &args->in, &args->gate, true);
        const struct projection gate = {args->y, args->gate, nullptr};
        const struct projection up = {args->y, args->up, nullptr};
        product.parts[0] = part_of(&gate);
        product.parts[1] = part_of(&up);
        product.count = 2;
        product.store = GEMV_GATED;
        few_launch(device, &product);
        return;
    }
    struct linear both = {};
    both.in = args->in;
    both.parts[0] = {args->y, args->gate, nullptr};
    both.parts[1] = {args->up_rows, args->up, nullptr};
    both.count = 2;
    cuda_linear(device, &both);
    struct act_and_mul both_rows = {};
    both_rows.gate = args->y;
    both_rows.up = args->up_rows;
    both_rows.rows = args->in.tokens;
    both_rows.dim = args->gate.rows;
    both_rows.act = args->act;
    cuda_act_and_mul(device, &both_rows);
}

// y * scale, and then softcap * tanh(y / softcap) where there is one.
static __global__ void cap_kernel(float *y, size_t count, float scale, float softcap) {
    const size_t i = (size_t)blockIdx.x * CAP_THREADS + threadIdx.x;
    if (i >= count) return;
    const float scaled = y[i] * scale;
    y[i] = softcap > 0 ? softcap * tanhf(scaled / softcap) : scaled;
}

extern "C" void cuda_logits(struct device *device, const struct logits *args) {
    struct gemv product = {};
    product.parts[0] = {args->weight.data, args->y, nullptr, args->weight.rows};
    product.count = 1;
    product.store = GEMV_FLOATS;
    product.type = kept_type(args->weight.type);
    product.x = (const __half *)args->x;
    product.row_index = args->row_index;
    product.columns = args->weight.columns;
    product.tokens = args->rows;
    gemv_fits(&args->weight) ? few_launch(device, &product) : plain(device, &product);
    if (args->scale == 1 && args->softcap == 0) return;
    const size_t count = (size_t)args->rows * (size_t)args->weight.rows;
    cap_kernel<<<ceil_divide(count, CAP_THREADS), CAP_THREADS, 0, device->stream>>>(
        args->y, count, args->scale, args->softcap);
    device_note(device, cudaGetLastError());
}
