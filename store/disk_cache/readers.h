// store/disk_cache/readers.h — many reads at once: a few threads that read slots and verify them.
//
// Nobody outside this room includes it. One thread copies and hashes at a small part of what memory
// or a fast drive gives, so a batch is spread over threads; the caller is one of them.
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
    struct hash128 checksum; // that it must have
    enum status outcome;     // OK, NOT_FOUND: the file ends before, BAD_FILE: another checksum; IO
};

struct readers;

// With as many threads as pay on this machine; fewer when they cannot be started. NULL: no memory.
struct readers *readers_create(void);
void readers_destroy(struct readers *readers); // NULL is fine

// Until all `reads` have an outcome.
void readers_run(struct readers *readers, const struct slot_file *file, struct slot_read *reads,
                 int32_t count);

void slot_read_run(const struct slot_file *file, struct slot_read *read); // one, here

#endif
