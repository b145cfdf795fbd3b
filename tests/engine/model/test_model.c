// tests/engine/model/test_model.c — what model_open() refuses, and in which words.
//
// A small good file is changed in one place: the rest of it is what a converter wrote.
#include "engine/model/config_read.h"
#include "engine/model/model.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/tokenizer.h"
#include "tests/engine/model/gguf_writer.h"

struct file {
    unsigned char *bytes;
    size_t length;
};

static struct device *device;
static const struct backend *backend; // reference, but for what one test does

static struct file load(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s.gguf", TESTS_DIR, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    struct file file = {.length = (size_t)ftell(in)};
    rewind(in);
    file.bytes = malloc(file.length);
    assert_non_null(file.bytes);
    assert_int_equal(fread(file.bytes, 1, file.length, in), file.length);
    fclose(in);
    return file;
}

// Where the bytes after a name begin: a key's type, or a tensor's number of dimensions.
static unsigned char *after_name(const struct file *file, const char *name) {
    const uint64_t length = strlen(name);
    for (size_t i = 0; i + 8 + length <= file->length; i++)
        if (!memcmp(file->bytes + i, &length, 8) && !memcmp(file->bytes + i + 8, name, length))
            return file->bytes + i + 8 + length;
    fail_msg("%s is not in the file", name);
    return NULL;
}

static void set_u32(unsigned char *at, uint32_t value) { memcpy(at, &value, sizeof value); }
static void set_key(const struct file *file, const char *key, uint32_t value) {
    set_u32(after_name(file, key) + 4, value);
}

// As if the file did not have it.
static void hide_key(const struct file *file, const char *key) {
    *(after_name(file, key) - strlen(key)) = 'X';
}

static enum status open_model(const struct file *file, struct error *err) {
    struct gguf *gguf;
    struct model model;
    enum status status = gguf_open_memory(file->bytes, file->length, "test.gguf", &gguf, err);
    if (status != STATUS_OK) return status;
    status = model_open(&model, gguf, &(struct model_options){.backend = backend, .device = device},
                        err);
    if (status == STATUS_OK) model_close(&model);
    gguf_close(gguf);
    return status;
}

static void assert_refused(struct file *file, enum status expected, const char *word) {
    struct error err = {0};
    assert_int_equal(open_model(file, &err), expected);
    if (!strstr(err.text, word) || !strstr(err.text, "test.gguf"))
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
    free(file->bytes);
}

static void good_files_open(void **state) {
    (void)state;
    static const char *const names[] = {"llama", "llama-linear", "qwen2",    "qwen2-yarn",
                                        "qwen3", "gemma4",       "gemma4-e", "gemma4-moe"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct file file = load(names[i]);
        struct error err = {0};
        if (open_model(&file, &err) != STATUS_OK) fail_msg("%s: %s", names[i], err.text);
        free(file.bytes);
    }
}

static void unknown_family_is_named_with_those_that_are_known(void **state) {
    (void)state;
    struct file file = load("llama");
    memcpy(after_name(&file, "general.architecture") + 12, "mamba", 5);
    assert_refused(&file, STATUS_UNSUPPORTED,
                   "\"mamba\", a recurrent model; quire knows llama, qwen2, qwen3");
}

// A file that says of itself that its last layers only draft.
static void layers_that_only_draft_leave_others(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint32_t value;
    } cases[] = {
        {"glm4moe.block_count", 0},
        {"glm4moe.embedding_length", 0},
        {"glm4moe.nextn_predict_layers", 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct file file = load("glm4moe");
        set_key(&file, cases[i].key, cases[i].value);
        assert_refused(&file, STATUS_BAD_FILE, cases[i].key);
    }
}

static void keys_out_of_range_are_named(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint32_t value;
    } cases[] = {
        {"llama.block_count", 0},           {"llama.block_count", 4000000000u},
        {"llama.embedding_length", 0},      {"llama.embedding_length", 1u << 30},
        {"llama.attention.head_count", 0},  {"llama.attention.head_count_kv", 3},
        {"llama.context_length", 0},        {"llama.feed_forward_length", 1u << 31},
        {"llama.rope.dimension_count", 15}, {"llama.attention.layer_norm_rms_epsilon", 0x7FC00000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct file file = load("llama");
        set_key(&file, cases[i].key, cases[i].value);
        assert_refused(&file, STATUS_BAD_FILE, cases[i].key);
    }
}

static void layers_of_two_shapes_are_refused_where_they_do_not_fit(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint32_t value;
        const char *word;
    } cases[] = {
        {"gemma4.block_count", 5, "gemma4.attention.sliding_window_pattern"},
        {"gemma4.attention.shared_kv_layers", 6, "is out of range"},
        {"gemma4.attention.shared_kv_layers", 5, "leaves a layer without keys"},
        {"gemma4.attention.key_length_swa", 6, "gemma4.attention.value_length_swa"},
        {"gemma4.attention.key_length_swa", 577, "gemma4.attention.key_length_swa"},
        {"gemma4.rope.dimension_count_swa", 3, "gemma4.rope.dimension_count_swa"},
        {"gemma4.embedding_length_per_layer_input", 1u << 30, "embedding_length_per_layer_input"},
        {"gemma4.embedding_length_per_layer_input", 8, "per_layer_token_embd.weight"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct file file = load("gemma4");
        set_key(&file, cases[i].key, cases[i].value);
        const bool differs = strstr(cases[i].word, "value_length_swa") != NULL;
        assert_refused(&file, differs ? STATUS_UNSUPPORTED : STATUS_BAD_FILE, cases[i].word);
    }
    struct file other = load("gemma4-moe"); // what no model of its kind holds
    memcpy(after_name(&other, "v.patch_embd.weight") - 6, "wonder", 6);
    *(after_name(&other, "v.patch_embd.wonder") - 19) = 'w';
    assert_refused(&other, STATUS_UNSUPPORTED, "has a place for only");
    struct file file = load("gemma4"); // a list: its type, its elements' type, how many
    set_u32(after_name(&file, "gemma4.attention.head_count_kv") + 4 + 4 + 8 + 4, 1);
    assert_refused(&file, STATUS_UNSUPPORTED, "differs among layers of one kind");
}

static void latent_figures_fit_one_another_and_the_tensors(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint32_t value;
        enum status status;
        const char *word;
    } cases[] = {
        {"attention.kv_lora_rank", 600, STATUS_BAD_FILE, "out of range"},
        {"attention.kv_lora_rank", 570, STATUS_UNSUPPORTED, "longer than quire"},
        {"attention.kv_lora_rank", 40, STATUS_BAD_FILE, "expected [48, 32], found [40, 32]"},
        {"attention.q_lora_rank", 0, STATUS_BAD_FILE, "blk.0.attn_q.weight: is missing"},
        {"attention.key_length_mla", 8, STATUS_BAD_FILE, "than what is rotated"},
        {"attention.value_length_mla", 16, STATUS_BAD_FILE, "attn_v_b.weight: expected [4, 16"},
        {"attention.head_count_kv", 4, STATUS_OK, NULL},
        {"expert_gating_func", 1, STATUS_OK, NULL},
        {"expert_gating_func", 0, STATUS_OK, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct file file = load("deepseek2");
        struct error err = {0};
        char key[64];
        snprintf(key, sizeof key, "deepseek2.%s", cases[i].key);
        set_key(&file, key, cases[i].value);
        if (cases[i].word)
            assert_refused(&file, cases[i].status, cases[i].word);
        else
            assert_int_equal(open_model(&file, &err), STATUS_OK);
        if (!cases[i].word) free(file.bytes);
    }
}

static void windows_of_families_that_alternate_must_be_there(void **state) {
    (void)state;
    static const char *const names[] = {"gemma3", "gemma4", "gpt-oss"};
    static const uint32_t others[] = {0, 1u << 30, UINT32_MAX};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char key[64], missing[96];
        snprintf(key, sizeof key, "%s.attention.sliding_window", names[i]);
        snprintf(missing, sizeof missing, "%s is missing", key);
        struct file file = load(names[i]);
        *(after_name(&file, key) - 1) = 'X';
        assert_refused(&file, STATUS_BAD_FILE, missing);
        for (size_t o = 0; o < sizeof others / sizeof others[0]; o++) {
            file = load(names[i]);
            set_key(&file, key, others[o]);
            assert_refused(&file, STATUS_BAD_FILE, key);
        }
    }
}

static struct model_config read_config(const struct file *file) {
    struct gguf *gguf;
    struct model_config config;
    struct error err = {0};
    if (gguf_open_memory(file->bytes, file->length, "test.gguf", &gguf, &err) != STATUS_OK ||
        model_config_read(gguf, &config, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    gguf_close(gguf);
    return config;
}

// Past it, queries are scaled by their position.
static void a_context_ends_where_what_it_takes_is_lacking(void **state) {
    (void)state;
    struct file file = load("mistral3");
    assert_int_equal(read_config(&file).context, 64);
    hide_key(&file, "mistral3.attention.temperature_scale");
    assert_int_equal(read_config(&file).context, 512);
    free(file.bytes);
}

// The first files of Gemma 2 do not say theirs.
static void soft_caps_that_are_not_said(void **state) {
    (void)state;
    struct file file = load("gemma2");
    assert_float_equal(read_config(&file).specs[0].attention.softcap, 5, 0);
    assert_float_equal(read_config(&file).logit_softcap, 6, 0);
    hide_key(&file, "gemma2.attn_logit_softcapping");
    hide_key(&file, "gemma2.final_logit_softcapping");
    assert_float_equal(read_config(&file).specs[0].attention.softcap, 50, 0);
    assert_float_equal(read_config(&file).logit_softcap, 30, 0);
    free(file.bytes);
    file = load("mistral");
    assert_float_equal(read_config(&file).specs[0].attention.softcap, 0, 0);
    free(file.bytes);
}

// Ollama's files of Gemma 3 leave to be known what follows from how many layers there are.
static void ollama_leaves_the_stretch_of_large_models_to_be_known(void **state) {
    (void)state;
    struct file file = load("gemma3-ollama");
    static const struct {
        uint32_t layers;
        float stretch;
    } cases[] = {{7, 1}, {26, 1}, {34, 8}, {48, 8}, {62, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_key(&file, "gemma3.block_count", cases[i].layers);
        const struct model_config config = read_config(&file);
        assert_float_equal(config.specs[5].attention.rope.factor, cases[i].stretch, 0);
        assert_float_equal(config.specs[5].attention.rope.base, 1e6, 0);
        assert_float_equal(config.specs[4].attention.rope.factor, 1, 0);
        assert_float_equal(config.specs[4].attention.rope.base, 2e4, 0);
        assert_float_equal(config.norm_eps, 1e-6, 1e-9);
    }
    free(file.bytes);
}

// A first chunk, and no norm of heads in the largest.
static void llama_4_ends_where_its_second_chunk_begins(void **state) {
    (void)state;
    struct file file = load("llama4");
    set_key(&file, "llama4.context_length", 10485760);
    assert_int_equal(read_config(&file).context, 8191);
    assert_true(read_config(&file).specs[0].attention.unit_norm);
    assert_false(read_config(&file).specs[3].attention.unit_norm);
    set_key(&file, "llama4.expert_count", 128);
    assert_false(read_config(&file).specs[0].attention.unit_norm);
    set_key(&file, "llama4.expert_used_count", 2);
    assert_refused(&file, STATUS_UNSUPPORTED, "expert_used_count is not 1");
}

// Of a block's two layers the second alone attends and has a feed-forward.
static void a_block_with_two_mixers_is_two_layers(void **state) {
    (void)state;
    struct file file = load("falcon-h1");
    const struct model_config config = read_config(&file);
    assert_int_equal(model_config_blocks(&config), 3);
    assert_int_equal(config.layers, 6);
    for (int32_t i = 0; i < config.layers; i++) {
        const struct layer_spec *spec = &config.specs[i];
        assert_int_equal(spec->block, i / 2);
        assert_int_equal(spec->mixer, i % 2 ? MIXER_ATTENTION : MIXER_RECURRENCE);
        assert_int_equal(spec->ffn.kind, i % 2 ? FFN_DENSE : FFN_NONE);
        assert_int_equal(layer_is_joined(&config, i), i % 2);
    }
    set_key(&file, "falcon-h1.block_count", MODEL_MAX_LAYERS / 2);
    assert_int_equal(read_config(&file).layers, MODEL_MAX_LAYERS);
    set_key(&file, "falcon-h1.block_count", MODEL_MAX_LAYERS / 2 + 1);
    assert_refused(&file, STATUS_UNSUPPORTED, "falcon-h1.block_count is more than quire has");
}

// Nor their window; other families' are without one then.
static void windows_that_are_not_said(void **state) {
    (void)state;
    struct file file = load("gemma2");
    hide_key(&file, "gemma2.attention.sliding_window");
    set_key(&file, "gemma2.context_length", 8192);
    assert_int_equal(read_config(&file).specs[0].attention.window, 4096);
    set_key(&file, "gemma2.context_length", 4096); // no shorter than the context
    assert_int_equal(read_config(&file).specs[0].attention.window, 0);
    free(file.bytes);
    file = load("mistral");
    assert_int_equal(read_config(&file).specs[0].attention.window, 24);
    set_key(&file, "llama.attention.sliding_window", 0);
    assert_int_equal(read_config(&file).specs[0].attention.window, 0);
    set_key(&file, "llama.attention.sliding_window", 1u << 30);
    assert_refused(&file, STATUS_BAD_FILE, "llama.attention.sliding_window is out of range");
    file = load("phi3");
    hide_key(&file, "phi3.attention.sliding_window");
    assert_int_equal(read_config(&file).specs[0].attention.window, 0);
    free(file.bytes);
}

// Keys serve as values in layers without a window alone.
static void tensors_of_mixed_layers_are_missed(void **state) {
    (void)state;
    static const char *const tensors[][2] = {
        {"gemma4", "blk.0.attn_v.weight"},           {"gemma4", "rope_freqs.weight"},
        {"gemma4-e", "per_layer_model_proj.weight"}, {"gemma4-e", "blk.6.post_norm.weight"},
        {"gemma4-moe", "blk.1.ffn_gate_inp.scale"},  {"gemma4-moe", "blk.2.post_ffw_norm_1.weight"},
        {"nemotron_h", "blk.2.ssm_norm.weight"},     {"falcon-h1", "blk.2.ssm_in.weight"},
        {"falcon-h1", "blk.2.attn_k.weight"}};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        struct file file = load(tensors[i][0]);
        *(after_name(&file, tensors[i][1]) - 1) = 'X';
        assert_refused(&file, STATUS_BAD_FILE, tensors[i][1]);
    }
}

// What comes before the tensors, as the file has it.
static void copy_keys(struct gguf_writer *writer, const struct gguf *gguf,
                      const struct file *file) {
    const struct gguf_string first = gguf_tensor_at(gguf, 0)->name;
    const size_t begin = 24, end = (size_t)((const unsigned char *)first.bytes - file->bytes) - 8;
    writer->keys = gguf_key_count(gguf);
    assert_int_equal(
        text_append(&writer->key_bytes, (const char *)file->bytes + begin, end - begin), STATUS_OK);
}

static void copy_tensor(struct gguf_writer *writer, const struct gguf_tensor *tensor) {
    char name[GGUF_MAX_NAME_BYTES + 1];
    snprintf(name, sizeof name, "%.*s", (int)tensor->name.length, tensor->name.bytes);
    gguf_writer_tensor(writer, name, tensor->file_type, (uint32_t)tensor->dims, tensor->shape,
                       tensor->data, tensor->bytes);
}

struct extra { // a key that is put into a file of tests/golden
    const char *file, *key;
    enum gguf_type type; // GGUF_ARRAY: of two int32, 1 and 0
    double value;        // of a string: none
    const char *string;
    const char *refusal; // NULL: the file opens
};

static void write_extra(struct gguf_writer *writer, const struct extra *extra) {
    static const int32_t elements[2] = {1, 0};
    if (extra->type == GGUF_STRING)
        gguf_writer_string(writer, extra->key, extra->string);
    else if (extra->type == GGUF_ARRAY)
        gguf_writer_array(writer, extra->key, GGUF_I32, 2, elements, sizeof elements);
    else if (extra->type == GGUF_F32)
        gguf_writer_float(writer, extra->key, extra->type, extra->value);
    else
        gguf_writer_int(writer, extra->key, extra->type, (int64_t)extra->value);
}

static struct file load_with(const struct extra *extra) {
    struct file whole = load(extra->file), with;
    struct gguf_writer writer;
    struct gguf *gguf;
    struct error err;
    assert_int_equal(gguf_open_memory(whole.bytes, whole.length, "whole", &gguf, &err), STATUS_OK);
    gguf_writer_init(&writer);
    copy_keys(&writer, gguf, &whole);
    write_extra(&writer, extra);
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++)
        copy_tensor(&writer, gguf_tensor_at(gguf, i));
    with.bytes = gguf_writer_finish(&writer, &with.length);
    gguf_writer_deinit(&writer);
    gguf_close(gguf);
    free(whole.bytes);
    return with;
}

// Understood, harmless, refused: nothing that a file states under its family's name is passed over.
static void each_key_is_understood_or_harmless_or_refused(void **state) {
    (void)state;
    static const char unknown[] = "may change the answers, and quire does not know how";
    static const char another[] = "is of another type than quire knows";
    static const struct extra rows[] = {
        {"qwen2", "qwen2.rope.scale_linear", GGUF_F32, 4, NULL, NULL},
        {"qwen2", "qwen2.rope.scaling.factor", GGUF_F32, 4, NULL, NULL},
        {"llama-linear", "llama.rope.scaling.attn_factor", GGUF_F32, 1.5, NULL, NULL},
        {"qwen2-yarn", "qwen2.rope.scaling.yarn_attn_factor", GGUF_F32, 1.5, NULL, NULL},
        {"qwen2-yarn", "qwen2.rope.scaling.yarn_log_multiplier", GGUF_F32, 1, NULL, NULL},
        {"qwen2-yarn", "qwen2.rope.scaling.yarn_ext_factor", GGUF_F32, 1, NULL, NULL},
        {"gemma3", "gemma3.attention.sliding_window_pattern", GGUF_U32, 2, NULL, NULL},
        {"gpt-oss", "gpt-oss.attention.sliding_window_pattern", GGUF_U32, 3, NULL, NULL},
        {"gemma2", "gemma2.rope.freq_base_swa", GGUF_F32, 20000, NULL, NULL},
        {"gemma", "gemma.vocab_size", GGUF_U32, 7, NULL, NULL},
        {"llama", "llama.tensor_data_layout", GGUF_STRING, 0, "Meta AI original pth", NULL},
        {"llama", "llama.attention.causal", GGUF_BOOL, 1, NULL, NULL},
        {"llama", "llama.rope.dimension_sections", GGUF_ARRAY, 0, NULL, NULL},
        {"llama", "llama.expert_count", GGUF_U32, 0, NULL, NULL},
        {"llama", "llama.expert_used_count", GGUF_U32, 0, NULL, NULL},
        {"llama", "llama.pooling_type", GGUF_U32, 0, NULL, NULL},
        {"llama", "llama.rope.scaling.type", GGUF_STRING, 0, "none", NULL},
        {"llama", "llama.logit_scale", GGUF_F32, 1, NULL, NULL},
        {"gemma3", "gemma3.vision.image_size", GGUF_U32, 896, NULL, NULL},
        {"gemma3", "gemma3.mm.tokens_per_image", GGUF_U32, 256, NULL, NULL},
        {"llama", "llamas.attention.causal", GGUF_BOOL, 0, NULL, NULL},
        {"llama", "llama.attention.causal", GGUF_BOOL, 0, NULL, unknown},
        {"llama", "llama.pooling_type", GGUF_U32, 1, NULL, unknown},
        {"llama", "llama.logit_scale", GGUF_F32, 2, NULL, unknown},
        {"llama", "llama.attention.clamp_kqv", GGUF_F32, 8, NULL, unknown},
        {"llama", "llama.attention.temperature_scale", GGUF_F32, 0.1, NULL, unknown},
        {"llama", "llama.adapters.count", GGUF_U32, 1, NULL, unknown},
        {"llama", "llama.expert_shared_count", GGUF_U32, 1, NULL, unknown},
        {"llama", "llama.attention.scale", GGUF_STRING, 0, "0.5", another},
        {"llama", "llama.rope.scaling.type", GGUF_STRING, 0, "longrope",
         "rope_factors_long.weight: is missing"},
        {"gemma3", "gemma3.rope.global.freq_base", GGUF_F32, 1e6, NULL, unknown},
        {"mixtral", "llama.expert_gating_func", GGUF_U32, 2, NULL, NULL},
        {"mixtral", "llama.expert_weights_norm", GGUF_BOOL, 0, NULL, NULL},
        {"mixtral", "llama.expert_weights_scale", GGUF_F32, 2.5, NULL, NULL},
        {"mixtral", "llama.expert_gating_func", GGUF_STRING, 0, "2", another},
        {"mixtral", "llama.expert_weights_norm", GGUF_F32, 1, NULL, another},
        {"mixtral", "llama.expert_weights_scale", GGUF_STRING, 0, "2.5", another},
        {"qwen2-yarn", "qwen2.rope.scaling.yarn_log_multiplier", GGUF_STRING, 0, "1", another},
        {"mixtral", "llama.expert_group_count", GGUF_U32, 1, NULL, NULL},
        {"mixtral", "llama.expert_group_count", GGUF_U32, 2, NULL, "used_count is missing"},
        {"mixtral", "llama.expert_gating_func", GGUF_U32, 4, NULL, "neither softmax nor sigmoid"},
        {"mixtral", "llama.expert_shared_count", GGUF_U32, 1, NULL, "shexp.weight: is missing"},
        {"mixtral", "llama.leading_dense_block_count", GGUF_U32, 1, NULL,
         "blk.0.ffn_gate.weight: is missing"},
        {"mixtral", "llama.interleave_moe_layer_step", GGUF_U32, 2, NULL,
         "blk.0.ffn_gate.weight: is missing"},
        {"mixtral", "llama.nextn_predict_layers", GGUF_U32, 1, NULL, NULL},
        {"deepseek2", "deepseek2.attention.temperature_scale", GGUF_F32, 0.1, NULL, unknown},
        {"gpt-oss", "gpt-oss.expert_group_used_count", GGUF_U32, 2, NULL, unknown},
        {"gemma4-moe", "gemma4.expert_shared_count", GGUF_U32, 1, NULL, "is set, which quire"},
        {"qwen2-yarn", "qwen2.rope.scaling.yarn_ext_factor", GGUF_F32, 0, NULL, "is not 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct file file = load_with(&rows[i]);
        struct error err = {0};
        const enum status status = open_model(&file, &err);
        const char *refusal = rows[i].refusal;
        if ((status == STATUS_OK) != !refusal || (refusal && !strstr(err.text, refusal)) ||
            (refusal == unknown && !strstr(err.text, rows[i].key)))
            fail_msg("%s in %s: %s", rows[i].key, rows[i].file, err.text);
        free(file.bytes);
    }
}

static struct attention_spec last_layer_with(const struct extra *extra) {
    struct file file = load_with(extra);
    const struct model_config config = read_config(&file);
    free(file.bytes);
    return config.specs[config.layers - 1].attention;
}

static void scalings_of_old_and_new_files_are_understood(void **state) {
    (void)state;
    static const float stretch = 1.13862944f; // 1 + 0.1 ln 4
    static const struct {
        struct extra extra;
        enum rope_scaling scaling;
        float factor, magnitude;
    } rows[] = {
        {{"qwen2", "qwen2.rope.scale_linear", GGUF_F32, 4, NULL, NULL}, ROPE_LINEAR, 4, 1},
        {{"qwen2", "qwen2.rope.scaling.factor", GGUF_F32, 4, NULL, NULL}, ROPE_LINEAR, 4, 1},
        {{"qwen2", "qwen2.rope.scaling.factor", GGUF_F32, 0, NULL, NULL}, ROPE_PLAIN, 1, 1},
        {{"qwen2-yarn", "x", GGUF_U8, 0, NULL, NULL}, ROPE_YARN, 4, stretch},
        {{"qwen2-yarn", "qwen2.rope.scaling.yarn_attn_factor", GGUF_F32, 1.5, NULL, NULL},
         ROPE_YARN,
         4,
         1.5f},
        {{"qwen2-yarn", "qwen2.rope.scaling.yarn_attn_factor", GGUF_F32, 0.8782, NULL, NULL},
         ROPE_YARN,
         4,
         stretch},
        {{"qwen2-yarn", "qwen2.rope.scaling.attn_factor", GGUF_F32, 2, NULL, NULL},
         ROPE_YARN,
         4,
         2 * stretch},
        {{"qwen2-yarn", "qwen2.rope.scaling.yarn_log_multiplier", GGUF_F32, 1, NULL, NULL},
         ROPE_YARN,
         4,
         1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct rope rope = last_layer_with(&rows[i].extra).rope;
        assert_int_equal(rope.scaling, rows[i].scaling);
        assert_float_equal(rope.factor, rows[i].factor, 0);
        assert_float_equal(rope.attention_factor, rows[i].magnitude, 1e-6);
    }
    const struct extra period = {
        "gemma3", "gemma3.attention.sliding_window_pattern", GGUF_U32, 7, NULL, NULL};
    assert_int_equal(last_layer_with(&period).window, 0); // of seven layers the last
    const struct extra each = {
        "gpt-oss", "gpt-oss.attention.sliding_window_pattern", GGUF_U32, 3, NULL, NULL};
    assert_int_equal(last_layer_with(&each).window, 0);
}

static void missing_key_is_named(void **state) {
    (void)state;
    struct file file = load("llama");
    unsigned char *key = after_name(&file, "llama.feed_forward_length") - 1;
    *key = 'X';
    assert_refused(&file, STATUS_BAD_FILE, "llama.feed_forward_length is missing");
}

static void missing_tensor_is_named(void **state) {
    (void)state;
    static const char *const tensors[] = {"token_embd.weight", "blk.1.attn_k.weight",
                                          "blk.2.ffn_norm.weight", "output_norm.weight"};
    for (size_t i = 0; i < 4; i++) {
        struct file file = load("llama");
        *(after_name(&file, tensors[i]) - 1) = 'X';
        assert_refused(&file, STATUS_BAD_FILE, tensors[i]);
    }
}

static void wrong_shape_is_shown_beside_the_expected_one(void **state) {
    (void)state;
    struct file file = load("qwen2"); // ffn 96: the matrix is [96, 64]
    unsigned char *dims = after_name(&file, "blk.0.ffn_up.weight") + 4;
    set_u32(dims, 96);
    set_u32(dims + 8, 64);
    assert_refused(&file, STATUS_BAD_FILE, "expected [96, 64], found [64, 96]");
}

static void unknown_tensor_type_is_named(void **state) {
    (void)state;
    struct file file = load("qwen3");
    set_u32(after_name(&file, "blk.0.attn_v.weight") + 4 + 16, 9);
    assert_refused(&file, STATUS_UNSUPPORTED,
                   "tensor blk.0.attn_v.weight: is stored as Q8_1 (number 9), which");
    file = load("qwen3");
    set_u32(after_name(&file, "blk.0.attn_v.weight") + 4 + 16, 77);
    assert_refused(&file, STATUS_UNSUPPORTED,
                   "tensor blk.0.attn_v.weight: is stored as an unknown type (number 77), which");
}

// Where a tensor of three dimensions has its type; F16 takes the place of the files' BF16.
static void make_f16(const struct file *file, const char *name) {
    set_u32(after_name(file, name) + 4 + 24, FILE_F16);
}

static void experts_gate_and_up_are_of_one_type(void **state) {
    (void)state;
    struct file file = load("qwen3moe");
    struct error err;
    make_f16(&file, "blk.1.ffn_down_exps.weight"); // may differ, from layer to layer as well
    assert_int_equal(open_model(&file, &err), STATUS_OK);
    make_f16(&file, "blk.1.ffn_up_exps.weight");
    assert_refused(&file, STATUS_UNSUPPORTED,
                   "tensor blk.1.ffn_up_exps.weight: is f16, but ffn_gate_exps is bf16");
}

static void write_experts(struct gguf_writer *writer, const struct gguf_tensor *tensor) {
    const char *end = "_exps.weight";
    const size_t length = tensor->name.length - strlen(end);
    for (int64_t e = 0; e < tensor->shape[2]; e++) {
        const size_t bytes = tensor->bytes / (size_t)tensor->shape[2];
        char name[64];
        snprintf(name, sizeof name, "%.*s.%d.weight", (int)length, tensor->name.bytes, (int)e);
        gguf_writer_tensor(writer, name, tensor->file_type, 2, tensor->shape,
                           (const char *)tensor->data + (size_t)e * bytes, bytes);
    }
}

// A mixture whose experts have a tensor each, as in files of 2024.
static struct file load_apart(const char *name) {
    struct file whole = load(name), apart;
    struct gguf_writer writer;
    struct gguf *gguf;
    struct error err;
    assert_int_equal(gguf_open_memory(whole.bytes, whole.length, name, &gguf, &err), STATUS_OK);
    gguf_writer_init(&writer);
    copy_keys(&writer, gguf, &whole);
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(gguf, i);
        char tensor_name[GGUF_MAX_NAME_BYTES + 1];
        snprintf(tensor_name, sizeof tensor_name, "%.*s", (int)tensor->name.length,
                 tensor->name.bytes);
        if (strstr(tensor_name, "_exps.weight"))
            write_experts(&writer, tensor);
        else
            copy_tensor(&writer, tensor);
    }
    apart.bytes = gguf_writer_finish(&writer, &apart.length);
    gguf_writer_deinit(&writer);
    gguf_close(gguf);
    free(whole.bytes);
    return apart;
}

static void experts_of_a_layer_are_of_one_type_and_shape(void **state) {
    (void)state;
    struct file file = load_apart("qwen3moe");
    struct error err;
    assert_int_equal(open_model(&file, &err), STATUS_OK);
    set_u32(after_name(&file, "blk.1.ffn_gate.3.weight") + 4 + 16, FILE_F16);
    assert_refused(&file, STATUS_UNSUPPORTED,
                   "tensor blk.1.ffn_gate.3.weight: is f16, but expert 0's is bf16");
    file = load_apart("qwen3moe");
    for (int e = 0; e < 8; e++) {
        char name[64];
        snprintf(name, sizeof name, "blk.1.ffn_up.%d.weight", e);
        set_u32(after_name(&file, name) + 4 + 16, FILE_F16);
    }
    assert_refused(&file, STATUS_UNSUPPORTED,
                   "tensor blk.1.ffn_up.0.weight: is f16, but its gate is bf16");
    file = load_apart("qwen3moe");
    unsigned char *dims = after_name(&file, "blk.0.ffn_down.2.weight") + 4;
    set_u32(dims, 16);
    set_u32(dims + 8, 64);
    assert_refused(&file, STATUS_BAD_FILE,
                   "tensor blk.0.ffn_down.2.weight: expected [32, 32], found [64, 16]");
}

static void tensor_without_a_place_is_refused(void **state) {
    (void)state;
    struct file file = load("llama");
    set_key(&file, "llama.block_count", 2); // the third layer's tensors are strangers
    assert_refused(&file, STATUS_UNSUPPORTED, "has a place for only");
}

static enum status weights_of_even_rows(struct device *on, const struct weight *in_file,
                                        const void **data) {
    return in_file->columns % 64 ? STATUS_UNSUPPORTED
                                 : backend_reference()->weights(on, in_file, data);
}

// As a card does with other lengths: 96 elements a row, of a feed-forward, are none of 64.
static void rows_that_a_device_does_not_take_are_named(void **state) {
    (void)state;
    struct backend card = *backend_reference();
    struct file file = load("qwen2");
    card.weights = weights_of_even_rows;
    backend = &card;
    assert_refused(&file, STATUS_UNSUPPORTED,
                   "tensor blk.0.ffn_down.weight: has rows that are no multiple of 8, which a card "
                   "needs; --backend cpu takes it");
    backend = backend_reference();
}

static void unknown_rope_scaling_is_refused(void **state) {
    (void)state;
    struct file file = load("llama-linear");
    memcpy(after_name(&file, "llama.rope.scaling.type") + 12, "spiral", 6);
    assert_refused(&file, STATUS_UNSUPPORTED, "rope.scaling.type");
}

// Every byte of the header, three ways: refused or opened, never a crash, and what opens can be
// closed again.
static void damage_header_of(const char *name) {
    static const unsigned char flips[] = {0x01, 0x80, 0xFF};
    struct file file = load(name);
    const size_t header = (size_t)(after_name(&file, "output_norm.weight") - file.bytes) + 24;
    int refused = 0, opened = 0;
    for (size_t i = 0; i < header; i++)
        for (size_t f = 0; f < 3; f++) {
            if (!CHECK_FULL && f != i % 3) continue;
            struct error err = {0};
            struct gguf *gguf;
            struct tokenizer *tokenizer;
            file.bytes[i] ^= flips[f];
            const enum status status = open_model(&file, &err);
            assert_true(status == STATUS_OK || err.text[0]);
            refused += status != STATUS_OK;
            opened += status == STATUS_OK;
            if (gguf_open_memory(file.bytes, file.length, "test.gguf", &gguf, &err) == STATUS_OK) {
                if (tokenizer_open(gguf, &tokenizer, &err) == STATUS_OK) tokenizer_close(tokenizer);
                gguf_close(gguf);
            }
            file.bytes[i] ^= flips[f];
        }
    printf("%zu header bytes: %d damages refused, %d harmless\n", header, refused, opened);
    assert_true(refused > (CHECK_FULL ? 1000 : 300));
    free(file.bytes);
}

static void damaged_header_never_crashes(void **state) {
    (void)state;
    damage_header_of("qwen3");
    damage_header_of("gemma4-e");
}

static int open_device(void **state) {
    (void)state;
    const struct device_options options = {0};
    backend = backend_reference();
    return backend->open(&options, &device, NULL) == STATUS_OK ? 0 : -1;
}

static int close_device(void **state) {
    (void)state;
    backend->close(device);
    return 0;
}

// A device keeps its first failure; that is the reason, not the memory.
static int syncs_left;
static enum status sync_or_fail(struct device *failing) {
    const enum status status = backend_reference()->sync(failing);
    return syncs_left > 0 && syncs_left-- > 0 ? status : STATUS_DEVICE;
}

static void a_device_that_fails_while_a_model_loads_is_the_reason(void **state) {
    (void)state;
    const struct backend *const whole = backend;
    struct backend failing = *whole;
    failing.sync = sync_or_fail;
    backend = &failing;
    enum status status = STATUS_DEVICE;
    int n = 0;
    for (; status != STATUS_OK && n < 200; n++) {
        struct file file = load("gemma4-moe");
        struct error err = {0};
        syncs_left = n;
        status = open_model(&file, &err);
        if (status != STATUS_OK) {
            assert_int_equal(status, STATUS_DEVICE);
            assert_non_null(strstr(err.text, "could not be copied to the device"));
        }
        free(file.bytes);
    }
    backend = whole;
    assert_true(n > 2 && status == STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_open),
        cmocka_unit_test(unknown_family_is_named_with_those_that_are_known),
        cmocka_unit_test(keys_out_of_range_are_named),
        cmocka_unit_test(layers_that_only_draft_leave_others),
        cmocka_unit_test(layers_of_two_shapes_are_refused_where_they_do_not_fit),
        cmocka_unit_test(latent_figures_fit_one_another_and_the_tensors),
        cmocka_unit_test(windows_of_families_that_alternate_must_be_there),
        cmocka_unit_test(a_context_ends_where_what_it_takes_is_lacking),
        cmocka_unit_test(soft_caps_that_are_not_said),
        cmocka_unit_test(ollama_leaves_the_stretch_of_large_models_to_be_known),
        cmocka_unit_test(llama_4_ends_where_its_second_chunk_begins),
        cmocka_unit_test(a_block_with_two_mixers_is_two_layers),
        cmocka_unit_test(windows_that_are_not_said),
        cmocka_unit_test(tensors_of_mixed_layers_are_missed),
        cmocka_unit_test(each_key_is_understood_or_harmless_or_refused),
        cmocka_unit_test(scalings_of_old_and_new_files_are_understood),
        cmocka_unit_test(missing_key_is_named),
        cmocka_unit_test(missing_tensor_is_named),
        cmocka_unit_test(wrong_shape_is_shown_beside_the_expected_one),
        cmocka_unit_test(unknown_tensor_type_is_named),
        cmocka_unit_test(experts_gate_and_up_are_of_one_type),
        cmocka_unit_test(experts_of_a_layer_are_of_one_type_and_shape),
        cmocka_unit_test(tensor_without_a_place_is_refused),
        cmocka_unit_test(rows_that_a_device_does_not_take_are_named),
        cmocka_unit_test(a_device_that_fails_while_a_model_loads_is_the_reason),
        cmocka_unit_test(unknown_rope_scaling_is_refused),
        cmocka_unit_test(damaged_header_never_crashes),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
