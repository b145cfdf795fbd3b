#include <string.h>

#include "app/chat/code_block.h"
#include "tests/check.h"

static const char ANSWER[] = "Two:\n\n```python title=x\nprint('`')\n\nx\n```\n\n1. in a list\n"
                             "   ~~~\n   int a;\n     b;\n   ~~~\n\n    indented is none\n\n"
                             "> ```c\n> quoted\n> ```\n\n````\n```\nnever closed";

static void finds(const char *text, size_t number, size_t expected_count, const char *language,
                  const char *code) {
    struct code_block block = {0};
    size_t count = 99;
    assert_int_equal(code_block_find(text, strlen(text), number, &block, &count), STATUS_OK);
    assert_int_equal(count, expected_count);
    assert_string_equal(text_string(&block.language), language);
    assert_string_equal(text_string(&block.code), code);
    code_block_deinit(&block);
}

static void each_code_block_is_found_by_its_number(void **state) {
    (void)state;
    finds(ANSWER, 1, 4, "python", "print('`')\n\nx\n");
    finds(ANSWER, 2, 4, "", "int a;\n  b;\n");
    finds(ANSWER, 3, 4, "c", "quoted\n");
    finds(ANSWER, 4, 4, "", "```\nnever closed\n");
}

static void the_last_code_block_is_found_without_a_number(void **state) {
    (void)state;
    finds(ANSWER, 0, 4, "", "```\nnever closed\n");
    finds(ANSWER, 5, 4, "", "");
    finds("no code, `but this`", 0, 0, "", "");
    finds("", 0, 0, "", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_code_block_is_found_by_its_number),
        cmocka_unit_test(the_last_code_block_is_found_without_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
