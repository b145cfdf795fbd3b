// engine/grammar/schema_value.c — the values in a schema: numbers with all of their digits, which
// cJSON's doubles do not keep. A number's node has its text from the document as valuestring; all
// that is computed with numbers is computed from that text.
#include <stdlib.h>
#include <string.h>

#include "engine/grammar/schema_parts.h"
#include "kernels/base/assert.h"
#include "kernels/base/json_view.h"

enum { EXPONENT_MOST = 100000 };

// ---- reading

// Walks a value and its tree, which have the same order.
static enum status keep_digits(struct json_view view, cJSON *item) {
    struct json_view value;
    size_t cursor = 0;
    if (cJSON_IsNumber(item)) {
        item->valuestring = cJSON_malloc(view.length + 1);
        if (!item->valuestring) return STATUS_NO_MEMORY;
        memcpy(item->valuestring, view.bytes, view.length);
        item->valuestring[view.length] = '\0';
        item->valuestring[strcspn(item->valuestring, " \t\r\n")] = '\0';
    }
    for (cJSON *child = item->child; child; child = child->next) {
        const bool same = json_view_next(view, &cursor, NULL, &value);
        ASSERT(same);
        TRY(keep_digits(value, child));
    }
    return STATUS_OK;
}

static int compare_names(const void *a, const void *b) {
    return strcmp((*(cJSON *const *)a)->string, (*(cJSON *const *)b)->string);
}

// Of a name that an object has twice, other readers take the last value; nothing here would show
// that the first was taken.
static enum status check_names(const cJSON *item, struct error *err) {
    const size_t count = cJSON_IsObject(item) ? (size_t)cJSON_GetArraySize(item) : 0;
    const cJSON **names = calloc(count + 1, sizeof *names), *child;
    enum status status = STATUS_OK;
    size_t named = 0;
    if (!names) return error_set(err, STATUS_NO_MEMORY, "not enough memory for the schema");
    cJSON_ArrayForEach(child, item) {
        if (count) names[named++] = child;
        if (child->child && status == STATUS_OK) status = check_names(child, err);
    }
    qsort(names, named, sizeof *names, compare_names);
    for (size_t i = 1; i < named && status == STATUS_OK; i++)
        if (strcmp(names[i - 1]->string, names[i]->string) == 0)
            status = error_set(err, STATUS_BAD_INPUT,
                               "the schema has \"%.60s\" twice in one object", names[i]->string);
    free(names);
    return status;
}

enum status schema_parse(const char *json, size_t length, cJSON **document, struct error *err) {
    struct json_view view;
    TRY(json_view_open(json, length, "the schema is not JSON", &view, err));
    if (memmem(json, length, "\\u0000", 6))
        return error_set(err, STATUS_BAD_INPUT, "the schema contains a NUL byte");
    cJSON *parsed = cJSON_ParseWithLength(json, length);
    enum status status = parsed ? keep_digits(view, parsed) : STATUS_NO_MEMORY;
    if (status != STATUS_OK) error_set(err, status, "not enough memory for the schema");
    if (status == STATUS_OK) status = check_names(parsed, err);
    if (status != STATUS_OK) {
        cJSON_Delete(parsed);
        return status;
    }
    *document = parsed;
    return STATUS_OK;
}

// ---- numbers

// 1.50e3 is 15 with two zeros behind it.
void schema_decimal(const cJSON *number, struct decimal *decimal) {
    const char *at = number->valuestring;
    ASSERT(cJSON_IsNumber(number) && at);
    bool fraction = false;
    *decimal = (struct decimal){.negative = *at == '-'};
    for (at += decimal->negative; *at && *at != 'e' && *at != 'E'; at++) {
        if (*at == '.') fraction = true;
        if (*at == '.') continue;
        if (fraction) decimal->zeros--;
        if (decimal->count == 0 && *at == '0') continue;
        ASSERT((size_t)decimal->count < sizeof decimal->digits); // json_view's limit
        decimal->digits[decimal->count++] = *at;
    }
    if (*at) {
        const long exponent = strtol(at + 1, NULL, 10);
        decimal->zeros += exponent > EXPONENT_MOST    ? EXPONENT_MOST
                          : exponent < -EXPONENT_MOST ? -EXPONENT_MOST
                                                      : (int32_t)exponent;
    }
    for (; decimal->count > 0 && decimal->digits[decimal->count - 1] == '0'; decimal->count--)
        decimal->zeros++;
    if (decimal->count > 0) return;
    *decimal = (struct decimal){0};
}

bool decimal_is_whole(const struct decimal *decimal) { return decimal->zeros >= 0; }

int decimal_compare(const struct decimal *a, const struct decimal *b) {
    if (a->negative != b->negative) return a->negative ? -1 : 1;
    int order = (a->count > 0) - (b->count > 0);
    if (order == 0)
        order = (a->count + a->zeros > b->count + b->zeros) -
                (a->count + a->zeros < b->count + b->zeros);
    for (int32_t i = 0; order == 0 && (i < a->count || i < b->count); i++) {
        const char first = i < a->count ? a->digits[i] : '0';
        const char second = i < b->count ? b->digits[i] : '0';
        order = (first > second) - (first < second);
    }
    return a->negative ? -order : order;
}

bool decimal_to_int(const struct decimal *decimal, int direction, int64_t *number) {
    int64_t value = 0;
    const int32_t before_point = decimal->count + decimal->zeros;
    if (before_point > SCHEMA_MAX_DIGITS) return false;
    for (int32_t i = 0; i < before_point; i++)
        value = value * 10 + (i < decimal->count ? decimal->digits[i] - '0' : 0);
    if (decimal->negative) value = -value;
    if (!decimal_is_whole(decimal)) {
        if (direction > 0 && !decimal->negative) value++;
        if (direction < 0 && decimal->negative) value--;
    }
    *number = value;
    return true;
}

// ---- comparing

static enum status spend_effort(struct compiler *compiler, uint64_t steps) {
    const enum status status = effort_spend(&compiler->effort, steps);
    if (status == STATUS_CANCELLED)
        return error_set(compiler->err, status, "stopped while reading the schema");
    if (status != STATUS_OK)
        return schema_refuse(compiler, STATUS_TOO_LONG, "too complex: takes more than %d steps",
                             SCHEMA_MAX_STEPS);
    return status;
}

enum status schema_spend(struct compiler *compiler, uint64_t steps) {
    return spend_effort(compiler, steps);
}

static enum status same_members(struct compiler *compiler, const cJSON *a, const cJSON *b,
                                bool *equal) {
    const uint64_t count = (uint64_t)cJSON_GetArraySize(b);
    *equal = cJSON_GetArraySize(a) == (int)count;
    for (const cJSON *one = a->child; one && *equal; one = one->next) {
        TRY(spend_effort(compiler, count));
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(b, one->string);
        *equal = other != NULL;
        if (other) TRY(schema_equal(compiler, one, other, equal));
    }
    return STATUS_OK;
}

enum status schema_equal(struct compiler *compiler, const cJSON *a, const cJSON *b, bool *equal) {
    TRY(spend_effort(compiler, 1));
    *equal = (a->type & 0xFF) == (b->type & 0xFF);
    if (!*equal) return STATUS_OK;
    if (cJSON_IsNumber(a)) {
        struct decimal first, second;
        schema_decimal(a, &first);
        schema_decimal(b, &second);
        *equal = decimal_compare(&first, &second) == 0;
    }
    if (cJSON_IsString(a)) *equal = strcmp(a->valuestring, b->valuestring) == 0;
    if (cJSON_IsObject(a)) return same_members(compiler, a, b, equal);
    if (!cJSON_IsArray(a)) return STATUS_OK;
    const cJSON *one = a->child, *other = b->child;
    for (; one && other && *equal; one = one->next, other = other->next)
        TRY(schema_equal(compiler, one, other, equal));
    *equal = *equal && !one && !other;
    return STATUS_OK;
}

// ---- writing

static enum status append_string(struct text *json, const char *string) {
    const cJSON item = {.type = cJSON_String, .valuestring = (char *)(uintptr_t)string};
    char *printed = cJSON_PrintUnformatted(&item);
    if (!printed) return STATUS_NO_MEMORY;
    const enum status status = text_append_string(json, printed);
    cJSON_free(printed);
    return status;
}

// Numbers as they stand in the document.
static enum status append_json(struct text *json, const cJSON *value) {
    if (cJSON_IsNumber(value)) return text_append_string(json, value->valuestring);
    if (cJSON_IsString(value)) return append_string(json, value->valuestring);
    if (!cJSON_IsArray(value) && !cJSON_IsObject(value))
        return text_append_string(json, cJSON_IsNull(value)   ? "null"
                                        : cJSON_IsTrue(value) ? "true"
                                                              : "false");
    TRY(text_append_string(json, cJSON_IsArray(value) ? "[" : "{"));
    for (const cJSON *child = value->child; child; child = child->next) {
        if (child != value->child) TRY(text_append_string(json, ", "));
        if (cJSON_IsObject(value)) TRY(append_string(json, child->string));
        if (cJSON_IsObject(value)) TRY(text_append_string(json, ": "));
        TRY(append_json(json, child));
    }
    return text_append_string(json, cJSON_IsArray(value) ? "]" : "}");
}

enum status schema_quote(struct text *out, const char *text) {
    TRY(text_append(out, "\"", 1));
    for (size_t left = strlen(text), used; left > 0; left -= used, text += used) {
        const uint32_t character = utf8_decode(text, left, &used);
        const bool bare = character >= ' ' && character < 0x7F && !strchr("\"\\", (int)character);
        TRY(bare ? text_append(out, text, 1) : text_format(out, "\\U%08X", character));
    }
    return text_append(out, "\"", 1);
}

enum status schema_literal(struct text *out, const cJSON *value) {
    struct text json = {0};
    enum status status = append_json(&json, value);
    if (status == STATUS_OK) status = schema_quote(out, text_string(&json));
    text_deinit(&json);
    return status;
}
