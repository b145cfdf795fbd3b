// tests/prompts/test_published.c — template.h: conversations as published templates write them, and
// what remains valid of the token log when they continue.
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prompts/jinja/json_value.h"
#include "tests/check.h"
#include "tests/prompts/jinja_fixture.h"
#include "tests/prompts/template_fixture.h"
#include "tests/published.h"

enum { TEMPLATES_MAX = 64 };

static const char *folder;

struct published_template {
    struct text stem, source; // "Qwen3-0.6B" of ".../Qwen3-0.6B.jinja"
};

struct shared {
    struct published_template templates[TEMPLATES_MAX];
    size_t count;
    struct arena arena;
    struct value cases;
};

static void read_templates(struct shared *shared) {
    struct text pattern = {0};
    glob_t found;
    assert_int_equal(text_format(&pattern, "%s/templates/*.jinja", folder), STATUS_OK);
    assert_int_equal(glob(pattern.bytes, 0, NULL, &found), 0);
    assert_true(found.gl_pathc <= TEMPLATES_MAX);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct published_template *template = &shared->templates[shared->count++];
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        *template = (struct published_template){0};
        assert_int_equal(text_append(&template->stem, name, strlen(name) - strlen(".jinja")),
                         STATUS_OK);
        assert_true(read_whole_file(found.gl_pathv[i], &template->source));
    }
    globfree(&found);
    text_deinit(&pattern);
}

static void open_shared(struct shared *shared) {
    struct text file = {0};
    struct error err = {0};
    struct text path = {0};
    assert_int_equal(text_format(&path, "%s/templates/cases.json", folder), STATUS_OK);
    if (!read_whole_file(path.bytes, &file)) fail_msg("cannot read %s", path.bytes);
    arena_init(&shared->arena, 64 << 20);
    assert_int_equal(json_value_read(file.bytes, file.length, &shared->arena, &shared->cases, &err),
                     STATUS_OK);
    shared->count = 0;
    read_templates(shared);
    text_deinit(&path);
    text_deinit(&file);
}

static void close_shared(struct shared *shared) {
    for (size_t i = 0; i < shared->count; i++) {
        text_deinit(&shared->templates[i].stem);
        text_deinit(&shared->templates[i].source);
    }
    arena_deinit(&shared->arena);
}

static const struct value *find_member(const struct value *object, const char *name) {
    const struct chars key = chars_of(name, strlen(name), ORIGIN_TEXT);
    return dict_find_chars(object->as.dict, &key);
}

// The case as a request: what is in "extra" in addition to the messages, and no tools.
static struct value request_of(struct arena *arena, const struct value *one) {
    struct value request, key;
    const struct value *extra = find_member(one, "extra");
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
    const struct chars *name = find_member(one, "name")->as.string;
    const struct value request = request_of(arena, one);
    struct rendered rendered = render_value(source, &request);
    struct text path = {0}, expected = {0};
    assert_int_equal(text_format(&path, "%s/templates/expected/%s.%.*s.%s", folder, stem,
                                 (int)name->length, name->bytes,
                                 rendered.error.length ? "error" : "txt"),
                     STATUS_OK);
    const struct text *ours = rendered.error.length ? &rendered.error : &rendered.text;
    if (!read_whole_file(path.bytes, &expected) ||
        strcmp(text_string(&expected), text_string(ours)) != 0)
        fail_msg("%s, case %.*s, is\n%s\n---\n%s", stem, (int)name->length, name->bytes,
                 text_string(ours), text_string(&expected));
    // Nothing of a message is control, whatever the template does with it.
    const struct list *messages = find_member(one, "messages")->as.list;
    for (size_t i = 0; i < messages->count && !rendered.error.length; i++) {
        const struct chars *content = find_member(&messages->items[i], "content")->as.string;
        const char *hit =
            memmem(rendered.text.bytes, rendered.text.length, content->bytes, content->length);
        for (size_t j = 0; hit && j < content->length; j++)
            assert_int_equal(rendered.marks.bytes[(size_t)(hit - rendered.text.bytes) + j], 't');
    }
    rendered_deinit(&rendered);
    text_deinit(&path);
    text_deinit(&expected);
}

static void published_templates_render_as_the_golden_cases_say(void **state) {
    (void)state;
    struct shared shared;
    size_t checked = 0;
    open_shared(&shared);
    for (size_t i = 0; i < shared.count; i++) {
        const struct published_template *template = &shared.templates[i];
        for (size_t j = 0; j < shared.cases.as.list->count; j++, checked++)
            check_case(template->stem.bytes, template->source.bytes, &shared.arena,
                       &shared.cases.as.list->items[j]);
    }
    printf("%zu cases\n", checked);
    assert_true(checked >= 192);
    close_shared(&shared);
}
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
    if (system) messages[count++] = template_says(ROLE_SYSTEM, system);
    messages[count++] = template_says(ROLE_USER, "Hi");
    messages[count++] = template_says(ROLE_ASSISTANT, answer);
    messages[count++] = template_says(ROLE_USER, "More");
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
static void published_templates_have_the_expected_policies(void **state) {
    (void)state;
    static const char thought[] = "<think>\nHm.\n</think>\n\nHello!";
    struct shared shared;
    size_t known = 0;
    open_shared(&shared);
    for (size_t i = 0; i < shared.count; i++) {
        const struct published_template *template = &shared.templates[i];
        struct chat_template *made = template_create(template->source.bytes);
        const char *stop = chat_template_stops(made)[0];
        const char keeps[] = {keeps_letter(made, NULL, "Hello!"), keeps_letter(made, NULL, thought),
                              keeps_letter(made, "Be kind.", "Hello!"), '\0'};
        for (size_t p = 0; p < sizeof policies / sizeof policies[0]; p++) {
            const struct policy *policy = &policies[p];
            if (strcmp(policy->stem, template->stem.bytes) != 0) continue;
            known++;
            assert_string_equal(keeps, policy->keeps);
            assert_string_equal(chat_template_name(made), policy->name);
            assert_string_equal(stop ? stop : "", policy->stop);
            assert_int_equal(chat_template_drops_thinking(made), policy->drops_thinking);
            assert_int_equal(chat_template_folds_system(made), policy->folds_system);
        }
        chat_template_destroy(made);
    }
    assert_int_equal(known, sizeof policies / sizeof policies[0]);
    close_shared(&shared);
}

static void published_templates_pass_the_general_checks(void **state) {
    (void)state;
    struct shared shared;
    uint32_t seed = 7;
    printf("seed %u\n", seed);
    open_shared(&shared);
    for (size_t i = 0; i < shared.count; i++) {
        const struct published_template *template = &shared.templates[i];
        template_check_forged(template->source.bytes, &seed);
        template_check_empty_answer(template->source.bytes);
        template_check_chats(template->stem.bytes, template->source.bytes);
    }
    close_shared(&shared);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_templates_render_as_the_golden_cases_say),
        cmocka_unit_test(published_templates_pass_the_general_checks),
        cmocka_unit_test(published_templates_have_the_expected_policies),
    };
    folder = published_folder();
    return folder ? cmocka_run_group_tests(tests, NULL, NULL) : PUBLISHED_SKIPPED;
}
