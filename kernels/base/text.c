#include "kernels/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

void text_deinit(struct text *text) {
    free(text->bytes);
    *text = (struct text){0};
}

void text_clear(struct text *text) {
    text->length = 0;
    if (text->bytes) text->bytes[0] = '\0';
}

void text_trim_end(struct text *text) {
    while (text->length > 0 && memchr(" \t\r\n", text->bytes[text->length - 1], 4))
        text->bytes[--text->length] = '\0';
}

// Reserves `more` bytes and the NUL.
static enum status text_reserve(struct text *text, size_t more) {
    ASSERT(text->bytes ? text->length < text->capacity : text->length == 0);
    if (more >= SIZE_MAX / 2 - text->length) return STATUS_NO_MEMORY;
    const size_t need = text->length + more + 1;
    if (need <= text->capacity) return STATUS_OK;
    const size_t capacity = need < 64 ? 64 : need + need / 2;
    char *bytes = realloc(text->bytes, capacity);
    if (!bytes) return STATUS_NO_MEMORY;
    text->bytes = bytes;
    text->capacity = capacity;
    return STATUS_OK;
}

enum status text_append(struct text *text, const char *bytes, size_t length) {
    TRY(text_reserve(text, length));
    if (length) memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    ASSERT(text->length < text->capacity);
    text->bytes[text->length] = '\0';
    return STATUS_OK;
}

enum status text_append_string(struct text *text, const char *string) {
    return text_append(text, string, strlen(string));
}

enum status text_format(struct text *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    va_list measure;
    va_copy(measure, args);
    const int length = vsnprintf(NULL, 0, format, measure);
    va_end(measure);
    ASSERT(length >= 0);
    const enum status status = text_reserve(text, (size_t)length);
    if (status == STATUS_OK) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, args);
        text->length += (size_t)length;
    }
    va_end(args);
    return status;
}

// The length of the sequence that a lead byte announces and the range its second byte must
// lie in (Unicode 15, table 3-7). Length 0: not a lead byte.
struct lead {
    size_t length;
    unsigned char low, high;
};

static struct lead lead_of(unsigned char byte) {
    if (byte < 0x80) return (struct lead){1, 0, 0};
    if (byte < 0xC2) return (struct lead){0, 0, 0};
    if (byte < 0xE0) return (struct lead){2, 0x80, 0xBF};
    if (byte == 0xE0) return (struct lead){3, 0xA0, 0xBF};
    if (byte == 0xED) return (struct lead){3, 0x80, 0x9F};
    if (byte < 0xF0) return (struct lead){3, 0x80, 0xBF};
    if (byte == 0xF0) return (struct lead){4, 0x90, 0xBF};
    if (byte < 0xF4) return (struct lead){4, 0x80, 0xBF};
    if (byte == 0xF4) return (struct lead){4, 0x80, 0x8F};
    return (struct lead){0, 0, 0};
}

// How many of the bytes at the start are a well-formed beginning of lead's sequence.
static size_t matching_bytes(const unsigned char *bytes, size_t length, struct lead lead) {
    size_t good = 1;
    while (good < lead.length && good < length) {
        const unsigned char low = good == 1 ? lead.low : 0x80, high = good == 1 ? lead.high : 0xBF;
        if (bytes[good] < low || bytes[good] > high) break;
        good++;
    }
    return good;
}

uint32_t utf8_decode(const char *bytes, size_t length, size_t *used) {
    ASSERT(length > 0);
    const unsigned char *in = (const unsigned char *)bytes;
    const struct lead lead = lead_of(in[0]);
    const size_t good = matching_bytes(in, length, lead);
    *used = good;
    if (lead.length == 0 || good < lead.length) return UTF8_REPLACEMENT;
    if (lead.length == 1) return in[0];
    uint32_t code_point = in[0] & (0x7Fu >> lead.length);
    for (size_t i = 1; i < lead.length; i++)
        code_point = code_point << 6 | (in[i] & 0x3Fu);
    return code_point;
}

size_t utf8_encode(uint32_t code_point, char bytes[UTF8_MAX_BYTES]) {
    ASSERT(code_point <= 0x10FFFF);
    if (code_point < 0x80) {
        bytes[0] = (char)code_point;
        return 1;
    }
    const size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char mark[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    bytes[0] = (char)(mark[length] | code_point);
    return length;
}

bool utf8_valid(const char *bytes, size_t length, size_t *bad_offset) {
    const unsigned char *in = (const unsigned char *)bytes;
    for (size_t i = 0; i < length;) {
        const struct lead lead = lead_of(in[i]);
        if (lead.length == 0 || matching_bytes(in + i, length - i, lead) < lead.length) {
            if (bad_offset) *bad_offset = i;
            return false;
        }
        i += lead.length;
    }
    return true;
}

bool utf8_has_control(const char *bytes, size_t length) {
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(bytes + at, length - at, &used);
        if (code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) return true;
    }
    return false;
}

size_t utf8_incomplete_tail(const char *bytes, size_t length) {
    const unsigned char *in = (const unsigned char *)bytes;
    for (size_t back = 1; back < UTF8_MAX_BYTES && back <= length; back++) {
        const unsigned char *start = in + length - back;
        const struct lead lead = lead_of(*start);
        if (lead.length > back && matching_bytes(start, back, lead) == back) return back;
        if (lead.length != 0) return 0;
    }
    return 0;
}

bool utf8_copy_name(const char *bytes, size_t length, char *name, size_t name_bytes) {
    ASSERT(name_bytes > 0);
    if (length == 0 || !utf8_valid(bytes, length, NULL) || utf8_has_control(bytes, length))
        return false;
    if (length >= name_bytes) {
        length = name_bytes - 1;
        length -= utf8_incomplete_tail(bytes, length);
    }
    memcpy(name, bytes, length);
    name[length] = '\0';
    return true;
}
