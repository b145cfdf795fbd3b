#include "app/bench/samples.h"

#include <stdio.h>
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

const char *digits_format(double value, char text[DIGITS_TEXT_BYTES]) {
    snprintf(text, DIGITS_TEXT_BYTES, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
    return text;
}

const char *figure_format(const struct figure *figure, double unit, char text[FIGURE_TEXT_BYTES]) {
    char low[DIGITS_TEXT_BYTES], median[DIGITS_TEXT_BYTES], high[DIGITS_TEXT_BYTES];
    if (figure->count == 0) return "-";
    snprintf(text, FIGURE_TEXT_BYTES, "%s (%s - %s)", digits_format(figure->median / unit, median),
             digits_format(figure->low / unit, low), digits_format(figure->high / unit, high));
    return text;
}
