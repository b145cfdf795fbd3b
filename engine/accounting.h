// engine/accounting.h — what is in the KV cache, and which saved conversation needs it?
//
// A saved conversation is identified by a number that the caller chooses; sequence_save() says what
// it needs: the path from the root to the last sealed block of a sequence. Blocks that no
// conversation needs are evicted from disk first. Threads: the UI's.
#ifndef ENGINE_ACCOUNTING_H
#define ENGINE_ACCOUNTING_H

#include "engine/kv/usage.h"

struct engine;

void engine_kv_usage(struct engine *engine, struct kv_usage *usage);

// Fills usage[count], one for each of conversations[count]; zeros for unknown ones. O(all paths).
void engine_conversation_usage(struct engine *engine, const uint64_t *conversations, size_t count,
                               struct conversation_usage *usage);

// The conversation no longer needs anything. Its blocks stay until space is short.
void engine_release(struct engine *engine, uint64_t conversation);

// The same, and deletes the blocks that only it needed and that no sequence uses, from all tiers.
// Returns how many bytes were deleted.
uint64_t engine_strip(struct engine *engine, uint64_t conversation);

#endif
