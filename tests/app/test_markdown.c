#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/printable.h"
#include "app/screen/markdown.h"
#include "app/screen/terminal.h"
#include "tests/app/screen.h"
#include "tests/check.h"

enum { RANDOM_TEXTS = CHECK_ROUNDS(400, 40), RANDOM_BYTES = 3000 };

static const unsigned SEED = 20261122;

// In pieces of 1 to `most` characters; 0: at once.
static void render(const char *text, size_t length, int width, size_t most, struct text *out) {
    struct markdown markdown = {.wrap = {.width = width}};
    for (size_t at = 0; at < length;) {
        size_t end = most ? at : length;
        for (size_t n = most ? 1 + (size_t)rand() % most : 0, used; n > 0 && end < length; n--) {
            utf8_decode(text + end, length - end, &used);
            end += used;
        }
        assert_int_equal(markdown_append(&markdown, text + at, end - at, out), STATUS_OK);
        at = end;
    }
    assert_int_equal(markdown_end(&markdown, out), STATUS_OK);
    markdown_deinit(&markdown);
}

// "\033[0;1m" as "<1>", "\033[0m" as "<>".
static void show_styles(const struct text *out, struct text *shown) {
    for (size_t i = 0; i < out->length; i++) {
        if (strncmp(out->bytes + i, "\033[0", 3) != 0) {
            assert_int_equal(text_append(shown, out->bytes + i, 1), STATUS_OK);
            continue;
        }
        const size_t end = strcspn(out->bytes + i, "m");
        const size_t begin = out->bytes[i + 3] == ';' ? 4 : 3;
        assert_int_equal(text_format(shown, "<%.*s>", (int)(end - begin), out->bytes + i + begin),
                         STATUS_OK);
        i += end;
    }
}

static void becomes(const char *text, const char *expected) {
    for (size_t most = 0; most < 4; most++) {
        struct text out = {0}, shown = {0};
        render(text, strlen(text), 80, most, &out);
        show_styles(&out, &shown);
        assert_string_equal(text_string(&shown), expected);
        text_deinit(&out);
        text_deinit(&shown);
    }
}

static void emphasis_is_shown_without_its_marks(void **state) {
    (void)state;
    becomes("a **bold** and *slanted* _word_.", "a <1>bold<> and <3>slanted<> <3>word<>.");
    becomes("***both***, **with *one* inside**, **and `code *x*` too**",
            "<1;3>both<>, <1>with <1;3>one<1> inside<>, <1>and <1;36>`code *x*`<1> too<>");
    becomes("**bold *and all***", "<1>bold <1;3>and all<>");
    becomes("\xe8\xbf\x99**\xe9\x87\x8d\xe7\x82\xb9**\xe3\x80\x82", "这<1>重点<>。");
    becomes("API**\xe9\x87\x8d**", "API<1>重<>");
}

static void asterisks_that_are_no_emphasis_are_kept(void **state) {
    (void)state;
    static const char *const texts[] = {
        "2**3 and 2*3*4",
        "*.c and *.h, **/*.c",
        "snake_case_name, __init__.py",
        "f(*args, **kwargs)",
        "** not bold **",
        "**never closed",
        "a * b * c",
        "*p and *q",
        "a ****",
        "x_{i}*y_{i}",
        "https://x.org/a_b_c/_d_/*e*",
        "a ******** b",
        "[1], [x] and a[i](j",
        "[text]",
        "[text][reference]",
        "!important",
        "https",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        becomes(texts[i], texts[i]);
    becomes("x *******************no** y", "x *******************no** y");
    becomes("\\*not slanted\\*, \\_nor\\_, C:\\dir \\( x \\)",
            "*not slanted*, _nor_, C:\\dir \\( x \\)");
    becomes("\\$5, C\\#, \\~3 \\<b\\>; \\[ a\\, \\{b\\} \\] C:\\.git `\\$x`",
            "$5, C#, ~3 <b>; \\[ a\\, \\{b\\} \\] C:\\.git <36>`\\$x`<>");
}

static void an_unclosed_mark_is_held_back_up_to_a_limit(void **state) {
    (void)state;
    struct markdown markdown = {.wrap = {.width = 80}};
    struct text out = {0};
    assert_int_equal(markdown_append(&markdown, "**", 2, &out), STATUS_OK);
    for (int i = 0; i < SPANS_HELD_BYTES + 2; i++)
        assert_int_equal(markdown_append(&markdown, "a", 1, &out), STATUS_OK);
    assert_true(out.length >= SPANS_HELD_BYTES);
    assert_memory_equal(out.bytes, "**aaaa", 6);
    markdown_deinit(&markdown);
    text_deinit(&out);
}

static void plain_words_are_shown_at_once(void **state) {
    (void)state;
    struct markdown markdown = {.wrap = {.width = 80}};
    struct text out = {0};
    assert_int_equal(markdown_append(&markdown, "Hel", 3, &out), STATUS_OK);
    assert_string_equal(text_string(&out), "Hel");
    assert_int_equal(markdown_append(&markdown, "lo, `co", 7, &out), STATUS_OK);
    assert_string_equal(text_string(&out), "Hello, \033[0;36m`co");
    markdown_deinit(&markdown);
    text_deinit(&out);
}

static void links_show_their_address(void **state) {
    (void)state;
    becomes("see [the **docs**](https://x.org/a_(b)_c \"title\").",
            "see <4>the <1;4>docs<> <2>(https://x.org/a_(b)_c)<>.");
    becomes("[https://x.org](https://x.org) ![a cat](cat.png)",
            "<4>https://x.org<> <4>a cat<> <2>(cat.png)<>");
    becomes("a [link]() and [one](http://x", "a [link]() and [one](http://x");
}

static void headings_lists_and_quotes_are_rendered(void **state) {
    (void)state;
    becomes("# One *two*\n## Two\n### Three\n#hash\n####### seven\n",
            "<1;4>One <1;3;4>two<>\n<1>Two<>\n<1;3>Three<>\n#hash\n####### seven\n");
    becomes("- a\n* b\n  + c\n10. d\n3) e\n-f\n1.5 g\n",
            "• a\n• b\n  • c\n10. d\n3) e\n-f\n1.5 g\n");
    becomes("> a **b**\n> > c\nd\n", "<2>│ <>a <1>b<>\n<2>│ │ <>c\nd\n");
    becomes("> - a\n", "<2>│ <>• a\n");
    becomes("a\n---\nb\n* * *\n", "a\n<2>────────────────────────────────────────<>\nb\n"
                                  "<2>────────────────────────────────────────<>\n");
    becomes("- [ ] to *do*\n", "• [ ] to <3>do<>\n");
}

static void code_blocks_are_verbatim_under_their_language(void **state) {
    (void)state;
    becomes("```text\ndef f(*a, **k):\n    return [x](y)\n\n# no heading\n```\nafter *it*\n",
            "<2>─── text<>\ndef f(*a, **k):\n    return [x](y)\n\n# no heading\n<2>───<>\n"
            "after <3>it<>\n");
    becomes("~~~\n```\n~~~~\n", "<2>───<>\n```\n<2>───<>\n");
    becomes("````\n```\n````\n", "<2>───<>\n```\n<2>───<>\n");
    becomes("1. x\n   ```c\n   int a;\n     b;\n   ```\n",
            "1. x\n<2>─── c<>\n<35>int<> a;\n  b;\n<2>───<>\n");
    becomes("> ```\n> x\n> ```\n", "<2>│ ───<>\nx\n<2>───<>\n");
    becomes("> ```\n> x\nout\n", "<2>│ ───<>\nx\n<2>───<>\nout\n");
    becomes("```\nnever closed", "<2>───<>\nnever closed\n<2>───<>");
    becomes("```one line``` of code\n", "<36>```one line```<> of code\n");
}

static void code_is_coloured_by_its_language(void **state) {
    (void)state;
    becomes("```python\ndef f(x):  # it's \"x\"\n    return f\"{x}\" + 'a\\'b', 0x2A\n```\n",
            "<2>─── python<>\n<35>def<> f(x):  <2># it's \"x\"<>\n"
            "    <35>return<> f<32>\"{x}\"<> + <32>'a\\'b'<>, <33>0x2A<>\n<2>───<>\n");
    becomes("```py\n\"\"\"One\n'two' # 3\"\"\" + x1\n```\n",
            "<2>─── py<>\n<32>\"\"\"One<>\n<32>'two' # 3\"\"\"<> + x1\n<2>───<>\n");
    becomes("```c\n#include <a.h>\nint x; /* one\nint // */ if (a / b) // \"\n\"open\nint\n```\n",
            "<2>─── c<>\n<35>#include<> <a.h>\n<35>int<> x; <2>/* one<>\n<2>int // */<> <35>if<> "
            "(a / b) <2>// \"<>\n<32>\"open<>\n<35>int<>\n<2>───<>\n");
    becomes("```sh\necho $# \"a # b\" # no\n```\n",
            "<2>─── sh<>\n<35>echo<> $# <32>\"a # b\"<> <2># no<>\n<2>───<>\n");
    becomes("```SQL\nselect 'it\\' FROM t -- all\n```\n",
            "<2>─── SQL<>\n<35>select<> <32>'it\\'<> <35>FROM<> t <2>-- all<>\n<2>───<>\n");
    becomes("```html\n<a b=\"c\"> <!-- d\ne --> 'f\n```\n",
            "<2>─── html<>\n<a b=<32>\"c\"<>> <2><!-- d<>\n<2>e --><> 'f\n<2>───<>\n");
    becomes("```rust\nfn f<'a>(x: &'a str) {}\n",
            "<2>─── rust<>\n<35>fn<> f<'a>(x: &'a <35>str<>) {}\n<2>───<>");
    becomes("```c\nreturning return_ xreturn\n```\nreturn\n",
            "<2>─── c<>\nreturning return_ xreturn\n<2>───<>\nreturn\n");
}

// Rows of a screen of this width; NULL ends them.
static void lies(const char *text, int width, const char *const *rows) {
    static struct screen screen;
    char row[SCREEN_COLUMNS * 8];
    for (size_t most = 0; most < 4; most++) {
        struct text out = {0};
        render(text, strlen(text), width, most, &out);
        screen_clear(&screen, width, false);
        screen_write(&screen, out.bytes, out.length);
        int i = 0;
        for (; rows[i]; i++)
            assert_string_equal(screen_row(&screen, i, row), rows[i]);
        assert_int_equal(screen.row, i);
        assert_false(screen.broke_itself);
        text_deinit(&out);
    }
}

static const char RIVERS[] =
    "| River | Length | Ends in |\n|:--|--:|:-:|\n| **Nile** | 6,650 km | a sea |\n"
    "| 長江 | 6,300 km | another \\| sea |\n| `a` |\n";

static void tables_are_drawn_to_fit_the_width(void **state) {
    (void)state;
    lies(RIVERS, 80,
         (const char *[]){"River │   Length │    Ends in", "──────┼──────────┼──────────────",
                          "Nile  │ 6,650 km │     a sea", "長江  │ 6,300 km │ another | sea",
                          "`a`   │          │", NULL});
    lies(RIVERS, 28,
         (const char *[]){"River │   Length │  Ends in", "──────┼──────────┼──────────",
                          "Nile  │ 6,650 km │   a sea", "──────┼──────────┼──────────",
                          "長江  │ 6,300 km │ another |", "      │          │    sea",
                          "──────┼──────────┼──────────", "`a`   │          │", NULL});
    lies(RIVERS, 20,
         (const char *[]){"River: Nile", "Length: 6,650 km", "Ends in: a sea", "───", "River: 長江",
                          "Length: 6,300 km", "Ends in: another |", "  sea", "───", "River: `a`",
                          "Length:", "Ends in:", NULL});
}

static void wrapped_table_cells_keep_their_styles(void **state) {
    (void)state;
    struct text out = {0}, shown = {0};
    const char text[] = "|a|b|\n|-|-|\n|**one two three four**|`x`|\n";
    render(text, strlen(text), 17, 0, &out);
    show_styles(&out, &shown);
    const char *first = strstr(text_string(&shown), "<1>one two");
    assert_non_null(first);
    assert_non_null(strstr(first, "<1>three four"));
    assert_non_null(strstr(first, "<36>`x`<>"));
    text_deinit(&out);
    text_deinit(&shown);
}

static void text_that_is_no_table_is_left_unchanged(void **state) {
    (void)state;
    static const char *const texts[] = {
        "| a | b |\n",
        "| a | b |\nand more\n",
        "| a | b |\n| c | d |\n",
        "| a | b |\n|---|\n",
        "||\n||\n",
        "|\n|\n",
        "| a |\n\n|---|\n",
        "|a\n|:\n|-:-\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        becomes(texts[i], texts[i]);
    becomes("> | a |\n> |---|\n", "<2>│ <>| a |\n<2>│ <>|---|\n");
}

static void a_growing_table_shows_its_row_count(void **state) {
    (void)state;
    struct markdown markdown = {.wrap = {.width = 80}};
    struct text out = {0};
    const char text[] = "|a|\n|-|\n|b|\n|c|\n|d";
    assert_int_equal(markdown_append(&markdown, text, strlen(text), &out), STATUS_OK);
    const char *last = strrchr(out.bytes, '\r');
    assert_string_equal(last, "\r\033[K\033[0;2mtable… 2 rows\033[0m");
    assert_int_equal(markdown_end(&markdown, &out), STATUS_OK);
    assert_non_null(strstr(out.bytes, "\033[0m\r\033[K\033[0;1ma"));
    markdown_deinit(&markdown);
    text_deinit(&out);
}

// A line that is too long for the test to say as a string.
static void code_lines_are_not_wrapped(void **state) {
    (void)state;
    char text[600] = "```\n";
    struct text out = {0};
    for (int i = 0; i < 60; i++)
        strcat(text, "word w ");
    strcat(text, "\n```\n");
    render(text, strlen(text), 40, 3, &out);
    char *const line = strchr(out.bytes, 'w');
    assert_int_equal(strcspn(line, "\n\033"), 7 * 60);
    text_deinit(&out);
}

static void wrapped_lines_are_indented_under_their_text(void **state) {
    (void)state;
    static struct screen screen;
    char row[SCREEN_COLUMNS * 8];
    const char *text = "- one two three four five six\n> seven eight nine ten eleven\n"
                       "   12. a b c d e f g h i j k l m\n";
    struct text out = {0};
    render(text, strlen(text), 20, 2, &out);
    screen_clear(&screen, 20, false);
    screen_write(&screen, out.bytes, out.length);
    static const char *const rows[] = {"• one two three four", "  five six",
                                       "│ seven eight nine",   "│ ten eleven",
                                       "   12. a b c d e f g", "       h i j k l m"};
    for (int i = 0; i < 6; i++)
        assert_string_equal(screen_row(&screen, i, row), rows[i]);
    assert_false(screen.broke_itself);
    text_deinit(&out);
}

// ---- at random

static const char *const PARTS[] = {
    "*",
    "**",

    "_",
    "`",
    "``",
    "```",
    "~~~",
    "[",
    "](",
    ")",
    "!",
    "#",
    "## ",
    "> ",
    "- ",
    "1. ",
    "| ",
    "| a | **b** |\n",
    "\n|---|---:|\n",
    "|\n",
    "```c\n",
    "```python\n",
    "/*",
    "*/",
    "//",
    "\"",
    "\"\"\"",
    "'",
    "int",
    "42",
    "---",
    "\n",
    "\n\n",
    " ",
    "  ",
    "\t",
    "\\",
    "http://",
    "https://x.org/",
    "word",
    "longerword",
    "a",
    "\xe6\xbc\xa2",
    "\xe5\xad\x97",
    "\xf0\x9f\x98\x80",
    "\xe2\x9d\xa4\xef\xb8\x8f",
    "e\xcc\x81",
    "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7",
    "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd",
    "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",
    "1\xef\xb8\x8f\xe2\x83\xa3",
    "\xe2\x80\x8d",
    "\xef\xb8\x8f",
    "\xf0\x9f\xab\xa8",
    "x\n```\n",
    ".",
    ",",
    "(",
};
enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

static size_t random_markdown(char *text) {
    size_t length = 0;
    const size_t most = 1 + (size_t)rand() % (RANDOM_BYTES - 64);
    // Few kinds at a time, so that long runs of one kind come too.
    const int kinds = 1 + rand() % PART_COUNT, first = rand() % PART_COUNT;
    while (length < most) {
        const char *part = PARTS[(first + rand() % kinds) % PART_COUNT];
        memcpy(text + length, part, strlen(part));
        length += strlen(part);
    }
    return length;
}

static void rendering_does_not_depend_on_how_text_arrives(void **state) {
    (void)state;
    static char text[RANDOM_BYTES];
    srand(SEED);
    print_message("seed %u\n", SEED);
    for (int n = 0; n < RANDOM_TEXTS; n++) {
        const size_t length = random_markdown(text);
        const int width = rand() % 4 ? 1 + rand() % 120 : 0;
        struct text at_once = {0}, in_pieces = {0};
        render(text, length, width, 0, &at_once);
        render(text, length, width, 1 + (size_t)rand() % 5, &in_pieces);
        if (strcmp(text_string(&at_once), text_string(&in_pieces)) != 0)
            print_error("text %d: %.*s\n", n, (int)length, text);
        assert_string_equal(text_string(&at_once), text_string(&in_pieces));
        text_deinit(&at_once);
        text_deinit(&in_pieces);
    }
}

// All characters that are seen, in their order.
static void gather_text(const struct screen *screen, struct text *all) {
    for (int row = 0; row <= screen->row; row++)
        for (int column = 0; column < screen->width; column++) {
            const char *cell = screen->cells[row][column].bytes;
            if (cell[0] > ' ' || cell[0] < 0)
                assert_int_equal(text_append_string(all, cell), STATUS_OK);
        }
}

// Words and pictures, on which terminals disagree: each has all of it, and where it was not one
// word that fills a row, no row goes on by itself.
static void emoji_stay_whole_and_inside_any_terminal(void **state) {
    (void)state;
    static const char *const parts[] = {
        "\xe2\x9d\xa4\xef\xb8\x8f",
        "\xf0\x9f\x98\x80",
        "1\xef\xb8\x8f\xe2\x83\xa3",
        "word",
        "e\xcc\x81t",
        "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",
        "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd",
        "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7",
        "a"};
    static struct screen screen;
    srand(SEED + 1);
    for (int n = 0; n < RANDOM_TEXTS; n++) {
        const int width = 24 + rand() % 100, kinds = n % 2 ? 6 : 9;
        struct text source = {0}, plain = {0}, out = {0};
        for (int word = 0; word < 60; word++) {
            for (int i = 1 + rand() % 3; i > 0; i--) {
                const char *part = rand() % 3 ? parts[3 + rand() % 2] : parts[rand() % kinds];
                assert_int_equal(text_append_string(&source, part), STATUS_OK);
                assert_int_equal(text_append_string(&plain, part), STATUS_OK);
            }
            assert_int_equal(text_append_string(&source, rand() % 9 ? " " : "\n- "), STATUS_OK);
            if (source.bytes[source.length - 2] == '-')
                assert_int_equal(text_append_string(&plain, "\xe2\x80\xa2"), STATUS_OK);
        }
        render(source.bytes, source.length, width, 3, &out);
        for (int pictures = 0; pictures < 2; pictures++) {
            struct text seen = {0};
            screen_clear(&screen, width, pictures);
            screen_write(&screen, out.bytes, out.length);
            gather_text(&screen, &seen);
            assert_string_equal(text_string(&seen), plain.bytes);
            if (kinds == 6 || pictures) assert_false(screen.broke_itself);
            text_deinit(&seen);
        }
        text_deinit(&source);
        text_deinit(&plain);
        text_deinit(&out);
    }
}

// Prose of words, some of them in a style: its look is known without a renderer.
struct prose {
    struct text source;
    char words[512][64]; // as they are seen
    unsigned styles[512];
    int count;
    bool newline[512]; // after it
};

static void make_prose(struct prose *prose, int width) {
    static const char *const letters[] = {"a", "b", "\xc3\xa9", "e\xcc\x81", "x", "y"};
    static const struct {
        const char *open, *close;
        unsigned style;
    } marks[] = {{"", "", 0}, {"", "", 0}, {"**", "**", 2}, {"*", "*", 8}, {"***", "***", 10}};
    memset(prose, 0, sizeof *prose);
    while (prose->count < 200) {
        char *word = prose->words[prose->count];
        const int most = width - 2 < 14 ? width - 2 : 14;
        const size_t mark = (size_t)rand() % 5;
        for (int i = 1 + rand() % most; i > 0; i--)
            strcat(word, letters[rand() % 6]);
        prose->styles[prose->count] = marks[mark].style;
        prose->newline[prose->count] = rand() % 12 == 0;
        assert_int_equal(text_format(&prose->source, "%s%s%s%s", marks[mark].open, word,
                                     marks[mark].close, prose->newline[prose->count] ? "\n" : " "),
                         STATUS_OK);
        prose->count++;
    }
}

static int columns_of(const char *word) {
    int columns = 0;
    for (; *word; word++)
        columns += (*word & 0xC0) != 0x80 && (unsigned char)*word != 0xCC;
    return columns;
}

static void assert_word(const struct screen *screen, int row, int column, const char *word,
                        unsigned styles) {
    char found[64] = "";
    for (int i = 0; i < columns_of(word); i++) {
        strcat(found, screen->cells[row][column + i].bytes);
        assert_int_equal(screen->cells[row][column + i].styles, styles);
    }
    assert_string_equal(found, word);
}

static void styled_words_agree_with_a_naive_layout(void **state) {
    (void)state;
    static struct prose prose;
    static struct screen screen;
    srand(SEED + 2);
    for (int n = 0; n < 200; n++) {
        const int width = 6 + rand() % 100;
        struct text out = {0};
        make_prose(&prose, width);
        render(prose.source.bytes, prose.source.length, width, 6, &out);
        screen_clear(&screen, width, rand() % 2);
        screen_write(&screen, out.bytes, out.length);
        int row = 0, column = 0;
        for (int i = 0; i < prose.count; i++) {
            const int columns = columns_of(prose.words[i]);
            if (column + columns > width) {
                row++;
                column = 0;
            }
            assert_word(&screen, row, column, prose.words[i], prose.styles[i]);
            column += columns + (column + columns < width);
            if (!prose.newline[i]) continue;
            row++;
            column = 0;
        }
        assert_false(screen.broke_itself);
        text_deinit(&prose.source);
        text_deinit(&out);
    }
}

// Bytes of any kind, made harmless as the stream does it: the screen knows no escape but ours.
static void random_bytes_produce_no_foreign_escape(void **state) {
    (void)state;
    static struct screen screen;
    srand(SEED + 3);
    for (int n = 0; n < RANDOM_TEXTS; n++) {
        static const char odd[] = "\033[]*`_>#-\n m;1\a\b\r\177\302\233";
        char bytes[600];
        struct text harmless = {0}, out = {0};
        const size_t length = (size_t)rand() % sizeof bytes;
        for (size_t i = 0; i < length; i++) {
            bytes[i] = (char)(rand() % 256);
            if (rand() % 3) bytes[i] = odd[(size_t)rand() % (sizeof odd - 1)];
        }
        assert_int_equal(printable_text(bytes, length, &harmless), STATUS_OK);
        render(text_string(&harmless), harmless.length, 40, 3, &out);
        screen_clear(&screen, 40, rand() % 2);
        screen_write(&screen, text_string(&out), out.length);
        text_deinit(&harmless);
        text_deinit(&out);
    }
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emphasis_is_shown_without_its_marks),
        cmocka_unit_test(asterisks_that_are_no_emphasis_are_kept),
        cmocka_unit_test(an_unclosed_mark_is_held_back_up_to_a_limit),
        cmocka_unit_test(plain_words_are_shown_at_once),
        cmocka_unit_test(links_show_their_address),
        cmocka_unit_test(headings_lists_and_quotes_are_rendered),
        cmocka_unit_test(code_blocks_are_verbatim_under_their_language),
        cmocka_unit_test(code_is_coloured_by_its_language),
        cmocka_unit_test(tables_are_drawn_to_fit_the_width),
        cmocka_unit_test(wrapped_table_cells_keep_their_styles),
        cmocka_unit_test(text_that_is_no_table_is_left_unchanged),
        cmocka_unit_test(a_growing_table_shows_its_row_count),
        cmocka_unit_test(code_lines_are_not_wrapped),
        cmocka_unit_test(wrapped_lines_are_indented_under_their_text),
        cmocka_unit_test(rendering_does_not_depend_on_how_text_arrives),
        cmocka_unit_test(emoji_stay_whole_and_inside_any_terminal),
        cmocka_unit_test(styled_words_agree_with_a_naive_layout),
        cmocka_unit_test(random_bytes_produce_no_foreign_escape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
