// tests/engine/kv/test_cache_walk.c — device, host and disk at random, against token logs.
//
// The model is the plainest there is: a log of token ids for each table. Whatever the cache does,
// every token that a table says it has must have the KV that its own prefix gives, and the sums
// must be exact. A walk is cut into days: the cache is closed and opened again on the same store.
#include "engine/kv/lending.h"
#include "tests/check.h" // cmocka and the headers that it wants first
#include "tests/engine/kv/cache_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef WALK_STEPS
#define WALK_STEPS 600000
#endif

enum { WALKS = 10, MIXED = 4, LOGS = 9, CONVERSATIONS = 6, STEPS_OF_A_DAY = 600 };

struct actor {
    struct fixture_log log;
    bool alive, restoring;
    int32_t target; // of the restore
    struct restore_tally tally;
};

struct held { // a saved conversation, as the model knows it
    bool held;
    int32_t tokens;
    int32_t ids[FIXTURE_LONGEST];
};

struct coverage { // what the walk has come to; each must
    uint64_t full, preempted, copied, adopted, restored, waited, no_room, failed_steps, stripped,
        tidy_days, rough_days, found, foreign_days, skipped;
};

struct walk {
    struct cache_fixture fixture;
    struct actor actors[LOGS];
    struct held held[CONVERSATIONS];
    bool tidy, faulty; // of the day
    bool damaged;      // the disk has a record that cannot be read
    struct coverage coverage;
    struct kv_usage sums; // of the days that are over
};

static uint64_t random_state;

static uint32_t dice(uint32_t sides) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % sides);
}

static struct actor *any_actor(struct walk *w, bool idle) {
    const uint32_t first = dice(LOGS);
    for (uint32_t i = 0; i < LOGS; i++) {
        struct actor *a = &w->actors[(first + i) % LOGS];
        if (a->alive && (!idle || !a->log.pending)) return a;
    }
    return NULL;
}

// A restore ends, early or not.
static void settle(struct walk *w, struct actor *a) {
    a->restoring = false;
    a->log.cached = grouped_cache_settle(&w->fixture.all, &a->log.tables);
}

static void park(struct walk *w, struct actor *a) {
    settle(w, a);
    fixture_park(&w->fixture, &a->log);
}

// As the engine does it: where nothing can be evicted, an idle table goes, but never `self`.
static bool make_room(struct walk *w, const struct actor *self) {
    for (int i = 0; i < LOGS; i++) {
        struct actor *a = &w->actors[i];
        if (!a->alive || a == self || a->log.pending || a->log.cached == 0) continue;
        w->coverage.preempted++;
        park(w, a);
        return true;
    }
    return false;
}

// Few ids, so that logs coincide; now and then a new one, so that they differ.
static void push_some(struct walk *w, struct actor *a, int32_t count) {
    while (count-- > 0 && a->log.length < FIXTURE_LONGEST)
        fixture_push(&w->fixture, &a->log, (int32_t)(dice(12) ? 0 : dice(3)));
}

// ---- steps; each gets an actor

static void step_begin(struct walk *w, struct actor *a) {
    if (a->log.pending || a->restoring) return;
    if (a->log.cached == a->log.length) push_some(w, a, 1 + (int32_t)dice(12));
    const int32_t left = a->log.length - a->log.cached;
    if (left == 0) return;
    const int32_t end = a->log.cached + 1 + (int32_t)dice((uint32_t)left);
    const int32_t tail = a->log.tables.of[0].count - 1;
    const struct block_index last = tail >= 0 ? a->log.tables.of[0].blocks[tail] : BLOCK_NONE;
    while (fixture_begin(&w->fixture, &a->log, end) != STATUS_OK)
        if (!make_room(w, a)) {
            w->coverage.full++;
            return;
        }
    w->coverage.copied += tail >= 0 && !block_equal(a->log.tables.of[0].blocks[tail], last);
}

static void step_commit(struct walk *w, struct actor *a) {
    if (!a->log.pending) return;
    if (dice(40)) {
        fixture_commit(&w->fixture, &a->log);
        return;
    }
    a->log.cached = grouped_table_last(&w->fixture.all, &a->log.tables, a->log.cached);
    grouped_table_drop(&w->fixture.all, &a->log.tables, a->log.cached);
    a->log.pending = false; // the device failed
    w->coverage.failed_steps++;
}

static void step_fork(struct walk *w, struct actor *a) {
    struct actor *fork = any_actor(w, true);
    if (!fork || fork == a) return;
    if (fork->log.cached > 20 && dice(4)) return; // else hardly any gets long
    park(w, fork);
    fixture_fork(&w->fixture, &a->log, &fork->log);
    if (dice(2)) {
        fixture_truncate(&w->fixture, &fork->log, (int32_t)dice((uint32_t)fork->log.length + 1));
        push_some(w, fork, 1 + (int32_t)dice(4));
    }
}

static void step_truncate(struct walk *w, struct actor *a) {
    if (a->log.pending) return;
    settle(w, a);
    fixture_truncate(&w->fixture, &a->log, (int32_t)dice((uint32_t)a->log.length + 1));
}

static void step_reopen_last(struct walk *w, struct actor *a) { // before it is computed again
    if (a->log.pending || a->restoring || a->log.cached == 0) return;
    const int32_t length = a->log.length;
    const int32_t cached = a->log.cached;
    if (cached < length) return;
    a->log.cached = grouped_cache_truncate(&w->fixture.all, &a->log.tables, a->log.ids, cached - 1);
}

static void step_park(struct walk *w, struct actor *a) {
    if (!a->log.pending) park(w, a);
}

static void step_replace(struct walk *w, struct actor *a) { // another conversation
    if (a->log.pending) return;
    const struct actor *other = any_actor(w, false);
    park(w, a);
    fixture_log_deinit(&w->fixture, &a->log);
    fixture_log_init(&w->fixture, &a->log);
    const int32_t common = (int32_t)dice((uint32_t)other->log.length + 1);
    for (int32_t i = 0; other != a && i < common; i++)
        fixture_push(&w->fixture, &a->log, other->log.ids[i]);
    push_some(w, a, (int32_t)dice(30));
}

static void step_adopt(struct walk *w, struct actor *a) {
    if (a->log.pending || a->restoring) return;
    w->coverage.adopted += fixture_adopt(&w->fixture, &a->log) > 0;
}

static void step_plan(struct walk *w, struct actor *a) {
    if (a->log.pending || a->restoring) return;
    if (dice(2)) step_adopt(w, a);
    const enum kv_restore mode = (enum kv_restore)dice(3);
    struct restore_plan plan;
    fixture_plan(&w->fixture, &a->log, a->log.length, mode, dice(4) ? dice(200) : 0, &plan);
    assert_in_range(plan.target, a->log.cached, a->log.length);
    assert_in_range(plan.target + plan.left_tokens, plan.target, a->log.length);
    assert_true(plan.restore_us >= 0 && plan.left_us >= 0 && plan.prefill_us >= 0);
    if (mode == KV_RESTORE_ALWAYS) assert_int_equal(plan.left_tokens, 0);
    if (mode == KV_RESTORE_NEVER) assert_int_equal(plan.restore_us, 0);
    a->target = plan.target;
    a->restoring = plan.target > a->log.cached;
    a->tally = (struct restore_tally){0};
}

static void step_restore(struct walk *w, struct actor *a) {
    if (!a->restoring) return;
    enum restore_outcome outcome;
    const int32_t before = a->log.tables.of[0].length;
    const struct restore_tally had = a->tally;
    do {
        outcome = grouped_cache_restore(&w->fixture.all, &a->log.tables, a->log.ids, a->target,
                                        &a->tally);
        fixture_check(&w->fixture);
        w->coverage.no_room += outcome == RESTORE_FULL;
    } while (outcome == RESTORE_FULL && make_room(w, a));
    a->log.cached = grouped_cache_usable(&w->fixture.all, &a->log.tables);
    const int32_t length = a->log.tables.of[0].length;
    assert_true(length <= a->target);
    if (!w->fixture.options.windows_alone)
        assert_int_equal(length - before, a->tally.device_tokens + a->tally.host_tokens +
                                              a->tally.disk_tokens - had.device_tokens -
                                              had.host_tokens - had.disk_tokens);
    w->sums.work.host_hit_tokens += (uint64_t)(a->tally.host_tokens - had.host_tokens);
    w->sums.work.disk_hit_tokens += (uint64_t)(a->tally.disk_tokens - had.disk_tokens);
    w->coverage.restored += length > before;
    w->coverage.skipped +=
        w->fixture.options.window > 0 && a->log.tables.of[w->fixture.all.count - 1].first > 0;
    w->coverage.waited += outcome == RESTORE_WAITS;
    const bool gives_up = dice(20) == 0; // as by the clock
    if (outcome != RESTORE_WAITS || gives_up) settle(w, a);
}

// Mostly what is there is brought back before the rest is computed, as the engine does it.
static void step_compute(struct walk *w, struct actor *a) {
    if (a->log.cached < a->log.length && !a->log.pending && !a->restoring && dice(4))
        step_plan(w, a);
    step_restore(w, a);
    step_begin(w, a);
    if (a->log.pending && dice(4)) step_commit(w, a);
}

static struct block_cache *any_cache(const struct walk *w) {
    return w->fixture.all.groups[dice((uint32_t)w->fixture.all.count)];
}

static void step_disk(struct walk *w, struct actor *a) {
    (void)a;
    for (uint32_t jobs = 1 + dice(4); jobs > 0; jobs--)
        if (!block_cache_work_disk(any_cache(w))) break;
}

static void step_write(struct walk *w, struct actor *a) {
    (void)grouped_cache_write_behind(&w->fixture.all);
    if (dice(2)) step_disk(w, a);
}

static void step_seal_tail(struct walk *w, struct actor *a) {
    const uint32_t group = dice((uint32_t)w->fixture.all.count);
    if (a->log.pending || a->restoring) return;
    if (a->log.tables.of[group].sparse)
        grouped_cache_seal_state(&w->fixture.all, &a->log.tables, a->log.ids);
    else
        block_cache_seal_tail(w->fixture.all.groups[group], &a->log.tables.of[group], a->log.ids);
}

static void step_pin(struct walk *w, struct actor *a) {
    if (dice(4) == 0) grouped_cache_pin(&w->fixture.all, &a->log.tables, (int32_t)dice(20));
}

// Whether or not there is room for the wish, every table and node keeps its rows.
static void step_give_up(struct block_cache *cache) {
    const struct block_pool *pool = block_cache_pool(cache);
    const uint32_t total = block_pool_total(pool), count = 1 + dice(total / 4);
    const struct lending_wish wish = {
        .first = total - count, .count = count, .free = count + dice(total / 2)};
    if (!block_cache_give_up(cache, &wish)) return;
    assert_true(block_pool_free(pool) >= wish.free);
    for (uint32_t i = wish.first; i < total; i++) {
        const struct block_index block = {i};
        assert_int_equal(block_pool_references(pool, block), 0);
        assert_false(node_valid(block_pool_node(pool, block)));
    }
}

static void step_evict(struct walk *w, struct actor *a) {
    (void)a;
    struct block_cache *cache = any_cache(w);
    const uint32_t free = block_pool_free(block_cache_pool(cache));
    const uint32_t room = block_cache_available(cache), blocks = free + dice(4);
    if (dice(2)) {
        step_give_up(cache);
        return;
    }
    assert_int_equal(block_cache_make_free(cache, blocks), blocks <= room);
}

static void step_reference(struct walk *w, struct actor *a) {
    const uint32_t number = dice(CONVERSATIONS);
    struct held *held = &w->held[number];
    const uint64_t conversation = number + 1;
    if (w->tidy) fixture_work(&w->fixture);
    switch (dice(4)) {
    case 0:
        grouped_cache_release(&w->fixture.all, conversation);
        *held = (struct held){0};
        break;
    case 1: {
        const uint32_t room = block_cache_available(w->fixture.cache);
        w->coverage.stripped += grouped_cache_strip(&w->fixture.all, conversation) > 0;
        *held = (struct held){0};
        assert_int_equal(block_cache_available(w->fixture.cache), room);
        break;
    }
    default: {
        const struct node_index leaf =
            block_cache_leaf(w->fixture.cache, a->log.ids, a->log.length);
        if (w->tidy && !node_valid(leaf)) break;
        grouped_cache_reference(&w->fixture.all, conversation, a->log.ids, a->log.length);
        held->held = node_valid(leaf);
        held->tokens = fixture_depth(&w->fixture, &a->log) * FIXTURE_BLOCK;
        memcpy(held->ids, a->log.ids, sizeof held->ids);
        break;
    }
    }
}

static void step_trouble(struct walk *w, struct actor *a) {
    static const enum status reads[] = {STATUS_IO, STATUS_NOT_FOUND, STATUS_BAD_FILE};
    struct memory_store *store = w->fixture.store;
    (void)a;
    switch (dice(4)) {
    case 0:
        if (w->faulty) memory_store_fail_read(store, 1 + dice(12), reads[dice(3)]);
        break;
    case 1: // even on a tidy day: nothing is lost by it
        memory_store_fail_write(store, 1 + dice(3), dice(2) ? STATUS_IO : STATUS_FULL);
        break;
    case 2:
        if (w->faulty) w->damaged |= memory_store_damage(store, dice(40));
        break;
    default:
        fixture_pass_time(31000000); // what failed to be written is tried again
    }
}

typedef void step(struct walk *w, struct actor *a);

static step *const STEPS[] = {
    step_compute,     step_compute, step_compute, step_compute,   step_compute, step_compute,
    step_compute,     step_compute, step_compute, step_compute,   step_begin,   step_begin,
    step_commit,      step_commit,  step_commit,  step_fork,      step_fork,    step_truncate,
    step_reopen_last, step_park,    step_replace, step_replace,   step_adopt,   step_adopt,
    step_plan,        step_plan,    step_plan,    step_restore,   step_restore, step_restore,
    step_restore,     step_restore, step_disk,    step_disk,      step_write,   step_write,
    step_seal_tail,   step_pin,     step_evict,   step_reference, step_trouble,
};

// ---- what must hold after each step

static void check_group(const struct walk *w, int group) {
    const struct block_pool *pool = block_cache_pool(w->fixture.all.groups[group]);
    uint32_t references[64] = {0};
    for (int i = 0; i < LOGS; i++) {
        const struct block_table *table = &w->actors[i].log.tables.of[group];
        block_table_check(table, pool);
        for (int32_t j = table->first; j < table->count; j++)
            if (block_valid(table->blocks[j])) references[table->blocks[j].number]++;
    }
    for (uint32_t i = 0; i < block_pool_total(pool); i++)
        assert_int_equal(block_pool_references(pool, (struct block_index){i}), references[i]);
}

static void check_device(struct walk *w) {
    const struct kv_usage usage = fixture_usage(&w->fixture);
    for (int i = 0; i < w->fixture.all.count; i++)
        check_group(w, i);
    for (int i = 0; i < usage.group_count; i++) {
        const struct kv_group_usage *group = &usage.groups[i];
        assert_int_equal(group->device_held + group->device_cached + group->device_free,
                         group->device_blocks);
        assert_int_equal(group->host_cached + group->host_moving + group->host_free,
                         group->host_blocks);
    }
    if (w->fixture.options.no_disk) assert_int_equal(usage.groups[0].host_moving, 0);
    assert_true(usage.disk_blocks <= 2 * (w->fixture.options.disk_blocks + 64));
}

// With nothing on its way, no slot is held, and what the cache believes to be on the disk is there.
static void check_idle(struct walk *w) {
    fixture_work(&w->fixture);
    const struct kv_usage usage = fixture_usage(&w->fixture);
    assert_int_equal(usage.groups[0].host_moving, 0);
    if (w->fixture.all.count > 1 && w->faulty) return; // one group's pool may drop the other's
    assert_true(usage.disk_blocks <= memory_store_blocks(w->fixture.store));
}

static bool same_beginning(const struct held *a, const struct held *b, int32_t tokens) {
    return a->tokens >= tokens && b->tokens >= tokens &&
           memcmp(a->ids, b->ids, (size_t)tokens * sizeof a->ids[0]) == 0;
}

static void check_references(struct walk *w) {
    uint64_t names[CONVERSATIONS];
    struct conversation_usage usage[CONVERSATIONS];
    for (uint32_t i = 0; i < CONVERSATIONS; i++)
        names[i] = i + 1;
    block_cache_conversation_usage(w->fixture.cache, names, CONVERSATIONS, false, usage);
    for (int i = 0; i < CONVERSATIONS; i++) {
        uint32_t shared = 0;
        const struct held *held = &w->held[i];
        const int32_t tokens = held->held ? held->tokens : 0;
        for (int32_t end = FIXTURE_BLOCK; end <= tokens; end += FIXTURE_BLOCK) {
            bool is_shared = false;
            for (int j = 0; j < CONVERSATIONS; j++)
                is_shared |= j != i && w->held[j].held && same_beginning(held, &w->held[j], end);
            shared += is_shared;
        }
        const int32_t tail = usage[i].tokens - tokens;
        assert_in_range(tail, 0, FIXTURE_BLOCK - 1);
        assert_in_range(usage[i].shared_blocks - shared, 0, tail > 0);
        assert_int_equal(usage[i].shared_blocks + usage[i].unique_blocks,
                         tokens / FIXTURE_BLOCK + (tail > 0));
        assert_true(usage[i].device_tokens + usage[i].host_tokens + usage[i].disk_tokens <=
                    usage[i].tokens);
    }
}

static void check_all(struct walk *w, const struct actor *a, uint64_t number) {
    fixture_check(&w->fixture);
    check_device(w);
    if (a) fixture_verify(&w->fixture, &a->log);
    if (number % 16) return;
    for (int i = 0; i < LOGS; i++)
        fixture_verify(&w->fixture, &w->actors[i].log);
    check_references(w);
}

// ---- days

static void add_sums(struct walk *w) {
    const struct kv_usage usage = fixture_usage(&w->fixture);
    w->sums.evicted_blocks += usage.evicted_blocks;
    w->sums.duplicate_blocks += usage.duplicate_blocks;
    w->sums.lost_blocks += usage.lost_blocks;
    w->sums.failed_reads += usage.failed_reads;
    w->sums.failed_writes += usage.failed_writes;
}

// The references that the pool named: all of them with what they needed, if nothing was lost.
static void learn_references(struct walk *w, bool complete) {
    uint64_t names[CONVERSATIONS];
    struct conversation_usage usage[CONVERSATIONS];
    for (uint32_t i = 0; i < CONVERSATIONS; i++)
        names[i] = i + 1;
    block_cache_conversation_usage(w->fixture.cache, names, CONVERSATIONS, false, usage);
    for (int i = 0; i < CONVERSATIONS; i++) {
        struct held *held = &w->held[i];
        if (complete) // and perhaps a tail
            assert_in_range(usage[i].tokens - (held->held ? held->tokens : 0), 0,
                            held->held ? FIXTURE_BLOCK - 1 : 0);
        if (complete) continue; // else it may hold what it held before
        grouped_cache_release(&w->fixture.all, names[i]);
        *held = (struct held){0};
    }
    if (w->tidy) fixture_work(&w->fixture);
}

// What was there last night is there this morning, and right.
static void find_yesterday(struct walk *w, const int32_t depths[LOGS]) {
    for (int i = 0; i < LOGS; i++) {
        struct actor *a = &w->actors[i];
        struct restore_tally tally;
        // More, where a block of an earlier day hangs on one that was written again.
        assert_true(fixture_depth(&w->fixture, &a->log) >= depths[i]);
        fixture_restore(&w->fixture, &a->log, KV_RESTORE_ALWAYS, &tally);
        if (i == 0) assert_int_equal(tally.device_tokens + tally.host_tokens, 0);
        if (i == 0 && !w->fixture.options.states)
            assert_true(a->log.cached >= depths[i] * FIXTURE_BLOCK);
        w->coverage.found += (uint64_t)a->log.cached;
        park(w, a);
    }
}

static void new_options(struct walk *w) {
    struct fixture_options *o = &w->fixture.options;
    o->host_slots = dice(3) ? 4 + dice(16) : 0;
    o->disk_slots = 4 + dice(16);
    o->disk_blocks = dice(3) ? 400 : dice(12);
    o->max_references = 8;
    o->no_disk = dice(6) == 0;
    w->tidy = !o->no_disk && dice(3) == 0;
    w->faulty = !w->tidy && dice(2);
    if (w->tidy) o->disk_blocks = 4000;
    if (w->tidy && dice(2)) o->host_slots = 60;
    if ((w->tidy && w->damaged) || dice(6) == 0) { // a new disk
        memory_store_destroy(w->fixture.store);
        w->damaged = false;
        w->fixture.store = memory_store_create(0);
        assert_non_null(w->fixture.store);
    }
    memory_store_limit(w->fixture.store, w->faulty ? 10 + dice(60) : 0);
    w->fixture.format.high = dice(8) == 0; // now and then another model
    w->coverage.foreign_days += w->fixture.format.high;
    w->fixture.format.low = w->fixture.format.high ? 17 : 5;
}

// Closes and opens the cache. The logs stay, with empty tables.
static void next_day(struct walk *w) {
    int32_t depths[LOGS];
    const struct hash128 format = w->fixture.format;
    for (int i = 0; i < LOGS; i++)
        if (w->actors[i].log.pending) fixture_commit(&w->fixture, &w->actors[i].log);
    for (int i = 0; i < LOGS; i++) {
        depths[i] = fixture_depth(&w->fixture, &w->actors[i].log);
        park(w, &w->actors[i]);
        grouped_table_deinit(&w->fixture.all, &w->actors[i].log.tables);
    }
    if (w->tidy) fixture_work(&w->fixture);
    const struct kv_usage usage = fixture_usage(&w->fixture);
    add_sums(w);
    const bool complete = w->tidy && usage.lost_blocks == 0 && usage.failed_reads == 0;
    if (w->tidy) memory_store_fail_nothing(w->fixture.store);
    w->coverage.rough_days += complete && usage.failed_writes > 0;
    fixture_close(&w->fixture);
    memory_store_check(w->fixture.store);
    memory_store_fail_nothing(w->fixture.store);
    if (!complete || dice(2)) new_options(w);
    const bool same = hash_equal(format, w->fixture.format) && !w->fixture.options.no_disk &&
                      memory_store_blocks(w->fixture.store) > 0 && complete;
    fixture_open(&w->fixture);
    for (int i = 0; i < LOGS; i++) {
        struct fixture_log *log = &w->actors[i].log;
        assert_int_equal(grouped_table_init(&w->fixture.all, &log->tables, FIXTURE_LONGEST),
                         STATUS_OK);
        fixture_rehash(&w->fixture, log);
    }
    const bool roomy = w->fixture.options.disk_blocks >= 400;
    learn_references(w, same && roomy);
    if (!same || !roomy) return;
    w->coverage.tidy_days++;
    find_yesterday(w, depths);
}

// Kinds: no windows; windows too; only windows; states; windows and states; these without layers
// that see everything.
static void walk_init(struct walk *w, uint64_t seed, int kind) {
    *w = (struct walk){.coverage = w->coverage, .sums = w->sums};
    random_state = seed;
    const struct fixture_options options = {.blocks = 12 + dice(14),
                                            .max_references = 8,
                                            .window = kind % 3 == 0 ? 0 : 1 + (int32_t)dice(20),
                                            .windows_alone = kind == 2 || kind == 5,
                                            .states = kind >= 3};
    fixture_init(&w->fixture, &options);
    new_options(w);
    fixture_open(&w->fixture);
    for (int i = 0; i < LOGS; i++) {
        fixture_log_init(&w->fixture, &w->actors[i].log);
        w->actors[i].alive = true;
    }
}

static void walk_deinit(struct walk *w) {
    for (int i = 0; i < LOGS; i++) {
        if (w->actors[i].log.pending) fixture_commit(&w->fixture, &w->actors[i].log);
        fixture_log_deinit(&w->fixture, &w->actors[i].log);
    }
    add_sums(w);
    fixture_deinit(&w->fixture);
}

static uint64_t setting(const char *name, uint64_t usual) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : usual;
}

static void print_coverage(const struct walk *w) {
    const struct coverage *c = &w->coverage;
    printf("no room %llu, parked %llu, copied %llu, adopted %llu, restored %llu, waited %llu, "
           "waited for room %llu, failed steps %llu, stripped %llu\n",
           (unsigned long long)c->full, (unsigned long long)c->preempted,
           (unsigned long long)c->copied, (unsigned long long)c->adopted,
           (unsigned long long)c->restored, (unsigned long long)c->waited,
           (unsigned long long)c->no_room, (unsigned long long)c->failed_steps,
           (unsigned long long)c->stripped);
    printf("days that found all %llu with %llu tokens, complete after failed writes %llu, of "
           "another model %llu\n",
           (unsigned long long)c->tidy_days, (unsigned long long)c->found,
           (unsigned long long)c->rough_days, (unsigned long long)c->foreign_days);
    printf("evicted %llu, duplicates %llu, lost %llu, tokens from host %llu, from disk %llu, "
           "failed reads %llu, writes %llu\n",
           (unsigned long long)w->sums.evicted_blocks, (unsigned long long)w->sums.duplicate_blocks,
           (unsigned long long)w->sums.lost_blocks,
           (unsigned long long)w->sums.work.host_hit_tokens,
           (unsigned long long)w->sums.work.disk_hit_tokens,
           (unsigned long long)w->sums.failed_reads, (unsigned long long)w->sums.failed_writes);
}

static void walk_step(struct walk *w, uint64_t number, bool trace) {
    const uint32_t which = dice(sizeof STEPS / sizeof STEPS[0]);
    struct actor *a = any_actor(w, false);
    if (trace)
        printf("%llu: step %u of log %d, %d of %d tokens\n", (unsigned long long)number,
               (unsigned)which, (int)(a - w->actors), (int)a->log.cached, (int)a->log.length);
    STEPS[which](w, a);
    if (w->tidy && dice(2)) (void)grouped_cache_write_behind(&w->fixture.all);
    if (w->tidy ? dice(2) : !dice(40)) check_idle(w);
    check_all(w, a, number);
    if (dice(STEPS_OF_A_DAY) == 0) next_day(w);
}

// Several walks, as the size of the device is one walk's.
static void every_cached_token_is_right_in_a_random_walk(void **state) {
    (void)state;
    static struct walk w;
    const uint64_t steps = setting("WALK_STEPS", WALK_STEPS);
    const uint64_t seed = setting("WALK_SEED", 20261121);
    const uint64_t trace = setting("WALK_TRACE", UINT64_MAX); // prints the steps from this one on
    for (uint64_t i = 0; i < WALKS + MIXED; i++) {
        printf("seed %llu, %llu steps\n", (unsigned long long)(seed + i),
               (unsigned long long)(steps / WALKS));
        walk_init(&w, seed + i, i < WALKS ? (int)(i % 4) : 4 + (int)(i % 2));
        for (uint64_t number = 1; number <= steps / WALKS; number++)
            walk_step(&w, number, i == 0 && number >= trace);
        walk_deinit(&w);
    }
    print_coverage(&w);
    if (steps < 100000) return;
    const struct coverage *c = &w.coverage; // else the walk has missed its point
    assert_true(c->full > 10 && c->preempted > 100 && c->copied > 100 && c->adopted > 100);
    assert_true(c->restored > 100 && c->waited > 100 && c->no_room > 10 && c->failed_steps > 100);
    assert_true(c->stripped > 100 && c->tidy_days > 10 && c->rough_days > 5 && c->found > 1000 &&
                c->foreign_days > 5 && c->skipped > 100);
    assert_true(w.sums.evicted_blocks > 1000 && w.sums.duplicate_blocks > 100);
    assert_true(w.sums.lost_blocks > 100 && w.sums.work.host_hit_tokens > 1000);
    assert_true(w.sums.work.disk_hit_tokens > 1000);
    assert_true(w.sums.failed_reads > 10 && w.sums.failed_writes > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cached_token_is_right_in_a_random_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
