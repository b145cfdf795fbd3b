// tests/engine/grammar/test_structured.c — a request with a grammar writes the same answer whether
// its logits came whole or as candidates, with drafts and without, alone or in a batch; and a valid
// one.
#include "engine/engine.h"
#include "engine/grammar/grammar.h"
#include "engine/grammar/schema.h"
#include "kernels/backend.h"
#include "tests/check.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROMPT = 30, ANSWER = 80, BATCH = 4, ROUNDS = CHECK_ROUNDS(12, 3) };

static const char SCHEMA[] =
    "{\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\", \"maxLength\": 12}, "
    "\"kind\": {\"enum\": [\"a bird of the sea\", \"a fish\"]}, \"ages\": {\"type\": \"array\", "
    "\"items\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 99}, \"maxItems\": 4}}, "
    "\"required\": [\"name\", \"kind\", \"ages\"]}";

static uint32_t seed = 15838; // drafts reach text that must follow, and go beyond it

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static void ignore_row(void *user, const float *logits, int32_t vocabulary) {
    (void)user;
    (void)logits;
    (void)vocabulary;
}

struct answer {
    int32_t tokens[ANSWER];
    int32_t count;
    enum stop_reason reason;
    bool unfinished;
};

// So many requests at once, with the same prompt and the next seeds.
static void run_requests(struct engine *engine, const int32_t *prompt,
                         const struct request_options *first, int count, struct answer *answers) {
    struct sequence *sequences[BATCH];
    struct request *requests[BATCH];
    for (int i = 0; i < count; i++) {
        struct request_options options = *first;
        options.sampler.seed += (uint64_t)i;
        options.owner = &answers[i];
        assert_int_equal(sequence_create(engine, &sequences[i]), STATUS_OK);
        assert_int_equal(sequence_append(sequences[i], prompt, PROMPT), STATUS_OK);
        assert_int_equal(request_start_all(&sequences[i], &options, 1, &requests[i]), STATUS_OK);
    }
    for (int done = 0; done < count;) {
        struct event event;
        assert_true(engine_next_event(engine, 60000, &event));
        if (event.kind != EVENT_DONE) continue;
        struct answer *answer = event.owner;
        assert_int_equal(event.status, STATUS_OK);
        answer->reason = event.reason;
        answer->unfinished = event.unfinished;
        done++;
    }
    for (int i = 0; i < count; i++) {
        answers[i].count = sequence_length(sequences[i]) - PROMPT;
        memcpy(answers[i].tokens, sequence_tokens(sequences[i]) + PROMPT,
               (size_t)answers[i].count * sizeof answers[i].tokens[0]);
        request_release(requests[i]);
        sequence_destroy(sequences[i]);
    }
}

static void check_valid(const struct tokenizer *tokenizer, const struct answer *answer) {
    struct text text = {0};
    for (int32_t i = 0; i < answer->count; i++)
        assert_int_equal(tokenizer_decode(tokenizer, answer->tokens[i], false, &text), STATUS_OK);
    cJSON *value = cJSON_ParseWithOpts(text_string(&text), NULL, true);
    const bool ended = answer->reason == STOP_REASON_END;
    if (ended != (value != NULL) || answer->unfinished == ended)
        fail_msg("%s: %s", ended ? "ended" : "cut", text_string(&text));
    if (ended) {
        const cJSON *kind = cJSON_GetObjectItemCaseSensitive(value, "kind");
        assert_true(strncmp(cJSON_GetStringValue(kind), "a ", 2) == 0);
        assert_true(cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(value, "ages")));
    }
    cJSON_Delete(value);
    text_deinit(&text);
}

static void compare_ways(struct engine *engine, struct grammar *grammar) {
    static const float temperatures[] = {0, 0.7f, 8};
    static const int32_t top_ks[] = {0, 40, 200};
    struct engine_info info;
    int ended = 0;
    engine_info(engine, &info);
    for (int round = 0; round < ROUNDS; round++) {
        struct answer alone[BATCH] = {{.count = 0}}, other[BATCH] = {{.count = 0}};
        int32_t prompt[PROMPT];
        for (int i = 0; i < PROMPT; i++)
            prompt[i] = (int32_t)dice((uint32_t)info.vocabulary);
        struct request_options options = {
            .sampler = sampler_options_default(), .max_tokens = ANSWER, .grammar = grammar};
        options.sampler.temperature = temperatures[round % 3];
        options.sampler.top_k = top_ks[dice(3)];
        options.sampler.repeat_penalty = dice(2) == 0 ? 1.5f : 1;
        options.sampler.top_p = 1;
        options.sampler.seed = dice(1000);
        run_requests(engine, prompt, &options, BATCH, alone);
        for (int way = 0; way < 2; way++) {
            options.observer = way == 0 ? ignore_row : NULL;
            options.speculate = way == 1 ? 4 : 0;
            options.draft_always = true;
            run_requests(engine, prompt, &options, BATCH, other);
            for (int i = 0; i < BATCH; i++) {
                assert_int_equal(alone[i].count, other[i].count);
                assert_memory_equal(alone[i].tokens, other[i].tokens, sizeof alone[i].tokens);
            }
        }
        for (int i = 0; i < BATCH; i++) {
            check_valid(engine_tokenizer(engine), &alone[i]);
            ended += alone[i].reason == STOP_REASON_END;
        }
    }
    assert_true(ended > 0);
}

// An answer that was cut goes on where it is in the grammar.
static void continue_answer(struct engine *engine, struct grammar *grammar) {
    const struct piece piece = {PIECE_TEXT, "Hello", 5};
    struct token_ids ids = {0};
    struct sequence *sequence;
    struct answer answer = {.reason = STOP_REASON_LENGTH};
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(tokenizer_encode(engine_tokenizer(engine), &piece, 1, &ids), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids.ids, ids.count), STATUS_OK);
    while (answer.reason == STOP_REASON_LENGTH) {
        const struct request_options options = {.sampler = sampler_options_default(),
                                                .max_tokens = 3,
                                                .grammar = grammar,
                                                .answered = answer.count};
        struct request *request;
        struct event event;
        assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
        while (engine_next_event(engine, 60000, &event) && event.kind != EVENT_DONE)
            continue;
        answer.reason = event.reason;
        answer.unfinished = event.unfinished;
        answer.count = sequence_length(sequence) - (int32_t)ids.count;
        assert_true(event.status == STATUS_OK && answer.count <= ANSWER);
        request_release(request);
    }
    memcpy(answer.tokens, sequence_tokens(sequence) + ids.count,
           (size_t)answer.count * sizeof answer.tokens[0]);
    check_valid(engine_tokenizer(engine), &answer);
    sequence_destroy(sequence);
    token_ids_deinit(&ids);
}

static void on_backend(const char *backend) {
    struct engine *engine;
    struct token_trie *trie;
    struct grammar *grammar;
    struct error err = {0};
    struct text gbnf = {0};
    const struct engine_options options = {.model_path = DEMO_MODEL,
                                           .backend = backend,
                                           .threads = 2,
                                           .context = 256,
                                           .deterministic = true};
    if (engine_open(&options, &engine, &err) != STATUS_OK ||
        token_trie_create(engine_tokenizer(engine), NULL, &trie, &err) != STATUS_OK ||
        schema_to_gbnf(SCHEMA, strlen(SCHEMA), &gbnf, &err) != STATUS_OK ||
        grammar_create(trie, text_string(&gbnf), "root", &grammar, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    compare_ways(engine, grammar);
    continue_answer(engine, grammar);
    engine_close(engine);
    grammar_release(grammar);
    token_trie_destroy(trie);
    text_deinit(&gbnf);
}

static void speculation_keeps_structured_answers_on_the_cpu(void **state) {
    (void)state;
    on_backend("cpu");
}

static void speculation_keeps_structured_answers_on_a_gpu(void **state) {
    (void)state;
    struct device *device;
    const struct device_options options = {0};
    if (!backend_cuda() || backend_cuda()->open(&options, &device, NULL) != STATUS_OK) skip();
    backend_cuda()->close(device);
    on_backend("cuda");
}

// An answer that was begun otherwise does not fit, and no token can follow.
static void an_answer_that_cannot_fit_the_grammar_fails(void **state) {
    struct engine *engine;
    struct token_trie *trie;
    struct grammar *grammar;
    struct error err = {0};
    struct sequence *sequence;
    struct request *request;
    struct event event;
    struct token_ids ids = {0};
    const struct piece piece = {PIECE_TEXT, "Hello", 5};
    (void)state;
    if (engine_open(&(struct engine_options){.model_path = DEMO_MODEL, .context = 64}, &engine,
                    &err) != STATUS_OK ||
        token_trie_create(engine_tokenizer(engine), NULL, &trie, &err) != STATUS_OK ||
        grammar_create(trie, "root ::= [0-9]+", "root", &grammar, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(tokenizer_encode(engine_tokenizer(engine), &piece, 1, &ids), STATUS_OK);
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids.ids, ids.count), STATUS_OK);
    const struct request_options options = {
        .sampler = sampler_options_default(), .grammar = grammar, .answered = (int32_t)ids.count};
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    while (engine_next_event(engine, 60000, &event) && event.kind != EVENT_DONE)
        assert_int_equal(event.kind, EVENT_PREFILL);
    assert_int_equal(event.reason, STOP_REASON_FAILED);
    assert_int_equal(event.status, STATUS_BAD_INPUT);
    grammar_release(grammar); // the request has its own reference
    request_release(request);
    sequence_destroy(sequence);
    engine_close(engine);
    token_trie_destroy(trie);
    token_ids_deinit(&ids);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speculation_keeps_structured_answers_on_the_cpu),
        cmocka_unit_test(speculation_keeps_structured_answers_on_a_gpu),
        cmocka_unit_test(an_answer_that_cannot_fit_the_grammar_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
