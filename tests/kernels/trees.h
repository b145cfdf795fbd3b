// tests/kernels/trees.h — block tables of random sequences that fork from one another.
//
// In tree_make(), each sequence after the first forks, with a probability, from a random earlier
// one at a random key; the blocks before that key they have in common. Blocks are in random order.
#ifndef TESTS_TREES_H
#define TESTS_TREES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/shared_past.h"

enum { TREE_SEQS_MAX = 64 };

struct tree_shape {
    int32_t seqs, longest; // keys
    int32_t block_size;
    int32_t forks;  // of ten sequences
    bool has_mixed; // some sequences have several queries, some share a block with a new token
};

struct tree {
    struct batch batch; // of the host's memory
    int32_t starts[TREE_SEQS_MAX + 1], keys[TREE_SEQS_MAX];
    int32_t *table; // [seqs, max_blocks_per_seq], owned
    int32_t num_blocks;
    int32_t order[TREE_SEQS_MAX], common[TREE_SEQS_MAX], own[TREE_SEQS_MAX];
    struct shared_span spans[SHARED_SPANS_MAX];
    int32_t depth; // 0: nothing is shared
};

static inline int32_t tree_below(uint64_t *state, int32_t limit) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((*state >> 33) % (uint64_t)limit);
}

static inline int32_t *tree_row(const struct tree *tree, int32_t sequence) {
    return tree->table + (size_t)sequence * (size_t)tree->batch.max_blocks_per_seq;
}

// The blocks of sequence s, as numbers in the order of their being made.
static inline void tree_grow(struct tree *tree, const struct tree_shape *shape, int32_t s,
                             uint64_t *state) {
    const int32_t queries = tree->starts[s + 1] - tree->starts[s];
    int32_t shared = 0, *row = tree_row(tree, s);
    if (s > 0 && tree_below(state, 10) < shape->forks) {
        const int32_t from = tree_below(state, s);
        const int32_t past = (tree->keys[from] - !shape->has_mixed) / shape->block_size;
        shared = tree_below(state, 3) == 0 ? past : tree_below(state, past + 1);
        while (shared * shape->block_size + queries > shape->longest)
            shared--;
        for (int32_t i = 0; i < shared; i++)
            row[i] = tree_row(tree, from)[i];
    }
    const int32_t least = shared * shape->block_size + queries;
    const int32_t rest = shape->longest - least;
    tree->keys[s] =
        least + (rest > 0 ? tree_below(state, s % 2 ? 40 < rest ? 40 : rest : rest) : 0);
    const int32_t whole = tree->keys[s] / shape->block_size * shape->block_size;
    if (whole >= least && tree_below(state, 3) == 0) tree->keys[s] = whole;
    for (int32_t i = shared; i * shape->block_size < tree->keys[s]; i++)
        row[i] = tree->num_blocks++;
}

static inline void tree_shuffle(struct tree *tree, const struct tree_shape *shape,
                                uint64_t *state) {
    const int32_t spare = 3;
    const int32_t count = tree->num_blocks + spare;
    int32_t *names = (int32_t *)calloc((size_t)count, sizeof *names);
    for (int32_t i = 0; i < count; i++) {
        const int32_t j = tree_below(state, i + 1);
        names[i] = names[j];
        names[j] = i;
    }
    for (int32_t s = 0; s < shape->seqs; s++)
        for (int32_t i = 0; i * shape->block_size < tree->keys[s]; i++)
            tree_row(tree, s)[i] = names[tree_row(tree, s)[i]];
    free(names);
    tree->num_blocks = count;
}

static inline void tree_make(struct tree *tree, const struct tree_shape *shape, uint64_t *state) {
    memset(tree, 0, sizeof *tree);
    tree->batch.num_seqs = shape->seqs;
    tree->batch.max_blocks_per_seq = shape->longest / shape->block_size + 2;
    tree->table = (int32_t *)calloc((size_t)shape->seqs * (size_t)tree->batch.max_blocks_per_seq,
                                    sizeof *tree->table);
    for (int32_t s = 0; s < shape->seqs; s++) {
        const int32_t queries =
            shape->has_mixed && tree_below(state, 3) == 0 ? 1 + tree_below(state, 5) : 1;
        tree->starts[s + 1] = tree->starts[s] + queries;
        tree_grow(tree, shape, s, state);
    }
    tree_shuffle(tree, shape, state);
    tree->batch.num_tokens = tree->starts[shape->seqs];
    tree->batch.cu_seqlens_q = tree->starts;
    tree->batch.seq_lens_kv = tree->keys;
    tree->batch.block_table = tree->table;
}

// Groups of sequences, each a fork of the group's first at key `inner`, which forks from sequence 0
// at key `outer`; all are `length` keys long.
static inline void tree_make_even(struct tree *tree, int32_t groups, int32_t each, int32_t outer,
                                  int32_t inner, int32_t length, int32_t block_size) {
    memset(tree, 0, sizeof *tree);
    tree->batch.num_seqs = tree->batch.num_tokens = groups * each;
    tree->batch.max_blocks_per_seq = length / block_size + 2;
    tree->table = (int32_t *)calloc((size_t)(groups * each * tree->batch.max_blocks_per_seq),
                                    sizeof *tree->table);
    for (int32_t s = 0; s < groups * each; s++) {
        tree->starts[s + 1] = s + 1;
        tree->keys[s] = length;
        for (int32_t i = 0; i * block_size < length; i++) {
            const bool old = s > 0 && i < (s % each ? inner : outer) / block_size;
            tree_row(tree, s)[i] =
                old ? tree_row(tree, s / each * each * (s % each > 0))[i] : tree->num_blocks++;
        }
    }
    tree->batch.cu_seqlens_q = tree->starts;
    tree->batch.seq_lens_kv = tree->keys;
    tree->batch.block_table = tree->table;
}

static inline bool tree_share(struct tree *tree, int32_t block_size, int32_t keys, int32_t least) {
    const struct shared_past_rule rule = {block_size, keys, least};
    const struct shared_past_arrays found = {tree->order, tree->common, tree->own, tree->spans};
    tree->depth = shared_past_find(&tree->batch, &rule, &found);
    return tree->depth > 0;
}

static inline void tree_drop(struct tree *tree) { free(tree->table); }

#endif
