// engine/model/layer_embedding.c — what each layer has of the token itself (Gemma 4's E2B and E4B).
//
// Besides the embedding that the residual begins with, a token has a short one for every layer. It
// is added to a projection of that beginning, and at the layer's end gates a projection of the
// residual, whose result comes back through a norm. The tables of all layers lie side by side in
// the file.
#include <math.h>

#include "engine/model/forward_state.h"
#include "engine/model/layer_part.h"
#include "engine/model/loader.h"
#include "kernels/base/assert.h"

struct embedding_rows {         // [tokens, per_layer_embedding]
    void *embedded, *projected; // the token's and the beginning's; residual
    void *both;                 // their sum
    void *gate;                 // of the residual
};

static struct embedding_rows lay_out(struct scratch *scratch, int32_t elements) {
    return (struct embedding_rows){
        .embedded = scratch_residual_rows(scratch, elements),
        .projected = scratch_residual_rows(scratch, elements),
        .both = scratch_rows(scratch, elements),
        .gate = scratch_rows(scratch, elements),
    };
}

void layer_embedding_measure(struct scratch *scratch, const struct model_config *config) {
    if (config->per_layer_embedding) lay_out(scratch, config->per_layer_embedding);
}

// both = (norm(projection(start) / sqrt(dim)) + embedding * sqrt(elements)) / sqrt(2).
// A norm of rows divided by r is theirs with r^2 times the epsilon.
static void embed(const struct forward *forward, int32_t index, const struct embedding_rows *rows) {
    const struct model *model = forward->model;
    const struct model_config *config = &model->config;
    const struct activations *a = &forward->activations;
    const int32_t tokens = forward->num_tokens, elements = config->per_layer_embedding;
    ASSERT(a->start && elements > 0);
    forward->backend->embedding(forward->device,
                                &(struct embedding){.y = rows->embedded,
                                                    .token_ids = forward->on_device.token_ids,
                                                    .table = model->per_layer_embedding,
                                                    .tokens = tokens,
                                                    .scale = sqrtf((float)elements),
                                                    .stride = config->layers,
                                                    .first = index});
    forward_project(
        forward, a->start,
        &(struct projection){rows->projected, model->layers[index].embedding_projection, NULL},
        LINEAR_RESIDUAL, NULL);
    forward->backend->add_rows(forward->device,
                               &(struct add_rows){.x = rows->embedded,
                                                  .y = rows->projected,
                                                  .norm = model->per_layer_embedding_norm,
                                                  .rows = tokens,
                                                  .dim = elements,
                                                  .eps = config->norm_eps * (float)config->dim,
                                                  .scale = 1,
                                                  .gain = sqrtf(0.5f)});
    forward_narrow_rows(forward, rows->both, rows->embedded, elements);
}

// residual = output_scale * (residual + norm(output(act(gate(residual), both))))
void layer_embedding_enqueue(const struct forward *forward, int32_t index) {
    const struct model_config *config = &forward->model->config;
    const struct layer *layer = &forward->model->layers[index];
    const struct activations *a = &forward->activations;
    struct scratch scratch = forward->ffn_scratch;
    const struct embedding_rows rows = lay_out(&scratch, config->per_layer_embedding);
    embed(forward, index, &rows);
    forward_narrow_rows(forward, a->normed, a->residual, config->dim);
    forward_project(forward, a->normed,
                    &(struct projection){rows.gate, layer->embedding_gate, NULL}, LINEAR_ACTIVATION,
                    NULL);
    forward->backend->act_and_mul(forward->device,
                                  &(struct act_and_mul){.gate = rows.gate,
                                                        .up = rows.both,
                                                        .rows = forward->num_tokens,
                                                        .dim = config->per_layer_embedding,
                                                        .act = config->specs[index].ffn.act});
    forward_add_product(forward, &(struct addend){.rows = rows.gate,
                                                  .weight = &layer->embedding_output,
                                                  .norm = layer->embedding_post_norm,
                                                  .scale = config->specs[index].residual_scale,
                                                  .gain = layer->output_scale});
}

// Side by side in the file, one below the other here.
void layer_embedding_load_tables(struct loader *loader) {
    static const char names[][32] = {"per_layer_token_embd.weight", "per_layer_model_proj.weight"};
    struct model *model = loader->model;
    const struct model_config *config = &model->config;
    const int32_t elements = config->per_layer_embedding, layers = config->layers;
    if (!elements || loader->status != STATUS_OK) return;
    if ((int64_t)config->vocabulary * layers > INT32_MAX ||
        (int64_t)elements * layers > INT32_MAX) {
        loader_refuse(loader, STATUS_BAD_FILE, names[0], "is too large");
        return;
    }
    const struct extent each = {elements, config->vocabulary * layers, 1};
    const struct gguf_tensor *table =
        loader_find(loader, names[0], (struct extent){elements * layers, config->vocabulary, 1},
                    TENSOR_REQUIRED);
    if (table) {
        if (elements % dtype_block_elements(table->type))
            loader_refuse(loader, STATUS_UNSUPPORTED, names[0],
                          "has quantization blocks that span layers, which is not supported");
        else
            model->per_layer_embedding = loader_rows(loader, names[0], table, each, 0);
    }
    const struct gguf_tensor *both = loader_find(
        loader, names[1], (struct extent){config->dim, elements * layers, 1}, TENSOR_REQUIRED);
    const struct extent part = {config->dim, elements, 1};
    for (int32_t i = 0; both && i < layers && loader->status == STATUS_OK; i++)
        model->layers[i].embedding_projection =
            loader_rows(loader, names[1], both, part, i * elements);
    model->per_layer_embedding_norm =
        loader_vector(loader, "per_layer_proj_norm.weight", elements, TENSOR_REQUIRED);
}

void layer_embedding_load(struct loader *loader, struct layer *layer) {
    const int32_t dim = loader->model->config.dim;
    const int32_t elements = loader->model->config.per_layer_embedding;
    if (!elements) return;
    layer->embedding_gate =
        loader_matrix(loader, "inp_gate.weight", elements, dim, TENSOR_REQUIRED);
    layer->embedding_output = loader_matrix(loader, "proj.weight", dim, elements, TENSOR_REQUIRED);
    layer->embedding_post_norm = loader_vector(loader, "post_norm.weight", dim, TENSOR_REQUIRED);
}
