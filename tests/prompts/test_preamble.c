// tests/prompts/test_preamble.c — preambles from files, their parts, and what is no preamble.
#include "prompts/preamble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

static const char FILE_TEXT[] = "# for people\n# more\n\n  Be brief.  \nAlways.\n\nUSER: One?\n"
                                "two lines\nASSISTANT:\nYes.\nUSER:  Two?\r\nASSISTANT: No.  \n";

static void a_preamble_file_splits_into_a_prompt_and_pairs(void **state) {
    (void)state;
    struct text preamble = {0}, shown = {0};
    struct chat_message parts[PREAMBLE_MAX_PARTS];
    static const char *const expected[] = {"Be brief.  \nAlways.", "One?\ntwo lines", "Yes.",
                                           "Two?", "No."};
    assert_int_equal(preamble_read(FILE_TEXT, strlen(FILE_TEXT), &preamble, NULL), STATUS_OK);
    assert_int_equal(preamble_messages(preamble.bytes, preamble.length, parts), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(parts[i].role, i == 0 ? ROLE_SYSTEM : i % 2 ? ROLE_USER : ROLE_ASSISTANT);
        assert_int_equal(parts[i].length, strlen(expected[i]));
        assert_memory_equal(parts[i].text, expected[i], parts[i].length);
    }
    assert_int_equal(preamble_shots(preamble.bytes), 2);
    assert_int_equal(preamble_show(preamble.bytes, &shown), STATUS_OK);
    assert_string_equal(shown.bytes,
                        "Be brief.  \nAlways.\n\nUSER: One?\ntwo lines\nASSISTANT: Yes."
                        "\n\nUSER: Two?\nASSISTANT: No.");
    text_deinit(&preamble);
    text_deinit(&shown);
}

static void a_shown_preamble_reads_back_unchanged(void **state) {
    (void)state;
    struct text preamble = {0}, shown = {0}, again = {0};
    assert_int_equal(preamble_read(FILE_TEXT, strlen(FILE_TEXT), &preamble, NULL), STATUS_OK);
    assert_int_equal(preamble_show(preamble.bytes, &shown), STATUS_OK);
    assert_int_equal(preamble_read(shown.bytes, shown.length, &again, NULL), STATUS_OK);
    assert_string_equal(preamble.bytes, again.bytes);
    text_deinit(&preamble);
    text_deinit(&shown);
    text_deinit(&again);
}

static void a_file_without_marks_is_only_a_system_prompt(void **state) {
    (void)state;
    struct text preamble = {0};
    struct chat_message parts[PREAMBLE_MAX_PARTS];
    static const char text[] = "You speak.\nUser: is no mark here.\n";
    assert_int_equal(preamble_read(text, strlen(text), &preamble, NULL), STATUS_OK);
    assert_string_equal(preamble.bytes, "You speak.\nUser: is no mark here.");
    assert_int_equal(preamble_messages(preamble.bytes, preamble.length, parts), 1);
    assert_int_equal(preamble_shots(preamble.bytes), 0);
    text_deinit(&preamble);
}

static void pairs_without_a_prompt_have_no_system_message(void **state) {
    (void)state;
    struct text preamble = {0}, joined = {0};
    struct chat_message parts[PREAMBLE_MAX_PARTS];
    static const char text[] = "USER: a\nASSISTANT: b";
    assert_int_equal(preamble_read(text, strlen(text), &preamble, NULL), STATUS_OK);
    assert_int_equal(preamble_messages(preamble.bytes, preamble.length, parts), 2);
    assert_int_equal(parts[0].role, ROLE_USER);
    assert_int_equal(preamble_join("A prompt.\x1Exx\x1Eyy", preamble.bytes, &joined), STATUS_OK);
    assert_string_equal(joined.bytes, "A prompt.\x1E"
                                      "a\x1E"
                                      "b");
    text_deinit(&preamble);
    text_deinit(&joined);
}

static void separators_that_form_no_pairs_stay_in_the_prompt(void **state) {
    (void)state;
    static const char *const texts[] = {"a\x1E"
                                        "b",
                                        "a\x1E"
                                        "b\x1E",
                                        "a\x1E\x1E"
                                        "c",
                                        "a\x1E"
                                        "b\x1E"
                                        "c\x1E"
                                        "d"};
    for (size_t i = 0; i < 4; i++) {
        struct chat_message parts[PREAMBLE_MAX_PARTS];
        assert_int_equal(preamble_messages(texts[i], strlen(texts[i]), parts), 1);
        assert_int_equal(parts[0].role, ROLE_SYSTEM);
        assert_int_equal(parts[0].length, strlen(texts[i]));
        assert_int_equal(preamble_shots(texts[i]), 0);
    }
}

static void preamble_errors_name_the_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length; // 0: all of it
        const char *said;
    } cases[] = {
        {"One\nASSISTANT: a", 0, "line 2: ASSISTANT: without USER: before it"},
        {"USER: a\nUSER: b", 0, "line 2: USER: without ASSISTANT: before it"},
        {"USER: a\n\nASSISTANT: b\nUSER: c", 0, "line 4: USER: without ASSISTANT: after it"},
        {"USER: a\nASSISTANT:  \n\n", 0, "line 2: the message after the mark is empty"},
        {"USER:\nASSISTANT: a", 0, "line 1: the message after the mark is empty"},
        {"a\nb\xFFz", 0, "line 2: is not UTF-8 text"},
        {"a\n\nb\0c", 6, "line 3: contains a control character"},
        {"a\x1Ez", 0, "line 1: contains a control character"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text preamble = {0};
        struct error err = {0};
        const size_t length = cases[i].length ? cases[i].length : strlen(cases[i].text);
        assert_int_equal(text_append_string(&preamble, "before"), STATUS_OK);
        assert_int_equal(preamble_read(cases[i].text, length, &preamble, &err), STATUS_BAD_INPUT);
        assert_memory_equal(err.text, cases[i].said, strlen(cases[i].said));
        assert_string_equal(preamble.bytes, "before"); // as it was
        text_deinit(&preamble);
    }
}

static void more_pairs_than_the_limit_are_refused(void **state) {
    (void)state;
    struct text text = {0}, preamble = {0};
    struct error err = {0};
    for (int i = 0; i < PREAMBLE_MAX_PARTS / 2; i++)
        assert_int_equal(text_append_string(&text, "USER: a\nASSISTANT: b\n"), STATUS_OK);
    assert_int_equal(preamble_read(text.bytes, text.length, &preamble, &err), STATUS_OK);
    assert_int_equal(preamble_shots(preamble.bytes), PREAMBLE_MAX_PARTS / 2);
    assert_int_equal(text_append_string(&text, "USER: a\nASSISTANT: b\n"), STATUS_OK);
    text_clear(&preamble);
    assert_int_equal(preamble_read(text.bytes, text.length, &preamble, &err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err.text, "more than 128 pairs"));
    text_deinit(&text);
    text_deinit(&preamble);
}

static void any_text_splits_into_a_bounded_number_of_parts(void **state) {
    (void)state;
    unsigned seed = 7;
    for (int round = 0; round < 2000; round++) {
        static const char letters[] = "a\x1E\nU";
        char text[600];
        struct chat_message parts[PREAMBLE_MAX_PARTS];
        const size_t length = (size_t)(rand_r(&seed) % 600);
        for (size_t i = 0; i < length; i++)
            text[i] = letters[rand_r(&seed) % 4];
        const size_t count = preamble_messages(text, length, parts);
        size_t bytes = 0;
        assert_true(count <= PREAMBLE_MAX_PARTS);
        for (size_t i = 0; i < count; i++) {
            assert_true(parts[i].text >= text && parts[i].text + parts[i].length <= text + length);
            assert_true(parts[i].length > 0);
            bytes += parts[i].length;
        }
        // Nothing but separators is left out.
        size_t separators = 0;
        for (size_t i = 0; i < length; i++)
            separators += text[i] == PREAMBLE_SEPARATOR;
        assert_true(bytes == length || bytes + separators == length);
    }
}

static void the_first_comment_describes_the_preamble(void **state) {
    (void)state;
    size_t length;
    static const char text[] = "##  Short answers \nBe brief.";
    const char *comment = preamble_comment(text, strlen(text), &length);
    assert_int_equal(length, strlen("Short answers"));
    assert_memory_equal(comment, "Short answers", length);
    preamble_comment("no", 2, &length);
    assert_int_equal(length, 0);
    preamble_comment("", 0, &length);
    assert_int_equal(length, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_preamble_file_splits_into_a_prompt_and_pairs),
        cmocka_unit_test(a_shown_preamble_reads_back_unchanged),
        cmocka_unit_test(a_file_without_marks_is_only_a_system_prompt),
        cmocka_unit_test(pairs_without_a_prompt_have_no_system_message),
        cmocka_unit_test(separators_that_form_no_pairs_stay_in_the_prompt),
        cmocka_unit_test(preamble_errors_name_the_line),
        cmocka_unit_test(more_pairs_than_the_limit_are_refused),
        cmocka_unit_test(any_text_splits_into_a_bounded_number_of_parts),
        cmocka_unit_test(the_first_comment_describes_the_preamble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
