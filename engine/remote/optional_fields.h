// engine/remote/optional_fields.h — what may be left out of a query, and does a refusal name it?
//
// Servers know different fields, and many refuse a request for one that they do not know. Those
// that only help are left out without a word; those that somebody wished for, with a warning.
#ifndef ENGINE_REMOTE_OPTIONAL_FIELDS_H
#define ENGINE_REMOTE_OPTIONAL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

enum { // bits
    OMIT_CHOICES = 1 << 0,
    OMIT_ROUTE = 1 << 1,
    OMIT_USAGE = 1 << 2,
    OMIT_HELPFUL = OMIT_CHOICES | OMIT_ROUTE | OMIT_USAGE, // that nobody wished for
    OMIT_SEED = 1 << 3,
    OMIT_SALT = 1 << 4,
    OMIT_TEMPERATURE = 1 << 5,
    OMIT_TOP_P = 1 << 6,
    OMIT_TOP_K = 1 << 7,
    OMIT_MIN_P = 1 << 8,
    OMIT_REPEAT_PENALTY = 1 << 9,
    OMIT_PRESENCE_PENALTY = 1 << 10,
    OMIT_FREQUENCY_PENALTY = 1 << 11,
    OMIT_MAX_TOKENS = 1 << 12, // max_completion_tokens stands for it
};

// Which of them does `query` have, a request's JSON, so that it makes sense to ask without?
unsigned optional_fields_of(const char *query);

// Which of them does a refusal name?
unsigned optional_fields_named(const char *refusal, size_t length);

// Warns of those in `omitted` that somebody wished for.
void optional_fields_warn(unsigned omitted, const char *host);

#endif
