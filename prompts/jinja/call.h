// prompts/jinja/call.h — the arguments of a call in a template, positional and named.
#ifndef PROMPTS_JINJA_CALL_H
#define PROMPTS_JINJA_CALL_H

#include "prompts/jinja/value.h"

struct named_value {
    const struct chars *name;
    struct value value;
};

struct arguments {
    const struct value *values;
    size_t count;
    const struct named_value *named;
    size_t named_count;
};

enum { BUILTIN_MAX_PARAMETERS = 6 };

struct call {
    const struct value *self; // the value that a filter, test or method applies to
    const struct value *values[BUILTIN_MAX_PARAMETERS];
    const struct arguments *all;
};

#endif
