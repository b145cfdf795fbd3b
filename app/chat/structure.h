// app/chat/structure.h — the form that answers must have: a JSON Schema or a grammar.
//
// What stands before the answer is left free: a model whose vocabulary has the marks of thoughts
// (thinking.h) may think first. A server is sent the source as it is.
//
// Memory: {0} with a tokenizer is empty; all is owned, and turns that run keep their own reference
// to the grammar. The vocabulary's trie is made when the first structure is set.
#ifndef APP_STRUCTURE_H
#define APP_STRUCTURE_H

#include "engine/grammar/grammar.h"

enum structure_kind { STRUCTURE_NONE, STRUCTURE_SCHEMA, STRUCTURE_GRAMMAR };

struct structure {
    const struct tokenizer *tokenizer; // borrowed
    bool remote;                       // the model is elsewhere: its server rules tokens out
    bool takes_grammars;               // and not only schemas
    struct token_trie *trie;           // NULL: not made yet
    enum structure_kind kind;
    struct text source;      // as it was set
    struct grammar *grammar; // NULL: none
};

void structure_deinit(struct structure *structure);

// From now on this one: a file, or a schema itself, which begins with "{". NONE: no structure.
// BAD_INPUT, UNSUPPORTED, TOO_LONG, NOT_FOUND or IO say why not, and nothing has changed.
MUST_CHECK enum status structure_set(struct structure *structure, enum structure_kind kind,
                                     const char *source, struct error *err);

// The grammar of a schema or of GBNF that is at hand, for the same model. Owned by the caller.
MUST_CHECK enum status structure_read(struct structure *structure, enum structure_kind kind,
                                      const char *text, struct grammar **grammar,
                                      struct error *err);

#endif
