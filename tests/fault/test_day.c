// tests/fault/test_day.c — a heavy user's day in a quarter of the memory that it asks for.
//
// Twenty conversations under three system prompts, sixty forks, three hundred turns and two
// restarts, with the host and the disk below a pool that holds a quarter of what all
// conversations have. The books balance at every turn, more is found than computed, and what was
// answered, with drafts from history and a smaller model or without, is what a fresh engine answers
// that computes everything and drafts nothing.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/chat/chat_move.h"
#include "kernels/base/clock.h"
#include "tests/check.h"
#include "tests/harness/day.h"
#include "tests/store/store_fixture.h"

enum {
    ANSWER_TOKENS = 8,
    BLOCK_SIZE = 16,
    MOST_FORKS = DAY_TALKS,
    MOST_ROW_BYTES = 4096,   // of the index, for a block
    MOST_TURN_BYTES = 12288, // and for a turn: whose leaf is which, and when it was used
};

struct kind { // of day
    int32_t talks, forks, sends;
    uint32_t device_blocks, windowed_blocks; // of those, two thirds of the layers need few
    uint32_t host_blocks;
};

static const struct kind LONG = {14, 40, 180, 190, 76, 100};
static const struct kind MIDDLE = {10, 20, 100, 100, 60, 50};
static const struct kind SHORT = {5, 6, 18, 66, 47, 16};

struct subject {
    const char *model, *kv_type; // as of day_place
    int32_t window, context;
    bool drafts;
};

// Of a state beside keys and values, so that these get a quarter of what they need.
static const struct recurrent {
    const char *model;
    uint32_t device_blocks, host_blocks;
    bool drafts;
} RECURRENT[] = {{"qwen35.gguf", 160, 60, false},
                 {"granitehybrid.gguf", 40, 12, true},
                 {"lfm2.gguf", 160, 60, true}};

struct books {
    int64_t turns, asked, reused, device, host, disk, restore_us; // as the chat says
    int64_t drafted, accepted;                                    // the same
    struct kv_usage sum;                                          // as the engine says
    int64_t fork_us[MOST_FORKS], sequence_us[MOST_FORKS];
    size_t forks;
};

static void check_sums(const struct kv_usage *usage) {
    for (int32_t i = 0; i < usage->group_count; i++) {
        const struct kv_group_usage *group = &usage->groups[i];
        assert_int_equal(group->device_held + group->device_cached + group->device_free,
                         group->device_blocks);
        assert_int_equal(group->host_cached + group->host_moving + group->host_free,
                         group->host_blocks);
    }
    assert_int_equal(usage->failed_reads + usage->failed_writes, 0);
}

static void enter_turn(struct books *books, struct day *day) {
    const struct turn_report report = turn_first(&day->chat->turn);
    const struct answer_cache *cache = &report.cache;
    struct kv_usage usage;
    engine_kv_usage(day->engine, &usage);
    check_sums(&usage);
    engine_check(day->engine);
    assert_int_equal(cache->device_tokens + cache->host_tokens + cache->disk_tokens,
                     report.stats.cached_tokens);
    books->turns++;
    books->asked += report.stats.prompt_tokens;
    books->reused += report.stats.cached_tokens;
    books->device += cache->device_tokens;
    books->host += cache->host_tokens;
    books->disk += cache->disk_tokens;
    books->restore_us += cache->restore_us;
    for (int i = 0; i < DRAFT_SOURCES; i++) {
        books->drafted += report.drafts.of[i].drafted;
        books->accepted += report.drafts.of[i].accepted;
    }
}

static void enter_fork(struct books *books, struct day *day) {
    struct sequence *fork;
    const int64_t began_us = clock_now_us();
    assert_int_equal(sequence_fork(day->chat->sequence, &fork), STATUS_OK);
    books->sequence_us[books->forks] = clock_now_us() - began_us;
    books->fork_us[books->forks++] = day->fork_us;
    sequence_destroy(fork);
}

// What the engine counted since it was opened; the tails are written when it is closed.
static void enter_engine(struct books *books, struct day *day) {
    struct kv_usage *sum = &books->sum, usage;
    engine_kv_usage(day->engine, &usage);
    check_sums(&usage);
    sum->groups[0].block_bytes = usage.groups[0].block_bytes;
    sum->groups[0].device_blocks = usage.groups[0].device_blocks;
    sum->groups[0].host_blocks = usage.groups[0].host_blocks;
    sum->disk_blocks = usage.disk_blocks;
    sum->work.prefilled_tokens += usage.work.prefilled_tokens;
    sum->work.decoded_tokens += usage.work.decoded_tokens;
    sum->evicted_blocks += usage.evicted_blocks;
    sum->lost_blocks += usage.lost_blocks;
    sum->work.preempted_requests += usage.work.preempted_requests;
    sum->swap_out_bytes += usage.swap_out_bytes;
    sum->swap_in_bytes += usage.swap_in_bytes;
    sum->disk_read_bytes += usage.disk_read_bytes;
    sum->disk_written_bytes += usage.disk_written_bytes;
    sum->disk_payload_bytes += usage.disk_payload_bytes;
}

static void live(struct books *books, const struct day_script *script,
                 const struct day_place *place) {
    struct day day;
    day_open(&day, place);
    for (size_t i = 0; i < script->count; i++) {
        const enum day_act act = script->steps[i].act;
        if (day_do(&day, script, i)) enter_turn(books, &day);
        if (act == DAY_FORK || act == DAY_FORK_FROM) enter_fork(books, &day);
        if (act != DAY_LEAVE) continue;
        enter_engine(books, &day);
        day_close(&day);
        day_open(&day, place);
    }
    enter_engine(books, &day);
    day_close(&day);
}

static struct message *path_of(struct db *db, int32_t talk, size_t *count) {
    char name[DAY_NAME_BYTES];
    struct conversation found;
    struct message *path;
    struct error err = {0};
    day_talk_name(talk, name);
    must(conversation_find(db, name, &found, &err), &err);
    must(message_path(db, found.tip, &path, count, &err), &err);
    assert_int_equal(path[*count - 1].role, MESSAGE_ASSISTANT);
    return path;
}

// Blocks that all conversations would take if none shared any with another.
static int64_t measure_need(struct db *db, const struct day_script *script) {
    int64_t blocks = 0;
    for (int32_t talk = 0; talk < script->talk_count; talk++) {
        size_t count;
        struct message *path = path_of(db, talk, &count);
        const struct message_stats *last = &path[count - 1].stats;
        blocks += (last->prompt_tokens + last->output_tokens + BLOCK_SIZE - 1) / BLOCK_SIZE;
        message_path_free(path, count);
    }
    return blocks;
}

// Asks the same questions in an engine of its own, with room for all and nothing kept from before.
static int32_t check_answers(struct db *db, int32_t talk, const struct subject *subject) {
    char folder[] = "/tmp/quire-day-XXXXXX";
    struct error err = {0};
    struct day fresh;
    size_t count;
    struct message *path = path_of(db, talk, &count);
    int32_t answers = 0;
    assert_non_null(mkdtemp(folder));
    day_open(&fresh, &(struct day_place){.folder = folder,
                                         .context = subject->context,
                                         .answer_tokens = ANSWER_TOKENS,
                                         .model = subject->model,
                                         .kv_type = subject->kv_type,
                                         .window = subject->window});
    assert_int_equal(path[0].role, MESSAGE_SYSTEM);
    must(chat_set_preamble(fresh.chat, path[0].text, &err), &err);
    for (size_t i = 1; i + 1 < count; i += 2) {
        day_ask(&fresh, path[i].text);
        if (strcmp(turn_first(&fresh.chat->turn).text, path[i + 1].text) != 0)
            fail_msg("talk %d, \"%s\": \"%s\" became \"%s\"", (int)talk, path[i].text,
                     turn_first(&fresh.chat->turn).text, path[i + 1].text);
        answers++;
    }
    day_close(&fresh);
    message_path_free(path, count);
    day_remove(folder);
    return answers;
}

static int by_value(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static void print_forks(const char *what, int64_t *us, size_t count) {
    qsort(us, count, sizeof *us, by_value);
    print_message("%s: median %" PRId64 " µs, max %" PRId64 " µs\n", what, us[count / 2],
                  us[count - 1]);
}

static void print_books(struct books *books) {
    const struct kv_usage *sum = &books->sum;
    print_message("%" PRId64 " turns asked %" PRId64 " tokens: %" PRId64 " reused (%" PRId64
                  " device, %" PRId64 " host, %" PRId64 " disk), %" PRIu64 " prefilled; %" PRIu64
                  " decoded; %.1f ms restoring a turn\n",
                  books->turns, books->asked, books->reused, books->device, books->host,
                  books->disk, sum->work.prefilled_tokens, sum->work.decoded_tokens,
                  (double)books->restore_us / 1000 / (double)books->turns);
    print_message("%" PRId64 " of %" PRId64 " drafts accepted\n", books->accepted, books->drafted);
    print_message("%" PRIu64 " blocks evicted, %" PRIu64 " of them lost, %" PRIu64
                  " requests preempted\n",
                  sum->evicted_blocks, sum->lost_blocks, sum->work.preempted_requests);
    print_message("swapped %.1f MB out, %.1f MB in; disk: read %.1f MB, wrote %.1f MB for %.1f MB "
                  "of KV (x %.3f), %" PRIu32 " blocks at the end\n",
                  (double)sum->swap_out_bytes / 1e6, (double)sum->swap_in_bytes / 1e6,
                  (double)sum->disk_read_bytes / 1e6, (double)sum->disk_written_bytes / 1e6,
                  (double)sum->disk_payload_bytes / 1e6,
                  (double)sum->disk_written_bytes / (double)sum->disk_payload_bytes,
                  sum->disk_blocks);
    print_forks("fork of a conversation", books->fork_us, books->forks);
    print_forks("fork of a sequence", books->sequence_us, books->forks);
}

static void check_books(const struct books *books, int64_t need) {
    const struct kv_usage *sum = &books->sum;
    assert_in_range(sum->groups[0].device_blocks, 1, need / 4);
    assert_int_equal(books->asked - books->reused, sum->work.prefilled_tokens);
    assert_true(books->reused > (int64_t)sum->work.prefilled_tokens);
    assert_true(sum->evicted_blocks > 0);
    assert_true(books->disk > 0);
    if (CHECK_FULL) assert_true(books->host > 0);
    if (CHECK_FULL)
        assert_in_range(sum->groups[0].device_blocks, 1, sum->disk_blocks / 2); // that are distinct
    assert_true(sum->disk_written_bytes >= sum->disk_payload_bytes);
    // Each block once, and its rows.
    assert_true(sum->disk_written_bytes <= sum->disk_payload_bytes +
                                               (uint64_t)sum->disk_blocks * MOST_ROW_BYTES +
                                               (uint64_t)books->turns * MOST_TURN_BYTES);
}

static void live_and_check(const struct kind *kind, const struct subject *subject) {
    const struct day_plan plan = {.seed = 5,
                                  .talks = kind->talks,
                                  .forks = kind->forks,
                                  .sends = kind->sends,
                                  .leaves = 2,
                                  .most_turns = 9,
                                  .preset_words = 250,
                                  .least_words = 7,
                                  .most_words = 30};
    static struct books books;
    books = (struct books){0};
    char folder[] = "/tmp/quire-day-XXXXXX", db_path[64], kv_path[64];
    struct day_script script;
    struct db *db;
    struct error err = {0};
    int32_t answers = 0;
    assert_non_null(mkdtemp(folder));
    day_script_init(&script, &plan);
    live(&books, &script,
         &(struct day_place){.folder = folder,
                             .context = subject->context,
                             .device_blocks =
                                 subject->window > 0 ? kind->windowed_blocks : kind->device_blocks,
                             .host_blocks = kind->host_blocks,
                             .disk = true,
                             .answer_tokens = ANSWER_TOKENS,
                             .model = subject->model,
                             .kv_type = subject->kv_type,
                             .window = subject->window,
                             .drafts = subject->drafts});
    day_paths(folder, db_path, kv_path, sizeof db_path);
    must(db_open(db_path, &db, &err), &err);
    const int64_t need = measure_need(db, &script);
    print_message("%d conversations need %" PRId64 " blocks; the pool has %" PRIu32
                  ", the host %" PRIu32 "\n",
                  (int)script.talk_count, need, books.sum.groups[0].device_blocks,
                  books.sum.groups[0].host_blocks);
    print_books(&books);
    check_books(&books, need);
    assert_true(subject->drafts ? books.drafted > books.accepted && books.accepted > 0
                                : books.drafted == 0);
    for (int32_t talk = 0; talk < script.talk_count; talk += 5)
        answers += check_answers(db, talk, subject);
    print_message("%d answers are those of a fresh engine\n", (int)answers);
    must(db_check(db, &err), &err);
    db_close(db);
    day_script_deinit(&script);
    day_remove(folder);
}

static void a_heavy_day_passes_in_a_quarter_of_the_memory(void **state) {
    (void)state;
    live_and_check(CHECK_FULL ? &LONG : &SHORT,
                   &(struct subject){.kv_type = "f16", .context = 1024});
}

static void a_day_with_an_eight_bit_cache_passes(void **state) {
    (void)state;
    live_and_check(CHECK_FULL ? &MIDDLE : &SHORT,
                   &(struct subject){.kv_type = "int8", .context = 1024, .drafts = true});
}

static void a_day_with_windows_passes(void **state) {
    (void)state;
    live_and_check(CHECK_FULL ? &MIDDLE : &SHORT,
                   &(struct subject){.kv_type = "f16", .window = 48, .context = 1024});
}

static void a_day_with_recurrent_states_passes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof RECURRENT / sizeof RECURRENT[0]; i++) {
        const struct recurrent *one = &RECURRENT[i];
        const struct kind kind = {.talks = CHECK_FULL ? 10 : 8,
                                  .forks = CHECK_FULL ? 20 : 14,
                                  .sends = CHECK_FULL ? 100 : 50,
                                  .device_blocks = one->device_blocks,
                                  .host_blocks = one->host_blocks};
        print_message("%s\n", one->model);
        live_and_check(&kind, &(struct subject){.model = one->model,
                                                .kv_type = "f16",
                                                .context = 3072,
                                                .drafts = one->drafts});
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_day_passes_in_a_quarter_of_the_memory),
        cmocka_unit_test(a_day_with_windows_passes),
        cmocka_unit_test(a_day_with_an_eight_bit_cache_passes),
        cmocka_unit_test(a_day_with_recurrent_states_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
