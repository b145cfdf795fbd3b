// tests/bench/bench_slots.c — how often are a token's experts on the card, with slots for a part of
// them?
//
//   bench_slots [LAYERS EXPERTS USED COPIES]    routing that is drawn, of two kinds
//   bench_slots MODEL.gguf TEXT [COPIES]        that of a model which answers the text
//
// Routing without memory draws each expert from all. Routing with recency is drawn by what was
// measured of a mixture with 512 experts (llama.cpp #27861): 67 % of choices are among the 64 used
// most recently in their layer, and 81 % among the 128. So an expert is one of the most recent
// eighth with probability 0.67, of the eighth before that with 0.14, else any other. A step is a
// token, and copies of a step arrive after the next one, at most COPIES of them. The first third of
// the tokens is not counted.
//
// Of a model, "most recent" says the same two shares, and "recency" where the hits lie between
// those of routing without memory, 0, and the plan's of the published mixture, 1 (placement.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/placement.h"
#include "kernels/expert_slots.h"
#include "tests/bench/routing.h"

enum { SEED = 4711, TOKENS = 1500, EXPERTS_MOST = 1024, MOVES_MOST = 256, COPIES = 24 };

struct trace {
    int32_t tokens, layers, experts, used;
    bool recency;
    const struct routing *recorded; // or NULL: it is drawn
    int32_t *recent;                // [layers, experts] by last use
    unsigned seed;
};

static double draw(struct trace *trace) { return (double)rand_r(&trace->seed) / RAND_MAX; }

static int32_t between(struct trace *trace, int32_t first, int32_t end) {
    return first + (int32_t)(draw(trace) * 0.999999 * (end - first));
}

static int32_t *recent_of(const struct trace *trace, int32_t layer) {
    return trace->recent + (size_t)layer * (size_t)trace->experts;
}

// Where the next expert stands in the order of last use.
static int32_t next_place(struct trace *trace) {
    const int32_t eighth = trace->experts / 8, all = trace->experts;
    const double u = draw(trace);
    if (!trace->recency) return between(trace, 0, all);
    return u < 0.67   ? between(trace, 0, eighth)
           : u < 0.81 ? between(trace, eighth, 2 * eighth)
                      : between(trace, 2 * eighth, all);
}

// The expert at this place becomes the most recent one.
static int32_t use(struct trace *trace, int32_t layer, int32_t at) {
    int32_t *recent = recent_of(trace, layer);
    const int32_t expert = recent[at];
    memmove(recent + 1, recent, (size_t)at * sizeof recent[0]);
    recent[0] = expert;
    return expert;
}

static int32_t recorded_choice(const struct routing *routing, int32_t token, int32_t layer,
                               int32_t j) {
    return routing
        ->chosen[((size_t)token * (size_t)routing->layers + (size_t)layer) * (size_t)routing->used +
                 (size_t)j];
}

static int32_t choose(struct trace *trace, int32_t token, int32_t layer, int32_t j) {
    if (trace->recorded) return recorded_choice(trace->recorded, token, layer, j);
    return use(trace, layer, next_place(trace));
}

static void forget(struct trace *trace) {
    for (int32_t i = 0; i < trace->layers * trace->experts; i++)
        trace->recent[i] = i % trace->experts;
}

// Of choices in slots for a share of the experts, and copies a token.
static double print_hits(struct trace *trace, int32_t slots, int32_t copies) {
    struct expert_slots *all;
    static struct expert_move coming[MOVES_MOST];
    struct expert_slots_counts warm = {0, 0, 0};
    const int32_t from = trace->tokens / 3;
    int32_t count = 0;
    if (expert_slots_create(trace->layers, trace->experts, slots, &all) != STATUS_OK) exit(1);
    forget(trace);
    for (int32_t token = 0; token < trace->tokens; token++) {
        if (token == from) warm = expert_slots_counts(all);
        for (int32_t layer = 0; layer < trace->layers; layer++)
            for (int32_t j = 0; j < trace->used; j++)
                (void)expert_slots_look(all, layer, choose(trace, token, layer, j));
        while (count > 0)
            (void)expert_slots_arrive(all, &coming[--count]);
        while (token == 0 && expert_slots_fill(all, &coming[0]))
            (void)expert_slots_arrive(all, &coming[0]);
        while (count < copies && count < MOVES_MOST && expert_slots_take(all, &coming[count]))
            count++;
        expert_slots_end_step(all);
    }
    const struct expert_slots_counts counts = expert_slots_counts(all);
    const double hits = (double)(counts.hits - warm.hits);
    const double share = hits / (hits + (double)(counts.misses - warm.misses));
    printf("%8.1f%8.1f", 100 * share, (double)(counts.moves - warm.moves) / (trace->tokens - from));
    expert_slots_destroy(all);
    return share;
}

// Of a recorded trace's choices, those among as many experts used most recently in their layer.
static double among_recent(struct trace *trace, int32_t most) {
    int64_t among = 0, all = 0;
    forget(trace);
    for (int32_t token = 0; token < trace->tokens; token++)
        for (int32_t layer = 0; layer < trace->layers; layer++)
            for (int32_t j = 0; j < trace->used; j++) {
                const int32_t expert = recorded_choice(trace->recorded, token, layer, j);
                const int32_t *recent = recent_of(trace, layer);
                int32_t at = 0;
                while (recent[at] != expert)
                    at++;
                (void)use(trace, layer, at);
                if (token < trace->tokens / 3) continue;
                among += at < most;
                all++;
            }
    return (double)among / (double)all;
}

static void print_drawn(struct trace *trace, int32_t copies) {
    printf("slots for   at random        with recency\n");
    printf("            hits %%  copies  hits %%  copies\n");
    for (int32_t part = 16; part >= 2; part /= 2) {
        printf("1 of %-4d", (int)part);
        for (int i = 0; i < 2; i++) {
            trace->recency = i > 0;
            (void)print_hits(trace, trace->layers * trace->experts / part, copies);
        }
        printf("\n");
    }
}

static void print_recorded(struct trace *trace, int32_t copies) {
    printf("most recent: %.1f %% of choices are in an eighth, %.1f %% in a quarter\n",
           100 * among_recent(trace, trace->experts / 8),
           100 * among_recent(trace, trace->experts / 4));
    printf("slots for   hits %%  copies  recency\n");
    for (int32_t part = 16; part >= 2; part /= 2) {
        printf("1 of %-4d", (int)part);
        const double hits = print_hits(trace, trace->layers * trace->experts / part, copies);
        printf("%9.2f\n", placement_recency(1.0 / part, hits));
    }
}

static int32_t number_at(int argc, char **argv, int at, int32_t otherwise) {
    return argc > at ? atoi(argv[at]) : otherwise;
}

int main(int argc, char **argv) {
    const bool has_model = argc > 1 && (argv[1][0] < '0' || argv[1][0] > '9');
    const int32_t copies = number_at(argc, argv, has_model ? 3 : 4, COPIES);
    struct routing routing = {0};
    struct trace trace = {.tokens = TOKENS,
                          .layers = number_at(argc, argv, 1, 31),
                          .experts = number_at(argc, argv, 2, 128),
                          .used = number_at(argc, argv, 3, 8),
                          .seed = SEED};
    if (has_model && argc > 2) {
        if (!routing_record(argv[1], argv[2], &routing)) return 3;
        trace = (struct trace){.tokens = routing.tokens,
                               .layers = routing.layers,
                               .experts = routing.experts,
                               .used = routing.used,
                               .recorded = &routing};
    }
    if (trace.layers < 1 || trace.layers > 512 || trace.experts < 8 ||
        trace.experts > EXPERTS_MOST || trace.used < 1 || copies < 1) {
        fprintf(stderr, "usage: bench_slots [LAYERS EXPERTS USED COPIES]\n"
                        "       bench_slots MODEL.gguf TEXT [COPIES]\n");
        return 2;
    }
    trace.recent = calloc((size_t)trace.layers * (size_t)trace.experts, sizeof *trace.recent);
    if (!trace.recent) return 1;
    printf("%d layers, %d of %d experts a token, at most %d copies, %d tokens\n", (int)trace.layers,
           (int)trace.used, (int)trace.experts, (int)copies, (int)trace.tokens);
    if (trace.recorded)
        print_recorded(&trace, copies);
    else
        print_drawn(&trace, copies);
    free(trace.recent);
    routing_deinit(&routing);
    return 0;
}
