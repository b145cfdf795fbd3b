// app/screen/table.c — widths first, then rows.
//
// Every cell is rendered without a limit once to find its column's width. If the columns do not
// fit, the widest ones are lowered to the next widest, together, until they do (narrow): what is
// short stays whole. With 40 columns available:
//
//   30 20  8    18 too many: the first down to 20
//   20 20  8     8 too many: both by 4
//   16 16  8
//
// Whether any cell then needs several lines decides whether rules separate the rows, and has to be
// known before the first row is drawn: draw_grid() renders all rows once without writing them.
// Cells are rendered again each time and not stored, since a table may be long and is drawn once.
//
// Cells are rendered by spans.h and wrap.h, with `whole_words`: a cell is never on the screen while
// it is being broken, so nothing has to be erased.
#include "app/screen/table.h"

#include <stdlib.h>
#include <string.h>

#include "app/screen/columns.h"
#include "app/screen/spans.h"

static const char SHORT_RULE[] = "\033[0;2m───\033[0m\n";
enum { HEADER_LINES = 2, BLOCK_INDENT = 2 };

struct slice {
    const char *bytes;
    size_t length;
};

struct layout {
    const struct table *table;
    struct slice *cells; // [rows][columns]; the first row is the header
    size_t rows, columns;
    struct column column[TABLE_COLUMNS_MOST]; // [columns] as it is drawn
    int indent;
    bool broken; // some cell has several lines
    struct text *out;
};

void table_deinit(struct table *table) {
    text_deinit(&table->lines);
    *table = (struct table){0};
}

static bool is_blank_char(char c) { return c == ' ' || c == '\t'; }

static struct slice trim(struct slice slice) {
    while (slice.length > 0 && is_blank_char(slice.bytes[0]))
        slice.bytes++, slice.length--;
    while (slice.length > 0 && is_blank_char(slice.bytes[slice.length - 1]))
        slice.length--;
    return slice;
}

// Up to the next | that no backslash precedes, or the end.
static size_t cell_length(struct slice line) {
    size_t at = 0;
    while (at < line.length && line.bytes[at] != '|')
        at += line.bytes[at] == '\\' && at + 1 < line.length ? 2 : 1;
    return at;
}

// The cells of a line that begins with |, at most `most` of them; returns how many there are.
static size_t split(struct slice line, struct slice *cells, size_t most) {
    size_t count = 0;
    struct slice rest = trim(line);
    if (rest.length > 0) rest.bytes++, rest.length--;
    while (rest.length > 0) {
        const size_t length = cell_length(rest);
        if (count < most) cells[count] = trim((struct slice){rest.bytes, length});
        count++;
        const size_t used = length + (length < rest.length);
        rest.bytes += used;
        rest.length -= used;
    }
    return count;
}

static bool is_delimiter(struct slice cell, enum alignment *alignment) {
    const bool left = cell.length > 0 && cell.bytes[0] == ':';
    const bool right = cell.length > 1 && cell.bytes[cell.length - 1] == ':';
    if (cell.length <= (size_t)left + right) return false;
    for (size_t i = left; i < cell.length - right; i++)
        if (cell.bytes[i] != '-') return false;
    *alignment = left && right ? ALIGN_CENTER : right ? ALIGN_RIGHT : ALIGN_LEFT;
    return true;
}

static bool is_delimiter_row(struct slice line, size_t columns, struct column *column) {
    struct slice cells[TABLE_COLUMNS_MOST];
    if (split(line, cells, TABLE_COLUMNS_MOST) != columns) return false;
    for (size_t i = 0; i < columns; i++)
        if (!is_delimiter(cells[i], &column[i].alignment)) return false;
    return true;
}

bool table_takes(const struct table *table, const char *line, size_t length) {
    struct column ignored[TABLE_COLUMNS_MOST];
    const struct slice slice = {line, length};
    const struct slice trimmed = trim(slice);
    if (trimmed.length == 0 || trimmed.bytes[0] != '|' || table->too_long) return false;
    if (table->count != 1) return true;
    return table->columns > 0 && table->columns <= TABLE_COLUMNS_MOST &&
           is_delimiter_row(slice, table->columns, ignored);
}

enum status table_push(struct table *table, const char *line, size_t length) {
    if (table->count == 0) table->columns = split((struct slice){line, length}, NULL, 0);
    TRY(text_append(&table->lines, line, length));
    TRY(text_append(&table->lines, "\n", 1));
    table->count++;
    table->too_long = table->lines.length >= TABLE_BYTES_MOST;
    return STATUS_OK;
}

// ---- cells

// "\|" is a | in a cell, even in code.
static enum status unescape(struct slice cell, struct text *text) {
    for (size_t at = 0; at < cell.length; at++) {
        const bool escaped =
            cell.bytes[at] == '\\' && at + 1 < cell.length && cell.bytes[at + 1] == '|';
        at += escaped;
        TRY(text_append(text, cell.bytes[at] == '\t' ? " " : cell.bytes + at, 1));
    }
    return STATUS_OK;
}

// Its lines, broken at this width (0: one), each with its newline.
static enum status render(struct slice cell, unsigned style, int width, struct text *out) {
    struct wrap wrap = {.width = width, .whole_words = true};
    struct spans spans = {.style = style};
    struct text text = {0};
    size_t taken;
    enum status status = unescape(cell, &text);
    if (status == STATUS_OK)
        status = spans_append(&spans, &wrap, text_string(&text), text.length, true, out, &taken);
    if (status == STATUS_OK) status = wrap_flush(&wrap, out);
    if (status == STATUS_OK) status = wrap_rest(&wrap, out);
    if (status == STATUS_OK) status = text_append_string(out, "\n");
    wrap_deinit(&wrap);
    text_deinit(&text);
    return status;
}

static size_t count_lines(const struct text *text) {
    size_t count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += text->bytes[i] == '\n';
    return count;
}

// ---- widths

static enum status measure_row(struct layout *layout, size_t row) {
    const unsigned style = row == 0 ? WRAP_BOLD : WRAP_PLAIN;
    for (size_t i = 0; i < layout->columns; i++) {
        struct text text = {0};
        const enum status status =
            render(layout->cells[row * layout->columns + i], style, 0, &text);
        const int columns = styled_columns(text_string(&text), strcspn(text_string(&text), "\n"));
        text_deinit(&text);
        TRY(status);
        if (columns > layout->column[i].width) layout->column[i].width = columns;
    }
    return STATUS_OK;
}

static int sum_of(const struct layout *layout) {
    int sum = 0;
    for (size_t i = 0; i < layout->columns; i++)
        sum += layout->column[i].width;
    return sum;
}

// Takes from the widest columns, down to the next widest, until all fit. False: they do not.
static bool narrow(struct layout *layout, int available) {
    for (int excess = sum_of(layout) - available; excess > 0;) {
        int widest = 0, next = 0, count = 0;
        for (size_t i = 0; i < layout->columns; i++)
            if (layout->column[i].width > widest) widest = layout->column[i].width;
        for (size_t i = 0; i < layout->columns; i++) {
            count += layout->column[i].width == widest;
            if (layout->column[i].width < widest && layout->column[i].width > next)
                next = layout->column[i].width;
        }
        if (widest <= TABLE_COLUMN_LEAST) return false;
        const int floor = next > TABLE_COLUMN_LEAST ? next : TABLE_COLUMN_LEAST;
        const int wanted = (excess + count - 1) / count;
        const int by = wanted < widest - floor ? wanted : widest - floor;
        for (size_t i = 0; i < layout->columns && excess > 0; i++) {
            if (layout->column[i].width != widest) continue;
            layout->column[i].width -= by < excess ? by : excess;
            excess -= by;
        }
    }
    return true;
}

// ---- drawing

static enum status render_row(const struct layout *layout, size_t row, struct text *cells) {
    const unsigned style = row == 0 ? WRAP_BOLD : WRAP_PLAIN;
    for (size_t i = 0; i < layout->columns; i++)
        TRY(render(layout->cells[row * layout->columns + i], style, layout->column[i].width,
                   &cells[i]));
    return STATUS_OK;
}

static enum status put_row(struct layout *layout, size_t row, bool measured_only) {
    struct text cells[TABLE_COLUMNS_MOST] = {0};
    enum status status = render_row(layout, row, cells);
    for (size_t i = 0; i < layout->columns; i++) {
        layout->column[i].text = text_string(&cells[i]);
        if (row > 0 && count_lines(&cells[i]) > 1) layout->broken = true;
    }
    if (status == STATUS_OK && !measured_only)
        status = columns_put(layout->column, layout->columns, layout->indent, layout->out);
    for (size_t i = 0; i < layout->columns; i++)
        text_deinit(&cells[i]);
    return status;
}

static enum status draw_grid(struct layout *layout) {
    for (size_t row = 1; row < layout->rows && !layout->broken; row++)
        TRY(put_row(layout, row, true));
    for (size_t row = 0; row < layout->rows; row++) {
        TRY(put_row(layout, row, false));
        if (row == 0 || (layout->broken && row + 1 < layout->rows))
            TRY(columns_put_rule(layout->column, layout->columns, layout->indent, layout->out));
    }
    return STATUS_OK;
}

// "River: Nile", broken lines indented.
static enum status put_field(const struct layout *layout, size_t row, size_t column, int width,
                             struct wrap *wrap) {
    struct text text = {0};
    struct spans label = {.style = WRAP_BOLD}, spans = {0};
    const struct slice *cells = layout->cells;
    const struct slice parts[] = {cells[column], cells[row * layout->columns + column]};
    size_t taken;
    *wrap = (struct wrap){.width = width, .whole_words = true};
    enum status status = wrap_set_lead(wrap, "  ", BLOCK_INDENT);
    if (status == STATUS_OK) status = unescape(parts[0], &text);
    if (status == STATUS_OK) status = text_append_string(&text, ":");
    if (status == STATUS_OK)
        status = spans_append(&label, wrap, text.bytes, text.length, true, layout->out, &taken);
    text_clear(&text);
    if (status == STATUS_OK) status = text_append_string(&text, " ");
    if (status == STATUS_OK) status = unescape(parts[1], &text);
    if (status == STATUS_OK)
        status = spans_append(&spans, wrap, text.bytes, text.length, true, layout->out, &taken);
    if (status == STATUS_OK) status = wrap_flush(wrap, layout->out);
    if (status == STATUS_OK) status = wrap_rest(wrap, layout->out);
    text_deinit(&text);
    return status == STATUS_OK ? text_append_string(layout->out, "\n") : status;
}

static enum status draw_blocks(struct layout *layout, int width) {
    for (size_t row = 1; row < layout->rows; row++) {
        if (row > 1) TRY(text_append_string(layout->out, SHORT_RULE));
        for (size_t i = 0; i < layout->columns; i++) {
            struct wrap wrap;
            const enum status status = put_field(layout, row, i, width, &wrap);
            wrap_deinit(&wrap);
            TRY(status);
        }
    }
    return STATUS_OK;
}

// The cells of all lines but the delimiter row's; rows that are too short have empty ones.
static void split_all(struct layout *layout) {
    const char *at = text_string(&layout->table->lines);
    for (size_t line = 0; line < layout->table->count; line++) {
        const struct slice slice = {at, strcspn(at, "\n")};
        at += slice.length + 1;
        if (line == 1)
            is_delimiter_row(slice, layout->columns, layout->column);
        else
            split(slice, layout->cells + layout->columns * layout->rows++, layout->columns);
    }
}

static enum status draw(struct layout *layout, int width) {
    split_all(layout);
    for (size_t row = 0; row < layout->rows; row++)
        TRY(measure_row(layout, row));
    const int separators = COLUMNS_APART * ((int)layout->columns - 1) + layout->indent;
    if (width == 0 || narrow(layout, width - separators)) return draw_grid(layout);
    return draw_blocks(layout, width);
}

enum status table_draw(struct table *table, int indent, int width, struct text *out) {
    struct layout layout = {
        .table = table, .columns = table->columns, .indent = indent, .out = out};
    enum status status = STATUS_NO_MEMORY;
    if (table->count < HEADER_LINES) {
        status = text_append(out, text_string(&table->lines), table->lines.length);
    } else {
        layout.cells = calloc(table->count * table->columns + 1, sizeof *layout.cells);
        if (layout.cells) status = draw(&layout, width);
        free(layout.cells);
    }
    text_clear(&table->lines);
    table->count = 0;
    table->too_long = false;
    return status;
}
