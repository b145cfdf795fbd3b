// tests/bench/cache/parts.h — the measurements of `quire-measure cache`, and what they found.
//
//   cache_forks ─► cache_sharing ─► cache_resume ─► cache_turns ─► cache_pairs
//
// The forks come first: the prefill of their sequence predicts how long any other takes, and so
// what can be measured at all. A line with `missing` set has no numbers, but a reason in words.
//
// Each opens engines of its own and closes them, also on failure. CANCELLED: a signal came.
#ifndef TESTS_BENCH_CACHE_PARTS_H
#define TESTS_BENCH_CACHE_PARTS_H

#include "app/bench/harness.h"
#include "app/bench/kv.h"
#include "tests/bench/cache/meter.h"

enum {
    FORK_LINES = 4,
    SHARING_LINES = 3,
    RESUME_LENGTHS = 2,
    TURN_LINES = 2,
    PAIR_LINES = 2,
    PAIR_TURNS = 6,
    MISSING_BYTES = 64,
};

struct fork_line {
    char missing[MISSING_BYTES];
    int32_t tokens, blocks;   // cached, and in the table
    double prefill_us;        // of all of its tokens
    struct figure idle_us;    // of a fork of the sequence at rest
    struct figure running_us; // while it decodes
    // that a fork takes for its first token after the shared ones
    uint32_t first_write_blocks, first_write_states;
};

struct sharing_line { // conversations on one head
    char missing[MISSING_BYTES];
    int32_t conversations, tokens; // each: head and suffix
    uint32_t held_blocks;          // on the device, by all of them
    uint64_t spared_blocks;        // as the engine counts
    uint64_t separate_blocks;      // that as many sequences without sharing would hold
    uint64_t prefilled, least;     // tokens: computed, and of one head and all suffixes
    uint64_t prefilled_at_once;    // where all of them start at the same moment
};

enum resume_from { FROM_DEVICE, FROM_HOST, FROM_DISK, FROM_COLD_DISK, FROM_NOTHING };
enum { RESUME_FROM_COUNT = 5 };

struct resume_line {
    char missing[MISSING_BYTES];
    int32_t tokens;
    struct figure ready_us;       // sequence_restore(); not measured of FROM_NOTHING
    struct figure first_token_us; // from request_start()
    struct restore_report report; // of the last restore
    uint64_t moved_bytes;         // to the device, by that
    struct request_stats stats;   // of the last request
    uint64_t prefilled;           // tokens, by the last request
    double kept_pages;            // of the files, in memory all the same: FROM_COLD_DISK
};

struct resume_part {
    struct resume_line lines[RESUME_LENGTHS][RESUME_FROM_COUNT];
    struct bench_meter written, read, read_cold; // of all kinds; reads: of all runs
    double drain_us;                             // closing the engine that wrote
    char lookup_missing[MISSING_BYTES];
    int32_t lookup_tokens, lookup_found;
    struct figure lookup_ns; // a token
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
    bool kept; // as sequences; else made anew from the log for each turn
    int32_t pool_tokens;
    uint32_t pool_blocks, largest_blocks; // of the larger conversation
    struct pair_turn turns[PAIR_TURNS];
    uint64_t excess; // tokens computed again after each one's first turn
    uint64_t swap_out_bytes, swap_in_bytes;
};

struct kv_bench {
    const struct bench_kv_options *options;
    struct harness harness;
    int32_t runs;
    double read_bytes_per_s;
    size_t most_bytes; // of a pool
    // seconds of a prefill are about linear * n + square * n * n
    double linear_us, square_us;
    struct bench_folder folder;
    struct bench_meter meters[BENCH_METERS]; // of the engine that is open, or was last
    struct fork_line forks[FORK_LINES];
    struct sharing_line sharing[SHARING_LINES];
    struct resume_part resume;
    struct turns_line turns[TURN_LINES];
    struct pair_line pairs[PAIR_LINES];
};

// A pool in the folder, for one engine, whose operations are counted in bench->meters. NULL: memory
// is short.
struct disk_pool *cache_disk(struct kv_bench *bench);

// How long computing tokens [from, to) would take, from the measurements; 0: unknown.
double cache_expect_us(const struct kv_bench *bench, int32_t from, int32_t to);

// False, with the reason, if such pools or a prefill of `length` are too much.
bool cache_affords(const struct kv_bench *bench, struct harness_room pools, int32_t length,
                   char missing[MISSING_BYTES]);

MUST_CHECK enum status cache_forks(struct kv_bench *bench);
MUST_CHECK enum status cache_sharing(struct kv_bench *bench);
MUST_CHECK enum status cache_resume(struct kv_bench *bench);
MUST_CHECK enum status cache_turns(struct kv_bench *bench);
MUST_CHECK enum status cache_pairs(struct kv_bench *bench);

#endif
