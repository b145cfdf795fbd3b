// tests/engine/test_settling.c — weights that a processor reads in their file come to lie in huge
// pages, and are the file's all the same.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/model/gguf.h"
#include "kernels/huge_pages.h"

// Of the mapping that has this address.
static size_t bytes_in_huge_pages(const void *address) {
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    size_t bytes = 0;
    bool inside = false;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        size_t kib;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2)
            inside = (uintptr_t)address >= begin && (uintptr_t)address < end;
        else if (inside && (sscanf(line, "AnonHugePages: %zu kB", &kib) == 1 ||
                            sscanf(line, "FilePmdMapped: %zu kB", &kib) == 1))
            bytes += kib * 1024;
    }
    (void)fclose(maps);
    return bytes;
}

static const struct gguf_tensor *middle_tensor(const struct gguf *gguf) {
    return gguf_tensor_at(gguf, gguf_tensor_count(gguf) / 2);
}

static void a_processor_reads_weights_in_huge_pages(void **state) {
    (void)state;
    struct engine *engine;
    struct error err = {0};
    const struct engine_options options = {
        .model_path = DEMO_MODEL, .backend = "cpu", .threads = 1, .context = 64};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    engine_settle(engine);
    const struct gguf *gguf = engine_gguf(engine);
    if (huge_pages_budget("", 2 * gguf_file_bytes(gguf), 0) > 0)
        assert_true(bytes_in_huge_pages(middle_tensor(gguf)->data) > 0);
    struct gguf *file;
    assert_int_equal(gguf_open(DEMO_MODEL, &file, &err), STATUS_OK);
    const struct hash128 expected = gguf_digest(file), digest = gguf_digest(gguf);
    assert_memory_equal(&digest, &expected, sizeof digest);
    gguf_close(file);
    engine_close(engine);
}

// Opened and closed at once, the thread still works.
static void closing_does_not_wait_for_the_weights(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct engine *engine;
        struct error err = {0};
        const struct engine_options options = {
            .model_path = DEMO_MODEL, .backend = "cpu", .threads = 1, .context = 64};
        if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
        engine_close(engine);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_processor_reads_weights_in_huge_pages),
        cmocka_unit_test(closing_does_not_wait_for_the_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
