// engine/model/folder_tensors.c — gives a folder's tensors their GGUF names. Weights stay where the
// files are mapped, unless a GGUF file would have other numbers or another order:
//
//   theirs                                      ours
//   layers.7.self_attn.q_proj.weight            blk.7.attn_q.weight               mapped
//   layers.7.shared_mlp.input_linear.weight     ffn_gate above, ffn_up below      mapped: two parts
//   layers.7.linear_attn.in_proj_qkvz.weight    attn_qkv and attn_gate            copied: by heads
//   layers.7.input_layernorm.weight (Gemma)     attn_norm.weight                  copied: plus 1
//   layers.7.mlp.experts.down_proj_blocks       ffn_down_exps.weight              copied: repacked
//   layers.7.mlp.act_fn.beta                    xielu                             kept as a number
//
// put_tensor() is called for each of the files' tensors in turn. Those that are known to be spare
// are left out (is_spare). Any other tensor without a place is an error, because an answer computed
// without it would be wrong and look right.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/folder_state.h"
#include "kernels/base/assert.h"

enum { NAME_BYTES = FOLDER_NAME_BYTES, MADE_MORE = 3 };

// Tensors that are not needed: an output matrix that repeats the embedding, angles that follow from
// the configuration, layers that predict further tokens unless they are used to draft, and the
// encoders of a multimodal model.
static bool is_spare(const struct folder *folder, const char *name) {
    static const char *const others[] = {"vision_tower.",
                                         "model.vision_tower.",
                                         "multi_modal_projector.",
                                         "model.embed_vision.",
                                         "model.audio_tower.",
                                         "model.multi_modal_projector.",
                                         "model.embed_audio.",
                                         "model.vision_adapter.",
                                         "model.vision_projection.",
                                         "visual.",
                                         "model.visual.",
                                         "vision_model.",
                                         "vit_large_projector."};
    for (size_t i = 0; i < sizeof others / sizeof others[0] && folder->family->multimodal; i++)
        if (!strncmp(name, others[i], strlen(others[i]))) return true;
    int layer;
    if (!strncmp(name, "mtp.", 4)) return true;
    if (folder->config.draft_layer > 0 &&
        (!strncmp(name, "model.mtp_", 10) ||
         (folder_name_in_layer(name, &layer) && layer >= folder->config.draft_layer &&
          (folder->mtp_layer == 0 || layer != folder->mtp_layer))))
        return true;
    return (folder->config.tied && strstr(name, "lm_head.weight")) ||
           strstr(name, "rotary_emb.inv_freq");
}

static bool ends_in(const char *name, const char *end) {
    const size_t length = strlen(name), ending = strlen(end);
    return length >= ending && !strcmp(name + length - ending, end);
}

static enum status no_memory(const struct folder *folder) {
    return error_set(folder->err, STATUS_NO_MEMORY, "%s: not enough memory",
                     mapped_file_shown(folder->path));
}

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

// The tensors of a layer's experts in a folder with MXFP4: [experts, rows, blocks, 16] bytes of two
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

// Writes the blocks of a row as GGUF has them: the exponent, then 16 bytes with elements 0 to 15 in
// the low nibbles and 16 to 31 in the high ones. In a folder, neighbouring elements share a byte.
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

// Makes *to from the part's rows of blocks or of biases.
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

// Do the shapes agree: one exponent for each block, and as many rows of gate as of up?
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

// Names the next tensor "blk.7." and the rest, and counts it as done.
static void put_in_layer(struct folder *folder, int layer, const char *rest) {
    ASSERT(folder->count < folder->room);
    char *name = folder->names[folder->count];
    snprintf(name, NAME_BYTES, "blk.%d.%s", layer, rest);
    folder->tensors[folder->count++].name = (struct gguf_string){name, strlen(name)};
}

// Adds the tensors that are made from one tensor of experts. NOT_FOUND: it is none.
static enum status put_experts(struct folder *folder, const struct gguf_tensor *from) {
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
        if (strcmp(part, expert_parts[i].theirs) != 0) continue;
        ASSERT(folder->count < folder->room);
        if (packed != (exponents != NULL) || !fits_together(from, exponents, &expert_parts[i]))
            return error_set(folder->err, STATUS_BAD_FILE,
                             "%s: tensor '%s' does not have the shape of packed experts",
                             mapped_file_shown(folder->path), theirs);
        status = make_part(folder, from, exponents, &expert_parts[i], to);
        if (status != STATUS_OK) return no_memory(folder);
        put_in_layer(folder, layer, expert_parts[i].ours);
    }
    return status;
}

// Keeps the numbers of an activation, which are tensors in a folder and keys in a GGUF file.
static bool keep_xielu(struct folder *folder, const struct gguf_tensor *tensor) {
    static const char part[] = "mlp.act_fn.";
    static const char *const names[XIELU_NUMBERS] = {"alpha_p", "alpha_n", "beta", "eps"};
    int layer;
    const char *rest = folder_name_in_layer(tensor->name.bytes, &layer);
    if (!rest || strncmp(rest, part, sizeof part - 1) != 0 || layer >= MODEL_MAX_LAYERS)
        return false;
    for (int i = 0; i < XIELU_NUMBERS; i++)
        if (!strcmp(rest + sizeof part - 1, names[i]) && tensor->known &&
            tensor->bytes == dtype_row_bytes(tensor->type, 1)) {
            dtype_to_float(tensor->type, tensor->data, &folder->config.xielu[i][layer], 1);
            folder->config.xielu_count[i]++;
            return true;
        }
    return false;
}

static enum status bad_shape(const struct folder *folder, const struct gguf_tensor *tensor) {
    return error_set(folder->err, STATUS_BAD_FILE,
                     "%s: tensor '%s' has the wrong shape or type for this model",
                     mapped_file_shown(folder->path), tensor->name.bytes);
}

// Makes the next tensor `rows` rows of the matrix, which lie at `data`.
static void set_rows(struct folder *folder, const struct gguf_tensor *from, int64_t rows,
                     const void *data) {
    struct gguf_tensor *to = &folder->tensors[folder->count];
    ASSERT(folder->count < folder->room && rows > 0);
    *to = *from;
    to->shape[1] = rows;
    to->bytes = (size_t)rows * dtype_row_bytes(from->type, (int32_t)from->shape[0]);
    to->data = data;
}

static bool is_matrix(const struct gguf_tensor *tensor) {
    return tensor->known && tensor->dims == 2 && dtype_block_elements(tensor->type) == 1 &&
           tensor->shape[0] <= MODEL_MAX_DIM;
}

// Granite's feed-forward or shared expert: one matrix has the gate above up, another is down.
// NOT_FOUND: it is neither.
static enum status put_shared(struct folder *folder, const struct gguf_tensor *from) {
    int layer;
    const char *rest = folder_name_in_layer(from->name.bytes, &layer);
    const bool mixture = folder->config.mixture;
    const bool both = rest && !strcmp(rest, "shared_mlp.input_linear.weight");
    if (!both && !(rest && !strcmp(rest, "shared_mlp.output_linear.weight")))
        return STATUS_NOT_FOUND;
    if (!is_matrix(from) || from->shape[1] % 2) return bad_shape(folder, from);
    set_rows(folder, from, both ? from->shape[1] / 2 : from->shape[1], from->data);
    put_in_layer(folder, layer,
                 both      ? mixture ? "ffn_gate_shexp.weight" : "ffn_gate.weight"
                 : mixture ? "ffn_down_shexp.weight"
                           : "ffn_down.weight");
    if (!both) return STATUS_OK;
    set_rows(folder, from, from->shape[1] / 2, (const char *)from->data + from->bytes / 2);
    put_in_layer(folder, layer, mixture ? "ffn_up_shexp.weight" : "ffn_up.weight");
    return STATUS_OK;
}

// In a folder of Qwen3-Next, the rows of q, k, v and z alternate by key head; in a GGUF file all
// rows of q stand above those of k, and these above those of v, and z is a tensor of its own.
// NOT_FOUND: it is no such tensor.
static enum status put_grouped(struct folder *folder, const struct gguf_tensor *from) {
    const struct recurrence_spec *spec = &folder->config.recurrence;
    int layer;
    const char *rest = folder_name_in_layer(from->name.bytes, &layer);
    if (!rest || strcmp(rest, "linear_attn.in_proj_qkvz.weight") != 0) return STATUS_NOT_FOUND;
    const int64_t heads = spec->key_heads, key = spec->key_size;
    const int64_t value = heads ? spec->value_heads / heads * spec->value_size : 0;
    if (!is_matrix(from) || heads == 0 || from->shape[1] != 2 * heads * (key + value))
        return bad_shape(folder, from);
    const size_t row = dtype_row_bytes(from->type, (int32_t)from->shape[0]);
    char *qkv = make(folder, (size_t)(heads * (2 * key + value)), row);
    char *z = make(folder, (size_t)(heads * value), row);
    if (!qkv || !z) return no_memory(folder);
    const struct {
        char *to;
        int64_t rows;
    } parts[] = {{qkv, key},
                 {qkv + (size_t)(heads * key) * row, key},
                 {qkv + (size_t)(2 * heads * key) * row, value},
                 {z, value}};
    const char *next = from->data;
    for (int64_t head = 0; head < heads; head++)
        for (int p = 0; p < 4; p++) {
            const size_t bytes = (size_t)parts[p].rows * row;
            memcpy(parts[p].to + (size_t)head * bytes, next, bytes);
            next += bytes;
        }
    set_rows(folder, from, heads * (2 * key + value), qkv);
    put_in_layer(folder, layer, "attn_qkv.weight");
    set_rows(folder, from, heads * value, z);
    put_in_layer(folder, layer, "attn_gate.weight");
    return STATUS_OK;
}

static void multiply(enum dtype type, char *elements, size_t count, float by) {
    ASSERT(elements);
    float values[256];
    const size_t bytes = (size_t)dtype_block_bytes(type), most = sizeof values / sizeof values[0];
    for (size_t done = 0, some; done < count; done += some) {
        some = count - done < most ? count - done : most;
        dtype_to_float(type, elements + done * bytes, values, some);
        for (size_t i = 0; i < some; i++) {
            const float value = values[i] * by;
            const uint16_t bits = type == DTYPE_F16 ? float_to_half(value) : float_to_bf16(value);
            memcpy(elements + (done + i) * bytes, type == DTYPE_F32 ? (const void *)&value : &bits,
                   bytes);
        }
    }
}

// Some models multiply a product by a number. In a GGUF file the matrix includes that number, and
// its elements are rounded to its type afterwards, as here.
static enum status scale_rows(struct folder *folder, const char *theirs, struct gguf_tensor *to) {
    int layer;
    const char *rest = folder_name_in_layer(theirs, &layer);
    const int64_t all = to->shape[to->dims == 1 ? 0 : 1];
    int64_t done = 0;
    char *made = NULL;
    for (int32_t i = 0; rest && i < folder->config.scale_count; i++) {
        const struct folder_scale *scale = &folder->config.scales[i];
        if (strncmp(rest, scale->part, strlen(scale->part)) != 0) continue;
        const int64_t rows = scale->rows ? scale->rows : all;
        const bool plain = to->known && to->dims <= 2 && dtype_block_elements(to->type) == 1;
        if (!plain || rows > all - done) return bad_shape(folder, to);
        if (scale->by != 1 && !made) {
            made = make(folder, to->bytes, 1);
            if (!made) return no_memory(folder);
            memcpy(made, to->data, to->bytes);
            to->data = made;
        }
        const size_t row = to->bytes / (size_t)all;
        if (scale->by != 1)
            multiply(to->type, made + (size_t)done * row,
                     (size_t)rows * row / (size_t)dtype_block_bytes(to->type), scale->by);
        done += rows;
    }
    return STATUS_OK;
}

// Vectors that differ from GGUF's: norms that multiply by 1 + weight, and logarithms of decays.
static enum status change_vector(struct folder *folder, struct gguf_tensor *to) {
    const char *name = to->name.bytes;
    const bool decay = ends_in(name, ".ssm_a");
    const bool plain = ends_in(name, ".ssm_norm.weight") ||
                       (folder->family->plain_output_norm && !strcmp(name, "output_norm.weight"));
    const bool norm = folder->family->norms_plus_one && ends_in(name, "norm.weight") && !plain;
    if (!(decay || norm) || !to->known) return STATUS_OK;
    const size_t count = (size_t)to->shape[0];
    if (to->dims != 1 || count > MODEL_MAX_DIM) return bad_shape(folder, to);
    float *vector = make(folder, count, sizeof *vector);
    if (!vector) return no_memory(folder);
    dtype_to_float(to->type, to->data, vector, count);
    for (size_t i = 0; i < count; i++)
        vector[i] = decay ? -expf(vector[i]) : vector[i] + 1;
    to->type = DTYPE_F32;
    to->file_type = 0;
    to->bytes = count * sizeof *vector;
    to->data = vector;
    return STATUS_OK;
}

// Some vectors of Mamba-2 are matrices in GGUF: a row for each head, or for each group of a norm.
static void set_rows_of_vector(const struct folder *folder, struct gguf_tensor *to) {
    const struct recurrence_spec *spec = &folder->config.recurrence;
    const char *name = to->name.bytes;
    const bool each = ends_in(name, ".ssm_a") || ends_in(name, ".ssm_d");
    const int64_t rows = each ? to->shape[0] : spec->key_heads;
    if (spec->rule != RECURRENCE_SSD || to->dims != 1 || rows < 1 || to->shape[0] % rows ||
        !(each || ends_in(name, ".ssm_norm.weight")))
        return;
    to->dims = 2;
    to->shape[0] /= rows;
    to->shape[1] = rows;
}

// "….weight_packed", "….weight_scale_2", "….qweight": names that quantizers use, whether
// config.json mentions them or not.
static bool is_quantized(const char *theirs) {
    const char *last = strrchr(theirs, '.');
    return last && (!strncmp(last, ".weight_", 8) || !strcmp(last, ".qweight"));
}

static enum status put_tensor(struct folder *folder, const struct gguf_tensor *from) {
    static enum status (*const several[])(struct folder *, const struct gguf_tensor *) = {
        put_experts, put_shared, put_grouped};
    ASSERT(folder->count < folder->room);
    struct gguf_tensor *to = &folder->tensors[folder->count];
    char *name = folder->names[folder->count], short_name[NAME_BYTES], mtp_name[NAME_BYTES];
    struct gguf_tensor renamed = *from;
    if (folder->mtp_layer > 0 &&
        folder_name_of_mtp(from->name.bytes, folder->mtp_layer, mtp_name)) {
        renamed.name = (struct gguf_string){mtp_name, strlen(mtp_name)};
        from = &renamed;
    }
    if (is_spare(folder, from->name.bytes) || keep_xielu(folder, from)) return STATUS_OK;
    if (is_quantized(from->name.bytes))
        return error_set(folder->err, STATUS_UNSUPPORTED, "%s: tensor '%s': " FOLDER_UNQUANTIZED,
                         mapped_file_shown(folder->path), from->name.bytes);
    for (size_t i = 0; i < sizeof several / sizeof several[0]; i++) {
        const enum status status = several[i](folder, from);
        if (status != STATUS_NOT_FOUND) return status;
    }
    const char *theirs = folder_name_unnested(folder->family, from->name.bytes, short_name);
    if (!folder_name_find(folder->family, theirs, name))
        return error_set(folder->err, STATUS_UNSUPPORTED,
                         "%s: unexpected tensor '%s' in a model of type %s",
                         mapped_file_shown(folder->path), from->name.bytes, folder->family->name);
    *to = *from;
    TRY(scale_rows(folder, theirs, to));
    to->name = (struct gguf_string){name, strlen(name)};
    TRY(change_vector(folder, to));
    set_rows_of_vector(folder, to);
    folder->count++;
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

// The layer that drafts is complete if it has the matrix that joins its two inputs, and the norm
// that every layer has. Then the configuration says so, as a GGUF file would.
static void find_mtp(struct folder *folder) {
    struct folder_config *config = &folder->config;
    int32_t layers = 0;
    char joins[NAME_BYTES], norm[NAME_BYTES];
    for (int32_t i = 0; i < config->figure_count; i++)
        if (!strcmp(config->figures[i].name, "block_count"))
            layers = (int32_t)config->figures[i].number;
    if (!folder->family->mtp || layers < 1 || config->figure_count == FOLDER_MAX_FIGURES) return;
    snprintf(joins, sizeof joins, "model.layers.%" PRId32 ".eh_proj.weight", layers);
    snprintf(norm, sizeof norm, "model.layers.%" PRId32 ".input_layernorm.weight", layers);
    const bool apart = find_theirs(folder, "mtp.fc.weight") &&
                       find_theirs(folder, "mtp.layers.0.input_layernorm.weight");
    if (!apart && !(find_theirs(folder, joins) && find_theirs(folder, norm))) return;
    folder->mtp_layer = layers;
    config->figures[config->figure_count++] =
        (struct figure){.name = "nextn_predict_layers", .number = 1};
}

enum status folder_arrange(struct folder *folder) {
    ASSERT(!folder->tensors && !folder->names && !folder->made);
    find_mtp(folder);
    folder->room = MADE_MORE;
    for (size_t i = 0; i < folder->file_count; i++) // one of theirs may become two of ours
        folder->room += 2 * safetensors_count(folder->files[i]);
    folder->tensors = calloc(folder->room, sizeof *folder->tensors);
    folder->names = calloc(folder->room, sizeof *folder->names);
    folder->made = calloc(folder->room, sizeof *folder->made);
    if (!folder->tensors || !folder->names || !folder->made) return no_memory(folder);
    for (size_t i = 0; i < folder->file_count; i++)
        for (size_t t = 0; t < safetensors_count(folder->files[i]); t++)
            TRY(put_tensor(folder, safetensors_at(folder->files[i], t)));
    put_factors(folder, "rope_freqs.weight", folder->config.rope_freqs);
    put_factors(folder, "rope_factors_short.weight", folder->config.rope_short);
    put_factors(folder, "rope_factors_long.weight", folder->config.rope_long);
    return STATUS_OK;
}
