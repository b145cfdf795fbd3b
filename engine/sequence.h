// engine/sequence.h — a token log, and the KV of its beginning.
//
// States, invariants and threads: engine.h.
#ifndef ENGINE_SEQUENCE_H
#define ENGINE_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct engine;
struct sequence;

MUST_CHECK enum status sequence_create(struct engine *engine, struct sequence **sequence);
void sequence_destroy(struct sequence *sequence); // NULL is fine; not while RUNNING

// A second sequence with the same tokens. Copies the block table, no KV: the shared last block
// is copied by whichever of the two writes first. Takes no block, so it cannot be FULL.
// The sequence may be RUNNING.
MUST_CHECK enum status sequence_fork(struct sequence *sequence, struct sequence **fork);

// Adds tokens to the log; nothing is computed yet. TOO_LONG, and nothing added, when the log
// would not leave room for one more token in the context. BAD_INPUT: an id out of range.
MUST_CHECK enum status sequence_append(struct sequence *sequence, const int32_t *ids, size_t count);
void sequence_truncate(struct sequence *sequence, int32_t length); // keeps [0, length)

// The holder's path now ends with this sequence's last sealed block.
void sequence_save(struct sequence *sequence, uint64_t holder);

// The first `length` tokens are a head (system prompt, few-shot turns) that many conversations
// begin with: their blocks leave the device after all others that nobody holds.
void sequence_pin_head(struct sequence *sequence, int32_t length);

struct restore_report {
    int32_t length;                                  // of the log
    int32_t device_tokens, host_tokens, disk_tokens; // found there, and in the cache now
    int32_t left_tokens;                             // found in a tier, but faster computed again
    int64_t restore_us;                              // that it took
    int64_t prefill_us;                              // that computing them would have taken
    int64_t left_restore_us;                         // that reading left_tokens would have taken
    bool done;                                       // false: still under way
};

// Looks for the log's beginning in every tier and brings it to the device, before a request
// needs it. Waits up to timeout_ms for it (0: only begins); what is not done by then goes on by
// itself, or with the next request. The sequence is IDLE. *report says how it stands.
void sequence_restore(struct sequence *sequence, int timeout_ms, struct restore_report *report);

int32_t sequence_length(const struct sequence *sequence);        // tokens in the log
int32_t sequence_cached(const struct sequence *sequence);        // whose KV is in the cache
int32_t sequence_blocks(const struct sequence *sequence);        // in its table, shared ones too
const int32_t *sequence_tokens(const struct sequence *sequence); // [length], until it changes

#endif
