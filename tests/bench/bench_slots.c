// tests/bench/bench_slots.c — bench_slots [LAYERS EXPERTS USED COPIES]: how often are a token's
// experts on the card, with slots for a part of them?
//
// Routing without memory draws each expert from all. Routing with recency is drawn by what was
// measured of a mixture with 512 experts (llama.cpp #27861): 67 % of choices are among the 64 used
// most recently in their layer, and 81 % among the 128. So an expert is one of the most recent
// eighth with probability 0.67, of the eighth before that with 0.14, else any other. A step is a
// token, and copies of a step arrive after the next one, at most COPIES of them.
#include <stdio.h>
#include <stdlib.h>

#include "kernels/expert_slots.h"

enum { SEED = 4711, TOKENS = 1500, WARM = 500, EXPERTS_MOST = 1024, MOVES_MOST = 256 };

struct trace {
    int32_t experts, used;
    int32_t *recent; // [layers, experts] by last use
    unsigned seed;
};

static double draw(struct trace *trace) { return (double)rand_r(&trace->seed) / RAND_MAX; }

static int32_t between(struct trace *trace, int32_t first, int32_t end) {
    return first + (int32_t)(draw(trace) * 0.999999 * (end - first));
}

// Where the next expert stands in the order of last use.
static int32_t next_place(struct trace *trace, bool recency) {
    const int32_t eighth = trace->experts / 8, all = trace->experts;
    const double u = draw(trace);
    if (!recency) return between(trace, 0, all);
    return u < 0.67   ? between(trace, 0, eighth)
           : u < 0.81 ? between(trace, eighth, 2 * eighth)
                      : between(trace, 2 * eighth, all);
}

static int32_t choose(struct trace *trace, int32_t layer, bool recency) {
    int32_t *recent = trace->recent + (size_t)layer * (size_t)trace->experts;
    const int32_t at = next_place(trace, recency), expert = recent[at];
    for (int32_t i = at; i > 0; i--)
        recent[i] = recent[i - 1];
    recent[0] = expert;
    return expert;
}

static void print_hits(struct trace *trace, int32_t layers, int32_t slots, int32_t copies,
                       bool recency) {
    struct expert_slots *all;
    static struct expert_move coming[MOVES_MOST];
    struct expert_slots_counts warm = {0, 0, 0};
    int32_t count = 0;
    if (expert_slots_create(layers, trace->experts, slots, &all) != STATUS_OK) return;
    for (int32_t i = 0; i < layers * trace->experts; i++)
        trace->recent[i] = i % trace->experts;
    for (int32_t token = 0; token < TOKENS; token++) {
        if (token == WARM) warm = expert_slots_counts(all);
        for (int32_t layer = 0; layer < layers; layer++)
            for (int32_t j = 0; j < trace->used; j++)
                (void)expert_slots_look(all, layer, choose(trace, layer, recency));
        while (count > 0)
            (void)expert_slots_arrive(all, &coming[--count]);
        while (count < copies && count < MOVES_MOST && expert_slots_take(all, &coming[count]))
            count++;
        expert_slots_end_step(all);
    }
    const struct expert_slots_counts counts = expert_slots_counts(all);
    const double hits = (double)(counts.hits - warm.hits);
    const double misses = (double)(counts.misses - warm.misses);
    printf("%8.1f", 100 * hits / (hits + misses));
    printf("%8.1f", (double)(counts.moves - warm.moves) / (TOKENS - WARM));
    expert_slots_destroy(all);
}

int main(int argc, char **argv) {
    const int32_t layers = argc > 1 ? atoi(argv[1]) : 31;
    const int32_t experts = argc > 2 ? atoi(argv[2]) : 128;
    const int32_t used = argc > 3 ? atoi(argv[3]) : 8, copies = argc > 4 ? atoi(argv[4]) : 24;
    if (layers < 1 || layers > 512 || experts < 8 || experts > EXPERTS_MOST || used < 1 ||
        copies < 1) {
        fprintf(stderr, "usage: bench_slots [LAYERS EXPERTS USED COPIES]\n");
        return 2;
    }
    struct trace trace = {.experts = experts, .used = used, .seed = SEED};
    trace.recent = calloc((size_t)layers * (size_t)experts, sizeof *trace.recent);
    if (!trace.recent) return 1;
    printf("%d layers, %d of %d experts a token, at most %d copies\n", (int)layers, (int)used,
           (int)experts, (int)copies);
    printf("slots for   at random        with recency\n");
    printf("            hits %%  copies  hits %%  copies\n");
    for (int32_t part = 16; part >= 2; part /= 2) {
        const int32_t slots = layers * experts / part;
        printf("1 of %-4d", (int)part);
        print_hits(&trace, layers, slots, copies, false);
        print_hits(&trace, layers, slots, copies, true);
        printf("\n");
    }
    free(trace.recent);
    return 0;
}
