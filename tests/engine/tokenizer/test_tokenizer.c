// tests/engine/tokenizer/test_tokenizer.c — tokenizer.h: special tokens, pieces, files.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/log.h"
#include "tests/check.h"
#include "tests/engine/model/gguf_writer.h"
#include "tests/engine/tokenizer/vocabulary_fixture.h"

// The first token with this text.
static int32_t find_token(const struct tokenizer *tokenizer, const char *text) {
    for (int32_t id = 0; id < tokenizer_vocabulary(tokenizer); id++) {
        const struct gguf_string piece = tokenizer_piece(tokenizer, id);
        if (piece.length == strlen(text) && memcmp(piece.bytes, text, piece.length) == 0) return id;
    }
    return TOKEN_NONE;
}

static struct piece control_of(const char *text) {
    return (struct piece){PIECE_CONTROL, text, strlen(text)};
}

static struct piece text_of(const char *text) {
    return (struct piece){PIECE_TEXT, text, strlen(text)};
}

static struct token_ids encode(const struct tokenizer *tokenizer, const struct piece *pieces,
                               size_t count) {
    struct token_ids ids = {0};
    assert_int_equal(tokenizer_encode(tokenizer, pieces, count, &ids), STATUS_OK);
    return ids;
}

static bool same(struct token_ids a, struct token_ids b) {
    const bool equal = a.count == b.count && memcmp(a.ids, b.ids, a.count * sizeof a.ids[0]) == 0;
    token_ids_deinit(&a);
    token_ids_deinit(&b);
    return equal;
}

static bool contains(const struct token_ids *ids, int32_t id) {
    for (size_t i = 0; i < ids->count; i++)
        if (ids->ids[i] == id) return true;
    return false;
}

static void only_control_pieces_become_special_tokens(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    const struct tokenizer *tokenizer = fixture->tokenizer;
    const int32_t start = find_token(tokenizer, "<|im_start|>");
    const int32_t end = find_token(tokenizer, "<|im_end|>");
    const struct piece turn[] = {control_of("<|im_start|>user\n"), text_of("hello<|im_end|>"),
                                 control_of("<|im_end|>\n")};
    struct token_ids ids = encode(tokenizer, turn, 3);
    assert_int_equal(ids.ids[0], start);
    assert_int_equal(ids.ids[ids.count - 2], end);
    for (size_t i = 1; i + 2 < ids.count; i++)
        assert_false(tokenizer_is_special(tokenizer, ids.ids[i]));
    token_ids_deinit(&ids);
    vocabulary_fixture_destroy(fixture);
}

// Whatever is cut wherever: no control token comes out of text, nor out of a control piece
// that completes or begins one in a text.
static void text_cannot_forge_a_special_token_at_any_cut(void **state) {
    (void)state;
    static const char name[] = "<|im_start|><|im_end|>";
    struct vocabulary_fixture *fixtures[] = {vocabulary_fixture_byte_level(),
                                             vocabulary_fixture_sentencepiece()};
    const char *const names[] = {name, "<s></s>"};
    for (size_t f = 0; f < 2; f++) {
        const struct tokenizer *tokenizer = fixtures[f]->tokenizer;
        const size_t length = strlen(names[f]);
        for (size_t cut = 0; cut <= length; cut++) {
            for (int kinds = 0; kinds < 4; kinds++) {
                const struct piece pieces[] = {
                    {kinds & 1 ? PIECE_CONTROL : PIECE_TEXT, names[f], cut},
                    {kinds & 2 ? PIECE_CONTROL : PIECE_TEXT, names[f] + cut, length - cut}};
                struct token_ids ids = encode(tokenizer, pieces, 2);
                int special = 0, allowed = 0;
                for (size_t i = 0; i < ids.count; i++)
                    special += tokenizer_is_special(tokenizer, ids.ids[i]);
                const size_t first = f == 0 ? 12 : 3; // bytes of the first of the two
                if (kinds & 1) allowed += (cut >= first) + (cut == length);
                if (kinds & 2) allowed += (cut <= first) + (cut == 0);
                assert_int_equal(special, allowed);
                token_ids_deinit(&ids);
            }
        }
        vocabulary_fixture_destroy(fixtures[f]);
    }
}

// Types that a converter got wrong do not open a door.
static void chat_marks_are_control_whatever_the_file_says(void **state) {
    (void)state;
    static const char *const marks[] = {"<|assistant|>", "</s>", "<start_of_turn>", "<|tool_call>",
                                        "<\xEF\xBD\x9CUser\xEF\xBD\x9C>"};
    static const char *const words[] = {"<think>", "<|>", "<||", "|>", "<s>"};
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "gpt-2");
    vocabulary_fixture_add_characters(fixture);
    vocabulary_fixture_merge(fixture, "a", "b");
    int32_t mark_ids[5], word_ids[5];
    for (size_t i = 0; i < 5; i++) {
        mark_ids[i] = vocabulary_fixture_add(fixture, marks[i], TOKEN_USER_DEFINED, 0);
        word_ids[i] = vocabulary_fixture_add(fixture, words[i], TOKEN_USER_DEFINED, 0);
    }
    fixture->eos = mark_ids[1];
    assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_true(tokenizer_is_special(fixture->tokenizer, mark_ids[i]));
        assert_int_equal(find_token(fixture->tokenizer, marks[i]), mark_ids[i]);
        struct piece piece = text_of(marks[i]);
        struct token_ids ids = encode(fixture->tokenizer, &piece, 1);
        assert_false(contains(&ids, mark_ids[i]));
        token_ids_deinit(&ids);
        piece = text_of(words[i]);
        ids = encode(fixture->tokenizer, &piece, 1);
        assert_int_equal(ids.count, 1);
        assert_int_equal(ids.ids[0], word_ids[i]);
        token_ids_deinit(&ids);
    }
    assert_true(tokenizer_ends_turn(fixture->tokenizer, mark_ids[1]));
    assert_false(tokenizer_ends_turn(fixture->tokenizer, mark_ids[0]));
    vocabulary_fixture_destroy(fixture);
}

static void learned_tokens_resembling_marks_stay_text(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "llama-bpe");
    vocabulary_fixture_add_characters(fixture);
    vocabulary_fixture_merge(fixture, "a", "b");
    const int32_t close = vocabulary_fixture_add(fixture, "</", TOKEN_NORMAL, 0);
    const int32_t html = vocabulary_fixture_add(fixture, "</s>", TOKEN_NORMAL, 0);
    assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
    assert_false(tokenizer_is_special(fixture->tokenizer, html));
    assert_false(tokenizer_ends_turn(fixture->tokenizer, html));
    const struct piece piece = text_of("</s>");
    struct token_ids ids = encode(fixture->tokenizer, &piece, 1);
    assert_int_equal(ids.ids[0], close);
    token_ids_deinit(&ids);
    vocabulary_fixture_destroy(fixture);
}

static void cutting_text_into_pieces_does_not_change_its_ids(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    const struct tokenizer *tokenizer = fixture->tokenizer;
    static const char whole[] = "in the\n\nhello  12 <think> caf\xC3\xA9";
    const struct piece one = text_of(whole);
    for (size_t cut = 0; cut < sizeof whole; cut++)
        for (size_t next = cut; next < sizeof whole; next++) {
            const struct piece parts[] = {{PIECE_CONTROL, whole, cut},
                                          {PIECE_TEXT, whole + cut, next - cut},
                                          {PIECE_CONTROL, whole + next, sizeof whole - 1 - next}};
            assert_true(same(encode(tokenizer, &one, 1), encode(tokenizer, parts, 3)));
        }
    vocabulary_fixture_destroy(fixture);
}

static void the_longest_special_token_wins(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "gpt-2");
    vocabulary_fixture_add_characters(fixture);
    vocabulary_fixture_merge(fixture, "a", "b");
    const int32_t two = vocabulary_fixture_add(fixture, "  ", TOKEN_USER_DEFINED, 0);
    const int32_t four = vocabulary_fixture_add(fixture, "    ", TOKEN_USER_DEFINED, 0);
    const int32_t mark = vocabulary_fixture_add(fixture, "  [X]", TOKEN_CONTROL, 0);
    const int32_t longer = vocabulary_fixture_add(fixture, "  [X]]", TOKEN_CONTROL, 0);
    assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
    const struct piece pieces[] = {text_of("       "), control_of("  [X]"), control_of("  [X]]")};
    const int32_t expected[] = {four, two, ' ', mark, longer};
    struct token_ids ids = encode(fixture->tokenizer, pieces, 3);
    assert_int_equal(ids.count, 5);
    assert_memory_equal(ids.ids, expected, sizeof expected);
    token_ids_deinit(&ids);
    const struct piece same_as_text[] = {text_of("       "), text_of("  [X]")};
    const int32_t plain[] = {four, four, ' ', '[', 'X', ']'};
    ids = encode(fixture->tokenizer, same_as_text, 2);
    assert_int_equal(ids.count, 6);
    assert_memory_equal(ids.ids, plain, sizeof plain);
    token_ids_deinit(&ids);
    vocabulary_fixture_destroy(fixture);
}

static void token_properties_match_the_vocabulary(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    const struct tokenizer *tokenizer = fixture->tokenizer;
    const int32_t end = find_token(tokenizer, "<|im_end|>");
    const int32_t think = find_token(tokenizer, "<think>");
    assert_int_equal(tokenizer_vocabulary(tokenizer), (int32_t)fixture->count);
    assert_int_equal(tokenizer_eos(tokenizer), end);
    assert_int_equal(tokenizer_bos(tokenizer), find_token(tokenizer, "<|endoftext|>"));
    assert_false(tokenizer_adds_bos(tokenizer));
    assert_false(tokenizer_adds_space_prefix(tokenizer));
    assert_true(tokenizer_ends_turn(tokenizer, end));
    assert_true(tokenizer_ends_turn(tokenizer, tokenizer_bos(tokenizer)));
    assert_false(tokenizer_ends_turn(tokenizer, think));
    assert_false(tokenizer_is_special(tokenizer, think));
    assert_int_equal(find_token(tokenizer, "<|im_end|"), TOKEN_NONE);
    assert_int_equal(find_token(tokenizer, ""), TOKEN_NONE);
    assert_string_equal(tokenizer_description(tokenizer), "gpt2 (qwen2)");
    const struct gguf_string piece = tokenizer_piece(tokenizer, ' ');
    assert_int_equal(piece.length, 2);
    assert_memory_equal(piece.bytes, "Ġ", 2);
    struct text text = {0};
    assert_int_equal(tokenizer_decode(tokenizer, end, false, &text), STATUS_OK);
    assert_string_equal(text_string(&text), "");
    assert_int_equal(tokenizer_decode(tokenizer, end, true, &text), STATUS_OK);
    assert_int_equal(tokenizer_decode(tokenizer, think, false, &text), STATUS_OK);
    assert_string_equal(text_string(&text), "<|im_end|><think>");
    text_deinit(&text);
    vocabulary_fixture_destroy(fixture);
}

// A model may pick any row of its embedding.
static void ids_beyond_the_vocabulary_decode_to_nothing(void **state) {
    (void)state;
    struct vocabulary_fixture *fixtures[] = {vocabulary_fixture_byte_level(),
                                             vocabulary_fixture_sentencepiece()};
    for (size_t f = 0; f < 2; f++) {
        struct tokenizer *tokenizer = fixtures[f]->tokenizer;
        const int32_t count = tokenizer_vocabulary(tokenizer);
        const struct piece piece = text_of("hello <think> the");
        const struct token_ids before = encode(tokenizer, &piece, 1);
        struct text text = {0};
        assert_int_equal(tokenizer_widen(tokenizer, count), STATUS_OK);
        assert_int_equal(tokenizer_widen(tokenizer, count + 1000), STATUS_OK);
        assert_int_equal(tokenizer_vocabulary(tokenizer), count + 1000);
        for (int32_t id = count; id < count + 1000; id++) {
            assert_false(tokenizer_ends_turn(tokenizer, id));
            assert_false(tokenizer_is_special(tokenizer, id));
            assert_int_equal(tokenizer_piece(tokenizer, id).length, 0);
            assert_int_equal(tokenizer_decode(tokenizer, id, true, &text), STATUS_OK);
        }
        assert_int_equal(text.length, 0);
        assert_true(same(before, encode(tokenizer, &piece, 1)));
        text_deinit(&text);
        vocabulary_fixture_destroy(fixtures[f]);
    }
}

static void bos_is_added_if_the_file_or_family_says_so(void **state) {
    (void)state;
    const struct {
        const char *model, *pre;
        int key;
        bool bos, expected;
    } cases[] = {
        {"gpt2", "llama-bpe", -1, true, true}, {"gpt2", "llama-bpe", 0, true, false},
        {"gpt2", "qwen2", -1, true, false},    {"gpt2", "qwen2", 1, true, true},
        {"llama", NULL, -1, true, true},       {"llama", NULL, -1, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct vocabulary_fixture *fixture =
            vocabulary_fixture_create(cases[i].model, cases[i].pre);
        vocabulary_fixture_add_characters(fixture);
        vocabulary_fixture_add_bytes(fixture);
        vocabulary_fixture_merge(fixture, "a", "b");
        fixture->adds_bos = cases[i].key;
        fixture->bos = cases[i].bos ? 7 : UINT32_MAX;
        assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
        assert_int_equal(tokenizer_adds_bos(fixture->tokenizer), cases[i].expected);
        vocabulary_fixture_destroy(fixture);
    }
}

static void encoding_appends_ids_and_nothing_for_an_empty_prompt(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_sentencepiece();
    struct token_ids ids = {0};
    const struct piece pieces[] = {{PIECE_TEXT, NULL, 0}, control_of("</s>")};
    assert_int_equal(tokenizer_encode(fixture->tokenizer, NULL, 0, &ids), STATUS_OK);
    assert_int_equal(tokenizer_encode(fixture->tokenizer, pieces, 1, &ids), STATUS_OK);
    assert_int_equal(ids.count, 0);
    assert_int_equal(token_ids_push(&ids, 5), STATUS_OK);
    assert_int_equal(tokenizer_encode(fixture->tokenizer, pieces, 2, &ids), STATUS_OK);
    assert_int_equal(ids.count, 2);
    assert_int_equal(ids.ids[0], 5);
    assert_int_equal(ids.ids[1], tokenizer_eos(fixture->tokenizer));
    const struct piece huge = {PIECE_TEXT, "", (size_t)TOKENIZER_MAX_TEXT_BYTES + 1};
    assert_int_equal(tokenizer_encode(fixture->tokenizer, &huge, 1, &ids), STATUS_TOO_LONG);
    assert_int_equal(ids.count, 2);
    token_ids_deinit(&ids);
    vocabulary_fixture_destroy(fixture);
}

static void broken_files_are_refused_with_a_reason(void **state) {
    (void)state;
    static const struct {
        enum status status;
        const char *says;
    } cases[] = {
        {STATUS_BAD_FILE, "tokenizer.ggml.model"},  {STATUS_UNSUPPORTED, "\"bert\""},
        {STATUS_UNSUPPORTED, "\"no-such\""},        {STATUS_BAD_FILE, "tokenizer.ggml.tokens"},
        {STATUS_BAD_FILE, "tokenizer.ggml.merges"}, {STATUS_BAD_FILE, "type 7"},
        {STATUS_BAD_FILE, "not a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "gpt-2");
        vocabulary_fixture_add_characters(fixture);
        vocabulary_fixture_add(fixture, "ab", TOKEN_NORMAL, 0);
        if (i == 0) fixture->model = NULL;
        if (i == 1) fixture->model = "bert";
        if (i == 2) fixture->pre = "no-such";
        if (i == 3) fixture->no_tokens = true;
        if (i != 4) vocabulary_fixture_merge(fixture, "a", "b");
        if (i == 5) fixture->types[3] = 7;
        if (i == 6) memset(&fixture->scores[2], 0xFF, sizeof fixture->scores[2]);
        struct error err = {0};
        assert_int_equal(vocabulary_fixture_open(fixture, &err), cases[i].status);
        if (!strstr(err.text, cases[i].says)) fail_msg("\"%s\"", err.text);
        assert_null(fixture->tokenizer);
        vocabulary_fixture_destroy(fixture);
    }
}

// Each by itself: what a file need not have would be taken for absent.
static void a_key_of_another_type_is_refused_by_name(void **state) {
    (void)state;
    static const char *const parts[] = {"model",
                                        "pre",
                                        "tokens",
                                        "token_type",
                                        "scores",
                                        "merges",
                                        "bos_token_id",
                                        "eos_token_id",
                                        "eot_token_id",
                                        "eom_token_id",
                                        "unknown_token_id",
                                        "add_bos_token",
                                        "add_space_prefix",
                                        "remove_extra_whitespaces"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        struct gguf_writer writer;
        struct tokenizer *tokenizer = NULL;
        struct gguf *gguf;
        struct error err = {0};
        size_t length;
        char key[64], says[128];
        snprintf(key, sizeof key, "tokenizer.ggml.%s", parts[i]);
        snprintf(says, sizeof says, "%s has an unsupported type", key);
        gguf_writer_init(&writer);
        gguf_writer_float(&writer, key, GGUF_F32, 1);
        unsigned char *bytes = gguf_writer_finish(&writer, &length);
        assert_int_equal(gguf_open_memory(bytes, length, "written", &gguf, &err), STATUS_OK);
        assert_int_equal(tokenizer_open(gguf, &tokenizer, &err), STATUS_UNSUPPORTED);
        if (!strstr(err.text, says)) fail_msg("\"%s\"", err.text);
        gguf_close(gguf);
        free(bytes);
        gguf_writer_deinit(&writer);
    }
}

static char warning[256];
static void keep_warning(enum log_level level, const char *text) {
    assert_int_equal(level, LOG_WARNING);
    snprintf(warning, sizeof warning, "%s", text);
}

static void an_out_of_range_eos_id_is_ignored_with_a_warning(void **state) {
    (void)state;
    static const int64_t ids[] = {257, 1 << 30, -2};
    log_set_sink(keep_warning);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "gpt-2");
        struct error err = {0};
        vocabulary_fixture_add_characters(fixture);
        vocabulary_fixture_merge(fixture, "a", "b");
        vocabulary_fixture_add(fixture, "ab", TOKEN_NORMAL, 0);
        fixture->eos = (int32_t)ids[i];
        warning[0] = '\0';
        assert_int_equal(vocabulary_fixture_open(fixture, &err), STATUS_OK);
        assert_int_equal(tokenizer_eos(fixture->tokenizer), TOKEN_NONE);
        assert_non_null(strstr(warning, "ignoring tokenizer.ggml.eos_token_id"));
        vocabulary_fixture_destroy(fixture);
    }
    log_set_sink(NULL);
}

// As in Falcon's vocabulary; a character of ASCII that people write must have one.
static void a_byte_without_a_token_is_skipped_with_a_warning(void **state) {
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", "gpt-2");
        struct token_ids ids = {0};
        struct error err = {0};
        vocabulary_fixture_add_characters(fixture);
        vocabulary_fixture_merge(fixture, "a", "b");
        const int32_t ab = vocabulary_fixture_add(fixture, "ab", TOKEN_NORMAL, 0);
        strcpy(fixture->tokens[lost ? 'x' : 3], "<none>");
        warning[0] = '\0';
        log_set_sink(keep_warning);
        const enum status status = vocabulary_fixture_open(fixture, &err);
        log_set_sink(NULL);
        assert_int_equal(status, lost ? STATUS_BAD_FILE : STATUS_OK);
        if (!lost) {
            const struct piece pieces[] = {text_of("\3"), text_of("ab\3\3")};
            assert_non_null(strstr(warning, "1 byte values, such as 0x03, have no token"));
            assert_int_equal(tokenizer_encode(fixture->tokenizer, pieces, 2, &ids), STATUS_OK);
            assert_int_equal(ids.count, 1);
            assert_int_equal(ids.ids[0], ab);
        }
        token_ids_deinit(&ids);
        vocabulary_fixture_destroy(fixture);
    }
}

static void byte_level_files_need_no_types_or_scores(void **state) {
    (void)state;
    struct vocabulary_fixture *fixture = vocabulary_fixture_create("gpt2", NULL);
    vocabulary_fixture_add_characters(fixture);
    vocabulary_fixture_merge(fixture, "a", "b");
    const int32_t end = vocabulary_fixture_add(fixture, "<|endoftext|>", TOKEN_NORMAL, 0);
    const int32_t ab = vocabulary_fixture_add(fixture, "ab", TOKEN_NORMAL, 0);
    vocabulary_fixture_add(fixture, "ab", TOKEN_NORMAL, 0); // the second of its name
    fixture->no_types = fixture->no_scores = true;
    assert_int_equal(vocabulary_fixture_open(fixture, NULL), STATUS_OK);
    assert_true(tokenizer_is_special(fixture->tokenizer, end));
    const struct piece piece = text_of("ab");
    struct token_ids ids = encode(fixture->tokenizer, &piece, 1);
    assert_int_equal(ids.count, 1);
    assert_int_equal(ids.ids[0], ab);
    token_ids_deinit(&ids);
    vocabulary_fixture_destroy(fixture);
}

struct worker {
    const struct tokenizer *tokenizer;
    struct piece piece;
    struct token_ids ids;
};

static void *encode_often(void *argument) {
    struct worker *worker = argument;
    for (int i = 0; i < 200; i++) {
        worker->ids.count = 0;
        assert_int_equal(tokenizer_encode(worker->tokenizer, &worker->piece, 1, &worker->ids),
                         STATUS_OK);
    }
    return NULL;
}

static void threads_encode_at_once_with_equal_ids(void **state) {
    (void)state;
    enum { THREADS = 4 };
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    char text[2000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "the hello in 12 \n an"[i * i % 19];
    struct worker workers[THREADS] = {0};
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){fixture->tokenizer, {PIECE_TEXT, text, sizeof text}, {0}};
        assert_int_equal(pthread_create(&threads[i], NULL, encode_often, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_true(same(encode(fixture->tokenizer, &workers[0].piece, 1), workers[i].ids));
    vocabulary_fixture_destroy(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_control_pieces_become_special_tokens),
        cmocka_unit_test(text_cannot_forge_a_special_token_at_any_cut),
        cmocka_unit_test(chat_marks_are_control_whatever_the_file_says),
        cmocka_unit_test(learned_tokens_resembling_marks_stay_text),
        cmocka_unit_test(cutting_text_into_pieces_does_not_change_its_ids),
        cmocka_unit_test(the_longest_special_token_wins),
        cmocka_unit_test(token_properties_match_the_vocabulary),
        cmocka_unit_test(ids_beyond_the_vocabulary_decode_to_nothing),
        cmocka_unit_test(bos_is_added_if_the_file_or_family_says_so),
        cmocka_unit_test(encoding_appends_ids_and_nothing_for_an_empty_prompt),
        cmocka_unit_test(broken_files_are_refused_with_a_reason),
        cmocka_unit_test(a_key_of_another_type_is_refused_by_name),
        cmocka_unit_test(an_out_of_range_eos_id_is_ignored_with_a_warning),
        cmocka_unit_test(a_byte_without_a_token_is_skipped_with_a_warning),
        cmocka_unit_test(byte_level_files_need_no_types_or_scores),
        cmocka_unit_test(threads_encode_at_once_with_equal_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
