// tests/engine/model/test_model.c — what model_open() refuses, and in which words.
//
// A small good file is changed in one place: the rest of it is what a converter wrote.
#include "engine/model/config_read.h"
#include "engine/model/model.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/tokenizer.h"
#include "tests/engine/model/gguf_writer.h"
#include "tests/engine/model/model_file.h"

static void valid_files_of_each_family_open(void **state) {
    (void)state;
    static const char *const names[] = {"llama", "llama-linear", "qwen2",    "qwen2-yarn",
                                        "qwen3", "gemma4",       "gemma4-e", "gemma4-moe"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct model_file file = model_file_load(names[i]);
        struct error err = {0};
        if (model_file_open(&file, &err) != STATUS_OK) fail_msg("%s: %s", names[i], err.text);
        free(file.bytes);
    }
}

static void an_unknown_family_is_refused_with_the_known_ones(void **state) {
    (void)state;
    struct model_file file = model_file_load("llama");
    memcpy(model_file_after(&file, "general.architecture") + 12, "mamba", 5);
    assert_model_refused(&file, STATUS_UNSUPPORTED,
                         "\"mamba\", a recurrent model (expected llama, qwen2");
    file = model_file_load("llama");
    memcpy(model_file_after(&file, "general.architecture") + 12, "mamba", 5);
    assert_model_refused(&file, STATUS_UNSUPPORTED, ", gpt-oss)"); // and the last of them
}

static void a_file_with_only_draft_layers_is_refused(void **state) {
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
        struct model_file file = model_file_load("glm4moe");
        model_file_set_key(&file, cases[i].key, cases[i].value);
        assert_model_refused(&file, STATUS_BAD_FILE, cases[i].key);
    }
}

static void out_of_range_keys_are_refused_by_name(void **state) {
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
        struct model_file file = model_file_load("llama");
        model_file_set_key(&file, cases[i].key, cases[i].value);
        assert_model_refused(&file, STATUS_BAD_FILE, cases[i].key);
    }
}

static void inconsistent_layer_shapes_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint32_t value;
        const char *word;
    } cases[] = {
        {"gemma4.block_count", 5, "gemma4.attention.sliding_window_pattern"},
        {"gemma4.attention.shared_kv_layers", 6, "is out of range"},
        {"gemma4.attention.shared_kv_layers", 5, "leaves a layer without a KV cache"},
        {"gemma4.attention.key_length_swa", 6, "gemma4.attention.value_length_swa"},
        {"gemma4.attention.key_length_swa", 577, "gemma4.attention.key_length_swa"},
        {"gemma4.rope.dimension_count_swa", 3, "gemma4.rope.dimension_count_swa"},
        {"gemma4.embedding_length_per_layer_input", 1u << 30, "embedding_length_per_layer_input"},
        {"gemma4.embedding_length_per_layer_input", 8, "per_layer_token_embd.weight"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_file file = model_file_load("gemma4");
        model_file_set_key(&file, cases[i].key, cases[i].value);
        const bool differs = strstr(cases[i].word, "value_length_swa") != NULL;
        assert_model_refused(&file, differs ? STATUS_UNSUPPORTED : STATUS_BAD_FILE, cases[i].word);
    }
    struct model_file other = model_file_load("gemma4-moe"); // what no model of its kind holds
    memcpy(model_file_after(&other, "v.patch_embd.weight") - 6, "wonder", 6);
    *(model_file_after(&other, "v.patch_embd.wonder") - 19) = 'w';
    assert_model_refused(&other, STATUS_UNSUPPORTED, "unexpected tensor w.patch_embd.wonder");
    struct model_file file =
        model_file_load("gemma4"); // a list: its type, its elements' type, how many
    model_file_set(model_file_after(&file, "gemma4.attention.head_count_kv") + 4 + 4 + 8 + 4, 1);
    assert_model_refused(&file, STATUS_UNSUPPORTED, "same in all layers of one kind");
}

static void inconsistent_latent_sizes_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *key;
        uint32_t value;
        enum status status;
        const char *word;
    } cases[] = {
        {"attention.kv_lora_rank", 600, STATUS_BAD_FILE, "out of range"},
        {"attention.kv_lora_rank", 570, STATUS_UNSUPPORTED, "larger than supported"},
        {"attention.kv_lora_rank", 40, STATUS_BAD_FILE, "expected [48, 32], found [40, 32]"},
        {"attention.q_lora_rank", 0, STATUS_BAD_FILE, "blk.0.attn_q.weight: is missing"},
        {"attention.key_length_mla", 8, STATUS_BAD_FILE, "longer than rope.dimension_count"},
        {"attention.value_length_mla", 16, STATUS_BAD_FILE, "attn_v_b.weight: expected [4, 16"},
        {"attention.head_count_kv", 4, STATUS_OK, NULL},
        {"expert_gating_func", 1, STATUS_OK, NULL},
        {"expert_gating_func", 0, STATUS_OK, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model_file file = model_file_load("deepseek2");
        struct error err = {0};
        char key[64];
        snprintf(key, sizeof key, "deepseek2.%s", cases[i].key);
        model_file_set_key(&file, key, cases[i].value);
        if (cases[i].word)
            assert_model_refused(&file, cases[i].status, cases[i].word);
        else
            assert_int_equal(model_file_open(&file, &err), STATUS_OK);
        if (!cases[i].word) free(file.bytes);
    }
}

static void families_with_alternating_windows_need_a_window(void **state) {
    (void)state;
    static const char *const names[] = {"gemma3", "gemma4", "gpt-oss"};
    static const uint32_t others[] = {0, 1u << 30, UINT32_MAX};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char key[64], missing[96];
        snprintf(key, sizeof key, "%s.attention.sliding_window", names[i]);
        snprintf(missing, sizeof missing, "%s is missing", key);
        struct model_file file = model_file_load(names[i]);
        *(model_file_after(&file, key) - 1) = 'X';
        assert_model_refused(&file, STATUS_BAD_FILE, missing);
        for (size_t o = 0; o < sizeof others / sizeof others[0]; o++) {
            file = model_file_load(names[i]);
            model_file_set_key(&file, key, others[o]);
            assert_model_refused(&file, STATUS_BAD_FILE, key);
        }
    }
}

// Past the context before YaRN, queries are scaled by their position.
static void a_temperature_scale_begins_at_the_context_before_yarn(void **state) {
    (void)state;
    struct model_file file = model_file_load("mistral3");
    struct model_config config = model_file_config(&file);
    assert_true(config.specs[0].attention.tempered);
    assert_float_equal(config.temperature.scale, 0.1, 1e-7);
    assert_int_equal(config.temperature.length, 64);
    model_file_hide_key(&file, "mistral3.attention.temperature_scale");
    config = model_file_config(&file);
    assert_false(config.specs[0].attention.tempered);
    assert_int_equal(config.temperature.length, 0);
    free(file.bytes);
}

// The first files of Gemma 2 do not say theirs.
static void gemma_2_soft_caps_have_defaults(void **state) {
    (void)state;
    struct model_file file = model_file_load("gemma2");
    assert_float_equal(model_file_config(&file).specs[0].attention.softcap, 5, 0);
    assert_float_equal(model_file_config(&file).logit_softcap, 6, 0);
    model_file_hide_key(&file, "gemma2.attn_logit_softcapping");
    model_file_hide_key(&file, "gemma2.final_logit_softcapping");
    assert_float_equal(model_file_config(&file).specs[0].attention.softcap, 50, 0);
    assert_float_equal(model_file_config(&file).logit_softcap, 30, 0);
    free(file.bytes);
    file = model_file_load("mistral");
    assert_float_equal(model_file_config(&file).specs[0].attention.softcap, 0, 0);
    free(file.bytes);
}

// Ollama's files of Gemma 3 leave to be known what follows from how many layers there are.
static void ollama_gemma_3_rope_scaling_follows_the_layer_count(void **state) {
    (void)state;
    struct model_file file = model_file_load("gemma3-ollama");
    static const struct {
        uint32_t layers;
        float stretch;
    } cases[] = {{7, 1}, {26, 1}, {34, 8}, {48, 8}, {62, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        model_file_set_key(&file, "gemma3.block_count", cases[i].layers);
        const struct model_config config = model_file_config(&file);
        assert_float_equal(config.specs[5].attention.rope.factor, cases[i].stretch, 0);
        assert_float_equal(config.specs[5].attention.rope.base, 1e6, 0);
        assert_float_equal(config.specs[4].attention.rope.factor, 1, 0);
        assert_float_equal(config.specs[4].attention.rope.base, 2e4, 0);
        assert_float_equal(config.norm_eps, 1e-6, 1e-9);
    }
    free(file.bytes);
}

// A first chunk, and no norm of heads in the largest.
static void llama_4_context_ends_after_its_first_chunk(void **state) {
    (void)state;
    struct model_file file = model_file_load("llama4");
    model_file_set_key(&file, "llama4.context_length", 10485760);
    assert_int_equal(model_file_config(&file).context, 8191);
    assert_true(model_file_config(&file).specs[0].attention.unit_norm);
    assert_false(model_file_config(&file).specs[3].attention.unit_norm);
    model_file_set_key(&file, "llama4.expert_count", 128);
    assert_false(model_file_config(&file).specs[0].attention.unit_norm);
    model_file_set_key(&file, "llama4.expert_used_count", 2);
    assert_model_refused(&file, STATUS_UNSUPPORTED, "expert_used_count 2 (expected 1)");
}

// Of a block's two layers the second alone attends and has a feed-forward.
static void a_block_with_two_mixers_becomes_two_layers(void **state) {
    (void)state;
    struct model_file file = model_file_load("falcon-h1");
    const struct model_config config = model_file_config(&file);
    assert_int_equal(model_config_blocks(&config), 3);
    assert_int_equal(config.layers, 6);
    for (int32_t i = 0; i < config.layers; i++) {
        const struct layer_spec *spec = &config.specs[i];
        assert_int_equal(spec->block, i / 2);
        assert_int_equal(spec->mixer, i % 2 ? MIXER_ATTENTION : MIXER_RECURRENCE);
        assert_int_equal(spec->ffn.kind, i % 2 ? FFN_DENSE : FFN_NONE);
        assert_int_equal(layer_is_joined(&config, i), i % 2);
    }
    model_file_set_key(&file, "falcon-h1.block_count", MODEL_MAX_LAYERS / 2);
    assert_int_equal(model_file_config(&file).layers, MODEL_MAX_LAYERS);
    model_file_set_key(&file, "falcon-h1.block_count", MODEL_MAX_LAYERS / 2 + 1);
    assert_model_refused(&file, STATUS_UNSUPPORTED,
                         "falcon-h1.block_count is larger than supported");
}

static void gemma_2_window_has_a_default_and_mistral_has_none(void **state) {
    (void)state;
    struct model_file file = model_file_load("gemma2");
    model_file_hide_key(&file, "gemma2.attention.sliding_window");
    model_file_set_key(&file, "gemma2.context_length", 8192);
    assert_int_equal(model_file_config(&file).specs[0].attention.window, 4096);
    model_file_set_key(&file, "gemma2.context_length", 4096); // no shorter than the context
    assert_int_equal(model_file_config(&file).specs[0].attention.window, 0);
    free(file.bytes);
    file = model_file_load("mistral");
    assert_int_equal(model_file_config(&file).specs[0].attention.window, 24);
    model_file_set_key(&file, "llama.attention.sliding_window", 0);
    assert_int_equal(model_file_config(&file).specs[0].attention.window, 0);
    model_file_set_key(&file, "llama.attention.sliding_window", 1u << 30);
    assert_model_refused(&file, STATUS_BAD_FILE, "llama.attention.sliding_window is out of range");
    file = model_file_load("phi3");
    model_file_hide_key(&file, "phi3.attention.sliding_window");
    assert_int_equal(model_file_config(&file).specs[0].attention.window, 0);
    free(file.bytes);
}

// Keys serve as values in layers without a window alone.
static void missing_tensors_of_mixed_layers_are_named(void **state) {
    (void)state;
    static const char *const tensors[][2] = {
        {"gemma4", "blk.0.attn_v.weight"},           {"gemma4", "rope_freqs.weight"},
        {"gemma4-e", "per_layer_model_proj.weight"}, {"gemma4-e", "blk.6.post_norm.weight"},
        {"gemma4-moe", "blk.1.ffn_gate_inp.scale"},  {"gemma4-moe", "blk.2.post_ffw_norm_1.weight"},
        {"nemotron_h", "blk.2.ssm_norm.weight"},     {"falcon-h1", "blk.2.ssm_in.weight"},
        {"falcon-h1", "blk.2.attn_k.weight"}};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        struct model_file file = model_file_load(tensors[i][0]);
        *(model_file_after(&file, tensors[i][1]) - 1) = 'X';
        assert_model_refused(&file, STATUS_BAD_FILE, tensors[i][1]);
    }
}

static void a_missing_key_is_named(void **state) {
    (void)state;
    struct model_file file = model_file_load("llama");
    unsigned char *key = model_file_after(&file, "llama.feed_forward_length") - 1;
    *key = 'X';
    assert_model_refused(&file, STATUS_BAD_FILE, "llama.feed_forward_length is missing");
}

static void a_missing_tensor_is_named(void **state) {
    (void)state;
    static const char *const tensors[] = {"token_embd.weight", "blk.1.attn_k.weight",
                                          "blk.2.ffn_norm.weight", "output_norm.weight"};
    for (size_t i = 0; i < 4; i++) {
        struct model_file file = model_file_load("llama");
        *(model_file_after(&file, tensors[i]) - 1) = 'X';
        assert_model_refused(&file, STATUS_BAD_FILE, tensors[i]);
    }
}

static void a_wrong_shape_is_refused_with_the_expected_one(void **state) {
    (void)state;
    struct model_file file = model_file_load("qwen2"); // ffn 96: the matrix is [96, 64]
    unsigned char *dims = model_file_after(&file, "blk.0.ffn_up.weight") + 4;
    model_file_set(dims, 96);
    model_file_set(dims + 8, 64);
    assert_model_refused(&file, STATUS_BAD_FILE, "expected [96, 64], found [64, 96]");
}

static void an_unsupported_tensor_type_is_named(void **state) {
    (void)state;
    struct model_file file = model_file_load("qwen3");
    model_file_set(model_file_after(&file, "blk.0.attn_v.weight") + 4 + 16, 9);
    assert_model_refused(&file, STATUS_UNSUPPORTED,
                         "tensor blk.0.attn_v.weight: has type Q8_1 (number 9), which");
    file = model_file_load("qwen3");
    model_file_set(model_file_after(&file, "blk.0.attn_v.weight") + 4 + 16, 77);
    assert_model_refused(&file, STATUS_UNSUPPORTED,
                         "tensor blk.0.attn_v.weight: has type unknown (number 77), which");
}

// Where a tensor of three dimensions has its type; F16 takes the place of the files' BF16.
static void make_f16(const struct model_file *file, const char *name) {
    model_file_set(model_file_after(file, name) + 4 + 24, FILE_F16);
}

static void gate_and_up_experts_must_have_one_type(void **state) {
    (void)state;
    struct model_file file = model_file_load("qwen3moe");
    struct error err;
    make_f16(&file, "blk.1.ffn_down_exps.weight"); // may differ, from layer to layer as well
    assert_int_equal(model_file_open(&file, &err), STATUS_OK);
    make_f16(&file, "blk.1.ffn_up_exps.weight");
    assert_model_refused(
        &file, STATUS_UNSUPPORTED,
        "tensor blk.1.ffn_up_exps.weight: has type f16, but ffn_gate_exps has type bf16");
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
static struct model_file load_apart(const char *name) {
    struct model_file whole = model_file_load(name), apart;
    struct gguf_writer writer;
    struct gguf *gguf;
    struct error err;
    assert_int_equal(gguf_open_memory(whole.bytes, whole.length, name, &gguf, &err), STATUS_OK);
    gguf_writer_init(&writer);
    model_file_copy_keys(&writer, gguf, &whole);
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(gguf, i);
        char tensor_name[GGUF_MAX_NAME_BYTES + 1];
        snprintf(tensor_name, sizeof tensor_name, "%.*s", (int)tensor->name.length,
                 tensor->name.bytes);
        if (strstr(tensor_name, "_exps.weight"))
            write_experts(&writer, tensor);
        else
            model_file_copy_tensor(&writer, tensor);
    }
    apart.bytes = gguf_writer_finish(&writer, &apart.length);
    gguf_writer_deinit(&writer);
    gguf_close(gguf);
    free(whole.bytes);
    return apart;
}

static void experts_of_a_layer_must_have_one_type_and_shape(void **state) {
    (void)state;
    struct model_file file = load_apart("qwen3moe");
    struct error err;
    assert_int_equal(model_file_open(&file, &err), STATUS_OK);
    model_file_set(model_file_after(&file, "blk.1.ffn_gate.3.weight") + 4 + 16, FILE_F16);
    assert_model_refused(
        &file, STATUS_UNSUPPORTED,
        "tensor blk.1.ffn_gate.3.weight: has type f16, but expert 0 has type bf16");
    file = load_apart("qwen3moe");
    for (int e = 0; e < 8; e++) {
        char name[64];
        snprintf(name, sizeof name, "blk.1.ffn_up.%d.weight", e);
        model_file_set(model_file_after(&file, name) + 4 + 16, FILE_F16);
    }
    assert_model_refused(&file, STATUS_UNSUPPORTED,
                         "tensor blk.1.ffn_up.0.weight: has type f16, but the gate has type bf16");
    file = load_apart("qwen3moe");
    unsigned char *dims = model_file_after(&file, "blk.0.ffn_down.2.weight") + 4;
    model_file_set(dims, 16);
    model_file_set(dims + 8, 64);
    assert_model_refused(&file, STATUS_BAD_FILE,
                         "tensor blk.0.ffn_down.2.weight: expected [32, 32], found [64, 16]");
}

static void set_number(const struct model_file *file, const char *name, size_t nth, float value) {
    struct gguf *gguf;
    struct error err;
    assert_int_equal(gguf_open_memory(file->bytes, file->length, "scaled", &gguf, &err), STATUS_OK);
    const unsigned char *numbers = gguf_find_tensor(gguf, name)->data;
    memcpy(file->bytes + (numbers - file->bytes) + nth * sizeof value, &value, sizeof value);
    gguf_close(gguf);
}

// What activations were scaled by is passed over.
static void scales_of_nvfp4_matrices_are_checked(void **state) {
    (void)state;
    static const char expected[] = "expected a finite number other than 0";
    static const struct {
        const char *tensor;
        size_t nth;
        float value;
        const char *refusal;
    } rows[] = {{"blk.0.attn_q.scale", 0, -2, NULL},
                {"blk.0.attn_q.scale", 0, 0, expected},
                {"blk.0.attn_q.scale", 0, NAN, expected},
                {"blk.1.ffn_down_exps.scale", 3, -INFINITY, expected},
                {"blk.1.ffn_gate_exps.scale", 2, 0, expected},
                {"blk.0.attn_q.input_scale", 0, NAN, NULL}};
    struct model_file file;
    struct error err;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        file = model_file_load("qwen3moe-nvfp4");
        set_number(&file, rows[i].tensor, rows[i].nth, rows[i].value);
        if (!rows[i].refusal) assert_int_equal(model_file_open(&file, &err), STATUS_OK);
        if (rows[i].refusal)
            assert_model_refused(&file, STATUS_BAD_FILE, rows[i].refusal);
        else
            free(file.bytes);
    }
    file = model_file_load("qwen3moe-nvfp4");
    model_file_set(model_file_after(&file, "blk.0.ffn_up_exps.scale") + 4, 3);
    assert_model_refused(&file, STATUS_BAD_FILE,
                         "tensor blk.0.ffn_up_exps.scale: expected [1, 4], found [1, 3]");
    file = model_file_load("qwen3moe-nvfp4");
    model_file_set(model_file_after(&file, "blk.0.attn_k.scale") + 4 + 8, FILE_F16);
    assert_model_refused(&file, STATUS_UNSUPPORTED,
                         "tensor blk.0.attn_k.scale: has type f16, expected f32");
}

static enum status weights_of_even_rows(struct device *on, const struct weight *in_file,
                                        const void **data) {
    return in_file->columns % 64 ? STATUS_UNSUPPORTED
                                 : backend_reference()->weights(on, in_file, data);
}

// As a card does with other lengths: 96 elements a row, of a feed-forward, are none of 64.
static void rows_that_the_device_cannot_take_are_named(void **state) {
    (void)state;
    struct backend card = *backend_reference();
    struct model_file file = model_file_load("qwen2");
    card.weights = weights_of_even_rows;
    model_file_backend = &card;
    assert_model_refused(&file, STATUS_UNSUPPORTED,
                         "tensor blk.0.ffn_down.weight: row length must be a multiple of 8 on the "
                         "GPU; use --backend cpu");
    model_file_backend = backend_reference();
}

// Every byte of the header, three ways: refused or opened, never a crash, and what opens can be
// closed again.
static void damage_header_of(const char *name) {
    static const unsigned char flips[] = {0x01, 0x80, 0xFF};
    struct model_file file = model_file_load(name);
    const size_t header = (size_t)(model_file_after(&file, "output_norm.weight") - file.bytes) + 24;
    int refused = 0, opened = 0;
    for (size_t i = 0; i < header; i++)
        for (size_t f = 0; f < 3; f++) {
            if (!CHECK_FULL && f != i % 3) continue;
            struct error err = {0};
            struct gguf *gguf;
            struct tokenizer *tokenizer;
            file.bytes[i] ^= flips[f];
            const enum status status = model_file_open(&file, &err);
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

static void no_damaged_header_crashes_the_loader(void **state) {
    (void)state;
    damage_header_of("qwen3");
    damage_header_of("gemma4-e");
}

// A device keeps its first failure; that is the reason, not the memory.
static int syncs_left;
static enum status sync_or_fail(struct device *failing) {
    const enum status status = backend_reference()->sync(failing);
    return syncs_left > 0 && syncs_left-- > 0 ? status : STATUS_DEVICE;
}

static void a_device_failure_during_loading_is_reported(void **state) {
    (void)state;
    const struct backend *const whole = model_file_backend;
    struct backend failing = *whole;
    failing.sync = sync_or_fail;
    model_file_backend = &failing;
    enum status status = STATUS_DEVICE;
    int n = 0;
    for (; status != STATUS_OK && n < 200; n++) {
        struct model_file file = model_file_load("gemma4-moe");
        struct error err = {0};
        syncs_left = n;
        status = model_file_open(&file, &err);
        if (status != STATUS_OK) {
            assert_int_equal(status, STATUS_DEVICE);
            assert_non_null(strstr(err.text, "cannot be copied to the device"));
        }
        free(file.bytes);
    }
    model_file_backend = whole;
    assert_true(n > 2 && status == STATUS_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_files_of_each_family_open),
        cmocka_unit_test(an_unknown_family_is_refused_with_the_known_ones),
        cmocka_unit_test(out_of_range_keys_are_refused_by_name),
        cmocka_unit_test(a_file_with_only_draft_layers_is_refused),
        cmocka_unit_test(inconsistent_layer_shapes_are_refused),
        cmocka_unit_test(inconsistent_latent_sizes_are_refused),
        cmocka_unit_test(families_with_alternating_windows_need_a_window),
        cmocka_unit_test(a_temperature_scale_begins_at_the_context_before_yarn),
        cmocka_unit_test(gemma_2_soft_caps_have_defaults),
        cmocka_unit_test(ollama_gemma_3_rope_scaling_follows_the_layer_count),
        cmocka_unit_test(llama_4_context_ends_after_its_first_chunk),
        cmocka_unit_test(a_block_with_two_mixers_becomes_two_layers),
        cmocka_unit_test(gemma_2_window_has_a_default_and_mistral_has_none),
        cmocka_unit_test(missing_tensors_of_mixed_layers_are_named),
        cmocka_unit_test(a_missing_key_is_named),
        cmocka_unit_test(a_missing_tensor_is_named),
        cmocka_unit_test(a_wrong_shape_is_refused_with_the_expected_one),
        cmocka_unit_test(an_unsupported_tensor_type_is_named),
        cmocka_unit_test(gate_and_up_experts_must_have_one_type),
        cmocka_unit_test(experts_of_a_layer_must_have_one_type_and_shape),
        cmocka_unit_test(scales_of_nvfp4_matrices_are_checked),
        cmocka_unit_test(rows_that_the_device_cannot_take_are_named),
        cmocka_unit_test(a_device_failure_during_loading_is_reported),
        cmocka_unit_test(no_damaged_header_crashes_the_loader),
    };
    return cmocka_run_group_tests(tests, model_file_open_device, model_file_close_device);
}
