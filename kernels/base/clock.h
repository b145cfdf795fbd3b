// kernels/base/clock.h — how long something took, and how long to wait.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

int64_t clock_now_us(void); // on a clock that never jumps; its zero means nothing

// The same without the time that the process was stopped for (^Z), as far as that was noted: how
// long something worked. May be behind for the moment in which the process continues.
int64_t clock_working_us(void);
void clock_note_stop(int64_t us);

// timeout_ms from now, as pthread_cond_timedwait() and its kin want it.
struct timespec clock_deadline(int timeout_ms);

#endif
