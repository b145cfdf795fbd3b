// tests/engine/test_adapter.c — a model with a LoRA adapter gives the answers of the model in which
// the two are merged, in whatever form either was published; and what is no adapter of it is
// refused.
//
// Adapters are random, of rank 8, for every matrix that they can change. The merged model is a copy
// of the file with fp32 matrices, computed by the reference. In the tests of the plan the reference
// is the card, too, and what is allocated on it is counted.
#include "engine/core/engine_state.h"
#include "engine/engine.h"
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/harness/harness.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/model/config_read.h"
#include "tests/engine/model/gguf_writer.h"
#include "tests/harness/memory_disk.h"

enum { LENGTH = 45, PAIRS_MAX = 64, LAYERS = 3, PATH_BYTES = 300 };

struct pair { // rows and columns of the matrix
    char name[64];
    int32_t rows, columns, rank;
    float *a, *b; // [rank, columns], [rows, rank]
};

struct pairs {
    struct pair of[PAIRS_MAX];
    int count;
};

static char folder[] = "/tmp/quire-adapter-XXXXXX";
static uint32_t seed = 77;

static float dice(void) { // -1 … 1
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / (float)(1 << 23) - 1;
}

static char *path_of(const char *name, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t length) {
    char path[PATH_BYTES];
    FILE *file = fopen(path_of(name, path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_gguf(const char *name, struct gguf_writer *writer) {
    size_t length;
    unsigned char *bytes = gguf_writer_finish(writer, &length);
    write_file(name, bytes, length);
    free(bytes);
    gguf_writer_deinit(writer);
}

static float *random_floats(size_t count, float most) {
    float *floats = malloc(count * sizeof *floats);
    assert_non_null(floats);
    for (size_t i = 0; i < count; i++)
        floats[i] = most * dice();
    return floats;
}

static void pairs_free(struct pairs *pairs) {
    for (int i = 0; i < pairs->count; i++) {
        free(pairs->of[i].a);
        free(pairs->of[i].b);
    }
    pairs->count = 0;
}

// A pair for each matrix of the file that an adapter can change.
static void pairs_make(const struct gguf *gguf, int32_t rank, struct pairs *pairs) {
    static const char *const parts[] = {
        "attn_q", "attn_k",   "attn_v",         "attn_output",  "attn_qkv",      "ffn_gate",
        "ffn_up", "ffn_down", "ffn_gate_shexp", "ffn_up_shexp", "ffn_down_shexp"};
    pairs->count = 0;
    for (int layer = 0; layer < LAYERS; layer++)
        for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
            struct pair *pair = &pairs->of[pairs->count];
            snprintf(pair->name, sizeof pair->name, "blk.%d.%s.weight", layer, parts[p]);
            const struct gguf_tensor *tensor = gguf_find_tensor(gguf, pair->name);
            if (!tensor) continue;
            pair->columns = (int32_t)tensor->shape[0];
            pair->rows = (int32_t)tensor->shape[1];
            pair->rank = rank;
            pair->a = random_floats((size_t)rank * (size_t)pair->columns, 0.3f);
            pair->b = random_floats((size_t)rank * (size_t)pair->rows, 0.1f);
            pairs->count++;
        }
    assert_in_range(pairs->count, 4, PAIRS_MAX);
}

// value += factor * (b a)[i], of a matrix that the adapter has a pair for
static void merge(const struct pairs *pairs, const char *name, double factor, float *values) {
    for (int p = 0; p < pairs->count; p++) {
        const struct pair *pair = &pairs->of[p];
        if (strcmp(pair->name, name) != 0) continue;
        for (int32_t row = 0; row < pair->rows; row++)
            for (int32_t column = 0; column < pair->columns; column++) {
                double sum = 0;
                for (int32_t r = 0; r < pair->rank; r++)
                    sum += (double)pair->b[row * pair->rank + r] *
                           (double)pair->a[r * pair->columns + column];
                values[row * pair->columns + column] += (float)(factor * sum);
            }
    }
}

// "merged.gguf": the file's keys as they are, and its tensors in fp32 with what adapters add.
static void write_merged(const char *path, const struct pairs *const pairs[],
                         const double factors[], int count) {
    struct gguf *gguf;
    struct gguf_writer writer;
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    const size_t size = (size_t)info.st_size;
    unsigned char *bytes = malloc(size);
    FILE *file = fopen(path, "rb");
    assert_true(bytes && file && fread(bytes, 1, size, file) == size);
    fclose(file);
    assert_int_equal(gguf_open_memory(bytes, size, "base", &gguf, NULL), STATUS_OK);
    gguf_writer_init(&writer);
    const char *end = gguf_tensor_at(gguf, 0)->name.bytes - 8, *begin = (char *)bytes + 24;
    writer.keys = gguf_key_count(gguf);
    assert_int_equal(text_append(&writer.key_bytes, begin, (size_t)(end - begin)), STATUS_OK);
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(gguf, i);
        char name[128];
        size_t elements = 1;
        for (int d = 0; d < tensor->dims; d++)
            elements *= (size_t)tensor->shape[d];
        float *values = malloc(elements * sizeof *values);
        assert_non_null(values);
        dtype_to_float(tensor->type, tensor->data, values, elements);
        snprintf(name, sizeof name, "%.*s", (int)tensor->name.length, tensor->name.bytes);
        for (int p = 0; p < count; p++)
            merge(pairs[p], name, factors[p], values);
        gguf_writer_tensor(&writer, name, FILE_F32, (uint32_t)tensor->dims, tensor->shape, values,
                           elements * sizeof *values);
        free(values);
    }
    gguf_close(gguf);
    free(bytes);
    write_gguf("merged.gguf", &writer);
}

static void begin_adapter(struct gguf_writer *writer, const char *family, double alpha) {
    gguf_writer_init(writer);
    gguf_writer_string(writer, "general.type", "adapter");
    gguf_writer_string(writer, "general.architecture", family);
    gguf_writer_string(writer, "adapter.type", "lora");
    gguf_writer_float(writer, "adapter.lora.alpha", GGUF_F32, alpha);
}

static void put_half(struct gguf_writer *writer, const char *name, int64_t columns, int64_t rows,
                     const float *values) {
    const int64_t shape[2] = {columns, rows};
    gguf_writer_tensor(writer, name, FILE_F32, 2, shape, values,
                       (size_t)(rows * columns) * sizeof *values);
}

static void write_adapter(const char *name, const char *family, double alpha,
                          const struct pairs *pairs) {
    struct gguf_writer writer;
    begin_adapter(&writer, family, alpha);
    for (int i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->of[i];
        char side[80];
        snprintf(side, sizeof side, "%s.lora_b", pair->name);
        put_half(&writer, side, pair->rank, pair->rows, pair->b);
        snprintf(side, sizeof side, "%s.lora_a", pair->name);
        put_half(&writer, side, pair->columns, pair->rank, pair->a);
    }
    write_gguf(name, &writer);
}

static void random_ids(int32_t *ids) {
    for (int i = 0; i < LENGTH; i++)
        ids[i] = (int32_t)((dice() + 1) * 31);
}

struct way { // of computing
    const struct backend *backend;
    bool singly;
    const struct adapter_source *adapters;
    int32_t count;
};

// All rows of logits, from malloc; *width of each.
static float *logits_of(const char *path, const struct way *way, const int32_t *ids,
                        size_t *width) {
    struct harness harness;
    struct block_table table;
    const bool card = way->backend != backend_reference() && way->backend != backend_cpu();
    harness_open(&harness, &(struct harness_options){.path = path,
                                                     .backend = way->backend,
                                                     .deterministic = !card,
                                                     .kv_type = card ? DTYPE_F16 : DTYPE_F32,
                                                     .adapters = way->adapters,
                                                     .adapter_count = way->count});
    *width = (size_t)harness.model.config.vocabulary;
    float *logits = malloc(LENGTH * *width * sizeof *logits);
    assert_non_null(logits);
    assert_int_equal(block_table_init(&table, 512, harness.caches[0].block_size), STATUS_OK);
    const int32_t step = way->singly ? 1 : LENGTH;
    for (int32_t i = 0; i < LENGTH; i += step)
        memcpy(logits + (size_t)i * *width, harness_run(&harness, &table, ids + i, i, step, step),
               (size_t)step * *width * sizeof *logits);
    block_table_deinit(&table, harness.pool);
    harness_close(&harness);
    return logits;
}

static double error_of(const char *path, const struct way *way, const int32_t *ids,
                       const float *expected) {
    size_t width;
    float *found = logits_of(path, way, ids, &width);
    const double error = harness_relative_error(found, expected, LENGTH * width);
    free(found);
    return error;
}

static float *merged_logits(const int32_t *ids) {
    char path[PATH_BYTES];
    size_t width;
    return logits_of(path_of("merged.gguf", path), &(struct way){.backend = backend_reference()},
                     ids, &width);
}

static const struct backend *card(void) { // or NULL
    struct device *device;
    if (!backend_cuda() ||
        backend_cuda()->open(&(struct device_options){0}, &device, NULL) != STATUS_OK)
        return NULL;
    backend_cuda()->close(device);
    return backend_cuda();
}

// Fused and separate matrices, biases, norms before, after and of values, experts beside and alone.
static const struct {
    const char *name, *family;
    double rounded; // bound of a card's error
} models[] = {
    {"llama", "llama", 4e-3},
    {"llama-found", "llama", 4e-3},
    {"qwen2", "qwen2", 4e-3},
    {"qwen3", "qwen3", 4e-3},
    {"phi3", "phi3", 4e-3},
    {"gemma3", "gemma3", 4e-3},
    {"gemma4", "gemma4", 1e-2},
    {"gemma4-moe", "gemma4", 1e-2},
    {"olmo2", "olmo2", 4e-3},
    {"granite", "granite", 4e-3},
    {"gpt-oss", "gpt-oss", 8e-3},
    {"arcee", "arcee", 4e-3},
    {"granitemoe-shared", "granitemoe", 4e-3},
    {"falcon-h1", "falcon-h1", 4e-3},
};

static void a_separate_adapter_matches_a_merged_one(void **state) {
    (void)state;
    const struct backend *backends[] = {backend_reference(), backend_cpu(), card()};
    char base[PATH_BYTES], path[PATH_BYTES];
    const struct adapter_source source = {path_of("lora.gguf", path), 0.75f};
    int worse = 0;
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        struct pairs pairs;
        struct gguf *gguf;
        int32_t ids[LENGTH];
        snprintf(base, sizeof base, "%s/golden/%s.gguf", TESTS_DIR, models[m].name);
        assert_int_equal(gguf_open(base, &gguf, NULL), STATUS_OK);
        pairs_make(gguf, 8, &pairs);
        gguf_close(gguf);
        write_adapter("lora.gguf", models[m].family, 16, &pairs);
        write_merged(base, (const struct pairs *[]){&pairs}, (const double[]){0.75 * 16 / 8}, 1);
        random_ids(ids);
        float *expected = merged_logits(ids);
        const struct way without = {.backend = backend_reference()};
        assert_true(error_of(base, &without, ids, expected) > 0.05);
        for (int b = 0; b < 3 && backends[b]; b++)
            for (int singly = 0; singly < 2; singly++) {
                const struct way way = {backends[b], singly == 1, &source, 1};
                const double error = error_of(base, &way, ids, expected);
                printf("%-11s %-9s %s: relative error %.2e\n", models[m].name, backends[b]->name,
                       singly ? "singly " : "at once", error);
                worse += !(error <= (b == 2 ? models[m].rounded : 1e-5));
            }
        free(expected);
        pairs_free(&pairs);
    }
    assert_int_equal(worse, 0);
}

// Ranks that are no multiple of anything, of two adapters that change the same matrices.
static void two_adapters_add_up(void **state) {
    (void)state;
    struct pairs pairs[2];
    struct gguf *gguf;
    int32_t ids[LENGTH];
    char path[2][PATH_BYTES];
    const char *base = TESTS_DIR "/golden/phi3.gguf";
    assert_int_equal(gguf_open(base, &gguf, NULL), STATUS_OK);
    pairs_make(gguf, 3, &pairs[0]);
    pairs_make(gguf, 7, &pairs[1]);
    gguf_close(gguf);
    write_adapter("one.gguf", "phi3", 6, &pairs[0]);
    write_adapter("two.gguf", "phi3", 0, &pairs[1]); // without an alpha the rank does not count
    write_merged(base, (const struct pairs *[]){&pairs[0], &pairs[1]},
                 (const double[]){2 * 6.0 / 3, -1}, 2);
    random_ids(ids);
    float *expected = merged_logits(ids);
    const struct adapter_source sources[] = {{path_of("one.gguf", path[0]), 2},
                                             {path_of("two.gguf", path[1]), -1}};
    assert_true(error_of(base, &(struct way){backend_cpu(), false, sources, 2}, ids, expected) <=
                1e-5);
    assert_true(error_of(base, &(struct way){backend_cpu(), false, sources, 1}, ids, expected) >
                1e-2);
    free(expected);
    pairs_free(&pairs[0]);
    pairs_free(&pairs[1]);
}

// ---- Folders

// The row of a folder's matrix: pairs of a rotated head are half a head apart there.
static int32_t folder_row(const char *name, int32_t head_size, int32_t row) {
    const int32_t at = row % head_size;
    if (!strstr(name, "attn_q") && !strstr(name, "attn_k")) return row;
    return row - at + at % 2 * head_size / 2 + at / 2;
}

static void write_tensors(const char *name, const struct pairs *pairs, int32_t head_size) {
    static const char *const modules[][2] = {
        {"attn_q", "self_attn.q_proj"}, {"attn_k", "self_attn.k_proj"},
        {"attn_v", "self_attn.v_proj"}, {"attn_output", "self_attn.o_proj"},
        {"ffn_gate", "mlp.gate_proj"},  {"ffn_up", "mlp.up_proj"},
        {"ffn_down", "mlp.down_proj"}};
    struct text header = {0}, data = {0};
    assert_int_equal(text_append_string(&header, "{"), STATUS_OK);
    for (int i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->of[i];
        char part[32];
        int layer;
        assert_int_equal(sscanf(pair->name, "blk.%d.%31[a-z_]", &layer, part), 2);
        const char *theirs = NULL;
        for (size_t m = 0; m < sizeof modules / sizeof modules[0]; m++)
            if (!strcmp(part, modules[m][0])) theirs = modules[m][1];
        assert_non_null(theirs);
        for (int side = 0; side < 2; side++) {
            const int32_t rows = side ? pair->rows : pair->rank;
            const int32_t columns = side ? pair->rank : pair->columns;
            const size_t row_bytes = (size_t)columns * sizeof(float), begin = data.length;
            float *values = malloc((size_t)rows * row_bytes);
            assert_non_null(values);
            for (int32_t row = 0; row < rows; row++)
                memcpy(values + (side ? folder_row(part, head_size, row) : row) * columns,
                       (side ? pair->b : pair->a) + row * columns, row_bytes);
            assert_int_equal(text_append(&data, (char *)values, (size_t)rows * row_bytes),
                             STATUS_OK);
            free(values);
            assert_int_equal(
                text_format(&header,
                            "%s\"base_model.model.model.layers.%d.%s.lora_%c.weight\":{\"dtype\":"
                            "\"F32\",\"shape\":[%d,%d],\"data_offsets\":[%zu,%zu]}",
                            i + side ? "," : "", layer, theirs, side ? 'B' : 'A', rows, columns,
                            begin, data.length),
                STATUS_OK);
        }
    }
    assert_int_equal(text_append_string(&header, "}"), STATUS_OK);
    struct text file = {0};
    const uint64_t length = header.length;
    assert_int_equal(text_append(&file, (const char *)&length, sizeof length), STATUS_OK);
    assert_int_equal(text_append(&file, header.bytes, header.length), STATUS_OK);
    assert_int_equal(text_append(&file, data.bytes, data.length), STATUS_OK);
    write_file(name, file.bytes, file.length);
    text_deinit(&file);
    text_deinit(&header);
    text_deinit(&data);
}

static void write_config(const char *json) {
    write_file("peft/adapter_config.json", json, strlen(json));
}

// Before weights are placed and read, whatever the card holds.
static void assert_predicts(const char *base, const struct adapter_source *sources, int32_t count,
                            enum status expected, const char *word) {
    struct engine_forecast forecast;
    struct error err = {0};
    struct engine_options options = {.model_path = base,
                                     .backend = "reference",
                                     .threads = 1,
                                     .context = 64,
                                     .kv_device_bytes = (size_t)1 << 20,
                                     .adapters = sources,
                                     .adapter_count = count};
    for (int bits = 0; bits <= 30; bits += 15) { // 0: the processor's; too small; large enough
        options.device_bytes = bits ? (size_t)1 << bits : 0;
        const enum status status = engine_predict(&options, &forecast, &err);
        const bool fits = expected != STATUS_OK || bits != 15;
        if (status != (fits ? expected : STATUS_NO_MEMORY) || (fits && !strstr(err.text, word)))
            fail_msg("%s: status %d, \"%s\" does not say \"%s\"", sources->path, (int)status,
                     err.text, word);
    }
}

static void adapters_and_models_mix_files_and_folders(void **state) {
    (void)state;
    static const char *const bases[] = {TESTS_DIR "/golden/mistral.gguf",
                                        TESTS_DIR "/golden/mistral.hf"};
    static const char *const adapters[] = {"lora.gguf", "peft"};
    struct pairs pairs;
    struct gguf *gguf;
    int32_t ids[LENGTH];
    char path[PATH_BYTES];
    assert_int_equal(gguf_open(bases[0], &gguf, NULL), STATUS_OK);
    pairs_make(gguf, 4, &pairs);
    gguf_close(gguf);
    write_adapter("lora.gguf", "llama", 8, &pairs);
    write_tensors("peft/adapter_model.safetensors", &pairs, 8);
    write_config("{\"peft_type\":\"LORA\",\"r\":4,\"lora_alpha\":8,\"bias\":\"none\","
                 "\"target_modules\":[\"q_proj\"],\"modules_to_save\":null}");
    write_merged(bases[0], (const struct pairs *[]){&pairs}, (const double[]){2}, 1);
    random_ids(ids);
    float *expected = merged_logits(ids);
    for (int base = 0; base < 2; base++)
        for (int adapter = 0; adapter < 2; adapter++) {
            const struct adapter_source source = {path_of(adapters[adapter], path), 1};
            const struct way way = {backend_cpu(), false, &source, 1};
            const double error = error_of(bases[base], &way, ids, expected);
            if (!(error <= 1e-5)) fail_msg("%s, %s: %.2e", bases[base], adapters[adapter], error);
            assert_predicts(bases[base], &source, 1, STATUS_OK, "");
        }
    write_config("{\"peft_type\":\"LORA\",\"lora_alpha\":4,\"use_rslora\":true}"); // 4 / sqrt(4)
    const struct adapter_source source = {path_of("peft", path), 1};
    assert_true(
        error_of(bases[1], &(struct way){backend_cpu(), false, &source, 1}, ids, expected) <= 1e-5);
    free(expected);
    pairs_free(&pairs);
}

// ---- Refusals

static void assert_refused_by(const char *base, const struct adapter_source *source,
                              enum status expected, const char *word) {
    struct harness harness = {.backend = backend_reference()};
    struct adapters adapters = {.count = 0};
    struct model model;
    struct error err = {0};
    assert_int_equal(harness.backend->open(&(struct device_options){0}, &harness.device, NULL),
                     STATUS_OK);
    assert_int_equal(gguf_open(base, &harness.gguf, NULL), STATUS_OK);
    enum status status = adapters_open(source, 1, &adapters, &err);
    if (status == STATUS_OK)
        status = model_open(&model, harness.gguf,
                            &(struct model_options){.backend = harness.backend,
                                                    .device = harness.device,
                                                    .adapters = &adapters},
                            &err);
    if (status != expected || !strstr(err.text, word) || strchr(err.text, '\n'))
        fail_msg("%s: status %d, \"%s\" does not say \"%s\"", source->path, (int)status, err.text,
                 word);
    if (status == STATUS_OK) model_close(&model);
    adapters_close(&adapters);
    gguf_close(harness.gguf);
    harness.backend->close(harness.device);
}

static void assert_refused(const char *name, float scale, enum status expected, const char *word) {
    char path[PATH_BYTES];
    const struct adapter_source source = {path_of(name, path), scale};
    assert_refused_by(TESTS_DIR "/golden/mistral.gguf", &source, expected, word);
    assert_predicts(TESTS_DIR "/golden/mistral.gguf", &source, 1, expected, word);
}

static void adapters_that_do_not_fit_the_model_are_refused(void **state) {
    (void)state;
    enum { HUGE_DIM = 4000000 };
    static const float zeros[HUGE_DIM];
    static const struct {
        const char *family, *a, *b; // a tensor's name, or NULL: there is none
        int32_t columns, rank, b_rank, rows;
        enum status status;
        const char *word;
    } cases[] = {
        {"llama", "attn_q.weight", "attn_q.weight", 32, 4, 4, 32, STATUS_OK, ""},
        {"qwen2", "attn_q.weight", "attn_q.weight", 32, 4, 4, 32, STATUS_BAD_FILE,
         "for the family \"qwen2\", but the model's family is llama"},
        {"llama", "attn_q.weight", "attn_q.weight", 16, 4, 4, 32, STATUS_BAD_FILE,
         "blk.1.attn_q.weight.lora_a belongs to another model: expected [4, 32], found [4, 16]"},
        {"llama", "attn_k.weight", "attn_k.weight", 32, 4, 4, 32, STATUS_BAD_FILE,
         "blk.1.attn_k.weight.lora_b belongs to another model: expected [16, 4], found [32, 4]"},
        {"llama", "attn_q.weight", "attn_q.weight", 32, 4, 8, 32, STATUS_BAD_FILE,
         "expected [32, 4], found [32, 8]"},
        {"llama", "attn_q.weight", NULL, 32, 4, 4, 32, STATUS_BAD_FILE,
         "blk.1.attn_q.weight.lora_a is missing the other half"},
        {"llama", NULL, "attn_q.weight", 32, 4, 4, 32, STATUS_BAD_FILE,
         "blk.1.attn_q.weight.lora_b is missing the other half"},
        {"llama", "attn_q.weight", "attn_q.weight", 32, 0, 0, 32, STATUS_BAD_FILE, "0"},
        {"llama", "ffn_gate_exps.weight", "ffn_gate_exps.weight", 32, 4, 4, 32, STATUS_UNSUPPORTED,
         "ffn_gate_exps.weight.lora_a is not supported"},
        {"llama", "attn_q.weight", "attn_q.weight", HUGE_DIM, 1, 1, HUGE_DIM, STATUS_BAD_FILE,
         "expected [1, 32], found [1, 4000000]"},
        {"llama", "attn_q.weight", "attn_q.weight", 1, ADAPTER_MAX_RANK + 1, 1, 1,
         STATUS_UNSUPPORTED, "has rank 4097 (expected 1 to 4096)"},
        {"llama", NULL, NULL, 32, 4, 4, 32, STATUS_BAD_FILE, "has no tensors"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gguf_writer writer;
        char name[80];
        begin_adapter(&writer, cases[i].family, 4);
        snprintf(name, sizeof name, "blk.1.%s.lora_a", cases[i].a ? cases[i].a : "");
        if (cases[i].a) put_half(&writer, name, cases[i].columns, cases[i].rank, zeros);
        snprintf(name, sizeof name, "blk.1.%s.lora_b", cases[i].b ? cases[i].b : "");
        if (cases[i].b) put_half(&writer, name, cases[i].b_rank, cases[i].rows, zeros);
        write_gguf("bad.gguf", &writer);
        assert_refused("bad.gguf", 1, cases[i].status, cases[i].word);
        if (i == 0)
            assert_refused("bad.gguf", NAN, STATUS_BAD_INPUT, "the scale must be a finite number");
    }
}

// Which no plan can know.
static void adapters_with_values_that_are_not_finite_are_refused(void **state) {
    static const float bad[32] = {NAN}, zeros[64];
    char path[PATH_BYTES];
    struct gguf_writer writer;
    const struct adapter_source source = {path_of("bad.gguf", path), 1};
    (void)state;
    begin_adapter(&writer, "llama", 4);
    put_half(&writer, "blk.1.attn_qkv.weight.lora_a", 32, 1, bad);
    put_half(&writer, "blk.1.attn_qkv.weight.lora_b", 1, 64, zeros);
    write_gguf("bad.gguf", &writer);
    assert_refused_by(TESTS_DIR "/golden/mistral.gguf", &source, STATUS_BAD_FILE,
                      "attn_qkv has values that are not finite");
    assert_predicts(TESTS_DIR "/golden/mistral.gguf", &source, 1, STATUS_OK, "");
}

static void unusable_adapter_files_are_refused(void **state) {
    (void)state;
    struct gguf_writer writer;
    static const float values[32] = {0};
    begin_adapter(&writer, "llama", NAN);
    write_gguf("bad.gguf", &writer);
    assert_refused("bad.gguf", 1, STATUS_BAD_FILE, "adapter.lora.alpha is not finite");
    begin_adapter(&writer, "llama", 1);
    gguf_writer_int(&writer, "adapter.alora.invocation_tokens", GGUF_U32, 1);
    write_gguf("bad.gguf", &writer);
    assert_refused("bad.gguf", 1, STATUS_UNSUPPORTED, "adapter.alora.invocation_tokens");
    begin_adapter(&writer, "llama", 1);
    put_half(&writer, "token_embd.weight.lora_a", 32, 1, values);
    write_gguf("bad.gguf", &writer);
    assert_refused("bad.gguf", 1, STATUS_UNSUPPORTED, "token_embd.weight.lora_a is not supported");
    gguf_writer_init(&writer);
    gguf_writer_string(&writer, "general.architecture", "llama");
    write_gguf("bad.gguf", &writer);
    assert_refused("bad.gguf", 1, STATUS_UNSUPPORTED, "is not a LoRA adapter");
    write_file("bad.gguf", "GGUF\3\0\0\0damaged", 15);
    assert_refused("bad.gguf", 1, STATUS_BAD_FILE, "bad.gguf");
    assert_refused("missing.gguf", 1, STATUS_IO, "missing.gguf");
}

static void unusable_adapter_folders_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *config;
        enum status status;
        const char *word;
    } cases[] = {
        {"[]", STATUS_BAD_FILE, "JSON object"},
        {"{}", STATUS_BAD_FILE, "peft_type"},
        {"{\"peft_type\":\"LORA\"}", STATUS_BAD_FILE, "no lora_alpha"},
        {"{\"peft_type\":\"LOHA\",\"lora_alpha\":8}", STATUS_UNSUPPORTED, "peft_type"},
        {"{\"peft_type\":\"LORA\",\"lora_alpha\":8,\"use_dora\":true}", STATUS_UNSUPPORTED,
         "use_dora"},
        {"{\"peft_type\":\"LORA\",\"lora_alpha\":8,\"bias\":\"all\"}", STATUS_UNSUPPORTED, "bias"},
        {"{\"peft_type\":\"LORA\",\"lora_alpha\":8,\"init_lora_weights\":\"pissa\"}",
         STATUS_UNSUPPORTED, "init_lora_weights"},
        {"{\"peft_type\":\"LORA\",\"lora_alpha\":8,\"alpha_pattern\":{\"q\":2}}",
         STATUS_UNSUPPORTED, "alpha_pattern"},
        {"{\"peft_type\":\"LORA\",\"lora_alpha\":8}", STATUS_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_config(cases[i].config);
        assert_refused("peft", 1, cases[i].status, cases[i].word);
    }
    char path[PATH_BYTES];
    struct pairs one = {.count = 1};
    one.of[0] = (struct pair){"blk.0.attn_q.weight", 8, 8, 1, (float[8]){0}, (float[8]){0}};
    unlink(path_of("peft/adapter_model.safetensors", path));
    assert_refused("peft", 1, STATUS_IO, "adapter_model.safetensors");
    static const char odd[] = "{\"base_model.model.lm_head.lora_A.weight\":{\"dtype\":\"F32\","
                              "\"shape\":[1,1],\"data_offsets\":[0,4]}}";
    unsigned char bytes[8 + sizeof odd - 1 + 4] = {sizeof odd - 1};
    memcpy(bytes + 8, odd, sizeof odd - 1);
    write_file("peft/adapter_model.safetensors", bytes, sizeof bytes);
    assert_refused("peft", 1, STATUS_UNSUPPORTED, "'base_model.model.lm_head.lora_A.weight'");
    write_tensors("peft/adapter_model.safetensors", &one, 8);
    assert_refused("peft", 1, STATUS_BAD_FILE, "expected [1, 32], found [1, 8]");
    const struct adapter_source source = {path_of("peft", path), 1};
    assert_refused_by(TESTS_DIR "/golden/falcon-h1.gguf", &source, STATUS_UNSUPPORTED,
                      "family falcon-h1");
}

// ---- The cache

// Tokens of one prompt that the disk gave back.
static int64_t restored(struct memory_store *store, const struct adapter_source *adapters,
                        int32_t count, char name[ENGINE_NAME_BYTES]) {
    struct engine *engine;
    struct engine_info info;
    struct error err = {0};
    struct sequence *sequence;
    struct request *request;
    struct event event;
    int32_t ids[100];
    const struct engine_options options = {.model_path = TESTS_DIR "/golden/llama.gguf",
                                           .backend = "cpu",
                                           .context = 128,
                                           .kv_restore = KV_RESTORE_ALWAYS,
                                           .disk = memory_store_open(store),
                                           .adapters = adapters,
                                           .adapter_count = count};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_info(engine, &info);
    snprintf(name, ENGINE_NAME_BYTES, "%s", info.model_name);
    for (int i = 0; i < 100; i++)
        ids[i] = i % 60 + 3;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids, 100), STATUS_OK);
    const struct request_options how = {
        .sampler = sampler_options_default(), .max_tokens = 1, .ignore_end = true};
    assert_int_equal(request_start_all(&sequence, &how, 1, &request), STATUS_OK);
    do
        assert_true(engine_next_event(engine, 60000, &event));
    while (event.kind != EVENT_DONE);
    assert_int_equal(event.status, STATUS_OK);
    request_release(request);
    sequence_destroy(sequence);
    engine_close(engine);
    return event.stats.disk_tokens;
}

static void blocks_are_shared_only_under_the_same_adapters(void **state) {
    (void)state;
    struct memory_store *store = memory_store_create(0);
    struct pairs pairs;
    struct gguf *gguf;
    char one[PATH_BYTES], two[PATH_BYTES], name[ENGINE_NAME_BYTES], without[ENGINE_NAME_BYTES];
    assert_int_equal(gguf_open(TESTS_DIR "/golden/llama.gguf", &gguf, NULL), STATUS_OK);
    for (int i = 0; i < 2; i++) {
        pairs_make(gguf, 2, &pairs);
        write_adapter(i ? "two.gguf" : "one.gguf", "llama", 2, &pairs);
        pairs_free(&pairs);
    }
    gguf_close(gguf);
    path_of("one.gguf", one);
    path_of("two.gguf", two);
    const struct adapter_source ways[][2] = {{{NULL, 0}},         {{one, 1}},           {{two, 1}},
                                             {{one, 0.5f}},       {{one, 1}, {two, 1}}, {{one, 0}},
                                             {{two, 1}, {one, 1}}};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            const int32_t count = (ways[i][0].path != NULL) + (ways[i][1].path != NULL);
            const int64_t found = restored(store, ways[i], count, name);
            if (i == 0) memcpy(without, name, sizeof name);
            if (i == 0 ? strstr(name, " + ") != NULL : strncmp(name, without, strlen(without)) != 0)
                fail_msg("it is called %s", name);
            if (i == 3) assert_string_equal(name + strlen(without), " + one=0.5");
            if (i == 4) assert_string_equal(name + strlen(without), " + one + two");
            assert_true(round == 0 ? found == 0 : found >= 96);
        }
    memory_store_destroy(store);
}

// ---- The plan

static struct backend counting;
static size_t taken_bytes; // of the card, now

const struct backend *__real_backend_reference(void);
const struct backend *__wrap_backend_reference(void);

static enum status alloc_counted(struct device *device, size_t bytes, void **memory) {
    TRY(__real_backend_reference()->alloc(device, bytes, memory));
    taken_bytes += bytes;
    return STATUS_OK;
}

static void release_counted(struct device *device, void *memory, size_t bytes) {
    if (memory) taken_bytes -= bytes;
    __real_backend_reference()->release(device, memory, bytes);
}

const struct backend *__wrap_backend_reference(void) {
    counting = *__real_backend_reference();
    counting.alloc = alloc_counted;
    counting.release = release_counted;
    return &counting;
}

// The bytes that the model takes with these adapters. *rank: their rank.
static size_t model_bytes(const char *base, const struct adapters *adapters, int32_t *rank) {
    const struct backend *backend = backend_reference();
    struct device *device;
    struct gguf *gguf;
    struct model model;
    struct error err = {0};
    assert_int_equal(backend->open(&(struct device_options){0}, &device, NULL), STATUS_OK);
    assert_int_equal(gguf_open(base, &gguf, NULL), STATUS_OK);
    const struct model_options how = {.backend = backend, .device = device, .adapters = adapters};
    const size_t before = taken_bytes;
    if (model_open(&model, gguf, &how, &err) != STATUS_OK) fail_msg("%s", err.text);
    const size_t bytes = taken_bytes - before;
    *rank = model.rank;
    model_close(&model);
    gguf_close(gguf);
    backend->close(device);
    return bytes;
}

static void write_pairs(const char *base, const char *family, int32_t rank, const char *name) {
    struct pairs pairs;
    struct gguf *gguf;
    assert_int_equal(gguf_open(base, &gguf, NULL), STATUS_OK);
    pairs_make(gguf, rank, &pairs);
    write_adapter(name, family, 1, &pairs);
    pairs_free(&pairs);
    gguf_close(gguf);
}

// Separate and fused matrices, of one adapter and of two whose ranks are rounded up together.
static void memory_of_adapters_is_known_before_the_model_opens(void **state) {
    char one[PATH_BYTES], two[PATH_BYTES], base[PATH_BYTES];
    const struct adapter_source sources[2] = {{path_of("one.gguf", one), 1},
                                              {path_of("two.gguf", two), 0.5f}};
    (void)state;
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++) {
        snprintf(base, sizeof base, "%s/golden/%s.gguf", TESTS_DIR, models[m].name);
        write_pairs(base, models[m].family, 3, "one.gguf");
        write_pairs(base, models[m].family, 70, "two.gguf");
        size_t least = 0;
        for (int32_t count = 0; count <= 2; count++) {
            struct model_config config;
            struct gguf *gguf;
            struct adapters adapters;
            int32_t rank = 0, expected_rank = -1;
            assert_int_equal(adapters_open(sources, count, &adapters, NULL), STATUS_OK);
            const size_t taken = model_bytes(base, &adapters, &rank);
            assert_int_equal(gguf_open(base, &gguf, NULL), STATUS_OK);
            assert_int_equal(model_config_read(gguf, &config, NULL), STATUS_OK);
            assert_int_equal(adapters_check(&adapters, gguf, &config, &expected_rank, NULL),
                             STATUS_OK);
            const size_t expected = adapters_device_bytes(&adapters, &config, backend_reference());
            gguf_close(gguf);
            adapters_close(&adapters);
            if (count == 0) least = taken;
            if (expected != taken - least)
                fail_msg("%s, %" PRId32 " adapters: %zu, %zu", models[m].name, count, expected,
                         taken - least);
            assert_int_equal(expected_rank, rank);
            assert_int_equal(rank, count == 0 ? 0 : count == 1 ? 8 : 80);
        }
    }
}

// A pair for attn_q and one for attn_qkv change the same matrix.
static void the_combined_rank_is_known_before_the_model_is_there(void **state) {
    static const float zeros[64 * ADAPTER_MAX_RANK];
    static const struct {
        int32_t q, qkv;
        enum status status;
        const char *word;
    } cases[] = {
        {20, 31, STATUS_OK, ""},
        {ADAPTER_MAX_RANK - 10, 10, STATUS_OK, ""},
        {ADAPTER_MAX_RANK, 1, STATUS_UNSUPPORTED, "rank of the adapters is too large (4097, at"},
    };
    char path[PATH_BYTES];
    const struct adapter_source source = {path_of("bad.gguf", path), 1};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gguf_writer writer;
        struct model_config config;
        struct adapters adapters;
        struct gguf *gguf;
        int32_t planned = 0, rank = 0;
        begin_adapter(&writer, "llama", 4);
        put_half(&writer, "blk.1.attn_q.weight.lora_a", 32, cases[i].q, zeros);
        put_half(&writer, "blk.1.attn_q.weight.lora_b", cases[i].q, 32, zeros);
        put_half(&writer, "blk.1.attn_qkv.weight.lora_a", 32, cases[i].qkv, zeros);
        put_half(&writer, "blk.1.attn_qkv.weight.lora_b", cases[i].qkv, 64, zeros);
        write_gguf("bad.gguf", &writer);
        assert_refused("bad.gguf", 1, cases[i].status, cases[i].word);
        if (cases[i].status != STATUS_OK) continue;
        assert_int_equal(adapters_open(&source, 1, &adapters, NULL), STATUS_OK);
        assert_int_equal(gguf_open(TESTS_DIR "/golden/mistral.gguf", &gguf, NULL), STATUS_OK);
        assert_int_equal(model_config_read(gguf, &config, NULL), STATUS_OK);
        assert_int_equal(adapters_check(&adapters, gguf, &config, &planned, NULL), STATUS_OK);
        (void)model_bytes(TESTS_DIR "/golden/mistral.gguf", &adapters, &rank);
        assert_int_equal(planned, rank);
        gguf_close(gguf);
        adapters_close(&adapters);
    }
}

enum { PLANNED_PROMPT = 20, PLANNED_ANSWER = 12 };

struct planned {
    enum status status;
    struct error err;
    struct placement placement;
    size_t taken_bytes;
    int32_t ids[PLANNED_PROMPT + PLANNED_ANSWER];
    struct engine_forecast forecast;
};

static void answer(struct engine *engine, int32_t ids[PLANNED_PROMPT + PLANNED_ANSWER]) {
    struct sequence *sequence;
    struct request *request;
    struct event event = {0};
    struct request_options how = {
        .sampler = sampler_options_default(), .max_tokens = PLANNED_ANSWER, .ignore_end = true};
    how.sampler.temperature = 0;
    for (int32_t i = 0; i < PLANNED_PROMPT; i++)
        ids[i] = i % 7 + 3;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids, PLANNED_PROMPT), STATUS_OK);
    assert_int_equal(request_start_all(&sequence, &how, 1, &request), STATUS_OK);
    while (event.kind != EVENT_DONE)
        assert_true(engine_next_event(engine, 60000, &event));
    assert_int_equal(event.status, STATUS_OK);
    request_release(request);
    memcpy(ids, sequence_tokens(sequence), (PLANNED_PROMPT + PLANNED_ANSWER) * sizeof ids[0]);
    sequence_destroy(sequence);
}

// Plans for a card of this size; ngl -1: quire decides.
static void plan_with(const char *name, size_t card_bytes, int32_t ngl,
                      const struct adapter_source *adapters, int32_t count,
                      struct planned *planned) {
    static const struct placement_rates rates = {1e11, 1e10, 1e10, 0, 50, 1, 1, 1, 1, 1, 0.25, 0};
    char path[PATH_BYTES];
    struct engine *engine;
    snprintf(path, sizeof path, "%s/golden/%s.gguf", TESTS_DIR, name);
    const struct engine_options options = {.model_path = path,
                                           .backend = "reference",
                                           .threads = 1,
                                           .device_bytes = card_bytes,
                                           .placement = {.has_ngl = ngl >= 0, .ngl = ngl},
                                           .rates = &rates,
                                           .context = 64,
                                           .kv_device_bytes = (size_t)1 << 20,
                                           .kv_host_bytes = (size_t)1 << 20,
                                           .adapters = adapters,
                                           .adapter_count = count};
    *planned = (struct planned){.status = STATUS_OK};
    const enum status predicted = engine_predict(&options, &planned->forecast, &planned->err);
    const size_t before = taken_bytes;
    planned->status = engine_open(&options, &engine, &planned->err);
    if (predicted != planned->status)
        fail_msg("%s at %zu, ngl %d: %s", name, card_bytes, (int)ngl, planned->err.text);
    if (planned->status != STATUS_OK) return;
    planned->placement = engine->placement;
    planned->taken_bytes = taken_bytes - before;
    answer(engine, planned->ids);
    engine_close(engine);
    assert_int_equal(taken_bytes, before);
}

// The plan is right to the byte. If it is too much for the card, weights of the model leave, which
// changes no answer, or one line says why they cannot.
static void adapters_are_part_of_the_plan(void **state) {
    static const char *const names[] = {"llama", "qwen3", "falcon-h1"};
    enum { ROOMY = 1 << 30, LAYERS_MOST = 99 };
    char one[PATH_BYTES], two[PATH_BYTES];
    const struct adapter_source sources[2] = {{path_of("one.gguf", one), 1},
                                              {path_of("two.gguf", two), 0.5f}};
    (void)state;
    for (size_t m = 0; m < sizeof names / sizeof names[0]; m++) {
        char base[PATH_BYTES];
        struct planned without, whole, split;
        snprintf(base, sizeof base, "%s/golden/%s.gguf", TESTS_DIR, names[m]);
        write_pairs(base, names[m], 3, "one.gguf");
        write_pairs(base, names[m], 70, "two.gguf");
        plan_with(names[m], ROOMY, -1, NULL, 0, &without);
        assert_int_equal(without.status, STATUS_OK);
        const size_t fits = without.placement.card_bytes;
        for (int32_t count = 1; count <= 2; count++) {
            plan_with(names[m], ROOMY, -1, sources, count, &whole);
            assert_int_equal(whole.status, STATUS_OK);
            assert_true(whole.taken_bytes > without.taken_bytes);
            assert_int_equal(whole.placement.card_bytes - fits,
                             whole.taken_bytes - without.taken_bytes);
            assert_true(whole.placement.card_token_bytes > without.placement.card_token_bytes);
            plan_with(names[m], whole.placement.card_bytes, -1, sources, count, &split);
            assert_string_equal(split.forecast.placement, "");
            plan_with(names[m], whole.placement.card_bytes - 1, -1, sources, count, &split);
            assert_int_equal(split.status, STATUS_OK);
            assert_true(placement_leaves(&split.placement));
            assert_non_null(strstr(split.forecast.placement, " in memory ("));
            plan_with(names[m], ROOMY, 0, sources, count, &split);
            assert_int_equal(split.status, STATUS_OK);
            assert_true(placement_splits(&split.placement));
            assert_memory_equal(split.ids, whole.ids, sizeof split.ids);
            plan_with(names[m], fits, LAYERS_MOST, sources, count, &split);
            assert_int_equal(split.status, STATUS_NO_MEMORY);
            if (!strstr(split.err.text, "what --ngl keeps there, LoRA adapters of "))
                fail_msg("%s", split.err.text);
        }
    }
}

static int make_folder(void **state) {
    (void)state;
    char path[PATH_BYTES];
    return mkdtemp(folder) && mkdir(path_of("peft", path), 0700) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"merged.gguf",
                                        "lora.gguf",
                                        "one.gguf",
                                        "two.gguf",
                                        "bad.gguf",
                                        "peft/adapter_config.json",
                                        "peft/adapter_model.safetensors"};
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(path_of(names[i], path));
    rmdir(path_of("peft", path));
    return rmdir(folder);
}

int main(void) {
    printf("seed %u\n", seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_separate_adapter_matches_a_merged_one),
        cmocka_unit_test(two_adapters_add_up),
        cmocka_unit_test(adapters_and_models_mix_files_and_folders),
        cmocka_unit_test(adapters_that_do_not_fit_the_model_are_refused),
        cmocka_unit_test(adapters_with_values_that_are_not_finite_are_refused),
        cmocka_unit_test(unusable_adapter_files_are_refused),
        cmocka_unit_test(unusable_adapter_folders_are_refused),
        cmocka_unit_test(blocks_are_shared_only_under_the_same_adapters),
        cmocka_unit_test(memory_of_adapters_is_known_before_the_model_opens),
        cmocka_unit_test(the_combined_rank_is_known_before_the_model_is_there),
        cmocka_unit_test(adapters_are_part_of_the_plan),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
