// engine/grammar/token_trie.h — all tokens of a vocabulary by their bytes, to be walked at once.
//
// Nodes lie in depth-first order, so that skipping what follows an impossible byte is one step:
//
//   for (node = 0; node < count;) node = <possible> ? node + 1 : nodes[node].skip;
//
// Tokens are sorted by their bytes: those that end at node i are ids[nodes[i].first ..
// nodes[i + 1].first). Tokens without text or with very long ones, and control tokens, are left
// out, except those that the caller counts as text.
//
// Memory: owned; the tokenizer is borrowed. Threads: immutable.
#ifndef ENGINE_TOKEN_TRIE_H
#define ENGINE_TOKEN_TRIE_H

#include "engine/tokenizer/tokenizer.h"

enum { TOKEN_TRIE_MAX_DEPTH = 4096 }; // VOCABULARY_MAX_TEXT_BYTES

struct token_trie_node {
    uint32_t skip;  // the next node that is not below this one
    uint32_t first; // of ids
    uint16_t depth; // from 1
    unsigned char byte;
};

struct token_trie {
    const struct tokenizer *tokenizer;
    struct token_trie_node *nodes; // [node_count], and one more behind them
    int32_t *ids;                  // [id_count] by their bytes
    uint32_t *starts;              // [vocabulary + 1] of each id's bytes
    char *bytes;
    uint32_t node_count, id_count;
    int32_t *ends; // [end_count] tokens that end a turn
    int32_t end_count;
};

// Is this control token's text part of the answer's text?
typedef bool token_trie_is_text(const char *text, size_t length);

// UNSUPPORTED: no token ends a turn. `is_text` may be NULL: none is.
MUST_CHECK enum status token_trie_create(const struct tokenizer *tokenizer,
                                         token_trie_is_text *is_text, struct token_trie **trie,
                                         struct error *err);
void token_trie_destroy(struct token_trie *trie); // NULL is fine

static inline const char *token_trie_bytes(const struct token_trie *trie, int32_t id,
                                           size_t *length) {
    *length = trie->starts[id + 1] - trie->starts[id];
    return trie->bytes + trie->starts[id];
}

#endif
