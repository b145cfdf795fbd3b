#include "engine/remote/probe.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core/engine_state.h"
#include "engine/model/checkpoint.h"
#include "engine/remote/byte_tokenizer.h"
#include "engine/remote/reply.h"
#include "engine/remote/server_json.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "kernels/base/assert.h"
#include "kernels/base/log.h"

struct probe {
    struct engine *engine;
    struct remote_server *server;
    struct error *err;
    int32_t context; // tokens; 0: the server does not say
    bool listed;     // accept only a model that the server lists
};

static const cJSON *get_member(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

// NOT_FOUND: the server knows no such path. *answer is NULL unless OK.
static enum status ask_server(const struct probe *probe, const struct text *base, const char *path,
                              const char *query, cJSON **answer) {
    struct text body = {0};
    *answer = NULL;
    enum status status = http_ask(&probe->server->endpoint, base, path, query, &body, probe->err);
    if (status == STATUS_OK) {
        const struct endpoint *endpoint = &probe->server->endpoint;
        status = server_json_read(text_string(&body), body.length, &endpoint->secret, answer);
        if (status != STATUS_OK)
            status = error_set(probe->err, STATUS_BAD_FILE, "%s%s sends invalid JSON",
                               text_string(&endpoint->host), path);
    }
    text_deinit(&body);
    return status;
}

static void note_context(struct probe *probe, const cJSON *number) {
    const double tokens = cJSON_IsNumber(number) ? number->valuedouble : 0;
    if (tokens >= 1 && tokens <= PROBE_LOG_BYTES) probe->context = (int32_t)tokens;
}

static void note_server(struct probe *probe, const cJSON *owner) {
    static const char *const names[] = {
        [SERVER_LLAMA] = "llamacpp", [SERVER_VLLM] = "vllm", [SERVER_SGLANG] = "sglang"};
    for (size_t i = SERVER_UNKNOWN + 1; i < sizeof names / sizeof names[0]; i++)
        if (cJSON_IsString(owner) && strcmp(owner->valuestring, names[i]) == 0)
            probe->server->kind = (enum query_server)i;
}

// OpenAI's list is {"data": [{"id": …}]}; others are the array alone, or "models".
static const cJSON *find_list(const cJSON *answer) {
    const cJSON *data = get_member(answer, "data");
    if (cJSON_IsArray(answer)) return answer;
    return cJSON_IsArray(data) ? data : get_member(answer, "models");
}

// NULL: it has none.
static const char *name_of(const cJSON *model) {
    static const char *const keys[] = {"id", "name", "model"};
    if (!model) return NULL;
    if (cJSON_IsString(model)) return model->valuestring;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const cJSON *name = get_member(model, keys[i]);
        if (name && cJSON_IsString(name)) return name->valuestring;
    }
    return NULL;
}

static enum status list_names(const cJSON *models, struct text *names) {
    const cJSON *model;
    cJSON_ArrayForEach(model, models)
        if (name_of(model))
            TRY(text_format(names, "%s%.80s", names->length ? ", " : "", name_of(model)));
    return STATUS_OK;
}

static const cJSON *find_named(const cJSON *models, const char *name) {
    const cJSON *model;
    cJSON_ArrayForEach(model, models)
        if (name_of(model) && strcmp(name_of(model), name) == 0) return model;
    return NULL;
}

// The named model, or the only one. A server may have models that it does not list.
static enum status choose_model(struct probe *probe, const cJSON *models) {
    struct text *chosen = &probe->server->endpoint.model, names = {0};
    const char *host = text_string(&probe->server->endpoint.host);
    const int count = cJSON_GetArraySize(models);
    const cJSON *model = count == 1 ? cJSON_GetArrayItem(models, 0) : NULL;
    if (chosen->length) model = find_named(models, text_string(chosen));
    enum status status = list_names(models, &names);
    if (status == STATUS_OK && !chosen->length && name_of(model))
        status = text_append_string(chosen, name_of(model));
    else if (status == STATUS_OK && !chosen->length)
        status =
            error_set(probe->err, STATUS_BAD_INPUT, "%s: name a model as URL#MODEL (available: %s)",
                      host, names.length ? text_string(&names) : "not listed");
    probe->server->unlisted = chosen->length > 0 && !model && names.length > 0;
    if (status == STATUS_OK && probe->server->unlisted && probe->listed)
        status =
            error_set(probe->err, STATUS_UNSUPPORTED, "%s does not have %.80s (available: %.200s)",
                      host, text_string(chosen), text_string(&names));
    else if (status == STATUS_OK && probe->server->unlisted)
        log_write(LOG_WARNING, "%s does not list %.80s (listed: %.300s)", host, text_string(chosen),
                  text_string(&names));
    note_server(probe, get_member(model, "owned_by"));
    note_context(probe, get_member(get_member(model, "meta"), "n_ctx"));
    note_context(probe, get_member(model, "max_model_len"));
    text_deinit(&names);
    return status;
}

static enum status ask_models(struct probe *probe) {
    cJSON *answer;
    enum status status = ask_server(probe, &probe->server->endpoint.url, "/models", NULL, &answer);
    if (status == STATUS_OK || (status == STATUS_NOT_FOUND && probe->server->endpoint.model.length))
        status = choose_model(probe, find_list(answer));
    cJSON_Delete(answer);
    if (status != STATUS_NOT_FOUND) return status;
    const struct error why = *probe->err;
    return error_set(probe->err, STATUS_IO,
                     "%.800s; if it does not list its models, name one as URL#MODEL", why.text);
}

// Only llama-server has this page. CANCELLED is all that can fail.
static enum status ask_properties(struct probe *probe) {
    struct error ignored = {0};
    const struct probe quiet = {.server = probe->server, .err = &ignored};
    cJSON *answer;
    const enum status status =
        ask_server(&quiet, &probe->server->endpoint.root, "/props", NULL, &answer);
    if (status == STATUS_OK) {
        const cJSON *settings = get_member(answer, "default_generation_settings");
        if (cJSON_IsObject(settings)) probe->server->kind = SERVER_LLAMA;
        note_context(probe, get_member(settings, "n_ctx"));
    }
    cJSON_Delete(answer);
    if (status == STATUS_CANCELLED) *probe->err = ignored;
    return status == STATUS_CANCELLED ? status : STATUS_OK;
}

// ---- tokens

static const char PROBE_TEXT[] = "Stra\xc3\x9f"
                                 "e, 12345.67  \t\xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x98\x80!\n\n"
                                 "  don't __init__(self): e\xcc\x81 \xef\xac\x81 quire";

static bool same_ids(const cJSON *array, const struct token_ids *ids) {
    const cJSON *id;
    size_t count = 0;
    cJSON_ArrayForEach(id, array) {
        if (count == ids->count || !cJSON_IsNumber(id) || id->valueint != ids->ids[count])
            return false;
        count++;
    }
    return cJSON_IsArray(array) && count == ids->count;
}

// Uses the field names of both kinds of server; each ignores the other's.
static char *write_question(const struct probe *probe, const char *text) {
    cJSON *object = cJSON_CreateObject();
    const bool whole =
        object && cJSON_AddStringToObject(object, "content", text) &&
        cJSON_AddFalseToObject(object, "add_special") &&
        cJSON_AddTrueToObject(object, "parse_special") &&
        cJSON_AddStringToObject(object, "model", text_string(&probe->server->endpoint.model)) &&
        cJSON_AddStringToObject(object, "prompt", text) &&
        cJSON_AddFalseToObject(object, "add_special_tokens");
    char *question = whole ? cJSON_PrintUnformatted(object) : NULL;
    cJSON_Delete(object);
    return question;
}

// Does the server tokenize a text and an end of turn like our vocabulary?
static enum status compare_tokens(const struct probe *probe, const struct tokenizer *tokenizer,
                                  bool *same) {
    struct token_ids ids = {0};
    struct text end = {0}, all = {0};
    const int32_t eos = tokenizer_eos(tokenizer);
    cJSON *answer = NULL;
    enum status status =
        eos == TOKEN_NONE ? STATUS_OK : tokenizer_decode(tokenizer, eos, true, &end);
    if (status == STATUS_OK) status = text_format(&all, "%s%s", PROBE_TEXT, text_string(&end));
    const struct piece pieces[] = {{PIECE_TEXT, PROBE_TEXT, sizeof PROBE_TEXT - 1},
                                   {PIECE_CONTROL, text_string(&end), end.length}};
    if (status == STATUS_OK) status = tokenizer_encode(tokenizer, pieces, 2, &ids);
    char *question = status == STATUS_OK ? write_question(probe, text_string(&all)) : NULL;
    if (status == STATUS_OK && !question) status = STATUS_NO_MEMORY;
    if (status == STATUS_OK)
        status = ask_server(probe, &probe->server->endpoint.root, "/tokenize", question, &answer);
    if (status == STATUS_OK) *same = same_ids(get_member(answer, "tokens"), &ids);
    cJSON_free(question);
    cJSON_Delete(answer);
    token_ids_deinit(&ids);
    text_deinit(&all);
    text_deinit(&end);
    return status;
}

// Opens the vocabulary if the server has the same. Else UNSUPPORTED says why only messages can be
// used.
static enum status open_vocabulary(struct probe *probe, const char *path) {
    struct engine *engine = probe->engine;
    const char *host = text_string(&probe->server->endpoint.host);
    bool same = false;
    TRY(checkpoint_open(path, &engine->gguf, probe->err));
    TRY(tokenizer_open_model(engine->gguf, &engine->tokenizer, probe->err));
    const enum status status = compare_tokens(probe, engine->tokenizer, &same);
    if (status == STATUS_NOT_FOUND)
        return error_set(probe->err, STATUS_UNSUPPORTED, "%s does not accept tokens", host);
    TRY(status);
    if (same) return STATUS_OK;
    return error_set(probe->err, STATUS_UNSUPPORTED, "%s tokenizes text differently from %.200s",
                     host, path);
}

static void close_vocabulary(struct engine *engine) {
    ASSERT(!engine->thread_runs);
    tokenizer_close(engine->tokenizer);
    gguf_close(engine->gguf);
    engine->tokenizer = NULL;
    engine->gguf = NULL;
}

static enum status note_ids(void *user, const struct reply *reply) {
    bool *has_ids = user;
    *has_ids |= reply->ids.count > 0;
    return STATUS_OK;
}

static enum status note_event(void *user, const char *data, size_t length) {
    const enum status status = reply_read(data, length, NULL, note_ids, user);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

// Does the chosen form return ids? Asks for one token after a short text.
static enum status check_form(const struct probe *probe) {
    const struct remote_server *server = probe->server;
    const struct endpoint *endpoint = &server->endpoint;
    const struct request_options options = {.sampler = sampler_options_default(), .max_tokens = 1};
    const struct piece piece = {PIECE_TEXT, "quire", 5};
    struct token_ids ids = {0};
    struct text body = {0}, answer = {0};
    enum answer_state place;
    bool of_root, has_ids = false;
    const char *path = query_path(server->form, &of_root);
    enum status status = tokenizer_encode(probe->engine->tokenizer, &piece, 1, &ids);
    const struct query query = {.form = server->form,
                                .server = server->kind,
                                .model = text_string(&endpoint->model),
                                .salt = text_string(&endpoint->salt),
                                .tokens = ids.ids,
                                .length = (int32_t)ids.count,
                                .choices = 1,
                                .options = &options};
    if (status == STATUS_OK) status = query_write(&query, &body, &place, probe->err);
    const enum status asked = status == STATUS_OK
                                  ? http_ask(endpoint, of_root ? &endpoint->root : &endpoint->url,
                                             path, text_string(&body), &answer, probe->err)
                                  : status;
    if (asked == STATUS_CANCELLED) status = asked;
    if (asked == STATUS_OK) {
        struct event_stream events = {.take = note_event, .user = &has_ids};
        status = event_stream_push(&events, text_string(&answer), answer.length);
        event_stream_deinit(&events);
    }
    token_ids_deinit(&ids);
    text_deinit(&body);
    text_deinit(&answer);
    if (status != STATUS_OK || has_ids) return status;
    return error_set(probe->err, STATUS_UNSUPPORTED, "%s returns no token ids at %s",
                     text_string(&endpoint->host), path);
}

static enum query_form form_of(enum query_server kind) {
    if (kind == SERVER_LLAMA) return QUERY_LLAMA;
    return kind == SERVER_SGLANG ? QUERY_SGLANG : QUERY_VLLM;
}

static enum status choose_form(struct probe *probe, const struct remote_options *options) {
    struct engine *engine = probe->engine;
    struct remote_server *server = probe->server;
    const bool wants_tokens = options->wish == REMOTE_TOKENS;
    if (wants_tokens && !options->vocabulary)
        return error_set(
            probe->err, STATUS_BAD_INPUT,
            "sending tokens needs the server's vocabulary; use --vocabulary FILE.gguf");
    server->form = QUERY_MESSAGES;
    if (options->vocabulary && options->wish != REMOTE_MESSAGES) {
        server->form = form_of(server->kind);
        enum status status = open_vocabulary(probe, options->vocabulary);
        if (status == STATUS_OK) status = check_form(probe);
        if (status == STATUS_OK || wants_tokens || status != STATUS_UNSUPPORTED) return status;
        log_write(LOG_WARNING, "%s; sending messages instead", probe->err->text);
        close_vocabulary(engine);
        server->form = QUERY_MESSAGES;
    }
    return byte_tokenizer_open(&engine->tokenizer, probe->err);
}

enum status probe_server(struct engine *engine, const struct remote_options *options,
                         struct remote_server *server, struct error *err) {
    enum { UNKNOWN_CONTEXT = 1 << 17 };
    struct probe probe = {
        .engine = engine, .server = server, .err = err, .listed = options->listed};
    struct endpoint *endpoint = &server->endpoint;
    struct text name = {0}, path = {0};
    TRY(ask_models(&probe));
    TRY(ask_properties(&probe));
    TRY(choose_form(&probe, options));
    engine->model.config.vocabulary = tokenizer_vocabulary(engine->tokenizer);
    engine->model.config.context = probe.context;
    engine->context = server->form == QUERY_MESSAGES ? PROBE_LOG_BYTES
                      : probe.context                ? probe.context
                                                     : UNKNOWN_CONTEXT;
    const char *model = text_string(&endpoint->model);
    enum status status = text_format(&name, "%s at %s", model, text_string(&endpoint->host));
    if (status == STATUS_OK)
        status = text_format(&path, "%s#%s", text_string(&endpoint->url), model);
    if (status == STATUS_OK) {
        utf8_copy_name(text_string(&name), name.length, engine->name, sizeof engine->name);
        free(engine->model_path);
        engine->model_path = path.bytes;
        engine->digest = hash_bytes(engine->model_path, path.length, 0);
        engine->knows_digest = true;
        path = (struct text){0};
    }
    text_deinit(&name);
    text_deinit(&path);
    return status;
}
