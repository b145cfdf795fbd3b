#include "app/console/pager.h"

#include <stdio.h>

#include "app/base/figures.h"
#include "app/console/keys.h"
#include "app/screen/cells.h"
#include "app/screen/editor.h"
#include "app/screen/terminal.h"

enum {
    TAB_COLUMNS = 8,
    LEAST_ROWS = 2,
    ESCAPE = 0x1B,
    SAME_WORD_MS = 250, // from one letter of a word to the next, under most hands
};

struct place {
    int column, width;
    struct cells cells;
};

// The length of the control sequence at bytes[0..length).
static size_t escape_length(const char *bytes, size_t length) {
    size_t at = 2;
    while (at < length && (bytes[at] < '@' || bytes[at] > '~'))
        at++;
    return at < length ? at + 1 : length;
}

static void follow_sequence(struct place *place, const char *bytes, size_t length) {
    int column;
    if (bytes[length - 1] != 'G' || sscanf(bytes + 1, "[%dG", &column) != 1) return;
    place->column = column - 1;
    place->cells = (struct cells){0};
}

// True if the character, which is not a newline, begins a new row.
static bool put_character(struct place *place, uint32_t code_point) {
    if (code_point == '\t') {
        place->column += TAB_COLUMNS - place->column % TAB_COLUMNS;
        if (place->column >= place->width) place->column = place->width - 1;
        return false;
    }
    const int columns = cells_add(&place->cells, code_point).columns;
    const bool breaks = place->column + columns > place->width;
    place->column = (breaks ? 0 : place->column) + columns;
    return breaks;
}

struct pager_rows pager_take(const struct text *text, size_t from, size_t rows, int width) {
    struct place place = {.width = width};
    struct pager_rows taken = {.end = from};
    const char *bytes = text_string(text);
    for (size_t used; taken.end < text->length; taken.end += used) {
        const char *at = bytes + taken.end;
        const size_t rest = text->length - taken.end;
        const uint32_t code_point = utf8_decode(at, rest, &used);
        if (code_point == ESCAPE && rest > 1 && at[1] == '[') {
            used = escape_length(at, rest);
            follow_sequence(&place, at, used);
            if (at[used - 1] == 'm') taken.style = taken.end;
            if (at[used - 1] == 'm') taken.style_length = used;
            continue;
        }
        taken.mid_line = code_point != '\n' && code_point != '\r';
        if (code_point == '\r' || code_point == '\n') {
            place = (struct place){.width = width};
        } else if (put_character(&place, code_point) && ++taken.count == rows) {
            return taken;
        }
        if (code_point == '\n' && ++taken.count == rows) {
            taken.end += used;
            return taken;
        }
    }
    taken.count += taken.mid_line;
    return taken;
}

void pager_begin(struct pager *pager, struct console *console) {
    *pager = (struct pager){.console = console};
    pager->pages = terminal_styled() && !terminal_has_footer() &&
                   console->session->front->turn.state == TURN_IDLE;
    if (pager->pages) terminal_collect(&pager->text);
}

enum step { STEP_PAGE, STEP_LINE, STEP_ALL, STEP_LEAVE, STEP_CONTINUED, STEP_PASTED };

static enum step ask_step(struct pager *pager) {
    for (;;) {
        const int key = keys_read(pager->console);
        pager->letter = key == 'q' || key == 'G' ? (char)key : '\0';
        switch (key) {
        case ' ':
        case KEY_PAGE_DOWN:
            return STEP_PAGE;
        case KEY_RETURN:
        case KEY_NEWLINE:
        case KEY_DOWN:
            return STEP_LINE;
        case 'G':
        case KEY_END:
            return STEP_ALL;
        case 'q':
        case KEY_ESCAPE:
        case KEY_CTRL_C:
        case KEY_CTRL_D:
            return STEP_LEAVE;
        case KEY_CONTINUED:
            return STEP_CONTINUED;
        case KEY_PASTED:
            console_keep_pasted(pager->console);
            return STEP_PASTED;
        default:
            if (!keys_type(key)) break;
            editor_unread((char)key);
            return STEP_LEAVE;
        }
    }
}

static void show_line_below(size_t left, bool pasted) {
    char count[COUNT_TEXT_BYTES], line[128];
    struct text shown = {0};
    snprintf(line, sizeof line, "%s more line%s · Space: more, q: quit%s",
             count_format((int64_t)left, count), left == 1 ? "" : "s",
             pasted ? " · your paste waits at the prompt" : "");
    if (text_fit(&shown, line, terminal_width() - 1, false) == STATUS_OK)
        terminal_say(STYLE_DIM, "%s", text_string(&shown));
    text_deinit(&shown);
}

// Shows the line below a page until a key is pressed.
static enum step wait_below(struct pager *pager, size_t from) {
    const size_t left = pager_take(&pager->text, from, SIZE_MAX, terminal_width()).count;
    bool pasted = false;
    for (;;) {
        show_line_below(left, pasted);
        const enum step step = ask_step(pager);
        terminal_clear_line();
        if (step != STEP_PASTED && step != STEP_CONTINUED) return step;
        pasted = pasted || step == STEP_PASTED;
    }
}

// The screen's last line is for what stands below a page.
static size_t rows_per_page(void) {
    const int rows = terminal_height() - 1;
    return rows > LEAST_ROWS ? (size_t)rows : LEAST_ROWS;
}

static void show_pages(struct pager *pager) {
    static const char plain[] = "\033[0m";
    const struct text *text = &pager->text;
    enum step step = STEP_PAGE;
    struct pager_rows rows = {0};
    for (size_t at = 0; at < text->length && step != STEP_LEAVE; at = rows.end) {
        const size_t most = step == STEP_ALL ? SIZE_MAX : step == STEP_LINE ? 1 : rows_per_page();
        const struct pager_rows before = rows;
        rows = pager_take(text, at, most, terminal_width());
        if (rows.style_length == 0) {
            rows.style = before.style;
            rows.style_length = before.style_length;
        }
        if (at > 0) terminal_stream(text->bytes + before.style, before.style_length);
        terminal_stream(text->bytes + at, rows.end - at);
        if (rows.end == text->length) return;
        terminal_stream(plain, sizeof plain - 1);
        if (rows.mid_line) terminal_stream("\n", 1);
        step = wait_below(pager, rows.end);
    }
}

void pager_end(struct pager *pager) {
    terminal_collect(NULL);
    const size_t page = pager_take(&pager->text, 0, rows_per_page(), terminal_width()).end;
    if (page < pager->text.length) console_keep_words(pager->console);
    show_pages(pager);
    if (pager->letter && editor_has_words(SAME_WORD_MS)) editor_unread(pager->letter);
    text_deinit(&pager->text);
}
