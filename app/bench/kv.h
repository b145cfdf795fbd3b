// app/bench/kv.h — the costs and savings of the KV cache on this machine.
//
// `quire bench kv` forks sequences of up to 30,000 tokens, shares a head between conversations,
// resumes conversations from each tier and without one, counts what fifty turns write to the disk,
// and interleaves two conversations that do not fit the device together. All numbers come from real
// sequences of the engine; what would take too long or too much memory is reported as skipped (null
// in JSON).
//
// Its other files: harness.h (an engine under measurement), disk.h (a folder and a
// tier that measures), kv_parts.h (the measurements and what they found), kv_show.h
// (for people and for programs).
#ifndef APP_BENCH_KV_H
#define APP_BENCH_KV_H

#include <stdbool.h>
#include <stdint.h>

#include "app/bench/subject.h"

struct bench_kv_options {
    struct bench_subject subject; // its kv_device_bytes count not: each measurement has its own
    const char *folder;           // the disk tier's is made in it for the time being
    bool folder_given;            // by the person: no other will do
    int32_t runs;                 // of what is measured several times; 0: 5
    bool json, one_line;
    bool quiet; // no progress on stderr
};

// Prints to stdout; returns the exit code. SIGINT and SIGTERM end it early, and the folder is
// removed then too.
int bench_kv_run(const struct bench_kv_options *options);

#endif
