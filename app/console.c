#include "app/console.h"

#include <string.h>
#include <strings.h>

#include "app/command.h"
#include "app/editor.h"
#include "app/figures.h"
#include "app/kv_report.h"
#include "app/terminal.h"
#include "app/usage.h"
#include "app/view.h"

enum {
    REPLAY_EXCHANGES = 2,
    NEARLY_FULL_PERCENT = 80,
    RESTORE_MS = 3000, // then it goes on by itself, or with the next turn
};

static void warn_when_nearly_full(struct console *console) {
    const struct usage usage = usage_of(console->chat, console->engine);
    if (usage.context_percent < NEARLY_FULL_PERCENT) return;
    char used[COUNT_TEXT_BYTES], context[COUNT_TEXT_BYTES];
    terminal_say(STYLE_DIM, "[%s of %s tokens are used — /rewind or /new makes room]\n\n",
                 count_format(usage.length, used), count_format(usage.context, context));
}

static int32_t answers_kept(const struct chat *chat) {
    int32_t kept = 0;
    for (int32_t i = 0; i < chat_answer_count(chat); i++)
        kept += chat_answer(chat, i).any;
    return kept;
}

// Which of the answers does the conversation go on with? The first, if nothing is said.
static void pick(struct console *console) {
    struct chat *chat = console->chat;
    struct text answer = {0};
    struct error err = {0};
    int64_t number = 0;
    if (answers_kept(chat) < 2) return;
    if (console_ask(console,
                    "go on with which? (Enter: the first; /alt shows the others): ", &answer)) {
        const bool found = command_number(text_string(&answer), &number) &&
                           number <= chat_answer_count(chat) &&
                           chat_answer(chat, (int32_t)number - 1).any;
        if (!found)
            terminal_say(STYLE_ERROR, "there is no such answer: it is the first\n");
        else
            console_failed(chat_choose(chat, chat_answer(chat, (int32_t)number - 1).message, &err),
                           &err);
    }
    text_deinit(&answer);
}

static void show_turn(struct console *console) {
    switch (view_turn(console->chat, &console->exit_code)) {
    case VIEW_ANSWERED:
        pick(console);
        warn_when_nearly_full(console);
        break;
    case VIEW_BACK:
        console_set_draft(console, chat_draft(console->chat));
        break;
    case VIEW_FAILED:
        break;
    case VIEW_LEAVE:
        console->leave = true;
        break;
    }
}

void console_send(struct console *console, const char *text, size_t length) {
    struct error err = {0};
    if (console_failed(chat_send(console->chat, text, length, &err), &err))
        console_set_draft(console, text);
    else
        show_turn(console);
}

void console_regenerate(struct console *console, int32_t answers) {
    struct error err = {0};
    if (!console_failed(chat_regenerate(console->chat, answers, &err), &err)) show_turn(console);
}

void console_search(struct console *console, int32_t width) {
    struct error err = {0};
    if (!console_failed(chat_search(console->chat, width, &err), &err)) show_turn(console);
}

void console_continue(struct console *console) {
    struct error err = {0};
    if (!console_failed(chat_continue(console->chat, &err), &err)) show_turn(console);
}

bool console_failed(enum status status, const struct error *err) {
    if (status == STATUS_OK) return false;
    terminal_say(STYLE_ERROR, "%s\n", err->text[0] ? err->text : status_text(status));
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
        terminal_say(STYLE_DIM, "[%s]\n", text_string(&line));
    text_deinit(&line);
}

void console_arrive(struct console *console) {
    view_replay(console->chat, REPLAY_EXCHANGES);
    const struct conversation *conversation = chat_conversation(console->chat);
    char turns[TURNS_TEXT_BYTES];
    struct text name = {0};
    if (text_fit(&name, conversation->name, 24, false) == STATUS_OK)
        terminal_say(STYLE_DIM, "[%s%s%s · %s]\n", conversation->id, name.length ? " " : "",
                     text_string(&name), turns_format(chat_turn_count(console->chat), turns));
    text_deinit(&name);
    show_restored(console);
    terminal_say(STYLE_PLAIN, "\n");
    if (!chat_draft(console->chat)[0]) return;
    terminal_say(STYLE_DIM, "[the last message has no answer: it is in the editor]\n");
    console_set_draft(console, chat_draft(console->chat));
}

void console_set_draft(struct console *console, const char *text) {
    text_clear(&console->draft);
    if (text_append_string(&console->draft, text) != STATUS_OK)
        terminal_say(STYLE_ERROR, "%s\n", status_text(STATUS_NO_MEMORY));
}
