#include "app/chat/stops.h"

#include <string.h>

static bool begins(const struct stops *stops, const char *text, size_t length, bool *matched) {
    bool open = false;
    for (size_t l = 0; l < 2; l++)
        for (const char *const *stop = stops->lists[l]; stop && *stop; stop++) {
            const size_t bytes = strlen(*stop);
            if (memcmp(text, *stop, bytes < length ? bytes : length) != 0) continue;
            if (bytes <= length) return *matched = true;
            open = true;
        }
    return open;
}

size_t stops_find(const struct stops *stops, const char *text, size_t from, size_t length,
                  bool *matched) {
    *matched = false;
    for (size_t at = from; at < length; at++)
        if (begins(stops, text + at, length - at, matched)) return at;
    return length;
}
