// engine/core/sequence.h — sequences: token logs whose first tokens have cached KV.
//
// States, invariants and threads: engine.h.
#ifndef ENGINE_CORE_SEQUENCE_H
#define ENGINE_CORE_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct engine;
struct sequence;

MUST_CHECK enum status sequence_create(struct engine *engine, struct sequence **sequence);
void sequence_destroy(struct sequence *sequence); // NULL is fine; not while RUNNING

// Creates a second sequence with the same tokens. Copies the block table but no KV: a shared last
// block is copied by whichever of the two writes first. Allocates no block, so it cannot be FULL.
// The sequence may be RUNNING.
MUST_CHECK enum status sequence_fork(struct sequence *sequence, struct sequence **fork);

// Appends tokens to the log; nothing is computed yet. TOO_LONG, with nothing appended, if the log
// would not leave room in the context for one more token. BAD_INPUT: an id out of range.
MUST_CHECK enum status sequence_append(struct sequence *sequence, const int32_t *ids, size_t count);
void sequence_truncate(struct sequence *sequence, int32_t length); // keeps [0, length)

// The saved conversation (accounting.h) now needs the path to this sequence's last sealed block.
void sequence_save(struct sequence *sequence, uint64_t conversation);

// Pins a shared prefix of `length` tokens (system prompt, few-shot turns): once unused, its blocks
// are evicted from the device after all other unused ones.
void sequence_pin_prefix(struct sequence *sequence, int32_t length);

int32_t sequence_length(const struct sequence *sequence); // tokens in the log
int32_t sequence_cached(const struct sequence *sequence); // of these, how many have cached KV
int32_t sequence_blocks(const struct sequence *sequence); // in its table, including shared ones
const int32_t *sequence_tokens(const struct sequence *sequence); // [length], until it changes

#endif
