#include "engine/model/kv_shape.h"

#include "kernels/base/assert.h"

static const struct attention_spec *attention_of(const struct model_config *config, int32_t layer) {
    ASSERT(layer >= 0 && layer < config->layers);
    return &config->specs[layer].attention;
}

// The first layer of each group.
struct partition {
    int groups;
    int32_t first[KV_GROUPS];
};

static struct partition partition_of(const struct model_config *config) {
    int32_t first[2] = {-1, -1}; // without a window and with one
    for (int32_t i = config->layers - 1; i >= 0; i--)
        first[attention_of(config, i)->window > 0] = i;
    if (first[0] < 0 || first[1] < 0) return (struct partition){.groups = 1};
    return (struct partition){2, {first[0], first[1]}};
}

static int group_of(const struct partition *partition, const struct model_config *config,
                    int32_t layer) {
    ASSERT(partition->groups >= 1 && partition->groups <= KV_GROUPS);
    return partition->groups == 2 && attention_of(config, layer)->window > 0 ? 1 : 0;
}

int kv_shape_groups(const struct model_config *config) { return partition_of(config).groups; }

int kv_shape_group(const struct model_config *config, int32_t layer) {
    const struct partition partition = partition_of(config);
    return group_of(&partition, config, layer);
}

int32_t kv_shape_reach(const struct model_config *config, int group) {
    const struct partition partition = partition_of(config);
    int32_t reach = 0;
    ASSERT(group >= 0 && group < partition.groups);
    if (attention_of(config, partition.first[group])->window == 0) return 0;
    for (int32_t i = 0; i < config->layers; i++)
        if (attention_of(config, i)->window > reach) reach = attention_of(config, i)->window;
    return reach;
}

static int32_t first_of(const struct model_config *config, int group) {
    const struct partition partition = partition_of(config);
    ASSERT(group >= 0 && group < partition.groups);
    return partition.first[group];
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
    for (int32_t i = 0; i < config->layers; i++)
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
    for (int32_t i = 0; i < config->layers; i++)
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
    return config->specs[first_of(config, group)].mixer != MIXER_ATTENTION;
}

bool kv_shape_has_states(const struct model_config *config, int group) {
    return config->specs[first_of(config, group)].mixer == MIXER_RECURRENCE;
}

void kv_shape_set(struct kv_cache *cache, const struct model_config *config, int group, int view) {
    const struct attention_spec *example = example_of(config, group, view);
    ASSERT(example->kv_heads > 0 && example->head_size > 0);
    cache->num_kv_heads = example->kv_heads;
    cache->head_size = example->head_size;
    cache->latent = example->latent.kv_rank > 0;
    if (kv_shape_is_recurrent(config, group)) {
        cache->type = DTYPE_F32;
        cache->layout = KV_LAYOUT_ROWS;
    }
    cache->state_bytes = 0;
    if (kv_shape_has_states(config, group)) {
        cache->latent = true;
        cache->state_bytes =
            recurrence_spec_state_bytes(&config->specs[first_of(config, group)].recurrence);
    }
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
