#include "app/base/printable.h"

#include <string.h>

// C0, DEL, C1, line and paragraph separators, and what turns the direction of text around.
static bool is_hidden(uint32_t code_point) {
    return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) ||
           (code_point >= 0x2028 && code_point <= 0x202e) ||
           (code_point >= 0x2066 && code_point <= 0x2069);
}

static enum status append_escape(struct text *out, const char *bytes, size_t length) {
    static const char PLAIN[] = "\n\t\r\\", NAMES[] = "ntr\\";
    const char *plain = length == 1 && bytes[0] ? strchr(PLAIN, bytes[0]) : NULL;
    if (plain) return text_format(out, "\\%c", NAMES[plain - PLAIN]);
    for (size_t i = 0; i < length; i++)
        TRY(text_format(out, "\\x%02x", (unsigned char)bytes[i]));
    return STATUS_OK;
}

enum status printable_append(struct text *out, const char *bytes, size_t length) {
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(bytes + at, length - at, &used);
        const bool ill_formed =
            code_point == UTF8_REPLACEMENT && !utf8_valid(bytes + at, used, NULL);
        if (ill_formed || bytes[at] == '\\' || is_hidden(code_point))
            TRY(append_escape(out, bytes + at, used));
        else
            TRY(text_append(out, bytes + at, used));
    }
    return STATUS_OK;
}
