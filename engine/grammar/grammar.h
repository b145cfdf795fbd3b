// engine/grammar/grammar.h — which tokens may come next, so that an answer fits a grammar?
//
// A token is allowed if the text so far with its bytes can still be continued to one that fits; a
// token that ends the turn, if the text fits as it is. So an answer that ends by itself is valid by
// construction.
//
// The position in an answer is a function of its tokens alone. A walk remembers it and continues
// from there; forks and continued answers begin a walk of their own.
//
//   grammar_create ─► grammar_walk ─┬─► grammar_allowed: one bit for each id
//                                   ├─► grammar_filter:  of some candidates, in their order
//                                   └─► grammar_forced:  tokens that need not be sampled
//
// The first two give the same answer. Filtering looks at a few candidates and costs microseconds; a
// mask needs a walk over the vocabulary, and is kept for each state, so that it costs nothing the
// next time. When too much is kept, grammar_walk() forgets all of it.
//
// Memory: owned, counted by references. Threads: create, retain, release and fits in any; the rest
// one at a time (the engine's).
#ifndef ENGINE_GRAMMAR_H
#define ENGINE_GRAMMAR_H

#include "engine/grammar/token_trie.h"

enum { GRAMMAR_TOKEN_STEPS = 1 << 22 };

struct candidate; // kernels/backend.h
struct grammar;

struct grammar_walk {  // {0} is at the beginning
    const char *begun; // what the answer's text begins with before its tokens; borrowed; NULL: ""
    int32_t state;     // of the automaton
    int32_t tokens;    // of the answer that it has passed
    uint64_t flushes;  // that it knows of; 0: it has not begun
};

struct grammar_mask {
    const uint64_t *bits; // [(vocabulary + 63) / 64]; borrowed until the next walk
    int32_t count;        // that are set
};

// From GBNF (gbnf.h), whose rule `root` is the answer, for the trie's vocabulary, which is
// borrowed. Errors: gbnf_read()'s.
MUST_CHECK enum status grammar_create(const struct token_trie *trie, const char *gbnf,
                                      const char *root, struct grammar **grammar,
                                      struct error *err);

// A grammar that only a remote server applies: a JSON Schema or GBNF, copied. It can be neither
// walked nor asked for a mask.
MUST_CHECK enum status grammar_create_elsewhere(const char *source, bool is_schema,
                                                struct grammar **grammar);
const char *grammar_source(const struct grammar *grammar, bool *is_schema); // of such a grammar

struct grammar *grammar_retain(struct grammar *grammar); // NULL is fine for both
void grammar_release(struct grammar *grammar);

// Does this text fit as it is, though no walk ended there: one that a stop string cut within a
// token? It reads the grammar again, so that it needs none of the engine's states. False, too, if
// that takes too much memory or too many steps, and of a grammar that is applied elsewhere.
bool grammar_fits(const struct grammar *grammar, const char *text);

// Sets how many bytes of states and masks are kept before all are forgotten; 64 MiB at first.
void grammar_limit(struct grammar *grammar, size_t bytes);

// Advances to the end of the answer's tokens [count], from the beginning if it has to. False: they
// do not fit.
bool grammar_walk(struct grammar *grammar, struct grammar_walk *walk, const int32_t *tokens,
                  int32_t count);

bool grammar_is_full(const struct grammar *grammar); // was that because a limit is exceeded?

bool grammar_accepts(const struct grammar *grammar, const struct grammar_walk *walk);

// count 0: no token fits. TOO_LONG: to find out would take more than GRAMMAR_TOKEN_STEPS steps, or
// more states than are allowed (automaton.h).
MUST_CHECK enum status grammar_allowed(struct grammar *grammar, const struct grammar_walk *walk,
                                       struct grammar_mask *mask);

// Copies the first `most` allowed ones of best [CANDIDATES_MAX], or up to an id of -1, to kept;
// returns how many.
int32_t grammar_filter(struct grammar *grammar, const struct grammar_walk *walk,
                       const struct candidate *best, int32_t most, struct candidate *kept);

// Appends the tokens of the text that must follow, as the tokenizer cuts it, up to `most`. The last
// token is left out, since what follows may belong to it. All are left out if the tokenizer would
// write something else before or after them.
MUST_CHECK enum status grammar_forced(struct grammar *grammar, const struct grammar_walk *walk,
                                      int32_t most, struct token_ids *ids);

#endif
