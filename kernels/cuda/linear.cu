// kernels/cuda/linear.cu — which kernels compute products with matrices: linear, gated_linear and
// logits.
//
//   gemv      few tokens: weights are read once; one launch does all parts, the norm before them
//             and what follows (bias, residual, SiLU)
//   stream_k  some dozens of tokens: the same, without the norm
//   gemm      many tokens: cuBLASLt
//   plain     matrices that the first two do not accept: F32, and rows of fp16 that are not whole
//             fragments; it norms what it reads, too
//
// stream_k and cuBLASLt sum in an order that depends on the number of tokens; a deterministic
// device uses the others for any number.
#include "kernels/cuda/gemm.cuh"
#include "kernels/cuda/plain.cuh"
#include "kernels/cuda/stream_k.cuh"

enum { GEMV_LEAST_TOKENS = 4, FEW_PLAIN_TOKENS = 8, SHORT_COLUMNS = 4096, CAP_THREADS = 256 };

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
    const bool tall = rows > args->columns || (bits < 6 && args->columns <= SHORT_COLUMNS);
    return !tall || elements > (bits < 6 ? 36 : bits < 9 ? 26 : 16) << 10;
}

// Computes a product whose matrices gemv_fits().
static void few_launch(struct device *device, const struct gemv *args) {
    streams(device, args) ? stream_k_launch(device, args) : gemv_launch(device, args);
}

// Does a product of few tokens norm its input itself? gemv keeps nothing of what it has normed.
static bool norms_itself(const struct device *device, const struct linear_input *in,
                         const struct weight *w) {
    if (device->deterministic || in->tokens > GEMV_TOKENS) return false;
    return gemv_fits(w) ? !in->keeps && gemv_norms(device, in->tokens, w->columns)
                        : w->columns <= PLAIN_NORMED_COLUMNS;
}

// The input of a product, normed here unless `fused` and the product does that itself.
static struct gemv input_of(struct device *device, const struct linear_input *in,
                            const struct weight *w, bool fused) {
    struct gemv args = {};
    args.type = kept_type(w->type);
    args.columns = w->columns;
    args.tokens = in->tokens;
    args.x = (const __half *)in->x;
    if (!in->norm) return args;
    if (fused && norms_itself(device, in, w)) {
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
        fits ? few_launch(device, &input) : plain_launch(device, &input, (__half *)args->in.normed);
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
    const struct gemv input = input_of(device, &args->in, &args->parts[0].weight,
                                       all_few && (all_fit || args->count == 1));
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
    product.parts[0] = {args->weight.data, args->y, args->bias, args->weight.rows};
    product.count = 1;
    product.store = GEMV_FLOATS;
    product.type = kept_type(args->weight.type);
    product.x = (const __half *)args->x;
    product.row_index = args->row_index;
    product.columns = args->weight.columns;
    product.tokens = args->rows;
    gemv_fits(&args->weight) ? few_launch(device, &product)
                             : plain_launch(device, &product, nullptr);
    if (args->scale == 1 && args->softcap == 0) return;
    const size_t count = (size_t)args->rows * (size_t)args->weight.rows;
    cap_kernel<<<ceil_divide(count, CAP_THREADS), CAP_THREADS, 0, device->stream>>>(
        args->y, count, args->scale, args->softcap);
    device_note(device, cudaGetLastError());
}
