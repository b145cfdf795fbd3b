// tests/engine/tokenizer/test_detokenizer.c — whole characters only, whatever the tokens are.
#include <stdio.h>
#include <string.h>

#include "engine/tokenizer/detokenizer.h"
#include "engine/tokenizer/thinking.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/vocabulary_fixture.h"

// In the byte-level fixture the id of a byte's token is the byte.
static void push_id(struct detokenizer *detokenizer, int32_t id, struct text *text) {
    assert_int_equal(detokenizer_push(detokenizer, id, text), STATUS_OK);
    assert_true(utf8_valid(text_string(text), text->length, NULL));
    assert_true(detokenizer->held < UTF8_MAX_BYTES);
}

static void characters_are_shown_whole_and_at_once(void **state) {
    (void)state;
    seed = 13;
    printf("seed %u\n", seed);
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    for (int round = 0; round < 2000; round++) {
        struct detokenizer detokenizer;
        detokenizer_init(&detokenizer, fixture->tokenizer, false, false);
        struct text text = {0}, expected = {0};
        for (int character = 0; character < 8; character++) {
            static const uint32_t limits[] = {0x80, 0x800, 0xD800, 0x110000};
            const uint32_t limit = limits[next_random(4)];
            uint32_t code_point = next_random(limit);
            if (code_point >= 0xD800 && code_point < 0xE000) code_point = 'x';
            char bytes[UTF8_MAX_BYTES];
            const size_t length = utf8_encode(code_point, bytes);
            for (size_t i = 0; i < length; i++) {
                const size_t before = text.length;
                push_id(&detokenizer, (unsigned char)bytes[i], &text);
                if (i + 1 < length) assert_int_equal(text.length, before);
            }
            assert_int_equal(text_append(&expected, bytes, length), STATUS_OK);
            assert_int_equal(text.length, expected.length);
        }
        assert_int_equal(detokenizer_finish(&detokenizer, &text), STATUS_OK);
        assert_int_equal(text.length, expected.length);
        assert_memory_equal(text.bytes, expected.bytes, expected.length);
        text_deinit(&text);
        text_deinit(&expected);
    }
    vocabulary_fixture_destroy(fixture);
}

// The replacement of a whole text at once, by the rule of text.h.
static void replaced(const char *bytes, size_t length, struct text *text) {
    for (size_t i = 0, used; i < length; i += used) {
        char character[UTF8_MAX_BYTES];
        const uint32_t code_point = utf8_decode(bytes + i, length - i, &used);
        assert_int_equal(text_append(text, character, utf8_encode(code_point, character)),
                         STATUS_OK);
    }
}

static void bytes_one_by_one_decode_as_in_one_piece(void **state) {
    (void)state;
    seed = 17;
    printf("seed %u\n", seed);
    static const unsigned char likely[] = {'a',  0x80, 0xBF, 0xC3, 0xE2, 0x96, 0xED, 0xA0,
                                           0xF0, 0x9F, 0xF4, 0x8F, 0xFF, 0xC0, ' ',  0xEF};
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    for (int round = 0; round < 5000; round++) {
        char bytes[24];
        struct detokenizer detokenizer;
        detokenizer_init(&detokenizer, fixture->tokenizer, false, false);
        struct text text = {0}, expected = {0};
        const size_t length = next_random(sizeof bytes + 1);
        for (size_t i = 0; i < length; i++) {
            bytes[i] = (char)likely[next_random(sizeof likely)];
            push_id(&detokenizer, (unsigned char)bytes[i], &text);
        }
        assert_int_equal(detokenizer_finish(&detokenizer, &text), STATUS_OK);
        replaced(bytes, length, &expected);
        assert_int_equal(text.length, expected.length);
        assert_memory_equal(text_string(&text), text_string(&expected), expected.length);
        text_deinit(&text);
        text_deinit(&expected);
    }
    vocabulary_fixture_destroy(fixture);
}

// What marks quire's own thoughts (thinking.h) is not a model's to write, in whatever pieces.
static void thought_marks_written_by_a_model_are_replaced(void **state) {
    (void)state;
    static const char written[] = "a" THINKING_OPEN "b" THINKING_CLOSE "\xef\xb7\x92";
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    struct detokenizer detokenizer;
    struct text text = {0};
    detokenizer_init(&detokenizer, fixture->tokenizer, false, false);
    for (size_t i = 0; i < sizeof written - 1; i++)
        push_id(&detokenizer, (unsigned char)written[i], &text);
    assert_string_equal(text_string(&text), "a\xef\xbf\xbd"
                                            "b\xef\xbf\xbd\xef\xb7\x92");
    text_deinit(&text);
    vocabulary_fixture_destroy(fixture);
}

static void hidden_special_tokens_do_not_split_characters(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    const int32_t end = tokenizer_eos(fixture->tokenizer);
    for (int special = 0; special < 2; special++) {
        struct detokenizer detokenizer;
        detokenizer_init(&detokenizer, fixture->tokenizer, special, false);
        struct text text = {0};
        push_id(&detokenizer, 0xC3, &text);
        push_id(&detokenizer, end, &text);
        push_id(&detokenizer, 0xA9, &text);
        push_id(&detokenizer, 0xF0, &text);
        assert_int_equal(detokenizer_finish(&detokenizer, &text), STATUS_OK);
        push_id(&detokenizer, 'a', &text);
        assert_string_equal(text_string(&text),
                            special ? "\xEF\xBF\xBD<|im_end|>\xEF\xBF\xBD\xEF\xBF\xBD"
                                      "a"
                                    : "\xC3\xA9\xEF\xBF\xBD"
                                      "a");
        text_deinit(&text);
    }
    vocabulary_fixture_destroy(fixture);
}

static void the_leading_space_is_dropped_once_on_request(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_sentencepiece();
    static const char *const texts[] = {"hello the", " hello", "x", "\xE6\x88\x91", "\n the"};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
        for (int strip = 0; strip < 2; strip++) {
            struct token_ids ids = {0};
            struct text text = {0};
            struct detokenizer detokenizer;
            detokenizer_init(&detokenizer, fixture->tokenizer, false, strip);
            const struct piece pieces[] = {{PIECE_CONTROL, "<s>", 3},
                                           {PIECE_TEXT, texts[t], strlen(texts[t])}};
            assert_int_equal(tokenizer_encode(fixture->tokenizer, pieces, 2, &ids), STATUS_OK);
            for (int twice = 0; twice < 2; twice++) { // finishing begins a new text
                text_clear(&text);
                for (size_t i = 0; i < ids.count; i++)
                    push_id(&detokenizer, ids.ids[i], &text);
                assert_int_equal(detokenizer_finish(&detokenizer, &text), STATUS_OK);
                assert_string_equal(text_string(&text) + !strip, texts[t]);
                if (!strip) assert_int_equal(text.bytes[0], ' ');
            }
            text_deinit(&text);
            token_ids_deinit(&ids);
        }
    vocabulary_fixture_destroy(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_shown_whole_and_at_once),
        cmocka_unit_test(bytes_one_by_one_decode_as_in_one_piece),
        cmocka_unit_test(thought_marks_written_by_a_model_are_replaced),
        cmocka_unit_test(hidden_special_tokens_do_not_split_characters),
        cmocka_unit_test(the_leading_space_is_dropped_once_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
