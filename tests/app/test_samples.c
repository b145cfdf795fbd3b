#include "app/bench/samples.h"
#include "tests/check.h"

static struct figure figure_of(const double *values, int32_t count) {
    struct samples samples = {0};
    for (int32_t i = 0; i < count; i++)
        samples_add(&samples, values[i]);
    return samples_figure(&samples);
}

static void the_median_of_an_odd_count_is_the_middle_one(void **state) {
    (void)state;
    const struct figure figure = figure_of((const double[]){9, 1, 4}, 3);
    assert_float_equal(figure.median, 4, 0);
    assert_float_equal(figure.low, 1, 0);
    assert_float_equal(figure.high, 9, 0);
    assert_float_equal(figure_of((const double[]){7}, 1).median, 7, 0);
}

static void the_median_of_an_even_count_is_the_mean_of_the_middle_two(void **state) {
    (void)state;
    assert_float_equal(figure_of((const double[]){10, 20}, 2).median, 15, 0);
    assert_float_equal(figure_of((const double[]){8, 1, 100, 2}, 4).median, 5, 0);
}

static void no_samples_give_no_median(void **state) {
    (void)state;
    assert_int_equal(figure_of(NULL, 0).count, 0);
}

static void a_figure_has_three_significant_digits(void **state) {
    (void)state;
    char text[FIGURE_TEXT_BYTES];
    const struct figure figure = figure_of((const double[]){1250, 12340, 123456}, 3);
    assert_string_equal(figure_format(&figure, 1e3, text), "12.3 (1.25 - 123)");
    assert_string_equal(figure_format(&(struct figure){0}, 1, text), "-");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_of_an_odd_count_is_the_middle_one),
        cmocka_unit_test(the_median_of_an_even_count_is_the_mean_of_the_middle_two),
        cmocka_unit_test(no_samples_give_no_median),
        cmocka_unit_test(a_figure_has_three_significant_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
