// kernels/cpu/isa.h — the inner loops, once for each instruction set. Private to kernels/.
//
// Each isa_*.c is compiled with its own flags: it brings a vector type and a few dozen
// primitives (simd_*.h) and includes the loops written over them (*.inc). Nothing outside
// those files may use their instructions. isa_choose() picks the best that this machine has.
//
// Rows of a part are independent of each other and of the part's bounds, and so are tokens.
// However a caller cuts up the work, it gets the same bits.
#ifndef CPU_ISA_H
#define CPU_ISA_H

#include "kernels/backend.h"

// 32 activations as int8: x[i] = scale * q[i]. The sums serve weights that have an offset; -8 is
// the offset of Q4_0, from which all others differ by a power of two.
struct act_block {
    float scale;
    float scaled_sum;        // scale * the sum of q
    int32_t offset;          // -8 * the sum of q
    int32_t half_offsets[2]; // -32 * the sum of q[0..15], of q[16..31]
    int8_t q[32];
};

// A matrix unit computes 16 tokens in the time of a few. The loops compute fewer than *_LEAST; up
// to FEW_TOKENS they go at the pace of memory rather than of the processor.
enum { FEW_TOKENS = 8, MATRIX_TOKENS = 16, TILES_LEAST = 9, PAIRS_LEAST = 12 };

// The same of 16 tokens side by side, as a matrix unit reads them; tokens past the last are zeros.
struct act_tile {
    int8_t q[MATRIX_TOKENS][32];
    float scale[MATRIX_TOKENS], sum[MATRIX_TOKENS]; // scaled
    float half_sum[2][MATRIX_TOKENS];               // the same of each 16 columns
};

// 32 columns of 16 tokens as bf16. An activation is split into the sum of two bf16 numbers.
struct act_bf16 {
    bf16 x[MATRIX_TOKENS][32];
};

enum { BF16_PARTS = 2 };

// Rows first_row ... end_row - 1 of y = x W^T + bias, or of y += x W^T.
struct linear_part {
    struct weight weight;
    float *y;                          // [tokens, weight.rows]
    const struct act_block *x8;        // [tokens, columns / 32], for quantised weights; FEW_TOKENS
                                       // - 1 more tokens may be read
    const struct act_tile *tiles;      // [tokens / 16, columns / 32], both rounded up; or NULL
    const struct act_bf16 *bf16_tiles; // [tokens / 16, BF16_PARTS, columns / 32]; or NULL
    const float *x;                    // [any, columns], for plain weights
    const int32_t *row_index;          // of x, or NULL: token t is row t
    const float *bias;                 // or NULL
    bool add;                          // to y; without a bias
    int32_t tokens;
    int32_t first_token; // of an input that parts share: cpu_multiply()
    int32_t first_row, end_row;
    const uint8_t *next; // weights to prefetch after the matrix's last row, or NULL
    bool in_order; // one token's rows are read in the order of memory: plain.inc, segments.inc
};

// Queries first ... first + count - 1 of one sequence, for query heads of one KV head. Or, with
// `shares`, those of the sequences order[first ... first + count - 1] of the batch's shared past,
// which have one each.
struct attention_part {
    const struct paged_attention *args;
    bool shares;
    int32_t sequence, kv_head;
    int32_t head, heads; // query heads, from this one on
    int32_t first, count;
    float *scratch; // attention_scratch(count * heads, head_size) floats, 64-byte aligned
};

enum { ATTENTION_KEYS = 32, ATTENTION_MATRIX_ROWS = 64, MAX_LANES = 16 };
enum { STRIP_ROWS = 4 }; // that attention takes at once, at most

static inline size_t attention_padded(int32_t head_size) {
    return ((size_t)head_size + MAX_LANES - 1) / MAX_LANES * MAX_LANES;
}

static inline size_t attention_scratch(size_t rows, int32_t head_size) {
    return 2 * (rows + ATTENTION_KEYS) * attention_padded(head_size) +
           (size_t)STRIP_ROWS * ATTENTION_KEYS + 2 * rows;
}

enum { STATE_VECTORS = 4 }; // columns of a state that are in registers at once

// A token of one head: S = decay S + k (beta (v - decay S^T k))^T, or beta v where it does not
// correct; out = S^T q + skip v with the new S.
struct state_step {
    float *state, *out; // [rows, columns], [columns]
    const float *q, *k, *v;
    float decay, beta, skip;
    int32_t rows, columns;
    bool corrects;
};

struct cpu_isa {
    const char *name;
    void (*quantize)(struct act_block *x8, const float *x, int32_t columns);
    void (*linear_quantized)(const struct linear_part *part);
    void (*linear_plain)(const struct linear_part *part);
    void (*rmsnorm)(const struct rmsnorm *args, int32_t row);
    void (*add_row)(const struct add_rows *args, int32_t row);
    void (*act_and_mul)(enum act act, float *gate, const float *up, size_t count);
    void (*limited)(float limit, float *gate, const float *up, size_t count);
    void (*xielu)(const struct xielu *args, float *gate, size_t count);
    void (*scale_and_cap)(float *y, size_t count, float scale, float softcap);
    // The first of x[from ... count - 1] that is above `limit`, or `count`. NaN is not.
    int32_t (*find_above)(const float *x, int32_t from, int32_t count, float limit);
    void (*norm_head)(float *head, const float *weight, int32_t size, float eps);
    void (*rotate_head)(float *head, const float *cos_sin, int32_t rotary, bool interleaved);
    // out = q * the sum over j < taps of weight[j * stride] * rows[j], of `count` channels; without
    // q, silu of the sum.
    void (*convolve)(float *out, const float *q, const float *const *rows, const float *weight,
                     size_t stride, int32_t taps, size_t count);
    void (*state_step)(const struct state_step *step);
    void (*store)(enum dtype type, void *memory, const float *values, int32_t count);
    // FP8 and INT8, with kv_quantize()'s bits; returns the scale.
    bf16 (*store_scaled)(enum dtype type, uint8_t *elements, const float *values, int32_t count);
    void (*attention)(const struct attention_part *part);
    uint64_t (*read)(const void *memory, size_t bytes, int pattern);
};

// Ops on many tokens with a matrix unit, which supplement the loops of an instruction set.
struct cpu_matrix {
    const char *name;
    void (*linear_quantized)(const struct linear_part *part); // the same bits as the loops'
    // Splits one row of activations into token `token` of the tiles from `first` and `second` on.
    void (*split)(struct act_bf16 *first, struct act_bf16 *second, int32_t token, const float *x,
                  int32_t columns);
    void (*linear_pairs)(const struct linear_part *part); // F16 and BF16; other bits than the loops
    void (*attention)(const struct attention_part *part); // the same; ATTENTION_MATRIX_ROWS at most
};

// What a device computes with.
struct cpu_level {
    const struct cpu_isa *isa;
    const struct cpu_matrix *matrix; // or NULL
    bool (*available)(void);         // on this processor
};

// machine.h says which exist.
extern const struct cpu_isa isa_generic, isa_avx2, isa_avxvnni, isa_avx512;
extern const struct cpu_matrix matrix_amx;

// The best that this machine can run, or the one that isa_force() named.
const struct cpu_level *isa_choose(void);

// Devices opened from now on use this instruction set; NULL selects the best again. False, with no
// effect, if the machine does not have it.
bool isa_force(const char *name);

// The names that isa_force() accepts on this machine, best first, separated by ", ".
void isa_names(char *text, size_t size);

#endif
