// engine/step/scheduler.h — who computes what in the next step, and who gives blocks up for it.
//
// A step is one batch. The caller describes its runs in plain numbers and gets a plain plan: no
// model, no memory, no clock, so that a day of requests is tested in seconds.
//
//   WAITING ──admitted──► LOADING ──what is cached is there──► RUNNING ──► finished, cancelled
//                            ▲                                    │ preempted (LOADING too)
//                            └──────────admitted────── SWAPPED ◄──┘
//
// Rank: urgent runs come before others, then the earlier arrival. Urgent are those in the
// foreground and one other, the promoted: the first that SCHEDULER_PATIENCE steps brought nothing,
// until its end.
//
// What a plan keeps, checked by scheduler_check():
//   (1) Decodes (one token pending) come first, so that nobody's answer waits for somebody else's
//       prompt. Prompts share what they leave of the step, one block at least: the urgent first;
//       among the others those that have had fewer turns of SCHEDULER_TURN tokens; then by arrival.
//   (2) A chunk that is not a prompt's last ends at an absolute block boundary, so how a prompt is
//       cut never depends on what was cached or on who else runs.
//   (3) Blocks go by rank. A run for which there are none takes them from who is not inside, then
//       from the lowest in rank; the lowest itself is preempted. So the first always goes on.
//   (4) Who waits is admitted by rank, and nobody overtakes: when the rest of its log, one token
//       more and the watermark are free besides what those inside still need for theirs; or when
//       nobody is inside. One in the foreground may have those that are not urgent preempted.
//
// So no run starves: the promoted one waits only for runs that came before it, of which the first
// goes on in every step; and the foreground waits for one other at most.
#ifndef ENGINE_STEP_SCHEDULER_H
#define ENGINE_STEP_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SCHEDULER_MAX_RUNS = 256,
    SCHEDULER_PATIENCE = 512, // steps
    SCHEDULER_TURN = 2048,    // tokens of a prompt
};

enum scheduler_state { SCHEDULER_WAITING, SCHEDULER_LOADING, SCHEDULER_RUNNING, SCHEDULER_SWAPPED };

struct scheduler_run {
    enum scheduler_state state;
    bool foreground, promoted;
    int32_t cached, length; // tokens computed, tokens in the log; RUNNING: cached < length
    int32_t prefilled;      // of its prompt, since it came
    int32_t skipped;        // steps that brought it nothing, since the last that did
    int32_t blocks;         // that it holds, also while it waits (a fork's, say)
    int32_t own;            // of those, held by nobody else: what it gives back
    int32_t copies;         // 1: its last block must be copied before it is written; else 0
};

struct scheduler_limits {
    int32_t step_tokens; // of one step, >= block_size; more only when decodes leave less than a
                         // block: then as many as those, and a block
    int32_t block_size;
    int32_t room;        // blocks that nobody needs: free, or to be evicted
    int32_t watermark;   // of those, kept for the growth of those inside
    double swap_us;      // to take one block out of the device and back; 0: there is nowhere to go
    double recompute_us; // to compute its tokens again; 0: not known yet
};

struct scheduler_chunk { // tokens [first, first + count) of run `run`
    int32_t run;
    int32_t first, count;
    bool last; // reaches the end of the log: its logits are wanted
};

struct scheduler_plan {
    struct scheduler_chunk chunks[SCHEDULER_MAX_RUNS]; // decodes, then prompts
    int32_t preempted[SCHEDULER_MAX_RUNS];             // runs that give all their blocks up
    int32_t admitted[SCHEDULER_MAX_RUNS];              // runs that begin to load
    int32_t chunk_count, decode_count, preempted_count, admitted_count;
    int32_t tokens;  // of all chunks
    int32_t blocks;  // that the chunks take
    int32_t refused; // the run for which all blocks there are are too few, or -1
    bool swap;       // what is preempted is worth copying out: that is faster than computing again
};

// runs[run_count], at most SCHEDULER_MAX_RUNS, in order of arrival. An empty plan: nobody can do
// anything before a LOADING run is loaded.
void scheduler_plan(const struct scheduler_run *runs, int32_t run_count,
                    const struct scheduler_limits *limits, struct scheduler_plan *plan);

// After each step: counts what it brought each run in prefilled and skipped, and promotes.
void scheduler_note(struct scheduler_run *runs, int32_t run_count,
                    const struct scheduler_plan *plan);

// FREE blocks that computing up to token `end` takes.
int32_t scheduler_need(const struct scheduler_run *run, int32_t end, int32_t block_size);

// The token budget for which a step takes about `target_us` at this measured speed of prefill,
// a multiple of the block size between least and most. Long steps make ^C and other answers wait.
int32_t scheduler_budget(double tokens_per_us, int32_t target_us, int32_t block_size, int32_t least,
                         int32_t most);

// That the plan is one for these runs and limits, and that it gets somewhere; for tests.
void scheduler_check(const struct scheduler_run *runs, int32_t run_count,
                     const struct scheduler_limits *limits, const struct scheduler_plan *plan);

#endif
