// store/vault.h — KV blocks on disk: append-only segments of payload, rows that index them.
//
// A folder (by default $XDG_CACHE_HOME/quire/kv) with
//   segment-00000001.kv …   records one after the other, each at a multiple of 4096 bytes
//   index.db                SQLite: which block lies where, what holds it, when it was used
//                           (tables in vault_index.h)
//   lock files              none: locks are on segments and folder and vanish with the process
// Implements engine/kv/tier.h. The folder may be deleted whenever quire is closed: that costs
// time (a prefill), never a word of a conversation.
//
// A record, little-endian (offsets are in record.h):
//   header   magic "QUIREKVB", version, format id, key, parent key, token count, payload bytes,
//            block size, model's name, XXH3-128 of the payload, token ids, XXH3-128 of the header
//   payload  at the next multiple of 64 bytes; then zeros up to the next multiple of 4096
// so the index can be made anew from the segments alone, but for holders and speeds.
//
// Order of a write: payload → fdatasync(segment) → one SQLite transaction. Hence:
//   (1) A row implies durable bytes.
//   (2) Bytes without a row are found by a scan at opening and entered, or, when they do not
//       verify, cut off, punched out, or reclaimed by compaction.
//   (3) What is read is verified, every time; a damaged block is dropped, never used.
//   (4) A sealed block is written once. A dropped one is punched out of its file (a hole takes no
//       room), which writes nothing; only where the file system has no holes does compaction
//       move the rest of a segment, the sparsest first.
//   (5) stored_bytes <= limit after each write, where that can be reached by dropping blocks; when
//       two processes write at once, it is exceeded by one write until the next.
//
// The index is in WAL mode with synchronous=NORMAL. A power cut can take its last transactions:
// rows of written blocks come back by (2), rows of dropped ones that are back fail at reading,
// by (3), holders and times of use are some seconds old. An index that is damaged, gone, or
// another program's is replaced by a scan of all segments, with one line in the log.
//
// Several processes may use one folder: each appends to a segment of its own (flock), rows are
// shared. What another process moved is found by its row; what it dropped is NOT_FOUND or, where
// its bytes are a hole by now, BAD_FILE at reading.
//
// Threads: as tier.h says; the functions below open their own connection and may run in another
// process at the same time.
#ifndef STORE_VAULT_H
#define STORE_VAULT_H

#include "engine/kv/tier.h"

enum { VAULT_SEGMENT_MIB = 64 }; // at which a segment is full; the write that fills it ends in it

struct vault_options {
    const char *folder;   // made if missing, 0700
    uint64_t limit_bytes; // of everything in the folder; 0: none
    bool read_only;       // nothing is written, not even rows: write() is UNSUPPORTED; drop() and
                          // the like last until close(); without a folder begin() is IO
};

// A tier for engine_open(); opens nothing before begin(). NULL when memory is short.
// tier->verbs->close() frees it.
struct tier *vault_create(const struct vault_options *options);

// For people and scripts; each opens the folder, works, and closes it.

struct vault_format_usage {
    struct hash128 format;
    char model[121];
    int32_t block_size;
    uint64_t blocks, tokens, payload_bytes;
    int64_t used_ms; // since 1970
};
struct vault_holder_usage { // bytes of records from the root to its leaf
    uint64_t holder;
    uint64_t tokens;
    uint64_t unique_bytes; // that no other holder needs
    uint64_t shared_bytes;
};
struct vault_summary { // stored = record + orphan + index, exactly
    uint64_t segments, blocks;
    uint64_t stored_bytes, limit_bytes;
    uint64_t record_bytes; // of records that have a row, padding counted
    uint64_t orphan_bytes; // of segments, without a row; the file system's bookkeeping, too
    uint64_t index_bytes;  // index.db, its WAL and its shared memory
    uint64_t unheld_bytes; // of record_bytes: that no holder needs
    struct vault_format_usage *formats; // [format_count], the one used last first
    size_t format_count;
    struct vault_holder_usage *holders; // [holder_count]
    size_t holder_count;
};

// NOT_FOUND: there is no such folder (an empty cache). *summary is owned by the caller.
MUST_CHECK enum status vault_summarise(const char *folder, struct vault_summary *summary,
                                       struct error *err);
void vault_summary_deinit(struct vault_summary *summary);

struct vault_report {
    uint64_t blocks, bytes; // read and found good
    uint64_t damaged;       // blocks whose record does not verify or is not the row's: dropped
    uint64_t missing;       // rows without a record: dropped
    uint64_t orphans;       // records without a row that verify: entered
    uint64_t orphan_bytes;  // that belong to no record and took room: given back
};
// Reads every record; what another quire is writing meanwhile is left to it. `note` hears of each
// bad one, a line without a line break; may be NULL.
MUST_CHECK enum status vault_check(const char *folder, void (*note)(void *user, const char *line),
                                   void *user, struct vault_report *report, struct error *err);

// Deletes every block. BUSY names the segment when another quire is writing to one.
MUST_CHECK enum status vault_drop(const char *folder, uint64_t *freed_bytes, struct error *err);

// Forgets the holder and deletes the blocks that only it needed.
MUST_CHECK enum status vault_strip(const char *folder, uint64_t holder, uint64_t *freed_bytes,
                                   struct error *err);

#endif
