// engine/kv/state.h — what the files behind block_cache.h and grouped_cache.h share; nobody else
// includes it.
#ifndef ENGINE_KV_STATE_H
#define ENGINE_KV_STATE_H

#include "engine/kv/block_cache.h"
#include "engine/kv/disk_io.h"
#include "engine/kv/reference_table.h"

enum {
    MAX_REFERENCES = 1 << 16, // where the options do not say
    READ_WINDOW = 64,         // blocks of one table that are read ahead of their use
};

struct node_list { // in order, through node.list_previous and list_next
    struct node_index first, last;
    uint32_t count;
};

struct block_cache {
    struct block_cache_options options; // those of the disk matter only while it opens
    size_t block_bytes;
    int32_t block_size;
    struct block_pool *blocks; // on the device
    struct block_pool *slots;  // in host memory; NULL: none
    void *slab;                // [slots] x block_bytes: slab_bytes
    size_t slab_bytes;
    struct block_cache *states, *next_states; // list: caches of states that hang on these blocks
    struct prefix *prefix;
    struct disk_pool *disk; // NULL: no disk
    struct disk_io *io;     // its thread; NULL: no disk

    struct node_list unwritten; // sealed, in order of sealing
    struct node_list tails;     // unwritten tails
    int64_t unwritten_since_us; // when `unwritten` last got its first node
    int64_t write_delay_us;     // 0 once it is closed
    int32_t writes_under_way;   // jobs
    int64_t write_again_us;     // not before this time, after a failure; 0: at once
    bool write_failed;          // a warning was logged; until nothing waits any more
    int64_t read_failed_us;     // when a failed read was last logged

    struct reference_table references;

    bool swaps_pending; // enqueued since the last sync

    double host_us_per_block, disk_us_per_byte, prefill_us_per_token; // 0: not known
    uint32_t on_disk;                                                 // nodes
};

struct cache_walk { // along the nodes of a log
    const int32_t *ids;
    int32_t at, length; // tokens
    struct node_index parent;
    struct node_index node; // the current one, with
    int32_t count;          // tokens of the log
};

// Begins at the table's end. False: nothing can be found after it, because it has a tail, or its
// last block has no node.
bool cache_walk_begin(struct block_cache *cache, const struct block_table *table,
                      const int32_t *ids, int32_t length, struct cache_walk *walk);

// Steps to the child with the next tokens of the log: a full block of them, or else the most.
// False: no child has any.
bool cache_walk_next(struct block_cache *cache, struct cache_walk *walk);

// The first block that is needed to continue after `length` tokens. The last token may have to be
// computed once more, so this includes its window.
int32_t cache_first_kept(const struct block_cache *group, int32_t length);

// How long it is expected to take to bring the node to the device; 0: it is there.
double cache_expected_us(const struct block_cache *cache, const struct node *n);
bool cache_is_somewhere(const struct node *n);

// Call it for nodes that will be wanted soon: the leaf and the nodes above it, back to position
// `first`, become the last to leave the host.
void cache_protect(struct block_cache *cache, struct node_index leaf, int32_t first);

// Gives the caller a slot with one reference. If no slot is free, that is the least needed one.
// False: all are in use. D, or before the I/O thread runs.
bool cache_alloc_slot(struct block_cache *cache, struct block_index *slot);

// Finds or makes a slot with the node's bytes, and gives the caller a reference to it. False: there
// is no free slot now.
bool cache_copy_to_slot(struct block_cache *cache, struct node_index node,
                        struct block_index *slot);
void cache_attach_slot(struct block_cache *cache, struct node_index node, struct block_index slot);
void *cache_slot_bytes(const struct block_cache *cache, struct block_index slot);
void cache_swap(struct block_cache *cache, struct block_index block, struct block_index slot,
                bool out); // D

// Waits for the swaps; only then may the I/O thread read or write their slots. Not OK: the device
// has failed and is no longer to be trusted. D.
MUST_CHECK enum status cache_finish_swaps(struct block_cache *cache);

// Brings the walk's node to the device unless it is there, and gives the caller a reference to its
// *block. Outcomes as of block_cache_restore(); DONE with BLOCK_NONE: the node's bytes are gone.
enum restore_outcome cache_bring(struct block_cache *cache, const struct cache_walk *walk,
                                 struct restore_tally *tally, struct block_index *block);

// Call it when the table's last block was found again: it then leaves the device later, as do all
// of its ancestors, since a parent ranks no lower than its child.
void cache_note_reuse(struct block_cache *cache, const struct block_table *table);

void cache_attach_block(struct block_cache *cache, struct node_index node,
                        struct block_index block);
void cache_set_disk(struct block_cache *cache, struct node_index node, enum node_disk disk);

// Puts a node in the list of those to be written, if there is a disk that does not have it yet.
void cache_want_written(struct block_cache *cache, struct node_index node);
void cache_list_tail(struct block_cache *cache, struct node_index node); // written at closing
void cache_unlist(struct block_cache *cache,
                  struct node_index node); // from whichever list it is in

// Gives up every copy of a node that has neither references nor transfers. If it is on the disk, it
// is added to `drops`, a job with space for it, which may otherwise be NULL.
void cache_forget_node(struct block_cache *cache, struct node_index node, struct disk_job *drops);

// Adds a node, which then stays until the job is done, and its slot; the job takes over the
// caller's reference to the slot.
void cache_add_to_job(struct block_cache *cache, struct disk_job *job, struct node_index node,
                      struct block_index slot);
// For a job that cannot be submitted because the device that filled its slots has failed: releases
// them.
void cache_abandon_job(struct block_cache *cache, const struct disk_job *job);

void cache_reads_done(struct block_cache *cache, const struct disk_job *job);
void cache_writes_done(struct block_cache *cache, struct disk_job *job);
// Tells the disk for which conversations it should now keep more or less than it knows.
void cache_tell_references(struct block_cache *cache);
void cache_load_reference(void *user, uint64_t conversation, struct hash128 leaf);
void cache_note_average(double *average, double value);

#endif
