#include "tests/store/vault_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "store/db.h"
#include "store/statement.h"
#include "tests/check.h"
#include "tests/store/store_fixture.h"

static const uint64_t KEY_MARK = 0x5EED5EED5EED5EEDu, KEY_FACTOR = 0x9E3779B97F4A7C15u;

// For two tests at once.
static bool has_room(const char *folder) {
    struct statvfs room;
    return access(folder, W_OK) == 0 && statvfs(folder, &room) == 0 &&
           (uint64_t)room.f_bavail * room.f_frsize >= (uint64_t)1 << 30;
}

void vault_fixture_init(struct vault_fixture *fixture, size_t payload_bytes, bool fast) {
    *fixture = (struct vault_fixture){0};
    fast = fast && has_room("/dev/shm");
    snprintf(fixture->folder, sizeof fixture->folder, "%s/quire-vault-XXXXXX",
             fast ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(fixture->folder));
    assert_int_equal(rmdir(fixture->folder), 0);
    fixture->format = (struct tier_format){
        .id = {1, 2},
        .block_size = FIXTURE_TOKENS,
        .payload_bytes = payload_bytes,
        .model = "a model",
    };
}

static void note_dropped(void *user, struct hash128 key) {
    struct vault_fixture *fixture = user;
    fixture->dropped[fixture_number(key)] = true;
    fixture->dropped_count++;
}

void vault_fixture_open(struct vault_fixture *fixture) {
    const struct vault_options options = {.folder = fixture->folder,
                                          .limit_bytes = fixture->limit_bytes,
                                          .read_only = fixture->read_only};
    assert_null(fixture->tier);
    fixture->tier = vault_create(&options);
    assert_non_null(fixture->tier);
    must(fixture->tier->verbs->begin(fixture->tier, &fixture->format, note_dropped, fixture,
                                     &fixture->err),
         &fixture->err);
}

void vault_fixture_close(struct vault_fixture *fixture) {
    if (fixture->tier) fixture->tier->verbs->close(fixture->tier);
    fixture->tier = NULL;
}

void vault_fixture_reopen(struct vault_fixture *fixture) {
    vault_fixture_close(fixture);
    vault_fixture_open(fixture);
}

void vault_fixture_empty(const struct vault_fixture *fixture) {
    DIR *folder = opendir(fixture->folder);
    if (!folder) return;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') assert_int_equal(unlinkat(dirfd(folder), entry->d_name, 0), 0);
    closedir(folder);
}

void vault_fixture_deinit(struct vault_fixture *fixture) {
    vault_fixture_close(fixture);
    vault_fixture_empty(fixture);
    if (access(fixture->folder, F_OK) == 0) assert_int_equal(rmdir(fixture->folder), 0);
}

struct hash128 fixture_key(int64_t number) {
    if (number == 0) return (struct hash128){0, 0};
    return (struct hash128){.high = KEY_MARK, .low = (uint64_t)number * KEY_FACTOR};
}

int64_t fixture_number(struct hash128 key) {
    uint64_t inverse = KEY_FACTOR; // of an odd number, modulo 2 to the 64th, by Newton's method
    for (int i = 0; i < 6; i++)
        inverse *= 2 - KEY_FACTOR * inverse;
    const int64_t number = (int64_t)(key.low * inverse);
    assert_in_range(number, 0, FIXTURE_BLOCKS - 1);
    assert_true(hash_equal(key, fixture_key(number)));
    return number;
}

const uint8_t *fixture_payload(const struct vault_fixture *fixture, int64_t number) {
    static uint8_t *payload;
    static size_t capacity;
    if (capacity < fixture->format.payload_bytes + 8) {
        capacity = fixture->format.payload_bytes + 8;
        payload = realloc(payload, capacity);
        assert_non_null(payload);
    }
    uint64_t random = (uint64_t)number;
    for (size_t i = 0; i < fixture->format.payload_bytes; i += 8) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        memcpy(payload + i, &random, 8);
    }
    return payload;
}

struct tier_block fixture_block(const struct vault_fixture *fixture, int64_t number,
                                int32_t ids_room[FIXTURE_TOKENS]) {
    for (int32_t i = 0; i < FIXTURE_TOKENS; i++)
        ids_room[i] = (int32_t)number * 7 + i;
    return (struct tier_block){
        .key = fixture_key(number),
        .parent = fixture_key(fixture->parents[number]),
        .ids = ids_room,
        .count = number % 5 == 0 ? 3 : FIXTURE_TOKENS,
    };
}

enum status vault_fixture_write(struct vault_fixture *fixture, int64_t first, int32_t count,
                                int64_t parent) {
    int64_t numbers[TIER_MAX_BATCH];
    for (int32_t i = 0; i < count; i++) {
        numbers[i] = first + i;
        assert_in_range(numbers[i], 1, FIXTURE_BLOCKS - 1);
        fixture->parents[numbers[i]] = i == 0 ? parent : numbers[i] - 1;
    }
    return vault_fixture_write_these(fixture, numbers, count);
}

enum status vault_fixture_write_these(struct vault_fixture *fixture, const int64_t *numbers,
                                      int32_t count) {
    struct tier_block blocks[TIER_MAX_BATCH];
    int32_t ids[TIER_MAX_BATCH][FIXTURE_TOKENS];
    void *payloads[TIER_MAX_BATCH] = {NULL};
    for (int32_t i = 0; i < count; i++) {
        blocks[i] = fixture_block(fixture, numbers[i], ids[i]);
        payloads[i] = malloc(fixture->format.payload_bytes);
        assert_non_null(payloads[i]);
        memcpy(payloads[i], fixture_payload(fixture, numbers[i]), fixture->format.payload_bytes);
    }
    const enum status status = fixture->tier->verbs->write(
        fixture->tier, blocks, (const void *const *)payloads, count, &fixture->err);
    for (int32_t i = 0; i < count; i++) {
        free(payloads[i]);
        if (status == STATUS_OK) assert_int_not_equal(blocks[i].place.segment, 0);
    }
    return status;
}

void vault_fixture_drop(struct vault_fixture *fixture, int64_t number) {
    int32_t ids[FIXTURE_TOKENS];
    const struct tier_block block = fixture_block(fixture, number, ids);
    fixture->tier->verbs->drop(fixture->tier, &block, 1);
}

enum status vault_fixture_read(struct vault_fixture *fixture, int64_t number,
                               struct tier_place place) {
    int32_t ids[FIXTURE_TOKENS];
    struct tier_block block = fixture_block(fixture, number, ids);
    block.place = place;
    void *payload = malloc(fixture->format.payload_bytes);
    assert_non_null(payload);
    enum status outcome = STATUS_CANCELLED;
    fixture->tier->verbs->read(fixture->tier, &block, &payload, 1, &outcome);
    if (outcome == STATUS_OK)
        assert_memory_equal(payload, fixture_payload(fixture, number),
                            fixture->format.payload_bytes);
    free(payload);
    return outcome;
}

struct listing {
    struct vault_fixture *fixture;
    struct listed *listed;
    bool child_seen[FIXTURE_BLOCKS];
};

static void note_block(void *user, const struct tier_block *block) {
    struct listing *listing = user;
    const int64_t number = fixture_number(block->key);
    int32_t ids[FIXTURE_TOKENS];
    const struct tier_block expected = fixture_block(listing->fixture, number, ids);
    assert_int_equal(block->count, expected.count);
    assert_memory_equal(block->ids, ids, (size_t)block->count * sizeof *ids);
    assert_true(hash_equal(block->parent, expected.parent));
    assert_false(listing->listed->listed[number]);
    listing->listed->listed[number] = true;
    listing->listed->places[number] = block->place;
    listing->listed->count++;
    assert_false(listing->child_seen[number]);
    listing->child_seen[fixture_number(block->parent)] = true;
}

static void note_holder(void *user, uint64_t holder, struct hash128 leaf) {
    const struct listing *listing = user;
    assert_true(holder < FIXTURE_HOLDERS);
    assert_int_equal(listing->listed->leaves[holder], 0);
    listing->listed->leaves[holder] = fixture_number(leaf);
}

void vault_fixture_list(struct vault_fixture *fixture, struct listed *listed) {
    *listed = (struct listed){0};
    struct listing listing = {.fixture = fixture, .listed = listed};
    must(
        fixture->tier->verbs->list(fixture->tier, note_block, note_holder, &listing, &fixture->err),
        &fixture->err);
    assert_int_equal(fixture->tier->verbs->usage(fixture->tier).blocks, listed->count);
}

int32_t vault_fixture_read_all(struct vault_fixture *fixture, struct listed *listed) {
    vault_fixture_list(fixture, listed);
    for (int64_t number = 1; number < FIXTURE_BLOCKS; number++)
        if (listed->listed[number])
            assert_int_equal(vault_fixture_read(fixture, number, listed->places[number]),
                             STATUS_OK);
    return listed->count;
}

uint64_t vault_fixture_stored(const struct vault_fixture *fixture) {
    uint64_t total = 0;
    DIR *folder = opendir(fixture->folder);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        struct stat info;
        if (entry->d_name[0] == '.') continue;
        assert_int_equal(fstatat(dirfd(folder), entry->d_name, &info, 0), 0);
        total += (uint64_t)info.st_blocks * 512;
    }
    closedir(folder);
    return total;
}

void vault_fixture_sql(const struct vault_fixture *fixture, const char *sql) {
    sqlite3 *handle = NULL;
    char *message = NULL, path[128];
    vault_fixture_path(fixture, "index.db", path);
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    sqlite3_busy_timeout(handle, DB_BUSY_MS);
    if (sqlite3_exec(handle, sql, NULL, NULL, &message) != SQLITE_OK) fail_msg("%s", message);
    sqlite3_close(handle);
}

void vault_fixture_path(const struct vault_fixture *fixture, const char *name, char path[128]) {
    snprintf(path, 128, "%s/%s", fixture->folder, name);
}

static void print_note(void *user, const char *line) {
    (void)user;
    print_message("%s\n", line);
}

struct vault_report vault_fixture_check(struct vault_fixture *fixture) {
    struct vault_report first, second;
    must(vault_check(fixture->folder, print_note, NULL, &first, &fixture->err), &fixture->err);
    must(vault_check(fixture->folder, print_note, NULL, &second, &fixture->err), &fixture->err);
    assert_int_equal(second.damaged, 0);
    assert_int_equal(second.missing, 0);
    assert_int_equal(second.orphans, 0);
    assert_int_equal(second.orphan_bytes, 0);
    assert_int_equal(second.blocks, first.blocks);
    assert_int_equal(second.bytes, first.bytes);
    return first;
}
