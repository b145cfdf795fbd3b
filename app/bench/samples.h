// app/bench/samples.h — statistics of samples: the median of several runs, and their spread.
#ifndef APP_BENCH_SAMPLES_H
#define APP_BENCH_SAMPLES_H

#include <stdint.h>

enum { SAMPLES_MAX = 128, DIGITS_TEXT_BYTES = 24, FIGURE_TEXT_BYTES = 80 };

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

// Three digits that count: "1.25", "12.3", "1234".
const char *digits_format(double value, char text[DIGITS_TEXT_BYTES]);

// In `unit`: "12.3 (11.9 - 14.0)", or "-" if not measured.
const char *figure_format(const struct figure *figure, double unit, char text[FIGURE_TEXT_BYTES]);

#endif
