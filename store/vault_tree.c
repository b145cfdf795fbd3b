#include "store/vault_tree.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

// Appends the node and its ids; links come when all are there.
static enum status add_node(void *user, const struct vault_row *row, const int32_t *ids) {
    struct vault_tree *tree = user;
    if (tree->count == VAULT_NO_NODE / 2) return STATUS_FULL;
    if ((tree->count & (tree->count - 1)) == 0) {
        const size_t capacity = tree->count ? 2 * (size_t)tree->count : 1;
        struct vault_node *grown = realloc(tree->nodes, capacity * sizeof *grown);
        if (!grown) return STATUS_NO_MEMORY;
        tree->nodes = grown;
    }
    const size_t ids_end = tree->ids_count + (size_t)row->count;
    if (ids_end > tree->ids_capacity) {
        const size_t capacity = 2 * ids_end;
        int32_t *grown = realloc(tree->ids, capacity * sizeof *grown);
        if (!grown) return STATUS_NO_MEMORY;
        tree->ids = grown;
        tree->ids_capacity = capacity;
    }
    memcpy(tree->ids + tree->ids_count, ids, (size_t)row->count * sizeof *ids);
    tree->nodes[tree->count++] = (struct vault_node){
        .row = *row,
        .ids_at = tree->ids_count,
        .above = VAULT_NO_NODE,
        .first_below = VAULT_NO_NODE,
        .next_beside = VAULT_NO_NODE,
        .place = VAULT_NO_NODE,
        .used_ms = row->used_ms,
    };
    tree->ids_count = ids_end;
    return STATUS_OK;
}

static uint32_t first_slot(const struct vault_tree *tree, int64_t format, struct hash128 key) {
    const uint64_t mixed = key.low ^ (uint64_t)format * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed ^ mixed >> 32) & tree->slot_mask;
}

static bool is_block(const struct vault_node *node, int64_t format, struct hash128 key) {
    return node->row.format == format && hash_equal(node->row.key, key);
}

// At most half of the slots are taken, so every chain ends.
static uint32_t find_slot(const struct vault_tree *tree, int64_t format, struct hash128 key) {
    uint32_t slot = first_slot(tree, format, key);
    while (tree->slots[slot] != VAULT_NO_NODE &&
           !is_block(&tree->nodes[tree->slots[slot]], format, key))
        slot = (slot + 1) & tree->slot_mask;
    return slot;
}

uint32_t vault_tree_find(const struct vault_tree *tree, int64_t format, struct hash128 key) {
    return tree->slots[find_slot(tree, format, key)];
}

static enum status make_table(struct vault_tree *tree) {
    uint32_t slot_count = 16;
    while (slot_count / 2 < tree->count)
        slot_count *= 2;
    tree->slots = malloc(slot_count * sizeof *tree->slots);
    if (!tree->slots) return STATUS_NO_MEMORY;
    memset(tree->slots, 0xFF, slot_count * sizeof *tree->slots); // VAULT_NO_NODE
    tree->slot_mask = slot_count - 1;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct vault_row *row = &tree->nodes[i].row;
        tree->slots[find_slot(tree, row->format, row->key)] = i;
    }
    return STATUS_OK;
}

static void link_nodes(struct vault_tree *tree) {
    for (uint32_t i = tree->count; i-- > 0;) { // backwards, so that siblings stand by id
        struct vault_node *node = &tree->nodes[i];
        if (hash_equal(node->row.parent, (struct hash128){0, 0})) continue;
        node->above = vault_tree_find(tree, node->row.format, node->row.parent);
        if (node->above == VAULT_NO_NODE) continue;
        struct vault_node *above = &tree->nodes[node->above];
        node->next_beside = above->first_below;
        above->first_below = i;
    }
}

// Puts the node and everything below it into the order.
static uint32_t visit(struct vault_tree *tree, uint32_t top, uint32_t done) {
    uint32_t end = done;
    tree->nodes[top].place = end;
    tree->order[end++] = top;
    for (; done < end; done++)
        for (uint32_t i = tree->nodes[tree->order[done]].first_below; i != VAULT_NO_NODE;
             i = tree->nodes[i].next_beside) {
            if (tree->nodes[i].place != VAULT_NO_NODE) continue; // the top of a circle
            tree->nodes[i].place = end;
            tree->order[end++] = i;
        }
    return end;
}

static void put_in_order(struct vault_tree *tree) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].above == VAULT_NO_NODE) done = visit(tree, i, done);
    for (uint32_t i = 0; i < tree->count && done < tree->count; i++) {
        if (tree->nodes[i].place != VAULT_NO_NODE) continue;
        tree->nodes[i].above = VAULT_NO_NODE;
        done = visit(tree, i, done);
    }
    ASSERT(done == tree->count);
}

static void spread_use(struct vault_tree *tree) {
    for (uint32_t i = tree->count; i-- > 0;) {
        const struct vault_node *node = &tree->nodes[tree->order[i]];
        struct vault_node *above = vault_tree_above(tree, node);
        if (above && above->used_ms < node->used_ms) above->used_ms = node->used_ms;
    }
}

// A holder has one leaf in a format, and paths of different formats never meet: each visit of a
// node is another holder's.
static void count_holders(struct vault_tree *tree) {
    for (size_t i = 0; i < tree->holder_count; i++)
        for (struct vault_node *node = vault_tree_leaf(tree, &tree->holders[i]); node;
             node = vault_tree_above(tree, node))
            node->holders++;
}

enum status vault_tree_init(struct vault_tree *result, struct db *db, int64_t format,
                            struct error *err) {
    struct vault_tree tree = {0};
    enum status status = vault_index_rows(db, format, add_node, &tree, err);
    if (status == STATUS_OK)
        status = vault_index_holders(db, format, &tree.holders, &tree.holder_count, err);
    if (status == STATUS_OK) status = make_table(&tree);
    if (status == STATUS_OK) {
        tree.order = malloc((tree.count + (size_t)1) * sizeof *tree.order);
        if (!tree.order) status = STATUS_NO_MEMORY;
    }
    if (status != STATUS_OK) {
        vault_tree_deinit(&tree);
        return status;
    }
    link_nodes(&tree);
    put_in_order(&tree);
    spread_use(&tree);
    count_holders(&tree);
    *result = tree;
    return STATUS_OK;
}

void vault_tree_deinit(struct vault_tree *tree) {
    free(tree->nodes);
    free(tree->order);
    free(tree->ids);
    free(tree->holders);
    free(tree->slots);
    *tree = (struct vault_tree){0};
}
