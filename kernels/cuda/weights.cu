// kernels/cuda/weights.cu — matrices of a file, copied to the card in the order of tiles.cuh.
//
//   from  [rows, columns]  as in the file, on the card for the time of the call
//   to    tiles of cells
//
//   grid  cells;  block  LANES: a lane writes what it will read
//
// Exact: bits are moved. What has no tiles is rounded to fp16:
//
//   grid  1024;  block  THREADS, a thread a weight and step
#include "kernels/cuda/tiles.cuh"

#include <cstdlib>

#include "kernels/blocks.h"

enum { THREADS = 256 };

// The quant of a column, as it is kept.
static __device__ unsigned quant_of(const block_q8_0 *row, int column) {
    return (uint8_t)row[column / 32].q[column % 32] ^ 0x80;
}
static __device__ unsigned quant_of(const block_q4_0 *row, int column) {
    return row[column / 32].q[column % 16] >> column % 32 / 16 * 4 & 15;
}
static __device__ unsigned quant_of(const block_q4_k *row, int column) {
    const int group = column % 256 / 32;
    return row[column / 256].q[group / 2 * 32 + column % 32] >> group % 2 * 4 & 15;
}
static __device__ unsigned quant_of(const block_q5_k *row, int column) {
    const int group = column % 256 / 32, at = group / 2 * 32 + column % 32;
    const block_q5_k *block = row + column / 256;
    return (block->q[at] >> group % 2 * 4 & 15) | (block->high[column % 32] >> group & 1) << 4;
}
static __device__ unsigned quant_of(const block_q6_k *row, int column) {
    const int part = column % 256 / 128, quarter = column % 128 / 32, at = column % 32;
    const block_q6_k *block = row + column / 256;
    return (block->low[64 * part + 32 * (quarter % 2) + at] >> quarter / 2 * 4 & 15) |
           (block->high[32 * part + at] >> 2 * quarter & 3) << 4;
}

static __device__ void move_bytes(char *to, const void *from, int count) {
    for (int i = 0; i < count; i++)
        to[i] = ((const char *)from)[i];
}

// A row's head: `units` units from `unit` on are in the matrix.
template <typename block_t>
static __device__ void move_head(char *cell, int row, const block_t *from, int unit, int units) {
    const int head = 2 * (sizeof(block_t) == sizeof(block_q8_0) ? 4 : 8);
    for (int i = 0; i < units; i++)
        move_bytes(cell + row * head + 2 * i, &from[unit + i].d, 2);
}
static __device__ void move_head(char *cell, int row, const block_q4_k *from, int unit, int) {
    move_bytes(cell + row * 16, &from[unit / 8], 16);
}
static __device__ void move_head(char *cell, int row, const block_q5_k *from, int unit, int) {
    move_bytes(cell + row * 16, &from[unit / 8], 16);
}
static __device__ void move_head(char *cell, int row, const block_q6_k *from, int unit, int) {
    move_bytes(cell + row * 16, from[unit / 8].scales, 16);
    move_bytes(cell + ::cell<DTYPE_Q6_K>::D + row * 2, &from[unit / 8].d, 2);
}

template <enum dtype TYPE> struct block_of;
template <> struct block_of<DTYPE_Q8_0> { typedef block_q8_0 type; };
template <> struct block_of<DTYPE_Q4_0> { typedef block_q4_0 type; };
template <> struct block_of<DTYPE_Q4_K> { typedef block_q4_k type; };
template <> struct block_of<DTYPE_Q5_K> { typedef block_q5_k type; };
template <> struct block_of<DTYPE_Q6_K> { typedef block_q6_k type; };

// Four quants of a row, those of one product.
struct four_quants {
    unsigned q[4];
};

static __device__ unsigned bytes_word(const four_quants &from) {
    return from.q[0] | from.q[1] << 8 | from.q[2] << 16 | from.q[3] << 24;
}
static __device__ unsigned nibbles_word(const four_quants &first, const four_quants &last) {
    unsigned word = 0;
    for (int e = 0; e < 4; e++)
        word |= (first.q[e] & 15) << (8 * (e / 2) + 16 * (e % 2)) |
                (last.q[e] & 15) << (4 + 8 * (e / 2) + 16 * (e % 2));
    return word;
}
// What add_high<BITS>() takes apart again.
static __device__ unsigned high_word(const four_quants &from, int half, int bits, int turn) {
    unsigned word = 0;
    for (int e = 0; e < 4; e++) {
        const int at = (4 + 4 * half + 16 * (e % 2) + e / 2 * bits + turn) % 32;
        const unsigned high = from.q[e] >> 4;
        word |= high << at | (at + bits > 32 ? high >> (32 - at) : 0);
    }
    return word;
}

template <enum dtype TYPE>
static __device__ four_quants four_of(const weight &from, size_t row_bytes, int row, int column) {
    typedef typename block_of<TYPE>::type block_t;
    four_quants four = {};
    if (row >= from.rows || column >= from.columns) return four;
    const block_t *blocks = (const block_t *)((const char *)from.data + row * row_bytes);
    for (int e = 0; e < 4; e++)
        four.q[e] = quant_of(blocks, column + e);
    return four;
}

template <enum dtype TYPE>
static __global__ __launch_bounds__(LANES) void tile_kernel(char *to, weight from,
                                                            size_t row_bytes) {
    typedef cell<TYPE> shape;
    typedef typename block_of<TYPE>::type block_t;
    const int a_row = cells_of<TYPE>::a_row(from), lane = threadIdx.x;
    const int first_row = blockIdx.x / a_row * TILE_ROWS;
    const int first_column = blockIdx.x % a_row * cells_of<TYPE>::COLUMNS;
    char *out = to + (size_t)blockIdx.x * shape::BYTES;
    for (int i = lane; i < shape::BYTES / 4; i += LANES)
        ((unsigned *)out)[i] = 0;
    __syncwarp(); // zeros are written before what replaces them
    if (lane < TILE_ROWS && first_row + lane < from.rows) {
        const int left = (from.columns - first_column) / UNIT_COLUMNS;
        move_head(out, lane,
                  (const block_t *)((const char *)from.data + (first_row + lane) * row_bytes),
                  first_column / UNIT_COLUMNS, min(left, (int)shape::UNITS));
    }
    unsigned *words = (unsigned *)(out + shape::QUANTS), *high = (unsigned *)(out + shape::HIGH);
    for (int u = 0; u < shape::UNITS; u++)
        for (int r = 0; r < 2; r++) {
            const int row = first_row + lane / 4 + 8 * r;
            const int column = first_column + UNIT_COLUMNS * u + lane % 4 * 4;
            const four_quants first = four_of<TYPE>(from, row_bytes, row, column);
            const four_quants last = four_of<TYPE>(from, row_bytes, row, column + 16);
            if (TYPE == DTYPE_Q8_0) {
                words[u * 128 + lane * 4 + 2 * r] = bytes_word(first);
                words[u * 128 + lane * 4 + 2 * r + 1] = bytes_word(last);
                continue;
            }
            words[u / 2 * 128 + lane * 4 + u % 2 * 2 + r] = nibbles_word(first, last);
            const int bits = shape::HIGH_BITS, turn = bits == 1 ? u % 2 * 8 + r * 2 : r * 8;
            if (bits)
                high[bits == 1 ? lane * 4 + u / 2 : u / 4 * 128 + lane * 4 + u % 4] |=
                    high_word(first, 0, bits, turn) | high_word(last, 1, bits, turn);
        }
}

static __device__ float float_of(half bits) { return __half2float(__ushort_as_half(bits)); }
static __device__ int nibble_of(const uint8_t *q, size_t i) { // of 32: low ones first
    return q[i % 16] >> i % 32 / 16 * 4 & 15;
}

static __device__ int fifth_bit(const uint8_t *high, size_t i) {
    return high[i % 32 / 8] >> i % 8 & 1;
}
static __device__ int q3_k_factor(const uint8_t *scales, int g) { // q3_k_scale() of blocks.h
    const int low = g < 8 ? scales[g] & 15 : scales[g - 8] >> 4;
    return (low | (scales[8 + g % 4] >> g / 4 * 2 & 3) << 4) - 32;
}
static __device__ int iq4_xs_factor(const block_iq4_xs *block, int g) { // iq4_xs_scale() of it
    const int low = block->low[g / 2] >> g % 2 * 4 & 15;
    return (low | (block->high[g / 4] >> g % 4 * 2 & 3) << 4) - 32;
}

// Weight i of a run of blocks: blocks.c in other words, and rounded by the caller.
template <enum dtype TYPE> static __device__ float value_at(const void *blocks, size_t i);
template <> __device__ float value_at<DTYPE_BF16>(const void *blocks, size_t i) {
    return __bfloat162float(((const __nv_bfloat16 *)blocks)[i]);
}
template <> __device__ float value_at<DTYPE_Q4_1>(const void *blocks, size_t i) {
    const block_q4_1 *block = (const block_q4_1 *)blocks + i / 32;
    return float_of(block->d) * nibble_of(block->q, i) + float_of(block->m);
}
template <> __device__ float value_at<DTYPE_Q5_0>(const void *blocks, size_t i) {
    const block_q5_0 *block = (const block_q5_0 *)blocks + i / 32;
    const int quant = nibble_of(block->q, i) | fifth_bit(block->high, i) << 4;
    return float_of(block->d) * (quant - 16);
}
template <> __device__ float value_at<DTYPE_Q5_1>(const void *blocks, size_t i) {
    const block_q5_1 *block = (const block_q5_1 *)blocks + i / 32;
    const int quant = nibble_of(block->q, i) | fifth_bit(block->high, i) << 4;
    return float_of(block->d) * quant + float_of(block->m);
}
template <> __device__ float value_at<DTYPE_Q2_K>(const void *blocks, size_t i) {
    const block_q2_k *block = (const block_q2_k *)blocks + i / 256;
    const int at = (int)(i % 256), scale = block->scales[at / 16];
    const int quant = block->q[at / 128 * 32 + at % 32] >> at % 128 / 32 * 2 & 3;
    return float_of(block->d) * ((scale & 15) * quant) - float_of(block->dmin) * (scale >> 4);
}
template <> __device__ float value_at<DTYPE_Q3_K>(const void *blocks, size_t i) {
    const block_q3_k *block = (const block_q3_k *)blocks + i / 256;
    const int at = (int)(i % 256);
    const int low = block->q[at / 128 * 32 + at % 32] >> at % 128 / 32 * 2 & 3;
    const int quant = (low | (block->high[at % 32] >> at / 32 & 1) << 2) - 4;
    return float_of(block->d) * (q3_k_factor(block->scales, at / 16) * quant);
}

static __constant__ int8_t iq4_steps[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                            1,    13,   25,  38,  53,  69,  89,  113};
static __constant__ float fp4_steps[16] = {0,  0.5f,  1,  1.5f,  2,  3,  4,  6,
                                           0, -0.5f, -1, -1.5f, -2, -3, -4, -6};

template <> __device__ float value_at<DTYPE_IQ4_NL>(const void *blocks, size_t i) {
    const block_iq4_nl *block = (const block_iq4_nl *)blocks + i / 32;
    return float_of(block->d) * iq4_steps[nibble_of(block->q, i)];
}
template <> __device__ float value_at<DTYPE_IQ4_XS>(const void *blocks, size_t i) {
    const block_iq4_xs *block = (const block_iq4_xs *)blocks + i / 256;
    const int group = (int)(i % 256 / 32), step = iq4_steps[nibble_of(block->q + 16 * group, i)];
    return float_of(block->d) * (iq4_xs_factor(block, group) * step);
}
template <> __device__ float value_at<DTYPE_MXFP4>(const void *blocks, size_t i) {
    const block_mxfp4 *block = (const block_mxfp4 *)blocks + i / 32;
    return ldexpf(fp4_steps[nibble_of(block->q, i)], block->exponent - 127);
}

template <enum dtype TYPE>
static __global__ void halves_kernel(__half *to, const void *from, size_t count) {
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count;
         i += (size_t)gridDim.x * THREADS)
        from_float(value_at<TYPE>(from, i), &to[i]);
}

template <enum dtype TYPE> static size_t tiled_bytes(const struct weight *w) {
    return tile_count(w) * cells_of<TYPE>::a_row(*w) * cell<TYPE>::BYTES;
}

static size_t bytes_on_card(const struct weight *w) {
    switch (w->type) {
#define CASE(id)     \
    case DTYPE_##id: \
        return tiled_bytes<DTYPE_##id>(w);
        PACKED_MAP(CASE)
#undef CASE
    default:
        break;
    }
    return tile_count(w) * TILE_ROWS *
           dtype_row_bytes(kept_type(w->type), w->columns); // whole tiles
}

static void arrange(struct device *device, void *to, const struct weight *from) {
    const size_t row_bytes = dtype_row_bytes(from->type, from->columns);
    switch (from->type) {
#define CASE(id)                                                                            \
    case DTYPE_##id:                                                                        \
        tile_kernel<DTYPE_##id>                                                             \
            <<<(unsigned)(tile_count(from) * cells_of<DTYPE_##id>::a_row(*from)), LANES, 0, \
               device->stream>>>((char *)to, *from, row_bytes);                             \
        break;
        PACKED_MAP(CASE)
#undef CASE
#define CASE(id)                                                      \
    case DTYPE_##id:                                                  \
        halves_kernel<DTYPE_##id><<<1024, THREADS, 0, device->stream>>>( \
            (__half *)to, from->data, (size_t)from->rows *(size_t)from->columns); \
        break;
        UNPACKED_MAP(CASE)
#undef CASE
    case DTYPE_F32:
    case DTYPE_F16:
    case DTYPE_COUNT:
        ASSERT(false);
    }
    device_note(device, cudaGetLastError());
}

// The file's bytes go to the card as they are, and from there to their place.
static enum status copy_arranged(struct device *device, const struct weight *in_file, void *to) {
    struct weight raw = *in_file;
    const size_t bytes = (size_t)raw.rows * dtype_row_bytes(raw.type, raw.columns);
    const bool as_it_is = raw.type == DTYPE_F32 || raw.type == DTYPE_F16;
    void *memory = to;
    if (!as_it_is && cudaMalloc(&memory, bytes) != cudaSuccess) {
        cudaGetLastError(); // this call's answer, not the next launch's
        return STATUS_NO_MEMORY;
    }
    device_note(device, cudaMemcpyAsync(memory, in_file->data, bytes, cudaMemcpyHostToDevice,
                                        device->stream));
    if (as_it_is) return STATUS_OK;
    raw.data = memory;
    arrange(device, to, &raw);
    device_note(device, cudaStreamSynchronize(device->stream));
    device_note(device, cudaFree(memory));
    return STATUS_OK;
}

extern "C" enum status cuda_weights(struct device *device, const struct weight *in_file,
                                    const void **data) {
    if (in_file->columns % 8) return STATUS_UNSUPPORTED; // rows are read 16 bytes of fp16 at a time
    struct copied_weights *copy = (struct copied_weights *)malloc(sizeof *copy);
    if (!copy) return STATUS_NO_MEMORY;
    if (cudaMalloc(&copy->memory, bytes_on_card(in_file)) != cudaSuccess) {
        cudaGetLastError();
        free(copy);
        return STATUS_NO_MEMORY;
    }
    copy->next = device->weights;
    device->weights = copy;
    TRY(copy_arranged(device, in_file, copy->memory));
    *data = copy->memory;
    return STATUS_OK;
}

extern "C" void cuda_free_weights(struct device *device) {
    while (device->weights) {
        struct copied_weights *first = device->weights;
        device->weights = first->next;
        cudaFree(first->memory);
        free(first);
    }
}
