// tests/prompts/test_jinja.c — jinja.h: what Jinja2 renders, where characters come from, what is
// wrong and where, and that all ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prompts/jinja/json_value.h"
#include "tests/check.h"
#include "tests/prompts/jinja_fixture.h"

static const struct value *member(const struct value *object, const char *name) {
    const struct chars key = chars_of(name, strlen(name), ORIGIN_TEXT);
    const struct value *found = dict_find_chars(object->as.dict, &key);
    if (!found) fail_msg("there is no \"%s\"", name);
    return found;
}

static char *copy_string(const struct value *value) {
    assert_int_equal(value->kind, VALUE_STRING);
    return strndup(value->as.string->bytes, value->as.string->length);
}

// One of "line:column: " and something, on one line.
static void check_position(const char *source, const char *error) {
    size_t line = 0, column = 0;
    int used = 0;
    if (sscanf(error, "%zu:%zu: %n", &line, &column, &used) != 2 || line == 0 || column == 0 ||
        !error[used] || strchr(error, '\n'))
        fail_msg("%s\nhas the error \"%s\"", source, error);
}

static void every_case_renders_as_jinja2_renders_it(void **state) {
    (void)state;
    struct text file = {0};
    struct arena arena;
    struct value data;
    struct error err = {0};
    arena_init(&arena, 64 << 20);
    assert_true(read_whole_file(TESTS_DIR "/prompts/jinja_cases.json", &file));
    if (json_value_read(file.bytes, file.length, &arena, &data, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    const struct list *cases = member(&data, "cases")->as.list;
    assert_true(cases->count > 600);
    for (size_t i = 0; i < cases->count; i++) {
        const struct value *pair = cases->items[i].as.list->items;
        char *source = copy_string(&pair[0]);
        struct rendered rendered = render_value(source, member(&data, "variables"));
        if (pair[1].kind == VALUE_NONE) {
            check_position(source, text_string(&rendered.error));
        } else {
            char *expected = copy_string(&pair[1]);
            if (rendered.error.length || strcmp(text_string(&rendered.text), expected) != 0)
                fail_msg("%s\nis \"%s\" %s\nnot \"%s\"", source, text_string(&rendered.text),
                         text_string(&rendered.error), expected);
            free(expected);
        }
        rendered_deinit(&rendered);
        free(source);
    }
    arena_deinit(&arena);
    text_deinit(&file);
}

static void errors_give_location_and_cause(void **state) {
    (void)state;
    static const struct {
        const char *source, *error;
    } errors[] = {
        {"{{ x.y }}", "1:6: 'x' is undefined"},
        {"a\n  {{ 'é' + 1 }}", "2:6: can only concatenate str (not \"int\") to str"},
        {"{{ d.a.b }}", "1:8: 'dict object' has no attribute 'a'"},
        {"{{ none.a.b }}", "1:11: 'None' has no attribute 'a'"},
        {"{{ '{0.a.b}'.format(d) }}", "1:14: 'dict object' has no attribute 'a'"},
        {"{{ '{0[a][bc]}'.format(d) }}", "1:17: 'dict object' has no attribute 'a'"},
        {"{{ [1][4].x }}", "1:11: list object has no element 4"},
        {"{% if x %}\n\n", "2:1: expected elif, but the template ends here"},
        {"{% if x }}", "1:9: unmatched closing bracket"},
        {"{% for %}", "1:8: expected a name, found \"%}\""},
        {"{{ 'abc }}", "1:4: unterminated string"},
        {"{{ (1 }}", "1:7: unmatched closing bracket"},
        {"{{ 1", "1:1: unterminated tag"},
        {"{{ 1) }}", "1:5: unmatched closing bracket"},
        {"{{ a ? b }}", "1:6: unexpected character"},
        {"{# a", "1:1: unterminated comment"},
        {"{% raw %}a", "1:1: unterminated raw block"},
        {"{% foo %}", "1:4: expected a statement, found \"foo\""},
        {"{% include 'x' %}",
         "1:4: a chat template is one file: include, import, from, extends and block are not "
         "supported"},
        {"{% break %}", "1:4: break and continue are allowed only in a loop"},
        {"{% for x in y %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}",
         "1:35: break and continue are allowed only in a loop"},
        {"{{ 1|foo }}", "1:6: no filter named 'foo'"},
        {"{{ 1 is foo }}", "1:9: no test named 'foo'"},
        {"{{ [1]|map('foo')|list }}", "1:8: no filter named 'foo'"},
        {"{{ 9223372036854775807 + 1 }}", "1:4: the result of + does not fit in 64 bits"},
        {"{{ 9223372036854775808 }}", "1:4: this number does not fit in 64 bits"},
        {"{{ 1 // 0 }}", "1:4: division by zero"},
        {"{{ d.update({}) }}", "1:6: a template cannot change a dict"},
        {"{{ 'a'|upper(1) }}", "1:8: upper() takes at most 0 arguments, not 1"},
        {"{{ 'a'|trim(x=1) }}", "1:8: trim() takes no argument 'x'"},
        {"{{ 'a'|replace('b') }}", "1:8: replace() is missing its argument 'new'"},
        {"{{ range }}{{ none() }}", "1:15: 'NoneType' object is not callable"},
        {"{{ 'x' * 300000000 }}", "1:4: the template needs more than 256 MiB of memory"},
        {"{{ 9223372036854775807|round(-1) }}", "1:24: an integer does not fit in 64 bits"},
        {"{{ '\xFF' }}", "1:5: not UTF-8"},
        {"{{ '{\"a\": 1'|from_json }}", "1:14: from_json(): invalid JSON at offset 6"},
        {"{{ 1|from_json }}", "1:6: from_json() expects a string, not 'int'"},
    };
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct rendered rendered = render_json(errors[i].source, "{\"d\": {}}");
        if (strcmp(text_string(&rendered.error), errors[i].error) != 0)
            fail_msg("%s\nhas the error \"%s\"\nnot \"%s\"", errors[i].source,
                     text_string(&rendered.error), errors[i].error);
        rendered_deinit(&rendered);
    }
}

static void a_template_refusal_returns_only_its_message(void **state) {
    (void)state;
    struct rendered rendered =
        render_json("a{{ raise_exception('No ' + who + '!\\nNever.') }}b", "{\"who\": \"✓\"}");
    assert_true(rendered.refused);
    assert_string_equal(text_string(&rendered.error), "No ✓!\nNever.");
    assert_int_equal(rendered.text.length, 0);
    rendered_deinit(&rendered);
}

// "." is a byte of text, others are control.
static void characters_keep_their_origin_through_rendering(void **state) {
    (void)state;
    static const struct {
        const char *source, *text, *marks;
    } origins[] = {
        {"<a>{{ u }}</a>", "<a>xyz</a>", "ccctttcccc"},
        {"{{ '<' + u + '>' }}", "<xyz>", "ctttc"},
        {"{{ '<' ~ u ~ '>' }}", "<xyz>", "ctttc"},
        {"{{ bos_token + u + eos_token }}", "<BOS>xyz<EOS>", "ccccctttccccc"},
        {"{{ ('<' + u + '>')[1:3] }}", "xy", "tt"},
        {"{{ ('<' + u + '>')[::-1] }}", ">zyx<", "ctttc"},
        {"{{ ('<' + u + '>')[0] }}", "<", "c"},
        {"{{ ('<' + u)|upper }}", "<XYZ", "cttt"},
        {"{{ ('<a' + u)|title }}", "<Axyz", "ccttt"},
        {"{{ ('ß' + u).casefold() }}", "ssxyz", "ccttt"},
        {"{{ 'ﬁΣς'.casefold() ~ 'ẞ'.lower() }}", "fiσσß", "cccccccc"},
        {"{{ ('  <' + u + ' ')|trim }}", "<xyz", "cttt"},
        {"{{ u|replace('y', '<Y>') }}", "x<Y>z", "tccct"},
        {"{{ '<y>'|replace('y', u) }}", "<xyz>", "ctttc"},
        {"{{ '<y>'.replace('y', u) }}", "<xyz>", "ctttc"},
        {"{{ [u, '<', u]|join('|') }}", "xyz|<|xyz",
         "tttccc"
         "ttt"},
        {"{{ '-'.join([u, 'a']) }}", "xyz-a", "tttcc"},
        {"{{ ('a,' + u).split(',')|join }}", "axyz", "cttt"},
        {"{{ ('a' + u)|list|join }}", "axyz", "cttt"},
        {"{{ ('a' + u)|reverse }}", "zyxa", "tttc"},
        {"{{ '<%s>' % u }}", "<xyz>", "ctttc"},
        {"{{ '<%s>'|format(u) }}", "<xyz>", "ctttc"},
        {"{{ '<{}>'.format(u) }}", "<xyz>", "ctttc"},
        {"{{ u|tojson }}", "\"xyz\"", "ttttt"},
        {"{{ '<a>'|tojson }}", "\"<a>\"", "tccct"},
        {"{{ {'k': u}|tojson }}", "{\"k\": \"xyz\"}", "ttcttttttttt"},
        {"{{ [u] }}", "['xyz']", "ttttttt"},
        {"{{ ['<'] }}", "['<']", "ttctt"},
        {"{{ 7 }}", "7", "t"},
        {"{{ true }}", "True", "tttt"},
        {"{{ '<' * 2 + u * 2 }}", "<<xyzxyz", "cctttttt"},
        {"{{ ('<' + u)|indent(1, true) }}", " <xyz", "tcttt"},
        {"{{ ('<' + u)|center(6) }}", " <xyz ", "tctttt"},
        {"{{ (u + '<')|truncate(4, true, '', 0) }}", "xyz<", "tttc"},
        {"{% set s %}<{{ u }}>{% endset %}{{ s }}", "<xyz>", "ctttc"},
        {"{% macro m(x) %}<{{ x }}>{% endmacro %}{{ m(u) }}", "<xyz>", "ctttc"},
        {"{% filter upper %}<a{{ u }}>{% endfilter %}", "<AXYZ>", "cctttc"},
        {"{% for c in '<' + u %}{{ c }}{% endfor %}", "<xyz", "cttt"},
        {"{{ u|default('<') }}{{ none_such|default('<') }}", "xyz<", "tttc"},
        {"{{ d.items()|map('join', '=')|join(';') }}", "<a>=v",
         "ttt"
         "c"
         "t"},
        {"{{ strftime_now('<%Y>') }}", "<2026>", "cttttc"},
        {"{{ ('é' + w)|upper }}", "É✓", "ccttt"},
        {"{{ w|tojson(ensure_ascii=true) }}", "\"\\u2713\"", "tttttttt"},
        {"{{ ('<x' + u).partition('x')|join }}", "<xxyz", "ccttt"},
        {"{{ u.join(['<', '>']) }}", "<xyz>", "ctttc"},
        {"{{ ('x<' + u).strip('x') }}", "<xyz", "cttt"},
        {"{{ '<'.zfill(2) }}", "0<", "tc"},
        {"{{ ('a b ' + u)|wordcount }}", "3", "t"},
        {"{{ (u ~ '&')|e }}", "xyz&amp;", "tttttttt"},
    };
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        struct rendered rendered = render_json(
            origins[i].source, "{\"u\": \"xyz\", \"w\": \"✓\", \"d\": {\"<a>\": \"v\"}}");
        if (strcmp(text_string(&rendered.text), origins[i].text) != 0 ||
            strcmp(text_string(&rendered.marks), origins[i].marks) != 0)
            fail_msg("%s\nis \"%s\" %s\n   \"%s\"", origins[i].source, text_string(&rendered.text),
                     text_string(&rendered.error), text_string(&rendered.marks));
        rendered_deinit(&rendered);
    }
}

static uint32_t next_random(uint32_t *seed, uint32_t limit) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 10) % limit;
}

// A string of up to ten letters, those of the template in capitals: so the text itself says where
// each character came from, and what upper() and lower() would hide is not used.
static void invent(uint32_t *seed, char text[11], bool control) {
    const uint32_t length = next_random(seed, 11);
    for (uint32_t i = 0; i < length; i++)
        text[i] = (char)((control ? 'A' : 'a') + (int)next_random(seed, 4));
    text[length] = '\0';
}

// Builds an expression over the texts t0 … t3 and literals, of which each step moves characters.
static void compose(uint32_t *seed, int depth, struct text *expression) {
    static const char *const operations[] = {
        "(%)[1:]",
        "(%)[:-1]",
        "(%)[::-1]",
        "(%)[1:7:2]",
        "(%)|trim('aA')",
        "(%)|replace('a', 'XY')",
        "(%)|reverse",
        "(%).split('b')|join('B')",
        "(%).split('B', 1)|last",
        "(%).lstrip('cC')",
        "(%)|list|sort(case_sensitive=true)|join",
        "(%)*2",
        "[%, t0]|join('C')",
        "'%%s' % (%,)",
        "'{}D'.format(%)",
        "(%).partition('c')|join('d' if false else '')",
        "(%).removeprefix('a')",
    };
    char literal[11];
    if (depth == 0) {
        invent(seed, literal, true);
        const enum status status =
            next_random(seed, 2) ? text_format(expression, "t%u", (unsigned)next_random(seed, 4))
                                 : text_format(expression, "'%s'", literal);
        assert_int_equal(status, STATUS_OK);
        return;
    }
    if (next_random(seed, 3) == 0) {
        assert_int_equal(text_append_string(expression, "("), STATUS_OK);
        compose(seed, depth - 1, expression);
        assert_int_equal(text_append_string(expression, next_random(seed, 2) ? " + " : " ~ "),
                         STATUS_OK);
        compose(seed, depth - 1, expression);
        assert_int_equal(text_append_string(expression, ")"), STATUS_OK);
        return;
    }
    const char *operation = operations[next_random(seed, sizeof operations / sizeof operations[0])];
    for (const char *c = operation; *c; c++) {
        if (*c == '%' && c[1] == '%') {
            assert_int_equal(text_append(expression, c++, 1), STATUS_OK);
        } else if (*c == '%' && c[1] != ' ' && c[1] != 's') {
            compose(seed, depth - 1, expression);
        } else {
            assert_int_equal(text_append(expression, c, 1), STATUS_OK);
        }
    }
}

static void random_filter_chains_keep_the_origin_of_characters(void **state) {
    (void)state;
    uint32_t seed = 20260102;
    size_t control = 0, text = 0;
    printf("seed %u\n", seed);
    for (int step = 0; step < CHECK_ROUNDS(20000, 2000); step++) {
        struct text source = {0}, json = {0};
        char t[4][11];
        for (int i = 0; i < 4; i++)
            invent(&seed, t[i], false);
        assert_int_equal(text_append_string(&source, "{{ "), STATUS_OK);
        compose(&seed, (int)next_random(&seed, 5), &source);
        assert_int_equal(text_append_string(&source, " }}"), STATUS_OK);
        assert_int_equal(text_format(&json,
                                     "{\"t0\": \"%s\", \"t1\": \"%s\", \"t2\": \"%s\", "
                                     "\"t3\": \"%s\"}",
                                     t[0], t[1], t[2], t[3]),
                         STATUS_OK);
        struct rendered rendered = render_json(source.bytes, json.bytes);
        if (rendered.error.length) fail_msg("%s: %s", source.bytes, rendered.error.bytes);
        for (size_t i = 0; i < rendered.text.length; i++) {
            const bool capital = rendered.text.bytes[i] <= 'Z';
            if (capital != (rendered.marks.bytes[i] == 'c'))
                fail_msg("%s with %s\n%s\n%s", source.bytes, json.bytes, rendered.text.bytes,
                         rendered.marks.bytes);
            *(capital ? &control : &text) += 1;
        }
        rendered_deinit(&rendered);
        text_deinit(&source);
        text_deinit(&json);
    }
    assert_true(control > 10000 / CHECK_SHARE && text > 10000 / CHECK_SHARE);
}

static void repeat(struct text *text, const char *what, size_t times) {
    for (size_t i = 0; i < times; i++)
        assert_int_equal(text_append_string(text, what), STATUS_OK);
}

static void assert_stopped(const char *source, const char *why) {
    struct rendered rendered = render_json(source, NULL);
    if (!strstr(text_string(&rendered.error), why))
        fail_msg("%.200s\nwas not stopped for \"%s\": \"%s\"", source, why,
                 text_string(&rendered.error));
    rendered_deinit(&rendered);
}

static void runaway_templates_are_stopped(void **state) {
    (void)state;
    assert_stopped("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "too deep");
    assert_stopped("{% for a in range(999) %}{% for b in range(999) %}{% for c in range(99) %}"
                   "{% endfor %}{% endfor %}{% endfor %}",
                   "the template ");
    assert_stopped("{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}", "too deep");
    assert_stopped("{% set ns = namespace(s='x') %}{% for i in range(99) %}"
                   "{% set ns.s = ns.s + ns.s %}{% endfor %}",
                   "the template ");
    assert_stopped("{% set ns = namespace(l=[1]) %}{% for i in range(99) %}"
                   "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l == ns.l }}",
                   "the template ");
    assert_stopped("{% set ns = namespace(l=[1]) %}{% for i in range(99) %}"
                   "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}",
                   "the template ");
    assert_stopped("{% set ns = namespace(l=[1]) %}{% for i in range(999) %}"
                   "{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l|tojson }}",
                   "too deep");
    assert_stopped("{{ range(100001) }}", "range()");
    assert_stopped("{{ 'a'|center(9999999999) }}", "the template ");
    assert_stopped("{{ '%99999999d' % 1 }}", "invalid format");
    assert_stopped("{{ [1]*99999999999 }}", "the template ");
    assert_stopped("{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(60) %}"
                   "{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}"
                   "{{ ns.a < ns.b }}",
                   "the template ");
}

static void deeply_nested_map_filters_are_refused(void **state) {
    (void)state;
    assert_stopped("{{ 'a'|map(*(['map']*200000))|list }}", "too deep");
    struct rendered rendered =
        render_json("{{ [['a']]|map('map', 'upper')|map('list')|list }}", NULL);
    assert_string_equal(text_string(&rendered.text), "[['A']]");
    rendered_deinit(&rendered);
}

// Runs it with few steps.
static void assert_too_many_steps(const char *source) {
    struct jinja *jinja = NULL;
    struct jinja_run run;
    struct error err = {0};
    assert_int_equal(jinja_create(source, strlen(source), &jinja, NULL), STATUS_OK);
    jinja_run_init(&run);
    run.steps = 1 << 20;
    if (jinja_run(jinja, &run, &err) == STATUS_OK || !strstr(err.text, "too many steps"))
        fail_msg("%s\ntakes too few steps: \"%s\"", source, err.text);
    jinja_run_deinit(&run);
    jinja_destroy(jinja);
}

// What looks at many bytes, or is dear for its size, takes more steps than the nodes that ask it.
static void costly_operations_use_up_the_step_limit(void **state) {
    (void)state;
    static const char *const dear[] = {
        "a == b",
        "a != b",
        "b in [a]",
        "[a].count(b)",
        "[a, b]|unique(true)",
        "{a: 1} == {b: 1}",
        "d[b]",
        "b in d",
        "d.get(b)",
        "{a: 1}",
        "a is sameas b",
        "a.startswith(b)",
        "a.endswith(b)",
        "a.removeprefix(b)",
        "a.find('aaaab')",
        "a.rfind('b')",
        "a.rfind('ab')",
        "a.rsplit('ab')",
        "a.rpartition('ab')",
        "a.count('a')",
        "a.isalpha()",
        "a is lower",
        "a.strip('ba')",
        "a.split()",
        "w[99999]",
        "w.startswith('a', 99999)",
        "numbers|sum",
        "[0.1]|string",
        "0.1|round(3)",
        "'0.1'|float",
    };
    for (size_t i = 0; i < sizeof dear / sizeof dear[0]; i++) {
        struct text source = {0};
        assert_int_equal(
            text_format(
                &source,
                "{%% set a = ('a' * 500) * 400 %%}{%% set b = ('a' * 500) * 400 %%}"
                "{%% set w = ('é' * 500) * 200 %%}{%% set d = {a: 1} %%}"
                "{%% set numbers = range(3000)|list %%}"
                "{%% for i in range(5000) %%}{%% if (%s) == 0 %%}{%% endif %%}{%% endfor %%}",
                dear[i]),
            STATUS_OK);
        assert_too_many_steps(source.bytes);
        text_deinit(&source);
    }
    assert_too_many_steps("{{ (('a' * 3000) * 1000).rfind(('a' * 1500) * 1000 + 'b') }}");
}

static void deep_sources_are_refused_and_large_ones_parse(void **state) {
    (void)state;
    static const struct {
        const char *before, *middle, *after;
        size_t times;
        bool fine;
    } sources[] = {
        {"{{ ", "(", "1", 100, false},
        {"{{ ", "not ", "1 }}", 100000, false},
        {"{{ ", "-", "1 }}", 100000, false},
        {"{{ ", "1 if 1 else ", "1 }}", 100000, false},
        {"{{ 1", "+1", " }}", 100000, false},
        {"{{ 1", "+1", " }}", 300, true},
        {"{{ 1", "~1", " }}", 100000, true},
        {"", "{% if 1 %}", "", 100000, false},
        {"{% if 0 %}", "{% elif 0 %}", "{% endif %}", 50000, true},
        {"{{ a", ".a", " }}", 100000, false},
        {"{{ 1", "|string", " }}", 100000, false},
        {"{{ ", "[", "", 100000, false},
        {"", "{{ 1 }}", "", 100000, true},
        {"", "x", "", JINJA_MAX_SOURCE_BYTES, true},
        {"", "x", "y", JINJA_MAX_SOURCE_BYTES, false},
        {"{% set a = ", "{'a':", "1", 100000, false},
    };
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        struct text source = {0};
        repeat(&source, sources[i].before, 1);
        repeat(&source, sources[i].middle, sources[i].times);
        repeat(&source, sources[i].after, 1);
        struct rendered rendered = render_json(source.bytes, NULL);
        if ((rendered.error.length == 0) != sources[i].fine)
            fail_msg("%s%s…%s, %zu times: \"%s\"", sources[i].before, sources[i].middle,
                     sources[i].after, sources[i].times, text_string(&rendered.error));
        rendered_deinit(&rendered);
        text_deinit(&source);
    }
}

// A run whose memory or steps end anywhere says so, and leaks nothing.
static void reaching_a_limit_anywhere_is_an_error_without_leaks(void **state) {
    (void)state;
    static const char source[] =
        "{% macro m(x) %}{% for y in x %}{{ loop.index ~ y|upper }}{% endfor %}{% endmacro %}"
        "{% for i in range(9) %}{{ m(['a', 'b' * i, [i, {'k': i}]|tojson]) }}{% endfor %}"
        "{{ 'a,b,c'.split(',')|map('replace', 'a', 'bb')|join('-')|indent }}";
    struct jinja *jinja = NULL;
    assert_int_equal(jinja_create(source, sizeof source - 1, &jinja, NULL), STATUS_OK);
    for (size_t limit = 0; limit < 4096; limit += CHECK_FULL ? 1 : 9) {
        struct jinja_run run;
        struct error err = {0};
        jinja_run_init(&run);
        if (limit % 2)
            run.arena.limit_bytes = limit * 32;
        else
            run.steps = limit;
        const enum status status = jinja_run(jinja, &run, &err);
        assert_true(status == STATUS_OK || (status == STATUS_BAD_INPUT && err.text[0]));
        if (limit == 0 || limit == 1) assert_int_equal(status, STATUS_BAD_INPUT);
        if (limit >= 4094) assert_int_equal(status, STATUS_OK);
        jinja_run_deinit(&run);
    }
    jinja_destroy(jinja);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_case_renders_as_jinja2_renders_it),
        cmocka_unit_test(errors_give_location_and_cause),
        cmocka_unit_test(a_template_refusal_returns_only_its_message),
        cmocka_unit_test(characters_keep_their_origin_through_rendering),
        cmocka_unit_test(random_filter_chains_keep_the_origin_of_characters),
        cmocka_unit_test(runaway_templates_are_stopped),
        cmocka_unit_test(deeply_nested_map_filters_are_refused),
        cmocka_unit_test(costly_operations_use_up_the_step_limit),
        cmocka_unit_test(deep_sources_are_refused_and_large_ones_parse),
        cmocka_unit_test(reaching_a_limit_anywhere_is_an_error_without_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
