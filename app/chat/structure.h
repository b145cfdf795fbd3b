// app/chat/structure.h — the JSON Schema or grammar that answers must match.
//
// Thinking is not constrained: a model whose vocabulary has thinking marks (thinking.h) may think
// first. A server gets the source unchanged.
//
// Memory: {0} with a tokenizer is empty; everything else is owned. Running turns keep their own
// reference to the grammar. The vocabulary's trie is built when the first structure is set.
#ifndef APP_STRUCTURE_H
#define APP_STRUCTURE_H

#include "engine/grammar/grammar.h"

enum structure_kind { STRUCTURE_NONE, STRUCTURE_SCHEMA, STRUCTURE_GRAMMAR };

struct structure {
    const struct tokenizer *tokenizer; // borrowed
    bool remote;                       // the model's server does the constraining
    bool takes_grammars;               // the server accepts grammars, not only schemas
    struct token_trie *trie;           // NULL: not built yet
    enum structure_kind kind;
    struct text source;      // as set
    struct grammar *grammar; // NULL: none
};

void structure_deinit(struct structure *structure);

bool structure_is_inline(const char *schema); // not a file, but a schema itself

// Sets the structure from a file, or from a schema itself, which begins with "{". NONE removes it.
// On failure (BAD_INPUT, UNSUPPORTED, TOO_LONG, NOT_FOUND, IO) nothing changes.
MUST_CHECK enum status structure_set(struct structure *structure, enum structure_kind kind,
                                     const char *source, struct error *err);

// Compiles the text of a schema or GBNF grammar for the same model. Owned by the caller.
MUST_CHECK enum status structure_read(struct structure *structure, enum structure_kind kind,
                                      const char *text, struct grammar **grammar,
                                      struct error *err);

#endif
