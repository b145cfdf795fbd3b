#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/figures.h"
#include "app/screen/progress.h"
#include "tests/check.h"

static void shows(struct progress *progress, struct progress_now now, const char *expected) {
    struct text line = {0};
    assert_int_equal(progress_line(progress, &now, &line), STATUS_OK);
    assert_string_equal(text_string(&line), expected);
    text_deinit(&line);
}

static void the_time_left_is_shown_once_the_speed_is_known(void **state) {
    (void)state;
    struct progress progress = {0};
    struct progress_now now = {.what = "reading",
                               .unit = "tokens",
                               .done = 512,
                               .total = 4608,
                               .now_ms = 10000,
                               .columns = 80};
    shows(&progress, now, "reading ━━────────────────────── 512/4,608 tokens");
    now.done = 1536;
    now.now_ms = 12000;
    shows(&progress, now, "reading ━━━━━━━━──────────────── 1,536/4,608 tokens · 7 s left");
    now.done = 1537;
    now.now_ms = 200000;
    shows(&progress, now, "reading ━━━━━━━━──────────────── 1,537/4,608 tokens · 10 min left");
    now.done = now.total;
    shows(&progress, now, "reading ━━━━━━━━━━━━━━━━━━━━━━━━ 4,608/4,608 tokens");
}

static void loading_is_shown_in_per_cent(void **state) {
    (void)state;
    struct progress progress = {0};
    const struct progress_now now = {
        .what = "loading", .done = 645, .total = 1000, .now_ms = 1, .columns = 80};
    shows(&progress, now, "loading ━━━━━━━━━━━━━━━───────── 64 %");
}

static void a_narrow_screen_drops_the_bar_and_then_the_time(void **state) {
    (void)state;
    struct progress progress = {.begun = true};
    struct progress_now now = {.what = "reading",
                               .unit = "tokens",
                               .done = 1000,
                               .total = 2000,
                               .now_ms = 1000,
                               .columns = 52};
    shows(&progress, now, "reading ━━━━━━─────── 1,000/2,000 tokens · 2 s left");
    now.columns = 40;
    shows(&progress, now, "reading 1,000/2,000 tokens · 2 s left");
    now.columns = 30;
    shows(&progress, now, "reading 1,000/2,000 tokens");
}

static void the_progress_line_fits_any_screen(void **state) {
    (void)state;
    srand(7);
    for (int n = 0; n < 2000; n++) {
        struct progress progress = {.begun = true};
        struct text line = {0};
        const int64_t total = 1 + rand() % 1000000;
        const struct progress_now now = {.what = "reading",
                                         .unit = "tokens",
                                         .done = rand() % (total + 1),
                                         .total = total,
                                         .now_ms = rand() % 1000000,
                                         .columns = 34 + rand() % 300};
        assert_int_equal(progress_line(&progress, &now, &line), STATUS_OK);
        assert_true(text_columns(text_string(&line)) < now.columns);
        text_deinit(&line);
    }
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_left_is_shown_once_the_speed_is_known),
        cmocka_unit_test(loading_is_shown_in_per_cent),
        cmocka_unit_test(a_narrow_screen_drops_the_bar_and_then_the_time),
        cmocka_unit_test(the_progress_line_fits_any_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
