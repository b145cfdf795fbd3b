// tests/engine/model/test_checkpoint.c — splits and folders: what opens, and what is refused.
#include "engine/model/checkpoint.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/model/config_read.h"
#include "engine/model/folder.h"
#include "engine/model/folder_config.h"
#include "engine/model/folder_reader.h"
#include "tests/engine/model/gguf_writer.h"

static char folder[] = "/tmp/quire-checkpoint-XXXXXX";

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const void *bytes, size_t length) {
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text) {
    write_bytes(name, text, strlen(text));
}

struct part {
    int64_t number, parts, tensors; // from 0; tensors -1: not said
    const char *tensor;
    float value;
};

static void write_part(const char *name, const struct part *part) {
    static const int64_t shape[] = {2};
    struct gguf_writer writer;
    size_t length;
    const float data[2] = {part->value, part->value};
    gguf_writer_init(&writer);
    gguf_writer_int(&writer, "split.no", GGUF_U16, part->number);
    gguf_writer_int(&writer, "split.count", GGUF_U16, part->parts);
    if (part->tensors >= 0)
        gguf_writer_int(&writer, "split.tensors.count", GGUF_I32, part->tensors);
    if (part->number == 0) gguf_writer_string(&writer, "general.name", "whole");
    gguf_writer_tensor(&writer, part->tensor, FILE_F32, 1, shape, data, sizeof data);
    unsigned char *bytes = gguf_writer_finish(&writer, &length);
    write_bytes(name, bytes, length);
    free(bytes);
    gguf_writer_deinit(&writer);
}

static void write_three(void) {
    write_part("m-00001-of-00003.gguf", &(struct part){0, 3, 3, "a", 1});
    write_part("m-00002-of-00003.gguf", &(struct part){1, 3, 3, "b", 2});
    write_part("m-00003-of-00003.gguf", &(struct part){2, 3, 3, "c", 3});
}

static void add_length(const struct mapped_file *file, void *user) {
    *(size_t *)user += file->length;
}

static void assert_whole(const char *name, struct hash128 *digest) {
    struct gguf *gguf;
    struct error err = {0};
    struct gguf_string value;
    if (checkpoint_open(path_of(name), &gguf, &err)) fail_msg("%s", err.text);
    assert_int_equal(gguf_tensor_count(gguf), 3);
    assert_true(gguf_find_string(gguf, "general.name", &value));
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        const struct gguf_tensor *tensor = gguf_find_tensor(gguf, names[i]);
        assert_non_null(tensor);
        float found;
        memcpy(&found, tensor->data, sizeof found);
        assert_true(found == (float)(i + 1));
    }
    *digest = gguf_digest(gguf);
    size_t visited = 0;
    gguf_visit_files(gguf, add_length, &visited);
    assert_true(visited > 3 * 64 && visited == gguf_file_bytes(gguf));
    gguf_prefetch(gguf);
    gguf_close(gguf);
}

static void any_part_of_a_split_opens_the_same_model(void **state) {
    (void)state;
    struct hash128 first, third;
    write_three();
    assert_whole("m-00001-of-00003.gguf", &first);
    assert_whole("m-00003-of-00003.gguf", &third);
    assert_true(hash_equal(first, third));
}

static void a_link_to_a_part_opens_the_same_model(void **state) {
    (void)state;
    struct hash128 first, linked;
    char part[512];
    write_three();
    assert_whole("m-00001-of-00003.gguf", &first);
    assert_int_equal(symlink("m-00002-of-00003.gguf", path_of("current.gguf")), 0);
    assert_whole("current.gguf", &linked);
    assert_true(hash_equal(first, linked));
    assert_true(checkpoint_part(path_of("current.gguf"), 3, part, sizeof part));
    assert_string_equal(strrchr(part, '/'), "/m-00003-of-00003.gguf");
    unlink(path_of("current.gguf"));
}

// As in a hub's cache, where parts are links to files with other names.
static void a_link_to_a_link_opens_the_same_model(void **state) {
    (void)state;
    struct hash128 first, linked;
    char part[512], path[512];
    write_three();
    assert_whole("m-00001-of-00003.gguf", &first);
    snprintf(part, sizeof part, "%s", path_of("m-00002-of-00003.gguf"));
    assert_int_equal(rename(part, path_of("blob")), 0);
    assert_int_equal(symlink("blob", part), 0);
    assert_int_equal(symlink(part, path_of("absolute.gguf")), 0);
    snprintf(path, sizeof path, "%s", path_of("absolute.gguf"));
    assert_int_equal(symlink("absolute.gguf", path_of("current.gguf")), 0);
    assert_whole("current.gguf", &linked);
    assert_true(hash_equal(first, linked));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("current.gguf", path), 0); // in a circle
    assert_false(checkpoint_part(path, 1, part, sizeof part));
    unlink(path);
    unlink(path_of("current.gguf"));
    unlink(path_of("blob"));
}

static void part_names_are_derived_from_any_part(void **state) {
    (void)state;
    char part[64];
    assert_true(checkpoint_part("a/m-00003-of-00012.gguf", 1, part, sizeof part));
    assert_string_equal(part, "a/m-00001-of-00012.gguf");
    assert_true(checkpoint_part("a/m-00003-of-00012.gguf", 12, part, sizeof part));
    assert_false(checkpoint_part("a/m-00003-of-00012.gguf", 13, part, sizeof part));
    assert_false(checkpoint_part("a/m-00003-of-00012.gguf", 1, part, 8));
    assert_false(checkpoint_part("a/m.gguf", 1, part, sizeof part));
    assert_false(checkpoint_part("m-00013-of-00012.gguf", 1, part, sizeof part));
}

static void a_changed_part_changes_the_digest(void **state) {
    (void)state;
    struct hash128 before, after;
    struct gguf *gguf;
    write_three();
    assert_whole("m-00001-of-00003.gguf", &before);
    write_part("m-00003-of-00003.gguf", &(struct part){2, 3, 3, "c", 4});
    assert_int_equal(checkpoint_open(path_of("m-00001-of-00003.gguf"), &gguf, NULL), STATUS_OK);
    after = gguf_digest(gguf);
    gguf_close(gguf);
    assert_false(hash_equal(before, after));
}

static void assert_refused(const char *name, enum status expected, const char *word) {
    struct gguf *gguf = NULL;
    struct error err = {0};
    const enum status status = checkpoint_open(path_of(name), &gguf, &err);
    if (status != expected || !strstr(err.text, word))
        fail_msg("%s: %d, \"%s\" does not say \"%s\"", name, status, err.text, word);
    assert_null(gguf);
}

static void broken_splits_are_refused(void **state) {
    (void)state;
    static const char first[] = "m-00001-of-00003.gguf";
    write_three();
    unlink(path_of("m-00002-of-00003.gguf"));
    assert_refused(first, STATUS_IO, "m-00002-of-00003.gguf");
    write_part("m-00002-of-00003.gguf", &(struct part){2, 3, 3, "b", 2});
    assert_refused(first, STATUS_BAD_FILE, "expected part 2 of 3, found split.no 3 of 3");
    write_part("m-00002-of-00003.gguf", &(struct part){1, 4, 3, "b", 2});
    assert_refused(first, STATUS_BAD_FILE, "expected part 2 of 3");
    write_part("m-00002-of-00003.gguf", &(struct part){1, 3, 3, "a", 2});
    assert_refused(first, STATUS_BAD_FILE, "'a' appears twice");
    write_part("m-00002-of-00003.gguf", &(struct part){1, 3, 3, "b", 2});
    write_part(first, &(struct part){0, 3, 9, "a", 1});
    assert_refused(first, STATUS_BAD_FILE, "expected 9 tensors in 3 parts, found 3");
    write_part("alone.gguf", &(struct part){0, 2, 2, "a", 1});
    assert_refused("alone.gguf", STATUS_BAD_FILE, "NAME-00001-of-00002.gguf");
    write_part("many-00001-of-09999.gguf", &(struct part){0, 9999, -1, "a", 1});
    assert_refused("many-00001-of-09999.gguf", STATUS_BAD_FILE,
                   "expected at most 1024 parts, found 9999");
    write_part(first, &(struct part){1, 3, 3, "a", 1});
    assert_refused(first, STATUS_BAD_FILE, "expected the first part");
}

static void unusable_model_folders_are_refused(void **state) {
    (void)state;
    mkdir(path_of("hf"), 0700);
    assert_refused("hf", STATUS_NOT_FOUND, "no config.json");
    write_text("hf/config.json", ""); // which no copy is made of
    assert_refused("hf", STATUS_BAD_FILE, "hf/config.json: invalid JSON at byte 0");
    write_text("hf/config.json", "{\"rms_norm_eps\":NaN}");
    assert_refused("hf", STATUS_BAD_FILE, "hf/config.json: invalid JSON at byte 16");
    cJSON *json;
    assert_int_equal(folder_read_json(path_of("hf"), "config.json", &json, NULL), STATUS_BAD_FILE);
    write_text("hf/config.json", "[]");
    assert_refused("hf", STATUS_BAD_FILE, "JSON object");
    write_text("hf/config.json", "{\"model_type\":\"mamba\"}");
    assert_refused("hf", STATUS_UNSUPPORTED, "model_type \"mamba\" (expected llama");
    write_text("hf/config.json", "{\"model_type\":\"llama\",\"num_attention_heads\":4}");
    assert_refused("hf", STATUS_BAD_FILE, "hidden_size is missing");
    write_text("hf/config.json", "{\"model_type\":\"llama\",\"num_attention_heads\":4,"
                                 "\"hidden_size\":32,\"vision_config\":{}}");
    assert_refused("hf", STATUS_UNSUPPORTED, "vision_config is set");
    write_text("hf/config.json", "{\"model_type\":\"llama\",\"num_attention_heads\":4,"
                                 "\"hidden_size\":32,\"rope_scaling\":{\"type\":\"elastic\"}}");
    assert_refused("hf", STATUS_UNSUPPORTED, "unsupported type \"elastic\"");
    write_text("hf/config.json", "{\"model_type\":\"gemma2\",\"num_attention_heads\":4,"
                                 "\"hidden_size\":32,\"sliding_window\":16,"
                                 "\"num_hidden_layers\":2,"
                                 "\"layer_types\":[\"full_attention\",\"chunked_attention\"]}");
    assert_refused("hf", STATUS_UNSUPPORTED, "layer_types");
    write_text("hf/config.json", "{\"model_type\":\"llama\",\"num_attention_heads\":4,"
                                 "\"hidden_size\":32,\"quantization_config\":{"
                                 "\"quant_method\":\"modelopt\",\"quant_algo\":\"NVFP4\"}}");
    assert_refused("hf", STATUS_UNSUPPORTED, "quantization_config is NVFP4, but quantized weights");
    write_text("hf/config.json", "{\"model_type\":\"llama\",\"num_attention_heads\":4,"
                                 "\"hidden_size\":32,\"quantization\":{\"bits\":4}}");
    assert_refused("hf", STATUS_UNSUPPORTED, "quantization is set, but quantized weights");
    write_text("hf/config.json", "{\"model_type\":\"llama\",\"num_attention_heads\":4,"
                                 "\"hidden_size\":32,\"rope_theta\":Infinity}");
    assert_refused("hf", STATUS_BAD_FILE, "rope_theta is out of range (found inf)");
    write_text("hf/config.json",
               "{\"model_type\":\"llama\",\"num_attention_heads\":4,\"hidden_size\":32}");
    assert_refused("hf", STATUS_BAD_FILE, "no weights (expected model.safetensors, or");
    write_text("hf/pytorch_model.bin", "");
    assert_refused("hf", STATUS_UNSUPPORTED, "pytorch_model.bin is not supported");
    write_text("hf/model.safetensors.index.json", "{\"weight_map\":{\"a\":\"../../x\"}}");
    assert_refused("hf", STATUS_BAD_FILE, "in the folder of the index");
    write_text("hf/model.safetensors.index.json", "{\"weight_map\":{}}");
    assert_refused("hf", STATUS_BAD_FILE, "names no file");
}

// A folder of one tensor with one number.
static void assert_tensor_refused(const char *tensor, const char *word) {
    static const char facts[] = "\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]";
    unsigned char bytes[8 + 200 + 4] = {0};
    char *header = (char *)bytes + 8;
    const int length = snprintf(header, 200, "{\"%s\":{%s}}", tensor, facts);
    assert_in_range(length, 1, 199);
    bytes[0] = (unsigned char)length;
    write_bytes("hf/model.safetensors", bytes, 8 + (size_t)length + 4);
    assert_refused("hf", STATUS_UNSUPPORTED, word);
}

static void unexpected_tensors_in_a_folder_are_named(void **state) {
    (void)state;
    unlink(path_of("hf/model.safetensors.index.json"));
    assert_tensor_refused("model.odd.weight", "unexpected tensor 'model.odd.weight'");
    assert_tensor_refused("model.layers.0.mlp.up_proj.weight_scale_2",
                          "up_proj.weight_scale_2': quantized weights are not supported");
    assert_tensor_refused("model.layers.0.mlp.up_proj.weight_packed",
                          "up_proj.weight_packed': quantized weights are not supported");
    assert_tensor_refused("model.layers.0.mlp.up_proj.qweight",
                          "up_proj.qweight': quantized weights are not supported");
}

static void packed_experts_need_all_their_parts(void **state) {
    (void)state;
    static const struct {
        const char *header, *word;
    } cases[] = {
        {"{\"BLOCKS\":{\"dtype\":\"U8\",\"shape\":[1,2,1,16],\"data_offsets\":[0,32]}}",
         "_blocks' does not have the shape"},
        {"{\"SCALES\":{\"dtype\":\"U8\",\"shape\":[1,2,1],\"data_offsets\":[0,2]}}",
         "unexpected tensor"},
        {"{\"BLOCKS\":{\"dtype\":\"U8\",\"shape\":[1,2,1,16],\"data_offsets\":[0,32]},"
         "\"SCALES\":{\"dtype\":\"U8\",\"shape\":[2,1,1],\"data_offsets\":[32,34]}}",
         "_blocks' does not have the shape"},
        {"{\"BLOCKS\":{\"dtype\":\"U8\",\"shape\":[1,3,1,16],\"data_offsets\":[0,48]},"
         "\"SCALES\":{\"dtype\":\"U8\",\"shape\":[1,3,1],\"data_offsets\":[48,51]}}",
         "_blocks' does not have the shape"},
    };
    write_text("hf/config.json",
               "{\"model_type\":\"gpt_oss\",\"num_attention_heads\":4,\"hidden_size\":32,"
               "\"num_hidden_layers\":1,\"quantization_config\":{\"quant_method\":\"mxfp4\"},"
               "\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":2,\"truncate\":false}}");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static const char prefix[] = "model.layers.0.mlp.experts.gate_up_proj_";
        struct text file = {0};
        uint64_t length = 0, data = 0;
        assert_int_equal(text_append(&file, (const char *)&length, sizeof length), STATUS_OK);
        for (const char *at = cases[i].header; *at; at++) {
            const bool blocks = !strncmp(at, "BLOCKS", 6), scales = !strncmp(at, "SCALES", 6);
            if (blocks || scales)
                assert_int_equal(text_format(&file, "%s%s", prefix, blocks ? "blocks" : "scales"),
                                 STATUS_OK);
            else
                assert_int_equal(text_append(&file, at, 1), STATUS_OK);
            at += blocks || scales ? 5 : 0;
        }
        length = file.length - sizeof length;
        memcpy(file.bytes, &length, sizeof length);
        data = (uint64_t)strtol(strrchr(cases[i].header, ',') + 1, NULL, 10);
        while (data-- > 0)
            assert_int_equal(text_append(&file, "", 1), STATUS_OK);
        write_bytes("hf/model.safetensors", file.bytes, file.length);
        text_deinit(&file);
        assert_refused("hf", i == 1 ? STATUS_UNSUPPORTED : STATUS_BAD_FILE, cases[i].word);
    }
    write_text("hf/config.json",
               "{\"model_type\":\"llama\",\"num_attention_heads\":4,\"hidden_size\":32}");
}

// What is read of a folder without tensors whose config.json has these keys beside a small model's.
static void read_config(const char *type, const char *keys, struct model_config *config) {
    static const unsigned char no_tensors[10] = {2, [8] = '{', [9] = '}'};
    char text[1024];
    struct gguf *gguf = NULL;
    struct error err = {0};
    snprintf(text, sizeof text,
             "{\"model_type\":\"%s\",\"num_attention_heads\":4,\"num_key_value_heads\":2,"
             "\"hidden_size\":32,\"num_hidden_layers\":2,\"intermediate_size\":64,"
             "\"rms_norm_eps\":1e-6,\"max_position_embeddings\":512,%s}",
             type, keys);
    write_text("hf/config.json", text);
    write_bytes("hf/model.safetensors", no_tensors, sizeof no_tensors);
    if (checkpoint_open(path_of("hf"), &gguf, &err)) fail_msg("%s", err.text);
    if (model_config_read(gguf, config, &err)) fail_msg("%s", err.text);
    gguf_close(gguf);
}

// Published scalings of the rotation, as the reader of GGUF keys sees them.
static void rope_settings_are_read_in_both_config_layouts(void **state) {
    (void)state;
    static const char *const scalings[] = {
        "\"rope_theta\":500000.0,\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4.0,"
        "\"original_max_position_embeddings\":128}",
        "\"rope_parameters\":{\"rope_theta\":500000.0,\"rope_type\":\"yarn\",\"factor\":4.0,"
        "\"original_max_position_embeddings\":128}"};
    for (int i = 0; i < 2; i++) {
        struct model_config config;
        read_config("qwen2", scalings[i], &config);
        const struct attention_spec *attention = &config.specs[1].attention;
        const struct rope *rope = &attention->rope;
        assert_true(rope->scaling == ROPE_YARN && rope->factor == 4.0f && !rope->interleaved);
        assert_true(rope->original_context == 128 && rope->base == 500000.0f);
        assert_true(attention->head_size == 8 && attention->kv_heads == 2);
    }
}

#define LATENT                                                                                  \
    "\"norm_topk_prob\":true,\"qk_nope_head_dim\":16,\"qk_rope_head_dim\":8,\"v_head_dim\":16," \
    "\"kv_lora_rank\":32,\"q_lora_rank\":null,"

#define DELTA                                                                             \
    "\"linear_conv_kernel_dim\":4,\"linear_key_head_dim\":8,\"linear_value_head_dim\":8," \
    "\"linear_num_key_heads\":2,\"linear_num_value_heads\":4,\"head_dim\":8,"
#define MAMBA \
    "\"mamba_n_heads\":4,\"mamba_d_state\":8,\"mamba_d_conv\":4,\"mamba_d_head\":\"auto\","
#define GRANITE                                                      \
    MAMBA "\"shared_intermediate_size\":64,\"num_local_experts\":0," \
          "\"layer_types\":[\"mamba\",\"attention\"],"
#define NEMOTRON                                                                      \
    "\"mamba_num_heads\":4,\"mamba_head_dim\":8,\"ssm_state_size\":8,\"n_groups\":2," \
    "\"conv_kernel\":4,"

#define LONGROPE                                                                        \
    "\"original_max_position_embeddings\":128,\"rope_scaling\":{\"type\":\"longrope\"," \
    "\"short_factor\":[1,1,1,1],\"long_factor\":[1,2,4,8]"

#define KINDS   "\"layer_types\":[\"full_attention\",\"sliding_attention\"],\"sliding_window\":16,"
#define EXPERTS "\"n_routed_experts\":4,\"num_experts_per_tok\":2,"
#define MIMO    KINDS EXPERTS "\"head_dim\":24,\"v_head_dim\":12,\"attention_value_scale\":0.7"
#define STEP                                                                                \
    KINDS EXPERTS "\"head_dim\":16,\"num_sliding_attention_heads\":8,\"mlp_layer_types\":[" \
                  "\"dense\",\"sparse\"]"
#define MUSE KINDS "\"head_dim\":16,\"qk_scale_factor\":2"

static const struct {
    const char *type, *keys, *refusal; // NULL: the folder opens
} key_rows[] = {
    {"llama", "\"hidden_act\":\"silu\",\"pretraining_tp\":1,\"_name_or_path\":\"x\"", NULL},
    {"llama", "\"mlp_bias\":false,\"attention_bias\":false,\"wonder\":null", NULL},
    {"llama", "\"torch_dtype\":\"bfloat16\",\"wonders\":[],\"wonder\":0,\"spell\":\"\"", NULL},
    {"llama", "\"is_llama_config\":true,\"transformers.js_config\":{\"dtype\":\"q4\"}", NULL},
    {"phi3", "\"full_attn_mod\":1,\"interpolate_factor\":1,\"residual_dropout\":0.1", NULL},
    {"phi3", "\"interpolate_factor\":2", "interpolate_factor 2 (expected 1)"},
    {"gemma2", "\"hidden_activation\":\"gelu_pytorch_tanh\"", NULL},
    {"qwen2", "\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":5e5}", NULL},
    {"llama", "\"rope_theta\":\"500000\"", "rope_theta must be a number (found \"500000\")"},
    {"llama", "\"rope_theta\":0", "rope_theta must be at least 1"},
    {"llama", "\"rope_scaling\":[]", "rope_scaling must be an object"},
    {"llama", "\"rope_scaling\":{\"rope_type\":3}", "rope_type must be a string (found 3)"},
    {"llama", "\"tie_word_embeddings\":1", "tie_word_embeddings must be true or false (found 1)"},
    {"smollm3", "\"no_rope_layers\":[1,\"0\"]", "no_rope_layers must be a list"},
    {"gemma3_text", "\"use_bidirectional_attention\":true", "use_bidirectional_attention true"},
    {"llama", "\"wonder\":2", "wonder is not supported and may change"},
    {"llama", "\"wonder\":true", "wonder is not supported and may change"},
    {"llama", "\"scoring\":\"sigmoid\"", "scoring is not supported and may change"},
    {"llama", "\"hidden_act\":\"relu\"", "hidden_act \"relu\" (expected silu)"},
    {"gemma2", "\"hidden_activation\":\"silu\"", "hidden_activation \"silu\" (expected gelu)"},
    {"arcee", "\"hidden_act\":\"silu\"", "hidden_act \"silu\" (expected relu2)"},
    {"apertus", "\"hidden_act\":\"silu\"", "hidden_act \"silu\" (expected xielu)"},
    {"glm4_moe", "\"norm_topk_prob\":true,\"use_qk_norm\":true,\"n_group\":1", NULL},
    {"dots1", "\"norm_topk_prob\":true,\"scoring_func\":\"softmax\"",
     "scoring_func \"softmax\" (expected sigmoid)"},
    {"dots1", "\"norm_topk_prob\":true,\"topk_method\":\"greedy\"", "topk_method \"greedy\""},
    {"deepseek_v2", LATENT "\"topk_method\":\"greedy\",\"moe_layer_freq\":1", NULL},
    {"deepseek_v2", LATENT "\"topk_method\":\"group_limited_greedy\"", NULL},
    {"deepseek_v2", LATENT "\"topk_method\":\"greedy\",\"n_group\":2", "n_group is larger than 1"},
    {"minimax_m2", "\"qk_norm_type\":\"per_head\"",
     "qk_norm_type \"per_head\" (expected per_layer)"},
    {"minimax_m2", "\"attn_type_list\":[1,0]", "attn_type_list (expected 1)"},
    {"hunyuan_v1_moe", "\"moe_topk\":[2,3]", "moe_topk differs from layer to layer"},
    {"hunyuan_v1_moe", "\"use_mla\":true", "use_mla is not supported and may change"},
    {"bailing_moe_v2", "\"norm_topk_prob\":true,\"score_function\":\"softmax\"",
     "score_function \"softmax\""},
    {"llama", "\"rope_scaling\":{\"type\":\"linear\",\"factor\":2,\"alpha\":9}",
     "alpha is not supported and may change"},
    {"deepseek_v3", LATENT "\"scoring_func\":\"sigmoid\",\"topk_method\":\"greedy\"",
     "topk_method \"greedy\""},
    {"glm4_moe_lite", LATENT "\"rope_interleave\":false", "rope_interleave false (expected true)"},
    {"kimi_k2",
     LATENT "\"rope_scaling\":{\"type\":\"yarn\",\"factor\":4,\"mscale\":1.0,"
            "\"mscale_all_dim\":0.5}",
     "rope_scaling has an attention_factor"},
    {"cohere2", "\"rotary_pct\":1.0,\"use_parallel_block\":true,\"layer_switch\":4", NULL},
    {"cohere2", "\"use_parallel_block\":false", "use_parallel_block false"},
    {"cohere2", "\"rotary_pct\":0.5", "rotary_pct 0.5 (expected 1)"},
    {"ernie4_5_moe", "\"moe_layer_end_index\":0", "moe_layer_end_index 0"},
    {"llama", "\"rope_scaling\":{\"type\":\"linear\",\"factor\":2.0,\"llama_4_scaling_beta\":0.1}",
     "llama_4_scaling_beta is not supported and may change"},
    {"qwen3_next", DELTA "\"full_attention_interval\":2,\"mlp_only_layers\":[]", NULL},
    {"qwen3_next", DELTA "\"mlp_only_layers\":[1]",
     "mlp_only_layers is not supported and may change"},
    {"qwen3_next", DELTA "\"decoder_sparse_step\":2", "decoder_sparse_step 2 (expected 1)"},
    {"qwen3_5_text", DELTA "\"layer_types\":[\"full_attention\",\"sliding_attention\"]",
     "layer_types lists a kind"},
    {"qwen3_5_text", DELTA "\"attn_output_gate\":false", "attn_output_gate false"},
    {"qwen3_5_text", DELTA "\"output_gate_type\":\"sigmoid\"",
     "output_gate_type \"sigmoid\" (expected swish"},
    {"granitemoehybrid", GRANITE "\"mamba_n_groups\":1,\"init_method\":\"mup\"", NULL},
    {"granitemoehybrid", GRANITE "\"mamba_n_groups\":2", "mamba_n_groups 2 (expected 1)"},
    {"granitemoehybrid", GRANITE "\"mamba_n_groups\":1,\"time_step_limit\":[0.0,0.5]",
     "time_step_limit (expected"},
    {"nemotron_h", NEMOTRON "\"hybrid_override_pattern\":\"M*\",\"time_step_limit\":[0,Infinity]",
     NULL},
    {"nemotron_h", NEMOTRON "\"hybrid_override_pattern\":\"M?\"", "layer_types lists a kind"},
    {"nemotron_h", NEMOTRON "\"hybrid_override_pattern\":\"M*\",\"mlp_hidden_act\":\"silu\"",
     "mlp_hidden_act \"silu\" (expected relu2)"},
    {"falcon_h1", MAMBA "\"mamba_n_groups\":1,\"mamba_rms_norm\":true", "mamba_norm_before_gate"},
    {"falcon_h1",
     MAMBA "\"mamba_n_groups\":1,\"attention_bias\":true,\"attention_in_multiplier\":2",
     "attention_in_multiplier is not supported together"},
    {"falcon_h1", MAMBA "\"mamba_n_groups\":1,\"mlp_multipliers\":[1.5,0.5]", NULL},
    {"llama", "\"is_causal\":true", NULL},
    {"llama", "\"is_causal\":false", "is_causal false"},
    {"llama", "\"rope_theta\":10000,\"rope_theta\":20000", "rope_theta occurs twice"},
    {"llama",
     "\"rope_theta\":10000,\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":10000,"
     "\"rope_theta\":20000}",
     "rope_theta occurs twice"},
    {"qwen3", "\"causal\":false", "causal false"},
    {"llama", "\"attn_logit_softcapping\":50.0",
     "attn_logit_softcapping is not supported and may change"},
    {"llama", "\"final_logit_softcapping\":null", NULL},
    {"qwen3", "\"final_logit_softcapping\":30.0",
     "final_logit_softcapping is not supported and may change"},
    {"gemma3_text", "\"attn_logit_softcapping\":50.0",
     "attn_logit_softcapping is not supported and may change"},
    {"llama", "\"embedding_multiplier\":12.0",
     "embedding_multiplier is not supported and may change"},
    {"llama", "\"embedding_multiplier\":1.0,\"residual_multiplier\":1", NULL},
    {"llama", "\"attention_multiplier\":1.0",
     "attention_multiplier is not supported and may change"},
    {"llama", "\"logit_scale\":0.0625", "logit_scale is not supported and may change"},
    {"olmo2", "\"query_pre_attn_scalar\":64",
     "query_pre_attn_scalar is not supported and may change"},
    {"mixtral", "\"num_key_value_heads\":4,\"routed_scaling_factor\":2.5",
     "routed_scaling_factor is not supported and may change"},
    {"smollm3", "\"num_key_value_heads\":4,\"no_rope_layer_interval\":2", NULL},
    {"llama", "\"no_rope_layer_interval\":2",
     "no_rope_layer_interval is not supported and may change"},
    {"phimoe", "\"input_jitter_noise\":0.01,\"lm_head_bias\":true", NULL},
    {"phimoe", "\"norm_topk_prob\":true", "norm_topk_prob true (expected false)"},
    {"phimoe", "\"scoring_func\":\"softmax\"", "scoring_func \"softmax\" (expected sparsemixer)"},
    {"phimoe", "\"routed_scaling_factor\":2.5",
     "routed_scaling_factor is not supported and may change"},
    {"phimoe", LONGROPE ",\"short_mscale\":1.2,\"long_mscale\":1.3}",
     "long_mscale differs from short_mscale"},
    {"mixtral", "\"router_jitter_noise\":0.5", NULL},
    {"mellum",
     "\"rope_parameters\":{\"full_attention\":{\"rope_type\":\"yarn\",\"factor\":4},"
     "\"sliding_attention\":{\"rope_type\":\"default\",\"rope_theta\":1e4}}",
     NULL},
    {"mellum",
     "\"rope_parameters\":{\"full_attention\":{\"rope_type\":\"yarn\",\"factor\":4},"
     "\"sliding_attention\":{\"rope_type\":\"yarn\",\"factor\":4}}",
     "rope_parameters stretches layers with a window"},
    {"granite_swa", "\"layer_rope_theta\":[1e4,0]", NULL},
    {"granite_swa", "\"layer_rope_theta\":[1e4,2e4]", "layer_rope_theta differs between layers"},
    {"granite_swa", "\"layer_rope_theta\":[1e4,null]", "layer_rope_theta must list a number"},
    {"llama", "\"layer_rope_theta\":[1e4,0]", "layer_rope_theta is not supported and may change"},
    {"cohere2_moe", "\"expert_selection_fn\":\"sigmoid\",\"first_k_dense_replace\":1", NULL},
    {"cohere2_moe", "\"expert_selection_fn\":\"tanh\"",
     "expert_selection_fn \"tanh\" (expected softmax or sigmoid)"},
    {"cohere2_moe", "\"shared_expert_combination_strategy\":\"sum\"",
     "shared_expert_combination_strategy \"sum\" (expected average)"},
    {"cohere2_moe", "\"prefix_dense_sliding_window_pattern\":2",
     "prefix_dense_sliding_window_pattern 2 (expected 1)"},
    {"step3p7", STEP ",\"per_layer_config\":{\"1\":{\"num_attention_heads\":8}}", NULL},
    {"step3p7", STEP ",\"per_layer_config\":{\"1\":{\"num_attention_heads\":6}}",
     "per_layer_config must repeat num_sliding_attention_heads"},
    {"step3p7", STEP ",\"per_layer_config\":{\"1\":{\"head_dim\":8}}",
     "per_layer_config must repeat num_sliding_attention_heads"},
    {"step3p7", STEP ",\"per_layer_config\":{\"2\":{\"num_attention_heads\":8}}",
     "per_layer_config"},
    {"step3p7", STEP ",\"swiglu_limits\":[null,\"7\"]", "swiglu_limits must list a number"},
    {"step3p7", STEP ",\"query_pre_attn_scalar\":16", NULL},
    {"step3p7", STEP ",\"query_pre_attn_scalar\":64", "query_pre_attn_scalar is not supported"},
    {"mimo_v2_flash", MIMO ",\"routed_scaling_factor\":null", NULL},
    {"mimo_v2_flash", MIMO ",\"hybrid_layer_pattern\":[0,1]",
     "hybrid_layer_pattern is not supported and may change"},
    {"muse_glimmer_text", MUSE ",\"hidden_activation\":\"gelu\"", "hidden_activation \"gelu\""},
    {"llama", "\"qk_scale_factor\":2", "qk_scale_factor is not supported and may change"},
    {"llama", "\"output_multiplier\":0.5", "output_multiplier is not supported and may change"},
    {"llama", "\"quantization\":{\"group_size\":64,\"bits\":4}", "quantization is set"},
    {"llama", "\"quantization_config\":{\"quant_method\":\"fp8\"}", "quantization_config is fp8"},
};

static void every_config_key_is_used_or_harmless_or_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof key_rows / sizeof key_rows[0]; i++) {
        char text[1024];
        struct gguf *gguf = NULL;
        struct error err = {0};
        snprintf(text, sizeof text,
                 "{\"model_type\":\"%s\",\"num_attention_heads\":4,\"hidden_size\":32,"
                 "\"num_hidden_layers\":2,\"intermediate_size\":64,\"rms_norm_eps\":1e-6,"
                 "\"max_position_embeddings\":512,%s}",
                 key_rows[i].type, key_rows[i].keys);
        write_text("hf/config.json", text);
        const enum status status = checkpoint_open(path_of("hf"), &gguf, &err);
        const bool refused = status == STATUS_UNSUPPORTED || status == STATUS_BAD_FILE;
        if ((status != STATUS_OK && !refused) || refused != (key_rows[i].refusal != NULL) ||
            (key_rows[i].refusal && !strstr(err.text, key_rows[i].refusal)))
            fail_msg("%s: %s", key_rows[i].keys, err.text);
        gguf_close(gguf);
    }
}

// ---- all keys at once

enum { ASKED_MOST = 1024 };
static char *asked[ASKED_MOST]; // by any reading; owned
static size_t asked_count;

cJSON *__real_cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *key);
cJSON *__wrap_cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *key);
cJSON *__wrap_cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *key) {
    size_t i = 0;
    while (i < asked_count && strcmp(asked[i], key) != 0)
        i++;
    if (i == asked_count) {
        assert_true(asked_count < ASKED_MOST);
        asked[asked_count++] = strdup(key);
    }
    return __real_cJSON_GetObjectItemCaseSensitive(object, key);
}

static cJSON *make_value(int kind) {
    static const char *const texts[] = {"null", "0", "1", "2.5", "true", "\"silu\"", "[1,2]"};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    if (kind < TEXTS) return cJSON_Parse(texts[kind]);
    if (kind > TEXTS) return NULL; // there are no more
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; i < asked_count; i++)
        cJSON_AddNumberToObject(object, asked[i], 1);
    return object;
}

// A configuration in which each key that any family is asked for has such a value. False: there is
// no such value.
static bool read_with_all_keys(const char *type, int kind) {
    cJSON *value = make_value(kind), *json = cJSON_CreateObject();
    if (value) {
        const struct family *family;
        struct folder_config config = {0};
        struct error err = {0};
        for (size_t i = 0; i < asked_count; i++)
            cJSON_AddItemToObject(json, asked[i], cJSON_Duplicate(value, true));
        cJSON_DeleteItemFromObjectCaseSensitive(json, "model_type");
        cJSON_AddStringToObject(json, "model_type", type);
        enum status status = folder_config_family(json, "all", &family, &err);
        assert_int_equal(status, STATUS_OK);
        status = folder_config_read(json, family, "all", &config, &err);
        if (status == STATUS_OK)
            folder_config_deinit(&config);
        else
            assert_true(strlen(err.text) > 0);
    }
    cJSON_Delete(json);
    cJSON_Delete(value);
    return value != NULL;
}

static void a_config_with_every_known_key_is_read_or_refused(void **state) {
    (void)state;
    char names[FAMILY_LIST_BYTES], types[FAMILY_LIST_BYTES];
    family_list(names, types);
    for (size_t before = SIZE_MAX; before != asked_count;) {
        char *at = NULL, list[FAMILY_LIST_BYTES];
        before = asked_count;
        memcpy(list, types, sizeof list);
        for (char *type = strtok_r(list, ", ", &at); type; type = strtok_r(NULL, ", ", &at))
            for (int kind = 0; read_with_all_keys(type, kind);)
                kind++;
    }
    printf("%zu keys are known\n", asked_count);
    assert_in_range(asked_count, 100, READER_READ_MOST); // even if one family had all of them
    for (size_t i = 0; i < asked_count; i++)
        free(asked[i]);
    asked_count = 0;
}

// 0: not looked at.
static const struct {
    const char *type, *keys;
    float scale, base, softcap, factor;
    int32_t head_size, window, rotated;
} default_rows[] = {
    {.type = "granite", .scale = 1, .base = 10000},
    {.type = "granite", .keys = "\"attention_multiplier\":0.5,", .scale = 0.5f},
    {.type = "granitemoe",
     .keys = "\"num_local_experts\":4,\"num_experts_per_tok\":2,",
     .scale = 1},
    {.type = "llama", .scale = 0.353553391f, .base = 10000, .head_size = 8},
    {.type = "mistral", .keys = "\"num_key_value_heads\":4,", .window = 4096},
    {.type = "qwen3", .base = 10000, .head_size = 128},
    {.type = "gemma2",
     .keys = "\"num_key_value_heads\":4,\"sliding_window\":16,",
     .scale = 0.0625f,
     .softcap = 50,
     .head_size = 256,
     .window = 16},
    {.type = "gemma2",
     .keys = "\"num_key_value_heads\":4,\"query_pre_attn_scalar\":64,",
     .scale = 0.125f,
     .softcap = 50},
    {.type = "glm4", .head_size = 128, .rotated = 64},
    {.type = "smollm3", .keys = "\"num_key_value_heads\":4,", .base = 2e6f},
    {.type = "olmo3", .base = 5e5f},
    {.type = "ernie4_5", .keys = "\"head_dim\":8,", .base = 5e5f, .head_size = 8},
    {.type = "cohere", .base = 5e5f},
    {.type = "ministral3", .keys = "\"num_key_value_heads\":4,", .base = 1e6f, .factor = 16},
    {.type = "ministral3",
     .base = 7e5f,
     .factor = 1,
     .keys = "\"num_key_value_heads\":4,\"rope_parameters\":{\"rope_theta\":7e5},"},
};

// What transformers' class of the model_type says, where the configuration does not.
static void missing_config_keys_get_the_publishers_default(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof default_rows / sizeof default_rows[0]; i++) {
        char text[1024];
        struct gguf *gguf = NULL;
        struct model_config config;
        struct error err = {0};
        const char *type = default_rows[i].type, *keys = default_rows[i].keys;
        snprintf(text, sizeof text,
                 "{\"model_type\":\"%s\",\"num_attention_heads\":4,\"hidden_size\":32,%s"
                 "\"num_hidden_layers\":2,\"intermediate_size\":64,\"%s\":1e-6,"
                 "\"max_position_embeddings\":%d}",
                 type, keys ? keys : "", strcmp(type, "cohere") ? "rms_norm_eps" : "layer_norm_eps",
                 strcmp(type, "mistral") ? 512 : 8192);
        write_text("hf/config.json", text);
        if (checkpoint_open(path_of("hf"), &gguf, &err)) fail_msg("%s: %s", type, err.text);
        if (model_config_read(gguf, &config, &err)) fail_msg("%s: %s", type, err.text);
        const struct attention_spec *attention = &config.specs[0].attention;
        if (default_rows[i].scale > 0)
            assert_float_equal(attention->scale, default_rows[i].scale, 1e-6);
        if (default_rows[i].base > 0)
            assert_float_equal(attention->rope.base, default_rows[i].base, 0);
        if (default_rows[i].factor > 0)
            assert_float_equal(attention->rope.factor, default_rows[i].factor, 0);
        assert_float_equal(attention->softcap, default_rows[i].softcap, 0);
        if (default_rows[i].head_size)
            assert_int_equal(attention->head_size, default_rows[i].head_size);
        if (default_rows[i].window) assert_int_equal(attention->window, default_rows[i].window);
        if (default_rows[i].rotated)
            assert_int_equal(attention->rope.dimensions, default_rows[i].rotated);
        gguf_close(gguf);
    }
}

// What cosine and sine are multiplied by, as transformers reckons it: stated, or of YaRN
// 1 + 0.1 ln 4, and of LongRoPE sqrt(1 + ln(512 / 128) / ln(128)).
static void rope_magnitudes_match_transformers(void **state) {
    (void)state;
#define YARN "\"rope_scaling\":{\"type\":\"yarn\",\"factor\":4.0"
    static const struct {
        const char *type, *keys;
        float magnitude;
    } rows[] = {
        {"qwen2", YARN "}", 1.13862944f},
        {"qwen2", YARN ",\"attention_factor\":0.9}", 0.9f},
        {"qwen2", YARN ",\"mscale\":1.0,\"mscale_all_dim\":1.0}", 1},
        {"qwen2", YARN ",\"mscale\":0.5,\"mscale_all_dim\":1.0}", 1.06931472f / 1.13862944f},
        {"qwen2", YARN ",\"mscale\":0.7}", 1.13862944f},
        {"qwen2", YARN ",\"attn_factor\":0.8782}", 1.13862944f},
        {"phimoe", LONGROPE "}", 1.13389342f},
        {"phimoe", LONGROPE ",\"attention_factor\":0.9}", 0.9f},
        {"phimoe", LONGROPE ",\"short_mscale\":1.25,\"long_mscale\":1.25}", 1.25f},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct model_config config;
        read_config(rows[i].type, rows[i].keys, &config);
        assert_float_equal(config.specs[0].attention.rope.attention_factor, rows[i].magnitude,
                           1e-6);
    }
}

static void sparse_mixers_look_twice_as_far_as_their_noise_in_training(void **state) {
    (void)state;
    struct model_config config;
    read_config("phimoe", "\"router_jitter_noise\":0.03", &config);
    assert_true(config.specs[1].ffn.nearness == 0.06f);
    read_config("phimoe", "\"norm_topk_prob\":false", &config);
    assert_true(config.specs[1].ffn.nearness == 0.02f);
}

// Three families whose layers with a window differ from the others in more than the window.
static void layers_with_a_window_have_shapes_of_their_own(void **state) {
    (void)state;
    struct model_config config;
    const struct attention_spec *wide = &config.specs[0].attention;
    const struct attention_spec *narrow = &config.specs[1].attention;
    read_config("mimo_v2_flash", MIMO, &config);
    assert_true(wide->kv_heads == 2 && narrow->kv_heads == 4 && narrow->value_size == 12);
    assert_true(wide->rope.base == 5e6f && narrow->rope.base == 1e4f);
    assert_true(wide->value_scale == 0.7f && narrow->window == 16);
    read_config("step3p7",
                STEP ",\"swiglu_limits\":[null,0.5],\"swiglu_limits_shared\":[0.25,0],"
                     "\"rope_parameters\":{\"full_attention\":{\"partial_rotary_factor\":0.5,"
                     "\"rope_theta\":5e6},\"sliding_attention\":{\"rope_theta\":1e4}}",
                &config);
    assert_true(wide->heads == 4 && narrow->heads == 8 && narrow->kv_heads == 2);
    assert_true(wide->rope.dimensions == 8 && narrow->rope.dimensions == 16);
    assert_true(config.specs[0].ffn.limit == 0.25f && config.specs[0].ffn.expert_limit == 0);
    assert_true(config.specs[1].ffn.limit == 0 && config.specs[1].ffn.expert_limit == 0.5f);
    read_config("muse_glimmer_text", MUSE ",\"layer_rope_theta\":[1e4,0]", &config);
    assert_true(wide->unit_norm && wide->qk_norm == QK_NORM_NONE && wide->scale == 0.5f);
    assert_true(!wide->no_rope && narrow->no_rope && narrow->window == 16);
    assert_true(config.embedding_norm && config.post_norm_eps == 1e-8f);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *at) {
    (void)facts, (void)kind, (void)at;
    return remove(path);
}

static int drop_folder(void **state) {
    (void)state;
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_part_of_a_split_opens_the_same_model),
        cmocka_unit_test(a_link_to_a_part_opens_the_same_model),
        cmocka_unit_test(a_link_to_a_link_opens_the_same_model),
        cmocka_unit_test(part_names_are_derived_from_any_part),
        cmocka_unit_test(a_changed_part_changes_the_digest),
        cmocka_unit_test(broken_splits_are_refused),
        cmocka_unit_test(unusable_model_folders_are_refused),
        cmocka_unit_test(unexpected_tensors_in_a_folder_are_named),
        cmocka_unit_test(packed_experts_need_all_their_parts),
        cmocka_unit_test(rope_settings_are_read_in_both_config_layouts),
        cmocka_unit_test(rope_magnitudes_match_transformers),
        cmocka_unit_test(sparse_mixers_look_twice_as_far_as_their_noise_in_training),
        cmocka_unit_test(layers_with_a_window_have_shapes_of_their_own),
        cmocka_unit_test(missing_config_keys_get_the_publishers_default),
        cmocka_unit_test(every_config_key_is_used_or_harmless_or_refused),
        cmocka_unit_test(a_config_with_every_known_key_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
