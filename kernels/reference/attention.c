// kernels/reference/attention.c — rope_and_cache, and attention by gathering.
#include <math.h>

#include "kernels/base/assert.h"
#include "kernels/host.h"
#include "kernels/reference/reference.h"

static void norm_head(float *head, const float *weight, int32_t size, float eps) {
    double squares = 0;
    for (int32_t i = 0; i < size; i++)
        squares += (double)head[i] * (double)head[i];
    const double scale = 1 / sqrt(squares / size + (double)eps);
    for (int32_t i = 0; i < size; i++)
        head[i] = (float)((double)head[i] * scale) * weight[i];
}

// The angle is rounded to fp32 before its cosine is computed, because models are trained like that.
static void compute_cos_sin(float *cos_sin, const struct rope_and_cache *args, int32_t position) {
    ASSERT(position >= 0);
    const int32_t pairs = args->rotary / 2;
    for (int32_t p = 0; p < pairs; p++) {
        const float angle = (float)position * args->inv_freq[p];
        cos_sin[p] = cosf(angle) * args->magnitude;
        cos_sin[pairs + p] = sinf(angle) * args->magnitude;
    }
}

static void rotate_head(float *head, const float *cos_sin, int32_t rotary, bool interleaved) {
    const int32_t pairs = rotary / 2;
    for (int32_t p = 0; p < pairs; p++) {
        float *a = head + (interleaved ? 2 * p : p);
        float *b = interleaved ? a + 1 : a + pairs;
        const float x = *a, y = *b, cosine = cos_sin[p], sine = cos_sin[pairs + p];
        *a = x * cosine - y * sine;
        *b = y * cosine + x * sine;
    }
}

// The largest magnitude; infinite if a value is not finite.
static float highest_of(const float *values, int32_t count) {
    float highest = 0;
    for (int32_t i = 0; i < count; i++)
        highest = fmaxf(highest, isfinite(values[i]) ? fabsf(values[i]) : INFINITY);
    return highest;
}

static void store_head(const struct rope_and_cache *args, int64_t slot, int plane, int32_t head,
                       const float *values) {
    const struct kv_cache *cache = args->cache;
    const enum dtype type = cache->type;
    const uint32_t block = (uint32_t)(slot / cache->block_size);
    const int32_t key = (int32_t)(slot % cache->block_size);
    ASSERT(slot >= 0 && block < cache->num_blocks);
    float scale = 1;
    if (kv_is_scaled(type)) {
        scale = kv_scale(type, highest_of(values, cache->head_size));
        kv_head_scales(cache, block, args->layer, plane, head)[key] = float_to_bf16(scale);
    }
    for (int32_t d = 0; d < cache->head_size; d++) {
        char *element = kv_element(cache, block, args->layer, plane, head, key, d);
        if (kv_is_scaled(type))
            *(uint8_t *)element = kv_quantize(type, values[d], scale);
        else
            host_store(type, element, &values[d], 1);
    }
}

static void turn_head(struct device *device, const struct rope_and_cache *args, float *head,
                      const float *norm) {
    const int32_t size = args->cache->head_size;
    if (norm && !args->norm_last) norm_head(head, norm, size, args->eps);
    rotate_head(head, device->cos_sin, args->rotary, args->interleaved);
    if (norm && args->norm_last) norm_head(head, norm, size, args->eps);
}

void reference_rope_and_cache(struct device *device, const struct rope_and_cache *args) {
    const struct kv_cache *cache = args->cache;
    ASSERT(args->layer >= 0 && args->layer < cache->num_layers);
    ASSERT(!args->k || !args->v == cache->latent);
    const int32_t size = cache->head_size;
    ASSERT(args->rotary % 2 == 0 && args->rotary <= size && size <= device->limits.head_size);
    for (int32_t t = 0; t < args->batch->num_tokens; t++) {
        compute_cos_sin(device->cos_sin, args, args->batch->positions[t]);
        for (int32_t h = 0; h < args->num_heads; h++) {
            float *q =
                (float *)args->q + ((size_t)t * (size_t)args->num_heads + (size_t)h) * (size_t)size;
            turn_head(device, args, q, args->q_norm);
        }
        for (int32_t h = 0; h < cache->num_kv_heads && args->k; h++) {
            const size_t at = ((size_t)t * (size_t)cache->num_kv_heads + (size_t)h) * (size_t)size;
            float *k = (float *)args->k + at;
            turn_head(device, args, k, args->k_norm);
            store_head(args, args->batch->slot_mapping[t], 0, h, k);
            if (args->v)
                store_head(args, args->batch->slot_mapping[t], 1, h, (const float *)args->v + at);
        }
    }
}

// Reads a head of a key, of K or V.
static void load_head(const struct paged_attention *args, int64_t slot, int plane, int32_t head,
                      float *values) {
    const struct kv_cache *cache = args->cache;
    const uint32_t block = (uint32_t)(slot / cache->block_size);
    const int32_t key = (int32_t)(slot % cache->block_size);
    ASSERT(block < cache->num_blocks);
    for (int32_t d = 0; d < cache->head_size; d++)
        dtype_to_float(cache->type, kv_element(cache, block, args->layer, plane, head, key, d),
                       &values[d], 1);
    if (!kv_is_scaled(cache->type)) return;
    const float scale = bf16_to_float(kv_head_scales(cache, block, args->layer, plane, head)[key]);
    for (int32_t d = 0; d < cache->head_size; d++)
        values[d] *= scale;
}

static void gather_keys(struct device *device, const struct paged_attention *args, int32_t sequence,
                        int32_t kv_head) {
    const struct kv_cache *cache = args->cache;
    const struct batch *batch = args->batch;
    const int32_t *blocks =
        batch->block_table + (size_t)sequence * (size_t)batch->max_blocks_per_seq;
    const size_t size = (size_t)cache->head_size;
    for (int32_t j = 0; j < batch->seq_lens_kv[sequence]; j++) {
        const int64_t block = blocks[j / cache->block_size];
        const int64_t slot = block * cache->block_size + j % cache->block_size;
        load_head(args, slot, 0, kv_head, device->keys + (size_t)j * size);
        load_head(args, slot, 1, kv_head, device->values + (size_t)j * size);
    }
}

// Attends one query of head h to the gathered keys that it sees, the last of which is keys - 1.
static void attend_query(struct device *device, const struct paged_attention *args, size_t at,
                         int32_t h, int32_t keys) {
    const float *q = (const float *)args->q + at;
    float *out = (float *)args->out + at;
    const int32_t size = args->cache->head_size;
    const int32_t first = args->window > 0 && args->window < keys ? keys - args->window : 0;
    const double cap = (double)args->softcap, sink = args->sinks ? (double)args->sinks[h] : 0;
    double highest = -(double)INFINITY, sum = 0;
    if (args->sinks) highest = sink;
    for (int32_t j = first; j < keys; j++) {
        double score = 0;
        for (int32_t i = 0; i < size; i++)
            score += (double)q[i] * (double)device->keys[(size_t)j * (size_t)size + (size_t)i];
        score *= (double)args->scale;
        device->scores[j] = cap > 0 ? cap * tanh(score / cap) : score;
        highest = fmax(highest, device->scores[j]);
    }
    for (int32_t j = first; j < keys; j++)
        sum += device->scores[j] = exp(device->scores[j] - highest);
    if (args->sinks) sum += exp(sink - highest);
    for (int32_t i = 0; i < size; i++) {
        double value = 0;
        for (int32_t j = first; j < keys; j++)
            value +=
                device->scores[j] * (double)device->values[(size_t)j * (size_t)size + (size_t)i];
        out[i] = (float)(value / sum);
    }
}

void reference_paged_attention(struct device *device, const struct paged_attention *args) {
    const struct kv_cache *cache = args->cache;
    ASSERT(args->layer >= 0 && args->layer < cache->num_layers && args->window >= 0);
    const struct batch *batch = args->batch;
    const int32_t size = cache->head_size, group = args->num_heads / cache->num_kv_heads;
    ASSERT(args->num_heads % cache->num_kv_heads == 0 && size <= device->limits.head_size);
    for (int32_t s = 0; s < batch->num_seqs; s++) {
        const int32_t first = batch->cu_seqlens_q[s], end = batch->cu_seqlens_q[s + 1];
        const int32_t past = batch->seq_lens_kv[s] - (end - first);
        ASSERT(past >= 0 && batch->seq_lens_kv[s] <= device->limits.max_context);
        ASSERT(batch->seq_lens_kv[s] <= (int64_t)batch->max_blocks_per_seq * cache->block_size);
        for (int32_t h = 0; h < args->num_heads; h++) {
            if (h % group == 0) gather_keys(device, args, s, h / group);
            for (int32_t t = first; t < end; t++) {
                const size_t at = ((size_t)t * (size_t)args->num_heads + (size_t)h) * (size_t)size;
                attend_query(device, args, at, h, past + t - first + 1);
            }
        }
    }
}
