// kernels/host.h — what the two processor backends share: memory, copies, facts. Private.
//
// On a processor, device memory is ordinary memory. These are the ops of backend.h that need no
// device, and helpers for rows of plain types.
#ifndef KERNELS_HOST_H
#define KERNELS_HOST_H

#include "kernels/backend.h"

// Anonymous pages, committed when first touched.
MUST_CHECK enum status host_alloc(struct device *device, size_t bytes, void **memory);
void host_release(struct device *device, void *memory, size_t bytes);
MUST_CHECK enum status host_weights(struct device *device, const struct weight *in_file,
                                    const void **data); // the same pointer
void host_copy_weights(struct device *device, const struct weight *in_file, void *memory);
void host_to_device(struct device *device, void *memory, const void *host, size_t bytes);
void host_to_host(struct device *device, void *host, const void *memory, size_t bytes);
MUST_CHECK enum status host_sync(struct device *device); // nothing can have failed
void host_call(struct device *device, void (*function)(void *user), void *user);
void host_copy_parts(struct device *device, const struct copy_parts *args); // of F32
void host_scale_rows(struct device *device, const struct scale_rows *args);
void host_copy_blocks(struct device *device, const struct copy_blocks *args);
void host_swap_blocks(struct device *device, const struct swap_blocks *args);

// Reads mapped bytes and keeps them in memory until they are unmapped. False: the system does not
// allow it, or they exceed host_spare_memory().
bool host_lock(const void *bytes, size_t count);

void host_cpu_name(char *name, size_t size);                 // "AMD EPYC", or "processor"
void host_memory(size_t *memory_total, size_t *memory_free); // bytes; 0 if unknown
size_t host_spare_memory(void); // free bytes that may be taken for good; SIZE_MAX if unknown
size_t host_cache_bytes(void);  // of all last-level caches; 0 if unknown

// A row of a matrix, its scale applied.
void host_weight_row(const struct weight *weight, int32_t row, float *values);

// Writes `count` floats as `type`, one of F32, F16 and BF16, rounded to nearest even.
void host_store(enum dtype type, void *memory, const float *values, int32_t count);

// Element d of key `offset` of a block, plane 0 for K and 1 for V, in the cache's layout.
static inline char *kv_element(const struct kv_cache *cache, uint32_t block, int32_t layer,
                               int plane, int32_t head, int32_t offset, int32_t d) {
    const size_t bytes = dtype_row_bytes(cache->type, 1);
    const size_t size = (size_t)cache->head_size, block_size = (size_t)cache->block_size;
    const size_t h = (size_t)head, key = (size_t)offset, element = (size_t)d, x = 16 / bytes;
    size_t at = (h * block_size + key) * size + element;
    if (cache->layout == KV_LAYOUT_PACKED)
        at = plane == 1 ? (h * size + element) * block_size + key
                        : ((h * (size / x) + element / x) * block_size + key) * x + element % x;
    return (char *)cache->data + (size_t)block * kv_block_bytes(cache) +
           kv_plane(cache, layer, plane) * kv_plane_bytes(cache) + at * bytes;
}

// The layer's state of sequence `seq` of args->batch after its first `length` tokens, in the block
// of the last of them; NULL before the first token.
static inline float *recurrence_state(const struct recurrence *args, int32_t seq, int32_t length) {
    const struct batch *batch = args->batch;
    const size_t row = (size_t)seq * (size_t)batch->max_blocks_per_seq;
    if (length == 0) return NULL;
    const size_t index = (size_t)((length - 1) / args->cache->block_size);
    const size_t block = (size_t)(uint32_t)batch->block_table[row + index];
    return (float *)(void *)((char *)args->cache->data + block * kv_block_bytes(args->cache) +
                             (size_t)args->layer * args->cache->state_bytes);
}

// Row (block, layer, plane, head) of a cache of rows: block_size keys.
static inline char *kv_head_rows(const struct kv_cache *cache, uint32_t block, int32_t layer,
                                 int plane, int32_t head) {
    const size_t plane_bytes = kv_plane_bytes(cache);
    return (char *)cache->data + (size_t)block * kv_block_bytes(cache) +
           kv_plane(cache, layer, plane) * plane_bytes +
           (size_t)head * (size_t)cache->block_size *
               dtype_row_bytes(cache->type, cache->head_size);
}

// The scales of that head, one for each of block_size keys.
static inline bf16 *kv_head_scales(const struct kv_cache *cache, uint32_t block, int32_t layer,
                                   int plane, int32_t head) {
    const size_t nth = kv_plane(cache, layer, plane) * (size_t)cache->num_kv_heads + (size_t)head;
    return (bf16 *)(void *)((char *)cache->data + (size_t)block * kv_block_bytes(cache) +
                            kv_scale_offset(cache, nth));
}

#endif
