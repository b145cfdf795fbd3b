// tests/app/test_tree.c — families, drawn.
#include "app/console/tree.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

struct scene {
    struct family_message messages[MOST];
    struct conversation conversations[4];
    struct family family;
};

static void scene_init(struct scene *scene, int64_t tip) {
    *scene = (struct scene){0};
    scene->conversations[0] = (struct conversation){.id = "00000001", .tip = tip};
    scene->family = (struct family){.messages = scene->messages,
                                    .conversations = scene->conversations,
                                    .conversation_count = 1,
                                    .current = &scene->conversations[0]};
}

// Message number `count + 1`.
static int64_t add_message(struct scene *scene, int64_t parent, enum message_role role,
                           const char *text) {
    struct family_message *message = &scene->messages[scene->family.count++];
    message->id = (int64_t)scene->family.count;
    message->parent = parent;
    message->role = role;
    message->stop = role == MESSAGE_ASSISTANT ? STOP_END : STOP_NONE;
    snprintf(message->preview, sizeof message->preview, "%s", text);
    return message->id;
}

// A question and its answer, in capitals; returns the answer.
static int64_t exchange(struct scene *scene, int64_t parent, const char *question,
                        const char *answer) {
    const int64_t asked = add_message(scene, parent, MESSAGE_USER, question);
    return add_message(scene, asked, MESSAGE_ASSISTANT, answer);
}

static void expect(struct scene *scene, const char *drawn) {
    struct text text = {0};
    struct tree tree = {0};
    assert_int_equal(tree_draw(&scene->family, &tree), STATUS_OK);
    for (size_t i = 0; i < tree.count; i++)
        assert_int_equal(text_format(&text, "%s\n", tree.rows[i].text), STATUS_OK);
    assert_string_equal(text_string(&text), drawn);
    text_deinit(&text);
    tree_deinit(&tree);
}

// Of several answers that are written at once, the shortest may be stored first.
static void answers_stand_in_the_order_in_which_they_began(void **state) {
    (void)state;
    struct scene scene;
    scene_init(&scene, 5);
    const int64_t asked = add_message(&scene, MESSAGE_NONE, MESSAGE_USER, "q");
    static const char *const answers[] = {"SECOND", "FOURTH", "FIRST", "THIRD"};
    static const int64_t began[] = {12, 14, 11, 13};
    for (int i = 0; i < 4; i++) {
        add_message(&scene, asked, MESSAGE_ASSISTANT, answers[i]);
        scene.messages[scene.family.count - 1].created_ms = began[i];
    }
    expect(&scene, "  ├─ q → FIRST\n"
                   "  ├─ q → SECOND\n"
                   "* ├─ q → THIRD\n"
                   "  └─ q → FOURTH\n");
}

static void a_conversation_without_branches_is_one_column(void **state) {
    (void)state;
    struct scene scene;
    scene_init(&scene, 4);
    exchange(&scene, exchange(&scene, 0, "a", "A"), "b", "B");
    expect(&scene, "  a → A\n* b → B\n");
}

static void branches_are_drawn_below_their_parent(void **state) {
    (void)state;
    struct scene scene;
    scene_init(&scene, 0);
    const int64_t head = add_message(&scene, 0, MESSAGE_SYSTEM, "s");
    const int64_t a = exchange(&scene, head, "a", "A");
    const int64_t b = exchange(&scene, a, "b", "B");
    const int64_t c = exchange(&scene, a, "c", "C");
    exchange(&scene, b, "d", "D");
    scene.conversations[0].tip = exchange(&scene, c, "e", "E");
    exchange(&scene, b, "f", "F");
    expect(&scene, "  system: s\n"
                   "  a → A\n"
                   "  ├─ b → B\n"
                   "  │  ├─ d → D\n"
                   "  │  └─ f → F\n"
                   "  └─ c → C\n"
                   "*    e → E\n");
}

static void alternative_answers_are_adjacent_rows(void **state) {
    (void)state;
    struct scene scene;
    scene_init(&scene, 3);
    const int64_t asked = add_message(&scene, 0, MESSAGE_USER, "a");
    add_message(&scene, asked, MESSAGE_ASSISTANT, "A");
    add_message(&scene, asked, MESSAGE_ASSISTANT, "B");
    scene.messages[2].stop = STOP_INTERRUPTED;
    expect(&scene, "  ├─ a → A\n* └─ a → B (cut)\n");
}

static void an_unanswered_question_has_a_row(void **state) {
    (void)state;
    struct scene scene;
    scene_init(&scene, 2);
    const int64_t a = exchange(&scene, 0, "a", "A");
    add_message(&scene, a, MESSAGE_USER, "b");
    expect(&scene, "* a → A\n  b (no answer)\n");
}

static void other_conversations_are_named_at_their_rows(void **state) {
    (void)state;
    struct scene scene;
    scene_init(&scene, 2);
    exchange(&scene, exchange(&scene, 0, "a", "A"), "b", "B");
    scene.conversations[1] = (struct conversation){.id = "00000002", .name = "way", .tip = 4};
    scene.conversations[2] = (struct conversation){.id = "00000003", .tip = 4};
    scene.family.conversation_count = 3;
    expect(&scene, "* a → A\n  [way] [00000003] b → B\n");
}

// Every row is there once, whatever the tree, and the mark where the tip is.
static void every_message_of_a_random_tree_is_drawn_once(void **state) {
    (void)state;
    unsigned seed = 3;
    for (int round = 0; round < 500; round++) {
        struct scene scene;
        struct tree tree = {0};
        size_t rows = 0;
        scene_init(&scene, 0);
        const size_t count = 1 + (size_t)rand_r(&seed) % MOST;
        while (scene.family.count < count) {
            const int64_t parent = (int64_t)((size_t)rand_r(&seed) % (scene.family.count + 1));
            add_message(&scene, parent, (enum message_role)(rand_r(&seed) % 3), "x");
        }
        scene.conversations[0].tip = 1 + (int64_t)((size_t)rand_r(&seed) % count);
        assert_int_equal(tree_draw(&scene.family, &tree), STATUS_OK);
        bool seen[MOST + 1] = {false};
        for (size_t i = 0; i < tree.count; i++) {
            assert_false(seen[tree.rows[i].message]);
            seen[tree.rows[i].message] = true;
            const bool here = tree.rows[i].message == scene.conversations[0].tip;
            assert_int_equal(tree.rows[i].text[0], here ? '*' : ' ');
            if (here) assert_int_equal(tree.here, i);
        }
        for (size_t i = 0; i < count; i++) { // all but the questions with an answer
            bool answered = false;
            for (size_t j = 0; j < count; j++)
                answered = answered || (scene.messages[j].parent == scene.messages[i].id &&
                                        scene.messages[j].role == MESSAGE_ASSISTANT);
            rows += !(answered && scene.messages[i].role == MESSAGE_USER);
        }
        assert_int_equal(tree.count, rows);
        tree_deinit(&tree);
    }
}

static void deep_branches_stop_at_the_last_indentation(void **state) {
    (void)state;
    struct scene scene;
    struct tree tree = {0};
    int64_t at = 0;
    scene_init(&scene, 0);
    for (int i = 0; i < MOST / 4; i++) {
        exchange(&scene, at, "left", "L");
        at = exchange(&scene, at, "right", "R");
    }
    assert_int_equal(tree_draw(&scene.family, &tree), STATUS_OK);
    const size_t most =
        strlen("  ") + TREE_LEVELS_MOST * strlen("│  ") + strlen("├─ right → R") + 8;
    for (size_t i = 0; i < tree.count; i++)
        assert_true(strlen(tree.rows[i].text) <= most);
    tree_deinit(&tree);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_stand_in_the_order_in_which_they_began),
        cmocka_unit_test(a_conversation_without_branches_is_one_column),
        cmocka_unit_test(branches_are_drawn_below_their_parent),
        cmocka_unit_test(alternative_answers_are_adjacent_rows),
        cmocka_unit_test(an_unanswered_question_has_a_row),
        cmocka_unit_test(other_conversations_are_named_at_their_rows),
        cmocka_unit_test(every_message_of_a_random_tree_is_drawn_once),
        cmocka_unit_test(deep_branches_stop_at_the_last_indentation),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
