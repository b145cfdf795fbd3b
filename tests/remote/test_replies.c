// tests/remote/test_replies.c — an answer from its bytes to its text: each shape that servers send,
// cut anywhere, and never with the key in it.
#include <stdlib.h>
#include <string.h>

#include "engine/remote/answer_text.h"
#include "engine/remote/event_stream.h"
#include "engine/remote/optional_fields.h"
#include "engine/remote/reply.h"
#include "engine/remote/server_json.h"
#include "engine/tokenizer/thinking.h"
#include "tests/check.h"

static const char KEY[] = "sk-Zt/9\"a+4711";

// What an answer comes to, as transfer.c puts it together.
struct heard {
    struct answer_text answer;
    struct text text;            // as it goes to the log
    struct text tools, refusals; // of all events
    struct text failure;
    const struct secret *secret;
    int replies, unknown;
    bool finished, filtered, broken;
    enum stop_reason reason;
};

static enum status hear(void *user, const struct reply *reply) {
    struct heard *heard = user;
    heard->replies++;
    heard->unknown += reply->unknown;
    if (reply->failed) {
        TRY(text_append(&heard->failure, text_string(&reply->failure), reply->failure.length));
        return STATUS_IO;
    }
    TRY(text_append(&heard->tools, text_string(&reply->tool), reply->tool.length));
    TRY(text_append(&heard->refusals, text_string(&reply->refusal), reply->refusal.length));
    if (reply->choice != 0) return STATUS_OK;
    TRY(answer_text_add(&heard->answer, &reply->thought, &reply->text, &heard->text));
    if (!reply->finished) return STATUS_OK;
    heard->finished = true;
    heard->filtered = reply->filtered;
    heard->broken = reply->broken;
    heard->reason = reply->reason;
    return STATUS_OK;
}

static enum status take_event(void *user, const char *data, size_t length) {
    struct heard *heard = user;
    if (strncmp(data, "[DONE]", 6) == 0) return STATUS_OK;
    return reply_read(data, length, heard->secret, hear, heard);
}

// The first `length` bytes of a stream, in pieces. What is cut off may be half an event.
static void play_stream(const char *bytes, size_t length, size_t piece, struct heard *heard) {
    struct event_stream stream = {.take = take_event, .user = heard};
    enum status status = STATUS_OK;
    answer_text_begin(&heard->answer, heard->secret, ANSWER_NEW);
    for (size_t at = 0; at < length && status == STATUS_OK; at += piece)
        status = event_stream_push(&stream, bytes + at, at + piece < length ? piece : length - at);
    assert_true(status == STATUS_OK || status == STATUS_IO);
    status = event_stream_end(&stream);
    assert_true(status == STATUS_OK || status == STATUS_IO || status == STATUS_BAD_INPUT);
    const bool whole = heard->finished && heard->reason == STOP_REASON_END;
    assert_int_equal(answer_text_end(&heard->answer, whole, &heard->text), STATUS_OK);
    event_stream_deinit(&stream);
}

static void forget(struct heard *heard) {
    answer_text_deinit(&heard->answer);
    text_deinit(&heard->text);
    text_deinit(&heard->tools);
    text_deinit(&heard->refusals);
    text_deinit(&heard->failure);
    *heard = (struct heard){.secret = heard->secret};
}

#define EVENT(json) "data: " json "\n\n"
#define DELTA(json) \
    EVENT("{\"choices\":[{\"index\":0,\"delta\":{" json "},\"finish_reason\":null}]}")
#define TEXT(string)    DELTA("\"content\":\"" string "\"")
#define THOUGHT(string) DELTA("\"reasoning_content\":\"" string "\"")
#define END(reason) \
    EVENT("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}")
#define STOP END("stop") EVENT("[DONE]")

enum { OPEN_END = -1 }; // no reason came

static const struct {
    const char *stream, *answer, *thought;
    int reason;
    const char *other; // the failure, a refusal or a tool
} SHAPES[] = {
    {TEXT("a") TEXT("b") STOP, "ab", "", STOP_REASON_END, ""},
    {DELTA("\"content\":null,\"content\":\"\",\"content\":\"a\"")
         DELTA("\"content\":\"b\",\"content\":\"b\"")
             EVENT("{\"choices\":[{\"finish_reason\":null,\"finish_reason\":\"stop\"}]}"),
     "ab", "", STOP_REASON_END, ""},
    {EVENT("{\"choices\":[],\"message\":\"1\",\"message\":\"2\",\"choices\":[{\"delta\":"
           "{\"content\":[{\"text\":\"a\"}],\"content\":[{\"text\":\"a\"}],\"content\":{}},"
           "\"message\":{},\"message\":[]}]}") STOP,
     "a", "", STOP_REASON_END, ""},
    {DELTA(
         "\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"hm\"}]}]")
         DELTA("\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"},"
               "{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}},\"c\"]") STOP,
     "abc", "hm", STOP_REASON_END, ""},
    {DELTA("\"content\":{\"type\":\"output_text\",\"text\":{\"value\":\"v\"}}") STOP, "v", "",
     STOP_REASON_END, ""},
    {EVENT("{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"whole\"},"
           "\"finish_reason\":\"stop\"}]}"),
     "whole", "", STOP_REASON_END, ""},
    {"{\"choices\":[{\"message\":{\"content\":\"no stream\"},\"finish_reason\":\"stop\"}]}\n",
     "no stream", "", STOP_REASON_END, ""},
    {EVENT("{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"\"}]}") TEXT("b") STOP,
     "ab", "", STOP_REASON_END, ""},
    {TEXT("a") END("max_tokens"), "a", "", STOP_REASON_LENGTH, ""},
    {TEXT("a") END("model_length"), "a", "", STOP_REASON_LENGTH, ""},
    {TEXT("a") END("MAX_TOKENS"), "a", "", STOP_REASON_LENGTH, ""},
    {TEXT("a") END("error"), "a", "", STOP_REASON_FAILED, ""},
    {TEXT("a") END("abort"), "a", "", STOP_REASON_FAILED, ""},
    {TEXT("a") END("eos"), "a", "", STOP_REASON_END, ""},
    {TEXT("a") END("null") TEXT("b") END("None") TEXT("c"), "abc", "", OPEN_END, ""},
    {END("stop") TEXT("a") END("stop") TEXT("b") END("length"), "ab", "", STOP_REASON_LENGTH, ""},
    {THOUGHT("hm") END("stop") TEXT("a") STOP, "a", "hm", STOP_REASON_END, ""},
    {TEXT("a") END("function_call_filter: MALFORMED_FUNCTION_CALL"), "a", "", STOP_REASON_FAILED,
     ""},
    {TEXT("a") EVENT("{\"error\":{\"message\":\"gone\"}}"), "a", "", OPEN_END, "gone"},
    {TEXT("a") EVENT("{\"choices\":[{\"error\":{\"message\":\"in it\"},\"delta\":{}}]}"), "a", "",
     OPEN_END, "in it"},
    {TEXT("a") "error: {\"code\":500,\"message\":\"too small\"}\n\n", "a", "", OPEN_END,
     "too small"},
    {EVENT("{\"type\":\"error\",\"message\":\"x\"}"), "", "", OPEN_END, "x"},
    {EVENT("{\"type\":\"error\",\"error\":{\"type\":\"overloaded\",\"message\":\"y\"}}"), "", "",
     OPEN_END, "y"},
    {EVENT("{\"object\":\"error\",\"message\":\"old\",\"code\":400}"), "", "", OPEN_END, "old"},
    {EVENT("{\"error\":true,\"message\":\"flag\"}"), "", "", OPEN_END, "flag"},
    {EVENT("{\"error\":{\"code\":503}}"), "", "", OPEN_END, "{\"code\":503}"},
    {EVENT(
         "{\"detail\":[{\"loc\":[\"body\",\"seed\"],\"msg\":\"not permitted\"},{\"msg\":\"no\"}]}"),
     "", "", OPEN_END, "seed: not permitted; no"},
    {"[{\"error\":{\"code\":400,\"message\":\"in a list\"}}]\n", "", "", OPEN_END, ""},
    {EVENT("") "data\n\n" TEXT("a") ": c\n" EVENT("{\"type\":\"ping\"}") "data: \n\n" STOP, "a", "",
     STOP_REASON_END, ""},
    {TEXT("a\\ud83d") TEXT("\\ude00b") STOP, "a😀b", "", STOP_REASON_END, ""},
    {TEXT("a\\ud83d") TEXT("b\\ude00") STOP,
     "a\xef\xbf\xbd"
     "b\xef\xbf\xbd",
     "", STOP_REASON_END, ""},
    {TEXT("\\ud83d\\ud83d\\ude00\\ude00") STOP, "\xef\xbf\xbd😀\xef\xbf\xbd", "", STOP_REASON_END,
     ""},
    {TEXT("a\\ud83d") STOP, "a\xef\xbf\xbd", "", STOP_REASON_END, ""},
    {TEXT("a\\u0000b") STOP,
     "a\xef\xbf\xbd"
     "b",
     "", STOP_REASON_END, ""},
    {TEXT("\\ufdd0x\\ufdd1") STOP, "\xef\xbf\xbdx\xef\xbf\xbd", "", STOP_REASON_END, ""},
    {TEXT("\\\"\\\\\\/\\n\\u0022\\u005c") STOP, "\"\\/\n\"\\", "", STOP_REASON_END, ""},
    {DELTA("\"reasoning\":\"\",\"reasoning_content\":\"hm\"") TEXT("a") STOP, "a", "hm",
     STOP_REASON_END, ""},
    {DELTA("\"reasoning\":\"hm\",\"reasoning_content\":\"hm\"") TEXT("a") STOP, "a", "hm",
     STOP_REASON_END, ""},
    {DELTA("\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"hm\"}]") TEXT("a") STOP,
     "a", "hm", STOP_REASON_END, ""},
    {DELTA("\"reasoning_text\":\"hm\"") TEXT("a") STOP, "a", "hm", STOP_REASON_END, ""},
    {DELTA("\"reasoning_details\":[{\"type\":\"reasoning.encrypted\",\"data\":\"AA==\"},"
           "{\"type\":\"reasoning.summary\",\"summary\":\"hm\"}]") TEXT("a") STOP,
     "a", "hm", STOP_REASON_END, ""},
    {THOUGHT("One.") TEXT("A. ") THOUGHT("Two.") TEXT("B.") STOP, "A. B.", "One.\nTwo.",
     STOP_REASON_END, ""},
    {THOUGHT("One. ") TEXT("") THOUGHT("Two.") TEXT("\\n") THOUGHT(" 3") TEXT("A.") STOP, "A.",
     "One. Two.\n 3", STOP_REASON_END, ""},
    {TEXT("Let me see.") TEXT("\\n</think>\\n\\nYes.") STOP, "Yes.", "Let me see.", STOP_REASON_END,
     ""},
    {TEXT("Let me see.</thi") TEXT("nk>Yes.") STOP, "Yes.", "Let me see.", STOP_REASON_END, ""},
    {TEXT("</think>\\n\\nYes.") STOP, "Yes.", "", STOP_REASON_END, ""},
    {TEXT("hm[/THINK]Yes.") STOP, "Yes.", "hm", STOP_REASON_END, ""},
    {TEXT("Write `</think>` to end it.") STOP, "Write `</think>` to end it.", "", STOP_REASON_END,
     ""},
    {TEXT("The mark </think> ends it.") STOP, "The mark </think> ends it.", "", STOP_REASON_END,
     ""},
    {TEXT("<think> begins it,\\n</think>\\nends it.") STOP, "ends it.", "begins it,",
     STOP_REASON_END, ""},
    {TEXT("A <think>\\n</think>\\n") STOP, "A <think>\n</think>\n", "", STOP_REASON_END, ""},
    {TEXT("[THI") TEXT("NK]hm[/THINK]Yes.") STOP, "Yes.", "hm", STOP_REASON_END, ""},
    {TEXT("<th") TEXT("ick") STOP, "<thick", "", STOP_REASON_END, ""},
    {DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"look\",\"arguments\":\"{\"}}]")
         DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]")
             END("tool_calls"),
     "", "", STOP_REASON_END, "look"},
    {DELTA("\"content\":\"a\",\"tool_calls\":null,\"function_call\":null") STOP, "a", "",
     STOP_REASON_END, ""},
    {EVENT("{\"error\":{\"message\":\"Provider returned error\",\"metadata\":{\"raw\":\"too \\n"
           "long\"}}}"),
     "", "", OPEN_END, "Provider returned error: too long"},
    {DELTA("\"refusal\":\"I cannot \"") DELTA("\"refusal\":\"help.\"") STOP, "", "",
     STOP_REASON_END, "I cannot help."},
};

static void every_shape_of_answer_is_read(void **state) {
    (void)state;
    for (size_t row = 0; row < sizeof SHAPES / sizeof SHAPES[0]; row++) {
        struct heard heard = {0};
        struct text thought = {0}, answer = {0}, other = {0};
        play_stream(SHAPES[row].stream, strlen(SHAPES[row].stream), SIZE_MAX / 2, &heard);
        assert_int_equal(
            thinking_split(text_string(&heard.text), heard.text.length, &thought, &answer),
            STATUS_OK);
        assert_int_equal(text_format(&other, "%s%s%s", text_string(&heard.failure),
                                     text_string(&heard.refusals), text_string(&heard.tools)),
                         STATUS_OK);
        if (strcmp(text_string(&answer), SHAPES[row].answer) != 0 ||
            strcmp(text_string(&thought), SHAPES[row].thought) != 0 ||
            (heard.finished ? (int)heard.reason : OPEN_END) != SHAPES[row].reason ||
            (SHAPES[row].other[0] && strcmp(text_string(&other), SHAPES[row].other) != 0))
            fail_msg("%s: answer '%s', thought '%s', reason %d, other '%s'", SHAPES[row].stream,
                     text_string(&answer), text_string(&thought),
                     heard.finished ? (int)heard.reason : OPEN_END, text_string(&other));
        text_deinit(&thought);
        text_deinit(&answer);
        text_deinit(&other);
        forget(&heard);
    }
}

struct counts {
    int64_t prompt, cached, output;
};

static enum status note_counts(void *user, const struct reply *reply) {
    *(struct counts *)user =
        (struct counts){reply->prompt_tokens, reply->cached_tokens, reply->output_tokens};
    return STATUS_OK;
}

static void counts_are_read_wherever_servers_put_them(void **state) {
    (void)state;
    static const struct {
        const char *event;
        struct counts counts;
    } rows[] = {
        {"{\"choices\":[],\"usage\":null}", {-1, -1, -1}},
        {"{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}", {9, -1, 2}},
        {"{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":\"2\","
         "\"prompt_tokens_details\":{\"cached_tokens\":8}}}",
         {9, 8, -1}},
        {"{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"prompt_tokens_details\":null,"
         "\"prompt_cache_hit_tokens\":7}}",
         {9, 7, -1}},
        {"{\"choices\":[{\"delta\":{},\"usage\":{\"prompt_tokens\":9,\"cached_tokens\":6}}]}",
         {9, 6, -1}},
        {"{\"choices\":[{\"delta\":{}}],\"x_groq\":{\"usage\":{\"prompt_tokens\":9}}}",
         {9, -1, -1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct counts counts = {0};
        assert_int_equal(
            reply_read(rows[i].event, strlen(rows[i].event), NULL, note_counts, &counts),
            STATUS_OK);
        assert_memory_equal(&counts, &rows[i].counts, sizeof counts);
    }
}

static int count_unknown(const char *event) {
    struct heard heard = {0};
    const enum status status = reply_read(event, strlen(event), NULL, hear, &heard);
    assert_true(status == STATUS_OK || status == STATUS_IO);
    const int unknown = heard.unknown;
    forget(&heard);
    return unknown;
}

static void an_event_that_says_nothing_is_unknown(void **state) {
    (void)state;
    static const char *const unknown[] = {
        "{}",
        "{\"type\":\"message_stop\"}",
        "{\"message\":{\"content\":\"a\"},\"done\":false}",
        "{\"base_resp\":{\"status_code\":1004,\"status_msg\":\"login fail\"}}",
        "{\"choices\":{\"0\":{}}}",
    };
    static const char *const known[] = {
        "{\"choices\":[]}",
        "{\"choices\":[{\"index\":0,\"delta\":{}}]}",
        "{\"message\":\"no\"}",
        "{\"usage\":{\"prompt_tokens\":3}}",
        "{\"content\":\"a\"}",
        "{\"content\":\"\",\"stop\":true}",
        "{\"output_ids\":[3],\"meta_info\":{}}",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_int_equal(count_unknown(unknown[i]), 1);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(count_unknown(known[i]), 0);
}

// How much text is sure to be there: that of the events whose JSON is complete before the cut.
static size_t complete_events(const char *stream, size_t cut) {
    size_t count = 0;
    for (const char *at = stream; (at = strstr(at, "\n")) != NULL; at++)
        if (at > stream && at[-1] == '}' && (size_t)(at - stream) <= cut) count++;
    return count;
}

// Wherever it is cut and however it is divided, an answer has what the complete events have: it is
// what comes of the same stream without the half one.
static void an_answer_cut_at_any_byte_keeps_its_text(void **state) {
    (void)state;
    for (size_t row = 0; row < sizeof SHAPES / sizeof SHAPES[0]; row++) {
        const char *stream = SHAPES[row].stream;
        for (size_t cut = 0; cut <= strlen(stream); cut++) {
            struct heard pieces = {0}, whole = {0};
            size_t end = cut; // of the last complete line
            while (end > 0 && stream[end - 1] != '\n' && !(stream[end] == '\n' && end == cut))
                end--;
            play_stream(stream, cut, 1 + cut % 7, &pieces);
            play_stream(stream, end, SIZE_MAX / 2, &whole);
            assert_int_equal(pieces.replies, whole.replies);
            assert_true(pieces.replies + (int)(pieces.failure.length > 0) * 1000 >=
                        (int)complete_events(stream, cut) - 1);
            assert_string_equal(text_string(&pieces.text), text_string(&whole.text));
            assert_int_equal(pieces.finished, whole.finished);
            forget(&pieces);
            forget(&whole);
        }
    }
}

// Where the beginning is not held any longer, what came later says that it was a thought.
static void a_late_end_mark_turns_released_text_into_a_thought(void **state) {
    (void)state;
    struct answer_text answer = {0};
    struct text out = {0}, thought = {0}, said = {0}, none = {0};
    struct text first = {.bytes = (char[]){"Let me see."}, .length = 11};
    struct text last = {.bytes = (char[]){"\n</think>\n\nYes."}, .length = 15};
    answer_text_begin(&answer, NULL, ANSWER_NEW);
    assert_int_equal(answer_text_add(&answer, &none, &first, &out), STATUS_OK);
    assert_true(answer_text_waits(&answer));
    assert_int_equal(out.length, 0);
    assert_int_equal(answer_text_release(&answer, &out), STATUS_OK);
    assert_string_equal(text_string(&out), "Let me see.");
    assert_int_equal(answer_text_add(&answer, &none, &last, &out), STATUS_OK);
    assert_int_equal(answer_text_end(&answer, true, &out), STATUS_OK);
    assert_int_equal(thinking_split(out.bytes, out.length, &thought, &said), STATUS_OK);
    assert_string_equal(text_string(&thought), "Let me see.");
    assert_string_equal(text_string(&said), "Yes.");
    answer_text_deinit(&answer);
    text_deinit(&out);
    text_deinit(&thought);
    text_deinit(&said);
}

// ---- bounds

static void an_event_with_many_choices_is_parsed_once(void **state) {
    (void)state;
    enum { CHOICES = 100000 };
    struct text event = {0};
    struct heard heard = {0};
    assert_int_equal(text_append_string(&event, "{\"choices\":[{}"), STATUS_OK);
    for (int i = 1; i < CHOICES; i++)
        assert_int_equal(text_append_string(&event, ",{}"), STATUS_OK);
    assert_int_equal(text_append_string(&event, "]}"), STATUS_OK);
    assert_int_equal(reply_read(event.bytes, event.length, NULL, hear, &heard), STATUS_OK);
    assert_int_equal(heard.replies, CHOICES);
    forget(&heard);
    text_deinit(&event);
}

static void json_values_and_depth_have_a_limit(void **state) {
    (void)state;
    struct text json = {0};
    cJSON *tree = NULL;
    assert_int_equal(text_append_string(&json, "[0"), STATUS_OK);
    for (int i = 0; i < SERVER_JSON_MAX_VALUES; i++)
        assert_int_equal(text_append_string(&json, ",0"), STATUS_OK);
    assert_int_equal(text_append_string(&json, "]"), STATUS_OK);
    assert_int_equal(server_json_read(json.bytes, json.length, NULL, &tree), STATUS_TOO_LONG);
    text_clear(&json);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(text_append_string(&json, "["), STATUS_OK);
    assert_int_equal(server_json_read(json.bytes, json.length, NULL, &tree), STATUS_BAD_INPUT);
    assert_null(tree);
    text_deinit(&json);
}

static void a_line_of_100_megabytes_is_refused_early(void **state) {
    (void)state;
    static char piece[16384];
    struct heard heard = {0};
    struct event_stream stream = {.take = take_event, .user = &heard};
    enum status status = STATUS_OK;
    size_t pushed = 0;
    memset(piece, 'x', sizeof piece);
    for (; pushed < 100 << 20 && status == STATUS_OK; pushed += sizeof piece)
        status = event_stream_push(&stream, piece, sizeof piece);
    assert_int_equal(status, STATUS_TOO_LONG);
    assert_true(pushed <= EVENT_STREAM_MAX_BYTES + sizeof piece);
    assert_true(stream.line.capacity + stream.data.capacity <= 8 << 20);
    event_stream_deinit(&stream);
}

// Cut anywhere, it is JSON, and has as much of the text as has come.
static void truncated_json_is_closed_into_valid_json(void **state) {
    (void)state;
    static const char json[] =
        "\xef\xbb\xbf{ \"id\" : \"a\\\\\", \"n\":[1, -2.5e3,true,null,[], {}],\n"
        "  \"choices\": [\n { \"message\" :{\"role\":\"x\",\"content\": \"Gr\xc3\xb6\xc3\x9f"
        "e \\\"q\\\" \\\\ \\u00e9 \\ud83d\\ude00, \xf0\x9f\x98\x80.\"}, "
        "\"finish_reason\":\"stop\"}]}";
    static const char content[] = "Gr\xc3\xb6\xc3\x9f"
                                  "e \"q\" \\ \xc3\xa9 \xf0\x9f\x98\x80, \xf0\x9f\x98\x80.";
    size_t longest = 0;
    for (size_t length = 4; length < sizeof json; length++) {
        struct text cut = {0};
        cJSON *read = NULL;
        assert_int_equal(text_append(&cut, json, length), STATUS_OK);
        assert_int_equal(server_json_close(&cut), STATUS_OK);
        assert_int_equal(server_json_read(cut.bytes, cut.length, NULL, &read), STATUS_OK);
        const cJSON *choices = cJSON_GetObjectItem(read, "choices");
        const cJSON *message = cJSON_GetObjectItem(cJSON_GetArrayItem(choices, 0), "message");
        const cJSON *item = cJSON_GetObjectItem(message, "content");
        const char *text = item ? item->valuestring : "";
        const size_t had = strlen(text);
        const bool halved = had >= 3 && (unsigned char)text[had - 3] == 0xed; // of a pair
        assert_true(halved || (strncmp(content, text, had) == 0 && had >= longest));
        if (!halved) longest = had;
        cJSON_Delete(read);
        text_deinit(&cut);
    }
    assert_int_equal(longest, sizeof content - 1);
    struct text deep = {0};
    for (int i = 0; i < 100; i++)
        assert_int_equal(text_append_string(&deep, "["), STATUS_OK);
    assert_int_equal(server_json_close(&deep), STATUS_BAD_INPUT);
    text_deinit(&deep);
}

// ---- the key

static void set(struct secret *secret) {
    assert_int_equal(secret_set(secret, KEY, sizeof KEY - 1), STATUS_OK);
}

static const char *const FORMS[] = {
    KEY,
    "sk-Zt%2F9%22a%2B4711",
    "sk-Zt%2f9%22a%2b4711",
    "sk-Zt/9\\\"a+4711",
    "c2stWnQvOSJhKzQ3MT", // base64 behind 0, 1 and 2 bytes, without the digits that others decide
    "NrLVp0LzkiYSs0NzEx",
    "zay1adC85ImErNDcxM",
};

static void a_key_is_masked_in_every_encoding(void **state) {
    (void)state;
    struct secret secret = {0};
    set(&secret);
    for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++)
        for (size_t piece = 1; piece < 40; piece++) {
            struct secret_reader reader = {.secret = &secret};
            struct text said = {0}, out = {0}, expected = {0};
            assert_int_equal(text_format(&said, "sk-Z sk-sk-%s?%s, sk-Zt", FORMS[i], FORMS[i]),
                             STATUS_OK);
            assert_int_equal(text_append_string(&expected, "sk-Z sk-sk-****?****, sk-Zt"),
                             STATUS_OK); // whatever its length
            for (size_t at = 0; at < said.length; at += piece)
                assert_int_equal(secret_read(&reader, said.bytes + at,
                                             at + piece < said.length ? piece : said.length - at,
                                             &out),
                                 STATUS_OK);
            assert_int_equal(secret_read_end(&reader, &out), STATUS_OK);
            assert_string_equal(text_string(&out), expected.bytes);
            assert_int_equal(secret_hide(&secret, said.bytes, said.length), expected.length);
            assert_string_equal(said.bytes, expected.bytes);
            secret_reader_deinit(&reader);
            text_deinit(&said);
            text_deinit(&out);
            text_deinit(&expected);
        }
    secret_deinit(&secret);
}

static void placeholder_keys_are_not_masked(void **state) {
    (void)state;
    static const char *const words[] = {"", "abc", "none", "EMPTY", "ollama", "lm-studio"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct secret secret = {0};
        char said[] = "none ollama EMPTY abc lm-studio";
        assert_int_equal(secret_set(&secret, words[i], strlen(words[i])), STATUS_OK);
        secret_hide(&secret, said, sizeof said - 1);
        assert_string_equal(said, "none ollama EMPTY abc lm-studio");
        secret_deinit(&secret);
    }
}

// A key that repeats itself, over all texts of its two letters.
static void masking_leaves_no_whole_key(void **state) {
    (void)state;
    static const char key[] = "ababa";
    struct secret secret = {0};
    assert_int_equal(secret_set(&secret, key, 5), STATUS_OK);
    for (unsigned bits = 0; bits < 1 << 12; bits++) {
        struct secret_reader reader = {.secret = &secret};
        struct text out = {0};
        for (int i = 0; i < 12; i++)
            assert_int_equal(secret_read(&reader, bits >> i & 1 ? "a" : "b", 1, &out), STATUS_OK);
        assert_int_equal(secret_read_end(&reader, &out), STATUS_OK);
        assert_true(out.length <= 12);
        assert_null(strstr(out.bytes, key));
        secret_reader_deinit(&reader);
        text_deinit(&out);
    }
    secret_deinit(&secret);
}

#define ESCAPED "\\u0073\\u006b-\\u005at\\/9\\\"a+4711"
#define PLAIN   "sk-Zt/9\\\"a+4711"

static const char *const LEAKS[] = {
    EVENT("{\"error\":{\"message\":\"bad key " PLAIN "\"}}"),
    EVENT("{\"error\":{\"message\":\"bad key " ESCAPED "\"}}"),
    EVENT("{\"error\":{\"code\":\"" ESCAPED "\"}}"),
    EVENT("{\"error\":\"sk-\\u0007Zt\\/9\\\"a+4711\"}"),
    EVENT("{\"detail\":[{\"loc\":[\"" ESCAPED "\"],\"msg\":\"" ESCAPED "\"}]}"),
    EVENT("{\"choices\":[{\"error\":\"" ESCAPED "\"}]}"),
    TEXT(ESCAPED) STOP,
    TEXT("sk-Zt\\/9") TEXT("\\\"a+4711!") STOP,
    TEXT("s") TEXT("k") TEXT("-") TEXT("Z") TEXT("t/9\\\"a+471") TEXT("1") STOP,
    TEXT("sk%2DZt") TEXT("sk-Zt%2F9%22a%2B4711") STOP,
    THOUGHT("sk-Zt\\/9") THOUGHT("\\\"a+4711!") STOP,
    DELTA("\"refusal\":\"" ESCAPED "\"") STOP,
    DELTA("\"tool_calls\":[{\"function\":{\"name\":\"" ESCAPED "\"}}]") STOP,
};

static void no_part_of_an_answer_contains_the_key(void **state) {
    (void)state;
    struct secret secret = {0};
    set(&secret);
    for (size_t row = 0; row < sizeof LEAKS / sizeof LEAKS[0]; row++) {
        struct heard heard = {.secret = &secret};
        play_stream(LEAKS[row], strlen(LEAKS[row]), 1 + row, &heard);
        const struct text *const texts[] = {&heard.text, &heard.failure, &heard.refusals,
                                            &heard.tools};
        for (size_t i = 0; i < 4; i++)
            for (size_t form = 0; form < sizeof FORMS / sizeof FORMS[0]; form++)
                assert_null(strstr(text_string(texts[i]), FORMS[form]));
        forget(&heard);
    }
    secret_deinit(&secret);
}

// An error's text is masked before it is cut, wherever it is cut.
static void a_truncated_error_contains_no_part_of_the_key(void **state) {
    (void)state;
    static const struct {
        const char *before, *after;
    } bodies[] = {{"", "sk-Zt/9\"a+4711 is wrong"},
                  {"{\"error\":\"", "sk-Zt\\/9\\\"a+4711 is wrong\"}"},
                  {"<p>", "sk-<b>Zt</b>sk-Zt/9\"a+4711"}};
    struct secret secret = {0};
    set(&secret);
    for (int dots = 0; dots < 330; dots++)
        for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
            struct text body = {0}, said = {0};
            assert_int_equal(text_append_string(&body, bodies[i].before), STATUS_OK);
            for (int j = 0; j < dots; j++)
                assert_int_equal(text_append_string(&body, "."), STATUS_OK);
            assert_int_equal(text_append_string(&body, bodies[i].after), STATUS_OK);
            assert_int_equal(reply_failure(body.bytes, body.length, &secret, &said), STATUS_OK);
            assert_null(strstr(text_string(&said), "sk-Zt"));
            assert_true(said.length <= 300);
            text_deinit(&body);
            text_deinit(&said);
        }
    secret_deinit(&secret);
}

// ---- what a refusal names

static const struct {
    const char *refusal;
    unsigned named;
} REFUSALS[] = {
    {"Unrecognized request argument supplied: n", OMIT_CHOICES},
    {"{\"message\":\"one\\ntwo\"}", 0},
    {"{\"detail\":[{\"loc\":[\"body\",\"seed\"],\"msg\":\"extra\"},{\"loc\":[\"body\",\"top_k\"]}]"
     "}",
     OMIT_SEED | OMIT_TOP_K},
    {"Unsupported parameter: 'max_tokens'", OMIT_MAX_TOKENS},
    {"use 'max_completion_tokens' in place of max_tokens", OMIT_MAX_TOKENS},
    {"max_tokens is too large: 5000", 0},
    {"stream_options.include_usage is no option", OMIT_USAGE},
    {"this model's maximum context length is 10 tokens", 0},
};

static void optional_fields_are_recognised_in_a_refusal(void **state) {
    (void)state;
    for (size_t row = 0; row < sizeof REFUSALS / sizeof REFUSALS[0]; row++)
        assert_int_equal(
            optional_fields_named(REFUSALS[row].refusal, strlen(REFUSALS[row].refusal)),
            REFUSALS[row].named);
    static const char *const unknown[] = {"Unknown field: seed",
                                          "got an unexpected keyword argument"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_true(optional_fields_unknown(unknown[i], strlen(unknown[i])));
    assert_false(optional_fields_unknown(REFUSALS[5].refusal, strlen(REFUSALS[5].refusal)));
    assert_int_equal(optional_fields_of("{\"seed\":5,\"messages\":[{\"content\":\"\\\"n\\\":\"}]}"),
                     OMIT_SEED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_of_answer_is_read),
        cmocka_unit_test(counts_are_read_wherever_servers_put_them),
        cmocka_unit_test(an_event_that_says_nothing_is_unknown),
        cmocka_unit_test(an_answer_cut_at_any_byte_keeps_its_text),
        cmocka_unit_test(a_late_end_mark_turns_released_text_into_a_thought),
        cmocka_unit_test(an_event_with_many_choices_is_parsed_once),
        cmocka_unit_test(json_values_and_depth_have_a_limit),
        cmocka_unit_test(truncated_json_is_closed_into_valid_json),
        cmocka_unit_test(a_line_of_100_megabytes_is_refused_early),
        cmocka_unit_test(a_key_is_masked_in_every_encoding),
        cmocka_unit_test(placeholder_keys_are_not_masked),
        cmocka_unit_test(masking_leaves_no_whole_key),
        cmocka_unit_test(no_part_of_an_answer_contains_the_key),
        cmocka_unit_test(a_truncated_error_contains_no_part_of_the_key),
        cmocka_unit_test(optional_fields_are_recognised_in_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
