#include "app/base/json.h"

#include <inttypes.h>
#include <string.h>

#include "app/base/output.h"
#include "app/base/printable.h"

bool json_add_number(cJSON *object, const char *name, double value) {
    return cJSON_AddNumberToObject(object, name, value) != NULL;
}

bool json_add_text(cJSON *object, const char *name, const char *value) {
    if (!value) return cJSON_AddNullToObject(object, name) != NULL;
    return cJSON_AddStringToObject(object, name, value) != NULL;
}

// "\u001b"; a surrogate pair beyond U+FFFF.
static enum status append_escape(struct text *out, uint32_t code_point) {
    if (code_point < 0x10000) return text_format(out, "\\u%04" PRIx32, code_point);
    const uint32_t offset = code_point - 0x10000;
    return text_format(out, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 + (offset >> 10),
                       0xdc00 + (offset & 0x3ff));
}

// U+FFFD, which also replaces ill-formed parts of a text, such as a byte of a file name.
static const char REPLACEMENT[] = "\xef\xbf\xbd";

enum status json_append_string(struct text *out, const char *bytes, size_t length) {
    static const char plain[] = "\"\\\n\t\r", names[] = "\"\\ntr";
    TRY(text_append_string(out, "\""));
    size_t begin = 0;
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t character = utf8_decode(bytes + at, length - at, &used);
        const char *named = character && character < 0x80 ? strchr(plain, bytes[at]) : NULL;
        const bool replaced = character == UTF8_REPLACEMENT;
        if (!named && !replaced && !printable_is_hidden(character)) continue;
        TRY(text_append(out, bytes + begin, at - begin));
        if (named)
            TRY(text_format(out, "\\%c", names[named - plain]));
        else if (replaced)
            TRY(text_append_string(out, REPLACEMENT));
        else
            TRY(append_escape(out, character));
        begin = at + used;
    }
    if (length > begin) TRY(text_append(out, bytes + begin, length - begin));
    return text_append_string(out, "\"");
}

bool json_add_bytes(cJSON *object, const char *name, const char *bytes, size_t length) {
    struct text string = {0};
    const bool whole = json_append_string(&string, bytes, length) == STATUS_OK &&
                       cJSON_AddRawToObject(object, name, string.bytes);
    text_deinit(&string);
    return whole;
}

// Any hidden characters left by cJSON are inside strings, where an escape means the same.
static enum status escape_hidden(const char *json, struct text *out) {
    const size_t length = strlen(json);
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(json + at, length - at, &used);
        const bool blank = code_point == '\n' || code_point == '\t';
        if (printable_is_hidden(code_point) && !blank)
            TRY(append_escape(out, code_point));
        else if (code_point == UTF8_REPLACEMENT)
            TRY(text_append_string(out, REPLACEMENT));
        else
            TRY(text_append(out, json + at, used));
    }
    return text_append(out, "\n", 1);
}

bool json_print(const char *json) {
    struct text line = {0};
    const bool whole = escape_hidden(json, &line) == STATUS_OK;
    if (whole) output_write(line.bytes, line.length);
    text_deinit(&line);
    return whole;
}

bool json_put(cJSON *json, bool compact) {
    char *text = !json ? NULL : compact ? cJSON_PrintUnformatted(json) : cJSON_Print(json);
    cJSON_Delete(json);
    const bool whole = text && json_print(text);
    cJSON_free(text);
    return whole;
}
