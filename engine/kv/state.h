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
    struct block_cache_options options; // as it was opened; what a disk takes is opening's only
    size_t block_bytes;
    int32_t block_size;
    struct block_pool *blocks; // on the device
    struct block_pool *slots;  // in host memory; NULL: none
    void *slab;                // [slots] x block_bytes: slab_bytes
    size_t slab_bytes;
    struct block_cache *states, *next_states; // list: those that hang on blocks of this cache
    struct prefix *prefix;
    struct disk_pool *disk; // NULL: no disk
    struct disk_io *io;     // the same

    struct node_list unwritten; // sealed, in order of sealing
    struct node_list tails;     // unwritten tails
    int64_t unwritten_since_us; // when the first of them came
    int64_t write_delay_us;     // 0 once it is closed
    int32_t writes_under_way;   // jobs
    int64_t write_again_us;     // after a failure: not before
    bool write_failed;          // said so, until nothing waits any more
    int64_t read_failed_us;     // when that was last said

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

// From the table's end. False: nothing can be found after it, as it has a tail, or as its last
// block has no node.
bool cache_walk_begin(struct block_cache *cache, const struct block_table *table,
                      const int32_t *ids, int32_t length, struct cache_walk *walk);

// To the child with the next tokens of the log: with a full block of them, or else with most.
bool cache_walk_next(struct block_cache *cache, struct cache_walk *walk);

// The first block that must be there to continue after `length` tokens, the last of which may have
// to be computed once more: so its window is there too.
int32_t cache_first_kept(const struct block_cache *group, int32_t length);

// What bringing the node to the device is expected to take; 0 where it is.
double cache_expected_us(const struct block_cache *cache, const struct node *n);
bool cache_is_somewhere(const struct node *n);

// What is about to be wanted leaves the host last: the leaf, and after it the nodes above it from
// position `first` on.
void cache_protect(struct block_cache *cache, struct node_index leaf, int32_t first);

// A slot for the caller, who has the only reference to it; the least needed one is given up for it.
// D, or before the I/O thread runs.
bool cache_alloc_slot(struct block_cache *cache, struct block_index *slot);

// The node's bytes in a slot, to which the caller gets a reference. False: there is no slot now.
bool cache_copy_to_slot(struct block_cache *cache, struct node_index node,
                        struct block_index *slot);
void cache_attach_slot(struct block_cache *cache, struct node_index node, struct block_index slot);
void *cache_slot_bytes(const struct block_cache *cache, struct block_index slot);
void cache_swap(struct block_cache *cache, struct block_index block, struct block_index slot,
                bool out); // D

// Waits for the swaps: a slot may be read and written by the I/O thread only after them. Not OK:
// the device is not to be trusted. D.
MUST_CHECK enum status cache_finish_swaps(struct block_cache *cache);

// The walk's node to the device, where it has to be brought there: *block, to which the caller gets
// a reference. As block_cache_restore(); DONE and BLOCK_NONE: it is gone.
enum restore_outcome cache_bring(struct block_cache *cache, const struct cache_walk *walk,
                                 struct restore_tally *tally, struct block_index *block);

// The table's last block was found again: it leaves the device later, and so does all that it
// hangs on, for a parent ranks no lower than its child.
void cache_note_reuse(struct block_cache *cache, const struct block_table *table);

void cache_attach_block(struct block_cache *cache, struct node_index node,
                        struct block_index block);
void cache_set_disk(struct block_cache *cache, struct node_index node, enum node_disk disk);

// Puts a node that should be on the disk in the list of those that are written next.
void cache_want_written(struct block_cache *cache, struct node_index node);
void cache_list_tail(struct block_cache *cache, struct node_index node); // to be written at closing
void cache_unlist(struct block_cache *cache, struct node_index node); // from the list that it is in

// Gives up every copy of a node that nobody refers to and nothing moves. What is on the disk is
// added to `drops`, a job with space for it; NULL will do for what is not.
void cache_forget_node(struct block_cache *cache, struct node_index node, struct disk_job *drops);

// The node, which stays meanwhile, and a slot to whose bytes the job gets the caller's reference.
void cache_add_to_job(struct block_cache *cache, struct disk_job *job, struct node_index node,
                      struct block_index slot);
// What could not be submitted: its slots, whose bytes come from a device that failed, are released.
void cache_abandon_job(struct block_cache *cache, const struct disk_job *job);

void cache_reads_done(struct block_cache *cache, const struct disk_job *job);
void cache_writes_done(struct block_cache *cache, struct disk_job *job);
// Tells the disk which conversations need more or less of what it has than it knows.
void cache_tell_references(struct block_cache *cache);
void cache_load_reference(void *user, uint64_t conversation, struct hash128 leaf);
void cache_note_average(double *average, double value);

#endif
