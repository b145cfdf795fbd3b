// store/disk_cache/slot_file.h — one file of equal slots: a page that says whose it is, then slot n
// at SLOT_ALIGNMENT + n × stride.
//
// Private to store/disk_cache/. Deals in bytes only; the index knows which slot holds what
// (slots.h). If the file was removed while open, slot_file_open() opens a new one, so that nobody
// keeps writing where nobody else can read. A file without the magic number is somebody else's: it
// is neither read, written nor removed. An empty file is one whose creator died.
//
// Threads: any number may read; all other calls are for one thread at a time.
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
void slot_file_remove(struct slot_file *file); // unlinks the open file and closes it

bool slot_file_is_name(const char *name); // could this be the name of a slot file?
// Is this open file one of ours, by its first bytes? *is_begun is false if its creator died before
// they were complete: it then holds nothing.
bool slot_file_is_ours(int file, bool *is_begun);

// Does nothing if the file is open and still in its folder. NOT_FOUND: it does not exist and
// `create` is false; UNSUPPORTED: it is not quire's; FULL; IO.
MUST_CHECK enum status slot_file_open(struct slot_file *file, bool create, struct error *err);

// Both transfer payload_bytes. FULL: the disk is full, or a quota or a file size limit is reached;
// NOT_FOUND: past the end of the file; IO.
MUST_CHECK enum status slot_file_write(const struct slot_file *file, uint32_t slot,
                                       const void *payload, struct error *err);
MUST_CHECK enum status slot_file_read(const struct slot_file *file, uint32_t slot, void *payload,
                                      struct error *err);
MUST_CHECK enum status slot_file_sync(const struct slot_file *file, struct error *err);

uint64_t slot_file_slots(const struct slot_file *file);  // number of complete slots
uint64_t slot_file_bytes(const struct slot_file *file);  // bytes of slots up to the end of the file
uint64_t slot_file_stored(const struct slot_file *file); // bytes of slots on disk; holes take none

// Both give the bytes back to the file system; punched slots read as zeros. UNSUPPORTED: the file
// system cannot punch holes.
MUST_CHECK enum status slot_file_punch(const struct slot_file *file, uint32_t slot, uint32_t count,
                                       struct error *err);
MUST_CHECK enum status slot_file_cut(const struct slot_file *file, uint64_t slots,
                                     struct error *err); // never makes it longer

#endif
