// tests/engine/tokenizer/test_tokenizer_json.c — what a tokenizer.json may say, and what it means.
//
// The expected ids follow from the tokenizers library's documentation of each part, and from
// texts that are cut, changed or joined by hand.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/tokenizer/detokenizer.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/json_fixture.h"

#define PRE_BYTES       "{\"type\":\"ByteLevel\",\"add_prefix_space\":false}"
#define PRE_PLAIN       "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}"
#define SEQUENCE(steps) "{\"type\":\"Sequence\",\"pretokenizers\":[" steps "," PRE_PLAIN "]}"
#define SPLIT(pattern, behavior, invert)                                     \
    "{\"type\":\"Split\",\"pattern\":{" pattern "},\"behavior\":\"" behavior \
    "\",\"invert\":" invert "}"

static void open_or_fail(struct json_fixture *fixture) {
    struct error err = {0};
    if (json_fixture_open(fixture, &err) != STATUS_OK) fail_msg("%s", err.text);
}

static void encode(const struct json_fixture *fixture, enum piece_kind kind, const char *text,
                   struct token_ids *ids) {
    const struct piece piece = {kind, text, strlen(text)};
    ids->count = 0;
    assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, ids), STATUS_OK);
}

// The pieces of a text's ids, a space after each.
static void check_pieces(const struct json_fixture *fixture, enum piece_kind kind, const char *text,
                         const char *expected) {
    struct token_ids ids = {0};
    struct text pieces = {0};
    encode(fixture, kind, text, &ids);
    for (size_t i = 0; i < ids.count; i++) {
        const struct gguf_string piece = tokenizer_piece(fixture->tokenizer, ids.ids[i]);
        assert_int_equal(text_append(&pieces, piece.bytes, piece.length), STATUS_OK);
        assert_int_equal(text_append(&pieces, " ", 1), STATUS_OK);
    }
    assert_string_equal(text_string(&pieces), expected);
    text_deinit(&pieces);
    token_ids_deinit(&ids);
}

static void check_back(const struct json_fixture *fixture, const char *text, const char *expected) {
    struct token_ids ids = {0};
    struct text back = {0};
    struct detokenizer detokenizer;
    encode(fixture, PIECE_TEXT, text, &ids);
    detokenizer_init(&detokenizer, fixture->tokenizer, true,
                     tokenizer_adds_space_prefix(fixture->tokenizer));
    for (size_t i = 0; i < ids.count; i++)
        assert_int_equal(detokenizer_push(&detokenizer, ids.ids[i], &back), STATUS_OK);
    assert_int_equal(detokenizer_finish(&detokenizer, &back), STATUS_OK);
    assert_string_equal(text_string(&back), expected);
    text_deinit(&back);
    token_ids_deinit(&ids);
}

static void byte_level_merges_stay_within_words(void **state) {
    (void)state;
    struct json_fixture fixture = {.pre_tokenizer = PRE_BYTES};
    open_or_fail(&fixture);
    check_pieces(&fixture, PIECE_TEXT, "hello hello", "hello Ġhello ");
    check_pieces(&fixture, PIECE_TEXT, "12 é", "12 Ġ Ã © ");
    check_back(&fixture, "hello \xE6\x88\x91", "hello \xE6\x88\x91");
    json_fixture_deinit(&fixture);
    struct json_fixture prefixed = {.pre_tokenizer = "{\"type\":\"ByteLevel\"}"};
    open_or_fail(&prefixed);
    check_pieces(&prefixed, PIECE_TEXT, "hello", "Ġhello ");
    check_pieces(&prefixed, PIECE_TEXT, " hello", "Ġhello ");
    json_fixture_deinit(&prefixed);
}

static void split_behaviors_match_their_names(void **state) {
    (void)state;
    static const struct {
        const char *steps, *text, *expected;
    } cases[] = {
        {SEQUENCE(SPLIT("\"String\":\"l\"", "Isolated", "false")), "hello", "he l l o "},
        {SEQUENCE(SPLIT("\"String\":\"l\"", "Removed", "false")), "hello", "he o "},
        {SEQUENCE(SPLIT("\"String\":\"e\"", "MergedWithPrevious", "false")), "hello", "he ll o "},
        {SEQUENCE(SPLIT("\"String\":\"e\"", "MergedWithNext", "false")), "hello", "h e ll o "},
        {SEQUENCE(SPLIT("\"Regex\":\"l\"", "Contiguous", "false")), "hello", "he ll o "},
        {SEQUENCE(SPLIT("\"Regex\":\"[hel]+\"", "Removed", "true")), "hello", "hell "},
        {SEQUENCE(SPLIT("\"Regex\":\"(?=2)\"", "Isolated", "false")), "1212", "1 2 1 2 "},
        {SEQUENCE("{\"type\":\"Digits\",\"individual_digits\":true}"), "12h12", "1 2 h 1 2 "},
        {SEQUENCE("{\"type\":\"Digits\"}"), "12h12", "12 h 12 "},
        {SEQUENCE("{\"type\":\"Punctuation\"}"), "he!!he", "he ! ! he "},
        {SEQUENCE("{\"type\":\"Whitespace\"}"), " he  ll,12 ", "he ll , 12 "},
        {SEQUENCE("{\"type\":\"WhitespaceSplit\"}"), " he  ll,12 ", "he ll , 12 "},
        {SEQUENCE("{\"type\":\"CharDelimiterSplit\",\"delimiter\":\"e\"}"), "hello", "h ll o "},
        {SEQUENCE("{\"type\":\"Sequence\",\"pretokenizers\":[" SPLIT("\"String\":\"o\"", "Isolated",
                                                                     "false") "]}"),
         "hello", "hell o "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct json_fixture fixture = {.pre_tokenizer = cases[i].steps};
        open_or_fail(&fixture);
        check_pieces(&fixture, PIECE_TEXT, cases[i].text, cases[i].expected);
        json_fixture_deinit(&fixture);
    }
}

static void normalizers_transform_the_text(void **state) {
    (void)state;
    static const struct {
        const char *normalizer, *text, *back;
    } cases[] = {
        {"{\"type\":\"NFC\"}", "e\xCC\x81\xFF", "\xC3\xA9\xEF\xBF\xBD"},
        {"{\"type\":\"NFD\"}", "\xC3\xA9", "e\xCC\x81"},
        {"{\"type\":\"NFKC\"}", "\xEF\xBC\xA1\xEF\xAC\x81", "Afi"},
        {"{\"type\":\"NFKD\"}", "\xC2\xBD\xC3\xA9",
         "1\xE2\x81\x84"
         "2e\xCC\x81"},
        {"{\"type\":\"Lowercase\"}", "HE\xC3\x89\xC4\xB0\xCE\xA3", "he\xC3\xA9i\xCC\x87\xCF\x83"},
        {"{\"type\":\"Strip\",\"strip_left\":true,\"strip_right\":false}", " \n he ", "he "},
        {"{\"type\":\"Strip\"}", "\xE3\x80\x80he \t", "he"},
        {"{\"type\":\"Prepend\",\"prepend\":\"<\\u003e\"}", "he", "<>he"},
        {"{\"type\":\"Replace\",\"pattern\":{\"Regex\":\" {2,}\"},\"content\":\"_\"}", "a  b   c d",
         "a_b_c d"},
        {"{\"type\":\"Replace\",\"pattern\":{\"String\":\".\"},\"content\":\"\"}", "a.b.", "ab"},
        {"{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFD\"},{\"type\":\"StripAccents\"},"
         "{\"type\":\"Lowercase\"}]}",
         "\xC3\x89T\xC3\x89", "ete"},
        // A mark of each kind: Mn, Mc and Me.
        {"{\"type\":\"StripAccents\"}", "a\xCC\x81 b\xE0\xA4\xBF c\xD2\x89", "a b c"},
        {"{\"type\":\"Sequence\",\"normalizers\":[]}", "e\xCC\x81", "e\xCC\x81"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct json_fixture fixture = {.pre_tokenizer = PRE_BYTES,
                                       .normalizer = cases[i].normalizer};
        open_or_fail(&fixture);
        check_back(&fixture, cases[i].text, cases[i].back);
        json_fixture_deinit(&fixture);
    }
}

static void added_tokens_follow_their_options(void **state) {
    (void)state;
    struct json_fixture fixture = {.pre_tokenizer = PRE_BYTES,
                                   .normalizer = "{\"type\":\"Lowercase\"}",
                                   .added =
                                       "{\"id\":300,\"content\":\"<s>\",\"special\":true},"
                                       "{\"id\":301,\"content\":\"<L>\",\"lstrip\":true},"
                                       "{\"id\":302,\"content\":\"<R>\",\"rstrip\":true},"
                                       "{\"id\":303,\"content\":\"word\",\"single_word\":true},"
                                       "{\"id\":304,\"content\":\"ABC\",\"normalized\":true},"
                                       "{\"id\":305,\"content\":\"ABCD\",\"normalized\":false}"};
    open_or_fail(&fixture);
    check_pieces(&fixture, PIECE_TEXT, "<s>", "< s > ");
    check_pieces(&fixture, PIECE_CONTROL, "a<s>b", "a <s> b ");
    check_pieces(&fixture, PIECE_TEXT, "a \n<L> b", "a <L> Ġ b ");
    check_pieces(&fixture, PIECE_TEXT, "a <R> \xE3\x80\x80 b", "a Ġ <R> b ");
    check_pieces(&fixture, PIECE_TEXT, "a word.", "a Ġ word . ");
    check_pieces(&fixture, PIECE_TEXT, "words", "w o r d s ");
    check_pieces(&fixture, PIECE_TEXT, "\xC3\xA9word", "Ã © w o r d ");
    check_pieces(&fixture, PIECE_TEXT, "xabcx", "x ABC x "); // found in the normalised text
    check_pieces(&fixture, PIECE_TEXT, "xABCD", "x ABCD ");  // found as it is
    check_pieces(&fixture, PIECE_TEXT, "xabcd", "x ABC d "); // not found, as it is lower case
    assert_memory_equal(tokenizer_piece(fixture.tokenizer, 304).bytes, "ABC", 3);
    assert_int_equal(tokenizer_vocabulary(fixture.tokenizer), 306);
    json_fixture_deinit(&fixture);
}

#define SPM_MODEL                                                                            \
    "{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_unk\":true,\"byte_fallback\":true,"    \
    "\"vocab\":{\"<unk>\":0,\"<0xC3>\":1,\"<0xA9>\":2,\"a\":3,\"b\":4,\"▁\":5,\"▁a\":6," \
    "\"ab\":7,\"▁ab\":8,\"<0x41>\":9},\"merges\":[[\"▁\",\"a\"],[\"▁a\",\"b\"],[\"a\",\"b\"]]}"
#define SPM_DECODER                                                                       \
    "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{\"String\":" \
    "\"▁\"},\"content\":\" \"},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"        \
    "{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}]}"

static void characters_fall_back_to_bytes(void **state) {
    (void)state;
    struct json_fixture fixture = {
        .model = SPM_MODEL,
        .decoder = SPM_DECODER,
        .normalizer = "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\",\"prepend\":"
                      "\"▁\"},{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":"
                      "\"▁\"}]}"};
    open_or_fail(&fixture);
    check_pieces(&fixture, PIECE_TEXT, "ab ab", "▁ab ▁ab ");
    check_pieces(&fixture, PIECE_TEXT, "b\xC3\xA9", "▁ b <0xC3> <0xA9> ");
    check_pieces(&fixture, PIECE_TEXT, "xyzA", "▁ <unk> <0x41> "); // unknown ones are one token
    check_back(&fixture, "ab a\xC3\xA9", "ab a\xC3\xA9");
    json_fixture_deinit(&fixture);
}

static void metaspace_marks_the_start_of_words(void **state) {
    (void)state;
    struct json_fixture fixture = {
        .model = SPM_MODEL,
        .pre_tokenizer = "{\"type\":\"Metaspace\",\"replacement\":\"▁\",\"prepend_scheme\":"
                         "\"first\",\"split\":true}",
        .decoder = "{\"type\":\"Metaspace\",\"replacement\":\"▁\"}",
        .added = "{\"id\":10,\"content\":\"<s>\",\"special\":true}"};
    open_or_fail(&fixture);
    check_pieces(&fixture, PIECE_CONTROL, "ab<s>ab ab", "▁ab <s> ab ▁ab ");
    check_back(&fixture, "ab ab", "ab ab");
    json_fixture_deinit(&fixture);
    fixture =
        (struct json_fixture){.model = SPM_MODEL,
                              .pre_tokenizer = "{\"type\":\"Metaspace\",\"replacement\":\"▁\"}",
                              .added = "{\"id\":10,\"content\":\"<s>\",\"special\":true}"};
    open_or_fail(&fixture);
    check_pieces(&fixture, PIECE_CONTROL, "ab<s>ab", "▁ab <s> ▁ab ");
    json_fixture_deinit(&fixture);
}

static void token_roles_come_from_the_neighbouring_config_files(void **state) {
    (void)state;
    struct json_fixture fixture = {
        .pre_tokenizer = PRE_BYTES,
        .added = "{\"id\":300,\"content\":\"<s>\",\"special\":true},"
                 "{\"id\":301,\"content\":\"</s>\",\"special\":true},"
                 "{\"id\":302,\"content\":\"<stop>\",\"special\":true}",
        .config = "{\"bos_token\":\"<s>\",\"eos_token\":{\"content\":\"</s>\"}}",
        .generation = "{\"eos_token_id\":[302,999,-1,\"x\"]}",
        .post_processor = "{\"type\":\"Sequence\",\"processors\":[{\"type\":\"ByteLevel\"},"
                          "{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{"
                          "\"id\":\"<s>\",\"type_id\":0}},{\"Sequence\":{\"id\":\"A\"}}]}]}"};
    open_or_fail(&fixture);
    assert_int_equal(tokenizer_bos(fixture.tokenizer), 300);
    assert_int_equal(tokenizer_eos(fixture.tokenizer), 301);
    assert_true(tokenizer_adds_bos(fixture.tokenizer));
    assert_true(tokenizer_ends_turn(fixture.tokenizer, 301));
    assert_true(tokenizer_ends_turn(fixture.tokenizer, 302));
    assert_false(tokenizer_ends_turn(fixture.tokenizer, 300));
    assert_true(tokenizer_is_special(fixture.tokenizer, 302));
    json_fixture_deinit(&fixture);
    fixture.tokenizer = NULL;
    fixture.text = (struct text){0};
    fixture.config = "{\"bos_token\":\"<s>\",\"add_bos_token\":false,\"tokenizer_class\":"
                     "\"LlamaTokenizerFast\"}";
    open_or_fail(&fixture);
    assert_false(tokenizer_adds_bos(fixture.tokenizer));
    assert_int_equal(tokenizer_eos(fixture.tokenizer), TOKEN_NONE);
    json_fixture_deinit(&fixture);
}

// As generate() has it: config.json counts where generation_config.json names no token.
static void the_end_of_an_answer_comes_from_one_config_file(void **state) {
    (void)state;
    static const struct {
        const char *generation, *shape;
        bool ends[3]; // tokens 300 …
    } rows[] = {
        {NULL, "{\"eos_token_id\":301}", {false, true, false}},
        {NULL, "{\"eos_token_id\":[300,302]}", {true, false, true}},
        {NULL, "{\"text_config\":{\"eos_token_id\":302}}", {false, false, true}},
        {"{\"temperature\":1}", "{\"eos_token_id\":301}", {false, true, false}},
        {"{\"eos_token_id\":null}", "{\"eos_token_id\":301}", {false, true, false}},
        {"{\"eos_token_id\":302}", "{\"eos_token_id\":301}", {false, false, true}},
        {NULL, "{\"eos_token_id\":301,\"time_step_limit\":[0,Infinity]}", {false, false, false}},
        {NULL, "{\"eos_token_id\":999}", {false, false, false}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_fixture fixture = {.pre_tokenizer = PRE_BYTES,
                                       .added = "{\"id\":300,\"content\":\"<a>\",\"special\":true},"
                                                "{\"id\":301,\"content\":\"<b>\",\"special\":true},"
                                                "{\"id\":302,\"content\":\"<c>\",\"special\":true}",
                                       .generation = rows[i].generation,
                                       .shape = rows[i].shape};
        open_or_fail(&fixture);
        for (int32_t id = 0; id < 3; id++)
            assert_int_equal(tokenizer_ends_turn(fixture.tokenizer, 300 + id), rows[i].ends[id]);
        json_fixture_deinit(&fixture);
    }
}

static const struct {
    struct json_fixture fixture;
    enum status status;
    const char *names; // is in what it says
} refused[] = {
    {{.normalizer = "{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"AA\"}"},
     STATUS_UNSUPPORTED,
     "\"Precompiled\""},
    {{.normalizer = "{}"}, STATUS_BAD_FILE, "without a type"},
    {{.normalizer = "[1]"}, STATUS_BAD_FILE, "not an object"},
    {{.pre_tokenizer = "{\"type\":\"BertPreTokenizer\"}"},
     STATUS_UNSUPPORTED,
     "\"BertPreTokenizer\""},
    {{.pre_tokenizer =
          "{\"type\":\"Sequence\",\"pretokenizers\":[" PRE_BYTES ",{\"type\":\"Digits\"}]}"},
     STATUS_UNSUPPORTED,
     "after ByteLevel"},
    {{.pre_tokenizer = SEQUENCE(SPLIT("\"Regex\":\"(\"", "Isolated", "false"))},
     STATUS_UNSUPPORTED,
     "expression \"(\""},
    {{.pre_tokenizer = SEQUENCE(SPLIT("\"Regex\":\"[[a]b]\"", "Isolated", "false"))},
     STATUS_UNSUPPORTED,
     "[[a]b]"},
    {{.pre_tokenizer = SEQUENCE(SPLIT("\"Regex\":\"a\"", "Sideways", "false"))},
     STATUS_UNSUPPORTED,
     "behavior"},
    {{.decoder = "{\"type\":\"WordPiece\"}"}, STATUS_UNSUPPORTED, "\"WordPiece\""},
    {{.model = "{\"type\":\"WordPiece\",\"vocab\":{\"a\":0}}"},
     STATUS_UNSUPPORTED,
     "\"WordPiece\""},
    {{.model = "{\"type\":\"BPE\",\"vocab\":[],\"merges\":[]}"},
     STATUS_BAD_FILE,
     "model.vocab is missing"},
    {{.model = "{\"type\":\"BPE\",\"vocab\":{},\"merges\":[]}"}, STATUS_BAD_FILE, "no tokens"},
    {{.model = "{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[],"
               "\"end_of_word_suffix\":\"</w>\"}"},
     STATUS_UNSUPPORTED,
     "end_of_word_suffix"},
    {{.model = "{\"vocab\":{\"a\":0,\"b\":0},\"merges\":[]}"}, STATUS_BAD_FILE, "two texts"},
    {{.model = "{\"vocab\":{\"a\":4194304},\"merges\":[]}"}, STATUS_BAD_FILE, "4194304"},
    {{.model = "{\"vocab\":{\"a\":1.5},\"merges\":[]}"}, STATUS_BAD_FILE, "not an integer"},
    {{.model = "{\"unk_token\":\"a\",\"vocab\":{\"a\":0},\"merges\":[[\"a\"]]}"},
     STATUS_BAD_FILE,
     "merge 0"},
    {{.model = "{\"vocab\":{\"a\":0},\"merges\":[]}"}, STATUS_BAD_FILE, "has no token"},
    {{.model = "{\"type\":\"Unigram\",\"vocab\":[[\"a\"]]}"}, STATUS_BAD_FILE, "score"},
    {{.model = "[{\"vocab\":{\"a\":0},\"merges\":[]}]"}, STATUS_BAD_FILE, "model.vocab is missing"},
    {{.model = "{\"type\":1,\"vocab\":{\"a\":0},\"merges\":[]}"}, STATUS_UNSUPPORTED, "model"},
    {{.model = "{\"vocab\":{\"a\":0},\"merges\":[],\"dropout\":\"x\"}"},
     STATUS_UNSUPPORTED,
     "dropout"},
    {{.model = "{\"vocab\":{\"a\":0},\"merges\":[],\"byte_fallback\":1}"},
     STATUS_BAD_FILE,
     "byte_fallback"},
    {{.model = "{\"unk_token\":\"a\",\"vocab\":{\"a\":0},\"merges\":[[\"a\",\"a\",\"a\"]]}"},
     STATUS_BAD_FILE,
     "merge 0"},
    {{.added = "{\"id\":300,\"content\":\"<s>\",\"special\":\"true\"}"},
     STATUS_BAD_FILE,
     "special must be true or false"},
    {{.normalizer = "{\"type\":\"Strip\",\"strip_left\":0}"}, STATUS_BAD_FILE, "strip_left"},
    {{.decoder = "{\"type\":\"Strip\",\"content\":\" \",\"start\":2,\"stop\":0}"},
     STATUS_UNSUPPORTED,
     "a Strip"},
    {{.post_processor = "{\"type\":\"BertProcessing\"}"}, STATUS_UNSUPPORTED, "\"BertProcessing\""},
    {{.post_processor = "{\"type\":\"TemplateProcessing\",\"single\":{}}"},
     STATUS_BAD_FILE,
     "no first element"},
    {{.added = "{\"id\":1,\"content\":\"<s>\"}"}, STATUS_BAD_FILE, "two texts"},
    {{.added = "{\"content\":\"<s>\"}"}, STATUS_BAD_FILE, "has no id"},
    {{.added = "{\"id\":-1,\"content\":\"<s>\"}"}, STATUS_BAD_FILE, "-1"},
    {{.added = "1,,2"}, STATUS_BAD_FILE, "at byte"},
    {{.config = "{\"bos_token\":"}, STATUS_BAD_FILE, "tokenizer_config.json"},
};

static void unsupported_parts_are_refused_by_name(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct json_fixture fixture = refused[i].fixture;
        struct error err = {0};
        if (!fixture.pre_tokenizer && !fixture.model) fixture.pre_tokenizer = PRE_BYTES;
        const enum status status = json_fixture_open(&fixture, &err);
        if (status != refused[i].status || !strstr(err.text, refused[i].names))
            fail_msg("case %zu: status %d, \"%s\" lacks \"%s\"", i, (int)status, err.text,
                     refused[i].names);
        assert_null(fixture.tokenizer);
        json_fixture_deinit(&fixture);
    }
}

static void a_tokenizer_opens_by_folder_or_file_name(void **state) {
    (void)state;
    char folder[] = "/tmp/quire-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    struct json_fixture fixture = {.pre_tokenizer = PRE_BYTES};
    struct tokenizer *tokenizer = NULL;
    struct error err = {0};
    assert_int_equal(tokenizer_open_folder(folder, &tokenizer, &err), STATUS_NOT_FOUND);
    assert_non_null(strstr(err.text, folder));
    open_or_fail(&fixture);
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(fixture.text.bytes, 1, fixture.text.length, file), fixture.text.length);
    fclose(file);
    const char *const names[] = {folder, path};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(tokenizer_open_folder(names[i], &tokenizer, &err), STATUS_OK);
        assert_int_equal(tokenizer_vocabulary(tokenizer), 264);
        tokenizer_close(tokenizer);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    json_fixture_deinit(&fixture);
}

static void expect_bad_file(const char *folder, const char *word) {
    struct tokenizer *tokenizer = NULL;
    struct error err = {0};
    assert_int_equal(tokenizer_open_folder(folder, &tokenizer, &err), STATUS_BAD_FILE);
    if (!strstr(err.text, word) || !strstr(err.text, "tokenizer.json"))
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

// A pipe would be waited for; the reason stays where the path is long.
static void pipes_folders_and_oversized_files_are_refused(void **state) {
    (void)state;
    char folder[600] = "/tmp/quire-test-XXXXXX", path[640];
    assert_non_null(mkdtemp(folder));
    const size_t length = strlen(folder);
    for (size_t i = 0; i < 2; i++) {
        const size_t at = strlen(folder);
        memset(folder + at, 'f', 250);
        folder[at] = '/';
        folder[at + 250] = '\0';
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_bad_file(folder, "found a pipe");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    expect_bad_file(folder, "found a folder");
    assert_int_equal(rmdir(path), 0);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)TOKENIZER_JSON_MAX_BYTES + 1), 0);
    fclose(file);
    expect_bad_file(folder, "larger than 512 MiB");
    assert_int_equal(unlink(path), 0);
    for (; strlen(folder) >= length; *strrchr(folder, '/') = '\0')
        assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(byte_level_merges_stay_within_words),
        cmocka_unit_test(split_behaviors_match_their_names),
        cmocka_unit_test(normalizers_transform_the_text),
        cmocka_unit_test(added_tokens_follow_their_options),
        cmocka_unit_test(characters_fall_back_to_bytes),
        cmocka_unit_test(metaspace_marks_the_start_of_words),
        cmocka_unit_test(the_end_of_an_answer_comes_from_one_config_file),
        cmocka_unit_test(token_roles_come_from_the_neighbouring_config_files),
        cmocka_unit_test(unsupported_parts_are_refused_by_name),
        cmocka_unit_test(a_tokenizer_opens_by_folder_or_file_name),
        cmocka_unit_test(pipes_folders_and_oversized_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
