// tests/store/test_migration.c — a database that an older quire has kept is still read.
//
// version_N.sql is what version N wrote, kept as text: it must stay as it is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/search_index.h"
#include "store/statement.h"
#include "tests/check.h"
#include "tests/store/store_fixture.h"

static char *read_fixture(const char *name) {
    char path[512];
    snprintf(path, sizeof path, TESTS_DIR "/store/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static void an_empty_file_becomes_a_database(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, false);
    FILE *file = fopen(fixture.path, "wb");
    assert_non_null(file);
    fclose(file);
    store_fixture_reopen(&fixture);
    assert_int_equal(store_fixture_sql(&fixture, "PRAGMA user_version"), 5);
    store_fixture_deinit(&fixture);
}

// A step that did not come to its end left nothing, so it is taken again.
static void a_database_without_tables_gets_the_schema(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, false);
    store_fixture_sql(&fixture, "PRAGMA journal_mode = WAL; CREATE TABLE x(y); DROP TABLE x");
    store_fixture_reopen(&fixture);
    assert_int_equal(store_fixture_sql(&fixture, "PRAGMA user_version"), 5);
    store_fixture_reopen(&fixture);
    store_fixture_deinit(&fixture);
}

static const struct kept {
    const char *file, *words, *name, *preview, *answer; // of the one conversation with the words
    int conversations;                                  // in all; one is a fork of `trip`
    bool one_shot;
    size_t messages;
    int32_t turns, tokens, last_token, last_tokens;
    enum message_stop stop;
} KEPT[] = {
    {"version_1.sql", "paris", "trip", "Where is Paris?", "In France.", 2, false, 2, 1, 5, 70000, 2,
     STOP_END},
    {"version_2.sql", "rome", "", "Where is Paris?", "The Rome is the longest", 3, true, 4, 2, 37,
     415, 6, STOP_LENGTH},
    {"version_3.sql", "rome", "", "Where is Paris?", "The Rome is the longest", 3, true, 4, 2, 37,
     415, 6, STOP_LENGTH},
    {"version_4.sql", "rome", "", "Where is Paris?", "The Rome is the longest", 3, true, 4, 2, 37,
     415, 6, STOP_LENGTH},
};

static void open_version(struct store_fixture *fixture, const struct kept *kept) {
    store_fixture_init(fixture, false);
    char *sql = read_fixture(kept->file);
    store_fixture_sql(fixture, sql);
    free(sql);
    store_fixture_reopen(fixture);
    must(db_check(fixture->db, &fixture->err), &fixture->err);
    assert_int_equal(store_fixture_sql(fixture, "PRAGMA user_version"), 5);
    assert_int_equal(store_fixture_sql(fixture, "SELECT count(*) FROM conversation"),
                     kept->conversations);
    assert_int_equal(store_fixture_sql(fixture,
                                       "SELECT count(*) FROM conversation WHERE forked_from"
                                       " = (SELECT id FROM conversation WHERE name = 'trip')"),
                     1);
}

static void check_conversation(struct store_fixture *fixture, const struct kept *kept,
                               struct conversation *found) {
    struct conversation_row *rows;
    struct message *path;
    int32_t *tokens;
    size_t count;
    struct error *err = &fixture->err;
    const struct conversation_query query = {.words = kept->words, .limit = 9, .one_shot = true};
    must(conversation_list(fixture->db, &query, &rows, &count, err), err);
    assert_in_range(count, 1, 2); // a fork has the words, too
    *found = rows[0].conversation;
    assert_string_equal(found->name, kept->name);
    assert_int_equal(found->one_shot, kept->one_shot);
    assert_string_equal(found->title, "");
    assert_int_equal(rows[0].turns, kept->turns);
    assert_int_equal(rows[0].tokens, kept->tokens);
    assert_string_equal(rows[0].preview, kept->preview);
    must(message_path(fixture->db, found->tip, &path, &count, err), err);
    assert_int_equal(count, kept->messages);
    assert_string_equal(path[count - 1].text, kept->answer);
    assert_int_equal(path[count - 1].stop, kept->stop);
    assert_int_equal(path[0].said, 0);
    message_path_free(path, count);
    must(message_tokens(fixture->db, found->tip, 1, &tokens, &count, err), err);
    assert_int_equal(count, kept->last_tokens);
    assert_int_equal(tokens[count - 1], kept->last_token);
    free(tokens);
    free(rows);
}

static void every_older_version_opens_and_can_be_continued(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof KEPT / sizeof KEPT[0]; i++) {
        struct store_fixture fixture;
        struct conversation found;
        struct message path;
        open_version(&fixture, &KEPT[i]);
        check_conversation(&fixture, &KEPT[i], &found);
        fixture.model = 1;
        const int64_t added = store_fixture_add(&fixture, found.tip, MESSAGE_USER, "More?");
        must(conversation_move(fixture.db, found.id, added, 1, &fixture.err), &fixture.err);
        store_fixture_reopen(&fixture);
        must(message_get(fixture.db, added, &path, &fixture.err), &fixture.err);
        assert_int_equal(path.parent, found.tip);
        message_deinit(&path);
        store_fixture_deinit(&fixture);
    }
}

static size_t found(struct store_fixture *fixture, const char *words) {
    struct conversation_row *rows;
    size_t count;
    const struct conversation_query query = {.words = words, .limit = 9};
    must(conversation_list(fixture->db, &query, &rows, &count, &fixture->err), &fixture->err);
    free(rows);
    return count;
}

static int indexed_from(struct store_fixture *fixture) {
    return store_fixture_sql(fixture, "SELECT indexed_from FROM search_state");
}

// Of a database whose messages are not indexed yet, a batch is, and then the process ends. What is
// changed and deleted meanwhile is in the index or not; opening does the rest.
static void an_interrupted_indexing_resumes(void **state) {
    (void)state;
    enum { OLD = 2500 };
    static const char *const first[] = {"\u660E\u65E5\u306E\u5929\u6C17"}; // tomorrow's weather
    static const char *const last[] = {"\u72D0\u306E\u8A71"};              // of a fox
    struct store_fixture fixture;
    struct conversation talk;
    bool done = true;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct conversation oldest = store_fixture_talk(&fixture, "", 1, first, NULL);
    must(conversation_create(fixture.db, "long", 0, &talk, err), err);
    must(db_begin(fixture.db, err), err);
    for (int i = 0; i < OLD; i++)
        talk.tip = store_fixture_add(&fixture, talk.tip, i % 2 ? MESSAGE_ASSISTANT : MESSAGE_USER,
                                     "a goose");
    must(conversation_move(fixture.db, talk.id, talk.tip, 0, err), err);
    must(db_commit(fixture.db, err), err);
    store_fixture_talk(&fixture, "", 1, last, NULL);
    assert_int_equal(
        sqlite3_exec(fixture.db->handle,
                     "INSERT INTO message_search(message_search) VALUES('delete-all');"
                     "UPDATE search_state SET indexed_from = 1 + (SELECT max(id) FROM message)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(found(&fixture, "\u72D0"), 0);

    must(search_index_some(fixture.db, &done, err), err);
    assert_false(done);
    const int from = indexed_from(&fixture);
    assert_in_range(from, 2, OLD);
    assert_int_equal(found(&fixture, "\u72D0"), 1); // the newest first
    assert_int_equal(found(&fixture, "\u5929\u6C17"), 0);
    store_fixture_sql(&fixture, "SELECT 1");
    const struct message longer = {
        .role = MESSAGE_ASSISTANT, .stop = STOP_END, .text = (char[]){"a swan"}, .length = 6};
    must(message_extend(fixture.db, talk.tip, &longer, 0, NULL, 0, err), err);
    must(conversation_delete(fixture.db, oldest.id, err), err); // is not indexed
    store_fixture_talk(&fixture, "", 1, first, NULL);

    store_fixture_reopen(&fixture);
    assert_in_range(indexed_from(&fixture), 0, 1);
    must(db_check(fixture.db, err), err);
    assert_int_equal(found(&fixture, "\u5929\u6C17"), 1);
    assert_int_equal(found(&fixture, "swan"), 1);
    assert_int_equal(store_fixture_sql(&fixture, "DELETE FROM search_state; SELECT 0"), 0);
    db_close(fixture.db);
    fixture.db = NULL;
    assert_int_equal(db_open(fixture.path, &fixture.db, err), STATUS_BAD_FILE);
    fixture.db = NULL;
    store_fixture_sql(&fixture, "INSERT INTO search_state VALUES(0)");
    store_fixture_reopen(&fixture);
    store_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_file_becomes_a_database),
        cmocka_unit_test(a_database_without_tables_gets_the_schema),
        cmocka_unit_test(an_interrupted_indexing_resumes),
        cmocka_unit_test(every_older_version_opens_and_can_be_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
