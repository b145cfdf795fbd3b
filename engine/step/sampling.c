// engine/step/sampling.c — picks tokens from the logits of a step.
#include <math.h>

#include "engine/core/request_state.h"
#include "engine/model/forward.h"
#include "engine/step/step.h"
#include "kernels/base/assert.h"
#include "kernels/base/trace.h"

static int32_t vocabulary_of(const struct request *request) {
    return request->sequence->engine->model.config.vocabulary;
}

// Of the row that follows the first `length` tokens, of the log and then of its drafts. Penalties
// are those of all these tokens: a row is sampled only if the drafts before it were right.
//
// Candidates are enough unless an observer sees the row or the sampler needs all of it. Under a
// grammar as many are requested as there can be, since not all are allowed; and without penalties,
// so that the row can still be fetched as it was. A judge sees candidates without penalties.
static bool choose_candidates(const struct request *request, int32_t length, struct choice *choice,
                              struct penalty *penalties) {
    const struct sequence *sequence = request->sequence;
    const struct request_options *options = &request->options;
    if (options->judge && !options->grammar &&
        vocabulary_of(request) <= CANDIDATES_VOCABULARY_MAX) {
        *choice = (struct choice){.count = options->judged, .log_total = true};
        return true;
    }
    if (options->observer ||
        !sampler_choice(request->sampler, sequence->tokens, (size_t)length, choice, penalties))
        return false;
    if (!options->grammar) return true;
    choice->count = CANDIDATES_MAX;
    return choice->num_penalties == 0;
}

void sampling_add(struct engine *engine, const struct request *request,
                  const struct scheduler_chunk *chunk, int32_t drafted) {
    ASSERT(chunk->count > 0 && drafted >= 0);
    const struct sequence *sequence = request->sequence;
    struct choice choice;
    struct penalty penalties[PENALTIES_MAX];
    forward_add(engine->forward, sequence->tables.of, sequence->tokens + chunk->first, chunk->first,
                chunk->count + drafted, chunk->last ? 1 + drafted : 0);
    for (int32_t i = 0; chunk->last && i <= drafted; i++)
        if (choose_candidates(request, sequence->length + i, &choice, penalties))
            forward_choose(engine->forward, drafted - i, &choice, penalties);
}

static int32_t fail_request(struct request *request, enum status status) {
    request->failure = status;
    return TOKEN_NONE;
}

// Nothing that such a model says means anything, although a sampler would pick its first token.
static int32_t fail_nan(struct request *request) {
    return fail_request(request, error_set(&request->err, STATUS_UNSUPPORTED,
                                           "the model computes NaN: its weights are damaged, or "
                                           "too large for the types that it is computed with"));
}

// From a whole row; `mask` may be NULL.
static int32_t pick_from_row(struct request *request, float *logits, int32_t length,
                             const struct grammar_mask *mask) {
    ASSERT(length >= request->sequence->length);
    const struct request_options *options = &request->options;
    const int32_t vocabulary = vocabulary_of(request);
    if (mask) sampler_allow(request->sampler, mask->bits);
    if (options->observer) {
        for (int32_t id = 0; id < vocabulary && mask; id++)
            if (!(mask->bits[id / 64] >> id % 64 & 1)) logits[id] = -INFINITY;
        options->observer(options->observer_user, logits, vocabulary);
    }
    const int32_t id =
        sampler_pick(request->sampler, logits, request->sequence->tokens, (size_t)length);
    return isnan(logits[id]) ? fail_nan(request) : id; // there was no other
}

// The best of all that the grammar allows are the best among the candidates that it allows, if
// those are enough or all that it allows. Else the row is fetched after all.
static int32_t pick_allowed(struct request *request, struct forward *forward, int32_t row,
                            int32_t length) {
    struct grammar *grammar = request->options.grammar;
    const struct candidate *best = forward_candidates(forward, row);
    struct candidate kept[CANDIDATES_MAX + 1];
    struct grammar_mask mask;
    int32_t count = 0;
    if (!request_walk(request, length))
        return fail_request(request, grammar_is_full(grammar) ? STATUS_TOO_LONG : STATUS_BAD_INPUT);
    if (best) {
        const int32_t needed = sampler_candidates(request->sampler);
        count = grammar_filter(grammar, &request->walk, best, needed, kept);
        kept[count].id = TOKEN_NONE;
        if (count == needed) return sampler_pick_from(request->sampler, kept);
    }
    const enum status status = grammar_allowed(grammar, &request->walk, &mask);
    if (status != STATUS_OK) return fail_request(request, status);
    if (mask.count == 0) return fail_request(request, STATUS_UNSUPPORTED);
    if (best && count == mask.count) return sampler_pick_from(request->sampler, kept);
    float *logits = best ? forward_fetch(forward, row) : forward_logits(forward, row);
    if (!logits) return fail_request(request, STATUS_DEVICE);
    return pick_from_row(request, logits, length, &mask);
}

// The token that follows the first `length` tokens, of the log and then of its drafts; TOKEN_NONE:
// request->failure says why there is none.
static int32_t pick_token(struct request *request, struct forward *forward, int32_t row,
                          int32_t length) {
    if (request->options.grammar) return pick_allowed(request, forward, row, length);
    const struct request_options *options = &request->options;
    const struct candidate *best = forward_candidates(forward, row);
    if (!best) return pick_from_row(request, forward_logits(forward, row), length, NULL);
    if (best[0].id < 0) return fail_nan(request);
    if (options->judge)
        options->judge(options->observer_user, best, options->judged,
                       forward_log_total(forward, row));
    return sampler_pick_from(request->sampler, best);
}

bool sampling_ends_turn(const struct request *request, int32_t token) {
    const struct tokenizer *tokenizer = request->sequence->engine->tokenizer;
    return !request->options.ignore_end && tokenizer && tokenizer_ends_turn(tokenizer, token);
}

// Does more follow the first `length` tokens by the grammar alone? What need not be sampled takes
// no random number.
static bool is_forced(struct request *request, int32_t length) {
    struct grammar *grammar = request->options.grammar;
    struct token_ids ids = {0};
    if (!grammar || !request_walk(request, length)) return false;
    const enum status status = grammar_forced(grammar, &request->walk, 1, &ids);
    const bool forced = status == STATUS_OK && ids.count > 0;
    token_ids_deinit(&ids);
    return forced;
}

// Does the nth draft token count as sampled, whatever was? (Numerical Recipes' generator.)
static bool is_simulated(struct request *request, int32_t nth) {
    const float rate = request->options.simulated[nth];
    if (rate == 0) return false;
    request->simulation = request->simulation * 1664525u + 1013904223u;
    return (float)(request->simulation >> 8) < rate * (float)(1 << 24);
}

// Verifies drafts: samples the next token, and one more after each draft that equals the token
// sampled for its position, up to the turn's end or to tokens that must follow. These are the
// tokens that decoding one by one would give. Returns how many.
static int32_t pick_tokens(struct request *request, struct forward *forward, int32_t row,
                           int32_t drafted, int32_t *picked) {
    ASSERT(row >= 0 && drafted >= 0);
    const struct sequence *sequence = request->sequence;
    int32_t count = 0;
    bool accepted = true;
    while (accepted && count <= drafted) {
        const int32_t length = sequence->length + count;
        int32_t id = pick_token(request, forward, row + count, length);
        if (id == TOKEN_NONE) break;
        if (count < drafted && is_simulated(request, count)) id = sequence->tokens[length];
        accepted = count < drafted && id == sequence->tokens[length] &&
                   !sampling_ends_turn(request, id) && !is_forced(request, length + 1);
        picked[count++] = id;
    }
    return count;
}

void sampling_pick(struct engine *engine, struct step *step) {
    struct trace_span span = trace_begin("sample");
    int32_t row = 0, picked = 0;
    for (int32_t i = 0; i < step->count; i++) {
        step->picked_count[i] = 0;
        if (!step->chunks[i].last) continue;
        step->picked_count[i] = pick_tokens(step->requests[i], engine->forward, row,
                                            step->drafted[i], step->picked + picked);
        ASSERT(step->picked_count[i] <= 1 + step->drafted[i]);
        row += 1 + step->drafted[i];
        picked += step->picked_count[i];
    }
    span.tokens = picked;
    trace_end(&span);
}
