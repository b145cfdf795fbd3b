#include "app/chat/stops.h"

#include <string.h>

#include "app/base/path.h"

enum status stop_words_read(struct stop_words *words, const char *typed, struct error *err) {
    struct stop_words fresh = {0};
    struct text word = {0};
    enum status status = STATUS_OK;
    size_t count = 0;
    for (; status == STATUS_OK && path_next(&typed, &word); text_clear(&word), count++)
        status = word.length ? text_append(&fresh.bytes, text_string(&word), word.length + 1)
                             : error_set(err, STATUS_BAD_INPUT, "a stop string must not be empty");
    text_deinit(&word);
    if (status == STATUS_OK && count > STOP_WORDS_MAX)
        status =
            error_set(err, STATUS_BAD_INPUT, "too many stop strings (at most %d)", STOP_WORDS_MAX);
    if (status != STATUS_OK) {
        stop_words_deinit(&fresh);
        return status;
    }
    const char *at = text_string(&fresh.bytes);
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1)
        fresh.list[i] = at;
    stop_words_deinit(words);
    *words = fresh;
    return STATUS_OK;
}

void stop_words_deinit(struct stop_words *words) {
    text_deinit(&words->bytes);
    *words = (struct stop_words){0};
}

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
