#include "engine/model/folder_config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/folder_keys.h"
#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"

enum { READ_MOST = 96 }; // different keys that quire knows how to read

// One translation, with the first failure kept, so that a list of keys reads as a list.
struct writer {
    const cJSON *json;
    const char *path;
    const struct family *family;
    cJSON *defaults;             // of the family, where `json` lacks a key; owned
    bool mixed;                  // heads of layers with a window are of another size
    const char *read[READ_MOST]; // borrowed: string literals
    size_t read_count;
    struct text *out;
    uint64_t keys;
    enum status status;
    struct error *err;
};

static void fail(struct writer *writer, enum status status, const char *key, const char *what) {
    if (writer->status != STATUS_OK) return;
    writer->status =
        error_set(writer->err, status, "%s: %s %s", mapped_file_shown(writer->path), key, what);
}

static void put(struct writer *writer, const void *bytes, size_t length) {
    if (writer->status == STATUS_OK) writer->status = text_append(writer->out, bytes, length);
}

static void put_u32(struct writer *writer, uint32_t value) { put(writer, &value, sizeof value); }

static void put_string(struct writer *writer, const char *string) {
    const uint64_t length = strlen(string);
    put(writer, &length, sizeof length);
    put(writer, string, (size_t)length);
}

// "FAMILY.KEY" and the type of what follows; a key that begins with a dot is whole behind it.
static void put_key(struct writer *writer, const char *key, enum gguf_type type) {
    char name[128];
    if (key[0] == '.')
        snprintf(name, sizeof name, "%s", key + 1);
    else
        snprintf(name, sizeof name, "%s.%s", writer->family->name, key);
    put_string(writer, name);
    put_u32(writer, (uint32_t)type);
    ASSERT(strlen(name) + 1 < sizeof name);
    writer->keys++;
}

static void put_int(struct writer *writer, const char *key, int64_t value) {
    put_key(writer, key, GGUF_I64);
    put(writer, &value, sizeof value);
}

static void put_float(struct writer *writer, const char *key, double value) {
    put_key(writer, key, GGUF_F64);
    put(writer, &value, sizeof value);
}

// As an integer where it is one: sizes are read as such.
static void put_number(struct writer *writer, const char *key, double value) {
    if (floor(value) == value && fabs(value) < 0x1p31)
        put_int(writer, key, (int64_t)value);
    else
        put_float(writer, key, value);
}

static void put_text(struct writer *writer, const char *key, const char *value) {
    put_key(writer, key, GGUF_STRING);
    put_string(writer, value);
}

// One number a layer.
static void put_list(struct writer *writer, const char *key, const int32_t *values, int32_t count) {
    const uint64_t length = (uint64_t)count;
    ASSERT(count >= 0 && count <= MODEL_MAX_LAYERS);
    put_key(writer, key, GGUF_ARRAY);
    put_u32(writer, GGUF_I32);
    put(writer, &length, sizeof length);
    put(writer, values, (size_t)count * sizeof values[0]);
}

static void put_flag(struct writer *writer, const char *key, bool value) {
    const unsigned char byte = value;
    put_key(writer, key, GGUF_BOOL);
    put(writer, &byte, sizeof byte);
}

static bool is_among(const char *const *words, size_t count, const char *word) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(words[i], word)) return true;
    return false;
}

// Of the whole configuration or of a part of it. Remembers that somebody reads the key.
static const cJSON *get(struct writer *writer, const cJSON *json, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!item && json == writer->json)
        item = cJSON_GetObjectItemCaseSensitive(writer->defaults, key);
    if (item && !is_among(writer->read, writer->read_count, key)) {
        ASSERT(writer->read_count < READ_MOST);
        writer->read[writer->read_count++] = key;
    }
    return cJSON_IsNull(item) ? NULL : item;
}

static double number_or(struct writer *writer, const cJSON *json, const char *key,
                        double otherwise) {
    const cJSON *item = get(writer, json, key);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static const char *string_or(struct writer *writer, const cJSON *json, const char *key,
                             const char *otherwise) {
    const cJSON *item = get(writer, json, key);
    return cJSON_IsString(item) ? item->valuestring : otherwise;
}

// Whole, 0 … 2^31 - 1; `otherwise` where the key is absent, -1: it must be there.
static int64_t count_of(struct writer *writer, const char *key, int64_t otherwise) {
    const cJSON *item = get(writer, writer->json, key);
    if (!item && otherwise >= 0) return otherwise;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!item)
        fail(writer, STATUS_BAD_FILE, key, "is missing");
    else if (!(value >= 0 && value < 0x1p31) || floor(value) != value)
        fail(writer, STATUS_BAD_FILE, key, "is out of range");
    return writer->status == STATUS_OK ? (int64_t)value : 1;
}

struct line { // of a table from their keys to ours
    const char *theirs, *ours;
};

static bool convolves(const struct writer *writer) {
    return writer->family->layer.mixer == MIXER_SHORT_CONV;
}

// Of these, families of mixed layers have more than one; those that convolve, of the first two.
static bool is_mixed_key(const struct writer *writer, const char *key) {
    static const char *const keys[] = {"intermediate_size", "num_key_value_heads", "head_dim"};
    return is_among(keys, writer->mixed ? 3 : convolves(writer) ? 2 : 0, key);
}

// A number, or one that all layers have in a list.
static void translate_number(struct writer *writer, const struct line *line) {
    const cJSON *item = get(writer, writer->json, line->theirs), *first = item, *other;
    if (cJSON_IsArray(item)) first = item->child;
    double value = cJSON_IsNumber(first) ? first->valuedouble : (double)NAN;
    if (cJSON_IsArray(item))
        cJSON_ArrayForEach(other, item) if (!cJSON_Compare(other, first, true)) value = (double)NAN;
    if (isfinite(value))
        put_number(writer, line->ours, value);
    else
        fail(writer, cJSON_IsArray(item) ? STATUS_UNSUPPORTED : STATUS_BAD_FILE, line->theirs,
             cJSON_IsArray(item) ? "differs from layer to layer, which quire lacks"
                                 : "is no number");
}

static void translate_latent(struct writer *writer) {
    static const struct line lines[] = {
        {"v_head_dim", "attention.value_length"},
        {"kv_lora_rank", "attention.kv_lora_rank"},
        {"q_lora_rank", "attention.q_lora_rank"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (get(writer, writer->json, lines[i].theirs)) translate_number(writer, &lines[i]);
    put_int(writer, "attention.key_length",
            count_of(writer, "qk_nope_head_dim", -1) + count_of(writer, "qk_rope_head_dim", -1));
}

static void translate_numbers(struct writer *writer) {
    static const char *const caps[] = {"attn_logit_softcapping", "final_logit_softcapping"};
    static const struct line lines[] = {
        {"num_hidden_layers", "block_count"},
        {"hidden_size", "embedding_length"},
        {"intermediate_size", "feed_forward_length"},
        {"num_attention_heads", "attention.head_count"},
        {"num_key_value_heads", "attention.head_count_kv"},
        {"head_dim", "attention.key_length"},
        {"head_dim", "attention.value_length"},
        {"max_position_embeddings", "context_length"},
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
        {"first_k_dense_replace", "leading_dense_block_count"},
        {"moe_layer_start_index", "leading_dense_block_count"},
        {"num_dense_layers", "leading_dense_block_count"},
        {"moe_layer_interval", "interleave_moe_layer_step"},
        {"routed_scaling_factor", "expert_weights_scale"},
        {"n_group", "expert_group_count"},
        {"topk_group", "expert_group_used_count"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const bool elsewhere = is_mixed_key(writer, lines[i].theirs) ||
                               (writer->family->latent && !strcmp(lines[i].theirs, "head_dim"));
        if (get(writer, writer->json, lines[i].theirs) && !elsewhere)
            translate_number(writer, &lines[i]);
    }
    if (writer->family->latent) translate_latent(writer);
    if (writer->family->centered_norms)
        put_float(writer, "attention.layer_norm_epsilon",
                  number_or(writer, writer->json, "layer_norm_eps", 1e-5));
    // Null says that there is none; to be absent does not.
    for (size_t i = 0; i < sizeof caps / sizeof caps[0]; i++)
        if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(writer->json, caps[i])))
            put_number(writer, caps[i], 0);
    const double scalar = number_or(writer, writer->json, "query_pre_attn_scalar", 0);
    if (scalar > 0) put_float(writer, "attention.scale", 1 / sqrt(scalar));
}

// Of words: is this one that is listed?
static bool is_word(const char *const *words, size_t count, const cJSON *item) {
    return !item || (cJSON_IsString(item) && is_among(words, count, item->valuestring));
}

static void check_activation(struct writer *writer) {
    static const struct {
        const char *words[4], *lacks;
    } acts[] = {
        [ACT_SILU] = {{"silu", "swish"}, "is not silu, which quire lacks"},
        [ACT_GELU] = {{"gelu_pytorch_tanh", "gelu_new", "gelu"}, "is not gelu, which quire lacks"},
        [ACT_CLAMPED] = {{"silu", "swish"}, "is not silu, which quire lacks"},
        [ACT_RELU] = {{"relu2"}, "is not relu2, which quire lacks"},
        [ACT_XIELU] = {{"xielu"}, "is not xielu, which quire lacks"},
    };
    static const char *const keys[] = {"hidden_act", "hidden_activation"};
    const enum act act = writer->family->layer.ffn.act;
    size_t count = 0;
    while (acts[act].words[count])
        count++;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!is_word(acts[act].words, count, get(writer, writer->json, keys[i])))
            fail(writer, STATUS_UNSUPPORTED, keys[i], acts[act].lacks);
}

// First dense ones, as many as first_k_dense_replace says where it is there, and mixtures.
static void check_mlp_types(struct writer *writer) {
    const cJSON *types = get(writer, writer->json, "mlp_layer_types"), *item;
    const char *const words[] = {"dense", "sparse"};
    int32_t dense = 0, count = 0;
    cJSON_ArrayForEach(item, types) {
        if (dense == count) dense += is_word(words, 1, item);
        if (!is_word(words + (count++ >= dense), 1, item))
            fail(writer, STATUS_UNSUPPORTED, "mlp_layer_types",
                 "are not dense ones and then sparse ones, which quire lacks");
    }
    if (types && count_of(writer, "first_k_dense_replace", dense) != dense)
        fail(writer, STATUS_BAD_FILE, "mlp_layer_types", "differ from first_k_dense_replace");
    if (types && !get(writer, writer->json, "first_k_dense_replace"))
        put_int(writer, "leading_dense_block_count", dense);
}

// How a router's scores become shares.
static void translate_router(struct writer *writer) {
    static const char *const gatings[][2] = {
        [GATING_SOFTMAX] = {"softmax"}, [GATING_SIGMOID] = {"sigmoid", "noaux_tc"}};
    static const char *const methods[] = {"noaux_tc", "greedy", "group_limited_greedy"};
    const struct ffn_spec *ffn = &writer->family->layer.ffn;
    const cJSON *json = writer->json, *normed = get(writer, json, "norm_topk_prob");
    if (normed)
        put_flag(writer, "expert_weights_norm", cJSON_IsTrue(normed));
    else if (ffn->raw_shares)
        fail(writer, STATUS_BAD_FILE, "norm_topk_prob", "is missing");
    const char *scoring = get(writer, json, "score_function") ? "score_function" : "scoring_func";
    const char *scores = string_or(writer, json, scoring, "");
    const bool sigmoid = !strcmp(scores, "sigmoid");
    if (writer->family->latent && (sigmoid || !strcmp(scores, "softmax")))
        put_int(writer, "expert_gating_func", sigmoid ? 2 : 1);
    else if (!is_word(gatings[ffn->gating], ffn->gating == GATING_SIGMOID ? 2 : 1,
                      get(writer, json, scoring)))
        fail(writer, STATUS_UNSUPPORTED, scoring, "is another one, which quire lacks");
    const cJSON *method = get(writer, json, "topk_method");
    const bool softmax = writer->family->latent && !sigmoid, all = is_word(methods + 1, 1, method);
    if (!is_word(methods, softmax ? 3 : 1, method))
        fail(writer, STATUS_UNSUPPORTED, "topk_method", "is not noaux_tc, which quire lacks");
    if (method && all && count_of(writer, "n_group", 1) > 1)
        fail(writer, STATUS_UNSUPPORTED, "n_group", "is of groups that nothing ranks");
    const double last = number_or(writer, json, "moe_layer_end_index", -1);
    if (last >= 0 && last + 1 < (double)count_of(writer, "num_hidden_layers", 0))
        fail(writer, STATUS_UNSUPPORTED, "moe_layer_end_index",
             "is not the last layer, which quire lacks");
}

// What these families have under these names and this forward pass has not, or not otherwise.
static void refuse_other_values(struct writer *writer) {
    if (number_or(writer, writer->json, "swiglu_limit", (double)ACT_CLAMP) != (double)ACT_CLAMP)
        fail(writer, STATUS_UNSUPPORTED, "swiglu_limit", "is not 7, which quire lacks");
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
    if (get(writer, json, "vision_config") && !writer->family->multimodal)
        fail(writer, STATUS_UNSUPPORTED, "vision_config", "is set, which quire lacks");
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (cJSON_IsFalse(get(writer, json, needed[i])))
            fail(writer, STATUS_UNSUPPORTED, needed[i], "is false, which quire lacks");
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
        const cJSON *one = get(writer, json, ones[i]);
        const bool listed = cJSON_IsArray(one);
        for (const cJSON *item = listed ? one->child : one; item; item = listed ? item->next : NULL)
            if (!cJSON_IsNumber(item) || item->valuedouble != 1)
                fail(writer, STATUS_UNSUPPORTED, ones[i], "is not 1, which quire lacks");
    }
    // The chosen of at most a thousand shares of 1 come to more.
    if (number_or(writer, json, "moe_norm_min", 0) > 1e-4)
        fail(writer, STATUS_UNSUPPORTED, "moe_norm_min", "is above 0.0001, which quire lacks");
    if (strcmp(string_or(writer, json, "qk_norm_type", "per_layer"), "per_layer") != 0)
        fail(writer, STATUS_UNSUPPORTED, "qk_norm_type", "is not per_layer, which quire lacks");
    if (!strcmp(string_or(writer, json, "use_bidirectional_attention", ""), "all"))
        fail(writer, STATUS_UNSUPPORTED, "use_bidirectional_attention",
             "is \"all\", which quire lacks");
    const int64_t vocabulary = count_of(writer, "vocab_size", 0);
    if (count_of(writer, "vocab_size_per_layer_input", vocabulary) != vocabulary)
        fail(writer, STATUS_UNSUPPORTED, "vocab_size_per_layer_input",
             "differs from vocab_size, which quire lacks");
    check_activation(writer);
}

// Before all else: what else is amiss follows from it.
static void refuse_quantized(struct writer *writer, const cJSON *json) {
    static const char *const keys[] = {"quantization_config", "quantization"};
    const char *method = string_or(writer, get(writer, json, keys[0]), "quant_method", "");
    const char *known = writer->family->quantized;
    for (size_t i = known && !strcmp(known, method); i < sizeof keys / sizeof keys[0]; i++)
        if (cJSON_IsObject(get(writer, json, keys[i])))
            fail(writer, STATUS_UNSUPPORTED, keys[i],
                 "says that the weights are quantized, and of folders quire reads F32, F16 and "
                 "BF16 alone; a GGUF file of the model may hold quantized ones");
}

// An absent feature: null, false, 0, "" or nothing listed.
static bool is_unset(const cJSON *item) {
    return cJSON_IsNull(item) || cJSON_IsFalse(item) ||
           (cJSON_IsNumber(item) && item->valuedouble == 0) ||
           (cJSON_IsString(item) && !item->valuestring[0]) ||
           (!cJSON_IsNumber(item) && !cJSON_IsString(item) && !cJSON_IsTrue(item) && !item->child);
}

// Of the object, each key that nobody reads must be known to change no answer, or be off. A name
// that begins with _ is the library's own, and what drops out does so in training.
static void refuse_unread(struct writer *writer, const cJSON *object) {
    const cJSON *item;
    if (!cJSON_IsObject(object)) return;
    cJSON_ArrayForEach(item, object) {
        if (is_unset(item) || item->string[0] == '_' || strstr(item->string, "dropout") ||
            folder_key_is_harmless(item->string) ||
            is_among(writer->read, writer->read_count, item->string))
            continue;
        fail(writer, STATUS_UNSUPPORTED, item->string,
             "may change the answers, and quire does not know how");
    }
}

// Which layers have a window, as 1: by their types, or by a pattern that repeats, "LLLG", or by
// that each so many-th has none. Returns how many are listed so; 0: nothing is.
static int32_t read_slides(struct writer *writer, int32_t *slides) {
    const cJSON *types = get(writer, writer->json, "layer_types"), *item;
    const char *letters = string_or(writer, writer->json, "sliding_window_pattern", "");
    const int64_t period = letters[0] ? 0 : count_of(writer, "sliding_window_pattern", 0);
    const int64_t layers = count_of(writer, "num_hidden_layers", -1);
    int32_t count = 0;
    if (layers > MODEL_MAX_LAYERS || cJSON_GetArraySize(types) > MODEL_MAX_LAYERS)
        fail(writer, STATUS_BAD_FILE, "num_hidden_layers", "is out of range");
    if (writer->status != STATUS_OK) return 0;
    cJSON_ArrayForEach(item, types) {
        const char *type = cJSON_IsString(item) ? item->valuestring : "";
        slides[count] = !strcmp(type, "sliding_attention");
        if (!slides[count++] && strcmp(type, "full_attention") != 0)
            fail(writer, STATUS_UNSUPPORTED, "layer_types", "has a kind of layer that quire lacks");
    }
    for (; !types && (letters[0] || period > 0) && count < layers; count++)
        slides[count] = letters[0] ? letters[(size_t)count % strlen(letters)] == 'L'
                                   : (count + 1) % period != 0;
    return count;
}

// Newer files have figures of layers without a window layer by layer: {"5": {"head_dim": 16}}.
static int64_t global_count(struct writer *writer, const char *key, const char *own,
                            int64_t otherwise) {
    const cJSON *layers = get(writer, writer->json, "per_layer_config");
    const cJSON *item = layers ? get(writer, layers->child, own) : NULL;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
    if (!item) return count_of(writer, key, otherwise);
    if (!(value >= 0 && value <= MODEL_MAX_DIM) || floor(value) != value)
        fail(writer, STATUS_BAD_FILE, "per_layer_config", "is out of range");
    return writer->status == STATUS_OK ? (int64_t)value : 1;
}

// Each layer without a window is listed there, and all have the same.
static void check_own_figures(struct writer *writer, const int32_t *slides, int32_t layers) {
    const cJSON *all = get(writer, writer->json, "per_layer_config");
    const cJSON *first = all ? all->child : NULL;
    char name[16];
    int listed = 0;
    for (int32_t i = 0; i < layers && all; i++) {
        snprintf(name, sizeof name, "%d", (int)i);
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(all, name);
        listed += item != NULL;
        if ((item == NULL) != (slides[i] != 0) || (item && !cJSON_Compare(item, first, true)))
            fail(writer, STATUS_UNSUPPORTED, "per_layer_config",
                 "is not alike for the layers without a window, and them alone");
    }
    if (listed != cJSON_GetArraySize(all))
        fail(writer, STATUS_BAD_FILE, "per_layer_config", "has layers that there are not");
    refuse_unread(writer, first);
}

// What layers with a window have, and what others; each layer's own where there is one list.
static void translate_mixed(struct writer *writer, const int32_t *slides, int32_t layers) {
    const cJSON *json = writer->json;
    const int64_t size = count_of(writer, "head_dim", -1);
    const int64_t global_size = global_count(writer, "global_head_dim", "head_dim", 0);
    const int64_t heads = count_of(writer, "num_key_value_heads", -1);
    const int64_t global_heads =
        cJSON_IsTrue(get(writer, json, "attention_k_eq_v"))
            ? global_count(writer, "num_global_key_value_heads", "num_key_value_heads", heads)
            : heads;
    check_own_figures(writer, slides, layers);
    const int64_t ffn = count_of(writer, "intermediate_size", -1);
    const int64_t own = layers - count_of(writer, "num_kv_shared_layers", 0);
    const int64_t wide = cJSON_IsTrue(get(writer, json, "use_double_wide_mlp")) ? 2 * ffn : ffn;
    int32_t kv[MODEL_MAX_LAYERS], ffns[MODEL_MAX_LAYERS];
    ASSERT(layers >= 0 && layers <= MODEL_MAX_LAYERS);
    if (wide > INT32_MAX) fail(writer, STATUS_BAD_FILE, "intermediate_size", "is out of range");
    for (int32_t i = 0; i < layers && writer->status == STATUS_OK; i++) {
        kv[i] = (int32_t)(slides[i] ? heads : global_heads);
        ffns[i] = (int32_t)(i < own ? ffn : wide);
    }
    if (writer->status != STATUS_OK) return;
    put_int(writer, "attention.key_length", global_size);
    put_int(writer, "attention.value_length", global_size);
    put_int(writer, "attention.key_length_swa", size);
    put_int(writer, "attention.value_length_swa", size);
    put_list(writer, "attention.head_count_kv", kv, layers);
    put_list(writer, "feed_forward_length", ffns, layers);
}

// The width that a feed-forward was asked for is that of a plain one with as many weights.
static double adjusted_width(struct writer *writer) {
    const cJSON *json = writer->json;
    const double asked = number_or(writer, json, "intermediate_size", 0);
    double width = number_or(writer, json, "block_ff_dim", asked);
    const double times = number_or(writer, json, "block_ffn_dim_multiplier", 1);
    const double unit = number_or(writer, json, "block_multiple_of", 256);
    if (cJSON_IsFalse(get(writer, json, "block_auto_adjust_ff_dim"))) return width;
    if (writer->family->layer.ffn.kind == FFN_EXPERTS) return width; // is what it is
    width = floor(floor(2 * width / 3) * times);
    return unit >= 1 ? unit * ceil(width / unit) : -1;
}

// Layers that attend are listed by what each is, or by their numbers; the others have no KV heads.
static void translate_convolutions(struct writer *writer) {
    const cJSON *json = writer->json, *item;
    const cJSON *types = get(writer, json, "layer_types"),
                *numbers = get(writer, json, "full_attn_idxs");
    const int64_t layers = count_of(writer, "num_hidden_layers", -1);
    const int32_t heads = (int32_t)count_of(writer, "num_key_value_heads", -1);
    const double width = adjusted_width(writer);
    int32_t kv[MODEL_MAX_LAYERS] = {0}, count = 0;
    if (layers > MODEL_MAX_LAYERS || (types && cJSON_GetArraySize(types) != layers))
        fail(writer, STATUS_BAD_FILE, "num_hidden_layers", "is out of range");
    if (!(width >= 1 && width < 0x1p31))
        fail(writer, STATUS_BAD_FILE, "block_ff_dim", "is out of range");
    if (writer->status != STATUS_OK) return;
    const cJSON *listed = types ? types : numbers;
    cJSON_ArrayForEach(item, listed) {
        const char *type = cJSON_IsString(item) ? item->valuestring : "";
        const double at = types ? count++ : cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(at >= 0 && at < (double)layers) || floor(at) != at)
            fail(writer, STATUS_BAD_FILE, "full_attn_idxs", "is out of range");
        else if (!types || !strcmp(type, "full_attention"))
            kv[(int32_t)at] = heads;
        else if (strcmp(type, "conv") != 0)
            fail(writer, STATUS_UNSUPPORTED, "layer_types", "has a kind of layer that quire lacks");
    }
    put_list(writer, "attention.head_count_kv", kv, (int32_t)layers);
    put_int(writer, "feed_forward_length", (int64_t)width);
}

static void translate_windows(struct writer *writer) {
    const cJSON *json = writer->json;
    int32_t slides[MODEL_MAX_LAYERS];
    if (writer->mixed || get(writer, json, "layer_types") ||
        get(writer, json, "sliding_window_pattern")) {
        const int32_t count = read_slides(writer, slides);
        if (writer->status != STATUS_OK) return;
        put_list(writer, "attention.sliding_window_pattern", slides, count);
        if (writer->mixed) translate_mixed(writer, slides, count);
    }
    if (number_or(writer, json, "sliding_window", 0) > 0 &&
        !cJSON_IsFalse(get(writer, json, "use_sliding_window")))
        put_int(writer, "attention.sliding_window", count_of(writer, "sliding_window", 0));
}

static void translate_no_rope(struct writer *writer) {
    int32_t rotated[MODEL_MAX_LAYERS], count = 0;
    const cJSON *list = get(writer, writer->json, "no_rope_layers"), *item;
    if (cJSON_GetArraySize(list) > MODEL_MAX_LAYERS)
        fail(writer, STATUS_BAD_FILE, "no_rope_layers", "has too many layers");
    if (!list || writer->status != STATUS_OK) return;
    cJSON_ArrayForEach(item, list) rotated[count++] =
        cJSON_IsNumber(item) && item->valuedouble != 0;
    put_list(writer, "no_rope_layers", rotated, count);
}

// [pairs] divisors, owned by the caller.
static float *factors_of(struct writer *writer, const cJSON *scaling, const char *key,
                         int32_t pairs) {
    const cJSON *list = get(writer, scaling, key), *item;
    ASSERT(pairs >= 0 && pairs <= MODEL_MAX_HEAD_SIZE / 2);
    float *factors = calloc((size_t)pairs + 1, sizeof *factors);
    int32_t count = 0;
    if (!factors) writer->status = STATUS_NO_MEMORY;
    cJSON_ArrayForEach(item, list) {
        if (factors && count < pairs && cJSON_IsNumber(item))
            factors[count] = (float)item->valuedouble;
        count++;
    }
    if (count != pairs)
        fail(writer, STATUS_BAD_FILE, key, "has not one factor for each rotated pair");
    return factors;
}

// Llama 3 leaves fast pairs, divides slow ones by the factor and blends in between, by how many
// turns a pair makes over the original context.
static float *llama3_divisors(struct writer *writer, const cJSON *scaling, double base,
                              int32_t pairs) {
    static const double PI = 3.14159265358979323846;
    const double factor = number_or(writer, scaling, "factor", 0);
    const double low = number_or(writer, scaling, "low_freq_factor", 0);
    const double high = number_or(writer, scaling, "high_freq_factor", 0);
    const double original = number_or(writer, scaling, "original_max_position_embeddings", 0);
    float *divisors = calloc((size_t)pairs + 1, sizeof *divisors);
    if (!divisors) writer->status = STATUS_NO_MEMORY;
    if (!(factor > 0 && low > 0 && high > low && original > 0 && base > 0)) {
        fail(writer, STATUS_BAD_FILE, "rope_scaling", "of type llama3 lacks a factor");
        return divisors;
    }
    for (int32_t i = 0; divisors && i < pairs; i++) {
        const double turns = original * pow(base, -1.0 * i / pairs) / (2 * PI);
        const double blend = fmin(fmax((turns - low) / (high - low), 0), 1);
        divisors[i] = (float)(1 / ((1 - blend) / factor + blend));
    }
    return divisors;
}

static void translate_yarn(struct writer *writer, const cJSON *scaling) {
    static const struct line lines[] = {
        {"factor", "rope.scaling.factor"},
        {"original_max_position_embeddings", "rope.scaling.original_context_length"},
        {"beta_fast", "rope.scaling.yarn_beta_fast"},
        {"beta_slow", "rope.scaling.yarn_beta_slow"},
        {"llama_4_scaling_beta", "attention.temperature_scale"},
    };
    const double factor = number_or(writer, scaling, "factor", 1);
    const double given = number_or(writer, scaling, "attention_factor", 0);
    put_text(writer, "rope.scaling.type", "yarn");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const double value = number_or(writer, scaling, lines[i].theirs, -1);
        if (value >= 0) put_number(writer, lines[i].ours, value);
    }
    const double some = number_or(writer, scaling, "mscale", 0); // of no effect without the other
    const double all = number_or(writer, scaling, "mscale_all_dim", 0);
    const double stretch = factor > 1 ? 0.1 * log(factor) : 0;
    if (writer->family->latent) {
        if (given > 0 || some != all)
            fail(writer, STATUS_UNSUPPORTED, "rope_scaling",
                 "has an attention_factor, or a mscale other than mscale_all_dim");
        put_float(writer, "rope.scaling.yarn_log_multiplier", 0.1 * all);
        return;
    }
    const double whole = given > 0 ? given : (1 + some * stretch) / (1 + all * stretch);
    if (given > 0 || (some > 0 && all > 0)) // what it is multiplied with there is taken off here
        put_float(writer, "rope.scaling.attn_factor", whole / (1 + stretch));
    const bool exact = cJSON_IsFalse(get(writer, scaling, "truncate"));
    if (exact != writer->family->layer.attention.rope.exact_yarn)
        fail(writer, STATUS_UNSUPPORTED, "rope_scaling", "is a form of yarn that quire lacks");
}

static void translate_longrope(struct writer *writer, const cJSON *scaling,
                               struct folder_config *config) {
    const double context = (double)count_of(writer, "max_position_embeddings", -1);
    const double original =
        number_or(writer, writer->json, "original_max_position_embeddings",
                  number_or(writer, scaling, "original_max_position_embeddings", context));
    const double ratio = number_or(writer, scaling, "factor", context / original);
    double attention = number_or(writer, scaling, "attention_factor", 0);
    if (attention <= 0) attention = ratio > 1 ? sqrt(1 + log(ratio) / log(fmax(original, 2))) : 1;
    if (!(original >= 1 && original < 0x1p31 && isfinite(attention)))
        fail(writer, STATUS_BAD_FILE, "original_max_position_embeddings", "is out of range");
    put_text(writer, "rope.scaling.type", "longrope");
    put_number(writer, "rope.scaling.original_context_length", floor(original));
    put_float(writer, "rope.scaling.attn_factor", attention);
    config->rope_short = factors_of(writer, scaling, "short_factor", config->pairs);
    config->rope_long = factors_of(writer, scaling, "long_factor", config->pairs);
}

// A share of the pairs turns, by angles of the whole head; others are said to turn by next to
// nothing, as files of GGUF say it.
static void translate_proportional(struct writer *writer, const cJSON *scaling, double share,
                                   struct folder_config *config) {
    static const float STILL = 1e30f;
    const int32_t turning = (int32_t)(share * config->pairs);
    const double factor = number_or(writer, scaling, "factor", 1);
    config->rope_freqs = calloc((size_t)config->pairs + 1, sizeof *config->rope_freqs);
    if (!config->rope_freqs) writer->status = STATUS_NO_MEMORY;
    if (!(factor > 0)) fail(writer, STATUS_BAD_FILE, "factor", "is out of range");
    for (int32_t i = 0; config->rope_freqs && i < config->pairs; i++)
        config->rope_freqs[i] = i < turning ? (float)factor : STILL;
}

static void translate_scaling(struct writer *writer, const cJSON *scaling, double base,
                              struct folder_config *config) {
    static const char *const of_none[] = {"factor", "beta_fast", "beta_slow", "mscale",
                                          "mscale_all_dim"};
    const char *type =
        string_or(writer, scaling, "rope_type", string_or(writer, scaling, "type", "default"));
    // Of text, all three positions that mrope rotates by are the token's. A dynamic one begins
    // where the context ends, but for its alpha, which is part of the base.
    if (!strcmp(type, "default") || !strcmp(type, "mrope")) return;
    for (size_t i = 0; i < sizeof of_none / sizeof of_none[0] && !strcmp(type, "dynamic"); i++)
        get(writer, scaling, of_none[i]);
    if (!strcmp(type, "dynamic")) return;
    if (!strcmp(type, "linear")) {
        put_text(writer, "rope.scaling.type", "linear");
        put_number(writer, "rope.scaling.factor", number_or(writer, scaling, "factor", 0));
    } else if (!strcmp(type, "yarn")) {
        translate_yarn(writer, scaling);
    } else if (!strcmp(type, "llama3")) {
        config->rope_freqs = llama3_divisors(writer, scaling, base, config->pairs);
    } else if (!strcmp(type, "longrope") || !strcmp(type, "su")) {
        translate_longrope(writer, scaling, config);
    } else {
        fail(writer, STATUS_UNSUPPORTED, "rope_scaling",
             "is none of default, linear, dynamic, yarn, llama3, longrope");
    }
}

// Newer files have all of it in rope_parameters, by kinds of layers where these differ.
static void translate_rope(struct writer *writer, struct folder_config *config) {
    const cJSON *json = writer->json, *all = get(writer, json, "rope_parameters");
    const cJSON *global =
        get(writer, all, "full_attention") ? get(writer, all, "full_attention") : all;
    const cJSON *scaling = global ? global : get(writer, json, "rope_scaling");
    const double theta =
        number_or(writer, global, "rope_theta", number_or(writer, json, "rope_theta", 10000));
    const double local = number_or(writer, get(writer, all, "sliding_attention"), "rope_theta",
                                   number_or(writer, json, "rope_local_base_freq", 0));
    const int64_t heads = count_of(writer, "num_attention_heads", -1);
    const int64_t dim = count_of(writer, "hidden_size", -1);
    const int64_t alike = writer->family->latent
                              ? count_of(writer, "qk_rope_head_dim", -1)
                              : count_of(writer, "head_dim", heads > 0 ? dim / heads : 1);
    const int64_t size = global_count(writer, "global_head_dim", "head_dim", alike);
    const bool proportional = !strcmp(string_or(writer, scaling, "rope_type", ""), "proportional");
    const double turning = number_or(writer, json, "rotary_dim", 0);
    const double share =
        number_or(writer, json, "partial_rotary_factor",
                  number_or(writer, global, "partial_rotary_factor",
                            turning > 0 ? turning / (double)(size > 0 ? size : 1) : 1));
    const bool dynamic = !strcmp(
        string_or(writer, scaling, "rope_type", string_or(writer, scaling, "type", "")), "dynamic");
    const double alpha = dynamic ? number_or(writer, scaling, "alpha", 0) : 0;
    const double base =
        alpha > 0 && size > 2 ? theta * pow(alpha, (double)size / (double)(size - 2)) : theta;
    if (!(share > 0 && share <= 1) || size < 2 || size > MODEL_MAX_HEAD_SIZE) {
        fail(writer, STATUS_BAD_FILE, "head_dim", "or partial_rotary_factor is out of range");
        return;
    }
    const int32_t rotated = (int32_t)((double)size * (proportional ? 1 : share));
    config->pairs = rotated / 2;
    put_float(writer, "rope.freq_base", base);
    put_int(writer, "rope.dimension_count", rotated);
    if (local > 0) put_float(writer, "rope.freq_base_swa", local);
    if (writer->mixed && !proportional)
        fail(writer, STATUS_UNSUPPORTED, "rope_parameters", "are none that quire has for it");
    if (proportional)
        translate_proportional(writer, scaling, share, config);
    else if (cJSON_IsObject(scaling))
        translate_scaling(writer, scaling, base, config);
}

enum status folder_config_family(const cJSON *json, const char *path, const struct family **family,
                                 struct error *err) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "model_type");
    const char *type = cJSON_IsString(item) ? item->valuestring : "";
    char names[FAMILY_LIST_BYTES], model_types[FAMILY_LIST_BYTES];
    const struct family *found = family_of_model_type(type);
    if (found) {
        *family = found;
        return STATUS_OK;
    }
    family_list(names, model_types);
    return error_set(err, STATUS_UNSUPPORTED,
                     "%s: model_type is \"%.40s\"; of folders quire knows %s",
                     mapped_file_shown(path), type, model_types);
}

static cJSON *defaults_of(struct writer *writer) {
    const struct folder_default *one = writer->family->defaults;
    cJSON *object = cJSON_CreateObject();
    bool whole = object != NULL;
    for (; one && one->key && whole; one++)
        whole = cJSON_AddNumberToObject(object, one->key, one->value) != NULL;
    if (!whole && writer->status == STATUS_OK) writer->status = STATUS_NO_MEMORY;
    return object;
}

enum status folder_config_read(const cJSON *json, const struct family *family, const char *path,
                               struct text *gguf, struct folder_config *config, struct error *err) {
    static const unsigned char head[24] = {'G', 'G', 'U', 'F', 3}; // then two counts, of 64 bits
    static const char *const of_rope[] = {"rope_scaling", "rope_parameters"};
    struct writer writer = {.json = json, .path = path, .family = family, .out = gguf, .err = err};
    const cJSON *text_part = get(&writer, json, "text_config");
    ASSERT(gguf->length == 0);
    refuse_quantized(&writer, json);
    if (family->multimodal && text_part) writer.json = text_part;
    const cJSON *outer = get(&writer, json, "tie_word_embeddings");
    const cJSON *inner = get(&writer, writer.json, "tie_word_embeddings");
    const cJSON *tied = outer ? outer : inner ? inner : get(&writer, writer.json, "tie_embedding");
    *config = (struct folder_config){.tied = tied ? cJSON_IsTrue(tied) : family->tied};
    writer.defaults = defaults_of(&writer);
    writer.mixed = get(&writer, writer.json, "global_head_dim") != NULL ||
                   get(&writer, writer.json, "per_layer_config") != NULL;
    put(&writer, head, sizeof head);
    put_text(&writer, ".general.architecture", family->name);
    if (!family->interleaved_folder) put_flag(&writer, ".quire.rotary_halves", true);
    translate_numbers(&writer);
    (convolves(&writer) ? translate_convolutions : translate_windows)(&writer);
    translate_no_rope(&writer);
    translate_router(&writer);
    check_mlp_types(&writer);
    if (count_of(&writer, "num_nextn_predict_layers", 0) > 0)
        config->draft_layer = (int32_t)count_of(&writer, "num_hidden_layers", -1);
    translate_rope(&writer, config);
    refuse_other_values(&writer);
    for (size_t i = 0; i < sizeof of_rope / sizeof of_rope[0]; i++) {
        const cJSON *rope = get(&writer, writer.json, of_rope[i]);
        refuse_unread(&writer, rope);
        refuse_unread(&writer, get(&writer, rope, "full_attention"));
        refuse_unread(&writer, get(&writer, rope, "sliding_attention"));
    }
    refuse_unread(&writer, writer.json);
    refuse_unread(&writer, json);
    if (writer.status == STATUS_OK) memcpy(gguf->bytes + 16, &writer.keys, sizeof writer.keys);
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
