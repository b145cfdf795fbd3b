// store/segment.h — one append-only file of records, and the folder of them.
//
// Nobody outside this room includes it. A segment is known by its number; its file is
// segment-NNNNNNNN.kv. Numbers are never used twice, so a place (number, offset) never comes to
// mean another record. Whoever appends to, cuts or removes a segment holds its lock (flock on an
// open file; it vanishes with the process). Reading and punching need none: bytes at a place change
// in one way only, to zeros.
//
// Threads: one at a time.
#ifndef STORE_SEGMENT_H
#define STORE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "kernels/base/status.h"

enum { SEGMENT_NAME_BYTES = 24 };

void segment_name(uint32_t number, char name[SEGMENT_NAME_BYTES]);

// The numbers of the segments in the folder, ascending. *numbers is the caller's (free).
MUST_CHECK enum status segment_list(int folder, uint32_t **numbers, size_t *count,
                                    struct error *err);

enum segment_use { SEGMENT_READ, SEGMENT_WRITE, SEGMENT_CREATE };

// *file is the caller's (close). NOT_FOUND: there is none; BUSY: CREATE, and there is one; IO.
MUST_CHECK enum status segment_open(int folder, uint32_t number, enum segment_use use, int *file,
                                    struct error *err);

// Opens and locks it. BUSY: also when another open file has the lock.
MUST_CHECK enum status segment_open_locked(int folder, uint32_t number, enum segment_use use,
                                           int *file, struct error *err);
MUST_CHECK enum status segment_remove(int folder, uint32_t number, struct error *err);

bool segment_is_gone(int file); // it was removed from the folder while open

// Writes or reads all of `pieces`, whose entries are used up. FULL: the disk, a quota or a limit
// on files; NOT_FOUND: the file ends before; IO.
MUST_CHECK enum status segment_write(int file, uint64_t offset, struct iovec *pieces, int count,
                                     struct error *err);
MUST_CHECK enum status segment_read(int file, uint64_t offset, struct iovec *pieces, int count,
                                    struct error *err);

MUST_CHECK enum status segment_sync(int file, struct error *err);
MUST_CHECK enum status segment_cut(int file, uint64_t bytes, struct error *err); // shortens it

// Gives the bytes back to the file system; they read as zeros. UNSUPPORTED where it cannot.
MUST_CHECK enum status segment_punch(int file, uint64_t offset, uint64_t bytes, struct error *err);

uint64_t segment_size(int file);   // 0 when it cannot be told
uint64_t segment_stored(int file); // on the disk: holes are free

// How many bytes of [offset, offset + bytes) take room on the disk, to the file system's knowledge.
uint64_t segment_data(int file, uint64_t offset, uint64_t bytes);

// A few segments kept open to read from.
enum { SEGMENT_MAX_OPEN = 16 };
struct segment_files {
    int folder;    // borrowed
    uint64_t uses; // a clock
    struct segment_slot {
        uint32_t number; // 0: empty
        int file;
        uint64_t used;
    } slots[SEGMENT_MAX_OPEN];
};

// *file stays the cache's, until the next call. NOT_FOUND, IO.
MUST_CHECK enum status segment_files_get(struct segment_files *files, uint32_t number, int *file,
                                         struct error *err);
void segment_files_deinit(struct segment_files *files); // {0} is fine

#endif
