// app/base/json.h — JSON for programs, on stdout.
//
// Each returns false when memory is short, so that an object is whole or not printed.
#ifndef APP_JSON_H
#define APP_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "kernels/base/text.h"

bool json_add_number(cJSON *object, const char *name, double value);
bool json_add_text(cJSON *object, const char *name, const char *value); // NULL: null

// A text of so many bytes, among which may be NUL: cJSON's texts end there.
bool json_add_bytes(cJSON *object, const char *name, const char *bytes, size_t length);

// Appends it as a string, with escapes for what a terminal would obey.
MUST_CHECK enum status json_append_string(struct text *out, const char *bytes, size_t length);

// JSON with a line break, and no character that a terminal would obey (printable.h).
bool json_print(const char *json);

// The same, as one line (compact) or a document; takes `json`, of which NULL is false.
bool json_put(cJSON *json, bool compact);

#endif
