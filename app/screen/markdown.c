// app/screen/markdown.c — finds out what kind of line begins, with as little held as possible.
//
// Each find_ function gets the beginning of a line as far as it is known, and answers DECIDED,
// NOT_THIS, or UNDECIDED if more of the line could change the answer. They are asked in order, and
// the first UNDECIDED ends the asking:
//
//   1       could be an item: held
//   1.      still
//   1. f    an item since the blank: "1. " is written, and what follows is text (spans.h)
//   1st     no item, nor anything else: text
//
// So that the result does not depend on how the text was cut into pieces, a decision looks at
// MARKDOWN_HELD_BYTES of the line at most, even if more has arrived: with smaller pieces, it would
// have been made there.
//
// parse_some() repeats until nothing moves, because a decision may consume nothing (the end of a
// table) or only a quote's mark, after which another kind of line begins.
//
// A table cannot be drawn before its last row, so its lines are kept, and a single line counts them
// meanwhile. That line is the only one that is ever erased here.
#include "app/screen/markdown.h"

#include <string.h>

enum {
    RULE_COLUMNS = 40,
    LABEL_BYTES = 32, // of a language's name
    LEAD_BYTES = 160,
    NUMBER_DIGITS = 9,    // of an ordered item: CommonMark's limit
    WAITING_COLUMNS = 20, // that a waiting table's line needs
};

static const char BAR[] = "│ ", BULLET[] = "• ";
static const char FENCE_LINE[] = "───";

// The beginning of the line, as far as it is known, after what was consumed of it.
struct line {
    const char *text;
    size_t length;
    bool whole;
};

enum decided { DECIDED, UNDECIDED, NOT_THIS };

struct place {
    struct markdown *markdown;
    struct text *out;
};

static bool is_blank_char(char c) { return c == ' ' || c == '\t'; }

// '\0' past the end.
static char at(struct line line, size_t index) {
    return index < line.length ? line.text[index] : '\0';
}

static size_t blanks_at(struct line line, size_t index) {
    size_t end = index;
    while (is_blank_char(at(line, end)))
        end++;
    return end - index;
}

static size_t run_at(struct line line, size_t index) {
    size_t end = index;
    while (end < line.length && line.text[end] == line.text[index])
        end++;
    return end - index;
}

// Can more of the line change what was found so far?
static bool is_open(struct line line, size_t index) {
    return index >= line.length && !line.whole && line.length <= MARKDOWN_HELD_BYTES;
}

static enum status put_bytes(struct place place, unsigned style, const char *bytes, size_t length) {
    place.markdown->wrap.style = style;
    return wrap_append(&place.markdown->wrap, bytes, length, place.out);
}

static enum status put_string(struct place place, unsigned style, const char *string) {
    return put_bytes(place, style, string, strlen(string));
}

static enum status put_rule(struct place place, int columns) {
    const int width = place.markdown->wrap.width;
    for (int i = 0; i < columns && (width == 0 || i < width); i++)
        TRY(put_string(place, WRAP_DIM, "─"));
    return STATUS_OK;
}

// Continuation lines are indented to where this one's text begins: its quotes' bars and `columns`
// more.
static enum status set_lead(struct place place, size_t columns) {
    char lead[LEAD_BYTES];
    size_t length = 0;
    struct markdown *markdown = place.markdown;
    for (int i = 0; i < markdown->quotes; i++) {
        memcpy(lead + length, BAR, sizeof BAR - 1);
        length += sizeof BAR - 1;
    }
    if (columns > LEAD_BYTES - 1 - length) columns = 0;
    memset(lead + length, ' ', columns);
    lead[length + columns] = '\0';
    return wrap_set_lead(&markdown->wrap, lead, 2 * markdown->quotes + (int)columns);
}

static enum status end_line(struct place place) {
    const bool drawn_later = place.markdown->where == MARKDOWN_ROW;
    place.markdown->where = MARKDOWN_LINE;
    place.markdown->quotes = 0;
    if (drawn_later) return STATUS_OK;
    TRY(put_string(place, WRAP_PLAIN, "\n"));
    return wrap_set_lead(&place.markdown->wrap, "", 0);
}

// ---- kinds of lines: each function looks after `indent` blanks, and writes what it consumes

static enum status begin_text(struct place place, unsigned style) {
    place.markdown->where = MARKDOWN_TEXT;
    place.markdown->spans = (struct spans){.style = style};
    return STATUS_OK;
}

static enum status leave_as_it_is(struct place place) {
    place.markdown->where = MARKDOWN_AS_IT_IS;
    return wrap_leave_line(&place.markdown->wrap, place.out);
}

// A line of one mark, three times or more, with or without blanks.
static enum decided find_rule(struct line line, size_t indent) {
    size_t marks = 0;
    const char mark = at(line, indent);
    if (mark == '\0' || !strchr("-*_", mark)) return NOT_THIS;
    for (size_t i = indent; i < line.length; i++) {
        if (line.text[i] != mark && !is_blank_char(line.text[i])) return NOT_THIS;
        marks += line.text[i] == mark;
    }
    if (is_open(line, line.length)) return UNDECIDED;
    return line.whole && marks >= 3 ? DECIDED : NOT_THIS;
}

static enum decided find_heading(struct line line, size_t indent, size_t *level, size_t *end) {
    if (at(line, indent) != '#') return NOT_THIS;
    *level = run_at(line, indent);
    *end = indent + *level;
    if (*level > 6) return NOT_THIS;
    if (is_open(line, *end)) return UNDECIDED;
    if (*end < line.length && !is_blank_char(line.text[*end])) return NOT_THIS;
    *end += blanks_at(line, *end);
    return is_open(line, *end) ? UNDECIDED : DECIDED;
}

static enum decided find_item(struct line line, size_t indent, size_t *end) {
    size_t mark = indent;
    while (mark < indent + NUMBER_DIGITS && at(line, mark) >= '0' && at(line, mark) <= '9')
        mark++;
    if (is_open(line, mark)) return UNDECIDED;
    const char *const marks = mark > indent ? ".)" : "-*+";
    if (at(line, mark) == '\0' || !strchr(marks, line.text[mark])) return NOT_THIS;
    if (is_open(line, mark + 1)) return UNDECIDED;
    *end = mark + 2;
    return is_blank_char(at(line, mark + 1)) ? DECIDED : NOT_THIS;
}

// The whole line of an opening fence.
static enum decided find_fence(struct line line, size_t indent, size_t *run) {
    const char mark = at(line, indent);
    if (mark != '`' && mark != '~') return NOT_THIS;
    *run = run_at(line, indent);
    if (*run < 3) return is_open(line, indent + *run) ? UNDECIDED : NOT_THIS;
    const size_t label = indent + *run;
    if (mark == '`' && label < line.length && memchr(line.text + label, mark, line.length - label))
        return NOT_THIS;
    if (is_open(line, line.length)) return UNDECIDED;
    return line.whole ? DECIDED : NOT_THIS;
}

static enum status put_heading(struct place place, size_t level) {
    TRY(set_lead(place, 0));
    if (level == 1) return begin_text(place, WRAP_BOLD | WRAP_UNDERLINE);
    return begin_text(place, level == 2 ? WRAP_BOLD : WRAP_BOLD | WRAP_ITALIC);
}

static enum status put_item(struct place place, struct line line, size_t indent, size_t end) {
    const bool number = end > indent + 2;
    TRY(put_bytes(place, WRAP_PLAIN, line.text, indent));
    TRY(number ? put_bytes(place, WRAP_PLAIN, line.text + indent, end - indent)
               : put_string(place, WRAP_PLAIN, BULLET));
    TRY(set_lead(place, end));
    return begin_text(place, WRAP_PLAIN);
}

// "─── python"
static enum status put_fence(struct place place, struct line line, size_t indent, size_t run) {
    struct markdown *markdown = place.markdown;
    size_t label = indent + run;
    label += blanks_at(line, label);
    size_t end = label;
    while (end < line.length && !is_blank_char(line.text[end]) && end - label < LABEL_BYTES)
        end++;
    end -= utf8_incomplete_tail(line.text + label, end - label);
    markdown->fence.mark = line.text[indent];
    markdown->fence.length = run;
    markdown->fence.indent = indent;
    markdown->fence.quotes = markdown->quotes;
    TRY(wrap_set_lead(&markdown->wrap, "", 0));
    highlight_begin(&markdown->highlight, line.text + label, end - label);
    TRY(put_string(place, WRAP_DIM, FENCE_LINE));
    if (end > label) TRY(put_string(place, WRAP_DIM, " "));
    TRY(put_bytes(place, WRAP_DIM, line.text + label, end - label));
    return leave_as_it_is(place);
}

// Each of these decides the line from its beginning or not, and returns how much it has consumed.

static enum decided parse_quote(struct place place, struct line line, size_t *taken,
                                enum status *status) {
    struct markdown *markdown = place.markdown;
    const size_t indent = blanks_at(line, 0);
    if (at(line, indent) != '>' || markdown->quotes == MARKDOWN_QUOTES) return NOT_THIS;
    if (is_open(line, indent + 1)) return UNDECIDED;
    markdown->quotes++;
    *taken = indent + 1 + is_blank_char(at(line, indent + 1));
    *status = put_string(place, WRAP_DIM, BAR);
    return DECIDED;
}

static enum decided parse_block(struct place place, struct line line, size_t *taken,
                                enum status *status) {
    const size_t indent = blanks_at(line, 0);
    size_t size = 0, end = 0;
    enum decided decided = find_rule(line, indent);
    if (decided == DECIDED) {
        *taken = line.length;
        *status = put_rule(place, RULE_COLUMNS);
        if (*status == STATUS_OK) *status = leave_as_it_is(place);
    }
    if (decided != NOT_THIS) return decided;
    decided = find_heading(line, indent, &size, &end);
    if (decided == DECIDED) {
        *taken = end;
        *status = put_heading(place, size);
    }
    if (decided != NOT_THIS) return decided;
    decided = find_item(line, indent, &end);
    if (decided == DECIDED) {
        *taken = end;
        *status = put_item(place, line, indent, end);
    }
    if (decided != NOT_THIS) return decided;
    decided = find_fence(line, indent, &size);
    if (decided == DECIDED) {
        *taken = line.length;
        *status = put_fence(place, line, indent, size);
    }
    return decided;
}

static enum decided parse_text(struct place place, struct line line, size_t *taken,
                               enum status *status) {
    const size_t indent = blanks_at(line, 0);
    *taken = indent;
    *status = STATUS_OK;
    if (at(line, indent) == '|') *status = leave_as_it_is(place);
    if (*status == STATUS_OK) *status = put_bytes(place, WRAP_PLAIN, line.text, indent);
    if (*status == STATUS_OK) *status = set_lead(place, indent);
    if (*status == STATUS_OK && at(line, indent) != '|') *status = begin_text(place, WRAP_PLAIN);
    return DECIDED;
}

// ---- tables

static bool erases(const struct markdown *markdown) {
    return markdown->wrap.width >= WAITING_COLUMNS && !markdown->wrap.whole_words;
}

// Shown instead of a table that is still being written.
static enum status put_waiting(struct place place) {
    const struct table *table = &place.markdown->table;
    if (!erases(place.markdown) || table->count < 2) return STATUS_OK;
    return text_format(place.out, "\r\033[K\033[0;2mtable… %zu row%s\033[0m", table->count - 2,
                       table->count == 3 ? "" : "s");
}

static enum status draw_table(struct place place) {
    struct markdown *markdown = place.markdown;
    if (erases(markdown) && markdown->table.count >= 2)
        TRY(text_append_string(place.out, "\r\033[K"));
    return table_draw(&markdown->table, markdown->table_indent, markdown->wrap.width, place.out);
}

// A line that could be part of a table is held until it is complete. Any other line ends the table.
static enum decided parse_row(struct place place, struct line line, size_t *taken,
                              enum status *status) {
    struct markdown *markdown = place.markdown;
    const size_t indent = blanks_at(line, 0);
    const bool piped =
        at(line, indent) == '|' && markdown->quotes == 0 && line.length <= TABLE_LINE_BYTES;
    *status = STATUS_OK;
    if (piped && !line.whole) return UNDECIDED;
    if (!piped || !table_takes(&markdown->table, line.text, line.length)) {
        if (markdown->table.count == 0) return NOT_THIS;
        *taken = 0;
        *status = draw_table(place);
        return DECIDED;
    }
    if (markdown->table.count == 0) markdown->table_indent = (int)indent;
    *taken = line.length;
    *status = table_push(&markdown->table, line.text, line.length);
    if (*status == STATUS_OK) *status = put_waiting(place);
    markdown->where = MARKDOWN_ROW;
    return DECIDED;
}

// ---- code

// Moves past the marks of the quotes that contain the fence; NOT_THIS if the line does not have
// them.
static enum decided skip_quotes(const struct markdown *markdown, struct line line, size_t *end) {
    *end = 0;
    for (int i = 0; i < markdown->fence.quotes; i++) {
        const size_t mark = *end + blanks_at(line, *end);
        if (is_open(line, mark) || (at(line, mark) == '>' && is_open(line, mark + 1)))
            return UNDECIDED;
        if (at(line, mark) != '>') return NOT_THIS;
        *end = mark + 1 + is_blank_char(at(line, mark + 1));
    }
    return DECIDED;
}

static enum decided find_closing(const struct markdown *markdown, struct line line, size_t begin) {
    const size_t mark = begin + blanks_at(line, begin);
    if (is_open(line, mark)) return UNDECIDED;
    if (at(line, mark) != markdown->fence.mark) return NOT_THIS;
    const size_t run = run_at(line, mark);
    if (is_open(line, mark + run)) return UNDECIDED;
    if (run < markdown->fence.length) return NOT_THIS;
    const size_t end = mark + run + blanks_at(line, mark + run);
    if (is_open(line, end)) return UNDECIDED;
    return end == line.length && line.whole ? DECIDED : NOT_THIS;
}

static enum status close_fence(struct place place) {
    place.markdown->fence.mark = '\0';
    TRY(put_string(place, WRAP_DIM, FENCE_LINE));
    return leave_as_it_is(place);
}

static enum decided parse_code(struct place place, struct line line, size_t *taken,
                               enum status *status) {
    struct markdown *markdown = place.markdown;
    size_t begin;
    const enum decided quoted = skip_quotes(markdown, line, &begin);
    if (quoted == UNDECIDED) return UNDECIDED;
    if (quoted == NOT_THIS) { // the quote has ended, and so has the code
        *taken = 0;
        *status = close_fence(place);
        if (*status == STATUS_OK) *status = end_line(place);
        return DECIDED;
    }
    const enum decided closing = find_closing(markdown, line, begin);
    if (closing == UNDECIDED) return UNDECIDED;
    if (closing == DECIDED) {
        *taken = line.length;
        *status = close_fence(place);
        return DECIDED;
    }
    size_t indent = blanks_at(line, begin);
    if (indent > markdown->fence.indent) indent = markdown->fence.indent;
    *taken = begin + indent;
    markdown->wrap.style = WRAP_PLAIN;
    *status = leave_as_it_is(place);
    markdown->where = MARKDOWN_CODE;
    return DECIDED;
}

// ---- lines

static enum decided parse_beginning(struct place place, struct line line, size_t *taken,
                                    enum status *status) {
    struct markdown *markdown = place.markdown;
    if (!markdown->fence.mark && !is_open(line, blanks_at(line, 0))) {
        const enum decided decided = parse_row(place, line, taken, status);
        if (decided != NOT_THIS) return decided;
    }
    if (line.length > MARKDOWN_HELD_BYTES) // what is far away must not matter, or pieces would
        line = (struct line){.text = line.text, .length = MARKDOWN_HELD_BYTES + 1};
    if (markdown->fence.mark) return parse_code(place, line, taken, status);
    const size_t indent = blanks_at(line, 0);
    if (is_open(line, indent)) return UNDECIDED;
    enum decided decided = parse_quote(place, line, taken, status);
    if (decided == NOT_THIS) decided = parse_block(place, line, taken, status);
    if (decided == NOT_THIS) decided = parse_text(place, line, taken, status);
    return decided;
}

static enum status parse_line(struct place place, struct line line, size_t *taken) {
    struct markdown *markdown = place.markdown;
    enum status status = STATUS_OK;
    *taken = 0;
    switch (markdown->where) {
    case MARKDOWN_LINE:
        parse_beginning(place, line, taken, &status);
        return status;
    case MARKDOWN_TEXT:
        return spans_append(&markdown->spans, &markdown->wrap, line.text, line.length, line.whole,
                            place.out, taken);
    case MARKDOWN_CODE:
        return highlight_append(&markdown->highlight, &markdown->wrap, line.text, line.length,
                                line.whole, place.out, taken);
    case MARKDOWN_ROW:
        return STATUS_OK;
    case MARKDOWN_AS_IT_IS:
        *taken = line.length;
        return put_bytes(place, WRAP_PLAIN, line.text, line.length);
    }
    return STATUS_OK;
}

// Writes as much of a line, or its part, as is decided. `ended`: no text follows.
static enum status parse_some(struct place place, struct line text, bool ended, size_t *taken) {
    const char *newline = text.length ? memchr(text.text, '\n', text.length) : NULL;
    struct line line = {text.text, text.length, ended || newline};
    if (newline) line.length = (size_t)(newline - text.text);
    *taken = 0;
    for (bool moved = true; moved;) {
        const enum markdown_where where = place.markdown->where;
        const int quotes = place.markdown->quotes;
        const char fence = place.markdown->fence.mark;
        const size_t rows = place.markdown->table.count;
        size_t some;
        TRY(parse_line(place, line, &some));
        *taken += some;
        line.text += some;
        line.length -= some;
        moved = some > 0 || where != place.markdown->where || quotes != place.markdown->quotes ||
                fence != place.markdown->fence.mark || rows != place.markdown->table.count;
    }
    if (!newline) return STATUS_OK;
    ++*taken;
    return end_line(place);
}

static enum status parse_all(struct place place, bool ended) {
    struct text *held = &place.markdown->held;
    size_t all = 0, taken = 1;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && taken > 0 && all < held->length) {
        const struct line rest = {held->bytes + all, held->length - all, ended};
        status = parse_some(place, rest, ended, &taken);
        all += taken;
    }
    if (all > 0) {
        memmove(held->bytes, held->bytes + all, held->length - all + 1);
        held->length -= all;
    }
    return status;
}

void markdown_deinit(struct markdown *markdown) {
    wrap_deinit(&markdown->wrap);
    text_deinit(&markdown->held);
    table_deinit(&markdown->table);
}

enum status markdown_append(struct markdown *markdown, const char *text, size_t length,
                            struct text *out) {
    markdown->wrap.patient = true;
    TRY(text_append(&markdown->held, text, length));
    return parse_all((struct place){markdown, out}, false);
}

enum status markdown_flush(struct markdown *markdown, struct text *out) {
    if (markdown->where == MARKDOWN_CODE) highlight_release(&markdown->highlight);
    TRY(parse_all((struct place){markdown, out}, false));
    return wrap_flush(&markdown->wrap, out);
}

enum status markdown_end(struct markdown *markdown, struct text *out) {
    const struct place place = {markdown, out};
    TRY(parse_all(place, true));
    if (markdown->table.count > 0) TRY(draw_table(place));
    if (markdown->fence.mark && markdown->where != MARKDOWN_LINE) TRY(end_line(place));
    if (markdown->fence.mark) TRY(close_fence(place));
    TRY(wrap_flush(&markdown->wrap, out));
    TRY(wrap_rest(&markdown->wrap, out));
    markdown->where = MARKDOWN_LINE;
    markdown->quotes = 0;
    text_clear(&markdown->held);
    return STATUS_OK;
}
