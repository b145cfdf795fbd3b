// kernels/cuda/gemm.cu — y = x W^T + bias for many tokens.
//
//   x  [tokens, columns]  fp16
//   W  [rows, columns]    in the order of tiles.cuh
//   y  [tokens, rows]     fp16, or fp32; or fp32 to which the product is added
//
// cuBLASLt multiplies. It needs rows of fp16, so other types are unpacked first (unpacked.cuh), in
// strips of rows if a matrix is too large.
//
// Weights are rounded to fp16, products summed in fp32, in an order that depends on the number of
// tokens. Bound by arithmetic.
#include "kernels/cuda/gemm.cuh"
#include "kernels/cuda/tiles.cuh"
#include "kernels/cuda/unpacked.cuh"

// cuBLASLt's usual tile, and up to how many waves of these joining two products pays: larger ones
// only evict each other's data from L2.
enum { THREADS = 256, TILE = 128 * 256, FEW_WAVES = 2 };

static bool is_wide(const struct gemm *args) { return args->store != LINEAR_ACTIVATION; }

static void note_blas(struct device *device, cublasStatus_t result) {
    if (result != CUBLAS_STATUS_SUCCESS) device_note(device, cudaErrorUnknown);
}

// One product, or two of one shape whose weights and results lie `w_stride` and `y_stride`
// elements apart.
struct product {
    const __half *w; // [rows, columns]
    void *y;         // [tokens, y_rows], the first `rows` of each
    int rows, y_rows, count;
    int64_t w_stride, y_stride;
};

static cublasLtMatrixLayout_t lay_out(struct device *device, cudaDataType_t type, int rows,
                                      int columns, int step, int count, int64_t stride) {
    cublasLtMatrixLayout_t layout;
    note_blas(device, cublasLtMatrixLayoutCreate(&layout, type, rows, columns, step));
    note_blas(device, cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                       &count, sizeof count));
    note_blas(device,
              cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                               &stride, sizeof stride));
    return layout;
}

// y = x w^T, row-major. cuBLASLt is column-major, so it sees w transposed times x.
static void multiply(struct device *device, const struct gemm *args,
                     const struct product *product) {
    ASSERT(product->rows > 0 && product->count > 0 && args->tokens > 0);
    const int columns = args->w[0].columns, rows = product->rows, count = product->count;
    const cudaDataType_t type = is_wide(args) ? CUDA_R_32F : CUDA_R_16F;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const float one = 1, beta = args->store == LINEAR_ADD ? 1 : 0;
    cublasLtMatmulDesc_t operation;
    note_blas(device, cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    note_blas(device, cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA,
                                                     &transposed, sizeof transposed));
    const cublasLtMatrixLayout_t w =
        lay_out(device, CUDA_R_16F, columns, rows, columns, count, product->w_stride);
    const cublasLtMatrixLayout_t x =
        lay_out(device, CUDA_R_16F, columns, args->tokens, columns, count, 0);
    const cublasLtMatrixLayout_t y =
        lay_out(device, type, rows, args->tokens, product->y_rows, count, product->y_stride);
    note_blas(device, cublasLtMatmul(device->blas, operation, &one, product->w, w, args->x, x,
                                     &beta, product->y, y, product->y, y, nullptr,
                                     device->blas_workspace, BLAS_WORKSPACE_BYTES, device->stream));
    cublasLtMatrixLayoutDestroy(w);
    cublasLtMatrixLayoutDestroy(x);
    cublasLtMatrixLayoutDestroy(y);
    cublasLtMatmulDescDestroy(operation);
}

template <typename output_t>
static __global__ void bias_kernel(output_t *y, const float *bias, int rows) {
    output_t *row = y + (size_t)blockIdx.y * rows;
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) from_float(to_float(row[i]) + bias[i], &row[i]);
}

static void add_bias(struct device *device, const struct gemm *args, int part) {
    ASSERT(part >= 0 && part < args->count && args->bias[part]);
    const int rows = args->w[part].rows;
    const dim3 grid(ceil_divide((size_t)rows, THREADS), args->tokens);
    if (is_wide(args))
        bias_kernel<<<grid, THREADS, 0, device->stream>>>((float *)args->y[part], args->bias[part],
                                                          rows);
    else
        bias_kernel<<<grid, THREADS, 0, device->stream>>>((__half *)args->y[part], args->bias[part],
                                                          rows);
    device_note(device, cudaGetLastError());
}

static bool in_halves(const struct weight *w) { return kept_type(w->type) == DTYPE_F16; }

// Multiplies one part, or all of them side by side.
static void multiply_whole(struct device *device, const struct gemm *args, int part, int count) {
    ASSERT(part >= 0 && count > 0 && part + count <= args->count);
    const struct weight *w = &args->w[part];
    const int64_t element = is_wide(args) ? sizeof(float) : sizeof(__half);
    struct product product = {(const __half *)w->data, args->y[part], w->rows, w->rows, count};
    if (count > 1) {
        product.y_stride = ((char *)args->y[1] - (char *)args->y[0]) / element;
        product.w_stride = ((char *)w[1].data - (char *)w[0].data) / (int64_t)sizeof(__half);
    }
    if (in_halves(w)) {
        multiply(device, args, &product);
        return;
    }
    struct unpacked_set set = {{w[0]}, count};
    if (count > 1) set.w[1] = w[1];
    product.w = unpacked_find(device, &set);
    product.w_stride = (int64_t)w->rows * w->columns;
    multiply(device, args, &product);
    unpacked_ahead(device);
}

// Multiplies strip by strip.
static void multiply_strips(struct device *device, const struct gemm *args, int part) {
    const struct weight *w = &args->w[part];
    const int32_t strip = unpacked_strip_rows(w);
    ASSERT(strip > 0);
    const size_t element = is_wide(args) ? sizeof(float) : sizeof(__half);
    for (int32_t first = 0, rows; first < w->rows; first += rows) {
        rows = w->rows - first < strip ? w->rows - first : strip;
        const struct product product = {unpacked_strip(device, w, first, rows),
                                        (char *)args->y[part] + (size_t)first * element, rows,
                                        w->rows, 1};
        multiply(device, args, &product);
    }
}

static void multiply_alone(struct device *device, const struct gemm *args, int part) {
    const struct unpacked_set set = {{args->w[part]}, 1};
    if (in_halves(&args->w[part]) || (is_packed(args->w[part].type) && unpacked_fits(&set)))
        multiply_whole(device, args, part, 1);
    else
        multiply_strips(device, args, part);
}

// Should the two products be computed as one? Small ones alone leave part of the card idle.
static bool go_together(struct device *device, const struct gemm *args) {
    const struct weight *w = args->w;
    const size_t wave = (size_t)TILE * (size_t)device->properties.multiProcessorCount;
    const int64_t y_bytes = (char *)args->y[1] - (char *)args->y[0];
    const int64_t w_bytes = (char *)w[1].data - (char *)w[0].data;
    if (args->count < 2 || (size_t)w->rows * (size_t)args->tokens > FEW_WAVES * wave) return false;
    if (y_bytes < 0 || y_bytes % 16) return false;
    if (in_halves(&w[0]) && in_halves(&w[1])) return w_bytes > 0 && w_bytes % 16 == 0;
    const struct unpacked_set set = {{w[0], w[1]}, 2};
    return is_packed(w[0].type) && is_packed(w[1].type) && unpacked_fits(&set);
}

void gemm_launch(struct device *device, const struct gemm *args) {
    ASSERT(args->count > 0 && args->count <= GEMM_PARTS);
    const struct weight *w = args->w;
    ASSERT(args->count == 1 || (w[0].rows == w[1].rows && w[0].columns == w[1].columns));
    ASSERT(w->columns % 8 == 0);
    const bool together = go_together(device, args);
    if (together) multiply_whole(device, args, 0, 2);
    for (int i = 0; i < args->count && !together; i++)
        multiply_alone(device, args, i);
    for (int i = 0; i < args->count; i++) {
        ASSERT(!(args->store == LINEAR_ADD && args->bias[i]));
        if (args->bias[i]) add_bias(device, args, i);
    }
}
