// kernels/base/piece.h — a stretch of a prompt, and who wrote it.
//
// A chat template (prompts/) yields pieces; the tokenizer (engine/) reads them. Only a
// control piece may become special tokens, so nothing that a user types, pastes or
// attaches can forge a turn. This is the one type that both sides share.
#ifndef BASE_PIECE_H
#define BASE_PIECE_H

#include <stddef.h>

enum piece_kind {
    PIECE_CONTROL, // written by the template: special tokens are recognised in it
    PIECE_TEXT,    // written by a person, a file or a model: never a special token
};

struct piece {
    enum piece_kind kind;
    const char *bytes; // borrowed, UTF-8, no terminator
    size_t length;
};

#endif
