// engine/kv/prefix.h — which token prefixes are cached, and where: the only index.
//
// A node names one block's worth of tokens after all that come before it:
//
//   root ─ [A] ─ [B] ─ [C]      a chain of full blocks is a prefix; conversations that begin
//               └─ [D] ─ [e     alike share its nodes; [e is a tail: fewer tokens than a block
//
// Its key is the 128-bit hash of (parent's key, token ids, format id). A key only leads to the
// node: parent and token ids are compared before a node is trusted, so a collision of hashes
// costs a prefill, never a wrong answer.
//
// Where the node's KV lies is written in it: on the device (block), in host memory (slot), on
// the disk (by its key), in several, or, for a node that is kept for its children, nowhere. The
// pools hand out blocks and slots, and know of each only which node has it.
//
// Invariants, checked by prefix_check():
//   (1) A node's parent is in use, has a full block of tokens, and lists the node as its child.
//   (2) Every node in use is in the hash chain of its key, once; two nodes differ in parent or
//       in tokens.
//   (3) A node in use is somewhere (block, slot, disk), or has a child, a reference or a transfer;
//       a node with none of these is freed, and then its parent by the same rule.
//   (4) A node stands behind its parent: position = the parent's position + its tokens.
//
// All memory is taken in prefix_create(), committed as it is used. Not thread-safe: the
// engine's lock guards it.
#ifndef ENGINE_PREFIX_H
#define ENGINE_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/kv/block_index.h"
#include "engine/kv/disk_pool.h"

enum node_disk {
    NODE_NOT_ON_DISK,
    NODE_UNWRITTEN, // waits to be written
    NODE_WRITING,
    NODE_ON_DISK,
};

struct node {
    struct hash128 key;
    struct node_index parent;                      // or NODE_NONE: its tokens start at 0
    struct node_index first_child, previous, next; // of the siblings
    uint32_t hash_next;
    int32_t count;                  // tokens; 0: not in use
    struct block_index block, slot; // BLOCK_NONE: not there
    enum node_disk disk;
    int32_t position;                           // of its first token
    struct node_index list_previous, list_next; // of the list of unwritten nodes that it is in
    uint32_t references;                        // of saved conversations that end here
    uint32_t transfers;                         // under way; the node stays
    uint32_t mark;                              // scratch of who walks over all nodes; else 0
    bool tail_listed, loading, from_disk;       // see block_cache.h
};

struct prefix;

MUST_CHECK enum status prefix_create(uint32_t capacity, int32_t block_size, struct hash128 format,
                                     struct prefix **prefix);
void prefix_destroy(struct prefix *prefix); // NULL is fine

struct node *prefix_node(struct prefix *prefix, struct node_index node);        // in use
const int32_t *prefix_ids(const struct prefix *prefix, struct node_index node); // [count]
uint32_t prefix_count(const struct prefix *prefix);                             // nodes in use
uint64_t prefix_collisions(const struct prefix *prefix); // equal keys of different tokens, seen

struct hash128 prefix_key(const struct prefix *prefix, struct node_index parent, const int32_t *ids,
                          int32_t count);

// The child of `parent` (NODE_NONE: the root) with exactly these tokens.
bool prefix_find(struct prefix *prefix, struct node_index parent, const int32_t *ids, int32_t count,
                 struct node_index *node);

// The child that shares most tokens, at least one, with the beginning of ids; *common is how
// many. Looks at the PREFIX_MAX_CHILDREN youngest.
enum { PREFIX_MAX_CHILDREN = 64 };
bool prefix_find_nearest(struct prefix *prefix, struct node_index parent, const int32_t *ids,
                         int32_t count, struct node_index *node, int32_t *common);

// By key alone, for what comes from the disk.
bool prefix_find_key(const struct prefix *prefix, struct hash128 key, struct node_index *node);

// A new node, nowhere yet. FULL: no node is left, or the key is another node's (a collision).
MUST_CHECK enum status prefix_insert(struct prefix *prefix, struct node_index parent,
                                     const int32_t *ids, int32_t count, struct node_index *node);

// The same for a node that hangs on none, at a position and under a key that another index has.
MUST_CHECK enum status prefix_insert_alone(struct prefix *prefix, struct hash128 key,
                                           int32_t position, const int32_t *ids, int32_t count,
                                           struct node_index *node);

// Frees the node if nothing needs it any more, then its parent by the same rule, and so on.
void prefix_prune(struct prefix *prefix, struct node_index node);

void prefix_check(const struct prefix *prefix); // O(nodes); for tests
#endif
