// app/shelf.h — sequences that were used and may be wanted again.
//
// What a person left (another conversation, the end of a rewound one, an answer that was
// replaced) stays in the KV cache while there is room, so going back needs no prefill. A
// wanted token log takes over, or forks, the sequence that shares the most cached tokens
// with its beginning; whose conversation that was does not matter, as KV depends on nothing
// but the tokens.
//
// Embedded by its owner; all sequences on it are idle. Memory: owned sequences.
#ifndef APP_SHELF_H
#define APP_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

enum { SHELF_MAX_SEQUENCES = 32 };

struct shelf {
    struct engine *engine;                      // borrowed
    struct sequence *kept[SHELF_MAX_SEQUENCES]; // longest ago first
    size_t count;
};

void shelf_deinit(struct shelf *shelf);

// Makes *current (NULL is fine) hold exactly ids[0..count): by appending to it where it is a
// prefix, else by putting it on the shelf and taking the best one, or a new one. On failure all is
// as it was: TOO_LONG, BAD_INPUT as sequence_append().
MUST_CHECK enum status shelf_place(struct shelf *shelf, const int32_t *ids, size_t count,
                                   struct sequence **current);

// Takes `sequence` (idle, or NULL) to be kept; the one kept longest may give way.
void shelf_keep(struct shelf *shelf, struct sequence *sequence);

// Frees the sequence used longest ago. False: there is none.
bool shelf_give_way(struct shelf *shelf);

#endif
