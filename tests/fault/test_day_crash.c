// tests/fault/test_day_crash.c — kill -9 at random points of a person's day: nothing is lost.
//
// A child goes through a scripted day (tests/harness/day.h), and says through a pipe what it begins
// and what was answered; it is killed, and the next one continues where the day stopped. After each
// kill the database and the KV folder are sound, and what was said to be answered is there. Each
// answer, and each conversation at the end of the day, is that of an uninterrupted day without
// any cache below the device, and without the drafts that are verified in every step until then.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "store/disk_cache/disk_cache.h"
#include "tests/check.h"
#include "tests/harness/day.h"
#include "tests/store/store_fixture.h"

enum { MOST_STEPS = 256, MOST_NOTES = 4096, NOTE_MS = 120000, PATH_BYTES = 256 };

struct note { // what the child says
    int32_t step;
    bool answered;   // false: it begins
    int64_t message; // of the answer
    struct hash128 text;
    int32_t host_tokens, disk_tokens; // that the question found there
};

struct caches { // what each day runs with
    uint32_t device_blocks, host_blocks;
    uint64_t disk_limit_bytes;
    bool punches; // the file system can give parts of a file back
    const char *kv_type;
    int32_t window;
    const char *model; // a hybrid, whose words are of five tokens, and whose blocks are small
};

// A context of 512 tokens is 32 blocks. The limits hold about a quarter of a day, and half of one.
static const struct caches CACHES[] = {
    {34, 8, 12 << 20, false, .kv_type = "f16"},
    {80, 12, 512 << 10, true, .kv_type = "f16", .model = "qwen35.gguf"},
    {40, 0, 0, true, .kv_type = "fp8"},
    {34, 8, 24 << 20, false, .kv_type = "f16", .window = 40},
    {34, 12, 0, true, .kv_type = "int8"},
    {18, 4, 0, false, .kv_type = "f16", .model = "granitehybrid.gguf"},
    {36, 0, 24 << 20, true, .kv_type = "f16"},
    {34, 8, 6 << 20, false, .kv_type = "int8"},
    {40, 8, 0, true, .kv_type = "int8", .window = 24},
    {36, 0, 12 << 20, true, .kv_type = "fp8"},
};

static const struct day_plan PLAN = {
    .talks = CHECK_FULL ? 5 : 3,
    .forks = CHECK_FULL ? 6 : 3,
    .sends = CHECK_FULL ? 26 : 15,
    .leaves = 4,
    .most_turns = 5,
    .preset_words = 60,
    .least_words = 5,
    .most_words = 25,
};

struct crashes { // the day, and what is known about it
    struct day_script script;
    struct caches caches;
    char folder[64], db_path[PATH_BYTES], kv_path[PATH_BYTES];
    char true_folder[64], true_db_path[PATH_BYTES];
    struct hash128 truth[MOST_STEPS]; // of each step's answer
    struct note heard[MOST_NOTES];    // answers
    size_t heard_count;
    int32_t last_step; // the furthest that was begun; -1: none
    int32_t begun;     // the last that was; a kill makes the day go back to what it left no mark of
    uint32_t random;
    int64_t step_us; // of the uninterrupted day, on the average
    int32_t kills, days;
    uint64_t given_back; // bytes, by disk_cache_check(), in all
    uint64_t again;      // answers that were heard twice
    int64_t host_tokens, disk_tokens;
};

static bool may_punch = true;
int __real_fallocate(int file, int mode, off_t offset, off_t length);
int __wrap_fallocate(int file, int mode, off_t offset, off_t length);
int __wrap_fallocate(int file, int mode, off_t offset, off_t length) {
    if (may_punch) return __real_fallocate(file, mode, offset, length);
    errno = EOPNOTSUPP;
    return -1;
}

// Writes less than it is asked to, as it may, and slowly: so that kills come between the parts of
// a block.
ssize_t __real_pwrite(int file, const void *bytes, size_t length, off_t offset);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t length, off_t offset);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t length, off_t offset) {
    enum { LARGE = 16384 };
    const ssize_t written = __real_pwrite(file, bytes, length > LARGE ? LARGE : length, offset);
    usleep(100);
    return written;
}

static uint32_t draw_below(struct crashes *all, uint32_t below) {
    all->random = all->random * 1664525u + 1013904223u;
    return (all->random >> 8) % below;
}

static void say(int out, const struct note *note) {
    if (write(out, note, sizeof *note) != (ssize_t)sizeof *note) _exit(2);
}

// The child: continues the day until it is over. Never returns.
static void live(const struct crashes *all, const struct day_place *place, int out) {
    struct day day;
    may_punch = all->caches.punches;
    day_open(&day, place);
    for (size_t i = day_progress(day.db, &all->script); i < all->script.count; i++) {
        struct note note = {.step = (int32_t)i};
        say(out, &note);
        if (all->script.steps[i].act == DAY_LEAVE) {
            day_close(&day);
            day_open(&day, place);
        }
        if (!day_do(&day, &all->script, i)) continue;
        const struct turn_report report = turn_first(&day.chat->turn);
        note.answered = true;
        note.message = report.message;
        note.text = hash_bytes(report.text, report.length, 0);
        note.host_tokens = (int32_t)report.cache.host_tokens;
        note.disk_tokens = (int32_t)report.cache.disk_tokens;
        say(out, &note);
    }
    day_close(&day);
    _exit(0);
}

static pid_t start_child(const struct crashes *all, const struct day_place *place, int *notes) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        live(all, place, ends[1]);
    }
    close(ends[1]);
    *notes = ends[0];
    return child;
}

// False: the child has ended, or said nothing for `timeout_ms`.
static bool hear(int notes, int timeout_ms, struct note *note) {
    struct pollfd ready = {.fd = notes, .events = POLLIN};
    if (poll(&ready, 1, timeout_ms) != 1) return false;
    return read(notes, note, sizeof *note) == (ssize_t)sizeof *note;
}

static void check_answer(const struct crashes *all, const struct note *note) {
    assert_in_range(note->step, 0, all->script.count - 1);
    if (!hash_equal(note->text, all->truth[note->step]))
        fail_msg("step %d was answered differently", (int)note->step);
}

static void take_note(struct crashes *all, const struct note *note) {
    if (all->last_step < note->step) all->last_step = note->step;
    if (!note->answered) all->begun = note->step;
    if (!note->answered) return;
    all->begun = -1;
    check_answer(all, note);
    for (size_t i = 0; i < all->heard_count; i++)
        all->again += all->heard[i].step == note->step;
    assert_true(all->heard_count < MOST_NOTES);
    all->heard[all->heard_count++] = *note;
    all->host_tokens += note->host_tokens;
    all->disk_tokens += note->disk_tokens;
}

static int32_t context_of(const struct crashes *all) { return all->caches.model ? 1536 : 512; }

// The day of the truth: nothing is evicted, nothing is on a disk, and nobody is killed.
static void live_undisturbed(struct crashes *all) {
    const struct day_place place = {.folder = all->true_folder,
                                    .context = context_of(all),
                                    .answer_tokens = 8,
                                    .model = all->caches.model,
                                    .kv_type = all->caches.kv_type,
                                    .window = all->caches.window};
    int notes, result;
    struct note note;
    const int64_t began_us = clock_now_us();
    const pid_t child = start_child(all, &place, &notes);
    while (hear(notes, NOTE_MS, &note))
        if (note.answered) all->truth[note.step] = note.text;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    close(notes);
    all->step_us = (clock_now_us() - began_us) / (int64_t)all->script.count;
}

static void make_folder(char folder[64]) {
    snprintf(folder, 64, "/tmp/quire-day-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void begin_day(struct crashes *all) {
    char unused[PATH_BYTES];
    struct day_plan plan = PLAN;
    plan.seed = 100 + (uint32_t)all->days;
    all->caches = CACHES[(size_t)all->days % (sizeof CACHES / sizeof CACHES[0])];
    day_script_init(&all->script, &plan);
    assert_true(all->script.count <= MOST_STEPS);
    make_folder(all->folder);
    make_folder(all->true_folder);
    day_paths(all->folder, all->db_path, all->kv_path, PATH_BYTES);
    day_paths(all->true_folder, all->true_db_path, unused, PATH_BYTES);
    all->heard_count = 0;
    all->last_step = all->begun = -1;
    live_undisturbed(all);
    all->days++;
}

static void note_damage(void *user, const char *line) {
    (void)user;
    print_message("  kv: %s\n", line);
}

// False: there is no folder yet.
static bool check_cache(const struct crashes *all, struct disk_cache_report *report) {
    struct error err = {0};
    const enum status status = disk_cache_check(all->kv_path, note_damage, NULL, report, &err);
    if (status == STATUS_NOT_FOUND) return false;
    must(status, &err);
    assert_int_equal(report->damaged, 0);
    assert_int_equal(report->missing, 0);
    return true;
}

static void ignore_block(void *user, const struct disk_block *block) {
    (void)user;
    (void)block;
}

static void ignore_reference(void *user, uint64_t conversation, struct hash128 leaf) {
    (void)user;
    (void)conversation;
    (void)leaf;
}

// What opening does to the folder, by an engine of another model.
static void open_and_close(const struct crashes *all) {
    const struct disk_cache_options options = {.folder = all->kv_path};
    const struct disk_format format = {{9, 9}, 16, 4096, "another model"};
    struct error err = {0};
    const struct disk_listener listener = {ignore_block, ignore_reference, NULL, NULL};
    struct disk_speed speed;
    struct disk_pool *pool = disk_cache_create(&options);
    assert_non_null(pool);
    must(pool->ops->open(pool, &format, &listener, &speed, &err), &err);
    pool->ops->close(pool, NULL);
}

// A crash may leave bytes without a row: of what was being written, and of what was being dropped.
// The check gives them back, once. No row may be without its bytes, also after an opening, which
// comes after every second kill.
static void check_kv(struct crashes *all) {
    struct disk_cache_report report;
    const bool opened = all->kills % 2 == 1 && access(all->kv_path, F_OK) == 0;
    if (opened) open_and_close(all);
    if (!check_cache(all, &report)) return;
    all->given_back += report.free_bytes;
    assert_true(check_cache(all, &report));
    assert_int_equal(report.free_bytes, 0);
}

static bool path_has(struct db *db, int64_t tip, int64_t id) {
    struct error err = {0};
    struct message *path;
    size_t count;
    bool found = false;
    must(message_path(db, tip, &path, &count, &err), &err);
    for (size_t i = 0; i < count; i++)
        found = found || path[i].id == id;
    message_path_free(path, count);
    return found;
}

// The last answer is still where the person left it, unless the next step was to undo it: or the
// same step, another answer, or the question before it, which was begun once more and may be
// stored, in part or whole, though nobody heard it.
static void check_last_answer(const struct crashes *all, struct db *db) {
    if (all->heard_count == 0) return;
    const struct note *last = &all->heard[all->heard_count - 1];
    const struct day_step *next = &all->script.steps[last->step + 1];
    const bool undone =
        all->last_step > last->step && (next->act == DAY_REWIND || next->act == DAY_REGENERATE);
    const bool again = all->begun >= 0 && all->begun <= last->step &&
                       all->script.steps[last->step].act == DAY_REGENERATE;
    if (undone || again) return;
    char name[DAY_NAME_BYTES];
    struct conversation talk;
    struct error err = {0};
    day_talk_name(all->script.steps[last->step].talk, name);
    must(conversation_find(db, name, &talk, &err), &err);
    if (!path_has(db, talk.tip, last->message))
        fail_msg("the answer to step %d (act %d) is not on the path of %s; %d was begun last, %d "
                 "furthest",
                 (int)last->step, (int)all->script.steps[last->step].act, name, (int)all->begun,
                 (int)all->last_step);
}

static void check_text(const struct crashes *all) {
    struct db *db;
    struct error err = {0};
    must(db_open(all->db_path, &db, &err), &err);
    must(db_check(db, &err), &err);
    for (size_t i = 0; i < all->heard_count; i++) {
        struct message message;
        must(message_get(db, all->heard[i].message, &message, &err), &err);
        assert_int_equal(message.role, MESSAGE_ASSISTANT);
        assert_true(hash_equal(hash_bytes(message.text, message.length, 0), all->heard[i].text));
        message_deinit(&message);
    }
    check_last_answer(all, db);
    db_close(db);
}

// Takes notes until `count` of them have come, or (with `leaving`) the person begins to leave.
static void listen(struct crashes *all, int notes, uint32_t count, bool leaving) {
    struct note note;
    while (count-- > 0 && hear(notes, NOTE_MS, &note)) {
        take_note(all, &note);
        if (leaving && all->script.steps[note.step].act == DAY_LEAVE) break;
    }
}

static bool take_writes(int watch, uint32_t *left) {
    _Alignas(struct inotify_event) char events[4096];
    const ssize_t bytes = read(watch, events, sizeof events);
    if (bytes <= 0) return false;
    for (ssize_t at = 0; at<bytes && * left> 0;) {
        const struct inotify_event *event = (const struct inotify_event *)(events + at);
        at += (ssize_t)(sizeof *event + event->len);
        *left -= 1;
    }
    return true;
}

// Until that many writes to files in the folder have been seen.
static void watch_writes(struct crashes *all, int notes, const char *folder, uint32_t count) {
    struct note note;
    const int watch = inotify_init1(IN_CLOEXEC);
    assert_true(watch >= 0);
    struct pollfd ready[] = {{.fd = notes, .events = POLLIN}, {.fd = watch, .events = POLLIN}};
    bool goes_on = inotify_add_watch(watch, folder, IN_MODIFY) >= 0;
    while (goes_on && count > 0 && poll(ready, 2, NOTE_MS) > 0) {
        if (ready[1].revents) goes_on = take_writes(watch, &count);
        if (!ready[0].revents) continue;
        goes_on = goes_on && hear(notes, 0, &note);
        if (goes_on) take_note(all, &note);
    }
    close(watch);
}

// Waits for the moment of the kill: any time of a few steps; soon after something was begun or
// answered; while the person is leaving; or soon after a write to the database or to the KV.
static void wait_for_moment(struct crashes *all, int notes) {
    uint32_t more_us = 3000;
    switch (draw_below(all, 6)) {
    case 0:
        more_us = (uint32_t)all->step_us * 5;
        break;
    case 1:
        listen(all, notes, 1 + draw_below(all, 4), false);
        break;
    case 2:
        listen(all, notes, 12, true);
        more_us = (uint32_t)all->step_us;
        break;
    case 3:
        watch_writes(all, notes, all->folder, 1 + draw_below(all, 24));
        break;
    case 4:
        watch_writes(all, notes, all->kv_path, 1 + draw_below(all, 60));
        break;
    default:
        watch_writes(all, notes, all->kv_path, 1 + draw_below(all, 60));
        more_us = 100;
    }
    usleep(1 + draw_below(all, more_us));
}

// One child. True when it was killed, false when it came to the end of the day.
static bool live_until_killed(struct crashes *all, bool may_kill) {
    const struct day_place place = {.folder = all->folder,
                                    .context = context_of(all),
                                    .device_blocks = all->caches.device_blocks,
                                    .host_blocks = all->caches.host_blocks,
                                    .disk = true,
                                    .disk_limit_bytes = all->caches.disk_limit_bytes,
                                    .answer_tokens = 8,
                                    .model = all->caches.model,
                                    .kv_type = all->caches.kv_type,
                                    .window = all->caches.window,
                                    .drafts = true};
    int notes, result;
    struct note note;
    const pid_t child = start_child(all, &place, &notes);
    if (may_kill) {
        wait_for_moment(all, notes);
        kill(child, SIGKILL);
    }
    while (hear(notes, NOTE_MS, &note))
        take_note(all, &note);
    close(notes);
    assert_int_equal(waitpid(child, &result, 0), child);
    const bool killed = WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL;
    if (!killed) assert_int_equal(result, 0);
    all->kills += killed;
    return killed;
}

static void check_same_path(struct db *found_db, struct db *true_db, const char *name) {
    struct error err = {0};
    struct conversation found, expected;
    struct message *found_path, *true_path;
    size_t found_count, true_count;
    must(conversation_find(found_db, name, &found, &err), &err);
    must(conversation_find(true_db, name, &expected, &err), &err);
    must(message_path(found_db, found.tip, &found_path, &found_count, &err), &err);
    must(message_path(true_db, expected.tip, &true_path, &true_count, &err), &err);
    assert_int_equal(found_count, true_count);
    for (size_t i = 0; i < true_count; i++) {
        assert_int_equal(found_path[i].role, true_path[i].role);
        assert_int_equal(found_path[i].stop, true_path[i].stop);
        assert_string_equal(found_path[i].text, true_path[i].text);
    }
    message_path_free(found_path, found_count);
    message_path_free(true_path, true_count);
}

static void check_limit(const struct crashes *all) {
    struct disk_cache_summary summary;
    struct error err = {0};
    must(disk_cache_summarise(all->kv_path, &summary, &err), &err);
    if (all->caches.disk_limit_bytes)
        assert_in_range(summary.stored_bytes, 1, all->caches.disk_limit_bytes);
    print_message("  %llu blocks of KV, %llu bytes\n", (unsigned long long)summary.blocks,
                  (unsigned long long)summary.stored_bytes);
    disk_cache_summary_deinit(&summary);
}

static void end_day(struct crashes *all) {
    struct db *found, *expected;
    struct error err = {0};
    check_text(all);
    check_kv(all);
    check_limit(all);
    must(db_open(all->db_path, &found, &err), &err);
    must(db_open(all->true_db_path, &expected, &err), &err);
    assert_int_equal(day_progress(found, &all->script), day_progress(expected, &all->script));
    for (int32_t talk = 0; talk < all->script.talk_count; talk++) {
        char name[DAY_NAME_BYTES];
        day_talk_name(talk, name);
        check_same_path(found, expected, name);
    }
    db_close(found);
    db_close(expected);
    print_message("day %d: %zu steps, %zu answers heard, %d kills so far\n", (int)all->days,
                  all->script.count, all->heard_count, (int)all->kills);
    day_script_deinit(&all->script);
    day_remove(all->folder);
    day_remove(all->true_folder);
}

static int32_t wanted_kills(void) {
    const char *wanted = getenv("QUIRE_TEST_DAY_KILLS");
    return wanted ? (int32_t)strtol(wanted, NULL, 10) : CHECK_FULL ? 100 : 20;
}

static void a_day_of_crashes_ends_like_one_without(void **state) {
    (void)state;
    static struct crashes all = {.random = 20};
    const int32_t wanted = wanted_kills();
    print_message("seed %u, %d kills\n", all.random, (int)wanted);
    while (all.kills < wanted) {
        begin_day(&all);
        while (live_until_killed(&all, all.kills < wanted)) {
            check_text(&all);
            check_kv(&all);
        }
        end_day(&all);
    }
    print_message("%llu bytes given back, %llu answers again, "
                  "%lld tokens from the host, %lld from the disk\n",
                  (unsigned long long)all.given_back, (unsigned long long)all.again,
                  (long long)all.host_tokens, (long long)all.disk_tokens);
    assert_true(all.disk_tokens > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_day_of_crashes_ends_like_one_without)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
