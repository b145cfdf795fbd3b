#include "engine/model/folder_defaults.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

#define GEMMA3                                                                                  \
    "num_attention_heads 8 num_key_value_heads 4 head_dim 256 max_position_embeddings 131072 "  \
    "rms_norm_eps 1e-6 query_pre_attn_scalar 256 sliding_window 4096 sliding_window_pattern 6 " \
    "rope_theta 1e6 rope_local_base_freq 1e4"
#define GEMMA4                                                                   \
    "num_key_value_heads 4 head_dim 256 global_head_dim 512 sliding_window 512 " \
    "hidden_size_per_layer_input 256"
#define GRANITE \
    "embedding_multiplier 1 residual_multiplier 1 attention_multiplier 1 logits_scaling 1"
#define QWEN_WINDOW "use_sliding_window false "
#define QWEN2_VL    QWEN_WINDOW "num_key_value_heads 8 rope_theta 1e6"
#define QWEN3_VL    "head_dim 128 rope_theta 5e5"
#define QWEN3_5     "num_key_value_heads 4 head_dim 256 partial_rotary_factor 0.25"
#define QWEN3_5_MOE                                                  \
    "num_key_value_heads 2 head_dim 256 partial_rotary_factor 0.25 " \
    "shared_expert_intermediate_size 512"

#define MUSE_GLIMMER                                                             \
    "num_key_value_heads 2 head_dim 128 sliding_window 2048 post_norm_eps 1e-8 " \
    "final_logit_softcapping 20 qk_scale_factor 3.87 output_multiplier 0.19611613513818404"
#define STEP3P5                                                                           \
    "num_key_value_heads 8 head_dim 128 moe_intermediate_size 1280 n_routed_experts 288 " \
    "num_experts_per_tok 8 share_expert_dim 1280 norm_topk_prob true first_k_dense_replace 3"

// Keys and values in turn; "a.b" is b in the object a. Where as many KV heads as heads are the
// default, to state neither means the same to quire.
static const struct {
    const char *model_type, *values;
} rows[] = {
    {"afmoe", "head_dim 128 moe_intermediate_size 1408 num_experts 64 num_experts_per_tok 6 "
              "num_shared_experts 2 num_dense_layers 1 sliding_window 1024 "
              "global_attn_every_n_layers 4"},
    {"apertus", "rope_parameters.rope_type llama3 rope_parameters.rope_theta 12e6 "
                "rope_parameters.factor 8 rope_parameters.original_max_position_embeddings 8192 "
                "rope_parameters.low_freq_factor 1 rope_parameters.high_freq_factor 4 "
                "rope_theta 12e6"},
    {"cohere", "logit_scale 0.0625 rope_theta 5e5"},
    {"cohere2", "logit_scale 0.0625 sliding_window 4096"},
    {"cohere2_moe", "head_dim 128 num_experts 8 num_experts_per_tok 2 num_shared_experts 0 "
                    "expert_selection_fn softmax norm_topk_prob true logit_scale 0.0625 "
                    "sliding_window 4096 sliding_window_pattern 4 "
                    "prefix_dense_sliding_window_pattern 1"},
    {"deepseek_v2", "n_shared_experts 2 q_lora_rank 1536 norm_topk_prob false topk_method greedy"},
    {"deepseek_v3", "n_shared_experts 1 q_lora_rank 1536 norm_topk_prob true scoring_func sigmoid "
                    "routed_scaling_factor 2.5 n_group 8 topk_group 4 first_k_dense_replace 3"},
    {"dots1", "norm_topk_prob false"},
    {"ernie4_5", "num_key_value_heads 2 head_dim 128 rope_theta 5e5 tie_word_embeddings true"},
    {"ernie4_5_moe", "num_key_value_heads 4 rope_theta 5e5 tie_word_embeddings true "
                     "moe_num_shared_experts 2 moe_layer_start_index 1"},
    {"exaone4", "sliding_window 4096"},
    {"exaone_moe", "sliding_window 4096 sliding_window_pattern 4 first_k_dense_replace 1 "
                   "moe_intermediate_size 1024 num_experts 64 num_experts_per_tok 8 "
                   "num_shared_experts 1 routed_scaling_factor 2.5"},
    {"falcon_h1", "num_key_value_heads 8 mamba_d_ssm 1024"},
    {"gemma", "head_dim 256"},
    {"gemma2", "num_key_value_heads 4 head_dim 256 query_pre_attn_scalar 256 sliding_window 4096 "
               "attn_logit_softcapping 50 final_logit_softcapping 30"},
    {"gemma3", GEMMA3},
    {"gemma3_text", GEMMA3},
    {"gemma4", GEMMA4},
    {"gemma4_text", GEMMA4},
    {"glm4", "num_key_value_heads 2 head_dim 128 partial_rotary_factor 0.5"},
    {"glm4_moe", "num_key_value_heads 8 partial_rotary_factor 0.5 norm_topk_prob true "
                 "n_shared_experts 1 first_k_dense_replace 1"},
    {"glm4_moe_lite", "n_shared_experts 1 q_lora_rank 768 norm_topk_prob true scoring_func sigmoid "
                      "routed_scaling_factor 1.8 first_k_dense_replace 1"},
    {"gpt_oss", "num_key_value_heads 8 head_dim 64 sliding_window 128 rope_theta 150000 "
                "rope_parameters.rope_type yarn rope_parameters.factor 32 "
                "rope_parameters.beta_fast 32 rope_parameters.beta_slow 1 "
                "rope_parameters.truncate false "
                "rope_parameters.original_max_position_embeddings 4096"},
    {"granite", GRANITE},
    {"granite_swa", GRANITE " num_key_value_heads 4 sliding_window 128 "
                            "sliding_window_pattern GLLL tie_word_embeddings true"},
    {"granitemoe", GRANITE},
    {"granitemoehybrid", GRANITE},
    {"hunyuan_v1_moe", "num_shared_expert 1"},
    {"hy_v3", "num_key_value_heads 8 head_dim 128 moe_intermediate_size 1536 num_experts 192 "
              "num_experts_per_tok 8 num_shared_experts 1 router_scaling_factor 2.826 "
              "rope_theta 11158840 first_k_dense_replace 1"},
    {"laguna", "num_key_value_heads 8 head_dim 128 sliding_window 512 moe_intermediate_size 512 "
               "shared_expert_intermediate_size 512 num_experts 256 num_experts_per_tok 8 "
               "first_k_dense_replace 1"},
    {"lfm2", "num_key_value_heads 8 rope_theta 1e6"},
    {"lfm2_moe", "num_key_value_heads 8 rope_theta 1e6 num_dense_layers 2"},
    {"mellum", "num_key_value_heads 4 head_dim 128 moe_intermediate_size 896 "
               "num_experts_per_tok 8 norm_topk_prob true sliding_window 1024 "
               "sliding_window_pattern 1 rope_theta 5e5 rope_local_base_freq 1e4"},
    {"mimo_v2_flash", "num_key_value_heads 4 head_dim 192 v_head_dim 128 sliding_window 128 "
                      "attention_value_scale 0.707 n_routed_experts 256 num_experts_per_tok 8 "
                      "moe_intermediate_size 2048 norm_topk_prob true first_k_dense_replace 1 "
                      "rope_theta 5e6 rope_local_base_freq 1e4 partial_rotary_factor 0.334"},
    {"minimax_m2", "num_key_value_heads 8 head_dim 128 rope_theta 5e6"},
    {"ministral3", "num_key_value_heads 8 head_dim 128 rope_parameters.rope_type yarn "
                   "rope_parameters.rope_theta 1e6 rope_parameters.factor 16 "
                   "rope_parameters.original_max_position_embeddings 16384 "
                   "rope_parameters.beta_fast 32 rope_parameters.beta_slow 1 "
                   "rope_parameters.mscale_all_dim 1 rope_parameters.mscale 1 "
                   "rope_parameters.llama_4_scaling_beta 0.1"},
    {"mistral", "num_key_value_heads 8 sliding_window 4096"},
    {"mistral3", "num_key_value_heads 8 sliding_window 4096"},
    {"mistral4", "n_shared_experts 1 q_lora_rank 1024 norm_topk_prob true "
                 "rope_parameters.rope_type yarn rope_parameters.rope_theta 1e4 "
                 "rope_parameters.factor 128 "
                 "rope_parameters.original_max_position_embeddings 8192 "
                 "rope_parameters.beta_fast 32 rope_parameters.beta_slow 1 "
                 "rope_parameters.mscale_all_dim 1 rope_parameters.mscale 1 "
                 "rope_parameters.llama_4_scaling_beta 0.1"},
    {"mixtral", "num_key_value_heads 8 rope_theta 1e6 num_local_experts 8 num_experts_per_tok 2"},
    {"muse_glimmer", MUSE_GLIMMER},
    {"muse_glimmer_text", MUSE_GLIMMER},
    {"nemotron_h", "num_key_value_heads 8 head_dim 128 norm_topk_prob true n_shared_experts 1"},
    {"olmo3", "rope_theta 5e5 sliding_window 4096"},
    {"olmoe", "norm_topk_prob false"},
    {"phi", "partial_rotary_factor 0.5"},
    {"phi3", "original_max_position_embeddings 4096"},
    {"phimoe", "num_key_value_heads 8 num_local_experts 16 num_experts_per_tok 2 rope_theta 1e6 "
               "norm_topk_prob false router_jitter_noise 0.01"},
    {"qwen2", QWEN_WINDOW},
    {"qwen2_moe", QWEN_WINDOW "num_key_value_heads 16 shared_expert_intermediate_size 5632 "
                              "norm_topk_prob false"},
    {"qwen2_vl", QWEN2_VL},
    {"qwen2_vl_text", QWEN2_VL},
    {"qwen2_5_vl", QWEN2_VL},
    {"qwen2_5_vl_text", QWEN2_VL},
    {"qwen3", QWEN_WINDOW "head_dim 128"},
    {"qwen3_moe", QWEN_WINDOW "num_key_value_heads 4 norm_topk_prob false"},
    {"qwen3_next", "num_key_value_heads 2 head_dim 256 partial_rotary_factor 0.25 "
                   "shared_expert_intermediate_size 512 norm_topk_prob true"},
    {"qwen3_5", QWEN3_5},
    {"qwen3_5_text", QWEN3_5},
    {"qwen3_5_moe", QWEN3_5_MOE},
    {"qwen3_5_moe_text", QWEN3_5_MOE},
    {"qwen3_vl", QWEN3_VL},
    {"qwen3_vl_text", QWEN3_VL},
    {"seed_oss", "num_key_value_heads 8 head_dim 128"},
    {"smollm3", QWEN_WINDOW "num_key_value_heads 4 rope_theta 2e6"},
    {"step3p5", STEP3P5},
    {"step3p7", STEP3P5},
    {"starcoder2", "num_key_value_heads 2"},
};

// What a stated key takes the place of.
static bool is_replaced(const cJSON *json, const char *key) {
    static const char *const others[][2] = {{"rope_parameters", "rope_scaling"},
                                            {"first_k_dense_replace", "mlp_layer_types"},
                                            {"global_head_dim", "per_layer_config"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(json, others[i][1]);
        if (!strcmp(others[i][0], key) && other && !cJSON_IsNull(other)) return true;
    }
    return false;
}

static bool add_default(cJSON *object, const char *key, const char *value) {
    char *end;
    const double number = strtod(value, &end);
    if (!*end) return cJSON_AddNumberToObject(object, key, number) != NULL;
    if (!strcmp(value, "true") || !strcmp(value, "false"))
        return cJSON_AddBoolToObject(object, key, value[0] == 't') != NULL;
    return cJSON_AddStringToObject(object, key, value) != NULL;
}

// Copies the next word of `text` and returns what follows it.
static const char *next_word(const char *text, char word[64]) {
    const size_t length = strcspn(text, " ");
    ASSERT(length > 0 && length < 64);
    memcpy(word, text, length);
    word[length] = '\0';
    return text + length + strspn(text + length, " ");
}

static bool add_all(cJSON *object, const cJSON *json, const char *values) {
    char key[64], value[64];
    bool whole = true;
    while (*values && whole) {
        values = next_word(next_word(values, key), value);
        char *dot = strchr(key, '.');
        if (dot) *dot = '\0';
        if (is_replaced(json, key)) continue;
        cJSON *in = dot ? cJSON_GetObjectItemCaseSensitive(object, key) : object;
        if (!in) in = cJSON_AddObjectToObject(object, key);
        whole = in && add_default(in, dot ? dot + 1 : key, value);
    }
    return whole;
}

cJSON *folder_defaults_create(const cJSON *json, const char *model_type) {
    cJSON *object = cJSON_CreateObject();
    bool whole = object != NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && whole; i++)
        if (!strcmp(rows[i].model_type, model_type)) whole = add_all(object, json, rows[i].values);
    if (whole) return object;
    cJSON_Delete(object);
    return NULL;
}
