// tests/store/disk_cache/disk_fixture.h — a disk cache in a folder of its own, and blocks whose
// every byte is known.
#ifndef TESTS_STORE_DISK_FIXTURE_H
#define TESTS_STORE_DISK_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/disk_cache/disk_cache.h"

enum { FIXTURE_BLOCKS = 1 << 14, FIXTURE_TOKENS = 16, FIXTURE_REFERENCES = 64 };

// Block `number` (from 1) has a key, token ids and a payload made from its number alone.
struct listed {
    bool listed[FIXTURE_BLOCKS];
    int32_t count;
    int64_t leaves[FIXTURE_REFERENCES]; // by conversation; 0: not listed
};

struct disk_fixture {
    char folder[64];
    struct disk_pool *pool; // NULL: closed
    struct disk_format format;
    int64_t parents[FIXTURE_BLOCKS]; // of the blocks that were made; 0: none
    uint64_t limit_bytes;
    bool dropped[FIXTURE_BLOCKS]; // what the pool has said
    int32_t dropped_count;
    enum status outcomes[DISK_MAX_BATCH]; // of the last write, which may be OK for some only
    int32_t written;                      // blocks of it that are there
    struct error err;
};

// A listener to which nothing matters.
void disk_fixture_ignore_block(void *user, const struct disk_block *block);
void disk_fixture_ignore_reference(void *user, uint64_t conversation, struct hash128 leaf);
#define DISK_FIXTURE_DEAF \
    { disk_fixture_ignore_block, disk_fixture_ignore_reference, NULL, NULL }

// A folder that is not there yet; `fast` in memory, else on the disk.
void disk_fixture_init(struct disk_fixture *fixture, size_t payload_bytes, bool fast);
void disk_fixture_deinit(struct disk_fixture *fixture);      // closes, and removes the folder
void disk_fixture_empty(const struct disk_fixture *fixture); // removes the files in it
void disk_fixture_open(struct disk_fixture *fixture);
void disk_fixture_close(struct disk_fixture *fixture);
void disk_fixture_reopen(struct disk_fixture *fixture);

struct hash128 fixture_key(int64_t number); // 0 is the zero key
int64_t fixture_number(struct hash128 key); // of a key; fails the test for any other
const uint8_t *fixture_payload(const struct disk_fixture *fixture, int64_t number); // until next
// ids_space is the caller's and must live as long as the block.
struct disk_block fixture_block(const struct disk_fixture *fixture, int64_t number,
                                int32_t ids_space[FIXTURE_TOKENS]);

// Blocks first … first + count - 1, each the child of the one before, the first of `parent`. The
// status of the write, or of the first block that is not there.
enum status disk_fixture_write(struct disk_fixture *fixture, int64_t first, int32_t count,
                               int64_t parent);
// These, whose parents are known.
enum status disk_fixture_write_these(struct disk_fixture *fixture, const int64_t *numbers,
                                     int32_t count);
void disk_fixture_drop(struct disk_fixture *fixture, int64_t number);
// Reads one. When the answer is OK, the bytes must be its own.
enum status disk_fixture_read(struct disk_fixture *fixture, int64_t number);
// Number `leaf` is what the conversation needs now; 0: nothing.
void disk_fixture_reference(struct disk_fixture *fixture, uint64_t conversation, int64_t leaf);
// By a second opening. Fails unless parents come before children and every block is what it was.
void disk_fixture_list(struct disk_fixture *fixture, struct listed *listed);
// Lists, and reads all that is listed: each must verify. Returns how many.
int32_t disk_fixture_read_all(struct disk_fixture *fixture, struct listed *listed);

uint64_t disk_fixture_stored(const struct disk_fixture *fixture);           // by the file system
void disk_fixture_sql(const struct disk_fixture *fixture, const char *sql); // behind its back
void disk_fixture_file(const struct disk_fixture *fixture, char path[128]); // of slots
void disk_fixture_path(const struct disk_fixture *fixture, const char *name, char path[128]);
// disk_cache_check(), with its notes printed; twice, as the second must find nothing.
struct disk_cache_report disk_fixture_check(struct disk_fixture *fixture);

#endif
