#include "app/bench/samples.h"

#include <stdlib.h>

void samples_add(struct samples *samples, double value) {
    if (samples->count < SAMPLES_MAX) samples->values[samples->count++] = value;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const double *sorted, int32_t count) {
    const double upper = sorted[count / 2];
    return count % 2 ? upper : (sorted[count / 2 - 1] + upper) / 2;
}

struct figure samples_figure(struct samples *samples) {
    if (samples->count == 0) return (struct figure){0};
    qsort(samples->values, (size_t)samples->count, sizeof samples->values[0], compare);
    return (struct figure){
        .low = samples->values[0],
        .median = median_of(samples->values, samples->count),
        .high = samples->values[samples->count - 1],
        .count = samples->count,
    };
}

// SplitMix64's finaliser (Steele, Lea & Flood, OOPSLA 2014): neighbours differ in all bits.
static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

void bench_ids(int32_t vocabulary, uint32_t salt, int32_t first, int32_t count, int32_t *ids) {
    for (int32_t i = 0; i < count; i++) {
        const uint64_t place = (uint64_t)salt << 32 | (uint32_t)(first + i);
        ids[i] = (int32_t)(mix(place + 1) % (uint64_t)vocabulary);
    }
}

enum status bench_append(struct sequence *sequence, int32_t vocabulary, uint32_t salt,
                         int32_t length) {
    enum { AT_ONCE = 256 };
    int32_t ids[AT_ONCE];
    for (int32_t at = sequence_length(sequence); at < length;) {
        const int32_t count = length - at < AT_ONCE ? length - at : AT_ONCE;
        bench_ids(vocabulary, salt, at, count, ids);
        TRY(sequence_append(sequence, ids, (size_t)count));
        at += count;
    }
    return STATUS_OK;
}
