#include "kernels/base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

struct hash128 hash_bytes(const void *bytes, size_t length, uint64_t seed) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, length, seed);
    return (struct hash128){hash.high64, hash.low64};
}

const char *hash_hex(struct hash128 hash, char hex[HASH_HEX_BYTES]) {
    snprintf(hex, HASH_HEX_BYTES, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
    return hex;
}
