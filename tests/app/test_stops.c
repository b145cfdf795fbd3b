// tests/app/test_stops.c — what is held back, against cutting the whole text at once.
#include "app/chat/stops.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const WORDS[] = {"aab", "<end>", "b.", NULL};
static const char *const MORE[] = {"User:", NULL};
static const struct stops STOPS = {{WORDS, MORE}};

static size_t find_stop(const char *text, bool *matched) {
    return stops_find(&STOPS, text, 0, strlen(text), matched);
}

static void the_first_stop_string_cuts_the_text(void **state) {
    (void)state;
    bool matched;
    assert_int_equal(find_stop("hello <end> User:", &matched), 6);
    assert_true(matched);
    assert_int_equal(find_stop("aaab", &matched), 1);
    assert_true(matched);
    assert_int_equal(find_stop("User: x", &matched), 0);
    assert_true(matched);
}

static void a_partial_stop_string_at_the_end_is_held_back(void **state) {
    (void)state;
    bool matched;
    assert_int_equal(find_stop("hello <en", &matched), 6);
    assert_false(matched);
    assert_int_equal(find_stop("hello <eX", &matched), 9);
    assert_false(matched);
    assert_int_equal(find_stop("aa", &matched), 0);
    assert_int_equal(find_stop("", &matched), 0);
    assert_false(matched);
}

static void stop_words_can_be_quoted_or_escaped(void **state) {
    (void)state;
    struct stop_words words = {0};
    struct error err;
    char many[3 * STOP_WORDS_MAX] = "";
    assert_int_equal(stop_words_read(&words, "one \"two words\" and\\ so  ", &err), STATUS_OK);
    assert_string_equal(words.list[0], "one");
    assert_string_equal(words.list[1], "two words");
    assert_string_equal(words.list[2], "and so");
    assert_null(words.list[3]);
    for (size_t i = 0; i <= STOP_WORDS_MAX; i++)
        memcpy(many + 2 * i, "x ", 3);
    assert_int_equal(stop_words_read(&words, many, &err), STATUS_BAD_INPUT);
    assert_int_equal(stop_words_read(&words, "a \"\"", &err), STATUS_BAD_INPUT);
    assert_string_equal(err.text, "a stop string must not be empty");
    assert_string_equal(words.list[2], "and so");
    assert_int_equal(stop_words_read(&words, "", &err), STATUS_OK);
    assert_null(words.list[0]);
    stop_words_deinit(&words);
}

static void without_stop_strings_nothing_is_held_back(void **state) {
    (void)state;
    bool matched;
    const struct stops none = {{NULL, NULL}};
    assert_int_equal(stops_find(&none, "abc", 0, 3, &matched), 3);
    assert_false(matched);
}

static void stop_strings_match_however_text_arrives(void **state) {
    (void)state;
    unsigned seed = 5;
    printf("seed %u\n", seed);
    for (int round = 0; round < 20000; round++) {
        char text[33] = "";
        const size_t length = (size_t)(rand_r(&seed) % 32);
        for (size_t i = 0; i < length; i++)
            text[i] = "aab.<end>xUser:"[rand_r(&seed) % 15];
        bool matched, whole_matched;
        size_t whole = find_stop(text, &whole_matched);
        if (!whole_matched) whole = length;
        size_t shown = 0, arrived = 0;
        matched = false;
        while (arrived < length && !matched) {
            arrived += 1 + (size_t)rand_r(&seed) % 4;
            if (arrived > length) arrived = length;
            const size_t until = stops_find(&STOPS, text, shown, arrived, &matched);
            assert_true(until >= shown);
            shown = until;
        }
        if (!matched) shown = length;
        assert_int_equal(matched, whole_matched);
        assert_int_equal(shown, whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_stop_string_cuts_the_text),
        cmocka_unit_test(a_partial_stop_string_at_the_end_is_held_back),
        cmocka_unit_test(stop_words_can_be_quoted_or_escaped),
        cmocka_unit_test(without_stop_strings_nothing_is_held_back),
        cmocka_unit_test(stop_strings_match_however_text_arrives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
