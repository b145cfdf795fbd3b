#include "app/wrap.h"

#include "app/figures.h"

enum { TAB_COLUMNS = 8 };

void wrap_deinit(struct wrap *wrap) { text_deinit(&wrap->word); }

static void end_word(struct wrap *wrap) {
    text_clear(&wrap->word);
    wrap->word_columns = 0;
}

static void end_line(struct wrap *wrap) {
    end_word(wrap);
    wrap->column = 0;
    wrap->lost = false;
}

// Takes the word from this line to the next. The erasing starts from an absolute column: where
// a cursor behind the last column counts from differs between terminals.
static enum status move_word(struct wrap *wrap, struct text *out) {
    const int start = wrap->column - wrap->word_columns;
    if (wrap->word_columns > 0) TRY(text_format(out, "\033[%dG\033[K", start + 1));
    TRY(text_append(out, "\n", 1));
    TRY(text_append(out, text_string(&wrap->word), wrap->word.length));
    wrap->column = wrap->word_columns;
    return STATUS_OK;
}

static enum status append_blank(struct wrap *wrap, char blank, struct text *out) {
    end_word(wrap);
    if (wrap->column >= wrap->width) return STATUS_OK; // the line's end stands for it
    const int after = wrap->column / TAB_COLUMNS * TAB_COLUMNS + TAB_COLUMNS;
    wrap->column = blank == '\t' ? after : wrap->column + 1;
    if (wrap->column > wrap->width) wrap->column = wrap->width;
    return text_append(out, &blank, 1);
}

static enum status append_visible(struct wrap *wrap, const char *bytes, size_t length, int columns,
                                  struct text *out) {
    if (columns > 1) end_word(wrap);
    if (wrap->column + columns > wrap->width) {
        if (wrap->word_columns < wrap->column) {
            TRY(move_word(wrap, out));
        } else {
            end_word(wrap);
            wrap->column = 0;
        }
    }
    TRY(text_append(out, bytes, length));
    wrap->column += columns;
    if (columns > 1) return STATUS_OK;
    wrap->word_columns += columns;
    return text_append(&wrap->word, bytes, length);
}

enum status wrap_append(struct wrap *wrap, const char *bytes, size_t length, struct text *out) {
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t code_point = utf8_decode(bytes + at, length - at, &used);
        if (code_point == '\n') end_line(wrap);
        if (code_point == '\n' || wrap->lost || wrap->width == 0)
            TRY(text_append(out, bytes + at, used));
        else if (code_point == ' ' || code_point == '\t')
            TRY(append_blank(wrap, (char)code_point, out));
        else
            TRY(append_visible(wrap, bytes + at, used, character_columns(code_point), out));
    }
    return STATUS_OK;
}

void wrap_resize(struct wrap *wrap, int width) {
    end_word(wrap);
    wrap->width = wrap->width ? width : 0;
    wrap->lost = wrap->column > 0;
}
