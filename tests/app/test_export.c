// tests/app/test_export.c — a conversation goes out as text, and comes back as JSONL.
#include "app/chat/export.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/chat/import.h"

static struct message message_of(enum message_role role, enum message_stop stop, const char *text) {
    return (struct message){
        .role = role, .stop = stop, .text = (char *)(uintptr_t)text, .length = strlen(text)};
}

static const struct conversation TALK = {.id = "3f2a91bc", .name = "a “talk”"};

static void as_text(const struct message *messages, size_t count, enum export_format format,
                    struct text *text) {
    const struct exported exported = {&TALK, "model", messages, count};
    assert_int_equal(export_append(&exported, format, text), STATUS_OK);
}

static void markdown_export_has_a_heading_for_each_message(void **state) {
    (void)state;
    struct text text = {0};
    const struct message messages[] = {
        message_of(MESSAGE_SYSTEM, STOP_NONE,
                   "Be brief.\x1EQ\x1E"
                   "A"),
        message_of(MESSAGE_USER, STOP_NONE, "Hello?\n"),
        message_of(MESSAGE_ASSISTANT, STOP_INTERRUPTED, "Hi"),
    };
    as_text(messages, 3, EXPORT_MARKDOWN, &text);
    assert_string_equal(text.bytes, "# a “talk”\n\nmodel: model\n\n## system\n\nBe brief.\n\n"
                                    "USER: Q\nASSISTANT: A\n\n## user\n\nHello?\n\n"
                                    "## assistant (interrupted)\n\nHi\n");
    text_deinit(&text);
}

static void jsonl_export_imports_byte_for_byte(void **state) {
    (void)state;
    unsigned seed = 11;
    static const char *const bits[] = {"a", "\"",   "\\",      "\n", "\t",   "\r", "\x01", "é",
                                       "😀", "\x1E", "\\u0000", "}",  "\x7F", "/",  " "};
    for (int round = 0; round < 200; round++) {
        struct text texts[6] = {0}, line = {0};
        struct message messages[6];
        struct import import = {0};
        struct error err = {0};
        for (size_t i = 0; i < 6; i++) {
            assert_int_equal(text_append_string(&texts[i], "x"), STATUS_OK);
            for (int j = rand_r(&seed) % 40; j > 0; j--)
                assert_int_equal(text_append_string(&texts[i], bits[(size_t)rand_r(&seed) % 15]),
                                 STATUS_OK);
            messages[i] = message_of(i % 2 ? MESSAGE_ASSISTANT : MESSAGE_USER,
                                     i % 2 ? (enum message_stop)(1 + rand_r(&seed) % 5) : STOP_NONE,
                                     texts[i].bytes);
            messages[i].created_ms = 1700000000000 + rand_r(&seed);
        }
        as_text(messages, 6, EXPORT_JSONL, &line);
        if (import_read(line.bytes, line.length, &import, &err) != STATUS_OK)
            fail_msg("round %d: %s\n%s", round, err.text, line.bytes);
        assert_int_equal(import.count, 6);
        assert_string_equal(import.name, TALK.name);
        for (size_t i = 0; i < 6; i++) {
            assert_string_equal(import.messages[i].text, texts[i].bytes);
            assert_int_equal(import.messages[i].role, messages[i].role);
            assert_int_equal(import.messages[i].stop, messages[i].stop);
            assert_int_equal(import.messages[i].created_ms, messages[i].created_ms);
            text_deinit(&texts[i]);
        }
        import_deinit(&import);
        text_deinit(&line);
    }
}

// What a model or a server has written, with all that JSON has no character for or a terminal
// obeys.
static void jsonl_escapes_hidden_characters(void **state) {
    (void)state;
    static const char hidden[] = "a\0b\x1b]0;x\x07\x7f\xc2\x9b\xe2\x80\xae\xd8\x9c\xe2\x80\xa8z";
    const struct message messages[] = {
        message_of(MESSAGE_USER, STOP_NONE, "Hi"),
        {.role = MESSAGE_ASSISTANT,
         .stop = STOP_END,
         .text = (char *)(uintptr_t)hidden,
         .length = sizeof hidden - 1},
    };
    struct text line = {0};
    struct import import = {0};
    struct error err = {0};
    as_text(messages, 2, EXPORT_JSONL, &line);
    assert_non_null(
        strstr(line.bytes, "a\\u0000b\\u001b]0;x\\u0007\\u007f\\u009b\\u202e\\u061c\\u2028z"));
    assert_int_equal(import_read(line.bytes, line.length, &import, &err), STATUS_OK);
    assert_int_equal(import.messages[1].length, sizeof hidden - 1);
    assert_memory_equal(import.messages[1].text, hidden, sizeof hidden);
    import_deinit(&import);
    text_deinit(&line);
}

static void an_import_past_the_message_limit_is_refused(void **state) {
    (void)state;
    struct text text = {0};
    struct import import = {0};
    struct error err = {0};
    assert_int_equal(text_append_string(&text, "{\"type\":\"conversation\",\"version\":1}\n"),
                     STATUS_OK);
    for (int i = 0; i <= IMPORT_MAX_MESSAGES; i++)
        assert_int_equal(
            text_format(&text, "{\"role\":\"%s\",\"text\":\"a\"}\n", i % 2 ? "assistant" : "user"),
            STATUS_OK);
    assert_int_equal(import_read(text.bytes, text.length, &import, &err), STATUS_BAD_INPUT);
    if (!strstr(err.text, "at most 100,000")) fail_msg("%s", err.text);
    text_deinit(&text);
}

#define HEAD_LINE "{\"type\":\"conversation\",\"version\":1}\n"
#define USER_LINE "{\"role\":\"user\",\"text\":\"a\"}\n"

static void invalid_exports_are_refused_with_the_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "no messages"},
        {HEAD_LINE, "no messages"},
        {"hello", "line 1: expected one JSON object"},
        {"[1]\n", "line 1: expected one JSON object"},
        {"{} {}\n", "line 1: expected one JSON object"},
        {"{}\n", "line 1: expected the first line of an exported conversation"},
        {USER_LINE, "line 1: expected the first line of an exported conversation"},
        {"{\"type\":\"conversation\",\"version\":2}\n",
         "line 1: written by a newer version of quire"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n",
         "line 1: expected the first line of an exported conversation"},
        {HEAD_LINE USER_LINE HEAD_LINE USER_LINE, "line 3: another conversation begins here"},
        {HEAD_LINE HEAD_LINE, "line 2: another conversation begins here"},
        {HEAD_LINE USER_LINE USER_LINE, "line 3: out of order"},
        {HEAD_LINE "{\"role\":\"assistant\",\"text\":\"a\"}\n", "line 2: out of order"},
        {HEAD_LINE USER_LINE "{\"role\":\"system\",\"text\":\"a\"}\n", "line 3: out of order"},
        {HEAD_LINE "{\"role\":\"king\",\"text\":\"a\"}\n",
         "line 2: \"role\" or \"text\" is missing"},
        {HEAD_LINE "{\"role\":\"user\",\"text\":\"a\",\"text\":\"b\"}\n",
         "line 2: the key \"text\" occurs twice"},
        {HEAD_LINE "{\"role\":\"user\"}\n", "line 2: \"role\" or \"text\" is missing"},
        {HEAD_LINE "{\"role\":\"user\",\"text\":\"\"}\n", "line 2: the message is empty"},
        {HEAD_LINE "{\"role\":\"system\",\"text\":\"a\\u0000b\"}\n",
         "line 2: a system prompt cannot contain a NUL"},
        {HEAD_LINE "{\"role\":\"user\",\"text\":\"a\xFF\"}\n", "not UTF-8: byte 0xff at offset"},
        {HEAD_LINE USER_LINE "{\"role\":\"assistant\",\"text\":\"a\",\"stop_reason\":\"why\"}",
         "line 3: unsupported \"stop_reason\""},
        {"{\"type\":\"conversation\",\"version\":1,\"messages\":2}\n" USER_LINE,
         "expected 2 messages, found 1"},
        {"{\"type\":\"conversation\",\"version\":0}\n", "line 1: expected the first line"},
        {"{\"type\":\"conversation\",\"version\":1,\"messages\":\"2\"}\n" USER_LINE,
         "line 1: \"messages\" must be a number"},
        {"{\"type\":\"conversation\",\"version\":1,\"name\":7}\n" USER_LINE,
         "line 1: \"name\" must be a string"},
        {HEAD_LINE "{\"role\":\"user\",\"text\":\"a\",\"created_ms\":\"now\"}\n",
         "line 2: \"created_ms\" must be a number"},
        {HEAD_LINE USER_LINE "{\"role\":\"assistant\",\"text\":\"a\",\"stop_reason\":1}\n",
         "line 3: \"stop_reason\" must be a string"},
        {"{\"type\":\"conversation\",\"version\":1,\"messages\":-1}\n" USER_LINE,
         "expected -1 messages, found 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct import import = {0};
        struct error err = {0};
        assert_int_equal(import_read(cases[i].text, strlen(cases[i].text), &import, &err),
                         STATUS_BAD_INPUT);
        if (!strstr(err.text, cases[i].said))
            fail_msg("%s\nsaid %s, not %s", cases[i].text, err.text, cases[i].said);
        assert_int_equal(import.count, 0);
    }
}

static void unknown_keys_and_blank_lines_are_ignored(void **state) {
    (void)state;
    static const char text[] =
        HEAD_LINE "\n  \r\n{\"role\":\"user\",\"text\":\"a\",\"mood\":[1]}\r\n";
    struct import import = {0};
    struct error err = {0};
    assert_int_equal(import_read(text, strlen(text), &import, &err), STATUS_OK);
    assert_int_equal(import.count, 1);
    import_deinit(&import);
}

static void an_import_with_a_taken_name_gets_a_number(void **state) {
    (void)state;
    static const char text[] = "{\"type\":\"conversation\",\"version\":1,\"name\":\"trip\"}\n"
                               "{\"role\":\"system\",\"text\":\"s\"}\n" USER_LINE
                               "{\"role\":\"assistant\",\"text\":\"b\",\"stop_reason\":\"length\"}";
    struct import import = {0};
    struct error err = {0};
    struct db *db;
    assert_int_equal(db_open(":memory:", &db, &err), STATUS_OK);
    assert_int_equal(import_read(text, strlen(text), &import, &err), STATUS_OK);
    for (int i = 0; i < 3; i++) {
        struct conversation made, found;
        struct message *path;
        size_t count;
        assert_int_equal(import_store(db, &import, &made, &err), STATUS_OK);
        assert_int_equal(conversation_find(db, made.id, &found, &err), STATUS_OK);
        assert_string_equal(found.name, i == 0 ? "trip" : i == 1 ? "trip (2)" : "trip (3)");
        assert_int_equal(message_path(db, found.tip, &path, &count, &err), STATUS_OK);
        assert_int_equal(count, 3);
        assert_string_equal(path[2].text, "b");
        assert_int_equal(path[2].stop, STOP_LENGTH);
        message_path_free(path, count);
    }
    assert_int_equal(db_check(db, &err), STATUS_OK);
    import_deinit(&import);
    db_close(db);
}

static void an_export_never_overwrites_a_file(void **state) {
    (void)state;
    char folder[] = "/tmp/quire-export-XXXXXX", path[64], bytes[8] = "";
    struct text text = {0};
    struct error err = {0};
    struct stat made;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.md", folder);
    assert_int_equal(text_append_string(&text, "one"), STATUS_OK);
    assert_int_equal(export_write(path, &text, &err), STATUS_OK);
    assert_int_equal(stat(path, &made), 0);
    assert_int_equal(made.st_mode & 0777, 0600);
    text_clear(&text);
    assert_int_equal(text_append_string(&text, "two"), STATUS_OK);
    assert_int_equal(export_write(path, &text, &err), STATUS_BAD_INPUT);
    assert_non_null(strstr(err.text, "already exists"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), 3);
    assert_string_equal(bytes, "one");
    fclose(file);
    unlink(path);
    rmdir(folder);
    assert_int_equal(export_write(path, &text, &err), STATUS_IO);
    text_deinit(&text);
}

static void the_suffix_selects_the_export_format(void **state) {
    (void)state;
    static const struct {
        const char *path;
        bool written;
        enum export_format format;
    } paths[] = {
        {"a/b.jsonl", true, EXPORT_JSONL},  {".jsonl", true, EXPORT_MARKDOWN},
        {"a.md", true, EXPORT_MARKDOWN},    {"jsonl", true, EXPORT_MARKDOWN},
        {"A.HTML", true, EXPORT_HTML},      {"v1.2", true, EXPORT_MARKDOWN},
        {"a.b/c", true, EXPORT_MARKDOWN},   {"x.pdf", false, EXPORT_MARKDOWN},
        {"x.docx", false, EXPORT_MARKDOWN}, {"x.json", false, EXPORT_MARKDOWN},
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        enum export_format format;
        assert_int_equal(export_format_of(paths[i].path, &format), paths[i].written);
        if (paths[i].written) assert_int_equal(format, paths[i].format);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markdown_export_has_a_heading_for_each_message),
        cmocka_unit_test(jsonl_export_imports_byte_for_byte),
        cmocka_unit_test(jsonl_escapes_hidden_characters),
        cmocka_unit_test(an_import_past_the_message_limit_is_refused),
        cmocka_unit_test(invalid_exports_are_refused_with_the_line),
        cmocka_unit_test(unknown_keys_and_blank_lines_are_ignored),
        cmocka_unit_test(an_import_with_a_taken_name_gets_a_number),
        cmocka_unit_test(an_export_never_overwrites_a_file),
        cmocka_unit_test(the_suffix_selects_the_export_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
