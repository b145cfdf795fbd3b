// tests/engine/test_settling.c — weights that a processor reads in their file come to lie in huge
// pages, and are the file's all the same.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/model/gguf.h"
#include "kernels/huge_pages.h"

static const size_t SPARE = (size_t)1 << 30; // that other programs may take meanwhile

// Has the mapping with this address huge pages of the file's, or been told to have its own? Whether
// the system gives them just then depends on what other programs have left of its memory.
static bool is_in_huge_pages(const void *address) {
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool inside = false, found = false;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        uintptr_t begin, end;
        size_t kib;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) == 2)
            inside = (uintptr_t)address >= begin && (uintptr_t)address < end;
        else if (inside && sscanf(line, "FilePmdMapped: %zu kB", &kib) == 1)
            found = found || kib > 0;
        else if (inside && strncmp(line, "VmFlags:", 8) == 0)
            found = found || strstr(line, " hg");
    }
    (void)fclose(maps);
    return found;
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
    if (huge_pages_budget("", 2 * gguf_file_bytes(gguf), SPARE) > 0)
        assert_true(is_in_huge_pages(middle_tensor(gguf)->data));
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
