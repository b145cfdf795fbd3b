#include "engine/model/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A new family that fits this forward pass is a line here and a golden model in tests/golden.
// Mistral's and Mixtral's files say that they are llama's.
#define FAMILY_MAP(X)                                                                              \
    X("llama", .interleaved_rope = true, .experts = true, .windowed = true)                        \
    X("qwen2", .qkv_bias = true)                                                                   \
    X("qwen3", .qk_norm = QK_NORM_HEAD)                                                            \
    X("qwen3moe", .qk_norm = QK_NORM_HEAD, .experts = true)                                        \
    X("phi3", .fused = true, .windowed = true)                                                     \
    X("gemma", .act = ACT_GELU, .scaled_embedding = true)                                          \
    X("gemma2", .act = ACT_GELU, .scaled_embedding = true, .post_norm = true, .windowed = true,    \
      .global_period = 2, .usual_window = 4096, .usual_attention_softcap = 50.0f,                  \
      .usual_logit_softcap = 30.0f, .wide_scale_layers = 46)                                       \
    X("gemma3", .act = ACT_GELU, .scaled_embedding = true, .post_norm = true,                      \
      .qk_norm = QK_NORM_HEAD, .windowed = true, .global_period = 6, .window_rope_base = 10000.0f, \
      .wide_scale_layers = 62)                                                                     \
    X("gemma4", .act = ACT_GELU, .scaled_embedding = true, .post_norm = true,                      \
      .qk_norm = QK_NORM_HEAD, .windowed = true, .window_rope_base = 10000.0f, .experts = true,    \
      .mixed_layers = true, .value_norm = true, .unscaled = true, .pair_divisors = true,           \
      .layer_gains = true, .dense_beside = true, .other_senses = true)                             \
    X("smollm3", .interleaved_rope = true, .still_period = 4)                                      \
    X("olmo2", .no_pre_norm = true, .post_norm = true, .qk_norm = QK_NORM_WIDTH)                   \
    X("granite", .interleaved_rope = true)                                                         \
    X("granitemoe", .interleaved_rope = true, .experts = true)                                     \
    X("gpt-oss", .qkv_bias = true, .output_bias = true, .ffn_norm = "post_attention_norm",         \
      .act = ACT_CLAMPED, .experts = true, .expert_bias = true, .sinks = true, .windowed = true,   \
      .global_period = 2, .exact_yarn = true)

#define FAMILY_ROW(family_name, ...) {.name = family_name, __VA_ARGS__},
static const struct family families[] = {FAMILY_MAP(FAMILY_ROW)};
#undef FAMILY_ROW

#define FAMILY_NAME(family_name, ...) ", " family_name
static const char names[] = FAMILY_MAP(FAMILY_NAME);
#undef FAMILY_NAME

const struct family *family_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strlen(families[i].name) == length && !memcmp(families[i].name, name, length))
            return &families[i];
    return NULL;
}

// Those that people bring and that this forward pass cannot be: what they are, for the refusal.
static const char *kind_of(const char *name, size_t length) {
    static const struct {
        const char *begin, *kind;
    } kinds[] = {
        {"mamba", "a recurrent model"},
        {"rwkv", "a recurrent model"},
        {"arwkv", "a recurrent model"},
        {"jamba", "a hybrid of attention and recurrence"},
        {"granitehybrid", "a hybrid of attention and recurrence"},
        {"falcon-h1", "a hybrid of attention and recurrence"},
        {"nemotron_h", "a hybrid of attention and recurrence"},
        {"plamo2", "a hybrid of attention and recurrence"},
        {"lfm2", "a hybrid of attention and convolution"},
        {"qwen3next", "a hybrid of attention and recurrence"},
        {"qwen35", "a hybrid of attention and recurrence"},
        {"kimi-linear", "a hybrid of attention and recurrence"},
        {"clip", "the vision part of a model, not a model of text"},
        {"mllama", "a vision model"},
        {"qwen2vl", "a vision model"},
        {"qwen3vl", "a vision model"},
        {"cogvlm", "a vision model"},
        {"bert", "an embedding model"},
        {"nomic-bert", "an embedding model"},
        {"modern-bert", "an embedding model"},
        {"gemma-embedding", "an embedding model"},
        {"t5", "a model with an encoder"},
        {"gemma3n", "a model whose layers share keys and have embeddings of their own"},
        {"deepseek2", "a model of latent attention"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t begin = strlen(kinds[i].begin);
        if (length >= begin && !memcmp(kinds[i].begin, name, begin)) return kinds[i].kind;
    }
    return NULL;
}

const char *family_names(void) { return names + strlen(", "); }

// The keys of one file, all under the family's name, with the first failure kept: so that
// reading twenty of them is twenty lines.
struct reader {
    const struct gguf *gguf;
    const char *family;
    enum status status;
    struct error *err;
};

static const char *full_key(const struct reader *reader, const char *key, char text[128]) {
    snprintf(text, 128, "%s.%s", reader->family, key);
    return text;
}

static void fail(struct reader *reader, enum status status, const char *key, const char *what) {
    if (reader->status != STATUS_OK) return;
    reader->status = error_set(reader->err, status, "%s: %s.%s %s", gguf_path(reader->gguf),
                               reader->family, key, what);
}

static bool has_int(const struct reader *reader, const char *key, int64_t *value) {
    char name[128];
    return gguf_find_int(reader->gguf, full_key(reader, key, name), value);
}

// A whole number in 1 … most; `otherwise` when the key is absent, 0: it must be there.
static int32_t read_int(struct reader *reader, const char *key, int32_t otherwise, int32_t most) {
    int64_t value = otherwise;
    const bool found = has_int(reader, key, &value);
    char name[128];
    struct gguf_array array;
    if (!found && gguf_find_array(reader->gguf, full_key(reader, key, name), &array))
        fail(reader, STATUS_UNSUPPORTED, key, "differs from layer to layer, which quire lacks");
    else if (!found && otherwise == 0)
        fail(reader, STATUS_BAD_FILE, key, "is missing");
    else if (value < 1 || value > most)
        fail(reader, STATUS_BAD_FILE, key, "is out of range");
    return reader->status == STATUS_OK ? (int32_t)value : 1;
}

static float read_float(struct reader *reader, const char *key, float otherwise) {
    double value = (double)otherwise;
    char name[128];
    const bool found = gguf_find_float(reader->gguf, full_key(reader, key, name), &value);
    if (!found && otherwise == 0.0f) fail(reader, STATUS_BAD_FILE, key, "is missing");
    if (!isfinite(value) || value < 0 || value > 1e12)
        fail(reader, STATUS_BAD_FILE, key, "is out of range");
    return reader->status == STATUS_OK ? (float)value : 1.0f;
}

// 0 where the key is absent.
static float read_optional(struct reader *reader, const char *key, float otherwise) {
    char name[128];
    double value;
    if (!gguf_find_float(reader->gguf, full_key(reader, key, name), &value)) return otherwise;
    return value == 0 ? 0 : read_float(reader, key, 1.0f);
}

static enum rope_scaling read_scaling(struct reader *reader) {
    struct gguf_string type;
    char name[128];
    if (!gguf_find_string(reader->gguf, full_key(reader, "rope.scaling.type", name), &type))
        return ROPE_PLAIN;
    static const struct {
        const char *name;
        enum rope_scaling scaling;
    } known[] = {{"none", ROPE_PLAIN},
                 {"linear", ROPE_LINEAR},
                 {"yarn", ROPE_YARN},
                 {"longrope", ROPE_LONG}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == type.length && !memcmp(known[i].name, type.bytes, type.length))
            return known[i].scaling;
    fail(reader, STATUS_UNSUPPORTED, "rope.scaling.type",
         "is none of none, linear, yarn, longrope");
    return ROPE_PLAIN;
}

static bool has_float(const struct reader *reader, const char *key) {
    char name[128];
    double value;
    return gguf_find_float(reader->gguf, full_key(reader, key, name), &value);
}

// Granite's files say by this key that a model was trained without rotation.
static bool is_still(const struct reader *reader) {
    char name[128];
    bool finetuned;
    return gguf_find_bool(reader->gguf, full_key(reader, "rope.scaling.finetuned", name),
                          &finetuned) &&
           !finetuned && strncmp(reader->family, "granite", strlen("granite")) == 0;
}

static struct rope read_rope(struct reader *reader, const struct model_config *config) {
    struct rope rope = {
        .base = read_float(reader, "rope.freq_base", 10000.0f),
        .dimensions =
            read_int(reader, "rope.dimension_count", config->head_size, config->head_size),
        .scaling = read_scaling(reader),
        .factor = 1.0f,
        .attention_factor = 1.0f,
        .exact_yarn = config->family->exact_yarn,
    };
    if (rope.dimensions % 2) fail(reader, STATUS_BAD_FILE, "rope.dimension_count", "is odd");
    if (rope.base < 1.0f) fail(reader, STATUS_BAD_FILE, "rope.freq_base", "is below 1");
    rope.original_context = read_int(reader, "rope.scaling.original_context_length",
                                     config->context, FAMILY_MAX_CONTEXT);
    // Phi-3's files have factors and say what cosine and sine are multiplied by; no type.
    if (has_float(reader, "rope.scaling.attn_factor") && rope.scaling == ROPE_PLAIN)
        rope.scaling = ROPE_LONG;
    if (rope.scaling == ROPE_LONG)
        rope.attention_factor = read_float(reader, "rope.scaling.attn_factor", 1.0f);
    if (rope.scaling == ROPE_PLAIN || rope.scaling == ROPE_LONG) return rope;
    rope.factor = read_float(reader, "rope.scaling.factor", 0.0f);
    if (rope.factor < 1e-3f) fail(reader, STATUS_BAD_FILE, "rope.scaling.factor", "is about zero");
    if (rope.scaling == ROPE_LINEAR) return rope;
    rope.attention_factor = read_float(reader, "rope.scaling.attn_factor", 1.0f);
    rope.attention_factor *= read_float(reader, "rope.scaling.yarn_attn_factor", 1.0f);
    rope.beta_fast = read_float(reader, "rope.scaling.yarn_beta_fast", 32.0f);
    rope.beta_slow = read_float(reader, "rope.scaling.yarn_beta_slow", 1.0f);
    return rope;
}

// What other families keep under the same names, and what would change the answer if ignored.
static void refuse_unknown_features(struct reader *reader) {
    static const char *const features[] = {
        "attention.clamp_kqv",
        "pooling_type",
        "expert_shared_count",
        "expert_shared_feed_forward_length",
        "expert_group_count",
        "leading_dense_block_count",
        "attention.temperature_scale",
        "attention.temperature_length",
        "swiglu_clamp_exp",
        "interleave_moe_layer_step",
    };
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        char name[128];
        double value;
        if (gguf_find_float(reader->gguf, full_key(reader, features[i], name), &value) &&
            value != 0)
            fail(reader, STATUS_UNSUPPORTED, features[i], "is set, which quire lacks");
    }
}

// Within its window, sliding attention is full attention: where it is not known which layers have
// it, a shorter context is exact. Where some layers have one and others none, nothing but the
// window tells what they are.
static void read_window(struct reader *reader, struct model_config *config) {
    static const char key[] = "attention.sliding_window";
    const struct family *family = config->family;
    const bool apart = family->window_rope_base != 0.0f; // those layers turn otherwise
    int64_t window = 0;
    if (family->global_period || family->mixed_layers)
        window = read_int(reader, key, family->usual_window, FAMILY_MAX_CONTEXT);
    else if (!has_int(reader, key, &window) || window == 0)
        return;
    const bool in_range = window > 0 && window <= FAMILY_MAX_CONTEXT;
    if (family->windowed && !in_range) fail(reader, STATUS_BAD_FILE, key, "is out of range");
    if (!in_range || (window >= config->context && !apart)) return;
    if (family->windowed)
        config->window = (int32_t)window;
    else
        config->context = (int32_t)window;
}

// Layers with a window turn by a base of their own, and nothing stretches their context.
static void read_window_rope(struct reader *reader, struct model_config *config) {
    config->window_rope = config->rope;
    const float base = config->family->window_rope_base;
    if (base == 0.0f) return;
    config->window_rope = (struct rope){
        .base = read_float(reader, "rope.freq_base_swa", base),
        .dimensions = config->family->mixed_layers
                          ? read_int(reader, "rope.dimension_count_swa", config->window_head_size,
                                     config->window_head_size)
                          : config->rope.dimensions,
        .factor = 1.0f,
        .attention_factor = 1.0f,
    };
    if (config->window_rope.dimensions % 2)
        fail(reader, STATUS_BAD_FILE, "rope.dimension_count_swa", "is odd");
    if (config->window_rope.base < 1.0f)
        fail(reader, STATUS_BAD_FILE, "rope.freq_base_swa", "is below 1");
}

static void read_scales(struct reader *reader, struct model_config *config) {
    model_config_set_scales(config);
    config->attention_scale = read_float(reader, "attention.scale", config->attention_scale);
    config->attention_softcap =
        read_optional(reader, "attn_logit_softcapping", config->family->usual_attention_softcap);
    config->logit_softcap =
        read_optional(reader, "final_logit_softcapping", config->family->usual_logit_softcap);
    config->embedding_scale = read_float(reader, "embedding_scale", config->embedding_scale);
    config->residual_scale = read_float(reader, "residual_scale", 1.0f);
    const float divisor = read_float(reader, "logit_scale", 1.0f);
    const float scales[] = {config->attention_scale, config->embedding_scale,
                            config->residual_scale, divisor};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        if (!(scales[i] > 1e-9f && scales[i] < 1e9f))
            fail(reader, STATUS_BAD_FILE, "a scale of it", "is out of range");
    config->logit_scale = 1 / divisor;
}

// Shares are the softmax of the chosen scores: of all scores (1) and then made to add up to one,
// or of the chosen ones (3), which is the same.
static void check_routing(struct reader *reader) {
    int64_t gating;
    bool normed;
    char name[128];
    if (has_int(reader, "expert_gating_func", &gating) && gating != 1 && gating != 3)
        fail(reader, STATUS_UNSUPPORTED, "expert_gating_func", "is no softmax, which quire lacks");
    if (gguf_find_bool(reader->gguf, full_key(reader, "expert_weights_norm", name), &normed) &&
        !normed)
        fail(reader, STATUS_UNSUPPORTED, "expert_weights_norm", "is false, which quire lacks");
    const float scale = read_optional(reader, "expert_weights_scale", 0);
    if (scale != 0 && scale != 1)
        fail(reader, STATUS_UNSUPPORTED, "expert_weights_scale", "is set, which quire lacks");
}

static void read_experts(struct reader *reader, struct model_config *config) {
    double count;
    char name[128];
    if (!gguf_find_float(reader->gguf, full_key(reader, "expert_count", name), &count) ||
        count == 0) {
        if (config->family->expert_bias)
            fail(reader, STATUS_BAD_FILE, "expert_count", "is missing");
        return;
    }
    if (!config->family->experts)
        fail(reader, STATUS_UNSUPPORTED, "expert_count", "is set, which quire lacks");
    config->experts = read_int(reader, "expert_count", 0, EXPERTS_MAX);
    config->experts_used = read_int(reader, "expert_used_count", 0, EXPERTS_USED_MAX);
    config->expert_ffn =
        read_int(reader, "expert_feed_forward_length", config->ffn, FAMILY_MAX_DIM);
    if (config->experts_used > config->experts)
        fail(reader, STATUS_BAD_FILE, "expert_used_count", "is above expert_count");
    check_routing(reader);
}

void model_config_set_scales(struct model_config *config) {
    const struct family *family = config->family;
    const bool wide = family->wide_scale_layers && config->layers == family->wide_scale_layers;
    const int32_t size = wide ? config->dim / config->heads : config->head_size;
    config->attention_scale = family->unscaled ? 1.0f : 1.0f / sqrtf((float)(size > 0 ? size : 1));
    config->embedding_scale = family->scaled_embedding ? sqrtf((float)config->dim) : 1.0f;
    config->residual_scale = config->logit_scale = 1.0f;
    config->interleaved_rope = family->interleaved_rope;
}

bool layer_has_window(const struct model_config *config, int32_t layer) {
    const int32_t period = config->family->global_period;
    if (config->family->mixed_layers) return config->windows[layer];
    return config->window > 0 && !(period && (layer + 1) % period == 0);
}

int32_t layer_kv_heads(const struct model_config *config, int32_t layer) {
    const bool apart = config->family->mixed_layers && config->windows[layer];
    return apart ? config->window_kv_heads : config->kv_heads;
}

int32_t layer_head_size(const struct model_config *config, int32_t layer) {
    const bool apart = config->family->mixed_layers && config->windows[layer];
    return apart ? config->window_head_size : config->head_size;
}

int32_t layer_ffn(const struct model_config *config, int32_t layer) {
    return config->family->mixed_layers ? config->ffns[layer] : config->ffn;
}

// Of those that have their own, the last one of its kind.
int32_t layer_kv_source(const struct model_config *config, int32_t layer) {
    const int32_t own = config->layers - config->shared_kv_layers;
    if (layer < own) return layer;
    for (int32_t i = own - 1; i >= 0; i--)
        if (config->windows[i] == config->windows[layer]) return i;
    return layer;
}

bool layer_is_rotated(const struct model_config *config, int32_t layer) {
    const int32_t period = config->family->still_period;
    return !config->still && !(period && (layer + 1) % period == 0);
}

// One number a layer, whole and at least 0: of a list as long as there are layers, or the same
// one for all.
static void read_list(struct reader *reader, const struct model_config *config, const char *key,
                      int32_t most, int32_t values[FAMILY_MAX_LAYERS]) {
    char name[128];
    struct gguf_array list;
    const bool listed = gguf_find_array(reader->gguf, full_key(reader, key, name), &list);
    const int32_t all = listed ? 0 : read_int(reader, key, 0, most);
    if (listed && (list.count != (size_t)config->layers || list.type == GGUF_STRING ||
                   list.type == GGUF_F32 || list.type == GGUF_F64))
        fail(reader, STATUS_BAD_FILE, key, "is not a whole number for each layer");
    for (int32_t i = 0; i < config->layers && reader->status == STATUS_OK; i++) {
        const int64_t value = listed ? gguf_array_int(&list, (size_t)i) : all;
        if (value < 0 || value > most) fail(reader, STATUS_BAD_FILE, key, "is out of range");
        values[i] = (int32_t)value;
    }
}

// The one number that all layers with a window have, or all without; 0: there are none.
static int32_t of_kind(struct reader *reader, const struct model_config *config, const char *key,
                       const int32_t values[FAMILY_MAX_LAYERS], bool window) {
    int32_t found = 0;
    for (int32_t i = 0; i < config->layers; i++) {
        if (config->windows[i] != window) continue;
        if (values[i] < 1 || (found && values[i] != found))
            fail(reader, STATUS_UNSUPPORTED, key, "differs among layers of one kind");
        found = values[i];
    }
    return found;
}

// Heads of both kinds of layers. Where a kind has none, its heads are as the others'.
static void read_mixed_heads(struct reader *reader, struct model_config *config) {
    static const char heads_key[] = "attention.head_count_kv";
    int32_t heads[FAMILY_MAX_LAYERS];
    read_list(reader, config, heads_key, config->heads, heads);
    if (reader->status != STATUS_OK) return;
    config->kv_heads = of_kind(reader, config, heads_key, heads, false);
    config->window_kv_heads = of_kind(reader, config, heads_key, heads, true);
    if (config->kv_heads == 0) config->kv_heads = config->window_kv_heads;
    if (config->window_kv_heads == 0) config->window_kv_heads = config->kv_heads;
    config->window_head_size =
        read_int(reader, "attention.key_length_swa", config->head_size, FAMILY_MAX_HEAD_SIZE);
    if (read_int(reader, "attention.value_length_swa", config->window_head_size,
                 FAMILY_MAX_HEAD_SIZE) != config->window_head_size)
        fail(reader, STATUS_UNSUPPORTED, "attention.value_length_swa", "differs from keys'");
    if (reader->status == STATUS_OK &&
        (config->heads % config->kv_heads || config->heads % config->window_kv_heads))
        fail(reader, STATUS_BAD_FILE, heads_key, "does not divide head_count");
}

// Every layer that has no keys and values of its own must find some of its kind.
static void read_shared(struct reader *reader, struct model_config *config) {
    static const char key[] = "attention.shared_kv_layers";
    int64_t shared = 0;
    if (!has_int(reader, key, &shared)) return;
    if (shared < 0 || shared >= config->layers)
        fail(reader, STATUS_BAD_FILE, key, "is out of range");
    if (reader->status != STATUS_OK) return;
    config->shared_kv_layers = (int32_t)shared;
    for (int32_t i = config->layers - (int32_t)shared; i < config->layers; i++)
        if (layer_kv_source(config, i) == i)
            fail(reader, STATUS_BAD_FILE, key, "leaves a layer without keys");
}

// What all layers have in common in families of one kind of them.
static void read_alike(struct reader *reader, struct model_config *config) {
    const struct family *family = config->family;
    if (family->mixed_layers) return;
    config->ffn =
        read_int(reader, "feed_forward_length", family->expert_bias ? 1 : 0, FAMILY_MAX_DIM);
    config->kv_heads = read_int(reader, "attention.head_count_kv", config->heads, config->heads);
    if (config->heads % config->kv_heads)
        fail(reader, STATUS_BAD_FILE, "attention.head_count_kv", "does not divide head_count");
}

static void read_mixed_layers(struct reader *reader, struct model_config *config) {
    static const char pattern[] = "attention.sliding_window_pattern";
    int32_t windows[FAMILY_MAX_LAYERS];
    int64_t input = 0;
    if (!config->family->mixed_layers || reader->status != STATUS_OK) return;
    read_list(reader, config, pattern, 1, windows);
    for (int32_t i = 0; i < config->layers && reader->status == STATUS_OK; i++)
        config->windows[i] = windows[i] != 0;
    read_mixed_heads(reader, config);
    read_shared(reader, config);
    read_list(reader, config, "feed_forward_length", FAMILY_MAX_DIM, config->ffns);
    for (int32_t i = 0; i < config->layers && reader->status == STATUS_OK; i++) {
        if (config->ffns[i] == 0)
            fail(reader, STATUS_UNSUPPORTED, "feed_forward_length", "is 0 in a layer");
        if (config->ffns[i] > config->ffn) config->ffn = config->ffns[i];
    }
    if (!has_int(reader, "embedding_length_per_layer_input", &input)) return;
    if (input < 0 || input > FAMILY_MAX_DIM)
        fail(reader, STATUS_BAD_FILE, "embedding_length_per_layer_input", "is out of range");
    config->layer_input = reader->status == STATUS_OK ? (int32_t)input : 0;
}

static enum status refuse_family(const struct gguf *gguf, struct gguf_string name,
                                 struct error *err) {
    const char *kind = kind_of(name.bytes, name.length);
    return error_set(err, STATUS_UNSUPPORTED,
                     "%s: the model family is \"%.*s\"%s%s; quire knows %s", gguf_path(gguf),
                     (int)(name.length < 60 ? name.length : 60), name.bytes, kind ? ", " : "",
                     kind ? kind : "", family_names());
}

enum status model_config_read(const struct gguf *gguf, struct model_config *config,
                              struct error *err) {
    struct gguf_string name;
    if (!gguf_find_string(gguf, "general.architecture", &name))
        return error_set(err, STATUS_BAD_FILE, "%s: general.architecture is missing",
                         gguf_path(gguf));
    const struct family *family = family_find(name.bytes, name.length);
    if (!family) return refuse_family(gguf, name, err);

    struct reader reader = {.gguf = gguf, .family = family->name, .err = err};
    struct model_config found = {
        .family = family,
        .dim = read_int(&reader, "embedding_length", 0, FAMILY_MAX_DIM),
        .layers = read_int(&reader, "block_count", 0, FAMILY_MAX_LAYERS),
        .heads = read_int(&reader, "attention.head_count", 0, FAMILY_MAX_HEADS),
        .context = read_int(&reader, "context_length", 0, FAMILY_MAX_CONTEXT),
        .norm_eps = read_float(&reader, "attention.layer_norm_rms_epsilon", 0.0f),
    };
    read_alike(&reader, &found);
    const int32_t equal_share = found.dim / found.heads;
    found.head_size = read_int(&reader, "attention.key_length", equal_share > 0 ? equal_share : 1,
                               FAMILY_MAX_HEAD_SIZE);
    if (read_int(&reader, "attention.value_length", found.head_size, FAMILY_MAX_HEAD_SIZE) !=
        found.head_size)
        fail(&reader, STATUS_UNSUPPORTED, "attention.value_length", "differs from key_length");
    read_mixed_layers(&reader, &found);
    found.rope = read_rope(&reader, &found);
    found.still = is_still(&reader);
    read_window(&reader, &found);
    read_window_rope(&reader, &found);
    read_scales(&reader, &found);
    bool halves = false; // folder_config.h says so of safetensors
    if (gguf_find_bool(gguf, "quire.rotary_halves", &halves) && halves)
        found.interleaved_rope = false;
    read_experts(&reader, &found);
    refuse_unknown_features(&reader);
    if (reader.status == STATUS_OK) *config = found;
    return reader.status;
}
