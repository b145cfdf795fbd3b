// tests/app/test_verbatim.c — what was pasted is text, wherever it goes in a line.
#include "app/base/verbatim.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <string.h>

#include "app/console/command_line.h"
#include "app/console/compose.h"

static struct text line;

static const char *pasted(const char *text) {
    text_clear(&line);
    assert_int_equal(verbatim_append(&line, text, strlen(text)), STATUS_OK);
    return text_string(&line);
}

static void pasted_text_is_sent_verbatim(void **state) {
    (void)state;
    static const char *const texts[] = {
        "@/etc/hostname",
        "see @/etc/hostname, (@/etc/hostname) and\n@/etc/hostname",
        "/quit",
        "/usr/lib/x.so: cannot open",
        "//two",
        "\\@word and \\ and a trailing \\",
        "\"\"\"a docstring\"\"\"",
        "exit",
        "quit\n",
        "me@home.org",
        "$ npm i @types/node\n",
        "héllo @ünïcode 🙂",
        "",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct text message = {0}, rest = {0};
        struct error err = {0};
        size_t files = 0;
        const char *sent = pasted(texts[i]);
        assert_false(command_line_is_command(sent));
        assert_int_equal(compose_expand(sent, strlen(sent), &message, &rest, &files, &err),
                         STATUS_OK);
        assert_int_equal(files, 0);
        assert_int_equal(message.length, 0);
        assert_string_equal(text_string(&rest), texts[i]);
        text_deinit(&message);
        text_deinit(&rest);
    }
    text_deinit(&line);
}

static void words_without_special_meaning_are_not_marked(void **state) {
    (void)state;
    static const char *const texts[] = {"two words", "a/b", "a \\ b", "\"one\" quote", "12", "-x"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string_equal(pasted(texts[i]), texts[i]);
    text_deinit(&line);
}

static void an_edited_line_keeps_the_marks_of_unchanged_words(void **state) {
    (void)state;
    struct text marked = {0}, edited = {0}, plain = {0};
    assert_int_equal(text_append_string(&marked, "typed @a.txt, pasted "), STATUS_OK);
    assert_int_equal(verbatim_append(&marked, "@b.txt /c \\@d", 13), STATUS_OK);
    assert_int_equal(verbatim_restore(&edited, marked.bytes,
                                      "/c moved, new @e @b.txt\n@a.txt, still typed \\@d"),
                     STATUS_OK);
    static const char *const kept[] = {"new @e ", "@a.txt, still"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        assert_non_null(strstr(edited.bytes, kept[i]));
    static const char *const lost[] = {"/c", "@b.txt", "\\@d"};
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++)
        assert_null(strstr(edited.bytes, lost[i]));
    assert_int_equal(verbatim_plain(&plain, edited.bytes, edited.length), STATUS_OK);
    assert_string_equal(plain.bytes, "/c moved, new @e @b.txt\n@a.txt, still typed \\@d");
    text_deinit(&marked);
    text_deinit(&edited);
    text_deinit(&plain);
}

static void typed_lines_are_commands_or_messages(void **state) {
    (void)state;
    static const struct {
        const char *line;
        bool command;
    } lines[] = {
        {"/help", true},
        {"/nonsense", true},
        {"/read a/b", true},
        {"exit", true},
        {"QUIT ", true},
        {"help", true},
        {":q", true},
        {":wq ", true},
        {":q what", false},
        {":quiet", false},
        {"/usr/lib: x", false},
        {"//help", false},
        {"/etc/passwd", false},
        {"exit now", false},
        {"helpful", false},
        {" /help", false},
        {"", false},
        {"what /help", false},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_int_equal(command_line_is_command(lines[i].line), lines[i].command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pasted_text_is_sent_verbatim),
        cmocka_unit_test(words_without_special_meaning_are_not_marked),
        cmocka_unit_test(an_edited_line_keeps_the_marks_of_unchanged_words),
        cmocka_unit_test(typed_lines_are_commands_or_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
