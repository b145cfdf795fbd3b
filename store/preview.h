// store/preview.h — the beginning of a text as one line, for lists and trees.
#ifndef STORE_PREVIEW_H
#define STORE_PREVIEW_H

#include <stddef.h>

// How many bytes of a text a SELECT reads for a preview: more than it shows, because runs of spaces
// are joined.
#define PREVIEW_READS "400"

// Writes one line of at most size - 1 bytes, without control characters, truncated characters or
// repeated spaces.
void preview_make(const char *bytes, size_t length, char *line, size_t size);

#endif
