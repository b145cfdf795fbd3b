// tests/app/test_printable.c — nothing that a terminal would obey gets through.
#include "app/base/json.h"
#include "app/base/printable.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void any_text_becomes_one_harmless_line(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *shown;
    } cases[] = {
        {"plain", 5, "plain"},
        {"Ġca\xc3\xa7\xe4\xb8\xad", 9, "Ġca\xc3\xa7\xe4\xb8\xad"},
        {"a\nb\tc\rd\\", 8, "a\\nb\\tc\\rd\\\\"},
        {"\033]0;x\a", 6, "\\x1b]0;x\\x07"},
        {"\0z", 2, "\\x00z"},
        {"\x7f\xc2\x9b", 3, "\\x7f\\xc2\\x9b"}, // DEL, C1
        {"\xff\xc3", 2, "\\xff\\xc3"},          // ill-formed
        {"\xe2\x80\xae", 3, "\\xe2\\x80\\xae"}, // right to left override
        {"\xef\xbf\xbd", 3, "\xef\xbf\xbd"},    // U+FFFD itself
        {"a\xef\xbb\xbf", 4, "a\\xef\\xbb\\xbf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text out = {0};
        assert_int_equal(printable_append(&out, cases[i].bytes, cases[i].length), STATUS_OK);
        assert_string_equal(text_string(&out), cases[i].shown);
        text_deinit(&out);
    }
}

// The rule of printable.h, by one of each kind.
static void hidden_characters_are_replaced_unless_a_script_needs_them(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *shown;
    } cases[] = {
        {"\xf3\xa0\x81\x81z", "\xef\xbf\xbdz"}, // a tag, U+E0041
        {"\xf0\x9f\x8f\xb4\xf3\xa0\x81\xbf",
         "\xf0\x9f\x8f\xb4\xef\xbf\xbd"},       // the last, after a flag
        {"\xef\xbf\xb9z", "\xef\xbf\xbdz"},     // annotation
        {"\xf0\x9d\x85\xb3z", "\xef\xbf\xbdz"}, // musical beam
        {"a\xef\xbb\xbfz", "az"},               // byte order mark
        {"a\xe2\x80\x8bz", "a\xe2\x80\x8bz"},   // zero-width space
        {"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
         "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb"},                 // joiner, in an emoji
        {"\xe8\x91\x9b\xf3\xa0\x84\x80", "\xe8\x91\x9b\xf3\xa0\x84\x80"}, // a name's variant
        {"\xe2\x9d\xa4\xef\xb8\x8f", "\xe2\x9d\xa4\xef\xb8\x8f"},         // a red heart
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text out = {0};
        assert_int_equal(printable_text(cases[i].bytes, strlen(cases[i].bytes), &out), STATUS_OK);
        assert_string_equal(text_string(&out), cases[i].shown);
        text_deinit(&out);
    }
}

static void json_escapes_hidden_characters_as_surrogate_pairs(void **state) {
    (void)state;
    static const char hidden[] = "\xf3\xa0\x81\x81\xef\xbb\xbf\x1b";
    struct text out = {0};
    assert_int_equal(json_append_string(&out, hidden, sizeof hidden - 1), STATUS_OK);
    assert_string_equal(text_string(&out), "\"\\udb40\\udc41\\ufeff\\u001b\"");
    text_deinit(&out);
}

// On Linux a file name may have any bytes, but JSON parsers only accept UTF-8.
static void json_is_utf8_whatever_the_name_of_a_file(void **state) {
    (void)state;
    static const char name[] = "a\xff\xf0\x9f\x98z\xef\xbf\xbd\xc3";
    static const char shown[] = "a\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd";
    struct text out = {0}, printed = {0};
    assert_int_equal(json_append_string(&out, name, sizeof name - 1), STATUS_OK);
    assert_int_equal(text_format(&printed, "\"%s\"", shown), STATUS_OK);
    assert_string_equal(text_string(&out), text_string(&printed));
    text_deinit(&out);
    text_deinit(&printed);

    char path[] = "/tmp/quire-json-XXXXXX", line[64] = "";
    const int file = mkstemp(path), before = dup(STDOUT_FILENO);
    cJSON *object = cJSON_CreateObject();
    assert_true(file >= 0 && before >= 0 && object);
    assert_true(json_add_text(object, "model", name));
    assert_int_equal(dup2(file, STDOUT_FILENO), STDOUT_FILENO);
    const bool whole = json_put(object, true);
    assert_int_equal(dup2(before, STDOUT_FILENO), STDOUT_FILENO);
    assert_true(whole);
    assert_true(pread(file, line, sizeof line - 1, 0) > 0);
    char wanted[64];
    snprintf(wanted, sizeof wanted, "{\"model\":\"%s\"}\n", shown);
    assert_string_equal(line, wanted);
    close(before);
    close(file);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_becomes_one_harmless_line),
        cmocka_unit_test(hidden_characters_are_replaced_unless_a_script_needs_them),
        cmocka_unit_test(json_escapes_hidden_characters_as_surrogate_pairs),
        cmocka_unit_test(json_is_utf8_whatever_the_name_of_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
