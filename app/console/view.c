#include "app/console/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/chat/report.h"
#include "app/chat/usage.h"
#include "app/screen/editor.h"
#include "app/screen/progress.h"
#include "app/screen/stream.h"
#include "app/screen/terminal.h"
#include "kernels/base/assert.h"
#include "prompts/preamble.h"

enum {
    POLL_MS = 50,             // longest delay before a signal is noticed
    PROGRESS_AFTER_MS = 1000, // a shorter prefill shows nothing
    AGAIN_MS = 1000,          // ^C twice in this time leaves
    FAREWELL_MS = 5000,       // for the engine to stop after SIGTERM or SIGHUP
    REPLAY_BYTES = 1200,      // of an old question
    DRAWN_BYTES = 2048,       // of an answer, at most, between two looks at keys and signals
};

struct view {
    struct session *session;
    struct turn *turn;
    const struct view_options *options;
    int64_t began_ms;
    int64_t cancelled_ms; // 0: not cancelled
    int end_signal;       // 0: none
    bool progress_shown, numbered, unfolded;
    bool begun;          // some of the answer is on the screen
    bool below;          // it continues what is above, on a new line
    int64_t progress_ms; // when the progress was last shown
    struct text undrawn; // of the first answer
    int32_t tokens;      // of that answer, with what is undrawn
    bool others;         // an answer after the first has grown
    struct progress progress;
    struct stream stream;
};

static void hide_progress(struct view *view) {
    if (view->progress_shown) terminal_clear_line();
    view->progress_shown = false;
}

static void show_progress(struct view *view, const struct turn_update *update) {
    struct text line = {0};
    const struct progress_now now = {.what = "reading",
                                     .unit = "tokens",
                                     .done = update->done,
                                     .total = update->total,
                                     .now_ms = clock_ms(),
                                     .columns = terminal_width()};
    const enum status status = progress_line(&view->progress, &now, &line);
    if (status == STATUS_OK && terminal_styled() &&
        clock_ms() - view->began_ms >= PROGRESS_AFTER_MS) {
        terminal_clear_line();
        terminal_say(STYLE_DIM, "%s", text_string(&line));
        view->progress_shown = true;
        view->progress_ms = clock_ms();
    }
    text_deinit(&line);
}

// While nothing arrives, counts the seconds.
static void show_waiting(struct view *view) {
    const int64_t now_ms = clock_ms(), since_ms = now_ms - view->began_ms;
    if (view->begun || !terminal_styled() || since_ms < PROGRESS_AFTER_MS ||
        now_ms - view->progress_ms < PROGRESS_AFTER_MS)
        return;
    struct engine_info info;
    char tries[32] = "";
    engine_info(view->session->engine, &info);
    if (info.tries > 1) snprintf(tries, sizeof tries, " · try %d", info.tries);
    hide_progress(view);
    terminal_say(STYLE_DIM, "waiting for %s · %" PRId64 " s%s",
                 view->session->remote[0] ? "the server" : "the first token", since_ms / 1000,
                 tries);
    view->progress_shown = true;
    view->progress_ms = now_ms - since_ms % 1000;
}

static void end_line(struct view *view) {
    hide_progress(view);
    stream_end(&view->stream);
}

static void show_number(const struct turn *turn, int32_t index) {
    terminal_say(STYLE_DIM, "[%d]\n", (int)turn_answer(turn, index).number);
}

// Shows the first of several answers as it arrives; once it is complete, shows the progress of the
// others.
static void count_others(struct view *view) {
    const struct turn *turn = view->turn;
    char bytes[COUNT_TEXT_BYTES];
    size_t length = 0;
    if (!turn_answer(turn, 0).any || !terminal_styled()) return;
    for (int32_t i = 1; i < turn->answer_count; i++)
        length += turn_answer(turn, i).length;
    end_line(view);
    terminal_say(STYLE_DIM, "%d more: %s bytes", (int)turn->answer_count - 1,
                 count_format((int64_t)length, bytes));
    view->progress_shown = true;
}

static void draw(struct view *view) {
    if (view->undrawn.length > 0) {
        hide_progress(view);
        if (view->turn->answer_count > 1 && !view->numbered) show_number(view->turn, 0);
        view->numbered = true;
        stream_append(&view->stream, view->undrawn.bytes, view->undrawn.length, view->tokens);
        if (terminal_has_footer()) stream_settle(&view->stream);
    }
    text_clear(&view->undrawn);
    if (view->others) count_others(view);
    view->others = false;
}

static void show_piece(struct view *view, const struct turn_update *piece) {
    // The blank between two words that are on two lines.
    const size_t skipped =
        view->below && !view->begun && piece->length > 0 && piece->text[0] == ' ';
    const char *text = piece->text + skipped;
    const size_t length = piece->length - skipped;
    view->tokens = piece->tokens;
    view->begun = view->begun || piece->length > 0;
    if (text_append(&view->undrawn, text, length) != STATUS_OK) {
        draw(view); // without memory, one after the other
        stream_append(&view->stream, text, length, piece->tokens);
    }
}

static const char *stop_mark(enum message_stop stop) {
    switch (stop) {
    case STOP_INTERRUPTED:
        return "[interrupted — /continue resumes it, /regen replaces it]\n";
    case STOP_LENGTH:
        return "[cut off at the token limit — /continue resumes it]\n";
    case STOP_CONTEXT:
        return "[the context is full — use /compact or /new]\n";
    case STOP_NONE:
    case STOP_END:
    case STOP_STRING:
        return "";
    }
    return "";
}

// Wrapping needs escapes, as it moves words that are already on the screen.
static struct wrap new_wrap(void) {
    return (struct wrap){.width = terminal_styled() ? terminal_width() : 0};
}

// The complete answers after the first.
static void show_others(const struct turn *turn) {
    for (int32_t i = 1; i < turn->answer_count; i++) {
        const struct turn_report answer = turn_answer(turn, i);
        if (!answer.any) continue;
        terminal_say(STYLE_PLAIN, "\n");
        show_number(turn, i);
        stream_show(answer.text, answer.length);
        terminal_tell(STYLE_DIM, "%s", stop_mark(answer.stop));
    }
}

static enum view_end finish(struct view *view) {
    const struct turn *turn = view->turn;
    const struct turn_report first = turn_first(turn);
    const enum status status = turn->status;
    const bool back =
        !first.any && (view->options->unmarked || chat_draft(view->session->front)[0]);
    end_line(view);
    if (status != STATUS_OK && status != STATUS_CANCELLED) {
        terminal_tell(STYLE_ERROR, "%s%s\n\n",
                      turn->err.text[0] ? turn->err.text : status_text(status),
                      turn->resumable && first.any ? "; /continue resumes the answer" : "");
        return back ? VIEW_BACK : VIEW_FAILED;
    }
    if (view->options->unmarked) {
        terminal_say(STYLE_PLAIN, "\n");
        return back ? VIEW_BACK : VIEW_ANSWERED;
    }
    if (back) {
        terminal_tell(STYLE_DIM, "[stopped — the message is back in the editor]\n");
        return VIEW_BACK;
    }
    terminal_tell(STYLE_DIM, "%s", first.any ? stop_mark(first.stop) : "[stopped]\n");
    show_others(turn);
    terminal_say(STYLE_PLAIN, "\n");
    return VIEW_ANSWERED;
}

static void cancel(struct view *view) {
    view->cancelled_ms = clock_ms();
    turn_cancel(view->turn);
}

// After a resize. The progress ends the text if it is shown, and is erased.
static void leave_footer(struct view *view) {
    const bool progress = view->progress_shown && terminal_has_footer();
    const int column = progress ? 0 : stream_end_column(&view->stream, terminal_width());
    if (terminal_leave_footer(column)) stream_continue_below(&view->stream);
    if (progress) view->progress_shown = false;
}

// True: leave without waiting for the turn's end.
static bool obey_signals(struct view *view, int *exit_code) {
    const struct terminal_signals signals = terminal_read_signals();
    const int64_t before_ms = view->cancelled_ms, since_ms = clock_ms() - before_ms;
    if (signals.suspend) terminal_suspend();
    if (signals.suspend) stream_return(&view->stream);
    if (signals.resized) leave_footer(view);
    if (signals.suspend || signals.resized) stream_resize(&view->stream, terminal_width());
    if (signals.suspend || signals.resized) editor_resized();
    if (signals.end && !view->end_signal) {
        view->end_signal = signals.end;
        turn_abandon(view->turn);
        cancel(view);
        *exit_code = 128 + view->end_signal;
        return false;
    }
    if (view->end_signal) return since_ms > FAREWELL_MS;
    if (signals.stop && !before_ms) cancel(view);
    if (signals.interrupts == 0) return false;
    if ((before_ms && since_ms <= AGAIN_MS) || signals.interrupts > 1) {
        *exit_code = EXIT_INTERRUPTED;
        return true;
    }
    cancel(view);
    return false;
}

static void take_update(struct view *view, const struct turn_update *update) {
    ASSERT(update->turn == view->turn);
    if (update->event == TURN_PREFILL)
        show_progress(view, update);
    else if (update->answer > 0)
        view->others = true;
    else
        show_piece(view, update);
}

// Draws everything that has arrived at once: piece by piece a fast answer would still be drawn long
// after ^C. True: something had arrived. *done: it was the turn's last update.
static bool show_updates(struct view *view, bool *done) {
    struct turn_update update;
    bool came = false;
    *done = false;
    while (!*done && view->undrawn.length < DRAWN_BYTES &&
           session_next(view->session, 0, &update)) {
        came = true;
        *done = update.event == TURN_DONE;
        if (!*done) take_update(view, &update);
    }
    draw(view);
    return came;
}

// True: a line was sent that ends the view.
static bool obey_keys(struct view *view) {
    struct text line = {0};
    if (!editor_has_keys()) return false;
    stream_settle(&view->stream); // the footer may appear now
    const bool moves = editor_listen(&line) && view->options->line(view->options->user, &line);
    if (editor_unfolds()) {
        view->unfolded = !view->unfolded;
        stream_change_look(&view->stream, view->unfolded ? THOUGHT_STAYS : stream_wishes()->look);
    }
    text_deinit(&line);
    return moves;
}

// Continues the answer on a new line.
static void begin_below(struct view *view) {
    const struct stream_options look = stream_on_terminal();
    const struct turn_report so_far = turn_answer(view->turn, 0);
    view->below = so_far.length > 0 && so_far.text[so_far.length - 1] != '\n';
    view->begun = false;
    view->began_ms = clock_ms();
    stream_begin(&view->stream, &look);
    stream_skip(&view->stream, so_far.text, so_far.length);
}

// Says, above the rest of the answer, that what there is of it cannot be saved.
static void tell_trouble(struct view *view) {
    struct error *trouble = &view->turn->trouble;
    if (!trouble->text[0]) return;
    end_line(view);
    terminal_tell(STYLE_ERROR, "%s; the answer continues\n", trouble->text);
    *trouble = (struct error){0};
    stream_deinit(&view->stream);
    begin_below(view);
}

static enum view_end show_turn(struct view *view, int *exit_code) {
    for (;;) {
        bool done;
        const bool came = show_updates(view, &done);
        if (done) {
            const enum view_end end = finish(view);
            return view->end_signal ? VIEW_LEAVE : end;
        }
        tell_trouble(view);
        if (!came) show_waiting(view);
        if (!came) terminal_wait_event(view->session->event_fd, POLL_MS);
        if (obey_keys(view)) {
            end_line(view);
            return VIEW_MOVED;
        }
        if (obey_signals(view, exit_code)) {
            end_line(view);
            return VIEW_LEAVE;
        }
    }
}

enum view_end view_turn(struct session *session, struct turn *turn,
                        const struct view_options *options, int *exit_code, bool *cancelled) {
    struct view view = {
        .session = session, .turn = turn, .options = options, .began_ms = clock_ms()};
    const struct stream_options look = stream_on_terminal();
    const struct turn_report so_far = turn_answer(turn, 0);
    const struct turn_update again = {.text = so_far.text, .length = so_far.length};
    if (options->again) {
        stream_begin(&view.stream, &look);
        show_piece(&view, &again); // drawn with what comes
    } else {
        begin_below(&view);
    }
    const enum view_end end = show_turn(&view, exit_code);
    stream_deinit(&view.stream);
    text_deinit(&view.undrawn);
    *cancelled = view.cancelled_ms != 0;
    return end;
}

void view_answer(const struct message *message) {
    stream_show(message->text, message->length);
    terminal_tell(STYLE_DIM, "%s", stop_mark(message->stop));
}

// As obey_queue() shows a line that was typed.
static void show_question(const struct message *message, size_t most_bytes) {
    size_t length = message->length < most_bytes ? message->length : most_bytes;
    length -= utf8_incomplete_tail(message->text, length);
    struct wrap wrap = new_wrap();
    terminal_wrapped(STYLE_BOLD, &wrap, "> ", 2);
    terminal_wrapped(STYLE_PLAIN, &wrap, message->text, length);
    wrap_deinit(&wrap);
    if (length < message->length) terminal_say(STYLE_DIM, " […]");
    terminal_say(STYLE_PLAIN, "\n");
}

static void show_preamble(const struct message *message) {
    struct text preamble = {0};
    struct wrap wrap = new_wrap();
    if (preamble_show(message->text, &preamble) == STATUS_OK)
        terminal_wrapped(STYLE_DIM, &wrap, text_string(&preamble), preamble.length);
    terminal_say(STYLE_PLAIN, "\n");
    wrap_deinit(&wrap);
    text_deinit(&preamble);
}

static void show_message(const struct message *message, size_t most_bytes) {
    switch (message->role) {
    case MESSAGE_SYSTEM:
        show_preamble(message);
        break;
    case MESSAGE_USER:
        show_question(message, most_bytes);
        break;
    case MESSAGE_ASSISTANT:
        view_answer(message);
        terminal_say(STYLE_PLAIN, "\n");
        break;
    }
}

// The number of messages before the answer that is being written, if one is: until it ends, the
// transcript has the answer that /regen replaces and /continue extends.
static size_t settled_messages(const struct chat *chat) {
    const size_t count = chat_message_count(chat), before = chat->reply.message_count;
    return chat->turn.state != TURN_IDLE && before < count ? before : count;
}

// The index of the first of the last `exchanges` exchanges.
static size_t find_exchange(const struct chat *chat, int64_t exchanges) {
    size_t first = settled_messages(chat);
    while (first > 0 && exchanges > 0)
        exchanges -= chat_message(chat, --first)->role == MESSAGE_USER;
    return first;
}

void view_replay(const struct chat *chat, int64_t exchanges) {
    for (size_t i = find_exchange(chat, exchanges); i < settled_messages(chat); i++)
        show_message(chat_message(chat, i), REPLAY_BYTES);
}

void view_history(const struct chat *chat, int64_t exchanges) {
    const size_t first = find_exchange(chat, exchanges);
    for (size_t i = first == 1 ? 0 : first; i < settled_messages(chat); i++)
        show_message(chat_message(chat, i), SIZE_MAX);
}

struct status_facts view_status(const struct chat *chat) {
    const struct usage usage = usage_of(chat);
    const struct conversation *conversation = &chat->conversation;
    const struct turn_report last = turn_first(&chat->turn);
    return (struct status_facts){
        .name = conversation->name[0] ? conversation->name : conversation->id,
        .used = usage.length,
        .context = usage.context,
        .context_percent = usage.context_percent,
        .pool_percent = usage.pool_percent,
        .cached_percent =
            last.any ? usage_percent(last.stats.cached_tokens, last.stats.prompt_tokens) : 0,
        .tokens_per_s = last.any ? report_decode_rate(&last.stats) : 0,
    };
}
