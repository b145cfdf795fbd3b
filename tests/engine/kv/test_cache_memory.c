// tests/engine/kv/test_cache_memory.c — the n-th allocation at creation fails, for n = 1, 2, …
//
// The linker sends the libraries' allocations here: heap, pages and threads alike.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/engine/kv/cache_fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int fail_in;          // allocations; 0: none fails
static int64_t pages, calls; // bytes mapped and not unmapped; allocations of all kinds

static bool fails_now(void) {
    calls++;
    return fail_in > 0 && --fail_in == 0;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t bytes);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t bytes);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

void *__wrap_malloc(size_t bytes) { return fails_now() ? NULL : __real_malloc(bytes); }

void *__wrap_calloc(size_t count, size_t bytes) {
    return fails_now() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (fails_now()) return MAP_FAILED;
    pages += (int64_t)bytes;
    return __real_mmap(address, bytes, protection, flags, file, offset);
}

int __wrap_munmap(void *address, size_t bytes) {
    pages -= (int64_t)bytes;
    return __real_munmap(address, bytes);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument) {
    if (fails_now()) return 11; // EAGAIN
    return __real_pthread_create(thread, attributes, run, argument);
}

// Says no itself, as a card's driver would: not by one of the calls above.
static int64_t host_bytes;
static bool host_fails;

static enum status alloc_host(struct device *device, size_t bytes, void **memory) {
    if (host_fails) return STATUS_NO_MEMORY;
    TRY(backend_reference()->alloc_host(device, bytes, memory));
    host_bytes += (int64_t)bytes;
    return STATUS_OK;
}

static void release_host(struct device *device, void *memory, size_t bytes) {
    host_bytes -= (int64_t)bytes;
    backend_reference()->release_host(device, memory, bytes);
}

static struct backend backend;

static void init(struct cache_fixture *f, const struct fixture_options *options) {
    fixture_init(f, options);
    backend = *f->backend;
    backend.alloc_host = alloc_host;
    backend.release_host = release_host;
    f->backend = &backend;
}

static void use(struct cache_fixture *f) {
    struct fixture_log log;
    pthread_mutex_lock(&f->lock);
    fixture_log_init(f, &log);
    fixture_set(f, &log, "aaaaaaaabbbbbbbbcc");
    fixture_compute(f, &log);
    block_cache_reference(f->cache, 1, block_cache_leaf(f->cache, log.ids, log.length));
    fixture_log_deinit(f, &log);
    block_cache_check(f->cache);
}

// Every failure is NO_MEMORY, with the pool still the caller's, or a cache without a disk; either
// way nothing is left behind. Returns how many failed before it worked.
static int fail_each(const struct fixture_options *options, int *without_disk) {
    for (int nth = 1; nth < 100; nth++) {
        struct cache_fixture f;
        struct error err = {0};
        init(&f, options);
        struct disk_pool *pool = options->no_disk ? NULL : memory_store_open(f.store);
        const int64_t pages_before = pages;
        fail_in = nth;
        const enum status status = fixture_try_open(&f, pool, &err);
        const bool worked = fail_in > 0;
        fail_in = 0;
        if (status != STATUS_OK) {
            assert_int_equal(status, STATUS_NO_MEMORY);
            assert_true(err.text[0] != '\0');
            assert_null(f.cache);
            assert_int_equal(pages, pages_before);
            if (pool) pool->ops->close(pool, NULL); // still ours
        } else {
            assert_int_equal(memory_store_is_open(f.store), pool && fixture_usage(&f).has_disk);
            *without_disk += pool && !fixture_usage(&f).has_disk;
            use(&f);
            fixture_close(&f);
            assert_int_equal(pages, pages_before);
        }
        assert_int_equal(host_bytes, 0);
        fixture_deinit(&f);
        if (worked) return nth - 1;
    }
    fail();
    return 0;
}

static void a_failed_create_leaks_nothing(void **state) {
    (void)state;
    static const struct fixture_options kinds[] = {
        {.no_disk = true},
        {.no_disk = true, .host_slots = 8},
        {.host_slots = 8},
        {.threads = true},
    };
    for (int i = 0; i < 4; i++) {
        int without_disk = 0;
        const int failed = fail_each(&kinds[i], &without_disk);
        printf("kind %d: %d allocations, %d times without the disk\n", i, failed, without_disk);
        assert_true(failed >= 5);
        assert_int_equal(without_disk > 0, !kinds[i].no_disk);
    }
}

static void refused_host_memory_is_a_no_memory_error(void **state) {
    (void)state;
    struct cache_fixture f;
    struct error err = {0};
    const struct fixture_options options = {.host_slots = 8};
    init(&f, &options);
    struct disk_pool *pool = memory_store_open(f.store);
    host_fails = true;
    assert_int_equal(fixture_try_open(&f, pool, &err), STATUS_NO_MEMORY);
    host_fails = false;
    assert_non_null(strstr(err.text, "host"));
    pool->ops->close(pool, NULL);
    fixture_deinit(&f);
}

static void the_cache_allocates_nothing_after_creation(void **state) {
    (void)state;
    struct cache_fixture f;
    const struct fixture_options options = {.no_disk = true, .host_slots = 8};
    struct fixture_log log;
    init(&f, &options);
    fixture_open(&f);
    fixture_log_init(&f, &log);
    const int64_t before = calls;
    for (int i = 0; i < 50; i++) {
        fixture_park(&f, &log);
        log.length = 0;
        while (log.length < FIXTURE_LONGEST)
            fixture_push(&f, &log, i);
        fixture_compute(&f, &log);
        block_cache_reference(f.cache, (uint64_t)i + 1, block_cache_leaf(f.cache, log.ids, 56));
        if (i % 3 == 0) (void)block_cache_strip(f.cache, (uint64_t)i);
    }
    assert_int_equal(calls, before);
    fixture_log_deinit(&f, &log);
    fixture_deinit(&f);
}

// The pool fails to open and the index cannot be taken anew: both at once.
static void a_failing_disk_and_index_together_leak_nothing(void **state) {
    (void)state;
    int refused = 0;
    for (int nth = 1; nth < 20; nth++) {
        struct cache_fixture f;
        struct error err = {0};
        const struct fixture_options options = {.host_slots = 8};
        init(&f, &options);
        struct disk_pool *pool = memory_store_open(f.store);
        const int64_t pages_before = pages;
        memory_store_fail_opening(f.store, true, STATUS_IO);
        fail_in = nth;
        const enum status status = fixture_try_open(&f, pool, &err);
        const bool worked = fail_in > 0;
        fail_in = 0;
        if (status == STATUS_OK) {
            pthread_mutex_lock(&f.lock);
            fixture_close(&f);
        } else {
            pool->ops->close(pool, NULL);
            refused++;
        }
        assert_int_equal(pages, pages_before);
        memory_store_fail_nothing(f.store);
        fixture_deinit(&f);
        if (worked) break;
    }
    assert_true(refused > 6); // one of the first creation, whose index is only a disk's
}

// What is refused is named: a disk's index is given up, and no host memory is to blame for another.
static void an_index_without_memory_is_named(void **state) {
    (void)state;
    static const struct fixture_options kinds[] = {{.no_disk = true}, {.host_slots = 0}};
    for (int nth = 2; nth < 6; nth++)
        for (int i = 0; i < 2; i++) {
            struct cache_fixture f;
            struct error err = {0};
            init(&f, &kinds[i]);
            struct disk_pool *pool = kinds[i].no_disk ? NULL : memory_store_open(f.store);
            fail_in = nth;
            const enum status status = fixture_try_open(&f, pool, &err);
            fail_in = 0;
            assert_int_equal(status, pool ? STATUS_OK : STATUS_NO_MEMORY);
            if (pool) {
                assert_false(fixture_usage(&f).has_disk);
                pthread_mutex_lock(&f.lock);
                fixture_close(&f);
            } else {
                assert_string_equal(err.text, "not enough memory to index the KV cache");
            }
            fixture_deinit(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_create_leaks_nothing),
        cmocka_unit_test(refused_host_memory_is_a_no_memory_error),
        cmocka_unit_test(the_cache_allocates_nothing_after_creation),
        cmocka_unit_test(a_failing_disk_and_index_together_leak_nothing),
        cmocka_unit_test(an_index_without_memory_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
