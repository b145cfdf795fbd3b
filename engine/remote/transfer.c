// engine/remote/transfer.c — from the bytes of a response to tokens in the log, and what to do when
// they stop.
//
//   receive_bytes ─► receive ─┬─► a stream:   event_stream ─┐
//                             └─► one JSON text: `body`    ─┴► receive_event ─► take_json
//                                                                                  │ reply.h
//   put_token ◄─ put_messages, by way of answer_text.h ◄─┬─ put_reply ◄─ take_reply ◄┘
//             ◄─ put_tokens ◄────────────────────────────┘  for the transfer of that choice
//
// Whatever ends an answer early calls cut_answer() and returns FULL: the context is full, the user
// cancelled, or the server sends more than it was asked for. When no answer of the exchange wants
// more, FULL reaches curl and closes the connection.
//
// An exchange ends in transfer_hear(), whatever the reason. As long as no answer has begun, it may
// be repeated: at another address (ask_again), later (try_again), or without the fields that the
// server refused (try_without). After that each answer keeps its text and ends with its own reason
// (part). What fails behind a whole answer is not the answer's failure, and is only logged.
#include "engine/remote/transfer.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "engine/core/request_state.h"
#include "engine/remote/byte_tokenizer.h"
#include "engine/remote/missing_ids.h"
#include "engine/remote/optional_fields.h"
#include "engine/remote/reply.h"
#include "engine/remote/server_json.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"

enum {
    MAX_WORDS_BYTES = 64 << 10,
    MOST_ANSWER_BYTES = 1 << 20,
    MOST_REFUSAL_BYTES = 4 << 10, // and names of tools: a line shows less
    HOLD_US = 200000,             // how long the beginning of an answer may be held: answer_text.h
    LINGER_US = 2000000,          // how long counts may come after the last answer has ended,
    DONE_US = 200000,             // and how long the connection may stay open after that
    NOTABLE_MS = 900,             // a longer wait for a retry is explained to the user
    MOST_CHARACTERS = 64,         // of a token, on average over an answer
    MOST_PIECES = 8,              // of a token, where a gateway sends single characters
};

static const char *host_of(const struct transfer *transfer) {
    return text_string(&transfer->exchange.endpoint->host);
}

static enum status fail_transfer(struct transfer *transfer, enum status status, const char *what) {
    return error_set(&transfer->err, status, "%s %s", host_of(transfer), what);
}

// ---- what comes

// Ends the answer here: no more of it is wanted.
static enum status cut_answer(struct transfer *transfer, enum stop_reason reason) {
    transfer->finished = transfer->cut = true;
    transfer->reason = reason;
    return STATUS_FULL;
}

// The most that today's models write at once, 256 Ki tokens of four bytes; a longer answer would
// never end.
static enum status stop_endless(struct transfer *transfer) {
    log_write(LOG_WARNING, "%s sends more than %d KiB of an answer; the rest is ignored",
              host_of(transfer), MOST_ANSWER_BYTES >> 10);
    return cut_answer(transfer, STOP_REASON_LENGTH);
}

// Adds a token to the log, with the engine's lock. FULL: no more is wanted.
static enum status put_token(struct transfer *transfer, int32_t token) {
    struct request *request = transfer->request;
    struct sequence *sequence = request->sequence;
    struct engine *engine = sequence->engine;
    ASSERT(token >= 0 && token < engine->model.config.vocabulary);
    if (engine->closing) return STATUS_CANCELLED;
    if (atomic_load(&request->cancelled) && !transfer->finished)
        return cut_answer(transfer, STOP_REASON_CANCELLED);
    if (transfer->server->form == QUERY_MESSAGES &&
        request->stats.output_tokens >= MOST_ANSWER_BYTES)
        return stop_endless(transfer);
    if (sequence->length + 1 >= engine->context) return cut_answer(transfer, STOP_REASON_CONTEXT);
    const int64_t now = clock_working_us();
    sequence->tokens[sequence->length++] = token;
    if (request->stats.output_tokens++ == 0) {
        request->first_us = now;
        request->stats.first_token_us = now - request->started_us;
        request->stats.prefill_us = now - request->started_us;
    }
    transfer->begun = true;
    engine_push_event(
        engine,
        &(struct event){.kind = EVENT_TOKEN, .request = request, .token = token, .at_us = now});
    return STATUS_OK;
}

static enum status put_bytes(struct transfer *transfer, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        TRY(put_token(transfer, (unsigned char)bytes[i]));
    return STATUS_OK;
}

// Passes on new text, and the text held before it.
static enum status put_words(struct transfer *transfer, const struct reply *reply) {
    struct answer_text *text = &transfer->text;
    struct text out = {0};
    enum status status = answer_text_add(text, &reply->thought, &reply->text, &out);
    if (status == STATUS_OK && transfer->server->kind == SERVER_LLAMA)
        status = answer_text_release(text, &out); // it knows its model's marks
    if (!answer_text_waits(text))
        transfer->waits_us = 0;
    else if (!transfer->waits_us)
        transfer->waits_us = clock_now_us();
    if (status == STATUS_OK) status = put_bytes(transfer, text_string(&out), out.length);
    text_deinit(&out);
    return status;
}

enum rest { REST_SHOWN, REST_CUT, REST_WHOLE };

// Releases the held text of an answer that waits too long, was cut, or has ended. With the engine's
// lock.
static void put_rest(struct transfer *transfer, enum rest rest) {
    struct text out = {0};
    enum status status = rest == REST_SHOWN
                             ? answer_text_release(&transfer->text, &out)
                             : answer_text_end(&transfer->text, rest == REST_WHOLE, &out);
    if (status == STATUS_OK) status = put_bytes(transfer, text_string(&out), out.length);
    if (status == STATUS_OK && rest == REST_WHOLE && transfer->text.answered)
        status = put_token(transfer, BYTE_TOKEN_END);
    if (status == STATUS_NO_MEMORY) (void)fail_transfer(transfer, status, "not enough memory");
    text_deinit(&out);
    transfer->waits_us = 0;
}

static int64_t count_characters(const struct text *text) {
    int64_t count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += ((unsigned char)text->bytes[i] & 0xc0) != 0x80;
    return count;
}

static enum status stop_reading(struct transfer *transfer) {
    log_write(LOG_WARNING,
              "%s sends more than the limit of %" PRId32 " tokens (-n); the rest is ignored",
              host_of(transfer), transfer->request->options.max_tokens);
    return cut_answer(transfer, STOP_REASON_LENGTH);
}

// Servers send a piece of text for each token. Is this piece past the limit that the server was
// given? Gateways that send single characters have more pieces than tokens.
static bool is_behind_limit(struct transfer *transfer, const struct reply *reply) {
    const int64_t most = transfer->request->options.max_tokens;
    transfer->pieces += reply->text.length || reply->thought.length;
    transfer->characters += count_characters(&reply->text) + count_characters(&reply->thought);
    if (most <= 0 || reply->finished) return false;
    const int64_t pieces = transfer->pieces, characters = transfer->characters;
    return (pieces > most && (characters * 2 >= pieces * 3 || pieces > most * MOST_PIECES)) ||
           characters > most * MOST_CHARACTERS;
}

// A server that separates thoughts from the answer sends them without marks.
static enum status put_messages(struct transfer *transfer, const struct reply *reply) {
    if (is_behind_limit(transfer, reply)) {
        if (transfer->pieces == 1) TRY(put_words(transfer, reply)); // all at once, and it is here
        put_rest(transfer, REST_CUT);
        return stop_reading(transfer);
    }
    return put_words(transfer, reply);
}

static bool ends_turn(const struct transfer *transfer) {
    const struct sequence *sequence = transfer->request->sequence;
    return sequence->length > 0 &&
           tokenizer_ends_turn(sequence->engine->tokenizer, sequence->tokens[sequence->length - 1]);
}

// SGLang sends all ids so far or only the new ones, depending on its options.
static size_t first_new(const struct transfer *transfer, const struct reply *reply) {
    const int64_t fresh = reply->output_tokens - transfer->request->stats.output_tokens;
    if (!reply->cumulative || fresh >= (int64_t)reply->ids.count) return 0;
    return reply->ids.count - (size_t)(fresh > 0 ? fresh : 0);
}

static enum status put_tokens(struct transfer *transfer, const struct reply *reply) {
    const struct tokenizer *tokenizer = transfer->request->sequence->engine->tokenizer;
    struct token_ids missing = {0};
    enum status status = transfer->server->form == QUERY_LLAMA
                             ? missing_ids(tokenizer, &reply->text, &reply->ids, &missing)
                             : STATUS_OK;
    for (size_t i = 0; i < missing.count && status == STATUS_OK; i++)
        status = put_token(transfer, missing.ids[i]);
    token_ids_deinit(&missing);
    for (size_t i = first_new(transfer, reply); i < reply->ids.count && status == STATUS_OK; i++) {
        if (reply->ids.ids[i] >= tokenizer_vocabulary(tokenizer))
            return fail_transfer(transfer, STATUS_BAD_FILE, "sends tokens outside the vocabulary");
        const int32_t most = transfer->request->options.max_tokens;
        if (most > 0 && transfer->request->stats.output_tokens >= most &&
            !tokenizer_ends_turn(tokenizer, reply->ids.ids[i]))
            return stop_reading(transfer);
        status = put_token(transfer, reply->ids.ids[i]);
    }
    const bool ended = reply->finished && reply->reason == STOP_REASON_END && !ends_turn(transfer);
    const int32_t eos = tokenizer_eos(tokenizer);
    if (status == STATUS_OK && ended && eos != TOKEN_NONE) status = put_token(transfer, eos);
    return status;
}

// The server's counts cover all choices together.
static void note_counts(struct transfer *transfer, const struct reply *reply, bool alone) {
    struct request_stats *stats = &transfer->request->stats;
    if (reply->prompt_tokens >= 0) stats->prompt_tokens = reply->prompt_tokens;
    if (reply->cached_tokens >= 0)
        stats->cached_tokens = stats->device_tokens = reply->cached_tokens;
    if (reply->output_tokens < 0 || !alone) return;
    transfer->output_tokens = reply->output_tokens;
    transfer->counted = true;
}

static enum status append_some(struct text *all, const struct text *more) {
    return all->length < MOST_REFUSAL_BYTES ? text_append(all, text_string(more), more->length)
                                            : STATUS_OK;
}

static enum status put_reply(struct transfer *transfer, const struct reply *given) {
    struct reply reading = *given; // borrows its texts
    const struct reply *reply = &reading;
    reading.finished = given->finished && !transfer->is_cut;
    if (given->whole && transfer->pieces > 0)
        reading.text = reading.thought = (struct text){0}; // it came in pieces
    TRY(append_some(&transfer->refusal, &reply->refusal));
    TRY(append_some(&transfer->tool, &reply->tool));
    transfer->calls_tool |= reply->calls_tool;
    if (!transfer->counted) transfer->output_tokens += reply->text.length || reply->thought.length;
    const enum status status = transfer->server->form == QUERY_MESSAGES
                                   ? put_messages(transfer, reply)
                                   : put_tokens(transfer, reply);
    if (status == STATUS_FULL) return STATUS_OK; // it has ended, with the context
    TRY(status);
    if (!reply->finished || transfer->filtered || transfer->broken) return STATUS_OK;
    transfer->finished = true;
    transfer->filtered = reply->filtered;
    transfer->broken = reply->broken;
    transfer->reason = reply->reason;
    return STATUS_OK;
}

// Can the answer have more text? Some servers give a stop reason with every piece, or after the
// thoughts, so text goes on until the exchange ends, unless the answer was ended here.
static bool goes_on(const struct transfer *transfer) {
    return !transfer->finished || (transfer->server->form == QUERY_MESSAGES && !transfer->cut &&
                                   transfer->reason != STOP_REASON_CANCELLED);
}

// Hands a reply to the transfer whose choice it is, if that still wants it. FULL: none does.
static enum status take_reply(void *user, const struct reply *reply) {
    struct transfer *leader = user;
    struct engine *engine = leader->request->sequence->engine;
    enum status status = STATUS_OK;
    bool wanted = false;
    leader->heard_event |= !reply->unknown;
    leader->heard_unknown |= reply->unknown;
    if (reply->failed) {
        const char *said = text_string(&reply->failure);
        return error_set(&leader->err, STATUS_IO, "%s failed%s%s", host_of(leader),
                         said[0] ? ": " : "", said);
    }
    pthread_mutex_lock(&engine->lock);
    for (struct transfer *one = leader; one && status == STATUS_OK; one = one->next) {
        note_counts(one, reply, !leader->next);
        if (atomic_load(&one->request->cancelled) && !one->finished)
            (void)cut_answer(one, STOP_REASON_CANCELLED);
        if (one->choice == reply->choice && goes_on(one)) {
            if (reply->text.length || reply->thought.length) leader->finished_us = 0;
            status = put_reply(one, reply);
        }
        wanted |= !one->cut;
    }
    pthread_mutex_unlock(&engine->lock);
    return status == STATUS_OK && !wanted ? STATUS_FULL : status;
}

// Choices without a stop reason have ended too.
static enum status take_done(struct transfer *leader) {
    leader->done = leader->heard_event = true;
    for (struct transfer *one = leader; one; one = one->next) {
        const struct reply end = {.choice = one->choice,
                                  .finished = true,
                                  .reason = STOP_REASON_END,
                                  .prompt_tokens = -1,
                                  .cached_tokens = -1,
                                  .output_tokens = -1};
        if (!one->finished && (one == leader || one->begun || one->pieces))
            TRY(take_reply(leader, &end));
    }
    return STATUS_OK;
}

static enum status take_json(struct transfer *leader, const char *data, size_t length) {
    static const char DONE[] = "[DONE]", BLANKS[] = " \t\r\n";
    const size_t blanks = strspn(data, BLANKS), end = sizeof DONE - 1;
    if (leader->done) return STATUS_OK;
    if (length - blanks >= end && memcmp(data + blanks, DONE, end) == 0 &&
        strspn(data + blanks + end, BLANKS) == length - blanks - end)
        return take_done(leader);
    return reply_read(data, length, &leader->server->endpoint.secret, take_reply, leader);
}

// Servers that forget the empty line between two events make one of them, with a line for each.
static enum status take_lines(struct transfer *leader, const char *data, size_t length) {
    for (size_t at = 0; at < length;) {
        const char *newline = memchr(data + at, '\n', length - at);
        const size_t end = newline ? (size_t)(newline - data) : length;
        struct text line = {0};
        enum status status = text_append(&line, data + at, end - at);
        if (status == STATUS_OK && line.bytes[strspn(line.bytes, " \t\r")])
            status = take_json(leader, line.bytes, line.length);
        text_deinit(&line);
        TRY(status);
        at = end + 1;
    }
    return STATUS_OK;
}

static enum status fail_as_said(struct transfer *leader, const char *what, const char *data,
                                size_t length) {
    struct text said = {0};
    if (reply_failure(data, length, &leader->server->endpoint.secret, &said) != STATUS_OK)
        text_clear(&said);
    const enum status status = error_set(&leader->err, STATUS_BAD_FILE, "%s %s: %s",
                                         host_of(leader), what, text_string(&said));
    text_deinit(&said);
    return status;
}

static bool any_wanted(const struct transfer *leader) {
    for (const struct transfer *one = leader; one; one = one->next)
        if (!one->finished) return true;
    return false;
}

static enum status receive_event(void *user, const char *data, size_t length) {
    struct transfer *leader = user;
    enum status status = take_json(leader, data, length);
    if (status == STATUS_BAD_INPUT && memchr(data, '\n', length))
        status = take_lines(leader, data, length);
    if (status == STATUS_BAD_INPUT && (leader->ending || !any_wanted(leader)))
        return STATUS_OK; // it broke off, or nothing depends on it: "[done]"
    if (status == STATUS_BAD_INPUT) return fail_as_said(leader, "sends invalid JSON", data, length);
    if (status == STATUS_BAD_FILE && leader->err.status == STATUS_OK)
        return fail_as_said(leader, "sends a key twice", data, length);
    if (status == STATUS_TOO_LONG)
        return fail_transfer(leader, STATUS_BAD_FILE, "sends an event with too many values");
    return status;
}

static bool succeeds(const struct transfer *transfer) {
    long http = 0;
    curl_easy_getinfo(transfer->exchange.easy, CURLINFO_RESPONSE_CODE, &http);
    return http >= 200 && http <= 299;
}

// Keeps the server's own words, as long as there is no event. They may contain the key.
static enum status keep_words(struct transfer *transfer, const char *bytes, size_t length) {
    const size_t had = transfer->words.length + transfer->hush.held.length;
    if (transfer->heard_event || had >= MAX_WORDS_BYTES) return STATUS_OK;
    transfer->hush.secret = &transfer->server->endpoint.secret;
    const size_t kept = length < MAX_WORDS_BYTES - had ? length : MAX_WORDS_BYTES - had;
    return secret_read(&transfer->hush, bytes, kept, &transfer->words);
}

// A response that is not a stream begins like JSON.
static bool begins_body(const struct transfer *transfer, const char *bytes, size_t length) {
    if (transfer->events.begun || transfer->events.line.length) return false;
    size_t at = 0;
    while (at < length && bytes[at] && strchr(" \t\r\n\xef\xbb\xbf", bytes[at]))
        at++;
    return at < length && (bytes[at] == '{' || bytes[at] == '[');
}

static enum status receive(struct transfer *transfer, const char *bytes, size_t length) {
    TRY(keep_words(transfer, bytes, length));
    if (!succeeds(transfer)) return STATUS_OK;
    transfer->is_body = transfer->is_body || begins_body(transfer, bytes, length);
    if (!transfer->is_body) return event_stream_push(&transfer->events, bytes, length);
    if (transfer->body.length + length > EVENT_STREAM_MAX_BYTES) return STATUS_TOO_LONG;
    return text_append(&transfer->body, bytes, length);
}

// While bytes keep arriving curl stays here, so ^C must be checked here.
static bool is_cancelled(const struct transfer *leader) {
    for (const struct transfer *one = leader; one; one = one->next)
        if (!one->cut && !atomic_load(&one->request->cancelled)) return false;
    return true;
}

static size_t receive_bytes(char *bytes, size_t size, size_t count, void *user) {
    struct transfer *transfer = user;
    const size_t length = size * count;
    if (is_cancelled(transfer)) return 0; // ends the exchange
    transfer->heard_us = clock_now_us();
    const enum status status = receive(transfer, bytes, length);
    if (status == STATUS_TOO_LONG)
        (void)fail_transfer(transfer, STATUS_IO,
                            transfer->is_body ? "sends an endless answer"
                                              : "sends an endless line");
    if (status == STATUS_NO_MEMORY) (void)error_set(&transfer->err, status, "not enough memory");
    return status == STATUS_OK ? length : 0; // 0 ends the exchange
}

// The connection has closed: no more data will arrive.
static void receive_end(struct transfer *leader) {
    const struct text *body = &leader->body;
    leader->ending = true;
    enum status status = STATUS_OK;
    if (leader->is_body) {
        leader->heard_event = false;
        status = receive_event(leader, text_string(body), body->length);
        if (status == STATUS_OK && !leader->heard_event) // one for each line, it may be
            status = event_stream_push(&leader->events, text_string(body), body->length);
    }
    if (status == STATUS_OK) status = event_stream_end(&leader->events);
    if (status == STATUS_NO_MEMORY) (void)error_set(&leader->err, status, "not enough memory");
    leader->ending = false;
}

// Takes the answer's text from a truncated JSON response. Its stop reason is lost.
static void receive_cut_body(struct transfer *leader) {
    const struct error before = leader->err;
    if (!leader->is_body || leader->heard_event || !succeeds(leader)) return;
    leader->ending = leader->is_cut = true;
    if (server_json_close(&leader->body) == STATUS_OK &&
        receive_event(leader, text_string(&leader->body), leader->body.length) != STATUS_OK)
        log_write(LOG_INFO, "%s: a truncated answer cannot be read", host_of(leader));
    leader->ending = false;
    if (before.status != STATUS_OK) leader->err = before;
}

// ---- asking

void transfer_begin(struct transfer *transfer, struct remote_server *server,
                    struct request *request, struct transfer *leader) {
    ASSERT(!transfer->request && (!leader || !leader->leader));
    *transfer = (struct transfer){
        .request = request, .server = server, .leader = leader, .omits = server->omits};
    transfer->exchange.endpoint = &server->endpoint;
    transfer->exchange.undecoded = server->undecoded;
    transfer->events = (struct event_stream){.take = receive_event, .user = transfer};
    if (server->form == QUERY_MESSAGES) request->stats.prompt_tokens = 0; // until the server says
    for (struct transfer *last = leader; last; last = last->next) {
        transfer->choice = last->choice + 1;
        if (last->next) continue;
        last->next = transfer;
        break;
    }
}

bool transfer_shares(const struct transfer *transfer, const struct request *request) {
    const struct request *other = transfer->request;
    const struct sequence *a = other->sequence, *b = request->sequence;
    return other->first == request->first && a->length == b->length &&
           other->options.max_tokens == request->options.max_tokens &&
           other->options.grammar == request->options.grammar &&
           sampler_options_alike(&other->options.sampler, &request->options.sampler) &&
           memcmp(a->tokens, b->tokens, (size_t)a->length * sizeof *a->tokens) == 0;
}

static int32_t count_choices(const struct transfer *leader) {
    int32_t count = 0;
    for (; leader; leader = leader->next)
        count++;
    return count;
}

// Drops the held text of an answer, because it will arrive again.
static void drop_answer(struct transfer *transfer) {
    answer_text_deinit(&transfer->text);
    text_clear(&transfer->refusal);
    text_clear(&transfer->tool);
    transfer->waits_us = transfer->pieces = transfer->characters = 0;
}

// Only the remote thread changes the log of a running request.
static enum status write_query(struct transfer *transfer) {
    const struct remote_server *server = transfer->server;
    const struct sequence *sequence = transfer->request->sequence;
    const struct query query = {
        .form = server->form,
        .server = server->kind,
        .model = text_string(&server->endpoint.model),
        .salt = text_string(&server->endpoint.salt),
        .tokens = sequence->tokens,
        .length = sequence->length,
        .room = sequence->engine->context - sequence->length - 1,
        .choices = count_choices(transfer),
        .omits = transfer->omits,
        .options = &transfer->request->options,
    };
    enum answer_state place = ANSWER_NEW;
    text_clear(&transfer->exchange.body);
    TRY(query_write(&query, &transfer->exchange.body, &place, &transfer->err));
    for (struct transfer *one = transfer; one; one = one->next) {
        drop_answer(one);
        answer_text_begin(&one->text, &server->endpoint.secret, place);
    }
    return STATUS_OK;
}

static void leave(struct transfer *transfer, CURLM *multi) {
    if (transfer->asking) curl_multi_remove_handle(multi, transfer->exchange.easy);
    transfer->asking = false;
    exchange_close(&transfer->exchange);
    event_stream_deinit(&transfer->events);
    secret_reader_deinit(&transfer->hush);
    text_clear(&transfer->words);
    text_clear(&transfer->body);
    transfer->is_body = transfer->is_cut = transfer->done = false;
    transfer->heard_event = transfer->heard_unknown = false;
    transfer->finished_us = 0;
}

static enum status send_query(struct transfer *transfer, CURLM *multi) {
    bool of_root;
    const char *path = query_path(transfer->server->form, &of_root);
    const struct endpoint *endpoint = transfer->exchange.endpoint;
    TRY(write_query(transfer));
    TRY(exchange_open(&transfer->exchange, of_root ? &endpoint->root : &endpoint->url, path,
                      transfer->request->options.route));
    CURL *easy = transfer->exchange.easy;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive_bytes);
    return curl_multi_add_handle(multi, easy) == CURLM_OK ? STATUS_OK : STATUS_NO_MEMORY;
}

void transfer_ask(struct transfer *transfer, CURLM *multi, int64_t now_us) {
    if (!transfer->request || transfer->leader || transfer->asking || transfer->over ||
        now_us < transfer->again_us)
        return;
    transfer->tries++;
    transfer->server->tries = transfer->tries;
    transfer->asked_us = now_us;
    transfer->heard_us = 0;
    transfer->asking = send_query(transfer, multi) == STATUS_OK;
    if (transfer->asking) return;
    if (transfer->err.status == STATUS_OK)
        (void)error_set(&transfer->err, STATUS_NO_MEMORY, "not enough memory");
    transfer_hear(transfer, multi, CURLE_OK);
}

// Is it worth a retry, and when? The answer must not have begun.
static bool try_again(struct transfer *transfer, CURLcode code, int64_t now_us) {
    int64_t wait_ms;
    if (transfer->err.status != STATUS_OK ||
        !exchange_may_pass(&transfer->exchange, code, transfer->tries, &wait_ms))
        return false;
    transfer->again_us = now_us + wait_ms * 1000;
    struct error err = {0};
    exchange_explain(&transfer->exchange, code, &transfer->words, &err);
    const bool notable = wait_ms >= NOTABLE_MS && !transfer->said;
    transfer->said |= notable;
    log_write(notable ? LOG_WARNING : LOG_INFO, "%s; trying again in %.1f s", err.text,
              (double)wait_ms / 1000);
    return true;
}

static const char *content_type(const struct transfer *leader) {
    const char *type = NULL;
    curl_easy_getinfo(leader->exchange.easy, CURLINFO_CONTENT_TYPE, &type);
    return type ? type : "";
}

// Is the response not an answer but a proxy's page, or an error as text?
static bool is_no_answer(const struct transfer *leader) {
    static const char STREAM[] = "text/event-stream", DATA[] = "data:";
    return !leader->heard_event && !leader->is_body &&
           strncasecmp(content_type(leader), STREAM, sizeof STREAM - 1) != 0 &&
           strncmp(text_string(&leader->words), DATA, sizeof DATA - 1) != 0;
}

static void explain_words(const struct transfer *leader, const char *what, struct error *why) {
    const struct secret *secret = &leader->server->endpoint.secret;
    const char *type = content_type(leader);
    struct text said = {0}, kind = {0};
    enum status status =
        reply_failure(text_string(&leader->words), leader->words.length, secret, &said);
    if (status == STATUS_OK) status = reply_failure(type, strlen(type), secret, &kind);
    if (status != STATUS_OK) text_clear(&said);
    (void)error_set(why, STATUS_IO, "%s %s%s%.60s%s%s%s", host_of(leader), what,
                    kind.length ? " (" : "", text_string(&kind), kind.length ? ")" : "",
                    said.length ? ": " : ", but an empty body", text_string(&said));
    text_deinit(&said);
    text_deinit(&kind);
}

// Why the exchange ended too early.
static void explain(const struct transfer *leader, CURLcode code, struct error *why) {
    if (why->status != STATUS_OK) return;
    if (code != CURLE_OK || !succeeds(leader))
        exchange_explain(&leader->exchange, code, &leader->words, why);
    else if (is_no_answer(leader))
        explain_words(leader, "does not send an event stream", why);
    else if (!leader->heard_event && leader->heard_unknown)
        explain_words(leader, "sends no chat completion", why);
    else
        (void)error_set(why, STATUS_IO, "%s: the answer was cut off", host_of(leader));
}

// An answer that has begun is not asked for again.
static void give_up(struct transfer *transfer, const struct error *why, int tries) {
    transfer->resumable = transfer->begun;
    if (!transfer->begun && tries > 1)
        (void)error_set(&transfer->err, why->status, "%.400s (tried %d times)", why->text, tries);
    else
        transfer->err = *why;
}

// Retries without the fields that the refusal names; if it names none, without all merely helpful
// ones. Some servers refuse a field with a 500, which most often has another reason: the refusal
// then must name the field and say that it is unknown.
static bool try_without(struct transfer *leader) {
    const char *refusal = text_string(&leader->words);
    const unsigned sent = optional_fields_of(text_string(&leader->exchange.body));
    unsigned named = optional_fields_named(refusal, leader->words.length);
    long http = 0;
    curl_easy_getinfo(leader->exchange.easy, CURLINFO_RESPONSE_CODE, &http);
    const bool refuses = http == 400 || http == 422;
    if (!refuses && (http < 500 || !optional_fields_unknown(refusal, leader->words.length)))
        return false;
    named &= sent & ~leader->omits;
    if (named & (OMIT_CHOICES | OMIT_ROUTE)) // a server without one is without both
        named |= sent & (OMIT_CHOICES | OMIT_ROUTE);
    if (!named && !leader->omits && refuses) named = sent & OMIT_HELPFUL;
    if (!named) return false;
    optional_fields_warn(named, host_of(leader));
    leader->omits |= named;
    leader->tries--;
    return true;
}

// An answer that has ended without text. What came late, if anything, says why.
static void explain_empty(struct transfer *transfer, const struct error *late) {
    const char *tool = text_string(&transfer->tool), *host = host_of(transfer);
    const bool ended = transfer->reason == STOP_REASON_END;
    if (transfer->text.answered && transfer->calls_tool)
        log_write(LOG_WARNING, "%s: the model also called a tool (%s), which is not supported",
                  host, tool);
    if (transfer->text.answered ||
        !(ended || (transfer->reason == STOP_REASON_LENGTH && !transfer->begun)))
        return;
    if (transfer->refusal.length)
        (void)error_set(&transfer->err, STATUS_IO, "%s: the model refused: %.300s", host,
                        text_string(&transfer->refusal));
    else if (transfer->calls_tool)
        (void)error_set(&transfer->err, STATUS_IO,
                        "%s: the model called a tool (%s), which is not supported", host, tool);
    else if (late->status != STATUS_OK)
        transfer->err = *late;
    else if (!ended)
        (void)fail_transfer(transfer, STATUS_IO,
                            "sent no text: the token limit (-n) was reached first");
    else
        (void)fail_transfer(transfer, STATUS_IO,
                            transfer->begun ? "sent reasoning but no answer"
                                            : "sent an empty answer");
}

static void explain_end(struct transfer *transfer, const struct error *late, int tries) {
    struct error why = *late;
    if (transfer->filtered) {
        (void)fail_transfer(transfer, STATUS_IO, "ended the answer because of its content");
    } else if (transfer->broken) {
        if (why.status == STATUS_OK)
            (void)error_set(&why, STATUS_IO, "%s ended the answer with an error",
                            host_of(transfer));
        give_up(transfer, &why, tries);
    } else if (transfer->server->form == QUERY_MESSAGES) {
        explain_empty(transfer, late);
    }
}

// Ends one choice, or lets it ask for itself.
static void part(struct transfer *transfer, bool asks, const struct error *why, int tries) {
    transfer->leader = transfer->next = NULL;
    transfer->choice = 0;
    if (asks) return;
    transfer->over = true;
    if (transfer->finished)
        explain_end(transfer, why, tries);
    else
        give_up(transfer, why, tries);
}

// Keeps what has arrived, whatever happens to the rest.
static void put_all_rest(struct transfer *leader) {
    struct engine *engine = leader->request->sequence->engine;
    pthread_mutex_lock(&engine->lock);
    for (struct transfer *one = leader; one; one = one->next) {
        const bool whole = one->finished && one->reason == STOP_REASON_END;
        if (goes_on(one)) put_rest(one, whole ? REST_WHOLE : REST_CUT);
    }
    pthread_mutex_unlock(&engine->lock);
}

static bool any_begun(const struct transfer *leader) {
    for (const struct transfer *one = leader; one; one = one->next)
        if (one->begun || (one->finished && one->reason != STOP_REASON_CANCELLED)) return true;
    return false;
}

// No answer has begun: should the exchange be retried at another address, or later?
static bool ask_again(struct transfer *leader, CURLcode code) {
    if (!leader->asking || !any_wanted(leader) || any_begun(leader)) return false;
    if (exchange_undecode(&leader->exchange, code)) {
        leader->server->undecoded = true;
        leader->tries--;
        return true;
    }
    if (leader->err.status == STATUS_OK && code == CURLE_OK) {
        const enum status status = exchange_redirect(&leader->exchange, &leader->err);
        if (status == STATUS_OK) leader->tries--;
        if (status != STATUS_NOT_FOUND) return status == STATUS_OK;
    }
    return try_again(leader, code, clock_now_us());
}

void transfer_hear(struct transfer *leader, CURLM *multi, CURLcode code) {
    ASSERT(!leader->leader);
    for (struct transfer *one = leader; one; one = one->next)
        if (atomic_load(&one->request->cancelled) && !one->finished)
            (void)cut_answer(one, STOP_REASON_CANCELLED);
    const bool complete = leader->asking && code == CURLE_OK && succeeds(leader);
    if (complete && leader->err.status == STATUS_OK) receive_end(leader);
    const bool without = leader->asking && code == CURLE_OK && any_wanted(leader) &&
                         !any_begun(leader) && leader->err.status == STATUS_OK &&
                         try_without(leader);
    if (!without && ask_again(leader, code)) {
        for (struct transfer *one = leader; one; one = one->next)
            drop_answer(one);
        leave(leader, multi);
        return;
    }
    const bool whole = complete && leader->err.status == STATUS_OK;
    if (!without) receive_cut_body(leader);
    if (!without) put_all_rest(leader);
    const bool begun = any_begun(leader);
    if (whole && begun) leader->server->omits |= leader->omits;
    const struct error late = leader->err;
    struct error why = late;
    if (leader->finished && !leader->cut) // what fails behind a whole answer is not its failure
        leader->err = (struct error){0};
    if (leader->asking) explain(leader, code, &why);
    const int tries = leader->tries;
    bool failed = false;
    leave(leader, multi);
    for (struct transfer *one = leader, *next; one; one = next) {
        next = one->next;
        const bool missing = whole && begun && one != leader && !one->begun && !one->finished;
        leader->server->one_choice |= missing;
        one->omits = leader->omits;
        part(one, (without || missing) && !one->finished, one->finished ? &late : &why, tries);
        failed |= one->err.status != STATUS_OK;
    }
    if (late.status != STATUS_OK && !failed)
        log_write(LOG_WARNING, "after the whole answer, %s", late.text);
}

// Nobody waits for this answer any more. It ends with the others of its exchange.
static void cancel(struct transfer *transfer, CURLM *multi) {
    struct transfer *leader = transfer->leader ? transfer->leader : transfer;
    transfer->reason = STOP_REASON_CANCELLED;
    transfer->finished = true;
    if (any_wanted(leader)) return;
    transfer_hear(leader, multi, CURLE_OK);
}

static void release_held(struct transfer *transfer) {
    struct engine *engine = transfer->request->sequence->engine;
    pthread_mutex_lock(&engine->lock);
    put_rest(transfer, REST_SHOWN);
    pthread_mutex_unlock(&engine->lock);
}

void transfer_watch(struct transfer *transfer, CURLM *multi, int64_t now_us) {
    const struct request *request = transfer->request;
    if (!request || transfer->over) return;
    if (atomic_load(&request->cancelled) && (!transfer->finished || transfer->cut))
        cancel(transfer, multi);
    if (transfer->over) return;
    if (transfer->waits_us && now_us - transfer->waits_us > HOLD_US) release_held(transfer);
    if (transfer->asking && !any_wanted(transfer)) {
        if (!transfer->finished_us) transfer->finished_us = now_us;
        const int64_t limit_us = transfer->done ? DONE_US : LINGER_US;
        if (now_us - transfer->finished_us > limit_us)
            return transfer_hear(transfer, multi, CURLE_OK);
    }
    const struct endpoint *endpoint = transfer->exchange.endpoint;
    const int64_t since = transfer->heard_us ? transfer->heard_us : transfer->asked_us;
    const int32_t limit_ms = transfer->heard_us ? endpoint->silence_ms : endpoint->first_byte_ms;
    if (!transfer->asking || now_us - since <= (int64_t)limit_ms * 1000) return;
    (void)error_set(&transfer->err, STATUS_IO, "%s: no data for %" PRId32 " s", host_of(transfer),
                    limit_ms / 1000);
    transfer_hear(transfer, multi, CURLE_OPERATION_TIMEDOUT);
}

void transfer_end(struct transfer *transfer) {
    struct request *request = transfer->request;
    ASSERT(request && transfer->over && !transfer->asking);
    if (transfer->server->form == QUERY_MESSAGES || transfer->counted)
        request->stats.output_tokens = transfer->output_tokens;
    request->err = transfer->err;
    request->resumable = transfer->resumable;
    const bool failed = transfer->err.status != STATUS_OK;
    request_finish(request, failed ? STOP_REASON_FAILED : transfer->reason, transfer->err.status);
    transfer_drop(transfer, NULL);
}

void transfer_drop(struct transfer *transfer, CURLM *multi) {
    leave(transfer, multi);
    exchange_deinit(&transfer->exchange);
    answer_text_deinit(&transfer->text);
    text_deinit(&transfer->body);
    text_deinit(&transfer->words);
    text_deinit(&transfer->refusal);
    text_deinit(&transfer->tool);
    *transfer = (struct transfer){0};
}
