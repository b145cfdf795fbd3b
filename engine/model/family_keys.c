#include "engine/model/family_keys.h"

#include <string.h>

bool family_keys_list(const char *list, const char *name) {
    const size_t length = strlen(name);
    while (list) {
        list += strspn(list, ", ");
        if (strcspn(list, ",") == length && !memcmp(list, name, length)) return true;
        list = strchr(list, ',');
    }
    return false;
}

bool family_keys_have(const char *keys, const char *key) {
    static const char of_some[] =
        "attn_logit_softcapping, final_logit_softcapping, embedding_scale, residual_scale, "
        "attention.scale, logit_scale, expert_gating_func, no_rope_layers, "
        "router_jitter_noise, layer_rope_theta, v_head_dim, num_sliding_attention_heads, "
        "attention.query_scale, attention.value_scale, "
        "prefix_dense_intermediate_size, " FAMILY_KEYS_ROUTED;
    return !family_keys_list(of_some, key) || family_keys_list(keys, key);
}
