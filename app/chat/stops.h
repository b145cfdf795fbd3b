// app/chat/stops.h — how much of an answer can be shown before a stop string might begin?
//
// A stop string may span several tokens, so the end of a text is held back while it could be the
// start of one.
#ifndef APP_STOPS_H
#define APP_STOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/text.h"

struct stops {
    const char *const *lists[2]; // each NULL-terminated, or NULL; no string is empty
};

enum { STOP_WORDS_MAX = 63 };

struct stop_words {    // {0}: none
    struct text bytes; // all words, each with its NUL
    const char *list[STOP_WORDS_MAX + 1];
};

// Reads words as typed; blanks may be "quoted" or follow a backslash. BAD_INPUT: more than
// STOP_WORDS_MAX, or an empty one. On failure nothing changes.
MUST_CHECK enum status stop_words_read(struct stop_words *words, const char *typed,
                                       struct error *err);
void stop_words_deinit(struct stop_words *words);

// The first offset in text[from..length) where a stop string begins (*matched) or could begin once
// more text arrives; else `length`. Everything before it can be shown.
size_t stops_find(const struct stops *stops, const char *text, size_t from, size_t length,
                  bool *matched);

#endif
