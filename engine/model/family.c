#include "engine/model/family.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/assert.h"

static const char WINDOW[] = "attention.sliding_window";
static const char PATTERN[] = "attention.sliding_window_pattern";
static const char WINDOW_BASE[] = "rope.freq_base_swa";

// Within its window, sliding attention is full attention: where it is not known which layers have
// one, a shorter context is exact.
static void limit_context(struct metadata *metadata, struct model_config *config) {
    int64_t window = 0;
    metadata_find_int(metadata, WINDOW, &window);
    if (window > 0 && window < config->context) config->context = (int32_t)window;
}

// Layers with a window, to slides[layers] as well: those of the file's list, or all but each
// `period`-th; 0: all. A window as long as the context is none. They may have a base of their own.
static void set_windows(struct metadata *metadata, struct model_config *config, int32_t window,
                        int32_t period, bool *slides) {
    ASSERT(window >= 0 && period >= 0 && config->layers <= MODEL_MAX_LAYERS);
    metadata_pattern(metadata, PATTERN, config->layers, period, slides);
    if (window >= config->context) window = 0;
    for (int32_t i = 0; i < config->layers; i++) {
        struct attention_spec *attention = &config->specs[i].attention;
        attention->window = slides[i] ? window : 0;
        if (slides[i])
            attention->rope.base = metadata_float(metadata, WINDOW_BASE, attention->rope.base);
        if (attention->rope.base < 1)
            metadata_fail(metadata, STATUS_BAD_FILE, WINDOW_BASE, "is below 1");
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

// Llama's files and Phi-3's: a window is all layers'.
static void read_windowed(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    const int32_t window = metadata_count(metadata, WINDOW, MODEL_MAX_CONTEXT);
    set_windows(metadata, config, window, 0, slides);
}

// Queries are scaled by how often the original context fits before them: not within it, which is
// all of the context here.
static void read_mistral3(struct metadata *metadata, struct model_config *config) {
    const int32_t original = config->specs[0].attention.rope.original_context;
    const float scale = metadata_float(metadata, "attention.temperature_scale", 0);
    limit_context(metadata, config);
    if (scale > 0 && original < config->context) config->context = original;
}

// Converters of models that also see reorder the pairs of queries and keys into halves.
static void read_glm4(struct metadata *metadata, struct model_config *config) {
    limit_context(metadata, config);
    const bool halves = metadata_has(metadata, "rope.dimension_sections");
    for (int32_t i = 0; i < config->layers && halves; i++)
        config->specs[i].attention.rope.interleaved = false;
}

// The largest norms queries and keys, and no key says so.
static void read_glm4_moe(struct metadata *metadata, struct model_config *config) {
    limit_context(metadata, config);
    const bool normed = gguf_find_tensor(metadata->gguf, "blk.0.attn_q_norm.weight") != NULL;
    for (int32_t i = 0; i < config->layers && normed; i++)
        config->specs[i].attention.qk_norm = QK_NORM_HEAD;
}

// One number for all layers, or one for each.
static double layer_number(struct metadata *metadata, const char *key, int32_t layer,
                           int32_t layers, double otherwise) {
    ASSERT(layer >= 0 && layer < layers);
    struct gguf_array list;
    double value = otherwise;
    if (gguf_find_array(metadata->gguf, key, &list) && list.count == (size_t)layers &&
        (list.type == GGUF_F32 || list.type == GGUF_F64))
        value = gguf_array_float(&list, (size_t)layer);
    else
        gguf_find_float(metadata->gguf, key, &value);
    if (!(fabs(value) < 1e4)) // nor NaN
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is missing or out of range");
    return value;
}

// Files have what softplus makes the curves of. What eps cuts off above it is next to nothing.
static void read_apertus(struct metadata *metadata, struct model_config *config) {
    ASSERT(config->layers <= MODEL_MAX_LAYERS);
    const int32_t layers = config->layers;
    limit_context(metadata, config);
    for (int32_t i = 0; i < layers; i++) {
        const double high = layer_number(metadata, "xielu.alpha_p", i, layers, (double)NAN);
        const double low = layer_number(metadata, "xielu.alpha_n", i, layers, (double)NAN);
        const double slope = layer_number(metadata, "xielu.beta", i, layers, 0.5);
        if (fabs(layer_number(metadata, "xielu.eps", i, layers, 0)) > 1e-4)
            metadata_fail(metadata, STATUS_UNSUPPORTED, "xielu.eps", "is not 0, which quire lacks");
        config->specs[i].ffn.xielu =
            (struct xielu){.positive = (float)(fmax(high, 0) + log1p(exp(-fabs(high)))),
                           .negative = (float)(slope + fmax(low, 0) + log1p(exp(-fabs(low)))),
                           .slope = (float)slope};
    }
}

static void scale_embedding(struct metadata *metadata, struct model_config *config) {
    const float root = sqrtf((float)config->dim);
    config->embedding_scale = metadata_factor(metadata, "embedding_scale", root);
}

static void read_gemma(struct metadata *metadata, struct model_config *config) {
    scale_embedding(metadata, config);
    limit_context(metadata, config);
}

// The first files do not state their window and soft caps.
static void read_gemma2(struct metadata *metadata, struct model_config *config) {
    enum { LAYERS_OF_27B = 46 };
    bool slides[MODEL_MAX_LAYERS];
    const float softcap = metadata_float(metadata, "attn_logit_softcapping", 50);
    scale_embedding(metadata, config);
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
    const bool based = metadata_has(metadata, "rope.freq_base");
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
static void read_gemma3(struct metadata *metadata, struct model_config *config) {
    enum { LAYERS_OF_27B = 62 };
    bool slides[MODEL_MAX_LAYERS];
    const float local_base = read_gemma3_of_ollama(metadata, config);
    scale_embedding(metadata, config);
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
            metadata_fail(metadata, STATUS_BAD_FILE, key, "leaves a layer without keys");
        config->specs[i].attention.kv_source = source < 0 ? i : source;
    }
}

// Layers with a window have heads of a size of their own and may have another number of them. In
// the others keys may be values.
static void read_gemma4(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    const int32_t global_size = config->specs[0].attention.head_size;
    const int32_t size =
        metadata_int(metadata, "attention.key_length_swa", global_size, MODEL_MAX_HEAD_SIZE);
    if (metadata_int(metadata, "attention.value_length_swa", size, MODEL_MAX_HEAD_SIZE) != size)
        metadata_fail(metadata, STATUS_UNSUPPORTED, "attention.value_length_swa",
                      "differs from keys'");
    const int32_t rotated = metadata_int(metadata, "rope.dimension_count_swa", size, size);
    if (rotated % 2) metadata_fail(metadata, STATUS_BAD_FILE, "rope.dimension_count_swa", "is odd");
    if (!metadata_has(metadata, PATTERN))
        metadata_fail(metadata, STATUS_BAD_FILE, PATTERN, "is missing");
    scale_embedding(metadata, config);
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
static void read_smollm3(struct metadata *metadata, struct model_config *config) {
    bool rotated[MODEL_MAX_LAYERS];
    limit_context(metadata, config);
    metadata_pattern(metadata, "no_rope_layers", config->layers, 4, rotated);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = !rotated[i];
}

// By this key files say that a model was trained without rotation.
static void read_granite(struct metadata *metadata, struct model_config *config) {
    const bool no_rope = !metadata_flag(metadata, "rope.scaling.finetuned", true);
    limit_context(metadata, config);
    config->logit_scale = 1 / metadata_factor(metadata, "logit_scale", 1.0f);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = no_rope;
}

// OLMo 3 is OLMo 2 with windows in three layers of four, where nothing stretches the context.
static void read_olmo2(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    if (!metadata_is_set(metadata, WINDOW)) return;
    set_windows(metadata, config, read_window(metadata, 0), 4, slides);
    for (int32_t i = 0; i < config->layers; i++) {
        struct rope *rope = &config->specs[i].attention.rope;
        if (slides[i]) *rope = window_rope(metadata, rope, rope->base);
    }
}

// Hybrids, which have windows in three layers of four, do not rotate the fourth.
static void read_exaone4(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    if (!metadata_is_set(metadata, WINDOW)) return;
    set_windows(metadata, config, read_window(metadata, 0), 4, slides);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = !slides[i];
}

// Files say how scores become weights, but for the first of a family whose choices have a bias.
// With a softmax (V2) groups are ranked by their best expert.
static void read_deepseek2(struct metadata *metadata, struct model_config *config) {
    static const char key[] = "expert_gating_func";
    char bias[48];
    limit_context(metadata, config);
    snprintf(bias, sizeof bias, "blk.%" PRId32 ".exp_probs_b.bias", config->layers - 1);
    const bool biased = gguf_find_tensor(metadata->gguf, bias) != NULL;
    for (int32_t i = 0; i < config->layers; i++) {
        struct ffn_spec *ffn = &config->specs[i].ffn;
        if (biased && !metadata_is_set(metadata, key)) ffn->gating = GATING_SIGMOID;
        ffn->best_of_group = ffn->gating == GATING_SOFTMAX;
    }
}

static void read_command_r(struct metadata *metadata, struct model_config *config) {
    limit_context(metadata, config);
    config->logit_scale = metadata_factor(metadata, "logit_scale", 1);
}

// Three layers of four have a window, and the others are not rotated.
static void read_cohere2(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    set_windows(metadata, config, read_window(metadata, 0), 4, slides);
    for (int32_t i = 0; i < config->layers; i++)
        config->specs[i].attention.no_rope = !slides[i];
    config->logit_scale = metadata_factor(metadata, "logit_scale", NAN);
}

// Layers attend within chunks of 8192 tokens, but each fourth, which is not rotated, and whose
// queries are scaled by how many chunks came before them: not within the first one, which is all of
// the context here. No key tells that the largest model norms no heads.
static void read_llama4(struct metadata *metadata, struct model_config *config) {
    enum { CHUNK = 8192, LARGEST = 128 };
    bool rotated[MODEL_MAX_LAYERS];
    const bool chunked = !metadata_has(metadata, WINDOW) || metadata_is_set(metadata, WINDOW);
    const int32_t experts = metadata_int(metadata, "expert_count", 0, EXPERTS_MAX);
    metadata_pattern(metadata, PATTERN, config->layers, chunked ? 4 : 0, rotated);
    if (metadata_int(metadata, "expert_used_count", 0, EXPERTS_USED_MAX) != 1)
        metadata_fail(metadata, STATUS_UNSUPPORTED, "expert_used_count",
                      "is not 1, which quire lacks");
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

static void read_gpt_oss(struct metadata *metadata, struct model_config *config) {
    bool slides[MODEL_MAX_LAYERS];
    set_windows(metadata, config, read_window(metadata, 0), 2, slides);
    if (config->specs[0].ffn.experts == 0)
        metadata_fail(metadata, STATUS_BAD_FILE, "expert_count", "is missing");
}

// Layers without KV heads are gated short convolutions.
static void read_lfm2(struct metadata *metadata, struct model_config *config) {
    static const char width_key[] = "shortconv.l_cache", heads_key[] = "attention.head_count_kv";
    const int32_t width = metadata_int(metadata, width_key, 0, SHORT_CONV_MAX);
    bool attends = false;
    ASSERT(width <= SHORT_CONV_MAX);
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        attends = attends || spec->mixer == MIXER_ATTENTION;
        if (spec->mixer == MIXER_SHORT_CONV && config->dim % 2 == 0)
            spec->attention = attention_spec_of_conv(config->dim, width, i);
    }
    if (!attends)
        metadata_fail(metadata, STATUS_UNSUPPORTED, heads_key,
                      "is 0 in all layers, which quire lacks");
    if (config->dim % 2)
        metadata_fail(metadata, STATUS_UNSUPPORTED, "embedding_length",
                      "is odd, which quire lacks");
}

// Keys are heads of the state's size in as many groups, whose values are the heads of the inner
// size.
static struct recurrence_spec read_recurrence(struct metadata *metadata,
                                              enum recurrence_rule rule) {
    static const char heads_key[] = "ssm.time_step_rank", inner_key[] = "ssm.inner_size";
    struct recurrence_spec spec = {
        .rule = rule,
        .key_heads = metadata_int(metadata, "ssm.group_count", 0, MODEL_MAX_HEADS),
        .value_heads = metadata_int(metadata, heads_key, 0, MODEL_MAX_HEADS),
        .key_size = metadata_int(metadata, "ssm.state_size", 0, RECURRENCE_SIZE_MAX),
        .width = metadata_int(metadata, "ssm.conv_kernel", 0, SHORT_CONV_MAX),
    };
    const int32_t values = metadata_int(metadata, inner_key, spec.value_heads * spec.key_size,
                                        RECURRENCE_SIZE_MAX * spec.value_heads);
    spec.value_size = values / spec.value_heads;
    if (values % spec.value_heads || spec.value_size == 0)
        metadata_fail(metadata, STATUS_BAD_FILE, inner_key, "is no multiple of ssm.time_step_rank");
    if (spec.value_heads % spec.key_heads)
        metadata_fail(metadata, STATUS_BAD_FILE, heads_key, "is no multiple of ssm.group_count");
    return spec;
}

// Layers that recur instead of attending.
static void set_recurrence(struct metadata *metadata, struct model_config *config,
                           const struct recurrence_spec *recurrence, const bool *recurrent) {
    bool attends = false;
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        attends = attends || (!recurrent[i] && spec->attention.kv_heads > 0);
        if (!recurrent[i]) continue;
        spec->mixer = MIXER_RECURRENCE;
        spec->attention = attention_spec_of_state(i);
        spec->recurrence = *recurrence;
    }
    if (!attends)
        metadata_fail(metadata, STATUS_UNSUPPORTED, "block_count",
                      "is that of recurrent layers alone, which quire lacks");
}

// A file lists the recurrent layers, draft layers too, or says that all but each n-th are.
static void read_qwen3next(struct metadata *metadata, struct model_config *config) {
    static const char list_key[] = "attention.recurrent_layers";
    bool recurrent[MODEL_MAX_LAYERS];
    struct recurrence_spec delta = read_recurrence(metadata, RECURRENCE_DELTA);
    bool grouped = !strcmp(config->family, "qwen3next");
    gguf_find_bool(metadata->gguf, "quire.grouped_heads", &grouped); // so folders have them
    delta.tiled = !grouped;
    limit_context(metadata, config);
    metadata_pattern(metadata, "full_attention_interval", config->layers, 4, recurrent);
    if (metadata_has(metadata, list_key))
        metadata_pattern(metadata, list_key, config->layers + config->draft_layers, 0, recurrent);
    set_recurrence(metadata, config, &delta, recurrent);
}

// Layers without KV heads are Mamba-2's.
static void read_granite_hybrid(struct metadata *metadata, struct model_config *config) {
    const struct recurrence_spec ssd = read_recurrence(metadata, RECURRENCE_SSD);
    bool recurrent[MODEL_MAX_LAYERS];
    read_granite(metadata, config);
    for (int32_t i = 0; i < config->layers; i++)
        recurrent[i] = config->specs[i].mixer == MIXER_RECURRENCE;
    set_recurrence(metadata, config, &ssd, recurrent);
}

// Layers with a feed-forward have no mixer, and those without KV heads are Mamba-2's.
static void read_nemotron_h(struct metadata *metadata, struct model_config *config) {
    const struct recurrence_spec ssd = read_recurrence(metadata, RECURRENCE_SSD);
    int32_t widths[MODEL_MAX_LAYERS];
    bool recurrent[MODEL_MAX_LAYERS];
    limit_context(metadata, config);
    metadata_list(metadata, "feed_forward_length", config->layers, 0, 1, MODEL_MAX_DIM, widths);
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        recurrent[i] = spec->mixer == MIXER_RECURRENCE && widths[i] == 0;
        if (widths[i] == 0) spec->ffn = (struct ffn_spec){.kind = FFN_NONE};
    }
    set_recurrence(metadata, config, &ssd, recurrent);
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        if (spec->ffn.kind == FFN_NONE) continue;
        if (i == 0 || spec->mixer == MIXER_ATTENTION)
            metadata_fail(metadata, STATUS_UNSUPPORTED, "feed_forward_length",
                          "is set in the first layer or in one that attends, which quire lacks");
        spec->mixer = MIXER_NONE;
        if (i > 0) spec->attention = config->specs[i - 1].attention;
    }
}

// A block of the file is two layers: one recurs, and the other attends to the same rows.
static void read_falcon_h1(struct metadata *metadata, struct model_config *config) {
    struct recurrence_spec ssd = read_recurrence(metadata, RECURRENCE_SSD);
    bool recurrent[MODEL_MAX_LAYERS];
    limit_context(metadata, config);
    config->logit_scale = metadata_factor(metadata, "logit_scale", 1);
    ssd.norm_optional = true;
    if (config->layers > MODEL_MAX_LAYERS / 2) {
        metadata_fail(metadata, STATUS_UNSUPPORTED, "block_count", "is more than quire has");
        return;
    }
    config->layers *= 2;
    for (int32_t i = config->layers - 1; i >= 0; i--) { // each is copied before it is overwritten
        struct layer_spec *spec = &config->specs[i];
        *spec = config->specs[i / 2];
        spec->attention.kv_source = i;
        recurrent[i] = spec->joins_next = i % 2 == 0;
        if (recurrent[i]) spec->ffn = (struct ffn_spec){.kind = FFN_NONE};
    }
    set_recurrence(metadata, config, &ssd, recurrent);
}

// As transformers has them: what a multimodal folder says of its text's part is the rest.
static const struct folder_default gemma3_defaults[] = {{"num_attention_heads", 8},
                                                        {"num_key_value_heads", 4},
                                                        {"head_dim", 256},
                                                        {"max_position_embeddings", 131072},
                                                        {"rms_norm_eps", 1e-6},
                                                        {"query_pre_attn_scalar", 256},
                                                        {"sliding_window", 4096},
                                                        {"sliding_window_pattern", 6},
                                                        {"rope_theta", 1000000},
                                                        {"rope_local_base_freq", 10000},
                                                        {NULL, 0}};

static const struct folder_default hunyuan_defaults[] = {{"num_shared_expert", 1}, {NULL, 0}};
static const struct folder_default qwen3next_defaults[] = {
    {"head_dim", 256}, {"partial_rotary_factor", 0.25}, {NULL, 0}};
static const struct folder_default lfm2_defaults[] = {{"rope_theta", 1000000}, {NULL, 0}};

// A new family that fits this forward pass is a row here, with a function above where its layers
// differ, and a golden model in tests/golden. Mistral's and Mixtral's files say that they are
// llama's.
static const struct family families[] = {
    {.name = "llama",
     .model_types = "llama, mistral, mixtral",
     .layer = {.attention.rope.interleaved = true, .ffn.kind = FFN_EXPERTS},
     .read = read_windowed},
    {.name = "qwen2",
     .model_types = "qwen2",
     .layer = {.attention.qkv_bias = true},
     .read = limit_context},
    {.name = "qwen3",
     .model_types = "qwen3",
     .layer = {.attention.qk_norm = QK_NORM_HEAD},
     .read = limit_context},
    {.name = "qwen3moe",
     .model_types = "qwen3_moe",
     .layer = {.attention.qk_norm = QK_NORM_HEAD, .ffn.kind = FFN_EXPERTS},
     .read = limit_context},
    {.name = "qwen2vl",
     .model_types = "qwen2_vl, qwen2_5_vl",
     .layer = {.attention.qkv_bias = true},
     .read = limit_context,
     .multimodal = true},
    {.name = "qwen3vl",
     .model_types = "qwen3_vl",
     .layer = {.attention.qk_norm = QK_NORM_HEAD},
     .read = limit_context,
     .multimodal = true},
    {.name = "qwen3vlmoe",
     .layer = {.attention.qk_norm = QK_NORM_HEAD, .ffn.kind = FFN_EXPERTS},
     .read = limit_context},
    {.name = "llama4",
     .layer = {.attention = {.rope.interleaved = true, .norm_last = true},
               .ffn = {.kind = FFN_EXPERTS,
                       .gating = GATING_SIGMOID,
                       .raw_shares = true,
                       .share_of_input = true}},
     .read = read_llama4,
     .multimodal = true},
    {.name = "mistral3",
     .model_types = "mistral3, ministral3",
     .layer = {.attention.rope.interleaved = true, .ffn.kind = FFN_EXPERTS},
     .read = read_mistral3,
     .multimodal = true},
    {.name = "ernie4_5",
     .model_types = "ernie4_5",
     .layer = {.attention.rope.interleaved = true},
     .read = limit_context,
     .interleaved_folder = true},
    {.name = "glm4",
     .model_types = "glm4",
     .layer = {.attention.rope.interleaved = true, .ffn.fused = true, .post_norm = true},
     .read = read_glm4,
     .interleaved_folder = true,
     .second_norm = "ffn_norm.weight"},
    {.name = "glm4moe",
     .model_types = "glm4_moe",
     .layer = {.ffn = {.kind = FFN_EXPERTS, .gating = GATING_SIGMOID, .raw_shares = true},
               .ffn_norm = "post_attention_norm.weight"},
     .read = read_glm4_moe},
    {.name = "dots1",
     .model_types = "dots1",
     .layer = {.attention.qk_norm = QK_NORM_HEAD,
               .ffn = {.kind = FFN_EXPERTS, .gating = GATING_SIGMOID, .raw_shares = true}},
     .read = limit_context},
    {.name = "bailingmoe2",
     .model_types = "bailing_moe_v2, bailing_moe",
     .layer = {.attention.qk_norm = QK_NORM_HEAD,
               .ffn = {.kind = FFN_EXPERTS, .gating = GATING_SIGMOID, .raw_shares = true}},
     .read = limit_context},
    {.name = "ernie4_5-moe",
     .model_types = "ernie4_5_moe",
     .layer = {.attention.rope.interleaved = true, .ffn.kind = FFN_EXPERTS},
     .read = limit_context,
     .interleaved_folder = true},
    {.name = "minimax-m2",
     .model_types = "minimax_m2",
     .layer = {.attention.qk_norm = QK_NORM_ROW,
               .ffn = {.kind = FFN_EXPERTS, .gating = GATING_SIGMOID}},
     .read = limit_context},
    {.name = "hunyuan-dense",
     .model_types = "hunyuan_v1_dense",
     .layer.attention = {.qk_norm = QK_NORM_HEAD, .norm_last = true},
     .read = limit_context},
    {.name = "hunyuan-moe",
     .model_types = "hunyuan_v1_moe",
     .defaults = hunyuan_defaults,
     .layer = {.attention = {.qk_norm = QK_NORM_HEAD, .norm_last = true}, .ffn.kind = FFN_EXPERTS},
     .read = limit_context},
    {.name = "olmoe",
     .model_types = "olmoe",
     .layer = {.attention.qk_norm = QK_NORM_ROW, .ffn = {.kind = FFN_EXPERTS, .raw_shares = true}},
     .read = limit_context},
    {.name = "deepseek",
     .layer = {.attention.rope.interleaved = true,
               .ffn = {.kind = FFN_EXPERTS, .raw_shares = true}},
     .read = limit_context},
    {.name = "deepseek2",
     .model_types = "deepseek_v2, deepseek_v3, kimi_k2, glm4_moe_lite",
     .layer = {.attention.rope.interleaved = true,
               .ffn = {.kind = FFN_EXPERTS, .raw_shares = true}},
     .read = read_deepseek2,
     .interleaved_folder = true,
     .latent = true},
    {.name = "arcee",
     .model_types = "arcee",
     .layer = {.attention.rope.interleaved = true, .ffn = {.act = ACT_RELU, .ungated = true}},
     .read = limit_context},
    {.name = "apertus",
     .model_types = "apertus",
     .layer = {.attention.qk_norm = QK_NORM_HEAD, .ffn = {.act = ACT_XIELU, .ungated = true}},
     .read = read_apertus},
    {.name = "phi3", .model_types = "phi3", .layer = {.ffn.fused = true}, .read = read_windowed},
    {.name = "gemma",
     .model_types = "gemma",
     .layer = {.ffn.act = ACT_GELU},
     .read = read_gemma,
     .tied = true,
     .norms_plus_one = true},
    {.name = "gemma2",
     .model_types = "gemma2",
     .layer = {.ffn.act = ACT_GELU, .post_norm = true},
     .read = read_gemma2,
     .tied = true,
     .norms_plus_one = true},
    {.name = "gemma3",
     .model_types = "gemma3_text, gemma3",
     .layer = {.attention.qk_norm = QK_NORM_HEAD, .ffn.act = ACT_GELU, .post_norm = true},
     .read = read_gemma3,
     .norm_eps = 1e-6f,
     .multimodal = true,
     .tied = true,
     .defaults = gemma3_defaults,
     .norms_plus_one = true},
    {.name = "gemma4",
     .model_types = "gemma4_text, gemma4",
     .layer = {.attention = {.qk_norm = QK_NORM_HEAD,
                             .value_norm = true,
                             .rope.divisors = DIVISORS_REQUIRED},
               .ffn = {.kind = FFN_DENSE_AND_EXPERTS, .act = ACT_GELU},
               .post_norm = true,
               .layer_output_scale = true},
     .read = read_gemma4,
     .multimodal = true,
     .tied = true},
    {.name = "smollm3",
     .model_types = "smollm3",
     .layer = {.attention.rope.interleaved = true},
     .read = read_smollm3,
     .tied = true},
    {.name = "olmo2",
     .model_types = "olmo2, olmo3",
     .layer = {.attention.qk_norm = QK_NORM_ROW, .no_pre_norm = true, .post_norm = true},
     .read = read_olmo2},
    {.name = "exaone4",
     .model_types = "exaone4",
     .layer = {.attention.qk_norm = QK_NORM_HEAD, .no_pre_norm = true, .post_norm = true},
     .read = read_exaone4},
    {.name = "seed_oss",
     .model_types = "seed_oss",
     .layer = {.ffn_norm = "post_attention_norm.weight"},
     .read = limit_context},
    {.name = "granite",
     .model_types = "granite",
     .layer = {.attention.rope.interleaved = true},
     .read = read_granite},
    {.name = "granitemoe",
     .model_types = "granitemoe",
     .layer = {.attention.rope.interleaved = true, .ffn.kind = FFN_EXPERTS},
     .read = read_granite},
    {.name = "granitehybrid",
     .model_types = "granitemoehybrid",
     .hybrid = HYBRID_GRANITE,
     .layer = {.mixer = MIXER_RECURRENCE,
               .attention.rope.interleaved = true,
               .ffn.kind = FFN_EXPERTS},
     .read = read_granite_hybrid},
    {.name = "nemotron_h",
     .model_types = "nemotron_h",
     .hybrid = HYBRID_NEMOTRON,
     .layer = {.mixer = MIXER_RECURRENCE,
               .attention.no_rope = true,
               .ffn = {.act = ACT_RELU, .ungated = true},
               .ffn_norm = "attn_norm.weight"},
     .read = read_nemotron_h,
     .mixture = "nemotron_h_moe",
     .single = true},
    {.name = "nemotron_h_moe",
     .hybrid = HYBRID_NEMOTRON,
     .layer = {.mixer = MIXER_RECURRENCE,
               .attention.no_rope = true,
               .ffn = {.kind = FFN_EXPERTS,
                       .act = ACT_RELU,
                       .ungated = true,
                       .gating = GATING_SIGMOID,
                       .raw_shares = true},
               .ffn_norm = "attn_norm.weight"},
     .read = read_nemotron_h,
     .single = true},
    {.name = "falcon-h1",
     .model_types = "falcon_h1",
     .hybrid = HYBRID_FALCON,
     .layer = {.ffn_norm = "ffn_norm"},
     .multiplied = true,
     .read = read_falcon_h1},
    {.name = "command-r",
     .model_types = "cohere",
     .layer = {.attention.rope.interleaved = true, .parallel = true},
     .read = read_command_r,
     .interleaved_folder = true,
     .tied = true,
     .centered_norms = true},
    {.name = "cohere2",
     .model_types = "cohere2",
     .layer = {.attention.rope.interleaved = true, .parallel = true},
     .read = read_cohere2,
     .interleaved_folder = true,
     .tied = true,
     .centered_norms = true},
    {.name = "lfm2",
     .model_types = "lfm2",
     .hybrid = HYBRID_CONVOLUTIONS,
     .layer = {.mixer = MIXER_SHORT_CONV, .attention.qk_norm = QK_NORM_HEAD},
     .read = read_lfm2,
     .tied = true,
     .defaults = lfm2_defaults},
    {.name = "lfm2moe",
     .model_types = "lfm2_moe",
     .hybrid = HYBRID_CONVOLUTIONS,
     .tied = true,
     .defaults = lfm2_defaults,
     .layer = {.mixer = MIXER_SHORT_CONV,
               .attention.qk_norm = QK_NORM_HEAD,
               .ffn = {.kind = FFN_EXPERTS, .gating = GATING_SIGMOID}},
     .read = read_lfm2},
    {.name = "qwen3next",
     .model_types = "qwen3_next",
     .hybrid = HYBRID_DELTA,
     .defaults = qwen3next_defaults,
     .norms_plus_one = true,
     .layer = {.attention = {.qk_norm = QK_NORM_HEAD, .gated = true},
               .ffn = {.kind = FFN_EXPERTS, .shared_gate = true},
               .ffn_norm = "post_attention_norm.weight"},
     .read = read_qwen3next},
    {.name = "qwen35",
     .model_types = "qwen3_5, qwen3_5_text",
     .hybrid = HYBRID_DELTA,
     .defaults = qwen3next_defaults,
     .norms_plus_one = true,
     .multimodal = true,
     .layer = {.attention = {.qk_norm = QK_NORM_HEAD, .gated = true},
               .ffn_norm = "post_attention_norm.weight"},
     .read = read_qwen3next},
    {.name = "qwen35moe",
     .model_types = "qwen3_5_moe, qwen3_5_moe_text",
     .hybrid = HYBRID_DELTA,
     .defaults = qwen3next_defaults,
     .norms_plus_one = true,
     .multimodal = true,
     .layer = {.attention = {.qk_norm = QK_NORM_HEAD, .gated = true},
               .ffn = {.kind = FFN_EXPERTS, .shared_gate = true},
               .ffn_norm = "post_attention_norm.weight"},
     .read = read_qwen3next},
    {.name = "gpt-oss",
     .model_types = "gpt_oss",
     .layer = {.attention =
                   {.qkv_bias = true, .output_bias = true, .sinks = true, .rope.exact_yarn = true},
               .ffn = {.kind = FFN_EXPERTS, .act = ACT_CLAMPED, .expert_bias = true},
               .ffn_norm = "post_attention_norm.weight"},
     .read = read_gpt_oss,
     .quantized = "mxfp4"},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

void family_list(char *names, char *model_types) {
    const size_t size = FAMILY_LIST_BYTES;
    size_t named = 0, typed = 0;
    names[0] = model_types[0] = '\0';
    for (size_t i = 0; i < FAMILIES; i++) {
        const struct family *family = &families[i];
        named +=
            (size_t)snprintf(names + named, size - named, "%s%s", named ? ", " : "", family->name);
        if (family->model_types)
            typed += (size_t)snprintf(model_types + typed, size - typed, "%s%s", typed ? ", " : "",
                                      family->model_types);
        ASSERT(named < size && typed < size);
    }
}

const struct family *family_find(const char *name, size_t length) {
    for (size_t i = 0; i < FAMILIES; i++)
        if (strlen(families[i].name) == length && !memcmp(families[i].name, name, length))
            return &families[i];
    return NULL;
}

// Is it one of "llama, mistral, mixtral"?
static bool is_listed(const char *list, const char *name) {
    const size_t length = strlen(name);
    while (list) {
        list += strspn(list, ", ");
        if (strcspn(list, ",") == length && !memcmp(list, name, length)) return true;
        list = strchr(list, ',');
    }
    return false;
}

const struct family *family_of_model_type(const char *model_type) {
    for (size_t i = 0; i < FAMILIES; i++)
        if (is_listed(families[i].model_types, model_type)) return &families[i];
    return NULL;
}
