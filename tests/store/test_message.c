// tests/store/test_message.c — message.h verb by verb, and rows that lie.
#include "store/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"

static void a_message_reads_back_as_stored(void **state) {
    (void)state;
    static char text[] = "NUL \0 inside, \xC3\xA9, \xF0\x9F\x98\x80 and\nlines";
    static const int32_t tokens[] = {0, 1, 255, 256, 65536, INT32_MAX};
    enum { TOKENS = sizeof tokens / sizeof tokens[0] };
    struct store_fixture fixture;
    struct message found;
    int32_t *read = NULL;
    size_t count = 0;
    int64_t id;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct message said = {.role = MESSAGE_ASSISTANT,
                                 .stop = STOP_CONTEXT,
                                 .text = text,
                                 .length = sizeof text - 1,
                                 .stats = {1, 2, 3, 4, 5, INT64_MAX}};
    must(message_add(fixture.db, &said, fixture.model, tokens, TOKENS, &id, err), err);
    store_fixture_reopen(&fixture);
    must(message_get(fixture.db, id, &found, err), err);
    assert_int_equal(found.id, id);
    assert_int_equal(found.parent, MESSAGE_NONE);
    assert_int_equal(found.role, MESSAGE_ASSISTANT);
    assert_int_equal(found.stop, STOP_CONTEXT);
    assert_true(found.created_ms > INT64_C(1600000000000));
    assert_int_equal(found.length, sizeof text - 1);
    assert_memory_equal(found.text, text, sizeof text);
    assert_memory_equal(&found.stats, &said.stats, sizeof said.stats);
    must(message_tokens(fixture.db, id, fixture.model, &read, &count, err), err);
    assert_int_equal(count, TOKENS);
    assert_memory_equal(read, tokens, sizeof tokens);
    free(read);
    message_deinit(&found);
    store_fixture_deinit(&fixture);
}

static void an_empty_message_has_zero_tokens(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct message found;
    int32_t *tokens = NULL;
    size_t count = 5;
    store_fixture_init(&fixture, true);
    const int64_t id = store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_SYSTEM, "");
    must(message_get(fixture.db, id, &found, &fixture.err), &fixture.err);
    assert_int_equal(found.length, 0);
    assert_string_equal(found.text, "");
    message_deinit(&found);
    must(message_tokens(fixture.db, id, fixture.model, &tokens, &count, &fixture.err),
         &fixture.err);
    assert_int_equal(count, 0);
    free(tokens);
    store_fixture_deinit(&fixture);
}

static void an_unread_message_has_no_tokens_for_that_model(void **state) {
    (void)state;
    static const int32_t tokens[] = {4, 5};
    struct store_fixture fixture;
    int32_t *read = NULL;
    size_t count = 77;
    int64_t id, model;
    static char text[] = "unread";
    const struct message said = {.role = MESSAGE_USER, .text = text, .length = 6};
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    must(db_model(db, (struct hash128){9, 9}, "other", &model, err), err);
    must(message_add(db, &said, 0, NULL, 0, &id, err), err);
    assert_int_equal(message_tokens(db, id, model, &read, &count, err), STATUS_NOT_FOUND);
    assert_null(read);
    assert_int_equal(count, 77);
    must(message_set_tokens(db, id, model, tokens, 2, err), err);
    assert_int_equal(message_tokens(db, id, fixture.model, &read, &count, err), STATUS_NOT_FOUND);
    must(message_tokens(db, id, model, &read, &count, err), err);
    assert_int_equal(count, 2);
    assert_memory_equal(read, tokens, sizeof tokens);
    free(read);
    assert_int_equal(message_set_tokens(db, 99, model, tokens, 2, err), STATUS_NOT_FOUND);
    assert_int_equal(message_set_tokens(db, id, 99, tokens, 2, err), STATUS_BAD_INPUT);
    store_fixture_deinit(&fixture);
}

// A new model reads an old conversation from its root on; then one in the middle changes.
static void totals_include_tokens_set_later(void **state) {
    (void)state;
    enum { COUNT = 6 };
    static const char *const texts[COUNT] = {"a", "b", "c", "d", "e", "f"};
    static const int32_t tokens[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct store_fixture fixture;
    struct conversation_row *rows;
    int64_t ids[COUNT], model;
    size_t count;
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", COUNT, texts, ids);
    must(db_model(db, (struct hash128){9, 9}, "other", &model, err), err);
    for (size_t i = 0; i < COUNT; i++)
        must(message_set_tokens(db, ids[i], model, tokens, i, err), err);
    must(message_set_tokens(db, ids[1], model, tokens, 8, err), err);
    must(db_check(db, err), err);
    must(conversation_move(db, talk.id, talk.tip, model, err), err);
    must(conversation_list(db, &(struct conversation_query){.words = "", .limit = 5}, &rows, &count,
                           err),
         err);
    assert_int_equal(rows[0].tokens, 0 + 8 + 2 + 3 + 4 + 5);
    assert_string_equal(rows[0].model_name, "other");
    free(rows);
    store_fixture_deinit(&fixture);
}

static void a_path_is_listed_from_its_root_to_its_tip(void **state) {
    (void)state;
    enum { LENGTH = 3000 };
    struct store_fixture fixture;
    struct message *path;
    size_t count;
    char text[16];
    int64_t tip = MESSAGE_NONE;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    must(db_begin(fixture.db, err), err);
    for (int i = 0; i < LENGTH; i++) {
        snprintf(text, sizeof text, "%d", i);
        if (i % 7 == 0) store_fixture_add(&fixture, tip, MESSAGE_USER, "beside");
        tip = store_fixture_add(&fixture, tip, i % 2 ? MESSAGE_ASSISTANT : MESSAGE_USER, text);
    }
    must(db_commit(fixture.db, err), err);
    must(message_path(fixture.db, tip, &path, &count, err), err);
    assert_int_equal(count, LENGTH);
    for (int i = 0; i < LENGTH; i++)
        assert_int_equal(atoi(path[i].text), i);
    message_path_free(path, count);
    must(message_path(fixture.db, MESSAGE_NONE, &path, &count, err), err);
    assert_int_equal(count, 0);
    message_path_free(path, count);
    assert_int_equal(message_path(fixture.db, 1 << 30, &path, &count, err), STATUS_NOT_FOUND);
    store_fixture_deinit(&fixture);
}

static void replies_are_listed_oldest_first(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct message *replies;
    size_t count;
    int64_t ids[3];
    store_fixture_init(&fixture, true);
    const int64_t root = store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "which?");
    must(message_replies(fixture.db, root, &replies, &count, &fixture.err), &fixture.err);
    assert_int_equal(count, 0);
    message_path_free(replies, count);
    for (int i = 0; i < 3; i++) {
        ids[i] = store_fixture_add(&fixture, root, MESSAGE_ASSISTANT, i == 1 ? "b" : "a");
        store_fixture_add(&fixture, ids[i], MESSAGE_USER, "a reply to a reply");
    }
    must(message_replies(fixture.db, root, &replies, &count, &fixture.err), &fixture.err);
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(replies[i].id, ids[i]);
        assert_int_equal(replies[i].parent, root);
        assert_string_equal(replies[i].text, i == 1 ? "b" : "a");
    }
    message_path_free(replies, count);
    store_fixture_deinit(&fixture);
}

static void invalid_utf8_is_refused(void **state) {
    (void)state;
    static char text[] = "ab\xFF";
    const struct message said = {.role = MESSAGE_USER, .text = text, .length = 3};
    struct store_fixture fixture;
    int64_t id = 77;
    store_fixture_init(&fixture, true);
    assert_int_equal(message_add(fixture.db, &said, 0, NULL, 0, &id, &fixture.err),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture.err.text, "byte 2"));
    assert_int_equal(id, 77);
    store_fixture_deinit(&fixture);
}

static void a_reply_to_nothing_is_refused(void **state) {
    (void)state;
    static char text[] = "re";
    const struct message said = {.parent = 12, .role = MESSAGE_USER, .text = text, .length = 2};
    struct store_fixture fixture;
    int64_t id = 77;
    store_fixture_init(&fixture, true);
    assert_int_equal(message_add(fixture.db, &said, 0, NULL, 0, &id, &fixture.err),
                     STATUS_NOT_FOUND);
    assert_int_equal(id, 77);
    store_fixture_deinit(&fixture);
}

static void an_answer_can_be_extended_until_it_has_a_reply(void **state) {
    (void)state;
    static const char *const texts[] = {"question", "ans"};
    static char text[] = "answer";
    static const int32_t tokens[] = {1, 2, 3, 4, 5, 6};
    const struct message longer = {
        .role = MESSAGE_ASSISTANT, .stop = STOP_END, .text = text, .length = 6};
    struct store_fixture fixture;
    struct conversation_row *rows;
    struct conversation fork;
    struct message found;
    int64_t ids[2], other;
    size_t count;
    int32_t *read;
    store_fixture_init(&fixture, true);
    struct db *db = fixture.db;
    struct error *err = &fixture.err;
    const struct conversation talk = store_fixture_talk(&fixture, "", 2, texts, ids);
    must(db_model(db, (struct hash128){9, 9}, "other", &other, err), err);
    must(message_set_tokens(db, ids[1], other, tokens, 2, err), err);
    must(message_extend(db, ids[1], &longer, fixture.model, tokens, 6, err), err);
    must(message_get(db, ids[1], &found, err), err);
    assert_string_equal(found.text, "answer");
    assert_int_equal(found.stop, STOP_END);
    message_deinit(&found);
    must(conversation_list(db, &(struct conversation_query){.words = "answer", .limit = 5}, &rows,
                           &count, err),
         err);
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].tokens, strlen("question") + 6);
    free(rows);
    assert_int_equal(message_tokens(db, ids[1], other, &read, &count, err), STATUS_NOT_FOUND);

    assert_int_equal(message_extend(db, ids[0], &longer, 0, NULL, 0, err), STATUS_BAD_INPUT);
    assert_int_equal(message_extend(db, 99, &longer, 0, NULL, 0, err), STATUS_NOT_FOUND);
    must(conversation_fork(db, &talk, ids[1], "", &fork, err), err);
    assert_int_equal(message_extend(db, ids[1], &longer, 0, NULL, 0, err), STATUS_BAD_INPUT);
    must(conversation_delete(db, fork.id, err), err);
    must(message_extend(db, ids[1], &longer, 0, NULL, 0, err), err);
    store_fixture_add(&fixture, ids[1], MESSAGE_USER, "reply");
    assert_int_equal(message_extend(db, ids[1], &longer, 0, NULL, 0, err), STATUS_BAD_INPUT);
    store_fixture_deinit(&fixture);
}

// Rows that SQLite takes and quire does not: each is BAD_FILE, and says what was found.
static void a_damaged_message_is_refused_with_the_value_found(void **state) {
    (void)state;
    static const struct {
        const char *sql, *found;
    } damages[] = {
        {"UPDATE message SET role = 77 WHERE id = 2", "role is 77"},
        {"UPDATE message SET role = -1 WHERE id = 2", "role is -1"},
        {"UPDATE message SET stop = 'never' WHERE id = 2", "stop is text"},
        {"UPDATE message SET stop = 1e300 WHERE id = 2", "stop is a fraction"},
        {"UPDATE message SET parent = NULL, created_ms = x'00' WHERE id = 2", "created_ms is byte"},
        {"UPDATE message_body SET text = x'616263' WHERE id = 2", "text is bytes"},
        {"UPDATE message_body SET text = CAST(x'61ff' AS TEXT) WHERE id = 2", "byte 1"},
        {"UPDATE message_body SET decode_us = 'x' WHERE id = 2", "decode_us is text"},
        {"DELETE FROM message_body WHERE id = 2", "is missing"},
        {"PRAGMA foreign_keys = OFF; DELETE FROM message WHERE id = 1", "is missing"},
        {"PRAGMA ignore_check_constraints = ON; UPDATE message SET parent = 3 WHERE id = 2",
         "message 3"},
    };
    static const char *const texts[] = {"one", "two", "three"};
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct store_fixture fixture;
        struct message *path = NULL;
        size_t count = 77;
        store_fixture_init(&fixture, true);
        store_fixture_talk(&fixture, "", 3, texts, NULL);
        store_fixture_sql(&fixture, damages[i].sql);
        assert_int_equal(message_path(fixture.db, 3, &path, &count, &fixture.err), STATUS_BAD_FILE);
        if (!strstr(fixture.err.text, damages[i].found) || !strstr(fixture.err.text, fixture.path))
            fail_msg("“%s” does not say “%s”", fixture.err.text, damages[i].found);
        assert_null(path);
        assert_int_equal(count, 77);
        db_close(fixture.db);
        fixture.db = NULL;
        store_fixture_deinit(&fixture);
    }
}

static void damaged_tokens_are_refused_with_the_value_found(void **state) {
    (void)state;
    static const struct {
        const char *set, *found;
    } damages[] = {
        {"ids = x'000102'", "are 3 bytes, expected 1 of 4"},
        {"ids = x''", "are 0 bytes"},
        {"ids = x'ffffffff'", "is 4294967295"},
        {"ids = 'text'", "ids is text"},
        {"count = -1", "count is -1"},
        {"count = 4611686018427387904", "count is 4611686018427387904"},
        {"count = 2", "expected 2 of 4"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        struct store_fixture fixture;
        int32_t *tokens = NULL;
        size_t count = 77;
        char sql[160];
        store_fixture_init(&fixture, true);
        const int64_t id = store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_USER, "x");
        snprintf(sql, sizeof sql, "UPDATE message_tokens SET %s", damages[i].set);
        store_fixture_sql(&fixture, sql);
        assert_int_equal(
            message_tokens(fixture.db, id, fixture.model, &tokens, &count, &fixture.err),
            STATUS_BAD_FILE);
        if (!strstr(fixture.err.text, damages[i].found))
            fail_msg("“%s” does not say “%s”", fixture.err.text, damages[i].found);
        assert_null(tokens);
        assert_int_equal(count, 77);
        db_close(fixture.db);
        fixture.db = NULL;
        store_fixture_deinit(&fixture);
    }
}

static void every_stop_has_a_distinct_name(void **state) {
    (void)state;
    for (int i = STOP_NONE; i <= STOP_CONTEXT; i++)
        for (int k = STOP_NONE; k < i; k++)
            assert_string_not_equal(message_stop_name((enum message_stop)i),
                                    message_stop_name((enum message_stop)k));
    assert_string_equal(message_stop_name(STOP_END), "end");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_reads_back_as_stored),
        cmocka_unit_test(an_empty_message_has_zero_tokens),
        cmocka_unit_test(an_unread_message_has_no_tokens_for_that_model),
        cmocka_unit_test(totals_include_tokens_set_later),
        cmocka_unit_test(a_path_is_listed_from_its_root_to_its_tip),
        cmocka_unit_test(replies_are_listed_oldest_first),
        cmocka_unit_test(invalid_utf8_is_refused),
        cmocka_unit_test(a_reply_to_nothing_is_refused),
        cmocka_unit_test(an_answer_can_be_extended_until_it_has_a_reply),
        cmocka_unit_test(a_damaged_message_is_refused_with_the_value_found),
        cmocka_unit_test(damaged_tokens_are_refused_with_the_value_found),
        cmocka_unit_test(every_stop_has_a_distinct_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
