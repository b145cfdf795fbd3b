#include <locale.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/screen/status_line.h"
#include "tests/check.h"

static const struct status_facts FACTS = {.name = "a story about a dog",
                                          .used = 4160,
                                          .context = 32768,
                                          .context_percent = 13,
                                          .pool_percent = 41,
                                          .cached_percent = 96,
                                          .tokens_per_s = 118.4};

static void shows(struct status_facts facts, int columns, const char *expected) {
    struct text line = {0};
    assert_int_equal(status_line_append(&facts, columns, &line), STATUS_OK);
    assert_string_equal(text_string(&line), expected);
    text_deinit(&line);
}

static void every_fact_fits_eighty_columns(void **state) {
    (void)state;
    shows(FACTS, 80, "a story about a dog · 4.1k/32k (13 %) · 96 % cached · 118 tok/s · pool 41 %");
    struct status_facts facts = FACTS;
    facts.used = 412;
    facts.context = 2048;
    facts.name = "a name that is longer than there is room for";
    shows(facts, 300,
          "a name that is longer t… · 412/2.0k (13 %) · 96 % cached · 118 tok/s · pool 41 %");
}

static void zero_and_missing_facts_are_left_out(void **state) {
    (void)state;
    struct status_facts facts = FACTS;
    facts.name = NULL;
    shows(facts, 80, "4.1k/32k (13 %) · 96 % cached · 118 tok/s · pool 41 %");
    facts.cached_percent = facts.pool_percent = 0;
    shows(facts, 80, "4.1k/32k (13 %) · 118 tok/s");
    facts.tokens_per_s = 0;
    shows(facts, 80, "4.1k/32k (13 %)");
    facts.name = "a chat";
    shows(facts, 80, "a chat · 4.1k/32k (13 %)");
}

static void a_narrow_screen_drops_the_last_facts(void **state) {
    (void)state;
    shows(FACTS, 60, "a story about a dog · 4.1k/32k (13 %) · 96 % cached");
    shows(FACTS, 40, "a story about a dog · 4.1k/32k (13 %)");
    shows(FACTS, 30, "a story ab… · 4.1k/32k (13 %)");
}

static void the_status_line_is_never_wider_than_the_screen(void **state) {
    (void)state;
    for (int columns = 20; columns < 200; columns++) {
        struct status_facts facts = FACTS;
        struct text line = {0};
        facts.name = columns % 2 ? "漢字かな交じり文の名前" : FACTS.name;
        assert_int_equal(status_line_append(&facts, columns, &line), STATUS_OK);
        assert_true(text_columns(text_string(&line)) < columns);
        text_deinit(&line);
    }
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fact_fits_eighty_columns),
        cmocka_unit_test(zero_and_missing_facts_are_left_out),
        cmocka_unit_test(a_narrow_screen_drops_the_last_facts),
        cmocka_unit_test(the_status_line_is_never_wider_than_the_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
