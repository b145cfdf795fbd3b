#include "app/base/printable.h"

#include <string.h>

enum { VISIBLE_CONTROLS = 0x2400, VISIBLE_DELETE = 0x2421 };

// These are invisible, and right-to-left texts, or texts from Windows, have good reasons to contain
// them.
static bool is_mark(uint32_t code_point) {
    return code_point == 0x061c || code_point == 0x200e || code_point == 0x200f ||
           code_point == 0xfeff;
}

bool printable_is_hidden(uint32_t code_point) {
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0, 0x1f},        {0x7f, 0x9f},       {0x2028, 0x202e},   {0x2066, 0x206f},
                  {0xfff9, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code_point >= ranges[i].first && code_point <= ranges[i].last) return true;
    return is_mark(code_point);
}

static uint32_t shown_as(uint32_t code_point) {
    if (code_point == '\n' || code_point == '\t') return code_point;
    if (code_point < 0x20) return VISIBLE_CONTROLS + code_point;
    if (code_point == 0x7F) return VISIBLE_DELETE;
    return printable_is_hidden(code_point) ? UTF8_REPLACEMENT : code_point;
}

enum status printable_text(const char *bytes, size_t length, struct text *out) {
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(bytes + at, length - at, &used);
        if (code_point == '\r' || is_mark(code_point)) continue;
        char encoded[UTF8_MAX_BYTES];
        const size_t size = utf8_encode(shown_as(code_point), encoded);
        TRY(text_append(out, encoded, size));
    }
    return STATUS_OK;
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
        if (ill_formed || bytes[at] == '\\' || printable_is_hidden(code_point))
            TRY(append_escape(out, bytes + at, used));
        else
            TRY(text_append(out, bytes + at, used));
    }
    return STATUS_OK;
}
