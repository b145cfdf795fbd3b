// app/chat/stops.h — how much of an answer can be shown while a stop string may still begin in it?
//
// Stop strings may be spread over several tokens, so the end of a text that could be the
// beginning of one is held back until more text decides.
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
    struct text bytes; // of all, each with its NUL
    const char *list[STOP_WORDS_MAX + 1];
};

// The words that a person has typed; blanks may be in "quotation marks", or after a backslash.
// BAD_INPUT: too many. On failure nothing has changed.
MUST_CHECK enum status stop_words_read(struct stop_words *words, const char *typed,
                                       struct error *err);
void stop_words_deinit(struct stop_words *words);

// The first place in text[from..length) where a stop string begins (*matched), or may begin
// once more text has come; `length` when there is none. Everything before it can be shown.
size_t stops_find(const struct stops *stops, const char *text, size_t from, size_t length,
                  bool *matched);

#endif
