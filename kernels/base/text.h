// kernels/base/text.h — UTF-8, and a string that grows.
//
// UTF-8 is Unicode's (RFC 3629): no overlong forms, no surrogates, at most U+10FFFF.
// Not thread-safe: a text has one owner.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Owned bytes, always followed by a NUL that `length` does not count; {0} is the
// empty text, whose `bytes` is NULL: read it through text_string().
struct text {
    char *bytes;
    size_t length, capacity;
};

void text_deinit(struct text *text);   // frees, and leaves {0}
void text_clear(struct text *text);    // keeps the memory
void text_trim_end(struct text *text); // of blanks and line ends
static inline const char *text_string(const struct text *text) {
    return text->bytes ? text->bytes : "";
}

// NO_MEMORY leaves the text as it was.
MUST_CHECK enum status text_append(struct text *text, const char *bytes, size_t length);
MUST_CHECK enum status text_append_string(struct text *text, const char *string);
MUST_CHECK enum status text_format(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3))); // appends

enum { UTF8_MAX_BYTES = 4, UTF8_REPLACEMENT = 0xFFFD };

// The code point at the start of bytes[0..length), length > 0, and how many bytes it takes.
// An ill-formed start yields UTF8_REPLACEMENT and the length of its maximal subpart (Unicode
// 15, section 3.9, U+FFFD substitution), so that a loop always moves on.
uint32_t utf8_decode(const char *bytes, size_t length, size_t *used);

// Writes 1 to 4 bytes, returns how many.
size_t utf8_encode(uint32_t code_point, char bytes[UTF8_MAX_BYTES]);

// True for well-formed UTF-8; else false and *bad_offset (may be NULL) is the first bad byte.
bool utf8_valid(const char *bytes, size_t length, size_t *bad_offset);

// Does well-formed UTF-8 contain a control character (below U+0020, or U+007F to U+009F)? Shown as
// it is, one could control a terminal.
bool utf8_has_control(const char *bytes, size_t length);

// How many bytes at the end of bytes[0..length) begin a character that is not complete yet:
// 0 to 3. What a stream must hold back.
size_t utf8_incomplete_tail(const char *bytes, size_t length);

#ifdef __cplusplus
}
#endif
// Copies a name that people see, as much as fits and never half a character. False, with `name`
// untouched, if it is empty or cannot be shown.
bool utf8_copy_name(const char *bytes, size_t length, char *name, size_t name_bytes);

#endif
