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

static bool find_array(const struct metadata *metadata, const char *key, struct gguf_array *array) {
    char name[KEY_BYTES];
    return gguf_find_array(metadata->gguf, full_key(metadata, key, name), array);
}

static bool find_float(const struct metadata *metadata, const char *key, double *value) {
    char name[KEY_BYTES];
    return gguf_find_float(metadata->gguf, full_key(metadata, key, name), value);
}

bool metadata_find_int(const struct metadata *metadata, const char *key, int64_t *value) {
    char name[KEY_BYTES];
    return gguf_find_int(metadata->gguf, full_key(metadata, key, name), value);
}

bool metadata_has(const struct metadata *metadata, const char *key) {
    double value;
    struct gguf_array array;
    return find_float(metadata, key, &value) || find_array(metadata, key, &array);
}

bool metadata_is_set(const struct metadata *metadata, const char *key) {
    double value;
    return find_float(metadata, key, &value) && value != 0;
}

bool metadata_is_false(const struct metadata *metadata, const char *key) {
    char name[KEY_BYTES];
    bool value;
    return gguf_find_bool(metadata->gguf, full_key(metadata, key, name), &value) && !value;
}

int metadata_choice(struct metadata *metadata, const char *key, const char *const names[],
                    int count, const char *what) {
    char name[KEY_BYTES];
    struct gguf_string found;
    if (!gguf_find_string(metadata->gguf, full_key(metadata, key, name), &found)) return 0;
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == found.length && !memcmp(names[i], found.bytes, found.length))
            return i;
    metadata_fail(metadata, STATUS_UNSUPPORTED, key, what);
    return 0;
}

int32_t metadata_int(struct metadata *metadata, const char *key, int32_t otherwise, int32_t most) {
    int64_t value = otherwise;
    ASSERT(otherwise >= 0);
    const bool found = metadata_find_int(metadata, key, &value);
    struct gguf_array array;
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

// Whole numbers, `count` of them.
static bool is_list(const struct gguf_array *list, int32_t count) {
    return list->count == (size_t)count && list->type != GGUF_STRING && list->type != GGUF_F32 &&
           list->type != GGUF_F64;
}

void metadata_list(struct metadata *metadata, const char *key, int32_t count, int32_t otherwise,
                   int32_t most, int32_t *values) {
    struct gguf_array list;
    ASSERT(count > 0 && most > 0);
    const bool listed = find_array(metadata, key, &list);
    const int32_t all = listed ? 1 : metadata_int(metadata, key, otherwise, most);
    if (listed && !is_list(&list, count))
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is not a whole number for each layer");
    for (int32_t i = 0; i < count; i++) {
        const bool readable = listed && metadata->status == STATUS_OK;
        const int64_t value = readable ? gguf_array_int(&list, (size_t)i) : all;
        if (value < 1 || value > most)
            metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
        values[i] = metadata->status == STATUS_OK ? (int32_t)value : 1;
    }
}

float metadata_float(struct metadata *metadata, const char *key, float otherwise) {
    double value = (double)otherwise;
    const bool found = find_float(metadata, key, &value);
    if (!found && isnan(otherwise)) metadata_fail(metadata, STATUS_BAD_FILE, key, "is missing");
    if (!isfinite(value) || value < 0 || value > 1e12)
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    return metadata->status == STATUS_OK ? (float)value : 1.0f;
}

float metadata_factor(struct metadata *metadata, const char *key, float otherwise) {
    const float value = metadata_float(metadata, key, otherwise);
    if (!(value > 1e-9f && value < 1e9f))
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
    if (listed && !is_list(&list, count))
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is not a whole number for each layer");
    if (stated < 0) metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    for (int32_t i = 0; i < count; i++) {
        values[i] = stated == 0 || (i + 1) % stated != 0;
        if (listed && metadata->status == STATUS_OK)
            values[i] = gguf_array_int(&list, (size_t)i) != 0;
    }
}
