#include "engine/model/folder_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/family_keys.h"
#include "engine/model/folder_defaults.h"
#include "engine/model/folder_hybrid.h"
#include "engine/model/folder_rope.h"
#include "engine/model/folder_writer.h"
#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"

// Of these, families of mixed layers have more than one; hybrids may, of the first two.
static bool is_mixed_key(const struct writer *writer, const char *key) {
    static const char *const keys[] = {"intermediate_size", "num_key_value_heads", "head_dim"};
    return writer_is_among(keys, writer->mixed ? 3 : writer->lists_layers ? 2 : 0, key);
}

// A number, or one that all layers have in a list.
static void translate_number(struct writer *writer, const struct writer_line *line) {
    const cJSON *item = writer_get(writer, writer->json, line->theirs), *first = item, *other;
    if (cJSON_IsArray(item)) first = item->child;
    double value = cJSON_IsNumber(first) ? first->valuedouble : (double)NAN;
    if (cJSON_IsArray(item))
        cJSON_ArrayForEach(other, item)
            if (!cJSON_Compare(other, first, true)) value = (double)NAN;
    if (isfinite(value))
        writer_put_number(writer, line->ours, value);
    else
        writer_fail(writer, cJSON_IsArray(item) ? STATUS_UNSUPPORTED : STATUS_BAD_FILE,
                    line->theirs,
                    cJSON_IsArray(item) ? "differs from layer to layer, which is not supported"
                                        : "must be a number");
}

static void translate_latent(struct writer *writer) {
    static const struct writer_line lines[] = {
        {"v_head_dim", "attention.value_length"},
        {"kv_lora_rank", "attention.kv_lora_rank"},
        {"q_lora_rank", "attention.q_lora_rank"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (writer_get(writer, writer->json, lines[i].theirs)) translate_number(writer, &lines[i]);
    writer_put_int(writer, "attention.key_length",
                   writer_count(writer, "qk_nope_head_dim", -1) +
                       writer_count(writer, "qk_rope_head_dim", -1));
}

// Experts that Nemotron-H's configurations state without having them.
static bool lacks(const struct writer *writer, const struct writer_line *line) {
    return writer->family->single && writer->family->layer.ffn.kind == FFN_DENSE &&
           !strncmp(line->ours, "expert", 6);
}

// A scale or a cap of other families: left unread, and so refused unless it is off. A factor of 1
// is.
static bool is_of_others(struct writer *writer, const struct writer_line *line) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(writer->json, line->theirs);
    if (family_keys_have(writer->family->keys, line->ours)) return false;
    if (cJSON_IsNumber(item) && item->valuedouble == 1 &&
        strcmp(line->ours, "attention.scale") != 0 && !strstr(line->ours, "softcapping"))
        writer_get(writer, writer->json, line->theirs);
    return true;
}

// Does a line before this one say the same under another name?
static bool is_again(struct writer *writer, const struct writer_line *lines, size_t at) {
    const cJSON *item = writer_get(writer, writer->json, lines[at].theirs);
    for (size_t i = 0; i < at; i++)
        if (!strcmp(lines[i].ours, lines[at].ours) &&
            cJSON_Compare(writer_get(writer, writer->json, lines[i].theirs), item, true))
            return true;
    return false;
}

static void translate_numbers(struct writer *writer) {
    static const struct writer_line lines[] = {
        {"num_hidden_layers", "block_count"},
        {"hidden_size", "embedding_length"},
        {"intermediate_size", "feed_forward_length"},
        {"num_attention_heads", "attention.head_count"},
        {"num_key_value_heads", "attention.head_count_kv"},
        {"head_dim", "attention.key_length"},
        {"head_dim", "attention.value_length"},
        {"attention_head_dim", "attention.key_length"},
        {"attention_head_dim", "attention.value_length"},
        {"max_position_embeddings", "context_length"},
        {"layer_norm_epsilon", "attention.layer_norm_rms_epsilon"},
        {"rms_norm_eps", "attention.layer_norm_rms_epsilon"},
        {"norm_eps", "attention.layer_norm_rms_epsilon"},
        {"conv_L_cache", "shortconv.l_cache"},
        {"attn_logit_softcapping", "attn_logit_softcapping"},
        {"final_logit_softcapping", "final_logit_softcapping"},
        {"embedding_multiplier", "embedding_scale"},
        {"residual_multiplier", "residual_scale"},
        {"attention_multiplier", "attention.scale"},
        {"logits_scaling", "logit_scale"},
        {"logit_scale", "logit_scale"},
        {"lm_head_multiplier", "logit_scale"},
        {"num_local_experts", "expert_count"},
        {"num_experts", "expert_count"},
        {"n_routed_experts", "expert_count"},
        {"moe_num_experts", "expert_count"},
        {"num_experts_per_tok", "expert_used_count"},
        {"moe_topk", "expert_used_count"},
        {"moe_k", "expert_used_count"},
        {"top_k_experts", "expert_used_count"},
        {"num_kv_shared_layers", "attention.shared_kv_layers"},
        {"hidden_size_per_layer_input", "embedding_length_per_layer_input"},
        {"moe_intermediate_size", "expert_feed_forward_length"},
        {"n_shared_experts", "expert_shared_count"},
        {"moe_num_shared_experts", "expert_shared_count"},
        {"num_shared_experts", "expert_shared_count"},
        {"num_shared_expert", "expert_shared_count"},
        {"moe_shared_expert_intermediate_size", "expert_shared_feed_forward_length"},
        {"shared_expert_intermediate_size", "expert_shared_feed_forward_length"},
        {"first_k_dense_replace", "leading_dense_block_count"},
        {"moe_layer_start_index", "leading_dense_block_count"},
        {"num_dense_layers", "leading_dense_block_count"},
        {"moe_layer_interval", "interleave_moe_layer_step"},
        {"routed_scaling_factor", "expert_weights_scale"},
        {"n_group", "expert_group_count"},
        {"topk_group", "expert_group_used_count"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const bool elsewhere = is_mixed_key(writer, lines[i].theirs) || lacks(writer, &lines[i]) ||
                               (writer->family->latent && !strcmp(lines[i].theirs, "head_dim"));
        if (is_of_others(writer, &lines[i])) continue;
        if (writer_get(writer, writer->json, lines[i].theirs) && !elsewhere &&
            !is_again(writer, lines, i))
            translate_number(writer, &lines[i]);
    }
    if (writer->family->latent) translate_latent(writer);
    if (writer->family->centered_norms)
        writer_put_float(writer, "attention.layer_norm_epsilon",
                         writer_number(writer, writer->json, "layer_norm_eps", 1e-5));
}

// What a family reads that has caps or scales scores by another number than the size of its heads.
static void translate_scores(struct writer *writer) {
    static const char *const caps[] = {"attn_logit_softcapping", "final_logit_softcapping"};
    // Null says that there is none; to be absent does not.
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++)
        if (family_keys_have(writer->family->keys, caps[i]) &&
            cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(writer->json, caps[i])))
            writer_put_number(writer, caps[i], 0);
    const double scalar = family_keys_have(writer->family->keys, "attention.scale")
                              ? writer_number(writer, writer->json, "query_pre_attn_scalar", 0)
                              : 0;
    if (scalar > 0) writer_put_float(writer, "attention.scale", 1 / sqrt(scalar));
}

static void check_activation(struct writer *writer) {
    static const struct {
        const char *words[4], *expected;
    } acts[] = {
        [ACT_SILU] = {{"silu", "swish"}, "silu"},
        [ACT_GELU] = {{"gelu_pytorch_tanh", "gelu_new", "gelu"}, "gelu"},
        [ACT_CLAMPED] = {{"silu", "swish"}, "silu"},
        [ACT_RELU] = {{"relu2"}, "relu2"},
        [ACT_XIELU] = {{"xielu"}, "xielu"},
    };
    static const char *const keys[] = {"hidden_act", "hidden_activation", "mlp_hidden_act"};
    const enum act act = writer->family->layer.ffn.act;
    size_t count = 0;
    while (acts[act].words[count])
        count++;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!writer_is_word(acts[act].words, count, writer_get(writer, writer->json, keys[i])))
            writer_unsupported(writer, keys[i], acts[act].expected);
}

// First dense ones, as many as first_k_dense_replace says where it is there, and mixtures.
static void check_mlp_types(struct writer *writer) {
    const cJSON *types = writer_get(writer, writer->json, "mlp_layer_types"), *item;
    const char *const words[] = {"dense", "sparse"};
    int32_t dense = 0, count = 0;
    cJSON_ArrayForEach(item, types) {
        if (dense == count) dense += writer_is_word(words, 1, item);
        if (!writer_is_word(words + (count++ >= dense), 1, item))
            writer_fail(writer, STATUS_UNSUPPORTED, "mlp_layer_types",
                        "must list the dense layers first; other orders are not supported");
    }
    if (types && writer_count(writer, "first_k_dense_replace", dense) != dense)
        writer_fail(writer, STATUS_BAD_FILE, "mlp_layer_types",
                    "contradicts first_k_dense_replace");
    if (types && !writer_get(writer, writer->json, "first_k_dense_replace"))
        writer_put_int(writer, "leading_dense_block_count", dense);
}

// How a router's scores become shares.
static void translate_router(struct writer *writer) {
    static const char *const gatings[][2] = {
        [GATING_SOFTMAX] = {"softmax"}, [GATING_SIGMOID] = {"sigmoid", "noaux_tc"}};
    static const char *const methods[] = {"noaux_tc", "greedy", "group_limited_greedy"};
    const struct ffn_spec *ffn = &writer->family->layer.ffn;
    const cJSON *json = writer->json, *normed = writer_get(writer, json, "norm_topk_prob");
    if (normed)
        writer_put_flag(writer, ".quire.raw_shares",
                        !writer_flag(writer, json, "norm_topk_prob", false));
    else if (ffn->raw_shares)
        writer_fail(writer, STATUS_BAD_FILE, "norm_topk_prob", "is missing");
    const char *scoring =
        writer_get(writer, json, "score_function") ? "score_function" : "scoring_func";
    const char *scores = writer_string(writer, json, scoring, "");
    const bool sigmoid = !strcmp(scores, "sigmoid");
    if (writer->family->latent && (sigmoid || !strcmp(scores, "softmax")))
        writer_put_int(writer, "expert_gating_func", sigmoid ? 2 : 1);
    else if (!writer_is_word(gatings[ffn->gating], ffn->gating == GATING_SIGMOID ? 2 : 1,
                             writer_get(writer, json, scoring)))
        writer_unsupported(writer, scoring, gatings[ffn->gating][0]);
    const cJSON *method = writer_get(writer, json, "topk_method");
    const bool softmax = writer->family->latent && !sigmoid,
               all = writer_is_word(methods + 1, 1, method);
    if (!writer_is_word(methods, softmax ? 3 : 1, method))
        writer_unsupported(writer, "topk_method",
                           softmax ? "noaux_tc, greedy or group_limited_greedy" : "noaux_tc");
    if (method && all && writer_count(writer, "n_group", 1) > 1)
        writer_fail(writer, STATUS_UNSUPPORTED, "n_group",
                    "is larger than 1, but topk_method does not rank groups");
    const double last = writer_number(writer, json, "moe_layer_end_index", -1);
    if (last >= 0 && last + 1 < (double)writer_count(writer, "num_hidden_layers", 0))
        writer_unsupported(writer, "moe_layer_end_index", "the last layer");
}

// What these families have under these names and this forward pass has not, or not otherwise.
static void refuse_other_values(struct writer *writer) {
    if (writer_number(writer, writer->json, "swiglu_limit", (double)ACT_CLAMP) != (double)ACT_CLAMP)
        writer_unsupported(writer, "swiglu_limit", "7");
    static const char *const needed[] = {"use_parallel_block", "use_gated_activation",
                                         "block_use_swiglu",   "use_pos_enc",
                                         "rope_interleave",    "use_rmsnorm"};
    static const char *const ones[] = {"rotary_pct",
                                       "decoder_sparse_step",
                                       "full_attn_mod",
                                       "interpolate_factor",
                                       "moe_layer_freq",
                                       "layernorm_full_attention_beta",
                                       "layernorm_linear_attention_beta",
                                       "layernorm_mlp_beta",
                                       "attn_type_list"};
    const cJSON *json = writer->json;
    if (writer_get(writer, json, "vision_config") && !writer->family->multimodal)
        writer_fail(writer, STATUS_UNSUPPORTED, "vision_config",
                    "is set, but images are not supported in this family");
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!writer_flag(writer, json, needed[i], true))
            writer_unsupported(writer, needed[i], "true");
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
        const cJSON *one = writer_get(writer, json, ones[i]);
        const bool listed = cJSON_IsArray(one);
        for (const cJSON *item = listed ? one->child : one; item; item = listed ? item->next : NULL)
            if (!cJSON_IsNumber(item) || item->valuedouble != 1)
                writer_unsupported(writer, ones[i], "1");
    }
    // The chosen of at most a thousand shares of 1 come to more.
    if (writer_number(writer, json, "moe_norm_min", 0) > 1e-4)
        writer_unsupported(writer, "moe_norm_min", "at most 0.0001");
    if (strcmp(writer_string(writer, json, "qk_norm_type", "per_layer"), "per_layer") != 0)
        writer_unsupported(writer, "qk_norm_type", "per_layer");
    const cJSON *both = writer_get(writer, json, "use_bidirectional_attention");
    if (both && !cJSON_IsFalse(both) &&
        (!cJSON_IsString(both) || !strcmp(both->valuestring, "all")))
        writer_unsupported(writer, "use_bidirectional_attention", "false or \"vision\"");
    const int64_t vocabulary = writer_count(writer, "vocab_size", 0);
    if (writer_count(writer, "vocab_size_per_layer_input", vocabulary) != vocabulary)
        writer_fail(writer, STATUS_UNSUPPORTED, "vocab_size_per_layer_input",
                    "differs from vocab_size, which is not supported");
    check_activation(writer);
}

// Before all else: what else is amiss follows from it.
static void refuse_quantized(struct writer *writer, const cJSON *json) {
    static const char *const keys[] = {"quantization_config", "quantization"};
    const char *method =
        writer_string(writer, writer_get(writer, json, keys[0]), "quant_method", "");
    const char *known = writer->family->quantized;
    for (size_t i = known && !strcmp(known, method); i < sizeof keys / sizeof keys[0]; i++)
        if (cJSON_IsObject(writer_get(writer, json, keys[i])))
            writer_fail(writer, STATUS_UNSUPPORTED, keys[i],
                        "is set, but quantized weights are not supported in a folder (expected "
                        "F32, F16 or BF16); use a GGUF file of the model");
}

// Which layers have a window, as 1: by their types, or by a pattern that repeats, "LLLG", or by
// that each so many-th has none. Returns how many are listed so; 0: nothing is.
static int32_t read_slides(struct writer *writer, int32_t *slides) {
    const cJSON *types = writer_get(writer, writer->json, "layer_types"), *item;
    const cJSON *pattern = writer_get(writer, writer->json, "sliding_window_pattern");
    const char *letters = cJSON_IsString(pattern) ? pattern->valuestring : "";
    const int64_t period = letters[0] ? 0 : writer_count(writer, "sliding_window_pattern", 0);
    const int64_t layers = writer_count(writer, "num_hidden_layers", -1);
    int32_t count = 0;
    if (layers > MODEL_MAX_LAYERS || cJSON_GetArraySize(types) > MODEL_MAX_LAYERS)
        writer_fail(writer, STATUS_BAD_FILE, "num_hidden_layers", "is out of range");
    if (writer->status != STATUS_OK) return 0;
    cJSON_ArrayForEach(item, types) {
        const char *type = cJSON_IsString(item) ? item->valuestring : "";
        slides[count] = !strcmp(type, "sliding_attention");
        if (!slides[count++] && strcmp(type, "full_attention") != 0)
            writer_fail(writer, STATUS_UNSUPPORTED, "layer_types",
                        "lists a kind of layer that is not supported");
    }
    for (; !types && (letters[0] || period > 0) && count < layers; count++)
        slides[count] = letters[0] ? letters[(size_t)count % strlen(letters)] == 'L'
                                   : (count + 1) % period != 0;
    return count;
}

// Each layer without a window is listed there, and all have the same.
static void check_own_figures(struct writer *writer, const int32_t *slides, int32_t layers) {
    const cJSON *all = writer_get(writer, writer->json, "per_layer_config");
    const cJSON *first = all ? all->child : NULL;
    char name[16];
    int listed = 0;
    for (int32_t i = 0; i < layers && all; i++) {
        snprintf(name, sizeof name, "%d", (int)i);
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(all, name);
        listed += item != NULL;
        if ((item == NULL) != (slides[i] != 0) || (item && !cJSON_Compare(item, first, true)))
            writer_fail(
                writer, STATUS_UNSUPPORTED, "per_layer_config",
                "must be the same for all layers without a window, and absent for the others");
    }
    if (listed != cJSON_GetArraySize(all))
        writer_fail(writer, STATUS_BAD_FILE, "per_layer_config", "names layers that do not exist");
    writer_refuse_unread(writer, first);
}

// What layers with a window have, and what others; each layer's own where there is one list.
static void translate_mixed(struct writer *writer, const int32_t *slides, int32_t layers) {
    const cJSON *json = writer->json;
    const int64_t size = writer_count(writer, "head_dim", -1);
    const int64_t global_size = folder_rope_global_count(writer, "global_head_dim", "head_dim", 0);
    const int64_t heads = writer_count(writer, "num_key_value_heads", -1);
    const int64_t global_heads =
        writer_flag(writer, json, "attention_k_eq_v", false)
            ? folder_rope_global_count(writer, "num_global_key_value_heads", "num_key_value_heads",
                                       heads)
            : heads;
    check_own_figures(writer, slides, layers);
    const int64_t ffn = writer_count(writer, "intermediate_size", -1);
    const int64_t own = layers - writer_count(writer, "num_kv_shared_layers", 0);
    const int64_t wide = writer_flag(writer, json, "use_double_wide_mlp", false) ? 2 * ffn : ffn;
    int32_t kv[MODEL_MAX_LAYERS], ffns[MODEL_MAX_LAYERS];
    ASSERT(layers >= 0 && layers <= MODEL_MAX_LAYERS);
    if (wide > INT32_MAX)
        writer_fail(writer, STATUS_BAD_FILE, "intermediate_size", "is out of range");
    for (int32_t i = 0; i < layers && writer->status == STATUS_OK; i++) {
        kv[i] = (int32_t)(slides[i] ? heads : global_heads);
        ffns[i] = (int32_t)(i < own ? ffn : wide);
    }
    if (writer->status != STATUS_OK) return;
    writer_put_int(writer, "attention.key_length", global_size);
    writer_put_int(writer, "attention.value_length", global_size);
    writer_put_int(writer, "attention.key_length_swa", size);
    writer_put_int(writer, "attention.value_length_swa", size);
    writer_put_list(writer, "attention.head_count_kv", kv, layers);
    writer_put_list(writer, "feed_forward_length", ffns, layers);
}

static void translate_windows(struct writer *writer) {
    const cJSON *json = writer->json;
    int32_t slides[MODEL_MAX_LAYERS];
    if (writer->mixed || writer_get(writer, json, "layer_types") ||
        writer_get(writer, json, "sliding_window_pattern")) {
        const int32_t count = read_slides(writer, slides);
        if (writer->status != STATUS_OK) return;
        writer_put_list(writer, "attention.sliding_window_pattern", slides, count);
        if (writer->mixed) translate_mixed(writer, slides, count);
    }
    if (writer_number(writer, json, "sliding_window", 0) > 0 &&
        writer_flag(writer, json, "use_sliding_window", true))
        writer_put_int(writer, "attention.sliding_window",
                       writer_count(writer, "sliding_window", 0));
}

// A list, or each how many-th layer is not rotated.
static void translate_no_rope(struct writer *writer) {
    int32_t rotated[MODEL_MAX_LAYERS], count = 0;
    if (!family_keys_have(writer->family->keys, "no_rope_layers")) return;
    const int64_t interval = writer_count(writer, "no_rope_layer_interval", 0);
    const cJSON *list = writer_get(writer, writer->json, "no_rope_layers"), *item;
    if (cJSON_GetArraySize(list) > MODEL_MAX_LAYERS)
        writer_fail(writer, STATUS_BAD_FILE, "no_rope_layers", "lists too many layers");
    if (!list && interval > 0) writer_put_int(writer, "no_rope_layers", interval);
    if (!list || writer->status != STATUS_OK) return;
    cJSON_ArrayForEach(item, list) {
        rotated[count++] = cJSON_IsNumber(item) && item->valuedouble != 0;
        if (!cJSON_IsNumber(item))
            writer_fail(writer, STATUS_BAD_FILE, "no_rope_layers", "must be a list of numbers");
    }
    writer_put_list(writer, "no_rope_layers", rotated, count);
}

enum status folder_config_family(const cJSON *json, const char *path, const struct family **family,
                                 struct error *err) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "model_type");
    const char *type = cJSON_IsString(item) ? item->valuestring : "";
    char names[FAMILY_LIST_BYTES], model_types[FAMILY_LIST_BYTES];
    const struct family *found = family_of_model_type(type);
    if (found) {
        const char *mixture = folder_hybrid_has_mixtures(json) ? found->mixture : NULL;
        *family = mixture ? family_find(mixture, strlen(mixture)) : found;
        return STATUS_OK;
    }
    family_list(names, model_types);
    return error_set(err, STATUS_UNSUPPORTED, "%s: unsupported model_type \"%.40s\" (expected %s)",
                     mapped_file_shown(path), type, model_types);
}

// Of the part that is read, which may leave it to the whole.
static const char *model_type_of(const cJSON *whole, const cJSON *part) {
    const cJSON *inner = cJSON_GetObjectItemCaseSensitive(part, "model_type");
    const cJSON *outer = cJSON_GetObjectItemCaseSensitive(whole, "model_type");
    return cJSON_IsString(inner)   ? inner->valuestring
           : cJSON_IsString(outer) ? outer->valuestring
                                   : "";
}

enum status folder_config_read(const cJSON *json, const struct family *family, const char *path,
                               struct text *gguf, struct folder_config *config, struct error *err) {
    static const char *const of_rope[] = {"rope_scaling", "rope_parameters"};
    struct writer writer = {.json = json, .path = path, .family = family, .out = gguf, .err = err};
    const cJSON *text_part = writer_get(&writer, json, "text_config");
    refuse_quantized(&writer, json);
    if (family->multimodal && text_part) writer.json = text_part;
    writer.defaults = folder_defaults_create(writer.json, model_type_of(json, writer.json));
    if (!writer.defaults && writer.status == STATUS_OK) writer.status = STATUS_NO_MEMORY;
    const bool first = writer_flag(&writer, writer.json, "tie_embedding", family->tied);
    const bool inner = writer_flag(&writer, writer.json, "tie_word_embeddings", first);
    *config =
        (struct folder_config){.tied = writer_flag(&writer, json, "tie_word_embeddings", inner)};
    writer.mixed = writer_get(&writer, writer.json, "global_head_dim") != NULL ||
                   writer_get(&writer, writer.json, "per_layer_config") != NULL;
    writer_begin(&writer);
    folder_hybrid_translate(&writer, config);
    if (family->hybrid == HYBRID_NONE) translate_windows(&writer);
    translate_numbers(&writer);
    translate_scores(&writer);
    translate_no_rope(&writer);
    translate_router(&writer);
    check_mlp_types(&writer);
    if (writer_count(&writer, "num_nextn_predict_layers", 0) > 0)
        config->draft_layer = (int32_t)writer_count(&writer, "num_hidden_layers", 0);
    folder_rope_translate(&writer, config);
    refuse_other_values(&writer);
    for (size_t i = 0; i < sizeof of_rope / sizeof of_rope[0]; i++) {
        const cJSON *rope = writer_get(&writer, writer.json, of_rope[i]);
        writer_refuse_unread(&writer, rope);
        writer_refuse_unread(&writer, writer_get(&writer, rope, "full_attention"));
        writer_refuse_unread(&writer, writer_get(&writer, rope, "sliding_attention"));
    }
    writer_refuse_unread(&writer, writer.json);
    writer_refuse_unread(&writer, json);
    writer_end(&writer);
    if (writer.status != STATUS_OK) folder_config_deinit(config);
    cJSON_Delete(writer.defaults);
    return writer.status;
}

void folder_config_deinit(struct folder_config *config) {
    free(config->rope_freqs);
    free(config->rope_short);
    free(config->rope_long);
    *config = (struct folder_config){0};
}
