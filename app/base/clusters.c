// app/base/clusters.c — where characters end, found by one regular expression.
//
// PCRE2's \X implements UAX #29 except for two cases, so these are tried first: a picture with
// everything joined to it, and consonants that a linker joins (GB9c).
//
// \X only works from the start of a cluster, and flags and conjuncts can be as long as the text, so
// each query would scan the whole line. But a cluster always begins between two characters that
// never join, such as a letter and an ideograph: the search runs from the nearest such place before
// the position to the nearest one after it.
//
//   text   a b क ् ष ि y z        asked for: the cluster that ends behind ि
//          ▲ ▲                    neither joins: the search starts at b
//            b|क ् ष ि|y          clusters from there to the position
//
// Backspace looks into the cluster for a mark that is typed with a key of its own.
#include "app/base/clusters.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/text.h"

// Consonants of the six scripts that have conjuncts, and the marks that join two of them.
#define CONSONANT                                                                            \
    "[\\x{915}-\\x{939}\\x{958}-\\x{95F}\\x{978}-\\x{97F}\\x{995}-\\x{9B9}\\x{9DC}-\\x{9DF}" \
    "\\x{9F0}\\x{9F1}\\x{A95}-\\x{AB9}\\x{AF9}\\x{B15}-\\x{B39}\\x{B5C}-\\x{B5F}\\x{B71}"    \
    "\\x{C15}-\\x{C39}\\x{C58}-\\x{C5A}\\x{D15}-\\x{D3A}]"
#define LINKER  "[\\x{94D}\\x{9CD}\\x{ACD}\\x{B4D}\\x{C4D}\\x{D4D}]"
#define BETWEEN "[\\p{Mn}\\x{200D}]*"

// A picture, and the marks that join pictures: some versions of \X take adjacent pictures for one.
#define PICTURE "\\p{ExtPict}"
#define EXTEND  "[\\p{GrExt}\\p{EMod}]"

static const char pattern[] =
    PICTURE "(?:" EXTEND "*+\\x{200D}" PICTURE ")*+[\\p{GrExt}\\p{EMod}\\p{Mc}\\x{200D}]*+"
            "|(?:" CONSONANT "(?:(?!" LINKER ")[\\p{Mn}\\x{200D}])*+" LINKER BETWEEN "(?=" CONSONANT
            "))*+\\X";

// Vowel signs, tone marks and points of scripts in which each has its own key. Accents belong to
// many scripts ("inherited"), and to one with ready-made letters.
static const char mark_pattern[] =
    "(?![\\p{Inherited}\\p{Latin}\\p{Greek}\\p{Cyrillic}\\p{Hangul}])"
    "\\p{M}|[\\x{64B}-\\x{65F}\\x{670}\\x{E33}\\x{EB3}]";

static pcre2_code *expression, *mark_expression;
static pcre2_match_data *match;

static pcre2_code *compile(const char *source) {
    int error;
    size_t offset;
    return pcre2_compile((PCRE2_SPTR)source, PCRE2_ZERO_TERMINATED,
                         PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &offset, NULL);
}

static bool is_ready(void) {
    if (!expression) expression = compile(pattern);
    if (!mark_expression) mark_expression = compile(mark_pattern);
    if (!match) match = pcre2_match_data_create(1, NULL);
    return expression && mark_expression && match;
}

// Without the library, when memory is short: one character.
static size_t character_end(const char *text, size_t length, size_t at) {
    size_t used;
    utf8_decode(text + at, length - at, &used);
    return at + used;
}

// The end of the cluster that begins at `at`.
static size_t end_of(const char *text, size_t length, size_t at) {
    if (!is_ready() ||
        pcre2_match(expression, (PCRE2_SPTR)text, length, at, PCRE2_ANCHORED, match, NULL) < 1)
        return character_end(text, length, at);
    const size_t *found =
        pcre2_get_ovector_pointer(match); // elsewhere, where text[at] is ill-formed
    return found[0] == at ? found[1] : character_end(text, length, at);
}

// Does a cluster always begin at this character and never extend past it? True for most letters and
// all ideographs, so that a search need not begin at the start of the text.
static bool stands_alone(uint32_t c) {
    return (c >= 0x20 && c < 0x7F) || (c >= 0xC0 && c < 0x300) || (c >= 0x370 && c < 0x483) ||
           (c >= 0x3041 && c < 0x3097) || (c >= 0x30A1 && c < 0x30FB) ||
           (c >= 0x3400 && c < 0xA000);
}

static size_t character_begin(const char *text, size_t at) {
    size_t begin = at - 1;
    while (begin > 0 && at - begin < UTF8_MAX_BYTES && ((unsigned char)text[begin] & 0xC0) == 0x80)
        begin--;
    size_t used;
    utf8_decode(text + begin, at - begin, &used);
    return begin + used == at ? begin : at - 1;
}

// A nearby start of a cluster before text[at]: the second of two characters that stand alone.
static size_t safe_begin(const char *text, size_t at) {
    bool alone = false;
    size_t begin = at, used;
    while (begin > 0) {
        const size_t before = character_begin(text, begin);
        const bool stands = stands_alone(utf8_decode(text + before, begin - before, &used));
        if (alone && stands) return begin;
        alone = stands;
        begin = before;
    }
    return begin;
}

// The same for a nearby end of a cluster after text[at].
static size_t safe_end(const char *text, size_t length, size_t at) {
    bool alone = false;
    while (at < length) {
        size_t used;
        const bool stands = stands_alone(utf8_decode(text + at, length - at, &used));
        if (alone && stands) return at;
        alone = stands;
        at += used;
    }
    return at;
}

size_t cluster_end(const char *text, size_t length, size_t at) {
    if (at >= length) return length;
    const size_t until = safe_end(text, length, at);
    size_t end = safe_begin(text, at);
    while (end <= at)
        end = end_of(text, until, end);
    return end;
}

size_t cluster_begin(const char *text, size_t length, size_t at) {
    if (at == 0) return 0;
    const size_t until = safe_end(text, length, at < length ? at : length);
    size_t begin = safe_begin(text, at), end = end_of(text, until, begin);
    while (end < at) {
        begin = end;
        end = end_of(text, until, begin);
    }
    return begin;
}

static bool is_joiner(const char *text, size_t begin, size_t at) {
    size_t used;
    const uint32_t c = utf8_decode(text + begin, at - begin, &used);
    return c == 0x200C || c == 0x200D;
}

size_t cluster_backspace(const char *text, size_t length, size_t at) {
    const size_t first = cluster_begin(text, length, at);
    if (at == 0 || !is_ready() ||
        pcre2_match(mark_expression, (PCRE2_SPTR)text + first, at - first, 0, 0, match, NULL) < 1)
        return first;
    size_t begin = character_begin(text, at);
    for (size_t end = at; begin > first && is_joiner(text, begin, end);) { // which nobody sees
        end = begin;
        begin = character_begin(text, end);
    }
    return begin;
}
