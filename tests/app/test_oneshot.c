// tests/app/test_oneshot.c — signals while a summary makes room for the message.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/chat/chat_kv.h"
#include "app/chat/chat_turn.h"
#include "app/chat/shorten.h"
#include "app/cli/oneshot.h"
#include "kernels/base/log.h"
#include "tests/check.h"

// Turns that play a script instead of running a model. What follows stands in place of
// app/chat/session.c and of all in app/chat that has a turn written.
struct script {
    struct turn *turn;
    int signals[2];          // that come while it runs, one after the other; 0: none
    enum stop_reason reason; // of its answer
    int steps;
    bool cancelled;
};

enum { NOT_STOPPED = 99, SUMMARY_TOKENS = 64 };

static struct script of_chat, of_summary, *running;
static struct chat_template *chatml;
static struct db *db;
static bool shortened;
static int sent;
static char warning[128];

static void begin_script(struct script *script, struct turn *turn, struct answer *answer) {
    *answer = (struct answer){.turn = turn, .reason = script->reason, .ended = true};
    *turn = (struct turn){.answers = answer, .answer_count = 1, .kept = -1, .state = TURN_FOLLOWED};
    script->turn = turn;
    running = script;
}

bool session_next(struct session *session, int timeout_ms, struct turn_update *update) {
    (void)session, (void)timeout_ms;
    if (running->steps < 2 && running->signals[running->steps]) {
        raise(running->signals[running->steps++]);
        return false;
    }
    running->turn->state = TURN_IDLE;
    running->cancelled = atomic_load(&running->turn->answers[0].cancelled);
    *update = (struct turn_update){.turn = running->turn, .event = TURN_DONE};
    return true;
}
enum status chat_send(struct chat *chat, const struct outgoing *message, struct error *err) {
    (void)message;
    sent++;
    if (!shortened) return error_set(err, STATUS_TOO_LONG, "it does not fit");
    begin_script(&of_chat, &chat->turn, chat->answers);
    return STATUS_OK;
}
int32_t chat_reserve(const struct session *session) {
    (void)session;
    return 1;
}
int64_t chat_turn_count(const struct chat *chat) {
    (void)chat;
    return 3;
}
enum status chat_store(struct chat *chat, const char *name, struct error *err) {
    (void)chat, (void)name, (void)err;
    return STATUS_OK;
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
enum status shorten_drop(struct chat *chat, int32_t message_tokens, int64_t *dropped,
                         struct error *err) {
    (void)chat, (void)message_tokens, (void)dropped, (void)err;
    return STATUS_OK;
}
enum status compaction_begin(struct chat *chat, const char *focus, int32_t message_tokens,
                             struct compaction *compaction, struct error *err) {
    (void)focus, (void)message_tokens, (void)err;
    *compaction = (struct compaction){.chat = chat, .max_tokens = SUMMARY_TOKENS};
    begin_script(&of_summary, &compaction->turn, &compaction->answer);
    compaction->turn.kept = 0;
    return STATUS_OK;
}
enum status compaction_finish(struct compaction *compaction, struct error *err) {
    (void)compaction;
    if (of_summary.cancelled) return error_set(err, STATUS_CANCELLED, "the summary was stopped");
    shortened = true;
    return STATUS_OK;
}
void compaction_deinit(struct compaction *compaction) { *compaction = (struct compaction){0}; }

static void note_warning(enum log_level level, const char *text) {
    if (level == LOG_WARNING && strstr(text, "summary"))
        snprintf(warning, sizeof warning, "%s", text);
}

static int run_oneshot(void) {
    static struct chat chat;
    const struct args args = {.overflow = "compact", .format = "text", .quiet = true};
    struct session session = {.chat_template = chatml, .front = &chat, .db = db};
    const struct launch launch = {.args = &args, .session = &session};
    const struct text prompt = {.bytes = (char[]){"Hi"}, .length = 2};
    chat = (struct chat){.session = &session, .turn.kept = -1};
    of_chat = (struct script){0};
    shortened = false;
    sent = 0;
    oneshot_catch_signals();
    return oneshot_run(&launch,
                       &(struct outgoing){.text = text_string(&prompt), .length = prompt.length});
}

static void a_truncated_summary_is_reported(void **state) {
    (void)state;
    static const struct {
        enum stop_reason reason;
        const char *warning;
    } cases[] = {
        {STOP_REASON_END, ""},
        {STOP_REASON_LENGTH, "the summary of old turns was cut off at 64 tokens"},
        {STOP_REASON_CONTEXT, "the summary of old turns was cut off: the context is full"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        of_summary = (struct script){.reason = cases[i].reason};
        warning[0] = '\0';
        log_set_sink(note_warning);
        assert_int_equal(run_oneshot(), EXIT_DONE);
        log_set_sink(NULL);
        assert_int_equal(sent, 2);
        assert_string_equal(warning, cases[i].warning);
    }
}

static void a_signal_stops_the_summary(void **state) {
    (void)state;
    of_summary = (struct script){.signals = {SIGTERM}};
    assert_int_equal(run_oneshot(), EXIT_TERMINATED);
    assert_true(of_summary.cancelled);
    assert_false(of_chat.cancelled);
    assert_int_equal(sent, 1);
}

static void two_interrupts_exit_at_once(void **state) {
    (void)state;
    int result;
    const pid_t child = fork();
    if (child == 0) {
        of_summary = (struct script){.signals = {SIGINT, SIGINT}};
        run_oneshot();
        _exit(NOT_STOPPED);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), EXIT_INTERRUPTED);
}

int main(void) {
    const struct chat_template_options options = {.bos = "", .eos = ""};
    if (chat_template_create(&options, &chatml, NULL) != STATUS_OK ||
        db_open(":memory:", &db, NULL) != STATUS_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_truncated_summary_is_reported),
        cmocka_unit_test(two_interrupts_exit_at_once),
        cmocka_unit_test(a_signal_stops_the_summary),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    chat_template_destroy(chatml);
    db_close(db);
    return failed;
}
