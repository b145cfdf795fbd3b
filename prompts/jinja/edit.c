#include "prompts/jinja/edit.h"

#include <stdlib.h>
#include <unicase.h>

#include "kernels/base/text.h"

static uint32_t character(const struct chars *string, size_t at, size_t *used) {
    return utf8_decode(string->bytes + at, string->length - at, used);
}

static bool is_in(uint32_t c, const struct chars *set) {
    if (!set) return char_is_space(c);
    for (size_t at = 0, used; at < set->length; at += used)
        if (character(set, at, &used) == c) return true;
    return false;
}

enum status edit_strip(struct machine *machine, const struct chars *string, const struct chars *set,
                       enum edit_sides sides, struct value *result) {
    size_t from = string->length, to = 0, used;
    TRY(machine_copy(machine, string->length * 4 * (set ? set->length + 1 : 1)));
    for (size_t at = 0; at < string->length; at += used) {
        if (is_in(character(string, at, &used), set)) continue;
        if (from > at) from = at;
        to = at + used;
    }
    if (from > to) from = to = sides == EDIT_LEFT ? string->length : 0; // it contains nothing else
    if (!(sides & EDIT_LEFT)) from = 0;
    if (!(sides & EDIT_RIGHT)) to = string->length;
    return machine_slice_text(machine, string, from, to, result);
}

static enum status push_part(struct machine *machine, const struct chars *string, size_t from,
                             size_t to, struct list *list) {
    struct value part;
    TRY(machine_slice_text(machine, string, from, to, &part));
    return machine_push(machine, list, part);
}

static void reverse_list(struct list *list) {
    for (size_t i = 0; i < list->count / 2; i++) {
        const struct value first = list->items[i];
        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = first;
    }
}

static enum status split_words(struct machine *machine, const struct chars *string, int64_t most,
                               struct list *list) {
    size_t at = 0, used;
    for (int64_t cuts = 0;; cuts++) {
        while (at < string->length && char_is_space(character(string, at, &used)))
            at += used;
        if (at == string->length) return STATUS_OK;
        if (most >= 0 && cuts == most) break;
        const size_t from = at;
        while (at < string->length && !char_is_space(character(string, at, &used)))
            at += used;
        TRY(push_part(machine, string, from, at, list));
    }
    return push_part(machine, string, at, string->length, list);
}

// Where the last word of bytes [0, end) begins.
static size_t word_begin(const struct chars *string, size_t end, bool space) {
    while (end > 0) {
        size_t begin = end - 1, used;
        while (begin > 0 && ((unsigned char)string->bytes[begin] & 0xC0) == 0x80)
            begin--;
        if (char_is_space(character(string, begin, &used)) != space) break;
        end = begin;
    }
    return end;
}

static enum status split_words_from_right(struct machine *machine, const struct chars *string,
                                          int64_t most, struct list *list) {
    size_t end = string->length;
    for (int64_t cuts = 0;; cuts++) {
        end = word_begin(string, end, true);
        if (end == 0) break;
        const size_t begin = most >= 0 && cuts == most ? 0 : word_begin(string, end, false);
        TRY(push_part(machine, string, begin, end, list));
        end = begin;
    }
    reverse_list(list);
    return STATUS_OK;
}

static enum status split_at(struct machine *machine, const struct chars *string,
                            const struct edit_split *how, struct list *list) {
    const struct chars *separator = how->separator;
    size_t from = 0, to = string->length, at;
    if (separator->length == 0) return machine_fail(machine, "empty separator");
    TRY(machine_search(machine, string->length, separator, how->from_right));
    for (int64_t cuts = 0; how->most < 0 || cuts < how->most; cuts++) {
        if (how->from_right) {
            if (!chars_find_last(string, separator, 0, to, &at)) break;
            TRY(push_part(machine, string, at + separator->length, to, list));
            to = at;
        } else {
            if (!chars_find(string, separator, from, to, &at)) break;
            TRY(push_part(machine, string, from, at, list));
            from = at + separator->length;
        }
    }
    TRY(push_part(machine, string, from, to, list));
    if (how->from_right) reverse_list(list);
    return STATUS_OK;
}

enum status edit_split(struct machine *machine, const struct chars *string,
                       const struct edit_split *how, struct value *result) {
    struct list *list;
    TRY(machine_list(machine, VALUE_LIST, &list, result));
    if (how->separator) return split_at(machine, string, how, list);
    TRY(machine_copy(machine, string->length * 4));
    return how->from_right ? split_words_from_right(machine, string, how->most, list)
                           : split_words(machine, string, how->most, list);
}

static bool ends_line(uint32_t c) {
    return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

enum status edit_split_lines(struct machine *machine, const struct chars *string, bool keep_ends,
                             struct value *result) {
    struct list *list;
    size_t from = 0, used;
    TRY(machine_copy(machine, string->length * 4));
    TRY(machine_list(machine, VALUE_LIST, &list, result));
    for (size_t at = 0; at < string->length; at += used) {
        const uint32_t c = character(string, at, &used);
        if (!ends_line(c)) continue;
        const size_t end = at;
        if (c == '\r' && at + 1 < string->length && string->bytes[at + 1] == '\n') used = 2;
        TRY(push_part(machine, string, from, keep_ends ? at + used : end, list));
        from = at + used;
    }
    return from < string->length ? push_part(machine, string, from, string->length, list)
                                 : STATUS_OK;
}

enum status edit_replace(struct machine *machine, const struct chars *string,
                         const struct chars *old, const struct chars *by, int64_t most,
                         struct value *result) {
    struct builder out = {.arena = machine->arena};
    size_t from = 0, at, done = 0;
    TRY(machine_search(machine, string->length, old, false));
    for (int64_t times = 0; most < 0 || times < most; times++) {
        if (!chars_find(string, old, from, string->length, &at)) break;
        TRY(machine_copy(machine, by->length));
        builder_push_slice(&out, string, done, at);
        builder_push_chars(&out, by);
        done = from = at + old->length;
        if (old->length > 0) continue;
        if (at == string->length) break; // between all characters, and at both ends
        character(string, at, &from);
        from += at;
    }
    builder_push_slice(&out, string, done, string->length);
    return machine_finish(machine, &out, result);
}

static bool begins_word(uint32_t before) {
    return char_is_space(before) || before == '-' || before == '(' || before == '{' ||
           before == '[' || before == '<';
}

enum { SHARP_S = 0xDF }; // two letters in upper case

static void push_upper(struct builder *out, uint32_t c, enum origin origin, locale_t locale) {
    if (c == SHARP_S)
        builder_push(out, "SS", 2, origin);
    else
        builder_push_code(out, char_upper(c, locale), origin);
}

// Pushes the folded form of a character, up to three characters.
static enum status push_folded(struct builder *out, const char *bytes, size_t used,
                               enum origin origin) {
    uint8_t buffer[32];
    size_t length = sizeof buffer;
    uint8_t *folded = u8_casefold((const uint8_t *)bytes, used, NULL, NULL, buffer, &length);
    if (!folded) return STATUS_NO_MEMORY;
    builder_push(out, (const char *)folded, length, origin);
    if (folded != buffer) free(folded);
    return STATUS_OK;
}

static enum status fold_case(struct machine *machine, const struct chars *string,
                             struct value *result) {
    struct builder out = {.arena = machine->arena};
    TRY(machine_copy(machine, string->length * 3));
    for (size_t at = 0, used; at < string->length; at += used) {
        character(string, at, &used);
        TRY(push_folded(&out, string->bytes + at, used, chars_origin(string, at)));
    }
    return machine_finish(machine, &out, result);
}

enum status edit_case(struct machine *machine, const struct chars *string, enum edit_case how,
                      struct value *result) {
    if (how == EDIT_FOLD) return fold_case(machine, string, result);
    struct builder out = {.arena = machine->arena};
    const locale_t locale = machine->locale;
    uint32_t before = ' ';
    bool after_letter = false;
    TRY(machine_copy(machine, string->length * 2));
    for (size_t at = 0, used; at < string->length; at += used) {
        const uint32_t c = character(string, at, &used);
        const enum origin origin = chars_origin(string, at);
        const bool lower = char_upper(c, locale) != c, upper = char_lower(c, locale) != c;
        const bool raise = how == EDIT_UPPER || (how == EDIT_SWAP && (lower || c == SHARP_S)) ||
                           (how == EDIT_CAPITALIZE && at == 0) ||
                           (how == EDIT_TITLE && !after_letter) ||
                           (how == EDIT_TITLE_WORDS && (at == 0 || begins_word(before)));
        if (raise)
            push_upper(&out, c, origin, locale);
        else if (how == EDIT_SWAP && !upper)
            builder_push_slice(&out, string, at, at + used);
        else
            builder_push_code(&out, char_lower(c, locale), origin);
        after_letter = lower || upper;
        before = c;
    }
    return machine_finish(machine, &out, result);
}

enum status edit_pad(struct machine *machine, const struct chars *string, int64_t width,
                     const struct chars *fill, enum edit_sides sides, struct value *result) {
    struct builder out = {.arena = machine->arena};
    const size_t wanted = width > 0 ? (size_t)width : 0;
    const size_t missing = wanted > string->count ? wanted - string->count : 0;
    if (fill->count != 1)
        return machine_fail(machine, "the fill character must be exactly one character long");
    TRY(machine_copy(machine, missing));
    size_t before = sides == EDIT_LEFT ? missing : 0;
    if (sides == EDIT_BOTH) before = missing / 2 + (missing & wanted & 1);
    for (size_t i = 0; i < before && !out.failed; i++)
        builder_push_chars(&out, fill);
    builder_push_chars(&out, string);
    for (size_t i = before; i < missing && !out.failed; i++)
        builder_push_chars(&out, fill);
    return machine_finish(machine, &out, result);
}

enum status edit_join(struct machine *machine, const struct list *items,
                      const struct chars *separator, struct value *result) {
    struct builder out = {.arena = machine->arena};
    for (size_t i = 0; i < items->count; i++) {
        const struct chars *string;
        TRY(machine_string(machine, &items->items[i], &string));
        TRY(machine_copy(machine, string->length + separator->length));
        if (i > 0) builder_push_chars(&out, separator);
        builder_push_chars(&out, string);
    }
    return machine_finish(machine, &out, result);
}
