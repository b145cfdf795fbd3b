// tests/engine/model/test_gguf_broken.c — every way that a GGUF file can be broken.
//
// Files are copied to where unreadable memory begins right behind them, so that a read past
// the end is a crash in every build.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/model/gguf.h"
#include "kernels/base/size.h"
#include "tests/check.h"
#include "tests/engine/model/gguf_touch.h"
#include "tests/engine/model/gguf_writer.h"

struct guarded {
    unsigned char *map;
    size_t body_bytes, map_bytes;
};

static struct guarded guard_create(size_t most_bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded guard = {.body_bytes = size_round_up(most_bytes, page)};
    guard.map_bytes = guard.body_bytes + page;
    guard.map =
        mmap(NULL, guard.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(guard.map != MAP_FAILED);
    assert_int_equal(mprotect(guard.map + guard.body_bytes, page, PROT_NONE), 0);
    return guard;
}

static void guard_destroy(struct guarded guard) { munmap(guard.map, guard.map_bytes); }

// The copy starts on a multiple of 8, so up to 7 bytes lie between its end and the guard.
static unsigned char *guard_copy(struct guarded guard, const unsigned char *bytes, size_t length) {
    unsigned char *copy = guard.map + (guard.body_bytes - length) / 8 * 8;
    memcpy(copy, bytes, length);
    return copy;
}

// Opens and, if that is OK, reads everything. A refusal must name the file and leave *gguf alone.
static enum status try_open(const unsigned char *bytes, size_t length, struct error *err) {
    struct gguf *gguf = NULL;
    const enum status status = gguf_open_memory(bytes, length, "broken", &gguf, err);
    if (status == STATUS_OK) {
        gguf_touch(gguf);
        gguf_close(gguf);
    } else {
        assert_null(gguf);
        assert_int_equal(err->status, status);
        assert_memory_equal(err->text, "broken: ", 8);
        assert_true(strstr(err->text, "expected") && strstr(err->text, "found"));
    }
    return status;
}

static unsigned char *sample(uint32_t version, size_t *length) {
    static const char *const words[] = {"a", "", "\xC4\xA0the", "<|im_end|>"};
    const int32_t types[] = {1, 1, 1, 3};
    const float values[7] = {1, 2, 3, 4, 5, 6, 7};
    unsigned char blocks[2 * 34] = {0};
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    writer.version = version;
    gguf_writer_string(&writer, "general.architecture", "llama");
    gguf_writer_int(&writer, "general.alignment", GGUF_U32, 32);
    gguf_writer_int(&writer, "u8", GGUF_U8, 8);
    gguf_writer_int(&writer, "i16", GGUF_I16, -16);
    gguf_writer_int(&writer, "i64", GGUF_I64, -64);
    gguf_writer_float(&writer, "f32", GGUF_F32, 0.5);
    gguf_writer_float(&writer, "f64", GGUF_F64, 0.25);
    gguf_writer_int(&writer, "yes", GGUF_BOOL, 1);
    gguf_writer_array(&writer, "types", GGUF_I32, 4, types, sizeof types);
    gguf_writer_array(&writer, "flags", GGUF_BOOL, 3, "\0\1\1", 3);
    gguf_writer_strings(&writer, "words", words, 4);
    gguf_writer_tensor(&writer, "norm", FILE_F32, 1, (const int64_t[]){7}, values, sizeof values);
    gguf_writer_tensor(&writer, "rows", FILE_Q8_0, 2, (const int64_t[]){32, 2}, blocks,
                       sizeof blocks);
    unsigned char *bytes = gguf_writer_finish(&writer, length);
    gguf_writer_deinit(&writer);
    return bytes;
}

static void every_truncation_is_a_bad_file(void **state) {
    (void)state;
    for (uint32_t version = 2; version <= 3; version++) {
        size_t length;
        unsigned char *bytes = sample(version, &length);
        const struct guarded guard = guard_create(length);
        struct error err;
        for (size_t cut = 0; cut < length; cut++)
            assert_int_equal(try_open(guard_copy(guard, bytes, cut), cut, &err), STATUS_BAD_FILE);
        assert_int_equal(try_open(guard_copy(guard, bytes, length), length, &err), STATUS_OK);
        guard_destroy(guard);
        free(bytes);
    }
}

static void no_single_changed_byte_crashes_the_reader(void **state) {
    (void)state;
    size_t length, opened = 0, refused = 0;
    unsigned char *bytes = sample(3, &length);
    const struct guarded guard = guard_create(length);
    for (size_t at = 0; at < length; at++) {
        const unsigned char flips[] = {0x01, 0x02, 0x04, 0x08, 0x10,
                                       0x20, 0x40, 0x80, 0xFF, bytes[at]};
        for (size_t i = 0; i < sizeof flips; i++) {
            unsigned char *copy = guard_copy(guard, bytes, length);
            struct error err;
            copy[at] ^= flips[i];
            const enum status status = try_open(copy, length, &err);
            assert_true(status == STATUS_OK || status == STATUS_BAD_FILE ||
                        status == STATUS_UNSUPPORTED);
            opened += status == STATUS_OK;
            refused += status != STATUS_OK;
        }
    }
    assert_true(opened > 0 && refused > 0);
    guard_destroy(guard);
    free(bytes);
}

// Several changes at once, and lengths that do not fit them.
static void no_random_damage_crashes_the_reader(void **state) {
    (void)state;
    enum { ROUNDS = 20000 };
    uint32_t seed = 20240607;
    print_message("seed %u\n", seed);
    size_t length;
    unsigned char *bytes = sample(3, &length);
    const struct guarded guard = guard_create(length);
    for (int round = 0; round < ROUNDS; round++) {
        struct error err;
        unsigned char *copy = guard_copy(guard, bytes, length);
        seed = seed * 1664525u + 1013904223u;
        const uint32_t changes = 1 + (seed >> 28);
        for (uint32_t i = 0; i < changes; i++) {
            seed = seed * 1664525u + 1013904223u;
            copy[(seed >> 8) % length] = (unsigned char)(seed >> 24);
        }
        const enum status status = try_open(copy, length, &err);
        assert_true(status == STATUS_OK || status == STATUS_BAD_FILE ||
                    status == STATUS_UNSUPPORTED);
    }
    guard_destroy(guard);
    free(bytes);
}

// Finishes the writer's file and expects a refusal whose text has these words.
static void expect_refused(struct gguf_writer *writer, enum status expected, const char *words) {
    struct error err = {0};
    size_t length;
    unsigned char *bytes = gguf_writer_finish(writer, &length);
    const struct guarded guard = guard_create(length);
    const enum status status = try_open(guard_copy(guard, bytes, length), length, &err);
    if (status != expected || !strstr(err.text, words))
        fail_msg("expected '%s', found %s: %s", words, status_text(status), err.text);
    guard_destroy(guard);
    free(bytes);
    gguf_writer_deinit(writer);
}

static void accepted(struct gguf_writer *writer) {
    struct error err = {0};
    size_t length;
    unsigned char *bytes = gguf_writer_finish(writer, &length);
    if (try_open(bytes, length, &err) != STATUS_OK) fail_msg("%s", err.text);
    free(bytes);
    gguf_writer_deinit(writer);
}

static void absurd_counts_are_refused_before_allocation(void **state) {
    (void)state;
    static const uint64_t absurd[] = {2, 65536, 65537, UINT32_MAX, INT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        struct gguf_writer writer;
        gguf_writer_init(&writer);
        writer.keys = absurd[i];
        expect_refused(&writer, STATUS_BAD_FILE, "keys, found");
        gguf_writer_init(&writer);
        writer.tensors = absurd[i];
        expect_refused(&writer, STATUS_BAD_FILE, "tensors, found");
    }
}

static void one_key_or_tensor_past_the_limit_is_refused(void **state) {
    (void)state;
    const int64_t one[] = {1};
    char name[16];
    for (int more = 0; more <= 1; more++) {
        struct gguf_writer keys, tensors;
        gguf_writer_init(&keys);
        gguf_writer_init(&tensors);
        for (int i = 0; i < GGUF_MAX_KEYS + more; i++) {
            snprintf(name, sizeof name, "%d", i);
            gguf_writer_int(&keys, name, GGUF_U8, 1);
        }
        for (int i = 0; i < GGUF_MAX_TENSORS + more; i++) {
            snprintf(name, sizeof name, "%d", i);
            gguf_writer_tensor(&tensors, name, FILE_F32, 1, one, "1234", 4);
        }
        if (more) {
            expect_refused(&keys, STATUS_BAD_FILE, "at most 65536 keys, found 65537");
            expect_refused(&tensors, STATUS_BAD_FILE, "at most 65536 tensors, found 65537");
        } else {
            accepted(&keys);
            accepted(&tensors);
        }
    }
}

static void absurd_array_and_string_lengths_are_refused(void **state) {
    (void)state;
    static const uint64_t absurd[] = {9, UINT32_MAX, INT64_MAX, UINT64_MAX / 8, UINT64_MAX};
    static const uint32_t types[] = {GGUF_U8, GGUF_U16, GGUF_F32, GGUF_U64, GGUF_STRING, GGUF_BOOL};
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        struct gguf_writer writer;
        for (size_t j = 0; j < sizeof types / sizeof types[0]; j++) {
            gguf_writer_init(&writer);
            gguf_writer_array(&writer, "array", types[j], absurd[i], "12345678", 8);
            expect_refused(&writer, STATUS_BAD_FILE, "key 0 'array'");
        }
        gguf_writer_init(&writer); // a string inside an array
        gguf_writer_array(&writer, "array", GGUF_STRING, 1, &absurd[i], sizeof absurd[i]);
        expect_refused(&writer, STATUS_BAD_FILE, "more bytes");
    }
}

// A tensor that began elsewhere, or whose type had another size, would be other numbers.
static void gaps_and_overlaps_between_tensors_are_refused(void **state) {
    (void)state;
    const int64_t shape[] = {8};
    static const char data[96];
    static const uint64_t offsets[] = {32, 0, 64};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        struct gguf_writer writer;
        gguf_writer_init(&writer);
        gguf_writer_tensor_at(&writer, "first", FILE_F32, 1, shape, 0);
        gguf_writer_tensor_at(&writer, "second", FILE_F32, 1, shape, offsets[i]);
        assert_int_equal(text_append(&writer.data, data, sizeof data), STATUS_OK);
        if (offsets[i] == 32)
            accepted(&writer);
        else
            expect_refused(&writer, STATUS_BAD_FILE, "tensor 1 'second'");
    }
}

static void repeated_names_are_refused(void **state) {
    (void)state;
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_int(&writer, "one", GGUF_U8, 1);
    gguf_writer_int(&writer, "two", GGUF_U8, 2);
    gguf_writer_string(&writer, "one", "again");
    expect_refused(&writer, STATUS_BAD_FILE, "key 2 'one', byte");
    const int64_t shape[] = {1};
    gguf_writer_init(&writer);
    gguf_writer_int(&writer, "same", GGUF_U8, 1); // a tensor may have the name of a key
    gguf_writer_tensor(&writer, "same", FILE_F32, 1, shape, "1234", 4);
    gguf_writer_tensor(&writer, "same", FILE_F32, 1, shape, "1234", 4);
    expect_refused(&writer, STATUS_BAD_FILE, "found the name of tensor 0 again");
}

static void bad_names_are_refused(void **state) {
    (void)state;
    char too_long[GGUF_MAX_NAME_BYTES + 2] = {0};
    memset(too_long, 'x', sizeof too_long - 1);
    static const char *const bad[] = {"\xFF",    "a\xC0\x80", "\xED\xA0\x80", "bell\a",
                                      "\x1B[2J", "\x7F",      "\xC2\x9B[2J",  "cut\xE2\x96"};
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_int(&writer, "", GGUF_U8, 1);
    gguf_writer_int(&writer, "after", GGUF_U8, 1);
    expect_refused(&writer, STATUS_BAD_FILE, "found 0");
    gguf_writer_init(&writer);
    gguf_writer_int(&writer, too_long, GGUF_U8, 1);
    expect_refused(&writer, STATUS_BAD_FILE, "found 257");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        gguf_writer_init(&writer);
        gguf_writer_int(&writer, bad[i], GGUF_U8, 1);
        expect_refused(&writer, STATUS_BAD_FILE, "UTF-8");
        gguf_writer_init(&writer);
        gguf_writer_tensor(&writer, bad[i], FILE_F32, 1, (const int64_t[]){1}, "1234", 4);
        expect_refused(&writer, STATUS_BAD_FILE, "UTF-8");
    }
}

static void invalid_value_types_and_bools_are_refused(void **state) {
    (void)state;
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_array(&writer, "nested", GGUF_ARRAY, 1, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    expect_refused(&writer, STATUS_UNSUPPORTED, "an array of arrays");
    gguf_writer_init(&writer);
    gguf_writer_array(&writer, "strange", 13, 1, "12345678", 8);
    expect_refused(&writer, STATUS_BAD_FILE, "found 13");
    gguf_writer_init(&writer);
    gguf_writer_int(&writer, "maybe", GGUF_BOOL, 2);
    expect_refused(&writer, STATUS_BAD_FILE, "a bool of 0 or 1, found 2");
    gguf_writer_init(&writer);
    gguf_writer_array(&writer, "maybe", GGUF_BOOL, 3, "\0\1\xFF", 3);
    expect_refused(&writer, STATUS_BAD_FILE, "found 255");
}

static void bad_alignments_are_refused(void **state) {
    (void)state;
    static const int64_t bad[] = {0, 1, 4, 24, 33, 1 << 17, UINT32_MAX};
    struct gguf_writer writer;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        gguf_writer_init(&writer);
        gguf_writer_int(&writer, "general.alignment", GGUF_U32, bad[i]);
        expect_refused(&writer, STATUS_BAD_FILE, "power of two");
    }
    gguf_writer_init(&writer);
    gguf_writer_string(&writer, "general.alignment", "32");
    expect_refused(&writer, STATUS_BAD_FILE, "another type");
}

static void tensors_outside_the_file_are_refused(void **state) {
    (void)state;
    static const uint64_t bad[] = {
        128, 96, 1 << 20, UINT64_MAX - 31, UINT64_MAX - 63, (uint64_t)INT64_MAX + 1,
    };
    const unsigned char data[128] = {0};
    struct gguf_writer writer;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        gguf_writer_init(&writer);
        gguf_writer_tensor(&writer, "inside", FILE_F32, 1, (const int64_t[]){32}, data, 128);
        gguf_writer_tensor_at(&writer, "outside", FILE_F32, 1, (const int64_t[]){9}, bad[i]);
        expect_refused(&writer, STATUS_BAD_FILE, "tensor 1 'outside'");
    }
    gguf_writer_init(&writer);
    gguf_writer_tensor(&writer, "inside", FILE_F32, 1, (const int64_t[]){32}, data, 128);
    gguf_writer_tensor_at(&writer, "unknown", FILE_Q8_1, 1, (const int64_t[]){256}, 128);
    expect_refused(&writer, STATUS_BAD_FILE, "tensor 1 'unknown'");
    gguf_writer_init(&writer);
    gguf_writer_tensor_at(&writer, "header", FILE_F32, 1, (const int64_t[]){1}, 0);
    expect_refused(&writer, STATUS_BAD_FILE, "found 0 bytes of tensor data; is the file cut off?");
    gguf_writer_init(&writer);
    gguf_writer_tensor(&writer, "inside", FILE_F32, 1, (const int64_t[]){32}, data, 128);
    gguf_writer_tensor_at(&writer, "crooked", FILE_F32, 1, (const int64_t[]){1}, 8);
    expect_refused(&writer, STATUS_BAD_FILE, "multiple of 32, found 8");
}

static void impossible_shapes_are_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t type, dims;
        int64_t shape[5];
        const char *words;
    } bad[] = {
        {FILE_F32, 0, {0}, "found 0"},
        {FILE_F32, 5, {1, 1, 1, 1, 1}, "found 5"},
        {FILE_F32, UINT32_MAX, {0}, "found 4294967295"},
        {FILE_F32, 2, {4, 0}, "found 0 in dimension 1"},
        {FILE_F32, 1, {-1}, "found 18446744073709551615 in dimension 0"},
        {FILE_F32, 2, {INT64_MAX, 2}, "found 2 in dimension 1"},
        {FILE_F32, 4, {1 << 16, 1 << 16, 1 << 16, 1 << 16}, "in dimension 3"},
        {FILE_F32, 2, {(int64_t)1 << 31, (int64_t)1 << 31}, "fits in 64 bits"},
        {FILE_F32, 1, {INT64_MAX}, "fits in 64 bits"},
        {FILE_Q8_0, 2, {33, 2}, "multiple of 32 for Q8_0, found 33"},
        {FILE_Q6_K, 2, {128, 2}, "multiple of 256 for Q6_K, found 128"},
        {FILE_Q4_0, 2, {16, 2}, "multiple of 32 for Q4_0, found 16"},
        {FILE_IQ2_XXS, 2, {224, 2}, "multiple of 256 for IQ2_XXS, found 224"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gguf_writer writer;
        gguf_writer_init(&writer);
        const uint32_t listed = bad[i].dims < 5 ? bad[i].dims : 5;
        gguf_writer_tensor(&writer, "shape", bad[i].type, listed, bad[i].shape, "12345678", 8);
        // The count of dimensions stands behind the name and its length.
        memcpy(writer.tensor_bytes.bytes + 8 + 5, &bad[i].dims, sizeof bad[i].dims);
        expect_refused(&writer, STATUS_BAD_FILE, bad[i].words);
    }
}

static void other_versions_and_byte_orders_are_refused_by_name(void **state) {
    (void)state;
    static const struct {
        uint32_t version;
        const char *words;
    } bad[] = {{0, "found 0"},
               {1, "found 1"},
               {4, "found 4"},
               {0x02000000, "big-endian"},
               {0x03000000, "big-endian"},
               {UINT32_MAX, "found 4294967295"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct gguf_writer writer;
        gguf_writer_init(&writer);
        writer.version = bad[i].version;
        expect_refused(&writer, STATUS_UNSUPPORTED, bad[i].words);
    }
}

static void a_long_path_does_not_crowd_out_the_reason(void **state) {
    (void)state;
    char path[4000];
    memset(path, 'p', sizeof path);
    memcpy(path + sizeof path - sizeof "/end.gguf", "/end.gguf", sizeof "/end.gguf");
    struct gguf *gguf = NULL;
    struct error err = {0};
    uint64_t bytes[2] = {0};
    assert_int_equal(gguf_open_memory(bytes, sizeof bytes, path, &gguf, &err), STATUS_BAD_FILE);
    assert_non_null(strstr(err.text, "/end.gguf: "));
    assert_non_null(strstr(err.text, "starts with \"....\""));
    assert_int_equal(gguf_open_memory(bytes, sizeof bytes, path, &gguf, NULL), STATUS_BAD_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_is_a_bad_file),
        cmocka_unit_test(no_single_changed_byte_crashes_the_reader),
        cmocka_unit_test(no_random_damage_crashes_the_reader),
        cmocka_unit_test(absurd_counts_are_refused_before_allocation),
        cmocka_unit_test(one_key_or_tensor_past_the_limit_is_refused),
        cmocka_unit_test(absurd_array_and_string_lengths_are_refused),
        cmocka_unit_test(gaps_and_overlaps_between_tensors_are_refused),
        cmocka_unit_test(repeated_names_are_refused),
        cmocka_unit_test(bad_names_are_refused),
        cmocka_unit_test(invalid_value_types_and_bools_are_refused),
        cmocka_unit_test(bad_alignments_are_refused),
        cmocka_unit_test(tensors_outside_the_file_are_refused),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(other_versions_and_byte_orders_are_refused_by_name),
        cmocka_unit_test(a_long_path_does_not_crowd_out_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
