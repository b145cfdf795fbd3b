// kernels/resident_experts.c — slots in slabs of card memory, and the lists that point into them.
//
// Between two steps the card is idle, so lists and slots can change hands there:
//
//   step 7 ends      expert 5 of layer 2 was missed: slot 9 will get it, and the list has zeros
//   from
//                    now on for the expert that slot 9 held
//   step 8 runs      its copy begins, at the same time as the ops
//   steps 8 and 9    the processor still computes it
//   step 9 ends      the copy is done: the list points to slot 9
//
// Copies are started while the thread would only wait for the step, because starting hundreds takes
// long. At the end of the first step that has passed all layers, slots that are still empty are
// filled with experts that nobody has chosen, all at once and in the order of ops. That step has to
// wait for them, but copies in the background would only reach a third of the link's rate, and take
// fifty tokens.
//
// The lists of all layers are one buffer, changed in a pinned mirror and copied whole before the
// next step, which is a few microseconds.
#include "kernels/resident_experts.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/cost.h"

enum { UP, GATE, DOWN, MATRICES }; // of an expert
enum {
    ALIGNMENT = 512,   // of a matrix in a slot, as in a card's slabs of weights
    NOTHINGS_MAX = 16, // kinds of matrices of experts
    SLABS = 8,         // at least, so that a part can be given back
    MOVES_MAX = 64,    // experts that were missed and are on their way to the card
};
static const size_t SLAB_BYTES = (size_t)64 << 20;    // about
static const size_t COPIED_BYTES = (size_t)128 << 20; // between two steps

struct nothing { // a matrix of zeros on the card
    struct weight weight;
    void *memory;
    size_t bytes;
};

struct layer {
    struct expert_weights from[MATRICES]; // in host memory
    const void *nothing[MATRICES];
    size_t at[MATRICES]; // in a slot
    size_t bytes;        // of an expert in a file
    bool fits;
};

struct resident_experts {
    const struct backend *card; // borrowed
    struct device *on_card;     // borrowed
    size_t expert_bytes;        // of a slot
    struct expert_slots *slots;
    void **slabs; // [slab_count]: the first own_count are owned, the others lent
    int32_t slab_count, own_count, slab_slots, slabs_max;
    struct layer *layers; // [layers_max], owned
    int32_t layers_max, layer_count;
    int32_t experts;              // of a list
    const void **lists, **mirror; // [layers_max, MATRICES, experts]; on the card, and pinned
    bool changed;                 // the mirror, since it was copied
    void *zeros;                  // [expert_bytes] pinned: a matrix in a file, or less
    struct nothing nothings[NOTHINGS_MAX];
    struct expert_move *moves; // [MOVES_MAX + slots], owned: to copy, or being copied
    int32_t move_count, begun_count;
    bool filled;
};

static size_t list_at(const struct resident_experts *r, int32_t layer, int matrix) {
    ASSERT(layer >= 0 && layer < r->layers_max && matrix >= 0 && matrix < MATRICES);
    return ((size_t)layer * MATRICES + (size_t)matrix) * (size_t)r->experts;
}

static size_t lists_bytes(const struct resident_experts *r) {
    return (size_t)r->layers_max * MATRICES * (size_t)r->experts * sizeof r->lists[0];
}

static char *slot_memory(const struct resident_experts *r, int32_t slot) {
    const int32_t slab = slot / r->slab_slots, in_slab = slot % r->slab_slots;
    ASSERT(slab < r->slab_count);
    return (char *)r->slabs[slab] + (size_t)in_slab * r->expert_bytes;
}

static size_t slab_bytes(const struct resident_experts *r) {
    return (size_t)r->slab_slots * r->expert_bytes;
}

static void alloc_slabs(struct resident_experts *r, int32_t wanted) {
    while (r->slab_count < wanted &&
           r->card->alloc(r->on_card, slab_bytes(r), &r->slabs[r->slab_count]) == STATUS_OK)
        r->slab_count++;
    r->own_count = r->slab_count;
}

static enum status alloc_lists(struct resident_experts *r) {
    void *lists, *mirror;
    TRY(r->card->alloc(r->on_card, lists_bytes(r), &lists));
    r->lists = lists;
    TRY(r->card->alloc_host(r->on_card, lists_bytes(r), &mirror));
    r->mirror = mirror;
    TRY(r->card->alloc_host(r->on_card, r->expert_bytes, &r->zeros));
    memset(r->mirror, 0, lists_bytes(r));
    memset(r->zeros, 0, r->expert_bytes);
    return STATUS_OK;
}

static enum status fill(struct resident_experts *r, const struct resident_limits *limits) {
    const size_t in_slab = SLAB_BYTES / r->expert_bytes;
    const size_t lent = limits->lent_bytes / r->expert_bytes,
                 most = (size_t)r->layers_max * (size_t)r->experts;
    const int32_t wanted = limits->slots + (int32_t)(lent < most ? lent : most);
    const int32_t share = (wanted + SLABS - 1) / SLABS;
    r->slab_slots = in_slab < (size_t)share ? (int32_t)in_slab : share;
    if (r->slab_slots == 0) r->slab_slots = 1;
    const int32_t own = limits->slots / r->slab_slots;
    r->slabs_max = own + (wanted - limits->slots) / r->slab_slots;
    r->layers = calloc((size_t)r->layers_max, sizeof *r->layers);
    r->slabs = calloc((size_t)r->slabs_max, sizeof *r->slabs);
    const size_t slots = (size_t)r->slabs_max * (size_t)r->slab_slots;
    r->moves = calloc(MOVES_MAX + slots, sizeof *r->moves);
    if (!r->layers || !r->slabs || !r->moves) return STATUS_NO_MEMORY;
    TRY(alloc_lists(r));
    TRY(expert_slots_create(r->layers_max, r->experts, r->slabs_max * r->slab_slots, &r->slots));
    alloc_slabs(r, own);
    int32_t layer, expert;
    while (expert_slots_count(r->slots) > r->slab_count * r->slab_slots)
        (void)expert_slots_drop_last(r->slots, &layer, &expert);
    return STATUS_OK;
}

enum status resident_experts_create(const struct backend *card, struct device *on_card,
                                    const struct resident_limits *limits,
                                    struct resident_experts **result) {
    ASSERT(limits->layers > 0 && limits->expert_bytes > 0 && limits->slots >= 0);
    struct resident_experts *made = calloc(1, sizeof *made);
    if (!made) return STATUS_NO_MEMORY;
    made->card = card;
    made->on_card = on_card;
    made->expert_bytes = size_round_up(limits->expert_bytes, ALIGNMENT);
    made->layers_max = limits->layers;
    made->experts = limits->experts;
    const enum status status = fill(made, limits);
    if (status == STATUS_OK)
        *result = made;
    else
        resident_experts_destroy(made);
    return status;
}

void resident_experts_destroy(struct resident_experts *r) {
    if (!r) return;
    for (int32_t i = 0; i < r->own_count; i++)
        r->card->release(r->on_card, r->slabs[i], slab_bytes(r));
    for (int i = 0; i < NOTHINGS_MAX; i++)
        r->card->release(r->on_card, r->nothings[i].memory, r->nothings[i].bytes);
    r->card->release(r->on_card, r->lists, lists_bytes(r));
    r->card->release_host(r->on_card, r->mirror, lists_bytes(r));
    r->card->release_host(r->on_card, r->zeros, r->expert_bytes);
    expert_slots_destroy(r->slots);
    free(r->layers);
    free(r->slabs);
    free(r->moves);
    free(r);
}

// ---- layers

static struct weight matrix_of(const struct expert_weights *of, int32_t expert) {
    return (struct weight){
        .data = of->data[expert], .type = of->type, .rows = of->rows, .columns = of->columns};
}

// Zeros as the card keeps such a matrix; NULL: there is no memory.
static const void *nothing_like(struct resident_experts *r, struct weight weight) {
    for (int i = 0; i < NOTHINGS_MAX; i++) {
        struct nothing *nothing = &r->nothings[i];
        const struct weight *has = &nothing->weight;
        if (nothing->memory && has->type == weight.type && has->rows == weight.rows &&
            has->columns == weight.columns)
            return nothing->memory;
        if (nothing->memory) continue;
        const size_t bytes = device_weight_bytes(r->card, &weight);
        if (weight_bytes(&weight) > r->expert_bytes ||
            r->card->alloc(r->on_card, bytes, &nothing->memory) != STATUS_OK)
            return NULL;
        weight.data = r->zeros;
        nothing->weight = weight;
        nothing->bytes = bytes;
        r->card->copy_weights(r->on_card, &weight, nothing->memory);
        return nothing->memory;
    }
    return NULL;
}

// Those of NVFP4 with scales of their own are computed where they are.
static bool read_layer(struct resident_experts *r, const struct experts *args,
                       struct layer *layer) {
    size_t bytes = 0;
    layer->from[UP] = args->up;
    layer->from[GATE] = args->gate;
    layer->from[DOWN] = args->down;
    for (int m = 0; m < MATRICES; m++) {
        const struct weight weight = matrix_of(&layer->from[m], 0);
        const size_t each = device_weight_bytes(r->card, &weight);
        if (layer->from[m].scales || each == 0) return false;
        layer->at[m] = m == GATE && args->gate.data == args->up.data ? 0 : bytes;
        if (m == GATE && args->gate.data == args->up.data) continue; // up serves as gate
        bytes += size_round_up(each, ALIGNMENT);
        layer->bytes += weight_bytes(&weight);
    }
    if (bytes > r->expert_bytes) return false;
    for (int m = 0; m < MATRICES; m++) {
        layer->nothing[m] = nothing_like(r, matrix_of(&layer->from[m], 0));
        if (!layer->nothing[m]) return false;
    }
    return true;
}

static void copy_lists(struct resident_experts *r) {
    r->card->to_device(r->on_card, r->lists, r->mirror, lists_bytes(r));
    r->changed = false;
}

int32_t resident_experts_layer(struct resident_experts *r, const struct experts *args) {
    for (int32_t i = 0; i < r->layer_count; i++)
        if (r->layers[i].from[DOWN].data == args->down.data) return r->layers[i].fits ? i : -1;
    if (r->layer_count == r->layers_max || args->experts != r->experts) return -1;
    struct layer *layer = &r->layers[r->layer_count];
    layer->fits = read_layer(r, args, layer);
    for (int m = 0; m < MATRICES; m++)
        for (int32_t e = 0; e < args->experts; e++)
            r->mirror[list_at(r, r->layer_count, m) + (size_t)e] = layer->nothing[m];
    copy_lists(r);
    r->layer_count++;
    return layer->fits ? r->layer_count - 1 : -1;
}

void resident_experts_on_card(const struct resident_experts *r, int32_t layer,
                              struct experts *args) {
    struct expert_weights *const matrices[MATRICES] = {&args->up, &args->gate, &args->down};
    const bool gated = args->gate.data != args->up.data;
    for (int m = 0; m < MATRICES; m++) {
        const int list = m == GATE && !gated ? UP : m;
        matrices[m]->data = (const void *const *)r->lists + list_at(r, layer, list);
        matrices[m]->in_host = false; // the biases are pinned, and read from there
    }
}

bool resident_experts_look(struct resident_experts *r, int32_t layer, int32_t expert) {
    return expert_slots_look(r->slots, layer, expert);
}

// ---- between two steps

static void point_to_nothing(struct resident_experts *r, int32_t layer, int32_t expert) {
    for (int m = 0; m < MATRICES; m++)
        r->mirror[list_at(r, layer, m) + (size_t)expert] = r->layers[layer].nothing[m];
    r->changed = true;
}

static void point_to_copy(struct resident_experts *r, const struct expert_move *move) {
    const char *memory = slot_memory(r, move->slot);
    for (int m = 0; m < MATRICES; m++)
        r->mirror[list_at(r, move->layer, m) + (size_t)move->expert] =
            memory + r->layers[move->layer].at[m];
    r->changed = true;
}

// Beside the ops, if the card can, or as one of them. False: the card has no memory for it now.
static bool begin_copy(struct resident_experts *r, const struct expert_move *move,
                       bool in_background) {
    const struct layer *layer = &r->layers[move->layer];
    char *memory = slot_memory(r, move->slot);
    for (int m = 0; m < MATRICES; m++) {
        const struct weight weight = matrix_of(&layer->from[m], move->expert);
        if (m == GATE && layer->from[UP].data == layer->from[GATE].data) continue;
        if (!in_background || !r->card->copy_in_background)
            r->card->copy_weights(r->on_card, &weight, memory + layer->at[m]);
        else if (!r->card->copy_in_background(r->on_card, &weight, memory + layer->at[m]))
            return false;
    }
    return true;
}

static void arrive(struct resident_experts *r) {
    for (int32_t i = 0; i < r->move_count; i++) {
        const struct expert_move *move = &r->moves[i];
        if (expert_slots_arrive(r->slots, move)) point_to_copy(r, move);
    }
    r->move_count = r->begun_count = 0;
}

static bool all_fit(const struct resident_experts *r) {
    for (int32_t i = 0; i < r->layer_count; i++)
        if (!r->layers[i].fits) return false;
    return true;
}

// Behind those that wait already, if filling the slots has failed.
static void plan_moves(struct resident_experts *r) {
    size_t bytes = 0;
    struct expert_move *move = &r->moves[r->move_count];
    while (bytes < COPIED_BYTES && r->move_count < MOVES_MAX && expert_slots_take(r->slots, move)) {
        if (move->evicted_layer >= 0)
            point_to_nothing(r, move->evicted_layer, move->evicted_expert);
        bytes += r->layers[move->layer].bytes;
        move = &r->moves[++r->move_count];
    }
}

// All at once, and in the order of ops. If that fails they are copied like others.
static void fill_slots(struct resident_experts *r) {
    r->filled = true;
    while (all_fit(r) && expert_slots_fill(r->slots, &r->moves[r->move_count]))
        (void)begin_copy(r, &r->moves[r->move_count++], false);
    if (r->card->sync(r->on_card) == STATUS_OK) arrive(r);
}

void resident_experts_copy(struct resident_experts *r) {
    while (r->begun_count < r->move_count && begin_copy(r, &r->moves[r->begun_count], true))
        r->begun_count++;
}

void resident_experts_copy_again(struct resident_experts *r) {
    r->begun_count = 0;
    for (int i = 0; i < NOTHINGS_MAX && r->nothings[i].memory; i++)
        r->card->copy_weights(r->on_card, &r->nothings[i].weight, r->nothings[i].memory);
    copy_lists(r);
}

void resident_experts_move(struct resident_experts *r) {
    const bool begun = r->begun_count == r->move_count;
    const bool done =
        !r->card->background_copies_done || r->card->background_copies_done(r->on_card);
    if (begun && done) {
        arrive(r);
        if (!r->filled && r->layer_count == r->layers_max) fill_slots(r);
        plan_moves(r);
    }
    expert_slots_end_step(r->slots);
    if (r->changed) copy_lists(r);
}

size_t resident_experts_slab_bytes(const struct resident_experts *r) {
    return r->slabs_max > r->own_count ? slab_bytes(r) + ALIGNMENT : 0;
}

bool resident_experts_wants_slab(const struct resident_experts *r) {
    return r->slab_count < r->slabs_max;
}

bool resident_experts_lend(struct resident_experts *r, void *memory) {
    if (!resident_experts_wants_slab(r)) return false;
    r->slabs[r->slab_count++] = (void *)size_round_up((uintptr_t)memory, ALIGNMENT);
    for (int32_t i = 0; i < r->slab_slots; i++)
        expert_slots_add_last(r->slots);
    return true;
}

// Nothing may write to the memory any more once it is the caller's.
static void wait_for_copies(struct resident_experts *r) {
    while (r->card->background_copies_done && !r->card->background_copies_done(r->on_card))
        (void)sched_yield();
}

// Into slots that are no more.
static void drop_moves(struct resident_experts *r) {
    int32_t kept = 0, begun = 0;
    for (int32_t i = 0; i < r->move_count; i++) {
        if (r->moves[i].slot >= expert_slots_count(r->slots)) continue;
        begun += i < r->begun_count;
        r->moves[kept++] = r->moves[i];
    }
    r->move_count = kept;
    r->begun_count = begun;
}

void resident_experts_take_back(struct resident_experts *r) {
    int32_t layer, expert;
    ASSERT(r->slab_count > r->own_count);
    wait_for_copies(r);
    for (int32_t i = 0; i < r->slab_slots; i++)
        if (expert_slots_drop_last(r->slots, &layer, &expert) && layer >= 0)
            point_to_nothing(r, layer, expert);
    drop_moves(r);
    r->slab_count--;
    if (r->changed) copy_lists(r);
}

int32_t resident_experts_slots(const struct resident_experts *r) {
    return expert_slots_count(r->slots);
}

struct expert_slots_counts resident_experts_counts(const struct resident_experts *r) {
    return expert_slots_counts(r->slots);
}

struct expert_slots_lately resident_experts_lately(const struct resident_experts *r) {
    return expert_slots_lately(r->slots);
}
