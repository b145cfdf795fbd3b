// kernels/base/size.h — sizes that cannot wrap, and sizes as people write them.
#ifndef BASE_SIZE_H
#define BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// True and *result set when a*b (a+b) fits; false and *result untouched otherwise.
// For numbers that come from files; our own products just start in size_t.
static inline bool size_mul(size_t a, size_t b, size_t *result) {
    size_t product;
    if (__builtin_mul_overflow(a, b, &product)) return false;
    *result = product;
    return true;
}

static inline bool size_add(size_t a, size_t b, size_t *result) {
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum)) return false;
    *result = sum;
    return true;
}

static inline size_t size_round_up(size_t value, size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// Reads "512", "64K", "1.5G", "2GiB" (powers of 1024). BAD_INPUT for anything else,
// for trailing text and for what does not fit.
MUST_CHECK enum status size_parse(const char *text, size_t *bytes);

enum { SIZE_TEXT_BYTES = 16 };

// "1.5 GiB", "640 B": for people. Returns `text`.
const char *size_format(size_t bytes, char text[SIZE_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
