// tests/fuzz/fuzz_disk_cache.c — any bytes in the index and in the file of slots: the operations
// answer, with a value or with a status; what a read gives has the checksum of its row; and after a
// check the cache is sound.
//
//   byte 0      bit 6: without the marker, as an older quire's
//               even: the rest is SQL that a stranger has run in a sound index
//               odd: patches of a sound index and file: u16 place | u8 value | …; places past the
//               index are in the file
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "store/disk_cache/disk_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { PAYLOAD = 500, BLOCKS = 3, INDEX_MOST = 1 << 16, SLOTS_MOST = 1 << 15, MOST = 1 << 12 };

static const struct disk_format FORMAT = {
    .id = {7, 8}, .block_size = 16, .payload_bytes = PAYLOAD, .model = "m"};

static const char MARKER[] = "quire-kv-cache";

static const char *file_path(const char *name) {
    static char path[160];
    snprintf(path, sizeof path, "%s/quire-fuzz-disk-%ld%s%s",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid(), *name ? "/" : "",
             name);
    return path;
}

static const char *slots_name(void) {
    static char name[48];
    char hex[HASH_HEX_BYTES];
    snprintf(name, sizeof name, "%s.kv", hash_hex(FORMAT.id, hex));
    return name;
}

static void remove_files(void) {
    const char *const names[] = {slots_name(),   "index.db",         "index.db-wal",
                                 "index.db-shm", "index.db-journal", "index.db.lock",
                                 MARKER};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(file_path(names[i]));
}

static void remove_folder(void) {
    remove_files();
    rmdir(file_path(""));
}

struct found {
    struct disk_block block;
    int32_t ids[16];
};

static struct found found[64];
static int32_t found_count;

static void note_block(void *user, const struct disk_block *block) {
    (void)user;
    ASSERT(block->count >= 1 && block->position >= 0);
    if (found_count == 64 || block->count > FORMAT.block_size) return;
    struct found *item = &found[found_count++];
    *item = (struct found){.block = *block};
    memcpy(item->ids, block->ids, (size_t)block->count * sizeof *block->ids);
    item->block.ids = item->ids;
}

static void note_reference(void *user, uint64_t conversation, struct hash128 leaf) {
    (void)user;
    (void)conversation;
    (void)leaf;
}

// NULL: it cannot be used.
static struct disk_pool *open_pool(void) {
    const struct disk_cache_options options = {.folder = file_path("")};
    const struct disk_listener listener = {note_block, note_reference, NULL, NULL};
    struct disk_speed speed;
    struct error err = {0};
    found_count = 0;
    struct disk_pool *pool = disk_cache_create(&options);
    ASSERT(pool);
    if (pool->ops->open(pool, &FORMAT, &listener, &speed, &err) == STATUS_OK) return pool;
    ASSERT(err.text[0]);
    pool->ops->close(pool, NULL);
    return NULL;
}

static void write_some(struct disk_pool *pool, int32_t first) {
    static uint8_t payloads[BLOCKS][PAYLOAD];
    struct disk_block blocks[BLOCKS];
    const void *bytes[BLOCKS];
    int32_t ids[BLOCKS];
    enum status outcomes[BLOCKS];
    struct error err = {0};
    for (int32_t i = 0; i < BLOCKS; i++) {
        const int32_t number = first + i;
        ids[i] = number;
        memset(payloads[i], number, PAYLOAD);
        bytes[i] = payloads[i];
        blocks[i] = (struct disk_block){.key = {1, (uint64_t)number},
                                        .parent = {number > 1, (uint64_t)number - 1},
                                        .ids = &ids[i],
                                        .count = 1,
                                        .position = number - 1};
    }
    (void)!pool->ops->write(pool, blocks, bytes, BLOCKS, outcomes, &err);
}

static void read_found(struct disk_pool *pool) {
    static uint8_t space[PAYLOAD];
    void *const payload = space;
    for (int32_t i = 0; i < found_count; i++) {
        enum status outcome;
        pool->ops->read(pool, &found[i].block, &payload, 1, &outcome);
        if (outcome != STATUS_OK) continue;
        for (int k = 1; k < PAYLOAD; k++) // what is whole is what was written
            ASSERT(space[k] == space[0]);
    }
}

static void use_cache(void) {
    struct error err = {0};
    struct disk_cache_report report;
    struct disk_cache_summary summary;
    uint64_t freed;
    if (disk_cache_summarise(file_path(""), &summary, &err) == STATUS_OK)
        disk_cache_summary_deinit(&summary);
    struct disk_pool *pool = open_pool();
    if (!pool) return;
    read_found(pool);
    pool->ops->reference(pool, 3, (struct hash128){1, 2});
    write_some(pool, 2);
    const struct hash128 key = {1, 1};
    pool->ops->drop(pool, &key, 1);
    pool->ops->close(pool, NULL);
    (void)!disk_cache_forget(file_path(""), &(uint64_t){3}, 1, &freed, &err);
    if (disk_cache_check(file_path(""), NULL, NULL, &report, &err) != STATUS_OK) return;
    ASSERT(disk_cache_check(file_path(""), NULL, NULL, &report, &err) == STATUS_OK);
    ASSERT(report.damaged == 0 && report.missing == 0);
}

static size_t load_file(const char *name, uint8_t *bytes, size_t most) {
    const int file = open(file_path(name), O_RDONLY);
    ASSERT(file >= 0);
    const ssize_t length = read(file, bytes, most);
    ASSERT(length > 0 && (size_t)length < most);
    close(file);
    return (size_t)length;
}

static void save(const char *name, const uint8_t *bytes, size_t length) {
    const int file = open(file_path(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ASSERT(file >= 0 && write(file, bytes, length) == (ssize_t)length);
    close(file);
}

static uint8_t sound[INDEX_MOST + SLOTS_MOST], patched[INDEX_MOST + SLOTS_MOST], marker[512];
static size_t index_length, slots_length, marker_length;

static void make_sound(void) {
    remove_folder();
    atexit(remove_folder);
    struct disk_pool *pool = open_pool();
    ASSERT(pool);
    write_some(pool, 1);
    pool->ops->reference(pool, 3, (struct hash128){1, 3});
    pool->ops->close(pool, NULL);
    index_length = load_file("index.db", sound, INDEX_MOST);
    slots_length = load_file(slots_name(), sound + index_length, SLOTS_MOST);
    marker_length = load_file(MARKER, marker, sizeof marker);
}

static void patch(const uint8_t *bytes, size_t length) {
    for (; length >= 3; bytes += 3, length -= 3)
        patched[((size_t)bytes[0] << 8 | bytes[1]) % (index_length + slots_length)] = bytes[2];
}

static void run_sql(const uint8_t *bytes, size_t length) {
    static char text[MOST + 1];
    sqlite3 *handle = NULL;
    memcpy(text, bytes, length);
    text[length] = '\0';
    if (strcasestr(text, "attach") || strcasestr(text, "vacuum") || strcasestr(text, "recursive"))
        return; // other files, other times
    if (sqlite3_open(file_path("index.db"), &handle) == SQLITE_OK)
        sqlite3_exec(handle, text, NULL, NULL, NULL);
    sqlite3_close(handle);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1 || length > MOST) return 0;
    if (index_length == 0) make_sound();
    remove_files();
    memcpy(patched, sound, sizeof sound);
    if (bytes[0] % 2 == 1) patch(bytes + 1, length - 1);
    save("index.db", patched, index_length);
    save(slots_name(), patched + index_length, slots_length);
    if (!(bytes[0] & 64)) save(MARKER, marker, marker_length);
    if (bytes[0] % 2 == 0) run_sql(bytes + 1, length - 1);
    use_cache();
    remove_files();
    return 0;
}
