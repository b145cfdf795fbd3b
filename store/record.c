#include "store/record.h"

#include <assert.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/base/text.h"

static const char MAGIC[8] = "QUIREKVB";

enum {
    VERSION = 1,
    HEADER_ALIGNMENT = 64,
    AT_VERSION = 8,
    AT_COUNT = 12,
    AT_FORMAT = 16,
    AT_KEY = 32,
    AT_PARENT = 48,
    AT_PAYLOAD_BYTES = 64,
    AT_BLOCK_SIZE = 72,
    AT_PAYLOAD_HASH = 80,
    AT_HEADER_HASH = 96,
    HASH_BYTES = 16,
    AT_MODEL = 112,
};

static_assert(AT_MODEL + RECORD_MODEL_BYTES <= RECORD_IDS_OFFSET, "the name has its room");
static_assert(RECORD_MAX_HEADER >= RECORD_IDS_OFFSET + 4 * RECORD_MAX_TOKENS &&
                  RECORD_MAX_HEADER % HEADER_ALIGNMENT == 0,
              "the longest header has its room");

size_t record_header_bytes(int32_t count) {
    ASSERT(count >= 1 && count <= RECORD_MAX_TOKENS);
    return size_round_up(RECORD_IDS_OFFSET + 4 * (size_t)count, HEADER_ALIGNMENT);
}

uint64_t record_bytes(int32_t count, size_t payload_bytes) {
    return size_round_up(record_header_bytes(count) + payload_bytes, RECORD_ALIGNMENT);
}

struct hash128 record_hash(const void *payload, size_t length) {
    return hash_bytes(payload, length, 0);
}

static void put(uint8_t *bytes, uint64_t value, int width) {
    for (int i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *bytes, int width) {
    uint64_t value = 0;
    for (int i = 0; i < width; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static void put_hash(uint8_t *bytes, struct hash128 hash) {
    put(bytes, hash.low, 8);
    put(bytes + 8, hash.high, 8);
}

static struct hash128 get_hash(const uint8_t *bytes) {
    return (struct hash128){.low = get(bytes, 8), .high = get(bytes + 8, 8)};
}

void record_encode_ids(const int32_t *ids, int32_t count, uint8_t *bytes) {
    for (int32_t i = 0; i < count; i++)
        put(bytes + 4 * i, (uint32_t)ids[i], 4);
}

bool record_decode_ids(const uint8_t *bytes, int32_t count, int32_t *ids) {
    bool sound = true;
    for (int32_t i = 0; i < count; i++) {
        ids[i] = (int32_t)get(bytes + 4 * i, 4);
        sound &= ids[i] >= 0;
    }
    return sound;
}

void record_encode(const struct record *record, uint8_t header[RECORD_MAX_HEADER]) {
    const size_t length = record_header_bytes(record->count);
    memset(header, 0, length);
    memcpy(header, MAGIC, sizeof MAGIC);
    put(header + AT_VERSION, VERSION, 4);
    put(header + AT_COUNT, (uint32_t)record->count, 4);
    put_hash(header + AT_FORMAT, record->format);
    put_hash(header + AT_KEY, record->key);
    put_hash(header + AT_PARENT, record->parent);
    put(header + AT_PAYLOAD_BYTES, record->payload_bytes, 8);
    put(header + AT_BLOCK_SIZE, (uint32_t)record->block_size, 4);
    put_hash(header + AT_PAYLOAD_HASH, record->payload_hash);
    memcpy(header + AT_MODEL, record->model, strnlen(record->model, RECORD_MODEL_BYTES - 1));
    record_encode_ids(record->ids, record->count, header + RECORD_IDS_OFFSET);
    put_hash(header + AT_HEADER_HASH, hash_bytes(header, length, 0));
}

static bool header_hash_fits(const uint8_t *bytes, size_t length) {
    uint8_t copy[RECORD_MAX_HEADER];
    memcpy(copy, bytes, length);
    memset(copy + AT_HEADER_HASH, 0, HASH_BYTES);
    return hash_equal(hash_bytes(copy, length, 0), get_hash(bytes + AT_HEADER_HASH));
}

bool record_decode(const uint8_t *bytes, size_t length, struct record *record) {
    if (length < RECORD_IDS_OFFSET || memcmp(bytes, MAGIC, sizeof MAGIC) != 0) return false;
    const uint64_t count = get(bytes + AT_COUNT, 4), block_size = get(bytes + AT_BLOCK_SIZE, 4);
    const uint64_t payload_bytes = get(bytes + AT_PAYLOAD_BYTES, 8);
    if (get(bytes + AT_VERSION, 4) != VERSION || count < 1 || count > block_size ||
        block_size > RECORD_MAX_TOKENS || payload_bytes < 1 || payload_bytes > RECORD_MAX_PAYLOAD)
        return false;
    const size_t header_bytes = record_header_bytes((int32_t)count);
    if (length < header_bytes || !header_hash_fits(bytes, header_bytes)) return false;
    const char *model = (const char *)bytes + AT_MODEL;
    const size_t model_length = strnlen(model, RECORD_MODEL_BYTES);
    if (model_length >= RECORD_MODEL_BYTES || !utf8_valid(model, model_length, NULL)) return false;
    memcpy(record->model, model, model_length + 1);
    record->format = get_hash(bytes + AT_FORMAT);
    record->key = get_hash(bytes + AT_KEY);
    record->parent = get_hash(bytes + AT_PARENT);
    record->payload_hash = get_hash(bytes + AT_PAYLOAD_HASH);
    record->payload_bytes = (size_t)payload_bytes;
    record->block_size = (int32_t)block_size;
    record->count = (int32_t)count;
    return record_decode_ids(bytes + RECORD_IDS_OFFSET, record->count, record->ids);
}
