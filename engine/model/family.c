#include "engine/model/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A new family that fits this forward pass is a line here and a golden model in tests/golden.
#define FAMILY_MAP(X)                    \
    X("llama", .interleaved_rope = true) \
    X("qwen2", .qkv_bias = true)         \
    X("qwen3", .qk_norm = true)

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

static enum rope_scaling read_scaling(struct reader *reader) {
    struct gguf_string type;
    char name[128];
    if (!gguf_find_string(reader->gguf, full_key(reader, "rope.scaling.type", name), &type))
        return ROPE_PLAIN;
    static const struct {
        const char *name;
        enum rope_scaling scaling;
    } known[] = {{"none", ROPE_PLAIN}, {"linear", ROPE_LINEAR}, {"yarn", ROPE_YARN}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].name) == type.length && !memcmp(known[i].name, type.bytes, type.length))
            return known[i].scaling;
    fail(reader, STATUS_UNSUPPORTED, "rope.scaling.type", "is none of none, linear, yarn");
    return ROPE_PLAIN;
}

static struct rope read_rope(struct reader *reader, const struct model_config *config) {
    struct rope rope = {
        .base = read_float(reader, "rope.freq_base", 10000.0f),
        .dimensions =
            read_int(reader, "rope.dimension_count", config->head_size, config->head_size),
        .scaling = read_scaling(reader),
        .factor = 1.0f,
        .attention_factor = 1.0f,
    };
    if (rope.dimensions % 2) fail(reader, STATUS_BAD_FILE, "rope.dimension_count", "is odd");
    if (rope.base < 1.0f) fail(reader, STATUS_BAD_FILE, "rope.freq_base", "is below 1");
    if (rope.scaling == ROPE_PLAIN) return rope;
    rope.factor = read_float(reader, "rope.scaling.factor", 0.0f);
    if (rope.factor < 1e-3f) fail(reader, STATUS_BAD_FILE, "rope.scaling.factor", "is about zero");
    if (rope.scaling == ROPE_LINEAR) return rope;
    rope.original_context = read_int(reader, "rope.scaling.original_context_length",
                                     config->context, FAMILY_MAX_CONTEXT);
    rope.attention_factor = read_float(reader, "rope.scaling.attn_factor", 1.0f);
    rope.attention_factor *= read_float(reader, "rope.scaling.yarn_attn_factor", 1.0f);
    rope.beta_fast = read_float(reader, "rope.scaling.yarn_beta_fast", 32.0f);
    rope.beta_slow = read_float(reader, "rope.scaling.yarn_beta_slow", 1.0f);
    return rope;
}

// What other families keep under the same names, and what would change the answer if ignored.
static void refuse_unknown_features(struct reader *reader) {
    static const char *const features[] = {
        "expert_count",    "attn_logit_softcapping", "final_logit_softcapping",
        "logit_scale",     "embedding_scale",        "residual_scale",
        "attention.scale", "attention.clamp_kqv",    "pooling_type",
    };
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        char name[128];
        double value;
        if (gguf_find_float(reader->gguf, full_key(reader, features[i], name), &value) &&
            value != 0)
            fail(reader, STATUS_UNSUPPORTED, features[i], "is set, which quire lacks");
    }
}

// Within its window, sliding attention is full attention: a shorter context is exact.
static void limit_to_window(struct reader *reader, struct model_config *config) {
    int64_t window;
    if (has_int(reader, "attention.sliding_window", &window) && window > 0 &&
        window < config->context)
        config->context = (int32_t)window;
}

enum status model_config_read(const struct gguf *gguf, struct model_config *config,
                              struct error *err) {
    struct gguf_string name;
    if (!gguf_find_string(gguf, "general.architecture", &name))
        return error_set(err, STATUS_BAD_FILE, "%s: general.architecture is missing",
                         gguf_path(gguf));
    const struct family *family = family_find(name.bytes, name.length);
    if (!family)
        return error_set(err, STATUS_UNSUPPORTED,
                         "%s: the model family is \"%.*s\"; quire knows %s", gguf_path(gguf),
                         (int)(name.length < 60 ? name.length : 60), name.bytes, family_names());

    struct reader reader = {.gguf = gguf, .family = family->name, .err = err};
    struct model_config found = {
        .family = family,
        .dim = read_int(&reader, "embedding_length", 0, FAMILY_MAX_DIM),
        .layers = read_int(&reader, "block_count", 0, FAMILY_MAX_LAYERS),
        .heads = read_int(&reader, "attention.head_count", 0, FAMILY_MAX_HEADS),
        .ffn = read_int(&reader, "feed_forward_length", 0, FAMILY_MAX_DIM),
        .context = read_int(&reader, "context_length", 0, FAMILY_MAX_CONTEXT),
        .norm_eps = read_float(&reader, "attention.layer_norm_rms_epsilon", 0.0f),
    };
    found.kv_heads = read_int(&reader, "attention.head_count_kv", found.heads, found.heads);
    if (found.heads % found.kv_heads)
        fail(&reader, STATUS_BAD_FILE, "attention.head_count_kv", "does not divide head_count");
    const int32_t equal_share = found.dim / found.heads;
    found.head_size = read_int(&reader, "attention.key_length", equal_share > 0 ? equal_share : 1,
                               FAMILY_MAX_HEAD_SIZE);
    if (read_int(&reader, "attention.value_length", found.head_size, FAMILY_MAX_HEAD_SIZE) !=
        found.head_size)
        fail(&reader, STATUS_UNSUPPORTED, "attention.value_length", "differs from key_length");
    found.rope = read_rope(&reader, &found);
    refuse_unknown_features(&reader);
    limit_to_window(&reader, &found);
    if (reader.status == STATUS_OK) *config = found;
    return reader.status;
}
