// tests/app/test_changing_past.c — chats with a template that says earlier answers differently:
// of each only nine characters stay once the next turn has begun. The model is the demo model with
// that template written over its own.
#include "app/chat/chat_turn.h"
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/chat/chat_move.h"
#include "app/chat/shorten.h"
#include "app/chat/transcript.h"
#include "tests/app/chats.h"

enum { KEPT_CHARACTERS = 9 };

static const char SHORTENS[] =
    "{% for m in messages %}<|im_start|>{{ m.role + '\n' + m.content[:9 if m.role[0] == 'a' else "
    "none] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif "
    "%}";

static char model_path[] = "/tmp/quire-test-XXXXXX";
static struct engine *engine;
static struct db *db;
static const struct hash128 DIGEST = {2, 2};

// Over the old template, of the same length in the file.
static enum status write_model(void) {
    static const char begin[] = "{% for message in messages %}{{'<|im_start|>'";
    struct text file = {0};
    TRY(file_read(DEMO_MODEL, &file, NULL));
    char *at = memmem(file.bytes, file.length, begin, sizeof begin - 1);
    if (!at) return STATUS_NOT_FOUND;
    uint64_t length;
    memcpy(&length, at - sizeof length, sizeof length);
    if (length < sizeof SHORTENS - 1 || length > 4096) return STATUS_TOO_LONG;
    memset(at, ' ', length);
    memcpy(at + length - (sizeof SHORTENS - 1), SHORTENS, sizeof SHORTENS - 1);
    // What is left over stands before it, in a comment.
    const size_t left = length - (sizeof SHORTENS - 1);
    if (left >= 4) {
        memcpy(at, "{#", 2);
        memcpy(at + left - 2, "#}", 2);
    }
    const int fd = mkstemp(model_path);
    const bool written = fd >= 0 && write(fd, file.bytes, file.length) == (ssize_t)file.length;
    if (fd >= 0) close(fd);
    text_deinit(&file);
    return written ? STATUS_OK : STATUS_IO;
}

static int open_all(void **state) {
    (void)state;
    struct error err = {0};
    const struct engine_options options = {.model_path = model_path,
                                           .backend = "cpu",
                                           .context = 512,
                                           .deterministic = true,
                                           .kv_device_bytes = 64 << 20,
                                           .digest = &DIGEST};
    if (write_model() != STATUS_OK || engine_open(&options, &engine, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    return db_open(":memory:", &db, &err) == STATUS_OK ? 0 : -1;
}

static int close_all(void **state) {
    (void)state;
    engine_close(engine);
    db_close(db);
    unlink(model_path);
    return 0;
}

static struct chat *open_chat(void) {
    struct session_options options = {.engine = engine, .db = db, .digest = DIGEST, .preamble = ""};
    options.settings.sampler = sampler_options_default();
    options.settings.sampler.temperature = 0;
    options.settings.max_tokens = 24;
    return chats_open(&options);
}

static void finish_turn(struct chat *chat) {
    struct turn_update update;
    while (chats_next(chat, &update))
        continue;
    if (chat->turn.status != STATUS_OK) fail_msg("%s", chat->turn.err.text);
}

static void send_question(struct chat *chat, const char *question) {
    struct error err = {0};
    if (chats_send(chat, question, strlen(question), &err) != STATUS_OK) fail_msg("%s", err.text);
    finish_turn(chat);
}

// The list counts what the log has.
static void check_count(struct chat *chat) {
    struct conversation_row *rows;
    size_t count;
    struct error err = {0};
    assert_int_equal(conversation_list(db, &(struct conversation_query){.words = "", .limit = 1},
                                       &rows, &count, &err),
                     STATUS_OK);
    assert_int_equal(rows[0].tokens, sequence_length(chat->sequence));
    free(rows);
}

// The sequence begins as the template says the first `count` messages now.
static void check_said(const struct chat *chat, size_t count, const struct sequence *sequence) {
    const struct tokenizer *tokenizer = engine_tokenizer(engine);
    struct text log = {0}, expected = {0};
    for (int32_t i = 0; i < sequence_length(sequence); i++)
        assert_int_equal(tokenizer_decode(tokenizer, sequence_tokens(sequence)[i], true, &log),
                         STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        const struct message *message = chat_message(chat, i);
        const bool answer = message->role == MESSAGE_ASSISTANT;
        const int shown =
            answer && message->length > KEPT_CHARACTERS ? KEPT_CHARACTERS : (int)message->length;
        assert_int_equal(text_format(&expected, "<|im_start|>%s\n%.*s<|im_end|>\n",
                                     answer ? "assistant" : "user", shown, message->text),
                         STATUS_OK);
    }
    assert_int_equal(text_append_string(&expected, "<|im_start|>"), STATUS_OK);
    assert_true(log.length >= expected.length);
    log.bytes[expected.length] = '\0';
    assert_string_equal(log.bytes, expected.bytes);
    engine_check(engine);
    text_deinit(&log);
    text_deinit(&expected);
}

static void check_log(struct chat *chat) {
    check_said(chat, chat_message_count(chat) - 1, chat->sequence);
}

// The whole log as one string of ids, owned by the caller.
static struct token_ids copy_log(struct chat *chat) {
    struct token_ids ids = {0};
    assert_int_equal(token_ids_append(&ids, sequence_tokens(chat->sequence),
                                      (size_t)sequence_length(chat->sequence)),
                     STATUS_OK);
    return ids;
}

static void assert_log(struct chat *chat, struct token_ids *expected) {
    assert_int_equal(sequence_length(chat->sequence), expected->count);
    assert_memory_equal(sequence_tokens(chat->sequence), expected->ids,
                        expected->count * sizeof expected->ids[0]);
}

static void each_turn_cuts_and_rereads_a_changing_past(void **state) {
    (void)state;
    struct chat *chat = open_chat();
    send_question(chat, "What is the capital of France?");
    check_log(chat);
    const int32_t before = sequence_length(chat->sequence);
    assert_true(chat_message(chat, 1)->length > KEPT_CHARACTERS);
    send_question(chat, "And of Spain?");
    check_log(chat);
    const struct message_stats *stats = &chat_message(chat, 3)->stats;
    assert_true(stats->cached_tokens > 0 && stats->cached_tokens < before);
    check_count(chat);
    send_question(chat, "Thank you.");
    check_log(chat);
    check_count(chat);
    chats_close(chat);
}

static void moving_between_turns_restores_the_log(void **state) {
    (void)state;
    struct chat *chat = open_chat();
    struct error err = {0};
    struct text draft = {0};
    char id[CONVERSATION_ID_BYTES];
    send_question(chat, "What is the capital of France?");
    struct token_ids first = copy_log(chat);
    send_question(chat, "And of Spain?");
    struct token_ids second = copy_log(chat);
    send_question(chat, "And of Italy?");
    struct token_ids third = copy_log(chat);
    memcpy(id, chat->conversation.id, sizeof id);

    assert_int_equal(chat_fork_at(chat, 3, "before the third", &err), STATUS_OK);
    assert_log(chat, &second);
    assert_int_equal(chat_rewind(chat, 1, &draft, &err), STATUS_OK);
    assert_log(chat, &first);
    send_question(chat, "And of Spain?");
    assert_log(chat, &second);
    assert_int_equal(chat_regenerate(chat, 1, 1, &err), STATUS_OK);
    finish_turn(chat);
    assert_log(chat, &second);

    assert_int_equal(chat_resume(chat, id, &err), STATUS_OK);
    assert_log(chat, &third);
    chats_close(chat);
    chat = open_chat(); // as a new process would
    assert_int_equal(chat_resume(chat, id, &err), STATUS_OK);
    assert_log(chat, &third);
    send_question(chat, "Thank you.");
    check_log(chat);
    token_ids_deinit(&first);
    token_ids_deinit(&second);
    token_ids_deinit(&third);
    text_deinit(&draft);
    chats_close(chat);
}

static void a_summary_is_asked_for_over_the_past_as_rendered_now(void **state) {
    (void)state;
    struct chat *chat = open_chat();
    struct error err = {0};
    struct compaction compaction;
    send_question(chat, "What is the capital of France?");
    struct token_ids first = copy_log(chat), before = {0};
    send_question(chat, "And of Spain?");
    send_question(chat, "And of Italy?");
    assert_int_equal(transcript_log_of(&chat->transcript, 2, &before), STATUS_OK);
    assert_int_equal(before.count, first.count);
    assert_memory_equal(before.ids, first.ids, first.count * sizeof first.ids[0]);
    assert_int_equal(compaction_begin(chat, "", 0, &compaction, &err), STATUS_OK);
    assert_true(compaction.keep_from > 0);
    session_finish(chat->session, &compaction.turn);
    check_said(chat, compaction.keep_from, compaction.sequence);
    compaction_deinit(&compaction);
    token_ids_deinit(&first);
    token_ids_deinit(&before);
    chats_close(chat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_turn_cuts_and_rereads_a_changing_past),
        cmocka_unit_test(moving_between_turns_restores_the_log),
        cmocka_unit_test(a_summary_is_asked_for_over_the_past_as_rendered_now),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
