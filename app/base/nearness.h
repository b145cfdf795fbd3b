// app/base/nearness.h — how close are two words? For "did you mean …".
#ifndef APP_NEARNESS_H
#define APP_NEARNESS_H

#include <stddef.h>

// The Levenshtein distance: letters to change, add or drop to turn one word into the other.
// SIZE_MAX: one of them is longer than NEARNESS_MAX_BYTES.
enum { NEARNESS_MAX_BYTES = 24 };
size_t nearness_edits(const char *a, const char *b);

#endif
