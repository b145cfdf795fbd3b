// engine/step/scheduler.c — a plan in five passes over plain numbers.
//
//   order_by_rank   urgent first, then by arrival
//   divide_tokens   every decode gets its one token; prompts share the rest of the budget
//   divide_blocks   by rank: where blocks are short, waiting requests give theirs up, then the last
//   admit_requests  waiting requests, into blocks that active ones do not need; one in the
//                   foreground may displace the background
//   write_chunks    what is left of `ends` becomes the plan
//
// Tokens first and blocks second, because a chunk says how many blocks it needs; a preempted
// request loses its chunk, and its tokens are not handed out again in this step. An example with 4
// free blocks of 16 tokens and a budget of 64:
//
//   request       state     cached/length   tokens              blocks
//   0             RUNNING    31/32          1, a decode         0: its block has space
//   1             RUNNING     0/200         48, whole blocks    3 of the 4
//   2             RUNNING    96/97          1, a decode         1, the last one
//   3             WAITING     0/40          -                   not admitted: 3, and the watermark
//
// Request 1 gets 48 and not 62 tokens, since a chunk that is not its prompt's last ends at a block
// boundary.
//
// Rank alone would let newer foreground requests pass an older one in the background for good. So
// scheduler_note() counts the steps in which a request got nothing, and promotes one at a time.
#include "engine/step/scheduler.h"

#include "kernels/base/assert.h"

struct planning {
    const struct scheduler_request *requests;
    const struct scheduler_limits *limits;
    struct scheduler_plan *plan;
    int32_t count;
    int32_t order[SCHEDULER_MAX_REQUESTS]; // requests by rank
    int32_t ends[SCHEDULER_MAX_REQUESTS];  // end of each request's chunk; its `cached`: no chunk
    bool out[SCHEDULER_MAX_REQUESTS];      // preempted in this plan
    struct block_counts free_blocks;       // blocks left
};

static bool is_active(const struct scheduler_request *request) {
    return request->state == REQUEST_LOADING || request->state == REQUEST_RUNNING;
}

static bool is_urgent(const struct scheduler_request *request) {
    return request->foreground || request->promoted;
}

static bool is_decode(const struct scheduler_request *request) {
    return request->state == REQUEST_RUNNING && request->length - request->cached == 1;
}

static bool is_prompt(const struct scheduler_request *request) {
    return request->state == REQUEST_RUNNING && request->length - request->cached > 1;
}

struct block_counts scheduler_need(const struct scheduler_request *request, int32_t end,
                                   int32_t block_size) {
    ASSERT(end >= 0 && block_size > 0);
    const int32_t missing = (end + block_size - 1) / block_size - request->blocks;
    struct block_counts need = request->copies;
    for (int group = 0; group < KV_GROUPS && missing > 0; group++) {
        const int32_t most = request->most.of[group];
        need.of[group] += missing < most ? missing : most;
    }
    return need;
}

static struct block_counts sum_blocks(struct block_counts a, struct block_counts b) {
    for (int group = 0; group < KV_GROUPS; group++)
        a.of[group] += b.of[group];
    return a;
}

static struct block_counts difference(struct block_counts a, struct block_counts b) {
    for (int group = 0; group < KV_GROUPS; group++)
        a.of[group] -= b.of[group];
    return a;
}

static void order_by_rank(struct planning *p) {
    int32_t at = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < p->count; i++)
            if (is_urgent(&p->requests[i]) == (pass == 0)) p->order[at++] = i;
}

// ---- tokens

// The end of a chunk of at most `budget` tokens, at a block boundary unless the prompt ends there.
static int32_t chunk_end(const struct scheduler_request *request, int32_t budget,
                         int32_t block_size) {
    ASSERT(request->cached < request->length);
    int32_t end = request->length;
    for (int i = 0; i < 2; i++)
        if (request->pauses[i] > request->cached && request->pauses[i] < end)
            end = request->pauses[i];
    if (end - request->cached <= budget) return end;
    end = (request->cached + budget) / block_size * block_size;
    return end > request->cached ? end : request->cached;
}

static bool goes_before(const struct planning *p, int32_t a, int32_t b) {
    const struct scheduler_request *x = &p->requests[a], *y = &p->requests[b];
    if (is_urgent(x) != is_urgent(y)) return is_urgent(x);
    const int32_t quanta = x->prefilled / SCHEDULER_QUANTUM,
                  other_quanta = y->prefilled / SCHEDULER_QUANTUM;
    if (!is_urgent(x) && quanta != other_quanta) return quanta < other_quanta;
    return a < b;
}

// The prompt whose turn for tokens comes after `last` (-1: the first of all); -1 if there is none.
static int32_t next_prompt(const struct planning *p, int32_t last) {
    int32_t best = -1;
    for (int32_t i = 0; i < p->count; i++) {
        if (!is_prompt(&p->requests[i]) || (last >= 0 && !goes_before(p, last, i))) continue;
        if (best < 0 || goes_before(p, i, best)) best = i;
    }
    return best;
}

static void divide_tokens(struct planning *p) {
    const int32_t block_size = p->limits->block_size;
    int32_t budget = p->limits->step_tokens;
    for (int32_t i = 0; i < p->count; i++) {
        p->ends[i] = is_decode(&p->requests[i]) ? p->requests[i].length : p->requests[i].cached;
        budget -= is_decode(&p->requests[i]);
    }
    if (budget < block_size) budget = block_size;
    for (int32_t i = next_prompt(p, -1); i >= 0 && budget > 0; i = next_prompt(p, i)) {
        p->ends[i] = chunk_end(&p->requests[i], budget, block_size);
        budget -= p->ends[i] - p->requests[i].cached;
    }
}

// ---- blocks

static struct block_counts need_of_chunk(const struct planning *p, int32_t request) {
    if (p->ends[request] == p->requests[request].cached) return (struct block_counts){0};
    return scheduler_need(&p->requests[request], p->ends[request], p->limits->block_size);
}

static void preempt_request(struct planning *p, int32_t request) {
    ASSERT(!p->out[request] && p->plan->preempted_count < p->count);
    p->out[request] = true;
    p->ends[request] = p->requests[request].cached;
    p->free_blocks = sum_blocks(p->free_blocks, p->requests[request].own);
    p->plan->preempted[p->plan->preempted_count++] = request;
}

static bool may_be_victim(const struct planning *p, int32_t request, bool active) {
    return !p->out[request] && p->requests[request].blocks > 0 &&
           is_active(&p->requests[request]) == active;
}

// Preempts one request for the one at `rank`: a waiting one that has blocks, otherwise the lowest
// ranking active one below it. False if there is none.
static bool preempt_another(struct planning *p, int32_t rank) {
    for (int32_t at = p->count - 1; at >= 0; at--)
        if (at != rank && may_be_victim(p, p->order[at], false)) {
            preempt_request(p, p->order[at]);
            return true;
        }
    for (int32_t at = p->count - 1; at > rank; at--)
        if (may_be_victim(p, p->order[at], true)) {
            preempt_request(p, p->order[at]);
            return true;
        }
    return false;
}

static bool has_higher_rank(const struct planning *p, int32_t rank) {
    for (int32_t at = 0; at < rank; at++)
        if (is_active(&p->requests[p->order[at]]) && !p->out[p->order[at]]) return true;
    return false;
}

static bool others_have_blocks(const struct planning *p, int32_t request) {
    for (int32_t i = 0; i < p->count; i++)
        if (i != request && p->requests[i].blocks > 0) return true;
    return false;
}

// Even with what the others can give, blocks are short for this request's chunk. It is preempted if
// a higher ranking one is active. Otherwise it skips this step, because blocks that the preempted
// shared with each other become free only with the next plan; if no other has any, it is refused.
static void handle_shortage(struct planning *p, int32_t rank) {
    ASSERT(rank >= 0 && rank < p->count);
    const int32_t request = p->order[rank];
    if (has_higher_rank(p, rank)) {
        preempt_request(p, request);
    } else {
        p->ends[request] = p->requests[request].cached;
        if (!others_have_blocks(p, request)) p->plan->refused = request;
    }
}

static void divide_blocks(struct planning *p) {
    for (int32_t rank = 0; rank < p->count; rank++) {
        const int32_t request = p->order[rank];
        while (!block_counts_fit(need_of_chunk(p, request), p->free_blocks) &&
               preempt_another(p, rank))
            ;
        if (!block_counts_fit(need_of_chunk(p, request), p->free_blocks))
            handle_shortage(p, rank);
        else
            p->free_blocks = difference(p->free_blocks, need_of_chunk(p, request));
    }
}

// ---- admission

static struct block_counts need_of_log(const struct planning *p, int32_t request) {
    ASSERT(request >= 0 && request < p->count);
    return scheduler_need(&p->requests[request], p->requests[request].length + 1,
                          p->limits->block_size);
}

// Blocks that active requests still need, after this step, for their logs and one more token.
static struct block_counts reserved(const struct planning *p) {
    struct block_counts blocks = {0};
    for (int32_t i = 0; i < p->count; i++)
        if (is_active(&p->requests[i]) && !p->out[i])
            blocks = sum_blocks(blocks, difference(need_of_log(p, i), need_of_chunk(p, i)));
    return blocks;
}

static struct block_counts unreserved(const struct planning *p) {
    return difference(p->free_blocks, reserved(p));
}

static bool any_active(const struct planning *p) {
    for (int32_t i = 0; i < p->count; i++)
        if (is_active(&p->requests[i]) && !p->out[i]) return true;
    return false;
}

static bool gives_way(const struct planning *p, int32_t request) {
    return !is_urgent(&p->requests[request]) && is_active(&p->requests[request]) &&
           !p->out[request];
}

// Preempts requests that are not urgent until this many blocks are free. False, preempting none, if
// that is not enough.
static bool preempt_for(struct planning *p, struct block_counts blocks) {
    struct block_counts have = unreserved(p);
    for (int32_t i = 0; i < p->count; i++)
        if (gives_way(p, i))
            have = sum_blocks(have, sum_blocks(p->requests[i].own, need_of_log(p, i)));
    if (!block_counts_fit(blocks, have)) return false;
    for (int32_t at = p->count - 1; at >= 0 && !block_counts_fit(blocks, unreserved(p)); at--) {
        const int32_t request = p->order[at];
        if (!gives_way(p, request)) continue;
        p->free_blocks = sum_blocks(p->free_blocks, need_of_chunk(p, request));
        preempt_request(p, request);
    }
    return true;
}

static void admit_requests(struct planning *p) {
    const bool was_short = p->plan->preempted_count > 0;
    bool others_active = any_active(p);
    struct block_counts have = unreserved(p);
    for (int32_t at = 0; at < p->count; at++) {
        const int32_t request = p->order[at];
        if (is_active(&p->requests[request]) || p->out[request]) continue;
        const struct block_counts need = need_of_log(p, request);
        const struct block_counts least = sum_blocks(need, p->limits->watermark);
        if (others_active && was_short) return;
        if (others_active && !block_counts_fit(least, have)) {
            if (!p->requests[request].foreground || p->plan->admitted_count > 0 ||
                !preempt_for(p, least))
                return;
            have = unreserved(p);
        }
        p->plan->admitted[p->plan->admitted_count++] = request;
        have = difference(have, need);
        others_active = true;
    }
}

static void write_chunks(struct planning *p) {
    struct scheduler_plan *plan = p->plan;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t at = 0; at < p->count; at++) {
            const int32_t i = p->order[at];
            const struct scheduler_request *request = &p->requests[i];
            if (p->ends[i] == request->cached || is_decode(request) != (pass == 0)) continue;
            plan->chunks[plan->chunk_count++] = (struct scheduler_chunk){
                .request = i,
                .first = request->cached,
                .count = p->ends[i] - request->cached,
                .last = p->ends[i] == request->length,
            };
            plan->decode_count += pass == 0;
            plan->tokens += p->ends[i] - request->cached;
            plan->blocks = sum_blocks(plan->blocks, need_of_chunk(p, i));
        }
}

void scheduler_plan(const struct scheduler_request *requests, int32_t request_count,
                    const struct scheduler_limits *limits, struct scheduler_plan *plan) {
    ASSERT(request_count <= SCHEDULER_MAX_REQUESTS);
    ASSERT(limits->step_tokens >= limits->block_size);
    struct planning p;
    p.requests = requests;
    p.limits = limits;
    p.plan = plan;
    p.count = request_count;
    p.free_blocks = limits->free_blocks;
    for (int32_t i = 0; i < request_count; i++)
        p.out[i] = false;
    plan->chunk_count = plan->decode_count = plan->preempted_count = plan->admitted_count = 0;
    plan->tokens = 0;
    plan->blocks = (struct block_counts){0};
    plan->refused = -1;
    plan->swap = limits->swap_us > 0 &&
                 (limits->recompute_us <= 0 || limits->swap_us < limits->recompute_us);
    order_by_rank(&p);
    divide_tokens(&p);
    divide_blocks(&p);
    admit_requests(&p);
    write_chunks(&p);
}

static void promote_first(struct scheduler_request *requests, int32_t request_count) {
    for (int32_t i = 0; i < request_count; i++)
        if (requests[i].promoted) return;
    for (int32_t i = 0; i < request_count; i++)
        if (!requests[i].foreground && requests[i].skipped >= SCHEDULER_PATIENCE) {
            requests[i].promoted = true;
            return;
        }
}

void scheduler_note(struct scheduler_request *requests, int32_t request_count,
                    const struct scheduler_plan *plan) {
    for (int32_t i = 0; i < request_count; i++)
        requests[i].skipped++;
    for (int32_t i = 0; i < plan->chunk_count; i++) {
        struct scheduler_request *request = &requests[plan->chunks[i].request];
        request->skipped = 0;
        if (i >= plan->decode_count) request->prefilled += plan->chunks[i].count;
    }
    promote_first(requests, request_count);
}

enum { ALONE_US = 250000, BESIDE_US = 25000, BESIDE_MOST_US = 200000 };

int32_t scheduler_budget(const struct scheduler_pace *pace, int32_t target_us, int32_t limit_us) {
    enum { HALF = 2 };
    const int32_t base_us = pace->base_us;
    ASSERT(pace->block_size > 0 && pace->least <= pace->most && base_us >= 0);
    if (base_us > limit_us / HALF && pace->few >= pace->block_size) return pace->few;
    if (base_us > 0 && pace->tokens_per_us <= 0 && limit_us == INT32_MAX)
        return pace->most / pace->block_size * pace->block_size;
    int32_t rest_us = target_us - base_us > base_us ? target_us - base_us : base_us;
    if (base_us > 0 && rest_us > limit_us - base_us) rest_us = limit_us - base_us;
    const double wanted = pace->tokens_per_us * rest_us;
    const int32_t tokens = wanted > pace->most    ? pace->most
                           : wanted < pace->least ? pace->least
                                                  : (int32_t)wanted;
    return tokens / pace->block_size * pace->block_size;
}

int32_t scheduler_target_us(int32_t decodes, float decode_us) {
    enum { DECODES = 4 };
    ASSERT(decodes >= 0);
    if (decodes == 0) return ALONE_US;
    const float wanted = DECODES * decode_us;
    return wanted < BESIDE_US        ? BESIDE_US
           : wanted > BESIDE_MOST_US ? BESIDE_MOST_US
                                     : (int32_t)wanted;
}

int32_t scheduler_limit_us(int32_t decodes) { return decodes > 0 ? BESIDE_MOST_US : INT32_MAX; }

static void check_chunks(const struct scheduler_request *requests,
                         const struct scheduler_limits *limits, const struct scheduler_plan *plan,
                         bool *touched) {
    int32_t tokens = 0;
    struct block_counts blocks = {0};
    for (int32_t i = 0; i < plan->chunk_count; i++) {
        const struct scheduler_chunk *chunk = &plan->chunks[i];
        const struct scheduler_request *request = &requests[chunk->request];
        const int32_t end = chunk->first + chunk->count;
        ASSERT(!touched[chunk->request]);
        touched[chunk->request] = true;
        ASSERT(request->state == REQUEST_RUNNING && chunk->first == request->cached);
        ASSERT(chunk->count > 0 && end <= request->length);
        ASSERT(chunk->last == (end == request->length));
        ASSERT(chunk->last || end % limits->block_size == 0);
        ASSERT(is_decode(request) == (i < plan->decode_count));
        tokens += chunk->count;
        blocks = sum_blocks(blocks, scheduler_need(request, end, limits->block_size));
    }
    const int32_t least = plan->decode_count + limits->block_size;
    ASSERT(tokens == plan->tokens && block_counts_fit(blocks, plan->blocks) &&
           block_counts_fit(plan->blocks, blocks));
    ASSERT(tokens <= (limits->step_tokens > least ? limits->step_tokens : least));
}

void scheduler_check(const struct scheduler_request *requests, int32_t request_count,
                     const struct scheduler_limits *limits, const struct scheduler_plan *plan) {
    bool touched[SCHEDULER_MAX_REQUESTS] = {false};
    struct block_counts given = limits->free_blocks;
    int32_t active = 0, loading = 0;
    check_chunks(requests, limits, plan, touched);
    for (int32_t i = 0; i < plan->preempted_count; i++) {
        const int32_t request = plan->preempted[i];
        ASSERT(!touched[request] &&
               (is_active(&requests[request]) || requests[request].blocks > 0));
        touched[request] = true;
        given = sum_blocks(given, requests[request].own);
    }
    for (int32_t i = 0; i < plan->admitted_count; i++) {
        ASSERT(!touched[plan->admitted[i]] && !is_active(&requests[plan->admitted[i]]));
        touched[plan->admitted[i]] = true;
    }
    ASSERT(block_counts_fit(plan->blocks, given));
    for (int32_t i = 0; i < request_count; i++) {
        active += is_active(&requests[i]);
        loading += requests[i].state == REQUEST_LOADING;
        // A decoding request gets its token in every step, unless it needs a block and has none.
        if (is_decode(&requests[i]) && !touched[i])
            ASSERT(!block_counts_fit(
                scheduler_need(&requests[i], requests[i].length, limits->block_size),
                (struct block_counts){0}));
    }
    const bool moves = plan->chunk_count + plan->preempted_count + plan->admitted_count > 0;
    ASSERT(moves || plan->refused >= 0 || loading > 0 || request_count == 0);
    ASSERT(active > 0 || request_count == 0 || plan->admitted_count > 0 ||
           plan->preempted_count > 0);
}
