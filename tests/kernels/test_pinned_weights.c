// tests/kernels/test_pinned_weights.c — a copy is pinned only where the system can spare the
// memory, and what has none is used all the same.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <string.h>

#include "kernels/base/log.h"
#include "kernels/cost.h"
#include "tests/kernels/offload_fixture.h"

static enum status pin_nothing(struct device *device, size_t bytes, void **memory) {
    const size_t weights = ROWS * dtype_row_bytes(DTYPE_Q8_0, COLUMNS);
    return bytes >= weights && bytes % weights == 0
               ? STATUS_NO_MEMORY
               : backend_reference()->alloc_host(device, bytes, memory);
}

static size_t spare_bytes = SIZE_MAX; // of the machine's memory; SIZE_MAX: what there is
static int looks;                     // at it
static bool locks = true;             // the system lets us

size_t __real_host_spare_memory(void);
size_t __wrap_host_spare_memory(void);

size_t __wrap_host_spare_memory(void) {
    looks++;
    return spare_bytes < SIZE_MAX ? spare_bytes : __real_host_spare_memory();
}

bool __wrap_host_lock(const void *bytes, size_t count);

bool __wrap_host_lock(const void *bytes, size_t count) { return locks && bytes && count > 0; }

static char warned[256];

static void keep_warning(enum log_level level, const char *text) {
    if (level == LOG_WARNING) snprintf(warned, sizeof warned, "%s", text);
}

// They are used where they lie, and one line says how many.
static void weights_that_cannot_be_pinned_are_named(void **state) {
    struct backend card = *backend_reference();
    struct offload_fixture f;
    const void *data;
    (void)state;
    card.alloc_host = pin_nothing;
    fixture_open(&f, &card, &(struct offload_memory){0});
    const struct weight weight = matrix(&f, 0, ROWS, COLUMNS, true);
    log_set_sink(keep_warning);
    assert_int_equal(f.backend->weights(f.device, &weight, &data), STATUS_OK);
    assert_ptr_equal(data, weight.data);
    assert_int_equal(f.backend->reserve(f.device, &limits), STATUS_OK);
    assert_non_null(strstr(warned, "6.4 KiB of the weights in memory could not be pinned; "));
    warned[0] = '\0';
    assert_int_equal(f.backend->reserve(f.device, &limits), STATUS_OK); // it was said
    assert_string_equal(warned, "");
    log_set_sink(NULL);
    fixture_close(&f);
}

// What the system may drop is read again in the middle of answers.
static void weights_that_the_system_may_drop_are_named(void **state) {
    struct offload_fixture f;
    const void *data;
    (void)state;
    fixture_open(&f, backend_reference(), &(struct offload_memory){0});
    const struct weight weight = matrix(&f, 0, ROWS, COLUMNS, true);
    spare_bytes = 0;
    log_set_sink(keep_warning);
    for (int i = 0; i < 2; i++) {
        locks = i > 0;
        assert_int_equal(f.backend->weights(f.device, &weight, &data), STATUS_OK);
        assert_int_equal(f.backend->reserve(f.device, &limits), STATUS_OK);
        assert_non_null(strstr(warned, "prompts take longer"));
        assert_int_equal(strstr(warned, "and answers, too") != NULL, !locks);
    }
    log_set_sink(NULL);
    spare_bytes = SIZE_MAX;
    fixture_close(&f);
}

// A mixture has thousands of matrices, and to look takes longer than to copy a small one.
static void free_memory_is_looked_at_now_and_then(void **state) {
    enum { MATRICES = 1000 };
    struct offload_fixture f;
    const void *data;
    (void)state;
    fixture_open(&f, backend_reference(), &(struct offload_memory){0});
    const struct weight weight = matrix(&f, 0, ROWS, COLUMNS, true);
    spare_bytes = (size_t)1 << 40;
    looks = 0;
    for (int i = 0; i < MATRICES; i++)
        assert_int_equal(f.backend->weights(f.device, &weight, &data), STATUS_OK);
    assert_int_equal(looks, 1);
    spare_bytes = SIZE_MAX;
    fixture_close(&f);
}

// Who was told already that memory is short is not told again, on a deterministic device either.
static void a_known_shortage_of_memory_is_not_warned_of(void **state) {
    const struct offload_memory memory = {.is_short = true};
    (void)state;
    for (int deterministic = 0; deterministic < 2; deterministic++) {
        const struct device_options options = {.threads = 1, .deterministic = deterministic > 0};
        const struct backend *backend = backend_reference();
        const char row[ROWS * COLUMNS] = {0};
        const struct weight weight = {
            .data = row, .type = DTYPE_Q8_0, .rows = 1, .columns = COLUMNS, .in_host = true};
        struct device *device;
        const void *data;
        spare_bytes = 0;
        warned[0] = '\0';
        assert_int_equal(backend->open(&options, &device, NULL), STATUS_OK);
        assert_int_equal(offload_open(&backend, &device, &options, &memory, NULL), STATUS_OK);
        log_set_sink(keep_warning);
        assert_int_equal(backend->weights(device, &weight, &data), STATUS_OK);
        assert_ptr_equal(data, row);
        assert_int_equal(backend->reserve(device, &limits), STATUS_OK);
        assert_string_equal(warned, "");
        log_set_sink(NULL);
        backend->close(device);
    }
    spare_bytes = SIZE_MAX;
}

// Some memory stays for everything else, whatever the card would pin.
static void weights_are_not_pinned_if_others_need_the_memory(void **state) {
    struct offload_fixture f;
    const void *data;
    (void)state;
    fixture_open(&f, backend_reference(), &(struct offload_memory){0});
    const struct weight weight = matrix(&f, 0, ROWS, COLUMNS, true);
    for (int missing = 0; missing < 2; missing++) {
        spare_bytes = weight_bytes(&weight) - (size_t)missing;
        warned[0] = '\0';
        log_set_sink(keep_warning);
        assert_int_equal(f.backend->weights(f.device, &weight, &data), STATUS_OK);
        assert_int_equal(data == weight.data, missing);
        assert_int_equal(f.backend->reserve(f.device, &limits), STATUS_OK);
        assert_int_equal(strstr(warned, "could not be pinned; ") != NULL, missing);
        log_set_sink(NULL);
    }
    spare_bytes = SIZE_MAX;
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_that_cannot_be_pinned_are_named),
        cmocka_unit_test(weights_that_the_system_may_drop_are_named),
        cmocka_unit_test(free_memory_is_looked_at_now_and_then),
        cmocka_unit_test(a_known_shortage_of_memory_is_not_warned_of),
        cmocka_unit_test(weights_are_not_pinned_if_others_need_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
