#include "kernels/base/effort.h"

enum { WATCH_STEPS = 1 << 16 };

static struct {
    bool (*stops)(void *user);
    void *user;
} watch;

void effort_watch(bool (*stops)(void *user), void *user) {
    watch.stops = stops;
    watch.user = user;
}

bool effort_unwanted(void) { return watch.stops && watch.stops(watch.user); }

enum status effort_spend(struct effort *effort, uint64_t steps) {
    if (effort->status != STATUS_OK) return effort->status;
    if (steps > effort->left) return effort->status = STATUS_FULL;
    effort->left -= steps;
    effort->unwatched += steps;
    if (effort->unwatched < WATCH_STEPS) return STATUS_OK;
    effort->unwatched = 0;
    if (effort_unwanted()) effort->status = STATUS_CANCELLED;
    return effort->status;
}
