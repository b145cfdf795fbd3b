// prompts/jinja/chars.h — strings whose characters know where they came from.
//
// A template combines its own literals with text from people, files and models. Each byte of a
// string keeps its origin through every slice, join and replacement, so that in the end only the
// template's own characters can become special tokens:
//
//   '<|im_start|>' + message.role          "<|im_start|>user"
//                                           cccccccccccctttt     c control, t text
//
// Invariants: `marks` is NULL if all bytes have `origin`; `count` is the number of bytes that begin
// a character, which is the number of characters if the bytes are UTF-8, as all callers ensure.
// Strings are immutable.
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

// A string of borrowed bytes, returned by value.
struct chars chars_of(const char *bytes, size_t length, enum origin origin);

enum origin chars_origin(const struct chars *chars, size_t byte);
bool chars_equal(const struct chars *a, const struct chars *b); // origins do not matter
bool chars_are(const struct chars *chars, const char *string);
int chars_compare(const struct chars *a, const struct chars *b); // by code points: < 0, 0, > 0

// The byte at which character number `index` begins; `length` for index == count.
size_t chars_offset(const struct chars *chars, size_t index);
size_t chars_index(const struct chars *chars, size_t offset); // the inverse

// The substring of bytes [from, to), which shares their memory.
struct chars chars_slice(const struct chars *chars, size_t from, size_t to);
// Finds the first (last) occurrence of `needle` in bytes [from, to); false if it does not occur.
bool chars_find(const struct chars *chars, const struct chars *needle, size_t from, size_t to,
                size_t *at);
bool chars_find_last(const struct chars *chars, const struct chars *needle, size_t from, size_t to,
                     size_t *at);

// Copies the struct from the caller's storage into the arena, not its bytes. NULL: the arena is
// full.
const struct chars *chars_keep(struct arena *arena, struct chars chars);

// As in Python: white space as in str.isspace(), and case by Unicode's simple mapping.
bool char_is_space(uint32_t c);
bool char_is_printable(uint32_t c);               // does repr() show it unescaped?
uint32_t char_upper(uint32_t c, locale_t locale); // `locale`: any UTF-8 locale
uint32_t char_lower(uint32_t c, locale_t locale);

// Builds a string. After the first push that does not fit, all others do nothing, and
// builder_finish() reports it.
struct builder {
    struct arena *arena;
    char *bytes;
    uint8_t *marks;
    size_t length, capacity, count; // bytes, allocated bytes, characters
    bool has[2];                    // [origin]: any such bytes?
    bool failed;
    uint64_t *work; // the caller's budget, reduced by expensive writes; NULL: not counted
};

void builder_push(struct builder *builder, const char *bytes, size_t length, enum origin origin);
void builder_push_string(struct builder *builder, const char *string); // as text
void builder_push_chars(struct builder *builder, const struct chars *chars);
void builder_push_slice(struct builder *builder, const struct chars *chars, size_t from, size_t to);
void builder_push_code(struct builder *builder, uint32_t c, enum origin origin);
// The string takes over the builder's memory. FULL: it did not fit into the arena.
MUST_CHECK enum status builder_finish(struct builder *builder, const struct chars **chars);

#endif
