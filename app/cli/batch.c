#include "app/cli/batch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/json.h"
#include "app/base/output.h"
#include "app/base/signals.h"
#include "app/chat/cuts.h"
#include "app/chat/report.h"
#include "app/chat/session.h"
#include "app/cli/batch_line.h"
#include "app/cli/journal.h"
#include "app/screen/complain.h"
#include "app/screen/notice.h"
#include "kernels/base/array.h"
#include "kernels/base/clock.h"
#include "kernels/base/effort.h"
#include "kernels/base/log.h"

enum { WAIT_MS = 50, SHOW_US = 200000, BAR_COLUMNS = 24 };

static volatile sig_atomic_t signal_seen, running;

static void on_signal(int number) {
    if (!running) _exit(128 + number); // nothing is being written yet
    signal_seen = number;
}

void batch_catch_signals(void) { signals_catch(on_signal); }

static bool stops_working(void *user) {
    (void)user;
    return signal_seen != 0;
}

struct request_line { // of the file
    const char *bytes;
    size_t length;
    size_t number; // from 1
    struct hash128 hash;
    char *result; // owned; NULL: none yet, or printed
    bool done;
};

struct slot { // a running request
    struct request_line *line;
    struct batch_line request;
    struct turn turn;
    struct answer answer; // of the turn
    struct stops stops;
    struct sequence *sequence;
};

struct batch {
    struct launch *launch;
    struct session *session; // owned
    struct batch_defaults defaults;
    struct journal *journal; // NULL: none
    struct text file;
    struct request_line *lines; // [count], without the empty ones
    size_t capacity;
    size_t count, next, printed, done, failed;
    struct slot slots[ENGINE_MAX_REQUESTS];
    int32_t running;
    int64_t began_us, shown_us, output_tokens;
    struct cuts cuts; // of the answers of this run
    bool shows, shown, stopping;
    bool device_failed; // restart its requests on a fresh one, once all have ended
    bool reopened;      // and has answered no line since
};

// ---- results

static void show_progress(struct batch *batch, bool now) {
    const int64_t at = clock_now_us();
    if (!batch->shows || (!now && at - batch->shown_us < SHOW_US)) return;
    const double elapsed_s = (double)(at - batch->began_us) / 1e6;
    const int filled = (int)(batch->done * BAR_COLUMNS / (batch->count ? batch->count : 1));
    char bar[BAR_COLUMNS + 1];
    for (int i = 0; i < BAR_COLUMNS; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[BAR_COLUMNS] = '\0';
    fprintf(stderr, "\r[%s] %zu/%zu, %d running, %.0f tok/s ", bar, batch->done, batch->count,
            (int)batch->running, elapsed_s > 0 ? (double)batch->output_tokens / elapsed_s : 0);
    fflush(stderr);
    batch->shown_us = at;
    batch->shown = true;
}

static void hide_progress(struct batch *batch) {
    if (batch->shown) fprintf(stderr, "\r%79s\r", "");
    batch->shown = false;
}

static void print_result(struct batch *batch, struct request_line *line) {
    if (batch->shown && isatty(STDOUT_FILENO)) hide_progress(batch);
    if (!json_print(line->result)) complain(status_text(STATUS_NO_MEMORY));
    free(line->result);
    line->result = NULL;
}

// Prints the results whose turn has come.
static void print_ready(struct batch *batch, struct request_line *latest) {
    if (batch->launch->args->unordered) {
        print_result(batch, latest);
        return;
    }
    while (batch->printed < batch->count && batch->lines[batch->printed].done)
        print_result(batch, &batch->lines[batch->printed++]);
}

// After a run that ended early: prints the finished results after the first unfinished line.
static void print_rest(struct batch *batch) {
    for (size_t i = batch->printed; i < batch->count; i++)
        if (batch->lines[i].result) print_result(batch, &batch->lines[i]);
}

// Moves `result` in, as do the functions below.
static void finish_result(struct batch *batch, struct request_line *line, char *result) {
    line->result = result;
    line->done = true;
    batch->done++;
    print_ready(batch, line);
}

static cJSON *begin_result(const struct request_line *line, const char *id) {
    char hex[HASH_HEX_BYTES];
    cJSON *object = cJSON_CreateObject();
    cJSON *copy = id ? cJSON_CreateRaw(id) : cJSON_CreateNull();
    const bool whole = object && copy && json_add_number(object, "line", (double)line->number) &&
                       json_add_text(object, "request", hash_hex(line->hash, hex)) &&
                       cJSON_AddItemToObject(object, "id", copy);
    if (whole) return object;
    cJSON_Delete(copy);
    cJSON_Delete(object);
    return NULL;
}

static bool add_answer(cJSON *object, const struct answer *answer) {
    const struct message_stats *stats = &answer->stats;
    const char *stop = message_stop_name(answer_stop(answer));
    return report_add_text(object, text_string(&answer->text), answer->text.length) &&
           json_add_text(object, "stop_reason", stop) && report_add_prompt(object, stats) &&
           json_add_number(object, "cached_tokens", (double)stats->cached_tokens) &&
           json_add_number(object, "output_tokens", (double)stats->output_tokens) &&
           report_add_seed(object, answer->options.sampler.seed, !answer->turn->hides_seed);
}

// Also adds it to the journal, except an error that may not happen again next time.
static enum status finish_line(struct batch *batch, struct request_line *line, cJSON *object,
                               bool keeps, struct error *err) {
    char *printed = object ? cJSON_PrintUnformatted(object) : NULL;
    cJSON_Delete(object);
    if (!printed) return STATUS_NO_MEMORY;
    char *result = strdup(printed);
    cJSON_free(printed);
    if (!result) return STATUS_NO_MEMORY;
    const enum status status =
        batch->journal && keeps ? journal_add(batch->journal, result, err) : STATUS_OK;
    finish_result(batch, line, result);
    return status;
}

static enum status finish_with_error(struct batch *batch, struct request_line *line, const char *id,
                                     const char *why, struct error *err) {
    cJSON *object = begin_result(line, id);
    if (object && !json_add_text(object, "error", why)) {
        cJSON_Delete(object);
        object = NULL;
    }
    batch->failed++;
    return finish_line(batch, line, object, false, err);
}

// ---- requests

static enum status check_fits(const struct batch *batch, const struct token_ids *ids,
                              struct error *err) {
    const size_t context = (size_t)batch->launch->info.context;
    if (ids->count + 1 <= context) return STATUS_OK;
    return error_set(err, STATUS_TOO_LONG,
                     "the prompt has %zu tokens, but the context holds %zu (one is for the answer)",
                     ids->count, context);
}

// The line's own structure, or that of all lines.
static enum status find_structure(struct structure *structure, struct batch_line *line,
                                  struct error *err) {
    struct grammar **grammar = &line->options.grammar;
    if (line->schema)
        return structure_read(structure, STRUCTURE_SCHEMA, line->schema, grammar, err);
    if (line->grammar)
        return structure_read(structure, STRUCTURE_GRAMMAR, line->grammar, grammar, err);
    *grammar = grammar_retain(structure->grammar);
    return STATUS_OK;
}

static enum status start_slot(struct batch *batch, struct slot *slot, struct error *err) {
    const struct session *session = batch->session;
    const struct chat_template *chat_template = session->chat_template;
    struct token_ids ids = {0};
    enum status status =
        batch_line_encode(&slot->request, chat_template, session->tokenizer, &ids, err);
    if (status == STATUS_OK) status = check_fits(batch, &ids, err);
    if (status == STATUS_OK) status = sequence_create(session->engine, &slot->sequence);
    if (status == STATUS_OK) status = sequence_append(slot->sequence, ids.ids, ids.count);
    token_ids_deinit(&ids);
    if (status != STATUS_OK) return status;
    slot->stops = (struct stops){{slot->request.stops, chat_template_stops(chat_template)}};
    turn_begin(&slot->turn,
               &(struct turn){.engine = session->engine,
                              .stops = &slot->stops,
                              .owner = slot,
                              .answers = &slot->answer,
                              .answer_count = 1},
               &slot->request.options);
    return turn_start(&slot->turn, slot->sequence, err);
}

static void free_slot(struct slot *slot) {
    grammar_release(slot->request.options.grammar);
    batch_line_deinit(&slot->request);
    sequence_destroy(slot->sequence);
    slot->sequence = NULL;
}

static void stop(struct batch *batch) {
    batch->stopping = true;
    for (int32_t i = 0; i < ENGINE_MAX_REQUESTS; i++)
        if (batch->slots[i].turn.state != TURN_IDLE) turn_cancel(&batch->slots[i].turn);
}

// An error in the line becomes its result; returns only errors that end the run.
static enum status begin_line(struct batch *batch, struct slot *slot, struct request_line *line,
                              struct error *err) {
    struct error why = {0};
    slot->line = line;
    enum status status =
        batch_line_read(line->bytes, line->length, &batch->defaults, &slot->request, &why);
    if (status == STATUS_OK)
        status = find_structure(&batch->session->structure, &slot->request, &why);
    if (status == STATUS_OK) status = start_slot(batch, slot, &why);
    if (status == STATUS_OK) {
        session_run(batch->session, &slot->turn, TURN_FOLLOWED);
        batch->running++;
        return STATUS_OK;
    }
    if (status == STATUS_CANCELLED) { // keep nothing of a stopped one
        stop(batch);
        status = STATUS_OK;
    } else if (status != STATUS_NO_MEMORY)
        status = finish_with_error(batch, line, slot->request.id,
                                   why.text[0] ? why.text : status_text(status), err);
    free_slot(slot);
    return status;
}

static enum status begin_lines(struct batch *batch, struct error *err) {
    if (batch->device_failed) return STATUS_OK;
    for (int32_t i = 0; i < ENGINE_MAX_REQUESTS && !batch->stopping; i++) {
        while (batch->slots[i].turn.state == TURN_IDLE && batch->next < batch->count) {
            if (signal_seen || output_ended()) stop(batch);
            if (batch->stopping) break;
            struct request_line *line = &batch->lines[batch->next++];
            if (line->done) continue; // done before the device failed
            const char *known =
                batch->journal ? journal_find(batch->journal, line->number, line->hash) : NULL;
            if (!known) {
                TRY(begin_line(batch, &batch->slots[i], line, err));
                continue;
            }
            char *result = strdup(known);
            if (!result) return STATUS_NO_MEMORY;
            finish_result(batch, line, result);
        }
    }
    return STATUS_OK;
}

// Lines may have limits of their own.
static void count_cut(struct batch *batch, const struct slot *slot) {
    const int32_t limit = slot->request.options.max_tokens;
    const struct answer *answer = &slot->answer;
    const bool at_limit = limit > 0 && answer->stats.output_tokens >= limit;
    struct cuts *cuts = &batch->cuts;
    if (cuts->answers == 0) cuts->limit = limit;
    if (cuts->limit != limit) cuts->limit = 0;
    cuts_add(cuts, answer_stop(answer), batch->session->remote[0] && !at_limit, answer->unfinished);
}

static enum status end_slot(struct batch *batch, struct slot *slot, struct error *err) {
    const struct answer *answer = &slot->answer;
    enum status status = STATUS_OK;
    batch->running--;
    batch->output_tokens += answer->stats.output_tokens;
    const bool cut = answer->reason == STOP_REASON_CANCELLED && !answer->stop_matched;
    batch->device_failed |= answer->status == STATUS_DEVICE && !batch->reopened;
    batch->reopened &= answer->status != STATUS_OK;
    const bool again = answer->status == STATUS_DEVICE && batch->device_failed;
    if (answer->status != STATUS_OK && !again) {
        const char *why = slot->turn.err.text;
        status = finish_with_error(batch, slot->line, slot->request.id,
                                   why[0] ? why : status_text(answer->status), err);
    } else if (!cut && !again) { // keep nothing of a stopped one
        cJSON *object = begin_result(slot->line, slot->request.id);
        if (object && !add_answer(object, answer)) {
            cJSON_Delete(object);
            object = NULL;
        }
        count_cut(batch, slot);
        status = finish_line(batch, slot->line, object, true, err);
    }
    free_slot(slot);
    return status;
}

static enum status open_session(struct batch *batch, struct error *err) {
    const struct launch *launch = batch->launch;
    TRY(session_open(&(struct session_options){.engine = launch->engine,
                                               .digest = launch->digest,
                                               .chat_template = launch_chat_template(launch)},
                     &batch->session, err));
    return launch_structure(launch->args, &batch->session->structure, err);
}

// Reopens the device, only once until it has answered a line, and continues at the first line
// without a result.
static enum status reopen(struct batch *batch, struct error *err) {
    log_write(LOG_WARNING, "the device failed; opening it again");
    session_close(batch->session);
    batch->session = NULL;
    batch->device_failed = false;
    batch->reopened = true;
    batch->next = 0;
    if (launch_reopen(batch->launch) != EXIT_DONE)
        return error_set(err, STATUS_DEVICE, "cannot open the device again");
    return open_session(batch, err);
}

// The first failure of the run itself stops it, once running requests have ended.
static enum status run_lines(struct batch *batch, struct error *err) {
    enum status status = begin_lines(batch, err);
    struct turn_update update;
    if (status != STATUS_OK) stop(batch);
    while (batch->running > 0) {
        struct error later;
        if ((signal_seen || output_ended()) && !batch->stopping) stop(batch);
        if (!session_next(batch->session, WAIT_MS, &update)) continue;
        if (update.event == TURN_DONE) {
            struct error *why = status == STATUS_OK ? err : &later;
            enum status found = end_slot(batch, update.turn->owner, why);
            if (found == STATUS_OK) found = begin_lines(batch, why);
            if (status == STATUS_OK) status = found;
            if (status != STATUS_OK && !batch->stopping) stop(batch);
        }
        if (batch->device_failed && batch->running == 0 && !batch->stopping) {
            status = reopen(batch, err);
            if (status == STATUS_OK) status = begin_lines(batch, err);
        }
        show_progress(batch, false);
    }
    return status;
}

// ---- the file

static enum status push_line(struct batch *batch, const char *bytes, size_t length, size_t number) {
    if (!array_reserve(&batch->lines, batch->count, &batch->capacity, sizeof batch->lines[0]))
        return STATUS_NO_MEMORY;
    batch->lines[batch->count++] = (struct request_line){
        .bytes = bytes, .length = length, .number = number, .hash = hash_bytes(bytes, length, 0)};
    return STATUS_OK;
}

static bool reads_stdin(const struct batch *batch) {
    return strcmp(batch->launch->args->operands[0], "-") == 0;
}

static enum status read_lines(struct batch *batch, struct error *err) {
    if (reads_stdin(batch))
        TRY(file_read_open(STDIN_FILENO, "stdin", &batch->file, err));
    else
        TRY(file_read(batch->launch->args->operands[0], &batch->file, err));
    const char *at = text_string(&batch->file), *end = at + batch->file.length;
    for (size_t number = 1; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        size_t length = (size_t)(line_end - at);
        while (length > 0 && memchr(" \t\r", at[length - 1], 3))
            length--;
        if (length > 0) TRY(push_line(batch, at, length, number));
        at = newline ? newline + 1 : end;
    }
    return STATUS_OK;
}

static enum status open_batch(struct batch *batch, struct error *err) {
    const struct launch *launch = batch->launch;
    const struct args *args = launch->args;
    TRY(open_session(batch, err));
    batch->defaults = (struct batch_defaults){
        .options = {.sampler = launch_sampling(launch),
                    .max_tokens = args->tokens,
                    .background = true}, // so that long prompts take turns
        .system = text_string(&launch->preamble),
        .stops = args->stops.items,
    };
    session_set_drafts(&batch->defaults.options, launch_draft_wish(args), args->speculate);
    if (args_source(args, "seed")) batch->defaults.options.sampler.given |= SAMPLER_GIVEN(seed);
    if (reads_stdin(batch)) TRY(read_lines(batch, err));
    return args->resume_batch ? journal_open(args->resume_batch, &batch->journal, err) : STATUS_OK;
}

static void close_batch(struct batch *batch) {
    for (size_t i = 0; i < batch->count; i++)
        free(batch->lines[i].result);
    for (int32_t i = 0; i < ENGINE_MAX_REQUESTS; i++)
        answer_deinit(&batch->slots[i].answer);
    journal_close(batch->journal);
    session_close(batch->session);
    free(batch->lines);
    text_deinit(&batch->file);
    free(batch);
}

static void say_sums(const struct batch *batch) {
    struct kv_usage kv;
    char requests[COUNT_TEXT_BYTES];
    engine_kv_usage(batch->launch->engine, &kv);
    if (batch->launch->args->verbose)
        fprintf(stderr,
                "%s, %zu failed; %" PRIu64 " tokens prefilled, %" PRIu64
                " found in the cache, %" PRIu64 " decoded in %.1f s\n",
                nouns_format((int64_t)batch->done, "request", requests), batch->failed,
                kv.work.prefilled_tokens, kv.work.device_hit_tokens, kv.work.decoded_tokens,
                (double)(clock_now_us() - batch->began_us) / 1e6);
}

static void say_cuts(const struct batch *batch) {
    struct text line = {0};
    if (batch->cuts.cut > 0 && cuts_describe(&batch->cuts, &line) == STATUS_OK)
        log_write(LOG_WARNING, "%s", text_string(&line));
    text_deinit(&line);
}

// A run that a signal ended says how far it got, and how to continue.
static void say_stopped(const struct batch *batch) {
    const char *journal = batch->launch->args->resume_batch;
    log_write(LOG_WARNING, "stopped after %zu of %zu requests; %s", batch->done, batch->count,
              journal ? "the same command answers the rest"
                      : "with --resume-batch FILE it could be continued");
}

int batch_run(struct launch *launch) {
    struct batch *batch = calloc(1, sizeof *batch);
    struct error err = {0};
    if (!batch) return complain_failed(EXIT_RUN_TIME, STATUS_NO_MEMORY, &err);
    batch->launch = launch;
    batch->shows = !launch->args->quiet && isatty(STDERR_FILENO);
    enum status status = reads_stdin(batch) ? STATUS_OK : read_lines(batch, &err);
    if (status == STATUS_OK) {
        int opened = launch_files(launch);
        if (opened == EXIT_DONE) opened = launch_model(launch);
        if (opened != EXIT_DONE) {
            close_batch(batch);
            return opened;
        }
        batch->began_us = clock_now_us();
        status = open_batch(batch, &err);
    }
    int code = status == STATUS_BAD_INPUT ? EXIT_USAGE : exit_code_for(status);
    if (status == STATUS_NOT_FOUND) code = EXIT_RUN_TIME; // a missing file, not a conversation
    if (status == STATUS_OK) {
        running = 1;
        effort_watch(stops_working, NULL);
        notice_hold();
        status = run_lines(batch, &err);
        print_rest(batch);
        hide_progress(batch);
        notice_release();
        effort_watch(NULL, NULL);
        code = status == STATUS_OK ? EXIT_DONE : EXIT_RUN_TIME;
    }
    if (status != STATUS_OK) {
        complain_failed(code, status, &err);
    } else {
        say_sums(batch);
        say_cuts(batch);
        if (signal_seen) say_stopped(batch);
        if (batch->failed > 0 && !signal_seen) {
            snprintf(err.text, sizeof err.text, "%zu of %zu requests %s an error", batch->failed,
                     batch->count, batch->failed == 1 ? "has" : "have");
            complain(err.text);
            code = EXIT_RUN_TIME;
        }
    }
    if (signal_seen && code == EXIT_DONE) code = 128 + signal_seen;
    close_batch(batch);
    return output_exit_code(code);
}
