#include "app/chat/code_block.h"

#include <cmark-gfm.h>
#include <string.h>

void code_block_deinit(struct code_block *block) {
    text_deinit(&block->code);
    text_deinit(&block->language);
}

static bool is_fenced(cmark_node *node) {
    int length, offset;
    char mark;
    return cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK &&
           cmark_node_get_fenced(node, &length, &offset, &mark);
}

static enum status keep(cmark_node *node, struct code_block *block) {
    const char *info = cmark_node_get_fence_info(node);
    text_clear(&block->code);
    text_clear(&block->language);
    TRY(text_append(&block->language, info, strcspn(info, " \t")));
    return text_append_string(&block->code, cmark_node_get_literal(node));
}

enum status code_block_find(const char *text, size_t length, size_t number,
                            struct code_block *block, size_t *count) {
    cmark_node *document = cmark_parse_document(text, length, CMARK_OPT_DEFAULT);
    cmark_iter *iterator = document ? cmark_iter_new(document) : NULL;
    enum status status = iterator ? STATUS_OK : STATUS_NO_MEMORY;
    *count = 0;
    while (status == STATUS_OK && cmark_iter_next(iterator) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iterator);
        if (!is_fenced(node)) continue;
        ++*count;
        if (number == 0 || number == *count) status = keep(node, block);
    }
    if (iterator) cmark_iter_free(iterator);
    if (document) cmark_node_free(document);
    return status;
}
