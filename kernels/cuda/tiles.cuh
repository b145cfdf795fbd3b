// kernels/cuda/tiles.cuh — matrices in the order in which the tensor cores take them.
//
//   F32           rows of fp32, as in the file
//   F16, BF16, and packed types without tiles: rows of fp16, with room for whole tiles of 16;
//                 weights are rounded to fp16 once, by the loading, which for bf16 is exact from
//                 6e-5 to 65504
//   packed types  tiles of 16 rows; a tile is its cells of COLUMNS columns one after the other.
//                 Rows and columns past the matrix have a scale of 0.
//
// A cell is read by one warp from end to end, and feeds mma.m16n8k16 with no shuffling: lane
// 4 g + t has rows g and g + 8, and of each unit of 32 columns the columns 4t ... 4t + 3, which are
// operands of the unit's first product, and 16 + 4t ... 16 + 4t + 3, of its last. x is laid out
// alike.
//
//   heads   16 rows x HEAD bytes: what the file has in a block besides the quants
//   quants  Q8_0: a word for each row and half of a unit; others: a word of 8 nibbles for each row
//           of a unit. 16 bytes a lane, 512 bytes a warp in a run
//   high    bits 4 ... of the quants, where there are any; then, of Q6_K, d of each row
//
// A quant is not converted: its bits, low in a half, are a subnormal number, the quant times 2^-24,
// exactly. The last product's are 16 times larger, as its nibbles are not shifted down. So what is
// left to arithmetic is, for each unit, a factor, and for each cell one product more that takes off
// the minima: scale * (q - offset) = scale * q - minimum.
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

static constexpr float SUBNORMAL = 1 << 24; // times a quant's half: the quant

// What a type's cell has:
//   UNITS, BYTES, HEAD, HIGH_BITS   as above
//   FACTORS  of a unit's row: one for each half, or one
//   LAST_SHIFT  bits by which the quants of the last product are higher than those of the first
//   load(cell, lane)       what all units share
//   operands(u)            of unit u
//   factor(u, row, half)   row 0 or 1: g or g + 8; its products times it and row_factor(row)
//   minima()               operand A of the product with the means of x, a column for each half
//                          unit; times minimum_factor(row) and the half unit's 16 columns
//   minimum(u, row, half)  one of them as a number, for those who want the weights themselves
template <enum dtype TYPE> struct cell;

struct cell_of_nibbles {
    enum { UNITS = 8, HEAD = 16, QUANTS = TILE_ROWS * HEAD, HIGH = QUANTS + 2048 };
    enum { LAST_SHIFT = 4, FACTORS = 1 };
    const char *memory;
    int lane;
    __device__ int head(int row) const { return (lane / 4 + 8 * row) * HEAD; }
    __device__ unsigned quants(int u, int row) const {
        const uint4 words = words_at(memory, QUANTS + u / 2 * 512 + lane * 16);
        return u % 2 ? (row ? words.w : words.z) : (row ? words.y : words.x);
    }
    __device__ unit_operands low_operands(int u) const {
        unit_operands a;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const unsigned word = quants(u, row), next = word >> 8;
            a.first[row] = word & 0x000f000fu, a.first[row + 2] = next & 0x000f000fu;
            a.last[row] = word & 0x00f000f0u, a.last[row + 2] = next & 0x00f000f0u;
        }
        return a;
    }
};

// Bits 4 ... of a row's quants. In `word`, rotated right by `turn`, those of the first product lie
// over its nibbles, those of the last over its own, and, BITS further, the same of the next pairs.
template <int BITS>
static __device__ inline void add_high(unit_operands &a, int row, unsigned word, int turn) {
    const unsigned mask = BITS == 1 ? 0x00100010u : 0x00300030u;
    const unsigned here = __funnelshift_r(word, word, turn);
    const unsigned next = __funnelshift_r(word, word, turn + BITS);
    a.first[row] |= here & mask, a.first[row + 2] |= next & mask;
    a.last[row] |= here & mask << 4, a.last[row + 2] |= next & mask << 4;
}

template <> struct cell<DTYPE_Q4_0> : cell_of_nibbles { // a head is d of each unit
    enum { BYTES = HIGH, HIGH_BITS = 0, STAGES = 3 };
    unsigned scales[2][4];
    __device__ void load(const char *from, int of_lane) {
        memory = from, lane = of_lane;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const uint4 words = words_at(memory, head(row));
            scales[row][0] = words.x, scales[row][1] = words.y;
            scales[row][2] = words.z, scales[row][3] = words.w;
        }
    }
    __device__ unit_operands operands(int u) const { return low_operands(u); }
    __device__ float scale(int u, int row) const {
        return u % 2 ? high_float(scales[row][u / 2]) : low_float(scales[row][u / 2]);
    }
    __device__ float factor(int u, int row, int half) const {
        return half ? scale(u, row) * 0.0625f : scale(u, row);
    }
    __device__ float row_factor(int) const { return SUBNORMAL; }
    __device__ void minima(unsigned (&a)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned d = half_at(memory, head(i % 2) + 2 * (lane % 4) + i / 2 * 8);
            a[i] = d | d << 16;
        }
    }
    __device__ float minimum_factor(int) const { return 8; }
    __device__ float minimum(int u, int row, int) const { return 8 * scale(u, row); }
};

// A head is the file's: d, dmin, and eight scales and minima of six bits.
struct cell_of_super_blocks : cell_of_nibbles {
    unsigned scales[2][2], lows[2][2]; // four bytes each
    float d[2], dmin[2];
    __device__ void load(const char *from, int of_lane) {
        memory = from, lane = of_lane;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const uint4 words = words_at(memory, head(row));
            d[row] = low_float(words.x), dmin[row] = high_float(words.x);
            scales[row][0] = words.y & 0x3f3f3f3fu, lows[row][0] = words.z & 0x3f3f3f3fu;
            scales[row][1] = (words.w & 0x0f0f0f0fu) | (words.y >> 2 & 0x30303030u);
            lows[row][1] = (words.w >> 4 & 0x0f0f0f0fu) | (words.z >> 2 & 0x30303030u);
        }
    }
    static __device__ float byte(const unsigned (&words)[2], int u) { // times 2^-24
        const unsigned word = words[u / 4] >> u % 2 * 8 & 0x00ff00ffu;
        return u % 4 / 2 ? high_float(word) : low_float(word);
    }
    __device__ float factor(int u, int row, int half) const {
        return half ? byte(scales[row], u) * 0.0625f : byte(scales[row], u);
    }
    __device__ float row_factor(int row) const { return d[row] * (SUBNORMAL * SUBNORMAL); }
    __device__ void minima(unsigned (&a)[4]) const {
        const unsigned twice = 0x4040u | (unsigned)(lane % 4) * 0x0101u; // byte t, 0, byte t, 0
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[i] = __byte_perm(lows[i % 2][i / 2], 0, twice);
    }
    __device__ float minimum_factor(int row) const { return dmin[row] * SUBNORMAL; }
    __device__ float minimum(int u, int row, int) const {
        return dmin[row] * (byte(lows[row], u) * SUBNORMAL);
    }
};

template <> struct cell<DTYPE_Q4_K> : cell_of_super_blocks {
    enum { BYTES = HIGH, HIGH_BITS = 0, STAGES = 3 };
    __device__ unit_operands operands(int u) const { return low_operands(u); }
};

template <> struct cell<DTYPE_Q5_K> : cell_of_super_blocks {
    enum { BYTES = HIGH + 512, HIGH_BITS = 1, STAGES = 3 };
    __device__ unit_operands operands(int u) const {
        unit_operands a = low_operands(u);
        const uint4 words = words_at(memory, HIGH + lane * 16);
        const unsigned word =
            u / 4 ? (u / 2 % 2 ? words.w : words.z) : (u / 2 % 2 ? words.y : words.x);
        for (int row = 0; row < 2; row++)
            add_high<1>(a, row, word, u % 2 * 8 + row * 2);
        return a;
    }
};

template <> struct cell<DTYPE_Q6_K> : cell_of_nibbles { // a head is 16 signed scales
    enum { D = HIGH + 1024, BYTES = D + 2 * TILE_ROWS, HIGH_BITS = 2, FACTORS = 2, STAGES = 3 };
    unsigned scales[2][4];
    float d[2];
    __device__ void load(const char *from, int of_lane) {
        memory = from, lane = of_lane;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const uint4 words = words_at(memory, head(row));
            scales[row][0] = words.x ^ 0x80808080u, scales[row][1] = words.y ^ 0x80808080u;
            scales[row][2] = words.z ^ 0x80808080u, scales[row][3] = words.w ^ 0x80808080u;
            d[row] = low_float(half_at(memory, D + 2 * (lane / 4 + 8 * row)));
        }
    }
    __device__ unit_operands operands(int u) const {
        unit_operands a = low_operands(u);
        const uint4 words = words_at(memory, HIGH + u / 4 * 512 + lane * 16);
        const unsigned word = u % 4 / 2 ? (u % 2 ? words.w : words.z) : (u % 2 ? words.y : words.x);
        for (int row = 0; row < 2; row++)
            add_high<2>(a, row, word, row * 8);
        return a;
    }
    // Two bytes, 128 added, as 1024 + each in a half.
    static __device__ __half2 pair(unsigned word, unsigned selector) {
        return __hsub2(as_halves(__byte_perm(word, 0x64646464u, selector)),
                       __float2half2_rn(1024 + 128));
    }
    __device__ float factor(int u, int row, int half) const {
        const __half2 two = pair(scales[row][u / 2], u % 2 ? 0x4342 : 0x4140);
        return half ? __high2float(two) * 0.0625f : __low2float(two);
    }
    __device__ float row_factor(int row) const { return d[row] * SUBNORMAL; }
    __device__ void minima(unsigned (&a)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[i] = as_bits(
                pair(half_at(memory, head(i % 2) + 2 * (lane % 4) + i / 2 * 8) ^ 0x8080u, 0x4140));
    }
    __device__ float minimum_factor(int row) const { return 32 * d[row]; }
    __device__ float minimum(int u, int row, int half) const {
        return minimum_factor(row) * (factor(u, row, half) * (half ? 16 : 1));
    }
};

template <> struct cell<DTYPE_Q8_0> { // 128 is added to the quants; a head is d of each unit
    enum { UNITS = 4, HEAD = 8, QUANTS = TILE_ROWS * HEAD, BYTES = QUANTS + UNITS * 512 };
    enum { HIGH = BYTES, HIGH_BITS = 0, LAST_SHIFT = 0, FACTORS = 1, STAGES = 3 };
    const char *memory;
    int lane;
    unsigned scales[2][2];
    __device__ int head(int row) const { return (lane / 4 + 8 * row) * HEAD; }
    __device__ void load(const char *from, int of_lane) {
        memory = from, lane = of_lane;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const uint2 words = *(const uint2 *)(memory + head(row));
            scales[row][0] = words.x, scales[row][1] = words.y;
        }
    }
    __device__ unit_operands operands(int u) const {
        const uint4 words = words_at(memory, QUANTS + u * 512 + lane * 16);
        const unsigned first[2] = {words.x, words.z}, last[2] = {words.y, words.w};
        unit_operands a;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            a.first[row] = __byte_perm(first[row], 0, 0x4140);
            a.first[row + 2] = __byte_perm(first[row], 0, 0x4342);
            a.last[row] = __byte_perm(last[row], 0, 0x4140);
            a.last[row + 2] = __byte_perm(last[row], 0, 0x4342);
        }
        return a;
    }
    __device__ float factor(int u, int row, int) const {
        return u % 2 ? high_float(scales[row][u / 2]) : low_float(scales[row][u / 2]);
    }
    __device__ float row_factor(int) const { return SUBNORMAL; }
    __device__ void minima(unsigned (&a)[4]) const {
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const unsigned d = half_at(memory, head(row) + 2 * (lane % 4));
            a[row] = d | d << 16, a[row + 2] = 0;
        }
    }
    __device__ float minimum_factor(int) const { return 128; }
    __device__ float minimum(int u, int row, int half) const { return 128 * factor(u, row, half); }
};

// CASE(id) for each type that has tiles, and for each other one that is fp16 on the card.
#define PACKED_MAP(X) X(Q8_0) X(Q4_0) X(Q4_K) X(Q5_K) X(Q6_K)
#define UNPACKED_MAP(X) \
    X(BF16) X(Q4_1) X(Q5_0) X(Q5_1) X(Q2_K) X(Q3_K) X(IQ4_NL) X(IQ4_XS) X(MXFP4)

// The type of a matrix on the card.
static inline enum dtype kept_type(enum dtype type) {
    switch (type) {
#define CASE(id) case DTYPE_##id:
        UNPACKED_MAP(CASE)
#undef CASE
        return DTYPE_F16;
#define CASE(id) case DTYPE_##id:
        PACKED_MAP(CASE)
#undef CASE
    case DTYPE_F32:
    case DTYPE_F16:
    case DTYPE_COUNT:
        break;
    }
    return type;
}

static inline bool is_packed(enum dtype type) {
    return kept_type(type) != DTYPE_F32 && kept_type(type) != DTYPE_F16;
}

static inline size_t tile_count(const struct weight *w) {
    return ((size_t)w->rows + TILE_ROWS - 1) / TILE_ROWS;
}

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
