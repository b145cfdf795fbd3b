// tests/app/test_config.c — folders and the config file.
#include "app/cli/config.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/quire-config-XXXXXX";

static int make_home(void **state) {
    (void)state;
    return mkdtemp(home) ? 0 : -1;
}

static int remove_home(void **state) {
    (void)state;
    char command[sizeof home + 16];
    snprintf(command, sizeof command, "rm -rf %s", home);
    return system(command);
}

static void clear_environment(void) {
    const char *const names[] = {"QUIRE_HOME",    "HOME",           "XDG_CONFIG_HOME",
                                 "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
}

static void folders_follow_home_xdg_and_quire_home(void **state) {
    (void)state;
    struct config config = {0};
    struct error err;
    clear_environment();
    setenv("HOME", "/h", 1);
    assert_int_equal(config_open(&config, &err), STATUS_OK);
    assert_string_equal(text_string(&config.config_path), "/h/.config/quire/config");
    assert_string_equal(text_string(&config.db_path), "/h/.local/share/quire/quire.db");
    assert_string_equal(text_string(&config.cache_path), "/h/.cache/quire");
    assert_string_equal(text_string(&config.history_path), "/h/.local/state/quire/history");
    config_close(&config);
    setenv("XDG_DATA_HOME", "/x", 1);
    setenv("XDG_STATE_HOME", "relative", 1);
    assert_int_equal(config_open(&config, &err), STATUS_OK);
    assert_string_equal(text_string(&config.db_path), "/x/quire/quire.db");
    assert_string_equal(text_string(&config.history_path), "/h/.local/state/quire/history");
    config_close(&config);
    setenv("QUIRE_HOME", "/q", 1);
    assert_int_equal(config_open(&config, &err), STATUS_OK);
    assert_string_equal(text_string(&config.config_path), "/q/config");
    assert_string_equal(text_string(&config.db_path), "/q/quire.db");
    assert_string_equal(text_string(&config.cache_path), "/q");
    assert_string_equal(text_string(&config.history_path), "/q/history");
    config_close(&config);
}

static void a_missing_home_is_an_error(void **state) {
    (void)state;
    struct config config = {0};
    struct error err;
    clear_environment();
    assert_int_equal(config_open(&config, &err), STATUS_IO);
    assert_non_null(strstr(err.text, "HOME is not set"));
    assert_non_null(strstr(err.text, "--no-save"));
}

static void new_folders_are_readable_only_by_their_owner(void **state) {
    (void)state;
    char path[128];
    struct stat made;
    struct error err;
    snprintf(path, sizeof path, "%s/a/b/c.db", home);
    assert_int_equal(config_make_folder(path, &err), STATUS_OK);
    assert_int_equal(config_make_folder(path, &err), STATUS_OK);
    snprintf(path, sizeof path, "%s/a/b", home);
    assert_int_equal(stat(path, &made), 0);
    assert_int_equal(made.st_mode & 0777, 0700);
}

static enum status read_file(const char *content, struct args *args, struct error *err) {
    struct config config = {0};
    clear_environment();
    setenv("QUIRE_HOME", home, 1);
    setenv("HOME", "/h", 1);
    assert_int_equal(config_open(&config, err), STATUS_OK);
    FILE *file = fopen(text_string(&config.config_path), "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    args_init(args);
    const enum status status = config_read(&config, args, err);
    config_close(&config);
    return status;
}

static void a_link_to_no_config_is_not_the_same_as_no_config(void **state) {
    (void)state;
    struct args args;
    struct config config = {0};
    struct error err;
    assert_int_equal(read_file("", &args, &err), STATUS_OK);
    args_deinit(&args);
    setenv("QUIRE_HOME", home, 1);
    assert_int_equal(config_open(&config, &err), STATUS_OK);
    const char *path = text_string(&config.config_path);
    assert_int_equal(unlink(path), 0);
    args_init(&args);
    assert_int_equal(config_read(&config, &args, &err), STATUS_OK);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_int_equal(config_read(&config, &args, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, "config: No such file or directory"));
    assert_int_equal(unlink(path), 0);
    args_deinit(&args);
    config_close(&config);
}

static void the_config_file_sets_options(void **state) {
    (void)state;
    struct args args;
    struct error err = {0};
    assert_int_equal(read_file("# a comment\n\n  top-k = 20\nsystem=be = brief \r\nraw = on\n"
                               "stop = a\nstop = b\nmodel = /m/x.gguf",
                               &args, &err),
                     STATUS_OK);
    assert_int_equal(args.top_k, 20);
    assert_string_equal(args.system, "be = brief");
    assert_true(args.raw);
    assert_int_equal(args.stops.count, 2);
    assert_string_equal(args.model, "/m/x.gguf");
    args_deinit(&args);
    assert_int_equal(read_file("", &args, &err), STATUS_OK);
    args_deinit(&args);
}

static void values_can_be_quoted_and_comments_follow_them(void **state) {
    (void)state;
    struct args args;
    struct error err = {0};
    assert_int_equal(read_file("top-k = 20 # of all\nsystem = \"say \\\"#1\\\"  \" # a prompt\n"
                               "stop = C#\nmodel =\"/m/a file.gguf\"",
                               &args, &err),
                     STATUS_OK);
    assert_int_equal(args.top_k, 20);
    assert_string_equal(args.system, "say \"#1\"  ");
    assert_string_equal(args.stops.items[0], "C#");
    assert_string_equal(args.model, "/m/a file.gguf");
    args_deinit(&args);
}

// As a shell would have done, of an option whose value is a file or a folder.
static void a_path_in_the_home_folder_is_written_out(void **state) {
    (void)state;
    struct args args;
    struct error err = {0};
    setenv("HOME", "/h", 1);
    assert_int_equal(
        read_file("model = ~/x.gguf\nkv-dir=\"~/a b\"\nsystem = ~/ is home\nstop = ~/\n"
                  "chat-template = Nemo=~/n.jinja\nchat-template = ~/c.jinja\n"
                  "lora = ~/l.gguf=0.5\ndraft = ~/d.gguf # ~/e\nschema = {\"const\":\"~/\"}\n"
                  "# model = ~/y\ntrace = ~\n[remote.a]\nvocabulary = ~/v.gguf\n"
                  "model = ~/m",
                  &args, &err),
        STATUS_OK);
    assert_string_equal(args.model, "/h/x.gguf");
    assert_string_equal(args.kv_dir, "/h/a b");
    assert_string_equal(args.system, "~/ is home");
    assert_string_equal(args.stops.items[0], "~/");
    assert_string_equal(args.chat_templates.items[0], "Nemo=/h/n.jinja");
    assert_string_equal(args.chat_templates.items[1], "/h/c.jinja");
    assert_string_equal(args.loras.items[0], "/h/l.gguf=0.5");
    assert_string_equal(args.draft, "/h/d.gguf");
    assert_string_equal(args.schema, "{\"const\":\"~/\"}");
    assert_string_equal(args.trace, "~");
    assert_string_equal(args.sections[0].value, "/h/v.gguf");
    assert_string_equal(args.sections[1].value, "~/m"); // a name at the server
    args_deinit(&args);
}

static void all_mistakes_are_reported_at_once(void **state) {
    (void)state;
    struct args args;
    struct error err = {0};
    assert_int_equal(
        read_file("top-k = many\nraw = on\nsystem = \"a\nnone = 1\nname = \"a\" b\n", &args, &err),
        STATUS_BAD_INPUT);
    assert_non_null(strstr(err.text, "config:1: top-k: expected a whole number"));
    assert_non_null(strstr(err.text, "config:3: system: missing closing quotation mark"));
    assert_non_null(strstr(err.text, "config:4: none: unknown option"));
    assert_non_null(
        strstr(err.text, "config:5: name: unexpected text after the closing quotation mark"));
    assert_non_null(strstr(err.text, "\"many\"; "));
    assert_null(strchr(err.text, '\n'));
    assert_true(args.raw);
    args_deinit(&args);
}

static void errors_name_the_file_and_the_line(void **state) {
    (void)state;
    static const struct {
        const char *content, *says;
    } cases[] = {
        {"top-k = 1\ntop-k\n", "config:2: expected `key = value`"},
        {"= 5\n", "config:1: expected `key = value`"},
        {"\n\ntemprature = 1\n", "config:3: temprature: unknown option; did you mean temp?"},
        {"top-k = many\n", "config:1: top-k: expected a whole number"},
        {"[remote.a]\nkey_from = env:K\n",
         "config:2: key_from: unknown key (expected url, model or"},
        {"[remote.a]\ntop-k = 3\n", "config:2: top-k: unknown key"},
        {"[remote.a]\nsilence = 0\n", "config:2: silence: expected a whole number from 1"},
        {"[remote.a]\nurl = host:80\n",
         "config:2: url: expected http://HOST:PORT/v1, found \"host:80\""},
        {"help = on\n", "config:1: help: unknown option"},
        {"raw = \n", "config:1: raw: expected on or off"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct args args;
        struct error err = {0};
        assert_int_equal(read_file(cases[i].content, &args, &err), STATUS_BAD_INPUT);
        if (!strstr(err.text, cases[i].says))
            fail_msg("\"%s\" lacks \"%s\"", err.text, cases[i].says);
        args_deinit(&args);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_follow_home_xdg_and_quire_home),
        cmocka_unit_test(a_missing_home_is_an_error),
        cmocka_unit_test(new_folders_are_readable_only_by_their_owner),
        cmocka_unit_test(a_link_to_no_config_is_not_the_same_as_no_config),
        cmocka_unit_test(the_config_file_sets_options),
        cmocka_unit_test(values_can_be_quoted_and_comments_follow_them),
        cmocka_unit_test(a_path_in_the_home_folder_is_written_out),
        cmocka_unit_test(all_mistakes_are_reported_at_once),
        cmocka_unit_test(errors_name_the_file_and_the_line),
    };
    return cmocka_run_group_tests(tests, make_home, remove_home);
}
