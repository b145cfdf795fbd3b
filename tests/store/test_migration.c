// tests/store/test_migration.c — a database that an older quire has kept is still read.
//
// version_1.sql is what the first version wrote, kept as text: it must stay as it is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    assert_int_equal(store_fixture_sql(&fixture, "PRAGMA user_version"), 3);
    store_fixture_deinit(&fixture);
}

// A step that did not come to its end left nothing, so it is taken again.
static void a_database_without_tables_becomes_one_with(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, false);
    store_fixture_sql(&fixture, "PRAGMA journal_mode = WAL; CREATE TABLE x(y); DROP TABLE x");
    store_fixture_reopen(&fixture);
    assert_int_equal(store_fixture_sql(&fixture, "PRAGMA user_version"), 3);
    store_fixture_reopen(&fixture);
    store_fixture_deinit(&fixture);
}

static void version_1_is_read(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation_row *rows;
    struct message *path;
    int32_t *tokens;
    size_t count;
    store_fixture_init(&fixture, false);
    struct error *err = &fixture.err;
    char *sql = read_fixture("version_1.sql");
    store_fixture_sql(&fixture, sql);
    free(sql);
    store_fixture_reopen(&fixture);
    must(db_check(fixture.db, err), err);
    must(conversation_list(fixture.db, &(struct conversation_query){.words = "paris", .limit = 9},
                           &rows, &count, err),
         err);
    assert_int_equal(count, 1); // nothing was said in its fork
    assert_string_equal(rows[0].conversation.name, "trip");
    assert_int_equal(store_fixture_sql(&fixture, "SELECT count(*) FROM conversation"), 2);
    assert_int_equal(store_fixture_sql(&fixture,
                                       "SELECT count(*) FROM conversation WHERE forked_from"
                                       " = (SELECT id FROM conversation WHERE name = 'trip')"),
                     1);
    assert_false(rows[0].conversation.one_shot);
    assert_string_equal(rows[0].conversation.title, "");
    assert_int_equal(rows[0].turns, 1);
    assert_int_equal(rows[0].tokens, 5);
    assert_string_equal(rows[0].preview, "Where is Paris?");
    must(message_path(fixture.db, rows[0].conversation.tip, &path, &count, err), err);
    assert_int_equal(count, 2);
    assert_string_equal(path[1].text, "In France.");
    assert_int_equal(path[1].stop, STOP_END);
    assert_int_equal(path[0].said, 0);
    must(message_tokens(fixture.db, path[1].id, 1, &tokens, &count, err), err);
    assert_int_equal(count, 2);
    assert_int_equal(tokens[1], 70000);
    free(tokens);
    message_path_free(path, 2);
    free(rows);
    store_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_file_becomes_a_database),
        cmocka_unit_test(a_database_without_tables_becomes_one_with),
        cmocka_unit_test(version_1_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
