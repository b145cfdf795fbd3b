// tests/remote/test_wire.c — what goes to a server and what comes back, without one.
#include <string.h>

#include "engine/grammar/grammar.h"
#include "engine/remote/byte_tokenizer.h"
#include "engine/remote/event_stream.h"
#include "engine/remote/missing_ids.h"
#include "engine/remote/optional_fields.h"
#include "engine/remote/query.h"
#include "engine/remote/reply.h"
#include "tests/check.h"

// Each event's data in brackets.
static enum status take_event(void *user, const char *data, size_t length) {
    struct text *events = user;
    TRY(text_append(events, "[", 1));
    TRY(text_append(events, data, length));
    return text_append(events, "]", 1);
}

static const struct {
    const char *bytes, *events;
} STREAMS[] = {
    {"data: a\n\n", "[a]"},
    {"data: a\r\n\r\ndata: b\r\rdata:c\n\n", "[a][b][c]"},
    {"\xef\xbb\xbf"
     "data: a\n\n",
     "[a]"},
    {": ping\n\nevent: x\nid: 1\ndata: a\nretry: 5\n\n", "[a]"},
    {"data: a\ndata:  b\ndata\n\n", "[a\n b\n]"},
    {"data:\n\ndata: \n\ndata\n\n", ""},
    {"database: a\n\ndat\n\n", ""},
    {"data: half", ""},
    {"data: line\n", ""},
    {"data: a\n\n\n\n\r\n", "[a]"},
};

static void events_do_not_depend_on_how_bytes_arrive(void **state) {
    (void)state;
    for (size_t row = 0; row < sizeof STREAMS / sizeof STREAMS[0]; row++) {
        const size_t length = strlen(STREAMS[row].bytes);
        for (size_t piece = 1; piece <= length; piece++) {
            struct text events = {0};
            struct event_stream stream = {.take = take_event, .user = &events};
            for (size_t at = 0; at < length; at += piece)
                assert_int_equal(event_stream_push(&stream, STREAMS[row].bytes + at,
                                                   at + piece < length ? piece : length - at),
                                 STATUS_OK);
            assert_string_equal(text_string(&events), STREAMS[row].events);
            event_stream_deinit(&stream);
            text_deinit(&events);
        }
    }
}

static void oversized_lines_and_events_are_refused(void **state) {
    (void)state;
    static const char *const parts[] = {"x", "data: y\n"};
    for (size_t row = 0; row < 2; row++) {
        struct text events = {0};
        struct event_stream stream = {.take = take_event, .user = &events};
        enum status status = STATUS_OK;
        for (size_t i = 0; i <= EVENT_STREAM_MAX_BYTES && status == STATUS_OK; i++)
            status = event_stream_push(&stream, parts[row], strlen(parts[row]));
        assert_int_equal(status, STATUS_TOO_LONG);
        assert_int_equal(events.length, 0);
        event_stream_deinit(&stream);
    }
}

// The newlines between an event's lines count, too.
static void lines_of_an_event_can_reach_the_limit_exactly(void **state) {
    (void)state;
    static char line[EVENT_STREAM_MAX_BYTES / 2];
    for (size_t over = 0; over < 2; over++) {
        const size_t lengths[] = {sizeof line, sizeof line - 2 + over};
        struct text events = {0};
        struct event_stream stream = {.take = take_event, .user = &events};
        enum status status = STATUS_OK;
        memset(line, 'x', sizeof line);
        for (size_t i = 0; i < 2 && status == STATUS_OK; i++) {
            assert_int_equal(event_stream_push(&stream, "data:", 5), STATUS_OK);
            assert_int_equal(event_stream_push(&stream, line, lengths[i]), STATUS_OK);
            status = event_stream_push(&stream, "\n", 1);
        }
        assert_int_equal(status, over ? STATUS_TOO_LONG : STATUS_OK);
        if (!over) assert_int_equal(event_stream_push(&stream, "data: z\n", 8), STATUS_TOO_LONG);
        event_stream_deinit(&stream);
        text_deinit(&events);
    }
}

enum { NOT = -1 }; // said

static const struct {
    const char *json, *text, *thought;
    int ids, finished; // the reason; NOT: it goes on
    int64_t prompt, cached, output;
    const char *failure;
} REPLIES[] = {
    {"{\"choices\":[{\"delta\":{\"content\":\"a\\u00e9\"}}]}", "aé", "", 0, NOT, NOT, NOT, NOT, ""},
    {"{\"choices\":[{\"delta\":{\"reasoning\":\"r\",\"content\":null}}]}", "", "r", 0, NOT, NOT,
     NOT, NOT, ""},
    {"{\"choices\":[{\"delta\":{\"reasoning_content\":\"r\"},\"finish_reason\":\"length\"}]}", "",
     "r", 0, STOP_REASON_LENGTH, NOT, NOT, NOT, ""},
    {"{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,"
     "\"prompt_tokens_details\":{\"cached_tokens\":5}}}",
     "", "", 0, NOT, 7, 5, 3, ""},
    {"{\"choices\":[{\"text\":\"t\",\"token_ids\":[4,5],\"finish_reason\":\"stop\"}]}", "t", "", 2,
     STOP_REASON_END, NOT, NOT, NOT, ""},
    {"{\"content\":\"c\",\"tokens\":[9],\"stop\":false}", "c", "", 1, NOT, NOT, NOT, NOT, ""},
    {"{\"content\":\"\",\"tokens\":[],\"stop\":true,\"stop_type\":\"limit\",\"tokens_evaluated\":8,"
     "\"tokens_predicted\":2,\"timings\":{\"cache_n\":6}}",
     "", "", 0, STOP_REASON_LENGTH, 8, 6, 2, ""},
    {"{\"text\":\"all\",\"output_ids\":[3,4,5],\"meta_info\":{\"finish_reason\":null,"
     "\"prompt_tokens\":8,\"completion_tokens\":3,\"cached_tokens\":6}}",
     "", "", 3, NOT, 8, 6, 3, ""},
    {"{\"output_ids\":[2],\"meta_info\":{\"finish_reason\":{\"type\":\"length\",\"length\":1}}}",
     "", "", 1, STOP_REASON_LENGTH, NOT, NOT, NOT, ""},
    {"{\"error\":{\"message\":\"no\\u001b[0m\\nmore\"}}", "", "", 0, NOT, NOT, NOT, NOT,
     "no[0m more"},
    {"{\"error\":\"plain\"}", "", "", 0, NOT, NOT, NOT, NOT, "plain"},
    {"{\"choices\":{\"delta\":3},\"usage\":\"x\",\"unknown\":[[]]}", "", "", 0, NOT, NOT, NOT, NOT,
     ""},
    {"{\"choices\":[{\"delta\":{\"content\":5},\"finish_reason\":null}],\"error\":null}", "", "", 0,
     NOT, NOT, NOT, NOT, ""},
};

// What the replies of an event have, all together; each is followed by its choice.
struct heard {
    struct reply all;
    struct text choices;
    int count;
};

static enum status hear(void *user, const struct reply *reply) {
    struct heard *heard = user;
    struct reply *all = &heard->all;
    if (heard->count++ == 0) {
        all->prompt_tokens = reply->prompt_tokens;
        all->cached_tokens = reply->cached_tokens;
        all->output_tokens = reply->output_tokens;
    } else {
        assert_int_equal(reply->prompt_tokens, NOT);
    }
    TRY(text_append(&all->text, text_string(&reply->text), reply->text.length));
    TRY(text_append(&all->thought, text_string(&reply->thought), reply->thought.length));
    TRY(text_append(&all->refusal, text_string(&reply->refusal), reply->refusal.length));
    TRY(text_append(&all->tool, text_string(&reply->tool), reply->tool.length));
    TRY(text_append(&all->failure, text_string(&reply->failure), reply->failure.length));
    for (size_t i = 0; i < reply->ids.count; i++)
        TRY(token_ids_push(&all->ids, reply->ids.ids[i]));
    all->calls_tool |= reply->calls_tool;
    all->failed |= reply->failed;
    all->finished |= reply->finished;
    all->filtered |= reply->filtered;
    all->broken |= reply->broken;
    if (reply->finished) all->reason = reply->reason;
    return text_format(&heard->choices, "%s%d", text_string(&reply->text), (int)reply->choice);
}

static void heard_deinit(struct heard *heard) {
    reply_deinit(&heard->all);
    text_deinit(&heard->choices);
}

static void every_field_of_an_event_is_read(void **state) {
    (void)state;
    for (size_t row = 0; row < sizeof REPLIES / sizeof REPLIES[0]; row++) {
        struct heard heard = {0};
        const struct reply *reply = &heard.all;
        assert_int_equal(
            reply_read(REPLIES[row].json, strlen(REPLIES[row].json), NULL, hear, &heard),
            STATUS_OK);
        assert_string_equal(text_string(&reply->text), REPLIES[row].text);
        assert_string_equal(text_string(&reply->thought), REPLIES[row].thought);
        assert_string_equal(text_string(&reply->failure), REPLIES[row].failure);
        assert_int_equal(reply->failed, REPLIES[row].failure[0] != '\0');
        assert_int_equal(reply->ids.count, REPLIES[row].ids);
        assert_int_equal(reply->finished ? (int)reply->reason : NOT, REPLIES[row].finished);
        assert_int_equal(reply->prompt_tokens, REPLIES[row].prompt);
        assert_int_equal(reply->cached_tokens, REPLIES[row].cached);
        assert_int_equal(reply->output_tokens, REPLIES[row].output);
        heard_deinit(&heard);
    }
}

static void every_choice_of_an_event_is_reported(void **state) {
    (void)state;
    static const char json[] = "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}},"
                               "{\"index\":0,\"text\":\"a\"}],\"usage\":{\"prompt_tokens\":7}}";
    struct heard heard = {0};
    assert_int_equal(reply_read(json, sizeof json - 1, NULL, hear, &heard), STATUS_OK);
    assert_int_equal(heard.count, 2);
    assert_string_equal(text_string(&heard.choices), "b1a0");
    assert_int_equal(heard.all.prompt_tokens, 7);
    heard_deinit(&heard);
}

static void events_that_are_no_json_object_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "", "[]", "3", "{", "null", "{\"a\":}", "{\"tokens\":[-1]}", "{} {}"};
    for (size_t row = 0; row < sizeof bad / sizeof bad[0]; row++) {
        struct heard heard = {0};
        assert_int_equal(reply_read(bad[row], strlen(bad[row]), NULL, hear, &heard),
                         STATUS_BAD_INPUT);
        heard_deinit(&heard);
    }
}

// A log of messages, as the template writes it: S, U, A and E stand for the marks.
static const struct {
    const char *log, *messages;
    bool goes_on;
    enum answer_state place;
} LOGS[] = {
    {"UHiEA", "[{\"role\":\"user\",\"content\":\"Hi\"}]", false, ANSWER_NEW},
    {"SbriefEUHiEAyesEUmoreEA",
     "[{\"role\":\"system\",\"content\":\"brief\"},{\"role\":\"user\",\"content\":\"Hi\"},"
     "{\"role\":\"assistant\",\"content\":\"yes\"},{\"role\":\"user\",\"content\":\"more\"}]",
     false, ANSWER_NEW},
    {"UHiEAye",
     "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"ye\"}]", true,
     ANSWER_ANSWERS},
    {"UHiEA<think>\nhm\n</think>\n\nyesEUmEA",
     "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"yes\"},"
     "{\"role\":\"user\",\"content\":\"m\"}]",
     false, ANSWER_NEW},
    {"UHiEA<think>\nhm",
     "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"<think>\\nhm\"}"
     "]",
     true, ANSWER_THINKS},
    {"UHiEAa\xef\xb7\x90hm\xef\xb7\x91yesEUmEA",
     "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"ayes\"},"
     "{\"role\":\"user\",\"content\":\"m\"}]",
     false, ANSWER_NEW},
    {"UHiEAa\xef\xb7\x90hm",
     "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"a\"}]", true,
     ANSWER_THINKS_AGAIN},
    {"UHiEAhm\xef\xb7\x91yesEUmEA",
     "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"yes\"},"
     "{\"role\":\"user\",\"content\":\"m\"}]",
     false, ANSWER_NEW},
    {"UHiEA[THINK]hm[/THINK]yesEUmEA[THINK]hm",
     "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"yes\"},"
     "{\"role\":\"user\",\"content\":\"m\"},{\"role\":\"assistant\",\"content\":\"[THINK]hm\"}]",
     true, ANSWER_THINKS},
    {"UGr\xc3\xb6\xc3"
     "EA",
     "[{\"role\":\"user\",\"content\":\"Grö\xef\xbf\xbd\"}]", false, ANSWER_NEW},
};

static void a_byte_log_is_sent_as_messages(void **state) {
    (void)state;
    const struct request_options options = {
        .sampler = {.temperature = 1, .top_p = 1, .repeat_penalty = 1, .seed = 5}};
    for (size_t row = 0; row < sizeof LOGS / sizeof LOGS[0]; row++) {
        static const char marks[] = "SUAE";
        int32_t tokens[200], count = 0;
        for (const char *at = LOGS[row].log; *at; at++) {
            const char *mark = strchr(marks, *at);
            tokens[count++] =
                mark ? BYTE_TOKEN_SYSTEM + (int32_t)(mark - marks) : (unsigned char)*at;
        }
        const struct query query = {.form = QUERY_MESSAGES,
                                    .model = "m",
                                    .salt = "",
                                    .tokens = tokens,
                                    .length = count,
                                    .choices = 1,
                                    .options = &options};
        struct error err = {0};
        struct text body = {0}, expected = {0};
        enum answer_state place;
        assert_int_equal(
            text_format(&expected,
                        "{\"model\":\"m\",\"stream\":true,"
                        "\"stream_options\":{\"include_usage\":true},\"messages\":%s%s}",
                        LOGS[row].messages,
                        LOGS[row].goes_on ? ",\"continue_final_message\":true,"
                                            "\"add_generation_prompt\":false"
                                          : ""),
            STATUS_OK);
        assert_int_equal(query_write(&query, &body, &place, &err), STATUS_OK);
        assert_string_equal(text_string(&body), text_string(&expected));
        assert_int_equal(place, LOGS[row].place);
        text_deinit(&body);
        text_deinit(&expected);
    }
}

// What a body of each form has, and has not, of: temperature 1 and top-k 40 that are given, a salt,
// a route, three answers, a structure.
enum { SCHEMA = 1, GRAMMAR = 2, LIMIT = 4, PLAIN = 8 };
static const struct {
    enum query_form form;
    enum query_server server;
    int with;
    const char *has[5], *lacks[3];
} BODIES[] = {
    {QUERY_MESSAGES,
     SERVER_UNKNOWN,
     SCHEMA | LIMIT,
     {"\"temperature\":1,", "\"top_k\":40,", "\"max_tokens\":9,",
      "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"answer\","
      "\"schema\":{\"type\": \"null\"},\"strict\":true}}",
      "\"n\":3,\"prompt_cache_key\":\"00000000000000ff\""},
     {"top_p", "min_p"}},
    {QUERY_MESSAGES,
     SERVER_LLAMA,
     GRAMMAR | PLAIN,
     {"\"grammar\":\"root ::= \\\"a\\\"\"", "\"cache_salt\":\"salt\""},
     {"\"n\":", "prompt_cache_key", "max_tokens"}},
    {QUERY_MESSAGES, SERVER_VLLM, GRAMMAR, {"\"structured_outputs\":{\"grammar\":\"root"}, {0}},
    {QUERY_MESSAGES, SERVER_SGLANG, GRAMMAR, {"\"ebnf\":\"root"}, {0}},
    {QUERY_LLAMA,
     SERVER_LLAMA,
     SCHEMA,
     {"\"top_p\":0.9,\"min_p\":0,", "\"json_schema\":{\"type\": \"null\"}",
      "\"prompt\":[1,70000,3]", "\"return_tokens\":true", "\"n_predict\":100"},
     {"\"n\":", "prompt_cache_key"}},
    {QUERY_LLAMA, SERVER_LLAMA, GRAMMAR | LIMIT, {"\"grammar\":\"root", "\"n_predict\":9"}, {0}},
    {QUERY_VLLM,
     SERVER_VLLM,
     SCHEMA,
     {"\"response_format\":{", "\"prompt\":[1,70000,3]", "\"return_token_ids\":true", "\"n\":3",
      "\"max_tokens\":100"},
     {0}},
    {QUERY_SGLANG,
     SERVER_SGLANG,
     SCHEMA,
     {"\"sampling_params\":{\"temperature\":1,\"top_p\":0.9,", "\"sampling_seed\":5",
      "\"json_schema\":\"{\\\"type\\\": \\\"null\\\"}\"", "\"max_new_tokens\":100}",
      "\"input_ids\":[1,70000,3]"},
     {"\"n\":", "prompt_cache_key"}},
    {QUERY_SGLANG, SERVER_SGLANG, GRAMMAR, {"\"ebnf\":\"root"}, {0}},
};

static void requests_are_written_in_each_servers_format(void **state) {
    (void)state;
    static const int32_t tokens[] = {1, 70000, 3};
    for (size_t row = 0; row < sizeof BODIES / sizeof BODIES[0]; row++) {
        const bool bytes = BODIES[row].form == QUERY_MESSAGES, schema = BODIES[row].with & SCHEMA;
        struct request_options options = {
            .sampler = {.temperature = 1,
                        .top_k = 40,
                        .top_p = 0.9f,
                        .repeat_penalty = 1,
                        .seed = 5,
                        .given = SAMPLER_GIVEN(temperature) | SAMPLER_GIVEN(top_k)},
            .max_tokens = BODIES[row].with & LIMIT ? 9 : 0,
            .route = 255};
        const struct query query = {.form = BODIES[row].form,
                                    .server = BODIES[row].server,
                                    .model = "",
                                    .salt = "salt",
                                    .tokens = tokens,
                                    .length = bytes ? 0 : 3,
                                    .room = 100,
                                    .choices = 3,
                                    .omits = BODIES[row].with & PLAIN ? OMIT_HELPFUL : 0,
                                    .options = &options};
        struct text body = {0};
        struct error err = {0};
        enum answer_state place;
        assert_int_equal(
            grammar_create_elsewhere(schema ? "{\"type\": \"null\"}" : "root ::= \"a\"", schema,
                                     &options.grammar),
            STATUS_OK);
        assert_int_equal(query_write(&query, &body, &place, &err), STATUS_OK);
        for (size_t i = 0; i < 5 && BODIES[row].has[i]; i++)
            if (!strstr(body.bytes, BODIES[row].has[i]))
                fail_msg("row %zu: no %s in %s", row, BODIES[row].has[i], body.bytes);
        for (size_t i = 0; i < 3 && BODIES[row].lacks[i]; i++)
            if (strstr(body.bytes, BODIES[row].lacks[i]))
                fail_msg("row %zu: %s in %s", row, BODIES[row].lacks[i], body.bytes);
        options.answered = 1; // a structure has begun here, and the server would begin it again
        assert_int_equal(query_write(&query, &body, &place, &err), STATUS_UNSUPPORTED);
        grammar_release(options.grammar);
        text_deinit(&body);
    }
}

static void text_cannot_forge_the_marks_of_the_byte_tokenizer(void **state) {
    (void)state;
    struct tokenizer *tokenizer = NULL;
    struct error err = {0};
    struct token_ids ids = {0};
    struct text back = {0};
    char all[255 + 1];
    assert_int_equal(byte_tokenizer_open(&tokenizer, &err), STATUS_OK);
    assert_int_equal(tokenizer_vocabulary(tokenizer), BYTE_TOKEN_COUNT);
    for (int i = 1; i < 256; i++)
        all[i - 1] = (char)i;
    const struct piece pieces[] = {{PIECE_CONTROL, "<|message_user|>", 16},
                                   {PIECE_TEXT, all, 255},
                                   {PIECE_TEXT, "<|message_end|>", 15},
                                   {PIECE_CONTROL, "<|message_end|>", 15}};
    assert_int_equal(tokenizer_encode(tokenizer, pieces, 4, &ids), STATUS_OK);
    assert_int_equal(ids.count, 1 + 255 + 15 + 1);
    assert_int_equal(ids.ids[0], BYTE_TOKEN_USER);
    assert_int_equal(ids.ids[ids.count - 1], BYTE_TOKEN_END);
    assert_true(tokenizer_ends_turn(tokenizer, BYTE_TOKEN_END));
    for (size_t i = 1; i + 1 < ids.count; i++)
        assert_int_equal(tokenizer_decode(tokenizer, ids.ids[i], false, &back), STATUS_OK);
    assert_int_equal(back.length, 255 + 15);
    assert_memory_equal(back.bytes, all, 255);
    for (size_t i = 0; i < 255; i++)
        assert_int_equal(ids.ids[i + 1], i + 1);
    token_ids_deinit(&ids);
    text_deinit(&back);
    tokenizer_close(tokenizer);
}

// Of a vocabulary of bytes the longest token is one byte.
static void missing_ids_are_recovered_from_the_text(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int32_t id;
        size_t missing;
    } rows[] = {
        {"\xf0\x9f\x98\x80", 0x80, 3}, {"a\xc3\xa9", 0xa9, 2}, {"ab", 'b', 0}, {"b", 'b', 0}};
    struct tokenizer *tokenizer = NULL;
    struct error err = {0};
    assert_int_equal(byte_tokenizer_open(&tokenizer, &err), STATUS_OK);
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        struct token_ids ids = {0}, missing = {0};
        struct text text = {0};
        assert_int_equal(text_append_string(&text, rows[row].text), STATUS_OK);
        assert_int_equal(token_ids_push(&ids, rows[row].id), STATUS_OK);
        assert_int_equal(missing_ids(tokenizer, &text, &ids, &missing), STATUS_OK);
        assert_int_equal(missing.count, rows[row].missing);
        for (size_t i = 0; i < missing.count; i++)
            assert_int_equal(missing.ids[i], (unsigned char)rows[row].text[i]);
        token_ids_deinit(&ids);
        token_ids_deinit(&missing);
        text_deinit(&text);
    }
    tokenizer_close(tokenizer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_do_not_depend_on_how_bytes_arrive),
        cmocka_unit_test(oversized_lines_and_events_are_refused),
        cmocka_unit_test(lines_of_an_event_can_reach_the_limit_exactly),
        cmocka_unit_test(every_field_of_an_event_is_read),
        cmocka_unit_test(every_choice_of_an_event_is_reported),
        cmocka_unit_test(events_that_are_no_json_object_are_refused),
        cmocka_unit_test(a_byte_log_is_sent_as_messages),
        cmocka_unit_test(requests_are_written_in_each_servers_format),
        cmocka_unit_test(text_cannot_forge_the_marks_of_the_byte_tokenizer),
        cmocka_unit_test(missing_ids_are_recovered_from_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
