// store/disk_cache/disk_cache.h — KV blocks on disk: files of equal slots, and an index of what is
// in them.
//
// A folder (by default $XDG_CACHE_HOME/quire/kv) with
//   quire-kv-cache      the marker: this folder is quire's
//   index.db            SQLite: the only metadata and the only free list
//   <format id>.kv …    one file per format: a page with a magic number, then the slots
//
//   offset             bytes
//   0                  16              "quire KV blocks\n"
//   4096 + n × stride  payload_bytes   K and V of one block, as the engine wrote them
//        …             …               padding to the next multiple of 4096, the stride
//
// Implements engine/kv/disk_pool.h. The folder, or the index alone, may be deleted while
// no quire runs: the cache is rebuilt, and no conversation is lost.
//
// Tables of index.db (the steps are in slots.c):
//   kv_format     id, digest unique, model, block_size, payload_bytes, prefill_ps
//   kv_slot       (format, slot) → key unique in its format, parent, position, ids, checksum, used;
//                 children: number of child blocks; leaf_of: number of references to it
//   kv_reference  (conversation, format) → leaf, a VALID block
//   kv_home       conversation → the database it is in
//   kv_path       a view: (conversation, format, slot) for each block that a conversation needs
//   kv_number     name → number: limit_bytes, read_as; uncounted: the counts may be wrong
//
// States of a slot, and what moves it. Each arrow is one transaction. SQLite lets one process write
// at a time, so nobody else can take a slot that is claimed but not yet committed, and it is free
// again if its process dies:
//   none  ─ write ─►  VALID   insert the row, write the payload, fdatasync, commit
//   FREE  ─ write ─►  VALID   the same, in the lowest free slots first
//   VALID ─ drop, eviction, damage ─► FREE (key is NULL)
//   FREE  ─ after that commit ─► none: the file's end is cut off; elsewhere a hole is punched
//
// Invariants, checked by disk_cache_check():
//   (1) The slots of a format are 0 … n-1, each with one row: VALID or FREE. The file has at least
//       n slots; bytes past them are unused.
//   (2) A VALID row means that its bytes are durable; it holds their XXH3-128. Every read is
//       verified, so a slot that another process has since reused for another block is a miss.
//   (3) The parent of a block is present: position = the parent's position + the parent's tokens.
//       The parent of a recurrent state is the block with the same key in another format.
//   (4) `children` and `leaf_of` are right. Only leaves are evicted (chosen.c).
//   (5) stored_bytes <= limit after opening and after each write, as far as dropping blocks can
//       achieve that. When two processes write at once, one write can exceed it until the next.
//
// The index is in WAL mode with synchronous=NORMAL. A power cut can undo its last transactions:
// blocks they added are lost, and rows they deleted come back but fail verification by (2). A
// damaged or missing index, or the folder of an older quire, is replaced by an empty cache, with
// one line in the log. A file that has one of our names but is not provably ours is never touched
// (ownership.h). If it is a file of blocks, it is skipped and named in the log; if it is the marker
// or the index, every call below returns UNSUPPORTED and names it until it is moved:
// disk_cache_set_aside().
//
// Threads: as in disk_pool.h; a read uses a few threads of its own (readers.h). The functions below
// open their own connection, so they may run while another process uses the cache.
#ifndef STORE_DISK_CACHE_H
#define STORE_DISK_CACHE_H

#include "engine/kv/disk_pool.h"
#include "kernels/base/text.h"

struct disk_cache_options {
    const char *folder;   // created with mode 0700 if missing
    uint64_t limit_bytes; // of everything in the folder; 0: none
    uint64_t home;        // the database whose conversations hold references; 0: none
};

// Creates a pool for engine_open(); no file is opened before open(). NULL when memory is short.
// Freed by pool->ops->close().
struct disk_pool *disk_cache_create(const struct disk_cache_options *options);

// The rest is for people and scripts; each call opens the folder and closes it again. A folder that
// does not exist, or that has none of a cache's files, is an empty cache: NOT_FOUND, and nothing is
// written.

struct disk_format_usage {
    struct hash128 format;
    char model[121];
    int32_t block_size;
    uint64_t blocks, tokens, payload_bytes;
    int64_t used_ms; // since 1970, to the second
};
struct disk_reference_usage { // bytes of slots from the root to its leaf
    uint64_t conversation;
    uint64_t tokens;
    uint64_t unique_bytes; // needed by no other conversation
    uint64_t shared_bytes;
    uint64_t home; // database of that conversation; 0: unknown
};
struct disk_cache_summary { // stored = block + free + index, exactly
    uint64_t files, blocks;
    uint64_t stored_bytes, limit_bytes;
    uint64_t block_bytes; // of slots with a block
    uint64_t free_bytes;  // of the files, without a block; includes the file system's bookkeeping
    uint64_t index_bytes; // index.db, its WAL and its shared memory
    uint64_t unreferenced_bytes;       // the part of block_bytes that no conversation needs
    struct disk_format_usage *formats; // [format_count], most recently used first
    size_t format_count;
    struct disk_reference_usage *references; // [reference_count]
    size_t reference_count;
    size_t foreign_files; // files with a name of ours that are not ours: not counted above
    char foreign[64];     // the name of one
};

// Writes nothing. *summary is owned by the caller.
MUST_CHECK enum status disk_cache_summarise(const char *folder, struct disk_cache_summary *summary,
                                            struct error *err);
void disk_cache_summary_deinit(struct disk_cache_summary *summary);

struct disk_cache_report {
    uint64_t blocks, bytes; // verified and kept
    uint64_t damaged;       // blocks whose bytes changed since they were written: dropped
    uint64_t missing;       // blocks past the end of the file: dropped
    uint64_t lost;          // good blocks that became unreachable, or were: dropped
    uint64_t free_bytes;    // disk space of free slots, given back to the file system
};
// Reads every block and checks the invariants; a row that breaks one means that the index is
// damaged. `note` gets one line, without a newline, for each bad block; may be NULL.
MUST_CHECK enum status disk_cache_check(const char *folder,
                                        void (*note)(void *user, const char *line), void *user,
                                        struct disk_cache_report *report, struct error *err);

// In a folder that quire has marked, moves an index.db that is damaged or somebody else's, with
// SQLite's files next to it, into a new subfolder, whose path is appended to *aside. Deletes
// nothing. OK with nothing appended: nothing had to be moved, or the folder is not ours. NOT_FOUND:
// no folder.
MUST_CHECK enum status disk_cache_set_aside(const char *folder, struct text *aside,
                                            struct error *err);

// Deletes every block. Another quire that is reading or writing then sees misses.
MUST_CHECK enum status disk_cache_drop(const char *folder, uint64_t *freed_bytes,
                                       struct error *err);

// Forgets the conversations without a trace: deletes every block that no other conversation needs,
// since it may have been theirs (an undone answer), and erases the bytes of freed slots and rows.
MUST_CHECK enum status disk_cache_forget(const char *folder, const uint64_t *conversations,
                                         size_t count, uint64_t *freed_bytes, struct error *err);

#endif
