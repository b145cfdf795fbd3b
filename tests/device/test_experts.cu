// tests/device/test_experts.cu — route and experts against plain loops in double, for every type of
// weights.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/cuda.cuh"
#include "tests/device/tests.cuh"

enum { EXPERTS = 7, ROWS = 256, DIM = 512, MOST_TOKENS = 33, MOST_USED = 4 };

struct bench {
    struct device *device;
    struct tally *tally;
    uint64_t state;
};

static double uniform(struct bench *bench) { // -1 ... 1
    return (double)(int64_t)(random_next(&bench->state) >> 11) * 0x1p-52 - 1;
}

static std::vector<float> floats(struct bench *bench, size_t count, double size) {
    std::vector<float> values(count);
    for (float &value : values)
        value = (float)(size * uniform(bench));
    return values;
}

template <typename type> static type *upload(const std::vector<type> &values) {
    void *memory;
    CUDA(cudaMalloc(&memory, values.size() * sizeof(type)));
    CUDA(cudaMemcpy(memory, values.data(), values.size() * sizeof(type), cudaMemcpyHostToDevice));
    return (type *)memory;
}

static void finish(struct bench *bench) {
    if (backend_cuda()->sync(bench->device) == STATUS_OK) return;
    fprintf(stderr, "the device failed\n");
    exit(2);
}

static void test_route(struct bench *bench, int32_t experts, int32_t used) {
    const size_t count = (size_t)MOST_TOKENS * (size_t)used;
    std::vector<float> scores = floats(bench, (size_t)MOST_TOKENS * (size_t)experts, 5);
    for (size_t i = 0; i < scores.size(); i += 3)
        scores[i] = 1; // many are equal
    float *scores_card = upload(scores), *shares_card = upload(std::vector<float>(count));
    int32_t *chosen_card = upload(std::vector<int32_t>(count, -1));
    const struct route args = {chosen_card, shares_card, scores_card, MOST_TOKENS, experts, used};
    backend_cuda()->route(bench->device, &args);
    finish(bench);
    std::vector<int32_t> chosen(count);
    std::vector<float> shares(count);
    CUDA(cudaMemcpy(chosen.data(), chosen_card, count * 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(shares.data(), shares_card, count * 4, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int32_t t = 0; t < MOST_TOKENS; t++) {
        const float *row = &scores[(size_t)t * (size_t)experts];
        std::vector<int32_t> order((size_t)experts);
        for (int32_t e = 0; e < experts; e++)
            order[(size_t)e] = e;
        std::stable_sort(order.begin(), order.end(),
                         [row](int32_t a, int32_t b) { return row[a] > row[b]; });
        double sum = 0;
        for (int32_t j = 0; j < used; j++)
            sum += exp((double)row[order[(size_t)j]]);
        for (int32_t j = 0; j < used; j++) {
            const size_t at = (size_t)(t * used + j);
            const double share = exp((double)row[order[(size_t)j]]) / sum;
            const bool same = chosen[at] == order[(size_t)j];
            worst = fmax(worst, same ? fabs((double)shares[at] - share) : 1e9);
        }
    }
    char what[96];
    snprintf(what, sizeof what, "route %d of %d", used, experts);
    tally_count(bench->tally, worst < 1e-5, what, worst);
    for (void *memory : {(void *)scores_card, (void *)shares_card, (void *)chosen_card})
        CUDA(cudaFree(memory));
}

struct matrices { // of all experts
    struct expert_weights weights;
    std::vector<float> values, bias;
};

static struct matrices make(struct bench *bench, enum dtype type, int32_t rows, int32_t columns,
                            bool bias) {
    struct matrices m = {{nullptr, type, rows, columns, nullptr}, {}, {}};
    const size_t count = (size_t)rows * (size_t)columns;
    std::vector<const void *> at(EXPERTS);
    m.values.resize(EXPERTS * count);
    for (size_t e = 0; e < EXPERTS; e++) {
        std::vector<char> blocks((size_t)rows * dtype_row_bytes(type, columns));
        dtype_fill_random(type, blocks.data(), count, 0.1f, random_next(&bench->state));
        dtype_to_float(type, blocks.data(), &m.values[e * count], count);
        const struct weight in_file = {blocks.data(), type, rows, columns};
        if (backend_cuda()->weights(bench->device, &in_file, &at[e]) != STATUS_OK) exit(2);
    }
    m.weights.data = upload(at);
    m.bias = floats(bench, EXPERTS * (size_t)rows, 0.5);
    if (bias) m.weights.bias = upload(m.bias);
    return m;
}

static double product(const struct matrices &m, int32_t expert, int32_t row, const double *x) {
    const size_t at = (size_t)expert * (size_t)m.weights.rows + (size_t)row;
    double sum = m.weights.bias ? (double)m.bias[at] : 0;
    for (size_t i = 0; i < (size_t)m.weights.columns; i++)
        sum += (double)m.values[at * (size_t)m.weights.columns + i] * x[i];
    return sum;
}

static double act_of(enum act act, double g, double u) {
    if (act == ACT_SILU) return g / (1 + exp(-g)) * u;
    if (act == ACT_GELU)
        return g / 2 * (1 + tanh(0.79788456080286536 * (g + 0.044715 * g * g * g))) * u;
    g = fmin(g, 7);
    return g / (1 + exp(-1.702 * g)) * (fmin(fmax(u, -7), 7) + 1);
}

static std::vector<double> plain_answer(const struct matrices m[3], enum act act, const double *x,
                                        const int32_t *chosen, const float *shares, int32_t used) {
    std::vector<double> y(DIM), hidden(ROWS);
    for (int32_t j = 0; j < used; j++) {
        for (int32_t r = 0; r < ROWS; r++)
            hidden[(size_t)r] =
                act_of(act, product(m[0], chosen[j], r, x), product(m[1], chosen[j], r, x));
        for (int32_t r = 0; r < DIM; r++)
            y[(size_t)r] += (double)shares[j] * product(m[2], chosen[j], r, hidden.data());
    }
    return y;
}

static void test_answers(struct bench *bench, const struct matrices m[3], enum act act,
                         int32_t tokens, int32_t used) {
    std::vector<uint16_t> x((size_t)tokens * DIM);
    std::vector<double> wide(x.size());
    std::vector<int32_t> chosen;
    for (size_t i = 0; i < x.size(); i++) {
        x[i] = float_to_half((float)uniform(bench));
        wide[i] = (double)half_to_float(x[i]);
    }
    for (int32_t t = 0; t < tokens; t++)
        for (int32_t j = 0, first = (int32_t)(random_next(&bench->state) % EXPERTS); j < used; j++)
            chosen.push_back((first + 3 * j) % EXPERTS); // 3 and 7: none comes twice
    const std::vector<float> shares = floats(bench, chosen.size(), 1);
    struct experts args = {};
    args.y = upload(std::vector<float>(x.size(), NAN));
    args.x = upload(x);
    args.chosen = upload(chosen);
    args.shares = upload(shares);
    args.gate = m[0].weights;
    args.up = m[1].weights;
    args.down = m[2].weights;
    args.tokens = tokens;
    args.experts = EXPERTS;
    args.used = used;
    args.act = act;
    CUDA(cudaDeviceSynchronize());
    backend_cuda()->experts(bench->device, &args);
    finish(bench);
    std::vector<float> y(x.size());
    CUDA(cudaMemcpy(y.data(), args.y, y.size() * 4, cudaMemcpyDeviceToHost));
    double difference = 0, size = 0;
    for (int32_t t = 0; t < tokens; t++) {
        const std::vector<double> want = plain_answer(m, act, &wide[(size_t)t * DIM],
                                                      &chosen[(size_t)(t * used)],
                                                      &shares[(size_t)(t * used)], used);
        for (size_t i = 0; i < DIM; i++) {
            const double d = (double)y[(size_t)t * DIM + i] - want[i];
            difference += d * d;
            size += want[i] * want[i];
        }
    }
    char what[128];
    const double error = sqrt(difference / size);
    snprintf(what, sizeof what, "experts %s, act %d, %d tokens, %d of %d",
             dtype_name(m[0].weights.type), act, tokens, used, EXPERTS);
    tally_count(bench->tally, error < 2e-3, what, error); // weights may be rounded to fp16
    for (const void *memory : {(const void *)args.y, args.x, (const void *)args.chosen,
                               (const void *)args.shares})
        CUDA(cudaFree((void *)memory));
}

void test_experts(struct device *, struct tally *tally) {
    struct bench bench = {nullptr, tally, tally->seed};
    const struct device_options options = {};
    struct workspace workspace = {64, 4096, 8, 512, 8, 128};
    workspace.experts = EXPERTS;
    workspace.experts_used = MOST_USED;
    workspace.expert_rows = ROWS;
    struct error err;
    if (backend_cuda()->open(&options, &bench.device, &err) != STATUS_OK ||
        backend_cuda()->reserve(bench.device, &workspace) != STATUS_OK)
        CUDA(cudaErrorInitializationError);
    static const int32_t ROUTES[][2] = {{1, 1}, {8, 2}, {32, 4}, {128, 8}, {60, 32}, {5, 5}};
    for (const auto &shape : ROUTES)
        test_route(&bench, shape[0], shape[1]);
    for (int type = 0; type < DTYPE_COUNT; type++) {
        struct matrices m[3] = {make(&bench, (enum dtype)type, ROWS, DIM, type % 2 == 0),
                                make(&bench, (enum dtype)type, ROWS, DIM, type % 2 == 0),
                                make(&bench, (enum dtype)type, DIM, ROWS, type % 2 == 0)};
        for (enum act act : {ACT_SILU, ACT_GELU, ACT_CLAMPED})
            test_answers(&bench, m, act, 1, 2);
        test_answers(&bench, m, ACT_SILU, MOST_TOKENS, MOST_USED);
        for (const struct matrices &one : m) {
            CUDA(cudaFree((void *)one.weights.data));
            CUDA(cudaFree((void *)one.weights.bias));
        }
    }
    backend_cuda()->close(bench.device);
}
