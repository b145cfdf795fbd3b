// kernels/base/effort.h — how much work may somebody else's bytes cause?
//
// A loop over outside data that may take longer than the data is long spends steps, each of some
// nanoseconds. It ends when they are used up or when the user interrupts. The limit is in steps, so
// that it is the same on a slow machine. How a user interrupts differs: ^C is a key in a chat and a
// signal elsewhere.
//
// Memory: none. Threads: an effort is one thread's, the one that effort_watch()'s function is for.
#ifndef BASE_EFFORT_H
#define BASE_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct effort {
    uint64_t left;
    uint64_t unwatched; // steps since the user was last heard
    enum status status; // why it has ended, if it has
};

static inline struct effort effort_of(uint64_t steps) { return (struct effort){.left = steps}; }

// FULL: too many. CANCELLED: the user interrupted. Once it has ended it stays so.
enum status effort_spend(struct effort *effort, uint64_t steps);

// Has the user interrupted? For waits, which spend nothing.
bool effort_unwanted(void);

// Sets the function that says whether the user has interrupted; NULL: never. Called every few
// milliseconds, within effort_spend() or effort_unwanted().
void effort_watch(bool (*stops)(void *user), void *user);

#endif
