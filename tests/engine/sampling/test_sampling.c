// tests/engine/sampling/test_sampling.c — an answer is the same whether its logits came whole or as
// candidates.
//
// A request with an observer has whole rows, which the sampler takes apart by itself; one without
// has the candidates that the backend chose. On every backend; alone and in one batch with others.
#include "engine/engine.h"
#include "kernels/backend.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROMPT = 30, ANSWER = 40, CHATS = 6, ROUNDS = CHECK_ROUNDS(12, 2), SEED = 41 };

static uint32_t seed = SEED;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static void count_row(void *user, const float *logits, int32_t vocabulary) {
    (void)logits;
    assert_true(vocabulary > 0);
    ++*(int *)user;
}

// What candidates are enough for, and, one time in eight, what they are not.
static struct sampler_options random_options(void) {
    static const float temperatures[] = {0, 0.7f, 1, 1.5f}, top_ps[] = {0.3f, 0.9f, 1},
                       min_ps[] = {0, 0, 0.05f}, repeats[] = {1, 1.3f};
    static const int32_t top_ks[] = {1, 2, 40, 40, 64, 65, 200, 0};
    struct sampler_options options = sampler_options_default();
    options.temperature = temperatures[dice(4)];
    options.top_k = top_ks[dice(8)];
    options.top_p = top_ps[dice(3)];
    options.min_p = min_ps[dice(3)];
    options.repeat_penalty = repeats[dice(2)];
    options.presence_penalty = dice(3) == 0 ? 0.5f : 0;
    options.frequency_penalty = dice(3) == 0 ? 0.25f : 0;
    options.penalty_last_n = (int32_t)dice(80) - 1;
    options.seed = dice(1u << 20);
    return options;
}

struct chat {
    int32_t prompt[PROMPT];
    struct sampler_options options;
};

// All chats in one batch; `seen`, if any, counts the whole rows.
static void answer_chats(struct engine *engine, const struct chat *chats, int count, int *seen,
                         int32_t answers[][ANSWER]) {
    struct sequence *sequences[CHATS];
    struct request *requests[CHATS];
    for (int i = 0; i < count; i++) {
        const struct request_options options = {.sampler = chats[i].options,
                                                .max_tokens = ANSWER,
                                                .ignore_end = true,
                                                .observer = seen ? count_row : NULL,
                                                .observer_user = seen};
        assert_int_equal(sequence_create(engine, &sequences[i]), STATUS_OK);
        assert_int_equal(sequence_append(sequences[i], chats[i].prompt, PROMPT), STATUS_OK);
        assert_int_equal(request_start_all(&sequences[i], &options, 1, &requests[i]), STATUS_OK);
    }
    for (int done = 0; done < count;) {
        struct event event;
        assert_true(engine_next_event(engine, 60000, &event));
        if (event.kind == EVENT_DONE) assert_int_equal(event.status, STATUS_OK);
        done += event.kind == EVENT_DONE;
    }
    for (int i = 0; i < count; i++) {
        memcpy(answers[i], sequence_tokens(sequences[i]) + PROMPT, sizeof answers[i]);
        request_release(requests[i]);
        sequence_destroy(sequences[i]);
    }
}

static void compare_answers(struct engine *engine) {
    int32_t whole[CHATS][ANSWER], chosen[CHATS][ANSWER];
    struct engine_info info;
    engine_info(engine, &info);
    for (int round = 0; round < ROUNDS; round++) {
        struct chat chats[CHATS];
        const int count = round % 2 ? CHATS : 1;
        int seen = 0;
        for (int i = 0; i < count; i++) {
            chats[i].options = random_options();
            for (int t = 0; t < PROMPT; t++)
                chats[i].prompt[t] = (int32_t)dice((uint32_t)info.vocabulary);
        }
        answer_chats(engine, chats, count, NULL, chosen);
        for (int i = 0; i < count; i++)
            answer_chats(engine, &chats[i], 1, &seen, &whole[i]);
        assert_int_equal(seen, count * ANSWER);
        for (int i = 0; i < count; i++)
            assert_memory_equal(whole[i], chosen[i], sizeof whole[i]);
    }
}

static void on_backend(const char *backend) {
    static const char *const models[] = {TESTS_DIR "/golden/qwen3.gguf", DEMO_MODEL};
    const bool is_slow = strcmp(backend, "reference") == 0;
    printf("seed %u on %s\n", seed, backend);
    for (size_t i = 0; i < (is_slow ? 1 : 2); i++) {
        struct engine *engine;
        struct error err = {0};
        const struct engine_options options = {.model_path = models[i],
                                               .backend = backend,
                                               .threads = 2,
                                               .context = 256,
                                               .deterministic = true}; // batched as alone
        if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
        compare_answers(engine);
        engine_close(engine);
    }
}

static void device_candidates_give_the_same_tokens_on_the_reference(void **state) {
    (void)state;
    on_backend("reference");
}

static void device_candidates_give_the_same_tokens_on_the_cpu(void **state) {
    (void)state;
    on_backend("cpu");
}

static void device_candidates_give_the_same_tokens_on_a_gpu(void **state) {
    (void)state;
    struct device *device;
    const struct device_options options = {0};
    if (!backend_cuda() || backend_cuda()->open(&options, &device, NULL) != STATUS_OK) skip();
    backend_cuda()->close(device);
    on_backend("cuda");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_candidates_give_the_same_tokens_on_the_reference),
        cmocka_unit_test(device_candidates_give_the_same_tokens_on_the_cpu),
        cmocka_unit_test(device_candidates_give_the_same_tokens_on_a_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
