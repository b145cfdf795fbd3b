// tests/store/disk_cache/test_prefixes.c — a walk over limits, conversations and preambles: what is
// kept are prefixes, as much of them as fits, and every sum is exact.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "tests/store/disk_cache/disk_fixture.h"
#include "tests/store/store_fixture.h"

enum {
    SEEDS = 3,
    TURNS = CHECK_ROUNDS(60, 30),
    PREAMBLES = 3,
    CONVERSATIONS = 8,
    MOST = 160, // blocks of a path
    PAYLOAD = 24000,
    STRIDE = 24576,
    STATE_PAYLOAD = 70000,
    STATE_STRIDE = 73728,
    WINDOW_PAYLOAD = 40000,
    WINDOW_STRIDE = 40960,
    ROW_BYTES = 1024, // that a row may take of the index, and what that may grow by at once
    GROWTH_BYTES = 12 << 10,
};

static const double LEAST_RATIO = 0.95;

struct path {                                  // full blocks, and a tail or 0
    int64_t blocks[MOST], windows[MOST], tail; // windows: the same tokens, in other layers
    int32_t count, preamble;                   // which one it begins with
    bool exists;
    // What it is known to need: what was there when it was used, less what has gone since.
    int32_t needed, state_needed, windows_needed;
    bool tail_needed;
};

struct walk {
    struct disk_fixture kv, second; // second: of states, or of layers with a window
    struct path preambles[PREAMBLES], conversations[CONVERSATIONS];
    bool hybrid, windowed;
    int64_t made;
    uint32_t random;
    double worst_used, worst_all; // of the conversation that was used, and of all there was
    uint64_t wanted, refused;
};

static struct walk walk;
static struct listed listed, listed_windows;
static bool state_made[FIXTURE_BLOCKS], state_there[FIXTURE_BLOCKS]; // after that block

static uint32_t draw_below(uint32_t below) {
    walk.random = walk.random * 1664525u + 1013904223u;
    return (walk.random >> 8) % below;
}

// The fixture's blocks whose numbers 5 divides are short.
static int64_t make_block(bool tail) {
    do
        walk.made++;
    while ((walk.made % 5 == 0) != tail);
    assert_true(walk.made < FIXTURE_BLOCKS);
    return walk.made;
}

static void grow_path(struct path *path, int32_t blocks) {
    for (int32_t i = 0; i < blocks && path->count < MOST; i++) {
        const int64_t number = make_block(false);
        walk.kv.parents[number] = path->count ? path->blocks[path->count - 1] : 0;
        path->blocks[path->count] = number;
        if (walk.windowed) {
            path->windows[path->count] = make_block(false);
            walk.second.parents[path->windows[path->count]] =
                path->count ? path->windows[path->count - 1] : 0;
        }
        path->count++;
    }
}

// ---- what is there

static struct disk_block state_block(int64_t number, int32_t ids[FIXTURE_TOKENS]) {
    struct disk_block block = fixture_block(&walk.kv, number, ids);
    block.parent = block.key;
    return block;
}

static bool read_state(int64_t number) {
    static uint8_t space[STATE_PAYLOAD];
    void *const payload = space;
    int32_t ids[FIXTURE_TOKENS];
    const struct disk_block block = state_block(number, ids);
    enum status outcome;
    walk.second.pool->ops->read(walk.second.pool, &block, &payload, 1, &outcome);
    if (outcome == STATUS_OK)
        assert_memory_equal(space, fixture_payload(&walk.second, number), STATE_PAYLOAD);
    else
        assert_int_equal(outcome, STATUS_NOT_FOUND);
    return outcome == STATUS_OK;
}

static int32_t count_listed(const struct listed *there, const int64_t *blocks, int32_t all) {
    int32_t count = 0;
    while (count < all && there->listed[blocks[count]])
        count++;
    for (int32_t i = count; i < all; i++)
        assert_false(there->listed[blocks[i]]); // whole prefixes
    return count;
}

static int32_t count_there(const struct path *path) {
    return count_listed(&listed, path->blocks, path->count);
}

static int32_t count_windows(const struct path *path) {
    return walk.windowed ? count_listed(&listed_windows, path->windows, path->count) : 0;
}

// Blocks after which the conversation can go on; with a state, one of those after which one is;
// with windows, one that has what is before it in all layers.
static int32_t count_found(const struct path *path, int32_t count) {
    const int32_t windows = count_windows(path);
    if (walk.windowed && windows < count) return windows;
    while (walk.hybrid && count > 0 && !state_there[path->blocks[count - 1]])
        count--;
    return count;
}

static void look_at_listing(void) {
    disk_fixture_list(&walk.kv, &listed);
    if (walk.windowed) disk_fixture_list(&walk.second, &listed_windows);
    for (int64_t i = 1; i <= walk.made; i++)
        state_there[i] = state_made[i] && read_state(i);
    for (int i = 0; i < CONVERSATIONS; i++) {
        struct path *path = &walk.conversations[i];
        const int32_t there = count_there(path);
        if (there < path->needed) path->needed = there;
        if (count_windows(path) < path->windows_needed) path->windows_needed = count_windows(path);
        path->state_needed = count_found(path, path->state_needed);
        path->tail_needed = path->tail_needed && listed.listed[path->tail];
    }
}

// ---- a turn, as the engine writes it

static void write_some(struct disk_fixture *fixture, const int64_t *blocks, int32_t count) {
    const enum status status = disk_fixture_write_these(fixture, blocks, count);
    if (status != STATUS_OK && status != STATUS_FULL && status != STATUS_NOT_FOUND)
        must(status, &fixture->err);
    walk.refused += status != STATUS_OK;
}

// Two groups of layers have a writer each: now one is ahead, now the other.
static void write_missing(const struct path *path) {
    for (int32_t at = 0; at < path->count; at += DISK_MAX_BATCH) {
        const int32_t left = path->count - at;
        const int32_t count = left < DISK_MAX_BATCH ? left : DISK_MAX_BATCH;
        const bool windows_first = walk.windowed && draw_below(2);
        if (windows_first) write_some(&walk.second, path->windows + at, count);
        write_some(&walk.kv, path->blocks + at, count);
        if (walk.windowed && !windows_first) write_some(&walk.second, path->windows + at, count);
    }
}

// It was dropped for what this turn has written: who needed it needs one above it, if any.
static void lose_state(int64_t number) {
    state_there[number] = false;
    for (int i = 0; i < CONVERSATIONS; i++)
        walk.conversations[i].state_needed =
            count_found(&walk.conversations[i], walk.conversations[i].state_needed);
}

static void write_state(struct path *path, int32_t count) {
    int32_t ids[FIXTURE_TOKENS];
    if (!walk.hybrid || count == 0) return;
    if (!read_state(path->blocks[count - 1])) lose_state(path->blocks[count - 1]);
    const struct disk_block block = state_block(path->blocks[count - 1], ids);
    const void *const payload = fixture_payload(&walk.second, path->blocks[count - 1]);
    enum status outcome;
    must(walk.second.pool->ops->write(walk.second.pool, &block, &payload, 1, &outcome,
                                      &walk.second.err),
         &walk.second.err);
    state_made[path->blocks[count - 1]] = true;
}

static void refer(struct path *path, uint64_t conversation) {
    look_at_listing();
    const int32_t there = count_there(path), found = count_found(path, there);
    const bool has_tail = path->tail && listed.listed[path->tail];
    const int64_t leaf = has_tail ? path->tail : there ? path->blocks[there - 1] : 0;
    if (leaf) disk_fixture_reference(&walk.kv, conversation, leaf);
    if (found && walk.hybrid)
        walk.second.pool->ops->reference(walk.second.pool, conversation,
                                         fixture_key(path->blocks[found - 1]));
    const int32_t windows = count_windows(path);
    if (windows) disk_fixture_reference(&walk.second, conversation, path->windows[windows - 1]);
    path->needed = there;
    path->windows_needed = windows;
    path->state_needed = found;
    path->tail_needed = has_tail;
}

static void begin_path(struct path *path) {
    const int32_t preamble = (int32_t)draw_below(PREAMBLES);
    *path = walk.preambles[preamble];
    path->preamble = preamble;
    path->exists = true;
}

static uint64_t index_bytes(void) {
    struct disk_cache_summary summary;
    must(disk_cache_summarise(walk.kv.folder, &summary, &walk.kv.err), &walk.kv.err);
    const uint64_t bytes = summary.index_bytes;
    disk_cache_summary_deinit(&summary);
    return bytes;
}

// Bytes of slots that fit the limit.
static uint64_t capacity(void) {
    const uint64_t taken = index_bytes() + GROWTH_BYTES;
    if (walk.kv.limit_bytes == 0) return UINT64_MAX / 2;
    return walk.kv.limit_bytes > taken ? walk.kv.limit_bytes - taken : 0;
}

// The most blocks of the path that fit by themselves: with a state, up to one that there is.
static int32_t count_best(const struct path *path, uint64_t bytes, const bool *states) {
    for (int32_t count = path->count; count > 0; count--) {
        const bool stands = !walk.hybrid || states[path->blocks[count - 1]];
        const uint64_t each = STRIDE + ROW_BYTES + (walk.windowed ? WINDOW_STRIDE + ROW_BYTES : 0);
        const uint64_t need = (uint64_t)count * each + (walk.hybrid ? STATE_STRIDE + ROW_BYTES : 0);
        if (stands && need <= bytes) return count;
    }
    return 0;
}

// Of blocks, in whole ones.
static uint64_t least_of(uint64_t wanted, uint64_t bytes) {
    const uint64_t fitting = bytes / (STRIDE + ROW_BYTES) * STRIDE;
    return wanted < fitting ? wanted : fitting;
}

static void note_ratio(double *worst, uint64_t found, uint64_t best) {
    if (best == 0) return;
    const double ratio = (double)found / (double)best;
    if (ratio < *worst) *worst = ratio;
    if (ratio < LEAST_RATIO)
        print_message("%" PRIu64 " of %" PRIu64 " at a limit of %" PRIu64 "\n", found, best,
                      walk.kv.limit_bytes);
}

static uint64_t bytes_there(void) {
    uint64_t bytes = (uint64_t)listed.count * STRIDE;
    if (walk.windowed) bytes += (uint64_t)listed_windows.count * WINDOW_STRIDE;
    for (int64_t i = 0; i < FIXTURE_BLOCKS; i++)
        bytes += state_there[i] ? STATE_STRIDE : 0;
    return bytes;
}

static void take_turn(void) {
    const uint64_t conversation = draw_below(CONVERSATIONS);
    struct path *path = &walk.conversations[conversation];
    static bool states[FIXTURE_BLOCKS];
    disk_fixture_sql(&walk.kv, "UPDATE kv_slot SET used = used - 200");
    if (!path->exists) begin_path(path);
    if (walk.windowed) refer(path, conversation); // as when it is resumed: both groups are used now
    grow_path(path, 1 + (int32_t)draw_below(draw_below(4) ? 6 : 40));
    path->tail = 0;
    path->tail_needed = false;
    look_at_listing();
    const uint64_t before = bytes_there(), there = (uint64_t)count_there(path);
    const int32_t preamble = walk.preambles[path->preamble].count;
    const int32_t found = count_found(path, count_there(path));
    memcpy(states, state_there, sizeof states);
    write_missing(path);
    if (found < preamble) write_state(path, preamble); // it was computed again
    write_state(path, path->count);
    if (!walk.windowed && draw_below(2)) {
        path->tail = make_block(true);
        walk.kv.parents[path->tail] = path->blocks[path->count - 1];
        (void)!disk_fixture_write_these(&walk.kv, &path->tail, 1);
    }
    refer(path, conversation);
    look_at_listing();
    const uint64_t bytes = capacity();
    if (walk.hybrid) { // those that were written now are there to be chosen, too
        if (found < preamble) states[path->blocks[preamble - 1]] = true;
        states[path->blocks[path->count - 1]] = true;
    }
    note_ratio(&walk.worst_used, (uint64_t)count_found(path, count_there(path)),
               (uint64_t)count_best(path, bytes, states));
    const uint64_t wanted = before + ((uint64_t)path->count - there) * STRIDE;
    if (!walk.hybrid && !walk.windowed)
        note_ratio(&walk.worst_all, bytes_there(), least_of(wanted, bytes));
}

// ---- the limit

static void change_limit(void) {
    static bool states[FIXTURE_BLOCKS];
    int32_t cut[PREAMBLES] = {0}, users[PREAMBLES] = {0};
    look_at_listing();
    memcpy(states, state_there, sizeof states);
    const uint64_t before = bytes_there();
    for (int i = 0; i < PREAMBLES; i++) {
        cut[i] = -count_there(&walk.preambles[i]);
        for (int k = 0; k < CONVERSATIONS; k++)
            users[i] += walk.conversations[k].preamble == i &&
                        walk.conversations[k].needed >= walk.preambles[i].count;
    }
    disk_fixture_close(&walk.kv);
    disk_fixture_close(&walk.second);
    walk.kv.limit_bytes = walk.second.limit_bytes = (uint64_t)(300 + draw_below(4000)) * 1024;
    disk_fixture_open(&walk.kv);
    disk_fixture_open(&walk.second);
    assert_true(disk_fixture_stored(&walk.kv) <= walk.kv.limit_bytes);
    look_at_listing();
    const uint64_t bytes = capacity();
    if (!walk.hybrid && !walk.windowed)
        note_ratio(&walk.worst_all, bytes_there(), least_of(before, bytes));
    int32_t private_blocks = 0;
    for (int i = 0; i < CONVERSATIONS; i++) {
        const struct path *path = &walk.conversations[i];
        if (path->exists && count_there(path) > walk.preambles[path->preamble].count)
            private_blocks++;
    }
    for (int i = 0; i < PREAMBLES; i++) {
        cut[i] += count_there(&walk.preambles[i]);
        if (users[i] >= 2 && cut[i] < 0) assert_true(walk.hybrid || private_blocks == 0);
    }
}

static void forget_one(void) {
    const uint64_t conversation = draw_below(CONVERSATIONS);
    walk.conversations[conversation] = (struct path){0};
    disk_fixture_reference(&walk.kv, conversation, 0);
}

// ---- sums

struct need { // of conversations
    uint8_t users[FIXTURE_BLOCKS], state_users[FIXTURE_BLOCKS], window_users[FIXTURE_BLOCKS];
    uint64_t tokens[CONVERSATIONS];
};

static void need_all(struct need *need) {
    *need = (struct need){0};
    for (int i = 0; i < CONVERSATIONS; i++) {
        const struct path *path = &walk.conversations[i];
        if (!path->exists) continue;
        for (int32_t k = 0; k < path->needed; k++)
            need->users[path->blocks[k]]++;
        for (int32_t k = 0; k < path->windows_needed; k++)
            need->window_users[path->windows[k]]++;
        const int32_t most =
            path->needed > path->windows_needed ? path->needed : path->windows_needed;
        need->tokens[i] = (uint64_t)most * FIXTURE_TOKENS;
        if (path->tail_needed) {
            need->users[path->tail]++;
            need->tokens[i] += 3;
        }
        if (path->state_needed > 0 && walk.hybrid)
            need->state_users[path->blocks[path->state_needed - 1]]++;
    }
}

static void check_sums(void) {
    static struct need need;
    struct disk_cache_summary summary;
    look_at_listing();
    need_all(&need);
    must(disk_cache_summarise(walk.kv.folder, &summary, &walk.kv.err), &walk.kv.err);
    assert_int_equal(summary.stored_bytes,
                     summary.block_bytes + summary.free_bytes + summary.index_bytes);
    assert_int_equal(summary.stored_bytes, disk_fixture_stored(&walk.kv));
    assert_int_equal(summary.block_bytes, bytes_there());
    uint64_t needed = 0, unique = 0;
    for (int64_t i = 0; i < FIXTURE_BLOCKS; i++) {
        needed += need.users[i] > 0 ? STRIDE : 0;
        needed += need.state_users[i] > 0 ? STATE_STRIDE : 0;
        needed += need.window_users[i] > 0 ? WINDOW_STRIDE : 0;
        unique += need.users[i] == 1 ? STRIDE : 0;
        unique += need.state_users[i] == 1 ? STATE_STRIDE : 0;
        unique += need.window_users[i] == 1 ? WINDOW_STRIDE : 0;
    }
    if (walk.hybrid || walk.windowed) // a state that was dropped and written again within a turn is
                                      // needed by fewer
        assert_true(summary.block_bytes - summary.unreferenced_bytes <= needed);
    else
        assert_int_equal(summary.block_bytes - summary.unreferenced_bytes, needed);
    for (size_t i = 0; i < summary.reference_count; i++) {
        const struct disk_reference_usage *usage = &summary.references[i];
        assert_true(usage->conversation < CONVERSATIONS);
        assert_int_equal(usage->tokens, need.tokens[usage->conversation]);
        need.tokens[usage->conversation] = 0;
        unique -= usage->unique_bytes;
    }
    if (!walk.hybrid && !walk.windowed) assert_int_equal(unique, 0);
    for (int i = 0; i < CONVERSATIONS; i++)
        assert_int_equal(need.tokens[i], 0); // all are named
    disk_cache_summary_deinit(&summary);
}

// ---- walks

enum second { NO_SECOND, STATES, WINDOWS };

static void open_all(uint32_t seed, enum second second) {
    memset(state_made, 0, sizeof state_made);
    memset(state_there, 0, sizeof state_there);
    walk = (struct walk){.random = seed,
                         .hybrid = second == STATES,
                         .windowed = second == WINDOWS,
                         .worst_used = 1,
                         .worst_all = 1};
    disk_fixture_init(&walk.kv, PAYLOAD, true);
    walk.kv.limit_bytes = (uint64_t)(1 + draw_below(5)) << 20;
    walk.second = walk.kv;
    walk.second.format.id.low++;
    walk.second.format.payload_bytes = walk.windowed ? WINDOW_PAYLOAD : STATE_PAYLOAD;
    disk_fixture_open(&walk.kv);
    disk_fixture_open(&walk.second);
    for (int i = 0; i < PREAMBLES; i++)
        grow_path(&walk.preambles[i], 2 + (int32_t)draw_below(10));
}

static void walk_about(enum second second) {
    double worst_used = 1, worst_all = 1;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        open_all(seed, second);
        for (int turn = 0; turn < TURNS; turn++) {
            take_turn();
            if (draw_below(8) == 0) change_limit();
            if (draw_below(12) == 0) forget_one();
            if (turn % 4 == 0) check_sums();
        }
        const struct disk_usage usage = walk.kv.pool->ops->usage(walk.kv.pool);
        print_message("seed %u: the conversation in use %.3f, all %.3f; %" PRIu64
                      " writes cut short, %.3f bytes written for one of KV\n",
                      seed, walk.worst_used, walk.worst_all, walk.refused,
                      (double)usage.written_bytes /
                          (double)(usage.payload_bytes + (usage.payload_bytes == 0)));
        if (walk.worst_used < worst_used) worst_used = walk.worst_used;
        if (walk.worst_all < worst_all) worst_all = walk.worst_all;
        disk_fixture_close(&walk.second);
        disk_fixture_close(&walk.kv);
        const struct disk_cache_report report = disk_fixture_check(&walk.kv);
        assert_int_equal(report.damaged + report.missing + report.lost, 0);
        disk_fixture_deinit(&walk.kv);
    }
    print_message("worst: %.3f of the best\n", worst_used < worst_all ? worst_used : worst_all);
    assert_true(worst_used >= LEAST_RATIO && worst_all >= LEAST_RATIO);
}

static void the_kept_prefixes_are_nearly_optimal(void **state) {
    (void)state;
    walk_about(NO_SECOND);
}

static void states_are_kept_with_the_blocks_they_need(void **state) {
    (void)state;
    walk_about(STATES);
}

static void windows_are_kept_as_far_as_their_blocks(void **state) {
    (void)state;
    walk_about(WINDOWS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kept_prefixes_are_nearly_optimal),
        cmocka_unit_test(windows_are_kept_as_far_as_their_blocks),
        cmocka_unit_test(states_are_kept_with_the_blocks_they_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
