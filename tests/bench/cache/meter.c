#include "tests/bench/cache/meter.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/clock.h"

// Calls `each` for every file in the folder.
static void for_files(const struct bench_folder *folder,
                      void (*each)(void *user, int folder, const char *name), void *user) {
    DIR *listed = folder->path[0] ? opendir(folder->path) : NULL;
    if (!listed) return;
    for (struct dirent *entry; (entry = readdir(listed));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            each(user, dirfd(listed), entry->d_name);
    closedir(listed);
}

static void add_bytes(void *user, int folder, const char *name) {
    enum { STAT_BLOCK = 512 }; // st_blocks counts in these, whatever the file system's size
    uint64_t *bytes = user;
    struct stat file;
    if (fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) == 0)
        *bytes += (uint64_t)file.st_blocks * STAT_BLOCK;
}

uint64_t bench_folder_bytes(const struct bench_folder *folder) {
    uint64_t bytes = 0;
    for_files(folder, add_bytes, &bytes);
    return bytes;
}

struct residence { // in pages
    size_t all, kept;
};

static void count_pages(int file, size_t bytes, struct residence *residence) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t pages = (bytes + page - 1) / page;
    unsigned char *kept = malloc(pages);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    const bool known = kept && map != MAP_FAILED && mincore(map, bytes, kept) == 0;
    residence->all += pages;
    for (size_t i = 0; i < pages; i++)
        residence->kept += known ? kept[i] & 1U : 1;
    if (map != MAP_FAILED) munmap(map, bytes);
    free(kept);
}

static void forget_file(void *user, int folder, const char *name) {
    struct stat stored;
    const char *end = strrchr(name, '.');
    if (!end || strcmp(end, ".kv") != 0) return;
    const int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    fdatasync(file); // pages that are not written yet are never forgotten
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    if (fstat(file, &stored) == 0 && stored.st_size > 0)
        count_pages(file, (size_t)stored.st_size, user);
    close(file);
}

double bench_folder_forget(const struct bench_folder *folder) {
    struct residence residence = {0};
    for_files(folder, forget_file, &residence);
    return residence.all ? (double)residence.kept / (double)residence.all : 1;
}

bool bench_system_written(uint64_t *bytes) {
    char line[80];
    bool found = false;
    FILE *file = fopen("/proc/self/io", "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, "write_bytes: %" SCNu64, bytes) == 1;
    if (file) fclose(file);
    return found;
}

// ---- the meter

static struct bench_meter *meter_of(struct disk_pool *pool) { return (struct bench_meter *)pool; }

static enum status meter_open(struct disk_pool *pool, const struct disk_format *format,
                              const struct disk_listener *listener, struct disk_speed *speed,
                              struct error *err) {
    struct disk_pool *inner = meter_of(pool)->inner;
    meter_of(pool)->payload_bytes = format->payload_bytes;
    return inner->ops->open(inner, format, listener, speed, err);
}

static enum status meter_write(struct disk_pool *pool, const struct disk_block *blocks,
                               const void *const *payloads, int32_t count, enum status *outcomes,
                               struct error *err) {
    struct bench_meter *meter = meter_of(pool);
    const int64_t before = clock_now_us();
    const enum status status =
        meter->inner->ops->write(meter->inner, blocks, payloads, count, outcomes, err);
    meter->write_us += clock_now_us() - before;
    meter->writes++;
    meter->write_blocks += (uint64_t)count;
    meter->write_bytes += (uint64_t)count * meter->payload_bytes;
    return status;
}

static void meter_read(struct disk_pool *pool, const struct disk_block *blocks,
                       void *const *payloads, int32_t count, enum status *outcomes) {
    struct bench_meter *meter = meter_of(pool);
    const int64_t before = clock_now_us();
    meter->inner->ops->read(meter->inner, blocks, payloads, count, outcomes);
    meter->read_us += clock_now_us() - before;
    meter->reads++;
    meter->read_blocks += (uint64_t)count;
    meter->read_bytes += (uint64_t)count * meter->payload_bytes;
}

static void meter_drop(struct disk_pool *pool, const struct hash128 *keys, int32_t count) {
    struct disk_pool *inner = meter_of(pool)->inner;
    inner->ops->drop(inner, keys, count);
}

static void meter_reference(struct disk_pool *pool, uint64_t conversation, struct hash128 leaf) {
    struct disk_pool *inner = meter_of(pool)->inner;
    inner->ops->reference(inner, conversation, leaf);
}

static struct disk_usage meter_usage(struct disk_pool *pool) {
    struct disk_pool *inner = meter_of(pool)->inner;
    return inner->ops->usage(inner);
}

static void meter_close(struct disk_pool *pool, const struct disk_speed *speed) {
    struct bench_meter *meter = meter_of(pool);
    meter->usage = meter->inner->ops->usage(meter->inner);
    meter->inner->ops->close(meter->inner, speed);
    meter->inner = NULL;
}

static struct disk_pool *meter_twin(struct disk_pool *pool);

static void begin_meter(struct bench_meter *meter, struct disk_pool *inner,
                        struct bench_meter *twin) {
    static const struct disk_pool_ops OPS = {
        .open = meter_open,
        .write = meter_write,
        .read = meter_read,
        .drop = meter_drop,
        .reference = meter_reference,
        .twin = meter_twin,
        .usage = meter_usage,
        .close = meter_close,
    };
    *meter = (struct bench_meter){.pool = {&OPS}, .inner = inner, .twin = twin};
}

static struct disk_pool *meter_twin(struct disk_pool *pool) {
    struct bench_meter *meter = meter_of(pool);
    struct disk_pool *inner = meter->inner->ops->twin(meter->inner);
    ASSERT(meter->twin && !meter->twin->inner);
    if (!inner) return NULL;
    begin_meter(meter->twin, inner, NULL);
    return &meter->twin->pool;
}

struct disk_pool *bench_meter_init(struct bench_meter meters[BENCH_METERS],
                                   struct disk_pool *inner) {
    meters[1] = (struct bench_meter){0}; // until an engine asks for it
    begin_meter(&meters[0], inner, &meters[1]);
    return &meters[0].pool;
}

void bench_meter_add(struct bench_meter *sum, const struct bench_meter *meter) {
    sum->reads += meter->reads;
    sum->read_blocks += meter->read_blocks;
    sum->read_bytes += meter->read_bytes;
    sum->read_us += meter->read_us;
    sum->writes += meter->writes;
    sum->write_blocks += meter->write_blocks;
    sum->write_bytes += meter->write_bytes;
    sum->write_us += meter->write_us;
    sum->usage.written_bytes += meter->usage.written_bytes;
    sum->usage.payload_bytes += meter->usage.payload_bytes;
}
