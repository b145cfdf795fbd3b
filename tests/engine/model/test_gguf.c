// tests/engine/model/test_gguf.c — gguf.h rule by rule: what good files say, and files on disk.
// Broken files are in test_gguf_broken.c.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/model/gguf.h"
#include "tests/check.h"
#include "tests/engine/model/gguf_touch.h"
#include "tests/engine/model/gguf_writer.h"

struct opened {
    unsigned char *bytes;
    struct gguf *gguf;
};

static struct opened open_written(struct gguf_writer *writer) {
    struct opened opened = {0};
    struct error err = {0};
    size_t length;
    opened.bytes = gguf_writer_finish(writer, &length);
    if (gguf_open_memory(opened.bytes, length, "written", &opened.gguf, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(gguf_file_bytes(opened.gguf), length);
    gguf_writer_deinit(writer);
    return opened;
}

static void close_written(struct opened opened) {
    gguf_close(opened.gguf);
    free(opened.bytes);
}

static void values_of_every_type_read_back(void **state) {
    (void)state;
    static const struct {
        const char *key;
        enum gguf_type type;
        int64_t value;
    } integers[] = {
        {"u8", GGUF_U8, 255},         {"i8", GGUF_I8, -128},         {"u16", GGUF_U16, 65535},
        {"i16", GGUF_I16, -32768},    {"u32", GGUF_U32, 4294967295}, {"i32", GGUF_I32, INT32_MIN},
        {"u64", GGUF_U64, INT64_MAX}, {"i64", GGUF_I64, INT64_MIN},
    };
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        gguf_writer_int(&writer, integers[i].key, integers[i].type, integers[i].value);
    gguf_writer_float(&writer, "f32", GGUF_F32, 0.1);
    gguf_writer_float(&writer, "f64", GGUF_F64, 0.1);
    gguf_writer_int(&writer, "yes", GGUF_BOOL, 1);
    gguf_writer_string(&writer, "text",
                       "gr\xC3\xBC\xC3\x9F"
                       "e");
    gguf_writer_string(&writer, "empty", "");
    struct opened opened = open_written(&writer);
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        int64_t value = 1;
        assert_true(gguf_find_int(opened.gguf, integers[i].key, &value));
        assert_true(value == integers[i].value);
        assert_int_equal(gguf_key_at(opened.gguf, i).type, integers[i].type);
    }
    double number;
    bool truth = false;
    struct gguf_string text;
    assert_true(gguf_find_float(opened.gguf, "f32", &number));
    assert_true(number == (double)0.1f);
    assert_true(gguf_find_float(opened.gguf, "f64", &number));
    assert_true(number == 0.1);
    assert_true(gguf_find_bool(opened.gguf, "yes", &truth));
    assert_true(truth);
    assert_true(gguf_find_string(opened.gguf, "text", &text));
    assert_int_equal(text.length, 7);
    assert_memory_equal(text.bytes,
                        "gr\xC3\xBC\xC3\x9F"
                        "e",
                        7);
    assert_true(gguf_find_string(opened.gguf, "empty", &text));
    assert_int_equal(text.length, 0);
    close_written(opened);
}

static void a_key_converts_only_without_loss(void **state) {
    (void)state;
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_int(&writer, "huge", GGUF_U64, -1); // 2^64 - 1
    gguf_writer_int(&writer, "exact", GGUF_I64, -((int64_t)1 << 53));
    gguf_writer_int(&writer, "inexact", GGUF_U64, ((int64_t)1 << 53) + 1);
    gguf_writer_float(&writer, "one", GGUF_F32, 1.0);
    gguf_writer_int(&writer, "yes", GGUF_BOOL, 1);
    gguf_writer_string(&writer, "text", "1");
    struct opened opened = open_written(&writer);
    int64_t integer = 42;
    double number = 42;
    bool truth = false;
    struct gguf_string text = {"x", 1};
    struct gguf_array array = {.count = 42};
    static const char *const not_int[] = {"huge", "one", "yes", "text", "absent"};
    for (size_t i = 0; i < sizeof not_int / sizeof not_int[0]; i++)
        assert_false(gguf_find_int(opened.gguf, not_int[i], &integer));
    static const char *const not_float[] = {"huge", "inexact", "yes", "text", "absent"};
    for (size_t i = 0; i < sizeof not_float / sizeof not_float[0]; i++)
        assert_false(gguf_find_float(opened.gguf, not_float[i], &number));
    assert_false(gguf_find_bool(opened.gguf, "one", &truth));
    assert_false(gguf_find_string(opened.gguf, "one", &text));
    assert_false(gguf_find_array(opened.gguf, "text", &array));
    assert_true(integer == 42 && number == 42 && !truth && text.length == 1 && array.count == 42);
    assert_true(gguf_find_float(opened.gguf, "exact", &number));
    assert_true(number == -9007199254740992.0);
    close_written(opened);
}

static void a_key_of_another_kind_is_refused_by_name(void **state) {
    (void)state;
    static const char *const keys[] = {"real", "whole", "flag", "text", "list"};
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_float(&writer, "real", GGUF_F64, 1);
    gguf_writer_int(&writer, "whole", GGUF_I8, 1);
    gguf_writer_int(&writer, "flag", GGUF_BOOL, 1);
    gguf_writer_string(&writer, "text", "1");
    gguf_writer_strings(&writer, "list", keys, 1);
    struct opened opened = open_written(&writer);
    for (enum gguf_kind kind = GGUF_REAL; kind <= GGUF_LIST; kind++) {
        struct error err = {0};
        assert_int_equal(gguf_check_kind(opened.gguf, "absent", kind, &err), STATUS_OK);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            const enum status status = gguf_check_kind(opened.gguf, keys[i], kind, &err);
            assert_int_equal(status, i == kind ? STATUS_OK : STATUS_UNSUPPORTED);
            assert_true(i == kind || strstr(err.text, keys[i]));
        }
    }
    assert_true(gguf_has_key(opened.gguf, "list") && !gguf_has_key(opened.gguf, "lists"));
    close_written(opened);
}

static void arrays_of_every_type_read_back(void **state) {
    (void)state;
    static const char *const words[] = {"", "one", "\xE2\x96\x81two", "a\nb"};
    const uint64_t u64[] = {7, UINT64_MAX};
    const float f32[] = {0.5f, -1e30f};
    const double f64[] = {0.1};
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_array(&writer, "u8", GGUF_U8, 3, "\x01\x80\xFF", 3);
    gguf_writer_array(&writer, "i8", GGUF_I8, 3, "\x01\x80\xFF", 3);
    gguf_writer_array(&writer, "u16", GGUF_U16, 1, "\xFE\xFF", 2);
    gguf_writer_array(&writer, "i16", GGUF_I16, 1, "\xFE\xFF", 2);
    gguf_writer_array(&writer, "u32", GGUF_U32, 1, "\xFE\xFF\xFF\xFF", 4);
    gguf_writer_array(&writer, "i32", GGUF_I32, 1, "\xFE\xFF\xFF\xFF", 4);
    gguf_writer_array(&writer, "i64", GGUF_I64, 1, "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8);
    gguf_writer_array(&writer, "u64", GGUF_U64, 2, u64, sizeof u64);
    gguf_writer_array(&writer, "f32", GGUF_F32, 2, f32, sizeof f32);
    gguf_writer_array(&writer, "f64", GGUF_F64, 1, f64, sizeof f64);
    gguf_writer_array(&writer, "bool", GGUF_BOOL, 2, "\x01\x00", 2);
    gguf_writer_array(&writer, "none", GGUF_I32, 0, "", 0);
    gguf_writer_strings(&writer, "words", words, 4);
    struct opened opened = open_written(&writer);
    static const struct {
        const char *key;
        size_t index;
        int64_t value;
    } expected[] = {
        {"u8", 2, 255}, {"i8", 1, -128},        {"i8", 2, -1},  {"u16", 0, 65534},
        {"i16", 0, -2}, {"u32", 0, 4294967294}, {"i32", 0, -2}, {"i64", 0, -2},
        {"u64", 0, 7},  {"bool", 0, 1},         {"bool", 1, 0}, {"u64", 1, INT64_MAX},
    };
    struct gguf_array array;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_true(gguf_find_array(opened.gguf, expected[i].key, &array));
        assert_true(gguf_array_int(&array, expected[i].index) == expected[i].value);
    }
    assert_true(gguf_find_array(opened.gguf, "f32", &array));
    assert_true(gguf_array_float(&array, 1) == (double)-1e30f);
    assert_true(gguf_find_array(opened.gguf, "f64", &array));
    assert_true(gguf_array_float(&array, 0) == 0.1);
    assert_true(gguf_find_array(opened.gguf, "none", &array));
    assert_int_equal(array.count, 0);
    assert_true(gguf_find_array(opened.gguf, "words", &array));
    assert_int_equal(array.count, 4);
    size_t cursor = 0;
    for (size_t i = 0; i < array.count; i++) {
        const struct gguf_string word = gguf_array_next_string(&array, &cursor);
        assert_int_equal(word.length, strlen(words[i]));
        assert_memory_equal(word.bytes, words[i], word.length);
    }
    close_written(opened);
}

static void tensors_have_the_shape_and_bytes_of_the_file(void **state) {
    (void)state;
    unsigned char blocks[3 * 2 * 34];
    const float values[] = {1, 2, 3, 4, 5};
    const int64_t matrix[] = {64, 3}, row[] = {5}, cube[] = {1, 1, 1, 5};
    for (size_t i = 0; i < sizeof blocks; i++)
        blocks[i] = (unsigned char)i;
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_tensor(&writer, "row", FILE_F32, 1, row, values, sizeof values);
    gguf_writer_tensor(&writer, "matrix", FILE_Q8_0, 2, matrix, blocks, sizeof blocks);
    gguf_writer_tensor(&writer, "cube", FILE_F32, 4, cube, values, sizeof values);
    struct opened opened = open_written(&writer);
    assert_int_equal(gguf_tensor_count(opened.gguf), 3);
    const struct gguf_tensor *tensor = gguf_find_tensor(opened.gguf, "matrix");
    assert_ptr_equal(tensor, gguf_tensor_at(opened.gguf, 1));
    assert_true(tensor->known && tensor->type == DTYPE_Q8_0 && tensor->file_type == FILE_Q8_0);
    assert_int_equal(tensor->dims, 2);
    assert_true(tensor->shape[0] == 64 && tensor->shape[1] == 3 && tensor->shape[2] == 1 &&
                tensor->shape[3] == 1);
    assert_int_equal(tensor->bytes, sizeof blocks);
    assert_memory_equal(tensor->data, blocks, sizeof blocks);
    assert_int_equal((uintptr_t)tensor->data % 8, 0);
    tensor = gguf_find_tensor(opened.gguf, "cube");
    assert_int_equal(tensor->dims, 4);
    assert_memory_equal(tensor->data, values, sizeof values);
    assert_null(gguf_find_tensor(opened.gguf, "cub"));
    assert_null(gguf_find_tensor(opened.gguf, ""));
    close_written(opened);
}

static void a_file_can_set_its_alignment(void **state) {
    (void)state;
    const float values[] = {1, 2, 3};
    const int64_t row[] = {3};
    for (size_t alignment = 8; alignment <= 65536; alignment *= 2) {
        struct gguf_writer writer;
        gguf_writer_init(&writer);
        writer.alignment = alignment;
        gguf_writer_int(&writer, "general.alignment", GGUF_U32, (int64_t)alignment);
        gguf_writer_tensor(&writer, "a", FILE_F32, 1, row, values, sizeof values);
        gguf_writer_tensor(&writer, "b", FILE_F32, 1, row, values, sizeof values);
        struct opened opened = open_written(&writer);
        assert_memory_equal(gguf_find_tensor(opened.gguf, "b")->data, values, sizeof values);
        close_written(opened);
    }
}

static void a_file_with_an_unknown_tensor_type_still_opens(void **state) {
    (void)state;
    const int64_t shape[] = {256, 2};
    const unsigned char bytes[2 * 84] = {9};
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_tensor(&writer, "old", FILE_Q8_1, 2, shape, bytes, sizeof bytes);
    gguf_writer_tensor(&writer, "new", 4000000000, 2, shape, bytes, sizeof bytes);
    gguf_writer_tensor(&writer, "good", FILE_F16, 1, (const int64_t[]){84}, bytes, sizeof bytes);
    struct opened opened = open_written(&writer);
    const struct gguf_tensor *tensor = gguf_find_tensor(opened.gguf, "old");
    assert_true(!tensor->known && tensor->bytes == 0 && tensor->file_type == FILE_Q8_1);
    assert_string_equal(gguf_type_name(tensor->file_type), "Q8_1");
    assert_memory_equal(tensor->data, bytes, sizeof bytes);
    assert_false(gguf_find_tensor(opened.gguf, "new")->known);
    assert_string_equal(gguf_type_name(4000000000), "unknown");
    assert_string_equal(gguf_type_name(4), "unknown");
    assert_string_equal(gguf_type_name(39), "MXFP4");
    assert_true(gguf_find_tensor(opened.gguf, "good")->known);
    close_written(opened);
}

// The numbers that the format has given away, and those of them that quire computes with.
static void tensor_types_have_the_numbers_of_the_format(void **state) {
    (void)state;
    static const struct {
        uint32_t number;
        const char *name;
    } types[] = {
        {0, "F32"},     {1, "F16"},      {2, "Q4_0"},   {3, "Q4_1"},    {6, "Q5_0"},
        {7, "Q5_1"},    {8, "Q8_0"},     {9, "Q8_1"},   {10, "Q2_K"},   {11, "Q3_K"},
        {12, "Q4_K"},   {13, "Q5_K"},    {14, "Q6_K"},  {15, "Q8_K"},   {16, "IQ2_XXS"},
        {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"},
        {22, "IQ2_S"},  {23, "IQ4_XS"},  {24, "I8"},    {25, "I16"},    {26, "I32"},
        {27, "I64"},    {28, "F64"},     {29, "IQ1_M"}, {30, "BF16"},   {34, "TQ1_0"},
        {35, "TQ2_0"},  {39, "MXFP4"},   {40, "NVFP4"}, {41, "Q1_0"},   {42, "Q2_0"},
    };
    const size_t count = sizeof types / sizeof types[0];
    static const unsigned char bytes[256 * 4];
    struct gguf_writer writer;
    unsigned known = 0;
    gguf_writer_init(&writer);
    for (size_t i = 0; i < count; i++) {
        enum dtype type;
        const bool knows = dtype_find(types[i].name, &type);
        gguf_writer_tensor(&writer, types[i].name, types[i].number, 1, (const int64_t[]){256},
                           bytes, knows ? dtype_row_bytes(type, 256) : sizeof bytes);
    }
    struct opened opened = open_written(&writer);
    for (size_t i = 0; i < count; i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(opened.gguf, i);
        enum dtype type;
        assert_string_equal(gguf_type_name(types[i].number), types[i].name);
        assert_true(tensor->known == dtype_find(types[i].name, &type));
        if (tensor->known) assert_int_equal(tensor->type, type);
        known += tensor->known;
    }
    assert_int_equal(known, DTYPE_COUNT);
    close_written(opened);
}

static void files_of_versions_2_and_3_open(void **state) {
    (void)state;
    for (uint32_t version = 2; version <= 3; version++) {
        struct gguf_writer writer;
        gguf_writer_init(&writer);
        writer.version = version;
        gguf_writer_int(&writer, "key", GGUF_U32, 5);
        struct opened opened = open_written(&writer);
        assert_int_equal(gguf_version(opened.gguf), version);
        assert_int_equal(gguf_key_count(opened.gguf), 1);
        assert_int_equal(gguf_tensor_count(opened.gguf), 0);
        close_written(opened);
    }
}

// Enough names for long chains in the index; each is found, and none that is not there.
static void every_one_of_thousands_of_names_is_found(void **state) {
    (void)state;
    enum { NAMES = 5000 };
    char name[32];
    const int64_t one[] = {1};
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "name.%d", 2 * i);
        gguf_writer_int(&writer, name, GGUF_I32, i);
        gguf_writer_tensor(&writer, name, FILE_F32, 1, one, &(float){(float)i}, sizeof(float));
    }
    struct opened opened = open_written(&writer);
    for (int i = 0; i < 2 * NAMES; i++) {
        int64_t value = -1;
        snprintf(name, sizeof name, "name.%d", i);
        const struct gguf_tensor *tensor = gguf_find_tensor(opened.gguf, name);
        assert_int_equal(gguf_find_int(opened.gguf, name, &value), i % 2 == 0);
        assert_true(value == (i % 2 == 0 ? i / 2 : -1));
        assert_ptr_equal(tensor, i % 2 == 0 ? gguf_tensor_at(opened.gguf, (size_t)i / 2) : NULL);
    }
    close_written(opened);
}

static void the_digest_covers_the_last_byte(void **state) {
    (void)state;
    struct gguf_writer writer;
    gguf_writer_init(&writer);
    gguf_writer_int(&writer, "key", GGUF_U32, 5);
    struct opened opened = open_written(&writer);
    const struct hash128 before = gguf_digest(opened.gguf);
    assert_true(hash_equal(before, gguf_digest(opened.gguf)));
    opened.bytes[gguf_file_bytes(opened.gguf) - 1] ^= 1; // the value's highest byte
    assert_false(hash_equal(before, gguf_digest(opened.gguf)));
    close_written(opened);
}

static void write_whole_file(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void expect_refused(const char *path, enum status expected, const char *words) {
    struct gguf *gguf = NULL;
    struct error err = {0};
    assert_int_equal(gguf_open(path, &gguf, &err), expected);
    assert_null(gguf);
    assert_int_equal(err.status, expected);
    if (!strstr(err.text, path) || !strstr(err.text, words))
        fail_msg("expected '%s' and '%s' in: %s", path, words, err.text);
}

static void other_files_are_refused_with_what_was_found(void **state) {
    (void)state;
    char folder[] = "/tmp/test_gguf.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.gguf", folder);
    expect_refused(folder, STATUS_BAD_FILE, "found a folder");
    expect_refused(path, STATUS_IO, strerror(ENOENT));
    write_whole_file(path, "", 0);
    expect_refused(path, STATUS_BAD_FILE, "an empty file");
    write_whole_file(path, "GG", 2);
    expect_refused(path, STATUS_BAD_FILE, "2 bytes");
    write_whole_file(path, "<!DOCTYPE html>", 15);
    expect_refused(path, STATUS_BAD_FILE, "starts with \"<!DO\"");
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:12\n";
    write_whole_file(path, pointer, sizeof pointer - 1);
    expect_refused(path, STATUS_BAD_FILE, "found a Git LFS pointer; git lfs pull fetches the file");
    write_whole_file(path, "FUGG\0\0\0\3", 8);
    expect_refused(path, STATUS_UNSUPPORTED, "big-endian");
    write_whole_file(path, "GGUF\0\0\0\3", 8);
    expect_refused(path, STATUS_UNSUPPORTED, "big-endian");
    write_whole_file(path, "GGUF\1\0\0\0", 8);
    expect_refused(path, STATUS_UNSUPPORTED, "version 2 or 3, found 1");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused(path, STATUS_BAD_FILE, "found a pipe");
    unlink(path);
    rmdir(folder);
}

static void an_unreadable_file_is_an_io_error(void **state) {
    (void)state;
    char path[] = "/tmp/test_gguf.XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(chmod(path, 0), 0);
    enum { NOBODY = 65534 }; // the superuser may read everything, so the test is somebody else
    const bool superuser = geteuid() == 0;
    if (superuser) assert_int_equal(seteuid(NOBODY), 0);
    expect_refused(path, STATUS_IO, strerror(EACCES));
    if (superuser) assert_int_equal(seteuid(0), 0);
    unlink(path);
}

static void a_file_on_disk_is_mapped_and_closed(void **state) {
    (void)state;
    char path[] = "/tmp/test_gguf.XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    const float values[] = {1, 2, 3};
    struct gguf_writer writer;
    size_t length;
    gguf_writer_init(&writer);
    gguf_writer_tensor(&writer, "row", FILE_F32, 1, (const int64_t[]){3}, values, sizeof values);
    unsigned char *bytes = gguf_writer_finish(&writer, &length);
    gguf_writer_deinit(&writer);
    write_whole_file(path, bytes, length);
    struct gguf *gguf = NULL;
    assert_int_equal(gguf_open(path, &gguf, NULL), STATUS_OK);
    unlink(path);
    gguf_prefetch(gguf);
    assert_string_equal(gguf_path(gguf), path);
    assert_memory_equal(gguf_find_tensor(gguf, "row")->data, values, sizeof values);
    gguf_close(gguf);
    gguf_close(NULL);
    free(bytes);
}

static int open_folder_of_files(const char *folder_path) {
    int found = 0;
    DIR *folder = opendir(folder_path);
    if (!folder) return 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        struct gguf *gguf = NULL;
        struct error err = {0};
        if (!strstr(entry->d_name, ".gguf")) continue;
        snprintf(path, sizeof path, "%s/%s", folder_path, entry->d_name);
        if (gguf_open(path, &gguf, &err) != STATUS_OK) fail_msg("%s", err.text);
        struct gguf_string name = {"", 0};
        assert_true(gguf_find_string(gguf, "general.architecture", &name));
        gguf_touch(gguf);
        print_message("%-28s %.*s, %zu keys, %zu tensors\n", entry->d_name, (int)name.length,
                      name.bytes, gguf_key_count(gguf), gguf_tensor_count(gguf));
        gguf_close(gguf);
        found++;
    }
    closedir(folder);
    return found;
}

static void real_files_open_and_account_for_every_byte(void **state) {
    (void)state;
    assert_true(open_folder_of_files(TESTS_DIR "/golden") > 0);
    assert_true(open_folder_of_files(TESTS_DIR "/engine/tokenizer/vocabularies") > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_type_read_back),
        cmocka_unit_test(a_key_converts_only_without_loss),
        cmocka_unit_test(a_key_of_another_kind_is_refused_by_name),
        cmocka_unit_test(arrays_of_every_type_read_back),
        cmocka_unit_test(tensors_have_the_shape_and_bytes_of_the_file),
        cmocka_unit_test(a_file_can_set_its_alignment),
        cmocka_unit_test(a_file_with_an_unknown_tensor_type_still_opens),
        cmocka_unit_test(tensor_types_have_the_numbers_of_the_format),
        cmocka_unit_test(files_of_versions_2_and_3_open),
        cmocka_unit_test(every_one_of_thousands_of_names_is_found),
        cmocka_unit_test(the_digest_covers_the_last_byte),
        cmocka_unit_test(other_files_are_refused_with_what_was_found),
        cmocka_unit_test(an_unreadable_file_is_an_io_error),
        cmocka_unit_test(a_file_on_disk_is_mapped_and_closed),
        cmocka_unit_test(real_files_open_and_account_for_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
