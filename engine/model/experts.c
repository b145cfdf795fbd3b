// engine/model/experts.c — a mixture of experts in place of a dense feed-forward.
//
// A router scores all experts for each token, and the token is fed to the few that score highest;
// what they make is added up by their shares (arXiv 1701.06538, 2401.04088). Two things may stand
// next to them: one expert that every token is fed to, maybe by a gate of its own, or a whole dense
// feed-forward, each side with norms of its own. Both are dense.c's.
//
// The order matters in memory: the experts' sum goes straight to the residual where nothing norms
// or scales it, so whatever reads the residual has to be enqueued before.
//
// Files have the matrices of a layer's experts stacked in one tensor, or each in a tensor of its
// own, and gate and up apart or one above the other. Here each expert's matrix has an address.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/model/family_keys.h"
#include "engine/model/folder_reader.h"
#include "engine/model/forward_state.h"
#include "engine/model/layer_part.h"
#include "engine/model/loader.h"
#include "engine/model/metadata.h"
#include "kernels/base/assert.h"

// As expert_gating_func has them. The softmax of the chosen scores alone is that of all made to add
// up to one.
enum { OF_FAMILY, SOFTMAX, SIGMOID, SOFTMAX_OF_CHOSEN };

static void read_routing(struct metadata *metadata, struct ffn_spec *ffn) {
    int64_t gating = OF_FAMILY;
    const bool mixes = ffn->gating == GATING_SPARSE_MIXER;
    metadata_find_int(metadata, "expert_gating_func", &gating);
    if (gating < OF_FAMILY || gating > SOFTMAX_OF_CHOSEN)
        metadata_unsupported(metadata, "expert_gating_func", "1 to 3");
    if (gating != OF_FAMILY) ffn->gating = gating == SIGMOID ? GATING_SIGMOID : GATING_SOFTMAX;
    const bool raw = metadata->folder ? metadata->folder->raw_shares : ffn->raw_shares;
    ffn->raw_shares =
        !metadata_flag(metadata, "expert_weights_norm", !raw) && gating != SOFTMAX_OF_CHOSEN;
    ffn->share_scale = metadata_factor(metadata, "expert_weights_scale", 1);
    // Its publisher's code knows of two experts. No key of GGUF has its noise.
    if (mixes) ffn->nearness = 2 * metadata_float(metadata, "router_jitter_noise", 0.01f);
    if (mixes && ffn->experts_used != 2) metadata_unsupported(metadata, "expert_used_count", "2");
    ffn->expert_groups = metadata_count(metadata, "expert_group_count", EXPERT_GROUPS_MAX);
    if (ffn->expert_groups == 1) ffn->expert_groups = 0;
    if (ffn->expert_groups)
        ffn->expert_groups_used =
            metadata_int(metadata, "expert_group_used_count", 0, ffn->expert_groups);
    const struct route route = {.experts = ffn->experts,
                                .used = ffn->experts_used,
                                .gating = ffn->gating,
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

void experts_read(struct metadata *metadata, int32_t width, struct ffn_spec *ffn) {
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
void experts_set_dense_layers(struct metadata *metadata, struct model_config *config,
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

void experts_accept(struct metadata *metadata, const struct ffn_spec *ffn) {
    const bool softmax = ffn->gating == GATING_SOFTMAX;
    if (ffn->experts == 0 || ffn->gating == GATING_SPARSE_MIXER) return;
    metadata_accept(metadata, "expert_weights_norm", !ffn->raw_shares);
    metadata_accept(metadata, "expert_gating_func", softmax ? SOFTMAX : SIGMOID);
    if (softmax && !ffn->raw_shares)
        metadata_accept(metadata, "expert_gating_func", SOFTMAX_OF_CHOSEN);
}

// First dense ones, as many as first_k_dense_replace says where it is there, and mixtures.
static void check_mlp_types(struct reader *reader) {
    const cJSON *types = reader_get(reader, reader->json, "mlp_layer_types"), *item;
    const char *const words[] = {"dense", "sparse"};
    int32_t dense = 0, count = 0;
    cJSON_ArrayForEach(item, types) {
        if (dense == count) dense += reader_is_word(words, 1, item);
        if (!reader_is_word(words + (count++ >= dense), 1, item))
            reader_fail(reader, STATUS_UNSUPPORTED, "mlp_layer_types",
                        "must list the dense layers first; other orders are not supported");
    }
    if (types && reader_count(reader, "first_k_dense_replace", dense) != dense)
        reader_fail(reader, STATUS_BAD_FILE, "mlp_layer_types",
                    "contradicts first_k_dense_replace");
    if (types && !reader_get(reader, reader->json, "first_k_dense_replace"))
        reader_state(reader, "leading_dense_block_count", dense);
}

// How a router's scores become shares.
static void read_router(struct reader *reader) {
    static const char *const gatings[][2] = {[GATING_SOFTMAX] = {"softmax"},
                                             [GATING_SIGMOID] = {"sigmoid", "noaux_tc"},
                                             [GATING_SPARSE_MIXER] = {"sparsemixer"}};
    static const char *const methods[] = {"noaux_tc", "greedy", "group_limited_greedy"};
    const struct ffn_spec *ffn = &reader->family->layer.ffn;
    const cJSON *json = reader->json;
    const char *normed = reader_get(reader, json, "route_norm") ? "route_norm" : "norm_topk_prob";
    if (reader_get(reader, json, normed))
        reader->config->raw_shares = !reader_flag(reader, json, normed, false);
    else if (ffn->raw_shares)
        reader_fail(reader, STATUS_BAD_FILE, normed, "is missing");
    if (ffn->gating == GATING_SPARSE_MIXER && !reader->config->raw_shares)
        reader_unsupported(reader, normed, "false");
    const bool selects = reader_get(reader, json, "expert_selection_fn") != NULL;
    const char *scoring = selects                                      ? "expert_selection_fn"
                          : reader_get(reader, json, "score_function") ? "score_function"
                          : reader_get(reader, json, "score_func")     ? "score_func"
                                                                       : "scoring_func";
    const char *scores = reader_string(reader, json, scoring, "");
    const bool sigmoid = !strcmp(scores, "sigmoid");
    if ((reader->family->latent || selects) && (sigmoid || !strcmp(scores, "softmax")))
        reader_state(reader, "expert_gating_func",
                     sigmoid   ? SIGMOID
                     : selects ? SOFTMAX_OF_CHOSEN
                               : SOFTMAX);
    else if (!reader_is_word(gatings[ffn->gating], ffn->gating == GATING_SIGMOID ? 2 : 1,
                             reader_get(reader, json, scoring)))
        reader_unsupported(reader, scoring,
                           selects ? "softmax or sigmoid" : gatings[ffn->gating][0]);
    const cJSON *method = reader_get(reader, json, "topk_method");
    const bool softmax = reader->family->latent && !sigmoid,
               all = reader_is_word(methods + 1, 1, method);
    if (!reader_is_word(methods, softmax ? 3 : 1, method))
        reader_unsupported(reader, "topk_method",
                           softmax ? "noaux_tc, greedy or group_limited_greedy" : "noaux_tc");
    if (method && all && reader_count(reader, "n_group", 1) > 1)
        reader_fail(reader, STATUS_UNSUPPORTED, "n_group",
                    "is larger than 1, but topk_method does not rank groups");
    const double last = reader_number(reader, json, "moe_layer_end_index", -1);
    if (last >= 0 && last + 1 < (double)reader_count(reader, "num_hidden_layers", 0))
        reader_unsupported(reader, "moe_layer_end_index", "the last layer");
}

// One width is the experts', and dense layers before them may have another.
static void read_prefix(struct reader *reader) {
    static const char key[] = "prefix_dense_intermediate_size";
    if (!family_keys_have(reader->family->keys, key)) return;
    const int64_t width = reader_count(reader, "intermediate_size", -1);
    reader_state_count(reader, "expert_feed_forward_length", width);
    reader_state_count(reader, "feed_forward_length", reader_count(reader, key, width));
}

// Limits of what gate and up make, layer by layer; null and 0 are none.
static void read_limits(struct reader *reader, const char *ours, const char *theirs) {
    const cJSON *list = reader_get(reader, reader->json, theirs), *item;
    float limits[MODEL_MAX_LAYERS];
    int32_t count = 0;
    if (!list) return;
    cJSON_ArrayForEach(item, list) {
        if (count == MODEL_MAX_LAYERS || !(cJSON_IsNumber(item) || cJSON_IsNull(item)))
            reader_fail(reader, STATUS_BAD_FILE, theirs, "must list a number for each layer");
        if (reader->status != STATUS_OK) return;
        limits[count++] = cJSON_IsNumber(item) ? (float)item->valuedouble : 0;
    }
    reader_state_reals(reader, ours, limits, count);
}

void experts_read_config(struct reader *reader) {
    read_limits(reader, "swiglu_clamp_exp", "swiglu_limits");
    read_limits(reader, "swiglu_clamp_shexp", "swiglu_limits_shared");
    read_prefix(reader);
    read_router(reader);
    check_mlp_types(reader);
}

struct experts_rows {
    void *scores;            // [tokens, experts] residual
    int32_t *chosen;         // [tokens, experts_used]
    float *shares;           // the same shape
    struct dense_rows dense; // of the shared expert, or of the dense part
    void *shared_gate;       // [tokens] the shared expert's, before its sigmoid
    void *shared;            // [tokens, width] that gate for each element, then times dense.gated
};

static struct experts_rows lay_out(struct scratch *scratch, const struct ffn_spec *spec) {
    struct experts_rows rows = {
        .scores = scratch_residual_rows(scratch, spec->experts),
        .chosen = scratch_alloc(scratch, spec->experts_used, sizeof *rows.chosen),
        .shares = scratch_alloc(scratch, spec->experts_used, sizeof *rows.shares),
    };
    if (spec->kind != FFN_EXPERTS) rows.dense = dense_lay_out(scratch, spec->width);
    if (spec->shared_gate) rows.shared_gate = scratch_rows(scratch, 1);
    if (spec->shared_gate) rows.shared = scratch_rows(scratch, spec->width);
    return rows;
}

static void measure(struct scratch *scratch, const struct layer_spec *spec) {
    lay_out(scratch, &spec->ffn);
}

// What the router reads: the residual as it is, normed by a norm of its own, or as experts read it.
static struct linear_input router_input(const struct forward *forward, int32_t index) {
    const struct layer *layer = &forward->model->layers[index];
    const struct norm none = {0}, own = {.weight = layer->router_norm};
    if (forward->model->config.specs[index].ffn.routed_first) return forward_input(forward, none);
    return own.weight ? forward_input(forward, own) : forward_ffn_input(forward, index);
}

// Which experts each token is fed to, and each one's share
static void choose_experts(const struct forward *forward, int32_t index,
                           const struct experts_rows *rows) {
    const struct ffn_spec *spec = &forward->model->config.specs[index].ffn;
    const struct layer *layer = &forward->model->layers[index];
    ASSERT(rows->scores && spec->experts_used <= spec->experts);
    struct linear product = {.in = router_input(forward, index),
                             .parts = {{rows->scores, layer->router, layer->router_bias}},
                             .count = 1,
                             .store = LINEAR_RESIDUAL};
    product.in.keeps = !layer->expert_norm; // experts read what the router has read
    forward->backend->linear(forward->device, &product);
    forward->backend->route(forward->device,
                            &(struct route){.chosen = rows->chosen,
                                            .shares = rows->shares,
                                            .scores = rows->scores,
                                            .tokens = forward->num_tokens,
                                            .experts = spec->experts,
                                            .used = spec->experts_used,
                                            .gains = layer->expert_gains,
                                            .bias = layer->choice_bias,
                                            .gating = spec->gating,
                                            .nearness = spec->nearness,
                                            .raw = spec->raw_shares,
                                            .groups = spec->expert_groups,
                                            .groups_used = spec->expert_groups_used,
                                            .best_of_group = spec->best_of_group});
}

// Before the mixer, whose scratch memory is another.
static void enqueue_first(const struct forward *forward, int32_t index) {
    struct scratch scratch = forward->ffn_scratch;
    const struct ffn_spec *spec = &forward->model->config.specs[index].ffn;
    const struct experts_rows rows = lay_out(&scratch, spec);
    if (spec->routed_first) choose_experts(forward, index, &rows);
}

// y = or += what the experts that the router chooses make of normed, each by its share
static void feed_experts(const struct forward *forward, int32_t index,
                         const struct experts_rows *rows, void *y, bool add) {
    const struct ffn_spec *spec = &forward->model->config.specs[index].ffn;
    const struct layer *layer = &forward->model->layers[index];
    const struct activations *a = &forward->activations;
    const int32_t tokens = forward->num_tokens, dim = forward->model->config.dim;
    const struct norm own = {.weight = layer->expert_norm};
    if (!spec->routed_first) choose_experts(forward, index, rows);
    if (own.weight || spec->routed_first)
        forward_norm_rows(forward, a->normed, a->residual, own.weight ? own : layer->ffn_norm, dim);
    if (spec->share_of_input)
        forward->backend->scale_rows(forward->device, &(struct scale_rows){.x = a->normed,
                                                                           .factors = rows->shares,
                                                                           .rows = tokens,
                                                                           .dim = dim});
    const struct experts args = {.y = y,
                                 .x = a->normed,
                                 .chosen = rows->chosen,
                                 .shares = rows->shares,
                                 .gate = layer->expert_gate,
                                 .up = layer->expert_up,
                                 .down = layer->expert_down,
                                 .tokens = tokens,
                                 .experts = spec->experts,
                                 .used = spec->experts_used,
                                 .act = spec->expert_limit > 0 ? ACT_LIMITED : spec->act,
                                 .limit = spec->expert_limit,
                                 .add = add};
    forward->backend->experts(forward->device, &args);
}

// shared = the shared expert's rows, each times the sigmoid of one number of the token
static void gate_shared_expert(const struct forward *forward, int32_t index,
                               const struct experts_rows *rows) {
    const struct layer *layer = &forward->model->layers[index];
    const int32_t width = layer->down.columns;
    const struct linear one = {.in = forward_ffn_input(forward, index),
                               .parts = {{rows->shared_gate, layer->shared_gate, NULL}},
                               .count = 1};
    forward->backend->linear(forward->device, &one);
    const struct copy_parts spread = {.y = rows->shared,
                                      .x = rows->shared_gate,
                                      .rows = width,
                                      .columns = one.in.tokens,
                                      .elements = 1,
                                      .y_row = 1,
                                      .y_column = (size_t)width,
                                      .x_column = 1};
    forward->backend->copy_parts(forward->device, &spread);
    forward_gate(forward, ACT_SIGMOID, rows->shared, rows->dense.gated, width);
}

// residual = gain * (residual + the experts' sum), by way of the branch where there is more to it
// than a sum
static void add_experts(const struct forward *forward, int32_t index,
                        const struct experts_rows *rows) {
    const struct layer *layer = &forward->model->layers[index];
    const struct activations *a = &forward->activations;
    const bool gated = layer->shared_gate.rows > 0;
    const bool shared = forward->model->config.specs[index].ffn.kind == FFN_SHARED_EXPERT;
    const struct addend addend = forward_ffn_addend(forward, index, NULL);
    const bool plain = !addend.norm && addend.gain == 1 && addend.scale == 1;
    void *y = plain ? a->residual : a->branch;
    ASSERT(y);
    if (shared) dense_gate(forward, index, &rows->dense);
    if (gated) gate_shared_expert(forward, index, rows);
    feed_experts(forward, index, rows, y, plain);
    if (shared)
        forward_project(forward, gated ? rows->shared : rows->dense.gated,
                        &(struct projection){y, layer->down, NULL}, LINEAR_ADD, addend.lora);
    if (!plain) forward_add_branch(forward, a->branch, &addend);
}

// residual = gain * (residual + the dense part and the experts', each normed, and both together
// again)
static void add_dense_and_experts(const struct forward *forward, int32_t index,
                                  const struct experts_rows *rows) {
    const struct layer *layer = &forward->model->layers[index];
    const struct activations *a = &forward->activations;
    const struct addend addend = forward_ffn_addend(forward, index, rows->dense.gated);
    ASSERT(a->branch && a->sum);
    dense_gate(forward, index, &rows->dense);
    forward_project(forward, rows->dense.gated,
                    &(struct projection){a->branch, layer->down, layer->down_bias}, LINEAR_RESIDUAL,
                    addend.lora);
    forward_store_rows(forward, a->sum, a->branch, layer->dense_post_norm, false);
    feed_experts(forward, index, rows, a->branch, false);
    forward_store_rows(forward, a->sum, a->branch, layer->expert_post_norm, true);
    forward_add_branch(forward, a->sum, &addend);
}

static void enqueue(const struct forward *forward, int32_t index) {
    const struct ffn_spec *spec = &forward->model->config.specs[index].ffn;
    struct scratch scratch = forward->ffn_scratch;
    const struct experts_rows rows = lay_out(&scratch, spec);
    const bool both = spec->kind == FFN_DENSE_AND_EXPERTS;
    (both ? add_dense_and_experts : add_experts)(forward, index, &rows);
}

// Matrices of `count` experts, `step` apart in the list, and where they are.
static struct expert_weights in_place(struct loader *loader, const char *part,
                                      const struct weight *matrices, int32_t count, int32_t step) {
    const void *data[EXPERTS_MAX] = {0};
    float scales[EXPERTS_MAX] = {0};
    bool scaled = false;
    ASSERT(count > 0 && count <= EXPERTS_MAX && step > 0);
    for (int32_t e = 0; e < count; e++) {
        data[e] = matrices[e * step].data;
        scales[e] = matrices[e * step].scale;
        scaled = scaled || scales[e] != 0;
    }
    if (loader->status != STATUS_OK) return (struct expert_weights){0};
    const bool in_host = matrices[0].in_host;
    const void *const *list =
        model_copy_vector(loader->model, data, (size_t)count * sizeof data[0], in_host);
    const float *factors =
        list && scaled
            ? model_copy_vector(loader->model, scales, (size_t)count * sizeof scales[0], in_host)
            : NULL;
    if (!list || (scaled && !factors)) loader_refuse_device(loader, part);
    return (struct expert_weights){.data = list,
                                   .type = matrices[0].type,
                                   .rows = matrices[0].rows,
                                   .columns = matrices[0].columns,
                                   .scales = factors,
                                   .in_host = in_host};
}

// "ffn_gate_up_exps.weight": each expert's gate above its up. False: the file has none.
static bool load_fused(struct loader *loader, const struct ffn_spec *spec, struct layer *layer) {
    static const char part[] = "ffn_gate_up_exps.weight";
    const int32_t dim = loader->model->config.dim, width = spec->expert_width;
    const int32_t experts = spec->experts;
    const struct extent each = {dim, width, 2 * experts};
    struct weight halves[2 * EXPERTS_MAX] = {{0}};
    ASSERT(experts <= EXPERTS_MAX);
    if (!loader_peek(loader, part)) return false;
    const struct gguf_tensor *tensor =
        loader_find(loader, part, (struct extent){dim, 2 * width, experts}, TENSOR_REQUIRED);
    if (!tensor) return true;
    loader_stacked(loader, part, tensor, each, halves);
    layer->expert_gate = in_place(loader, part, halves, experts, 2);
    layer->expert_up = in_place(loader, part, halves + 1, experts, 2);
    return true;
}

// "ffn_up.0.weight", "ffn_up.1.weight", …, as older files and folders have them.
static void load_each(struct loader *loader, const char *stem, struct extent extent,
                      struct weight *experts) {
    char part[32];
    for (int32_t e = 0; e < extent.depth && loader->status == STATUS_OK; e++) {
        snprintf(part, sizeof part, "%s.%" PRId32 ".weight", stem, e);
        experts[e] = loader_matrix(loader, part, extent.rows, extent.columns, TENSOR_REQUIRED);
        if (loader->status == STATUS_OK && experts[e].type != experts[0].type)
            loader_refuse_type(loader, part, experts[e].type, "expert 0", experts[0].type);
    }
}

// "ffn_up_exps.weight", one below the other, or each.
static struct expert_weights load_matrices(struct loader *loader, const char *stem,
                                           struct extent extent) {
    struct weight matrices[EXPERTS_MAX] = {{0}};
    char part[32];
    ASSERT(extent.depth > 0 && extent.depth <= EXPERTS_MAX);
    snprintf(part, sizeof part, "%s_exps.weight", stem);
    if (loader->source)
        return loader->source->experts(loader, part, extent.rows, extent.columns, extent.depth);
    const struct gguf_tensor *tensor = loader_find(loader, part, extent, TENSOR_OPTIONAL);
    if (tensor)
        loader_stacked(loader, part, tensor, extent, matrices);
    else
        load_each(loader, stem, extent, matrices);
    return in_place(loader, stem, matrices, extent.depth, 1);
}

// What shares are multiplied by: the scale of all, and of a kind of mixture each expert's own. In
// NVFP4 that one is of the matrix, which has it already.
static const float *load_gains(struct loader *loader, const struct ffn_spec *spec,
                               const struct layer *layer) {
    const bool apart =
        spec->kind == FFN_DENSE_AND_EXPERTS && layer->expert_down.type != DTYPE_NVFP4;
    const enum presence own = apart ? TENSOR_OPTIONAL : TENSOR_ABSENT;
    const float *gains =
        loader_vectors(loader, "ffn_down_exps.scale", (struct extent){spec->experts, 1, 1},
                       spec->share_scale, own);
    float scales[EXPERTS_MAX];
    ASSERT(spec->experts > 0 && spec->experts <= EXPERTS_MAX);
    if (gains || spec->share_scale == 1) return gains;
    for (int32_t e = 0; e < spec->experts; e++)
        scales[e] = spec->share_scale;
    return loader_to_device(loader, "gains", scales, (size_t)spec->experts);
}

// An expert's two products are one.
static void check_types(struct loader *loader, const struct layer *layer) {
    static const char stacked[] = "ffn_up_exps.weight";
    const enum dtype gate = layer->expert_gate.type, up = layer->expert_up.type;
    if (loader->status != STATUS_OK || gate == up) return;
    const bool apart = !loader_peek(loader, stacked);
    loader_refuse_type(loader, apart ? "ffn_up.0.weight" : stacked, up,
                       apart ? "the gate" : "ffn_gate_exps", gate);
}

static void load_experts(struct loader *loader, const struct ffn_spec *spec, struct layer *layer) {
    const int32_t dim = loader->model->config.dim, width = spec->expert_width;
    const int32_t experts = spec->experts;
    const struct extent in = {dim, width, experts}, back = {width, dim, experts};
    const struct extent wide = {width, experts, 1}, narrow = {dim, experts, 1};
    const enum presence bias = spec->expert_bias ? TENSOR_REQUIRED : TENSOR_ABSENT;
    layer->router = loader_matrix(loader, "ffn_gate_inp.weight", experts, dim, TENSOR_REQUIRED);
    layer->router_bias = loader_vector(loader, "ffn_gate_inp.bias", experts, bias);
    if (!load_fused(loader, spec, layer)) {
        layer->expert_up = load_matrices(loader, "ffn_up", in);
        layer->expert_gate =
            spec->ungated ? layer->expert_up : load_matrices(loader, "ffn_gate", in);
    }
    layer->expert_down = load_matrices(loader, "ffn_down", back);
    layer->expert_gains = load_gains(loader, spec, layer);
    const char *choice_bias =
        loader_peek(loader, "exp_probs_b") ? "exp_probs_b" : "exp_probs_b.bias";
    layer->choice_bias =
        loader_vector(loader, choice_bias, experts,
                      spec->gating == GATING_SPARSE_MIXER ? TENSOR_ABSENT : TENSOR_OPTIONAL);
    check_types(loader, layer);
    layer->expert_gate.bias = loader_vectors(loader, "ffn_gate_exps.bias", wide, 1, bias);
    layer->expert_up.bias = loader_vectors(loader, "ffn_up_exps.bias", wide, 1, bias);
    layer->expert_down.bias = loader_vectors(loader, "ffn_down_exps.bias", narrow, 1, bias);
}

// The norms of experts next to a dense part. The router reads the residual, normed to the length of
// 1 and each element times its scale.
static void load_norms(struct loader *loader, struct layer *layer) {
    const int32_t dim = loader->model->config.dim;
    layer->router_norm = loader_vectors(loader, "ffn_gate_inp.scale", (struct extent){dim, 1, 1},
                                        1 / sqrtf((float)dim), TENSOR_REQUIRED);
    layer->expert_norm = loader_vector(loader, "pre_ffw_norm_2.weight", dim, TENSOR_REQUIRED);
    layer->dense_post_norm = loader_vector(loader, "post_ffw_norm_1.weight", dim, TENSOR_REQUIRED);
    layer->expert_post_norm = loader_vector(loader, "post_ffw_norm_2.weight", dim, TENSOR_REQUIRED);
}

static void load_shared_expert(struct loader *loader, const struct ffn_spec *spec,
                               struct layer *layer) {
    const int32_t dim = loader->model->config.dim, width = spec->width;
    ASSERT(width > 0);
    layer->shared_gate = loader_matrix(loader, "ffn_gate_inp_shexp.weight", 1, dim,
                                       spec->shared_gate ? TENSOR_REQUIRED : TENSOR_ABSENT);
    layer->gate = loader_matrix(loader, "ffn_gate_shexp.weight", width, dim,
                                spec->ungated ? TENSOR_ABSENT : TENSOR_REQUIRED);
    layer->up = loader_matrix(loader, "ffn_up_shexp.weight", width, dim, TENSOR_REQUIRED);
    layer->down = loader_matrix(loader, "ffn_down_shexp.weight", dim, width, TENSOR_REQUIRED);
}

static void load(struct loader *loader, const struct layer_spec *spec, struct layer *layer) {
    load_experts(loader, &spec->ffn, layer);
    if (spec->ffn.kind == FFN_SHARED_EXPERT) load_shared_expert(loader, &spec->ffn, layer);
    if (spec->ffn.kind != FFN_DENSE_AND_EXPERTS) return;
    load_norms(loader, layer);
    dense_load(loader, spec, layer);
}

static const struct figure_names figures[] = {
    {"expert_count", {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}},
    {"expert_used_count", {"num_experts_per_tok", "moe_topk", "moe_k", "top_k_experts"}},
    {"expert_feed_forward_length", {"moe_intermediate_size"}},
    {"expert_shared_count",
     {"n_shared_experts", "moe_num_shared_experts", "num_shared_experts", "num_shared_expert"}},
    {"expert_shared_feed_forward_length",
     {"moe_shared_expert_intermediate_size", "shared_expert_intermediate_size",
      "share_expert_dim"}},
    {"leading_dense_block_count",
     {"first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"}},
    {"interleave_moe_layer_step", {"moe_layer_interval"}},
    {"expert_weights_scale",
     {"routed_scaling_factor", "router_scaling_factor", "route_scale", "moe_routed_scaling_factor",
      "moe_router_scaling_factor"}},
    {"router_jitter_noise", {"router_jitter_noise"}},
    {"expert_group_count", {"n_group"}},
    {"expert_group_used_count", {"topk_group"}},
    {0}};

const struct layer_part experts_part = {load, measure, enqueue, figures, enqueue_first};
