// tests/engine/test_rates.c — measured rates are kept once for each key, and lines that no machine
// could have measured are not believed.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/rates.h"

static const struct placement_rates some = {1e12, 5e10, 2.5e10, 0, 30, 12};

static char folder[] = "/tmp/quire-rates-XXXXXX", path[64];

static void write_file(const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/below/rates", folder); // whose folder does not exist yet
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char below[64];
    snprintf(below, sizeof below, "%s/below", folder);
    unlink(path);
    rmdir(below);
    return rmdir(folder);
}

static void each_key_has_its_newest_rates(void **state) {
    (void)state;
    struct placement_rates found, newer = some;
    newer.host = 6e10;
    assert_false(rates_find(path, "a", &found));
    assert_true(rates_keep(path, "a", &some));
    assert_true(rates_keep(path, "b, 16 threads", &newer));
    assert_true(rates_find(path, "a", &found));
    assert_memory_equal(&found, &some, sizeof some);
    assert_true(rates_find(path, "b, 16 threads", &found));
    assert_memory_equal(&found, &newer, sizeof newer);
    assert_false(rates_find(path, "b, 8 threads", &found));
    assert_true(rates_keep(path, "a", &newer));
    assert_true(rates_find(path, "a", &found));
    assert_memory_equal(&found, &newer, sizeof newer);
}

static void the_oldest_make_place(void **state) {
    (void)state;
    char key[16];
    struct placement_rates found;
    write_file("");
    for (int i = 0; i < 3 * RATES_MAX; i++) {
        snprintf(key, sizeof key, "%d", i);
        assert_true(rates_keep(path, key, &some));
    }
    for (int i = 0; i < 3 * RATES_MAX; i++) {
        snprintf(key, sizeof key, "%d", i);
        assert_int_equal(rates_find(path, key, &found), i >= 2 * RATES_MAX);
    }
}

static void what_no_machine_reaches_is_not_believed(void **state) {
    (void)state;
    static const char *const LINES[] = {
        "",
        "\n\n",
        "words\ta\n",
        "1e12 5e10 2.5e10 30 12 a\n",
        "1e12 5e10 2.5e10 30\ta\n",
        "1e12 0 2.5e10 30 12\ta\n",
        "1e12 -5e10 2.5e10 30 12\ta\n",
        "nan nan nan nan nan\ta\n",
        "1e12 5e10 inf 30 12\ta\n",
        "1e300 5e10 2.5e10 30 12\ta\n",
        "1e12 5e10 2.5e10 -30 12\ta\n",
        "1e12 5e10 2.5e10 1e9 12\ta\n",
        "1e12 5e10 2.5e10 30 -12\ta\n",
    };
    struct placement_rates found;
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        write_file(LINES[i]);
        assert_false(rates_find(path, "a", &found));
    }
    assert_true(rates_keep(path, "b", &some)); // and the line is dropped with the next one
    assert_true(rates_find(path, "b", &found));
    write_file("1e12 5e10 2.5e10 30 12\ta"); // cut before its end
    assert_true(rates_find(path, "a", &found));
}

static void a_folder_in_its_place_costs_the_measuring_only(void **state) {
    (void)state;
    struct placement_rates found;
    assert_false(rates_find(folder, "a", &found));
    assert_false(rates_keep(folder, "a", &some));
    assert_false(rates_find(NULL, "a", &found));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_has_its_newest_rates),
        cmocka_unit_test(the_oldest_make_place),
        cmocka_unit_test(what_no_machine_reaches_is_not_believed),
        cmocka_unit_test(a_folder_in_its_place_costs_the_measuring_only),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
