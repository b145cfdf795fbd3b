#include "app/console/console.h"

#include <string.h>
#include <strings.h>

#include "app/base/figures.h"
#include "app/chat/kv_report.h"
#include "app/chat/usage.h"
#include "app/console/command.h"
#include "app/console/commands.h"
#include "app/console/compose.h"
#include "app/console/overflow.h"
#include "app/console/view.h"
#include "app/screen/editor.h"
#include "app/screen/terminal.h"

enum {
    REPLAY_EXCHANGES = 2,
    NEARLY_FULL_PERCENT = 80,
    RESTORE_MS = 3000, // then it goes on by itself, or with the next turn
};

static void warn_when_nearly_full(struct console *console) {
    const struct usage usage = usage_of(console->chat, console->engine);
    if (usage.context_percent < NEARLY_FULL_PERCENT) return;
    char used[COUNT_TEXT_BYTES], context[COUNT_TEXT_BYTES];
    terminal_tell(STYLE_DIM, "[%s of %s tokens are used — /compact makes room]\n\n",
                  count_format(usage.length, used), count_format(usage.context, context));
}

static int32_t answers_kept(const struct chat *chat) {
    int32_t kept = 0;
    for (int32_t i = 0; i < chat_answer_count(chat); i++)
        kept += chat_answer(chat, i).any;
    return kept;
}

static void add_to_draft(struct console *console, const char *text) {
    struct text *draft = &console->draft;
    enum status status = draft->length ? text_append(draft, "\n", 1) : STATUS_OK;
    if (status == STATUS_OK) status = text_append_string(draft, text);
    if (status != STATUS_OK) terminal_say(STYLE_ERROR, "%s\n", status_text(status));
}

void console_deinit(struct console *console) {
    for (int32_t i = 0; i < console->queued; i++) // each is in the history, too
        text_deinit(&console->queue[i]);
    text_deinit(&console->draft);
    text_deinit(&console->status_line);
}

// Which of the answers does the conversation go on with? The first, if nothing is said.
static void pick(struct console *console) {
    struct chat *chat = console->chat;
    struct text answer = {0};
    struct error err = {0};
    int64_t number = 0;
    if (answers_kept(chat) < 2) return;
    terminal_tell(STYLE_DIM, "Enter goes on with the first; /alt shows the others.\n");
    if (console_ask(console, "go on with which? ", &answer)) {
        const int64_t index = command_number(text_string(&answer), &number)
                                  ? number - chat_answer(chat, 0).number
                                  : -1;
        const bool found =
            index >= 0 && index < chat_answer_count(chat) && chat_answer(chat, (int32_t)index).any;
        if (!found)
            terminal_tell(STYLE_ERROR, "there is no such answer: it is the first\n");
        else
            console_failed(chat_choose(chat, chat_answer(chat, (int32_t)index).message, &err),
                           &err);
    }
    text_deinit(&answer);
}

void console_queue(struct console *console, struct text *line) {
    if (console->queued == CONSOLE_MOST_QUEUED) {
        add_to_draft(console, text_string(line));
        return;
    }
    console->queue[console->queued++] = *line;
    *line = (struct text){0};
    editor_queued(console->queued);
}

bool console_unqueue(struct console *console, struct text *line) {
    if (console->queued == 0) return false;
    *line = console->queue[0];
    console->queued--;
    memmove(console->queue, console->queue + 1, (size_t)console->queued * sizeof *line);
    editor_queued(console->queued);
    return true;
}

// Nothing of it shall be sent by itself.
static void queue_to_draft(struct console *console) {
    struct text line = {0};
    while (console_unqueue(console, &line)) {
        add_to_draft(console, text_string(&line));
        text_deinit(&line);
    }
}

// A line that was sent while the answer streams: a command that moves is obeyed now.
static bool take_line(void *user, struct text *line) {
    struct console *console = user;
    if (!commands_moves(text_string(line))) {
        console_queue(console, line);
        return false;
    }
    console->moving = *line;
    *line = (struct text){0};
    return true;
}

// What is queued was meant for the conversation that is left, so it shall not be sent by itself.
static void move(struct console *console) {
    struct text line = console->moving;
    console->moving = (struct text){0};
    queue_to_draft(console);
    commands_run(console, text_string(&line));
    console->again = chat_running(console->chat); // it stayed, or came to another that is written
    text_deinit(&line);
}

static void end_turn(struct console *console, enum view_end end) {
    switch (end) {
    case VIEW_ANSWERED:
        pick(console);
        if (console->verbose) command_stats(console, "");
        warn_when_nearly_full(console);
        break;
    case VIEW_BACK:
        compose_take_back(console, chat_draft(console->chat));
        break;
    case VIEW_FAILED:
        break;
    case VIEW_MOVED:
        move(console);
        break;
    case VIEW_LEAVE:
        console->leave = true;
        break;
    }
}

// What was typed aside and not sent, in the draft.
static void typed_to_draft(struct console *console, struct text *typed) {
    if (typed->length) add_to_draft(console, text_string(typed));
    text_deinit(typed);
}

static void end_aside(struct text *typed) {
    if (editor_end_aside(typed) != STATUS_OK)
        terminal_say(STYLE_ERROR, "%s\n", status_text(STATUS_NO_MEMORY));
}

void console_follow(struct console *console) {
    struct text typed = {0};
    bool cancelled;
    const struct view_options options = {
        .again = console->again, .line = take_line, .user = console};
    console->again = false;
    editor_begin_aside();
    const enum view_end end = view_turn(&console->desk, &options, &console->exit_code, &cancelled);
    end_aside(&typed);
    end_turn(console, end);
    if (cancelled) queue_to_draft(console);
    typed_to_draft(console, &typed);
}

void console_listen(struct console *console) {
    struct text line = {0};
    if (editor_listen(&line)) console_queue(console, &line);
    text_deinit(&line);
}

void console_end_aside(struct console *console, bool cancelled) {
    struct text typed = {0};
    end_aside(&typed);
    if (cancelled) queue_to_draft(console);
    typed_to_draft(console, &typed);
}

enum sent console_send(struct console *console, const char *text, size_t length) {
    struct error err = {0};
    const enum status status = chat_send(console->chat, text, length, &err);
    if (status == STATUS_TOO_LONG) return overflow_send(console, text, length, &err);
    return console_failed(status, &err) ? SENT_BACK : SENT;
}

void console_regenerate(struct console *console, int32_t answers) {
    struct error err = {0};
    console_failed(chat_regenerate(console->chat, answers, &err), &err);
}

void console_search(struct console *console, int32_t width) {
    struct error err = {0};
    console_failed(chat_search(console->chat, width, &err), &err);
}

void console_continue(struct console *console) {
    struct error err = {0};
    console_failed(chat_continue(console->chat, &err), &err);
}

static bool moved(struct console *console, enum status status, const struct error *err) {
    console->chat = console->desk.front;
    return !console_failed(status, err);
}

bool console_new(struct console *console, const char *name) {
    struct error err = {0};
    const enum status status = desk_new(&console->desk, name, &err);
    return moved(console, status, &err);
}

bool console_resume(struct console *console, const char *which) {
    struct error err = {0};
    const enum status status = desk_resume(&console->desk, which, &err);
    return moved(console, status, &err);
}

bool console_fork(struct console *console, const char *name) {
    struct error err = {0};
    const enum status status = desk_fork(&console->desk, name, &err);
    return moved(console, status, &err);
}

bool console_has_news(void *user) {
    struct console *console = user;
    desk_listen(&console->desk);
    return console->desk.notes.length > 0;
}

void console_tell_news(void *user) {
    struct console *console = user;
    struct text *notes = &console->desk.notes;
    if (notes->length == 0) return;
    struct wrap wrap = {.width = terminal_styled() ? terminal_width() : 0};
    terminal_wrapped(STYLE_DIM, &wrap, notes->bytes, notes->length);
    wrap_deinit(&wrap);
    text_clear(notes);
}

void console_quit(struct console *console) {
    const int32_t behind = console->desk.behind_count;
    console->leave = behind == 0 || console->warned_at == console->prompts - 1;
    if (console->leave) return;
    terminal_tell(STYLE_DIM, "%d answer%s still being written: once more stops %s, and leaves.\n",
                  (int)behind, behind == 1 ? " is" : "s are", behind == 1 ? "it" : "them");
    console->warned_at = console->prompts;
}

bool console_failed(enum status status, const struct error *err) {
    if (status == STATUS_OK) return false;
    terminal_tell(STYLE_ERROR, "%s\n", err->text[0] ? err->text : status_text(status));
    return true;
}

static void trim(struct text *text) {
    static const char blanks[] = " \t\n";
    const char *string = text_string(text);
    const size_t start = strspn(string, blanks);
    if (start > 0) memmove(text->bytes, text->bytes + start, text->length + 1 - start);
    text->length -= start;
    while (text->length > 0 && strchr(blanks, text->bytes[text->length - 1]))
        text->bytes[--text->length] = '\0';
}

bool console_ask(struct console *console, const char *question, struct text *answer) {
    const struct editor_prompt prompt = {.text = question, .draft = "", .question = true};
    int signal = 0;
    switch (editor_read(&prompt, answer, &signal)) {
    case EDITOR_LINE:
        trim(answer);
        return answer->length > 0;
    case EDITOR_SIGNAL:
        console->leave = true;
        console->exit_code = 128 + signal;
        return false;
    case EDITOR_INTERRUPT:
    case EDITOR_LEAVE:
        return false;
    }
    return false;
}

bool console_confirm(struct console *console, const char *question) {
    struct text answer = {0};
    const bool yes = console_ask(console, question, &answer) &&
                     (strcasecmp(answer.bytes, "y") == 0 || strcasecmp(answer.bytes, "yes") == 0);
    text_deinit(&answer);
    return yes;
}

// What was cached of the conversation, and what that spares. ^C does not end the wait for it.
static void show_restored(struct console *console) {
    struct restore_report report;
    struct text line = {0};
    chat_restore(console->chat, RESTORE_MS, &report);
    if (report.length > 0 && kv_report_restored(&report, &line) == STATUS_OK)
        terminal_tell(STYLE_DIM, "[%s]\n", text_string(&line));
    text_deinit(&line);
}

void console_arrive(struct console *console) {
    view_replay(console->chat, REPLAY_EXCHANGES);
    if (chat_running(console->chat)) return; // what there is of the answer comes next
    const struct conversation *conversation = chat_conversation(console->chat);
    char turns[TURNS_TEXT_BYTES];
    struct text name = {0};
    if (text_fit(&name, conversation->name, 24, false) == STATUS_OK)
        terminal_tell(STYLE_DIM, "[%s%s%s · %s]\n", conversation->id, name.length ? " " : "",
                      text_string(&name), turns_format(chat_turn_count(console->chat), turns));
    text_deinit(&name);
    show_restored(console);
    terminal_say(STYLE_PLAIN, "\n");
    if (!chat_draft(console->chat)[0]) return;
    terminal_tell(STYLE_DIM, "[the last message has no answer: it is in the editor]\n");
    console_give_back(console, chat_draft(console->chat));
}

void console_give_back(struct console *console, const char *text) {
    if (!text[0]) return;
    struct text typed = console->draft;
    console->draft = (struct text){0};
    add_to_draft(console, text);
    typed_to_draft(console, &typed);
}
