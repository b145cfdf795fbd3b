#include "engine/sampling/generation_config.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "engine/model/mapped_file.h"
#include "kernels/base/json_view.h"
#include "kernels/base/log.h"

static const char NAME[] = "generation_config.json";
enum { VALUE_SHOWN = 40, FILE_MOST = 1 << 20 };

static void leave_out(const char *key, struct json_view value, const char *why) {
    const int length = value.length < VALUE_SHOWN ? (int)value.length : VALUE_SHOWN;
    log_write(LOG_WARNING, "%s: ignoring %s %.*s, which %s", NAME, key, length, value.bytes, why);
}

// Absent and null are the same.
static struct json_view find_value(struct json_view object, const char *key) {
    const struct json_view value = json_view_find(object, key);
    return json_view_kind(value) == JSON_NULL ? (struct json_view){0} : value;
}

// Numbers that are options of ours.
static void read_numbers(struct json_view object, struct sampler_options *options) {
    const struct {
        const char *key;
        float *option;
    } rows[] = {
        {"temperature", &options->temperature},
        {"top_p", &options->top_p},
        {"min_p", &options->min_p},
        {"repetition_penalty", &options->repeat_penalty},
        {"presence_penalty", &options->presence_penalty},
        {"frequency_penalty", &options->frequency_penalty},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct json_view value = find_value(object, rows[i].key);
        const float before = *rows[i].option;
        double number;
        struct error err = {0};
        if (json_view_kind(value) == JSON_ABSENT) continue;
        if (!json_view_double(value, &number)) {
            leave_out(rows[i].key, value, "must be a number");
            continue;
        }
        *rows[i].option = (float)number;
        if (sampler_options_check(options, &err) == STATUS_OK) continue;
        *rows[i].option = before;
        leave_out(rows[i].key, value, "is out of range");
    }
}

// 0 and -1 both turn it off.
static void read_top_k(struct json_view object, struct sampler_options *options) {
    const struct json_view value = find_value(object, "top_k");
    double number;
    if (json_view_kind(value) == JSON_ABSENT) return;
    if (json_view_double(value, &number) && number >= -1 && number <= INT32_MAX &&
        number == floor(number))
        options->top_k = number < 0 ? 0 : (int32_t)number;
    else
        leave_out("top_k", value, "must be a whole number, 0 or more");
}

static void read_do_sample(struct json_view object, struct sampler_options *options) {
    const struct json_view value = find_value(object, "do_sample");
    const enum json_kind kind = json_view_kind(value);
    if (kind == JSON_FALSE)
        options->temperature = 0; // the most likely token
    else if (kind != JSON_ABSENT && kind != JSON_TRUE)
        leave_out("do_sample", value, "must be true or false");
}

// What would choose other tokens, and the number or word with which it chooses none.
static void warn_of_others(struct json_view object) {
    static const struct {
        const char *key;
        double off;
    } rows[] = {
        {"typical_p", 1},           {"top_h", 1},
        {"epsilon_cutoff", 0},      {"eta_cutoff", 0},
        {"num_beams", 1},           {"num_beam_groups", 1},
        {"penalty_alpha", 0},       {"no_repeat_ngram_size", 0},
        {"guidance_scale", 1},      {"encoder_repetition_penalty", 1},
        {"min_new_tokens", 0},      {"encoder_no_repeat_ngram_size", 0},
        {"bad_words_ids", 0},       {"suppress_tokens", 0},
        {"sequence_bias", 0},       {"begin_suppress_tokens", 0},
        {"forced_bos_token_id", 0}, {"force_words_ids", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct json_view value = find_value(object, rows[i].key);
        const enum json_kind kind = json_view_kind(value);
        struct json_view item;
        size_t cursor = 0;
        double number;
        const bool is_list = kind == JSON_ARRAY || kind == JSON_OBJECT;
        const bool is_off = kind == JSON_ABSENT || kind == JSON_FALSE ||
                            (is_list && !json_view_next(value, &cursor, NULL, &item)) ||
                            (json_view_double(value, &number) && number == rows[i].off);
        if (!is_off) leave_out(rows[i].key, value, "is not supported");
    }
}

void generation_config_read(const char *folder, struct sampler_options *options) {
    struct mapped_file file = {0};
    struct json_view object;
    struct error err = {0};
    struct stat info;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, NAME) >= (int)sizeof path) return;
    if (stat(path, &info) != 0) return;
    enum status status = mapped_file_open(path, "a JSON file", &file, &err);
    if (status == STATUS_OK && file.length > FILE_MOST)
        status = error_set(&err, STATUS_BAD_FILE, "%s is larger than 1 MiB", NAME);
    if (status == STATUS_OK)
        status = json_view_open((const char *)file.bytes, file.length, NAME, &object, &err);
    if (status == STATUS_OK && json_view_kind(object) != JSON_OBJECT)
        status = error_set(&err, STATUS_BAD_FILE, "%s is not a JSON object", NAME);
    if (status == STATUS_OK) {
        read_numbers(object, options);
        read_top_k(object, options);
        read_do_sample(object, options);
        warn_of_others(object);
    } else {
        log_write(LOG_WARNING, "%s: its sampling options are ignored", err.text);
    }
    mapped_file_close(&file);
}
