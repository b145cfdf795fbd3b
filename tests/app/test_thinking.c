#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/thinking.h"
#include "tests/check.h"

enum { RANDOM_TEXTS = CHECK_ROUNDS(3000, 300), PARTS_OF_A_TEXT = 12 };

static const unsigned SEED = 4711;

// Takes the text apart in pieces of 1 to `most` bytes; 0: at once.
static void take_apart(const char *text, size_t most, struct text *thought, struct text *answer) {
    struct thinking thinking = {0};
    struct thinking_part part;
    const size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        size_t piece = most ? 1 + (size_t)rand() % most : length;
        if (piece > length - at) piece = length - at;
        assert_int_equal(thinking_append(&thinking, text + at, piece), STATUS_OK);
        at += piece;
        while (thinking_next(&thinking, at == length, &part)) {
            assert_true(part.length > 0);
            assert_int_equal(text_append(part.thought ? thought : answer, part.text, part.length),
                             STATUS_OK);
        }
    }
    thinking_deinit(&thinking);
}

static void splits(const char *text, const char *expected_thought, const char *expected_answer) {
    for (size_t most = 0; most < 4; most++) {
        struct text thought = {0}, answer = {0};
        take_apart(text, most, &thought, &answer);
        assert_string_equal(text_string(&thought), expected_thought);
        assert_string_equal(text_string(&answer), expected_answer);
        text_deinit(&thought);
        text_deinit(&answer);
    }
}

static void thinking_is_split_from_the_answer(void **state) {
    (void)state;
    splits("<think>\nLet me see.\n\nYes.\n</think>\n\nIt is *so*.\n", "Let me see.\n\nYes.",
           "It is *so*.\n");
    splits("\n <thinking>a</thinking>b", "a", "b");
    splits("[THINK]a[/THINK]b", "a", "b");
    splits("◁think▷a◁/think▷b", "a", "b");
    splits("<think>one</think>\n<think>two</think>\nanswer", "onetwo", "answer");
}

static void channels_are_split_into_thinking_and_answer(void **state) {
    (void)state;
    splits("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>"
           "Hello <b>",
           "Hm.", "Hello <b>");
    splits("<|channel|>commentary<|message|>First.<|end|><|start|>assistant"
           "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>"
           "Then.",
           "Hm.", "First.Then.");
}

static void an_empty_thought_is_not_shown(void **state) {
    (void)state;
    splits("<think>\n\n</think>\n\nHello", "", "Hello");
    splits("<think></think>", "", "");
}

static void marks_inside_an_answer_are_text(void **state) {
    (void)state;
    splits("The <think> tag and </think>.", "", "The <think> tag and </think>.");
    splits("<think>a < b </ c</think>x <think>y</think>", "a < b </ c", "x <think>y</think>");
    splits("  indented\n", "", "  indented\n");
    splits("<thin", "", "<thin");
    splits("<b>bold</b>", "", "<b>bold</b>");
    splits(" \n", "", " \n");
}

static void a_thought_can_interrupt_an_answer(void **state) {
    (void)state;
    splits("A. " THINKING_OPEN "Two." THINKING_CLOSE "B.", "Two.", "A. B.");
    splits("A" THINKING_OPEN "Two", "Two", "A");
    splits("<think>1</think>A" THINKING_OPEN THINKING_CLOSE "\xef\xb7", "1", "A\xef\xb7");
}

static void a_lone_closing_mark_ends_a_thought(void **state) {
    (void)state;
    struct text thought = {0}, answer = {0};
    static const char message[] =
        "Let me see." THINKING_CLOSE "\n\nYes. " THINKING_OPEN "2" THINKING_CLOSE "No.";
    assert_int_equal(thinking_split(message, sizeof message - 1, &thought, &answer), STATUS_OK);
    assert_string_equal(text_string(&thought), "Let me see.\n2");
    assert_string_equal(text_string(&answer), "Yes. No.");
    text_deinit(&thought);
    text_deinit(&answer);
}

static void an_unclosed_thought_is_a_thought(void **state) {
    (void)state;
    splits("<think>\nLet me", "Let me", "");
    splits("<think>\nLet me</thi", "Let me</thi", "");
    splits("<think>\nLet me \n", "Let me", "");
}

static void text_of_a_thought_is_not_held_back(void **state) {
    (void)state;
    struct thinking thinking = {0};
    struct thinking_part part;
    assert_int_equal(thinking_append(&thinking, "<think>Let me see </", 20), STATUS_OK);
    assert_true(thinking_next(&thinking, false, &part));
    assert_true(part.thought);
    assert_int_equal(part.length, 10);
    assert_memory_equal(part.text, "Let me see", 10);
    assert_false(thinking_next(&thinking, false, &part));
    thinking_deinit(&thinking);
}

static void a_prompt_can_leave_a_thought_open(void **state) {
    (void)state;
    assert_string_equal(thinking_left_open("<|im_start|>assistant\n<think>\n", 30), "<think>\n");
    assert_string_equal(thinking_left_open("<think>", 7), "<think>");
    assert_null(thinking_left_open("<think>\n\n</think>\n\n", 19));
    assert_null(thinking_left_open("", 0));
}

static void only_whole_marks_are_marks(void **state) {
    (void)state;
    assert_true(thinking_is_mark("<|channel|>", 11));
    assert_false(thinking_is_mark("<|channel|", 10));
    assert_false(thinking_is_mark("<|im_end|>", 10));
    assert_false(thinking_is_mark("", 0));
}

// As much as is held of it is dropped, and nothing is held for ever.
static void white_space_is_held_back_up_to_a_limit(void **state) {
    (void)state;
    char text[1000], thought[1000];
    const int many = THINKING_HELD_BLANKS + 44;
    snprintf(text, sizeof text, "<think>a%*s</think>%*sb", many, "", many, "");
    snprintf(thought, sizeof thought, "a%*s", 44, "");
    splits(text, thought, "b");
    snprintf(text, sizeof text, "%*s<think>a</think>", many, "");
    splits(text, "", text);
    snprintf(text, sizeof text, "%*s<think>a</think>", THINKING_HELD_BLANKS, "");
    splits(text, "a", "");
}

// Against the pieces of the whole: marks and words in any order.
static void splitting_does_not_depend_on_how_text_arrives(void **state) {
    (void)state;
    static const char *const parts[] = {
        "<think>",  "</think>", "<",           "/",       "think",
        ">",        "\n",       " ",           "word",    "<|channel|>",
        "analysis", "final",    "<|message|>", "<|end|>", "<|start|>assistant",
        "[THINK]",  "[/THINK]"};
    srand(SEED);
    print_message("seed %u\n", SEED);
    for (int n = 0; n < RANDOM_TEXTS; n++) {
        char text[400] = "";
        for (int i = rand() % PARTS_OF_A_TEXT; i >= 0; i--)
            strcat(text, parts[(size_t)rand() % (sizeof parts / sizeof parts[0])]);
        struct text thought = {0}, answer = {0};
        assert_int_equal(thinking_split(text, strlen(text), &thought, &answer), STATUS_OK);
        splits(text, text_string(&thought), text_string(&answer));
        text_deinit(&thought);
        text_deinit(&answer);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thinking_is_split_from_the_answer),
        cmocka_unit_test(channels_are_split_into_thinking_and_answer),
        cmocka_unit_test(an_empty_thought_is_not_shown),
        cmocka_unit_test(marks_inside_an_answer_are_text),
        cmocka_unit_test(a_thought_can_interrupt_an_answer),
        cmocka_unit_test(a_lone_closing_mark_ends_a_thought),
        cmocka_unit_test(an_unclosed_thought_is_a_thought),
        cmocka_unit_test(text_of_a_thought_is_not_held_back),
        cmocka_unit_test(a_prompt_can_leave_a_thought_open),
        cmocka_unit_test(only_whole_marks_are_marks),
        cmocka_unit_test(white_space_is_held_back_up_to_a_limit),
        cmocka_unit_test(splitting_does_not_depend_on_how_text_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
