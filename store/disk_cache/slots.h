// store/disk_cache/slots.h — the rows of index.db: which slot has which block, who needs it, and
// when it was used.
//
// Nobody outside this room includes it. The tables are described in disk_cache.h. A row is outside
// data: one that cannot be is BAD_FILE, and the cache then starts anew.
//
// Chosen slots. What is to be freed is first gathered in a temporary table, `chosen`, inside the
// transaction that frees it; slots_free_chosen() frees them all, and they stay listed, so that
// their keys can be told and their bytes given back. `kept` has the keys that an eviction must
// spare.
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

// After opening: the temporary tables of this connection.
MUST_CHECK enum status slots_prepare(struct db *db, struct error *err);

// ---- formats

struct slots_format {
    int64_t number;
    struct hash128 id;
    char model[SLOTS_MODEL_BYTES];
    int32_t block_size;
    uint64_t payload_bytes, stride;
    uint64_t slots, blocks, tokens; // slots: free ones, too
    int64_t used_ms;                // since 1970, to the second; 0: never
};

// Those of the chosen slots, without their counts.
MUST_CHECK enum status slots_chosen_formats(struct db *db, struct slots_format **formats,
                                            size_t *count, struct error *err);
// Enters it if it is new. BAD_FILE: it is there with blocks of another size.
MUST_CHECK enum status slots_enter_format(struct db *db, const struct disk_format *format,
                                          int64_t *number, struct error *err);
// *formats is the caller's (free), by number.
MUST_CHECK enum status slots_formats(struct db *db, struct slots_format **formats, size_t *count,
                                     struct error *err);

// ---- blocks

struct slot_row {
    uint32_t slot;
    struct hash128 checksum;
    bool is_same; // parent, position and token ids are those of the block that was asked for
};

// NOT_FOUND when no slot has the key.
MUST_CHECK enum status slots_find(struct db *db, int64_t format, const struct disk_block *block,
                                  struct slot_row *row, struct error *err);
// Is what the block hangs on there?
MUST_CHECK enum status slots_has_parent(struct db *db, int64_t format,
                                        const struct disk_block *block, bool *has,
                                        struct error *err);
// Claims the lowest free slot, or a new one at the end, for a block that has none. NOT_FOUND: what
// it hangs on is not there.
MUST_CHECK enum status slots_insert(struct db *db, int64_t format, const struct disk_block *block,
                                    struct hash128 checksum, uint32_t *slot, struct error *err);
// The number of slots: the file has as many.
MUST_CHECK enum status slots_end(struct db *db, int64_t format, uint64_t *slots, struct error *err);
int64_t slots_now(void); // now
// The block is used now; those above it inherit that when it is freed.
MUST_CHECK enum status slots_use(struct db *db, int64_t format, struct hash128 key,
                                 struct error *err);
// Calls the listener for every block, parents before children; NULL: only reads them.
MUST_CHECK enum status slots_list_blocks(struct db *db, int64_t format,
                                         const struct disk_listener *listener, uint64_t *count,
                                         struct error *err);
// The same for references.
MUST_CHECK enum status slots_list_references(struct db *db, int64_t format,
                                             const struct disk_listener *listener,
                                             struct error *err);

struct slots_entry { // a block, for who verifies it
    uint32_t slot;
    struct hash128 key, checksum;
};
typedef enum status slots_each(void *user, const struct slots_entry *entry);
// By slot. `each` must not use the db; what it returns ends the walk unless it is OK.
MUST_CHECK enum status slots_walk(struct db *db, int64_t format, slots_each *each, void *user,
                                  struct error *err);

// ---- freeing

MUST_CHECK enum status slots_begin_choice(struct db *db, struct error *err); // none is chosen
MUST_CHECK enum status slots_choose_key(struct db *db, int64_t format, struct hash128 key,
                                        struct error *err);
// If the slot still has this block.
MUST_CHECK enum status slots_choose_entry(struct db *db, int64_t format,
                                          const struct slots_entry *entry, bool *chosen,
                                          struct error *err);
MUST_CHECK enum status slots_choose_from(struct db *db, int64_t format, uint64_t first,
                                         struct error *err); // and all after it
MUST_CHECK enum status slots_choose_all(struct db *db, struct error *err);
MUST_CHECK enum status slots_choose_only_of(struct db *db, uint64_t conversation,
                                            struct error *err); // what nobody else needs
// What no conversation needs, and the free ones.
MUST_CHECK enum status slots_choose_unneeded(struct db *db, struct error *err);
MUST_CHECK enum status slots_choose_lost(struct db *db, struct error *err);  // out of reach
MUST_CHECK enum status slots_choose_below(struct db *db, struct error *err); // the chosen ones
MUST_CHECK enum status slots_count_chosen(struct db *db, uint64_t *count, struct error *err);
// Frees them and all that hangs on them; a conversation that needs one needs from now on what is
// left of the path to it.
MUST_CHECK enum status slots_free_chosen(struct db *db, struct error *err);
MUST_CHECK enum status slots_free_all(struct db *db, struct error *err); // and all references

// Each chooses and frees the least valuable leaf; *bytes is its stride. NOT_FOUND: there is none.
MUST_CHECK enum status slots_evict(struct db *db, uint64_t *bytes, struct error *err);
// A state that could not be kept together with the blocks that it comes after.
MUST_CHECK enum status slots_evict_oversized(struct db *db, uint64_t limit_bytes, uint64_t *bytes,
                                             struct error *err);
// For this block: nothing that was used just now and lies no deeper, nor what it hangs on or is to
// be used with, of which slots_keep() was told.
MUST_CHECK enum status slots_keep(struct db *db, int64_t format, const struct disk_block *block,
                                  struct error *err);
MUST_CHECK enum status slots_evict_for(struct db *db, int64_t format,
                                       const struct disk_block *block, uint64_t *bytes,
                                       struct error *err);

// The chosen slots of a format, ascending.
struct slots_chosen {
    uint32_t slot;
    struct hash128 key;
    bool is_free; // nobody has claimed it since
};
typedef void slots_each_chosen(void *user, const struct slots_chosen *chosen);
MUST_CHECK enum status slots_walk_chosen(struct db *db, int64_t format, slots_each_chosen *each,
                                         void *user, struct error *err);
MUST_CHECK enum status slots_choose_free(struct db *db, int64_t format, struct error *err);
// Forgets the free slots at the end; *slots is how many are left.
MUST_CHECK enum status slots_cut(struct db *db, int64_t format, uint64_t *slots, struct error *err);

// ---- references, numbers

MUST_CHECK enum status slots_reference(struct db *db, int64_t format, uint64_t conversation,
                                       struct hash128 leaf, struct error *err);
MUST_CHECK enum status slots_dereference(struct db *db, uint64_t conversation, struct error *err);
MUST_CHECK enum status slots_note_home(struct db *db, uint64_t conversation, uint64_t home,
                                       struct error *err);
// Makes counts and references agree with the rows, whatever has been done to them.
MUST_CHECK enum status slots_recount(struct db *db, struct error *err);
MUST_CHECK enum status slots_uncounted(struct db *db, bool *uncounted, struct error *err);

struct slots_conversation { // bytes of slots from the root to its leaves
    uint64_t conversation, tokens, unique_bytes, shared_bytes;
    uint64_t home; // 0: not known
};
// *found is the caller's (free), by conversation.
MUST_CHECK enum status slots_conversations(struct db *db, struct slots_conversation **found,
                                           size_t *count, struct error *err);
MUST_CHECK enum status slots_unreferenced_bytes(struct db *db, uint64_t *bytes, struct error *err);

// 0 when not known.
MUST_CHECK enum status slots_speed(struct db *db, int64_t format, struct disk_speed *speed,
                                   struct error *err);
MUST_CHECK enum status slots_set_speed(struct db *db, int64_t format, struct disk_speed speed,
                                       struct error *err);
MUST_CHECK enum status slots_limit(struct db *db, uint64_t *limit_bytes, struct error *err);
MUST_CHECK enum status slots_set_limit(struct db *db, uint64_t limit_bytes, struct error *err);

// SQLite's rules, and the invariants (1) and (3) of disk_cache.h. BAD_FILE.
MUST_CHECK enum status slots_check(struct db *db, struct error *err);

// Moves the write-ahead log into the file, so that it takes no space; a log in use stays. With
// `all`, unused pages are given back, too.
void slots_shrink(struct db *db, bool all);
uint64_t slots_written(struct db *db); // bytes, since opening; a log page counts twice

#endif
