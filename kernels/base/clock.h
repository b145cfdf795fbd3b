// kernels/base/clock.h — how long something took, and how long to wait.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

int64_t clock_now_us(void); // on a clock that never jumps; its zero means nothing

// timeout_ms from now, as pthread_cond_timedwait() and its kin want it.
struct timespec clock_deadline(int timeout_ms);

#endif
