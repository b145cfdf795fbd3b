// app/bench/harness.h — an engine under measurement.
//
//   harness_open ─► sequences, harness_append, harness_generate, harness_visit … ─► harness_close
//
// Has one engine at a time; a measurement of the cache reopens it with a pool of the size it needs.
// harness_catch_signals() catches SIGINT, SIGTERM and SIGHUP; every wait then soon returns
// CANCELLED.
//
// Threads: one.
#ifndef APP_BENCH_HARNESS_H
#define APP_BENCH_HARNESS_H

#include "app/bench/report.h"

struct harness {
    const struct engine_options *options; // borrowed: the model and all that `needs` does not say
    struct engine *engine;                // NULL: none is open
    struct hash128 digest;                // of the model file, once known
    bool knows_digest;
    struct engine_info info;
    struct error err;
    // What harness_affords() goes by.
    size_t most_bytes;    // of a pool: what the engine chose
    double token_us;      // of a prefill, by the longest so far; 0: unknown
    int32_t token_length; // of that
};

// What a pool must hold: keys and values of `tokens`, rounded up to blocks, and the windows and
// states of `sequences` of any length.
struct harness_room {
    int64_t tokens;
    int32_t sequences;
};

struct harness_needs {
    int32_t context;                  // tokens; 0: chosen by the engine
    struct harness_room device, host; // 0 tokens: as the options say
    struct disk_pool *disk;           // moved in; NULL: no disk
    enum kv_restore restore;
};
// CANCELLED: a signal arrived meanwhile.
MUST_CHECK enum status harness_open(struct harness *harness, const struct harness_needs *needs);
void harness_close(struct harness *harness); // NULL engine is fine

// Closes it at the end of a bench, prints what failed, and returns the exit code.
int harness_end(struct harness *harness, enum status status);

// Opens an engine as the options say, learns the sizes and measures the read bandwidth.
MUST_CHECK enum status harness_probe(struct harness *harness, double *read_bytes_per_s);

// Does `pool` fit into memory, and does a prefill of `length` tokens take minutes at most? If not,
// `missing` says why, unless it has a reason already. Call it after harness_probe().
bool harness_affords(const struct harness *harness, struct harness_room pool, int32_t length,
                     char missing[MISSING_BYTES]);

void harness_catch_signals(void);
int harness_signal(void); // the signal that arrived, or 0

// Shows on stderr, if it is a terminal, what is measured now; "" clears the line.
void harness_progress(bool quiet, const char *name);

double harness_now_us(void);
struct kv_usage harness_usage(const struct harness *harness);

// Token ids depend only on a salt and a position: equal salts give equal logs, different salts
// share nothing. Fills ids[0..count) for the positions [first, first + count).
void harness_ids(const struct harness *harness, uint32_t salt, int32_t first, int32_t count,
                 int32_t *ids);
// Extends the log to `length` with the tokens of the salt.
MUST_CHECK enum status harness_append(const struct harness *harness, struct sequence *sequence,
                                      uint32_t salt, int32_t length);

// A greedy request that ignores the end of turn.
struct request_options harness_request(int32_t tokens);
// Waits until all are DONE and releases them. stats[count], or NULL.
MUST_CHECK enum status harness_wait(struct harness *harness, struct request *const *requests,
                                    int32_t count, struct request_stats *stats);
// Starts one harness_request() and waits for it; stats may be NULL.
MUST_CHECK enum status harness_generate(struct harness *harness, struct sequence *sequence,
                                        int32_t tokens, struct request_stats *stats);
// Computes the appended tokens without adding any, so that the whole log is cached.
MUST_CHECK enum status harness_prefill(struct harness *harness, struct sequence *sequence,
                                       struct request_stats *stats);

// Computes a log of `length` and saves it, as a conversation that ends.
MUST_CHECK enum status harness_leave_log(struct harness *harness, uint32_t salt, int32_t length);

// Continues such a log in a new sequence, up to its first token.
struct visit {
    struct request_stats stats;
    uint64_t moved_bytes; // to the device
    uint64_t prefilled;   // tokens computed
};
MUST_CHECK enum status harness_visit(struct harness *harness, uint32_t salt, int32_t length,
                                     struct visit *visit);

#endif
