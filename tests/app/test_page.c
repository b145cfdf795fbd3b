// tests/app/test_page.c — what a page of HTML may hold, whatever was written.
#include "app/chat/page.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ROUNDS = 300, PIECES = 40 };

static struct message message_of(int64_t id, int64_t parent, enum message_role role,
                                 const char *text) {
    return (struct message){.id = id,
                            .parent = parent,
                            .role = role,
                            .stop = role == MESSAGE_ASSISTANT ? STOP_END : STOP_NONE,
                            .text = (char *)(uintptr_t)text,
                            .length = strlen(text)};
}

static void show(const struct message *messages, size_t count, struct text *out) {
    const struct conversation talk = {
        .id = "3f2a91bc", .name = "a <b>\"talk\" & more", .tip = messages[count - 1].id};
    const struct page page = {&talk, messages, count};
    assert_int_equal(page_append(&page, out), STATUS_OK);
}

static bool is_word(const char *tag, size_t length, const char *words) {
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && strncmp(at, tag, length) == 0) return true;
    return false;
}

// One that does something, or reads a file.
static bool has_scheme(const char *link) {
    static const char *const schemes[] = {"javascript:", "vbscript:", "data:", "file:"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (strncasecmp(link, schemes[i], strlen(schemes[i])) == 0) return true;
    return false;
}

// Of the body: only tags that are harmless, no attributes but these, and no link that does
// something.
static void expect_harmless(const struct text *page) {
    static const char tags[] =
        "body html h1 h2 h3 h4 h5 h6 p div details summary pre code em strong del ul ol li hr br a "
        "table thead tbody tr th td blockquote";
    static const char attributes[] = "class open href title align start";
    const char *at = strstr(page->bytes, "<body>");
    assert_non_null(at);
    while ((at = strchr(at, '<'))) {
        at += 1 + (at[1] == '/');
        const size_t length = strcspn(at, " >/");
        if (!is_word(at, length, tags)) fail_msg("a tag: %.40s", at);
        at += length;
        while (*at == ' ') {
            const size_t name = strcspn(++at, "=> ");
            if (name > 0 && *at != '/' && !is_word(at, name, attributes))
                fail_msg("an attribute: %.40s", at);
            const bool link = strncmp(at, "href=", 5) == 0;
            at += name;
            if (*at != '=') continue;
            assert_int_equal(at[1], '"');
            if (link && has_scheme(at + 2)) fail_msg("a link: %.40s", at);
            at = strchr(at + 2, '"') + 1;
        }
    }
}

static size_t count_of(const struct text *page, const char *string) {
    size_t count = 0;
    for (const char *at = page->bytes; (at = strstr(at, string)); at++)
        count++;
    return count;
}

static void a_conversation_is_exported_as_one_html_page(void **state) {
    (void)state;
    struct text page = {0};
    struct message messages[] = {
        message_of(1, 0, MESSAGE_SYSTEM, "Be <brief>."),
        message_of(2, 1, MESSAGE_USER, "What is\n<b>bold</b> & \"x\"?"),
        message_of(3, 2, MESSAGE_ASSISTANT,
                   "<think>Hm < 3</think>**Bold** is `<b>`.\n\n|a|b|\n|-|-:|\n|1|2|\n"),
    };
    messages[2].stop = STOP_LENGTH;
    show(messages, 3, &page);
    assert_non_null(strstr(page.bytes, "<title>a &lt;b&gt;&quot;talk&quot; &amp; more</title>"));
    assert_non_null(strstr(page.bytes, "Be &lt;brief&gt;."));
    assert_non_null(strstr(page.bytes, "What is\n&lt;b&gt;bold&lt;/b&gt; &amp; &quot;x&quot;?"));
    assert_non_null(strstr(page.bytes, "<strong>Bold</strong> is <code>&lt;b&gt;</code>."));
    assert_non_null(strstr(page.bytes, "<td align=\"right\">2</td>"));
    assert_non_null(strstr(page.bytes, "Hm &lt; 3"));
    assert_non_null(strstr(page.bytes, "cut: length"));
    expect_harmless(&page);
    text_deinit(&page);
}

static void html_written_by_a_model_is_inert(void **state) {
    (void)state;
    struct text page = {0};
    const struct message messages[] = {
        message_of(1, 0, MESSAGE_USER, "</div><script>alert(1)</script>\x1b[2J\x01"),
        message_of(
            2, 1, MESSAGE_ASSISTANT,
            "<script>alert(2)</script>\n\na <img src=x onerror=alert(3)> b\n\n"
            "[c](javascript:alert(4)) ![d](http://x.org/pixel.png) ![e](data:text/html,f)\n\n"
            "<iframe src=\"http://x.org\">\n\n```\"onmouseover=\"alert(5)\n</pre>\n```\n"
            "<a href='vbscript:g'>h</a> [i](<http://x.org/\"onclick=\"j>)\n"),
    };
    show(messages, 2, &page);
    expect_harmless(&page);
    assert_null(strstr(page.bytes, "\x1b"));
    assert_null(strstr(page.bytes, "\x01"));
    assert_null(strstr(page.bytes, "\"javascript:"));
    assert_non_null(strstr(page.bytes, "&lt;script&gt;alert(2)&lt;/script&gt;"));
    assert_non_null(strstr(page.bytes, "&lt;img src=x onerror=alert(3)&gt;"));
    assert_non_null(strstr(page.bytes, "<a href=\"http://x.org/pixel.png\">d</a>"));
    assert_non_null(strstr(page.bytes, "Content-Security-Policy"));
    text_deinit(&page);
}

// In the order of /alt, which may differ from the order in which they ended and were stored.
static void answers_are_numbered_in_the_order_in_which_they_began(void **state) {
    (void)state;
    struct text page = {0};
    struct message messages[] = {
        message_of(1, 0, MESSAGE_USER, "one"),
        message_of(2, 1, MESSAGE_ASSISTANT, "second"),
        message_of(3, 1, MESSAGE_ASSISTANT, "third"),
        message_of(4, 1, MESSAGE_ASSISTANT, "first"),
    };
    messages[1].created_ms = 12;
    messages[2].created_ms = 13;
    messages[3].created_ms = 11;
    show(messages, 4, &page);
    static const char *const order[] = {"answer 1 of 3", "first",         "answer 2 of 3",
                                        "second",        "answer 3 of 3", "third"};
    const char *at = page.bytes;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        at = strstr(at, order[i]);
        if (!at) fail_msg("not in its place: %s", order[i]);
    }
    text_deinit(&page);
}

static void branches_fold_except_on_the_path_to_the_tip(void **state) {
    (void)state;
    struct text page = {0};
    const struct message messages[] = {
        message_of(1, 0, MESSAGE_USER, "one"),
        message_of(2, 1, MESSAGE_ASSISTANT, "first"),
        message_of(3, 1, MESSAGE_ASSISTANT, "second"),
        message_of(4, 2, MESSAGE_USER, "after first"),
        message_of(5, 3, MESSAGE_USER, "after second"),
        message_of(6, 3, MESSAGE_USER, "the tip"),
    };
    show(messages, 6, &page);
    static const char *const order[] = {
        "one<",
        "<details class=\"branch\"><summary>answer 1 of 2</summary>",
        "first",
        "after first",
        "</details>",
        "<details class=\"branch\" open><summary>answer 2 of 2</summary>",
        "second",
        "<details class=\"branch\"><summary>branch 1 of 2</summary>",
        "after second",
        "</details>",
        "<details class=\"branch\" open><summary>branch 2 of 2</summary>",
        "the tip",
        "</details>",
        "</details>"};
    const char *at = page.bytes;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        at = strstr(at, order[i]);
        if (!at) fail_msg("not in its place: %s", order[i]);
        at += strlen(order[i]);
    }
    assert_int_equal(count_of(&page, "<details"), count_of(&page, "</details>"));
    expect_harmless(&page);
    text_deinit(&page);
}

static void random_html_pieces_do_no_harm(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "<",
        ">",
        "\"",
        "'",
        "<script",
        "</script>",
        "<img src=x onerror=y>",
        "![",
        "](",
        ")",
        "[",
        "javascript:",
        "http://x",
        "```",
        "\n",
        "\n\n",
        "    ",
        "`",
        "<!--",
        "-->",
        "<![CDATA[",
        "<style>",
        "&lt;",
        "&#60;",
        "| a",
        "|\n|-|\n",
        "- ",
        "> ",
        "# ",
        "**",
        "<a href",
        "=",
        "data:",
        "~~",
        "\xff",
        "\\",
        "<x-y on=",
        "]: ",
        "[a]",
        "<think>",
        "</think>",
    };
    enum { COUNT = sizeof pieces / sizeof pieces[0] };
    unsigned random = 20261123;
    for (int round = 0; round < ROUNDS; round++) {
        struct text text = {0}, page = {0};
        for (int i = 0; i < PIECES; i++) {
            random = random * 1103515245u + 12345u;
            assert_int_equal(text_append_string(&text, pieces[(random >> 16) % COUNT]), STATUS_OK);
        }
        const struct message messages[] = {message_of(1, 0, MESSAGE_USER, text.bytes),
                                           message_of(2, 1, MESSAGE_ASSISTANT, text.bytes)};
        show(messages, 2, &page);
        expect_harmless(&page);
        text_deinit(&text);
        text_deinit(&page);
    }
}

// A table of 2,000 columns and as many rows of one cell is 14 KB of text, and four million cells.
static void overly_costly_markdown_stays_plain_text(void **state) {
    (void)state;
    static const struct {
        const char *line, *rest;
        int repeated, lines;
        bool stays; // as it is written
    } cases[] = {
        {"|a", "|-", 2000, 2000, true}, {"|a", "|-", 600, 1, true},   {"|a", "|-", 3, 20000, true},
        {"|a", "|-", 30, 300, false},   {"> ", NULL, 5000, 1, true},  {">", NULL, 5000, 1, true},
        {"* ", NULL, 500, 1, true},     {"1. ", NULL, 500, 1, true},  {"> ", NULL, 20, 1, false},
        {"-", NULL, 5000, 1, false},    {"* ", NULL, 20, 1000, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = {0}, page = {0};
        for (int part = 0; part < (cases[i].rest ? 2 : 1); part++) {
            for (int j = 0; j < cases[i].repeated; j++)
                assert_int_equal(text_append_string(&text, part ? cases[i].rest : cases[i].line),
                                 STATUS_OK);
            assert_int_equal(text_append_string(&text, cases[i].rest ? "|\n" : "x\n"), STATUS_OK);
        }
        for (int j = 0; j < cases[i].lines && cases[i].rest; j++)
            assert_int_equal(text_append_string(&text, "|x\n"), STATUS_OK);
        const struct message messages[] = {message_of(1, 0, MESSAGE_USER, "Hi"),
                                           message_of(2, 1, MESSAGE_ASSISTANT, text.bytes)};
        show(messages, 2, &page);
        const bool tagged = strstr(page.bytes, "<td>") || strstr(page.bytes, "<blockquote>") ||
                            strstr(page.bytes, "<li>") || !strchr(text.bytes, '|');
        if (cases[i].stays && (page.length > 5 * text.length + 8192 || strstr(page.bytes, "<td>")))
            fail_msg("%s%s is not text", cases[i].line, cases[i].rest ? cases[i].rest : "");
        if (!cases[i].stays && !tagged) fail_msg("%s is text", cases[i].line);
        text_deinit(&text);
        text_deinit(&page);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conversation_is_exported_as_one_html_page),
        cmocka_unit_test(html_written_by_a_model_is_inert),
        cmocka_unit_test(branches_fold_except_on_the_path_to_the_tip),
        cmocka_unit_test(answers_are_numbered_in_the_order_in_which_they_began),
        cmocka_unit_test(overly_costly_markdown_stays_plain_text),
        cmocka_unit_test(random_html_pieces_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
