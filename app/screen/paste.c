#include "app/screen/paste.h"

#include <string.h>

#include "app/base/figures.h"
#include "app/base/printable.h"
#include "app/base/verbatim.h"
#include "app/screen/terminal.h"

enum {
    FIRST_CHARACTER = 0x10FE00, // near the end of the last private plane, where fonts have nothing
    LABEL_WORDS_COLUMNS = 24,
};

static struct { struct text text, label; } table[PASTE_MOST];
static uint32_t count;

enum status paste_repair(const char *text, size_t length, struct text *out, size_t *bad) {
    *bad = 0;
    for (size_t at = 0, end, used; at < length; at = end) {
        if (utf8_valid(text + at, length - at, &end))
            return text_append(out, text + at, length - at);
        TRY(text_append(out, text + at, end));
        end += at;
        utf8_decode(text + end, length - end, &used);
        TRY(text_append_string(out, "\uFFFD"));
        end += used;
        ++*bad;
    }
    return STATUS_OK;
}

bool paste_is_tall(const char *text, size_t length, int columns, int rows) {
    int row = 1, column = 0;
    for (size_t at = 0, used; at < length && row <= rows; at += used) {
        const uint32_t code_point = utf8_decode(text + at, length - at, &used);
        column += code_point == '\n' ? 0 : character_columns(code_point);
        if (code_point != '\n' && column <= columns) continue;
        row++;
        column = 0;
    }
    return row > rows;
}

static size_t lines_of(const char *text, size_t length) {
    size_t lines = length > 0 && text[length - 1] != '\n';
    for (size_t at = 0; at < length; at++)
        lines += text[at] == '\n';
    return lines;
}

// "900 bytes", "2.0 KB"
static enum status append_size(struct text *out, size_t bytes) {
    if (bytes < 1000) return text_format(out, "%zu bytes", bytes);
    if (bytes < 1000000) return text_format(out, "%.1f KB", (double)bytes / 1e3);
    return text_format(out, "%.1f MB", (double)bytes / 1e6);
}

// The first line that has words.
static enum status append_first_words(struct text *out, const char *text, size_t length) {
    const size_t blanks = strspn(text, " \t\n");
    const size_t line = strcspn(text + blanks, "\n");
    struct text words = {0};
    if (blanks >= length) return STATUS_OK;
    enum status status = text_append_string(out, ": \"");
    if (status == STATUS_OK)
        status = printable_text(text + blanks, line < 200 ? line : 200, &words);
    if (status == STATUS_OK)
        status = text_fit(out, text_string(&words), LABEL_WORDS_COLUMNS, false);
    if (status == STATUS_OK) status = text_append(out, "\"", 1);
    text_deinit(&words);
    return status;
}

enum status paste_describe(const char *text, size_t length, bool pasted, struct text *label) {
    struct text plain = {0};
    char number[COUNT_TEXT_BYTES];
    enum status status = verbatim_plain(&plain, text, length);
    const size_t lines = lines_of(text_string(&plain), plain.length);
    if (status == STATUS_OK)
        status = text_format(label, "[%s line%s%s, ", count_format((int64_t)lines, number),
                             lines == 1 ? "" : "s", pasted ? " pasted" : "");
    if (status == STATUS_OK) status = append_size(label, plain.length);
    if (status == STATUS_OK) status = append_first_words(label, text_string(&plain), plain.length);
    if (status == STATUS_OK) status = text_append(label, "]", 1);
    text_deinit(&plain);
    return status;
}

bool paste_fold(const char *text, size_t length, bool pasted, char character[UTF8_MAX_BYTES + 1]) {
    if (count == PASTE_MOST) return false;
    struct text *copy = &table[count].text, *label = &table[count].label;
    if (text_append(copy, text, length) != STATUS_OK ||
        paste_describe(text, length, pasted, label) != STATUS_OK) {
        text_deinit(copy);
        text_deinit(label);
        return false;
    }
    character[utf8_encode(FIRST_CHARACTER + count, character)] = '\0';
    count++;
    return true;
}

// Its row of the table, or `count`.
static uint32_t index_of(uint32_t code_point) {
    const uint32_t index = code_point - FIRST_CHARACTER;
    return code_point >= FIRST_CHARACTER && index < count ? index : count;
}

const char *paste_label(uint32_t code_point) {
    const uint32_t index = index_of(code_point);
    return index < count ? text_string(&table[index].label) : NULL;
}

enum status paste_unfold(const char *line, struct text *out) {
    const size_t length = strlen(line);
    for (size_t at = 0, used; at < length; at += used) {
        const uint32_t index = index_of(utf8_decode(line + at, length - at, &used));
        if (index < count)
            TRY(text_append(out, table[index].text.bytes, table[index].text.length));
        else
            TRY(text_append(out, line + at, used));
    }
    return STATUS_OK;
}

void paste_forget_all(void) {
    for (; count > 0; count--) {
        text_deinit(&table[count - 1].text);
        text_deinit(&table[count - 1].label);
    }
}
