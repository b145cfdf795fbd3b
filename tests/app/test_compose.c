// tests/app/test_compose.c — messages with files in them, paths as people type them, and presets.
#include "app/console/compose.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/path.h"
#include "app/chat/presets.h"
#include "prompts/preamble.h"

static char folder[] = "/tmp/quire-compose-XXXXXX";

static void write_file(const char *name, const char *bytes, size_t length) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0) return -1;
    write_file("a.txt", "one\n", 4);
    write_file("b c.txt", "two", 3);
    write_file("nul.bin", "x\0y", 3);
    write_file("bad.txt", "x\xFFy", 3);
    setenv("HOME", folder, 1);
    return mkdir("sub", 0700);
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"a.txt", "b c.txt", "nul.bin", "bad.txt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    rmdir("sub");
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

// "FILES|message|rest" of what was typed, or the error.
static const char *expand(const char *typed) {
    static char result[1024];
    struct text message = {0}, rest = {0};
    struct error err = {0};
    size_t files = 0;
    const enum status status = compose_expand(typed, strlen(typed), &message, &rest, &files, &err);
    if (status == STATUS_OK)
        snprintf(result, sizeof result, "%zu|%s|%s", files, text_string(&message),
                 text_string(&rest));
    else
        snprintf(result, sizeof result, "%s", err.text);
    text_deinit(&message);
    text_deinit(&rest);
    return result;
}

static void a_named_file_is_put_before_the_message(void **state) {
    (void)state;
    assert_string_equal(expand("What is in @a.txt?"),
                        "1|[file: a.txt]\none\n\n|What is in @a.txt?");
    assert_string_equal(expand("@a.txt @\"b c.txt\""),
                        "2|[file: a.txt]\none\n\n[file: b c.txt]\ntwo\n\n|@a.txt @\"b c.txt\"");
    assert_string_equal(expand("@b\\ c.txt, please"),
                        "1|[file: b c.txt]\ntwo\n\n|@b\\ c.txt, please");
    assert_string_equal(expand("(@~/a.txt)"), "1|[file: a.txt]\none\n\n|(@~/a.txt)");
}

static void an_unquoted_file_name_with_blanks_gets_a_hint(void **state) {
    (void)state;
    static const char *const typed[] = {"@b c.txt", "What is in @b c.txt?", "(see @b c.txt)",
                                        "@./b c.txt, please"};
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++)
        assert_non_null(strstr(expand(typed[i]), i == 3 ? "needs quotes: @\"./b c.txt\" (\\@ "
                                                        : "needs quotes: @\"b c.txt\" (\\@ "));
    assert_string_equal(expand("@b\nc.txt"), "0||@b\nc.txt");
    assert_string_equal(expand("@b d.txt"), "0||@b d.txt");
}

static void other_words_with_an_at_sign_stay_words(void **state) {
    (void)state;
    assert_string_equal(expand("ask @anna, and me@home.org"), "0||ask @anna, and me@home.org");
    assert_string_equal(expand("\\@a.txt is no file"), "0||@a.txt is no file");
    assert_string_equal(expand("@ @"), "0||@ @");
    assert_string_equal(expand("a\\@b"), "0||a\\@b");
    assert_string_equal(expand(""), "0||");
}

// In a time that its length decides, not its square.
static void a_very_long_word_is_read_in_linear_time(void **state) {
    (void)state;
    enum { LENGTH = 4 << 20 };
    char *word = malloc(LENGTH);
    struct text message = {0}, rest = {0};
    struct error err = {0};
    size_t files = 0;
    assert_non_null(word);
    memset(word, 'x', LENGTH);
    assert_int_equal(compose_expand(word, LENGTH, &message, &rest, &files, &err), STATUS_OK);
    assert_int_equal(rest.length, LENGTH);
    assert_int_equal(message.length, 0);
    free(word);
    text_deinit(&message);
    text_deinit(&rest);
}

static void a_named_file_that_cannot_be_read_is_an_error(void **state) {
    (void)state;
    assert_non_null(strstr(expand("see @b.txt"), "no file b.txt"));
    assert_non_null(strstr(expand("see @sub/none"), "no file sub/none"));
    assert_non_null(strstr(expand("@nul.bin"), "is not text: byte 0x00 at offset 1"));
    assert_non_null(strstr(expand("@bad.txt"), "is not UTF-8 text: byte 0xff at offset 1"));
    assert_non_null(strstr(expand("@sub"), "cannot read sub: Is a directory"));
}

static void paths_can_be_quoted_or_escaped(void **state) {
    (void)state;
    const char *rest = "  a.txt \"b c.txt\"\t~/d b\\ c.txt a\\b \"e";
    static const char *const words[] = {"a.txt", "b c.txt", "~/d", "b c.txt", "a\\b", "\"e"};
    for (size_t i = 0; i < 6; i++) {
        struct text word = {0};
        assert_true(path_next(&rest, &word));
        assert_string_equal(word.bytes, words[i]);
        text_deinit(&word);
    }
    struct text word = {0}, path = {0};
    assert_false(path_next(&rest, &word));
    assert_int_equal(path_expand("~/d", &path), STATUS_OK);
    assert_int_equal(strncmp(path.bytes, folder, strlen(folder)), 0);
    assert_string_equal(path.bytes + strlen(folder), "/d");
    text_clear(&path);
    assert_int_equal(path_expand("~d", &path), STATUS_OK);
    assert_string_equal(path.bytes, "~d");
    text_deinit(&path);
}

static void a_quoted_name_keeps_its_blanks(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"my chat", "my chat"},
        {"\"my chat\"", "my chat"},
        {"my\\ chat", "my chat"},
        {"a\\b", "a\\b"},
        {"\"", "\""},
        {"\"a\" b", "\"a\" b"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s", names[i][0]);
        path_unquote(name);
        assert_string_equal(name, names[i][1]);
    }
}

// What Tab writes is read back as the same name, wherever a name can stand.
static void a_completed_name_reads_back_unchanged(void **state) {
    (void)state;
    static const char *const names[] = {"plain.txt",    "my file.txt", "a\"b.txt",  "\"q\".txt",
                                        "back\\slash",  "b\\ s.txt",   "ends in\\", "tab\there",
                                        "two\nlines.c", "ünï côde.md", "end.",      "(1).txt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct text line = {0}, word = {0};
        write_file(names[i], "x", 1);
        assert_int_equal(text_append_string(&line, "@"), STATUS_OK);
        assert_int_equal(path_quote(names[i], &line), STATUS_OK);
        assert_int_equal(expand(line.bytes)[0], '1');
        const char *rest = line.bytes + 1;
        assert_true(path_next(&rest, &word));
        assert_string_equal(word.bytes, names[i]);
        assert_int_equal(*rest, 0);
        path_unquote(line.bytes + 1);
        assert_string_equal(line.bytes + 1, names[i]);
        unlink(names[i]);
        text_deinit(&line);
        text_deinit(&word);
    }
    assert_non_null(strstr(expand("@\"none here\""), "no file \"none here\""));
    assert_non_null(strstr(expand("@\"none"), "no file \"none"));
}

static void append_path(void *user, const char *path) {
    struct text *all = user;
    assert_int_equal(text_format(all, "%s;", path), STATUS_OK);
}

static void completed_folders_end_in_a_slash(void **state) {
    (void)state;
    struct text all = {0};
    path_complete("a", append_path, &all);
    assert_string_equal(text_string(&all), "a.txt;");
    text_clear(&all);
    path_complete("~/su", append_path, &all);
    assert_string_equal(text_string(&all), "~/sub/;");
    text_clear(&all);
    path_complete("none/a", append_path, &all);
    assert_string_equal(text_string(&all), "");
    text_deinit(&all);
}

static void the_built_in_presets_are_valid(void **state) {
    (void)state;
    struct preset *presets;
    size_t count;
    struct error err = {0};
    assert_int_equal(presets_list("config", &presets, &count), STATUS_OK);
    assert_true(count >= 6);
    for (size_t i = 0; i < count; i++) {
        struct text preamble = {0};
        if (preset_read("config", presets[i].name, &preamble, &err) != STATUS_OK)
            fail_msg("%s", err.text);
        assert_true(preamble.length > 0);
        assert_true(presets[i].about[0]);
        assert_false(presets[i].own);
        if (i > 0) assert_true(strcmp(presets[i - 1].name, presets[i].name) < 0);
        text_deinit(&preamble);
    }
    free(presets);
}

static void a_users_preset_overrides_a_built_in_one(void **state) {
    (void)state;
    struct text preamble = {0}, config = {0};
    struct preset *presets;
    struct error err = {0};
    size_t count, own = 0;
    assert_int_equal(mkdir("presets", 0700), 0);
    write_file("presets/brief.txt", "# mine\nMine.", 12);
    write_file("presets/broken.txt", "USER: a", 7);
    assert_int_equal(text_format(&config, "%s/config", folder), STATUS_OK);
    assert_int_equal(preset_read(config.bytes, "brief", &preamble, &err), STATUS_OK);
    assert_string_equal(preamble.bytes, "Mine.");
    assert_int_equal(preset_read(config.bytes, "broken", &preamble, &err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err.text, "broken.txt: line 1: USER: without ASSISTANT: after it"));
    assert_int_equal(preset_read(config.bytes, "../a", &preamble, &err), STATUS_BAD_INPUT);
    assert_int_equal(preset_read(config.bytes, "none", &preamble, &err), STATUS_BAD_INPUT);
    assert_int_equal(presets_list(config.bytes, &presets, &count), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        own += presets[i].own;
        if (strcmp(presets[i].name, "brief") == 0) assert_string_equal(presets[i].about, "mine");
    }
    assert_int_equal(own, 2);
    free(presets);
    unlink("presets/brief.txt");
    unlink("presets/broken.txt");
    rmdir("presets");
    text_deinit(&preamble);
    text_deinit(&config);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_file_is_put_before_the_message),
        cmocka_unit_test(an_unquoted_file_name_with_blanks_gets_a_hint),
        cmocka_unit_test(other_words_with_an_at_sign_stay_words),
        cmocka_unit_test(a_very_long_word_is_read_in_linear_time),
        cmocka_unit_test(a_named_file_that_cannot_be_read_is_an_error),
        cmocka_unit_test(paths_can_be_quoted_or_escaped),
        cmocka_unit_test(a_quoted_name_keeps_its_blanks),
        cmocka_unit_test(a_completed_name_reads_back_unchanged),
        cmocka_unit_test(completed_folders_end_in_a_slash),
        cmocka_unit_test(the_built_in_presets_are_valid),
        cmocka_unit_test(a_users_preset_overrides_a_built_in_one),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
