// prompts/jinja/show.h — values as text: Python's str() and repr(), and JSON.
//
// Characters of strings keep their origins; everything written around them is text. Numbers look as
// in Python: 1.0, 1e+16, the shortest digits that read back as the same number.
//
// Memory: output goes to the builder. Threads: no state of its own.
#ifndef PROMPTS_JINJA_SHOW_H
#define PROMPTS_JINJA_SHOW_H

#include "prompts/jinja/value.h"

enum {
    SHOW_NUMBER_BYTES = 40,
    SHOW_FLOAT_WORK = 256, // steps charged for writing or reading one
};
const char *show_float(double number, char text[SHOW_NUMBER_BYTES]);

// false: nested deeper than VALUE_MAX_DEPTH.
MUST_CHECK bool show_string(struct builder *out, const struct value *value); // str()
MUST_CHECK bool show_repr(struct builder *out, const struct value *value);

struct json_style {
    const struct chars *item_separator, *key_separator; // NULL: ", " or "," with an indent; ": "
    const struct chars *indent;                         // per level; NULL: one line
    bool ascii, sort_keys;
};

// NULL, or an error message; *kind is then the type that cannot be written, if that is the reason.
const char *show_json(struct builder *out, const struct value *value,
                      const struct json_style *style, const char **kind);

#endif
