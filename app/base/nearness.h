// app/base/nearness.h — which word was probably meant.
#ifndef APP_NEARNESS_H
#define APP_NEARNESS_H

#include <stddef.h>

// How many letters must be changed, added or dropped to make one of the other (Levenshtein).
// SIZE_MAX: one of them is longer than NEARNESS_MAX_BYTES.
enum { NEARNESS_MAX_BYTES = 24 };
size_t nearness_edits(const char *a, const char *b);

#endif
