// app/screen/spans.c — decides about a mark as soon as no further text could change the decision.
//
// Each write_ function looks at the beginning of the rest of the line and either writes it, or
// writes nothing because it needs more text. The find_ functions behind it have three answers
// accordingly: FOUND, NOT_THERE and NOT_YET. What is not written is seen again with the next piece:
//
//   **bo          NOT_YET
//   **bold**      NOT_YET: the closing run could still grow to ***
//   **bold** i    FOUND: "bold" in bold; then " i"
//
// What a word means must not depend on where the pieces were cut. So no decision may use the length
// of a piece: every limit counts bytes from the mark, and "the text ends here" is an answer only if
// the line ends too (is_open).
//
// The text of a span is rendered by the same function, one level deeper and known to be whole.
#include "app/screen/spans.h"

#include <string.h>

#include "kernels/base/assert.h"

enum { LONGEST_MARK = 16 }; // a longer run of one character is none

enum found { FOUND, NOT_THERE, NOT_YET }; // NOT_YET: more text decides

// The rest of the line, as far as it is known.
struct rest {
    const char *text;
    size_t length;
    bool whole;
};

struct place {
    struct wrap *wrap;
    struct text *out;
};

struct span { // offsets into a rest
    size_t text, text_end;
    size_t url, url_end; // of a link
    size_t end;
};

static bool is_blank_or_end(unsigned char c) { return c == ' ' || c == '\t' || c == 0; }

static bool is_alphanumeric(unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Bytes of letters in other scripts count as letters.
static bool is_wordy(unsigned char c) { return is_alphanumeric(c) || c >= 0x80; }

static struct rest rest_from(struct rest rest, size_t at) {
    return (struct rest){rest.text + at, rest.length - at, rest.whole};
}

// 0 past the end.
static unsigned char byte_at(struct rest rest, size_t at) {
    return at < rest.length ? (unsigned char)rest.text[at] : 0;
}

// Is the character at this position not known yet?
static bool is_open(struct rest rest, size_t at) { return at >= rest.length && !rest.whole; }

// Counts how often the character at `at` is repeated; false if that is not known yet.
static bool run_at(struct rest rest, size_t at, size_t *run) {
    *run = 1;
    while (*run <= LONGEST_MARK && byte_at(rest, at + *run) == (unsigned char)rest.text[at])
        ++*run;
    return *run > LONGEST_MARK || !is_open(rest, at + *run);
}

static enum status put_span(struct place place, unsigned style, const char *bytes, size_t length) {
    place.wrap->style = style;
    return wrap_append(place.wrap, bytes, length, place.out);
}

// ---- where spans end

// The position after the code that begins at `at`, or after its backticks if it does not end.
static enum found skip_code(struct rest rest, size_t at, size_t limit, size_t *end) {
    size_t ticks, run;
    if (!run_at(rest, at, &ticks)) return NOT_YET;
    *end = at + ticks;
    for (size_t i = *end; i < limit && i < rest.length;) {
        if (rest.text[i] != '`') {
            i++;
            continue;
        }
        if (!run_at(rest, i, &run)) return NOT_YET;
        i += run;
        if (run != ticks) continue;
        *end = i;
        return FOUND;
    }
    return rest.length < limit && !rest.whole ? NOT_YET : NOT_THERE;
}

// The position after one item at `at`: an escape, code, or a character.
static enum found skip_one(struct rest rest, size_t at, size_t limit, size_t *end) {
    if (rest.text[at] == '`') return skip_code(rest, at, limit, end) == NOT_YET ? NOT_YET : FOUND;
    *end = at + 1;
    if (rest.text[at] != '\\') return FOUND;
    if (is_open(rest, at + 1)) return NOT_YET;
    if (at + 1 < rest.length) *end = at + 2;
    return FOUND;
}

// Do this many marks close `marks` of them? Three also close one or two, as the end of a nested
// span.
static bool closes(struct rest rest, size_t at, size_t run, size_t marks) {
    if (is_blank_or_end(byte_at(rest, at - 1))) return false;
    if (rest.text[at] == '_' && is_wordy(byte_at(rest, at + run))) return false;
    return run == marks || run == 3;
}

// The text of an emphasis, whose marks begin the rest.
static enum found find_emphasis(struct rest rest, size_t marks, struct span *span) {
    const char mark = rest.text[0];
    for (size_t at = marks; at < rest.length && at <= SPANS_HELD_BYTES;) {
        if (rest.text[at] == mark) {
            size_t run;
            if (!run_at(rest, at, &run)) return NOT_YET;
            if (at > marks && closes(rest, at, run, marks)) {
                const size_t end = at + run;
                *span = (struct span){.text = marks, .text_end = end - marks, .end = end};
                return FOUND;
            }
            at += run;
        } else if (skip_one(rest, at, SPANS_HELD_BYTES, &at) == NOT_YET) {
            return NOT_YET;
        }
    }
    return rest.length > SPANS_HELD_BYTES || rest.whole ? NOT_THERE : NOT_YET;
}

// The position after the bracket that closes the first one.
static enum found find_bracket(struct rest rest, char open, char close, size_t limit, size_t *end) {
    size_t depth = 0;
    for (size_t at = 0; at < rest.length && at <= limit;) {
        if (rest.text[at] == open) depth++;
        if (rest.text[at] == close && --depth == 0) {
            *end = at + 1;
            return FOUND;
        }
        if (skip_one(rest, at, limit, &at) == NOT_YET) return NOT_YET;
    }
    return rest.length > limit || rest.whole ? NOT_THERE : NOT_YET;
}

// A link, whose bracket begins the rest. A title after the address is left out.
static enum found find_link(struct rest rest, struct span *span) {
    size_t bracket = 0, parenthesis = 0;
    enum found found = find_bracket(rest, '[', ']', SPANS_HELD_BYTES, &bracket);
    if (found != FOUND) return found;
    if (is_open(rest, bracket)) return NOT_YET;
    if (byte_at(rest, bracket) != '(') return NOT_THERE;
    found = find_bracket(rest_from(rest, bracket), '(', ')', SPANS_URL_BYTES, &parenthesis);
    if (found != FOUND) return found;
    *span = (struct span){
        .text = 1, .text_end = bracket - 1, .url = bracket + 1, .end = bracket + parenthesis};
    span->url_end = span->url;
    while (span->url_end < span->end - 1 && !is_blank_or_end(byte_at(rest, span->url_end)))
        span->url_end++;
    return span->url_end > span->url ? FOUND : NOT_THERE;
}

// ---- writing them

static enum status put_inside(const struct spans *spans, struct place place, unsigned style,
                              struct rest inside) {
    struct spans inner = {.style = spans->style | style, .depth = spans->depth + 1};
    size_t taken;
    return spans_append(&inner, place.wrap, inside.text, inside.length, true, place.out, &taken);
}

static enum status put_link(const struct spans *spans, struct place place, struct rest rest,
                            const struct span *span) {
    const size_t text_bytes = span->text_end - span->text, url_bytes = span->url_end - span->url;
    const char *text = rest.text + span->text, *url = rest.text + span->url;
    const bool same = text_bytes == url_bytes && memcmp(text, url, url_bytes) == 0;
    if (text_bytes == 0 || same)
        return put_span(place, spans->style | WRAP_UNDERLINE, url, url_bytes);
    TRY(put_inside(spans, place, WRAP_UNDERLINE, (struct rest){text, text_bytes, true}));
    TRY(put_span(place, spans->style, " ", 1));
    TRY(put_span(place, spans->style | WRAP_DIM, "(", 1));
    TRY(put_span(place, spans->style | WRAP_DIM, url, url_bytes));
    return put_span(place, spans->style | WRAP_DIM, ")", 1);
}

// Each of these writes the beginning of the rest and returns its length; 0: more text is needed.

static enum status write_as_it_is(struct spans *spans, struct place place, struct rest rest,
                                  size_t length, size_t *taken) {
    *taken = length;
    spans->last = (unsigned char)rest.text[length - 1];
    return put_span(place, spans->style, rest.text, length);
}

// Does the character follow the * of a pattern or a product, but never of an emphasis?
static bool is_no_beginning(unsigned char c) {
    return is_blank_or_end(c) || strchr("./,;:)]}>%=|&?", c) != NULL;
}

static bool may_open(const struct spans *spans, struct rest rest, size_t marks) {
    const unsigned char next = byte_at(rest, marks);
    if (marks > 3 || is_no_beginning(next) || spans->depth == SPANS_DEPTH) return false;
    if (spans->last == (unsigned char)rest.text[0]) return false; // the end of a longer run
    if (rest.text[0] == '_') return marks == 1 && !is_wordy(spans->last);
    return !is_alphanumeric(spans->last) || (marks == 2 && next >= 0x80);
}

static enum status write_emphasis(struct spans *spans, struct place place, struct rest rest,
                                  size_t *taken) {
    static const unsigned STYLES[] = {0, WRAP_ITALIC, WRAP_BOLD, WRAP_BOLD | WRAP_ITALIC};
    struct span span = {0};
    size_t marks;
    if (!run_at(rest, 0, &marks)) return STATUS_OK;
    if (!may_open(spans, rest, marks)) return write_as_it_is(spans, place, rest, marks, taken);
    const enum found found = find_emphasis(rest, marks, &span);
    if (found == NOT_YET) return STATUS_OK;
    if (found == NOT_THERE) return write_as_it_is(spans, place, rest, marks, taken);
    ASSERT(marks < sizeof STYLES / sizeof STYLES[0]); // or it may not open
    *taken = span.end;
    spans->last = (unsigned char)rest.text[span.end - 1];
    const struct rest inside = {rest.text + span.text, span.text_end - span.text, true};
    return put_inside(spans, place, STYLES[marks], inside);
}

// "[" or "![".
static enum status write_link(struct spans *spans, struct place place, struct rest rest,
                              size_t *taken) {
    const size_t bracket = rest.text[0] == '!';
    struct span span = {0};
    if (is_open(rest, bracket)) return STATUS_OK;
    if (byte_at(rest, bracket) != '[' || spans->depth == SPANS_DEPTH)
        return write_as_it_is(spans, place, rest, 1, taken);
    const struct rest link = rest_from(rest, bracket);
    const enum found found = find_link(link, &span);
    if (found == NOT_YET) return STATUS_OK;
    if (found == NOT_THERE) return write_as_it_is(spans, place, rest, 1, taken);
    *taken = bracket + span.end;
    spans->last = ')';
    return put_link(spans, place, link, &span);
}

static enum status write_ticks(struct spans *spans, struct place place, struct rest rest,
                               size_t *taken) {
    size_t run;
    if (!run_at(rest, 0, &run)) return STATUS_OK;
    const unsigned style = spans->ticks ? spans->style | WRAP_CODE : spans->style;
    const bool mark = run <= LONGEST_MARK && spans->last != '`';
    *taken = run;
    spans->last = '`';
    if (!mark) return put_span(place, style, rest.text, run);
    if (spans->ticks == 0)
        spans->ticks = run;
    else if (spans->ticks == run)
        spans->ticks = 0;
    return put_span(place, spans->style | WRAP_CODE, rest.text, run);
}

static enum status write_escape(struct spans *spans, struct place place, struct rest rest,
                                size_t *taken) {
    if (is_open(rest, 1)) return STATUS_OK;
    const unsigned char next = byte_at(rest, 1);
    if (!next || !strchr("*_`$#~<>", next)) return write_as_it_is(spans, place, rest, 1, taken);
    *taken = 2;
    spans->last = '\\';
    return put_span(place, spans->style, rest.text + 1, 1);
}

// A letter h, with which an address may begin.
static enum status write_h(struct spans *spans, struct place place, struct rest rest,
                           size_t *taken) {
    static const char *const SCHEMES[] = {"https://", "http://"};
    for (size_t i = 0; i < 2 && !is_alphanumeric(spans->last); i++) {
        const size_t bytes = strlen(SCHEMES[i]);
        const size_t known = rest.length < bytes ? rest.length : bytes;
        if (memcmp(rest.text, SCHEMES[i], known) != 0) continue;
        if (is_open(rest, known) && known < bytes) return STATUS_OK;
        spans->url = known == bytes;
        break;
    }
    return write_as_it_is(spans, place, rest, 1, taken);
}

static enum status write_plain(struct spans *spans, struct place place, struct rest rest,
                               size_t *taken) {
    const char *const ends = spans->ticks ? "`" : spans->url ? " \t<>\")`]" : "*_`[!\\h";
    size_t length = 0;
    while (length < rest.length && !strchr(ends, rest.text[length]))
        length++;
    if (length == 0) { // the end of an address: what it is, is seen next
        spans->url = false;
        return STATUS_OK;
    }
    *taken = length;
    spans->last = (unsigned char)rest.text[length - 1];
    const unsigned style = spans->ticks ? spans->style | WRAP_CODE : spans->style;
    return put_span(place, style, rest.text, length);
}

static enum status write_one(struct spans *spans, struct place place, struct rest rest,
                             size_t *taken) {
    if (spans->url) {
        TRY(write_plain(spans, place, rest, taken));
        if (*taken > 0) return STATUS_OK;
    }
    const char c = rest.text[0];
    if (c == '`') return write_ticks(spans, place, rest, taken);
    if (spans->ticks == 0) {
        if (c == '*' || c == '_') return write_emphasis(spans, place, rest, taken);
        if (c == '[' || c == '!') return write_link(spans, place, rest, taken);
        if (c == '\\') return write_escape(spans, place, rest, taken);
        if (c == 'h') return write_h(spans, place, rest, taken);
    }
    return write_plain(spans, place, rest, taken);
}

enum status spans_append(struct spans *spans, struct wrap *wrap, const char *text, size_t length,
                         bool whole, struct text *out, size_t *taken) {
    const struct place place = {wrap, out};
    const struct rest rest = {text, length, whole};
    *taken = 0;
    for (size_t used = 1; used > 0 && *taken < length; *taken += used) {
        used = 0;
        TRY(write_one(spans, place, rest_from(rest, *taken), &used));
    }
    return STATUS_OK;
}
