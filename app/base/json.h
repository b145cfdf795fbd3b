// app/base/json.h — JSON for programs, on stdout.
//
// Each function returns false when memory is short, so that an object is printed whole or not at
// all. What is printed is UTF-8: other bytes, which a file name may have, become U+FFFD.
#ifndef APP_JSON_H
#define APP_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "kernels/base/text.h"

bool json_add_number(cJSON *object, const char *name, double value);
bool json_add_text(cJSON *object, const char *name, const char *value); // NULL: null

// Adds a text that may contain NULs, where a cJSON string would end.
bool json_add_bytes(cJSON *object, const char *name, const char *bytes, size_t length);

// Appends a quoted JSON string, escaping all characters that control a terminal.
MUST_CHECK enum status json_append_string(struct text *out, const char *bytes, size_t length);

// Prints JSON and a newline, escaping all characters that control a terminal (printable.h).
bool json_print(const char *json);

// The same for a cJSON tree, on one line (compact) or indented. Frees `json`; NULL returns false.
bool json_put(cJSON *json, bool compact);

#endif
