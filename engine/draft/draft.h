// engine/draft/draft.h — which tokens will probably come next, and how many are worth a row?
//
// A source proposes a few tokens after the end of a log: the draft. The engine computes them in one
// step together with the pending one, and samples each row in order (step/sampling.c). A draft
// token is accepted while it equals the token sampled for its position. Drafts change how soon an
// answer comes, never what it says. (Speculative decoding; Leviathan et al., 2023.)
//
//   plan     draft_propose() ─► tokens that the step computes after the log's end
//   verify   the step samples a token for each row
//   commit   draft_note() ─► how likely a proposal is right
//
// Plain data, except for the lookup's index. Threads: the caller holds the engine's lock.
#ifndef ENGINE_DRAFT_DRAFT_H
#define ENGINE_DRAFT_DRAFT_H

#include <stdbool.h>

#include "engine/draft/drafter.h"
#include "engine/draft/head.h"
#include "engine/draft/history.h"
#include "engine/draft/prompt_lookup.h"
#include "engine/draft/row_cost.h"

// What all requests of an engine have learnt.
enum { DRAFT_CLASSES = 8 }; // of matches, by their length
struct draft_record {
    float right[DRAFT_SOURCES][DRAFT_CLASSES]; // probability of the token after such a match
    float weight[DRAFT_SOURCES][DRAFT_CLASSES];
    struct row_cost cost;
    int32_t idle[DRAFT_SOURCES]; // steps in which a source could have computed a draft but did not
    float token_us[DRAFT_SOURCES]; // mean, of a source that computes its tokens; 0: not known
    float read_us[DRAFT_SOURCES];  // the same, of a token that it reads before
};

struct draft_record draft_record_new(void);
const char *draft_source_name(enum draft_source_kind source);

struct draft { // of one request
    struct draft_record *record;
    struct prompt_lookup lookup;
    struct history *history;
    struct draft_head head;
    struct drafter drafter;
    uint32_t excluded; // a bit for each draft_source_kind that may not propose
    int32_t most;      // tokens at once; 0: the request drafts nothing
    bool always;       // drafts even where it may not pay: for tests and benchmarks
    bool blind;        // the log's first tokens, whatever sources propose: for benchmarks
    float missed_us[DRAFT_SOURCES]; // that a source would have saved, had it read the log
    struct proposal proposals[DRAFT_SOURCES];
    int chosen; // the draft_source_kind whose tokens are in the step
};

// The step that computes a draft.
struct draft_step {
    int32_t rows;  // without the draft
    float tokens;  // in, without the draft, and out, with it: how many the step will probably give
    int32_t limit; // tokens that the draft may have
    bool pending;  // just one token of the log is still to be computed
    bool replays;  // after a rejection the step is computed again, up to what was accepted
    float read_us; // how long the model takes for each token of a prompt; 0: not known
};

// NO_MEMORY. A draft whose `most` is 0 needs none of this.
MUST_CHECK enum status draft_init(struct draft *draft, int32_t context);
void draft_deinit(struct draft *draft); // {0} is fine

// Writes draft tokens that probably follow the log, returns how many, and adds to step->tokens how
// many are expected to be right. If draft_is_unknown(), the tokens are still to be computed, and
// draft_fill() notes them then.
int32_t draft_propose(struct draft *draft, const struct draft_log *log, struct draft_step *step,
                      int32_t *tokens);

void draft_withdraw(struct draft *draft); // there is no place for them
bool draft_is_unknown(const struct draft *draft);
void draft_fill(struct draft *draft, const int32_t *tokens, int32_t count);

// The source took `us` to compute `tokens` draft tokens, one after the other.
void draft_note_cost(struct draft_record *record, int source, int32_t tokens, int64_t us);

// The source took `us` to read `tokens` tokens of the log before it could draft.
void draft_note_reading(struct draft_record *record, int source, int32_t tokens, int64_t us);

// Call it after each step, with the tokens [count] that it gave the request. Returns whether
// anything had been proposed.
bool draft_note(struct draft *draft, const int32_t *tokens, int32_t count);

#endif
