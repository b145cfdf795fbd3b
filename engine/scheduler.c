#include "engine/scheduler.h"

#include "engine/base/assert.h"

// Where a chunk that starts at `first` and may take `room` tokens ends.
static int32_t chunk_end(const struct scheduler_run *run, int32_t room, int32_t block_size) {
    if (run->length - run->cached <= room) return run->length;
    const int32_t end = (run->cached + room) / block_size * block_size;
    return end > run->cached ? end : run->cached;
}

int32_t scheduler_plan(const struct scheduler_run *runs, int32_t run_count,
                       const struct scheduler_limits *limits, struct scheduler_chunk *chunks) {
    ASSERT(limits->step_tokens >= limits->block_size);
    int32_t room = limits->step_tokens, count = 0;
    for (int pass = 0; pass < 2; pass++) { // decodes, then prompts
        for (int32_t i = 0; i < run_count; i++) {
            const int32_t pending = runs[i].length - runs[i].cached;
            ASSERT(pending > 0);
            if ((pending == 1) != (pass == 0)) continue;
            const int32_t end = chunk_end(&runs[i], room, limits->block_size);
            if (end == runs[i].cached) continue;
            chunks[count++] = (struct scheduler_chunk){
                .run = i,
                .first = runs[i].cached,
                .count = end - runs[i].cached,
                .last = end == runs[i].length,
            };
            room -= end - runs[i].cached;
        }
    }
    return count;
}

int32_t scheduler_budget(double tokens_per_us, int32_t target_us, int32_t block_size, int32_t least,
                         int32_t most) {
    const double wanted = tokens_per_us * target_us;
    const int32_t tokens = wanted > most ? most : wanted < least ? least : (int32_t)wanted;
    return tokens / block_size * block_size;
}
