#include "app/console/picker.h"

#include <stdlib.h>
#include <string.h>

#include "app/base/clusters.h"
#include "app/base/figures.h"
#include "app/console/command.h"
#include "app/screen/editor.h"
#include "app/screen/terminal.h"
#include "kernels/base/assert.h"

enum {
    FILTER_MAX_BYTES = 200,
    MARK_COLUMNS = 2,
    OTHER_LINES = 2,     // above and below the items
    ROWS_MOST = 18,      // more would be hard to scan
    ASKED_MOST = 50,     // items of a list that is printed
    TITLE_LEAST = 8,     // columns
    PREVIEW_HEIGHT = 18, // least height of a screen that has a preview
    PREVIEW_MOST = 9,    // lines
    NUMBER_COLUMNS = 7,  // before an item of such a list, and the last one, which stays empty
};

// Does the item contain each word of the filter?
static bool matches(const char *item, const char *filter) {
    char word[FILTER_MAX_BYTES + 1];
    while (*filter) {
        const size_t length = strcspn(filter, " ");
        memcpy(word, filter, length);
        word[length] = '\0';
        if (!strcasestr(item, word)) return false;
        filter += length + strspn(filter + length, " ");
    }
    return true;
}

static const char *words_of(const struct picker *picker, size_t item) {
    return (picker->options.words ? picker->options.words : picker->options.items)[item];
}

// The marked item stays marked if it is still there.
static void narrow(struct picker *picker) {
    size_t marked = 0;
    const bool had = picker_marked(picker, &marked);
    picker->shown_count = picker->at = picker->top = 0;
    for (size_t i = 0; i < picker->options.count; i++) {
        if (!matches(words_of(picker, i), text_string(&picker->filter))) continue;
        if (had && i == marked) picker->at = picker->shown_count;
        picker->shown[picker->shown_count++] = i;
    }
}

enum status picker_init(struct picker *picker, const struct picker_options *options) {
    ASSERT(options->count > 0 && options->at < options->count);
    *picker = (struct picker){.options = *options};
    picker->shown = malloc(options->count * sizeof *picker->shown);
    if (!picker->shown) return STATUS_NO_MEMORY;
    narrow(picker);
    picker->at = options->at;
    return STATUS_OK;
}

enum status picker_replace(struct picker *picker, const struct picker_options *options) {
    size_t marked = 0, at = 0;
    size_t *shown = malloc((options->count + 1) * sizeof *shown);
    if (!shown) return STATUS_NO_MEMORY;
    const char *text = picker_marked(picker, &marked) ? picker->options.items[marked] : NULL;
    while (text && at < options->count && strcmp(options->items[at], text) != 0)
        at++;
    free(picker->shown);
    picker->shown = shown;
    picker->options = *options;
    picker->shown_count = 0; // so that narrow() does not look for the mark
    narrow(picker);
    for (size_t i = 0; text && i < picker->shown_count; i++)
        if (picker->shown[i] == at) picker->at = i;
    return STATUS_OK;
}

void picker_deinit(struct picker *picker) {
    free(picker->shown);
    text_deinit(&picker->filter);
    *picker = (struct picker){0};
}

static void step(struct picker *picker, bool down, size_t by) {
    const size_t last = picker->shown_count > 0 ? picker->shown_count - 1 : 0;
    if (down)
        picker->at = last - picker->at < by ? last : picker->at + by;
    else
        picker->at = picker->at < by ? 0 : picker->at - by;
}

static void type(struct picker *picker, char byte) {
    if (picker->filter.length == FILTER_MAX_BYTES) return;
    if (text_append(&picker->filter, &byte, 1) == STATUS_OK) narrow(picker);
}

// Removes one character, which may have several bytes.
static void take_back(struct picker *picker) {
    struct text *filter = &picker->filter;
    filter->length = cluster_backspace(text_string(filter), filter->length, filter->length);
    if (filter->bytes) filter->bytes[filter->length] = '\0';
    narrow(picker);
}

static void scroll(struct picker *picker, size_t rows) {
    if (picker->at < picker->top) picker->top = picker->at;
    if (picker->at >= picker->top + rows) picker->top = picker->at - rows + 1;
}

enum picker_answer picker_press(struct picker *picker, int key, size_t rows) {
    size_t item;
    ASSERT(rows > 0);
    switch (key) {
    case KEY_RETURN:
    case KEY_NEWLINE:
        return picker_marked(picker, &item) ? PICKER_CHOSE : PICKER_GOES_ON;
    case KEY_ESCAPE:
    case KEY_CTRL_C:
    case KEY_CTRL_D:
        return PICKER_LEFT;
    case KEY_UP:
    case KEY_CTRL_P:
        step(picker, false, 1);
        break;
    case KEY_DOWN:
    case KEY_CTRL_N:
        step(picker, true, 1);
        break;
    case KEY_PAGE_UP:
        step(picker, false, rows);
        break;
    case KEY_PAGE_DOWN:
        step(picker, true, rows);
        break;
    case KEY_HOME:
        step(picker, false, picker->shown_count);
        break;
    case KEY_END:
        step(picker, true, picker->shown_count);
        break;
    case KEY_BACKSPACE:
    case KEY_DELETE:
        take_back(picker);
        break;
    case KEY_CTRL_U:
        text_clear(&picker->filter);
        narrow(picker);
        break;
    default:
        if (key >= ' ' && key < 256) type(picker, (char)key);
    }
    scroll(picker, rows);
    return PICKER_GOES_ON;
}

bool picker_paste(struct picker *picker, const struct text *pasted, size_t rows) {
    size_t length = pasted->length;
    if (length > 0 && pasted->bytes[length - 1] == '\n') length--;
    if (length > FILTER_MAX_BYTES - picker->filter.length) return false;
    for (size_t at = 0; at < length; at++)
        if ((unsigned char)pasted->bytes[at] < ' ' || pasted->bytes[at] == KEY_DELETE) return false;
    if (text_append(&picker->filter, text_string(pasted), length) == STATUS_OK) narrow(picker);
    scroll(picker, rows);
    return true;
}

bool picker_marked(const struct picker *picker, size_t *item) {
    if (picker->shown_count == 0) return false;
    *item = picker->shown[picker->at];
    return true;
}

enum status picker_line(const struct picker *picker, size_t row, int columns, struct text *line) {
    const size_t at = picker->top + row;
    if (at >= picker->shown_count) return STATUS_OK;
    TRY(text_append_string(line, at == picker->at ? "> " : "  "));
    return text_fit(line, picker->options.items[picker->shown[at]], columns - MARK_COLUMNS, false);
}

// ---- at a terminal

// Lines of the preview, with the rule above it; 0: no space.
static int preview_lines(const struct picker *picker) {
    const int lines = terminal_height() / 3;
    if (!picker->options.preview || terminal_height() < PREVIEW_HEIGHT) return 0;
    return lines < PREVIEW_MOST ? lines : PREVIEW_MOST;
}

// How many items to show: as many as fit, at most all. One line above stays, because terminals that
// see the whole screen erased move it to the scrollback.
static size_t rows_of(const struct picker *picker) {
    const int height = terminal_height() - OTHER_LINES - preview_lines(picker) - 2;
    size_t rows = picker->options.count < ROWS_MOST ? picker->options.count : ROWS_MOST;
    if (height < (int)rows) rows = height > 0 ? (size_t)height : 1;
    return rows;
}

// What stands on the screen.
struct drawn {
    int columns[OTHER_LINES + ROWS_MOST + PREVIEW_MOST]; // of each line
    int lines;
};

// The last column stays empty, so that no terminal wraps.
static void draw_line(struct drawn *drawn, enum style style, const char *text) {
    struct text line = {0};
    ASSERT((size_t)drawn->lines < sizeof drawn->columns / sizeof drawn->columns[0]);
    if (text_fit(&line, text, terminal_width() - 1, false) == STATUS_OK) {
        terminal_say(style, "%s\n", text_string(&line));
        drawn->columns[drawn->lines++] = text_columns(text_string(&line));
    }
    text_deinit(&line);
}

// Erases it. A terminal that got narrower has wrapped the lines.
static void erase(const struct drawn *drawn) {
    const int width = terminal_width();
    int rows = 0;
    for (int i = 0; i < drawn->lines; i++)
        rows += drawn->columns[i] > width ? (drawn->columns[i] + width - 1) / width : 1;
    terminal_up(rows);
}

// The title is cut if the filter needs the space.
static enum status title_line(const struct picker *picker, struct text *line) {
    const int typed =
        text_columns(text_string(&picker->filter)) + 5; // " · " and "_", and a free one
    const int room = terminal_width() - typed;
    TRY(text_fit(line, picker->options.title, room > TITLE_LEAST ? room : TITLE_LEAST, false));
    return text_format(line, " · %s_", text_string(&picker->filter));
}

// Draws the rule and the marked item's preview in exactly this many lines.
static void draw_preview(const struct picker *picker, int lines, struct drawn *drawn) {
    struct text text = {0};
    size_t item;
    if (lines == 0) return;
    draw_line(drawn, STYLE_DIM, "──────");
    enum status status = STATUS_OK;
    if (picker_marked(picker, &item))
        status = picker->options.preview(picker->options.user, item, terminal_width() - 1,
                                         lines - 1, &text);
    const char *line = status == STATUS_OK ? text_string(&text) : "";
    for (int i = 1; i < lines; i++) {
        const size_t length = strcspn(line, "\n");
        char *copy = strndup(line, length);
        draw_line(drawn, STYLE_DIM, copy ? copy : "");
        free(copy);
        line += length + (line[length] == '\n');
    }
    text_deinit(&text);
}

static void draw(const struct picker *picker, size_t rows, struct drawn *drawn) {
    struct text line = {0};
    if (title_line(picker, &line) == STATUS_OK) draw_line(drawn, STYLE_DIM, text_string(&line));
    for (size_t row = 0; row < rows; row++) {
        text_clear(&line);
        if (picker_line(picker, row, terminal_width() - 1, &line) == STATUS_OK)
            draw_line(drawn, picker->top + row == picker->at ? STYLE_BOLD : STYLE_PLAIN,
                      text_string(&line));
    }
    draw_preview(picker, preview_lines(picker), drawn);
    text_clear(&line);
    const bool none = picker->shown_count == 0;
    if (text_format(&line, "%zu of %zu%s · %s", picker->shown_count, picker->options.count,
                    picker->options.more ? "+" : "",
                    none ? "nothing matches; Backspace, or Esc cancels"
                         : "Enter chooses, Esc cancels") == STATUS_OK)
        draw_line(drawn, STYLE_DIM, text_string(&line));
    text_deinit(&line);
}

// Does the key need items that are not loaded yet: a letter, or a move beyond the last?
static bool looks_further(const struct picker *picker, int key) {
    const bool at_end = picker->at + 1 >= picker->shown_count;
    const bool down = key == KEY_DOWN || key == KEY_PAGE_DOWN || key == KEY_CTRL_N;
    return (key >= ' ' && key < 256 && key != KEY_DELETE) || key == KEY_PASTED || key == KEY_END ||
           (down && at_end);
}

static void load_more(struct picker *picker) {
    struct picker_options options = picker->options;
    picker_more *const more = options.more;
    options.more = picker->options.more = NULL;
    if (more && more(options.user, &options) && picker_replace(picker, &options) != STATUS_OK)
        terminal_say(STYLE_ERROR, "%s\n", status_text(STATUS_NO_MEMORY));
}

static bool run(struct console *console, struct picker *picker, size_t *chosen) {
    enum picker_answer answer = PICKER_GOES_ON;
    size_t rows = rows_of(picker);
    scroll(picker, rows);
    while (answer == PICKER_GOES_ON) {
        struct drawn drawn = {0};
        draw(picker, rows, &drawn);
        const int key = keys_read(console);
        if (key != KEY_CONTINUED) erase(&drawn);
        rows = rows_of(picker);
        if (looks_further(picker, key)) load_more(picker);
        if (key == KEY_PASTED && !picker_paste(picker, editor_pasted(), rows))
            console_keep_pasted(console);
        if (key != KEY_REDRAW && key != KEY_CONTINUED && key != KEY_PASTED)
            answer = picker_press(picker, key, rows);
        scroll(picker, rows);
    }
    return answer == PICKER_CHOSE && picker_marked(picker, chosen);
}

// ---- without escapes

static void print_item(size_t number, const char *item) {
    const int room = terminal_width() - NUMBER_COLUMNS;
    struct text line = {0};
    if (text_fit(&line, item, room > TITLE_LEAST ? room : TITLE_LEAST, false) == STATUS_OK)
        terminal_say(STYLE_PLAIN, "%4zu  %s\n", number, text_string(&line));
    text_deinit(&line);
}

static bool ask_number(struct console *console, const struct picker_options *options,
                       size_t *chosen) {
    struct text answer = {0};
    int64_t number;
    const size_t first =
        options->at >= ASKED_MOST ? options->at - ASKED_MOST / 2 : 0; // around the first mark
    for (size_t i = first; i < options->count && i < first + ASKED_MOST; i++)
        print_item(i + 1, options->items[i]);
    if (options->count > ASKED_MOST)
        terminal_say(STYLE_PLAIN, "      %zu in all\n", options->count);
    bool found = console_ask(console, "which number (Enter: none)? ", &answer);
    if (found && (!command_number(answer.bytes, &number) || number > (int64_t)options->count)) {
        terminal_say(STYLE_ERROR, "no such number\n");
        found = false;
    }
    if (found) *chosen = (size_t)number - 1;
    text_deinit(&answer);
    return found;
}

bool picker_run(struct console *console, const struct picker_options *options, size_t *chosen) {
    struct picker picker;
    console_keep_words(console);
    if (!terminal_styled()) return ask_number(console, options, chosen);
    if (picker_init(&picker, options) != STATUS_OK) {
        terminal_say(STYLE_ERROR, "%s\n", status_text(STATUS_NO_MEMORY));
        return false;
    }
    const bool found = run(console, &picker, chosen);
    picker_deinit(&picker);
    if (!found) console_refuse_queue(console);
    return found;
}
