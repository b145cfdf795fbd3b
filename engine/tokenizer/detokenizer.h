// engine/tokenizer/detokenizer.h — turns a stream of ids into a stream of whole characters.
//
// A character may be spread over several tokens. The detokenizer holds back bytes until the
// character is complete, so no caller ever sees half of one. Bytes that can no longer become a
// character are replaced by U+FFFD, one for each maximal subpart (text.h), and so are the two marks
// that only quire writes (thinking.h).
//
// Embedded by its owner; keeps at most 3 bytes of text. One per answer, one thread.
#ifndef ENGINE_DETOKENIZER_H
#define ENGINE_DETOKENIZER_H

#include "engine/tokenizer/tokenizer.h"

struct detokenizer {
    const struct tokenizer *tokenizer; // borrowed
    bool special;                      // are special tokens shown?
    bool strip_space; // drops one leading space of the first id (SentencePiece's own)
    bool started;     // has an id brought bytes?
    size_t held;      // bytes in `tail`, at most 3
    char tail[UTF8_MAX_BYTES];
};

void detokenizer_init(struct detokenizer *detokenizer, const struct tokenizer *tokenizer,
                      bool special, bool strip_space);

// Appends the characters that are complete.
MUST_CHECK enum status detokenizer_push(struct detokenizer *detokenizer, int32_t id,
                                        struct text *text);

// Appends U+FFFD for bytes that are still held, which are one maximal subpart, and resets.
MUST_CHECK enum status detokenizer_finish(struct detokenizer *detokenizer, struct text *text);

#endif
