// engine/model/forward_products.c — what all parts of a layer are made of: products with weights,
// norms, gates, and what is added to the residual.
//
// A product norms its input itself where the norm is an RMS norm, so that a step needs no pass over
// the residual for it; other norms are done before. A matrix may have the pairs of adapters next to
// it (adapter.h): their products are added in the residual's precision, by way of rows of that type
// where the result has another.
#include "engine/model/forward_state.h"
#include "kernels/base/assert.h"

void forward_narrow_rows(const struct forward *forward, void *y, const void *x, int32_t dim) {
    forward->backend->narrow(forward->device, &(struct narrow){y, x, forward->num_tokens, dim});
}

void forward_store_rows(const struct forward *forward, void *x, const void *y, const float *norm,
                        bool adds) {
    const struct model_config *config = &forward->model->config;
    const struct add_rows args = {.x = x,
                                  .y = y,
                                  .norm = norm,
                                  .rows = forward->num_tokens,
                                  .dim = config->dim,
                                  .eps = config->norm_eps,
                                  .scale = 1,
                                  .gain = 1,
                                  .overwrites = !adds};
    forward->backend->add_rows(forward->device, &args);
}

struct linear_input forward_input(const struct forward *forward, struct norm norm) {
    const struct activations *a = &forward->activations;
    const struct model_config *config = &forward->model->config;
    if (norm.weight && config->norms != NORM_RMS) {
        forward_norm_rows(forward, a->normed, a->residual, norm, config->dim);
        return (struct linear_input){.x = a->normed, .tokens = forward->num_tokens};
    }
    if (norm.weight)
        return (struct linear_input){.x = a->residual,
                                     .norm = norm.weight,
                                     .normed = a->normed,
                                     .tokens = forward->num_tokens,
                                     .eps = config->norm_eps};
    forward_narrow_rows(forward, a->normed, a->residual, config->dim);
    return (struct linear_input){.x = a->normed, .tokens = forward->num_tokens};
}

struct linear_input forward_ffn_input(const struct forward *forward, int32_t index) {
    if (!forward->model->config.specs[index].parallel)
        return forward_input(forward, forward->model->layers[index].ffn_norm);
    return (struct linear_input){.x = forward->activations.normed, .tokens = forward->num_tokens};
}

// The place of `count` rows of `width`, behind those before.
static void *part_of(void *rows, size_t *offset, int32_t count, int32_t width, enum dtype type) {
    void *part = (char *)rows + *offset;
    *offset += (size_t)count * dtype_row_bytes(type, width);
    return part;
}

// y += b (a x) for each part that has such a pair: all a x in one call, since they have one input.
static void add_adapters(const struct forward *forward, const void *x,
                         const struct projection *parts, int32_t count,
                         const struct low_rank *const lora[]) {
    const struct activations *a = &forward->activations;
    const int32_t tokens = forward->num_tokens;
    struct linear down = {.in = {.x = x, .tokens = tokens}};
    void *low[LINEAR_PARTS] = {0};
    size_t offset = 0;
    for (int32_t i = 0; i < count; i++) {
        const struct weight *weight = &lora[i]->a;
        if (weight->rows == 0) continue;
        ASSERT(weight->rows <= forward->model->rank && lora[i]->b.rows == parts[i].weight.rows);
        low[i] = part_of(a->low, &offset, tokens, weight->rows, forward->backend->activation);
        down.parts[down.count++] = (struct projection){low[i], *weight, NULL};
    }
    forward->backend->linear(forward->device, &down);
    for (int32_t i = 0; i < count; i++)
        if (low[i] != NULL)
            forward_project(forward, low[i], &(struct projection){parts[i].y, lora[i]->b, NULL},
                            LINEAR_ADD, NULL);
}

void forward_multiply(const struct forward *forward, const struct linear *product,
                      const struct low_rank *const lora[]) {
    const struct activations *a = &forward->activations;
    const struct linear_input *in = &product->in;
    const bool wide = product->store == LINEAR_ACTIVATION && a->wide;
    const int32_t count = product->count;
    struct linear all = *product;
    size_t offset = 0;
    bool any = false;
    for (int32_t i = 0; i < count; i++)
        any = any || lora[i]->a.rows > 0;
    if (!any) {
        forward->backend->linear(forward->device, product);
        return;
    }
    if (in->norm) {
        forward_norm_rows(forward, in->normed, in->x, (struct norm){.weight = in->norm},
                          product->parts[0].weight.columns);
        all.in = (struct linear_input){.x = in->normed, .tokens = in->tokens};
    }
    if (wide) all.store = LINEAR_RESIDUAL;
    for (int32_t i = 0; i < count && wide; i++)
        all.parts[i].y = part_of(a->wide, &offset, in->tokens, all.parts[i].weight.rows,
                                 forward->backend->residual);
    forward->backend->linear(forward->device, &all);
    add_adapters(forward, all.in.x, all.parts, count, lora);
    for (int32_t i = 0; i < count && wide; i++)
        forward_narrow_rows(forward, product->parts[i].y, all.parts[i].y, all.parts[i].weight.rows);
}

void forward_project(const struct forward *forward, const void *rows, const struct projection *to,
                     enum linear_store store, const struct low_rank *lora) {
    static const struct low_rank nothing = {0};
    forward_multiply(forward,
                     &(struct linear){.in = {.x = rows, .tokens = forward->num_tokens},
                                      .parts = {*to},
                                      .count = 1,
                                      .store = store},
                     (const struct low_rank *[]){lora ? lora : &nothing});
}

void forward_add_branch(const struct forward *forward, const float *y,
                        const struct addend *addend) {
    const struct model_config *config = &forward->model->config;
    const struct add_rows args = {.x = forward->activations.residual,
                                  .y = y,
                                  .norm = addend->norm,
                                  .rows = forward->num_tokens,
                                  .dim = config->dim,
                                  .eps = config->post_norm_eps,
                                  .scale = addend->scale,
                                  .gain = addend->gain};
    forward->backend->add_rows(forward->device, &args);
}

void forward_add_product(const struct forward *forward, const struct addend *addend) {
    const bool plain = !addend->bias && !addend->norm && addend->gain == 1 && addend->scale == 1;
    const struct activations *a = &forward->activations;
    ASSERT(plain || a->branch);
    forward_project(
        forward, addend->rows,
        &(struct projection){plain ? a->residual : a->branch, *addend->weight, addend->bias},
        plain ? LINEAR_ADD : LINEAR_RESIDUAL, addend->lora);
    if (!plain) forward_add_branch(forward, a->branch, addend);
}

void forward_norm_rows(const struct forward *forward, void *y, const void *x, struct norm norm,
                       int32_t dim) {
    forward->backend->rmsnorm(
        forward->device, &(struct rmsnorm){.y = y,
                                           .x = x,
                                           .weight = norm.weight,
                                           .bias = norm.bias,
                                           .rows = forward->num_tokens,
                                           .dim = dim,
                                           .eps = forward->model->config.norm_eps,
                                           .centered = forward->model->config.norms != NORM_RMS});
}

void forward_add_mixed(const struct forward *forward, int32_t index, const void *mixed) {
    const struct model_config *config = &forward->model->config;
    const struct layer *layer = &forward->model->layers[index];
    const struct activations *a = &forward->activations;
    const struct layer_spec *spec = &config->specs[index];
    const float scale = spec->attention.value_scale != 0 ? spec->attention.value_scale : 1;
    const struct addend addend = {.rows = mixed,
                                  .weight = &layer->o,
                                  .lora = &layer->lora.o,
                                  .bias = layer->o_bias,
                                  .norm = layer->attn_post_norm,
                                  .scale = spec->residual_scale * scale,
                                  .gain = 1};
    if (config->specs[index].joins_next) {
        ASSERT(a->sum && !addend.norm);
        forward_project(forward, mixed, &(struct projection){a->sum, layer->o, layer->o_bias},
                        LINEAR_RESIDUAL, addend.lora);
        return;
    }
    forward_add_product(forward, &addend);
    if (layer_is_joined(config, index)) forward_add_branch(forward, a->sum, &addend);
}

struct addend forward_ffn_addend(const struct forward *forward, int32_t index, const void *rows) {
    const struct layer *layer = &forward->model->layers[index];
    const struct layer_spec *spec = &forward->model->config.specs[index];
    const bool halved = spec->ffn.kind == FFN_SHARED_EXPERT && spec->ffn.averaged;
    return (struct addend){
        .rows = rows,
        .weight = &layer->down,
        .lora = &layer->lora.down,
        .bias = layer->down_bias,
        .norm = layer->ffn_post_norm,
        .scale = spec->residual_scale * (halved ? 0.5f : 1),
        .gain = forward->model->config.per_layer_embedding ? 1 : layer->output_scale,
    };
}

void *forward_element(const struct forward *forward, void *rows, size_t nth) {
    return (char *)rows + nth * (size_t)dtype_block_bytes(forward->backend->activation);
}

void forward_take_parts(const struct forward *forward, void *y, void *rows, int32_t begin,
                        int32_t count, int32_t elements) {
    const size_t part = (size_t)elements, row = (size_t)count * part;
    forward->backend->copy_parts(
        forward->device, &(struct copy_parts){.y = y,
                                              .x = forward_element(forward, rows, (size_t)begin),
                                              .rows = count,
                                              .columns = forward->num_tokens,
                                              .elements = elements,
                                              .y_row = part,
                                              .y_column = row,
                                              .x_row = 2 * part,
                                              .x_column = 2 * row});
}

void forward_gate(const struct forward *forward, enum act act, void *x, const void *y,
                  int32_t dim) {
    forward->backend->act_and_mul(
        forward->device,
        &(struct act_and_mul){
            .gate = x, .up = y, .rows = forward->num_tokens, .dim = dim, .act = act});
}
