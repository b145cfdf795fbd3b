// tests/bench/cache/parts.h — the measurements of `quire-measure cache`, and what they found.
//
//   cache_forks ─► cache_resume ─► cache_turns ─► cache_pairs ─► cache_print
//
// The forks come first: the prefill of their sequence predicts how long any other takes, and so
// what can be measured at all. A line with `missing` set has no numbers, but a reason in words.
//
// Each opens engines of its own and closes them, also on failure. CANCELLED: a signal came.
#ifndef TESTS_BENCH_CACHE_PARTS_H
#define TESTS_BENCH_CACHE_PARTS_H

#include "app/bench/bench.h"
#include "app/bench/harness.h"
#include "tests/bench/cache/meter.h"

enum {
    FORK_LINES = 4,
    RESUME_LINES = 2,
    TURN_LINES = 2,
    PAIR_LINES = 2,
    PAIR_TURNS = 6,
};

struct fork_line {
    char missing[MISSING_BYTES];
    int32_t tokens;           // cached
    struct figure running_us; // of a fork while the sequence decodes
};

struct resume_line {
    char missing[MISSING_BYTES];
    int32_t tokens;
    struct figure ready_us, first_token_us; // from the disk, without its pages in memory
    struct visit last;
    double kept_pages;       // part of the files that stayed in memory all the same
    struct bench_meter read; // of all kinds and runs
    struct bench_meter written;
    double close_us;         // of the engine that wrote
    int32_t found;           // tokens on the device, of the next
    struct figure lookup_ns; // to find them, each
};

struct turns_line {
    char missing[MISSING_BYTES];
    bool tight; // the device holds a part of the conversations only
    int32_t conversations, turns;
    uint64_t prefilled, least;                   // tokens; least: what no turn before had
    uint64_t decoded;                            // steps, the first token of each answer besides
    uint64_t sealed_blocks, tails;               // distinct ones
    uint64_t wanted_bytes;                       // of both
    uint64_t payload_bytes, written_bytes;       // as the tier counts
    uint64_t window_bytes, window_written_bytes; // the same of windows or states
    bool system_knows;
    uint64_t system_bytes;                // written, as the kernel counts
    uint64_t folder_bytes, write_blocks;  // on the disk; handed to the tier
    uint64_t writes;                      // calls
    uint64_t evicted_blocks, lost_blocks; // from the device; of those, that were nowhere else
};

struct pair_turn {
    int32_t prompt, new_tokens; // new_tokens: since the last step of this conversation
    int64_t prefilled, device_tokens, host_tokens;
    double first_token_us;
};
struct pair_line { // two conversations in turn
    char missing[MISSING_BYTES];
    bool kept; // as sequences; else made again from the log for each turn
    int32_t pool_tokens;
    uint32_t pool_blocks, largest_blocks; // of the larger conversation
    struct pair_turn turns[PAIR_TURNS];
    uint64_t excess; // tokens computed again after each one's first turn
    uint64_t swap_out_bytes, swap_in_bytes;
};

struct kv_bench {
    const struct bench_options *options;
    struct harness harness;
    double read_bytes_per_s;
    struct bench_folder folder;
    struct bench_meter meters[BENCH_METERS]; // of the engine that is open, or was last
    struct fork_line forks[FORK_LINES];
    struct resume_line resume[RESUME_LINES];
    struct turns_line turns[TURN_LINES];
    struct pair_line pairs[PAIR_LINES];
};

MUST_CHECK enum status cache_open_folder(struct kv_bench *bench);

// A pool in the folder, for one engine, whose operations are counted in bench->meters. NULL: memory
// is short.
struct disk_pool *cache_disk(struct kv_bench *bench);

MUST_CHECK enum status cache_forks(struct kv_bench *bench);
MUST_CHECK enum status cache_resume(struct kv_bench *bench);
MUST_CHECK enum status cache_turns(struct kv_bench *bench);
MUST_CHECK enum status cache_pairs(struct kv_bench *bench);

bool cache_print(const struct kv_bench *bench); // false: memory is short

#endif
