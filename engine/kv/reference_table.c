#include "engine/kv/reference_table.h"

#include <stdlib.h>

#include "kernels/base/assert.h"

static uint32_t *bucket_of(const struct reference_table *table, uint64_t conversation) {
    const uint64_t hash = hash_bytes(&conversation, sizeof conversation, 0).low;
    return &table->buckets[hash & table->mask];
}

enum status reference_table_init(struct reference_table *table, uint32_t capacity) {
    ASSERT(capacity > 0 && capacity < UINT32_MAX / 2);
    uint32_t buckets = 1;
    while (buckets < capacity)
        buckets *= 2;
    *table = (struct reference_table){.capacity = capacity, .mask = buckets - 1};
    table->items = calloc(capacity, sizeof *table->items);
    table->buckets = calloc(buckets, sizeof *table->buckets);
    if (table->items && table->buckets) return STATUS_OK;
    reference_table_deinit(table);
    return STATUS_NO_MEMORY;
}

void reference_table_deinit(struct reference_table *table) {
    free(table->items);
    free(table->buckets);
    *table = (struct reference_table){0};
}

struct reference *reference_find(struct reference_table *table, uint64_t conversation) {
    for (uint32_t at = *bucket_of(table, conversation); at > 0; at = table->items[at - 1].next) {
        ASSERT(at <= table->count);
        table->compared++;
        if (table->items[at - 1].conversation == conversation) return &table->items[at - 1];
    }
    return NULL;
}

struct reference *reference_enter(struct reference_table *table, uint64_t conversation) {
    struct reference *reference = reference_find(table, conversation);
    if (reference || table->count == table->capacity) return reference;
    uint32_t *bucket = bucket_of(table, conversation);
    reference = &table->items[table->count++];
    *reference = (struct reference){conversation, NODE_NONE, *bucket, {0}};
    *bucket = table->count;
    return reference;
}

// Where the entry's number is kept: in its bucket, or in the entry before it.
static uint32_t *link_to(struct reference_table *table, uint32_t number) {
    uint32_t *link = bucket_of(table, table->items[number - 1].conversation);
    while (*link != number) {
        ASSERT(*link > 0);
        table->compared++;
        link = &table->items[*link - 1].next;
    }
    return link;
}

// The last entry takes its place.
void reference_remove(struct reference_table *table, struct reference *reference) {
    const uint32_t number = (uint32_t)(reference - table->items) + 1;
    ASSERT(number >= 1 && number <= table->count);
    *link_to(table, number) = reference->next;
    if (number < table->count) {
        *link_to(table, table->count) = number;
        *reference = table->items[table->count - 1];
    }
    table->count--;
}

void reference_table_check(const struct reference_table *table) {
    for (uint32_t number = 1; number <= table->count; number++) {
        const uint32_t *bucket = bucket_of(table, table->items[number - 1].conversation);
        uint32_t met = 0, length = 0;
        for (uint32_t at = *bucket; at > 0; at = table->items[at - 1].next) {
            ASSERT(at <= table->count && length < table->count);
            ASSERT(bucket_of(table, table->items[at - 1].conversation) == bucket);
            met += at == number;
            length++;
        }
        ASSERT(met == 1);
    }
}
