// engine/draft/draft.c — how many tokens to draft, from what was right before and what rows cost.
//
// How likely is a draft right? That depends on how much of the log it follows from: after two equal
// tokens seldom, after twenty nearly always. So each source has a probability for each class of
// match lengths, and a draft's i-th token follows from a match that is i tokens longer, if those
// before it are right:
//
//   match of 3    the     cat     sat
//   follows from   3       4       5      equal tokens
//   right         0.3     0.4     0.55    class of each; all three: 0.3 · 0.4 · 0.55
//
// How many? A step gives one token for each answer in it and the accepted ones. The draft
// gets as many tokens as make tokens/time greatest, by the cost that was measured for that many
// rows (row_cost.c); with several answers, and where rows cost much, that is often none. A step
// that drafts anyway tries one more or less now and then, until it is known what they cost.
//
// What is proposed is compared with what was sampled, drafted or not: so the probabilities are
// known without spending a row on them, text that repeats nothing costs nothing but a look at the
// index, and text that begins to repeat itself is drafted at once.
//
// What a draft head or a smaller model says is not known before it has been paid for. Its classes
// are the positions in its draft, and each of its tokens costs what one took on average. When it
// has not drafted for a while, it is believed to be better than it was, but with so little weight
// that a few drafts decide. The source that makes tokens/time greatest drafts; of equal ones the
// first.
//
// A smaller model has to read the log first, which is lost if the answer ends soon, and nobody
// knows when it will. So it begins when it would have saved as much, had it read the log at the
// start: however long the answer gets, reading too early or too late then costs no more than it
// could have gained (ski rental; Karlin et al., 1988). One that has not drafted for a while reads
// what it missed by the same rule.
#include "engine/draft/draft.h"

#include <string.h>

#include "kernels/base/assert.h"

// Classes begin at these lengths. What is assumed of each before anything was seen, as if seen
// ASSUMED times; later what was seen FORGET times ago no longer counts.
static const int32_t CLASS_FROM[DRAFT_CLASSES] = {0, 3, 4, 5, 7, 10, 16, 32};
static const float CLASS_RIGHT[DRAFT_CLASSES] = {.15f, .25f, .35f, .5f, .65f, .8f, .9f, .95f};
static const float ASSUMED = 8, FORGET = 64;

// Of sources that compute: what is assumed of each token, and how much of a step it takes; what was
// measured COMPUTED_WEIGHT times ago no longer counts.
static const float COMPUTED_RIGHT = .7f, COMPUTED_WEIGHT = 16, COMPUTED_TRIED = 2, READ_WEIGHT = 4;
static const float COMPUTED_SHARE[DRAFT_SOURCES] = {[DRAFT_HEAD] = .05f, [DRAFT_MODEL] = .2f};
enum { IDLE_MOST = 128 };         // steps
static const float WORTH = 1.02f; // what a draft must gain at least

static const struct draft_source *const SOURCES[] = {[DRAFT_LOOKUP] = &prompt_lookup_source,
                                                     [DRAFT_HISTORY] = &history_source,
                                                     [DRAFT_HEAD] = &draft_head_source,
                                                     [DRAFT_MODEL] = &drafter_source};

const char *draft_source_name(enum draft_source_kind source) { return SOURCES[source]->name; }

static bool computes(int source) { return COMPUTED_SHARE[source] > 0; }

struct draft_record draft_record_new(void) {
    struct draft_record record = {0};
    for (int source = 0; source < DRAFT_SOURCES; source++)
        for (int i = 0; i < DRAFT_CLASSES; i++) {
            record.right[source][i] = computes(source) ? COMPUTED_RIGHT : CLASS_RIGHT[i];
            record.weight[source][i] = ASSUMED;
        }
    return record;
}

enum status draft_init(struct draft *draft, int32_t context) {
    return prompt_lookup_init(&draft->lookup, context);
}

void draft_deinit(struct draft *draft) { prompt_lookup_deinit(&draft->lookup); }

// Of a proposal's token.
static int class_of(const struct proposal *proposal, int32_t at) {
    const int32_t match = proposal->match + at;
    int found = 0;
    if (proposal->unknown) return at < DRAFT_CLASSES ? at : DRAFT_CLASSES - 1;
    while (found + 1 < DRAFT_CLASSES && match >= CLASS_FROM[found + 1])
        found++;
    return found;
}

static float token_us(const struct draft_record *record, int source) {
    const float known = record->token_us[source];
    return known > 0 ? known : COMPUTED_SHARE[source] * row_cost_us(&record->cost, 1);
}

// How long the source reads before it can draft.
static float reading_us(const struct draft_record *record, int source, int32_t tokens,
                        const struct draft_step *step) {
    float each = record->read_us[source];
    if (each == 0 && step->read_us > 0) each = step->read_us * COMPUTED_SHARE[source];
    if (each == 0) each = token_us(record, source);
    return (float)tokens * each;
}

// After a rejection the next step computes the accepted tokens once more: how much longer it takes.
// It never takes less, though steps of few rows may have been measured while they were disturbed.
static float replay_us(const struct row_cost *cost, int32_t rows, float accepted) {
    const float longer = row_cost_us(cost, rows + 1 + (int32_t)accepted) - row_cost_us(cost, rows);
    return longer > 0 ? longer : 0;
}

struct choice_of_count { // of a source's tokens
    int32_t count;
    float speed, accepted; // tokens/time of the step, and tokens expected to be right
};

// How many make the step's tokens per time greatest, if that is greater than `least`. One token
// more or less than `around`, unless that is 0, counts as cheap until it has been measured often
// enough.
static struct choice_of_count choose_count(const struct draft *draft, int source,
                                           const struct draft_step *step, int32_t around,
                                           float least) {
    const struct proposal *proposal = &draft->proposals[source];
    const struct row_cost *cost = &draft->record->cost;
    struct choice_of_count best = {.speed = least};
    float all = 1, sum = 0;
    int32_t most = proposal->count < draft->most ? proposal->count : draft->most;
    if (most > step->limit) most = step->limit;
    for (int32_t i = 0; i < most; i++) {
        all *= draft->record->right[source][class_of(proposal, i)];
        sum += all;
        const bool is_next = around > 0 && (i + 2 == around || i == around);
        float us = (is_next ? row_cost_least_us : row_cost_us)(cost, step->rows + i + 1);
        if (proposal->unknown) us += (float)(i + 1) * token_us(draft->record, source);
        if (step->replays) us += (1 - all) * replay_us(cost, step->rows, sum);
        const float speed = (step->tokens + sum) / us;
        if (speed > best.speed || draft->always) best = (struct choice_of_count){i + 1, speed, sum};
    }
    return best;
}

// Has the source missed as much as it would now take to read the log? `least` is the speed without
// it.
static bool may_begin(struct draft *draft, int source, const struct draft_step *step,
                      const struct choice_of_count *choice, float least) {
    const int32_t unread = draft->proposals[source].unread;
    float *missed_us = &draft->missed_us[source];
    if (unread == 0 || draft->always) return true;
    *missed_us += step->tokens / least - step->tokens / choice->speed;
    if (*missed_us < reading_us(draft->record, source, unread, step)) return false;
    *missed_us = 0;
    return true;
}

// Returns whether any source has a proposal.
static bool ask(struct draft *draft, const struct draft_log *log) {
    void *const selves[] = {&draft->lookup, draft->history, &draft->head, &draft->drafter};
    bool any = false;
    for (int i = 0; i < DRAFT_SOURCES; i++) {
        draft->proposals[i] = (struct proposal){0};
        if (selves[i] && !(draft->excluded >> i & 1))
            SOURCES[i]->propose(selves[i], log, &draft->proposals[i]);
        any = any || draft->proposals[i].count > 0;
    }
    return any;
}

// Rows cost the same whatever tokens they have, except that a mixture reads the experts of each. So
// they are different ones.
static int32_t draft_any(const struct draft *draft, const struct draft_log *log, int32_t limit,
                         int32_t *tokens) {
    const int32_t count = draft->most < limit ? draft->most : limit;
    ASSERT(log->length > 0);
    for (int32_t i = 0; i < count; i++)
        tokens[i] = log->tokens[i % log->length];
    return count;
}

int32_t draft_propose(struct draft *draft, const struct draft_log *log, struct draft_step *step,
                      int32_t *tokens) {
    if (draft->most == 0) return 0;
    if (draft->blind) return draft_any(draft, log, step->limit, tokens);
    draft->head.ready = step->pending;
    draft->chosen = 0;
    if (!ask(draft, log)) return 0;
    const float plain = step->tokens / row_cost_us(&draft->record->cost, step->rows);
    struct choice_of_count best = {.speed = draft->always ? 0 : plain * WORTH};
    for (int i = 0; i < DRAFT_SOURCES; i++) {
        const struct choice_of_count choice =
            choose_count(draft, i, step, 0, draft->always ? 0 : best.speed);
        if (choice.count == 0 || choice.speed <= best.speed) continue;
        if (!may_begin(draft, i, step, &choice, best.speed)) continue;
        best = choice;
        draft->chosen = i;
    }
    if (best.count > 0) best = choose_count(draft, draft->chosen, step, best.count, 0);
    step->tokens += best.accepted;
    for (int i = 0; i < DRAFT_SOURCES; i++)
        if (draft->proposals[i].unknown && (best.count == 0 || i != draft->chosen))
            draft->proposals[i].count = 0;
    if (best.count > 0 && !draft_is_unknown(draft))
        memcpy(tokens, draft->proposals[draft->chosen].tokens,
               (size_t)best.count * sizeof tokens[0]);
    return best.count;
}

void draft_withdraw(struct draft *draft) {
    if (draft_is_unknown(draft)) draft->proposals[draft->chosen].count = 0;
}

bool draft_is_unknown(const struct draft *draft) { return draft->proposals[draft->chosen].unknown; }

void draft_fill(struct draft *draft, const int32_t *tokens, int32_t count) {
    struct proposal *proposal = &draft->proposals[draft->chosen];
    ASSERT(proposal->unknown && count >= 0 && count <= DRAFT_MAX);
    memcpy(proposal->tokens, tokens, (size_t)count * sizeof tokens[0]);
    proposal->count = count;
}

void draft_note_cost(struct draft_record *record, int source, int32_t tokens, int64_t us) {
    ASSERT(tokens > 0);
    const float each = (float)us / (float)tokens;
    float *mean = &record->token_us[source];
    *mean += *mean > 0 ? (each - *mean) / COMPUTED_WEIGHT : each;
}

void draft_note_reading(struct draft_record *record, int source, int32_t tokens, int64_t us) {
    ASSERT(tokens > 0);
    const float each = us > 0 ? (float)us / (float)tokens : 0;
    float *mean = &record->read_us[source];
    *mean += *mean > 0 ? (each - *mean) / READ_WEIGHT : each;
}

// After a step in which the source could have drafted and did not.
static void note_idle(struct draft_record *record, int source) {
    if (++record->idle[source] < IDLE_MOST) return;
    record->idle[source] = 0;
    for (int i = 0; i < DRAFT_CLASSES; i++) {
        float *right = &record->right[source][i];
        if (*right < COMPUTED_RIGHT) *right = (*right + COMPUTED_RIGHT) / 2;
        record->weight[source][i] = COMPUTED_TRIED;
    }
}

bool draft_note(struct draft *draft, const int32_t *tokens, int32_t count) {
    bool proposed = false;
    for (int source = 0; source < DRAFT_SOURCES; source++) {
        const struct proposal *proposal = &draft->proposals[source];
        bool equal = true;
        if (proposal->unknown && proposal->count == 0) note_idle(draft->record, source);
        proposed = proposed || proposal->count > 0;
        for (int32_t i = 0; i < count && i < proposal->count && equal; i++) {
            const int class = class_of(proposal, i);
            float *weight = &draft->record->weight[source][class];
            equal = proposal->tokens[i] == tokens[i];
            if (*weight < FORGET) ++*weight;
            draft->record->right[source][class] +=
                ((float)equal - draft->record->right[source][class]) / *weight;
        }
        draft->proposals[source] = (struct proposal){0};
    }
    return proposed;
}
