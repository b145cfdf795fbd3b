// kernels/cpu/simd_generic.h — the primitives of the *.inc files in plain C, and what they mean.
//
// vf is LANES floats, vi LANES int32, vb the same bits read as four bytes a lane, va partial sums
// that va_flush() adds to a vi. TILE_TOKENS and PLAIN_TOKENS are the tokens of a register tile;
// results do not depend on them.
#ifndef CPU_SIMD_GENERIC_H
#define CPU_SIMD_GENERIC_H

#include <math.h>
#include <string.h>

#include "kernels/cpu/isa.h"

enum { LANES = 8, TILE_TOKENS = 4, PLAIN_TOKENS = 2, BYTE_PLANES = 1 };

typedef struct vf {
    float lane[LANES];
} vf;
typedef struct vi {
    int32_t lane[LANES];
} vi;
typedef vi vb;
typedef vi va;

#define EACH_LANE for (int i = 0; i < LANES; i++)

static inline vf vf_set(float x) {
    vf r;
    EACH_LANE r.lane[i] = x;
    return r;
}
static inline vf vf_zero(void) { return vf_set(0); }
static inline vf vf_load(const float *p) {
    vf r;
    memcpy(r.lane, p, sizeof r.lane);
    return r;
}
static inline void vf_store(float *p, vf a) { memcpy(p, a.lane, sizeof a.lane); }
static inline vf vf_add(vf a, vf b) {
    EACH_LANE a.lane[i] += b.lane[i];
    return a;
}
static inline vf vf_sub(vf a, vf b) {
    EACH_LANE a.lane[i] -= b.lane[i];
    return a;
}
static inline vf vf_mul(vf a, vf b) {
    EACH_LANE a.lane[i] *= b.lane[i];
    return a;
}
static inline vf vf_div(vf a, vf b) {
    EACH_LANE a.lane[i] /= b.lane[i];
    return a;
}
// a * b + c; whether the product is rounded depends on the machine.
static inline vf vf_fma(vf a, vf b, vf c) { return vf_add(vf_mul(a, b), c); }
// The second operand where either is NaN.
static inline vf vf_max(vf a, vf b) {
    EACH_LANE b.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
    return b;
}
static inline vf vf_abs(vf a) {
    EACH_LANE a.lane[i] = fabsf(a.lane[i]);
    return a;
}
static inline vf vf_round(vf a) { // to the nearest even integer
    EACH_LANE a.lane[i] = rintf(a.lane[i]);
    return a;
}
// a, but 0 where x is below the limit.
static inline vf vf_zero_below(vf a, vf x, float limit) {
    EACH_LANE a.lane[i] = x.lane[i] < limit ? 0 : a.lane[i];
    return a;
}
// a * 2^n for integers n, where neither a nor the result is subnormal or infinite.
static inline vf vf_scale_by_power(vf a, vf n) {
    EACH_LANE a.lane[i] = ldexpf(a.lane[i], (int)n.lane[i]);
    return a;
}
static inline vf vf_load_half(const half *p) { // at any address, as all loads
    half h[LANES];
    vf r;
    memcpy(h, p, sizeof h);
    EACH_LANE r.lane[i] = half_to_float(h[i]);
    return r;
}
static inline vf vf_load_bf16(const bf16 *p) {
    bf16 h[LANES];
    vf r;
    memcpy(h, p, sizeof h);
    EACH_LANE r.lane[i] = bf16_to_float(h[i]);
    return r;
}
static inline void vf_store_half(half *p, vf a) { EACH_LANE p[i] = float_to_half(a.lane[i]); }

static inline float vf_sum(vf a) { // always in the same order
    float sum = 0;
    EACH_LANE sum += a.lane[i];
    return sum;
}
static inline float vf_highest(vf a) {
    float top = a.lane[0];
    EACH_LANE top = a.lane[i] > top ? a.lane[i] : top;
    return top;
}
static inline vf vf_sums(const vf a[LANES]) { // lane i is the sum of a[i], always in one order
    vf r;
    EACH_LANE r.lane[i] = vf_sum(a[i]);
    return r;
}

static inline vi vi_set(int32_t x) {
    vi r;
    EACH_LANE r.lane[i] = x;
    return r;
}
static inline vf vi_to_float(vi a) {
    vf r;
    EACH_LANE r.lane[i] = (float)a.lane[i];
    return r;
}
static inline vi vi_and(vi a, vi b) {
    EACH_LANE a.lane[i] &= b.lane[i];
    return a;
}
static inline vi vi_xor(vi a, vi b) {
    EACH_LANE a.lane[i] ^= b.lane[i];
    return a;
}
static inline vi vi_add(vi a, vi b) {
    EACH_LANE a.lane[i] += b.lane[i];
    return a;
}
static inline vi vi_or(vi a, vi b) {
    EACH_LANE a.lane[i] |= b.lane[i];
    return a;
}
static inline vi vi_left(vi a, int n) {
    EACH_LANE a.lane[i] = (int32_t)((uint32_t)a.lane[i] << n);
    return a;
}
static inline vi vi_right(vi a, int n) {
    EACH_LANE a.lane[i] = (int32_t)((uint32_t)a.lane[i] >> n);
    return a;
}
static inline vi vi_right_signed(vi a, int n) {
    EACH_LANE a.lane[i] >>= n;
    return a;
}
static inline vf vi_low_half(vi a) { // the value of the binary16 in each lane's low bits
    vf r;
    EACH_LANE r.lane[i] = half_to_float((half)(a.lane[i] & 0xFFFF));
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
    for (size_t j = 0; j < 4; j++)
        EACH_LANE memcpy(&out[j].lane[i], row[i] + offset + 4 * j, 4);
}

// Each byte, 0 to 15, becomes that one of the table.
static inline vb vb_lookup(const int8_t table[16], vb a) {
    uint8_t bytes[4 * LANES];
    memcpy(bytes, a.lane, sizeof bytes);
    for (int i = 0; i < 4 * LANES; i++)
        bytes[i] = (uint8_t)table[bytes[i]];
    memcpy(a.lane, bytes, sizeof bytes);
    return a;
}

static inline uint8_t byte_of(vb a, int lane, int j) {
    return (uint8_t)((uint32_t)a.lane[lane] >> (8 * j));
}

// A row of a code book for each lane. It may be read as the lower half of 32 bits (grids.h).
static inline vi vi_grid(const uint16_t *grid, vi index) {
    EACH_LANE index.lane[i] = grid[index.lane[i]];
    return index;
}

// Signed weights: a sum of products starts at vi_signed_start(act_block.offset).
static inline vi vi_signed_start(int32_t offset) {
    (void)offset;
    return vi_set(0);
}
static inline vi vi_signed_dot(vi sum, vb w, vb x) {
    EACH_LANE for (int j = 0; j < 4; j++) sum.lane[i] +=
        (int8_t)byte_of(w, i, j) * (int8_t)byte_of(x, i, j);
    return sum;
}

// Unsigned weights: between flushes va_dot() may be called STEPS_PER_FLUSH times (quantized.inc).
static inline va va_zero(void) { return vi_set(0); }
static inline va va_dot(va sum, vb w, vb x) {
    EACH_LANE for (int j = 0; j < 4; j++) sum.lane[i] +=
        byte_of(w, i, j) * (int8_t)byte_of(x, i, j);
    return sum;
}
static inline vi va_flush(vi sum, va a) {
    EACH_LANE sum.lane[i] += a.lane[i];
    return sum;
}

static inline int32_t bytes_sum16(const int8_t q[16]) {
    int32_t sum = 0;
    for (int i = 0; i < 16; i++)
        sum += q[i];
    return sum;
}
static inline void vf_store_bytes(int8_t *p, vf a) { // integers of -127 to 127
    EACH_LANE p[i] = (int8_t)a.lane[i];
}

#undef EACH_LANE
#endif
