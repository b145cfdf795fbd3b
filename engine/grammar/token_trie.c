#include "engine/grammar/token_trie.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

static enum status append_bytes(const struct token_trie *trie, int32_t id,
                                token_trie_is_text *is_text, struct text *bytes) {
    const struct tokenizer *tokenizer = trie->tokenizer;
    if (tokenizer_ends_turn(tokenizer, id)) return STATUS_OK;
    if (!tokenizer_is_special(tokenizer, id)) return tokenizer_decode(tokenizer, id, false, bytes);
    const struct gguf_string piece = tokenizer_piece(tokenizer, id);
    if (!is_text || !is_text(piece.bytes, piece.length)) return STATUS_OK;
    return text_append(bytes, piece.bytes, piece.length);
}

static enum status read_tokens(struct token_trie *trie, token_trie_is_text *is_text) {
    struct text bytes = {0};
    const int32_t vocabulary = tokenizer_vocabulary(trie->tokenizer);
    enum status status = STATUS_OK;
    for (int32_t id = 0; id < vocabulary && status == STATUS_OK; id++) {
        trie->starts[id] = (uint32_t)bytes.length;
        status = append_bytes(trie, id, is_text, &bytes);
        trie->starts[id + 1] = (uint32_t)bytes.length;
        const size_t length = bytes.length - trie->starts[id];
        if (length > 0 && length <= TOKEN_TRIE_MAX_DEPTH) trie->ids[trie->id_count++] = id;
        if (tokenizer_ends_turn(trie->tokenizer, id)) trie->ends[trie->end_count++] = id;
    }
    trie->bytes = bytes.bytes;
    return status;
}

static int by_bytes(const void *a, const void *b, void *user) {
    const struct token_trie *trie = user;
    const int32_t id[] = {*(const int32_t *)a, *(const int32_t *)b};
    size_t length[2];
    const char *first = token_trie_bytes(trie, id[0], &length[0]);
    const char *second = token_trie_bytes(trie, id[1], &length[1]);
    const int order = memcmp(first, second, length[0] < length[1] ? length[0] : length[1]);
    if (order != 0) return order;
    if (length[0] != length[1]) return length[0] < length[1] ? -1 : 1;
    return id[0] < id[1] ? -1 : 1;
}

// Sorted tokens are in the order of the walk: each closes what its predecessor has opened beyond
// their common beginning, and opens the rest.
static void build_nodes(struct token_trie *trie, uint32_t *open) {
    const char *before = "";
    size_t depth = 0;
    for (uint32_t i = 0; i < trie->id_count; i++) {
        size_t length, common = 0;
        const char *bytes = token_trie_bytes(trie, trie->ids[i], &length);
        ASSERT(length <= TOKEN_TRIE_MAX_DEPTH);
        while (common < depth && common < length && bytes[common] == before[common])
            common++;
        while (depth > common)
            trie->nodes[open[--depth]].skip = trie->node_count;
        for (; depth < length; depth++) {
            open[depth] = trie->node_count;
            trie->nodes[trie->node_count++] = (struct token_trie_node){
                .first = i, .depth = (uint16_t)(depth + 1), .byte = (unsigned char)bytes[depth]};
        }
        before = bytes;
    }
    while (depth > 0)
        trie->nodes[open[--depth]].skip = trie->node_count;
    trie->nodes[trie->node_count] =
        (struct token_trie_node){.skip = trie->node_count, .first = trie->id_count};
}

static enum status build(struct token_trie *trie, token_trie_is_text *is_text) {
    const size_t vocabulary = (size_t)tokenizer_vocabulary(trie->tokenizer);
    trie->starts = calloc(vocabulary + 1, sizeof *trie->starts);
    trie->ids = calloc(vocabulary, sizeof *trie->ids);
    trie->ends = calloc(vocabulary, sizeof *trie->ends);
    uint32_t *open = calloc(TOKEN_TRIE_MAX_DEPTH, sizeof *open);
    enum status status =
        trie->starts && trie->ids && trie->ends && open ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK) status = read_tokens(trie, is_text);
    if (status == STATUS_OK) {
        qsort_r(trie->ids, trie->id_count, sizeof *trie->ids, by_bytes, trie);
        trie->nodes = malloc(((size_t)trie->starts[vocabulary] + 1) * sizeof *trie->nodes);
        status = trie->nodes ? STATUS_OK : STATUS_NO_MEMORY;
    }
    if (status == STATUS_OK) build_nodes(trie, open);
    free(open);
    return status;
}

enum status token_trie_create(const struct tokenizer *tokenizer, token_trie_is_text *is_text,
                              struct token_trie **result, struct error *err) {
    struct token_trie *trie = calloc(1, sizeof *trie);
    if (!trie) return error_set(err, STATUS_NO_MEMORY, "not enough memory");
    trie->tokenizer = tokenizer;
    enum status status = build(trie, is_text);
    if (status != STATUS_OK)
        error_set(err, status, "%s", status_text(status));
    else if (trie->end_count == 0)
        status = error_set(err, STATUS_UNSUPPORTED,
                           "this model has no end-of-answer token, which structured answers need");
    if (status != STATUS_OK)
        token_trie_destroy(trie);
    else
        *result = trie;
    return status;
}

void token_trie_destroy(struct token_trie *trie) {
    if (!trie) return;
    free(trie->nodes);
    free(trie->ids);
    free(trie->starts);
    free(trie->bytes);
    free(trie->ends);
    free(trie);
}
