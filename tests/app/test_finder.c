// tests/app/test_finder.c — models in the places where tools leave them, and names for them.
#include "app/cli/finder.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/attachment.h"

static char home[] = "/tmp/quire-finder-XXXXXX";

static const char *path_of(const char *name) {
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", home, name);
    return path;
}

static void write_file(const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s", path_of(name));
    for (char *at = path + strlen(home) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const struct found_model *get_model(const struct found_models *models, const char *name) {
    for (size_t i = 0; i < models->count; i++)
        if (!strcmp(models->items[i].name, name)) return &models->items[i];
    fail_msg("%s is not there", name);
    return NULL;
}

#define HUB "hub/models--Qwen--Qwen3-0.6B-GGUF/"

static void every_model_folder_is_searched_once(void **state) {
    (void)state;
    struct found_models models = {0};
    assert_int_equal(finder_list(&models), STATUS_OK);
    assert_int_equal(models.count, 8);
    assert_string_equal(get_model(&models, "Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0")->place,
                        "Hugging Face");
    assert_int_equal(get_model(&models, "Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0")->bytes, 4);
    assert_int_equal(get_model(&models, "allenai/OLMo-2")->bytes, 7);
    const struct found_model *ollama = get_model(&models, "llama3.2:1b");
    assert_string_equal(ollama->place, "ollama");
    assert_string_equal(ollama->path, path_of(".ollama/models/blobs/sha256-abc"));
    get_model(&models, "somebody/tiny:latest");
    assert_int_equal(get_model(&models, "big-00001-of-00002")->bytes, 5 + 6);
    assert_string_equal(get_model(&models, "mine")->place, "QUIRE_MODELS");
    assert_string_equal(get_model(&models, "acme/phi-4")->place, "LM Studio");
    found_models_deinit(&models);
}

static void assert_found(const char *name, const char *path) {
    struct text found = {0};
    struct error err = {0};
    if (finder_find(name, &found, &err) != STATUS_OK) fail_msg("%s: %s", name, err.text);
    assert_string_equal(text_string(&found), path);
    text_deinit(&found);
}

static void a_name_or_part_of_one_finds_a_model(void **state) {
    (void)state;
    static const char file[] = HUB "snapshots/1234/Qwen3-0.6B-Q8_0.gguf";
    assert_found("qwen/qwen3-0.6b-gguf/qwen3-0.6b-q8_0", path_of(file));
    assert_found("qwen3-0.6b", path_of(file));
    assert_found("llama3.2:1b", path_of(".ollama/models/blobs/sha256-abc"));
    assert_found("llama3.2", path_of(".ollama/models/blobs/sha256-abc"));
    assert_found("olmo-2", path_of("hub/models--allenai--OLMo-2/snapshots/9"));
}

static void a_folder_stands_for_the_model_it_holds(void **state) {
    (void)state;
    assert_found(path_of("own/mine.gguf"), path_of("own/mine.gguf"));
    assert_found(path_of("own"), path_of("own/mine.gguf"));
    assert_found(path_of("hub/models--allenai--OLMo-2/snapshots/9"),
                 path_of("hub/models--allenai--OLMo-2/snapshots/9"));
    assert_found(path_of("both"), path_of("both"));
    assert_found(path_of("beside"), path_of("beside/model-q8_0.gguf"));
    assert_found(path_of("unweighted"), path_of("unweighted"));
    assert_found("/no/such/file.gguf", "/no/such/file.gguf"); // whoever opens it says so
}

static void assert_refused(const char *name, enum status expected, const char *word) {
    struct text found = {0};
    struct error err = {0};
    assert_int_equal(finder_find(name, &found, &err), expected);
    if (!strstr(err.text, word)) fail_msg("\"%s\" does not say \"%s\"", err.text, word);
    text_deinit(&found);
}

// As `ollama list` names them: without the host and owner that are Ollama's own.
static void every_ollama_name_opens_its_own_file(void **state) {
    (void)state;
    static const struct {
        const char *manifest, *name, *blob;
    } rows[] = {
        {"registry.ollama.ai/library/fox/latest", "fox:latest", "a"},
        {"registry.ollama.ai/library/fox/3b", "fox:3b", "a"}, // one file, two names
        {"registry.ollama.ai/library/fox/3B-q4", "fox:3B-q4", "b"},
        {"registry.ollama.ai/library/fox/3b-Q4", "fox:3b-Q4", "c"},
        {"hf.co/unsloth/X-GGUF/UD-Q4_K_XL", "hf.co/unsloth/X-GGUF:UD-Q4_K_XL", "d"},
        {"hf.co/unsloth/X-GGUF/latest", "hf.co/unsloth/X-GGUF:latest", "e"},
        {"localhost:5000/a/b/latest", "localhost:5000/a/b:latest", "f"},
        {"registry.ollama.ai/someone/thing/7b", "someone/thing:7b", "g"},
        {"hf.co/someone/thing/7b", "hf.co/someone/thing:7b", "h"},
        {"hf.co/someone/thing/x-q4.gguf", "hf.co/someone/thing:x-q4.gguf", "i"},
        {"my.host/library/fox/latest", "my.host/library/fox:latest", "j"},
    };
    enum { COUNT = sizeof rows / sizeof rows[0] };
    struct found_models models = {0};
    char name[256], blob[256], json[256];
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "store/manifests/%s", rows[i].manifest);
        snprintf(json, sizeof json,
                 "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
                 "\"digest\":\"sha256:%s\"}]}",
                 rows[i].blob);
        write_file(name, json);
        snprintf(name, sizeof name, "store/blobs/sha256-%s", rows[i].blob);
        write_file(name, "1");
    }
    setenv("OLLAMA_MODELS", path_of("store"), 1);
    assert_int_equal(finder_list(&models), STATUS_OK);
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(blob, sizeof blob, "store/blobs/sha256-%s", rows[i].blob);
        assert_string_equal(get_model(&models, rows[i].name)->path, path_of(blob));
        assert_found(rows[i].name, path_of(blob));
        snprintf(name, sizeof name, "%s", rows[i].name);
        if (i == 4) name[strlen(name) - 1] = 'l'; // another case
        assert_found(name, path_of(blob));
    }
    found_models_deinit(&models);
    assert_found("fox", path_of("store/blobs/sha256-a"));
    assert_found("hf.co/unsloth/X-GGUF", path_of("store/blobs/sha256-e"));
    assert_found("registry.ollama.ai/library/fox:3b", path_of("store/blobs/sha256-a"));
    assert_refused("FOX:3B-Q4", STATUS_BAD_INPUT, "matches 2 models: fox:3");
    assert_refused("thing:7b", STATUS_BAD_INPUT, "matches 2 models");
    assert_refused("hf.co/unsloth/X-GGUF:Q8_0", STATUS_NOT_FOUND, "no model");
    unsetenv("OLLAMA_MODELS");
}

// By their names, and what names do not tell by what is in them.
static void drafters_and_projectors_are_not_taken_for_models(void **state) {
    (void)state;
    static const char *const others[] = {
        "draft-llama.gguf",      "mtp-llama.gguf",    "MTP/llama-Q8_0-MTP.gguf",
        "ggml-vocab-llama.gguf", "mmproj-llama.gguf", "imatrix.gguf",
    };
    static char bytes[1 << 20];
    // A GGUF file of version 3 without tensors and keys: a vocabulary's has none of the former.
    static const char empty[24] = "GGUF\3\0\0\0";
    FILE *from = fopen(TESTS_DIR "/golden/llama.gguf", "rb");
    assert_non_null(from);
    const size_t length = fread(bytes, 1, sizeof bytes, from);
    fclose(from);
    write_file("roles/llama.gguf", "");
    FILE *to = fopen(path_of("roles/llama.gguf"), "wb");
    assert_true(to && fwrite(bytes, 1, length, to) == length && fclose(to) == 0);
    write_file("roles/words.gguf", "");
    to = fopen(path_of("roles/words.gguf"), "wb");
    assert_true(to && fwrite(empty, 1, sizeof empty, to) == sizeof empty && fclose(to) == 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "roles/%s", others[i]);
        write_file(name, "1");
    }
    assert_found(path_of("roles"), path_of("roles/llama.gguf"));
}

static void unknown_and_ambiguous_names_are_refused_with_advice(void **state) {
    (void)state;
    assert_refused("qwen4", STATUS_NOT_FOUND, "quire models lists them");
    assert_refused("wen3-0.6b", STATUS_NOT_FOUND, "no model");
    assert_refused("2", STATUS_BAD_INPUT, "llama3.2:1b");
    assert_refused(path_of("empty"), STATUS_NOT_FOUND, "found 0");
    assert_refused(path_of("several"), STATUS_BAD_INPUT, "found 2");
}

static void model_folders_can_be_relative_except_for_xdg(void **state) {
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(home), 0);
    setenv("QUIRE_MODELS", "own:./beside", 1);
    assert_found("mine", "own/mine.gguf");
    assert_found("model-q8_0", "./beside/model-q8_0.gguf");
    setenv("QUIRE_HOME", "./q", 1);
    assert_found("relative", "./q/models/relative.gguf");
    unsetenv("QUIRE_HOME");
    setenv("XDG_CONFIG_HOME", "q", 1);
    assert_found("homely", path_of(".config/quire/models/homely.gguf"));
    unsetenv("XDG_CONFIG_HOME");
    setenv("QUIRE_MODELS", path_of("own"), 1);
    assert_int_equal(chdir(before), 0);
}

// A folder that links to itself would never end.
static void links_to_folders_are_not_followed(void **state) {
    (void)state;
    struct found_models models = {0};
    assert_int_equal(symlink(home, path_of("own/again")), 0);
    assert_int_equal(finder_list(&models), STATUS_OK);
    assert_int_equal(models.count, 8);
    assert_true(models.entries < 100);
    found_models_deinit(&models);
    unlink(path_of("own/again"));
}

static void a_folder_that_cannot_be_read_is_not_called_empty(void **state) {
    (void)state;
    enum { NOBODY = 65534 }; // the superuser may read everything, so the test is somebody else
    const bool superuser = geteuid() == 0;
    assert_int_equal(chmod(home, 0755), 0);
    assert_int_equal(mkdir(path_of("closed"), 0), 0);
    if (superuser) assert_int_equal(seteuid(NOBODY), 0);
    assert_refused(path_of("closed"), STATUS_IO, strerror(EACCES));
    if (superuser) assert_int_equal(seteuid(0), 0);
    assert_int_equal(rmdir(path_of("closed")), 0);
}

static int make_home(void **state) {
    (void)state;
    if (!mkdtemp(home)) return -1;
    write_file(HUB "blobs/b1", "1234");
    write_file(HUB "snapshots/1234/x", "");
    if (symlink("../../blobs/b1", path_of(HUB "snapshots/1234/Qwen3-0.6B-Q8_0.gguf"))) return -1;
    write_file("hub/models--allenai--OLMo-2/snapshots/9/config.json", "{}");
    write_file("hub/models--allenai--OLMo-2/snapshots/9/model-1.safetensors", "123");
    write_file("hub/models--allenai--OLMo-2/snapshots/9/model-2.safetensors", "1234");
    write_file(".ollama/models/blobs/sha256-abc", "12");
    write_file(".ollama/models/blobs/sha256-def", "123");
    write_file(".ollama/models/manifests/registry.ollama.ai/library/llama3.2/1b",
               "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.template\","
               "\"digest\":\"sha256:zzz\"},{\"mediaType\":\"application/vnd.ollama.image.model\","
               "\"digest\":\"sha256:abc\"}]}");
    write_file(".ollama/models/manifests/registry.ollama.ai/somebody/tiny/latest",
               "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
               "\"digest\":\"sha256:def\"}]}");
    write_file(".ollama/models/manifests/registry.ollama.ai/library/bad/1", "{\"layers\":[");
    write_file(".ollama/models/manifests/registry.ollama.ai/library/evil/1",
               "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\","
               "\"digest\":\"sha256:/../../../own/mine.gguf\"}]}");
    static const char huge[] = ".ollama/models/manifests/registry.ollama.ai/library/huge/1";
    write_file(huge, "{");
    if (truncate(path_of(huge), ATTACHMENT_MAX_BYTES + 1)) return -1;
    write_file(".cache/llama.cpp/big-00001-of-00002.gguf", "12345");
    write_file(".cache/llama.cpp/big-00002-of-00002.gguf", "123456");
    write_file(".cache/llama.cpp/mmproj-x.gguf", "1");
    write_file(".lmstudio/models/acme/phi-4.gguf", "1");
    write_file("own/mine.gguf", "1");
    write_file(".config/quire/models/homely.gguf", "1");
    write_file("q/models/relative.gguf", "1");
    write_file("q/quire/models/ignored.gguf", "1");
    write_file("both/config.json", "{}");
    write_file("both/model.safetensors", "1");
    write_file("both/model-q8_0.gguf", "1");
    write_file("beside/config.json", "{}");
    write_file("beside/model-q8_0.gguf", "1");
    write_file("unweighted/config.json", "{}");
    write_file("several/config.json", "{}");
    write_file("several/a.gguf", "1");
    write_file("several/b.gguf", "1");
    write_file("empty/note.txt", "1");
    setenv("HOME", home, 1);
    setenv("QUIRE_MODELS", path_of("own"), 1);
    setenv("HF_HUB_CACHE", path_of("hub"), 1);
    unsetenv("HUGGINGFACE_HUB_CACHE");
    unsetenv("HF_HOME");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("QUIRE_HOME");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("OLLAMA_MODELS");
    unsetenv("LLAMA_CACHE");
    return 0;
}

static int drop_home(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", home);
    return system(command);
}

// The base model without the adapter that belongs to this name would give other answers.
static void a_model_of_ollama_with_an_adapter_is_refused_with_advice(void **state) {
    (void)state;
    static const char LAYER[] = "{\"mediaType\":\"application/vnd.ollama.image.%s\","
                                "\"digest\":\"sha256:%s\"}";
    char adapter[128], base[128], json[512];
    snprintf(adapter, sizeof adapter, LAYER, "adapter", "tune");
    snprintf(base, sizeof base, LAYER, "model", "base");
    snprintf(json, sizeof json, "{\"layers\":[%s,%s]}", adapter, base);
    write_file("tuned/manifests/registry.ollama.ai/library/owl-tuned/latest", json);
    snprintf(json, sizeof json, "{\"layers\":[%s]}", base);
    write_file("tuned/manifests/registry.ollama.ai/library/owl/latest", json);
    write_file("tuned/blobs/sha256-base", "1");
    write_file("tuned/blobs/sha256-tune", "2");
    setenv("OLLAMA_MODELS", path_of("tuned"), 1);
    snprintf(json, sizeof json,
             "owl-tuned:latest has an adapter in Ollama; open both: -m %s --lora %s",
             path_of("tuned/blobs/sha256-base"), path_of("tuned/blobs/sha256-tune"));
    assert_refused("owl-tuned", STATUS_UNSUPPORTED, json);
    assert_found("owl", path_of("tuned/blobs/sha256-base"));
    unsetenv("OLLAMA_MODELS");
}

// Variables are read as the programs do that own these places.
static void variables_of_other_programs_are_read_as_they_read_them(void **state) {
    (void)state;
    write_file("xdg/llama.cpp/ibis.gguf", "1");
    write_file("older/models--a--emu/snapshots/1/emu.gguf", "1");
    write_file("tilde/kiwi.gguf", "1");
    setenv("XDG_CACHE_HOME", path_of("xdg"), 1);
    setenv("HUGGINGFACE_HUB_CACHE", path_of("older"), 1);
    setenv("QUIRE_MODELS", "/no/such/folder:~/tilde", 1);
    assert_found("ibis", path_of("xdg/llama.cpp/ibis.gguf"));
    assert_found("a/emu/emu", path_of("older/models--a--emu/snapshots/1/emu.gguf"));
    assert_found("kiwi", path_of("tilde/kiwi.gguf"));
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HUGGINGFACE_HUB_CACHE");
    unsetenv("QUIRE_MODELS");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_folder_is_searched_once),
        cmocka_unit_test(a_name_or_part_of_one_finds_a_model),
        cmocka_unit_test(a_folder_stands_for_the_model_it_holds),
        cmocka_unit_test(unknown_and_ambiguous_names_are_refused_with_advice),
        cmocka_unit_test(every_ollama_name_opens_its_own_file),
        cmocka_unit_test(drafters_and_projectors_are_not_taken_for_models),
        cmocka_unit_test(model_folders_can_be_relative_except_for_xdg),
        cmocka_unit_test(links_to_folders_are_not_followed),
        cmocka_unit_test(a_folder_that_cannot_be_read_is_not_called_empty),
        cmocka_unit_test(a_model_of_ollama_with_an_adapter_is_refused_with_advice),
        cmocka_unit_test(variables_of_other_programs_are_read_as_they_read_them),
    };
    return cmocka_run_group_tests(tests, make_home, drop_home);
}
