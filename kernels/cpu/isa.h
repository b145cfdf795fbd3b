// kernels/cpu/isa.h — the inner loops, once for each instruction set. Private to kernels/.
//
// Each isa_*.c is compiled with its own flags: it brings a vector type and a few dozen
// primitives (simd_*.h) and includes the loops written over them (*.inc). Nothing outside
// those files may use their instructions. isa_choose() picks the best that this machine has.
//
// Rows of a part are independent of each other and of the part's bounds, and tokens of each
// other, so a caller may cut the work as it likes and gets the same bits.
#ifndef CPU_ISA_H
#define CPU_ISA_H

#include "kernels/backend.h"

// 32 activations as int8: x[i] = scale * q[i]. The sums are for weights that have an offset;
// the factor -8 is that of Q4_0, and a power of two away from all others.
struct act_block {
    float scale;
    float scaled_sum;        // scale * the sum of q
    int32_t offset;          // -8 * the sum of q
    int32_t half_offsets[2]; // -8 * the sum of q[0..15], of q[16..31]
    int8_t q[32];
};

// Rows first_row ... end_row - 1 of y = x W^T + bias, or of y += x W^T.
struct linear_part {
    struct weight weight;
    float *y;                   // [tokens, weight.rows]
    const struct act_block *x8; // [tokens, columns / 32], for quantised weights
    const float *x;             // [any, columns], for plain weights
    const int32_t *row_index;   // of x, or NULL: token t is row t
    const float *bias;          // or NULL
    bool add;                   // to y; without a bias
    int32_t tokens;
    int32_t first_row, end_row;
};

// Queries first ... first + count - 1 of one sequence, for the query heads of one KV head.
struct attention_part {
    const struct paged_attention *args;
    int32_t sequence, kv_head;
    int32_t first, count; // within the sequence
    float *scratch;       // attention_scratch(count * group, head_size) floats, 64-byte aligned
};

enum { ATTENTION_KEYS = 32, MAX_LANES = 16 };

static inline size_t attention_padded(int32_t head_size) {
    return ((size_t)head_size + MAX_LANES - 1) / MAX_LANES * MAX_LANES;
}

static inline size_t attention_scratch(size_t rows, int32_t head_size) {
    return 2 * (rows + ATTENTION_KEYS) * attention_padded(head_size) + ATTENTION_KEYS + 2 * rows;
}

struct cpu_isa {
    const char *name;
    void (*quantize)(struct act_block *x8, const float *x, int32_t columns);
    void (*linear_quantized)(const struct linear_part *part);
    void (*linear_plain)(const struct linear_part *part);
    void (*rmsnorm)(const struct rmsnorm *args, int32_t row);
    void (*add_row)(const struct add_rows *args, int32_t row);
    void (*act_and_mul)(enum act act, float *gate, const float *up, size_t count);
    void (*scale_and_cap)(float *y, size_t count, float scale, float softcap);
    void (*norm_head)(float *head, const float *weight, int32_t size, float eps);
    void (*rotate_head)(float *head, const float *turn, int32_t rotary, bool interleaved);
    void (*store)(enum dtype type, void *memory, const float *values, int32_t count);
    void (*attention)(const struct attention_part *part);
    uint64_t (*read)(const void *memory, size_t bytes);
};

extern const struct cpu_isa isa_generic, isa_avx2, isa_avx512; // machine.h says which exist

// The best that this machine runs, or the one that isa_force() named.
const struct cpu_isa *isa_choose(void);

// For tests: devices opened from now on use this one; NULL: the best again. False, and
// nothing changes, where the machine lacks it.
bool isa_force(const char *name);

#endif
