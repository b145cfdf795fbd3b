// tests/app/test_moves.c — back, forward and across; preambles with few-shot turns; shorter forks.
// With the demo model and a database in memory.
#include "app/chat/chat_move.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/chat/chat_preamble.h"
#include "app/chat/chat_turn.h"
#include "app/chat/shorten.h"
#include "prompts/preamble.h"
#include "store/family.h"
#include "store/statement.h"
#include "tests/app/chats.h"

enum { CONTEXT = 512, POOL_BYTES = 64 << 20, ANSWER_TOKENS = 24 };

static struct engine *engine;
static struct db *db;

static const struct hash128 DIGEST = {1, 1};

static int open_all(void **state) {
    (void)state;
    engine = chats_engine(CONTEXT, POOL_BYTES, &DIGEST);
    return 0;
}

static int close_all(void **state) {
    (void)state;
    engine_close(engine);
    return 0;
}

// In a database of its own.
static struct chat *open_chat(const char *preamble) {
    struct error err = {0};
    must(db_open(":memory:", &db, &err), &err);
    struct session_options options = {
        .engine = engine, .db = db, .digest = DIGEST, .preamble = preamble};
    options.settings.sampler = sampler_options_default();
    options.settings.sampler.temperature = 0;
    options.settings.max_tokens = ANSWER_TOKENS;
    return chats_open(&options);
}

static void close_chat(struct chat *chat) {
    struct error err = {0};
    chats_close(chat);
    must(db_check(db, &err), &err);
    db_close(db);
    engine_check(engine);
}

static enum status follow_turn(struct chat *chat, struct turn *turn) {
    struct turn_update update;
    while (turn->state != TURN_IDLE) {
        session_next(chat->session, 1000, &update);
        session_check(chat->session);
        chat_check(chat);
    }
    return turn->status;
}

static int64_t send_question(struct chat *chat, const char *question) {
    struct error err = {0};
    must(chats_send(chat, question, strlen(question), &err), &err);
    must(follow_turn(chat, &chat->turn), &chat->turn.err);
    assert_true(turn_first(&chat->turn).any);
    return turn_first(&chat->turn).message;
}

static int64_t tip(struct chat *chat) { return chat->conversation.tip; }

static int64_t stored_tip(struct chat *chat) {
    struct conversation found;
    struct error err = {0};
    must(conversation_find(db, chat->conversation.id, &found, &err), &err);
    return found.tip;
}

static void redo_returns_step_by_step_to_where_it_was(void **state) {
    (void)state;
    struct text draft = {0};
    struct error err = {0};
    struct chat *chat = open_chat("");
    const int64_t first = send_question(chat, "Hello!");
    send_question(chat, "What is a dog?");
    const int64_t third = send_question(chat, "And a cat?");
    assert_int_equal(chat_redo(chat, 0, &err), STATUS_NOT_FOUND);
    must(chat_rewind(chat, 1, &draft, &err), &err);
    const int64_t second = tip(chat);
    must(chat_rewind(chat, 1, &draft, &err), &err);
    assert_int_equal(tip(chat), first);
    must(chat_redo(chat, 0, &err), &err);
    assert_int_equal(tip(chat), second);
    assert_int_equal(stored_tip(chat), second);
    must(chat_redo(chat, 0, &err), &err);
    assert_int_equal(tip(chat), third);
    assert_int_equal(chat_turn_count(chat), 3);
    assert_string_equal(chat_message(chat, 4)->text, "And a cat?");
    assert_int_equal(sequence_length(chat->sequence),
                     (int32_t)transcript_standing(&chat->transcript, chat_message_count(chat)));
    assert_int_equal(chat_redo(chat, 0, &err), STATUS_NOT_FOUND);
    text_deinit(&draft);
    close_chat(chat);
}

// As after /quit and -C.
static void come_back(struct chat *chat, const char *id) {
    struct error err = {0};
    must(chat_new(chat, "", &err), &err);
    chat->session->step_count = 0;
    must(chat_resume(chat, id, &err), &err);
}

static void redo_moves_several_turns_even_after_a_restart(void **state) {
    (void)state;
    enum { TURNS = 4 };
    struct text draft = {0};
    struct error err = {0};
    struct chat *chat = open_chat("Be brief.");
    char id[CONVERSATION_ID_BYTES];
    int64_t tips[TURNS + 1];
    for (int i = 1; i <= TURNS; i++)
        tips[i] = send_question(chat, i % 2 ? "Hello!" : "And a cat?");
    memcpy(id, chat->conversation.id, sizeof id);
    must(chat_rewind(chat, 3, &draft, &err), &err);
    must(chat_redo(chat, 1, &err), &err);
    assert_int_equal(tip(chat), tips[2]);
    must(chat_redo(chat, 1, &err), &err);
    assert_int_equal(tip(chat), tips[3]);
    must(chat_redo(chat, 5, &err), &err); // as many as there are
    assert_int_equal(tip(chat), tips[4]);
    assert_int_equal(chat_redo(chat, 1, &err), STATUS_NOT_FOUND);
    for (int i = 0; i < TURNS; i++)
        must(chat_rewind(chat, 1, &draft, &err), &err);
    must(chat_redo(chat, 3, &err), &err); // across three steps back
    assert_int_equal(tip(chat), tips[3]);

    come_back(chat, id);
    must(chat_redo(chat, 0, &err), &err);
    assert_int_equal(tip(chat), tips[4]);
    must(chat_rewind(chat, TURNS, &draft, &err), &err);
    come_back(chat, id);
    must(chat_redo(chat, 2, &err), &err);
    assert_int_equal(tip(chat), tips[2]);

    // A fork has left nothing, and what it says is not the original's.
    must(chat_fork(chat, "", &err), &err);
    chat->session->step_count = 0;
    assert_int_equal(chat_redo(chat, 0, &err), STATUS_NOT_FOUND);
    const int64_t said = send_question(chat, "Hello!");
    must(chat_rewind(chat, 2, &draft, &err), &err);
    char fork[CONVERSATION_ID_BYTES];
    memcpy(fork, chat->conversation.id, sizeof fork);
    come_back(chat, fork);
    must(chat_redo(chat, 0, &err), &err);
    assert_int_equal(tip(chat), said);
    come_back(chat, id);
    must(chat_redo(chat, 0, &err), &err);
    assert_int_equal(tip(chat), tips[4]);
    text_deinit(&draft);
    close_chat(chat);
}

static void a_new_message_ends_redo_and_loses_nothing(void **state) {
    (void)state;
    struct text draft = {0};
    struct error err = {0};
    struct family_message *messages;
    size_t count;
    struct chat *chat = open_chat("");
    send_question(chat, "Hello!");
    const int64_t left = send_question(chat, "What is a dog?");
    must(chat_rewind(chat, 1, &draft, &err), &err);
    send_question(chat, "What is a fish?");
    assert_int_equal(chat_redo(chat, 0, &err), STATUS_NOT_FOUND);
    must(family_messages(db, chat->conversation.id, 100, &messages, &count, &err), &err);
    assert_int_equal(count, 6);
    free(messages);
    // To what was left, and back again.
    const int64_t here = tip(chat);
    must(chat_go(chat, left, &err), &err);
    assert_int_equal(stored_tip(chat), left);
    assert_string_equal(chat_message(chat, 2)->text, "What is a dog?");
    must(chat_redo(chat, 0, &err), &err);
    assert_int_equal(tip(chat), here);
    assert_int_equal(chat_go(chat, 1 << 20, &err), STATUS_NOT_FOUND);
    assert_int_equal(tip(chat), here);
    text_deinit(&draft);
    close_chat(chat);
}

static void going_to_a_question_returns_its_text_as_a_draft(void **state) {
    (void)state;
    struct error err = {0};
    struct chat *chat = open_chat("Be brief.");
    send_question(chat, "Hello!");
    send_question(chat, "What is a dog?");
    must(chat_go(chat, chat_message(chat, 3)->id, &err), &err);
    assert_string_equal(chat_draft(chat), "What is a dog?");
    assert_int_equal(chat_message_count(chat), 3);
    assert_int_equal(tip(chat), chat_message(chat, 2)->id);
    close_chat(chat);
}

static void random_moves_keep_log_and_tip_in_step(void **state) {
    (void)state;
    unsigned seed = 5;
    struct error err = {0};
    struct text draft = {0};
    struct chat *chat = open_chat("");
    static const char *const questions[] = {"Hello!", "What is a dog?", "And a cat?", "Why?"};
    send_question(chat, questions[0]);
    for (int round = 0; round < 40; round++) {
        struct family_message *messages;
        size_t count;
        switch (rand_r(&seed) % 4) {
        case 0:
            send_question(chat, questions[(size_t)rand_r(&seed) % 4]);
            break;
        case 1:
            if (chat_turn_count(chat) > 0) must(chat_rewind(chat, 1, &draft, &err), &err);
            break;
        case 2:
            if (chat_redo(chat, 0, &err) != STATUS_OK) assert_non_null(strstr(err.text, "nothing"));
            break;
        case 3:
            must(family_messages(db, chat->conversation.id, 1000, &messages, &count, &err), &err);
            must(chat_go(chat, messages[(size_t)rand_r(&seed) % count].id, &err), &err);
            free(messages);
            break;
        }
        const size_t count_now = chat_message_count(chat);
        assert_int_equal(tip(chat), count_now ? chat_message(chat, count_now - 1)->id : 0);
        if (count_now == 0 || round % 4) continue;
        assert_int_equal(stored_tip(chat), tip(chat));
        assert_int_equal(sequence_length(chat->sequence),
                         (int32_t)transcript_standing(&chat->transcript, count_now));
    }
    text_deinit(&draft);
    close_chat(chat);
}

static void a_fork_after_an_answer_keeps_the_answer(void **state) {
    (void)state;
    struct error err = {0};
    struct chat *chat = open_chat("");
    send_question(chat, "Hello!");
    send_question(chat, "What is a dog?");
    send_question(chat, "And a cat?");
    char original[CONVERSATION_ID_BYTES];
    memcpy(original, chat->conversation.id, sizeof original);
    assert_int_equal(chat_fork_after(chat, 4, "", &err), STATUS_BAD_INPUT);
    must(chat_fork_after(chat, 2, "two", &err), &err);
    assert_int_equal(chat_message_count(chat), 4);
    assert_int_equal(chat_message(chat, 3)->role, MESSAGE_ASSISTANT);
    assert_string_equal(chat_draft(chat), "");
    assert_string_equal(chat->conversation.forked_from, original);
    close_chat(chat);
}

static void preamble_examples_are_turns_only_for_the_model(void **state) {
    (void)state;
    struct error err = {0};
    struct text preamble = {0}, flat = {0};
    static const char file[] = "Be brief.\nUSER: What is a cat?\nASSISTANT: A small animal.";
    must(preamble_read(file, strlen(file), &preamble, &err), &err);
    struct chat *chat = open_chat(preamble.bytes);
    send_question(chat, "What is a dog?");
    assert_int_equal(chat_message_count(chat), 3);
    assert_int_equal(chat_turn_count(chat), 1);
    // The log is that of a conversation in which the shots were said.
    const struct tokenizer *tokenizer = engine_tokenizer(engine);
    const int32_t *tokens = sequence_tokens(chat->sequence);
    for (int32_t i = 0; i < sequence_length(chat->sequence); i++)
        must(tokenizer_decode(tokenizer, tokens[i], false, &flat), &err);
    const char *shot = strstr(flat.bytes, "What is a cat?");
    assert_non_null(shot);
    const char *answer = strstr(shot, "A small animal.");
    assert_non_null(answer);
    assert_non_null(strstr(answer, "What is a dog?"));
    assert_null(strchr(flat.bytes, PREAMBLE_SEPARATOR));
    // It costs its tokens, and others have it too.
    struct chat_preamble costs;
    must(chat_preamble(chat, &costs, &err), &err);
    assert_int_equal(costs.others, 0);
    assert_true(costs.tokens > 16 && costs.tokens < sequence_length(chat->sequence));
    assert_true(costs.cached >= costs.tokens - 16);
    must(chat_new(chat, "", &err), &err);
    must(chat_preamble(chat, &costs, &err), &err);
    assert_int_equal(costs.others, 1);
    text_deinit(&preamble);
    text_deinit(&flat);
    close_chat(chat);
}

static void a_shortened_fork_has_preamble_summary_and_last_turns(void **state) {
    (void)state;
    struct error err = {0};
    struct chat *chat = open_chat("Be brief.");
    send_question(chat, "Hello!");
    send_question(chat, "What is a dog?");
    send_question(chat, "And a cat?");
    char original[CONVERSATION_ID_BYTES];
    const int64_t original_tip = tip(chat);
    memcpy(original, chat->conversation.id, sizeof original);
    must(chat_shorten(chat, "It was about animals.", 5, &err), &err);
    assert_int_equal(chat_message_count(chat), 5);
    assert_string_equal(chat_message(chat, 0)->text, "Be brief.");
    assert_int_equal(chat_message(chat, 1)->role, MESSAGE_USER);
    assert_string_equal(chat_message(chat, 2)->text, "It was about animals.");
    assert_string_equal(chat_message(chat, 3)->text, "And a cat?");
    assert_string_equal(chat->conversation.forked_from, original);
    assert_string_equal(chat->conversation.name, "Hello! (shortened)");
    send_question(chat, "Go on.");
    must(chat_shorten(chat, "More about animals.", 5, &err), &err);
    assert_string_equal(chat->conversation.name, "Hello! (shortened 2)");
    must(chat_resume(chat, original, &err), &err);
    assert_string_equal(chat->conversation.name, "");
    assert_int_equal(tip(chat), original_tip);
    assert_int_equal(chat_message_count(chat), 7);
    must(chat_shorten(chat, NULL, chat_message_count(chat), &err), &err);
    assert_int_equal(chat_message_count(chat), 1);
    send_question(chat, "Go on.");
    static const char longest[] = "ééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééa";
    char name[CONVERSATION_NAME_BYTES] = "";
    memcpy(name, longest, sizeof longest - 2);
    name[sizeof longest - 2] = '\0';
    memcpy(chat->conversation.name, name, sizeof name);
    must(chat_shorten(chat, NULL, 1, &err), &err);
    assert_int_equal(strlen(chat->conversation.name), 120);
    assert_non_null(strstr(chat->conversation.name, "é (shortened)"));
    close_chat(chat);
}

// Questions until that many tokens are used.
static void fill_chat(struct chat *chat, size_t tokens) {
    while (transcript_standing(&chat->transcript, chat_message_count(chat)) < tokens)
        send_question(chat,
                      "Tell me about a dog, a cat, a fish and a bird, and about how they live.");
}

static void dropping_old_turns_makes_a_message_fit(void **state) {
    (void)state;
    struct error err = {0};
    struct text message = {0};
    int32_t tokens, free_tokens;
    int64_t dropped = 0;
    struct chat *chat = open_chat("Be brief.");
    fill_chat(chat, CONTEXT - 150);
    const int64_t turns = chat_turn_count(chat);
    do {
        assert_int_equal(text_append_string(&message, " dog"), STATUS_OK);
        must(chat_measure(chat, message.bytes, message.length, &tokens, &free_tokens, &err), &err);
    } while (tokens <= free_tokens);
    assert_int_equal(chats_send(chat, message.bytes, message.length, &err), STATUS_TOO_LONG);
    must(shorten_drop(chat, tokens, &dropped, &err), &err);
    assert_true(dropped >= 1);
    assert_int_equal(chat_turn_count(chat), turns - dropped);
    assert_string_equal(chat_message(chat, 0)->text, "Be brief.");
    send_question(chat, message.bytes);
    text_clear(&message);
    for (int i = 0; i < CONTEXT; i++)
        assert_int_equal(text_append_string(&message, " dog"), STATUS_OK);
    const int64_t before = tip(chat);
    assert_int_equal(shorten_drop(chat, CONTEXT, &dropped, &err), STATUS_TOO_LONG);
    assert_int_equal(tip(chat), before);
    text_deinit(&message);
    close_chat(chat);
}

static void only_as_many_of_the_oldest_turns_are_dropped_as_needed(void **state) {
    (void)state;
    struct error err = {0};
    size_t keep_from = 0;
    struct chat *chat = open_chat("Be brief.");
    send_question(chat, "Hello!");
    send_question(chat, "What is a dog?");
    send_question(chat, "And a cat?");
    const size_t count = chat_message_count(chat);
    must(chat_keep_from(chat, 1, 0, &keep_from, &err), &err); // all would fit: one goes
    assert_int_equal(keep_from, 3);
    const size_t last =
        transcript_standing(&chat->transcript, count) - transcript_standing(&chat->transcript, 5);
    struct chat_preamble preamble;
    must(chat_preamble(chat, &preamble, &err), &err);
    const int32_t room = CONTEXT - preamble.tokens - 1 - (int32_t)last;
    must(chat_keep_from(chat, room, 0, &keep_from, &err), &err);
    assert_int_equal(keep_from, 5);
    must(chat_keep_from(chat, room, 1, &keep_from, &err), &err);
    assert_int_equal(keep_from, count);
    assert_int_equal(chat_keep_from(chat, CONTEXT - preamble.tokens, 0, &keep_from, &err),
                     STATUS_TOO_LONG);
    close_chat(chat);
}

static void compacting_for_a_long_message_keeps_fewer_turns(void **state) {
    (void)state;
    struct error err = {0};
    struct compaction few, none;
    struct chat *chat = open_chat("");
    fill_chat(chat, CONTEXT / 3);
    must(compaction_begin(chat, "", 0, &few, &err), &err);
    assert_true(few.keep_from < chat_message_count(chat));
    compaction_deinit(&few);
    const int32_t most = CONTEXT - CONTEXT / 8 - CONTEXT / 8 - 48 - 10;
    must(compaction_begin(chat, "", most, &none, &err), &err);
    assert_int_equal(none.keep_from, chat_message_count(chat));
    compaction_deinit(&none);
    assert_int_equal(compaction_begin(chat, "", most + 20, &none, &err), STATUS_TOO_LONG);
    close_chat(chat);
}

static size_t count_conversations(void) {
    struct conversation_row *rows;
    size_t count;
    struct error err = {0};
    must(conversation_list(db, &(struct conversation_query){.words = "", .limit = 100}, &rows,
                           &count, &err),
         &err);
    free(rows);
    return count;
}

static void compacting_creates_a_fork_with_the_models_summary(void **state) {
    (void)state;
    struct error err = {0};
    struct compaction compaction;
    struct chat *chat = open_chat("Be brief.");
    fill_chat(chat, CONTEXT - 200);
    const int64_t turns = chat_turn_count(chat), before = tip(chat);
    assert_int_equal(count_conversations(), 1);
    must(compaction_begin(chat, "dogs", 0, &compaction, &err), &err);
    // What the summary is about is in the cache already.
    must(follow_turn(chat, &compaction.turn), &compaction.turn.err);
    const struct turn_report report = turn_first(&compaction.turn);
    assert_true(report.any);
    assert_true(report.stats.cached_tokens > report.stats.prompt_tokens / 2);
    char *summary = strdup(report.text);
    assert_int_equal(count_conversations(), 1); // and nothing is stored yet
    assert_int_equal(tip(chat), before);
    must(compaction_finish(&compaction, &err), &err);
    compaction_deinit(&compaction);
    assert_int_equal(count_conversations(), 2);
    assert_true(chat_turn_count(chat) < turns);
    assert_non_null(strstr(summary, chat_message(chat, 2)->text));
    assert_true(transcript_standing(&chat->transcript, chat_message_count(chat)) <
                CONTEXT / 2 + 64);
    free(summary);
    send_question(chat, "Go on.");
    close_chat(chat);
}

static void a_stopped_summary_changes_nothing(void **state) {
    (void)state;
    struct error err = {0};
    struct compaction compaction;
    struct chat *chat = open_chat("");
    assert_int_equal(compaction_begin(chat, "", 0, &compaction, &err), STATUS_BAD_INPUT);
    fill_chat(chat, CONTEXT / 2);
    const int64_t before = tip(chat);
    must(compaction_begin(chat, "", 0, &compaction, &err), &err);
    turn_cancel(&compaction.turn);
    follow_turn(chat, &compaction.turn);
    assert_int_equal(compaction_finish(&compaction, &err), STATUS_CANCELLED);
    compaction_deinit(&compaction);
    assert_int_equal(tip(chat), before);
    assert_int_equal(count_conversations(), 1);
    send_question(chat, "Go on.");
    close_chat(chat);
}

static void a_conversation_too_long_to_summarise_is_unchanged(void **state) {
    (void)state;
    struct error err = {0};
    struct text message = {0};
    int32_t tokens, free_tokens;
    struct compaction compaction;
    struct chat *chat = open_chat("");
    do {
        assert_int_equal(text_append_string(&message, " dog"), STATUS_OK);
        must(chat_measure(chat, message.bytes, message.length, &tokens, &free_tokens, &err), &err);
    } while (tokens < CONTEXT - 40);
    send_question(chat, message.bytes);
    const int64_t before = tip(chat);
    assert_int_equal(compaction_begin(chat, "", 0, &compaction, &err), STATUS_TOO_LONG);
    assert_non_null(strstr(err.text, "too long to summarize"));
    assert_int_equal(tip(chat), before);
    text_deinit(&message);
    close_chat(chat);
}

static void one_shot_forks_are_stored_with_their_first_message(void **state) {
    (void)state;
    struct error err = {0};
    struct conversation fork;
    struct chat *chat = open_chat("Be brief.");
    send_question(chat, "Hello");
    char id[CONVERSATION_ID_BYTES];
    memcpy(id, chat->conversation.id, sizeof id);
    chat->session->one_shot = true;
    for (size_t said = 0; said < 2; said++) {
        must(chat_fork_from(chat, id, 0, "aside", &err), &err);
        assert_int_equal(count_conversations(), 1);
        if (said) send_question(chat, "And?");
        must(chat_new(chat, "alone", &err), &err);
        assert_int_equal(count_conversations(), 1 + said);
        if (said) send_question(chat, "Who?");
    }
    assert_int_equal(count_conversations(), 3);
    must(conversation_find(db, "aside", &fork, &err), &err);
    assert_string_equal(fork.forked_from, id);
    must(chat_new(chat, "aside", &err), &err);
    assert_int_equal(chats_send(chat, "Hi", 2, &err), STATUS_BAD_INPUT);
    assert_int_equal(count_conversations(), 3);
    close_chat(chat);
}

static int refused; // commits to be refused

static int refuse_commit(void *user) {
    (void)user;
    return refused > 0 ? refused-- : 0;
}

// The number of a message that was not stored may be another process's next.
static void a_failed_save_leaves_other_messages_alone(void **state) {
    (void)state;
    char theirs[] = "theirs";
    struct error err = {0};
    struct turn_update update;
    struct chat *chat = open_chat("");
    struct message other = {.role = MESSAGE_ASSISTANT, .text = theirs, .length = strlen(theirs)};
    must(chats_send(chat, "Hello", 5, &err), &err);
    other.parent = chat->turn.parent;
    sqlite3_commit_hook(db->handle, refuse_commit, NULL);
    refused = 1;
    while (chat->turn.state != TURN_IDLE) {
        session_next(chat->session, 1000, &update);
        if (refused == 0 && other.id == 0)
            must(message_add(db, &other, 0, NULL, 0, &other.id, &err), &err);
    }
    must(chat->turn.status, &chat->turn.err);
    assert_true(other.id != 0 && tip(chat) != other.id);
    must(message_get(db, other.id, &other, &err), &err);
    assert_string_equal(other.text, "theirs");
    message_deinit(&other);
    close_chat(chat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redo_returns_step_by_step_to_where_it_was),
        cmocka_unit_test(redo_moves_several_turns_even_after_a_restart),
        cmocka_unit_test(a_new_message_ends_redo_and_loses_nothing),
        cmocka_unit_test(going_to_a_question_returns_its_text_as_a_draft),
        cmocka_unit_test(random_moves_keep_log_and_tip_in_step),
        cmocka_unit_test(a_fork_after_an_answer_keeps_the_answer),
        cmocka_unit_test(one_shot_forks_are_stored_with_their_first_message),
        cmocka_unit_test(a_failed_save_leaves_other_messages_alone),
        cmocka_unit_test(preamble_examples_are_turns_only_for_the_model),
        cmocka_unit_test(a_shortened_fork_has_preamble_summary_and_last_turns),
        cmocka_unit_test(dropping_old_turns_makes_a_message_fit),
        cmocka_unit_test(only_as_many_of_the_oldest_turns_are_dropped_as_needed),
        cmocka_unit_test(compacting_for_a_long_message_keeps_fewer_turns),
        cmocka_unit_test(compacting_creates_a_fork_with_the_models_summary),
        cmocka_unit_test(a_stopped_summary_changes_nothing),
        cmocka_unit_test(a_conversation_too_long_to_summarise_is_unchanged),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
