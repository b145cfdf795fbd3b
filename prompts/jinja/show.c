#include "prompts/jinja/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/text.h"

// The fewest digits that read back as the same number, as "d.ddde±xx".
static void shortest(double number, char text[SHOW_NUMBER_BYTES]) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, SHOW_NUMBER_BYTES, "%.*e", digits - 1, number);
        if (strtod(text, NULL) == number) return;
    }
}

const char *show_float(double number, char text[SHOW_NUMBER_BYTES]) {
    enum { FIXED_FROM = -4, FIXED_BELOW = 16 };
    char scientific[SHOW_NUMBER_BYTES], digits[SHOW_NUMBER_BYTES];
    if (isnan(number)) return strcpy(text, "nan");
    if (isinf(number)) return strcpy(text, number < 0 ? "-inf" : "inf");
    shortest(fabs(number), scientific);
    const int exponent = atoi(strchr(scientific, 'e') + 1);
    int count = 0;
    for (const char *c = scientific; *c != 'e'; c++)
        if (*c != '.') digits[count++] = *c;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    const char *sign = signbit(number) ? "-" : "";
    if (exponent < FIXED_FROM || exponent >= FIXED_BELOW) {
        snprintf(text, SHOW_NUMBER_BYTES, "%s%c%s%.*se%c%02d", sign, digits[0],
                 count > 1 ? "." : "", count - 1, digits + 1, exponent < 0 ? '-' : '+',
                 abs(exponent));
    } else if (exponent < 0) {
        snprintf(text, SHOW_NUMBER_BYTES, "%s0.%.*s%.*s", sign, -exponent - 1, "000", count,
                 digits);
    } else {
        const int whole = exponent + 1, known = count < whole ? count : whole;
        snprintf(text, SHOW_NUMBER_BYTES, "%s%.*s%.*s.%.*s", sign, known, digits, whole - known,
                 "0000000000000000", count > whole ? count - whole : 1,
                 count > whole ? digits + whole : "0");
    }
    return text;
}

// Numbers cost more than the bytes they become. If too little work is left, the builder fails, and
// builder_finish()'s caller finds no work left.
static void count_work(struct builder *out, uint64_t units) {
    if (!out->work) return;
    if (*out->work < units) out->failed = true;
    *out->work -= *out->work < units ? *out->work : units;
}

static void push_float(struct builder *out, double number) {
    char text[SHOW_NUMBER_BYTES];
    count_work(out, SHOW_FLOAT_WORK);
    if (!out->failed) builder_push_string(out, show_float(number, text));
}

static void push_integer(struct builder *out, int64_t integer) {
    char text[SHOW_NUMBER_BYTES];
    count_work(out, 2);
    snprintf(text, sizeof text, "%" PRId64, integer);
    builder_push_string(out, text);
}

// Writes one character of a repr(), escaped as Python does.
static void push_repr_character(struct builder *out, const struct chars *string, size_t at,
                                size_t used, uint32_t c, char quote) {
    const enum origin origin = chars_origin(string, at);
    char escape[16];
    if (c == (uint32_t)quote || c == '\\')
        snprintf(escape, sizeof escape, "\\%c", (char)c);
    else if (c == '\n' || c == '\r' || c == '\t')
        snprintf(escape, sizeof escape, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
    else if (char_is_printable(c)) {
        builder_push_slice(out, string, at, at + used);
        return;
    } else
        snprintf(escape, sizeof escape,
                 c > 0xFFFF ? "\\U%08" PRIx32
                 : c > 0xFF ? "\\u%04" PRIx32
                            : "\\x%02" PRIx32,
                 c);
    builder_push(out, escape, strlen(escape), origin);
}

static void push_repr(struct builder *out, const struct chars *string) {
    const bool single = string->length && memchr(string->bytes, '\'', string->length);
    const bool twice = string->length && memchr(string->bytes, '"', string->length);
    const char quote = single && !twice ? '"' : '\'';
    builder_push(out, &quote, 1, ORIGIN_TEXT);
    for (size_t at = 0, used; at < string->length; at += used) {
        const uint32_t c = utf8_decode(string->bytes + at, string->length - at, &used);
        push_repr_character(out, string, at, used, c, quote);
    }
    builder_push(out, &quote, 1, ORIGIN_TEXT);
}

static bool show(struct builder *out, const struct value *value, bool quoted, int depth);

static bool show_list(struct builder *out, const struct value *value, int depth) {
    const struct list *list = value->as.list;
    const bool tuple = value->kind == VALUE_TUPLE;
    builder_push_string(out, tuple ? "(" : "[");
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0) builder_push_string(out, ", ");
        if (!show(out, &list->items[i], true, depth + 1)) return false;
    }
    builder_push_string(out, tuple && list->count == 1 ? ",)" : tuple ? ")" : "]");
    return true;
}

static bool show_dict(struct builder *out, const struct dict *dict, int depth) {
    builder_push_string(out, "{");
    for (size_t i = 0; i < dict->count; i++) {
        if (i > 0) builder_push_string(out, ", ");
        if (!show(out, &dict->entries[i].key, true, depth + 1)) return false;
        builder_push_string(out, ": ");
        if (!show(out, &dict->entries[i].value, true, depth + 1)) return false;
    }
    builder_push_string(out, "}");
    return true;
}

static void show_range(struct builder *out, const struct range *range) {
    char text[96];
    snprintf(text, sizeof text, "range(%" PRId64 ", %" PRId64, range->start, range->stop);
    builder_push_string(out, text);
    if (range->step != 1) {
        snprintf(text, sizeof text, ", %" PRId64, range->step);
        builder_push_string(out, text);
    }
    builder_push_string(out, ")");
}

static bool show(struct builder *out, const struct value *value, bool quoted, int depth) {
    if (out->failed) return true; // further output would be dropped
    if (depth > VALUE_MAX_DEPTH) return false;
    switch (value->kind) {
    case VALUE_UNDEFINED:
        if (quoted) builder_push_string(out, "Undefined");
        return true;
    case VALUE_NONE:
        builder_push_string(out, "None");
        return true;
    case VALUE_BOOLEAN:
        builder_push_string(out, value->as.boolean ? "True" : "False");
        return true;
    case VALUE_INTEGER:
        push_integer(out, value->as.integer);
        return true;
    case VALUE_FLOAT:
        push_float(out, value->as.number);
        return true;
    case VALUE_STRING:
        if (quoted)
            push_repr(out, value->as.string);
        else
            builder_push_chars(out, value->as.string);
        return true;
    case VALUE_LIST:
    case VALUE_TUPLE:
        return show_list(out, value, depth);
    case VALUE_VIEW:
        builder_push_string(out, value->as.list->name);
        builder_push_string(out, "(");
        if (!show_list(out, value, depth)) return false;
        builder_push_string(out, ")");
        return true;
    case VALUE_DICT:
        return show_dict(out, value->as.dict, depth);
    case VALUE_RANGE:
        show_range(out, value->as.range);
        return true;
    case VALUE_GENERATOR:
    case VALUE_NAMESPACE:
    case VALUE_LOOP:
    case VALUE_MACRO:
    case VALUE_METHOD:
    case VALUE_BUILTIN:
    case VALUE_CYCLER:
    case VALUE_JOINER:
        builder_push_string(out, "<");
        builder_push_string(out, value_type_name(value));
        builder_push_string(out, ">");
        return true;
    }
    return true;
}

bool show_string(struct builder *out, const struct value *value) {
    return show(out, value, false, 0);
}

bool show_repr(struct builder *out, const struct value *value) { return show(out, value, true, 0); }

struct json {
    struct builder *out;
    const struct json_style *style;
    const char *wrong, *kind;
};

static void push_unicode_escape(struct builder *out, uint32_t c, enum origin origin) {
    char escape[16];
    if (c > 0xFFFF)
        snprintf(escape, sizeof escape, "\\u%04" PRIx32 "\\u%04" PRIx32,
                 0xD800 + ((c - 0x10000) >> 10), 0xDC00 + ((c - 0x10000) & 0x3FF));
    else
        snprintf(escape, sizeof escape, "\\u%04" PRIx32, c);
    builder_push(out, escape, strlen(escape), origin);
}

static void json_string(struct json *json, const struct chars *string) {
    static const char letters[] = "\"\\\n\r\t\b\f", escapes[] = "\"\\nrtbf";
    struct builder *out = json->out;
    builder_push_string(out, "\"");
    size_t plain = 0;
    for (size_t at = 0, used; at < string->length; at += used) {
        const uint32_t c = utf8_decode(string->bytes + at, string->length - at, &used);
        const char *letter = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
        if (!letter && c >= 0x20 && !(json->style->ascii && c > 0x7E)) continue;
        builder_push_slice(out, string, plain, at);
        plain = at + used;
        const enum origin origin = chars_origin(string, at);
        const char pair[] = {'\\', letter ? escapes[letter - letters] : '\0'};
        if (letter)
            builder_push(out, pair, 2, origin);
        else
            push_unicode_escape(out, c, origin);
    }
    builder_push_slice(out, string, plain, string->length);
    builder_push_string(out, "\"");
}

static void json_line(struct json *json, int depth) {
    if (!json->style->indent) return;
    builder_push_string(json->out, "\n");
    for (int i = 0; i < depth && json->style->indent->length; i++)
        builder_push_chars(json->out, json->style->indent);
}

static void json_separator(struct json *json, bool first, int depth) {
    const struct chars *separator = json->style->item_separator;
    if (!first && separator)
        builder_push_chars(json->out, separator);
    else if (!first)
        builder_push_string(json->out, json->style->indent ? "," : ", ");
    json_line(json, depth);
}

static void json_value(struct json *json, const struct value *value, int depth);

static void json_list(struct json *json, const struct list *list, int depth) {
    builder_push_string(json->out, "[");
    for (size_t i = 0; i < list->count && !json->wrong; i++) {
        json_separator(json, i == 0, depth + 1);
        json_value(json, &list->items[i], depth + 1);
    }
    if (list->count) json_line(json, depth);
    builder_push_string(json->out, "]");
}

static void json_number(struct json *json, double number) {
    if (isnan(number))
        builder_push_string(json->out, "NaN");
    else if (isinf(number))
        builder_push_string(json->out, number < 0 ? "-Infinity" : "Infinity");
    else
        push_float(json->out, number);
}

static void json_scalar(struct json *json, const struct value *value) {
    if (value->kind == VALUE_NONE)
        builder_push_string(json->out, "null");
    else if (value->kind == VALUE_BOOLEAN)
        builder_push_string(json->out, value->as.boolean ? "true" : "false");
    else if (value->kind == VALUE_FLOAT)
        json_number(json, value->as.number);
    else
        push_integer(json->out, value->as.integer);
}

static void json_key(struct json *json, const struct value *key) {
    if (key->kind == VALUE_STRING) {
        json_string(json, key->as.string);
        return;
    }
    if (key->kind == VALUE_TUPLE) json->wrong = "a tuple cannot be a key in JSON";
    if (json->wrong) return;
    builder_push_string(json->out, "\"");
    json_scalar(json, key);
    builder_push_string(json->out, "\"");
}

static int by_key(const void *a, const void *b) {
    const struct dict_entry *left = a, *right = b;
    return chars_compare(left->key.as.string, right->key.as.string);
}

// The entries in the order to write them; NULL if keys of different kinds cannot be sorted.
static const struct dict_entry *json_order(struct json *json, const struct dict *dict) {
    if (!json->style->sort_keys || dict->count == 0) return dict->entries;
    struct dict_entry *sorted = arena_alloc(json->out->arena, dict->count, sizeof *sorted);
    for (size_t i = 0; i < dict->count; i++)
        if (dict->entries[i].key.kind != VALUE_STRING) {
            json->wrong = "keys that are not all strings cannot be sorted";
            return NULL;
        }
    if (!sorted) {
        json->out->failed = true;
        return dict->entries;
    }
    memcpy(sorted, dict->entries, dict->count * sizeof *sorted);
    qsort(sorted, dict->count, sizeof *sorted, by_key);
    return sorted;
}

static void json_dict(struct json *json, const struct dict *dict, int depth) {
    const struct dict_entry *entries = json_order(json, dict);
    builder_push_string(json->out, "{");
    for (size_t i = 0; i < dict->count && !json->wrong; i++) {
        json_separator(json, i == 0, depth + 1);
        json_key(json, &entries[i].key);
        if (json->style->key_separator)
            builder_push_chars(json->out, json->style->key_separator);
        else
            builder_push_string(json->out, ": ");
        json_value(json, &entries[i].value, depth + 1);
    }
    if (dict->count) json_line(json, depth);
    builder_push_string(json->out, "}");
}

static void json_value(struct json *json, const struct value *value, int depth) {
    if (depth > VALUE_MAX_DEPTH) json->wrong = "a value is nested too deeply to write as JSON";
    if (json->wrong || json->out->failed) return;
    switch (value->kind) {
    case VALUE_NONE:
    case VALUE_BOOLEAN:
    case VALUE_INTEGER:
    case VALUE_FLOAT:
        json_scalar(json, value);
        return;
    case VALUE_STRING:
        json_string(json, value->as.string);
        return;
    case VALUE_LIST:
    case VALUE_TUPLE:
        json_list(json, value->as.list, depth);
        return;
    case VALUE_DICT:
        json_dict(json, value->as.dict, depth);
        return;
    case VALUE_UNDEFINED:
    case VALUE_VIEW:
    case VALUE_GENERATOR:
    case VALUE_RANGE:
    case VALUE_NAMESPACE:
    case VALUE_LOOP:
    case VALUE_MACRO:
    case VALUE_METHOD:
    case VALUE_BUILTIN:
    case VALUE_CYCLER:
    case VALUE_JOINER:
        json->wrong = "is not JSON serializable";
        json->kind = value_type_name(value);
        return;
    }
}

const char *show_json(struct builder *out, const struct value *value,
                      const struct json_style *style, const char **kind) {
    struct json json = {.out = out, .style = style};
    json_value(&json, value, 0);
    *kind = json.kind;
    return json.wrong;
}
