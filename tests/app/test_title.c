// tests/app/test_title.c — titles: what is read as one, and how the demo model is asked for one.
#include "app/chat/title.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/chat/chat_move.h"
#include "tests/app/chats.h"

static struct engine *engine;
static struct db *db;

static int open_all(void **state) {
    (void)state;
    engine = chats_engine(512, 64 << 20, NULL);
    return db_open(":memory:", &db, NULL) == STATUS_OK ? 0 : -1;
}

static int close_all(void **state) {
    (void)state;
    engine_close(engine);
    db_close(db);
    return 0;
}

static void a_title_is_one_line_without_decoration(void **state) {
    (void)state;
    static const char *const TABLE[][2] = {
        {"Foxes and bears", "Foxes and bears"},
        {"\n\n**\"Foxes and bears.\"**\nMore text", "Foxes and bears"},
        {"# Title: `Foxes`", "Foxes"},
        {"A good title is \"Foxes and hens\".", "Foxes and hens"},
        {"<think>What is it?</think>\n\nFoxes", "Foxes"},
        {"<think>It never ends", ""},
        {"", ""},
        {" .\n\"\" ", ""},
        {"a\x1B[31m red\tfox", "a [31m red fox"},
        {"A title of so many words that it does not fit the line at all, not at all",
         "A title of so many words that it does not fit the line at"},
        {"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
         "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
         "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9",
         "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
         "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
         "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"},
    };
    char line[TITLE_BYTES];
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
        title_read(TABLE[i][0], strlen(TABLE[i][0]), line);
        assert_string_equal(line, TABLE[i][1]);
    }
}

static struct chat *open_chat(void) {
    struct session_options options = {.engine = engine, .db = db, .digest = {1, 1}};
    options.settings = (struct session_settings){
        .sampler = sampler_options_default(), .seed_given = true, .max_tokens = 8};
    return chats_open(&options);
}

static void send_question(struct chat *chat, const char *question) {
    struct turn_update update;
    struct error err = {0};
    assert_int_equal(chats_send(chat, question, strlen(question), &err), STATUS_OK);
    while (chats_next(chat, &update))
        continue;
}

static void begin_title(struct title *title, struct chat *chat) {
    struct error err = {0};
    assert_true(title_wanted(title, chat));
    assert_int_equal(title_begin(title, chat, &err), STATUS_OK);
    assert_false(title_wanted(title, chat));
}

// As the chat does while the person types nothing.
static void wait_for_end(const struct title *title, struct session *session) {
    for (; title->turn.state != TURN_IDLE; usleep(1000)) {
        session_listen(session);
        session_check(session);
    }
    assert_null(title->sequence);
    engine_check(engine);
}

static struct conversation stored(const struct chat *chat) {
    struct conversation found;
    struct error err = {0};
    assert_int_equal(conversation_find(db, chat->conversation.id, &found, &err), STATUS_OK);
    return found;
}

static void titling_a_conversation_adds_no_message(void **state) {
    (void)state;
    struct chat *chat = open_chat();
    struct title title = {0};
    assert_false(title_wanted(&title, chat));
    send_question(chat, "Tell me of a fox.");
    const size_t count = chat_message_count(chat);
    const int32_t length = sequence_length(chat->sequence);
    begin_title(&title, chat);
    wait_for_end(&title, chat->session);
    assert_true(stored(chat).title[0] != '\0');
    assert_string_equal(stored(chat).title, chat->conversation.title);
    assert_string_equal(stored(chat).name, "");
    assert_int_equal(chat_message_count(chat), count);
    assert_int_equal(sequence_length(chat->sequence), length);
    assert_false(title_wanted(&title, chat));
    title_deinit(&title);
    chats_close(chat);
}

static void titling_yields_to_a_message_and_resumes_later(void **state) {
    (void)state;
    struct chat *chat = open_chat();
    struct title title = {0};
    send_question(chat, "Tell me of a bear.");
    begin_title(&title, chat);
    title_stop(&title);
    send_question(chat, "And of a hen.");
    wait_for_end(&title, chat->session);
    assert_string_equal(stored(chat).title, "");
    begin_title(&title, chat);
    send_question(chat, "And of a dog."); // beside it
    wait_for_end(&title, chat->session);
    assert_true(stored(chat).title[0] != '\0');
    title_deinit(&title);
    chats_close(chat);
}

static void a_name_given_by_the_user_is_kept(void **state) {
    (void)state;
    struct chat *chat = open_chat();
    struct title title = {0};
    struct error err = {0};
    send_question(chat, "Tell me of a cat.");
    begin_title(&title, chat);
    assert_int_equal(chat_rename(chat, "cats", &err), STATUS_OK);
    wait_for_end(&title, chat->session);
    assert_string_equal(stored(chat).name, "cats");
    assert_string_equal(stored(chat).title, "");
    assert_false(title_wanted(&title, chat));
    assert_int_equal(chat_new(chat, "", &err), STATUS_OK);
    send_question(chat, "Tell me of an owl.");
    begin_title(&title, chat);
    title_deinit(&title); // while it is written
    chats_close(chat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_title_is_one_line_without_decoration),
        cmocka_unit_test(titling_a_conversation_adds_no_message),
        cmocka_unit_test(titling_yields_to_a_message_and_resumes_later),
        cmocka_unit_test(a_name_given_by_the_user_is_kept),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
