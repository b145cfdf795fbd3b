#include "kernels/base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

#include "kernels/base/effort.h"

struct hash128 hash_bytes(const void *bytes, size_t length, uint64_t seed) {
    const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, length, seed);
    return (struct hash128){hash.high64, hash.low64};
}

struct hash128 hash_file(const void *bytes, size_t length) {
    enum { PART = 32 << 20 }; // some milliseconds, if it is in memory
    XXH3_state_t *state = length > PART ? XXH3_createState() : NULL;
    if (!state) return hash_bytes(bytes, length, 0);
    bool going = XXH3_128bits_reset(state) == XXH_OK;
    for (size_t at = 0; going && at < length; at += PART) {
        const size_t part = length - at < PART ? length - at : PART;
        going = XXH3_128bits_update(state, (const char *)bytes + at, part) == XXH_OK &&
                !effort_unwanted();
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    return (struct hash128){hash.high64, hash.low64};
}

const char *hash_hex(struct hash128 hash, char hex[HASH_HEX_BYTES]) {
    snprintf(hex, HASH_HEX_BYTES, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
    return hex;
}
