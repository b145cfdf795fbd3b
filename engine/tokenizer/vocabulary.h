// engine/tokenizer/vocabulary.h — which token has this text, and what is this token?
//
// Filled by a reader: vocabulary_open() for GGUF's tokenizer.ggml.tokens, .token_type, .scores and
// the ids of the special tokens; json_vocabulary.h for tokenizer.json. Two ways lead from text to
// an id:
//
//   plain   what ordinary text may become: normal and user-defined tokens, by whole text
//   marked  what is recognised as a whole inside a text: user-defined tokens in every piece,
//           control tokens in control pieces only
//
// Control tokens are never plain, so merging cannot produce them from any text. Files are sometimes
// wrong about types: a user-defined token that looks like a marker of a chat format ("<|…|>",
// "<end_of_turn>"), and any "<…>" that the file calls BOS, EOS, EOT or EOM, counts as control.
//
// Of two tokens with the same text the first wins, since nothing but the text distinguishes them.
//
//   vocabulary_init ─► tokens filled in ─► vocabulary_name_role, _end ─► vocabulary_index
//
// Memory: owned tables; texts are borrowed from the gguf, or lie in `texts`. Immutable once
// indexed, except for vocabulary_widen().
#ifndef ENGINE_VOCABULARY_H
#define ENGINE_VOCABULARY_H

#include "engine/model/gguf.h"
#include "engine/tokenizer/prefix_index.h"
#include "engine/tokenizer/token.h"
#include "kernels/base/status.h"
#include "kernels/base/text.h"

enum { VOCABULARY_MAX_TEXT_BYTES = 4096 }; // of one token

// tokenizer.ggml.token_type, with the format's numbers.
enum token_type {
    TOKEN_UNDEFINED = 0,
    TOKEN_NORMAL,
    TOKEN_UNKNOWN, // stands for text that has no token
    TOKEN_CONTROL,
    TOKEN_USER_DEFINED,
    TOKEN_UNUSED,
    TOKEN_BYTE, // SentencePiece's "<0x0A>"
};

enum token_match {          // how a marked token is found in a text
    TOKEN_TAKES_LEFT = 1,   // with the whitespace before it
    TOKEN_TAKES_RIGHT = 2,  // and behind it
    TOKEN_STANDS_ALONE = 4, // only between characters that are no part of words
    TOKEN_NORMALIZED = 8,   // in the normalised text, in its own normalised form
};

struct vocabulary_token {
    struct gguf_string text;
    double score;        // 0 when the file has no scores; never NaN
    unsigned char type;  // enum token_type
    unsigned char match; // enum token_match
    bool ends_turn;
};

struct vocabulary_slot {
    uint32_t hash;
    int32_t id; // TOKEN_NONE: empty
};

struct vocabulary {
    int32_t count;
    struct vocabulary_token *tokens; // [count]
    bool has_types, has_scores;
    size_t longest_plain_bytes;
    int32_t bos, eos, unknown; // or TOKEN_NONE

    struct vocabulary_slot *slots; // plain tokens by text, open addressing
    size_t slot_mask;

    struct prefix_index control, user_defined; // marked tokens, except TOKEN_NORMALIZED ones
    char *texts;                               // owned, or NULL
};

// `count` unused tokens without a text, 0 < count <= TOKENIZER_MAX_VOCABULARY.
MUST_CHECK enum status vocabulary_init(struct vocabulary *vocabulary, size_t count);

// The file names this token in a role (BOS, EOS, …), or as one that ends a turn. If it looks like a
// marker it then is one, regardless of type: some converters give all tokens one type. TOKEN_NONE
// is fine.
void vocabulary_name_role(struct vocabulary *vocabulary, int32_t id);
void vocabulary_name_end(struct vocabulary *vocabulary, int32_t id);

// Call it when everything is filled in.
MUST_CHECK enum status vocabulary_index(struct vocabulary *vocabulary);

// More unused tokens without a text, so that there are `count`; no less than there were. Indexed or
// not: an unused token is in no index.
MUST_CHECK enum status vocabulary_widen(struct vocabulary *vocabulary, size_t count);

// BAD_FILE: an array is missing or of another length or type, a type or score that means
// nothing, a text that is too long, a special id outside the vocabulary. On failure nothing is
// owned.
MUST_CHECK enum status vocabulary_open(struct vocabulary *vocabulary, const struct gguf *gguf,
                                       struct error *err);
void vocabulary_close(struct vocabulary *vocabulary); // {0} is fine

// The plain token with exactly this text, or TOKEN_NONE.
int32_t vocabulary_find(const struct vocabulary *vocabulary, const char *bytes, size_t length);

static inline enum token_type vocabulary_type(const struct vocabulary *vocabulary, int32_t id) {
    return (enum token_type)vocabulary->tokens[id].type;
}

#endif
