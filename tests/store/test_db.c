// tests/store/test_db.c — db.h: opening, refusing, transactions, models, and the check itself.
#include "store/db.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/model_source.h"
#include "store/statement.h"
#include "tests/check.h"
#include "tests/store/store_fixture.h"

static const char *const TALK[] = {"Where is Paris?", "In France.", "And Rome?", "In Italy."};
enum { TALK_COUNT = sizeof TALK / sizeof TALK[0], NOBODY = 65534 };

// db_open() must refuse, name the path and say `found`, and leave its out-parameter alone.
static void expect_refused(const struct store_fixture *fixture, enum status expected,
                           const char *found) {
    struct error err = {0};
    struct db *db = NULL;
    assert_int_equal(db_open(fixture->path, &db, &err), expected);
    assert_null(db);
    assert_int_equal(err.status, expected);
    if (!strstr(err.text, fixture->path) || !strstr(err.text, found))
        fail_msg("“%s” does not say “%s”", err.text, found);
}

static void write_file(const char *path, const void *bytes, size_t length) {
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), length);
    close(file);
}

static void a_new_database_is_private_and_has_a_version(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct stat info;
    char path[128];
    store_fixture_init(&fixture, true);
    store_fixture_talk(&fixture, "", TALK_COUNT, TALK, NULL);
    assert_true(store_fixture_sql(&fixture, "PRAGMA user_version") >= 1);
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        snprintf(path, sizeof path, "%s%s", fixture.path, suffixes[i]);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    store_fixture_deinit(&fixture);
}

// What the promise of db.h rests on.
static void every_commit_is_synced_to_the_disk(void **state) {
    (void)state;
    static const struct {
        const char *sql, *expected;
    } settings[] = {
        {"PRAGMA journal_mode", "wal"}, {"PRAGMA synchronous", "2"}, {"PRAGMA foreign_keys", "1"}};
    struct store_fixture fixture;
    store_fixture_init(&fixture, true);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        sqlite3_stmt *statement;
        assert_int_equal(
            sqlite3_prepare_v2(fixture.db->handle, settings[i].sql, -1, &statement, NULL),
            SQLITE_OK);
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(statement, 0), settings[i].expected);
        sqlite3_finalize(statement);
    }
    store_fixture_deinit(&fixture);
}

static void opening_in_a_missing_folder_is_refused(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, false);
    snprintf(fixture.path, sizeof fixture.path, "%s/none/quire.db", fixture.folder);
    expect_refused(&fixture, STATUS_IO, "No such file or directory");
    store_fixture_deinit(&fixture);
}

static void a_database_moved_away_accepts_no_writes(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct error err = {0};
    char away[112];
    int64_t model;
    store_fixture_init(&fixture, true);
    snprintf(away, sizeof away, "%s.away", fixture.path);
    assert_int_equal(rename(fixture.path, away), 0);
    assert_int_equal(db_begin(fixture.db, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "was deleted or moved"));
    assert_int_equal(db_model(fixture.db, (struct hash128){77, 78}, "m", &model, &err), STATUS_IO);
    assert_int_equal(rename(away, fixture.path), 0);
    assert_int_equal(db_model(fixture.db, (struct hash128){77, 78}, "m", &model, &err), STATUS_OK);
    assert_int_equal(rename(fixture.path, away), 0);
    write_file(fixture.path, "", 0);
    assert_int_equal(db_begin(fixture.db, &err), STATUS_IO);
    assert_int_equal(rename(away, fixture.path), 0);
    store_fixture_deinit(&fixture);
}

// Root may write everywhere, so the test becomes somebody else for a while.
static void unwritable_databases_are_refused(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, true);
    db_close(fixture.db);
    fixture.db = NULL;
    assert_int_equal(chmod(fixture.folder, 0555), 0);
    assert_int_equal(chmod(fixture.path, 0444), 0);
    const bool root = geteuid() == 0;
    if (root) assert_int_equal(seteuid(NOBODY), 0);
    expect_refused(&fixture, STATUS_IO, "is read-only");
    snprintf(fixture.path, sizeof fixture.path, "%s/new.db", fixture.folder);
    expect_refused(&fixture, STATUS_IO, "Permission denied");
    if (root) assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(fixture.folder, 0700), 0);
    store_fixture_deinit(&fixture);
}

static void a_file_that_is_no_database_is_refused_and_kept(void **state) {
    (void)state;
    struct store_fixture fixture;
    char text[4096], after[4096];
    store_fixture_init(&fixture, false);
    memset(text, 'x', sizeof text);
    write_file(fixture.path, text, sizeof text);
    expect_refused(&fixture, STATUS_BAD_FILE, "is not a database");
    const int file = open(fixture.path, O_RDONLY);
    assert_int_equal(read(file, after, sizeof after), sizeof after);
    assert_memory_equal(after, text, sizeof text);
    close(file);
    store_fixture_deinit(&fixture);
}

static void a_folder_in_place_of_the_database_is_refused(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, false);
    assert_int_equal(mkdir(fixture.path, 0700), 0);
    expect_refused(&fixture, STATUS_IO, "cannot read");
    assert_int_equal(rmdir(fixture.path), 0);
    store_fixture_deinit(&fixture);
}

static void a_database_of_another_program_is_refused_and_kept(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, false);
    store_fixture_sql(&fixture, "CREATE TABLE theirs(x)");
    expect_refused(&fixture, STATUS_BAD_FILE, "another program");
    store_fixture_sql(&fixture, "PRAGMA application_id = 77; PRAGMA user_version = 1");
    expect_refused(&fixture, STATUS_BAD_FILE, "application id 77");
    store_fixture_sql(&fixture, "INSERT INTO theirs VALUES(1)");
    store_fixture_deinit(&fixture);
}

// SQLite would take the log into the file when it closes it.
static void the_log_of_another_program_is_not_touched(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct stat info;
    char log[sizeof fixture.path + 8];
    store_fixture_init(&fixture, false);
    snprintf(log, sizeof log, "%s-wal", fixture.path);
    store_fixture_sql(&fixture, "PRAGMA application_id = 77; CREATE TABLE theirs(x)");
    sqlite3 *theirs = NULL;
    assert_int_equal(sqlite3_open(fixture.path, &theirs), SQLITE_OK);
    sqlite3_exec(theirs, "PRAGMA journal_mode = WAL; INSERT INTO theirs VALUES(1)", 0, 0, 0);
    sqlite3_db_config(theirs, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_close(theirs);
    assert_int_equal(chmod(fixture.path, 0644), 0);
    assert_int_equal(stat(log, &info), 0);
    const off_t before = info.st_size;
    expect_refused(&fixture, STATUS_BAD_FILE, "application id 77");
    assert_int_equal(stat(log, &info), 0);
    assert_int_equal(info.st_size, before);
    assert_int_equal(stat(fixture.path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0644);
    store_fixture_deinit(&fixture);
}

static void a_database_of_a_newer_quire_is_refused(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, true);
    db_close(fixture.db);
    fixture.db = NULL;
    store_fixture_sql(&fixture, "PRAGMA user_version = 999");
    expect_refused(&fixture, STATUS_UNSUPPORTED, "format 999");
    store_fixture_deinit(&fixture);
}

// Reads everything there is; whatever fails must be BAD_FILE (or gone) and name the path.
static bool read_database(struct store_fixture *fixture) {
    struct conversation_row *rows = NULL;
    struct error err = {0};
    size_t count = 0;
    enum status status = db_open(fixture->path, &fixture->db, &err);
    if (status == STATUS_OK)
        status = conversation_list(fixture->db,
                                   &(struct conversation_query){.words = "paris", .limit = 10},
                                   &rows, &count, &err);
    free(rows);
    rows = NULL;
    if (status == STATUS_OK)
        status =
            conversation_list(fixture->db, &(struct conversation_query){.words = "", .limit = 10},
                              &rows, &count, &err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct message *path = NULL;
        size_t length = 0;
        status = message_path(fixture->db, rows[i].conversation.tip, &path, &length, &err);
        if (status == STATUS_OK) message_path_free(path, length);
    }
    free(rows);
    if (status == STATUS_OK) status = db_check(fixture->db, &err);
    db_close(fixture->db);
    fixture->db = NULL;
    if (status == STATUS_OK) return true;
    if (status != STATUS_BAD_FILE || !strstr(err.text, fixture->path))
        fail_msg("%s: %s", status_text(status), err.text);
    return false;
}

// Every page in turn, overwritten as a whole and in one byte.
static void damaged_pages_are_reported_and_do_no_harm(void **state) {
    (void)state;
    enum { PAGE = 4096, MOST = 64 * PAGE };
    static unsigned char whole[MOST], damaged[MOST];
    struct store_fixture fixture;
    int found = 0;
    store_fixture_init(&fixture, true);
    for (int i = 0; i < 8; i++)
        store_fixture_talk(&fixture, "", TALK_COUNT, TALK, NULL);
    db_close(fixture.db);
    fixture.db = NULL;
    const int file = open(fixture.path, O_RDONLY);
    const ssize_t length = read(file, whole, sizeof whole);
    close(file);
    assert_true(length > 8 * PAGE && length < MOST);
    unsigned seed = 1;
    for (ssize_t page = 0; page < length; page += PAGE / 2) {
        memcpy(damaged, whole, (size_t)length);
        seed = seed * 1664525u + 1013904223u;
        if (page % PAGE == 0)
            memset(damaged + page, (int)(seed >> 24), PAGE);
        else
            damaged[page - PAGE / 2 + (seed >> 8) % PAGE] ^= 0xFF;
        write_file(fixture.path, damaged, (size_t)length);
        found += !read_database(&fixture);
    }
    assert_true(found > length / PAGE / 2);
    write_file(fixture.path, whole, (size_t)length);
    assert_true(read_database(&fixture));
    store_fixture_deinit(&fixture);
}

static void processes_can_open_a_database_at_once(void **state) {
    (void)state;
    enum { PROCESSES = 8 };
    struct store_fixture fixture;
    store_fixture_init(&fixture, false);
    for (int i = 0; i < PROCESSES; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child > 0) continue;
        struct db *db;
        struct error err = {0};
        int64_t model;
        enum status status = db_open(fixture.path, &db, &err);
        if (status == STATUS_OK)
            status = db_model(db, (struct hash128){(uint64_t)i % 3, 0}, "m", &model, &err);
        if (status != STATUS_OK) fprintf(stderr, "%s\n", err.text);
        _exit(status == STATUS_OK ? 0 : 1);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int result;
        assert_true(wait(&result) > 0);
        assert_int_equal(result, 0);
    }
    store_fixture_reopen(&fixture);
    store_fixture_deinit(&fixture);
}

static void a_rolled_back_transaction_stores_nothing(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct message message;
    store_fixture_init(&fixture, true);
    must(db_begin(fixture.db, &fixture.err), &fixture.err);
    const int64_t id = store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "gone");
    db_rollback(fixture.db);
    db_rollback(fixture.db); // without a transaction: nothing
    assert_int_equal(message_get(fixture.db, id, &message, NULL), STATUS_NOT_FOUND);
    store_fixture_deinit(&fixture);
}

static void a_nested_rollback_fails_the_whole_transaction(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct message message = {0};
    store_fixture_init(&fixture, true);
    must(db_begin(fixture.db, &fixture.err), &fixture.err);
    const int64_t id = store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "gone");
    must(db_begin(fixture.db, &fixture.err), &fixture.err);
    db_rollback(fixture.db);
    assert_int_equal(message_get(fixture.db, id, &message, NULL), STATUS_CANCELLED);
    assert_int_equal(db_commit(fixture.db, &fixture.err), STATUS_CANCELLED);
    db_rollback(fixture.db);
    assert_int_equal(message_get(fixture.db, id, &message, NULL), STATUS_NOT_FOUND);
    must(db_begin(fixture.db, &fixture.err), &fixture.err);
    const int64_t kept = store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "kept");
    must(db_commit(fixture.db, &fixture.err), &fixture.err);
    store_fixture_reopen(&fixture);
    must(message_get(fixture.db, kept, &message, &fixture.err), &fixture.err);
    message_deinit(&message);
    store_fixture_deinit(&fixture);
}

static bool time_flies; // sleeping takes no time
static int64_t flown_us;
int __real_sqlite3_sleep(int ms);
int __wrap_sqlite3_sleep(int ms);
int64_t __real_clock_now_us(void);
int64_t __wrap_clock_now_us(void);

int __wrap_sqlite3_sleep(int ms) {
    if (!time_flies) return __real_sqlite3_sleep(ms);
    flown_us += (int64_t)ms * 1000;
    return ms;
}

int64_t __wrap_clock_now_us(void) { return __real_clock_now_us() + flown_us; }

static bool tell_of_wait(void *user) {
    int *told = user;
    if (*told >= 0 && write(*told, "x", 1) == 1) close(*told);
    *told = -1;
    return false;
}

// The other connection writes until this one waits for it.
static void a_writer_waits_for_another_then_continues(void **state) {
    (void)state;
    struct store_fixture fixture;
    int ready[2], waits[2], result;
    char byte;
    store_fixture_init(&fixture, true);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(waits), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct db *db;
        close(waits[1]);
        const bool whole = db_open(fixture.path, &db, NULL) == STATUS_OK &&
                           db_begin(db, NULL) == STATUS_OK && write(ready[1], "x", 1) == 1 &&
                           read(waits[0], &byte, 1) == 1 && db_commit(db, NULL) == STATUS_OK;
        _exit(whole ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    db_on_wait(fixture.db, tell_of_wait, &waits[1]);
    store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "waited");
    assert_int_equal(waits[1], -1);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    close(ready[0]);
    close(ready[1]);
    close(waits[0]);
    store_fixture_deinit(&fixture);
}

static void a_writer_that_waits_too_long_gets_busy(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct db *other;
    store_fixture_init(&fixture, true);
    must(db_open(fixture.path, &other, &fixture.err), &fixture.err);
    must(db_begin(other, &fixture.err), &fixture.err);
    time_flies = true;
    assert_int_equal(db_begin(fixture.db, &fixture.err), STATUS_BUSY);
    time_flies = false;
    assert_in_range(flown_us, (DB_BUSY_MS - 100) * 1000, (DB_BUSY_MS + 100) * 1000);
    assert_non_null(strstr(fixture.err.text, fixture.path));
    db_rollback(fixture.db);
    db_close(other);
    store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "free again");
    store_fixture_deinit(&fixture);
}

static void a_model_is_identified_by_its_digest(void **state) {
    (void)state;
    struct store_fixture fixture;
    int64_t first, again, other;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    must(db_model(fixture.db, (struct hash128){7, 1}, "one", &first, err), err);
    must(db_model(fixture.db, (struct hash128){7, 1}, "renamed", &again, err), err);
    must(db_model(fixture.db, (struct hash128){7, 2}, "one", &other, err), err);
    assert_int_equal(first, again);
    assert_int_not_equal(first, other);
    store_fixture_deinit(&fixture);
}

static struct model_source make_source(int64_t model, const char *adapter) {
    struct model_source source = {.model = model, .identity = {1, 2}, .kind = MODEL_PATH};
    const struct model_part weights = {.role = PART_WEIGHTS, .bytes = 7, .digest = {3, 4}};
    const struct model_part poet = {
        .role = PART_ADAPTER, .bytes = 8, .digest = {5, 6}, .scale = 0.1F};
    must(text_append_string(&source.name, "/models/\xFF odd.gguf"), NULL);
    must(model_source_add(&source, &weights, "/models/\xFF odd.gguf"), NULL);
    must(model_source_add(&source, &poet, adapter), NULL);
    return source;
}

static void a_model_source_is_stored_once_and_read_back_whole(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    struct model_source one = make_source(fixture.model, "/a"),
                        two = make_source(fixture.model, "/b");
    struct model_source found;
    int64_t first, second, again, *ids;
    size_t count;
    must(model_source_enter(fixture.db, &one, &first, err), err);
    must(model_source_enter(fixture.db, &two, &second, err), err);
    must(model_source_enter(fixture.db, &one, &again, err), err);
    assert_int_equal(first, again);
    assert_int_not_equal(first, second);
    must(model_source_recent(fixture.db, 9, &ids, &count, err), err);
    assert_int_equal(count, 2);
    assert_int_equal(ids[0], first);
    free(ids);
    store_fixture_reopen(&fixture);
    must(db_check(fixture.db, err), err);
    must(model_source_get(fixture.db, first, &found, err), err);
    assert_string_equal(found.model_name, "model");
    assert_string_equal(text_string(&found.name), text_string(&one.name));
    assert_int_equal(found.part_count, 2);
    assert_string_equal(text_string(&found.parts[1].path), "/a");
    assert_true(found.parts[1].scale == 0.1F && found.parts[1].bytes == 8);
    assert_true(hash_equal(found.parts[1].digest, one.parts[1].digest));
    assert_true(hash_equal(found.identity, one.identity));
    model_source_deinit(&found);
    store_fixture_sql(&fixture, "UPDATE model_part SET digest = X'00'");
    assert_int_equal(model_source_get(fixture.db, first, &found, err), STATUS_BAD_FILE);
    assert_int_equal(model_source_get(fixture.db, 99, &found, err), STATUS_NOT_FOUND);
    model_source_deinit(&one);
    model_source_deinit(&two);
    store_fixture_deinit(&fixture);
}

static void a_digest_is_remembered_only_for_an_unchanged_file(void **state) {
    (void)state;
    static const char path[] = "/models/\xFF odd.gguf";
    const struct hash128 digest = {UINT64_MAX, 0x0123456789abcdef};
    struct store_fixture fixture;
    struct hash128 found = {5, 5};
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    assert_int_equal(db_digest_find(db, path, 10, 20, &found), STATUS_NOT_FOUND);
    must(db_digest_remember(db, path, 10, 20, (struct hash128){3, 3}, &fixture.err), &fixture.err);
    must(db_digest_remember(db, path, 10, 21, digest, &fixture.err), &fixture.err);
    assert_int_equal(db_digest_find(db, path, 10, 20, &found), STATUS_NOT_FOUND);
    assert_int_equal(db_digest_find(db, path, 11, 21, &found), STATUS_NOT_FOUND);
    assert_true(hash_equal(found, (struct hash128){5, 5}));
    assert_int_equal(db_digest_find(db, path, 10, 21, &found), STATUS_OK);
    assert_true(hash_equal(found, digest));
    store_fixture_deinit(&fixture);
}

// Each rule of db_check() is broken once.
static void the_check_finds_every_broken_rule(void **state) {
    (void)state;
    static const char *const damages[] = {
        "UPDATE message SET depth = depth + 1 WHERE id = 2",
        "UPDATE message SET turns = 9 WHERE id = 3",
        "UPDATE message SET root = 2 WHERE id = 4",
        "UPDATE message SET opening = NULL WHERE id = 3",
        "UPDATE message SET role = 7 WHERE id = 1",
        "UPDATE message SET stop = 'x' WHERE id = 2",
        "UPDATE message_body SET text = x'00' WHERE id = 2",
        "DELETE FROM message_body WHERE id = 2",
        "UPDATE message_tokens SET ids = x'000000' WHERE message = 2",
        "UPDATE message_tokens SET total = 1 WHERE message = 2",
        "UPDATE message_tokens SET count = 3, total = 1, ids = x'000000010000000000000000'"
        " WHERE message = 2", // a cut
        "DELETE FROM conversation_root",
        "UPDATE conversation SET tip = 77",
        "UPDATE conversation SET id = -1",
        "INSERT INTO message_search(rowid, text) VALUES(77, 'ghost')",
        "INSERT INTO message_search(message_search, rowid, text) VALUES('delete', 1, 'Where')",
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct store_fixture fixture;
        store_fixture_init(&fixture, true);
        store_fixture_talk(&fixture, "", TALK_COUNT, TALK, NULL);
        must(db_check(fixture.db, &fixture.err), &fixture.err);
        store_fixture_sql(&fixture, damages[i]);
        if (db_check(fixture.db, &fixture.err) != STATUS_BAD_FILE)
            fail_msg("not seen: %s", damages[i]);
        assert_non_null(strstr(fixture.err.text, fixture.path));
        db_close(fixture.db);
        fixture.db = NULL;
        store_fixture_deinit(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_database_is_private_and_has_a_version),
        cmocka_unit_test(every_commit_is_synced_to_the_disk),
        cmocka_unit_test(opening_in_a_missing_folder_is_refused),
        cmocka_unit_test(a_database_moved_away_accepts_no_writes),
        cmocka_unit_test(unwritable_databases_are_refused),
        cmocka_unit_test(a_file_that_is_no_database_is_refused_and_kept),
        cmocka_unit_test(a_folder_in_place_of_the_database_is_refused),
        cmocka_unit_test(a_database_of_another_program_is_refused_and_kept),
        cmocka_unit_test(the_log_of_another_program_is_not_touched),
        cmocka_unit_test(a_database_of_a_newer_quire_is_refused),
        cmocka_unit_test(damaged_pages_are_reported_and_do_no_harm),
        cmocka_unit_test(processes_can_open_a_database_at_once),
        cmocka_unit_test(a_rolled_back_transaction_stores_nothing),
        cmocka_unit_test(a_nested_rollback_fails_the_whole_transaction),
        cmocka_unit_test(a_writer_waits_for_another_then_continues),
        cmocka_unit_test(a_writer_that_waits_too_long_gets_busy),
        cmocka_unit_test(a_model_is_identified_by_its_digest),
        cmocka_unit_test(a_model_source_is_stored_once_and_read_back_whole),
        cmocka_unit_test(a_digest_is_remembered_only_for_an_unchanged_file),
        cmocka_unit_test(the_check_finds_every_broken_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
