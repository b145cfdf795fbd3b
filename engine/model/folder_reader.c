// engine/model/folder_reader.c — how a config.json is read so that nothing in it is overlooked.
//
// Each getter notes the key it was asked for. In the end reader_refuse_unread() walks the object: a
// key that nobody asked for is refused, because it may change the answers, unless it is unset or
// known to be harmless. Some keys say something by being false (is_denied): those are refused
// although they look unset. What was understood is kept as figures under GGUF's names, a number or
// one for each layer, so that metadata.h answers for a folder as for a file.
#include "engine/model/folder_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/folder_keys.h"
#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"

enum { VALUE_BYTES = 48 };

void reader_fail(struct reader *reader, enum status status, const char *key, const char *what) {
    if (reader->status != STATUS_OK) return;
    reader->status =
        error_set(reader->err, status, "%s: %s %s", mapped_file_shown(reader->path), key, what);
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

static void fail_with_value(struct reader *reader, enum status status, const char *key,
                            const char *what, const cJSON *item) {
    char value[VALUE_BYTES], all[160];
    const char *found = show_value(item, value);
    snprintf(all, sizeof all, "%s%s%s%s", what, found[0] ? " (found " : "", found,
             found[0] ? ")" : "");
    reader_fail(reader, status, key, all);
}

void reader_unsupported(struct reader *reader, const char *key, const char *expected) {
    if (reader->status != STATUS_OK) return;
    char value[VALUE_BYTES];
    const char *found = show_value(cJSON_GetObjectItemCaseSensitive(reader->json, key), value);
    reader->status =
        error_set(reader->err, STATUS_UNSUPPORTED, "%s: unsupported %s%s%s (expected %s)",
                  mapped_file_shown(reader->path), key, found[0] ? " " : "", found, expected);
}

static struct figure *next_figure(struct reader *reader, const char *name) {
    struct folder_config *config = reader->config;
    ASSERT(config->figure_count < FOLDER_MAX_FIGURES);
    for (int32_t i = 0; i < config->figure_count; i++)
        if (!strcmp(config->figures[i].name, name))
            reader_fail(reader, STATUS_BAD_FILE, name, "is stated twice");
    struct figure *figure = &config->figures[config->figure_count++];
    figure->name = name;
    return figure;
}

void reader_state_as(struct reader *reader, const char *name, const char *stated, double value) {
    if (reader->status != STATUS_OK) return;
    struct figure *figure = next_figure(reader, name);
    figure->stated = stated;
    figure->number = value;
}

void reader_state(struct reader *reader, const char *name, double value) {
    reader_state_as(reader, name, NULL, value);
}

void reader_state_count(struct reader *reader, const char *name, int64_t value) {
    reader_state(reader, name, (double)value);
}

void reader_state_list(struct reader *reader, const char *name, const int32_t *values,
                       int32_t count) {
    struct folder_config *config = reader->config;
    ASSERT(count >= 0 && count <= MODEL_MAX_LAYERS && config->list_count < FOLDER_MAX_LISTS);
    if (reader->status != STATUS_OK) return;
    int32_t *list = config->lists[config->list_count++];
    struct figure *figure = next_figure(reader, name);
    memcpy(list, values, (size_t)count * sizeof *list);
    figure->list = list;
    figure->count = count;
}

bool reader_is_among(const char *const *words, size_t count, const char *word) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(words[i], word)) return true;
    return false;
}

void reader_state_reals(struct reader *reader, const char *name, const float *values,
                        int32_t count) {
    struct folder_config *config = reader->config;
    ASSERT(count >= 0 && count <= MODEL_MAX_LAYERS && config->reals_count < FOLDER_MAX_REALS);
    if (reader->status != STATUS_OK) return;
    float *reals = config->reals[config->reals_count++];
    struct figure *figure = next_figure(reader, name);
    memcpy(reals, values, (size_t)count * sizeof *reals);
    figure->reals = reals;
    figure->count = count;
}

// Python takes the last of two values, cJSON the first.
static void refuse_second(struct reader *reader, const cJSON *item) {
    for (const cJSON *other = item->next; other; other = other->next)
        if (!strcmp(other->string, item->string))
            reader_fail(reader, STATUS_BAD_FILE, item->string, "occurs twice");
}

const cJSON *reader_get(struct reader *reader, const cJSON *json, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!item && json == reader->json)
        item = cJSON_GetObjectItemCaseSensitive(reader->defaults, key);
    if (item) refuse_second(reader, item);
    if (item && !reader_is_among(reader->read, reader->read_count, key)) {
        ASSERT(reader->read_count < READER_READ_MOST);
        reader->read[reader->read_count++] = key;
    }
    return cJSON_IsNull(item) ? NULL : item;
}

double reader_number(struct reader *reader, const cJSON *json, const char *key, double otherwise) {
    const cJSON *item = reader_get(reader, json, key);
    if (item && !cJSON_IsNumber(item))
        fail_with_value(reader, STATUS_BAD_FILE, key, "must be a number", item);
    else if (item && !isfinite(item->valuedouble))
        fail_with_value(reader, STATUS_BAD_FILE, key, "is out of range", item);
    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

const char *reader_string(struct reader *reader, const cJSON *json, const char *key,
                          const char *otherwise) {
    const cJSON *item = reader_get(reader, json, key);
    if (item && !cJSON_IsString(item))
        fail_with_value(reader, STATUS_BAD_FILE, key, "must be a string", item);
    return cJSON_IsString(item) ? item->valuestring : otherwise;
}

bool reader_flag(struct reader *reader, const cJSON *json, const char *key, bool otherwise) {
    const cJSON *item = reader_get(reader, json, key);
    if (item && !cJSON_IsBool(item))
        fail_with_value(reader, STATUS_BAD_FILE, key, "must be true or false", item);
    return item ? cJSON_IsTrue(item) : otherwise;
}

int64_t reader_count(struct reader *reader, const char *key, int64_t otherwise) {
    const cJSON *item = reader_get(reader, reader->json, key);
    if (!item && otherwise >= 0) return otherwise;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!item)
        reader_fail(reader, STATUS_BAD_FILE, key, "is missing");
    else if (!(value >= 0 && value < 0x1p31) || floor(value) != value)
        fail_with_value(reader, STATUS_BAD_FILE, key, "is out of range", item);
    return reader->status == STATUS_OK ? (int64_t)value : 1;
}

bool reader_is_word(const char *const *words, size_t count, const cJSON *item) {
    return !item || (cJSON_IsString(item) && reader_is_among(words, count, item->valuestring));
}

// What is so unless it is false, or 0.
static bool is_denied(const cJSON *item) {
    static const char *const keys[] = {"is_causal", "causal", "use_causal_mask", "use_rope"};
    const bool off = cJSON_IsFalse(item) || (cJSON_IsNumber(item) && item->valuedouble == 0);
    return off && reader_is_among(keys, sizeof keys / sizeof keys[0], item->string);
}

// An absent feature: null, false, 0, "" or nothing listed.
static bool is_unset(const cJSON *item) {
    return cJSON_IsNull(item) || cJSON_IsFalse(item) ||
           (cJSON_IsNumber(item) && item->valuedouble == 0) ||
           (cJSON_IsString(item) && !item->valuestring[0]) ||
           (!cJSON_IsNumber(item) && !cJSON_IsString(item) && !cJSON_IsTrue(item) && !item->child);
}

void reader_refuse_unread(struct reader *reader, const cJSON *object) {
    const cJSON *item;
    if (!cJSON_IsObject(object)) return;
    cJSON_ArrayForEach(item, object) {
        if (is_denied(item)) reader_unsupported(reader, item->string, "true");
        if (is_unset(item) || item->string[0] == '_' || strstr(item->string, "dropout") ||
            folder_key_is_harmless(item->string) ||
            reader_is_among(reader->read, reader->read_count, item->string))
            continue;
        fail_with_value(reader, STATUS_UNSUPPORTED, item->string,
                        "is not supported and may change the answers", item);
    }
}
