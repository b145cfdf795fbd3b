#include "app/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/editor.h"
#include "app/exit_code.h"
#include "app/figures.h"
#include "app/terminal.h"
#include "app/usage.h"

enum {
    POLL_MS = 50,             // how late a signal may be noticed
    PROGRESS_AFTER_MS = 1000, // a shorter prefill shows nothing
    AGAIN_MS = 1000,          // ^C twice in this time leaves
    FAREWELL_MS = 5000,       // for the engine to stop after SIGTERM or SIGHUP
    REPLAY_BYTES = 1200,      // of one old message
    STATUS_NAME_COLUMNS = 24,
};

struct view {
    int64_t began_ms;
    int64_t cancelled_ms; // 0: not cancelled
    int end_signal;       // 0: none
    bool progress_shown, mid_line, numbered;
    size_t others_bytes; // of the answers beside the one that is shown
    struct wrap wrap;
};

static void hide_progress(struct view *view) {
    if (view->progress_shown) terminal_clear_line();
    view->progress_shown = false;
}

static void show_progress(struct view *view, const struct turn_progress *progress) {
    if (!terminal_styled() || clock_ms() - view->began_ms < PROGRESS_AFTER_MS) return;
    char done[COUNT_TEXT_BYTES], total[COUNT_TEXT_BYTES];
    terminal_clear_line();
    terminal_say(STYLE_DIM, "reading %s/%s tokens", count_format(progress->done, done),
                 count_format(progress->total, total));
    view->progress_shown = true;
}

static void end_line(struct view *view) {
    hide_progress(view);
    if (view->mid_line) terminal_say(STYLE_PLAIN, "\n");
    view->mid_line = false;
}

static void show_number(int32_t index) { terminal_say(STYLE_DIM, "[%d]\n", (int)index + 1); }

// The first of several answers is shown as it comes; once it is whole, how far the others are.
static void count_others(struct view *view, const struct chat *chat,
                         const struct turn_progress *progress) {
    char bytes[COUNT_TEXT_BYTES];
    view->others_bytes += progress->length;
    if (!chat_answer(chat, 0).any || !terminal_styled()) return;
    end_line(view);
    terminal_say(STYLE_DIM, "%d more: %s bytes", (int)chat_answer_count(chat) - 1,
                 count_format((int64_t)view->others_bytes, bytes));
    view->progress_shown = true;
}

static void show_text(struct view *view, const struct chat *chat,
                      const struct turn_progress *progress) {
    if (progress->length == 0) return;
    if (progress->answer > 0) {
        count_others(view, chat, progress);
        return;
    }
    hide_progress(view);
    if (chat_answer_count(chat) > 1 && !view->numbered) show_number(0);
    view->numbered = true;
    terminal_wrapped(STYLE_PLAIN, &view->wrap, progress->text, progress->length);
    view->mid_line = progress->text[progress->length - 1] != '\n';
}

static const char *stop_mark(enum message_stop stop) {
    switch (stop) {
    case STOP_INTERRUPTED:
        return "[interrupted — /continue goes on, /regen replaces]\n";
    case STOP_LENGTH:
        return "[cut at the token limit — /continue goes on]\n";
    case STOP_CONTEXT:
        return "[the context is full — /rewind or /new makes room]\n";
    case STOP_NONE:
    case STOP_END:
    case STOP_STRING:
        return "";
    }
    return "";
}

// Escapes are what a word is moved with.
static struct wrap new_wrap(void) {
    return (struct wrap){.width = terminal_styled() ? terminal_width() : 0};
}

// Those after the first, whole.
static void show_others(const struct chat *chat) {
    for (int32_t i = 0; i < chat_answer_count(chat); i++) {
        const struct turn_report answer = chat_answer(chat, i);
        if (i == 0 || !answer.any) continue;
        struct wrap wrap = new_wrap();
        terminal_say(STYLE_PLAIN, "\n");
        show_number(i);
        terminal_wrapped(STYLE_PLAIN, &wrap, answer.text, answer.length);
        wrap_deinit(&wrap);
        terminal_say(STYLE_PLAIN, "\n");
        terminal_say(STYLE_DIM, "%s", stop_mark(answer.stop));
    }
}

static enum view_end finish(struct view *view, const struct chat *chat, enum status status,
                            const struct error *err) {
    end_line(view);
    if (status != STATUS_OK && status != STATUS_CANCELLED) {
        terminal_say(STYLE_ERROR, "%s\n\n", err->text[0] ? err->text : status_text(status));
        return chat_draft(chat)[0] ? VIEW_BACK : VIEW_FAILED;
    }
    if (chat_draft(chat)[0]) {
        terminal_say(STYLE_DIM, "[stopped — the message is back in the editor]\n");
        return VIEW_BACK;
    }
    const struct turn_report last = chat_last(chat);
    terminal_say(STYLE_DIM, "%s", last.any ? stop_mark(last.stop) : "[stopped]\n");
    show_others(chat);
    terminal_say(STYLE_PLAIN, "\n");
    return VIEW_ANSWERED;
}

// True when it is time to leave without waiting for the turn's end.
static bool obey_signals(struct view *view, struct chat *chat, int *exit_code) {
    const struct terminal_signals signals = terminal_take_signals();
    const int64_t now = clock_ms();
    if (signals.suspend) terminal_suspend();
    if (signals.suspend || signals.resized) wrap_resize(&view->wrap, terminal_width());
    if (signals.end && !view->end_signal) {
        view->end_signal = signals.end;
        view->cancelled_ms = now;
        chat_cancel(chat);
    }
    if (view->end_signal) {
        *exit_code = 128 + view->end_signal;
        return now - view->cancelled_ms > FAREWELL_MS;
    }
    if (signals.interrupts == 0) return false;
    const bool again = view->cancelled_ms && now - view->cancelled_ms <= AGAIN_MS;
    if (again || signals.interrupts > 1) {
        *exit_code = EXIT_INTERRUPTED;
        return true;
    }
    view->cancelled_ms = now;
    chat_cancel(chat);
    return false;
}

static enum view_end show_turn(struct view *view, struct chat *chat, int *exit_code) {
    for (;;) {
        struct turn_progress progress = {0};
        enum status status = STATUS_OK;
        struct error err = {0};
        switch (chat_turn_next(chat, POLL_MS, &progress, &status, &err)) {
        case TURN_WAIT:
            break;
        case TURN_PREFILL:
            show_progress(view, &progress);
            break;
        case TURN_TEXT:
            show_text(view, chat, &progress);
            break;
        case TURN_DONE: {
            const enum view_end end = finish(view, chat, status, &err);
            editor_listen();
            if (view->cancelled_ms) editor_hold();
            return view->end_signal ? VIEW_LEAVE : end;
        }
        }
        editor_listen();
        if (obey_signals(view, chat, exit_code)) {
            end_line(view);
            return VIEW_LEAVE;
        }
    }
}

enum view_end view_turn(struct chat *chat, int *exit_code) {
    struct view view = {.began_ms = clock_ms(), .wrap = new_wrap()};
    const enum view_end end = show_turn(&view, chat, exit_code);
    wrap_deinit(&view.wrap);
    return end;
}

void view_answer(const struct message *message) {
    struct wrap wrap = new_wrap();
    terminal_wrapped(STYLE_PLAIN, &wrap, message->text, message->length);
    wrap_deinit(&wrap);
    terminal_say(STYLE_PLAIN, "\n");
    terminal_say(STYLE_DIM, "%s", stop_mark(message->stop));
}

static void replay_message(const struct message *message) {
    const bool asked = message->role == MESSAGE_USER;
    size_t length = message->length;
    if (length > REPLAY_BYTES) length = REPLAY_BYTES;
    length -= utf8_incomplete_tail(message->text, length);
    struct wrap wrap = new_wrap();
    if (asked) terminal_wrapped(STYLE_DIM, &wrap, "> ", 2);
    terminal_wrapped(STYLE_DIM, &wrap, message->text, length);
    wrap_deinit(&wrap);
    if (length < message->length) terminal_say(STYLE_DIM, " […]");
    if (length == 0 || length < message->length || message->text[length - 1] != '\n')
        terminal_say(STYLE_PLAIN, "\n");
    if (asked) return;
    terminal_say(STYLE_DIM, "%s", stop_mark(message->stop));
    terminal_say(STYLE_PLAIN, "\n");
}

void view_replay(const struct chat *chat, int exchanges) {
    const size_t count = chat_message_count(chat);
    size_t first = count;
    while (first > 0 && exchanges > 0)
        exchanges -= chat_message(chat, --first)->role == MESSAGE_USER;
    for (size_t i = first; i < count; i++)
        if (chat_message(chat, i)->role != MESSAGE_SYSTEM) replay_message(chat_message(chat, i));
}

void view_status_line(struct chat *chat, struct engine *engine) {
    const struct usage usage = usage_of(chat, engine);
    const struct conversation *conversation = chat_conversation(chat);
    const struct turn_report last = chat_last(chat);
    char used[COUNT_TEXT_BYTES], context[COUNT_TEXT_BYTES], turn[96] = "";
    if (last.any && last.stats.decode_us > 0)
        snprintf(turn, sizeof turn, " · %d %% cached · %.0f tok/s",
                 usage_percent(last.stats.cached_tokens, last.stats.prompt_tokens),
                 (double)(last.stats.output_tokens - 1) * 1e6 / (double)last.stats.decode_us);
    const char *shown = conversation->name[0] ? conversation->name
                        : conversation->id[0] ? conversation->id
                                              : "new";
    struct text name = {0};
    if (text_fit(&name, shown, STATUS_NAME_COLUMNS, false) == STATUS_OK)
        terminal_say(STYLE_DIM, "%s · %s/%s tokens (%d %%)%s · pool %d %%\n", text_string(&name),
                     count_format(usage.length, used), count_format(usage.context, context),
                     usage.context_percent, turn, usage.pool_percent);
    text_deinit(&name);
}
