// tests/kernels/test_part_speed.c — a part of a model is timed on the processor alone and through a
// card, in whatever memory there is.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <sys/resource.h>

#include "kernels/offload.h"
#include "kernels/part_speed.h"

enum { COLUMNS = 64, ROWS = 96, USED = 2 };

// On the processor alone, and through a card.
static void parts_are_timed(void **state) {
    (void)state;
    enum { MANY_TOKENS = 5 };
    const struct device_options options = {.threads = 2};
    static const struct part_shape SHAPES[] = {
        {COLUMNS, ROWS, 0, DTYPE_Q8_0}, {COLUMNS, ROWS, USED, DTYPE_Q8_0}, {48, 80, 1, DTYPE_F32}};
    for (size_t i = 0; i < 2 * sizeof SHAPES / sizeof SHAPES[0]; i++) {
        const struct part_shape *shape = &SHAPES[i / 2];
        const bool in_host = i % 2 > 0;
        const struct backend *backend = in_host ? backend_reference() : backend_cpu();
        struct device *device;
        assert_int_equal(backend->open(&options, &device, NULL), STATUS_OK);
        if (in_host)
            assert_int_equal(
                offload_open(&backend, &device, &options, &(struct offload_memory){0}, NULL),
                STATUS_OK);
        const struct part_trial how = {
            .shape = *shape, .tokens = i % 4 ? 1 : MANY_TOKENS, .in_host = in_host};
        const struct part_speed speed = part_speed_measure(backend, device, &how);
        const size_t elements = (size_t)3 * (size_t)shape->dim * (size_t)shape->width;
        const size_t count = shape->used > 0 ? (size_t)shape->used : 1;
        assert_true(speed.seconds > 0);
        assert_int_equal(speed.bytes, count * elements / (size_t)dtype_block_elements(shape->type) *
                                          (size_t)dtype_block_bytes(shape->type));
        backend->close(device);
    }
}

static bool computed; // in this step; else there were readings alone

static void note_experts(struct device *device, const struct experts *args) {
    computed = true;
    backend_reference()->experts(device, args);
}

static enum status fail_readings_alone(struct device *device) {
    const bool fails = !computed;
    (void)device;
    computed = false;
    return fails ? STATUS_DEVICE : STATUS_OK;
}

static void note_copy(struct device *device, void *memory, const void *host, size_t bytes) {
    computed = true; // what is no reading
    backend_reference()->to_device(device, memory, host, bytes);
}

// What takes the pauses out of the time is missing then.
static void a_device_that_fails_in_the_pauses_is_not_timed(void **state) {
    const struct device_options options = {.threads = 2};
    struct part_trial how = {.shape = {COLUMNS, ROWS, USED, DTYPE_Q8_0}, .tokens = 1};
    struct backend card = *backend_reference();
    struct device *device;
    (void)state;
    card.experts = note_experts;
    card.to_device = note_copy;
    card.sync = fail_readings_alone;
    assert_int_equal(card.open(&options, &device, NULL), STATUS_OK);
    assert_true(part_speed_measure(&card, device, &how).seconds > 0);
    how.pause_s = 1e-6;
    assert_true(part_speed_measure(&card, device, &how).seconds <= 0);
    card.close(device);
}

// As of a shell's `ulimit -v`: so many bytes more than there are now.
static void limit_memory(struct rlimit *before, size_t more) {
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu", &pages), 1);
    (void)fclose(file);
    assert_int_equal(getrlimit(RLIMIT_AS, before), 0);
    struct rlimit limit = *before;
    limit.rlim_cur = pages * 4096 + more;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

static void a_trial_takes_what_memory_there_is(void **state) {
    const struct device_options options = {.threads = 2};
    const struct part_trial how = {
        .shape = {COLUMNS, ROWS, USED, DTYPE_Q8_0}, .tokens = 1, .in_host = true};
    const struct backend *backend = backend_reference();
    struct rlimit before;
    struct device *device;
    (void)state;
    if (!CHECK_FULL) skip(); // instruments need addresses of their own
    assert_int_equal(backend->open(&options, &device, NULL), STATUS_OK);
    assert_int_equal(offload_open(&backend, &device, &options, &(struct offload_memory){0}, NULL),
                     STATUS_OK);
    limit_memory(&before, (size_t)768 << 20);
    const struct part_speed speed = part_speed_measure(backend, device, &how);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_true(speed.seconds > 0);
    backend->close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_timed),
        cmocka_unit_test(a_device_that_fails_in_the_pauses_is_not_timed),
        cmocka_unit_test(a_trial_takes_what_memory_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
