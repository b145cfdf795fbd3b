#include "app/console/interactive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/verbatim.h"
#include "app/chat/chat_move.h"
#include "app/chat/chat_turn.h"
#include "app/chat/front.h"
#include "app/chat/kv_report.h"
#include "app/chat/usage.h"
#include "app/console/command.h"
#include "app/console/command_line.h"
#include "app/console/commands.h"
#include "app/console/compose.h"
#include "app/console/console.h"
#include "app/console/overflow.h"
#include "app/console/view.h"
#include "app/screen/editor.h"
#include "app/screen/notice.h"
#include "app/screen/terminal.h"
#include "kernels/base/assert.h"
#include "kernels/base/effort.h"
#include "kernels/base/log.h"
#include "store/preview.h"

static const char PROMPT[] = "> ";
enum {
    NAME_LEAST = 12, // columns of the model's name on the narrowest screen
    NEARLY_FULL_PERCENT = 80,
};

// For -v: shows where KV is kept, how much there is, and the limits.
static void show_limits(const struct console *console) {
    struct kv_usage usage;
    struct engine_info info;
    struct text line = {0};
    char blocks[COUNT_TEXT_BYTES];
    engine_info(console->session->engine, &info);
    engine_kv_usage(console->session->engine, &usage);
    if (info.remote[0]) return;
    if (kv_report_pools(&usage, &line) == STATUS_OK)
        terminal_tell(STYLE_DIM, "cache · %s\n", text_string(&line));
    text_deinit(&line);
    terminal_tell(STYLE_DIM,
                  "limits · %d answers at once, %d tokens per step, %s blocks of %d tokens\n",
                  ENGINE_MAX_REQUESTS, (int)info.step_tokens,
                  count_format(info.blocks_total, blocks), (int)info.block_size);
}

// "NAME · q8_0 · cpu · 2,048 tokens". On a narrow screen it leaves out the type of the weights,
// then the backend, and then shortens the name.
static enum status append_model(const struct engine_info *info, int columns, struct text *line) {
    char context[COUNT_TEXT_BYTES];
    char server[32];
    snprintf(server, sizeof server, "remote: %s", info->remote);
    const char *const facts[] = {info->file_type, info->remote[0] ? server : info->backend};
    const int32_t tokens = info->remote[0] ? info->trained_context : info->context;
    struct text tail = {0};
    enum status status = STATUS_OK;
    for (size_t left_out = 0; status == STATUS_OK && left_out <= 2; left_out++) {
        text_clear(&tail);
        for (size_t i = left_out; status == STATUS_OK && i < 2; i++)
            if (facts[i][0]) status = text_format(&tail, " · %s", facts[i]);
        if (status == STATUS_OK && tokens > 0)
            status = text_format(&tail, " · %s tokens", count_format(tokens, context));
        if (text_columns(info->model_name) + text_columns(text_string(&tail)) <= columns) break;
    }
    const int left = columns - text_columns(text_string(&tail));
    if (status == STATUS_OK)
        status = text_fit(line, info->model_name, left > NAME_LEAST ? left : NAME_LEAST, false);
    if (status == STATUS_OK) status = text_append(line, text_string(&tail), tail.length);
    text_deinit(&tail);
    return status;
}

static void show_start(const struct console *console) {
    struct engine_info info;
    struct text line = {0};
    engine_info(console->session->engine, &info);
    if (append_model(&info, terminal_width() - text_columns("quire · ") - 1, &line) == STATUS_OK) {
        terminal_say(STYLE_BOLD, "quire");
        terminal_say(STYLE_PLAIN, " · %s\n", text_string(&line));
    }
    text_deinit(&line);
    if (console->verbose) show_limits(console);
    if (chat_template_guessed(console->session->chat_template))
        terminal_tell(STYLE_DIM, "The model file has no chat template; using ChatML.\n");
    terminal_tell(STYLE_DIM, "/help lists the commands, ^D quits%s\n\n",
                  console->saved ? "" : "; nothing is saved");
}

static void warn_when_nearly_full(struct console *console) {
    const struct usage usage = usage_of(console->session->front);
    const bool said = turn_first(&console->session->front->turn).stop == STOP_CONTEXT;
    if (said || usage.context_percent < NEARLY_FULL_PERCENT) return;
    char used[COUNT_TEXT_BYTES], context[COUNT_TEXT_BYTES];
    terminal_tell(STYLE_DIM, "[%s of %s tokens used — /compact frees some]\n\n",
                  count_format(usage.length, used), count_format(usage.context, context));
}

static int32_t answers_kept(const struct chat *chat) {
    int32_t kept = 0;
    for (int32_t i = 0; i < chat->turn.answer_count; i++)
        kept += turn_answer(&chat->turn, i).any;
    return kept;
}

// NOT_FOUND: there is no such answer to the last message.
static enum status choose_answer(struct chat *chat, int64_t number, struct error *err) {
    struct message *answers;
    size_t count, current;
    ASSERT(number > 0);
    TRY(chat_alternatives(chat, &answers, &count, &current, err));
    enum status status = STATUS_NOT_FOUND;
    if (number <= (int64_t)count) status = chat_choose(chat, answers[number - 1].id, err);
    message_path_free(answers, count);
    return status;
}

// Asks with which answer the conversation continues; older ones can be chosen, too. Enter alone
// means the first new one, and words begin the next message. Does not ask if the user has typed
// ahead.
static void pick(struct console *console, bool typed_ahead) {
    struct chat *chat = console->session->front;
    struct text answer = {0};
    struct error err = {0};
    int64_t number;
    if (answers_kept(chat) < 2) return;
    const int first = (int)turn_answer(&chat->turn, 0).number;
    console_keep_words(console);
    if (typed_ahead || console->draft.length > 0) {
        terminal_tell(STYLE_DIM, "[continues with [%d]; /alt shows the others]\n\n", first);
        return;
    }
    terminal_tell(STYLE_DIM, "Enter continues with [%d]; /alt shows the others.\n", first);
    if (console_ask_words(console, "continue with which? ", &answer)) {
        const bool is_number = command_number(text_string(&answer), &number);
        const enum status status = is_number ? choose_answer(chat, number, &err) : STATUS_OK;
        if (status == STATUS_NOT_FOUND)
            terminal_tell(STYLE_ERROR, "No answer %s; continuing with [%d].\n",
                          text_string(&answer), first);
        else
            console_failed(status, &err);
        console->queue_shown = command_line_is_command(text_string(&answer));
        if (console->queue_shown)
            console_queue(console, &answer); // and is run at once
        else if (!is_number)
            console_give_back(console, text_string(&answer));
    }
    text_deinit(&answer);
}

// State while the answer in front is shown.
struct following {
    struct console *console;
    struct text command; // sent meanwhile, and to be run at once
};

// Takes a line that was sent while the answer streams; most lines wait until it ends.
static bool hear_line(void *user, struct text *line) {
    struct following *following = user;
    if (commands_timing(text_string(line)) == LINE_WAITS) {
        console_queue(following->console, line);
        return false;
    }
    following->command = *line;
    *line = (struct text){0};
    return true;
}

static void show_sent(const char *line, size_t length) {
    struct text plain = {0};
    terminal_say(STYLE_BOLD, "%s", PROMPT);
    if (verbatim_plain(&plain, line, length) == STATUS_OK)
        terminal_text(STYLE_PLAIN, text_string(&plain), plain.length);
    terminal_say(STYLE_PLAIN, "\n");
    text_deinit(&plain);
}

// Saves an answer that could not be saved before, unless the line is a command that only reads.
// False: it still cannot be saved.
static bool save_first(struct console *console, const char *text) {
    struct error err = {0};
    if (front_is_saved(console->session) || commands_timing(text) == LINE_RUNS) return true;
    if (console_failed(front_save(console->session, &err), &err)) return false;
    terminal_tell(STYLE_DIM, "[the answer is saved now]\n");
    return true;
}

// Runs a command that moves. Queued lines were meant for the old conversation, so none is sent.
static void move(struct console *console, const struct text *line) {
    console_hold_queue(console);
    show_sent(text_string(line), line->length);
    if (save_first(console, text_string(line)))
        commands_run(console, text_string(line));
    else
        console_give_back(console, text_string(line));
    // Either it did not move, or an answer is being written in the new place.
    console->again = console->session->front->turn.state != TURN_IDLE;
}

// Ends the answer and keeps the text so far. If that cannot be saved, it does not leave yet.
static void leave_answer(struct console *console) {
    struct turn *turn = &console->session->front->turn;
    session_finish(console->session, turn);
    console_quit(console);
    if (!console->leave) return;
    terminal_tell(STYLE_DIM, "%s\n",
                  !console->saved        ? "[stopped]"
                  : turn_first(turn).any ? "[interrupted — after quire -C, /continue resumes it]"
                                         : "[stopped — quire -C has the message in the editor]");
}

// Runs a command while the answer is written, which then continues below its output; /quit ends it.
static void run_at_once(struct console *console, const struct text *command) {
    const char *line = text_string(command);
    if (commands_timing(line) == LINE_MOVES) {
        move(console, command);
        return;
    }
    show_sent(line, command->length);
    commands_run(console, line);
    if (console->leave)
        leave_answer(console);
    else
        terminal_tell(STYLE_DIM, "[the answer continues]\n");
}

// If the answer is another one to the same message, says how to get back to the old one.
static void say_number(const struct chat *chat) {
    const int number = (int)turn_first(&chat->turn).number;
    if (chat->reply.kind != REPLY_ANOTHER || chat->turn.answer_count > 1) return;
    terminal_tell(STYLE_DIM, "[answer %d; /alt shows all]\n\n", number);
}

static void end_turn(struct following *following, enum view_end end, bool typed_ahead) {
    struct console *console = following->console;
    switch (end) {
    case VIEW_ANSWERED:
        pick(console, typed_ahead);
        say_number(console->session->front);
        if (console->verbose) command_stats(console, "");
        warn_when_nearly_full(console);
        break;
    case VIEW_BACK:
        compose_take_back(console, chat_draft(console->session->front));
        break;
    case VIEW_FAILED:
        console_say_unsaved(console->session->front);
        break;
    case VIEW_MOVED:
        run_at_once(console, &following->command);
        break;
    case VIEW_LEAVE:
        console->leave = true;
        break;
    }
}

// Leaves for an engine on a fresh device, which finds the past in the other tiers.
static bool reopen(struct console *console) {
    struct chat *chat = console->session->front;
    if (chat->turn.state != TURN_IDLE || chat->turn.status != STATUS_DEVICE ||
        console->reopening.done || !front_is_saved(console->session))
        return false;
    if (!console->saved && chat_turn_count(chat) > 0) return false; // it would be lost
    const char *question = chat_draft(chat);
    console->reopening = (struct reopening){.wanted = true, .done = true};
    if (text_append_string(&console->reopening.question, question) != STATUS_OK)
        console_give_back_message(console, question);
    terminal_tell(STYLE_DIM, "[opening the device again%s]\n",
                  console->reopening.question.length ? ", then asking again" : "");
    console->leave = true;
    return true;
}

// Shows the turn in front until it ends or a command leaves it. If there are several answers, asks
// for one. A message that ^C has taken back becomes the draft, and the queue is held.
static void follow(struct console *console) {
    struct following following = {.console = console};
    struct text typed = {0};
    bool cancelled;
    struct session *session = console->session;
    const struct view_options options = {
        .again = console->again, .line = hear_line, .user = &following};
    console->again = false;
    editor_begin_type_ahead();
    const enum view_end end =
        view_turn(session, &session->front->turn, &options, &console->exit_code, &cancelled);
    console_end_type_ahead(&typed);
    const bool typed_ahead = typed.length > 0 || console->queue.count > 0;
    if (cancelled) console_hold_queue(console);
    if (end == VIEW_ANSWERED) console->reopening.done = false;
    if (!reopen(console)) {
        if (end == VIEW_BACK || end == VIEW_FAILED) console_refuse_queue(console);
        end_turn(&following, end, typed_ahead);
    }
    text_deinit(&following.command);
    console_keep_typed(console, &typed, false);
}

// Enter alone, just after /list, picks a conversation.
static void obey_enter(struct console *console) {
    char *listed = console->listed;
    console->listed = NULL;
    if (listed && save_first(console, "")) command_pick(console, listed);
    free(listed);
}

static void send_line(struct console *console, const char *text) {
    struct text message = {0};
    struct error none = {0};
    const bool escaped = text[0] == '/' && text[1] == '/'; // "//text" sends "/text"
    enum status status = escaped ? verbatim_append(&message, "/", 1) : STATUS_OK;
    if (status == STATUS_OK) status = text_append_string(&message, text + 2 * escaped);
    if (!console_failed(status, &none))
        compose_send(console, text_string(&message), message.length);
    text_deinit(&message);
}

// If the line fails, what is queued behind it is not sent.
static void obey_line(struct console *console, const struct text *line) {
    const char *text = text_string(line);
    const int errors = terminal_errors();
    free(console->listed);
    console->listed = NULL;
    if (!save_first(console, text))
        console_give_back(console, text);
    else if (command_line_is_command(text))
        commands_run(console, text);
    else
        send_line(console, text);
    const bool sent = console->session->front->turn.state != TURN_IDLE;
    if (!sent && terminal_errors() > errors) console_refuse_queue(console);
}

// Runs the first queued line. False: the queue is empty.
static bool obey_queue(struct console *console) {
    struct text line = {0};
    if (!console_unqueue(console, &line)) return false;
    if (!console->queue_shown) show_sent(text_string(&line), line.length);
    console->queue_shown = false;
    obey_line(console, &line);
    text_deinit(&line);
    return true;
}

static void set_shown(struct console *console, const struct status_facts *facts) {
    free(console->status_shown.name);
    console->status_shown = (struct status_shown){facts->used ? strdup(facts->name) : NULL,
                                                  console->session->front->conversation.tip,
                                                  facts->used, facts->pool_percent};
}

// Shows the status line if the tip has moved or its answer has grown, without what the last status
// line has shown already.
static void show_status(struct console *console) {
    struct status_facts facts = view_status(console->session->front);
    const struct status_shown *shown = &console->status_shown;
    const bool named = shown->name && strcmp(shown->name, facts.name) == 0;
    const bool changed = !named || shown->tip != console->session->front->conversation.tip ||
                         shown->used != facts.used;
    const bool same_pool = shown->pool_percent == facts.pool_percent;
    struct text line = {0};
    set_shown(console, &facts);
    if (facts.used == 0 || !changed) return;
    if (named) facts.name = NULL;
    if (named && same_pool) facts.pool_percent = 0;
    if (status_line_append(&facts, terminal_width(), &line) == STATUS_OK)
        terminal_say(STYLE_DIM, "%s\n", text_string(&line));
    text_deinit(&line);
}

// Sets the tab's title to the conversation's name or first question.
static void set_title(const struct chat *chat) {
    const struct conversation *conversation = &chat->conversation;
    char preview[TITLE_BYTES] = "", title[TITLE_BYTES + CONVERSATION_NAME_BYTES];
    for (size_t i = 0; i < chat_message_count(chat) && !preview[0]; i++)
        if (chat_message(chat, i)->role == MESSAGE_USER)
            preview_make(chat_message(chat, i)->text + chat_message(chat, i)->said,
                         chat_message(chat, i)->length - chat_message(chat, i)->said, preview,
                         sizeof preview);
    const char *name = conversation->name[0]    ? conversation->name
                       : conversation->title[0] ? conversation->title
                                                : preview;
    snprintf(title, sizeof title, "quire%s%s", name[0] ? " · " : "", name);
    terminal_title(title);
}

// Has the model write a title while nobody waits for anything.
static void begin_title(struct console *console) {
    struct chat *chat = console->session->front;
    struct error err = {0};
    if (!console->session->settings.titles || !title_wanted(&console->title, chat)) return;
    if (title_begin(&console->title, chat, &err) != STATUS_OK)
        log_write(LOG_INFO, "no title: %s", err.text);
}

// Have answers ended in the background? Also shows the title if it has just been written.
static bool has_news(void *user) {
    struct console *console = user;
    const bool asked = console->title.turn.state != TURN_IDLE;
    const bool news = console_has_news(console);
    if (asked && console->title.turn.state == TURN_IDLE) set_title(console->session->front);
    return news;
}

// Takes the initial text of the next line: the draft, or else the next held line.
static struct text next_draft(struct console *console) {
    struct text draft = console->draft;
    console->draft = (struct text){0};
    if (draft.length == 0 && !console_take_held(console, &draft)) return draft;
    const int behind = (int)console->held.count;
    if (behind > 0)
        terminal_tell(STYLE_DIM, "[%d more line%s back after this one]\n", behind,
                      behind == 1 ? " comes" : "s come");
    return draft;
}

// Shows the prompt, reads a line and runs it.
static void read_and_obey(struct console *console) {
    struct text line = {0};
    console->prompts++;
    notice_show();
    if (console_has_news(console)) console_tell_news(console);
    if (console->status) show_status(console);
    struct text draft = next_draft(console);
    const struct editor_prompt prompt = {
        .text = PROMPT, .draft = text_string(&draft), .enter = console->listed != NULL};
    int signal = 0;
    set_title(console->session->front);
    begin_title(console);
    const enum editor_end end = editor_read(&prompt, &line, &signal);
    title_stop(&console->title);
    switch (end) {
    case EDITOR_LINE:
        if (line.length > 0)
            obey_line(console, &line);
        else
            obey_enter(console);
        break;
    case EDITOR_INTERRUPT:
        terminal_say(STYLE_DIM, "^D or /quit quits.\n");
        break;
    case EDITOR_LEAVE:
        console_quit(console);
        break;
    case EDITOR_SIGNAL:
        console->leave = true;
        console->exit_code = 128 + signal;
        break;
    }
    text_deinit(&draft);
    text_deinit(&line);
}

static void greet(struct console *console, const struct interactive_options *options) {
    if (!options->quiet) show_start(console);
    if (options->resumed) console_arrive(console);
    if (options->picks && !command_pick(console, "")) console->leave = true;
    if (!options->first_prompt) return;
    show_sent(options->first_prompt->text, options->first_prompt->length);
    if (overflow_send(console, options->first_prompt) != SENT_BACK) return;
    console_give_back_message(console, options->first_prompt->text);
    console_refuse_queue(console);
}

static bool stops_waiting(void *user) {
    (void)user;
    return editor_interrupted();
}

// Was the chat left for another model, or for the same one on a reopened device?
static bool goes_on(const struct console *console) {
    const struct wanted_model *wanted = &console->wanted;
    return wanted->source || wanted->model.length || wanted->conversation[0] ||
           console->reopening.wanted;
}

int interactive_run(const struct interactive_options *options) {
    struct console console = {
        .session = options->session,
        .config_path = options->config_path,
        .kv_folder = options->kv_folder,
        .status = !options->quiet,
        .verbose = options->verbose,
        .saved = options->saved,
        .models = options->models,
        .reopening = {.done = options->reopening->done},
        .warned_at = NOT_WARNED,
        .exit_code = EXIT_DONE,
    };
    if (!terminal_open()) return EXIT_RUN_TIME;
    console.session->reading = console.session->front->transcript.progress = console_reads;
    console.session->reading_user = console.session->front->transcript.progress_user = &console;
    db_on_wait(options->session->db, stops_waiting, NULL);
    effort_watch(stops_waiting, NULL);
    notice_hold(); // shows notices only before the next prompt
    editor_open(&(struct editor_options){.history_path = options->history_path,
                                         .complete = commands_complete,
                                         .complete_name = commands_complete_name,
                                         .paste = commands_paste,
                                         .event_fd = options->session->event_fd,
                                         .notice = has_news,
                                         .tell = console_tell_news,
                                         .unfold = command_unfold,
                                         .user = &console});
    console_put_unsent(&console, options->unsent);
    if (options->returned) {
        console_keep_words(&console); // typed while that model was being opened
        console_refuse_queue(&console);
    }
    greet(&console, options);
    while (!console.leave && !terminal_gone())
        if (console.session->front->turn.state != TURN_IDLE)
            follow(&console);
        else if (!obey_queue(&console))
            read_and_obey(&console);
    effort_watch(NULL, NULL);
    struct error lost = {0};
    session_end_unfollowed(console.session);
    console_failed(front_save(console.session, &lost), &lost);
    if (goes_on(&console)) console_keep_words(&console); // typed behind /model, and read already
    title_deinit(&console.title);
    editor_remember(text_string(&console.draft)); // also if no console follows this one
    if (goes_on(&console)) *options->unsent = console_take_unsent(&console);
    editor_close();
    terminal_close();
    db_on_wait(options->session->db, NULL, NULL);
    notice_release();
    console_deinit(&console);
    compose_deinit(&console);
    *options->wanted = console.wanted;
    *options->reopening = console.reopening;
    return console.exit_code;
}
