// kernels/base/array.h — arrays that grow by doubling.
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

// Space for one item after `count`. `items` is the address of the array's pointer, which may be
// NULL while *capacity is 0. False: no memory, and everything is as it was.
bool array_reserve(void *items, size_t count, size_t *capacity, size_t item_bytes);

#endif
