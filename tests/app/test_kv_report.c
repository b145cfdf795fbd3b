// tests/app/test_kv_report.c — the cache's words and numbers.
#include "app/chat/kv_report.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <string.h>

static void every_kind_of_restore_has_its_line(void **state) {
    (void)state;
    static const struct {
        struct restore_report report;
        const char *line;
    } cases[] = {
        {{.length = 11290,
          .disk_tokens = 11204,
          .restore_us = 92000,
          .prefill_us = 410000,
          .done = true},
         "restored 11,204 of 11,290 tokens (disk, 92 ms; prefill would take 410 ms)"},
        {{.length = 11290,
          .host_tokens = 8000,
          .disk_tokens = 3204,
          .restore_us = 92400,
          .prefill_us = 12345678,
          .done = true},
         "restored 11,204 of 11,290 tokens (host 8,000, disk 3,204, 92 ms; prefill would take "
         "12.3 s)"},
        {{.length = 100, .device_tokens = 16, .disk_tokens = 32, .restore_us = 1000, .done = true},
         "restored 48 of 100 tokens (device 16, disk 32, 1 ms)"},
        {{.length = 11290, .device_tokens = 11204, .done = true},
         "11,204 of 11,290 tokens are in the cache (device)"},
        {{.length = 11290,
          .left_tokens = 11204,
          .prefill_us = 410000,
          .left_restore_us = 900000,
          .done = true},
         "computing 11,204 tokens (prefill 410 ms; reading them from the disk would take "
         "900 ms)"},
        {{.length = 40,
          .device_tokens = 16,
          .left_tokens = 16,
          .prefill_us = 4000,
          .left_restore_us = 9000,
          .done = true},
         "16 of 40 tokens are in the cache (device), computing 16 tokens (prefill 4 ms; "
         "reading them from the disk would take 9 ms)"},
        {{.length = 40, .left_tokens = 32, .done = true}, "computing 32 tokens"},
        {{.length = 40, .prefill_us = 4000, .done = true}, "computing 40 tokens (prefill 4 ms)"},
        {{.length = 40, .done = true}, "computing 40 tokens"},
        {{.length = 40, .done = false}, "restoring"},
        {{.length = 40, .disk_tokens = 16, .restore_us = 3000000, .done = false},
         "restored 16 of 40 tokens (disk, 3000 ms), still restoring"},
        {{.length = 0, .done = true}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text line = {0};
        assert_int_equal(kv_report_restored(&cases[i].report, &line), STATUS_OK);
        assert_string_equal(text_string(&line), cases[i].line);
        text_deinit(&line);
    }
}

#define WINDOWS \
    { .group_count = 2, .groups[1].kind = CACHE_WINDOW }
#define STATES \
    { .group_count = 2, .groups[1].kind = CACHE_STATE }
#define BOTH                                                                              \
    {                                                                                     \
        .group_count = 4, .groups[1].kind = CACHE_WINDOW, .groups[2].kind = CACHE_WINDOW, \
        .groups[3].kind = CACHE_STATE                                                     \
    }

static void a_costly_lost_state_is_reported(void **state) {
    (void)state;
    static const struct {
        int32_t lost;
        int64_t us, turn;
        struct kv_usage usage;
        const char *line;
    } cases[] = {
        {1240, 2100000, 3, STATES,
         "state of turn 3 is gone: 1,240 tokens to recompute, about 2100 ms"},
        {64, 100000, 1, STATES, "state of turn 1 is gone: 64 tokens to recompute, about 100 ms"},
        {256, 0, 0, STATES, "state of the preamble is gone: 256 tokens to recompute"},
        {9000, 12345678, 12, WINDOWS,
         "window of turn 12 is gone: 9,000 tokens to recompute, about 12.3 s"},
        {9000, 0, 12, BOTH, "window or state of turn 12 is gone: 9,000 tokens to recompute"},
        {63, 100000, 3, STATES, ""},
        {255, 99999, 3, STATES, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct restore_report report = {
            .length = 20000, .lost_tokens = cases[i].lost, .lost_us = cases[i].us};
        struct text line = {0};
        assert_int_equal(kv_report_lost(&report, &cases[i].usage, cases[i].turn, &line), STATUS_OK);
        assert_string_equal(text_string(&line), cases[i].line);
        text_deinit(&line);
    }
}

static void the_tiers_are_listed_with_their_limits(void **state) {
    (void)state;
    struct kv_usage usage = {.group_count = 1,
                             .groups[0] = {.block_bytes = 1 << 20, .device_blocks = 512}};
    struct text line = {0};
    assert_int_equal(kv_report_pools(&usage, &line), STATUS_OK);
    assert_string_equal(text_string(&line), "device 512 MiB · no disk");
    usage.groups[0].host_blocks = 64;
    usage.has_disk = true;
    usage.disk_bytes = 3 << 20;
    usage.disk_limit_bytes = (uint64_t)4 << 30;
    text_clear(&line);
    assert_int_equal(kv_report_pools(&usage, &line), STATUS_OK);
    assert_string_equal(text_string(&line),
                        "device 512 MiB · host 64.0 MiB · disk 3.0 MiB of 4.0 GiB");
    text_deinit(&line);
}

// Every field differs from every other, so one that is missing or mixed up shows.
static void every_usage_field_appears_in_the_json(void **state) {
    (void)state;
    struct kv_usage usage = {.group_count = 3,
                             .groups[0] = {.block_bytes = 7,
                                           .device_blocks = 60,
                                           .device_held = 10,
                                           .device_cached = 20,
                                           .device_free = 30},
                             .groups[1] = {.kind = CACHE_WINDOW, .reach = 512, .block_bytes = 8},
                             .groups[2] = {.kind = CACHE_STATE, .reach = 2, .block_bytes = 9},
                             .has_disk = true,
                             .disk_limit_bytes = (uint64_t)1 << 50,
                             .failed_writes = 99};
    cJSON *json = kv_report_json(&usage);
    assert_non_null(json);
    assert_int_equal(cJSON_GetArraySize(json), 46);
    static const char *const kinds[] = {"full", "window", "state"};
    const cJSON *groups = cJSON_GetObjectItem(json, "groups");
    assert_int_equal(cJSON_GetArraySize(groups), 3);
    for (int i = 0; i < 3; i++) {
        const cJSON *group = cJSON_GetArrayItem(groups, i);
        assert_string_equal(cJSON_GetObjectItem(group, "kind")->valuestring, kinds[i]);
        assert_true(cJSON_GetObjectItem(group, "block_bytes")->valuedouble == 7 + i);
        assert_int_equal(cJSON_GetArraySize(group), 13);
    }
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "has_states")));
    assert_true(cJSON_GetObjectItem(json, "window_reach")->valuedouble == 512);
    assert_true(cJSON_GetObjectItem(json, "window_block_bytes")->valuedouble == 8);
    const double held = cJSON_GetObjectItem(json, "device_held")->valuedouble;
    const double cached = cJSON_GetObjectItem(json, "device_cached")->valuedouble;
    const double free = cJSON_GetObjectItem(json, "device_free")->valuedouble;
    assert_true(held + cached + free == cJSON_GetObjectItem(json, "device_blocks")->valuedouble);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "has_disk")));
    assert_true(cJSON_GetObjectItem(json, "disk_limit_bytes")->valuedouble == 0x1p50);
    assert_true(cJSON_GetObjectItem(json, "block_bytes")->valuedouble == 7);
    assert_true(cJSON_GetObjectItem(json, "failed_writes")->valuedouble == 99);
    cJSON_Delete(json);
}

static void write_amplification_is_written_over_payload_bytes(void **state) {
    (void)state;
    struct kv_usage usage = {.disk_written_bytes = 105, .disk_payload_bytes = 100};
    assert_true(kv_report_amplification(&usage) == 1.05);
    usage.disk_payload_bytes = 0;
    assert_true(kv_report_amplification(&usage) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_restore_has_its_line),
        cmocka_unit_test(a_costly_lost_state_is_reported),
        cmocka_unit_test(the_tiers_are_listed_with_their_limits),
        cmocka_unit_test(every_usage_field_appears_in_the_json),
        cmocka_unit_test(write_amplification_is_written_over_payload_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
