#include "prompts/jinja/arena.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"

struct arena_block {
    struct arena_block *next;
    size_t used, capacity;
    _Alignas(max_align_t) unsigned char bytes[];
};

void arena_init(struct arena *arena, size_t limit_bytes) {
    *arena = (struct arena){.limit_bytes = limit_bytes};
}

void arena_deinit(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
    arena->used_bytes = 0;
}

static struct arena_block *add_block(struct arena *arena, size_t wanted) {
    const size_t capacity = wanted > ARENA_BLOCK_BYTES ? wanted : ARENA_BLOCK_BYTES;
    ASSERT(arena->used_bytes <= arena->limit_bytes);
    if (capacity > arena->limit_bytes - arena->used_bytes) return NULL;
    struct arena_block *block = malloc(sizeof *block + capacity);
    if (!block) return NULL;
    *block = (struct arena_block){.next = arena->blocks, .capacity = capacity};
    arena->used_bytes += capacity;
    arena->blocks = block;
    return block;
}

static void *alloc(struct arena *arena, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    const size_t wanted = size_round_up(bytes, _Alignof(max_align_t));
    struct arena_block *block = arena->blocks;
    if (!block || block->capacity - block->used < wanted) block = add_block(arena, wanted);
    if (!block) return NULL;
    void *piece = block->bytes + block->used;
    block->used += wanted;
    ASSERT(block->used <= block->capacity);
    return piece;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (!size_mul(count, size, &bytes)) return NULL;
    void *piece = alloc(arena, bytes);
    return piece ? memset(piece, 0, bytes) : NULL;
}

char *arena_alloc_bytes(struct arena *arena, size_t bytes) { return alloc(arena, bytes); }

bool arena_reserve(struct arena *arena, void *items, size_t count, size_t *capacity,
                   size_t item_bytes) {
    enum { FIRST_CAPACITY = 4 };
    void *old;
    ASSERT(count <= *capacity);
    if (count < *capacity) return true;
    const size_t wanted = *capacity ? *capacity * 2 : FIRST_CAPACITY;
    void *larger = arena_alloc(arena, wanted, item_bytes);
    if (!larger) return false;
    memcpy(&old, items, sizeof old); // a pointer of any type
    if (count > 0) memcpy(larger, old, count * item_bytes);
    memcpy(items, &larger, sizeof larger);
    *capacity = wanted;
    return true;
}
