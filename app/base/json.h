// app/base/json.h — JSON for programs, on stdout.
//
// Each returns false when memory is short, so that an object is whole or not printed.
#ifndef APP_JSON_H
#define APP_JSON_H

#include <stdbool.h>

#include <cjson/cJSON.h>

bool json_add_number(cJSON *object, const char *name, double value);
bool json_add_text(cJSON *object, const char *name, const char *value); // NULL: null

// JSON with a line break, and no character that a terminal would obey (printable.h).
bool json_print(const char *json);

// The same, as one line (compact) or a document; takes `json`, of which NULL is false.
bool json_put(cJSON *json, bool compact);

#endif
