// engine/beams.c — beam search as ordinary requests of one token each.
//
// A step starts one request for each beam (start_step). The engine batches them like all others;
// its thread calls judge() with the best candidates of each row of logits, or look_at_row() with
// the whole row where a grammar forbids tokens. The token that a request samples is dropped again
// (sequence_truncate): only the row is of interest. When the last of the requests is over, the
// search advances on the UI's thread.
//
// Width 2; sums of log-probabilities:
//
//   beams       best continuations of each                merged, 2 * width of them
//   A  -1.0     a -1.2   b -1.9   c -3.1   d -4.0         Aa -1.2   Bx -1.6   Ab -1.9   By -2.0
//   B  -1.5     x -1.6   y -2.0   z -2.2   w -2.5         next beams: A + a and B + x
//
// Each beam brings 2 * width continuations, because up to `width` of the best may end the turn, and
// as many must be left to continue with. If two chosen ones come from one beam, the first takes its
// sequence and the second a fork of it (grow_beams), which copies one block at most; a beam without
// a chosen one gives its blocks back.
#include "engine/beams.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/core/sequence_state.h"
#include "engine/engine.h"
#include "engine/grammar/grammar.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"

enum { LOOKED_AT = 2 * BEAMS_MAX_WIDTH };

struct scored {
    int32_t id;
    double log_probability;
};

struct beam {
    struct sequence *sequence;
    _Atomic(struct request *) request; // NULL between steps
    double sum;                        // of log-probabilities
    struct scored best[LOOKED_AT];     // of its continuations, by the last step
    int32_t best_count;
    int32_t looked_at; // 2 * width
};

struct choice_of_beam { // a continuation
    int32_t beam, id;
    double sum;
};

struct hypothesis {
    int32_t *tokens; // [count], owned
    int32_t count;
    double score;
    bool ended;
};

struct beams {
    struct beams_options options;
    struct engine *engine;
    struct beam beams[BEAMS_MAX_WIDTH];
    int32_t live, waiting; // beams; of those, whose step is not over
    int32_t prompt;        // tokens of the sequence
    int32_t generated, max_tokens;
    struct hypothesis results[BEAMS_MAX_WIDTH]; // the best first
    int32_t result_count;
    atomic_bool cancelled;
    bool background, done;
    enum status status;
    struct error err;           // of the request that failed, if it says more
    struct request_stats stats; // of the first step, with the other steps added
    int64_t began_us, first_us;
};

// ---- the continuations of a beam

static bool precedes(struct scored a, struct scored b) {
    return a.log_probability > b.log_probability ||
           (a.log_probability == b.log_probability && a.id < b.id);
}

static void keep_best(struct beam *beam, struct scored scored) {
    int32_t at = beam->best_count;
    if (at == beam->looked_at && !precedes(scored, beam->best[at - 1])) return;
    if (at < beam->looked_at) beam->best_count++;
    at = beam->best_count - 1;
    for (; at > 0 && precedes(scored, beam->best[at - 1]); at--)
        beam->best[at] = beam->best[at - 1];
    beam->best[at] = scored;
}

// Called on the engine's thread, which alone uses the beam until its step is over.
static void judge(void *user, const struct candidate *best, int32_t count, float log_total) {
    struct beam *beam = user;
    ASSERT(count == beam->looked_at);
    beam->best_count = 0;
    for (int32_t i = 0; i < count && best[i].id >= 0 && best[i].logit > -INFINITY; i++)
        beam->best[beam->best_count++] =
            (struct scored){best[i].id, (double)best[i].logit - (double)log_total};
}

// The same from a whole row, where a grammar has forbidden some of it.
static void look_at_row(void *user, const float *logits, int32_t vocabulary) {
    struct beam *beam = user;
    double highest = -(double)INFINITY, total = 0;
    beam->best_count = 0;
    for (int32_t id = 0; id < vocabulary; id++)
        if ((double)logits[id] > highest) highest = (double)logits[id];
    for (int32_t id = 0; id < vocabulary; id++)
        if (!isnan(logits[id])) total += exp((double)logits[id] - highest);
    const double shift = highest + log(total);
    for (int32_t id = 0; id < vocabulary; id++)
        if (!isnan(logits[id]) && logits[id] > -INFINITY)
            keep_best(beam, (struct scored){id, (double)logits[id] - shift});
}

// ---- finished continuations

static const int32_t *own_tokens(const struct beams *beams, int32_t beam) {
    return sequence_tokens(beams->beams[beam].sequence) + beams->prompt;
}

static double score_of(const struct beams *beams, double sum, int32_t tokens) {
    return sum / pow(tokens, beams->options.length_penalty);
}

// Finishes the beam's tokens followed by `id`, or without it if it is TOKEN_NONE.
static enum status finish_one(struct beams *beams, int32_t beam, int32_t id, double sum,
                              bool ended) {
    const int32_t before = beams->generated, count = before + (id != TOKEN_NONE);
    struct hypothesis made = {.count = count, .ended = ended};
    if (count == 0) return STATUS_OK;
    made.score = score_of(beams, sum, count);
    if (beams->result_count == beams->options.width &&
        made.score <= beams->results[beams->result_count - 1].score)
        return STATUS_OK;
    made.tokens = malloc((size_t)count * sizeof made.tokens[0]);
    if (!made.tokens) return STATUS_NO_MEMORY;
    memcpy(made.tokens, own_tokens(beams, beam), (size_t)before * sizeof made.tokens[0]);
    if (id != TOKEN_NONE) made.tokens[before] = id;
    if (beams->result_count == beams->options.width)
        free(beams->results[--beams->result_count].tokens);
    int32_t at = beams->result_count++;
    for (; at > 0 && made.score > beams->results[at - 1].score; at--)
        beams->results[at] = beams->results[at - 1];
    beams->results[at] = made;
    return STATUS_OK;
}

// ---- steps

static void end_beams(struct beams *beams, enum status status) {
    ASSERT(!beams->done && beams->waiting == 0);
    beams->done = true;
    beams->status = status;
    if (beams->first_us) beams->stats.decode_us = clock_now_us() - beams->first_us;
    for (int32_t i = 0; i < beams->live; i++)
        sequence_destroy(beams->beams[i].sequence);
    beams->live = 0;
}

static enum status start_step(struct beams *beams) {
    struct sequence *sequences[BEAMS_MAX_WIDTH];
    struct request_options options[BEAMS_MAX_WIDTH];
    struct request *requests[BEAMS_MAX_WIDTH];
    for (int32_t i = 0; i < beams->live; i++) {
        sequences[i] = beams->beams[i].sequence;
        beams->beams[i].looked_at = 2 * beams->options.width;
        options[i] = (struct request_options){.sampler = sampler_options_default(),
                                              .max_tokens = 1,
                                              .background = beams->background,
                                              .ignore_end = true,
                                              .grammar = beams->options.grammar,
                                              .begun = beams->options.begun,
                                              .answered = beams->generated,
                                              .observer = look_at_row,
                                              .judge = judge,
                                              .judged = 2 * beams->options.width,
                                              .observer_user = &beams->beams[i],
                                              .owner = beams->options.owner};
        options[i].sampler.temperature = 0;
    }
    ASSERT(beams->live > 0 && beams->waiting == 0);
    TRY(request_start_all(sequences, options, beams->live, requests));
    beams->waiting = beams->live;
    for (int32_t i = 0; i < beams->live; i++)
        atomic_store(&beams->beams[i].request, requests[i]);
    if (atomic_load(&beams->cancelled)) beams_cancel(beams);
    return STATUS_OK;
}

// The best continuations of all beams together, in order. Each beam's are in order already.
static int32_t merge_beams(const struct beams *beams, struct choice_of_beam *choices) {
    int32_t next[BEAMS_MAX_WIDTH] = {0}, count = 0;
    while (count < 2 * beams->options.width) {
        int32_t best = -1;
        double best_sum = 0;
        for (int32_t i = 0; i < beams->live; i++) {
            const struct beam *beam = &beams->beams[i];
            if (next[i] == beam->best_count) continue;
            const double sum = beam->sum + beam->best[next[i]].log_probability;
            if (best >= 0 && sum <= best_sum) continue;
            best = i;
            best_sum = sum;
        }
        if (best < 0) break;
        choices[count++] = (struct choice_of_beam){
            .beam = best, .id = beams->beams[best].best[next[best]++].id, .sum = best_sum};
    }
    return count;
}

// Each chosen continuation gets a sequence: its beam's own, or, when that has one already, a fork.
static enum status grow_beams(struct beams *beams, const struct choice_of_beam *chosen,
                              int32_t count) {
    struct sequence *sequences[BEAMS_MAX_WIDTH] = {NULL};
    bool taken[BEAMS_MAX_WIDTH] = {false};
    enum status status = STATUS_OK;
    int32_t made = 0;
    ASSERT(count > 0 && count <= beams->options.width);
    for (; made < count && status == STATUS_OK; made++) {
        ASSERT(chosen[made].beam >= 0 && chosen[made].beam < beams->live);
        struct sequence *from = beams->beams[chosen[made].beam].sequence;
        if (taken[chosen[made].beam])
            status = sequence_fork(from, &sequences[made]);
        else
            sequences[made] = from;
        taken[chosen[made].beam] = true;
    }
    for (int32_t i = 0; i < beams->live; i++)
        if (!taken[i]) sequence_destroy(beams->beams[i].sequence);
    beams->live = made - (status != STATUS_OK);
    for (int32_t i = 0; i < beams->live; i++) {
        beams->beams[i].sequence = sequences[i];
        beams->beams[i].sum = chosen[i].sum;
        if (status == STATUS_OK) status = sequence_append(sequences[i], &chosen[i].id, 1);
    }
    return status;
}

static bool is_over(const struct beams *beams, const struct choice_of_beam *chosen, int32_t count) {
    const int32_t width = beams->options.width;
    if (count == 0 || beams->generated == beams->max_tokens) return true;
    if (beams->result_count < width) return false;
    return beams->options.early_stopping ||
           score_of(beams, chosen[0].sum, beams->generated) <= beams->results[width - 1].score;
}

// Ends a step: every beam has reported its continuations.
static enum status advance_beams(struct beams *beams) {
    struct choice_of_beam looked_at[LOOKED_AT], chosen[BEAMS_MAX_WIDTH];
    const struct tokenizer *tokenizer = engine_tokenizer(beams->engine);
    const int32_t width = beams->options.width;
    int32_t count = 0;
    for (int32_t i = 0; i < beams->live; i++) // drops the token that the request sampled
        sequence_truncate(beams->beams[i].sequence, beams->prompt + beams->generated);
    const int32_t looked = merge_beams(beams, looked_at);
    ASSERT(looked <= LOOKED_AT);
    for (int32_t i = 0; i < looked && count < width; i++) {
        const struct choice_of_beam *choice = &looked_at[i];
        if (!tokenizer || !tokenizer_ends_turn(tokenizer, choice->id))
            chosen[count++] = *choice;
        else if (i < width)
            TRY(finish_one(beams, choice->beam, choice->id, choice->sum, true));
    }
    beams->generated++;
    const bool over = is_over(beams, chosen, count);
    if (over && beams->generated == beams->max_tokens) {
        beams->generated--; // the beams have not grown yet
        for (int32_t i = 0; i < count; i++)
            TRY(finish_one(beams, chosen[i].beam, chosen[i].id, chosen[i].sum, false));
        beams->generated++;
    }
    if (over) {
        end_beams(beams, STATUS_OK);
        return STATUS_OK;
    }
    TRY(grow_beams(beams, chosen, count));
    return start_step(beams);
}

// Finishes the beams as they are when the search is stopped.
static enum status stop(struct beams *beams, enum status why) {
    for (int32_t i = 0; i < beams->live && beams->result_count < beams->options.width; i++) {
        sequence_truncate(beams->beams[i].sequence, beams->prompt + beams->generated);
        TRY(finish_one(beams, i, TOKEN_NONE, beams->beams[i].sum, false));
    }
    end_beams(beams, why);
    return STATUS_OK;
}

static void note_stats(struct beams *beams, const struct request_stats *stats) {
    if (!beams->first_us) {
        beams->stats = *stats;
        beams->first_us = beams->began_us + stats->first_token_us;
    }
    beams->stats.output_tokens = beams->generated + 1;
}

enum status beams_create(struct sequence *sequence, const struct beams_options *options,
                         struct beams **result) {
    ASSERT(options->width >= 1 && options->width <= BEAMS_MAX_WIDTH);
    struct beams *beams = calloc(1, sizeof *beams);
    if (!beams) return STATUS_NO_MEMORY;
    beams->options = *options;
    grammar_retain(options->grammar);
    beams->engine = sequence->engine;
    beams->prompt = sequence_length(sequence);
    const int32_t available = beams->engine->context - beams->prompt;
    ASSERT(beams->prompt > 0 && available > 0);
    const bool limited = options->max_tokens > 0 && options->max_tokens < available;
    beams->max_tokens = limited ? options->max_tokens : available;
    beams->began_us = clock_now_us();
    enum status status = sequence_fork(sequence, &beams->beams[0].sequence);
    if (status == STATUS_OK) {
        beams->live = 1;
        status = start_step(beams);
    }
    if (status != STATUS_OK) {
        end_beams(beams, status);
        beams_destroy(beams);
        return status;
    }
    *result = beams;
    return STATUS_OK;
}

void beams_destroy(struct beams *beams) {
    if (!beams) return;
    ASSERT(beams->done);
    grammar_release(beams->options.grammar);
    for (int32_t i = 0; i < beams->result_count; i++)
        free(beams->results[i].tokens);
    free(beams);
}

static int32_t find_beam(const struct beams *beams, const struct request *request) {
    int32_t at = 0;
    while (at < beams->live && atomic_load(&beams->beams[at].request) != request)
        at++;
    return at;
}

bool beams_take(struct beams *beams, const struct event *event) {
    const int32_t at = find_beam(beams, event->request);
    if (at == beams->live) return false;
    if (event->kind != EVENT_DONE) return true;
    atomic_store(&beams->beams[at].request, NULL);
    if (event->err) beams->err = *event->err; // the request's
    request_release(event->request);
    note_stats(beams, &event->stats);
    if (event->reason == STOP_REASON_FAILED) beams->status = event->status;
    if (--beams->waiting > 0) return true;
    // The step may have ended before it saw the cancellation.
    if (atomic_load(&beams->cancelled) && beams->status == STATUS_OK)
        beams->status = STATUS_CANCELLED;
    enum status status = beams->status;
    status = status == STATUS_OK ? advance_beams(beams) : stop(beams, status);
    if (status != STATUS_OK && !beams->done) end_beams(beams, status);
    return true;
}

void beams_cancel(struct beams *beams) {
    atomic_store(&beams->cancelled, true);
    for (int32_t i = 0; i < BEAMS_MAX_WIDTH; i++) {
        struct request *request = atomic_load(&beams->beams[i].request);
        if (request) request_cancel(request);
    }
}

void beams_set_background(struct beams *beams, bool background) {
    beams->background = background; // of the steps to come
    for (int32_t i = 0; i < beams->live; i++) {
        struct request *request = atomic_load(&beams->beams[i].request);
        if (request) request_set_background(request, background);
    }
}

bool beams_done(const struct beams *beams) { return beams->done; }
enum status beams_status(const struct beams *beams) { return beams->status; }
struct error beams_error(const struct beams *beams) {
    return beams->err;
}
int32_t beams_result_count(const struct beams *beams) { return beams->result_count; }

struct beams_result beams_result(const struct beams *beams, int32_t index) {
    ASSERT(index >= 0 && index < beams->result_count);
    const struct hypothesis *found = &beams->results[index];
    return (struct beams_result){found->tokens, found->count, found->score, found->ended};
}

struct request_stats beams_stats(const struct beams *beams) {
    return beams->stats;
}
