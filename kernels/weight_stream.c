// kernels/weight_stream.c — each op allocates from the beginning of the slot, and frees nothing.
//
// Most kernels wait for the kernel before them, and so for the copies that it made. Kernels that
// read weights early do not. So between the kernels that arrange weights and such a reader there is
// a copy, which waits for everything before it (wait_for_matrices()). For the same reason the lists
// of experts cross after their matrices.
#include "kernels/weight_stream.h"

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/cost.h"

enum {
    SLOT_ALIGNMENT = 512, // as a card's slabs of weights
    MARK_BYTES = 4,
    ROWS_TOGETHER = 64, // the card arranges this many rows at a time
    READ_AT_ONCE = 16,  // bytes, by a card that gathers experts
};

struct slot_list { // of a stack of matrices in the slot, in host memory
    struct slot_list *next;
    char *base;          // the first one
    size_t stride_bytes; // bytes from one to the next
    const void *matrices[EXPERTS_MAX];
};

enum status weight_stream_reserve(struct weight_stream *stream) {
    const size_t bytes = stream->slot_bytes;
    void *slot;
    if (bytes == 0) return STATUS_OK;
    TRY(stream->card->alloc_host(stream->on_card, MARK_BYTES, &stream->mark));
    TRY(stream->card->alloc(stream->on_card, bytes + SLOT_ALIGNMENT, &slot)); // behind it, the mark
    stream->slot = slot;
    return STATUS_OK;
}

void weight_stream_release(struct weight_stream *stream) {
    const struct backend *card = stream->card;
    card->release(stream->on_card, stream->slot, stream->slot_bytes + SLOT_ALIGNMENT);
    card->release_host(stream->on_card, stream->mark, MARK_BYTES);
    stream->slot = stream->mark = NULL;
    while (stream->lists) { // they point into the slot
        struct slot_list *first = stream->lists;
        stream->lists = first->next;
        card->release_host(stream->on_card, first, sizeof *first);
    }
}

enum status weight_stream_warm_up(struct weight_stream *stream, const struct weight *largest) {
    const struct backend *card = stream->card;
    const size_t bytes = stream->slot_bytes;
    struct weight part = *largest;
    if (!stream->slot || !part.data) return STATUS_OK;
    while (part.rows > 1 && device_weight_bytes(card, &part) > bytes / 2)
        part.rows /= 2;
    if (device_weight_bytes(card, &part) > bytes) return STATUS_OK; // it will not cross
    for (int i = 0; i < CROSSING_PARTS; i++)
        card->copy_weights(stream->on_card, &part, stream->slot);
    return card->sync(stream->on_card) == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY;
}

// ---- the slot

static bool begin(struct weight_stream *stream, int32_t tokens, int32_t least) {
    stream->used = 0;
    return stream->slot && tokens >= least;
}

static void *alloc(struct weight_stream *stream, size_t bytes) { // NULL: there is no room
    const size_t left = stream->slot_bytes - stream->used;
    const size_t taken = size_round_up(bytes, SLOT_ALIGNMENT);
    if (taken > left) return NULL;
    stream->used += taken;
    return stream->slot + stream->used - taken;
}

static void copy(struct weight_stream *stream, void *to, const void *from, size_t bytes) {
    stream->card->to_device(stream->on_card, to, from, bytes);
}

static void wait_for_matrices(struct weight_stream *stream) {
    copy(stream, stream->slot + stream->slot_bytes, stream->mark, MARK_BYTES);
}

// From memory that nobody changes. NULL stays NULL.
static bool cross_bytes(struct weight_stream *stream, const void **bytes, size_t count) {
    if (!*bytes) return true;
    void *to = alloc(stream, count);
    if (to) copy(stream, to, *bytes, count);
    *bytes = to;
    return to != NULL;
}

static bool cross_matrix(struct weight_stream *stream, struct weight *weight) {
    void *to = alloc(stream, device_weight_bytes(stream->card, weight));
    if (to) stream->card->copy_weights(stream->on_card, weight, to);
    weight->data = to;
    weight->in_host = false;
    return to != NULL;
}

// ---- dense matrices, for many tokens

bool weight_stream_linear(struct weight_stream *stream, const struct linear *args) {
    struct linear on_card = *args;
    if (!begin(stream, args->in.tokens, stream->dense_tokens)) return false;
    for (int32_t i = 0; i < args->count; i++) {
        struct projection *part = &on_card.parts[i];
        const void *bias = part->bias;
        if (!cross_matrix(stream, &part->weight) ||
            !cross_bytes(stream, &bias, (size_t)part->weight.rows * sizeof part->bias[0]))
            return false;
        part->bias = bias;
    }
    wait_for_matrices(stream);
    stream->card->linear(stream->on_card, &on_card);
    return true;
}

bool weight_stream_gated_linear(struct weight_stream *stream, const struct gated_linear *args) {
    struct gated_linear on_card = *args;
    if (!begin(stream, args->in.tokens, stream->dense_tokens) ||
        !cross_matrix(stream, &on_card.gate) || !cross_matrix(stream, &on_card.up))
        return false;
    wait_for_matrices(stream);
    stream->card->gated_linear(stream->on_card, &on_card);
    return true;
}

// ---- a mixture's experts, for many tokens

// The addresses of matrices in the slot. A list is never changed, so a copy may still read it.
// NULL: there is no memory, and the step fails.
static const struct slot_list *list_of(struct weight_stream *stream, char *base,
                                       size_t stride_bytes) {
    void *memory;
    for (struct slot_list *list = stream->lists; list; list = list->next)
        if (list->base == base && list->stride_bytes == stride_bytes) return list;
    if (stream->card->alloc_host(stream->on_card, sizeof(struct slot_list), &memory) != STATUS_OK) {
        *stream->failure = STATUS_NO_MEMORY;
        return NULL;
    }
    struct slot_list *list = memory;
    *list = (struct slot_list){.next = stream->lists, .base = base, .stride_bytes = stride_bytes};
    for (size_t e = 0; e < EXPERTS_MAX; e++)
        list->matrices[e] = base + e * stride_bytes;
    stream->lists = list;
    return list;
}

// One matrix of every expert, some experts at a time.
struct stack {
    struct expert_weights from; // in host memory, but for biases and scales
    const float *scales;        // those in host memory: a card keeps them with the matrices
    struct weight one;          // of an expert
    size_t each;                // its bytes on the card
    char *base;                 // in the slot
    const void **list;          // in the slot, [experts]
};

static size_t stride_of(const struct stack *stack) {
    return size_round_up(stack->each, SLOT_ALIGNMENT);
}

// In the slot, for the whole of the op: the list, and what every expert has.
static bool begin_stack(struct weight_stream *stream, struct stack *stack, int32_t experts) {
    struct expert_weights *from = &stack->from;
    const void *bias = from->bias, *scales = from->scales;
    stack->list = alloc(stream, (size_t)experts * sizeof stack->list[0]);
    if (!stack->list) return false;
    stack->one = (struct weight){.type = from->type, .rows = from->rows, .columns = from->columns};
    stack->each = device_weight_bytes(stream->card, &stack->one);
    const size_t rows = (size_t)experts * (size_t)from->rows;
    if (!cross_bytes(stream, &bias, rows * sizeof from->bias[0]) ||
        !cross_bytes(stream, &scales, (size_t)experts * sizeof from->scales[0]))
        return false;
    stack->scales = from->scales;
    from->bias = bias;
    from->scales = scales;
    return true;
}

static bool lie_in_a_row(const struct stack *stack, const struct expert_range *range) {
    const void *const *data = stack->from.data + range->first;
    const size_t stride_bytes = weight_bytes(&stack->one);
    for (int32_t e = 1; e < range->count; e++)
        if ((const char *)data[e] != (const char *)data[0] + (size_t)e * stride_bytes) return false;
    return true;
}

// The matrices of these experts, side by side where the card keeps a stack of them as it keeps one
// by one.
static const struct slot_list *cross_experts(struct weight_stream *stream,
                                             const struct stack *stack,
                                             const struct expert_range *range) {
    struct weight all = stack->one;
    all.rows *= range->count;
    const size_t bytes = device_weight_bytes(stream->card, &all);
    const bool together =
        !stack->scales && bytes == stack->each * (size_t)range->count && lie_in_a_row(stack, range);
    const size_t stride_bytes = together ? stack->each : stride_of(stack);
    const struct slot_list *list = list_of(stream, stack->base, stride_bytes);
    for (int32_t e = 0; list && e < (together ? 1 : range->count); e++) {
        struct weight from = together ? all : stack->one;
        from.data = stack->from.data[range->first + e];
        from.scale = stack->scales ? stack->scales[range->first + e] : 0;
        stream->card->copy_weights(stream->on_card, &from, stack->base + (size_t)e * stride_bytes);
    }
    return list;
}

// As many experts as the slot holds at a time, and their part of every token's sum.
bool weight_stream_experts(struct weight_stream *stream, const struct experts *args) {
    enum { UP, DOWN, GATE, STACKS };
    const int stacks = args->gate.data != args->up.data ? STACKS : GATE; // else up serves as gate
    struct stack of[STACKS] = {{.from = args->up}, {.from = args->down}, {.from = args->gate}};
    struct experts on_card = *args;
    struct expert_weights *const to[STACKS] = {&on_card.up, &on_card.down, &on_card.gate};
    size_t bytes = 0; // of an expert
    if (!begin(stream, args->tokens, stream->expert_tokens)) return false;
    for (int i = 0; i < stacks; i++) {
        if (!begin_stack(stream, &of[i], args->experts)) return false;
        bytes += stride_of(&of[i]);
    }
    const size_t fitting = (stream->slot_bytes - stream->used) / bytes;
    if (fitting == 0) return false;
    const int32_t most = fitting < (size_t)args->experts ? (int32_t)fitting : args->experts;
    const int32_t chunks = (args->experts + most - 1) / most;
    const int32_t each = (args->experts + chunks - 1) / chunks;
    for (int i = 0; i < stacks; i++) {
        of[i].base = alloc(stream, (size_t)each * stride_of(&of[i]));
        *to[i] = of[i].from;
        to[i]->data = of[i].list;
        to[i]->in_host = false;
    }
    if (stacks == GATE) on_card.gate = on_card.up;
    for (int32_t first = 0; first < args->experts; first += each) {
        const int32_t left = args->experts - first;
        const struct expert_range range = {first, left < each ? left : each};
        const struct slot_list *lists[STACKS];
        for (int i = 0; i < stacks; i++)
            if (!(lists[i] = cross_experts(stream, &of[i], &range))) return true; // it has failed
        for (int i = 0; i < stacks; i++)
            copy(stream, of[i].list + first, lists[i]->matrices,
                 (size_t)range.count * sizeof lists[i]->matrices[0]);
        if (chunks > 1) on_card.only = range;
        stream->card->experts(stream->on_card, &on_card);
        on_card.add = true;
    }
    return true;
}

// ---- rows of dense matrices, for a lone token

// How many of each matrix's rows cross. False: none, where there is no room for all.
static bool split_rows(const struct weight_stream *stream, const struct weight *const of[],
                       int32_t count, int32_t rows[LINEAR_PARTS]) {
    size_t bytes = 0;
    ASSERT(count <= LINEAR_PARTS);
    for (int32_t i = 0; i < count; i++) {
        struct weight first = *of[i];
        rows[i] = (int32_t)(stream->crossing_share * first.rows) / ROWS_TOGETHER;
        first.rows = rows[i] *= ROWS_TOGETHER;
        if (first.rows == 0 || first.scale != 0) return false;
        bytes += size_round_up(weight_bytes(&first), SLOT_ALIGNMENT) +
                 size_round_up(device_weight_bytes(stream->card, &first), SLOT_ALIGNMENT);
    }
    return stream->slot && bytes <= stream->slot_bytes;
}

// The first rows of a matrix, in the slot.
static struct weight cross_rows(struct weight_stream *stream, const struct weight *weight,
                                int32_t rows) {
    struct weight first = *weight;
    first.rows = rows;
    first.in_host = false;
    void *bytes = alloc(stream, weight_bytes(&first));
    void *to = alloc(stream, device_weight_bytes(stream->card, &first));
    ASSERT(bytes && to);
    copy(stream, bytes, weight->data, weight_bytes(&first));
    first.data = bytes;
    stream->card->arrange_weights(stream->on_card, &first, to);
    first.data = to;
    return first;
}

static struct weight rows_from(const struct weight *weight, int32_t row) { // the other ones
    struct weight rest = *weight;
    rest.data =
        (const char *)weight->data + (size_t)row * dtype_row_bytes(weight->type, weight->columns);
    rest.rows -= row;
    return rest;
}

static void *outputs_from(const struct backend *card, void *y, int32_t rows,
                          enum linear_store store) {
    const enum dtype type = store == LINEAR_ACTIVATION ? card->activation : card->residual;
    return (char *)y + (size_t)rows * dtype_row_bytes(type, 1);
}

bool weight_stream_split_linear(const struct weight_stream *stream, struct linear *rest,
                                int32_t rows[LINEAR_PARTS]) {
    const struct weight *of[LINEAR_PARTS];
    for (int32_t i = 0; i < rest->count; i++)
        of[i] = &rest->parts[i].weight;
    if (!split_rows(stream, of, rest->count, rows)) return false;
    for (int32_t i = 0; i < rest->count; i++) {
        struct projection *part = &rest->parts[i];
        part->weight = rows_from(&part->weight, rows[i]);
        part->y = outputs_from(stream->card, part->y, rows[i], rest->store);
        if (part->bias) part->bias += rows[i];
    }
    return true;
}

void weight_stream_first_linear(struct weight_stream *stream, const struct linear *args,
                                const void *x, const int32_t rows[LINEAR_PARTS]) {
    struct linear first = *args;
    stream->used = 0;
    first.in = (struct linear_input){.x = x, .tokens = args->in.tokens};
    for (int32_t i = 0; i < args->count; i++)
        first.parts[i].weight = cross_rows(stream, &args->parts[i].weight, rows[i]);
    wait_for_matrices(stream);
    stream->card->linear(stream->on_card, &first);
}

bool weight_stream_split_gated(const struct weight_stream *stream, struct gated_linear *rest,
                               int32_t rows[LINEAR_PARTS]) {
    const struct weight *const both[] = {&rest->gate, &rest->up};
    if (!split_rows(stream, both, 2, rows)) return false;
    rest->gate = rows_from(&rest->gate, rows[0]);
    rest->up = rows_from(&rest->up, rows[1]);
    rest->y = outputs_from(stream->card, rest->y, rows[0], LINEAR_ACTIVATION);
    return true;
}

void weight_stream_first_gated(struct weight_stream *stream, const struct gated_linear *args,
                               const void *x, const int32_t rows[LINEAR_PARTS]) {
    struct gated_linear first = *args;
    stream->used = 0;
    first.in = (struct linear_input){.x = x, .tokens = args->in.tokens};
    first.gate = cross_rows(stream, &args->gate, rows[0]);
    first.up = cross_rows(stream, &args->up, rows[1]);
    wait_for_matrices(stream);
    stream->card->gated_linear(stream->on_card, &first);
}

// ---- experts, for a lone token

static int stacks_of(const struct experts *args, const struct expert_weights *of[GATHERED_STACKS]) {
    of[0] = &args->up;
    of[1] = &args->down;
    of[2] = &args->gate;
    return args->gate.data != args->up.data ? 3 : 2; // else up serves as gate
}

static struct weight stacked(const struct expert_weights *of, int32_t count) {
    return (struct weight){.type = of->type, .rows = of->rows * count, .columns = of->columns};
}

// Where all of it lies in the slot. False: there is no room, or the card keeps a stack otherwise
// than one by one, or cannot read it by 16 bytes.
static bool lay_out(struct weight_stream *stream, const struct experts *args,
                    struct gather_experts *gather) {
    const struct expert_weights *of[GATHERED_STACKS];
    const size_t count = (size_t)gather->count;
    stream->used = 0;
    gather->ids = alloc(stream, count * sizeof gather->ids[0]);
    gather->stack_count = stacks_of(args, of);
    for (int i = 0; i < gather->stack_count; i++) {
        struct gathered *stack = &gather->stacks[i];
        const struct weight one = stacked(of[i], 1), all = stacked(of[i], gather->count);
        const size_t bytes = device_weight_bytes(stream->card, &all);
        bool aligned = weight_bytes(&one) % READ_AT_ONCE == 0 && !of[i]->scales;
        for (int32_t e = 0; e < args->experts; e++)
            aligned = aligned && (uintptr_t)of[i]->data[e] % READ_AT_ONCE == 0;
        stack->from = *of[i];
        stack->stride_bytes = device_weight_bytes(stream->card, &one);
        if (!aligned || bytes != count * stack->stride_bytes) return false;
        stack->rows = alloc(stream, weight_bytes(&all));
        stack->to = alloc(stream, bytes);
        stack->list = alloc(stream, count * sizeof stack->list[0]);
        stack->bias = of[i]->bias ? alloc(stream, (size_t)all.rows * sizeof(float)) : NULL;
        if (!stack->rows || !stack->to || !stack->list || (of[i]->bias && !stack->bias))
            return false;
    }
    return gather->ids != NULL;
}

bool weight_stream_plan_experts(struct weight_stream *stream, const struct experts *args,
                                struct gather_experts *gather) {
    const int32_t most = stream->gathered_experts;
    *gather = (struct gather_experts){.chosen = args->chosen,
                                      .count = most < args->used ? most : args->used - 1};
    return stream->slot && gather->count > 0 && lay_out(stream, args, gather);
}

void weight_stream_first_experts(struct weight_stream *stream, const struct experts *args,
                                 const struct gather_experts *gather) {
    struct experts on_card = *args;
    struct expert_weights of[GATHERED_STACKS] = {0};
    ASSERT(gather->stack_count > 0 && gather->stack_count <= GATHERED_STACKS);
    stream->card->gather_experts(stream->on_card, gather);
    for (int i = 0; i < gather->stack_count; i++) {
        const struct gathered *stack = &gather->stacks[i];
        struct weight rows = stacked(&stack->from, gather->count);
        rows.data = stack->rows;
        stream->card->arrange_weights(stream->on_card, &rows, stack->to);
        of[i] = stack->from;
        of[i].data = stack->list;
        of[i].bias = stack->bias;
        of[i].in_host = false;
    }
    on_card.up = of[0];
    on_card.down = of[1];
    on_card.gate = gather->stack_count < GATHERED_STACKS ? of[0] : of[2];
    on_card.chosen = gather->ids;
    on_card.experts = on_card.used = gather->count;
    wait_for_matrices(stream);
    stream->card->experts(stream->on_card, &on_card);
}
