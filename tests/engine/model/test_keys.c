// tests/engine/model/test_keys.c — is each key of a file understood, known to be harmless, or
// refused?
//
// The small models of tests/golden get keys that they lack: those of other families, those that
// llama.cpp's own writer adds, and blocks that only draft.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/engine/model/model_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/config_read.h"
#include "engine/model/family.h"
#include "engine/model/family_keys.h"

static const char unknown[] = "is not supported and may change the answers";
static const char another[] = "has an unsupported type";

struct row {
    const char *file;
    struct model_key key;
    const char *refusal; // NULL: the file opens
};

static void check_row(const struct row *row) {
    struct model_file file = model_file_load_with(row->file, &row->key, 1);
    struct error err = {0};
    const enum status status = model_file_open(&file, &err);
    if ((status == STATUS_OK) != !row->refusal ||
        (row->refusal && !strstr(err.text, row->refusal)) ||
        (row->refusal == unknown && !strstr(err.text, row->key.key)))
        fail_msg("%s in %s: %s", row->key.key, row->file, err.text);
    free(file.bytes);
}

static void every_family_key_is_used_or_harmless_or_refused(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"qwen2", {"qwen2.rope.scale_linear", GGUF_F32, 4, NULL}, NULL},
        {"qwen2", {"qwen2.rope.scaling.factor", GGUF_F32, 4, NULL}, NULL},
        {"llama-linear", {"llama.rope.scaling.attn_factor", GGUF_F32, 1.5, NULL}, NULL},
        {"qwen2-yarn", {"qwen2.rope.scaling.yarn_attn_factor", GGUF_F32, 1.5, NULL}, NULL},
        {"qwen2-yarn", {"qwen2.rope.scaling.yarn_log_multiplier", GGUF_F32, 1, NULL}, NULL},
        {"qwen2-yarn", {"qwen2.rope.scaling.yarn_ext_factor", GGUF_F32, 1, NULL}, NULL},
        {"gemma3", {"gemma3.attention.sliding_window_pattern", GGUF_U32, 2, NULL}, NULL},
        {"gpt-oss", {"gpt-oss.attention.sliding_window_pattern", GGUF_U32, 3, NULL}, NULL},
        {"gemma2", {"gemma2.rope.freq_base_swa", GGUF_F32, 20000, NULL}, NULL},
        {"gemma", {"gemma.vocab_size", GGUF_U32, 7, NULL}, NULL},
        {"llama", {"llama.tensor_data_layout", GGUF_STRING, 0, "Meta AI original pth"}, NULL},
        {"llama", {"llama.attention.causal", GGUF_BOOL, 1, NULL}, NULL},
        {"llama", {"llama.rope.dimension_sections", GGUF_ARRAY, 0, NULL}, NULL},
        {"llama", {"llama.expert_count", GGUF_U32, 0, NULL}, NULL},
        {"llama", {"llama.expert_used_count", GGUF_U32, 0, NULL}, NULL},
        {"llama", {"llama.pooling_type", GGUF_U32, 0, NULL}, NULL},
        {"llama", {"llama.rope.scaling.type", GGUF_STRING, 0, "none"}, NULL},
        {"llama", {"llama.logit_scale", GGUF_F32, 1, NULL}, NULL},
        {"gemma3", {"gemma3.vision.image_size", GGUF_U32, 896, NULL}, NULL},
        {"gemma3", {"gemma3.mm.tokens_per_image", GGUF_U32, 256, NULL}, NULL},
        {"llama", {"llamas.attention.causal", GGUF_BOOL, 0, NULL}, NULL},
        {"llama", {"llama.attention.causal", GGUF_BOOL, 0, NULL}, unknown},
        {"llama", {"llama.pooling_type", GGUF_U32, 1, NULL}, unknown},
        {"llama", {"llama.logit_scale", GGUF_F32, 2, NULL}, unknown},
        {"llama", {"llama.attention.clamp_kqv", GGUF_F32, 8, NULL}, unknown},
        {"llama", {"llama.attention.temperature_scale", GGUF_F32, 0.1, NULL}, unknown},
        {"llama", {"llama.adapters.count", GGUF_U32, 1, NULL}, unknown},
        {"llama", {"llama.expert_shared_count", GGUF_U32, 1, NULL}, unknown},
        {"gemma3", {"gemma3.attention.scale", GGUF_STRING, 0, "0.5"}, another},
        {"llama",
         {"llama.rope.scaling.type", GGUF_STRING, 0, "longrope"},
         "rope_factors_long.weight: is missing"},
        {"gemma3", {"gemma3.rope.global.freq_base", GGUF_F32, 1e6, NULL}, unknown},
        {"deepseek2-v2", {"deepseek2.expert_gating_func", GGUF_STRING, 0, "2"}, another},
        {"deepseek2-v2",
         {"deepseek2.expert_gating_func", GGUF_U32, 4, NULL},
         "4 (expected 1 to 3)"},
        {"deepseek", {"deepseek.expert_weights_scale", GGUF_STRING, 0, "2.5"}, another},
        {"deepseek", {"deepseek.expert_weights_scale", GGUF_F32, 2.5, NULL}, NULL},
        {"qwen2-yarn", {"qwen2.rope.scaling.yarn_log_multiplier", GGUF_STRING, 0, "1"}, another},
        {"phimoe", {"phimoe.expert_group_count", GGUF_U32, 2, NULL}, "used_count is missing"},
        {"mixtral", {"llama.expert_group_count", GGUF_U32, 1, NULL}, NULL},
        {"mixtral", {"llama.expert_group_count", GGUF_U32, 2, NULL}, "used_count is missing"},
        {"mixtral", {"llama.expert_shared_count", GGUF_U32, 1, NULL}, "shexp.weight: is missing"},
        {"mixtral",
         {"llama.leading_dense_block_count", GGUF_U32, 1, NULL},
         "blk.0.ffn_gate.weight: is missing"},
        {"mixtral",
         {"llama.interleave_moe_layer_step", GGUF_U32, 2, NULL},
         "blk.0.ffn_gate.weight: is missing"},
        {"mixtral", {"llama.nextn_predict_layers", GGUF_U32, 1, NULL}, NULL},
        {"deepseek2", {"deepseek2.attention.temperature_scale", GGUF_F32, 0.1, NULL}, unknown},
        {"gpt-oss", {"gpt-oss.expert_group_used_count", GGUF_U32, 2, NULL}, unknown},
        {"gemma4-moe", {"gemma4.expert_shared_count", GGUF_U32, 1, NULL}, "(found 1)"},
        {"qwen2-yarn", {"qwen2.rope.scaling.yarn_ext_factor", GGUF_F32, 0, NULL}, "0 (expected 1)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

// Caps, scales and ways to weigh experts that the family's publisher does not apply.
static void a_key_of_another_family_is_refused(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"llama", {"llama.attn_logit_softcapping", GGUF_F32, 50, NULL}, unknown},
        {"llama", {"llama.final_logit_softcapping", GGUF_F32, 30, NULL}, unknown},
        {"llama", {"llama.router_logit_softcapping", GGUF_F32, 30, NULL}, unknown},
        {"llama", {"llama.embedding_scale", GGUF_F32, 12, NULL}, unknown},
        {"llama", {"llama.residual_scale", GGUF_F32, 0.22, NULL}, unknown},
        {"llama", {"llama.attention.scale", GGUF_F32, 0.5, NULL}, unknown},
        {"llama", {"llama.attention.scale", GGUF_F32, 0.25, NULL}, NULL},     // of heads of 16
        {"llama", {"llama.rope.freq_base_swa", GGUF_F32, 20000, NULL}, NULL}, // of no window
        {"mistral", {"llama.rope.freq_base_swa", GGUF_F32, 20000, NULL}, unknown},
        {"mistral", {"llama.attention.key_length_swa", GGUF_U32, 4, NULL}, unknown},
        {"qwen3", {"qwen3.final_logit_softcapping", GGUF_F32, 30, NULL}, unknown},
        {"gemma", {"gemma.final_logit_softcapping", GGUF_F32, 30, NULL}, unknown},
        {"gemma", {"gemma.embedding_scale", GGUF_F32, 1, NULL}, unknown},
        {"gemma3", {"gemma3.attn_logit_softcapping", GGUF_F32, 50, NULL}, unknown},
        {"gemma3", {"gemma3.final_logit_softcapping", GGUF_F32, 30, NULL}, NULL},
        {"granite", {"granite.final_logit_softcapping", GGUF_F32, 30, NULL}, unknown},
        {"command-r", {"command-r.residual_scale", GGUF_F32, 0.5, NULL}, unknown},
        {"mixtral", {"llama.expert_weights_scale", GGUF_F32, 2.5, NULL}, unknown},
        {"mixtral", {"llama.expert_weights_scale", GGUF_F32, 1, NULL}, NULL},
        {"mixtral", {"llama.expert_weights_norm", GGUF_BOOL, 0, NULL}, unknown},
        {"mixtral", {"llama.expert_weights_norm", GGUF_BOOL, 1, NULL}, NULL},
        {"mixtral", {"llama.expert_gating_func", GGUF_U32, 1, NULL}, NULL},
        {"mixtral", {"llama.expert_gating_func", GGUF_U32, 2, NULL}, unknown},
        {"mixtral", {"llama.expert_gating_func", GGUF_U32, 3, NULL}, NULL},
        {"olmoe", {"olmoe.expert_gating_func", GGUF_U32, 3, NULL}, unknown},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

// Of the families that are tested without being named above: what changes answers in some families
// is read by those whose publishers have it, and refused by name in all others. Without a layer
// that is known to have a window, a window shortens the context, and keys of windows change
// nothing.
#define WINDOW_KEYS "attention.sliding_window, rope.freq_base_swa, rope.dimension_count_swa"

static void keys_that_change_answers_are_read_by_the_families_that_have_them(void **state) {
    (void)state;
    static const struct model_key probes[] = {
        {"attn_logit_softcapping", GGUF_F32, 40, NULL},
        {"final_logit_softcapping", GGUF_F32, 20, NULL},
        {"router_logit_softcapping", GGUF_F32, 20, NULL},
        {"embedding_scale", GGUF_F32, 7, NULL},
        {"residual_scale", GGUF_F32, 0.3, NULL},
        {"logit_scale", GGUF_F32, 2, NULL},
        {"attention.scale", GGUF_F32, 0.5, NULL},
        {"attention.value_scale", GGUF_F32, 0.5, NULL},
        {"attention.output_scale", GGUF_F32, 0.5, NULL},
        {"attention.temperature_scale", GGUF_F32, 0.1, NULL},
        {"attention.clamp_kqv", GGUF_F32, 8, NULL},
        {"attention.max_alibi_bias", GGUF_F32, 8, NULL},
        {"attention.sliding_window", GGUF_U32, 64, NULL},
        {"attention.rope_pattern", GGUF_ARRAY, 1, NULL}, // 1 and 0
        {"attention.recurrent_layers", GGUF_U32, 1, NULL},
        {"rope.freq_base_swa", GGUF_F32, 30000, NULL},
        {"rope.dimension_count_swa", GGUF_U32, 4, NULL},
        {"expert_shared_count", GGUF_U32, 1, NULL},
        {"expert_weights_scale", GGUF_F32, 2.5, NULL},
        {"expert_weights_norm", GGUF_BOOL, 0, NULL},
        {"expert_gating_func", GGUF_U32, 1, NULL},
        {"swiglu_clamp_exp", GGUF_ARRAY, 7, NULL},
        {"swiglu_clamp_shexp", GGUF_F32, 7, NULL},
        {"use_parallel_residual", GGUF_BOOL, 1, NULL},
        {"num_loops", GGUF_U32, 2, NULL},
        {"no_rope_layers", GGUF_U32, 2, NULL},
        {"ssm.state_size", GGUF_U32, 16, NULL},
        {"attention.causal", GGUF_BOOL, 0, NULL},
        {"attention.key_of_tomorrow", GGUF_F32, 0.5, NULL},
    };
    static const struct {
        const char *family, *reads;
    } rows[] = {
        {"qwen2moe", WINDOW_KEYS ", expert_shared_count, expert_weights_norm, expert_gating_func"},
        {"afmoe", "embedding_scale, rope.freq_base_swa"},
        {"exaone-moe", "rope.freq_base_swa, expert_shared_count"},
        {"hy_v3", WINDOW_KEYS ", expert_shared_count"},
        {"muse-glimmer", "rope.freq_base_swa"},
        {"laguna", "expert_shared_count"},
        {"mistral4", WINDOW_KEYS ", expert_gating_func"},
        {"nanbeige", WINDOW_KEYS},
        {"internlm2", WINDOW_KEYS},
        {"mellum", "rope.freq_base_swa, expert_shared_count, expert_gating_func"},
        {"granite_swa", ""},
        {"minicpm3", WINDOW_KEYS},
        {"starcoder2", WINDOW_KEYS},
        {"phi2", WINDOW_KEYS},
        {"phimoe", WINDOW_KEYS ", expert_shared_count"},
        {"smallthinker", "rope.freq_base_swa, expert_shared_count"},
        {"step35", "rope.dimension_count_swa, expert_shared_count"},
        {"mimo2", "rope.dimension_count_swa, expert_shared_count, expert_weights_scale, "
                  "expert_weights_norm"},
        {"cohere2moe", "rope.freq_base_swa, expert_weights_scale"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (size_t p = 0; p < sizeof probes / sizeof probes[0]; p++) {
            char name[128];
            struct model_key key = probes[p];
            struct error err = {0};
            key.key = name;
            snprintf(name, sizeof name, "%s.%s", rows[r].family, probes[p].key);
            struct model_file file = model_file_load(rows[r].family);
            const bool stated = model_file_has(&file, name);
            free(file.bytes);
            if (stated) continue;
            file = model_file_load_with(rows[r].family, &key, 1);
            const bool opens = model_file_open(&file, &err) == STATUS_OK;
            const bool refused =
                !opens && strstr(err.text, unknown) && strstr(err.text, probes[p].key);
            free(file.bytes);
            if (refused == family_keys_list(rows[r].reads, probes[p].key))
                fail_msg("%s: %s", name, opens ? "is read" : err.text);
        }
}

// What llama.cpp's converter states for newer families beyond what their golden files have, and a
// value that contradicts the file.
static void keys_that_converters_write_are_understood(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"nanbeige", {"nanbeige.attention.head_dim", GGUF_U32, 16, NULL}, NULL},
        {"nanbeige", {"nanbeige.attention.head_dim", GGUF_U32, 8, NULL}, "key_length (found 8)"},
        {"nanbeige", {"nanbeige.rope.dimension_count", GGUF_U32, 16, NULL}, NULL},
        {"afmoe", {"afmoe.expert_group_count", GGUF_U32, 1, NULL}, NULL},
        {"afmoe", {"afmoe.expert_group_used_count", GGUF_U32, 1, NULL}, NULL},
        {"cohere2moe", {"cohere2moe.vocab_size", GGUF_U32, 96, NULL}, NULL},
        {"cohere2moe", {"cohere2moe.rope.scaling.type", GGUF_STRING, 0, "none"}, NULL},
        {"cohere2moe", {"cohere2moe.nextn_predict_layers", GGUF_U32, 1, NULL}, NULL},
        {"exaone-moe", {"exaone-moe.rope.scaling.type", GGUF_STRING, 0, "none"}, NULL},
        {"exaone-moe", {"exaone-moe.expert_group_used_count", GGUF_U32, 1, NULL}, NULL},
        {"exaone-moe", {"exaone-moe.nextn_predict_layers", GGUF_U32, 1, NULL}, NULL},
        {"hy_v3", {"hy_v3.nextn_predict_layers", GGUF_U32, 1, NULL}, NULL},
        {"laguna", {"laguna.rope.scaling.yarn_ext_factor", GGUF_F32, 1, NULL}, NULL},
        {"laguna", {"laguna.rope.scaling.yarn_ext_factor", GGUF_F32, 0.5, NULL}, "(expected 1)"},
        {"mimo2", {"mimo2.expert_gating_func", GGUF_U32, 2, NULL}, NULL},
        {"mimo2", {"mimo2.expert_gating_func", GGUF_U32, 1, NULL}, unknown},
        {"mimo2", {"mimo2.nextn_predict_layers", GGUF_U32, 3, NULL}, NULL},
        {"muse-glimmer", {"muse-glimmer.rope.freq_base_swa", GGUF_F32, 10000, NULL}, NULL},
        {"muse-glimmer", {"muse-glimmer.target_layers", GGUF_ARRAY, 1, NULL}, unknown},
        {"granite_swa", {"granite_swa.deepstack_mapping", GGUF_ARRAY, -1, NULL}, NULL},
        {"granite_swa", {"granite_swa.expert_used_count", GGUF_U32, 0, NULL}, NULL},
        {"smallthinker", {"smallthinker.rope.freq_base_swa", GGUF_F32, 10000, NULL}, NULL},
        {"starcoder2", {"starcoder2.attention.layer_norm_rms_epsilon", GGUF_F32, 1, NULL}, NULL},
        {"step35", {"step35.moe_every_n_layers", GGUF_U32, 1, NULL}, NULL},
        {"step35", {"step35.moe_every_n_layers", GGUF_U32, 2, NULL}, unknown},
        {"step35", {"step35.nextn_predict_layers", GGUF_U32, 3, NULL}, NULL},
        {"internlm2", {"internlm2.rope.scaling.type", GGUF_STRING, 0, "linear"}, "is missing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

// Keys of what the family lacks, whose value says that it does.
static void a_key_that_turns_a_feature_off_is_accepted(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"llama", {"llama.expert_latent_length", GGUF_U32, 0, NULL}, NULL},
        {"llama", {"llama.expert_latent_length", GGUF_U32, 64, NULL}, unknown},
        {"llama", {"llama.expert_group_scale", GGUF_F32, 0.05, NULL}, NULL},
        {"llama", {"llama.expert_group_scale", GGUF_F32, 0.5, NULL}, unknown},
        {"llama", {"llama.experts_per_group", GGUF_U32, 2, NULL}, unknown},
        {"llama", {"llama.token_shift_count", GGUF_U32, 2, NULL}, NULL},
        {"llama", {"llama.token_shift_count", GGUF_U32, 3, NULL}, unknown},
        {"llama", {"llama.attention.rope_pattern", GGUF_U32, 1, NULL}, NULL},
        {"llama", {"llama.attention.rope_pattern", GGUF_U32, 0, NULL}, unknown},
        {"llama", {"llama.attention.rope_pattern", GGUF_ARRAY, 1, NULL}, unknown}, // 1 and 0
        {"llama", {"llama.activation.situ_beta", GGUF_F32, 1, NULL}, NULL},
        {"llama", {"llama.activation.situ_beta", GGUF_F32, 4, NULL}, unknown},
        {"llama", {"llama.attention.key_length_swa", GGUF_U32, 8, NULL}, NULL},
        {"llama", {"llama.swiglu_clamp_exp", GGUF_ARRAY, 0, NULL}, NULL},
        {"llama", {"llama.swiglu_clamp_exp", GGUF_ARRAY, 7, NULL}, unknown},
        {"llama", {"llama.attention.indexer.top_k", GGUF_U32, 0, NULL}, NULL},
        {"llama", {"llama.attention.indexer.top_k", GGUF_U32, 64, NULL}, unknown},
        {"llama", {"llama.rope.scaling.attn_factor", GGUF_F32, 1, NULL}, NULL},
        {"llama", {"llama.pooling_type", GGUF_U32, 4294967295u, NULL}, NULL},
        {"qwen2-yarn", {"qwen2.rope.scaling.yarn_ext_factor", GGUF_F32, -1, NULL}, NULL},
        {"lfm2", {"lfm2.leading_dense_block_count", GGUF_U32, 5, NULL}, NULL},
        {"lfm2", {"lfm2.attention.sliding_window", GGUF_U32, 0, NULL}, NULL},
        {"lfm2", {"lfm2.attention.sliding_window", GGUF_U32, 64, NULL}, unknown},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

// As llama.cpp's writer has them, whatever the family.
static const struct model_key written[] = {
    {"leading_dense_block_count", GGUF_U32, 0, NULL},
    {"expert_feed_forward_length", GGUF_U32, 0, NULL},
    {"expert_latent_length", GGUF_U32, 0, NULL},
    {"expert_shared_feed_forward_length", GGUF_U32, 0, NULL},
    {"expert_chunk_feed_forward_length", GGUF_U32, 0, NULL},
    {"swiglu_clamp_exp", GGUF_ARRAY, 0, NULL},
    {"swiglu_clamp_shexp", GGUF_ARRAY, 0, NULL},
    {"use_parallel_residual", GGUF_BOOL, 0, NULL},
    {"expert_count", GGUF_U32, 0, NULL},
    {"expert_used_count", GGUF_U32, 0, NULL},
    {"expert_shared_count", GGUF_U32, 0, NULL},
    {"expert_group_count", GGUF_U32, 0, NULL},
    {"expert_group_used_count", GGUF_U32, 0, NULL},
    {"expert_weights_scale", GGUF_F32, 0, NULL},
    {"expert_weights_norm", GGUF_BOOL, 0, NULL},
    {"expert_gating_func", GGUF_U32, 0, NULL},
    {"expert_group_scale", GGUF_F32, 0.05, NULL},
    {"experts_per_group", GGUF_U32, 0, NULL},
    {"moe_every_n_layers", GGUF_U32, 0, NULL},
    {"nextn_predict_layers", GGUF_U32, 0, NULL},
    {"n_deepstack_layers", GGUF_U32, 0, NULL},
    {"deepstack_mapping", GGUF_ARRAY, -1, NULL},
    {"pooling_type", GGUF_U32, 4294967295u, NULL},
    {"logit_scale", GGUF_F32, 0, NULL},
    {"decoder_start_token_id", GGUF_I32, -1, NULL},
    {"decoder_block_count", GGUF_U32, 0, NULL},
    {"attn_logit_softcapping", GGUF_F32, 50, NULL},
    {"router_logit_softcapping", GGUF_F32, 30, NULL},
    {"final_logit_softcapping", GGUF_F32, 30, NULL},
    {"swin_norm", GGUF_BOOL, 0, NULL},
    {"rescale_every_n_layers", GGUF_U32, 0, NULL},
    {"time_mix_extra_dim", GGUF_U32, 0, NULL},
    {"time_decay_extra_dim", GGUF_U32, 0, NULL},
    {"residual_scale", GGUF_F32, 0, NULL},
    {"embedding_scale", GGUF_F32, 0, NULL},
    {"hrm.layers_per_stack", GGUF_U32, 0, NULL},
    {"hrm.h_cycles", GGUF_U32, 0, NULL},
    {"hrm.l_cycles", GGUF_U32, 0, NULL},
    {"hrm.prefix_lm", GGUF_BOOL, 0, NULL},
    {"token_shift_count", GGUF_U32, 2, NULL},
    {"interleave_moe_layer_step", GGUF_U32, 0, NULL},
    {"attention.max_alibi_bias", GGUF_F32, 0, NULL},
    {"attention.clamp_kqv", GGUF_F32, 0, NULL},
    {"attention.layer_norm_epsilon", GGUF_F32, 0, NULL},
    {"attention.group_norm_epsilon", GGUF_F32, 0, NULL},
    {"attention.group_norm_groups", GGUF_U32, 0, NULL},
    {"attention.causal", GGUF_BOOL, 1, NULL},
    {"attention.q_lora_rank", GGUF_U32, 0, NULL},
    {"attention.kv_lora_rank", GGUF_U32, 0, NULL},
    {"attention.decay_lora_rank", GGUF_U32, 0, NULL},
    {"attention.iclr_lora_rank", GGUF_U32, 0, NULL},
    {"attention.value_residual_mix_lora_rank", GGUF_U32, 0, NULL},
    {"attention.gate_lora_rank", GGUF_U32, 0, NULL},
    {"attention.relative_buckets_count", GGUF_U32, 0, NULL},
    {"attention.rope_pattern", GGUF_U32, 1, NULL},
    {"attention.scale", GGUF_F32, 0, NULL},
    {"attention.output_scale", GGUF_F32, 0, NULL},
    {"attention.value_scale", GGUF_F32, 0, NULL},
    {"attention.temperature_length", GGUF_U32, 0, NULL},
    {"attention.temperature_scale", GGUF_F32, 0, NULL},
    {"attention.key_length_mla", GGUF_U32, 0, NULL},
    {"attention.value_length_mla", GGUF_U32, 0, NULL},
    {"attention.key_length_swa", GGUF_U32, 16, NULL},
    {"attention.value_length_swa", GGUF_U32, 16, NULL},
    {"attention.key_length_mla_swa", GGUF_U32, 0, NULL},
    {"attention.value_length_mla_swa", GGUF_U32, 0, NULL},
    {"attention.kv_lora_rank_swa", GGUF_U32, 0, NULL},
    {"attention.indexer.head_count", GGUF_U32, 0, NULL},
    {"attention.indexer.key_length", GGUF_U32, 0, NULL},
    {"attention.indexer.top_k", GGUF_U32, 0, NULL},
    {"attention.indexer.block_size", GGUF_U32, 0, NULL},
    {"attention.indexer.local_blocks", GGUF_U32, 0, NULL},
    {"attention.indexer.types", GGUF_U32, 0, NULL},
    {"attention.recurrent_layers", GGUF_U32, 0, NULL},
    {"attention.output_group_count", GGUF_U32, 0, NULL},
    {"attention.output_lora_rank", GGUF_U32, 0, NULL},
    {"attention.compress_rope_freq_base", GGUF_F32, 0, NULL},
    {"attention.compress_ratios", GGUF_U32, 0, NULL},
    {"hyper_connection.count", GGUF_U32, 0, NULL},
    {"hyper_connection.sinkhorn_iterations", GGUF_U32, 0, NULL},
    {"hyper_connection.epsilon", GGUF_F32, 0, NULL},
    {"hyper_connection.magnitude", GGUF_F32, 0, NULL},
    {"hash_layer_count", GGUF_U32, 0, NULL},
    {"hyper_connection.low_rank", GGUF_U32, 0, NULL},
    {"rope.dimension_count_swa", GGUF_U32, 16, NULL},
    {"rope.dimension_sections", GGUF_ARRAY, 0, NULL},
    {"rope.freq_base_swa", GGUF_F32, 10000, NULL},
    {"rope.scaling.type", GGUF_STRING, 0, "linear"},
    {"rope.scaling.factor", GGUF_F32, 0, NULL},
    {"rope.scaling.attn_factor", GGUF_F32, 1, NULL},
    {"rope.scaling.original_context_length", GGUF_U32, 1024, NULL},
    {"rope.scaling.finetuned", GGUF_BOOL, 0, NULL},
    {"rope.scaling.yarn_log_multiplier", GGUF_F32, 0, NULL},
    {"rope.scaling.yarn_ext_factor", GGUF_F32, -1, NULL},
    {"rope.scaling.yarn_attn_factor", GGUF_F32, 1, NULL},
    {"rope.scaling.yarn_beta_fast", GGUF_F32, 32, NULL},
    {"rope.scaling.yarn_beta_slow", GGUF_F32, 1, NULL},
    {"ssm.inner_size", GGUF_U32, 0, NULL},
    {"ssm.conv_kernel", GGUF_U32, 0, NULL},
    {"ssm.state_size", GGUF_U32, 0, NULL},
    {"ssm.time_step_rank", GGUF_U32, 0, NULL},
    {"ssm.group_count", GGUF_U32, 0, NULL},
    {"ssm.dt_b_c_rms", GGUF_BOOL, 0, NULL},
    {"kda.head_dim", GGUF_U32, 0, NULL},
    {"kda.safe_gate", GGUF_BOOL, 0, NULL},
    {"kda.gate_lower_bound", GGUF_F32, -INFINITY, NULL},
    {"wkv.head_size", GGUF_U32, 0, NULL},
    {"posnet.embedding_length", GGUF_U32, 0, NULL},
    {"posnet.block_count", GGUF_U32, 0, NULL},
    {"convnext.embedding_length", GGUF_U32, 0, NULL},
    {"convnext.block_count", GGUF_U32, 0, NULL},
    {"shortconv.l_cache", GGUF_U32, 0, NULL},
    {"attn_res.block_size", GGUF_U32, 0, NULL},
    {"activation.situ_beta", GGUF_F32, 1, NULL},
    {"activation.situ_linear_beta", GGUF_F32, 0, NULL},
    {"dense_2_feat_in", GGUF_U32, 0, NULL},
    {"dense_2_feat_out", GGUF_U32, 0, NULL},
    {"dense_3_feat_in", GGUF_U32, 0, NULL},
    {"dense_3_feat_out", GGUF_U32, 0, NULL},
};
enum { WRITTEN = sizeof written / sizeof written[0] };

// Such a file, with the keys that it does not state itself.
static struct model_file load_written(const char *name, const char *family) {
    static char names[WRITTEN][128];
    struct model_key keys[WRITTEN];
    struct model_file file = model_file_load(name);
    size_t count = 0;
    for (size_t i = 0; i < WRITTEN; i++) {
        snprintf(names[count], sizeof names[count], "%s.%s", family, written[i].key);
        if (model_file_has(&file, names[count])) continue;
        keys[count] = written[i];
        keys[count].key = names[count];
        count++;
    }
    free(file.bytes);
    return model_file_load_with(name, keys, count);
}

static void assert_same_layer(const struct layer_spec *a, const struct layer_spec *b) {
    assert_int_equal(a->mixer, b->mixer);
    assert_float_equal(a->attention.scale, b->attention.scale, 0);
    assert_float_equal(a->attention.softcap, b->attention.softcap, 0);
    assert_float_equal(a->attention.rope.base, b->attention.rope.base, 0);
    assert_float_equal(a->attention.rope.factor, b->attention.rope.factor, 0);
    assert_float_equal(a->attention.rope.attention_factor, b->attention.rope.attention_factor, 0);
    assert_int_equal(a->attention.rope.interleaved, b->attention.rope.interleaved);
    assert_int_equal(a->attention.no_rope, b->attention.no_rope);
    assert_int_equal(a->attention.window, b->attention.window);
    assert_float_equal(a->residual_scale, b->residual_scale, 0);
    assert_int_equal(a->ffn.gating, b->ffn.gating);
    assert_int_equal(a->ffn.raw_shares, b->ffn.raw_shares);
    assert_float_equal(a->ffn.share_scale, b->ffn.share_scale, 0);
}

// It states caps that no family but Gemma's has, and that experts are not normed, of which it
// applies nothing.
static void files_rewritten_by_llama_cpp_open_unchanged(void **state) {
    (void)state;
    static const char *const files[][2] = {{"llama", "llama"},
                                           {"llama-linear", "llama"},
                                           {"mixtral", "llama"},
                                           {"qwen2-yarn", "qwen2"},
                                           {"qwen3moe", "qwen3moe"},
                                           {"granite", "granite"},
                                           {"command-r", "command-r"},
                                           {"glm4", "glm4"},
                                           {"phi3-long", "phi3"},
                                           {"granitemoe", "granitemoe"},
                                           {"hunyuan-moe", "hunyuan-moe"},
                                           {"gemma", "gemma"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct model_file before = model_file_load(files[i][0]);
        struct model_file after = load_written(files[i][0], files[i][1]);
        const struct model_config a = model_file_config(&before), b = model_file_config(&after);
        struct error err = {0};
        if (model_file_open(&after, &err) != STATUS_OK) fail_msg("%s", err.text);
        assert_int_equal(a.layers, b.layers);
        assert_int_equal(a.context, b.context);
        assert_float_equal(a.logit_softcap, b.logit_softcap, 0);
        assert_float_equal(a.logit_scale, b.logit_scale, 0);
        assert_float_equal(a.embedding_scale, b.embedding_scale, 0);
        for (int32_t l = 0; l < a.layers; l++)
            assert_same_layer(&a.specs[l], &b.specs[l]);
        free(before.bytes);
        free(after.bytes);
    }
}

static struct attention_spec last_layer_with(const char *name, struct model_key key) {
    struct model_file file = model_file_load_with(name, &key, 1);
    const struct model_config config = model_file_config(&file);
    free(file.bytes);
    return config.specs[config.layers - 1].attention;
}

static void rope_scaling_keys_of_old_and_new_files_are_read(void **state) {
    (void)state;
    static const float stretch = 1.13862944f; // 1 + 0.1 ln 4
    static const struct {
        const char *file;
        struct model_key key;
        enum rope_scaling scaling;
        float factor, magnitude;
    } rows[] = {
        {"qwen2", {"qwen2.rope.scale_linear", GGUF_F32, 4, NULL}, ROPE_LINEAR, 4, 1},
        {"qwen2", {"qwen2.rope.scaling.factor", GGUF_F32, 4, NULL}, ROPE_LINEAR, 4, 1},
        {"qwen2", {"qwen2.rope.scaling.factor", GGUF_F32, 0, NULL}, ROPE_PLAIN, 1, 1},
        {"qwen2-yarn", {"x", GGUF_U8, 0, NULL}, ROPE_YARN, 4, stretch},
        {"qwen2-yarn",
         {"qwen2.rope.scaling.yarn_attn_factor", GGUF_F32, 1.5, NULL},
         ROPE_YARN,
         4,
         1.5f},
        {"qwen2-yarn",
         {"qwen2.rope.scaling.yarn_attn_factor", GGUF_F32, 0.8782, NULL},
         ROPE_YARN,
         4,
         stretch},
        {"qwen2-yarn",
         {"qwen2.rope.scaling.attn_factor", GGUF_F32, 2, NULL},
         ROPE_YARN,
         4,
         2 * stretch},
        {"qwen2-yarn",
         {"qwen2.rope.scaling.yarn_log_multiplier", GGUF_F32, 1, NULL},
         ROPE_YARN,
         4,
         1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct rope rope = last_layer_with(rows[i].file, rows[i].key).rope;
        assert_int_equal(rope.scaling, rows[i].scaling);
        assert_float_equal(rope.factor, rows[i].factor, 0);
        assert_float_equal(rope.attention_factor, rows[i].magnitude, 1e-6);
    }
    const struct model_key period = {"gemma3.attention.sliding_window_pattern", GGUF_U32, 7, NULL};
    assert_int_equal(last_layer_with("gemma3", period).window, 0); // of seven layers the last
    const struct model_key each = {"gpt-oss.attention.sliding_window_pattern", GGUF_U32, 3, NULL};
    assert_int_equal(last_layer_with("gpt-oss", each).window, 0);
}

// Whether the family could do without the key or not; and it is this key that is named, not one
// that does not fit to what is assumed in its place.
static void a_key_of_another_type_is_not_missing(void **state) {
    (void)state;
    static const struct {
        const char *file, *key;
    } cases[] = {{"llama", "llama.block_count"},
                 {"llama", "llama.attention.layer_norm_rms_epsilon"},
                 {"nanbeige", "nanbeige.attention.key_length"},
                 {"nanbeige", "nanbeige.num_loops"},
                 {"gemma3", "gemma3.attention.sliding_window"},
                 {"mimo2", "mimo2.attention.sliding_window_pattern"},
                 {"mtp-qwen35", "qwen35.nextn_predict_layers"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct model_key others[] = {{cases[i].key, GGUF_STRING, 0, "2"},
                                           {cases[i].key, GGUF_BOOL, 1, NULL},
                                           {cases[i].key, GGUF_F32, 1.5, NULL}};
        const size_t count = strstr(cases[i].key, "epsilon") ? 2 : 3; // which is such a number
        for (size_t o = 0; o < count; o++) {
            struct model_file file = model_file_load_with(cases[i].file, &others[o], 1);
            char refusal[128];
            snprintf(refusal, sizeof refusal, "%s %s", cases[i].key, another);
            model_file_hide_key(&file, cases[i].key);
            assert_model_refused(&file, STATUS_UNSUPPORTED, refusal);
        }
    }
}

static void an_unknown_rope_scaling_is_refused(void **state) {
    (void)state;
    struct model_file file = model_file_load("llama-linear");
    memcpy(model_file_after(&file, "llama.rope.scaling.type") + 12, "spiral", 6);
    assert_model_refused(&file, STATUS_UNSUPPORTED, "rope.scaling.type");
}

// A block that only draws drafts has them in its name.
static void draft_blocks_are_told_from_the_trunk_by_their_tensors(void **state) {
    (void)state;
    static const struct {
        const char *file;
        uint32_t blocks, drafts; // as the file counts them; it has three, and glm4moe a fourth
        const char *renamed, *to;
        int32_t layers, draft_layers;
    } rows[] = {
        {"llama", 3, 1, NULL, NULL, 3, 0}, // the last one is an ordinary one
        {"llama", 4, 1, NULL, NULL, 3, 1}, // the file has it not
        {"llama", 5, 2, NULL, NULL, 3, 2},
        {"llama", 3, 1, "blk.2.attn_norm.weight", "blk.2.nextn.enorm_wei.", 2, 1},
        {"llama", 2, 1, "blk.2.attn_norm.weight", "blk.2.nextn.enorm_wei.", 2, 1}, // counted apart
        {"glm4moe", 4, 1, NULL, NULL, 3, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool counts = !strcmp(rows[i].file, "glm4moe");
        const struct model_key key = {"llama.nextn_predict_layers", GGUF_U32, rows[i].drafts, NULL};
        struct model_file file = model_file_load_with(rows[i].file, &key, counts ? 0 : 1);
        struct error err = {0};
        if (!counts) model_file_set_key(&file, "llama.block_count", rows[i].blocks);
        if (rows[i].renamed)
            memcpy(model_file_after(&file, rows[i].renamed) - strlen(rows[i].renamed), rows[i].to,
                   strlen(rows[i].to));
        const struct model_config config = model_file_config(&file);
        assert_int_equal(config.layers, rows[i].layers);
        assert_int_equal(config.draft_layers, rows[i].draft_layers);
        if (model_file_open(&file, &err) != STATUS_OK) fail_msg("%zu: %s", i, err.text);
        free(file.bytes);
    }
}

static void an_unexpected_tensor_in_a_gguf_file_is_named(void **state) {
    (void)state;
    static const char *const renamed[][2] = {{"output.weight", "output.biases"},
                                             {"blk.1.attn_q.weight", "blk.7.attn_q.weight"}};
    struct model_file file = model_file_load("llama");
    model_file_set_key(&file, "llama.block_count", 2);
    assert_model_refused(&file, STATUS_UNSUPPORTED,
                         "unexpected tensor blk.2.attn_norm.weight in family llama with 2 layers");
    file = model_file_load("qwen2");
    memcpy(model_file_after(&file, renamed[0][0]) - 13, renamed[0][1], 13);
    assert_model_refused(&file, STATUS_UNSUPPORTED, "unexpected tensor output.biases");
}

// One that the head could do without, under a name that nothing reads.
static void an_unexpected_tensor_of_a_draft_head_is_named(void **state) {
    (void)state;
    static const char optional[] = "blk.3.nextn.shared_head_norm.weight";
    static const char odd[] = "blk.3.nextn.shared_head_odds.weight";
    struct model_file file = model_file_load("mtp-glm4moe");
    memcpy(model_file_after(&file, optional) - strlen(odd), odd, strlen(odd));
    assert_model_refused(&file, STATUS_UNSUPPORTED,
                         "unexpected tensor blk.3.nextn.shared_head_odds.weight");
}

// ---- all keys at once

enum { ASKED_MOST = 512, KEY_BYTES = 128 };
static char asked[ASKED_MOST][KEY_BYTES]; // by any reading, without the family's name
static size_t asked_count;
static const char *asking; // the family whose file is read; NULL: it does not matter

static void note_asked(const char *key) {
    const size_t length = asking ? strlen(asking) : 0;
    size_t i = 0;
    if (length == 0 || strncmp(key, asking, length) != 0 || key[length] != '.') return;
    while (i < asked_count && strcmp(asked[i], key + length + 1) != 0)
        i++;
    if (i < asked_count) return;
    assert_true(asked_count < ASKED_MOST);
    snprintf(asked[asked_count++], KEY_BYTES, "%s", key + length + 1);
}

bool __real_gguf_find_float(const struct gguf *gguf, const char *key, double *value);
bool __wrap_gguf_find_float(const struct gguf *gguf, const char *key, double *value);
bool __wrap_gguf_find_float(const struct gguf *gguf, const char *key, double *value) {
    note_asked(key);
    return __real_gguf_find_float(gguf, key, value);
}

bool __real_gguf_find_array(const struct gguf *gguf, const char *key, struct gguf_array *value);
bool __wrap_gguf_find_array(const struct gguf *gguf, const char *key, struct gguf_array *value);
bool __wrap_gguf_find_array(const struct gguf *gguf, const char *key, struct gguf_array *value) {
    note_asked(key);
    return __real_gguf_find_array(gguf, key, value);
}

bool __real_gguf_find_string(const struct gguf *gguf, const char *key, struct gguf_string *value);
bool __wrap_gguf_find_string(const struct gguf *gguf, const char *key, struct gguf_string *value);
bool __wrap_gguf_find_string(const struct gguf *gguf, const char *key, struct gguf_string *value) {
    note_asked(key);
    return __real_gguf_find_string(gguf, key, value);
}

bool __real_gguf_find_bool(const struct gguf *gguf, const char *key, bool *value);
bool __wrap_gguf_find_bool(const struct gguf *gguf, const char *key, bool *value);
bool __wrap_gguf_find_bool(const struct gguf *gguf, const char *key, bool *value) {
    note_asked(key);
    return __real_gguf_find_bool(gguf, key, value);
}

// Without these, nothing else is read.
static const struct model_key first_keys[] = {
    {"embedding_length", GGUF_U32, 64, NULL},
    {"block_count", GGUF_U32, 4, NULL},
    {"context_length", GGUF_U32, 512, NULL},
    {"attention.layer_norm_rms_epsilon", GGUF_F32, 1e-5, NULL},
    {"attention.layer_norm_epsilon", GGUF_F32, 1e-5, NULL},
    {"nextn_predict_layers", GGUF_U32, 1, NULL},
    {"embedding_scale", GGUF_F32, 1, NULL},
    {"final_logit_softcapping", GGUF_F32, 30, NULL},
};

// A file in which each key that any family is asked for has this value, but for the first ones.
static void read_with_all_keys(const char *family, const struct model_key *value) {
    struct gguf_writer writer;
    struct gguf *gguf;
    struct model_config config;
    struct error err = {0};
    size_t length;
    gguf_writer_init(&writer);
    gguf_writer_string(&writer, "general.architecture", family);
    for (size_t i = 0; i < asked_count; i++) {
        char text[2 * KEY_BYTES];
        struct model_key key = *value;
        for (size_t f = 0; f < sizeof first_keys / sizeof first_keys[0]; f++)
            if (!strcmp(first_keys[f].key, asked[i])) key = first_keys[f];
        snprintf(text, sizeof text, "%s.%s", family, asked[i]);
        key.key = text;
        model_file_write_key(&writer, &key);
    }
    unsigned char *bytes = gguf_writer_finish(&writer, &length);
    assert_int_equal(gguf_open_memory(bytes, length, "all.gguf", &gguf, &err), STATUS_OK);
    asking = family;
    if (model_config_read(gguf, &config, &err) != STATUS_OK) assert_true(strlen(err.text) > 0);
    asking = NULL;
    gguf_close(gguf);
    gguf_writer_deinit(&writer);
    free(bytes);
}

static void a_file_with_every_known_key_is_read_or_refused(void **state) {
    (void)state;
    static const struct model_key values[] = {
        {"", GGUF_U32, 0, NULL},      {"", GGUF_U32, 1, NULL},    {"", GGUF_U32, 2, NULL},
        {"", GGUF_U32, 64, NULL},     {"", GGUF_F32, 1e-5, NULL}, {"", GGUF_BOOL, 1, NULL},
        {"", GGUF_STRING, 0, "none"}, {"", GGUF_ARRAY, 2, NULL}};
    char names[FAMILY_LIST_BYTES], types[FAMILY_LIST_BYTES];
    family_list(names, types);
    for (size_t before = SIZE_MAX; before != asked_count;) {
        char *at = NULL, list[FAMILY_LIST_BYTES];
        before = asked_count;
        memcpy(list, names, sizeof list);
        for (char *name = strtok_r(list, ", ", &at); name; name = strtok_r(NULL, ", ", &at))
            for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
                read_with_all_keys(name, &values[i]);
    }
    printf("%zu keys are known\n", asked_count);
    assert_in_range(asked_count, 60, METADATA_ASKED_MOST); // even if one family had all of them
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_key_is_used_or_harmless_or_refused),
        cmocka_unit_test(a_key_of_another_family_is_refused),
        cmocka_unit_test(keys_that_change_answers_are_read_by_the_families_that_have_them),
        cmocka_unit_test(keys_that_converters_write_are_understood),
        cmocka_unit_test(a_key_that_turns_a_feature_off_is_accepted),
        cmocka_unit_test(files_rewritten_by_llama_cpp_open_unchanged),
        cmocka_unit_test(rope_scaling_keys_of_old_and_new_files_are_read),
        cmocka_unit_test(a_key_of_another_type_is_not_missing),
        cmocka_unit_test(an_unknown_rope_scaling_is_refused),
        cmocka_unit_test(draft_blocks_are_told_from_the_trunk_by_their_tensors),
        cmocka_unit_test(an_unexpected_tensor_in_a_gguf_file_is_named),
        cmocka_unit_test(an_unexpected_tensor_of_a_draft_head_is_named),
        cmocka_unit_test(a_file_with_every_known_key_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, model_file_open_device, model_file_close_device);
}
