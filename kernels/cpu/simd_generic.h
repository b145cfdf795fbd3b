// kernels/cpu/simd_generic.h — the primitives of the *.inc files for any machine, and what they
// mean. Vectors are those of GNU C: the compiler cuts them into what the machine has.
//
// vf is LANES floats, vi LANES int32, vb the same bits read as four bytes a lane, va partial sums
// that va_flush() adds to a vi. TILE_TOKENS and PLAIN_TOKENS are the tokens of a register tile;
// results do not depend on them.
#ifndef CPU_SIMD_GENERIC_H
#define CPU_SIMD_GENERIC_H

#include <math.h>
#include <string.h>

#include "kernels/cpu/isa.h"

enum { LANES = 8, TILE_TOKENS = 4, PLAIN_TOKENS = 2, BYTE_PLANES = 1, WIDE_SUMS = 1 };

#define VECTOR __attribute__((vector_size(32)))
typedef float vf VECTOR;
typedef int32_t vi VECTOR;
typedef uint32_t vu VECTOR;
typedef int16_t vs VECTOR; // two a lane
typedef vi vb;
typedef vi va;

#define EACH_LANE for (int i = 0; i < LANES; i++)

static inline vf vf_set(float x) { return (vf){x, x, x, x, x, x, x, x}; }
static inline vf vf_zero(void) { return vf_set(0); }
// Computes it before what follows: a compiler that defers it keeps what it needs in registers.
static inline void vf_settle(vf *a) { (void)a; }
static inline vf vf_load(const float *p) { // at any address, as all loads
    vf r;
    memcpy(&r, p, sizeof r);
    return r;
}
static inline void vf_store(float *p, vf a) { memcpy(p, &a, sizeof a); }
static inline vf vf_add(vf a, vf b) { return a + b; }
static inline vf vf_sub(vf a, vf b) { return a - b; }
static inline vf vf_mul(vf a, vf b) { return a * b; }
static inline vf vf_div(vf a, vf b) { return a / b; }
// a * b + c; whether the product is rounded depends on the machine.
static inline vf vf_fma(vf a, vf b, vf c) { return a * b + c; }
// a where the mask is set, else b.
static inline vf vf_choose(vi mask, vf a, vf b) { return (vf)((mask & (vi)a) | (~mask & (vi)b)); }
// The second operand where either is NaN.
static inline vf vf_max(vf a, vf b) { return vf_choose(a > b, a, b); }
static inline vf vf_abs(vf a) { return (vf)((vi)a & 0x7FFFFFFF); }
static inline vf vf_round(vf a) { // to the nearest even integer
    EACH_LANE a[i] = rintf(a[i]);
    return a;
}
// a, but 0 where x is below the limit.
static inline vf vf_zero_below(vf a, vf x, float limit) { return (vf)(~(x < limit) & (vi)a); }
// a * 2^n for integers n, where neither a nor the result is subnormal or infinite.
static inline vf vf_scale_by_power(vf a, vf n) {
    return (vf)((vi)a + (__builtin_convertvector(n, vi) << 23));
}
static inline vf vf_load_half(const half *p) {
    half h[LANES];
    vf r;
    memcpy(h, p, sizeof h);
    EACH_LANE r[i] = half_to_float(h[i]);
    return r;
}
static inline vf vf_load_bf16(const bf16 *p) {
    bf16 h[LANES];
    vf r;
    memcpy(h, p, sizeof h);
    EACH_LANE r[i] = bf16_to_float(h[i]);
    return r;
}
static inline vf vf_load_fp8(const uint8_t *p) {
    vf r;
    EACH_LANE r[i] = fp8_to_float(p[i]);
    return r;
}
static inline vf vf_load_int8(const int8_t *p) {
    vf r;
    EACH_LANE r[i] = p[i];
    return r;
}
static inline void vf_store_half(half *p, vf a) { EACH_LANE p[i] = float_to_half(a[i]); }

static inline float vf_sum(vf a) { // always in the same order
    float sum = 0;
    EACH_LANE sum += a[i];
    return sum;
}
static inline void vf_four_sums(float sums[4], const vf a[4]) {
    for (int i = 0; i < 4; i++)
        sums[i] = vf_sum(a[i]);
}
static inline float vf_highest(vf a) {
    float top = a[0];
    EACH_LANE top = a[i] > top ? a[i] : top;
    return top;
}
static inline vf vf_sums(const vf a[LANES]) { // lane i is the sum of a[i], always in one order
    vf r;
    EACH_LANE r[i] = vf_sum(a[i]);
    return r;
}

static inline vi vi_set(int32_t x) { return (vi){x, x, x, x, x, x, x, x}; }
static inline vf vi_to_float(vi a) { return __builtin_convertvector(a, vf); }
static inline vi vi_and(vi a, vi b) { return a & b; }
static inline vi vi_xor(vi a, vi b) { return a ^ b; }
static inline vi vi_add(vi a, vi b) { return (vi)((vu)a + (vu)b); } // wraps
static inline vi vi_or(vi a, vi b) { return a | b; }
static inline vi vi_left(vi a, int n) { return (vi)((vu)a << n); }
static inline vi vi_right(vi a, int n) { return (vi)((vu)a >> n); }
static inline vi vi_right_signed(vi a, int n) { return a >> n; }
static inline vf vi_low_half(vi a) { // the value of the binary16 in each lane's low bits
    vf r;
    EACH_LANE r[i] = half_to_float((half)(a[i] & 0xFFFF));
    return r;
}

// The same four bytes in each lane.
static inline vb vb_broadcast(const int8_t *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    return vi_set(four);
}
// 16 bytes of each of LANES rows: out[j] holds bytes 4j ... 4j + 3 of row i in lane i.
static inline void vb_interleave(vb out[4], const uint8_t *const row[LANES], size_t offset) {
    int32_t words[4][LANES];
    for (size_t j = 0; j < 4; j++)
        EACH_LANE memcpy(&words[j][i], row[i] + offset + 4 * j, 4);
    memcpy(out, words, sizeof words);
}

// Step 0 … 7 of vb_interleave(), between which `w` is kept. Here the last one does everything.
static inline void vb_interleave_step(vb out[4], vb w[4], const uint8_t *const row[LANES],
                                      size_t offset, int step) {
    (void)w;
    if (step == 7) vb_interleave(out, row, offset);
}

// The words at `offset` and 16 bytes later of each row. 32 bytes may be read.
static inline void vi_word_pairs(vi out[2], const uint8_t *const row[LANES], size_t offset) {
    int32_t words[2][LANES];
    for (size_t j = 0; j < 2; j++)
        EACH_LANE memcpy(&words[j][i], row[i] + offset + 16 * j, 4);
    memcpy(out, words, sizeof words);
}

// Each byte, 0 to 15, becomes that one of the table.
static inline vb vb_lookup(const int8_t table[16], vb a) {
    uint8_t bytes[4 * LANES];
    memcpy(bytes, &a, sizeof bytes);
    for (int i = 0; i < 4 * LANES; i++)
        bytes[i] = (uint8_t)table[bytes[i]];
    memcpy(&a, bytes, sizeof bytes);
    return a;
}

// A row of a code book for each lane. It may be read as the lower half of 32 bits (grids.h).
static inline vi vi_grid(const uint16_t *grid, vi index) {
    EACH_LANE index[i] = grid[index[i]];
    return index;
}

// Of each half of a lane, the upper byte and the lower one, with their sign.
static inline vs vs_upper(vb a) { return (vs)a >> 8; }
static inline vs vs_lower(vb a) { return (vs)vi_left(a, 8) >> 8; }
// Adds both halves of each lane.
static inline vi vi_add_halves(vi sum, vs a) {
    return sum + vi_right_signed((vi)a, 16) + vi_right_signed(vi_left((vi)a, 16), 16);
}

// Signed weights: a sum of products starts at vi_signed_start(act_block.offset).
static inline vi vi_signed_start(int32_t offset) {
    (void)offset;
    return vi_set(0);
}
static inline vi vi_signed_dot(vi sum, vb w, vb x) { // a product of two bytes fits in 16 bits
    return vi_add_halves(vi_add_halves(sum, vs_upper(w) * vs_upper(x)), vs_lower(w) * vs_lower(x));
}

// Unsigned weights: between flushes va_dot() may be called STEPS_PER_FLUSH times (quantized.inc).
// With WIDE_SUMS a va is a vi: a sum can begin at its start and needs no flush.
static inline va va_zero(void) { return vi_set(0); }
static inline va va_dot(va sum, vb w, vb x) {
    const vs upper = (vs)(vi_right(w, 8) & 0x00FF00FF), lower = (vs)(w & 0x00FF00FF);
    return vi_add_halves(vi_add_halves(sum, upper * vs_upper(x)), lower * vs_lower(x));
}
// The same with four bytes for all lanes.
static inline va va_dot_four(va sum, vb w, const int8_t *x) {
    return va_dot(sum, w, vb_broadcast(x));
}
static inline vi va_flush(vi sum, va a) { return sum + a; }

static inline int32_t bytes_sum16(const int8_t q[16]) {
    int32_t sum = 0;
    for (int i = 0; i < 16; i++)
        sum += q[i];
    return sum;
}
static inline void vf_store_bytes(int8_t *p, vf a) { // integers of -127 to 127
    EACH_LANE p[i] = (int8_t)a[i];
}

#undef EACH_LANE
#undef VECTOR
#endif
