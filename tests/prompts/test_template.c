// tests/prompts/test_template.c — template.h: conversations by hand, at random, and as published.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cjson/cJSON.h>

#include "engine/base/text.h"
#include "prompts/template.h"
#include "tests/check.h"

enum { MAX_MESSAGES = 12, MAX_TEXT = 64 };

// What each row must write, stated again by hand; "^" is BOS.
struct expectation {
    const char *name;
    const char *talk;        // the whole of `talk` below, asking
    const char *alone;       // one user message, no system, asking
    const char *answer_lead; // what the model itself writes before an answer
    const char *end, *rest;  // how an answer ends: written by the model, and not
    bool alternates, trims;
};

static const struct chat_message talk[] = {
    {ROLE_SYSTEM, "Be kind.", 8},    {ROLE_USER, "Hi", 2},       {ROLE_ASSISTANT, "Hello!", 6},
    {ROLE_USER, " One\njoke. ", 11}, {ROLE_ASSISTANT, "No.", 3}, {ROLE_USER, "Why?", 4},
};
enum { TALK = sizeof talk / sizeof talk[0] };

#define CHATML_TALK                                                                       \
    "^<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"           \
    "<|im_start|>assistant\nHello!<|im_end|>\n<|im_start|>user\n One\njoke. <|im_end|>\n" \
    "<|im_start|>assistant\nNo.<|im_end|>\n<|im_start|>user\nWhy?<|im_end|>\n"            \
    "<|im_start|>assistant\n"
#define CHATML_ALONE "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
#define LLAMA3_TALK                                                              \
    "Be kind.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>" \
    "<|start_header_id|>assistant<|end_header_id|>\n\nHello!<|eot_id|>"          \
    "<|start_header_id|>user<|end_header_id|>\n\nOne\njoke.<|eot_id|>"           \
    "<|start_header_id|>assistant<|end_header_id|>\n\nNo.<|eot_id|>"             \
    "<|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"                 \
    "<|start_header_id|>assistant<|end_header_id|>\n\n"
#define LLAMA3_ALONE                                           \
    "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>" \
    "<|start_header_id|>assistant<|end_header_id|>\n\n"
#define LLAMA3_SYSTEM "<|start_header_id|>system<|end_header_id|>\n\n"
#define LLAMA31_HEAD \
    LLAMA3_SYSTEM "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"

static const struct expectation expectations[] = {
    {"chatml", CHATML_TALK, "^" CHATML_ALONE, "", "<|im_end|>", "\n", false, false},
    {"qwen2.5", CHATML_TALK,
     "^<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant."
     "<|im_end|>\n" CHATML_ALONE,
     "", "<|im_end|>", "\n", false, false},
    {"qwen2", CHATML_TALK,
     "^<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n" CHATML_ALONE, "", "<|im_end|>",
     "\n", false, false},
    {"smollm2", CHATML_TALK,
     "^<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
     "<|im_end|>\n" CHATML_ALONE,
     "", "<|im_end|>", "\n", false, false},
    {"phi4",
     "^<|im_start|>system<|im_sep|>Be kind.<|im_end|><|im_start|>user<|im_sep|>Hi<|im_end|>"
     "<|im_start|>assistant<|im_sep|>Hello!<|im_end|>"
     "<|im_start|>user<|im_sep|> One\njoke. <|im_end|>"
     "<|im_start|>assistant<|im_sep|>No.<|im_end|><|im_start|>user<|im_sep|>Why?<|im_end|>"
     "<|im_start|>assistant<|im_sep|>",
     "^<|im_start|>user<|im_sep|>Hi<|im_end|><|im_start|>assistant<|im_sep|>", "", "<|im_end|>", "",
     false, false},
    {"llama3", "^" LLAMA3_SYSTEM LLAMA3_TALK, "^" LLAMA3_ALONE, "", "<|eot_id|>", "", false, true},
    {"llama3.1", "^" LLAMA31_HEAD LLAMA3_TALK, "^" LLAMA31_HEAD "<|eot_id|>" LLAMA3_ALONE, "",
     "<|eot_id|>", "", false, true},
    {"llama2",
     "^[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nHi [/INST] Hello! </s>"
     "^[INST] One\njoke. [/INST] No. </s>^[INST] Why? [/INST]",
     "^[INST] Hi [/INST]", " ", " </s>", "", true, true},
    {"mistral-v1",
     "^[INST] Be kind.\n\nHi [/INST] Hello!</s>[INST]  One\njoke.  [/INST] No.</s>"
     "[INST] Why? [/INST]",
     "^[INST] Hi [/INST]", " ", "</s>", "", true, false},
    {"mistral-v3",
     "^[INST]Be kind.\n\nHi[/INST]Hello!</s>[INST] One\njoke. [/INST]No.</s>[INST]Why?[/INST]",
     "^[INST]Hi[/INST]", "", "</s>", "", true, false},
    {"mistral-v7",
     "^[SYSTEM_PROMPT]Be kind.[/SYSTEM_PROMPT][INST]Hi[/INST]Hello!</s>"
     "[INST] One\njoke. [/INST]No.</s>[INST]Why?[/INST]",
     "^[INST]Hi[/INST]", "", "</s>", "", true, false},
    {"gemma",
     "^<start_of_turn>user\nBe kind.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello!"
     "<end_of_turn>\n<start_of_turn>user\nOne\njoke.<end_of_turn>\n<start_of_turn>model\nNo."
     "<end_of_turn>\n<start_of_turn>user\nWhy?<end_of_turn>\n<start_of_turn>model\n",
     "^<start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\n", "", "<end_of_turn>", "\n",
     true, true},
    {"phi3",
     "^<|system|>\nBe kind.<|end|>\n<|user|>\nHi<|end|>\n<|assistant|>\nHello!<|end|>\n"
     "<|user|>\n One\njoke. <|end|>\n<|assistant|>\nNo.<|end|>\n<|user|>\nWhy?<|end|>\n"
     "<|assistant|>\n",
     "^<|user|>\nHi<|end|>\n<|assistant|>\n", "", "<|end|>", "\n", false, false},
    {"zephyr",
     "^<|system|>\nBe kind.</s>\n<|user|>\nHi</s>\n<|assistant|>\nHello!</s>\n"
     "<|user|>\n One\njoke. </s>\n<|assistant|>\nNo.</s>\n<|user|>\nWhy?</s>\n<|assistant|>\n",
     "^<|user|>\nHi</s>\n<|assistant|>\n", "", "</s>", "\n", false, false},
};
enum { EXPECTATIONS = sizeof expectations / sizeof expectations[0] };

static const struct chat_template *row_named(const char *name) {
    const struct chat_template *row = chat_template_find(name);
    if (!row) fail_msg("no row is named %s", name);
    return row;
}

static struct prompt render(const struct chat_template *row, const struct render *what) {
    struct prompt prompt = {0};
    struct error err = {0};
    if (chat_template_render(row, what, &prompt, &err) != STATUS_OK)
        fail_msg("%s: %s", chat_template_name(row), err.text);
    return prompt;
}

static void append_prompt(struct text *text, const struct prompt *prompt) {
    for (size_t i = 0; i < prompt->count; i++)
        assert_int_equal(text_append(text, prompt->pieces[i].bytes, prompt->pieces[i].length),
                         STATUS_OK);
}

// The rendering as one string, appended to `text`.
static void render_text(const struct chat_template *row, const struct render *what,
                        struct text *text) {
    struct prompt prompt = render(row, what);
    append_prompt(text, &prompt);
    prompt_deinit(&prompt);
}

static struct render whole(const struct chat_message *messages, size_t count, bool ask) {
    return (struct render){
        .messages = messages, .count = count, .begins_with_bos = true, .ask = ask, .bos = "^"};
}

static void each_row_writes_a_talk_as_its_family_does(void **state) {
    (void)state;
    for (int i = 0; i < EXPECTATIONS; i++) {
        const struct expectation *expected = &expectations[i];
        const struct chat_template *row = row_named(expected->name);
        struct text text = {0};
        const struct render what = whole(talk, TALK, true);
        render_text(row, &what, &text);
        assert_string_equal(text_string(&text), expected->talk);
        text_clear(&text);
        const struct render alone = whole(&talk[1], 1, true);
        render_text(row, &alone, &text);
        assert_string_equal(text_string(&text), expected->alone);
        text_deinit(&text);
    }
}

static void a_model_without_bos_gets_none(void **state) {
    (void)state;
    for (int i = 0; i < EXPECTATIONS; i++) {
        struct render what = whole(talk, TALK, true);
        what.begins_with_bos = false;
        what.bos = "";
        struct text text = {0};
        render_text(row_named(expectations[i].name), &what, &text);
        assert_null(strchr(text_string(&text), '^'));
        text_deinit(&text);
    }
}

static uint32_t next(uint32_t *seed, uint32_t limit) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 10) % limit;
}

static const char *const fragments[] = {
    "a",          "word",
    " ",          "\n",
    "\t",         "é",
    "✓",          "\xE3\x80\x80",
    "<|im_end|>", "<|im_start|>system\n",
    "</s>",       "[INST]",
    "[/INST]",    "<|eot_id|>",
    "<<SYS>>",    "<|end|>",
    "<|user|>\n", "<end_of_turn>",
    "\xFF\xC3",   "<start_of_turn>",
    "^",          "[SYSTEM_PROMPT]",
};
enum { FRAGMENTS = sizeof fragments / sizeof fragments[0] };

struct conversation {
    struct chat_message messages[MAX_MESSAGES];
    char texts[MAX_MESSAGES][MAX_TEXT];
    size_t count;
};

// Roles as the row allows them; texts of marks, spaces and words, some of them empty.
static void invent(uint32_t *seed, bool alternates, struct conversation *conversation) {
    size_t count = 0;
    const size_t wanted = 1 + next(seed, MAX_MESSAGES);
    const bool system = next(seed, 2) == 0;
    while (count < wanted) {
        const size_t turn = count - (system && count > 0);
        enum role role = turn % 2 == 0 ? ROLE_USER : ROLE_ASSISTANT;
        if (!alternates && next(seed, 4) == 0) role = next(seed, 2) ? ROLE_USER : ROLE_ASSISTANT;
        if (system && count == 0) role = ROLE_SYSTEM;
        char *text = conversation->texts[count];
        text[0] = '\0';
        for (uint32_t parts = next(seed, 4); parts > 0; parts--)
            strncat(text, fragments[next(seed, FRAGMENTS)], MAX_TEXT - strlen(text) - 1);
        conversation->messages[count++] = (struct chat_message){role, text, strlen(text)};
    }
    conversation->count = count;
}

static bool belongs_to(const struct conversation *conversation, const char *bytes) {
    return bytes >= conversation->texts[0] &&
           bytes < conversation->texts[0] + sizeof conversation->texts;
}

// The token log of messages[0 .. count) as text, when messages[count-1] is an answer.
static void write_log(const struct expectation *row, const struct conversation *conversation,
                      size_t count, bool ended, struct text *log) {
    struct render what = whole(conversation->messages, count, false);
    render_text(row_named(row->name), &what, log);
    const size_t close = strlen(row->end) + strlen(row->rest);
    const size_t kept = log->length - close + (ended ? strlen(row->end) : 0);
    assert_true(log->length >= close);
    log->length = kept;
    log->bytes[kept] = '\0';
}

static void rendering_in_parts_equals_rendering_at_once(void **state) {
    (void)state;
    uint32_t seed = 20260102;
    printf("seed %u\n", seed);
    for (int step = 0; step < 20000; step++) {
        const struct expectation *expected = &expectations[step % EXPECTATIONS];
        const struct chat_template *row = row_named(expected->name);
        struct conversation conversation;
        invent(&seed, expected->alternates, &conversation);
        const size_t count = conversation.count;
        const bool ask = conversation.messages[count - 1].role == ROLE_USER;
        const size_t first = next(&seed, (uint32_t)count);
        const bool ended = next(&seed, 2) == 0;
        struct text at_once = {0}, parts = {0};
        struct render what = whole(conversation.messages, count, ask);
        render_text(row, &what, &at_once);
        if (first > 0 && conversation.messages[first - 1].role == ROLE_ASSISTANT) {
            write_log(expected, &conversation, first, ended, &parts);
        } else if (first > 0) {
            const struct render past = whole(conversation.messages, first, false);
            render_text(row, &past, &parts);
        }
        what.first = first;
        what.answer_ended = ended;
        render_text(row, &what, &parts);
        assert_string_equal(text_string(&parts), text_string(&at_once));
        text_deinit(&at_once);
        text_deinit(&parts);
    }
}

// A chat as it goes: each answer comes from the model, after an ask.
static void asking_then_answering_equals_rendering_the_answer(void **state) {
    (void)state;
    for (int i = 0; i < EXPECTATIONS; i++) {
        const struct expectation *expected = &expectations[i];
        struct text log = {0};
        size_t first = 0;
        for (size_t count = 2; count <= TALK; count += 2) {
            struct render what = whole(talk, count, true);
            what.first = first;
            what.answer_ended = true;
            render_text(row_named(expected->name), &what, &log);
            if (count == TALK) break;
            const struct chat_message *answer = &talk[count];
            assert_int_equal(text_append_string(&log, expected->answer_lead), STATUS_OK);
            assert_int_equal(text_append(&log, answer->text, answer->length), STATUS_OK);
            assert_int_equal(text_append_string(&log, expected->end), STATUS_OK);
            first = count + 1;
        }
        assert_string_equal(text_string(&log), expected->talk);
        text_deinit(&log);
    }
}

static void no_byte_of_a_message_is_ever_control(void **state) {
    (void)state;
    uint32_t seed = 7;
    printf("seed %u\n", seed);
    for (int step = 0; step < 20000; step++) {
        const struct expectation *expected = &expectations[step % EXPECTATIONS];
        struct conversation conversation;
        invent(&seed, expected->alternates, &conversation);
        const struct render what = whole(conversation.messages, conversation.count, false);
        struct prompt prompt = render(row_named(expected->name), &what);
        size_t text_bytes = 0, message_bytes = 0;
        for (size_t i = 0; i < prompt.count; i++) {
            const struct piece *piece = &prompt.pieces[i];
            assert_int_equal(piece->kind == PIECE_TEXT, belongs_to(&conversation, piece->bytes));
            assert_true(piece->length > 0);
            if (piece->kind == PIECE_TEXT) text_bytes += piece->length;
        }
        for (size_t i = 0; i < conversation.count; i++)
            message_bytes += conversation.messages[i].length;
        const bool folded = conversation.count == 1; // a system message may wait for its user
        assert_true(text_bytes <= message_bytes);
        if (!expected->trims && !folded) assert_int_equal(text_bytes, message_bytes);
        prompt_deinit(&prompt);
    }
}

static void white_space_is_trimmed_where_the_family_trims(void **state) {
    (void)state;
    const char padded[] = "\n\xE3\x80\x80 \xC2\xA0x y\xE2\x80\x83\t";
    const struct chat_message messages[] = {{ROLE_USER, padded, sizeof padded - 1},
                                            {ROLE_ASSISTANT, "  ", 2}};
    const struct render what = whole(messages, 2, false);
    struct text text = {0};
    render_text(row_named("gemma"), &what, &text);
    assert_string_equal(text_string(&text), "^<start_of_turn>user\nx y<end_of_turn>\n"
                                            "<start_of_turn>model\n<end_of_turn>\n");
    text_deinit(&text);
}

static void an_order_that_the_family_cannot_say_is_refused(void **state) {
    (void)state;
    const struct chat_message late[] = {{ROLE_USER, "a", 1}, {ROLE_SYSTEM, "b", 1}};
    const struct chat_message twice[] = {{ROLE_USER, "a", 1}, {ROLE_USER, "b", 1}};
    for (int i = 0; i < EXPECTATIONS; i++) {
        const struct chat_template *row = row_named(expectations[i].name);
        struct prompt prompt = {0};
        struct error err = {0};
        struct render what = whole(late, 2, false);
        assert_int_equal(chat_template_render(row, &what, &prompt, &err), STATUS_BAD_INPUT);
        what = whole(twice, 2, true);
        const enum status status = chat_template_render(row, &what, &prompt, &err);
        assert_int_equal(status, expectations[i].alternates ? STATUS_BAD_INPUT : STATUS_OK);
        prompt_deinit(&prompt);
        what = whole(talk, 1, true); // a system message alone asks for nothing
        if (!expectations[i].alternates) continue;
        assert_int_equal(chat_template_render(row, &what, &prompt, &err), STATUS_BAD_INPUT);
        assert_non_null(strstr(err.text, expectations[i].name));
        assert_true(prompt.pieces == NULL && prompt.count == 0);
    }
}

static void assert_recognised(const char *source, const char *name) {
    const struct chat_template *row = NULL;
    bool guessed = true;
    struct error err = {0};
    assert_int_equal(chat_template_recognise(source, strlen(source), &row, &guessed, &err),
                     STATUS_OK);
    assert_string_equal(chat_template_name(row), name);
    assert_false(guessed);
}

static void a_row_is_recognised_by_its_marks(void **state) {
    (void)state;
    assert_recognised("{{'<|im_start|>' + role + '\n' + content + '<|im_end|>'}}", "chatml");
    assert_recognised("'<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n'", "qwen2");
    assert_recognised("'<|im_start|>system<|im_sep|>' + content + '<|im_end|>'", "phi4");
    assert_recognised("bos_token + '[INST] ' + content + ' [/INST]'", "mistral-v1");
    assert_recognised("bos_token + '[INST] ' + content + '[/INST]'", "mistral-v3");
    assert_recognised("'[SYSTEM_PROMPT]' … '[INST]'", "mistral-v7");
    assert_recognised("'[INST] ' '<<SYS>>\\n' ' [/INST]'", "llama2");
    assert_recognised("'<|start_header_id|>' + role … '<|eot_id|>'", "llama3");
    assert_recognised("'<|user|>\\n' + content + eos_token … '<|assistant|>'", "zephyr");
}

static void a_file_without_a_template_is_taken_for_chatml_and_says_so(void **state) {
    (void)state;
    const struct chat_template *row = NULL;
    bool guessed = false;
    assert_int_equal(chat_template_recognise(NULL, 0, &row, &guessed, NULL), STATUS_OK);
    assert_true(guessed);
    assert_string_equal(chat_template_name(row), "chatml");
    guessed = false;
    assert_int_equal(chat_template_recognise("", 0, &row, &guessed, NULL), STATUS_OK);
    assert_true(guessed);
}

static void an_unknown_template_is_refused_by_naming_the_known(void **state) {
    (void)state;
    const char source[] = "{{ '<|start|>' + role + '<|message|>' }}";
    const struct chat_template *row = NULL;
    bool guessed = true;
    struct error err = {0};
    assert_int_equal(chat_template_recognise(source, strlen(source), &row, &guessed, &err),
                     STATUS_UNSUPPORTED);
    assert_true(row == NULL && guessed);
    assert_non_null(strstr(err.text, "chatml"));
    assert_non_null(strstr(err.text, "zephyr"));
}

static void roles_are_found_by_name(void **state) {
    (void)state;
    for (int i = 0; i < ROLE_COUNT; i++) {
        enum role role = ROLE_SYSTEM;
        assert_true(role_find(role_name((enum role)i), &role));
        assert_int_equal(role, i);
    }
    enum role role = ROLE_USER;
    assert_false(role_find("tool", &role));
    assert_int_equal(role, ROLE_USER);
}

static void every_row_has_a_stop_that_ends_its_answers(void **state) {
    (void)state;
    for (int i = 0; i < EXPECTATIONS; i++) {
        const char *const *stops = chat_template_stops(row_named(expectations[i].name));
        assert_non_null(strstr(expectations[i].end, stops[0]));
        while (*stops)
            assert_true((*stops++)[0] != '\0');
    }
}

// Published templates, rendered by their own programs. A case that is not named here differs
// from the row, for the reason given; `as_expected` puts the one difference of dates right.
struct published {
    const char *file, *row;
    const char *same; // names of the cases that are equal
    const char *replace, *with;
};

#define ALL "user system turns closed thought forged nothink twousers "

static const struct published published[] = {
    {"Qwen-Qwen2.5-7B-Instruct", "qwen2.5", ALL, NULL, NULL},
    {"Qwen3-Coder", "chatml", ALL, NULL, NULL},
    {"LFM2-8B-A1B", "chatml", ALL, NULL, NULL},
    // An empty thinking block in the last answer, or in the ask; thinking dropped from old ones.
    {"Qwen-Qwen3-0.6B", "chatml", "user system turns forged twousers ", NULL, NULL},
    // The same, and its ask opens (and without a switch closes) a thinking block.
    {"Qwen-QwQ-32B", "chatml", "closed ", NULL, NULL},
    // A metadata header in every system message.
    {"HuggingFaceTB-SmolLM3-3B", "chatml", "", NULL, NULL},
    {"meta-llama-Llama-3.1-8B-Instruct", "llama3.1", ALL, NULL, NULL},
    // Writes the date of the day where a clock is given.
    {"meta-llama-Llama-3.2-3B-Instruct", "llama3.1", ALL, "02 Jan 2026", "26 Jul 2024"},
    // Puts the system prompt into the last user message, not the first.
    {"mistralai-Mistral-Nemo-Instruct-2407", "mistral-v3",
     "user system closed thought forged nothink twousers ", NULL, NULL},
    // A long default system prompt with the date.
    {"Mistral-Small-3.2-24B-Instruct-2506", "mistral-v7", "system turns twousers ", NULL, NULL},
    // Refuses system messages, which the row folds into the first user's.
    {"google-gemma-2-2b-it", "gemma", "user closed thought forged nothink twousers ", NULL, NULL},
    // Writes the end of the text after a conversation that asks for nothing.
    {"microsoft-Phi-3.5-mini-instruct", "phi3",
     "user system turns thought forged nothink twousers ", NULL, NULL},
};

static bool read_file(const char *path, struct text *text) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, file)) > 0;)
        assert_int_equal(text_append(text, buffer, count), STATUS_OK);
    fclose(file);
    return true;
}

static void replace_all(struct text *text, const char *old, const char *new) {
    struct text result = {0};
    const char *at = text_string(text);
    for (const char *hit; (hit = strstr(at, old)); at = hit + strlen(old)) {
        assert_int_equal(text_append(&result, at, (size_t)(hit - at)), STATUS_OK);
        assert_int_equal(text_append_string(&result, new), STATUS_OK);
    }
    assert_int_equal(text_append_string(&result, at), STATUS_OK);
    text_deinit(text);
    *text = result;
}

// Our rendering of a case in the form of the expected files; false when it is refused.
static bool render_case(const struct chat_template *row, const cJSON *json, bool bos,
                        struct text *text) {
    struct chat_message messages[MAX_MESSAGES];
    size_t count = 0;
    const cJSON *message;
    cJSON_ArrayForEach(message, cJSON_GetObjectItem(json, "messages")) {
        const char *content = cJSON_GetStringValue(cJSON_GetObjectItem(message, "content"));
        enum role role = ROLE_USER;
        assert_true(role_find(cJSON_GetStringValue(cJSON_GetObjectItem(message, "role")), &role));
        assert_true(count < MAX_MESSAGES);
        messages[count++] = (struct chat_message){role, content, strlen(content)};
    }
    struct render what =
        whole(messages, count, cJSON_IsTrue(cJSON_GetObjectItem(json, "add_generation_prompt")));
    what.bos = "<BOS>";
    what.begins_with_bos = bos;
    struct prompt prompt = {0};
    const bool done = chat_template_render(row, &what, &prompt, NULL) == STATUS_OK;
    append_prompt(text, &prompt);
    prompt_deinit(&prompt);
    if (strncmp(chat_template_name(row), "mistral", 7) == 0) replace_all(text, "</s>", "<EOS>");
    return done;
}

static void check_case(const struct published *model, const struct chat_template *row,
                       const cJSON *json, bool bos) {
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(json, "name"));
    struct text path = {0}, ours = {0}, theirs = {0}, word = {0};
    const bool done = render_case(row, json, bos, &ours);
    assert_int_equal(
        text_format(&path, SHARED_DIR "/templates/expected/%s.%s.txt", model->file, name),
        STATUS_OK);
    const bool rendered = read_file(text_string(&path), &theirs);
    if (rendered && model->replace) replace_all(&theirs, model->replace, model->with);
    assert_int_equal(text_format(&word, "%s ", name), STATUS_OK);
    const bool same =
        done == rendered && (!done || strcmp(text_string(&ours), text_string(&theirs)) == 0);
    if (same != (strstr(model->same, text_string(&word)) != NULL))
        fail_msg("%s, case %s, is %s:\n%s\n---\n%s", model->file, name,
                 same ? "the same now" : "not the same", text_string(&ours), text_string(&theirs));
    text_deinit(&path);
    text_deinit(&ours);
    text_deinit(&theirs);
    text_deinit(&word);
}

static void published_templates_are_rendered_as_they_render_themselves(void **state) {
    (void)state;
    struct text source = {0};
    if (!read_file(SHARED_DIR "/templates/cases.json", &source)) {
        printf("skipped: the published templates are not here\n");
        skip();
    }
    cJSON *cases = cJSON_Parse(text_string(&source));
    assert_non_null(cases);
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        const struct chat_template *row = NULL;
        bool guessed;
        struct text path = {0};
        text_clear(&source);
        assert_int_equal(text_format(&path, SHARED_DIR "/templates/%s.jinja", published[i].file),
                         STATUS_OK);
        assert_true(read_file(text_string(&path), &source));
        assert_int_equal(chat_template_recognise(source.bytes, source.length, &row, &guessed, NULL),
                         STATUS_OK);
        assert_string_equal(chat_template_name(row), published[i].row);
        const bool bos = strstr(text_string(&source), "bos_token") != NULL;
        const cJSON *json;
        cJSON_ArrayForEach(json, cases) check_case(&published[i], row, json, bos);
        text_deinit(&path);
    }
    cJSON_Delete(cases);
    text_deinit(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_writes_a_talk_as_its_family_does),
        cmocka_unit_test(a_model_without_bos_gets_none),
        cmocka_unit_test(rendering_in_parts_equals_rendering_at_once),
        cmocka_unit_test(asking_then_answering_equals_rendering_the_answer),
        cmocka_unit_test(no_byte_of_a_message_is_ever_control),
        cmocka_unit_test(white_space_is_trimmed_where_the_family_trims),
        cmocka_unit_test(an_order_that_the_family_cannot_say_is_refused),
        cmocka_unit_test(a_row_is_recognised_by_its_marks),
        cmocka_unit_test(a_file_without_a_template_is_taken_for_chatml_and_says_so),
        cmocka_unit_test(an_unknown_template_is_refused_by_naming_the_known),
        cmocka_unit_test(roles_are_found_by_name),
        cmocka_unit_test(every_row_has_a_stop_that_ends_its_answers),
        cmocka_unit_test(published_templates_are_rendered_as_they_render_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
