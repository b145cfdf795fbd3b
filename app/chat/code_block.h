// app/chat/code_block.h — the fenced code in an answer.
//
// Read by cmark-gfm, so a block is what CommonMark says it is. No threads.
#ifndef APP_CODE_BLOCK_H
#define APP_CODE_BLOCK_H

#include "kernels/base/text.h"

struct code_block {
    struct text code;     // owned: code_block_deinit()
    struct text language; // as its fence names it; owned
};

void code_block_deinit(struct code_block *block);

// How many blocks the text has. Fills an empty *block with number `number`, from 1, or the last
// where that is 0; it stays empty if there is none.
MUST_CHECK enum status code_block_find(const char *text, size_t length, size_t number,
                                       struct code_block *block, size_t *count);

#endif
