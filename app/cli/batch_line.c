#include "app/cli/batch_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/json_view.h"
#include "kernels/base/text.h"
#include "prompts/jinja/json_value.h"

static enum status refuse_key(struct error *err, const char *key, const char *expected) {
    return error_set(err, STATUS_BAD_INPUT, "\"%.40s\": expected %s", key, expected);
}

static enum status read_number(const cJSON *item, float *value, struct error *err) {
    if (!cJSON_IsNumber(item)) return refuse_key(err, item->string, "a number");
    *value = (float)item->valuedouble;
    return STATUS_OK;
}

static enum status read_whole(const cJSON *item, int32_t *value, struct error *err) {
    const double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(number >= 0 && number <= INT32_MAX && number == floor(number)))
        return refuse_key(err, item->string, "a whole number from 0");
    *value = (int32_t)number;
    return STATUS_OK;
}

static enum status read_seed(struct json_view view, uint64_t *value, struct error *err) {
    static const int64_t MOST = (int64_t)1 << 53; // every JSON reader has these integers
    int64_t number;
    if (!json_view_int(view, &number) || number < 0 || number > MOST)
        return refuse_key(err, "seed", "a whole number from 0 to 2^53");
    *value = (uint64_t)number;
    return STATUS_OK;
}

static enum status read_stops(const cJSON *item, const char **stops, struct error *err) {
    const cJSON *one = cJSON_IsArray(item) ? item->child : item;
    size_t count = 0;
    for (; one; one = cJSON_IsArray(item) ? one->next : NULL) {
        if (!cJSON_IsString(one) || !one->valuestring[0])
            return refuse_key(err, item->string, "strings that are not empty");
        if (count == BATCH_LINE_STOPS)
            return error_set(err, STATUS_BAD_INPUT, "\"%.40s\": too many strings (at most %d)",
                             item->string, BATCH_LINE_STOPS);
        stops[count++] = one->valuestring;
    }
    stops[count] = NULL;
    return STATUS_OK;
}

// Reads a sampling option. *known says whether it is one at all.
static enum status read_sampling(const cJSON *item, struct sampler_options *sampler, bool *known,
                                 struct error *err) {
    const struct {
        const char *name;
        float *value;
        uint64_t given;
    } numbers[] = {
        {"temperature", &sampler->temperature, SAMPLER_GIVEN(temperature)},
        {"temp", &sampler->temperature, SAMPLER_GIVEN(temperature)},
        {"top_p", &sampler->top_p, SAMPLER_GIVEN(top_p)},
        {"min_p", &sampler->min_p, SAMPLER_GIVEN(min_p)},
        {"repeat_penalty", &sampler->repeat_penalty, SAMPLER_GIVEN(repeat_penalty)},
        {"presence_penalty", &sampler->presence_penalty, SAMPLER_GIVEN(presence_penalty)},
        {"frequency_penalty", &sampler->frequency_penalty, SAMPLER_GIVEN(frequency_penalty)},
    };
    *known = true;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(item->string, numbers[i].name) == 0) {
            sampler->given |= numbers[i].given;
            return read_number(item, numbers[i].value, err);
        }
    if (strcmp(item->string, "top_k") == 0) {
        sampler->given |= SAMPLER_GIVEN(top_k);
        return read_whole(item, &sampler->top_k, err);
    }
    *known = false;
    return STATUS_OK;
}

static const char BLANKS[] = " \t\r\n";

static struct chat_message message_of(enum role role, const char *text) {
    return (struct chat_message){role, text, strlen(text)};
}

// Some keys have two names.
static const char *first_name(const char *key) {
    if (strcmp(key, "max_tokens") == 0) return "tokens";
    return strcmp(key, "temp") == 0 ? "temperature" : key;
}

// A key twice would have one of its values ignored.
static enum status check_first(const cJSON *object, const cJSON *item, struct error *err) {
    for (const cJSON *before = object->child; before != item; before = before->next)
        if (strcmp(first_name(before->string), first_name(item->string)) == 0)
            return error_set(err, STATUS_BAD_INPUT, "the key \"%.40s\" occurs twice",
                             first_name(item->string));
    return STATUS_OK;
}

// Others write keys without a value.
static bool says_nothing(const cJSON *item) {
    return cJSON_IsNull(item) || (!item->child && (cJSON_IsArray(item) || cJSON_IsObject(item)));
}

// null says nothing, whatever the key; but the same key must not say something elsewhere, too.
static enum status drop_nulls(cJSON *object, struct error *err) {
    for (cJSON *item = object->child, *next; item; item = next) {
        next = item->next;
        if (!cJSON_IsNull(item)) continue;
        cJSON_DetachItemViaPointer(object, item);
        const bool other = cJSON_GetObjectItemCaseSensitive(object, item->string) != NULL;
        if (other) error_set(err, STATUS_BAD_INPUT, "the key \"%.40s\" occurs twice", item->string);
        cJSON_Delete(item);
        if (other) return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

static enum status append_part(const cJSON *part, struct text *content, struct error *err) {
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(part, "type");
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(part, "text");
    if (!cJSON_IsString(type) || strcmp(type->valuestring, "text") != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "\"content\": a part of the type \"%.40s\" is not supported",
                         cJSON_IsString(type) ? type->valuestring : "");
    for (const cJSON *item = part->child; item; item = item->next)
        TRY(check_first(part, item, err));
    if (!cJSON_IsString(text)) return refuse_key(err, "content", "a text in each part");
    if (content->length) TRY(text_append_string(content, "\n"));
    return text_append_string(content, text->valuestring);
}

// Replaces a list of parts by their texts, a line for each.
static enum status join_parts(cJSON *message, struct error *err) {
    const cJSON *content = cJSON_GetObjectItemCaseSensitive(message, "content"), *part;
    struct text joined = {0};
    enum status status = STATUS_OK;
    cJSON_ArrayForEach(part, content)
        if (status == STATUS_OK) status = append_part(part, &joined, err);
    cJSON *text = status == STATUS_OK ? cJSON_CreateString(text_string(&joined)) : NULL;
    if (status == STATUS_OK &&
        (!text || !cJSON_ReplaceItemInObjectCaseSensitive(message, "content", text))) {
        cJSON_Delete(text);
        status = STATUS_NO_MEMORY;
    }
    text_deinit(&joined);
    return status;
}

static enum status read_message(cJSON *item, struct batch_line *line, struct error *err) {
    const cJSON *role = cJSON_GetObjectItemCaseSensitive(item, "role");
    enum role found;
    if (!cJSON_IsString(role))
        return refuse_key(err, "messages", "objects with a role and a content");
    if (!role_find(role->valuestring, &found))
        return error_set(err, STATUS_BAD_INPUT,
                         "unsupported role \"%.40s\" (expected system, user or assistant)",
                         role->valuestring);
    for (const cJSON *part = item->child; part; part = part->next) {
        TRY(check_first(item, part, err));
        if (strcmp(part->string, "role") != 0 && strcmp(part->string, "content") != 0 &&
            strcmp(part->string, "name") != 0 && !says_nothing(part)) // templates have no names
            return error_set(err, STATUS_BAD_INPUT, "unknown key \"%.40s\" in a message",
                             part->string);
    }
    if (cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(item, "content")))
        TRY(join_parts(item, err));
    const cJSON *content = cJSON_GetObjectItemCaseSensitive(item, "content");
    if (!cJSON_IsString(content)) return refuse_key(err, "content", "a text");
    line->messages[line->count++] = message_of(found, content->valuestring);
    return STATUS_OK;
}

// Reads either form into messages; the last must be the user's.
static enum status read_messages(struct batch_line *line, const struct batch_defaults *defaults,
                                 struct error *err) {
    const cJSON *prompt = cJSON_GetObjectItemCaseSensitive(line->json, "prompt");
    const cJSON *system = cJSON_GetObjectItemCaseSensitive(line->json, "system");
    const cJSON *messages = cJSON_GetObjectItemCaseSensitive(line->json, "messages");
    if (!prompt == !messages)
        return error_set(err, STATUS_BAD_INPUT, "expected a \"prompt\" or \"messages\"");
    if (prompt && !cJSON_IsString(prompt)) return refuse_key(err, "prompt", "a string");
    if (system && !cJSON_IsString(system)) return refuse_key(err, "system", "a string");
    if (messages && !cJSON_IsArray(messages)) return refuse_key(err, "messages", "an array");
    const size_t most = 2 + (messages ? (size_t)cJSON_GetArraySize(messages) : 0);
    line->messages = calloc(most, sizeof *line->messages);
    if (!line->messages) return STATUS_NO_MEMORY;
    cJSON *first = messages ? messages->child : NULL;
    const cJSON *first_role = cJSON_GetObjectItemCaseSensitive(first, "role");
    const bool has_system =
        cJSON_IsString(first_role) && strcmp(first_role->valuestring, "system") == 0;
    const char *preamble = system ? system->valuestring : defaults->system;
    if (system && has_system) return refuse_key(err, "system", "one system prompt");
    if (preamble[0] && !has_system)
        line->messages[line->count++] = message_of(ROLE_SYSTEM, preamble);
    for (cJSON *item = first; item; item = item->next)
        TRY(read_message(item, line, err));
    if (prompt) line->messages[line->count++] = message_of(ROLE_USER, prompt->valuestring);
    const struct chat_message *last = line->count ? &line->messages[line->count - 1] : NULL;
    if (!last || last->role != ROLE_USER || !last->text[strspn(last->text, BLANKS)])
        return error_set(err, STATUS_BAD_INPUT,
                         "the last message must be from the user and not empty");
    return STATUS_OK;
}

// Copies the value as written, because cJSON keeps only a double's digits, without blanks between
// its parts. cJSON_Minify() takes the end of a string that ends with a backslash for a quotation
// mark within it.
static enum status copy_source(struct json_view view, char **copy) {
    char *to = *copy = malloc(view.length + 1);
    bool in_string = false;
    if (!to) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < view.length; i++) {
        if (!in_string && strchr(BLANKS, view.bytes[i])) continue;
        if (view.bytes[i] == '"') in_string = !in_string;
        *to++ = view.bytes[i];
        if (in_string && view.bytes[i] == '\\') *to++ = view.bytes[++i];
    }
    *to = '\0';
    return STATUS_OK;
}

static enum status read_structure(const cJSON *item, struct json_view view, struct batch_line *line,
                                  struct error *err) {
    if (line->schema || line->grammar)
        return error_set(err, STATUS_BAD_INPUT,
                         "\"schema\" and \"grammar\" cannot be used together");
    if (strcmp(item->string, "grammar") == 0) {
        if (!cJSON_IsString(item)) return refuse_key(err, item->string, "a string");
        line->grammar = item->valuestring;
        return STATUS_OK;
    }
    if (!cJSON_IsObject(item)) return refuse_key(err, item->string, "an object");
    return copy_source(json_view_find(view, item->string), &line->schema);
}

static enum status read_keys(struct batch_line *line, struct json_view view, struct error *err) {
    static const char *const ELSEWHERE[] = {"id", "prompt", "system", "messages", "seed"};
    const struct json_view seed = json_view_find(view, "seed");
    if (json_view_kind(seed) != JSON_ABSENT && json_view_kind(seed) != JSON_NULL) {
        TRY(read_seed(seed, &line->options.sampler.seed, err));
        line->options.sampler.given |= SAMPLER_GIVEN(seed);
    }
    for (const cJSON *item = line->json->child; item; item = item->next) {
        bool known;
        TRY(check_first(line->json, item, err));
        TRY(read_sampling(item, &line->options.sampler, &known, err));
        for (size_t i = 0; i < sizeof ELSEWHERE / sizeof ELSEWHERE[0]; i++)
            known = known || strcmp(item->string, ELSEWHERE[i]) == 0;
        if (known) continue;
        if (strcmp(item->string, "tokens") == 0 || strcmp(item->string, "max_tokens") == 0)
            TRY(read_whole(item, &line->options.max_tokens, err));
        else if (strcmp(item->string, "stop") == 0)
            TRY(read_stops(item, line->stops, err));
        else if (strcmp(item->string, "schema") == 0 || strcmp(item->string, "grammar") == 0)
            TRY(read_structure(item, view, line, err));
        else if (!says_nothing(item))
            return error_set(err, STATUS_BAD_INPUT, "unknown key \"%.40s\"", item->string);
    }
    return sampler_options_check(&line->options.sampler, err);
}

enum status batch_line_read(const char *bytes, size_t length, const struct batch_defaults *defaults,
                            struct batch_line *line, struct error *err) {
    struct json_view view, id;
    *line = (struct batch_line){.options = defaults->options};
    for (size_t i = 0; i < BATCH_LINE_STOPS && defaults->stops && defaults->stops[i]; i++)
        line->stops[i] = defaults->stops[i];
    TRY(json_view_open(bytes, length, "the line", &view, err));
    if (json_view_kind(view) != JSON_OBJECT)
        return error_set(err, STATUS_BAD_INPUT, "not a JSON object");
    line->json = cJSON_ParseWithLength(bytes, length);
    if (!line->json) return error_set(err, STATUS_BAD_INPUT, "the line cannot be read as JSON");
    id = json_view_find(view, "id");
    if (json_view_kind(id) != JSON_ABSENT) TRY(copy_source(id, &line->id));
    if (json_has_nul(bytes, length))
        return error_set(err, STATUS_BAD_INPUT, "a string contains a NUL");
    TRY(drop_nulls(line->json, err));
    TRY(read_keys(line, view, err));
    return read_messages(line, defaults, err);
}

void batch_line_deinit(struct batch_line *line) {
    cJSON_Delete(line->json);
    free(line->schema);
    free(line->id);
    free(line->messages);
    *line = (struct batch_line){0};
}

enum status batch_line_encode(const struct batch_line *line,
                              const struct chat_template *chat_template,
                              const struct tokenizer *tokenizer, struct token_ids *ids,
                              struct error *err) {
    const time_t seconds = time(NULL);
    struct tm now = {0};
    struct prompt prompt = {0};
    localtime_r(&seconds, &now);
    const struct render what = {
        .messages = line->messages, .count = line->count, .ask = true, .now = &now};
    enum status status = chat_template_render(chat_template, &what, &prompt, err);
    if (status == STATUS_OK) status = tokenizer_encode(tokenizer, prompt.pieces, prompt.count, ids);
    prompt_deinit(&prompt);
    return status;
}
