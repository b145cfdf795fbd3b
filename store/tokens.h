// store/tokens.h — the token rows of messages.
//
// A row of message_tokens holds `count` ids as little-endian int32, and `total`, the length of the
// log up to here: count and the total of the parent's row for the same model (0 where there is
// none), or, behind a cut to n, n and one less than count.
#ifndef STORE_TOKENS_H
#define STORE_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct db;

enum { MESSAGE_CUT = 1 << 24 }; // in place of a token's id, which is smaller; stored: message.h

// The token ids stored for one message and model: *tokens is owned by the caller (free).
// NOT_FOUND when this model has never read the message. Setting replaces what there was.
MUST_CHECK enum status message_tokens(struct db *db, int64_t id, int64_t model, int32_t **tokens,
                                      size_t *count, struct error *err);
MUST_CHECK enum status message_set_tokens(struct db *db, int64_t id, int64_t model,
                                          const int32_t *tokens, size_t count, struct error *err);

// ---- The rest is for this room alone.

// SQL: do the ids begin with a cut? Of such an id alone the highest byte is not 0.
#define TOKENS_ARE_CUT(ids) "coalesce(substr(" ids ", 4, 1), x'') > x'00'"

// Enters or replaces the row, and moves the totals below it. Inside a transaction.
MUST_CHECK enum status tokens_write(struct db *db, int64_t message, int64_t model,
                                    const int32_t *ids, size_t count, struct error *err);

// Those of all models: they were of a shorter text. Inside a transaction.
MUST_CHECK enum status tokens_forget(struct db *db, int64_t message, struct error *err);

#endif
