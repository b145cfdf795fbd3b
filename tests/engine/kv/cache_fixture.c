#include "tests/engine/kv/cache_fixture.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <string.h>

static int64_t now_us = 1000000;

int64_t __wrap_clock_now_us(void);

int64_t __wrap_clock_now_us(void) { return __atomic_add_fetch(&now_us, 10, __ATOMIC_RELAXED); }

void fixture_pass_time(int64_t us) { __atomic_add_fetch(&now_us, us, __ATOMIC_RELAXED); }

static void note_change(void *user) { ((struct cache_fixture *)user)->changes++; }

void fixture_init(struct cache_fixture *fixture, const struct fixture_options *options) {
    *fixture = (struct cache_fixture){.backend = backend_reference(), .options = *options};
    struct fixture_options *o = &fixture->options;
    if (!o->blocks) o->blocks = 24;
    if (!o->disk_slots) o->disk_slots = 12;
    if (!o->disk_blocks) o->disk_blocks = 512;
    if (!o->max_references) o->max_references = 64;
    fixture->format = hash_bytes(&o->format, sizeof o->format, 1);
    fixture->shape = (struct kv_cache){
        .type = DTYPE_F16,
        .num_layers = 1,
        .num_kv_heads = 1,
        .head_size = FIXTURE_ROW_BYTES / 2,
        .block_size = FIXTURE_BLOCK,
        .num_blocks = o->blocks,
    };
    const struct device_options device = {.threads = 1};
    assert_int_equal(fixture->backend->open(&device, &fixture->device, NULL), STATUS_OK);
    const size_t bytes = o->blocks * kv_block_bytes(&fixture->shape);
    assert_int_equal(fixture->backend->alloc(fixture->device, bytes, &fixture->shape.data),
                     STATUS_OK);
    memset(fixture->shape.data, 0xee, bytes);
    pthread_mutex_init(&fixture->lock, NULL);
    fixture->store = memory_store_create(0);
    assert_non_null(fixture->store);
}

void fixture_deinit(struct cache_fixture *fixture) {
    fixture_close(fixture);
    memory_store_check(fixture->store);
    memory_store_destroy(fixture->store);
    pthread_mutex_destroy(&fixture->lock);
    fixture->backend->release(fixture->device, fixture->shape.data,
                              fixture->shape.num_blocks * kv_block_bytes(&fixture->shape));
    fixture->backend->close(fixture->device);
}

enum status fixture_try_open(struct cache_fixture *fixture, struct disk_pool *pool,
                             struct error *err) {
    const struct fixture_options *o = &fixture->options;
    const struct block_cache_options options = {
        .backend = fixture->backend,
        .device = fixture->device,
        .shape = &fixture->shape,
        .lock = &fixture->lock,
        .host_slots = o->host_slots,
        .disk = pool,
        .format = fixture->format,
        .model = "none",
        .max_disk_blocks = o->disk_blocks,
        .disk_slots = o->disk_slots,
        .max_references = o->max_references,
        .changed = note_change,
        .user = fixture,
        .no_thread = !o->threads,
    };
    return block_cache_create(&options, &fixture->cache, err);
}

void fixture_open(struct cache_fixture *fixture) {
    assert_null(fixture->cache);
    struct disk_pool *pool = fixture->options.no_disk ? NULL : memory_store_open(fixture->store);
    struct error err = {0};
    if (fixture_try_open(fixture, pool, &err) != STATUS_OK) fail_msg("%s", err.text);
    pthread_mutex_lock(&fixture->lock);
}

void fixture_close(struct cache_fixture *fixture) {
    if (!fixture->cache) return;
    block_cache_check(fixture->cache);
    assert_int_equal(fixture_usage(fixture).device_held, 0);
    pthread_mutex_unlock(&fixture->lock);
    assert_true(block_cache_destroy(fixture->cache, 1000));
    fixture->cache = NULL;
    assert_false(memory_store_is_open(fixture->store));
}

int fixture_work(struct cache_fixture *fixture) {
    int jobs = 0;
    while (block_cache_work_disk(fixture->cache)) {
        block_cache_check(fixture->cache);
        jobs++;
    }
    return jobs;
}

void fixture_write_all(struct cache_fixture *fixture) {
    do
        block_cache_write_behind(fixture->cache);
    while (fixture_work(fixture) > 0);
    assert_true(block_cache_is_written(fixture->cache));
}

// ---- logs

void fixture_log_init(struct cache_fixture *fixture, struct fixture_log *log) {
    *log = (struct fixture_log){0};
    assert_int_equal(block_table_init(&log->table, FIXTURE_LONGEST, fixture->shape.block_size),
                     STATUS_OK);
}

void fixture_log_deinit(struct cache_fixture *fixture, struct fixture_log *log) {
    fixture_park(fixture, log);
    block_table_deinit(&log->table, block_cache_pool(fixture->cache));
}

static uint64_t mix(uint64_t x) { // splitmix64's finaliser
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void fixture_push(const struct cache_fixture *fixture, struct fixture_log *log, int32_t id) {
    assert_true(log->length < FIXTURE_LONGEST);
    const uint64_t before = log->length ? log->states[log->length - 1] : fixture->format.low;
    log->states[log->length] = mix(before + (uint64_t)id * 0x9e3779b97f4a7c15u + 1);
    log->ids[log->length++] = id;
}

void fixture_set(const struct cache_fixture *fixture, struct fixture_log *log, const char *text) {
    log->length = 0;
    for (; *text; text++)
        fixture_push(fixture, log, *text);
}

void fixture_rehash(const struct cache_fixture *fixture, struct fixture_log *log) {
    const int32_t length = log->length;
    for (log->length = 0; log->length < length;)
        fixture_push(fixture, log, log->ids[log->length]);
}

static void make_row(uint64_t state, int plane, uint64_t row[2]) {
    row[0] = mix(state + (uint64_t)plane);
    row[1] = ~row[0];
}

static char *row_at(const struct cache_fixture *fixture, const struct fixture_log *log, int32_t at,
                    int plane) {
    const uint32_t block = log->table.blocks[at / FIXTURE_BLOCK];
    return (char *)fixture->shape.data + block * kv_block_bytes(&fixture->shape) +
           (size_t)plane * kv_plane_bytes(&fixture->shape) +
           (size_t)(at % FIXTURE_BLOCK) * FIXTURE_ROW_BYTES;
}

enum status fixture_begin(struct cache_fixture *fixture, struct fixture_log *log, int32_t end) {
    struct block_pool *pool = block_cache_pool(fixture->cache);
    assert_false(log->pending);
    assert_int_equal(log->cached, log->table.length);
    if (!block_cache_make_free(fixture->cache, block_cache_need(fixture->cache, &log->table, end)))
        return STATUS_FULL;
    const uint32_t free = block_pool_free(pool);
    const uint32_t need = block_cache_need(fixture->cache, &log->table, end);
    assert_int_equal(block_cache_grow(fixture->cache, &log->table, end), STATUS_OK);
    assert_int_equal(block_pool_free(pool), free - need); // neither more nor less than was said
    for (int32_t at = log->cached; at < end; at++) {      // what may be written is nobody else's
        const uint32_t block = log->table.blocks[at / FIXTURE_BLOCK];
        assert_int_equal(block_pool_references(pool, block), 1);
        assert_int_equal(block_pool_node(pool, block), BLOCK_NONE);
    }
    log->pending = true;
    return STATUS_OK;
}

void fixture_commit(struct cache_fixture *fixture, struct fixture_log *log) {
    assert_true(log->pending);
    for (int32_t at = log->cached; at < log->table.length; at++)
        for (int plane = 0; plane < 2; plane++) {
            uint64_t row[2];
            make_row(log->states[at], plane, row);
            memcpy(row_at(fixture, log, at, plane), row, sizeof row);
        }
    block_cache_seal(fixture->cache, &log->table, log->ids, log->cached);
    log->cached = log->table.length;
    log->pending = false;
}

void fixture_compute(struct cache_fixture *fixture, struct fixture_log *log) {
    if (log->cached == log->length) return;
    assert_int_equal(fixture_begin(fixture, log, log->length), STATUS_OK);
    fixture_commit(fixture, log);
    block_cache_check(fixture->cache);
}

void fixture_fork(struct cache_fixture *fixture, const struct fixture_log *log,
                  struct fixture_log *fork) {
    memcpy(fork->ids, log->ids, sizeof fork->ids);
    memcpy(fork->states, log->states, sizeof fork->states);
    fork->length = log->length;
    fork->cached = log->cached;
    block_table_fork(&log->table, block_cache_pool(fixture->cache), log->cached, &fork->table);
}

void fixture_truncate(struct cache_fixture *fixture, struct fixture_log *log, int32_t length) {
    assert_false(log->pending);
    log->length = length;
    if (log->cached <= length) return;
    block_cache_truncate(fixture->cache, &log->table, log->ids, length);
    log->cached = length;
}

void fixture_park(struct cache_fixture *fixture, struct fixture_log *log) {
    assert_false(log->pending);
    block_cache_truncate(fixture->cache, &log->table, log->ids, 0);
    log->cached = 0;
}

int32_t fixture_adopt(struct cache_fixture *fixture, struct fixture_log *log) {
    const int32_t added = block_cache_adopt(fixture->cache, &log->table, log->ids, log->length);
    log->cached += added;
    assert_int_equal(log->cached, log->table.length);
    fixture_verify(fixture, log);
    return added;
}

int32_t fixture_restore(struct cache_fixture *fixture, struct fixture_log *log,
                        enum kv_restore mode, struct restore_tally *tally) {
    const int32_t before = log->cached;
    struct restore_plan plan;
    *tally = (struct restore_tally){0};
    block_cache_plan(fixture->cache, &log->table, log->ids, log->length, mode, 100, &plan);
    for (;;) {
        const enum restore_outcome outcome =
            block_cache_restore(fixture->cache, &log->table, log->ids, plan.target, tally);
        block_cache_check(fixture->cache);
        if (outcome == RESTORE_DONE) break;
        if (outcome == RESTORE_FULL && !block_cache_make_free(fixture->cache, 1)) break;
        if (outcome == RESTORE_WAITS) assert_true(fixture_work(fixture) > 0);
    }
    log->cached = log->table.length;
    fixture_verify(fixture, log);
    assert_int_equal(log->cached - before,
                     tally->device_tokens + tally->host_tokens + tally->disk_tokens);
    return log->cached - before;
}

void fixture_verify(const struct cache_fixture *fixture, const struct fixture_log *log) {
    assert_in_range(log->cached, 0, log->table.length);
    for (int32_t at = 0; at < log->cached; at++)
        for (int plane = 0; plane < 2; plane++) {
            uint64_t row[2];
            make_row(log->states[at], plane, row);
            if (memcmp(row_at(fixture, log, at, plane), row, sizeof row) != 0)
                fail_msg("token %d of %d has another's KV", (int)at, (int)log->cached);
        }
}

int32_t fixture_depth(struct cache_fixture *fixture, const struct fixture_log *log) {
    uint32_t leaf = NODE_NONE;
    int32_t depth = 0;
    while ((depth + 1) * FIXTURE_BLOCK <= log->length) {
        const uint32_t next =
            block_cache_leaf(fixture->cache, log->ids, (depth + 1) * FIXTURE_BLOCK);
        if (next == leaf) break;
        leaf = next;
        depth++;
    }
    return depth;
}

struct kv_usage fixture_usage(const struct cache_fixture *fixture) {
    struct kv_usage usage;
    block_cache_usage(fixture->cache, &usage);
    return usage;
}
