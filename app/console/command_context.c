// app/console/command_context.c — /context /compact: what fills the context, and how to free it.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/chat/chat_preamble.h"
#include "app/chat/usage.h"
#include "app/console/command.h"
#include "app/console/overflow.h"
#include "app/screen/terminal.h"

enum { BAR_MOST = 60, PARTS = 3, NOTE_INDENT = 27 };

struct part {
    const char *label;
    int64_t tokens;
    char cell;
    enum style style;
    char note[64];
};

// The cells for `tokens` of `context`; at least one unless there are no tokens.
static int cells_of(int64_t tokens, int64_t context, int columns) {
    const int cells = (int)(tokens * columns / context);
    return tokens > 0 && cells == 0 ? 1 : cells;
}

static void show_bar(const struct part parts[PARTS], int64_t context) {
    const int width = terminal_width() - 3;
    const int columns = width < BAR_MOST ? (width > PARTS ? width : PARTS) : BAR_MOST;
    int left = columns;
    terminal_say(STYLE_PLAIN, "[");
    for (int i = 0; i < PARTS; i++) {
        char cells[BAR_MOST + 1];
        int count = i + 1 < PARTS ? cells_of(parts[i].tokens, context, columns) : left;
        if (count > left) count = left;
        memset(cells, parts[i].cell, (size_t)count);
        cells[count] = '\0';
        left -= count;
        terminal_say(parts[i].style, "%s", cells);
    }
    terminal_say(STYLE_PLAIN, "]\n");
}

static void show_parts(const struct part parts[PARTS], int64_t context) {
    char tokens[COUNT_TEXT_BYTES], all[COUNT_TEXT_BYTES];
    for (int i = 0; i < PARTS; i++) {
        terminal_say(parts[i].style, "%c %-8s", parts[i].cell, parts[i].label);
        struct text note = {0};
        const int room = terminal_width() - NOTE_INDENT;
        if (text_fit(&note, parts[i].note, room > 0 ? room : 0, false) == STATUS_OK)
            terminal_say(STYLE_PLAIN, "%9s %3d %%  %s\n", count_format(parts[i].tokens, tokens),
                         usage_percent(parts[i].tokens, context), text_string(&note));
        text_deinit(&note);
    }
    terminal_say(STYLE_DIM, "  %-8s%9s tokens\n\n", "all", count_format(context, all));
}

void command_context(struct console *console, const char *argument) {
    struct chat_preamble preamble;
    struct error err = {0};
    char turns[TURNS_TEXT_BYTES];
    (void)argument;
    if (strcmp(console->session->remote, "messages") == 0) {
        terminal_tell(STYLE_DIM, "The server counts the tokens; /stats shows its figures.\n");
        return;
    }
    if (console_failed(chat_preamble(console->session->front, &preamble, &err), &err)) return;
    const struct chat *chat = console->session->front;
    const int64_t context = chat->session->context;
    const int64_t log = (int64_t)chat->transcript.log.count;
    const int64_t in_preamble = log > 0 && preamble.tokens > log ? log : preamble.tokens;
    const int64_t in_turns = log > in_preamble ? log - in_preamble : 0;
    const int64_t used = in_preamble + in_turns;
    struct part parts[PARTS] = {
        {"preamble", in_preamble, '#', STYLE_BLUE, ""},
        {"turns", in_turns, '=', STYLE_GREEN, ""},
        {"free", context > used ? context - used : 0, '.', STYLE_DIM, ""},
    };
    if (preamble.others > 0)
        snprintf(parts[0].note, sizeof parts[0].note, "shared by %" PRId64, preamble.others + 1);
    snprintf(parts[1].note, sizeof parts[1].note, "%s", turns_format(chat_turn_count(chat), turns));
    if (used > context)
        snprintf(parts[2].note, sizeof parts[2].note, "more than the context holds");
    show_bar(parts, context);
    show_parts(parts, context);
}

void command_compact(struct console *console, const char *argument) {
    overflow_compact(console, argument, 0);
}
