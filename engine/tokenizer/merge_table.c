#include "engine/tokenizer/merge_table.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

enum status merge_table_init(struct merge_table *table, size_t merges) {
    ASSERT(merges <= MERGE_TABLE_MAX);
    struct merge_table made = {.bits = 4};
    while (((size_t)1 << made.bits) < 2 * merges)
        made.bits++;
    const size_t slots = (size_t)1 << made.bits;
    made.slots = malloc(slots * sizeof made.slots[0]);
    if (!made.slots) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < slots; i++)
        made.slots[i] = (struct merge_slot){.rank = MERGER_NONE};
    *table = made;
    return STATUS_OK;
}

void merge_table_deinit(struct merge_table *table) {
    free(table->slots);
    *table = (struct merge_table){0};
}

void merge_table_add(struct merge_table *table, const struct vocabulary *vocabulary,
                     struct gguf_string left, struct gguf_string right, uint32_t rank) {
    char joined[VOCABULARY_MAX_TEXT_BYTES];
    ASSERT(table->slots && rank < MERGER_NONE);
    if (left.length > sizeof joined || right.length > sizeof joined - left.length) return;
    const int32_t left_id = vocabulary_find(vocabulary, left.bytes, left.length);
    const int32_t right_id = vocabulary_find(vocabulary, right.bytes, right.length);
    if (left_id == TOKEN_NONE || right_id == TOKEN_NONE) return;
    memcpy(joined, left.bytes, left.length);
    memcpy(joined + left.length, right.bytes, right.length);
    const int32_t id = vocabulary_find(vocabulary, joined, left.length + right.length);
    if (id == TOKEN_NONE) return;
    const struct merge_slot *found = merge_table_find(table, left_id, right_id);
    if (found->rank == MERGER_NONE)
        table->slots[found - table->slots] = (struct merge_slot){left_id, right_id, rank, id};
}

void merge_table_add_line(struct merge_table *table, const struct vocabulary *vocabulary,
                          struct gguf_string line, uint32_t rank) {
    const char *space = line.length ? memchr(line.bytes, ' ', line.length) : NULL;
    if (!space) return;
    const size_t left_bytes = (size_t)(space - line.bytes);
    merge_table_add(table, vocabulary, (struct gguf_string){line.bytes, left_bytes},
                    (struct gguf_string){space + 1, line.length - left_bytes - 1}, rank);
}
