// What a terminal sends, and the keys that come of it.
#include "app/screen/keys.h"

#include <string.h>

#include "tests/check.h"

// Keys as text: bytes as they are, "<Esc>", "<ESC[A>" for a sequence, "{…}" for a paste.
static void append_key(struct text *out, const struct key *key) {
    enum status status = STATUS_OK;
    switch (key->kind) {
    case KEY_NONE:
        break;
    case KEY_BYTES:
        status = text_append(out, key->bytes, key->length);
        break;
    case KEY_SEQUENCE:
        status = key->code == KEY_ESCAPE
                     ? text_append_string(out, "<Esc>")
                     : text_format(out, "<%.*s>", (int)key->length - 1, key->bytes + 1);
        break;
    case KEY_PASTE:
        status = text_format(out, "{%s}", text_string(key->paste));
        break;
    }
    assert_int_equal(status, STATUS_OK);
}

// In pieces of that many bytes.
static void comes(const char *bytes, size_t length, size_t piece, const char *expected) {
    struct keys keys = {0};
    struct key key;
    struct text out = {0};
    for (size_t at = 0; at < length; at += piece) {
        const size_t count = length - at < piece ? length - at : piece;
        assert_int_equal(keys_put(&keys, bytes + at, count), STATUS_OK);
        while (keys_next(&keys, false, &key) != KEY_NONE)
            append_key(&out, &key);
    }
    while (keys_next(&keys, true, &key) != KEY_NONE)
        append_key(&out, &key);
    assert_string_equal(text_string(&out), expected);
    text_deinit(&out);
    keys_deinit(&keys);
}

static const struct {
    const char *bytes, *keys;
} TABLE[] = {
    {"abc\r", "abc\r"},
    {"é漢🦊", "é漢🦊"},
    {"\033", "<Esc>"},
    {"\033b", "\033b"},           // Alt-b
    {"\033\r", "\033\r"},         // Alt-Enter
    {"\033[A\033OB", "<[A><OB>"}, // arrows
    {"\033[15~x", "<[15~>x"},     // F5
    {"\033[[Ax", "<[[A>x"},       // F1 on Linux's console
    {"\033[1;5Cx", "<[1;5C>x"},
    {"\033\033[Ax", "<[A>x"}, // Alt and an arrow
    {"\033\033", "<Esc><Esc>"},
    {"\033[13;2u", "\n"}, // Shift-Enter
    {"\033[13;5u", "\n"},
    {"\033[13u", "\r"},
    {"\033[27;2;13~", "\n"}, // the same, of xterm
    {"\033[13;2:1u\033[13;2:3u", "\n"},
    {"\033[99;5u", "\003"},  // ^C
    {"\033[98;3u", "\033b"}, // Alt-b
    {"\033[97;2u", "A"},     // Shift-a
    {"\033[233u", "é"},
    {"\033[27u", "<Esc>"},
    {"\033[57358;1ux", "x"}, // Caps Lock
    {"\033[200~one\rtwo\033[201~x", "{one\ntwo}x"},
    {"\033[200~one\r\ntwo\nthree\033[201~", "{one\ntwo\nthree}"},
    {"\033[200~\033[31mred\033[201~", "{\033[31mred}"},
    {"\033[200~\033[201~", "{}"},
    {"\033[201~x", "<[201~>x"},
    {"\033[1\001x", "\001x"}, // broken off
    {"\033[111111111111111111111111111111111111111111111111111Ax", "x"},
    {"\033[", ""},
    {"\033O", ""},
    {"\033[1;", ""},
};

static void terminal_sequences_are_decoded_in_any_pieces(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++)
        for (size_t piece = 1; piece < 12; piece++)
            comes(TABLE[i].bytes, strlen(TABLE[i].bytes), piece, TABLE[i].keys);
}

static void nul_bytes_are_removed_from_a_paste(void **state) {
    (void)state;
    comes("\033[200~a\0b\033[201~", 15, 4, "{ab}");
}

static void movement_sequences_have_key_codes(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        enum key_code code;
    } codes[] = {{"\033[A", KEY_UP},         {"\033OB", KEY_DOWN}, {"\033[5~", KEY_PAGE_UP},
                 {"\033[6~", KEY_PAGE_DOWN}, {"\033[H", KEY_HOME}, {"\033[1~", KEY_HOME},
                 {"\033OF", KEY_END},        {"\033[8~", KEY_END}, {"\033[15~", KEY_OTHER}};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        struct keys keys = {0};
        struct key key;
        assert_int_equal(keys_put(&keys, codes[i].bytes, strlen(codes[i].bytes)), STATUS_OK);
        assert_int_equal(keys_next(&keys, false, &key), KEY_SEQUENCE);
        assert_int_equal(key.code, codes[i].code);
        keys_deinit(&keys);
    }
}

// Whatever comes, and however it is cut, the keys are the same, and nothing stays behind.
static void random_bytes_leave_no_partial_key(void **state) {
    (void)state;
    static const char alphabet[] = "\033\033\033[[O~u;:1230ab\r\x01\xc3";
    uint32_t seed = 12345;
    for (int round = 0; round < 20000; round++) {
        struct keys keys = {0};
        struct key key;
        char bytes[24];
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 1664525 + 1013904223;
            bytes[i] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
        }
        assert_int_equal(keys_put(&keys, bytes, sizeof bytes), STATUS_OK);
        for (int left = 2 * (int)sizeof bytes; keys_next(&keys, true, &key) != KEY_NONE; left--)
            assert_true(left > 0 && key.length <= KEY_MOST_BYTES);
        assert_false(keys_are_partial(&keys));
        keys_deinit(&keys);
    }
}

static void a_byte_put_back_is_the_next_key(void **state) {
    (void)state;
    struct keys keys = {0};
    struct key key;
    assert_int_equal(keys_put(&keys, "ab", 2), STATUS_OK);
    for (const char *at = "aabb"; *at; at++) {
        assert_int_equal(keys_next(&keys, false, &key), KEY_BYTES);
        assert_int_equal(key.bytes[0], *at);
        if (key.bytes[0] != at[1]) continue;
        assert_int_equal(keys_put_back(&keys, key.bytes[0]), STATUS_OK);
    }
    assert_int_equal(keys_next(&keys, false, &key), KEY_NONE);
    assert_int_equal(keys_put_back(&keys, 'c'), STATUS_OK); // before nothing
    assert_int_equal(keys_next(&keys, false, &key), KEY_BYTES);
    assert_int_equal(key.bytes[0], 'c');
    keys_deinit(&keys);
}

static void an_interrupt_counts_unless_it_is_pasted(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *left;
        bool taken;
    } cases[] = {
        {"", "", false},
        {"ab", "ab", false},
        {"\003", "", true},
        {"a\003b", "ab", true},
        {"\033[A\003", "\033[A", true},
        {"\033[200~a\003b\033[201~", "\033[200~a\003b\033[201~", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct keys keys = {0};
        assert_int_equal(keys_put(&keys, cases[i].bytes, strlen(cases[i].bytes)), STATUS_OK);
        assert_int_equal(keys_take_interrupt(&keys), cases[i].taken);
        assert_string_equal(text_string(&keys.in), cases[i].left);
        keys_deinit(&keys);
    }
}

static void a_character_or_a_paste_begins_a_word(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        bool begins;
    } cases[] = {
        {"", false},           {" a", false},   {"\r", false},
        {"\033[A", false},     {"\033", false}, {"\033[200", false},
        {"a", true},           {"\xC3", true},  {"\033[200~ \033[201~", true},
        {"\033[201~a", false}, {"\177", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct keys keys = {0};
        assert_int_equal(keys_put(&keys, cases[i].bytes, strlen(cases[i].bytes)), STATUS_OK);
        assert_int_equal(keys_begin_word(&keys), cases[i].begins);
        keys_deinit(&keys);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal_sequences_are_decoded_in_any_pieces),
        cmocka_unit_test(nul_bytes_are_removed_from_a_paste),
        cmocka_unit_test(movement_sequences_have_key_codes),
        cmocka_unit_test(random_bytes_leave_no_partial_key),
        cmocka_unit_test(a_byte_put_back_is_the_next_key),
        cmocka_unit_test(an_interrupt_counts_unless_it_is_pasted),
        cmocka_unit_test(a_character_or_a_paste_begins_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
