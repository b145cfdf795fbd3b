// store/disk_cache/slots.h — the rows of index.db: which slot holds which block, who needs it, and
// when was it last used?
//
// Private to store/disk_cache/. disk_cache.h describes the tables. A row is outside data: an
// impossible one is BAD_FILE, and the cache is then rebuilt from nothing.
//
// Chosen slots. Slots to be freed are first collected in a temporary table, `chosen`, inside the
// transaction that frees them. slots_free_chosen() frees them all and leaves them listed, so that
// the caller can report their keys and give their bytes back. The table `kept` has the keys that an
// eviction must spare.
//
// Threads: the db's. Functions that write are called inside a transaction (db_begin).
#ifndef STORE_SLOTS_H
#define STORE_SLOTS_H

#include "engine/kv/disk_pool.h"
#include "store/db.h"
#include "store/migration.h"

extern const struct schema SLOTS_SCHEMA; // application id "quid"

enum {
    SLOTS_MAX_TOKENS = 1024,     // of one block
    SLOTS_MAX_PAYLOAD = 1 << 30, // bytes
    SLOTS_MODEL_BYTES = 121,     // the longest name and NUL
    SLOTS_USED_MS = 1000,        // the unit of `used`
};

// Creates this connection's temporary tables. Call it after opening.
MUST_CHECK enum status slots_prepare(struct db *db, struct error *err);

// ---- formats

struct slots_format {
    int64_t number;
    struct hash128 id;
    char model[SLOTS_MODEL_BYTES];
    int32_t block_size;
    uint64_t payload_bytes, stride;
    uint64_t slots, blocks, tokens; // slots: includes free ones
    int64_t used_ms;                // since 1970, to the second; 0: never
};

// The formats of the chosen slots, without their counts.
MUST_CHECK enum status slots_chosen_formats(struct db *db, struct slots_format **formats,
                                            size_t *count, struct error *err);
// Inserts the format if it is new. BAD_FILE: it exists with another block size.
MUST_CHECK enum status slots_enter_format(struct db *db, const struct disk_format *format,
                                          int64_t *number, struct error *err);
// All formats, ordered by number. *formats is the caller's (free).
MUST_CHECK enum status slots_formats(struct db *db, struct slots_format **formats, size_t *count,
                                     struct error *err);

// ---- blocks

struct slot_row {
    uint32_t slot;
    struct hash128 checksum;
    bool is_same; // parent, position and token ids equal those of the requested block
};

// NOT_FOUND when no slot has the key.
MUST_CHECK enum status slots_find(struct db *db, int64_t format, const struct disk_block *block,
                                  struct slot_row *row, struct error *err);
// Sets *has to whether the block's parent is present.
MUST_CHECK enum status slots_has_parent(struct db *db, int64_t format,
                                        const struct disk_block *block, bool *has,
                                        struct error *err);
// Claims the lowest free slot, or a new one at the end, for a block without a slot. NOT_FOUND: its
// parent is missing.
MUST_CHECK enum status slots_insert(struct db *db, int64_t format, const struct disk_block *block,
                                    struct hash128 checksum, uint32_t *slot, struct error *err);
// The number of slots, VALID and FREE.
MUST_CHECK enum status slots_end(struct db *db, int64_t format, uint64_t *slots, struct error *err);
int64_t slots_now(void); // in the unit of `used`
// Calls the listener for every block, parents before children. NULL: only reads the rows.
MUST_CHECK enum status slots_list_blocks(struct db *db, int64_t format,
                                         const struct disk_listener *listener, uint64_t *count,
                                         struct error *err);
// The same for references.
MUST_CHECK enum status slots_list_references(struct db *db, int64_t format,
                                             const struct disk_listener *listener,
                                             struct error *err);

struct slots_entry { // a block to verify
    uint32_t slot;
    struct hash128 key, checksum;
};
typedef enum status slots_each(void *user, const struct slots_entry *entry);
// Calls `each` in slot order, and stops at the first status that is not OK. `each` must not use the
// db.
MUST_CHECK enum status slots_walk(struct db *db, int64_t format, slots_each *each, void *user,
                                  struct error *err);

// ---- freeing

MUST_CHECK enum status slots_begin_choice(struct db *db, struct error *err); // empties the choice
MUST_CHECK enum status slots_choose_key(struct db *db, int64_t format, struct hash128 key,
                                        struct error *err);
// Chooses the slot only if it still has this block.
MUST_CHECK enum status slots_choose_entry(struct db *db, int64_t format,
                                          const struct slots_entry *entry, bool *chosen,
                                          struct error *err);
MUST_CHECK enum status slots_choose_from(struct db *db, int64_t format, uint64_t first,
                                         struct error *err); // slot `first` and all after it
MUST_CHECK enum status slots_choose_all(struct db *db, struct error *err);
// Blocks that no conversation needs, and free slots.
MUST_CHECK enum status slots_choose_unneeded(struct db *db, struct error *err);
MUST_CHECK enum status slots_choose_lost(struct db *db, struct error *err); // unreachable blocks
// Descendants of the chosen.
MUST_CHECK enum status slots_choose_below(struct db *db, struct error *err);
MUST_CHECK enum status slots_count_chosen(struct db *db, uint64_t *count, struct error *err);
// Frees the chosen slots and all their descendants. A conversation that referenced one of them now
// references what is left of the path to it.
MUST_CHECK enum status slots_free_chosen(struct db *db, struct error *err);
MUST_CHECK enum status slots_free_all(struct db *db, struct error *err); // and all references

// Each of these evictions chooses and frees the least valuable leaf; *bytes is its stride.
// NOT_FOUND: no leaf qualifies.
MUST_CHECK enum status slots_evict(struct db *db, uint64_t *bytes, struct error *err);
// Only a recurrent state that the limit could not hold together with the blocks before it.
MUST_CHECK enum status slots_evict_oversized(struct db *db, uint64_t limit_bytes, uint64_t *bytes,
                                             struct error *err);
// Evicts to make space for this block. Blocks that another format of the same model used in the
// last two minutes go last, and only if they lie deeper than this one. Keys that slots_keep()
// collected are spared: the block and its parent, the nearest state, and (unless deeper than this
// block) the paths of its conversation in other formats.
MUST_CHECK enum status slots_keep(struct db *db, int64_t format, const struct disk_block *block,
                                  struct error *err);
MUST_CHECK enum status slots_evict_for(struct db *db, int64_t format,
                                       const struct disk_block *block, uint64_t *bytes,
                                       struct error *err);

// The chosen slots of a format, in ascending order.
struct slots_chosen {
    uint32_t slot;
    struct hash128 key;
    bool is_free; // still free: nobody has claimed it since
};
typedef void slots_each_chosen(void *user, const struct slots_chosen *chosen);
MUST_CHECK enum status slots_walk_chosen(struct db *db, int64_t format, slots_each_chosen *each,
                                         void *user, struct error *err);
MUST_CHECK enum status slots_choose_free(struct db *db, int64_t format, struct error *err);
// Deletes the rows of free slots at the end; *slots is how many slots remain.
MUST_CHECK enum status slots_cut(struct db *db, int64_t format, uint64_t *slots, struct error *err);

// ---- references, numbers

MUST_CHECK enum status slots_reference(struct db *db, int64_t format, uint64_t conversation,
                                       struct hash128 leaf, struct error *err);
MUST_CHECK enum status slots_dereference(struct db *db, uint64_t conversation, struct error *err);
MUST_CHECK enum status slots_note_home(struct db *db, uint64_t conversation, uint64_t home,
                                       struct error *err);
// Recomputes counts and references from the rows, whatever state they are in.
MUST_CHECK enum status slots_recount(struct db *db, struct error *err);
MUST_CHECK enum status slots_uncounted(struct db *db, bool *uncounted, struct error *err);

struct slots_conversation { // bytes of slots from the root to its leaves
    uint64_t conversation, tokens, unique_bytes, shared_bytes;
    uint64_t home; // 0: not known
};
// Ordered by conversation; *found is the caller's (free).
MUST_CHECK enum status slots_conversations(struct db *db, struct slots_conversation **found,
                                           size_t *count, struct error *err);
MUST_CHECK enum status slots_unreferenced_bytes(struct db *db, uint64_t *bytes, struct error *err);

// *speed is 0 when unknown.
MUST_CHECK enum status slots_speed(struct db *db, int64_t format, struct disk_speed *speed,
                                   struct error *err);
MUST_CHECK enum status slots_set_speed(struct db *db, int64_t format, struct disk_speed speed,
                                       struct error *err);
MUST_CHECK enum status slots_limit(struct db *db, uint64_t *limit_bytes, struct error *err);
MUST_CHECK enum status slots_set_limit(struct db *db, uint64_t limit_bytes, struct error *err);

// Checks SQLite's rules and invariants (1) and (3) of disk_cache.h. BAD_FILE.
MUST_CHECK enum status slots_check(struct db *db, struct error *err);

// Checkpoints and truncates the write-ahead log; a log in use stays. With `all`, also gives back
// unused pages.
void slots_shrink(struct db *db, bool all);
uint64_t slots_written(struct db *db); // bytes written since opening; a log page counts twice

#endif
