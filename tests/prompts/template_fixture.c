#include "tests/prompts/template_fixture.h"

#include <stdio.h>
#include <string.h>

#include "tests/check.h"

enum { MAX_MESSAGES = 12, MAX_TEXT = 96 };

struct chat_template *template_create(const char *source) {
    const struct chat_template_options options = {
        .source = source, .length = strlen(source), .bos = "<BOS>", .eos = "<EOS>"};
    struct chat_template *made = NULL;
    struct error err = {0};
    if (chat_template_create(&options, &made, &err) != STATUS_OK) fail_msg("%s", err.text);
    return made;
}

void template_append_pieces(const struct prompt *prompt, struct text *text) {
    for (size_t i = 0; i < prompt->count; i++)
        assert_int_equal(text_append(text, prompt->pieces[i].bytes, prompt->pieces[i].length),
                         STATUS_OK);
}

void template_render_text(const struct chat_template *chat_template, const struct render *what,
                          struct text *text) {
    struct prompt prompt = {0};
    struct error err = {0};
    if (chat_template_render(chat_template, what, &prompt, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    template_append_pieces(&prompt, text);
    prompt_deinit(&prompt);
}

struct chat_message template_says(enum role role, const char *text) {
    return (struct chat_message){role, text, strlen(text)};
}

static uint32_t next_random(uint32_t *seed, uint32_t limit) {
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
    const bool system = next_random(seed, 2) == 0;
    size_t count = 2 * next_random(seed, MAX_MESSAGES / 2 - 1) + 1 + system;
    conversation->count = count;
    while (count-- > 0) {
        const size_t turn = count - system;
        char *text = conversation->texts[count];
        strcpy(text, "ж");
        for (uint32_t parts = next_random(seed, 5); parts > 0; parts--)
            strncat(text, fragments[next_random(seed, FRAGMENTS)], MAX_TEXT - strlen(text) - 1);
        while (!utf8_valid(text, strlen(text), NULL))
            text[strlen(text) - 1] = '\0';
        const enum role role = system && count == 0 ? ROLE_SYSTEM
                               : turn % 2 == 0      ? ROLE_USER
                                                    : ROLE_ASSISTANT;
        conversation->messages[count] = template_says(role, text);
    }
}

// Each message begins with a letter that no template has, and what it forges comes after it; so
// where control holds no mark that only messages have, none of them came through.
void template_check_forged(const char *source, uint32_t *seed) {
    size_t rendered = 0, refused = 0;
    struct chat_template *chat_template = template_create(source);
    for (int step = 0; step < 400; step++) {
        struct conversation conversation, plain;
        struct prompt forged = {0}, harmless = {0};
        invent(seed, &conversation);
        plain = conversation;
        for (size_t m = 0; m < plain.count; m++)
            plain.messages[m] = template_says(conversation.messages[m].role, "ж");
        struct render what = {
            .messages = conversation.messages, .count = conversation.count, .ask = true};
        const bool done = chat_template_render(chat_template, &what, &forged, NULL) == STATUS_OK;
        what.messages = plain.messages;
        assert_int_equal(chat_template_render(chat_template, &what, &harmless, NULL), STATUS_OK);
        // The control of both is the same, but for what thinking adds or takes away.
        struct text theirs = {0}, ours = {0};
        for (size_t p = 0; done && p < forged.count; p++)
            if (forged.pieces[p].kind == PIECE_CONTROL)
                assert_int_equal(
                    text_append(&ours, forged.pieces[p].bytes, forged.pieces[p].length), STATUS_OK);
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
    printf("%zu rendered, %zu refused\n", rendered, refused);
    assert_true(rendered > 9 * refused);
}

void template_check_empty_answer(const char *source) {
    struct chat_template *made = template_create(source);
    const struct chat_message messages[] = {
        template_says(ROLE_USER, "zonez"), template_says(ROLE_ASSISTANT, ""),
        template_says(ROLE_USER, "ztwoz"), template_says(ROLE_ASSISTANT, "zyesz"),
        template_says(ROLE_USER, "zthreez")};
    const struct render what = {.messages = messages, .count = 5, .ask = true};
    struct text text = {0};
    template_render_text(made, &what, &text);
    const char *one = strstr(text_string(&text), "zonez");
    const char *two = one ? strstr(one, "ztwoz") : NULL;
    const char *yes = two ? strstr(two, "zyesz") : NULL;
    if (!yes || !strstr(yes, "zthreez")) fail_msg("%s\nrenders\n%s", source, text_string(&text));
    text_deinit(&text);
    chat_template_destroy(made);
}

// A chat of five turns as it goes: the model writes each answer and what ends it.
static void follow_a_chat(const char *stem, const struct chat_template *chat_template,
                          const char *const answers[5], bool ended) {
    struct chat_message messages[11] = {template_says(ROLE_SYSTEM, "Be kind.")};
    struct text log = {0}, asked = {0};
    const char *stop = chat_template_stops(chat_template)[0];
    const char *end = ended && stop ? stop : "";
    struct render what = {.messages = messages, .count = 1, .ask = true};
    for (int turn = 0; turn < 5; turn++) {
        struct prompt prompt = {0};
        struct text whole = {0};
        struct error err = {0};
        enum prompt_keeps keeps = PROMPT_KEEPS_NOTHING;
        messages[what.count++] = template_says(ROLE_USER, turn % 2 ? "More" : " And?\n");
        if (turn == 0)
            template_render_text(chat_template, &what, &log);
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
        template_append_pieces(&prompt, &log);
        template_render_text(chat_template, &what, &whole);
        if (strcmp(text_string(&log), text_string(&whole)) != 0)
            fail_msg("%s, turn %d, the log is\n%s\n---\n%s", stem, turn + 1, text_string(&log),
                     text_string(&whole));
        text_clear(&asked);
        assert_int_equal(text_append(&asked, text_string(&log), log.length), STATUS_OK);
        messages[what.count++] = template_says(ROLE_ASSISTANT, answers[turn]);
        assert_int_equal(text_append_string(&log, answers[turn]), STATUS_OK);
        assert_int_equal(text_append_string(&log, end), STATUS_OK);
        prompt_deinit(&prompt);
        text_deinit(&whole);
    }
    text_deinit(&log);
    text_deinit(&asked);
}

void template_check_chats(const char *name, const char *source) {
    static const char *const plain[5] = {"Hello!", "No.", "Why\n\nnot?", "<|im_end|>", "é"};
    static const char *const thought[5] = {"<think>\nHm.\n</think>\n\nHello!", "No.",
                                           "<think>\n\n</think>\n\nYes.", "A</think>B", "x"};
    static const char *const channels[5] = {
        "<|channel|>final<|message|>Hello!",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>No.",
        "<|channel|>analysis<|message|>Hm", "<|channel|>final<|message|>", "x"};
    struct chat_template *made = template_create(source);
    for (int ended = 0; ended < 2; ended++) {
        follow_a_chat(name, made, channels, ended);
        follow_a_chat(name, made, plain, ended);
        follow_a_chat(name, made, thought, ended);
    }
    chat_template_destroy(made);
}
