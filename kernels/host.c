// kernels/host.c — memory and facts of the processor.
#include "kernels/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/cgroup.h"
#include "kernels/cost.h"

enum {
    PAGE_BYTES = 4096,
    KEPT_SHARE = 16, // of all memory, that stays for others; at most KEPT_MOST
};
static const size_t KEPT_MOST = (size_t)2 << 30;

enum status host_alloc(struct device *device, size_t bytes, void **memory) {
    (void)device;
    if (bytes > SIZE_MAX - PAGE_BYTES) return STATUS_NO_MEMORY;
    const size_t length = size_round_up(bytes ? bytes : 1, PAGE_BYTES);
    void *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return STATUS_NO_MEMORY;
    (void)madvise(pages, length, MADV_HUGEPAGE); // a hint: a refusal costs speed only
    *memory = pages;
    return STATUS_OK;
}

void host_release(struct device *device, void *memory, size_t bytes) {
    (void)device;
    if (!memory) return;
    const int result = munmap(memory, size_round_up(bytes ? bytes : 1, PAGE_BYTES));
    ASSERT(result == 0); // only a pointer or size that alloc() never gave can fail
}

bool host_lock(const void *bytes, size_t count) {
    const uintptr_t first = (uintptr_t)bytes / PAGE_BYTES * PAGE_BYTES;
    return count <= host_spare_memory() &&
           mlock((const void *)first, (uintptr_t)bytes + count - first) == 0;
}

enum status host_weights(struct device *device, const struct weight *in_file, const void **data) {
    (void)device;
    *data = in_file->data;
    return STATUS_OK;
}

void host_copy_weights(struct device *device, const struct weight *in_file, void *memory) {
    (void)device;
    memcpy(memory, in_file->data, weight_bytes(in_file));
}

void host_to_device(struct device *device, void *memory, const void *host, size_t bytes) {
    (void)device;
    ASSERT(bytes == 0 || (memory && host));
    if (bytes) memcpy(memory, host, bytes);
}

void host_to_host(struct device *device, void *host, const void *memory, size_t bytes) {
    (void)device;
    ASSERT(bytes == 0 || (memory && host));
    if (bytes) memcpy(host, memory, bytes);
}

enum status host_sync(struct device *device) {
    (void)device;
    return STATUS_OK;
}

void host_call(struct device *device, void (*function)(void *user), void *user) {
    (void)device;
    function(user);
}

void host_copy_parts(struct device *device, const struct copy_parts *args) {
    (void)device;
    ASSERT(args->rows > 0 && args->columns > 0 && args->elements > 0);
    for (size_t a = 0; a < (size_t)args->rows; a++)
        for (size_t b = 0; b < (size_t)args->columns; b++)
            memcpy((float *)args->y + a * args->y_row + b * args->y_column,
                   (const float *)args->x + a * args->x_row + b * args->x_column,
                   (size_t)args->elements * sizeof(float));
}

void host_scale_rows(struct device *device, const struct scale_rows *args) {
    const size_t dim = (size_t)args->dim;
    (void)device;
    ASSERT(args->rows > 0 && args->dim > 0);
    for (size_t r = 0; r < (size_t)args->rows; r++) {
        for (size_t i = 0; i < dim; i++)
            ((float *)args->x)[r * dim + i] *= args->factors[r];
        if (!args->keeps) args->factors[r] = 1;
    }
}

void host_copy_blocks(struct device *device, const struct copy_blocks *args) {
    (void)device;
    const size_t bytes = kv_block_bytes(args->cache);
    char *data = args->cache->data;
    for (int32_t i = 0; i < args->pairs; i++) {
        const uint32_t from = args->source[i], to = args->destination[i];
        ASSERT(from < args->cache->num_blocks && to < args->cache->num_blocks && from != to);
        memcpy(data + (size_t)to * bytes, data + (size_t)from * bytes, bytes);
    }
}

void host_swap_blocks(struct device *device, const struct swap_blocks *args) {
    (void)device;
    const size_t bytes = kv_block_bytes(args->cache);
    char *data = args->cache->data, *host = args->host;
    ASSERT(args->pairs == 0 || (data && host));
    ASSERT(args->pairs >= 0);
    for (int32_t i = 0; i < args->pairs; i++) {
        ASSERT(args->blocks[i] < args->cache->num_blocks);
        char *extent = data + (size_t)args->blocks[i] * bytes;
        char *slot = host + (size_t)args->slots[i] * bytes;
        memcpy(args->out ? slot : extent, args->out ? extent : slot, bytes);
    }
}

void host_cpu_name(char *name, size_t size) {
    (void)snprintf(name, size, "processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        const char *text = colon + 1 + strspn(colon + 1, " \t");
        (void)snprintf(name, size, "%.*s", (int)strcspn(text, "\n"), text);
        break;
    }
    (void)fclose(file);
}

// What the limit of a shell (`ulimit -v`) leaves of addresses.
static size_t left_to_process(void) {
    struct rlimit limit;
    size_t pages = 0;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    FILE *file = fopen("/proc/self/statm", "r");
    const bool known = file && fscanf(file, "%zu", &pages) == 1;
    if (file) (void)fclose(file);
    const size_t used = known ? pages * PAGE_BYTES : 0;
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

void host_memory(size_t *memory_total, size_t *memory_free) {
    *memory_total = *memory_free = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        size_t kib;
        if (sscanf(line, "MemTotal: %zu kB", &kib) == 1) *memory_total = kib * 1024;
        if (sscanf(line, "MemAvailable: %zu kB", &kib) == 1) *memory_free = kib * 1024;
    }
    (void)fclose(file);
    const struct cgroup_memory group = cgroup_memory_read("");
    const size_t left = left_to_process();
    if (group.limit < *memory_total) *memory_total = group.limit;
    if (group.left < *memory_free) *memory_free = group.left;
    if (left < *memory_free) *memory_free = left;
}

// Where nothing is left for others the system ends a process, and as likely as not this one.
size_t host_spare_memory(void) {
    size_t total, unused;
    host_memory(&total, &unused);
    if (total == 0) return SIZE_MAX;
    const size_t share = total / KEPT_SHARE, kept = share < KEPT_MOST ? share : KEPT_MOST;
    return unused > kept ? unused - kept : 0;
}

// The number in a file of /sys/devices/system/cpu, or 0.
static size_t cpu_fact(int cpu, int index, const char *name, char text[64]) {
    char path[128];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index,
                   name);
    FILE *file = fopen(path, "r");
    const bool known = file && fgets(text, 64, file);
    if (file) (void)fclose(file);
    return known ? (size_t)strtoul(text, NULL, 10) : 0;
}

// Each cache is counted at the first processor that has it ("4-7": at 4).
size_t host_cache_bytes(void) {
    enum { LEVELS_MAX = 8, CPUS_MAX = 4096 };
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t bytes = 0;
    for (int cpu = 0; cpu < cpus && cpu < CPUS_MAX; cpu++) {
        char text[64];
        int last = 0;
        while (last < LEVELS_MAX && cpu_fact(cpu, last, "level", text) > 0)
            last++;
        if (last == 0 || (int)cpu_fact(cpu, last - 1, "shared_cpu_list", text) != cpu) continue;
        const size_t size = cpu_fact(cpu, last - 1, "size", text);
        bytes += size << (strchr(text, 'M') ? 20 : strchr(text, 'K') ? 10 : 0);
    }
    return bytes;
}

void host_weight_row(const struct weight *weight, int32_t row, float *values) {
    const size_t columns = (size_t)weight->columns;
    const size_t row_bytes = dtype_row_bytes(weight->type, weight->columns);
    const float scale = weight_scale(weight);
    ASSERT(row >= 0 && row < weight->rows);
    dtype_to_float(weight->type, (const char *)weight->data + (size_t)row * row_bytes, values,
                   columns);
    for (size_t i = 0; i < columns && scale != 1; i++)
        values[i] *= scale;
}

void host_store(enum dtype type, void *memory, const float *values, int32_t count) {
    ASSERT(type == DTYPE_F32 || type == DTYPE_F16 || type == DTYPE_BF16);
    ASSERT(count >= 0);
    if (type == DTYPE_F32) {
        memcpy(memory, values, (size_t)count * sizeof *values);
        return;
    }
    uint16_t *bits = memory;
    for (int32_t i = 0; i < count; i++)
        bits[i] = type == DTYPE_F16 ? float_to_half(values[i]) : float_to_bf16(values[i]);
}
