// tests/app/test_answers.c — several answers to one message, with the demo model.
#include "app/chat/chat_turn.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/chat/chat_move.h"
#include "app/chat/past.h"
#include "engine/draft/draft.h"
#include "tests/app/chats.h"

enum { CONTEXT = 512, POOL_BYTES = 64 << 20, SAMPLES = 4, SEED = 71 };

static struct engine *engine;
static struct db *db;

static const char QUESTION[] = "Tell me a story about a dog.";
static const char SECOND[] = "And about a cat?";

static int open_all(void **state) {
    (void)state;
    engine = chats_engine(CONTEXT, POOL_BYTES, NULL);
    return db_open(":memory:", &db, NULL) == STATUS_OK ? 0 : -1;
}

static int close_all(void **state) {
    (void)state;
    engine_close(engine);
    db_close(db);
    return 0;
}

static struct chat *open_chat(int32_t answers, uint64_t seed, int32_t max_tokens) {
    struct session_options options = {
        .engine = engine, .db = db, .digest = {1, 1}, .preamble = "You are brief."};
    options.settings = (struct session_settings){.sampler = sampler_options_default(),
                                                 .seed_given = true,
                                                 .max_tokens = max_tokens,
                                                 .answers = answers};
    options.settings.sampler.temperature = 1.5f; // so that seeds differ
    options.settings.sampler.seed = seed;
    return chats_open(&options);
}

static void begin_turn(struct chat *chat, const char *question) {
    struct error err = {0};
    if (chats_send(chat, question, strlen(question), &err) != STATUS_OK) fail_msg("%s", err.text);
}

// Runs the turn; each answer's pieces make its text. Cancels once the first has `cancel_after`
// bytes (0: never).
static enum status follow_turn(struct chat *chat, size_t cancel_after) {
    static struct text streamed[CHAT_MAX_ANSWERS];
    struct turn_update update;
    for (int32_t i = 0; i < CHAT_MAX_ANSWERS; i++)
        text_clear(&streamed[i]);
    while (chats_next(chat, &update)) {
        if (update.event != TURN_TEXT) continue;
        struct text *text = &streamed[update.answer];
        assert_int_equal(text_append(text, update.text, update.length), STATUS_OK);
        if (cancel_after && streamed[0].length >= cancel_after) turn_cancel(&chat->turn);
    }
    for (int32_t i = 0; i < chat->turn.answer_count; i++)
        assert_string_equal(turn_answer(&chat->turn, i).text, text_string(&streamed[i]));
    for (int32_t i = 0; i < CHAT_MAX_ANSWERS; i++)
        text_deinit(&streamed[i]);
    engine_check(engine);
    return chat->turn.status;
}

// The conversation ends with this answer, in the store and in the sequence.
static void check_tip(struct chat *chat, int64_t answer) {
    int32_t *ids = NULL;
    size_t count = 0;
    struct sequence *sequence = chat->sequence;
    assert_int_equal(chat->conversation.tip, answer);
    assert_int_equal(chat_message(chat, chat_message_count(chat) - 1)->id, answer);
    assert_int_equal(message_tokens(db, answer, chat->conversation.model, &ids, &count, NULL),
                     STATUS_OK);
    assert_true(count > 0 && count <= (size_t)sequence_length(sequence));
    const size_t from = (size_t)sequence_length(sequence) - count;
    assert_memory_equal(ids, sequence_tokens(sequence) + from, count * sizeof ids[0]);
    free(ids);
}

static void parallel_answers_equal_single_ones_with_their_seeds(void **state) {
    (void)state;
    struct chat *chat = open_chat(SAMPLES, SEED, 40);
    int differ = 0;
    begin_turn(chat, QUESTION);
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    assert_int_equal(chat->turn.answer_count, SAMPLES);
    for (int32_t i = 0; i < SAMPLES; i++) {
        struct chat *alone = open_chat(1, SEED + (uint64_t)i, 40);
        const struct turn_report report = turn_answer(&chat->turn, i);
        assert_true(report.any);
        assert_int_equal(report.seed, SEED + i);
        if (i > 0) assert_true(report.stats.cached_tokens >= report.stats.prompt_tokens - 1);
        begin_turn(alone, QUESTION);
        assert_int_equal(follow_turn(alone, 0), STATUS_OK);
        assert_string_equal(turn_first(&alone->turn).text, report.text);
        assert_int_equal(turn_first(&alone->turn).stop, report.stop);
        differ += strcmp(report.text, turn_answer(&chat->turn, 0).text) != 0;
        chats_close(alone);
    }
    assert_true(differ > 0);
    assert_int_equal(turn_first(&chat->turn).message, turn_answer(&chat->turn, 0).message);
    check_tip(chat, turn_answer(&chat->turn, 0).message);
    chats_close(chat);
}

// A crash loses nothing that was shown of the first answer but its last second.
static void shown_text_is_stored_while_the_answer_continues(void **state) {
    (void)state;
    struct error err = {0};
    struct turn_update update;
    struct conversation found;
    struct message stored;
    int32_t *ids = NULL;
    size_t count = 0;
    struct chat *chat = open_chat(2, SEED, 40);
    begin_turn(chat, QUESTION);
    while (chats_next(chat, &update) && (update.event != TURN_TEXT || update.answer > 0))
        continue;
    assert_int_equal(conversation_find(db, chat->conversation.id, &found, &err), STATUS_OK);
    assert_int_equal(message_get(db, found.tip, &stored, &err), STATUS_OK);
    assert_int_equal(stored.stop, STOP_INTERRUPTED);
    assert_int_equal(stored.length, update.length);
    assert_memory_equal(stored.text, update.text, update.length);
    assert_int_equal(message_tokens(db, found.tip, found.model, &ids, &count, &err), STATUS_OK);
    while (chats_next(chat, &update))
        continue;
    const struct turn_report first = turn_answer(&chat->turn, 0);
    assert_int_equal(first.message, found.tip); // the same message, longer
    assert_true(first.length > stored.length);
    assert_memory_equal(first.text, stored.text, stored.length);
    assert_memory_equal(ids, sequence_tokens(chat->sequence) + chat_log_begin(chat),
                        count * sizeof *ids);
    check_tip(chat, first.message);
    free(ids);
    message_deinit(&stored);
    chats_close(chat);
}

static void every_answer_is_kept_and_can_be_chosen(void **state) {
    (void)state;
    struct error err = {0};
    struct message *answers;
    size_t count, current;
    struct chat *chat = open_chat(1, SEED, 30);
    assert_int_equal(chat_alternatives(chat, &answers, &count, &current, &err), STATUS_BAD_INPUT);
    begin_turn(chat, QUESTION);
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    assert_int_equal(chat_regenerate(chat, SAMPLES, 1, &err), STATUS_OK);
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    assert_int_equal(chat_alternatives(chat, &answers, &count, &current, &err), STATUS_OK);
    assert_int_equal(count, SAMPLES + 1);
    assert_int_equal(answers[current].id, turn_answer(&chat->turn, 0).message);
    for (int32_t i = 0; i < SAMPLES; i++) { // in their own order, whichever ended first
        assert_int_equal(turn_answer(&chat->turn, i).number, i + 2);
        assert_int_equal(answers[i + 1].id, turn_answer(&chat->turn, i).message);
    }
    const int64_t old = answers[0].id;
    for (int32_t i = 0; i < SAMPLES; i++) {
        const struct turn_report report = turn_answer(&chat->turn, i);
        assert_int_equal(chat_choose(chat, report.message, &err), STATUS_OK);
        check_tip(chat, report.message);
        assert_string_equal(turn_first(&chat->turn).text, report.text);
    }
    assert_int_equal(chat_choose(chat, old, &err), STATUS_OK);
    check_tip(chat, old);
    assert_int_equal(chat_choose(chat, chat_message(chat, 0)->id, &err), STATUS_NOT_FOUND);
    begin_turn(chat, SECOND); // and the conversation goes on with it
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    message_path_free(answers, count);
    chats_close(chat);
}

static void stopped_answers_keep_their_text_so_far(void **state) {
    (void)state;
    struct chat *chat = open_chat(SAMPLES, SEED, 200);
    begin_turn(chat, QUESTION);
    assert_int_equal(follow_turn(chat, 20), STATUS_OK);
    for (int32_t i = 0; i < SAMPLES; i++) {
        const struct turn_report report = turn_answer(&chat->turn, i);
        if (report.any) assert_true(report.length > 0);
        if (i == 0) assert_int_equal(report.stop, STOP_INTERRUPTED);
    }
    check_tip(chat, turn_answer(&chat->turn, 0).message);
    begin_turn(chat, SECOND);
    turn_cancel(&chat->turn); // nothing of any: the question comes back
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    if (!turn_first(&chat->turn).any) assert_string_equal(chat_draft(chat), SECOND);
    chats_close(chat);
}

// Without anything from the first one, the next answer's fork becomes the chat's sequence.
static void the_chat_goes_on_with_the_first_answer_that_has_text(void **state) {
    (void)state;
    struct error err = {0};
    struct chat *chat = open_chat(SAMPLES, SEED, 20);
    begin_turn(chat, QUESTION);
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    do { // until the word to stop comes before the first answer's text
        assert_int_equal(chat_regenerate(chat, SAMPLES, 1, &err), STATUS_OK);
        answer_cancel(&chat->answers[0]);
        assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    } while (turn_answer(&chat->turn, 0).any);
    check_tip(chat, turn_answer(&chat->turn, 1).message);
    assert_int_equal(turn_first(&chat->turn).number, turn_answer(&chat->turn, 1).number);
    begin_turn(chat, SECOND);
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    assert_true(turn_first(&chat->turn).any);
    chats_close(chat);
}

// The answer of a search is what the engine's own finds, with its end and its place in the store.
static void a_beam_search_answers_with_its_best_result(void **state) {
    (void)state;
    struct error err = {0};
    struct message *answers;
    size_t count, current;
    struct chat *chat = open_chat(1, SEED, 24);
    chat->session->settings.beams = SAMPLES;
    chat->session->settings.length_penalty = 1;
    begin_turn(chat, QUESTION);
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    const struct turn_report report = turn_first(&chat->turn);
    assert_true(report.any && report.length > 0);
    assert_true(report.stop == STOP_END || report.stop == STOP_LENGTH);
    check_tip(chat, report.message);
    char *first = strdup(report.text);
    assert_int_equal(chat_regenerate(chat, 1, SAMPLES, &err), STATUS_OK); // nothing random is in it
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    assert_string_equal(turn_first(&chat->turn).text, first);
    assert_int_equal(chat_alternatives(chat, &answers, &count, &current, &err), STATUS_OK);
    assert_int_equal(count, 2);
    message_path_free(answers, count);
    assert_int_equal(chat_regenerate(chat, 1, SAMPLES, &err), STATUS_OK);
    turn_cancel(&chat->turn);
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    begin_turn(chat, SECOND);
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    assert_true(turn_first(&chat->turn).any);
    free(first);
    chats_close(chat);
}

// Three chats of one engine, their turns at once: each gets its own events, and the answer that it
// would have alone.
static void several_chats_are_answered_at_once(void **state) {
    (void)state;
    enum { CHATS = 3 };
    static const char *const names[CHATS] = {"alpha", "beta", "gamma"};
    struct chat *chats[CHATS];
    struct error err = {0};
    for (int i = 0; i < CHATS; i++) { // with a turn each
        struct chat *first = open_chat(1, SEED + (uint64_t)i, 20);
        assert_int_equal(chat_new(first, names[i], &err), STATUS_OK);
        begin_turn(first, QUESTION);
        assert_int_equal(follow_turn(first, 0), STATUS_OK);
        chats_close(first);
    }
    chats[0] = open_chat(1, SEED, 30);
    assert_int_equal(chat_resume(chats[0], names[0], &err), STATUS_OK);
    struct session *session = chats[0]->session;
    for (int i = 1; i < CHATS; i++) {
        assert_int_equal(chat_open(session, &chats[i], &err), STATUS_OK);
        assert_int_equal(chat_resume(chats[i], names[0], &err), STATUS_BUSY);
        assert_int_equal(chat_resume(chats[i], "nobody", &err), STATUS_NOT_FOUND);
        assert_int_equal(chat_resume(chats[i], names[i], &err), STATUS_OK);
    }
    for (int i = 0; i < CHATS; i++)
        begin_turn(chats[i], SECOND);
    bool ended[CHATS] = {false};
    for (int left = CHATS; left > 0;) {
        struct turn_update update;
        int owner = 0;
        assert_true(session_next(session, 20000, &update));
        while (update.turn != &chats[owner]->turn)
            owner++;
        session_check(session);
        if (update.event != TURN_DONE) continue;
        assert_int_equal(update.turn->status, STATUS_OK);
        ended[owner] = true;
        left--;
    }
    for (int i = 0; i < CHATS; i++) {
        assert_true(ended[i]);
        const struct turn_report report = turn_first(&chats[i]->turn);
        check_tip(chats[i], report.message);
        char *together = strdup(report.text);
        assert_int_equal(chat_regenerate(chats[i], 1, 1, &err), STATUS_OK); // alone, the same seed
        assert_int_equal(follow_turn(chats[i], 0), STATUS_OK);
        assert_string_equal(turn_first(&chats[i]->turn).text, together);
        free(together);
    }
    for (int i = CHATS - 1; i > 0; i--)
        chat_close(chats[i]);
    chats_close(chats[0]);
}

static void too_many_answers_are_refused_with_how_many_fit(void **state) {
    (void)state;
    struct error err = {0};
    struct engine_info info;
    engine_info(engine, &info);
    const int32_t limit = 400; // tokens of each: 26 blocks
    const int32_t fit = (int32_t)info.blocks_total / (limit / info.block_size + 1);
    struct chat *chat = open_chat(CHAT_MAX_ANSWERS, SEED, limit);
    char words[32];
    if (fit >= CHAT_MAX_ANSWERS) skip();
    assert_int_equal(chats_send(chat, QUESTION, strlen(QUESTION), &err), STATUS_FULL);
    snprintf(words, sizeof words, "holds %d answers", (int)fit);
    assert_non_null(strstr(err.text, words));
    assert_int_equal(chat_message_count(chat), 0);
    chat->session->settings.answers = CHAT_MAX_ANSWERS + 1;
    assert_int_equal(chats_send(chat, QUESTION, strlen(QUESTION), &err), STATUS_BAD_INPUT);
    chats_close(chat);
}

// In which share of the steps was something proposed?
static double answer_again(struct chat *chat) {
    chat->session->settings.speculate = DRAFT_MAX;
    begin_turn(chat, QUESTION);
    assert_int_equal(follow_turn(chat, 0), STATUS_OK);
    const struct draft_stats drafts = turn_first(&chat->turn).drafts;
    return (double)drafts.proposed / (double)drafts.steps;
}

static void earlier_answers_are_proposed_until_they_are_deleted(void **state) {
    (void)state;
    char first[2000];
    struct chat *chat = open_chat(1, SEED, 60);
    engine_history_clear(engine);
    const int32_t room = engine_history_room(engine);
    assert_true(answer_again(chat) < 0.5);
    snprintf(first, sizeof first, "%s", turn_first(&chat->turn).text);
    chats_close(chat);
    engine_history_clear(engine); // as in a new process: only the database has it
    chat = open_chat(1, SEED, 60);
    assert_true(answer_again(chat) > 0.8);
    assert_string_equal(turn_first(&chat->turn).text, first);
    past_forget(&chat->session->past);
    assert_int_equal(engine_history_room(engine), room);
    past_read(&chat->session->past, 1); // what is left
    assert_true(engine_history_room(engine) < room);
    chats_close(chat);
}

static void nothing_is_read_where_nothing_is_saved(void **state) {
    (void)state;
    const struct session_options options = {
        .engine = engine, .digest = {1, 1}, .settings.speculate = DRAFT_MAX};
    struct chat *chat = chats_open(&options);
    engine_history_clear(engine);
    const int32_t room = engine_history_room(engine);
    past_read(&chat->session->past, PAST_AT_START);
    assert_int_equal(engine_history_room(engine), room);
    chats_close(chat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shown_text_is_stored_while_the_answer_continues),
        cmocka_unit_test(parallel_answers_equal_single_ones_with_their_seeds),
        cmocka_unit_test(every_answer_is_kept_and_can_be_chosen),
        cmocka_unit_test(stopped_answers_keep_their_text_so_far),
        cmocka_unit_test(the_chat_goes_on_with_the_first_answer_that_has_text),
        cmocka_unit_test(a_beam_search_answers_with_its_best_result),
        cmocka_unit_test(several_chats_are_answered_at_once),
        cmocka_unit_test(too_many_answers_are_refused_with_how_many_fit),
        cmocka_unit_test(earlier_answers_are_proposed_until_they_are_deleted),
        cmocka_unit_test(nothing_is_read_where_nothing_is_saved),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
