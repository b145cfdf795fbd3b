#include "engine/model/kv_shape.h"

#include "kernels/base/assert.h"

static const struct attention_spec *attention_of(const struct model_config *config, int32_t layer) {
    ASSERT(layer >= 0 && layer < model_config_all_layers(config));
    return &config->specs[layer].attention;
}

// What the layer has in the cache follows from the mixer whose keys it reads, and from its window.
static enum mixer_kind mixer_of(const struct model_config *config, int32_t layer) {
    return config->specs[attention_of(config, layer)->kv_source].mixer;
}

static enum cache_kind kind_of_layer(const struct model_config *config, int32_t layer) {
    if (mixer_of(config, layer) == MIXER_RECURRENCE) return CACHE_STATE;
    return attention_of(config, layer)->window > 0 ? CACHE_WINDOW : CACHE_FULL;
}

static size_t state_bytes_of(const struct model_config *config, int32_t layer) {
    if (kind_of_layer(config, layer) != CACHE_STATE) return 0;
    return recurrence_spec_state_bytes(
        &config->specs[attention_of(config, layer)->kv_source].recurrence);
}

static bool are_alike(const struct model_config *config, int32_t a, int32_t b) {
    return mixer_of(config, a) == mixer_of(config, b) &&
           attention_of(config, a)->window == attention_of(config, b)->window &&
           state_bytes_of(config, a) == state_bytes_of(config, b);
}

static struct kv_view view_of(const struct attention_spec *attention) {
    return (struct kv_view){.kv_heads = attention->kv_heads,
                            .head_size = attention->head_size,
                            .latent = attention->latent.kv_rank > 0};
}

static bool are_same(const struct kv_view *a, const struct kv_view *b) {
    return a->kv_heads == b->kv_heads && a->head_size == b->head_size;
}

// The group of layers like this one, or, for the first of them, a new one. A file states one
// window, one convolution and one recurrence (family_read.c), so there are as many groups as
// KV_GROUPS at most. first [group_count] layers.
static int group_of(struct kv_shape *shape, int32_t *first, const struct model_config *config,
                    int32_t layer) {
    const struct attention_spec *attention = attention_of(config, layer);
    for (int i = 0; i < shape->group_count; i++)
        if (are_alike(config, first[i], layer)) return i;
    ASSERT(shape->group_count < KV_GROUPS);
    const int group = shape->group_count++;
    first[group] = layer;
    shape->groups[group] =
        (struct kv_group){.kind = kind_of_layer(config, layer),
                          .reach = attention->window,
                          .recurrent = mixer_of(config, layer) != MIXER_ATTENTION,
                          .state_bytes = state_bytes_of(config, layer),
                          .views = {view_of(attention), view_of(attention)}};
    return group;
}

static int64_t plane_of(const struct kv_group *group, int view) {
    return (int64_t)group->views[view].kv_heads * group->views[view].head_size;
}

static int64_t round_up_to(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

static int64_t divisor_of_both(int64_t a, int64_t b) {
    ASSERT(a > 0 && b >= 0);
    while (b > 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Lays out a group with count[view] planes of each view: all planes of the view with the larger
// ones, then all of the other. Sets the group's elements and where each view starts.
static void lay_out(struct kv_group *group, const int32_t *count, int32_t *start) {
    const int64_t planes[KV_VIEWS] = {plane_of(group, 0), plane_of(group, 1)};
    const int first = planes[1] > planes[0] ? 1 : 0, last = 1 - first;
    const int64_t before = round_up_to(count[first] * planes[first], planes[last]);
    const int64_t unit = planes[0] / divisor_of_both(planes[0], planes[1]) * planes[1];
    start[first] = 0;
    start[last] = (int32_t)(before / planes[last]);
    group->elements = round_up_to(before + count[last] * planes[last], unit);
}

struct kv_shape kv_shape_of(const struct model_config *config) {
    const int32_t layers = model_config_all_layers(config);
    struct kv_shape shape = {0};
    int32_t first[KV_GROUPS], count[KV_GROUPS][KV_VIEWS] = {{0}}, start[KV_GROUPS][KV_VIEWS];
    for (int kind = CACHE_FULL; kind <= CACHE_STATE; kind++)
        for (int32_t i = 0; i < layers; i++)
            if ((int)kind_of_layer(config, i) == kind)
                shape.layers[i].group = group_of(&shape, first, config, i);
    for (int32_t i = 0; i < layers; i++) {
        struct kv_place *layer = &shape.layers[i];
        struct kv_view *views = shape.groups[layer->group].views;
        const struct kv_view view = view_of(attention_of(config, i));
        layer->view = are_same(&views[0], &view) ? 0 : 1;
        if (layer->view == 1 && are_same(&views[0], &views[1])) views[1] = view;
        if (!layer_shares_kv(config, i)) layer->place = count[layer->group][layer->view]++;
    }
    for (int i = 0; i < shape.group_count; i++)
        lay_out(&shape.groups[i], count[i], start[i]);
    for (int32_t i = 0; i < layers; i++) {
        struct kv_place *layer = &shape.layers[i];
        const int32_t source = attention_of(config, i)->kv_source;
        if (source == i) {
            layer->place += start[layer->group][layer->view];
            continue;
        }
        ASSERT(!layer_shares_kv(config, source) && layer->group == shape.layers[source].group &&
               layer->view == shape.layers[source].view);
        layer->place = shape.layers[source].place;
    }
    return shape;
}

static const struct kv_group *find_group(const struct kv_shape *shape, int group) {
    ASSERT(group >= 0 && group < shape->group_count);
    return &shape->groups[group];
}

// The size that scales are counted by; 0 where there is one size.
static int32_t scale_elements_of(const struct kv_group *group) {
    const int32_t a = group->views[0].head_size, b = group->views[1].head_size;
    return a == b ? 0 : a < b ? a : b;
}

void kv_shape_set(struct kv_cache *cache, const struct kv_shape *shape, int group, int view) {
    const struct kv_group *of = find_group(shape, group);
    ASSERT(view >= 0 && view < KV_VIEWS);
    ASSERT(of->views[view].kv_heads > 0 && of->views[view].head_size > 0);
    cache->num_kv_heads = of->views[view].kv_heads;
    cache->head_size = of->views[view].head_size;
    if (of->recurrent) {
        cache->type = DTYPE_F32;
        cache->layout = KV_LAYOUT_ROWS;
    }
    cache->state_bytes = of->state_bytes;
    cache->latent = of->views[view].latent || of->state_bytes > 0;
    cache->scale_elements = scale_elements_of(of);
    cache->num_layers = (int32_t)(of->elements / plane_of(of, view));
}

size_t kv_shape_token_bytes(const struct kv_shape *shape, int group, enum dtype type) {
    struct kv_cache cache = {.type = type, .block_size = 1};
    kv_shape_set(&cache, shape, group, 0);
    return kv_block_bytes(&cache);
}

size_t kv_shape_sequence_bytes(const struct kv_shape *shape, int64_t tokens) {
    size_t bytes = 0;
    ASSERT(tokens >= 0);
    for (int group = 0; group < shape->group_count; group++) {
        const int32_t reach = shape->groups[group].reach;
        const int64_t seen = reach > 0 && reach < tokens ? reach : tokens;
        bytes += kv_shape_token_bytes(shape, group, DTYPE_F16) * (size_t)seen;
    }
    return bytes;
}
