// kernels/base/effort.h — how much work may the bytes of somebody else cause?
//
// A loop over outside data whose length is not that of the data spends steps, each of which takes
// some nanoseconds. When they are used up, or when a person wants it to stop, it ends: limits do
// not depend on how fast the machine is. How a person says so differs: ^C is a key in a chat, and
// a signal elsewhere.
//
// Memory: none. Threads: an effort is one thread's, the one that effort_watch()'s function is for.
#ifndef BASE_EFFORT_H
#define BASE_EFFORT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/status.h"

struct effort {
    uint64_t left;
    uint64_t unwatched; // steps since a person was asked
    enum status status; // why it has ended, if it has
};

static inline struct effort effort_of(uint64_t steps) { return (struct effort){.left = steps}; }

// FULL: too many. CANCELLED: a person wants no more. Once it has ended it stays so.
enum status effort_spend(struct effort *effort, uint64_t steps);

// Does a person want no more? For waits, which spend nothing.
bool effort_unwanted(void);

// From now on this says whether a person wants no more; NULL: nobody does. Called every few
// milliseconds, within effort_spend() or effort_unwanted().
void effort_watch(bool (*stops)(void *user), void *user);

#endif
