#include "engine/model/folder_rope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/assert.h"

int64_t folder_rope_global_count(struct writer *writer, const char *key, const char *own,
                                 int64_t otherwise) {
    const cJSON *layers = writer_get(writer, writer->json, "per_layer_config");
    const cJSON *item = layers ? writer_get(writer, layers->child, own) : NULL;
    const double value = item && cJSON_IsNumber(item) ? item->valuedouble : 0;
    if (!item) return writer_count(writer, key, otherwise);
    if (!(value >= 0 && value <= MODEL_MAX_DIM) || floor(value) != value)
        writer_fail(writer, STATUS_BAD_FILE, "per_layer_config", "is out of range");
    return writer->status == STATUS_OK ? (int64_t)value : 1;
}

// [pairs] divisors, owned by the caller.
static float *factors_of(struct writer *writer, const cJSON *scaling, const char *key,
                         int32_t pairs) {
    const cJSON *list = writer_get(writer, scaling, key), *item;
    ASSERT(pairs >= 0 && pairs <= MODEL_MAX_HEAD_SIZE / 2);
    float *factors = calloc((size_t)pairs + 1, sizeof *factors);
    int32_t count = 0;
    if (!factors) writer->status = STATUS_NO_MEMORY;
    cJSON_ArrayForEach(item, list) {
        if (factors && count < pairs && cJSON_IsNumber(item))
            factors[count++] = (float)item->valuedouble;
        else
            count = pairs + 1;
    }
    if (count != pairs)
        writer_fail(writer, STATUS_BAD_FILE, key, "must have one factor for each rotated pair");
    return factors;
}

// Llama 3 leaves fast pairs, divides slow ones by the factor and blends in between, by how many
// turns a pair makes over the original context.
static float *llama3_divisors(struct writer *writer, const cJSON *scaling, double base,
                              int32_t pairs) {
    static const double PI = 3.14159265358979323846;
    const double factor = writer_number(writer, scaling, "factor", 0);
    const double low = writer_number(writer, scaling, "low_freq_factor", 0);
    const double high = writer_number(writer, scaling, "high_freq_factor", 0);
    const double original = writer_number(writer, scaling, "original_max_position_embeddings", 0);
    float *divisors = calloc((size_t)pairs + 1, sizeof *divisors);
    if (!divisors) writer->status = STATUS_NO_MEMORY;
    if (!(factor > 0 && low > 0 && high > low && original > 0 && base > 0)) {
        writer_fail(writer, STATUS_BAD_FILE, "rope_scaling", "of type llama3 is missing a factor");
        return divisors;
    }
    for (int32_t i = 0; divisors && i < pairs; i++) {
        const double turns = original * pow(base, -1.0 * i / pairs) / (2 * PI);
        const double blend = fmin(fmax((turns - low) / (high - low), 0), 1);
        divisors[i] = (float)(1 / ((1 - blend) / factor + blend));
    }
    return divisors;
}

static void translate_yarn(struct writer *writer, const cJSON *scaling) {
    static const struct writer_line lines[] = {
        {"factor", "rope.scaling.factor"},
        {"original_max_position_embeddings", "rope.scaling.original_context_length"},
        {"beta_fast", "rope.scaling.yarn_beta_fast"},
        {"beta_slow", "rope.scaling.yarn_beta_slow"},
        {"llama_4_scaling_beta", "attention.temperature_scale"},
    };
    const double factor = writer_number(writer, scaling, "factor", 1);
    const double given = writer_number(writer, scaling, "attention_factor", 0);
    writer_put_text(writer, "rope.scaling.type", "yarn");
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const double value = writer_number(writer, scaling, lines[i].theirs, -1);
        if (value >= 0) writer_put_number(writer, lines[i].ours, value);
    }
    const double some =
        writer_number(writer, scaling, "mscale", 0); // of no effect without the other
    const double all = writer_number(writer, scaling, "mscale_all_dim", 0);
    const double stretch = factor > 1 ? 0.1 * log(factor) : 0;
    if (writer->family->latent) {
        if (given > 0 || some != all)
            writer_fail(writer, STATUS_UNSUPPORTED, "rope_scaling",
                        "has an attention_factor, or an mscale that differs from mscale_all_dim, "
                        "which is not supported");
        writer_put_float(writer, "rope.scaling.yarn_log_multiplier", 0.1 * all);
        return;
    }
    const double whole = given > 0 ? given : (1 + some * stretch) / (1 + all * stretch);
    if (given > 0 || (some > 0 && all > 0)) // what it is multiplied with there is taken off here
        writer_put_float(writer, "rope.scaling.attn_factor", whole / (1 + stretch));
    const bool exact = !writer_flag(writer, scaling, "truncate", true);
    if (exact != writer->family->layer.attention.rope.exact_yarn)
        writer_fail(writer, STATUS_UNSUPPORTED, "rope_scaling",
                    "has a truncate that is not supported in this family");
}

static void translate_longrope(struct writer *writer, const cJSON *scaling,
                               struct folder_config *config) {
    const double context = (double)writer_count(writer, "max_position_embeddings", -1);
    const double original =
        writer_number(writer, writer->json, "original_max_position_embeddings",
                      writer_number(writer, scaling, "original_max_position_embeddings", context));
    const double ratio = writer_number(writer, scaling, "factor", context / original);
    double attention = writer_number(writer, scaling, "attention_factor", 0);
    if (attention <= 0) attention = ratio > 1 ? sqrt(1 + log(ratio) / log(fmax(original, 2))) : 1;
    if (!(original >= 1 && original < 0x1p31 && isfinite(attention)))
        writer_fail(writer, STATUS_BAD_FILE, "original_max_position_embeddings", "is out of range");
    writer_put_text(writer, "rope.scaling.type", "longrope");
    writer_put_number(writer, "rope.scaling.original_context_length", floor(original));
    writer_put_float(writer, "rope.scaling.attn_factor", attention);
    config->rope_short = factors_of(writer, scaling, "short_factor", config->pairs);
    config->rope_long = factors_of(writer, scaling, "long_factor", config->pairs);
}

// A share of the pairs turns, by angles of the whole head; others are said to turn by next to
// nothing, as files of GGUF say it.
static void translate_proportional(struct writer *writer, const cJSON *scaling, double share,
                                   struct folder_config *config) {
    static const float STILL = 1e30f;
    const int32_t turning = (int32_t)(share * config->pairs);
    const double factor = writer_number(writer, scaling, "factor", 1);
    config->rope_freqs = calloc((size_t)config->pairs + 1, sizeof *config->rope_freqs);
    if (!config->rope_freqs) writer->status = STATUS_NO_MEMORY;
    if (!(factor > 0)) writer_fail(writer, STATUS_BAD_FILE, "factor", "is out of range");
    for (int32_t i = 0; config->rope_freqs && i < config->pairs; i++)
        config->rope_freqs[i] = i < turning ? (float)factor : STILL;
}

static void translate_scaling(struct writer *writer, const cJSON *scaling, double base,
                              struct folder_config *config) {
    static const char *const of_none[] = {"factor", "beta_fast", "beta_slow", "mscale",
                                          "mscale_all_dim"};
    const char *type = writer_string(writer, scaling, "rope_type",
                                     writer_string(writer, scaling, "type", "default"));
    // Of text, all three positions that mrope rotates by are the token's. A dynamic one begins
    // where the context ends, but for its alpha, which is part of the base.
    if (!strcmp(type, "default") || !strcmp(type, "mrope")) return;
    for (size_t i = 0; i < sizeof of_none / sizeof of_none[0] && !strcmp(type, "dynamic"); i++)
        writer_get(writer, scaling, of_none[i]);
    if (!strcmp(type, "dynamic")) return;
    if (!strcmp(type, "linear")) {
        writer_put_text(writer, "rope.scaling.type", "linear");
        writer_put_number(writer, "rope.scaling.factor",
                          writer_number(writer, scaling, "factor", 0));
    } else if (!strcmp(type, "yarn")) {
        translate_yarn(writer, scaling);
    } else if (!strcmp(type, "llama3")) {
        config->rope_freqs = llama3_divisors(writer, scaling, base, config->pairs);
    } else if (!strcmp(type, "longrope") || !strcmp(type, "su")) {
        translate_longrope(writer, scaling, config);
    } else {
        char what[160];
        snprintf(what, sizeof what,
                 "has the unsupported type \"%.40s\" (expected default, linear, dynamic, yarn, "
                 "llama3 or longrope)",
                 type);
        writer_fail(writer, STATUS_UNSUPPORTED, "rope_scaling", what);
    }
}

// Newer files have all of it in rope_parameters, by kinds of layers where these differ.
void folder_rope_translate(struct writer *writer, struct folder_config *config) {
    const cJSON *json = writer->json, *all = writer_get(writer, json, "rope_parameters");
    const cJSON *global =
        writer_get(writer, all, "full_attention") ? writer_get(writer, all, "full_attention") : all;
    const cJSON *scaling = global ? global : writer_get(writer, json, "rope_scaling");
    const double theta = writer_number(writer, global, "rope_theta",
                                       writer_number(writer, json, "rope_theta", 10000));
    const double local =
        writer_number(writer, writer_get(writer, all, "sliding_attention"), "rope_theta",
                      writer_number(writer, json, "rope_local_base_freq", 0));
    const int64_t heads = writer_count(writer, "num_attention_heads", -1);
    const int64_t dim = writer_count(writer, "hidden_size", -1);
    const int64_t alike = writer->family->latent
                              ? writer_count(writer, "qk_rope_head_dim", -1)
                              : writer_count(writer, "head_dim", heads > 0 ? dim / heads : 1);
    const int64_t size = folder_rope_global_count(writer, "global_head_dim", "head_dim", alike);
    const bool proportional =
        !strcmp(writer_string(writer, scaling, "rope_type", ""), "proportional");
    const double turning = writer_number(writer, json, "rotary_dim", 0);
    const double share =
        writer_number(writer, global, "partial_rotary_factor",
                      writer_number(writer, json, "partial_rotary_factor",
                                    turning > 0 ? turning / (double)(size > 0 ? size : 1) : 1));
    const bool dynamic = !strcmp(
        writer_string(writer, scaling, "rope_type", writer_string(writer, scaling, "type", "")),
        "dynamic");
    const double alpha = dynamic ? writer_number(writer, scaling, "alpha", 0) : 0;
    const double base =
        alpha > 0 && size > 2 ? theta * pow(alpha, (double)size / (double)(size - 2)) : theta;
    const bool sound = share > 0 && share <= 1 && size <= MODEL_MAX_HEAD_SIZE;
    const int32_t rotated = sound ? (int32_t)((double)size * (proportional ? 1 : share)) : 0;
    if (rotated < 2) {
        writer_fail(writer, STATUS_BAD_FILE, "head_dim",
                    "or partial_rotary_factor is out of range");
        return;
    }
    config->pairs = rotated / 2;
    if (!(theta >= 1)) writer_fail(writer, STATUS_BAD_FILE, "rope_theta", "must be at least 1");
    writer_put_float(writer, "rope.freq_base", base);
    writer_put_int(writer, "rope.dimension_count", rotated);
    if (local > 0) writer_put_float(writer, "rope.freq_base_swa", local);
    if (writer->mixed && !proportional)
        writer_fail(writer, STATUS_UNSUPPORTED, "rope_parameters",
                    "is not supported for this model");
    if (proportional)
        translate_proportional(writer, scaling, share, config);
    else if (cJSON_IsObject(scaling))
        translate_scaling(writer, scaling, base, config);
    else if (scaling)
        writer_fail(writer, STATUS_BAD_FILE, "rope_scaling", "must be an object");
}
