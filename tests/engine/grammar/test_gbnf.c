// tests/engine/grammar/test_gbnf.c — GBNF is read as it is documented, and what is not a grammar is
// refused; sets of characters are their UTF-8, to the byte.
#include "tests/check.h"

#include <stdio.h>

#include "engine/grammar/characters.h"
#include "kernels/base/text.h"
#include "tests/engine/grammar/accepting.h"

static const struct {
    const char *gbnf, *fits[6], *fails[8];
} GRAMMARS[] = {
    {"root ::= \"yes\" | \"no\" (\", \" why)?  # the answer\nwhy ::= [a-z ]{1,4} \".\"\n",
     {"yes", "no", "no, why.", "no, a."},
     {"", "ye", "yes, a.", "no, .", "no, abcde.", "no, Why.", "noo"}},
    {"root ::= (\"a\" |\n  \"b\")* [^a-c\\]]? \"\\x41\\n\\\"\\u00e9\\U0001F600\"",
     {"A\n\"é😀", "abbaA\n\"é😀", "abdA\n\"é😀", "😀A\n\"é😀"},
     {"acA\n\"é😀", "]A\n\"é😀", "A\n\"é", "A\n\"e😀"}},
    {"root ::= item+\nitem ::=\n  \"(\" item* \")\" | \"x\"{2,3} | \"y\"{2} | \"z\"{3,} | "
     "\"w\"{,1} \"!\"",
     {"()", "((xx)(yy))", "xxx", "zzzzz", "!w!", "xxxx"},
     {"", "(", "())", "x", "y", "yyy", "zz", "ww!"}},
    {"root ::= [α-ω一-龥]+ .", {"αβγ!", "漢字語", "ω😀"}, {"!", "α", "abc", "α!!"}},
    {"root ::= (\"a\"?)* (\"b\"*)+ \"c\"", {"c", "abc", "aabbc"}, {"", "ab", "cba"}},
    {"root ::= \"a\" root \"b\" | \"\"", {"", "ab", "aaabbb"}, {"a", "b", "aab", "abb"}},
    {"root ::= \"a\" | \"b\" x\nx ::= \"c\" x", {"a"}, {"b", "bc", "bcc"}}, // no way out of x
};

static void gbnf_grammars_accept_and_reject_as_documented(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof GRAMMARS / sizeof GRAMMARS[0]; i++) {
        struct error err = {0};
        struct automaton *automaton = automaton_of(GRAMMARS[i].gbnf, &err);
        if (!automaton) fail_msg("%s\n%s", err.text, GRAMMARS[i].gbnf);
        for (size_t j = 0; j < 6 && GRAMMARS[i].fits[j]; j++)
            if (!accepts_text(automaton, GRAMMARS[i].fits[j]))
                fail_msg("\"%s\" should fit\n%s", GRAMMARS[i].fits[j], GRAMMARS[i].gbnf);
        for (size_t j = 0; j < 8 && GRAMMARS[i].fails[j]; j++)
            if (accepts_text(automaton, GRAMMARS[i].fails[j]))
                fail_msg("\"%s\" should not fit\n%s", GRAMMARS[i].fails[j], GRAMMARS[i].gbnf);
        automaton_destroy(automaton);
    }
}

static const struct {
    const char *gbnf, *says;
} REFUSED[] = {
    {"", "no rule \"root\""},
    {"answer ::= \"a\"", "no rule \"root\""},
    {"root ::= a", "undefined rule a"},
    {"root ::= \"a\"\nroot ::= \"b\"", "line 2: the rule is defined twice"},
    {"root = \"a\"", "expected ::="},
    {"root ::= \"a", "missing closing quote"},
    {"root ::= [a", "missing closing quote or bracket"},
    {"root ::= (\"a\"", "expected )"},
    {"root ::= \"a\")", "unexpected )"},
    {"root ::= \"\\q\"", "unknown escape"},
    {"root ::= \"\\x0\"", "expected a hexadecimal digit"},
    {"root ::= \"\\x00\"", "invalid character"},
    {"root ::= \"\\ud800\"", "invalid character"},
    {"root ::= [z-a]", "descending range"},
    {"root ::= \"a\"{3,2}", "maximum below its minimum"},
    {"root ::= \"a\"{}", "expected {m}"},
    {"root ::= \"a\"{100001}", "more than 100000"},
    {"root ::= (\"a\"{50000}){50000}", "more than 1048576 states"},
    {"root ::= \"x\" (((\"\"{100000}){100000}){100000}){100000}", "more than 134217728 steps"},
    {"root ::= \"x\" [ab]????????\n", NULL},
    {"root ::= \"x\" [ab]?????????\n", "more than 8 repetitions in a row"},
    {"root ::= root \"a\" | \"b\"", "left recursion in rule root"},
    {"root ::= \"x\" a\na ::= b? c\nb ::= \"b\"\nc ::= a \"c\" | \"d\"", "left recursion in rule"},
    {"root ::= \"a\" root", "no finite text"},
    {"root ::= []", "no finite text"},
    {"root ::= <think>", "match tokens"},
    {"root ::= \"\xff\"", "not UTF-8"},
};

static void invalid_grammars_are_refused_with_a_reason(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        struct error err = {0};
        struct automaton *automaton = automaton_of(REFUSED[i].gbnf, &err);
        if (!REFUSED[i].says) {
            assert_non_null(automaton);
            automaton_destroy(automaton);
            continue;
        }
        if (automaton) fail_msg("accepted: %s", REFUSED[i].gbnf);
        if (!strstr(err.text, REFUSED[i].says))
            fail_msg("\"%s\" instead of \"%s\"", err.text, REFUSED[i].says);
    }
}

// Rules of optional rules, of which each level multiplies the places that a text can be in.
static void write_nested(struct text *gbnf, const char *begin, int levels) {
    assert_int_equal(text_format(gbnf, "root ::= %s r0 \".\"\n", begin), STATUS_OK);
    for (int i = 0; i < levels; i++)
        assert_int_equal(text_format(gbnf, "r%d ::= r%d? r%d? r%d?\n", i, i + 1, i + 1, i + 1),
                         STATUS_OK);
    assert_int_equal(text_format(gbnf, "r%d ::= \"a\"\n", levels), STATUS_OK);
}

static void nested_optional_rules_stay_within_the_state_limit(void **state) {
    struct text gbnf = {0};
    struct error err = {0};
    (void)state;
    write_nested(&gbnf, "", 30);
    assert_null(automaton_of(text_string(&gbnf), &err)); // an empty text is in too many places
    assert_int_equal(err.status, STATUS_TOO_LONG);
    text_clear(&gbnf);
    write_nested(&gbnf, "\"x\"", 30);
    struct automaton *automaton = automaton_of(text_string(&gbnf), &err);
    assert_non_null(automaton);
    assert_int_equal(automaton_step(automaton, AUTOMATON_START, 'x'), AUTOMATON_DEAD);
    assert_true(automaton_is_full(automaton));
    assert_true(automaton_bytes(automaton) < 16 << 20);
    automaton_flush(automaton);
    assert_false(automaton_is_full(automaton));
    automaton_destroy(automaton);
    // Few places at once, and many steps: as many as are allowed.
    text_clear(&gbnf);
    write_nested(&gbnf, "\"x\"", 6);
    automaton = automaton_of(text_string(&gbnf), &err);
    automaton_allow(automaton, 20000);
    assert_true(accepts_text(automaton, "xaa."));
    automaton_flush(automaton);
    automaton_allow(automaton, 10);
    assert_false(accepts_text(automaton, "xaa."));
    assert_true(automaton_is_full(automaton));
    automaton_destroy(automaton);
    text_deinit(&gbnf);
}

static bool wants_no_more(void *calls) {
    ++*(int *)calls;
    return true;
}

static void a_cancelled_read_of_a_grammar_stops(void **state) {
    int calls = 0;
    struct error err = {0};
    struct network network;
    const char *gbnf = "root ::= \"x\" (((\"\"{100000}){100000}){100000}){100000}";
    (void)state;
    effort_watch(wants_no_more, &calls);
    assert_int_equal(gbnf_read(gbnf, strlen(gbnf), "root", &network, &err), STATUS_CANCELLED);
    effort_watch(NULL, NULL);
    assert_int_equal(calls, 1);
}

// Every character beside a range's ends and beside the ends of UTF-8's lengths.
static void a_character_class_matches_exactly_its_range(void **state) {
    static const uint32_t EDGES[] = {1,       0x40,    0x7F,    0x80,    0xBF,     0x7FF,
                                     0x800,   0xFFF,   0x1000,  0xD7FF,  0xE000,   0xFFFF,
                                     0x10000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF};
    enum { COUNT = sizeof EDGES / sizeof EDGES[0] };
    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = i; j < COUNT; j++) {
            char gbnf[64];
            struct error err = {0};
            snprintf(gbnf, sizeof gbnf, "root ::= [\\U%08X-\\U%08X]", EDGES[i], EDGES[j]);
            struct automaton *automaton = automaton_of(gbnf, &err);
            assert_non_null(automaton);
            for (size_t k = 0; k < 3 * COUNT; k++) {
                char utf8[UTF8_MAX_BYTES + 1] = {0};
                const uint32_t c = EDGES[k / 3] + (uint32_t)(k % 3) - 1;
                if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) continue;
                utf8_encode(c, utf8);
                assert_int_equal(accepts_text(automaton, utf8), EDGES[i] <= c && c <= EDGES[j]);
            }
            automaton_destroy(automaton);
        }
}

static void character_sets_merge_negate_and_have_a_limit(void **state) {
    struct character_set set = {0}, other = {0};
    (void)state;
    assert_true(character_set_add(&set, 'm', 'p'));
    assert_true(character_set_add(&set, 'a', 'c'));
    assert_true(character_set_add(&set, 'd', 'l')); // joins both
    assert_true(character_set_add(&set, 0xD000, 0xE100));
    assert_int_equal(set.count, 3);
    assert_int_equal(set.ranges[0].last, 'p');
    assert_int_equal(set.ranges[1].last, 0xD7FF);
    character_set_negate(&set);
    character_set_negate(&set);
    assert_int_equal(set.count, 3);
    for (uint32_t c = 1; c <= 2 * CHARACTER_SET_RANGES - 1; c += 2)
        assert_true(character_set_add(&other, c, c));
    assert_false(character_set_add(&other, 0x10000, 0x10000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gbnf_grammars_accept_and_reject_as_documented),
        cmocka_unit_test(invalid_grammars_are_refused_with_a_reason),
        cmocka_unit_test(nested_optional_rules_stay_within_the_state_limit),
        cmocka_unit_test(a_cancelled_read_of_a_grammar_stops),
        cmocka_unit_test(a_character_class_matches_exactly_its_range),
        cmocka_unit_test(character_sets_merge_negate_and_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
