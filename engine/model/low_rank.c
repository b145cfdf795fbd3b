// engine/model/low_rank.c — merges the pairs of all adapters into one pair for each matrix.
//
// Several pairs for one matrix equal one pair of a higher rank, with the A's stacked and the B's
// side by side. Each B includes its scale:
//
//   s1 B1 (A1 x) + s2 B2 (A2 x)  =  [s1 B1 | s2 B2] ( [A1] x )
//                                                   ( [A2]   )
//
// So a step costs two small products for each matrix, however many adapters there are. The rank is
// rounded up and padded with zeros.
//
// A file may have one tensor for several matrices, such as attn_qkv. The rows of its B are divided
// among q, k and v, and each gets a copy of its A. The rows of q and k may be in another order than
// the model's: rotated pairs are side by side in one, and half a head apart in the other. Then the
// rows of B are moved (reordered).
//
// All adapters are checked before the first matrix changes; what a model's file shows, before the
// model is loaded.
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/adapter.h"
#include "engine/model/family.h"
#include "engine/model/model_parts.h"
#include "kernels/base/assert.h"
#include "kernels/cost.h"

enum { PARTS_MAX = 3, RANK_MULTIPLE = 8 }; // a card reads rows of fp16 16 bytes at a time

struct place { // in a layer: a matrix, and what adapters add to it
    size_t weight, lora;
};
#define PLACE(part) \
    { offsetof(struct layer, part), offsetof(struct layer, lora.part) }

// A tensor of a model, and the matrices that it consists of, from top to bottom.
static const struct module {
    const char *name;
    struct place parts[PARTS_MAX];
    int32_t count;
    bool fused, rotated; // the gate stands above up; its rows belong to rotated heads
    bool shared;         // of the shared expert
} modules[] = {
    {.name = "attn_q", .parts = {PLACE(q)}, .count = 1, .rotated = true},
    {.name = "attn_k", .parts = {PLACE(k)}, .count = 1, .rotated = true},
    {.name = "attn_v", .parts = {PLACE(v)}, .count = 1},
    {.name = "attn_output", .parts = {PLACE(o)}, .count = 1},
    {.name = "attn_qkv", .parts = {PLACE(q), PLACE(k), PLACE(v)}, .count = 3},
    {.name = "ffn_gate", .parts = {PLACE(gate)}, .count = 1},
    {.name = "ffn_up", .parts = {PLACE(up)}, .count = 1},
    {.name = "ffn_up", .parts = {PLACE(gate), PLACE(up)}, .count = 2, .fused = true},
    {.name = "ffn_down", .parts = {PLACE(down)}, .count = 1},
    {.name = "ffn_gate_shexp", .parts = {PLACE(gate)}, .count = 1, .shared = true},
    {.name = "ffn_up_shexp", .parts = {PLACE(up)}, .count = 1, .shared = true},
    {.name = "ffn_down_shexp", .parts = {PLACE(down)}, .count = 1, .shared = true},
};
enum { MODULES = sizeof modules / sizeof modules[0] };

struct applying {
    struct model *model;     // without layers: it is not loaded yet,
    const struct gguf *gguf; // and this is its file
    const struct adapters *adapters;
    struct error *err;
};

struct tensor_name { // "blk.7.attn_q.weight.lora_a"
    int32_t layer;
    const struct module *module;
    char side; // 'a' or 'b'
};

static const struct weight *weight_of(const struct layer *layer, const struct place *place) {
    return (const struct weight *)((const char *)layer + place->weight);
}

static struct low_rank *lora_of(struct layer *layer, const struct place *place) {
    return (struct low_rank *)((char *)layer + place->lora);
}

static enum status refuse_adapter(const struct applying *applying, enum status status,
                                  const struct adapter *adapter, const char *tensor,
                                  const char *what) {
    return error_set(applying->err, status, "%s: tensor %.100s %s", gguf_path(adapter->gguf),
                     tensor, what);
}

// Does the layer have these matrices, arranged as in this module? Before it is loaded, only its
// spec says so.
static bool has_module(const struct model *model, int32_t layer, const struct module *module) {
    const bool fused = model->config.specs[layer].ffn.fused;
    const enum ffn_kind kind = model->config.specs[layer].ffn.kind;
    const bool dense = kind == FFN_DENSE || kind == FFN_DENSE_AND_EXPERTS;
    const bool fits = module->shared ? kind == FFN_SHARED_EXPERT : dense;
    const bool attends = model->config.specs[layer].mixer == MIXER_ATTENTION;
    if (!strncmp(module->name, "attn_", 5) && !attends) return false;
    if (!strncmp(module->name, "ffn_", 4) && !fits) return false;
    if (!strcmp(module->name, "ffn_up") && module->fused != fused) return false;
    for (int32_t i = 0; i < module->count && model->layers; i++)
        if (weight_of(&model->layers[layer], &module->parts[i])->rows == 0) return false;
    return true;
}

static bool parse_name(const struct model *model, const char *text, struct tensor_name *name) {
    char part[32];
    int block = -1, used = 0;
    if (sscanf(text, "blk.%4d.%31[a-z_].weight.lora_%c%n", &block, part, &name->side, &used) != 3)
        return false;
    if (used == 0 || text[used] || (name->side != 'a' && name->side != 'b')) return false;
    for (int i = 0; i < MODULES; i++) {
        name->module = &modules[i];
        if (strcmp(part, modules[i].name) != 0) continue;
        for (name->layer = 0; name->layer < model->config.layers; name->layer++)
            if (model->config.specs[name->layer].block == block &&
                has_module(model, name->layer, &modules[i]))
                return true;
    }
    return false;
}

static const struct gguf_tensor *side_of(const struct applying *applying,
                                         const struct adapter *adapter,
                                         const struct tensor_name *of, char side) {
    const int32_t block = applying->model->config.specs[of->layer].block;
    char name[64];
    snprintf(name, sizeof name, "blk.%" PRId32 ".%s.weight.lora_%c", block, of->module->name, side);
    return gguf_find_tensor(adapter->gguf, name);
}

// Of the matrix that the pair changes. Before it is loaded, that of the file; and the pair's own,
// if the file has it under another name.
static void find_shape(const struct applying *applying, const struct tensor_name *name,
                       int64_t *columns, int64_t *rows) {
    const struct model *model = applying->model;
    char text[64];
    if (model->layers) {
        const struct layer *layer = &model->layers[name->layer];
        *columns = weight_of(layer, &name->module->parts[0])->columns;
        *rows = 0;
        for (int32_t i = 0; i < name->module->count; i++)
            *rows += weight_of(layer, &name->module->parts[i])->rows;
        return;
    }
    snprintf(text, sizeof text, "blk.%" PRId32 ".%s.weight", model->config.specs[name->layer].block,
             name->module->name);
    const struct gguf_tensor *matrix = gguf_find_tensor(applying->gguf, text);
    if (!matrix) return;
    *columns = matrix->shape[0];
    *rows = matrix->shape[1];
}

// Checks that the other half of the pair exists, and that this half has the right type and shape.
static enum status check_pair(const struct applying *applying, const struct adapter *adapter,
                              const struct tensor_name *name, const char *text) {
    const struct gguf_tensor *tensor = side_of(applying, adapter, name, name->side);
    const struct gguf_tensor *a = side_of(applying, adapter, name, 'a');
    const struct gguf_tensor *b = side_of(applying, adapter, name, 'b');
    char what[160];
    if (!a || !b)
        return refuse_adapter(applying, STATUS_BAD_FILE, adapter, text,
                              "is missing the other half of its pair");
    if (!tensor->known) {
        snprintf(what, sizeof what, "has type %s, which is not supported",
                 gguf_type_name(tensor->file_type));
        return refuse_adapter(applying, STATUS_UNSUPPORTED, adapter, text, what);
    }
    const int64_t rank = a->shape[1];
    int64_t columns = a->shape[0], rows = b->shape[1];
    find_shape(applying, name, &columns, &rows);
    const int64_t expected[2] = {tensor == a ? columns : rank, tensor == a ? rank : rows};
    if (rank < 1 || rank > ADAPTER_MAX_RANK) {
        snprintf(what, sizeof what, "has rank %" PRId64 " (expected 1 to %d)", rank,
                 ADAPTER_MAX_RANK);
        return refuse_adapter(applying, STATUS_UNSUPPORTED, adapter, text, what);
    }
    if (tensor->dims <= 2 && tensor->shape[0] == expected[0] && tensor->shape[1] == expected[1] &&
        tensor->shape[0] % dtype_block_elements(tensor->type) == 0)
        return STATUS_OK;
    snprintf(what, sizeof what,
             "belongs to another model: expected [%" PRId64 ", %" PRId64 "], found [%" PRId64
             ", %" PRId64 "]",
             expected[1], expected[0], tensor->shape[1], tensor->shape[0]);
    return refuse_adapter(applying, STATUS_BAD_FILE, adapter, text, what);
}

static const struct family *family_of(const struct model *model) {
    const struct family *family = family_find(model->config.family, strlen(model->config.family));
    ASSERT(family);
    return family;
}

static enum status check_adapter(const struct applying *applying, const struct adapter *adapter) {
    const struct model *model = applying->model;
    if (!adapter->of_folder && strcmp(adapter->base, model->config.family) != 0)
        return error_set(applying->err, STATUS_BAD_FILE,
                         "%s is an adapter for the family \"%.60s\", but the model's family is %s",
                         gguf_path(adapter->gguf), adapter->base, model->config.family);
    if (adapter->of_folder && family_of(model)->multiplied)
        return error_set(applying->err, STATUS_UNSUPPORTED,
                         "%s: folder adapters are not supported for the family %s, whose matrices "
                         "are scaled; convert the adapter together with its model",
                         gguf_path(adapter->gguf), model->config.family);
    if (gguf_tensor_count(adapter->gguf) == 0)
        return error_set(applying->err, STATUS_BAD_FILE, "%s: the adapter has no tensors",
                         gguf_path(adapter->gguf));
    for (size_t i = 0; i < gguf_tensor_count(adapter->gguf); i++) {
        const struct gguf_string bytes = gguf_tensor_at(adapter->gguf, i)->name;
        char text[GGUF_MAX_NAME_BYTES + 1];
        struct tensor_name name;
        snprintf(text, sizeof text, "%.*s", (int)bytes.length, bytes.bytes);
        if (!parse_name(model, text, &name))
            return refuse_adapter(applying, STATUS_UNSUPPORTED, adapter, text,
                                  "is not supported: adapters apply only to attention and dense "
                                  "feed-forward matrices");
        TRY(check_pair(applying, adapter, &name, text));
    }
    return STATUS_OK;
}

static float factor_of(const struct adapter *adapter, int64_t rank) {
    if (adapter->alpha == 0) return adapter->scale;
    const float by = adapter->root_of_rank ? sqrtf((float)rank) : (float)rank;
    return adapter->scale * adapter->alpha / by;
}

static float *floats_of(const struct gguf_tensor *tensor) {
    const size_t count = (size_t)tensor->shape[0] * (size_t)tensor->shape[1];
    float *floats = malloc(count * sizeof *floats);
    if (floats) dtype_to_float(tensor->type, tensor->data, floats, count);
    return floats;
}

// Do rotated heads have their pairs side by side in either the model or the adapter, and half a
// head apart in the other?
static bool reorders(const struct model *model, const struct adapter *adapter, int32_t layer) {
    const struct family *family = family_of(model);
    return !family->interleaved_folder && family->layer.attention.rope.interleaved &&
           model->config.specs[layer].attention.rope.interleaved == adapter->of_folder;
}

// Where the adapter has this row of the model. Row 2 p + h of a head with pairs side by side is row
// h * size / 2 + p of one with pairs half a head apart.
static int32_t reordered(const struct adapter *adapter, int32_t size, int32_t row) {
    const int32_t apart = size / 2, at = row % size;
    return row - at + (adapter->of_folder ? at % 2 * apart + at / 2 : at % apart * 2 + at / apart);
}

struct sum { // the pairs of one matrix
    float *a, *b;
    int32_t rank; // of all pairs together, rounded up
    int32_t at;   // how much of the rank is filled
};

// Copies the part's rows of b, times the adapter's factor, to the sum's columns from `at` on.
// False: some values are not finite.
static bool copy_rows(const struct applying *applying, const struct adapter *adapter,
                      const struct tensor_name *name, int32_t part, const float *b,
                      const struct sum *sum, int32_t rank) {
    const struct module *module = name->module;
    const struct layer *layer = &applying->model->layers[name->layer];
    const int32_t size = applying->model->config.specs[name->layer].attention.head_size;
    const bool rotated = module->rotated || (module->count == 3 && part < 2);
    const bool moves = rotated && reorders(applying->model, adapter, name->layer);
    const float factor = factor_of(adapter, rank);
    int32_t first = 0;
    bool finite = true;
    for (int32_t i = 0; i < part; i++)
        first += weight_of(layer, &module->parts[i])->rows;
    for (int32_t row = 0; row < weight_of(layer, &module->parts[part])->rows; row++) {
        const int32_t source = first + (moves ? reordered(adapter, size, row) : row);
        float *to = sum->b + (size_t)row * (size_t)sum->rank + sum->at;
        for (int32_t i = 0; i < rank; i++) {
            to[i] = factor * b[(size_t)source * (size_t)rank + (size_t)i];
            finite = finite && isfinite(to[i]);
        }
    }
    return finite;
}

// Adds one adapter's pair to the sum of a part.
static enum status copy_pair(const struct applying *applying, const struct adapter *adapter,
                             const struct tensor_name *name, int32_t part, struct sum *sum) {
    const struct gguf_tensor *tensor = side_of(applying, adapter, name, 'a');
    const int32_t rank = (int32_t)tensor->shape[1];
    const size_t columns = (size_t)tensor->shape[0], count = (size_t)rank * columns;
    float *a = sum->a + (size_t)sum->at * columns;
    float *b = floats_of(side_of(applying, adapter, name, 'b'));
    ASSERT(sum->at + rank <= sum->rank);
    if (!b) return STATUS_NO_MEMORY;
    dtype_to_float(tensor->type, tensor->data, a, count);
    bool finite = copy_rows(applying, adapter, name, part, b, sum, rank);
    for (size_t i = 0; i < count; i++)
        finite = finite && isfinite(a[i]);
    free(b);
    sum->at += rank;
    if (finite) return STATUS_OK;
    return refuse_adapter(applying, STATUS_BAD_FILE, adapter, name->module->name,
                          "has values that are not finite");
}

// Adds all adapters' pairs for one place of a layer, whichever module they are for. While the sum
// has no memory yet, it only counts their rank.
static enum status fill_place(const struct applying *applying, int32_t index,
                              const struct place *place, struct sum *sum) {
    for (int32_t i = 0; i < applying->adapters->count; i++)
        for (int m = 0; m < MODULES; m++) {
            const struct tensor_name name = {index, &modules[m], 'a'};
            const struct adapter *adapter = &applying->adapters->of[i];
            const struct gguf_tensor *a = side_of(applying, adapter, &name, 'a');
            if (!a || !has_module(applying->model, index, &modules[m])) continue;
            for (int32_t p = 0; p < modules[m].count; p++) {
                if (modules[m].parts[p].weight != place->weight) continue;
                if (sum->a)
                    TRY(copy_pair(applying, adapter, &name, p, sum));
                else
                    sum->rank += (int32_t)a->shape[1];
            }
        }
    return STATUS_OK;
}

static int32_t rounded_rank(int32_t rank) {
    return (rank + RANK_MULTIPLE - 1) / RANK_MULTIPLE * RANK_MULTIPLE;
}

// Of all adapters' pairs for a place of a layer.
static int32_t rank_at(const struct applying *applying, int32_t layer, const struct place *place) {
    struct sum sum = {0};
    MUST(fill_place(applying, layer, place, &sum) == STATUS_OK); // without memory it only counts
    return sum.rank;
}

// Each adapter, and then what they come to together.
static enum status check_all(const struct applying *applying, int32_t *rank) {
    int32_t most = 0;
    for (int32_t i = 0; i < applying->adapters->count; i++)
        TRY(check_adapter(applying, &applying->adapters->of[i]));
    for (int32_t layer = 0; layer < applying->model->config.layers; layer++)
        for (int m = 0; m < MODULES && applying->adapters->count > 0; m++) {
            if (modules[m].count > 1) continue; // its parts are other modules'
            const int32_t at = rank_at(applying, layer, &modules[m].parts[0]);
            most = at > most ? at : most;
        }
    if (most > ADAPTER_MAX_RANK)
        return error_set(applying->err, STATUS_UNSUPPORTED,
                         "the combined rank of the adapters is too large (%" PRId32 ", at most %d)",
                         most, ADAPTER_MAX_RANK);
    *rank = rounded_rank(most);
    return STATUS_OK;
}

static enum status apply_at(const struct applying *applying, int32_t index,
                            const struct place *place) {
    struct model *model = applying->model;
    struct layer *layer = &model->layers[index];
    struct low_rank *lora = lora_of(layer, place);
    const struct weight *weight = weight_of(layer, place);
    struct sum sum = {.rank = rounded_rank(rank_at(applying, index, place))};
    if (sum.rank == 0 || lora->a.rows > 0) return STATUS_OK; // or done, under another module's name
    sum.a = calloc((size_t)sum.rank * (size_t)weight->columns, sizeof *sum.a);
    sum.b = calloc((size_t)sum.rank * (size_t)weight->rows, sizeof *sum.b);
    struct low_rank pair = {{.rows = sum.rank, .columns = weight->columns},
                            {.rows = weight->rows, .columns = sum.rank}};
    enum status status =
        sum.a && sum.b ? fill_place(applying, index, place, &sum) : STATUS_NO_MEMORY;
    const bool filled = status == STATUS_OK;
    if (status == STATUS_OK) status = model_copy_floats(model, sum.a, &pair.a);
    if (status == STATUS_OK) status = model_copy_floats(model, sum.b, &pair.b);
    if (status != STATUS_OK && (filled || status == STATUS_NO_MEMORY))
        status = error_set(
            applying->err, status, "the adapters' part in layer %" PRId32 " %s", index,
            status == STATUS_UNSUPPORTED ? "has values too large for the GPU; use --backend cpu"
                                         : "does not fit in device memory");
    free(sum.a);
    free(sum.b);
    if (status == STATUS_OK) *lora = pair;
    return status;
}

enum status adapters_apply(struct model *model, const struct adapters *adapters,
                           struct error *err) {
    const struct applying applying = {model, NULL, adapters, err};
    TRY(check_all(&applying, &model->rank));
    for (int32_t layer = 0; layer < model->config.layers && adapters->count > 0; layer++)
        for (int m = 0; m < MODULES; m++)
            if (modules[m].count == 1) TRY(apply_at(&applying, layer, &modules[m].parts[0]));
    return STATUS_OK;
}

// The bytes of a module's merged pairs: each part has its rows of B, and a copy of A.
static size_t module_bytes(const struct applying *applying, const struct backend *backend,
                           const struct tensor_name *name) {
    struct weight a = {.type = backend->activation}, b = a;
    for (int32_t i = 0; i < applying->adapters->count; i++) {
        const struct gguf_tensor *of_a = side_of(applying, &applying->adapters->of[i], name, 'a');
        const struct gguf_tensor *of_b = side_of(applying, &applying->adapters->of[i], name, 'b');
        if (!of_a || of_a->shape[0] > INT32_MAX || of_b->shape[1] > INT32_MAX) continue;
        a.rows += (int32_t)of_a->shape[1];
        a.columns = (int32_t)of_a->shape[0];
        b.rows = (int32_t)of_b->shape[1];
    }
    if (a.rows == 0) return 0;
    a.rows = b.columns = rounded_rank(a.rows);
    return (size_t)name->module->count * device_weight_bytes(backend, &a) +
           device_weight_bytes(backend, &b);
}

enum status adapters_check(const struct adapters *adapters, const struct gguf *gguf,
                           const struct model_config *config, int32_t *rank, struct error *err) {
    struct model unloaded = {.config = *config};
    return check_all(&(struct applying){&unloaded, gguf, adapters, err}, rank);
}

size_t adapters_device_bytes(const struct adapters *adapters, const struct model_config *config,
                             const struct backend *backend) {
    struct model unloaded = {.config = *config};
    const struct applying applying = {&unloaded, NULL, adapters, NULL};
    size_t bytes = 0;
    for (int32_t layer = 0; layer < config->layers && adapters->count > 0; layer++)
        for (int m = 0; m < MODULES; m++)
            if (has_module(&unloaded, layer, &modules[m]))
                bytes += module_bytes(&applying, backend,
                                      &(struct tensor_name){layer, &modules[m], 'a'});
    return bytes;
}
