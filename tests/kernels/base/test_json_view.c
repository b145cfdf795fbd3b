// tests/kernels/base/test_json_view.c — JSON read where it stands.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/json_view.h"
#include "tests/check.h"

static struct json_view view_of(const char *text) {
    struct json_view view;
    struct error err = {0};
    if (json_view_open(text, strlen(text), "text", &view, &err) != STATUS_OK)
        fail_msg("%s: %s", text, err.text);
    return view;
}

static void members_and_items_are_visited_in_document_order(void **state) {
    (void)state;
    const struct json_view view =
        view_of(" {\"a\" : [1, \"x,]}\" ,{}, []] ,\n\"b\":{\"c\":null,\"d\":false}, \"a\":2 } ");
    struct json_view value, key;
    const struct json_view list = json_view_find(view, "a");
    const enum json_kind kinds[] = {JSON_NUMBER, JSON_STRING, JSON_OBJECT, JSON_ARRAY};
    size_t count = 0;
    for (size_t cursor = 0; json_view_next(list, &cursor, &key, &value);)
        assert_int_equal(json_view_kind(value), kinds[count++]);
    assert_int_equal(count, 4);
    count = 0;
    for (size_t cursor = 0; json_view_next(view, &cursor, &key, &value); count++)
        assert_true(json_view_is(key, count == 1 ? "b" : "a"));
    assert_int_equal(count, 3);
    assert_int_equal(json_view_kind(json_view_find(json_view_find(view, "b"), "c")), JSON_NULL);
    assert_int_equal(json_view_kind(json_view_find(view, "d")), JSON_ABSENT);
    assert_int_equal(json_view_kind(json_view_find(list, "d")), JSON_ABSENT);
    size_t cursor = 0;
    assert_false(json_view_next(view_of("12"), &cursor, NULL, &value));
    assert_false(json_view_next(view_of("[ ]"), &cursor, NULL, &value));
}

static void string_escapes_are_decoded(void **state) {
    (void)state;
    const struct json_view view =
        view_of("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u0000\\ud83e\\udd99\\udbff\\udfffz\"");
    static const char expected[] = "\"\\/\b\f\n\r\t\xC3\xA9\0\xF0\x9F\xA6\x99\xF4\x8F\xBF\xBFz";
    char buffer[64];
    assert_true(json_view_string_bound(view) <= sizeof buffer);
    assert_int_equal(json_view_string(view, buffer), sizeof expected - 1);
    assert_memory_equal(buffer, expected, sizeof expected - 1);
    assert_true(json_view_is(view_of("\"\\u0061b\""), "ab"));
    assert_false(json_view_is(view_of("\"\\u0061b\""), "abc"));
    assert_false(json_view_is(view_of("\"ab\""), "abc"));
    assert_true(json_view_is(view_of("\"\""), ""));
    assert_false(json_view_is(view_of("\"a\\\\b\""), "a\\\\b"));
}

static void a_byte_order_mark_in_front_is_passed_over(void **state) {
    (void)state;
    struct json_view view = view_of("\xEF\xBB\xBF {\"a\":1}");
    struct error err = {0};
    double number;
    assert_true(json_view_double(json_view_find(view, "a"), &number) && number == 1);
    static const char *const bad[][2] = {{"\xEF\xBB\xBF", "byte 3"},
                                         {"\xEF\xBB\xBF\xEF\xBB\xBF{}", "byte 3"},
                                         {" \xEF\xBB\xBF{}", "byte 1"},
                                         {"\xEF\xBB\xBF{", "byte 4"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const enum status status = json_view_open(bad[i][0], strlen(bad[i][0]), "x", &view, &err);
        assert_int_equal(status, STATUS_BAD_INPUT);
        if (!strstr(err.text, bad[i][1])) fail_msg("%zu: %s", i, err.text);
    }
}

static void numbers_that_do_not_fit_are_refused(void **state) {
    (void)state;
    double real;
    int64_t whole;
    assert_true(json_view_double(view_of("-1.5e2"), &real));
    assert_float_equal(real, -150, 0);
    assert_true(json_view_int(view_of("-9223372036854775808"), &whole));
    assert_true(whole == INT64_MIN);
    assert_false(json_view_int(view_of("9223372036854775808"), &whole));
    assert_false(json_view_int(view_of("1.0"), &whole));
    assert_false(json_view_int(view_of("\"1\""), &whole));
    assert_false(json_view_double(view_of("1e999"), &real));
    struct json_view item;
    size_t cursor = 0;
    assert_true(json_view_next(view_of("[7]"), &cursor, NULL, &item));
    assert_true(json_view_int(item, &whole) && whole == 7);
}

static void invalid_json_is_refused_with_its_byte_offset(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "{",
        "[",
        "]",
        "{]",
        "[}",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{1:2}",
        "\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"\n\"",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "tru",
        "nul",
        "truex",
        "1 2",
        "[1 2]",
        "{\"a\" 1}",
        "\xFF",
        "\"\xC3\"",
        "NaN",
        "Infinity",
        "'a'",
        "1234567890123456789012345678901234567890123456789012345678901234567890",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct json_view view = {0};
        struct error err = {0};
        if (json_view_open(bad[i], strlen(bad[i]), "text", &view, &err) != STATUS_BAD_INPUT)
            fail_msg("\"%s\" is taken", bad[i]);
        assert_non_null(strstr(err.text, "byte "));
        assert_int_equal(view.length, 0);
    }
}

static void nesting_deeper_than_the_limit_is_refused(void **state) {
    (void)state;
    char text[4 * JSON_VIEW_MAX_DEPTH];
    struct json_view view;
    for (size_t depth = JSON_VIEW_MAX_DEPTH; depth <= JSON_VIEW_MAX_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(json_view_open(text, 2 * depth, "text", &view, NULL),
                         depth > JSON_VIEW_MAX_DEPTH ? STATUS_BAD_INPUT : STATUS_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_items_are_visited_in_document_order),
        cmocka_unit_test(string_escapes_are_decoded),
        cmocka_unit_test(a_byte_order_mark_in_front_is_passed_over),
        cmocka_unit_test(numbers_that_do_not_fit_are_refused),
        cmocka_unit_test(invalid_json_is_refused_with_its_byte_offset),
        cmocka_unit_test(nesting_deeper_than_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
