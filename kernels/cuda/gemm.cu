// kernels/cuda/gemm.cu — y = x W^T + bias for many tokens.
//
//   x  [tokens, columns]  fp16
//   W  [rows, columns]    in the order of tiles.cuh
//   y  [tokens, rows]     fp16, or fp32; or fp32 to which the product is added
//
// cuBLASLt multiplies. It takes rows of fp16, so other types are unpacked first, in strips of rows
// that fit the scratch.
//
//   unpacking  grid cells of a strip / WARPS;  block WARPS x 32, a warp a cell
//
// Weights are rounded to fp16, products summed in fp32, in an order that depends on the number of
// tokens. Bound by arithmetic.
#include "kernels/cuda/gemm.cuh"
#include "kernels/cuda/tiles.cuh"

enum { WARPS = 8, THREADS = 256 };

// Rows g and g + 8 of one half of a unit: four neighbouring weights each.
template <enum dtype TYPE>
static __device__ inline uint2 unpack_four(const cell<TYPE> &from, const unsigned (&pairs)[4],
                                           int u, int row, int half) {
    const float factor = from.factor(u, row, half) * from.row_factor(row);
    const float minimum = from.minimum(u, row, half);
    unsigned out[2];
#pragma unroll
    for (int i = 0; i < 2; i++)
        out[i] = as_bits(halves(low_float(pairs[row + 2 * i]) * factor - minimum,
                                high_float(pairs[row + 2 * i]) * factor - minimum));
    return make_uint2(out[0], out[1]);
}

// Rows of W from `first` on, a multiple of TILE_ROWS, to rows of fp16.
template <enum dtype TYPE>
static __global__ __launch_bounds__(WARPS *LANES) void unpack_kernel(__half *out, weight w,
                                                                     int first, int rows) {
    typedef cells_of<TYPE> cells;
    const int a_row = cells::a_row(w), lane = threadIdx.x % LANES;
    const int index = blockIdx.x * WARPS + threadIdx.x / LANES;
    if (index >= (rows + TILE_ROWS - 1) / TILE_ROWS * a_row) return;
    const int first_row = index / a_row * TILE_ROWS, column = index % a_row * cells::COLUMNS;
    cell<TYPE> from;
    from.load(cells::at(w, first + first_row, column), lane);
#pragma unroll
    for (int u = 0; u < cell<TYPE>::UNITS; u++) {
        const int at = column + UNIT_COLUMNS * u + 4 * (lane % 4);
        if (column + UNIT_COLUMNS * u >= w.columns) break;
        const unit_operands a = from.operands(u);
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const int row = first_row + lane / 4 + 8 * r;
            if (row >= rows) continue;
            __half *to = out + (size_t)row * w.columns + at;
            *(uint2 *)to = unpack_four<TYPE>(from, a.first, u, r, 0);
            *(uint2 *)(to + 16) = unpack_four<TYPE>(from, a.last, u, r, 1);
        }
    }
}

static __global__ void halves_kernel(__half *to, const float *from, size_t count) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count) from_float(from[i], &to[i]);
}

template <enum dtype TYPE>
static void unpack_tiles(struct device *device, const struct weight *w, int32_t first,
                         int32_t rows) {
    const size_t cells =
        (size_t)ceil_divide((size_t)rows, TILE_ROWS) * (size_t)cells_of<TYPE>::a_row(*w);
    unpack_kernel<TYPE><<<ceil_divide(cells, WARPS), WARPS * LANES, 0, device->stream>>>(
        device->unpacked, *w, first, rows);
}

static const __half *unpack(struct device *device, const struct weight *w, int32_t first,
                            int32_t rows) {
    const size_t at = (size_t)first * (size_t)w->columns, count = (size_t)rows * w->columns;
    switch (kept_type(w->type)) {
#define CASE(id)                                          \
    case DTYPE_##id:                                      \
        unpack_tiles<DTYPE_##id>(device, w, first, rows); \
        break;
        PACKED_MAP(CASE)
#undef CASE
    case DTYPE_F32:
        halves_kernel<<<ceil_divide(count, THREADS), THREADS, 0, device->stream>>>(
            device->unpacked, (const float *)w->data + at, count);
        break;
    case DTYPE_F16:
        return (const __half *)w->data + at;
    default: // kept_type() has no other
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
static void multiply(struct device *device, const struct gemm *args, const __half *w, int32_t first,
                     int32_t rows) {
    const int columns = args->w.columns;
    const bool wide = args->store != LINEAR_ACTIVATION;
    const cudaDataType_t type = wide ? CUDA_R_32F : CUDA_R_16F;
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t a, b, c;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const float one = 1, beta = args->store == LINEAR_ADD ? 1 : 0;
    note_blas(device, cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    note_blas(device, cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA,
                                                     &transposed, sizeof transposed));
    note_blas(device, cublasLtMatrixLayoutCreate(&a, CUDA_R_16F, columns, rows, columns));
    note_blas(device, cublasLtMatrixLayoutCreate(&b, CUDA_R_16F, columns, args->tokens, columns));
    note_blas(device, cublasLtMatrixLayoutCreate(&c, type, rows, args->tokens, args->w.rows));
    char *y = (char *)args->y + (size_t)first * (wide ? sizeof(float) : sizeof(__half));
    note_blas(device, cublasLtMatmul(device->blas, operation, &one, w, a, args->x, b, &beta, y, c,
                                     y, c, nullptr, device->blas_workspace, BLAS_WORKSPACE_BYTES,
                                     device->stream));
    cublasLtMatrixLayoutDestroy(a);
    cublasLtMatrixLayoutDestroy(b);
    cublasLtMatrixLayoutDestroy(c);
    cublasLtMatmulDescDestroy(operation);
}

template <typename output_t>
static __global__ void bias_kernel(output_t *y, const float *bias, int rows) {
    output_t *row = y + (size_t)blockIdx.y * rows;
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) from_float(to_float(row[i]) + bias[i], &row[i]);
}

void gemm_launch(struct device *device, const struct gemm *args) {
    const struct weight *w = &args->w;
    ASSERT(w->columns % 8 == 0 && !(args->store == LINEAR_ADD && args->bias));
    const int32_t fitting = (int32_t)(UNPACKED_ELEMENTS / (size_t)w->columns);
    const int32_t strip =
        kept_type(w->type) == DTYPE_F16 ? w->rows : fitting / TILE_ROWS * TILE_ROWS;
    for (int32_t first = 0, rows; first < w->rows; first += rows) {
        rows = w->rows - first < strip ? w->rows - first : strip;
        multiply(device, args, unpack(device, w, first, rows), first, rows);
    }
    if (!args->bias) return;
    const dim3 grid(ceil_divide((size_t)w->rows, THREADS), args->tokens);
    if (args->store == LINEAR_RESIDUAL)
        bias_kernel<<<grid, THREADS, 0, device->stream>>>((float *)args->y, args->bias, w->rows);
    else
        bias_kernel<<<grid, THREADS, 0, device->stream>>>((__half *)args->y, args->bias, w->rows);
    device_note(device, cudaGetLastError());
}
