// kernels/cuda/fragments_scaled.cuh — fragments of types whose weights are scale * q - minimum.
//
//   params  16 rows x PARAMS bytes: what a block of the file stores besides the quants
//   quants  the low bits: a word of 8 nibbles for each row of a group, or of 16 two-bit values for
//           each row of two groups, or a byte each for Q8_0; 16 bytes a lane, 512 consecutive bytes
//           a warp
//   high    the bits above these, if any
//   d       of each row, where the params do not contain it
//
// A quant is never converted. Its bits, put low into a half, are a subnormal number: exactly the
// quant times 2^-24. The last product's quants stay LAST_SHIFT bits higher, because they are not
// shifted down. What remains for arithmetic is one factor for each group and, for each fragment,
// one more product that subtracts the minima: scale * (q - offset) = scale * q - minimum.
//
// Loading puts quants where they are read here: word_at() says into which of the lane's words,
// placed() at which bits of it, for column 4t + e of group u's first or last half.
#pragma once

static constexpr float SUBNORMAL = 1 << 24; // times a quant's half: the quant

// ---- quants

struct nibbles { // of 8 groups
    enum { QUANT_BYTES = 2048, LAST_SHIFT = 4 };
    uint4 low[4];
    static __device__ int word_at(int u, int row, int) { return 2 * u + row; }
    static __device__ unsigned placed(unsigned q, int, int half, int e) {
        return (q & 15) << (4 * half + 8 * (e / 2) + 16 * (e % 2));
    }
    __device__ void load_low(const char *from, int lane) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            low[i] = words_at(from, i * 512 + lane * 16);
    }
    __device__ group_operands low_operands(int u) const {
        group_operands a;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const unsigned word = word_of(low[u / 2], u % 2 * 2 + row), next = word >> 8;
            a.first[row] = word & 0x000f000fu, a.first[row + 2] = next & 0x000f000fu;
            a.last[row] = word & 0x00f000f0u, a.last[row + 2] = next & 0x00f000f0u;
        }
        return a;
    }
};

struct twos { // of 8 groups
    enum { QUANT_BYTES = 1024, LAST_SHIFT = 2 };
    uint4 low[2];
    static __device__ int word_at(int u, int row, int) { return u / 2 * 2 + row; }
    static __device__ unsigned placed(unsigned q, int u, int half, int e) {
        return (q & 3) << (2 * half + 4 * (e / 2) + 8 * (u % 2) + 16 * (e % 2));
    }
    __device__ void load_low(const char *from, int lane) {
        low[0] = words_at(from, lane * 16), low[1] = words_at(from, 512 + lane * 16);
    }
    __device__ group_operands low_operands(int u) const {
        group_operands a;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const unsigned word = word_of(low[u / 4], u / 2 % 2 * 2 + row) >> u % 2 * 8;
            a.first[row] = word & 0x00030003u, a.first[row + 2] = word >> 4 & 0x00030003u;
            a.last[row] = word & 0x000c000cu, a.last[row + 2] = word >> 4 & 0x000c000cu;
        }
        return a;
    }
};

// BITS bits of each quant above its lowest LOW. After a row's word is rotated right by rotation(),
// the high bits of the first product's quants lie right above their low bits, those of the last
// product in the same way; rotated BITS further, the same holds for the next pairs.
template <int BITS, int LOW> struct high_bits {
    enum { HIGH_BYTES = 512 * BITS };
    uint4 high[BITS];
    static __device__ int high_word_at(int u) { return BITS == 1 ? u / 2 : u; }
    static __device__ int rotation(int u, int row) {
        return BITS == 2 ? row * 8 : LOW == 4 ? u % 2 * 8 + row * 2 : u % 2 * 8 + row * 4;
    }
    static __device__ unsigned high_placed(unsigned q, int u, int row, int half, int e) {
        const int at = LOW + LOW * half + 16 * (e % 2) + e / 2 * BITS + rotation(u, row);
        return __funnelshift_l(q >> LOW, q >> LOW, at);
    }
    __device__ void load_high(const char *from, int lane) {
#pragma unroll
        for (int i = 0; i < BITS; i++)
            high[i] = words_at(from, i * 512 + lane * 16);
    }
    __device__ void add_high(group_operands &a, int u) const {
        const unsigned mask = (BITS == 1 ? 0x00010001u : 0x00030003u) << LOW;
        const unsigned all = word_of(high[high_word_at(u) / 4], high_word_at(u) % 4);
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const unsigned here = __funnelshift_r(all, all, rotation(u, row));
            const unsigned next = __funnelshift_r(all, all, rotation(u, row) + BITS);
            a.first[row] |= here & mask, a.first[row + 2] |= next & mask;
            a.last[row] |= here & mask << LOW, a.last[row + 2] |= next & mask << LOW;
        }
    }
};
template <int LOW> struct high_bits<0, LOW> {
    enum { HIGH_BYTES = 0 };
    __device__ void load_high(const char *, int) {}
    __device__ void add_high(group_operands &, int) const {}
};

// Params, low bits and high bits of 8 groups.
template <typename LOW, int BITS, int PARAM_BYTES>
struct scaled_fragment : LOW, high_bits<BITS, LOW::LAST_SHIFT> {
    typedef high_bits<BITS, LOW::LAST_SHIFT> high_t;
    enum { GROUPS = 8, PARAMS = PARAM_BYTES, HIGH_BITS = BITS, MINIMA = 1, STAGES = 3 };
    enum { QUANTS = TILE_ROWS * PARAMS, HIGH = QUANTS + LOW::QUANT_BYTES };
    enum { END = HIGH + high_t::HIGH_BYTES };
    uint4 params[2][PARAMS / 16];
    int lane;
    __device__ void load_all(const char *from, int of_lane) {
        lane = of_lane;
#pragma unroll
        for (int row = 0; row < 2; row++)
#pragma unroll
            for (int i = 0; i < PARAMS / 16; i++)
                params[row][i] = words_at(from, (lane / 4 + 8 * row) * PARAMS + 16 * i);
        this->load_low(from + QUANTS, lane);
        this->load_high(from + HIGH, lane);
    }
    __device__ group_operands operands(int u) const {
        group_operands a = this->low_operands(u);
        this->add_high(a, u);
        return a;
    }
    // Words t and t + 4 of eight, and below the same of the first eight 16-bit words.
    __device__ unsigned own_word(int row, int i) const {
        const uint4 four = params[row][i * (PARAMS / 32)];
        return lane % 4 / 2 ? (lane % 2 ? four.w : four.z) : (lane % 2 ? four.y : four.x);
    }
    __device__ unsigned own_short(int row, int i) const {
        const uint4 head = params[row][0];
        const unsigned word =
            i ? (lane % 4 / 2 ? head.w : head.z) : (lane % 4 / 2 ? head.y : head.x);
        return word >> lane % 2 * 16 & 0xffff;
    }
};

// ---- a scale for each group

// scale * (q - OFFSET); the params are each group's d.
template <int BITS, int AN_OFFSET> struct centred_fragment : scaled_fragment<nibbles, BITS, 16> {
    enum { BYTES = scaled_fragment<nibbles, BITS, 16>::END, FACTORS = 1, OFFSET = AN_OFFSET };
    __device__ void load(const char *from, int lane) { this->load_all(from, lane); }
    __device__ unsigned scale_bits(int u, int row) const {
        return short_of(word_of(this->params[row][0], u / 2), u % 2);
    }
    __device__ float scale(int u, int row) const { return low_float(scale_bits(u, row)); }
    __device__ float factor(int u, int row, int half) const {
        return half ? scale(u, row) * 0.0625f : scale(u, row);
    }
    __device__ float row_factor(int) const { return SUBNORMAL; }
    __device__ void minima(unsigned (&a)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[i] = short_of(this->own_short(i % 2, i / 2), 0);
    }
    __device__ float minimum_factor(int) const { return OFFSET; }
    __device__ float minimum(int u, int row, int) const { return OFFSET * scale(u, row); }
};
template <> struct fragment<DTYPE_Q4_0> : centred_fragment<0, 8> {
    enum { COMMON = 1 };
};
template <> struct fragment<DTYPE_Q5_0> : centred_fragment<1, 16> {
    enum { COMMON = 0 };
};

// scale * q + m; the params are each group's d and m.
template <int BITS> struct affine_fragment : scaled_fragment<nibbles, BITS, 32> {
    enum { BYTES = scaled_fragment<nibbles, BITS, 32>::END, FACTORS = 1, COMMON = 0 };
    __device__ void load(const char *from, int lane) { this->load_all(from, lane); }
    __device__ unsigned both(int u, int row) const {
        return word_of(this->params[row][u / 4], u % 4);
    }
    __device__ float factor(int u, int row, int half) const {
        const float scale = low_float(both(u, row));
        return half ? scale * 0.0625f : scale;
    }
    __device__ float row_factor(int) const { return SUBNORMAL; }
    __device__ void minima(unsigned (&a)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[i] = short_of(this->own_word(i % 2, i / 2), 1);
    }
    __device__ float minimum_factor(int) const { return -1; }
    __device__ float minimum(int u, int row, int) const { return -high_float(both(u, row)); }
};
template <> struct fragment<DTYPE_Q4_1> : affine_fragment<0> {};
template <> struct fragment<DTYPE_Q5_1> : affine_fragment<1> {};

// ---- super blocks

// Two signed bytes of a word as a pair of halves. The bytes come with 128 added; under the exponent
// of 1024 each is 1024 + byte, and the subtraction of 1024 + BASE is exact.
template <int BASE> static __device__ __half2 small_pair(unsigned word, unsigned selector) {
    return __hsub2(as_halves(__byte_perm(word, 0x64646464u, selector)),
                   __float2half2_rn(1024 + BASE));
}

// The params are as in the file: d, dmin, and eight scales and minima of six bits.
template <int BITS> struct super_fragment : scaled_fragment<nibbles, BITS, 16> {
    enum { BYTES = scaled_fragment<nibbles, BITS, 16>::END, FACTORS = 1, COMMON = 1 };
    __device__ void load(const char *from, int lane) { this->load_all(from, lane); }
    __device__ unsigned scales(int row, int four) const { // a byte each
        const uint4 head = this->params[row][0];
        return four ? (head.w & 0x0f0f0f0fu) | (head.y >> 2 & 0x30303030u) : head.y & 0x3f3f3f3fu;
    }
    __device__ unsigned lows(int row, int four) const {
        const uint4 head = this->params[row][0];
        return four ? (head.w >> 4 & 0x0f0f0f0fu) | (head.z >> 2 & 0x30303030u)
                    : head.z & 0x3f3f3f3fu;
    }
    __device__ float d(int row) const { return low_float(this->params[row][0].x); }
    __device__ float dmin(int row) const { return high_float(this->params[row][0].x); }
    static __device__ float byte(unsigned word, int u) { // times 2^-24
        const unsigned two = word >> u % 2 * 8 & 0x00ff00ffu;
        return u % 4 / 2 ? high_float(two) : low_float(two);
    }
    __device__ float factor(int u, int row, int half) const {
        const float scale = byte(scales(row, u / 4), u);
        return half ? scale * 0.0625f : scale;
    }
    __device__ float row_factor(int row) const { return d(row) * (SUBNORMAL * SUBNORMAL); }
    __device__ void minima(unsigned (&a)[4]) const {
        const unsigned twice = 0x4040u | (unsigned)(this->lane % 4) * 0x0101u; // byte t, 0, t, 0
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[i] = __byte_perm(lows(i % 2, i / 2), 0, twice);
    }
    __device__ float minimum_factor(int row) const { return dmin(row) * SUBNORMAL; }
    __device__ float minimum(int u, int row, int) const {
        return dmin(row) * (byte(lows(row, u / 4), u) * SUBNORMAL);
    }
};
template <> struct fragment<DTYPE_Q4_K> : super_fragment<0> {};
template <> struct fragment<DTYPE_Q5_K> : super_fragment<1> {};

// d * scale * (q - OFFSET); the params are 16 signed scales, one for each half group.
template <typename LOW, int BITS, int AN_OFFSET>
struct halved_fragment : scaled_fragment<LOW, BITS, 16> {
    typedef scaled_fragment<LOW, BITS, 16> base;
    enum { D = base::END, BYTES = D + 2 * TILE_ROWS, FACTORS = 2, OFFSET = AN_OFFSET };
    unsigned d_bits[2];
    __device__ void load(const char *from, int lane) {
        this->load_all(from, lane);
        d_bits[0] = half_at(from, D + 2 * (lane / 4));
        d_bits[1] = half_at(from, D + 2 * (lane / 4 + 8));
    }
    __device__ float d(int row) const { return low_float(d_bits[row]); }
    __device__ __half2 scales(int u, int row) const { // of group u's halves
        return small_pair<128>(word_of(this->params[row][0], u / 2) ^ 0x80808080u,
                               u % 2 ? 0x4342 : 0x4140);
    }
    __device__ float factor(int u, int row, int half) const {
        const __half2 two = scales(u, row);
        return half ? __high2float(two) * (1.0f / (1 << base::LAST_SHIFT)) : __low2float(two);
    }
    __device__ float row_factor(int row) const { return d(row) * SUBNORMAL; }
    __device__ void minima(unsigned (&a)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[i] = as_bits(small_pair<128>(this->own_short(i % 2, i / 2) ^ 0x8080u, 0x4140));
    }
    __device__ float minimum_factor(int row) const { return OFFSET * d(row); }
    __device__ float minimum(int u, int row, int half) const {
        return minimum_factor(row) *
               (half ? __high2float(scales(u, row)) : __low2float(scales(u, row)));
    }
};
template <> struct fragment<DTYPE_Q6_K> : halved_fragment<nibbles, 2, 32> {
    enum { COMMON = 1 };
};
template <> struct fragment<DTYPE_Q3_K> : halved_fragment<twos, 1, 4> {
    enum { COMMON = 0 };
};

// d * scale * q - dmin * min; the params are 16 scales and minima of four bits, one for each half
// group.
template <> struct fragment<DTYPE_Q2_K> : scaled_fragment<twos, 0, 16> {
    enum { D = END, BYTES = D + 4 * TILE_ROWS, FACTORS = 2, COMMON = 0 };
    unsigned d_bits[2];
    __device__ void load(const char *from, int of_lane) {
        load_all(from, of_lane);
        d_bits[0] = *(const unsigned *)(from + D + 4 * (of_lane / 4));
        d_bits[1] = *(const unsigned *)(from + D + 4 * (of_lane / 4 + 8));
    }
    __device__ float d(int row) const { return low_float(d_bits[row]); }
    __device__ float dmin(int row) const { return high_float(d_bits[row]); }
    __device__ __half2 scales(int u, int row) const { // of group u's halves
        return small_pair<0>(word_of(params[row][0], u / 2) & 0x0f0f0f0fu, u % 2 ? 0x4342 : 0x4140);
    }
    __device__ __half2 lows(int u, int row) const {
        return small_pair<0>(word_of(params[row][0], u / 2) >> 4 & 0x0f0f0f0fu,
                             u % 2 ? 0x4342 : 0x4140);
    }
    __device__ float factor(int u, int row, int half) const {
        const __half2 two = scales(u, row);
        return half ? __high2float(two) * 0.25f : __low2float(two);
    }
    __device__ float row_factor(int row) const { return d(row) * SUBNORMAL; }
    __device__ void minima(unsigned (&a)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[i] = as_bits(small_pair<0>(own_short(i % 2, i / 2) >> 4 & 0x0f0fu, 0x4140));
    }
    __device__ float minimum_factor(int row) const { return dmin(row); }
    __device__ float minimum(int u, int row, int half) const {
        return dmin(row) * (half ? __high2float(lows(u, row)) : __low2float(lows(u, row)));
    }
};

// ---- a scale for each row

// d * (q - 1), q of two bits.
struct ternary_fragment : twos {
    enum { GROUPS = 8, D = 0, QUANTS = 2 * TILE_ROWS, BYTES = QUANTS + QUANT_BYTES };
    enum { HIGH_BYTES = 0, FACTORS = 1, MINIMA = 1, STAGES = 3, COMMON = 0, OFFSET = 1 };
    unsigned d_bits[2];
    __device__ void load(const char *from, int lane) {
        d_bits[0] = half_at(from, D + 2 * (lane / 4));
        d_bits[1] = half_at(from, D + 2 * (lane / 4 + 8));
        load_low(from + QUANTS, lane);
    }
    __device__ group_operands operands(int u) const { return low_operands(u); }
    __device__ unsigned scale_bits(int, int row) const { return short_of(d_bits[row], 0); }
    __device__ float d(int row) const { return low_float(d_bits[row]); }
    __device__ float factor(int, int, int half) const { return half ? 0.25f : 1; }
    __device__ float row_factor(int row) const { return d(row) * SUBNORMAL; }
    __device__ void minima(unsigned (&a)[4]) const {
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[i] = 0x3c003c00u; // ones
    }
    __device__ float minimum_factor(int row) const { return d(row); }
    __device__ float minimum(int, int row, int) const { return d(row); }
};
template <> struct fragment<DTYPE_TQ1_0> : ternary_fragment {};
template <> struct fragment<DTYPE_TQ2_0> : ternary_fragment {};

// ---- bytes

template <>
struct fragment<DTYPE_Q8_0> { // 128 is added to the quants; the params are d of each group
    enum { GROUPS = 4, PARAMS = 8, QUANTS = TILE_ROWS * PARAMS, BYTES = QUANTS + GROUPS * 512 };
    enum { HIGH = BYTES, HIGH_BITS = 0, LAST_SHIFT = 0, FACTORS = 1, MINIMA = 1, STAGES = 3 };
    enum { COMMON = 1, OFFSET = 128, QUANT_BYTES = GROUPS * 512, HIGH_BYTES = 0 };
    uint4 quants[GROUPS];
    uint2 params[2];
    int lane;
    static __device__ int word_at(int u, int row, int half) { return 4 * u + 2 * row + half; }
    static __device__ unsigned placed(unsigned q, int, int, int e) { return q << 8 * e; }
    __device__ void load(const char *from, int of_lane) {
        lane = of_lane;
#pragma unroll
        for (int row = 0; row < 2; row++)
            params[row] = *(const uint2 *)(from + (lane / 4 + 8 * row) * PARAMS);
#pragma unroll
        for (int u = 0; u < GROUPS; u++)
            quants[u] = words_at(from, QUANTS + u * 512 + lane * 16);
    }
    __device__ group_operands operands(int u) const {
        const unsigned first[2] = {quants[u].x, quants[u].z}, last[2] = {quants[u].y, quants[u].w};
        group_operands a;
#pragma unroll
        for (int row = 0; row < 2; row++) {
            a.first[row] = __byte_perm(first[row], 0, 0x4140);
            a.first[row + 2] = __byte_perm(first[row], 0, 0x4342);
            a.last[row] = __byte_perm(last[row], 0, 0x4140);
            a.last[row + 2] = __byte_perm(last[row], 0, 0x4342);
        }
        return a;
    }
    __device__ unsigned scale_bits(int u, int row) const {
        return short_of(u / 2 ? params[row].y : params[row].x, u % 2);
    }
    __device__ float factor(int u, int row, int) const { return low_float(scale_bits(u, row)); }
    __device__ float row_factor(int) const { return SUBNORMAL; }
    __device__ void minima(unsigned (&a)[4]) const {
#pragma unroll
        for (int row = 0; row < 2; row++) {
            const unsigned word = lane % 4 / 2 ? params[row].y : params[row].x;
            a[row] = short_of(word >> lane % 2 * 16, 0), a[row + 2] = 0;
        }
    }
    __device__ float minimum_factor(int) const { return OFFSET; }
    __device__ float minimum(int u, int row, int half) const {
        return OFFSET * factor(u, row, half);
    }
};
