#include "engine/model/model_config.h"

#include "kernels/base/assert.h"

bool layer_shares_kv(const struct model_config *config, int32_t layer) {
    ASSERT(layer >= 0 && layer < config->layers);
    const int32_t source = config->specs[layer].attention.kv_source;
    ASSERT(source >= 0 && source <= layer);
    return source != layer;
}

static int32_t max(int32_t a, int32_t b) { return a > b ? a : b; }

struct layer_maxima model_config_maxima(const struct model_config *config) {
    struct layer_maxima most = {0};
    ASSERT(config->layers > 0 && config->layers <= MODEL_MAX_LAYERS);
    for (int32_t i = 0; i < config->layers; i++) {
        const struct attention_spec *attention = &config->specs[i].attention;
        const struct ffn_spec *ffn = &config->specs[i].ffn;
        most.heads = max(most.heads, attention->heads);
        most.head_size = max(most.head_size, attention->head_size);
        most.q_row = max(most.q_row, attention->heads * attention->head_size);
        most.kv_row = max(most.kv_row, attention->kv_heads * attention->head_size);
        if (ffn->kind != FFN_EXPERTS) most.ffn = max(most.ffn, ffn->width);
        most.experts = max(most.experts, ffn->experts);
        most.experts_used = max(most.experts_used, ffn->experts_used);
        most.expert_width = max(most.expert_width, ffn->expert_width);
    }
    return most;
}
