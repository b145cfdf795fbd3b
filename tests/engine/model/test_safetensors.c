// tests/engine/model/test_safetensors.c — what is in a safetensors file, and which are refused.
#include "engine/model/safetensors.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    unsigned char *data;
    size_t length;
};

// A file with that header and `room` bytes of data, which count up.
static struct bytes make_file(const char *header, size_t room) {
    const uint64_t length = strlen(header);
    struct bytes file = {malloc(8 + (size_t)length + room), 8 + (size_t)length + room};
    assert_non_null(file.data);
    memcpy(file.data, &length, 8);
    memcpy(file.data + 8, header, (size_t)length);
    for (size_t i = 0; i < room; i++)
        file.data[8 + length + i] = (unsigned char)i;
    return file;
}

static void tensors_are_described_like_those_of_gguf(void **state) {
    (void)state;
    struct bytes file =
        make_file("{\"__metadata__\":{\"format\":\"pt\"},"
                  "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[12,20]},"
                  "\"a\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[0,12]},"
                  "\"c\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[20,28]}}  ",
                  28);
    struct safetensors *opened;
    struct error err = {0};
    if (safetensors_open_memory(file.data, file.length, "x", &opened, &err))
        fail_msg("%s", err.text);
    assert_int_equal(safetensors_count(opened), 3);
    const struct gguf_tensor *b = safetensors_at(opened, 0), *a = safetensors_at(opened, 1);
    assert_string_equal(b->name.bytes, "b");
    assert_true(b->known && b->type == DTYPE_F32 && b->dims == 1 && b->shape[0] == 2);
    assert_true(a->type == DTYPE_BF16 && a->dims == 2 && a->shape[0] == 3 && a->shape[1] == 2);
    assert_int_equal(((const unsigned char *)b->data)[0], 12);
    assert_int_equal(((const unsigned char *)a->data)[11], 11);
    assert_int_equal(a->bytes, 12);
    assert_false(safetensors_at(opened, 2)->known);
    assert_string_equal(gguf_type_name(safetensors_at(opened, 2)->file_type), "I64");
    assert_int_equal(safetensors_bytes(opened), file.length);
    safetensors_close(opened);
    free(file.data);
}

static void bad_headers_are_refused_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t room;
        enum status status;
        const char *word;
    } cases[] = {
        {"", 0, STATUS_BAD_FILE, "JSON object"},
        {"[1]", 0, STATUS_BAD_FILE, "JSON object"},
        {"{\"a\":", 0, STATUS_BAD_FILE, "JSON object"},
        {"{}x", 0, STATUS_BAD_FILE, "spaces"},
        {"{}", 3, STATUS_BAD_FILE, "found 3"},
        {"{\"a\":3}", 0, STATUS_BAD_FILE, "an object"},
        {"{\"a\":{\"dtype\":\"F31\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, STATUS_BAD_FILE,
         "dtype"},
        {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, STATUS_BAD_FILE, "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, STATUS_BAD_FILE,
         "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,6]}}", 6, STATUS_BAD_FILE,
         "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}", 0, STATUS_BAD_FILE,
         "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,4294967296],"
         "\"data_offsets\":[0,4]}}",
         4, STATUS_BAD_FILE, "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2,1,1,1,1],\"data_offsets\":[0,4]}}", 4,
         STATUS_BAD_FILE, "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, STATUS_BAD_FILE,
         "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4, STATUS_BAD_FILE,
         "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, STATUS_BAD_FILE,
         "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 4, STATUS_BAD_FILE,
         "overlaps"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[1e300,4]}}", 4, STATUS_BAD_FILE,
         "data_offsets"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[2,6]}}",
         6, STATUS_BAD_FILE, "overlaps"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}",
         12, STATUS_BAD_FILE, "gap"},
        {"{\"a\\u001b[2J\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
         STATUS_BAD_FILE, "control"},
        {"{\"a\\u009b2J\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
         STATUS_BAD_FILE, "control"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bytes file = make_file(cases[i].header, cases[i].room);
        struct safetensors *opened = NULL;
        struct error err = {0};
        const enum status status =
            safetensors_open_memory(file.data, file.length, "bad.safetensors", &opened, &err);
        if (status != cases[i].status || !strstr(err.text, cases[i].word) ||
            !strstr(err.text, "bad.safetensors"))
            fail_msg("%s: %d, \"%s\"", cases[i].header, status, err.text);
        assert_null(opened);
        free(file.data);
    }
}

static void absurd_header_lengths_are_refused(void **state) {
    (void)state;
    static const uint64_t lengths[] = {1, 100, UINT64_MAX, (uint64_t)1 << 40};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct safetensors *opened = NULL;
        struct error err = {0};
        assert_int_equal(safetensors_open_memory(&lengths[i], 8, "x", &opened, &err),
                         STATUS_BAD_FILE);
        assert_int_equal(safetensors_open_memory(&lengths[i], 5, "x", &opened, &err),
                         STATUS_BAD_FILE);
    }
}

// Nesting is bounded by the parser, so that deep arrays are refused and not followed.
static void deep_nesting_is_refused(void **state) {
    (void)state;
    enum { DEPTH = 200000 };
    char *header = malloc(2 * DEPTH + 8);
    struct safetensors *opened = NULL;
    struct error err = {0};
    assert_non_null(header);
    memcpy(header, "{\"a\":", 5);
    memset(header + 5, '[', DEPTH);
    memset(header + 5 + DEPTH, ']', DEPTH);
    memcpy(header + 5 + 2 * DEPTH, "}", 2);
    struct bytes file = make_file(header, 0);
    assert_int_equal(safetensors_open_memory(file.data, file.length, "x", &opened, &err),
                     STATUS_BAD_FILE);
    free(file.data);
    free(header);
}

static void no_damaged_header_crashes_the_parser(void **state) {
    (void)state;
    static const char header[] =
        "{\"a\":{\"dtype\":\"F16\",\"shape\":[2,2],\"data_offsets\":[0,8]},"
        "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}";
    struct bytes file = make_file(header, 12);
    int refused = 0;
    for (size_t i = 0; i < file.length - 12; i++)
        for (int bit = 0; bit < 8; bit++) {
            struct safetensors *opened = NULL;
            struct error err = {0};
            file.data[i] ^= (unsigned char)(1 << bit);
            if (safetensors_open_memory(file.data, file.length, "x", &opened, &err) == STATUS_OK)
                safetensors_close(opened);
            else
                refused++;
            file.data[i] ^= (unsigned char)(1 << bit);
        }
    assert_true(refused > 500);
    free(file.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_described_like_those_of_gguf),
        cmocka_unit_test(bad_headers_are_refused_with_a_reason),
        cmocka_unit_test(absurd_header_lengths_are_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(no_damaged_header_crashes_the_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
