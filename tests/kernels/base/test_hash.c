// tests/kernels/base/test_hash.c — hash.h: published values, and what a change must do.
#include <stdlib.h>
#include <string.h>

#include "kernels/base/effort.h"
#include "kernels/base/hash.h"
#include "tests/check.h"

static void hash_of_empty_input_matches_the_published_value(void **state) {
    (void)state;
    char hex[HASH_HEX_BYTES];
    assert_ptr_equal(hash_hex(hash_bytes("", 0, 0), hex), hex);
    assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
}

static void hash_depends_on_every_byte_the_length_and_the_seed(void **state) {
    (void)state;
    enum { LENGTH = 300 };
    unsigned char bytes[LENGTH];
    for (size_t i = 0; i < LENGTH; i++)
        bytes[i] = (unsigned char)(i * 7);
    const struct hash128 whole = hash_bytes(bytes, LENGTH, 1);
    assert_true(hash_equal(whole, hash_bytes(bytes, LENGTH, 1)));
    assert_false(hash_equal(whole, hash_bytes(bytes, LENGTH, 2)));
    for (size_t i = 0; i < LENGTH; i++) {
        assert_false(hash_equal(whole, hash_bytes(bytes, i, 1)));
        bytes[i] ^= 1;
        assert_false(hash_equal(whole, hash_bytes(bytes, LENGTH, 1)));
        bytes[i] ^= 1;
    }
}

static void hashes_are_equal_only_if_both_halves_are(void **state) {
    (void)state;
    const struct hash128 hash = {1, 2};
    assert_true(hash_equal(hash, (struct hash128){1, 2}));
    assert_false(hash_equal(hash, (struct hash128){1, 3}));
    assert_false(hash_equal(hash, (struct hash128){3, 2}));
    char hex[HASH_HEX_BYTES];
    assert_string_equal(hash_hex(hash, hex), "00000000000000010000000000000002");
}

static int asked, wanted_for; // how often the user was looked for, and patient

static bool stops(void *user) {
    (void)user;
    return asked++ == wanted_for;
}

// Of all lengths next to those of a part, though only the user notices parts.
static void a_large_file_has_the_hash_of_its_bytes_unless_interrupted(void **state) {
    (void)state;
    enum { PART = 32 << 20, MOST = 2 * PART + 1 };
    static const size_t LENGTHS[] = {0, 1, 300, PART - 1, PART, PART + 1, 2 * PART, MOST};
    unsigned char *bytes = malloc(MOST);
    assert_non_null(bytes);
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (unsigned char)(i * 7 + (i >> 12));
    for (size_t i = 0; i < sizeof LENGTHS / sizeof LENGTHS[0]; i++)
        assert_true(hash_equal(hash_file(bytes, LENGTHS[i]), hash_bytes(bytes, LENGTHS[i], 0)));
    effort_watch(stops, NULL);
    asked = 0, wanted_for = 1;
    assert_false(hash_equal(hash_file(bytes, MOST), hash_bytes(bytes, MOST, 0)));
    effort_watch(NULL, NULL);
    assert_int_equal(asked, 2); // of three parts
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_of_empty_input_matches_the_published_value),
        cmocka_unit_test(hash_depends_on_every_byte_the_length_and_the_seed),
        cmocka_unit_test(hashes_are_equal_only_if_both_halves_are),
        cmocka_unit_test(a_large_file_has_the_hash_of_its_bytes_unless_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
