#include "prompts/jinja/chars.h"

#include <string.h>
#include <wctype.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"

static bool begins_character(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; }

// How many of eight bytes begin no character: those of the form 10xxxxxx.
static size_t count_inner(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return (size_t)__builtin_popcountll((word >> 7) & ~(word >> 6) & 0x0101010101010101u);
}

static size_t count_characters(const char *bytes, size_t length) {
    size_t count = length, i = 0;
    for (; i + sizeof(uint64_t) <= length; i += sizeof(uint64_t))
        count -= count_inner(bytes + i);
    for (; i < length; i++)
        count -= !begins_character(bytes[i]);
    return count;
}

struct chars chars_of(const char *bytes, size_t length, enum origin origin) {
    return (struct chars){.bytes = bytes,
                          .length = length,
                          .count = count_characters(bytes, length),
                          .origin = (uint8_t)origin};
}

enum origin chars_origin(const struct chars *chars, size_t byte) {
    return (enum origin)(chars->marks ? chars->marks[byte] : chars->origin);
}

bool chars_equal(const struct chars *a, const struct chars *b) {
    return a->length == b->length && (a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0);
}

bool chars_are(const struct chars *chars, const char *string) {
    return strlen(string) == chars->length &&
           (chars->length == 0 || memcmp(chars->bytes, string, chars->length) == 0);
}

int chars_compare(const struct chars *a, const struct chars *b) {
    const size_t common = a->length < b->length ? a->length : b->length;
    const int order = common ? memcmp(a->bytes, b->bytes, common) : 0;
    if (order != 0) return order;
    return a->length < b->length ? -1 : a->length > b->length;
}

size_t chars_offset(const struct chars *chars, size_t index) {
    if (chars->count == chars->length) return index < chars->length ? index : chars->length;
    size_t at = 0, seen = 0;
    for (; at + sizeof(uint64_t) <= chars->length; at += sizeof(uint64_t)) {
        const size_t here = sizeof(uint64_t) - count_inner(chars->bytes + at);
        if (seen + here > index) break;
        seen += here;
    }
    for (; at < chars->length; at++) {
        if (!begins_character(chars->bytes[at])) continue;
        if (seen++ == index) break;
    }
    return at;
}

size_t chars_index(const struct chars *chars, size_t offset) {
    ASSERT(offset <= chars->length);
    if (chars->count == chars->length) return offset;
    return count_characters(chars->bytes, offset);
}

struct chars chars_slice(const struct chars *chars, size_t from, size_t to) {
    const bool narrow = chars->count == chars->length;
    ASSERT(from <= to && to <= chars->length);
    return (struct chars){
        .bytes = chars->bytes + from,
        .marks = chars->marks ? chars->marks + from : NULL,
        .length = to - from,
        .count = narrow ? to - from : count_characters(chars->bytes + from, to - from),
        .origin = chars->origin,
    };
}

bool chars_find(const struct chars *chars, const struct chars *needle, size_t from, size_t to,
                size_t *at) {
    if (from > to || needle->length > to - from) return false;
    if (needle->length == 0) {
        *at = from;
        return true;
    }
    const char *hit = memmem(chars->bytes + from, to - from, needle->bytes, needle->length);
    if (hit) *at = (size_t)(hit - chars->bytes);
    return hit != NULL;
}

bool chars_find_last(const struct chars *chars, const struct chars *needle, size_t from, size_t to,
                     size_t *at) {
    if (from > to || needle->length > to - from) return false;
    if (needle->length == 0) {
        *at = to;
        return true;
    }
    for (size_t end = to - needle->length + 1; end > from;) {
        const char *hit = memrchr(chars->bytes + from, needle->bytes[0], end - from);
        if (!hit) return false;
        end = (size_t)(hit - chars->bytes);
        if (memcmp(hit, needle->bytes, needle->length) != 0) continue;
        *at = end;
        return true;
    }
    return false;
}

const struct chars *chars_keep(struct arena *arena, struct chars chars) {
    struct chars *kept = arena_alloc(arena, 1, sizeof *kept);
    if (kept) *kept = chars;
    return kept;
}

bool char_is_space(uint32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

// Ranges of characters that are not printable: control, format, private use and others.
bool char_is_printable(uint32_t c) {
    static const uint32_t hidden[][2] = {
        {0x00, 0x1F},     {0x7F, 0xA0},       {0xAD, 0xAD},       {0x600, 0x605},
        {0x61C, 0x61C},   {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x1680, 0x1680},
        {0x180E, 0x180E}, {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},
        {0x3000, 0x3000}, {0xD800, 0xF8FF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},
        {0xFFFE, 0xFFFF}, {0xE0000, 0xE00FF}, {0xE01F0, 0x10FFFF}};
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
        if (c >= hidden[i][0] && c <= hidden[i][1]) return false;
    return true;
}

uint32_t char_upper(uint32_t c, locale_t locale) {
    if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
    return locale ? (uint32_t)towupper_l((wint_t)c, locale) : c;
}

uint32_t char_lower(uint32_t c, locale_t locale) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
    return locale ? (uint32_t)towlower_l((wint_t)c, locale) : c;
}

// Bytes and marks are one allocation, with the marks after the bytes' capacity.
static bool reserve(struct builder *builder, size_t more) {
    if (builder->failed) return false;
    if (more <= builder->capacity - builder->length) return true;
    size_t capacity = builder->capacity ? builder->capacity : 32;
    while (capacity - builder->length < more && capacity < SIZE_MAX / 4)
        capacity *= 2;
    const bool fits = capacity - builder->length >= more;
    char *bytes = fits ? arena_alloc_bytes(builder->arena, capacity * 2) : NULL;
    builder->failed = !bytes;
    if (builder->failed) return false;
    if (builder->length) {
        memcpy(bytes, builder->bytes, builder->length);
        memcpy(bytes + capacity, builder->marks, builder->length);
    }
    builder->bytes = bytes;
    builder->marks = (uint8_t *)bytes + capacity;
    builder->capacity = capacity;
    return true;
}

void builder_push(struct builder *builder, const char *bytes, size_t length, enum origin origin) {
    if (length == 0 || !reserve(builder, length)) return;
    memcpy(builder->bytes + builder->length, bytes, length);
    memset(builder->marks + builder->length, (int)origin, length);
    builder->length += length;
    builder->count += count_characters(bytes, length);
    builder->has[origin] = true;
}

void builder_push_string(struct builder *builder, const char *string) {
    builder_push(builder, string, strlen(string), ORIGIN_TEXT);
}

void builder_push_chars(struct builder *builder, const struct chars *chars) {
    builder_push_slice(builder, chars, 0, chars->length);
}

void builder_push_slice(struct builder *builder, const struct chars *chars, size_t from,
                        size_t to) {
    if (!chars->marks) {
        builder_push(builder, chars->bytes + from, to - from, (enum origin)chars->origin);
        return;
    }
    if (to == from || !reserve(builder, to - from)) return;
    memcpy(builder->bytes + builder->length, chars->bytes + from, to - from);
    memcpy(builder->marks + builder->length, chars->marks + from, to - from);
    builder->length += to - from;
    builder->count += to - from == chars->length ? chars->count
                                                 : count_characters(chars->bytes + from, to - from);
    const bool control = memchr(chars->marks + from, ORIGIN_CONTROL, to - from) != NULL;
    const bool text = memchr(chars->marks + from, ORIGIN_TEXT, to - from) != NULL;
    builder->has[ORIGIN_CONTROL] |= control;
    builder->has[ORIGIN_TEXT] |= text;
}

void builder_push_code(struct builder *builder, uint32_t c, enum origin origin) {
    char bytes[UTF8_MAX_BYTES];
    builder_push(builder, bytes, utf8_encode(c, bytes), origin);
}

enum status builder_finish(struct builder *builder, const struct chars **chars) {
    struct chars whole = {.bytes = builder->bytes ? builder->bytes : "",
                          .length = builder->length,
                          .count = builder->count,
                          .origin = builder->has[ORIGIN_CONTROL] ? ORIGIN_CONTROL : ORIGIN_TEXT};
    if (builder->has[ORIGIN_CONTROL] && builder->has[ORIGIN_TEXT]) whole.marks = builder->marks;
    const struct chars *kept = builder->failed ? NULL : chars_keep(builder->arena, whole);
    if (!kept) return STATUS_FULL;
    *chars = kept;
    return STATUS_OK;
}
