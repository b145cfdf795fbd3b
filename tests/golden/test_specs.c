// tests/golden/test_specs.c — what a layer spec can say that no family says yet.
//
// The weights are those of the small Qwen 3 in this folder, opened as specs of our own, and the
// logits come from plain loops in double below, written from the formulas. The spec that the file
// states is among them, whose logits another implementation computed (test_golden.c), so that the
// loops are known to be right.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/config_read.h"
#include "kernels/cost.h"
#include "tests/engine/model/model_file.h"

enum { TOKENS = 40, DIM_MOST = 512 };

struct shape { // what a case makes of the file
    const char *name;
    bool gated;     // a gate for attention's result, whose matrix is a tensor of its own
    int32_t visits; // how often all blocks are passed
};

static const struct shape shapes[] = {
    {.name = "as the file states it", .visits = 1},
    {.name = "a gate with a tensor of its own", .visits = 1, .gated = true},
    {.name = "each layer visited three times", .visits = 3},
    {.name = "both", .visits = 2, .gated = true},
};

static struct gguf *file; // Qwen 3, and a gate in each block
static struct model_file bytes;

static void ids_of_a_text(int32_t *ids) {
    for (int32_t i = 0; i < TOKENS; i++)
        ids[i] = (7 * i * i + 3 * i + 11) % 265;
}

static void add_gate(struct gguf_writer *writer, int block, int64_t columns, int64_t rows) {
    float *values = malloc((size_t)(columns * rows) * sizeof *values);
    uint32_t seed = 17u + (uint32_t)block;
    char name[48];
    assert_non_null(values);
    for (int64_t i = 0; i < columns * rows; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = ((float)(seed >> 8) / (float)(1 << 24) - 0.5f) * 0.8f;
    }
    snprintf(name, sizeof name, "blk.%d.attn_gate.weight", block);
    gguf_writer_tensor(writer, name, FILE_F32, 2, (const int64_t[]){columns, rows, 1, 1}, values,
                       (size_t)(columns * rows) * sizeof *values);
    free(values);
}

static struct model_file write_file(bool gated) {
    struct model_file whole = model_file_load("qwen3"), made;
    struct gguf_writer writer;
    struct gguf *gguf;
    struct error err;
    assert_int_equal(gguf_open_memory(whole.bytes, whole.length, "whole", &gguf, &err), STATUS_OK);
    const struct gguf_tensor *q = gguf_find_tensor(gguf, "blk.0.attn_q.weight");
    assert_non_null(q);
    gguf_writer_init(&writer);
    model_file_copy_keys(&writer, gguf, &whole);
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++)
        model_file_copy_tensor(&writer, gguf_tensor_at(gguf, i));
    for (int block = 0; block < 2 && gated; block++)
        add_gate(&writer, block, q->shape[0], q->shape[1]);
    made.bytes = gguf_writer_finish(&writer, &made.length);
    gguf_writer_deinit(&writer);
    gguf_close(gguf);
    free(whole.bytes);
    return made;
}

// A tensor's elements as double, owned by the caller.
static double *elements_of(const char *name, size_t count) {
    const struct gguf_tensor *tensor = gguf_find_tensor(file, name);
    float *floats = malloc(count * sizeof *floats);
    double *values = malloc(count * sizeof *values);
    assert_true(tensor && floats && values);
    dtype_to_float(tensor->type, tensor->data, floats, count);
    for (size_t i = 0; i < count; i++)
        values[i] = (double)floats[i];
    free(floats);
    return values;
}

static double *of_block(int32_t block, const char *part, int32_t rows, int32_t columns) {
    char name[64];
    snprintf(name, sizeof name, "blk.%d.%s.weight", (int)block, part);
    return elements_of(name, (size_t)rows * (size_t)columns);
}

// y = W x for each token; frees W.
static void multiply(double *y, double *w, const double *x, int32_t rows, int32_t columns) {
    for (int32_t t = 0; t < TOKENS; t++)
        for (int32_t r = 0; r < rows; r++) {
            double sum = 0;
            for (int32_t c = 0; c < columns; c++)
                sum += w[r * columns + c] * x[t * columns + c];
            y[t * rows + r] = sum;
        }
    free(w);
}

// y = x / rms(x) * w for each of `count` rows; frees w.
static void norm(double *y, const double *x, double *w, int32_t count, int32_t dim, double eps) {
    for (int32_t i = 0; i < count; i++) {
        double squares = 0;
        for (int32_t c = 0; c < dim; c++)
            squares += x[i * dim + c] * x[i * dim + c];
        const double scale = 1 / sqrt(squares / dim + eps);
        for (int32_t c = 0; c < dim; c++)
            y[i * dim + c] = x[i * dim + c] * scale * w[c];
    }
    free(w);
}

// Pairs are half a head apart.
static void rotate(double *x, int32_t heads, int32_t size, double base) {
    for (int32_t t = 0; t < TOKENS; t++)
        for (int32_t h = 0; h < heads; h++)
            for (int32_t p = 0; p < size / 2; p++) {
                double *a = x + (t * heads + h) * size + p, *b = a + size / 2;
                const double angle = t * pow(base, -2.0 * p / size), first = *a, second = *b;
                *a = first * cos(angle) - second * sin(angle);
                *b = second * cos(angle) + first * sin(angle);
            }
}

struct heads {
    int32_t q, kv, size;
};

static void attend(double *out, const double *q, const double *k, const double *v,
                   const struct heads *heads) {
    const int32_t size = heads->size;
    for (int32_t t = 0; t < TOKENS; t++)
        for (int32_t h = 0; h < heads->q; h++) {
            const int32_t kv = h / (heads->q / heads->kv);
            double scores[TOKENS], most = -(double)INFINITY, sum = 0,
                                   *to = out + (t * heads->q + h) * size;
            for (int32_t s = 0; s <= t; s++) {
                scores[s] = 0;
                for (int32_t i = 0; i < size; i++)
                    scores[s] += q[(t * heads->q + h) * size + i] *
                                 k[(s * heads->kv + kv) * size + i] / sqrt(size);
                most = fmax(most, scores[s]);
            }
            memset(to, 0, (size_t)size * sizeof *to);
            for (int32_t s = 0; s <= t; s++)
                sum += scores[s] = exp(scores[s] - most);
            for (int32_t s = 0; s <= t; s++)
                for (int32_t i = 0; i < size; i++)
                    to[i] += scores[s] / sum * v[(s * heads->kv + kv) * size + i];
        }
}

static void pass_block(double *x, const struct model_config *config, int32_t block, bool gated) {
    static double normed[TOKENS * DIM_MOST], q[TOKENS * DIM_MOST], k[TOKENS * DIM_MOST];
    static double v[TOKENS * DIM_MOST], out[TOKENS * DIM_MOST], gate[TOKENS * DIM_MOST];
    const struct attention_spec *spec = &config->specs[0].attention;
    const struct heads heads = {spec->heads, spec->kv_heads, spec->head_size};
    const int32_t dim = config->dim, ffn = config->specs[0].ffn.width, size = heads.size;
    const int32_t q_rows = heads.q * size, kv_rows = heads.kv * size;
    const double eps = (double)config->norm_eps;
    assert_true(q_rows <= DIM_MOST && dim <= DIM_MOST && ffn <= DIM_MOST);
    norm(normed, x, of_block(block, "attn_norm", 1, dim), TOKENS, dim, eps);
    multiply(q, of_block(block, "attn_q", q_rows, dim), normed, q_rows, dim);
    multiply(k, of_block(block, "attn_k", kv_rows, dim), normed, kv_rows, dim);
    multiply(v, of_block(block, "attn_v", kv_rows, dim), normed, kv_rows, dim);
    norm(q, q, of_block(block, "attn_q_norm", 1, size), TOKENS * heads.q, size, eps);
    norm(k, k, of_block(block, "attn_k_norm", 1, size), TOKENS * heads.kv, size, eps);
    rotate(q, heads.q, size, (double)spec->rope.base);
    rotate(k, heads.kv, size, (double)spec->rope.base);
    attend(out, q, k, v, &heads);
    if (gated) multiply(gate, of_block(block, "attn_gate", q_rows, dim), normed, q_rows, dim);
    for (int32_t i = 0; i < TOKENS * q_rows && gated; i++)
        out[i] /= 1 + exp(-gate[i]);
    multiply(normed, of_block(block, "attn_output", dim, q_rows), out, dim, q_rows);
    for (int32_t i = 0; i < TOKENS * dim; i++)
        x[i] += normed[i];
    norm(normed, x, of_block(block, "ffn_norm", 1, dim), TOKENS, dim, eps);
    multiply(gate, of_block(block, "ffn_gate", ffn, dim), normed, ffn, dim);
    multiply(out, of_block(block, "ffn_up", ffn, dim), normed, ffn, dim);
    for (int32_t i = 0; i < TOKENS * ffn; i++)
        out[i] *= gate[i] / (1 + exp(-gate[i]));
    multiply(normed, of_block(block, "ffn_down", dim, ffn), out, dim, ffn);
    for (int32_t i = 0; i < TOKENS * dim; i++)
        x[i] += normed[i];
}

// [TOKENS, vocabulary], owned by the caller.
static float *expected_logits(const struct model_config *config, const struct shape *shape,
                              int32_t vocabulary) {
    static double x[TOKENS * DIM_MOST], normed[TOKENS * DIM_MOST];
    const size_t count = (size_t)TOKENS * (size_t)vocabulary;
    const int32_t dim = config->dim;
    const bool tied = !gguf_find_tensor(file, "output.weight");
    double *embedding = elements_of("token_embd.weight", (size_t)vocabulary * (size_t)dim);
    double *logits = malloc(count * sizeof *logits);
    float *rounded = malloc(count * sizeof *rounded);
    int32_t ids[TOKENS];
    assert_true(logits && rounded);
    ids_of_a_text(ids);
    for (int32_t i = 0; i < TOKENS * dim; i++)
        x[i] = embedding[ids[i / dim] * dim + i % dim];
    for (int32_t visit = 0; visit < shape->visits; visit++)
        for (int32_t block = 0; block < config->layers; block++)
            pass_block(x, config, block, shape->gated);
    norm(normed, x, elements_of("output_norm.weight", (size_t)dim), TOKENS, dim,
         (double)config->norm_eps);
    multiply(
        logits,
        elements_of(tied ? "token_embd.weight" : "output.weight", (size_t)vocabulary * (size_t)dim),
        normed, vocabulary, dim);
    for (size_t i = 0; i < count; i++)
        rounded[i] = (float)logits[i];
    free(embedding);
    free(logits);
    return rounded;
}

// The file's layers, again and again, each visit with a place in the cache of its own.
static struct model_config config_of(const struct model_config *stated, const struct shape *shape) {
    struct model_config config = *stated;
    config.layers = shape->visits * stated->layers;
    for (int32_t i = 0; i < config.layers; i++) {
        struct layer_spec *spec = &config.specs[i];
        *spec = stated->specs[i % stated->layers];
        spec->revisits = i / stated->layers * stated->layers;
        spec->attention.kv_source = i;
        if (shape->gated) spec->attention.gate = GATE_MATRIX;
    }
    return config;
}

static double error_of(const struct harness_options *options, const float *expected, bool singly) {
    struct harness harness;
    struct block_table table;
    int32_t ids[TOKENS];
    ids_of_a_text(ids);
    harness_open(&harness, options);
    const size_t width = (size_t)harness.model.config.vocabulary;
    float *found = malloc(TOKENS * width * sizeof *found);
    assert_non_null(found);
    assert_int_equal(block_table_init(&table, 128, harness.caches[0].block_size), STATUS_OK);
    for (int32_t done = 0, some = singly ? 1 : TOKENS; done < TOKENS; done += some)
        memcpy(found + (size_t)done * width,
               harness_run(&harness, &table, ids + done, done, some, some),
               (size_t)some * width * sizeof *found);
    const double error = harness_relative_error(found, expected, TOKENS * width);
    block_table_deinit(&table, harness.pool);
    harness_close(&harness);
    free(found);
    return error;
}

static bool has_cuda(void) {
    const struct device_options options = {0};
    struct device *device;
    const bool has = backend_cuda() && backend_cuda()->open(&options, &device, NULL) == STATUS_OK;
    if (has) backend_cuda()->close(device);
    return has;
}

static void a_spec_matches_its_formulas(void **state) {
    (void)state;
    const struct {
        const struct backend *backend;
        enum dtype kv_type;
        double bound;
    } ways[] = {{backend_reference(), DTYPE_F32, 1e-5},
                {backend_cpu(), DTYPE_F32, 1e-5},
                {backend_cpu(), DTYPE_F16, 4e-3},
                {has_cuda() ? backend_cuda() : NULL, DTYPE_F16, 6e-3}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct model_config stated, config;
        struct error err = {0};
        bytes = write_file(shapes[s].gated);
        assert_int_equal(gguf_open_memory(bytes.bytes, bytes.length, "specs", &file, &err),
                         STATUS_OK);
        assert_int_equal(model_config_read(file, &stated, &err), STATUS_OK);
        config = config_of(&stated, &shapes[s]);
        const int32_t vocabulary = (int32_t)gguf_find_tensor(file, "token_embd.weight")->shape[1];
        float *expected = expected_logits(&stated, &shapes[s], vocabulary);
        for (size_t w = 0; w < sizeof ways / sizeof ways[0] && ways[w].backend; w++)
            for (int singly = 0; singly < 2; singly++) {
                const struct harness_options options = {.gguf = file,
                                                        .config = &config,
                                                        .backend = ways[w].backend,
                                                        .kv_type = ways[w].kv_type,
                                                        .deterministic = true};
                const double error = error_of(&options, expected, singly == 1);
                printf("%s, %s, kv %s, %s: %.1e\n", shapes[s].name, ways[w].backend->name,
                       dtype_name(ways[w].kv_type), singly ? "singly" : "at once", error);
                assert_true(error <= ways[w].bound);
            }
        free(expected);
        gguf_close(file);
        free(bytes.bytes);
    }
}

// Weights are there once, and a step reads them at each visit.
static void a_revisited_layer_stores_its_weights_once(void **state) {
    (void)state;
    struct model_config stated, config;
    struct error err = {0};
    struct model once, thrice;
    struct device *device;
    bytes = write_file(false);
    assert_int_equal(gguf_open_memory(bytes.bytes, bytes.length, "specs", &file, &err), STATUS_OK);
    assert_int_equal(model_config_read(file, &stated, &err), STATUS_OK);
    config = config_of(&stated, &shapes[2]);
    assert_int_equal(backend_cpu()->open(&(struct device_options){.threads = 1}, &device, &err),
                     STATUS_OK);
    struct model_options options = {.backend = backend_cpu(), .device = device};
    assert_int_equal(model_open(&once, file, &options, &err), STATUS_OK);
    options.config = &config;
    assert_int_equal(model_open(&thrice, file, &options, &err), STATUS_OK);
    assert_int_equal(thrice.weight_bytes, once.weight_bytes);
    assert_int_equal(thrice.parameters, once.parameters);
    assert_ptr_equal(thrice.layers[5].q.data, thrice.layers[1].q.data);
    const size_t output = weight_bytes(&once.output) + (size_t)stated.dim * sizeof(float);
    assert_int_equal(model_step_bytes(&thrice, 1) - output,
                     3 * (model_step_bytes(&once, 1) - output));
    model_close(&thrice);
    model_close(&once);
    backend_cpu()->close(device);
    gguf_close(file);
    free(bytes.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spec_matches_its_formulas),
        cmocka_unit_test(a_revisited_layer_stores_its_weights_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
