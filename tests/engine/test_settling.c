// tests/engine/test_settling.c — weights that a processor reads in their file come to lie in huge
// pages, and are the file's all the same; and an opening that is interrupted ends.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/measure.h"
#include "engine/model/gguf.h"
#include "kernels/base/effort.h"
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

static int asked, patience; // how often the user was looked for, and how often in vain

static bool stops(void *user) {
    (void)user;
    return asked++ >= patience;
}

// Wherever the user interrupts, until there is an engine.
static void an_interrupted_opening_ends(void **state) {
    (void)state;
    const struct engine_options options = {
        .model_path = DEMO_MODEL, .backend = "cpu", .threads = 1, .context = 64};
    enum status status = STATUS_CANCELLED;
    effort_watch(stops, NULL);
    for (patience = 0; status == STATUS_CANCELLED; patience++) {
        struct engine *engine = NULL;
        struct error err = {0};
        asked = 0;
        status = engine_open(&options, &engine, &err);
        if (status == STATUS_CANCELLED) {
            assert_null(engine);
            assert_string_equal(err.text, "stopped: " DEMO_MODEL " was being read");
            continue;
        }
        assert_int_equal(status, STATUS_OK);
        effort_watch(NULL, NULL);
        engine_close(engine);
    }
    assert_true(patience > 11); // once a layer, and at the end
}

// It would name another file, and the cache of another.
static void an_interrupted_digest_is_not_kept(void **state) {
    (void)state;
    struct engine *engine;
    struct error err = {0};
    const struct engine_options options = {
        .model_path = DEMO_MODEL, .backend = "cpu", .threads = 1, .context = 64};
    if (engine_open(&options, &engine, &err) != STATUS_OK) fail_msg("%s", err.text);
    effort_watch(stops, NULL);
    asked = patience = 0;
    (void)engine_digest(engine);
    const int before = asked;
    (void)engine_digest(engine);
    assert_true(asked > before);
    effort_watch(NULL, NULL);
    const struct hash128 digest = engine_digest(engine), again = gguf_digest(engine_gguf(engine));
    assert_memory_equal(&digest, &again, sizeof digest);
    engine_close(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_processor_reads_weights_in_huge_pages),
        cmocka_unit_test(closing_does_not_wait_for_the_weights),
        cmocka_unit_test(an_interrupted_opening_ends),
        cmocka_unit_test(an_interrupted_digest_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
