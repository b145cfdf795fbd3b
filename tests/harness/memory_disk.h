// tests/harness/memory_disk.h — a disk pool (engine/kv/disk_pool.h) in memory, with failures on
// order.
//
//   struct memory_store   the disk: stays when the pool is closed, belongs to the test
//   struct disk_pool      one opening of it: moved into a cache or an engine, which closes it
//
//   memory_store_create ─► memory_store_open ─► … the cache closes it … ─► memory_store_open
//                          "today"                                          "the next day"
//
// It keeps what disk_pool.h says, by the plainest means: records in an array, each with a copy of
// its key, parent, token ids and payload and with a checksum of all of them, looked up through a
// small hash table. A second opening while the first is open is refused by an ASSERT.
//
// Space. With a limit, in blocks of all formats, a write drops what is least valuable: records
// without a child, those that no conversation needs before those that one does, the one used
// longest ago first; never what the same write names, nor its ancestors. It tells `dropped` of each
// of the current format. FULL when even that leaves too little.
//
// Failures are ordered by the test and happen once:
//   memory_store_fail_write   the n-th call of write from now (1: the next) stores nothing and
//                             returns the status
//   memory_store_fail_read    the n-th block that is read from now has the status as its outcome:
//                             IO keeps the record; NOT_FOUND and BAD_FILE drop it, as a pool must
//   memory_store_fail_opening the next open() returns the status, before or after it has listed
//   some memory_store_damage       a byte of a payload is changed: its next read is BAD_FILE
// and until told otherwise:
//   memory_store_block        calls of read or write do not return, nor does one in progress
//                             that has not begun its work; memory_store_unblock lets them continue
//
// Threads: every function here and every operation may be called from any thread: a lock of the
// store's own guards it, which is never held while `dropped` is called or while an operation is
// blocked. Memory: records are allocated as they come; nothing is limited but by `limit_blocks`. A
// failed allocation of a record is FULL.
#ifndef TESTS_MEMORY_DISK_H
#define TESTS_MEMORY_DISK_H

#include "engine/kv/disk_pool.h"

struct memory_store;

enum { MEMORY_STORE_REFERENCES = 64 }; // most; those past it are not kept

// Calls of each operation since the store was created, and what they moved.
struct memory_store_counts {
    uint64_t opened, closed;
    uint64_t writes, reads, drops, references, releases, speeds; // calls
    uint64_t failed_writes;                                      // of those calls, by order
    uint64_t failed_reads;                                       // blocks, for whatever reason
    uint64_t written_blocks, written_bytes;
    uint64_t repeated_blocks; // named in a write and there already
    uint64_t read_blocks, read_bytes;
    uint64_t dropped_blocks; // for space, or because they were damaged
    uint64_t asked_drops;    // blocks that the engine gave up
    uint64_t orphan_blocks;  // written while their parent was not there
};

// NULL when memory is short.
struct memory_store *memory_store_create(uint32_t limit_blocks); // 0: no limit
void memory_store_destroy(struct memory_store *store);           // no pool is open; NULL is fine

// A pool on the store, to be given to a cache. NULL when memory is short.
struct disk_pool *memory_store_open(struct memory_store *store);
bool memory_store_is_open(struct memory_store *store);

void memory_store_fail_write(struct memory_store *store, uint32_t nth, enum status status);
void memory_store_fail_read(struct memory_store *store, uint32_t nth, enum status status);
void memory_store_fail_opening(struct memory_store *store, bool at_list, enum status status);
void memory_store_fail_nothing(struct memory_store *store); // takes back what has not happened

void memory_store_block(struct memory_store *store, bool reads, bool writes);
void memory_store_unblock(struct memory_store *store);
// Until an operation is blocked. False: none was within timeout_ms.
bool memory_store_wait_blocked(struct memory_store *store, int timeout_ms);

// The record at `index`, counted from 0. False: there are no more than `index`.
bool memory_store_damage(struct memory_store *store, uint32_t index);
bool memory_store_damage_key(struct memory_store *store, struct hash128 key);

// As if another process had done it: the pool's user is not told.
bool memory_store_remove(struct memory_store *store, struct hash128 key);
void memory_store_limit(struct memory_store *store, uint32_t limit_blocks); // from now on

uint32_t memory_store_blocks(struct memory_store *store); // records of all formats
bool memory_store_has(struct memory_store *store, struct hash128 key);
bool memory_store_reference(struct memory_store *store, uint64_t conversation,
                            struct hash128 *leaf);
struct disk_speed memory_store_speed(struct memory_store *store); // as noted last
void memory_store_count(struct memory_store *store, struct memory_store_counts *counts);

void memory_store_check(struct memory_store *store); // that its own structures are whole
#endif
