#include "engine/grammar/characters.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/assert.h"
#include "kernels/base/hash.h"
#include "kernels/base/text.h"

enum { SURROGATES = 0xD800, AFTER_SURROGATES = 0xE000, LAST = 0x10FFFF };

// Adds a range that has no surrogates; ranges that it overlaps or touches become one with it.
static bool insert_range(struct character_set *set, struct character_range range) {
    struct character_range *ranges = set->ranges;
    int32_t from = 0;
    if (range.first == 0) range.first = 1;
    if (range.first > range.last) return true;
    while (from < set->count && ranges[from].last + 1 < range.first)
        from++;
    int32_t to = from;
    while (to < set->count && ranges[to].first <= range.last + 1) {
        if (ranges[to].first < range.first) range.first = ranges[to].first;
        if (ranges[to].last > range.last) range.last = ranges[to].last;
        to++;
    }
    if (set->count - (to - from) == CHARACTER_SET_RANGES) return false;
    memmove(ranges + from + 1, ranges + to, (size_t)(set->count - to) * sizeof *ranges);
    ranges[from] = range;
    set->count += 1 - (to - from);
    return true;
}

bool character_set_add(struct character_set *set, uint32_t first, uint32_t last) {
    ASSERT(first <= last && last <= LAST);
    const bool below =
        first >= SURROGATES ||
        insert_range(set,
                     (struct character_range){first, last < SURROGATES ? last : SURROGATES - 1});
    return below &&
           (last < AFTER_SURROGATES ||
            insert_range(set, (struct character_range){
                                  first > AFTER_SURROGATES ? first : AFTER_SURROGATES, last}));
}

void character_set_negate(struct character_set *set) {
    const struct character_set positive = *set;
    uint32_t next = 1;
    set->count = 0;
    for (int32_t i = 0; i <= positive.count; i++) {
        const uint32_t end = i < positive.count ? positive.ranges[i].first : LAST + 1;
        // A set that is full has its gaps, which are one more than its ranges, only at both ends.
        if (next < end && !character_set_add(set, next, end - 1)) return;
        if (i < positive.count) next = positive.ranges[i].last + 1;
    }
}

void character_classes_deinit(struct character_classes *classes) {
    for (int32_t i = 0; i < classes->count; i++)
        free(classes->items[i].ranges);
    free(classes->items);
    *classes = (struct character_classes){0};
}

// ---- UTF-8

struct utf8 {
    unsigned char bytes[UTF8_MAX_BYTES];
    int length;
};

static struct utf8 utf8_of(uint32_t character) {
    struct utf8 utf8;
    utf8.length = (int)utf8_encode(character, (char *)utf8.bytes);
    return utf8;
}

// Where each byte lies between those of `first` and `last`, which are equally long.
static int32_t build_bytes(struct network *network, struct utf8 first, struct utf8 last) {
    int32_t next = 0;
    ASSERT(first.length == last.length && first.length > 0);
    for (int at = first.length - 1; at >= 0; at--) {
        struct byte_set set = {{0}};
        for (int byte = first.bytes[at]; byte <= last.bytes[at]; byte++)
            byte_set_add(&set, (unsigned char)byte);
        next = network_node(network, NODE_BYTES, next, network_set(network, &set));
    }
    return next;
}

// The last character up to `last` so that first … end is a product of ranges of bytes: wherever a
// byte takes several values, those behind it take all of theirs.
static uint32_t product_end(uint32_t first, uint32_t last) {
    static const uint32_t LONGEST[] = {0x7F, 0x7FF, 0xFFFF, LAST};
    int length = 0;
    ASSERT(first <= last && last <= LAST);
    while (first > LONGEST[length])
        length++;
    uint32_t end = last < LONGEST[length] ? last : LONGEST[length];
    for (int bits = 6; bits <= 18; bits += 6) {
        const uint32_t low = ((uint32_t)1 << bits) - 1;
        if ((first & ~low) == (end & ~low)) break;
        if (first & low) return first | low;
        if ((end & low) != low) end = (end & ~low) - 1;
    }
    return end;
}

static int32_t build_others(struct network *network, const struct character_set *set) {
    int32_t start = NETWORK_NONE;
    for (int32_t i = 0; i < set->count; i++) {
        uint32_t first = set->ranges[i].first > 0x80 ? set->ranges[i].first : 0x80;
        while (first <= set->ranges[i].last) {
            const uint32_t last = product_end(first, set->ranges[i].last);
            const int32_t way = build_bytes(network, utf8_of(first), utf8_of(last));
            ASSERT(last >= first);
            start = start < 0 ? way : network_node(network, NODE_SPLIT, start, way);
            first = last + 1;
        }
    }
    return start;
}

// Fills in the class's ASCII part and its rule.
static void define(struct character_class *class, struct network *network,
                   const struct character_set *set) {
    struct byte_set ascii = {{0}};
    bool any = false;
    for (int32_t i = 0; i < set->count; i++)
        for (uint32_t c = set->ranges[i].first; c <= set->ranges[i].last && c < 0x80; c++) {
            byte_set_add(&ascii, (unsigned char)c);
            any = true;
        }
    const bool others = set->count > 0 && set->ranges[set->count - 1].last >= 0x80;
    class->set = any || !others ? network_set(network, &ascii) : NETWORK_NONE;
    class->rule = others ? network_rule(network) : NETWORK_NONE;
    if (!others || network->status != STATUS_OK) return;
    const int32_t start = build_others(network, set);
    network->rules[class->rule].start = start;
}

enum status character_classes_find(struct character_classes *classes, struct network *network,
                                   const struct character_set *set, int32_t *number) {
    const size_t bytes = (size_t)set->count * sizeof set->ranges[0];
    const uint64_t hash = hash_bytes(set->ranges, bytes, 0).low;
    for (int32_t i = 0; i < classes->count; i++) {
        const struct character_class *class = &classes->items[i];
        if (class->hash != hash || class->count != set->count) continue;
        if (bytes > 0 && memcmp(class->ranges, set->ranges, bytes) != 0) continue;
        *number = i;
        return STATUS_OK;
    }
    if (classes->count == CHARACTER_CLASSES_MAX) return STATUS_TOO_LONG;
    if (!array_reserve(&classes->items, (size_t)classes->count, &classes->capacity,
                       sizeof classes->items[0]))
        return STATUS_NO_MEMORY;
    struct character_class class = {.hash = hash, .count = set->count, .ranges = malloc(bytes + 1)};
    if (!class.ranges) return STATUS_NO_MEMORY;
    if (bytes > 0) memcpy(class.ranges, set->ranges, bytes);
    define(&class, network, set);
    *number = classes->count;
    classes->items[classes->count++] = class;
    return network->status;
}

int32_t character_classes_node(const struct character_classes *classes, struct network *network,
                               int32_t number, int32_t next) {
    ASSERT(number >= 0 && number < classes->count);
    const struct character_class *class = &classes->items[number];
    int32_t ascii = NETWORK_NONE, others = NETWORK_NONE;
    if (class->set >= 0) ascii = network_node(network, NODE_BYTES, next, class->set);
    if (class->rule >= 0) others = network_node(network, NODE_CALL, next, class->rule);
    if (ascii >= 0 && others >= 0) return network_node(network, NODE_SPLIT, ascii, others);
    return ascii >= 0 ? ascii : others;
}
