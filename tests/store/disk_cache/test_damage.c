// tests/store/disk_cache/test_damage.c — bytes and rows that somebody has changed: a read gives the
// right bytes or drops the block, and the others stay.
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/log.h"
#include "tests/check.h"
#include "tests/store/disk_cache/disk_fixture.h"
#include "tests/store/store_fixture.h"

enum { PAYLOAD = 100, STRIDE = 4096, BLOCKS = 3, HEADER = 4096 };
enum { FILE_BYTES = HEADER + 2 * STRIDE + PAYLOAD, INDEX_MOST = 1 << 20, MAGIC_BYTES = 16 };
static const char MARKER[] = "quire-kv-cache";

static struct disk_fixture fixture;
static struct listed listed;
static char slots_name[64];
static uint8_t slots[FILE_BYTES], index_bytes[INDEX_MOST], marker[256]; // of the sound cache
static size_t index_length, marker_length;

static size_t load_file(const char *name, uint8_t *bytes, size_t most) {
    char path[128];
    disk_fixture_path(&fixture, name, path);
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    const ssize_t length = read(file, bytes, most);
    close(file);
    assert_true(length >= 0);
    return (size_t)length;
}

static void save(const char *name, const uint8_t *bytes, size_t length) {
    char path[128];
    disk_fixture_path(&fixture, name, path);
    unlink(path);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), length);
    close(file);
}

// Blocks 1, 2, 3 of one chain, in slots 0, 1, 2; closed.
static void make_sound(void) {
    char path[128];
    disk_fixture_init(&fixture, PAYLOAD, true);
    disk_fixture_open(&fixture);
    must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
    disk_fixture_close(&fixture);
    disk_fixture_file(&fixture, path);
    snprintf(slots_name, sizeof slots_name, "%s", strrchr(path, '/') + 1);
    assert_int_equal(load_file(slots_name, slots, sizeof slots), FILE_BYTES);
    index_length = load_file("index.db", index_bytes, sizeof index_bytes);
    assert_true(index_length < INDEX_MOST);
    marker_length = load_file(MARKER, marker, sizeof marker);
}

static void put_back(const uint8_t *bytes, size_t length) {
    disk_fixture_empty(&fixture);
    save(slots_name, bytes, length);
    save("index.db", index_bytes, index_length);
    save(MARKER, marker, marker_length);
    memset(fixture.dropped, 0, sizeof fixture.dropped);
    fixture.dropped_count = 0;
}

static void a_flipped_bit_costs_only_its_block_and_descendants(void **state) {
    (void)state;
    uint8_t damaged[FILE_BYTES];
    make_sound();
    for (size_t offset = MAGIC_BYTES; offset < FILE_BYTES; offset++) {
        const bool is_payload = offset >= HEADER && offset % STRIDE < PAYLOAD;
        if (!is_payload && offset % 101 != 0) continue;
        memcpy(damaged, slots, sizeof slots);
        damaged[offset] ^= (uint8_t)(1u << offset % 8);
        put_back(damaged, sizeof damaged);
        disk_fixture_open(&fixture);
        const int64_t bad = is_payload ? (int64_t)(offset / STRIDE) : 0;
        for (int64_t i = 1; i <= BLOCKS; i++)
            assert_int_equal(disk_fixture_read(&fixture, i), bad == 0 || i < bad ? STATUS_OK
                                                             : i == bad          ? STATUS_BAD_FILE
                                                                        : STATUS_NOT_FOUND);
        assert_int_equal(fixture.dropped_count, bad == 0 ? 0 : BLOCKS + 1 - bad);
        if (bad != 0) {
            assert_int_equal(disk_fixture_read(&fixture, bad), STATUS_NOT_FOUND);
            must(disk_fixture_write(&fixture, bad, BLOCKS + 1 - (int32_t)bad, bad - 1),
                 &fixture.err);
        }
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
        disk_fixture_close(&fixture);
    }
    disk_fixture_deinit(&fixture);
}

static void a_file_cut_at_any_length_keeps_the_blocks_before_it(void **state) {
    (void)state;
    make_sound();
    for (size_t length = 0; length <= FILE_BYTES; length++) {
        const size_t at = length % STRIDE;
        const bool edge = at < 3 || at > STRIDE - 3 || (at > PAYLOAD - 3 && at < PAYLOAD + 3);
        if (!edge && length % 97 != 0) continue;
        put_back(slots, length);
        disk_fixture_open(&fixture);
        const int32_t slots_whole = (int32_t)(length / STRIDE) - 1 + (at >= PAYLOAD);
        const int32_t whole = length < HEADER ? 0 : slots_whole;
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), whole);
        must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        disk_fixture_reopen(&fixture);
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
        disk_fixture_close(&fixture);
        if (length % 16 == 0) assert_int_equal(disk_fixture_check(&fixture).blocks, BLOCKS);
    }
    disk_fixture_deinit(&fixture);
}

static void swapped_slots_are_detected_as_damage(void **state) {
    (void)state;
    uint8_t damaged[FILE_BYTES];
    make_sound();
    memcpy(damaged, slots, sizeof slots);
    memcpy(damaged + HEADER, slots + HEADER + STRIDE, PAYLOAD);
    memcpy(damaged + HEADER + STRIDE, slots + HEADER, PAYLOAD);
    put_back(damaged, sizeof damaged);
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read(&fixture, 2), STATUS_BAD_FILE);
    assert_int_equal(disk_fixture_read(&fixture, 1), STATUS_BAD_FILE);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 0); // 3 was out of reach
    disk_fixture_deinit(&fixture);
}

static int warnings;
static char warning[128];

static void note_warning(enum log_level level, const char *text) {
    if (level != LOG_WARNING) return;
    warnings++;
    snprintf(warning, sizeof warning, "%s", text);
}

// The engine has listed the blocks when somebody deletes the file: one read finds it out for all,
// and one line says so.
static void a_missing_file_costs_its_blocks_and_one_warning(void **state) {
    (void)state;
    char path[128];
    make_sound();
    for (int opened_before = 0; opened_before < 2; opened_before++) {
        put_back(slots, sizeof slots);
        disk_fixture_file(&fixture, path);
        if (opened_before) disk_fixture_open(&fixture);
        assert_int_equal(unlink(path), 0);
        warnings = 0;
        log_set_sink(note_warning);
        if (!opened_before) disk_fixture_open(&fixture);
        assert_int_equal(disk_fixture_read(&fixture, 2), STATUS_NOT_FOUND);
        log_set_sink(NULL);
        assert_int_equal(warnings, 1);
        assert_non_null(strstr(warning, "missing"));
        if (opened_before) assert_int_equal(fixture.dropped_count, BLOCKS);
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), 0);
        must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
        disk_fixture_close(&fixture);
    }
    disk_fixture_deinit(&fixture);
}

// As a process leaves them that dies in the middle of a write.
static void bytes_after_the_last_row_are_truncated(void **state) {
    (void)state;
    static uint8_t longer[HEADER + 5 * STRIDE];
    char path[128];
    struct stat info;
    make_sound();
    memset(longer, 0xA5, sizeof longer);
    memcpy(longer, slots, FILE_BYTES);
    put_back(longer, sizeof longer);
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
    disk_fixture_file(&fixture, path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, HEADER + BLOCKS * STRIDE);
    disk_fixture_deinit(&fixture);
}

static void a_deleted_row_frees_its_slot(void **state) {
    (void)state;
    make_sound();
    disk_fixture_sql(&fixture, "DELETE FROM kv_slot WHERE slot = 2");
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS - 1);
    must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
    disk_fixture_deinit(&fixture);
}

static void an_older_cache_folder_is_reset_with_one_line(void **state) {
    (void)state;
    char path[128];
    make_sound();
    for (int what = 0; what < 2; what++) {
        static const uint8_t segment[100] = "QUIREKVB";
        disk_fixture_empty(&fixture);
        save("segment-00000001.kv", segment, sizeof segment);
        save("segment-00000012.kv", segment, 0);
        if (what == 1) {
            save("index.db", index_bytes, index_length);
            disk_fixture_sql(&fixture, "PRAGMA application_id = 1903520107"); // "quik"
        }
        warnings = 0;
        log_set_sink(note_warning);
        disk_fixture_open(&fixture);
        log_set_sink(NULL);
        assert_int_equal(warnings, 1);
        assert_non_null(strstr(warning, "older version of quire"));
        disk_fixture_path(&fixture, "segment-00000001.kv", path);
        assert_int_not_equal(access(path, F_OK), 0);
        must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        disk_fixture_reopen(&fixture);
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
        disk_fixture_close(&fixture);
    }
    disk_fixture_deinit(&fixture);
}

// The folder of a quire whose files had no magic number: index_1.sql names this format's. The
// process may have been killed while its application id stood in SQLite's log alone.
static void make_version_1(bool is_killed) {
    static uint8_t sql[1 << 14];
    char path[128];
    disk_fixture_empty(&fixture);
    save(slots_name, slots + HEADER, FILE_BYTES - HEADER);
    save("index.db", index_bytes, 0);
    const int file = open(TESTS_DIR "/store/disk_cache/index_1.sql", O_RDONLY);
    assert_true(file >= 0 && read(file, sql, sizeof sql - 1) > 0);
    close(file);
    if (!is_killed) {
        disk_fixture_sql(&fixture, (const char *)sql);
        return;
    }
    sqlite3 *handle = NULL;
    disk_fixture_path(&fixture, "index.db", path);
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, "PRAGMA journal_mode = WAL", 0, 0, 0), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, (const char *)sql, 0, 0, 0), SQLITE_OK);
    static uint8_t file_bytes[2][INDEX_MOST];
    const size_t main_length = load_file("index.db", file_bytes[0], INDEX_MOST);
    const size_t log_length = load_file("index.db-wal", file_bytes[1], INDEX_MOST);
    sqlite3_close(handle);
    assert_true(log_length > 0);
    save("index.db", file_bytes[0], main_length);
    save("index.db-wal", file_bytes[1], log_length);
}

static void a_cache_without_magic_numbers_is_dropped_with_one_line(void **state) {
    (void)state;
    make_sound();
    for (int is_killed = 0; is_killed < 2; is_killed++) {
        make_version_1(is_killed);
        warnings = 0;
        log_set_sink(note_warning);
        disk_fixture_open(&fixture);
        log_set_sink(NULL);
        assert_int_equal(warnings, 1);
        assert_non_null(strstr(warning, "older version of quire"));
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), 0);
        must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        disk_fixture_reopen(&fixture);
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
        disk_fixture_close(&fixture);
        disk_fixture_check(&fixture);
    }
    disk_fixture_deinit(&fixture);
}

static void a_missing_or_damaged_index_is_reset_with_one_line(void **state) {
    (void)state;
    char path[128];
    make_sound();
    for (int what = 0; what < 4; what++) {
        put_back(slots, sizeof slots);
        if (what == 1) save("index.db", index_bytes, 0);
        if (what == 2) save("index.db", index_bytes, index_length / 2);
        if (what == 3)
            disk_fixture_sql(&fixture, "UPDATE kv_slot SET key = 'short' WHERE slot = 1");
        disk_fixture_path(&fixture, "index.db", path);
        if (what == 0) assert_int_equal(unlink(path), 0);
        warnings = 0;
        log_set_sink(note_warning);
        disk_fixture_open(&fixture);
        log_set_sink(NULL);
        assert_int_equal(warnings, 1);
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), 0);
        must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        disk_fixture_reopen(&fixture);
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
        disk_fixture_close(&fixture);
        assert_int_equal(disk_fixture_check(&fixture).blocks, BLOCKS);
    }
    disk_fixture_deinit(&fixture);
}

static void a_damaged_index_page_costs_at_most_the_cache(void **state) {
    (void)state;
    static uint8_t damaged[INDEX_MOST];
    uint32_t random = 4;
    print_message("seed %u\n", random);
    make_sound();
    for (int round = 0; round < 150; round++) {
        put_back(slots, sizeof slots);
        memcpy(damaged, index_bytes, index_length);
        for (int i = 0; i < 40; i++) {
            random = random * 1664525u + 1013904223u;
            const size_t page = (size_t)round % (index_length / 4096);
            damaged[page * 4096 + (random >> 8) % 4096] ^= (uint8_t)(random >> 24 | 1);
        }
        save("index.db", damaged, index_length);
        const struct disk_cache_options options = {.folder = fixture.folder};
        const struct disk_listener listener = DISK_FIXTURE_DEAF;
        struct disk_speed speed;
        struct disk_pool *pool = disk_cache_create(&options);
        const enum status status =
            pool->ops->open(pool, &fixture.format, &listener, &speed, &fixture.err);
        pool->ops->close(pool, NULL); // a newer version, by accident, is left to the newer quire
        if (status == STATUS_UNSUPPORTED) continue; // and so is a file that may be another's
        must(status, &fixture.err);
        disk_fixture_check(&fixture); // which makes it sound
        disk_fixture_open(&fixture);
        must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        disk_fixture_close(&fixture);
    }
    disk_fixture_deinit(&fixture);
}

// What opening and listing do not read may be damaged too: the verb that meets it says so.
static void a_failing_index_is_reset_at_the_next_open(void **state) {
    (void)state;
    char path[128];
    make_sound();
    disk_fixture_open(&fixture);
    disk_fixture_sql(&fixture, "UPDATE kv_slot SET checksum = 'x' WHERE slot = 1");
    assert_int_equal(disk_fixture_write(&fixture, 1, BLOCKS, 0), STATUS_BAD_FILE);
    disk_fixture_close(&fixture);
    disk_fixture_path(&fixture, "index.db", path);
    assert_int_not_equal(access(path, F_OK), 0);
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 0);
    disk_fixture_deinit(&fixture);
}

static void an_index_of_a_newer_version_is_left_alone(void **state) {
    (void)state;
    make_sound();
    disk_fixture_sql(&fixture, "PRAGMA user_version = 99");
    const struct disk_cache_options options = {.folder = fixture.folder};
    const struct disk_listener listener = DISK_FIXTURE_DEAF;
    struct disk_speed speed;
    struct disk_pool *pool = disk_cache_create(&options);
    assert_int_equal(pool->ops->open(pool, &fixture.format, &listener, &speed, &fixture.err),
                     STATUS_UNSUPPORTED);
    pool->ops->close(pool, NULL);
    disk_fixture_sql(&fixture, "PRAGMA user_version = 4");
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
    disk_fixture_deinit(&fixture);
}

static void a_check_names_and_drops_bad_blocks(void **state) {
    (void)state;
    uint8_t damaged[FILE_BYTES];
    make_sound();
    memcpy(damaged, slots, sizeof slots);
    damaged[HEADER + STRIDE + 50] ^= 1; // of block 2
    put_back(damaged, sizeof damaged - 10);
    const struct disk_cache_report report = disk_fixture_check(&fixture);
    assert_int_equal(report.blocks, 1);
    assert_int_equal(report.bytes, STRIDE);
    assert_int_equal(report.damaged, 1);
    assert_int_equal(report.missing, 1);
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 1);
    disk_fixture_deinit(&fixture);
}

static char last_warning[1024];

static void keep_warning(enum log_level level, const char *text) {
    if (level == LOG_WARNING) snprintf(last_warning, sizeof last_warning, "%s", text);
}

// What a person may have in a folder, by a name of ours: nothing of it changes, and it is named.
// Returns what the pool's opening returned; for people, every call returned `others`.
static enum status open_foreign(char named[1024], enum status expected) {
    const struct disk_cache_options options = {.folder = fixture.folder};
    const struct disk_listener listener = DISK_FIXTURE_DEAF;
    struct disk_cache_report report;
    struct disk_cache_summary summary = {0};
    struct disk_speed speed;
    uint64_t freed;
    last_warning[0] = '\0';
    log_set_sink(keep_warning);
    struct disk_pool *pool = disk_cache_create(&options);
    const enum status status =
        pool->ops->open(pool, &fixture.format, &listener, &speed, &fixture.err);
    pool->ops->close(pool, NULL);
    snprintf(named, 1024, "%s", status == STATUS_OK ? last_warning : fixture.err.text);
    const enum status others[] = {
        disk_cache_check(fixture.folder, NULL, NULL, &report, &fixture.err),
        disk_cache_drop(fixture.folder, &freed, &fixture.err),
        disk_cache_forget(fixture.folder, &(uint64_t){1}, 1, &freed, &fixture.err),
        disk_cache_summarise(fixture.folder, &summary, &fixture.err),
    };
    log_set_sink(NULL);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(others[i], expected);
    if (expected == STATUS_OK) assert_int_equal(summary.foreign_files, 1);
    disk_cache_summary_deinit(&summary);
    return status;
}

enum foreign { FOREIGN_TEXT, FOREIGN_DATABASE, FOREIGN_LINK, FOREIGN_DANGLING, FOREIGN_FOLDER };

static void make_foreign(const char *name, enum foreign kind) {
    char path[128], target[128];
    disk_fixture_path(&fixture, name, path);
    disk_fixture_path(&fixture, "theirs", target);
    unlink(path);
    if (kind == FOREIGN_TEXT) save(name, (const uint8_t *)"letters", 7);
    if (kind == FOREIGN_FOLDER) assert_int_equal(mkdir(path, 0700), 0);
    if (kind == FOREIGN_LINK) save("theirs", slots, sizeof slots); // it may even look like ours
    if (kind == FOREIGN_LINK || kind == FOREIGN_DANGLING)
        assert_int_equal(symlink(target, path), 0);
    if (kind != FOREIGN_DATABASE) return;
    sqlite3 *handle = NULL;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, "CREATE TABLE letters(text)", 0, 0, 0), SQLITE_OK);
    sqlite3_close(handle);
}

static void expect_untouched(const char *name, enum foreign kind) {
    static const mode_t MODES[] = {S_IFREG, S_IFREG, S_IFLNK, S_IFLNK, S_IFDIR};
    char path[128];
    uint8_t bytes[16];
    struct stat info;
    disk_fixture_path(&fixture, name, path);
    assert_int_equal(lstat(path, &info), 0);
    assert_int_equal(info.st_mode & S_IFMT, MODES[kind]);
    if (kind == FOREIGN_TEXT) {
        assert_int_equal(load_file(name, bytes, sizeof bytes), 7);
        assert_memory_equal(bytes, "letters", 7);
    }
    disk_fixture_path(&fixture, "theirs", path);
    if (kind == FOREIGN_LINK) assert_int_equal(stat(path, &info), 0);
    if (kind == FOREIGN_LINK) assert_int_equal(info.st_size, sizeof slots);
    if (kind == FOREIGN_DANGLING) assert_int_not_equal(stat(path, &info), 0);
}

static void a_foreign_file_is_named_and_left_alone(void **state) {
    (void)state;
    static const char *const NAMES[] = {
        "index.db",
        "index.db-wal",
        "index.db-journal",
        "quire-kv-cache",
    };
    char named[1024], path[128];
    make_sound();
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        for (int kind = FOREIGN_TEXT; kind <= FOREIGN_FOLDER; kind++)
            for (int in_cache = 0; in_cache < 2; in_cache++) {
                const char *name = NAMES[i];
                const bool is_beside = in_cache && strncmp(name, "index.db-", 9) == 0;
                if (is_beside && kind <= FOREIGN_DATABASE) continue; // SQLite's, by the index
                disk_fixture_empty(&fixture);
                if (in_cache) put_back(slots, sizeof slots);
                make_foreign(name, (enum foreign)kind);
                assert_int_equal(open_foreign(named, STATUS_UNSUPPORTED), STATUS_UNSUPPORTED);
                assert_non_null(strstr(named, name));
                expect_untouched(name, (enum foreign)kind);
                disk_fixture_path(&fixture, name, path);
                if (kind == FOREIGN_FOLDER) assert_int_equal(rmdir(path), 0);
            }
    disk_fixture_deinit(&fixture);
}

// The rest of the cache works: only a model whose own file it would be has none on the disk.
static void a_foreign_block_file_is_skipped_and_named(void **state) {
    (void)state;
    static const char *const NAMES[] = {
        NULL, // the file of slots
        "ffffffffffffffffffffffffffffffff.kv",
        "segment-00000001.kv",
    };
    char named[1024], path[128];
    make_sound();
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        for (int kind = FOREIGN_TEXT; kind <= FOREIGN_FOLDER; kind++)
            for (int in_cache = 0; in_cache < 2; in_cache++) {
                const char *name = NAMES[i] ? NAMES[i] : slots_name;
                const enum status expected = NAMES[i] ? STATUS_OK : STATUS_UNSUPPORTED;
                disk_fixture_empty(&fixture);
                if (in_cache) put_back(slots, sizeof slots);
                make_foreign(name, (enum foreign)kind);
                if (expected == STATUS_OK) {
                    disk_fixture_open(&fixture);
                    assert_int_equal(disk_fixture_read_all(&fixture, &listed),
                                     in_cache ? BLOCKS : 0);
                    must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
                    disk_fixture_reopen(&fixture);
                    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
                    disk_fixture_close(&fixture);
                }
                assert_int_equal(open_foreign(named, STATUS_OK), expected);
                assert_non_null(strstr(named, name));
                expect_untouched(name, (enum foreign)kind);
                disk_fixture_path(&fixture, name, path);
                if (kind == FOREIGN_FOLDER) assert_int_equal(rmdir(path), 0);
            }
    disk_fixture_deinit(&fixture);
}

static void a_foreign_file_does_not_count_towards_the_limit(void **state) {
    (void)state;
    static uint8_t large[1 << 20];
    make_sound();
    put_back(slots, sizeof slots);
    memset(large, 7, sizeof large);
    save("ffffffffffffffffffffffffffffffff.kv", large, sizeof large);
    fixture.limit_bytes = 600 << 10;
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
    disk_fixture_deinit(&fixture);
}

static void remove_aside(void) {
    char path[128];
    for (int i = 1; i < 3; i++)
        for (int file = 0; file < 3; file++) {
            static const char *const FILES[] = {"/index.db", "/index.db-wal", ""};
            char name[64];
            snprintf(name, sizeof name, "set-aside-%d%s", i, FILES[file]);
            disk_fixture_path(&fixture, name, path);
            remove(path);
        }
}

static bool has_aside(const char *name, size_t length) {
    char path[128];
    struct stat info;
    disk_fixture_path(&fixture, name, path);
    return stat(path, &info) == 0 && info.st_size == (off_t)length;
}

// Noise and another's database alike are moved, not deleted, and only where the marker stands.
static void a_foreign_index_is_set_aside_in_a_marked_folder(void **state) {
    (void)state;
    static uint8_t noise[5000];
    uint64_t freed;
    struct text aside = {0};
    make_sound();
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)(i * 2654435761u >> 13);
    for (int what = 0; what < 4; what++) {
        put_back(slots, sizeof slots);
        char marker_path[128];
        disk_fixture_path(&fixture, MARKER, marker_path);
        if (what == 2) disk_fixture_sql(&fixture, "PRAGMA application_id = 7");
        if (what != 2) save("index.db", noise, sizeof noise);
        if (what != 2) save("index.db-wal", noise, 100);
        if (what == 3) assert_int_equal(unlink(marker_path), 0);
        assert_int_equal(disk_cache_drop(fixture.folder, &freed, &fixture.err), STATUS_UNSUPPORTED);
        assert_true(what == 3 || strstr(fixture.err.text, "quire kv drop"));
        text_clear(&aside);
        must(disk_cache_set_aside(fixture.folder, &aside, &fixture.err), &fixture.err);
        assert_int_equal(aside.length > 0, what != 3);
        if (what == 3) break;
        if (what != 2) assert_true(has_aside("set-aside-1/index.db", sizeof noise));
        if (what != 2) assert_true(has_aside("set-aside-1/index.db-wal", 100));
        if (what == 1) {
            save("index.db", noise, 200);
            must(disk_cache_set_aside(fixture.folder, &aside, &fixture.err), &fixture.err);
            assert_true(has_aside("set-aside-2/index.db", 200));
            assert_true(has_aside("set-aside-1/index.db", sizeof noise));
        }
        must(disk_cache_drop(fixture.folder, &freed, &fixture.err), &fixture.err);
        assert_true(freed >= BLOCKS * PAYLOAD);
        disk_fixture_open(&fixture);
        must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        disk_fixture_reopen(&fixture);
        assert_int_equal(disk_fixture_read_all(&fixture, &listed), BLOCKS);
        disk_fixture_close(&fixture);
        text_clear(&aside);
        must(disk_cache_set_aside(fixture.folder, &aside, &fixture.err), &fixture.err);
        assert_int_equal(aside.length, 0); // a sound one stays
        remove_aside();
    }
    text_deinit(&aside);
    disk_fixture_deinit(&fixture);
}

// A folder may have other files; theirs stay through all that a cache goes through.
static void files_with_other_names_are_not_touched(void **state) {
    (void)state;
    uint64_t freed;
    uint8_t bytes[16];
    make_sound();
    put_back(slots, sizeof slots);
    save("letters.db", (const uint8_t *)"letters", 7);
    save("0123.kv", (const uint8_t *)"letters", 7);
    disk_fixture_sql(&fixture, "UPDATE kv_slot SET key = 'short' WHERE slot = 1");
    disk_fixture_open(&fixture);
    must(disk_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
    disk_fixture_close(&fixture);
    must(disk_cache_drop(fixture.folder, &freed, &fixture.err), &fixture.err);
    assert_int_equal(load_file("letters.db", bytes, sizeof bytes), 7);
    assert_int_equal(load_file("0123.kv", bytes, sizeof bytes), 7);
    disk_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipped_bit_costs_only_its_block_and_descendants),
        cmocka_unit_test(a_file_cut_at_any_length_keeps_the_blocks_before_it),
        cmocka_unit_test(swapped_slots_are_detected_as_damage),
        cmocka_unit_test(a_missing_file_costs_its_blocks_and_one_warning),
        cmocka_unit_test(bytes_after_the_last_row_are_truncated),
        cmocka_unit_test(a_deleted_row_frees_its_slot),
        cmocka_unit_test(an_older_cache_folder_is_reset_with_one_line),
        cmocka_unit_test(a_cache_without_magic_numbers_is_dropped_with_one_line),
        cmocka_unit_test(a_missing_or_damaged_index_is_reset_with_one_line),
        cmocka_unit_test(a_damaged_index_page_costs_at_most_the_cache),
        cmocka_unit_test(a_failing_index_is_reset_at_the_next_open),
        cmocka_unit_test(an_index_of_a_newer_version_is_left_alone),
        cmocka_unit_test(a_check_names_and_drops_bad_blocks),
        cmocka_unit_test(a_foreign_file_is_named_and_left_alone),
        cmocka_unit_test(a_foreign_block_file_is_skipped_and_named),
        cmocka_unit_test(a_foreign_file_does_not_count_towards_the_limit),
        cmocka_unit_test(a_foreign_index_is_set_aside_in_a_marked_folder),
        cmocka_unit_test(files_with_other_names_are_not_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
