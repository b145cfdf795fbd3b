// app/console/command_fork.c — /fork: another way from here, from a question, or from an answer.
//
// N forks before the user's turn of that number, with its text in the editor; "Na" forks after the
// answer to it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/chat/chat_move.h"
#include "app/chat/front.h"
#include "app/console/command.h"
#include "app/console/picker.h"
#include "app/screen/terminal.h"
#include "engine/tokenizer/thinking.h"

static void say_forked(struct console *console, const char *what) {
    const struct conversation *fork = &console->session->front->conversation;
    terminal_tell(STYLE_DIM, "%s %s%s%s; /resume - goes back.\n\n", what, fork->id,
                  fork->name[0] ? " " : "", fork->name);
    console_say_cost(console);
    console_give_back_message(console, chat_draft(console->session->front));
}

static void fork_before(struct console *console, int64_t turn) {
    struct error err = {0};
    char what[64];
    if (console_failed(front_fork_at(console->session, turn, &err), &err)) return;
    snprintf(what, sizeof what, "Turn %" PRId64 " is in the editor, in the fork", turn);
    say_forked(console, what);
}

static void fork_after(struct console *console, int64_t turn) {
    struct error err = {0};
    if (console_failed(chat_fork_after(console->session->front, turn, "", &err), &err)) return;
    char what[64];
    snprintf(what, sizeof what, "After the answer to turn %" PRId64 ", in the fork", turn);
    say_forked(console, what);
}

// "3" or "3a".
static bool read_turn(const char *argument, int64_t *turn, bool *after) {
    char digits[24];
    const size_t length = strlen(argument);
    *after = length > 1 && argument[length - 1] == 'a';
    if (length - *after >= sizeof digits) return false;
    memcpy(digits, argument, length - *after);
    digits[length - *after] = '\0';
    return command_number(digits, turn);
}

struct turn_list {
    char **lines; // [count], owned
    int64_t *turns;
    bool *after;
    size_t count;
};

static void turn_list_deinit(struct turn_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->lines[i]);
    free(list->lines);
    free(list->turns);
    free(list->after);
}

static enum status turn_list_init(struct turn_list *list, const struct chat *chat) {
    const size_t count = chat_message_count(chat);
    int64_t turn = 0;
    list->lines = calloc(count + 1, sizeof *list->lines);
    list->turns = calloc(count + 1, sizeof *list->turns);
    list->after = calloc(count + 1, sizeof *list->after);
    if (!list->lines || !list->turns || !list->after) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const struct message *message = chat_message(chat, i);
        struct text line = {0};
        if (message->role == MESSAGE_SYSTEM) continue;
        const bool answer = message->role == MESSAGE_ASSISTANT;
        turn += !answer;
        TRY(text_format(&line, "%4" PRId64 "%s", turn, answer ? "a   " : "  > "));
        const enum status status = answer
                                       ? thinking_split(message->text, message->length, NULL, &line)
                                       : text_append(&line, message->text, message->length);
        if (status != STATUS_OK) {
            text_deinit(&line);
            return status;
        }
        list->turns[list->count] = turn;
        list->after[list->count] = answer;
        list->lines[list->count++] = line.bytes;
    }
    return STATUS_OK;
}

static void fork_where_asked(struct console *console) {
    struct turn_list list = {0};
    struct error err = {0};
    size_t chosen;
    const enum status status = turn_list_init(&list, console->session->front);
    if (!console_failed(status, &err) && list.count == 0)
        terminal_tell(STYLE_ERROR, "no turn to fork at yet\n");
    if (status == STATUS_OK && list.count > 0) {
        const int64_t last = list.turns[list.count - 1];
        char title[64];
        snprintf(title, sizeof title, "fork before (%" PRId64 ") or after it (%" PRId64 "a)", last,
                 last);
        const struct picker_options options = {
            .title = title,
            .items = (const char *const *)list.lines,
            .count = list.count,
            .at = list.count - 1,
        };
        if (picker_run(console, &options, &chosen))
            (list.after[chosen] ? fork_after : fork_before)(console, list.turns[chosen]);
    }
    turn_list_deinit(&list);
}

void command_fork(struct console *console, const char *argument) {
    struct error err = {0};
    int64_t turn;
    bool after;
    if (strcmp(argument, "-") == 0)
        fork_where_asked(console);
    else if (read_turn(argument, &turn, &after))
        (after ? fork_after : fork_before)(console, turn);
    else if (!console_failed(front_fork(console->session, argument, &err), &err))
        say_forked(console, "Now in the fork");
}
