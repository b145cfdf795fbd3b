// engine/model/forward.c — a step: one copy to the device, all layers enqueued, one sync() at the
// end.
//
// Memory is taken once. With `counts` set, the functions that allocate buffers only add up their
// sizes, so forward_device_bytes() predicts what forward_create() takes by the same code.
//
//   step data  what changes from step to step: ids, positions, tables, choices. It is laid out in
//              host memory and on the device alike (lay_out), so one copy brings it over. Only the
//              part of the block tables that is in use is copied; penalties, which are rare, follow
//              them and have a copy of their own
//   scratch    what one part of a layer computes with. The layers take turns in the same memory,
//              which is as large as the neediest of them wants (measure)
//
// Recorded steps. On a card, a decode step is replayed from a recording (backend.h), which contains
// the arguments of all its ops. So whatever differs between two decode steps must be data on the
// device, or part of the key that the recording is found by (shape_of). Few keys mean few
// recordings: hence the block tables of a decode step are 32, 64, 128, … blocks wide (table_width),
// and the number of candidates is rounded up to one of a few classes (class_of).
#include "engine/model/forward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/model/forward_state.h"
#include "engine/model/layer_part.h"
#include "engine/model/mtp.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"

enum {
    ALIGNMENT = 256,     // as a card aligns what it allocates
    LONG_RUN = 32,       // tokens from which a run may be stopped
    DRAFTS_MOST = 8,     // of a sequence in a step that is recorded, on average
    DRAFTED_TOKENS = 64, // of such a step
};

static void *alloc_buffer(struct forward *forward, size_t bytes, bool on_host) {
    const struct backend *backend = forward->backend;
    ASSERT(forward->buffer_count < BUFFERS_MAX);
    struct buffer *buffer = &forward->buffers[forward->buffer_count];
    *buffer = (struct buffer){.bytes = bytes, .on_host = on_host};
    if (forward->counts) {
        forward->counted += on_host ? 0 : bytes;
        return NULL;
    }
    if ((on_host ? backend->alloc_host : backend->alloc)(forward->device, bytes, &buffer->memory) !=
        STATUS_OK) {
        forward->short_of_memory = true;
        return NULL;
    }
    forward->buffer_count++;
    return buffer->memory;
}

static void *alloc(struct forward *forward, int32_t rows, size_t row_bytes) {
    return alloc_buffer(forward, (size_t)rows * row_bytes, false);
}

static void *place(struct scratch *scratch, size_t count, size_t element_bytes) {
    ASSERT(scratch->used % ALIGNMENT == 0);
    void *at = scratch->memory ? scratch->memory + scratch->used : NULL;
    scratch->used += size_round_up(count * element_bytes, ALIGNMENT);
    return at;
}

static struct step_data lay_out(const struct forward *forward, struct scratch *slab) {
    const struct forward_limits *limits = &forward->limits;
    const size_t tokens = (size_t)limits->max_tokens, seqs = (size_t)limits->max_seqs;
    struct step_data data; // in this order: up to the tables, as far as they are used, in one copy
    data.token_ids = place(slab, tokens, sizeof(int32_t));
    data.positions = place(slab, tokens, sizeof(int32_t));
    data.query_scales =
        forward->model->config.temperature.length > 0 ? place(slab, tokens, sizeof(float)) : NULL;
    data.cu_seqlens_q = place(slab, seqs + 1, sizeof(int32_t));
    data.seq_lens_kv = place(slab, seqs, sizeof(int32_t));
    data.row_index = place(slab, (size_t)limits->max_logits, sizeof(int32_t));
    data.choices = place(slab, (size_t)limits->max_logits, sizeof(struct choice));
    for (int group = 0; group < forward->groups; group++) {
        struct shared_past_arrays *shared = &data.shared[group];
        data.slot_mapping[group] = place(slab, tokens, sizeof(int64_t));
        shared->order = place(slab, seqs, sizeof(int32_t));
        shared->common = place(slab, seqs, sizeof(int32_t));
        shared->own = place(slab, seqs, sizeof(int32_t));
        shared->spans = place(slab, SHARED_SPANS_MAX, sizeof(struct shared_span));
    }
    const size_t blocks = (size_t)forward->groups * seqs * (size_t)forward->max_blocks;
    data.block_tables = place(slab, blocks, sizeof(int32_t));
    data.penalties =
        place(slab, (size_t)limits->max_logits * PENALTIES_MAX, sizeof(struct penalty));
    return data;
}

static void alloc_step_data(struct forward *forward) {
    struct scratch sum = {0}, host = {0}, device = {0};
    lay_out(forward, &sum);
    forward->step_bytes = sum.used;
    host.memory = alloc_buffer(forward, sum.used, true);
    device.memory = alloc(forward, 1, sum.used);
    if (forward->counts) return;
    forward->host_step = host.memory;
    forward->device_step = device.memory;
    if (forward->short_of_memory) return;
    memset(host.memory, 0, sum.used);
    forward->host = lay_out(forward, &host);
    forward->on_device = lay_out(forward, &device);
    ASSERT(host.used == sum.used && device.used == sum.used);
}

void *scratch_alloc(struct scratch *scratch, int32_t width, size_t element_bytes) {
    ASSERT(width > 0);
    if (width > scratch->widest) scratch->widest = width;
    const size_t rows = (size_t)scratch->forward->limits.max_tokens;
    return place(scratch, rows * (size_t)width, element_bytes);
}

void *scratch_rows(struct scratch *scratch, int32_t width) {
    const enum dtype type = scratch->forward->backend->activation;
    return scratch_alloc(scratch, width, (size_t)dtype_block_bytes(type));
}

void *scratch_residual_rows(struct scratch *scratch, int32_t width) {
    const enum dtype type = scratch->forward->backend->residual;
    return scratch_alloc(scratch, width, (size_t)dtype_block_bytes(type));
}

// What the layer that takes most of it needs.
static void measure(struct scratch *most, const struct layer_part *part,
                    const struct layer_spec *spec) {
    struct scratch scratch = {.forward = most->forward, .widest = most->widest};
    if (part) part->lay_out(&scratch, spec);
    if (scratch.used > most->used) most->used = scratch.used;
    most->widest = scratch.widest;
}

static void alloc_scratch(struct forward *forward, struct scratch *scratch) {
    scratch->memory = scratch->used > 0 ? alloc(forward, 1, scratch->used) : NULL;
    scratch->used = 0;
}

static void alloc_parts(struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    struct scratch mixer = {.forward = forward}, ffn = {.forward = forward};
    struct scratch mtp = {.forward = forward};
    layer_embedding_measure(&ffn, config);
    mtp_lay_out(&mtp, config);
    for (int32_t i = 0; i < model_config_all_layers(config); i++) {
        measure(&mixer, layer_mixer(&config->specs[i]), &config->specs[i]);
        measure(&ffn, layer_feed_forward(&config->specs[i]), &config->specs[i]);
    }
    alloc_scratch(forward, &mixer);
    alloc_scratch(forward, &ffn);
    alloc_scratch(forward, &mtp);
    forward->mixer_scratch = mixer;
    forward->ffn_scratch = ffn;
    forward->mtp_scratch = mtp;
}

// Does a layer add more to the residual than a product? Before it is loaded, it might.
static bool has_branch(const struct layer_spec *spec, const struct layer *layer) {
    return !layer || spec->post_norm || spec->stream_norm || spec->residual_scale != 1 ||
           spec->attention.value_scale != 0 || spec->ffn.kind != FFN_DENSE || layer->o_bias ||
           layer->down_bias;
}

// Of q, k and v together, and of gate and up: results of other products are the residual's anyway.
static int32_t widest_product(const struct model_config *config) {
    int32_t widest = 0;
    for (int32_t i = 0; i < model_config_all_layers(config); i++) {
        const struct attention_spec *a = &config->specs[i].attention;
        const int32_t qkv = (a->heads + 2 * a->kv_heads) * a->head_size;
        const int32_t gated = 2 * config->specs[i].ffn.width;
        if (qkv > widest) widest = qkv;
        if (gated > widest) widest = gated;
    }
    return widest;
}

static void alloc_for_adapters(struct forward *forward) {
    const struct model *model = forward->model;
    const enum dtype type = forward->backend->activation, residual = forward->backend->residual;
    const size_t low = LINEAR_PARTS * (size_t)model->rank;
    const int32_t rows = forward->limits.max_tokens;
    struct activations *a = &forward->activations;
    a->low = alloc(forward, rows, low * (size_t)dtype_block_bytes(type));
    if (type != residual)
        a->wide =
            alloc(forward, rows,
                  (size_t)widest_product(&model->config) * (size_t)dtype_block_bytes(residual));
}

static void alloc_activations(struct forward *forward) {
    const struct model *model = forward->model;
    const struct model_config *config = &model->config;
    const size_t element = (size_t)dtype_block_bytes(forward->backend->activation);
    const size_t residual = (size_t)dtype_block_bytes(forward->backend->residual);
    const size_t dim = (size_t)config->dim;
    const int32_t rows = forward->limits.max_tokens;
    struct activations *a = &forward->activations;
    bool branch = config->embedding_norm || config->mtp_layers > 0, sum = false;
    for (int32_t i = 0; i < config->layers; i++) {
        const struct layer_spec *spec = &config->specs[i];
        branch = branch || has_branch(spec, model->layers ? &model->layers[i] : NULL);
        sum = sum || spec->ffn.kind == FFN_DENSE_AND_EXPERTS || spec->joins_next;
    }
    a->residual = alloc(forward, rows, dim * residual);
    a->normed = alloc(forward, rows, dim * element);
    if (branch) a->branch = alloc(forward, rows, dim * residual);
    if (sum) a->sum = alloc(forward, rows, dim * residual);
    if (config->per_layer_embedding) a->start = alloc(forward, rows, dim * element);
    if (model->rank > 0) alloc_for_adapters(forward);
    alloc_parts(forward);
}

static void alloc_logits(struct forward *forward) {
    const size_t rows = (size_t)forward->limits.max_logits;
    const size_t row_bytes = (size_t)forward->model->config.vocabulary * sizeof(float);
    const size_t best_bytes = CANDIDATES_MAX * sizeof(struct candidate);
    forward->logits = alloc_buffer(forward, rows * row_bytes, false);
    forward->host_logits = alloc_buffer(forward, rows * row_bytes, true);
    forward->best = alloc_buffer(forward, rows * best_bytes, true);
    forward->log_totals = alloc_buffer(forward, rows * sizeof(float), true);
}

static struct workspace workspace_of(const struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    const struct layer_maxima most = model_config_maxima(config);
    const int32_t widths[] = {forward->mixer_scratch.widest, forward->ffn_scratch.widest,
                              forward->mtp_scratch.widest, most.expert_width, forward->model->rank};
    int32_t features = config->dim;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        features = widths[i] > features ? widths[i] : features;
    return (struct workspace){
        .max_tokens = forward->limits.max_tokens,
        .max_features = features,
        .max_seqs = forward->limits.max_seqs,
        .max_context = forward->limits.max_context,
        .num_heads = most.heads,
        .head_size = most.head_size,
        .attention = forward->limits.attention,
        .max_logits = forward->limits.max_logits,
        .vocabulary = config->vocabulary,
        .experts = most.experts,
        .experts_used = most.experts_used,
        .expert_rows = most.expert_width,
        .expert_outputs = config->dim,
    };
}

static enum status reserve_scratch(const struct forward *forward) {
    const struct workspace workspace = workspace_of(forward);
    return forward->backend->reserve(forward->device, &workspace);
}

size_t forward_device_bytes(const struct model *model, const struct backend *backend,
                            const struct forward_limits *limits, int32_t block_size) {
    ASSERT(limits->max_tokens > 0 && block_size > 0);
    const struct model unloaded = {.config = model->config, .rank = model->rank};
    struct forward forward = {.model = &unloaded,
                              .groups = kv_shape_of(&model->config).group_count,
                              .backend = backend,
                              .limits = *limits,
                              .block_size = block_size,
                              .max_blocks = (limits->max_context + block_size - 1) / block_size,
                              .counts = true};
    alloc_step_data(&forward);
    alloc_activations(&forward);
    alloc_logits(&forward);
    const struct workspace workspace = workspace_of(&forward);
    return forward.counted + (backend->reserve_bytes ? backend->reserve_bytes(&workspace) : 0);
}

// The views of the groups' caches.
static void set_views(struct forward *forward, const struct kv_cache *caches) {
    const struct kv_shape shape = kv_shape_of(&forward->model->config);
    forward->groups = shape.group_count;
    forward->block_size = caches[0].block_size;
    for (int group = 0; group < forward->groups; group++) {
        forward->reach[group] = shape.groups[group].reach;
        for (int view = 0; view < KV_VIEWS; view++) {
            ASSERT(caches[group].block_size == forward->block_size);
            forward->views[group][view] = caches[group];
            kv_shape_set(&forward->views[group][view], &shape, group, view);
        }
    }
}

enum status forward_create(const struct model *model, const struct kv_cache *caches,
                           const struct forward_limits *limits, struct forward **result) {
    ASSERT(limits->max_tokens > 0 && limits->max_seqs > 0 && limits->max_logits > 0);
    struct forward *forward = calloc(1, sizeof *forward);
    if (!forward) return STATUS_NO_MEMORY;
    forward->model = model;
    set_views(forward, caches);
    forward->backend = model->backend;
    forward->device = model->device;
    forward->limits = *limits;
    forward->max_blocks = (limits->max_context + forward->block_size - 1) / forward->block_size;
    forward->tables =
        calloc((size_t)limits->max_seqs * (size_t)forward->groups, sizeof forward->tables[0]);
    forward->short_of_memory = forward->tables == NULL;
    alloc_step_data(forward);
    alloc_activations(forward);
    alloc_logits(forward);
    if (forward->short_of_memory || reserve_scratch(forward) != STATUS_OK) {
        forward_destroy(forward);
        return STATUS_NO_MEMORY;
    }
    *result = forward;
    return STATUS_OK;
}

void forward_destroy(struct forward *forward) {
    if (!forward) return;
    const struct backend *backend = forward->backend;
    for (int32_t i = 0; i < forward->buffer_count; i++) {
        const struct buffer *buffer = &forward->buffers[i];
        (buffer->on_host ? backend->release_host : backend->release)(forward->device,
                                                                     buffer->memory, buffer->bytes);
    }
    free(forward->tables);
    free(forward);
}

void forward_begin(struct forward *forward) {
    forward->num_seqs = forward->num_tokens = forward->num_logits = 0;
    forward->most = forward->num_penalties = 0;
    forward->totals = false;
}

// The slots of the new tokens in one group's cache.
static void map_slots(struct forward *forward, const struct block_table *table, int group,
                      int32_t first, int32_t count) {
    const int32_t block_size = forward->block_size;
    int64_t *slots = forward->host.slot_mapping[group] + forward->num_tokens;
    ASSERT(first + count <= table->length && first / block_size >= table->first);
    for (int32_t position = first; position < first + count; position++)
        slots[position - first] =
            (int64_t)table->blocks[position / block_size].number * block_size +
            position % block_size;
}

// Has the table all that the queries see from position `first` on?
static bool has_window(const struct forward *forward, const struct block_table *table, int group,
                       int32_t first) {
    const int32_t reach = forward->reach[group];
    const int32_t begin = reach > 0 && first + 1 > reach ? first + 1 - reach : 0;
    return table->first <= begin / forward->block_size;
}

static float query_scale(const struct temperature *temperature, int32_t position) {
    ASSERT(temperature->length > 0 && position >= 0);
    const double times = 1 + floor((double)position / temperature->length);
    return (float)(1 + (double)temperature->scale * log(times));
}

void forward_add(struct forward *forward, const struct block_table *tables, const int32_t *ids,
                 int32_t first, int32_t count, int32_t logits) {
    ASSERT(count > 0 && first >= 0);
    ASSERT(first + count <= forward->limits.max_context);
    ASSERT(forward->num_seqs < forward->limits.max_seqs);
    ASSERT(forward->num_tokens + count <= forward->limits.max_tokens);
    ASSERT(logits >= 0 && logits <= count);
    ASSERT(forward->num_logits + logits <= forward->limits.max_logits);
    struct step_data *host = &forward->host;
    for (int32_t i = 0; i < count; i++) {
        ASSERT(ids[i] >= 0 && ids[i] < forward->model->config.vocabulary);
        host->token_ids[forward->num_tokens + i] = ids[i];
        host->positions[forward->num_tokens + i] = first + i;
        if (host->query_scales)
            host->query_scales[forward->num_tokens + i] =
                query_scale(&forward->model->config.temperature, first + i);
    }
    for (int group = 0; group < forward->groups; group++) {
        ASSERT(has_window(forward, &tables[group], group, first));
        map_slots(forward, &tables[group], group, first, count);
        forward->tables[forward->num_seqs * forward->groups + group] = tables[group];
    }
    host->cu_seqlens_q[forward->num_seqs] = forward->num_tokens;
    host->seq_lens_kv[forward->num_seqs] = first + count;
    forward->num_seqs++;
    forward->num_tokens += count;
    host->cu_seqlens_q[forward->num_seqs] = forward->num_tokens;
    for (int32_t i = 0; i < logits; i++) {
        host->choices[forward->num_logits] = (struct choice){0};
        host->row_index[forward->num_logits++] = forward->num_tokens - logits + i;
    }
}

// How many candidates a backend is told to be ready for: few classes, so that few steps differ.
static const int32_t CLASSES[] = {0, 1, 64, CANDIDATES_MAX};

static uint64_t class_of(int32_t most) {
    uint64_t nth = 0;
    ASSERT(most <= CANDIDATES_MAX);
    while (CLASSES[nth] < most)
        nth++;
    return nth;
}

void forward_choose(struct forward *forward, int32_t back, const struct choice *choice,
                    const struct penalty *penalties) {
    ASSERT(back >= 0 && back < forward->num_logits);
    ASSERT(choice->count > 0 && choice->count <= CANDIDATES_MAX);
    ASSERT(choice->num_penalties >= 0 && choice->num_penalties <= PENALTIES_MAX);
    struct choice *place = &forward->host.choices[forward->num_logits - 1 - back];
    ASSERT(place->count == 0);
    *place = *choice;
    place->first_penalty = forward->num_penalties;
    for (int32_t i = 0; i < choice->num_penalties; i++)
        forward->host.penalties[forward->num_penalties++] = penalties[i];
    const int32_t most = CLASSES[class_of(choice->count)];
    if (most > forward->most) forward->most = most;
    forward->totals = forward->totals || choice->log_total;
}

// Blocks that the keys of a sequence lie in. Its table may have more already.
static int32_t used_blocks(const struct forward *forward, int32_t seq) {
    const int32_t block_size = forward->block_size;
    return (forward->host.seq_lens_kv[seq] + block_size - 1) / block_size;
}

// Does the step decode, each sequence one token and perhaps some drafts? The short end of a prompt
// looks the same. With more rows products unpack their weights ahead, which cannot be recorded.
static bool only_decodes(const struct forward *forward) {
    const int32_t drafted = forward->num_tokens - forward->num_seqs;
    return drafted == 0 ||
           (drafted <= DRAFTS_MOST * forward->num_seqs && forward->num_tokens <= DRAFTED_TOKENS);
}

// How wide the tables side by side are: as the widest; in a decode step in powers of two, so that
// many steps have one shape.
static int32_t table_width(const struct forward *forward) {
    enum { LEAST = 32 };
    int32_t widest = 1, width = LEAST;
    for (int32_t s = 0; s < forward->num_seqs; s++)
        if (used_blocks(forward, s) > widest) widest = used_blocks(forward, s);
    if (!only_decodes(forward)) return widest;
    while (width < widest)
        width *= 2;
    return width < forward->max_blocks ? width : forward->max_blocks;
}

// Entries of one group's tables.
static size_t table_entries(const struct forward *forward, int32_t widest) {
    return (size_t)forward->num_seqs * (size_t)widest;
}

// The tables of each group side by side: [groups, num_seqs, widest]. What a table does not have is
// 0: what lies before the window, and what is right of its last block.
static int32_t pack_tables(struct forward *forward) {
    const int32_t widest = table_width(forward), groups = forward->groups;
    const size_t entries = table_entries(forward, widest);
    ASSERT(widest <= forward->max_blocks);
    memset(forward->host.block_tables, 0, (size_t)groups * entries * sizeof(int32_t));
    for (int32_t s = 0; s < forward->num_seqs; s++)
        for (int32_t group = 0; group < groups; group++) {
            const struct block_table *table = &forward->tables[s * groups + group];
            int32_t *out =
                forward->host.block_tables + (size_t)group * entries + (size_t)s * (size_t)widest;
            for (int32_t i = table->first; i < used_blocks(forward, s); i++)
                out[i] = (int32_t)table->blocks[i].number;
        }
    return widest;
}

static struct batch batch_in(const struct forward *forward, const struct step_data *data, int group,
                             int32_t widest) {
    return (struct batch){
        .num_seqs = forward->num_seqs,
        .num_tokens = forward->num_tokens,
        .max_blocks_per_seq = widest,
        .cu_seqlens_q = data->cu_seqlens_q,
        .seq_lens_kv = data->seq_lens_kv,
        .block_table = data->block_tables + (size_t)group * table_entries(forward, widest),
        .positions = data->positions,
        .slot_mapping = data->slot_mapping[group],
    };
}

// Finds what sequences have in common, if the backend has a use for it. Blocks that none of them
// has any more are 0 in their tables, and nobody reads them.
static struct shared_past find_shared_past(struct forward *forward, int group, int32_t widest) {
    const struct backend *backend = forward->backend;
    const struct batch batch = batch_in(forward, &forward->host, group, widest);
    const struct shared_past_rule rule = {forward->block_size, backend->shared_keys,
                                          backend->shared_least};
    const struct shared_past_arrays *device = &forward->on_device.shared[group];
    if (backend->shared_keys == 0 || forward->limits.unshared || forward->num_seqs == 1)
        return (struct shared_past){0};
    const int32_t depth = shared_past_find(&batch, &rule, &forward->host.shared[group]);
    if (depth == 0) return (struct shared_past){0};
    return (struct shared_past){device->order, device->common, device->own, device->spans, depth};
}

static void send_step_data(struct forward *forward) {
    const int32_t widest = pack_tables(forward);
    const struct step_data *device = &forward->on_device;
    for (int group = 0; group < forward->groups; group++) {
        forward->batches[group] = batch_in(forward, device, group, widest);
        forward->batches[group].shared = find_shared_past(forward, group, widest);
    }
    const size_t used = (size_t)forward->groups * table_entries(forward, widest) * sizeof(int32_t);
    const size_t table = (size_t)((char *)forward->host.block_tables - (char *)forward->host_step);
    ASSERT(table + used <= forward->step_bytes);
    ASSERT(forward->num_penalties <= forward->limits.max_logits * PENALTIES_MAX);
    forward->backend->to_device(forward->device, forward->device_step, forward->host_step,
                                table + used);
    if (forward->num_penalties > 0)
        forward->backend->to_device(forward->device, device->penalties, forward->host.penalties,
                                    (size_t)forward->num_penalties * sizeof(struct penalty));
}

// residual = the residual, normed, by way of the branch
static void norm_stream(const struct forward *forward) {
    const struct activations *a = &forward->activations;
    forward_store_rows(forward, a->branch, a->residual, forward->model->output_norm.weight, false);
    forward_store_rows(forward, a->residual, a->branch, NULL, false);
}

static void note_layer(void *user) {
    struct forward *forward = user;
    atomic_fetch_add(&forward->layers_done, 1);
}

// Is a device that gets on too far behind? A layer that was waited for in vain is not waited for
// again.
static bool is_behind(const struct forward *forward, int32_t layer) {
    enum { AHEAD = 1 };
    const int done = atomic_load(&forward->layers_done);
    return layer - done > AHEAD && done != forward->stuck_at;
}

// Before the next layer of a long run is enqueued. A card computes later than that, so where each
// layer takes long, because its weights cross, we stay only a layer ahead: enough that the card
// never waits, and so few that it soon stops. One that does not get on within WAITS_MOST has
// failed, which sync() says.
static bool stops_before(struct forward *forward, int32_t layer) {
    enum { WAIT_US = 200, WAITS_MOST = 50000 };
    const struct timespec pause = {0, WAIT_US * 1000};
    if (!forward->stops) return false;
    for (int32_t waits = 0; forward->limits.streams && is_behind(forward, layer); waits++) {
        if (forward->stops(forward->stops_user)) return true;
        if (waits == WAITS_MOST)
            forward->stuck_at = atomic_load(&forward->layers_done);
        else
            nanosleep(&pause, NULL);
    }
    return forward->stops(forward->stops_user);
}

// False: the run stops.
static bool enqueue_layers(struct forward *forward) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    if (config->per_layer_embedding)
        forward_narrow_rows(forward, a->start, a->residual, config->dim);
    for (int32_t i = 0; i < config->layers; i++) {
        if (stops_before(forward, i)) return false;
        const struct layer_part *mixer = layer_mixer(&config->specs[i]);
        const struct layer_part *feed_forward = layer_feed_forward(&config->specs[i]);
        if (feed_forward && feed_forward->enqueue_first) feed_forward->enqueue_first(forward, i);
        if (mixer) mixer->enqueue(forward, i);
        if (feed_forward) feed_forward->enqueue(forward, i);
        if (config->per_layer_embedding) layer_embedding_enqueue(forward, i);
        if (config->specs[i].stream_norm) norm_stream(forward);
        if (forward->stops && forward->limits.streams)
            forward->backend->call_host(forward->device, note_layer, forward);
    }
    return true;
}

// residual = the tokens' rows of the table, normed where they are
static void embed(const struct forward *forward) {
    const struct model *model = forward->model;
    const struct model_config *config = &model->config;
    const struct activations *a = &forward->activations;
    const bool normed = config->embedding_norm;
    forward->backend->embedding(forward->device,
                                &(struct embedding){.y = normed ? a->branch : a->residual,
                                                    .token_ids = forward->on_device.token_ids,
                                                    .table = model->embedding,
                                                    .tokens = forward->num_tokens,
                                                    .scale = config->embedding_scale,
                                                    .stride = 1});
    if (normed) forward_store_rows(forward, a->residual, a->branch, model->ones, false);
}

// Of the residual, where any are wanted
static void enqueue_logits(const struct forward *forward, struct norm norm,
                           const struct weight *output) {
    const struct model_config *config = &forward->model->config;
    const struct activations *a = &forward->activations;
    if (forward->num_logits == 0) return;
    forward_norm_rows(forward, a->normed, a->residual, norm, config->dim);
    forward->backend->logits(forward->device,
                             &(struct logits){.y = forward->logits,
                                              .x = a->normed,
                                              .row_index = forward->on_device.row_index,
                                              .weight = *output,
                                              .bias = forward->model->output_bias,
                                              .rows = forward->num_logits,
                                              .scale = config->logit_scale,
                                              .softcap = config->logit_softcap});
    if (forward->most == 0) return;
    forward->backend->candidates(
        forward->device,
        &(struct candidates){.best = forward->best,
                             .log_totals = forward->totals ? forward->log_totals : NULL,
                             .logits = forward->logits,
                             .choices = forward->on_device.choices,
                             .penalties = forward->on_device.penalties,
                             .rows = forward->num_logits,
                             .vocabulary = config->vocabulary,
                             .most = forward->most});
}

// False: the run stops.
static bool enqueue(struct forward *forward, bool drafts) {
    const struct model *model = forward->model;
    if (drafts) {
        mtp_draft(forward);
        enqueue_logits(forward, (struct norm){.weight = model->mtp.norm}, &model->mtp.output);
        return true;
    }
    embed(forward);
    if (!enqueue_layers(forward)) return false;
    enqueue_logits(forward, model->output_norm, &model->output);
    mtp_follow(forward);
    return true;
}

static bool is_whole(const struct forward *forward, int32_t row) {
    return row < forward->num_logits && forward->host.choices[row].count == 0;
}

// Rows that nobody chose from, neighbours in one copy.
static void fetch_whole_rows(struct forward *forward) {
    const size_t vocabulary = (size_t)forward->model->config.vocabulary;
    for (int32_t row = 0, end; row < forward->num_logits; row = end + 1) {
        for (end = row; is_whole(forward, end);)
            end++;
        const size_t first = (size_t)row * vocabulary, count = (size_t)(end - row) * vocabulary;
        if (count > 0)
            forward->backend->to_host(forward->device, forward->host_logits + first,
                                      forward->logits + first, count * sizeof(float));
    }
}

// What the arguments of all ops of a decode step depend on; 0: not to be recorded.
static uint64_t shape_of(const struct forward *forward, bool drafts) {
    if (!forward->backend->replay || !only_decodes(forward)) return 0;
    enum { DEPTH_BITS = 4, WIDTH_BITS = 18 };
    const int32_t widest = forward->batches[0].max_blocks_per_seq;
    const int32_t drafted = forward->num_tokens - forward->num_seqs;
    if (widest >= 1 << WIDTH_BITS) return 0;
    uint64_t depths = 0;
    for (int group = 0; group < KV_GROUPS; group++) {
        const int32_t depth = forward->batches[group].shared.depth;
        ASSERT(depth < 1 << DEPTH_BITS);
        depths = depths << DEPTH_BITS | (uint64_t)depth;
    }
    ASSERT(drafted < DRAFTED_TOKENS && forward->num_seqs < 256 && forward->num_logits < 1 << 12);
    return (uint64_t)drafts << 63 | (uint64_t)forward->totals << 62 |
           class_of(forward->most) << 60 | (uint64_t)forward->num_seqs << 52 |
           (uint64_t)forward->num_logits << 40 | (uint64_t)drafted << 34 | depths << WIDTH_BITS |
           (uint64_t)widest;
}

static enum status run(struct forward *forward, bool drafts, forward_stops *stops, void *user) {
    ASSERT(forward->num_seqs > 0);
    const struct backend *backend = forward->backend;
    bool whole = true;
    send_step_data(forward);
    const uint64_t shape = shape_of(forward, drafts);
    forward->stops = shape || forward->num_tokens < LONG_RUN ? NULL : stops;
    forward->stops_user = user;
    atomic_store(&forward->layers_done, 0);
    forward->stuck_at = -1;
    if (!shape) {
        whole = enqueue(forward, drafts);
    } else if (!backend->replay(forward->device, shape)) {
        (void)enqueue(forward, drafts);
        if (!backend->recorded(forward->device)) (void)enqueue(forward, drafts);
    }
    if (whole) fetch_whole_rows(forward);
    const enum status status = backend->sync(forward->device);
    return status == STATUS_OK && !whole ? STATUS_CANCELLED : status;
}

enum status forward_run(struct forward *forward, forward_stops *stops, void *user) {
    return run(forward, false, stops, user);
}

enum status forward_draft(struct forward *forward) {
    ASSERT(forward->model->config.mtp_layers > 0 && only_decodes(forward));
    return run(forward, true, NULL, NULL);
}

float *forward_logits(struct forward *forward, int32_t row) {
    ASSERT(row >= 0 && is_whole(forward, row));
    return forward->host_logits + (size_t)row * (size_t)forward->model->config.vocabulary;
}

float *forward_fetch(struct forward *forward, int32_t row) {
    ASSERT(row >= 0 && row < forward->num_logits && !is_whole(forward, row));
    const size_t vocabulary = (size_t)forward->model->config.vocabulary;
    float *host = forward->host_logits + (size_t)row * vocabulary;
    forward->backend->to_host(forward->device, host, forward->logits + (size_t)row * vocabulary,
                              vocabulary * sizeof(float));
    return forward->backend->sync(forward->device) == STATUS_OK ? host : NULL;
}

const struct candidate *forward_candidates(const struct forward *forward, int32_t row) {
    ASSERT(row >= 0 && row < forward->num_logits);
    return is_whole(forward, row) ? NULL : forward->best + (size_t)row * CANDIDATES_MAX;
}

float forward_log_total(const struct forward *forward, int32_t row) {
    ASSERT(row >= 0 && row < forward->num_logits && forward->host.choices[row].log_total);
    return forward->log_totals[row];
}
