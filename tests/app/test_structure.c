// tests/app/test_structure.c — a structure holds for the answer, not for the thoughts before it.
#include "app/chat/structure.h"
#include "tests/check.h"
#include "tests/engine/tokenizer/vocabulary_fixture.h"

#include <string.h>

static const char SCHEMA[] = "{\"enum\": [\"yes\", {\"no\": 1}]}";

struct row {
    const char *begun, *text;
    bool walks, whole; // can it go on, or end, like this? Does it fit as it is?
};

static void check_rows(struct vocabulary_fixture *fixture, enum structure_kind kind,
                       const char *source, const struct row *rows, size_t count) {
    struct structure structure = {.tokenizer = fixture->tokenizer};
    struct grammar *grammar;
    struct error err = {0};
    if (structure_read(&structure, kind, source, &grammar, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < count; i++) {
        struct token_ids ids = {0};
        struct grammar_walk walk = {.begun = rows[i].begun};
        const struct piece piece = {PIECE_CONTROL, rows[i].text, strlen(rows[i].text)};
        assert_int_equal(tokenizer_encode(fixture->tokenizer, &piece, 1, &ids), STATUS_OK);
        if (grammar_walk(grammar, &walk, ids.ids, (int32_t)ids.count) != rows[i].walks ||
            grammar_accepts(grammar, &walk) != rows[i].whole)
            fail_msg("\"%s\"", rows[i].text);
        token_ids_deinit(&ids);
    }
    grammar_release(grammar);
    structure_deinit(&structure);
}

static void thoughts_are_not_bound_by_the_schema(void **state) {
    static const struct row ROWS[] = {
        {NULL, "\"yes\"", true, true},
        {NULL, "{\"no\": 1}", true, true},
        {NULL, "{\"no\"", true, false},
        {NULL, "yes", false, false},
        {NULL, "<think>Hm, < </thin </</think <think>é", true, false},
        {NULL, "<think>Hm</think>\n\n\"yes\"", true, true},
        {NULL, "<think></think>\"yes\"", true, true},
        {NULL, "<think>a</think><think>b</think>\"yes\"", true, true},
        {NULL, "<think>Hm</think>Hm", false, false},
        {NULL, "\"yes\"<think>", false, false},
        {"<think>\n", "<</think>\"yes\"", true, true},
        {"<think>\n", "\"yes\"", true, false},
        {"Hello", "\"yes\"", false, false},
    };
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    (void)state;
    check_rows(fixture, STRUCTURE_SCHEMA, SCHEMA, ROWS, sizeof ROWS / sizeof ROWS[0]);
    vocabulary_fixture_destroy(fixture);
}

// The space that SentencePiece puts before a text is not the text's.
static void a_sentencepiece_prefix_space_is_not_text(void **state) {
    static const struct row ROWS[] = {
        {NULL, "yes", true, true},
        {NULL, " yes", false, false},
        {NULL, "no", false, false},
    };
    struct vocabulary_fixture *fixture = vocabulary_fixture_sentencepiece();
    (void)state;
    check_rows(fixture, STRUCTURE_GRAMMAR, "root ::= \"yes\" # no more", ROWS,
               sizeof ROWS / sizeof ROWS[0]);
    vocabulary_fixture_destroy(fixture);
}

static void an_invalid_structure_does_not_replace_a_valid_one(void **state) {
    struct vocabulary_fixture *fixture = vocabulary_fixture_byte_level();
    struct structure structure = {.tokenizer = fixture->tokenizer};
    struct error err = {0};
    (void)state;
    assert_int_equal(structure_set(&structure, STRUCTURE_SCHEMA, SCHEMA, &err), STATUS_OK);
    const struct grammar *grammar = structure.grammar;
    assert_int_equal(structure_set(&structure, STRUCTURE_GRAMMAR, "/none", &err), STATUS_NOT_FOUND);
    assert_int_equal(structure_set(&structure, STRUCTURE_SCHEMA, "{\"not\": {}}", &err),
                     STATUS_UNSUPPORTED);
    assert_ptr_equal(structure.grammar, grammar);
    assert_string_equal(text_string(&structure.source), SCHEMA);
    assert_int_equal(structure_set(&structure, STRUCTURE_NONE, "", &err), STATUS_OK);
    assert_null(structure.grammar);
    structure_deinit(&structure);
    vocabulary_fixture_destroy(fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thoughts_are_not_bound_by_the_schema),
        cmocka_unit_test(a_sentencepiece_prefix_space_is_not_text),
        cmocka_unit_test(an_invalid_structure_does_not_replace_a_valid_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
