// tests/store/test_family.c — the messages and conversations around one, and who shares a head.
#include "store/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"

// The previews of a family in its order, joined by commas, each with its parent's before a '<'.
static const char *family_as_text(struct store_fixture *fixture, const char *id, size_t limit) {
    static char text[2048];
    struct family_message *messages;
    size_t count, at = 0;
    must(family_messages(fixture->db, id, limit, &messages, &count, &fixture->err), &fixture->err);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *above = "";
        for (size_t j = 0; j < i; j++)
            if (messages[j].id == messages[i].parent) above = messages[j].preview;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s<%s", i ? "," : "",
                               messages[i].preview, above);
        if (i > 0) assert_true(messages[i].id > messages[i - 1].id);
    }
    free(messages);
    return text;
}

static size_t standing(struct store_fixture *fixture, const char *id) {
    struct conversation *conversations;
    size_t count;
    must(family_conversations(fixture->db, id, 100, &conversations, &count, &fixture->err),
         &fixture->err);
    free(conversations);
    return count;
}

static void a_family_includes_abandoned_messages_and_forks(void **state) {
    (void)state;
    static const char *const texts[] = {"a", "b", "c", "d"}, *const others[] = {"x", "y"};
    struct store_fixture fixture;
    struct conversation fork;
    store_fixture_init(&fixture, true);
    const struct conversation talk = store_fixture_talk(&fixture, "one", 4, texts, NULL);
    const struct conversation other = store_fixture_talk(&fixture, "two", 2, others, NULL);
    struct message *path;
    size_t count;
    must(message_path(fixture.db, talk.tip, &path, &count, &fixture.err), &fixture.err);
    const int64_t b = path[1].id;
    message_path_free(path, count);
    must(conversation_fork(fixture.db, &talk, b, "fork", &fork, &fixture.err), &fixture.err);
    const int64_t e = store_fixture_add(&fixture, b, MESSAGE_USER, "e");
    must(conversation_move(fixture.db, fork.id, e, fixture.model, &fixture.err), &fixture.err);
    assert_string_equal(family_as_text(&fixture, talk.id, 100), "a<,b<a,c<b,d<c,e<b");
    assert_string_equal(family_as_text(&fixture, fork.id, 100), "a<,b<a,c<b,d<c,e<b");
    assert_string_equal(family_as_text(&fixture, talk.id, 3), "a<,b<a,c<b");
    assert_string_equal(family_as_text(&fixture, other.id, 100), "x<,y<x");
    assert_int_equal(standing(&fixture, talk.id), 2);
    assert_int_equal(standing(&fixture, other.id), 1);
    // What a conversation has left stays in its family.
    must(conversation_move(fixture.db, talk.id, b, fixture.model, &fixture.err), &fixture.err);
    assert_string_equal(family_as_text(&fixture, talk.id, 100), "a<,b<a,c<b,d<c,e<b");
    store_fixture_deinit(&fixture);
}

static void a_conversation_without_messages_has_no_family(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct conversation empty;
    store_fixture_init(&fixture, true);
    must(conversation_create(fixture.db, "empty", fixture.model, &empty, &fixture.err),
         &fixture.err);
    assert_string_equal(family_as_text(&fixture, empty.id, 100), "");
    assert_int_equal(standing(&fixture, empty.id), 0);
    store_fixture_deinit(&fixture);
}

static void preambles_are_counted_by_their_text(void **state) {
    (void)state;
    static const char *const heads[] = {"Be brief.", "Be brief.", "Be long.", "Be brief. "};
    struct store_fixture fixture;
    int64_t count = -1;
    store_fixture_init(&fixture, true);
    for (size_t i = 0; i < 4; i++) {
        struct conversation made;
        const int64_t system = store_fixture_add(&fixture, MESSAGE_NONE, MESSAGE_SYSTEM, heads[i]);
        const int64_t asked = store_fixture_add(&fixture, system, MESSAGE_USER, "Be brief.");
        must(conversation_create(fixture.db, "", fixture.model, &made, &fixture.err), &fixture.err);
        must(conversation_move(fixture.db, made.id, asked, fixture.model, &fixture.err),
             &fixture.err);
    }
    must(family_count_preambles(fixture.db, heads[0], strlen(heads[0]), &count, &fixture.err),
         &fixture.err);
    assert_int_equal(count, 2);
    must(family_count_preambles(fixture.db, "none", 4, &count, &fixture.err), &fixture.err);
    assert_int_equal(count, 0);
    store_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_family_includes_abandoned_messages_and_forks),
        cmocka_unit_test(a_conversation_without_messages_has_no_family),
        cmocka_unit_test(preambles_are_counted_by_their_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
