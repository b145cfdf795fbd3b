// tests/engine/draft/test_drafts.c — prompt_lookup.h rule by rule; and an answer with drafts is the
// answer without.
#include "engine/draft/draft.h"
#include "engine/engine.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONTEXT = 512,
    PROMPT = 120,
    LONG_PROMPT = 240,
    ANSWER = 100,
    CHATS = 6,
    CHATS_MOST = 24,
    ROUNDS = CHECK_ROUNDS(8, 2),
    POOL_BYTES = 16 << 20
};

static uint32_t seed = 5;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static int32_t propose(struct prompt_lookup *lookup, const int32_t *tokens, int32_t length,
                       int32_t limit, int32_t *proposal) {
    const struct draft_log log = {tokens, length};
    return prompt_lookup_source.propose(lookup, &log, limit, proposal);
}

static void the_tokens_after_the_latest_match_are_proposed(void **state) {
    (void)state;
    const int32_t log[] = {1, 2, 3, 4, 5, 9, 2, 3, 4, 7, 8, 2, 3, 4};
    int32_t proposal[DRAFT_MAX];
    struct prompt_lookup lookup = prompt_lookup_new(3);
    assert_int_equal(propose(&lookup, log, 14, 16, proposal), 3);
    assert_int_equal(proposal[0], 7); // the later of two places
    assert_int_equal(proposal[2], 2);
    assert_int_equal(propose(&lookup, log, 14, 1, proposal), 1);
    assert_int_equal(propose(&lookup, log, 14, 0, proposal), 0);
    assert_int_equal(propose(&lookup, log, 5, 16, proposal), 0); // nothing repeats
    assert_int_equal(propose(&lookup, log, 1, 16, proposal), 0);
    struct prompt_lookup none = prompt_lookup_new(0);
    assert_int_equal(propose(&none, log, 14, 16, proposal), 0);
}

static void a_longer_match_beats_a_later_one(void **state) {
    (void)state;
    const int32_t log[] = {1, 2, 3, 50, 9, 2, 3, 60, 1, 2, 3};
    int32_t proposal[DRAFT_MAX];
    struct prompt_lookup lookup = prompt_lookup_new(1);
    assert_int_equal(propose(&lookup, log, 11, 16, proposal), 1);
    assert_int_equal(proposal[0], 50);
}

static void a_log_of_one_repeated_token_proposes_it(void **state) {
    (void)state;
    const int32_t log[] = {4, 4, 4, 4, 4, 4};
    int32_t proposal[DRAFT_MAX];
    struct prompt_lookup lookup = prompt_lookup_new(8);
    assert_int_equal(propose(&lookup, log, 6, 16, proposal), 1);
    assert_int_equal(proposal[0], 4);
}

static void drafts_shrink_after_misses_and_grow_after_hits(void **state) {
    (void)state;
    const int32_t log[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
    int32_t proposal[DRAFT_MAX];
    struct prompt_lookup lookup = prompt_lookup_new(8);
    int32_t tried = 0;
    for (int32_t step = 0; step < 4000; step++) {
        const int32_t count = propose(&lookup, log, 12, 16, proposal);
        if (count == 0) continue;
        tried++;
        prompt_lookup_source.note(&lookup, count, 0);
    }
    assert_in_range(tried, 4, 25); // one step of 160 or fewer
    while (propose(&lookup, log, 12, 16, proposal) == 0)
        ;
    prompt_lookup_source.note(&lookup, 1, 1);
    assert_int_equal(propose(&lookup, log, 12, 16, proposal), 3);
    prompt_lookup_source.note(&lookup, 3, 3);
    assert_int_equal(propose(&lookup, log, 12, 16, proposal), 7);
}

// ---- with a model

struct chat {
    int32_t prompt[LONG_PROMPT];
    int32_t length;
    struct sampler_options sampler;
    int32_t max_tokens;
};

struct outcome {
    int32_t tokens[ANSWER];
    int64_t count, proposed, kept;
    enum stop_reason reason;
};

// Phrases that come again, so that there is something to find.
static void fill_chat(struct chat *chat, uint32_t vocabulary) {
    int32_t phrase[8];
    for (int i = 0; i < 8; i++)
        phrase[i] = (int32_t)dice(vocabulary);
    chat->length = 20 + (int32_t)dice(PROMPT - 20);
    for (int32_t i = 0; i < chat->length; i++)
        chat->prompt[i] = dice(6) ? phrase[i % 8] : (int32_t)dice(vocabulary);
    chat->sampler = sampler_options_default();
    chat->sampler.temperature = dice(2) ? 0 : 0.8f;
    chat->sampler.repeat_penalty = dice(4) ? 1 : 1.2f;
    chat->sampler.seed = dice(1000);
    chat->max_tokens = 1 + (int32_t)dice(ANSWER);
}

static void answer_chats(struct engine *engine, const struct chat *chats, int count,
                         int32_t speculate, struct outcome *outcomes) {
    struct sequence *sequences[CHATS_MOST];
    struct request *requests[CHATS_MOST];
    struct request_options options[CHATS_MOST];
    for (int i = 0; i < count; i++) {
        options[i] = (struct request_options){
            .sampler = chats[i].sampler, .max_tokens = chats[i].max_tokens, .speculate = speculate};
        assert_int_equal(sequence_create(engine, &sequences[i]), STATUS_OK);
        assert_int_equal(sequence_append(sequences[i], chats[i].prompt, (size_t)chats[i].length),
                         STATUS_OK);
    }
    assert_int_equal(request_start_all(sequences, options, count, requests), STATUS_OK);
    for (int done = 0; done < count;) {
        struct event event;
        assert_true(engine_next_event(engine, 60000, &event));
        engine_check(engine);
        int i = 0;
        while (requests[i] != event.request)
            i++;
        struct outcome *outcome = &outcomes[i];
        if (event.kind != EVENT_DONE) continue;
        assert_int_equal(event.status, STATUS_OK);
        outcome->count = event.stats.output_tokens;
        outcome->proposed = event.stats.draft_tokens;
        outcome->kept = event.stats.accepted_tokens;
        outcome->reason = event.reason;
        done++;
    }
    for (int i = 0; i < count; i++) {
        memcpy(outcomes[i].tokens, sequence_tokens(sequences[i]) + chats[i].length,
               (size_t)outcomes[i].count * sizeof outcomes[i].tokens[0]);
        assert_int_equal(sequence_length(sequences[i]), chats[i].length + outcomes[i].count);
        assert_int_equal(sequence_cached(sequences[i]), sequence_length(sequences[i]) - 1);
        request_release(requests[i]);
        sequence_destroy(sequences[i]);
    }
}

static struct engine *open_engine(const char *model, int32_t context, struct engine_info *info) {
    struct engine *engine;
    struct error err = {0};
    const struct engine_options options = {.model_path = model,
                                           .backend = "cpu",
                                           .threads = 2,
                                           .context = context,
                                           .deterministic = true,
                                           .step_tokens = ENGINE_STEP_TOKENS_ALL,
                                           .kv_device_bytes = POOL_BYTES};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_info(engine, info);
    return engine;
}

static void check_same(const struct outcome *with, const struct outcome *without) {
    assert_int_equal(with->count, without->count);
    assert_int_equal(with->reason, without->reason);
    assert_memory_equal(with->tokens, without->tokens,
                        (size_t)with->count * sizeof with->tokens[0]);
    assert_int_equal(without->proposed, 0);
}

static void speculation_does_not_change_an_answer(void **state) {
    (void)state;
    static const char *const models[] = {TESTS_DIR "/golden/llama.gguf",
                                         TESTS_DIR "/golden/qwen3.gguf", DEMO_MODEL};
    static struct chat chats[CHATS];
    static struct outcome with[CHATS], without[CHATS];
    int64_t proposed = 0, kept = 0;
    printf("seed %u\n", seed);
    for (size_t m = 0; m < 3; m++) {
        struct engine_info info;
        struct engine *engine = open_engine(models[m], m < 2 ? 256 : CONTEXT, &info);
        for (int round = 0; round < ROUNDS; round++) {
            const int count = round % 2 ? CHATS : 1;
            for (int i = 0; i < count; i++)
                fill_chat(&chats[i], (uint32_t)info.vocabulary);
            answer_chats(engine, chats, count, 0, without);
            answer_chats(engine, chats, count, 1 + (int32_t)dice(DRAFT_MAX), with);
            for (int i = 0; i < count; i++) {
                check_same(&with[i], &without[i]);
                proposed += with[i].proposed;
                kept += with[i].kept;
            }
        }
        engine_close(engine);
    }
    printf("%lld of %lld guesses were right\n", (long long)kept, (long long)proposed);
    assert_true(kept > CHECK_ROUNDS(50, 10) && proposed > kept);
}

// Answers that guess at every step, as each says one token again and again, beside prompts of which
// whole blocks fill what the answers leave of a step.
static void drafts_take_no_room_from_prompts_in_a_full_step(void **state) {
    (void)state;
    enum { GUESSING = 16, ALL = CHATS_MOST };
    static struct chat chats[ALL];
    static struct outcome with[ALL], without[ALL];
    struct engine_info info;
    struct engine *engine = open_engine(TESTS_DIR "/golden/llama.gguf", 256, &info);
    for (int32_t i = 0; i < ALL; i++) {
        struct chat *chat = &chats[i];
        const bool guesses = i < GUESSING;
        *chat = (struct chat){.length = guesses ? 16 : LONG_PROMPT,
                              .sampler = sampler_options_default(),
                              .max_tokens = guesses ? ANSWER : 1};
        chat->sampler.temperature = 0;
        chat->sampler.frequency_penalty = guesses ? -100 : 0;
        for (int32_t at = 0; at < chat->length; at++)
            chat->prompt[at] = guesses ? 100 + i : (int32_t)dice((uint32_t)info.vocabulary);
    }
    answer_chats(engine, chats, ALL, 0, without);
    engine_close(engine);
    engine = open_engine(TESTS_DIR "/golden/llama.gguf", 256, &info); // that has no prompt yet
    answer_chats(engine, chats, ALL, DRAFT_MAX, with);
    for (int32_t i = 0; i < ALL; i++) {
        check_same(&with[i], &without[i]);
        assert_true(i >= GUESSING || with[i].kept > 0);
    }
    engine_close(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tokens_after_the_latest_match_are_proposed),
        cmocka_unit_test(a_longer_match_beats_a_later_one),
        cmocka_unit_test(a_log_of_one_repeated_token_proposes_it),
        cmocka_unit_test(drafts_shrink_after_misses_and_grow_after_hits),
        cmocka_unit_test(speculation_does_not_change_an_answer),
        cmocka_unit_test(drafts_take_no_room_from_prompts_in_a_full_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
