// kernels/offload.c — a card, and a processor that computes what lies in host memory.
//
// Ops go to the card. If an op's weights are in host memory, either they cross to the card
// (weight_stream.h), or the op's rows come to the host, where it runs as a job (offload_jobs.h), or
// the weights are divided between these two ways.
#include "kernels/offload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/log.h"
#include "kernels/cost.h"
#include "kernels/ghost_slots.h"
#include "kernels/offload_jobs.h"
#include "kernels/offload_worker.h"
#include "kernels/pinned_weights.h"
#include "kernels/resident_experts.h"
#include "kernels/weight_stream.h"

enum {
    RESULTS = 2,   // matrices of one op at most: gate and up
    SPIN_US = 500, // more than a card takes from one part on the host to the next
};

struct buffer {
    void *memory;
    size_t bytes;
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
    struct buffer sums;             // on the card: [chunk, features] residual, to be added; only if
                                    // there is no mail

    struct pinned_weights weights;
    struct weight_stream stream;
    struct offload_memory memory;
    struct resident_experts *resident; // or NULL
    struct ghost_slots *ghosts;        // of a mixture without copies; or NULL

    struct host_mail *mail; // pinned; NULL: rows are copied, and the device calls the host
    struct offload_worker *worker;
    struct offload_jobs jobs;
};

// clang-format off
#define FORWARDED_MAP(X)                                                         \
    X(embedding) X(rmsnorm) X(narrow) X(add_rows) X(rope_and_cache)              \
    X(paged_attention) X(attention) X(short_conv) X(recurrence) X(copy_parts)    \
    X(scale_rows) X(act_and_mul) X(route) X(logits) X(candidates) X(copy_blocks) \
    X(swap_blocks)
// clang-format on
#define FORWARD(op)                                                          \
    static void forward_##op(struct device *device, const struct op *args) { \
        device->card->op(device->on_card, args);                             \
    }
FORWARDED_MAP(FORWARD)

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

static enum status offload_weights(struct device *device, const struct weight *in_file,
                                   const void **data) {
    if (!in_file->in_host) return device->card->weights(device->on_card, in_file, data);
    if (device_weight_bytes(device->card, in_file) == 0)
        return STATUS_UNSUPPORTED; // weights cross in the card's types
    const void *copy = pinned_weights_copy(&device->weights, in_file);
    if (!copy) return device->host->weights(device->on_host, in_file, data);
    *data = copy;
    return STATUS_OK;
}

// Waits for what was enqueued; then its jobs can be used again.
static enum status end_step(struct device *device) {
    const enum status failure = device->failure, status = device->card->sync(device->on_card);
    device->failure = STATUS_OK;
    if (device->worker) offload_worker_rest(device->worker);
    offload_jobs_end_step(&device->jobs);
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
    if (device->jobs.lost) return false;
    device->jobs.recorded = !device->card->replay(device->on_card, key);
    return !device->jobs.recorded;
}

static bool offload_recorded(struct device *device) {
    device->jobs.recorded = false;
    return device->card->recorded(device->on_card);
}

// ---- on the host

// Narrows in place: reads are ahead of writes. Values beyond fp16 saturate, as they do on a card.
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

// Leaves the processor the choices that the card has no copy of. Changes `chosen`, which is a copy
// of the card's choices.
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
        dtype_to_float(type, device->rows.memory, device->wide.memory,
                       tokens * (size_t)job_columns(job));
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
    device->wide = device->sums = (struct buffer){0};
    weight_stream_release(&device->stream);
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
    if (!device->card->ask_host) {
        TRY(forward_alloc(device, wide_bytes, &device->sums.memory));
        device->sums.bytes = wide_bytes;
    }
    return weight_stream_reserve(&device->stream);
}

static void close_slots(struct device *device) {
    resident_experts_destroy(device->resident);
    ghost_slots_destroy(device->ghosts);
    device->resident = NULL;
    device->ghosts = NULL;
}

// If the card can ask the host, a thread of this device answers it.
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

// Makes slots for copies, or else counts how often copies would be hit.
static void open_slots(struct device *device, int32_t experts) {
    const struct offload_memory *memory = &device->memory;
    const bool any = memory->expert_slots > 0 || memory->lent_bytes >= memory->expert_bytes;
    const struct resident_limits limits = {.layers = memory->mixtures,
                                           .experts = experts,
                                           .slots = memory->expert_slots,
                                           .lent_bytes = memory->lent_bytes,
                                           .expert_bytes = memory->expert_bytes};
    if (experts <= 0 || memory->mixtures <= 0) return;
    if (memory->expert_bytes > 0 && any &&
        resident_experts_create(device->card, device->on_card, &limits, &device->resident) ==
            STATUS_OK)
        return;
    // There are no copies.
    if (ghost_slots_create(memory->mixtures, experts, &device->ghosts) != STATUS_OK)
        log_write(LOG_DEBUG, "no memory to count how often copies of experts would be hit");
}

static enum status offload_reserve(struct device *device, const struct workspace *workspace) {
    struct workspace of_host = *workspace;
    const int32_t most = device->host->batch_tokens;
    ASSERT(workspace->max_tokens > 0 && workspace->max_features > 0);
    close_slots(device); // the card may need their memory
    release_buffers(device);
    offload_jobs_forget(&device->jobs); // the card forgets what it has recorded
    pinned_weights_report(&device->weights, device->memory.is_short);
    device->chunk = workspace->max_tokens < most ? workspace->max_tokens : most;
    device->features = workspace->max_features;
    of_host.max_tokens = of_host.max_seqs = device->chunk;
    of_host.max_context = of_host.max_logits = of_host.vocabulary = 0;
    of_host.num_heads = of_host.head_size = 0; // attention is the card's
    TRY(device->host->reserve(device->on_host, &of_host));
    TRY(alloc_buffers(device, workspace->experts_used));
    TRY(open_mail(device));
    TRY(device->card->reserve(device->on_card, workspace));
    TRY(weight_stream_warm_up(&device->stream, &device->weights.largest));
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
    if (device->worker) (void)end_step(device); // answers whatever still waits
    offload_worker_destroy(device->worker);
    close_slots(device);
    release_buffers(device);
    forward_release_host(device, device->mail, sizeof *device->mail);
    pinned_weights_deinit(&device->weights);
    offload_jobs_deinit(&device->jobs);
    device->card->close(device->on_card);
    device->host->close(device->on_host);
    free(device);
}

// ---- ops

// Sends what the job reads to the host, and has it run there.
static void enqueue(struct device *device, struct ask_host *ask, const struct job *job) {
    struct job *ours = offload_jobs_keep(&device->jobs, job);
    if (!ours) {
        device->failure = STATUS_NO_MEMORY;
        return;
    }
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

static const void *row_at(const void *rows, int32_t first, enum dtype type, int32_t columns) {
    return (const char *)rows + (size_t)first * dtype_row_bytes(type, columns);
}

// Where the processor finds the rows that have crossed: as they came, or widened.
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
         (size_t)count * dtype_row_bytes(device->card->activation, columns));
}

// y[first ... first + count - 1] = or += the results
static void fetch_rows(struct device *device, void *y, const void *results, int32_t first,
                       int32_t count, int32_t columns, enum linear_store store) {
    const enum dtype type =
        store == LINEAR_ACTIVATION ? device->card->activation : device->card->residual;
    const size_t bytes = (size_t)count * dtype_row_bytes(type, columns);
    char *to = (char *)y + (size_t)first * dtype_row_bytes(type, columns);
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

// Do some weights cross for a batch of this size while the processor reads the others? The card has
// to wait for the processor within the step, and to read weights where they lie.
static bool may_split(const struct device *device, int32_t tokens) {
    return tokens == 1 && device->mail && device->card->gather_experts &&
           !device->weights.incomplete;
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
    if (weight_stream_linear(&device->stream, args)) return;
    struct linear rest = *args;
    int32_t rows[LINEAR_PARTS];
    const void *x = normed_rows(device, &args->in, columns);
    const bool some_cross =
        may_split(device, tokens) && weight_stream_split_linear(&device->stream, &rest, rows);
    for (int32_t first = 0, count; first < tokens; first += count) {
        count = chunk_at(device, first, tokens);
        struct job job = {.device = device,
                          .kind = JOB_LINEAR,
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
        if (some_cross) weight_stream_first_linear(&device->stream, args, x, rows);
        for (int32_t i = 0; i < args->count; i++)
            fetch_rows(device, rest.parts[i].y, device->results[i].memory, first, count,
                       rest.parts[i].weight.rows, args->store);
    }
}

static void offload_gated_linear(struct device *device, const struct gated_linear *args) {
    ASSERT(args->gate.in_host == args->up.in_host);
    if (!args->gate.in_host) {
        device->card->gated_linear(device->on_card, args);
        return;
    }
    if (weight_stream_gated_linear(&device->stream, args)) return;
    struct gated_linear rest = *args;
    int32_t rows[LINEAR_PARTS];
    const void *x = normed_rows(device, &args->in, args->gate.columns);
    const bool some_cross = may_split(device, args->in.tokens) &&
                            weight_stream_split_gated(&device->stream, &rest, rows);
    for (int32_t first = 0, count; first < args->in.tokens; first += count) {
        count = chunk_at(device, first, args->in.tokens);
        struct job job = {
            .device = device, .kind = JOB_GATED, .tokens = count, .narrow = true, .gated = rest};
        job.gated.in = (struct linear_input){.x = crossed_rows(device), .tokens = count};
        job.gated.y = device->results[0].memory;
        job.gated.up_rows = device->results[1].memory;
        struct ask_host ask = {.count = 0};
        const int32_t columns = args->gate.columns;
        send_rows(device, &ask, row_at(x, first, device->card->activation, columns), count,
                  columns);
        enqueue(device, &ask, &job);
        if (some_cross) weight_stream_first_gated(&device->stream, args, x, rows);
        fetch_rows(device, rest.y, device->results[0].memory, first, count, rest.gate.rows,
                   LINEAR_ACTIVATION);
    }
}

static void offload_experts(struct device *device, const struct experts *args) {
    ASSERT(args->gate.in_host == args->down.in_host && args->up.in_host == args->down.in_host);
    if (!args->down.in_host) {
        device->card->experts(device->on_card, args);
        return;
    }
    const int32_t known = device->resident ? resident_experts_layer(device->resident, args) : -1;
    if (weight_stream_experts(&device->stream, args)) return;
    const size_t used = (size_t)args->used;
    const int32_t layer = args->tokens < OFFLOAD_STREAM_TOKENS ? known : -1;
    struct gather_experts gather;
    const bool some_cross = layer < 0 && may_split(device, args->tokens) &&
                            weight_stream_plan_experts(&device->stream, args, &gather);
    for (int32_t first = 0, count; first < args->tokens; first += count) {
        count = chunk_at(device, first, args->tokens);
        const size_t from = (size_t)first * used, choices = (size_t)count * used;
        struct job job = {.device = device,
                          .kind = JOB_EXPERTS,
                          .tokens = count,
                          .layer = layer,
                          .experts = *args};
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
        if (layer >= 0) job.experts.down.bias = NULL; // the card adds it
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
        if (some_cross) weight_stream_first_experts(&device->stream, args, &gather);
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
    ops.copy_weights = NULL; // the device's own, as are the next six
    ops.arrange_weights = NULL;
    ops.copy_in_background = NULL;
    ops.background_copies_done = NULL;
    ops.ask_host = NULL;
    ops.take_answer = NULL;
    ops.gather_experts = NULL;
    ops.to_device = forward_to_device;
    ops.to_host = forward_to_host;
    ops.sync = offload_sync;
    ops.call_host = forward_call_host;
    ops.linear = offload_linear;
    ops.gated_linear = offload_gated_linear;
    ops.experts = offload_experts;
#define SET(op) ops.op = forward_##op;
    FORWARDED_MAP(SET)
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

static struct weight_stream stream_of(struct device *device) {
    const struct offload_memory *memory = &device->memory;
    const int32_t dense = memory->dense_tokens, experts = memory->expert_tokens;
    return (struct weight_stream){.card = device->card,
                                  .on_card = device->on_card,
                                  .failure = &device->failure,
                                  .slot_bytes = memory->slot_bytes,
                                  .dense_tokens = dense > 0 ? dense : OFFLOAD_STREAM_TOKENS,
                                  .expert_tokens = experts > 0 ? experts : OFFLOAD_STREAM_TOKENS,
                                  .gathered_experts = memory->gathered_experts,
                                  .crossing_share = memory->crossing_share};
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
    opened->memory =
        options->deterministic ? (struct offload_memory){.is_short = memory->is_short} : *memory;
    opened->weights = (struct pinned_weights){.card = *card, .on_card = *device};
    opened->stream = stream_of(opened);
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
