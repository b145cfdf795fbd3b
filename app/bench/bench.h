// app/bench/bench.h — how fast is a model here, and how close to what the machine can do?
//
// `quire bench WHAT` measures a model file, or a named shape with random weights in memory. The
// ceiling is the read bandwidth, measured in the same run. A figure is the median of several runs
// after a warm-up, with the lowest and the highest. A case that does not fit the memory or the
// context says why instead; the others still run.
//
// Every run prints to stdout, as a table within 80 columns or as JSON, and returns the exit code.
#ifndef APP_BENCH_BENCH_H
#define APP_BENCH_BENCH_H

#include "app/cli/args.h"
#include "engine/engine.h"

enum { BENCH_RUNS_DEFAULT = 5 };

struct bench_options {
    struct engine_options engine;          // what is measured: borrowed texts
    bool decode, prefill, attention, swap; // which of a measurement that has several
    int32_t tokens;                        // computed per sequence and run; 0: as below
    struct args_numbers prompts;           // prompt tokens of a prefill; none: 512
    struct args_numbers depths;            // tokens in the cache before; none: as below
    struct args_numbers batches;           // sequences computed together; none: as below
    struct args_numbers rows;              // tokens of each in a step; none: 1
    struct args_numbers accept;            // percent: how often each draft token is right
    int32_t branches;                      // of a past before answers fork; at least 1
    int32_t runs;                          // at least 1
    const char *folder;                    // the disk's temporary folder is created in it
    bool folder_given;                     // by the user: use no other
    bool json, one_line;                   // print JSON; without line breaks
    bool quiet;                            // no progress on stderr
};

// decode, prefill: a row per prompt length of a prefill, and per depth and batch of a decode.
// Defaults: 32 tokens, a depth of 16, a batch of 1. A prefill computes a fresh prompt in every run.
// A decode starts at its depth in every run: `batch` sequences without common tokens are prefilled
// before the clock starts, then decoded together. With rows, each of them has that many tokens in a
// step, as when drafts are verified; all count, though the drafts are rejected. `accept`
// simulates drafts: in each step a draw decides how many of a sequence's drafts are accepted, and
// only those count. Proposing them takes no time. A step that reads less than the measurement of
// the read bandwidth runs partly from caches, so it has no percentage.
int bench_speed_run(const struct bench_options *options);

// batch: K answers after one past, compared with a single answer. Defaults: 200 tokens, a past of
// 1,000, K of 1, 2, 4, 8. The past is computed before the clock starts, and the answers share its
// blocks. With branches, the past continues in several ways, each half as long again, and the
// answers fork from these in turn.
int bench_batch_run(const struct bench_options *options);

// attention, swap: single ops of a backend; no model. One decode step's paged attention over caches
// of several lengths and batch sizes at the heads of llama-3-8b (32 over 8, of 128), with each
// kernel that the backend has; figures are per layer. Swap moves blocks between host and device.
int bench_ops_run(const struct bench_options *options);

// kv: what the KV cache costs and saves. Forks sequences of up to 10,000 tokens, lets conversations
// share a prefix, and resumes a conversation from the device, from host memory, from disk, and by
// recomputing it. SIGINT and SIGTERM end it early; the folder is removed even then.
int bench_kv_run(const struct bench_options *options);

#endif
