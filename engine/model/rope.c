#include "engine/model/rope.h"

#include <math.h>

#include "kernels/base/assert.h"

static const double PI = 3.14159265358979323846;

// The pair (as a real number) that makes `turns` full turns over the original context.
static double pair_of_turns(const struct rope *rope, double turns) {
    return rope->dimensions * log(rope->original_context / (turns * 2 * PI)) /
           (2 * log((double)rope->base));
}

// YaRN's ramp: 0 for fast pairs, which stay, 1 for slow ones, which are divided by the factor.
static double yarn_ramp(const struct rope *rope, int32_t pair) {
    const double fast = pair_of_turns(rope, (double)rope->beta_fast);
    const double slow = pair_of_turns(rope, (double)rope->beta_slow);
    const double low = fmax(rope->exact_yarn ? fast : floor(fast), 0);
    const double high = fmin(rope->exact_yarn ? slow : ceil(slow), rope->dimensions - 1);
    const double width = fmax(high - low, 0.001);
    return fmin(fmax((pair - low) / width, 0), 1);
}

void rope_inv_freq(const struct rope *rope, const float *factors, float *inv_freq) {
    ASSERT(rope->dimensions > 0 && rope->dimensions % 2 == 0);
    for (int32_t pair = 0; pair < rope->dimensions / 2; pair++) {
        double frequency = pow((double)rope->base, -2.0 * pair / rope->dimensions);
        if (factors) frequency /= (double)factors[pair];
        const double slowed = frequency / (double)rope->factor;
        if (rope->scaling == ROPE_LINEAR) frequency = slowed;
        if (rope->scaling == ROPE_YARN) {
            const double ramp = yarn_ramp(rope, pair);
            frequency = slowed * ramp + frequency * (1 - ramp);
        }
        inv_freq[pair] = (float)frequency;
    }
}
