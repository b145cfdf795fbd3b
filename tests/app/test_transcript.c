// tests/app/test_transcript.c — transcript.h: a log that is cut where the template says the past
// differently, and comes back as it was.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/chat/transcript.h"
#include "tests/check.h"

static struct gguf *gguf;
static struct tokenizer *tokenizer;

// ChatML that drops thinking from answers before the last question.
static const char DROPS[] =
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' }}"
    "{% if m.role == 'assistant' %}{{ m.content.split('</think>')[-1]|trim }}"
    "{% else %}{{ m.content }}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

// ChatML whose system prompt goes with the last message.
static const char MOVES[] =
    "{% if messages[0].role == 'system' %}{% set s = messages[0].content %}"
    "{% set messages = messages[1:] %}{% endif %}"
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' }}"
    "{% if loop.last and s is defined %}{{ s + '\n' }}{% endif %}{{ m.content + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

static struct chat_template *create(const char *source) {
    const struct chat_template_options options = {
        .source = source, .length = source ? strlen(source) : 0, .bos = "", .eos = ""};
    struct chat_template *made = NULL;
    struct error err = {0};
    if (chat_template_create(&options, &made, &err) != STATUS_OK) fail_msg("%s", err.text);
    return made;
}

static struct transcript over(const struct chat_template *chat_template) {
    return (struct transcript){.tokenizer = tokenizer, .chat_template = chat_template, .model = 1};
}

static void push(struct transcript *transcript, enum message_role role, const char *text,
                 const struct token_ids *ids) {
    struct message message = {
        .role = role, .text = strdup(text), .length = strlen(text), .created_ms = 1767323045000};
    assert_int_equal(transcript_push(transcript, &message, ids->ids, ids->count), STATUS_OK);
}

// What a model would write: the text, and the end of the turn.
static void answer(struct transcript *transcript, const char *text) {
    const struct piece pieces[] = {{PIECE_TEXT, text, strlen(text)},
                                   {PIECE_CONTROL, "<|im_end|>", 10}};
    struct token_ids ids = {0};
    assert_int_equal(tokenizer_encode(tokenizer, pieces, 2, &ids), STATUS_OK);
    push(transcript, MESSAGE_ASSISTANT, text, &ids);
    token_ids_deinit(&ids);
}

// Says how many ids of the log stayed.
static size_t ask(struct transcript *transcript, const char *system, const char *text) {
    struct token_ids ids = {0};
    struct error err = {0};
    const struct token_ids none = {0};
    const size_t before = transcript->log.count;
    if (transcript_render(transcript, system, text, strlen(text), &ids, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    if (before == 0 && system[0]) push(transcript, MESSAGE_SYSTEM, system, &none);
    const size_t kept = transcript_kept(transcript, &ids);
    assert_true(transcript_added(&ids) > 0 && kept <= before);
    push(transcript, MESSAGE_USER, text, &ids);
    assert_int_equal(transcript->log.count, kept + transcript_added(&ids));
    token_ids_deinit(&ids);
    return kept;
}

static void assert_log(const struct transcript *transcript, const char *expected) {
    struct text text = {0};
    for (size_t i = 0; i < transcript->log.count; i++)
        assert_int_equal(tokenizer_decode(tokenizer, transcript->log.ids[i], true, &text),
                         STATUS_OK);
    assert_string_equal(text_string(&text), expected);
    text_deinit(&text);
}

static void a_plain_chat_keeps_all_of_its_log(void **state) {
    (void)state;
    struct chat_template *chatml = create(NULL);
    struct transcript transcript = over(chatml);
    assert_int_equal(ask(&transcript, "Be kind.", "Hi"), 0);
    for (int turn = 0; turn < 4; turn++) {
        answer(&transcript, "<think>Hm</think> Ho ");
        assert_int_equal(ask(&transcript, "", "More"),
                         transcript_log_end(&transcript, 3 + 2 * (size_t)turn));
    }
    transcript_deinit(&transcript);
    chat_template_destroy(chatml);
}

static void thinking_is_dropped_from_the_log_when_the_next_turn_begins(void **state) {
    (void)state;
    struct chat_template *drops = create(DROPS);
    struct transcript transcript = over(drops);
    ask(&transcript, "", "Hi");
    const size_t question = transcript.log.count;
    answer(&transcript, "<think>Hm, a lot to think about.</think>\n\nHo");
    const size_t thought = transcript.log.count;
    const size_t kept = ask(&transcript, "", "More");
    assert_true(kept >= question && kept < thought);
    assert_int_equal(transcript_standing(&transcript, 1), question);
    assert_int_equal(transcript_standing(&transcript, 2), kept);
    assert_int_equal(transcript_standing(&transcript, 3), transcript.log.count);
    assert_log(&transcript, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>\n"
                            "<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n");
    answer(&transcript, "Plain.");
    const size_t all = transcript.log.count;
    assert_int_equal(ask(&transcript, "", "And?"), all);
    transcript_deinit(&transcript);
    chat_template_destroy(drops);
}

static void what_a_cut_took_away_comes_back_with_it(void **state) {
    (void)state;
    struct chat_template *drops = create(DROPS);
    struct transcript transcript = over(drops);
    ask(&transcript, "", "Hi");
    answer(&transcript, "<think>Hm</think>Ho");
    struct token_ids before = {0};
    assert_int_equal(token_ids_append(&before, transcript.log.ids, transcript.log.count),
                     STATUS_OK);
    ask(&transcript, "", "More");
    answer(&transcript, "<think>Hm again</think>No");
    ask(&transcript, "", "And?");
    transcript_cut(&transcript, 2);
    assert_int_equal(transcript.log.count, before.count);
    assert_memory_equal(transcript.log.ids, before.ids, before.count * sizeof before.ids[0]);
    assert_int_equal(transcript_log_end(&transcript, 2), before.count);
    token_ids_deinit(&before);
    transcript_deinit(&transcript);
    chat_template_destroy(drops);
}

static void a_system_prompt_that_moves_is_read_where_it_is_now(void **state) {
    (void)state;
    struct chat_template *moves = create(MOVES);
    struct transcript transcript = over(moves);
    ask(&transcript, "Be kind.", "Hi");
    answer(&transcript, "Ho");
    const size_t before = transcript.log.count, kept = ask(&transcript, "", "More");
    assert_true(kept > 0 && kept < before);
    assert_log(&transcript, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>\n"
                            "<|im_start|>user\nBe kind.\nMore<|im_end|>\n<|im_start|>assistant\n");
    transcript_deinit(&transcript);
    chat_template_destroy(moves);
}

static void a_cut_beyond_the_log_is_refused(void **state) {
    (void)state;
    struct chat_template *chatml = create(NULL);
    struct transcript transcript = over(chatml);
    ask(&transcript, "", "Hi");
    char text[] = "x";
    struct message message = {.role = MESSAGE_USER, .text = text, .length = 1};
    const int32_t ids[] = {MESSAGE_CUT + (int32_t)transcript.log.count + 1, 1};
    const size_t before = transcript.log.count;
    assert_int_equal(transcript_push(&transcript, &message, ids, 2), STATUS_BAD_FILE);
    assert_int_equal(transcript.log.count, before);
    assert_int_equal(transcript.count, 1);
    transcript_deinit(&transcript);
    chat_template_destroy(chatml);
}

static void the_date_of_a_conversation_stays_what_it_was(void **state) {
    (void)state;
    struct chat_template *dated =
        create("{{ strftime_now('%Y-%m-%d') }}{% for m in messages %}{{ '<|im_start|>' + m.content"
               " + '<|im_end|>' }}{% endfor %}");
    struct transcript transcript = over(dated);
    ask(&transcript, "", "Hi"); // today
    transcript_cut(&transcript, 0);
    const struct token_ids none = {0};
    push(&transcript, MESSAGE_SYSTEM, "s", &none); // from 2026-01-02
    ask(&transcript, "", "Hi");
    struct text text = {0};
    for (size_t i = 0; i < transcript.log.count; i++)
        assert_int_equal(tokenizer_decode(tokenizer, transcript.log.ids[i], true, &text),
                         STATUS_OK);
    assert_non_null(strstr(text.bytes, "2026-01-02"));
    text_deinit(&text);
    transcript_deinit(&transcript);
    chat_template_destroy(dated);
}

static int open_model(void **state) {
    (void)state;
    if (gguf_open(DEMO_MODEL, &gguf, NULL) != STATUS_OK) return -1;
    return tokenizer_open(gguf, &tokenizer, NULL) == STATUS_OK ? 0 : -1;
}

static int close_model(void **state) {
    (void)state;
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_chat_keeps_all_of_its_log),
        cmocka_unit_test(thinking_is_dropped_from_the_log_when_the_next_turn_begins),
        cmocka_unit_test(what_a_cut_took_away_comes_back_with_it),
        cmocka_unit_test(a_system_prompt_that_moves_is_read_where_it_is_now),
        cmocka_unit_test(a_cut_beyond_the_log_is_refused),
        cmocka_unit_test(the_date_of_a_conversation_stays_what_it_was),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
