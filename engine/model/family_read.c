// engine/model/family_read.c — what no key says about the layers of a family, in code.
//
// Three things tell the layers of one model apart: a window, a rotary base of its own, and the kind
// of layer (attention, recurrence, experts). Files say so in three ways, which the helpers read in
// this order: a list with an entry for each layer; a period ("each sixth layer sees all"), which
// metadata_pattern() turns into such a list; or nothing, where the family's paper is the only
// source and its number stands here. A function of a family then says only which key has the list,
// which period is usual, and what the layers that are picked out differ in.
//
// What cannot be known is not guessed: a window without a list of layers shortens the context to
// the window (family_read_plain), for within it all layers compute the same.
#include "engine/model/family_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/layer_part.h"
#include "kernels/base/assert.h"

static const char WINDOW[] = "attention.sliding_window";
static const char PATTERN[] = "attention.sliding_window_pattern";
static const char WINDOW_BASE[] = "rope.freq_base_swa";

// Within its window, sliding attention is full attention: where it is not known which layers have
// one, a shorter context is exact.
void family_read_plain(struct metadata *metadata, struct model_config *config) {
    int64_t window = 0;
    metadata_find_int(metadata, WINDOW, &window);
    if (window > 0 && window < config->context) config->context = (int32_t)window;
}

// Layers with a window, to slides[layers] as well: those of the file's list, or all but each
// `period`-th (metadata_pattern()); 0: all. A window as long as the context is none. They may have
// a base of their own.
static void set_windows(struct metadata *metadata, struct model_config *config, int32_t window,
                        int32_t period, bool *slides) {
    ASSERT(window >= 0 && config->layers <= MODEL_MAX_LAYERS);
    const bool based = window > 0 && period != 0;
    metadata_pattern(metadata, PATTERN, config->layers, period, slides);
    if (window >= config->context) window = 0;
    for (int32_t i = 0; i < config->layers; i++) {
        struct attention_spec *attention = &config->specs[i].attention;
        attention->window = slides[i] ? window : 0;
        if (slides[i] && based)
            attention->rope.base = metadata_float(metadata, WINDOW_BASE, attention->rope.base);
        if (attention->rope.base < 1)
            metadata_fail(metadata, STATUS_BAD_FILE, WINDOW_BASE, "must be at least 1");
    }
}

// Nothing but the window tells what such layers are, so it must be there, or be `usual`.
static int32_t read_window(struct metadata *metadata, int32_t usual) {
    return metadata_int(metadata, WINDOW, usual, MODEL_MAX_CONTEXT);
}

static void set_attention_scale(struct metadata *metadata, struct model_config *config,
                                float otherwise) {
    const float scale = metadata_factor(metadata, "attention.scale", otherwise);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.scale = scale;
}

// The largest of Gemma 2 and 3 scale scores by the share of a head in dim, not by its size.
static void set_scale_by_share(struct metadata *metadata, struct model_config *config) {
    const int32_t share = config->dim / config->specs[0].attention.heads;
    set_attention_scale(metadata, config, 1.0f / sqrtf((float)(share > 0 ? share : 1)));
}

// Of layers with a window that are rotated by a base of their own: nothing stretches their context.
static struct rope window_rope(struct metadata *metadata, const struct rope *global, float base) {
    const struct rope rope = {
        .base = metadata_float(metadata, WINDOW_BASE, base),
        .dimensions = global->dimensions,
        .factor = 1.0f,
        .attention_factor = 1.0f,
        .interleaved = global->interleaved,
        .divisors = DIVISORS_IGNORED,
    };
    return rope;
}

// Rotated elements of a head of `size` elements in such layers.
static int32_t window_dimensions(struct metadata *metadata, int32_t otherwise, int32_t size) {
    static const char key[] = "rope.dimension_count_swa";
    const int32_t dimensions = metadata_int(metadata, key, otherwise, size);
    if (dimensions % 2) metadata_fail(metadata, STATUS_BAD_FILE, key, "must be even");
    return dimensions;
}

// Llama's files and Phi-3's: a window is all layers'.
void family_read_windowed(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    const int32_t window = metadata_count(metadata, WINDOW, MODEL_MAX_CONTEXT);
    set_windows(metadata, config, window, 0, slides);
}

// Queries are scaled by how often a length fits before them.
static void set_temperature(struct metadata *metadata, struct model_config *config,
                            int32_t length) {
    const float scale = metadata_float(metadata, "attention.temperature_scale", 0);
    if (scale > 100)
        metadata_fail(metadata, STATUS_BAD_FILE, "attention.temperature_scale", "is out of range");
    if (scale == 0) return;
    config->temperature = (struct temperature){scale, length};
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.tempered = true;
}

// The length is the context before YaRN stretched it.
void family_read_mistral3(struct metadata *metadata, struct model_config *config) {
    family_read_plain(metadata, config);
    set_temperature(metadata, config, config->specs[0].attention.rope.original_context);
}

// Converters of models that also see reorder the pairs of queries and keys into halves. Sections of
// 0 are none.
void family_read_glm4(struct metadata *metadata, struct model_config *config) {
    struct gguf_array sections;
    bool halves = false;
    family_read_plain(metadata, config);
    if (gguf_find_array(metadata->gguf, "glm4.rope.dimension_sections", &sections) &&
        (sections.type == GGUF_I32 || sections.type == GGUF_U32))
        for (size_t i = 0; i < sections.count; i++)
            halves = halves || gguf_array_int(&sections, i) != 0;
    for (int32_t i = 0; i < config->layers && halves; i++)
        config->specs[i].attention.rope.interleaved = false;
}

// The largest norms queries and keys, and no key says so.
void family_read_glm4_moe(struct metadata *metadata, struct model_config *config) {
    family_read_plain(metadata, config);
    const bool normed = gguf_find_tensor(metadata->gguf, "blk.0.attn_q_norm.weight") != NULL;
    for (int32_t i = 0; i < config->layers && normed; i++)
        config->specs[i].attention.qk_norm = QK_NORM_HEAD;
}

static void scale_embedding(struct model_config *config) {
    config->embedding_scale = sqrtf((float)config->dim);
}

void family_read_gemma(struct metadata *metadata, struct model_config *config) {
    scale_embedding(config);
    family_read_plain(metadata, config);
}

// The first files do not state their window and soft caps.
void family_read_gemma2(struct metadata *metadata, struct model_config *config) {
    enum { LAYERS_OF_27B = 46 };
    bool slides[MODEL_MAX_LAYERS];
    const float softcap = metadata_float(metadata, "attn_logit_softcapping", 50);
    scale_embedding(config);
    set_windows(metadata, config, read_window(metadata, 4096), 2, slides);
    config->logit_softcap = metadata_float(metadata, "final_logit_softcapping", 30);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.softcap = softcap;
    if (config->layers == LAYERS_OF_27B) set_scale_by_share(metadata, config);
}

// Ollama's files have names of their own for the bases, or none, and leave the stretch of the
// larger models to be known by their layers, and that the smallest has no soft cap, whatever they
// say.
static float read_gemma3_of_ollama(struct metadata *metadata, struct model_config *config) {
    enum { OF_1B = 26, OF_4B = 34, OF_12B = 48, OF_27B = 62 };
    const int32_t layers = config->layers;
    const bool stretched = layers == OF_4B || layers == OF_12B || layers == OF_27B;
    const float local = metadata_float(metadata, "rope.local.freq_base", 0);
    const bool based = metadata->folder || metadata_has(metadata, "rope.freq_base");
    if (based && local == 0) return 10000.0f;
    for (int32_t i = 0; i < layers; i++) {
        struct rope *rope = &config->specs[i].attention.rope;
        if (!based) rope->base = metadata_factor(metadata, "rope.global.freq_base", 1000000);
        if (!stretched || rope->scaling != ROPE_PLAIN) continue;
        rope->scaling = ROPE_LINEAR;
        rope->factor = 8;
    }
    if (layers == OF_1B) config->logit_softcap = 0;
    return local > 0 ? local : 10000.0f;
}

// A layer in six sees all keys, and alone has its rotation stretched for a long context.
void family_read_gemma3(struct metadata *metadata, struct model_config *config) {
    enum { LAYERS_OF_27B = 62 };
    bool slides[MODEL_MAX_LAYERS];
    const float local_base = read_gemma3_of_ollama(metadata, config);
    scale_embedding(config);
    set_windows(metadata, config, read_window(metadata, 0), 6, slides);
    for (int32_t i = 0; i < config->layers; i++) {
        struct rope *rope = &config->specs[i].attention.rope;
        if (slides[i]) *rope = window_rope(metadata, rope, local_base);
    }
    if (config->layers == LAYERS_OF_27B) set_scale_by_share(metadata, config);
}

// The last layers have no keys and values of their own and see those of the last layer of their
// kind that has.
static void share_kv(struct metadata *metadata, struct model_config *config, const bool *slides) {
    static const char key[] = "attention.shared_kv_layers";
    const int32_t shared = metadata_count(metadata, key, config->layers - 1);
    const int32_t first = config->layers - shared;
    ASSERT(first >= 0 && first <= config->layers);
    for (int32_t i = first; i < config->layers; i++) {
        int32_t source = first - 1;
        while (source >= 0 && slides[source] != slides[i])
            source--;
        if (source < 0)
            metadata_fail(metadata, STATUS_BAD_FILE, key,
                          "leaves a layer without a KV cache to share");
        config->specs[i].attention.kv_source = source < 0 ? i : source;
    }
}

// Layers with a window have heads of a size of their own and may have another number of them. In
// the others keys may be values.
void family_read_gemma4(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    const int32_t global_size = config->specs[0].attention.head_size;
    const int32_t size =
        metadata_int(metadata, "attention.key_length_swa", global_size, MODEL_MAX_HEAD_SIZE);
    if (metadata_int(metadata, "attention.value_length_swa", size, MODEL_MAX_HEAD_SIZE) != size)
        metadata_fail(metadata, STATUS_UNSUPPORTED, "attention.value_length_swa",
                      "differs from attention.key_length_swa, which is not supported");
    const int32_t rotated = window_dimensions(metadata, size, size);
    metadata_require(metadata, PATTERN);
    scale_embedding(config);
    set_attention_scale(metadata, config, 1);
    set_windows(metadata, config, read_window(metadata, 0), 0, slides);
    for (int32_t i = 0; i < config->layers; i++) {
        struct attention_spec *attention = &config->specs[i].attention;
        attention->value_optional = !slides[i];
        if (!slides[i]) continue;
        attention->head_size = size;
        attention->rope = window_rope(metadata, &attention->rope, 10000.0f);
        attention->rope.dimensions = rotated;
    }
    share_kv(metadata, config, slides);
    config->per_layer_embedding =
        metadata_count(metadata, "embedding_length_per_layer_input", MODEL_MAX_DIM);
}

// Each fourth layer is not rotated, or those that the list has as 0, in spite of its name.
void family_read_smollm3(struct metadata *metadata, struct model_config *config) {
    bool rotated[MODEL_MAX_LAYERS];
    family_read_plain(metadata, config);
    metadata_pattern(metadata, "no_rope_layers", config->layers, 4, rotated);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = !rotated[i];
}

// All blocks are passed several times, each time with keys and values of their own, and between two
// passes the stream is normed as the last one's result is.
void family_read_nanbeige(struct metadata *metadata, struct model_config *config) {
    static const char key[] = "num_loops", again[] = "attention.head_dim";
    const int32_t passes = metadata_int(metadata, key, 1, MODEL_MAX_LAYERS);
    const bool normed = !metadata_flag(metadata, "skip_loop_final_norm", false);
    const int32_t blocks = config->layers, size = config->specs[0].attention.head_size;
    family_read_plain(metadata, config);
    if (metadata_int(metadata, again, size, MODEL_MAX_HEAD_SIZE) != size)
        metadata_fail(metadata, STATUS_BAD_FILE, again, "is not attention.key_length");
    if (passes > MODEL_MAX_LAYERS / blocks) {
        metadata_fail(metadata, STATUS_UNSUPPORTED, key, "makes more layers than supported");
        return;
    }
    config->layers = passes * blocks;
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        *spec = config->specs[i % blocks];
        spec->attention.kv_source = i;
        spec->revisits = i - i % blocks;
        spec->stream_norm = normed && i % blocks == blocks - 1 && i + 1 < config->layers;
    }
}

// By this key files say that a model was trained without rotation, or by a newer one.
void family_read_granite(struct metadata *metadata, struct model_config *config) {
    int64_t rotated = metadata_flag(metadata, "rope.scaling.finetuned", true);
    metadata_find_int(metadata, "attention.rope_pattern", &rotated);
    family_read_plain(metadata, config);
    config->logit_scale = 1 / metadata_factor(metadata, "logit_scale", 1.0f);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = rotated == 0;
}

// Files list the layers with windows, and those that are rotated where not all are.
void family_read_granite_swa(struct metadata *metadata, struct model_config *config) {
    static const char list_key[] = "attention.rope_pattern";
    bool slides[MODEL_MAX_LAYERS], rotated[MODEL_MAX_LAYERS];
    metadata_require(metadata, PATTERN);
    set_windows(metadata, config, read_window(metadata, 0), 0, slides);
    metadata_pattern(metadata, list_key, config->layers, 0, rotated);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = !rotated[i];
    config->logit_scale = 1 / metadata_factor(metadata, "logit_scale", 1.0f);
}

// OLMo 3 is OLMo 2 with windows in three layers of four, where nothing stretches the context; and
// so is Mellum 2 Qwen 3's mixture.
void family_read_olmo2(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    if (!metadata_is_set(metadata, WINDOW)) return;
    set_windows(metadata, config, read_window(metadata, 0), 4, slides);
    for (int32_t i = 0; i < config->layers; i++) {
        struct rope *rope = &config->specs[i].attention.rope;
        if (slides[i]) *rope = window_rope(metadata, rope, rope->base);
    }
}

// Hybrids, which have windows in three layers of four, do not rotate the fourth.
void family_read_exaone4(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    if (!metadata_is_set(metadata, WINDOW)) return;
    set_windows(metadata, config, read_window(metadata, 0), 4, slides);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = !slides[i];
}

// Layers with windows, three of four, are the ones that are rotated. The embedding of all files is
// scaled, and that of a folder where it says so.
void family_read_afmoe(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    const int32_t window = metadata_count(metadata, WINDOW, MODEL_MAX_CONTEXT);
    if (!metadata->folder && !metadata_has(metadata, "embedding_scale")) scale_embedding(config);
    set_windows(metadata, config, window, 4, slides);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = !slides[i];
}

// The embedding is normed, and the norms of what layers add have an epsilon that no file states.
// Layers with windows, three of four, are the ones that are rotated, unless a folder says
// otherwise. What files have as weights of the norms of queries and keys is a factor in folders.
void family_read_muse_glimmer(struct metadata *metadata, struct model_config *config) {
    static const char list_key[] = "attention.rope_pattern";
    bool slides[MODEL_MAX_LAYERS], rotated[MODEL_MAX_LAYERS];
    const float factor = metadata_factor(metadata, "attention.query_scale", 1);
    set_windows(metadata, config, read_window(metadata, 0), 4, slides);
    memcpy(rotated, slides, sizeof rotated);
    if (metadata->folder) metadata_require(metadata, PATTERN);
    if (metadata->folder && metadata_has(metadata, list_key))
        metadata_pattern(metadata, list_key, config->layers, 0, rotated);
    for (int32_t i = 0; i < config->layers; i++) {
        struct attention_spec *attention = &config->specs[i].attention;
        attention->no_rope = !rotated[i];
        attention->scale *= factor;
        if (!metadata->folder) continue;
        attention->qk_norm = QK_NORM_NONE;
        attention->unit_norm = true;
    }
    config->embedding_norm = true;
    config->post_norm_eps = metadata_float(metadata, "attention.post_norm_epsilon", 1e-8f);
    config->logit_scale = metadata_factor(metadata, "logit_scale", NAN);
}

static bool layer_has(const struct metadata *metadata, int32_t layer, const char *part) {
    char name[48];
    snprintf(name, sizeof name, "blk.%" PRId32 ".%s", layer, part);
    return gguf_find_tensor(metadata->gguf, name) != NULL;
}

// One layer of four, from the first on, sees everything, and its rotation alone is stretched. A
// gate is of a head or of each of its elements, and the matrix says which.
void family_read_laguna(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    const int32_t window = metadata_count(metadata, WINDOW, MODEL_MAX_CONTEXT);
    const int32_t size = config->specs[0].attention.head_size;
    const int32_t rotated =
        window_dimensions(metadata, config->specs[0].attention.rope.dimensions, size);
    set_windows(metadata, config, window, -4, slides);
    for (int32_t i = 0; i < config->layers; i++) {
        struct attention_spec *attention = &config->specs[i].attention;
        char gate[48];
        snprintf(gate, sizeof gate, "blk.%" PRId32 ".attn_gate.weight", i);
        const struct gguf_tensor *tensor = gguf_find_tensor(metadata->gguf, gate);
        if (tensor && tensor->shape[1] == attention->heads) attention->gate = GATE_HEAD;
        if (!slides[i] || window == 0) continue;
        attention->rope = window_rope(metadata, &attention->rope, attention->rope.base);
        attention->rope.dimensions = rotated;
    }
}

// One layer of four, from the first on, sees everything and is not rotated; without a window all
// are.
void family_read_smallthinker(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    if (!metadata_is_set(metadata, WINDOW)) return;
    set_windows(metadata, config, read_window(metadata, 0), -4, slides);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = !slides[i];
}

// Layers with a window are listed, and rotate all that the file states; of the others' heads half
// of it is rotated, and what a folder states. Feed-forwards may have limits, layer by layer.
void family_read_step35(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    float limits[MODEL_MAX_LAYERS], expert_limits[MODEL_MAX_LAYERS];
    const int32_t stated = config->specs[0].attention.rope.dimensions;
    const int32_t rotated = metadata->folder ? stated : stated / 2;
    const int32_t in_windows =
        window_dimensions(metadata, stated, config->specs[0].attention.head_size);
    if (rotated % 2)
        metadata_fail(metadata, STATUS_BAD_FILE, "rope.dimension_count", "must be a multiple of 4");
    metadata_require(metadata, PATTERN);
    set_windows(metadata, config, read_window(metadata, 0), 0, slides);
    metadata_reals(metadata, "swiglu_clamp_shexp", config->layers, limits);
    metadata_reals(metadata, "swiglu_clamp_exp", config->layers, expert_limits);
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        spec->ffn.limit = limits[i];
        spec->ffn.expert_limit = expert_limits[i];
        if (slides[i])
            spec->attention.rope = window_rope(metadata, &spec->attention.rope, 10000.0f);
        spec->attention.rope.dimensions = slides[i] ? in_windows : rotated;
    }
}

// Layers with a window are listed. Tensors tell which layers have sinks, and which experts.
void family_read_mimo2(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    const float value_scale = metadata_factor(metadata, "attention.value_scale", 1);
    const int32_t rotated = window_dimensions(metadata, config->specs[0].attention.rope.dimensions,
                                              config->specs[0].attention.head_size);
    metadata_require(metadata, PATTERN);
    set_windows(metadata, config, read_window(metadata, 0), 0, slides);
    for (int32_t i = 0; i < config->layers; i++) {
        struct attention_spec *attention = &config->specs[i].attention;
        struct ffn_spec *ffn = &config->specs[i].ffn;
        if (slides[i]) {
            attention->rope = window_rope(metadata, &attention->rope, 10000.0f);
            attention->rope.dimensions = rotated;
        }
        attention->sinks = layer_has(metadata, i, "attn_sinks.weight");
        if (value_scale != 1) attention->value_scale = value_scale;
        if (layer_has(metadata, i, "ffn_gate_inp.weight")) continue;
        ffn->kind = FFN_DENSE;
        ffn->experts = ffn->experts_used = ffn->expert_width = 0;
    }
}

// Files say how scores become weights, but for the first of a family whose choices have a bias.
// With a softmax (V2) groups are ranked by their best expert.
void family_read_deepseek2(struct metadata *metadata, struct model_config *config) {
    static const char key[] = "expert_gating_func";
    char bias[48];
    family_read_plain(metadata, config);
    snprintf(bias, sizeof bias, "blk.%" PRId32 ".exp_probs_b.bias", config->layers - 1);
    const bool biased = gguf_find_tensor(metadata->gguf, bias) != NULL;
    for (int32_t i = 0; i < config->layers; i++) {
        struct ffn_spec *ffn = &config->specs[i].ffn;
        if (biased && !metadata_is_set(metadata, key)) ffn->gating = GATING_SIGMOID;
        ffn->best_of_group = ffn->gating == GATING_SOFTMAX;
    }
}

// Its scales are in no file: what a base model of width 256 was trained with, as it was published.
void family_read_minicpm3(struct metadata *metadata, struct model_config *config) {
    family_read_plain(metadata, config);
    config->embedding_scale = 12;
    config->logit_scale = 256 / (float)config->dim;
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].residual_scale = 1.4f / sqrtf((float)config->layers);
}

// A folder has the length of its YaRN.
void family_read_mistral4(struct metadata *metadata, struct model_config *config) {
    const int32_t original = config->specs[0].attention.rope.original_context;
    family_read_deepseek2(metadata, config);
    set_temperature(metadata, config,
                    metadata_is_set(metadata, "attention.temperature_scale")
                        ? metadata_int(metadata, "attention.temperature_length",
                                       metadata->folder ? original : 0, MODEL_MAX_CONTEXT)
                        : original);
}

void family_read_command_r(struct metadata *metadata, struct model_config *config) {
    family_read_plain(metadata, config);
    config->logit_scale = metadata_factor(metadata, "logit_scale", 1);
}

// Three layers of four have a window, and the others are not rotated.
void family_read_cohere2(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    set_windows(metadata, config, read_window(metadata, 0), 4, slides);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = !slides[i];
    config->logit_scale = metadata_factor(metadata, "logit_scale", NAN);
}

// One layer of four, from the first on, sees everything and is not rotated unless its feed-forward
// is dense. Which epsilon a file states says how it norms.
void family_read_cohere2moe(struct metadata *metadata, struct model_config *config) {
    static const char rms[] = "attention.layer_norm_rms_epsilon";
    bool slides[MODEL_MAX_LAYERS];
    set_windows(metadata, config, read_window(metadata, 0), -4, slides);
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        spec->attention.no_rope = !slides[i] && spec->ffn.kind != FFN_DENSE;
    }
    if (metadata_is_set(metadata, rms)) {
        config->norms = NORM_RMS;
        config->norm_eps = metadata_float(metadata, rms, NAN);
    }
    config->logit_scale = metadata_factor(metadata, "logit_scale", NAN);
}

// Layers attend within chunks of 8192 tokens, but each fourth, which is not rotated, and whose
// queries are scaled by how many chunks came before them: not within the first one, which is all of
// the context here. No key tells that the largest model norms no heads.
void family_read_llama4(struct metadata *metadata, struct model_config *config) {
    enum { CHUNK = 8192, LARGEST = 128 };
    bool rotated[MODEL_MAX_LAYERS];
    const bool chunked = !metadata_has(metadata, WINDOW) || metadata_is_set(metadata, WINDOW);
    const int32_t experts = metadata_int(metadata, "expert_count", 0, EXPERTS_MAX);
    metadata_has(metadata, "attention.temperature_scale");
    metadata_pattern(metadata, PATTERN, config->layers, chunked ? 4 : 0, rotated);
    if (metadata_int(metadata, "expert_used_count", 0, EXPERTS_USED_MAX) != 1)
        metadata_unsupported(metadata, "expert_used_count", "1");
    if (chunked && config->context >= CHUNK) config->context = CHUNK - 1;
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        spec->attention.no_rope = !rotated[i];
        spec->attention.unit_norm = rotated[i] && experts != LARGEST;
        if (spec->ffn.kind == FFN_DENSE) continue;
        spec->ffn.kind = FFN_SHARED_EXPERT;
        spec->ffn.width = spec->ffn.expert_width;
    }
}

void family_read_gpt_oss(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    set_windows(metadata, config, read_window(metadata, 0), 2, slides);
    if (config->specs[0].ffn.experts == 0)
        metadata_fail(metadata, STATUS_BAD_FILE, "expert_count", "is missing");
}

// A file lists the recurrent layers, or says that all but each n-th are.
void family_read_qwen3next(struct metadata *metadata, struct model_config *config) {
    static const char list_key[] = "attention.recurrent_layers";
    bool recurrent[MODEL_MAX_LAYERS];
    struct recurrence_spec delta = recurrence_read(metadata, RECURRENCE_DELTA);
    delta.tiled = !metadata->folder && strcmp(config->family, "qwen3next") != 0;
    family_read_plain(metadata, config);
    metadata_pattern(metadata, "full_attention_interval", config->layers, 4, recurrent);
    if (metadata_has(metadata, list_key))
        metadata_pattern(metadata, list_key, config->layers, 0, recurrent);
    for (int32_t i = 0; i < config->layers; i++)
        if (recurrent[i]) config->specs[i].mixer = MIXER_RECURRENCE;
    recurrence_set(metadata, config, &delta);
}

// Layers without KV heads are Mamba-2's.
void family_read_granite_hybrid(struct metadata *metadata, struct model_config *config) {
    const struct recurrence_spec ssd = recurrence_read(metadata, RECURRENCE_SSD);
    family_read_granite(metadata, config);
    recurrence_set(metadata, config, &ssd);
}

// Layers with a feed-forward have no mixer, and those without KV heads are Mamba-2's.
void family_read_nemotron_h(struct metadata *metadata, struct model_config *config) {
    const struct recurrence_spec ssd = recurrence_read(metadata, RECURRENCE_SSD);
    int32_t widths[MODEL_MAX_LAYERS];
    family_read_plain(metadata, config);
    metadata_list(metadata, "feed_forward_length", config->layers, 0, 1, MODEL_MAX_DIM, widths);
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        if (widths[i] == 0)
            spec->ffn = (struct ffn_spec){.kind = FFN_NONE};
        else if (spec->mixer == MIXER_RECURRENCE)
            spec->mixer = MIXER_NONE;
    }
    recurrence_set(metadata, config, &ssd);
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        if (spec->ffn.kind == FFN_NONE) continue;
        if (i == 0 || spec->mixer == MIXER_ATTENTION)
            metadata_fail(metadata, STATUS_UNSUPPORTED, "feed_forward_length",
                          "is not supported in the first layer or in an attention layer");
        if (i > 0) spec->attention = config->specs[i - 1].attention;
    }
}

// A block of the file is two layers: one recurs, and the other attends to the same rows.
void family_read_falcon_h1(struct metadata *metadata, struct model_config *config) {
    struct recurrence_spec ssd = recurrence_read(metadata, RECURRENCE_SSD);
    family_read_plain(metadata, config);
    config->logit_scale = metadata_factor(metadata, "logit_scale", 1);
    ssd.norm_optional = true;
    if (config->layers > MODEL_MAX_LAYERS / 2) {
        metadata_fail(metadata, STATUS_UNSUPPORTED, "block_count", "is larger than supported");
        return;
    }
    config->layers *= 2;
    for (int32_t i = config->layers - 1; i >= 0; i--) { // each is copied before it is overwritten
        struct layer_spec *spec = &config->specs[i];
        *spec = config->specs[i / 2];
        spec->attention.kv_source = i;
        spec->joins_next = i % 2 == 0;
        if (!spec->joins_next) continue;
        spec->mixer = MIXER_RECURRENCE;
        spec->ffn = (struct ffn_spec){.kind = FFN_NONE};
    }
    recurrence_set(metadata, config, &ssd);
}
