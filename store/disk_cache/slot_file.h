// store/disk_cache/slot_file.h — one file of equal slots: a page that says whose it is, then slot n
// at SLOT_ALIGNMENT + n × stride.
//
// Nobody outside this room includes it. Bytes only: which slot holds what is the index's to know
// (slots.h). A file that was removed while open is opened anew by slot_file_open(), so nobody goes
// on writing where nobody else can read. A file without the magic number is somebody else's: it is
// neither read nor written nor removed. An empty one is a file whose maker died.
//
// Threads: any number may read; the rest is for one at a time.
#ifndef STORE_SLOT_FILE_H
#define STORE_SLOT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/hash.h"
#include "kernels/base/status.h"

enum { SLOT_ALIGNMENT = 4096, SLOT_FILE_NAME_BYTES = HASH_HEX_BYTES + 3 };

#define SLOT_FILE_MAGIC "quire KV blocks\n" // 16 bytes, at offset 0

struct slot_file {
    int folder; // borrowed
    int file;   // -1: not open
    size_t payload_bytes;
    uint64_t stride;
    char name[SLOT_FILE_NAME_BYTES]; // the format's digits and ".kv"
};

void slot_file_init(struct slot_file *file, int folder, struct hash128 format,
                    size_t payload_bytes);
void slot_file_close(struct slot_file *file);  // {.file = -1} is fine
void slot_file_remove(struct slot_file *file); // the open file, from its folder; closes it

bool slot_file_is_name(const char *name); // of a file of slots
// Of an open file, by its first bytes. Not begun: its maker died before they were whole, and
// nothing is in it.
bool slot_file_is_ours(int file, bool *is_begun);

// NOT_FOUND: there is none, and `create` is not set; UNSUPPORTED: it is not quire's; FULL, IO. A
// file that is open and in the folder stays.
MUST_CHECK enum status slot_file_open(struct slot_file *file, bool create, struct error *err);

// Of payload_bytes. FULL: the disk, a quota or a limit on files; NOT_FOUND: the file ends before;
// IO.
MUST_CHECK enum status slot_file_write(const struct slot_file *file, uint32_t slot,
                                       const void *payload, struct error *err);
MUST_CHECK enum status slot_file_read(const struct slot_file *file, uint32_t slot, void *payload,
                                      struct error *err);
MUST_CHECK enum status slot_file_sync(const struct slot_file *file, struct error *err);

uint64_t slot_file_slots(const struct slot_file *file);  // that it has in full
uint64_t slot_file_bytes(const struct slot_file *file);  // of slots, up to its end
uint64_t slot_file_stored(const struct slot_file *file); // of slots, on the disk: holes are free

// Both give the bytes back to the file system; punched slots read as zeros. UNSUPPORTED where it
// has no holes.
MUST_CHECK enum status slot_file_punch(const struct slot_file *file, uint32_t slot, uint32_t count,
                                       struct error *err);
MUST_CHECK enum status slot_file_cut(const struct slot_file *file, uint64_t slots,
                                     struct error *err); // never makes it longer

#endif
