// tests/engine/sampling/test_generation_config.c — a folder's sampling: what counts, and what is
// left out by name.
#include "engine/sampling/generation_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/log.h"
#include "tests/check.h"

static char folder[] = "/tmp/quire-generation-XXXXXX", path[sizeof folder + 32];
static char warnings[1024];
static int warning_count;

static void note_warning(enum log_level level, const char *text) {
    const size_t used = strlen(warnings);
    assert_int_equal(level, LOG_WARNING);
    warning_count++;
    snprintf(warnings + used, sizeof warnings - used, "%s\n", text);
}

static struct sampler_options read_config(const char *json) {
    struct sampler_options options = sampler_options_default();
    FILE *file = fopen(path, "w");
    assert_true(file && fputs(json, file) >= 0 && fclose(file) == 0);
    warnings[0] = '\0';
    warning_count = 0;
    log_set_sink(note_warning);
    generation_config_read(folder, &options);
    log_set_sink(NULL);
    assert_int_equal(sampler_options_check(&options, NULL), STATUS_OK);
    return options;
}

static void every_supported_key_is_read(void **state) {
    (void)state;
    const struct sampler_options options =
        read_config("{\"do_sample\": true, \"temperature\": 0.01, \"top_k\": 7, \"top_p\": 0.33,"
                    "\"min_p\": 0.2, \"repetition_penalty\": 1.3, \"presence_penalty\": 0.5,"
                    "\"frequency_penalty\": 0.25, \"eos_token_id\": [2], \"num_beams\": 1,"
                    "\"typical_p\": 1.0, \"bad_words_ids\": [], \"max_length\": 20,"
                    "\"transformers_version\": \"4.50\", \"guidance_scale\": null}");
    assert_int_equal(warning_count, 0);
    assert_float_equal(options.temperature, 0.01f, 0);
    assert_int_equal(options.top_k, 7);
    assert_float_equal(options.top_p, 0.33f, 0);
    assert_float_equal(options.min_p, 0.2f, 0);
    assert_float_equal(options.repeat_penalty, 1.3f, 0);
    assert_float_equal(options.presence_penalty, 0.5f, 0);
    assert_float_equal(options.frequency_penalty, 0.25f, 0);
}

static bool is_default(const struct sampler_options *options) {
    const struct sampler_options ours = sampler_options_default();
    return options->temperature == ours.temperature && options->top_k == ours.top_k &&
           options->top_p == ours.top_p && options->min_p == ours.min_p &&
           options->repeat_penalty == ours.repeat_penalty &&
           options->presence_penalty == ours.presence_penalty &&
           options->frequency_penalty == ours.frequency_penalty;
}

static void invalid_values_are_ignored_by_name(void **state) {
    (void)state;
    static const struct {
        const char *json, *named;
    } rows[] = {
        {"{\"temperature\": \"0.5\"}", "ignoring temperature \"0.5\""},
        {"{\"temperature\": true}", "ignoring temperature true"},
        {"{\"temperature\": [0.5]}", "ignoring temperature [0.5]"},
        {"{\"temperature\": -1}", "ignoring temperature -1"},
        {"{\"temperature\": 1e99}", "ignoring temperature 1e99"},
        {"{\"top_p\": 1.5}", "ignoring top_p 1.5"},
        {"{\"min_p\": {}}", "ignoring min_p {}"},
        {"{\"repetition_penalty\": 0}", "ignoring repetition_penalty 0"},
        {"{\"top_k\": 7.5}", "ignoring top_k 7.5"},
        {"{\"top_k\": \"7\"}", "ignoring top_k \"7\""},
        {"{\"top_k\": -2}", "ignoring top_k -2"},
        {"{\"top_k\": 99999999999}", "ignoring top_k 99999999999"},
        {"{\"do_sample\": \"no\"}", "ignoring do_sample \"no\""},
        {"{\"do_sample\": 0}", "ignoring do_sample 0"},
        {"{\"typical_p\": 0.9}", "ignoring typical_p 0.9"},
        {"{\"num_beams\": 4}", "ignoring num_beams 4"},
        {"{\"no_repeat_ngram_size\": 3}", "ignoring no_repeat_ngram_size 3"},
        {"{\"suppress_tokens\": [1]}", "ignoring suppress_tokens [1]"},
        {"[1]", "is not a JSON object"},
        {"{\"top_k\": 7", "generation_config.json"},
        {"", "generation_config.json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sampler_options options = read_config(rows[i].json);
        if (!is_default(&options) || warning_count != 1 || !strstr(warnings, rows[i].named))
            fail_msg("%s: %d warnings: %s", rows[i].json, warning_count, warnings);
    }
}

// One that is wrong leaves the others; null is absent.
static void one_invalid_key_does_not_affect_the_others(void **state) {
    (void)state;
    struct sampler_options options =
        read_config("{\"temperature\": \"hot\", \"top_k\": 5, \"top_p\": null, \"min_p\": 7}");
    assert_int_equal(warning_count, 2);
    assert_int_equal(options.top_k, 5);
    options.top_k = sampler_options_default().top_k;
    assert_true(is_default(&options));
}

static void do_sample_false_means_greedy(void **state) {
    (void)state;
    struct sampler_options options = read_config("{\"do_sample\": false, \"temperature\": 0.6}");
    assert_int_equal(warning_count, 0);
    assert_float_equal(options.temperature, 0, 0);
    options = read_config("{\"temperature\": 0.6, \"top_k\": -1}");
    assert_float_equal(options.temperature, 0.6f, 0);
    assert_int_equal(options.top_k, 0);
}

static void a_missing_file_keeps_the_defaults(void **state) {
    (void)state;
    struct sampler_options options = read_config("{}");
    assert_true(is_default(&options));
    log_set_sink(note_warning);
    assert_int_equal(unlink(path), 0);
    generation_config_read(folder, &options);
    generation_config_read("/dev/null", &options);
    log_set_sink(NULL);
    assert_int_equal(warning_count, 0);
    assert_true(is_default(&options));
}

static int make_folder(void **state) {
    (void)state;
    snprintf(path, sizeof path, "%s/generation_config.json", mkdtemp(folder));
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_supported_key_is_read),
        cmocka_unit_test(invalid_values_are_ignored_by_name),
        cmocka_unit_test(one_invalid_key_does_not_affect_the_others),
        cmocka_unit_test(do_sample_false_means_greedy),
        cmocka_unit_test(a_missing_file_keeps_the_defaults),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
