#include "app/console/overflow.h"

#include <stdio.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/chat/chat_turn.h"
#include "app/chat/shorten.h"
#include "app/chat/usage.h"
#include "app/console/view.h"
#include "app/screen/editor.h"
#include "app/screen/terminal.h"

static void say_where(struct console *console) {
    const struct usage usage = usage_of(console->session->front);
    char used[COUNT_TEXT_BYTES], context[COUNT_TEXT_BYTES];
    if (console->session->remote[0]) { // the server counts it with the next answer
        terminal_tell(STYLE_DIM, "Now in the fork %s; /resume - goes back to the original.\n\n",
                      console->session->front->conversation.id);
        return;
    }
    terminal_tell(STYLE_DIM,
                  "Now in the fork %s, %s of %s tokens; /resume - goes back to the original.\n\n",
                  console->session->front->conversation.id, count_format(usage.length, used),
                  count_format(usage.context, context));
}

// Lines sent meanwhile wait, even commands that move.
static bool hear_line(void *user, struct text *line) {
    console_queue(user, line);
    return false;
}

static enum view_end view_summary(struct console *console, struct turn *turn) {
    const struct view_options options = {.unmarked = true, .line = hear_line, .user = console};
    struct text typed = {0};
    bool cancelled;
    editor_begin_type_ahead();
    const enum view_end end =
        view_turn(console->session, turn, &options, &console->exit_code, &cancelled);
    console_end_type_ahead(&typed);
    console_keep_typed(console, &typed, cancelled);
    return end;
}

// Shows the summary while it is written. False: it was not completed.
static bool show_summary(struct console *console, struct compaction *compaction) {
    char tokens[COUNT_TEXT_BYTES];
    terminal_tell(STYLE_DIM, "[the summary]\n");
    switch (view_summary(console, &compaction->turn)) {
    case VIEW_ANSWERED:
        if (compaction_is_cut(compaction))
            terminal_tell(STYLE_DIM, "[the summary was cut off at its limit of %s]\n\n",
                          tokens_format(compaction->max_tokens, tokens));
        return true;
    case VIEW_BACK:
        terminal_tell(STYLE_DIM, "No summary; nothing has changed.\n\n");
        return false;
    case VIEW_FAILED:
    case VIEW_MOVED:
        return false;
    case VIEW_LEAVE:
        console->leave = true;
        return false;
    }
    return false;
}

// A summary of a short text would be longer than the text.
static bool wants_summary(struct console *console) {
    int32_t replaced, most;
    char count[COUNT_TEXT_BYTES], limit[COUNT_TEXT_BYTES];
    compaction_measure(console->session->front, &replaced, &most);
    if (replaced >= most || chat_turn_count(console->session->front) == 0) return true;
    terminal_tell(STYLE_DIM, "A summary would replace %s and could take %s, which may be longer.\n",
                  tokens_format(replaced, count), count_format(most, limit));
    return console_confirm(console, "Summarize anyway? [y/N] ");
}

static int64_t turns_from(const struct chat *chat, size_t message) {
    int64_t turns = 0;
    for (; message < chat_message_count(chat); message++)
        turns += chat_message(chat, message)->role == MESSAGE_USER;
    return turns;
}

// "The summary replaces 3 turns; the last 2 turns stay as they were."
static void say_replaced(int64_t replaced, int64_t kept) {
    char count[TURNS_TEXT_BYTES], turns[TURNS_TEXT_BYTES], rest[96] = "";
    if (kept == 1) snprintf(rest, sizeof rest, "; the last turn stays as it was");
    if (kept > 1)
        snprintf(rest, sizeof rest, "; the last %s stay as they were", turns_format(kept, turns));
    terminal_tell(STYLE_DIM, "The summary replaces %s%s.\n", turns_format(replaced, count), rest);
}

bool overflow_compact(struct console *console, const char *focus, int32_t message_tokens) {
    struct compaction compaction;
    struct error err = {0};
    bool done = false;
    if (message_tokens == 0 && !wants_summary(console)) return false;
    enum status status =
        compaction_begin(console->session->front, focus, message_tokens, &compaction, &err);
    if (console_failed(status, &err)) return false;
    if (show_summary(console, &compaction)) {
        const int64_t kept = turns_from(console->session->front, compaction.keep_from);
        const int64_t replaced = chat_turn_count(console->session->front) - kept;
        status = compaction_finish(&compaction, &err);
        done = !console_failed(status, &err);
        if (done) say_replaced(replaced, kept);
    }
    compaction_deinit(&compaction);
    if (done) say_where(console);
    return done;
}

static bool drop(struct console *console, int32_t message_tokens) {
    struct error err = {0};
    int64_t dropped;
    char turns[TURNS_TEXT_BYTES];
    if (console_failed(shorten_drop(console->session->front, message_tokens, &dropped, &err), &err))
        return false;
    terminal_tell(STYLE_DIM, "Dropped the oldest %s.\n", turns_format(dropped, turns));
    say_where(console);
    return true;
}

// 's', 'c', 'd', 'e' or 'a': a letter, or the word. Any other answer means 'e', so that nothing
// typed is lost.
static char ask_choice(struct console *console, bool fits, bool room_can_be_made) {
    static const char *const CHOICES[] = {"send", "compact", "drop", "edit", "abort"};
    char question[64];
    snprintf(question, sizeof question, "%s%s[e]dit [a]bort ", fits ? "[s]end " : "",
             room_can_be_made ? "[c]ompact [d]rop oldest " : "");
    const char choice =
        console_choose(console, question, CHOICES, sizeof CHOICES / sizeof CHOICES[0]);
    return choice ? choice : 'e';
}

// Asks how to make space and sends the message once there is enough. `why` is chat_send()'s error.
static enum sent send_with_room(struct console *console, const struct outgoing *message,
                                const struct error *why) {
    struct chat *chat = console->session->front;
    int32_t tokens = 0, free_tokens = 0;
    size_t keep_from;
    struct error err = {0};
    console_failed(STATUS_TOO_LONG, why);
    const bool measured = chat_measure(chat, message->text, message->length, &tokens, &free_tokens,
                                       &err) == STATUS_OK;
    const bool fits = measured && tokens < free_tokens;
    const bool possible =
        measured && chat_turn_count(chat) > 0 &&
        chat_keep_from(chat, tokens, chat_reserve(console->session), &keep_from, &err) == STATUS_OK;
    if (!fits && !possible && !console->session->remote[0])
        terminal_tell(STYLE_DIM, "No old turn makes room for it; shorten it, or quit and use quire "
                                 "-C with a larger --ctx.\n");
    const char choice = ask_choice(console, fits, possible);
    if (choice == 'a') {
        terminal_tell(STYLE_DIM, "Not sent; ↑ brings it back.\n\n");
        return SENT_NOWHERE;
    }
    const bool room = (fits && choice == 's') ||
                      (possible && ((choice == 'c' && overflow_compact(console, "", tokens)) ||
                                    (choice == 'd' && drop(console, tokens))));
    if (!room) return SENT_BACK;
    return console_failed(chat_send(chat, message, &err), &err) ? SENT_BACK : SENT;
}

enum sent overflow_send(struct console *console, const struct outgoing *message) {
    struct error err = {0};
    struct outgoing reserving = *message;
    reserving.reserve = chat_reserve(console->session);
    const enum status status = chat_send(console->session->front, &reserving, &err);
    if (status == STATUS_TOO_LONG) return send_with_room(console, message, &err);
    return console_failed(status, &err) ? SENT_BACK : SENT;
}
