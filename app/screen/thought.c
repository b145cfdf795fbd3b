#include "app/screen/thought.h"

#include <string.h>

static const char BAR[] = "│ ";
enum { BAR_COLUMNS = 2 };

void thought_deinit(struct thought *thought) {
    wrap_deinit(&thought->wrap);
    text_deinit(&thought->rows);
}

static enum status put_dim(struct text *out, const char *string) {
    return text_format(out, "\033[0;2m%s\033[0m", string);
}

static int wrap_width(int width) {
    return width > 2 * BAR_COLUMNS ? width - BAR_COLUMNS : BAR_COLUMNS;
}

enum status thought_begin(struct thought *thought, const struct thought_options *options,
                          struct text *out) {
    thought->options = *options;
    thought->open = true;
    thought->shown = 0;
    text_clear(&thought->rows);
    wrap_deinit(&thought->wrap);
    thought->wrap = (struct wrap){.width = wrap_width(options->width), .whole_words = true};
    if (options->styled) return put_dim(out, "thinking…");
    return options->look == THOUGHT_HIDDEN ? STATUS_OK : text_append_string(out, "[thinking]\n");
}

// Writes new text in rows; the first continues the last row.
static enum status put_rows(const struct text *laid, struct text *out) {
    const char *row = text_string(laid);
    for (;;) {
        const size_t length = strcspn(row, "\n");
        TRY(text_append(out, row, length));
        if (!row[length]) return STATUS_OK;
        row += length + 1;
        TRY(text_format(out, "\n%s", BAR));
    }
}

// Moves back over `rows` and erases them one by one, because what is below them is not ours.
static enum status go_up(int rows, struct text *out) {
    for (; rows > 0; rows--)
        TRY(text_append_string(out, "\r\033[K\033[A"));
    return text_append_string(out, "\r\033[K");
}

static enum status redraw(const struct thought *thought, int rows_before, struct text *out) {
    TRY(go_up(rows_before - 1, out));
    TRY(text_format(out, "\033[0;2m%s", BAR));
    TRY(put_rows(&thought->rows, out));
    return text_append_string(out, "\033[0m");
}

static int count_newlines(const struct text *text) {
    int count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += text->bytes[i] == '\n';
    return count;
}

// Keeps the last rows that a folding thought shows; true if some were dropped.
static bool drop_rows(struct thought *thought) {
    struct text *rows = &thought->rows;
    const char *from = text_string(rows);
    int dropped = 0;
    for (; thought->shown - dropped > thought->options.rows; dropped++)
        from = strchr(from, '\n') + 1;
    if (dropped == 0) return false;
    rows->length -= (size_t)(from - rows->bytes);
    memmove(rows->bytes, from, rows->length + 1);
    thought->shown -= dropped;
    return true;
}

static enum status show_rows(struct thought *thought, const struct text *laid, struct text *out) {
    if (laid->length == 0) return STATUS_OK;
    const int before = thought->shown;
    const bool folds = thought->options.look == THOUGHT_FOLDS;
    if (folds) TRY(text_append(&thought->rows, laid->bytes, laid->length));
    thought->shown += count_newlines(laid) + (before == 0);
    if (folds && drop_rows(thought)) {
        if (before == 0) TRY(text_append(out, "\n", 1));
        return redraw(thought, before > 0 ? before : 1, out);
    }
    TRY(text_format(out, "\033[0;2m%s%s", before == 0 ? "\n" : "", before == 0 ? BAR : ""));
    TRY(put_rows(laid, out));
    return text_append_string(out, "\033[0m");
}

enum status thought_append(struct thought *thought, const char *text, size_t length, int tokens,
                           struct text *out) {
    if (thought->options.look == THOUGHT_HIDDEN) {
        if (!thought->options.styled) return STATUS_OK;
        return text_format(out, "\r\033[K\033[0;2mthinking… %d token%s\033[0m", tokens,
                           tokens == 1 ? "" : "s");
    }
    if (!thought->options.styled) return text_append(out, text, length);
    struct text laid = {0};
    enum status status = wrap_append(&thought->wrap, text, length, &laid);
    if (status == STATUS_OK) status = show_rows(thought, &laid, out);
    text_deinit(&laid);
    return status;
}

// Writes what is held of its last word.
static enum status finish_rows(struct thought *thought, struct text *out) {
    struct text laid = {0};
    enum status status = wrap_flush(&thought->wrap, &laid);
    if (status == STATUS_OK) status = show_rows(thought, &laid, out);
    text_deinit(&laid);
    return status;
}

enum status thought_end(struct thought *thought, const char *line, struct text *out) {
    thought->open = false;
    const bool hidden = thought->options.look == THOUGHT_HIDDEN;
    if (!thought->options.styled) return text_format(out, "%s[%s]\n\n", hidden ? "" : "\n", line);
    if (thought->options.look == THOUGHT_STAYS) {
        TRY(finish_rows(thought, out));
        TRY(text_append(out, "\n", 1));
    } else {
        TRY(go_up(thought->shown, out));
    }
    return text_format(out, "\033[0;2m[%s]\033[0m\n\n", line);
}

// Leaves what is shown and continues below it.
static enum status begin_anew(struct thought *thought, struct text *out) {
    TRY(finish_rows(thought, out));
    wrap_deinit(&thought->wrap);
    thought->wrap = (struct wrap){.width = wrap_width(thought->options.width), .whole_words = true};
    thought->shown = 0;
    text_clear(&thought->rows);
    return text_append(out, "\n", 1);
}

enum status thought_resize(struct thought *thought, int width, struct text *out) {
    thought->options.width = width;
    if (!thought->open || !thought->options.styled) return STATUS_OK;
    return begin_anew(thought, out);
}

// A thought that stays from now on continues in its rows.
enum status thought_change_look(struct thought *thought, enum thought_look look, struct text *out) {
    if (look == thought->options.look) return STATUS_OK;
    if (look != THOUGHT_STAYS && thought->open && thought->options.styled)
        TRY(begin_anew(thought, out));
    thought->options.look = look;
    text_clear(&thought->rows);
    return STATUS_OK;
}
