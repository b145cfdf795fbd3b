#include "app/base/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

enum {
    MINUTE_MS = 60 * 1000,
    HOUR_MS = 60 * MINUTE_MS,
    DAY_MS = 24 * HOUR_MS,
};

const char *count_format(int64_t count, char text[COUNT_TEXT_BYTES]) {
    char digits[COUNT_TEXT_BYTES];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, count);
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        const int left = length - i;
        if (i > (count < 0) && left % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

const char *nouns_format(int64_t count, const char *noun, char text[COUNT_TEXT_BYTES]) {
    char number[COUNT_TEXT_BYTES];
    snprintf(text, COUNT_TEXT_BYTES, "%s %s%s", count_format(count, number), noun,
             count == 1 ? "" : "s");
    return text;
}

const char *turns_format(int64_t count, char text[TURNS_TEXT_BYTES]) {
    return nouns_format(count, "turn", text);
}

const char *tokens_format(int64_t count, char text[COUNT_TEXT_BYTES]) {
    return nouns_format(count, "token", text);
}

const char *age_format(int64_t age_ms, char text[AGE_TEXT_BYTES]) {
    static const struct {
        int64_t from_ms, unit_ms;
        const char *unit;
    } scale[] = {{(int64_t)730 * DAY_MS, (int64_t)365 * DAY_MS, "y"},
                 {(int64_t)60 * DAY_MS, (int64_t)30 * DAY_MS, "mo"},
                 {(int64_t)2 * DAY_MS, DAY_MS, "d"},
                 {(int64_t)2 * HOUR_MS, HOUR_MS, "h"},
                 {MINUTE_MS, MINUTE_MS, "min"}};
    for (size_t i = 0; i < sizeof scale / sizeof scale[0]; i++) {
        if (age_ms < scale[i].from_ms) continue;
        snprintf(text, AGE_TEXT_BYTES, "%" PRId64 " %s", age_ms / scale[i].unit_ms, scale[i].unit);
        return text;
    }
    snprintf(text, AGE_TEXT_BYTES, "now");
    return text;
}

static int64_t clock_of(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t clock_ms(void) { return clock_of(CLOCK_MONOTONIC); }

int64_t calendar_ms(void) { return clock_of(CLOCK_REALTIME); }

// An unprintable character takes one column, because it is shown as a symbol.
int character_columns(uint32_t code_point) {
    const int columns = wcwidth((wchar_t)code_point);
    return columns < 0 ? 1 : columns;
}

int text_columns(const char *text) {
    const size_t length = strlen(text);
    int columns = 0;
    for (size_t at = 0, used; at < length; at += used)
        columns += character_columns(utf8_decode(text + at, length - at, &used));
    return columns;
}

enum status text_fit(struct text *out, const char *text, int columns, bool pad) {
    const size_t length = strlen(text);
    const bool cut = text_columns(text) > columns;
    const int room = cut ? columns - 1 : columns;
    int filled = 0;
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(text + at, length - at, &used);
        if (filled + character_columns(code_point) > room) break;
        filled += character_columns(code_point);
        if (code_point == '\n' || code_point == '\t')
            TRY(text_append(out, " ", 1));
        else
            TRY(text_append(out, text + at, used));
    }
    if (cut && columns > 0) {
        TRY(text_append_string(out, "…"));
        filled++;
    }
    for (; pad && filled < columns; filled++)
        TRY(text_append(out, " ", 1));
    return STATUS_OK;
}
