// app/bench/kv_found.h — the results of `quire bench kv`, and how to print them.
//
// A row has either figures or, in `missing`, the reason why not.
#ifndef APP_BENCH_KV_FOUND_H
#define APP_BENCH_KV_FOUND_H

#include "app/bench/harness.h"

enum {
    FORK_ROWS = 3,
    SHARING_ROWS = 3,
    SHARED_TOKENS = 1000, // common to all conversations
    OWN_TOKENS = 50,      // of each conversation alone
    RESUME_LENGTHS = 2,
};

struct fork_row {
    char missing[MISSING_BYTES];
    int32_t tokens, blocks; // tokens cached, and blocks in the block table
    double prefill_us;      // to prefill all its tokens
    struct figure idle_us;  // of a fork
    // allocated by a fork for its first token of its own
    uint32_t first_write_blocks, first_write_states;
};

struct sharing_row {
    char missing[MISSING_BYTES];
    int32_t conversations;
    uint32_t held_blocks;      // device blocks used by all of them
    uint64_t separate_blocks;  // blocks they would use without sharing
    uint64_t prefilled, least; // tokens computed, and the minimum: one prefix and all own tokens
};

enum resume_from { FROM_DEVICE, FROM_HOST, FROM_DISK, FROM_NOTHING };
enum { RESUME_FROM_COUNT = 4 };

struct resume_row {
    char missing[MISSING_BYTES];
    int32_t tokens;
    struct figure ready_us;       // until everything found is on the device
    struct figure first_token_us; // from request_start_all()
    struct visit last;
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
