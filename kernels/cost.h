// kernels/cost.h — the fewest bytes that a step must move through device memory.
//
// `quire bench` divides them by the measured time and by the measured ceiling: GB/s and
// percent are always computed, never written in a comment. Activations count once each way. On a
// processor they stay in its caches, so for few tokens only the weights count.
#ifndef KERNELS_COST_H
#define KERNELS_COST_H

#include "kernels/backend.h"

static inline size_t weight_bytes(const struct weight *weight) {
    return (size_t)weight->rows * dtype_row_bytes(weight->type, weight->columns);
}

// The same, as copy_weights() leaves it on a device; 0: the device cannot compute with such rows.
static inline size_t device_weight_bytes(const struct backend *backend,
                                         const struct weight *weight) {
    return backend->weight_bytes ? backend->weight_bytes(weight) : weight_bytes(weight);
}

static inline size_t expert_bytes(const struct expert_weights *weights) { // of one expert
    return (size_t)weights->rows * dtype_row_bytes(weights->type, weights->columns);
}

// K and V, or K alone, of `keys` cached tokens in one layer, read once. This is also the cost of
// the op attention, which writes the new ones and reads the others.
static inline size_t attention_bytes(const struct kv_cache *cache, int64_t keys) {
    const size_t scale = kv_is_scaled(cache->type) ? sizeof(bf16) : 0;
    return (cache->latent ? 1 : 2) * (size_t)keys * (size_t)cache->num_kv_heads *
           (dtype_row_bytes(cache->type, cache->head_size) + scale);
}

#endif
