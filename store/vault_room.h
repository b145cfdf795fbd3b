// store/vault_room.h — how a vault stays within its limit, and how room becomes free.
//
// Nobody outside this room includes it. To drop a block is to remove its row, in one transaction
// for all that are dropped, and then to punch its bytes out of the segment, so nothing is
// written again for it. Compaction (moving the rest of a segment elsewhere) is for file systems
// that cannot punch holes, and for bytes that nobody knows.
#ifndef STORE_VAULT_ROOM_H
#define STORE_VAULT_ROOM_H

#include "store/vault_state.h"

// Makes room for `incoming` bytes within the limit: what no holder needs goes first, then what
// was used longest ago, leaf before parent; never one of `blocks` nor what is above them. FULL.
MUST_CHECK enum status vault_room_make(struct vault *vault, uint64_t incoming,
                                       const struct tier_block *blocks, int32_t count,
                                       struct error *err);

// Removes the rows and frees their bytes. With `tell`, `dropped` hears of those of the format.
// `rows` is put in another order.
MUST_CHECK enum status vault_room_drop(struct vault *vault, struct vault_row *rows, size_t count,
                                       bool tell, struct error *err);

// Moves what lives of a segment into the tail and removes it. BUSY: another process writes to it.
MUST_CHECK enum status vault_room_compact(struct vault *vault, uint32_t segment, struct error *err);

// After a drop for good: where the bytes of these rows could not be punched, compacts. `rows` as
// vault_room_drop() left them.
MUST_CHECK enum status vault_room_tidy(struct vault *vault, const struct vault_row *rows,
                                       size_t count, struct error *err);

// Whether the row->bytes are the record of the row's block, whole and undamaged.
bool vault_row_fits(const struct vault_row *row, const uint8_t *bytes);

void vault_tell_dropped(const struct vault *vault, int64_t format, struct hash128 key);

#endif
