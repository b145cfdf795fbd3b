#include "kernels/read_speed.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/clock.h"

enum { READINGS = 2, CACHES = 4, CHUNK = 1 << 20, KEPT_SHARE = 8 };

static const size_t LEAST_BYTES = (size_t)256 << 20;
static const size_t MOST_BYTES = (size_t)4 << 30;
static const int64_t LEAST_US = 10000; // of a reading: a launch does not count for much then

size_t read_speed_bytes(size_t cache_bytes) {
    const size_t bytes = cache_bytes < MOST_BYTES / CACHES ? CACHES * cache_bytes : MOST_BYTES;
    return bytes > LEAST_BYTES ? bytes : LEAST_BYTES;
}

// Untouched pages all map to one zero page, which would be read from a processor's caches.
static bool fill_memory(const struct backend *backend, struct device *device, char *memory,
                        size_t bytes) {
    char *chunk = malloc(CHUNK);
    if (!chunk) return false;
    memset(chunk, 1, CHUNK);
    for (size_t at = 0; at < bytes; at += CHUNK)
        backend->to_device(device, memory + at, chunk, bytes - at < CHUNK ? bytes - at : CHUNK);
    const bool filled = backend->sync(device) == STATUS_OK;
    free(chunk);
    return filled;
}

// Of `times` readings one after the other; 0: the device failed.
static int64_t reading_us(const struct backend *backend, struct device *device, const void *memory,
                          size_t bytes, int pattern, int64_t times) {
    const int64_t before = clock_now_us();
    for (int64_t i = 0; i < times; i++)
        backend->read(device, memory, bytes, pattern);
    if (backend->sync(device) != STATUS_OK) return 0;
    const int64_t elapsed_us = clock_now_us() - before;
    return elapsed_us > 0 ? elapsed_us : 1;
}

double read_speed_of(const struct backend *backend, struct device *device, size_t bytes) {
    struct device_info info;
    void *memory;
    double best = 0;
    backend->info(device, &info);
    if (bytes > info.memory_free - info.memory_free / KEPT_SHARE) return 0;
    if (backend->alloc(device, bytes, &memory) != STATUS_OK) return 0;
    bool works = fill_memory(backend, device, memory, bytes);
    for (int i = 0; i < READINGS * READ_PATTERNS && works; i++) {
        const int pattern = i % READ_PATTERNS;
        const int64_t one_us = reading_us(backend, device, memory, bytes, pattern, 1);
        const int64_t times = one_us > 0 && one_us < LEAST_US ? LEAST_US / one_us + 1 : 1;
        const int64_t us = times > 1 && one_us > 0
                               ? reading_us(backend, device, memory, bytes, pattern, times)
                               : one_us;
        const double speed = us > 0 ? (double)bytes * (double)times * 1e6 / (double)us : 0;
        works = us > 0;
        if (speed > best) best = speed;
    }
    backend->release(device, memory, bytes);
    return works ? best : 0;
}

double read_speed_measure(const struct backend *backend, struct device *device) {
    struct device_info info;
    backend->info(device, &info);
    return read_speed_of(backend, device, read_speed_bytes(info.cache_bytes));
}
