// tests/engine/test_rates.c — measured rates are kept once for each key, and what no machine could
// have measured is not believed.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/rates.h"

static const struct placement_rates some = {1e12, 5e10, 2.5e10, 0,   30,    12,
                                            7,    1.25, 0.75,   0.5, 0.125, 3};

static char folder[] = "/tmp/quire-rates-XXXXXX", path[64];

static void write_file(const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/below/rates", folder); // whose folder does not exist yet
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char below[64];
    snprintf(below, sizeof below, "%s/below", folder);
    unlink(path);
    rmdir(below);
    return rmdir(folder);
}

static void each_key_has_its_newest_rates(void **state) {
    (void)state;
    struct placement_rates found, newer = some;
    newer.host = 6e10;
    assert_false(rates_find(path, "a", &found));
    assert_true(rates_keep(path, "a", &some));
    assert_true(rates_keep(path, "b, 16 threads", &newer));
    assert_true(rates_find(path, "a", &found));
    assert_memory_equal(&found, &some, sizeof some);
    assert_true(rates_find(path, "b, 16 threads", &found));
    assert_memory_equal(&found, &newer, sizeof newer);
    assert_false(rates_find(path, "b, 8 threads", &found));
    assert_true(rates_keep(path, "a", &newer));
    assert_true(rates_find(path, "a", &found));
    assert_memory_equal(&found, &newer, sizeof newer);
}

static void the_least_recently_used_lines_are_dropped(void **state) {
    (void)state;
    char key[16];
    struct placement_rates found;
    write_file("");
    for (int i = 0; i < 3 * RATES_MAX; i++) {
        snprintf(key, sizeof key, "%d", i);
        assert_true(rates_keep(path, key, &some));
    }
    for (int i = 0; i < 3 * RATES_MAX; i++) {
        snprintf(key, sizeof key, "%d", i);
        assert_int_equal(rates_find(path, key, &found), i >= 2 * RATES_MAX);
    }
}

enum { PROCESSES = 6, KEYS = 5, ROUNDS = 50, KEY_BYTES = 32 };

static const char *key_of(int process, int nth, char key[KEY_BYTES]) {
    snprintf(key, KEY_BYTES, "%d of %d", nth, process);
    return key;
}

// Writes its keys again and again. False: one was not kept, or not for long.
static bool keep_on(int process) {
    char key[KEY_BYTES];
    struct placement_rates found;
    bool all = true;
    for (int i = 0; i < KEYS * ROUNDS; i++) {
        all = rates_keep(path, key_of(process, i % KEYS, key), &some) && all;
        for (int j = 0; j < KEYS && j <= i; j++)
            all = rates_find(path, key_of(process, j, key), &found) && all;
    }
    return all;
}

static void quires_at_once_keep_what_each_of_them_has_measured(void **state) {
    pid_t children[PROCESSES];
    struct placement_rates found;
    int start[2], status;
    char key[KEY_BYTES];
    (void)state;
    write_file("");
    assert_int_equal(pipe(start), 0);
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        assert_true(children[p] >= 0);
        if (children[p] > 0) continue;
        (void)close(start[1]);
        const bool begun = read(start[0], key, 1) == 0; // when all of them are there
        _exit(begun && keep_on(p) ? 0 : 1);
    }
    assert_int_equal(close(start[1]), 0);
    for (int p = 0; p < PROCESSES; p++) {
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(close(start[0]), 0);
    for (int i = 0; i < PROCESSES * KEYS; i++) {
        assert_true(rates_find(path, key_of(i / KEYS, i % KEYS, key), &found));
        assert_memory_equal(&found, &some, sizeof some);
    }
}

// What a crash has left is no line of anybody's, and gone with the next one that is kept.
static void a_file_that_was_not_finished_changes_nothing(void **state) {
    struct placement_rates found;
    char next[80];
    (void)state;
    snprintf(next, sizeof next, "%s.new", path);
    write_file("");
    assert_true(rates_keep(path, "a", &some));
    assert_int_equal(access(next, F_OK), -1);
    FILE *file = fopen(next, "w");
    assert_non_null(file);
    for (int i = 0; i < 2 * RATES_MAX; i++)
        assert_true(fputs("1e12 5e10 2.5e10 30 12 7 1 1 0.5 0.2 0\tcut short\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_true(rates_keep(path, "b", &some));
    assert_true(rates_find(path, "a", &found) && rates_find(path, "b", &found));
    assert_false(rates_find(path, "cut short", &found));
    assert_int_equal(access(next, F_OK), -1);
}

static void impossible_rates_are_not_believed(void **state) {
    (void)state;
    static const char *const LINES[] = {
        "",
        "\n\n",
        "words\ta\n",
        "1e12 5e10 2.5e10 30 12 7 1 1 0.5 0.2 0 a\n",
        "1e12 5e10 2.5e10 30 12 7 1\ta\n", // as an older version wrote them
        "1e12 5e10 2.5e10 30 12 7 1 1 0.5 0.2\ta\n",
        "1e12 5e10 2.5e10 30\ta\n",
        "1e12 0 2.5e10 30 12 7 1 1 0.5 0.2 0\ta\n",
        "1e12 -5e10 2.5e10 30 12 7 1 1 0.5 0.2 0\ta\n",
        "nan nan nan nan nan nan nan nan nan nan 0\ta\n",
        "1e12 5e10 inf 30 12 7 1 1 0.5 0.2 0\ta\n",
        "1e300 5e10 2.5e10 30 12 7 1 1 0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 -30 12 7 1 1 0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 0 12 7 1 1 0.5 0.2 0\ta\n", // a crossing takes time
        "1e12 5e10 2.5e10 1e9 12 7 1 1 0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 -12 7 1 1 0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 0 7 1 1 0.5 0.2 0\ta\n", // and so do kernels
        "1e12 5e10 2.5e10 30 12 -7 1 1 0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 12 7 0 1 0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 12 7 99 1 0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 12 7 1 0 0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 12 7 1 99 0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 12 7 1 1 -0.5 0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 12 7 1 1 9 0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 12 7 1 1 0.5 -0.2 0\ta\n",
        "1e12 5e10 2.5e10 30 12 7 1 1 0.5 2 0\ta\n",
        "1e12 5e10 2.5e10 30 12 7 1 1 0.5 0.2 -1\ta\n",
        "1e12 5e10 2.5e10 30 12 7 1 1 0.5 0.2 1000\ta\n",
    };
    struct placement_rates found;
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        write_file(LINES[i]);
        assert_false(rates_find(path, "a", &found));
    }
    assert_true(rates_keep(path, "b", &some)); // and the line is dropped with the next one
    assert_true(rates_find(path, "b", &found));
    write_file("1e12 5e10 2.5e10 30 12 7 1 1 0.5 0.2 0\ta"); // cut before its end
    assert_true(rates_find(path, "a", &found));
    assert_true(rates_keep(path, "b", &some)); // which begins a line of its own
    assert_true(rates_find(path, "a", &found) && rates_find(path, "b", &found));
}

static struct placement_lesson lesson_of(const char *key, const struct placement_rates *from) {
    return (struct placement_lesson){
        .path = strdup(path), .key = strdup("a model"), .split = strdup(key), .rates = *from};
}

static bool is_near(double a, double b) { return a > 0.99 * b && a < 1.01 * b; }

// Each answer takes the prediction halfway to itself, until it is about right.
static void a_prediction_learns_from_answers(void **state) {
    enum { ANSWERS = 4 };
    const double rest = 0.002, predicted = 0.004; // seconds; of parts in host memory
    double truth = 0.006;
    struct placement placement = {.host_seconds = predicted};
    struct placement_rates rates = some;
    (void)state;
    rates.factor = 1;
    for (int i = 0; i < ANSWERS; i++) {
        struct placement_lesson lesson = lesson_of("learns", &rates);
        placement.factor = rates.factor;
        placement.tokens_s = 1 / (rest + rates.factor * predicted);
        for (int t = 0; t < 2 * PLACEMENT_LESSON_TOKENS; t++)
            placement_lesson_note(&lesson, t < 3 ? 900000 : (int64_t)(1e6 * (rest + truth)));
        rates_learn(&lesson, &placement);
        assert_null(lesson.path);
        assert_true(rates_find(path, "learns", &rates));
        assert_true(i > 0 || is_near(rates.factor, (1 + truth / predicted) / 2));
    }
    assert_true(fabs(rates.factor - truth / predicted) < 0.1);
    placement.factor = rates.factor;
    truth = 0.0057; // about the same
    struct placement_lesson alike = lesson_of("learns", &rates);
    for (int t = 0; t < 2 * PLACEMENT_LESSON_TOKENS; t++)
        placement_lesson_note(&alike, (int64_t)(1e6 * (rest + truth)));
    const double before = rates.factor;
    rates_learn(&alike, &placement);
    assert_true(rates_find(path, "learns", &rates));
    assert_true(rates.factor >= before && rates.factor <= before);
    truth = 0.003; // another text
    placement.factor = rates.factor;
    placement.tokens_s = 1 / (rest + rates.factor * predicted);
    struct placement_lesson later = lesson_of("learns", &rates);
    for (int t = 0; t < 2 * PLACEMENT_LESSON_TOKENS; t++)
        placement_lesson_note(&later, (int64_t)(1e6 * (rest + truth)));
    rates_learn(&later, &placement);
    assert_true(rates_find(path, "learns", &rates));
    assert_true(is_near(rates.factor, (before + truth / predicted) / 2));
    assert_true(is_near(rates.copies_factor, some.copies_factor));
    assert_true(is_near(rates.recency, some.recency));
    placement.slots = 1;
    struct placement_lesson other = lesson_of("learns", &rates);
    other.token_us = 1e6;
    other.tokens = 99;
    rates_learn(&other, &placement); // no copies could be made
    placement.slots = 0;
    other = lesson_of("learns", &rates);
    other.token_us = 1e6;
    other.tokens = 9;
    rates_learn(&other, &placement); // from too few
    other = (struct placement_lesson){.token_us = 1e6, .tokens = 99};
    rates_learn(&other, &placement); // for nobody
    struct placement_rates same;
    assert_true(rates_find(path, "learns", &same));
    assert_memory_equal(&same, &rates, sizeof same);
    const struct placement_lesson slow = {.token_us = 1e9, .tokens = 99, .rates = some};
    assert_true(placement_lesson_find(&slow, &placement, &same));
    assert_true(same.factor <= 4); // and no further
}

// Of steps that vary the mean counts, of about the last sixteen.
static void one_slow_step_changes_the_average_little(void **state) {
    struct placement_lesson lesson = {0};
    (void)state;
    for (int i = 0; i < 100; i++)
        placement_lesson_note(&lesson, i % 2 ? 5000 : 3000);
    assert_true(fabs(lesson.token_us - 4000) < 100);
    placement_lesson_note(&lesson, 20000);
    assert_true(lesson.token_us > 4800 && lesson.token_us < 5200);
    for (int i = 0; i < 100; i++) // another text
        placement_lesson_note(&lesson, 8000);
    assert_true(is_near(lesson.token_us, 8000));
}

// A quarter of the experts have copies, and more of the choices than is assumed. What that explains
// of the time is not the factor's.
static void hits_of_copies_are_learnt_along_with_the_time(void **state) {
    (void)state;
    struct placement_rates rates = some;
    rates.recency = 0;
    rates.copies_factor = 1;
    struct placement placement = {.slots = 32,
                                  .experts = 128,
                                  .hits = placement_hits(0.25, rates.recency),
                                  .host_seconds = 0.004,
                                  .missed_seconds = 0.004 + 0.25 * 0.006,
                                  .held_seconds = 0.0005,
                                  .hit_seconds = 0.006,
                                  .factor = 1,
                                  .tokens_s = 1 / (0.002 + 0.004)};
    const double hits = 0.55, saved = (hits - placement.hits) * placement.hit_seconds;
    struct placement_lesson lesson = {.token_us = 1e6 * (0.002 + 1.25 * (0.004 - saved)),
                                      .tokens = 99,
                                      .copied = 0.25,
                                      .hits = hits,
                                      .rates = rates};
    assert_true(placement_lesson_find(&lesson, &placement, &rates));
    const double shown = placement_recency(0.25, hits);
    assert_true(is_near(rates.recency, shown)); // nothing was known
    assert_true(is_near(rates.copies_factor, (1 + 1.25) / 2));
    assert_true(is_near(rates.factor, some.factor));
    lesson.rates.recency = shown;
    lesson.hits = 0.25; // of routing without memory
    assert_true(placement_lesson_find(&lesson, &placement, &rates));
    assert_true(is_near(rates.recency, shown / 2));
    lesson.copied = lesson.hits = 0.125; // slots that are half full of the same
    assert_true(placement_lesson_find(&lesson, &placement, &rates));
    assert_true(is_near(rates.recency, shown / 2));
    lesson.copied = 0.95; // hits say little where nearly all experts have copies
    lesson.hits = 1;
    assert_true(placement_lesson_find(&lesson, &placement, &rates));
    assert_true(is_near(rates.recency, shown));
}

// What copies disappointed in once, another text may be better at.
static void a_plan_without_copies_learns_how_often_they_would_be_hit(void **state) {
    (void)state;
    struct placement_rates rates = some;
    const struct placement placement = {
        .experts = 128, .host_seconds = 0.004, .factor = 1, .tokens_s = 1 / (0.002 + 0.004)};
    struct placement_lesson lesson = {
        .token_us = 6000, .tokens = 99, .copied = 0.25, .hits = placement_hits(0.25, 0.8)};
    lesson.rates = rates;
    lesson.rates.recency = 0.1;
    assert_true(placement_lesson_find(&lesson, &placement, &rates));
    assert_true(is_near(rates.recency, (0.1 + 0.8) / 2));
    assert_true(is_near(rates.copies_factor, some.copies_factor));
}

// However small the difference is: a few hits decide whether copies pay off.
static void hits_seen_again_and_again_are_expected(void **state) {
    enum { STARTS = 6 };
    const double share = 0.4, hits = 0.64;
    struct placement_rates rates = some;
    (void)state;
    rates.recency = placement_recency(share, 0.61);
    for (int i = 0; i < STARTS; i++) {
        const struct placement placement = {
            .experts = 128, .host_seconds = 0.004, .factor = 1, .tokens_s = 1 / (0.002 + 0.004)};
        const struct placement_lesson lesson = {
            .token_us = 6000, .tokens = 99, .copied = share, .hits = hits, .rates = rates};
        assert_true(placement_lesson_find(&lesson, &placement, &rates));
    }
    assert_true(fabs(placement_hits(share, rates.recency) - hits) < 0.001);
}

// A split of one size learns for all others how a model's routing is.
static void routing_is_learnt_for_all_splits_of_a_model(void **state) {
    (void)state;
    const double hits = placement_hits(0.25, 0.8);
    const struct placement placement = {.slots = 32,
                                        .experts = 128,
                                        .hits = hits,
                                        .host_seconds = 0.004,
                                        .missed_seconds = 0.004 + hits * 0.006,
                                        .hit_seconds = 0.006,
                                        .factor = 1,
                                        .changes = 1,
                                        .tokens_s = 1 / (0.002 + 0.004)};
    const struct rates_split small = {.card_bytes = (size_t)1 << 33},
                             large = {.card_bytes = (size_t)1 << 34};
    struct placement_rates rates = some;
    char split[RATES_KEY_BYTES];
    rates.recency = 0;
    rates.factor = rates.copies_factor = 1;
    assert_true(rates_keep(path, "a model", &rates));
    rates_of_split(path, "a model", &small, &rates, split);
    struct placement_lesson lesson = lesson_of(split, &rates);
    lesson.token_us = 12000;
    lesson.tokens = 99;
    lesson.copied = 0.25;
    lesson.hits = hits;
    rates_learn(&lesson, &placement);
    assert_true(rates_find(path, "a model", &rates));
    assert_true(is_near(rates.recency, 0.8));
    assert_true(is_near(rates.copies_factor, 1));
    assert_int_equal(rates.changes, 0);
    rates_of_split(path, "a model", &large, &rates, split);
    assert_true(is_near(rates.recency, 0.8) && is_near(rates.copies_factor, 1));
    rates_of_split(path, "a model", &small, &rates, split);
    assert_true(is_near(rates.recency, 0.8) && is_near(rates.copies_factor, (1 + 2.5) / 2));
    assert_int_equal(rates.changes, 1);
}

static void each_size_of_a_split_learns_for_itself(void **state) {
    (void)state;
    const size_t gib = (size_t)1 << 30;
    struct placement_rates rates = some, found;
    char quarter[RATES_KEY_BYTES], twice[RATES_KEY_BYTES];
    rates_of_split(path, "sizes", &(struct rates_split){.card_bytes = 5 * gib + 7}, &rates,
                   quarter);
    assert_true(is_near(rates.factor, 1) && is_near(rates.copies_factor, 1));
    assert_int_equal(rates.changes, 0);
    rates.factor = 2;
    rates.copies_factor = 3;
    rates.changes = 5;
    assert_true(rates_keep(path, quarter, &rates));
    rates_of_split(path, "sizes", &(struct rates_split){.card_bytes = 10 * gib}, &rates, twice);
    assert_true(is_near(rates.factor, 1) && is_near(rates.copies_factor, 1));
    assert_int_equal(rates.changes, 0);
    rates_of_split(path, "sizes", &(struct rates_split){.card_bytes = 5 * gib + 99}, &rates,
                   quarter);
    assert_true(is_near(rates.factor, 2) && is_near(rates.copies_factor, 3));
    assert_int_equal(rates.changes, 5);
    assert_false(rates_find(path, twice, &found)); // nothing has been learnt of it
    rates_of_split(NULL, "sizes", &(struct rates_split){.card_bytes = 5 * gib}, &rates, quarter);
    assert_true(is_near(rates.factor, 1));
}

// Answers of a split that the user made do not spoil a prediction, nor do steps with more tokens.
static void each_way_to_split_learns_for_itself(void **state) {
    const size_t gib = (size_t)1 << 30;
    const struct rates_split ways[] = {
        {.card_bytes = 4 * gib},
        {.card_bytes = 4 * gib, .override = {.has_ngl = true}},
        {.card_bytes = 4 * gib, .override = {.has_ngl = true, .ngl = 7}},
        {.card_bytes = 4 * gib, .override = {.has_n_cpu_moe = true}},
        {.card_bytes = 4 * gib, .override = {.has_n_cpu_moe = true, .n_cpu_moe = 7}},
        {.card_bytes = 4 * gib,
         .override = {.has_ngl = true, .ngl = 7, .has_n_cpu_moe = true, .n_cpu_moe = 7}},
        {.card_bytes = 4 * gib, .deterministic = true},
        {.card_bytes = 4 * gib, .has_adapters = true},
        {.card_bytes = 4 * gib, .deterministic = true, .has_adapters = true},
    };
    enum { WAYS = sizeof ways / sizeof ways[0] };
    struct placement_rates rates = some;
    char key[RATES_KEY_BYTES];
    (void)state;
    for (int i = 0; i < WAYS; i++) {
        rates_of_split(path, "ways", &ways[i], &rates, key);
        assert_true(is_near(rates.factor, 1));
        rates.factor = 1 + 0.1 * (i + 1);
        assert_true(rates_keep(path, key, &rates));
    }
    for (int i = 0; i < WAYS; i++) {
        rates_of_split(path, "ways", &ways[i], &rates, key);
        assert_true(is_near(rates.factor, 1 + 0.1 * (i + 1)));
    }
    const struct rates_split longest = {SIZE_MAX, {true, true, INT32_MAX, INT32_MAX}, true, true};
    rates_of_split(path, "", &longest, &rates, key);
    assert_true(strlen(key) < 80); // what is left of a key for the machine and the model
    assert_non_null(strstr(key, "; LoRA"));
}

static void a_folder_in_place_of_the_file_only_costs_measuring_again(void **state) {
    (void)state;
    struct placement_rates found;
    assert_false(rates_find(folder, "a", &found));
    assert_false(rates_keep(folder, "a", &some));
    assert_false(rates_find(NULL, "a", &found));
}

static void a_crossing_that_takes_no_time_is_not_believed(void **state) {
    (void)state;
    // A part takes 40 us, and 10 us for each MB.
    const struct part_speed whole = {.seconds = 640e-6, .bytes = 60000000},
                            small = {.seconds = 56e-6, .bytes = 1600000};
    static const struct part_speed ABSURD[][2] = {
        {{.seconds = 600e-6, .bytes = 60000000}, {.seconds = 16e-6, .bytes = 1600000}}, // none
        {{.seconds = 640e-6, .bytes = 60000000}, {.seconds = 6e-6, .bytes = 1600000}},  // below
        {{.seconds = 640e-6, .bytes = 60000000}, {.seconds = 700e-6, .bytes = 1600000}},
        {{.seconds = 640e-6, .bytes = 60000000}, {.seconds = 0, .bytes = 0}},
        {{.seconds = 0, .bytes = 0}, {.seconds = 0, .bytes = 0}},
        {{.seconds = 640e-6, .bytes = 1600000}, {.seconds = 56e-6, .bytes = 1600000}},
        {{.seconds = 56.0001e-6, .bytes = (size_t)1 << 50}, {.seconds = 56e-6, .bytes = 1600000}},
        {{.seconds = 9, .bytes = 60000000}, {.seconds = 0.1, .bytes = 1600000}},
    };
    struct placement_rates rates = some;
    for (size_t i = 0; i < sizeof ABSURD / sizeof ABSURD[0]; i++) {
        assert_false(rates_of_trials(&ABSURD[i][0], &ABSURD[i][1], &rates));
        assert_memory_equal(&rates, &some, sizeof some);
    }
    assert_true(rates_of_trials(&whole, &small, &rates));
    assert_true(rates.host > 0.999e11 && rates.host < 1.001e11);
    assert_true(rates.crossing_us > 39.9 && rates.crossing_us < 40.1);
}

static void time_beyond_reading_and_crossing_is_lost_by_the_processor(void **state) {
    (void)state;
    // 60 MB take 40 us and 600 us more; a quarter crosses in as long as it takes the link.
    struct placement_rates rates = {.host = 1e11, .link = 5e10, .crossing_us = 40, .slowed = 0.1};
    const double crosses = placement_crossing_seconds(&rates, PLACEMENT_EXPERTS, 15e6);
    assert_true(crosses > 15e6 / 5e10 && crosses < 30e6 / 5e10);
    struct part_speed part = {.seconds = 490e-6 + 0.3 * crosses, .bytes = 60000000};
    assert_true(rates_of_crossing(&part, 0.25, PLACEMENT_EXPERTS, &rates));
    assert_true(is_near(rates.slowed, (0.1 + 0.3) / 2));
    part.seconds = 400e-6; // less than the rest takes alone
    assert_true(rates_of_crossing(&part, 0.25, PLACEMENT_EXPERTS, &rates));
    assert_true(is_near(rates.slowed, 0.1));
    part.seconds = 1;
    assert_true(rates_of_crossing(&part, 0.25, PLACEMENT_EXPERTS, &rates));
    assert_true(is_near(rates.slowed, (0.1 + 1) / 2));
    rates.slowed = 0.5;
    part.seconds = 0;
    assert_false(rates_of_crossing(&part, 0.25, PLACEMENT_EXPERTS, &rates));
    assert_true(is_near(rates.slowed, 0.5));
}

static void a_pipe_in_its_place_is_replaced(void **state) {
    (void)state;
    struct placement_rates found;
    char next[80];
    snprintf(next, sizeof next, "%s.new", path);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    alarm(10); // reading it would never end
    assert_false(rates_find(path, "a", &found));
    assert_true(rates_keep(path, "a", &some));
    assert_true(rates_find(path, "a", &found));
    assert_int_equal(mkfifo(next, 0600), 0); // in the place of the next file: nobody reads it
    assert_false(rates_keep(path, "b", &some));
    alarm(0);
    assert_int_equal(unlink(next), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_has_its_newest_rates),
        cmocka_unit_test(the_least_recently_used_lines_are_dropped),
        cmocka_unit_test(quires_at_once_keep_what_each_of_them_has_measured),
        cmocka_unit_test(a_file_that_was_not_finished_changes_nothing),
        cmocka_unit_test(impossible_rates_are_not_believed),
        cmocka_unit_test(a_pipe_in_its_place_is_replaced),
        cmocka_unit_test(a_crossing_that_takes_no_time_is_not_believed),
        cmocka_unit_test(time_beyond_reading_and_crossing_is_lost_by_the_processor),
        cmocka_unit_test(a_prediction_learns_from_answers),
        cmocka_unit_test(one_slow_step_changes_the_average_little),
        cmocka_unit_test(hits_of_copies_are_learnt_along_with_the_time),
        cmocka_unit_test(a_plan_without_copies_learns_how_often_they_would_be_hit),
        cmocka_unit_test(hits_seen_again_and_again_are_expected),
        cmocka_unit_test(routing_is_learnt_for_all_splits_of_a_model),
        cmocka_unit_test(each_size_of_a_split_learns_for_itself),
        cmocka_unit_test(each_way_to_split_learns_for_itself),
        cmocka_unit_test(a_folder_in_place_of_the_file_only_costs_measuring_again),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
