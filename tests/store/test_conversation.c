// tests/store/test_conversation.c — conversation.h verb by verb; lists and searches are in
// test_list.c.
#include "store/conversation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/deletion.h"
#include "tests/check.h"
#include "tests/store/store_fixture.h"

static const char *const TALK[] = {"one", "two", "three", "four"};
enum { TALK_COUNT = sizeof TALK / sizeof TALK[0] };

static bool stored(struct store_fixture *fixture, int64_t id) {
    struct message message;
    const enum status status = message_get(fixture->db, id, &message, NULL);
    if (status == STATUS_OK) message_deinit(&message);
    assert_true(status == STATUS_OK || status == STATUS_NOT_FOUND);
    return status == STATUS_OK;
}

static void a_new_conversation_is_found_by_id_prefix_and_name(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation made, found;
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    must(conversation_create(db, "Paris trip", fixture.model, &made, err), err);
    assert_int_equal(strlen(made.id), CONVERSATION_ID_BYTES - 1);
    assert_string_equal(made.name, "Paris trip");
    assert_int_equal(made.tip, MESSAGE_NONE);
    store_fixture_reopen(&fixture);
    db = fixture.db;
    char prefix[CONVERSATION_ID_SHORTEST + 1] = "";
    memcpy(prefix, made.id, CONVERSATION_ID_SHORTEST);
    const char *const ways[] = {made.id, prefix, "Paris trip"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        must(conversation_find(db, ways[i], &found, err), err);
        assert_memory_equal(&found, &made, sizeof made);
    }
    prefix[CONVERSATION_ID_SHORTEST - 1] = '\0';
    const char *const misses[] = {prefix,     "",          "paris",      "Paris trip ",
                                  "00000000", "123456789", "' OR 1=1 --"};
    for (size_t i = 0; i < sizeof misses / sizeof misses[0]; i++)
        assert_int_equal(conversation_find(db, misses[i], &found, err), STATUS_NOT_FOUND);
    assert_memory_equal(&found, &made, sizeof made);
    store_fixture_deinit(&fixture);
}

static void a_unique_prefix_of_a_name_finds_its_conversation(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation alpha, made, found;
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    must(conversation_create(db, "alpha one", fixture.model, &alpha, err), err);
    must(conversation_create(db, "beta one", fixture.model, &made, err), err);
    must(conversation_create(db, "beta two", fixture.model, &made, err), err);
    must(conversation_find_begun(db, "Alp", &found, err), err);
    assert_string_equal(found.id, alpha.id);
    assert_int_equal(conversation_find_begun(db, "beta", &found, err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err->text, "beta matches several conversations"));
    assert_int_equal(conversation_find_begun(db, "%", &found, err), STATUS_NOT_FOUND);
    assert_int_equal(conversation_find_begun(db, "a2f", &found, err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err->text, "at least four characters of an id"));
    assert_int_equal(conversation_find(db, "alp", &found, err), STATUS_NOT_FOUND);
    store_fixture_deinit(&fixture);
}

static void an_ambiguous_id_prefix_is_refused_with_examples(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation found = {.tip = 77};
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    store_fixture_talk(&fixture, "named", 0, NULL, NULL);
    store_fixture_sql(&fixture,
                      "UPDATE conversation SET id = 0xabcd0001;"
                      "INSERT INTO conversation(id, used, created_ms, updated_ms) VALUES"
                      "(0xabcd0002, 5, 0, 0), (0xabcdf003, 6, 0, 0), (0x00000001, 7, 0, 0)");
    assert_int_equal(conversation_find(fixture.db, "abcd", &found, err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err->text, "abcd0001, abcd0002, abcdf003"));
    assert_int_equal(found.tip, 77);
    must(conversation_find(fixture.db, "ABCDF", &found, err), err);
    assert_string_equal(found.id, "abcdf003");
    must(conversation_find(fixture.db, "0000", &found, err), err);
    assert_string_equal(found.id, "00000001");
    store_fixture_deinit(&fixture);
}

static void invalid_and_taken_names_are_refused(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation made = {.tip = 77};
    char longest[CONVERSATION_NAME_BYTES + 1];
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    const struct conversation taken = store_fixture_talk(&fixture, "taken", 0, NULL, NULL);
    memset(longest, 'n', sizeof longest);
    longest[CONVERSATION_NAME_BYTES] = '\0';
    const char *const bad[] = {
        "taken",   "abcd",    "DEADBEEF", "two\nlines", "\x1B[31m", "\xFF",     "\xC2\x9B", longest,
        "-",       "-1",      "--fork",   " ",          " a",       "a ",       "\t",       "a\t",
        "\u00A0a", "a\u3000", "\u200B",   "\u2800",     "\u3164",   "a\u202Eb", "\u200Dx",  "@x",
        "/x",      "\"x\"",   "a\\ b",    "a\\",        "x.gguf",   "a\u2028b",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(conversation_create(db, bad[i], 0, &made, err), STATUS_BAD_INPUT);
        assert_int_equal(made.tip, 77);
    }
    longest[CONVERSATION_NAME_BYTES - 1] = '\0';
    const char *const good[] = {
        longest,
        "abc",
        "123456789",
        "fork 2",
        "\xC3\xA9t\xC3\xA9",
        "a-b",
        "x@y",
        "1",
        "\u72D0",
        ".gguf",
        "a\\b",
        "say \"x\"",
        "2/3",
        "\u2764\uFE0F",
        "\U0001F469\u200D\U0001F680",
        "list",
        "\u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35",
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        must(conversation_create(db, good[i], 0, &made, err), err);
    must(conversation_rename(db, taken.id, "taken", err), err); // its own
    assert_int_equal(conversation_rename(db, taken.id, "abc", err), STATUS_BAD_INPUT);
    must(conversation_rename(db, taken.id, "", err), err);
    must(conversation_create(db, "taken", 0, &made, err), err);
    must(conversation_create(db, "", 0, &made, err), err);
    must(conversation_create(db, "", 0, &made, err), err);
    assert_int_equal(conversation_rename(db, "0badf00d", "x", err), STATUS_NOT_FOUND);
    store_fixture_deinit(&fixture);
}

static void the_latest_conversation_is_the_last_one_moved(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation found;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    assert_int_equal(conversation_latest(fixture.db, false, &found, err), STATUS_NOT_FOUND);
    const struct conversation first = store_fixture_talk(&fixture, "", TALK_COUNT, TALK, NULL);
    const struct conversation second = store_fixture_talk(&fixture, "", TALK_COUNT, TALK, NULL);
    must(conversation_latest(fixture.db, false, &found, err), err);
    assert_string_equal(found.id, second.id);
    store_fixture_sql(&fixture, "UPDATE conversation SET updated_ms = updated_ms + 1000000");
    must(conversation_move(fixture.db, first.id, first.tip, 0, err), err); // the clock went back
    must(conversation_latest(fixture.db, false, &found, err), err);
    assert_string_equal(found.id, first.id);
    assert_int_equal(found.model, fixture.model);
    store_fixture_deinit(&fixture);
}

static void moving_requires_an_existing_message_and_conversation(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation found;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", TALK_COUNT, TALK, NULL);
    assert_int_equal(conversation_move(fixture.db, talk.id, 99, 0, err), STATUS_NOT_FOUND);
    assert_int_equal(conversation_move(fixture.db, "0badf00d", 1, 0, err), STATUS_NOT_FOUND);
    assert_int_equal(conversation_move(fixture.db, talk.id, 1, 99, err), STATUS_BAD_INPUT);
    must(conversation_find(fixture.db, talk.id, &found, err), err);
    assert_int_equal(found.tip, talk.tip);
    must(conversation_move(fixture.db, talk.id, MESSAGE_NONE, 0, err), err);
    must(conversation_find(fixture.db, talk.id, &found, err), err);
    assert_int_equal(found.tip, MESSAGE_NONE);
    store_fixture_deinit(&fixture);
}

static void a_fork_points_at_a_message_of_its_parents_path(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation fork = {.tip = 77};
    int64_t ids[TALK_COUNT];
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "talk", TALK_COUNT, TALK, ids);
    const int64_t beside = store_fixture_add(&fixture, ids[1], MESSAGE_USER, "beside");
    assert_int_equal(conversation_fork(db, &talk, beside, "", &fork, err), STATUS_BAD_INPUT);
    assert_int_equal(conversation_fork(db, &talk, 99, "", &fork, err), STATUS_BAD_INPUT);
    assert_int_equal(conversation_fork(db, &talk, ids[1], "talk", &fork, err), STATUS_BAD_INPUT);
    assert_int_equal(fork.tip, 77);
    must(conversation_fork(db, &talk, ids[1], "other way", &fork, err), err);
    assert_string_equal(fork.forked_from, talk.id);
    assert_int_equal(fork.forked_at, ids[1]);
    assert_int_equal(fork.tip, ids[1]);
    assert_int_equal(fork.model, talk.model);
    must(conversation_fork(db, &talk, MESSAGE_NONE, "", &fork, err), err);
    assert_int_equal(fork.tip, MESSAGE_NONE);
    store_fixture_deinit(&fixture);
}

static void deleting_keeps_the_messages_that_a_fork_reaches(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation fork, of_fork, found;
    int64_t ids[TALK_COUNT];
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", TALK_COUNT, TALK, ids);
    const int64_t sibling = store_fixture_add(&fixture, ids[0], MESSAGE_ASSISTANT, "sibling");
    const int64_t below = store_fixture_add(&fixture, ids[3], MESSAGE_USER, "undone");
    must(conversation_fork(db, &talk, ids[1], "", &fork, err), err);
    must(conversation_fork(db, &fork, ids[0], "", &of_fork, err), err);

    must(conversation_delete(db, talk.id, err), err);
    must(db_check(db, err), err);
    assert_true(stored(&fixture, ids[0]) && stored(&fixture, ids[1]) && stored(&fixture, sibling));
    assert_false(stored(&fixture, ids[2]) || stored(&fixture, ids[3]) || stored(&fixture, below));
    assert_int_equal(conversation_delete(db, talk.id, err), STATUS_NOT_FOUND);
    must(conversation_find(db, fork.id, &found, err), err);
    assert_string_equal(found.forked_from, "");
    must(conversation_find(db, of_fork.id, &found, err), err);
    assert_string_equal(found.forked_from, fork.id);

    must(conversation_delete(db, fork.id, err), err);
    assert_true(stored(&fixture, ids[0]) && stored(&fixture, sibling));
    assert_false(stored(&fixture, ids[1]));
    must(conversation_delete(db, of_fork.id, err), err);
    assert_false(stored(&fixture, ids[0]) || stored(&fixture, sibling));
    store_fixture_deinit(&fixture);
}

static void deleting_the_last_conversation_leaves_no_text(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation_row *rows;
    int64_t ids[TALK_COUNT];
    size_t count;
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", TALK_COUNT, TALK, ids);
    const int64_t again = store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "another tree");
    must(conversation_move(db, talk.id, again, 0, err), err);
    must(conversation_move(db, talk.id, MESSAGE_NONE, 0, err), err);
    must(conversation_delete(db, talk.id, err), err);
    for (int64_t id = 1; id <= again; id++)
        assert_false(stored(&fixture, id));
    must(conversation_list(db, &(struct conversation_query){.words = "another", .limit = 9}, &rows,
                           &count, err),
         err);
    assert_int_equal(count, 0);
    free(rows);
    store_fixture_deinit(&fixture);
}

static void deletion_plans_cover_conversations_that_share_text(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation fork, summary, empty;
    struct deletion plan;
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", TALK_COUNT, TALK, NULL);
    const struct conversation other = store_fixture_talk(&fixture, "other", TALK_COUNT, TALK, NULL);
    must(conversation_fork(db, &talk, talk.tip, "fork", &fork, err), err);
    must(conversation_fork(db, &fork, MESSAGE_NONE, "summary", &summary, err), err);
    must(conversation_fork(db, &talk, MESSAGE_NONE, "", &empty, err), err);
    const int64_t root = store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "one, in short");
    must(conversation_move(db, summary.id, root, 0, err), err);

    must(deletion_plan(db, talk.id, false, &plan, err), err);
    assert_int_equal(plan.gone_count, 1);
    assert_int_equal(plan.kept_count, 2); // the empty one keeps nothing
    assert_string_equal(plan.kept[0].name, "summary");
    assert_string_equal(plan.kept[1].name, "fork");
    deletion_deinit(&plan);
    must(deletion_plan(db, "summary", true, &plan, err), err);
    assert_int_equal(plan.gone_count, 4);
    assert_int_equal(plan.kept_count, 0);
    must(deletion_run(db, &plan, err), err);
    assert_int_equal(plan.said_count, TALK_COUNT + 1);
    must(deletion_erase(db, err), err);
    must(db_check(db, err), err);
    assert_int_equal(store_fixture_sql(&fixture, "SELECT count(*) FROM message"), TALK_COUNT);
    assert_int_equal(store_fixture_sql(&fixture, "SELECT count(*) FROM conversation"), 1);
    assert_true(stored(&fixture, other.tip));
    assert_int_equal(deletion_plan(db, talk.id, true, &plan, err), STATUS_NOT_FOUND);
    deletion_deinit(&plan);
    store_fixture_deinit(&fixture);
}

static size_t count_in_file(const char *path, const char *suffix, const char *word) {
    char name[128];
    static char content[4 << 20];
    size_t found = 0;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    FILE *file = fopen(name, "rb");
    if (!file) return 0;
    const size_t length = fread(content, 1, sizeof content, file);
    fclose(file);
    for (const char *at = content;
         (at = memmem(at, (size_t)(content + length - at), word, strlen(word))); at++)
        found++;
    return found;
}

static void an_erased_word_is_left_in_no_file(void **state) {
    (void)state;
    enum { MESSAGES = 200 };
    struct store_fixture fixture;
    struct conversation kept, gone;
    struct deletion plan;
    char text[MESSAGES * 9 + 1] = "";
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    must(conversation_create(db, "kept", fixture.model, &kept, err), err);
    must(conversation_create(db, "zanzibar", fixture.model, &gone, err), err);
    must(db_begin(db, err), err);
    for (int i = 0; i < MESSAGES; i++) {
        struct conversation *talk = i % 3 ? &gone : &kept;
        memcpy(text + strlen(text), talk == &gone ? "zanzibar " : "some hen ", 10);
        talk->tip = store_fixture_add(&fixture, talk->tip, MESSAGE_USER,
                                      talk == &gone ? text : strstr(text, "some hen"));
        if (talk == &kept) text[0] = '\0';
        must(conversation_move(db, talk->id, talk->tip, fixture.model, err), err);
    }
    must(db_commit(db, err), err);
    must(deletion_plan(db, gone.id, true, &plan, err), err);
    must(deletion_run(db, &plan, err), err);
    assert_true(count_in_file(fixture.path, "-wal", "anzib") > 0);
    must(deletion_erase(db, err), err);
    deletion_deinit(&plan);
    assert_int_equal(count_in_file(fixture.path, "", "anzib"), 0);
    assert_int_equal(count_in_file(fixture.path, "-wal", "anzib"), 0);
    assert_true(count_in_file(fixture.path, "", "hen ") > 0);
    store_fixture_deinit(&fixture);
}

// Longer than SQLite lets triggers nest.
static void a_long_conversation_can_be_deleted(void **state) {
    (void)state;
    enum { LENGTH = 5000 };
    struct store_fixture fixture;
    struct conversation talk;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    must(conversation_create(fixture.db, "", fixture.model, &talk, err), err);
    must(db_begin(fixture.db, err), err);
    for (int i = 0; i < LENGTH; i++)
        talk.tip = store_fixture_add(&fixture, talk.tip, MESSAGE_USER, "x");
    must(conversation_move(fixture.db, talk.id, talk.tip, 0, err), err);
    must(db_commit(fixture.db, err), err);
    must(conversation_delete(fixture.db, talk.id, err), err);
    assert_false(stored(&fixture, 1) || stored(&fixture, talk.tip));
    store_fixture_deinit(&fixture);
}

static void ids_of_deleted_messages_are_never_reused(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, true);
    const struct conversation talk = store_fixture_talk(&fixture, "", TALK_COUNT, TALK, NULL);
    must(conversation_delete(fixture.db, talk.id, &fixture.err), &fixture.err);
    assert_true(store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "x") > talk.tip);
    store_fixture_deinit(&fixture);
}

static void a_damaged_conversation_is_refused_with_the_value_found(void **state) {
    (void)state;
    static const struct {
        const char *set, *found;
    } damages[] = {
        {"name = x'00'", "name is bytes"},
        {"name = CAST(x'41ff' AS TEXT)", "byte 1"},
        {"name = printf('%0200d', 1)", "200 bytes"},
        {"name = CAST(x'410042' AS TEXT)", "a NUL"},
        {"tip = -5", "tip is -5"},
        {"model = 'm'", "model is text"},
        {"forked_from = 4294967296", "forked_from is 4294967296"},
        {"updated_ms = 'late'", "updated_ms is text"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct store_fixture fixture;
        struct conversation found = {.tip = 77};
        char sql[160];
        store_fixture_init(&fixture, true);
        const struct conversation talk = store_fixture_talk(&fixture, "", TALK_COUNT, TALK, NULL);
        snprintf(sql, sizeof sql, "UPDATE conversation SET %s", damages[i].set);
        store_fixture_sql(&fixture, sql);
        struct error *err = &fixture.err;
        assert_int_equal(conversation_find(fixture.db, talk.id, &found, err), STATUS_BAD_FILE);
        if (!strstr(err->text, damages[i].found) || !strstr(err->text, fixture.path))
            fail_msg("“%s” does not say “%s”", err->text, damages[i].found);
        assert_int_equal(found.tip, 77);
        db_close(fixture.db);
        fixture.db = NULL;
        store_fixture_deinit(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_conversation_is_found_by_id_prefix_and_name),
        cmocka_unit_test(a_unique_prefix_of_a_name_finds_its_conversation),
        cmocka_unit_test(an_ambiguous_id_prefix_is_refused_with_examples),
        cmocka_unit_test(invalid_and_taken_names_are_refused),
        cmocka_unit_test(the_latest_conversation_is_the_last_one_moved),
        cmocka_unit_test(moving_requires_an_existing_message_and_conversation),
        cmocka_unit_test(a_fork_points_at_a_message_of_its_parents_path),
        cmocka_unit_test(deleting_keeps_the_messages_that_a_fork_reaches),
        cmocka_unit_test(deleting_the_last_conversation_leaves_no_text),
        cmocka_unit_test(deletion_plans_cover_conversations_that_share_text),
        cmocka_unit_test(an_erased_word_is_left_in_no_file),
        cmocka_unit_test(a_long_conversation_can_be_deleted),
        cmocka_unit_test(ids_of_deleted_messages_are_never_reused),
        cmocka_unit_test(a_damaged_conversation_is_refused_with_the_value_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
