// engine/tokenizer/json_vocabulary.h — the tokens and merges of a tokenizer.json.
//
//   "vocab": {"a": 0, …}          BPE        "merges": ["a b", …] or [["a", "b"], …]
//   "vocab": [["a", -1.5], …]     Unigram
//   "added_tokens": [{"id": 2, "content": "<s>", "special": true, …}, …]
//
// Special added tokens are control tokens and the others user-defined. Ids may leave gaps, which
// become unused tokens. Two texts for one id are refused.
#ifndef ENGINE_JSON_VOCABULARY_H
#define ENGINE_JSON_VOCABULARY_H

#include "engine/tokenizer/merge_table.h"
#include "engine/tokenizer/vocabulary.h"
#include "kernels/base/json_view.h"

struct json_model { // members of "model"; absent ones are JSON_ABSENT
    struct json_view type, vocab, merges, unk_token, unk_id;
    struct json_view dropout, continuing_subword_prefix, end_of_word_suffix;
    struct json_view byte_fallback, fuse_unk, ignore_merges;
};

// All absent if the view is no object.
void json_model_read(struct json_view view, struct json_model *model);

// BAD_FILE names the first member of an object that should be true, false or null and is not.
MUST_CHECK enum status json_check_flags(struct json_view object, const char *name,
                                        struct error *err);

// Fills a vocabulary, which is not indexed yet. `name` begins errors; `added` may be absent.
MUST_CHECK enum status json_vocabulary_read(const struct json_model *model, struct json_view added,
                                            const char *name, struct vocabulary *vocabulary,
                                            struct error *err);

// The merges of an indexed vocabulary.
MUST_CHECK enum status json_vocabulary_merges(struct json_view merges,
                                              const struct vocabulary *vocabulary, const char *name,
                                              struct merge_table *table, struct error *err);

// The token with this text, of any type, or TOKEN_NONE. A linear search.
int32_t json_vocabulary_find(const struct vocabulary *vocabulary, struct json_view text);

#endif
