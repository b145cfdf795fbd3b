// engine/kv/reference_table.h — what does a saved conversation need?
//
// Entries lie in an array without gaps, in no order, and are found by a hash of the conversation:
//
//   buckets   [  2  |  0  |  1  |  0  ]      an entry's number + 1; 0: none
//   items     [ a → b |  b  ] [ c ]          `next` chains the entries of one bucket
//
// An entry is borrowed until the next enter or remove. Invariant, checked by
// reference_table_check(): each entry is in the chain of its bucket, once.
//
// Memory: taken in init, pages that nobody has touched are not committed. Threads: the owner's.
#ifndef ENGINE_REFERENCE_TABLE_H
#define ENGINE_REFERENCE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/kv/block_index.h"
#include "kernels/base/hash.h"
#include "kernels/base/status.h"

struct reference { // of a saved conversation
    uint64_t conversation;
    struct node_index leaf; // a node, or NODE_NONE
    uint32_t next;          // the table's
    struct hash128 told;    // to the disk: the last node on the way to the leaf that is there
};

struct reference_table {
    struct reference *items; // [count]
    uint32_t count, capacity;
    uint32_t *buckets; // [mask + 1]
    uint32_t mask;
    uint64_t compared; // entries that were looked at so far, to find others or themselves
};

MUST_CHECK enum status reference_table_init(struct reference_table *table, uint32_t capacity);
void reference_table_deinit(struct reference_table *table); // {0} is fine

struct reference *reference_find(struct reference_table *table, uint64_t conversation); // or NULL
// Finds it, or adds it with no leaf. NULL: the table is full.
struct reference *reference_enter(struct reference_table *table, uint64_t conversation);
void reference_remove(struct reference_table *table, struct reference *reference);

void reference_table_check(const struct reference_table *table);

#endif
