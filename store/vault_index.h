// store/vault_index.h — the rows of index.db: which block lies where, who needs it, when it was
// used.
//
// Nobody outside this room includes it. Tables (the steps are in vault_index.c):
//   kv_format   id, digest unique, model, block_size, payload_bytes, prefill_ps
//   kv_segment  number, durable: bytes whose records are known; behind them a scan looks
//   kv_block    id, (format, key) unique, parent, ids, segment, offset, bytes, used_ms
//   kv_holder   (holder, format), leaf, used_ms
//   kv_number   name → number: what is one of a kind
// A row is outside data: one that cannot be is BAD_FILE, and the index is then made anew.
//
// Written with synchronous=NORMAL: a power cut may take the last transactions, never half of one.
// Added rows that are gone are found again by the scan at opening, as `durable` went with them;
// removed rows that are back point to holes or to a missing segment, which reading notices;
// holders and times of use are then those of some seconds before.
//
// Threads: the db's. Memory: arrays that come back are the caller's (free).
#ifndef STORE_VAULT_INDEX_H
#define STORE_VAULT_INDEX_H

#include "engine/kv/tier.h"
#include "store/db.h"
#include "store/migration.h"

extern const struct schema VAULT_INDEX; // application id "quik"

struct vault_row { // of kv_block
    int64_t id, format;
    struct hash128 key, parent;
    struct hash128 ids_hash; // of the token ids, when the row comes from the index
    int32_t count;
    uint32_t segment;
    uint64_t offset, bytes; // of the record, padding counted
    int64_t used_ms;
};

struct vault_holder {
    uint64_t holder;
    int64_t format;
    struct hash128 leaf;
};

// The format's number, entered if it is new; what is known of it becomes this.
MUST_CHECK enum status vault_index_format(struct db *db, const struct tier_format *format,
                                          int64_t *number, struct error *err);

// NOT_FOUND when there is none.
MUST_CHECK enum status vault_index_find(struct db *db, int64_t format, struct hash128 key,
                                        struct vault_row *row, struct error *err);
// row->id is ignored. The key must be new in its format.
MUST_CHECK enum status vault_index_add(struct db *db, const struct vault_row *row,
                                       const int32_t *ids, struct error *err);
MUST_CHECK enum status vault_index_remove(struct db *db, int64_t id, struct error *err);
// The block's record lies elsewhere now. Without effect when the row is gone or has moved already.
MUST_CHECK enum status vault_index_move(struct db *db, const struct vault_row *row,
                                        struct tier_place place, struct error *err);
// Sets used_ms of a block that was last used before `before_ms`.
MUST_CHECK enum status vault_index_touch(struct db *db, int64_t format, struct hash128 key,
                                         int64_t now_ms, int64_t before_ms, struct error *err);
MUST_CHECK enum status vault_index_count(struct db *db, int64_t format, uint64_t *count,
                                         struct error *err);

// Every row, in the order of their ids; of one format, or with 0 of all. `each` must not use the
// db; what it returns ends the reading unless it is OK.
typedef enum status vault_row_each(void *user, const struct vault_row *row, const int32_t *ids);
MUST_CHECK enum status vault_index_rows(struct db *db, int64_t format, vault_row_each *each,
                                        void *user, struct error *err);
// The rows of one segment, by offset.
MUST_CHECK enum status vault_index_segment_rows(struct db *db, uint32_t segment,
                                                struct vault_row **rows, size_t *count,
                                                struct error *err);

struct vault_extent { // of a segment, by the rows
    uint32_t number;
    uint64_t durable;
    uint64_t live_bytes; // of records with a row
};
MUST_CHECK enum status vault_index_segments(struct db *db, struct vault_extent **extents,
                                            size_t *count, struct error *err);
// NOT_FOUND when the segment has no row.
MUST_CHECK enum status vault_index_durable(struct db *db, uint32_t segment, uint64_t *durable,
                                           struct error *err);
MUST_CHECK enum status vault_index_set_durable(struct db *db, uint32_t segment, uint64_t durable,
                                               struct error *err);
MUST_CHECK enum status vault_index_live(struct db *db, uint32_t segment, uint64_t *bytes,
                                        struct error *err); // of its records with a row
// With the rows of its blocks.
MUST_CHECK enum status vault_index_forget_segment(struct db *db, uint32_t segment,
                                                  struct error *err);
// The highest number that a segment ever had.
MUST_CHECK enum status vault_index_last_segment(struct db *db, uint32_t *number, struct error *err);

MUST_CHECK enum status vault_index_hold(struct db *db, const struct vault_holder *holder,
                                        struct error *err);
MUST_CHECK enum status vault_index_let_go(struct db *db, uint64_t holder, struct error *err);
// Of one format, or with 0 of all.
MUST_CHECK enum status vault_index_holders(struct db *db, int64_t format,
                                           struct vault_holder **holders, size_t *count,
                                           struct error *err);

struct vault_format_row {
    int64_t number;
    struct hash128 id;
    char model[121];
    int32_t block_size;
    uint64_t payload_bytes;
};
MUST_CHECK enum status vault_index_formats(struct db *db, struct vault_format_row **formats,
                                           size_t *count, struct error *err);

// 0 when not known.
MUST_CHECK enum status vault_index_speed(struct db *db, int64_t format, struct tier_speed *speed,
                                         struct error *err);
MUST_CHECK enum status vault_index_set_speed(struct db *db, int64_t format, struct tier_speed speed,
                                             struct error *err);
MUST_CHECK enum status vault_index_limit(struct db *db, uint64_t *limit_bytes, struct error *err);
MUST_CHECK enum status vault_index_set_limit(struct db *db, uint64_t limit_bytes,
                                             struct error *err);

MUST_CHECK enum status vault_index_clear(struct db *db, struct error *err); // no blocks, no holders

MUST_CHECK enum status vault_index_check(struct db *db, struct error *err); // by SQLite's rules

// Moves the write-ahead log into the file, so that it takes no room; a log in use stays.
void vault_index_shrink_log(struct db *db);
// Gives the pages that are not used back, too.
void vault_index_shrink(struct db *db);
uint64_t vault_index_written(struct db *db); // bytes, since opening; a log page counts twice

#endif
