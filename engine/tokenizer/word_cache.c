#include "engine/tokenizer/word_cache.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

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

static uint64_t load_bytes(const char *bytes, size_t length) {
    uint64_t value = 0;
    memcpy(&value, bytes, length);
    return value;
}

// Of words of a few bytes; the multiplier is 2^64 over the golden ratio (Knuth, section 6.4).
static size_t hash_word(const char *bytes, size_t length) {
    enum { STEP = sizeof(uint64_t) };
    uint64_t hash = length;
    for (; length > STEP; bytes += STEP, length -= STEP) {
        hash = (hash ^ load_bytes(bytes, STEP)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    hash = (hash ^ load_bytes(bytes, length)) * 0x9E3779B97F4A7C15u;
    return (size_t)(hash >> 32);
}

struct word_cache_entry *word_cache_find(struct word_cache *cache, const char *bytes, size_t length,
                                         bool *known) {
    *known = false;
    if (!cache->entries) return NULL;
    ASSERT(length > 0 && length <= WORD_CACHE_MAX_WORD_BYTES);
    struct word_cache_entry *entry = &cache->entries[hash_word(bytes, length) & cache->mask];
    *known = entry->length == length && memcmp(entry->bytes, bytes, length) == 0;
    return entry;
}

void word_cache_write(struct word_cache_entry *entry, const char *bytes, size_t length,
                      struct word_cache_ids ids) {
    ASSERT(length > 0 && length <= WORD_CACHE_MAX_WORD_BYTES);
    entry->ids = ids;
    entry->length = (uint32_t)length;
    memcpy(entry->bytes, bytes, length);
}
