#include "prompts/jinja/json_value.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/text.h"

// cJSON stores numbers only as doubles. They appear in the text in the order of the tree, so a
// second pass over the text finds which are integers, and all their digits.
struct reader {
    struct arena *arena;
    struct error *err;
    const char *at, *end;
};

static bool begins_number(char c) { return c == '-' || (c >= '0' && c <= '9'); }

// Moves past the string that begins at `at`.
static const char *skip_string(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at + 1 : end;
}

static enum status read_number(struct reader *reader, struct value *value) {
    enum { NUMBER_BYTES = 512 };
    char digits[NUMBER_BYTES];
    while (reader->at < reader->end && !begins_number(*reader->at))
        reader->at = *reader->at == '"' ? skip_string(reader->at, reader->end) : reader->at + 1;
    size_t length = 0;
    while (reader->at < reader->end && *reader->at && strchr("+-0123456789.eE", *reader->at)) {
        if (length + 1 == sizeof digits)
            return error_set(reader->err, STATUS_BAD_INPUT, "a number has more than %zu digits",
                             length);
        digits[length++] = *reader->at++;
    }
    digits[length] = '\0';
    errno = 0;
    if (strpbrk(digits, ".eE"))
        *value = value_float(strtod(digits, NULL));
    else
        *value = value_integer(strtoll(digits, NULL, 10));
    if (errno == ERANGE && value->kind == VALUE_INTEGER)
        return error_set(reader->err, STATUS_BAD_INPUT, "the number %.40s does not fit in 64 bits",
                         digits);
    return STATUS_OK;
}

static enum status convert(struct reader *reader, const cJSON *item, int depth,
                           struct value *value);

static enum status convert_array(struct reader *reader, const cJSON *array, int depth,
                                 struct value *value) {
    struct list *list;
    TRY(value_list(reader->arena, VALUE_LIST, &list, value));
    for (const cJSON *item = array->child; item; item = item->next) {
        struct value one;
        TRY(convert(reader, item, depth + 1, &one));
        TRY(list_push(reader->arena, list, one));
    }
    return STATUS_OK;
}

static enum status convert_object(struct reader *reader, const cJSON *object, int depth,
                                  struct value *value) {
    struct value made;
    TRY(value_dict(reader->arena, &made));
    for (const cJSON *item = object->child; item; item = item->next) {
        struct value key, one;
        TRY(value_text(reader->arena, item->string, strlen(item->string), ORIGIN_TEXT, &key));
        TRY(convert(reader, item, depth + 1, &one));
        TRY(dict_set(reader->arena, made.as.dict, key, one));
    }
    *value = made;
    return STATUS_OK;
}

static enum status convert(struct reader *reader, const cJSON *item, int depth,
                           struct value *value) {
    if (depth >= VALUE_MAX_DEPTH)
        return error_set(reader->err, STATUS_BAD_INPUT, "nested too deeply (at most %d levels)",
                         VALUE_MAX_DEPTH);
    if (cJSON_IsArray(item)) return convert_array(reader, item, depth, value);
    if (cJSON_IsObject(item)) return convert_object(reader, item, depth, value);
    if (cJSON_IsNumber(item)) return read_number(reader, value);
    if (cJSON_IsString(item))
        return value_text(reader->arena, item->valuestring, strlen(item->valuestring), ORIGIN_TEXT,
                          value);
    *value = cJSON_IsBool(item) ? value_boolean(cJSON_IsTrue(item)) : value_none();
    return STATUS_OK;
}

// A backslash that is itself escaped begins no \u0000.
bool json_has_nul(const char *bytes, size_t length) {
    if (memchr(bytes, '\0', length)) return true;
    const char *end = bytes + length;
    for (const char *at = bytes; (at = memmem(at, (size_t)(end - at), "\\u0000", 6)); at++) {
        size_t before = 0;
        while (at - before > bytes && at[-1 - (ptrdiff_t)before] == '\\')
            before++;
        if (before % 2 == 0) return true;
    }
    return false;
}

enum status json_value_read(const char *bytes, size_t length, struct arena *arena,
                            struct value *value, struct error *err) {
    size_t offset;
    const char *stop = NULL;
    if (!utf8_valid(bytes, length, &offset))
        return error_set(err, STATUS_BAD_INPUT, "not UTF-8: byte 0x%02x at offset %zu",
                         (unsigned char)bytes[offset], offset);
    if (json_has_nul(bytes, length))
        return error_set(err, STATUS_BAD_INPUT, "a string contains a NUL byte");
    cJSON *json = cJSON_ParseWithLengthOpts(bytes, length, &stop, false);
    if (!json)
        return error_set(err, STATUS_BAD_INPUT, "invalid JSON at offset %zu",
                         stop ? (size_t)(stop - bytes) : (size_t)0);
    while (stop < bytes + length && strchr(" \t\r\n", *stop))
        stop++;
    struct reader reader = {.arena = arena, .err = err, .at = bytes, .end = stop};
    enum status status = STATUS_OK;
    if (stop < bytes + length)
        status =
            error_set(err, STATUS_BAD_INPUT, "invalid JSON at offset %zu", (size_t)(stop - bytes));
    if (status == STATUS_OK) status = convert(&reader, json, 0, value);
    cJSON_Delete(json);
    return status;
}
