// tests/kernels/test_candidates.c — the best logits of each row against a plain sort, and the
// log of its total against a sum in double.
#include "kernels/backend.h"
#include "tests/kernels/subjects.h"

enum { SEED = 90907, ROWS_MOST = 9, PENALTIES = 300 };
#define UNTOUCHED 12345.0f

static const int32_t VOCABULARIES[] = {1, 2, 39, 256, 257, 1021, 32003, 151937};

struct problem {
    int32_t rows, vocabulary;
    float *logits;
    struct choice choices[ROWS_MOST];
    struct penalty penalties[PENALTIES];
};

static int by_rank(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->logit != y->logit) return x->logit < y->logit ? 1 : -1;
    return x->id < y->id ? -1 : 1;
}

// Few values, so that many are equal; or any; now and then what is hardly a number.
static float next_logit(uint64_t *random, bool coarse) {
    static const float odd[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0f, -0.0f};
    if (random_below(random, 50) == 0) return odd[random_below(random, 6)];
    return coarse ? (float)random_below(random, 9) - 4 : 12 * random_float(random);
}

static void penalise_some(struct problem *problem, uint64_t *random) {
    int32_t used = 0;
    for (int32_t r = 0; r < problem->rows; r++) {
        struct choice *choice = &problem->choices[r];
        choice->first_penalty = used;
        choice->repeat_penalty = 1 + 0.5f * random_float(random);
        choice->presence_penalty = random_float(random);
        choice->frequency_penalty = random_float(random);
        const int32_t step = 1 + problem->vocabulary / 16;
        for (int32_t id = random_below(random, step); id < problem->vocabulary; id += step)
            problem->penalties[used++] = (struct penalty){id, 1 + random_below(random, 5)};
        choice->num_penalties = used - choice->first_penalty;
    }
    assert_true(used <= PENALTIES);
}

static void make_problem(struct problem *problem, int32_t rows, int32_t vocabulary,
                         uint64_t *random) {
    const size_t count = (size_t)rows * (size_t)vocabulary;
    const bool coarse = random_below(random, 2) == 0;
    *problem = (struct problem){.rows = rows, .vocabulary = vocabulary};
    problem->logits = floats_alloc(count);
    for (size_t i = 0; i < count; i++)
        problem->logits[i] = next_logit(random, coarse);
    if (random_below(random, 4) == 0) // a row with next to nothing in it
        for (int32_t i = 1; i < vocabulary; i++)
            problem->logits[i] = random_below(random, 2) ? NAN : -INFINITY;
    if (random_below(random, 2) == 0) penalise_some(problem, random);
    for (int32_t r = 0; r < rows; r++)
        problem->choices[r].count = random_below(random, CANDIDATES_MAX + 1);
    for (int32_t r = 0; r < rows; r++)
        problem->choices[r].log_total = random_below(random, 2);
    problem->choices[0].count = random_below(random, 2) ? 1 : 40;
}

static void expect_row(const struct problem *problem, int32_t row, struct candidate *all) {
    const struct choice *choice = &problem->choices[row];
    const float *logits = problem->logits + (size_t)row * (size_t)problem->vocabulary;
    int32_t kept = 0;
    for (int32_t id = 0; id < problem->vocabulary; id++) {
        float logit = logits[id];
        for (int32_t i = 0; i < choice->num_penalties; i++) {
            const struct penalty *penalty = &problem->penalties[choice->first_penalty + i];
            if (penalty->id != id) continue;
            logit = logit > 0 ? logit / choice->repeat_penalty : logit * choice->repeat_penalty;
            logit -= choice->presence_penalty;
            logit -= choice->frequency_penalty * (float)penalty->occurrences;
        }
        if (!isnan(logit)) all[kept++] = (struct candidate){id, logit};
    }
    qsort(all, (size_t)kept, sizeof all[0], by_rank);
    for (; kept < choice->count; kept++)
        all[kept] = (struct candidate){.id = -1};
}

// Around the largest logit, so that nothing overflows; of what is no number nothing is added.
static void expect_total(const struct problem *problem, int32_t row, float got) {
    const struct choice *choice = &problem->choices[row];
    const float *logits = problem->logits + (size_t)row * (size_t)problem->vocabulary;
    float highest = -INFINITY;
    double sum = 0;
    if (choice->count == 0 || !choice->log_total) {
        assert_true(got == UNTOUCHED);
        return;
    }
    for (int32_t id = 0; id < problem->vocabulary; id++)
        highest = fmaxf(highest, logits[id]);
    for (int32_t id = 0; id < problem->vocabulary && !isinf(highest); id++)
        if (!isnan(logits[id])) sum += exp((double)logits[id] - (double)highest);
    if (isinf(highest))
        assert_true(got == highest);
    else
        assert_true(fabs((double)got - ((double)highest + log(sum))) < 4e-6);
}

static void check_problem(const struct subject *subject, struct problem *problem) {
    const bool asked = problem->choices[0].log_total; // or there may be nowhere to put them
    float totals[ROWS_MOST];
    for (int32_t r = 0; r < ROWS_MOST; r++)
        totals[r] = UNTOUCHED;
    const size_t entries = (size_t)problem->rows * CANDIDATES_MAX;
    struct candidate *best = guarded_alloc(entries * sizeof best[0]);
    struct candidate *all = malloc(((size_t)problem->vocabulary + CANDIDATES_MAX) * sizeof all[0]);
    const size_t count = (size_t)problem->rows * (size_t)problem->vocabulary;
    float *logits = floats_alloc(count);
    assert_non_null(all);
    memcpy(logits, problem->logits, count * sizeof logits[0]);
    subject->backend->candidates(subject->device,
                                 &(struct candidates){.best = best,
                                                      .log_totals = asked ? totals : NULL,
                                                      .logits = logits,
                                                      .choices = problem->choices,
                                                      .penalties = problem->penalties,
                                                      .rows = problem->rows,
                                                      .vocabulary = problem->vocabulary,
                                                      .most = CANDIDATES_MAX});
    for (int32_t r = 0; r < problem->rows; r++) {
        const struct candidate *got = best + (size_t)r * CANDIDATES_MAX;
        expect_row(problem, r, all);
        if (asked) expect_total(problem, r, totals[r]);
        for (int32_t i = 0; i < problem->choices[r].count; i++) {
            assert_int_equal(got[i].id, all[i].id);
            if (all[i].id < 0) continue;
            assert_true(got[i].logit == all[i].logit);
            assert_true(got[i].logit != 0 || !signbit(got[i].logit));
        }
        for (int32_t i = problem->choices[r].count; i < CANDIDATES_MAX; i++)
            assert_int_equal(got[i].id, -1); // still the poison
    }
    floats_free(logits, count);
    guarded_free(best, entries * sizeof best[0]);
    free(all);
}

static void candidates_are_the_start_of_the_sorted_row(void **state) {
    (void)state;
    printf("seed %d\n", SEED);
    for (int which = 0; which < 2; which++) { // no instruction set of its own
        uint64_t random = SEED;
        struct subject subject;
        if (!subject_open(&subject, which, 3)) continue;
        for (size_t v = 0; v < sizeof VOCABULARIES / sizeof VOCABULARIES[0]; v++)
            for (int round = 0; round < (VOCABULARIES[v] < 2000 ? 60 : 4); round++) {
                struct problem problem;
                make_problem(&problem, 1 + random_below(&random, ROWS_MOST), VOCABULARIES[v],
                             &random);
                check_problem(&subject, &problem);
                floats_free(problem.logits, (size_t)problem.rows * (size_t)problem.vocabulary);
            }
        subject_close(&subject);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_the_start_of_the_sorted_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
