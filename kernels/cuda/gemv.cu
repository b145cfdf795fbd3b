// kernels/cuda/gemv.cu — y = x W^T + bias for up to a few dozen tokens.
//
//   x  [tokens, columns]  fp16, rows aligned to 16 bytes; or rows picked by row_index
//   W  [rows, columns]    packed as in the file (gemv_packing.cuh); columns a multiple of 32
//   y  [tokens, rows]     fp16 or fp32
//
//   grid   ceil(rows / (16 TILES));  block  WARPS x 32
//   shared WARPS x STAGES x (16 TILES x STRIDE + tokens x 64 UNITS) bytes
//
// A block makes 16 TILES rows of y for up to 8 EIGHTS tokens. Its warps share the columns: warp w
// takes stages w, w + WARPS, ... of 32 UNITS columns, and copies each, weights and x, into its own
// ring in shared memory, STAGES - 1 of them ahead. So no warp waits for another before the end,
// and bytes on their way cost no registers. The products are the tensor cores', W their A and x
// their B: m16n8k16, fp16 in, fp32 out; tokens that are not there cost nothing but idle columns.
//
// A row's sum has one order, whatever EIGHTS and TILES are: by columns within a warp, then
// by warps. Weights of BF16 are rounded to fp16, which is exact from 6e-5 to 65504.
// F16 and BF16 are bound by reading W once, the others by the instructions that unpack it.
#include "kernels/cuda/gemv.cuh"

#include "kernels/cuda/gemv_packing.cuh"

enum { WARPS = 8, STAGES = 2, LANES = 32, UNIT_COLUMNS = 32, TILE_ROWS = 16, TOKENS_MAX = 16 };

static __device__ inline void copy16(void *shared, const void *global, unsigned bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(shared)),
                 "l"(global), "r"(bytes)
                 : "memory");
}

static __device__ inline void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                       unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <enum dtype TYPE, int EIGHTS, int TILES> struct gemv_work {
    using packed = packing<TYPE>;
    enum { ROWS = TILE_ROWS * TILES, X_BYTES = 2 * UNIT_COLUMNS * packed::UNITS };
    enum { ROW_CHUNKS = packed::ALIGNED ? packed::BYTES / 16 : (packed::BYTES + 14 + 15) / 16 };
    static_assert(packed::STRIDE >= 16 * ROW_CHUNKS && packed::STRIDE % 16 == 0, "rows fit");

    const gemv &args;
    size_t row_bytes;
    int first_row, lane;
    // Of rows lane / 4 + 8i. Rows past the last are the last once more; their sums are not stored.
    size_t starts[2 * TILES];
    float sums[TILES][EIGHTS][4];

    __device__ gemv_work(const gemv &args, size_t row_bytes)
        : args(args), row_bytes(row_bytes), first_row(blockIdx.x * ROWS), lane(threadIdx.x % LANES),
          sums() {
        for (int i = 0; i < 2 * TILES; i++)
            starts[i] = min(first_row + lane / 4 + 8 * i, args.w.rows - 1) * row_bytes;
    }

    static size_t stage_bytes(int tokens) {
        return (size_t)ROWS * packed::STRIDE + (size_t)tokens * X_BYTES;
    }

    // Four lanes a row, the same rows as in compute().
    __device__ void copy_weights(char *ring, int stage, int units) const {
        const unsigned whole = packed::BYTES, some = packed::BYTES / packed::UNITS * units;
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++) {
            const int row = lane / 4 + 8 * i;
            const size_t start = starts[i] + (size_t)stage * packed::BYTES;
            const unsigned skip = packed::ALIGNED ? 0 : (unsigned)start & 15;
            const unsigned length = skip + (units == packed::UNITS ? whole : some);
            const unsigned limit =
                (unsigned)min(args.w.rows * row_bytes - (start - skip), (size_t)packed::STRIDE);
            const char *from = (const char *)args.w.data + (start - skip) + lane % 4 * 16;
            char *to = ring + row * packed::STRIDE + lane % 4 * 16;
#pragma unroll
            for (int j = 0; j < (ROW_CHUNKS + 3) / 4; j++) {
                const unsigned at = lane % 4 * 16 + 64 * j;
                if (at < length)
                    copy16(to + 64 * j, from + 64 * j, packed::ALIGNED ? 16 : min(limit - at, 16u));
            }
        }
    }

    // Chunks of odd tokens are swapped by fours, so that two tokens do not meet in one bank.
    __device__ void copy_x(char *x, int stage, int units) const {
        const __half *first = args.x + (size_t)stage * UNIT_COLUMNS * packed::UNITS;
        for (int i = lane; i < args.tokens * (X_BYTES / 16); i += LANES) {
            const int token = i / (X_BYTES / 16), chunk = i % (X_BYTES / 16);
            const int at = args.row_index ? args.row_index[token] : token;
            if (chunk < 4 * units)
                copy16(x + token * X_BYTES + 16 * (chunk ^ (token & 1) << 2),
                       first + (size_t)at * args.w.columns + 8 * chunk, 16);
        }
    }

    __device__ void copy(char *ring, int stage, int units) const {
        copy_weights(ring, stage, units);
        copy_x(ring + ROWS * packed::STRIDE, stage, units);
    }

    // The lane's part of operand B: 8 columns of a token. Tokens that are not there are the last
    // once more.
    __device__ void load_x(const char *x, int token, int u, unsigned (&b)[4]) const {
        const int at = min(token, args.tokens - 1), t = lane % 4, swap = (at & 1) << 2;
        const char *row = x + at * X_BYTES;
        if (packed::SPLIT) {
            const uint2 first = *(const uint2 *)(row + 16 * ((4 * u + t / 2) ^ swap) + t % 2 * 8);
            const uint2 last =
                *(const uint2 *)(row + 16 * ((4 * u + 2 + t / 2) ^ swap) + t % 2 * 8);
            b[0] = first.x, b[1] = first.y, b[2] = last.x, b[3] = last.y;
        } else {
            const uint4 all = *(const uint4 *)(row + 16 * ((4 * u + t) ^ swap));
            b[0] = all.x, b[1] = all.y, b[2] = all.z, b[3] = all.w;
        }
    }

    __device__ packed_row row(const char *ring, int index, int stage) const {
        const int row = lane / 4 + 8 * index;
        return packed_row(ring + row * packed::STRIDE,
                          packed::ALIGNED ? 0
                                          : ((unsigned)starts[index] + stage * packed::BYTES) & 15);
    }

    // Sums of x by groups: the product of x, now as operand A, and a matrix with ones in column u.
    // Row g of the result has token g's first and third pairs, row g + 8 the others.
    __device__ void sum_x(float (&x_sums)[4], const unsigned (&b)[4], int u) const {
        const unsigned ones = lane / 4 == u ? 0x3c003c00u : 0;
        multiply(x_sums, b, ones, ones);
    }

    // sums -= dmin * (minima x_sums): a product over the stage's eight groups. The sums of x are
    // taken as means, which fp16 has room for, in two parts, of which the second is the first's
    // rounding error.
    __device__ void subtract_minima(const packed (&heads)[TILES][2],
                                    const float (&x_sums)[EIGHTS][4]) {
        const int t = lane % 4;
#pragma unroll
        for (int e = 0; e < EIGHTS; e++) {
            const float a = (x_sums[e][0] + x_sums[e][2]) / UNIT_COLUMNS;
            const float b = (x_sums[e][1] + x_sums[e][3]) / UNIT_COLUMNS;
            const __half2 high = __floats2half2_rn(a, b);
            const float2 taken = __half22float2(high);
            const __half2 low = __floats2half2_rn(a - taken.x, b - taken.y);
#pragma unroll
            for (int m = 0; m < TILES; m++) {
                const unsigned upper = heads[m][0].minima(t), lower = heads[m][1].minima(t);
                const unsigned minima[4] = {upper, lower, upper, lower};
                float product[4] = {};
                multiply(product, minima, as_bits(high), as_bits(low));
#pragma unroll
                for (int i = 0; i < 4; i++)
                    sums[m][e][i] = fmaf(-UNIT_COLUMNS * heads[m][i / 2].minimum_factor, product[i],
                                         sums[m][e][i]);
            }
        }
    }

    // sums += factor (first + last). Rows lane / 4 and lane / 4 + 8 of a tile have their own.
    __device__ void add(float (&sum)[4], const float (&first)[4], const float (&last)[4],
                        float upper, float lower) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            sum[i] = fmaf(i / 2 ? lower : upper, first[i] + last[i], sum[i]);
    }

    // WHOLE: all UNITS units, without a branch between them, so that they overlap.
    template <bool WHOLE> __device__ void compute(const char *ring, int stage, int units) {
        packed heads[TILES][2];
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++)
            heads[i / 2][i % 2].load(row(ring, i, stage));
        float first[TILES][EIGHTS][4] = {}, last[TILES][EIGHTS][4] = {}, x_sums[EIGHTS][4] = {};
#pragma unroll
        for (int u = 0; u < packed::UNITS; u++) {
            if (!WHOLE && u >= units) break;
            unsigned b[EIGHTS][4];
#pragma unroll
            for (int e = 0; e < EIGHTS; e++) {
                load_x(ring + ROWS * packed::STRIDE, 8 * e + lane / 4, u, b[e]);
                if constexpr (packed::MINIMA) sum_x(x_sums[e], b[e], u);
            }
#pragma unroll
            for (int m = 0; m < TILES; m++) {
                const packed_row rows[2] = {row(ring, 2 * m, stage), row(ring, 2 * m + 1, stage)};
                unsigned upper[4], lower[4];
                heads[m][0].unit(rows[0], u, lane % 4, upper);
                heads[m][1].unit(rows[1], u, lane % 4, lower);
                const unsigned a[2][4] = {{upper[0], lower[0], upper[1], lower[1]},
                                          {upper[2], lower[2], upper[3], lower[3]}};
#pragma unroll
                for (int e = 0; e < EIGHTS; e++) {
                    if constexpr (packed::BY_UNIT) {
                        float product[4] = {}, none[4] = {};
                        multiply(product, a[0], b[e][0], b[e][1]);
                        multiply(product, a[1], b[e][2], b[e][3]);
                        add(sums[m][e], product, none, heads[m][0].factor(rows[0], u),
                            heads[m][1].factor(rows[1], u));
                    } else {
                        multiply(first[m][e], a[0], b[e][0], b[e][1]);
                        multiply(last[m][e], a[1], b[e][2], b[e][3]);
                    }
                }
            }
        }
        if constexpr (!packed::BY_UNIT) {
#pragma unroll
            for (int i = 0; i < TILES * EIGHTS; i++) {
                const int m = i / EIGHTS, e = i % EIGHTS;
                const packed_row rows[2] = {row(ring, 2 * m, stage), row(ring, 2 * m + 1, stage)};
                add(sums[m][e], first[m][e], last[m][e], heads[m][0].factor(rows[0], 0),
                    heads[m][1].factor(rows[1], 0));
            }
        }
        if constexpr (packed::MINIMA) subtract_minima(heads, x_sums);
    }

    // The warps' sums, in the order of the warps, to y.
    __device__ void store(float *shared) const {
        enum { COLUMNS = 8 * EIGHTS, TILE = ROWS * COLUMNS };
        float *own = shared + threadIdx.x / LANES * TILE;
        __syncthreads(); // the rings are read to their end before the sums go over them
#pragma unroll
        for (int i = 0; i < TILES * EIGHTS * 4; i++) {
            const int m = i / 4 / EIGHTS, e = i / 4 % EIGHTS, c = i % 4;
            const int row = TILE_ROWS * m + lane / 4 + c / 2 * 8;
            own[(8 * e + lane % 4 * 2 + c % 2) * ROWS + row] = sums[m][e][c];
        }
        __syncthreads(); // all sums are there before they are added up
        for (int i = threadIdx.x; i < args.tokens * ROWS; i += WARPS * LANES) {
            const int token = i / ROWS, row = first_row + i % ROWS;
            if (row >= args.w.rows) continue;
            float sum = args.bias ? args.bias[row] : 0.0f;
            for (int w = 0; w < WARPS; w++)
                sum += shared[w * TILE + i];
            if (args.y32)
                args.y32[(size_t)token * args.w.rows + row] = sum;
            else
                from_float(sum, &args.y16[(size_t)token * args.w.rows + row]);
        }
    }
};

template <enum dtype TYPE, int EIGHTS, int TILES>
static __global__
__launch_bounds__(WARPS *LANES) void gemv_kernel(const __grid_constant__ gemv args,
                                                 size_t row_bytes, unsigned stage_bytes) {
    extern __shared__ __align__(16) char shared[];
    gemv_work<TYPE, EIGHTS, TILES> work(args, row_bytes);
    const int warp = threadIdx.x / LANES, units = args.w.columns / UNIT_COLUMNS;
    const int per_stage = packing<TYPE>::UNITS, stages = (units + per_stage - 1) / per_stage;
    char *ring = shared + warp * STAGES * stage_bytes;
    for (int i = 0; i < STAGES - 1; i++) {
        const int stage = warp + WARPS * i;
        if (stage < stages)
            work.copy(ring + i * stage_bytes, stage, min(units - stage * per_stage, per_stage));
        asm volatile("cp.async.commit_group;");
    }
    for (int stage = warp, slot = 0; stage < stages; stage += WARPS) {
        const int ahead = stage + WARPS * (STAGES - 1), ahead_slot = slot ? slot - 1 : STAGES - 1;
        if (ahead < stages)
            work.copy(ring + ahead_slot * stage_bytes, ahead,
                      min(units - ahead * per_stage, per_stage));
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        __syncwarp(); // every lane's copies of this stage have arrived
        const int left = units - stage * per_stage;
        if (left >= per_stage)
            work.template compute<true>(ring + slot * stage_bytes, stage, left);
        else
            work.template compute<false>(ring + slot * stage_bytes, stage, left);
        __syncwarp(); // and all have read it before it is written over
        slot = slot + 1 < STAGES ? slot + 1 : 0;
    }
    work.store((float *)shared);
}

template <enum dtype TYPE, int EIGHTS, int TILES>
static bool launch(struct device *device, const struct gemv *args) {
    using work = gemv_work<TYPE, EIGHTS, TILES>;
    const size_t stage_bytes = work::stage_bytes(args->tokens);
    const size_t sums_bytes = (size_t)WARPS * work::ROWS * 8 * EIGHTS * sizeof(float);
    size_t shared = WARPS * STAGES * stage_bytes;
    if (shared < sums_bytes) shared = sums_bytes;
    if (shared > device->properties.sharedMemPerBlockOptin) return false;
    static size_t allowed = 48 << 10; // without asking
    if (shared > allowed) {
        device_note(device,
                    cudaFuncSetAttribute(gemv_kernel<TYPE, EIGHTS, TILES>,
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
        allowed = shared;
    }
    gemv_kernel<TYPE, EIGHTS, TILES>
        <<<ceil_divide((size_t)args->w.rows, work::ROWS), WARPS * LANES, shared, device->stream>>>(
            *args, dtype_row_bytes(args->w.type, args->w.columns), (unsigned)stage_bytes);
    device_note(device, cudaGetLastError());
    return true;
}

// As many tokens at once as the card's shared memory has room for. Returns how many.
template <enum dtype TYPE> static int32_t launch_some(struct device *device, struct gemv args) {
    const int32_t tokens = args.tokens;
    if (tokens > 8) {
        args.tokens = tokens < TOKENS_MAX ? tokens : TOKENS_MAX;
        if (launch<TYPE, 2, 2>(device, &args)) return args.tokens;
        if (launch<TYPE, 2, 1>(device, &args)) return args.tokens;
    }
    for (args.tokens = tokens < 8 ? tokens : 8; !launch<TYPE, 1, 1>(device, &args);
         args.tokens /= 2)
        ASSERT(args.tokens > 1);
    return args.tokens;
}

template <enum dtype TYPE> static void launch_all(struct device *device, struct gemv args) {
    for (int32_t done; args.tokens > 0; args.tokens -= done) {
        done = launch_some<TYPE>(device, args);
        const size_t outputs = (size_t)done * (size_t)args.w.rows;
        if (args.y32)
            args.y32 += outputs;
        else
            args.y16 += outputs;
        if (args.row_index)
            args.row_index += done;
        else
            args.x += (size_t)done * (size_t)args.w.columns;
    }
}

bool gemv_fits(const struct weight *w) {
    return w->type != DTYPE_F32 && w->columns % UNIT_COLUMNS == 0 && (uintptr_t)w->data % 16 == 0;
}

void gemv_launch(struct device *device, const struct gemv *args) {
    ASSERT(gemv_fits(&args->w));
    switch (args->w.type) {
#define CASE(id, bytes, elements, name)                                               \
    case DTYPE_##id:                                                                  \
        if constexpr (DTYPE_##id != DTYPE_F32) launch_all<DTYPE_##id>(device, *args); \
        break;
        DTYPE_MAP(CASE)
#undef CASE
    case DTYPE_COUNT:
        ASSERT(false);
    }
}
