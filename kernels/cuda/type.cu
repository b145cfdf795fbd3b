// kernels/cuda/type.cu — all that depends on the type of a matrix: compiled once for each.
//
// The products are in gemv_kernel.cuh, stream_k_kernel.cuh and experts_*.cuh. Here are:
//
//   repacking  repack.cuh
//   unpacking  rows of W to rows of fp16: grid fragments / UNPACK_WARPS, block UNPACK_WARPS x 32, a
//              fragment a warp, which stores 64 bytes of 8 rows at a time; F32: an element a thread
//   embedding  grid (columns / ROW_THREADS, tokens), block ROW_THREADS, a column a thread
//
// All three are bound by memory.
#include "kernels/cuda/types.cuh"

#include "kernels/cuda/experts_alone.cuh"
#include "kernels/cuda/experts_few.cuh"
#include "kernels/cuda/experts_many.cuh"
#include "kernels/cuda/gemv_kernel.cuh"
#include "kernels/cuda/repack.cuh"
#include "kernels/cuda/stream_k_kernel.cuh"
#include "kernels/cuda/unpack.cuh"

enum { UNPACK_WARPS = 8, UNPACK_THREADS = UNPACK_WARPS * LANES, ROW_THREADS = 128 };

// ---- repacking

#define TYPE_JOINED(a, b) a##b
#define TYPE_JOIN(a, b)   TYPE_JOINED(a, b)
static constexpr enum dtype THIS_TYPE = TYPE_JOIN(DTYPE_, TYPE_ID);
static constexpr bool PACKED = THIS_TYPE != DTYPE_F32 && THIS_TYPE != DTYPE_F16;

template <enum dtype OF> static size_t bytes_of(const struct weight *w) {
    if constexpr (PACKED)
        return tile_count(w) * fragments_of<OF>::a_row(*w) * fragment<OF>::BYTES;
    else
        return tile_count(w) * TILE_ROWS * dtype_row_bytes(OF, w->columns);
}

template <enum dtype OF>
static void repack_of(struct device *device, void *to, const struct weight *in_file) {
    if constexpr (PACKED) {
        const size_t fragments = tile_count(in_file) * fragments_of<OF>::a_row(*in_file);
        repack_kernel<OF><<<(unsigned)fragments, LANES, 0, device->stream>>>(
            (char *)to, *in_file, dtype_row_bytes(OF, in_file->columns));
        device_note(device, cudaGetLastError());
    } else {
        ASSERT(false); // plain types are copied as they are
    }
}

template <enum dtype OF> static bool exceeds_of(struct device *device) {
    bool beyond = false;
    if constexpr (OF == DTYPE_MXFP4 || OF == DTYPE_NVFP4) {
        static const bool none = false;
        device_note(device, cudaStreamSynchronize(device->stream)); // before the flag is copied
        device_note(device, cudaMemcpyFromSymbol(&beyond, too_large, sizeof beyond));
        if (beyond) device_note(device, cudaMemcpyToSymbol(too_large, &none, sizeof none));
    }
    return beyond;
}

// ---- unpacking

template <enum dtype OF>
static __global__ __launch_bounds__(UNPACK_THREADS) void unpack_kernel(__half *out, weight w,
                                                                       int first, int rows) {
    typedef fragments_of<OF> fragments;
    const int a_row = fragments::a_row(w), lane = threadIdx.x % LANES;
    const int index = blockIdx.x * UNPACK_WARPS + threadIdx.x / LANES;
    if (index >= (rows + TILE_ROWS - 1) / TILE_ROWS * a_row) return;
    const int first_row = index / a_row * TILE_ROWS, column = index % a_row * fragments::COLUMNS;
    const int at = column + lane % 2 * 16 + lane % 4 / 2 * 8;
    fp16_fragment<OF> from;
    from.load(fragments::at(w, first + first_row, column), lane);
    from.prepare();
#pragma unroll
    for (int u = 0; u < fragment<OF>::GROUPS; u++) {
        if (column + GROUP_COLUMNS * u >= w.columns) break;
        const group_operands a = weights_of<OF>(from, u);
#pragma unroll
        for (int r = 0; r < 2; r++) {
            const int row = first_row + lane / 4 + 8 * r;
            const uint4 eight = eight_weights(a, r);
            if (row >= rows) continue;
            *(uint4 *)(out + (size_t)row * w.columns + at + GROUP_COLUMNS * u) = eight;
        }
    }
}

static __global__ void halves_kernel(__half *to, const float *from, size_t count) {
    const size_t i = (size_t)blockIdx.x * UNPACK_THREADS + threadIdx.x;
    if (i < count) from_float(from[i], &to[i]);
}

template <enum dtype OF>
static const __half *unpack_of(struct device *device, __half *to, const struct weight *w,
                               int32_t first, int32_t rows) {
    if constexpr (OF == DTYPE_F16) {
        return (const __half *)w->data + (size_t)first * (size_t)w->columns;
    } else if constexpr (OF == DTYPE_F32) {
        const size_t count = (size_t)rows * (size_t)w->columns;
        halves_kernel<<<ceil_divide(count, UNPACK_THREADS), UNPACK_THREADS, 0, device->stream>>>(
            to, (const float *)w->data + (size_t)first * (size_t)w->columns, count);
    } else {
        const size_t tiles = ((size_t)rows + TILE_ROWS - 1) / TILE_ROWS;
        const size_t fragments = tiles * fragments_of<OF>::a_row(*w);
        unpack_kernel<OF>
            <<<ceil_divide(fragments, UNPACK_WARPS), UNPACK_THREADS, 0, device->stream>>>(
                to, *w, first, rows);
    }
    device_note(device, cudaGetLastError());
    return to;
}

// ---- embedding

template <enum dtype OF> static __global__ void embedding_kernel(const embedding args) {
    const int column = blockIdx.x * ROW_THREADS + threadIdx.x, token = blockIdx.y;
    grid_launch_dependents();
    grid_wait();
    if (column >= args.table.columns) return;
    const int row = args.token_ids[token] * args.stride + args.first;
    ((float *)args.y)[(size_t)token * args.table.columns + column] =
        weight_at<OF>(args.table, row, column) * args.scale;
}

// Launched plainly, which the later kernels of a step rely on: see grid_wait().
template <enum dtype OF>
static void embedding_of(struct device *device, const struct embedding *args) {
    const dim3 grid(ceil_divide((size_t)args->table.columns, ROW_THREADS), (unsigned)args->tokens);
    embedding_kernel<OF><<<grid, ROW_THREADS, 0, device->stream>>>(*args);
    device_note(device, cudaGetLastError());
}

// ---- products

template <enum dtype OF> static void gemv_of(struct device *device, const struct gemv *args) {
    struct gemv_plan plan = {};
    plan.args = *args;
    launch_type<OF>(device, &plan);
}

template <enum dtype OF>
static int32_t stream_k_of(struct device *device, const struct gemv *args) {
    struct stream_k_plan plan = {};
    plan.args = *args;
    plan.parts = device->stream_k_parts;
    plan.arrived = device->stream_k_arrived;
    return launch_type<OF>(device, &plan);
}

// ---- the type's row of the table

template <enum dtype OF> static constexpr struct type_kernels row_of() {
    struct type_kernels row = {};
    row.bytes = bytes_of<OF>, row.repack = repack_of<OF>, row.exceeds = exceeds_of<OF>;
    row.unpack = unpack_of<OF>;
    row.embedding = embedding_of<OF>;
    row.experts_few = few_launch_of<OF>, row.experts_alone = alone_launch_of<OF>;
    if constexpr (OF != DTYPE_F32)
        row.gemv = gemv_of<OF>, row.stream_k = stream_k_of<OF>,
        row.experts_many = many_launch_of<OF>, row.many_slots = many_slots_of<OF>;
    return row;
}
extern const struct type_kernels TYPE_JOIN(kernels_, TYPE_ID) = row_of<THIS_TYPE>();
