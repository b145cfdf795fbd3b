// kernels/cuda/tiles.cuh — matrices in the order in which the tensor cores take them.
//
//   F32           rows of fp32, as in the file
//   F16, BF16     rows of fp16, with room for whole tiles of 16; bf16 is rounded once, when it is
//                 loaded, which is exact from 6e-5 to 65504
//   packed types  tiles of 16 rows; a tile is its cells of COLUMNS columns one after the other.
//                 Rows and columns past the matrix have a scale of 0.
//
// A cell is read by one warp from end to end, and feeds mma.m16n8k16 with no shuffling: lane
// 4 g + t has rows g and g + 8, and of each unit of 32 columns the columns 4t ... 4t + 3, which are
// operands of the unit's first product, and 16 + 4t ... 16 + 4t + 3, of its last. x is laid out
// alike.
//
// load() takes all that a lane needs of a cell, 16 bytes at a time and next to what the other lanes
// take, from shared or from global memory; everything else is arithmetic on registers. What the
// types have in their cells is in fragments_scaled.cuh, fragments_coded.cuh and fragments_grids.cuh.
#pragma once
#include "kernels/cuda/cuda.cuh"

enum { TILE_ROWS = 16, UNIT_COLUMNS = 32, QUAD_UNITS = 4, LANES = 32 };

static __device__ inline __half2 as_halves(unsigned bits) { return *(const __half2 *)&bits; }
static __device__ inline unsigned as_bits(__half2 pair) { return *(const unsigned *)&pair; }
static __device__ inline float low_float(unsigned pair) { return __low2float(as_halves(pair)); }
static __device__ inline float high_float(unsigned pair) { return __high2float(as_halves(pair)); }

static __device__ inline unsigned half_at(const void *memory, int offset) {
    return *(const unsigned short *)((const char *)memory + offset);
}
static __device__ inline uint4 words_at(const void *memory, int offset) {
    return *(const uint4 *)((const char *)memory + offset);
}
static __device__ inline unsigned word_of(uint4 words, int i) {
    return i / 2 ? (i % 2 ? words.w : words.z) : (i % 2 ? words.y : words.x);
}
static __device__ inline unsigned short_of(unsigned word, int i) { // twice
    return __byte_perm(word, 0, i ? 0x3232 : 0x1010);
}

// c[16 x 8] += a[16 x 16] b[16 x 8], over a warp.
static __device__ inline void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                       unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Operands A of a unit's two products: rows g and g + 8 in turn.
struct unit_operands {
    unsigned first[4], last[4];
};

// What a type's cell has:
//   UNITS, BYTES, STAGES   of a cell: units, bytes, and how many of them a warp has on their way
//   COMMON                 whether the type is worth kernels for each number of tokens
//   load(cell, lane)       all words of the lane, as they are
//   operands(u)            operands A of unit u, exact
//   LAST_SHIFT             bits by which those of the last product are higher than the first's
//   FACTORS                of a unit's row: one for each half, or one
//   factor(u, row, half)   row 0 or 1: g or g + 8; its products times it and row_factor(row)
// and with MINIMA, where a weight is scale * q - minimum:
//   minima()               operand A of the product with the means of x, a column for each half
//                          unit; times minimum_factor(row) and the half unit's 16 columns
//   minimum(u, row, half)  one of them as a number, for those who want the weights themselves
// A weight is its operand * factor * row_factor - minimum, the operand read as a float.
template <enum dtype TYPE> struct cell;

#include "kernels/cuda/fragments_coded.cuh"
#include "kernels/cuda/fragments_grids.cuh"
#include "kernels/cuda/fragments_scaled.cuh"

// The type of a matrix on the card.
static inline enum dtype kept_type(enum dtype type) {
    return type == DTYPE_BF16 ? DTYPE_F16 : type;
}

static inline bool is_packed(enum dtype type) {
    return kept_type(type) != DTYPE_F32 && kept_type(type) != DTYPE_F16;
}

static inline size_t tile_count(const struct weight *w) {
    return ((size_t)w->rows + TILE_ROWS - 1) / TILE_ROWS;
}

// Whether a type is worth kernels for each number of tokens.
template <enum dtype TYPE> static constexpr bool IS_COMMON = cell<TYPE>::COMMON;
template <> constexpr bool IS_COMMON<DTYPE_F16> = true;

template <enum dtype TYPE> struct cells_of {
    enum { COLUMNS = cell<TYPE>::UNITS * UNIT_COLUMNS };
    static __host__ __device__ int a_row(const struct weight &w) {
        return (w.columns + COLUMNS - 1) / COLUMNS;
    }
    static __device__ const char *at(const struct weight &w, int row, int column) {
        return (const char *)w.data +
               ((size_t)(row / TILE_ROWS) * a_row(w) + column / COLUMNS) * cell<TYPE>::BYTES;
    }
};
