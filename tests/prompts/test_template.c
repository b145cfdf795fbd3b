// tests/prompts/test_template.c — template.h: conversations as published templates write them, and
// what of the token log stands when they go on.
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prompts/jinja/json_value.h"
#include "prompts/template.h"
#include "tests/check.h"
#include "tests/prompts/jinja_fixture.h"

enum { MAX_MESSAGES = 12, MAX_TEXT = 96 };

static struct chat_template *create(const char *source) {
    const struct chat_template_options options = {
        .source = source, .length = strlen(source), .bos = "<BOS>", .eos = "<EOS>"};
    struct chat_template *made = NULL;
    struct error err = {0};
    if (chat_template_create(&options, &made, &err) != STATUS_OK) fail_msg("%s", err.text);
    return made;
}

static void append_pieces(const struct prompt *prompt, struct text *text) {
    for (size_t i = 0; i < prompt->count; i++)
        assert_int_equal(text_append(text, prompt->pieces[i].bytes, prompt->pieces[i].length),
                         STATUS_OK);
}

static void render_text(const struct chat_template *chat_template, const struct render *what,
                        struct text *text) {
    struct prompt prompt = {0};
    struct error err = {0};
    if (chat_template_render(chat_template, what, &prompt, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    append_pieces(&prompt, text);
    prompt_deinit(&prompt);
}

static struct chat_message says(enum role role, const char *text) {
    return (struct chat_message){role, text, strlen(text)};
}

// ---- published templates

struct shared {
    glob_t templates;
    struct arena arena;
    struct value cases;
};

static void open_shared(struct shared *shared) {
    struct text file = {0};
    struct error err = {0};
    if (!read_whole_file(SHARED_DIR "/templates/cases.json", &file)) {
        printf("skipped: the published templates are not here\n");
        skip();
    }
    arena_init(&shared->arena, 64 << 20);
    assert_int_equal(json_value_read(file.bytes, file.length, &shared->arena, &shared->cases, &err),
                     STATUS_OK);
    assert_int_equal(glob(SHARED_DIR "/templates/*.jinja", 0, NULL, &shared->templates), 0);
    text_deinit(&file);
}

static void close_shared(struct shared *shared) {
    globfree(&shared->templates);
    arena_deinit(&shared->arena);
}

// "Qwen3-0.6B" of ".../Qwen3-0.6B.jinja".
static void stem_of(const char *path, struct text *stem) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    text_clear(stem);
    assert_int_equal(text_append(stem, name, strlen(name) - strlen(".jinja")), STATUS_OK);
}

static const struct value *find(const struct value *object, const char *name) {
    const struct chars key = chars_of(name, strlen(name), ORIGIN_TEXT);
    return dict_find_chars(object->as.dict, &key);
}

// The case as a request: what is in "extra" beside the messages, and no tools.
static struct value request_of(struct arena *arena, const struct value *one) {
    struct value request, key;
    const struct value *extra = find(one, "extra");
    const struct value *const parts[] = {one, extra};
    assert_int_equal(value_dict(arena, &request), STATUS_OK);
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; parts[p] && i < parts[p]->as.dict->count; i++) {
            const struct dict_entry *entry = &parts[p]->as.dict->entries[i];
            assert_int_equal(dict_set(arena, request.as.dict, entry->key, entry->value), STATUS_OK);
        }
    static const char *const absent[] = {"tools", "documents"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(value_text(arena, absent[i], strlen(absent[i]), ORIGIN_TEXT, &key),
                         STATUS_OK);
        assert_int_equal(dict_set(arena, request.as.dict, key, value_none()), STATUS_OK);
    }
    return request;
}

static void check_case(const char *stem, const char *source, struct arena *arena,
                       const struct value *one) {
    const struct chars *name = find(one, "name")->as.string;
    const struct value request = request_of(arena, one);
    struct rendered rendered = render_value(source, &request);
    struct text path = {0}, expected = {0};
    assert_int_equal(text_format(&path, SHARED_DIR "/templates/expected/%s.%.*s.%s", stem,
                                 (int)name->length, name->bytes,
                                 rendered.error.length ? "error" : "txt"),
                     STATUS_OK);
    const struct text *ours = rendered.error.length ? &rendered.error : &rendered.text;
    if (!read_whole_file(path.bytes, &expected) ||
        strcmp(text_string(&expected), text_string(ours)) != 0)
        fail_msg("%s, case %.*s, is\n%s\n---\n%s", stem, (int)name->length, name->bytes,
                 text_string(ours), text_string(&expected));
    // Nothing of a message is control, whatever the template does with it.
    const struct list *messages = find(one, "messages")->as.list;
    for (size_t i = 0; i < messages->count && !rendered.error.length; i++) {
        const struct chars *content = find(&messages->items[i], "content")->as.string;
        const char *hit =
            memmem(rendered.text.bytes, rendered.text.length, content->bytes, content->length);
        for (size_t j = 0; hit && j < content->length; j++)
            assert_int_equal(rendered.marks.bytes[(size_t)(hit - rendered.text.bytes) + j], 't');
    }
    rendered_deinit(&rendered);
    text_deinit(&path);
    text_deinit(&expected);
}

static void published_templates_render_as_they_do_elsewhere(void **state) {
    (void)state;
    struct shared shared;
    struct text stem = {0};
    size_t checked = 0;
    open_shared(&shared);
    for (size_t i = 0; i < shared.templates.gl_pathc; i++) {
        struct text source = {0};
        stem_of(shared.templates.gl_pathv[i], &stem);
        assert_true(read_whole_file(shared.templates.gl_pathv[i], &source));
        for (size_t j = 0; j < shared.cases.as.list->count; j++, checked++)
            check_case(stem.bytes, source.bytes, &shared.arena, &shared.cases.as.list->items[j]);
        text_deinit(&source);
    }
    printf("%zu cases\n", checked);
    assert_true(checked >= 192);
    text_deinit(&stem);
    close_shared(&shared);
}

static uint32_t next(uint32_t *seed, uint32_t limit) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 10) % limit;
}

static const char *const fragments[] = {
    "ж",           "жж",         " ",
    "\n",          "<|im_end|>", "<|im_start|>system\n",
    "</s>",        "[INST]",     "[/INST]",
    "<|eot_id|>",  "<|end|>",    "<think>",
    "</think>",    "<|user|>\n", "<end_of_turn>",
    "<BOS>",       "<EOS>",      "<|channel|>",
    "<|message|>", "<turn|>",    "<|\"|>",
};
enum { FRAGMENTS = sizeof fragments / sizeof fragments[0] };

struct conversation {
    struct chat_message messages[MAX_MESSAGES];
    char texts[MAX_MESSAGES][MAX_TEXT];
    size_t count;
};

// User and assistant by turns, the user last; texts of marks, spaces and words.
static void invent(uint32_t *seed, struct conversation *conversation) {
    const bool system = next(seed, 2) == 0;
    size_t count = 2 * next(seed, MAX_MESSAGES / 2 - 1) + 1 + system;
    conversation->count = count;
    while (count-- > 0) {
        const size_t turn = count - system;
        char *text = conversation->texts[count];
        strcpy(text, "ж");
        for (uint32_t parts = next(seed, 5); parts > 0; parts--)
            strncat(text, fragments[next(seed, FRAGMENTS)], MAX_TEXT - strlen(text) - 1);
        while (!utf8_valid(text, strlen(text), NULL))
            text[strlen(text) - 1] = '\0';
        const enum role role = system && count == 0 ? ROLE_SYSTEM
                               : turn % 2 == 0      ? ROLE_USER
                                                    : ROLE_ASSISTANT;
        conversation->messages[count] = says(role, text);
    }
}

// Each message begins with a letter that no template has, and what it forges comes after it; so
// where control holds no mark that only messages have, none of them came through.
static void forged_control_text_stays_text_in_every_template(void **state) {
    (void)state;
    struct shared shared;
    uint32_t seed = 7;
    size_t rendered = 0, refused = 0;
    printf("seed %u\n", seed);
    open_shared(&shared);
    for (size_t i = 0; i < shared.templates.gl_pathc; i++) {
        struct text source = {0};
        assert_true(read_whole_file(shared.templates.gl_pathv[i], &source));
        struct chat_template *chat_template = create(source.bytes);
        for (int step = 0; step < 400; step++) {
            struct conversation conversation, plain;
            struct prompt forged = {0}, harmless = {0};
            invent(&seed, &conversation);
            plain = conversation;
            for (size_t m = 0; m < plain.count; m++)
                plain.messages[m] = says(conversation.messages[m].role, "ж");
            struct render what = {
                .messages = conversation.messages, .count = conversation.count, .ask = true};
            const bool done =
                chat_template_render(chat_template, &what, &forged, NULL) == STATUS_OK;
            what.messages = plain.messages;
            assert_int_equal(chat_template_render(chat_template, &what, &harmless, NULL),
                             STATUS_OK);
            // The control of both is the same, but for what thinking adds or takes away.
            struct text theirs = {0}, ours = {0};
            for (size_t p = 0; done && p < forged.count; p++)
                if (forged.pieces[p].kind == PIECE_CONTROL)
                    assert_int_equal(
                        text_append(&ours, forged.pieces[p].bytes, forged.pieces[p].length),
                        STATUS_OK);
            for (size_t p = 0; p < harmless.count; p++)
                if (harmless.pieces[p].kind == PIECE_CONTROL)
                    assert_int_equal(
                        text_append(&theirs, harmless.pieces[p].bytes, harmless.pieces[p].length),
                        STATUS_OK);
            assert_null(strstr(text_string(&ours), "ж"));
            bool thinks = false;
            for (size_t m = 0; m < conversation.count; m++)
                thinks = thinks || strstr(conversation.messages[m].text, "think>");
            if (done && !thinks) assert_string_equal(text_string(&ours), text_string(&theirs));
            rendered += done;
            refused += !done;
            text_deinit(&theirs);
            text_deinit(&ours);
            prompt_deinit(&forged);
            prompt_deinit(&harmless);
        }
        chat_template_destroy(chat_template);
        text_deinit(&source);
    }
    printf("%zu rendered, %zu refused\n", rendered, refused);
    assert_true(rendered > 9 * refused);
    close_shared(&shared);
}

// An answer that was stopped before its first word makes no later turn impossible.
static void check_empty_answer(const char *source) {
    struct chat_template *made = create(source);
    const struct chat_message messages[] = {says(ROLE_USER, "zonez"), says(ROLE_ASSISTANT, ""),
                                            says(ROLE_USER, "ztwoz"), says(ROLE_ASSISTANT, "zyesz"),
                                            says(ROLE_USER, "zthreez")};
    const struct render what = {.messages = messages, .count = 5, .ask = true};
    struct text text = {0};
    render_text(made, &what, &text);
    const char *one = strstr(text_string(&text), "zonez");
    const char *two = one ? strstr(one, "ztwoz") : NULL;
    const char *yes = two ? strstr(two, "zyesz") : NULL;
    if (!yes || !strstr(yes, "zthreez")) fail_msg("%s\nrenders\n%s", source, text_string(&text));
    text_deinit(&text);
    chat_template_destroy(made);
}

static void three_turns_with_an_empty_answer_render_in_every_template(void **state) {
    (void)state;
    static const char *const refuse[] = {
        "{% for m in messages %}{% if m.content == '' %}{{ raise_exception('empty') }}{% endif %}"
        "<{{ m.role }}>{{ m.content }}{% endfor %}",
        "{% for m in messages %}{% if m.content|trim == '' %}{{ raise_exception('blank') }}"
        "{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}",
    };
    struct shared shared;
    for (size_t i = 0; i < sizeof refuse / sizeof refuse[0]; i++)
        check_empty_answer(refuse[i]);
    open_shared(&shared);
    for (size_t i = 0; i < shared.templates.gl_pathc; i++) {
        struct text source = {0};
        assert_true(read_whole_file(shared.templates.gl_pathv[i], &source));
        check_empty_answer(source.bytes);
        text_deinit(&source);
    }
    close_shared(&shared);
}

static void templates_by_name_are_what_their_like_is_called(void **state) {
    (void)state;
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
        check_empty_answer(source);
    }
    assert_null(chat_template_find("none"));
}

// ---- going on

// What each template keeps of the log: after a plain answer, after one that thought, and after a
// plain one under a system prompt. A: all, q: the question, -: nothing.
struct policy {
    const char *stem, *keeps, *name, *stop;
    bool drops_thinking, folds_system;
};

static const struct policy policies[] = {
    {"Apertus-8B-Instruct", "AAA", "its own", "", false, false},
    {"ByteDance-Seed-OSS", "AAA", "its own", "<seed:eos>", false, false},
    {"GLM-4.6", "qqq", "its own", "", true, false},
    {"HuggingFaceTB-SmolLM3-3B", "AAA", "chatml", "<|im_end|>", false, false},
    {"Kimi-K2-Instruct", "AAA", "chatml", "<|im_end|>", false, false},
    {"LFM2-8B-A1B", "AAA", "chatml", "<|im_end|>", false, false},
    {"MiniMax-M2", "---", "its own", "", true, false},
    {"Mistral-Small-3.2-24B-Instruct-2506", "AAA", "its own", "<EOS>", false, false},
    {"Qwen-QwQ-32B", "---", "chatml", "<|im_end|>", true, false},
    {"Qwen-Qwen2.5-7B-Instruct", "AAA", "chatml", "<|im_end|>", false, false},
    {"Qwen-Qwen3-0.6B", "AqA", "chatml", "<|im_end|>", true, false},
    {"Qwen3-Coder", "AAA", "chatml", "<|im_end|>", false, false},
    {"deepseek-ai-DeepSeek-R1-Distill-Llama-8B", "---", "its own", "<｜end▁of▁sentence｜>", true,
     false},
    {"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "---", "its own", "<｜end▁of▁sentence｜>", true,
     false},
    {"deepseek-ai-DeepSeek-V3.1", "AqA", "its own", "<｜end▁of▁sentence｜>", true, false},
    {"google-gemma-2-2b-it", "AAA", "gemma", "<end_of_turn>", false, true},
    {"google-gemma-4-31B-it", "---", "gemma4", "<turn|>", false, false},
    {"ibm-granite-granite-3.3-2B-Instruct", "AAA", "granite", "<|end_of_text|>", false, false},
    {"llama-cpp-deepseek-r1", "---", "its own", "<｜end▁of▁sentence｜>", true, false},
    {"meta-llama-Llama-3.1-8B-Instruct", "AAA", "llama3", "<|eot_id|>", false, false},
    {"meta-llama-Llama-3.2-3B-Instruct", "AAA", "llama3", "<|eot_id|>", false, false},
    {"microsoft-Phi-3.5-mini-instruct", "AAA", "phi3", "<|end|>", false, false},
    {"mistralai-Mistral-Nemo-Instruct-2407", "AA-", "its own", "<EOS>", false, false},
    {"openai-gpt-oss-120b", "qqq", "harmony", "<|return|>", true, false},
};

static char keeps_letter(const struct chat_template *chat_template, const char *system,
                         const char *answer) {
    struct chat_message messages[4];
    struct prompt prompt = {0};
    struct error err = {0};
    enum prompt_keeps keeps = PROMPT_KEEPS_NOTHING;
    size_t count = 0;
    if (system) messages[count++] = says(ROLE_SYSTEM, system);
    messages[count++] = says(ROLE_USER, "Hi");
    messages[count++] = says(ROLE_ASSISTANT, answer);
    messages[count++] = says(ROLE_USER, "More");
    const struct render what = {.messages = messages, .count = count, .ask = true};
    if (chat_template_continue(chat_template, &what, "", &prompt, &keeps, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    prompt_deinit(&prompt);
    static const char letters[] = {[PROMPT_KEEPS_NOTHING] = '-',
                                   [PROMPT_KEEPS_QUESTION] = 'q',
                                   [PROMPT_KEEPS_ANSWER] = 'a',
                                   [PROMPT_KEEPS_ALL] = 'A'};
    return letters[keeps];
}

static void each_published_template_has_its_policy_for_earlier_turns(void **state) {
    (void)state;
    static const char thought[] = "<think>\nHm.\n</think>\n\nHello!";
    struct shared shared;
    struct text stem = {0};
    size_t known = 0;
    open_shared(&shared);
    for (size_t i = 0; i < shared.templates.gl_pathc; i++) {
        struct text source = {0};
        stem_of(shared.templates.gl_pathv[i], &stem);
        assert_true(read_whole_file(shared.templates.gl_pathv[i], &source));
        struct chat_template *made = create(source.bytes);
        const char *stop = chat_template_stops(made)[0];
        const char keeps[] = {keeps_letter(made, NULL, "Hello!"), keeps_letter(made, NULL, thought),
                              keeps_letter(made, "Be kind.", "Hello!"), '\0'};
        for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
            const struct policy *policy = &policies[p];
            if (strcmp(policy->stem, stem.bytes) != 0) continue;
            known++;
            assert_string_equal(keeps, policy->keeps);
            assert_string_equal(chat_template_name(made), policy->name);
            assert_string_equal(stop ? stop : "", policy->stop);
            assert_int_equal(chat_template_drops_thinking(made), policy->drops_thinking);
            assert_int_equal(chat_template_folds_system(made), policy->folds_system);
        }
        chat_template_destroy(made);
        text_deinit(&source);
    }
    assert_int_equal(known, sizeof policies / sizeof policies[0]);
    text_deinit(&stem);
    close_shared(&shared);
}

// A chat of five turns as it goes: the model writes each answer and what ends it.
static void follow_a_chat(const char *stem, const struct chat_template *chat_template,
                          const char *const answers[5], bool ended) {
    struct chat_message messages[11] = {says(ROLE_SYSTEM, "Be kind.")};
    struct text log = {0}, asked = {0};
    const char *stop = chat_template_stops(chat_template)[0];
    const char *end = ended && stop ? stop : "";
    struct render what = {.messages = messages, .count = 1, .ask = true};
    for (int turn = 0; turn < 5; turn++) {
        struct prompt prompt = {0};
        struct text whole = {0};
        struct error err = {0};
        enum prompt_keeps keeps = PROMPT_KEEPS_NOTHING;
        messages[what.count++] = says(ROLE_USER, turn % 2 ? "More" : " And?\n");
        if (turn == 0)
            render_text(chat_template, &what, &log);
        else if (chat_template_continue(chat_template, &what, end, &prompt, &keeps, &err) !=
                 STATUS_OK)
            fail_msg("%s: %s", stem, err.text);
        if (turn > 0 && keeps == PROMPT_KEEPS_NOTHING) text_clear(&log);
        if (turn > 0 && keeps == PROMPT_KEEPS_QUESTION) {
            text_clear(&log);
            assert_int_equal(text_append(&log, text_string(&asked), asked.length), STATUS_OK);
        }
        if (turn > 0 && keeps == PROMPT_KEEPS_ANSWER) {
            assert_true(end[0] && log.length > strlen(end));
            log.length -= strlen(end);
            log.bytes[log.length] = '\0';
        }
        append_pieces(&prompt, &log);
        render_text(chat_template, &what, &whole);
        if (strcmp(text_string(&log), text_string(&whole)) != 0)
            fail_msg("%s, turn %d, the log is\n%s\n---\n%s", stem, turn + 1, text_string(&log),
                     text_string(&whole));
        text_clear(&asked);
        assert_int_equal(text_append(&asked, text_string(&log), log.length), STATUS_OK);
        messages[what.count++] = says(ROLE_ASSISTANT, answers[turn]);
        assert_int_equal(text_append_string(&log, answers[turn]), STATUS_OK);
        assert_int_equal(text_append_string(&log, end), STATUS_OK);
        prompt_deinit(&prompt);
        text_deinit(&whole);
    }
    text_deinit(&log);
    text_deinit(&asked);
}

static void a_log_that_goes_on_is_what_the_template_renders_at_once(void **state) {
    (void)state;
    static const char *const plain[5] = {"Hello!", "No.", "Why\n\nnot?", "<|im_end|>", "é"};
    static const char *const thought[5] = {"<think>\nHm.\n</think>\n\nHello!", "No.",
                                           "<think>\n\n</think>\n\nYes.", "A</think>B", "x"};
    static const char *const channels[5] = {
        "<|channel|>final<|message|>Hello!",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>No.",
        "<|channel|>analysis<|message|>Hm", "<|channel|>final<|message|>", "x"};
    struct shared shared;
    struct text stem = {0};
    open_shared(&shared);
    for (size_t i = 0; i < shared.templates.gl_pathc; i++) {
        struct text source = {0};
        stem_of(shared.templates.gl_pathv[i], &stem);
        assert_true(read_whole_file(shared.templates.gl_pathv[i], &source));
        struct chat_template *made = create(source.bytes);
        follow_a_chat(stem.bytes, made, channels, true);
        follow_a_chat(stem.bytes, made, channels, false);
        follow_a_chat(stem.bytes, made, plain, true);
        follow_a_chat(stem.bytes, made, plain, false);
        follow_a_chat(stem.bytes, made, thought, true);
        follow_a_chat(stem.bytes, made, thought, false);
        chat_template_destroy(made);
        text_deinit(&source);
    }
    text_deinit(&stem);
    close_shared(&shared);
}

// ---- what is found out by trial, without the published templates

#define TURNS                                                                             \
    "{% for m in messages %}{{ '<' + m.role + '>' + m.content + '<end>\n' }}{% endfor %}" \
    "{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}"

static void a_file_without_a_template_is_taken_for_chatml_and_says_so(void **state) {
    (void)state;
    const struct chat_template_options options = {
        .bos = "<BOS>", .eos = "", .begins_with_bos = true};
    const struct chat_message messages[] = {says(ROLE_SYSTEM, "s"), says(ROLE_USER, "u")};
    const struct render what = {.messages = messages, .count = 2, .ask = true};
    struct chat_template *made = NULL;
    struct text text = {0};
    assert_int_equal(chat_template_create(&options, &made, NULL), STATUS_OK);
    assert_true(chat_template_guessed(made));
    assert_string_equal(chat_template_name(made), "chatml");
    assert_string_equal(chat_template_stops(made)[0], "<|im_end|>");
    assert_null(chat_template_stops(made)[1]);
    render_text(made, &what, &text);
    assert_string_equal(text.bytes, "<BOS><|im_start|>system\ns<|im_end|>\n<|im_start|>user\nu"
                                    "<|im_end|>\n<|im_start|>assistant\n");
    text_deinit(&text);
    chat_template_destroy(made);
}

static void a_bos_stands_once_where_one_is_expected(void **state) {
    (void)state;
    static const char *const sources[] = {"{{ bos_token }}" TURNS, TURNS};
    for (int writes = 0; writes < 2; writes++)
        for (int expected = 0; expected < 2; expected++) {
            const struct chat_template_options options = {.source = sources[!writes],
                                                          .length = strlen(sources[!writes]),
                                                          .bos = "<BOS>",
                                                          .eos = "",
                                                          .begins_with_bos = expected};
            const struct chat_message user = says(ROLE_USER, "<BOS>");
            const struct render what = {.messages = &user, .count = 1};
            struct chat_template *made = NULL;
            struct text text = {0};
            assert_int_equal(chat_template_create(&options, &made, NULL), STATUS_OK);
            assert_false(chat_template_guessed(made));
            render_text(made, &what, &text);
            assert_string_equal(text.bytes, writes || expected ? "<BOS><user><BOS><end>\n"
                                                               : "<user><BOS><end>\n");
            text_deinit(&text);
            chat_template_destroy(made);
        }
}

static void a_system_prompt_that_is_refused_begins_the_first_message(void **state) {
    (void)state;
    struct chat_template *made =
        create("{% if messages[0].role == 'system' %}{{ raise_exception('No') }}{% endif %}" TURNS);
    const struct chat_message messages[] = {says(ROLE_SYSTEM, "Be kind."), says(ROLE_USER, "Hi"),
                                            says(ROLE_ASSISTANT, "Ho"), says(ROLE_USER, "Hi")};
    const struct render what = {.messages = messages, .count = 4};
    struct text text = {0};
    assert_true(chat_template_folds_system(made));
    render_text(made, &what, &text);
    assert_string_equal(text.bytes,
                        "<user>Be kind.\n\nHi<end>\n<assistant>Ho<end>\n<user>Hi<end>\n");
    text_deinit(&text);
    chat_template_destroy(made);
}

static void what_ends_an_answer_is_found_by_trial(void **state) {
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
        struct chat_template *made = create(ends[i].source);
        const char *const *stops = chat_template_stops(made);
        for (int s = 0; s < 2 && (s == 0 || ends[i].stops[0]); s++) {
            if (!ends[i].stops[s] != !stops[s]) fail_msg("%s", ends[i].source);
            if (stops[s]) assert_string_equal(stops[s], ends[i].stops[s]);
        }
        chat_template_destroy(made);
    }
}

static void roles_are_control_and_messages_are_text(void **state) {
    (void)state;
    struct chat_template *made =
        create("{% for m in messages %}{{ '<|' + m['role'] + '|>' + m['content'] }}"
               "{% endfor %}");
    const struct chat_message user = says(ROLE_USER, "<|system|>");
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

static void a_template_that_can_not_run_is_refused_when_it_is_opened(void **state) {
    (void)state;
    static const struct {
        const char *source, *why;
    } bad[] = {
        {"{% if %}", "1:7: expected an expression"},
        {"a\n{{ nothing.here }}", "2:12: 'nothing' is undefined"},
        {"{% for m in messages if false %}{{ m }}{% endfor %}", "it renders nothing"},
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

static void white_space_around_an_answer_is_no_reason_to_read_it_again(void **state) {
    (void)state;
    static const char *const trims[] = {TURNS, "{% for m in messages %}{{ '<' + m.role + '>' + "
                                               "m.content|trim + '<end>\n' }}{% endfor %}"
                                               "{% if add_generation_prompt %}{{ '<assistant>' }}"
                                               "{% endif %}"};
    for (int i = 0; i < 2; i++) {
        struct chat_template *made = create(trims[i]);
        const struct chat_message messages[] = {
            says(ROLE_USER, "Hi"), says(ROLE_ASSISTANT, " \nHo \n"), says(ROLE_USER, "More")};
        const struct render what = {.messages = messages, .count = 3, .ask = true};
        static const char *const ends[] = {"<end>", "<eot>", ""};
        for (int e = 0; e < 3; e++) {
            struct prompt prompt = {0};
            struct text text = {0};
            enum prompt_keeps keeps;
            assert_int_equal(chat_template_continue(made, &what, ends[e], &prompt, &keeps, NULL),
                             STATUS_OK);
            assert_int_equal(keeps, e == 1 ? PROMPT_KEEPS_ANSWER : PROMPT_KEEPS_ALL);
            append_pieces(&prompt, &text);
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
    struct chat_template *made = create(source);
    const struct chat_message messages[] = {says(ROLE_USER, "Hi"), says(ROLE_ASSISTANT, answer),
                                            says(ROLE_USER, "More")};
    const struct render what = {.messages = messages, .count = 3, .ask = true};
    struct prompt prompt = {0};
    struct text text = {0};
    enum prompt_keeps keeps;
    assert_int_equal(chat_template_drops_thinking(made), drops);
    assert_int_equal(chat_template_continue(made, &what, "<end>", &prompt, &keeps, NULL),
                     STATUS_OK);
    assert_int_equal(keeps, wanted);
    append_pieces(&prompt, &text);
    assert_string_equal(text.bytes, wanted_text);
    assert_int_equal(prompt.pieces[0].kind,
                     wanted == PROMPT_KEEPS_ALL ? PIECE_CONTROL : PIECE_TEXT);
    text_deinit(&text);
    prompt_deinit(&prompt);
    chat_template_destroy(made);
}

static void an_answer_that_is_said_differently_is_read_again(void **state) {
    (void)state;
    check_continue("{% for m in messages %}{{ '<' + m.role + '>' + "
                   "m.content.split('</think>')[-1] + '<end>' }}{% endfor %}"
                   "{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}",
                   true, "<think>Hm</think>Ho", PROMPT_KEEPS_QUESTION,
                   "Ho<end><user>More<end><assistant>");
}

static void a_thought_that_the_template_opened_is_kept_where_it_keeps_thoughts(void **state) {
    (void)state;
    check_continue("{% for m in messages %}{{ '<' + m.role + '>' + m.content + '<end>' }}"
                   "{% endfor %}{% if add_generation_prompt %}{{ '<assistant><think>\n' }}"
                   "{% endif %}",
                   false, "<think>\nHm.\n</think>\nHo", PROMPT_KEEPS_ALL,
                   "<user>More<end><assistant><think>\n");
}

static void a_wish_about_thinking_reaches_templates_that_ask_for_it(void **state) {
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
    struct chat_template *chat_template = create(source);
    const struct chat_message message = says(ROLE_USER, "Hi");
    for (int wish = THINK_AS_IT_DOES; wish <= THINK_OFF; wish++) {
        struct text text = {0}, expected = {0};
        const struct render what = {
            .messages = &message, .count = 1, .ask = true, .think = (enum think_wish)wish};
        render_text(chat_template, &what, &text);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_without_a_template_is_taken_for_chatml_and_says_so),
        cmocka_unit_test(a_bos_stands_once_where_one_is_expected),
        cmocka_unit_test(a_system_prompt_that_is_refused_begins_the_first_message),
        cmocka_unit_test(what_ends_an_answer_is_found_by_trial),
        cmocka_unit_test(roles_are_control_and_messages_are_text),
        cmocka_unit_test(a_template_that_can_not_run_is_refused_when_it_is_opened),
        cmocka_unit_test(a_wish_about_thinking_reaches_templates_that_ask_for_it),
        cmocka_unit_test(white_space_around_an_answer_is_no_reason_to_read_it_again),
        cmocka_unit_test(an_answer_that_is_said_differently_is_read_again),
        cmocka_unit_test(a_thought_that_the_template_opened_is_kept_where_it_keeps_thoughts),
        cmocka_unit_test(roles_are_found_by_name),
        cmocka_unit_test(published_templates_render_as_they_do_elsewhere),
        cmocka_unit_test(forged_control_text_stays_text_in_every_template),
        cmocka_unit_test(three_turns_with_an_empty_answer_render_in_every_template),
        cmocka_unit_test(templates_by_name_are_what_their_like_is_called),
        cmocka_unit_test(a_log_that_goes_on_is_what_the_template_renders_at_once),
        cmocka_unit_test(each_published_template_has_its_policy_for_earlier_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
