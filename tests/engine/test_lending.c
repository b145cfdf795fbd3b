// tests/engine/test_lending.c [TURNS] — copies of experts in memory that the KV cache does not need
// change no answer, and the cache gets it back before it evicts anything.
//
// The reference backend is the card, with all experts in host memory and no memory for copies but
// the cache's. A second engine has no copies, and must give the same answers. At the end the card
// fails.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core/engine_state.h"
#include "engine/engine.h"
#include "engine/measure.h"
#include "kernels/offload.h"

enum {
    CONTEXT = 200,
    QUESTION = 21,
    ANSWER = 8,
    CHATS = 5,
    WARM_TURNS = 20,
    GROWTH_BYTES = 256 << 10, // of the heap, which an allocation of each turn would exceed
};

static int32_t turns = 60;

// The card, which fails in the step that is the last one here.
static struct backend card;
static int steps_left = -1; // never

const struct backend *__real_backend_reference(void);
const struct backend *__wrap_backend_reference(void);

static enum status sync_or_fail(struct device *device) {
    const enum status status = __real_backend_reference()->sync(device);
    if (steps_left > 0) steps_left--;
    return steps_left == 0 ? STATUS_DEVICE : status;
}

const struct backend *__wrap_backend_reference(void) {
    card = *__real_backend_reference();
    card.sync = sync_or_fail;
    return &card;
}

// With a slow link, prompts use slots as answers do; with a fast one, weights cross for them.
static struct engine *open_with(bool deterministic, double link, double part_us) {
    const struct placement_rates rates = {1e11, 1e10, link, 0, 50, part_us, 1, 1, 1, 1, 0.25, 0};
    struct engine *engine;
    struct error err = {0};
    const struct engine_options options = {
        .model_path = TESTS_DIR "/golden/deepseek2.gguf",
        .backend = "reference",
        .threads = 2,
        .device_bytes = (size_t)128 << 20, // copies leave more than that for what nobody counts
        .placement = {.has_ngl = true},
        .rates = &rates,
        .context = CONTEXT,
        .kv_device_bytes = (size_t)1 << 20,
        .kv_host_bytes = (size_t)4 << 20,
        .kv_type = "f32",
        .deterministic = deterministic};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    return engine;
}

static struct engine *open_engine(bool deterministic) { return open_with(deterministic, 1e6, 1); }

static void append_question(struct engine *engine, struct sequence *sequence, uint32_t salt) {
    struct engine_info info;
    int32_t ids[QUESTION];
    engine_info(engine, &info);
    for (uint32_t i = 0; i < QUESTION; i++)
        ids[i] = (int32_t)(((i + 1) * 2654435761u ^ salt * 40503u) % (uint32_t)info.vocabulary);
    assert_int_equal(sequence_append(sequence, ids, QUESTION), STATUS_OK);
}

static enum status end_of_answer(struct engine *engine, struct sequence *sequence) {
    struct request_options options = {
        .sampler = sampler_options_default(), .max_tokens = ANSWER, .ignore_end = true};
    struct request *request;
    struct event event = {0};
    options.sampler.temperature = 0;
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    while (event.kind != EVENT_DONE)
        assert_true(engine_next_event(engine, 60000, &event));
    request_release(request);
    return event.status;
}

static void answer(struct engine *engine, struct sequence *sequence) {
    assert_int_equal(end_of_answer(engine, sequence), STATUS_OK);
}

// A turn of the chat, which begins again when its context is full.
static void take_turn(struct engine *engine, struct sequence **chats, int32_t turn) {
    struct sequence **chat = &chats[(turn * 7 / 3) % CHATS];
    if (*chat && sequence_length(*chat) + QUESTION + ANSWER >= CONTEXT) {
        sequence_destroy(*chat);
        *chat = NULL;
    }
    if (!*chat) assert_int_equal(sequence_create(engine, chat), STATUS_OK);
    append_question(engine, *chat, (uint32_t)turn);
    answer(engine, *chat);
}

static uint64_t evicted_blocks(struct engine *engine) {
    struct kv_usage usage;
    engine_kv_usage(engine, &usage);
    return usage.evicted_blocks;
}

static uint32_t lent_blocks(struct engine *engine) {
    return block_pool_lent(block_cache_pool(engine->cache.groups[0]));
}

static void the_cache_takes_slots_before_it_evicts(void **state) {
    (void)state;
    struct engine *engine = open_engine(false);
    struct sequence *chats[CHATS] = {NULL};
    uint32_t most = 0;
    int32_t turn = 0;
    for (; evicted_blocks(engine) == 0 && turn < 100; turn++) {
        take_turn(engine, chats, turn);
        const uint32_t lent = lent_blocks(engine);
        if (lent > most) most = lent;
        engine_check(engine);
    }
    assert_true(most > 0 && turn < 100);
    assert_int_equal(lent_blocks(engine), 0);
    assert_int_equal(offload_counts(engine->device).expert_slots, 0);
    assert_true(offload_counts(engine->device).hits > 0);
    for (int i = 0; i < CHATS; i++)
        sequence_destroy(chats[i]);
    engine_close(engine);
}

// Copies do not help where the card takes long to begin.
static void a_plan_without_copies_lends_nothing(void **state) {
    (void)state;
    struct engine *engine = open_with(false, 1e6, 20000);
    struct sequence *chats[CHATS] = {NULL};
    for (int32_t turn = 0; turn < 3; turn++) {
        take_turn(engine, chats, turn);
        assert_int_equal(lent_blocks(engine), 0);
    }
    assert_int_equal(offload_counts(engine->device).expert_slots, 0);
    assert_true(offload_counts(engine->device).lately.hits > 0); // what they would be
    assert_true(engine_split(engine).hits <= 0);                 // but are not
    for (int i = 0; i < CHATS; i++)
        sequence_destroy(chats[i]);
    engine_close(engine);
}

// What a token reads in host memory: all of the dense layer, and experts that have no copy.
static void hits_change_the_bytes_of_experts_only(void **state) {
    enum { FIRST = 1 }; // token, of the prompt's step
    struct sequence *chats[CHATS] = {NULL};
    (void)state;
    struct engine *engine = open_with(false, 1e10, 1); // prompts use no slots
    const size_t *bytes = engine->placement.host_token_bytes;
    assert_true(bytes[PLACEMENT_DENSE] > 0 && bytes[PLACEMENT_EXPERTS] > 0);
    take_turn(engine, chats, 0);
    assert_int_equal(engine->lesson.tokens, ANSWER - FIRST);
    const struct engine_split split = engine_split(engine);
    const double read = (1 - split.hits) * (double)bytes[PLACEMENT_EXPERTS];
    assert_true(split.hits > 0 && split.hits <= 1);
    assert_int_equal(split.host_bytes, bytes[PLACEMENT_DENSE] + (size_t)read);
    assert_true(split.tokens_s > 0);
    sequence_destroy(chats[0]);
    engine_close(engine);
}

// The tokens of a new conversation's first answer.
static void first_answer(struct engine *engine, uint32_t salt, int32_t ids[QUESTION + ANSWER]) {
    struct sequence *sequence;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    append_question(engine, sequence, salt);
    answer(engine, sequence);
    assert_int_equal(sequence_length(sequence), QUESTION + ANSWER);
    memcpy(ids, sequence_tokens(sequence), (QUESTION + ANSWER) * sizeof ids[0]);
    sequence_destroy(sequence);
}

// Though the cache is full of what may be wanted again: that is in host memory then.
static void slots_come_back_when_the_cache_is_quiet(void **state) {
    enum { OLD = 5000, MOST_STEPS = 4 * LENDING_QUIET_STEPS };
    int32_t before[QUESTION + ANSWER], after[QUESTION + ANSWER];
    (void)state;
    struct engine *engine = open_engine(false);
    uint32_t salt = OLD;
    struct kv_usage usage;
    first_answer(engine, OLD, before);
    while (evicted_blocks(engine) == 0 || lent_blocks(engine) > 0)
        first_answer(engine, ++salt, after);
    const uint32_t most = salt;
    for (int step = 0; lent_blocks(engine) == 0 && step < MOST_STEPS; step += ANSWER)
        first_answer(engine, most, after); // which is cached, and needs no new block
    assert_true(lent_blocks(engine) > 0);
    engine_check(engine);
    engine_kv_usage(engine, &usage);
    assert_int_equal(usage.lost_blocks, 0);
    first_answer(engine, OLD, after);
    assert_memory_equal(before, after, sizeof before);
    engine_check(engine);
    engine_close(engine);
}

static void turns_with_slots_and_a_cache_that_compete_answer_alike(void **state) {
    (void)state;
    struct engine *engines[2] = {open_engine(false), open_engine(true)};
    struct sequence *chats[2][CHATS] = {{NULL}};
    size_t warm_bytes = 0;
    for (int32_t turn = 0; turn < turns; turn++) {
        const int chat = (turn * 7 / 3) % CHATS;
        for (int e = 0; e < 2; e++)
            take_turn(engines[e], chats[e], turn);
        const int32_t length = sequence_length(chats[0][chat]);
        assert_int_equal(length, sequence_length(chats[1][chat]));
        assert_memory_equal(sequence_tokens(chats[0][chat]), sequence_tokens(chats[1][chat]),
                            (size_t)length * sizeof(int32_t));
        engine_check(engines[0]);
        if (turn == WARM_TURNS) warm_bytes = mallinfo2().uordblks;
    }
    const size_t bytes = mallinfo2().uordblks; // 0 where another allocator is in use
    assert_true(bytes <= warm_bytes + GROWTH_BYTES);
    const struct offload_counts counts = offload_counts(engines[0]->device);
    print_message("%d turns: %lld hits, %lld misses, %lld copies, %zu bytes on the heap\n", turns,
                  (long long)counts.hits, (long long)counts.misses, (long long)counts.copied,
                  bytes);
    assert_true(counts.hits > turns && counts.misses > turns && counts.copied > 0);
    assert_int_equal(offload_counts(engines[1]->device).hits, 0);
    for (int e = 0; e < 2; e++) {
        for (int i = 0; i < CHATS; i++)
            sequence_destroy(chats[e][i]);
        engine_close(engines[e]);
    }
}

// In a prompt whose weights cross, and in any step of an answer: the engine says so, gives back
// what it has, and the next one answers as if nothing had been.
static void a_card_that_fails_in_the_middle_loses_one_answer(void **state) {
    int32_t expected[QUESTION + ANSWER], found[QUESTION + ANSWER];
    int failed = 0;
    (void)state;
    struct engine *engine = open_with(false, 1e10, 1);
    first_answer(engine, 1, expected);
    engine_close(engine);
    for (int steps = 1;; steps++) {
        struct sequence *sequence;
        engine = open_with(false, 1e10, 1);
        assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
        append_question(engine, sequence, 1);
        steps_left = steps;
        const enum status status = end_of_answer(engine, sequence);
        const bool was_reached = steps_left == 0;
        assert_int_equal(status, was_reached ? STATUS_DEVICE : STATUS_OK);
        assert_true(sequence_length(sequence) >= QUESTION);
        sequence_destroy(sequence);
        engine_close(engine); // while the card still fails
        steps_left = -1;
        if (!was_reached) break;
        failed++;
        engine = open_with(false, 1e10, 1);
        first_answer(engine, 1, found);
        engine_close(engine);
        assert_memory_equal(found, expected, sizeof found);
    }
    assert_true(failed >= ANSWER);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_without_copies_lends_nothing),
        cmocka_unit_test(hits_change_the_bytes_of_experts_only),
        cmocka_unit_test(the_cache_takes_slots_before_it_evicts),
        cmocka_unit_test(slots_come_back_when_the_cache_is_quiet),
        cmocka_unit_test(a_card_that_fails_in_the_middle_loses_one_answer),
        cmocka_unit_test(turns_with_slots_and_a_cache_that_compete_answer_alike),
    };
    if (argc > 1) turns = atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
