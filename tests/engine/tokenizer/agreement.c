#include "tests/engine/tokenizer/agreement.h"

#include <stdio.h>
#include <string.h>

#include "engine/tokenizer/detokenizer.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/json_fixture.h"

void agreement_open(const char *path, struct gguf **gguf, struct tokenizer **tokenizer) {
    struct error err = {0};
    if (gguf_open(path, gguf, &err) != STATUS_OK) fail_msg("%s", err.text);
    if (tokenizer_open(*gguf, tokenizer, &err) != STATUS_OK) fail_msg("%s", err.text);
}

static void print_ids(const char *what, const struct token_ids *ids) {
    printf("  %s", what);
    for (size_t i = 0; i < ids->count; i++)
        printf(" %d", ids->ids[i]);
    printf("\n");
}

static bool ids_equal(const struct token_ids *a, const struct token_ids *b) {
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->ids, b->ids, a->count * sizeof a->ids[0]) == 0);
}

bool agreement_of_ids(const struct tokenizer *tokenizer, struct piece piece,
                      const struct token_ids *expected) {
    struct token_ids ids = {0};
    assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &ids), STATUS_OK);
    const bool equal = ids_equal(&ids, expected);
    if (!equal) {
        printf("\"%.*s\"\n", (int)piece.length, piece.bytes);
        print_ids("expected", expected);
        print_ids("found", &ids);
    }
    token_ids_deinit(&ids);
    return equal;
}

bool agreement_both_ways(const struct tokenizer *tokenizer, struct piece piece,
                         const struct token_ids *expected) {
    struct text back = {0};
    struct detokenizer detokenizer;
    detokenizer_init(&detokenizer, tokenizer, true, tokenizer_adds_space_prefix(tokenizer));
    for (size_t i = 0; i < expected->count; i++)
        assert_int_equal(detokenizer_push(&detokenizer, expected->ids[i], &back), STATUS_OK);
    assert_int_equal(detokenizer_finish(&detokenizer, &back), STATUS_OK);
    assert_int_equal(back.length, piece.length);
    assert_memory_equal(text_string(&back), piece.bytes, piece.length);
    text_deinit(&back);
    return agreement_of_ids(tokenizer, piece, expected);
}

static uint32_t random_below(uint64_t *state, uint32_t count) { // Knuth's MMIX
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % count);
}

// Letters, spaces and digits, and any characters but surrogates; some that normal forms change.
static void random_text(uint64_t *state, uint32_t most, struct text *text) {
    static const char *const common[] = {" ", " ", "e", "a", "t", "the", "1", "\n", ".", "'s"};
    text_clear(text);
    for (uint32_t left = 1 + random_below(state, most); left > 0; left--) {
        char encoded[UTF8_MAX_BYTES];
        const uint32_t kind = random_below(state, 8);
        uint32_t code_point = random_below(state, kind < 5 ? 0x300 : kind < 7 ? 0x3000 : 0x110000);
        if (code_point >= 0xD800 && code_point < 0xE000) code_point -= 0x800;
        if (code_point == 0x2581) code_point = 'x'; // SentencePiece takes it for a space
        const char *string = common[random_below(state, 10)];
        assert_int_equal(kind < 3 ? text_append_string(text, string)
                                  : text_append(text, encoded, utf8_encode(code_point, encoded)),
                         STATUS_OK);
    }
}

void agreement_round_trips(const struct tokenizer *tokenizer, int count) {
    uint64_t state = 2026;
    struct text text = {0}, back = {0};
    struct token_ids ids = {0};
    struct detokenizer detokenizer;
    for (int i = 0; i < count; i++) {
        random_text(&state, 24, &text);
        const struct piece piece = {PIECE_TEXT, text.bytes, text.length};
        ids.count = 0;
        text_clear(&back);
        assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &ids), STATUS_OK);
        detokenizer_init(&detokenizer, tokenizer, true, tokenizer_adds_space_prefix(tokenizer));
        for (size_t t = 0; t < ids.count; t++)
            assert_int_equal(detokenizer_push(&detokenizer, ids.ids[t], &back), STATUS_OK);
        assert_int_equal(detokenizer_finish(&detokenizer, &back), STATUS_OK);
        if (back.length != text.length || memcmp(back.bytes, text.bytes, text.length) != 0)
            fail_msg("text %d, seed 2026: \"%s\" comes back as \"%s\"", i, text.bytes,
                     text_string(&back));
    }
    text_deinit(&text);
    text_deinit(&back);
    token_ids_deinit(&ids);
}

void agreement_with_json(const struct gguf *gguf, const struct tokenizer *tokenizer,
                         const char *expression, bool pairs) {
    struct text json = {0}, text = {0};
    struct tokenizer *other;
    struct error err = {0};
    json_fixture_from_gguf(&json, gguf, tokenizer, expression, pairs);
    const struct tokenizer_json files = {.name = "written", .tokenizer = {json.bytes, json.length}};
    if (tokenizer_open_json(&files, &other, &err) != STATUS_OK) fail_msg("%s", err.text);
    uint64_t state = 7;
    struct token_ids ids = {0}, expected = {0};
    for (int i = 0; i < CHECK_ROUNDS(3000, 300); i++) {
        random_text(&state, 40, &text);
        const struct piece piece = {PIECE_TEXT, text.bytes, text.length};
        ids.count = expected.count = 0;
        assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &expected), STATUS_OK);
        assert_int_equal(tokenizer_encode(other, &piece, 1, &ids), STATUS_OK);
        if (!ids_equal(&ids, &expected)) fail_msg("seed 7, text %d: \"%s\"", i, text.bytes);
    }
    token_ids_deinit(&ids);
    token_ids_deinit(&expected);
    text_deinit(&json);
    text_deinit(&text);
    tokenizer_close(other);
}
