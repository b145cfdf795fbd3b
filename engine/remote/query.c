#include "engine/remote/query.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "engine/remote/byte_tokenizer.h"
#include "kernels/base/assert.h"

static const char OPEN[] = "<think>", CLOSE[] = "</think>";

// An answer's text without the thought that it begins with, as servers want it back.
static const char *without_thought(const char *text) {
    if (strncmp(text, OPEN, sizeof OPEN - 1) != 0) return text;
    const char *close = strstr(text, CLOSE);
    if (!close) return text;
    close += sizeof CLOSE - 1;
    return close + strspn(close, "\n");
}

// Bytes as UTF-8: where an answer was cut a character may be half.
static enum status append_bytes(const int32_t *tokens, int32_t count, struct text *text) {
    struct text bytes = {0};
    enum status status = STATUS_OK;
    for (int32_t i = 0; i < count && status == STATUS_OK; i++) {
        ASSERT(tokens[i] >= 0 && tokens[i] < BYTE_TOKEN_SYSTEM);
        const char byte = (char)tokens[i];
        status = text_append(&bytes, &byte, 1);
    }
    for (size_t at = 0, used; at < bytes.length && status == STATUS_OK; at += used) {
        char character[UTF8_MAX_BYTES];
        const uint32_t code = utf8_decode(bytes.bytes + at, bytes.length - at, &used);
        if (code) status = text_append(text, character, utf8_encode(code, character));
    }
    text_deinit(&bytes);
    return status;
}

static bool add_message(cJSON *messages, const char *role, const char *content) {
    cJSON *message = cJSON_CreateObject();
    const bool whole = message && cJSON_AddStringToObject(message, "role", role) &&
                       cJSON_AddStringToObject(message, "content", content) &&
                       cJSON_AddItemToArray(messages, message);
    if (!whole) cJSON_Delete(message);
    return whole;
}

// How far the message that begins at `first` goes.
static int32_t message_end(const struct query *query, int32_t first) {
    int32_t end = first;
    while (end < query->length && query->tokens[end] < BYTE_TOKEN_SYSTEM)
        end++;
    return end;
}

// The messages of a log. Its last one is the answer so far, if there is any of it yet.
static enum status add_messages(cJSON *object, const struct query *query, bool *thinking) {
    static const char *const roles[] = {"system", "user", "assistant"};
    cJSON *messages = cJSON_AddArrayToObject(object, "messages");
    bool goes_on = false;
    *thinking = false;
    for (int32_t at = 0; at < query->length;) {
        const int32_t mark = query->tokens[at++], end = message_end(query, at);
        if (mark < BYTE_TOKEN_SYSTEM || mark >= BYTE_TOKEN_END) continue;
        struct text text = {0};
        TRY(append_bytes(query->tokens + at, end - at, &text));
        const bool answer = mark == BYTE_TOKEN_ASSISTANT, last = end == query->length;
        const char *content = answer ? without_thought(text_string(&text)) : text_string(&text);
        goes_on = answer && last && text.length > 0;
        *thinking =
            goes_on && content == text.bytes && strncmp(content, OPEN, sizeof OPEN - 1) == 0;
        const bool added = (answer && last && !goes_on) ||
                           add_message(messages, roles[mark - BYTE_TOKEN_SYSTEM], content);
        text_deinit(&text);
        if (!added) return STATUS_NO_MEMORY;
        at = end;
    }
    const bool whole = !goes_on || (cJSON_AddTrueToObject(object, "continue_final_message") &&
                                    cJSON_AddFalseToObject(object, "add_generation_prompt"));
    return messages && whole ? STATUS_OK : STATUS_NO_MEMORY;
}

// A float as a person wrote it: 0.7, not 0.699999988.
static bool add_float(cJSON *object, const char *name, float value) {
    char shortest[32];
    snprintf(shortest, sizeof shortest, "%.7g", (double)value);
    return cJSON_AddRawToObject(object, name, shortest);
}

static bool add_sampling(cJSON *object, const struct query *query) {
    const struct sampler_options *sampler = &query->options->sampler;
    const bool all = query->form != QUERY_MESSAGES;
    const char *repeat = query->form == QUERY_LLAMA ? "repeat_penalty" : "repetition_penalty";
    const struct {
        const char *name;
        float value, neutral;
    } rows[] = {
        {"temperature", sampler->temperature, 1},
        {"top_p", sampler->top_p, 1},
        {"min_p", sampler->min_p, 0},
        {repeat, sampler->repeat_penalty, 1},
        {"presence_penalty", sampler->presence_penalty, 0},
        {"frequency_penalty", sampler->frequency_penalty, 0},
    };
    bool whole = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && whole; i++)
        if (all || rows[i].value < rows[i].neutral || rows[i].value > rows[i].neutral)
            whole = add_float(object, rows[i].name, rows[i].value);
    if (sampler->top_k > 0 || query->form == QUERY_LLAMA)
        whole = whole && cJSON_AddNumberToObject(object, "top_k", sampler->top_k);
    return whole && cJSON_AddNumberToObject(object, "seed", (double)(sampler->seed & INT32_MAX));
}

static bool add_ids(cJSON *object, const struct query *query) {
    cJSON *ids = cJSON_CreateIntArray(query->tokens, query->length);
    if (ids && cJSON_AddItemToObject(object, "prompt", ids)) return true;
    cJSON_Delete(ids);
    return false;
}

static bool add_usage_wish(cJSON *object) {
    cJSON *options = cJSON_AddObjectToObject(object, "stream_options");
    return options && cJSON_AddTrueToObject(options, "include_usage");
}

static enum status fill(cJSON *object, const struct query *query, bool *thinking) {
    const bool llama = query->form == QUERY_LLAMA;
    const int32_t limit = query->options->max_tokens;
    bool whole =
        object && (!query->model[0] || cJSON_AddStringToObject(object, "model", query->model));
    whole = whole && cJSON_AddTrueToObject(object, "stream") && add_sampling(object, query);
    if (limit > 0)
        whole = whole && cJSON_AddNumberToObject(object, llama ? "n_predict" : "max_tokens", limit);
    if (query->salt[0]) whole = whole && cJSON_AddStringToObject(object, "cache_salt", query->salt);
    whole = whole && (llama || add_usage_wish(object));
    if (query->form != QUERY_MESSAGES) whole = whole && add_ids(object, query);
    if (query->form == QUERY_VLLM)
        whole = whole && cJSON_AddTrueToObject(object, "return_token_ids") &&
                cJSON_AddFalseToObject(object, "skip_special_tokens");
    if (llama)
        whole = whole && cJSON_AddTrueToObject(object, "return_tokens") &&
                cJSON_AddTrueToObject(object, "cache_prompt");
    if (!whole) return STATUS_NO_MEMORY;
    *thinking = false;
    return query->form == QUERY_MESSAGES ? add_messages(object, query, thinking) : STATUS_OK;
}

enum status query_write(const struct query *query, struct text *body, bool *thinking) {
    cJSON *object = cJSON_CreateObject();
    enum status status = fill(object, query, thinking);
    char *json = status == STATUS_OK ? cJSON_PrintUnformatted(object) : NULL;
    if (status == STATUS_OK) status = json ? text_append_string(body, json) : STATUS_NO_MEMORY;
    cJSON_free(json);
    cJSON_Delete(object);
    return status;
}
