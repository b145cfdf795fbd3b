// tests/fuzz/fuzz_vault.c — any bytes as a segment: opening finds what is whole, the rest is
// nobody's, and what a read gives is what was hashed.
//
//   byte 0      even: the rest is the segment
//               odd: patches of a sound segment: u16 place | u8 value | …; bit 1 makes the hash of
//               the first header right again, so that odd fields are met behind it
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "store/record.h"
#include "store/vault.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { PAYLOAD = 5000, RECORDS = 3, RECORD = 8192, SOUND = RECORDS * RECORD, MOST = 1 << 16 };

static const struct tier_format FORMAT = {
    .id = {7, 8}, .block_size = 16, .payload_bytes = PAYLOAD, .model = "m"};

static const char *folder(void) {
    static char path[96];
    if (!path[0])
        snprintf(path, sizeof path, "%s/quire-fuzz-vault-%ld",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    return path;
}

static const char *file_path(const char *name) {
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    return path;
}

static void remove_files(void) {
    static const char *const names[] = {"segment-00000001.kv", "segment-00000002.kv", "index.db",
                                        "index.db-wal", "index.db-shm"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(file_path(names[i]));
    rmdir(folder());
}

struct found {
    struct tier_block block;
    int32_t ids[16];
};

static struct found found[MOST / RECORD_ALIGNMENT];
static size_t found_count;

static void note_block(void *user, const struct tier_block *block) {
    (void)user;
    ASSERT(found_count < sizeof found / sizeof found[0]);
    ASSERT(block->count >= 1 && block->count <= FORMAT.block_size && block->place.segment != 0);
    struct found *item = &found[found_count++];
    *item = (struct found){.block = *block};
    memcpy(item->ids, block->ids, (size_t)block->count * sizeof *block->ids);
    item->block.ids = item->ids;
}

static void note_holder(void *user, uint64_t holder, struct hash128 leaf) {
    (void)user;
    (void)holder;
    (void)leaf;
}

static struct tier *open_tier(void) {
    const struct vault_options options = {.folder = folder()};
    struct error err = {0};
    struct tier *tier = vault_create(&options);
    ASSERT(tier && tier->verbs->begin(tier, &FORMAT, NULL, NULL, &err) == STATUS_OK);
    return tier;
}

static void save_segment(const uint8_t *bytes, size_t length) {
    remove_files();
    struct tier *tier = open_tier(); // makes the folder
    tier->verbs->close(tier);
    const int file = open(file_path("segment-00000001.kv"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT(file >= 0 && write(file, bytes, length) == (ssize_t)length);
    close(file);
}

// Blocks that the opening entered have just been verified, so each of ours must be read.
static void read_segment(void) {
    static uint8_t room[PAYLOAD];
    void *const payload = room;
    struct error err = {0};
    struct vault_report report;
    struct tier *tier = open_tier();
    found_count = 0;
    ASSERT(tier->verbs->list(tier, note_block, note_holder, NULL, &err) == STATUS_OK);
    for (size_t i = 0; i < found_count; i++) {
        enum status outcome;
        tier->verbs->read(tier, &found[i].block, &payload, 1, &outcome);
        ASSERT(outcome == STATUS_OK || outcome == STATUS_BAD_FILE);
    }
    tier->verbs->close(tier);
    ASSERT(vault_check(folder(), NULL, NULL, &report, &err) == STATUS_OK);
    ASSERT(report.damaged == 0 && report.missing == 0);
    ASSERT(vault_check(folder(), NULL, NULL, &report, &err) == STATUS_OK);
    ASSERT(report.orphans == 0 && report.orphan_bytes == 0);
}

static void make_sound(uint8_t segment[SOUND]) {
    static uint8_t payload[PAYLOAD];
    static const int32_t ids[RECORDS] = {1, 2, 3};
    struct error err = {0};
    struct tier_block blocks[RECORDS];
    const void *payloads[RECORDS];
    remove_files();
    for (int i = 0; i < RECORDS; i++) {
        blocks[i] = (struct tier_block){.key = {1, (uint64_t)i + 1},
                                        .parent = {i > 0, (uint64_t)i},
                                        .ids = &ids[i],
                                        .count = 1};
        payloads[i] = payload;
    }
    struct tier *tier = open_tier();
    ASSERT(tier->verbs->write(tier, blocks, payloads, RECORDS, &err) == STATUS_OK);
    tier->verbs->close(tier);
    const int file = open(file_path("segment-00000001.kv"), O_RDONLY);
    ASSERT(file >= 0 && read(file, segment, SOUND) == SOUND);
    close(file);
}

static void rehash(uint8_t *header) {
    enum { AT_COUNT = 12, AT_HASH = 96 };
    const uint32_t count = header[AT_COUNT] | (uint32_t)header[AT_COUNT + 1] << 8;
    if (count < 1 || count > RECORD_MAX_TOKENS) return;
    memset(header + AT_HASH, 0, 16);
    const struct hash128 hash = hash_bytes(header, record_header_bytes((int32_t)count), 0);
    for (int i = 0; i < 8; i++) {
        header[AT_HASH + i] = (uint8_t)(hash.low >> (8 * i));
        header[AT_HASH + 8 + i] = (uint8_t)(hash.high >> (8 * i));
    }
}

static void fuzz_patches(const uint8_t *bytes, size_t length, bool right_hash) {
    static uint8_t sound[SOUND], patched[SOUND];
    static bool made;
    if (!made) make_sound(sound);
    made = true;
    memcpy(patched, sound, sizeof patched);
    for (; length >= 3; bytes += 3, length -= 3)
        patched[((size_t)bytes[0] << 8 | bytes[1]) % SOUND] = bytes[2];
    if (right_hash) rehash(patched);
    save_segment(patched, sizeof patched);
    read_segment();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1 || length > MOST) return 0;
    if (bytes[0] % 2 == 1) {
        fuzz_patches(bytes + 1, length - 1, bytes[0] & 2);
    } else {
        save_segment(bytes + 1, length - 1);
        read_segment();
    }
    remove_files();
    return 0;
}
