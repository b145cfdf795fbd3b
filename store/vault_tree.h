// store/vault_tree.h — the rows of blocks in memory, with the paths that lead through them.
//
// Nobody outside this room includes it. A node's `above` is the block that its parent key names, if
// that has a row. Rows are outside data: where parents run in a circle, it is cut open, so the
// links are always a forest and `order` always has every node once, parents before children.
//
// A snapshot: it does not follow the index. Memory: vault_tree_deinit().
#ifndef STORE_VAULT_TREE_H
#define STORE_VAULT_TREE_H

#include "store/vault_index.h"

static const uint32_t VAULT_NO_NODE = UINT32_MAX;

struct vault_node {
    struct vault_row row;
    size_t ids_at; // in tree->ids
    uint32_t above, first_below, next_beside;
    uint32_t place;   // in tree->order
    uint32_t holders; // whose path it is on
    int64_t used_ms;  // the latest of its own and of all below it
};

struct vault_tree {
    struct vault_node *nodes; // [count], by row id
    uint32_t count;
    uint32_t *order; // [count]
    int32_t *ids;
    struct vault_holder *holders; // [holder_count], by holder
    size_t holder_count;
    uint32_t *slots; // of the hash table
    uint32_t slot_mask;
    size_t ids_count, ids_capacity; // of ids
};

// Of one format, or with 0 of all.
MUST_CHECK enum status vault_tree_init(struct vault_tree *tree, struct db *db, int64_t format,
                                       struct error *err);
void vault_tree_deinit(struct vault_tree *tree); // {0} is fine

// The node's number, or VAULT_NO_NODE.
uint32_t vault_tree_find(const struct vault_tree *tree, int64_t format, struct hash128 key);

static inline struct vault_node *vault_tree_leaf(const struct vault_tree *tree,
                                                 const struct vault_holder *holder) {
    const uint32_t found = vault_tree_find(tree, holder->format, holder->leaf);
    return found == VAULT_NO_NODE ? NULL : &tree->nodes[found];
}
static inline struct vault_node *vault_tree_above(const struct vault_tree *tree,
                                                  const struct vault_node *node) {
    return node->above == VAULT_NO_NODE ? NULL : &tree->nodes[node->above];
}

#endif
