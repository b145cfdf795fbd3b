// app/bench/samples.h — input and output of benches: token ids, and statistics of samples.
//
// Token ids depend only on a salt and a position: equal salts give equal logs, different salts
// share nothing.
#ifndef APP_BENCH_SAMPLES_H
#define APP_BENCH_SAMPLES_H

#include "engine/sequence.h"

enum { SAMPLES_MAX = 128 };

struct samples {
    double values[SAMPLES_MAX];
    int32_t count;
};
struct figure { // count 0: not measured; median of an even count: mean of the middle two
    double low, median, high;
    int32_t count;
};
void samples_add(struct samples *samples, double value); // ignored beyond SAMPLES_MAX
struct figure samples_figure(struct samples *samples);   // sorts them

// Fills ids[0..count) for the positions [first, first + count); each id is in 0 … vocabulary - 1.
void bench_ids(int32_t vocabulary, uint32_t salt, int32_t first, int32_t count, int32_t *ids);

// Extends the log to `length` with the tokens of the salt.
MUST_CHECK enum status bench_append(struct sequence *sequence, int32_t vocabulary, uint32_t salt,
                                    int32_t length);

#endif
