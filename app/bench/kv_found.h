// app/bench/kv_found.h — what `quire bench kv` found, and how it is shown.
//
// A row with `missing` set has no figures, but a reason in words.
#ifndef APP_BENCH_KV_FOUND_H
#define APP_BENCH_KV_FOUND_H

#include "app/bench/samples.h"
#include "engine/engine.h"

enum {
    FORK_ROWS = 3,
    SHARING_ROWS = 3,
    SHARED_TOKENS = 1000, // that conversations have in common
    OWN_TOKENS = 50,      // that each has besides
    RESUME_LENGTHS = 2,
    MISSING_BYTES = 64,
};

struct fork_row {
    char missing[MISSING_BYTES];
    int32_t tokens, blocks; // cached, and in the table
    double prefill_us;      // of all of its tokens
    struct figure idle_us;  // of a fork
    // that a fork takes for its first token after the shared ones
    uint32_t first_write_blocks, first_write_states;
};

struct sharing_row {
    char missing[MISSING_BYTES];
    int32_t conversations;
    uint32_t held_blocks;      // on the device, by all of them
    uint64_t separate_blocks;  // that as many sequences without sharing would hold
    uint64_t prefilled, least; // tokens: computed, and of one prefix and all that is own
};

enum resume_from { FROM_DEVICE, FROM_HOST, FROM_DISK, FROM_NOTHING };
enum { RESUME_FROM_COUNT = 4 };

struct resume_row {
    char missing[MISSING_BYTES];
    int32_t tokens;
    struct figure ready_us;       // until all that was found is on the device
    struct figure first_token_us; // from request_start()
    struct request_stats stats;   // of the last request
    uint64_t moved_bytes;         // to the device, by it
    uint64_t prefilled;           // tokens, by it
};

struct kv_found {
    struct engine_info info;
    double read_bytes_per_s;
    struct fork_row forks[FORK_ROWS];
    struct sharing_row sharing[SHARING_ROWS];
    struct resume_row resume[RESUME_LENGTHS][RESUME_FROM_COUNT];
};

void kv_found_print(const struct kv_found *found);                     // within 80 columns
bool kv_found_print_json(const struct kv_found *found, bool one_line); // false: memory is short

#endif
