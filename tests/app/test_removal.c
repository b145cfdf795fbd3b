// tests/app/test_removal.c — which entries of the history go with a conversation, and that nothing
// is deleted while another process has one of the family.
#include "app/chat/removal.h"

#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"

static const char *const SECRET[] = {"Where is the isle of\nzanzibar?", "Off Tanzania.", "yes",
                                     "Well."};
static const char *const OTHER[] = {"What is a hen?", "A bird, where people live."};

static void deleted_messages_leave_the_input_history(void **state) {
    (void)state;
    static const struct {
        const char *entry;
        bool goes;
    } ROWS[] = {
        {"Where is the isle of\nzanzibar?", true},
        {"\"\"\"\nWhere is the isle of\nzanzibar?\n\"\"\"", true},
        {"Where is the isle of\\\nzanzibar?", true},
        {"/ask 3f2a,\"a name\" Where is the isle of zanzibar?", true},
        {"/list zanzibar", true},
        {"/compact \"Zanzibar\"", true},
        {"tell me of tanzania", true},
        {"yes", true},
        {"/name my way", true},
        {"/resume \"my way\"", true},
        {"/resume my ways", false},
        {"What is a hen?", false},
        {"where people live", false}, // another conversation has these words
        {"/set temp 9", false},
        {"/is", false},
        {"yesterday", false},
        {"hello", false},
        {"", false},
    };
    struct store_fixture fixture;
    struct deletion deletion;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    store_fixture_talk(&fixture, "my way", 4, SECRET, NULL);
    store_fixture_talk(&fixture, "", 2, OTHER, NULL);
    must(deletion_plan(fixture.db, "my way", true, &deletion, err), err);
    must(removal_run(fixture.db, &deletion, err), err);
    const struct removal removal = {fixture.db, &deletion};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        if (removal_had_typed(&removal, ROWS[i].entry) != ROWS[i].goes)
            fail_msg("“%s” %s", ROWS[i].entry, ROWS[i].goes ? "stays" : "goes");
    deletion_deinit(&deletion);
    store_fixture_deinit(&fixture);
}

static void nothing_is_deleted_while_a_conversation_is_open_elsewhere(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation fork;
    struct deletion deletion;
    struct db *elsewhere;
    struct text text = {0};
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", 4, SECRET, NULL);
    must(conversation_fork(fixture.db, &talk, talk.tip, "", &fork, err), err);
    must(db_open(fixture.path, &elsewhere, err), err);
    must(conversation_lock(elsewhere, fork.id, err), err);
    must(deletion_plan(fixture.db, talk.id, true, &deletion, err), err);
    must(removal_list(fixture.db, deletion.gone, deletion.gone_count, &text), err);
    assert_non_null(strstr(text.bytes, "\"Where is the isle of zanzibar?\""));
    assert_int_equal(removal_run(fixture.db, &deletion, err), STATUS_BUSY);
    assert_non_null(strstr(err->text, fork.id));
    assert_int_equal(store_fixture_sql(&fixture, "SELECT count(*) FROM message"), 4);
    conversation_unlock(elsewhere, fork.id);
    must(removal_run(fixture.db, &deletion, err), err);
    assert_int_equal(store_fixture_sql(&fixture, "SELECT count(*) FROM message"), 0);
    db_close(elsewhere);
    text_deinit(&text);
    deletion_deinit(&deletion);
    store_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deleted_messages_leave_the_input_history),
        cmocka_unit_test(nothing_is_deleted_while_a_conversation_is_open_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
