// tests/engine/tokenizer/test_prefix_index.c — which texts begin here, against a look at each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/prefix_index.h"
#include "tests/check.h"

enum { TEXTS = 200, MOST_BYTES = 6, LETTERS = 3 };

// Texts lie side by side: a byte read past one's end is the next one's.
static size_t make_texts(unsigned *seed, char *room, struct prefix_entry *entries) {
    const size_t count = (size_t)rand_r(seed) % TEXTS;
    for (size_t i = 0; i < count; i++) {
        const size_t length = 1 + (size_t)rand_r(seed) % MOST_BYTES;
        for (size_t b = 0; b < length; b++)
            room[b] = (char)(0xF0 * (rand_r(seed) % 2) + rand_r(seed) % LETTERS);
        entries[i] = (struct prefix_entry){room, length, (int32_t)(rand_r(seed) % 1000)};
        room += length;
    }
    return count;
}

// The entry of this length, the lowest id of equal ones; NULL: none.
static const struct prefix_entry *plain_find(const struct prefix_entry *entries, size_t count,
                                             const char *bytes, size_t length) {
    const struct prefix_entry *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (entries[i].length == length && memcmp(entries[i].bytes, bytes, length) == 0 &&
            (!found || entries[i].id < found->id))
            found = &entries[i];
    return found;
}

static void check_text(const struct prefix_index *index, const struct prefix_entry *entries,
                       size_t count, const char *bytes, size_t length) {
    const struct prefix_entry *longest = NULL;
    struct prefix_walk walk = {0};
    for (size_t prefix = 1; prefix <= length; prefix++) {
        const struct prefix_entry *expected = plain_find(entries, count, bytes, prefix);
        if (!expected) continue;
        const struct prefix_entry *next = prefix_index_next(index, &walk, bytes, length);
        assert_non_null(next);
        assert_int_equal(next->id, expected->id);
        assert_int_equal(next->length, prefix);
        longest = next;
    }
    assert_null(prefix_index_next(index, &walk, bytes, length));
    assert_null(prefix_index_next(index, &walk, bytes, length));
    assert_ptr_equal(prefix_index_longest(index, bytes, length), longest);
    assert_true(!longest || prefix_index_begins(index, bytes[0]));
}

static void walks_agree_with_a_linear_search(void **state) {
    (void)state;
    unsigned seed = 3;
    printf("seed %u\n", seed);
    for (int round = 0; round < 200; round++) {
        char room[TEXTS * MOST_BYTES];
        struct prefix_entry entries[TEXTS];
        const size_t count = make_texts(&seed, room, entries);
        struct prefix_entry *moved = malloc((count + 1) * sizeof moved[0]);
        assert_non_null(moved);
        memcpy(moved, entries, count * sizeof moved[0]);
        struct prefix_index index;
        prefix_index_build(&index, moved, count);
        for (int t = 0; t < 100; t++) {
            char text[2 * MOST_BYTES];
            const size_t length = 1 + (size_t)rand_r(&seed) % sizeof text;
            for (size_t b = 0; b < length; b++)
                text[b] = (char)(0xF0 * (rand_r(&seed) % 2) + rand_r(&seed) % LETTERS);
            check_text(&index, entries, count, text, length);
        }
        prefix_index_deinit(&index);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_agree_with_a_linear_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
