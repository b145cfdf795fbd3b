#include "app/console/console.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/base/figures.h"
#include "app/base/verbatim.h"
#include "app/chat/chat_kv.h"
#include "app/chat/chat_turn.h"
#include "app/chat/front.h"
#include "app/chat/kv_report.h"
#include "app/console/command_line.h"
#include "app/console/view.h"
#include "app/screen/editor.h"
#include "app/screen/terminal.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"

enum {
    REPLAY_EXCHANGES = 2,
    RESTORE_MS = 3000, // after that it continues in the background, or with the next turn
};

static void say_no_memory(void) {
    terminal_say(STYLE_ERROR, "%s\n", status_text(STATUS_NO_MEMORY));
}

// Moves the line in; if there is no memory, says so and leaves it alone.
static void lines_push(struct lines *lines, struct text *line) {
    if (!array_reserve(&lines->items, lines->count, &lines->capacity, sizeof lines->items[0])) {
        say_no_memory();
        return;
    }
    lines->items[lines->count++] = *line;
    *line = (struct text){0};
}

static bool lines_pop(struct lines *lines, struct text *line) {
    if (lines->count == 0) return false;
    *line = lines->items[0];
    memmove(lines->items, lines->items + 1, --lines->count * sizeof *line);
    return true;
}

static void lines_deinit(struct lines *lines) {
    struct text line;
    while (lines_pop(lines, &line))
        text_deinit(&line);
    free(lines->items);
}

void unsent_deinit(struct unsent *unsent) {
    text_deinit(&unsent->draft);
    lines_deinit(&unsent->queue); // each line is also in the history
    lines_deinit(&unsent->held);
    text_deinit(&unsent->attached.text);
    *unsent = (struct unsent){0};
}

struct unsent console_take_unsent(struct console *console) {
    const struct unsent unsent = {console->draft, console->queue, console->held, console->attached};
    console->draft = (struct text){0};
    console->queue = console->held = (struct lines){0};
    console->attached = (struct attached){0};
    return unsent;
}

// Appends the line to the draft if both can be one message; otherwise keeps it as a line of its
// own.
static void keep_behind_draft(struct console *console, struct text *line) {
    struct text *draft = &console->draft;
    const char *text = text_string(line);
    if (line->length == 0) return;
    if (draft->length > 0 && (console->held.count > 0 || command_line_is_command(text) ||
                              command_line_is_command(text_string(draft)))) {
        editor_remember(text);
        lines_push(&console->held, line);
        return;
    }
    enum status status = draft->length ? text_append(draft, "\n", 1) : STATUS_OK;
    if (status == STATUS_OK) status = text_append(draft, text, line->length);
    if (status != STATUS_OK) say_no_memory();
}

void console_deinit(struct console *console) {
    struct unsent unsent = console_take_unsent(console);
    unsent_deinit(&unsent);
    free(console->status_shown.name);
    free(console->listed);
}

static void show_queue(const struct console *console) {
    const struct lines *queue = &console->queue;
    editor_queued((int)queue->count, queue->count ? text_string(&queue->items[0]) : "");
}

void console_queue(struct console *console, struct text *line) {
    const bool blank = strspn(text_string(line), " \t\n") == line->length;
    if (blank && console->attached.files == 0) return; // there is nothing to send
    lines_push(&console->queue, line);
    show_queue(console);
}

bool console_unqueue(struct console *console, struct text *line) {
    if (!lines_pop(&console->queue, line)) return false;
    show_queue(console);
    return true;
}

void console_hold_queue(struct console *console) {
    struct text line = {0};
    while (lines_pop(&console->queue, &line)) {
        lines_push(&console->held, &line);
        text_deinit(&line);
    }
    show_queue(console);
}

void console_refuse_queue(struct console *console) {
    if (console->queue.count == 0) return;
    console_hold_queue(console);
    terminal_tell(STYLE_DIM, "[not sent: what was queued behind it is back in the editor]\n");
}

void console_put_unsent(struct console *console, struct unsent *unsent) {
    console->draft = unsent->draft;
    console->queue = unsent->queue;
    console->held = unsent->held;
    console->attached = unsent->attached;
    *unsent = (struct unsent){0};
    show_queue(console);
}

bool console_take_held(struct console *console, struct text *line) {
    return lines_pop(&console->held, line);
}

void console_listen(struct console *console) {
    struct text line = {0};
    if (editor_listen(&line)) console_queue(console, &line);
    text_deinit(&line);
}

void console_end_type_ahead(struct text *typed) {
    if (editor_end_type_ahead(typed) != STATUS_OK) say_no_memory();
}

void console_keep_typed(struct console *console, struct text *typed, bool cancelled) {
    if (cancelled) console_hold_queue(console);
    keep_behind_draft(console, typed);
    text_deinit(typed);
}

void console_keep_words(struct console *console) {
    struct text typed = {0};
    if (!editor_has_words(0)) return;
    editor_begin_type_ahead();
    while (editor_has_keys())
        console_listen(console);
    console_end_type_ahead(&typed);
    console_keep_typed(console, &typed, false);
}

void console_keep_pasted(struct console *console) {
    struct text typed = {0};
    editor_begin_type_ahead();
    editor_insert_pasted();
    console_end_type_ahead(&typed);
    console_keep_typed(console, &typed, false);
}

// True if the user or a signal asks to stop.
static bool stops_reading(struct console *console) {
    console_listen(console);
    const struct terminal_signals signals = terminal_read_signals();
    if (signals.suspend) terminal_suspend();
    if (signals.end) {
        console->leave = true;
        console->exit_code = 128 + signals.end;
    }
    return signals.end || signals.stop || signals.interrupts > 0;
}

static void end_reading(struct console *console) {
    struct text typed = {0};
    if (terminal_styled()) terminal_clear_line();
    console_end_type_ahead(&typed);
    console_keep_typed(console, &typed, false);
    console->reading = (struct progress){0};
}

bool console_reads(void *user, size_t done, size_t total) {
    enum { LONG = 2000, SHOWN_EACH = 256 };
    struct console *console = user;
    const struct progress_now now = {.what = "reading",
                                     .unit = "messages",
                                     .done = (int64_t)done,
                                     .total = (int64_t)total,
                                     .now_ms = clock_ms(),
                                     .columns = terminal_width()};
    struct text line = {0};
    if (done == total && console->reading.begun) end_reading(console);
    if (done == total || total < LONG || done % SHOWN_EACH > 0) return true;
    if (!console->reading.begun) editor_begin_type_ahead();
    if (progress_line(&console->reading, &now, &line) == STATUS_OK && terminal_styled()) {
        terminal_clear_line();
        terminal_say(STYLE_DIM, "%s", text_string(&line));
    }
    text_deinit(&line);
    return !stops_reading(console);
}

bool console_has_news(void *user) {
    struct console *console = user;
    session_listen(console->session);
    return console->session->notes.length > 0;
}

void console_tell_news(void *user) {
    struct console *console = user;
    struct text *notes = &console->session->notes;
    if (notes->length == 0) return;
    terminal_bell();
    struct wrap wrap = {.width = terminal_styled() ? terminal_width() : 0};
    terminal_wrapped(STYLE_DIM, &wrap, notes->bytes, notes->length);
    wrap_deinit(&wrap);
    text_clear(notes);
}

void console_quit(struct console *console) {
    const int32_t behind = session_unfollowed(console->session);
    struct error err = {0};
    const bool loses = front_save(console->session, &err) != STATUS_OK;
    console->leave = (behind == 0 && !loses) || console->warned_at >= console->prompts - 1;
    if (console->leave) return;
    console->warned_at = console->prompts;
    if (loses) terminal_tell(STYLE_ERROR, "%s; ^D again quits without the last answer\n", err.text);
    if (behind == 0) return;
    terminal_tell(STYLE_DIM, "%d answer%s still being written; ^D again stops %s and quits.\n",
                  (int)behind, behind == 1 ? " is" : "s are", behind == 1 ? "it" : "them");
}

bool console_failed(enum status status, const struct error *err) {
    if (status == STATUS_OK) return false;
    terminal_tell(STYLE_ERROR, "%s\n", err->text[0] ? err->text : status_text(status));
    return true;
}

bool console_failed_to_find(enum status status, const struct error *err) {
    if (status != STATUS_NOT_FOUND) return console_failed(status, err);
    terminal_tell(STYLE_ERROR, "%s; /list shows the conversations\n", err->text);
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

bool console_ask_words(struct console *console, const char *question, struct text *answer) {
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
        console_refuse_queue(console);
        return false;
    }
    return false;
}

bool console_ask(struct console *console, const char *question, struct text *answer) {
    struct text words = {0};
    bool answered = console_ask_words(console, question, &words);
    if (answered && verbatim_plain(answer, words.bytes, words.length) != STATUS_OK) {
        say_no_memory();
        answered = false;
    }
    text_deinit(&words);
    return answered;
}

char console_choose(struct console *console, const char *question, const char *const *words,
                    size_t count) {
    struct text answer = {0};
    char choice = '\0';
    if (console_ask_words(console, question, &answer)) {
        for (size_t i = 0; i < count && !choice; i++)
            if (strncasecmp(words[i], answer.bytes, answer.length) == 0) choice = words[i][0];
        if (!choice) console_give_back(console, answer.bytes);
    }
    text_deinit(&answer);
    return choice;
}

bool console_confirm(struct console *console, const char *question) {
    static const char *const WORDS[] = {"yes", "no"};
    const bool confirms =
        console_choose(console, question, WORDS, sizeof WORDS / sizeof WORDS[0]) == 'y';
    if (!confirms) console_refuse_queue(console);
    return confirms;
}

void console_say_unsaved(const struct chat *chat) {
    if (!chat_is_saved(chat))
        terminal_tell(STYLE_DIM, "[the answer is kept in memory; your next line saves it]\n");
}

// Shows how much of the conversation was cached, and what that saves. ^C does not end the wait.
static void show_restored(struct console *console) {
    struct restore_report report;
    struct text line = {0};
    chat_restore(console->session->front, RESTORE_MS, &report);
    if (report.length > 0 && kv_report_restored(&report, &line) == STATUS_OK)
        terminal_tell(STYLE_DIM, "[%s]\n", text_string(&line));
    text_deinit(&line);
}

// "[3 earlier turns · /history shows them]"
static void say_earlier(int64_t turns) {
    char count[COUNT_TEXT_BYTES];
    if (turns <= 0) return;
    terminal_tell(STYLE_DIM, "[%s earlier turn%s · /history shows %s]\n\n",
                  count_format(turns, count), turns == 1 ? "" : "s", turns == 1 ? "it" : "them");
}

// Like lists, the count of turns includes a stored question that has no answer, although its text
// is in the editor.
static bool has_unanswered(const struct chat *chat) {
    struct conversation stored;
    struct error ignored;
    return conversation_find(chat->session->db, chat->conversation.id, &stored, &ignored) ==
               STATUS_OK &&
           stored.tip != chat->conversation.tip;
}

void console_arrive(struct console *console) {
    say_earlier(chat_turn_count(console->session->front) - REPLAY_EXCHANGES);
    view_replay(console->session->front, REPLAY_EXCHANGES);
    if (console->session->front->turn.state != TURN_IDLE) return; // the answer so far is shown next
    const struct conversation *conversation = &console->session->front->conversation;
    char turns[TURNS_TEXT_BYTES];
    struct text name = {0};
    if (text_fit(&name, conversation->name, 24, false) == STATUS_OK)
        terminal_tell(STYLE_DIM, "[%s%s%s · %s]\n", conversation->id, name.length ? " " : "",
                      text_string(&name),
                      turns_format(chat_turn_count(console->session->front) +
                                       has_unanswered(console->session->front),
                                   turns));
    text_deinit(&name);
    const bool reads_only = console->session->front->reads_only;
    if (!reads_only) show_restored(console);
    if (reads_only)
        terminal_tell(STYLE_DIM,
                      "[read only; /model NAME continues with another model, in a fork]\n");
    terminal_say(STYLE_PLAIN, "\n");
    if (!chat_draft(console->session->front)[0]) return;
    terminal_tell(STYLE_DIM, "[the last message has no answer; it is in the editor]\n");
    console_give_back_message(console, chat_draft(console->session->front));
}

void console_say_cost(struct console *console) {
    struct chat *front = console->session->front;
    struct restore_report report;
    struct kv_usage usage;
    struct text line = {0};
    engine_kv_usage(console->session->engine, &usage);
    if (usage.group_count < 2 || front->turn.state != TURN_IDLE) return; // only a prefix is needed
    chat_restore(front, 0, &report); // starts it without waiting
    if (kv_report_lost(&report, &usage, chat_turn_count(front), &line) == STATUS_OK &&
        line.length > 0)
        terminal_tell(STYLE_DIM, "[%s]\n\n", text_string(&line));
    text_deinit(&line);
}

void console_give_back(struct console *console, const char *line) {
    struct text behind = console->draft;
    if (!line[0]) return;
    console->draft = (struct text){0};
    if (text_append_string(&console->draft, line) != STATUS_OK) say_no_memory();
    console_keep_typed(console, &behind, false);
}

void console_give_back_message(struct console *console, const char *text) {
    struct text line = {0};
    struct error none = {0};
    if (!console_failed(verbatim_append(&line, text, strlen(text)), &none))
        console_give_back(console, text_string(&line));
    text_deinit(&line);
}
