// tests/app/test_answer.c — an answer whose prompt has begun its thinking, with the demo model.
#include "app/chat/answer.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <string.h>

#include "app/chat/report.h"
#include "engine/engine.h"
#include "engine/tokenizer/thinking.h"
#include "tests/app/chats.h"

enum { CONTEXT = 256, POOL_BYTES = 32 << 20, TOKENS = 12 };

static struct engine *engine;

static int open_engine(void **state) {
    (void)state;
    engine = chats_engine(CONTEXT, POOL_BYTES, NULL);
    return 0;
}

static int close_engine(void **state) {
    (void)state;
    engine_close(engine);
    return 0;
}

static struct sequence *begin_answer(struct answer *answer, const char *prompt) {
    const struct tokenizer *tokenizer = engine_tokenizer(engine);
    const struct piece piece = {PIECE_TEXT, prompt, strlen(prompt)};
    const struct request_options options = {.sampler = sampler_options_default(),
                                            .max_tokens = TOKENS};
    struct token_ids ids = {0};
    struct sequence *sequence;
    assert_int_equal(sequence_create(engine, &sequence), STATUS_OK);
    assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &ids), STATUS_OK);
    assert_int_equal(sequence_append(sequence, ids.ids, ids.count), STATUS_OK);
    token_ids_deinit(&ids);
    answer_begin(answer, tokenizer, &options);
    answer->sequence = sequence;
    assert_int_equal(answer_start(answer, 1), STATUS_OK);
    return sequence;
}

// To its end; what is shown on the way goes to *shown.
static void follow_answer(struct answer *answer, struct text *shown) {
    const struct stops none = {0};
    const char *piece;
    size_t length;
    while (!answer->ended) {
        struct event event;
        if (!engine_next_event(engine, 1000, &event)) continue;
        if (event.kind == EVENT_TOKEN) answer_push(answer, &none, event.token);
        if (event.kind == EVENT_DONE) answer_end(answer, &event);
        if (answer_show(answer, &none, &piece, &length))
            assert_int_equal(text_append(shown, piece, length), STATUS_OK);
    }
    assert_int_equal(answer->status, STATUS_OK);
}

static void a_thought_opened_by_the_prompt_starts_the_text(void **state) {
    (void)state;
    struct answer answer = {0};
    struct text shown = {0}, thought = {0}, rest = {0};
    struct sequence *sequence =
        begin_answer(&answer, "Once upon a time, there was a fox.\n<think>\n");
    follow_answer(&answer, &shown);
    assert_memory_equal(text_string(&shown), "<think>\n", 8);
    assert_string_equal(text_string(&shown), text_string(&answer.text));
    assert_int_equal(answer_kept_tokens(&answer), answer.tokens.count);
    assert_int_equal(thinking_split(shown.bytes, shown.length, &thought, &rest), STATUS_OK);
    assert_true(thought.length > 0);
    assert_int_equal(rest.length, 0);
    text_deinit(&shown);
    text_deinit(&thought);
    text_deinit(&rest);
    sequence_destroy(sequence);
    answer_deinit(&answer);
}

static void an_answer_stopped_before_any_text_is_nothing(void **state) {
    (void)state;
    struct answer answer = {0};
    struct text shown = {0};
    struct sequence *sequence = begin_answer(&answer, "A long question about dogs <think>");
    answer_cancel(&answer);
    follow_answer(&answer, &shown);
    if (answer.tokens.count == 0) {
        assert_true(answer_is_nothing(&answer));
        assert_int_equal(shown.length, 0);
    }
    text_deinit(&shown);
    sequence_destroy(sequence);
    answer_deinit(&answer);
}

static void a_thought_closed_in_the_prompt_is_not_shown(void **state) {
    (void)state;
    struct answer answer = {0};
    struct text shown = {0};
    struct sequence *sequence = begin_answer(&answer, "Hello!\n<think>\n\n</think>\n\n");
    follow_answer(&answer, &shown);
    assert_null(strstr(text_string(&shown), "think>"));
    text_deinit(&shown);
    sequence_destroy(sequence);
    answer_deinit(&answer);
}

// As a reader of what is printed has it.
static cJSON *as_read(cJSON *json) {
    char *text = cJSON_Print(json);
    cJSON *read = cJSON_Parse(text);
    cJSON_Delete(json);
    cJSON_free(text);
    assert_non_null(read);
    return read;
}

static void json_separates_thinking_from_the_text(void **state) {
    (void)state;
    static const char text[] = "<think>\nHm.\n</think>\n\nYes.";
    const struct kv_usage kv = {0};
    struct turn_report report = {.any = true, .text = text, .length = sizeof text - 1};
    cJSON *json = as_read(report_json(&report, "model", NULL, &kv));
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "thinking")), "Hm.");
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "text")), "Yes.");
    cJSON_Delete(json);
    report.text = "Yes.";
    report.length = 4;
    json = as_read(report_json(&report, "model", NULL, &kv));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "thinking")));
    cJSON_Delete(json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thought_opened_by_the_prompt_starts_the_text),
        cmocka_unit_test(an_answer_stopped_before_any_text_is_nothing),
        cmocka_unit_test(a_thought_closed_in_the_prompt_is_not_shown),
        cmocka_unit_test(json_separates_thinking_from_the_text),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
