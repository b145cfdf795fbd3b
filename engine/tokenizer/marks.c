#include "engine/tokenizer/marks.h"

#include <unictype.h>

#include "kernels/base/assert.h"
#include "kernels/base/text.h"

static uint32_t character_before(const char *bytes, size_t from, size_t at) {
    size_t start = at - 1, used;
    while (start > from && at - start < UTF8_MAX_BYTES &&
           ((unsigned char)bytes[start] & 0xC0) == 0x80)
        start--;
    return utf8_decode(bytes + start, at - start, &used);
}

// As regular expressions have it (UTS 18, annex C).
static bool is_word(uint32_t code_point) {
    const ucs4_t character = (ucs4_t)code_point;
    return uc_is_property_alphabetic(character) ||
           uc_is_general_category_withtable(character, UC_CATEGORY_MASK_M | UC_CATEGORY_MASK_Nd |
                                                           UC_CATEGORY_MASK_Pc);
}

static bool stands_alone(const struct marks_search *search, size_t begin, size_t end) {
    size_t used;
    if (begin > search->from && is_word(character_before(search->bytes, search->from, begin)))
        return false;
    return end == search->end ||
           !is_word(utf8_decode(search->bytes + end, search->end - end, &used));
}

static size_t spaces_before(const struct marks_search *search, size_t begin) {
    while (begin > search->from) {
        const uint32_t code_point = character_before(search->bytes, search->from, begin);
        if (!uc_is_property_white_space((ucs4_t)code_point)) break;
        char encoded[UTF8_MAX_BYTES];
        begin -= utf8_encode(code_point, encoded);
    }
    return begin;
}

static size_t spaces_behind(const struct marks_search *search, size_t end) {
    size_t used;
    while (end < search->end && uc_is_property_white_space((ucs4_t)utf8_decode(
                                    search->bytes + end, search->end - end, &used)))
        end += used;
    return end;
}

bool marks_next(const struct marks_search *search, struct mark *mark) {
    ASSERT(search->from <= search->at && search->stop <= search->end);
    for (size_t at = search->at; at < search->stop;) {
        if (!prefix_index_begins(search->index, search->bytes[at])) {
            at++;
            continue;
        }
        const struct prefix_entry *entry =
            prefix_index_longest(search->index, search->bytes + at, search->stop - at);
        if (!entry) {
            at++;
            continue;
        }
        const unsigned match = search->vocabulary->tokens[entry->id].match;
        const size_t end = at + entry->length;
        if (!(match & TOKEN_STANDS_ALONE) || stands_alone(search, at, end)) {
            mark->begin = match & TOKEN_TAKES_LEFT ? spaces_before(search, at) : at;
            mark->end = match & TOKEN_TAKES_RIGHT ? spaces_behind(search, end) : end;
            mark->id = entry->id;
            ASSERT(mark->begin >= search->from && mark->end <= search->end);
            return true;
        }
        at = end;
    }
    return false;
}
