// kernels/kv_cache.h — where cached keys and values lie, and what their bytes mean.
//
// Block-major: everything that a block has of all layers is one extent, which moves between device,
// host and disk as a whole.
//
//   cache   [num_blocks] x extent,  extent = [num_layers] x (K, V), then scales
//   latent  extent = [num_layers] x K in rows: a key is its own value, and one for all heads (arXiv
//           2405.04434)
//   rows    K and V each [num_kv_heads, block_size, head_size]
//   packed  K [num_kv_heads, head_size / x, block_size, x], with x = 16 bytes of elements, which
//           divides head_size; V [num_kv_heads, head_size, block_size]
//   scales  of FP8 and INT8 only: [num_layers] x (K, V) x [num_kv_heads, block_size] bf16
//
// FP8 and INT8: a head of a token is its elements times its scale, which is the largest magnitude
// divided by the type's largest number, rounded up to bf16. An element has at most seven bits and a
// scale eight, so the product is exact in fp32. A head of zeros has scale 0; one that holds a
// number that is not finite has scale NaN, so that all of it reads as NaN.
//
// Where a model has heads of two sizes, its cache is seen in two ways (engine/model/kv_shape.h).
// Then scales are counted by the smaller size, so that both views agree where they lie.
#ifndef KERNELS_KV_CACHE_H
#define KERNELS_KV_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

// Layers are grouped by what they need of the past (engine/kv/cache_kind.h). Each group has a
// cache, and a sequence a block table in each.
enum { KV_GROUPS = 4 };

enum kv_layout { KV_LAYOUT_ROWS, KV_LAYOUT_PACKED }; // the cpu backend has rows only

struct kv_cache {
    void *data;      // device
    enum dtype type; // F32, F16, BF16, FP8 or INT8
    enum kv_layout layout;
    int32_t num_layers, num_kv_heads, head_size, block_size;
    uint32_t num_blocks;
    int32_t scale_elements; // the smallest head_size of the model; 0: there is one size
    bool latent;            // values are the keys, and there is no V
    size_t state_bytes;     // of a layer's state after the block's last token, which a block of a
                            // latent cache has in place of keys; 0: keys
};

// "f32", "f16", "bf16", "fp8" or "int8"; case does not matter.
bool kv_type_find(const char *name, enum dtype *type);

static inline bool kv_is_scaled(enum dtype type) { return type == DTYPE_FP8 || type == DTYPE_INT8; }

// K and V of all layers of an extent, counted one after the other: where those of a layer are, and
// how many there are.
static inline size_t kv_plane(const struct kv_cache *cache, int32_t layer, int plane) {
    return cache->latent ? (size_t)layer : 2 * (size_t)layer + (size_t)plane;
}
static inline size_t kv_planes(const struct kv_cache *cache) {
    return kv_plane(cache, cache->num_layers, 0);
}

static inline size_t kv_plane_bytes(const struct kv_cache *cache) { // K of one layer of a block
    if (cache->state_bytes > 0) return cache->state_bytes;
    return (size_t)cache->num_kv_heads * (size_t)cache->block_size *
           dtype_row_bytes(cache->type, cache->head_size);
}

// Where an extent's scales for a head begin, those of the block's keys side by side. `head` counts
// through the planes: kv_plane() * num_kv_heads + the KV head.
static inline size_t kv_scale_offset(const struct kv_cache *cache, size_t head) {
    const size_t size = (size_t)cache->head_size;
    const size_t step = cache->scale_elements ? (size_t)cache->scale_elements : size;
    return kv_planes(cache) * kv_plane_bytes(cache) +
           (head * size + step - 1) / step * (size_t)cache->block_size * sizeof(bf16);
}

static inline size_t kv_block_bytes(const struct kv_cache *cache) { // one extent
    const size_t planes = kv_planes(cache);
    return kv_is_scaled(cache->type) ? kv_scale_offset(cache, planes * (size_t)cache->num_kv_heads)
                                     : planes * kv_plane_bytes(cache);
}

// The scale of a head whose largest magnitude is `highest`, which is NaN or infinite where one of
// its values is. A bf16 can hold it. Heads below 2^-100 count as zeros.
float kv_scale(enum dtype type, float highest);

// An element under a scale from kv_scale(): value / scale to the nearest, ties to even.
uint8_t kv_quantize(enum dtype type, float value, float scale);

#ifdef __cplusplus
}
#endif
#endif
