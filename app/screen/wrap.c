// app/screen/wrap.c — moves the word that does not fit, without laying anything out again.
//
// The only text that may have to move is the word being written, so only that is kept (`word`),
// with its style changes. Width 12, one character after the other:
//
//   The quick br       "o" does not fit: go to column 10 (from 0), erase to the end of the line,
//   The quick          end the line, write the word again
//   bro
//
// Erasing starts at an absolute column, counted here, because a cursor after the last column stands
// in different places on different terminals. A line is therefore in one of three states:
//
//   ours    columns are known; words are moved as above
//   left    the terminal breaks it (code, tables), and columns are only counted
//   lost    terminals disagree on a character's width: nothing more is broken on this line.
//           A patient wrap holds each word until it is complete (`holds`) and never has to erase
//
// Who breaks a line matters to whoever copies it: a line that the terminal broke is copied as one.
// So where no blank is lost, as in Chinese, a full line is left to the terminal (break_here).
#include "app/screen/wrap.h"

enum { TAB_COLUMNS = 8 };

void wrap_deinit(struct wrap *wrap) {
    text_deinit(&wrap->word);
    text_deinit(&wrap->lead);
}

static bool colorless;

void wrap_use_colors(bool colors) { colorless = !colors; }

static enum status append_style(unsigned style, struct text *out) {
    enum { BITS = 8 };
    static const char *const CODES[2][BITS] = {
        {";1", ";2", ";3", ";4", ";36", ";32", ";33", ";35"},
        {";1", ";2", ";3", ";4", ";4", "", "", ";1"},
    };
    TRY(text_append_string(out, "\033[0"));
    for (unsigned bit = 0; bit < BITS; bit++)
        if (style & 1u << bit) TRY(text_append_string(out, CODES[colorless][bit]));
    return text_append(out, "m", 1);
}

static enum status write_style(struct wrap *wrap, unsigned style, struct text *out) {
    if (wrap->written == style) return STATUS_OK;
    wrap->written = style;
    return append_style(style, out);
}

// ---- the word

static void end_word(struct wrap *wrap) {
    text_clear(&wrap->word);
    wrap->word_columns = 0;
    wrap->held = wrap->word_unsure = false;
}

static enum status add_to_word(struct wrap *wrap, const char *bytes, size_t length, int columns) {
    if (wrap->word.length == 0) {
        wrap->word_style = wrap->last_style = wrap->style;
        wrap->held = wrap->holds || wrap->whole_words;
    }
    if (wrap->last_style != wrap->style) TRY(append_style(wrap->style, &wrap->word));
    wrap->last_style = wrap->style;
    wrap->word_columns += columns;
    return text_append(&wrap->word, bytes, length);
}

static enum status write_word(struct wrap *wrap, struct text *out) {
    if (wrap->word.length == 0) return STATUS_OK;
    TRY(write_style(wrap, wrap->word_style, out));
    wrap->written = wrap->last_style;
    return text_append(out, text_string(&wrap->word), wrap->word.length);
}

static enum status release_word(struct wrap *wrap, struct text *out) {
    if (wrap->held) TRY(write_word(wrap, out));
    end_word(wrap);
    return STATUS_OK;
}

// ---- lines

static void begin_line(struct wrap *wrap) {
    wrap->column = 0;
    wrap->left = wrap->lost = wrap->holds = wrap->passed = false;
    wrap->breaks = wrap->ran_on = wrap->again = false;
}

static enum status append_lead(struct wrap *wrap, struct text *out) {
    if (wrap->lead_columns == 0) return STATUS_OK;
    wrap->column = wrap->lead_columns;
    TRY(write_style(wrap, WRAP_DIM, out));
    return text_append(out, wrap->lead.bytes, wrap->lead.length);
}

static enum status break_line(struct wrap *wrap, struct text *out) {
    begin_line(wrap);
    TRY(text_append(out, "\n", 1));
    return append_lead(wrap, out);
}

// Moves the word from this line to the next. Erasing starts from an absolute column, because
// terminals differ in where a cursor after the last column is.
static enum status move_word(struct wrap *wrap, struct text *out) {
    const int start = wrap->column - wrap->word_columns;
    if (wrap->word_columns > 0 && !wrap->held) TRY(text_format(out, "\033[%dG\033[K", start + 1));
    TRY(break_line(wrap, out));
    TRY(write_word(wrap, out));
    wrap->column += wrap->word_columns;
    wrap->held = false;
    if (!wrap->word_unsure) return STATUS_OK;
    end_word(wrap);
    wrap->holds = true;
    return STATUS_OK;
}

// The line ends where a word fills it, or (`runs_on`) inside a script of wide characters. The
// terminal breaks such lines, so that they are copied as one, unless continuation lines have a
// lead.
static enum status break_here(struct wrap *wrap, bool runs_on, struct text *out) {
    const bool ours =
        wrap->holds || wrap->whole_words || wrap->lead_columns > 0 || wrap->passed || !runs_on;
    TRY(release_word(wrap, out));
    if (ours) return break_line(wrap, out);
    begin_line(wrap);
    wrap->ran_on = true;
    return STATUS_OK;
}

// Repeats a word that began before others wrote, whole, on the new line; a blank there is not
// needed.
static enum status go_on(struct wrap *wrap, bool in_word, struct text *out) {
    wrap->again = false;
    TRY(append_lead(wrap, out));
    if (!in_word) return STATUS_OK;
    wrap->column += wrap->word_columns;
    return write_word(wrap, out);
}

static enum status append_newline(struct wrap *wrap, struct text *out) {
    TRY(release_word(wrap, out));
    begin_line(wrap);
    wrap->cells = (struct cells){0};
    TRY(write_style(wrap, WRAP_PLAIN, out));
    return text_append(out, "\n", 1);
}

static enum status append_blank(struct wrap *wrap, char blank, struct text *out) {
    TRY(release_word(wrap, out));
    if (wrap->again) return go_on(wrap, false, out);
    wrap->cells = (struct cells){.base = ' ', .base_columns = 1};
    if (wrap->column >= wrap->width) return STATUS_OK; // the line's end stands for it
    const int after = wrap->column / TAB_COLUMNS * TAB_COLUMNS + TAB_COLUMNS;
    wrap->column = blank == '\t' ? after : wrap->column + 1;
    if (wrap->column > wrap->width) wrap->column = wrap->width;
    TRY(write_style(wrap, wrap->style, out));
    return text_append(out, &blank, 1);
}

// Does the word begin after something, so that moving it to the next line helps?
static bool can_move_word(const struct wrap *wrap) {
    const int before = wrap->column - wrap->word_columns;
    return before > 0 && before > wrap->lead_columns;
}

// Terminals disagree on the columns of the last character: the count is only a maximum.
static void doubt_line(struct wrap *wrap) {
    if (wrap->held) {
        wrap->word_unsure = true;
        return;
    }
    end_word(wrap); // it cannot be erased any more
    wrap->holds = wrap->patient || wrap->whole_words;
    wrap->lost = !wrap->holds;
}

static enum status put_cells(struct wrap *wrap, const char *bytes, size_t length,
                             struct cells_added added, bool in_word, struct text *out) {
    wrap->column += added.columns;
    if (in_word) TRY(add_to_word(wrap, bytes, length, added.columns));
    if (!wrap->held) {
        TRY(write_style(wrap, wrap->style, out));
        TRY(text_append(out, bytes, length));
    }
    if (!added.sure) doubt_line(wrap);
    return STATUS_OK;
}

static enum status append_character(struct wrap *wrap, const char *bytes, size_t length,
                                    struct text *out) {
    size_t used;
    const uint32_t code_point = utf8_decode(bytes, length, &used);
    const bool script = cells_runs_on(&wrap->cells, code_point);
    const struct cells_added added = cells_add(&wrap->cells, code_point);
    const bool wide = !added.joined && added.columns > 1;
    if (wide) TRY(release_word(wrap, out));
    const bool in_word = added.joined ? wrap->word.length > 0 : !wide;
    if (wrap->again) TRY(go_on(wrap, in_word, out));
    if (wrap->column + added.columns > wrap->width) {
        if (in_word && can_move_word(wrap))
            TRY(move_word(wrap, out));
        else if (!added.joined && wrap->column > 0)
            TRY(break_here(wrap, script || in_word, out));
    }
    return put_cells(wrap, bytes, length, added, in_word, out);
}

// Only counts columns: the terminal breaks the line.
static enum status append_left(struct wrap *wrap, const char *bytes, size_t length,
                               struct text *out) {
    size_t used;
    const uint32_t code_point = utf8_decode(bytes, length, &used);
    TRY(write_style(wrap, wrap->style, out));
    if (code_point == '\t') {
        wrap->column = wrap->column / TAB_COLUMNS * TAB_COLUMNS + TAB_COLUMNS;
        if (wrap->column > wrap->width - 1) wrap->column = wrap->width - 1;
        return text_append(out, bytes, length);
    }
    const struct cells_added added = cells_add(&wrap->cells, code_point);
    wrap->lost = wrap->lost || !added.sure;
    if (wrap->column + added.columns > wrap->width) {
        if (wrap->passed) TRY(text_append(out, "\n", 1));
        wrap->ran_on = !wrap->passed;
        wrap->passed = false;
        wrap->column = 0;
    }
    wrap->column += added.columns;
    return text_append(out, bytes, length);
}

static enum status append_one(struct wrap *wrap, const char *bytes, size_t length,
                              struct text *out) {
    if (bytes[0] == '\n') return append_newline(wrap, out);
    const bool blank = bytes[0] == ' ' || bytes[0] == '\t';
    if (wrap->breaks && blank) return break_line(wrap, out);
    if (wrap->lost || wrap->width == 0) {
        if (wrap->held) TRY(release_word(wrap, out));
        TRY(write_style(wrap, wrap->style, out));
        return text_append(out, bytes, length);
    }
    if (wrap->left) return append_left(wrap, bytes, length, out);
    if (blank) return append_blank(wrap, bytes[0], out);
    return append_character(wrap, bytes, length, out);
}

enum status wrap_append(struct wrap *wrap, const char *bytes, size_t length, struct text *out) {
    for (size_t at = 0, used; at < length; at += used) {
        utf8_decode(bytes + at, length - at, &used);
        TRY(append_one(wrap, bytes + at, used, out));
    }
    return STATUS_OK;
}

enum status wrap_leave_line(struct wrap *wrap, struct text *out) {
    if (wrap->whole_words) return STATUS_OK;
    TRY(release_word(wrap, out));
    wrap->left = true;
    return STATUS_OK;
}

enum status wrap_set_lead(struct wrap *wrap, const char *lead, int columns) {
    wrap->lead_columns = 0;
    text_clear(&wrap->lead);
    if (columns == 0 || columns > wrap->width / 2) return STATUS_OK;
    TRY(text_append_string(&wrap->lead, lead));
    wrap->lead_columns = columns;
    return STATUS_OK;
}

enum status wrap_flush(struct wrap *wrap, struct text *out) {
    return wrap->held ? release_word(wrap, out) : STATUS_OK;
}

enum status wrap_rest(struct wrap *wrap, struct text *out) {
    return write_style(wrap, WRAP_PLAIN, out);
}

void wrap_settle(struct wrap *wrap) {
    const int written = wrap->column - (wrap->held ? wrap->word_columns : 0);
    wrap->passed = wrap->width > 0 && written >= wrap->width;
}

void wrap_restart(struct wrap *wrap) {
    if (!wrap->held) end_word(wrap);
    begin_line(wrap);
    wrap->cells = (struct cells){0};
}

void wrap_resize(struct wrap *wrap, int width) {
    const int narrower = width < wrap->width ? width : wrap->width;
    if (wrap->width == 0) return;
    wrap->width = width;
    if (wrap->lead_columns > width / 2) wrap->lead_columns = 0;
    if (wrap->lost || wrap->column == 0 || (wrap->column < narrower && !wrap->ran_on)) return;
    if (!wrap->held) end_word(wrap);
    wrap->lost = true;
    wrap->breaks = !wrap->left;
}

void wrap_return(struct wrap *wrap) {
    const bool left = wrap->left;
    if (wrap->width == 0) return;
    begin_line(wrap);
    wrap->left = left;
    wrap->again = !left;
    wrap->written = WRAP_PLAIN;
    wrap->cells = (struct cells){0};
}

int wrap_end_column(const struct wrap *wrap, int width) {
    const int written = wrap->column - (wrap->held ? wrap->word_columns : 0);
    const bool known = wrap->width > 0 && !wrap->lost && !wrap->holds && !wrap->ran_on;
    return known && written < width ? written : -1;
}

void wrap_continue_below(struct wrap *wrap) {
    if (!wrap->held) end_word(wrap);
    wrap_return(wrap);
}
