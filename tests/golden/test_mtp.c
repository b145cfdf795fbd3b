// tests/golden/test_mtp.c — what blocks that predict further tokens draft, token for token.
//
// NAME.drafts is llama.cpp's (README.md): prompts, and behind each the tokens of a greedy
// continuation with the four that the block drafted when they were the last.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAFTED = 4, PROMPT_MAX = 64, LENGTH_MAX = 128 };

static const char *const models[] = {"mtp-qwen35",       "mtp-qwen35moe", "mtp-qwen3next",
                                     "mtp-glm4moe",      "mtp-deepseek2", "mtp-right-qwen35",
                                     "mtp-right-glm4moe"};
enum { MODELS = sizeof models / sizeof models[0] };

struct way { // of computing
    const struct backend *backend;
    int32_t chunk; // tokens of a prompt at once
    const char *end;
};

struct tally { // of positions: all, those whose first draft is the same, and those whose four are
    int32_t all, first, four;
};

static int32_t read_ids(const char *text, int32_t *ids, int32_t most) {
    char *end;
    int32_t count = 0;
    for (long id = strtol(text, &end, 10); end != text; id = strtol(text, &end, 10)) {
        assert_true(count < most);
        ids[count++] = (int32_t)id;
        text = end;
    }
    return count;
}

// The block's guesses after ids[0 … length), of which the last is not computed yet.
static void draft(struct harness *harness, struct block_table *table, const int32_t *ids,
                  int32_t length, int32_t drafted[DRAFTED]) {
    harness_grow(harness, table, length - 1 + DRAFTED);
    for (int32_t i = 0; i < DRAFTED; i++) {
        const int32_t *id = i ? &drafted[i - 1] : &ids[length - 1];
        forward_begin(harness->forward);
        harness_add(harness, table, id, length - 1 + i, 1, 1);
        assert_int_equal(forward_draft(harness->forward), STATUS_OK);
        drafted[i] =
            harness_argmax(forward_logits(harness->forward, 0), harness->model.config.vocabulary);
    }
}

static struct tally compare(struct harness *harness, FILE *file, int32_t chunk) {
    struct block_table table = {0};
    char line[512];
    int32_t ids[LENGTH_MAX], length = 0;
    struct tally tally = {0};
    while (fgets(line, sizeof line, file)) {
        int32_t expected[1 + DRAFTED], found[DRAFTED];
        if (!strncmp(line, "prompt ", 7)) {
            block_table_deinit(&table, harness->pool);
            assert_int_equal(
                block_table_init(&table, LENGTH_MAX + DRAFTED, harness->caches[0].block_size),
                STATUS_OK);
            length = read_ids(line + 7, ids, PROMPT_MAX);
            for (int32_t first = 0; first < length; first += chunk)
                harness_run(harness, &table, ids + first, first,
                            length - first < chunk ? length - first : chunk, 1);
            continue;
        }
        assert_int_equal(read_ids(line, expected, 1 + DRAFTED), 1 + DRAFTED);
        ids[length++] = expected[0];
        draft(harness, &table, ids, length, found);
        tally.all++;
        tally.first += found[0] == expected[1];
        tally.four += !memcmp(found, expected + 1, sizeof found);
        harness_run(harness, &table, ids + length - 1, length - 1, 1, 1);
    }
    block_table_deinit(&table, harness->pool);
    assert_true(tally.all > 0);
    return tally;
}

static struct tally compare_model(const char *name, const struct way *way) {
    char path[512];
    struct harness harness;
    snprintf(path, sizeof path, TESTS_DIR "/golden/%s.%s", name, way->end);
    harness_open(&harness, &(struct harness_options){.path = path,
                                                     .backend = way->backend,
                                                     .deterministic = true,
                                                     .kv_type = DTYPE_F32});
    assert_true(harness.model.config.mtp_layers > 0);
    snprintf(path, sizeof path, TESTS_DIR "/golden/%s.drafts", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const struct tally tally = compare(&harness, file, way->chunk);
    fclose(file);
    harness_close(&harness);
    printf("%s %s: %d of %d drafts are the same\n", name, way->backend->name, (int)tally.four,
           (int)tally.all);
    return tally;
}

static void check_model(const char *name, const struct backend *backend, int32_t chunk) {
    const struct tally tally = compare_model(name, &(struct way){backend, chunk, "gguf"});
    assert_int_equal(tally.four, tally.all);
}

static void drafts_are_those_of_llama_cpp(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++)
        for (int32_t chunk = 1; chunk <= PROMPT_MAX; chunk *= 8) {
            check_model(models[i], backend_reference(), chunk);
            check_model(models[i], backend_cpu(), chunk);
        }
}

// As their publishers name the tensors, without a converter.
static void folders_draft_like_their_gguf_files(void **state) {
    (void)state;
    static const char *const folders[] = {"mtp-qwen35", "mtp-qwen35moe", "mtp-glm4moe"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const struct tally tally =
            compare_model(folders[i], &(struct way){backend_reference(), PROMPT_MAX, "hf"});
        assert_int_equal(tally.four, tally.all);
    }
}

// Its activations have 16 bits, so a near tie may end otherwise, and what follows with it.
static void nearly_all_first_drafts_are_the_same_on_a_card(void **state) {
    struct device *device;
    (void)state;
    if (!backend_cuda() || backend_cuda()->open(&(struct device_options){0}, &device, NULL)) skip();
    backend_cuda()->close(device);
    for (int i = 0; i < MODELS; i++)
        for (int32_t chunk = 1; chunk <= PROMPT_MAX; chunk *= 8) {
            const struct tally tally =
                compare_model(models[i], &(struct way){backend_cuda(), chunk, "gguf"});
            assert_true(10 * tally.first >= 9 * tally.all);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drafts_are_those_of_llama_cpp),
        cmocka_unit_test(folders_draft_like_their_gguf_files),
        cmocka_unit_test(nearly_all_first_drafts_are_the_same_on_a_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
