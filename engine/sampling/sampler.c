// engine/sampling/sampler.c — the chain of sampler.h without sorting the vocabulary.
//
// Of a vocabulary of 150,000 a pick needs a few tokens, so nothing here sorts all of them:
//
//   top_k         a heap of k with the worst on top. Most ids are worse and cost one comparison
//   top_p alone   a heap of all with the best on top, which is popped until the sum is enough
//   penalties     counted in an array over the vocabulary, which is cleared by walking the history
//                 again and not the array
//
// Probabilities are never normalised: the best has weight 1 and each other exp(logit - highest), so
// nothing overflows, and sums are compared with sums. The temperature only enters when one of the
// survivors is drawn.
//
// Every pick draws a random number, also if it is not used. So the n-th token of an answer gets the
// n-th number of its seed, whatever was greedy or forced before it.
//
// If the device finds the best candidates (sampler_choice), they arrive in the order in which
// keep_top_k() would have left them, and the rest of the chain is the same code.
#include "engine/sampling/sampler.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "kernels/backend.h"
#include "kernels/base/assert.h"

struct sampler {
    struct sampler_options options;
    uint64_t random_state;
    int32_t vocabulary;
    size_t capacity;               // candidates that fit: top_k, or the vocabulary
    const uint64_t *allowed;       // by the next pick; NULL: all
    uint32_t *occurrences;         // [vocabulary], all 0 between picks; NULL without penalties
    struct candidate candidates[]; // [capacity]
};

struct survivors {
    struct candidate *first;
    size_t count;
};

static double next_random(struct sampler *sampler) { // 0 <= x < 1
    uint64_t z = sampler->random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

static bool better(struct candidate a, struct candidate b) {
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

// A heap with the best candidate on top, or the worst.
static void sift_down(struct candidate *heap, size_t count, size_t at, bool best_on_top) {
    const struct candidate moved = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && better(heap[child + 1], heap[child]) == best_on_top) child++;
        if (better(heap[child], moved) != best_on_top) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void heap_make(struct candidate *heap, size_t count, bool best_on_top) {
    for (size_t at = count / 2; at > 0; at--)
        sift_down(heap, count, at - 1, best_on_top);
}

static bool has_penalties(const struct sampler_options *options) {
    return options->penalty_last_n != 0 &&
           (options->repeat_penalty != 1 || options->presence_penalty != 0 ||
            options->frequency_penalty != 0);
}

static struct choice choice_of(const struct sampler_options *options) {
    return (struct choice){.repeat_penalty = options->repeat_penalty,
                           .presence_penalty = options->presence_penalty,
                           .frequency_penalty = options->frequency_penalty};
}

// Counts the tokens that penalties apply to. Returns the first of them; they end with the history.
static const int32_t *count_recent(struct sampler *sampler, const int32_t *history, size_t count) {
    const struct sampler_options *options = &sampler->options;
    const int32_t *end = history + count;
    if (!has_penalties(options) || count == 0) return end;
    const size_t most = options->penalty_last_n < 0 ? count : (size_t)options->penalty_last_n;
    const int32_t *first = count > most ? end - most : history;
    for (const int32_t *id = first; id < end; id++) {
        ASSERT(*id >= 0 && *id < sampler->vocabulary);
        sampler->occurrences[*id]++;
    }
    return first;
}

static void penalise(struct sampler *sampler, float *logits, const int32_t *history, size_t count) {
    const struct choice choice = choice_of(&sampler->options);
    const int32_t *first = count_recent(sampler, history, count);
    for (const int32_t *id = first; id < history + count; id++) {
        const int32_t occurrences = (int32_t)sampler->occurrences[*id];
        if (occurrences > 0) logits[*id] = penalised_logit(logits[*id], &choice, occurrences);
        sampler->occurrences[*id] = 0;
    }
}

// The first id from `id` on that is allowed, or the vocabulary.
static int32_t next_allowed(const struct sampler *sampler, int32_t id) {
    const uint64_t *allowed = sampler->allowed;
    const int32_t words = (sampler->vocabulary + 63) / 64;
    if (!allowed || id >= sampler->vocabulary) return id;
    int32_t at = id / 64;
    uint64_t word = allowed[at] & ~(uint64_t)0 << id % 64;
    while (word == 0 && ++at < words)
        word = allowed[at];
    return word == 0 ? sampler->vocabulary : at * 64 + __builtin_ctzll(word);
}

static int32_t best_id(const struct sampler *sampler, const float *logits) {
    const int32_t first = next_allowed(sampler, 0);
    int32_t best = -1;
    for (int32_t id = first; id < sampler->vocabulary; id = next_allowed(sampler, id + 1))
        if (!isnan(logits[id]) && (best < 0 || logits[id] > logits[best])) best = id;
    return best < 0 ? first : best;
}

// Sorts a heap that has the worst on top: the best comes first.
static void sort(struct candidate *heap, size_t count) {
    for (size_t left = count; left > 1;) {
        const struct candidate worst = heap[0];
        heap[0] = heap[--left];
        heap[left] = worst;
        sift_down(heap, left, 0, false);
    }
}

// Keeps the best `capacity` candidates, best first; or, if all are kept, in the order of ids. Once
// the capacity is reached, a heap has the worst on top, and one comparison rejects most ids.
static struct survivors keep_top_k(struct sampler *sampler, const float *logits) {
    const size_t capacity = sampler->capacity, vocabulary = (size_t)sampler->vocabulary;
    struct candidate *kept = sampler->candidates;
    size_t count = 0;
    for (int32_t id = next_allowed(sampler, 0); id < sampler->vocabulary;
         id = next_allowed(sampler, id + 1)) {
        const struct candidate next = {id, logits[id]};
        if (!(next.logit > -INFINITY)) continue; // NaN too
        if (count < capacity) {
            kept[count++] = next;
            if (count == capacity && capacity < vocabulary) heap_make(kept, count, false);
        } else if (better(next, kept[0])) {
            kept[0] = next;
            sift_down(kept, count, 0, false);
        }
    }
    if (capacity < vocabulary) {
        if (count < capacity) heap_make(kept, count, false);
        sort(kept, count);
    }
    ASSERT(count <= capacity);
    return (struct survivors){kept, count};
}

static float highest_logit(struct survivors from) {
    float highest = from.first[0].logit;
    for (size_t i = 1; i < from.count; i++)
        highest = fmaxf(highest, from.first[i].logit);
    return highest;
}

// Not normalised: the best has 1. An infinite logit leaves nothing for the finite ones.
static double weight(float logit, float highest, float temperature) {
    return logit == highest ? 1 : exp(((double)logit - (double)highest) / (double)temperature);
}

static double total_weight(struct survivors from, float highest, float temperature) {
    double total = 0;
    for (size_t i = 0; i < from.count; i++)
        total += weight(from.first[i].logit, highest, temperature);
    return total;
}

// Pops the best off a heap until their probabilities reach top_p. Popped candidates gather at the
// array's end.
static struct survivors keep_top_p(struct survivors from, float top_p) {
    if (top_p >= 1) return from;
    ASSERT(from.count > 0);
    const float highest = highest_logit(from);
    const double enough = (double)top_p * total_weight(from, highest, 1);
    size_t heap_count = from.count;
    double kept = 0;
    heap_make(from.first, heap_count, true);
    do {
        const struct candidate best = from.first[0];
        from.first[0] = from.first[--heap_count];
        from.first[heap_count] = best;
        if (heap_count > 0) sift_down(from.first, heap_count, 0, true);
        kept += weight(best.logit, highest, 1);
    } while (kept < enough && heap_count > 0);
    ASSERT(heap_count < from.count);
    return (struct survivors){from.first + heap_count, from.count - heap_count};
}

static struct survivors keep_min_p(struct survivors from, float min_p) {
    if (min_p <= 0) return from;
    const float highest = highest_logit(from);
    size_t kept = 0;
    for (size_t i = 0; i < from.count; i++)
        if (weight(from.first[i].logit, highest, 1) >= (double)min_p)
            from.first[kept++] = from.first[i];
    ASSERT(kept > 0); // the best is as probable as itself
    return (struct survivors){from.first, kept};
}

static int32_t draw_token(struct survivors from, float temperature, double random) {
    ASSERT(from.count > 0 && temperature > 0);
    const float highest = highest_logit(from);
    const double target = random * total_weight(from, highest, temperature);
    double passed = 0;
    int32_t id = from.first[0].id;
    for (size_t i = 0; i < from.count && passed <= target; i++) {
        const double step = weight(from.first[i].logit, highest, temperature);
        if (step > 0) id = from.first[i].id;
        passed += step;
    }
    return id;
}

struct sampler_options sampler_options_default(void) {
    return (struct sampler_options){
        .temperature = 0.7f, .top_k = 40, .top_p = 0.9f, .repeat_penalty = 1, .penalty_last_n = 64};
}

void sampler_options_merge(struct sampler_options *options, const struct sampler_options *given) {
    static const size_t size = sizeof(float);
    for (size_t at = 0; at < offsetof(struct sampler_options, given); at += size)
        if (given->given >> at / size & 1)
            memcpy((char *)options + at, (const char *)given + at, size);
    options->given |= given->given;
}

bool sampler_options_alike(const struct sampler_options *one, const struct sampler_options *other) {
    return one->temperature == other->temperature && one->top_k == other->top_k &&
           one->top_p == other->top_p && one->min_p == other->min_p &&
           one->repeat_penalty == other->repeat_penalty &&
           one->presence_penalty == other->presence_penalty &&
           one->frequency_penalty == other->frequency_penalty &&
           one->penalty_last_n == other->penalty_last_n && one->given == other->given;
}

enum status sampler_options_check(const struct sampler_options *options, struct error *err) {
    const struct {
        const char *name;
        float value, least, most;
    } ranges[] = {
        {"temperature", options->temperature, 0, 100},
        {"top_p", options->top_p, 0, 1},
        {"min_p", options->min_p, 0, 1},
        {"repeat_penalty", options->repeat_penalty, 0.1f, 10},
        {"presence_penalty", options->presence_penalty, -100, 100},
        {"frequency_penalty", options->frequency_penalty, -100, 100},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (!(ranges[i].value >= ranges[i].least && ranges[i].value <= ranges[i].most))
            return error_set(err, STATUS_BAD_INPUT, "%s must be from %g to %g, not %g",
                             ranges[i].name, (double)ranges[i].least, (double)ranges[i].most,
                             (double)ranges[i].value);
    if (options->top_k < 0)
        return error_set(err, STATUS_BAD_INPUT, "top_k must be 0 (off) or more, not %d",
                         options->top_k);
    if (options->penalty_last_n < -1)
        return error_set(err, STATUS_BAD_INPUT,
                         "penalty_last_n must be -1 (all), 0 (off) or more, not %d",
                         options->penalty_last_n);
    return STATUS_OK;
}

struct sampler *sampler_create(int32_t vocabulary, const struct sampler_options *options) {
    ASSERT(vocabulary > 0);
    ASSERT(sampler_options_check(options, NULL) == STATUS_OK);
    const bool limited = options->top_k > 0 && options->top_k < vocabulary;
    const size_t capacity = (size_t)(limited ? options->top_k : vocabulary);
    struct sampler *sampler = malloc(sizeof *sampler + capacity * sizeof sampler->candidates[0]);
    if (!sampler) return NULL;
    *sampler = (struct sampler){.options = *options,
                                .random_state = options->seed,
                                .vocabulary = vocabulary,
                                .capacity = capacity};
    if (has_penalties(options)) {
        sampler->occurrences = calloc((size_t)vocabulary, sizeof sampler->occurrences[0]);
        if (!sampler->occurrences) {
            free(sampler);
            return NULL;
        }
    }
    return sampler;
}

void sampler_destroy(struct sampler *sampler) {
    if (sampler) free(sampler->occurrences);
    free(sampler);
}

static int32_t pick_survivor(const struct sampler_options *options, struct survivors left,
                             double random) {
    left = keep_top_p(left, options->top_p);
    left = keep_min_p(left, options->min_p);
    return draw_token(left, options->temperature, random);
}

void sampler_allow(struct sampler *sampler, const uint64_t *allowed) { sampler->allowed = allowed; }

int32_t sampler_pick(struct sampler *sampler, float *logits, const int32_t *history,
                     size_t history_count) {
    const struct sampler_options *options = &sampler->options;
    const double random = next_random(sampler);
    struct survivors left = {0};
    penalise(sampler, logits, history, history_count);
    if (options->temperature > 0) left = keep_top_k(sampler, logits);
    const int32_t best = left.count == 0 ? best_id(sampler, logits) : 0;
    sampler->allowed = NULL;
    return left.count == 0 ? best : pick_survivor(options, left, random);
}

int32_t sampler_candidates(const struct sampler *sampler) {
    if (sampler->vocabulary > CANDIDATES_VOCABULARY_MAX) return 0;
    if (sampler->options.temperature == 0) return 1;
    const bool limited = sampler->capacity < (size_t)sampler->vocabulary;
    return limited && sampler->capacity <= CANDIDATES_MAX ? (int32_t)sampler->capacity : 0;
}

bool sampler_choice(struct sampler *sampler, const int32_t *history, size_t count,
                    struct choice *choice, struct penalty *penalties) {
    struct choice wanted = choice_of(&sampler->options);
    wanted.count = sampler_candidates(sampler);
    if (wanted.count == 0) return false;
    int32_t distinct = 0;
    const int32_t *first = count_recent(sampler, history, count);
    for (const int32_t *id = first; id < history + count; id++) {
        const int32_t occurrences = (int32_t)sampler->occurrences[*id];
        sampler->occurrences[*id] = 0;
        if (occurrences == 0) continue; // listed already
        if (distinct < PENALTIES_MAX) penalties[distinct] = (struct penalty){*id, occurrences};
        distinct++;
    }
    if (distinct > PENALTIES_MAX) return false;
    wanted.num_penalties = distinct;
    *choice = wanted;
    return true;
}

int32_t sampler_pick_from(struct sampler *sampler, const struct candidate *best) {
    const int32_t needed = sampler_candidates(sampler);
    const double random = next_random(sampler);
    ASSERT(needed > 0);
    if (best[0].id < 0) return 0; // every logit is NaN
    if (sampler->options.temperature == 0) return best[0].id;
    struct survivors left = {sampler->candidates, 0};
    while (left.count < (size_t)needed && best[left.count].id >= 0 &&
           best[left.count].logit > -INFINITY) {
        left.first[left.count] = best[left.count];
        left.count++;
    }
    if (left.count == 0) return best[0].id;
    return pick_survivor(&sampler->options, left, random);
}
