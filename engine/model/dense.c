// engine/model/dense.c — a dense feed-forward: down(act(gate(x), up(x))) for every token.
//
// The two products of the input and the activation are one op where nothing is added to either
// (arXiv 2002.05202); biases, adapters and activations without a gate take them apart. A mixture's
// shared expert is a dense feed-forward too, and experts.c computes it here.
#include <math.h>

#include "engine/model/family_read.h"
#include "engine/model/folder_layout.h"
#include "engine/model/forward_state.h"
#include "engine/model/layer_part.h"
#include "engine/model/loader.h"
#include "engine/model/metadata.h"
#include "kernels/base/assert.h"

// One number of XIELU for all layers, or one for each: a file's list of floats, or what a folder
// has as tensors.
static double xielu_number(struct metadata *metadata, int nth, int32_t layer, int32_t layers,
                           double otherwise) {
    static const char *const keys[XIELU_NUMBERS] = {"xielu.alpha_p", "xielu.alpha_n", "xielu.beta",
                                                    "xielu.eps"};
    const struct folder_config *folder = metadata->folder;
    const char *key = keys[nth];
    struct gguf_array list;
    double value = otherwise;
    ASSERT(layer >= 0 && layer < layers);
    if (folder && folder->xielu_count[nth] == layers)
        value = (double)folder->xielu[nth][layer];
    else if (gguf_find_array(metadata->gguf, key, &list) && list.count == (size_t)layers &&
             (list.type == GGUF_F32 || list.type == GGUF_F64))
        value = gguf_array_float(&list, (size_t)layer);
    else
        gguf_find_float(metadata->gguf, key, &value);
    if (!(fabs(value) < 1e4)) // nor NaN
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is missing or out of range");
    return value;
}

// Files have what softplus makes the curves of. What eps cuts off above it is next to nothing.
void dense_read_xielu(struct metadata *metadata, struct model_config *config) {
    ASSERT(config->layers <= MODEL_MAX_LAYERS);
    const int32_t layers = config->layers;
    family_read_plain(metadata, config);
    for (int32_t i = 0; i < layers; i++) {
        const double high = xielu_number(metadata, 0, i, layers, (double)NAN);
        const double low = xielu_number(metadata, 1, i, layers, (double)NAN);
        const double slope = xielu_number(metadata, 2, i, layers, 0.5);
        if (fabs(xielu_number(metadata, 3, i, layers, 0)) > 1e-4)
            metadata_unsupported(metadata, "xielu.eps", "0");
        config->specs[i].ffn.xielu =
            (struct xielu){.positive = (float)(fmax(high, 0) + log1p(exp(-fabs(high)))),
                           .negative = (float)(slope + fmax(low, 0) + log1p(exp(-fabs(low)))),
                           .slope = (float)slope};
    }
}

struct dense_rows dense_lay_out(struct scratch *scratch, int32_t width) {
    return (struct dense_rows){.gated = scratch_rows(scratch, width),
                               .up = scratch_rows(scratch, width)};
}

static void measure(struct scratch *scratch, const struct layer_spec *spec) {
    dense_lay_out(scratch, spec->ffn.width);
}

// gated = act(gate(in) + bias, up(in) + bias); without a gate, act(up(in) + bias)
static void gate_apart(const struct forward *forward, const struct linear_input *in,
                       const struct ffn_spec *spec, const struct layer *layer,
                       const struct dense_rows *rows) {
    const bool has_gate = layer->gate.data != NULL;
    const struct projection up = {has_gate ? rows->up : rows->gated, layer->up, layer->up_bias};
    forward_multiply(forward,
                     &(struct linear){.in = *in,
                                      .parts = {up, {rows->gated, layer->gate, layer->gate_bias}},
                                      .count = has_gate ? 2 : 1},
                     (const struct low_rank *[]){&layer->lora.up, &layer->lora.gate});
    forward->backend->act_and_mul(
        forward->device, &(struct act_and_mul){.gate = rows->gated,
                                               .up = up.y,
                                               .rows = forward->num_tokens,
                                               .dim = layer->up.rows,
                                               .act = spec->limit > 0 ? ACT_LIMITED : spec->act,
                                               .xielu = spec->xielu,
                                               .limit = spec->limit});
}

void dense_gate(const struct forward *forward, int32_t index, const struct dense_rows *rows) {
    const struct layer_spec *spec = &forward->model->config.specs[index];
    const struct layer *layer = &forward->model->layers[index];
    const struct linear_input in = forward_ffn_input(forward, index);
    const bool adapted = layer->lora.gate.a.rows > 0 || layer->lora.up.a.rows > 0;
    if (layer->gate_bias || layer->up_bias || !layer->gate.data || adapted || spec->ffn.limit > 0) {
        gate_apart(forward, &in, &spec->ffn, layer, rows);
        return;
    }
    const struct gated_linear args = {.in = in,
                                      .y = rows->gated,
                                      .up_rows = rows->up,
                                      .gate = layer->gate,
                                      .up = layer->up,
                                      .act = spec->ffn.act};
    forward->backend->gated_linear(forward->device, &args);
}

// residual += down(gated)
static void enqueue(const struct forward *forward, int32_t index) {
    struct scratch scratch = forward->ffn_scratch;
    const struct dense_rows rows =
        dense_lay_out(&scratch, forward->model->config.specs[index].ffn.width);
    const struct addend addend = forward_ffn_addend(forward, index, rows.gated);
    dense_gate(forward, index, &rows);
    forward_add_product(forward, &addend);
}

void dense_load(struct loader *loader, const struct layer_spec *layer_spec, struct layer *layer) {
    const struct ffn_spec *spec = &layer_spec->ffn;
    const int32_t dim = loader->model->config.dim, width = spec->width;
    const enum presence gate = spec->ungated ? TENSOR_ABSENT : TENSOR_REQUIRED;
    if (spec->fused) {
        loader_matrices(loader, "ffn_up.weight", dim,
                        (struct weight *const[]){&layer->gate, &layer->up},
                        (const int32_t[]){width, width}, 2);
    } else {
        layer->gate = loader_matrix(loader, "ffn_gate.weight", width, dim, gate);
        layer->up = loader_matrix(loader, "ffn_up.weight", width, dim, TENSOR_REQUIRED);
        layer->gate_bias =
            loader_vector(loader, "ffn_gate.bias", width, gate ? TENSOR_OPTIONAL : TENSOR_ABSENT);
        layer->up_bias = loader_vector(loader, "ffn_up.bias", width, TENSOR_OPTIONAL);
    }
    layer->down = loader_matrix(loader, "ffn_down.weight", dim, width, TENSOR_REQUIRED);
    layer->down_bias = loader_vector(loader, "ffn_down.bias", dim, TENSOR_OPTIONAL);
}

static const struct figure_names figures[] = {{"feed_forward_length", {"intermediate_size"}}, {0}};

const struct layer_part dense_part = {dense_load, measure, enqueue, figures, NULL};
