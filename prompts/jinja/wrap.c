#include "prompts/jinja/wrap.h"

#include <string.h>
#include <wctype.h>

#include "kernels/base/text.h"

struct wrapping {
    const struct wrap *how;
    const struct chars *line;
    const uint32_t *codes;
    const uint32_t *offsets; // of each character, and of the end
    size_t count;            // characters
    size_t begin, end;       // characters of the current line; 0, 0: none yet
    bool has_lines;
    locale_t locale;
    struct builder *out;
};

static bool is_blank_at(const struct wrapping *w, size_t at) {
    return w->codes[at] < 0x80 && strchr("\t\n\v\f\r ", (int)w->codes[at]) && w->codes[at];
}

static bool is_word(const struct wrapping *w, size_t at) { // Python's \w
    return at < w->count && (w->codes[at] == '_' || iswalnum_l((wint_t)w->codes[at], w->locale));
}

static bool is_letter(const struct wrapping *w, size_t at) {
    return is_word(w, at) && !iswdigit_l((wint_t)w->codes[at], w->locale);
}

static bool is_hyphen(const struct wrapping *w, size_t at) {
    return at < w->count && w->codes[at] == '-';
}

// Does a dash between words begin at `at`?
static bool is_dash(const struct wrapping *w, size_t at) {
    if (at == 0 || !is_hyphen(w, at) || !is_hyphen(w, at + 1)) return false;
    const uint32_t before = w->codes[at - 1];
    if (!is_word(w, at - 1) && !(before < 0x80 && strchr("!\"'&.,?", (int)before))) return false;
    while (is_hyphen(w, at))
        at++;
    return is_word(w, at);
}

// May a word end behind the hyphen at `at`?
static bool is_joint(const struct wrapping *w, size_t at) {
    if (!is_hyphen(w, at) || at < 2 || !is_letter(w, at - 1)) return false;
    const bool before =
        is_letter(w, at - 2) || (at > 2 && is_hyphen(w, at - 2) && is_letter(w, at - 3));
    const bool after = is_letter(w, at + 1) && is_letter(w, is_hyphen(w, at + 2) ? at + 3 : at + 2);
    return before && after;
}

// One past the piece that begins at `at`: blanks, dashes, or a word or its part.
static size_t piece_end(const struct wrapping *w, size_t at) {
    const bool blank = is_blank_at(w, at), hyphens = w->how->cuts_at_hyphens;
    if (!blank && hyphens && is_dash(w, at)) {
        while (is_hyphen(w, at))
            at++;
        return at;
    }
    for (at++; at < w->count && is_blank_at(w, at) == blank; at++) {
        if (blank || !hyphens) continue;
        if (is_joint(w, at)) return at + 1;
        if (is_dash(w, at)) return at;
    }
    return at;
}

static bool all_space(const struct wrapping *w, size_t from, size_t to) {
    for (; from < to; from++)
        if (!char_is_space(w->codes[from])) return false;
    return true;
}

// Writes the current line without its trailing blanks, which begin at `to`.
static void end_line(struct wrapping *w, size_t to) {
    if (to > w->begin) {
        if (w->has_lines) builder_push_chars(w->out, w->how->separator);
        builder_push_slice(w->out, w->line, w->offsets[w->begin], w->offsets[to]);
        w->has_lines = true;
    }
    w->begin = w->end;
}

// Where to cut a piece that is longer than a line; its start if it moves to the next line.
static size_t cut_of(const struct wrapping *w, size_t from, size_t to) {
    const size_t used = w->end - w->begin, room = (size_t)w->how->width - used;
    if (!w->how->cuts_words) return used ? from : to;
    if (w->how->cuts_at_hyphens)
        for (size_t at = from + room; at-- > from + 1;)
            if (is_hyphen(w, at))
                for (size_t i = from; i < at; i++)
                    if (!is_hyphen(w, i)) return at + 1;
    return from + room;
}

static void fill_lines(struct wrapping *w) {
    const size_t width = (size_t)w->how->width;
    size_t from = 0, last = 0; // where the last piece on the line begins
    for (size_t to; from < w->count; from = to) {
        to = piece_end(w, from);
        for (;;) {
            if (w->begin == w->end) w->begin = w->end = last = from;
            if (w->begin == from && w->has_lines && all_space(w, from, to)) {
                w->begin = w->end = to;
                break;
            }
            if (to - w->begin <= width) {
                last = from;
                w->end = to;
                break;
            }
            if (to - from > width) {
                const size_t cut = cut_of(w, from, to);
                if (w->how->cuts_words || cut > from) last = from; // maybe a cut of nothing
                from = w->end = cut;
            }
            end_line(w, all_space(w, last, w->end) ? last : w->end);
            if (from == to) break;
        }
    }
    end_line(w, all_space(w, last, w->end) ? last : w->end);
}

enum status wrap_line(struct machine *machine, const struct chars *line, const struct wrap *how,
                      struct builder *out) {
    enum { READINGS = 4 };
    TRY(machine_copy(machine, line->length * READINGS));
    uint32_t *codes = arena_alloc(machine->arena, line->count + 1, sizeof *codes);
    uint32_t *offsets = arena_alloc(machine->arena, line->count + 1, sizeof *offsets);
    if (!codes || !offsets || line->length > UINT32_MAX) return machine_full(machine, STATUS_FULL);
    size_t count = 0, used;
    for (size_t at = 0; at < line->length; at += used) {
        offsets[count] = (uint32_t)at;
        codes[count++] = utf8_decode(line->bytes + at, line->length - at, &used);
    }
    offsets[count] = (uint32_t)line->length;
    struct wrapping wrapping = {.how = how,
                                .line = line,
                                .codes = codes,
                                .offsets = offsets,
                                .count = count,
                                .locale = machine->locale,
                                .out = out};
    fill_lines(&wrapping);
    return STATUS_OK;
}
