// tests/app/test_clusters.c — where characters end, as a person sees them.
#include <stdlib.h>
#include <string.h>

#include "app/base/clusters.h"
#include "kernels/base/text.h"
#include "tests/check.h"

enum { MOST = 16 };

// Each cluster, between bars; a bar itself is none of them.
static void is_cut(const char *barred) {
    char text[256];
    size_t ends[MOST], count = 0, length = 0;
    for (const char *at = barred; *at; at++) {
        if (*at != '|') text[length++] = *at;
        if (*at == '|' || !at[1]) ends[count++] = length;
    }
    for (size_t at = 0, i = 0; at < length; i++) {
        const size_t end = cluster_end(text, length, at);
        if (end != ends[i]) fail_msg("%s: ends at %zu, not %zu", barred, end, ends[i]);
        for (size_t inside = at + 1; inside <= end; inside++) {
            assert_int_equal(cluster_begin(text, length, inside), at);
            if (inside < end) assert_int_equal(cluster_end(text, length, inside), end);
        }
        at = end;
    }
    assert_int_equal(cluster_end(text, length, length), length);
    assert_int_equal(cluster_begin(text, length, 0), 0);
}

static void grapheme_clusters_are_kept_whole(void **state) {
    (void)state;
    is_cut("a|b| |\n|c");
    is_cut("\r\n|a");
    is_cut("e\u0301|a\u0323\u0307|x");
    is_cut("\U0001F469\u200D\U0001F469\u200D\U0001F467|\U0001F44D\U0001F3FD|a"); // family, thumb
    is_cut("a|\U0001F3F3\uFE0F\u200D\U0001F308|\u26A0\uFE0F|1\uFE0F\u20E3|2");
    is_cut("\U0001F1E9\U0001F1EA|\U0001F1EB\U0001F1F7|\U0001F1E9"); // flags, and half of one
    is_cut("\u1112\u1161\u11AB|\u1100\u1173\u11AF|\uD55C|\uAE00");  // jamo and syllables
    is_cut("\u0928|\u092E|\u0938\u094D\u0924\u0947");               // namaste: sta is one
    is_cut("\u0915\u094D\u0937\u093F|\u092F");                      // kssi
    is_cut("\u0915\u094D\u200D\u0937|\u0915\u094D\u200C|\u0937");   // joined, and kept apart
    is_cut("\u0915\u094D| |\u0915\u094D|x");
    is_cut("\u0B95\u0BCD|\u0BB7");               // Tamil has no conjuncts
    is_cut("\u0E01\u0E47\u0E33|\u0E01");         // Thai
    is_cut("\u65E5|\u672C|\u304B\u3099|\u3042"); // a kana with its mark
    is_cut("a|\xFF|\xC3|b");                     // ill-formed
    is_cut("\U0010FD40|a");                      // verbatim.h's
}

// What is left after each Backspace, from all of it to nothing.
static void backspaces_leave(const char *const *texts) {
    for (; texts[0][0]; texts++) {
        const size_t length = strlen(texts[0]), left = cluster_backspace(texts[0], length, length);
        if (left != strlen(texts[1]) || strncmp(texts[0], texts[1], left) != 0)
            fail_msg("%s: %zu bytes are left, not %s", texts[0], left, texts[1]);
    }
}

static void backspace_deletes_what_one_key_typed(void **state) {
    (void)state;
    static const char *const cases[][8] = {
        {"\u0E19\u0E49\u0E33", "\u0E19\u0E49", "\u0E19", ""}, // Thai: nam
        {"\u0E97\u0EB3", "\u0E97", ""},                       // Lao, a vowel that is no mark
        {"x\u0915\u094D\u0937\u093F", "x\u0915\u094D\u0937", "x\u0915\u094D", "x\u0915", "x", ""},
        {"\u0915\u094D\u200D\u0937", "\u0915\u094D\u200D", "\u0915", ""}, // a joiner is not seen
        {"\u0BA8\u0BBF", "\u0BA8", ""},                                   // Tamil
        {"\u0628\u064E\u0651", "\u0628\u064E", "\u0628", ""},             // Arabic
        {"\u05D1\u05BC", "\u05D1", ""},                                   // Hebrew
        {"\u1780\u17D2\u179A", "\u1780\u17D2", "\u1780", ""},             // Khmer
        {"ae\u0301\u0323", "a", ""},
        {"\u0418\u0306", ""},         // Cyrillic
        {"\u304B\u3099", ""},         // kana
        {"\u1112\u1161\u11AB", ""},   // jamo
        {"\U0001F1E9\U0001F1EA", ""}, // a flag
        {"1\uFE0F\u20E3", ""},        // a key
        {"\U0001F469\u200D\U0001F469\u200D\U0001F467", ""},
        {"a\xFF", "a", ""}, // ill-formed
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        backspaces_leave(cases[i]);
    assert_int_equal(cluster_backspace("a", 1, 0), 0);
    assert_int_equal(cluster_backspace("\u0E19\u0E49z", 7, 6), 3);
}

// A random walk against a scan from the beginning of the text.
static void cluster_search_from_nearby_agrees_with_a_full_scan(void **state) {
    (void)state;
    static const char *const parts[] = {"a",      " ",      "\n",         "\u00E9", "\u0301",
                                        "\u200D", "\uFE0F", "\U0001F469", "\u6F22", "\U0001F3FD",
                                        "\u094D", "\u0915", "\U0001F1E9", "\u1100", "\u1161",
                                        "\uAC00", "\u0600", "\xF0\x9F",   "\u0E33", "\u304B"};
    srand(7);
    for (int round = 0; round < CHECK_ROUNDS(3000, 300); round++) {
        struct text text = {0};
        for (int i = rand() % 24; i >= 0; i--)
            assert_int_equal(
                text_append_string(&text, parts[(size_t)rand() % (sizeof parts / sizeof parts[0])]),
                STATUS_OK);
        size_t begin = 0, end;
        for (; begin < text.length; begin = end) {
            end = cluster_end(text.bytes, text.length, begin);
            assert_true(end > begin && end <= text.length);
            for (size_t at = begin + 1; at <= end; at++)
                assert_int_equal(cluster_begin(text.bytes, text.length, at), begin);
        }
        text_deinit(&text);
    }
}

static void long_lines_are_stepped_through_cluster_by_cluster(void **state) {
    (void)state;
    enum { CHARACTERS = 20000 };
    struct text text = {0};
    for (int i = 0; i < CHARACTERS; i++)
        assert_int_equal(text_append_string(&text, i % 3 ? "\u6F22" : "e\u0301"), STATUS_OK);
    int steps = 0;
    for (size_t at = text.length; at > 0; steps++)
        at = cluster_begin(text.bytes, text.length, at);
    assert_int_equal(steps, CHARACTERS);
    text_deinit(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grapheme_clusters_are_kept_whole),
        cmocka_unit_test(backspace_deletes_what_one_key_typed),
        cmocka_unit_test(cluster_search_from_nearby_agrees_with_a_full_scan),
        cmocka_unit_test(long_lines_are_stepped_through_cluster_by_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
