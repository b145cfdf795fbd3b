// prompts/jinja/arena.h — memory that is taken piece by piece and given back at once.
//
// A template's tree lives in one arena, each rendering in another. An arena never holds more
// than its limit, so that what a template can take is known before it runs.
//
// Memory: blocks of ARENA_BLOCK_BYTES, larger ones where a piece is larger. Threads: its owner's.
#ifndef PROMPTS_JINJA_ARENA_H
#define PROMPTS_JINJA_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; // the newest first
    size_t limit_bytes, used_bytes;
};

enum { ARENA_BLOCK_BYTES = 16 << 10 };

void arena_init(struct arena *arena, size_t limit_bytes);
void arena_deinit(struct arena *arena); // gives back all that came from it

// Zeroed, aligned for anything; count * size bytes, which may be 0. NULL: past the limit, or no
// memory.
void *arena_alloc(struct arena *arena, size_t count, size_t size);
// The same for bytes that are written at once: not zeroed.
char *arena_alloc_bytes(struct arena *arena, size_t bytes);

#endif
