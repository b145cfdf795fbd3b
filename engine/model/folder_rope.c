#include "engine/model/folder_rope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/family_keys.h"
#include "kernels/base/assert.h"

int64_t folder_rope_global_count(struct reader *reader, const char *key, const char *own,
                                 int64_t otherwise) {
    const cJSON *layers = reader_get(reader, reader->json, "per_layer_config");
    const cJSON *item = layers ? reader_get(reader, layers->child, own) : NULL;
    const double value = item && cJSON_IsNumber(item) ? item->valuedouble : 0;
    if (!item) return reader_count(reader, key, otherwise);
    if (!(value >= 0 && value <= MODEL_MAX_DIM) || floor(value) != value)
        reader_fail(reader, STATUS_BAD_FILE, "per_layer_config", "is out of range");
    return reader->status == STATUS_OK ? (int64_t)value : 1;
}

// Reads [pairs] divisors; owned by the caller.
static float *factors_of(struct reader *reader, const cJSON *scaling, const char *key,
                         int32_t pairs) {
    const cJSON *list = reader_get(reader, scaling, key), *item;
    ASSERT(pairs >= 0 && pairs <= MODEL_MAX_HEAD_SIZE / 2);
    float *factors = calloc((size_t)pairs + 1, sizeof *factors);
    int32_t count = 0;
    if (!factors) reader->status = STATUS_NO_MEMORY;
    cJSON_ArrayForEach(item, list) {
        if (factors && count < pairs && cJSON_IsNumber(item))
            factors[count++] = (float)item->valuedouble;
        else
            count = pairs + 1;
    }
    if (count != pairs)
        reader_fail(reader, STATUS_BAD_FILE, key, "must have one factor for each rotated pair");
    return factors;
}

// Llama 3 leaves fast pairs alone, divides the angles of slow ones by the factor, and blends
// between the two by how many turns a pair makes over the original context.
static float *llama3_divisors(struct reader *reader, const cJSON *scaling, double base,
                              int32_t pairs) {
    static const double PI = 3.14159265358979323846;
    const double factor = reader_number(reader, scaling, "factor", 0);
    const double low = reader_number(reader, scaling, "low_freq_factor", 0);
    const double high = reader_number(reader, scaling, "high_freq_factor", 0);
    const double original = reader_number(reader, scaling, "original_max_position_embeddings", 0);
    float *divisors = calloc((size_t)pairs + 1, sizeof *divisors);
    if (!divisors) reader->status = STATUS_NO_MEMORY;
    if (!(factor > 0 && low > 0 && high > low && original > 0 && base > 0)) {
        reader_fail(reader, STATUS_BAD_FILE, "rope_scaling", "of type llama3 is missing a factor");
        return divisors;
    }
    for (int32_t i = 0; divisors && i < pairs; i++) {
        const double turns = original * pow(base, -1.0 * i / pairs) / (2 * PI);
        const double blend = fmin(fmax((turns - low) / (high - low), 0), 1);
        divisors[i] = (float)(1 / ((1 - blend) / factor + blend));
    }
    return divisors;
}

// 0 or less: the file does not say. A context longer than quire's limit is never filled.
static int32_t context_of(double tokens) {
    return tokens >= MODEL_MAX_CONTEXT ? MODEL_MAX_CONTEXT : tokens >= 1 ? (int32_t)tokens : 0;
}

static float stated(struct reader *reader, const cJSON *scaling, const char *key, double usual) {
    const double value = reader_number(reader, scaling, key, -1);
    return (float)(value >= 0 ? value : usual);
}

static void read_factor(struct reader *reader, const cJSON *scaling, double otherwise) {
    const double factor = reader_number(reader, scaling, "factor", otherwise);
    if (!(factor >= 1e-3 && factor <= 1e12))
        reader_fail(reader, STATUS_BAD_FILE, "rope_scaling",
                    "has a factor that is missing or out of range");
    reader->config->rope.factor = (float)factor;
}

// The number that cosine and sine are multiplied by is in the file, or follows from the factor.
// With latent attention, scores are scaled instead if there is a multiplier (latent_attention.c).
static void read_yarn(struct reader *reader, const cJSON *scaling) {
    struct rope *rope = &reader->config->rope;
    const double given = reader_number(reader, scaling, "attention_factor", 0);
    const double some =
        reader_number(reader, scaling, "mscale", 0); // of no effect without the other
    const double all = reader_number(reader, scaling, "mscale_all_dim", 0);
    const double beta = reader_number(reader, scaling, "llama_4_scaling_beta", -1);
    rope->scaling = ROPE_YARN;
    rope->original_context =
        context_of(reader_number(reader, scaling, "original_max_position_embeddings", 0));
    rope->beta_fast = stated(reader, scaling, "beta_fast", 32);
    rope->beta_slow = stated(reader, scaling, "beta_slow", 1);
    read_factor(reader, scaling, 0);
    if (beta >= 0) reader_state(reader, "attention.temperature_scale", beta);
    const double stretch = rope->factor > 1 ? 0.1 * log((double)rope->factor) : 0;
    double magnitude = given > 0 ? given : 1 + stretch;
    if (given <= 0 && some > 0 && all > 0) magnitude = (1 + some * stretch) / (1 + all * stretch);
    rope->attention_factor = (float)magnitude;
    if (reader->family->latent) {
        if (given > 0 || some != all)
            reader_fail(reader, STATUS_UNSUPPORTED, "rope_scaling",
                        "has an attention_factor, or an mscale that differs from mscale_all_dim, "
                        "which is not supported");
        reader_state(reader, "rope.scaling.yarn_log_multiplier", 0.1 * all);
        return;
    }
    if (reader_flag(reader, scaling, "truncate", true) == rope->exact_yarn)
        reader_fail(reader, STATUS_UNSUPPORTED, "rope_scaling",
                    "has a truncate that is not supported in this family");
}

static void read_longrope(struct reader *reader, const cJSON *scaling) {
    struct folder_config *config = reader->config;
    const double context = (double)reader_count(reader, "max_position_embeddings", -1);
    const double original =
        reader_number(reader, reader->json, "original_max_position_embeddings",
                      reader_number(reader, scaling, "original_max_position_embeddings", context));
    const double ratio = reader_number(reader, scaling, "factor", context / original);
    double attention = reader_number(reader, scaling, "attention_factor", 0);
    if (attention <= 0) attention = ratio > 1 ? sqrt(1 + log(ratio) / log(fmax(original, 2))) : 1;
    const double magnitude = reader_number(reader, scaling, "short_mscale", attention);
    if (reader_number(reader, scaling, "long_mscale", magnitude) != magnitude)
        reader_fail(reader, STATUS_UNSUPPORTED, "long_mscale",
                    "differs from short_mscale, which is not supported");
    if (!(original >= 1 && original < 0x1p31 && isfinite(magnitude)))
        reader_fail(reader, STATUS_BAD_FILE, "original_max_position_embeddings", "is out of range");
    config->rope.scaling = ROPE_LONG;
    config->rope.original_context = context_of(original);
    config->rope.attention_factor = (float)magnitude;
    config->rope_short = factors_of(reader, scaling, "short_factor", config->pairs);
    config->rope_long = factors_of(reader, scaling, "long_factor", config->pairs);
}

// Only a share of the pairs turns, by the angles that they have in the whole head. Like GGUF files,
// this gives the others a divisor so large that they hardly turn.
static void read_proportional(struct reader *reader, const cJSON *scaling, double share) {
    struct folder_config *config = reader->config;
    static const float STILL = 1e30f;
    const int32_t turning = (int32_t)(share * config->pairs);
    const double factor = reader_number(reader, scaling, "factor", 1);
    config->rope_freqs = calloc((size_t)config->pairs + 1, sizeof *config->rope_freqs);
    if (!config->rope_freqs) reader->status = STATUS_NO_MEMORY;
    if (!(factor > 0)) reader_fail(reader, STATUS_BAD_FILE, "factor", "is out of range");
    for (int32_t i = 0; config->rope_freqs && i < config->pairs; i++)
        config->rope_freqs[i] = i < turning ? (float)factor : STILL;
}

static void read_scaling(struct reader *reader, const cJSON *scaling, double base) {
    struct folder_config *config = reader->config;
    static const char *const of_none[] = {"factor", "beta_fast", "beta_slow", "mscale",
                                          "mscale_all_dim"};
    const char *type = reader_string(reader, scaling, "rope_type",
                                     reader_string(reader, scaling, "type", "default"));
    // For text, all three positions that mrope rotates by are the token's. Dynamic scaling begins
    // only where the context ends, except for its alpha, which is part of the base.
    if (!strcmp(type, "default") || !strcmp(type, "mrope")) return;
    for (size_t i = 0; i < sizeof of_none / sizeof of_none[0] && !strcmp(type, "dynamic"); i++)
        reader_get(reader, scaling, of_none[i]);
    if (!strcmp(type, "dynamic")) return;
    if (!strcmp(type, "linear")) {
        config->rope.scaling = ROPE_LINEAR;
        read_factor(reader, scaling, 1);
    } else if (!strcmp(type, "yarn")) {
        read_yarn(reader, scaling);
    } else if (!strcmp(type, "llama3")) {
        config->rope_freqs = llama3_divisors(reader, scaling, base, config->pairs);
    } else if (!strcmp(type, "longrope") || !strcmp(type, "su")) {
        read_longrope(reader, scaling);
    } else {
        char what[160];
        snprintf(what, sizeof what,
                 "has the unsupported type \"%.40s\" (expected default, linear, dynamic, yarn, "
                 "llama3 or longrope)",
                 type);
        reader_fail(reader, STATUS_UNSUPPORTED, "rope_scaling", what);
    }
}

// Reads a base for each layer: the same for all, or 0 for layers that are not rotated.
static double read_layer_bases(struct reader *reader, double otherwise) {
    static const char key[] = "layer_rope_theta";
    int32_t rotated[MODEL_MAX_LAYERS], count = 0;
    double base = 0;
    if (!family_keys_have(reader->family->keys, key)) return otherwise;
    const cJSON *list = reader_get(reader, reader->json, key), *item;
    if (!list) return otherwise;
    cJSON_ArrayForEach(item, list) {
        const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (value < 0 || count == MODEL_MAX_LAYERS)
            reader_fail(reader, STATUS_BAD_FILE, key, "must list a number for each layer");
        if (value > 0 && base > 0 && value != base)
            reader_fail(reader, STATUS_UNSUPPORTED, key,
                        "differs between layers that are rotated, which is not supported");
        if (reader->status != STATUS_OK) return otherwise;
        if (value > 0) base = value;
        rotated[count++] = value > 0;
    }
    reader_state_list(reader, "attention.rope_pattern", rotated, count);
    return base > 0 ? base : otherwise;
}

// What a file says about the rotation. Newer files have all of it in rope_parameters, for each kind
// of layer if they differ.
struct rotation {
    const cJSON *window, *scaling;
    double theta, base; // base: theta, or what "dynamic" makes of it
    double local;       // theta of layers with a window; 0: the same
    double window_share, share;
    int64_t size; // of a head
    bool proportional;
};

static int64_t read_head_size(struct reader *reader) {
    const int64_t heads = reader_count(reader, "num_attention_heads", -1);
    const int64_t dim = reader_count(reader, "hidden_size", -1);
    const int64_t alike = reader->family->latent
                              ? reader_count(reader, "qk_rope_head_dim", -1)
                              : reader_count(reader, "head_dim", heads > 0 ? dim / heads : 1);
    return folder_rope_global_count(reader, "global_head_dim", "head_dim", alike);
}

// The share of a head of this size that is rotated.
static double read_share(struct reader *reader, const cJSON *global, int64_t size) {
    const double turning = reader_number(reader, reader->json, "rotary_dim", 0);
    const double otherwise = turning > 0 ? turning / (double)(size > 0 ? size : 1) : 1;
    const double share =
        reader_number(reader, global, "partial_rotary_factor",
                      reader_number(reader, reader->json, "partial_rotary_factor", otherwise));
    return reader->family->latent ? 1 : share; // `size` is the rotated part already
}

static double read_base(struct reader *reader, const struct rotation *rotation) {
    const cJSON *scaling = rotation->scaling;
    const double size = (double)rotation->size;
    const char *older = reader_string(reader, scaling, "type", "");
    const bool dynamic = !strcmp(reader_string(reader, scaling, "rope_type", older), "dynamic");
    const double alpha = dynamic ? reader_number(reader, scaling, "alpha", 0) : 0;
    return alpha > 0 && size > 2 ? rotation->theta * pow(alpha, size / (size - 2))
                                 : rotation->theta;
}

static struct rotation read_rotation(struct reader *reader) {
    const cJSON *json = reader->json, *all = reader_get(reader, json, "rope_parameters");
    const cJSON *full = reader_get(reader, all, "full_attention"), *global = full ? full : all;
    struct rotation rotation = {.scaling =
                                    global ? global : reader_get(reader, json, "rope_scaling")};
    rotation.theta =
        read_layer_bases(reader, reader_number(reader, global, "rope_theta",
                                               reader_number(reader, json, "rope_theta", 10000)));
    const cJSON *window = rotation.window = reader_get(reader, all, "sliding_attention");
    if (strcmp(reader_string(reader, window, "rope_type", "default"), "default") != 0)
        reader_fail(reader, STATUS_UNSUPPORTED, "rope_parameters",
                    "stretches layers with a window, which is not supported");
    rotation.local = reader_number(reader, window, "rope_theta",
                                   reader_number(reader, json, "rope_local_base_freq", 0));
    rotation.window_share = reader_number(reader, window, "partial_rotary_factor",
                                          reader_number(reader, json, "partial_rotary_factor", 1));
    rotation.size = read_head_size(reader);
    rotation.proportional =
        !strcmp(reader_string(reader, rotation.scaling, "rope_type", ""), "proportional");
    rotation.share = read_share(reader, global, rotation.size);
    rotation.base = read_base(reader, &rotation);
    return rotation;
}

// How many dimensions of a head are rotated; 0: the reader has failed.
static int32_t count_rotated(struct reader *reader, const struct rotation *rotation) {
    const double share = rotation->share, size = (double)rotation->size;
    const bool sound = share > 0 && share <= 1 && rotation->size <= MODEL_MAX_HEAD_SIZE;
    const int32_t rotated = sound ? (int32_t)(size * (rotation->proportional ? 1 : share)) : 0;
    if (rotated >= 2) return rotated;
    reader_fail(reader, STATUS_BAD_FILE, "head_dim", "or partial_rotary_factor is out of range");
    return 0;
}

static void state_windows(struct reader *reader, const struct rotation *rotation) {
    const double share = rotation->window_share;
    if (rotation->local > 0) reader_state(reader, "rope.freq_base_swa", rotation->local);
    if (rotation->window && share > 0 && share != rotation->share && !rotation->proportional)
        reader_state_count(reader, "rope.dimension_count_swa",
                           (int64_t)((double)rotation->size * fmin(share, 1)));
}

void folder_rope_read(struct reader *reader) {
    struct folder_config *config = reader->config;
    const struct rotation rotation = read_rotation(reader);
    const int32_t rotated = count_rotated(reader, &rotation);
    if (rotated == 0) return;
    if (rotated % 2)
        reader_fail(reader, STATUS_BAD_FILE, "head_dim",
                    "times partial_rotary_factor must be even");
    config->pairs = rotated / 2;
    if (!(rotation.theta >= 1))
        reader_fail(reader, STATUS_BAD_FILE, "rope_theta", "must be at least 1");
    config->rope = reader->family->layer.attention.rope;
    config->rope.interleaved &= reader->family->interleaved_folder;
    config->rope.base = (float)rotation.base;
    config->rope.dimensions = rotated;
    config->rope.factor = config->rope.attention_factor = 1;
    state_windows(reader, &rotation);
    if (reader->mixed && !rotation.proportional)
        reader_fail(reader, STATUS_UNSUPPORTED, "rope_parameters",
                    "is not supported for this model");
    if (rotation.proportional)
        read_proportional(reader, rotation.scaling, rotation.share);
    else if (cJSON_IsObject(rotation.scaling))
        read_scaling(reader, rotation.scaling, rotation.base);
    else if (rotation.scaling)
        reader_fail(reader, STATUS_BAD_FILE, "rope_scaling", "must be an object");
}
