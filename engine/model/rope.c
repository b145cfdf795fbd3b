#include "engine/model/rope.h"

#include <math.h>

#include "engine/model/folder_layout.h"
#include "kernels/base/assert.h"

// What cosine and sine are multiplied by where YaRN stretches: what the file states as the whole of
// it, or what follows from the factor, of which a multiplier takes a part back. Converters write a
// configuration's attention_factor, which is the whole, or else its attn_factor, which is below 1
// where it says anything, and which neither transformers nor llama.cpp apply.
static float yarn_magnitude(struct metadata *metadata, float factor) {
    const float stretch = factor > 1 ? 0.1f * logf(factor) : 0;
    const float stated = metadata_float(metadata, "rope.scaling.yarn_attn_factor", 0);
    const float given = stated == 1 && metadata_is_of_writer(metadata) ? 0 : stated; // its default
    const float multiplier = metadata_float(metadata, "rope.scaling.yarn_log_multiplier", 0);
    return given >= 1 ? given : (1 + stretch) / (1 + multiplier * stretch);
}

// A share below 0 is one that is not stated.
static void read_yarn(struct metadata *metadata, struct rope *rope) {
    double share = 1;
    metadata_find_float(metadata, "rope.scaling.yarn_ext_factor", &share);
    if (share >= 0 && share != 1)
        metadata_unsupported(metadata, "rope.scaling.yarn_ext_factor", "1");
    rope->beta_fast = metadata_float(metadata, "rope.scaling.yarn_beta_fast", 32.0f);
    rope->beta_slow = metadata_float(metadata, "rope.scaling.yarn_beta_slow", 1.0f);
    rope->attention_factor *= yarn_magnitude(metadata, rope->factor);
}

// A factor without a type is a linear one, and so is its older name.
static void read_scaling(struct metadata *metadata, struct rope *rope) {
    static const char *const types[] = {"none", "linear", "yarn", "longrope"};
    static const char key[] = "rope.scaling.factor";
    const int type =
        metadata_choice(metadata, "rope.scaling.type", types, 4, "none, linear, yarn or longrope");
    const bool needed = type == ROPE_LINEAR || type == ROPE_YARN;
    const float older = metadata_float(metadata, "rope.scale_linear", 0);
    const float factor = metadata_float(metadata, key, older > 0 || !needed ? older : NAN);
    if (factor != 0 && factor < 1e-3f)
        metadata_fail(metadata, STATUS_BAD_FILE, key, "is too close to 0");
    rope->factor = factor > 0 ? factor : 1;
    rope->scaling = type >= 0 ? (enum rope_scaling)type : factor > 0 ? ROPE_LINEAR : ROPE_PLAIN;
    // Phi-3's files have factors and say what cosine and sine are multiplied by; no type.
    rope->attention_factor = metadata_float(metadata, "rope.scaling.attn_factor", 1.0f);
    if (rope->attention_factor != 1 && rope->scaling == ROPE_PLAIN && type < 0)
        rope->scaling = ROPE_LONG;
    if (rope->scaling == ROPE_YARN) read_yarn(metadata, rope);
}

struct rope rope_read(struct metadata *metadata, const struct rope *family,
                      const struct model_config *config, int32_t head_size) {
    if (metadata->folder) {
        struct rope rope = metadata->folder->rope;
        if (rope.original_context == 0) rope.original_context = config->context;
        return rope;
    }
    struct rope rope = *family;
    rope.base = metadata_factor(metadata, "rope.freq_base", 10000.0f);
    rope.dimensions = metadata_int(metadata, "rope.dimension_count", head_size, head_size);
    if (rope.dimensions % 2)
        metadata_fail(metadata, STATUS_BAD_FILE, "rope.dimension_count", "must be even");
    if (rope.base < 1.0f)
        metadata_fail(metadata, STATUS_BAD_FILE, "rope.freq_base", "must be at least 1");
    rope.original_context =
        metadata_context(metadata, "rope.scaling.original_context_length", config->context);
    read_scaling(metadata, &rope);
    return rope;
}

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
