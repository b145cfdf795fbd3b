#include "engine/model/shape.h"

#include <stdlib.h>
#include <string.h>

#include "engine/model/config_read.h"
#include "engine/model/folder_config.h"
#include "kernels/base/assert.h"

static const struct shape shapes[] = {
    {.name = "llama-3-8b",
     .family = "llama",
     .config = "{'hidden_size': 4096, 'num_hidden_layers': 32, 'num_attention_heads': 32, "
               "'num_key_value_heads': 8, 'intermediate_size': 14336, 'vocab_size': 128256, "
               "'max_position_embeddings': 131072, 'rms_norm_eps': 1e-05, 'rope_theta': "
               "500000}"},
    {.name = "llama-3-70b",
     .family = "llama",
     .config = "{'hidden_size': 8192, 'num_hidden_layers': 80, 'num_attention_heads': 64, "
               "'num_key_value_heads': 8, 'intermediate_size': 28672, 'vocab_size': 128256, "
               "'max_position_embeddings': 131072, 'rms_norm_eps': 1e-05, 'rope_theta': "
               "500000}"},
    {.name = "llama-3.2-1b",
     .family = "llama",
     .tied = true,
     .config = "{'hidden_size': 2048, 'num_hidden_layers': 16, 'num_attention_heads': 32, "
               "'num_key_value_heads': 8, 'intermediate_size': 8192, 'vocab_size': 128256, "
               "'max_position_embeddings': 131072, 'rms_norm_eps': 1e-05, 'rope_theta': "
               "500000}"},
    {.name = "qwen3-8b",
     .family = "qwen3",
     .config = "{'hidden_size': 4096, 'num_hidden_layers': 36, 'num_attention_heads': 32, "
               "'num_key_value_heads': 8, 'head_dim': 128, 'intermediate_size': 12288, "
               "'vocab_size': 151936, 'max_position_embeddings': 40960, 'rms_norm_eps': 1e-06, "
               "'rope_theta': 1000000}"},
    {.name = "qwen3-0.6b",
     .family = "qwen3",
     .tied = true,
     .config = "{'hidden_size': 1024, 'num_hidden_layers': 28, 'num_attention_heads': 16, "
               "'num_key_value_heads': 8, 'head_dim': 128, 'intermediate_size': 3072, "
               "'vocab_size': 151936, 'max_position_embeddings': 40960, 'rms_norm_eps': 1e-06, "
               "'rope_theta': 1000000}"},
    {.name = "qwen3-30b-a3b",
     .family = "qwen3moe",
     .config = "{'hidden_size': 2048, 'num_hidden_layers': 48, 'num_attention_heads': 32, "
               "'num_key_value_heads': 4, 'head_dim': 128, 'intermediate_size': 6144, "
               "'vocab_size': 151936, 'max_position_embeddings': 40960, 'rms_norm_eps': 1e-06, "
               "'rope_theta': 1000000, 'num_experts': 128, 'num_experts_per_tok': 8, "
               "'moe_intermediate_size': 768}"},
    {.name = "gpt-oss-20b",
     .family = "gpt-oss",
     .config = "{'hidden_size': 2880, 'num_hidden_layers': 24, 'num_attention_heads': 64, "
               "'num_key_value_heads': 8, 'head_dim': 64, 'intermediate_size': 2880, "
               "'vocab_size': 201088, 'max_position_embeddings': 131072, 'rms_norm_eps': "
               "1e-05, 'rope_theta': 150000, 'sliding_window': 128, 'num_local_experts': 32, "
               "'num_experts_per_tok': 4, 'rope_scaling': {'rope_type': 'yarn', 'factor': 32, "
               "'beta_fast': 32, 'beta_slow': 1, 'truncate': false, "
               "'original_max_position_embeddings': 4096}}"},
    {.name = "gpt-oss-120b",
     .family = "gpt-oss",
     .config = "{'hidden_size': 2880, 'num_hidden_layers': 36, 'num_attention_heads': 64, "
               "'num_key_value_heads': 8, 'head_dim': 64, 'intermediate_size': 2880, "
               "'vocab_size': 201088, 'max_position_embeddings': 131072, 'rms_norm_eps': "
               "1e-05, 'rope_theta': 150000, 'sliding_window': 128, 'num_local_experts': 128, "
               "'num_experts_per_tok': 4, 'rope_scaling': {'rope_type': 'yarn', 'factor': 32, "
               "'beta_fast': 32, 'beta_slow': 1, 'truncate': false, "
               "'original_max_position_embeddings': 4096}}"},
    {.name = "gemma-4-26b-a4b",
     .family = "gemma4",
     .tied = true,
     .config = "{'hidden_size': 2816, 'num_hidden_layers': 30, 'num_attention_heads': 16, "
               "'num_key_value_heads': 8, 'num_global_key_value_heads': 2, 'attention_k_eq_v': "
               "true, 'head_dim': 256, 'global_head_dim': 512, 'intermediate_size': 2112, "
               "'vocab_size': 262144, 'max_position_embeddings': 262144, 'rms_norm_eps': "
               "1e-06, 'sliding_window': 1024, 'sliding_window_pattern': 6, "
               "'final_logit_softcapping': 30, 'num_experts': 128, 'top_k_experts': 8, "
               "'moe_intermediate_size': 704, 'rope_parameters': {'full_attention': "
               "{'rope_type': 'proportional', 'partial_rotary_factor': 0.25, 'rope_theta': "
               "1000000}, 'sliding_attention': {'rope_theta': 10000}}}"},
    {.name = "lfm2-1.2b",
     .family = "lfm2",
     .tied = true,
     .config = "{'hidden_size': 2048, 'num_hidden_layers': 16, 'num_attention_heads': 32, "
               "'num_key_value_heads': 8, 'block_ff_dim': 12288, 'block_auto_adjust_ff_dim': "
               "true, 'vocab_size': 65536, 'max_position_embeddings': 128000, 'norm_eps': 1e-05, "
               "'rope_theta': 1000000, 'conv_L_cache': 3, 'full_attn_idxs': [2, 5, 8, 10, 12, "
               "14]}"},
    {.name = "granite-4-h-tiny",
     .family = "granitehybrid",
     .tied = true,
     .config = "{'hidden_size': 1536, 'num_hidden_layers': 40, 'num_attention_heads': 12, "
               "'num_key_value_heads': 4, 'intermediate_size': 512, 'vocab_size': 100352, "
               "'max_position_embeddings': 131072, 'rms_norm_eps': 1e-05, 'rope_theta': 10000, "
               "'num_local_experts': 64, 'num_experts_per_tok': 6, 'embedding_multiplier': 12, "
               "'residual_multiplier': 0.22, 'attention_multiplier': 0.0078125, "
               "'logits_scaling': 6, 'shared_intermediate_size': 1024, 'full_attn_idxs': [5, 15, "
               "25, 35], 'mamba_n_heads': 48, 'mamba_d_state': 128, 'mamba_n_groups': 1, "
               "'mamba_d_conv': 4, 'mamba_expand': 2}"},
};

static cJSON *parse(const char *config) {
    char text[1024];
    const size_t length = strlen(config);
    ASSERT(length < sizeof text);
    for (size_t i = 0; i <= length; i++)
        text[i] = config[i] == '\'' ? '"' : config[i];
    return cJSON_Parse(text);
}

static int32_t published_layers(const struct shape *shape) {
    cJSON *json = parse(shape->config);
    const cJSON *layers = cJSON_GetObjectItemCaseSensitive(json, "num_hidden_layers");
    const int32_t count = layers ? layers->valueint : 0;
    cJSON_Delete(json);
    return count;
}

bool shape_find(const char *name, struct shape *shape) {
    const size_t length = strcspn(name, ":");
    char *end = NULL;
    const long layers = name[length] ? strtol(name + length + 1, &end, 10) : 0;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (strlen(shapes[i].name) != length || strncmp(shapes[i].name, name, length) != 0)
            continue;
        if (end && (*end || layers < 1 || layers > published_layers(&shapes[i]))) return false;
        *shape = shapes[i];
        shape->layers = (int32_t)layers;
        return true;
    }
    return false;
}

const char *shape_names(void) {
    return "llama-3-8b, llama-3-70b, llama-3.2-1b, qwen3-8b, qwen3-0.6b, qwen3-30b-a3b, "
           "gpt-oss-20b, gpt-oss-120b, gemma-4-26b-a4b, lfm2-1.2b, granite-4-h-tiny";
}

enum status shape_config(const struct shape *shape, struct model_config *config,
                         struct error *err) {
    const struct family *family = family_find(shape->family, strlen(shape->family));
    struct folder_config folder = {0};
    struct gguf *gguf = NULL;
    cJSON *json = parse(shape->config);
    ASSERT(family);
    if (!json) return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    cJSON *layers = cJSON_GetObjectItemCaseSensitive(json, "num_hidden_layers");
    if (shape->layers > 0) cJSON_SetNumberValue(layers, shape->layers);
    enum status status = folder_config_read(json, family, shape->name, &folder, err);
    if (status == STATUS_OK) status = folder_config_open(&folder, shape->name, &gguf, err);
    if (status == STATUS_OK) status = model_config_read(gguf, config, err);
    if (status == STATUS_OK)
        config->vocabulary =
            (int32_t)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, "vocab_size"));
    ASSERT(status == STATUS_OK || status == STATUS_NO_MEMORY || shape->layers > 0);
    gguf_close(gguf);
    folder_config_deinit(&folder);
    cJSON_Delete(json);
    return status;
}
