// tests/device/test_ops.cu — the small ops and the block copies, against plain double loops.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/device/rope_plain.cuh"
#include "tests/device/scene.cuh"
#include "tests/device/tests.cuh"

#include <algorithm>

enum { GUARD = 64, POISON = 0xff };

struct op_tests {
    struct device *device;
    struct tally *tally;
    uint64_t state;
};

static float draw(struct op_tests *tests) { // -1 ... 1
    return (float)(random_next(&tests->state) >> 40) * (2.0f / (1 << 24)) - 1;
}

static int below(struct op_tests *tests, int limit) {
    return (int)(random_next(&tests->state) % (uint64_t)limit);
}

static std::vector<float> draws(struct op_tests *tests, size_t count, float size) {
    std::vector<float> values(count);
    for (float &value : values)
        value = size * draw(tests);
    return values;
}

static std::vector<uint16_t> half_draws(struct op_tests *tests, size_t count, float size) {
    std::vector<uint16_t> values(count);
    for (uint16_t &value : values)
        value = float_to_half(size * draw(tests));
    return values;
}

template <typename type> static type *on_card(const std::vector<type> &values) {
    return (type *)copy_to_card(values.data(), values.size() * sizeof(type));
}

// `count` elements of NaN, and a guard behind them.
template <typename type> static type *poisoned(size_t count) {
    const std::vector<char> bytes(count * sizeof(type) + GUARD, (char)POISON);
    return (type *)on_card(bytes);
}

template <typename type> static std::vector<type> fetch(const type *memory, size_t count) {
    std::vector<type> values(count);
    CUDA(cudaMemcpy(values.data(), memory, count * sizeof(type), cudaMemcpyDeviceToHost));
    return values;
}

static bool guard_holds(const void *memory, size_t bytes) {
    const std::vector<char> guard = fetch((const char *)memory + bytes, GUARD);
    return std::all_of(guard.begin(), guard.end(), [](char c) { return c == (char)POISON; });
}

static void finish(struct op_tests *tests) {
    CUDA(tests->device->failure);
    CUDA(cudaStreamSynchronize(tests->device->stream));
}

static void drop(std::initializer_list<const void *> memory) {
    for (const void *one : memory)
        CUDA(cudaFree((void *)one));
}

// How far beyond one rounding to fp16, and `noise` of sums in fp32, is this? More than 1 is wrong.
static double half_error(uint16_t got, double expected, double noise = 0) {
    const double step = fmax(fabs(expected) * 0x1p-10, 0x1p-24) + noise;
    const double error = fabs((double)half_to_float(got) - expected) / step;
    return error < 1e9 ? error : 1e9; // NaN is not below it
}

static void test_rmsnorm(struct op_tests *tests, int rows, int dim, bool centered, bool biased) {
    const size_t count = (size_t)rows * dim;
    std::vector<float> x = draws(tests, count, 3), weight = draws(tests, dim, 2),
                       bias = draws(tests, dim, 2);
    for (float &value : x)
        value += 2; // so that there is a mean
    float *x_card = on_card(x), *weight_card = on_card(weight), *bias_card = on_card(bias);
    uint16_t *y_card = poisoned<uint16_t>(count);
    const struct rmsnorm args = {y_card, x_card, weight_card, rows,
                                 dim,    1e-5f,  centered,    biased ? bias_card : nullptr};
    backend_cuda()->rmsnorm(tests->device, &args);
    finish(tests);
    const std::vector<uint16_t> y = fetch(y_card, count);
    double worst = 0;
    for (int r = 0; r < rows; r++) {
        double squares = 0, mean = 0;
        for (size_t i = (size_t)r * dim; i < (size_t)(r + 1) * dim && centered; i++)
            mean += (double)x[i] / dim;
        for (size_t i = (size_t)r * dim; i < (size_t)(r + 1) * dim; i++)
            squares += ((double)x[i] - mean) * ((double)x[i] - mean);
        for (size_t i = (size_t)r * dim; i < (size_t)(r + 1) * dim; i++) {
            const double scale = (double)weight[i % dim] / sqrt(squares / dim + 1e-5);
            const double cancelled = fabs(mean * scale) * 0x1p-22; // near the mean little is left
            const double more = biased ? (double)bias[i % dim] : 0;
            worst = fmax(worst, half_error(y[i], ((double)x[i] - mean) * scale + more, cancelled));
        }
    }
    char what[128];
    snprintf(what, sizeof what, "rmsnorm [%d, %d]%s%s", rows, dim, centered ? ", centered" : "",
             biased ? ", with a bias" : "");
    tally_count(tests->tally, worst <= 1 && guard_holds(y_card, 2 * count), what, worst);
    drop({x_card, weight_card, bias_card, y_card});
}

static double act_of(enum act act, double g, double u) {
    if (act == ACT_SILU) return g / (1 + exp(-g)) * u;
    if (act == ACT_GELU)
        return g / 2 * (1 + tanh(0.79788456080286536 * (g + 0.044715 * g * g * g))) * u;
    if (act == ACT_GELU_ALONE) return act_of(ACT_GELU, g, 1);
    if (act == ACT_LIMITED) return fmin(g / (1 + exp(-g)), 1.5) * fmin(fmax(u, -1.5), 1.5);
    if (act == ACT_RELU) return g > 0 ? g * u : 0;
    if (act == ACT_SIGMOID) return u / (1 + exp(-g));
    if (act == ACT_SOFTPLUS) return u * (fmax(g, 0.0) + log1p(exp(-fabs(g))));
    if (act == ACT_XIELU) return (g > 0 ? 0.75 * g * g : 1.5 * (exp(g) - 1 - g)) + 0.5 * g;
    g = fmin(g, 7);
    return g / (1 + exp(-1.702 * g)) * (fmin(fmax(u, -7), 7) + 1);
}

static void test_act(struct op_tests *tests, enum act act, int rows, int dim) {
    const size_t count = (size_t)rows * dim;
    const std::vector<uint16_t> gate = half_draws(tests, count, 9),
                                up = half_draws(tests, count, 9);
    uint16_t *gate_card = poisoned<uint16_t>(count), *up_card = on_card(up);
    CUDA(cudaMemcpy(gate_card, gate.data(), 2 * count, cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
    const struct act_and_mul args = {gate_card, up_card, rows, dim, act, {0.75f, 1.5f, 0.5f}, 1.5f};
    backend_cuda()->act_and_mul(tests->device, &args);
    finish(tests);
    const std::vector<uint16_t> got = fetch(gate_card, count);
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double g = (double)half_to_float(gate[i]), u = (double)half_to_float(up[i]);
        // Where 1 + tanh() cancels, what is left is small beside the gate itself.
        const double lost = act == ACT_SILU ? 0 : 1e-5 * fabs(g * u);
        const double expected = act_of(act, g, u), near = (double)half_to_float(got[i]);
        if (!(fabs(near - expected) <= lost)) worst = fmax(worst, half_error(got[i], expected));
    }
    char what[128];
    snprintf(what, sizeof what, "act_and_mul %d [%d, %d]", act, rows, dim);
    tally_count(tests->tally, worst <= 1 && guard_holds(gate_card, 2 * count), what, worst);
    drop({gate_card, up_card});
}

// The heads of tokens put head by head into the middle of wider rows; what is between stays.
static void test_scale_rows(struct op_tests *tests, int rows, int dim, bool keeps) {
    const size_t count = (size_t)rows * dim;
    const std::vector<uint16_t> x = half_draws(tests, count, 9);
    std::vector<float> factors(rows);
    for (int r = 0; r < rows; r++)
        factors[r] = 0.01f + 0.013f * r;
    uint16_t *x_card = poisoned<uint16_t>(count);
    CUDA(cudaMemcpy(x_card, x.data(), 2 * count, cudaMemcpyHostToDevice));
    float *factors_card = on_card(factors);
    const struct scale_rows args = {x_card, factors_card, rows, dim, keeps};
    backend_cuda()->scale_rows(tests->device, &args);
    finish(tests);
    const std::vector<uint16_t> got = fetch(x_card, count);
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, half_error(got[i], (double)half_to_float(x[i]) * factors[i / dim], 0));
    const std::vector<float> left = fetch(factors_card, rows);
    bool right = true;
    for (int r = 0; r < rows; r++)
        right = right && left[r] == (keeps ? factors[r] : 1);
    char what[128];
    snprintf(what, sizeof what, "scale_rows [%d, %d]", rows, dim);
    tally_count(tests->tally, worst <= 1 && right && guard_holds(x_card, 2 * count), what, worst);
    drop({x_card, factors_card});
}

static void test_copy_parts(struct op_tests *tests, int tokens, int heads, int part) {
    const size_t wide = (size_t)part + 5, all = (size_t)heads * tokens * wide;
    const std::vector<uint16_t> x = half_draws(tests, (size_t)tokens * heads * part, 3);
    uint16_t *x_card = on_card(x), *y_card = poisoned<uint16_t>(all);
    const struct copy_parts args = {y_card + 2, x_card,       heads,
                                    tokens,     part,         tokens * wide,
                                    wide,       (size_t)part, (size_t)heads * part};
    backend_cuda()->copy_parts(tests->device, &args);
    finish(tests);
    const std::vector<uint16_t> got = fetch(y_card, all);
    bool right = guard_holds(y_card, 2 * all);
    for (size_t i = 0; i < all; i++) {
        const size_t head = i / (tokens * wide), token = i / wide % tokens, at = i % wide;
        const bool copied = at >= 2 && at < 2 + (size_t)part;
        right = right &&
                got[i] == (copied ? x[(token * heads + head) * part + at - 2] : (uint16_t)0xffff);
    }
    char what[128];
    snprintf(what, sizeof what, "copy_parts [%d, %d, %d]", tokens, heads, part);
    tally_count(tests->tally, right, what, 0);
    drop({x_card, y_card});
}

static void test_add_rows(struct op_tests *tests, int rows, int dim, bool normed) {
    const size_t count = (size_t)rows * dim;
    const std::vector<float> x = draws(tests, count, 3), y = draws(tests, count, 3),
                             norm = draws(tests, dim, 2);
    float *x_card = on_card(x), *y_card = on_card(y), *norm_card = on_card(norm);
    const struct add_rows args = {x_card, y_card, normed ? norm_card : nullptr, rows, dim, 1e-5f,
                                  0.22f,  1};
    backend_cuda()->add_rows(tests->device, &args);
    finish(tests);
    const std::vector<float> got = fetch(x_card, count);
    double worst = 0;
    for (int r = 0; r < rows; r++) {
        double squares = 0;
        for (size_t i = (size_t)r * dim; i < (size_t)(r + 1) * dim; i++)
            squares += (double)y[i] * (double)y[i];
        const double scale = (double)0.22f * (normed ? 1 / sqrt(squares / dim + 1e-5) : 1);
        for (size_t i = (size_t)r * dim; i < (size_t)(r + 1) * dim; i++) {
            const double added = (double)y[i] * scale * (normed ? (double)norm[i % dim] : 1);
            const double error = fabs((double)got[i] - (double)x[i] - added);
            worst = fmax(worst, error / (1e-5 * (fabs(added) + fabs((double)x[i])) + 1e-7));
        }
    }
    char what[128];
    snprintf(what, sizeof what, "add_rows [%d, %d]%s", rows, dim, normed ? ", normed" : "");
    tally_count(tests->tally, worst <= 1, what, worst);
    drop({x_card, y_card, norm_card});
}

static void test_narrow(struct op_tests *tests, int rows, int dim) {
    const size_t count = (size_t)rows * dim;
    const std::vector<float> x = draws(tests, count, 900);
    float *x_card = on_card(x);
    uint16_t *y_card = poisoned<uint16_t>(count);
    const struct narrow args = {y_card, x_card, rows, dim};
    backend_cuda()->narrow(tests->device, &args);
    finish(tests);
    const std::vector<uint16_t> y = fetch(y_card, count);
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += y[i] != float_to_half(x[i]);
    char what[128];
    snprintf(what, sizeof what, "narrow [%d, %d]", rows, dim);
    tally_count(tests->tally, wrong == 0 && guard_holds(y_card, 2 * count), what, (double)wrong);
    drop({x_card, y_card});
}

struct rope_case {
    enum dtype type;
    int num_heads, num_kv_heads, head_size, block_size, rotary, tokens;
    bool interleaved, has_norm, norm_last;
};

struct rope_inputs {
    std::vector<uint16_t> q, k, v;
    std::vector<float> q_norm, k_norm, inv_freq;
    std::vector<int32_t> positions;
    std::vector<int64_t> slots;
};

static struct rope_plain plain_of(const struct rope_case *it, const struct rope_inputs *in) {
    return {it->head_size, it->rotary, it->interleaved, in->inv_freq.data(),
            1.1f,          1e-6f,      it->norm_last};
}

// The cache, index by index as in backend.h, and how many bytes of it were written.
static double check_cache(const struct rope_case *it, const struct rope_inputs *in,
                          const struct kv_cache *cache, const std::vector<char> &bytes, int layer) {
    const size_t element = dtype_row_bytes(cache->type, 1);
    const struct rope_plain plain = plain_of(it, in);
    size_t poison = 0;
    double worst = 0;
    for (int t = 0; t < it->tokens; t++)
        for (int h = 0; h < it->num_kv_heads; h++) {
            const size_t from = ((size_t)t * it->num_kv_heads + h) * it->head_size;
            const std::vector<double> k = rope_plain_turn(
                &plain, &in->k[from], it->has_norm ? in->k_norm.data() : nullptr, in->positions[t]);
            for (int plane = 0; plane < 2; plane++) {
                size_t row = (size_t)(in->slots[t] / it->block_size) * cache->num_layers + layer;
                row = (row * 2 + plane) * it->num_kv_heads + h;
                row = row * it->block_size + in->slots[t] % it->block_size;
                for (int i = 0; i < it->head_size; i++)
                    worst =
                        fmax(worst,
                             stored_error(cache->type, &bytes[(row * it->head_size + i) * element],
                                          plane ? (double)half_to_float(in->v[from + i]) : k[i]));
            }
        }
    for (size_t i = 0; i < bytes.size(); i += element)
        poison +=
            std::all_of(&bytes[i], &bytes[i] + element, [](char c) { return c == (char)POISON; });
    const size_t written = 2 * in->k.size();
    return poison == bytes.size() / element - written ? worst : 1e9;
}

static struct rope_inputs draw_rope(struct op_tests *tests, const struct rope_case *it,
                                    uint32_t blocks) {
    const size_t size = (size_t)it->tokens * it->head_size;
    struct rope_inputs in = {half_draws(tests, size * it->num_heads, 2),
                             half_draws(tests, size * it->num_kv_heads, 2),
                             half_draws(tests, size * it->num_kv_heads, 2),
                             draws(tests, it->head_size, 2),
                             draws(tests, it->head_size, 2),
                             draws(tests, it->rotary / 2 + 1, 1),
                             {},
                             {}};
    std::vector<int64_t> slots((size_t)blocks * it->block_size);
    for (size_t i = 0; i < slots.size(); i++)
        slots[i] = (int64_t)i;
    for (size_t i = slots.size(); i > 1; i--)
        std::swap(slots[i - 1], slots[below(tests, (int)i)]);
    slots.resize((size_t)it->tokens);
    in.slots = slots;
    for (int t = 0; t < it->tokens; t++)
        in.positions.push_back(below(tests, 3000));
    return in;
}

static void test_rope(struct op_tests *tests, const struct rope_case *it) {
    const int layers = 3, layer = 1;
    const uint32_t blocks = (uint32_t)(it->tokens / it->block_size + 3);
    const struct rope_inputs in = draw_rope(tests, it, blocks);
    struct kv_cache cache = {};
    cache.type = it->type;
    cache.num_layers = layers;
    cache.num_kv_heads = it->num_kv_heads;
    cache.head_size = it->head_size;
    cache.block_size = it->block_size;
    cache.num_blocks = blocks;
    const size_t bytes = blocks * kv_block_bytes(&cache);
    cache.data = poisoned<char>(bytes);
    struct batch batch = {};
    batch.num_seqs = 1;
    batch.num_tokens = it->tokens;
    batch.positions = on_card(in.positions);
    batch.slot_mapping = on_card(in.slots);
    uint16_t *q = on_card(in.q), *k = on_card(in.k), *v = on_card(in.v);
    float *q_norm = on_card(in.q_norm), *k_norm = on_card(in.k_norm);
    float *inv_freq = on_card(in.inv_freq);
    struct rope_and_cache args = {q, k, v};
    args.q_norm = it->has_norm ? q_norm : nullptr;
    args.k_norm = it->has_norm ? k_norm : nullptr;
    args.inv_freq = inv_freq;
    args.eps = 1e-6f;
    args.magnitude = 1.1f;
    args.interleaved = it->interleaved;
    args.norm_last = it->norm_last;
    args.rotary = it->rotary;
    args.num_heads = it->num_heads;
    args.layer = layer;
    args.cache = &cache;
    args.batch = &batch;
    backend_cuda()->rope_and_cache(tests->device, &args);
    finish(tests);
    double worst = check_cache(it, &in, &cache, fetch((char *)cache.data, bytes), layer);
    const std::vector<uint16_t> got = fetch(q, in.q.size());
    const struct rope_plain plain = plain_of(it, &in);
    for (size_t head = 0; head < in.q.size() / it->head_size; head++) {
        const std::vector<double> x = rope_plain_turn(&plain, &in.q[head * it->head_size],
                                                      it->has_norm ? in.q_norm.data() : nullptr,
                                                      in.positions[head / it->num_heads]);
        for (int i = 0; i < it->head_size; i++)
            worst = fmax(
                worst, stored_error(DTYPE_F16, (const char *)&got[head * it->head_size + i], x[i]));
    }
    char what[128];
    snprintf(what, sizeof what, "rope_and_cache, %s, %d/%d heads of %d, rotary %d%s%s",
             dtype_name(it->type), it->num_heads, it->num_kv_heads, it->head_size, it->rotary,
             it->interleaved ? ", interleaved" : "",
             it->has_norm ? it->norm_last ? ", norms last" : ", norms" : "");
    tally_count(tests->tally, worst <= 1 && guard_holds(cache.data, bytes), what, worst);
    drop({cache.data, batch.positions, batch.slot_mapping, q, k, v, q_norm, k_norm, inv_freq});
}

static struct kv_cache draw_extents(struct op_tests *tests, std::vector<uint16_t> *bits,
                                    uint32_t blocks) {
    struct kv_cache cache = {};
    cache.type = DTYPE_F16;
    cache.num_layers = 1 + below(tests, 5);
    cache.num_kv_heads = 1 + below(tests, 4);
    cache.head_size = 8 * (1 + below(tests, 16));
    cache.block_size = 8;
    cache.num_blocks = blocks;
    *bits = half_draws(tests, blocks * kv_block_bytes(&cache) / 2, 100);
    cache.data = on_card(*bits);
    return cache;
}

// 0 ... count - 1 in any order.
static std::vector<uint32_t> shuffled(struct op_tests *tests, uint32_t count) {
    std::vector<uint32_t> order(count);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--)
        std::swap(order[i - 1], order[below(tests, (int)i)]);
    return order;
}

static void test_copy_blocks(struct op_tests *tests, int pairs) {
    std::vector<uint16_t> before;
    const struct kv_cache cache = draw_extents(tests, &before, 2 * pairs + 3);
    const size_t extent = kv_block_bytes(&cache) / 2;
    const std::vector<uint32_t> order = shuffled(tests, cache.num_blocks);
    const struct copy_blocks args = {&cache, order.data(), order.data() + pairs, pairs};
    backend_cuda()->copy_blocks(tests->device, &args);
    finish(tests);
    std::vector<uint16_t> expected = before;
    for (int i = 0; i < pairs; i++)
        std::copy_n(&before[args.source[i] * extent], extent,
                    &expected[args.destination[i] * extent]);
    char what[128];
    snprintf(what, sizeof what, "copy_blocks, %d pairs of %zu bytes", pairs, 2 * extent);
    tally_count(tests->tally, fetch((uint16_t *)cache.data, before.size()) == expected, what, 0);
    drop({cache.data});
}

// Out to a slab, in which runs of neighbours and single blocks mix, and back to other blocks.
static void test_swap_blocks(struct op_tests *tests, int pairs) {
    std::vector<uint16_t> before;
    const struct kv_cache cache = draw_extents(tests, &before, 2 * pairs + 3);
    const size_t extent = kv_block_bytes(&cache) / 2, bytes = (size_t)pairs * extent * 2;
    std::vector<uint32_t> blocks = shuffled(tests, cache.num_blocks);
    const std::vector<uint32_t> slots = shuffled(tests, (uint32_t)pairs);
    for (int i = 1; i < pairs / 2; i++) { // a run, where the random slots allow it
        const auto at = std::find(blocks.begin() + i, blocks.end(), blocks[i - 1] + 1);
        if (at != blocks.end()) std::swap(*at, blocks[i]);
    }
    void *slab;
    if (backend_cuda()->alloc_host(tests->device, bytes, &slab) != STATUS_OK)
        CUDA(cudaErrorMemoryAllocation);
    memset(slab, POISON, bytes);
    struct swap_blocks args = {&cache, slab, blocks.data(), slots.data(), pairs, true};
    backend_cuda()->swap_blocks(tests->device, &args);
    finish(tests);
    bool same = fetch((uint16_t *)cache.data, before.size()) == before;
    for (int i = 0; i < pairs; i++)
        same = same && !memcmp((char *)slab + slots[i] * extent * 2, &before[blocks[i] * extent],
                               extent * 2);
    args.out = false;
    args.blocks = blocks.data() + pairs;
    backend_cuda()->swap_blocks(tests->device, &args);
    finish(tests);
    std::vector<uint16_t> expected = before;
    for (int i = 0; i < pairs; i++)
        std::copy_n(&before[blocks[i] * extent], extent, &expected[blocks[pairs + i] * extent]);
    same = same && fetch((uint16_t *)cache.data, before.size()) == expected;
    char what[128];
    snprintf(what, sizeof what, "swap_blocks, %d pairs of %zu bytes", pairs, 2 * extent);
    tally_count(tests->tally, same, what, 0);
    backend_cuda()->release_host(tests->device, slab, bytes);
    drop({cache.data});
}

static void test_ropes(struct op_tests *tests) {
    static const int SHAPES[][5] = {{8, 2, 64, 16, 64},   {32, 8, 128, 16, 128}, {5, 5, 80, 8, 32},
                                    {3, 1, 120, 32, 120}, {4, 2, 256, 16, 64},   {2, 1, 20, 5, 0}};
    for (enum dtype type : {DTYPE_F16, DTYPE_BF16, DTYPE_F32})
        for (const int *shape : SHAPES)
            for (int variant = 0; variant < 6; variant++) {
                const struct rope_case it = {type,
                                             shape[0],
                                             shape[1],
                                             shape[2],
                                             shape[3],
                                             shape[4],
                                             1 + below(tests, 40),
                                             variant % 2 == 1,
                                             variant / 2 >= 1,
                                             variant / 2 == 2};
                test_rope(tests, &it);
            }
}

// One sequence whose tokens come in two calls, so that the second reads what the first has cached.
static void test_conv(struct op_tests *tests, int dim, int width, int tokens) {
    enum { BLOCK = 8 };
    const int cut = tokens / 3, blocks = (tokens + BLOCK - 1) / BLOCK;
    const size_t count = (size_t)tokens * dim, floats = (size_t)blocks * BLOCK * dim;
    const std::vector<uint16_t> q = half_draws(tests, count, 2), k = half_draws(tests, count, 2),
                                v = half_draws(tests, count, 2);
    const std::vector<float> weight = draws(tests, (size_t)width * dim, 1);
    std::vector<int32_t> table(blocks);
    for (int i = 0; i < blocks; i++)
        table[i] = blocks - 1 - i;
    uint16_t *q_card = on_card(q), *k_card = on_card(k), *v_card = on_card(v),
             *out_card = poisoned<uint16_t>(count);
    float *weight_card = on_card(weight), *cache_card = poisoned<float>(floats);
    int32_t *table_card = on_card(table);
    const struct kv_cache cache = {cache_card, DTYPE_F32, KV_LAYOUT_ROWS,   1, 1,
                                   dim / 2,    BLOCK,     (uint32_t)blocks, 0};
    for (int first = 0, end = cut; first < tokens; first = end, end = tokens) {
        if (first == end) continue;
        int32_t *cu_card = on_card(std::vector<int32_t>{0, end - first});
        int32_t *length_card = on_card(std::vector<int32_t>{end});
        const struct batch batch = {1, end - first, blocks, cu_card, length_card, table_card};
        const size_t at = (size_t)first * dim;
        const struct short_conv args = {out_card + at, q_card + at, k_card + at, v_card + at,
                                        weight_card,   dim,         width,       0,
                                        &cache,        &batch};
        backend_cuda()->short_conv(tests->device, &args);
        finish(tests);
        drop({cu_card, length_card});
    }
    const std::vector<uint16_t> got = fetch(out_card, count);
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t j = 0; j < (size_t)width && j * dim <= i; j++)
            sum += (double)weight[(width - 1 - j) * dim + i % dim] *
                   (double)half_to_float(k[i - j * dim]) * (double)half_to_float(v[i - j * dim]);
        worst = fmax(worst, half_error(got[i], sum * (double)half_to_float(q[i]), 1e-5));
    }
    char what[128];
    snprintf(what, sizeof what, "short_conv %d of [%d, %d]", width, tokens, dim);
    const bool holds = guard_holds(out_card, 2 * count) && guard_holds(cache_card, 4 * floats);
    tally_count(tests->tally, worst <= 1 && holds, what, worst);
    drop({q_card, k_card, v_card, out_card, weight_card, cache_card, table_card});
}

void test_ops(struct device *, struct tally *tally) {
    struct op_tests tests = {nullptr, tally, tally->seed};
    const struct device_options options = {};
    struct error err;
    if (backend_cuda()->open(&options, &tests.device, &err) != STATUS_OK)
        CUDA(cudaErrorInitializationError);
    static const int ROWS[][2] = {{1, 4}, {1, 4096}, {3, 1028}, {70, 576}, {5, 12288}};
    for (const int *shape : ROWS) {
        test_rmsnorm(&tests, shape[0], shape[1], false, false);
        test_rmsnorm(&tests, shape[0], shape[1], true, false);
        test_rmsnorm(&tests, shape[0], shape[1], true, true);
        for (enum act act : {ACT_SILU, ACT_GELU, ACT_GELU_ALONE, ACT_CLAMPED, ACT_LIMITED, ACT_RELU,
                             ACT_SIGMOID, ACT_SOFTPLUS, ACT_XIELU})
            test_act(&tests, act, shape[0], (shape[1] + 7) / 8 * 8);
        test_copy_parts(&tests, shape[0], 3, shape[1]);
        for (bool keeps : {false, true})
            test_scale_rows(&tests, shape[0], shape[1], keeps);
        test_add_rows(&tests, shape[0], shape[1], false);
        test_add_rows(&tests, shape[0], shape[1], true);
        test_narrow(&tests, shape[0], shape[1]);
    }
    for (int width : {1, 3, 8})
        for (int tokens : {1, 2, 41})
            test_conv(&tests, width == 3 ? 2048 : 34, width, tokens);
    test_ropes(&tests);
    for (int pairs : {1, 2, 7, 128, 129, 300})
        test_copy_blocks(&tests, pairs);
    for (int pairs : {1, 2, 9, 64})
        test_swap_blocks(&tests, pairs);
    backend_cuda()->close(tests.device);
}
