// tests/store/test_store_memory.c — the n-th allocation fails, ours or SQLite's, for n = 1, 2, …
//
// Whatever call meets it says NO_MEMORY and leaves its out-parameters alone; the database stays
// sound, and what was acknowledged before is in it.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/no_memory.h"
#include "tests/store/store_fixture.h"

enum { FILE_MOST = 1 << 20, EVERY_ONE = 400, STRIDE = 13 };

static long allocations, fail_at; // fail_at 0: none fails

static bool out_of_memory(void) { return fail_at > 0 && ++allocations == fail_at; }

struct scenario {
    struct store_fixture fixture;
    unsigned char start[FILE_MOST];
    size_t start_length;
    char talk_id[CONVERSATION_ID_BYTES];
    int64_t acknowledged[8];
    int acknowledged_count;
};

static bool fine(enum status status) {
    assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
    return status == STATUS_OK;
}

static bool write_some(struct scenario *scenario) {
    static const int32_t tokens[] = {1, 2, 3};
    static char text[] = "some words of an answer";
    struct store_fixture *fixture = &scenario->fixture;
    struct message message = {.role = MESSAGE_USER, .text = text, .length = sizeof text - 1};
    struct conversation made = {.tip = 77}, fork = {.tip = 77};
    int64_t id = 77, model = 77;
    struct db *db = fixture->db;
    if (!fine(db_model(db, (struct hash128){3, 4}, "new", &model, NULL))) {
        assert_int_equal(model, 77);
        return false;
    }
    if (!fine(conversation_create(db, "made", model, &made, NULL))) {
        assert_int_equal(made.tip, 77);
        return false;
    }
    if (!fine(conversation_lock(db, made.id, NULL))) return false;
    for (int i = 0; i < 3; i++) {
        message.role = i % 2 ? MESSAGE_ASSISTANT : MESSAGE_USER;
        if (!fine(message_add(db, &message, model, tokens, 3, &id, NULL))) {
            assert_int_equal(id, i == 0 ? 77 : message.parent);
            return false;
        }
        scenario->acknowledged[scenario->acknowledged_count++] = id;
        message.parent = id;
        if (!fine(conversation_move(db, made.id, id, model, NULL))) return false;
    }
    made.tip = id;
    message.role = MESSAGE_ASSISTANT;
    if (!fine(message_add(db, &message, model, tokens, 1, &id, NULL))) return false;
    if (!fine(message_extend(db, id, &message, model, tokens, 3, NULL))) return false;
    if (!fine(message_set_tokens(db, made.tip, fixture->model, tokens, 2, NULL))) return false;
    if (!fine(conversation_fork(db, &made, made.tip, "", &fork, NULL))) {
        assert_int_equal(fork.tip, 77);
        return false;
    }
    return fine(conversation_rename(db, made.id, "renamed", NULL)) &&
           fine(conversation_delete(db, made.id, NULL)) &&
           fine(db_digest_remember(db, "/m", 1, 2, (struct hash128){1, 1}, NULL));
}

static bool read_some(struct scenario *scenario) {
    struct db *db = scenario->fixture.db;
    struct conversation found = {.tip = 77};
    struct conversation_row *rows = NULL;
    struct message *path = NULL;
    int32_t *tokens = NULL;
    size_t count = 77;
    if (!fine(conversation_find(db, "renamed", &found, NULL) == STATUS_NOT_FOUND
                  ? STATUS_OK
                  : STATUS_NO_MEMORY) ||
        !fine(conversation_find(db, scenario->talk_id, &found, NULL))) {
        assert_int_equal(found.tip, 77);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (!fine(conversation_list(
                db, &(struct conversation_query){.words = i ? "some wor" : "", .limit = 9}, &rows,
                &count, NULL))) {
            assert_null(rows);
            assert_int_equal(count, 77);
            return false;
        }
        free(rows);
        rows = NULL;
        count = 77;
    }
    if (!fine(message_path(db, found.tip, &path, &count, NULL))) {
        assert_null(path);
        assert_int_equal(count, 77);
        return false;
    }
    message_path_free(path, count);
    count = 77;
    if (!fine(message_tokens(db, found.tip, scenario->fixture.model, &tokens, &count, NULL))) {
        assert_null(tokens);
        assert_int_equal(count, 77);
        return false;
    }
    free(tokens);
    return fine(conversation_latest(db, false, &found, NULL));
}

// True when nothing failed.
static bool run_scenario(struct scenario *scenario) {
    struct store_fixture *fixture = &scenario->fixture;
    if (!fine(db_open(fixture->path, &fixture->db, NULL))) {
        assert_null(fixture->db);
        return false;
    }
    return write_some(scenario) && read_some(scenario);
}

static void remove_suffix(const struct store_fixture *fixture, const char *suffix) {
    char path[128];
    snprintf(path, sizeof path, "%s%s", fixture->path, suffix);
    unlink(path);
}

static void put_back(const struct scenario *scenario) {
    remove_suffix(&scenario->fixture, "-wal");
    remove_suffix(&scenario->fixture, "-shm");
    const int file = open(scenario->fixture.path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, scenario->start, scenario->start_length), scenario->start_length);
    close(file);
}

// FTS5 may answer the first call after a failed allocation with what is left of that failure, so
// a check that fails is asked once more.
static void check_after(struct scenario *scenario) {
    struct store_fixture *fixture = &scenario->fixture;
    struct message message;
    for (int again = 0; again < 2; again++) {
        if (fixture->db && db_check(fixture->db, NULL) != STATUS_OK)
            must(db_check(fixture->db, &fixture->err), &fixture->err);
        for (int i = 0; i < scenario->acknowledged_count && fixture->db; i++) {
            must(message_get(fixture->db, scenario->acknowledged[i], &message, &fixture->err),
                 &fixture->err);
            message_deinit(&message);
        }
        if (again == 0) store_fixture_reopen(fixture);
    }
    db_close(fixture->db);
    fixture->db = NULL;
}

static void a_failed_allocation_is_reported_and_does_no_harm(void **state) {
    (void)state;
    static const char *const texts[] = {"some words", "some more words"};
    static struct scenario scenario;
    struct store_fixture *fixture = &scenario.fixture;
    store_fixture_init(fixture, true);
    const struct conversation talk = store_fixture_talk(fixture, "", 2, texts, NULL);
    memcpy(scenario.talk_id, talk.id, sizeof talk.id);
    db_close(fixture->db);
    fixture->db = NULL;
    const int file = open(fixture->path, O_RDONLY);
    const ssize_t length = read(file, scenario.start, FILE_MOST);
    close(file);
    assert_true(length > 0 && length < FILE_MOST);
    scenario.start_length = (size_t)length;
    bool whole = false;
    long runs = 0;
    for (long n = 1; !whole; n += n < EVERY_ONE ? 1 : STRIDE, runs++) {
        put_back(&scenario);
        scenario.acknowledged_count = 0;
        allocations = 0;
        fail_at = n;
        whole = run_scenario(&scenario) && allocations < n;
        fail_at = 0;
        check_after(&scenario);
    }
    print_message("%ld places in %ld allocations\n", runs, allocations);
    assert_true(allocations > EVERY_ONE);
    store_fixture_deinit(fixture);
}

int main(void) {
    hook_sqlite();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_allocation_is_reported_and_does_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
