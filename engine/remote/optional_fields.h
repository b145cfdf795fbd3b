// engine/remote/optional_fields.h — which fields may be left out of a query, and which does a
// refusal name?
//
// Servers support different fields, and many refuse a request because of one that they do not know.
// Fields that merely help are then left out silently; fields that the user asked for, with a
// warning.
#ifndef ENGINE_REMOTE_OPTIONAL_FIELDS_H
#define ENGINE_REMOTE_OPTIONAL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

enum { // bits
    OMIT_CHOICES = 1 << 0,
    OMIT_ROUTE = 1 << 1,
    OMIT_USAGE = 1 << 2,
    OMIT_HELPFUL = OMIT_CHOICES | OMIT_ROUTE | OMIT_USAGE, // not requested by the user
    OMIT_SEED = 1 << 3,
    OMIT_SALT = 1 << 4,
    OMIT_TEMPERATURE = 1 << 5,
    OMIT_TOP_P = 1 << 6,
    OMIT_TOP_K = 1 << 7,
    OMIT_MIN_P = 1 << 8,
    OMIT_REPEAT_PENALTY = 1 << 9,
    OMIT_PRESENCE_PENALTY = 1 << 10,
    OMIT_FREQUENCY_PENALTY = 1 << 11,
    OMIT_MAX_TOKENS = 1 << 12, // send max_completion_tokens instead
};

// Which of them does `query`, the JSON of a request, contain, so that leaving them out may help?
unsigned optional_fields_of(const char *query);

// Which of them does a refusal name?
unsigned optional_fields_named(const char *refusal, size_t length);

// Does a refusal say that the server does not know a field?
bool optional_fields_unknown(const char *refusal, size_t length);

// Warns about those in `omitted` that the user asked for.
void optional_fields_warn(unsigned omitted, const char *host);

#endif
