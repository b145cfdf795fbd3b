// kernels/cpu/candidates.c — the best logits of each row, and the log of its total, a row a thread.
//
// A heap with the worst kept candidate on top rejects most ids, many of them with one comparison.
// At the end it is emptied, worst first. Bound by reading the row once.
#include <math.h>

#include "kernels/base/assert.h"
#include "kernels/cpu/device.h"

static bool better(struct candidate a, struct candidate b) {
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

static void sift_down(struct candidate *heap, int32_t count, int32_t at) {
    const struct candidate moved = heap[at];
    for (int32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && better(heap[child], heap[child + 1])) child++;
        if (better(heap[child], moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

// Builds a heap of the first `count` ids whose logits are not NaN; *id is where it stopped.
static int32_t fill_heap(const float *logits, int32_t vocabulary, int32_t count,
                         struct candidate *heap, int32_t *id) {
    ASSERT(count > 0);
    int32_t kept = 0;
    for (; *id < vocabulary && kept < count; ++*id)
        if (logits[*id] == logits[*id])                                 // is a number
            heap[kept++] = (struct candidate){*id, logits[*id] + 0.0f}; // -0 + 0 is 0
    for (int32_t at = kept / 2; at > 0; at--)
        sift_down(heap, kept, at - 1);
    return kept;
}

static void choose_candidates(const struct cpu_isa *isa, const float *logits, int32_t vocabulary,
                              int32_t count, struct candidate *heap) {
    int32_t id = 0;
    const int32_t kept = fill_heap(logits, vocabulary, count, heap, &id);
    // Of equal logits the lower id is kept.
    while (id < vocabulary &&
           (id = isa->find_above(logits, id, vocabulary, heap[0].logit)) < vocabulary) {
        heap[0] = (struct candidate){id, logits[id] + 0.0f};
        id++;
        sift_down(heap, kept, 0);
    }
    for (int32_t left = kept - 1; left > 0; left--) {
        const struct candidate worst = heap[0];
        heap[0] = heap[left];
        heap[left] = worst;
        sift_down(heap, left, 0);
    }
    for (int32_t i = kept; i < count; i++)
        heap[i] = (struct candidate){-1, 0};
}

static float log_total_of(const float *logits, int32_t vocabulary) {
    float highest = -INFINITY;
    double total = 0;
    for (int32_t id = 0; id < vocabulary; id++)
        highest = logits[id] > highest ? logits[id] : highest;
    if (isinf(highest)) return highest;
    for (int32_t id = 0; id < vocabulary; id++)
        if (!isnan(logits[id])) total += (double)expf(logits[id] - highest);
    return (float)((double)highest + log(total));
}

struct candidates_job {
    const struct cpu_isa *isa;
    const struct candidates *args;
};

static void candidates_part(void *context, int64_t begin, int64_t end, int32_t thread) {
    const struct candidates_job *job = context;
    const struct candidates *args = job->args;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        const struct choice *choice = &args->choices[r];
        float *logits = args->logits + (size_t)r * (size_t)args->vocabulary;
        ASSERT(choice->count >= 0 && choice->count <= args->most);
        if (choice->count == 0) continue;
        ASSERT(choice->num_penalties >= 0 && choice->num_penalties <= PENALTIES_MAX);
        if (args->log_totals && choice->log_total)
            args->log_totals[r] = log_total_of(logits, args->vocabulary);
        for (int32_t i = 0; i < choice->num_penalties; i++) {
            const struct penalty *penalty = &args->penalties[choice->first_penalty + i];
            ASSERT(penalty->id >= 0 && penalty->id < args->vocabulary);
            logits[penalty->id] =
                penalised_logit(logits[penalty->id], choice, penalty->occurrences);
        }
        choose_candidates(job->isa, logits, args->vocabulary, choice->count,
                          args->best + (size_t)r * CANDIDATES_MAX);
    }
}

void cpu_candidates(struct device *device, const struct candidates *args) {
    ASSERT(args->rows > 0 && args->most <= CANDIDATES_MAX);
    ASSERT(args->vocabulary > 0 && args->vocabulary <= CANDIDATES_VOCABULARY_MAX);
    struct candidates_job job = {device->isa, args};
    threads_for(device->threads, args->rows, 1, candidates_part, &job);
}
