// app/console/command_ask.c — /ask: one message to several conversations, answered in one batch.
//
// Each conversation is opened as a chat in addition to the one in front. Answers are shown once
// complete, in the order they end, and each is stored in its conversation as usual.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/chat/chat_move.h"
#include "app/chat/chat_turn.h"
#include "app/console/command.h"
#include "app/console/view.h"
#include "app/screen/editor.h"
#include "app/screen/terminal.h"
#include "kernels/base/assert.h"

enum { ASK_MOST = 16, POLL_MS = 50, AGAIN_MS = 1000 };

struct asking {
    struct console *console;
    char ids[ASK_MOST][CONVERSATION_ID_BYTES];
    struct chat *chats[ASK_MOST]; // [count]; all but the one in front are closed afterwards
    int32_t count, running;
    int64_t cancelled_ms; // 0: not cancelled
};

// The length of the names in "ID,\"A name\",ID TEXT": up to the first blank outside quotes.
static size_t names_length(const char *argument) {
    bool quoted = false;
    size_t length = 0;
    for (; argument[length] && (quoted || !strchr(" \t\n", argument[length])); length++)
        if (argument[length] == '"') quoted = !quoted;
    return length;
}

// The first name in *rest, without its quotes; *rest then starts after its comma. NULL: none left.
static const char *next_name(char **rest) {
    char *name = *rest, *close = name && name[0] == '"' ? strchr(name + 1, '"') : NULL;
    if (!close || (close[1] && close[1] != ',')) return strsep(rest, ",");
    *rest = close[1] ? close + 2 : NULL;
    *close = '\0';
    return name + 1;
}

// Finds the conversations that are named; each must exist and be named once.
static enum status find_all(struct asking *asking, char *names, struct error *err) {
    char *rest = names;
    struct conversation whole; // a name may have a comma
    struct error ignored = {0};
    if (names[0] != '"' && strchr(names, ',') &&
        conversation_find(asking->console->session->db, names, &whole, &ignored) == STATUS_OK) {
        memcpy(asking->ids[asking->count++], whole.id, sizeof whole.id);
        return STATUS_OK;
    }
    for (const char *name; (name = next_name(&rest));) {
        struct conversation found;
        if (asking->count == ASK_MOST)
            return error_set(err, STATUS_BAD_INPUT, "too many conversations (at most %d)",
                             ASK_MOST);
        TRY(conversation_find(asking->console->session->db, name, &found, err));
        for (int32_t i = 0; i < asking->count; i++)
            if (strcmp(asking->ids[i], found.id) == 0)
                return error_set(err, STATUS_BAD_INPUT, "conversation %s is named twice", found.id);
        memcpy(asking->ids[asking->count++], found.id, sizeof found.id);
    }
    return STATUS_OK;
}

static enum status open_all(struct asking *asking, struct error *err) {
    struct session *session = asking->console->session;
    for (int32_t i = 0; i < asking->count; i++) {
        struct chat **chat = &asking->chats[i];
        *chat = session->front;
        if (strcmp(asking->ids[i], session->front->conversation.id) == 0) continue;
        *chat = NULL;
        TRY(chat_open(session, chat, err));
        TRY(chat_resume(*chat, asking->ids[i], err));
    }
    return STATUS_OK;
}

static void close_all(struct asking *asking) {
    for (int32_t i = 0; i < asking->count; i++)
        if (asking->chats[i] != asking->console->session->front) chat_leave(asking->chats[i]);
}

static void show_heading(const struct chat *chat) {
    const struct conversation *conversation = &chat->conversation;
    terminal_tell(STYLE_DIM, "[%s%s%s]\n", conversation->id, conversation->name[0] ? " " : "",
                  conversation->name);
}

// A failure in one conversation does not stop the others.
static void send_all(struct asking *asking, const char *text) {
    for (int32_t i = 0; i < asking->count; i++) {
        struct error err = {0};
        ASSERT(asking->chats[i]);
        const enum status status = chat_send(
            asking->chats[i], &(struct outgoing){.text = text, .length = strlen(text)}, &err);
        asking->running += status == STATUS_OK;
        if (status == STATUS_OK) continue;
        show_heading(asking->chats[i]);
        console_failed(status, &err);
        terminal_say(STYLE_PLAIN, "\n");
    }
}

static void show_progress(const struct asking *asking) {
    if (!terminal_styled() || asking->running == 0) return;
    terminal_say(STYLE_DIM, "waiting for %d of %d answers", (int)asking->running,
                 (int)asking->count);
}

static void show_answer(struct asking *asking, const struct turn *turn) {
    const struct chat *chat = turn->owner;
    asking->running--;
    if (terminal_styled()) terminal_clear_line();
    show_heading(chat);
    if (!chat_is_saved(chat)) {
        const struct message answer = chat_message_of(chat, &chat->answers[0]);
        view_answer(&answer);
    }
    if (turn->status != STATUS_OK)
        console_failed(turn->status, &turn->err);
    else if (turn_first(turn).any)
        view_answer(chat_message(chat, chat_message_count(chat) - 1));
    else
        terminal_tell(STYLE_DIM, "[stopped]\n");
    console_say_unsaved(chat);
    terminal_say(STYLE_PLAIN, "\n");
    show_progress(asking);
}

static void leave(struct console *console, int signal) {
    console->leave = true;
    console->exit_code = 128 + signal;
}

// ^C and Esc stop all answers, and each keeps what it has. A second ^C within a second,
// or a signal to end, also leaves quire.
static void obey_signals(struct asking *asking) {
    const struct terminal_signals signals = terminal_read_signals();
    const int64_t before_ms = asking->cancelled_ms, now_ms = clock_ms();
    const bool again = before_ms && signals.interrupts > 0 && now_ms - before_ms <= AGAIN_MS;
    if (signals.suspend) terminal_suspend();
    if (again || signals.interrupts > 1) leave(asking->console, SIGINT);
    if (signals.end) leave(asking->console, signals.end);
    if (signals.interrupts == 0 && !signals.stop && !signals.end) return;
    asking->cancelled_ms = now_ms;
    for (int32_t i = 0; i < asking->count; i++)
        if (asking->chats[i]->turn.state != TURN_IDLE) turn_cancel(&asking->chats[i]->turn);
}

static void ask_all(struct asking *asking, char *names, const char *text) {
    struct session *session = asking->console->session;
    struct error err = {0};
    struct turn_update update;
    struct text typed = {0};
    enum status status = find_all(asking, names, &err);
    if (status == STATUS_OK) status = open_all(asking, &err);
    if (status != STATUS_OK) {
        console_failed(status, &err);
        return;
    }
    send_all(asking, text);
    show_progress(asking);
    editor_begin_type_ahead();
    while (asking->running > 0) {
        if (!session_next(session, 0, &update))
            terminal_wait_event(session->event_fd, POLL_MS);
        else if (update.event == TURN_DONE)
            show_answer(asking, update.turn);
        console_listen(asking->console);
        obey_signals(asking);
    }
    console_end_type_ahead(&typed);
    console_keep_typed(asking->console, &typed, asking->cancelled_ms != 0);
}

void command_ask(struct console *console, const char *argument) {
    struct asking asking = {.console = console};
    const size_t length = names_length(argument);
    const char *text = argument + length + strspn(argument + length, " \t\n");
    char *names = strndup(argument, length);
    if (!argument[0] || !text[0])
        terminal_tell(STYLE_ERROR, "usage: /ask ID,ID TEXT\n");
    else if (!names)
        terminal_say(STYLE_ERROR, "%s\n", status_text(STATUS_NO_MEMORY));
    else
        ask_all(&asking, names, text);
    close_all(&asking);
    free(names);
}
