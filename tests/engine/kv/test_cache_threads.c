// tests/engine/kv/test_cache_threads.c — the cache with its own I/O thread, and a disk that may
// not answer. For ThreadSanitizer too.
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/engine/kv/cache_fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOG_A "aaaaaaaabbbbbbbbccccccccdddddddd"

enum { PATIENCE_MS = 20000, SHORT_MS = 30 };

static const struct fixture_options THREADS = {.blocks = 32, .threads = true};

static void let_disk_work(struct cache_fixture *f) {
    pthread_mutex_unlock(&f->lock);
    usleep(500);
    pthread_mutex_lock(&f->lock);
}

static void wait_until_blocked(struct cache_fixture *f) {
    pthread_mutex_unlock(&f->lock);
    assert_true(memory_store_wait_blocked(f->store, PATIENCE_MS));
    pthread_mutex_lock(&f->lock);
}

static void wait_until_written(struct cache_fixture *f) {
    block_cache_write_behind(f->cache);
    for (int i = 0; i < PATIENCE_MS && !block_cache_is_written(f->cache); i++) {
        let_disk_work(f);
        block_cache_write_behind(f->cache);
    }
    assert_true(block_cache_is_written(f->cache));
}

static void remember(struct cache_fixture *f, const char *text) {
    struct fixture_log log;
    fixture_log_init(f, &log);
    fixture_set(f, &log, text);
    fixture_compute(f, &log);
    fixture_log_deinit(f, &log);
}

// The whole log, by the thread. Returns how many tokens came.
static int32_t restore(struct cache_fixture *f, struct fixture_log *log) {
    struct restore_tally tally = {0};
    const int32_t before = log->cached;
    for (int i = 0; i < PATIENCE_MS; i++) {
        const enum restore_outcome outcome =
            block_cache_restore(f->cache, &log->tables.of[0], log->ids, 0, log->length, &tally);
        log->cached = log->tables.of[0].length;
        block_cache_check(f->cache);
        if (outcome != RESTORE_WAITS) break;
        let_disk_work(f);
    }
    fixture_verify(f, log);
    return log->cached - before;
}

static void the_disk_thread_writes_and_reads_blocks(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log log;
    fixture_init(&f, &THREADS);
    fixture_open(&f);
    remember(&f, LOG_A "xyz");
    wait_until_written(&f);
    assert_int_equal(memory_store_blocks(f.store), 4);
    fixture_close(&f);
    assert_int_equal(memory_store_blocks(f.store), 5); // the tail, at closing
    fixture_open(&f);
    fixture_log_init(&f, &log);
    fixture_set(&f, &log, LOG_A "xyz");
    assert_int_equal(restore(&f, &log), 35);
    assert_true(f.changes > 0);
    fixture_log_deinit(&f, &log);
    fixture_deinit(&f);
}

// Closes while the disk does not answer. What the thread uses must be there when it goes on.
static void close_while_blocked(struct cache_fixture *f) {
    struct memory_store_counts before, after;
    wait_until_blocked(f);
    memory_store_count(f->store, &before);
    pthread_mutex_unlock(&f->lock);
    assert_false(block_cache_destroy(f->cache, SHORT_MS));
    assert_true(memory_store_is_open(f->store));
    memory_store_unblock(f->store);
    assert_true(block_cache_destroy(f->cache, PATIENCE_MS));
    f->cache = NULL;
    assert_false(memory_store_is_open(f->store));
    memory_store_count(f->store, &after);
    assert_true(after.reads + after.writes > before.reads + before.writes); // it did go on
}

static void a_hanging_read_is_abandoned(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log log, other;
    struct restore_tally tally = {0};
    fixture_init(&f, &THREADS);
    fixture_open(&f);
    remember(&f, LOG_A);
    fixture_close(&f);
    fixture_open(&f);
    memory_store_block(f.store, true, false);
    fixture_log_init(&f, &log);
    fixture_set(&f, &log, LOG_A);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            block_cache_restore(f.cache, &log.tables.of[0], log.ids, 0, log.length, &tally),
            RESTORE_WAITS);
        let_disk_work(&f);
    }
    wait_until_blocked(&f);
    fixture_compute(&f, &log); // by the clock: the caller goes on without
    fixture_verify(&f, &log);
    fixture_log_init(&f, &other);
    fixture_set(&f, &other, "eeeeeeeeffffffff");
    fixture_compute(&f, &other); // and so does everybody else
    fixture_log_deinit(&f, &other);
    assert_true(block_cache_make_free(f.cache, 20));
    fixture_log_deinit(&f, &log);
    block_cache_check(f.cache);
    close_while_blocked(&f);
    fixture_deinit(&f);
}

static void a_late_read_serves_the_next_request(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log log;
    struct restore_tally tally = {0};
    fixture_init(&f, &THREADS);
    fixture_open(&f);
    remember(&f, LOG_A);
    fixture_close(&f);
    fixture_open(&f);
    memory_store_block(f.store, true, false);
    fixture_log_init(&f, &log);
    fixture_set(&f, &log, LOG_A);
    assert_int_equal(
        block_cache_restore(f.cache, &log.tables.of[0], log.ids, 0, log.length, &tally),
        RESTORE_WAITS);
    wait_until_blocked(&f);
    fixture_park(&f, &log);
    memory_store_unblock(f.store);
    assert_int_equal(restore(&f, &log), 32);
    fixture_log_deinit(&f, &log);
    fixture_deinit(&f);
}

static void a_hanging_write_blocks_nothing_else(void **state) {
    (void)state;
    struct cache_fixture f;
    fixture_init(&f, &THREADS);
    fixture_open(&f);
    memory_store_block(f.store, false, true);
    remember(&f, LOG_A);
    block_cache_write_behind(f.cache);
    wait_until_blocked(&f);
    for (int i = 0; i < 40; i++) { // more than the queue takes, and than there are slots
        struct fixture_log log;
        fixture_log_init(&f, &log);
        while (log.length < FIXTURE_LONGEST)
            fixture_push(&f, &log, 1000 + i);
        assert_int_equal(fixture_begin(&f, &log, log.length), STATUS_OK);
        fixture_commit(&f, &log);
        block_cache_reference(f.cache, 1 + (uint64_t)i,
                              block_cache_leaf(f.cache, log.ids, log.length));
        fixture_log_deinit(&f, &log);
        block_cache_write_behind(f.cache);
        block_cache_check(f.cache);
    }
    close_while_blocked(&f);
    fixture_deinit(&f);
}

// A disk that hesitates now and then, on a thread of its own.
struct hesitation {
    struct memory_store *store;
    bool stop;
};

static void *hesitate(void *argument) {
    struct hesitation *h = argument;
    for (uint32_t i = 0; !__atomic_load_n(&h->stop, __ATOMIC_ACQUIRE); i++) {
        memory_store_block(h->store, i % 3 == 0, i % 4 == 0);
        usleep(300);
    }
    memory_store_unblock(h->store);
    return NULL;
}

static uint32_t seed = 20261121;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

enum { LOGS = 4 };

static void random_step(struct cache_fixture *f, struct fixture_log logs[LOGS]) {
    struct fixture_log *log = &logs[dice(LOGS)];
    struct restore_tally tally = {0};
    const uint64_t conversation = 1 + dice(3);
    switch (dice(8)) {
    case 0:
        fixture_park(f, log);
        fixture_truncate(f, log, (int32_t)dice((uint32_t)log->length + 1));
        break;
    case 1:
        (void)fixture_adopt(f, log);
        break;
    case 2:
    case 3:
        (void)block_cache_restore(f->cache, &log->tables.of[0], log->ids, 0, log->length, &tally);
        log->cached = log->tables.of[0].length;
        break;
    case 4:
        block_cache_write_behind(f->cache);
        break;
    case 5:
        if (dice(2))
            block_cache_reference(f->cache, conversation,
                                  block_cache_leaf(f->cache, log->ids, log->length));
        else
            (void)block_cache_strip(f->cache, conversation);
        break;
    default:
        for (uint32_t i = dice(12); i > 0 && log->length < FIXTURE_LONGEST; i--)
            fixture_push(f, log, dice(12) ? 0 : 1);
        if (log->cached < log->length && fixture_begin(f, log, log->length) == STATUS_OK)
            fixture_commit(f, log);
    }
    fixture_verify(f, log);
    block_cache_check(f->cache);
}

static void tables_stay_right_while_the_disk_thread_works(void **state) {
    (void)state;
    struct cache_fixture f;
    struct fixture_log logs[LOGS];
    struct hesitation hesitation = {0};
    struct memory_store_counts counts;
    pthread_t thread;
    printf("seed %u\n", seed);
    fixture_init(&f, &THREADS);
    hesitation.store = f.store;
    assert_int_equal(pthread_create(&thread, NULL, hesitate, &hesitation), 0);
    for (int day = 0; day < 8; day++) {
        fixture_open(&f);
        for (int i = 0; i < LOGS; i++)
            fixture_log_init(&f, &logs[i]);
        for (int i = 0; i < 3000; i++) {
            random_step(&f, logs);
            if (i % 4 == 0) {
                pthread_mutex_unlock(&f.lock);
                if (i % 64 == 0) usleep(200);
                pthread_mutex_lock(&f.lock);
            }
        }
        for (int i = 0; i < LOGS; i++)
            fixture_log_deinit(&f, &logs[i]);
        fixture_close(&f);
    }
    __atomic_store_n(&hesitation.stop, true, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(thread, NULL), 0);
    memory_store_count(f.store, &counts);
    assert_true(counts.written_blocks > 20 && counts.read_blocks > 20);
    fixture_deinit(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_disk_thread_writes_and_reads_blocks),
        cmocka_unit_test(a_hanging_read_is_abandoned),
        cmocka_unit_test(a_late_read_serves_the_next_request),
        cmocka_unit_test(a_hanging_write_blocks_nothing_else),
        cmocka_unit_test(tables_stay_right_while_the_disk_thread_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
