// engine/tokenizer/tokenizer_json.h — a tokenizer from a Hugging Face folder.
//
// tokenizer.json lists the steps that a text goes through; tokenizer_config.json names the tokens
// that begin and end a text, and generation_config.json those that end an answer; where it names
// none, config.json does. Supported are:
//
//   model           BPE over bytes (ByteLevel) or characters (with byte_fallback), Unigram
//   normalizer      NFC, NFD, NFKC, NFKD, Lowercase, Strip, StripAccents, Prepend, Replace
//   pre_tokenizer   ByteLevel, Split, Digits, Punctuation, Whitespace, WhitespaceSplit,
//                   CharDelimiterSplit, Metaspace (before any cut)
//   added_tokens    special, lstrip, rstrip, single_word, normalized
//   decoder         ByteLevel, Replace, ByteFallback, Fuse, Strip, Metaspace
//   post_processor  the token that a template puts first
//
// and Sequences of these. Anything else is refused by name, because ids that are almost right are
// wrong. Special tokens are control tokens, so they are recognised in control pieces only.
//
// Source: the tokenizers library's documentation of its components, and its files.
#ifndef ENGINE_TOKENIZER_JSON_H
#define ENGINE_TOKENIZER_JSON_H

#include <limits.h>

#include "engine/tokenizer/tokenizer.h"

enum {
    TOKENIZER_JSON_MAX_BYTES = 1 << 29, // of one file
};

struct tokenizer_json {           // borrowed only while the call lasts
    const char *name;             // begins errors: the folder
    struct gguf_string tokenizer; // tokenizer.json
    struct gguf_string config;    // tokenizer_config.json; length 0: no such file
    struct gguf_string generation;
    struct gguf_string shape; // config.json
};

// BAD_FILE: not JSON, or a part is missing or contradicts another. UNSUPPORTED: a part, by name.
MUST_CHECK enum status tokenizer_open_json(const struct tokenizer_json *files,
                                           struct tokenizer **tokenizer, struct error *err);

// The files in a folder; `path` may also be a tokenizer.json, whose folder is meant. NOT_FOUND: no
// tokenizer.json. IO when the system refuses; BAD_FILE when one of them is no regular file or
// larger than TOKENIZER_JSON_MAX_BYTES.
MUST_CHECK enum status tokenizer_open_folder(const char *path, struct tokenizer **tokenizer,
                                             struct error *err);
bool tokenizer_is_in_folder(const char *path); // is it such a path?
void tokenizer_folder(const char *path, char folder[PATH_MAX]);

// Of an open model: from the folder that it was read from, or from its own keys, as
// tokenizer_open().
MUST_CHECK enum status tokenizer_open_model(const struct gguf *gguf, struct tokenizer **tokenizer,
                                            struct error *err);

#endif
