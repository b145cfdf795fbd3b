// engine/model/recurrence.c — mixers with a state in place of keys and values.
//
// A head's state is a matrix S [key_size, value_size], which each token decays and adds to, and of
// which its query reads a row: the rules of gated delta nets and of Mamba-2 are struct
// recurrence's. Before, q, k and v of the token (qkv) pass a short convolution; after, the result
// is normed and multiplied by silu(z). alpha says how much of the state decays, beta how much of a
// delta net's is replaced.
//
// A state follows from all tokens, but what comes next needs it after the last one only. So the
// cache has it once a block, after the block's last token, as for a window of two tokens: the
// query's own and the one before.
#include <math.h>
#include <string.h>

#include "engine/model/folder_reader.h"
#include "engine/model/forward_state.h"
#include "engine/model/layer_part.h"
#include "engine/model/loader.h"
#include "engine/model/metadata.h"
#include "kernels/base/assert.h"

// Keys are heads of the state's size in as many groups, whose values are the heads of the inner
// size.
struct recurrence_spec recurrence_read(struct metadata *metadata, enum recurrence_rule rule) {
    static const char heads_key[] = "ssm.time_step_rank", inner_key[] = "ssm.inner_size";
    if (metadata->folder) return metadata->folder->recurrence;
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
        metadata_fail(metadata, STATUS_BAD_FILE, inner_key,
                      "must be a multiple of ssm.time_step_rank");
    if (spec.value_heads % spec.key_heads)
        metadata_fail(metadata, STATUS_BAD_FILE, heads_key,
                      "must be a multiple of ssm.group_count");
    return spec;
}

// Of a config.json, in which each hybrid has names of its own.
struct recurrence_names {
    const char *width, *key_size, *value_size, *key_heads, *value_heads;
};

// Steps have no bounds; an infinite one is a number, or since transformers 5 an object that says
// so.
static void check_steps(struct reader *reader) {
    const cJSON *limits = reader_get(reader, reader->json, "time_step_limit");
    const cJSON *least = cJSON_GetArrayItem(limits, 0), *most = cJSON_GetArrayItem(limits, 1);
    const char *stated = reader_string(reader, most, "__float__", "");
    if (limits &&
        !(cJSON_IsNumber(least) && least->valuedouble == 0 &&
          (!strcmp(stated, "Infinity") || (cJSON_IsNumber(most) && isinf(most->valuedouble)))))
        reader_unsupported(reader, "time_step_limit", "[0, Infinity]");
}

// Where heads share an inner size, which may be stated itself.
static int64_t size_of_heads(struct reader *reader, int64_t heads) {
    const int64_t expanded =
        reader_count(reader, "mamba_expand", 2) * reader_count(reader, "hidden_size", -1);
    const bool falcon = reader->family->hybrid == HYBRID_FALCON;
    const int64_t values = falcon ? reader_count(reader, "mamba_d_ssm", expanded) : expanded;
    reader_get(reader, reader->json, "mamba_d_head"); // which follows from these two
    if (heads > 0 && values % heads)
        reader_fail(reader, STATUS_BAD_FILE, "mamba_n_heads", "must divide the inner size");
    return heads > 0 && values / heads <= INT32_MAX ? values / heads : 0;
}

static void check_range(struct reader *reader, const struct recurrence_spec *spec) {
    if (spec->key_heads < 1 || spec->key_heads > spec->value_heads ||
        spec->value_heads % spec->key_heads || spec->value_heads > MODEL_MAX_HEADS ||
        spec->key_size < 1 || spec->key_size > RECURRENCE_SIZE_MAX || spec->value_size < 1 ||
        spec->value_size > RECURRENCE_SIZE_MAX || spec->width < 1 || spec->width > SHORT_CONV_MAX)
        reader_fail(reader, STATUS_BAD_FILE, "the number, size or width of the recurrent heads",
                    "is out of range");
}

// What these families have otherwise, and this forward pass has not.
static void refuse_other_recurrences(struct reader *reader, const struct recurrence_spec *spec) {
    static const char *const silu[] = {"silu", "swish"};
    const cJSON *json = reader->json;
    const enum hybrid hybrid = reader->family->hybrid;
    if (spec->rule == RECURRENCE_SSD) check_steps(reader);
    if (hybrid == HYBRID_GRANITE && spec->key_heads != 1)
        reader_unsupported(reader, "mamba_n_groups", "1");
    if (hybrid == HYBRID_NEMOTRON &&
        !reader_is_word(silu, 2, reader_get(reader, json, "mamba_hidden_act")))
        reader_unsupported(reader, "mamba_hidden_act", "silu");
    if (hybrid == HYBRID_FALCON && cJSON_IsTrue(reader_get(reader, json, "mamba_rms_norm")) &&
        !cJSON_IsFalse(reader_get(reader, json, "mamba_norm_before_gate")))
        reader_unsupported(reader, "mamba_norm_before_gate", "false");
    if (hybrid != HYBRID_DELTA) return;
    if (cJSON_IsFalse(reader_get(reader, json, "attn_output_gate")))
        reader_unsupported(reader, "attn_output_gate", "true");
    if (!reader_is_word(silu, 2, reader_get(reader, json, "output_gate_type")))
        reader_unsupported(reader, "output_gate_type", "swish or silu");
}

// A file of GGUF has the values' heads in another order than a folder, whose order is that of keys.
void recurrence_read_config(struct reader *reader) {
    static const struct recurrence_names names[] = {
        [HYBRID_DELTA] = {"linear_conv_kernel_dim", "linear_key_head_dim", "linear_value_head_dim",
                          "linear_num_key_heads", "linear_num_value_heads"},
        [HYBRID_NEMOTRON] = {"conv_kernel", "ssm_state_size", "mamba_head_dim", "n_groups",
                             "mamba_num_heads"},
        [HYBRID_GRANITE] = {"mamba_d_conv", "mamba_d_state", NULL, "mamba_n_groups",
                            "mamba_n_heads"},
        [HYBRID_FALCON] = {"mamba_d_conv", "mamba_d_state", NULL, "mamba_n_groups",
                           "mamba_n_heads"}};
    const enum hybrid hybrid = reader->family->hybrid;
    const struct recurrence_names *of = &names[hybrid];
    if (!of->width) return;
    const int64_t heads = reader_count(reader, of->value_heads, -1);
    const struct recurrence_spec spec = {
        .rule = hybrid == HYBRID_DELTA ? RECURRENCE_DELTA : RECURRENCE_SSD,
        .width = (int32_t)reader_count(reader, of->width, -1),
        .key_size = (int32_t)reader_count(reader, of->key_size, -1),
        .value_size = (int32_t)(of->value_size ? reader_count(reader, of->value_size, -1)
                                               : size_of_heads(reader, heads)),
        .key_heads = (int32_t)reader_count(reader, of->key_heads, -1),
        .value_heads = (int32_t)heads,
    };
    if (reader->status == STATUS_OK) check_range(reader, &spec);
    refuse_other_recurrences(reader, &spec);
    reader->config->recurrence = spec;
}

static struct attention_spec place_in_cache(int32_t layer) {
    return (struct attention_spec){.heads = 1,
                                   .kv_heads = 1,
                                   .head_size = 1,
                                   .window = 2,
                                   .kv_source = layer,
                                   .no_rope = true,
                                   .rope.divisors = DIVISORS_IGNORED};
}

void recurrence_set(struct metadata *metadata, struct model_config *config,
                    const struct recurrence_spec *recurrence) {
    bool attends = false;
    metadata_has(metadata, "attention.recurrent_layers"); // that they are may be said again
    for (int32_t i = 0; i < config->layers; i++) {
        struct layer_spec *spec = &config->specs[i];
        attends = attends || spec->mixer == MIXER_ATTENTION;
        if (spec->mixer != MIXER_RECURRENCE) continue;
        spec->attention = place_in_cache(i);
        spec->recurrence = *recurrence;
    }
    if (!attends)
        metadata_fail(
            metadata, STATUS_UNSUPPORTED, "block_count",
            "counts only recurrent layers, but models without attention are not supported");
}

struct recurrence_rows {
    void *qkv;          // [tokens, channels] what the convolution reads
    void *z;            // [tokens, value_heads, value_size] and the result
    void *alpha, *beta; // [tokens, value_heads]
    void *stored_gates; // [tokens, key_heads, 2, heads of a key]: beta and alpha
};

static struct recurrence_rows lay_out(struct scratch *scratch, const struct recurrence_spec *spec) {
    return (struct recurrence_rows){
        .qkv = scratch_rows(scratch, recurrence_spec_channels(spec)),
        .z = scratch_rows(scratch, spec->value_heads * spec->value_size),
        .alpha = scratch_rows(scratch, spec->value_heads),
        .beta = scratch_rows(scratch, spec->value_heads),
        .stored_gates = scratch_rows(scratch, 2 * spec->value_heads),
    };
}

static void measure(struct scratch *scratch, const struct layer_spec *spec) {
    lay_out(scratch, &spec->recurrence);
}

// alpha and beta of a delta net
static void project_gates(const struct forward *forward, const struct recurrence_spec *spec,
                          const struct layer *layer, const struct recurrence_rows *rows) {
    const void *normed = forward->activations.normed;
    const int32_t each = spec->value_heads / spec->key_heads;
    const bool apart = layer->alpha.rows > 0;
    forward_project(
        forward, normed,
        &(struct projection){apart ? rows->beta : rows->stored_gates, layer->beta, NULL},
        LINEAR_ACTIVATION, NULL);
    if (apart) {
        forward_project(forward, normed, &(struct projection){rows->alpha, layer->alpha, NULL},
                        LINEAR_ACTIVATION, NULL);
        return;
    }
    forward_take_parts(forward, rows->beta, rows->stored_gates, 0, spec->key_heads, each);
    forward_take_parts(forward, rows->alpha, rows->stored_gates, each, spec->key_heads, each);
}

// residual += W_o recurrence(qkv, z, alpha, beta)
static void enqueue(const struct forward *forward, int32_t index) {
    const struct layer *layer = &forward->model->layers[index];
    const struct recurrence_spec *spec = &forward->model->config.specs[index].recurrence;
    const bool delta = spec->rule == RECURRENCE_DELTA;
    struct scratch scratch = forward->mixer_scratch;
    const struct recurrence_rows rows = lay_out(&scratch, spec);
    struct linear product = {.in = forward_input(forward, layer->attn_norm),
                             .parts = {{rows.qkv, layer->qkv, NULL},
                                       {rows.z, layer->z, NULL},
                                       {rows.alpha, layer->alpha, NULL}},
                             .count = delta ? 2 : 3};
    product.in.keeps = delta; // the gates' products read what is normed, too
    forward->backend->linear(forward->device, &product);
    if (delta) project_gates(forward, spec, layer, &rows);
    forward->backend->recurrence(forward->device,
                                 &(struct recurrence){
                                     .rule = spec->rule,
                                     .z = rows.z,
                                     .qkv = rows.qkv,
                                     .alpha = rows.alpha,
                                     .beta = rows.beta,
                                     .conv = layer->conv,
                                     .decay = layer->decay,
                                     .bias = layer->decay_bias,
                                     .skip = layer->skip,
                                     .norm = layer->o_norm,
                                     .key_heads = spec->key_heads,
                                     .value_heads = spec->value_heads,
                                     .key_size = spec->key_size,
                                     .value_size = spec->value_size,
                                     .width = spec->width,
                                     .tiled = spec->tiled,
                                     .eps = forward->model->config.norm_eps,
                                     .layer = layer->place,
                                     .cache = &forward->views[layer->group][layer->view],
                                     .batch = &forward->batches[layer->group],
                                 });
    forward_add_mixed(forward, index, rows.z);
}

// What a delta net is made of, but for what all recurrences have.
static void load_delta_net(struct loader *loader, const struct recurrence_spec *spec,
                           struct layer *layer) {
    const int32_t dim = loader->model->config.dim, heads = spec->value_heads;
    const struct extent conv = {spec->width, recurrence_spec_channels(spec), 1};
    const bool apart = loader_peek(loader, "ssm_ba.weight") == NULL;
    layer->qkv = loader_matrix(loader, "attn_qkv.weight", conv.rows, dim, TENSOR_REQUIRED);
    layer->z =
        loader_matrix(loader, "attn_gate.weight", heads * spec->value_size, dim, TENSOR_REQUIRED);
    layer->alpha = loader_matrix(loader, "ssm_alpha.weight", heads, dim,
                                 apart ? TENSOR_REQUIRED : TENSOR_ABSENT);
    layer->beta = loader_matrix(loader, apart ? "ssm_beta.weight" : "ssm_ba.weight",
                                apart ? heads : 2 * heads, dim, TENSOR_REQUIRED);
    layer->conv = loader_convolution(loader, "ssm_conv1d.weight", conv, NULL);
    layer->decay = loader_vector(loader, "ssm_a", heads, TENSOR_REQUIRED);
    layer->o_norm = loader_vector(loader, "ssm_norm.weight", spec->value_size, TENSOR_REQUIRED);
}

// The same of Mamba-2, which has all products of its input in one tensor.
static void load_ssd(struct loader *loader, const struct recurrence_spec *spec,
                     struct layer *layer) {
    const int32_t heads = spec->value_heads, values = heads * spec->value_size;
    const struct extent each = {1, heads, 1},
                        norms = {values / spec->key_heads, spec->key_heads, 1};
    const struct extent conv = {spec->width, recurrence_spec_channels(spec), 1};
    loader_matrices(loader, "ssm_in.weight", loader->model->config.dim,
                    (struct weight *const[]){&layer->z, &layer->qkv, &layer->alpha},
                    (const int32_t[]){values, conv.rows, heads}, 3);
    layer->conv = loader_convolution(loader, "ssm_conv1d.weight", conv, "ssm_conv1d.bias");
    layer->decay = loader_vectors(loader, "ssm_a", each, 1, TENSOR_REQUIRED);
    layer->skip = loader_vectors(loader, "ssm_d", each, 1, TENSOR_REQUIRED);
    layer->o_norm = loader_vectors(loader, "ssm_norm.weight", norms, 1,
                                   spec->norm_optional ? TENSOR_OPTIONAL : TENSOR_REQUIRED);
}

static void load(struct loader *loader, const struct layer_spec *layer_spec, struct layer *layer) {
    const struct recurrence_spec *spec = &layer_spec->recurrence;
    (spec->rule == RECURRENCE_SSD ? load_ssd : load_delta_net)(loader, spec, layer);
    layer->decay_bias = loader_vector(loader, "ssm_dt.bias", spec->value_heads, TENSOR_REQUIRED);
    layer->o = loader_matrix(loader, "ssm_out.weight", loader->model->config.dim,
                             spec->value_heads * spec->value_size, TENSOR_REQUIRED);
}

const struct layer_part recurrence_part = {load, measure, enqueue, NULL, NULL};
