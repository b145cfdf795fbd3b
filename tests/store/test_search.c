// tests/store/test_search.c — searching in scripts that write no blanks between words, against
// strstr(), and how many rows a search reads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "kernels/base/text.h"
#include "store/preview.h"
#include "tests/check.h"
#include "tests/store/store_fixture.h"

enum { CONVERSATIONS = 10000, SCRIPTS = 5, CHARACTERS = 60, TEXT = 4 * CHARACTERS + 1 };

static size_t rows_read;
int __real_sqlite3_step(sqlite3_stmt *statement);
int __wrap_sqlite3_step(sqlite3_stmt *statement);
int __wrap_sqlite3_step(sqlite3_stmt *statement) {
    const int code = __real_sqlite3_step(statement);
    rows_read += code == SQLITE_ROW;
    return code;
}

// Characters of a script, some often and most seldom, as in texts.
static const struct script {
    uint32_t first, count;
} LETTERS[SCRIPTS] = {
    {0x4E00, 3000}, // Chinese
    {0x3041, 86},   // Hiragana
    {0x0E01, 58},   // Thai, with its vowel signs
    {0x1780, 82},   // Khmer
    {0xAC00, 2000}, // Korean
};

static struct store_fixture fixture;
static char (*texts)[TEXT];
static uint32_t seed = 7;

static uint32_t draw_below(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static void write_text(const struct script *script, char text[TEXT]) {
    size_t length = 0;
    const uint32_t count = 5 + draw_below(CHARACTERS - 5);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rare = draw_below(script->count);
        length += utf8_encode(script->first + (draw_below(4) ? rare % 24 : rare), text + length);
    }
    text[length] = '\0';
}

static int make_conversations(void **state) {
    (void)state;
    texts = calloc(CONVERSATIONS, sizeof *texts);
    assert_non_null(texts);
    store_fixture_init(&fixture, true);
    must(db_begin(fixture.db, &fixture.err), &fixture.err);
    for (int i = 0; i < CONVERSATIONS; i++) {
        const char *text = texts[i];
        write_text(&LETTERS[i % SCRIPTS], texts[i]);
        store_fixture_talk(&fixture, "", 1, &text, NULL);
    }
    must(db_commit(fixture.db, &fixture.err), &fixture.err);
    return 0;
}

static int remove_conversations(void **state) {
    (void)state;
    store_fixture_deinit(&fixture);
    free(texts);
    return 0;
}

// A piece of a text, of so many characters.
static void draw_words(int characters, char words[TEXT]) {
    const char *text = texts[draw_below(CONVERSATIONS)];
    size_t used, begin = 0, end;
    for (uint32_t skip = draw_below(4); skip > 0; skip--) {
        utf8_decode(text + begin, strlen(text + begin), &used);
        begin += used;
    }
    end = begin;
    for (int i = 0; i < characters && text[end]; i++) {
        utf8_decode(text + end, strlen(text + end), &used);
        end += used;
    }
    memcpy(words, text + begin, end - begin);
    words[end - begin] = '\0';
}

static struct conversation_row *search(const char *words, size_t *count) {
    struct conversation_row *rows;
    const struct conversation_query query = {.words = words, .limit = SIZE_MAX};
    must(conversation_list(fixture.db, &query, &rows, count, &fixture.err), &fixture.err);
    return rows;
}

// A few rows for each that is found, none for any other.
static void substrings_of_any_length_are_found_without_a_full_scan(void **state) {
    (void)state;
    enum { QUERIES = CHECK_ROUNDS(60, 10), ROWS_EACH = 6, ROWS_BEYOND = 8 };
    for (int i = 0; i < QUERIES; i++) {
        char words[TEXT];
        size_t count, expected = 0;
        draw_words(1 + i % 4, words);
        for (int k = 0; k < CONVERSATIONS; k++)
            expected += strstr(texts[k], words) != NULL;
        rows_read = 0;
        struct conversation_row *rows = search(words, &count);
        if (count != expected || rows_read > ROWS_EACH * count + ROWS_BEYOND)
            fail_msg("“%s”: %zu conversations, expected %zu; %zu rows", words, count, expected,
                     rows_read);
        for (size_t k = 0; k < count; k++)
            if (!strstr(rows[k].found, words)) // as it was written
                fail_msg("“%s” is not shown in “%s”", words, rows[k].found);
        free(rows);
    }
}

static void words_in_several_scripts_are_found(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
        size_t found;
    } ROWS[] = {
        {"\u65E5\u672C\u8A9E\u306E\u72D0\u306B\u3064\u3044\u3066", "\u72D0 \u65E5\u672C", 1},
        {"\u65E5\u672C\u8A9E\u306E\u72D0", "\u72D0\u3000\u65E5\u672C", 1}, // a wide blank
        {"\u72D0\u3001\u72FC", "\u72D0\u72FC", 1},                         // a comma is no token
        {"\u72D0\u306E\u72FC", "\u72D0\u72FC", 0},                         // but a character is
        {"iPhone\u624B\u673A\u4E0D\u9519", "phone", 0}, // a Latin word is found by its beginning
        {"iPhone\u624B\u673A\u4E0D\u9519", "iph", 1},
        {"iPhone\u624B\u673A\u4E0D\u9519", "IPHONE\u624B", 1},
        {"\uD55C\uAD6D\uC5B4\uB97C \uBC30\uC6CC\uC694", "\uAD6D\uC5B4", 1},
        {"\u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35\u0E0A\u0E32\u0E27\u0E42\u0E25\u0E01",
         "\u0E0A\u0E32\u0E27", 1},
        {"\u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35", "\u0E31", 1}, // a vowel sign
        {"\u0EAA\u0EB0\u0E9A\u0EB2\u0E8D\u0E94\u0EB5", "\u0E94\u0EB5", 1},
        {"\u179F\u17BD\u179F\u17D2\u178F\u17B8", "\u179F\u17D2\u178F", 1},
        {"\u1019\u1004\u103A\u1039\u1002\u101C\u102C\u1015\u102B", "\u101C\u102C", 1},
        {"\U0002000B\U0002A6D6", "\U0002A6D6", 1}, // beyond the first plane
        {"\uFF76\uFF9E\uFF9D", "\uFF9D", 1},       // half width
        {"caf\u00E9 au lait", "cafe", 1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct store_fixture own;
        struct conversation_row *rows;
        size_t count;
        store_fixture_init(&own, true);
        store_fixture_talk(&own, "", 1, &ROWS[i].text, NULL);
        const struct conversation_query query = {.words = ROWS[i].words, .limit = 9};
        must(conversation_list(own.db, &query, &rows, &count, &own.err), &own.err);
        if (count != ROWS[i].found) fail_msg("“%s” in “%s”", ROWS[i].words, ROWS[i].text);
        free(rows);
        store_fixture_deinit(&own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substrings_of_any_length_are_found_without_a_full_scan),
        cmocka_unit_test(words_in_several_scripts_are_found),
    };
    return cmocka_run_group_tests(tests, make_conversations, remove_conversations);
}
