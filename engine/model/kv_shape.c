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

// The first layer of each group. A file states one window, one convolution and one recurrence
// (family_read.c), so there are as many groups as KV_GROUPS at most.
struct partition {
    int groups;
    int32_t first[KV_GROUPS];
};

static bool find_group(const struct partition *partition, const struct model_config *config,
                       int32_t layer, int *group) {
    for (int i = 0; i < partition->groups; i++)
        if (are_alike(config, partition->first[i], layer)) {
            *group = i;
            return true;
        }
    return false;
}

static struct partition partition_of(const struct model_config *config) {
    struct partition partition = {0};
    int group;
    for (int kind = CACHE_FULL; kind <= CACHE_STATE; kind++)
        for (int32_t i = 0; i < model_config_all_layers(config); i++) {
            if ((int)kind_of_layer(config, i) != kind || find_group(&partition, config, i, &group))
                continue;
            ASSERT(partition.groups < KV_GROUPS);
            partition.first[partition.groups++] = i;
        }
    return partition;
}

static int group_of(const struct partition *partition, const struct model_config *config,
                    int32_t layer) {
    int group = 0;
    MUST(find_group(partition, config, layer, &group));
    return group;
}

int kv_shape_groups(const struct model_config *config) { return partition_of(config).groups; }

int kv_shape_group(const struct model_config *config, int32_t layer) {
    const struct partition partition = partition_of(config);
    return group_of(&partition, config, layer);
}

static int32_t first_of(const struct model_config *config, int group) {
    const struct partition partition = partition_of(config);
    ASSERT(group >= 0 && group < partition.groups);
    return partition.first[group];
}

enum cache_kind kv_shape_kind(const struct model_config *config, int group) {
    return kind_of_layer(config, first_of(config, group));
}

int32_t kv_shape_reach(const struct model_config *config, int group) {
    return attention_of(config, first_of(config, group))->window;
}

static int view_of(const struct partition *partition, const struct model_config *config,
                   int32_t layer) {
    const struct attention_spec *a = attention_of(config, layer);
    const int32_t first = partition->first[group_of(partition, config, layer)];
    const struct attention_spec *b = attention_of(config, first);
    return a->kv_heads == b->kv_heads && a->head_size == b->head_size ? 0 : 1;
}

static bool is_in(const struct partition *partition, const struct model_config *config,
                  int32_t layer, int group, int view) {
    return group_of(partition, config, layer) == group && view_of(partition, config, layer) == view;
}

// A layer of the view; the group's first one where it has no other.
static const struct attention_spec *example_of(const struct model_config *config, int group,
                                               int view) {
    const struct partition partition = partition_of(config);
    ASSERT(view >= 0 && view < KV_VIEWS);
    for (int32_t i = 0; i < model_config_all_layers(config); i++)
        if (is_in(&partition, config, i, group, view)) return attention_of(config, i);
    return attention_of(config, first_of(config, group));
}

// The layers of one view that have keys and values of their own, and what each takes of a token.
struct kind {
    int32_t count;
    int64_t elements;
};

static struct kind kind_of(const struct model_config *config, int group, int view) {
    const struct partition partition = partition_of(config);
    const struct attention_spec *example = example_of(config, group, view);
    struct kind kind = {.elements = (int64_t)example->kv_heads * example->head_size};
    for (int32_t i = 0; i < model_config_all_layers(config); i++)
        kind.count += is_in(&partition, config, i, group, view) && !layer_shares_kv(config, i);
    return kind;
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

// The larger planes lie first.
static int first_view(const struct model_config *config, int group) {
    return kind_of(config, group, 1).elements > kind_of(config, group, 0).elements ? 1 : 0;
}

// Where the planes of a view begin: those of the second one at the next whole plane.
static int64_t start_of(const struct model_config *config, int group, int view) {
    const int first = first_view(config, group);
    if (view == first) return 0;
    const struct kind before = kind_of(config, group, first);
    return round_up_to(before.count * before.elements, kind_of(config, group, view).elements);
}

int kv_shape_view(const struct model_config *config, int32_t layer) {
    const struct partition partition = partition_of(config);
    return view_of(&partition, config, layer);
}

int32_t kv_shape_place(const struct model_config *config, int32_t layer) {
    const struct partition partition = partition_of(config);
    const int32_t source = attention_of(config, layer)->kv_source;
    const int group = group_of(&partition, config, layer);
    const int view = view_of(&partition, config, layer);
    ASSERT(is_in(&partition, config, source, group, view) && !layer_shares_kv(config, source));
    int32_t nth = 0;
    for (int32_t i = 0; i < source; i++)
        nth += is_in(&partition, config, i, group, view) && !layer_shares_kv(config, i);
    const int64_t before = start_of(config, group, view) / kind_of(config, group, view).elements;
    return (int32_t)before + nth;
}

int64_t kv_shape_elements(const struct model_config *config, int group) {
    const int last = 1 - first_view(config, group);
    const struct kind both[KV_VIEWS] = {kind_of(config, group, 0), kind_of(config, group, 1)};
    const int64_t end = start_of(config, group, last) + both[last].count * both[last].elements;
    const int64_t unit = both[0].elements / divisor_of_both(both[0].elements, both[1].elements);
    return round_up_to(end, unit * both[1].elements);
}

// The size that scales are counted by; 0 where there is one size.
static int32_t scale_elements_of(const struct model_config *config, int group) {
    const int32_t a = example_of(config, group, 0)->head_size;
    const int32_t b = example_of(config, group, 1)->head_size;
    return a == b ? 0 : a < b ? a : b;
}

bool kv_shape_is_recurrent(const struct model_config *config, int group) {
    return mixer_of(config, first_of(config, group)) != MIXER_ATTENTION;
}

void kv_shape_set(struct kv_cache *cache, const struct model_config *config, int group, int view) {
    const struct attention_spec *example = example_of(config, group, view);
    ASSERT(example->kv_heads > 0 && example->head_size > 0);
    cache->num_kv_heads = example->kv_heads;
    cache->head_size = example->head_size;
    if (kv_shape_is_recurrent(config, group)) {
        cache->type = DTYPE_F32;
        cache->layout = KV_LAYOUT_ROWS;
    }
    cache->state_bytes = state_bytes_of(config, first_of(config, group));
    cache->latent = example->latent.kv_rank > 0 || cache->state_bytes > 0;
    cache->scale_elements = scale_elements_of(config, group);
    cache->num_layers = (int32_t)(kv_shape_elements(config, group) /
                                  ((int64_t)cache->num_kv_heads * cache->head_size));
}

size_t kv_shape_token_bytes(const struct model_config *config, int group) {
    struct kv_cache cache = {.type = DTYPE_F16, .block_size = 1};
    kv_shape_set(&cache, config, group, 0);
    return kv_block_bytes(&cache);
}

size_t kv_shape_sequence_bytes(const struct model_config *config, int64_t tokens) {
    size_t bytes = 0;
    ASSERT(tokens >= 0);
    for (int group = 0; group < kv_shape_groups(config); group++) {
        const int32_t reach = kv_shape_reach(config, group);
        const int64_t seen = reach > 0 && reach < tokens ? reach : tokens;
        bytes += kv_shape_token_bytes(config, group) * (size_t)seen;
    }
    return bytes;
}
