#include "engine/model/folder_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/folder_keys.h"
#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"

enum { VALUE_BYTES = 48 };
enum { KEY_COUNT_AT = 16 }; // in a GGUF file

void writer_fail(struct writer *writer, enum status status, const char *key, const char *what) {
    if (writer->status != STATUS_OK) return;
    writer->status =
        error_set(writer->err, status, "%s: %s %s", mapped_file_shown(writer->path), key, what);
}

// As messages show it; "" for a list or an object, and where it is absent.
static const char *show_value(const cJSON *item, char text[VALUE_BYTES]) {
    text[0] = '\0';
    if (cJSON_IsNumber(item))
        snprintf(text, VALUE_BYTES, "%.10g", item->valuedouble);
    else if (cJSON_IsBool(item))
        snprintf(text, VALUE_BYTES, "%s", cJSON_IsTrue(item) ? "true" : "false");
    else if (cJSON_IsString(item) && strlen(item->valuestring) < VALUE_BYTES - 2 &&
             !utf8_has_control(item->valuestring, strlen(item->valuestring)))
        snprintf(text, VALUE_BYTES, "\"%s\"", item->valuestring);
    return text;
}

static void fail_with_value(struct writer *writer, enum status status, const char *key,
                            const char *what, const cJSON *item) {
    char value[VALUE_BYTES], all[160];
    const char *found = show_value(item, value);
    snprintf(all, sizeof all, "%s%s%s%s", what, found[0] ? " (found " : "", found,
             found[0] ? ")" : "");
    writer_fail(writer, status, key, all);
}

void writer_unsupported(struct writer *writer, const char *key, const char *expected) {
    if (writer->status != STATUS_OK) return;
    char value[VALUE_BYTES];
    const char *found = show_value(cJSON_GetObjectItemCaseSensitive(writer->json, key), value);
    writer->status =
        error_set(writer->err, STATUS_UNSUPPORTED, "%s: unsupported %s%s%s (expected %s)",
                  mapped_file_shown(writer->path), key, found[0] ? " " : "", found, expected);
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

// And the type of what follows.
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

void writer_begin(struct writer *writer) {
    static const unsigned char head[KEY_COUNT_AT + 8] = {'G', 'G', 'U', 'F', 3}; // and two counts
    ASSERT(writer->out->length == 0);
    put(writer, head, sizeof head);
    writer_put_text(writer, ".general.architecture", writer->family->name);
    if (!writer->family->interleaved_folder) writer_put_flag(writer, ".quire.rotary_halves", true);
}

void writer_end(struct writer *writer) {
    if (writer->status == STATUS_OK)
        memcpy(writer->out->bytes + KEY_COUNT_AT, &writer->keys, sizeof writer->keys);
}

void writer_put_int(struct writer *writer, const char *key, int64_t value) {
    put_key(writer, key, GGUF_I64);
    put(writer, &value, sizeof value);
}

void writer_put_float(struct writer *writer, const char *key, double value) {
    put_key(writer, key, GGUF_F64);
    put(writer, &value, sizeof value);
}

void writer_put_number(struct writer *writer, const char *key, double value) {
    if (floor(value) == value && fabs(value) < 0x1p31)
        writer_put_int(writer, key, (int64_t)value);
    else
        writer_put_float(writer, key, value);
}

void writer_put_text(struct writer *writer, const char *key, const char *value) {
    put_key(writer, key, GGUF_STRING);
    put_string(writer, value);
}

void writer_put_list(struct writer *writer, const char *key, const int32_t *values, int32_t count) {
    const uint64_t length = (uint64_t)count;
    ASSERT(count >= 0 && count <= MODEL_MAX_LAYERS);
    put_key(writer, key, GGUF_ARRAY);
    put_u32(writer, GGUF_I32);
    put(writer, &length, sizeof length);
    put(writer, values, (size_t)count * sizeof values[0]);
}

void writer_put_flag(struct writer *writer, const char *key, bool value) {
    const unsigned char byte = value;
    put_key(writer, key, GGUF_BOOL);
    put(writer, &byte, sizeof byte);
}

bool writer_is_among(const char *const *words, size_t count, const char *word) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(words[i], word)) return true;
    return false;
}

const cJSON *writer_get(struct writer *writer, const cJSON *json, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!item && json == writer->json)
        item = cJSON_GetObjectItemCaseSensitive(writer->defaults, key);
    if (item && !writer_is_among(writer->read, writer->read_count, key)) {
        ASSERT(writer->read_count < WRITER_READ_MOST);
        writer->read[writer->read_count++] = key;
    }
    return cJSON_IsNull(item) ? NULL : item;
}

double writer_number(struct writer *writer, const cJSON *json, const char *key, double otherwise) {
    const cJSON *item = writer_get(writer, json, key);
    if (item && !cJSON_IsNumber(item))
        fail_with_value(writer, STATUS_BAD_FILE, key, "must be a number", item);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

const char *writer_string(struct writer *writer, const cJSON *json, const char *key,
                          const char *otherwise) {
    const cJSON *item = writer_get(writer, json, key);
    if (item && !cJSON_IsString(item))
        fail_with_value(writer, STATUS_BAD_FILE, key, "must be a string", item);
    return cJSON_IsString(item) ? item->valuestring : otherwise;
}

bool writer_flag(struct writer *writer, const cJSON *json, const char *key, bool otherwise) {
    const cJSON *item = writer_get(writer, json, key);
    if (item && !cJSON_IsBool(item))
        fail_with_value(writer, STATUS_BAD_FILE, key, "must be true or false", item);
    return item ? cJSON_IsTrue(item) : otherwise;
}

int64_t writer_count(struct writer *writer, const char *key, int64_t otherwise) {
    const cJSON *item = writer_get(writer, writer->json, key);
    if (!item && otherwise >= 0) return otherwise;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!item)
        writer_fail(writer, STATUS_BAD_FILE, key, "is missing");
    else if (!(value >= 0 && value < 0x1p31) || floor(value) != value)
        fail_with_value(writer, STATUS_BAD_FILE, key, "is out of range", item);
    return writer->status == STATUS_OK ? (int64_t)value : 1;
}

bool writer_is_word(const char *const *words, size_t count, const cJSON *item) {
    return !item || (cJSON_IsString(item) && writer_is_among(words, count, item->valuestring));
}

// What is so unless it is false, or 0.
static bool is_denied(const cJSON *item) {
    static const char *const keys[] = {"is_causal", "causal", "use_causal_mask", "use_rope"};
    const bool off = cJSON_IsFalse(item) || (cJSON_IsNumber(item) && item->valuedouble == 0);
    return off && writer_is_among(keys, sizeof keys / sizeof keys[0], item->string);
}

// An absent feature: null, false, 0, "" or nothing listed.
static bool is_unset(const cJSON *item) {
    return cJSON_IsNull(item) || cJSON_IsFalse(item) ||
           (cJSON_IsNumber(item) && item->valuedouble == 0) ||
           (cJSON_IsString(item) && !item->valuestring[0]) ||
           (!cJSON_IsNumber(item) && !cJSON_IsString(item) && !cJSON_IsTrue(item) && !item->child);
}

void writer_refuse_unread(struct writer *writer, const cJSON *object) {
    const cJSON *item;
    if (!cJSON_IsObject(object)) return;
    cJSON_ArrayForEach(item, object) {
        if (is_denied(item)) writer_unsupported(writer, item->string, "true");
        if (is_unset(item) || item->string[0] == '_' || strstr(item->string, "dropout") ||
            folder_key_is_harmless(item->string) ||
            writer_is_among(writer->read, writer->read_count, item->string))
            continue;
        fail_with_value(writer, STATUS_UNSUPPORTED, item->string,
                        "is not supported and may change the answers", item);
    }
}
