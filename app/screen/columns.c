#include "app/screen/columns.h"

#include <string.h>

#include "app/screen/cells.h"
#include "kernels/base/assert.h"

static const char SEPARATOR[] = "\033[0;2m │ \033[0m", CROSSING[] = "─┼─", RULE[] = "─";
static const char PLAIN[] = "\033[0m", DIM[] = "\033[0;2m";

// The remaining lines of a column, and the style that carries over between them.
struct lines {
    const char *rest;
    const char *style;
    size_t style_length;
};

static size_t style_length(const char *bytes, size_t length) {
    if (length < 2 || bytes[0] != '\033') return 0;
    const char *end = memchr(bytes, 'm', length);
    return end ? (size_t)(end - bytes) + 1 : 0;
}

int styled_columns(const char *bytes, size_t length) {
    struct cells cells = {0};
    int columns = 0;
    for (size_t at = 0, used; at < length; at += used) {
        used = style_length(bytes + at, length - at);
        if (used > 0) continue;
        const uint32_t code_point = utf8_decode(bytes + at, length - at, &used);
        columns += cells_add(&cells, code_point).columns;
    }
    return columns;
}

static enum status repeat(const char *string, int times, struct text *out) {
    for (; times > 0; times--)
        TRY(text_append_string(out, string));
    return STATUS_OK;
}

static void follow_style(struct lines *lines, const char *line, size_t length) {
    for (size_t at = 0; at < length; at++) {
        const size_t style = style_length(line + at, length - at);
        if (style == 0) continue;
        lines->style = line + at;
        lines->style_length = style;
    }
}

// The next line, or blanks in its place.
static enum status put_line(const struct column *column, struct lines *lines, bool last,
                            struct text *out) {
    const char *line = lines->rest;
    const size_t length = strcspn(line, "\n");
    const int pad = column->width - styled_columns(line, length);
    const int before = column->alignment == ALIGN_RIGHT    ? pad
                       : column->alignment == ALIGN_CENTER ? pad / 2
                                                           : 0;
    lines->rest += length + (line[length] == '\n');
    TRY(repeat(" ", before, out));
    TRY(text_append(out, lines->style ? lines->style : "", lines->style_length));
    TRY(text_append(out, line, length));
    follow_style(lines, line, length);
    if (lines->style) TRY(text_append_string(out, PLAIN));
    if (last) return STATUS_OK;
    TRY(repeat(" ", pad - before, out));
    return text_append_string(out, SEPARATOR);
}

enum status columns_put(const struct column *columns, size_t count, int indent, struct text *out) {
    struct lines lines[COLUMNS_MOST] = {0};
    ASSERT(count > 0 && count <= COLUMNS_MOST);
    for (size_t i = 0; i < count; i++)
        lines[i].rest = columns[i].text;
    for (bool more = true; more;) {
        more = false;
        TRY(repeat(" ", indent, out));
        for (size_t i = 0; i < count; i++) {
            TRY(put_line(&columns[i], &lines[i], i + 1 == count, out));
            more = more || lines[i].rest[0];
        }
        TRY(text_append_string(out, "\n"));
    }
    return STATUS_OK;
}

enum status columns_put_rule(const struct column *columns, size_t count, int indent,
                             struct text *out) {
    TRY(repeat(" ", indent, out));
    TRY(text_append_string(out, DIM));
    for (size_t i = 0; i < count; i++) {
        if (i > 0) TRY(text_append_string(out, CROSSING));
        TRY(repeat(RULE, columns[i].width, out));
    }
    TRY(text_append_string(out, PLAIN));
    return text_append_string(out, "\n");
}
