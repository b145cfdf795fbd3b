// app/chat/stops.h — how much of an answer can be shown while a stop string may still begin in it?
//
// Stop strings may be spread over several tokens, so the end of a text that could be the
// beginning of one is held back until more text decides. No state, no memory.
#ifndef APP_STOPS_H
#define APP_STOPS_H

#include <stdbool.h>
#include <stddef.h>

struct stops {
    const char *const *lists[2]; // each NULL-terminated, or NULL; no string is empty
};

// The first place in text[from..length) where a stop string begins (*matched), or may begin
// once more text has come; `length` when there is none. Everything before it can be shown.
size_t stops_find(const struct stops *stops, const char *text, size_t from, size_t length,
                  bool *matched);

#endif
