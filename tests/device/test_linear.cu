// tests/device/test_linear.cu — linear, gated_linear, logits and embedding against plain loops in
// double, for every type of weights: odd shapes, poisoned outputs, fresh inputs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "kernels/cuda/device.cuh"
#include "tests/device/tests.cuh"

enum { GUARD = 64, TABLE_IDS = 5, ALONE_TOKENS = 19 };

typedef std::vector<double> doubles;

struct rows { // of activations or of the residual stream, on the card and as numbers
    void *memory;
    size_t count;
    doubles values;
};

struct matrix {
    struct weight weight;
    doubles values; // [rows, columns]
};

struct bench { // what a case needs
    const struct backend *backend;
    struct device *device;
    struct tally *tally;
    uint64_t *state;
    std::vector<void *> taken;
};

static double uniform(uint64_t *state) { // -1 ... 1
    return (double)(int64_t)(random_next(state) >> 11) * 0x1p-52 - 1;
}

static void *take(struct bench *bench, size_t bytes) {
    void *memory;
    CUDA(cudaMalloc(&memory, bytes + GUARD));
    CUDA(cudaMemset(memory, 0xff, bytes + GUARD)); // not numbers
    bench->taken.push_back(memory);
    return memory;
}

static void drop_all(struct bench *bench) {
    for (void *memory : bench->taken)
        CUDA(cudaFree(memory));
    bench->taken.clear();
}

static bool guard_holds(const void *memory, size_t bytes) {
    unsigned char guard[GUARD];
    CUDA(cudaMemcpy(guard, (const char *)memory + bytes, GUARD, cudaMemcpyDeviceToHost));
    for (unsigned char c : guard)
        if (c != 0xff) return false;
    return true;
}

static struct rows make_rows(struct bench *bench, size_t count, bool residual) {
    struct rows rows = {take(bench, count * (residual ? 4 : 2)), count, doubles(count)};
    std::vector<float> wide(count);
    std::vector<uint16_t> narrow(count);
    for (size_t i = 0; i < count; i++) {
        const float value = (float)(2 * uniform(bench->state));
        narrow[i] = float_to_half(value);
        wide[i] = value;
        rows.values[i] = residual ? (double)value : (double)half_to_float(narrow[i]);
    }
    if (residual)
        CUDA(cudaMemcpy(rows.memory, wide.data(), count * 4, cudaMemcpyHostToDevice));
    else
        CUDA(cudaMemcpy(rows.memory, narrow.data(), count * 2, cudaMemcpyHostToDevice));
    return rows;
}

static float *upload(struct bench *bench, const doubles &values) {
    std::vector<float> narrow(values.begin(), values.end());
    void *memory = take(bench, narrow.size() * 4);
    CUDA(cudaMemcpy(memory, narrow.data(), narrow.size() * 4, cudaMemcpyHostToDevice));
    return (float *)memory;
}

static doubles random_floats(struct bench *bench, size_t count) {
    doubles values(count);
    for (double &value : values)
        value = (double)(float)uniform(bench->state);
    return values;
}

// The matrix stays on the card until the device is closed.
static struct matrix make_matrix(struct bench *bench, enum dtype type, int32_t rows,
                                 int32_t columns) {
    const float scale = type == DTYPE_NVFP4 ? 0.7f : 0;
    struct matrix matrix = {{nullptr, type, rows, columns, scale}, {}};
    const size_t count = (size_t)rows * (size_t)columns;
    std::vector<char> blocks((size_t)rows * dtype_row_bytes(type, columns));
    std::vector<float> values(count);
    dtype_fill_random(type, blocks.data(), count, 0.3f, random_next(bench->state));
    dtype_to_float(type, blocks.data(), values.data(), count);
    for (float &value : values)
        if (scale != 0) value *= scale;
    matrix.values.assign(values.begin(), values.end());
    struct weight in_file = matrix.weight;
    in_file.data = blocks.data();
    if (bench->backend->weights(bench->device, &in_file, &matrix.weight.data) != STATUS_OK) exit(2);
    return matrix;
}

static double sum_of(const struct matrix &w, const double *x, int32_t row, double *size) {
    const int32_t columns = w.weight.columns;
    double sum = 0, squares = 0;
    for (int32_t c = 0; c < columns; c++) {
        const double product = w.values[(size_t)row * (size_t)columns + (size_t)c] * x[c];
        sum += product;
        squares += product * product;
    }
    *size = sqrt(squares);
    return sum;
}

static doubles download(const void *memory, size_t count, bool wide) {
    doubles values(count);
    std::vector<float> floats(count);
    std::vector<uint16_t> halves(count);
    if (wide)
        CUDA(cudaMemcpy(floats.data(), memory, count * 4, cudaMemcpyDefault));
    else
        CUDA(cudaMemcpy(halves.data(), memory, count * 2, cudaMemcpyDefault));
    for (size_t i = 0; i < count; i++)
        values[i] = wide ? (double)floats[i] : (double)half_to_float(halves[i]);
    return values;
}

// The device's stream does not wait for the one that uploads.
static void begin() { CUDA(cudaDeviceSynchronize()); }

static void finish(struct bench *bench) {
    if (bench->backend->sync(bench->device) == STATUS_OK) return;
    fprintf(stderr, "the device failed\n");
    exit(2);
}

// rmsnorm in double, then rounded to fp16 as activations are.
static doubles normed(const struct rows &x, const doubles &norm, int32_t tokens, double eps) {
    const size_t columns = norm.size();
    doubles y(x.count);
    for (size_t t = 0; t < (size_t)tokens; t++) {
        double squares = 0;
        for (size_t c = 0; c < columns; c++)
            squares += x.values[t * columns + c] * x.values[t * columns + c];
        const double scale = 1 / sqrt(squares / (double)columns + eps);
        for (size_t c = 0; c < columns; c++)
            y[t * columns + c] = (double)half_to_float(
                float_to_half((float)(x.values[t * columns + c] * scale * norm[c])));
    }
    return y;
}

struct expected {
    doubles values, sizes; // sizes: what errors are measured by
};

static expected product(const struct matrix &w, const doubles &x, int32_t tokens,
                        const doubles *bias) {
    const size_t rows = (size_t)w.weight.rows;
    expected out = {doubles((size_t)tokens * rows), doubles((size_t)tokens * rows)};
    for (size_t t = 0; t < (size_t)tokens; t++)
        for (size_t r = 0; r < rows; r++) {
            const size_t at = t * rows + r;
            out.values[at] =
                sum_of(w, &x[t * (size_t)w.weight.columns], (int32_t)r, &out.sizes[at]);
            if (bias) out.values[at] += (*bias)[r];
        }
    return out;
}

static double worst_of(const expected &want, const doubles &got) {
    double worst = 0;
    for (size_t i = 0; i < got.size(); i++) {
        const double error =
            fabs(got[i] - want.values[i]) / (fabs(want.values[i]) + want.sizes[i] + 1e-6);
        if (!(error < 1)) return 1; // NaN is not below 1
        worst = fmax(worst, error);
    }
    return worst;
}

// Some dozens of tokens and more are multiplied with weights rounded to fp16; the worst of some
// hundred thousand results is five times as far off as most.
static double allowed(const struct weight *w, int32_t tokens, double few) {
    const bool rounded = w->type != DTYPE_F16 && w->type != DTYPE_BF16;
    return rounded && tokens > 4 ? 2.5e-3 : few;
}

static void count_case(struct bench *bench, const char *op, const struct matrix &w, int32_t tokens,
                       bool guarded, double error, double allowed) {
    char what[160];
    snprintf(what, sizeof what, "%s %s [%d, %d], %d tokens%s", op, dtype_name(w.weight.type),
             w.weight.rows, w.weight.columns, tokens, guarded ? "" : ", written past its end");
    tally_count(bench->tally, guarded && error <= allowed, what, error);
}

// q, k and v: three parts of one normed input, the second without a bias, the third of its shape
// and of another type.
static void test_parts(struct bench *bench, enum dtype type, int32_t rows, int32_t columns,
                       int32_t tokens, bool norm) {
    const enum dtype other = columns % 256 == 0 && type != DTYPE_Q6_K ? DTYPE_Q6_K : type;
    const struct matrix w[3] = {make_matrix(bench, type, rows, columns),
                                make_matrix(bench, type, rows / 2 + 1, columns),
                                make_matrix(bench, other, rows / 2 + 1, columns)};
    const struct rows x = make_rows(bench, (size_t)tokens * (size_t)columns, norm);
    const doubles weights = random_floats(bench, (size_t)columns);
    struct linear args = {};
    args.in = {x.memory, norm ? upload(bench, weights) : nullptr, take(bench, x.count * 2), tokens,
               1e-5f};
    args.count = 3;
    doubles biases[3];
    for (int i = 0; i < 3; i++) {
        const size_t count = (size_t)tokens * (size_t)w[i].weight.rows;
        biases[i] = random_floats(bench, (size_t)w[i].weight.rows);
        args.parts[i] = {take(bench, count * 2), w[i].weight,
                         i == 1 ? nullptr : upload(bench, biases[i])};
    }
    begin();
    bench->backend->linear(bench->device, &args);
    finish(bench);
    const doubles read = norm ? normed(x, weights, tokens, 1e-5) : x.values;
    for (int i = 0; i < 3; i++) {
        const size_t count = (size_t)tokens * (size_t)w[i].weight.rows;
        const expected want = product(w[i], read, tokens, i == 1 ? nullptr : &biases[i]);
        count_case(bench, norm ? "a part of a normed linear" : "a part of a linear", w[i], tokens,
                   guard_holds(args.parts[i].y, count * 2),
                   worst_of(want, download(args.parts[i].y, count, false)),
                   allowed(&w[i].weight, tokens, 1e-3));
    }
    drop_all(bench);
}

static void test_add(struct bench *bench, enum dtype type, int32_t rows, int32_t columns,
                     int32_t tokens) {
    const struct matrix w = make_matrix(bench, type, rows, columns);
    const struct rows x = make_rows(bench, (size_t)tokens * (size_t)columns, false);
    const struct rows y = make_rows(bench, (size_t)tokens * (size_t)rows, true);
    struct linear args = {};
    args.in.x = x.memory;
    args.in.tokens = tokens;
    args.parts[0] = {y.memory, w.weight, nullptr};
    args.count = 1;
    args.store = LINEAR_ADD;
    begin();
    bench->backend->linear(bench->device, &args);
    finish(bench);
    expected want = product(w, x.values, tokens, nullptr);
    for (size_t i = 0; i < y.count; i++)
        want.values[i] += y.values[i];
    count_case(bench, "an adding linear", w, tokens, guard_holds(y.memory, y.count * 4),
               worst_of(want, download(y.memory, y.count, true)), allowed(&w.weight, tokens, 2e-5));
    drop_all(bench);
}

// Rows as the residual is, with a bias; of a norm, what is normed is kept.
static void test_wide(struct bench *bench, enum dtype type, int32_t rows, int32_t columns,
                      int32_t tokens, bool norm) {
    const struct matrix w = make_matrix(bench, type, rows, columns);
    const struct rows x = make_rows(bench, (size_t)tokens * (size_t)columns, norm);
    const doubles bias = random_floats(bench, (size_t)rows);
    const doubles weights = random_floats(bench, (size_t)columns);
    const size_t count = (size_t)tokens * (size_t)rows;
    const doubles read = norm ? normed(x, weights, tokens, 1e-5) : x.values;
    const char *op = norm ? "a normed linear in fp32" : "a linear in fp32";
    struct linear args = {};
    args.in = {
        x.memory, norm ? upload(bench, weights) : nullptr, take(bench, x.count * 2), tokens, 1e-5f,
        norm};
    args.parts[0] = {take(bench, count * 4), w.weight, upload(bench, bias)};
    args.count = 1;
    args.store = LINEAR_RESIDUAL;
    begin();
    bench->backend->linear(bench->device, &args);
    finish(bench);
    count_case(bench, op, w, tokens, guard_holds(args.parts[0].y, count * 4),
               worst_of(product(w, read, tokens, &bias), download(args.parts[0].y, count, true)),
               allowed(&w.weight, tokens, norm ? 1e-3 : 2e-5));
    if (norm) // near 0 the numbers of fp16 are a fixed step apart
        count_case(
            bench, "what is normed for", w, tokens, guard_holds(args.in.normed, x.count * 2),
            worst_of({read, doubles(read.size(), 1e-3)}, download(args.in.normed, x.count, false)),
            1e-3);
    drop_all(bench);
}

static void test_gated(struct bench *bench, enum dtype type, int32_t rows, int32_t columns,
                       int32_t tokens, enum act act) {
    const struct matrix gate = make_matrix(bench, type, rows, columns);
    const struct matrix up = make_matrix(bench, type, rows, columns);
    const struct rows x = make_rows(bench, (size_t)tokens * (size_t)columns, true);
    const doubles weights = random_floats(bench, (size_t)columns);
    const size_t count = (size_t)tokens * (size_t)rows;
    struct gated_linear args = {};
    args.in = {x.memory, upload(bench, weights), take(bench, x.count * 2), tokens, 1e-5f};
    args.y = take(bench, count * 2);
    args.up_rows = take(bench, count * 2);
    args.gate = gate.weight;
    args.up = up.weight;
    args.act = act;
    begin();
    bench->backend->gated_linear(bench->device, &args);
    finish(bench);
    const doubles read = normed(x, weights, tokens, 1e-5);
    expected want = product(gate, read, tokens, nullptr);
    const expected ups = product(up, read, tokens, nullptr);
    for (size_t i = 0; i < count; i++) {
        const double g = want.values[i];
        want.sizes[i] = want.sizes[i] * fabs(ups.values[i]) + fabs(g) * ups.sizes[i];
        const double slope = act == ACT_GELU ? 2 * 0.79788456080286536 * (1 + 0.044715 * g * g) : 1;
        want.values[i] = g / (1 + exp(-slope * g)) * ups.values[i];
    }
    count_case(bench, "a gated linear", gate, tokens, guard_holds(args.y, count * 2),
               worst_of(want, download(args.y, count, false)), 2e-3);
    drop_all(bench);
}

static void test_table(struct bench *bench, enum dtype type, int32_t rows, int32_t columns) {
    const struct matrix w = make_matrix(bench, type, rows, columns);
    std::vector<int32_t> ids(TABLE_IDS);
    for (int32_t &id : ids)
        id = (int32_t)(random_next(bench->state) % (uint64_t)rows);
    void *device_ids = take(bench, sizeof(int32_t) * TABLE_IDS);
    CUDA(cudaMemcpy(device_ids, ids.data(), sizeof(int32_t) * TABLE_IDS, cudaMemcpyHostToDevice));
    const size_t count = (size_t)TABLE_IDS * (size_t)columns;
    struct embedding args = {};
    args.y = take(bench, count * 4);
    args.token_ids = (const int32_t *)device_ids;
    args.table = w.weight;
    args.tokens = TABLE_IDS;
    args.scale = 4; // exact
    args.stride = 1;
    begin();
    bench->backend->embedding(bench->device, &args);
    finish(bench);
    const doubles got = download(args.y, count, true);
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const double want =
            4 * w.values[(size_t)ids[i / (size_t)columns] * (size_t)columns + i % (size_t)columns];
        wrong += fabs(got[i] - want) > (type == DTYPE_BF16 ? 0x1p-23 : 0); // rounded to fp16
    }
    count_case(bench, "an embedding, to the bit", w, TABLE_IDS, guard_holds(args.y, count * 4),
               (double)wrong, 0);
    drop_all(bench);
}

// Logits of some rows of a batch, in an order of their own.
static void test_logits(struct bench *bench, enum dtype type, int32_t rows, int32_t columns,
                        int32_t tokens, bool capped) {
    const struct matrix w = make_matrix(bench, type, rows, columns);
    const int32_t batch = tokens + 2;
    const struct rows x = make_rows(bench, (size_t)batch * (size_t)columns, false);
    std::vector<int32_t> picked((size_t)tokens);
    doubles read;
    for (int32_t i = 0; i < tokens; i++) {
        picked[(size_t)i] = batch - 1 - i;
        read.insert(read.end(), x.values.end() - (i + 1) * columns, x.values.end() - i * columns);
    }
    const size_t bytes = (size_t)tokens * (size_t)rows * 4;
    const std::vector<float> bias(capped ? (size_t)rows : 0, 0.75f);
    float *bias_card = (float *)take(bench, (size_t)rows * 4);
    CUDA(cudaMemcpy(bias_card, bias.data(), bias.size() * 4, cudaMemcpyHostToDevice));
    void *index = take(bench, picked.size() * 4), *y = take(bench, bytes);
    CUDA(cudaMemcpy(index, picked.data(), picked.size() * 4, cudaMemcpyHostToDevice));
    struct logits logits = {(float *)y, x.memory, (const int32_t *)index, w.weight, tokens};
    logits.scale = capped ? 0.5f : 1;
    logits.softcap = capped ? 3 : 0;
    logits.bias = capped ? bias_card : nullptr;
    begin();
    bench->backend->logits(bench->device, &logits);
    finish(bench);
    expected want = product(w, read, tokens, nullptr);
    for (double &value : want.values)
        if (capped) value = 3 * tanh(0.5 * (value + 0.75) / 3);
    count_case(bench, capped ? "capped logits" : "logits", w, tokens, guard_holds(y, bytes),
               worst_of(want, download(y, bytes / 4, true)), allowed(&w.weight, tokens, 2e-5));
    drop_all(bench);
}

// Blocks that share a tile end in any order: it must not be seen in the sums.
static void test_again(struct bench *bench, enum dtype type, int32_t rows, int32_t columns,
                       int32_t tokens) {
    enum { TIMES = 20 };
    const struct matrix w = make_matrix(bench, type, rows, columns);
    const struct rows x = make_rows(bench, (size_t)tokens * (size_t)columns, false);
    const size_t bytes = (size_t)tokens * (size_t)rows * 2;
    char *y = (char *)take(bench, TIMES * bytes);
    struct linear args = {};
    args.in.x = x.memory;
    args.in.tokens = tokens;
    args.count = 1;
    begin();
    for (int i = 0; i < TIMES; i++) {
        args.parts[0] = {y + i * bytes, w.weight, nullptr};
        bench->backend->linear(bench->device, &args);
    }
    finish(bench);
    std::vector<char> all(TIMES * bytes);
    CUDA(cudaMemcpy(all.data(), y, all.size(), cudaMemcpyDeviceToHost));
    int different = 0;
    for (size_t i = 1; i < TIMES; i++)
        different += memcmp(all.data(), all.data() + i * bytes, bytes) != 0;
    count_case(bench, "a linear again and again, to the bit,", w, tokens, true, different, 0);
    drop_all(bench);
}

// On a deterministic device a token has the same bits alone and in company.
static void test_alone(struct bench *bench, enum dtype type, int32_t rows, int32_t columns) {
    const struct matrix w = make_matrix(bench, type, rows, columns);
    const struct rows x = make_rows(bench, (size_t)ALONE_TOKENS * (size_t)columns, false);
    const size_t row_bytes = (size_t)rows * 2;
    char *all = (char *)take(bench, ALONE_TOKENS * row_bytes);
    char *one = (char *)take(bench, ALONE_TOKENS * row_bytes);
    struct linear args = {};
    args.in.x = x.memory;
    args.in.tokens = ALONE_TOKENS;
    args.parts[0] = {all, w.weight, nullptr};
    args.count = 1;
    begin();
    bench->backend->linear(bench->device, &args);
    for (size_t t = 0; t < ALONE_TOKENS; t++) {
        args.in.x = (const char *)x.memory + t * (size_t)columns * 2;
        args.in.tokens = 1;
        args.parts[0].y = one + t * row_bytes;
        begin();
        bench->backend->linear(bench->device, &args);
    }
    finish(bench);
    std::vector<char> a(ALONE_TOKENS * row_bytes), b(a.size());
    CUDA(cudaMemcpy(a.data(), all, a.size(), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(b.data(), one, b.size(), cudaMemcpyDeviceToHost));
    count_case(bench, "a token alone and among others, to the bit,", w, ALONE_TOKENS, true, a != b,
               0);
    drop_all(bench);
}

// Many matrices of one type in turn, in an order that changes, as what is unpacked ahead is guessed
// from the last time; the last is too large to be unpacked at once.
static void test_turns(struct bench *bench, enum dtype type, int32_t tokens) {
    enum { MATRICES = 6, ORDERS = 5, CHECKED = 4 };
    static const int turns[ORDERS][MATRICES] = {{0, 1, 2, 3, 4, 5},
                                                {0, 1, 2, 3, 4, 5},
                                                {0, 2, 1, 3, 5, 4},
                                                {4, 3, 5, 0, 0, 0},
                                                {0, 2, 1, 3, 5, 4}};
    static const int32_t shapes[MATRICES][2] = {{700, 1024}, {2048, 1024}, {90, 4096},
                                                {1000, 512}, {300, 2048},  {4800, 14336}};
    std::vector<struct matrix> w;
    std::vector<struct rows> x;
    std::vector<void *> y;
    for (const auto &shape : shapes) {
        w.push_back(make_matrix(bench, type, shape[0], shape[1]));
        x.push_back(make_rows(bench, (size_t)tokens * (size_t)shape[1], false));
        y.push_back(take(bench, (size_t)tokens * (size_t)shape[0] * 4));
    }
    for (const auto &turn : turns) {
        begin();
        for (int i : turn) {
            struct linear args = {};
            args.in.x = x[(size_t)i].memory;
            args.in.tokens = tokens;
            args.parts[0] = {y[(size_t)i], w[(size_t)i].weight, nullptr};
            args.count = 1;
            args.store = LINEAR_RESIDUAL;
            bench->backend->linear(bench->device, &args);
        }
        finish(bench);
        for (int i : turn) {
            const struct weight *weight = &w[(size_t)i].weight;
            const size_t rows = (size_t)weight->rows, columns = (size_t)weight->columns;
            const doubles got = download(y[(size_t)i], (size_t)tokens * rows, true);
            double worst = 0;
            for (size_t at = 0; at < got.size(); at += rows / CHECKED + 1) {
                double size;
                const double want = sum_of(w[(size_t)i], &x[(size_t)i].values[at / rows * columns],
                                           (int32_t)(at % rows), &size);
                const double error = fabs(got[at] - want) / (fabs(want) + size + 1e-6);
                worst = error < 1 ? fmax(worst, error) : 1; // NaN is not below 1
            }
            count_case(bench, "one of many in turn:", w[(size_t)i], tokens,
                       guard_holds(y[(size_t)i], got.size() * 4), worst, 2.5e-3);
        }
        for (size_t i = 0; i < MATRICES; i++)
            CUDA(cudaMemset(y[i], 0xff, (size_t)tokens * (size_t)shapes[i][0] * 4));
    }
    drop_all(bench);
}

// Refused where it is loaded: nothing would compute with it.
static void test_odd_rows(struct bench *bench) {
    const std::vector<float> values(3 * 20);
    const struct matrix odd = {{values.data(), DTYPE_F32, 3, 20, 0}, {}};
    const void *data;
    const bool refused =
        bench->backend->weights(bench->device, &odd.weight, &data) == STATUS_UNSUPPORTED;
    count_case(bench, "rows that are no multiple of 8,", odd, 0, true, !refused, 0);
}

// So is a weight that fp16 has no room for.
static void test_large(struct bench *bench) {
    std::vector<char> blocks((size_t)4 * dtype_row_bytes(DTYPE_MXFP4, 64));
    struct matrix large = {{blocks.data(), DTYPE_MXFP4, 4, 64, 0}, {}};
    const void *data;
    dtype_fill_random(DTYPE_MXFP4, blocks.data(), 4 * 64, 1, 1);
    blocks[7 * 17] = (char)129; // the last block's exponent
    const bool refused =
        bench->backend->weights(bench->device, &large.weight, &data) == STATUS_UNSUPPORTED;
    blocks[7 * 17] = (char)128;
    const bool taken = bench->backend->weights(bench->device, &large.weight, &data) == STATUS_OK;
    count_case(bench, "weights beyond 12,", large, 0, true, !(refused && taken), 0);
}

// Of NVFP4 the scale of a group times that of the matrix. A group whose scale reads as 0 is fine.
static void test_large_scales(struct bench *bench) {
    enum { LAST = 3 * 36 + 3 }; // the last block's last scale
    std::vector<char> blocks((size_t)4 * dtype_row_bytes(DTYPE_NVFP4, 64));
    struct matrix large = {{blocks.data(), DTYPE_NVFP4, 4, 64, -1.0f / 64}, {}};
    const void *data;
    int wrong = 0;
    dtype_fill_random(DTYPE_NVFP4, blocks.data(), 4 * 64, 1, 1);
    for (int scale : {0x71, 0x70, 0x7f}) { // 144, 128, none
        blocks[LAST] = (char)scale;
        const enum status status = bench->backend->weights(bench->device, &large.weight, &data);
        wrong += status != (scale == 0x71 ? STATUS_UNSUPPORTED : STATUS_OK);
    }
    count_case(bench, "scales beyond 2,", large, 0, true, wrong, 0);
}

static bool suits(enum dtype type, int32_t columns) {
    return columns % dtype_block_elements(type) == 0 && columns % 8 == 0;
}

static void test_type(struct bench *bench, enum dtype type) {
    struct tally *tally = bench->tally;
    static const int32_t shapes[][3] = {
        {1, 256, 1},     {16, 512, 1},   {37, 1024, 2},    {300, 4096, 1},  {130, 2048, 3},
        {65, 768, 8},    {48, 4096, 9},  {200, 2304, 16},  {70, 1280, 17},  {33, 14336, 8},
        {40, 14336, 1},  {21, 14336, 2}, {50, 3072, 70},   {18, 96, 4},     {24, 32, 1},
        {2500, 256, 5},  {17, 8, 3},     {40, 512, 14},    {90, 5120, 130}, {900, 1024, 6},
        {400, 2048, 33}, {270, 768, 64}, {100, 14336, 24}, {5000, 256, 32}, {72, 2880, 1},
        {35, 2880, 7},   {50, 2880, 12}, {20, 1536, 512},  {1500, 512, 4},  {64, 1792, 7},
        {13, 14336, 4},  {20, 8192, 7},  {4100, 6144, 8},
    };
    for (const auto &shape : shapes) {
        const int32_t rows = shape[0], columns = shape[1], tokens = shape[2];
        if (!suits(type, columns) || (tally->quick && (size_t)rows * columns > 200000)) continue;
        if (tally->cases++ % tally->every) continue;
        test_parts(bench, type, rows, columns, tokens, false);
        test_parts(bench, type, rows, columns, tokens, true);
        test_add(bench, type, rows, columns, tokens);
        test_wide(bench, type, rows, columns, tokens, false);
        test_wide(bench, type, rows, columns, tokens, true);
        test_gated(bench, type, (rows + 7) / 8 * 8, columns, tokens, ACT_SILU);
        test_gated(bench, type, (rows + 7) / 8 * 8, columns, tokens, ACT_GELU);
        test_table(bench, type, rows, columns);
        test_logits(bench, type, rows, columns, tokens, false);
        test_logits(bench, type, rows, columns, tokens, true);
        if (tokens > 4) test_again(bench, type, rows, columns, tokens);
    }
}

void test_linear(struct device *, struct tally *tally) {
    uint64_t state = tally->seed;
    for (int deterministic = 0; deterministic < 2; deterministic++) {
        struct error err;
        struct bench bench = {backend_cuda(), nullptr, tally, &state, {}};
        const struct device_options options = {0, deterministic == 1};
        const struct workspace workspace = {256, 16384, 16, 4096, 32, 128};
        if (bench.backend->open(&options, &bench.device, &err) != STATUS_OK ||
            bench.backend->reserve(bench.device, &workspace) != STATUS_OK) {
            fprintf(stderr, "the device could not be opened\n");
            exit(2);
        }
        test_odd_rows(&bench);
        if (!deterministic)
            for (enum dtype type : {DTYPE_Q8_0, DTYPE_Q4_K})
                test_turns(&bench, type, 100);
        test_large(&bench);
        test_large_scales(&bench);
        for (int type = 0; type < DTYPE_COUNT; type++) {
            if (!tally_takes(tally, (enum dtype)type)) continue;
            test_type(&bench, (enum dtype)type);
            if (deterministic) test_alone(&bench, (enum dtype)type, 77, 2048);
            if (deterministic && !tally->quick) test_alone(&bench, (enum dtype)type, 40, 14336);
        }
        bench.backend->close(bench.device);
    }
}
