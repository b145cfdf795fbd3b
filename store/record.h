// store/record.h — the bytes of one block in a segment: header, payload, padding.
//
// Little-endian; nobody outside this room includes it.
//
//   offset  bytes
//        0      8  magic "QUIREKVB"
//        8      4  version, 1
//       12      4  count: tokens of the block
//       16     16  format id
//       32     16  key
//       48     16  parent key; zero at token 0
//       64      8  payload bytes
//       72      4  block size: tokens of a full block
//       76      4  zero
//       80     16  XXH3-128 of the payload
//       96     16  XXH3-128 of the header up to the payload, these 16 bytes taken as zero
//      112    128  name of the model, UTF-8, at least one zero after it
//      240 4 count  token ids
//        …         zeros up to the next multiple of 64; there the payload begins
//        …         zeros up to the next multiple of 4096; there the next record begins
//
// A record describes itself, so the index can be made anew from segments alone. Its padding is
// not verified. Hashes find damage, not malice: the folder is the user's own, and whatever a
// header says is checked against the limits below before it is used.
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/hash.h"

enum {
    RECORD_ALIGNMENT = 4096,
    RECORD_MAX_TOKENS = 1024, // of one block
    RECORD_MODEL_BYTES = 121, // the longest name and NUL
    RECORD_IDS_OFFSET = 240,
    RECORD_MAX_HEADER = 4352, // of RECORD_MAX_TOKENS
    RECORD_MAX_PAYLOAD = 1 << 30,
};

struct record {
    struct hash128 format, key, parent, payload_hash;
    size_t payload_bytes;
    int32_t block_size, count;
    char model[RECORD_MODEL_BYTES];
    int32_t ids[RECORD_MAX_TOKENS]; // [count]
};

size_t record_header_bytes(int32_t count);                  // where the payload begins
uint64_t record_bytes(int32_t count, size_t payload_bytes); // of all of it, padding counted

// Writes record_header_bytes(count); payload_hash is the caller's.
void record_encode(const struct record *record, uint8_t header[RECORD_MAX_HEADER]);

// From the first `length` bytes of what may be a record, record_header_bytes() of it or more.
// False when they are none, damaged, or beyond the limits.
bool record_decode(const uint8_t *bytes, size_t length, struct record *record);

struct hash128 record_hash(const void *payload, size_t length);

// Token ids as they are stored here and in the index.
void record_encode_ids(const int32_t *ids, int32_t count, uint8_t *bytes);
bool record_decode_ids(const uint8_t *bytes, int32_t count, int32_t *ids); // false: one below 0

#endif
