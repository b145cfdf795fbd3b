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
    if (atomic_load(&request->cancelled)) return STATUS_FULL; // nobody waits for the rest
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

// SGLang sends all ids so far, or the new ones, as it was started.
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
            return fail(transfer, STATUS_BAD_FILE, "sends tokens of another vocabulary");
        status = put_token(transfer, reply->ids.ids[i]);
    }
    const bool ended = reply->finished && reply->reason == STOP_REASON_END && !ends_turn(transfer);
    const int32_t eos = tokenizer_eos(tokenizer);
    if (status == STATUS_OK && ended && eos != TOKEN_NONE) status = put_token(transfer, eos);
    return status;
}

// What the server counts of several choices, it counts of all together.
static void note_counts(struct transfer *transfer, const struct reply *reply, bool alone) {
    struct request_stats *stats = &transfer->request->stats;
    if (reply->prompt_tokens >= 0) stats->prompt_tokens = reply->prompt_tokens;
    if (reply->cached_tokens >= 0)
        stats->cached_tokens = stats->device_tokens = reply->cached_tokens;
    if (reply->output_tokens < 0 || !alone) return;
    transfer->output_tokens = reply->output_tokens;
    transfer->counted = true;
}

static enum status put_reply(struct transfer *transfer, const struct reply *reply) {
    if (!transfer->counted) transfer->output_tokens += reply->text.length || reply->thought.length;
    const enum status status = transfer->server->form == QUERY_MESSAGES
                                   ? put_messages(transfer, reply)
                                   : put_tokens(transfer, reply);
    if (status == STATUS_FULL) return STATUS_OK; // it has ended, with the context
    TRY(status);
    if (!reply->finished) return STATUS_OK;
    transfer->finished = true;
    transfer->filtered = reply->filtered;
    transfer->reason = reply->reason;
    return STATUS_OK;
}

// Hands a reply to the transfer whose choice it is, if that still wants it. FULL: none does.
static enum status receive_reply(struct transfer *leader, const struct reply *reply) {
    struct engine *engine = leader->request->sequence->engine;
    enum status status = STATUS_OK;
    bool wanted = false;
    if (reply->failed) {
        const char *said = text_string(&reply->failure);
        return error_set(&leader->err, STATUS_IO, "%s gives up%s%s", host_of(leader),
                         said[0] ? ": " : "", said);
    }
    pthread_mutex_lock(&engine->lock);
    for (struct transfer *one = leader; one && status == STATUS_OK; one = one->next) {
        note_counts(one, reply, !leader->next);
        if (one->choice == reply->choice && !one->finished) status = put_reply(one, reply);
        wanted |= !one->finished || one->reason != STOP_REASON_CONTEXT;
    }
    pthread_mutex_unlock(&engine->lock);
    return status == STATUS_OK && !wanted ? STATUS_FULL : status;
}

static enum status receive_event(void *user, const char *data, size_t length) {
    struct transfer *leader = user;
    enum status status = STATUS_OK;
    if (strcmp(data, "[DONE]") == 0) return STATUS_OK;
    for (size_t at = 0, choices = 1; at < choices && status == STATUS_OK; at++) {
        struct reply reply = {0};
        if (reply_read(data, length, at, &reply) != STATUS_OK)
            return fail(leader, STATUS_BAD_FILE, "sends what is not JSON");
        if (reply.choices > 1) choices = reply.choices;
        status = receive_reply(leader, &reply);
        reply_deinit(&reply);
    }
    return status;
}

static bool succeeds(const struct transfer *transfer) {
    long http = 0;
    curl_easy_getinfo(transfer->exchange.easy, CURLINFO_RESPONSE_CODE, &http);
    return http >= 200 && http <= 299;
}

static size_t receive_bytes(char *bytes, size_t size, size_t count, void *user) {
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

void transfer_begin(struct transfer *transfer, struct remote_server *server,
                    struct request *request, struct transfer *leader) {
    ASSERT(!transfer->request && (!leader || !leader->leader));
    *transfer = (struct transfer){
        .request = request, .server = server, .leader = leader, .plain = server->plain};
    transfer->exchange.endpoint = &server->endpoint;
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
    struct sampler_options sampler = other->options.sampler;
    sampler.seed = request->options.sampler.seed;
    return other->first == request->first && a->length == b->length &&
           other->options.max_tokens == request->options.max_tokens &&
           other->options.grammar == request->options.grammar &&
           memcmp(&sampler, &request->options.sampler, sizeof sampler) == 0 &&
           memcmp(a->tokens, b->tokens, (size_t)a->length * sizeof *a->tokens) == 0;
}

static int32_t count_choices(const struct transfer *leader) {
    int32_t count = 0;
    for (; leader; leader = leader->next)
        count++;
    return count;
}

// Only the remote thread changes the log of a request that runs.
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
        .plain = transfer->plain,
        .options = &transfer->request->options,
    };
    text_clear(&transfer->exchange.body);
    TRY(query_write(&query, &transfer->exchange.body, &transfer->thinking, &transfer->err));
    for (struct transfer *one = transfer->next; one; one = one->next)
        one->thinking = transfer->thinking;
    return STATUS_OK;
}

static void leave(struct transfer *transfer, CURLM *multi) {
    if (transfer->asking) curl_multi_remove_handle(multi, transfer->exchange.easy);
    transfer->asking = false;
    exchange_close(&transfer->exchange);
    event_stream_deinit(&transfer->events);
    text_clear(&transfer->refusal);
}

static enum status ask(struct transfer *transfer, CURLM *multi) {
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
    transfer->asked_us = now_us;
    transfer->heard_us = 0;
    transfer->asking = ask(transfer, multi) == STATUS_OK;
    if (transfer->asking) return;
    if (transfer->err.status == STATUS_OK)
        (void)error_set(&transfer->err, STATUS_NO_MEMORY, "not enough memory");
    transfer_hear(transfer, multi, CURLE_OK);
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

// Why the exchange ended too early.
static void explain(const struct transfer *leader, CURLcode code, struct error *why) {
    if (why->status == STATUS_OK && code == CURLE_OK && succeeds(leader))
        (void)error_set(why, STATUS_IO, "%s: the answer broke off", host_of(leader));
    else if (why->status == STATUS_OK)
        exchange_explain(&leader->exchange, code, &leader->refusal, why);
}

// Adds what may be done about it.
static void advise(struct transfer *transfer, const struct error *why, int tries) {
    if (transfer->begun)
        (void)error_set(&transfer->err, why->status, "%.400s; /continue goes on with the answer",
                        why->text);
    else if (tries > 1)
        (void)error_set(&transfer->err, why->status, "%.400s (tried %d times)", why->text, tries);
    else
        transfer->err = *why;
}

static bool any_wanted(const struct transfer *leader) {
    for (const struct transfer *one = leader; one; one = one->next)
        if (!one->finished) return true;
    return false;
}

// Asks without what is optional: many servers refuse fields that they do not know.
static bool try_plain(struct transfer *leader) {
    const bool optional = leader->next || leader->request->options.route;
    long http = 0;
    curl_easy_getinfo(leader->exchange.easy, CURLINFO_RESPONSE_CODE, &http);
    if (leader->plain || !optional || (http != 400 && http != 422)) return false;
    leader->plain = true;
    leader->tries--;
    return true;
}

// Ends one choice, or lets it ask for itself.
static void part(struct transfer *transfer, bool asks, const struct error *why, int tries) {
    transfer->leader = transfer->next = NULL;
    transfer->choice = 0;
    if (asks) return;
    transfer->over = true;
    if (transfer->finished && transfer->filtered)
        (void)fail(transfer, STATUS_IO, "ended the answer for what it says");
    else if (!transfer->finished)
        advise(transfer, why, tries);
}

void transfer_hear(struct transfer *leader, CURLM *multi, CURLcode code) {
    ASSERT(!leader->leader);
    bool begun = false;
    for (const struct transfer *one = leader; one; one = one->next)
        begun |= one->begun || (one->finished && one->reason != STOP_REASON_CANCELLED);
    const bool whole =
        leader->asking && code == CURLE_OK && leader->err.status == STATUS_OK && succeeds(leader);
    if (whole && begun) leader->server->plain |= leader->plain;
    const bool may_ask = !begun && leader->asking && any_wanted(leader);
    if (may_ask && try_again(leader, code, clock_now_us())) {
        leave(leader, multi);
        return;
    }
    const bool plain = may_ask && code == CURLE_OK && try_plain(leader);
    struct error why = leader->err;
    if (leader->asking) explain(leader, code, &why);
    const int tries = leader->tries;
    leave(leader, multi);
    for (struct transfer *one = leader, *next; one; one = next) {
        next = one->next;
        const bool missing = whole && begun && one != leader && !one->begun && !one->finished;
        leader->server->one_choice |= missing;
        one->plain = leader->plain;
        part(one, (plain || missing) && !one->finished, &why, tries);
    }
}

// Nobody waits for it any more. It goes when the others of its exchange do.
static void cancel(struct transfer *transfer, CURLM *multi) {
    struct transfer *leader = transfer->leader ? transfer->leader : transfer;
    transfer->reason = STOP_REASON_CANCELLED;
    transfer->finished = true;
    if (any_wanted(leader)) return;
    transfer_hear(leader, multi, CURLE_OK);
}

void transfer_watch(struct transfer *transfer, CURLM *multi, int64_t now_us) {
    const struct request *request = transfer->request;
    if (!request || transfer->over) return;
    if (atomic_load(&request->cancelled) && !transfer->finished) cancel(transfer, multi);
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
    if (transfer->server->form == QUERY_MESSAGES || transfer->counted)
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
