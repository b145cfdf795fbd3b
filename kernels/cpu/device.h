// kernels/cpu/device.h — an opened processor, and the ops in its table. Private.
#ifndef CPU_DEVICE_H
#define CPU_DEVICE_H

#include "kernels/backend.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/threads.h"

struct device {
    const struct cpu_isa *isa;
    const struct cpu_matrix *matrix; // or NULL
    struct threads *threads;         // owned
    struct workspace limits;
    bool deterministic;

    // Scratch of reserve(), owned.
    // [most rows of a linear or logits, and FEW_TOKENS - 1, max_features / 32]
    struct act_block *activations;
    // [the same / 16, max_features / 32] for a matrix unit, else NULL. Of bf16_tiles there are
    // BF16_PARTS times as many, and none on a deterministic device.
    struct act_tile *tiles;
    struct act_bf16 *bf16_tiles;
    float *scratch; // [threads, scratch_floats], 64-byte aligned
    size_t scratch_floats;
    int32_t max_rows;               // of `activations`
    struct expert_scratch *experts; // of cpu/experts.c, owned; NULL if none is reserved
};

enum { ATTENTION_ROWS = 32 }; // queries times heads that share a pass over the keys

static inline float *thread_scratch(const struct device *device, int32_t thread) {
    return device->scratch + (size_t)thread * device->scratch_floats;
}

void cpu_embedding(struct device *device, const struct embedding *args);
void cpu_rmsnorm(struct device *device, const struct rmsnorm *args);
void cpu_narrow(struct device *device, const struct narrow *args);
void cpu_add_rows(struct device *device, const struct add_rows *args);
void cpu_linear(struct device *device, const struct linear *args);
void cpu_gated_linear(struct device *device, const struct gated_linear *args);
void cpu_rope_and_cache(struct device *device, const struct rope_and_cache *args);
void cpu_paged_attention(struct device *device, const struct paged_attention *args);
void cpu_short_conv(struct device *device, const struct short_conv *args);
void cpu_recurrence(struct device *device, const struct recurrence *args);
void cpu_act_and_mul(struct device *device, const struct act_and_mul *args);
void cpu_logits(struct device *device, const struct logits *args);
void cpu_candidates(struct device *device, const struct candidates *args);
void cpu_route(struct device *device, const struct route *args);
void cpu_experts(struct device *device, const struct experts *args);

// Computes all rows of each part's y, ignoring the part's own bounds, and quantises x as needed.
// The parts share an input, x and row_index, of which each takes tokens first_token ... first_token
// + tokens - 1: all of them the same, or each fewer than TILES_LEAST. The first part takes the
// input's first. The parts are overwritten.
void cpu_multiply(struct device *device, struct linear_part *parts, int32_t count);

MUST_CHECK enum status expert_scratch_create(const struct workspace *workspace,
                                             struct expert_scratch **scratch);
void expert_scratch_destroy(struct expert_scratch *scratch); // NULL is fine

#endif
