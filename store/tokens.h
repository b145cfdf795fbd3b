// store/tokens.h — the token rows of messages.
//
// A row of message_tokens holds `count` ids as little-endian int32, and `total`, the length of the
// log up to here: `count` plus the total of the parent's row for the same model (0 without such a
// row) or, if the ids begin with a cut to n, n + count - 1.
#ifndef STORE_TOKENS_H
#define STORE_TOKENS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct db;

enum { MESSAGE_CUT = 1 << 24 }; // larger than any token id; its value is stored: message.h

// The token ids stored for one message and model: *tokens is owned by the caller (free).
// NOT_FOUND when this model has never read the message. Setting replaces the old ids.
MUST_CHECK enum status message_tokens(struct db *db, int64_t id, int64_t model, int32_t **tokens,
                                      size_t *count, struct error *err);
MUST_CHECK enum status message_set_tokens(struct db *db, int64_t id, int64_t model,
                                          const int32_t *tokens, size_t count, struct error *err);

// The newest answer before message *id that has ids for this model: *id, and *parent, the message
// that it replies to. NOT_FOUND: there is none.
MUST_CHECK enum status message_older_answer(struct db *db, int64_t model, int64_t *id,
                                            int64_t *parent, struct error *err);

// ---- The rest is private to store/.

// SQL: do the ids begin with a cut? Only a cut has a nonzero highest byte.
#define TOKENS_ARE_CUT(ids) "coalesce(substr(" ids ", 4, 1), x'') > x'00'"

// Inserts or replaces the row, and adjusts the totals below it. Needs a transaction.
MUST_CHECK enum status tokens_write(struct db *db, int64_t message, int64_t model,
                                    const int32_t *ids, size_t count, struct error *err);

// Deletes the message's token ids for all models, as they belong to a shorter text. Needs a
// transaction.
MUST_CHECK enum status tokens_forget(struct db *db, int64_t message, struct error *err);

#endif
