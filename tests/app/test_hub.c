// tests/app/test_hub.c — names of models at a hub, what a repository has, and which model is meant.
#include "app/hub/hub_listing.h"

#include <stdio.h>
#include <string.h>

#include "tests/check.h"

static void repository_names_are_parsed(void **state) {
    (void)state;
    static const struct {
        const char *name, *repo, *which;
    } rows[] = {
        {"hf:Qwen/Qwen3-8B-GGUF", "Qwen/Qwen3-8B-GGUF", ""},
        {"hf:Qwen/Qwen3-8B-GGUF:Q4_K_M", "Qwen/Qwen3-8B-GGUF", "Q4_K_M"},
        {"hf:a/b.c_d:e f/g-00001-of-00002.gguf", "a/b.c_d", "e f/g-00001-of-00002.gguf"},
        {"hf:a", NULL, NULL},
        {"hf:/b", NULL, NULL},
        {"hf:a/", NULL, NULL},
        {"hf:a/b/c", NULL, NULL},
        {"hf:../b", NULL, NULL},
        {"hf:a/.b", NULL, NULL},
        {"hf:a/b--c", NULL, NULL},
        {"hf:a/b:", NULL, NULL},
        {"hf:a/b?c", NULL, NULL},
        {"hf:a/b:\x1b[2J", NULL, NULL},
        {"a/b", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hub_name name;
        struct error err = {0};
        const enum status status = hub_name_parse(rows[i].name, &name, &err);
        assert_int_equal(status, rows[i].repo ? STATUS_OK : STATUS_BAD_INPUT);
        if (status != STATUS_OK) continue;
        assert_string_equal(name.repo, rows[i].repo);
        assert_string_equal(name.which, rows[i].which);
    }
}

#define COMMIT "\"sha\":\"0123456789abcdef0123456789abcdef01234567\","
#define FILE_OF(name, size)                                     \
    "{\"rfilename\":\"" name "\",\"size\":" size ",\"blobId\":" \
    "\"0123456789abcdef0123456789abcdef01234567\"}"

static void hub_listings_are_read_or_refused(void **state) {
    (void)state;
    static const struct {
        const char *json;
        enum status status;
    } rows[] = {
        {"{" COMMIT "\"siblings\":[]}", STATUS_OK},
        {"{" COMMIT "\"siblings\":[" FILE_OF("a/b.gguf", "0") "]}", STATUS_OK},
        {"", STATUS_BAD_FILE},
        {"[]", STATUS_BAD_FILE},
        {"{\"siblings\":[]}", STATUS_BAD_FILE},
        {"{\"sha\":\"../../../../../../../../../../../../../x\",\"siblings\":[]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":7}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[7]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[{\"rfilename\":\"a\",\"size\":1}]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[{\"rfilename\":\"a\",\"size\":1,\"blobId\":\"../x\"}]}",
         STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("a", "-1") "]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("a", "1e99") "]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("", "1") "]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("/a", "1") "]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("a/../b", "1") "]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("..", "1") "]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("a//b", "1") "]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("a\\\\b", "1") "]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("a\\u001b", "1") "]}", STATUS_BAD_FILE},
        {"{" COMMIT "\"siblings\":[" FILE_OF("a\\u202e", "1") "]}", STATUS_BAD_FILE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hub_listing listing = {0};
        struct error err = {0};
        const enum status status =
            hub_listing_read(rows[i].json, strlen(rows[i].json), &listing, &err);
        if (status != rows[i].status) fail_msg("row %zu: %s", i, err.text);
        hub_listing_deinit(&listing);
    }
}

// Files are "NAME SIZE", in GiB, with commas between them.
static void add_files(struct hub_listing *listing, const char *files) {
    char name[64];
    int bytes, used;
    for (; sscanf(files, "%63s %d%n", name, &bytes, &used) == 2; files += used)
        assert_int_equal(hub_listing_add(listing, name, (uint64_t)bytes << 30, "", NULL),
                         STATUS_OK);
}

struct choice {
    const char *files, *which;
    int memory; // GiB
    bool card;
    enum status status;
    const char *path; // and
    int bytes;        // GiB
};

static void check_choice(const struct choice *choice) {
    struct hub_listing listing = {0};
    struct hub_name name = {.repo = "a/b"};
    struct hub_model model;
    struct text why = {0};
    struct error err = {0};
    const struct hub_machine machine = {(uint64_t)choice->memory << 30, choice->card};
    snprintf(name.which, sizeof name.which, "%s", choice->which);
    add_files(&listing, choice->files);
    const enum status status = hub_listing_choose(&listing, &name, &machine, &model, &why, &err);
    if (status != choice->status) fail_msg("%s of %s: %s", choice->which, choice->files, err.text);
    if (status == STATUS_OK) {
        assert_string_equal(hub_model_path(&listing, &model), choice->path);
        assert_int_equal(model.bytes >> 30, choice->bytes);
        assert_int_equal(strncmp(text_string(&why), "too large for", 13) == 0,
                         choice->bytes > choice->memory);
    }
    hub_listing_deinit(&listing);
    text_deinit(&why);
}

static void quantizations_are_chosen_by_name(void **state) {
    (void)state;
    static const char many[] = "m-F16.gguf 16  m-Q8_0.gguf 8  m-Q6_K.gguf 7  m-Q4_K_M.gguf 5  "
                               "m-UD-Q4_K_XL.gguf 5  m-Q4_0_4_4.gguf 5  m-IQ4_XS.gguf 4  "
                               "m-Q2_K.gguf 3  mmproj-F16.gguf 1  m.imatrix.gguf 1";
    static const char split[] =
        "Q8_0/m-Q8_0-00001-of-00002.gguf 4  Q8_0/m-Q8_0-00002-of-00002.gguf 4"
        "  m-Q4_0-00001-of-00003.gguf 1  m-Q4_0-00003-of-00003.gguf 1";
    static const char folder[] = "config.json 0  model-00001-of-00002.safetensors 2  "
                                 "model-00002-of-00002.safetensors 2  tokenizer.json 0  "
                                 "consolidated.safetensors 4  original/model.safetensors 4";
    static const struct choice rows[] = {
        {many, "", 64, true, STATUS_OK, "m-Q8_0.gguf", 8},
        {many, "", 64, false, STATUS_OK, "m-Q4_K_M.gguf", 5},
        {many, "", 9, true, STATUS_OK, "m-Q6_K.gguf", 7},
        {many, "", 5, true, STATUS_OK, "m-IQ4_XS.gguf", 4},
        {many, "", 4, false, STATUS_OK, "m-Q2_K.gguf", 3},
        {many, "", 2, false, STATUS_FULL, NULL, 0},
        {many, "f16", 2, false, STATUS_OK, "m-F16.gguf", 16},
        {many, "UD-Q4_K_XL", 64, false, STATUS_OK, "m-UD-Q4_K_XL.gguf", 5},
        {many, "Q4_0", 64, false, STATUS_NOT_FOUND, NULL, 0},
        {many, "m", 64, false, STATUS_BAD_INPUT, NULL, 0},
        {"m-F16.gguf 16  m-Q8_0.gguf 8", "", 64, false, STATUS_OK, "m-Q8_0.gguf", 8},
        {"gpt-mxfp4.gguf 12", "", 64, true, STATUS_OK, "gpt-mxfp4.gguf", 12},
        {"model.gguf 1", "", 64, false, STATUS_OK, "model.gguf", 1},
        {"a.gguf 1  b.gguf 1", "", 64, false, STATUS_BAD_INPUT, NULL, 0},
        {"a-Q8_0.gguf 1  b-Q8_0.gguf 1", "", 64, true, STATUS_BAD_INPUT, NULL, 0},
        {split, "", 64, true, STATUS_OK, "Q8_0/m-Q8_0-00001-of-00002.gguf", 8},
        {split, "Q4_0", 64, true, STATUS_BAD_FILE, NULL, 0},
        {folder, "", 64, true, STATUS_OK, "config.json", 4},
        {folder, "", 4, true, STATUS_FULL, NULL, 0},
        {"config.json 0  quantize_config.json 0  model.safetensors 4", "", 64, true,
         STATUS_UNSUPPORTED, NULL, 0},
        {"config.json 0  quant_config.json 0  model.safetensors 4  m-Q8_0.gguf 2", "", 64, true,
         STATUS_OK, "m-Q8_0.gguf", 2},
        {"README.md 0", "", 64, true, STATUS_NOT_FOUND, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_choice(&rows[i]);
}

static void drafters_and_projectors_are_not_chosen(void **state) {
    (void)state;
    static const char beside[] =
        "MTP/g-Q4_K_M-MTP.gguf 1  mtp-g-Q4_K_M.gguf 1  draft-g-Q4_K_M.gguf 1  g-eagle3-F16.gguf 1  "
        "g-lora-f16.gguf 1  ggml-vocab-g.gguf 1  g-Q4_K_M-MTP.gguf 1  mmproj-F16.gguf 1  "
        "g-cvector.gguf 1  imatrix.gguf 1  lora/x.gguf 1  eagle-g-Q4_K_M.gguf 1";
    static const char dynamic[] = "m-Q4_K_M.gguf 5  m-UD-Q4_K_M.gguf 5  m-UD-Q4_K_XL.gguf 6  "
                                  "m-Q4_K_L.gguf 6  m-Q3_K_XL.gguf 4  m-UD-IQ2_XXS.gguf 2  "
                                  "m-NVFP4.gguf 4";
    char drafted[600];
    snprintf(drafted, sizeof drafted, "%s  g-Q8_0.gguf 8  g-Q4_K_M.gguf 5", beside);
    const struct choice rows[] = {
        {drafted, "", 64, true, STATUS_OK, "g-Q8_0.gguf", 8},
        {drafted, "", 64, false, STATUS_OK, "g-Q4_K_M.gguf", 5},
        {drafted, "Q4_K_M", 64, false, STATUS_OK, "g-Q4_K_M.gguf", 5},
        {drafted, "", 4, false, STATUS_FULL, NULL, 0},
        {drafted, "F16", 64, false, STATUS_NOT_FOUND, NULL, 0},
        {drafted, "mtp-g-Q4_K_M.gguf", 64, false, STATUS_OK, "mtp-g-Q4_K_M.gguf", 1},
        {beside, "MTP/g-Q4_K_M-MTP.gguf", 64, false, STATUS_OK, "MTP/g-Q4_K_M-MTP.gguf", 1},
        {"draft-g-Q8_0.gguf 1", "", 64, false, STATUS_NOT_FOUND, NULL, 0},
        {"g-MTP-Q4_K_M.gguf 5  g-MTP-Q8_0.gguf 8", "", 64, true, STATUS_OK, "g-MTP-Q8_0.gguf", 8},
        {"Eagle-7B-Q8_0.gguf 7", "", 64, true, STATUS_OK, "Eagle-7B-Q8_0.gguf", 7},
        {dynamic, "", 64, false, STATUS_OK, "m-Q4_K_M.gguf", 5},
        {dynamic, "Q4_K_M", 64, false, STATUS_OK, "m-Q4_K_M.gguf", 5},
        {dynamic, "ud-q4_k_m", 64, false, STATUS_OK, "m-UD-Q4_K_M.gguf", 5},
        {dynamic, "UD-Q4_K_XL", 64, false, STATUS_OK, "m-UD-Q4_K_XL.gguf", 6},
        {dynamic, "Q4_K_XL", 64, false, STATUS_OK, "m-UD-Q4_K_XL.gguf", 6},
        {dynamic, "Q4_K_L", 64, false, STATUS_OK, "m-Q4_K_L.gguf", 6},
        {dynamic, "Q3_K_XL", 64, false, STATUS_OK, "m-Q3_K_XL.gguf", 4},
        {dynamic, "IQ2_XXS", 64, false, STATUS_OK, "m-UD-IQ2_XXS.gguf", 2},
        {dynamic, "", 2, false, STATUS_FULL, NULL, 0},
        {dynamic, "NVFP4", 64, false, STATUS_OK, "m-NVFP4.gguf", 4},
        {"m-UD-Q4_K_XL.gguf 5  m-UD-Q2_K_XL.gguf 3", "", 64, false, STATUS_OK, "m-UD-Q4_K_XL.gguf",
         5},
        {"m-NVFP4.gguf 1", "", 64, true, STATUS_OK, "m-NVFP4.gguf", 1},
        {"BF16/m-Q4_K_M.gguf 5  BF16/m-Q8_0.gguf 8", "", 64, false, STATUS_OK, "BF16/m-Q4_K_M.gguf",
         5},
        {"model.safetensors 1", "", 64, true, STATUS_NOT_FOUND, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_choice(&rows[i]);
}

// What the hub itself says of a configuration, which is not downloaded yet.
static void quantized_safetensors_are_refused_before_they_are_downloaded(void **state) {
    (void)state;
    static const struct {
        const char *config, *says; // NULL: it is chosen
    } rows[] = {
        {"{}", NULL},
        {"{\"quantization_config\":null}", NULL},
        {"{\"quantization_config\":{\"quant_method\":\"mxfp4\"}}", NULL},
        {"{\"quantization_config\":{\"quant_method\":\"compressed-tensors\"}}",
         "o/r has safetensors quantized with compressed-tensors, which are not supported"},
        {"{\"quantization_config\":{\"quant_method\":\"fp8\",\"bits\":8}}", "quantized with fp8,"},
    };
    const struct hub_machine machine = {.memory_free = UINT64_C(64) << 30};
    const struct hub_name name = {.repo = "o/r"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hub_listing listing = {0};
        struct hub_model model;
        struct text json = {0}, why = {0};
        struct error err = {0};
        assert_int_equal(text_format(&json,
                                     "{" COMMIT
                                     "\"siblings\":[" FILE_OF("config.json", "1") "," FILE_OF(
                                         "model.safetensors", "9") "],\"config\":%s}",
                                     rows[i].config),
                         STATUS_OK);
        assert_int_equal(hub_listing_read(json.bytes, json.length, &listing, &err), STATUS_OK);
        assert_int_equal(hub_listing_choose(&listing, &name, &machine, &model, &why, &err),
                         rows[i].says ? STATUS_UNSUPPORTED : STATUS_OK);
        assert_true(!rows[i].says || strstr(err.text, rows[i].says));
        hub_listing_deinit(&listing);
        text_deinit(&json);
        text_deinit(&why);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repository_names_are_parsed),
        cmocka_unit_test(hub_listings_are_read_or_refused),
        cmocka_unit_test(quantizations_are_chosen_by_name),
        cmocka_unit_test(quantized_safetensors_are_refused_before_they_are_downloaded),
        cmocka_unit_test(drafters_and_projectors_are_not_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
