// engine/grammar/characters.h — sets of characters, and their UTF-8 as nodes of a network.
//
// The ASCII characters of a set are one byte; the others are a rule of their own, which all places
// with that set share.
//
// Memory: {0} is empty; owned by the caller.
#ifndef ENGINE_CHARACTERS_H
#define ENGINE_CHARACTERS_H

#include "engine/grammar/network.h"

enum { CHARACTER_SET_RANGES = 256, CHARACTER_CLASSES_MAX = 2048 };

struct character_range {
    uint32_t first, last;
};

struct character_set { // sorted, neither overlapping nor touching: equal sets are equal bytes
    struct character_range ranges[CHARACTER_SET_RANGES];
    int32_t count;
};

// Leaves out U+0000 and surrogates. False: there are too many ranges.
bool character_set_add(struct character_set *set, uint32_t first, uint32_t last);
void character_set_negate(struct character_set *set);

struct character_class {
    uint64_t hash;
    int32_t set;                    // of its ASCII characters; NETWORK_NONE: none
    int32_t rule;                   // of the others; NETWORK_NONE: none
    struct character_range *ranges; // [count], owned
    int32_t count;
};

struct character_classes {
    struct character_class *items;
    int32_t count;
    size_t capacity;
};

void character_classes_deinit(struct character_classes *classes);

// The number of this class. NO_MEMORY; TOO_LONG: too many.
MUST_CHECK enum status character_classes_find(struct character_classes *classes,
                                              struct network *network,
                                              const struct character_set *set, int32_t *number);

// A node that reads one character of the class and continues at `next`.
int32_t character_classes_node(const struct character_classes *classes, struct network *network,
                               int32_t number, int32_t next);

#endif
