// engine/base/clock.h — how long something took.
//
// Microseconds on a clock that never jumps; its zero means nothing.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_now_us(void);

#endif
