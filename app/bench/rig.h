// app/bench/rig.h — an engine under measurement.
//
//   rig_open ─► sequences, rig_append, rig_generate, rig_restore … ─► rig_close
//
// One engine at a time; it is opened anew for each measurement, with a pool of its size. Every
// wait ends with CANCELLED soon after SIGINT, SIGTERM or SIGHUP, which rig_catch_signals() takes.
//
// Threads: one.
#ifndef APP_BENCH_RIG_H
#define APP_BENCH_RIG_H

#include "app/bench/disk.h"
#include "app/bench/kv.h"
#include "app/bench/samples.h"
#include "engine/engine.h"

struct rig {
    const struct bench_kv_options *options; // borrowed
    struct engine *engine;                  // NULL: none is open
    struct hash128 digest;                  // of the model file, once known
    bool knows_digest;
    struct engine_info info;
    struct error err;
};

struct rig_needs {
    int32_t context;                    // tokens; 0: as the engine chooses, and so the pool
    int64_t device_tokens, host_tokens; // rounded up to blocks
    const struct bench_folder *folder;  // NULL: no disk
    struct bench_meter *meter;          // with the folder
    enum kv_restore restore;
};
MUST_CHECK enum status rig_open(struct rig *rig, const struct rig_needs *needs);
void rig_close(struct rig *rig); // NULL engine is fine

void rig_catch_signals(void);
int rig_signal(void); // that came, or 0

double rig_now_us(void);
void rig_ids(const struct rig *rig, uint32_t salt, int32_t first, int32_t count, int32_t *ids);

// Adds tokens [length of the log, length) of the salt to the log.
MUST_CHECK enum status rig_append(struct rig *rig, struct sequence *sequence, uint32_t salt,
                                  int32_t length);
// Starts a request of greedy tokens that no end of turn stops.
MUST_CHECK enum status rig_start(struct rig *rig, struct sequence *sequence, int32_t tokens,
                                 struct request **request);
// Until all are DONE; releases them. stats[count], or NULL.
MUST_CHECK enum status rig_wait(struct rig *rig, struct request *const *requests, int32_t count,
                                struct request_stats *stats);
// Both, for one; stats may be NULL.
MUST_CHECK enum status rig_generate(struct rig *rig, struct sequence *sequence, int32_t tokens,
                                    struct request_stats *stats);
// Computes what is appended, and leaves no token behind it: all of the log is cached.
MUST_CHECK enum status rig_prefill(struct rig *rig, struct sequence *sequence,
                                   struct request_stats *stats);
// Until it is done; *report is of that moment.
MUST_CHECK enum status rig_restore(struct sequence *sequence, struct restore_report *report);

#endif
