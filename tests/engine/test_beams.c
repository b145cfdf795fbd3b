// tests/engine/test_beams.c — the search finds what the plainest one finds, and leaves no block
// behind.
//
// The reference knows no cache and no batch: it computes each continuation from its first token
// on, sorts all continuations of all beams, and follows beams.h's three rules.
#include "engine/beams.h"
#include "engine/engine.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CASES = 200,
    WIDEST = 12,
    LONGEST = 12,
    PROMPT = 40,
    VOCABULARY_MOST = 1024,
    CONTEXT = 128,
    POOL_BYTES = 8 << 20
};

static uint32_t seed = 23;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static struct engine *open_engine(size_t pool_bytes) {
    struct engine *engine;
    struct error err = {0};
    const struct engine_options options = {.model_path = TESTS_DIR "/golden/llama.gguf",
                                           .backend = "cpu",
                                           .threads = 2,
                                           .context = CONTEXT,
                                           .deterministic = true,
                                           .kv_device_bytes = pool_bytes};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    return engine;
}

static struct sequence *sequence_of(struct engine *engine, const int32_t *ids, int32_t count) {
    struct sequence *sequence;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids, (size_t)count), STATUS_OK);
    return sequence;
}

// ---- the reference

struct text_so_far {
    int32_t tokens[PROMPT + LONGEST];
    int32_t count; // the prompt's among them
    double sum, score;
    bool ended;
};

struct judge {
    struct engine *engine;
    int32_t vocabulary, prompt;
    float logits[VOCABULARY_MOST];
    struct text_so_far finished[VOCABULARY_MOST];
    int32_t finished_count;
};

static void keep_logits(void *user, const float *logits, int32_t vocabulary) {
    struct judge *judge = user;
    memcpy(judge->logits, logits, (size_t)vocabulary * sizeof logits[0]);
}

static void compute(struct judge *judge, const struct text_so_far *text) {
    const struct request_options options = {.sampler = sampler_options_default(),
                                            .max_tokens = 1,
                                            .observer = keep_logits,
                                            .observer_user = judge};
    struct sequence *sequence = sequence_of(judge->engine, text->tokens, text->count);
    struct request *request;
    struct event event = {0};
    assert_int_equal(request_start_all(&sequence, &options, 1, &request), STATUS_OK);
    while (event.kind != EVENT_DONE)
        assert_true(engine_next_event(judge->engine, 20000, &event));
    request_release(request);
    sequence_destroy(sequence);
}

struct extension {
    int32_t beam, id;
    double sum;
};

static int by_rank(const void *a, const void *b) {
    const struct extension *x = a, *y = b;
    if (x->sum != y->sum) return x->sum < y->sum ? 1 : -1;
    return x->beam != y->beam ? x->beam - y->beam : x->id - y->id;
}

static int by_score(const void *a, const void *b) {
    const struct text_so_far *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

static int32_t extend_all(struct judge *judge, const struct text_so_far *beams, int32_t count,
                          struct extension *all) {
    int32_t made = 0;
    for (int32_t b = 0; b < count; b++) {
        double highest = -(double)INFINITY, total = 0;
        compute(judge, &beams[b]);
        for (int32_t id = 0; id < judge->vocabulary; id++)
            highest = fmax(highest, (double)judge->logits[id]);
        for (int32_t id = 0; id < judge->vocabulary; id++)
            total += exp((double)judge->logits[id] - highest);
        for (int32_t id = 0; id < judge->vocabulary; id++)
            all[made++] = (struct extension){
                b, id, beams[b].sum + ((double)judge->logits[id] - (highest + log(total)))};
    }
    return made;
}

static struct text_so_far longer(const struct text_so_far *text, const struct extension *by) {
    struct text_so_far made = *text;
    made.tokens[made.count++] = by->id;
    made.sum = by->sum;
    return made;
}

static double score(const struct judge *judge, const struct text_so_far *text, double penalty) {
    return text->sum / pow(text->count - judge->prompt, penalty);
}

static void finish_text(struct judge *judge, struct text_so_far text,
                        const struct beams_options *how, bool ended) {
    text.score = score(judge, &text, how->length_penalty);
    text.ended = ended;
    judge->finished[judge->finished_count++] = text;
    // Few and nearly sorted, but equal scores must keep their order: so by insertion.
    for (int32_t i = judge->finished_count - 1;
         i > 0 && by_score(&judge->finished[i - 1], &judge->finished[i]) > 0; i--) {
        const struct text_so_far other = judge->finished[i - 1];
        judge->finished[i - 1] = judge->finished[i];
        judge->finished[i] = other;
    }
    if (judge->finished_count > how->width) judge->finished_count = how->width;
}

static void search_plainly(struct judge *judge, const struct text_so_far *prompt,
                           const struct beams_options *how) {
    static struct extension all[WIDEST * VOCABULARY_MOST];
    struct text_so_far beams[WIDEST] = {*prompt}, next[WIDEST];
    int32_t count = 1;
    judge->prompt = prompt->count;
    judge->finished_count = 0;
    for (int32_t step = 1;; step++) {
        const int32_t made = extend_all(judge, beams, count, all);
        int32_t kept = 0;
        qsort(all, (size_t)made, sizeof all[0], by_rank);
        for (int32_t i = 0; i < 2 * how->width && kept < how->width; i++) {
            const struct text_so_far text = longer(&beams[all[i].beam], &all[i]);
            if (!tokenizer_ends_turn(engine_tokenizer(judge->engine), all[i].id))
                next[kept++] = text;
            else if (i < how->width)
                finish_text(judge, text, how, true);
        }
        memcpy(beams, next, sizeof beams);
        count = kept;
        if (step == how->max_tokens)
            for (int32_t b = 0; b < count; b++)
                finish_text(judge, beams[b], how, false);
        if (step == how->max_tokens || count == 0) return;
        if (judge->finished_count < how->width) continue;
        const double worst = judge->finished[how->width - 1].score;
        if (how->early_stopping || score(judge, &beams[0], how->length_penalty) <= worst) return;
    }
}

// ---- the search

static struct beams *search(struct engine *engine, struct sequence *sequence,
                            const struct beams_options *options, int32_t cancel_after) {
    struct beams *beams;
    struct event event;
    assert_int_equal(beams_create(sequence, options, &beams), STATUS_OK);
    for (int32_t seen = 0; !beams_done(beams); seen++) {
        if (cancel_after && seen == cancel_after) beams_cancel(beams);
        assert_true(engine_next_event(engine, 20000, &event));
        assert_true(beams_take(beams, &event));
        engine_check(engine);
    }
    assert_false(engine_next_event(engine, 0, &event));
    return beams;
}

static void beam_search_agrees_with_a_naive_search(void **state) {
    (void)state;
    static struct judge judge;
    struct engine *engine = open_engine(POOL_BYTES);
    struct engine_info info;
    int32_t ended = 0;
    judge.engine = open_engine(POOL_BYTES);
    engine_info(engine, &info);
    judge.vocabulary = info.vocabulary;
    assert_true(info.vocabulary <= VOCABULARY_MOST);
    printf("seed %u\n", seed);
    for (int c = 0; c < CASES; c++) {
        struct text_so_far prompt = {.count = 1 + (int32_t)dice(PROMPT)};
        const struct beams_options options = {.width = 1 + (int32_t)dice(WIDEST),
                                              .max_tokens = 1 + (int32_t)dice(LONGEST),
                                              .length_penalty = 0.5 * (double)dice(5) - 0.5,
                                              .early_stopping = dice(2) == 0};
        for (int32_t i = 0; i < prompt.count; i++)
            prompt.tokens[i] = (int32_t)dice((uint32_t)info.vocabulary);
        search_plainly(&judge, &prompt, &options);
        struct sequence *sequence = sequence_of(engine, prompt.tokens, prompt.count);
        struct beams *beams = search(engine, sequence, &options, 0);
        assert_int_equal(beams_status(beams), STATUS_OK);
        assert_int_equal(beams_result_count(beams), judge.finished_count);
        for (int32_t i = 0; i < judge.finished_count; i++) {
            const struct beams_result found = beams_result(beams, i);
            const struct text_so_far *expected = &judge.finished[i];
            assert_int_equal(found.count, expected->count - prompt.count);
            assert_memory_equal(found.tokens, expected->tokens + prompt.count,
                                (size_t)found.count * sizeof found.tokens[0]);
            assert_true(fabs(found.score - expected->score) < 1e-5); // totals are fp32
            assert_int_equal(found.ended, expected->ended);
            ended += found.ended;
        }
        assert_int_equal(sequence_length(sequence), prompt.count); // as it was
        beams_destroy(beams);
        sequence_destroy(sequence);
    }
    printf("%d of the results ended a turn\n", ended);
    assert_true(ended > 20);
    engine_close(engine);
    engine_close(judge.engine);
}

static void beams_share_their_past_and_free_their_blocks(void **state) {
    (void)state;
    enum { WIDTH = 6, LENGTH = 96 };
    struct engine *engine = open_engine(POOL_BYTES);
    struct kv_usage before, after;
    int32_t ids[LENGTH];
    for (int32_t i = 0; i < LENGTH; i++)
        ids[i] = (int32_t)dice(200);
    struct sequence *sequence = sequence_of(engine, ids, LENGTH);
    struct beams *beams;
    struct event event;
    const struct beams_options options = {.width = WIDTH, .max_tokens = 24, .length_penalty = 1};
    uint32_t most = 0;
    assert_int_equal(beams_create(sequence, &options, &beams), STATUS_OK);
    while (!beams_done(beams)) {
        assert_true(engine_next_event(engine, 20000, &event));
        assert_true(beams_take(beams, &event));
        engine_kv_usage(engine, &before);
        if (before.groups[0].device_held > most) most = before.groups[0].device_held;
    }
    // The past once, and for each beam and a fork of it no more than its 24 tokens take.
    assert_true(most <= LENGTH / 16 + 2 * WIDTH * 3);
    assert_true(most > LENGTH / 16);
    beams_destroy(beams);
    sequence_destroy(sequence);
    engine_kv_usage(engine, &after);
    assert_int_equal(after.groups[0].device_held, 0);
    engine_check(engine);
    engine_close(engine);
}

static void a_small_block_pool_finds_the_same_beams(void **state) {
    (void)state;
    struct engine *roomy = open_engine(POOL_BYTES), *small;
    struct engine_info info;
    int32_t ids[60];
    engine_info(roomy, &info);
    small = open_engine((CONTEXT / 16 + 2) * info.block_bytes);
    for (int32_t i = 0; i < 60; i++)
        ids[i] = (int32_t)dice(200);
    const struct beams_options options = {.width = 8, .max_tokens = 50, .length_penalty = 1};
    struct engine *engines[] = {roomy, small};
    struct sequence *sequences[2];
    struct beams *beams[2];
    for (int i = 0; i < 2; i++) {
        sequences[i] = sequence_of(engines[i], ids, 60);
        beams[i] = search(engines[i], sequences[i], &options, 0);
        assert_int_equal(beams_status(beams[i]), STATUS_OK);
    }
    const struct beams_result a = beams_result(beams[0], 0), b = beams_result(beams[1], 0);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.tokens, b.tokens, (size_t)a.count * sizeof a.tokens[0]);
    for (int i = 0; i < 2; i++) {
        beams_destroy(beams[i]);
        engine_close(engines[i]);
    }
}

static void a_stopped_search_returns_its_best_beams_so_far(void **state) {
    (void)state;
    struct engine *engine = open_engine(POOL_BYTES);
    const int32_t ids[] = {5, 6, 7};
    struct sequence *sequence = sequence_of(engine, ids, 3);
    const struct beams_options options = {.width = 3, .max_tokens = 60, .length_penalty = 1};
    struct beams *beams = search(engine, sequence, &options, 40);
    assert_int_equal(beams_status(beams), STATUS_CANCELLED);
    assert_true(beams_result_count(beams) > 0);
    const struct beams_result best = beams_result(beams, 0);
    assert_true(best.count > 0 && best.count < 60);
    beams_destroy(beams);
    beams = search(engine, sequence, &options, 1); // before the first step is over, or just after
    assert_true(beams_result_count(beams) <= 3);
    beams_destroy(beams);
    engine_close(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beam_search_agrees_with_a_naive_search),
        cmocka_unit_test(beams_share_their_past_and_free_their_blocks),
        cmocka_unit_test(a_small_block_pool_finds_the_same_beams),
        cmocka_unit_test(a_stopped_search_returns_its_best_beams_so_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
