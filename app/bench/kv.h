// app/bench/kv.h — what does the KV cache cost and save on this machine?
//
// `quire bench kv` forks sequences of up to 10,000 tokens, lets conversations share a prefix, and
// resumes a conversation from the device, from host memory, from disk, and by recomputing it. All
// figures come from real sequences of the engine. Cases that would take too long or too much memory
// are reported as not measured (null in JSON, with the reason).
#ifndef APP_BENCH_KV_H
#define APP_BENCH_KV_H

#include <stdbool.h>
#include <stdint.h>

#include "app/bench/subject.h"

struct bench_kv_options {
    struct bench_subject subject; // each measurement sets its own kv_device_bytes
    const char *folder;           // the disk tier's temporary folder is created in it
    bool folder_given;            // by the user: use no other
    int32_t runs;                 // of repeated measurements; 0: 5
    bool json, one_line;
    bool quiet; // no progress on stderr
};

// Prints to stdout; returns the exit code. SIGINT and SIGTERM end it early; the folder is removed
// even then.
int bench_kv_run(const struct bench_kv_options *options);

#endif
