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

// Hidden characters that cJSON leaves are in strings, where an escape means the same.
static enum status escape_hidden(const char *json, struct text *out) {
    const size_t length = strlen(json);
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(json + at, length - at, &used);
        const bool blank = code_point == '\n' || code_point == '\t';
        if (printable_is_hidden(code_point) && !blank)
            TRY(text_format(out, "\\u%04" PRIx32, code_point));
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
