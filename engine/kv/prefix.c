// engine/kv/prefix.c — a tree of blocks, descended by one hash look-up per block.
//
// The key of a node is hash(format, parent's key, token ids), so it stands for all tokens up to its
// end. Finding a log of n blocks takes n look-ups, each of which compares one block's tokens: the
// prefix is not compared again, because the parent that led here was compared the same way.
//
//   prefix_find(NONE, ids)       key = H(format, 0, ids[0 … 15])         → A, and A.parent == NONE
//   prefix_find(A, ids + 16)     key = H(format, A.key, ids[16 … 31])    → B, and B.parent == A
//
// The lists of children exist for two other questions: which child shares most of a partial block
// (prefix_find_nearest), and whether a node is still needed for what hangs on it (prefix_prune).
//
// The whole is one mapping with MAP_NORESERVE at full capacity and never initialised: pages nobody
// has touched read as zero, which here means "empty" (a bucket holds node + 1, a node's count is
// 0). So a large capacity costs address space, not memory or start-up time.
#include "engine/kv/prefix.h"

#include <string.h>
#include <sys/mman.h>

#include "kernels/base/assert.h"

enum { MAX_BLOCK_SIZE = 32 };

struct prefix {
    size_t bytes; // of the mapping, with all that follows
    uint32_t capacity, used;
    uint32_t untouched; // nodes from here on were never used: their pages are not committed
    struct node_index first_free; // a free node's `next` is the next free one
    struct node_index first_root; // child of NODE_NONE
    uint32_t bucket_mask;
    int32_t block_size;
    struct hash128 format;
    uint64_t collisions;
    int32_t *ids;        // [capacity, block_size], as the next behind the nodes
    uint32_t *buckets;   // [bucket_mask + 1] node + 1; 0: empty, as fresh pages are
    struct node nodes[]; // [capacity]
};

enum status prefix_create(uint32_t capacity, int32_t block_size, struct hash128 format,
                          struct prefix **result) {
    ASSERT(capacity > 0 && capacity < UINT32_MAX / 2);
    ASSERT(block_size > 0 && block_size <= MAX_BLOCK_SIZE);
    uint32_t buckets = 1;
    while (buckets < capacity)
        buckets *= 2;
    const size_t all_ids = (size_t)capacity * (size_t)block_size;
    const size_t bytes = sizeof(struct prefix) + (size_t)capacity * sizeof(struct node) +
                         all_ids * sizeof(int32_t) + (size_t)buckets * sizeof(uint32_t);
    struct prefix *prefix = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (prefix == MAP_FAILED) return STATUS_NO_MEMORY;
    *prefix = (struct prefix){
        .bytes = bytes,
        .capacity = capacity,
        .first_free = NODE_NONE,
        .first_root = NODE_NONE,
        .bucket_mask = buckets - 1,
        .block_size = block_size,
        .format = format,
    };
    prefix->ids = (int32_t *)(prefix->nodes + capacity);
    prefix->buckets = (uint32_t *)(prefix->ids + all_ids);
    *result = prefix;
    return STATUS_OK;
}

void prefix_destroy(struct prefix *prefix) {
    if (!prefix) return;
    MUST(munmap(prefix, prefix->bytes) == 0);
}

struct node *prefix_node(struct prefix *prefix, struct node_index node) {
    ASSERT(node.number < prefix->untouched && prefix->nodes[node.number].count > 0);
    return &prefix->nodes[node.number];
}

const int32_t *prefix_ids(const struct prefix *prefix, struct node_index node) {
    return prefix->ids + (size_t)node.number * (size_t)prefix->block_size;
}

uint32_t prefix_count(const struct prefix *prefix) { return prefix->used; }
uint64_t prefix_collisions(const struct prefix *prefix) { return prefix->collisions; }

struct hash128 prefix_key(const struct prefix *prefix, struct node_index parent, const int32_t *ids,
                          int32_t count) {
    struct {
        struct hash128 format, parent;
        int32_t ids[MAX_BLOCK_SIZE];
    } material;
    ASSERT(count > 0 && count <= prefix->block_size);
    material.format = prefix->format;
    material.parent = !node_valid(parent) ? (struct hash128){0} : prefix->nodes[parent.number].key;
    const size_t bytes = (size_t)count * sizeof ids[0];
    memcpy(material.ids, ids, bytes);
    return hash_bytes(&material, 2 * sizeof(struct hash128) + bytes, 0);
}

static uint32_t *bucket_of(const struct prefix *prefix, struct hash128 key) {
    return &prefix->buckets[key.low & prefix->bucket_mask];
}

bool prefix_find_key(const struct prefix *prefix, struct hash128 key, struct node_index *node) {
    for (uint32_t n = *bucket_of(prefix, key); n != 0; n = prefix->nodes[n - 1].hash_next)
        if (hash_equal(prefix->nodes[n - 1].key, key)) {
            *node = (struct node_index){n - 1};
            return true;
        }
    return false;
}

bool prefix_find(struct prefix *prefix, struct node_index parent, const int32_t *ids, int32_t count,
                 struct node_index *node) {
    struct node_index found;
    if (!prefix_find_key(prefix, prefix_key(prefix, parent, ids, count), &found)) return false;
    const struct node *n = &prefix->nodes[found.number];
    if (!node_equal(n->parent, parent) || n->count != count ||
        memcmp(prefix_ids(prefix, found), ids, (size_t)count * sizeof ids[0]) != 0) {
        prefix->collisions++;
        return false;
    }
    *node = found;
    return true;
}

static struct node_index *first_child(struct prefix *prefix, struct node_index parent) {
    return !node_valid(parent) ? &prefix->first_root : &prefix->nodes[parent.number].first_child;
}

bool prefix_find_nearest(struct prefix *prefix, struct node_index parent, const int32_t *ids,
                         int32_t count, struct node_index *node, int32_t *common) {
    int32_t best = 0;
    struct node_index child = *first_child(prefix, parent);
    for (int i = 0; i < PREFIX_MAX_CHILDREN && node_valid(child); i++) {
        const struct node *n = &prefix->nodes[child.number];
        const int32_t *have = prefix_ids(prefix, child);
        const int32_t most = n->count < count ? n->count : count;
        int32_t same = 0;
        while (same < most && have[same] == ids[same])
            same++;
        if (same > best) {
            best = same;
            *node = child;
        }
        child = n->next;
    }
    if (best > 0) *common = best;
    return best > 0;
}

static bool alloc_node(struct prefix *prefix, struct node_index *node) {
    if (node_valid(prefix->first_free)) {
        *node = prefix->first_free;
        prefix->first_free = prefix->nodes[node->number].next;
        return true;
    }
    if (prefix->untouched == prefix->capacity) return false;
    *node = (struct node_index){prefix->untouched++};
    return true;
}

// At `position` under the key.
static enum status insert(struct prefix *prefix, struct node_index parent, struct hash128 key,
                          int32_t position, const int32_t *ids, int32_t count,
                          struct node_index *node) {
    struct node_index index;
    if (prefix_find_key(prefix, key, &index)) return STATUS_FULL;
    if (!alloc_node(prefix, &index)) return STATUS_FULL;
    uint32_t *bucket = bucket_of(prefix, key);
    const struct node_index sibling = *first_child(prefix, parent);
    prefix->nodes[index.number] = (struct node){
        .key = key,
        .parent = parent,
        .first_child = NODE_NONE,
        .previous = NODE_NONE,
        .next = sibling,
        .hash_next = *bucket,
        .position = position,
        .count = count,
        .block = BLOCK_NONE,
        .slot = BLOCK_NONE,
        .list_previous = NODE_NONE,
        .list_next = NODE_NONE,
    };
    *bucket = index.number + 1;
    if (node_valid(sibling)) prefix->nodes[sibling.number].previous = index;
    *first_child(prefix, parent) = index;
    memcpy(prefix->ids + (size_t)index.number * (size_t)prefix->block_size, ids,
           (size_t)count * sizeof ids[0]);
    prefix->used++;
    *node = index;
    return STATUS_OK;
}

enum status prefix_insert(struct prefix *prefix, struct node_index parent, const int32_t *ids,
                          int32_t count, struct node_index *node) {
    const struct node *before = !node_valid(parent) ? NULL : &prefix->nodes[parent.number];
    ASSERT(!before || before->count == prefix->block_size);
    return insert(prefix, parent, prefix_key(prefix, parent, ids, count),
                  before ? before->position + before->count : 0, ids, count, node);
}

enum status prefix_insert_alone(struct prefix *prefix, struct hash128 key, int32_t position,
                                const int32_t *ids, int32_t count, struct node_index *node) {
    ASSERT(position >= 0 && count > 0 && count <= prefix->block_size);
    return insert(prefix, NODE_NONE, key, position, ids, count, node);
}

static bool is_needed(const struct node *n) {
    return block_valid(n->block) || block_valid(n->slot) || n->disk == NODE_ON_DISK ||
           node_valid(n->first_child) || n->references > 0 || n->transfers > 0;
}

static void free_node(struct prefix *prefix, struct node_index index) {
    struct node *n = &prefix->nodes[index.number];
    uint32_t *link = bucket_of(prefix, n->key);
    while (*link != index.number + 1)
        link = &prefix->nodes[*link - 1].hash_next;
    *link = n->hash_next;
    if (node_valid(n->previous))
        prefix->nodes[n->previous.number].next = n->next;
    else
        *first_child(prefix, n->parent) = n->next;
    if (node_valid(n->next)) prefix->nodes[n->next.number].previous = n->previous;
    *n = (struct node){.next = prefix->first_free};
    prefix->first_free = index;
    prefix->used--;
}

void prefix_prune(struct prefix *prefix, struct node_index node) {
    while (node_valid(node) && !is_needed(&prefix->nodes[node.number])) {
        const struct node *n = &prefix->nodes[node.number];
        ASSERT(n->count > 0);
        ASSERT(!node_valid(n->list_previous) && !node_valid(n->list_next) && !n->tail_listed);
        const struct node_index parent = n->parent;
        free_node(prefix, node);
        node = parent;
    }
}

static void check_node(const struct prefix *prefix, struct node_index index) {
    const struct node *n = &prefix->nodes[index.number];
    ASSERT(n->count <= prefix->block_size);
    ASSERT(is_needed(n) && n->mark == 0);
    struct node_index found;
    ASSERT(prefix_find_key(prefix, n->key, &found) && node_equal(found, index));
    if (node_valid(n->previous)) ASSERT(node_equal(prefix->nodes[n->previous.number].next, index));
    if (node_valid(n->next)) ASSERT(node_equal(prefix->nodes[n->next.number].previous, index));
    const struct node *parent = !node_valid(n->parent) ? NULL : &prefix->nodes[n->parent.number];
    if (parent) ASSERT(parent->count == prefix->block_size);
    if (parent) ASSERT(n->position == parent->position + parent->count);
    const struct node_index first = parent ? parent->first_child : prefix->first_root;
    if (!node_valid(n->previous)) ASSERT(node_equal(first, index));
    if (node_valid(n->next)) ASSERT(node_equal(prefix->nodes[n->next.number].parent, n->parent));
}

void prefix_check(const struct prefix *prefix) {
    uint32_t used = 0, free = 0, hashed = 0;
    for (uint32_t i = 0; i < prefix->untouched; i++) {
        if (prefix->nodes[i].count == 0) continue;
        used++;
        check_node(prefix, (struct node_index){i});
    }
    for (struct node_index i = prefix->first_free; node_valid(i);
         i = prefix->nodes[i.number].next) {
        ASSERT(prefix->nodes[i.number].count == 0);
        MUST(++free <= prefix->untouched); // else the list runs in a circle
    }
    for (uint32_t i = 0; i < prefix->untouched; i++) { // chains by their first: there are many
        const struct node *first = &prefix->nodes[i];  // more buckets than nodes in use
        if (first->count == 0 || *bucket_of(prefix, first->key) != i + 1) continue;
        for (uint32_t n = i + 1; n != 0; n = prefix->nodes[n - 1].hash_next)
            MUST(++hashed <= used);
    }
    ASSERT(used == prefix->used && hashed == used);
    ASSERT(used + free == prefix->untouched);
}
