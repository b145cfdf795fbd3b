// tests/bench/cache/meter.h — a disk pool that is timed, and what its folder holds.
//
// The meter stands between engine and pool: it passes every operation on, and notes what reading
// and writing took and what the pool had written when it was closed.
//
// Threads: the meter's operations run where disk_pool.h says; its figures are read after
// engine_close().
#ifndef TESTS_BENCH_CACHE_METER_H
#define TESTS_BENCH_CACHE_METER_H

#include "app/bench/folder.h"
#include "engine/kv/disk_pool.h"

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
