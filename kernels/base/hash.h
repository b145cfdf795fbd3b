// kernels/base/hash.h — 128-bit content hashes (XXH3, xxHash 0.8; not cryptographic).
//
// Names what files and blocks contain. Wherever a collision could hurt a person, the
// contents are compared as well.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash128 {
    uint64_t high, low;
};

enum { HASH_HEX_BYTES = 33 };

struct hash128 hash_bytes(const void *bytes, size_t length, uint64_t seed);

// hash_bytes() of a large file, with seed 0. If the user interrupts (effort.h) it ends early with
// the hash of something else, so who lets them asks effort_unwanted() afterwards.
struct hash128 hash_file(const void *bytes, size_t length);

const char *hash_hex(struct hash128 hash, char hex[HASH_HEX_BYTES]); // returns `hex`
static inline bool hash_equal(struct hash128 a, struct hash128 b) {
    return a.high == b.high && a.low == b.low;
}

#endif
