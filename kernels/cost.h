// kernels/cost.h — the fewest bytes that each verb must move through device memory, and
// its operations.
//
// `quire bench` divides these by the measured time and by the measured ceiling: GB/s and
// percent are always computed, never written in a comment. Activations count once each way;
// on a processor they stay in its caches, so for few tokens the weights are what counts.
#ifndef KERNELS_COST_H
#define KERNELS_COST_H

#include "kernels/backend.h"

static inline size_t weight_bytes(const struct weight *weight) {
    return (size_t)weight->rows * dtype_row_bytes(weight->type, weight->columns);
}

static inline size_t embedding_bytes(const struct embedding *args) {
    return (size_t)args->tokens * dtype_row_bytes(args->table.type, args->table.columns);
}

static inline size_t linear_bytes(const struct linear *args) {
    size_t bytes = 0;
    for (int32_t i = 0; i < args->count; i++)
        bytes += weight_bytes(&args->parts[i].weight);
    return bytes;
}

static inline double linear_operations(const struct linear *args) {
    double operations = 0;
    for (int32_t i = 0; i < args->count; i++)
        operations +=
            2.0 * args->in.tokens * args->parts[i].weight.rows * args->parts[i].weight.columns;
    return operations;
}

static inline size_t gated_linear_bytes(const struct gated_linear *args) {
    return weight_bytes(&args->gate) + weight_bytes(&args->up);
}

// The residual read, and read and written; and what is added, or rounded.
static inline size_t add_rows_bytes(const struct add_rows *args) {
    return 3 * (size_t)args->rows * (size_t)args->dim * sizeof(float);
}

static inline size_t narrow_bytes(const struct narrow *args) {
    return 2 * (size_t)args->rows * (size_t)args->dim * sizeof(float);
}

static inline size_t route_bytes(const struct route *args) {
    return (size_t)args->tokens * (size_t)args->experts * sizeof(float);
}

static inline size_t expert_bytes(const struct expert_weights *weights) { // of one expert
    return (size_t)weights->rows * dtype_row_bytes(weights->type, weights->columns);
}

// Each expert that somebody needs once: at least `used`, at most all or as many as were asked for.
static inline size_t experts_bytes(const struct experts *args, int32_t needed) {
    return (size_t)needed *
           (expert_bytes(&args->gate) + expert_bytes(&args->up) + expert_bytes(&args->down));
}

static inline size_t logits_bytes(const struct logits *args) { return weight_bytes(&args->weight); }

// Each row once, wherever it comes from; what is chosen is next to nothing.
static inline size_t candidates_bytes(const struct candidates *args) {
    return (size_t)args->rows * (size_t)args->vocabulary * sizeof(float);
}

// K and V of `keys` cached tokens in one layer, read once; of the verb attention too, which writes
// the new ones and reads the others.
static inline size_t attention_bytes(const struct kv_cache *cache, int64_t keys) {
    return 2 * (size_t)keys * (size_t)cache->num_kv_heads *
           dtype_row_bytes(cache->type, cache->head_size);
}

// What rope_and_cache writes for `tokens` new tokens in one layer.
static inline size_t cache_write_bytes(const struct kv_cache *cache, int64_t tokens) {
    return attention_bytes(cache, tokens);
}

// Read and written.
static inline size_t copy_blocks_bytes(const struct copy_blocks *args) {
    return 2 * (size_t)args->pairs * kv_block_bytes(args->cache);
}

// Over the link between host and device.
static inline size_t swap_blocks_bytes(const struct swap_blocks *args) {
    return (size_t)args->pairs * kv_block_bytes(args->cache);
}

#endif
