// tests/store/test_vault_damage.c — bytes and rows that somebody has changed: a read gives the
// right bytes or drops the block, and the others stay.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/log.h"
#include "store/record.h"
#include "tests/check.h"
#include "tests/store/store_fixture.h"
#include "tests/store/vault_fixture.h"

enum { PAYLOAD = 100, BLOCKS = 3, FILE_BYTES = BLOCKS * RECORD_ALIGNMENT, INDEX_MOST = 1 << 20 };

static struct vault_fixture fixture;
static struct listed listed;
static uint8_t segment[FILE_BYTES], index_bytes[INDEX_MOST]; // of the sound vault
static size_t index_length;

static size_t load(const char *name, uint8_t *bytes, size_t most) {
    char path[128];
    vault_fixture_path(&fixture, name, path);
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    const ssize_t length = read(file, bytes, most);
    close(file);
    assert_true(length >= 0);
    return (size_t)length;
}

static void save(const char *name, const uint8_t *bytes, size_t length) {
    char path[128];
    vault_fixture_path(&fixture, name, path);
    unlink(path);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, length), length);
    close(file);
}

// Blocks 1, 2, 3 of one chain, closed.
static void make_sound(void) {
    vault_fixture_init(&fixture, PAYLOAD, true);
    vault_fixture_open(&fixture);
    must(vault_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
    vault_fixture_list(&fixture, &listed);
    for (int64_t i = 1; i <= BLOCKS; i++)
        assert_int_equal(listed.places[i].offset, (i - 1) * RECORD_ALIGNMENT);
    vault_fixture_close(&fixture);
    assert_int_equal(load("segment-00000001.kv", segment, sizeof segment), FILE_BYTES);
    index_length = load("index.db", index_bytes, sizeof index_bytes);
    assert_true(index_length < INDEX_MOST);
}

static void put_back(const uint8_t *bytes, size_t length) {
    vault_fixture_empty(&fixture);
    save("segment-00000001.kv", bytes, length);
    save("index.db", index_bytes, index_length);
    memset(fixture.dropped, 0, sizeof fixture.dropped);
    fixture.dropped_count = 0;
}

// Whether the byte belongs to a record's header or payload, not to its padding.
static bool counts(size_t offset) {
    const size_t at = offset % RECORD_ALIGNMENT;
    return at < record_header_bytes(FIXTURE_TOKENS) + PAYLOAD;
}

// Reads all; just `bad` is dropped (0: none), and can then be written anew.
static void expect_only(int64_t bad) {
    const struct listed before = listed;
    for (int64_t i = 1; i <= BLOCKS; i++) {
        const enum status outcome = vault_fixture_read(&fixture, i, before.places[i]);
        assert_int_equal(outcome == STATUS_OK, i != bad);
        if (i == bad) assert_int_equal(outcome, STATUS_BAD_FILE);
        assert_int_equal(fixture.dropped[i], i == bad);
    }
    if (bad == 0) return;
    must(vault_fixture_write_these(&fixture, &bad, 1), &fixture.err);
    static struct listed after;
    assert_int_equal(vault_fixture_read_all(&fixture, &after), BLOCKS);
}

static void any_flipped_bit_costs_that_block_at_most(void **state) {
    (void)state;
    uint8_t damaged[FILE_BYTES];
    make_sound();
    for (size_t offset = 0; offset < FILE_BYTES; offset++) {
        if (!counts(offset) && offset % 101 != 0) continue;
        memcpy(damaged, segment, sizeof segment);
        damaged[offset] ^= (uint8_t)(1u << offset % 8);
        put_back(damaged, sizeof damaged);
        vault_fixture_open(&fixture);
        expect_only(counts(offset) ? 1 + (int64_t)(offset / RECORD_ALIGNMENT) : 0);
        vault_fixture_close(&fixture);
    }
    vault_fixture_deinit(&fixture);
}

static void a_file_cut_at_any_length_keeps_the_records_before(void **state) {
    (void)state;
    make_sound();
    for (size_t length = 0; length <= FILE_BYTES; length++) {
        const size_t at = length % RECORD_ALIGNMENT;
        const bool edge = at < 3 || at > RECORD_ALIGNMENT - 3 || (at > 300 && at < 425);
        if (!edge && length % 97 != 0) continue;
        put_back(segment, length);
        vault_fixture_open(&fixture);
        const int32_t whole = (int32_t)(length / RECORD_ALIGNMENT);
        assert_int_equal(vault_fixture_read_all(&fixture, &listed), whole);
        must(vault_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        vault_fixture_reopen(&fixture);
        assert_int_equal(vault_fixture_read_all(&fixture, &listed), BLOCKS);
        vault_fixture_close(&fixture);
        if (length % 16 == 0) assert_int_equal(vault_fixture_check(&fixture).blocks, BLOCKS);
    }
    vault_fixture_deinit(&fixture);
}

// The engine has listed the blocks when somebody deletes a segment: one read finds it out for all.
static void a_missing_segment_costs_its_blocks(void **state) {
    (void)state;
    char path[128];
    make_sound();
    for (int opened_before = 0; opened_before < 2; opened_before++) {
        put_back(segment, sizeof segment);
        vault_fixture_path(&fixture, "segment-00000001.kv", path);
        if (opened_before) vault_fixture_open(&fixture);
        assert_int_equal(unlink(path), 0);
        if (!opened_before) vault_fixture_open(&fixture);
        if (opened_before) {
            const struct tier_place place = {.segment = 1, .offset = RECORD_ALIGNMENT};
            assert_int_equal(vault_fixture_read(&fixture, 2, place), STATUS_NOT_FOUND);
            assert_int_equal(fixture.dropped_count, BLOCKS);
        }
        assert_int_equal(vault_fixture_read_all(&fixture, &listed), 0);
        must(vault_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        assert_int_equal(vault_fixture_read_all(&fixture, &listed), BLOCKS);
        assert_int_not_equal(listed.places[1].segment, 1); // a number is never used again
        vault_fixture_close(&fixture);
    }
    vault_fixture_deinit(&fixture);
}

static int warnings;
static char warning[128];

static void note_warning(enum log_level level, const char *text) {
    if (level != LOG_WARNING) return;
    warnings++;
    snprintf(warning, sizeof warning, "%s", text);
}

// However many of its blocks are asked for at once.
static void a_missing_segment_is_told_of_once(void **state) {
    (void)state;
    make_sound();
    for (int32_t count = 1; count <= BLOCKS; count++) {
        char path[128];
        struct tier_block blocks[BLOCKS];
        int32_t ids[BLOCKS][FIXTURE_TOKENS];
        uint8_t payload[BLOCKS][PAYLOAD];
        void *payloads[BLOCKS];
        enum status outcomes[BLOCKS];
        put_back(segment, sizeof segment);
        vault_fixture_open(&fixture);
        for (int32_t i = 0; i < count; i++) {
            blocks[i] = fixture_block(&fixture, i + 1, ids[i]);
            blocks[i].place = (struct tier_place){1, (uint64_t)i * RECORD_ALIGNMENT};
            payloads[i] = payload[i];
        }
        vault_fixture_path(&fixture, "segment-00000001.kv", path);
        assert_int_equal(unlink(path), 0);
        warnings = 0;
        log_set_sink(note_warning);
        fixture.tier->verbs->read(fixture.tier, blocks, payloads, count, outcomes);
        log_set_sink(NULL);
        assert_int_equal(warnings, 1);
        assert_string_equal(warning, "the KV cache: segment 1 is gone, and 3 blocks with it");
        vault_fixture_close(&fixture);
    }
    vault_fixture_deinit(&fixture);
}

static void rows_without_bytes_are_found_by_reading(void **state) {
    (void)state;
    make_sound();
    vault_fixture_sql(&fixture, "UPDATE kv_block SET offset = 40960 WHERE id = 2;"
                                "UPDATE kv_block SET offset = 0 WHERE id = 3");
    vault_fixture_open(&fixture);
    vault_fixture_list(&fixture, &listed);
    assert_int_equal(listed.count, 3);
    assert_int_equal(vault_fixture_read(&fixture, 1, listed.places[1]), STATUS_OK);
    assert_int_equal(vault_fixture_read(&fixture, 2, listed.places[2]), STATUS_NOT_FOUND);
    assert_int_equal(vault_fixture_read(&fixture, 3, listed.places[3]), STATUS_NOT_FOUND);
    vault_fixture_close(&fixture);
    vault_fixture_check(&fixture);
    vault_fixture_deinit(&fixture);
}

static void bytes_without_rows_are_entered_when_they_are_whole(void **state) {
    (void)state;
    static uint8_t longer[2 * FILE_BYTES + 100];
    make_sound();
    // Behind what the rows know: a record of another folder, garbage, another one cut off.
    memset(longer, 0xA5, sizeof longer);
    memcpy(longer, segment, FILE_BYTES);
    memcpy(longer + FILE_BYTES + RECORD_ALIGNMENT, segment, RECORD_ALIGNMENT);
    memcpy(longer + FILE_BYTES + 2 * RECORD_ALIGNMENT, segment + RECORD_ALIGNMENT, 300);
    put_back(longer, sizeof longer);
    vault_fixture_sql(&fixture, "DELETE FROM kv_block WHERE id = 1");
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), BLOCKS);
    assert_int_equal(listed.places[1].offset, FILE_BYTES + RECORD_ALIGNMENT);
    vault_fixture_close(&fixture);
    char path[128];
    struct stat info;
    vault_fixture_path(&fixture, "segment-00000001.kv", path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, FILE_BYTES + 2 * RECORD_ALIGNMENT); // the rest was cut off
    const struct vault_report report = vault_fixture_check(&fixture);
    assert_int_equal(report.blocks, BLOCKS);
    assert_int_equal(report.orphan_bytes, RECORD_ALIGNMENT); // where 1 was
    vault_fixture_deinit(&fixture);
}

static void an_index_that_is_gone_or_garbage_is_made_anew(void **state) {
    (void)state;
    static uint8_t garbage[20000];
    make_sound();
    for (int what = 0; what < 5; what++) {
        put_back(segment, sizeof segment);
        for (size_t i = 0; i < sizeof garbage; i++)
            garbage[i] = (uint8_t)(i * 37);
        if (what == 1) save("index.db", garbage, sizeof garbage);
        if (what == 2) save("index.db", index_bytes, index_length / 2);
        if (what == 3) vault_fixture_sql(&fixture, "PRAGMA application_id = 5");
        if (what == 4)
            vault_fixture_sql(&fixture, "UPDATE kv_block SET key = 'short' WHERE id = 2");
        if (what == 0) {
            char path[128];
            vault_fixture_path(&fixture, "index.db", path);
            assert_int_equal(unlink(path), 0);
        }
        vault_fixture_open(&fixture);
        assert_int_equal(vault_fixture_read_all(&fixture, &listed), BLOCKS);
        must(vault_fixture_write(&fixture, 10, 2, 3), &fixture.err);
        vault_fixture_reopen(&fixture);
        assert_int_equal(vault_fixture_read_all(&fixture, &listed), BLOCKS + 2);
        vault_fixture_close(&fixture);
        assert_int_equal(vault_fixture_check(&fixture).blocks, BLOCKS + 2);
    }
    vault_fixture_deinit(&fixture);
}

static void any_damaged_page_of_the_index_costs_a_scan_at_most(void **state) {
    (void)state;
    static uint8_t damaged[INDEX_MOST];
    uint32_t random = 4;
    print_message("seed %u\n", random);
    make_sound();
    for (int round = 0; round < 150; round++) {
        put_back(segment, sizeof segment);
        memcpy(damaged, index_bytes, index_length);
        for (int i = 0; i < 40; i++) {
            random = random * 1664525u + 1013904223u;
            const size_t page = (size_t)round % (index_length / 4096);
            damaged[page * 4096 + (random >> 8) % 4096] ^= (uint8_t)(random >> 24 | 1);
        }
        save("index.db", damaged, index_length);
        const struct vault_options options = {.folder = fixture.folder};
        struct tier *tier = vault_create(&options);
        const enum status status =
            tier->verbs->begin(tier, &fixture.format, NULL, NULL, &fixture.err);
        tier->verbs->close(tier); // a newer version, by accident, is left to the newer quire
        if (status == STATUS_UNSUPPORTED) continue;
        must(status, &fixture.err);
        const struct vault_report report = vault_fixture_check(&fixture); // which makes it sound
        vault_fixture_open(&fixture);
        vault_fixture_list(&fixture, &listed);
        assert_true((uint64_t)listed.count >= report.blocks);
        must(vault_fixture_write(&fixture, 1, BLOCKS, 0), &fixture.err);
        vault_fixture_close(&fixture);
    }
    vault_fixture_deinit(&fixture);
}

// What opening and listing do not read may be damaged too: the verb that meets it says so.
static void an_index_that_fails_later_is_made_anew_at_the_next_opening(void **state) {
    (void)state;
    char path[128];
    make_sound();
    vault_fixture_open(&fixture);
    vault_fixture_list(&fixture, &listed);
    vault_fixture_sql(&fixture, "UPDATE kv_block SET offset = -5 WHERE id = 1");
    assert_int_equal(vault_fixture_write(&fixture, 1, BLOCKS, 0), STATUS_BAD_FILE);
    vault_fixture_close(&fixture);
    vault_fixture_path(&fixture, "index.db", path);
    assert_int_not_equal(access(path, F_OK), 0);
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), BLOCKS);
    vault_fixture_deinit(&fixture);
}

static void a_newer_version_is_left_alone(void **state) {
    (void)state;
    make_sound();
    vault_fixture_sql(&fixture, "PRAGMA user_version = 99");
    const struct vault_options options = {.folder = fixture.folder};
    struct tier *tier = vault_create(&options);
    assert_int_equal(tier->verbs->begin(tier, &fixture.format, NULL, NULL, &fixture.err),
                     STATUS_UNSUPPORTED);
    tier->verbs->close(tier);
    vault_fixture_sql(&fixture, "PRAGMA user_version = 1");
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), BLOCKS);
    vault_fixture_deinit(&fixture);
}

static void a_check_names_and_drops_what_is_bad(void **state) {
    (void)state;
    uint8_t damaged[FILE_BYTES];
    make_sound();
    memcpy(damaged, segment, sizeof segment);
    damaged[RECORD_ALIGNMENT + 350] ^= 1; // of block 2's payload
    put_back(damaged, sizeof damaged);
    vault_fixture_sql(&fixture, "UPDATE kv_block SET offset = 1048576 WHERE id = 3");
    const struct vault_report report = vault_fixture_check(&fixture);
    assert_int_equal(report.blocks, 1);
    assert_int_equal(report.bytes, RECORD_ALIGNMENT);
    assert_int_equal(report.damaged, 1);
    assert_int_equal(report.missing, 1);
    assert_int_equal(report.orphan_bytes, RECORD_ALIGNMENT); // 3's bytes; 2's went with its row
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 1);
    vault_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_flipped_bit_costs_that_block_at_most),
        cmocka_unit_test(a_file_cut_at_any_length_keeps_the_records_before),
        cmocka_unit_test(a_missing_segment_costs_its_blocks),
        cmocka_unit_test(a_missing_segment_is_told_of_once),
        cmocka_unit_test(rows_without_bytes_are_found_by_reading),
        cmocka_unit_test(bytes_without_rows_are_entered_when_they_are_whole),
        cmocka_unit_test(an_index_that_is_gone_or_garbage_is_made_anew),
        cmocka_unit_test(any_damaged_page_of_the_index_costs_a_scan_at_most),
        cmocka_unit_test(an_index_that_fails_later_is_made_anew_at_the_next_opening),
        cmocka_unit_test(a_newer_version_is_left_alone),
        cmocka_unit_test(a_check_names_and_drops_what_is_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
