// kernels/cpu/threads.h — a pool of threads that computes. Private to kernels/.
//
// threads_for() cuts 0 ... items - 1 into tasks of `grain` items. The caller and its helpers claim
// them one by one, and the call returns when all are done. Which thread gets which task is chance,
// so results must not depend on it. A helper that holds no task is not waited for: another program
// may be using its processor.
//
// Helpers are pinned, one a physical core first. The caller stays where its owner put it, and the
// helpers keep off that processor. A helper that loses its own within a task finishes the task on
// the caller's, so another program takes its share of a processor and not more.
//
// Between jobs a helper spins for spin_us, because the next op usually follows at once, and then
// sleeps, so that an idle chat costs nothing.
//
// One thread at a time calls threads_for().
#ifndef CPU_THREADS_H
#define CPU_THREADS_H

#include <stdint.h>

#include "kernels/base/status.h"

struct threads;

// Computes items begin ... end - 1. `thread` is 0 ... threads_count() - 1, unique at any moment.
typedef void threads_body(void *context, int64_t begin, int64_t end, int32_t thread);

// `count` of 0: one for each physical core that this process may run on. `spin_us` of 0: 50.
MUST_CHECK enum status threads_create(int32_t count, int32_t spin_us, struct threads **threads);
void threads_destroy(struct threads *threads); // NULL is fine

int32_t threads_count(const struct threads *threads);

// Work of one task or less is done by the caller alone.
void threads_for(struct threads *threads, int64_t items, int64_t grain, threads_body *body,
                 void *context);

// The same for tasks of some microseconds: a thread claims several neighbouring ones at once while
// many are left.
void threads_for_small(struct threads *threads, int64_t items, int64_t grain, threads_body *body,
                       void *context);

#endif
