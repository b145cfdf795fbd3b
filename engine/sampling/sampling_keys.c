#include "engine/sampling/sampling_keys.h"

#include <math.h>
#include <stdio.h>

#include "kernels/base/log.h"

enum { KEY_BYTES = 64 };

static const char *full_key(const char *part, char key[KEY_BYTES]) {
    snprintf(key, KEY_BYTES, "general.sampling.%s", part);
    return key;
}

static void leave_out(const struct gguf *gguf, const char *key, const char *why) {
    double number;
    char value[KEY_BYTES] = "";
    if (gguf_find_float(gguf, key, &number)) snprintf(value, sizeof value, " %.10g", number);
    log_write(LOG_WARNING, "%s: ignoring %s%s, which %s", gguf_path(gguf), key, value, why);
}

static void read_numbers(const struct gguf *gguf, struct sampler_options *options) {
    const struct {
        const char *part;
        float *option;
    } rows[] = {
        {"temp", &options->temperature},
        {"top_p", &options->top_p},
        {"min_p", &options->min_p},
        {"penalty_repeat", &options->repeat_penalty},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const float before = *rows[i].option;
        char key[KEY_BYTES];
        double number;
        struct error err = {0};
        if (!gguf_has_key(gguf, full_key(rows[i].part, key))) continue;
        if (!gguf_find_float(gguf, key, &number)) {
            leave_out(gguf, key, "must be a number");
            continue;
        }
        *rows[i].option = (float)number;
        if (sampler_options_check(options, &err) == STATUS_OK) continue;
        *rows[i].option = before;
        leave_out(gguf, key, "is out of range");
    }
}

// -1 or more. A whole number counts as one in whatever type, as in JSON.
static void read_whole(const struct gguf *gguf, const char *part, int32_t *option) {
    char key[KEY_BYTES];
    int64_t whole;
    double number;
    if (!gguf_has_key(gguf, full_key(part, key))) return;
    const bool integer = gguf_find_int(gguf, key, &whole);
    if (integer) number = (double)whole;
    if (!integer && (!gguf_find_float(gguf, key, &number) || number != floor(number)))
        leave_out(gguf, key, "must be a whole number");
    else if (number < -1 || number > INT32_MAX)
        leave_out(gguf, key, "is out of range");
    else
        *option = (int32_t)number;
}

// What would choose other tokens, unless it is 0.
static void warn_of_others(const struct gguf *gguf) {
    static const char *const parts[] = {"xtc_probability", "mirostat"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char key[KEY_BYTES];
        double number = 0;
        if (!gguf_has_key(gguf, full_key(parts[i], key))) continue;
        if (!gguf_find_float(gguf, key, &number) || number != 0)
            leave_out(gguf, key, "is not supported");
    }
}

void sampling_keys_read(const struct gguf *gguf, struct sampler_options *options) {
    int32_t top_k = options->top_k;
    read_numbers(gguf, options);
    read_whole(gguf, "top_k", &top_k);
    options->top_k = top_k < 0 ? 0 : top_k; // 0 and -1 both turn it off
    read_whole(gguf, "penalty_last_n", &options->penalty_last_n);
    warn_of_others(gguf);
}
