#include "engine/remote/reply.h"

#include <string.h>
#include <strings.h>

#include "engine/remote/server_json.h"

enum {
    FAILURE_BYTES = 300,
    FAILURE_DEPTH = 5, // of objects around a message
    FAILURE_ITEMS = 4, // of a list of them
    TOOL_BYTES = 60,
};

void reply_deinit(struct reply *reply) {
    text_deinit(&reply->text);
    text_deinit(&reply->thought);
    text_deinit(&reply->refusal);
    text_deinit(&reply->tool);
    text_deinit(&reply->failure);
    token_ids_deinit(&reply->ids);
    *reply = (struct reply){0};
}

static bool is_string(const cJSON *item, const char *string) {
    return cJSON_IsString(item) && strcmp(item->valuestring, string) == 0;
}

static bool says_nothing(const cJSON *item) {
    const bool holds = cJSON_IsArray(item) || cJSON_IsObject(item);
    return cJSON_IsNull(item) || is_string(item, "") || (holds && !item->child);
}

// Of several by this name, the first that says something.
static const cJSON *get_member(const cJSON *object, const char *name) {
    const cJSON *item, *found = NULL;
    if (!cJSON_IsObject(object)) return NULL;
    cJSON_ArrayForEach(item, object)
        if ((!found || says_nothing(found)) && strcmp(item->string, name) == 0) found = item;
    return found;
}

// As they are written: cJSON_Compare() takes time exponential in the depth.
static enum status check_equal(const cJSON *first, const cJSON *second) {
    char *one = cJSON_PrintUnformatted(first), *other = cJSON_PrintUnformatted(second);
    enum status status = one && other ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK && strcmp(one, other) != 0) status = STATUS_BAD_FILE;
    cJSON_free(one);
    cJSON_free(other);
    return status;
}

// BAD_FILE: the object has two different values by one of these names, each of which may hold
// words, so that one would be lost.
static enum status check_once(const cJSON *object, const char *const *names) {
    const cJSON *item;
    for (; cJSON_IsObject(object) && *names; names++) {
        const cJSON *first = get_member(object, *names);
        for (item = first ? first->next : NULL; item; item = item->next)
            if (strcmp(item->string, *names) == 0 && !says_nothing(item))
                TRY(check_equal(first, item));
    }
    return STATUS_OK;
}

static int64_t count_of(const cJSON *object, const char *name) {
    const cJSON *number = get_member(object, name);
    const bool fits = cJSON_IsNumber(number) && number->valuedouble >= 0 &&
                      number->valuedouble <= (double)INT32_MAX;
    return fits ? (int64_t)number->valuedouble : -1;
}

static enum status append_text(const cJSON *string, struct text *text) {
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

// ---- failures

// Appends text as one printable line, with blanks for newlines. Of an HTML page, appends the title,
// or the text between its tags.
static enum status append_line(const char *bytes, size_t length, bool page, struct text *line) {
    bool blank = true, in_tag = false;
    for (size_t at = 0, used; at < length; at += used) {
        char character[UTF8_MAX_BYTES];
        const uint32_t code = utf8_decode(bytes + at, length - at, &used);
        const bool tag = page && (in_tag || code == '<');
        in_tag = tag && code != '>';
        const size_t count = utf8_encode(code, character);
        const bool space = tag || code == ' ' || code == '\n' || code == '\r' || code == '\t';
        if (space ? !blank : !utf8_has_control(character, count) && code)
            TRY(text_append(line, space ? " " : character, space ? 1 : count));
        if (space || code >= ' ') blank = space;
    }
    return STATUS_OK;
}

// Only now may a line be cut, because the rest of a cut key could not be recognized. `from` is
// where it begins in the text.
static void hide_and_cut(const struct secret *secret, struct text *line, size_t from) {
    if (line->length == from) return;
    if (secret) line->length = from + secret_hide(secret, line->bytes + from, line->length - from);
    if (line->length - from > FAILURE_BYTES) {
        line->length = from + FAILURE_BYTES;
        line->length -= utf8_incomplete_tail(line->bytes, line->length);
    }
    while (line->length > from && line->bytes[line->length - 1] == ' ')
        line->length--;
    line->bytes[line->length] = '\0';
}

static enum status append_message(const cJSON *item, int depth, struct text *line);

// Where several things are wrong, the first few: ["body", "seed"] and its message, as web
// frameworks write them.
static enum status append_messages(const cJSON *list, int depth, struct text *line) {
    const cJSON *item = list->child;
    for (int i = 0; i < FAILURE_ITEMS && item; i++, item = item->next) {
        if (i > 0 && line->length) TRY(text_append_string(line, "; "));
        TRY(append_message(item, depth - 1, line));
    }
    return STATUS_OK;
}

static enum status append_place(const cJSON *place, struct text *line) {
    const cJSON *part = cJSON_IsArray(place) ? place->child : NULL;
    bool any = false;
    for (int i = 0; i < FAILURE_ITEMS && part; i++, part = part->next) {
        if (!cJSON_IsString(part) || strcmp(part->valuestring, "body") == 0) continue;
        if (any) TRY(text_append_string(line, "."));
        TRY(append_line(part->valuestring, strlen(part->valuestring), false, line));
        any = true;
    }
    return any ? text_append_string(line, ": ") : STATUS_OK;
}

// A gateway's own message says that its source failed; what the source said stands beside it.
static enum status append_source(const cJSON *metadata, struct text *line) {
    const cJSON *raw = get_member(metadata, "raw");
    if (!cJSON_IsString(raw) || !raw->valuestring[0]) return STATUS_OK;
    TRY(text_append_string(line, ": "));
    return append_line(raw->valuestring, strlen(raw->valuestring), false, line);
}

// {"error": {"message": …}}, {"error": "…"}, {"message": …}, {"detail": [{"msg": …}]} and the like.
static enum status append_message(const cJSON *item, int depth, struct text *line) {
    static const char *const names[] = {"error",  "message", "msg",         "detail", "errors",
                                        "reason", "title",   "description", "type"};
    if (depth == 0) return STATUS_OK;
    if (cJSON_IsString(item))
        return append_line(item->valuestring, strlen(item->valuestring), false, line);
    if (cJSON_IsArray(item)) return append_messages(item, depth, line);
    const size_t before = line->length;
    if (get_member(item, "msg")) TRY(append_place(get_member(item, "loc"), line));
    const size_t placed = line->length;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        TRY(append_message(get_member(item, names[i]), depth - 1, line));
        if (line->length > placed) return append_source(get_member(item, "metadata"), line);
    }
    if (!cJSON_IsObject(item) || !item->child || line->length > before) return STATUS_OK;
    char *json = cJSON_PrintUnformatted(item);
    const enum status status = append_line(json ? json : "", json ? strlen(json) : 0, false, line);
    cJSON_free(json);
    return status;
}

static enum status read_failure(const cJSON *about, const struct secret *secret,
                                struct reply *reply) {
    reply->failed = true;
    text_clear(&reply->failure);
    TRY(append_message(about, FAILURE_DEPTH, &reply->failure));
    hide_and_cut(secret, &reply->failure, 0);
    return STATUS_OK;
}

// A page's title, if it has one.
static const char *title_of(const char *page, size_t length, size_t *title_bytes) {
    static const char OPEN[] = "<title>";
    for (size_t at = 0; at + sizeof OPEN - 1 <= length; at++) {
        if (strncasecmp(page + at, OPEN, sizeof OPEN - 1) != 0) continue;
        const char *title = page + at + sizeof OPEN - 1;
        const char *end = memchr(title, '<', length - (size_t)(title - page));
        *title_bytes = (size_t)((end ? end : page + length) - title);
        return title;
    }
    *title_bytes = length;
    return page;
}

enum status reply_failure(const char *body, size_t length, const struct secret *secret,
                          struct text *failure) {
    cJSON *json = NULL;
    const size_t from = failure->length;
    size_t bytes = length, blanks = 0;
    enum status status = server_json_read(body, length, secret, &json);
    while (blanks < length && strchr(" \t\r\n", body[blanks]) && body[blanks])
        blanks++;
    const bool page = blanks < length && body[blanks] == '<';
    const char *text = page ? title_of(body, length, &bytes) : body;
    if (status == STATUS_OK && (cJSON_IsObject(json) || cJSON_IsArray(json)))
        status = append_message(json, FAILURE_DEPTH, failure);
    else
        status = append_line(text, bytes, page, failure);
    cJSON_Delete(json);
    hide_and_cut(secret, failure, from);
    return status;
}

// ---- answers

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcasecmp(word, *words) == 0) return true;
    return false;
}

// Gateways put a kind before the reason of their own source: "content_filter: PROHIBITED_CONTENT".
static bool is_reason(const char *reason, const char *const *words) {
    const size_t length = strcspn(reason, ":");
    for (; *words; words++)
        if (strncasecmp(reason, *words, length) == 0 && !(*words)[length]) return true;
    return false;
}

static void finish_reply(struct reply *reply, const char *reason) {
    static const char *const cut[] = {
        "length",         "limit", "max_tokens", "model_length", "max_output_tokens",
        "max_new_tokens", NULL};
    static const char *const filtered[] = {"content_filter", "content-filter", "content_filtered",
                                           "safety",         "recitation",     "moderation",
                                           "sensitive",      "blocklist",      "prohibited_content",
                                           "spii",           "refusal",        NULL};
    static const char *const broken[] = {"error",
                                         "abort",
                                         "aborted",
                                         "cancelled",
                                         "canceled",
                                         "failed",
                                         "timeout",
                                         "network_error",
                                         "engine_error",
                                         "insufficient_system_resource",
                                         "function_call_filter",
                                         "malformed_function_call",
                                         NULL};
    static const char *const open[] = {"", "null", "none", NULL};
    if (is_reason(reason, open)) return; // it continues
    reply->finished = true;
    reply->filtered = is_reason(reason, filtered);
    reply->broken = is_reason(reason, broken);
    reply->reason = is_reason(reason, cut) ? STOP_REASON_LENGTH
                    : reply->broken        ? STOP_REASON_FAILED
                                           : STOP_REASON_END;
}

static enum status append_part(const cJSON *part, bool thought, int depth, struct reply *reply);

// A text, or a list of parts, each with a type.
static enum status append_content(const cJSON *content, bool thought, int depth,
                                  struct reply *reply) {
    const cJSON *part;
    if (depth == 0 || !content) return STATUS_OK;
    if (!cJSON_IsArray(content)) return append_part(content, thought, depth, reply);
    cJSON_ArrayForEach(part, content)
        TRY(append_part(part, thought, depth, reply));
    return STATUS_OK;
}

static enum status append_part(const cJSON *part, bool thought, int depth, struct reply *reply) {
    static const char *const thoughts[] = {"thinking",          "reasoning", "reasoning_text",
                                           "reasoning.text",    "thought",   "summary_text",
                                           "reasoning.summary", NULL};
    if (cJSON_IsString(part)) return append_text(part, thought ? &reply->thought : &reply->text);
    static const char *const once[] = {"refusal", "thinking", "summary", "text", NULL};
    TRY(check_once(part, once));
    const cJSON *type = get_member(part, "type");
    thought |= cJSON_IsString(type) && is_one_of(type->valuestring, thoughts);
    TRY(append_text(get_member(part, "refusal"), &reply->refusal));
    if (thought) TRY(append_content(get_member(part, "thinking"), true, depth - 1, reply));
    if (thought) TRY(append_content(get_member(part, "summary"), true, depth - 1, reply));
    static const char *const value[] = {"value", NULL};
    const cJSON *text = get_member(part, "text");
    TRY(check_once(text, value));
    return cJSON_IsObject(text)
               ? append_text(get_member(text, "value"), thought ? &reply->thought : &reply->text)
               : append_content(text, thought, depth - 1, reply);
}

// Servers name it differently, and some send two of these fields with the same text.
static enum status append_thought(const cJSON *delta, struct reply *reply) {
    static const char *const names[] = {"reasoning", "reasoning_content", "thinking",
                                        "reasoning_text", "reasoning_details"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        TRY(append_content(get_member(delta, names[i]), true, FAILURE_DEPTH, reply));
        if (reply->thought.length) break;
    }
    return STATUS_OK;
}

static enum status append_tool(const cJSON *delta, struct reply *reply) {
    const cJSON *calls = get_member(delta, "tool_calls");
    const cJSON *call = cJSON_IsArray(calls) ? calls->child : NULL;
    const cJSON *function =
        call ? get_member(call, "function") : get_member(delta, "function_call");
    const cJSON *name = get_member(function, "name");
    reply->calls_tool = cJSON_IsObject(function); // where no tool is called, it may be null
    if (!cJSON_IsString(name)) return STATUS_OK;
    TRY(append_line(name->valuestring, strlen(name->valuestring), false, &reply->tool));
    if (reply->tool.length > TOOL_BYTES) {
        reply->tool.length = TOOL_BYTES - utf8_incomplete_tail(reply->tool.bytes, TOOL_BYTES);
        reply->tool.bytes[reply->tool.length] = '\0';
    }
    return STATUS_OK;
}

static bool is_failure(const cJSON *error) {
    return error && !cJSON_IsNull(error) && !cJSON_IsFalse(error);
}

static enum status read_choice(const cJSON *choice, const struct secret *secret,
                               struct reply *reply) {
    static const char *const once[] = {"delta", "message", "text", "token_ids", NULL};
    static const char *const words[] = {"content",           "refusal",  "reasoning",
                                        "reasoning_content", "thinking", "reasoning_text",
                                        "reasoning_details", NULL};
    const cJSON *delta = get_member(choice, "delta"), *reason = get_member(choice, "finish_reason");
    const int64_t number = count_of(choice, "index");
    if (number > 0) reply->choice = number;
    reply->whole = !cJSON_IsObject(delta) && cJSON_IsObject(get_member(choice, "message"));
    if (reply->whole) delta = get_member(choice, "message");
    TRY(check_once(choice, once));
    TRY(check_once(delta, words));
    if (is_failure(get_member(choice, "error")))
        return read_failure(get_member(choice, "error"), secret, reply);
    if (is_failure(get_member(delta, "error")))
        return read_failure(get_member(delta, "error"), secret, reply);
    TRY(append_content(get_member(delta, "content"), false, FAILURE_DEPTH, reply));
    TRY(append_thought(delta, reply));
    TRY(append_text(get_member(delta, "refusal"), &reply->refusal));
    TRY(append_tool(delta, reply));
    TRY(append_text(get_member(choice, "text"), &reply->text));
    TRY(append_ids(get_member(choice, "token_ids"), &reply->ids));
    if (cJSON_IsString(reason)) finish_reply(reply, reason->valuestring);
    return STATUS_OK;
}

static void read_usage(const cJSON *usage, struct reply *reply) {
    if (!cJSON_IsObject(usage)) return;
    reply->prompt_tokens = count_of(usage, "prompt_tokens");
    reply->output_tokens = count_of(usage, "completion_tokens");
    reply->cached_tokens = count_of(get_member(usage, "prompt_tokens_details"), "cached_tokens");
    if (reply->cached_tokens < 0) reply->cached_tokens = count_of(usage, "prompt_cache_hit_tokens");
    if (reply->cached_tokens < 0) reply->cached_tokens = count_of(usage, "cached_tokens");
}

// Some put the counts into the choice, or among fields of their own.
static const cJSON *find_usage(const cJSON *event, const cJSON *choice) {
    const cJSON *usage = get_member(event, "usage");
    if (!cJSON_IsObject(usage)) usage = get_member(choice, "usage");
    return cJSON_IsObject(usage) ? usage : get_member(get_member(event, "x_groq"), "usage");
}

static enum status read_generated(const cJSON *event, const cJSON *about, struct reply *reply) {
    const cJSON *type = get_member(get_member(about, "finish_reason"), "type");
    TRY(append_ids(get_member(event, "output_ids"), &reply->ids));
    if (cJSON_IsString(type)) finish_reply(reply, type->valuestring);
    reply->cumulative = true;
    reply->prompt_tokens = count_of(about, "prompt_tokens");
    reply->output_tokens = count_of(about, "completion_tokens");
    reply->cached_tokens = count_of(about, "cached_tokens");
    return STATUS_OK;
}

// The servers' own forms have no choices.
static enum status read_completion(const cJSON *event, struct reply *reply) {
    const cJSON *about = get_member(event, "meta_info");
    if (cJSON_IsObject(about)) return read_generated(event, about, reply);
    const cJSON *type = get_member(event, "stop_type");
    TRY(append_text(get_member(event, "content"), &reply->text));
    TRY(append_ids(get_member(event, "tokens"), &reply->ids));
    if (!cJSON_IsTrue(get_member(event, "stop"))) return STATUS_OK;
    finish_reply(reply, cJSON_IsString(type) && type->valuestring[0] ? type->valuestring : "eos");
    reply->prompt_tokens = count_of(event, "tokens_evaluated");
    reply->output_tokens = count_of(event, "tokens_predicted");
    reply->cached_tokens = count_of(get_member(event, "timings"), "cache_n");
    return STATUS_OK;
}

// Does the event report an error instead of a part of an answer?
static bool complains(const cJSON *event) {
    static const char *const names[] = {"message", "msg", "detail", "errors"};
    if (is_failure(get_member(event, "error"))) return true;
    if (get_member(event, "choices") || get_member(event, "content") ||
        get_member(event, "meta_info"))
        return false;
    if (is_string(get_member(event, "type"), "error") ||
        is_string(get_member(event, "object"), "error"))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cJSON_IsString(get_member(event, names[i])) ||
            cJSON_IsArray(get_member(event, names[i])))
            return true;
    return false;
}

struct reading {
    const struct secret *secret;
    reply_take *take;
    void *user;
    bool counted; // the counts of tokens are handed out
};

// `choice` may be NULL.
static enum status read_one(struct reading *reading, const cJSON *event, const cJSON *choice) {
    struct reply reply = {.prompt_tokens = -1, .cached_tokens = -1, .output_tokens = -1};
    enum status status = STATUS_OK;
    if (choice)
        status = read_choice(choice, reading->secret, &reply);
    else if (complains(event))
        status = read_failure(event, reading->secret, &reply);
    else
        status = read_completion(event, &reply);
    if (!reading->counted) read_usage(find_usage(event, choice), &reply);
    reply.unknown = !choice && !cJSON_IsArray(get_member(event, "choices")) && !reply.failed &&
                    !reply.finished && !reply.text.length && !reply.ids.count &&
                    reply.prompt_tokens < 0;
    reading->counted = true;
    if (status == STATUS_OK) status = reading->take(reading->user, &reply);
    reply_deinit(&reply);
    return status;
}

static enum status read_event(struct reading *reading, const cJSON *event) {
    static const char *const once[] = {"choices", "content", "tokens", "output_ids", NULL};
    if (!cJSON_IsObject(event)) return STATUS_BAD_INPUT;
    TRY(check_once(event, once));
    const cJSON *choices = get_member(event, "choices");
    const cJSON *choice = cJSON_IsArray(choices) ? choices->child : NULL;
    if (!choice || complains(event)) return read_one(reading, event, NULL);
    for (; choice; choice = choice->next)
        TRY(read_one(reading, event, choice));
    return STATUS_OK;
}

enum status reply_read(const char *json, size_t length, const struct secret *secret,
                       reply_take *take, void *user) {
    struct reading reading = {.secret = secret, .take = take, .user = user};
    cJSON *event = NULL;
    TRY(server_json_read(json, length, secret, &event));
    // Some servers put a failure into a list of one.
    const cJSON *only =
        cJSON_IsArray(event) && event->child && !event->child->next ? event->child : event;
    const enum status status = read_event(&reading, only);
    cJSON_Delete(event);
    return status;
}
