#include "engine/remote/query.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>

#include "engine/grammar/grammar.h"
#include "engine/remote/byte_tokenizer.h"
#include "engine/remote/optional_fields.h"
#include "engine/tokenizer/thinking.h"
#include "kernels/base/assert.h"

// An answer's text as servers want it back: without its thoughts, unless it was cut within the
// first one. *place: where it stands.
static enum status write_answer(const struct text *text, struct text *content,
                                enum answer_state *place) {
    struct thinking thinking = {0};
    struct thinking_part part;
    enum status status = thinking_append(&thinking, text_string(text), text->length);
    while (status == STATUS_OK && thinking_next(&thinking, true, &part))
        if (!part.thought) status = text_append(content, part.text, part.length);
    const bool open = thinking.mark && thinking.mark->thought;
    *place = !open ? ANSWER_ANSWERS : thinking.answering ? ANSWER_THINKS_AGAIN : ANSWER_THINKS;
    thinking_deinit(&thinking);
    if (status != STATUS_OK || *place != ANSWER_THINKS) return status;
    return text_append(content, text_string(text), text->length);
}

// Bytes as UTF-8: if an answer was cut, its last character may be incomplete.
static enum status append_bytes(const int32_t *tokens, int32_t count, struct text *text) {
    ASSERT(count >= 0);
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
    ASSERT(first >= 0 && first <= query->length);
    int32_t end = first;
    while (end < query->length && query->tokens[end] < BYTE_TOKEN_SYSTEM)
        end++;
    return end;
}

// One message of the log, which is the answer so far if it is the last one and has text.
static enum status add_message_of(cJSON *messages, const struct query *query, int32_t first,
                                  int32_t end, enum answer_state *place) {
    static const char *const roles[] = {"system", "user", "assistant"};
    const int32_t mark = query->tokens[first - 1];
    const bool answer = mark == BYTE_TOKEN_ASSISTANT, last = end == query->length;
    struct text text = {0}, content = {0};
    enum answer_state stands = ANSWER_ANSWERS;
    enum status status = append_bytes(query->tokens + first, end - first, &text);
    if (status == STATUS_OK && answer) status = write_answer(&text, &content, &stands);
    const struct text *sent = answer ? &content : &text;
    const bool begins = answer && last && text.length == 0;
    // A cut thought is sent back only to be continued.
    if (status == STATUS_OK && answer && !last && stands == ANSWER_THINKS) text_clear(&content);
    if (status == STATUS_OK && !begins &&
        !add_message(messages, roles[mark - BYTE_TOKEN_SYSTEM], text_string(sent)))
        status = STATUS_NO_MEMORY;
    if (answer && last && !begins) *place = stands;
    text_deinit(&text);
    text_deinit(&content);
    return status;
}

// Adds the messages of a log. The last one is the answer so far, if it has begun.
static enum status add_messages(cJSON *object, const struct query *query,
                                enum answer_state *place) {
    cJSON *messages = cJSON_AddArrayToObject(object, "messages");
    if (!messages) return STATUS_NO_MEMORY;
    for (int32_t at = 0; at < query->length;) {
        const int32_t mark = query->tokens[at++], end = message_end(query, at);
        if (mark < BYTE_TOKEN_SYSTEM || mark >= BYTE_TOKEN_END) continue;
        TRY(add_message_of(messages, query, at, end, place));
        at = end;
    }
    const bool whole =
        *place == ANSWER_NEW || (cJSON_AddTrueToObject(object, "continue_final_message") &&
                                 cJSON_AddFalseToObject(object, "add_generation_prompt"));
    return whole ? STATUS_OK : STATUS_NO_MEMORY;
}

// A float as a person wrote it: 0.7, not 0.699999988.
static bool add_float(cJSON *object, const char *name, float value) {
    char shortest[32];
    snprintf(shortest, sizeof shortest, "%.7g", (double)value);
    return cJSON_AddRawToObject(object, name, shortest);
}

// With tokens, quire sends all sampling options; with messages, only those that the user set.
static bool wants(const struct query *query, uint64_t given, unsigned omit) {
    const bool set = query->form != QUERY_MESSAGES || query->options->sampler.given & given;
    return set && !(query->omits & omit);
}

static bool add_sampling(cJSON *object, const struct query *query) {
    const struct sampler_options *sampler = &query->options->sampler;
    const char *repeat = query->form == QUERY_LLAMA ? "repeat_penalty" : "repetition_penalty";
    const char *seed = query->form == QUERY_SGLANG ? "sampling_seed" : "seed";
    const struct {
        const char *name;
        float value;
        uint64_t given;
        unsigned omit;
    } rows[] = {
        {"temperature", sampler->temperature, SAMPLER_GIVEN(temperature), OMIT_TEMPERATURE},
        {"top_p", sampler->top_p, SAMPLER_GIVEN(top_p), OMIT_TOP_P},
        {"min_p", sampler->min_p, SAMPLER_GIVEN(min_p), OMIT_MIN_P},
        {repeat, sampler->repeat_penalty, SAMPLER_GIVEN(repeat_penalty), OMIT_REPEAT_PENALTY},
        {"presence_penalty", sampler->presence_penalty, SAMPLER_GIVEN(presence_penalty),
         OMIT_PRESENCE_PENALTY},
        {"frequency_penalty", sampler->frequency_penalty, SAMPLER_GIVEN(frequency_penalty),
         OMIT_FREQUENCY_PENALTY},
    };
    bool whole = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && whole; i++)
        if (wants(query, rows[i].given, rows[i].omit))
            whole = add_float(object, rows[i].name, rows[i].value);
    // Servers differ in which value means "all", so it is left out, except for llama-server, whose
    // default differs.
    if (query->form == QUERY_LLAMA ||
        (sampler->top_k > 0 && wants(query, SAMPLER_GIVEN(top_k), OMIT_TOP_K)))
        whole = whole && cJSON_AddNumberToObject(object, "top_k", sampler->top_k);
    if (!wants(query, SAMPLER_GIVEN(seed), OMIT_SEED)) return whole;
    return whole && cJSON_AddNumberToObject(object, seed, (double)(sampler->seed & INT32_MAX));
}

static bool add_ids(cJSON *object, const struct query *query) {
    ASSERT(query->length > 0);
    const char *name = query->form == QUERY_SGLANG ? "input_ids" : "prompt";
    cJSON *ids = cJSON_CreateIntArray(query->tokens, query->length);
    if (ids && cJSON_AddItemToObject(object, name, ids)) return true;
    cJSON_Delete(ids);
    return false;
}

// {"stream_options": {"include_usage": true}}
static bool add_usage_wish(cJSON *object) {
    cJSON *options = cJSON_AddObjectToObject(object, "stream_options");
    return options && cJSON_AddTrueToObject(options, "include_usage");
}

static bool add_schema(cJSON *object, const struct query *query, const char *source) {
    if (query->form == QUERY_LLAMA) return cJSON_AddRawToObject(object, "json_schema", source);
    if (query->form == QUERY_SGLANG) return cJSON_AddStringToObject(object, "json_schema", source);
    cJSON *format = cJSON_AddObjectToObject(object, "response_format");
    if (!format || !cJSON_AddStringToObject(format, "type", "json_schema")) return false;
    cJSON *schema = cJSON_AddObjectToObject(format, "json_schema");
    return schema && cJSON_AddStringToObject(schema, "name", "answer") &&
           cJSON_AddRawToObject(schema, "schema", source) &&
           cJSON_AddTrueToObject(schema, "strict");
}

static bool add_grammar(cJSON *object, const struct query *query, const char *source) {
    if (query->server == SERVER_SGLANG) return cJSON_AddStringToObject(object, "ebnf", source);
    if (query->server == SERVER_VLLM)
        object = cJSON_AddObjectToObject(object, "structured_outputs");
    return object && cJSON_AddStringToObject(object, "grammar", source);
}

static bool add_structure(cJSON *object, const struct query *query) {
    bool is_schema;
    if (!query->options->grammar) return true;
    const char *source = grammar_source(query->options->grammar, &is_schema);
    return is_schema ? add_schema(object, query, source) : add_grammar(object, query, source);
}

// Adds the sampling fields, which SGLang wants in an object of their own.
static bool add_wishes(cJSON *object, const struct query *query) {
    const bool renamed = query->omits & OMIT_MAX_TOKENS;
    const char *const limits[] = {[QUERY_MESSAGES] =
                                      renamed ? "max_completion_tokens" : "max_tokens",
                                  [QUERY_LLAMA] = "n_predict",
                                  [QUERY_VLLM] = "max_tokens",
                                  [QUERY_SGLANG] = "max_new_tokens"};
    int32_t limit = query->options->max_tokens;
    if (query->form == QUERY_SGLANG) object = cJSON_AddObjectToObject(object, "sampling_params");
    // Servers have a small limit of their own for an answer in tokens.
    if (limit <= 0 && query->form != QUERY_MESSAGES) limit = query->room;
    return object && add_sampling(object, query) && add_structure(object, query) &&
           (limit <= 0 || cJSON_AddNumberToObject(object, limits[query->form], limit));
}

// Adds the route to the machine that knows the conversation, and the number of answers.
static bool add_optional(cJSON *object, const struct query *query) {
    char key[32];
    const bool several = query->choices > 1 && !(query->omits & OMIT_CHOICES);
    const bool routed = query->options->route && !(query->omits & OMIT_ROUTE);
    snprintf(key, sizeof key, "%016" PRIx64, query->options->route);
    return (!several || cJSON_AddNumberToObject(object, "n", query->choices)) &&
           (!routed || cJSON_AddStringToObject(object, "prompt_cache_key", key)) &&
           (query->omits & OMIT_USAGE || add_usage_wish(object));
}

static bool add_tokens(cJSON *object, const struct query *query) {
    switch (query->form) {
    case QUERY_MESSAGES:
        return add_optional(object, query);
    case QUERY_LLAMA:
        return add_ids(object, query) && cJSON_AddTrueToObject(object, "return_tokens") &&
               cJSON_AddTrueToObject(object, "cache_prompt");
    case QUERY_VLLM:
        return add_optional(object, query) && add_ids(object, query) &&
               cJSON_AddTrueToObject(object, "return_token_ids") &&
               cJSON_AddFalseToObject(object, "skip_special_tokens");
    case QUERY_SGLANG:
        return add_ids(object, query);
    }
    return false;
}

static enum status fill_body(cJSON *object, const struct query *query, enum answer_state *place) {
    bool whole =
        object && (!query->model[0] || cJSON_AddStringToObject(object, "model", query->model));
    whole = whole && cJSON_AddTrueToObject(object, "stream") && add_wishes(object, query);
    if (query->salt[0] && !(query->omits & OMIT_SALT))
        whole = whole && cJSON_AddStringToObject(object, "cache_salt", query->salt);
    if (!whole || !add_tokens(object, query)) return STATUS_NO_MEMORY;
    *place = ANSWER_NEW;
    return query->form == QUERY_MESSAGES ? add_messages(object, query, place) : STATUS_OK;
}

const char *query_path(enum query_form form, bool *of_root) {
    ASSERT(form >= QUERY_MESSAGES && form <= QUERY_SGLANG);
    static const char *const paths[] = {[QUERY_MESSAGES] = "/chat/completions",
                                        [QUERY_LLAMA] = "/completion",
                                        [QUERY_VLLM] = "/completions",
                                        [QUERY_SGLANG] = "/generate"};
    *of_root = form == QUERY_LLAMA || form == QUERY_SGLANG;
    return paths[form];
}

enum status query_write(const struct query *query, struct text *body, enum answer_state *place,
                        struct error *err) {
    const struct request_options *options = query->options;
    if (options->grammar && options->answered > 0)
        return error_set(err, STATUS_UNSUPPORTED, "a server cannot continue a structured answer");
    if (options->grammar && options->begun)
        return error_set(err, STATUS_UNSUPPORTED,
                         "a server that is sent tokens would force the reasoning into the "
                         "structure; use /set think off or --remote messages");
    cJSON *object = cJSON_CreateObject();
    enum status status = fill_body(object, query, place);
    char *json = status == STATUS_OK ? cJSON_PrintUnformatted(object) : NULL;
    if (status == STATUS_OK) status = json ? text_append_string(body, json) : STATUS_NO_MEMORY;
    cJSON_free(json);
    cJSON_Delete(object);
    return status == STATUS_OK ? status : error_set(err, status, "%s", status_text(status));
}
