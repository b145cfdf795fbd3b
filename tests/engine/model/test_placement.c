// tests/engine/model/test_placement.c — where weights live, for models and cards at random.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/placement_lesson.h"

enum { SEED = 47011, MODELS = 2000, MOST_LAYERS = 90 };
#define MIB ((size_t)1 << 20)

static const struct placement_rates rates = {
    .card = 1e12, .host = 5e10, .link = 2.5e10, .crossing_us = 30, .part_us = 5};

static size_t below(unsigned *state, size_t count) { return (size_t)rand_r(state) % count; }

static struct placement_part random_part(unsigned *state, size_t parts_read) {
    const size_t bytes = below(state, 4) ? 1 + below(state, 1 << 24) : 0;
    return (struct placement_part){bytes + bytes / 50, bytes, bytes / parts_read, 0};
}

static struct placement_need random_need(unsigned *state) {
    struct placement_need need = {.layers = 1 + (int32_t)below(state, MOST_LAYERS)};
    const bool mixture = below(state, 3) > 0, dense = !mixture || below(state, 2);
    need.fixed = random_part(state, 1);
    need.embedding_bytes = below(state, 4) ? below(state, 1 << 24) : 0;
    need.kv_bytes = below(state, 1 << 26);
    need.buffer_bytes = below(state, 1 << 20);
    need.row_bytes = below(state, 1 << 16);
    for (int32_t i = 0; i < need.layers; i++) {
        if (mixture) need.parts[PLACEMENT_EXPERTS][i] = random_part(state, 1 + below(state, 64));
        if (mixture) need.parts[PLACEMENT_EXPERTS][i].experts = 64;
        if (dense) need.parts[PLACEMENT_DENSE][i] = random_part(state, 1);
    }
    return need;
}

static size_t all_bytes(const struct placement_need *need, bool leaving) {
    size_t bytes = need->fixed.card_bytes + need->kv_bytes + need->buffer_bytes;
    bytes += leaving ? need->embedding_bytes : 0;
    for (int32_t i = 0; i < need->layers && leaving; i++)
        bytes += need->parts[PLACEMENT_EXPERTS][i].card_bytes +
                 need->parts[PLACEMENT_DENSE][i].card_bytes;
    return bytes;
}

static struct placement_limits limits_of(size_t card_bytes) {
    return (struct placement_limits){.card_bytes = card_bytes, .rates = rates};
}

static bool plan_with(const struct placement_need *need, const struct placement_limits *limits,
                      struct placement *placement) {
    const enum status status = placement_plan(need, limits, placement, NULL);
    assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
    if (status == STATUS_OK) placement_check(need, limits, placement);
    return status == STATUS_OK;
}

static void assert_seconds(const struct placement *placement, double seconds) {
    assert_true(placement->tokens_s > 0.9999 / seconds && placement->tokens_s < 1.0001 / seconds);
}

// With which every part takes longer in host memory than on the card.
static struct placement_rates random_rates(unsigned *state) {
    const double host = 1e9 * (double)(1 + below(state, 100));
    const double part_us = 1 + (double)below(state, 100);
    return (struct placement_rates){.host = host,
                                    .card = host * (double)(1 + below(state, 50)),
                                    .link = 1e9 * (double)(1 + below(state, 100)),
                                    .part_us = part_us,
                                    .crossing_us = part_us + (double)below(state, 100),
                                    .factor = 1 + (double)below(state, 4) / 2,
                                    .slowed = (double)below(state, 5) / 4};
}

static void budgets_are_kept_and_more_memory_never_hurts(void **state) {
    (void)state;
    unsigned seed = SEED;
    for (int m = 0; m < MODELS; m++) {
        struct placement_need need = random_need(&seed);
        const size_t least = all_bytes(&need, false), all = all_bytes(&need, true);
        struct placement few, more;
        struct placement_limits limits = limits_of(least + below(&seed, all - least + 1));
        if (m % 2) limits.rates = random_rates(&seed);
        need.gathered_max = (int32_t)below(&seed, 8);
        need.rows_cross = below(&seed, 2);
        assert_true(plan_with(&need, &limits, &few));
        limits.card_bytes += below(&seed, 1 << 24);
        assert_true(plan_with(&need, &limits, &more));
        assert_true(more.tokens_s >= 0.999999 * few.tokens_s); // but for rounding
        assert_true(more.host_bytes <= few.host_bytes);
        assert_true(more.embedding_bytes <= few.embedding_bytes);
        if (placement_splits(&few)) assert_int_equal(few.embedding_bytes, need.embedding_bytes);
        for (int kind = 0; kind < PLACEMENT_KINDS; kind++)
            for (int32_t i = 0; i < need.layers; i++)
                assert_true(few.in_host[kind][i] || !more.in_host[kind][i]);
        assert_true(few.host_layers[PLACEMENT_DENSE] == 0 ||
                    few.host_layers[PLACEMENT_EXPERTS] == few.all_layers[PLACEMENT_EXPERTS]);
    }
}

// Gives each layer of the need experts, which may have copies.
static void have_copied(unsigned *state, struct placement_need *need) {
    const int32_t experts = 1 + (int32_t)below(state, 128);
    for (int32_t i = 0; i < need->layers; i++) {
        struct placement_part *part = &need->parts[PLACEMENT_EXPERTS][i];
        if (part->card_bytes == 0) continue;
        part->experts = experts;
        const size_t each = part->card_bytes / (size_t)experts + 1;
        if (each > need->expert_bytes) need->expert_bytes = each;
    }
    need->unused_bytes = below(state, 1 << 22);
    need->lent_bytes = need->kv_bytes / 2;
}

static void
copies_of_experts_never_make_a_plan_slower_and_only_experts_leave_for_them(void **state) {
    (void)state;
    unsigned seed = SEED + 3;
    int left = 0;
    for (int m = 0; m < MODELS / 4; m++) {
        struct placement_need need = random_need(&seed);
        const size_t least = all_bytes(&need, false), all = all_bytes(&need, true);
        struct placement without, with;
        struct placement_limits limits = limits_of(least + below(&seed, all - least + 1));
        limits.rates.recency = (double)below(&seed, 4) / 3 * PLACEMENT_RECENCY_MAX;
        limits.rates.crossing_us = limits.rates.part_us = 0.1;
        assert_true(plan_with(&need, &limits, &without));
        have_copied(&seed, &need);
        assert_true(plan_with(&need, &limits, &with));
        assert_true(with.tokens_s >= without.tokens_s);
        assert_true(with.slots + with.lent_slots <= with.experts);
        assert_memory_equal(with.in_host[PLACEMENT_DENSE], without.in_host[PLACEMENT_DENSE],
                            sizeof with.in_host[PLACEMENT_DENSE]);
        for (int32_t i = 0; i < need.layers; i++)
            assert_true(with.in_host[PLACEMENT_EXPERTS][i] ||
                        !without.in_host[PLACEMENT_EXPERTS][i]);
        left += with.host_layers[PLACEMENT_EXPERTS] > without.host_layers[PLACEMENT_EXPERTS];
    }
    assert_true(left > 0);
}

// A mixture of 48 layers and the rates of a card and a processor, about as they were measured.
static struct placement_need measured_need(void) {
    struct placement_need need = {.layers = 48,
                                  .fixed = {1100 * MIB, 1100 * MIB, 760 * MIB, 0},
                                  .kv_bytes = 512 * MIB,
                                  .buffer_bytes = 420 * MIB,
                                  .row_bytes = 12288,
                                  .gathered_max = 7,
                                  .unused_bytes = 256 * MIB};
    for (int32_t i = 0; i < need.layers; i++)
        need.parts[PLACEMENT_EXPERTS][i] =
            (struct placement_part){348 * MIB, 348 * MIB, 348 * MIB / 16, 128};
    need.expert_bytes = 348 * MIB / 128 + 2048;
    return need;
}

static struct placement_rates measured_rates(void) {
    return (struct placement_rates){.card = 3.8e12,
                                    .host = 9e10,
                                    .link = 5.4e10,
                                    .token_us = 864,
                                    .crossing_us = 34,
                                    .part_us = 37,
                                    .factor = 1,
                                    .copies_factor = 1,
                                    .slowed = 0.25};
}

static void more_layers_leave_for_copies_if_routing_has_a_memory(void **state) {
    (void)state;
    const struct placement_need need = measured_need();
    struct placement_limits limits = {.card_bytes = 8192 * MIB, .rates = measured_rates()};
    struct placement placement;
    assert_true(plan_with(&need, &limits, &placement)); // nothing is known of it
    assert_int_equal(placement.host_layers[PLACEMENT_EXPERTS], 31);
    assert_true(placement.slots == 0 && placement.gathered > 0);
    const double shortest = placement.tokens_s;
    limits.rates.recency = 0.6;
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.host_layers[PLACEMENT_EXPERTS], 48);
    assert_true(placement.slots > 1500 && placement.gathered == 0);
    assert_true(placement.tokens_s > 1.05 * shortest);
    limits.rates.copies_factor = 1.5; // but answers have shown that this takes longer
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.host_layers[PLACEMENT_EXPERTS], 31);
    assert_seconds(&placement, 1 / shortest);
}

// How answers are: what copies are hit as routing of this recency has them, with copies parts in
// host memory take `slower` times what is predicted of that, and machine and text vary.
struct truth {
    double recency, slower, noise;
};

static void teach(const struct placement *placement, const struct truth *truth, unsigned *seed,
                  struct placement_rates *learnt) {
    enum { STEPS = 1000 };
    const double of_hits = 1 + truth->noise * ((double)below(seed, 2 * STEPS + 1) / STEPS - 1);
    const double of_time = 1 + truth->noise * ((double)below(seed, 2 * STEPS + 1) / STEPS - 1);
    const bool copies = placement_copies(placement) > 0;
    struct placement_lesson lesson = {.tokens = 99, .rates = *learnt};
    lesson.copied = copies ? (double)placement->slots / placement->experts : 0.25;
    lesson.hits = fmin(1, of_hits * placement_hits(lesson.copied, truth->recency));
    const double rest = 1 / placement->tokens_s - placement->factor * placement->host_seconds;
    const double in_host =
        placement_host_seconds_at(placement, copies ? lesson.hits : placement->hits);
    lesson.token_us = 1e6 * of_time * (rest + (copies ? truth->slower : 1) * in_host);
    assert_true(placement_lesson_find(&lesson, placement, learnt));
    assert_true(learnt->factor >= 0.25 && learnt->factor <= 4);
    assert_true(learnt->copies_factor >= 0.25 && learnt->copies_factor <= 4);
    assert_true(learnt->recency >= 0 && learnt->recency <= PLACEMENT_RECENCY_MAX);
}

// A text whose tokens do not repeat ends copies for that text only.
static void copies_come_back_with_routing_that_has_a_memory(void **state) {
    enum { STARTS = 6 };
    static const double recencies[] = {0, 1, 0.02, 0.9};
    (void)state;
    unsigned seed = SEED;
    const struct placement_need need = measured_need();
    struct placement_limits limits = {.card_bytes = 8192 * MIB, .rates = measured_rates()};
    struct placement placement;
    for (size_t i = 0; i < sizeof recencies / sizeof recencies[0]; i++) {
        for (int start = 0; start < STARTS; start++) {
            assert_true(plan_with(&need, &limits, &placement));
            teach(&placement, &(struct truth){recencies[i], 1, 0}, &seed, &limits.rates);
        }
        assert_int_equal(placement_copies(&placement) > 0, recencies[i] > 0.5);
        assert_true(fabs(placement_tokens_at(&placement, placement.hits) - placement.tokens_s) < 1);
    }
}

// A model whose answers take what they take is opened again and again: whatever that is, its plan,
// and with it the KV that is cached, changes at most once or, where copies disappoint, and back.
static void plans_settle(void **state) {
    enum { STARTS = 20, SETTLED = 4, TRUTHS = 7 };
    (void)state;
    unsigned seed = SEED;
    for (int t = 0; t < TRUTHS * TRUTHS; t++) {
        const double slower = 0.7 + 0.1 * (t % TRUTHS), hits_like = 0.25 * (t / TRUTHS);
        const struct placement_need need = measured_need();
        struct placement_limits limits = {.card_bytes = 8192 * MIB, .rates = measured_rates()};
        struct placement placement, before = {0};
        int changes = 0, last = 0;
        for (int start = 0; start < STARTS; start++) {
            assert_true(plan_with(&need, &limits, &placement));
            if (start > 0 && memcmp(placement.in_host, before.in_host, sizeof before.in_host)) {
                changes++;
                last = start;
            }
            before = placement;
            teach(&placement, &(struct truth){hits_like, slower, 0}, &seed, &limits.rates);
        }
        assert_true(changes <= 2 && last <= SETTLED);
        if (slower < 1.05 && hits_like > 0.6) assert_true(changes == 1 && last == 1);
    }
}

// However close two plans are, answers that vary by a fifth do not change one to the other and back
// at every other start.
static void noisy_answers_change_a_plan_a_few_times_at_most(void **state) {
    enum { STARTS = 30, CHANGES = 4, TRUTHS = 7, TIMES = 10 };
    (void)state;
    unsigned seed = SEED + 4;
    for (int t = 0; t < TRUTHS * TRUTHS * TIMES; t++) {
        const struct truth truth = {0.2 * (t % TRUTHS), 0.8 + 0.1 * (t / TRUTHS % TRUTHS), 0.2};
        const struct placement_need need = measured_need();
        struct placement_limits limits = {.card_bytes = 8192 * MIB, .rates = measured_rates()};
        struct placement placement, before;
        int changes = 0;
        for (int start = 0; start < STARTS; start++) {
            assert_true(plan_with(&need, &limits, &placement));
            if (start > 0)
                changes += memcmp(placement.in_host, before.in_host, sizeof before.in_host) != 0;
            assert_int_equal(placement.changes, changes);
            before = placement;
            teach(&placement, &truth, &seed, &limits.rates);
        }
        assert_true(changes <= CHANGES);
    }
}

// Where only one beginning can be planned, or a person says what leaves, nothing has changed.
static void plans_without_a_choice_are_no_changes(void **state) {
    (void)state;
    struct placement_need need = measured_need();
    struct placement_limits limits = {.card_bytes = 8192 * MIB, .rates = measured_rates()};
    struct placement placement;
    limits.rates.recency = 0.6;
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.changes, 1);
    limits.rates.changes = 1;
    limits.override = (struct placement_override){.has_n_cpu_moe = true, .n_cpu_moe = 40};
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.changes, 1);
    limits.override = (struct placement_override){0};
    need.expert_bytes = 0;
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.changes, 1);
}

static void a_longer_context_moves_weights_and_a_shorter_one_brings_them_back(void **state) {
    (void)state;
    unsigned seed = SEED + 1;
    for (int m = 0; m < MODELS; m++) {
        struct placement_need need = random_need(&seed);
        struct placement shorter, longer;
        const struct placement_limits limits = limits_of(all_bytes(&need, true));
        assert_true(plan_with(&need, &limits, &shorter));
        assert_false(placement_splits(&shorter));
        need.kv_bytes += below(&seed, 1 << 26);
        if (plan_with(&need, &limits, &longer)) {
            assert_true(longer.tokens_s <= shorter.tokens_s);
            assert_true(longer.card_bytes <= limits.card_bytes);
        }
    }
}

static void a_model_fits_exactly_or_says_what_is_missing(void **state) {
    (void)state;
    unsigned seed = SEED + 2;
    for (int m = 0; m < MODELS; m++) {
        const struct placement_need need = random_need(&seed);
        const size_t least = all_bytes(&need, false), all = all_bytes(&need, true);
        struct placement placement;
        struct error err = {0};
        struct placement_limits limits = limits_of(all);
        assert_true(plan_with(&need, &limits, &placement));
        assert_false(placement_leaves(&placement));
        limits.card_bytes = least;
        assert_true(plan_with(&need, &limits, &placement));
        assert_int_equal(placement.card_bytes, least);
        if (least == 0) continue;
        limits.card_bytes = least - 1;
        assert_int_equal(placement_plan(&need, &limits, &placement, &err), STATUS_NO_MEMORY);
        assert_non_null(strstr(err.text, "1 B more than is free"));
    }
}

// A prediction is the sum of its parts' times.
static void the_prediction_is_the_time_of_what_a_token_reads(void **state) {
    (void)state;
    struct placement_need need = {.layers = 4, .fixed = {1000, 1000, 1000, 0}};
    struct placement_limits limits = limits_of(1000 + 2 * 8000);
    struct placement placement;
    char text[PLACEMENT_TEXT_BYTES];
    limits.rates = (struct placement_rates){1e6, 1e5, 1e6, 2000, 500, 300, 0, 1, 1, 0, 0.25, 0};
    need.row_bytes = 100;
    for (int32_t i = 0; i < need.layers; i++)
        need.parts[PLACEMENT_EXPERTS][i] = (struct placement_part){8000, 8000, 1000, 8};
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.host_layers[PLACEMENT_EXPERTS], 2);
    assert_true(placement.in_host[PLACEMENT_EXPERTS][0]); // of equals the lower layers
    assert_true(placement.in_host[PLACEMENT_EXPERTS][1]);
    assert_seconds(&placement,
                   2000e-6 + 3000 / 1e6 + 2 * 300e-6 + 2000 / 1e5 + 2 * (100 / 1e6 + 500e-6));
    assert_string_equal(placement_describe(&placement, text),
                        "2 of 4 layers' experts in memory (15.6 KiB); about 37 tokens/s");

    // Answers have shown that half of that is enough for the processor's parts.
    limits.rates.factor = 0.5;
    assert_true(plan_with(&need, &limits, &placement));
    assert_seconds(&placement,
                   2000e-6 + 3000 / 1e6 + 2 * 300e-6 + (2000 / 1e5 + 2 * (100 / 1e6 + 500e-6)) / 2);
    limits.rates.factor = 1;

    // Half of the experts have copies, and 81 % of what a token chooses.
    limits.rates.recency = 1;
    need.expert_bytes = 1000;
    limits.override = (struct placement_override){.has_n_cpu_moe = true, .n_cpu_moe = 4};
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.host_layers[PLACEMENT_EXPERTS], 4);
    assert_int_equal(placement.slots, 16);
    assert_seconds(&placement,
                   2000e-6 + 1000 / 1e6 + 4 * (1.25 * 0.19 * 1000 / 1e5 + 100 / 1e6 + 500e-6));
    assert_int_equal(placement.host_token_bytes[PLACEMENT_EXPERTS], 4000);
    assert_int_equal(placement.host_token_bytes[PLACEMENT_DENSE], 0);
    const double most = 1 / placement_tokens_at(&placement, 1); // if all choices had a copy
    assert_true(fabs(most - (2000e-6 + 1000 / 1e6 + 4 * (1000 / 1e6 + 300e-6))) < 1e-9);
    assert_string_equal(
        placement_describe(&placement, text),
        "4 of 4 layers' experts in memory (31.2 KiB), 50 % copied; about 67 tokens/s");
    need.unused_bytes = 5000; // which stay free
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.slots, 11);
    need.unused_bytes = 0;
    limits.rates.part_us = 3000; // the card's part takes longer than what is left to the processor
    limits.rates.token_us = 0;
    assert_true(plan_with(&need, &limits, &placement));
    assert_seconds(&placement, 1000 / 1e6 + 4 * fmax(1.25 * 0.19 * 1000 / 1e5 + 100 / 1e6 + 500e-6,
                                                     3000e-6 + 1000 / 1e6));
    need.lent_bytes = 9000; // and 9 more slots in the KV cache's memory
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.lent_slots, 9);
    need.lent_bytes = 0;
    limits.card_bytes = 1000 + 3000; // room for three of 32
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.slots, 0);
    limits.card_bytes = 1000 + 2 * 8000;
    limits.rates = (struct placement_rates){0}; // unknown
    limits.override = (struct placement_override){0};
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.host_layers[PLACEMENT_EXPERTS], 2);
}

// Experts before dense feed-forwards, and of a kind the one first that costs least for a byte.
static void the_part_that_costs_least_per_byte_leaves_first(void **state) {
    (void)state;
    enum { LAYERS = 6, MANY = 1, FEW = 2, LARGE = 4 };
    static const int32_t ORDER[] = {MANY, FEW, LARGE, 3}; // layer 0 and 5 have none that may leave
    struct placement_need need = {.layers = LAYERS};
    struct placement placement;
    need.parts[PLACEMENT_EXPERTS][MANY] = (struct placement_part){6000, 6000, 600, 10};
    need.parts[PLACEMENT_EXPERTS][FEW] = (struct placement_part){5000, 5000, 500, 10};
    need.parts[PLACEMENT_DENSE][LARGE] = (struct placement_part){9000, 9000, 9000, 0};
    need.parts[PLACEMENT_DENSE][3] = (struct placement_part){1000, 1000, 1000, 0};
    struct placement_limits limits = limits_of(all_bytes(&need, true));
    for (size_t left = 0; left < sizeof ORDER / sizeof ORDER[0]; left++) {
        limits.card_bytes--; // one more has to leave
        assert_true(plan_with(&need, &limits, &placement));
        for (size_t i = 0; i < sizeof ORDER / sizeof ORDER[0]; i++)
            assert_int_equal(placement.in_host[PLACEMENT_EXPERTS][ORDER[i]] ||
                                 placement.in_host[PLACEMENT_DENSE][ORDER[i]],
                             i <= left);
        limits.card_bytes = placement.card_bytes;
    }
    assert_int_equal(placement.card_bytes, 0);
}

// The link brings some of a token's experts to the card while the processor reads the others.
static void some_experts_cross_where_that_is_faster(void **state) {
    (void)state;
    const size_t mib = (size_t)1 << 20;
    struct placement_need need = {.layers = 32, .gathered_max = 7};
    struct placement_limits limits = limits_of(0);
    struct placement placement, alone;
    limits.rates = (struct placement_rates){.card = 3.8e12,
                                            .host = 8.6e10,
                                            .link = 5.4e10,
                                            .crossing_us = 33,
                                            .part_us = 33,
                                            .factor = 1,
                                            .slowed = 0.25};
    for (int32_t i = 0; i < need.layers; i++)
        need.parts[PLACEMENT_EXPERTS][i] =
            (struct placement_part){352 * mib, 352 * mib, 22 * mib, 128}; // 8 of them
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.gathered, 2);
    const double bytes = 22 * (double)mib, crosses = 0.25 * bytes / (0.66 * 5.4e10);
    assert_seconds(&placement, 32 * (33e-6 + 0.75 * bytes / 8.6e10 + crosses / 4));
    need.gathered_max = 0;
    assert_true(plan_with(&need, &limits, &alone));
    assert_int_equal(alone.gathered, 0);
    assert_seconds(&alone, 32 * (33e-6 + 22 * (double)mib / 8.6e10));
    need.gathered_max = 7;
    limits.rates.link =
        4e11; // the processor reads three longer than it takes to begin and six cross
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.gathered, 6);
    need.rows_cross = true; // but this model has no dense matrices
    limits.rates.factor = 0.96;
    assert_true(plan_with(&need, &limits, &placement));
    assert_true(placement.gathered == 6 && placement.crossing_share <= 0);
    limits.rates.factor = 1;
    limits.rates.link = 1e9; // one crosses as long as the processor reads ten
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.gathered, 0);
    assert_seconds(&placement, 1 / alone.tokens_s);
}

// And of a dense matrix some rows.
static void some_rows_cross_where_that_is_faster(void **state) {
    (void)state;
    struct placement_need need = {.layers = 12};
    struct placement_limits limits = limits_of(0);
    struct placement placement;
    limits.rates = (struct placement_rates){.card = 4e12,
                                            .host = 8e10,
                                            .link = 5e10,
                                            .crossing_us = 40,
                                            .part_us = 40,
                                            .factor = 1,
                                            .slowed = 0.25};
    for (int32_t i = 0; i < need.layers; i++)
        need.parts[PLACEMENT_DENSE][i] =
            (struct placement_part){400000000, 400000000, 400000000, 0};
    assert_true(plan_with(&need, &limits, &placement));
    assert_true(placement.crossing_share <= 0);
    assert_seconds(&placement, 12 * (40e-6 + 4e8 / 8e10));
    need.rows_cross =
        true; // 6/16 take 3,529 us by the link, and 10/16 3,125 us and a quarter of it
    assert_true(plan_with(&need, &limits, &placement));
    assert_true(placement.crossing_share > 0.37 && placement.crossing_share < 0.38);
    const double crosses = 6 / 16.0 * 4e8 / (0.85 * 5e10);
    assert_seconds(&placement, 12 * (40e-6 + 10 / 16.0 * 4e8 / 8e10 + crosses / 4));
    limits.rates.link = 1e12;
    assert_true(plan_with(&need, &limits, &placement));
    assert_true(placement.crossing_share < 0.44);
    limits.rates.link = 1e9;
    assert_true(plan_with(&need, &limits, &placement));
    assert_true(placement.crossing_share <= 0);
}

// What crosses needs no more room on the card than some experts, or two dense matrices.
static void a_layer_of_experts_crosses_in_parts(void **state) {
    (void)state;
    const size_t mib = (size_t)1 << 20;
    struct placement_need need = {.layers = 2};
    need.parts[PLACEMENT_EXPERTS][0] =
        (struct placement_part){1600 * mib, 1600 * mib, 50 * mib, 128};
    assert_int_equal(placement_crossing_bytes(&need, false), 128 * mib);
    assert_int_equal(placement_crossing_bytes(&need, true), 32 * mib);
    need.parts[PLACEMENT_EXPERTS][0].experts = 8; // of 200 MiB each
    assert_int_equal(placement_crossing_bytes(&need, true), 400 * mib);
    assert_int_equal(placement_crossing_bytes(&need, false), 400 * mib);
    need.parts[PLACEMENT_EXPERTS][0] = (struct placement_part){90 * mib, 90 * mib, 9 * mib, 64};
    assert_int_equal(placement_crossing_bytes(&need, false), 90 * mib);
    need.parts[PLACEMENT_DENSE][1] = (struct placement_part){450 * mib, 450 * mib, 450 * mib, 0};
    need.matrix_bytes = 180 * mib;
    assert_int_equal(placement_crossing_bytes(&need, false), 360 * mib);
}

// By the time that each way takes, for processors and links of any speed.
static void batches_cross_as_soon_as_that_is_faster(void **state) {
    (void)state;
    struct placement_need need = {.layers = 1};
    struct placement placement = {.in_host[PLACEMENT_EXPERTS] = {true}};
    struct placement_rates fast = {1e12, 1e11, 5e10, 0, 50, 10, 20, 1, 1, 0, 0.25, 0}, slow;
    const enum placement_kind kind = PLACEMENT_EXPERTS;
    need.parts[kind][0] = (struct placement_part){340000000, 340000000, 21250000, 128};
    // To cross takes 6.8 ms. To read all takes half as long, so the tokens' own time decides: 166
    // of them make 3.3 ms.
    const int32_t tokens = placement_crossing_tokens(&need, &fast, &placement, kind);
    assert_true(tokens > 150 && tokens < 180);
    slow = fast;
    slow.host = 1e10; // reading an expert takes as long as five cross
    assert_int_equal(placement_crossing_tokens(&need, &slow, &placement, kind),
                     PLACEMENT_TOKENS_LEAST);
    slow = fast;
    slow.row_us = 100;
    assert_true(placement_crossing_tokens(&need, &slow, &placement, kind) < tokens / 3);
    slow = fast;
    slow.link = 1e9;
    assert_true(placement_crossing_tokens(&need, &slow, &placement, kind) > 10 * tokens);
    slow.link = 1e7;
    assert_int_equal(placement_crossing_tokens(&need, &slow, &placement, kind), INT32_MAX);
    slow = fast; // 36 tokens choose nine in ten experts, and to read these takes as long
    slow.row_us = slow.crossing_us = slow.part_us = 0;
    slow.host = 0.9 * slow.link;
    assert_int_equal(placement_crossing_tokens(&need, &slow, &placement, kind), 36);
    slow.part_us = 300; // now it takes as long as to read nearly 19 in 20
    assert_int_equal(placement_crossing_tokens(&need, &slow, &placement, kind), 44);
    slow = (struct placement_rates){0}; // unknown
    assert_int_equal(placement_crossing_tokens(&need, &slow, &placement, kind), INT32_MAX);
    assert_int_equal(placement_crossing_tokens(&need, &fast, &placement, PLACEMENT_DENSE),
                     INT32_MAX);
}

static void more_copies_are_hit_more_often(void **state) {
    (void)state;
    for (int r = 0; r <= 3; r++) {
        const double recency = r * PLACEMENT_RECENCY_MAX / 3;
        double before = 0;
        for (int i = 1; i < 64; i++) {
            const double share = i / 64.0, hits = placement_hits(share, recency);
            assert_true(hits >= before && hits >= share && hits <= 1);
            before = hits;
            if (hits < 1) // what is learnt from hits predicts them
                assert_true(fabs(placement_recency(share, hits) - recency) < 1e-9);
        }
        assert_true(placement_hits(0, recency) <= 0 && placement_hits(2, recency) >= 1);
    }
    assert_true(fabs(placement_hits(0.25, 0) - 0.25) < 1e-9); // routing without memory
    assert_true(fabs(placement_hits(0.25, 1) - 0.70) < 1e-9);
    assert_true(placement_recency(0.25, 0.1) <= 0 && placement_recency(1, 1) <= 0);
    assert_true(placement_recency(0.25, 1) <= PLACEMENT_RECENCY_MAX);
}

static void the_embedding_leaves_before_any_layer(void **state) {
    (void)state;
    struct placement_need need = {
        .layers = 4, .fixed = {1000, 1000, 1000, 0}, .embedding_bytes = 500};
    struct placement_limits limits = limits_of(1000 + 500 + 4 * 8000);
    struct placement placement;
    struct error err = {0};
    char text[PLACEMENT_TEXT_BYTES];
    limits.rates = (struct placement_rates){0};
    for (int32_t i = 0; i < need.layers; i++)
        need.parts[PLACEMENT_EXPERTS][i] = (struct placement_part){8000, 8000, 1000, 8};
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.embedding_bytes, 0);
    limits.card_bytes--;
    assert_true(plan_with(&need, &limits, &placement));
    assert_false(placement_splits(&placement));
    assert_int_equal(placement.card_bytes, 1000 + 4 * 8000);
    assert_string_equal(placement_describe(&placement, text), "the embedding in memory (500 B)");
    limits.override = (struct placement_override){.has_ngl = true, .ngl = 99};
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.embedding_bytes, 500);
    limits.card_bytes = 1000 + 4 * 8000 - 1;
    assert_int_equal(placement_plan(&need, &limits, &placement, &err), STATUS_NO_MEMORY);
    assert_non_null(strstr(err.text, "1 B more than is free"));
    limits.override = (struct placement_override){0};
    assert_true(plan_with(&need, &limits, &placement));
    assert_string_equal(placement_describe(&placement, text),
                        "the embedding and 1 of 4 layers' experts in memory (8.3 KiB)");
    limits.card_bytes += 500; // layers are back first
    assert_true(plan_with(&need, &limits, &placement));
    assert_int_equal(placement.host_bytes + placement.embedding_bytes, 500);
    assert_true(placement_is_embedding("token_embd.weight", false));
    assert_false(placement_is_embedding("token_embd.weight", true));
    assert_true(placement_is_embedding("per_layer_token_embd.weight", true));
    assert_false(placement_is_embedding("token_embd_norm.weight", false));
}

static void overrides_place_the_layers_that_they_name(void **state) {
    (void)state;
    struct placement_need need = {.layers = 6, .fixed = {1, 1, 1, 0}};
    struct placement_limits limits = limits_of(1000);
    struct placement placement;
    struct error err = {0};
    char text[PLACEMENT_TEXT_BYTES];
    for (int32_t i = 0; i < need.layers; i++)
        need.parts[i < 2 ? PLACEMENT_DENSE : PLACEMENT_EXPERTS][i] =
            (struct placement_part){10, 10, 10, 0};
    limits.override = (struct placement_override){.has_n_cpu_moe = true, .n_cpu_moe = 4};
    assert_true(plan_with(&need, &limits, &placement));
    for (int32_t i = 0; i < need.layers; i++) {
        assert_int_equal(placement.in_host[PLACEMENT_EXPERTS][i], i == 2 || i == 3);
        assert_false(placement.in_host[PLACEMENT_DENSE][i]);
    }
    limits.override.has_ngl = true;
    limits.override.ngl = 5; // the first layer has none of its weights but attention's there
    assert_true(plan_with(&need, &limits, &placement));
    assert_true(placement.in_host[PLACEMENT_DENSE][0]);
    assert_false(placement.in_host[PLACEMENT_DENSE][1]);
    limits.rates = (struct placement_rates){0};
    assert_true(plan_with(&need, &limits, &placement));
    assert_string_equal(placement_describe(&placement, text),
                        "2 of 4 layers' experts and 1 of 2 layers' feed-forwards in memory (30 B)");
    limits.override.ngl = 99;
    limits.override.n_cpu_moe = 0;
    assert_true(plan_with(&need, &limits, &placement));
    assert_false(placement_splits(&placement));
    limits.card_bytes = 60;
    assert_int_equal(placement_plan(&need, &limits, &placement, &err), STATUS_NO_MEMORY);
    assert_non_null(strstr(err.text, "--n-cpu-moe"));
}

static void only_feed_forwards_may_leave(void **state) {
    (void)state;
    static const char *const EXPERTS[] = {"blk.3.ffn_up_exps.weight", "ffn_gate_up_exps.weight",
                                          "ffn_down_exps.bias", "ffn_gate.7.weight"};
    static const char *const DENSE[] = {"blk.31.ffn_up.weight", "ffn_down.bias", "ffn_gate.weight"};
    static const char *const STAY[] = {"ffn_gate_inp.weight",
                                       "ffn_up_shexp.weight",
                                       "ffn_down_exps.scale",
                                       "ffn_norm.weight",
                                       "blk.0.attn_q.weight",
                                       "output.weight",
                                       "ffn_gate_inp_shexp.weight",
                                       "blk.",
                                       "",
                                       "blk.ffn_up"};
    enum placement_kind kind;
    for (size_t i = 0; i < sizeof EXPERTS / sizeof EXPERTS[0]; i++) {
        assert_true(placement_kind_of(EXPERTS[i], strlen(EXPERTS[i]), &kind));
        assert_int_equal(kind, PLACEMENT_EXPERTS);
    }
    for (size_t i = 0; i < sizeof DENSE / sizeof DENSE[0]; i++) {
        assert_true(placement_kind_of(DENSE[i], strlen(DENSE[i]), &kind));
        assert_int_equal(kind, PLACEMENT_DENSE);
    }
    for (size_t i = 0; i < sizeof STAY / sizeof STAY[0]; i++)
        assert_false(placement_kind_of(STAY[i], strlen(STAY[i]), &kind));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_are_kept_and_more_memory_never_hurts),
        cmocka_unit_test(
            copies_of_experts_never_make_a_plan_slower_and_only_experts_leave_for_them),
        cmocka_unit_test(more_layers_leave_for_copies_if_routing_has_a_memory),
        cmocka_unit_test(plans_settle),
        cmocka_unit_test(noisy_answers_change_a_plan_a_few_times_at_most),
        cmocka_unit_test(plans_without_a_choice_are_no_changes),
        cmocka_unit_test(copies_come_back_with_routing_that_has_a_memory),
        cmocka_unit_test(a_longer_context_moves_weights_and_a_shorter_one_brings_them_back),
        cmocka_unit_test(a_model_fits_exactly_or_says_what_is_missing),
        cmocka_unit_test(the_prediction_is_the_time_of_what_a_token_reads),
        cmocka_unit_test(the_part_that_costs_least_per_byte_leaves_first),
        cmocka_unit_test(some_experts_cross_where_that_is_faster),
        cmocka_unit_test(some_rows_cross_where_that_is_faster),
        cmocka_unit_test(a_layer_of_experts_crosses_in_parts),
        cmocka_unit_test(batches_cross_as_soon_as_that_is_faster),
        cmocka_unit_test(more_copies_are_hit_more_often),
        cmocka_unit_test(the_embedding_leaves_before_any_layer),
        cmocka_unit_test(overrides_place_the_layers_that_they_name),
        cmocka_unit_test(only_feed_forwards_may_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
