// prompts/jinja/arena.h — memory that is allocated piece by piece and freed at once.
//
// A template's tree lives in one arena, each rendering in another. An arena never holds more than
// its limit, so the most memory that a template can use is known before it runs.
//
// Memory: blocks of ARENA_BLOCK_BYTES, or larger for a larger piece. Threads: its owner's.
#ifndef PROMPTS_JINJA_ARENA_H
#define PROMPTS_JINJA_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; // the newest first
    size_t limit_bytes, used_bytes;
};

enum { ARENA_BLOCK_BYTES = 16 << 10 };

void arena_init(struct arena *arena, size_t limit_bytes);
void arena_deinit(struct arena *arena); // frees everything

// count * size bytes, which may be 0, zeroed and aligned for any type. NULL: past the limit, or no
// memory.
void *arena_alloc(struct arena *arena, size_t count, size_t size);
// As array_reserve() in kernels/base/array.h. When the array moves, its old memory stays in the
// arena.
bool arena_reserve(struct arena *arena, void *items, size_t count, size_t *capacity,
                   size_t item_bytes);
// Like arena_alloc(), but not zeroed: for bytes that the caller overwrites.
char *arena_alloc_bytes(struct arena *arena, size_t bytes);

#endif
