// kernels/read_speed.h — how fast can this device read its memory?
//
// The ceiling that benches divide by, so it must not come from caches, and not be too low, which
// would flatter. Each pattern reads a buffer of four times the caches, 256 MiB to 4 GiB, many
// times; the fastest reading counts. A machine's speed varies, so a long benchmark measures again
// in between and keeps the highest.
//
// The less is read, the more a cache helps. Whatever reads at least as many bytes as this buffer
// has is helped no more than this measurement was; for less, a share of the ceiling means nothing.
#ifndef KERNELS_READ_SPEED_H
#define KERNELS_READ_SPEED_H

#include "kernels/backend.h"

size_t read_speed_bytes(size_t cache_bytes); // of the buffer

// In bytes a second; 0: there is no memory for the buffer, or the device failed. All of the buffer
// is touched, so it takes no more than seven eighths of what is free: a processor's allocation
// succeeds without memory behind it, and the system ends the process later. Nothing else may run on
// the device.
double read_speed_measure(const struct backend *backend, struct device *device);

// The same with a buffer of `bytes`. Caches of hundreds of MiB keep a part of a buffer that is only
// four times as large.
double read_speed_of(const struct backend *backend, struct device *device, size_t bytes);

#endif
