#include "engine/model/kv_shape.h"

#include "kernels/base/assert.h"

static const struct attention_spec *attention_of(const struct model_config *config, int32_t layer) {
    ASSERT(layer >= 0 && layer < config->layers);
    return &config->specs[layer].attention;
}

// A layer of the view; the first one where the model has no other.
static const struct attention_spec *example_of(const struct model_config *config, int view) {
    ASSERT(view >= 0 && view < KV_VIEWS);
    for (int32_t i = 0; i < config->layers; i++)
        if (kv_shape_view(config, i) == view) return attention_of(config, i);
    return attention_of(config, 0);
}

// The layers of one view that have keys and values of their own, and what each takes of a token.
struct kind {
    int32_t count;
    int64_t elements;
};

static struct kind kind_of(const struct model_config *config, int view) {
    const struct attention_spec *example = example_of(config, view);
    struct kind kind = {.elements = (int64_t)example->kv_heads * example->head_size};
    for (int32_t i = 0; i < config->layers; i++)
        kind.count += kv_shape_view(config, i) == view && !layer_shares_kv(config, i);
    return kind;
}

static int64_t round_up_to(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

static int64_t divisor_of_both(int64_t a, int64_t b) {
    while (b > 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The larger planes lie first.
static int first_view(const struct model_config *config) {
    return kind_of(config, 1).elements > kind_of(config, 0).elements ? 1 : 0;
}

// Where the planes of a view begin: those of the second one at the next whole plane.
static int64_t start_of(const struct model_config *config, int view) {
    const int first = first_view(config);
    if (view == first) return 0;
    const struct kind before = kind_of(config, first);
    return round_up_to(before.count * before.elements, kind_of(config, view).elements);
}

int kv_shape_view(const struct model_config *config, int32_t layer) {
    const struct attention_spec *first = attention_of(config, 0);
    const struct attention_spec *attention = attention_of(config, layer);
    return attention->kv_heads == first->kv_heads && attention->head_size == first->head_size ? 0
                                                                                              : 1;
}

int32_t kv_shape_place(const struct model_config *config, int32_t layer) {
    const int32_t source = attention_of(config, layer)->kv_source;
    const int view = kv_shape_view(config, layer);
    ASSERT(kv_shape_view(config, source) == view && !layer_shares_kv(config, source));
    int32_t nth = 0;
    for (int32_t i = 0; i < source; i++)
        nth += kv_shape_view(config, i) == view && !layer_shares_kv(config, i);
    return (int32_t)(start_of(config, view) / kind_of(config, view).elements) + nth;
}

int64_t kv_shape_elements(const struct model_config *config) {
    const int last = 1 - first_view(config);
    const struct kind both[KV_VIEWS] = {kind_of(config, 0), kind_of(config, 1)};
    const int64_t end = start_of(config, last) + both[last].count * both[last].elements;
    const int64_t unit = both[0].elements / divisor_of_both(both[0].elements, both[1].elements);
    return round_up_to(end, unit * both[1].elements);
}

// The size that scales are counted by; 0 where there is one size.
static int32_t scale_elements_of(const struct model_config *config) {
    const int32_t a = example_of(config, 0)->head_size, b = example_of(config, 1)->head_size;
    return a == b ? 0 : a < b ? a : b;
}

void kv_shape_set(struct kv_cache *cache, const struct model_config *config, int view) {
    const struct attention_spec *example = example_of(config, view);
    cache->num_kv_heads = example->kv_heads;
    cache->head_size = example->head_size;
    cache->scale_elements = scale_elements_of(config);
    cache->num_layers =
        (int32_t)(kv_shape_elements(config) / ((int64_t)cache->num_kv_heads * cache->head_size));
}
