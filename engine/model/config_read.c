#include "engine/model/config_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/family.h"
#include "engine/model/family_read.h"
#include "engine/model/folder_layout.h"
#include "engine/model/layer_part.h"
#include "engine/model/mtp.h"
#include "kernels/base/assert.h"

// Layers that are alike but for what the file lists layer by layer.
static void read_layers(struct metadata *metadata, const struct family *family,
                        struct model_config *config) {
    static const char heads_key[] = "attention.head_count_kv";
    int32_t heads[MODEL_MAX_LAYERS], kv_heads[MODEL_MAX_LAYERS], widths[MODEL_MAX_LAYERS];
    struct layer_spec layer = family->layer;
    bool slides[MODEL_MAX_LAYERS];
    // Before other lists: of them it tells best that there are not as many layers.
    metadata_pattern(metadata, "attention.sliding_window_pattern", config->layers, 0, slides);
    metadata_list(metadata, "attention.head_count", config->layers, 1, 0, MODEL_MAX_HEADS, heads);
    // Files whose feed-forward is all experts need not say how wide another would be.
    const int32_t least = metadata_has(metadata, "expert_feed_forward_length") ? 1 : 0;
    const bool hybrid = layer.mixer != MIXER_ATTENTION; // but layers with KV heads
    metadata_list(metadata, heads_key, config->layers, hybrid ? 0 : 1, heads[0], MODEL_MAX_HEADS,
                  kv_heads);
    metadata_list(metadata, "feed_forward_length", config->layers, family->single ? 0 : 1, least,
                  MODEL_MAX_DIM, widths);
    layer.attention.heads = heads[0];
    (family->latent ? latent_attention_read : attention_read)(metadata, config, &layer.attention);
    experts_read(metadata, widths[0], &layer.ffn);
    layer.residual_scale = metadata_factor(metadata, "residual_scale", 1.0f);
    for (int32_t i = 0; i < config->layers; i++) {
        config->specs[i] = layer;
        config->specs[i].block = i;
        if (layer.ffn.kind != FFN_SHARED_EXPERT) config->specs[i].ffn.width = widths[i];
        config->specs[i].attention.heads = heads[i];
        config->specs[i].attention.kv_heads = family->latent ? 1 : kv_heads[i];
        config->specs[i].attention.kv_source = i;
        if (kv_heads[i] > 0) config->specs[i].mixer = MIXER_ATTENTION;
        if (kv_heads[i] > 0 && heads[i] % kv_heads[i])
            metadata_fail(metadata, STATUS_BAD_FILE, heads_key, "must divide attention.head_count");
    }
    if (layer.ffn.kind != FFN_DENSE) experts_set_dense_layers(metadata, config, widths);
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
static const char *kind_of_unknown(struct gguf_string name) {
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
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (gguf_string_begins(name, kinds[i].begin)) return kinds[i].kind;
    return NULL;
}

static enum status refuse_family(const struct gguf *gguf, struct gguf_string name,
                                 struct error *err) {
    const char *kind = kind_of_unknown(name);
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
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (gguf_says(gguf, parts[i].key, parts[i].value))
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
    experts_accept(metadata, &mixes->ffn);
}

// Files of some families whose norms are centered state it as that of the others.
static float read_norm_eps(struct metadata *metadata, const struct family *family) {
    static const char rms[] = "attention.layer_norm_rms_epsilon";
    static const char centered[] = "attention.layer_norm_epsilon";
    const bool other = family->norms == NORM_RMS ||
                       (metadata_is_set(metadata, rms) && !metadata_is_set(metadata, centered));
    return metadata_float(metadata, other ? rms : centered,
                          family->norm_eps > 0 ? family->norm_eps : NAN);
}

enum status model_config_read(const struct gguf *gguf, struct model_config *config,
                              struct error *err) {
    const struct folder_config *folder = gguf_config(gguf);
    struct gguf_string name = {"", 0};
    TRY(refuse_part(gguf, err));
    TRY(gguf_check_kind(gguf, "general.architecture", GGUF_TEXT, err));
    if (!folder && !gguf_find_string(gguf, "general.architecture", &name))
        return error_set(err, STATUS_BAD_FILE, "%s: general.architecture is missing",
                         gguf_path(gguf));
    const struct family *family = folder ? folder->family : family_find(name.bytes, name.length);
    if (!family) return refuse_family(gguf, name, err);

    struct metadata metadata = {
        .gguf = gguf, .folder = folder, .family = family->name, .keys = family->keys, .err = err};
    struct model_config found = {
        .family = family->name,
        .dim = metadata_int(&metadata, "embedding_length", 0, MODEL_MAX_DIM),
        .layers = metadata_int(&metadata, "block_count", 0, MODEL_MAX_LAYERS),
        .context = metadata_context(&metadata, "context_length", 0),
        .norm_eps = read_norm_eps(&metadata, family),
        .norms = family->norms,
        .embedding_scale = metadata_factor(&metadata, "embedding_scale", 1.0f),
        .logit_scale = 1,
        .logit_softcap = metadata_float(&metadata, "final_logit_softcapping", 0),
        .multimodal = family->multimodal,
    };
    found.post_norm_eps = found.norm_eps;
    ASSERT(found.layers > 0 && found.layers <= MODEL_MAX_LAYERS);
    const int32_t drafts = metadata_count(&metadata, "nextn_predict_layers", found.layers - 1);
    TRY(metadata.status); // so that there is a layer
    metadata.blocks = found.layers;
    set_draft_layers(gguf, drafts, &found);
    read_layers(&metadata, family, &found);
    (family->read ? family->read : family_read_plain)(&metadata, &found);
    accept_what_is_so(&metadata, &found);
    check_planes(&metadata, &found);
    if (family->mtp) mtp_read(gguf, &found);
    metadata_check_unread(&metadata);
    if (metadata.status == STATUS_OK) *config = found;
    return metadata.status;
}

// Of encoders of images and sound: "v.blk.0.attn_q.weight", "a.conv1d.0.weight",
// "mm.input_projection.weight".
static bool is_of_encoder(struct gguf_string name) {
    static const char *const begins[] = {"v.", "a.", "mm."};
    for (size_t b = 0; b < sizeof begins / sizeof begins[0]; b++)
        if (gguf_string_begins(name, begins[b])) return true;
    return false;
}

bool model_config_ignores(const struct model_config *config, struct gguf_string name) {
    bool drafts;
    const int32_t first = model_config_blocks(config), end = first + config->draft_layers;
    const int32_t read = config->mtp_layers > 0; // the first of them, by mtp.h
    const int32_t block = block_of(name, &drafts);
    return (config->multimodal && is_of_encoder(name)) || (block >= first + read && block < end);
}
