// prompts/jinja/json_value.h — reads JSON into template values.
//
// Objects keep the order of their keys; as in Python, 1 is an integer and 1.0 is not. Strings are
// text: none of this input can become a special token.
//
// Memory: values are in the arena. Threads: no state of its own.
#ifndef PROMPTS_JINJA_JSON_VALUE_H
#define PROMPTS_JINJA_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "prompts/jinja/value.h"

// BAD_INPUT: not UTF-8, not JSON (the error says where), a NUL in a string, a number out of range,
// or nested deeper than VALUE_MAX_DEPTH. FULL: too large for the arena.
MUST_CHECK enum status json_value_read(const char *bytes, size_t length, struct arena *arena,
                                       struct value *value, struct error *err);

// Does this JSON contain a NUL, literally or as \u0000? A cJSON string would end there.
bool json_has_nul(const char *bytes, size_t length);

#endif
