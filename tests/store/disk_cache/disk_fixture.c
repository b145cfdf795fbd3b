#include "tests/store/disk_cache/disk_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "store/statement.h"
#include "tests/check.h"
#include "tests/store/store_fixture.h"

static const uint64_t KEY_MARK = 0x5EED5EED5EED5EEDu, KEY_FACTOR = 0x9E3779B97F4A7C15u;

// For two tests at once.
static bool has_space(const char *folder) {
    struct statvfs space;
    return access(folder, W_OK) == 0 && statvfs(folder, &space) == 0 &&
           (uint64_t)space.f_bavail * space.f_frsize >= (uint64_t)1 << 30;
}

void disk_fixture_init(struct disk_fixture *fixture, size_t payload_bytes, bool fast) {
    *fixture = (struct disk_fixture){0};
    fast = fast && has_space("/dev/shm");
    snprintf(fixture->folder, sizeof fixture->folder, "%s/quire-disk-XXXXXX",
             fast ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(fixture->folder));
    assert_int_equal(rmdir(fixture->folder), 0);
    fixture->format = (struct disk_format){
        .id = {1, 2},
        .block_size = FIXTURE_TOKENS,
        .payload_bytes = payload_bytes,
        .model = "a model",
    };
}

static void note_dropped(void *user, struct hash128 key) {
    struct disk_fixture *fixture = user;
    fixture->dropped[fixture_number(key)] = true;
    fixture->dropped_count++;
}

void disk_fixture_ignore_block(void *user, const struct disk_block *block) {
    (void)user;
    (void)block;
}

void disk_fixture_ignore_reference(void *user, uint64_t conversation, struct hash128 leaf) {
    (void)user;
    (void)conversation;
    (void)leaf;
}

static struct disk_pool *create_pool(const struct disk_fixture *fixture) {
    const struct disk_cache_options options = {.folder = fixture->folder,
                                               .limit_bytes = fixture->limit_bytes};
    struct disk_pool *pool = disk_cache_create(&options);
    assert_non_null(pool);
    return pool;
}

void disk_fixture_open(struct disk_fixture *fixture) {
    const struct disk_listener listener = {disk_fixture_ignore_block, disk_fixture_ignore_reference,
                                           note_dropped, fixture};
    struct disk_speed speed;
    assert_null(fixture->pool);
    fixture->pool = create_pool(fixture);
    must(
        fixture->pool->ops->open(fixture->pool, &fixture->format, &listener, &speed, &fixture->err),
        &fixture->err);
}

void disk_fixture_close(struct disk_fixture *fixture) {
    if (fixture->pool) fixture->pool->ops->close(fixture->pool, NULL);
    fixture->pool = NULL;
}

void disk_fixture_reopen(struct disk_fixture *fixture) {
    disk_fixture_close(fixture);
    disk_fixture_open(fixture);
}

void disk_fixture_empty(const struct disk_fixture *fixture) {
    DIR *folder = opendir(fixture->folder);
    if (!folder) return;
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') assert_int_equal(unlinkat(dirfd(folder), entry->d_name, 0), 0);
    closedir(folder);
}

void disk_fixture_deinit(struct disk_fixture *fixture) {
    disk_fixture_close(fixture);
    disk_fixture_empty(fixture);
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

const uint8_t *fixture_payload(const struct disk_fixture *fixture, int64_t number) {
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

static int32_t count_of(int64_t number) { return number % 5 == 0 ? 3 : FIXTURE_TOKENS; }

static int32_t position_of(const struct disk_fixture *fixture, int64_t number) {
    int32_t position = 0;
    while ((number = fixture->parents[number]) != 0)
        position += count_of(number);
    return position;
}

struct disk_block fixture_block(const struct disk_fixture *fixture, int64_t number,
                                int32_t ids_space[FIXTURE_TOKENS]) {
    for (int32_t i = 0; i < FIXTURE_TOKENS; i++)
        ids_space[i] = (int32_t)number * 7 + i;
    return (struct disk_block){
        .key = fixture_key(number),
        .parent = fixture_key(fixture->parents[number]),
        .ids = ids_space,
        .count = count_of(number),
        .position = position_of(fixture, number),
    };
}

enum status disk_fixture_write(struct disk_fixture *fixture, int64_t first, int32_t count,
                               int64_t parent) {
    int64_t numbers[DISK_MAX_BATCH];
    for (int32_t i = 0; i < count; i++) {
        numbers[i] = first + i;
        assert_in_range(numbers[i], 1, FIXTURE_BLOCKS - 1);
        fixture->parents[numbers[i]] = i == 0 ? parent : numbers[i] - 1;
    }
    return disk_fixture_write_these(fixture, numbers, count);
}

enum status disk_fixture_write_these(struct disk_fixture *fixture, const int64_t *numbers,
                                     int32_t count) {
    struct disk_block blocks[DISK_MAX_BATCH] = {0};
    int32_t ids[DISK_MAX_BATCH][FIXTURE_TOKENS];
    void *payloads[DISK_MAX_BATCH] = {NULL};
    for (int32_t i = 0; i < count; i++) {
        blocks[i] = fixture_block(fixture, numbers[i], ids[i]);
        payloads[i] = malloc(fixture->format.payload_bytes);
        assert_non_null(payloads[i]);
        memcpy(payloads[i], fixture_payload(fixture, numbers[i]), fixture->format.payload_bytes);
    }
    enum status outcomes[DISK_MAX_BATCH],
        status = fixture->pool->ops->write(fixture->pool, blocks, (const void *const *)payloads,
                                           count, outcomes, &fixture->err);
    fixture->written = 0;
    for (int32_t i = 0; i < count; i++) {
        free(payloads[i]);
        fixture->outcomes[i] = outcomes[i];
        if (status == STATUS_OK && outcomes[i] == STATUS_OK) fixture->written++;
    }
    for (int32_t i = 0; i < count && status == STATUS_OK; i++)
        status = outcomes[i];
    return status;
}

void disk_fixture_drop(struct disk_fixture *fixture, int64_t number) {
    const struct hash128 key = fixture_key(number);
    fixture->pool->ops->drop(fixture->pool, &key, 1);
}

void disk_fixture_reference(struct disk_fixture *fixture, uint64_t conversation, int64_t leaf) {
    fixture->pool->ops->reference(fixture->pool, conversation, fixture_key(leaf));
}

enum status disk_fixture_read(struct disk_fixture *fixture, int64_t number) {
    int32_t ids[FIXTURE_TOKENS];
    const struct disk_block block = fixture_block(fixture, number, ids);
    void *payload = malloc(fixture->format.payload_bytes);
    assert_non_null(payload);
    enum status outcome = STATUS_CANCELLED;
    fixture->pool->ops->read(fixture->pool, &block, &payload, 1, &outcome);
    if (outcome == STATUS_OK)
        assert_memory_equal(payload, fixture_payload(fixture, number),
                            fixture->format.payload_bytes);
    free(payload);
    return outcome;
}

struct listing {
    struct disk_fixture *fixture;
    struct listed *listed;
    bool child_seen[FIXTURE_BLOCKS];
};

static void note_block(void *user, const struct disk_block *block) {
    struct listing *listing = user;
    const int64_t number = fixture_number(block->key);
    int32_t ids[FIXTURE_TOKENS];
    const struct disk_block expected = fixture_block(listing->fixture, number, ids);
    assert_int_equal(block->count, expected.count);
    assert_memory_equal(block->ids, ids, (size_t)block->count * sizeof *ids);
    assert_true(hash_equal(block->parent, expected.parent));
    assert_int_equal(block->position, expected.position);
    assert_false(listing->listed->listed[number]);
    listing->listed->listed[number] = true;
    listing->listed->count++;
    assert_false(listing->child_seen[number]);
    listing->child_seen[fixture_number(block->parent)] = true;
}

static void note_reference(void *user, uint64_t conversation, struct hash128 leaf) {
    const struct listing *listing = user;
    assert_true(conversation < FIXTURE_REFERENCES);
    assert_int_equal(listing->listed->leaves[conversation], 0);
    listing->listed->leaves[conversation] = fixture_number(leaf);
}

void disk_fixture_list(struct disk_fixture *fixture, struct listed *listed) {
    *listed = (struct listed){0};
    struct listing listing = {.fixture = fixture, .listed = listed};
    const struct disk_listener listener = {note_block, note_reference, NULL, &listing};
    struct disk_speed speed;
    struct disk_pool *pool = create_pool(fixture);
    must(pool->ops->open(pool, &fixture->format, &listener, &speed, &fixture->err), &fixture->err);
    assert_int_equal(pool->ops->usage(pool).blocks, listed->count);
    pool->ops->close(pool, NULL);
}

int32_t disk_fixture_read_all(struct disk_fixture *fixture, struct listed *listed) {
    disk_fixture_list(fixture, listed);
    for (int64_t number = 1; number < FIXTURE_BLOCKS; number++)
        if (listed->listed[number]) assert_int_equal(disk_fixture_read(fixture, number), STATUS_OK);
    return listed->count;
}

uint64_t disk_fixture_stored(const struct disk_fixture *fixture) {
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

void disk_fixture_sql(const struct disk_fixture *fixture, const char *sql) {
    sqlite3 *handle = NULL;
    char *message = NULL, path[128];
    disk_fixture_path(fixture, "index.db", path);
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    sqlite3_busy_timeout(handle, DB_BUSY_MS);
    if (sqlite3_exec(handle, sql, NULL, NULL, &message) != SQLITE_OK) fail_msg("%s", message);
    sqlite3_close(handle);
}

void disk_fixture_file(const struct disk_fixture *fixture, char path[128]) {
    char hex[HASH_HEX_BYTES];
    snprintf(path, 128, "%s/%s.kv", fixture->folder, hash_hex(fixture->format.id, hex));
}

void disk_fixture_path(const struct disk_fixture *fixture, const char *name, char path[128]) {
    snprintf(path, 128, "%s/%s", fixture->folder, name);
}

static void print_note(void *user, const char *line) {
    (void)user;
    print_message("%s\n", line);
}

struct disk_cache_report disk_fixture_check(struct disk_fixture *fixture) {
    struct disk_cache_report first, second;
    must(disk_cache_check(fixture->folder, print_note, NULL, &first, &fixture->err), &fixture->err);
    must(disk_cache_check(fixture->folder, print_note, NULL, &second, &fixture->err),
         &fixture->err);
    assert_int_equal(second.damaged, 0);
    assert_int_equal(second.missing, 0);
    assert_int_equal(second.free_bytes, 0);
    assert_int_equal(second.blocks, first.blocks);
    assert_int_equal(second.bytes, first.bytes);
    return first;
}
