// engine/remote/missing_ids.h — reconstructs token ids that a server did not send.
//
// llama-server sends nothing while the text ends inside a character. If several tokens write one
// character, its text arrives complete, but only with the id of the last token.
#ifndef ENGINE_REMOTE_MISSING_IDS_H
#define ENGINE_REMOTE_MISSING_IDS_H

#include "engine/tokenizer/tokenizer.h"

// If the part of `text` before the text of `ids` ends inside a character, appends ids that write
// that part, using the longest possible tokens, as a tokenizer would. Else appends nothing.
MUST_CHECK enum status missing_ids(const struct tokenizer *tokenizer, const struct text *text,
                                   const struct token_ids *ids, struct token_ids *missing);

#endif
