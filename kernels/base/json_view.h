// kernels/base/json_view.h — what does this JSON say, read where it stands?
//
// json_view_open() checks a whole text once (RFC 8259: well-formed UTF-8, nothing behind the
// value, no half of a surrogate pair, at most JSON_VIEW_MAX_DEPTH levels). A view is a value in
// it; after that check every walk is sure to find what the grammar promises, so nothing below
// fails. No tree is built: a file of a hundred megabytes costs a hundred megabytes, and time in
// proportion to the bytes walked over. Finding a member walks over those before it.
//
// Memory: none; views borrow the text. Threads: any, as nothing is written.
#ifndef BASE_JSON_VIEW_H
#define BASE_JSON_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

enum { JSON_VIEW_MAX_DEPTH = 64 };

enum json_kind {
    JSON_ABSENT, // {0}: no such member
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_STRING,
    JSON_NUMBER,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
};

struct json_view {
    const char *bytes; // the value's first byte
    size_t length;     // of the value, or up to the end of the text: see json_view_next()
};

// A byte order mark in front is passed over. BAD_INPUT says at which byte what is wrong; `name`
// begins the sentence.
MUST_CHECK enum status json_view_open(const char *bytes, size_t length, const char *name,
                                      struct json_view *view, struct error *err);

enum json_kind json_view_kind(struct json_view view);

// Walks an object's members or an array's items: *cursor begins as 0. `key` may be NULL. False
// at the end, and for any other kind of value.
bool json_view_next(struct json_view view, size_t *cursor, struct json_view *key,
                    struct json_view *value);

// The first member with this name, or JSON_ABSENT (also when `view` is no object).
struct json_view json_view_find(struct json_view view, const char *name);

// The string without quotes and escapes. `out` has json_view_string_bound() bytes; no
// terminator. Returns the bytes written.
size_t json_view_string_bound(struct json_view string);
size_t json_view_string(struct json_view string, char *out);
bool json_view_is(struct json_view view, const char *string); // a string, and this one

// False if it is not a number, or not an integer that fits.
bool json_view_double(struct json_view view, double *number);
bool json_view_int(struct json_view view, int64_t *number);

#endif
