// app/console/command_ask.c — /ask: one message to several conversations, answered in one batch.
//
// Each conversation is a chat beside the console's own; what comes from the engine goes to the chat
// that it belongs to. An answer is shown when it is whole, the one that ends first first, and is
// stored in its conversation as any other.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/console/command.h"
#include "app/console/view.h"
#include "app/screen/editor.h"
#include "app/screen/terminal.h"

enum { ASK_MOST = 16, POLL_MS = 50, AGAIN_MS = 1000 };

struct asked {
    struct conversation conversation;
    struct chat *chat; // the console's own, or one that is closed afterwards
    bool running;
};

struct asking {
    struct console *console;
    struct asked asked[ASK_MOST];
    int32_t count, running;
    int64_t cancelled_ms; // 0: not cancelled
};

// How much of "ID,\"A name\",ID TEXT" are the names: up to the first blank outside of quotes.
static size_t names_length(const char *argument) {
    bool quoted = false;
    size_t length = 0;
    for (; argument[length] && (quoted || !strchr(" \t\n", argument[length])); length++)
        if (argument[length] == '"') quoted = !quoted;
    return length;
}

// The first name of *rest, without its quotes; *rest goes on behind its comma. NULL: none is left.
static const char *next_name(char **rest) {
    char *name = *rest, *close = name && name[0] == '"' ? strchr(name + 1, '"') : NULL;
    if (!close || (close[1] && close[1] != ',')) return strsep(rest, ",");
    *rest = close[1] ? close + 2 : NULL;
    *close = '\0';
    return name + 1;
}

// Reads the names into conversations; each must be there, and once.
static enum status find_all(struct asking *asking, char *names, struct error *err) {
    char *rest = names;
    for (const char *name; (name = next_name(&rest));) {
        struct conversation found;
        if (asking->count == ASK_MOST)
            return error_set(err, STATUS_BAD_INPUT, "more than %d conversations", ASK_MOST);
        TRY(conversation_find(asking->console->db, name, &found, err));
        for (int32_t i = 0; i < asking->count; i++)
            if (strcmp(asking->asked[i].conversation.id, found.id) == 0)
                return error_set(err, STATUS_BAD_INPUT, "conversation %s is named twice", found.id);
        asking->asked[asking->count++].conversation = found;
    }
    return STATUS_OK;
}

static enum status open_all(struct asking *asking, struct error *err) {
    struct chat *here = asking->console->chat;
    for (int32_t i = 0; i < asking->count; i++) {
        struct asked *asked = &asking->asked[i];
        if (strcmp(asked->conversation.id, chat_conversation(here)->id) == 0)
            asked->chat = here;
        else
            TRY(chat_open_beside(here, asked->conversation.id, &asked->chat, err));
    }
    return STATUS_OK;
}

static void close_all(struct asking *asking) {
    for (int32_t i = 0; i < asking->count; i++)
        if (asking->asked[i].chat != asking->console->chat) chat_close(asking->asked[i].chat);
}

static void show_heading(const struct asked *asked) {
    terminal_tell(STYLE_DIM, "[%s%s%s]\n", asked->conversation.id,
                  asked->conversation.name[0] ? " " : "", asked->conversation.name);
}

// What cannot be sent to one does not keep it from the others.
static void send_all(struct asking *asking, const char *text) {
    for (int32_t i = 0; i < asking->count; i++) {
        struct asked *asked = &asking->asked[i];
        struct error err = {0};
        const enum status status = chat_send(asked->chat, text, strlen(text), &err);
        asked->running = status == STATUS_OK;
        asking->running += asked->running;
        if (asked->running) continue;
        show_heading(asked);
        console_failed(status, &err);
        terminal_say(STYLE_PLAIN, "\n");
    }
}

static void show_progress(const struct asking *asking) {
    if (!terminal_styled() || asking->running == 0) return;
    terminal_say(STYLE_DIM, "%d of %d to come", (int)asking->running, (int)asking->count);
}

static void end_one(struct asking *asking, struct asked *asked, enum status status,
                    const struct error *err) {
    const struct turn_report last = chat_last(asked->chat);
    asked->running = false;
    asking->running--;
    if (terminal_styled()) terminal_clear_line();
    show_heading(asked);
    if (status != STATUS_OK)
        console_failed(status, err);
    else if (last.any)
        view_answer(chat_message(asked->chat, chat_message_count(asked->chat) - 1));
    else
        terminal_tell(STYLE_DIM, "[stopped]\n");
    terminal_say(STYLE_PLAIN, "\n");
    show_progress(asking);
}

static void take_event(struct asking *asking, const struct event *event) {
    struct turn_progress progress;
    struct error err = {0};
    enum status status;
    for (int32_t i = 0; i < asking->count; i++) {
        struct asked *asked = &asking->asked[i];
        if (!asked->running || !chat_owns(asked->chat, event)) continue;
        chat_turn_take(asked->chat, event, &progress);
        if (chat_turn_ended(asked->chat, &status, &err)) end_one(asking, asked, status, &err);
        return;
    }
    desk_take(&asking->console->desk, event, &progress); // an answer in the background
}

static void leave(struct console *console, int signal) {
    console->leave = true;
    console->exit_code = 128 + signal;
}

// ^C stops all of them, and each keeps what it has; a second one within a second, and a signal to
// end, also leave.
static void obey_signals(struct asking *asking) {
    const struct terminal_signals signals = terminal_take_signals();
    const int64_t before_ms = asking->cancelled_ms, now_ms = clock_ms();
    const bool again = before_ms && signals.interrupts > 0 && now_ms - before_ms <= AGAIN_MS;
    if (signals.suspend) terminal_suspend();
    if (again || signals.interrupts > 1) leave(asking->console, SIGINT);
    if (signals.end) leave(asking->console, signals.end);
    if (signals.interrupts == 0 && !signals.end) return;
    asking->cancelled_ms = now_ms;
    for (int32_t i = 0; i < asking->count; i++)
        if (asking->asked[i].running) chat_cancel(asking->asked[i].chat);
}

static void ask(struct asking *asking, char *names, const char *text) {
    struct error err = {0};
    struct event event;
    enum status status = find_all(asking, names, &err);
    if (status == STATUS_OK) status = open_all(asking, &err);
    if (console_failed(status, &err)) return;
    send_all(asking, text);
    show_progress(asking);
    editor_begin_aside();
    while (asking->running > 0) {
        if (engine_next_event(asking->console->engine, 0, &event))
            take_event(asking, &event);
        else
            terminal_wait_beside(engine_event_fd(asking->console->engine), POLL_MS);
        console_listen(asking->console);
        obey_signals(asking);
    }
    console_end_aside(asking->console, asking->cancelled_ms != 0);
}

void command_ask(struct console *console, const char *argument) {
    struct asking asking = {.console = console};
    const size_t length = names_length(argument);
    const char *text = argument + length + strspn(argument + length, " \t\n");
    char *names = strndup(argument, length);
    if (!argument[0] || !text[0])
        terminal_tell(STYLE_ERROR, "whom, and what? /ask ID,ID TEXT\n");
    else if (!names)
        terminal_say(STYLE_ERROR, "%s\n", status_text(STATUS_NO_MEMORY));
    else
        ask(&asking, names, text);
    close_all(&asking);
    free(names);
}
