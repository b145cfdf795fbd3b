// tests/golden/test_golden.c — the logits of an independent implementation, model by model.
//
// The files beside this one are made by make_golden.py, which says their format: tiny random
// models, run by another implementation in fp32.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/rig/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const models[] = {"llama", "llama-linear", "qwen2", "qwen2-yarn", "qwen3"};
enum { MODELS = 5, MAX_PROMPTS = 8 };

struct prompt {
    int32_t length, rows, continuation;
    const int32_t *ids;
    const float *logits; // [rows, vocabulary]
    const int32_t *greedy;
};

struct golden {
    unsigned char *bytes;
    int32_t vocabulary, count;
    struct prompt prompts[MAX_PROMPTS];
};

static void golden_load(const char *name, struct golden *golden) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s.golden", TESTS_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const size_t length = (size_t)ftell(file);
    rewind(file);
    golden->bytes = malloc(length);
    assert_non_null(golden->bytes);
    assert_int_equal(fread(golden->bytes, 1, length, file), length);
    fclose(file);
    assert_memory_equal(golden->bytes, "QGOLDEN1", 8);
    const int32_t *next = (const int32_t *)(void *)(golden->bytes + 8);
    golden->vocabulary = *next++;
    golden->count = *next++;
    assert_in_range(golden->count, 1, MAX_PROMPTS);
    for (int32_t i = 0; i < golden->count; i++) {
        struct prompt *prompt = &golden->prompts[i];
        prompt->length = *next++;
        prompt->rows = *next++;
        prompt->continuation = *next++;
        prompt->ids = next;
        next += prompt->length;
        prompt->logits = (const float *)(const void *)next;
        next += (size_t)prompt->rows * (size_t)golden->vocabulary;
        prompt->greedy = next;
        next += prompt->continuation;
    }
    assert_ptr_equal((const unsigned char *)next, golden->bytes + length);
}

static void open_golden(struct rig *rig, const char *name, const struct backend *backend,
                        enum dtype kv_type) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s.gguf", TESTS_DIR, name);
    rig_open(rig, &(struct rig_options){.path = path, .backend = backend, .kv_type = kv_type});
}

// The largest relative L2 error of the logits over all prompts of a model.
static double worst_error(const char *name, const struct backend *backend, enum dtype kv_type) {
    struct golden golden;
    struct rig rig;
    double worst = 0;
    golden_load(name, &golden);
    open_golden(&rig, name, backend, kv_type);
    assert_int_equal(rig.model.config.vocabulary, golden.vocabulary);
    for (int32_t i = 0; i < golden.count; i++) {
        const struct prompt *prompt = &golden.prompts[i];
        struct block_table table;
        assert_int_equal(block_table_init(&table, 256, rig.cache.block_size), STATUS_OK);
        const float *logits = rig_run(&rig, &table, prompt->ids, 0, prompt->length, prompt->rows);
        const double error = rig_relative_error(logits, prompt->logits,
                                                (size_t)prompt->rows * (size_t)golden.vocabulary);
        if (!(error <= worst)) worst = error;
        block_table_deinit(&table, rig.pool);
    }
    rig_close(&rig);
    free(golden.bytes);
    printf("%-12s %-9s kv %-4s relative error %.2e\n", name, backend->name, dtype_name(kv_type),
           worst);
    return worst;
}

static void reference_agrees_to_1e_5(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++)
        assert_true(worst_error(models[i], backend_reference(), DTYPE_F32) <= 1e-5);
}

// DESIGN §8: fp32 within 1e-5 where nothing is rounded; 4e-3 with 16-bit keys and values.
static void cpu_agrees_within_its_bounds(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        assert_true(worst_error(models[i], backend_cpu(), DTYPE_F32) <= 1e-5);
        assert_true(worst_error(models[i], backend_cpu(), DTYPE_F16) <= 4e-3);
    }
}

static void greedy_tokens_are_equal(const struct backend *backend, enum dtype kv_type) {
    for (int m = 0; m < MODELS; m++) {
        struct golden golden;
        struct rig rig;
        golden_load(models[m], &golden);
        open_golden(&rig, models[m], backend, kv_type);
        for (int32_t i = 0; i < golden.count; i++) {
            const struct prompt *prompt = &golden.prompts[i];
            struct block_table table;
            int32_t ids[256];
            int32_t length = prompt->length, done = 0;
            memcpy(ids, prompt->ids, (size_t)length * sizeof ids[0]);
            assert_int_equal(block_table_init(&table, 256, rig.cache.block_size), STATUS_OK);
            for (int32_t step = 0; step < prompt->continuation; step++) {
                const float *logits = rig_run(&rig, &table, ids + done, done, length - done, 1);
                done = length;
                ids[length++] = rig_argmax(logits, golden.vocabulary);
                assert_int_equal(ids[length - 1], prompt->greedy[step]);
            }
            block_table_deinit(&table, rig.pool);
        }
        rig_close(&rig);
        free(golden.bytes);
    }
}

static void reference_picks_the_same_tokens(void **state) {
    (void)state;
    greedy_tokens_are_equal(backend_reference(), DTYPE_F32);
}

static void cpu_picks_the_same_tokens(void **state) {
    (void)state;
    greedy_tokens_are_equal(backend_cpu(), DTYPE_F32);
    greedy_tokens_are_equal(backend_cpu(), DTYPE_F16);
}

// False, and a word printed, in a build without CUDA and on a machine without a card.
static bool has_cuda(void) {
    const struct device_options options = {0};
    struct device *device;
    struct error err = {.text = "built without CUDA"};
    const bool has = backend_cuda() && backend_cuda()->open(&options, &device, &err) == STATUS_OK;
    if (has) backend_cuda()->close(device);
    if (!has) printf("skipped: %s\n", err.text);
    return has;
}

static void cuda_agrees_within_its_bounds(void **state) {
    (void)state;
    if (!has_cuda()) skip();
    for (int i = 0; i < MODELS; i++)
        assert_true(worst_error(models[i], backend_cuda(), DTYPE_F16) <= 4e-3);
}

static void cuda_picks_the_same_tokens(void **state) {
    (void)state;
    if (!has_cuda()) skip();
    greedy_tokens_are_equal(backend_cuda(), DTYPE_F16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_agrees_to_1e_5),
        cmocka_unit_test(cpu_agrees_within_its_bounds),
        cmocka_unit_test(reference_picks_the_same_tokens),
        cmocka_unit_test(cpu_picks_the_same_tokens),
        cmocka_unit_test(cuda_agrees_within_its_bounds),
        cmocka_unit_test(cuda_picks_the_same_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
