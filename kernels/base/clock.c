#include "kernels/base/clock.h"

#include <stdatomic.h>

static _Atomic int64_t stopped_us;

int64_t clock_now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_working_us(void) { return clock_now_us() - atomic_load(&stopped_us); }

void clock_note_stop(int64_t us) { atomic_fetch_add(&stopped_us, us); }

struct timespec clock_deadline(int timeout_ms) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}
