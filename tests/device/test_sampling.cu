// tests/device/test_sampling.cu — candidates against the reference's, to the bit, and totals
// nearly; and how long.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/device/tests.cuh"

#include <algorithm>

extern "C" void reference_candidates(struct device *device, const struct candidates *args);

enum { ROWS_MOST = 64, VOCABULARY_MOST = 262144, POISON = 0xa5, CALLS = 50, ROUNDS = 9 };

struct scene { // the arguments in the card's memory, taken for the largest case
    struct candidates args;
    std::vector<float> logits;
    std::vector<struct choice> choices;
    std::vector<struct penalty> penalties;
};

static void take(struct device *device, struct candidates *args) {
    const size_t rows = ROWS_MOST;
    device->limits.max_logits = ROWS_MOST;
    device->limits.vocabulary = VOCABULARY_MOST;
    const size_t keys = cuda_candidate_keys(&device->limits);
    CUDA(cudaMalloc(&device->candidate_keys, keys * sizeof(uint64_t)));
    CUDA(cudaMalloc(&device->candidates_arrived, rows * sizeof(unsigned)));
    CUDA(cudaMemset(device->candidates_arrived, 0, rows * sizeof(unsigned)));
    CUDA(cudaMalloc(&args->logits, rows * VOCABULARY_MOST * sizeof(float)));
    CUDA(cudaMalloc((void **)&args->choices, rows * sizeof(struct choice)));
    CUDA(cudaMalloc((void **)&args->penalties, rows * PENALTIES_MAX * sizeof(struct penalty)));
    CUDA(cudaHostAlloc(&args->best, rows * CANDIDATES_MAX * sizeof(struct candidate), 0));
    CUDA(cudaHostAlloc(&args->log_totals, rows * sizeof(float), 0));
    CUDA(cudaDeviceSynchronize());
}

static void drop(struct device *device, struct candidates *args) {
    CUDA(cudaFree(device->candidate_keys));
    CUDA(cudaFree(device->candidates_arrived));
    CUDA(cudaFree(args->logits));
    CUDA(cudaFree((void *)args->choices));
    CUDA(cudaFree((void *)args->penalties));
    CUDA(cudaFreeHost(args->best));
    CUDA(cudaFreeHost(args->log_totals));
}

static int below(uint64_t *state, int limit) {
    return (int)((random_next(state) >> 33) % (uint64_t)limit);
}

// Few values, so that many are equal; or any; now and then what is hardly a number.
static float next_logit(uint64_t *state, int kind) {
    static const float ODD[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0f, -0.0f};
    if (kind == 2) return below(state, 2) ? NAN : -INFINITY;
    if (below(state, 50) == 0) return ODD[below(state, 6)];
    if (kind == 1) return (float)below(state, 9) - 4;
    return (float)(random_next(state) >> 40) * (24.0f / (1 << 24)) - 12;
}

static void penalise(struct scene *scene, struct choice *choice, uint64_t *state) {
    const int vocabulary = scene->args.vocabulary, step = 1 + vocabulary / PENALTIES_MAX;
    choice->first_penalty = (int)scene->penalties.size();
    for (int id = below(state, step); id < vocabulary; id += step)
        scene->penalties.push_back({id, 1 + below(state, 5)});
    choice->num_penalties = (int)scene->penalties.size() - choice->first_penalty;
    choice->repeat_penalty = 0.5f + (float)below(state, 1000) / 700;
    choice->presence_penalty = (float)below(state, 1000) / 900;
    choice->frequency_penalty = (float)below(state, 1000) / 1100;
}

// Random rows; each fourth wants nothing.
static void fill(struct scene *scene, int rows, int vocabulary, int most, uint64_t *state) {
    scene->args.rows = rows;
    scene->args.vocabulary = vocabulary;
    scene->args.most = most;
    scene->penalties.clear();
    scene->choices.assign((size_t)rows, {});
    scene->logits.resize((size_t)rows * vocabulary);
    for (int r = 0; r < rows; r++) {
        const int kind = below(state, 8) == 0 ? 2 : below(state, 2);
        for (int i = 0; i < vocabulary; i++)
            scene->logits[(size_t)r * vocabulary + i] = next_logit(state, kind);
        struct choice *choice = &scene->choices[r];
        choice->count = r % 4 == 3 ? 0 : r == 0 ? most : 1 + below(state, most);
        choice->log_total = below(state, 2);
        if (below(state, 2)) penalise(scene, choice, state);
    }
    CUDA(cudaMemcpy(scene->args.logits, scene->logits.data(), scene->logits.size() * sizeof(float),
                    cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy((void *)scene->args.choices, scene->choices.data(),
                    (size_t)rows * sizeof(struct choice), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy((void *)scene->args.penalties, scene->penalties.data(),
                    scene->penalties.size() * sizeof(struct penalty), cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
}

// The largest distance of two rows of totals; huge where one was written that should not have been.
static double total_error(const struct scene *scene, const std::vector<float> &expected) {
    double most = 0;
    for (size_t r = 0; r < expected.size(); r++) {
        const float got = scene->args.log_totals[r], wanted = expected[r];
        if (memcmp(&got, &wanted, sizeof got))
            most = std::max(most, isfinite(got) ? fabs((double)got - (double)wanted) : 1e9);
    }
    return most;
}

// Twice, as the counters of arrivals must be back at 0.
static void check(struct device *device, struct tally *tally, struct scene *scene) {
    const size_t count = (size_t)scene->args.rows * CANDIDATES_MAX;
    std::vector<struct candidate> expected(count);
    memset(expected.data(), POISON, count * sizeof expected[0]);
    struct candidates plain = scene->args;
    std::vector<float> totals((size_t)scene->args.rows);
    memset(totals.data(), POISON, totals.size() * sizeof totals[0]);
    plain.best = expected.data();
    plain.log_totals = totals.data();
    plain.logits = scene->logits.data();
    plain.choices = scene->choices.data();
    plain.penalties = scene->penalties.data();
    reference_candidates(nullptr, &plain);
    for (int turn = 0; turn < 2; turn++) {
        memset(scene->args.best, POISON, count * sizeof expected[0]);
        memset(scene->args.log_totals, POISON, totals.size() * sizeof totals[0]);
        cuda_candidates(device, &scene->args);
        CUDA(device->failure);
        CUDA(cudaStreamSynchronize(device->stream));
        char what[96];
        snprintf(what, sizeof what, "candidates, %d x %d, up to %d, turn %d", scene->args.rows,
                 scene->args.vocabulary, scene->args.most, turn);
        const bool same = !memcmp(scene->args.best, expected.data(), count * sizeof expected[0]);
        const double error = total_error(scene, totals);
        tally_count(tally, same && error < 2e-5, what, error);
    }
}

void test_sampling(struct device *device, struct tally *tally) {
    static const int VOCABULARIES[] = {1,     2,      255,    256,    4096,
                                       32003, 128256, 151937, 262143, VOCABULARY_MOST};
    static const int MOST[] = {1, 64, CANDIDATES_MAX};
    uint64_t state = tally->seed;
    struct scene scene = {};
    take(device, &scene.args);
    for (int vocabulary : VOCABULARIES)
        for (int most : MOST)
            for (int round = 0; round < (tally->quick || vocabulary > 99999 ? 1 : 4); round++) {
                const int rows = vocabulary < 5000 ? ROWS_MOST : 1 + below(&state, 6);
                fill(&scene, rows, vocabulary, most, &state);
                check(device, tally, &scene);
            }
    drop(device, &scene.args);
}

// Logits that were written just now lie in L2, as they do in a step.
static double time_calls(struct device *device, const struct candidates *args) {
    cudaEvent_t start, stop;
    float ms[ROUNDS];
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    for (float &took : ms) {
        CUDA(cudaEventRecord(start, device->stream));
        for (int call = 0; call < CALLS; call++)
            cuda_candidates(device, args);
        CUDA(cudaEventRecord(stop, device->stream));
        CUDA(cudaStreamSynchronize(device->stream));
        CUDA(cudaEventElapsedTime(&took, start, stop));
    }
    std::sort(ms, ms + ROUNDS);
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    return 1e3 * (double)ms[ROUNDS / 2] / CALLS;
}

void time_sampling(struct device *device, struct tally *) {
    static const int ROWS[] = {1, 8, 64}, COUNTS[] = {1, 40, CANDIDATES_MAX};
    uint64_t state = 1;
    struct scene scene = {};
    take(device, &scene.args);
    printf("candidates of 128256, us a call:\n%6s %8s %8s %8s\n", "rows", "1", "40", "256");
    for (int rows : ROWS) {
        printf("%6d", rows);
        for (int count : COUNTS) {
            fill(&scene, rows, 128256, count, &state);
            for (float &logit : scene.logits) { // about normal, as a model's
                logit = 0;
                for (int i = 0; i < 4; i++)
                    logit += (float)(random_next(&state) >> 40) * (6.0f / (1 << 24)) - 3;
            }
            CUDA(cudaMemcpy(scene.args.logits, scene.logits.data(),
                            scene.logits.size() * sizeof(float), cudaMemcpyHostToDevice));
            for (struct choice &choice : scene.choices)
                choice = {.count = count};
            CUDA(cudaMemcpy((void *)scene.args.choices, scene.choices.data(),
                            (size_t)rows * sizeof(struct choice), cudaMemcpyHostToDevice));
            printf(" %8.2f", time_calls(device, &scene.args));
        }
        printf("\n");
    }
    drop(device, &scene.args);
}
