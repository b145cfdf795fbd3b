#include "tests/engine/kv/cache_fixture.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <string.h>

static int64_t now_us = 1000000;

int64_t __wrap_clock_now_us(void);

int64_t __wrap_clock_now_us(void) { return __atomic_add_fetch(&now_us, 10, __ATOMIC_RELAXED); }

void fixture_pass_time(int64_t us) { __atomic_add_fetch(&now_us, us, __ATOMIC_RELAXED); }

static void note_change(void *user) { ((struct cache_fixture *)user)->changes++; }

static int groups_of(const struct cache_fixture *fixture) {
    const struct fixture_options *o = &fixture->options;
    return !o->windows_alone + (o->window > 0) + o->states;
}

static enum cache_kind kind_of(const struct cache_fixture *fixture, int group) {
    const struct fixture_options *o = &fixture->options;
    if (o->states && group == groups_of(fixture) - 1) return CACHE_STATE;
    return group == 0 && !o->windows_alone ? CACHE_FULL : CACHE_WINDOW;
}

static int32_t reach_of(const struct cache_fixture *fixture, int group) {
    switch (kind_of(fixture, group)) {
    case CACHE_FULL:
        return 0;
    case CACHE_WINDOW:
        return fixture->options.window;
    case CACHE_STATE:
        return 2;
    }
    return 0;
}

static size_t bytes_of(const struct kv_cache *shape) {
    return shape->num_blocks * kv_block_bytes(shape);
}

void fixture_init(struct cache_fixture *fixture, const struct fixture_options *options) {
    *fixture = (struct cache_fixture){.backend = backend_reference(), .options = *options};
    struct fixture_options *o = &fixture->options;
    if (!o->blocks) o->blocks = 24;
    if (!o->disk_slots) o->disk_slots = 12;
    if (!o->disk_blocks) o->disk_blocks = 512;
    if (!o->max_references) o->max_references = 64;
    fixture->format = hash_bytes(&o->format, sizeof o->format, 1);
    const struct device_options device = {.threads = 1};
    assert_int_equal(fixture->backend->open(&device, &fixture->device, NULL), STATUS_OK);
    for (int i = 0; i < groups_of(fixture); i++) {
        struct kv_cache *shape = &fixture->shapes[i];
        *shape = (struct kv_cache){
            .type = DTYPE_F16,
            .num_layers = 1 + i,
            .num_kv_heads = 1,
            .head_size = FIXTURE_ROW_BYTES / 2,
            .block_size = FIXTURE_BLOCK,
            .num_blocks = o->blocks,
        };
        if (kind_of(fixture, i) == CACHE_STATE) {
            shape->num_layers = 2;
            shape->latent = true;
            shape->state_bytes = FIXTURE_ROW_BYTES;
        }
        assert_int_equal(fixture->backend->alloc(fixture->device, bytes_of(shape), &shape->data),
                         STATUS_OK);
        memset(shape->data, 0xee, bytes_of(shape));
    }
    pthread_mutex_init(&fixture->lock, NULL);
    fixture->store = memory_store_create(0);
    assert_non_null(fixture->store);
}

void fixture_deinit(struct cache_fixture *fixture) {
    fixture_close(fixture);
    memory_store_check(fixture->store);
    memory_store_destroy(fixture->store);
    pthread_mutex_destroy(&fixture->lock);
    for (int i = 0; i < groups_of(fixture); i++)
        fixture->backend->release(fixture->device, fixture->shapes[i].data,
                                  bytes_of(&fixture->shapes[i]));
    fixture->backend->close(fixture->device);
}

// Each group has a format of its own.
static struct hash128 format_of(const struct cache_fixture *fixture, int group) {
    struct hash128 format = fixture->format;
    format.high += (uint64_t)group;
    return format;
}

static enum status open_group(struct cache_fixture *fixture, int group, struct disk_pool *pool,
                              struct error *err) {
    const struct fixture_options *o = &fixture->options;
    const struct block_cache_options options = {
        .backend = fixture->backend,
        .device = fixture->device,
        .shape = &fixture->shapes[group],
        .lock = &fixture->lock,
        .host_slots = o->host_slots,
        .disk = pool,
        .format = format_of(fixture, group),
        .kind = kind_of(fixture, group),
        .reach = reach_of(fixture, group),
        .model = "none",
        .max_disk_blocks = o->disk_blocks,
        .disk_slots = o->disk_slots,
        .max_references = o->max_references,
        .changed = note_change,
        .user = fixture,
        .no_thread = !o->threads,
    };
    return grouped_cache_open(&fixture->all, options, err);
}

enum status fixture_try_open(struct cache_fixture *fixture, struct disk_pool *pool,
                             struct error *err) {
    fixture->all = (struct grouped_cache){0};
    struct disk_pool *pools[KV_GROUPS] = {pool};
    for (int i = 1; i < groups_of(fixture) && pool; i++)
        pools[i] = pool->ops->twin(pool);
    for (int i = 0; i < groups_of(fixture); i++) {
        TRY(open_group(fixture, i, pools[i], err));
        fixture->cache = fixture->all.groups[0];
    }
    return STATUS_OK;
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
    fixture_check(fixture);
    const struct kv_usage usage = fixture_usage(fixture);
    for (int32_t i = 0; i < usage.group_count; i++)
        assert_int_equal(usage.groups[i].device_held, 0);
    pthread_mutex_unlock(&fixture->lock);
    assert_true(grouped_cache_destroy(&fixture->all, 1000));
    fixture->cache = NULL;
    assert_false(memory_store_is_open(fixture->store));
}

void fixture_check(struct cache_fixture *fixture) {
    for (int i = 0; i < fixture->all.count; i++)
        block_cache_check(fixture->all.groups[i]);
}

int fixture_work(struct cache_fixture *fixture) {
    int jobs = 0;
    for (int i = 0; i < fixture->all.count; i++)
        while (block_cache_work_disk(fixture->all.groups[i])) {
            fixture_check(fixture);
            jobs++;
        }
    return jobs;
}

void fixture_write_all(struct cache_fixture *fixture) {
    bool is_written;
    do
        is_written = grouped_cache_write_behind(&fixture->all);
    while (fixture_work(fixture) > 0);
    assert_true(is_written);
}

// ---- logs

void fixture_log_init(struct cache_fixture *fixture, struct fixture_log *log) {
    *log = (struct fixture_log){0};
    assert_int_equal(grouped_table_init(&fixture->all, &log->tables, FIXTURE_LONGEST), STATUS_OK);
}

void fixture_log_deinit(struct cache_fixture *fixture, struct fixture_log *log) {
    fixture_park(fixture, log);
    grouped_table_deinit(&fixture->all, &log->tables);
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

static void make_row(uint64_t state, int group, int plane, uint64_t row[2]) {
    row[0] = mix(state + (uint64_t)(2 * group + plane));
    row[1] = ~row[0];
}

static char *row_at(const struct cache_fixture *fixture, const struct fixture_log *log, int32_t at,
                    int group, int plane) {
    const struct kv_cache *shape = &fixture->shapes[group];
    const struct block_index block = log->tables.of[group].blocks[at / FIXTURE_BLOCK];
    const int32_t row = shape->state_bytes > 0 ? 0 : at % FIXTURE_BLOCK;
    return (char *)shape->data + block.number * kv_block_bytes(shape) +
           (size_t)plane * kv_plane_bytes(shape) + (size_t)row * FIXTURE_ROW_BYTES;
}

// Of a token's rows in a group, does a block have them? Of states those of its last token alone.
static bool is_kept(const struct cache_fixture *fixture, const struct fixture_log *log, int32_t at,
                    int group, int32_t cached) {
    if (kind_of(fixture, group) != CACHE_STATE) return true;
    if (!block_valid(log->tables.of[group].blocks[at / FIXTURE_BLOCK])) return false;
    return (at + 1) % FIXTURE_BLOCK == 0 || at + 1 == cached;
}

enum status fixture_begin(struct cache_fixture *fixture, struct fixture_log *log, int32_t end) {
    const struct grouped_cache *all = &fixture->all;
    assert_false(log->pending);
    assert_int_equal(log->cached, log->tables.of[0].length);
    uint32_t left[KV_GROUPS] = {0};
    for (int i = 0; i < all->count; i++) {
        const uint32_t free = block_pool_free(block_cache_pool(all->groups[i]));
        const uint32_t need = block_cache_need(all->groups[i], &log->tables.of[i], end);
        left[i] = free > need ? free - need : 0;
    }
    if (grouped_cache_grow(all, &log->tables, end) != STATUS_OK) return STATUS_FULL;
    for (int i = 0; i < all->count; i++) {
        const struct block_pool *pool = block_cache_pool(all->groups[i]);
        assert_int_equal(block_pool_free(pool), left[i]); // exactly what was said
        for (int32_t at = log->cached; at < end; at++) {  // what may be written is nobody else's
            const struct block_index block = log->tables.of[i].blocks[at / FIXTURE_BLOCK];
            if (kind_of(fixture, i) == CACHE_STATE && at + 1 < end) continue;
            assert_int_equal(block_pool_references(pool, block), 1);
            assert_false(node_valid(block_pool_node(pool, block)));
        }
    }
    log->pending = true;
    return STATUS_OK;
}

void fixture_commit(struct cache_fixture *fixture, struct fixture_log *log) {
    assert_true(log->pending);
    const int32_t end = log->tables.of[0].length;
    for (int32_t at = log->cached; at < end; at++)
        for (int i = 0; i < 2 * fixture->all.count; i++) {
            uint64_t row[2];
            if (kind_of(fixture, i / 2) == CACHE_STATE && at + 1 < end) continue;
            make_row(log->states[at], i / 2, i % 2, row);
            memcpy(row_at(fixture, log, at, i / 2, i % 2), row, sizeof row);
        }
    grouped_cache_commit(&fixture->all, &log->tables, log->ids, log->cached, log->length, 0);
    log->cached = end;
    log->pending = false;
}

void fixture_compute(struct cache_fixture *fixture, struct fixture_log *log) {
    if (log->cached == log->length) return;
    assert_int_equal(fixture_begin(fixture, log, log->length), STATUS_OK);
    fixture_commit(fixture, log);
    fixture_check(fixture);
}

void fixture_fork(struct cache_fixture *fixture, const struct fixture_log *log,
                  struct fixture_log *fork) {
    memcpy(fork->ids, log->ids, sizeof fork->ids);
    memcpy(fork->states, log->states, sizeof fork->states);
    fork->length = log->length;
    fork->cached = grouped_table_last(&fixture->all, &log->tables, log->cached);
    grouped_table_fork(&fixture->all, &log->tables, fork->cached, &fork->tables);
}

void fixture_truncate(struct cache_fixture *fixture, struct fixture_log *log, int32_t length) {
    assert_false(log->pending);
    log->length = length;
    if (log->cached <= length) return;
    log->cached = grouped_cache_truncate(&fixture->all, &log->tables, log->ids, length);
}

void fixture_park(struct cache_fixture *fixture, struct fixture_log *log) {
    assert_false(log->pending);
    log->cached = grouped_cache_truncate(&fixture->all, &log->tables, log->ids, 0);
}

int32_t fixture_adopt(struct cache_fixture *fixture, struct fixture_log *log) {
    const int32_t before = log->cached;
    log->cached = grouped_cache_adopt(&fixture->all, &log->tables, log->ids, log->length);
    assert_int_equal(log->cached, log->tables.of[0].length);
    fixture_verify(fixture, log);
    return log->cached - before;
}

void fixture_plan(struct cache_fixture *fixture, const struct fixture_log *log, int32_t length,
                  enum kv_restore mode, double us_per_token, struct restore_plan *plan) {
    grouped_cache_plan(&fixture->all, &log->tables, log->ids, length, mode, us_per_token, plan);
}

int32_t fixture_restore(struct cache_fixture *fixture, struct fixture_log *log,
                        enum kv_restore mode, struct restore_tally *tally) {
    const int32_t before = log->cached;
    struct restore_plan plan;
    *tally = (struct restore_tally){0};
    fixture_plan(fixture, log, log->length, mode, 100, &plan);
    for (;;) {
        const enum restore_outcome outcome =
            grouped_cache_restore(&fixture->all, &log->tables, log->ids, plan.target, tally);
        fixture_check(fixture);
        if (outcome != RESTORE_WAITS) break;
        assert_true(fixture_work(fixture) > 0);
    }
    log->cached = grouped_cache_settle(&fixture->all, &log->tables);
    fixture_verify(fixture, log);
    if (fixture->options.window == 0 && !fixture->options.states)
        assert_int_equal(log->cached - before,
                         tally->device_tokens + tally->host_tokens + tally->disk_tokens);
    return log->cached - before;
}

void fixture_verify(const struct cache_fixture *fixture, const struct fixture_log *log) {
    assert_true((log->pending && fixture->options.states) ||
                grouped_table_reaches(&fixture->all, &log->tables, log->cached));
    for (int i = 0; i < fixture->all.count && log->cached > 0; i++) { // all that is seen next
        const int32_t first = log->tables.of[i].first * FIXTURE_BLOCK;
        const int32_t begin = log->cached + 1 - reach_of(fixture, i);
        const bool windowed = kind_of(fixture, i) == CACHE_WINDOW;
        if (kind_of(fixture, i) == CACHE_STATE) continue;
        assert_in_range(first, 0, windowed && begin > 0 ? begin : 0);
    }
    for (int i = 0; i < 2 * fixture->all.count; i++)
        for (int32_t at = log->tables.of[i / 2].first * FIXTURE_BLOCK; at < log->cached; at++) {
            uint64_t row[2];
            if (!is_kept(fixture, log, at, i / 2, log->cached)) continue;
            make_row(log->states[at], i / 2, i % 2, row);
            if (memcmp(row_at(fixture, log, at, i / 2, i % 2), row, sizeof row) != 0)
                fail_msg("token %d of %d has another's KV in group %d", (int)at, (int)log->cached,
                         i / 2);
        }
}

int32_t fixture_depth(struct cache_fixture *fixture, const struct fixture_log *log) {
    struct node_index leaf = NODE_NONE;
    int32_t depth = 0;
    while ((depth + 1) * FIXTURE_BLOCK <= log->length) {
        const struct node_index next =
            block_cache_leaf(fixture->cache, log->ids, (depth + 1) * FIXTURE_BLOCK);
        if (node_equal(next, leaf)) break;
        leaf = next;
        depth++;
    }
    return depth;
}

struct kv_usage fixture_usage(const struct cache_fixture *fixture) {
    struct kv_usage usage;
    grouped_cache_usage(&fixture->all, &usage);
    return usage;
}
