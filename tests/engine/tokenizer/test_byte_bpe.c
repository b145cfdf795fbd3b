// tests/engine/tokenizer/test_byte_bpe.c — byte_bpe.h against the plainest BPE there is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/tokenizer/pretokenizer.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/vocabulary_fixture.h"

static int32_t fixture_find(const struct vocabulary_fixture *fixture, const char *text) {
    for (size_t id = 0; id < fixture->count; id++)
        if (strcmp(fixture->tokens[id], text) == 0) return (int32_t)id;
    return TOKEN_NONE;
}

// The id that the first merge of this pair makes, and which one that is.
static int32_t naive_merge(const struct vocabulary_fixture *fixture, int32_t left, int32_t right,
                           size_t *rank) {
    char pair[2 * FIXTURE_TEXT_BYTES], joined[2 * FIXTURE_TEXT_BYTES];
    snprintf(pair, sizeof pair, "%s %s", fixture->tokens[left], fixture->tokens[right]);
    snprintf(joined, sizeof joined, "%s%s", fixture->tokens[left], fixture->tokens[right]);
    for (*rank = 0; *rank < fixture->merge_count; ++*rank)
        if (strcmp(fixture->merges[*rank], pair) == 0) return fixture_find(fixture, joined);
    return TOKEN_NONE;
}

// Looks at all pairs, merges the leftmost of the best rank, and begins again.
static void naive_word(const struct vocabulary_fixture *fixture, const char *word, size_t length,
                       struct token_ids *ids) {
    const size_t first = ids->count;
    for (size_t i = 0; i < length; i++) // characters come first in the fixture, by byte
        assert_int_equal(token_ids_push(ids, (unsigned char)word[i]), STATUS_OK);
    for (;;) {
        size_t best = SIZE_MAX, where = 0;
        int32_t made = TOKEN_NONE;
        for (size_t i = first; i + 1 < ids->count; i++) {
            size_t rank;
            const int32_t id = naive_merge(fixture, ids->ids[i], ids->ids[i + 1], &rank);
            if (id == TOKEN_NONE || rank >= best) continue;
            best = rank;
            where = i;
            made = id;
        }
        if (made == TOKEN_NONE) return;
        ids->ids[where] = made;
        memmove(ids->ids + where + 1, ids->ids + where + 2,
                (ids->count - where - 2) * sizeof ids->ids[0]);
        ids->count--;
    }
}

static void naive_text(const struct vocabulary_fixture *fixture, const char *text, size_t length,
                       struct token_ids *ids) {
    struct pretokenizer *pretokenizer;
    struct pretokenizer_walk *walk;
    const struct gguf_string name = {fixture->pre, strlen(fixture->pre)};
    assert_int_equal(pretokenizer_open(name, &pretokenizer, NULL), STATUS_OK);
    assert_int_equal(pretokenizer_walk_create(pretokenizer, &walk), STATUS_OK);
    pretokenizer_walk_start(walk, text, length);
    for (size_t at = 0, word; at < length; at += word) {
        assert_int_equal(pretokenizer_walk_next(walk, &at, &word), STATUS_OK);
        naive_word(fixture, text + at, word, ids);
    }
    pretokenizer_walk_destroy(walk);
    pretokenizer_close(pretokenizer);
}

// Merges of random tokens that exist already; some pairs twice, some that name no token.
static struct vocabulary_fixture *random_vocabulary(void) {
    static const char alphabet[] = "abcabcab d\n1";
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "gpt-2");
    vocabulary_fixture_add_characters(fixture);
    const uint32_t merges = 1 + next_random(60);
    for (uint32_t i = 0; i < merges; i++) {
        const char *part[2];
        for (size_t p = 0; p < 2; p++) {
            const bool byte = fixture->count == 256 || next_random(2) == 0;
            const uint32_t id = byte ? (unsigned char)alphabet[next_random(sizeof alphabet - 1)]
                                     : 256 + next_random((uint32_t)fixture->count - 256);
            part[p] = fixture->tokens[id];
        }
        if (strlen(part[0]) + strlen(part[1]) > 20) continue;
        char joined[FIXTURE_TEXT_BYTES];
        snprintf(joined, sizeof joined, "%.20s%.20s", part[0], part[1]);
        vocabulary_fixture_merge(fixture, part[0], part[1]);
        if (next_random(10) > 0 && fixture_find(fixture, joined) == TOKEN_NONE)
            vocabulary_fixture_add(fixture, joined, TOKEN_NORMAL, 0);
        if (next_random(10) == 0) vocabulary_fixture_merge(fixture, "ab", "nothing");
    }
    vocabulary_fixture_merge(fixture, "ab", ""); // names no pair
    struct error err = {0};
    if (vocabulary_fixture_open(fixture, &err) != STATUS_OK) fail_msg("%s", err.text);
    return fixture;
}

static void random_text(char *text, size_t length) {
    static const char *const units[] = {
        "a",    "b", "c",  "ab", "bc", "ca", "abc",  "aab",  "cab",      "cba",         "abca",
        "bbcc", " ", "\n", "1",  "d",  "'s", "  ab", "\xFF", "\xC3\xA9", "\xE6\x88\x91"};
    for (size_t i = 0; i < length;) {
        const char *unit = units[next_random(sizeof units / sizeof units[0])];
        for (; *unit && i < length; unit++)
            text[i++] = *unit;
    }
}

static void byte_bpe_agrees_with_a_naive_algorithm(void **state) {
    (void)state;
    seed = 7;
    printf("seed %u\n", seed);
    for (int round = 0; round < 200; round++) {
        struct vocabulary_fixture *fixture = random_vocabulary();
        for (int text_number = 0; text_number < 12; text_number++) {
            char text[400]; // long enough for the cache of words
            const size_t length = next_random(sizeof text) + 1;
            random_text(text, length);
            struct token_ids ids = {0}, expected = {0};
            const struct piece piece = {PIECE_TEXT, text, length};
            assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, &ids), STATUS_OK);
            naive_text(fixture, text, length, &expected);
            assert_int_equal(ids.count, expected.count);
            assert_memory_equal(ids.ids, expected.ids, ids.count * sizeof ids.ids[0]);
            token_ids_deinit(&ids);
            token_ids_deinit(&expected);
        }
        vocabulary_fixture_destroy(fixture);
    }
}

static void any_bytes_survive_encoding_and_decoding(void **state) {
    (void)state;
    seed = 11;
    printf("seed %u\n", seed);
    static const char common[] = "the hell\n12 \xC3\xA9";
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    for (int round = 0; round < 500; round++) {
        char bytes[300];
        const size_t length = next_random(sizeof bytes + 1);
        for (size_t i = 0; i < length; i++)
            bytes[i] = round % 2 ? (char)next_random(256) : common[next_random(sizeof common - 1)];
        struct token_ids ids = {0};
        struct text back = {0};
        const struct piece piece = {PIECE_TEXT, bytes, length};
        assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, &ids), STATUS_OK);
        for (size_t i = 0; i < ids.count; i++)
            assert_int_equal(tokenizer_decode(fixture->tokenizer, ids.ids[i], true, &back),
                             STATUS_OK);
        assert_int_equal(back.length, length);
        assert_memory_equal(text_string(&back), bytes, length);
        token_ids_deinit(&ids);
        text_deinit(&back);
    }
    vocabulary_fixture_destroy(fixture);
}

static void whole_words_skip_merging_only_in_some_families(void **state) {
    (void)state;
    static const char *const names[] = {"llama-bpe", "qwen2"};
    for (size_t n = 0; n < 2; n++) {
        struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", names[n]);
        vocabulary_fixture_add_characters(fixture);
        const int32_t ab = vocabulary_fixture_add(fixture, "ab", TOKEN_NORMAL, 0);
        const int32_t whole = vocabulary_fixture_add(fixture, "Ġabba", TOKEN_NORMAL, 0);
        vocabulary_fixture_add(fixture, "Ġbaba", TOKEN_CONTROL, 0); // never, as it is control
        vocabulary_fixture_merge(fixture, "a", "b");
        assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
        const int32_t merged[] = {' ', ab, 'b', 'a', ' ', 'b', ab, 'a'};
        const int32_t wholes[] = {whole, ' ', 'b', ab, 'a'};
        struct token_ids ids = {0};
        const struct piece piece = {PIECE_TEXT, " abba baba", 10};
        assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, &ids), STATUS_OK);
        assert_int_equal(ids.count, n == 0 ? 5 : 8);
        assert_memory_equal(ids.ids, n == 0 ? wholes : merged, ids.count * sizeof ids.ids[0]);
        token_ids_deinit(&ids);
        vocabulary_fixture_destroy(fixture);
    }
}

// Five doublings of "a": the merges of a line without spaces go through the whole line.
static void merging_a_line_without_spaces_is_not_quadratic(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "gpt-2");
    vocabulary_fixture_add_characters(fixture);
    char run[FIXTURE_TEXT_BYTES] = "a";
    for (size_t length = 1; length < 32; length *= 2) {
        vocabulary_fixture_merge(fixture, run, run);
        memset(run, 'a', 2 * length);
        vocabulary_fixture_add(fixture, run, TOKEN_NORMAL, 0);
    }
    assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
    const size_t length = 1 << 20;
    char *line = malloc(length);
    assert_non_null(line);
    memset(line, 'a', length);
    struct token_ids ids = {0};
    const struct piece piece = {PIECE_TEXT, line, length};
    const clock_t start = clock();
    assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, &ids), STATUS_OK);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%.2f s\n", seconds);
    assert_true(seconds < 20); // with sanitizers; a quadratic way takes hours
    assert_int_equal(ids.count, length / 32);
    token_ids_deinit(&ids);
    free(line);
    vocabulary_fixture_destroy(fixture);
}

static void a_missing_byte_token_requires_an_unknown_token(void **state) {
    (void)state;
    for (int with_unknown = 0; with_unknown < 2; with_unknown++) {
        struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "gpt-2");
        vocabulary_fixture_add_characters(fixture);
        snprintf(fixture->tokens['q'], FIXTURE_TEXT_BYTES, "%s", "[gone]");
        vocabulary_fixture_merge(fixture, "a", "b");
        const int32_t unknown = vocabulary_fixture_add(fixture, "<unk>", TOKEN_UNKNOWN, 0);
        if (with_unknown) fixture->unknown = unknown;
        struct error err = {0};
        assert_int_equal(vocabulary_fixture_open(fixture, &err),
                         with_unknown ? STATUS_OK : STATUS_BAD_FILE);
        if (with_unknown) {
            struct token_ids ids = {0};
            const struct piece piece = {PIECE_TEXT, "aqa", 3};
            const int32_t expected[] = {'a', unknown, 'a'};
            assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, &ids), STATUS_OK);
            assert_int_equal(ids.count, 3);
            assert_memory_equal(ids.ids, expected, sizeof expected);
            token_ids_deinit(&ids);
        } else {
            assert_non_null(strstr(err.text, "0x71"));
        }
        vocabulary_fixture_destroy(fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_bpe_agrees_with_a_naive_algorithm),
        cmocka_unit_test(any_bytes_survive_encoding_and_decoding),
        cmocka_unit_test(whole_words_skip_merging_only_in_some_families),
        cmocka_unit_test(merging_a_line_without_spaces_is_not_quadratic),
        cmocka_unit_test(a_missing_byte_token_requires_an_unknown_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
