// tests/engine/test_engine.c — engine.h as its callers use it: sequences, requests, events.
#include "engine/engine.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/core/sequence_state.h"
#include "kernels/base/clock.h"

enum { VOCABULARY = 256, LONG = 120 };

static uint32_t seed = 11;

// Allocations by our own libraries (the linker sends them here), from any thread.
static atomic_long allocations;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

void *__wrap_malloc(size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __real_realloc(memory, bytes);
}

static bool is_running(const struct sequence *sequence) {
    pthread_mutex_lock(&sequence->engine->lock);
    const bool running = sequence->running != NULL;
    pthread_mutex_unlock(&sequence->engine->lock);
    return running;
}

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static void random_ids(int32_t *ids, size_t count) {
    for (size_t i = 0; i < count; i++)
        ids[i] = (int32_t)dice(VOCABULARY);
}

static struct engine *open_tiers(size_t pool_bytes, size_t host_bytes, int32_t context) {
    struct engine *engine;
    struct error err = {0};
    const struct engine_options options = {
        .model_path = TESTS_DIR "/golden/qwen3.gguf",
        .backend = "cpu",
        .threads = 2,
        .kv_device_bytes = pool_bytes,
        .kv_host_bytes = host_bytes,
        .context = context,
    };
    const enum status status = engine_open(&options, &engine, &err);
    if (status != STATUS_OK) fprintf(stderr, "%s\n", err.text);
    assert_int_equal(status, STATUS_OK);
    return engine;
}

static struct engine *open_engine(size_t pool_bytes, int32_t context) {
    return open_tiers(pool_bytes, 0, context);
}

static struct request *start_request(struct sequence *sequence, int32_t max_tokens,
                                     uint64_t sampler_seed) {
    struct request_options options = {
        .sampler = sampler_options_default(), .max_tokens = max_tokens, .ignore_end = true};
    options.sampler.seed = sampler_seed;
    struct request *request;
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    return request;
}

// Runs one request to its end and returns its DONE.
static struct event finish_request(struct engine *engine, struct request *request) {
    struct event event;
    do
        assert_true(engine_next_event(engine, 20000, &event));
    while (event.kind != EVENT_DONE || event.request != request);
    return event;
}

static void generate(struct engine *engine, struct sequence *sequence, int32_t tokens,
                     uint64_t sampler_seed) {
    struct request *request = start_request(sequence, tokens, sampler_seed);
    const struct event done = finish_request(engine, request);
    assert_int_equal(done.status, STATUS_OK);
    assert_int_equal(done.reason, STOP_REASON_LENGTH);
    assert_int_equal(done.stats.output_tokens, tokens);
    request_release(request);
}

static struct sequence *sequence_of(struct engine *engine, const int32_t *ids, size_t count) {
    struct sequence *sequence;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids, count), STATUS_OK);
    return sequence;
}

static void assert_same_log(const struct sequence *a, const struct sequence *b) {
    assert_int_equal(sequence_length(a), sequence_length(b));
    assert_memory_equal(sequence_tokens(a), sequence_tokens(b),
                        (size_t)sequence_length(a) * sizeof(int32_t));
}

static void events_arrive_in_order_and_end_with_done(void **state) {
    (void)state;
    struct engine *engine = open_engine(0, 0);
    int32_t ids[LONG];
    random_ids(ids, LONG);
    struct sequence *sequence = sequence_of(engine, ids, LONG);
    struct request *request = start_request(sequence, 9, 1);
    int32_t cached = 0, tokens = 0;
    struct event event = {0};
    while (event.kind != EVENT_DONE) {
        assert_true(engine_next_event(engine, 20000, &event));
        assert_ptr_equal(event.request, request);
        if (event.kind == EVENT_PREFILL) {
            assert_int_equal(tokens, 0);
            assert_true(event.done > cached && event.done <= event.total);
            cached = event.done;
        }
        if (event.kind == EVENT_TOKEN) {
            assert_int_equal(cached, LONG);
            assert_int_equal(event.token, sequence_tokens(sequence)[LONG + tokens]);
            tokens++;
        }
    }
    assert_int_equal(tokens, 9);
    assert_int_equal(event.stats.prompt_tokens, LONG);
    assert_int_equal(event.stats.cached_tokens, 0);
    assert_false(is_running(sequence));
    assert_int_equal(sequence_cached(sequence), LONG + 8); // the last was sampled, not computed
    assert_false(engine_next_event(engine, 0, &event));
    request_release(request);
    engine_check(engine);
    engine_close(engine);
}

// As after ^Z and fg.
static void time_that_the_process_was_stopped_for_is_not_work(void **state) {
    (void)state;
    enum { STOP_US = 5000000 };
    const int64_t now_us = clock_now_us(), left_out_us = now_us - clock_working_us();
    clock_note_stop(STOP_US);
    const int64_t working_us = clock_working_us();
    assert_true(clock_now_us() - working_us >= left_out_us + STOP_US);
}

static void the_same_seed_gives_the_same_tokens(void **state) {
    (void)state;
    struct engine *engine = open_engine(0, 0);
    int32_t ids[20];
    random_ids(ids, 20);
    struct sequence *a = sequence_of(engine, ids, 20), *b = sequence_of(engine, ids, 20),
                    *c = sequence_of(engine, ids, 20);
    generate(engine, a, 40, 5);
    generate(engine, b, 40, 5);
    generate(engine, c, 40, 6);
    assert_same_log(a, b);
    assert_memory_not_equal(sequence_tokens(a), sequence_tokens(c), 60 * sizeof(int32_t));
    engine_close(engine);
}

static void the_second_turn_computes_only_new_tokens(void **state) {
    (void)state;
    struct engine *engine = open_engine(0, 0);
    int32_t ids[60], more[10];
    random_ids(ids, 60);
    random_ids(more, 10);
    struct sequence *sequence = sequence_of(engine, ids, 60);
    generate(engine, sequence, 12, 1);
    assert_int_equal(sequence_append(sequence, more, 10), STATUS_OK);
    struct request *request = start_request(sequence, 5, 2);
    const struct event done = finish_request(engine, request);
    assert_int_equal(done.stats.prompt_tokens, 82);
    assert_int_equal(done.stats.cached_tokens, 71);
    request_release(request);

    // And gives what a fresh sequence with the same tokens gives.
    struct sequence *fresh = sequence_of(engine, sequence_tokens(sequence), 82);
    generate(engine, fresh, 5, 2);
    assert_same_log(sequence, fresh);
    engine_check(engine);
    engine_close(engine);
}

static void diverging_forks_equal_separate_runs(void **state) {
    (void)state;
    struct engine *engine = open_engine(0, 0);
    int32_t ids[37], left[5], right[5];
    random_ids(ids, 37);
    random_ids(left, 5);
    random_ids(right, 5);
    struct sequence *original = sequence_of(engine, ids, 37), *fork;
    generate(engine, original, 6, 3);
    const int32_t past = sequence_length(original);
    assert_int_equal(sequence_fork(original, &fork), STATUS_OK);
    assert_int_equal(sequence_cached(fork), sequence_cached(original));
    assert_int_equal(sequence_append(original, left, 5), STATUS_OK);
    assert_int_equal(sequence_append(fork, right, 5), STATUS_OK);
    struct request *first = start_request(original, 30, 7),
                   *second = start_request(fork, 30, 8); // one batch
    finish_request(engine, first);
    if (is_running(fork)) finish_request(engine, second);
    for (struct event event; engine_next_event(engine, 0, &event);) {
    }
    request_release(first);
    request_release(second);
    struct sequence *sides[2] = {original, fork};
    for (int side = 0; side < 2; side++) {
        struct sequence *alone =
            sequence_of(engine, sequence_tokens(sides[side]), (size_t)past + 5);
        generate(engine, alone, 30, side ? 8 : 7);
        assert_same_log(sides[side], alone);
    }
    engine_check(engine);
    engine_close(engine);
}

enum { FORKS = 20, TRIES = 100 };

// Forks a sequence while its answer of 200 tokens is written. Returns how often it could: on a busy
// machine the answer may be there before the first event is seen.
static int fork_while_running(struct engine *engine, struct sequence *busy,
                              struct sequence *forks[FORKS]) {
    struct request *request = start_request(busy, 200, 4);
    struct event event;
    int count = 0;
    do {
        assert_true(engine_next_event(engine, 20000, &event));
        if (event.kind == EVENT_TOKEN && count < FORKS && is_running(busy))
            assert_int_equal(sequence_fork(busy, &forks[count++]), STATUS_OK);
        engine_check(engine);
    } while (event.kind != EVENT_DONE);
    request_release(request);
    return count;
}

// The fork of a sequence that is being written has what was finished, and disturbs nothing.
static void a_sequence_can_be_forked_while_it_is_answering(void **state) {
    (void)state;
    struct engine *engine = open_engine(0, 0);
    int32_t ids[30];
    random_ids(ids, 30);
    struct sequence *quiet = sequence_of(engine, ids, 30), *busy = NULL, *forks[FORKS];
    generate(engine, quiet, 200, 4);
    int count = 0;
    for (int i = 0; i < TRIES && count == 0; i++) {
        sequence_destroy(busy);
        busy = sequence_of(engine, ids, 30);
        count = fork_while_running(engine, busy, forks);
    }
    assert_true(count > 0);
    assert_same_log(busy, quiet);
    for (int i = 0; i < count; i++) {
        const int32_t length = sequence_length(forks[i]);
        assert_memory_equal(sequence_tokens(forks[i]), sequence_tokens(quiet),
                            (size_t)length * sizeof(int32_t));
        struct sequence *fresh = sequence_of(engine, sequence_tokens(forks[i]), (size_t)length);
        generate(engine, forks[i], 3, 9);
        generate(engine, fresh, 3, 9);
        assert_same_log(forks[i], fresh);
        sequence_destroy(fresh);
        sequence_destroy(forks[i]);
    }
    engine_check(engine);
    engine_close(engine);
}

// Six answers to one prompt: it is computed once, but for each one's last token, and each answer is
// as if it were alone. The tail of the prompt is shared until each writes into it.
static void a_common_prompt_is_computed_once(void **state) {
    (void)state;
    enum { SAMPLES = 6 };
    int32_t ids[LONG];
    random_ids(ids, LONG);
    for (int32_t length = LONG - 17; length <= LONG; length += CHECK_THREADS ? 6 : 1) {
        struct engine *engine = open_engine(4 << 20, 256), *judge = open_engine(4 << 20, 256);
        struct sequence *sequences[SAMPLES];
        struct request *requests[SAMPLES];
        struct kv_usage usage;
        for (int i = 0; i < SAMPLES; i++) {
            sequences[i] = sequence_of(engine, ids, (size_t)length);
            requests[i] = start_request(sequences[i], 20, (uint64_t)i);
        }
        for (int done = 0; done < SAMPLES;) {
            struct event event;
            assert_true(engine_next_event(engine, 20000, &event));
            done += event.kind == EVENT_DONE;
            engine_check(engine);
        }
        engine_kv_usage(engine, &usage);
        assert_int_equal(usage.work.prefilled_tokens, length + SAMPLES - 1);
        for (int i = 0; i < SAMPLES; i++) {
            struct sequence *alone = sequence_of(judge, ids, (size_t)length);
            generate(judge, alone, 20, (uint64_t)i);
            assert_same_log(sequences[i], alone);
            request_release(requests[i]);
            sequence_destroy(alone);
        }
        engine_close(judge);
        engine_close(engine);
    }
}

static void a_cancelled_request_keeps_its_tokens(void **state) {
    (void)state;
    struct engine *engine = open_engine(0, 0);
    int32_t ids[16];
    random_ids(ids, 16);
    struct sequence *sequence = sequence_of(engine, ids, 16);
    struct request *request = start_request(sequence, 0, 1);
    struct event event;
    int tokens = 0;
    do {
        assert_true(engine_next_event(engine, 20000, &event));
        tokens += event.kind == EVENT_TOKEN;
        if (tokens == 5) request_cancel(request);
    } while (event.kind != EVENT_DONE);
    assert_int_equal(event.reason, STOP_REASON_CANCELLED);
    assert_int_equal(sequence_length(sequence), 16 + tokens);
    request_release(request);
    generate(engine, sequence, 4, 1); // and it can go on
    engine_check(engine);
    engine_close(engine);
}

static void an_answer_stops_at_the_end_of_the_context(void **state) {
    (void)state;
    struct engine *engine = open_engine(0, 64);
    int32_t ids[64];
    random_ids(ids, 64);
    struct sequence *sequence;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids, 64), STATUS_TOO_LONG);
    assert_int_equal(sequence_length(sequence), 0);
    assert_int_equal(sequence_append(sequence, ids, 63), STATUS_OK);
    struct request *request = start_request(sequence, 0, 1);
    const struct event done = finish_request(engine, request);
    assert_int_equal(done.reason, STOP_REASON_CONTEXT);
    assert_int_equal(sequence_length(sequence), 64);
    request_release(request);
    engine_close(engine);
}

static void a_token_id_out_of_range_is_refused(void **state) {
    (void)state;
    struct engine *engine = open_engine(0, 0);
    struct sequence *sequence;
    const int32_t bad[] = {1, 1 << 20}, negative[] = {-1};
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, bad, 2), STATUS_BAD_INPUT);
    assert_int_equal(sequence_append(sequence, negative, 1), STATUS_BAD_INPUT);
    assert_int_equal(sequence_length(sequence), 0);
    engine_close(engine);
}

static struct engine *open_small(const struct engine_info *like, size_t blocks, int32_t context) {
    return open_engine(blocks * like->block_bytes, context);
}

static struct engine_info model_info(void) {
    struct engine *engine = open_engine(0, 64);
    struct engine_info info;
    engine_info(engine, &info);
    engine_close(engine);
    return info;
}

static atomic_bool both_run;

static void wait_for_both(void *user, const float *logits, int32_t vocabulary) {
    (void)user, (void)logits, (void)vocabulary;
    while (!atomic_load(&both_run))
        usleep(100);
}

static struct request *start_waiting(struct sequence *sequence) {
    struct request_options options = {.sampler = sampler_options_default(),
                                      .max_tokens = 60,
                                      .ignore_end = true,
                                      .observer = wait_for_both};
    options.sampler.seed = 1;
    struct request *request;
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    return request;
}

// Two sequences of 60 tokens and answers of 60 in a pool for one of them.
static void run_one_after_the_other(const struct engine_info *info, size_t host_blocks,
                                    struct kv_usage *usage) {
    int32_t ids[2][60];
    random_ids(ids[0], 60);
    random_ids(ids[1], 60);
    struct engine *roomy = open_engine(0, 128);
    struct engine *small = open_tiers(9 * info->block_bytes, host_blocks * info->block_bytes, 128);
    struct sequence *alone[2], *together[2];
    struct request *requests[2];
    atomic_store(&both_run, false);
    for (int i = 0; i < 2; i++) {
        alone[i] = sequence_of(roomy, ids[i], 60);
        generate(roomy, alone[i], 60, 1);
        together[i] = sequence_of(small, ids[i], 60);
        requests[i] = start_waiting(together[i]);
    }
    atomic_store(&both_run, true);
    for (int done = 0; done < 2;) {
        struct event event;
        assert_true(engine_next_event(small, 20000, &event));
        if (event.kind != EVENT_DONE) continue;
        assert_int_equal(event.status, STATUS_OK);
        assert_int_equal(event.stats.output_tokens, 60);
        done++;
        engine_check(small);
    }
    engine_kv_usage(small, usage);
    assert_true(usage->work.preempted_requests > 0);
    for (int i = 0; i < 2; i++) {
        request_release(requests[i]);
        assert_same_log(alone[i], together[i]);
    }
    engine_close(roomy);
    engine_close(small);
}

static void preempted_requests_answer_as_if_alone(void **state) {
    (void)state;
    const struct engine_info info = model_info();
    struct kv_usage usage;
    run_one_after_the_other(&info, 0, &usage);
    assert_int_equal(usage.swap_out_bytes, 0);
    run_one_after_the_other(&info, 64, &usage);
}

// In a pool for one: the second has not come in yet when it is cancelled, the third comes in after.
static void a_waiting_request_can_be_cancelled(void **state) {
    (void)state;
    const struct engine_info info = model_info();
    struct engine *small = open_small(&info, 9, 128);
    struct sequence *sequences[3];
    struct request *requests[3];
    int32_t ids[3][100];
    atomic_store(&both_run, false);
    for (int i = 0; i < 3; i++) {
        random_ids(ids[i], 100);
        sequences[i] = sequence_of(small, ids[i], 100);
        requests[i] = i == 0 ? start_waiting(sequences[i]) : start_request(sequences[i], 5, 1);
    }
    request_cancel(requests[1]);
    request_cancel(requests[0]);
    atomic_store(&both_run, true);
    const enum stop_reason expected[] = {STOP_REASON_CANCELLED, STOP_REASON_CANCELLED,
                                         STOP_REASON_LENGTH};
    for (int done = 0; done < 3;) {
        struct event event;
        assert_true(engine_next_event(small, 20000, &event));
        if (event.kind != EVENT_DONE) continue;
        int i = 0;
        while (requests[i] != event.request)
            i++;
        assert_int_equal(event.reason, expected[i]);
        if (i == 1) assert_int_equal(event.stats.output_tokens, 0);
        done++;
        engine_check(small);
    }
    assert_int_equal(sequence_length(sequences[1]), 100);
    assert_int_equal(sequence_blocks(sequences[1]), 0);
    for (int i = 0; i < 3; i++)
        request_release(requests[i]);
    engine_close(small);
}

// A state takes as much as many blocks of keys. What is left when a sequence has its states is for
// the keys, however few states that are.
static void a_small_pool_of_a_hybrid_has_room_for_keys(void **state) {
    (void)state;
    enum { BLOCKS = 12 };
    struct engine_options options = {.model_path = TESTS_DIR "/golden/granitehybrid.gguf",
                                     .backend = "cpu",
                                     .threads = 1,
                                     .kv_device_bytes = (size_t)64 << 20};
    struct engine *engine;
    struct engine_info info;
    struct error err = {0};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_info(engine, &info);
    engine_close(engine);
    assert_true(info.sequence_bytes > BLOCKS * info.block_bytes);
    options.kv_device_bytes = info.sequence_bytes + BLOCKS * info.block_bytes;
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_info(engine, &info);
    assert_true(info.blocks_total > BLOCKS * 3 / 4);
    engine_check(engine);
    engine_close(engine);
}

// The context is what the pool holds, so a sequence that fills it has room for its last block.
static void one_sequence_can_fill_the_pool(void **state) {
    (void)state;
    const struct engine_info info = model_info();
    struct engine *small = open_small(&info, 9, 128);
    int32_t ids[60];
    random_ids(ids, 60);
    struct sequence *a = sequence_of(small, ids, 60), *idle = sequence_of(small, ids, 60);
    generate(small, idle, 40, 2);
    struct request *request = start_request(a, 0, 1);
    const struct event done = finish_request(small, request);
    assert_int_equal(done.reason, STOP_REASON_CONTEXT);
    assert_int_equal(sequence_length(a), 128);
    assert_int_equal(sequence_cached(idle), 0); // gave its blocks up, and kept its tokens
    assert_int_equal(sequence_length(idle), 100);
    request_release(request);
    sequence_truncate(a, 127); // the last block is sealed or not: it is computed in a copy
    generate(small, a, 1, 1);
    engine_check(small);
    engine_close(small);
}

static void a_decode_step_allocates_nothing(void **state) {
    (void)state;
    struct engine *engine = open_engine(0, 0);
    int32_t ids[16];
    random_ids(ids, 16);
    struct sequence *sequence = sequence_of(engine, ids, 16);
    struct request *request = start_request(sequence, 150, 1);
    struct event event;
    long before = -1;
    int tokens = 0;
    do {
        assert_true(engine_next_event(engine, 20000, &event));
        tokens += event.kind == EVENT_TOKEN;
        if (tokens == 1 && before < 0) before = atomic_load(&allocations);
    } while (event.kind != EVENT_DONE);
    assert_true(before > 0); // the counter does count
    assert_int_equal(atomic_load(&allocations), before);
    request_release(request);
    engine_close(engine);
}

// Many sequences, many requests, random verbs; every finished answer is computed again alone.
static void a_random_walk_agrees_with_running_alone(void **state) {
    (void)state;
    enum { SEQS = 6, CHECKED = CHECK_ROUNDS(40, 12), STEPS_MAX = 100000 };
    struct engine *engine = open_engine(0, 256), *judge = open_engine(0, 256);
    struct sequence *sequences[SEQS] = {0};
    struct request *running[SEQS] = {0};
    int32_t asked_at[SEQS] = {0};
    int checked = 0;
    for (int step = 0; checked < CHECKED; step++) {
        assert_true(step < STEPS_MAX);
        const uint32_t who = dice(SEQS);
        struct event event;
        if (!sequences[who]) {
            int32_t ids[90];
            const uint32_t count = 1 + dice(90);
            random_ids(ids, count);
            sequences[who] = sequence_of(engine, ids, count);
        } else if (!running[who] && sequence_length(sequences[who]) < 200) {
            asked_at[who] = sequence_length(sequences[who]);
            running[who] = start_request(sequences[who], 1 + (int32_t)dice(20), who);
        } else if (!running[who]) {
            sequence_truncate(sequences[who], 1 + (int32_t)dice(150));
        } else if (dice(8) == 0) {
            request_cancel(running[who]);
        }
        while (engine_next_event(engine, 1, &event)) { // a step is about as long as a token
            if (event.kind != EVENT_DONE) continue;
            uint32_t done = 0;
            while (running[done] != event.request)
                done++;
            const int32_t more = sequence_length(sequences[done]) - asked_at[done];
            if (more > 0) {
                struct sequence *alone =
                    sequence_of(judge, sequence_tokens(sequences[done]), (size_t)asked_at[done]);
                generate(judge, alone, more, done);
                assert_same_log(sequences[done], alone);
                sequence_destroy(alone);
                checked++;
            }
            request_release(running[done]);
            running[done] = NULL;
        }
        const uint32_t other = dice(SEQS);
        if (dice(4) == 0 && other != who && !running[other]) {
            sequence_destroy(sequences[other]);
            sequences[other] = NULL;
            assert_int_equal(sequence_fork(sequences[who], &sequences[other]), STATUS_OK);
        }
        engine_check(engine);
    }
    engine_close(judge);
    engine_close(engine); // cuts off what still runs
    for (int i = 0; i < SEQS; i++)
        request_release(running[i]);
}

static void opening_with_bad_options_names_the_option(void **state) {
    (void)state;
    static const struct {
        struct engine_options options;
        enum status status;
        const char *word;
    } cases[] = {
        {{.model_path = "/nonexistent.gguf"}, STATUS_IO, "/nonexistent.gguf"},
        {{.shape = "llama-9000b"}, STATUS_NOT_FOUND, "llama-9000b"},
        {{.model_path = TESTS_DIR "/golden/qwen3.gguf", .backend = "gpu"}, STATUS_BAD_INPUT, "gpu"},
        {{.model_path = TESTS_DIR "/golden/qwen3.gguf", .kv_type = "q8_0"},
         STATUS_BAD_INPUT,
         "q8_0"},
        {{.model_path = TESTS_DIR "/golden/qwen3.gguf", .block_size = 12}, STATUS_BAD_INPUT, "12"},
        {{.model_path = TESTS_DIR "/golden/qwen3.gguf", .context = 100000},
         STATUS_BAD_INPUT,
         "100000"},
        {{.model_path = TESTS_DIR "/golden/qwen3.gguf", .kv_device_bytes = 1024},
         STATUS_NO_MEMORY,
         "KV cache"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct engine *engine = NULL;
        struct error err = {0};
        assert_int_equal(engine_open(&cases[i].options, &engine, &err), cases[i].status);
        assert_null(engine);
        assert_non_null(strstr(err.text, cases[i].word));
    }
}

// A copy of a model under another name, of 12 + 32 n bytes: what lies behind keeps its alignment.
static void write_named(const char *path, const char *name) {
    static const char before[] = "general.name\x08\0\0\0\x0C\0\0\0\0\0\0\0";
    enum { OLD = 12, HEAD = sizeof before - 1, MOST = 1 << 20 };
    char *bytes = malloc(MOST);
    assert_non_null(bytes);
    FILE *from = fopen(TESTS_DIR "/golden/qwen3.gguf", "rb"), *to = fopen(path, "wb");
    assert_true(from && to);
    const size_t length = fread(bytes, 1, MOST, from), name_bytes = strlen(name);
    const char *at = memmem(bytes, length, before, HEAD);
    assert_non_null(at);
    const size_t until = (size_t)(at - bytes) + HEAD;
    const uint64_t written = name_bytes;
    fwrite(bytes, 1, until - sizeof written, to);
    fwrite(&written, sizeof written, 1, to);
    fwrite(name, 1, name_bytes, to);
    fwrite(bytes + until + OLD, 1, length - until - OLD, to);
    assert_int_equal(fclose(from), 0);
    assert_int_equal(fclose(to), 0);
    free(bytes);
}

static void assert_named(const char *path, const char *expected) {
    struct engine *engine;
    struct engine_info info;
    struct error err = {0};
    const struct engine_options options = {.model_path = path, .backend = "cpu", .threads = 1};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_info(engine, &info);
    assert_string_equal(info.model_name, expected);
    engine_close(engine);
}

static void a_models_name_is_safe_to_show(void **state) {
    (void)state;
    static const char behind[] = "\xE2\x82\xAC 3456789012.";
    enum { CUT = 125 };
    char folder[] = "/tmp/quire-engine-XXXXXX", path[64], odd[64];
    char name[CUT + sizeof behind], cut[CUT + 1] = "";
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.gguf", folder);
    snprintf(odd, sizeof odd, "%s/\x1B]0;x\x07", folder);
    write_named(path, "Qwen\xC3\xA9 3 0.6");
    assert_named(path, "Qwen\xC3\xA9 3 0.6");
    write_named(path, "\x1B]0;owned\x07..");
    assert_named(path, "model.gguf");
    write_named(path, "control \xC2\x9B.."); // one of two bytes
    assert_named(path, "model.gguf");
    write_named(path, "ill-formed \xFF");
    assert_named(path, "model.gguf");
    assert_int_equal(rename(path, odd), 0);
    assert_named(odd, "unnamed");
    assert_int_equal(unlink(odd), 0);
    // 140 bytes, of which 127 fit: the character at the 126th does not.
    memset(name, 'x', CUT);
    memcpy(cut, name, CUT);
    memcpy(name + CUT, behind, sizeof behind);
    write_named(path, name);
    assert_named(path, cut);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void an_unsaved_answer_counts_towards_its_conversation(void **state) {
    (void)state;
    enum { CONVERSATION = 7, ANSWER = 40, BLOCK = 16 };
    struct engine *engine = open_engine(0, 0);
    int32_t ids[LONG];
    random_ids(ids, LONG);
    struct sequence *sequence = sequence_of(engine, ids, LONG);
    struct conversation_usage usage;
    const uint64_t conversation = CONVERSATION;
    sequence_save(sequence, conversation);
    generate(engine, sequence, ANSWER, 1);
    engine_conversation_usage(engine, &conversation, 1, &usage);
    assert_true(usage.tokens >= (LONG + ANSWER - 1) / BLOCK * BLOCK);
    sequence_destroy(sequence);
    engine_close(engine);
}

int main(void) {
    printf("seed %u\n", seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_arrive_in_order_and_end_with_done),
        cmocka_unit_test(time_that_the_process_was_stopped_for_is_not_work),
        cmocka_unit_test(the_same_seed_gives_the_same_tokens),
        cmocka_unit_test(the_second_turn_computes_only_new_tokens),
        cmocka_unit_test(diverging_forks_equal_separate_runs),
        cmocka_unit_test(a_sequence_can_be_forked_while_it_is_answering),
        cmocka_unit_test(a_common_prompt_is_computed_once),
        cmocka_unit_test(a_cancelled_request_keeps_its_tokens),
        cmocka_unit_test(an_answer_stops_at_the_end_of_the_context),
        cmocka_unit_test(a_token_id_out_of_range_is_refused),
        cmocka_unit_test(preempted_requests_answer_as_if_alone),
        cmocka_unit_test(a_waiting_request_can_be_cancelled),
        cmocka_unit_test(a_small_pool_of_a_hybrid_has_room_for_keys),
        cmocka_unit_test(one_sequence_can_fill_the_pool),
        cmocka_unit_test(a_decode_step_allocates_nothing),
        cmocka_unit_test(a_random_walk_agrees_with_running_alone),
        cmocka_unit_test(an_unsaved_answer_counts_towards_its_conversation),
        cmocka_unit_test(opening_with_bad_options_names_the_option),
        cmocka_unit_test(a_models_name_is_safe_to_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
