// tests/engine/kv/test_prefix.c — prefix.h rule by rule, then at random against a list of paths.
#include "engine/kv/prefix.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <string.h>

enum { SIZE = 4, CAPACITY = 48 };

static const struct hash128 FORMAT = {3, 4};

static uint32_t seed = 20261121;

static uint32_t dice(uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % sides;
}

static struct prefix *new_prefix(uint32_t capacity) {
    struct prefix *prefix;
    assert_int_equal(prefix_create(capacity, SIZE, FORMAT, &prefix), STATUS_OK);
    return prefix;
}

// A new node with a place to be.
static struct node_index insert(struct prefix *prefix, struct node_index parent, const int32_t *ids,
                                int32_t count) {
    struct node_index node;
    assert_int_equal(prefix_insert(prefix, parent, ids, count, &node), STATUS_OK);
    prefix_node(prefix, node)->block = (struct block_index){0};
    prefix_check(prefix);
    return node;
}

static void lose(struct prefix *prefix, struct node_index node) {
    prefix_node(prefix, node)->block = BLOCK_NONE;
    prefix_prune(prefix, node);
    prefix_check(prefix);
}

static void a_child_is_found_by_its_parent_and_exact_tokens(void **state) {
    (void)state;
    struct prefix *prefix = new_prefix(8);
    const int32_t a[SIZE] = {1, 2, 3, 4}, b[SIZE] = {1, 2, 3, 5};
    struct node_index found = {77};
    const struct node_index first = insert(prefix, NODE_NONE, a, SIZE);
    const struct node_index second = insert(prefix, first, a, SIZE);
    const struct node_index tail = insert(prefix, first, a, 3);
    assert_true(prefix_find(prefix, NODE_NONE, a, SIZE, &found) && node_equal(found, first));
    assert_true(prefix_find(prefix, first, a, SIZE, &found) && node_equal(found, second));
    assert_true(prefix_find(prefix, first, a, 3, &found) && node_equal(found, tail));
    found = (struct node_index){77};
    assert_false(prefix_find(prefix, NODE_NONE, b, SIZE, &found));
    assert_false(prefix_find(prefix, NODE_NONE, a, 3, &found));
    assert_false(prefix_find(prefix, second, a, SIZE, &found));
    assert_int_equal(found.number, 77);
    assert_int_equal(prefix_insert(prefix, first, a, SIZE, &found), STATUS_FULL); // twice
    assert_int_equal(prefix_count(prefix), 3);
    assert_true(prefix_find_key(prefix, prefix_key(prefix, first, a, 3), &found));
    assert_true(node_equal(found, tail));
    assert_memory_equal(prefix_ids(prefix, tail), a, 3 * sizeof a[0]);
    prefix_destroy(prefix);
}

static void keys_differ_by_format_parent_and_length(void **state) {
    (void)state;
    struct prefix *prefix = new_prefix(8), *other;
    const int32_t a[SIZE] = {1, 2, 3, 4};
    assert_int_equal(prefix_create(8, SIZE, (struct hash128){3, 5}, &other), STATUS_OK);
    const struct node_index first = insert(prefix, NODE_NONE, a, SIZE);
    const struct hash128 key = prefix_key(prefix, NODE_NONE, a, SIZE);
    assert_false(hash_equal(key, prefix_key(other, NODE_NONE, a, SIZE)));
    assert_false(hash_equal(key, prefix_key(prefix, first, a, SIZE)));
    assert_false(hash_equal(key, prefix_key(prefix, NODE_NONE, a, 3)));
    prefix_destroy(prefix);
    prefix_destroy(other);
}

// As if two different blocks had one hash: what the node has is not what is asked for.
static void a_hash_collision_is_a_counted_miss(void **state) {
    (void)state;
    struct prefix *prefix = new_prefix(8);
    const int32_t a[SIZE] = {1, 2, 3, 4};
    struct node_index found = {77};
    const struct node_index node = insert(prefix, NODE_NONE, a, SIZE);
    int32_t *ids = (int32_t *)(uintptr_t)prefix_ids(prefix, node);
    ids[2] = 9;
    assert_false(prefix_find(prefix, NODE_NONE, a, SIZE, &found));
    assert_int_equal(found.number, 77);
    assert_int_equal(prefix_collisions(prefix), 1);
    assert_int_equal(prefix_insert(prefix, NODE_NONE, a, SIZE, &found), STATUS_FULL);
    ids[2] = 3;
    prefix_node(prefix, node)->count = 3; // or of another length
    assert_false(prefix_find(prefix, NODE_NONE, a, SIZE, &found));
    prefix_node(prefix, node)->count = SIZE;
    prefix_node(prefix, node)->parent = (struct node_index){5}; // or after another block
    assert_false(prefix_find(prefix, NODE_NONE, a, SIZE, &found));
    prefix_node(prefix, node)->parent = NODE_NONE;
    assert_true(prefix_find(prefix, NODE_NONE, a, SIZE, &found));
    assert_int_equal(prefix_collisions(prefix), 3);
    prefix_destroy(prefix);
}

static void a_node_lives_until_its_last_child_is_gone(void **state) {
    (void)state;
    struct prefix *prefix = new_prefix(8);
    const int32_t a[SIZE] = {1, 2, 3, 4};
    const struct node_index first = insert(prefix, NODE_NONE, a, SIZE);
    const struct node_index second = insert(prefix, first, a, SIZE);
    const struct node_index third = insert(prefix, second, a, SIZE);
    lose(prefix, first);
    lose(prefix, second);
    assert_int_equal(prefix_count(prefix), 3); // for their child
    struct node *n = prefix_node(prefix, third);
    n->references = 1;
    lose(prefix, third);
    n->references = 0;
    n->transfers = 1;
    lose(prefix, third);
    n->transfers = 0;
    n->disk = NODE_ON_DISK;
    lose(prefix, third);
    n->disk = NODE_NOT_ON_DISK;
    n->slot = (struct block_index){5};
    lose(prefix, third);
    assert_int_equal(prefix_count(prefix), 3);
    n->slot = BLOCK_NONE;
    lose(prefix, third);
    assert_int_equal(prefix_count(prefix), 0);
    prefix_destroy(prefix);
}

static void the_nearest_child_shares_the_most_tokens(void **state) {
    (void)state;
    struct prefix *prefix = new_prefix(100);
    const int32_t a[SIZE] = {1, 2, 3, 4}, b[SIZE] = {1, 2, 9, 9}, c[SIZE] = {5, 5, 5, 5};
    const int32_t query[SIZE] = {1, 2, 3, 7}, none[SIZE] = {8, 1, 2, 3};
    struct node_index node = {77};
    int32_t common = 66;
    assert_false(prefix_find_nearest(prefix, NODE_NONE, query, SIZE, &node, &common));
    const struct node_index first = insert(prefix, NODE_NONE, a, SIZE);
    (void)insert(prefix, NODE_NONE, b, SIZE);
    (void)insert(prefix, NODE_NONE, c, SIZE);
    assert_false(prefix_find_nearest(prefix, NODE_NONE, none, SIZE, &node, &common));
    assert_int_equal(node.number, 77);
    assert_int_equal(common, 66);
    assert_true(prefix_find_nearest(prefix, NODE_NONE, query, SIZE, &node, &common));
    assert_true(node_equal(node, first));
    assert_int_equal(common, 3);
    assert_true(prefix_find_nearest(prefix, NODE_NONE, query, 1, &node, &common));
    assert_int_equal(common, 1);
    const struct node_index tail = insert(prefix, first, a, 2);
    assert_true(prefix_find_nearest(prefix, first, a, SIZE, &node, &common));
    assert_true(node_equal(node, tail));
    assert_int_equal(common, 2); // not past the node's own
    for (int32_t i = 0; i < PREFIX_MAX_CHILDREN; i++)
        (void)insert(prefix, NODE_NONE, (int32_t[SIZE]){100 + i, 0, 0, 0}, SIZE);
    assert_false(prefix_find_nearest(prefix, NODE_NONE, query, SIZE, &node, &common));
    prefix_destroy(prefix);
}

static void a_full_index_returns_full_and_recovers(void **state) {
    (void)state;
    for (uint32_t capacity = 1; capacity <= 5; capacity++) {
        struct prefix *prefix = new_prefix(capacity);
        struct node_index node = {77}, last = {0};
        for (uint32_t i = 0; i < capacity; i++)
            last = insert(prefix, NODE_NONE, (int32_t[SIZE]){(int32_t)i, 0, 0, 0}, SIZE);
        const int32_t one_more[SIZE] = {99, 0, 0, 0};
        assert_int_equal(prefix_insert(prefix, NODE_NONE, one_more, SIZE, &node), STATUS_FULL);
        assert_int_equal(node.number, 77);
        lose(prefix, last);
        assert_true(node_equal(insert(prefix, NODE_NONE, one_more, SIZE), last));
        prefix_destroy(prefix);
    }
}

// The model: whole paths, each with what its node should have.
struct path {
    bool used;
    int32_t ids[4 * SIZE], length;
    struct node_index node;
    bool there; // has a place to be
};

static struct path paths[CAPACITY];

static bool hangs_on(const struct path *child, const struct path *parent) {
    return child->used && parent->length % SIZE == 0 && child->length > parent->length &&
           child->length <= parent->length + SIZE &&
           memcmp(child->ids, parent->ids, (size_t)parent->length * sizeof child->ids[0]) == 0;
}

static struct path *find_path(const int32_t *ids, int32_t length) {
    for (int i = 0; i < CAPACITY; i++)
        if (paths[i].used && paths[i].length == length &&
            memcmp(paths[i].ids, ids, (size_t)length * sizeof ids[0]) == 0)
            return &paths[i];
    return NULL;
}

static void prune_paths(void) {
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < CAPACITY; i++) {
            bool needed = paths[i].there;
            for (int j = 0; j < CAPACITY; j++)
                needed |= hangs_on(&paths[j], &paths[i]);
            if (!paths[i].used || needed) continue;
            paths[i].used = false;
            again = true;
        }
    }
}

static void compare(struct prefix *prefix) {
    uint32_t used = 0;
    for (int i = 0; i < CAPACITY; i++) {
        const struct path *p = &paths[i];
        if (!p->used) continue;
        used++;
        const int32_t begin = (p->length - 1) / SIZE * SIZE;
        const struct path *parent = begin ? find_path(p->ids, begin) : NULL;
        struct node_index node;
        assert_true(prefix_find(prefix, parent ? parent->node : NODE_NONE, p->ids + begin,
                                p->length - begin, &node));
        assert_true(node_equal(node, p->node));
        assert_true(
            node_equal(prefix_node(prefix, node)->parent, parent ? parent->node : NODE_NONE));
    }
    assert_int_equal(prefix_count(prefix), used);
    prefix_check(prefix);
}

// A block or a tail at the end of a path that is there, or of nothing.
static void step_insert(struct prefix *prefix, uint64_t *fulls) {
    const struct path *parent = &paths[dice(CAPACITY)];
    int32_t ids[4 * SIZE];
    int32_t length = 0;
    if (parent->used && parent->length % SIZE == 0 && parent->length < 4 * SIZE)
        length = parent->length;
    else
        parent = NULL;
    if (parent) memcpy(ids, parent->ids, sizeof ids);
    const int32_t count = dice(3) ? SIZE : 1 + (int32_t)dice(SIZE);
    for (int32_t i = 0; i < count; i++)
        ids[length + i] = (int32_t)dice(2);
    struct path *known = find_path(ids, length + count), *fresh = NULL;
    struct node_index node = {0};
    int at = 0;
    const struct node_index above = parent ? parent->node : NODE_NONE;
    assert_int_equal(prefix_find(prefix, above, ids + length, count, &node), known != NULL);
    while (at < CAPACITY && paths[at].used)
        at++;
    if (at < CAPACITY) fresh = &paths[at];
    const enum status status = prefix_insert(prefix, above, ids + length, count, &node);
    assert_int_equal(status, known || !fresh ? STATUS_FULL : STATUS_OK);
    *fulls += !fresh;
    if (status != STATUS_OK) return;
    prefix_node(prefix, node)->block = (struct block_index){1};
    *fresh = (struct path){.used = true, .length = length + count, .node = node, .there = true};
    memcpy(fresh->ids, ids, sizeof ids);
}

static void a_random_walk_agrees_with_a_naive_index(void **state) {
    (void)state;
    struct prefix *prefix = new_prefix(CAPACITY);
    uint64_t fulls = 0, pruned = 0;
    printf("seed %u\n", seed);
    for (int i = 0; i < 40000; i++) {
        struct path *p = &paths[dice(CAPACITY)];
        const uint32_t before = prefix_count(prefix);
        if (dice(16) < (i / 2000 % 2 ? 9 : 5)) {
            step_insert(prefix, &fulls);
        } else if (p->used) {
            p->there = !p->there || dice(2);
            prefix_node(prefix, p->node)->block = p->there ? (struct block_index){1} : BLOCK_NONE;
            prefix_prune(prefix, p->node);
            prune_paths();
            pruned += prefix_count(prefix) + 1 < before;
        }
        compare(prefix);
    }
    assert_true(fulls > 100 && pruned > 100);
    assert_int_equal(prefix_collisions(prefix), 0);
    prefix_destroy(prefix);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_is_found_by_its_parent_and_exact_tokens),
        cmocka_unit_test(keys_differ_by_format_parent_and_length),
        cmocka_unit_test(a_hash_collision_is_a_counted_miss),
        cmocka_unit_test(a_node_lives_until_its_last_child_is_gone),
        cmocka_unit_test(the_nearest_child_shares_the_most_tokens),
        cmocka_unit_test(a_full_index_returns_full_and_recovers),
        cmocka_unit_test(a_random_walk_agrees_with_a_naive_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
