#include "engine/model/model_config.h"

#include "kernels/base/assert.h"

bool layer_shares_kv(const struct model_config *config, int32_t layer) {
    ASSERT(layer >= 0 && layer < model_config_all_layers(config));
    const int32_t source = config->specs[layer].attention.kv_source;
    ASSERT(source >= 0 && source <= layer);
    return source != layer;
}

bool layer_is_joined(const struct model_config *config, int32_t layer) {
    ASSERT(layer >= 0 && layer < model_config_all_layers(config));
    return layer > 0 && config->specs[layer - 1].joins_next;
}

int32_t model_config_blocks(const struct model_config *config) {
    ASSERT(config->layers > 0 && config->layers <= MODEL_MAX_LAYERS);
    return config->specs[config->layers - 1].block + 1;
}

int32_t model_config_all_layers(const struct model_config *config) {
    return config->layers + config->mtp_layers;
}

static struct recurrence shape_of(const struct recurrence_spec *spec) {
    return (struct recurrence){.key_heads = spec->key_heads,
                               .value_heads = spec->value_heads,
                               .key_size = spec->key_size,
                               .value_size = spec->value_size,
                               .width = spec->width};
}

size_t recurrence_spec_state_bytes(const struct recurrence_spec *spec) {
    const struct recurrence shape = shape_of(spec);
    return recurrence_state_bytes(&shape);
}

int32_t recurrence_spec_channels(const struct recurrence_spec *spec) {
    const struct recurrence shape = shape_of(spec);
    return recurrence_channels(&shape);
}

static int32_t max(int32_t a, int32_t b) { return a > b ? a : b; }

struct layer_maxima model_config_maxima(const struct model_config *config) {
    struct layer_maxima most = {0};
    ASSERT(config->layers > 0 && config->layers <= MODEL_MAX_LAYERS);
    for (int32_t i = 0; i < model_config_all_layers(config); i++) {
        const struct attention_spec *attention = &config->specs[i].attention;
        const struct ffn_spec *ffn = &config->specs[i].ffn;
        const bool attends = config->specs[i].mixer == MIXER_ATTENTION;
        if (attends) most.heads = max(most.heads, attention->heads);
        if (attends) most.head_size = max(most.head_size, attention->head_size);
        if (ffn->kind != FFN_EXPERTS) most.ffn = max(most.ffn, ffn->width);
        most.experts = max(most.experts, ffn->experts);
        most.experts_used = max(most.experts_used, ffn->experts_used);
        most.expert_width = max(most.expert_width, ffn->expert_width);
    }
    return most;
}
