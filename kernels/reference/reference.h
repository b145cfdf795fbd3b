// kernels/reference/reference.h — the ops of the reference backend. Private.
#ifndef REFERENCE_REFERENCE_H
#define REFERENCE_REFERENCE_H

#include "kernels/backend.h"

// Scratch, owned; each array is NULL until reserve() and NULL again when its shape is 0.
struct device {
    struct workspace limits;
    float *row;           // [max_features], one row of a matrix as fp32
    float *keys, *values; // [max_context, head_size], gathered for one head
    double *scores;       // [max_context]
    float *cos_sin;       // [2, head_size], cosines and sines of one token
    float *hidden;        // [expert_rows], an expert's activations between gate and down
};

void reference_embedding(struct device *device, const struct embedding *args);
void reference_rmsnorm(struct device *device, const struct rmsnorm *args);
void reference_narrow(struct device *device, const struct narrow *args);
void reference_add_rows(struct device *device, const struct add_rows *args);
void reference_linear(struct device *device, const struct linear *args);
void reference_gated_linear(struct device *device, const struct gated_linear *args);
void reference_rope_and_cache(struct device *device, const struct rope_and_cache *args);
void reference_paged_attention(struct device *device, const struct paged_attention *args);
void reference_short_conv(struct device *device, const struct short_conv *args);
void reference_recurrence(struct device *device, const struct recurrence *args);
void reference_act_and_mul(struct device *device, const struct act_and_mul *args);
void reference_route(struct device *device, const struct route *args);
void reference_experts(struct device *device, const struct experts *args);
void reference_logits(struct device *device, const struct logits *args);
void reference_candidates(struct device *device, const struct candidates *args);
void reference_ask_host(struct device *device, const struct ask_host *args);
void reference_take_answer(struct device *device, const struct take_answer *args);
void reference_gather_experts(struct device *device, const struct gather_experts *args);

float reference_act(enum act act, float gate, float up, float limit);

#endif
