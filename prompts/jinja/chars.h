// prompts/jinja/chars.h — a string, and where each of its characters came from.
//
// A template works on its own literals and on what people, files and models wrote. Each byte of
// a string keeps its origin through every slice, join and replacement, so that at the end only
// the template's own characters can become special tokens:
//
//   '<|im_start|>' + message.role          "<|im_start|>user"
//                                           cccccccccccctttt     c control, t text
//
// Invariants: `marks` is NULL where all bytes have `origin`; `count` is the number of bytes that
// begin a character, which is the number of characters where the bytes are UTF-8, as all callers
// see to. Strings never change.
//
// Memory: strings and bytes belong to an arena (or are borrowed for as long as it lives); a slice
// shares its bytes. Threads: read-only once made.
#ifndef PROMPTS_JINJA_CHARS_H
#define PROMPTS_JINJA_CHARS_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"
#include "prompts/jinja/arena.h"

enum origin { ORIGIN_TEXT = 0, ORIGIN_CONTROL = 1 };

struct chars {
    const char *bytes; // UTF-8, no terminator
    const uint8_t *marks;
    size_t length, count; // bytes, characters
    uint8_t origin;
};

// Of borrowed bytes, in the caller's storage.
struct chars chars_of(const char *bytes, size_t length, enum origin origin);

enum origin chars_origin(const struct chars *chars, size_t byte);
bool chars_equal(const struct chars *a, const struct chars *b); // origins do not matter
bool chars_are(const struct chars *chars, const char *string);
int chars_compare(const struct chars *a, const struct chars *b); // by code points: < 0, 0, > 0

// The byte at which character number `index` begins; `length` for index == count.
size_t chars_offset(const struct chars *chars, size_t index);
size_t chars_index(const struct chars *chars, size_t offset); // the other way

// Bytes [from, to) of it, which share its memory.
struct chars chars_slice(const struct chars *chars, size_t from, size_t to);
// Where `needle` begins first (last) in bytes [from, to); false if it does not.
bool chars_find(const struct chars *chars, const struct chars *needle, size_t from, size_t to,
                size_t *at);
bool chars_find_last(const struct chars *chars, const struct chars *needle, size_t from, size_t to,
                     size_t *at);

// A copy in the arena of what is in the caller's storage; NULL: no room.
const struct chars *chars_keep(struct arena *arena, struct chars chars);

// Text is as Python sees it: white space as str.isspace(), and case by Unicode's simple mapping.
bool char_is_space(uint32_t c);
bool char_is_printable(uint32_t c);               // may it stand in repr()?
uint32_t char_upper(uint32_t c, locale_t locale); // of any UTF-8 locale
uint32_t char_lower(uint32_t c, locale_t locale);

// Puts a string together. The first push that finds no room makes the rest do nothing, and
// builder_finish() says so.
struct builder {
    struct arena *arena;
    char *bytes;
    uint8_t *marks;
    size_t length, capacity, count; // bytes, room for them, characters
    bool has[2];                    // by origin
    bool failed;
    uint64_t *work; // what is dear to write takes of it; NULL: nothing does
};

void builder_push(struct builder *builder, const char *bytes, size_t length, enum origin origin);
void builder_push_string(struct builder *builder, const char *string); // as text
void builder_push_chars(struct builder *builder, const struct chars *chars);
void builder_push_slice(struct builder *builder, const struct chars *chars, size_t from, size_t to);
void builder_push_code(struct builder *builder, uint32_t c, enum origin origin);
// FULL: it did not fit the arena. The builder's memory is the string's then.
MUST_CHECK enum status builder_finish(struct builder *builder, const struct chars **chars);

#endif
