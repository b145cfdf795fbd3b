#include "engine/model/folder_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/family_keys.h"
#include "engine/model/folder_defaults.h"
#include "engine/model/folder_hybrid.h"
#include "engine/model/folder_reader.h"
#include "engine/model/folder_rope.h"
#include "engine/model/layer_part.h"
#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"

// Of these, families of mixed layers have more than one; hybrids may, of the first two; and heads
// may have a list of their own.
static bool is_mixed_key(const struct reader *reader, const char *key) {
    static const char *const keys[] = {"intermediate_size", "num_key_value_heads", "head_dim"};
    static const char *const widths[] = {"intermediate_size", "moe_intermediate_size"};
    if (!strcmp(key, "num_attention_heads") && reader->lists_heads) return true;
    if (!strcmp(key, "num_key_value_heads") && reader->family->window_kv_heads) return true;
    if (family_keys_have(reader->family->keys, "prefix_dense_intermediate_size") &&
        reader_is_among(widths, 2, key))
        return true;
    return reader_is_among(keys, reader->mixed ? 3 : reader->lists_layers ? 2 : 0, key);
}

// A number, or one that all layers have in a list.
static void read_number(struct reader *reader, const char *ours, const char *theirs) {
    const cJSON *item = reader_get(reader, reader->json, theirs), *first = item, *other;
    if (cJSON_IsArray(item)) first = item->child;
    double value = cJSON_IsNumber(first) ? first->valuedouble : (double)NAN;
    if (cJSON_IsArray(item))
        cJSON_ArrayForEach(other, item)
            if (!cJSON_Compare(other, first, true)) value = (double)NAN;
    if (isfinite(value))
        reader_state_as(reader, ours, theirs, value);
    else
        reader_fail(reader, cJSON_IsArray(item) ? STATUS_UNSUPPORTED : STATUS_BAD_FILE, theirs,
                    cJSON_IsArray(item) ? "differs from layer to layer, which is not supported"
                                        : "must be a number");
}

// Experts that Nemotron-H's configurations state without having them.
static bool lacks(const struct reader *reader, const char *ours) {
    return reader->family->single && reader->family->layer.ffn.kind == FFN_DENSE &&
           !strncmp(ours, "expert", 6);
}

// A scale or a cap of other families: left unread, and so refused unless it is off. A factor of 1
// is.
static bool is_of_others(struct reader *reader, const char *ours, const char *theirs) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(reader->json, theirs);
    if (family_keys_have(reader->family->keys, ours)) return false;
    if (cJSON_IsNumber(item) && item->valuedouble == 1 && strcmp(ours, "attention.scale") != 0 &&
        !strstr(ours, "softcapping"))
        reader_get(reader, reader->json, theirs);
    return true;
}

static bool has_value_size(const struct reader *reader) {
    return family_keys_have(reader->family->keys, "v_head_dim");
}

// A key that says what one before it says already is read, and not stated again.
static void read_figure(struct reader *reader, const struct figure_names *names) {
    const cJSON *before = NULL;
    const bool values = !strcmp(names->ours, "attention.value_length");
    if (values && has_value_size(reader)) return;
    for (int i = 0; i < FIGURE_KEYS && names->theirs[i]; i++) {
        const char *key = names->theirs[i];
        const bool elsewhere = is_mixed_key(reader, key) || lacks(reader, names->ours) ||
                               (reader->family->latent && !strcmp(key, "head_dim"));
        if (is_of_others(reader, names->ours, key)) continue;
        const cJSON *item = reader_get(reader, reader->json, key);
        if (!item) continue;
        if (!elsewhere && !cJSON_Compare(item, before, true)) read_number(reader, names->ours, key);
        before = item;
    }
}

static void read_figures(struct reader *reader, const struct figure_names *names) {
    struct folder_config *config = reader->config;
    ASSERT(config->table_count < FOLDER_MAX_TABLES);
    config->tables[config->table_count++] = names;
    for (; names->ours; names++)
        read_figure(reader, names);
}

// Of norms around the mean, which have several names and none; PhiMoE has that of the others.
static void read_norm_eps(struct reader *reader) {
    static const char *const keys[] = {"layer_norm_eps", "norm_epsilon"};
    double eps = 1e-5;
    if (reader_get(reader, reader->json, "rms_norm_eps")) return;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        eps = reader_number(reader, reader->json, keys[i], eps);
    reader_state(reader, "attention.layer_norm_epsilon", eps);
}

static void read_numbers(struct reader *reader) {
    static const struct figure_names of_model[] = {
        {"block_count", {"num_hidden_layers"}},
        {"embedding_length", {"hidden_size"}},
        {"attention.head_count", {"num_attention_heads"}},
        {"attention.head_count_kv", {"num_key_value_heads"}},
        {"context_length", {"max_position_embeddings"}},
        {"attention.layer_norm_rms_epsilon", {"layer_norm_epsilon", "rms_norm_eps", "norm_eps"}},
        {"final_logit_softcapping", {"final_logit_softcapping"}},
        {"embedding_scale", {"embedding_multiplier"}},
        {"residual_scale", {"residual_multiplier"}},
        {"attention.post_norm_epsilon", {"post_norm_eps"}},
        {"logit_scale",
         {"logits_scaling", "logit_scale", "lm_head_multiplier", "output_multiplier"}},
        {"attention.shared_kv_layers", {"num_kv_shared_layers"}},
        {"embedding_length_per_layer_input", {"hidden_size_per_layer_input"}},
        {0}};
    static const struct layer_part *const parts[] = {&dense_part, &attention_part, &short_conv_part,
                                                     &experts_part};
    read_figures(reader, of_model);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        read_figures(reader, parts[i]->figures);
    if (has_value_size(reader))
        reader_state_count(
            reader, "attention.value_length",
            reader_count(reader, "v_head_dim", reader_count(reader, "head_dim", -1)));
    if (reader->family->latent) {
        read_figures(reader, latent_attention_part.figures);
        reader_state_count(reader, "attention.key_length",
                           reader_count(reader, "qk_nope_head_dim", -1) +
                               reader_count(reader, "qk_rope_head_dim", -1));
    }
    if (reader->family->norms != NORM_RMS) read_norm_eps(reader);
}

// What a family reads that has caps or scales scores by another number than the size of its heads.
static void read_scores(struct reader *reader) {
    static const char *const caps[] = {"attn_logit_softcapping", "final_logit_softcapping"};
    // Null says that there is none; to be absent does not.
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++)
        if (family_keys_have(reader->family->keys, caps[i]) &&
            cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(reader->json, caps[i])))
            reader_state(reader, caps[i], 0);
    // In others it may repeat the size of a head.
    static const char key[] = "query_pre_attn_scalar";
    const cJSON *size = cJSON_GetObjectItemCaseSensitive(reader->json, "head_dim");
    const bool scaled = family_keys_have(reader->family->keys, "attention.scale");
    const bool same =
        size && cJSON_Compare(cJSON_GetObjectItemCaseSensitive(reader->json, key), size, true);
    const double scalar = scaled || same ? reader_number(reader, reader->json, key, 0) : 0;
    if (scaled && scalar > 0) reader_state(reader, "attention.scale", 1 / sqrt(scalar));
    if (family_keys_have(reader->family->keys, "embedding_scale") &&
        reader_flag(reader, reader->json, "mup_enabled", false))
        reader_state(reader, "embedding_scale",
                     sqrt((double)reader_count(reader, "hidden_size", -1)));
}

static void check_activation(struct reader *reader) {
    static const struct {
        const char *words[4], *expected;
    } acts[] = {
        [ACT_SILU] = {{"silu", "swish"}, "silu"},
        [ACT_GELU] = {{"gelu_pytorch_tanh", "gelu_new", "gelu"}, "gelu"},
        [ACT_GELU_ALONE] = {{"gelu_pytorch_tanh", "gelu_new"}, "gelu_new"},
        [ACT_CLAMPED] = {{"silu", "swish"}, "silu"},
        [ACT_RELU] = {{"relu2"}, "relu2"},
        [ACT_XIELU] = {{"xielu"}, "xielu"},
    };
    static const char *const keys[] = {"hidden_act", "hidden_activation", "mlp_hidden_act"};
    const enum act act = reader->family->layer.ffn.act;
    size_t count = 0;
    while (acts[act].words[count])
        count++;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!reader_is_word(acts[act].words, count, reader_get(reader, reader->json, keys[i])))
            reader_unsupported(reader, keys[i], acts[act].expected);
}

// What these families have under these names and this forward pass has not, or not otherwise.
static void refuse_other_values(struct reader *reader) {
    if (reader_number(reader, reader->json, "swiglu_limit", (double)ACT_CLAMP) != (double)ACT_CLAMP)
        reader_unsupported(reader, "swiglu_limit", "7");
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
                                       "prefix_dense_sliding_window_pattern",
                                       "attn_type_list"};
    static const char *const words[][2] = {{"qk_norm_type", "per_layer"},
                                           {"norm_type", "layer_norm"},
                                           {"mlp_type", "default"},
                                           {"shared_expert_combination_strategy", "average"}};
    const cJSON *json = reader->json;
    if (reader_get(reader, json, "vision_config") && !reader->family->multimodal)
        reader_fail(reader, STATUS_UNSUPPORTED, "vision_config",
                    "is set, but images are not supported in this family");
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!reader_flag(reader, json, needed[i], true))
            reader_unsupported(reader, needed[i], "true");
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
        const cJSON *one = reader_get(reader, json, ones[i]);
        const bool listed = cJSON_IsArray(one);
        for (const cJSON *item = listed ? one->child : one; item; item = listed ? item->next : NULL)
            if (!cJSON_IsNumber(item) || item->valuedouble != 1)
                reader_unsupported(reader, ones[i], "1");
    }
    // The chosen of at most a thousand shares of 1 come to more.
    if (reader_number(reader, json, "moe_norm_min", 0) > 1e-4)
        reader_unsupported(reader, "moe_norm_min", "at most 0.0001");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(reader_string(reader, json, words[i][0], words[i][1]), words[i][1]) != 0)
            reader_unsupported(reader, words[i][0], words[i][1]);
    const cJSON *both = reader_get(reader, json, "use_bidirectional_attention");
    if (both && !cJSON_IsFalse(both) &&
        (!cJSON_IsString(both) || !strcmp(both->valuestring, "all")))
        reader_unsupported(reader, "use_bidirectional_attention", "false or \"vision\"");
    const int64_t vocabulary = reader_count(reader, "vocab_size", 0);
    if (reader_count(reader, "vocab_size_per_layer_input", vocabulary) != vocabulary)
        reader_fail(reader, STATUS_UNSUPPORTED, "vocab_size_per_layer_input",
                    "differs from vocab_size, which is not supported");
    check_activation(reader);
}

// Before all else: what else is amiss follows from it.
static void refuse_quantized(struct reader *reader, const cJSON *json) {
    static const char *const keys[] = {"quantization_config", "quantization"};
    const char *method =
        reader_string(reader, reader_get(reader, json, keys[0]), "quant_method", "");
    const char *known = reader->family->quantized;
    for (size_t i = known && !strcmp(known, method); i < sizeof keys / sizeof keys[0]; i++) {
        const cJSON *config = reader_get(reader, json, keys[i]);
        const char *format = reader_string(reader, config, "quant_algo", "");
        char what[200];
        if (!format[0]) format = reader_string(reader, config, "format", method);
        snprintf(what, sizeof what, "is %.40s, but " FOLDER_UNQUANTIZED,
                 format[0] ? format : "set");
        if (cJSON_IsObject(config)) reader_fail(reader, STATUS_UNSUPPORTED, keys[i], what);
    }
}

// Which layers have a window, as 1: by their types, by a pattern that repeats, "LLLG", or by a
// period, after which one layer has none. Where dense layers come first and have a pattern of their
// own, periods are counted from the layer after them. Returns how many are listed; 0: none is.
static int32_t read_slides(struct reader *reader, int32_t *slides) {
    const cJSON *types = reader_get(reader, reader->json, "layer_types"), *item;
    const cJSON *pattern = reader_get(reader, reader->json, "sliding_window_pattern");
    const char *letters = cJSON_IsString(pattern) ? pattern->valuestring : "";
    const int64_t every = reader_count(reader, "global_attn_every_n_layers", 0);
    const int64_t period = letters[0] ? 0 : reader_count(reader, "sliding_window_pattern", every);
    const int64_t layers = reader_count(reader, "num_hidden_layers", -1);
    const int64_t first = reader_get(reader, reader->json, "prefix_dense_sliding_window_pattern")
                              ? reader_count(reader, "first_k_dense_replace", 0)
                              : 0;
    int32_t count = 0;
    if (layers > MODEL_MAX_LAYERS || cJSON_GetArraySize(types) > MODEL_MAX_LAYERS)
        reader_fail(reader, STATUS_BAD_FILE, "num_hidden_layers", "is out of range");
    if (reader->status != STATUS_OK) return 0;
    cJSON_ArrayForEach(item, types) {
        const char *type = cJSON_IsString(item) ? item->valuestring : "";
        slides[count] = !strcmp(type, "sliding_attention");
        if (!slides[count++] && strcmp(type, "full_attention") != 0)
            reader_fail(reader, STATUS_UNSUPPORTED, "layer_types",
                        "lists a kind of layer that is not supported");
    }
    for (; !types && (letters[0] || period > 0) && count < layers; count++)
        slides[count] = letters[0] ? letters[(size_t)count % strlen(letters)] == 'L'
                                   : count >= first && (count - first + 1) % period != 0;
    return count;
}

// Each layer without a window is listed there, and all have the same.
static void check_own_figures(struct reader *reader, const int32_t *slides, int32_t layers) {
    const cJSON *all = reader_get(reader, reader->json, "per_layer_config");
    const cJSON *first = all ? all->child : NULL;
    char name[16];
    int listed = 0;
    for (int32_t i = 0; i < layers && all; i++) {
        snprintf(name, sizeof name, "%d", (int)i);
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(all, name);
        listed += item != NULL;
        if ((item == NULL) != (slides[i] != 0) || (item && !cJSON_Compare(item, first, true)))
            reader_fail(
                reader, STATUS_UNSUPPORTED, "per_layer_config",
                "must be the same for all layers without a window, and absent for the others");
    }
    if (listed != cJSON_GetArraySize(all))
        reader_fail(reader, STATUS_BAD_FILE, "per_layer_config", "names layers that do not exist");
    reader_refuse_unread(reader, first);
}

// What layers with a window have, and what others; each layer's own where there is one list.
static void read_mixed(struct reader *reader, const int32_t *slides, int32_t layers) {
    const cJSON *json = reader->json;
    const int64_t size = reader_count(reader, "head_dim", -1);
    const int64_t global_size = folder_rope_global_count(reader, "global_head_dim", "head_dim", 0);
    const int64_t heads = reader_count(reader, "num_key_value_heads", -1);
    const int64_t global_heads =
        reader_flag(reader, json, "attention_k_eq_v", false)
            ? folder_rope_global_count(reader, "num_global_key_value_heads", "num_key_value_heads",
                                       heads)
            : heads;
    check_own_figures(reader, slides, layers);
    const int64_t ffn = reader_count(reader, "intermediate_size", -1);
    const int64_t own = layers - reader_count(reader, "num_kv_shared_layers", 0);
    const int64_t wide = reader_flag(reader, json, "use_double_wide_mlp", false) ? 2 * ffn : ffn;
    int32_t kv[MODEL_MAX_LAYERS], ffns[MODEL_MAX_LAYERS];
    ASSERT(layers >= 0 && layers <= MODEL_MAX_LAYERS);
    if (wide > INT32_MAX)
        reader_fail(reader, STATUS_BAD_FILE, "intermediate_size", "is out of range");
    for (int32_t i = 0; i < layers && reader->status == STATUS_OK; i++) {
        kv[i] = (int32_t)(slides[i] ? heads : global_heads);
        ffns[i] = (int32_t)(i < own ? ffn : wide);
    }
    if (reader->status != STATUS_OK) return;
    reader_state_count(reader, "attention.key_length", global_size);
    reader_state_count(reader, "attention.value_length", global_size);
    reader_state_count(reader, "attention.key_length_swa", size);
    reader_state_count(reader, "attention.value_length_swa", size);
    reader_state_list(reader, "attention.head_count_kv", kv, layers);
    reader_state_list(reader, "feed_forward_length", ffns, layers);
}

// Layers with a window may have more KV heads, and another number of heads, which each of them
// may repeat.
static void read_window_heads(struct reader *reader, const int32_t *slides, int32_t layers) {
    static const char key[] = "num_sliding_attention_heads";
    const struct family *family = reader->family;
    const cJSON *all = reader_get(reader, reader->json, "per_layer_config");
    const int64_t kv = reader_count(reader, "num_key_value_heads", -1);
    const int64_t heads = reader_count(reader, "num_attention_heads", -1);
    const int64_t own = reader_count(reader, key, heads);
    int32_t kv_list[MODEL_MAX_LAYERS], list[MODEL_MAX_LAYERS], listed = 0;
    ASSERT(layers >= 0 && layers <= MODEL_MAX_LAYERS);
    if (kv > MODEL_MAX_HEADS)
        reader_fail(reader, STATUS_BAD_FILE, "num_key_value_heads", "is out of range");
    for (int32_t i = 0; i < layers && reader->status == STATUS_OK; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", (int)i);
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(all, name);
        const cJSON *again = cJSON_GetObjectItemCaseSensitive(item, "num_attention_heads");
        const bool same =
            again && cJSON_GetArraySize(item) == 1 && again->valuedouble == (double)own;
        kv_list[i] = (int32_t)kv * (slides[i] ? family->window_kv_heads : 1);
        list[i] = (int32_t)(slides[i] ? own : heads);
        listed += item != NULL;
        if (all && (item ? !(slides[i] && same) : slides[i] && own != heads))
            reader_fail(reader, STATUS_UNSUPPORTED, "per_layer_config",
                        "must repeat num_sliding_attention_heads for layers with a window");
    }
    if (listed != cJSON_GetArraySize(all))
        reader_fail(reader, STATUS_BAD_FILE, "per_layer_config", "names layers that do not exist");
    if (family->window_kv_heads)
        reader_state_list(reader, "attention.head_count_kv", kv_list, layers);
    if (!family_keys_have(family->keys, key) || reader->lists_heads) return;
    reader_state_list(reader, "attention.head_count", list, layers);
    reader->lists_heads = true;
}

static void read_windows(struct reader *reader) {
    const cJSON *json = reader->json;
    int32_t slides[MODEL_MAX_LAYERS];
    if (reader->mixed || reader_get(reader, json, "layer_types") ||
        reader_get(reader, json, "sliding_window_pattern") ||
        reader_get(reader, json, "global_attn_every_n_layers")) {
        const int32_t count = read_slides(reader, slides);
        if (reader->status != STATUS_OK) return;
        reader_state_list(reader, "attention.sliding_window_pattern", slides, count);
        if (reader->mixed)
            read_mixed(reader, slides, count);
        else if (reader->family->window_kv_heads ||
                 family_keys_have(reader->family->keys, "num_sliding_attention_heads"))
            read_window_heads(reader, slides, count);
    }
    if (reader_number(reader, json, "sliding_window", 0) > 0 &&
        reader_flag(reader, json, "use_sliding_window", true))
        reader_state_count(reader, "attention.sliding_window",
                           reader_count(reader, "sliding_window", 0));
}

// Where layers differ in it, in place of the one for all.
static void read_heads(struct reader *reader) {
    static const char key[] = "num_attention_heads_per_layer";
    const cJSON *list = reader_get(reader, reader->json, key), *item;
    int32_t heads[MODEL_MAX_LAYERS], count = 0;
    reader->lists_heads = list != NULL;
    if (!list) return;
    cJSON_ArrayForEach(item, list) {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 1) ||
            item->valuedouble > MODEL_MAX_HEADS || count == MODEL_MAX_LAYERS)
            reader_fail(reader, STATUS_BAD_FILE, key, "must list a number of heads for each layer");
        if (reader->status != STATUS_OK) return;
        heads[count++] = (int32_t)item->valuedouble;
    }
    reader_state_list(reader, "attention.head_count", heads, count);
}

// A list, or each how many-th layer is not rotated.
static void read_no_rope(struct reader *reader) {
    int32_t rotated[MODEL_MAX_LAYERS], count = 0;
    if (!family_keys_have(reader->family->keys, "no_rope_layers")) return;
    const int64_t interval = reader_count(reader, "no_rope_layer_interval", 0);
    const cJSON *list = reader_get(reader, reader->json, "no_rope_layers"), *item;
    if (cJSON_GetArraySize(list) > MODEL_MAX_LAYERS)
        reader_fail(reader, STATUS_BAD_FILE, "no_rope_layers", "lists too many layers");
    if (!list && interval > 0) reader_state_count(reader, "no_rope_layers", interval);
    if (!list || reader->status != STATUS_OK) return;
    cJSON_ArrayForEach(item, list) {
        rotated[count++] = cJSON_IsNumber(item) && item->valuedouble != 0;
        if (!cJSON_IsNumber(item))
            reader_fail(reader, STATUS_BAD_FILE, "no_rope_layers", "must be a list of numbers");
    }
    reader_state_list(reader, "no_rope_layers", rotated, count);
}

// The family of the text's part, where a larger model may have texts of several.
static const struct family *family_of_text(const cJSON *json) {
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(json, "text_config");
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(text, "model_type");
    return cJSON_IsString(type) ? family_of_model_type(type->valuestring) : NULL;
}

enum status folder_config_family(const cJSON *json, const char *path, const struct family **family,
                                 struct error *err) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "model_type");
    const char *type = cJSON_IsString(item) ? item->valuestring : "";
    char names[FAMILY_LIST_BYTES], model_types[FAMILY_LIST_BYTES];
    const struct family *found = family_of_model_type(type), *inner = family_of_text(json);
    if (found && found->multimodal && inner && inner->multimodal) found = inner;
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
                               struct folder_config *config, struct error *err) {
    static const char *const of_rope[] = {"rope_scaling", "rope_parameters"};
    struct reader reader = {
        .json = json, .path = path, .family = family, .config = config, .err = err};
    *config = (struct folder_config){.family = family, .raw_shares = family->layer.ffn.raw_shares};
    const cJSON *text_part = reader_get(&reader, json, "text_config");
    refuse_quantized(&reader, json);
    if (family->multimodal && text_part) reader.json = text_part;
    reader.defaults = folder_defaults_create(reader.json, model_type_of(json, reader.json));
    if (!reader.defaults && reader.status == STATUS_OK) reader.status = STATUS_NO_MEMORY;
    const bool first = reader_flag(&reader, reader.json, "tie_embedding", family->tied);
    const bool inner = reader_flag(&reader, reader.json, "tie_word_embeddings", first);
    config->tied = reader_flag(&reader, json, "tie_word_embeddings", inner);
    reader.mixed = reader_get(&reader, reader.json, "global_head_dim") != NULL ||
                   (reader_get(&reader, reader.json, "per_layer_config") != NULL &&
                    !family_keys_have(family->keys, "num_sliding_attention_heads"));
    recurrence_read_config(&reader);
    folder_hybrid_read(&reader);
    read_heads(&reader);
    if (family->hybrid == HYBRID_NONE) read_windows(&reader);
    read_numbers(&reader);
    read_scores(&reader);
    read_no_rope(&reader);
    experts_read_config(&reader);
    if (reader_count(&reader, "num_nextn_predict_layers", 0) > 0)
        config->draft_layer = (int32_t)reader_count(&reader, "num_hidden_layers", 0);
    folder_rope_read(&reader);
    refuse_other_values(&reader);
    for (size_t i = 0; i < sizeof of_rope / sizeof of_rope[0]; i++) {
        const cJSON *rope = reader_get(&reader, reader.json, of_rope[i]);
        reader_refuse_unread(&reader, rope);
        reader_refuse_unread(&reader, reader_get(&reader, rope, "full_attention"));
        reader_refuse_unread(&reader, reader_get(&reader, rope, "sliding_attention"));
    }
    reader_refuse_unread(&reader, reader.json);
    reader_refuse_unread(&reader, json);
    if (reader.status != STATUS_OK) folder_config_deinit(config);
    cJSON_Delete(reader.defaults);
    return reader.status;
}

enum status folder_config_open(struct folder_config *config, const char *path, struct gguf **gguf,
                               struct error *err) {
    // Version 3, no tensors, and one key, of 20 bytes, whose value is a string.
    static const char head[] = "GGUF\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
                               "\24\0\0\0\0\0\0\0general.architecture\10\0\0\0";
    const uint64_t length = strlen(config->family->name);
    config->stub.length = 0;
    enum status status = text_append(&config->stub, head, sizeof head - 1);
    if (status == STATUS_OK)
        status = text_append(&config->stub, (const char *)&length, sizeof length);
    if (status == STATUS_OK) status = text_append_string(&config->stub, config->family->name);
    if (status != STATUS_OK)
        return error_set(err, status, "%s: not enough memory", mapped_file_shown(path));
    TRY(gguf_open_memory(config->stub.bytes, config->stub.length, path, gguf, err));
    gguf_lend_config(*gguf, config);
    return STATUS_OK;
}

void folder_config_deinit(struct folder_config *config) {
    text_deinit(&config->stub);
    free(config->rope_freqs);
    free(config->rope_short);
    free(config->rope_long);
    *config = (struct folder_config){0};
}
