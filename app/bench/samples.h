// app/bench/samples.h — the input and output of benches: token ids, and numbers.
//
// Token ids are made from a salt and a position: equal salts give equal logs, different ones
// share nothing.
#ifndef APP_BENCH_SAMPLES_H
#define APP_BENCH_SAMPLES_H

#include "engine/sequence.h"

enum { SAMPLES_MAX = 128 };

struct samples {
    double values[SAMPLES_MAX];
    int32_t count;
};
struct figure { // count 0: not measured; of an even count the mean of the middle two
    double low, median, high;
    int32_t count;
};
void samples_add(struct samples *samples, double value); // beyond SAMPLES_MAX: nothing
struct figure samples_figure(struct samples *samples);   // sorts them

// ids[0..count) are those of positions [first, first + count), each in 0 … vocabulary - 1.
void bench_ids(int32_t vocabulary, uint32_t salt, int32_t first, int32_t count, int32_t *ids);

// Adds tokens [length of the log, length) of the salt to the log.
MUST_CHECK enum status bench_append(struct sequence *sequence, int32_t vocabulary, uint32_t salt,
                                    int32_t length);

#endif
