// kernels/huge_pages.h — where do weights lie that a processor reads in their file?
//
// A mapped file has pages of 4 KiB, and a processor that streams weights through them waits for its
// page tables. A thread moves what is mapped into huge pages, chunk by chunk, while others read it:
//
//   mapping  ├──┼── chunk ──┼── chunk ──┼── … ──┼──┤      chunks begin and end at huge pages;
//               │     ▲ moved over it in one call         the edges stay as they are
//   copy        └─────┘ anonymous, huge pages, read-only
//
// A chunk whose cached pages are huge already stays, and those that the system can join in its
// cache are joined there (MADV_COLLAPSE). Only what is left is copied, which takes memory (struct
// huge_pages_memory). The file stays in the cache as long as the system has memory for it.
//
// Invariants:
//   (1) addresses and bytes are the same before, while and after a chunk moves;
//   (2) whatever is refused (memory, the call, a kernel without it) leaves a mapping that works.
//
// Memory: ranges are borrowed until huge_pages_stop(), which comes before they are unmapped;
// unmapping them gives the copies back. Threads: one owner calls; anyone may read the ranges.
#ifndef KERNELS_HUGE_PAGES_H
#define KERNELS_HUGE_PAGES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct huge_pages;

struct huge_pages_range { // of a mapping that is only read
    const void *bytes;
    size_t length;
};

enum { HUGE_PAGES_LEAST_BYTES = 4 << 20 }; // of a range that is worth it

// What may be copied of `bytes` that are mapped: available memory stays above them, so that the
// file can stay in the cache, and above `reserved` bytes that were promised to others. 0: nothing,
// the system gives no huge pages to those who ask (madvise), or it promises no more memory than it
// has. `root` stands before /proc and /sys, for tests; else "".
size_t huge_pages_budget(const char *root, size_t bytes, size_t reserved);

struct huge_pages_memory {
    size_t budget;  // bytes that may be copied
    size_t kept;    // of available memory, which each copy leaves; else there are no more copies
    uint64_t nodes; // over which copies are spread (numa.h)
};

// Starts the thread; `ranges` need not outlive the call. NULL: there is nothing to move, or no
// thread.
struct huge_pages *huge_pages_start(const struct huge_pages_range *ranges, size_t count,
                                    const struct huge_pages_memory *memory);

// How much of a processor the thread may take. It begins with all of it.
enum huge_pages_pace {
    HUGE_PAGES_PAUSED,    // no chunk begins: a prompt has the processor and the disk to itself,
                          // and so has what is read of an earlier conversation
    HUGE_PAGES_SPARINGLY, // a twentieth of the time, so that a short answer hardly feels it
    HUGE_PAGES_FREELY,    // nobody waits
};
void huge_pages_set_pace(struct huge_pages *pages, enum huge_pages_pace pace); // NULL is fine

// Returns when each chunk is where it will stay, and how many bytes were copied. Not while it is
// paused. NULL is fine.
size_t huge_pages_wait(struct huge_pages *pages);

// Ends the thread, within a chunk, and frees it. NULL is fine.
void huge_pages_stop(struct huge_pages *pages);

#ifdef __cplusplus
}
#endif

#endif
