#include "app/base/nearness.h"

#include <stdint.h>
#include <string.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

size_t nearness_edits(const char *a, const char *b) {
    const size_t a_length = strlen(a), b_length = strlen(b);
    size_t row[NEARNESS_MAX_BYTES + 1];
    if (a_length > NEARNESS_MAX_BYTES || b_length > NEARNESS_MAX_BYTES) return SIZE_MAX;
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = least(changed, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_length];
}
