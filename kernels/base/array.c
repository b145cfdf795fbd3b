#include "kernels/base/array.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"
#include "kernels/base/size.h"

bool array_reserve(void *items, size_t count, size_t *capacity, size_t item_bytes) {
    enum { FIRST_CAPACITY = 16 };
    void *memory;
    size_t wanted = FIRST_CAPACITY, bytes;
    ASSERT(count <= *capacity && item_bytes > 0);
    if (count < *capacity) return true;
    if (*capacity && !size_mul(*capacity, 2, &wanted)) return false;
    if (!size_mul(wanted, item_bytes, &bytes)) return false;
    memcpy(&memory, items, sizeof memory); // a pointer of any type
    memory = realloc(memory, bytes);
    if (!memory) return false;
    memcpy(items, &memory, sizeof memory);
    *capacity = wanted;
    return true;
}
