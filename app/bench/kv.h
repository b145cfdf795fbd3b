// app/bench/kv.h — what does the KV cache cost and save on this machine?
//
// `quire bench kv` forks a sequence of up to 10,000 tokens, lets conversations share a prefix, and
// takes a conversation up again from the device, from host memory, from the disk, and by computing
// it anew. All figures come from real sequences of the engine; what would take too long or too much
// memory is reported as not measured (null in JSON, with the reason).
#ifndef APP_BENCH_KV_H
#define APP_BENCH_KV_H

#include <stdbool.h>
#include <stdint.h>

#include "app/bench/subject.h"

struct bench_kv_options {
    struct bench_subject subject; // each measurement has a kv_device_bytes of its own
    const char *folder;           // a folder for the disk tier is made in it, and removed
    bool folder_given;            // by the person: no other will do
    int32_t runs;                 // of what is measured several times; 0: 5
    bool json, one_line;
    bool quiet; // no progress on stderr
};

// Prints to stdout; returns the exit code. SIGINT and SIGTERM end it early, and the folder is
// removed then too.
int bench_kv_run(const struct bench_kv_options *options);

#endif
