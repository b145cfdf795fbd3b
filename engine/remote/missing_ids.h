// engine/remote/missing_ids.h — tokens that a server has kept to itself.
//
// llama-server sends nothing while the text ends within a character. Where several tokens write one
// character, its text arrives whole, but with the last token's id alone.
#ifndef ENGINE_REMOTE_MISSING_IDS_H
#define ENGINE_REMOTE_MISSING_IDS_H

#include "engine/tokenizer/tokenizer.h"

// Appends the ids that write what `text` has before the text of `ids`, if it ends within a
// character: the longest tokens there are, as a tokenizer would merge them. Else nothing.
MUST_CHECK enum status missing_ids(const struct tokenizer *tokenizer, const struct text *text,
                                   const struct token_ids *ids, struct token_ids *missing);

#endif
