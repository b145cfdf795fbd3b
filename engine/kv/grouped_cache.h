// engine/kv/grouped_cache.h — the caches of all groups of layers of a model, as one.
//
// Layers that see everything need all keys of a conversation; layers with a window need the last
// few thousand. So layers form groups of three kinds (cache_kind.h). Each group has a block cache,
// and a sequence has a table in each. Tables of layers with a window lose their first blocks as the
// sequence grows:
//
//   tokens       0 … 15   16 … 31   …   96 … 111   112 … 120
//   group 0    [   7    ,    3    , … ,    12    ,    41    ]
//   group 1    [   -    ,    -    , … ,     2    ,     9    ]     a window of 20
//
// Blocks that a table has lost stay on the disk, and also on the device, where they are evicted
// first. A log can be continued from any position where each group has what the next token needs,
// on whichever tier. If a fork begins elsewhere, in the middle of a conversation whose windows are
// gone, everything after the last such position is computed again: K and V of a window follow from
// the windows of all layers below, and each of these begins one window earlier than that of the
// layer above it.
//
// Recurrent layers form groups, too: they only need the state after the token before, and their
// tables are sparse (block_table.h). A block of such a table has the state after its last token, so
// it is of use only at the table's end, or at the end of a full block. The log can be continued
// from a sealed state, as long as the keys and values before it are known. A state takes as much
// memory as the keys and values of thousands of tokens, so it is sealed only at the points of
// grouped_cache_points(), every STATE_STRIDE tokens, and at the last full block when a request ends
// or the tables are released.
//
// Groups are sorted by their kinds, so group 0 sees everything, unless no layer does. States depend
// on its blocks. A model whose layers are all alike has one group. A model on a server has none,
// and no KV here.
//
// Each group's block cache knows its kind and its reach. This module does what concerns all groups:
// it finds positions from which every group can continue, takes blocks in all groups or in none,
// and tells each group what a saved conversation needs.
//
// Invariants:
//   (1) Outside of a restore, the tables of a sequence have the same length.
//   (2) Then they have all blocks that the next token needs (grouped_table_reaches).
//
// Threads: as block_cache.h says. Memory: of the tables.
#ifndef ENGINE_GROUPED_CACHE_H
#define ENGINE_GROUPED_CACHE_H

#include "engine/kv/block_cache.h"

struct grouped_cache {
    struct block_cache *groups[KV_GROUPS]; // owned
    int32_t count;
    int32_t block_size;
    bool has_states;    // a group is of CACHE_STATE
    bool device_failed; // seen by all groups: block_cache_distrust()
    struct kv_usage counts;
};

struct grouped_table {
    struct block_table of[KV_GROUPS];
};

enum { STATE_STRIDE = 2048 }; // tokens

struct state_points { // where a log's computation pauses, for its states to be sealed; 0: nowhere
    int32_t at[2];
};

// How many blocks of a group a sequence has at most while it computes step_tokens at once; and how
// many more than its table has it can ever need, however long it gets.
uint32_t grouped_cache_most(enum cache_kind kind, int32_t reach, int32_t block_size,
                            int32_t step_tokens);
int32_t grouped_cache_most_further(const struct grouped_cache *cache,
                                   const struct grouped_table *tables, int group,
                                   int32_t step_tokens);

// Opens the next group, with block_cache_create(); its anchor and what all groups share are set
// here. The cache, zeroed before the first, stays where it is.
MUST_CHECK enum status grouped_cache_open(struct grouped_cache *cache,
                                          struct block_cache_options options, struct error *err);

// NULL groups are fine. False: as block_cache_destroy(); the call may be repeated.
MUST_CHECK bool grouped_cache_destroy(struct grouped_cache *cache, int timeout_ms);

MUST_CHECK enum status grouped_table_init(const struct grouped_cache *cache,
                                          struct grouped_table *tables, int32_t max_tokens);
void grouped_table_deinit(const struct grouped_cache *cache, struct grouped_table *tables);

// Can the sequence continue after its first `length` tokens, without what follows them?
bool grouped_table_reaches(const struct grouped_cache *cache, const struct grouped_table *tables,
                           int32_t length);

// The longest length, up to `length`, after which it can continue; 0: none.
int32_t grouped_table_last(const struct grouped_cache *cache, const struct grouped_table *tables,
                           int32_t length);

// `fork`, initialised and empty, gets the first `length` tokens, which the tables must reach.
void grouped_table_fork(const struct grouped_cache *cache, const struct grouped_table *tables,
                        int32_t length, struct grouped_table *fork);

// Drops what the last step has computed after new_length, and not sealed.
void grouped_table_drop(const struct grouped_cache *cache, struct grouped_table *tables,
                        int32_t new_length);

// A step that may be undone: call keep() before it, and undo() or confirm() after it. `before`,
// initialised and empty, keeps the states that the step would overwrite. undo() drops what comes
// after the first `length` tokens, the tables' length at keep(), and brings the kept states back.
// Both empty `before` again.
void grouped_table_keep(const struct grouped_cache *cache, const struct grouped_table *tables,
                        struct grouped_table *before);
void grouped_table_undo(const struct grouped_cache *cache, struct grouped_table *tables,
                        struct grouped_table *before, int32_t length);
void grouped_table_confirm(const struct grouped_cache *cache, struct grouped_table *before);

// ---- Blocks. D.

struct block_counts grouped_cache_available(const struct grouped_cache *cache);

// block_cache_grow() in each group, after evicting what that takes. FULL: too little could be
// evicted, and no table has changed.
MUST_CHECK enum status grouped_cache_grow(const struct grouped_cache *cache,
                                          struct grouped_table *tables, int32_t new_length);

// ---- The tables of a log, whose tokens are ids.

// Where the computation of a prompt pauses so that states can be sealed: at the last block boundary
// inside the `pinned` tokens that other prompts share, and at the last one before the final token,
// which is always computed. 0: no pause.
struct state_points grouped_cache_points(const struct grouped_cache *cache, int32_t length,
                                         int32_t pinned);

// Call it after a step on a log of `length` tokens. Seals the full blocks from token `from` on, and
// retires blocks that no query sees any more; those of the first `pinned` tokens leave the device
// last.
void grouped_cache_commit(const struct grouped_cache *cache, struct grouped_table *tables,
                          const int32_t *ids, int32_t from, int32_t length, int32_t pinned);

// Seals the state at the last full block.
void grouped_cache_seal_state(const struct grouped_cache *cache, struct grouped_table *tables,
                              const int32_t *ids);

// Releases what lies after new_length. If the sequence could not continue there, also releases what
// follows the last state before it, or everything if the windows before it are gone. Returns how
// many tokens are left.
int32_t grouped_cache_truncate(const struct grouped_cache *cache, struct grouped_table *tables,
                               const int32_t *ids, int32_t new_length);

void grouped_cache_pin(const struct grouped_cache *cache, const struct grouped_table *tables,
                       int32_t length);
void grouped_cache_discard(const struct grouped_cache *cache, struct grouped_table *tables);

// Adds to the tables what the device has of ids[0 … length). Returns their length.
int32_t grouped_cache_adopt(const struct grouped_cache *cache, struct grouped_table *tables,
                            const int32_t *ids, int32_t length);

struct restore_plan {    // what host and disk have of a log, and how much of it to restore
    int32_t target;      // tokens that the tables will have; their length: nothing to bring
    int32_t left_tokens; // further ones that could be brought, but are computed again
    int32_t lost_tokens; // further ones that other layers have, but whose windows are gone
    int64_t left_us;     // how long bringing left_tokens would have taken
    int64_t restore_us;  // expected time of the restore
    int64_t prefill_us;  // how long it would take to compute the tokens that are brought back
};

// Plans how much of ids[0 … length) to bring back. us_per_token of a prefill; 0: not known, which
// counts as slow.
void grouped_cache_plan(const struct grouped_cache *cache, const struct grouped_table *tables,
                        const int32_t *ids, int32_t length, enum kv_restore mode,
                        double us_per_token, struct restore_plan *plan);

// Brings the tables nearer to `target` tokens with block_cache_restore() in each group. FULL if any
// group is full, otherwise WAITS if any waits. The tally is that of group 0. D.
enum restore_outcome grouped_cache_restore(const struct grouped_cache *cache,
                                           struct grouped_table *tables, const int32_t *ids,
                                           int32_t target, struct restore_tally *tally);

// During a restore, tables may have different lengths. Returns the longest length from which the
// sequence can continue now. settle() ends the restore: it also drops what lies after that length.
int32_t grouped_cache_usable(const struct grouped_cache *cache, const struct grouped_table *tables);
int32_t grouped_cache_settle(const struct grouped_cache *cache, struct grouped_table *tables);

// ---- The whole, as in block_cache.h.

void grouped_cache_reference(const struct grouped_cache *cache, uint64_t conversation,
                             const int32_t *ids, int32_t length);
void grouped_cache_release(const struct grouped_cache *cache, uint64_t conversation);
uint64_t grouped_cache_strip(const struct grouped_cache *cache, uint64_t conversation); // bytes
void grouped_cache_usage(const struct grouped_cache *cache, struct kv_usage *usage);
void grouped_cache_conversation_usage(const struct grouped_cache *cache,
                                      const uint64_t *conversations, size_t count,
                                      struct conversation_usage *usage);
bool grouped_cache_write_behind(const struct grouped_cache *cache); // is all written?

#endif
