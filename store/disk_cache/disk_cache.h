// store/disk_cache/disk_cache.h — KV blocks on disk: files of equal slots, and rows that say what
// is in them.
//
// A folder (by default $XDG_CACHE_HOME/quire/kv) with
//   quire-kv-cache      the marker: what is here is quire's
//   index.db            SQLite: the only metadata and the only free list
//   <format id>.kv …    a file for each format: a page with a magic number, then the slots
//
//   offset             bytes
//   0                  16              "quire KV blocks\n"
//   4096 + n × stride  payload_bytes   K and V of one block, as the engine gave them
//        …             …               nothing, up to the next multiple of 4096: stride
//
// Implements engine/kv/disk_pool.h. The folder, or the index alone, may be deleted while
// no quire runs: the cache is rebuilt, and no conversation is lost.
//
// Tables of index.db (the steps are in slots.c):
//   kv_format     id, digest unique, model, block_size, payload_bytes, prefill_ps
//   kv_slot       (format, slot) → key unique in its format, parent, position, ids, checksum, used;
//                 children: blocks that hang on it; leaf_of: references to it
//   kv_reference  (conversation, format) → leaf, a block that is there
//   kv_home       conversation → the database that it is in
//   kv_path       a view: (conversation, format, slot) for each block that a conversation needs
//   kv_number     name → number: limit_bytes, read_as; uncounted: counts are not known to be right
//
// States of a slot, and what moves it. Each arrow is one transaction; SQLite lets one process write
// at a time, so a slot that is claimed and not yet committed is nobody else's, and is free again
// when its process dies:
//   none  ─ write ─►  VALID   rows are inserted, payload is written, fdatasync, commit
//   FREE  ─ write ─►  VALID   the same, in the lowest free slots first
//   VALID ─ drop, eviction, damage ─► FREE (key is NULL)
//   FREE  ─ after that commit ─► none at the end of the file, which is cut; a hole elsewhere
//
// Invariants, checked by disk_cache_check():
//   (1) The slots of a format are 0 … n-1, each with one row: VALID or FREE. The file has at least
//       n slots; bytes past them are nobody's.
//   (2) A VALID row implies durable bytes, whose XXH3-128 it has. What is read is verified, every
//       time, so a slot that another process has given to another block meanwhile is a miss.
//   (3) A block hangs on a block that is there: position = the parent's position + its tokens; a
//       state on the block with its key in another format.
//   (4) `children` and `leaf_of` are right. Only leaves are evicted (chosen.c).
//   (5) stored_bytes <= limit after opening and after each write, where that can be reached by
//       dropping blocks; when two processes write at once, it is exceeded by one write until the
//       next.
//
// The index is in WAL mode with synchronous=NORMAL. A power cut can take its last transactions:
// blocks of them are gone, and rows that are back fail at reading, by (2). An index that is
// damaged or gone, and a folder of an older quire, are replaced by an empty cache, with one line in
// the log. A file with one of our names that is not provably ours is never touched (ownership.h). A
// file of blocks is skipped, and named by a line in the log; a marker or an index makes every call
// below UNSUPPORTED, with its name, until it is moved: disk_cache_set_aside().
//
// Threads: as disk_pool.h says; a read spreads over threads of its own (readers.h). The functions
// below open their own connection and may run in another process at the same time.
#ifndef STORE_DISK_CACHE_H
#define STORE_DISK_CACHE_H

#include "engine/kv/disk_pool.h"
#include "kernels/base/text.h"

struct disk_cache_options {
    const char *folder;   // made if missing, 0700
    uint64_t limit_bytes; // of everything in the folder; 0: none
    uint64_t home; // whose conversations are referred to: a number of their database; 0: none
};

// A pool for engine_open(); nothing is opened before open(). NULL when memory is short.
// pool->ops->close() frees it.
struct disk_pool *disk_cache_create(const struct disk_cache_options *options);

// For people and scripts; each opens the folder, works, and closes it.

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
    uint64_t unique_bytes; // that no other conversation needs
    uint64_t shared_bytes;
    uint64_t home; // that the reference was made for; 0: not known
};
struct disk_cache_summary { // stored = block + free + index, exactly
    uint64_t files, blocks;
    uint64_t stored_bytes, limit_bytes;
    uint64_t block_bytes; // of slots with a block
    uint64_t free_bytes;  // of the files, without a block; the file system's bookkeeping, too
    uint64_t index_bytes; // index.db, its WAL and its shared memory
    uint64_t unreferenced_bytes;       // of block_bytes: that no conversation needs
    struct disk_format_usage *formats; // [format_count], the one used last first
    size_t format_count;
    struct disk_reference_usage *references; // [reference_count]
    size_t reference_count;
    size_t foreign_files; // with a name of ours, but not ours: in none of the numbers above
    char foreign[64];     // the name of one
};

// NOT_FOUND: there is no such folder (an empty cache). *summary is owned by the caller. Writes
// nothing.
MUST_CHECK enum status disk_cache_summarise(const char *folder, struct disk_cache_summary *summary,
                                            struct error *err);
void disk_cache_summary_deinit(struct disk_cache_summary *summary);

struct disk_cache_report {
    uint64_t blocks, bytes; // read, found good, and there
    uint64_t damaged;       // blocks whose bytes are not those that were written: dropped
    uint64_t missing;       // blocks whose bytes the file does not have: dropped
    uint64_t lost;          // good ones, out of reach without those or for another reason: dropped
    uint64_t free_bytes;    // of no block, that took disk space: given back
};
// Reads every block and checks the invariants; a row that breaks one is an index that is damaged.
// `note` hears of each bad block, a line without a line break; may be NULL.
MUST_CHECK enum status disk_cache_check(const char *folder,
                                        void (*note)(void *user, const char *line), void *user,
                                        struct disk_cache_report *report, struct error *err);

// Where an index.db that is damaged or another's is in the way, in a folder that quire has marked:
// moves it, and what SQLite keeps beside it, into a new folder in there, whose path is appended to
// *aside. Deletes nothing. OK with nothing appended: there was no need, or it is no folder of ours;
// NOT_FOUND: no folder.
MUST_CHECK enum status disk_cache_set_aside(const char *folder, struct text *aside,
                                            struct error *err);

// Deletes every block; what another quire reads or writes at that moment is a miss to it.
MUST_CHECK enum status disk_cache_drop(const char *folder, uint64_t *freed_bytes,
                                       struct error *err);

// Forgets the conversation and deletes the blocks that only it needed, and what hangs below them.
MUST_CHECK enum status disk_cache_strip(const char *folder, uint64_t conversation,
                                        uint64_t *freed_bytes, struct error *err);

// The same for several, and leaves nothing of them: every block that no conversation needs goes,
// for it may have been theirs (an answer that was undone), and so do the bytes of freed slots and
// rows.
MUST_CHECK enum status disk_cache_forget(const char *folder, const uint64_t *conversations,
                                         size_t count, uint64_t *freed_bytes, struct error *err);

#endif
