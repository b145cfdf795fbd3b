// app/chat/code_block.h — finds fenced code in an answer.
//
// Parsed by cmark-gfm, so CommonMark defines what a block is. Threads: no state.
#ifndef APP_CODE_BLOCK_H
#define APP_CODE_BLOCK_H

#include "kernels/base/text.h"

struct code_block {
    struct text code;     // owned: code_block_deinit()
    struct text language; // as named by its fence; owned
};

void code_block_deinit(struct code_block *block);

// Counts the blocks in *count. Fills an empty *block with block `number` (from 1; 0: the last).
// *block stays empty if there is no such block.
MUST_CHECK enum status code_block_find(const char *text, size_t length, size_t number,
                                       struct code_block *block, size_t *count);

#endif
