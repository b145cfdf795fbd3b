// tests/engine/test_reopened.c — after a kernel's fault, the engine that is opened next answers as
// the first one did.
//
// A fault ends with the device being reset, and the driver forgets what it was asked for each
// kernel. 32 sequences over Q4_K take the kernels that need more shared memory than a launch gets
// unasked; a mixture takes those of experts too. Some drivers keep the GPU from a process whose
// kernel failed, so the device is also reset without a fault.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <string.h>

#include "engine/engine.h"
#include "tests/engine/fault.h"

enum { SEQUENCES = 32, PROMPT = 50, ANSWER = 12 };

struct answers {
    int32_t tokens[SEQUENCES][ANSWER];
};

static struct engine *open_shape(const char *shape) {
    struct engine *engine;
    struct error err = {0};
    const struct engine_options options = {.shape = shape,
                                           .shape_type = "q4_k",
                                           .backend = "cuda",
                                           .context = 256,
                                           .kv_device_bytes = (size_t)1 << 30,
                                           .kv_host_bytes = (size_t)32 << 20,
                                           .deterministic = true};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    return engine;
}

static struct sequence *new_sequence(struct engine *engine, int32_t which) {
    struct sequence *sequence;
    int32_t ids[PROMPT];
    for (int32_t i = 0; i < PROMPT; i++)
        ids[i] = 1 + (which * 977 + i * 131) % 30000;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids, PROMPT), STATUS_OK);
    return sequence;
}

static void start_all(struct engine *engine, struct sequence **sequences,
                      struct request **requests) {
    struct request_options options[SEQUENCES];
    for (int32_t i = 0; i < SEQUENCES; i++) {
        sequences[i] = new_sequence(engine, i);
        options[i] = (struct request_options){
            .sampler = sampler_options_default(), .max_tokens = ANSWER, .ignore_end = true};
        options[i].sampler.temperature = 0;
    }
    assert_int_equal(request_start_all(sequences, options, SEQUENCES, requests), STATUS_OK);
}

static void finish_all(struct engine *engine, enum status expected) {
    struct event event;
    for (int done = 0; done < SEQUENCES;) {
        assert_true(engine_next_event(engine, 60000, &event));
        if (event.kind != EVENT_DONE) continue;
        assert_int_equal(event.status, expected);
        done++;
    }
}

static void answer_all(struct engine *engine, struct answers *answers) {
    struct sequence *sequences[SEQUENCES];
    struct request *requests[SEQUENCES];
    start_all(engine, sequences, requests);
    finish_all(engine, STATUS_OK);
    for (int32_t i = 0; i < SEQUENCES; i++) {
        assert_int_equal(sequence_length(sequences[i]), PROMPT + ANSWER);
        memcpy(answers->tokens[i], sequence_tokens(sequences[i]) + PROMPT,
               sizeof answers->tokens[i]);
        request_release(requests[i]);
        sequence_destroy(sequences[i]);
    }
}

static void fail_all(struct engine *engine) {
    struct sequence *sequences[SEQUENCES];
    struct request *requests[SEQUENCES];
    assert_true(card_fault());
    start_all(engine, sequences, requests);
    finish_all(engine, STATUS_DEVICE);
    for (int32_t i = 0; i < SEQUENCES; i++)
        request_release(requests[i]);
}

static void reopen_and_compare(const char *shape, const struct answers *before) {
    struct answers after;
    struct engine *engine = open_shape(shape);
    answer_all(engine, &after);
    engine_close(engine);
    assert_memory_equal(before->tokens, after.tokens, sizeof after.tokens);
}

static void check_reopened(const char *shape) {
    struct answers before;
    if (!card_is_here()) skip();
    struct engine *engine = open_shape(shape);
    answer_all(engine, &before);
    engine_close(engine);
    assert_memory_not_equal(before.tokens[0], before.tokens[1], sizeof before.tokens[0]);
    card_reset();
    reopen_and_compare(shape, &before);
    engine = open_shape(shape);
    fail_all(engine);
    engine_close(engine);
    if (card_is_here())
        reopen_and_compare(shape, &before);
    else
        print_message("the driver does not give the GPU back to a process whose kernel failed\n");
}

static void an_engine_opened_after_a_reset_answers_alike(void **state) {
    (void)state;
    check_reopened("llama-3.2-1b");
}

static void a_mixture_opened_after_a_reset_answers_alike(void **state) {
    (void)state;
    check_reopened("qwen3-30b-a3b");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_engine_opened_after_a_reset_answers_alike),
        cmocka_unit_test(a_mixture_opened_after_a_reset_answers_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
