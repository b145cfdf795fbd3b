// engine/scheduler.h — who computes what in the next step.
//
// A step is one batch. Sequences that are decoding (one token pending) come first, so that
// nobody's answer waits for somebody else's prompt; then prompts in the order they came, in
// chunks that fit the token budget. A chunk that is not a prompt's last ends at an absolute
// block boundary, so how a prompt is cut never depends on what was cached or on who else runs.
//
// Plain structs in, plain structs out: no model, no memory, no clock.
#ifndef ENGINE_SCHEDULER_H
#define ENGINE_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

struct scheduler_run {      // one running sequence, in order of arrival
    int32_t cached, length; // tokens computed, tokens in the log; cached < length
};

struct scheduler_chunk { // tokens [first, first + count) of run `run`
    int32_t run;
    int32_t first, count;
    bool last; // reaches the end of the log: its logits are wanted
};

struct scheduler_limits {
    int32_t step_tokens; // of one step, >= block_size
    int32_t block_size;
};

// Fills chunks [run_count] and returns how many there are: at least one if there is a run, each
// run at most once, sum of counts <= step_tokens.
int32_t scheduler_plan(const struct scheduler_run *runs, int32_t run_count,
                       const struct scheduler_limits *limits, struct scheduler_chunk *chunks);

// The token budget for which a step takes about `target_us` at this measured speed of prefill,
// a multiple of the block size between least and most. Long steps make ^C and other answers wait.
int32_t scheduler_budget(double tokens_per_us, int32_t target_us, int32_t block_size, int32_t least,
                         int32_t most);

#endif
