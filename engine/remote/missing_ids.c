#include "engine/remote/missing_ids.h"

#include <string.h>

// The id of the longest token that the bytes begin with, and its length; or TOKEN_NONE.
static enum status find_longest(const struct tokenizer *tokenizer, const char *bytes, size_t length,
                                int32_t *found, size_t *found_length) {
    struct text piece = {0};
    enum status status = STATUS_OK;
    *found = TOKEN_NONE;
    *found_length = 0;
    for (int32_t id = 0; id < tokenizer_vocabulary(tokenizer) && status == STATUS_OK; id++) {
        text_clear(&piece);
        status = tokenizer_decode(tokenizer, id, false, &piece);
        const bool fits = piece.length > *found_length && piece.length <= length &&
                          memcmp(piece.bytes, bytes, piece.length) == 0;
        if (!fits) continue;
        *found = id;
        *found_length = piece.length;
    }
    text_deinit(&piece);
    return status;
}

enum status missing_ids(const struct tokenizer *tokenizer, const struct text *text,
                        const struct token_ids *ids, struct token_ids *missing) {
    struct text known = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < ids->count && status == STATUS_OK; i++)
        if (ids->ids[i] < tokenizer_vocabulary(tokenizer))
            status = tokenizer_decode(tokenizer, ids->ids[i], false, &known);
    const size_t before = text->length > known.length ? text->length - known.length : 0;
    const bool held = before > 0 && ids->count > 0 &&
                      memcmp(text->bytes + before, text_string(&known), known.length) == 0 &&
                      utf8_incomplete_tail(text->bytes, before) > 0;
    text_deinit(&known);
    for (size_t at = 0, length; held && at < before && status == STATUS_OK; at += length) {
        int32_t id;
        status = find_longest(tokenizer, text->bytes + at, before - at, &id, &length);
        if (id == TOKEN_NONE) break;
        if (status == STATUS_OK) status = token_ids_push(missing, id);
    }
    return status;
}
