// kernels/cuda/linear.cu — y = x W^T + bias, and the logits.
//
//   x  [tokens, columns]  fp16
//   W  [rows, columns]    any weight type, packed as in the file
//   y  [tokens, rows]     fp16; of the logits fp32
//
// Few tokens: gemv_kernel reads each packed weight once and multiplies it with all of them.
//   grid  rows / WARPS;  block  WARPS x 32, a warp a row;  8 weights a lane and step
// Many tokens: the matrix is unpacked to fp16 in strips that fit the scratch, and cuBLASLt does
// the product.
//
// cuBLASLt sums in an order that depends on the number of tokens; gemv_kernel's order is that of
// the row alone. So a deterministic device takes the second for any number, sixteen at a time.
//
// Products are summed in fp32. Bound by reading W, up to about a hundred tokens.
#include "kernels/cuda/unpack.cuh"

enum { WARPS = 4, FEW_TOKENS = 16, UNPACK_THREADS = 256 };

template <enum dtype TYPE, int TOKENS, typename out_t>
static __global__
__launch_bounds__(WARPS * 32) void gemv_kernel(out_t *y, const __half *x, const int32_t *row_index,
                                               weight w, const float *bias, size_t row_bytes) {
    const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= w.rows) return;
    const char *packed = (const char *)w.data + row * row_bytes;
    float sums[TOKENS] = {};
    for (int column = 8 * lane; column < w.columns; column += 8 * 32) {
        float weights[8];
        unpack8<TYPE>(packed, column, weights);
#pragma unroll
        for (int t = 0; t < TOKENS; t++) {
            const int at = row_index ? row_index[t] : t;
            const uint4 bits = *(const uint4 *)(x + (size_t)at * w.columns + column);
            const unsigned words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const float2 pair = __half22float2(*(const __half2 *)&words[i]);
                sums[t] = fmaf(pair.x, weights[2 * i], sums[t]);
                sums[t] = fmaf(pair.y, weights[2 * i + 1], sums[t]);
            }
        }
    }
#pragma unroll
    for (int t = 0; t < TOKENS; t++) {
        const float sum = warp_sum(sums[t]);
        if (lane == 0) from_float(sum + (bias ? bias[row] : 0.0f), &y[(size_t)t * w.rows + row]);
    }
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

template <typename out_t> struct product { // one call of a gemv
    out_t *y;
    const __half *x;
    const int32_t *row_index;
    const struct weight *w;
    const float *bias;
};

template <enum dtype TYPE, int TOKENS, typename out_t>
static void launch_gemv(struct device *device, const product<out_t> &p) {
    gemv_kernel<TYPE, TOKENS>
        <<<ceil_divide((size_t)p.w->rows, WARPS), WARPS * 32, 0, device->stream>>>(
            p.y, p.x, p.row_index, *p.w, p.bias, dtype_row_bytes(p.w->type, p.w->columns));
    device_note(device, cudaGetLastError());
}

// Any number of tokens as sixteens, eights, … ones.
template <enum dtype TYPE, typename out_t>
static void gemv(struct device *device, product<out_t> p, int32_t tokens) {
    for (int32_t count; tokens > 0; tokens -= count) {
        count = tokens >= 16 ? 16 : tokens >= 8 ? 8 : tokens >= 4 ? 4 : tokens >= 2 ? 2 : 1;
        switch (count) {
        case 16:
            launch_gemv<TYPE, 16>(device, p);
            break;
        case 8:
            launch_gemv<TYPE, 8>(device, p);
            break;
        case 4:
            launch_gemv<TYPE, 4>(device, p);
            break;
        case 2:
            launch_gemv<TYPE, 2>(device, p);
            break;
        default:
            launch_gemv<TYPE, 1>(device, p);
        }
        p.y += (size_t)count * (size_t)p.w->rows;
        if (p.row_index)
            p.row_index += count;
        else
            p.x += (size_t)count * (size_t)p.w->columns;
    }
}

template <typename out_t>
static void gemv_any(struct device *device, const product<out_t> &p, int32_t tokens) {
    ASSERT(p.w->columns % 8 == 0);
    switch (p.w->type) {
#define CASE(id, bytes, elements, name)      \
    case DTYPE_##id:                         \
        gemv<DTYPE_##id>(device, p, tokens); \
        break;
        DTYPE_MAP(CASE)
#undef CASE
    case DTYPE_COUNT:
        ASSERT(false);
    }
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

extern "C" void cuda_linear(struct device *device, const struct linear *args) {
    ASSERT(args->tokens > 0);
    if (args->tokens > FEW_TOKENS && !device->deterministic) {
        gemm(device, args);
        return;
    }
    const product<__half> p = {(__half *)args->y, (const __half *)args->x, nullptr, &args->weight,
                               args->bias};
    gemv_any(device, p, args->tokens);
}

extern "C" void cuda_logits(struct device *device, const struct logits *args) {
    const product<float> p = {args->y, (const __half *)args->x, args->row_index, &args->weight,
                              nullptr};
    gemv_any(device, p, args->rows);
}
