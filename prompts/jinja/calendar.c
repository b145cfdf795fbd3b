// strftime() writes one directive at a time, in the C locale whatever the user's is, so that the
// characters between them keep their origin.
#include "prompts/jinja/calendar.h"

#include <locale.h>
#include <string.h>

#include "kernels/base/assert.h"

enum {
    MOST_DIRECTIVE = 5,  // "%-03d"
    MOST_WRITTEN = 1024, // so no width is more than 999
};

// How long is the directive that begins here, with flags, width and modifier? 0: it is none.
static size_t directive_bytes(const char *bytes, size_t left) {
    size_t at = 1;
    while (at < left && bytes[at] && strchr("-_0^#123456789EO", bytes[at]))
        at++;
    if (at >= left || at >= MOST_DIRECTIVE) return 0;
    return bytes[at] == '%' || (bytes[at] >= 'A' && bytes[at] <= 'z') ? at + 1 : 0;
}

void calendar_push(struct builder *out, const struct chars *format, const struct tm *now) {
    const locale_t english = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    ASSERT(english);
    for (size_t at = 0; at < format->length;) {
        const char *bytes = format->bytes + at;
        const size_t used = bytes[0] == '%' ? directive_bytes(bytes, format->length - at) : 0;
        if (used) {
            char directive[8] = {0}, written[MOST_WRITTEN];
            memcpy(directive, bytes, used);
            if (directive[used - 1] == 'f') memcpy(directive, "000000", 7);
            const size_t count = strftime_l(written, sizeof written, directive, now, english);
            builder_push(out, written, count, ORIGIN_TEXT);
        } else {
            builder_push_slice(out, format, at, at + 1);
        }
        at += used ? used : 1;
    }
    freelocale(english);
}
