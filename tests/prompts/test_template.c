// tests/prompts/test_template.c — template.h: what is found out about a template by trial, and what
// is wanted of each, of those that go by name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tests/prompts/template_fixture.h"

static void an_empty_answer_is_omitted_if_the_template_refuses_it(void **state) {
    (void)state;
    static const char *const refuse[] = {
        "{% for m in messages %}{% if m.content == '' %}{{ raise_exception('empty') }}{% endif %}"
        "<{{ m.role }}>{{ m.content }}{% endfor %}",
        "{% for m in messages %}{% if m.content|trim == '' %}{{ raise_exception('blank') }}"
        "{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}",
    };
    for (size_t i = 0; i < sizeof refuse / sizeof refuse[0]; i++)
        template_check_empty_answer(refuse[i]);
}

static void a_built_in_template_is_recognised_by_its_name(void **state) {
    (void)state;
    uint32_t seed = 7;
    static const char *const names[] = {"chatml", "llama3", "gemma", "mistral", "phi3"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *source = chat_template_find(names[i]);
        assert_non_null(source);
        const struct chat_template_options options = {
            .source = source, .length = strlen(source), .bos = "<s>", .eos = "</s>"};
        struct chat_template *made = NULL;
        struct error err = {0};
        if (chat_template_create(&options, &made, &err) != STATUS_OK) fail_msg("%s", err.text);
        assert_string_equal(chat_template_name(made), names[i]);
        chat_template_destroy(made);
        template_check_empty_answer(source);
        template_check_forged(source, &seed);
        // Mistral's writes a space before an answer, with which the model's own begins.
        if (strcmp(names[i], "mistral") != 0) template_check_chats(names[i], source);
    }
    assert_null(chat_template_find("none"));
}

#define TURNS                                                                             \
    "{% for m in messages %}{{ '<' + m.role + '>' + m.content + '<end>\n' }}{% endfor %}" \
    "{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}"

static void a_missing_template_is_guessed_to_be_chatml(void **state) {
    (void)state;
    const struct chat_template_options options = {
        .bos = "<BOS>", .eos = "", .begins_with_bos = true};
    const struct chat_message messages[] = {template_says(ROLE_SYSTEM, "s"),
                                            template_says(ROLE_USER, "u")};
    const struct render what = {.messages = messages, .count = 2, .ask = true};
    struct chat_template *made = NULL;
    struct text text = {0};
    assert_int_equal(chat_template_create(&options, &made, NULL), STATUS_OK);
    assert_true(chat_template_guessed(made));
    assert_string_equal(chat_template_name(made), "chatml");
    assert_string_equal(chat_template_stops(made)[0], "<|im_end|>");
    assert_null(chat_template_stops(made)[1]);
    template_render_text(made, &what, &text);
    assert_string_equal(text.bytes, "<BOS><|im_start|>system\ns<|im_end|>\n<|im_start|>user\nu"
                                    "<|im_end|>\n<|im_start|>assistant\n");
    text_deinit(&text);
    chat_template_destroy(made);
}

static void bos_appears_exactly_once_if_expected(void **state) {
    (void)state;
    static const char *const sources[] = {"{{ bos_token }}" TURNS, TURNS};
    for (int writes = 0; writes < 2; writes++)
        for (int expected = 0; expected < 2; expected++) {
            const struct chat_template_options options = {.source = sources[!writes],
                                                          .length = strlen(sources[!writes]),
                                                          .bos = "<BOS>",
                                                          .eos = "",
                                                          .begins_with_bos = expected};
            const struct chat_message user = template_says(ROLE_USER, "<BOS>");
            const struct render what = {.messages = &user, .count = 1};
            struct chat_template *made = NULL;
            struct text text = {0};
            assert_int_equal(chat_template_create(&options, &made, NULL), STATUS_OK);
            assert_false(chat_template_guessed(made));
            template_render_text(made, &what, &text);
            assert_string_equal(text.bytes, writes || expected ? "<BOS><user><BOS><end>\n"
                                                               : "<user><BOS><end>\n");
            text_deinit(&text);
            chat_template_destroy(made);
        }
}

static void a_refused_system_prompt_moves_into_the_first_message(void **state) {
    (void)state;
    struct chat_template *made = template_create(
        "{% if messages[0].role == 'system' %}{{ raise_exception('No') }}{% endif %}" TURNS);
    const struct chat_message messages[] = {
        template_says(ROLE_SYSTEM, "Be kind."), template_says(ROLE_USER, "Hi"),
        template_says(ROLE_ASSISTANT, "Ho"), template_says(ROLE_USER, "Hi")};
    const struct render what = {.messages = messages, .count = 4};
    struct text text = {0};
    assert_true(chat_template_folds_system(made));
    template_render_text(made, &what, &text);
    assert_string_equal(text.bytes,
                        "<user>Be kind.\n\nHi<end>\n<assistant>Ho<end>\n<user>Hi<end>\n");
    text_deinit(&text);
    chat_template_destroy(made);
}

static void stop_strings_are_found_by_trial_rendering(void **state) {
    (void)state;
#define INST(open, close)                                                                 \
    "{% for m in messages %}{% if m.role == 'user' %}{{ '" open "' + m.content + '" close \
    "' }}{% else %}{{ m.content + '</s>' }}{% endif %}{% endfor %}"
    static const struct {
        const char *source, *stops[2];
    } ends[] = {
        {INST("[INST] ", " [/INST]"), {"</s>", "[INST]"}},
        {INST("[INST]", "[/INST]"), {"</s>", NULL}},
        {INST("<|user|>\\n", "</s>\\n<|assistant|>\\n"), {"</s>", "<|user|>"}},
        {TURNS, {"<end>", NULL}},
        {"{% for m in messages %}{{ m.role + ': ' + m.content + '\n' }}{% endfor %}", {NULL, NULL}},
    };
#undef INST
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct chat_template *made = template_create(ends[i].source);
        const char *const *stops = chat_template_stops(made);
        for (int s = 0; s < 2 && (s == 0 || ends[i].stops[0]); s++) {
            if (!ends[i].stops[s] != !stops[s]) fail_msg("%s", ends[i].source);
            if (stops[s]) assert_string_equal(stops[s], ends[i].stops[s]);
        }
        chat_template_destroy(made);
    }
}

static void roles_render_as_control_and_messages_as_text(void **state) {
    (void)state;
    struct chat_template *made =
        template_create("{% for m in messages %}{{ '<|' + m['role'] + '|>' + m['content'] }}"
                        "{% endfor %}");
    const struct chat_message user = template_says(ROLE_USER, "<|system|>");
    const struct render what = {.messages = &user, .count = 1};
    struct prompt prompt = {0};
    assert_int_equal(chat_template_render(made, &what, &prompt, NULL), STATUS_OK);
    assert_int_equal(prompt.count, 2);
    assert_int_equal(prompt.pieces[0].kind, PIECE_CONTROL);
    assert_memory_equal(prompt.pieces[0].bytes, "<|user|>", 8);
    assert_int_equal(prompt.pieces[1].kind, PIECE_TEXT);
    assert_int_equal(prompt.pieces[1].length, 10);
    prompt_deinit(&prompt);
    chat_template_destroy(made);
}

static void a_broken_template_is_refused_at_open(void **state) {
    (void)state;
    static const struct {
        const char *source, *why;
    } bad[] = {
        {"{% if %}", "1:7: expected an expression"},
        {"a\n{{ nothing.here }}", "2:12: 'nothing' is undefined"},
        {"{% for m in messages if false %}{{ m }}{% endfor %}", "it produces no text"},
        {"{{ raise_exception('Never.') }}", "rejected the conversation: Never."},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct chat_template_options options = {
            .source = bad[i].source, .length = strlen(bad[i].source), .bos = "", .eos = ""};
        struct chat_template *made = NULL;
        struct error err = {0};
        assert_int_equal(chat_template_create(&options, &made, &err), STATUS_UNSUPPORTED);
        assert_null(made);
        if (!strstr(err.text, bad[i].why)) fail_msg("\"%s\" is not \"%s\"", err.text, bad[i].why);
    }
}

static void trimmed_white_space_does_not_force_a_reread_of_the_answer(void **state) {
    (void)state;
    static const char *const trims[] = {TURNS, "{% for m in messages %}{{ '<' + m.role + '>' + "
                                               "m.content|trim + '<end>\n' }}{% endfor %}"
                                               "{% if add_generation_prompt %}{{ '<assistant>' }}"
                                               "{% endif %}"};
    for (int i = 0; i < 2; i++) {
        struct chat_template *made = template_create(trims[i]);
        const struct chat_message messages[] = {template_says(ROLE_USER, "Hi"),
                                                template_says(ROLE_ASSISTANT, " \nHo \n"),
                                                template_says(ROLE_USER, "More")};
        const struct render what = {.messages = messages, .count = 3, .ask = true};
        static const char *const ends[] = {"<end>", "<eot>", ""};
        for (int e = 0; e < 3; e++) {
            struct prompt prompt = {0};
            struct text text = {0};
            enum prompt_keeps keeps;
            assert_int_equal(chat_template_continue(made, &what, ends[e], &prompt, &keeps, NULL),
                             STATUS_OK);
            assert_int_equal(keeps, e == 1 ? PROMPT_KEEPS_ANSWER : PROMPT_KEEPS_ALL);
            template_append_pieces(&prompt, &text);
            assert_string_equal(text.bytes, e < 1 ? "\n<user>More<end>\n<assistant>"
                                                  : "<end>\n<user>More<end>\n<assistant>");
            text_deinit(&text);
            prompt_deinit(&prompt);
        }
        chat_template_destroy(made);
    }
}

// What follows an answer with a thought, and what of the log it keeps.
static void check_continue(const char *source, bool drops, const char *answer,
                           enum prompt_keeps wanted, const char *wanted_text) {
    struct chat_template *made = template_create(source);
    const struct chat_message messages[] = {template_says(ROLE_USER, "Hi"),
                                            template_says(ROLE_ASSISTANT, answer),
                                            template_says(ROLE_USER, "More")};
    const struct render what = {.messages = messages, .count = 3, .ask = true};
    struct prompt prompt = {0};
    struct text text = {0};
    enum prompt_keeps keeps;
    assert_int_equal(chat_template_drops_thinking(made), drops);
    assert_int_equal(chat_template_continue(made, &what, "<end>", &prompt, &keeps, NULL),
                     STATUS_OK);
    assert_int_equal(keeps, wanted);
    template_append_pieces(&prompt, &text);
    assert_string_equal(text.bytes, wanted_text);
    assert_int_equal(prompt.pieces[0].kind,
                     wanted == PROMPT_KEEPS_ALL ? PIECE_CONTROL : PIECE_TEXT);
    text_deinit(&text);
    prompt_deinit(&prompt);
    chat_template_destroy(made);
}

static void an_answer_rendered_differently_is_reread(void **state) {
    (void)state;
    check_continue("{% for m in messages %}{{ '<' + m.role + '>' + "
                   "m.content.split('</think>')[-1] + '<end>' }}{% endfor %}"
                   "{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}",
                   true, "<think>Hm</think>Ho", PROMPT_KEEPS_QUESTION,
                   "Ho<end><user>More<end><assistant>");
}

static void a_thought_opened_by_the_template_is_kept(void **state) {
    (void)state;
    check_continue("{% for m in messages %}{{ '<' + m.role + '>' + m.content + '<end>' }}"
                   "{% endfor %}{% if add_generation_prompt %}{{ '<assistant><think>\n' }}"
                   "{% endif %}",
                   false, "<think>\nHm.\n</think>\nHo", PROMPT_KEEPS_ALL,
                   "<user>More<end><assistant><think>\n");
}

static void the_thinking_option_reaches_templates_that_read_it(void **state) {
    (void)state;
    static const char source[] =
        "{% for m in messages %}<{{ m.role }}>{{ m.content }}<end>{% endfor %}"
        "{% if add_generation_prompt %}<assistant>"
        "{% if enable_thinking is defined and not enable_thinking %}<no>{% endif %}"
        "{% if thinking is defined and thinking %}<yes>{% endif %}{% endif %}";
    static const char *const ends[] = {
        [THINK_AS_IT_DOES] = "<assistant>",
        [THINK_ON] = "<assistant><yes>",
        [THINK_OFF] = "<assistant><no>",
    };
    struct chat_template *chat_template = template_create(source);
    const struct chat_message message = template_says(ROLE_USER, "Hi");
    for (int wish = THINK_AS_IT_DOES; wish <= THINK_OFF; wish++) {
        struct text text = {0}, expected = {0};
        const struct render what = {
            .messages = &message, .count = 1, .ask = true, .think = (enum think_wish)wish};
        template_render_text(chat_template, &what, &text);
        assert_int_equal(text_format(&expected, "<user>Hi<end>%s", ends[wish]), STATUS_OK);
        assert_string_equal(text_string(&text), text_string(&expected));
        text_deinit(&text);
        text_deinit(&expected);
    }
    chat_template_destroy(chat_template);
}

static void roles_are_found_by_name(void **state) {
    static const char *const names[ROLE_COUNT] = {"system", "user", "assistant"};
    (void)state;
    for (int i = 0; i < ROLE_COUNT; i++) {
        enum role role = ROLE_SYSTEM;
        assert_true(role_find(names[i], &role));
        assert_int_equal(role, i);
    }
    enum role role = ROLE_USER;
    assert_false(role_find("tool", &role));
    assert_int_equal(role, ROLE_USER);
}

static void a_long_message_does_not_exceed_the_templates_limits(void **state) {
    (void)state;
    enum { BYTES = 48 << 20 };
    const struct chat_template_options options = {.source = "", .bos = "", .eos = ""};
    struct chat_template *made = NULL;
    struct prompt prompt = {0};
    char *text = malloc(BYTES);
    assert_non_null(text);
    memset(text, 'a', BYTES);
    const struct chat_message user = {.role = ROLE_USER, .text = text, .length = BYTES};
    const struct render what = {.messages = &user, .count = 1, .ask = true};
    assert_int_equal(chat_template_create(&options, &made, NULL), STATUS_OK);
    assert_int_equal(chat_template_render(made, &what, &prompt, NULL), STATUS_OK);
    assert_int_equal(prompt.pieces[1].length, BYTES);
    prompt_deinit(&prompt);
    chat_template_destroy(made);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_template_is_guessed_to_be_chatml),
        cmocka_unit_test(bos_appears_exactly_once_if_expected),
        cmocka_unit_test(a_refused_system_prompt_moves_into_the_first_message),
        cmocka_unit_test(stop_strings_are_found_by_trial_rendering),
        cmocka_unit_test(roles_render_as_control_and_messages_as_text),
        cmocka_unit_test(a_broken_template_is_refused_at_open),
        cmocka_unit_test(the_thinking_option_reaches_templates_that_read_it),
        cmocka_unit_test(trimmed_white_space_does_not_force_a_reread_of_the_answer),
        cmocka_unit_test(an_answer_rendered_differently_is_reread),
        cmocka_unit_test(a_thought_opened_by_the_template_is_kept),
        cmocka_unit_test(roles_are_found_by_name),
        cmocka_unit_test(an_empty_answer_is_omitted_if_the_template_refuses_it),
        cmocka_unit_test(a_built_in_template_is_recognised_by_its_name),
        cmocka_unit_test(a_long_message_does_not_exceed_the_templates_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
