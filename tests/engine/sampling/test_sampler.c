// tests/engine/sampling/test_sampler.c — sampler.h rule by rule, then the whole chain against a
// plain one.
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sampling/sampler.h"
#include "kernels/backend.h"
#include "tests/check.h"

static uint32_t seed = 1;

static uint32_t next_uint(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * below >> 32);
}

// About normal, deviation 2, and now and then equal to another one.
static float next_logit(void) {
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += (float)next_uint(101) / 50.0f - 1;
    return sum;
}

static const struct sampler_options plain = {
    .temperature = 1, .top_p = 1, .repeat_penalty = 1, .penalty_last_n = 64};

static struct sampler *make_sampler(int32_t vocabulary, struct sampler_options options) {
    struct error err;
    if (sampler_options_check(&options, &err) != STATUS_OK) fail_msg("%s", err.text);
    struct sampler *sampler = sampler_create(vocabulary, &options);
    assert_non_null(sampler);
    return sampler;
}

static int32_t pick_once(const float *logits, int32_t vocabulary, struct sampler_options options) {
    float copy[64];
    assert_true(vocabulary <= 64);
    memcpy(copy, logits, (size_t)vocabulary * sizeof copy[0]);
    struct sampler *sampler = make_sampler(vocabulary, options);
    const int32_t id = sampler_pick(sampler, copy, NULL, 0);
    sampler_destroy(sampler);
    return id;
}

static void the_default_options_are_valid(void **state) {
    (void)state;
    const struct sampler_options options = sampler_options_default();
    assert_int_equal(sampler_options_check(&options, NULL), STATUS_OK);
    assert_true(options.temperature == 0.7f && options.top_k == 40 && options.top_p == 0.9f);
    assert_true(options.min_p == 0 && options.repeat_penalty == 1);
    assert_true(options.presence_penalty == 0 && options.frequency_penalty == 0);
}

static void expect_refused(struct sampler_options options, const char *name) {
    struct error err = {0};
    assert_int_equal(sampler_options_check(&options, &err), STATUS_BAD_INPUT);
    assert_int_equal(strncmp(err.text, name, strlen(name)), 0);
    assert_non_null(strstr(err.text, "must be"));
    assert_int_equal(sampler_options_check(&options, NULL), STATUS_BAD_INPUT);
}

static void an_option_out_of_range_is_refused_by_name(void **state) {
    (void)state;
    const struct {
        const char *name;
        size_t offset;
        float good[2], bad[2];
    } floats[] = {
        {"temperature", offsetof(struct sampler_options, temperature), {0, 100}, {-0.1f, 101}},
        {"top_p", offsetof(struct sampler_options, top_p), {0, 1}, {-0.1f, 1.01f}},
        {"min_p", offsetof(struct sampler_options, min_p), {0, 1}, {-0.1f, 1.01f}},
        {"repeat_penalty", offsetof(struct sampler_options, repeat_penalty), {0.1f, 10}, {0, 11}},
        {"presence_penalty",
         offsetof(struct sampler_options, presence_penalty),
         {-100, 100},
         {-101, 101}},
        {"frequency_penalty",
         offsetof(struct sampler_options, frequency_penalty),
         {-100, 100},
         {-101, 101}},
    };
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        const float wrong[] = {floats[i].bad[0], floats[i].bad[1], NAN, INFINITY, -INFINITY};
        struct sampler_options options = plain;
        float *value = (float *)(void *)((char *)&options + floats[i].offset);
        for (size_t j = 0; j < 2; j++) {
            *value = floats[i].good[j];
            assert_int_equal(sampler_options_check(&options, NULL), STATUS_OK);
        }
        for (size_t j = 0; j < sizeof wrong / sizeof wrong[0]; j++) {
            *value = wrong[j];
            expect_refused(options, floats[i].name);
        }
    }
    struct sampler_options options = plain;
    options.top_k = -1;
    expect_refused(options, "top_k");
    options.top_k = 0;
    options.penalty_last_n = -2;
    expect_refused(options, "penalty_last_n");
}

static void greedy_picks_the_highest_logit_and_lowest_id(void **state) {
    (void)state;
    struct sampler_options greedy = plain;
    greedy.temperature = 0;
    const float logits[] = {NAN, -3, 2.5f, NAN, 2.5f, 1};
    assert_int_equal(pick_once(logits, 6, greedy), 2);
    assert_int_equal(pick_once(logits, 2, greedy), 1);
    assert_int_equal(pick_once((const float[]){-INFINITY, NAN, INFINITY}, 3, greedy), 2);
    assert_int_equal(pick_once((const float[]){NAN, -INFINITY, -INFINITY}, 3, greedy), 1);
    assert_int_equal(pick_once((const float[]){NAN, NAN}, 2, greedy), 0);
}

// Options that between them run every stage, at random.
static struct sampler_options random_options(void) {
    static const float temperatures[] = {0.3f, 0.7f, 1, 1.5f}, top_ps[] = {0, 0.3f, 0.9f, 1, 1},
                       min_ps[] = {0, 0, 0.05f, 0.3f, 1}, repeats[] = {1, 1, 1.3f, 0.7f};
    struct sampler_options options = plain;
    options.temperature = temperatures[next_uint(4)];
    options.top_k = next_uint(2) ? (int32_t)next_uint(40) : 0;
    options.top_p = top_ps[next_uint(5)];
    options.min_p = min_ps[next_uint(5)];
    options.repeat_penalty = repeats[next_uint(4)];
    options.presence_penalty = next_uint(3) == 0 ? 0.5f : 0;
    options.frequency_penalty = next_uint(3) == 0 ? -0.25f : 0;
    options.penalty_last_n = (int32_t)next_uint(12) - 1;
    options.seed = next_uint(UINT32_MAX);
    return options;
}

static void the_only_possible_id_is_always_picked(void **state) {
    (void)state;
    print_message("seed %u\n", seed);
    for (int round = 0; round < 2000; round++) {
        float logits[50];
        const struct sampler_options options = random_options();
        const int32_t vocabulary = 1 + (int32_t)next_uint(50);
        const int32_t only = (int32_t)next_uint((uint32_t)vocabulary);
        for (int32_t id = 0; id < vocabulary; id++)
            logits[id] = next_uint(2) ? -INFINITY : NAN;
        logits[only] = next_logit();
        assert_int_equal(pick_once(logits, vocabulary, options), only);
        logits[only] = INFINITY; // and nothing stands against infinity
        logits[(only + 1) % vocabulary] = vocabulary > 1 ? FLT_MAX : INFINITY;
        assert_int_equal(pick_once(logits, vocabulary, options), only);
    }
}

static void a_row_of_nan_still_yields_an_id(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        const struct sampler_options options = random_options();
        assert_int_equal(pick_once((const float[]){NAN, NAN, NAN}, 3, options), 0);
        assert_int_equal(pick_once((const float[]){NAN, -INFINITY, -INFINITY}, 3, options), 1);
        assert_int_equal(pick_once((const float[]){next_logit()}, 1, options), 0);
    }
}

// The published outputs for seed 1234567; a draw from 1024 equals shows the top ten bits.
static void every_pick_draws_one_splitmix64_number(void **state) {
    (void)state;
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u, 4593380528125082431u,
                                         16408922859458223821u};
    enum { VOCABULARY = 1024 };
    struct sampler_options options = plain;
    options.seed = 1234567;
    for (size_t skipped = 0; skipped < 5; skipped++) {
        struct sampler *sampler = make_sampler(VOCABULARY, options);
        for (size_t i = 0; i < 5; i++) {
            float logits[VOCABULARY];
            for (size_t id = 0; id < VOCABULARY; id++)
                logits[id] = i < skipped ? NAN : 1.5f; // nothing to draw from, but a pick
            const int32_t id = sampler_pick(sampler, logits, NULL, 0);
            assert_int_equal(id, i < skipped ? 0 : published[i] >> 54);
        }
        sampler_destroy(sampler);
    }
}

static void equal_seeds_pick_equal_tokens(void **state) {
    (void)state;
    enum { VOCABULARY = 200, PICKS = 100 };
    int differences = 0;
    struct sampler_options options = sampler_options_default(), other = options;
    other.seed = 1;
    struct sampler *a = make_sampler(VOCABULARY, options), *b = make_sampler(VOCABULARY, options),
                   *c = make_sampler(VOCABULARY, other);
    for (int i = 0; i < PICKS; i++) {
        float logits[3][VOCABULARY];
        for (size_t id = 0; id < VOCABULARY; id++)
            logits[0][id] = logits[1][id] = logits[2][id] = next_logit();
        const int32_t id = sampler_pick(a, logits[0], NULL, 0);
        assert_int_equal(sampler_pick(b, logits[1], NULL, 0), id);
        differences += sampler_pick(c, logits[2], NULL, 0) != id;
    }
    assert_true(differences > PICKS / 2);
    sampler_destroy(a);
    sampler_destroy(b);
    sampler_destroy(c);
}

// ---- the plain chain: sorts everything, keeps probabilities, forgets what falls out

struct plain_token {
    int32_t id;
    float logit;
    double probability;
};

static int best_first(const void *left, const void *right) {
    const struct plain_token *a = left, *b = right;
    if (a->logit != b->logit) return a->logit > b->logit ? -1 : 1;
    return a->id < b->id ? -1 : 1;
}

static void softmax(struct plain_token *tokens, size_t count, float temperature) {
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        tokens[i].probability =
            exp(((double)tokens[i].logit - (double)tokens[0].logit) / (double)temperature);
        total += tokens[i].probability;
    }
    for (size_t i = 0; i < count; i++)
        tokens[i].probability /= total;
}

static void plain_penalties(float *logits, int32_t vocabulary, const int32_t *history, size_t count,
                            const struct sampler_options *options) {
    for (int32_t id = 0; id < vocabulary; id++) {
        int times = 0;
        for (size_t i = 0; i < count; i++)
            times += history[i] == id &&
                     (options->penalty_last_n < 0 || count - i <= (size_t)options->penalty_last_n);
        if (times == 0) continue;
        if (logits[id] > 0)
            logits[id] /= options->repeat_penalty;
        else
            logits[id] *= options->repeat_penalty;
        logits[id] -= options->presence_penalty;
        logits[id] -= options->frequency_penalty * (float)times;
    }
}

// Best first, with the probability of being drawn; returns how many are left.
static size_t plain_chain(const float *logits, int32_t vocabulary,
                          const struct sampler_options *options, struct plain_token *tokens) {
    size_t count = 0, kept = 0;
    double reached = 0;
    for (int32_t id = 0; id < vocabulary; id++)
        if (!isnan(logits[id]) && logits[id] > -INFINITY)
            tokens[count++] = (struct plain_token){.id = id, .logit = logits[id]};
    qsort(tokens, count, sizeof tokens[0], best_first);
    if (options->top_k > 0 && (size_t)options->top_k < count) count = (size_t)options->top_k;
    softmax(tokens, count, 1);
    if (options->top_p < 1) {
        do
            reached += tokens[kept].probability;
        while (++kept < count && reached < (double)options->top_p);
        count = kept;
    }
    while (count > 1 &&
           tokens[count - 1].probability < (double)options->min_p * tokens[0].probability)
        count--;
    softmax(tokens, count, options->temperature);
    return count;
}

static void penalties_agree_with_a_naive_loop(void **state) {
    (void)state;
    enum { VOCABULARY = 40 };
    print_message("seed %u\n", seed);
    for (int round = 0; round < 3000; round++) {
        struct sampler_options options = random_options();
        options.temperature = round % 2 ? 0.0f : 1.0f;
        struct sampler *sampler = make_sampler(VOCABULARY, options);
        for (int repeat = 0; repeat < 3; repeat++) { // nothing may be left from the pick before
            float ours[VOCABULARY], theirs[VOCABULARY];
            int32_t history[20];
            const size_t count = next_uint(21);
            for (size_t i = 0; i < count; i++)
                history[i] = (int32_t)next_uint(10);
            for (size_t id = 0; id < VOCABULARY; id++)
                ours[id] = theirs[id] = next_logit();
            const int32_t id = sampler_pick(sampler, ours, history, count);
            plain_penalties(theirs, VOCABULARY, history, count, &options);
            for (size_t i = 0; i < VOCABULARY; i++)
                assert_true(ours[i] == theirs[i]);
            if (options.temperature == 0)
                for (int32_t i = 0; i < VOCABULARY; i++)
                    assert_true(i < id ? theirs[i] < theirs[id] : theirs[i] <= theirs[id]);
        }
        sampler_destroy(sampler);
    }
}

// What a device would choose: the whole chain's beginning, by a plain sort.
static void plain_candidates(const float *logits, int32_t vocabulary, int32_t count,
                             struct candidate *best) {
    struct plain_token tokens[400];
    size_t numbers = 0;
    assert_true(vocabulary <= 400);
    for (int32_t id = 0; id < vocabulary; id++)
        if (!isnan(logits[id]))
            tokens[numbers++] = (struct plain_token){.id = id, .logit = logits[id]};
    qsort(tokens, numbers, sizeof tokens[0], best_first);
    for (size_t i = 0; i < (size_t)count; i++)
        best[i] = i < numbers ? (struct candidate){tokens[i].id, tokens[i].logit}
                              : (struct candidate){.id = -1};
}

static void candidates_give_the_same_pick_as_the_whole_row(void **state) {
    (void)state;
    enum { VOCABULARY = 300 };
    int chosen = 0;
    print_message("seed %u\n", seed);
    for (int round = 0; round < 4000; round++) {
        struct sampler_options options = random_options();
        if (next_uint(5) == 0) options.temperature = 0;
        struct sampler *whole = make_sampler(VOCABULARY, options),
                       *from = make_sampler(VOCABULARY, options);
        for (int pick = 0; pick < 5; pick++) {
            float logits[VOCABULARY];
            int32_t history[20];
            struct choice choice;
            struct penalty penalties[PENALTIES_MAX];
            struct candidate best[CANDIDATES_MAX];
            const size_t length = next_uint(21);
            const uint32_t numbers = next_uint(4) ? 20 : 1; // one in so many is none
            for (size_t i = 0; i < length; i++)
                history[i] = (int32_t)next_uint(30);
            for (size_t id = 0; id < VOCABULARY; id++)
                logits[id] = next_uint(numbers) ? next_logit() : next_uint(2) ? NAN : -INFINITY;
            const bool enough = sampler_choice(from, history, length, &choice, penalties);
            assert_int_equal(enough, options.temperature == 0 || options.top_k > 0);
            if (!enough) break;
            const int32_t expected = sampler_pick(whole, logits, history, length); // penalises
            plain_candidates(logits, VOCABULARY, choice.count, best);
            assert_int_equal(sampler_pick_from(from, best), expected);
            chosen++;
        }
        sampler_destroy(whole);
        sampler_destroy(from);
    }
    assert_true(chosen > 4000);
}

static void a_choice_lists_each_recent_token_once_with_its_count(void **state) {
    (void)state;
    enum { VOCABULARY = 1000 };
    struct sampler_options options = plain;
    struct choice choice = {.count = -7};
    struct penalty penalties[PENALTIES_MAX];
    int32_t history[PENALTIES_MAX + 1];
    options.top_k = 40;
    options.repeat_penalty = 1.5f;
    options.penalty_last_n = 5;
    struct sampler *sampler = make_sampler(VOCABULARY, options);
    const int32_t ids[] = {3, 9, 4, 9, 9, 7};
    assert_true(sampler_choice(sampler, ids, 6, &choice, penalties));
    assert_int_equal(choice.count, 40);
    assert_int_equal(choice.num_penalties, 3);
    assert_true(penalties[0].id == 9 && penalties[0].occurrences == 3);
    assert_true(penalties[1].id == 4 && penalties[1].occurrences == 1);
    assert_true(penalties[2].id == 7 && penalties[2].occurrences == 1);
    sampler_destroy(sampler);
    options.penalty_last_n = -1;
    sampler = make_sampler(VOCABULARY, options);
    for (int32_t i = 0; i <= PENALTIES_MAX; i++)
        history[i] = i;
    assert_true(sampler_choice(sampler, history, PENALTIES_MAX, &choice, penalties));
    assert_int_equal(choice.num_penalties, PENALTIES_MAX);
    assert_false(sampler_choice(sampler, history, PENALTIES_MAX + 1, &choice, penalties));
    sampler_destroy(sampler);
    options.top_k = CANDIDATES_MAX + 1;
    sampler = make_sampler(VOCABULARY, options);
    assert_false(sampler_choice(sampler, history, 1, &choice, penalties));
    sampler_destroy(sampler);
}

// Pearson's statistic over the cells that expect at least 5, the rest pooled. It is about
// normal with mean n - 1 and variance 2 (n - 1): five deviations and a little for few cells.
static void counts_fit(const struct plain_token *tokens, size_t count, const int *counts,
                       int picks) {
    double statistic = 0, pooled_expected = 0, cells = 0;
    int pooled = 0;
    for (size_t i = 0; i < count; i++) {
        const double expected = tokens[i].probability * picks;
        if (expected < 5) {
            pooled_expected += expected;
            pooled += counts[tokens[i].id];
            continue;
        }
        const double off = counts[tokens[i].id] - expected;
        statistic += off * off / expected;
        cells++;
    }
    if (pooled_expected > 1) {
        const double off = pooled - pooled_expected;
        statistic += off * off / pooled_expected;
        cells++;
    }
    const double freedom = fmax(cells - 1, 0);
    if (statistic > freedom + 5 * sqrt(2 * freedom) + 10)
        fail_msg("statistic %.1f at %.0f degrees of freedom", statistic, freedom);
}

static void picks_are_distributed_as_by_a_naive_sampler(void **state) {
    (void)state;
    enum { VOCABULARY = 60, PICKS = 3000, ROUNDS = CHECK_ROUNDS(300, 60) };
    print_message("seed %u\n", seed);
    for (int round = 0; round < ROUNDS; round++) {
        const struct sampler_options options = random_options();
        struct sampler *sampler = make_sampler(VOCABULARY, options);
        struct plain_token tokens[VOCABULARY];
        float logits[VOCABULARY], theirs[VOCABULARY];
        int32_t history[20];
        int counts[VOCABULARY] = {0};
        const size_t length = next_uint(21);
        for (size_t i = 0; i < length; i++)
            history[i] = (int32_t)next_uint(VOCABULARY);
        for (size_t id = 0; id < VOCABULARY; id++)
            logits[id] = theirs[id] = next_uint(20) ? next_logit() : next_uint(2) ? NAN : -INFINITY;
        plain_penalties(theirs, VOCABULARY, history, length, &options);
        const size_t count = plain_chain(theirs, VOCABULARY, &options, tokens);
        for (int i = 0; i < PICKS; i++) {
            float copy[VOCABULARY];
            memcpy(copy, logits, sizeof copy);
            counts[sampler_pick(sampler, copy, history, length)]++;
        }
        int possible = 0;
        for (size_t i = 0; i < count; i++)
            possible += counts[tokens[i].id];
        assert_int_equal(possible, PICKS); // nothing else was ever picked
        counts_fit(tokens, count, counts, PICKS);
        sampler_destroy(sampler);
    }
}

static void top_k_breaks_ties_by_the_lower_id(void **state) {
    (void)state;
    enum { VOCABULARY = 30 };
    struct sampler_options options = plain;
    for (options.top_k = 1; options.top_k <= VOCABULARY; options.top_k++) {
        struct sampler *sampler = make_sampler(VOCABULARY, options);
        bool picked[VOCABULARY] = {false};
        for (int i = 0; i < 2000; i++) {
            float logits[VOCABULARY];
            for (size_t id = 0; id < VOCABULARY; id++)
                logits[id] = 0.25f;
            picked[sampler_pick(sampler, logits, NULL, 0)] = true;
        }
        for (int32_t id = 0; id < VOCABULARY; id++)
            assert_int_equal(picked[id], id < options.top_k);
        sampler_destroy(sampler);
    }
}

static void a_large_vocabulary_agrees_with_a_naive_sampler(void **state) {
    (void)state;
    enum { VOCABULARY = 151937, PICKS = 40 };
    static float logits[VOCABULARY], copy[VOCABULARY];
    struct plain_token *tokens = malloc(VOCABULARY * sizeof tokens[0]);
    bool *possible = malloc(VOCABULARY * sizeof possible[0]);
    assert_true(tokens && possible);
    for (size_t id = 0; id < VOCABULARY; id++)
        logits[id] = next_logit() * 2;
    static const struct {
        int32_t top_k;
        float top_p;
    } cases[] = {{40, 0.9f}, {5000, 1}, {0, 0.5f}, {0, 1}, {1, 1}, {VOCABULARY, 0.1f}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sampler_options options = plain;
        options.top_k = cases[i].top_k;
        options.top_p = cases[i].top_p;
        const size_t count = plain_chain(logits, VOCABULARY, &options, tokens);
        memset(possible, 0, VOCABULARY * sizeof possible[0]);
        for (size_t j = 0; j < count; j++)
            possible[tokens[j].id] = true;
        struct sampler *sampler = make_sampler(VOCABULARY, options);
        for (int pick = 0; pick < PICKS; pick++) {
            memcpy(copy, logits, sizeof copy);
            assert_true(possible[sampler_pick(sampler, copy, NULL, 0)]);
        }
        sampler_destroy(sampler);
    }
    sampler_destroy(NULL);
    free(possible);
    free(tokens);
}

static void options_are_alike_but_for_the_seed(void **state) {
    (void)state;
    const struct sampler_options ours = sampler_options_default();
    struct sampler_options other = ours;
    other.seed++;
    assert_true(sampler_options_alike(&ours, &other));
    for (size_t at = 0; at < offsetof(struct sampler_options, seed); at += sizeof(float)) {
        other = ours;
        ((unsigned char *)&other)[at + 2] ^= 0x40; // of each field a bit that counts
        assert_false(sampler_options_alike(&ours, &other));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_alike_but_for_the_seed),
        cmocka_unit_test(the_default_options_are_valid),
        cmocka_unit_test(an_option_out_of_range_is_refused_by_name),
        cmocka_unit_test(greedy_picks_the_highest_logit_and_lowest_id),
        cmocka_unit_test(the_only_possible_id_is_always_picked),
        cmocka_unit_test(a_row_of_nan_still_yields_an_id),
        cmocka_unit_test(every_pick_draws_one_splitmix64_number),
        cmocka_unit_test(equal_seeds_pick_equal_tokens),
        cmocka_unit_test(penalties_agree_with_a_naive_loop),
        cmocka_unit_test(candidates_give_the_same_pick_as_the_whole_row),
        cmocka_unit_test(a_choice_lists_each_recent_token_once_with_its_count),
        cmocka_unit_test(picks_are_distributed_as_by_a_naive_sampler),
        cmocka_unit_test(top_k_breaks_ties_by_the_lower_id),
        cmocka_unit_test(a_large_vocabulary_agrees_with_a_naive_sampler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
