// tests/app/test_transcript.c — transcript.h: a log that is cut where the template says the past
// differently, and comes back as it was.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/chat/transcript.h"
#include "engine/tokenizer/thinking.h"
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

static struct chat_template *create_template(const char *source) {
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

static void push_message(struct transcript *transcript, enum message_role role, const char *text,
                         const struct token_ids *ids) {
    struct message message = {
        .role = role, .text = strdup(text), .length = strlen(text), .created_ms = 1767323045000};
    assert_int_equal(transcript_push(transcript, &message, ids->ids, ids->count), STATUS_OK);
}

// What a model would write: the text, and the end of the turn.
static void push_answer(struct transcript *transcript, const char *text) {
    const struct piece pieces[] = {{PIECE_TEXT, text, strlen(text)},
                                   {PIECE_CONTROL, "<|im_end|>", 10}};
    struct token_ids ids = {0};
    assert_int_equal(tokenizer_encode(tokenizer, pieces, 2, &ids), STATUS_OK);
    push_message(transcript, MESSAGE_ASSISTANT, text, &ids);
    token_ids_deinit(&ids);
}

// Says how many ids of the log stayed.
static size_t push_question(struct transcript *transcript, const char *system, const char *text) {
    struct token_ids ids = {0};
    struct error err = {0};
    const struct token_ids none = {0};
    const size_t before = transcript->log.count;
    if (transcript_render(transcript, system, text, strlen(text), &ids, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    if (before == 0 && system[0]) push_message(transcript, MESSAGE_SYSTEM, system, &none);
    const size_t kept = transcript_kept(transcript, &ids);
    assert_true(transcript_added(&ids) > 0 && kept <= before);
    push_message(transcript, MESSAGE_USER, text, &ids);
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

static void a_plain_chat_keeps_its_whole_log(void **state) {
    (void)state;
    struct chat_template *chatml = create_template(NULL);
    struct transcript transcript = over(chatml);
    assert_int_equal(push_question(&transcript, "Be kind.", "Hi"), 0);
    for (int turn = 0; turn < 4; turn++) {
        push_answer(&transcript, "<think>Hm</think> Ho ");
        assert_int_equal(push_question(&transcript, "", "More"),
                         transcript_log_end(&transcript, 3 + 2 * (size_t)turn));
    }
    transcript_deinit(&transcript);
    chat_template_destroy(chatml);
}

static void the_next_turn_drops_thinking_from_the_log(void **state) {
    (void)state;
    struct chat_template *drops = create_template(DROPS);
    struct transcript transcript = over(drops);
    push_question(&transcript, "", "Hi");
    const size_t question = transcript.log.count;
    push_answer(&transcript, "<think>Hm, a lot to think about.</think>\n\nHo");
    const size_t thought = transcript.log.count;
    const size_t kept = push_question(&transcript, "", "More");
    assert_true(kept >= question && kept < thought);
    assert_int_equal(transcript_standing(&transcript, 1), question);
    assert_int_equal(transcript_standing(&transcript, 2), kept);
    assert_int_equal(transcript_standing(&transcript, 3), transcript.log.count);
    assert_log(&transcript, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>\n"
                            "<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n");
    push_answer(&transcript, "Plain.");
    const size_t all = transcript.log.count;
    assert_int_equal(push_question(&transcript, "", "And?"), all);
    transcript_deinit(&transcript);
    chat_template_destroy(drops);
}

static void undoing_a_turn_restores_the_log_it_cut(void **state) {
    (void)state;
    struct chat_template *drops = create_template(DROPS);
    struct transcript transcript = over(drops);
    push_question(&transcript, "", "Hi");
    push_answer(&transcript, "<think>Hm</think>Ho");
    struct token_ids before = {0};
    assert_int_equal(token_ids_append(&before, transcript.log.ids, transcript.log.count),
                     STATUS_OK);
    push_question(&transcript, "", "More");
    push_answer(&transcript, "<think>Hm again</think>No");
    push_question(&transcript, "", "And?");
    transcript_cut(&transcript, 2);
    assert_int_equal(transcript.log.count, before.count);
    assert_memory_equal(transcript.log.ids, before.ids, before.count * sizeof before.ids[0]);
    assert_int_equal(transcript_log_end(&transcript, 2), before.count);
    token_ids_deinit(&before);
    transcript_deinit(&transcript);
    chat_template_destroy(drops);
}

static void a_moving_system_prompt_is_reread_in_its_new_place(void **state) {
    (void)state;
    struct chat_template *moves = create_template(MOVES);
    struct transcript transcript = over(moves);
    push_question(&transcript, "Be kind.", "Hi");
    push_answer(&transcript, "Ho");
    const size_t before = transcript.log.count, kept = push_question(&transcript, "", "More");
    assert_true(kept > 0 && kept < before);
    assert_log(&transcript, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>\n"
                            "<|im_start|>user\nBe kind.\nMore<|im_end|>\n<|im_start|>assistant\n");
    transcript_deinit(&transcript);
    chat_template_destroy(moves);
}

static void a_cut_beyond_the_log_is_refused(void **state) {
    (void)state;
    struct chat_template *chatml = create_template(NULL);
    struct transcript transcript = over(chatml);
    push_question(&transcript, "", "Hi");
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

static void a_conversation_keeps_its_first_date(void **state) {
    (void)state;
    struct chat_template *dated = create_template(
        "{{ strftime_now('%Y-%m-%d') }}{% for m in messages %}{{ '<|im_start|>' + m.content"
        " + '<|im_end|>' }}{% endfor %}");
    struct transcript transcript = over(dated);
    push_question(&transcript, "", "Hi"); // today
    transcript_cut(&transcript, 0);
    const struct token_ids none = {0};
    push_message(&transcript, MESSAGE_SYSTEM, "s", &none); // from 2026-01-02
    push_question(&transcript, "", "Hi");
    struct text text = {0};
    for (size_t i = 0; i < transcript.log.count; i++)
        assert_int_equal(tokenizer_decode(tokenizer, transcript.log.ids[i], true, &text),
                         STATUS_OK);
    assert_non_null(strstr(text.bytes, "2026-01-02"));
    text_deinit(&text);
    transcript_deinit(&transcript);
    chat_template_destroy(dated);
}

// A stored conversation of so many messages without tokens; the texts say the same words again and
// again, and some answers think.
static int64_t store_unread(struct db *db, const char *system, int count, bool thinks) {
    int64_t tip = MESSAGE_NONE;
    struct error err = {0};
    const int first = system[0] ? -1 : 0;
    for (int i = first; i < count; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s%s of %d boats",
                 thinks && i % 4 == 1 ? "<think>A</think>" : "", i % 3 ? "one" : "a", i % 7);
        struct message message = {.parent = tip,
                                  .role = i < 0        ? MESSAGE_SYSTEM
                                          : i % 2 == 0 ? MESSAGE_USER
                                                       : MESSAGE_ASSISTANT,
                                  .created_ms = 1767323045000 + i};
        message.text = i < 0 ? strdup(system) : text;
        message.length = strlen(message.text);
        if (message_add(db, &message, 0, NULL, 0, &tip, &err) != STATUS_OK)
            fail_msg("%s", err.text);
        if (i < 0) free(message.text);
    }
    return tip;
}

static struct transcript load_transcript(const struct chat_template *chat_template, struct db *db,
                                         int64_t tip) {
    struct transcript transcript = over(chat_template);
    struct error err = {0};
    if (transcript_load(&transcript, db, tip, &err) != STATUS_OK) fail_msg("%s", err.text);
    return transcript;
}

// As if each message had been said here: one rendering for each.
static struct transcript say_again(const struct transcript *loaded, const char *system) {
    struct transcript said = over(loaded->chat_template);
    for (size_t i = system[0] ? 1 : 0; i < loaded->count; i++) {
        const struct message *message = &loaded->entries[i].message;
        struct token_ids ids = {0};
        const struct piece piece = {PIECE_TEXT, message->text, message->length};
        if (message->role == MESSAGE_USER) {
            push_question(&said, system, message->text);
            continue;
        }
        assert_int_equal(tokenizer_encode(tokenizer, &piece, 1, &ids), STATUS_OK);
        push_message(&said, MESSAGE_ASSISTANT, message->text, &ids);
        token_ids_deinit(&ids);
    }
    return said;
}

// The same, but for white space about an answer, which the template writes and a message lacks.
static void assert_reads_as(const struct transcript *loaded, const struct transcript *said) {
    const struct transcript *both[] = {loaded, said};
    struct text texts[2] = {{0}, {0}};
    for (int i = 0; i < 2; i++) {
        size_t kept = 0;
        for (size_t at = 0; at < both[i]->log.count; at++)
            assert_int_equal(tokenizer_decode(tokenizer, both[i]->log.ids[at], true, &texts[i]),
                             STATUS_OK);
        for (size_t at = 0; at < texts[i].length; at++)
            if (texts[i].bytes[at] != ' ') texts[i].bytes[kept++] = texts[i].bytes[at];
        texts[i].bytes[kept] = '\0';
    }
    assert_string_equal(texts[0].bytes, texts[1].bytes);
    text_deinit(&texts[0]);
    text_deinit(&texts[1]);
}

static struct db *open_db(int64_t *model) {
    struct db *db;
    struct error err = {0};
    if (db_open(":memory:", &db, &err) != STATUS_OK ||
        db_model(db, (struct hash128){1, 2}, "m", model, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    assert_int_equal(*model, 1);
    return db;
}

static void a_loaded_conversation_reads_like_one_held_live(void **state) {
    enum { EXACT = 4 }; // rows where each message has the same tokens as if it had been said
    static const struct {
        const char *source, *system;
        bool thinks;
    } rows[] = {{"chatml", "", false}, {"chatml", "Be kind.", false}, {"llama3", "Be kind.", false},
                {"gemma", "", false},  {"mistral", "", false},        {"phi3", "Be kind.", false},
                {DROPS, "", false},    {DROPS, "Be kind.", true},     {MOVES, "Be kind.", false},
                {"gemma", "Be", true}, {"chatml", "", true}};
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        const char *known = chat_template_find(rows[row].source);
        struct chat_template *chat_template = create_template(known ? known : rows[row].source);
        for (int count = 1; count < 12; count++) {
            int64_t model;
            struct db *db = open_db(&model);
            const int64_t tip = store_unread(db, rows[row].system, count, rows[row].thinks);
            struct transcript loaded = load_transcript(chat_template, db, tip);
            struct transcript said = say_again(&loaded, rows[row].system);
            assert_reads_as(&loaded, &said);
            struct transcript again =
                load_transcript(chat_template, db, tip); // from what was stored
            assert_int_equal(again.log.count, loaded.log.count);
            assert_memory_equal(again.log.ids, loaded.log.ids,
                                loaded.log.count * sizeof *loaded.log.ids);
            for (size_t i = 0; i < again.count && row < EXACT; i++)
                assert_int_equal(transcript_standing(&again, i + 1),
                                 transcript_standing(&said, i + 1));
            transcript_deinit(&again);
            transcript_deinit(&said);
            transcript_deinit(&loaded);
            assert_int_equal(db_check(db, NULL), STATUS_OK);
            db_close(db);
        }
        chat_template_destroy(chat_template);
    }
}

// A server's thoughts within its answer are marked by what no model knows (thinking.h).
static void marks_of_another_models_thoughts_are_removed(void **state) {
    static const struct {
        const char *stored, *given;
    } rows[] = {{"<think>\nA\n</think>\n\nB" THINKING_OPEN "C" THINKING_CLOSE "D", "BD"},
                {"A" THINKING_CLOSE "B", "B"},
                {"B" THINKING_OPEN "C", "B"},
                {"B\xef\xb7\x92", "B\xef\xb7\x92"}};
    (void)state;
    struct chat_template *chatml = create_template(NULL);
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++)
        for (size_t count = 2; count <= 4; count++) { // one by one, and rendered at once
            static const enum message_role roles[] = {MESSAGE_USER, MESSAGE_ASSISTANT};
            int64_t model, tip = MESSAGE_NONE;
            struct db *db = open_db(&model);
            struct error err = {0};
            for (size_t i = 0; i < count; i++) {
                char text[64];
                snprintf(text, sizeof text, "%s", i % 2 ? rows[row].stored : "Hi");
                struct message message = {.parent = tip,
                                          .role = roles[i % 2],
                                          .text = text,
                                          .length = strlen(text),
                                          .stop = i % 2 ? STOP_END : STOP_NONE,
                                          .created_ms = 1767323045000};
                if (message_add(db, &message, 0, NULL, 0, &tip, &err) != STATUS_OK)
                    fail_msg("%s", err.text);
            }
            struct transcript loaded = load_transcript(chatml, db, tip);
            struct text text = {0};
            for (size_t at = 0; at < loaded.log.count; at++)
                assert_int_equal(tokenizer_decode(tokenizer, loaded.log.ids[at], true, &text),
                                 STATUS_OK);
            assert_null(strstr(text_string(&text), THINKING_OPEN));
            assert_null(strstr(text_string(&text), THINKING_CLOSE));
            const char *answer = strstr(text_string(&text), "assistant\n") + strlen("assistant\n");
            assert_memory_equal(answer, rows[row].given, strlen(rows[row].given));
            assert_true(answer[strlen(rows[row].given)] == '\0' ||
                        answer[strlen(rows[row].given)] == '<');
            text_deinit(&text);
            transcript_deinit(&loaded);
            db_close(db);
        }
    chat_template_destroy(chatml);
}

// Processor time: the least of three, since other programs make it longer.
static double seconds_to_load(const struct chat_template *chatml, int count) {
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        int64_t model;
        struct db *db = open_db(&model);
        const int64_t tip = store_unread(db, "", count, false);
        const clock_t before = clock();
        struct transcript loaded = load_transcript(chatml, db, tip);
        least = fmin(least, (double)(clock() - before) / CLOCKS_PER_SEC);
        transcript_deinit(&loaded);
        db_close(db);
    }
    return least;
}

static void loading_time_is_not_quadratic_in_messages(void **state) {
    (void)state;
    struct chat_template *chatml = create_template(NULL);
    const double some = seconds_to_load(chatml, 1000), more = seconds_to_load(chatml, 4000);
    if (more > 8 * some) fail_msg("%.3f s, then %.3f s", some, more);
    chat_template_destroy(chatml);
}

static struct db *beside;

// Another process writes meanwhile, and at 600 the person has seen enough.
static bool write_beside(void *user, size_t done, size_t total) {
    int *calls = user;
    int64_t model;
    ++*calls;
    if (done % 100 == 0)
        assert_int_equal(db_model(beside, (struct hash128){3, done}, "m", &model, NULL), STATUS_OK);
    return total != 1000 || done < 600;
}

static void loading_can_be_stopped_and_does_not_block_writers(void **state) {
    (void)state;
    char path[] = "/tmp/quire-transcript-XXXXXX";
    struct db *db;
    struct error err = {0};
    int64_t model;
    int calls = 0;
    assert_true(mkstemp(path) >= 0);
    if (db_open(path, &db, &err) != STATUS_OK || db_open(path, &beside, &err) != STATUS_OK ||
        db_model(db, (struct hash128){1, 2}, "m", &model, &err) != STATUS_OK)
        fail_msg("%s", err.text);
    struct chat_template *chatml = create_template(NULL);
    const int64_t tip = store_unread(db, "", 1000, false);
    struct transcript transcript = over(chatml);
    transcript.progress = write_beside;
    transcript.progress_user = &calls;
    assert_int_equal(transcript_load(&transcript, db, tip, &err), STATUS_CANCELLED);
    assert_string_equal(err.text, "stopped after reading 600 of 1000 messages");
    assert_int_equal(calls, 601); // the last one ends the progress
    assert_int_equal(transcript.count, 0);
    transcript.progress = NULL;
    assert_int_equal(transcript_load(&transcript, db, tip, &err), STATUS_OK);
    assert_int_equal(transcript.count, 1000);
    struct transcript said = say_again(&transcript, "");
    assert_int_equal(transcript.log.count, said.log.count);
    assert_memory_equal(transcript.log.ids, said.log.ids, said.log.count * sizeof *said.log.ids);
    transcript_deinit(&said);
    transcript_deinit(&transcript);
    chat_template_destroy(chatml);
    db_close(beside);
    db_close(db);
    static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
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
        cmocka_unit_test(a_plain_chat_keeps_its_whole_log),
        cmocka_unit_test(the_next_turn_drops_thinking_from_the_log),
        cmocka_unit_test(undoing_a_turn_restores_the_log_it_cut),
        cmocka_unit_test(a_moving_system_prompt_is_reread_in_its_new_place),
        cmocka_unit_test(a_cut_beyond_the_log_is_refused),
        cmocka_unit_test(a_conversation_keeps_its_first_date),
        cmocka_unit_test(a_loaded_conversation_reads_like_one_held_live),
        cmocka_unit_test(marks_of_another_models_thoughts_are_removed),
        cmocka_unit_test(loading_time_is_not_quadratic_in_messages),
        cmocka_unit_test(loading_can_be_stopped_and_does_not_block_writers),
    };
    return cmocka_run_group_tests(tests, open_model, close_model);
}
