#include "engine/tokenizer/detokenizer.h"

#include <string.h>

#include "engine/tokenizer/internal.h"
#include "engine/tokenizer/thinking.h"
#include "kernels/base/assert.h"

static const char replacement[] = "\xEF\xBF\xBD";

void detokenizer_init(struct detokenizer *detokenizer, const struct tokenizer *tokenizer,
                      bool special, bool strip_space) {
    *detokenizer = (struct detokenizer){
        .tokenizer = tokenizer, .special = special, .strip_space = strip_space};
}

// Appends well-formed UTF-8: `bytes`, with U+FFFD for each maximal subpart that is ill-formed.
static enum status append_clean(struct text *text, const char *bytes, size_t length) {
    for (size_t i = 0, bad; i < length; i += bad) {
        if (utf8_valid(bytes + i, length - i, &bad))
            return text_append(text, bytes + i, length - i);
        TRY(text_append(text, bytes + i, bad));
        size_t used;
        utf8_decode(bytes + i + bad, length - i - bad, &used);
        TRY(text_append(text, replacement, sizeof replacement - 1));
        bad += used;
    }
    return STATUS_OK;
}

// `fresh` is the held bytes and those of the id.
static enum status append_complete(struct detokenizer *detokenizer, struct text *fresh,
                                   struct text *text) {
    const size_t held = utf8_incomplete_tail(text_string(fresh), fresh->length);
    const size_t skip =
        detokenizer->strip_space && !detokenizer->started && fresh->bytes[0] == ' ' ? 1 : 0;
    const size_t before = text->length;
    const enum status status = append_clean(text, fresh->bytes + skip, fresh->length - held - skip);
    if (status != STATUS_OK) {
        text->length = before;
        if (text->bytes) text->bytes[before] = '\0';
        return status;
    }
    if (text->length > before && !detokenizer->tokenizer->writes_marks)
        thinking_hide_marks(text->bytes + before, text->length - before);
    ASSERT(held <= sizeof detokenizer->tail && held + skip <= fresh->length);
    memcpy(detokenizer->tail, fresh->bytes + fresh->length - held, held);
    detokenizer->held = held;
    detokenizer->started = true;
    return STATUS_OK;
}

enum status detokenizer_push(struct detokenizer *detokenizer, int32_t id, struct text *text) {
    struct text fresh = {0};
    ASSERT(detokenizer->held <= sizeof detokenizer->tail);
    enum status status = text_append(&fresh, detokenizer->tail, detokenizer->held);
    if (status == STATUS_OK)
        status = tokenizer_decode(detokenizer->tokenizer, id, detokenizer->special, &fresh);
    if (status == STATUS_OK && fresh.length > detokenizer->held)
        status = append_complete(detokenizer, &fresh, text);
    text_deinit(&fresh);
    return status;
}

enum status detokenizer_finish(struct detokenizer *detokenizer, struct text *text) {
    if (detokenizer->held) TRY(text_append(text, replacement, sizeof replacement - 1));
    detokenizer->held = 0;
    detokenizer->started = false;
    return STATUS_OK;
}
