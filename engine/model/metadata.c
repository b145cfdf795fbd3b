#include "engine/model/metadata.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/assert.h"

enum { KEY_BYTES = 128 };

static const char *full_key(const struct metadata *metadata, const char *key, char *text) {
    const int length = snprintf(text, KEY_BYTES, "%s.%s", metadata->family, key);
    ASSERT(length > 0 && length < KEY_BYTES); // both are ours
    return text;
}

void metadata_fail(struct metadata *metadata, enum status status, const char *key,
                   const char *what) {
    if (metadata->status != STATUS_OK) return;
    metadata->status = error_set(metadata->err, status, "%s: %s.%s %s", gguf_path(metadata->gguf),
                                 metadata->family, key, what);
}

// Its place among the keys that were asked for; their number if it is none of them.
static int32_t place_of(const struct metadata *metadata, struct gguf_string key) {
    int32_t i = 0;
    while (i < metadata->asked_count && (strlen(metadata->asked[i]) != key.length ||
                                         memcmp(metadata->asked[i], key.bytes, key.length) != 0))
        i++;
    return i;
}

// Remembers a key that was asked for, and returns whether it was found.
static bool note(struct metadata *metadata, const char *key, bool found) {
    const int32_t i = place_of(metadata, (struct gguf_string){key, strlen(key)});
    ASSERT(i < METADATA_ASKED_MOST);
    if (i == metadata->asked_count) metadata->asked[metadata->asked_count++] = key;
    metadata->found[i] |= found;
    return found;
}

static bool find_array(struct metadata *metadata, const char *key, struct gguf_array *array) {
    char name[KEY_BYTES];
    return note(metadata, key,
                gguf_find_array(metadata->gguf, full_key(metadata, key, name), array));
}

static bool find_float(struct metadata *metadata, const char *key, double *value) {
    char name[KEY_BYTES];
    return note(metadata, key,
                gguf_find_float(metadata->gguf, full_key(metadata, key, name), value));
}

bool metadata_find_int(struct metadata *metadata, const char *key, int64_t *value) {
    char name[KEY_BYTES];
    return note(metadata, key, gguf_find_int(metadata->gguf, full_key(metadata, key, name), value));
}

bool metadata_has(struct metadata *metadata, const char *key) {
    double value;
    struct gguf_array array;
    return find_float(metadata, key, &value) || find_array(metadata, key, &array);
}

bool metadata_is_set(struct metadata *metadata, const char *key) {
    double value;
    return find_float(metadata, key, &value) && value != 0;
}

bool metadata_flag(struct metadata *metadata, const char *key, bool otherwise) {
    char name[KEY_BYTES];
    bool value = otherwise;
    note(metadata, key, gguf_find_bool(metadata->gguf, full_key(metadata, key, name), &value));
    return value;
}

int metadata_choice(struct metadata *metadata, const char *key, const char *const names[],
                    int count, const char *what) {
    char name[KEY_BYTES];
    struct gguf_string found;
    if (!note(metadata, key,
              gguf_find_string(metadata->gguf, full_key(metadata, key, name), &found)))
        return -1;
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == found.length && !memcmp(names[i], found.bytes, found.length))
            return i;
    metadata_fail(metadata, STATUS_UNSUPPORTED, key, what);
    return -1;
}

// Whole numbers, `count` of them.
static bool is_list(const struct gguf_array *list, size_t count) {
    return list->count == count && list->type != GGUF_STRING && list->type != GGUF_F32 &&
           list->type != GGUF_F64;
}

// A list of one number for all layers is that number.
static bool find_same(struct metadata *metadata, const char *key, int64_t *value) {
    struct gguf_array list;
    if (!find_array(metadata, key, &list) || list.count == 0 || !is_list(&list, list.count))
        return false;
    const int64_t first = gguf_array_int(&list, 0);
    for (size_t i = 1; i < list.count; i++)
        if (gguf_array_int(&list, i) != first) return false;
    *value = first;
    return true;
}

int32_t metadata_int(struct metadata *metadata, const char *key, int32_t otherwise, int32_t most) {
    int64_t value = otherwise;
    ASSERT(otherwise >= 0);
    const bool found = metadata_find_int(metadata, key, &value) || find_same(metadata, key, &value);
    struct gguf_array array;
    if (value == 0 && otherwise > 0) value = otherwise;
    if (!found && find_array(metadata, key, &array))
        metadata_fail(metadata, STATUS_UNSUPPORTED, key,
                      "differs from layer to layer, which quire lacks");
    else if (!found && otherwise == 0)
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is missing");
    else if (value < 1 || value > most)
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    return metadata->status == STATUS_OK ? (int32_t)value : 1;
}

int32_t metadata_count(struct metadata *metadata, const char *key, int32_t most) {
    int64_t value;
    if (metadata_find_int(metadata, key, &value) && value == 0) return 0;
    return metadata_has(metadata, key) ? metadata_int(metadata, key, 0, most) : 0;
}

void metadata_list(struct metadata *metadata, const char *key, int32_t count, int32_t least,
                   int32_t otherwise, int32_t most, int32_t *values) {
    struct gguf_array list;
    ASSERT(count > 0 && most > 0);
    const bool listed = find_array(metadata, key, &list);
    const int32_t all = listed ? 1 : metadata_int(metadata, key, otherwise, most);
    if (listed && !is_list(&list, (size_t)count))
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is not a whole number for each layer");
    for (int32_t i = 0; i < count; i++) {
        const bool readable = listed && metadata->status == STATUS_OK;
        const int64_t value = readable ? gguf_array_int(&list, (size_t)i) : all;
        if (value < least || value > most)
            metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
        values[i] = metadata->status == STATUS_OK ? (int32_t)value : 1;
    }
}

float metadata_float(struct metadata *metadata, const char *key, float otherwise) {
    double value = (double)otherwise;
    struct gguf_array array;
    const bool found = find_float(metadata, key, &value);
    if (!found && find_array(metadata, key, &array))
        metadata_fail(metadata, STATUS_UNSUPPORTED, key, "is a list, which quire lacks");
    if (!found && isnan(otherwise)) metadata_fail(metadata, STATUS_BAD_FILE, key, "is missing");
    if (!isfinite(value) || value < 0 || value > 1e12)
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    return metadata->status == STATUS_OK ? (float)value : 1.0f;
}

float metadata_factor(struct metadata *metadata, const char *key, float otherwise) {
    const float stated = metadata_float(metadata, key, otherwise);
    const float value = stated == 0 ? otherwise : stated;
    if (!(value > 1e-9f && value < 1e12f))
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    return metadata->status == STATUS_OK ? value : 1.0f;
}

void metadata_pattern(struct metadata *metadata, const char *key, int32_t count, int32_t period,
                      bool *values) {
    struct gguf_array list;
    int64_t stated = period;
    ASSERT(count > 0 && period >= 0);
    const bool listed = find_array(metadata, key, &list);
    metadata_find_int(metadata, key, &stated);
    if (listed && !is_list(&list, (size_t)count))
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is not a whole number for each layer");
    if (stated < 0) metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    for (int32_t i = 0; i < count; i++) {
        values[i] = stated == 0 || (i + 1) % stated != 0;
        if (listed && metadata->status == STATUS_OK)
            values[i] = gguf_array_int(&list, (size_t)i) != 0;
    }
}

// Keys that change no answer while their value lies in a range: those of other families, which are
// off, and those that are about training, images or names.
static const struct {
    const char *key;
    double least, most;
} harmless[] = {
    {"vocab_size", -HUGE_VAL, HUGE_VAL}, // the embedding's rows say it
    {"tensor_data_layout", -HUGE_VAL, HUGE_VAL},
    {"rope.dimension_sections", -HUGE_VAL, HUGE_VAL}, // of text all positions are the token's
    {"n_deepstack_layers", -HUGE_VAL, HUGE_VAL},      // of images
    {"deepstack_mapping", -HUGE_VAL, HUGE_VAL},
    {"rope.scaling.finetuned", -HUGE_VAL, HUGE_VAL},
    {"rope.scaling.original_context_length", -HUGE_VAL, HUGE_VAL}, // of a scaling, if there is one
    {"rope.scaling.yarn_beta_fast", -HUGE_VAL, HUGE_VAL},
    {"rope.scaling.yarn_beta_slow", -HUGE_VAL, HUGE_VAL},
    {"rope.scaling.yarn_log_multiplier", -HUGE_VAL, HUGE_VAL},
    {"rope.scaling.yarn_attn_factor", -HUGE_VAL, HUGE_VAL},
    {"rope.scaling.alpha", 0, 1},
    {"attention.layer_norm_epsilon", -HUGE_VAL, HUGE_VAL},     // of norms that are no RMS norms
    {"attention.sliding_window_pattern", -HUGE_VAL, HUGE_VAL}, // of a window, if there is one
    {"attention.causal", 1, 1},
    {"attention.clamp_kqv", 0, 0},
    {"attention.max_alibi_bias", 0, 0},
    {"attention.shared_kv_layers", 0, 0},
    {"attention.temperature_length", -HUGE_VAL, HUGE_VAL}, // of a scale, if there is one
    {"attention.temperature_scale", 0, 0},
    {"attention.scale", 0, 0},
    {"embedding_length_per_layer_input", 0, 0},
    {"embedding_scale", 1, 1},
    {"residual_scale", 1, 1},
    {"logit_scale", 1, 1},
    {"router_logit_softcapping", 0, 0},
    {"pooling_type", 0, 0},
    {"use_parallel_residual", 0, 0},
    {"leading_dense_block_count", 0, 0},
    {"interleave_moe_layer_step", 0, 1},
    {"moe_every_n_layers", 0, 1},
    {"swiglu_clamp_exp", 0, 0},
    {"expert_used_count", -HUGE_VAL, HUGE_VAL}, // of experts, if there are any
    {"expert_feed_forward_length", -HUGE_VAL, HUGE_VAL},
    {"expert_gating_func", -HUGE_VAL, HUGE_VAL},
    {"expert_weights_norm", -HUGE_VAL, HUGE_VAL},
    {"expert_weights_scale", -HUGE_VAL, HUGE_VAL},
    {"expert_shared_count", 0, 0},
    {"expert_shared_feed_forward_length", 0, 0},
    {"expert_group_count", 0, 1},
    {"expert_group_used_count", 0, 1},
};

// Of encoders of images and sound beside the text.
static bool is_of_encoder(struct gguf_string key) {
    static const char *const begins[] = {"vision.", "audio.", "mm."};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (key.length > strlen(begins[i]) && !memcmp(key.bytes, begins[i], strlen(begins[i])))
            return true;
    return false;
}

// `full` is the key with the family's name, `key` without.
static bool is_harmless(const struct gguf *gguf, struct gguf_string full, struct gguf_string key) {
    char name[KEY_BYTES];
    double value = (double)NAN; // of what is no number, only a row without bounds can hold
    bool flag;
    if (is_of_encoder(key)) return true;
    snprintf(name, sizeof name, "%.*s", (int)full.length, full.bytes);
    if (gguf_find_bool(gguf, name, &flag)) value = flag;
    gguf_find_float(gguf, name, &value);
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (strlen(harmless[i].key) == key.length &&
            !memcmp(harmless[i].key, key.bytes, key.length))
            return isinf(harmless[i].most) ||
                   (value >= harmless[i].least && value <= harmless[i].most);
    return false;
}

void metadata_check_unread(struct metadata *metadata) {
    const size_t begin = strlen(metadata->family);
    for (size_t i = 0; i < gguf_key_count(metadata->gguf); i++) {
        const struct gguf_string full = gguf_key_at(metadata->gguf, i).name;
        if (full.length <= begin || memcmp(full.bytes, metadata->family, begin) != 0 ||
            full.bytes[begin] != '.')
            continue;
        const struct gguf_string key = {full.bytes + begin + 1, full.length - begin - 1};
        const int32_t place = place_of(metadata, key);
        const bool asked = place < metadata->asked_count;
        if (asked ? metadata->found[place] : is_harmless(metadata->gguf, full, key)) continue;
        char shown[KEY_BYTES];
        snprintf(shown, sizeof shown, "%.*s", (int)key.length, key.bytes);
        metadata_fail(metadata, STATUS_UNSUPPORTED, shown,
                      asked ? "is of another type than quire knows"
                            : "may change the answers, and quire does not know how");
    }
}
