#include "engine/tokenizer/word_cache.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"

enum { SHORT_TEXT_BYTES = 256, BYTES_PER_ENTRY = 16, MAX_ENTRIES = 1 << 15 };

enum status word_cache_init(struct word_cache *cache, size_t text_bytes) {
    *cache = (struct word_cache){0};
    if (text_bytes < SHORT_TEXT_BYTES) return STATUS_OK;
    size_t entries = 16;
    while (entries < MAX_ENTRIES && entries * BYTES_PER_ENTRY < text_bytes)
        entries *= 2;
    cache->entries = calloc(entries, sizeof cache->entries[0]);
    if (!cache->entries) return STATUS_NO_MEMORY;
    cache->mask = entries - 1;
    return STATUS_OK;
}

void word_cache_deinit(struct word_cache *cache) {
    free(cache->entries);
    *cache = (struct word_cache){0};
}

struct word_cache_entry *word_cache_find(struct word_cache *cache, const char *bytes, size_t length,
                                         bool *known) {
    *known = false;
    if (!cache->entries) return NULL;
    struct word_cache_entry *entry =
        &cache->entries[hash_bytes(bytes, length, 0).low & cache->mask];
    *known = entry->length == length && memcmp(entry->bytes, bytes, length) == 0;
    return entry;
}
