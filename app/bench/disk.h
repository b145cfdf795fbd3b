// app/bench/disk.h — a folder for the duration of a measurement, and a disk pool that is timed.
//
// The folder is made with a name of its own inside another one, and is removed
// with what is in it. The meter stands between engine and pool: it passes every operation
// on, and notes what reading and writing took and what the pool had written when it was closed.
//
// Threads: the meter's operations run where disk_pool.h says; its figures are read after
// engine_close().
#ifndef APP_BENCH_DISK_H
#define APP_BENCH_DISK_H

#include <limits.h>

#include "engine/kv/disk_pool.h"

struct bench_folder {
    char path[PATH_MAX]; // "": none
};

// In `parent`, which is made if missing; where that cannot be and `fallback` is set, in $TMPDIR
// or /tmp. IO names the folder.
MUST_CHECK enum status bench_folder_open(struct bench_folder *folder, const char *parent,
                                         bool fallback, struct error *err);
void bench_folder_close(struct bench_folder *folder); // {0} is fine

uint64_t bench_folder_bytes(const struct bench_folder *folder); // that its files take on the disk

// Asks the system to drop the slots from its page cache; returns the part of them that it keeps
// anyway, 0 … 1, or 1 if that is unknown.
double bench_folder_forget(const struct bench_folder *folder);

// Bytes that this process has caused to be written to disks so far, as the kernel counts (Linux,
// proc(5), write_bytes of /proc/self/io). False: not available.
MUST_CHECK bool bench_system_written(uint64_t *bytes);

struct bench_meter {
    struct disk_pool pool;    // for engine_open(): the first, so that a pool of ours is a meter
    struct disk_pool *inner;  // NULL: closed
    struct bench_meter *twin; // borrowed: of windows or states; NULL: this is theirs
    uint64_t reads, read_blocks, read_bytes;
    uint64_t writes, write_blocks, write_bytes; // calls, and what they were asked to write
    int64_t read_us, write_us;
    struct disk_usage usage; // at the end
    size_t payload_bytes;    // of a block
};

enum { BENCH_METERS = 2 }; // of keys and values, and of windows or states

// Takes `inner`, which must not be NULL; the meters must outlive the engine.
struct disk_pool *bench_meter_init(struct bench_meter meters[BENCH_METERS],
                                   struct disk_pool *inner);

// Adds the calls and bytes, also those that `usage` has.
void bench_meter_add(struct bench_meter *sum, const struct bench_meter *meter);

#endif
