// kernels/cpu/attention.c — rope_and_cache and paged_attention: dividing tokens and heads among
// threads.
//
// Attention is divided into items: the query heads of one KV head, for as many queries of one
// sequence as make 32 rows (64 on a matrix unit). An item reads its keys once for all of its rows.
// Two sequences, 8 query heads, 2 KV heads (so 4 rows a query, 8 queries an item):
//
//   sequence 0, 20 queries    items 0, 1: 16 … 19    items 2, 3: 8 … 15    items 4, 5: 0 … 7
//   sequence 1, 1 query       items 6, 7
//
// Of each pair one item has heads 0 to 3 and the other 4 to 7. The last queries see the most keys
// and come first, so that no long item is left for the end.
//
// Sequences that begin with the same blocks can walk them together: an item then has one query of
// several sequences, and shared keys are read once for all of them. Such items come first.
//
// No list of items is made. What an item is follows from its number, by counting through the batch
// (attend).
#include <math.h>

#include "kernels/base/assert.h"
#include "kernels/cpu/device.h"
#include "kernels/host.h"

enum { ROPE_TOKENS = 2 }; // a task

struct rope_job {
    struct device *device;
    const struct rope_and_cache *args;
};

struct attention_job {
    struct device *device;
    const struct paged_attention *args;
    bool matrix;     // the matrix unit computes
    int32_t heads;   // of a part
    int32_t queries; // of a part
    int32_t members; // of a part of several sequences; 0: there is none
};

// The angle is rounded to fp32 before its cosine is computed, because models are trained like that.
static void compute_cos_sin(float *cos_sin, const struct rope_and_cache *args, int32_t position) {
    const int32_t pairs = args->rotary / 2;
    ASSERT(position >= 0);
    for (int32_t p = 0; p < pairs; p++) {
        const float angle = (float)position * args->inv_freq[p];
        cos_sin[p] = cosf(angle) * args->magnitude;
        cos_sin[pairs + p] = sinf(angle) * args->magnitude;
    }
}

static void rope_head(const struct rope_job *job, float *head, const float *norm,
                      const float *cos_sin) {
    const struct rope_and_cache *args = job->args;
    const struct cpu_isa *isa = job->device->isa;
    const int32_t size = args->cache->head_size;
    if (norm && !args->norm_last) isa->norm_head(head, norm, size, args->eps);
    isa->rotate_head(head, cos_sin, args->rotary, args->interleaved);
    if (norm && args->norm_last) isa->norm_head(head, norm, size, args->eps);
}

static void store_head(const struct rope_job *job, int64_t slot, int plane, int32_t head,
                       const float *values) {
    ASSERT(slot >= 0 && (plane == 0 || plane == 1));
    const struct kv_cache *cache = job->args->cache;
    const int32_t layer = job->args->layer, size = cache->head_size;
    const uint32_t block = (uint32_t)(slot / cache->block_size);
    const size_t key = (size_t)(slot % cache->block_size);
    char *row =
        kv_head_rows(cache, block, layer, plane, head) + key * dtype_row_bytes(cache->type, size);
    if (kv_is_scaled(cache->type))
        kv_head_scales(cache, block, layer, plane, head)[key] =
            job->device->isa->store_scaled(cache->type, (uint8_t *)row, values, size);
    else
        job->device->isa->store(cache->type, row, values, size);
}

static void cache_token(const struct rope_job *job, int32_t token, const float *cos_sin) {
    ASSERT(token >= 0 && token < job->args->batch->num_tokens);
    const struct rope_and_cache *args = job->args;
    const struct kv_cache *cache = args->cache;
    const int64_t slot = args->batch->slot_mapping[token];
    ASSERT(slot >= 0 && slot / cache->block_size < (int64_t)cache->num_blocks);
    for (int32_t h = 0; h < cache->num_kv_heads; h++) {
        const size_t at =
            ((size_t)token * (size_t)cache->num_kv_heads + (size_t)h) * (size_t)cache->head_size;
        float *k = (float *)args->k + at;
        rope_head(job, k, args->k_norm, cos_sin);
        store_head(job, slot, 0, h, k);
        if (args->v) store_head(job, slot, 1, h, (const float *)args->v + at);
    }
}

static void rope_tokens(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct rope_job *job = context;
    const struct rope_and_cache *args = job->args;
    float *cos_sin = thread_scratch(job->device, thread);
    for (int32_t t = (int32_t)begin; t < (int32_t)end; t++) {
        compute_cos_sin(cos_sin, args, args->batch->positions[t]);
        for (int32_t h = 0; h < args->num_heads; h++) {
            const size_t head = (size_t)t * (size_t)args->num_heads + (size_t)h;
            rope_head(job, (float *)args->q + head * (size_t)args->cache->head_size, args->q_norm,
                      cos_sin);
        }
        if (args->k) cache_token(job, t, cos_sin);
    }
}

void cpu_rope_and_cache(struct device *device, const struct rope_and_cache *args) {
    ASSERT(args->layer >= 0 && args->layer < args->cache->num_layers);
    ASSERT(!args->k || !args->v == args->cache->latent);
    ASSERT(args->rotary % 2 == 0 && args->rotary <= args->cache->head_size);
    ASSERT(args->cache->head_size <= device->limits.head_size);
    ASSERT(args->cache->layout == KV_LAYOUT_ROWS);
    struct rope_job job = {device, args};
    threads_for(device->threads, args->batch->num_tokens, ROPE_TOKENS, rope_tokens, &job);
}

static bool shares(const struct attention_job *job, int32_t sequence) {
    return job->members > 0 && job->args->batch->shared.own[sequence] > 0;
}

static int32_t parts_of(const struct attention_job *job, int32_t sequence) {
    ASSERT(sequence >= 0 && sequence < job->args->batch->num_seqs);
    const int32_t *start = job->args->batch->cu_seqlens_q + sequence;
    return shares(job, sequence) ? 0 : (start[1] - start[0] + job->queries - 1) / job->queries;
}

// One past the last of the sequences in shared.order that form a part with number `first`, which
// has nothing in common with the one before or is `members` after the part's beginning.
static int32_t members_end(const struct attention_job *job, int32_t first) {
    const struct batch *batch = job->args->batch;
    ASSERT(first >= 0 && first < batch->num_seqs);
    int32_t end = first + 1;
    while (end < batch->num_seqs && end - first < job->members && batch->shared.common[end - 1] > 0)
        end++;
    return end;
}

// Parts of several sequences; the last one that begins at or before part `nth` is *first.
static int32_t shared_parts(const struct attention_job *job, int32_t nth, int32_t *first) {
    const struct batch *batch = job->args->batch;
    int32_t parts = 0;
    for (int32_t i = 0; i < batch->num_seqs && job->members > 0; i = members_end(job, i)) {
        if (!shares(job, batch->shared.order[i])) continue;
        if (parts <= nth) *first = i;
        parts++;
    }
    return parts;
}

static void attend_part(const struct attention_job *job, struct attention_part *part,
                        int32_t thread) {
    ASSERT(part->head >= 0 && part->head < job->args->num_heads);
    part->args = job->args;
    part->scratch = thread_scratch(job->device, thread);
    (job->matrix ? job->device->matrix->attention : job->device->isa->attention)(part);
}

// Items that differ by their heads alone
static int32_t items_of_part(const struct attention_job *job) {
    ASSERT(job->heads > 0 && job->args->num_heads % job->heads == 0);
    return job->args->num_heads / job->heads;
}

// Item i is the heads of one part. Parts of several sequences, which take longest, come first.
// Within a sequence the last queries, which see the most keys, come first, so that no long part is
// left for the end.
static void attend(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct attention_job *job = context;
    const struct batch *batch = job->args->batch;
    const int32_t heads = items_of_part(job);
    int32_t first = 0;
    const int64_t shared = (int64_t)shared_parts(job, 0, &first) * heads;
    for (int64_t item = begin; item < end; item++) {
        struct attention_part part = {.shares = item < shared,
                                      .head = (int32_t)(item % heads) * job->heads,
                                      .heads = job->heads};
        part.kv_head = part.head / (job->args->num_heads / job->args->cache->num_kv_heads);
        if (part.shares) {
            (void)shared_parts(job, (int32_t)(item / heads), &part.first);
            part.count = members_end(job, part.first) - part.first;
            ASSERT(part.count <= job->members);
            attend_part(job, &part, thread);
            continue;
        }
        int64_t left = item - shared;
        int32_t s = 0;
        for (; left >= (int64_t)parts_of(job, s) * heads; s++)
            left -= (int64_t)parts_of(job, s) * heads;
        ASSERT(s < batch->num_seqs);
        const int32_t nth = parts_of(job, s) - 1 - (int32_t)(left / heads);
        const int32_t queries = batch->cu_seqlens_q[s + 1] - batch->cu_seqlens_q[s];
        const int32_t rest = queries - nth * job->queries;
        part.sequence = s;
        part.first = nth * job->queries;
        part.count = rest < job->queries ? rest : job->queries;
        ASSERT(nth >= 0 && part.count > 0);
        attend_part(job, &part, thread);
    }
}

// Sequences that walk a shared past together: as many as a pass takes, but fewer where threads
// would be idle. A matrix unit attends the heads of one query with other bits.
static int32_t members_of(const struct attention_job *job) {
    const struct batch *batch = job->args->batch;
    const int32_t group = job->heads;
    const int64_t threads = threads_count(job->device->threads);
    int64_t sharing = 0;
    if (!batch->shared.own || (job->matrix && group >= MATRIX_TOKENS)) return 0;
    for (int32_t s = 0; s < batch->num_seqs; s++)
        sharing += batch->shared.own[s] > 0;
    const int64_t heads = items_of_part(job);
    const int64_t each = (sharing * heads + threads - 1) / threads;
    const int64_t most = group < ATTENTION_ROWS ? ATTENTION_ROWS / group : 1;
    return (int32_t)(each < most ? each : most);
}

// The query heads of a KV head are divided where they are many, so that several threads have some.
static int32_t heads_of_part(const struct paged_attention *args) {
    ASSERT(args->num_heads >= args->cache->num_kv_heads);
    const int32_t group = args->num_heads / args->cache->num_kv_heads;
    int32_t parts = 1;
    while (group / parts > MATRIX_TOKENS || group % parts)
        parts++;
    return group / parts;
}

void cpu_paged_attention(struct device *device, const struct paged_attention *args) {
    const struct kv_cache *cache = args->cache;
    ASSERT(args->layer >= 0 && args->layer < cache->num_layers && args->window >= 0);
    ASSERT(cache->layout == KV_LAYOUT_ROWS && args->kernel == ATTENTION_AUTO);
    ASSERT(args->num_heads % cache->num_kv_heads == 0);
    ASSERT(args->num_heads <= device->limits.num_heads);
    ASSERT(cache->head_size <= device->limits.head_size);
    const int32_t heads = heads_of_part(args);
    const bool matrix = device->bf16_tiles != NULL;
    const int32_t rows = matrix ? ATTENTION_MATRIX_ROWS : ATTENTION_ROWS;
    struct attention_job job = {device, args, matrix, heads, rows / heads, 0};
    job.members = members_of(&job);
    int32_t first = 0;
    int64_t items = (int64_t)shared_parts(&job, 0, &first) * items_of_part(&job);
    for (int32_t s = 0; s < args->batch->num_seqs; s++) {
        const int32_t *start = args->batch->cu_seqlens_q + s;
        ASSERT(start[1] >= start[0] && args->batch->seq_lens_kv[s] >= start[1] - start[0]);
        ASSERT(args->batch->seq_lens_kv[s] <=
               (int64_t)args->batch->max_blocks_per_seq * cache->block_size);
        items += (int64_t)parts_of(&job, s) * items_of_part(&job);
    }
    threads_for(device->threads, items, 1, attend, &job);
}
