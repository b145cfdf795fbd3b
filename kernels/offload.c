// kernels/offload.c — a card, and a processor that computes what lies in host memory.
//
// A job is one op on the host: what run_job() is called with. It has to live until the step
// is done, and in a recorded step as long as the recording; so jobs of recorded steps are kept and
// found again by what they compute (all their other fields follow from that), and those of other
// steps go back at the next sync().
#include "kernels/offload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/base/size.h"
#include "kernels/cost.h"
#include "kernels/ghost_slots.h"
#include "kernels/host.h"
#include "kernels/offload_worker.h"
#include "kernels/resident_experts.h"

enum {
    RESULTS = 2,               // matrices of one op at most: gate and up
    SLOT_ALIGNMENT = 512,      // as a card's slabs of weights
    GRANTED_BYTES = 256 << 20, // that are pinned between two looks at what is free
    SPIN_US = 500,             // more than a card takes from one part on the host to the next
};

enum job_kind { JOB_LINEAR, JOB_GATED, JOB_EXPERTS };

struct job {
    struct job *next;
    struct device *device;
    enum job_kind kind;
    int32_t tokens;
    bool narrow;      // results become activations
    int32_t layer;    // of experts, in `resident`; -1: none has a copy on the card
    int32_t noted;    // the same in `ghosts`; -1: in none
    int32_t gathered; // of a lone token's, that the card computes
    union {           // of the processor, with rows in host memory
        struct linear linear;
        struct gated_linear gated;
        struct experts experts;
    };
};

struct buffer {
    void *memory;
    size_t bytes;
};

struct pinned_weights { // a copy of a matrix
    struct pinned_weights *next;
    void *memory;
    size_t bytes;
};

struct list { // of a stack of matrices in the slot, in host memory
    struct list *next;
    char *base;   // the first one
    size_t apart; // bytes from one to the next
    const void *matrices[EXPERTS_MAX];
};

struct device {
    struct backend ops; // the table that this device is called through
    const struct backend *card, *host;
    struct device *on_card, *on_host;
    enum status failure; // first since the last sync
    int32_t chunk, features;

    struct buffer rows;             // [chunk, features] activation, pinned
    struct buffer wide;             // the same in fp32
    struct buffer results[RESULTS]; // [chunk, features] fp32 or activation, pinned
    struct buffer chosen, shares;   // [chunk, experts_used] pinned
    struct buffer sums;             // on the card: [chunk, features] residual, what is to be added,
                                    // where there is no mail; else only what is waited for

    struct pinned_weights *weights;
    bool reads_in_place;   // the card, all weights in host memory
    size_t granted_bytes;  // that may still be pinned before free memory is read again
    size_t unpinned_bytes; // of weights for which there was no pinned memory
    size_t unlocked_bytes; // of these, that the system may drop
    struct buffer slot;    // on the card, what weights cross into
    size_t slot_used;      // of this op
    struct weight largest; // pinned matrix
    struct list *lists;    // pinned, made when first needed: few, as layers are alike

    struct offload_memory memory;
    struct resident_experts *resident; // or NULL
    struct ghost_slots *ghosts;        // then of a mixture, or NULL

    struct host_mail *mail; // pinned; NULL: rows are copied, and the device calls the host
    struct offload_worker *worker;

    bool recorded;                     // the step that is enqueued may be recorded
    bool lost;                         // a recorded step may lack a part: none is replayed
    struct job *kept, *running, *idle; // of recorded steps, of this one, of none
};

#define FORWARD(op)                                                          \
    static void forward_##op(struct device *device, const struct op *args) { \
        device->card->op(device->on_card, args);                             \
    }
FORWARD(embedding)
FORWARD(rmsnorm)
FORWARD(narrow)
FORWARD(add_rows)
FORWARD(rope_and_cache)
FORWARD(paged_attention)
FORWARD(attention)
FORWARD(short_conv)
FORWARD(recurrence)
FORWARD(copy_parts)
FORWARD(scale_rows)
FORWARD(act_and_mul)
FORWARD(route)
FORWARD(logits)
FORWARD(candidates)
FORWARD(copy_blocks)
FORWARD(swap_blocks)

static void forward_info(struct device *device, struct device_info *info) {
    device->card->info(device->on_card, info);
}

static enum status forward_attention_check(struct device *device,
                                           const struct paged_attention *args, int32_t max_context,
                                           struct error *err) {
    return device->card->attention_check(device->on_card, args, max_context, err);
}

static enum status forward_alloc(struct device *device, size_t bytes, void **memory) {
    return device->card->alloc(device->on_card, bytes, memory);
}

static void forward_release(struct device *device, void *memory, size_t bytes) {
    device->card->release(device->on_card, memory, bytes);
}

static enum status forward_alloc_host(struct device *device, size_t bytes, void **memory) {
    return device->card->alloc_host(device->on_card, bytes, memory);
}

static void forward_release_host(struct device *device, void *memory, size_t bytes) {
    device->card->release_host(device->on_card, memory, bytes);
}

static void forward_to_device(struct device *device, void *memory, const void *host, size_t bytes) {
    device->card->to_device(device->on_card, memory, host, bytes);
}

static void forward_to_host(struct device *device, void *host, const void *memory, size_t bytes) {
    device->card->to_host(device->on_card, host, memory, bytes);
}

static void forward_call_host(struct device *device, void (*function)(void *user), void *user) {
    device->card->call_host(device->on_card, function, user);
}

static struct swap_time forward_swap_time(struct device *device) {
    return device->card->swap_time(device->on_card);
}

static void forward_read(struct device *device, const void *memory, size_t bytes, int pattern) {
    device->card->read(device->on_card, memory, bytes, pattern);
}

static size_t card_bytes(const struct device *device, const struct weight *weight) {
    return device->card->weight_bytes ? device->card->weight_bytes(weight) : weight_bytes(weight);
}

// A system without memory for what is to be pinned refuses nothing: it ends a process.
static bool may_pin(struct device *device, size_t bytes) {
    if (bytes > device->granted_bytes) {
        const size_t wanted = bytes + GRANTED_BYTES, spare = host_spare_memory();
        device->granted_bytes = wanted < spare ? wanted : spare;
    }
    if (bytes > device->granted_bytes) return false;
    device->granted_bytes -= bytes;
    return true;
}

static enum status offload_weights(struct device *device, const struct weight *in_file,
                                   const void **data) {
    if (!in_file->in_host) return device->card->weights(device->on_card, in_file, data);
    if (card_bytes(device, in_file) == 0) return STATUS_UNSUPPORTED; // what crosses is the card's
    const size_t bytes = weight_bytes(in_file);
    struct pinned_weights *copy = calloc(1, sizeof *copy);
    if (!copy || !may_pin(device, bytes) ||
        forward_alloc_host(device, bytes, &copy->memory) != STATUS_OK) {
        free(copy);
        device->reads_in_place = false;
        device->unpinned_bytes += bytes;
        if (!host_lock(in_file->data, bytes)) device->unlocked_bytes += bytes;
        return device->host->weights(device->on_host, in_file, data);
    }
    copy->bytes = bytes;
    copy->next = device->weights;
    device->weights = copy;
    *data = memcpy(copy->memory, in_file->data, bytes);
    if (!device->largest.data || bytes > weight_bytes(&device->largest)) {
        device->largest = *in_file;
        device->largest.data = *data;
    }
    return STATUS_OK;
}

static void free_weights(struct device *device) {
    while (device->weights) {
        struct pinned_weights *first = device->weights;
        device->weights = first->next;
        forward_release_host(device, first->memory, first->bytes);
        free(first);
    }
}

static void free_jobs(struct job **jobs) {
    while (*jobs) {
        struct job *first = *jobs;
        *jobs = first->next;
        free(first);
    }
}

// What was enqueued is done, and jobs are free for others.
static enum status end_step(struct device *device) {
    const enum status failure = device->failure, status = device->card->sync(device->on_card);
    device->failure = STATUS_OK;
    if (device->worker) offload_worker_rest(device->worker);
    while (device->running) {
        struct job *job = device->running;
        device->running = job->next;
        job->next = device->idle;
        device->idle = job;
    }
    return status != STATUS_OK ? status : failure;
}

static enum status offload_sync(struct device *device) {
    if (device->resident) resident_experts_copy(device->resident);
    const enum status status = end_step(device);
    if (device->resident && status == STATUS_OK) resident_experts_move(device->resident);
    if (device->resident && status != STATUS_OK) resident_experts_copy_again(device->resident);
    if (device->ghosts) ghost_slots_end_step(device->ghosts);
    return status;
}

static bool offload_replay(struct device *device, uint64_t key) {
    if (device->worker) offload_worker_wake(device->worker);
    if (device->lost) return false;
    device->recorded = !device->card->replay(device->on_card, key);
    return !device->recorded;
}

static bool offload_recorded(struct device *device) {
    device->recorded = false;
    return device->card->recorded(device->on_card);
}

// ---- memory

static void release_buffers(struct device *device) {
    struct buffer *const pinned[] = {&device->rows, &device->results[0], &device->results[1],
                                     &device->chosen, &device->shares};
    for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++) {
        forward_release_host(device, pinned[i]->memory, pinned[i]->bytes);
        *pinned[i] = (struct buffer){0};
    }
    device->host->release(device->on_host, device->wide.memory, device->wide.bytes);
    forward_release(device, device->sums.memory, device->sums.bytes);
    forward_release(device, device->slot.memory, device->slot.bytes);
    device->wide = device->sums = device->slot = (struct buffer){0};
    while (device->lists) { // they point into the slot
        struct list *first = device->lists;
        device->lists = first->next;
        forward_release_host(device, first, sizeof *first);
    }
}

static enum status alloc_pinned(struct device *device, struct buffer *buffer, size_t elements,
                                size_t element_bytes) {
    TRY(forward_alloc_host(device, elements * element_bytes, &buffer->memory));
    buffer->bytes = elements * element_bytes;
    return STATUS_OK;
}

static enum status alloc_buffers(struct device *device, int32_t used) {
    const size_t rows = (size_t)device->chunk, elements = rows * (size_t)device->features;
    const size_t activation = (size_t)dtype_block_bytes(device->card->activation);
    const size_t wide_bytes = elements * sizeof(float);
    TRY(alloc_pinned(device, &device->rows, elements, activation));
    for (int i = 0; i < RESULTS; i++)
        TRY(alloc_pinned(device, &device->results[i], elements, sizeof(float)));
    TRY(alloc_pinned(device, &device->chosen, rows * (size_t)used, sizeof(int32_t)));
    TRY(alloc_pinned(device, &device->shares, rows * (size_t)used, sizeof(float)));
    TRY(device->host->alloc(device->on_host, wide_bytes, &device->wide.memory));
    device->wide.bytes = wide_bytes;
    const size_t sums_bytes = device->card->ask_host ? SLOT_ALIGNMENT : wide_bytes;
    TRY(forward_alloc(device, sums_bytes, &device->sums.memory));
    device->sums.bytes = sums_bytes;
    const size_t slot_bytes = device->memory.slot_bytes;
    if (slot_bytes == 0) return STATUS_OK;
    TRY(forward_alloc(device, slot_bytes, &device->slot.memory));
    device->slot.bytes = slot_bytes;
    return STATUS_OK;
}

static void close_slots(struct device *device) {
    resident_experts_destroy(device->resident);
    ghost_slots_destroy(device->ghosts);
    device->resident = NULL;
    device->ghosts = NULL;
}

static void run_job(void *user);

// Where the card can, it talks to a thread of its own.
static enum status open_mail(struct device *device) {
    void *mail;
    if (!device->card->ask_host || device->worker) return STATUS_OK;
    TRY(forward_alloc_host(device, sizeof *device->mail, &mail));
    *(struct host_mail *)mail = (struct host_mail){0};
    const enum status status = offload_worker_create(mail, run_job, &device->worker);
    if (status == STATUS_OK)
        device->mail = mail;
    else
        forward_release_host(device, mail, sizeof *device->mail);
    return status;
}

static void report_unpinned(struct device *device) {
    char text[SIZE_TEXT_BYTES];
    if (device->unpinned_bytes > 0)
        log_write(device->memory.is_short ? LOG_DEBUG : LOG_WARNING,
                  "%s of the weights in memory could not be pinned; prompts take longer%s",
                  size_format(device->unpinned_bytes, text),
                  device->unlocked_bytes > 0
                      ? ", and answers, too, when the system drops some and reads them again"
                      : "");
    device->unpinned_bytes = device->unlocked_bytes = 0;
}

// A card keeps what is on its way to the slot in memory of its own, which it takes when it first
// has to. It does so here, where somebody can still plan with less, and not in the middle of an
// answer.
static enum status open_crossing(struct device *device) {
    struct weight part = device->largest;
    if (!device->slot.memory || !part.data) return STATUS_OK;
    while (part.rows > 1 && card_bytes(device, &part) > device->slot.bytes / 2)
        part.rows /= 2;
    if (card_bytes(device, &part) > device->slot.bytes) return STATUS_OK; // it will not cross
    for (int i = 0; i < CROSSING_PARTS; i++)
        device->card->copy_weights(device->on_card, &part, device->slot.memory);
    return device->card->sync(device->on_card) == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY;
}

// Copies, or what counts how often they would be hit.
static void open_slots(struct device *device, int32_t experts) {
    const struct offload_memory *memory = &device->memory;
    const bool any = memory->expert_slots > 0 || memory->lent_bytes >= memory->expert_bytes;
    const struct resident_limits limits = {.layers = memory->mixtures,
                                           .experts = experts,
                                           .slots = memory->expert_slots,
                                           .lent_bytes = memory->lent_bytes,
                                           .expert_bytes = memory->expert_bytes};
    close_slots(device);
    if (experts <= 0 || memory->mixtures <= 0) return;
    if (memory->expert_bytes > 0 && any &&
        resident_experts_create(device->card, device->on_card, &limits, &device->resident) ==
            STATUS_OK)
        return;
    device->resident = NULL; // the processor computes all experts
    if (ghost_slots_create(memory->mixtures, experts, &device->ghosts) != STATUS_OK)
        device->ghosts = NULL;
}

static enum status offload_reserve(struct device *device, const struct workspace *workspace) {
    struct workspace of_host = *workspace;
    const int32_t most = device->host->batch_tokens;
    ASSERT(workspace->max_tokens > 0 && workspace->max_features > 0);
    release_buffers(device);
    free_jobs(&device->kept);
    device->lost = false; // the card forgets what it has recorded
    report_unpinned(device);
    device->chunk = workspace->max_tokens < most ? workspace->max_tokens : most;
    device->features = workspace->max_features;
    of_host.max_tokens = of_host.max_seqs = device->chunk;
    of_host.max_context = of_host.max_logits = of_host.vocabulary = 0;
    of_host.num_heads = of_host.head_size = 0; // attention is the card's
    TRY(device->host->reserve(device->on_host, &of_host));
    TRY(alloc_buffers(device, workspace->experts_used));
    TRY(open_mail(device));
    TRY(device->card->reserve(device->on_card, workspace));
    TRY(open_crossing(device));
    open_slots(device, workspace->experts);
    return STATUS_OK;
}

static void report_slots(const struct device *device) {
    const struct offload_counts counts = offload_counts(device);
    const int64_t all = counts.hits + counts.misses;
    if (all > 0)
        log_write(LOG_DEBUG,
                  "%" PRId64 " of %" PRId64 " chosen experts were on the card, in %" PRId32
                  " slots; %" PRId64 " copied",
                  counts.hits, all, counts.expert_slots, counts.copied);
}

static void offload_close(struct device *device) {
    if (!device) return;
    report_slots(device);
    if (device->worker) (void)end_step(device); // what waits for an answer gets it
    offload_worker_destroy(device->worker);
    close_slots(device);
    release_buffers(device);
    forward_release_host(device, device->mail, sizeof *device->mail);
    free_weights(device);
    free_jobs(&device->kept);
    free_jobs(&device->running);
    free_jobs(&device->idle);
    device->card->close(device->on_card);
    device->host->close(device->on_host);
    free(device);
}

// ---- on the host

static void widen(enum dtype from, const void *rows, float *wide, size_t count) {
    dtype_to_float(from, rows, wide, count);
}

// In place: what is read lies behind what is written. Values beyond fp16 saturate, as a card's do.
static void narrow_results(enum dtype to, float *rows, size_t count) {
    const float most = 65504;
    if (to == DTYPE_F32) return;
    ASSERT(to == DTYPE_F16);
    for (size_t i = 0; i < count; i++) {
        const float value = rows[i] > most ? most : rows[i] < -most ? -most : rows[i];
        const half rounded = float_to_half(value);
        memcpy((char *)rows + i * sizeof rounded, &rounded, sizeof rounded);
    }
}

static int32_t columns_of(const struct job *job) {
    switch (job->kind) {
    case JOB_LINEAR:
        return job->linear.parts[0].weight.columns;
    case JOB_GATED:
        return job->gated.gate.columns;
    case JOB_EXPERTS:
        break;
    }
    return job->experts.gate.columns;
}

// Leaves the processor what the card has no copy of. The choices are copies of the card's.
static void leave_out_resident(const struct job *job) {
    struct device *device = job->device;
    int32_t *chosen = device->chosen.memory;
    for (int32_t i = 0; i < job->tokens * job->experts.used; i++)
        if (resident_experts_look(device->resident, job->layer, chosen[i])) chosen[i] = EXPERT_NONE;
}

static void leave_out_gathered(const struct job *job) {
    int32_t *chosen = job->device->chosen.memory;
    for (int32_t i = 0; i < job->gathered; i++)
        chosen[i] = EXPERT_NONE;
}

static void run_job(void *user) {
    const struct job *job = user;
    const struct device *device = job->device;
    const enum dtype type = device->card->activation;
    const size_t tokens = (size_t)job->tokens;
    if (type != DTYPE_F32)
        widen(type, device->rows.memory, device->wide.memory, tokens * (size_t)columns_of(job));
    switch (job->kind) {
    case JOB_LINEAR:
        device->host->linear(device->on_host, &job->linear);
        for (int32_t i = 0; i < job->linear.count && job->narrow; i++)
            narrow_results(type, job->linear.parts[i].y,
                           tokens * (size_t)job->linear.parts[i].weight.rows);
        break;
    case JOB_GATED:
        device->host->gated_linear(device->on_host, &job->gated);
        narrow_results(type, job->gated.y, tokens * (size_t)job->gated.gate.rows);
        break;
    case JOB_EXPERTS:
        if (job->noted >= 0)
            ghost_slots_look(device->ghosts, job->noted, device->chosen.memory, job->experts.used);
        if (job->layer >= 0) leave_out_resident(job);
        leave_out_gathered(job);
        device->host->experts(device->on_host, &job->experts);
        break;
    }
}

static const void *weights_of(const struct job *job) {
    switch (job->kind) {
    case JOB_LINEAR:
        return job->linear.parts[0].weight.data;
    case JOB_GATED:
        return job->gated.gate.data;
    case JOB_EXPERTS:
        break;
    }
    return job->experts.down.data;
}

static bool is_same(const struct job *a, const struct job *b) {
    return a->kind == b->kind && a->tokens == b->tokens && a->narrow == b->narrow &&
           weights_of(a) == weights_of(b);
}

static struct job *new_job(struct device *device) {
    struct job *job = device->idle;
    if (!job) return calloc(1, sizeof *job);
    device->idle = job->next;
    return job;
}

// The job as it will be called: of a recorded step the one of an earlier recording, else a new one.
// NULL: there is no memory, and the step fails.
static struct job *keep_job(struct device *device, const struct job *job) {
    struct job **list = device->recorded ? &device->kept : &device->running;
    for (struct job *kept = device->kept; kept && device->recorded; kept = kept->next)
        if (is_same(kept, job)) return kept;
    struct job *ours = new_job(device);
    if (!ours) {
        device->failure = STATUS_NO_MEMORY;
        device->lost = device->lost || device->recorded;
        return NULL;
    }
    *ours = *job;
    ours->device = device;
    ours->next = *list;
    *list = ours;
    return ours;
}

// Sends what the job reads, and has it run.
static void enqueue(struct device *device, struct ask_host *ask, const struct job *job) {
    struct job *ours = keep_job(device, job);
    if (!ours) return;
    if (device->mail) {
        ask->mail = device->mail;
        ask->job = (uint64_t)(uintptr_t)ours;
        offload_worker_wake(device->worker);
        device->card->ask_host(device->on_card, ask);
        return;
    }
    for (int32_t i = 0; i < ask->count; i++)
        forward_to_host(device, ask->parts[i].to, ask->parts[i].from, ask->parts[i].bytes);
    forward_call_host(device, run_job, ours);
}

// ---- weights that cross
//
// An op's weights are laid out in the slot one after the other, those of a mixture some experts at
// a time. Copies are in the card's order, so weights are not overwritten before they have been
// read.

static bool streams(struct device *device, int32_t tokens, int32_t least) {
    device->slot_used = 0;
    return device->slot.memory && tokens >= (least > 0 ? least : OFFLOAD_STREAM_TOKENS);
}

static char *alloc_in_slot(struct device *device, size_t bytes) { // NULL: there is no room
    const size_t left = device->slot.bytes - device->slot_used;
    const size_t taken = size_round_up(bytes, SLOT_ALIGNMENT);
    if (taken > left) return NULL;
    device->slot_used += taken;
    return (char *)device->slot.memory + device->slot_used - taken;
}

// From memory that nobody changes. NULL stays NULL.
static bool stream_bytes(struct device *device, const void **bytes, size_t count) {
    if (!*bytes) return true;
    char *to = alloc_in_slot(device, count);
    if (to) forward_to_device(device, to, *bytes, count);
    *bytes = to;
    return to != NULL;
}

static bool stream_matrix(struct device *device, struct weight *weight) {
    char *to = alloc_in_slot(device, card_bytes(device, weight));
    if (to) device->card->copy_weights(device->on_card, weight, to);
    weight->data = to;
    weight->in_host = false;
    return to != NULL;
}

// The addresses of matrices in the slot. A list is never changed, so a copy may still read it.
// NULL: there is no memory, and the step fails.
static const struct list *list_of(struct device *device, char *base, size_t apart) {
    void *memory;
    for (struct list *list = device->lists; list; list = list->next)
        if (list->base == base && list->apart == apart) return list;
    if (forward_alloc_host(device, sizeof(struct list), &memory) != STATUS_OK) {
        device->failure = STATUS_NO_MEMORY;
        return NULL;
    }
    struct list *list = memory;
    *list = (struct list){.next = device->lists, .base = base, .apart = apart};
    for (size_t e = 0; e < EXPERTS_MAX; e++)
        list->matrices[e] = base + e * apart;
    device->lists = list;
    return list;
}

static bool lie_in_a_row(const struct expert_weights *stack, int32_t first, int32_t count,
                         size_t apart) {
    const char *begin = stack->data[first];
    for (int32_t e = 1; e < count; e++)
        if ((const char *)stack->data[first + e] != begin + (size_t)e * apart) return false;
    return true;
}

// A stack of matrices that crosses some experts at a time.
struct stream {
    struct expert_weights from; // in host memory, but for biases and scales
    const float *scales;        // those in host memory: a card keeps them with the matrices
    struct weight one;          // of an expert
    size_t each;                // its bytes on the card
    char *base;                 // in the slot, for `at_once` of them
    const void **list;          // in the slot, [experts]
};

static size_t stride_of(const struct stream *stream) {
    return size_round_up(stream->each, SLOT_ALIGNMENT);
}

// In the slot, for the whole of the op: the list, and what every expert has.
static bool begin_stream(struct device *device, struct stream *stream, int32_t experts) {
    struct expert_weights *from = &stream->from;
    const void *bias = from->bias, *scales = from->scales;
    char *list = alloc_in_slot(device, (size_t)experts * sizeof stream->list[0]);
    if (!list) return false;
    stream->one = (struct weight){.type = from->type, .rows = from->rows, .columns = from->columns};
    stream->each = card_bytes(device, &stream->one);
    stream->list = (const void **)list;
    const size_t rows = (size_t)experts * (size_t)from->rows;
    if (!stream_bytes(device, &bias, rows * sizeof from->bias[0]) ||
        !stream_bytes(device, &scales, (size_t)experts * sizeof from->scales[0]))
        return false;
    stream->scales = from->scales;
    from->bias = bias;
    from->scales = scales;
    return true;
}

// The matrices of these experts, side by side where the card keeps a stack of them as it keeps one
// by one.
static const struct list *stream_matrices(struct device *device, const struct stream *stream,
                                          const struct expert_range *range) {
    struct weight all = stream->one;
    all.rows *= range->count;
    const bool together =
        !stream->scales && card_bytes(device, &all) == stream->each * (size_t)range->count &&
        lie_in_a_row(&stream->from, range->first, range->count, weight_bytes(&stream->one));
    const size_t apart = together ? stream->each : stride_of(stream);
    const struct list *list = list_of(device, stream->base, apart);
    for (int32_t e = 0; list && e < (together ? 1 : range->count); e++) {
        struct weight from = together ? all : stream->one;
        from.data = stream->from.data[range->first + e];
        from.scale = stream->scales ? stream->scales[range->first + e] : 0;
        device->card->copy_weights(device->on_card, &from, stream->base + (size_t)e * apart);
    }
    return list;
}

// After matrices without a list, what stream_experts() says of lists.
static void wait_for_matrices(struct device *device) {
    enum { SOME = 4 };
    forward_to_device(device, device->sums.memory, device->rows.memory, SOME);
}

// ---- ops

static size_t row_bytes(enum dtype type, int32_t columns) { return dtype_row_bytes(type, columns); }

static const void *row_at(const void *rows, int32_t first, enum dtype type, int32_t columns) {
    return (const char *)rows + (size_t)first * row_bytes(type, columns);
}

// Where the processor finds the rows that cross: as they came, or widened.
static const void *crossed_rows(const struct device *device) {
    return device->card->activation == DTYPE_F32 ? device->rows.memory : device->wide.memory;
}

static void send(struct ask_host *ask, void *to, const void *from, size_t bytes) {
    ASSERT(ask->count < ASK_PARTS);
    ask->parts[ask->count].to = to;
    ask->parts[ask->count].from = from;
    ask->parts[ask->count++].bytes = bytes;
}

static void send_rows(struct device *device, struct ask_host *ask, const void *first, int32_t count,
                      int32_t columns) {
    ASSERT(count <= device->chunk && columns <= device->features);
    send(ask, device->rows.memory, first,
         (size_t)count * row_bytes(device->card->activation, columns));
}

// y[first ... first + count - 1] = or += the results
static void fetch_rows(struct device *device, void *y, const void *results, int32_t first,
                       int32_t count, int32_t columns, enum linear_store store) {
    const enum dtype type =
        store == LINEAR_ACTIVATION ? device->card->activation : device->card->residual;
    const size_t bytes = (size_t)count * row_bytes(type, columns);
    char *to = (char *)y + (size_t)first * row_bytes(type, columns);
    ASSERT(columns <= device->features);
    if (device->mail) {
        device->card->take_answer(device->on_card,
                                  &(struct take_answer){.mail = device->mail,
                                                        .y = to,
                                                        .results = results,
                                                        .count = (size_t)count * (size_t)columns,
                                                        .type = type,
                                                        .add = store == LINEAR_ADD});
        return;
    }
    if (store != LINEAR_ADD) {
        forward_to_device(device, to, results, bytes);
        return;
    }
    forward_to_device(device, device->sums.memory, results, bytes);
    forward_add_rows(device, &(struct add_rows){.x = to,
                                                .y = device->sums.memory,
                                                .rows = count,
                                                .dim = columns,
                                                .scale = 1,
                                                .gain = 1});
}

// The rows that a product reads, normed on the card.
static const void *normed_rows(struct device *device, const struct linear_input *in,
                               int32_t columns) {
    if (!in->norm) return in->x;
    forward_rmsnorm(device, &(struct rmsnorm){.y = in->normed,
                                              .x = in->x,
                                              .weight = in->norm,
                                              .rows = in->tokens,
                                              .dim = columns,
                                              .eps = in->eps});
    return in->normed;
}

static int32_t chunk_at(const struct device *device, int32_t first, int32_t tokens) {
    return tokens - first < device->chunk ? tokens - first : device->chunk;
}

static bool stream_linear(struct device *device, const struct linear *args) {
    struct linear on_card = *args;
    for (int32_t i = 0; i < args->count; i++) {
        struct projection *part = &on_card.parts[i];
        const void *bias = part->bias;
        if (!stream_matrix(device, &part->weight) ||
            !stream_bytes(device, &bias, (size_t)part->weight.rows * sizeof part->bias[0]))
            return false;
        part->bias = bias;
    }
    wait_for_matrices(device);
    device->card->linear(device->on_card, &on_card);
    return true;
}

// ---- rows of dense matrices that cross for one token
//
// As with experts below: of each matrix the first rows cross and are the card's.

enum { ROWS_TOGETHER = 64 }; // the card arranges rows by so many

// How many of each matrix's rows cross. False: none, in a batch or where there is no room for all.
static bool split_rows(const struct device *device, const struct weight *const of[], int32_t count,
                       int32_t tokens, int32_t rows[RESULTS]) {
    size_t bytes = 0;
    ASSERT(count <= RESULTS);
    if (tokens != 1 || !device->mail || !device->reads_in_place || !device->slot.memory)
        return false;
    for (int32_t i = 0; i < count; i++) {
        struct weight first = *of[i];
        rows[i] = (int32_t)(device->memory.crossing_share * first.rows) / ROWS_TOGETHER;
        first.rows = rows[i] *= ROWS_TOGETHER;
        if (first.rows == 0 || first.scale != 0) return false;
        bytes += size_round_up(weight_bytes(&first), SLOT_ALIGNMENT) +
                 size_round_up(card_bytes(device, &first), SLOT_ALIGNMENT);
    }
    return bytes <= device->slot.bytes;
}

// The first rows of a matrix, in the slot.
static struct weight cross_rows(struct device *device, const struct weight *weight, int32_t rows) {
    struct weight first = *weight;
    first.rows = rows;
    first.in_host = false;
    char *bytes = alloc_in_slot(device, weight_bytes(&first));
    char *to = alloc_in_slot(device, card_bytes(device, &first));
    ASSERT(bytes && to);
    forward_to_device(device, bytes, weight->data, weight_bytes(&first));
    first.data = bytes;
    device->card->arrange_weights(device->on_card, &first, to);
    first.data = to;
    return first;
}

static struct weight rows_from(const struct weight *weight, int32_t row) { // the other ones
    struct weight rest = *weight;
    rest.data = row_at(weight->data, row, weight->type, weight->columns);
    rest.rows -= row;
    return rest;
}

static void *behind(const struct device *device, void *y, int32_t rows, enum linear_store store) {
    const enum dtype type =
        store == LINEAR_ACTIVATION ? device->card->activation : device->card->residual;
    return (char *)y + (size_t)rows * row_bytes(type, 1);
}

static bool split_linear(const struct device *device, const struct linear *args,
                         int32_t rows[RESULTS], struct linear *rest) {
    const struct weight *of[RESULTS];
    for (int32_t i = 0; i < args->count; i++)
        of[i] = &args->parts[i].weight;
    if (!split_rows(device, of, args->count, args->in.tokens, rows)) return false;
    for (int32_t i = 0; i < args->count; i++) {
        struct projection *part = &rest->parts[i];
        part->weight = rows_from(&part->weight, rows[i]);
        part->y = behind(device, part->y, rows[i], args->store);
        if (part->bias) part->bias += rows[i];
    }
    return true;
}

static void compute_first_rows(struct device *device, const struct linear *args, const void *x,
                               const int32_t rows[RESULTS]) {
    struct linear first = *args;
    device->slot_used = 0;
    first.in = (struct linear_input){.x = x, .tokens = args->in.tokens};
    for (int32_t i = 0; i < args->count; i++)
        first.parts[i].weight = cross_rows(device, &args->parts[i].weight, rows[i]);
    wait_for_matrices(device);
    device->card->linear(device->on_card, &first);
}

static void offload_linear(struct device *device, const struct linear *args) {
    const int32_t columns = args->parts[0].weight.columns, tokens = args->in.tokens;
    const bool in_host = args->parts[0].weight.in_host;
    for (int32_t i = 0; i < args->count; i++)
        ASSERT(args->parts[i].weight.in_host == in_host);
    if (!in_host) {
        device->card->linear(device->on_card, args);
        return;
    }
    ASSERT(args->count <= RESULTS);
    if (streams(device, tokens, device->memory.dense_tokens) && stream_linear(device, args)) return;
    struct linear rest = *args;
    int32_t rows[RESULTS];
    const void *x = normed_rows(device, &args->in, columns);
    const bool some_cross = split_linear(device, args, rows, &rest);
    for (int32_t first = 0, count; first < tokens; first += count) {
        count = chunk_at(device, first, tokens);
        struct job job = {.kind = JOB_LINEAR,
                          .tokens = count,
                          .narrow = args->store == LINEAR_ACTIVATION,
                          .linear = rest};
        job.linear.in = (struct linear_input){.x = crossed_rows(device), .tokens = count};
        job.linear.store = LINEAR_RESIDUAL;
        for (int32_t i = 0; i < args->count; i++)
            job.linear.parts[i].y = device->results[i].memory;
        struct ask_host ask = {.count = 0};
        send_rows(device, &ask, row_at(x, first, device->card->activation, columns), count,
                  columns);
        enqueue(device, &ask, &job);
        if (some_cross) compute_first_rows(device, args, x, rows);
        for (int32_t i = 0; i < args->count; i++)
            fetch_rows(device, rest.parts[i].y, device->results[i].memory, first, count,
                       rest.parts[i].weight.rows, args->store);
    }
}

static void compute_first_gated(struct device *device, const struct gated_linear *args,
                                const void *x, int32_t rows) {
    struct gated_linear first = *args;
    device->slot_used = 0;
    first.in = (struct linear_input){.x = x, .tokens = args->in.tokens};
    first.gate = cross_rows(device, &args->gate, rows);
    first.up = cross_rows(device, &args->up, rows);
    wait_for_matrices(device);
    device->card->gated_linear(device->on_card, &first);
}

static void offload_gated_linear(struct device *device, const struct gated_linear *args) {
    ASSERT(args->gate.in_host == args->up.in_host);
    if (!args->gate.in_host) {
        device->card->gated_linear(device->on_card, args);
        return;
    }
    struct gated_linear on_card = *args;
    if (streams(device, args->in.tokens, device->memory.dense_tokens) &&
        stream_matrix(device, &on_card.gate) && stream_matrix(device, &on_card.up)) {
        wait_for_matrices(device);
        device->card->gated_linear(device->on_card, &on_card);
        return;
    }
    const struct weight *const both[RESULTS] = {&args->gate, &args->up};
    struct gated_linear rest = *args;
    int32_t rows[RESULTS];
    const void *x = normed_rows(device, &args->in, args->gate.columns);
    const bool some_cross = split_rows(device, both, RESULTS, args->in.tokens, rows);
    if (some_cross) {
        rest.gate = rows_from(&args->gate, rows[0]);
        rest.up = rows_from(&args->up, rows[1]);
        rest.y = behind(device, args->y, rows[0], LINEAR_ACTIVATION);
    }
    for (int32_t first = 0, count; first < args->in.tokens; first += count) {
        count = chunk_at(device, first, args->in.tokens);
        struct job job = {.kind = JOB_GATED, .tokens = count, .narrow = true, .gated = rest};
        job.gated.in = (struct linear_input){.x = crossed_rows(device), .tokens = count};
        job.gated.y = device->results[0].memory;
        job.gated.up_rows = device->results[1].memory;
        struct ask_host ask = {.count = 0};
        const int32_t columns = args->gate.columns;
        send_rows(device, &ask, row_at(x, first, device->card->activation, columns), count,
                  columns);
        enqueue(device, &ask, &job);
        if (some_cross) compute_first_gated(device, args, x, rows[0]);
        fetch_rows(device, rest.y, device->results[0].memory, first, count, rest.gate.rows,
                   LINEAR_ACTIVATION);
    }
}

// The matrices of as many experts as the slot holds at a time, and their part of every token's sum.
// Lists cross after the matrices: a copy waits for the kernels that arrange those, which kernels
// that read weights early need not do.
static bool stream_experts(struct device *device, const struct experts *args) {
    enum { UP, DOWN, GATE, STACKS };
    const int stacks = args->gate.data != args->up.data ? STACKS : GATE; // else up serves as gate
    struct stream of[STACKS] = {{.from = args->up}, {.from = args->down}, {.from = args->gate}};
    struct experts on_card = *args;
    struct expert_weights *const to[STACKS] = {&on_card.up, &on_card.down, &on_card.gate};
    size_t bytes = 0; // of an expert
    for (int i = 0; i < stacks; i++) {
        if (!begin_stream(device, &of[i], args->experts)) return false;
        bytes += stride_of(&of[i]);
    }
    const size_t fitting = (device->slot.bytes - device->slot_used) / bytes;
    if (fitting == 0) return false;
    const int32_t most = fitting < (size_t)args->experts ? (int32_t)fitting : args->experts;
    const int32_t chunks = (args->experts + most - 1) / most;
    const int32_t each = (args->experts + chunks - 1) / chunks;
    for (int i = 0; i < stacks; i++) {
        of[i].base = alloc_in_slot(device, (size_t)each * stride_of(&of[i]));
        *to[i] = of[i].from;
        to[i]->data = of[i].list;
        to[i]->in_host = false;
    }
    if (stacks == GATE) on_card.gate = on_card.up;
    for (int32_t first = 0; first < args->experts; first += each) {
        const int32_t left = args->experts - first;
        const struct expert_range range = {first, left < each ? left : each};
        const struct list *lists[STACKS];
        for (int i = 0; i < stacks; i++)
            if (!(lists[i] = stream_matrices(device, &of[i], &range))) return true; // it has failed
        for (int i = 0; i < stacks; i++)
            forward_to_device(device, of[i].list + first, lists[i]->matrices,
                              (size_t)range.count * sizeof lists[i]->matrices[0]);
        if (chunks > 1) on_card.only = range;
        device->card->experts(device->on_card, &on_card);
        on_card.add = true;
    }
    return true;
}

// ---- experts that cross for one token
//
// While the processor computes most experts of a token, the link is idle. So the first of those
// that the router chose cross to the slot, where the card computes them at the same time.

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
static bool lay_out(struct device *device, const struct experts *args,
                    struct gather_experts *gather) {
    enum { READ_AT_ONCE = 16 };
    const struct expert_weights *of[GATHERED_STACKS];
    const size_t count = (size_t)gather->count;
    device->slot_used = 0;
    gather->ids = (int32_t *)alloc_in_slot(device, count * sizeof gather->ids[0]);
    gather->stack_count = stacks_of(args, of);
    for (int i = 0; i < gather->stack_count; i++) {
        struct gathered *stack = &gather->stacks[i];
        const struct weight one = stacked(of[i], 1), all = stacked(of[i], gather->count);
        bool aligned = weight_bytes(&one) % READ_AT_ONCE == 0 && !of[i]->scales;
        for (int32_t e = 0; e < args->experts; e++)
            aligned = aligned && (uintptr_t)of[i]->data[e] % READ_AT_ONCE == 0;
        if (!aligned || card_bytes(device, &all) != count * card_bytes(device, &one)) return false;
        stack->from = *of[i];
        stack->apart = card_bytes(device, &one);
        stack->rows = alloc_in_slot(device, weight_bytes(&all));
        stack->to = alloc_in_slot(device, card_bytes(device, &all));
        stack->list = (const void **)alloc_in_slot(device, count * sizeof stack->list[0]);
        stack->bias =
            of[i]->bias ? (float *)alloc_in_slot(device, (size_t)all.rows * sizeof(float)) : NULL;
        if (!stack->rows || !stack->to || !stack->list || (of[i]->bias && !stack->bias))
            return false;
    }
    return gather->ids != NULL;
}

// How many experts cross: 0 in a batch.
static bool gathers(struct device *device, const struct experts *args,
                    struct gather_experts *gather) {
    const int32_t most = device->memory.gathered_experts;
    *gather = (struct gather_experts){.chosen = args->chosen,
                                      .count = most < args->used ? most : args->used - 1};
    return device->mail && device->reads_in_place && device->slot.memory && args->tokens == 1 &&
           gather->count > 0 && lay_out(device, args, gather);
}

static void compute_gathered(struct device *device, const struct experts *args,
                             const struct gather_experts *gather) {
    struct experts on_card = *args;
    struct expert_weights of[GATHERED_STACKS];
    ASSERT(gather->stack_count > 0 && gather->stack_count <= GATHERED_STACKS);
    device->card->gather_experts(device->on_card, gather);
    for (int i = 0; i < gather->stack_count; i++) {
        const struct gathered *stack = &gather->stacks[i];
        struct weight rows = stacked(&stack->from, gather->count);
        rows.data = stack->rows;
        device->card->arrange_weights(device->on_card, &rows, stack->to);
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
    wait_for_matrices(device);
    device->card->experts(device->on_card, &on_card);
}

static void offload_experts(struct device *device, const struct experts *args) {
    ASSERT(args->gate.in_host == args->down.in_host && args->up.in_host == args->down.in_host);
    if (!args->down.in_host) {
        device->card->experts(device->on_card, args);
        return;
    }
    if (streams(device, args->tokens, device->memory.expert_tokens) && stream_experts(device, args))
        return;
    const size_t used = (size_t)args->used;
    const int32_t layer = device->resident && args->tokens < OFFLOAD_STREAM_TOKENS
                              ? resident_experts_layer(device->resident, args)
                              : -1;
    struct gather_experts gather;
    const bool some_cross = layer < 0 && gathers(device, args, &gather);
    for (int32_t first = 0, count; first < args->tokens; first += count) {
        count = chunk_at(device, first, args->tokens);
        const size_t from = (size_t)first * used, choices = (size_t)count * used;
        struct job job = {.kind = JOB_EXPERTS, .tokens = count, .layer = layer, .experts = *args};
        job.gathered = some_cross ? gather.count : 0;
        job.noted = device->ghosts && args->tokens == 1
                        ? ghost_slots_layer(device->ghosts, args->down.data)
                        : -1;
        job.experts.x = crossed_rows(device);
        job.experts.y = device->results[0].memory;
        job.experts.chosen = device->chosen.memory;
        job.experts.shares = device->shares.memory;
        job.experts.tokens = count;
        job.experts.add = false;
        if (layer >= 0) job.experts.down.bias = NULL; // which the card adds
        struct ask_host ask = {.count = 0};
        const int32_t columns = args->gate.columns;
        send_rows(device, &ask, row_at(args->x, first, device->card->activation, columns), count,
                  columns);
        send(&ask, device->chosen.memory, args->chosen + from, choices * sizeof(int32_t));
        send(&ask, device->shares.memory, args->shares + from, choices * sizeof(float));
        enqueue(device, &ask, &job);
        if (layer >= 0) {
            struct experts on_card = *args;
            resident_experts_on_card(device->resident, layer, &on_card);
            device->card->experts(device->on_card, &on_card);
        }
        if (some_cross) compute_gathered(device, args, &gather);
        fetch_rows(device, args->y, device->results[0].memory, first, count, args->down.rows,
                   args->add || layer >= 0 || some_cross ? LINEAR_ADD : LINEAR_RESIDUAL);
    }
}

// The card's table, with each op that needs the device replaced.
static struct backend table_of(const struct backend *card) {
    struct backend ops = *card;
    ops.open = NULL;
    ops.close = offload_close;
    ops.info = forward_info;
    if (card->attention_check) ops.attention_check = forward_attention_check;
    ops.reserve = offload_reserve;
    ops.alloc = forward_alloc;
    ops.release = forward_release;
    ops.alloc_host = forward_alloc_host;
    ops.release_host = forward_release_host;
    ops.weights = offload_weights;
    ops.to_device = forward_to_device;
    ops.to_host = forward_to_host;
    ops.sync = offload_sync;
    ops.call_host = forward_call_host;
    ops.ask_host = NULL; // the device's own
    ops.take_answer = NULL;
    ops.gather_experts = NULL;
    ops.embedding = forward_embedding;
    ops.rmsnorm = forward_rmsnorm;
    ops.narrow = forward_narrow;
    ops.add_rows = forward_add_rows;
    ops.linear = offload_linear;
    ops.gated_linear = offload_gated_linear;
    ops.rope_and_cache = forward_rope_and_cache;
    ops.paged_attention = forward_paged_attention;
    ops.attention = forward_attention;
    ops.short_conv = forward_short_conv;
    ops.recurrence = forward_recurrence;
    ops.copy_parts = forward_copy_parts;
    ops.scale_rows = forward_scale_rows;
    ops.act_and_mul = forward_act_and_mul;
    ops.route = forward_route;
    ops.experts = offload_experts;
    ops.logits = forward_logits;
    ops.candidates = forward_candidates;
    ops.copy_blocks = forward_copy_blocks;
    ops.swap_blocks = forward_swap_blocks;
    if (card->swap_time) ops.swap_time = forward_swap_time;
    if (card->replay) ops.replay = offload_replay;
    if (card->recorded) ops.recorded = offload_recorded;
    ops.read = forward_read;
    return ops;
}

size_t offload_slab_bytes(const struct device *device) {
    return device->resident ? resident_experts_slab_bytes(device->resident) : 0;
}

bool offload_lend(struct device *device, void *slab) {
    return device->resident && resident_experts_lend(device->resident, slab);
}

bool offload_wants_slab(const struct device *device) {
    return device->resident && resident_experts_wants_slab(device->resident);
}

void offload_take_back(struct device *device) { resident_experts_take_back(device->resident); }

struct offload_counts offload_counts(const struct device *device) {
    if (!device->resident)
        return (struct offload_counts){.lately = device->ghosts ? ghost_slots_lately(device->ghosts)
                                                                : (struct expert_slots_lately){0}};
    const struct expert_slots_counts counts = resident_experts_counts(device->resident);
    return (struct offload_counts){.expert_slots = resident_experts_slots(device->resident),
                                   .hits = counts.hits,
                                   .misses = counts.misses,
                                   .copied = counts.moves,
                                   .lately = resident_experts_lately(device->resident)};
}

bool offload_fills_slots(const struct device *device) {
    return device->resident && resident_experts_fills(device->resident);
}

enum status offload_open(const struct backend **card, struct device **device,
                         const struct device_options *options, const struct offload_memory *memory,
                         struct error *err) {
    struct device *opened = calloc(1, sizeof *opened);
    if (!opened) return error_set(err, STATUS_NO_MEMORY, "not enough memory for the device");
    ASSERT((*card)->residual == DTYPE_F32);
    opened->card = *card;
    opened->on_card = *device;
    opened->host = backend_cpu();
    opened->ops = table_of(*card);
    opened->reads_in_place = (*card)->gather_experts != NULL;
    if (!options->deterministic) opened->memory = *memory;
    // Between two parts on the host lies what the card computes: about as long as threads usually
    // wait awake, and waking all of them takes as long again.
    struct device_options of_host = *options;
    of_host.spin_us = SPIN_US;
    const enum status status = opened->host->open(&of_host, &opened->on_host, err);
    if (status != STATUS_OK) {
        free(opened);
        return status;
    }
    *card = &opened->ops;
    *device = opened;
    return STATUS_OK;
}
