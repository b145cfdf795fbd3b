#include "prompts/jinja/calendar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

static const char *name_of(const char *const *names, int count, int index) {
    return index >= 0 && index < count ? names[index] : "?";
}

static void push_short(struct builder *out, const char *name) {
    builder_push(out, name, strlen(name) < 3 ? strlen(name) : 3, ORIGIN_TEXT);
}

static void push_number(struct builder *out, int number, int width, char fill) {
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    for (int i = (int)strlen(digits); i < width; i++)
        builder_push(out, &fill, 1, ORIGIN_TEXT);
    builder_push_string(out, digits);
}

// Pushes a numeric directive; false: it is not numeric.
static bool push_numeric(struct builder *out, char directive, bool bare, const struct tm *now) {
    const struct {
        char directive;
        int number, width;
        char fill;
    } numbers[] = {
        {'d', now->tm_mday, 2, '0'},
        {'e', now->tm_mday, 2, ' '},
        {'H', now->tm_hour, 2, '0'},
        {'I', (now->tm_hour + 11) % 12 + 1, 2, '0'},
        {'j', now->tm_yday + 1, 3, '0'},
        {'m', now->tm_mon + 1, 2, '0'},
        {'M', now->tm_min, 2, '0'},
        {'S', now->tm_sec, 2, '0'},
        {'u', (now->tm_wday + 6) % 7 + 1, 1, '0'},
        {'w', now->tm_wday, 1, '0'},
        {'y', (now->tm_year % 100 + 100) % 100, 2, '0'},
        {'Y', now->tm_year + 1900, 1, '0'},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].directive != directive) continue;
        push_number(out, numbers[i].number, bare ? 0 : numbers[i].width, numbers[i].fill);
        return true;
    }
    return false;
}

static void push_zone(struct builder *out, const struct tm *now) {
    const long minutes = labs(now->tm_gmtoff) / 60;
    builder_push_string(out, now->tm_gmtoff < 0 ? "-" : "+");
    push_number(out, (int)(minutes / 60 * 100 + minutes % 60), 4, '0');
}

static void push_several(struct builder *out, const char *directives, const struct tm *now) {
    for (; *directives; directives++)
        if (!push_numeric(out, *directives, false, now))
            builder_push(out, directives, 1, ORIGIN_TEXT);
}

static bool push_directive(struct builder *out, char directive, bool bare, const struct tm *now) {
    const char *day = name_of(days, 7, now->tm_wday), *month = name_of(months, 12, now->tm_mon);
    if (push_numeric(out, directive, bare, now)) return true;
    if (directive == 'a') push_short(out, day);
    if (directive == 'A') builder_push_string(out, day);
    if (directive == 'b' || directive == 'h') push_short(out, month);
    if (directive == 'B') builder_push_string(out, month);
    if (directive == 'D') push_several(out, "m/d/y", now);
    if (directive == 'F') push_several(out, "Y-m-d", now);
    if (directive == 'R') push_several(out, "H:M", now);
    if (directive == 'T') push_several(out, "H:M:S", now);
    if (directive == 'p') builder_push_string(out, now->tm_hour < 12 ? "AM" : "PM");
    if (directive == 'Z' && now->tm_zone) builder_push_string(out, now->tm_zone);
    if (directive == 'z') push_zone(out, now);
    if (directive == '%') builder_push_string(out, "%");
    return directive && strchr("aAbhBDFRTpZz%", directive);
}

void calendar_push(struct builder *out, const struct chars *format, const struct tm *now) {
    for (size_t at = 0; at < format->length;) {
        const char *bytes = format->bytes + at;
        const size_t left = format->length - at;
        const bool bare = left > 2 && bytes[1] == '-';
        const size_t used = bare ? 3 : 2;
        if (bytes[0] == '%' && left >= used && push_directive(out, bytes[used - 1], bare, now)) {
            at += used;
        } else {
            builder_push_slice(out, format, at, at + 1);
            at++;
        }
    }
}
