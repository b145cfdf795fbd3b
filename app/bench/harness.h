// app/bench/harness.h — an engine under measurement.
//
//   harness_open ─► sequences, harness_append, harness_generate, harness_restore … ─► harness_close
//
// Has one engine at a time; each measurement reopens it with a pool of the size it needs.
// harness_catch_signals() catches SIGINT, SIGTERM and SIGHUP; every wait then soon returns
// CANCELLED.
//
// Threads: one.
#ifndef APP_BENCH_HARNESS_H
#define APP_BENCH_HARNESS_H

#include "app/bench/samples.h"
#include "app/bench/subject.h"

struct harness {
    const struct bench_subject *subject; // borrowed; its kv_device_bytes is ignored
    struct engine *engine;               // NULL: none is open
    struct hash128 digest;               // of the model file, once known
    bool knows_digest;
    struct engine_info info;
    struct error err;
};

// What a pool must hold: keys and values of `tokens`, rounded up to blocks, and the windows and
// states of `sequences` of any length.
struct harness_room {
    int64_t tokens;
    int32_t sequences;
};
size_t harness_room_bytes(const struct harness *harness, struct harness_room room);

struct harness_needs {
    int32_t context;                  // tokens; 0: chosen by the engine, as is the pool
    struct harness_room device, host; // 0 tokens: chosen by the engine
    struct disk_pool *disk;           // moved in; NULL: no disk
    enum kv_restore restore;
};
MUST_CHECK enum status harness_open(struct harness *harness, const struct harness_needs *needs);
void harness_close(struct harness *harness); // NULL engine is fine

void harness_catch_signals(void);
int harness_signal(void); // the signal that arrived, or 0

double harness_now_us(void);
void harness_ids(const struct harness *harness, uint32_t salt, int32_t first, int32_t count,
                 int32_t *ids);

// Extends the log to `length` with the tokens of the salt (samples.h).
MUST_CHECK enum status harness_append(struct harness *harness, struct sequence *sequence,
                                      uint32_t salt, int32_t length);
// Starts a request of greedy tokens that ignores the end of turn.
MUST_CHECK enum status harness_start(struct harness *harness, struct sequence *sequence,
                                     int32_t tokens, struct request **request);
// Waits until all are DONE and releases them. stats[count], or NULL.
MUST_CHECK enum status harness_wait(struct harness *harness, struct request *const *requests,
                                    int32_t count, struct request_stats *stats);
// harness_start() and harness_wait() for one request; stats may be NULL.
MUST_CHECK enum status harness_generate(struct harness *harness, struct sequence *sequence,
                                        int32_t tokens, struct request_stats *stats);
// Computes the appended tokens without adding any, so that the whole log is cached.
MUST_CHECK enum status harness_prefill(struct harness *harness, struct sequence *sequence,
                                       struct request_stats *stats);
// Restores until done; *report describes the state then.
MUST_CHECK enum status harness_restore(struct sequence *sequence, struct restore_report *report);

#endif
