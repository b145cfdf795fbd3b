#include "engine/remote/remote.h"

#include <stdlib.h>

#include "engine/core/engine_state.h"
#include "engine/remote/optional_fields.h"
#include "engine/remote/probe.h"
#include "engine/remote/transfer.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"

enum { WATCH_MS = 10 }; // while requests run: how long a new or a cancelled one may wait

struct remote {
    struct engine *engine;
    struct remote_server server;
    CURLM *multi;
    struct transfer transfers[ENGINE_MAX_REQUESTS];
};

enum status remote_open(struct engine *engine, const struct remote_options *options,
                        struct error *err) {
    struct remote *remote = calloc(1, sizeof *remote);
    if (!remote) return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    engine->remote = remote;
    remote->engine = engine;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(remote->multi = curl_multi_init()))
        return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    TRY(endpoint_set(&remote->server.endpoint, options, err));
    return probe_server(engine, options, &remote->server, err);
}

void remote_close(struct remote *remote) {
    if (!remote) return;
    endpoint_deinit(&remote->server.endpoint);
    curl_multi_cleanup(remote->multi);
    free(remote);
}

void remote_info(const struct engine *engine, struct engine_info *info) {
    const struct remote_server *server = &engine->remote->server;
    *info = (struct engine_info){
        .model_path = engine->model_path,
        .adapters = "",
        .vocabulary = engine->model.config.vocabulary,
        .context = engine->context,
        .trained_context = engine->model.config.context,
        .family = "unknown",
        .backend = "remote",
        .kv_type = "none",
        .takes_grammars = server->kind != SERVER_UNKNOWN,
        .unlisted = server->unlisted,
        .tries = server->tries,
    };
    snprintf(info->model_name, sizeof info->model_name, "%s", engine->name);
    snprintf(info->remote, sizeof info->remote, "%s",
             server->form == QUERY_MESSAGES ? "messages" : "tokens");
    snprintf(info->device, sizeof info->device, "%.100s", text_string(&server->endpoint.host));
}

struct sampler_options remote_sampler_defaults(void) {
    enum { PENALTY_TOKENS = 64 };
    return (struct sampler_options){
        .temperature = 1, .top_p = 1, .repeat_penalty = 1, .penalty_last_n = PENALTY_TOKENS};
}

static struct transfer *find_transfer(struct remote *remote, const struct request *request) {
    for (int i = 0; i < ENGINE_MAX_REQUESTS; i++)
        if (remote->transfers[i].request == request) return &remote->transfers[i];
    return NULL;
}

// A transfer that has just begun and can request this answer too, or NULL.
static struct transfer *find_leader(struct remote *remote, const struct request *request) {
    const enum query_form form = remote->server.form;
    const bool has_choices = form == QUERY_MESSAGES || form == QUERY_VLLM;
    if (!has_choices || remote->server.one_choice || remote->server.omits & OMIT_CHOICES)
        return NULL;
    for (int i = 0; i < ENGINE_MAX_REQUESTS; i++) {
        struct transfer *transfer = &remote->transfers[i];
        const bool begins = transfer->request && !transfer->leader && transfer->tries == 0;
        if (begins && transfer_shares(transfer, request)) return transfer;
    }
    return NULL;
}

// With the engine's lock.
static void begin_new(struct remote *remote) {
    const struct engine *engine = remote->engine;
    for (int32_t i = 0; i < engine->request_count; i++) {
        struct request *request = engine->requests[i];
        if (find_transfer(remote, request)) continue;
        struct transfer *transfer = find_transfer(remote, NULL);
        ASSERT(transfer); // as many as there can be requests
        transfer_begin(transfer, &remote->server, request, find_leader(remote, request));
    }
}

// With the engine's lock.
static void end_finished(struct remote *remote) {
    for (int i = 0; i < ENGINE_MAX_REQUESTS; i++)
        if (remote->transfers[i].over) transfer_end(&remote->transfers[i]);
}

static void read_ends(struct remote *remote) {
    struct transfer *transfer;
    const CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(remote->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        const CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        transfer_hear(transfer, remote->multi, code);
    }
}

// Sends and receives available data, without the lock.
static void serve(struct remote *remote) {
    const int64_t now = clock_now_us();
    int running;
    for (int i = 0; i < ENGINE_MAX_REQUESTS; i++) {
        transfer_watch(&remote->transfers[i], remote->multi, now);
        transfer_ask(&remote->transfers[i], remote->multi, now);
    }
    curl_multi_perform(remote->multi, &running);
    read_ends(remote);
}

static bool any_over(const struct remote *remote) {
    for (int i = 0; i < ENGINE_MAX_REQUESTS; i++)
        if (remote->transfers[i].over) return true;
    return false;
}

void *remote_main(void *argument) {
    struct engine *engine = argument;
    struct remote *remote = engine->remote;
    pthread_mutex_lock(&engine->lock);
    while (!engine->closing) {
        if (engine->request_count == 0) {
            pthread_cond_wait(&engine->work, &engine->lock);
            continue;
        }
        begin_new(remote);
        pthread_mutex_unlock(&engine->lock);
        serve(remote);
        if (!any_over(remote)) curl_multi_poll(remote->multi, NULL, 0, WATCH_MS, NULL);
        pthread_mutex_lock(&engine->lock);
        end_finished(remote);
    }
    pthread_mutex_unlock(&engine->lock);
    for (int i = 0; i < ENGINE_MAX_REQUESTS; i++)
        if (remote->transfers[i].request) transfer_drop(&remote->transfers[i], remote->multi);
    return NULL;
}
