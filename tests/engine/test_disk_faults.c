// tests/engine/test_disk_faults.c — a disk that fails, hangs or forgets never changes an answer,
// and a device that fails leaves nothing on it.
//
// The same conversation is asked with a healthy pool, and with one that misbehaves in each way
// that a pool may; its greedy tokens must be those of an engine without a pool.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "kernels/backend.h"
#include "kernels/base/log.h"
#include "tests/harness/memory_disk.h"

enum { PROMPT = 150, ANSWER = 12, LENGTH = PROMPT + ANSWER, DEADLINE_MS = 200 };

static int warnings;

static void count_warnings(enum log_level level, const char *text) {
    (void)text;
    warnings += level == LOG_WARNING;
}

// The processor as a device whose next sync fails when a test says so.
static struct backend processor;
static atomic_bool device_fails;

const struct backend *__real_backend_cpu(void);
const struct backend *__wrap_backend_cpu(void);

static enum status sync_or_fail(struct device *device) {
    const enum status status = __real_backend_cpu()->sync(device);
    return atomic_exchange(&device_fails, false) ? STATUS_DEVICE : status;
}

const struct backend *__wrap_backend_cpu(void) {
    processor = *__real_backend_cpu();
    processor.sync = sync_or_fail;
    return &processor;
}

static struct engine *open_engine(struct memory_store *store, size_t pool_blocks) {
    struct engine *engine;
    struct error err = {0};
    struct engine_options options = {
        .model_path = TESTS_DIR "/golden/qwen3.gguf",
        .backend = "cpu",
        .threads = 2,
        .context = 208,
        .kv_device_bytes = pool_blocks * 16 * 512, // 512 bytes a token
        .kv_restore = KV_RESTORE_ALWAYS,
        .io_deadline_ms = DEADLINE_MS,
        .disk = store ? memory_store_open(store) : NULL,
    };
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    return engine;
}

static struct sequence *prompt_of(struct engine *engine) {
    struct sequence *sequence;
    int32_t ids[PROMPT];
    for (int32_t i = 0; i < PROMPT; i++)
        ids[i] = i * 37 % 251;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids, PROMPT), STATUS_OK);
    return sequence;
}

static struct event end_of_answer(struct engine *engine, struct sequence *sequence) {
    struct request_options options = {
        .sampler = sampler_options_default(), .max_tokens = ANSWER, .ignore_end = true};
    options.sampler.temperature = 0;
    struct request *request;
    struct event event;
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    do
        assert_true(engine_next_event(engine, 20000, &event));
    while (event.kind != EVENT_DONE);
    request_release(request);
    engine_check(engine);
    return event;
}

static struct request_stats answer_sequence(struct engine *engine, struct sequence *sequence) {
    const struct event event = end_of_answer(engine, sequence);
    assert_int_equal(event.status, STATUS_OK);
    return event.stats;
}

static struct request_stats answer_prompt(struct engine *engine, int32_t tokens[LENGTH]) {
    struct sequence *sequence = prompt_of(engine);
    const struct request_stats stats = answer_sequence(engine, sequence);
    assert_int_equal(sequence_length(sequence), LENGTH);
    memcpy(tokens, sequence_tokens(sequence), LENGTH * sizeof tokens[0]);
    sequence_destroy(sequence);
    return stats;
}

static void truth(int32_t tokens[LENGTH]) {
    struct engine *engine = open_engine(NULL, 32);
    answer_prompt(engine, tokens);
    engine_close(engine);
}

// A store in which yesterday's engine left the conversation.
static struct memory_store *yesterday(const int32_t expected[LENGTH]) {
    int32_t tokens[LENGTH];
    struct memory_store *store = memory_store_create(0);
    assert_non_null(store);
    struct engine *engine = open_engine(store, 32);
    answer_prompt(engine, tokens);
    engine_close(engine);
    assert_memory_equal(tokens, expected, sizeof tokens);
    assert_int_equal(memory_store_blocks(store), LENGTH / 16 + 1); // the tail too
    warnings = 0;
    return store;
}

static void a_healthy_disk_restores_the_whole_prompt(void **state) {
    (void)state;
    int32_t expected[LENGTH], tokens[LENGTH];
    truth(expected);
    struct memory_store *store = yesterday(expected);
    struct engine *engine = open_engine(store, 32);
    const struct request_stats stats = answer_prompt(engine, tokens);
    assert_int_equal(stats.disk_tokens, PROMPT - 1);
    assert_memory_equal(tokens, expected, sizeof tokens);
    assert_int_equal(warnings, 0);
    engine_close(engine);
    memory_store_destroy(store);
}

static void an_unreadable_block_is_recomputed(void **state) {
    (void)state;
    static const enum status FAILURES[] = {STATUS_IO, STATUS_NOT_FOUND, STATUS_BAD_FILE};
    int32_t expected[LENGTH], tokens[LENGTH];
    truth(expected);
    for (size_t i = 0; i < sizeof FAILURES / sizeof FAILURES[0]; i++)
        for (uint32_t nth = 1; nth <= PROMPT / 16; nth += 4) {
            struct memory_store *store = yesterday(expected);
            memory_store_fail_read(store, nth, FAILURES[i]);
            struct engine *engine = open_engine(store, 32);
            const struct request_stats stats = answer_prompt(engine, tokens);
            assert_int_equal(stats.disk_tokens, (nth - 1) * 16); // the prefix before it is kept
            assert_memory_equal(tokens, expected, sizeof tokens);
            assert_int_equal(warnings, 1);
            engine_close(engine);
            memory_store_destroy(store);
        }
}

static void a_hanging_read_falls_back_to_computing(void **state) {
    (void)state;
    int32_t expected[LENGTH], tokens[LENGTH];
    truth(expected);
    struct memory_store *store = yesterday(expected);
    struct engine *engine = open_engine(store, 32);
    memory_store_block(store, true, false);
    const struct request_stats stats = answer_prompt(engine, tokens);
    assert_int_equal(stats.cached_tokens, 0);
    assert_memory_equal(tokens, expected, sizeof tokens);
    assert_int_equal(warnings, 1);
    struct sequence *sequence = prompt_of(engine); // and is found on the device from now on
    struct restore_report report;
    sequence_restore(sequence, 1000, &report);
    assert_int_equal(report.device_tokens, PROMPT);
    memory_store_unblock(store);
    sequence_destroy(sequence);
    engine_close(engine);
    memory_store_destroy(store);
}

static void a_cancel_does_not_wait_for_the_disk(void **state) {
    (void)state;
    int32_t expected[LENGTH];
    truth(expected);
    struct memory_store *store = yesterday(expected);
    struct engine *engine = open_engine(store, 32);
    memory_store_block(store, true, false);
    struct sequence *sequence = prompt_of(engine);
    const struct request_options options = {.sampler = sampler_options_default()};
    struct request *request;
    struct event event;
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    assert_true(memory_store_wait_blocked(store, 5000));
    request_cancel(request);
    do
        assert_true(engine_next_event(engine, 20000, &event));
    while (event.kind != EVENT_DONE);
    assert_int_equal(event.reason, STOP_REASON_CANCELLED);
    assert_int_equal(warnings, 0); // it was not the deadline
    request_release(request);
    memory_store_unblock(store);
    engine_close(engine);
    memory_store_destroy(store);
}

static void a_failed_write_changes_no_answer_and_is_retried(void **state) {
    (void)state;
    static const enum status FAILURES[] = {STATUS_FULL, STATUS_IO};
    int32_t expected[LENGTH], tokens[LENGTH];
    truth(expected);
    for (size_t i = 0; i < sizeof FAILURES / sizeof FAILURES[0]; i++) {
        struct memory_store *store = memory_store_create(0);
        struct engine *engine = open_engine(store, 32);
        warnings = 0;
        memory_store_fail_write(store, 1, FAILURES[i]);
        answer_prompt(engine, tokens);
        assert_memory_equal(tokens, expected, sizeof tokens);
        engine_close(engine); // tries once more
        assert_int_equal(warnings, 1);
        assert_int_equal(memory_store_blocks(store), LENGTH / 16 + 1);
        memory_store_destroy(store);
    }
}

static void the_engine_runs_without_an_unusable_disk(void **state) {
    (void)state;
    int32_t expected[LENGTH], tokens[LENGTH];
    truth(expected);
    for (int at_list = 0; at_list < 2; at_list++) {
        struct memory_store *store = yesterday(expected);
        memory_store_fail_opening(store, at_list, STATUS_IO);
        struct engine *engine = open_engine(store, 32);
        assert_false(memory_store_is_open(store));
        assert_int_equal(warnings, 1);
        const struct request_stats stats = answer_prompt(engine, tokens);
        assert_int_equal(stats.cached_tokens, 0);
        assert_memory_equal(tokens, expected, sizeof tokens);
        engine_close(engine);
        memory_store_destroy(store);
    }
}

// The pool holds one conversation; what is evicted goes to the disk and comes back.
static void a_pool_for_one_conversation_changes_no_answer(void **state) {
    (void)state;
    int32_t expected[LENGTH], tokens[LENGTH];
    truth(expected);
    struct memory_store *store = memory_store_create(0);
    struct engine *engine = open_engine(store, 14);
    answer_prompt(engine, tokens);
    for (int32_t salt = 1; salt < 4; salt++) {
        struct sequence *other;
        int32_t ids[PROMPT];
        for (int32_t i = 0; i < PROMPT; i++)
            ids[i] = (i * 37 + salt * 11) % 251;
        assert_int_equal(sequence_create(engine, &other), STATUS_OK);
        assert_int_equal(sequence_append(other, ids, PROMPT), STATUS_OK);
        answer_sequence(engine, other);
        sequence_destroy(other);
    }
    const struct request_stats stats = answer_prompt(engine, tokens);
    assert_true(stats.disk_tokens + stats.host_tokens >= PROMPT / 16 * 16);
    assert_memory_equal(tokens, expected, sizeof tokens);
    engine_close(engine);
    memory_store_destroy(store);
}

static void a_failed_device_answers_and_writes_nothing(void **state) {
    (void)state;
    struct memory_store *store = memory_store_create(0);
    struct engine *engine = open_engine(store, 32);
    warnings = 0;
    for (int i = 0; i < 3; i++) {
        struct sequence *sequence = prompt_of(engine);
        if (i == 0) device_fails = true;
        const struct event event = end_of_answer(engine, sequence);
        assert_int_equal(event.status, STATUS_DEVICE);
        assert_int_equal(event.reason, STOP_REASON_FAILED);
        assert_int_equal(sequence_length(sequence), PROMPT);
        sequence_destroy(sequence);
    }
    engine_close(engine);
    assert_int_equal(warnings, 1);
    assert_int_equal(memory_store_blocks(store), 0);
    memory_store_destroy(store);
}

int main(void) {
    log_set_sink(count_warnings);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_disk_restores_the_whole_prompt),
        cmocka_unit_test(an_unreadable_block_is_recomputed),
        cmocka_unit_test(a_hanging_read_falls_back_to_computing),
        cmocka_unit_test(a_cancel_does_not_wait_for_the_disk),
        cmocka_unit_test(a_failed_write_changes_no_answer_and_is_retried),
        cmocka_unit_test(the_engine_runs_without_an_unusable_disk),
        cmocka_unit_test(a_pool_for_one_conversation_changes_no_answer),
        cmocka_unit_test(a_failed_device_answers_and_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
