// tests/fuzz/mutate_gguf.c — another number in a GGUF file instead of other bytes: a count, a
// length, a type, a dimension, an offset or a value gets an extreme one, or that of another place.
// Source: the GGUF specification, as engine/model/gguf.h has it.
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed);

enum { FIELDS_MAX = 4096, TYPE_STRING = 8, TYPE_ARRAY = 9, TYPES = 13, DIMS_MAX = 8 };

struct walk {
    const uint8_t *bytes;
    size_t length, at;
    struct {
        size_t at, width;
    } fields[FIELDS_MAX];
    unsigned count;
};

// The number there; 0 past the end.
static uint64_t field(struct walk *walk, size_t width) {
    uint64_t value = 0;
    if (walk->length - walk->at < width) {
        walk->at = walk->length;
        return 0;
    }
    memcpy(&value, walk->bytes + walk->at, width);
    if (walk->count < FIELDS_MAX) {
        walk->fields[walk->count].at = walk->at;
        walk->fields[walk->count++].width = width;
    }
    walk->at += width;
    return value;
}

static void string(struct walk *walk) {
    const uint64_t length = field(walk, 8);
    walk->at += length < walk->length - walk->at ? length : walk->length - walk->at;
}

static void value(struct walk *walk, uint64_t type) {
    static const uint8_t widths[TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == TYPE_STRING)
        string(walk);
    else if (type < TYPES && type != TYPE_ARRAY)
        field(walk, widths[type]);
}

static void entry(struct walk *walk) {
    string(walk);
    uint64_t type = field(walk, 4), count = 1;
    if (type == TYPE_ARRAY) {
        type = field(walk, 4);
        count = field(walk, 8);
    }
    for (uint64_t i = 0; i < count && walk->at < walk->length && type < TYPES && type != TYPE_ARRAY;
         i++)
        value(walk, type);
}

static void tensor(struct walk *walk) {
    string(walk);
    const uint64_t dims = field(walk, 4);
    for (uint64_t i = 0; i < dims && i < DIMS_MAX; i++)
        field(walk, 8);
    field(walk, 4);
    field(walk, 8);
}

static void find_fields(struct walk *walk) {
    field(walk, 4);
    field(walk, 4);
    const uint64_t tensors = field(walk, 8), entries = field(walk, 8);
    for (uint64_t i = 0; i < entries && walk->at < walk->length; i++)
        entry(walk);
    for (uint64_t i = 0; i < tensors && walk->at < walk->length; i++)
        tensor(walk);
}

static unsigned draw_below(unsigned *random, unsigned below) {
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % below;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t most, unsigned seed) {
    static const uint64_t extremes[] = {0,          1,
                                        2,          3,
                                        7,          8,
                                        9,          12,
                                        31,         32,
                                        33,         64,
                                        255,        256,
                                        65535,      1u << 31,
                                        UINT32_MAX, 1ull << 40,
                                        1ull << 61, 1ull << 63,
                                        UINT64_MAX, UINT64_MAX - 31};
    static struct walk walk;
    unsigned random = seed;
    if (draw_below(&random, 3) == 0) return LLVMFuzzerMutate(bytes, length, most);
    walk = (struct walk){.bytes = bytes, .length = length};
    find_fields(&walk);
    if (walk.count == 0) return LLVMFuzzerMutate(bytes, length, most);
    const unsigned i = draw_below(&random, walk.count), j = draw_below(&random, walk.count);
    const size_t at = walk.fields[i].at, width = walk.fields[i].width;
    uint64_t number = 0;
    memcpy(&number, bytes + at, width);
    switch (draw_below(&random, 3)) {
    case 0:
        number += (uint64_t)draw_below(&random, 9) - 4;
        break;
    case 1:
        number = extremes[draw_below(&random, sizeof extremes / sizeof extremes[0])];
        break;
    default:
        memcpy(&number, bytes + walk.fields[j].at, walk.fields[j].width);
    }
    memcpy(bytes + at, &number, width);
    return length;
}
