// tests/kernels/test_read_speed.c — what is read is memory, and there is enough of it.
#include "tests/check.h" // cmocka and the headers that it wants first

#include "kernels/read_speed.h"

enum { MIB = 1 << 20 };

static size_t memory_free, allocated_bytes;
static int reads;

static void info_of_little(struct device *device, struct device_info *info) {
    (void)device;
    *info = (struct device_info){.memory_free = memory_free};
}

static enum status counting_alloc(struct device *device, size_t bytes, void **memory) {
    allocated_bytes += bytes;
    return backend_reference()->alloc(device, bytes, memory);
}

// As a processor does: untouched pages are all the same page of zeros, which its caches hold.
static void read_touched(struct device *device, const void *memory, size_t bytes, int pattern) {
    (void)device;
    assert_in_range(pattern, 0, READ_PATTERNS - 1);
    for (size_t at = 0; at < bytes; at += 4096)
        assert_int_not_equal(((const char *)memory)[at], 0);
    reads++;
}

static double measure(size_t bytes, size_t free_bytes) {
    struct backend backend = *backend_reference();
    backend.info = info_of_little;
    backend.alloc = counting_alloc;
    backend.read = read_touched;
    memory_free = free_bytes;
    allocated_bytes = 0;
    reads = 0;
    return read_speed_of(&backend, NULL, bytes);
}

static void every_page_that_is_read_has_been_touched(void **state) {
    (void)state;
    for (size_t bytes = MIB - 4096; bytes <= 3 * MIB; bytes += MIB / 2) {
        assert_true(measure(bytes, 64 * MIB) > 0);
        assert_int_equal(allocated_bytes, bytes);
        assert_true(reads >= READ_PATTERNS);
    }
}

// A processor's allocation succeeds where there is no memory, and the process is ended later.
static void memory_that_is_not_free_is_not_taken(void **state) {
    (void)state;
    const size_t frees[] = {0, MIB, 8 * MIB, 9 * MIB};
    for (size_t i = 0; i < sizeof frees / sizeof frees[0]; i++) {
        assert_true(measure(8 * MIB, frees[i]) == 0);
        assert_int_equal(allocated_bytes, 0);
    }
    assert_true(measure(8 * MIB, 10 * MIB) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_page_that_is_read_has_been_touched),
        cmocka_unit_test(memory_that_is_not_free_is_not_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
