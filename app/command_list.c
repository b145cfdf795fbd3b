#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/figures.h"
#include "app/terminal.h"

enum {
    LIST_LIMIT = 200,
    PICK_LIMIT = 9,
    DEPTH_SHOWN = 6, // deeper forks are not indented further
};

// "  └ Paris trip · Tell me about …": name and beginning, indented below the parent.
static enum status row_title(const struct conversation_row *row, int columns, struct text *out) {
    const int depth = row->depth < DEPTH_SHOWN ? (int)row->depth : DEPTH_SHOWN;
    struct text title = {0};
    enum status status = STATUS_OK;
    for (int i = 0; i < depth && status == STATUS_OK; i++)
        status = text_append_string(&title, i + 1 < depth ? "  " : "└ ");
    const char *name = row->conversation.name;
    if (status == STATUS_OK)
        status = text_format(&title, "%s%s%s", name, name[0] && row->preview[0] ? " · " : "",
                             row->preview);
    if (status == STATUS_OK) status = text_fit(out, text_string(&title), columns, false);
    text_deinit(&title);
    return status;
}

// The tier that has most of a conversation's tokens.
static const char *place_of(const struct holder_usage *usage) {
    if (usage->device_tokens + usage->host_tokens + usage->disk_tokens == 0) return "none";
    if (usage->device_tokens >= usage->host_tokens && usage->device_tokens >= usage->disk_tokens)
        return "device";
    return usage->host_tokens >= usage->disk_tokens ? "host" : "disk";
}

// Five columns of figures, then the title in what is left of the screen.
static void show_row(const struct console *console, const struct conversation_row *row,
                     const struct holder_usage *usage, size_t number) {
    char age[AGE_TEXT_BYTES], turns[COUNT_TEXT_BYTES], tokens[COUNT_TEXT_BYTES], mark[24] = " ";
    const struct conversation *conversation = &row->conversation;
    const bool here = strcmp(conversation->id, chat_conversation(console->chat)->id) == 0;
    if (number > 0)
        snprintf(mark, sizeof mark, "%zu", number);
    else if (here)
        mark[0] = '*';
    age_format(calendar_ms() - conversation->updated_ms, age);
    count_format(row->turns, turns);
    count_format(row->tokens, tokens);
    const int columns = terminal_width() - 46;
    struct text title = {0};
    if (row_title(row, columns > 10 ? columns : 10, &title) == STATUS_OK)
        terminal_say(here ? STYLE_BOLD : STYLE_PLAIN, "%s %s  %7s  %5s  %7s  %-6s  %s\n", mark,
                     conversation->id, age, turns, tokens, place_of(usage), text_string(&title));
    text_deinit(&title);
}

static void show_rows(struct console *console, const struct conversation_row *rows, size_t count,
                      bool numbered) {
    struct holder_usage *usage = calloc(count + 1, sizeof *usage);
    if (!usage || !command_holders(console, rows, count, usage)) {
        free(usage);
        return;
    }
    terminal_say(STYLE_DIM, "  %-8s  %7s  %5s  %7s  %-6s\n", "id", "age", "turns", "tokens",
                 "cache");
    for (size_t i = 0; i < count; i++)
        show_row(console, &rows[i], &usage[i], numbered ? i + 1 : 0);
    free(usage);
}

void command_list(struct console *console, const char *argument) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    struct error err = {0};
    if (console_failed(conversation_list(console->db, argument, LIST_LIMIT, &rows, &count, &err),
                       &err))
        return;
    if (count > 0)
        show_rows(console, rows, count, false);
    else
        terminal_say(STYLE_DIM, argument[0] ? "No conversation has these words.\n"
                                            : "There is no conversation yet.\n");
    free(rows);
    terminal_say(STYLE_PLAIN, "\n");
}

static void resume(struct console *console, const char *which) {
    struct error err = {0};
    const enum status status = strcmp(which, "-") == 0 ? chat_resume_previous(console->chat, &err)
                                                       : chat_resume(console->chat, which, &err);
    if (!console_failed(status, &err)) console_arrive(console);
}

static void pick(struct console *console, const struct conversation_row *rows, size_t count) {
    struct text answer = {0};
    int64_t number;
    show_rows(console, rows, count, true);
    if (console_ask(console, "number, id or name (Enter stays here): ", &answer)) {
        if (command_number(answer.bytes, &number) && number <= (int64_t)count)
            resume(console, rows[number - 1].conversation.id);
        else
            resume(console, answer.bytes);
    }
    text_deinit(&answer);
}

void command_resume(struct console *console, const char *argument) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    struct error err = {0};
    if (argument[0]) {
        resume(console, argument);
        return;
    }
    if (console_failed(conversation_list(console->db, "", PICK_LIMIT, &rows, &count, &err), &err))
        return;
    if (count > 0)
        pick(console, rows, count);
    else
        terminal_say(STYLE_DIM, "There is no conversation yet.\n");
    free(rows);
}

// The lock says whether another quire is in it.
static void delete_locked(struct console *console, const struct conversation *conversation) {
    struct error err = {0};
    const bool here = strcmp(conversation->id, chat_conversation(console->chat)->id) == 0;
    if (here && console_failed(chat_new(console->chat, "", &err), &err)) return;
    if (console_failed(conversation_lock(console->db, conversation->id, &err), &err)) return;
    const enum status status = conversation_delete(console->db, conversation->id, &err);
    conversation_unlock(console->db, conversation->id);
    if (console_failed(status, &err)) return;
    engine_strip(console->engine, conversation_number(conversation->id));
    terminal_say(STYLE_DIM, "%s is deleted.%s\n", conversation->id,
                 here ? " This is a new conversation." : "");
}

void command_delete(struct console *console, const char *argument) {
    struct conversation conversation;
    struct error err = {0};
    if (!argument[0]) {
        terminal_say(STYLE_ERROR, "which one? /delete ID\n");
        return;
    }
    if (console_failed(conversation_find(console->db, argument, &conversation, &err), &err)) return;
    terminal_say(STYLE_PLAIN, "%s %s\n", conversation.id, conversation.name);
    if (console_confirm(console, "delete it for ever? y/n "))
        delete_locked(console, &conversation);
    else
        terminal_say(STYLE_DIM, "It is kept.\n");
}

void command_name(struct console *console, const char *argument) {
    struct error err = {0};
    const struct conversation *conversation = chat_conversation(console->chat);
    if (!argument[0])
        terminal_say(STYLE_PLAIN, "%s\n", conversation->name[0] ? conversation->name : "(no name)");
    else if (!console_failed(chat_rename(console->chat, argument, &err), &err))
        terminal_say(STYLE_DIM, "This conversation is “%s” now.\n", argument);
}
