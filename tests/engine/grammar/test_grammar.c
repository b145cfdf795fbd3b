// tests/engine/grammar/test_grammar.c — what is sampled under a schema's grammar fits the schema.
//
// Random schemas, and for each an answer of random tokens at temperature 2, as long as the grammar
// allows them: when it ends it parses, and a checker that knows nothing of grammars agrees. On the
// way masks, filtered candidates and a walk that forgets everything at each step must say the same.
#include "tests/check.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/grammar/grammar.h"
#include "engine/grammar/schema.h"
#include "engine/sampling/sampler.h"
#include "kernels/backend.h"

enum { TOKENS_MAX = 600, SCHEMA_BYTES = 1 << 16 };

static uint32_t seed = 20261123;
static struct gguf *gguf;
static struct tokenizer *tokenizer;
static struct token_trie *trie;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

// ---- random schemas, of which every answer ends soon

static void append_schema(char *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append_schema(char *out, const char *format, ...) {
    va_list arguments;
    const size_t length = strlen(out);
    va_start(arguments, format);
    vsnprintf(out + length, SCHEMA_BYTES - length, format, arguments);
    va_end(arguments);
}

static void random_schema(char *out, int depth);

static void random_object(char *out, int depth) {
    static const char *const NAMES[] = {"a", "ab", "name", "\\\"q", "été", "b"};
    const uint32_t count = dice(5);
    append_schema(out, "{\"type\": \"object\", \"properties\": {");
    for (uint32_t i = 0; i < count; i++) {
        append_schema(out, "%s\"%s\": ", i ? ", " : "", NAMES[i]);
        random_schema(out, depth - 1);
    }
    append_schema(out, "}, \"required\": [");
    for (uint32_t i = 0, any = 0; i < count; i++)
        if (dice(2)) append_schema(out, "%s\"%s\"", any++ ? ", " : "", NAMES[i]);
    append_schema(out, "]}");
}

static void random_array(char *out, int depth) {
    const uint32_t least = dice(3);
    append_schema(out, "{\"type\": \"array\", \"minItems\": %u, \"maxItems\": %u, ", least,
                  least + dice(3));
    if (dice(3) == 0) {
        append_schema(out, "\"prefixItems\": [");
        random_schema(out, depth - 1);
        append_schema(out, "], ");
    }
    append_schema(out, "\"items\": ");
    random_schema(out, depth - 1);
    append_schema(out, "}");
}

static void random_leaf(char *out) {
    static const char *const LEAVES[] = {
        "{\"type\": \"boolean\"}",
        "{\"type\": [\"null\", \"integer\"]}",
        "{\"enum\": [\"red\", \"green\\n\", 3, null, {\"k\": [1.5]}]}",
        "{\"const\": \"fixed text, all of it\"}",
        "{\"type\": \"string\", \"format\": \"date-time\"}",
        "{\"type\": \"string\", \"pattern\": \"^[A-Z][a-z]{2,5}( [é-ü\\\"]+!?){0,2}$\"}",
        "{\"type\": \"number\"}",
    };
    const uint32_t kind = dice(9);
    const int from = (int)dice(400) - 200, least = (int)dice(4);
    if (kind < 7)
        append_schema(out, "%s", LEAVES[kind]);
    else if (kind == 7)
        append_schema(out, "{\"type\": \"%s\", \"minimum\": %d, \"maximum\": %d}",
                      dice(2) ? "integer" : "number", from, from + (int)dice(300));
    else
        append_schema(out, "{\"type\": \"string\", \"minLength\": %d, \"maxLength\": %d}", least,
                      least + (int)dice(9));
}

static void random_schema(char *out, int depth) {
    const uint32_t kind = depth > 0 ? dice(5) : 4;
    if (kind == 0) {
        append_schema(out, "{\"anyOf\": [");
        random_schema(out, depth - 1);
        append_schema(out, ", ");
        random_schema(out, depth - 1);
        append_schema(out, "]}");
    } else if (kind <= 2) {
        random_object(out, depth);
    } else if (kind == 3) {
        random_array(out, depth);
    } else {
        random_leaf(out);
    }
}

// ---- the checker

static double number_of(const cJSON *schema, const char *keyword, double otherwise) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(schema, keyword);
    return item ? item->valuedouble : otherwise;
}

static bool is_type(const cJSON *value, const char *type) {
    const bool whole = cJSON_IsNumber(value) && value->valuedouble == floor(value->valuedouble);
    return (cJSON_IsObject(value) && strcmp(type, "object") == 0) ||
           (cJSON_IsArray(value) && strcmp(type, "array") == 0) ||
           (cJSON_IsString(value) && strcmp(type, "string") == 0) ||
           (cJSON_IsBool(value) && strcmp(type, "boolean") == 0) ||
           (cJSON_IsNull(value) && strcmp(type, "null") == 0) ||
           (cJSON_IsNumber(value) && strcmp(type, "number") == 0) ||
           (whole && strcmp(type, "integer") == 0);
}

static bool fits(const cJSON *value, const cJSON *schema);

static bool object_fits(const cJSON *value, const cJSON *schema) {
    const cJSON *properties = cJSON_GetObjectItemCaseSensitive(schema, "properties");
    const cJSON *required = cJSON_GetObjectItemCaseSensitive(schema, "required"), *one;
    cJSON_ArrayForEach(one, required)
        if (!cJSON_GetObjectItemCaseSensitive(value, one->valuestring)) return false;
    cJSON_ArrayForEach(one, value) {
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(properties, one->string);
        if (!own || !fits(one, own)) return false;
    }
    return true;
}

static bool array_fits(const cJSON *value, const cJSON *schema) {
    const cJSON *prefix = cJSON_GetObjectItemCaseSensitive(schema, "prefixItems"), *one;
    const int count = cJSON_GetArraySize(value);
    int index = 0;
    if (count < number_of(schema, "minItems", 0) || count > number_of(schema, "maxItems", 1e9))
        return false;
    cJSON_ArrayForEach(one, value) {
        const cJSON *own = cJSON_GetArrayItem(prefix, index++);
        if (!fits(one, own ? own : cJSON_GetObjectItemCaseSensitive(schema, "items"))) return false;
    }
    return true;
}

static bool string_fits(const char *text, const cJSON *schema) {
    const cJSON *pattern = cJSON_GetObjectItemCaseSensitive(schema, "pattern");
    size_t length = 0;
    int month, day, hour;
    for (const char *c = text; *c; c++)
        length += ((unsigned char)*c & 0xC0) != 0x80;
    if (cJSON_GetObjectItemCaseSensitive(schema, "format"))
        return sscanf(text, "%*4d-%2d-%2dT%2d:", &month, &day, &hour) == 3 && month >= 1 &&
               month <= 12 && day >= 1 && day <= 31 && hour < 24;
    if (pattern) return text[0] >= 'A' && text[0] <= 'Z' && length >= 3 && !strchr(text, '\n');
    return length >= (size_t)number_of(schema, "minLength", 0) &&
           length <= (size_t)number_of(schema, "maxLength", 1e9);
}

static bool fits(const cJSON *value, const cJSON *schema) {
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(schema, "enum");
    const cJSON *only = cJSON_GetObjectItemCaseSensitive(schema, "const");
    const cJSON *any = cJSON_GetObjectItemCaseSensitive(schema, "anyOf");
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(schema, "type"), *one;
    if (only) return cJSON_Compare(value, only, true);
    cJSON_ArrayForEach(one, values)
        if (cJSON_Compare(value, one, true)) return true;
    cJSON_ArrayForEach(one, any)
        if (fits(value, one)) return true;
    if (values || any) return false;
    bool typed = cJSON_IsString(type) && is_type(value, type->valuestring);
    if (cJSON_IsArray(type))
        cJSON_ArrayForEach(one, type)
            typed = typed || is_type(value, one->valuestring);
    if (!typed) return false;
    if (cJSON_IsObject(value)) return object_fits(value, schema);
    if (cJSON_IsArray(value)) return array_fits(value, schema);
    if (cJSON_IsString(value)) return string_fits(value->valuestring, schema);
    return !cJSON_IsNumber(value) || (value->valuedouble >= number_of(schema, "minimum", -1e300) &&
                                      value->valuedouble <= number_of(schema, "maximum", 1e300));
}

// ---- walks

static bool mask_has(const struct grammar_mask *mask, int32_t id) {
    return mask->bits[id / 64] >> id % 64 & 1;
}

// Filtering all tokens, in groups, before there is a mask, gives the mask.
static void check_filter(struct grammar *grammar, const struct grammar_walk *walk) {
    const int32_t vocabulary = tokenizer_vocabulary(tokenizer);
    struct grammar_mask mask;
    struct candidate *all = malloc(((size_t)vocabulary + 50) * sizeof *all);
    int32_t count = 0;
    assert_non_null(all);
    for (int32_t id = 0; id < vocabulary; id += 50) {
        struct candidate group[51] = {{0}};
        for (int32_t i = 0; i <= 50; i++)
            group[i].id = i < 50 && id + i < vocabulary ? id + i : -1;
        count += grammar_filter(grammar, walk, group, 50, all + count);
    }
    assert_int_equal(grammar_allowed(grammar, walk, &mask), STATUS_OK);
    assert_int_equal(count, mask.count);
    for (int32_t i = 0; i < count; i++)
        assert_true(mask_has(&mask, all[i].id));
    free(all);
}

struct answer {
    int32_t tokens[TOKENS_MAX];
    int32_t count, forced;
    struct text text;
    bool ended;
};

// What must follow is allowed, token by token.
static void append_forced(struct grammar *grammar, struct grammar_walk *walk,
                          struct answer *answer) {
    struct token_ids ids = {0};
    assert_int_equal(grammar_forced(grammar, walk, TOKENS_MAX - answer->count, &ids), STATUS_OK);
    for (size_t i = 0; i < ids.count; i++) {
        struct grammar_mask mask;
        assert_int_equal(grammar_allowed(grammar, walk, &mask), STATUS_OK);
        assert_true(mask_has(&mask, ids.ids[i]));
        assert_int_equal(tokenizer_decode(tokenizer, ids.ids[i], false, &answer->text), STATUS_OK);
        answer->tokens[answer->count++] = ids.ids[i];
        answer->forced++;
        assert_true(grammar_walk(grammar, walk, answer->tokens, answer->count));
    }
    token_ids_deinit(&ids);
}

static void sample(struct grammar *grammar, struct answer *answer) {
    const int32_t vocabulary = tokenizer_vocabulary(tokenizer);
    struct sampler_options options = sampler_options_default();
    options.temperature = 2;
    options.top_k = (int32_t)dice(3) * 20;
    options.seed = dice(1000);
    struct sampler *sampler = sampler_create(vocabulary, &options);
    float *logits = malloc((size_t)vocabulary * sizeof *logits);
    struct grammar_walk walk = {0};
    assert_true(sampler && logits);
    while (!answer->ended && answer->count < TOKENS_MAX) {
        struct grammar_mask mask;
        assert_true(grammar_walk(grammar, &walk, answer->tokens, answer->count));
        if (dice(8) == 0) check_filter(grammar, &walk);
        assert_int_equal(grammar_allowed(grammar, &walk, &mask), STATUS_OK);
        assert_true(mask.count > 0);
        for (int32_t id = 0; id < vocabulary; id++)
            logits[id] = (float)dice(1000) / 100;
        sampler_allow(sampler, mask.bits);
        const int32_t id = sampler_pick(sampler, logits, answer->tokens, (size_t)answer->count);
        assert_true(mask_has(&mask, id));
        answer->ended = tokenizer_ends_turn(tokenizer, id);
        assert_true(!answer->ended || grammar_accepts(grammar, &walk));
        if (answer->ended) break;
        assert_int_equal(tokenizer_decode(tokenizer, id, false, &answer->text), STATUS_OK);
        answer->tokens[answer->count++] = id;
        assert_true(grammar_walk(grammar, &walk, answer->tokens, answer->count));
        if (dice(2)) append_forced(grammar, &walk, answer);
    }
    sampler_destroy(sampler);
    free(logits);
}

// The text alone is enough to say so; cut anywhere, it fits if what is left does.
static void check_text(const struct grammar *grammar, struct text *text, const cJSON *schema) {
    assert_true(grammar_fits(grammar, text_string(text)));
    text->length = dice((uint32_t)text->length);
    text->bytes[text->length] = '\0';
    if (!grammar_fits(grammar, text_string(text))) return;
    cJSON *value = cJSON_ParseWithOpts(text_string(text), NULL, true);
    assert_true(value && fits(value, schema));
    cJSON_Delete(value);
}

static void generated_answers_fit_random_schemas(void **state) {
    char *schema = malloc(SCHEMA_BYTES);
    int ended = 0, forced = 0;
    const int rounds = CHECK_ROUNDS(400, 40);
    (void)state;
    for (int round = 0; round < rounds; round++) {
        struct text gbnf = {0};
        struct error err = {0};
        struct grammar *grammar;
        struct answer answer = {.count = 0};
        schema[0] = '\0';
        random_schema(schema, 3);
        if (schema_to_gbnf(schema, strlen(schema), &gbnf, &err) != STATUS_OK ||
            grammar_create(trie, text_string(&gbnf), "root", &grammar, &err) != STATUS_OK)
            fail_msg("%s\n%s", err.text, schema);
        if (round % 3 == 0) grammar_limit(grammar, 1); // nothing is kept
        sample(grammar, &answer);
        cJSON *document = cJSON_Parse(schema), *value = NULL;
        if (answer.ended) value = cJSON_ParseWithOpts(text_string(&answer.text), NULL, true);
        if (answer.ended && (!value || !fits(value, document)))
            fail_msg("%s\ndoes not fit\n%s", text_string(&answer.text), schema);
        ended += answer.ended;
        forced += answer.forced;
        if (answer.ended) check_text(grammar, &answer.text, document);
        cJSON_Delete(document);
        cJSON_Delete(value);
        text_deinit(&answer.text);
        text_deinit(&gbnf);
        grammar_release(grammar);
    }
    free(schema);
    assert_true(ended > rounds / 2 && forced > 0);
}

static int open_tokenizer(void **state) {
    struct error err = {0};
    (void)state;
    return gguf_open(DEMO_MODEL, &gguf, &err) == STATUS_OK &&
                   tokenizer_open(gguf, &tokenizer, &err) == STATUS_OK &&
                   token_trie_create(tokenizer, NULL, &trie, &err) == STATUS_OK
               ? 0
               : -1;
}

static int close_tokenizer(void **state) {
    (void)state;
    token_trie_destroy(trie);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_answers_fit_random_schemas),
    };
    return cmocka_run_group_tests(tests, open_tokenizer, close_tokenizer);
}
