// tests/engine/tokenizer/test_unigram.c — the likeliest cut, against all cuts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/engine/tokenizer/json_fixture.h"

enum { TOKENS = 24, LETTERS = 9 };

struct grammar {
    char tokens[TOKENS][8];
    double scores[TOKENS];
    size_t count;
};

static double best_score(const struct grammar *grammar, const char *text, double unknown) {
    double best[LETTERS + 1] = {0};
    const size_t length = strlen(text);
    for (size_t end = 1; end <= length; end++) {
        best[end] = best[end - 1] + unknown; // no single letter is a token of its own
        for (size_t i = 0; i < grammar->count; i++) {
            const size_t bytes = strlen(grammar->tokens[i]);
            if (bytes > end || memcmp(text + end - bytes, grammar->tokens[i], bytes) != 0) continue;
            const double score = best[end - bytes] + grammar->scores[i];
            if (score > best[end] || (bytes == 1 && best[end] == best[end - 1] + unknown))
                best[end] = score;
        }
    }
    return best[length];
}

static void make_vocabulary(struct grammar *grammar, unsigned *seed, struct text *model) {
    assert_int_equal(text_format(model, "{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"?\",0]"),
                     STATUS_OK);
    grammar->count = 0;
    for (size_t i = 0; i < TOKENS; i++) {
        char token[8] = "";
        const size_t length = 1 + (size_t)rand_r(seed) % 4;
        for (size_t l = 0; l < length; l++)
            token[l] = (char)('a' + rand_r(seed) % 3);
        bool known = false;
        for (size_t k = 0; k < grammar->count; k++)
            known = known || strcmp(grammar->tokens[k], token) == 0;
        if (known) continue;
        const double score = -(double)(rand_r(seed) % 1000) / 64;
        memcpy(grammar->tokens[grammar->count], token, sizeof token);
        grammar->scores[grammar->count++] = score;
        assert_int_equal(text_format(model, ",[\"%s\",%.10g]", token, score), STATUS_OK);
    }
    assert_int_equal(text_append_string(model, "]}"), STATUS_OK);
}

static double score_of(const struct grammar *grammar, const struct token_ids *ids, const char *text,
                       double unknown) {
    double sum = 0;
    size_t at = 0;
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->ids[i] > 0) {
            const char *token = grammar->tokens[ids->ids[i] - 1];
            assert_memory_equal(text + at, token, strlen(token));
            sum += grammar->scores[ids->ids[i] - 1];
            at += strlen(token);
            continue;
        }
        // An unknown stretch: up to where the following tokens fit.
        size_t left = 0;
        for (size_t k = i + 1; k < ids->count; k++) {
            assert_true(ids->ids[k] > 0 || k > i + 1); // side by side they are one
            if (ids->ids[k] == 0) return unknown;      // several stretches: not followed here
            left += strlen(grammar->tokens[ids->ids[k] - 1]);
        }
        sum += unknown * (double)(strlen(text) - at - left);
        at = strlen(text) - left;
    }
    assert_int_equal(at, strlen(text));
    return sum;
}

static void the_highest_scoring_split_is_found(void **state) {
    (void)state;
    unsigned seed = 20;
    printf("seed %u\n", seed);
    int compared = 0;
    for (int round = 0; round < 300; round++) {
        struct grammar grammar;
        struct text model = {0};
        make_vocabulary(&grammar, &seed, &model);
        double worst = 0;
        for (size_t i = 0; i < grammar.count; i++)
            if (grammar.scores[i] < worst) worst = grammar.scores[i];
        struct json_fixture fixture = {.model = model.bytes};
        struct error err = {0};
        if (json_fixture_open(&fixture, &err) != STATUS_OK) fail_msg("%s", err.text);
        for (int t = 0; t < 20; t++) {
            char text[LETTERS + 1] = "";
            for (size_t i = 0; i < LETTERS; i++)
                text[i] = (char)('a' + rand_r(&seed) % 3);
            struct token_ids ids = {0};
            const struct piece piece = {PIECE_TEXT, text, LETTERS};
            assert_int_equal(tokenizer_encode(fixture.tokenizer, &piece, 1, &ids), STATUS_OK);
            const double found = score_of(&grammar, &ids, text, worst - 10);
            if (found != worst - 10) {
                assert_float_equal(found, best_score(&grammar, text, worst - 10), 1e-9);
                compared++;
            }
            token_ids_deinit(&ids);
        }
        json_fixture_deinit(&fixture);
        text_deinit(&model);
    }
    printf("%d compared\n", compared);
    assert_true(compared > 5000);
}

static void unknown_text_falls_back_to_bytes_only_as_a_whole(void **state) {
    (void)state;
    struct json_fixture fixture = {
        .model =
            "{\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":true,\"vocab\":[[\"<unk>\",0],"
            "[\"a\",-1],[\"<0xC3>\",-2],[\"<0xA9>\",-2]]}"};
    assert_int_equal(json_fixture_open(&fixture, NULL), STATUS_OK);
    struct token_ids ids = {0};
    const struct piece piece = {PIECE_TEXT, "a\xC3\xA9\xC3\xA9xya", 8};
    assert_int_equal(tokenizer_encode(fixture.tokenizer, &piece, 1, &ids), STATUS_OK);
    const int32_t fused[] = {1, 0, 1}; // x has no byte token, so neither has the stretch
    assert_int_equal(ids.count, 3);
    assert_memory_equal(ids.ids, fused, sizeof fused);
    ids.count = 0;
    const struct piece bytes = {PIECE_TEXT, "a\xC3\xA9\xC3\xA9", 5};
    assert_int_equal(tokenizer_encode(fixture.tokenizer, &bytes, 1, &ids), STATUS_OK);
    const int32_t whole[] = {1, 2, 3, 2, 3};
    assert_int_equal(ids.count, 5);
    assert_memory_equal(ids.ids, whole, sizeof whole);
    token_ids_deinit(&ids);
    json_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_scoring_split_is_found),
        cmocka_unit_test(unknown_text_falls_back_to_bytes_only_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
