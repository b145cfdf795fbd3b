// kernels/huge_pages.c — mremap() over a mapping, which readers cannot tell from before.
//
// The call unmaps a chunk of the file and puts the copy's page tables in its place under the lock
// of the address space. A reader whose page is gone in between faults and waits for that lock, then
// finds the copy. A copy keeps the huge pages it has, because source and destination begin at one.
//
// What the kernel refuses, it refuses before it unmaps, but for one thing: where it promises no
// more memory than it has (vm.overcommit_memory is 2), it looks at what is promised after it has
// unmapped, though the call asks for no more. Nothing is copied there. fork() would fail, too.
//
// Copies that do not fit each other's addresses stay mappings of their own, and a process may have
// 65,530 of those: so a chunk is several huge pages. A smaller one would make a prompt wait less.
#include "kernels/huge_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "kernels/host.h"
#include "kernels/numa.h"

static const size_t HUGE_BYTES = (size_t)2 << 20;
static const size_t CHUNK_BYTES = (size_t)16 << 20;

// After a chunk the thread rests, SPARING times as long as the chunk took: days, if the process was
// stopped meanwhile.
enum { SPARING = 19, LONGEST_REST_MS = 60000 };

enum { POPULATE_READ = 22, COLLAPSE = 25 }; // of madvise, as the kernel numbers them

// PAGEMAP_SCAN of Linux 6.7 (Documentation/admin-guide/mm/pagemap.rst), which older headers lack.
struct scan_result {
    uint64_t start, end, categories;
};
struct scan {
    uint64_t size, flags, start, end, walk_end;
    uint64_t results, results_length, max_pages;
    uint64_t inverted, mask, any_of, returned; // categories
};
enum { CATEGORY_HUGE = 1 << 6 };

struct huge_pages {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum huge_pages_pace pace; // with the lock, as the next three
    bool stopping, done;
    size_t copied;
    struct huge_pages_memory memory; // its budget: what is left of it
    int pagemap;                     // a descriptor; -1: none
    size_t count;
    struct huge_pages_range ranges[];
};

static bool read_line(const char *root, const char *name, char text[64]) {
    char path[256];
    snprintf(path, sizeof path, "%s%s", root, name);
    FILE *file = fopen(path, "r");
    const bool known = file && fgets(text, 64, file);
    if (file) (void)fclose(file);
    return known;
}

size_t huge_pages_budget(const char *root, size_t bytes, size_t reserved) {
    char text[64];
    size_t total, available;
    if (!read_line(root, "/sys/kernel/mm/transparent_hugepage/enabled", text) ||
        strstr(text, "[never]"))
        return 0;
    if (read_line(root, "/proc/sys/vm/overcommit_memory", text) && text[0] == '2') return 0;
    host_memory(&total, &available);
    if (available < bytes || available - bytes < reserved) return 0;
    return available - bytes - reserved;
}

static bool lies_in_huge_pages(const struct huge_pages *pages, const char *chunk, size_t bytes) {
    struct scan_result found = {0};
    struct scan scan = {
        .size = sizeof scan,
        .start = (uintptr_t)chunk,
        .end = (uintptr_t)chunk + bytes,
        .results = (uintptr_t)&found,
        .results_length = 1,
        .mask = CATEGORY_HUGE,
        .returned = CATEGORY_HUGE,
    };
    // Neighbours of one category are one result.
    return pages->pagemap >= 0 && ioctl(pages->pagemap, _IOWR('f', 16, struct scan), &scan) == 1 &&
           found.start == scan.start && found.end == scan.end;
}

// Anonymous memory that begins at a huge page; NULL: refused.
static char *map_copy(size_t bytes) {
    char *mapping =
        mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return NULL;
    const size_t before = (HUGE_BYTES - (uintptr_t)mapping % HUGE_BYTES) % HUGE_BYTES;
    if (before > 0) munmap(mapping, before);
    munmap(mapping + before + bytes, HUGE_BYTES - before);
    return mapping + before;
}

// False: nothing has changed.
static bool move_copy(char *chunk, size_t bytes) {
    char *copy = map_copy(bytes);
    if (!copy) return false;
    (void)madvise(copy, bytes, MADV_DONTDUMP); // as little as the file it is copied from
    bool moved = madvise(copy, bytes, MADV_HUGEPAGE) == 0;
    if (moved) memcpy(copy, chunk, bytes);
    moved = moved && mprotect(copy, bytes, PROT_READ) == 0 &&
            mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, chunk) == chunk;
    if (!moved) munmap(copy, bytes);
    return moved;
}

// What others have taken since the start counts, so that programs that start together do not each
// take the same memory.
static bool may_copy(const struct huge_pages *pages, size_t bytes) {
    size_t total, available;
    if (bytes > pages->memory.budget) return false;
    host_memory(&total, &available);
    return available >= bytes && available - bytes >= pages->memory.kept;
}

// False: the next ones will fare no better.
static bool settle_chunk(struct huge_pages *pages, char *chunk, size_t bytes) {
    // Fails where the file has become shorter. Older kernels do not know it.
    if (madvise(chunk, bytes, POPULATE_READ) != 0 && errno != EINVAL) return false;
    if (lies_in_huge_pages(pages, chunk, bytes)) return true;
    if (madvise(chunk, bytes, COLLAPSE) == 0) return true;
    if (!may_copy(pages, bytes) || !move_copy(chunk, bytes)) return false;
    pages->memory.budget -= bytes;
    pthread_mutex_lock(&pages->lock);
    pages->copied += bytes;
    pthread_mutex_unlock(&pages->lock);
    return true;
}

// Waits as long as the pace wants it after a chunk that took that long. False: the owner wants no
// more.
static bool may_begin(struct huge_pages *pages, int64_t elapsed_us) {
    const int64_t rest_ms = elapsed_us * SPARING / 1000;
    const struct timespec until =
        clock_deadline(rest_ms < LONGEST_REST_MS ? (int)rest_ms : LONGEST_REST_MS);
    bool rested = elapsed_us == 0;
    pthread_mutex_lock(&pages->lock);
    while (!pages->stopping && pages->pace != HUGE_PAGES_FREELY &&
           !(rested && pages->pace == HUGE_PAGES_SPARINGLY)) {
        if (rested)
            pthread_cond_wait(&pages->changed, &pages->lock);
        else
            rested = pthread_cond_timedwait(&pages->changed, &pages->lock, &until) == ETIMEDOUT;
    }
    const bool may = !pages->stopping;
    pthread_mutex_unlock(&pages->lock);
    return may;
}

static bool settle_range(struct huge_pages *pages, const struct huge_pages_range *range) {
    const size_t skipped = (HUGE_BYTES - (uintptr_t)range->bytes % HUGE_BYTES) % HUGE_BYTES;
    if (range->length < HUGE_PAGES_LEAST_BYTES) return true;
    const size_t bytes = (range->length - skipped) / HUGE_BYTES * HUGE_BYTES;
    char *first = (char *)(uintptr_t)range->bytes + skipped;
    int64_t elapsed_us = 0;
    for (size_t at = 0; at < bytes; at += CHUNK_BYTES) {
        const size_t left = bytes - at, chunk = left < CHUNK_BYTES ? left : CHUNK_BYTES;
        if (!may_begin(pages, elapsed_us)) return false;
        const int64_t began_us = clock_now_us();
        if (!settle_chunk(pages, first + at, chunk)) return false;
        elapsed_us = clock_now_us() - began_us;
    }
    return true;
}

static void *settle_main(void *argument) {
    struct huge_pages *pages = argument;
    if (pages->memory.nodes)
        (void)numa_spread(pages->memory.nodes); // this thread's memory, and it ends here
    bool goes_on = true;
    for (size_t i = 0; i < pages->count && goes_on; i++)
        goes_on = settle_range(pages, &pages->ranges[i]);
    pthread_mutex_lock(&pages->lock);
    pages->done = true;
    pthread_cond_broadcast(&pages->changed);
    pthread_mutex_unlock(&pages->lock);
    return NULL;
}

static void destroy(struct huge_pages *pages) {
    if (pages->pagemap >= 0) close(pages->pagemap);
    pthread_cond_destroy(&pages->changed);
    pthread_mutex_destroy(&pages->lock);
    free(pages);
}

struct huge_pages *huge_pages_start(const struct huge_pages_range *ranges, size_t count,
                                    const struct huge_pages_memory *memory) {
    struct huge_pages *pages = count ? calloc(1, sizeof *pages + count * sizeof *ranges) : NULL;
    if (!pages) return NULL;
    memcpy(pages->ranges, ranges, count * sizeof *ranges);
    pages->count = count;
    pages->memory = *memory;
    pages->pace = HUGE_PAGES_FREELY;
    pages->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    pthread_mutex_init(&pages->lock, NULL);
    pthread_cond_init(&pages->changed, NULL);
    if (pthread_create(&pages->thread, NULL, settle_main, pages) == 0) return pages;
    destroy(pages);
    return NULL;
}

void huge_pages_set_pace(struct huge_pages *pages, enum huge_pages_pace pace) {
    if (!pages) return;
    pthread_mutex_lock(&pages->lock);
    pages->pace = pace;
    pthread_cond_broadcast(&pages->changed);
    pthread_mutex_unlock(&pages->lock);
}

size_t huge_pages_wait(struct huge_pages *pages) {
    if (!pages) return 0;
    pthread_mutex_lock(&pages->lock);
    while (!pages->done)
        pthread_cond_wait(&pages->changed, &pages->lock);
    const size_t copied = pages->copied;
    pthread_mutex_unlock(&pages->lock);
    return copied;
}

void huge_pages_stop(struct huge_pages *pages) {
    if (!pages) return;
    pthread_mutex_lock(&pages->lock);
    pages->stopping = true;
    pthread_cond_broadcast(&pages->changed);
    pthread_mutex_unlock(&pages->lock);
    pthread_join(pages->thread, NULL);
    destroy(pages);
}
