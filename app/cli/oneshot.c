#include "app/cli/oneshot.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/json.h"
#include "app/base/output.h"
#include "app/base/signals.h"
#include "app/chat/chat_kv.h"
#include "app/chat/chat_turn.h"
#include "app/chat/cuts.h"
#include "app/chat/kv_report.h"
#include "app/chat/report.h"
#include "app/chat/shorten.h"
#include "app/screen/complain.h"
#include "app/screen/notice.h"
#include "app/screen/progress.h"
#include "app/screen/stream.h"
#include "app/screen/terminal.h"
#include "kernels/base/clock.h"
#include "kernels/base/effort.h"
#include "kernels/base/log.h"

enum {
    WAIT_MS = 250,
    SHORT_PREFILL = 256,
    RESTORE_MS = 3000,
    AGAIN_US = 1000000, // ^C twice in this time leaves
};

static struct turn *volatile answering;              // for the handler
static volatile sig_atomic_t signal_seen, ends_wait; // for the database, before there is a turn

// In the handler only.
static bool is_second_interrupt(int number) {
    static int64_t before_us;
    const int64_t now_us = clock_now_us();
    if (number != SIGINT) return false;
    const bool second = before_us && now_us - before_us <= AGAIN_US;
    before_us = now_us;
    return second;
}

static void on_signal(int number) {
    struct turn *turn = answering;
    // Without a turn, no answer is being written.
    if (!turn || is_second_interrupt(number)) _exit(128 + number);
    signal_seen = number;
    if (turn->state == TURN_IDLE) ends_wait = 1;
    turn_cancel(turn);
}

static bool stops_waiting(void *user) {
    (void)user;
    return ends_wait != 0;
}

static bool stops_working(void *user) {
    (void)user;
    return signal_seen != 0;
}

// A pipe or a file, not a terminal or a device. Reading says what is wrong with a folder.
static bool stdin_is_piped(void) {
    struct stat in;
    if (isatty(STDIN_FILENO) || fstat(STDIN_FILENO, &in) != 0) return false;
    return S_ISFIFO(in.st_mode) || S_ISREG(in.st_mode) || S_ISSOCK(in.st_mode) ||
           S_ISDIR(in.st_mode);
}

static enum status append_stdin(struct text *prompt, struct error *err) {
    const size_t before = prompt->length;
    TRY(file_read_open(STDIN_FILENO, "stdin", prompt, err));
    return file_check_text(prompt, before, "stdin", err);
}

static enum status append_prompt(const struct args *args, struct text *prompt, struct error *err) {
    const size_t before = prompt->length;
    if (args->prompt && strcmp(args->prompt, "-") == 0) return append_stdin(prompt, err);
    if (args->prompt) {
        TRY(text_append_string(prompt, args->prompt));
        TRY(file_check_text(prompt, before, "the prompt", err));
    } else if (args->prompt_file) {
        TRY(file_read(args->prompt_file, prompt, err));
        TRY(file_check_text(prompt, before, args->prompt_file, err));
    }
    if (!stdin_is_piped()) return STATUS_OK;
    const size_t text_end = prompt->length;
    if (text_end > before) TRY(text_append_string(prompt, "\n\n"));
    return append_stdin(prompt, err);
}

// In a chat @FILE attaches a file. In a script, whose prompt may be anybody's, it is a word.
static void hint_at_file(const char *prompt) {
    struct text file = {0};
    struct error hint = {0};
    for (const char *at = prompt; (at = strchr(at, '@')) && !hint.text[0]; at++) {
        const size_t length = strcspn(at + 1, " \t\n");
        text_clear(&file);
        if ((at > prompt && !strchr(" \t\n", at[-1])) || !length) continue;
        if (text_append(&file, at + 1, length) != STATUS_OK) break;
        if (access(text_string(&file), F_OK) == 0)
            error_set(&hint, STATUS_OK, "@%.200s is sent as a word; to attach the file: -f %.200s",
                      text_string(&file), text_string(&file));
    }
    if (hint.text[0]) complain_mildly(hint.text);
    text_deinit(&file);
}

void oneshot_catch_signals(void) { signals_catch(on_signal); }

enum status oneshot_gather(const struct args *args, struct text *prompt, size_t *said,
                           struct error *err) {
    for (size_t i = 0; i < args->files.count; i++)
        TRY(attachment_append(prompt, args->files.items[i], err));
    const size_t files = prompt->length;
    TRY(append_prompt(args, prompt, err));
    if (args->prompt && !args->quiet) hint_at_file(args->prompt);
    text_trim_end(prompt);
    *said = files < prompt->length ? files : 0;
    return STATUS_OK;
}

struct output {
    struct session *session;
    struct chat *chat; // the session's
    const struct args *args;
    bool json, lines; // --format json, jsonl
    bool several;     // --samples above 1
    struct progress progress;
    struct stream stream;                       // of text
    struct thinking thinking[CHAT_MAX_ANSWERS]; // for jsonl
};

static void show_prefill(struct output *answer, int32_t done, int32_t total) {
    if (answer->args->quiet || total < SHORT_PREFILL) return;
    const struct progress_now now = {.what = "reading",
                                     .unit = "tokens",
                                     .done = done,
                                     .total = total,
                                     .now_ms = clock_ms(),
                                     .columns = terminal_width()};
    progress_show(&answer->progress, &now);
}

static void put_error_stream(const char *bytes, size_t length) {
    fwrite(bytes, 1, length, stderr);
    fflush(stderr);
}

static void put_nowhere(const char *bytes, size_t length) { (void)bytes, (void)length; }

// The answer goes to stdout, unchanged if that is a file. Its thinking goes to stderr.
static struct stream_options stream_for(const struct args *args) {
    const bool terminal = isatty(STDOUT_FILENO), styled = terminal_takes_styles(STDOUT_FILENO);
    const bool shows_thought = isatty(STDERR_FILENO) && terminal_takes_styles(STDERR_FILENO);
    return (struct stream_options){
        .write = output_write,
        .write_thought = args->quiet ? put_nowhere : put_error_stream,
        .width = terminal && styled ? terminal_width() : 0,
        .styled = styled,
        .markdown = styled && !args->raw,
        .as_it_is = output_is_file(),
        .thought = stream_thought_options(shows_thought),
    };
}

static bool put_event(const struct output *answer, int32_t index,
                      const struct thinking_part *part) {
    cJSON *event = cJSON_CreateObject();
    const bool whole =
        event && cJSON_AddStringToObject(event, "type", part->thought ? "thinking" : "text") &&
        (!answer->several || json_add_number(event, "sample", index + 1)) &&
        json_add_bytes(event, "text", part->text, part->length);
    if (whole) return json_put(event, true);
    cJSON_Delete(event);
    return false;
}

// Prints the final part of an answer's text and thinking as lines.
static void put_events(struct output *answer, int32_t index, bool ended) {
    struct thinking_part part;
    while (thinking_next(&answer->thinking[index], ended, &part))
        if (!put_event(answer, index, &part)) complain(status_text(STATUS_NO_MEMORY));
}

// With several answers as text, each is written only when complete.
static void put_text(struct output *answer, const struct turn_update *update) {
    progress_clear(&answer->progress);
    if (answer->lines) {
        if (thinking_append(&answer->thinking[update->answer], update->text, update->length) ==
            STATUS_OK)
            put_events(answer, update->answer, false);
    } else if (!answer->json && !answer->several) {
        stream_append(&answer->stream, update->text, update->length, update->tokens);
    }
}

static void put_update(struct output *answer, const struct turn_update *update) {
    switch (update->event) {
    case TURN_PREFILL:
        show_prefill(answer, update->done, update->total);
        break;
    case TURN_TEXT:
        put_text(answer, update);
        break;
    case TURN_DONE:
        progress_clear(&answer->progress);
        break;
    }
}

// Runs the turn to its end.
static enum status follow(struct output *answer, struct error *err) {
    const struct turn *turn = &answer->chat->turn;
    struct turn_update update;
    while (turn->state != TURN_IDLE) {
        if (session_next(answer->session, WAIT_MS, &update)) put_update(answer, &update);
        if (output_ended()) turn_cancel(&answer->chat->turn);
    }
    if (turn->status != STATUS_OK) *err = turn->err;
    return turn->status;
}

// "[2]" and the answer, one after the other.
static void put_texts(struct output *answer) {
    for (int32_t i = 0; i < answer->chat->turn.answer_count && answer->several; i++) {
        const struct turn_report report = turn_answer(&answer->chat->turn, i);
        char number[32];
        if (!report.any) continue;
        snprintf(number, sizeof number, "%s[%d]\n", i > 0 ? "\n" : "", (int)i + 1);
        output_string(number);
        const struct stream_options options = answer->stream.options;
        stream_deinit(&answer->stream);
        stream_begin(&answer->stream, &options);
        stream_append(&answer->stream, report.text, report.length, 0);
        stream_end(&answer->stream);
    }
    stream_end(&answer->stream);
}

// One answer as an object, the sample's number in it where there are several; NULL: no memory.
static cJSON *json_of(const struct output *answer, int32_t index, const char *model_name) {
    const struct turn_report report = turn_answer(&answer->chat->turn, index);
    const bool saved = !answer->args->no_save;
    struct kv_usage kv;
    engine_kv_usage(answer->session->engine, &kv);
    cJSON *object =
        report_json(&report, model_name, saved ? answer->chat->conversation.id : NULL, &kv);
    const bool whole = object &&
                       (!answer->lines || cJSON_AddStringToObject(object, "type", "done")) &&
                       (!answer->several || json_add_number(object, "sample", index + 1));
    if (whole) return object;
    cJSON_Delete(object);
    return NULL;
}

// One line for each answer, or one with an array of them.
static bool put_json(const struct output *answer, const char *model_name) {
    cJSON *array = answer->several && answer->json ? cJSON_CreateArray() : NULL;
    bool whole = !answer->several || !answer->json || array;
    for (int32_t i = 0; i < answer->chat->turn.answer_count && whole; i++) {
        if (!turn_answer(&answer->chat->turn, i).any) continue;
        cJSON *object = json_of(answer, i, model_name);
        whole = object && (array ? cJSON_AddItemToArray(array, object) : json_put(object, true));
    }
    if (whole && array) return json_put(array, true);
    cJSON_Delete(array);
    return whole;
}

static int put_end(struct output *answer, const char *model_name) {
    if (!answer->json && !answer->lines) {
        put_texts(answer);
        return EXIT_DONE;
    }
    for (int32_t i = 0; i < answer->chat->turn.answer_count && answer->lines; i++)
        put_events(answer, i, true);
    if (put_json(answer, model_name)) return EXIT_DONE;
    complain(status_text(STATUS_NO_MEMORY));
    return EXIT_RUN_TIME;
}

static void put_figures(const struct output *answer, const struct turn_report *report) {
    struct text line = {0};
    if (answer->args->verbose && report_line(report, &line) == STATUS_OK)
        fprintf(stderr, "%s%s%s\n", text_string(&line),
                answer->args->no_save ? "" : ", conversation ",
                answer->args->no_save ? "" : answer->chat->conversation.id);
    text_deinit(&line);
}

// Appends the command that has the rest of an answer written, if the answer was saved.
static enum status append_resuming(const struct output *answer, struct text *line) {
    if (answer->args->no_save) return STATUS_OK;
    return text_format(line, "; to continue it: quire -r %s, then /continue",
                       answer->chat->conversation.id);
}

static void say_failed(const struct output *answer, int code, enum status status,
                       const struct error *err) {
    const struct turn *turn = &answer->chat->turn;
    struct text line = {0};
    if (turn->resumable && turn_first(turn).any && err->text[0] &&
        text_append_string(&line, err->text) == STATUS_OK &&
        append_resuming(answer, &line) == STATUS_OK)
        complain(text_string(&line));
    else
        complain_failed(code, status, err);
    text_deinit(&line);
}

// Says that answers were cut short, and by what. A full context is a failure, which --quiet does
// not hide.
static void say_cut(const struct output *answer, bool failed) {
    const struct turn *turn = &answer->chat->turn;
    struct cuts cuts = {.limit = answer->session->settings.max_tokens};
    struct text line = {0};
    for (int32_t i = 0; i < turn->answer_count; i++) {
        const struct turn_report report = turn_answer(turn, i);
        const bool at_limit = cuts.limit > 0 && report.stats.output_tokens >= cuts.limit;
        if (report.any)
            cuts_add(&cuts, report.stop, answer->session->remote[0] && !at_limit,
                     report.unfinished);
    }
    enum status status = STATUS_OK;
    if (cuts.cut > 0) status = cuts_describe(&cuts, &line);
    if (status == STATUS_OK && cuts.by[CUT_BY_CONTEXT])
        status = text_append_string(&line, "; raise --ctx");
    else if (status == STATUS_OK && cuts.cut > 0 && cuts.answers == 1)
        status = append_resuming(answer, &line);
    if (status == STATUS_OK && line.length > 0) {
        if (failed)
            complain(text_string(&line));
        else
            log_write(LOG_WARNING, "%s", text_string(&line));
    }
    text_deinit(&line);
}

// Reports the result of the turn, once it has ended.
static int finish(struct output *answer, enum status status, const struct error *err,
                  const char *model_name) {
    const struct turn_report report = turn_first(&answer->chat->turn);
    int code = exit_code_for_store(status);
    if (report.any) {
        const int put = put_end(answer, model_name);
        if (code == EXIT_DONE) code = put;
    }
    notice_release();
    if (report.any) put_figures(answer, &report);
    if (status != STATUS_OK) say_failed(answer, code, status, err);
    if (output_gone()) return EXIT_DONE;
    if (signal_seen) code = 128 + signal_seen;
    if (code == EXIT_DONE && report.any && report.stop == STOP_CONTEXT) code = EXIT_CONTEXT;
    if (status == STATUS_OK && !output_ended()) say_cut(answer, code == EXIT_CONTEXT);
    return code;
}

// Deletes a conversation that was created for this answer if there will be no answer.
static void forget_new(const struct output *answer) {
    const struct args *args = answer->args;
    const bool made = args->fork || (args->name && !args->go_on && !args->resume);
    const char *id = answer->chat->conversation.id;
    struct error err = {0};
    if (!made || !id[0]) return;
    engine_release(answer->session->engine, conversation_number(id));
    if (conversation_delete(answer->session->db, id, &err) != STATUS_OK)
        log_write(LOG_WARNING, "cannot delete the empty conversation %s: %s", id, err.text);
}

// Reports what was cached of a continued conversation.
static void put_restored(struct chat *chat) {
    struct restore_report report;
    struct text line = {0};
    chat_restore(chat, RESTORE_MS, &report);
    if (report.length > 0 && kv_report_restored(&report, &line) == STATUS_OK)
        fprintf(stderr, "%s\n", text_string(&line));
    text_deinit(&line);
}

// A cut summary still replaces the old turns.
static void say_if_cut(const struct compaction *compaction) {
    const enum message_stop stop = turn_first(&compaction->turn).stop;
    if (stop == STOP_LENGTH)
        log_write(LOG_WARNING, "the summary of old turns was cut off at %d tokens",
                  (int)compaction->max_tokens);
    if (stop == STOP_CONTEXT)
        log_write(LOG_WARNING, "the summary of old turns was cut off: the context is full");
}

// A signal stops the summary.
static enum status compact(struct chat *chat, int32_t tokens, struct error *err) {
    struct compaction compaction;
    struct turn *turn = &compaction.turn;
    struct turn_update update;
    TRY(compaction_begin(chat, "", tokens, &compaction, err));
    answering = turn;
    if (signal_seen) turn_cancel(turn); // it came while the turn began
    while (turn->state != TURN_IDLE)
        session_next(chat->session, WAIT_MS, &update);
    answering = &chat->turn;
    enum status status = turn->status;
    if (status != STATUS_OK) *err = turn->err;
    if (status == STATUS_OK) status = compaction_finish(&compaction, err);
    if (status == STATUS_OK) say_if_cut(&compaction);
    compaction_deinit(&compaction);
    return status;
}

// --overflow: drops or summarises old turns, in a fork.
static enum status make_room(struct chat *chat, const struct args *args,
                             const struct outgoing *prompt, struct error *err) {
    int32_t tokens, free_tokens;
    int64_t dropped;
    TRY(chat_measure(chat, prompt->text, prompt->length, &tokens, &free_tokens, err));
    if (strcmp(args->overflow, "compact") == 0) return compact(chat, tokens, err);
    return shorten_drop(chat, tokens, &dropped, err);
}

static enum status send(struct chat *chat, const struct args *args, const struct outgoing *prompt,
                        struct error *err) {
    const bool gives_way = strcmp(args->overflow, "error") != 0 && chat_turn_count(chat) > 0;
    struct outgoing message = *prompt;
    if (gives_way) message.reserve = chat_reserve(chat->session);
    const enum status status = chat_send(chat, &message, err);
    if (status != STATUS_TOO_LONG || !gives_way) return status;
    TRY(chat_store(chat, "", err));
    TRY(make_room(chat, args, prompt, err));
    log_write(LOG_WARNING, "old turns were shortened (--overflow %s) in the fork %s",
              args->overflow, chat->conversation.id);
    return chat_send(chat, prompt, err);
}

int oneshot_run(const struct launch *launch, const struct outgoing *prompt) {
    struct session *session = launch->session;
    struct chat *chat = session->front;
    const struct args *args = launch->args;
    struct output answer = {
        .session = session,
        .chat = chat,
        .args = args,
        .json = strcmp(args->format, "json") == 0,
        .lines = strcmp(args->format, "jsonl") == 0,
        .several = args->samples > 1,
    };
    const struct stream_options options = stream_for(args);
    struct error err = {0};
    if (chat_template_guessed(session->chat_template))
        log_write(LOG_WARNING, "the model file has no chat template; using %s",
                  chat_template_name(session->chat_template));
    if (args->verbose) put_restored(chat);
    stream_begin(&answer.stream, &options);
    answering = &chat->turn;
    db_on_wait(session->db, stops_waiting, NULL);
    effort_watch(stops_working, NULL);
    notice_hold();
    enum status status = send(chat, args, prompt, &err);
    if (status == STATUS_OK) {
        if (signal_seen) turn_cancel(&chat->turn); // it came while the turn began
        status = follow(&answer, &err);
    } else if (status == STATUS_TOO_LONG || status == STATUS_BAD_INPUT) {
        forget_new(&answer);
    }
    db_on_wait(session->db, NULL, NULL);
    effort_watch(NULL, NULL);
    answering = NULL;
    const int code = finish(&answer, status, &err, launch->info.model_name);
    stream_deinit(&answer.stream);
    for (int32_t i = 0; i < CHAT_MAX_ANSWERS; i++)
        thinking_deinit(&answer.thinking[i]);
    return output_exit_code(code);
}
