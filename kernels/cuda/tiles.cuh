// kernels/cuda/tiles.cuh — matrices in the order in which the tensor cores read them.
//
//   F32           rows of fp32, as in the file
//   F16, BF16     rows of fp16, padded to whole tiles of 16 rows; bf16 is rounded once, when it is
//                 loaded, which is exact from 6e-5 to 65504
//   packed types  tiles of 16 rows; a tile is a sequence of fragments of COLUMNS columns each.
//                 Rows and columns past the matrix have a scale of 0.
//
// A fragment is read by one warp from end to end and feeds mma.m16n8k16 without shuffles. Its
// columns come in groups of 32, the blocks of most quantised types. Lane 4 g + t holds rows g and
// g + 8. Of each group it holds columns 4t ... 4t + 3, the operands of the group's first product,
// and columns 16 + 4t ... 16 + 4t + 3, the operands of its last. x is laid out alike.
//
// load() reads all that a lane needs of a fragment, from shared or global memory, in loads of 16
// bytes that are adjacent across the warp; the rest is arithmetic on registers. The layouts of the
// types are in fragments_scaled.cuh, fragments_coded.cuh and fragments_grids.cuh.
#pragma once
#include "kernels/cuda/device.cuh"

enum { TILE_ROWS = 16, GROUP_COLUMNS = 32, QUAD_GROUPS = 4, LANES = 32 };

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
static __device__ inline unsigned short_of(unsigned word, int i) { // in both halves of the result
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

// Operands A of a group's two products: rows g and g + 8 alternate.
struct group_operands {
    unsigned first[4], last[4];
};

// What every fragment<TYPE> provides:
//   GROUPS, BYTES, STAGES  groups and bytes of a fragment; fragments that a warp keeps in flight
//   COMMON                 whether the type is worth separate kernels by number of tokens
//   load(fragment, lane)   reads the lane's words, unconverted
//   operands(u)            operands A of group u, exact
//   LAST_SHIFT             bits by which the last product's operands are scaled up over the first's
//   FACTORS                scales in a row of a group: one, or one for each half
//   factor(u, row, half)   multiplies the products, as row_factor(row) does; row 0 is g, 1 is g + 8
// and with MINIMA, where a weight is scale * q - minimum:
//   minima()               operand A of the product with the means of x, a column for each half
//                          group; multiplied by minimum_factor(row) and by 16, a half group's width
//   minimum(u, row, half)  one minimum as a number, for code that needs the weights themselves
// A weight is operand * factor * row_factor - minimum, with the operand read as a float.
template <enum dtype TYPE> struct fragment;

#include "kernels/cuda/fragments_coded.cuh"
#include "kernels/cuda/fragments_grids.cuh"
#include "kernels/cuda/fragments_scaled.cuh"

// The type in which the card stores a matrix of `type`.
static inline enum dtype kept_type(enum dtype type) {
    return type == DTYPE_BF16 ? DTYPE_F16 : type;
}

static inline bool is_packed(enum dtype type) {
    return kept_type(type) != DTYPE_F32 && kept_type(type) != DTYPE_F16;
}

static inline size_t tile_count(const struct weight *w) {
    return ((size_t)w->rows + TILE_ROWS - 1) / TILE_ROWS;
}

// Whether a type is worth separate kernels by number of tokens.
template <enum dtype TYPE> static constexpr bool IS_COMMON = fragment<TYPE>::COMMON;
template <> constexpr bool IS_COMMON<DTYPE_F16> = true;

template <enum dtype TYPE> struct fragments_of {
    enum { COLUMNS = fragment<TYPE>::GROUPS * GROUP_COLUMNS };
    static __host__ __device__ int a_row(const struct weight &w) {
        return (w.columns + COLUMNS - 1) / COLUMNS;
    }
    static __device__ const char *at(const struct weight &w, int row, int column) {
        return (const char *)w.data +
               ((size_t)(row / TILE_ROWS) * a_row(w) + column / COLUMNS) * fragment<TYPE>::BYTES;
    }
};
