#include "engine/remote/reply.h"

#include <cjson/cJSON.h>
#include <string.h>

enum { FAILURE_BYTES = 300 };

void reply_deinit(struct reply *reply) {
    text_deinit(&reply->text);
    text_deinit(&reply->thought);
    text_deinit(&reply->failure);
    token_ids_deinit(&reply->ids);
    *reply = (struct reply){0};
}

static const cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static int64_t count_of(const cJSON *object, const char *name) {
    const cJSON *number = get(object, name);
    const bool fits = cJSON_IsNumber(number) && number->valuedouble >= 0 &&
                      number->valuedouble <= (double)INT32_MAX;
    return fits ? (int64_t)number->valuedouble : -1;
}

static enum status append_text(const cJSON *object, const char *name, struct text *text) {
    const cJSON *string = get(object, name);
    return cJSON_IsString(string) ? text_append_string(text, string->valuestring) : STATUS_OK;
}

static enum status append_ids(const cJSON *array, struct token_ids *ids) {
    const cJSON *id;
    if (!cJSON_IsArray(array)) return STATUS_OK;
    cJSON_ArrayForEach(id, array) {
        if (!cJSON_IsNumber(id) || id->valueint < 0) return STATUS_BAD_INPUT;
        TRY(token_ids_push(ids, id->valueint));
    }
    return STATUS_OK;
}

static void finish(struct reply *reply, const char *reason) {
    reply->finished = true;
    reply->filtered = strcmp(reason, "content_filter") == 0;
    const bool cut = strcmp(reason, "length") == 0 || strcmp(reason, "limit") == 0;
    reply->reason = cut ? STOP_REASON_LENGTH : STOP_REASON_END;
}

static enum status read_choice(const cJSON *choice, struct reply *reply) {
    const cJSON *delta = get(choice, "delta"), *reason = get(choice, "finish_reason");
    const int64_t number = count_of(choice, "index");
    if (number > 0) reply->choice = number;
    TRY(append_text(delta, "content", &reply->text));
    const cJSON *thought = get(delta, "reasoning");
    TRY(append_text(delta, cJSON_IsString(thought) ? "reasoning" : "reasoning_content",
                    &reply->thought));
    TRY(append_text(choice, "text", &reply->text));
    TRY(append_ids(get(choice, "token_ids"), &reply->ids));
    if (cJSON_IsString(reason)) finish(reply, reason->valuestring);
    return STATUS_OK;
}

static void read_usage(const cJSON *usage, struct reply *reply) {
    if (!cJSON_IsObject(usage)) return;
    reply->prompt_tokens = count_of(usage, "prompt_tokens");
    reply->output_tokens = count_of(usage, "completion_tokens");
    reply->cached_tokens = count_of(get(usage, "prompt_tokens_details"), "cached_tokens");
}

static enum status read_generated(const cJSON *event, const cJSON *about, struct reply *reply) {
    const cJSON *type = get(get(about, "finish_reason"), "type");
    TRY(append_ids(get(event, "output_ids"), &reply->ids));
    if (cJSON_IsString(type)) finish(reply, type->valuestring);
    reply->cumulative = true;
    reply->prompt_tokens = count_of(about, "prompt_tokens");
    reply->output_tokens = count_of(about, "completion_tokens");
    reply->cached_tokens = count_of(about, "cached_tokens");
    return STATUS_OK;
}

// The servers' own forms have no choices.
static enum status read_completion(const cJSON *event, struct reply *reply) {
    const cJSON *about = get(event, "meta_info");
    if (cJSON_IsObject(about)) return read_generated(event, about, reply);
    const cJSON *type = get(event, "stop_type");
    TRY(append_text(event, "content", &reply->text));
    TRY(append_ids(get(event, "tokens"), &reply->ids));
    if (!cJSON_IsTrue(get(event, "stop"))) return STATUS_OK;
    finish(reply, cJSON_IsString(type) ? type->valuestring : "");
    reply->prompt_tokens = count_of(event, "tokens_evaluated");
    reply->output_tokens = count_of(event, "tokens_predicted");
    reply->cached_tokens = count_of(get(event, "timings"), "cache_n");
    return STATUS_OK;
}

// {"error": {"message": …}}, {"error": "…"}, {"message": …} or {"detail": …}
static const char *message_of(const cJSON *object) {
    static const char *const names[] = {"error", "message", "detail"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const cJSON *item = get(object, names[i]);
        if (cJSON_IsObject(item)) item = get(item, "message");
        if (cJSON_IsString(item)) return item->valuestring;
    }
    return NULL;
}

// One line that a terminal can show, of no more than FAILURE_BYTES.
static enum status append_line(const char *bytes, size_t length, struct text *line) {
    const size_t most = length < FAILURE_BYTES ? length : FAILURE_BYTES;
    for (size_t at = 0, used; at < most && bytes[at] && bytes[at] != '\n'; at += used) {
        char character[UTF8_MAX_BYTES];
        const uint32_t code = utf8_decode(bytes + at, length - at, &used);
        const size_t count = utf8_encode(code, character);
        if (!utf8_has_control(character, count)) TRY(text_append(line, character, count));
    }
    return STATUS_OK;
}

enum status reply_failure(const char *body, size_t length, struct text *failure) {
    cJSON *json = cJSON_ParseWithLength(body, length);
    const char *message = message_of(json);
    const enum status status = message ? append_line(message, strlen(message), failure)
                                       : append_line(body, length, failure);
    cJSON_Delete(json);
    return status;
}

static enum status read_event(const cJSON *event, size_t at, struct reply *reply) {
    if (!cJSON_IsObject(event)) return STATUS_BAD_INPUT;
    const cJSON *choices = get(event, "choices");
    const char *message = get(event, "error") ? message_of(event) : NULL;
    reply->failed = get(event, "error") != NULL && !cJSON_IsNull(get(event, "error"));
    if (message) TRY(append_line(message, strlen(message), &reply->failure));
    reply->choices = (size_t)cJSON_GetArraySize(choices);
    if (choices)
        TRY(read_choice(cJSON_GetArrayItem(choices, (int)at), reply));
    else
        TRY(read_completion(event, reply));
    if (at == 0) read_usage(get(event, "usage"), reply);
    return STATUS_OK;
}

enum status reply_read(const char *json, size_t length, size_t at, struct reply *reply) {
    struct reply read = {.prompt_tokens = -1, .cached_tokens = -1, .output_tokens = -1};
    cJSON *event = cJSON_ParseWithLength(json, length);
    const enum status status = read_event(event, at, &read);
    cJSON_Delete(event);
    if (status == STATUS_OK)
        *reply = read;
    else
        reply_deinit(&read);
    return status;
}
