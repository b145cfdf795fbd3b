#include "engine/step/scheduler.h"

#include "kernels/base/assert.h"

struct planning {
    const struct scheduler_run *runs;
    const struct scheduler_limits *limits;
    struct scheduler_plan *plan;
    int32_t count;
    int32_t order[SCHEDULER_MAX_RUNS]; // runs by rank
    int32_t ends[SCHEDULER_MAX_RUNS];  // where the chunk of each ends; its cached: no chunk
    bool out[SCHEDULER_MAX_RUNS];      // preempted in this plan
    int32_t room;                      // blocks left
};

static bool is_inside(const struct scheduler_run *run) {
    return run->state == SCHEDULER_LOADING || run->state == SCHEDULER_RUNNING;
}

static bool is_urgent(const struct scheduler_run *run) { return run->foreground || run->promoted; }

static bool is_decode(const struct scheduler_run *run) {
    return run->state == SCHEDULER_RUNNING && run->length - run->cached == 1;
}

static bool is_prompt(const struct scheduler_run *run) {
    return run->state == SCHEDULER_RUNNING && run->length - run->cached > 1;
}

int32_t scheduler_need(const struct scheduler_run *run, int32_t end, int32_t block_size) {
    const int32_t more = (end + block_size - 1) / block_size - run->blocks;
    return (more > 0 ? more : 0) + run->copies;
}

static void rank(struct planning *p) {
    int32_t at = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < p->count; i++)
            if (is_urgent(&p->runs[i]) == (pass == 0)) p->order[at++] = i;
}

// ---- tokens

// Where a chunk that may take `room` tokens ends.
static int32_t chunk_end(const struct scheduler_run *run, int32_t room, int32_t block_size) {
    if (run->length - run->cached <= room) return run->length;
    const int32_t end = (run->cached + room) / block_size * block_size;
    return end > run->cached ? end : run->cached;
}

static bool goes_before(const struct planning *p, int32_t a, int32_t b) {
    const struct scheduler_run *x = &p->runs[a], *y = &p->runs[b];
    if (is_urgent(x) != is_urgent(y)) return is_urgent(x);
    const int32_t turns = x->prefilled / SCHEDULER_TURN, others = y->prefilled / SCHEDULER_TURN;
    if (!is_urgent(x) && turns != others) return turns < others;
    return a < b;
}

// The next prompt, after `last` (-1: the first); -1: there is none.
static int32_t next_prompt(const struct planning *p, int32_t last) {
    int32_t best = -1;
    for (int32_t i = 0; i < p->count; i++) {
        if (!is_prompt(&p->runs[i]) || (last >= 0 && !goes_before(p, last, i))) continue;
        if (best < 0 || goes_before(p, i, best)) best = i;
    }
    return best;
}

static void share_tokens(struct planning *p) {
    const int32_t block_size = p->limits->block_size;
    int32_t room = p->limits->step_tokens;
    for (int32_t i = 0; i < p->count; i++) {
        p->ends[i] = is_decode(&p->runs[i]) ? p->runs[i].length : p->runs[i].cached;
        room -= is_decode(&p->runs[i]);
    }
    if (room < block_size) room = block_size;
    for (int32_t i = next_prompt(p, -1); i >= 0 && room > 0; i = next_prompt(p, i)) {
        p->ends[i] = chunk_end(&p->runs[i], room, block_size);
        room -= p->ends[i] - p->runs[i].cached;
    }
}

// ---- blocks

static int32_t need_of_chunk(const struct planning *p, int32_t run) {
    if (p->ends[run] == p->runs[run].cached) return 0;
    return scheduler_need(&p->runs[run], p->ends[run], p->limits->block_size);
}

static void preempt(struct planning *p, int32_t run) {
    p->out[run] = true;
    p->ends[run] = p->runs[run].cached;
    p->room += p->runs[run].own;
    p->plan->preempted[p->plan->preempted_count++] = run;
}

static bool may_be_victim(const struct planning *p, int32_t run, bool inside) {
    return !p->out[run] && p->runs[run].blocks > 0 && is_inside(&p->runs[run]) == inside;
}

// Takes the blocks of who is not inside, else of the lowest after place `place`. False: of none.
static bool preempt_another(struct planning *p, int32_t place) {
    for (int32_t at = p->count - 1; at >= 0; at--)
        if (at != place && may_be_victim(p, p->order[at], false)) {
            preempt(p, p->order[at]);
            return true;
        }
    for (int32_t at = p->count - 1; at > place; at--)
        if (may_be_victim(p, p->order[at], true)) {
            preempt(p, p->order[at]);
            return true;
        }
    return false;
}

static bool has_before(const struct planning *p, int32_t place) {
    for (int32_t at = 0; at < place; at++)
        if (is_inside(&p->runs[p->order[at]]) && !p->out[p->order[at]]) return true;
    return false;
}

static bool others_hold(const struct planning *p, int32_t run) {
    for (int32_t i = 0; i < p->count; i++)
        if (i != run && p->runs[i].blocks > 0) return true;
    return false;
}

// There is too little for the chunk of this run, whatever the others give: what they share was not
// counted, and shows in the next step.
static void do_without(struct planning *p, int32_t place) {
    const int32_t run = p->order[place];
    if (has_before(p, place)) {
        preempt(p, run);
    } else {
        p->ends[run] = p->runs[run].cached;
        if (!others_hold(p, run)) p->plan->refused = run;
    }
}

static void share_blocks(struct planning *p) {
    for (int32_t place = 0; place < p->count; place++) {
        const int32_t run = p->order[place];
        while (need_of_chunk(p, run) > p->room && preempt_another(p, place))
            ;
        if (need_of_chunk(p, run) > p->room)
            do_without(p, place);
        else
            p->room -= need_of_chunk(p, run);
    }
}

// ---- who comes in

static int32_t need_of_log(const struct planning *p, int32_t run) {
    return scheduler_need(&p->runs[run], p->runs[run].length + 1, p->limits->block_size);
}

// What those inside still take for their logs and one token, after this step.
static int32_t reserved(const struct planning *p) {
    int32_t blocks = 0;
    for (int32_t i = 0; i < p->count; i++)
        if (is_inside(&p->runs[i]) && !p->out[i]) blocks += need_of_log(p, i) - need_of_chunk(p, i);
    return blocks;
}

static bool any_inside(const struct planning *p) {
    for (int32_t i = 0; i < p->count; i++)
        if (is_inside(&p->runs[i]) && !p->out[i]) return true;
    return false;
}

static bool gives_way(const struct planning *p, int32_t run) {
    return !is_urgent(&p->runs[run]) && is_inside(&p->runs[run]) && !p->out[run];
}

// Preempts as many of those that are not urgent as this takes. False, and none is: too few are.
static bool clear_for(struct planning *p, int32_t blocks) {
    int32_t free_blocks = p->room - reserved(p);
    for (int32_t i = 0; i < p->count; i++)
        if (gives_way(p, i)) free_blocks += p->runs[i].own + need_of_log(p, i);
    if (blocks > free_blocks) return false;
    for (int32_t at = p->count - 1; at >= 0 && blocks > p->room - reserved(p); at--) {
        const int32_t run = p->order[at];
        if (!gives_way(p, run)) continue;
        p->room += need_of_chunk(p, run);
        preempt(p, run);
    }
    return true;
}

static void admit(struct planning *p) {
    const bool was_short = p->plan->preempted_count > 0;
    bool company = any_inside(p);
    int32_t free_blocks = p->room - reserved(p);
    for (int32_t at = 0; at < p->count; at++) {
        const int32_t run = p->order[at];
        if (is_inside(&p->runs[run]) || p->out[run]) continue;
        const int32_t need = need_of_log(p, run), least = need + p->limits->watermark;
        if (company && was_short) return;
        if (company && least > free_blocks) {
            if (!p->runs[run].foreground || p->plan->admitted_count > 0 || !clear_for(p, least))
                return;
            free_blocks = p->room - reserved(p);
        }
        p->plan->admitted[p->plan->admitted_count++] = run;
        free_blocks -= need;
        company = true;
    }
}

static void write_chunks(struct planning *p) {
    struct scheduler_plan *plan = p->plan;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t at = 0; at < p->count; at++) {
            const int32_t i = p->order[at];
            const struct scheduler_run *run = &p->runs[i];
            if (p->ends[i] == run->cached || is_decode(run) != (pass == 0)) continue;
            plan->chunks[plan->chunk_count++] = (struct scheduler_chunk){
                .run = i,
                .first = run->cached,
                .count = p->ends[i] - run->cached,
                .last = p->ends[i] == run->length,
            };
            plan->decode_count += pass == 0;
            plan->tokens += p->ends[i] - run->cached;
            plan->blocks += need_of_chunk(p, i);
        }
}

void scheduler_plan(const struct scheduler_run *runs, int32_t run_count,
                    const struct scheduler_limits *limits, struct scheduler_plan *plan) {
    ASSERT(run_count <= SCHEDULER_MAX_RUNS);
    ASSERT(limits->step_tokens >= limits->block_size);
    struct planning p;
    p.runs = runs;
    p.limits = limits;
    p.plan = plan;
    p.count = run_count;
    p.room = limits->room;
    for (int32_t i = 0; i < run_count; i++)
        p.out[i] = false;
    plan->chunk_count = plan->decode_count = plan->preempted_count = plan->admitted_count = 0;
    plan->tokens = plan->blocks = 0;
    plan->refused = -1;
    plan->swap = limits->swap_us > 0 &&
                 (limits->recompute_us <= 0 || limits->swap_us < limits->recompute_us);
    rank(&p);
    share_tokens(&p);
    share_blocks(&p);
    admit(&p);
    write_chunks(&p);
}

static void promote_first(struct scheduler_run *runs, int32_t run_count) {
    for (int32_t i = 0; i < run_count; i++)
        if (runs[i].promoted) return;
    for (int32_t i = 0; i < run_count; i++)
        if (!runs[i].foreground && runs[i].skipped >= SCHEDULER_PATIENCE) {
            runs[i].promoted = true;
            return;
        }
}

void scheduler_note(struct scheduler_run *runs, int32_t run_count,
                    const struct scheduler_plan *plan) {
    for (int32_t i = 0; i < run_count; i++)
        runs[i].skipped++;
    for (int32_t i = 0; i < plan->chunk_count; i++) {
        struct scheduler_run *run = &runs[plan->chunks[i].run];
        run->skipped = 0;
        if (i >= plan->decode_count) run->prefilled += plan->chunks[i].count;
    }
    promote_first(runs, run_count);
}

int32_t scheduler_budget(double tokens_per_us, int32_t target_us, int32_t block_size, int32_t least,
                         int32_t most) {
    const double wanted = tokens_per_us * target_us;
    const int32_t tokens = wanted > most ? most : wanted < least ? least : (int32_t)wanted;
    return tokens / block_size * block_size;
}

static void check_chunks(const struct scheduler_run *runs, const struct scheduler_limits *limits,
                         const struct scheduler_plan *plan, bool *touched) {
    int32_t tokens = 0, blocks = 0;
    for (int32_t i = 0; i < plan->chunk_count; i++) {
        const struct scheduler_chunk *chunk = &plan->chunks[i];
        const struct scheduler_run *run = &runs[chunk->run];
        const int32_t end = chunk->first + chunk->count;
        ASSERT(!touched[chunk->run]);
        touched[chunk->run] = true;
        ASSERT(run->state == SCHEDULER_RUNNING && chunk->first == run->cached);
        ASSERT(chunk->count > 0 && end <= run->length);
        ASSERT(chunk->last == (end == run->length));
        ASSERT(chunk->last || end % limits->block_size == 0);
        ASSERT(is_decode(run) == (i < plan->decode_count));
        tokens += chunk->count;
        blocks += scheduler_need(run, end, limits->block_size);
    }
    const int32_t least = plan->decode_count + limits->block_size;
    ASSERT(tokens == plan->tokens && blocks == plan->blocks);
    ASSERT(tokens <= (limits->step_tokens > least ? limits->step_tokens : least));
}

void scheduler_check(const struct scheduler_run *runs, int32_t run_count,
                     const struct scheduler_limits *limits, const struct scheduler_plan *plan) {
    bool touched[SCHEDULER_MAX_RUNS] = {false};
    int32_t given = limits->room, inside = 0, loading = 0;
    check_chunks(runs, limits, plan, touched);
    for (int32_t i = 0; i < plan->preempted_count; i++) {
        const int32_t run = plan->preempted[i];
        ASSERT(!touched[run] && (is_inside(&runs[run]) || runs[run].blocks > 0));
        touched[run] = true;
        given += runs[run].own;
    }
    for (int32_t i = 0; i < plan->admitted_count; i++) {
        ASSERT(!touched[plan->admitted[i]] && !is_inside(&runs[plan->admitted[i]]));
        touched[plan->admitted[i]] = true;
    }
    ASSERT(plan->blocks <= given);
    for (int32_t i = 0; i < run_count; i++) {
        inside += is_inside(&runs[i]);
        loading += runs[i].state == SCHEDULER_LOADING;
        // Who decodes does so in every step, unless there is no room for it.
        if (is_decode(&runs[i]) && !touched[i])
            ASSERT(scheduler_need(&runs[i], runs[i].length, limits->block_size) > 0);
    }
    const bool moves = plan->chunk_count + plan->preempted_count + plan->admitted_count > 0;
    ASSERT(moves || plan->refused >= 0 || loading > 0 || run_count == 0);
    ASSERT(inside > 0 || run_count == 0 || plan->admitted_count > 0 || plan->preempted_count > 0);
}
