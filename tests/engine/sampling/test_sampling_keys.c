// tests/engine/sampling/test_sampling_keys.c — a GGUF file's sampling: what counts, and what is
// left out by name.
#include "engine/sampling/sampling_keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/log.h"
#include "tests/check.h"
#include "tests/engine/model/gguf_writer.h"

static char warnings[1024];
static int warning_count;

static void note_warning(enum log_level level, const char *text) {
    const size_t used = strlen(warnings);
    assert_int_equal(level, LOG_WARNING);
    warning_count++;
    snprintf(warnings + used, sizeof warnings - used, "%s\n", text);
}

static struct sampler_options read_keys(struct gguf_writer *writer) {
    struct sampler_options options = sampler_options_default();
    struct error err = {0};
    struct gguf *gguf;
    size_t length;
    unsigned char *bytes = gguf_writer_finish(writer, &length);
    assert_int_equal(gguf_open_memory(bytes, length, "written", &gguf, &err), STATUS_OK);
    warnings[0] = '\0';
    warning_count = 0;
    log_set_sink(note_warning);
    sampling_keys_read(gguf, &options);
    log_set_sink(NULL);
    gguf_close(gguf);
    free(bytes);
    gguf_writer_deinit(writer);
    assert_int_equal(sampler_options_check(&options, NULL), STATUS_OK);
    return options;
}

static bool is_default(const struct sampler_options *options) {
    const struct sampler_options ours = sampler_options_default();
    return options->temperature == ours.temperature && options->top_k == ours.top_k &&
           options->top_p == ours.top_p && options->min_p == ours.min_p &&
           options->repeat_penalty == ours.repeat_penalty &&
           options->penalty_last_n == ours.penalty_last_n;
}

static void every_supported_key_is_read(void **state) {
    (void)state;
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_float(&writer, "general.sampling.temp", GGUF_F32, 0.25);
    gguf_writer_int(&writer, "general.sampling.top_k", GGUF_I32, 7);
    gguf_writer_float(&writer, "general.sampling.top_p", GGUF_F32, 0.5);
    gguf_writer_float(&writer, "general.sampling.min_p", GGUF_F64, 0.125);
    gguf_writer_float(&writer, "general.sampling.penalty_repeat", GGUF_F32, 1.25);
    gguf_writer_int(&writer, "general.sampling.penalty_last_n", GGUF_I32, -1);
    gguf_writer_float(&writer, "general.sampling.xtc_probability", GGUF_F32, 0);
    gguf_writer_int(&writer, "general.sampling.mirostat", GGUF_I32, 0);
    gguf_writer_float(&writer, "general.sampling.mirostat_tau", GGUF_F32, 5);
    const struct sampler_options options = read_keys(&writer);
    assert_int_equal(warning_count, 0);
    assert_float_equal(options.temperature, 0.25f, 0);
    assert_int_equal(options.top_k, 7);
    assert_float_equal(options.top_p, 0.5f, 0);
    assert_float_equal(options.min_p, 0.125f, 0);
    assert_float_equal(options.repeat_penalty, 1.25f, 0);
    assert_int_equal(options.penalty_last_n, -1);
}

static void a_whole_number_is_read_in_whatever_type(void **state) {
    (void)state;
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_float(&writer, "general.sampling.top_k", GGUF_F32, 7);
    gguf_writer_float(&writer, "general.sampling.penalty_last_n", GGUF_F64, -1);
    const struct sampler_options options = read_keys(&writer);
    assert_int_equal(warning_count, 0);
    assert_int_equal(options.top_k, 7);
    assert_int_equal(options.penalty_last_n, -1);
}

static void invalid_values_are_ignored_by_name(void **state) {
    (void)state;
    static const struct {
        const char *part;
        enum gguf_type type;
        double value;
        const char *named;
    } rows[] = {
        {"temp", GGUF_STRING, 0, "ignoring general.sampling.temp, which must be a number"},
        {"temp", GGUF_BOOL, 1, "ignoring general.sampling.temp, which must be a number"},
        {"temp", GGUF_F32, -1, "ignoring general.sampling.temp -1, which is out of range"},
        {"temp", GGUF_F32, (double)NAN, "ignoring general.sampling.temp nan"},
        {"top_p", GGUF_F32, 1.5, "ignoring general.sampling.top_p 1.5"},
        {"min_p", GGUF_I32, 7, "ignoring general.sampling.min_p 7"},
        {"penalty_repeat", GGUF_F32, 0, "ignoring general.sampling.penalty_repeat 0"},
        {"top_k", GGUF_F32, 7.5, "general.sampling.top_k 7.5, which must be a whole number"},
        {"top_k", GGUF_F32, (double)NAN, "general.sampling.top_k nan, which must be a whole"},
        {"top_k", GGUF_F32, (double)INFINITY, "top_k inf, which is out of range"},
        {"top_k", GGUF_STRING, 0, "general.sampling.top_k, which must be a whole number"},
        {"top_k", GGUF_I32, -2, "ignoring general.sampling.top_k -2, which is out of range"},
        {"top_k", GGUF_I64, 9999999999, "ignoring general.sampling.top_k 9999999999"},
        {"penalty_last_n", GGUF_STRING, 0, "ignoring general.sampling.penalty_last_n"},
        {"xtc_probability", GGUF_F32, 0.5, "ignoring general.sampling.xtc_probability 0.5"},
        {"mirostat", GGUF_I32, 2, "ignoring general.sampling.mirostat 2, which is not supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct gguf_writer writer;
        char key[64];
        gguf_writer_init(&writer);
        snprintf(key, sizeof key, "general.sampling.%s", rows[i].part);
        if (rows[i].type == GGUF_STRING)
            gguf_writer_string(&writer, key, "0.5");
        else if (rows[i].type == GGUF_F32)
            gguf_writer_float(&writer, key, rows[i].type, rows[i].value);
        else
            gguf_writer_int(&writer, key, rows[i].type, (int64_t)rows[i].value);
        const struct sampler_options options = read_keys(&writer);
        if (!is_default(&options) || warning_count != 1 || !strstr(warnings, rows[i].named))
            fail_msg("%s: %d warnings: %s", key, warning_count, warnings);
    }
}

static void one_invalid_key_does_not_affect_the_others(void **state) {
    (void)state;
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_string(&writer, "general.sampling.temp", "hot");
    gguf_writer_int(&writer, "general.sampling.top_k", GGUF_I32, -1);
    gguf_writer_float(&writer, "general.sampling.min_p", GGUF_F32, 7);
    struct sampler_options options = read_keys(&writer);
    assert_int_equal(warning_count, 2);
    assert_int_equal(options.top_k, 0); // -1 turns it off
    options.top_k = sampler_options_default().top_k;
    assert_true(is_default(&options));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_supported_key_is_read),
        cmocka_unit_test(a_whole_number_is_read_in_whatever_type),
        cmocka_unit_test(invalid_values_are_ignored_by_name),
        cmocka_unit_test(one_invalid_key_does_not_affect_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
