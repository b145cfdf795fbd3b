// engine/sampling/sampler.h — which token comes next, given the logits?
//
// One sampler belongs to one request: it holds the options and the state of the random
// numbers. Each pick runs this chain, in the order that users of other programs know:
//
//   penalties    over the ids of the last penalty_last_n tokens, each once:
//                logit > 0: logit / repeat_penalty, else logit * repeat_penalty;
//                then minus presence_penalty and minus occurrences * frequency_penalty
//   temperature  0: the highest logit is picked, the lowest id where several are equal;
//                the rest of the chain does not run
//   top_k        keeps the k highest logits (0: all); equal ones by the lower id, which are best
//                first from here on
//   top_p        keeps the fewest, most probable ones whose probabilities reach top_p (1: all)
//   min_p        keeps those at least min_p times as probable as the best (0: all)
//   temperature  divides what is left, and one is drawn by softmax
//
// top_p and min_p see probabilities at temperature 1, taken over what the step before them kept.
//
// Invariants: a NaN or -infinity is picked only if there is nothing else (then the lowest id
// that is not NaN, or 0); each pick draws exactly one random number, whatever the options;
// equal seed, options, logits and histories give equal ids.
//
// Random numbers are SplitMix64 (Steele, Lea & Flood, OOPSLA 2014). Min-p: Nguyen et al.,
// arXiv 2407.01082; top-p: Holtzman et al., arXiv 1904.09751.
//
// If few candidates are enough (greedy, or a small top_k), the device can find them, penalties
// included. sampler_choice() says what to request, and sampler_pick_from() runs the rest of the
// chain, with the same id as sampler_pick(). So the logits need not be copied to the host.
//
// Memory: all in sampler_create(). Threads: one at a time.
#ifndef ENGINE_SAMPLING_SAMPLER_H
#define ENGINE_SAMPLING_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct sampler;
struct candidate; // these three are kernels/backend.h's
struct choice;
struct penalty;

struct sampler_options {
    float temperature;       // 0 to 100
    int32_t top_k;           // 0 or more; 0: off
    float top_p;             // 0 to 1; 0: only the best, 1: off
    float min_p;             // 0 to 1; 0: off
    float repeat_penalty;    // 0.1 to 10; 1: off
    float presence_penalty;  // -100 to 100; 0: off
    float frequency_penalty; // -100 to 100; 0: off
    int32_t penalty_last_n;  // tokens that penalties look back; 0: off, -1: all of them
    uint64_t given;          // SAMPLER_GIVEN of each field above that a person has set
    uint64_t seed;
};
#define SAMPLER_GIVEN(field) \
    (UINT64_C(1) << (offsetof(struct sampler_options, field) / sizeof(float)))

// Temperature 0.7, top_k 40, top_p 0.9, no penalties (over 64 tokens, if turned on), seed 0.
struct sampler_options sampler_options_default(void);

// Copies what a person has set in `given` to *options.
void sampler_options_merge(struct sampler_options *options, const struct sampler_options *given);

// Do they sample alike? The seed does not count.
bool sampler_options_alike(const struct sampler_options *one, const struct sampler_options *other);

// BAD_INPUT names the option, its value and what it may be.
MUST_CHECK enum status sampler_options_check(const struct sampler_options *options,
                                             struct error *err);

// `options` pass the check and are copied; vocabulary > 0. NULL when memory is short.
struct sampler *sampler_create(int32_t vocabulary, const struct sampler_options *options);
void sampler_destroy(struct sampler *sampler); // NULL is fine

// In the next pick only ids whose bit is set count; bits [(vocabulary + 63) / 64], borrowed until
// then, and not all 0. NULL: all ids, as in every pick without this call.
void sampler_allow(struct sampler *sampler, const uint64_t *allowed);

// The next id, 0 ... vocabulary - 1. `logits` [vocabulary] are overwritten where penalties
// change them. `history` is the whole token log, oldest first, ids in range.
int32_t sampler_pick(struct sampler *sampler, float *logits, const int32_t *history,
                     size_t history_count);

// Fills *choice, and penalties [PENALTIES_MAX] as far as choice->num_penalties. False, with *choice
// untouched: a pick needs the whole row.
bool sampler_choice(struct sampler *sampler, const int32_t *history, size_t history_count,
                    struct choice *choice, struct penalty *penalties);

// How many candidates of a row a pick needs; 0: all that there are.
int32_t sampler_candidates(const struct sampler *sampler);

// The next id, from the candidates of a row, best first: as many as a pick needs, or all there are
// and then one with the id -1.
int32_t sampler_pick_from(struct sampler *sampler, const struct candidate *best);

#endif
