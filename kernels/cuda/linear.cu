// kernels/cuda/linear.cu — y = x W^T + bias, and the logits.
//
//   x  [tokens, columns]  fp16
//   W  [rows, columns]    any weight type, packed as in the file
//   y  [tokens, rows]     fp16; of the logits fp32
//
// Few tokens: gemv.cu, which reads the packed weights once.
// Many tokens: the matrix is unpacked to fp16 in strips that fit the scratch, and cuBLASLt does
// the product. That moves more bytes for each weight, so "many" depends on the type.
// What gemv.cu does not take, F32 and rows that are not whole units, goes to plain_kernel:
//   grid  rows / WARPS, tokens;  block  WARPS x 32, a warp a row;  8 weights a lane and step
//
// cuBLASLt sums in an order that depends on the number of tokens; the others' order is that of
// the row alone. So a deterministic device takes these for any number.
//
// Products are summed in fp32. Bound by reading W, up to about a hundred tokens.
#include "kernels/cuda/gemv.cuh"
#include "kernels/cuda/unpack.cuh"

enum { WARPS = 4, UNPACK_THREADS = 256 };

template <enum dtype TYPE>
static __global__ __launch_bounds__(WARPS * 32) void plain_kernel(const __grid_constant__ gemv args,
                                                                  size_t row_bytes) {
    const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    const int token = blockIdx.y, columns = args.w.columns;
    if (row >= args.w.rows) return;
    const char *packed = (const char *)args.w.data + row * row_bytes;
    const __half *x = args.x + (size_t)(args.row_index ? args.row_index[token] : token) * columns;
    float sum = 0;
    for (int column = 8 * lane; column < columns; column += 8 * 32) {
        float weights[8];
        unpack8<TYPE>(packed, column, weights);
#pragma unroll
        for (int i = 0; i < 8; i++)
            sum = fmaf(__half2float(x[column + i]), weights[i], sum);
    }
    sum = warp_sum(sum);
    if (lane) return;
    sum += args.bias ? args.bias[row] : 0.0f;
    const size_t at = (size_t)token * args.w.rows + row;
    if (args.y32)
        args.y32[at] = sum;
    else
        from_float(sum, &args.y16[at]);
}

template <enum dtype TYPE>
static __global__ void unpack_kernel(__half *out, weight w, int first_row, size_t row_bytes) {
    const char *packed = (const char *)w.data + (size_t)(first_row + blockIdx.x) * row_bytes;
    __half *row = out + (size_t)blockIdx.x * w.columns;
    for (int column = 8 * threadIdx.x; column < w.columns; column += 8 * UNPACK_THREADS) {
        float weights[8];
        unpack8<TYPE>(packed, column, weights);
        for (int i = 0; i < 8; i++)
            row[column + i] = __float2half_rn(weights[i]);
    }
}

static void plain(struct device *device, const struct gemv *args) {
    const struct weight *w = &args->w;
    const size_t row_bytes = dtype_row_bytes(w->type, w->columns);
    const dim3 grid(ceil_divide((size_t)w->rows, WARPS), (unsigned)args->tokens);
    ASSERT(w->columns % 8 == 0);
    switch (w->type) {
#define CASE(id, bytes, elements, name)                                                      \
    case DTYPE_##id:                                                                         \
        plain_kernel<DTYPE_##id><<<grid, WARPS * 32, 0, device->stream>>>(*args, row_bytes); \
        break;
        DTYPE_MAP(CASE)
#undef CASE
    case DTYPE_COUNT:
        ASSERT(false);
    }
    device_note(device, cudaGetLastError());
}

static void few(struct device *device, const struct gemv *args) {
    if (gemv_fits(&args->w))
        gemv_launch(device, args);
    else
        plain(device, args);
}

static const __half *unpack(struct device *device, const struct weight *w, int32_t first,
                            int32_t rows) {
    const size_t row_bytes = dtype_row_bytes(w->type, w->columns);
    if (w->type == DTYPE_F16) return (const __half *)w->data + (size_t)first * (size_t)w->columns;
    switch (w->type) {
#define CASE(id, bytes, elements, name)                                                            \
    case DTYPE_##id:                                                                               \
        unpack_kernel<DTYPE_##id>                                                                  \
            <<<rows, UNPACK_THREADS, 0, device->stream>>>(device->unpacked, *w, first, row_bytes); \
        break;
        DTYPE_MAP(CASE)
#undef CASE
    case DTYPE_COUNT:
        ASSERT(false);
    }
    device_note(device, cudaGetLastError());
    return device->unpacked;
}

static void note_blas(struct device *device, cublasStatus_t result) {
    if (result != CUBLAS_STATUS_SUCCESS) device_note(device, cudaErrorUnknown);
}

// y[:, first, first + rows) of [tokens, w.rows] = x w^T, row-major: to cuBLASLt, which thinks in
// columns, w transposed times x.
static void multiply(struct device *device, const struct linear *args, const __half *w,
                     int32_t first, int32_t rows) {
    const int columns = args->weight.columns;
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t a, b, c;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const float one = 1, zero = 0;
    note_blas(device, cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    note_blas(device, cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA,
                                                     &transposed, sizeof transposed));
    note_blas(device, cublasLtMatrixLayoutCreate(&a, CUDA_R_16F, columns, rows, columns));
    note_blas(device, cublasLtMatrixLayoutCreate(&b, CUDA_R_16F, columns, args->tokens, columns));
    note_blas(device,
              cublasLtMatrixLayoutCreate(&c, CUDA_R_16F, rows, args->tokens, args->weight.rows));
    __half *y = (__half *)args->y + first;
    note_blas(device, cublasLtMatmul(device->blas, operation, &one, w, a, args->x, b, &zero, y, c,
                                     y, c, nullptr, device->blas_workspace, BLAS_WORKSPACE_BYTES,
                                     device->stream));
    cublasLtMatrixLayoutDestroy(a);
    cublasLtMatrixLayoutDestroy(b);
    cublasLtMatrixLayoutDestroy(c);
    cublasLtMatmulDescDestroy(operation);
}

static __global__ void bias_kernel(__half *y, const float *bias, int rows) {
    __half *row = y + (size_t)blockIdx.y * rows;
    const int i = blockIdx.x * UNPACK_THREADS + threadIdx.x;
    if (i < rows) from_float(__half2float(row[i]) + bias[i], &row[i]);
}

static void gemm(struct device *device, const struct linear *args) {
    const struct weight *w = &args->weight;
    const int32_t strip = (int32_t)(UNPACKED_ELEMENTS / (size_t)w->columns);
    for (int32_t first = 0, rows; first < w->rows; first += rows) {
        rows = w->rows - first < strip ? w->rows - first : strip;
        multiply(device, args, unpack(device, w, first, rows), first, rows);
    }
    if (!args->bias) return;
    bias_kernel<<<dim3(ceil_divide((size_t)w->rows, UNPACK_THREADS), args->tokens), UNPACK_THREADS,
                  0, device->stream>>>((__half *)args->y, args->bias, w->rows);
    device_note(device, cudaGetLastError());
}

// Up to how many tokens reading the packed weights, sixteen tokens at a time, costs less than
// unpacking them, writing them and reading them again.
static int32_t few_tokens(enum dtype type) {
    return type == DTYPE_F16 || type == DTYPE_F32 ? 16 : 64;
}

extern "C" void cuda_linear(struct device *device, const struct linear *args) {
    ASSERT(args->tokens > 0);
    if (args->tokens > few_tokens(args->weight.type) && !device->deterministic) {
        gemm(device, args);
        return;
    }
    struct gemv product = {};
    product.y16 = (__half *)args->y;
    product.x = (const __half *)args->x;
    product.bias = args->bias;
    product.w = args->weight;
    product.tokens = args->tokens;
    few(device, &product);
}

extern "C" void cuda_logits(struct device *device, const struct logits *args) {
    struct gemv product = {};
    product.y32 = args->y;
    product.x = (const __half *)args->x;
    product.row_index = args->row_index;
    product.w = args->weight;
    product.tokens = args->rows;
    few(device, &product);
}
