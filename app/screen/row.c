#include "app/screen/row.h"

#include <string.h>

#include "app/base/figures.h"
#include "app/screen/terminal.h"

enum {
    BESIDE_LEAST = 20, // columns for the text next to its label
    BELOW = 4,         // what it is indented by below it
};

static enum status append_blanks(struct text *out, int columns) {
    for (; columns > 0; columns--)
        TRY(text_append(out, " ", 1));
    return STATUS_OK;
}

static void put_styled(struct wrap *wrap, enum wrap_style style, const char *text) {
    wrap->style = terminal_styled() ? style : WRAP_PLAIN;
    terminal_wrapped(STYLE_PLAIN, wrap, text, strlen(text));
}

// The label with its separator, and the indentation of the text's further lines.
static enum status lay_out(const struct row *row, bool below, struct text *label,
                           struct text *lead) {
    const int columns = text_columns(row->label);
    TRY(text_append_string(label, row->label));
    TRY(append_blanks(lead, below ? BELOW : row->columns));
    if (!below) return append_blanks(label, columns < row->columns ? row->columns - columns : 1);
    return text_format(label, "\n%s", text_string(lead));
}

void row_show(const struct row *row) {
    const int width = terminal_styled() ? terminal_width() : 0, available = width - row->columns;
    const bool below = width > 0 && (available < BESIDE_LEAST || available < row->columns);
    struct wrap wrap = {.width = width, .whole_words = true};
    struct text label = {0}, lead = {0};
    if (lay_out(row, below, &label, &lead) == STATUS_OK &&
        wrap_set_lead(&wrap, text_string(&lead), below ? BELOW : row->columns) == STATUS_OK) {
        put_styled(&wrap, row->label_style, text_string(&label));
        put_styled(&wrap, row->style, row->text);
    }
    put_styled(&wrap, WRAP_PLAIN, "\n");
    wrap_deinit(&wrap);
    text_deinit(&label);
    text_deinit(&lead);
}
