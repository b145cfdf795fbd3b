// tests/store/vault_fixture.h — a vault in a folder of its own, and blocks whose every byte is
// known.
#ifndef TESTS_STORE_VAULT_FIXTURE_H
#define TESTS_STORE_VAULT_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/vault.h"

enum { FIXTURE_BLOCKS = 1 << 14, FIXTURE_TOKENS = 16, FIXTURE_HOLDERS = 64 };

// Block `number` (from 1) has a key, token ids and a payload made from its number alone.
struct listed {
    bool listed[FIXTURE_BLOCKS];
    struct tier_place places[FIXTURE_BLOCKS];
    int32_t count;
    int64_t leaves[FIXTURE_HOLDERS]; // by holder; 0: not listed
};

struct vault_fixture {
    char folder[64];
    struct tier *tier; // NULL: closed
    struct tier_format format;
    int64_t parents[FIXTURE_BLOCKS]; // of the blocks that were made; 0: none
    uint64_t limit_bytes;
    bool read_only;
    bool dropped[FIXTURE_BLOCKS]; // what the tier has said
    int32_t dropped_count;
    struct error err;
};

// A folder that is not there yet; `fast` in memory, else on the disk.
void vault_fixture_init(struct vault_fixture *fixture, size_t payload_bytes, bool fast);
void vault_fixture_deinit(struct vault_fixture *fixture);      // closes, and removes the folder
void vault_fixture_empty(const struct vault_fixture *fixture); // removes the files in it
void vault_fixture_open(struct vault_fixture *fixture);
void vault_fixture_close(struct vault_fixture *fixture);
void vault_fixture_reopen(struct vault_fixture *fixture);

struct hash128 fixture_key(int64_t number); // 0 is the zero key
int64_t fixture_number(struct hash128 key); // of a key; fails the test for any other
const uint8_t *fixture_payload(const struct vault_fixture *fixture, int64_t number); // until next
// ids_room is the caller's and must live as long as the block.
struct tier_block fixture_block(const struct vault_fixture *fixture, int64_t number,
                                int32_t ids_room[FIXTURE_TOKENS]);

// Blocks first … first + count - 1, each the child of the one before, the first of `parent`.
enum status vault_fixture_write(struct vault_fixture *fixture, int64_t first, int32_t count,
                                int64_t parent);
// These, whose parents are known.
enum status vault_fixture_write_these(struct vault_fixture *fixture, const int64_t *numbers,
                                      int32_t count);
void vault_fixture_drop(struct vault_fixture *fixture, int64_t number);
// Reads one. When the answer is OK, the bytes must be its own.
enum status vault_fixture_read(struct vault_fixture *fixture, int64_t number,
                               struct tier_place place);
// Fails unless parents come before children and every block is what it was.
void vault_fixture_list(struct vault_fixture *fixture, struct listed *listed);
// Lists, and reads all that is listed: each must verify. Returns how many.
int32_t vault_fixture_read_all(struct vault_fixture *fixture, struct listed *listed);

uint64_t vault_fixture_stored(const struct vault_fixture *fixture);           // by the file system
void vault_fixture_sql(const struct vault_fixture *fixture, const char *sql); // behind its back
void vault_fixture_path(const struct vault_fixture *fixture, const char *name, char path[128]);
// vault_check(), with its notes printed; twice, as the second must find nothing.
struct vault_report vault_fixture_check(struct vault_fixture *fixture);

#endif
