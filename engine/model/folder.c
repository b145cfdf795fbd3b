#include "engine/model/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/model/folder_config.h"
#include "engine/model/mapped_file.h"
#include "engine/model/safetensors.h"
#include "kernels/base/assert.h"

enum { NAME_BYTES = FOLDER_NAME_BYTES, MADE_MORE = 3, XIELU_NUMBERS = 4 };
enum { KEY_COUNT_AT = 16 }; // in a GGUF file

// Owned by the gguf that it becomes.
struct folder {
    struct text keys; // the bytes of a GGUF file without tensors
    const struct family *family;
    struct folder_config config;
    struct safetensors *files[FOLDER_MAX_FILES];
    size_t file_count, bytes;
    struct gguf_tensor *tensors;
    char (*names)[NAME_BYTES];
    size_t count, room; // of both
    void **made;        // what no file holds as it is needed
    size_t made_count;
    float xielu[XIELU_NUMBERS][MODEL_MAX_LAYERS];
    int32_t xielu_count[XIELU_NUMBERS]; // layers that have one
    const char *path;                   // while it is opened
};

static void folder_close(void *self) {
    struct folder *folder = self;
    if (!folder) return;
    for (size_t i = 0; i < folder->file_count; i++)
        safetensors_close(folder->files[i]);
    for (size_t i = 0; i < folder->made_count; i++)
        free(folder->made[i]);
    folder_config_deinit(&folder->config);
    text_deinit(&folder->keys);
    free(folder->made);
    free(folder->names);
    free(folder->tensors);
    free(folder);
}

static struct hash128 folder_digest(const void *self) {
    const struct folder *folder = self;
    struct hash128 digest = hash_bytes(NULL, 0, 0);
    for (size_t i = 0; i < folder->file_count; i++) {
        const struct hash128 both[2] = {digest, safetensors_digest(folder->files[i])};
        digest = hash_bytes(both, sizeof both, 0);
    }
    return digest;
}

static void folder_prefetch(const void *self) {
    const struct folder *folder = self;
    for (size_t i = 0; i < folder->file_count; i++)
        safetensors_prefetch(folder->files[i]);
}

static enum status no_memory(const struct folder *folder, struct error *err) {
    return error_set(err, STATUS_NO_MEMORY, "%s: no memory", mapped_file_shown(folder->path));
}

enum status folder_read_json(const char *folder, const char *name, cJSON **json,
                             struct error *err) {
    struct text path = {0};
    struct mapped_file file = {0};
    enum status status = text_format(&path, "%s/%s", folder, name);
    if (status == STATUS_OK)
        status = mapped_file_open(text_string(&path), "a JSON file", &file, err);
    if (status == STATUS_OK && file.length > FOLDER_MAX_JSON)
        status = error_set(err, STATUS_BAD_FILE, "%s: expected at most %d bytes, found %zu",
                           mapped_file_shown(text_string(&path)), FOLDER_MAX_JSON, file.length);
    if (status == STATUS_OK) {
        cJSON *found = cJSON_ParseWithLength((const char *)file.bytes, file.length);
        if (cJSON_IsObject(found)) {
            *json = found;
        } else {
            cJSON_Delete(found);
            status = error_set(err, STATUS_BAD_FILE, "%s: expected a JSON object",
                               mapped_file_shown(text_string(&path)));
        }
    }
    mapped_file_close(&file);
    text_deinit(&path);
    return status;
}

static bool has_file(const struct folder *folder, const char *name) {
    struct text path = {0};
    const bool has = text_format(&path, "%s/%s", folder->path, name) == STATUS_OK &&
                     access(text_string(&path), F_OK) == 0;
    text_deinit(&path);
    return has;
}

static enum status open_file(struct folder *folder, const char *name, struct error *err) {
    ASSERT(folder->file_count <= FOLDER_MAX_FILES);
    struct text path = {0};
    if (strchr(name, '/') || folder->file_count == FOLDER_MAX_FILES)
        return error_set(err, STATUS_BAD_FILE,
                         "%s: expected at most %d files beside the index, in its folder",
                         mapped_file_shown(folder->path), FOLDER_MAX_FILES);
    enum status status = text_format(&path, "%s/%s", folder->path, name);
    if (status == STATUS_OK)
        status = safetensors_open(text_string(&path), &folder->files[folder->file_count], err);
    if (status == STATUS_OK)
        folder->bytes += safetensors_bytes(folder->files[folder->file_count++]);
    text_deinit(&path);
    return status;
}

// Files in the order in which the index names them first.
static enum status open_indexed(struct folder *folder, const cJSON *index, struct error *err) {
    const cJSON *map = cJSON_GetObjectItemCaseSensitive(index, "weight_map"), *item;
    const char *opened[FOLDER_MAX_FILES];
    cJSON_ArrayForEach(item, map) {
        if (!cJSON_IsString(item))
            return error_set(err, STATUS_BAD_FILE, "%s: expected names in weight_map",
                             mapped_file_shown(folder->path));
        size_t i = folder->file_count; // the last one first: neighbours are in one file
        while (i > 0 && strcmp(opened[i - 1], item->valuestring) != 0)
            i--;
        if (i > 0) continue;
        if (folder->file_count < FOLDER_MAX_FILES) opened[folder->file_count] = item->valuestring;
        TRY(open_file(folder, item->valuestring, err));
    }
    if (folder->file_count > 0) return STATUS_OK;
    return error_set(err, STATUS_BAD_FILE, "%s: its weight_map names no file",
                     mapped_file_shown(folder->path));
}

static enum status open_files(struct folder *folder, struct error *err) {
    static const char index_name[] = "model.safetensors.index.json";
    cJSON *index = NULL;
    if (!has_file(folder, index_name)) return open_file(folder, "model.safetensors", err);
    enum status status = folder_read_json(folder->path, index_name, &index, err);
    if (status == STATUS_OK) status = open_indexed(folder, index, err);
    cJSON_Delete(index);
    return status;
}

// What a layer's tensors are called: up to the dot before "weight" or "bias".
static const struct {
    const char *theirs, *ours;
} layer_names[] = {
    {"self_attn.qkv_proj.", "attn_qkv."},
    {"self_attn.q_proj.", "attn_q."},
    {"self_attn.k_proj.", "attn_k."},
    {"self_attn.v_proj.", "attn_v."},
    {"self_attn.o_proj.", "attn_output."},
    {"self_attn.q_norm.", "attn_q_norm."},
    {"self_attn.k_norm.", "attn_k_norm."},
    {"self_attn.q_a_proj.", "attn_q_a."},
    {"self_attn.q_a_layernorm.", "attn_q_a_norm."},
    {"self_attn.q_b_proj.", "attn_q_b."},
    {"self_attn.kv_a_proj_with_mqa.", "attn_kv_a_mqa."},
    {"self_attn.kv_a_layernorm.", "attn_kv_a_norm."},
    {"self_attn.kv_b_proj.", "attn_kv_b."},
    {"input_layernorm.", "attn_norm."},
    {"attention_layernorm.", "attn_norm."},
    {"feedforward_layernorm.", "ffn_norm."},
    {"operator_norm.", "attn_norm."},
    {"ffn_norm.", "ffn_norm."},
    {"self_attn.out_proj.", "attn_output."},
    {"attention.query_key_value.", "attn_qkv."},
    {"attention.dense.", "attn_output."},
    {"attention.query_layernorm.", "attn_q_norm."},
    {"attention.key_layernorm.", "attn_k_norm."},
    {"self_attn.query_layernorm.", "attn_q_norm."},
    {"self_attn.key_layernorm.", "attn_k_norm."},
    {"self_attn.q_layernorm.", "attn_q_norm."},
    {"self_attn.k_layernorm.", "attn_k_norm."},
    {"conv.in_proj.", "shortconv.in_proj."},
    {"conv.conv.", "shortconv.conv."},
    {"conv.out_proj.", "shortconv.out_proj."},
    {"feed_forward.w1.", "ffn_gate."},
    {"feed_forward.w3.", "ffn_up."},
    {"feed_forward.w2.", "ffn_down."},
    {"pre_feedforward_layernorm.", "ffn_norm."},
    {"post_feedforward_layernorm.", "post_ffw_norm."},
    {"post_self_attn_layernorm.", "post_attention_norm."},
    {"post_mlp_layernorm.", "post_ffw_norm."},
    {"mlp.gate_up_proj.", "ffn_up."},
    {"mlp.gate_proj.", "ffn_gate."},
    {"mlp.up_proj.", "ffn_up."},
    {"mlp.down_proj.", "ffn_down."},
    {"mlp.shared_experts.gate_proj.", "ffn_gate_shexp."},
    {"mlp.shared_experts.up_proj.", "ffn_up_shexp."},
    {"mlp.shared_experts.down_proj.", "ffn_down_shexp."},
    {"mlp.shared_mlp.gate_proj.", "ffn_gate_shexp."},
    {"mlp.shared_mlp.up_proj.", "ffn_up_shexp."},
    {"mlp.shared_mlp.down_proj.", "ffn_down_shexp."},
    {"mlp.gate.wg.", "ffn_gate_inp."},
    {"mlp.gate.", "ffn_gate_inp."},
    {"feed_forward.gate.", "ffn_gate_inp."},
    {"mlp.router.", "ffn_gate_inp."},
    {"block_sparse_moe.gate.", "ffn_gate_inp."},
    {"router.proj.", "ffn_gate_inp."},
    {"pre_feedforward_layernorm_2.", "pre_ffw_norm_2."},
    {"post_feedforward_layernorm_1.", "post_ffw_norm_1."},
    {"post_feedforward_layernorm_2.", "post_ffw_norm_2."},
    {"per_layer_input_gate.", "inp_gate."},
    {"per_layer_projection.", "proj."},
    {"post_per_layer_input_norm.", "post_norm."},
};

// Those that have no such end.
static const struct {
    const char *theirs, *ours;
} whole_layer_names[] = {
    {"layer_scalar", "layer_output_scale.weight"},
    {"self_attn.sinks", "attn_sinks.weight"},
    {"router.scale", "ffn_gate_inp.scale"},
    {"router.per_expert_scale", "ffn_down_exps.scale"},
    {"experts.gate_up_proj", "ffn_gate_up_exps.weight"},
    {"experts.down_proj", "ffn_down_exps.weight"},
    {"block_sparse_moe.router.layer.weight", "ffn_gate_inp.weight"},
    {"block_sparse_moe.input_linear.weight", "ffn_gate_up_exps.weight"},
    {"block_sparse_moe.output_linear.weight", "ffn_down_exps.weight"},
    {"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"},
    {"mlp.gate.expert_bias", "exp_probs_b.bias"},
    {"feed_forward.expert_bias", "exp_probs_b.bias"},
    {"block_sparse_moe.e_score_correction_bias", "exp_probs_b.bias"},
    {"mlp.moe_statics.e_score_correction_bias", "exp_probs_b.bias"},
};

// "mlp.experts.3.up_proj.weight" is expert 3's "ffn_up.3.weight".
static bool expert_name(const char *rest, int layer, char name[NAME_BYTES]) {
    ASSERT(layer >= 0);
    static const struct {
        const char *theirs, *ours;
    } parts[] = {{"gate_proj", "ffn_gate"}, {"up_proj", "ffn_up"}, {"down_proj", "ffn_down"},
                 {"w1", "ffn_gate"},        {"w3", "ffn_up"},      {"w2", "ffn_down"}};
    static const char *const begins[] = {"mlp.experts.", "block_sparse_moe.experts.",
                                         "feed_forward.experts."};
    char part[16];
    int expert = -1, used = 0;
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (!strncmp(rest, begins[i], strlen(begins[i]))) {
            rest += strlen(begins[i]);
            break;
        }
    if (sscanf(rest, "%4d.%15[a-z0-9_].weight%n", &expert, part, &used) != 2) return false;
    if (expert < 0 || used == 0 || rest[used]) return false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!strcmp(parts[i].theirs, part)) {
            snprintf(name, NAME_BYTES, "blk.%d.%s.%d.weight", layer, parts[i].ours, expert);
            return true;
        }
    return false;
}

// Of what attention adds, or, where nothing norms that, of what the feed-forward reads.
static const char *second_norm(const struct family *family) {
    if (family->second_norm) return family->second_norm;
    if (family->layer.post_norm) return "post_attention_norm.weight";
    return family->layer.ffn_norm ? family->layer.ffn_norm : "ffn_norm.weight";
}

// What follows "model.layers.7.", and the 7. NULL: it does not begin so.
static const char *layer_part(const char *theirs, int *layer) {
    int used = 0;
    *layer = -1;
    if (sscanf(theirs, "model.layers.%4d.%n", layer, &used) != 1 || *layer < 0) return NULL;
    return used ? theirs + used : NULL;
}

bool folder_matrix_name(const char *theirs, char name[FOLDER_NAME_BYTES]) {
    int layer;
    const char *rest = layer_part(theirs, &layer);
    for (size_t i = 0; rest && i < sizeof layer_names / sizeof layer_names[0]; i++) {
        const size_t length = strlen(layer_names[i].theirs);
        if (strncmp(rest, layer_names[i].theirs, length) != 0) continue;
        snprintf(name, NAME_BYTES, "blk.%d.%s%.8s", layer, layer_names[i].ours, rest + length);
        return true;
    }
    return false;
}

static bool layer_name(const struct folder *folder, const char *theirs, char name[NAME_BYTES]) {
    int layer;
    const char *rest = layer_part(theirs, &layer);
    if (!rest) return false;
    if (!strcmp(rest, "post_attention_layernorm.weight")) {
        snprintf(name, NAME_BYTES, "blk.%d.%s", layer, second_norm(folder->family));
        return true;
    }
    for (size_t i = 0; i < sizeof whole_layer_names / sizeof whole_layer_names[0]; i++)
        if (!strcmp(rest, whole_layer_names[i].theirs)) {
            snprintf(name, NAME_BYTES, "blk.%d.%s", layer, whole_layer_names[i].ours);
            return true;
        }
    if (folder_matrix_name(theirs, name)) return true;
    return expert_name(rest, layer, name);
}

// "model.language_model.norm.weight" is "model.norm.weight" where the text's part is nested; older
// files nest it the other way round.
static const char *unnested(const struct folder *folder, const char *theirs,
                            char name[NAME_BYTES]) {
    static const char *const nests[][2] = {{"model.language_model.", "model."},
                                           {"language_model.model.", "model."},
                                           {"language_model.lm_head.", "lm_head."}};
    for (size_t i = 0; i < sizeof nests / sizeof nests[0] && folder->family->multimodal; i++) {
        const size_t length = strlen(nests[i][0]);
        if (strncmp(theirs, nests[i][0], length) != 0) continue;
        snprintf(name, NAME_BYTES, "%s%s", nests[i][1], theirs + length);
        return name;
    }
    return theirs;
}

static bool gguf_name(const struct folder *folder, const char *full, char name[NAME_BYTES]) {
    char short_name[NAME_BYTES];
    const char *theirs = unnested(folder, full, short_name);
    static const struct {
        const char *theirs, *ours;
    } whole[] = {{"model.embed_tokens.weight", "token_embd.weight"},
                 {"model.word_embeddings.weight", "token_embd.weight"},
                 {"model.norm.weight", "output_norm.weight"},
                 {"model.embedding_norm.weight", "output_norm.weight"},
                 {"lm_head.weight", "output.weight"},
                 {"model.embed_tokens_per_layer.weight", "per_layer_token_embd.weight"},
                 {"model.per_layer_model_projection.weight", "per_layer_model_proj.weight"},
                 {"model.per_layer_projection_norm.weight", "per_layer_proj_norm.weight"}};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (!strcmp(whole[i].theirs, theirs)) {
            snprintf(name, NAME_BYTES, "%s", whole[i].ours);
            return true;
        }
    return layer_name(folder, theirs, name);
}

// What files hold besides: the output that is the embedding again, angles that follow from the
// configuration, layers that predict further tokens, and a multimodal model's encoders.
static bool is_spare(const struct folder *folder, const char *name) {
    static const char *const others[] = {"vision_tower.",          "model.vision_tower.",
                                         "multi_modal_projector.", "model.multi_modal_projector.",
                                         "model.embed_vision.",    "model.audio_tower.",
                                         "model.embed_audio.",     "visual.",
                                         "model.visual."};
    for (size_t i = 0; i < sizeof others / sizeof others[0] && folder->family->multimodal; i++)
        if (!strncmp(name, others[i], strlen(others[i]))) return true;
    int layer;
    if (folder->config.draft_layer > 0 &&
        (!strncmp(name, "model.mtp_", 10) ||
         (layer_part(name, &layer) && layer >= folder->config.draft_layer)))
        return true;
    return (folder->config.tied && strstr(name, "lm_head.weight")) ||
           strstr(name, "rotary_emb.inv_freq");
}

static bool is_norm(const char *name) { return strstr(name, "norm.weight") != NULL; }

// Zeros that the folder owns.
static void *make(struct folder *folder, size_t count, size_t element_bytes) {
    ASSERT(folder->made_count < folder->room);
    void *made = calloc(count, element_bytes);
    if (made) folder->made[folder->made_count++] = made;
    return made;
}

static const struct gguf_tensor *find_theirs(const struct folder *folder, const char *name) {
    for (size_t i = 0; i < folder->file_count; i++)
        for (size_t t = 0; t < safetensors_count(folder->files[i]); t++) {
            const struct gguf_tensor *tensor = safetensors_at(folder->files[i], t);
            if (!strcmp(tensor->name.bytes, name)) return tensor;
        }
    return NULL;
}

// What a layer's experts have in a folder of MXFP4: [experts, rows, blocks, 16] bytes with two
// elements each, their exponents [experts, rows, blocks], and biases [experts, rows]. Rows of gate
// and up alternate.
static const struct expert_part {
    const char *theirs, *ours;
    int32_t first, step;
} expert_parts[] = {
    {"gate_up_proj_blocks", "ffn_gate_exps.weight", 0, 2},
    {"gate_up_proj_blocks", "ffn_up_exps.weight", 1, 2},
    {"down_proj_blocks", "ffn_down_exps.weight", 0, 1},
    {"gate_up_proj_bias", "ffn_gate_exps.bias", 0, 2},
    {"gate_up_proj_bias", "ffn_up_exps.bias", 1, 2},
    {"down_proj_bias", "ffn_down_exps.bias", 0, 1},
};
enum { PARTS = sizeof expert_parts / sizeof expert_parts[0], BLOCK = 16, PACKED = BLOCK + 1 };

// A block of a GGUF file: the exponent, then elements 0 to 15 in low nibbles and 16 to 31 in high
// ones; neighbours share a byte of theirs.
static void pack_row(const unsigned char *blocks, const unsigned char *exponents, int64_t count,
                     unsigned char *out) {
    ASSERT(count >= 0);
    for (int64_t b = 0; b < count; b++, blocks += BLOCK, out += PACKED) {
        out[0] = exponents[b];
        for (int i = 0; i < BLOCK / 2; i++) {
            const unsigned low = blocks[i], high = blocks[i + BLOCK / 2];
            out[1 + 2 * i] = (unsigned char)((low & 15) | high << 4);
            out[2 + 2 * i] = (unsigned char)(low >> 4 | (high & 0xF0));
        }
    }
}

// Rows of blocks or biases, those that are the part's.
static enum status make_part(struct folder *folder, const struct gguf_tensor *from,
                             const struct gguf_tensor *exponents, const struct expert_part *part,
                             struct gguf_tensor *to) {
    ASSERT(part->step > 0);
    const bool packed = exponents != NULL;
    const int64_t blocks = from->shape[1], all = packed ? from->shape[2] : from->shape[0];
    const int64_t rows = all / part->step, experts = packed ? from->shape[3] : from->shape[1];
    const size_t row_bytes = packed ? (size_t)blocks * PACKED : sizeof(float);
    unsigned char *made = make(folder, (size_t)(experts * rows), row_bytes), *out = made;
    if (!made) return STATUS_NO_MEMORY;
    for (int64_t row = part->first; row < experts * all; row += part->step, out += row_bytes)
        if (packed)
            pack_row((const unsigned char *)from->data + row * blocks * BLOCK,
                     (const unsigned char *)exponents->data + row * blocks, blocks, out);
        else
            dtype_to_float(from->type,
                           (const char *)from->data + row * dtype_block_bytes(from->type),
                           (float *)(void *)out, 1);
    *to = (struct gguf_tensor){
        .known = true,
        .type = packed ? DTYPE_MXFP4 : DTYPE_F32,
        .file_type = packed ? 39 : 0,
        .dims = packed ? 3 : 2,
        .shape = {packed ? blocks * 2 * BLOCK : rows, packed ? rows : experts, packed ? experts : 1,
                  1},
        .bytes = (size_t)(experts * rows) * row_bytes,
        .data = made,
    };
    return STATUS_OK;
}

// Are the exponents there, one for each block, and rows that can be divided?
static bool fits_together(const struct gguf_tensor *from, const struct gguf_tensor *exponents,
                          const struct expert_part *part) {
    if (!exponents)
        return from->known && from->dims == 2 && dtype_block_elements(from->type) == 1 &&
               from->shape[0] % part->step == 0;
    return from->dims == 4 && from->shape[0] == BLOCK && from->shape[2] % part->step == 0 &&
           from->bytes == exponents->bytes * BLOCK && exponents->dims == 3 &&
           exponents->shape[0] == from->shape[1] && exponents->shape[1] == from->shape[2] &&
           exponents->shape[2] == from->shape[3] &&
           exponents->bytes ==
               (size_t)(exponents->shape[0] * exponents->shape[1] * exponents->shape[2]);
}

// Puts the tensors that are made of one of theirs. NOT_FOUND: it is no such tensor.
static enum status put_experts(struct folder *folder, const struct gguf_tensor *from,
                               struct error *err) {
    char part[32], name[GGUF_MAX_NAME_BYTES + 1];
    int layer = -1, used = 0, begin = 0;
    const char *theirs = from->name.bytes;
    if (!folder->family->quantized ||
        sscanf(theirs, "model.layers.%4d.mlp.experts.%n%31[a-z_]%n", &layer, &begin, part, &used) !=
            2 ||
        layer < 0 || theirs[used])
        return STATUS_NOT_FOUND;
    const size_t stem = strlen(part) > 7 ? strlen(part) - 6 : 0; // without "blocks" or "scales"
    snprintf(name, sizeof name, "%.*sblocks", begin + (int)stem, theirs);
    if (!strcmp(part + stem, "scales") && find_theirs(folder, name)) return STATUS_OK;
    const bool packed = !strcmp(part + stem, "blocks");
    snprintf(name, sizeof name, "%.*sscales", begin + (int)stem, theirs);
    const struct gguf_tensor *exponents = packed ? find_theirs(folder, name) : NULL;
    enum status status = STATUS_NOT_FOUND;
    for (int i = 0; i < PARTS; i++) {
        struct gguf_tensor *to = &folder->tensors[folder->count];
        char *ours = folder->names[folder->count];
        if (strcmp(part, expert_parts[i].theirs) != 0) continue;
        ASSERT(folder->count < folder->room);
        if (packed != (exponents != NULL) || !fits_together(from, exponents, &expert_parts[i]))
            return error_set(err, STATUS_BAD_FILE,
                             "%s: tensor '%s' is not of the shape that packed experts have",
                             mapped_file_shown(folder->path), theirs);
        status = make_part(folder, from, exponents, &expert_parts[i], to);
        if (status != STATUS_OK) return no_memory(folder, err);
        snprintf(ours, NAME_BYTES, "blk.%d.%s", layer, expert_parts[i].ours);
        to->name = (struct gguf_string){ours, strlen(ours)};
        folder->count++;
    }
    return status;
}

// Numbers of an activation, which are tensors in folders and keys in GGUF files.
static const char *const xielu_names[XIELU_NUMBERS] = {"alpha_p", "alpha_n", "beta", "eps"};

static bool keep_xielu(struct folder *folder, const struct gguf_tensor *tensor) {
    static const char part[] = "mlp.act_fn.";
    int layer;
    const char *rest = layer_part(tensor->name.bytes, &layer);
    if (!rest || strncmp(rest, part, sizeof part - 1) != 0 || layer >= MODEL_MAX_LAYERS)
        return false;
    for (int i = 0; i < XIELU_NUMBERS; i++)
        if (!strcmp(rest + sizeof part - 1, xielu_names[i]) && tensor->known &&
            tensor->bytes == dtype_row_bytes(tensor->type, 1)) {
            dtype_to_float(tensor->type, tensor->data, &folder->xielu[i][layer], 1);
            folder->xielu_count[i]++;
            return true;
        }
    return false;
}

static enum status append_key(struct folder *folder, const char *key, const float *values,
                              uint64_t count) {
    ASSERT(count > 0 && count <= MODEL_MAX_LAYERS);
    const uint64_t length = strlen(key);
    const uint32_t types[] = {GGUF_ARRAY, GGUF_F32};
    uint64_t keys;
    TRY(text_append(&folder->keys, (const void *)&length, sizeof length));
    TRY(text_append(&folder->keys, key, (size_t)length));
    TRY(text_append(&folder->keys, (const void *)types, sizeof types));
    TRY(text_append(&folder->keys, (const void *)&count, sizeof count));
    TRY(text_append(&folder->keys, (const void *)values, (size_t)count * sizeof *values));
    memcpy(&keys, folder->keys.bytes + KEY_COUNT_AT, sizeof keys);
    keys++;
    memcpy(folder->keys.bytes + KEY_COUNT_AT, &keys, sizeof keys);
    return STATUS_OK;
}

static enum status put_xielu(struct folder *folder) {
    char key[32];
    for (int i = 0; i < XIELU_NUMBERS; i++) {
        if (folder->xielu_count[i] == 0 || folder->xielu_count[i] > MODEL_MAX_LAYERS) continue;
        snprintf(key, sizeof key, "xielu.%s", xielu_names[i]);
        TRY(append_key(folder, key, folder->xielu[i], (uint64_t)folder->xielu_count[i]));
    }
    return STATUS_OK;
}

static enum status put_tensor(struct folder *folder, const struct gguf_tensor *from,
                              struct error *err) {
    ASSERT(folder->count < folder->room);
    struct gguf_tensor *to = &folder->tensors[folder->count];
    char *name = folder->names[folder->count];
    if (is_spare(folder, from->name.bytes) || keep_xielu(folder, from)) return STATUS_OK;
    const enum status status = put_experts(folder, from, err);
    if (status != STATUS_NOT_FOUND) return status;
    if (!gguf_name(folder, from->name.bytes, name))
        return error_set(err, STATUS_UNSUPPORTED,
                         "%s: tensor '%s' has no place in a model of type %s",
                         mapped_file_shown(folder->path), from->name.bytes, folder->family->name);
    *to = *from;
    to->name = (struct gguf_string){name, strlen(name)};
    folder->count++;
    if (!folder->family->norms_plus_one || !is_norm(name) || !from->known) return STATUS_OK;
    const size_t count = (size_t)from->shape[0];
    if (from->dims != 1 || count > MODEL_MAX_DIM)
        return error_set(err, STATUS_BAD_FILE, "%s: tensor '%s' is no vector",
                         mapped_file_shown(folder->path), from->name.bytes);
    float *vector = make(folder, count, sizeof *vector);
    if (!vector) return no_memory(folder, err);
    dtype_to_float(from->type, from->data, vector, count);
    for (size_t i = 0; i < count; i++)
        vector[i] += 1;
    to->type = DTYPE_F32;
    to->file_type = 0;
    to->bytes = count * sizeof *vector;
    to->data = vector;
    return STATUS_OK;
}

static void put_factors(struct folder *folder, const char *name, const float *factors) {
    if (!factors) return;
    ASSERT(folder->count < folder->room);
    struct gguf_tensor *tensor = &folder->tensors[folder->count];
    snprintf(folder->names[folder->count], NAME_BYTES, "%s", name);
    *tensor = (struct gguf_tensor){
        .name = {folder->names[folder->count], strlen(name)},
        .known = true,
        .type = DTYPE_F32,
        .dims = 1,
        .shape = {folder->config.pairs, 1, 1, 1},
        .bytes = (size_t)folder->config.pairs * sizeof *factors,
        .data = factors,
    };
    folder->count++;
}

static enum status name_tensors(struct folder *folder, struct error *err) {
    ASSERT(!folder->tensors && !folder->names && !folder->made);
    folder->room = MADE_MORE;
    for (size_t i = 0; i < folder->file_count; i++) // one of theirs may be two of ours
        folder->room += 2 * safetensors_count(folder->files[i]);
    folder->tensors = calloc(folder->room, sizeof *folder->tensors);
    folder->names = calloc(folder->room, sizeof *folder->names);
    folder->made = calloc(folder->room, sizeof *folder->made);
    if (!folder->tensors || !folder->names || !folder->made) return no_memory(folder, err);
    for (size_t i = 0; i < folder->file_count; i++)
        for (size_t t = 0; t < safetensors_count(folder->files[i]); t++)
            TRY(put_tensor(folder, safetensors_at(folder->files[i], t), err));
    put_factors(folder, "rope_freqs.weight", folder->config.rope_freqs);
    put_factors(folder, "rope_factors_short.weight", folder->config.rope_short);
    put_factors(folder, "rope_factors_long.weight", folder->config.rope_long);
    return STATUS_OK;
}

// The libraries that write such a folder would add the adapter to the model that it names.
static enum status refuse_adapter(const struct folder *folder, struct error *err) {
    static const char name[] = "adapter_config.json", key[] = "base_model_name_or_path";
    cJSON *json = NULL;
    if (!has_file(folder, name)) return STATUS_OK;
    TRY(folder_read_json(folder->path, name, &json, err));
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(json, key);
    const enum status status = error_set(
        err, STATUS_UNSUPPORTED,
        "%s: is an adapter of %.80s: give quire that model, and this folder with --lora",
        mapped_file_shown(folder->path), cJSON_IsString(base) ? base->valuestring : "a model");
    cJSON_Delete(json);
    return status;
}

static enum status read_config(struct folder *folder, struct error *err) {
    cJSON *json = NULL;
    TRY(refuse_adapter(folder, err));
    if (!has_file(folder, "config.json"))
        return error_set(err, STATUS_NOT_FOUND, "%s: this folder has no config.json",
                         mapped_file_shown(folder->path));
    enum status status = folder_read_json(folder->path, "config.json", &json, err);
    if (status == STATUS_OK)
        status = folder_config_family(json, folder->path, &folder->family, err);
    if (status == STATUS_OK)
        status = folder_config_read(json, folder->family, folder->path, &folder->keys,
                                    &folder->config, err);
    cJSON_Delete(json);
    return status;
}

static enum status open_folder(struct folder *folder, struct gguf **gguf, struct error *err) {
    TRY(read_config(folder, err));
    TRY(open_files(folder, err));
    TRY(name_tensors(folder, err));
    if (put_xielu(folder) != STATUS_OK) return no_memory(folder, err);
    return gguf_open_memory(folder->keys.bytes, folder->keys.length, folder->path, gguf, err);
}

enum status folder_open(const char *path, struct gguf **gguf, struct error *err) {
    struct folder *folder = calloc(1, sizeof *folder);
    struct gguf *opened = NULL;
    if (!folder) return error_set(err, STATUS_NO_MEMORY, "%s: no memory", path);
    folder->path = path;
    enum status status = open_folder(folder, &opened, err);
    ASSERT(folder->count <= folder->room && folder->file_count <= FOLDER_MAX_FILES);
    const struct gguf_owner owner = {folder, folder->bytes, folder_digest, folder_prefetch,
                                     folder_close};
    if (status == STATUS_OK)
        status = gguf_attach(opened, folder->tensors, folder->count, &owner, err);
    folder->path = NULL;
    if (status == STATUS_OK) {
        *gguf = opened;
    } else {
        gguf_close(opened);
        folder_close(folder);
    }
    return status;
}
