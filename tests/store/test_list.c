// tests/store/test_list.c — conversation_list(): what a row says, families, and searches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/conversation.h"
#include "tests/check.h"
#include "tests/store/store_fixture.h"

// The ids of a list, with two spaces of indentation for each fork, joined by commas.
static const char *list_as_text(struct store_fixture *fixture, const char *query, size_t limit) {
    static char text[1024];
    struct conversation_row *rows = NULL;
    size_t count = 0, at = 0;
    must(conversation_list(fixture->db,
                           &(struct conversation_query){.words = query, .limit = limit}, &rows,
                           &count, &fixture->err),
         &fixture->err);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%*s%s", i ? "," : "",
                               2 * (int)rows[i].depth, "", rows[i].conversation.name);
    free(rows);
    return text;
}

static struct conversation talk_of_one(struct store_fixture *fixture, const char *name,
                                       const char *text) {
    return store_fixture_talk(fixture, name, 1, &text, NULL);
}

static struct conversation fork_of(struct store_fixture *fixture,
                                   const struct conversation *original, const char *name) {
    struct conversation fork;
    must(conversation_fork(fixture->db, original, original->tip, name, &fork, &fixture->err),
         &fixture->err);
    return fork;
}

static void a_row_describes_its_conversation(void **state) {
    (void)state;
    static const char *const texts[] = {"Tell  me\n\tabout\x1B[31m Paris", "It is", "And?", "Big"};
    struct store_fixture fixture;
    struct conversation_row *rows;
    size_t count, tokens = 0;
    store_fixture_init(&fixture, true);
    for (size_t i = 0; i < 4; i++)
        tokens += strlen(texts[i]);
    const struct conversation talk = store_fixture_talk(&fixture, "trip", 4, texts, NULL);
    must(conversation_list(fixture.db, &(struct conversation_query){.words = "", .limit = 10},
                           &rows, &count, &fixture.err),
         &fixture.err);
    assert_int_equal(count, 1);
    assert_memory_equal(&rows[0].conversation, &talk, sizeof talk);
    assert_int_equal(rows[0].turns, 2);
    assert_int_equal(rows[0].tokens, tokens);
    assert_int_equal(rows[0].depth, 0);
    assert_string_equal(rows[0].preview, "Tell me about [31m Paris");
    assert_string_equal(rows[0].last, "And?");
    assert_int_equal(rows[0].fork_turn, 0);
    assert_string_equal(rows[0].fork_preview, "");
    assert_string_equal(rows[0].model_name, "model");
    free(rows);
    store_fixture_deinit(&fixture);
}

static void a_preview_is_cut_between_characters(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation_row *rows;
    size_t count;
    store_fixture_init(&fixture, true);
    for (int skip = 0; skip < 4; skip++) {
        char text[4 + 4 * 50 + 1] = "";
        memset(text, 'x', (size_t)skip);
        for (int i = 0; i < 50; i++)
            strcat(text, "\xF0\x9F\x98\x80");
        talk_of_one(&fixture, "", text);
        must(conversation_list(fixture.db, &(struct conversation_query){.words = "", .limit = 1},
                               &rows, &count, &fixture.err),
             &fixture.err);
        assert_int_equal(strlen(rows[0].preview), skip + (80 - skip) / 4 * 4);
        assert_int_equal(strncmp(rows[0].preview, text, strlen(rows[0].preview)), 0);
        free(rows);
    }
    store_fixture_deinit(&fixture);
}

static void the_newest_is_listed_first_and_empty_ones_if_named(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation unnamed;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    assert_string_equal(list_as_text(&fixture, "", 10), "");
    const struct conversation one = talk_of_one(&fixture, "one", "x");
    talk_of_one(&fixture, "two", "x");
    must(conversation_create(fixture.db, "empty", 0, &unnamed, err), err);
    must(conversation_create(fixture.db, "", 0, &unnamed, err), err);
    assert_string_equal(list_as_text(&fixture, "", 10), "empty,two,one");
    must(conversation_move(fixture.db, one.id, one.tip, 0, err), err);
    assert_string_equal(list_as_text(&fixture, "", SIZE_MAX), "one,empty,two");
    assert_string_equal(list_as_text(&fixture, "", 2), "one,empty");
    assert_string_equal(list_as_text(&fixture, "", 0), "");
    store_fixture_deinit(&fixture);
}

static void titles_come_from_names_or_text_without_attachments(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation_row *rows;
    size_t count;
    char text[] = "[file: a]\nfoxes\n\nWhat \xC3\xA9lse?";
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    struct conversation talk = talk_of_one(&fixture, "", "x");
    struct message message = {.role = MESSAGE_USER, .text = text, .length = sizeof text - 1};
    message.said = (size_t)(strstr(text, "What") - text);
    must(message_add(fixture.db, &message, 0, NULL, 0, &talk.tip, err), err);
    must(conversation_move(fixture.db, talk.id, talk.tip, 0, err), err);
    const struct conversation_query all = {.words = "", .limit = 9};
    must(conversation_list(fixture.db, &all, &rows, &count, err), err);
    assert_string_equal(conversation_row_title(&rows[0]), "What \xC3\xA9lse?");
    assert_string_equal(rows[0].last, "What \xC3\xA9lse?");
    free(rows);
    must(conversation_set_title(fixture.db, talk.id, "Foxes", err), err);
    must(conversation_list(fixture.db, &all, &rows, &count, err), err);
    assert_string_equal(conversation_row_title(&rows[0]), "Foxes");
    free(rows);
    must(conversation_rename(fixture.db, talk.id, "mine", err), err);
    must(conversation_list(fixture.db, &all, &rows, &count, err), err);
    assert_string_equal(conversation_row_title(&rows[0]), "mine");
    free(rows);
    store_fixture_deinit(&fixture);
}

static void one_shot_questions_are_listed_only_by_search(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation found;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct conversation chat = talk_of_one(&fixture, "chat", "apple");
    const struct conversation asked = talk_of_one(&fixture, "asked", "apple");
    must(conversation_set_one_shot(fixture.db, asked.id, true, err), err);
    fork_of(&fixture, &asked, "fork");
    assert_string_equal(list_as_text(&fixture, "", 10), "fork,chat");
    assert_string_equal(list_as_text(&fixture, "apple", 10), "asked,  fork,chat");
    talk_of_one(&fixture, "", "pear");
    must(conversation_create(fixture.db, "", 0, &found, err), err); // nothing was said in it
    int64_t chats, all;
    must(conversation_count(fixture.db, false, &chats, err), err);
    must(conversation_count(fixture.db, true, &all, err), err);
    assert_int_equal(chats, 3);
    assert_int_equal(all, 4);
    must(conversation_move(fixture.db, chat.id, chat.tip, 0, err), err);
    must(conversation_move(fixture.db, asked.id, asked.tip, 0, err), err);
    must(conversation_latest(fixture.db, true, &found, err), err);
    assert_string_equal(found.name, "asked");
    assert_true(found.one_shot);
    must(conversation_latest(fixture.db, false, &found, err), err);
    assert_string_equal(found.name, "chat");
    must(conversation_rename(fixture.db, asked.id, "kept", err), err);
    assert_string_equal(list_as_text(&fixture, "", 10), "kept,  fork,chat,");
    store_fixture_deinit(&fixture);
}

static void forks_are_listed_below_their_parents(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, true);
    const struct conversation a = talk_of_one(&fixture, "a", "apple");
    const struct conversation b = talk_of_one(&fixture, "b", "apple");
    const struct conversation a1 = fork_of(&fixture, &a, "a1");
    const struct conversation a11 = fork_of(&fixture, &a1, "a11");
    fork_of(&fixture, &b, "b1");
    fork_of(&fixture, &a, "a2");
    assert_string_equal(list_as_text(&fixture, "", 10), "a,  a2,  a1,    a11,b,  b1");
    struct error *err = &fixture.err;
    must(conversation_move(fixture.db, a11.id, a11.tip, 0, err), err);
    must(conversation_move(fixture.db, b.id, b.tip, 0, err), err);
    assert_string_equal(list_as_text(&fixture, "", 10), "b,  b1,a,  a1,    a11,  a2");
    assert_string_equal(list_as_text(&fixture, "apple", 10), "b,  b1,a,  a1,    a11,  a2");
    assert_string_equal(list_as_text(&fixture, "", 3), "b,a11,a2"); // their parents are not shown
    must(conversation_delete(fixture.db, a1.id, err), err);
    assert_string_equal(list_as_text(&fixture, "", 10), "b,  b1,a,  a11,  a2");
    store_fixture_deinit(&fixture);
}

// The row of the conversation with this name.
static struct conversation_row row_of(struct store_fixture *fixture, const char *name) {
    struct conversation_row *rows, found = {0};
    size_t count;
    must(conversation_list(fixture->db, &(struct conversation_query){.words = "", .limit = 20},
                           &rows, &count, &fixture->err),
         &fixture->err);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].conversation.name, name) == 0) found = rows[i];
    free(rows);
    assert_string_equal(found.conversation.name, name);
    return found;
}

static void expect_left(struct store_fixture *fixture, const char *name, int64_t turn,
                        const char *preview, const char *last) {
    const struct conversation_row row = row_of(fixture, name);
    assert_int_equal(row.fork_turn, turn);
    assert_string_equal(row.fork_preview, preview);
    assert_string_equal(row.last, last);
}

static void fork_and_say(struct store_fixture *fixture, const struct conversation *original,
                         int64_t at, const char *name, enum message_role role, const char *text) {
    struct conversation fork;
    must(conversation_fork(fixture->db, original, at, name, &fork, &fixture->err), &fixture->err);
    const int64_t said = store_fixture_add(fixture, at, role, text);
    const int64_t more = store_fixture_add(fixture, said, MESSAGE_USER, "more");
    must(conversation_move(fixture->db, fork.id, more, 0, &fixture->err), &fixture->err);
}

static void a_fork_row_shows_where_it_left_its_parent(void **state) {
    (void)state;
    static const char *const texts[] = {"One?", "1", "Two?", "2", "Three?"};
    struct store_fixture fixture;
    int64_t ids[5];
    store_fixture_init(&fixture, true);
    const struct conversation talk = store_fixture_talk(&fixture, "talk", 5, texts, ids);
    fork_and_say(&fixture, &talk, ids[1], "question", MESSAGE_USER, "Another two?");
    fork_and_say(&fixture, &talk, ids[2], "answer", MESSAGE_ASSISTANT, "another 2");
    fork_and_say(&fixture, &talk, MESSAGE_NONE, "start", MESSAGE_USER, "Another one?");
    expect_left(&fixture, "talk", 0, "", "Three?");
    expect_left(&fixture, "question", 2, "Another two?", "more");
    expect_left(&fixture, "answer", 2, "Two?", "more"); // the same question, answered again
    expect_left(&fixture, "start", 1, "Another one?", "more");
    struct conversation fork = row_of(&fixture, "question").conversation;
    must(conversation_move(fixture.db, fork.id, ids[0], 0, &fixture.err), &fixture.err);
    expect_left(&fixture, "question", 0, "", "One?"); // it went back further
    store_fixture_deinit(&fixture);
}

// Whoever deletes the original must see that its text is here as well.
static void every_conversation_with_text_is_listed(void **state) {
    (void)state;
    struct store_fixture fixture;
    store_fixture_init(&fixture, true);
    struct error *err = &fixture.err;
    const struct conversation a = talk_of_one(&fixture, "a", "apple");
    struct conversation unused = fork_of(&fixture, &a, ""), empty;
    must(conversation_fork(fixture.db, &a, MESSAGE_NONE, "", &empty, err), err);
    fork_of(&fixture, &empty, "named");
    assert_string_equal(list_as_text(&fixture, "", 10), "a,  named,  ");
    assert_string_equal(list_as_text(&fixture, "apple", 10), "a,  ");
    must(conversation_delete(fixture.db, a.id, err), err);
    must(conversation_move(fixture.db, unused.id, MESSAGE_NONE, 0, err), err); // taken back
    struct conversation_row *rows;
    size_t count;
    must(conversation_list(fixture.db, &(struct conversation_query){.words = "", .limit = 9}, &rows,
                           &count, err),
         err);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].conversation.id, unused.id) == 0) {
            assert_string_equal(rows[i].preview, "apple");
            assert_int_equal(rows[i].turns, 0);
        }
    free(rows);
    store_fixture_deinit(&fixture);
}

// A ring of forks cannot be made, but a damaged file may hold one.
static void a_damaged_ring_of_forks_is_listed_once(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation_row *rows;
    size_t count;
    store_fixture_init(&fixture, true);
    struct conversation last = talk_of_one(&fixture, "0", "x");
    for (int i = 1; i < 6; i++)
        last = fork_of(&fixture, &last, (const char[]){(char)('0' + i), 0});
    store_fixture_sql(&fixture,
                      "UPDATE conversation SET forked_from ="
                      " (SELECT id FROM conversation WHERE name = '3') WHERE name IN ('1', '0')");
    must(conversation_list(fixture.db, &(struct conversation_query){.words = "", .limit = 10},
                           &rows, &count, &fixture.err),
         &fixture.err);
    int seen[6] = {0};
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(seen[rows[i].conversation.name[0] - '0']++, 0);
    free(rows);
    store_fixture_deinit(&fixture);
}

static void a_search_needs_all_words_in_one_message(void **state) {
    (void)state;
    static const char *const other[] = {"The Seine is a river", "in Paris"};
    struct store_fixture fixture;
    store_fixture_init(&fixture, true);
    struct conversation fork;
    struct error *err = &fixture.err;
    const struct conversation one = talk_of_one(&fixture, "one", "Paris lies on the river Seine");
    store_fixture_talk(&fixture, "two", 2, other, NULL);
    assert_string_equal(list_as_text(&fixture, "paris", 9), "two,one");
    assert_string_equal(list_as_text(&fixture, "PAR  \t sei\n", 9), "one");
    assert_string_equal(list_as_text(&fixture, "seine", 1), "two");
    assert_string_equal(list_as_text(&fixture, "aris", 9), "");
    assert_string_equal(list_as_text(&fixture, "  ", 9), "");
    const int64_t left =
        store_fixture_add(&fixture, one.tip, MESSAGE_ASSISTANT, "unsaid xylophone");
    assert_string_equal(list_as_text(&fixture, "xylophone", 9), "");
    must(conversation_move(fixture.db, one.id, left, 0, err), err);
    must(conversation_fork(fixture.db, &one, left, "fork", &fork, err), err);
    must(conversation_move(fixture.db, one.id, one.tip, 0, err), err);
    assert_string_equal(list_as_text(&fixture, "xylophone", 9), "fork");
    assert_string_equal(list_as_text(&fixture, "river paris", 9), "one,  fork");
    store_fixture_deinit(&fixture);
}

// Whatever is typed is words, never syntax.
static void a_search_finds_names_and_shows_the_matching_text(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation_row *rows;
    size_t count;
    store_fixture_init(&fixture, true);
    talk_of_one(&fixture, "Trip to Oslo", "Which trains are there?");
    talk_of_one(&fixture, "two", "A long way to say that the ferry to Oslo is\nlate on this trip");
    talk_of_one(&fixture, "three", "Nothing");
    assert_string_equal(list_as_text(&fixture, "oslo trip", 9), "two,Trip to Oslo");
    assert_string_equal(list_as_text(&fixture, "\"trip to oslo\"", 1), "Trip to Oslo");
    assert_string_equal(list_as_text(&fixture, "TWO", 9), "two");
    assert_string_equal(list_as_text(&fixture, "oslo nothing", 9), "");
    must(conversation_list(fixture.db, &(struct conversation_query){.words = "oslo", .limit = 9},
                           &rows, &count, &fixture.err),
         &fixture.err);
    assert_int_equal(count, 2);
    assert_non_null(strstr(rows[0].found, "ferry to Oslo is late"));
    assert_string_equal(rows[1].found, "");
    free(rows);
    store_fixture_deinit(&fixture);
}

static void any_query_is_words_and_never_an_error(void **state) {
    (void)state;
    static const char *const queries[] = {
        "\"",   "a\"b",         "\"\"\"\"", "a AND",  "NOT a", "(a",
        "a)",   "a OR b",       "text:a",   "-a",     "a*",    "*",
        "^a",   "NEAR(a b, 2)", "a + b",    "{a}: b", "!!!",   "\xFF\xFE",
        "'",    "a;--",         "%_",       "\\",     "\xC2",  "a \xE2\x80\x94 b",
        "\x01", "c++",
    };
    struct store_fixture fixture;
    char many[3 * 40] = "";
    struct conversation_row *rows = NULL;
    size_t count = 77;
    store_fixture_init(&fixture, true);
    talk_of_one(&fixture, "one", "c++ \"quoted\" AND NOT (a near b)");
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
        list_as_text(&fixture, queries[i], 9);
    assert_string_equal(list_as_text(&fixture, "c++ \"quoted\" and NOT (a", 9), "one");
    assert_string_equal(list_as_text(&fixture, "!!! quoted", 9), "one");
    for (int i = 0; i < 33; i++)
        strcat(many, "a ");
    assert_int_equal(conversation_list(fixture.db,
                                       &(struct conversation_query){.words = many, .limit = 9},
                                       &rows, &count, &fixture.err),
                     STATUS_BAD_INPUT);
    assert_null(rows);
    assert_int_equal(count, 77);
    store_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_describes_its_conversation),
        cmocka_unit_test(a_preview_is_cut_between_characters),
        cmocka_unit_test(the_newest_is_listed_first_and_empty_ones_if_named),
        cmocka_unit_test(titles_come_from_names_or_text_without_attachments),
        cmocka_unit_test(one_shot_questions_are_listed_only_by_search),
        cmocka_unit_test(forks_are_listed_below_their_parents),
        cmocka_unit_test(a_fork_row_shows_where_it_left_its_parent),
        cmocka_unit_test(every_conversation_with_text_is_listed),
        cmocka_unit_test(a_damaged_ring_of_forks_is_listed_once),
        cmocka_unit_test(a_search_needs_all_words_in_one_message),
        cmocka_unit_test(a_search_finds_names_and_shows_the_matching_text),
        cmocka_unit_test(any_query_is_words_and_never_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
