// store/disk_cache/readers.h — many reads at once: a few threads that read slots and verify them.
//
// Private to store/disk_cache/. One thread copies and hashes at a fraction of the speed of memory
// or a fast drive, so a batch is spread over several threads; the caller is one of them.
//
//   readers_create ─► readers_run (as often as you like) ─► readers_destroy
//
// Threads: one caller at a time. Memory: taken in readers_create().
#ifndef STORE_READERS_H
#define STORE_READERS_H

#include "store/disk_cache/slot_file.h"

struct slot_read {
    uint32_t slot;
    void *payload;           // the file's payload_bytes
    struct hash128 checksum; // the expected one
    enum status outcome;     // OK; NOT_FOUND: past the file's end; BAD_FILE: another checksum; IO
};

struct readers;

// Starts as many threads as pay off on this machine, or as many as can be started. NULL: no memory.
struct readers *readers_create(void);
void readers_destroy(struct readers *readers); // NULL is fine

// Returns once all `reads` have an outcome.
void readers_run(struct readers *readers, const struct slot_file *file, struct slot_read *reads,
                 int32_t count);

// One read, in the calling thread.
void slot_read_run(const struct slot_file *file, struct slot_read *read);

#endif
