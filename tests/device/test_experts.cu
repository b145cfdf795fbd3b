// tests/device/test_experts.cu — route and experts against plain loops in double, for every type of
// weights.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/device.cuh"
#include "tests/device/tests.cuh"
#include "tests/kernels/plain_route.h"

enum { ROUTED_TOKENS = 33, MOST_EXPERTS = 128, MOST_USED = 8, MOST_TOKENS = 512 };
enum { MOST_ROWS = 512, MOST_DIM = 768, GUARD = 64 };

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

static void test_route(struct bench *bench, const int32_t shape[4], int kind) {
    const size_t experts = (size_t)shape[0], count = (size_t)ROUTED_TOKENS * (size_t)shape[1];
    std::vector<float> scores = floats(bench, ROUTED_TOKENS * experts, 5);
    std::vector<float> bias = floats(bench, experts, 1), gains = floats(bench, experts, 1);
    std::vector<float> shares(count);
    std::vector<int32_t> chosen(count, -1);
    for (size_t i = 0; i < scores.size(); i += 3)
        scores[i] = 1; // many are equal
    struct route plain = {}, args = {};
    plain.bias = bias.data(), plain.gains = gains.data();
    args.chosen = upload(chosen), args.shares = upload(shares), args.tokens = ROUTED_TOKENS;
    float *scores_card = upload(scores), *bias_card = upload(bias), *gains_card = upload(gains);
    args.scores = scores_card, args.bias = bias_card, args.gains = gains_card;
    const bool is = route_kind(shape, kind, &args) && route_kind(shape, kind, &plain);
    if (is) backend_cuda()->route(bench->device, &args);
    finish(bench);
    CUDA(cudaMemcpy(chosen.data(), args.chosen, count * 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(shares.data(), args.shares, count * 4, cudaMemcpyDeviceToHost));
    double worst = 0;
    int clear = 0;
    for (int32_t t = 0; t < ROUTED_TOKENS && is; t++) {
        int32_t right[EXPERTS_USED_MAX];
        double portions[EXPERTS_USED_MAX];
        if (!plain_route(&plain, &scores[(size_t)t * experts], right, portions)) continue;
        clear++;
        for (int32_t j = 0; j < plain.used; j++) {
            const size_t at = (size_t)(t * plain.used + j);
            const double off = fabs((double)shares[at] - portions[j]);
            worst = fmax(worst, chosen[at] == right[j] ? off : 1e9);
        }
    }
    char what[96];
    snprintf(what, sizeof what, "route %d of %d, kind %d", shape[1], shape[0], kind);
    if (is) tally_count(bench->tally, worst < 1e-5 && clear > 0, what, worst);
    for (void *memory : {(void *)args.chosen, (void *)args.shares, (void *)scores_card,
                         (void *)bias_card, (void *)gains_card})
        CUDA(cudaFree(memory));
}

// Who is chosen.
enum crowd {
    CROWD_RANDOM,
    CROWD_SAME, // the same experts by all tokens, the others by none
};

struct mixture {
    enum dtype type, down_type;
    int32_t experts, used, rows, dim;
    enum act act;
    bool biased;
    struct expert_weights gate, up, down;
    std::vector<float> values[3], biases[3];
};

static struct expert_weights make(struct bench *bench, const struct mixture *m, enum dtype type,
                                  int32_t rows, int32_t columns, int which) {
    struct expert_weights weights = {nullptr, type, rows, columns, nullptr, nullptr};
    const size_t count = (size_t)rows * (size_t)columns, experts = (size_t)m->experts;
    std::vector<float> &values = ((struct mixture *)m)->values[which];
    std::vector<const void *> at(experts);
    values.resize(experts * count);
    for (size_t e = 0; e < experts; e++) {
        std::vector<char> blocks((size_t)rows * dtype_row_bytes(type, columns));
        dtype_fill_random(type, blocks.data(), count, 0.1f, random_next(&bench->state));
        dtype_to_float(type, blocks.data(), &values[e * count], count);
        const float scale = type == DTYPE_NVFP4 ? 0.5f + 0.1f * (float)e : 0;
        for (size_t i = e * count; i < (e + 1) * count && scale != 0; i++)
            values[i] *= scale;
        const struct weight in_file = {blocks.data(), type, rows, columns, scale};
        if (backend_cuda()->weights(bench->device, &in_file, &at[e]) != STATUS_OK) exit(2);
    }
    weights.data = upload(at);
    ((struct mixture *)m)->biases[which] = floats(bench, experts * (size_t)rows, 0.5);
    if (m->biased) weights.bias = upload(m->biases[which]);
    return weights;
}

static void load(struct bench *bench, struct mixture *m) {
    m->gate = make(bench, m, m->type, m->rows, m->dim, 0);
    m->up = make(bench, m, m->type, m->rows, m->dim, 1);
    m->down = make(bench, m, m->down_type, m->dim, m->rows, 2);
}

static void unload(struct mixture *m) {
    for (const struct expert_weights *weights : {&m->gate, &m->up, &m->down}) {
        CUDA(cudaFree((void *)weights->data));
        CUDA(cudaFree((void *)weights->bias));
    }
}

static double product(const struct mixture &m, int which, int32_t expert, int32_t row,
                      const double *x) {
    const struct expert_weights &w = which == 2 ? m.down : m.gate;
    const size_t at = (size_t)expert * (size_t)w.rows + (size_t)row;
    const float *weights = &m.values[which][at * (size_t)w.columns];
    double sum = m.biased ? (double)m.biases[which][at] : 0;
    for (int32_t i = 0; i < w.columns; i++)
        sum += (double)weights[i] * x[i];
    return sum;
}

static const float LIMIT = 1.5f; // of ACT_LIMITED

static double act_of(enum act act, double g, double u) {
    if (act == ACT_SILU) return g / (1 + exp(-g)) * u;
    if (act == ACT_GELU)
        return g / 2 * (1 + tanh(0.79788456080286536 * (g + 0.044715 * g * g * g))) * u;
    if (act == ACT_LIMITED) return fmin(g / (1 + exp(-g)), LIMIT) * fmin(fmax(u, -LIMIT), LIMIT);
    if (act == ACT_RELU) return g > 0 ? g * u : 0;
    g = fmin(g, 7);
    return g / (1 + exp(-1.702 * g)) * (fmin(fmax(u, -7), 7) + 1);
}

static std::vector<double> plain_answer(const struct mixture &m, const double *x,
                                        const int32_t *chosen, const float *shares) {
    std::vector<double> y((size_t)m.dim), hidden((size_t)m.rows);
    for (int32_t j = 0; j < m.used; j++) {
        for (int32_t r = 0; r < m.rows; r++)
            hidden[(size_t)r] =
                act_of(m.act, product(m, 0, chosen[j], r, x), product(m, 1, chosen[j], r, x));
        for (int32_t r = 0; r < m.dim; r++)
            y[(size_t)r] += (double)shares[j] * product(m, 2, chosen[j], r, hidden.data());
    }
    return y;
}

static std::vector<int32_t> choose(struct bench *bench, const struct mixture &m, int32_t tokens,
                                   enum crowd crowd) {
    std::vector<int32_t> all((size_t)m.experts), chosen;
    for (int32_t e = 0; e < m.experts; e++)
        all[(size_t)e] = e;
    for (int32_t t = 0; t < tokens; t++) {
        for (size_t j = 0; j < (size_t)m.used && (crowd == CROWD_RANDOM || t == 0); j++)
            std::swap(all[j], all[j + random_next(&bench->state) % (all.size() - j)]);
        chosen.insert(chosen.end(), all.begin(), all.begin() + m.used);
    }
    return chosen;
}

// The largest relative error of a checked token's answer; all others must be finite.
static double worst_error(const struct mixture &m, const std::vector<float> &y,
                          const std::vector<double> &x, const std::vector<int32_t> &chosen,
                          const std::vector<float> &shares, int32_t tokens, float start) {
    const int32_t step = tokens > 40 ? tokens / 24 : 1; // plain loops take their time
    const size_t dim = (size_t)m.dim, used = (size_t)m.used;
    double worst = 0;
    for (int32_t t = 0; t < tokens; t += step) {
        const size_t at = (size_t)t;
        const std::vector<double> want =
            plain_answer(m, &x[at * dim], &chosen[at * used], &shares[at * used]);
        double difference = 0, size = 0;
        for (size_t i = 0; i < dim; i++) {
            const double d = (double)y[at * dim + i] - want[i] - (double)start;
            difference += d * d, size += want[i] * want[i];
        }
        const double error = sqrt(difference / size);
        worst = error <= worst ? worst : error; // a NaN is the worst
    }
    for (float value : y)
        if (!isfinite(value)) worst = INFINITY;
    return worst;
}

// The list of an op that must not read the matrices of other experts.
static const void *const *list_within(const struct expert_weights &weights, size_t experts,
                                      const struct expert_range &range) {
    std::vector<const void *> at(experts);
    CUDA(cudaMemcpy(at.data(), weights.data, experts * sizeof at[0], cudaMemcpyDeviceToHost));
    for (size_t e = 0; e < experts; e++)
        if (!expert_within(&range, (int32_t)e)) at[e] = nullptr;
    return upload(at);
}

// The sum, some experts at a time.
static void compute_in_parts(struct bench *bench, const struct experts &whole, int32_t parts) {
    const int32_t each = (whole.experts + parts - 1) / parts;
    for (int32_t first = 0; first < whole.experts; first += each) {
        struct experts args = whole;
        args.only = {first, std::min(each, whole.experts - first)};
        args.add = whole.add || first > 0;
        for (struct expert_weights *weights : {&args.gate, &args.up, &args.down})
            weights->data = list_within(*weights, (size_t)whole.experts, args.only);
        CUDA(cudaDeviceSynchronize());
        backend_cuda()->experts(bench->device, &args);
        finish(bench);
        for (const struct expert_weights *weights : {&args.gate, &args.up, &args.down})
            CUDA(cudaFree((void *)weights->data));
    }
}

static void test_answers(struct bench *bench, const struct mixture &m, int32_t tokens,
                         enum crowd crowd, int32_t parts = 1) {
    const size_t elements = (size_t)tokens * (size_t)m.dim;
    std::vector<uint16_t> x(elements);
    std::vector<double> wide(elements);
    for (size_t i = 0; i < elements; i++) {
        x[i] = float_to_half((float)uniform(bench));
        wide[i] = (double)half_to_float(x[i]);
    }
    const std::vector<int32_t> chosen = choose(bench, m, tokens, crowd);
    const std::vector<float> shares = floats(bench, chosen.size(), 1);
    const bool add = tokens % 2 == 0;
    const float start = add ? 0.5f : 0;
    std::vector<float> poison(elements + GUARD, NAN);
    if (add) std::fill(poison.begin(), poison.begin() + (ptrdiff_t)elements, start);
    struct experts args = {
        upload(poison), upload(x), upload(chosen), upload(shares), m.gate, m.up, m.down,
        tokens,         m.experts, m.used,         m.act,          LIMIT,  add};
    CUDA(cudaDeviceSynchronize());
    if (parts > 1)
        compute_in_parts(bench, args, parts);
    else
        backend_cuda()->experts(bench->device, &args);
    finish(bench);
    std::vector<float> y(poison.size());
    CUDA(cudaMemcpy(y.data(), args.y, y.size() * 4, cudaMemcpyDeviceToHost));
    bool guarded = true;
    for (size_t i = elements; i < y.size(); i++)
        guarded = guarded && isnan(y[i]);
    y.resize(elements);
    const double error =
        guarded ? worst_error(m, y, wide, chosen, shares, tokens, start) : INFINITY;
    char what[128];
    snprintf(what, sizeof what, "experts %s and %s, %d x %d, act %d, %d tokens, %d of %d%s%s",
             dtype_name(m.type), dtype_name(m.down_type), m.rows, m.dim, m.act, tokens, m.used,
             m.experts, crowd == CROWD_SAME ? ", the same" : "", parts > 1 ? ", in parts" : "");
    tally_count(bench->tally, error < 3e-3, what, error); // weights may be rounded to fp16
    for (const void *memory :
         {(const void *)args.y, args.x, (const void *)args.chosen, (const void *)args.shares})
        CUDA(cudaFree((void *)memory));
}

// Every type, with rows that are no whole tiles and columns that are no whole cells.
static void test_types(struct bench *bench) {
    for (int type = 0; type < DTYPE_COUNT; type += bench->tally->every) {
        const int32_t block = dtype_block_elements((enum dtype)type);
        struct mixture m = {(enum dtype)type, (enum dtype)type, 7, 4};
        const int32_t odd = block < 32 ? 32 : block;
        m.rows = block == 256 ? 512 : 3 * odd;
        m.dim = block == 256 ? 256 : 5 * odd;
        m.biased = type % 2 == 0;
        m.act = (enum act)(type % 5);
        load(bench, &m);
        for (int32_t tokens : {1, 2, 3, 8, 16, 33, 64, 65, 100})
            test_answers(bench, m, tokens, CROWD_RANDOM);
        unload(&m);
    }
}

static void test_crowds(struct bench *bench) {
    static const enum dtype TYPES[][2] = {{DTYPE_Q4_K, DTYPE_Q6_K},
                                          {DTYPE_MXFP4, DTYPE_MXFP4},
                                          {DTYPE_NVFP4, DTYPE_NVFP4},
                                          {DTYPE_F16, DTYPE_Q8_0}};
    static const int32_t SHAPES[][2] = {{8, 2}, {8, 1}, {32, 4}, {64, 6}, {128, 8}, {128, 3}};
    for (const auto &types : TYPES)
        for (const auto &shape : SHAPES) {
            struct mixture m = {types[0], types[1], shape[0], shape[1], 256, 256};
            m.act = types[0] == DTYPE_MXFP4 ? ACT_CLAMPED
                    : types[0] == DTYPE_F16 ? ACT_LIMITED
                                            : ACT_SILU;
            m.biased = types[0] == DTYPE_MXFP4;
            load(bench, &m);
            for (int32_t tokens : {1, 5, 8, 64, 200, 512})
                for (enum crowd crowd : {CROWD_RANDOM, CROWD_SAME})
                    test_answers(bench, m, tokens, crowd);
            for (int32_t tokens : {5, 64, 200, 512})
                test_answers(bench, m, tokens, tokens == 5 ? CROWD_SAME : CROWD_RANDOM, 3);
            unload(&m);
        }
}

static struct device *open_device(bool deterministic) {
    const struct device_options options = {0, deterministic};
    struct device *device = nullptr;
    struct workspace workspace = {MOST_TOKENS, 4096, 8, 512, 8, 128};
    workspace.experts = MOST_EXPERTS;
    workspace.experts_used = MOST_USED;
    workspace.expert_rows = MOST_ROWS;
    workspace.expert_outputs = MOST_DIM;
    struct error err;
    if (backend_cuda()->open(&options, &device, &err) != STATUS_OK ||
        backend_cuda()->reserve(device, &workspace) != STATUS_OK)
        CUDA(cudaErrorInitializationError);
    return device;
}

void test_experts(struct device *, struct tally *tally) {
    struct bench bench = {open_device(false), tally, tally->seed};
    for (const auto &shape : ROUTE_SHAPES)
        for (int kind = 0; kind < ROUTE_KINDS; kind++)
            test_route(&bench, shape, kind);
    test_types(&bench);
    if (!tally->quick) test_crowds(&bench);
    backend_cuda()->close(bench.device);
    bench.device = open_device(true);
    if (!tally->quick) test_crowds(&bench);
    backend_cuda()->close(bench.device);
}
