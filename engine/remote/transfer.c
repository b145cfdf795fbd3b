#include "engine/remote/transfer.h"

#include <inttypes.h>
#include <string.h>

#include "engine/remote/byte_tokenizer.h"
#include "engine/remote/missing_ids.h"
#include "engine/remote/reply.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"
#include "kernels/base/log.h"

enum { MAX_REFUSAL_BYTES = 64 << 10 };

static const char *host_of(const struct transfer *transfer) {
    return text_string(&transfer->exchange.endpoint->host);
}

static enum status fail(struct transfer *transfer, enum status status, const char *what) {
    return error_set(&transfer->err, status, "%s %s", host_of(transfer), what);
}

// ---- what comes

// One more token of the log, with the engine's lock. FULL: there is no room for more.
static enum status put_token(struct transfer *transfer, int32_t token) {
    struct request *request = transfer->request;
    struct sequence *sequence = request->sequence;
    struct engine *engine = sequence->engine;
    ASSERT(token >= 0 && token < engine->model.config.vocabulary);
    if (engine->closing) return STATUS_CANCELLED;
    if (sequence->length + 1 >= engine->context) {
        transfer->finished = true;
        transfer->reason = STOP_REASON_CONTEXT;
        return STATUS_FULL;
    }
    const int64_t now = clock_now_us();
    sequence->tokens[sequence->length++] = token;
    if (request->stats.output_tokens++ == 0) {
        request->first_us = now;
        request->stats.first_token_us = now - request->started_us;
        request->stats.prefill_us = now - request->started_us;
    }
    transfer->begun = true;
    queue_push(engine, &(struct event){
                           .kind = EVENT_TOKEN, .request = request, .token = token, .at_us = now});
    return STATUS_OK;
}

static enum status put_bytes(struct transfer *transfer, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        TRY(put_token(transfer, (unsigned char)bytes[i]));
    return STATUS_OK;
}

static enum status put_string(struct transfer *transfer, const char *string) {
    return put_bytes(transfer, string, strlen(string));
}

// A server that tells thoughts from the answer sends them without marks.
static enum status put_messages(struct transfer *transfer, const struct reply *reply) {
    if (reply->thought.length && !transfer->thinking) TRY(put_string(transfer, "<think>\n"));
    if (reply->thought.length) transfer->thinking = true;
    TRY(put_bytes(transfer, text_string(&reply->thought), reply->thought.length));
    const bool ends = reply->text.length || (reply->finished && reply->reason == STOP_REASON_END);
    if (transfer->thinking && ends) {
        transfer->thinking = false;
        TRY(put_string(transfer, "\n</think>\n\n"));
    }
    TRY(put_bytes(transfer, text_string(&reply->text), reply->text.length));
    if (!reply->finished || reply->reason != STOP_REASON_END) return STATUS_OK;
    return put_token(transfer, BYTE_TOKEN_END);
}

static bool ends_turn(const struct transfer *transfer) {
    const struct sequence *sequence = transfer->request->sequence;
    return sequence->length > 0 &&
           tokenizer_ends_turn(sequence->engine->tokenizer, sequence->tokens[sequence->length - 1]);
}

static enum status put_tokens(struct transfer *transfer, const struct reply *reply) {
    const struct tokenizer *tokenizer = transfer->request->sequence->engine->tokenizer;
    struct token_ids missing = {0};
    enum status status = transfer->form == QUERY_LLAMA
                             ? missing_ids(tokenizer, &reply->text, &reply->ids, &missing)
                             : STATUS_OK;
    for (size_t i = 0; i < missing.count && status == STATUS_OK; i++)
        status = put_token(transfer, missing.ids[i]);
    token_ids_deinit(&missing);
    for (size_t i = 0; i < reply->ids.count && status == STATUS_OK; i++) {
        if (reply->ids.ids[i] >= tokenizer_vocabulary(tokenizer))
            return fail(transfer, STATUS_BAD_FILE, "sends tokens of another vocabulary");
        status = put_token(transfer, reply->ids.ids[i]);
    }
    const bool ended = reply->finished && reply->reason == STOP_REASON_END && !ends_turn(transfer);
    const int32_t eos = tokenizer_eos(tokenizer);
    if (status == STATUS_OK && ended && eos != TOKEN_NONE) status = put_token(transfer, eos);
    return status;
}

static void note_counts(struct transfer *transfer, const struct reply *reply) {
    struct request_stats *stats = &transfer->request->stats;
    if (reply->prompt_tokens >= 0) stats->prompt_tokens = reply->prompt_tokens;
    if (reply->cached_tokens >= 0)
        stats->cached_tokens = stats->device_tokens = reply->cached_tokens;
    if (!transfer->counted) transfer->output_tokens += reply->text.length || reply->thought.length;
    if (reply->output_tokens < 0) return;
    transfer->output_tokens = reply->output_tokens;
    transfer->counted = true;
}

static enum status take_reply(struct transfer *transfer, const struct reply *reply) {
    struct engine *engine = transfer->request->sequence->engine;
    if (reply->failed) {
        const char *said = text_string(&reply->failure);
        return error_set(&transfer->err, STATUS_IO, "%s gives up%s%s", host_of(transfer),
                         said[0] ? ": " : "", said);
    }
    pthread_mutex_lock(&engine->lock);
    note_counts(transfer, reply);
    const enum status status = transfer->form == QUERY_MESSAGES ? put_messages(transfer, reply)
                                                                : put_tokens(transfer, reply);
    pthread_mutex_unlock(&engine->lock);
    TRY(status);
    if (!reply->finished) return STATUS_OK;
    transfer->finished = true;
    transfer->filtered = reply->filtered;
    transfer->reason = reply->reason;
    return STATUS_OK;
}

static enum status take_event(void *user, const char *data, size_t length) {
    struct transfer *transfer = user;
    struct reply reply = {0};
    if (strcmp(data, "[DONE]") == 0) return STATUS_OK;
    if (reply_read(data, length, &reply) != STATUS_OK)
        return fail(transfer, STATUS_BAD_FILE, "sends what is not JSON");
    const enum status status = take_reply(transfer, &reply);
    reply_deinit(&reply);
    return status;
}

static bool succeeds(const struct transfer *transfer) {
    long http = 0;
    curl_easy_getinfo(transfer->exchange.easy, CURLINFO_RESPONSE_CODE, &http);
    return http >= 200 && http <= 299;
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *user) {
    struct transfer *transfer = user;
    const size_t length = size * count;
    transfer->heard_us = clock_now_us();
    if (!succeeds(transfer)) {
        const size_t room = MAX_REFUSAL_BYTES - transfer->refusal.length;
        const size_t kept = length < room ? length : room;
        return text_append(&transfer->refusal, bytes, kept) == STATUS_OK ? length : 0;
    }
    const enum status status = event_stream_push(&transfer->events, bytes, length);
    if (status == STATUS_TOO_LONG) (void)fail(transfer, STATUS_IO, "sends a line without an end");
    if (status == STATUS_NO_MEMORY) (void)error_set(&transfer->err, status, "not enough memory");
    return status == STATUS_OK ? length : 0; // 0 ends the exchange
}

// ---- asking

enum status transfer_begin(struct transfer *transfer, const struct endpoint *endpoint,
                           enum query_form form, struct request *request) {
    const struct query query = {
        .form = form,
        .model = text_string(&endpoint->model),
        .salt = text_string(&endpoint->salt),
        .tokens = request->sequence->tokens,
        .length = request->sequence->length,
        .options = &request->options,
    };
    *transfer = (struct transfer){.request = request, .form = form};
    transfer->exchange.endpoint = endpoint;
    if (form == QUERY_MESSAGES) request->stats.prompt_tokens = 0; // until the server says
    transfer->events = (struct event_stream){.take = take_event, .user = transfer};
    return query_write(&query, &transfer->exchange.body, &transfer->thinking);
}

static void leave(struct transfer *transfer, CURLM *multi) {
    if (transfer->asking) curl_multi_remove_handle(multi, transfer->exchange.easy);
    transfer->asking = false;
    exchange_close(&transfer->exchange);
    event_stream_deinit(&transfer->events);
    text_clear(&transfer->refusal);
}

static enum status ask(struct transfer *transfer, CURLM *multi) {
    const struct endpoint *endpoint = transfer->exchange.endpoint;
    const bool llama = transfer->form == QUERY_LLAMA;
    const char *path = llama                              ? "/completion"
                       : transfer->form == QUERY_MESSAGES ? "/chat/completions"
                                                          : "/completions";
    TRY(exchange_open(&transfer->exchange, llama ? &endpoint->root : &endpoint->url, path,
                      transfer->request->options.route));
    CURL *easy = transfer->exchange.easy;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
    return curl_multi_add_handle(multi, easy) == CURLM_OK ? STATUS_OK : STATUS_NO_MEMORY;
}

void transfer_ask(struct transfer *transfer, CURLM *multi, int64_t now_us) {
    if (!transfer->request || transfer->asking || transfer->over || now_us < transfer->again_us)
        return;
    transfer->tries++;
    transfer->asked_us = now_us;
    transfer->heard_us = 0;
    transfer->asking = ask(transfer, multi) == STATUS_OK;
    if (transfer->asking) return;
    transfer->over = true;
    (void)error_set(&transfer->err, STATUS_NO_MEMORY, "not enough memory");
}

// Is it worth another try, and when? The answer has not begun.
static bool try_again(struct transfer *transfer, CURLcode code, int64_t now_us) {
    int64_t wait_ms;
    if (transfer->err.status != STATUS_OK ||
        !exchange_may_pass(&transfer->exchange, code, transfer->tries, &wait_ms))
        return false;
    transfer->again_us = now_us + wait_ms * 1000;
    struct error err = {0};
    exchange_explain(&transfer->exchange, code, &transfer->refusal, &err);
    log_write(LOG_INFO, "%s; trying again in %" PRId64 " ms", err.text, wait_ms);
    return true;
}

// Adds what may be done about it.
static void explain(struct transfer *transfer, CURLcode code) {
    struct error why = transfer->err;
    if (why.status == STATUS_OK && code == CURLE_OK && succeeds(transfer))
        (void)error_set(&why, STATUS_IO, "%s: the answer broke off", host_of(transfer));
    else if (why.status == STATUS_OK)
        exchange_explain(&transfer->exchange, code, &transfer->refusal, &why);
    transfer->err = why;
    if (transfer->begun)
        (void)error_set(&transfer->err, why.status, "%.400s; /continue goes on with the answer",
                        why.text);
    else if (transfer->tries > 1)
        (void)error_set(&transfer->err, why.status, "%.400s (tried %d times)", why.text,
                        transfer->tries);
}

void transfer_hear(struct transfer *transfer, CURLM *multi, CURLcode code) {
    const bool filtered = transfer->finished && transfer->filtered;
    const bool again =
        !transfer->finished && !transfer->begun && try_again(transfer, code, clock_now_us());
    if (!again) transfer->over = true;
    if (filtered) (void)fail(transfer, STATUS_IO, "ended the answer for what it says");
    if (!again && !transfer->finished) explain(transfer, code);
    leave(transfer, multi);
}

void transfer_watch(struct transfer *transfer, CURLM *multi, int64_t now_us) {
    const struct request *request = transfer->request;
    if (!request || transfer->over) return;
    if (atomic_load(&request->cancelled)) {
        transfer->over = transfer->finished = true;
        transfer->reason = STOP_REASON_CANCELLED;
        leave(transfer, multi);
        return;
    }
    const struct endpoint *endpoint = transfer->exchange.endpoint;
    const int64_t since = transfer->heard_us ? transfer->heard_us : transfer->asked_us;
    const int32_t limit_ms = transfer->heard_us ? endpoint->silence_ms : endpoint->first_byte_ms;
    if (!transfer->asking || now_us - since <= (int64_t)limit_ms * 1000) return;
    (void)error_set(&transfer->err, STATUS_IO, "%s: nothing was heard for %" PRId32 " s",
                    host_of(transfer), limit_ms / 1000);
    transfer_hear(transfer, multi, CURLE_OPERATION_TIMEDOUT);
}

void transfer_end(struct transfer *transfer) {
    struct request *request = transfer->request;
    ASSERT(request && transfer->over && !transfer->asking);
    if (transfer->form == QUERY_MESSAGES || transfer->counted)
        request->stats.output_tokens = transfer->output_tokens;
    request->err = transfer->err;
    const bool failed = transfer->err.status != STATUS_OK;
    request_finish(request, failed ? STOP_REASON_FAILED : transfer->reason, transfer->err.status);
    transfer_drop(transfer, NULL);
}

void transfer_drop(struct transfer *transfer, CURLM *multi) {
    leave(transfer, multi);
    text_deinit(&transfer->exchange.body);
    text_deinit(&transfer->refusal);
    *transfer = (struct transfer){0};
}
