// tests/app/test_oneshot.c — signals while a summary makes room for the message.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/chat/room.h"
#include "app/cli/oneshot.h"
#include "kernels/base/log.h"
#include "tests/check.h"

// Chats that play a script instead of running a model. These stand in place of app/chat/turn.c and
// its neighbours, and of app/chat/room.c.
struct chat {
    int signals[2];         // that come while its turn runs, one after the other; 0: none
    enum message_stop stop; // of its answer
    int steps, sent, cancelled;
    struct chat_settings settings;
};

enum { NOT_STOPPED = 99 };

static struct chat scratch;
static struct chat_template *chatml;
static bool shortened;
static char warning[128];

enum status chat_send(struct chat *chat, const char *text, size_t length, struct error *err) {
    (void)text, (void)length;
    chat->sent++;
    if (shortened) return STATUS_OK;
    return error_set(err, STATUS_TOO_LONG, "it does not fit");
}
enum turn_event chat_turn_next(struct chat *chat, int timeout_ms, struct turn_progress *progress,
                               enum status *status, struct error *err) {
    (void)timeout_ms, (void)progress, (void)err;
    *status = STATUS_OK;
    if (chat->steps == 2 || chat->signals[chat->steps] == 0) return TURN_DONE;
    raise(chat->signals[chat->steps++]);
    return TURN_WAIT;
}
void chat_cancel(struct chat *chat) { chat->cancelled++; }
struct chat_settings *chat_settings(struct chat *chat) {
    return &chat->settings;
}
struct turn_report chat_last(const struct chat *chat) {
    return (struct turn_report){.stop = chat->stop};
}
int32_t chat_answer_count(const struct chat *chat) {
    (void)chat;
    return 0;
}
struct turn_report chat_answer(const struct chat *chat, int32_t index) {
    (void)index;
    return chat_last(chat);
}
int64_t chat_turn_count(const struct chat *chat) {
    (void)chat;
    return 3;
}
const struct conversation *chat_conversation(const struct chat *chat) {
    static const struct conversation conversation;
    (void)chat;
    return &conversation;
}
struct db *chat_db(struct chat *chat) {
    (void)chat;
    return NULL;
}
const struct chat_template *chat_template_of(const struct chat *chat) {
    (void)chat;
    return chatml;
}
void chat_restore(struct chat *chat, int timeout_ms, struct restore_report *report) {
    (void)chat, (void)timeout_ms, (void)report;
}
enum status chat_measure(struct chat *chat, const char *text, size_t length, int32_t *tokens,
                         int32_t *free_tokens, struct error *err) {
    (void)chat, (void)text, (void)err;
    *tokens = (int32_t)length;
    *free_tokens = 0;
    return STATUS_OK;
}
enum status room_drop(struct chat *chat, int32_t message_tokens, int64_t *dropped,
                      struct error *err) {
    (void)chat, (void)message_tokens, (void)dropped, (void)err;
    return STATUS_OK;
}
enum status compaction_begin(struct chat *chat, const char *focus, int32_t message_tokens,
                             struct compaction *compaction, struct error *err) {
    (void)focus, (void)message_tokens, (void)err;
    *compaction = (struct compaction){.chat = chat, .scratch = &scratch};
    return STATUS_OK;
}
enum status compaction_finish(struct compaction *compaction, struct error *err) {
    if (compaction->scratch->cancelled)
        return error_set(err, STATUS_CANCELLED, "the summary was stopped");
    shortened = true;
    return STATUS_OK;
}
void compaction_deinit(struct compaction *compaction) { *compaction = (struct compaction){0}; }

static void note_warning(enum log_level level, const char *text) {
    if (level == LOG_WARNING && strstr(text, "summary"))
        snprintf(warning, sizeof warning, "%s", text);
}

static int run(struct chat *chat) {
    const struct args args = {.overflow = "compact", .format = "text", .quiet = true};
    const struct launch launch = {.args = &args, .chat = chat};
    const struct text prompt = {.bytes = (char[]){"Hi"}, .length = 2};
    shortened = false;
    oneshot_catch_signals();
    return oneshot_run(&launch, &prompt);
}

static void a_summary_that_was_cut_is_said_to_be(void **state) {
    (void)state;
    static const struct {
        enum message_stop stop;
        const char *warning;
    } cases[] = {
        {STOP_END, ""},
        {STOP_LENGTH, "the summary of the old turns was cut at its limit of 64 tokens"},
        {STOP_CONTEXT, "the summary of the old turns was cut: the context is full"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct chat chat = {0};
        scratch = (struct chat){.stop = cases[i].stop, .settings.max_tokens = 64};
        warning[0] = '\0';
        log_set_sink(note_warning);
        assert_int_equal(run(&chat), EXIT_DONE);
        log_set_sink(NULL);
        assert_int_equal(chat.sent, 2);
        assert_string_equal(warning, cases[i].warning);
    }
}

static void a_signal_stops_the_summary(void **state) {
    (void)state;
    struct chat chat = {0};
    scratch = (struct chat){.signals = {SIGTERM}};
    assert_int_equal(run(&chat), EXIT_TERMINATED);
    assert_int_equal(scratch.cancelled, 1);
    assert_int_equal(chat.cancelled, 0);
    assert_int_equal(chat.sent, 1);
}

static void two_interrupts_leave_at_once(void **state) {
    (void)state;
    int result;
    const pid_t child = fork();
    if (child == 0) {
        struct chat chat = {0};
        scratch = (struct chat){.signals = {SIGINT, SIGINT}};
        run(&chat);
        _exit(NOT_STOPPED);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), EXIT_INTERRUPTED);
}

int main(void) {
    const struct chat_template_options options = {.bos = "", .eos = ""};
    if (chat_template_create(&options, &chatml, NULL) != STATUS_OK) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_summary_that_was_cut_is_said_to_be),
        cmocka_unit_test(two_interrupts_leave_at_once),
        cmocka_unit_test(a_signal_stops_the_summary),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    chat_template_destroy(chatml);
    return failed;
}
