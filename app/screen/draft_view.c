// app/screen/draft_view.c — draws a line of any length, and finds it again.
//
// lay_out() computes what the terminal will do with the draft: in which rows it stands, and in
// which of them the cursor. A full row is not ended with a newline; the terminal breaks it, so that
// the draft is copied as one line. A terminal does that only when another character follows, hence
// the blank that starts an empty last row (append_row). Where terminals disagree on a row's width,
// it is ended with a newline after all.
//
// Nothing asks the terminal where the cursor is. To erase, the number of rows above it, known from
// the last layout, is enough. To place it, its row is found by moving up, and its column by writing
// the row's beginning again: the terminal's own idea of widths is then right by definition.
#include "app/screen/draft_view.h"

#include <stdlib.h>
#include <string.h>

#include "app/base/clusters.h"
#include "app/base/figures.h"
#include "app/base/printable.h"
#include "app/base/verbatim.h"
#include "app/screen/cells.h"
#include "app/screen/paste.h"
#include "app/screen/terminal.h"
#include "kernels/base/array.h"
#include "kernels/base/assert.h"

enum { TAB_COLUMNS = 8 };

struct drawn_row {
    size_t start; // in the layout's text
    bool runs_on; // the terminal broke the row before; otherwise a newline does
};

struct layout {
    int width;
    struct text text; // of all rows, without what separates them
    struct drawn_row *rows;
    size_t count, capacity;
    int column;
    bool unsure; // terminals disagree on the columns of this row
    struct cells cells;
    size_t cursor_row, cursor_at; // cursor_at: in `text`
};

static struct {
    bool drawn;
    size_t row, rows; // of the cursor, and all: from where the draft begins
} view;

static void layout_deinit(struct layout *layout) {
    text_deinit(&layout->text);
    free(layout->rows);
}

static enum status begin_row(struct layout *layout, bool runs_on) {
    if (!array_reserve(&layout->rows, layout->count, &layout->capacity, sizeof layout->rows[0]))
        return STATUS_NO_MEMORY;
    layout->rows[layout->count++] = (struct drawn_row){layout->text.length, runs_on};
    layout->column = 0;
    layout->unsure = false;
    return STATUS_OK;
}

// Ends a row with a newline if the terminal may have broken it elsewhere.
static enum status continue_row(struct layout *layout) {
    return begin_row(layout, !layout->unsure);
}

static enum status put_character(struct layout *layout, const char *bytes, size_t length,
                                 uint32_t code_point) {
    const struct cells_added added = cells_add(&layout->cells, code_point);
    if (!added.joined && layout->column + added.columns > layout->width) TRY(continue_row(layout));
    layout->column += added.columns;
    layout->unsure = layout->unsure || !added.sure;
    return text_append(&layout->text, bytes, length);
}

static enum status put_string(struct layout *layout, const char *string) {
    const size_t length = strlen(string);
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(string + at, length - at, &used);
        TRY(put_character(layout, string + at, used, code_point));
    }
    return STATUS_OK;
}

static enum status put_tab(struct layout *layout) {
    do
        TRY(put_character(layout, " ", 1, ' '));
    while (layout->column % TAB_COLUMNS != 0 && layout->column < layout->width);
    return STATUS_OK;
}

static enum status put_harmless(struct layout *layout, const char *bytes, size_t length) {
    struct text harmless = {0};
    enum status status = printable_text(bytes, length, &harmless);
    if (status == STATUS_OK) status = put_string(layout, text_string(&harmless));
    text_deinit(&harmless);
    return status;
}

// A cursor after a full row is on the next row.
static enum status put_cursor(struct layout *layout) {
    if (layout->column >= layout->width) TRY(continue_row(layout));
    layout->cursor_row = layout->count - 1;
    layout->cursor_at = layout->text.length;
    return STATUS_OK;
}

static enum status put_prompt(struct layout *layout, const struct draft *draft) {
    if (draft->bold) TRY(text_append_string(&layout->text, "\033[1m"));
    TRY(put_string(layout, draft->prompt));
    return draft->bold ? text_append_string(&layout->text, "\033[0m") : STATUS_OK;
}

// The cursor is after a whole cluster, even if an edit joined the characters on both sides.
static size_t cursor_of(const struct draft *draft) {
    ASSERT(draft->point <= draft->length);
    const size_t begin = cluster_begin(draft->line, draft->length, draft->point);
    const size_t end = cluster_end(draft->line, draft->length, begin);
    return draft->point > 0 && end > draft->point ? end : draft->point;
}

static enum status lay_out(struct layout *layout, const struct draft *draft) {
    const size_t point = cursor_of(draft);
    TRY(begin_row(layout, false));
    TRY(put_prompt(layout, draft));
    for (size_t at = 0, used; at < draft->length; at += used) {
        if (at == point) TRY(put_cursor(layout));
        const uint32_t code_point = utf8_decode(draft->line + at, draft->length - at, &used);
        const char *label = paste_label(code_point);
        const char verbatim = verbatim_character(code_point);
        if (code_point == '\n')
            TRY(begin_row(layout, false));
        else if (code_point == '\t')
            TRY(put_tab(layout));
        else if (label)
            TRY(put_string(layout, label));
        else if (verbatim)
            TRY(put_character(layout, &verbatim, 1, (uint32_t)verbatim));
        else
            TRY(put_harmless(layout, draft->line + at, used));
    }
    return point == draft->length ? put_cursor(layout) : STATUS_OK;
}

static size_t row_end(const struct layout *layout, size_t row) {
    return row + 1 < layout->count ? layout->rows[row + 1].start : layout->text.length;
}

// A terminal breaks a full row only when something follows: for an empty one, a blank.
static enum status append_row(const struct layout *layout, size_t row, bool first,
                              struct text *out) {
    const size_t start = layout->rows[row].start, length = row_end(layout, row) - start;
    if (!first && !layout->rows[row].runs_on) TRY(text_append(out, "\r\n", 2));
    if (!first && layout->rows[row].runs_on && length == 0) TRY(text_append(out, " \r", 2));
    return text_append(out, text_string(&layout->text) + start, length);
}

// Of the rows that are shown: as many as fit the screen, the cursor's among them, and the last ones
// if possible.
static size_t first_shown(const struct layout *layout) {
    const size_t height = (size_t)terminal_height();
    if (layout->count <= height) return 0;
    const size_t last_first = layout->count - height;
    return layout->cursor_row < last_first ? layout->cursor_row : last_first;
}

static enum status append_rows(const struct layout *layout, struct text *out) {
    const size_t height = (size_t)terminal_height(), first = first_shown(layout);
    const size_t behind = first + height < layout->count ? first + height : layout->count;
    for (size_t row = first; row < behind; row++)
        TRY(append_row(layout, row, row == first, out));
    view.row = layout->cursor_row - first;
    view.rows = behind - first;
    if (layout->cursor_at == layout->text.length && layout->cursor_row == behind - 1)
        return STATUS_OK;
    // The terminal itself knows the cursor's column best.
    const size_t up = behind - 1 - layout->cursor_row;
    const size_t start = layout->rows[layout->cursor_row].start;
    TRY(text_append(out, "\r", 1));
    if (up > 0) TRY(text_format(out, "\033[%zuA", up));
    return text_append(out, text_string(&layout->text) + start, layout->cursor_at - start);
}

// Row by row: some terminals keep a screen that is erased from its first row on as history.
static enum status append_hiding(struct text *out) {
    if (!view.drawn) return STATUS_OK;
    TRY(text_append(out, "\r", 1));
    if (view.row > 0) TRY(text_format(out, "\033[%zuA", view.row));
    TRY(text_append_string(out, "\033[K"));
    return view.rows > 1 ? text_append_string(out, "\033[B\033[J\033[A") : STATUS_OK;
}

// Returns whether the cursor is at the beginning of a row that the draft has filled the last one
// for.
static bool draw(const struct draft *draft) {
    struct layout layout = {.width = terminal_width()};
    struct text out = {0};
    bool empty_row = false;
    if (append_hiding(&out) == STATUS_OK && lay_out(&layout, draft) == STATUS_OK &&
        append_rows(&layout, &out) == STATUS_OK) {
        terminal_stream(out.bytes, out.length);
        view.drawn = true;
        const struct drawn_row last = layout.rows[layout.count - 1];
        empty_row = last.runs_on && last.start == layout.text.length;
    }
    layout_deinit(&layout);
    text_deinit(&out);
    return empty_row;
}

void draft_view_draw(const struct draft *draft) { draw(draft); }

void draft_view_resized(const struct draft *draft) {
    struct layout layout = {.width = terminal_width()};
    if (view.drawn && lay_out(&layout, draft) == STATUS_OK) {
        view.row = layout.cursor_row - first_shown(&layout);
        view.rows = layout.count - first_shown(&layout);
    }
    layout_deinit(&layout);
}

void draft_view_hide(void) {
    struct text out = {0};
    if (append_hiding(&out) == STATUS_OK) terminal_stream(text_string(&out), out.length);
    view.drawn = false;
    text_deinit(&out);
}

bool draft_view_leave(const struct draft *draft) {
    struct draft ended = *draft;
    ended.point = ended.length;
    const bool empty_row = draw(&ended);
    view.drawn = false;
    return empty_row;
}

// ---- as a footer

// Appends the line as one line; *cursor: where the cursor is in that.
static enum status append_on_one_line(const struct draft *draft, struct text *out, size_t *cursor) {
    const size_t point = cursor_of(draft);
    for (size_t at = 0, used; at < draft->length; at += used) {
        const char *bytes = draft->line + at;
        const uint32_t code_point = utf8_decode(bytes, draft->length - at, &used);
        const char *label = paste_label(code_point);
        const char verbatim = verbatim_character(code_point);
        if (at == point) *cursor = out->length;
        if (label)
            TRY(text_append_string(out, label));
        else if (bytes[0] == '\n' || bytes[0] == '\t')
            TRY(text_append_string(out, bytes[0] == '\n' ? "⏎" : " "));
        else if (verbatim)
            TRY(text_append(out, &verbatim, 1));
        else
            TRY(printable_text(bytes, used, out));
    }
    if (point == draft->length) *cursor = out->length;
    return STATUS_OK;
}

// The maximum columns of the cluster at that place on any terminal.
static int columns_at(const struct text *line, size_t at, size_t *end) {
    struct cells cells = {0};
    int columns = 0;
    *end = cluster_end(line->bytes, line->length, at);
    for (size_t used; at < *end; at += used)
        columns += cells_add(&cells, utf8_decode(line->bytes + at, *end - at, &used)).columns;
    return columns;
}

// The beginning of the part of the line that fits the width and ends at the cursor.
static size_t first_in_sight(const struct text *line, size_t cursor, int columns) {
    size_t first = 0, end;
    int width = 0;
    for (size_t at = 0; at < cursor; at = end)
        width += columns_at(line, at, &end);
    for (; width >= columns && first < cursor; first = end)
        width -= columns_at(line, first, &end);
    return first;
}

// Appends the part around the cursor that fits; *before: how much of `out` is before the cursor.
static enum status append_in_sight(struct text *out, const struct text *line, size_t cursor,
                                   int columns, size_t *before) {
    int width = 0;
    size_t end;
    *before = out->length;
    for (size_t at = first_in_sight(line, cursor, columns); at < line->length; at = end) {
        width += columns_at(line, at, &end);
        if (width >= columns) break;
        TRY(text_append(out, line->bytes + at, end - at));
        if (at < cursor) *before = out->length;
    }
    return STATUS_OK;
}

void draft_view_footer(const struct draft *draft) {
    struct text line = {0}, shown = {0};
    size_t cursor = 0, before = 0;
    const int columns = terminal_width() - text_columns(draft->prompt);
    if (append_on_one_line(draft, &line, &cursor) == STATUS_OK &&
        text_append_string(&shown, draft->prompt) == STATUS_OK &&
        append_in_sight(&shown, &line, cursor, columns, &before) == STATUS_OK)
        terminal_footer(text_string(&shown), before);
    text_deinit(&line);
    text_deinit(&shown);
}
