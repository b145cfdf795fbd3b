// engine/kv/block_cache.h — one cache for all sequences, whose blocks are found by their tokens, in
// three tiers. It holds the KV of one group of layers (grouped_cache.h).
//
//   device   blocks that tables point to, and blocks that stay for later until they are evicted
//   host     a slab of slots, which are filled at eviction, and are the way to and from the disk
//   disk     written in the background, and read ahead of need (disk_pool.h)
//
// The prefix index says what lies where. A block that is full is sealed: it gets a node in the
// index, is immutable, can be found, and is written to the disk once. The last, partial block of a
// table is its tail: it gets a node when its table is released, and is written when the cache is
// closed, not after each turn. A tail that leaves host memory before that is lost and will be
// recomputed.
//
// A node's KV moves like this:
//
//   computed ─► sealed ─► device ──evicted──► host ──evicted──► (disk, or gone)
//                            ▲ │ written behind, through a slot ─► disk
//                            └─┴──────── swapped in ◄── host ◄── read back
//
// Source files that share the struct (state.h): open.c (opening and closing), block_cache.c (device
// and host), write_behind.c (to the disk), restore.c (back again), references.c (which conversation
// needs what), states.c (of recurrent layers); and of the group of caches, grouped_cache.c,
// search.c.
//
// Invariants, checked by block_cache_check():
//   (1) A node's block and the block's node name each other; so do its slot and the slot's node.
//   (2) If a node is on the device, so is its parent: what can be found there is a prefix. But if
//       layers have a window, it is a stretch of a prefix, and parents leave before children.
//   (3) A node that waits to be written is in the list of such nodes exactly once; a tail is in the
//       list of tails.
// The invariants of the pools and of the index hold, too.
//
// Threads: the caller holds the engine's lock, and calls marked D run on the thread that owns the
// device. Memory: taken in block_cache_create(); no later call allocates.
#ifndef ENGINE_BLOCK_CACHE_H
#define ENGINE_BLOCK_CACHE_H

#include <pthread.h>

#include "engine/kv/block_table.h"
#include "engine/kv/disk_pool.h"
#include "engine/kv/prefix.h"
#include "engine/kv/usage.h"
#include "kernels/backend.h"

struct block_cache;
struct lending;
struct lending_wish;

struct block_cache_options {
    const struct backend *backend; // borrowed, as are the next five
    struct device *device;
    bool *device_failed;          // false at first; one for all groups, as are the counts
    struct kv_usage *counts;      // since opening; what else there is to use is computed
    const struct kv_cache *shape; // with its data
    pthread_mutex_t *lock;
    uint32_t host_slots;    // 0: only those that the disk needs
    struct disk_pool *disk; // moved in by a successful create; NULL: no disk
    struct hash128 format;
    const char *model;    // for people
    enum cache_kind kind; // of CACHE_WINDOW, nodes lie on the device without their parents; of
                          // CACHE_STATE, they have none
    int32_t reach;        // keys that a query sees, of CACHE_WINDOW; 2 of CACHE_STATE; else 0
    struct block_cache *anchor; // of CACHE_STATE: the cache whose blocks the states hang on
    uint32_t max_disk_blocks;
    uint32_t disk_slots;         // the least, with a disk; 0: chosen by the size of a block
    uint32_t max_references;     // 0: 65536
    void (*changed)(void *user); // a read or write is done; with the lock held
    void *user;
    int64_t write_delay_us;  // how long a few unwritten blocks wait for more; 0: not at all
    bool no_thread;          // the caller drives the disk by block_cache_work_disk(): for tests
    struct lending *lending; // of its device blocks, borrowed; NULL: none are lent
};

// NO_MEMORY: the error says what it was for. If the disk cannot be used, or there is no memory for
// its index, a warning is logged, the disk is closed, and the cache opens without it.
MUST_CHECK enum status block_cache_create(const struct block_cache_options *options,
                                          struct block_cache **cache, struct error *err);

// Call it without the lock. Writes everything that is unwritten, including tails, until the disk
// refuses or does not answer for timeout_ms. D.
void block_cache_drain(struct block_cache *cache, int timeout_ms);

// Call it without the lock, and after the tables are deinitialised. Drains first. False: the disk
// did not answer for timeout_ms. Its thread still uses the cache, the lock and the pool, so they
// must be left as they are; the call may be repeated. NULL is fine. D.
MUST_CHECK bool block_cache_destroy(struct block_cache *cache, int timeout_ms);

struct block_pool *block_cache_pool(struct block_cache *cache);  // of the device, for tables
uint32_t block_cache_available(const struct block_cache *cache); // blocks that could be made FREE

// Takes back what is lent, and then evicts, until `blocks` are FREE. False: not possible; what
// could be evicted was. D.
bool block_cache_make_free(struct block_cache *cache, uint32_t blocks);

// Moves the blocks that were released longest ago to host memory, until wish->free blocks are FREE,
// and then what is CACHED in the blocks of the wish to other FREE ones. False: some blocks of the
// wish are USED, or host memory is full; what fitted was moved. D.
bool block_cache_give_up(struct block_cache *cache, const struct lending_wish *wish);

// Makes the table's slots from its length to new_length writable; copies the tail if it must. FULL:
// nothing has changed; block_cache_make_free() first. D.
MUST_CHECK enum status block_cache_grow(struct block_cache *cache, struct block_table *table,
                                        int32_t new_length);
uint32_t block_cache_need(const struct block_cache *cache, const struct block_table *table,
                          int32_t new_length); // FREE blocks that this takes

// Gives nodes to the full blocks of the table from token `from` on. ids are the table's tokens. A
// block whose node exists already is dropped, and the table points to the one that has it.
void block_cache_seal(struct block_cache *cache, struct block_table *table, const int32_t *ids,
                      int32_t from);

// The same for the tail, before the table is released.
void block_cache_seal_tail(struct block_cache *cache, const struct block_table *table,
                           const int32_t *ids);

// Releases the table's blocks from new_length on.
void block_cache_truncate(struct block_cache *cache, struct block_table *table, const int32_t *ids,
                          int32_t new_length);

// Call it before the table is released. Then blocks that only this table uses are not cached, since
// computing them again is faster than restoring them. What is on the disk or waits to be written
// stays.
void block_cache_discard(struct block_cache *cache, struct block_table *table);

// Adds to the table what the device has of ids [table->length, length), without blocks before
// number `first`, which are not needed.
void block_cache_adopt(struct block_cache *cache, struct block_table *table, const int32_t *ids,
                       int32_t first, int32_t length);

// From now on the nodes of the table's first `length` tokens leave the device last.
void block_cache_pin(struct block_cache *cache, const struct block_table *table, int32_t length);

// The node at the end of the longest chain of full blocks of ids, wherever it lies; or NODE_NONE.
struct node_index block_cache_leaf(struct block_cache *cache, const int32_t *ids, int32_t length);
// The same, or the tail after it that has all the rest of ids.
struct node_index block_cache_end(struct block_cache *cache, const int32_t *ids, int32_t length);

// Call it when the device has failed. Its blocks and their copies may hold anything then, so from
// now on nothing is restored or written.
void block_cache_distrust(struct block_cache *cache);

// Adds this group's figures to a usage, which begins as a copy of options.counts.
void block_cache_add_usage(const struct block_cache *cache, struct kv_usage *usage);
bool block_cache_work_disk(struct block_cache *cache); // one job; see options.no_thread
void block_cache_check(struct block_cache *cache);     // O(everything); for tests

// ---- write_behind.c

// Hands unwritten blocks to the disk, as many as it takes now. D.
void block_cache_write_behind(struct block_cache *cache);
// True if no write is under way, and nothing waits that will ever be written.
bool block_cache_is_written(const struct block_cache *cache);

// ---- restore.c

struct restore_tally {
    int32_t device_tokens, host_tokens, disk_tokens;
};

enum restore_outcome {
    RESTORE_DONE,  // the table has all it will get; so too if the device is not trusted
    RESTORE_WAITS, // for the disk: again after `changed`, or give up by the clock
    RESTORE_FULL,  // the device has no free block, and none that can be evicted
};

// Brings the table nearer to `target` tokens, without blocks before number `first`, evicting what
// that takes; *tally grows by what was added. D.
enum restore_outcome block_cache_restore(struct block_cache *cache, struct block_table *table,
                                         const int32_t *ids, int32_t first, int32_t target,
                                         struct restore_tally *tally);

// The measured time to move a block to the host and back; 0: evicted blocks are not kept there.
double block_cache_swap_us(const struct block_cache *cache);
double block_cache_prefill_speed(const struct block_cache *cache); // us a token, of earlier runs
void block_cache_note_prefill(struct block_cache *cache, double us_per_token); // kept at closing

// ---- states.c: of recurrent layers. A block that is full has the state after its tokens; its node
// hangs on no other, and has the key that the keys and values of these tokens have in the index of
// the layers that attend, which has compared all of them.

// Gives a node to the table's block that ends at `length` tokens, ids being its own ones.
void block_cache_seal_state(struct block_cache *cache, struct block_table *table,
                            struct hash128 key, const int32_t *ids, int32_t length);
bool block_cache_find_state(const struct block_cache *cache, struct hash128 key,
                            struct node_index *node);

// Gives the table `length` tokens and the node's state, which is on the device; the second takes
// the state of the key, from whatever tier has it. D.
void block_cache_adopt_state(struct block_cache *cache, struct block_table *table,
                             struct node_index node, int32_t length);
enum restore_outcome block_cache_restore_state(struct block_cache *cache, struct block_table *table,
                                               struct hash128 key, int32_t length);

// ---- references.c

// The saved conversation needs the path to the leaf, or NODE_NONE, and no other.
void block_cache_reference(struct block_cache *cache, uint64_t conversation,
                           struct node_index leaf);
void block_cache_release(struct block_cache *cache, uint64_t conversation);
// See engine_strip(), with the states that hang on what is removed. Gives the lock up where the
// disk has more to do than it takes. Returns bytes.
uint64_t block_cache_strip(struct block_cache *cache, uint64_t conversation);
// Of a further group of layers, only the bytes are added.
void block_cache_conversation_usage(struct block_cache *cache, const uint64_t *conversations,
                                    size_t count, bool further, struct conversation_usage *usage);

#endif
