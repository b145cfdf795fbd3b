#include "engine/model/config_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/family.h"
#include "kernels/base/assert.h"

// What cosine and sine are multiplied by where YaRN stretches: what the file states as the whole of
// it, or what follows from the factor, of which a multiplier takes a part back. Converters write a
// configuration's attention_factor, which is the whole, or else its attn_factor, which is below 1
// where it says anything, and which neither transformers nor llama.cpp apply.
static float yarn_magnitude(struct metadata *metadata, float factor) {
    const float stretch = factor > 1 ? 0.1f * logf(factor) : 0;
    const float stated = metadata_float(metadata, "rope.scaling.yarn_attn_factor", 0);
    const float given = stated == 1 && metadata_is_of_writer(metadata) ? 0 : stated; // its default
    const float multiplier = metadata_float(metadata, "rope.scaling.yarn_log_multiplier", 0);
    return given >= 1 ? given : (1 + stretch) / (1 + multiplier * stretch);
}

// A share below 0 is one that is not stated.
static void read_yarn(struct metadata *metadata, struct rope *rope) {
    double share = 1;
    metadata_find_float(metadata, "rope.scaling.yarn_ext_factor", &share);
    if (share >= 0 && share != 1)
        metadata_unsupported(metadata, "rope.scaling.yarn_ext_factor", "1");
    rope->beta_fast = metadata_float(metadata, "rope.scaling.yarn_beta_fast", 32.0f);
    rope->beta_slow = metadata_float(metadata, "rope.scaling.yarn_beta_slow", 1.0f);
    rope->attention_factor *= yarn_magnitude(metadata, rope->factor);
}

// A factor without a type is a linear one, and so is its older name.
static void read_scaling(struct metadata *metadata, struct rope *rope) {
    static const char *const types[] = {"none", "linear", "yarn", "longrope"};
    static const char key[] = "rope.scaling.factor";
    const int type =
        metadata_choice(metadata, "rope.scaling.type", types, 4, "none, linear, yarn or longrope");
    const bool needed = type == ROPE_LINEAR || type == ROPE_YARN;
    const float older = metadata_float(metadata, "rope.scale_linear", 0);
    const float factor = metadata_float(metadata, key, older > 0 || !needed ? older : NAN);
    if (factor != 0 && factor < 1e-3f)
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is too close to 0");
    rope->factor = factor > 0 ? factor : 1;
    rope->scaling = type >= 0 ? (enum rope_scaling)type : factor > 0 ? ROPE_LINEAR : ROPE_PLAIN;
    // Phi-3's files have factors and say what cosine and sine are multiplied by; no type.
    rope->attention_factor = metadata_float(metadata, "rope.scaling.attn_factor", 1.0f);
    if (rope->attention_factor != 1 && rope->scaling == ROPE_PLAIN && type < 0)
        rope->scaling = ROPE_LONG;
    if (rope->scaling == ROPE_YARN) read_yarn(metadata, rope);
}

// A longer context than quire has is one that is never filled.
static int32_t read_context(struct metadata *metadata, const char *key, int32_t otherwise) {
    const int32_t context = metadata_int(metadata, key, otherwise, INT32_MAX);
    return context < MODEL_MAX_CONTEXT ? context : MODEL_MAX_CONTEXT;
}

static struct rope read_rope(struct metadata *metadata, const struct rope *family,
                             const struct model_config *config, int32_t head_size) {
    struct rope rope = *family;
    rope.base = metadata_factor(metadata, "rope.freq_base", 10000.0f);
    rope.dimensions = metadata_int(metadata, "rope.dimension_count", head_size, head_size);
    if (rope.dimensions % 2)
        metadata_fail(metadata, STATUS_BAD_FILE, "rope.dimension_count", "must be even");
    if (rope.base < 1.0f)
        metadata_fail(metadata, STATUS_BAD_FILE, "rope.freq_base", "must be at least 1");
    rope.original_context =
        read_context(metadata, "rope.scaling.original_context_length", config->context);
    read_scaling(metadata, &rope);
    return rope;
}

static void read_attention(struct metadata *metadata, const struct model_config *config,
                           struct attention_spec *attention) {
    const int32_t equal_share = config->dim / attention->heads;
    const int32_t size = metadata_int(metadata, "attention.key_length",
                                      equal_share > 0 ? equal_share : 1, MODEL_MAX_HEAD_SIZE);
    if (metadata_int(metadata, "attention.value_length", size, MODEL_MAX_HEAD_SIZE) != size)
        metadata_fail(metadata, STATUS_UNSUPPORTED, "attention.value_length",
                      "differs from attention.key_length, which is not supported");
    attention->head_size = size;
    attention->rope = read_rope(metadata, &attention->rope, config, size);
    bool halves = false; // folder_config.h says so of safetensors
    if (gguf_find_bool(metadata->gguf, "quire.rotary_halves", &halves) && halves)
        attention->rope.interleaved = false;
    attention->scale = metadata_factor(metadata, "attention.scale", 1.0f / sqrtf((float)size));
    attention->softcap = metadata_float(metadata, "attn_logit_softcapping", 0);
}

// What YaRN adds to scores where latent attention has a multiplier, and not to cosine and sine.
// llama.cpp multiplies it by ten as it reads it, and writes it so.
static float yarn_score_scale(struct metadata *metadata, struct rope *rope) {
    const float stated = metadata_float(metadata, "rope.scaling.yarn_log_multiplier", 0);
    const float multiplier = metadata_is_of_writer(metadata) ? stated / 10 : stated;
    if (rope->scaling != ROPE_YARN || multiplier == 0) return 1;
    rope->attention_factor = metadata_float(metadata, "rope.scaling.attn_factor", 1);
    return rope->factor > 1 ? 1 + multiplier * logf(rope->factor) : 1;
}

// Older files state the sizes of keys and values that are not compressed; newer ones those of what
// is cached, and the others apart.
static void read_latent(struct metadata *metadata, const struct model_config *config,
                        struct attention_spec *attention) {
    static const char key_length[] = "attention.key_length", rank[] = "attention.kv_lora_rank";
    struct latent_spec *latent = &attention->latent;
    int32_t size = metadata_int(metadata, key_length, 0, MODEL_MAX_HEAD_SIZE);
    int32_t value = metadata_int(metadata, "attention.value_length", 0, MODEL_MAX_HEAD_SIZE);
    size = metadata_int(metadata, "attention.key_length_mla", size, MODEL_MAX_HEAD_SIZE);
    value = metadata_int(metadata, "attention.value_length_mla", value, MODEL_MAX_HEAD_SIZE);
    attention->rope = read_rope(metadata, &attention->rope, config, size);
    latent->kv_rank = metadata_int(metadata, rank, 0, MODEL_MAX_HEAD_SIZE);
    latent->q_rank = metadata_count(metadata, "attention.q_lora_rank", MODEL_MAX_DIM);
    latent->plain_size = size - attention->rope.dimensions;
    latent->value_size = value;
    attention->head_size = attention->rope.dimensions + latent->kv_rank;
    if (latent->plain_size < 1)
        metadata_fail(metadata, STATUS_BAD_FILE, key_length,
                      "must be longer than rope.dimension_count");
    if (attention->head_size > MODEL_MAX_HEAD_SIZE)
        metadata_fail(metadata, STATUS_UNSUPPORTED, rank, "is larger than supported");
    const float stretch = yarn_score_scale(metadata, &attention->rope);
    attention->scale = stretch * stretch / sqrtf((float)size);
}

// As expert_gating_func has them. The softmax of the chosen scores alone is that of all made to add
// up to one.
enum { OF_FAMILY, SOFTMAX, SIGMOID, SOFTMAX_OF_CHOSEN };

static void read_routing(struct metadata *metadata, struct ffn_spec *ffn) {
    int64_t gating = OF_FAMILY;
    metadata_find_int(metadata, "expert_gating_func", &gating);
    if (gating < OF_FAMILY || gating > SOFTMAX_OF_CHOSEN)
        metadata_unsupported(metadata, "expert_gating_func", "1 to 3");
    if (gating != OF_FAMILY) ffn->gating = gating == SIGMOID ? GATING_SIGMOID : GATING_SOFTMAX;
    bool raw = ffn->raw_shares; // or as folders have it
    gguf_find_bool(metadata->gguf, "quire.raw_shares", &raw);
    ffn->raw_shares =
        !metadata_flag(metadata, "expert_weights_norm", !raw) && gating != SOFTMAX_OF_CHOSEN;
    ffn->share_scale = metadata_factor(metadata, "expert_weights_scale", 1);
    ffn->expert_groups = metadata_count(metadata, "expert_group_count", EXPERT_GROUPS_MAX);
    if (ffn->expert_groups == 1) ffn->expert_groups = 0;
    if (ffn->expert_groups)
        ffn->expert_groups_used =
            metadata_int(metadata, "expert_group_used_count", 0, ffn->expert_groups);
    const struct route route = {.experts = ffn->experts,
                                .used = ffn->experts_used,
                                .groups = ffn->expert_groups,
                                .groups_used = ffn->expert_groups_used};
    if (!route_is_possible(&route))
        metadata_fail(metadata, STATUS_BAD_FILE, "expert_used_count",
                      "does not fit expert_count and its groups");
}

// Shared experts are one that is as wide as all of them.
static void read_shared_expert(struct metadata *metadata, struct ffn_spec *ffn) {
    static const char key[] = "expert_shared_feed_forward_length";
    const int32_t count = metadata_count(metadata, "expert_shared_count", EXPERTS_MAX);
    const int32_t stated = metadata_count(metadata, key, MODEL_MAX_DIM);
    const int64_t width = stated > 0 ? stated : (int64_t)count * ffn->expert_width;
    if (width == 0) return;
    if (width > MODEL_MAX_DIM) metadata_fail(metadata, STATUS_BAD_FILE, key, "is out of range");
    if (ffn->kind != FFN_EXPERTS)
        metadata_fail(metadata, STATUS_UNSUPPORTED, "expert_shared_count",
                      "is set, but this family has no shared experts");
    ffn->kind = FFN_SHARED_EXPERT;
    ffn->width = (int32_t)width;
}

static void read_experts(struct metadata *metadata, int32_t width, struct ffn_spec *ffn) {
    static const char key[] = "expert_count";
    const bool wanted = ffn->kind != FFN_DENSE;
    ffn->experts = metadata_count(metadata, key, EXPERTS_MAX);
    if (ffn->experts == 0) ffn->kind = FFN_DENSE;
    if (ffn->experts == 0) return;
    if (!wanted)
        metadata_fail(metadata, STATUS_UNSUPPORTED, key, "is set, but this family has no experts");
    ffn->experts_used = metadata_int(metadata, "expert_used_count", 0, EXPERTS_USED_MAX);
    ffn->expert_width = metadata_int(metadata, "expert_feed_forward_length", width, MODEL_MAX_DIM);
    read_routing(metadata, ffn);
    read_shared_expert(metadata, ffn);
}

// Some layers of a mixture may have a dense feed-forward: those before the first, or all but each
// n-th.
static void set_dense_layers(struct metadata *metadata, struct model_config *config,
                             const int32_t *widths) {
    const int32_t first = metadata_count(metadata, "leading_dense_block_count", config->layers);
    const int32_t step = metadata_int(metadata, "interleave_moe_layer_step", 1, config->layers);
    for (int32_t i = 0; i < config->layers; i++) {
        struct ffn_spec *ffn = &config->specs[i].ffn;
        if (i >= first && (i + 1) % step == 0) continue;
        ffn->kind = FFN_DENSE;
        ffn->experts = ffn->experts_used = ffn->expert_width = 0;
        ffn->width = widths[i];
    }
}

// Layers that are alike but for what the file lists layer by layer.
static void read_layers(struct metadata *metadata, const struct family *family,
                        struct model_config *config) {
    static const char heads_key[] = "attention.head_count_kv";
    int32_t kv_heads[MODEL_MAX_LAYERS], widths[MODEL_MAX_LAYERS];
    struct layer_spec layer = family->layer;
    bool slides[MODEL_MAX_LAYERS];
    // Before other lists: of them it tells best that there are not as many layers.
    metadata_pattern(metadata, "attention.sliding_window_pattern", config->layers, 0, slides);
    const int32_t heads = metadata_int(metadata, "attention.head_count", 0, MODEL_MAX_HEADS);
    // Files whose feed-forward is all experts need not say how wide another would be.
    const int32_t least = metadata_has(metadata, "expert_feed_forward_length") ? 1 : 0;
    const bool hybrid = layer.mixer != MIXER_ATTENTION; // but layers with KV heads
    metadata_list(metadata, heads_key, config->layers, hybrid ? 0 : 1, heads, heads, kv_heads);
    metadata_list(metadata, "feed_forward_length", config->layers, family->single ? 0 : 1, least,
                  MODEL_MAX_DIM, widths);
    layer.attention.heads = heads;
    (family->latent ? read_latent : read_attention)(metadata, config, &layer.attention);
    read_experts(metadata, widths[0], &layer.ffn);
    layer.residual_scale = metadata_factor(metadata, "residual_scale", 1.0f);
    for (int32_t i = 0; i < config->layers; i++) {
        config->specs[i] = layer;
        config->specs[i].block = i;
        if (layer.ffn.kind != FFN_SHARED_EXPERT) config->specs[i].ffn.width = widths[i];
        config->specs[i].attention.kv_heads = family->latent ? 1 : kv_heads[i];
        config->specs[i].attention.kv_source = i;
        if (kv_heads[i] > 0) config->specs[i].mixer = MIXER_ATTENTION;
        if (kv_heads[i] > 0 && heads % kv_heads[i])
            metadata_fail(metadata, STATUS_BAD_FILE, heads_key, "must divide attention.head_count");
    }
    if (layer.ffn.kind != FFN_DENSE) set_dense_layers(metadata, config, widths);
}

static bool same_planes(const struct layer_spec *a, const struct layer_spec *b) {
    return a->attention.kv_heads == b->attention.kv_heads &&
           a->attention.head_size == b->attention.head_size;
}

// The cache has a place for keys and values of two shapes (kv_shape.h).
static void check_planes(struct metadata *metadata, const struct model_config *config) {
    const struct layer_spec *first = &config->specs[0], *other = NULL;
    for (int32_t i = 1; i < config->layers; i++) {
        const struct layer_spec *spec = &config->specs[i];
        const bool third = other && !same_planes(spec, first) && !same_planes(spec, other);
        const struct layer_spec *source = &config->specs[spec->attention.kv_source];
        const bool same_reach = (spec->attention.window > 0) == (source->attention.window > 0);
        if (third || !same_reach || !same_planes(spec, source))
            metadata_fail(metadata, STATUS_UNSUPPORTED, "attention.head_count_kv",
                          "must be the same in all layers of one kind");
        if (!other && !same_planes(spec, first)) other = spec;
    }
}

// What a family is that this forward pass cannot be, for the refusal: "a recurrent model". Or NULL.
static const char *kind_of_unknown(const char *name, size_t length) {
    static const struct {
        const char *begin, *kind;
    } kinds[] = {
        {"mamba", "a recurrent model"},
        {"rwkv", "a recurrent model"},
        {"arwkv", "a recurrent model"},
        {"jamba", "a hybrid of attention and recurrence"},
        {"plamo2", "a hybrid of attention and recurrence"},
        {"kimi-linear", "a hybrid of attention and recurrence"},
        {"mllama", "a vision model"},
        {"cogvlm", "a vision model"},
        {"bert", "an embedding model"},
        {"nomic-bert", "an embedding model"},
        {"modern-bert", "an embedding model"},
        {"gemma-embedding", "an embedding model"},
        {"t5", "a model with an encoder"},
        {"gemma3n",
         "a model with AltUp, which is not supported; Gemma 4 E2B and E4B do not use it"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t begin = strlen(kinds[i].begin);
        if (length >= begin && !memcmp(kinds[i].begin, name, begin)) return kinds[i].kind;
    }
    return NULL;
}

static enum status refuse_family(const struct gguf *gguf, struct gguf_string name,
                                 struct error *err) {
    const char *kind = kind_of_unknown(name.bytes, name.length);
    char names[FAMILY_LIST_BYTES], model_types[FAMILY_LIST_BYTES];
    family_list(names, model_types);
    return error_set(err, STATUS_UNSUPPORTED,
                     "%s: unsupported model family \"%.*s\"%s%s (expected %s)", gguf_path(gguf),
                     (int)(name.length < 60 ? name.length : 60), name.bytes, kind ? ", " : "",
                     kind ? kind : "", names);
}

// Files that belong to a model: what they are, and what to open instead.
static enum status refuse_part(const struct gguf *gguf, struct error *err) {
    static const struct {
        const char *key, *value, *what;
    } parts[] = {
        {"general.type", "adapter",
         "is a LoRA adapter, not a model; open the model and pass this file with --lora"},
        {"general.architecture", "controlvector",
         "is a control vector, not a model, and control vectors are not supported; open the model"},
        {"general.architecture", "clip",
         "is the image or audio part of a model; open the file with the text part"},
        {"general.type", "mmproj",
         "is the image or audio part of a model; open the file with the text part"},
        {"general.type", "imatrix",
         "is an importance matrix for quantizing a model; open the model"},
    };
    struct gguf_string value;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (gguf_find_string(gguf, parts[i].key, &value) &&
            value.length == strlen(parts[i].value) &&
            !memcmp(value.bytes, parts[i].value, value.length))
            return error_set(err, STATUS_UNSUPPORTED, "%s %s", gguf_path(gguf), parts[i].what);
    return STATUS_OK;
}

// The block of a tensor, "blk.12.attn_q.weight", and whether it serves only to predict further
// tokens; -1: it is in no block.
static int32_t block_of(struct gguf_string name, bool *drafts) {
    char text[GGUF_MAX_NAME_BYTES + 1];
    int32_t block = -1;
    int length = 0;
    snprintf(text, sizeof text, "%.*s", (int)name.length, name.bytes);
    if (sscanf(text, "blk.%4" SCNd32 ".%n", &block, &length) < 1 || length == 0) return -1;
    *drafts = !strncmp(text + length, "nextn.", strlen("nextn."));
    return block;
}

// Which blocks are the trunk's. A file counts the blocks that only draft among all, at their end;
// but some have left them out and still count them, and some count them apart. So a block is the
// trunk's if it has matrices and nothing that drafts.
static void set_draft_layers(const struct gguf *gguf, int32_t stated, struct model_config *config) {
    enum { NONE, ORDINARY, DRAFTS };
    unsigned char kinds[2 * MODEL_MAX_LAYERS] = {NONE};
    const int32_t blocks = config->layers;
    ASSERT(stated < blocks && blocks <= MODEL_MAX_LAYERS);
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++) {
        bool drafts = false;
        const struct gguf_tensor *tensor = gguf_tensor_at(gguf, i);
        const int32_t block = block_of(tensor->name, &drafts);
        if (block < 0 || block >= blocks + stated || kinds[block] == DRAFTS) continue;
        if (drafts || tensor->dims > 1) kinds[block] = drafts ? DRAFTS : ORDINARY;
    }
    while (blocks - config->layers < stated && kinds[config->layers - 1] != ORDINARY)
        config->layers--;
    config->draft_layers = blocks - config->layers;
    while (config->draft_layers < stated && kinds[config->layers + config->draft_layers] == DRAFTS)
        config->draft_layers++;
}

// Keys that a family does not read may state what is so without them.
static void accept_what_is_so(struct metadata *metadata, const struct model_config *config) {
    const struct layer_spec *attends = &config->specs[0], *mixes = &config->specs[0];
    for (int32_t i = config->layers - 1; i >= 0; i--) {
        if (config->specs[i].mixer == MIXER_ATTENTION) attends = &config->specs[i];
        if (config->specs[i].ffn.experts > 0) mixes = &config->specs[i];
    }
    metadata_accept(metadata, "embedding_scale", (double)config->embedding_scale);
    metadata_accept(metadata, "logit_scale", (double)config->logit_scale);
    metadata_accept(metadata, "residual_scale", (double)config->specs[0].residual_scale);
    metadata_accept(metadata, "attention.scale", (double)attends->attention.scale);
    if (mixes->ffn.experts == 0) return;
    const bool softmax = mixes->ffn.gating == GATING_SOFTMAX;
    metadata_accept(metadata, "expert_weights_norm", !mixes->ffn.raw_shares);
    metadata_accept(metadata, "expert_gating_func", softmax ? SOFTMAX : SIGMOID);
    if (softmax && !mixes->ffn.raw_shares)
        metadata_accept(metadata, "expert_gating_func", SOFTMAX_OF_CHOSEN);
}

enum status model_config_read(const struct gguf *gguf, struct model_config *config,
                              struct error *err) {
    struct gguf_string name;
    TRY(refuse_part(gguf, err));
    if (!gguf_find_string(gguf, "general.architecture", &name))
        return error_set(err, STATUS_BAD_FILE, "%s: general.architecture is missing",
                         gguf_path(gguf));
    const struct family *family = family_find(name.bytes, name.length);
    if (!family) return refuse_family(gguf, name, err);

    struct metadata metadata = {
        .gguf = gguf, .family = family->name, .keys = family->keys, .err = err};
    struct model_config found = {
        .family = family->name,
        .dim = metadata_int(&metadata, "embedding_length", 0, MODEL_MAX_DIM),
        .layers = metadata_int(&metadata, "block_count", 0, MODEL_MAX_LAYERS),
        .context = read_context(&metadata, "context_length", 0),
        .norm_eps = metadata_float(&metadata,
                                   family->centered_norms ? "attention.layer_norm_epsilon"
                                                          : "attention.layer_norm_rms_epsilon",
                                   family->norm_eps > 0 ? family->norm_eps : NAN),
        .centered_norms = family->centered_norms,
        .embedding_scale = metadata_factor(&metadata, "embedding_scale", 1.0f),
        .logit_scale = 1,
        .logit_softcap = metadata_float(&metadata, "final_logit_softcapping", 0),
        .multimodal = family->multimodal,
    };
    ASSERT(found.layers > 0 && found.layers <= MODEL_MAX_LAYERS);
    const int32_t drafts = metadata_count(&metadata, "nextn_predict_layers", found.layers - 1);
    TRY(metadata.status); // so that there is a layer
    metadata.blocks = found.layers;
    set_draft_layers(gguf, drafts, &found);
    read_layers(&metadata, family, &found);
    family->read(&metadata, &found);
    accept_what_is_so(&metadata, &found);
    check_planes(&metadata, &found);
    metadata_check_unread(&metadata);
    if (metadata.status == STATUS_OK) *config = found;
    return metadata.status;
}

// Of encoders of images and sound: "v.blk.0.attn_q.weight", "a.conv1d.0.weight",
// "mm.input_projection.weight".
static bool is_of_encoder(struct gguf_string name) {
    static const char *const begins[] = {"v.", "a.", "mm."};
    for (size_t b = 0; b < sizeof begins / sizeof begins[0]; b++)
        if (name.length > strlen(begins[b]) && !memcmp(name.bytes, begins[b], strlen(begins[b])))
            return true;
    return false;
}

bool model_config_leaves_aside(const struct model_config *config, struct gguf_string name) {
    bool drafts;
    const int32_t first = model_config_blocks(config), block = block_of(name, &drafts);
    return (config->multimodal && is_of_encoder(name)) ||
           (block >= first && block < first + config->draft_layers);
}
