#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/console/view.h"
#include "app/screen/editor.h"
#include "app/screen/stream.h"
#include "app/screen/terminal.h"
#include "tests/app/screen.h"
#include "tests/check.h"

// A turn that plays a script instead of running a model. What follows stands in place of
// app/chat/session.c and chat.c.
struct step {
    enum turn_event event;
    bool waits;          // nothing has come yet
    const char *text;    // TEXT
    const char *typed;   // keys that the person presses before it
    int signal;          // that comes before it
    int columns;         // that the terminal has from then on
    int32_t done, total; // PREFILL
    int32_t answer;      // TEXT
    const char *screen;  // that is on the screen before it, with the cursor at its end
};

struct script {
    const struct step *steps;
    bool waits;        // what comes next takes its time: keys and signals are looked at first
    const char *draft; // the message, when it was given back
    enum message_stop stop;
    enum status status;
    const char *so_far;    // of the first answer
    const char *others[3]; // answers after the first, whole
    struct turn turn;
    struct answer answers[4];
};

struct stage { // a pseudo-terminal in place of stdin and stdout
    int screen;
    int saved_in, saved_out;
    char shown[8192];
    size_t length; // of it
    int exit_code;
    char draft[64]; // what was typed and not sent
};

static int keyboard = -1; // our end of the terminal
static struct script *playing;
static struct stage *played_on;

static void stage_read(struct stage *stage) {
    ssize_t got;
    while ((got = read(stage->screen, stage->shown + stage->length,
                       sizeof stage->shown - 1 - stage->length)) > 0)
        stage->length += (size_t)got;
    stage->shown[stage->length] = '\0';
}

// The rows that a person sees, with nothing below them.
static const struct screen *assert_screen(const struct stage *stage, const char *rows) {
    static struct screen screen;
    char row[SCREEN_COLUMNS * 8];
    struct text seen = {0};
    screen_clear(&screen, 80, false);
    screen_write(&screen, stage->shown, stage->length);
    for (int i = 0; i <= screen.lowest; i++)
        assert_int_equal(text_format(&seen, "%s%s", i > 0 ? "\n" : "", screen_row(&screen, i, row)),
                         STATUS_OK);
    while (seen.length > 0 && seen.bytes[seen.length - 1] == '\n')
        seen.bytes[--seen.length] = '\0';
    assert_string_equal(text_string(&seen), rows);
    text_deinit(&seen);
    return &screen;
}

static void assert_cursor_at_end(const struct screen *screen, const char *rows) {
    const char *newline = strrchr(rows, '\n'), *last = newline ? newline + 1 : rows;
    int above = 0;
    for (const char *at = rows; *at; at++)
        above += *at == '\n';
    assert_int_equal(screen->row, above);
    assert_int_equal(screen->column, (int)strlen(last));
}

static bool was_cancelled(const struct script *script) {
    return atomic_load(&script->answers[0].cancelled);
}

static void set_answer(struct script *script, const char *text) {
    struct answer *answer = &script->answers[script->turn.answer_count++];
    *answer = (struct answer){.turn = &script->turn, .kept = true, .ended = true};
    assert_int_equal(text_append_string(&answer->text, text), STATUS_OK);
    answer->reason = script->stop == STOP_END ? STOP_REASON_END : STOP_REASON_CANCELLED;
}

static void script_begin(struct script *script) {
    playing = script;
    script->turn = (struct turn){.answers = script->answers, .state = TURN_FOLLOWED};
    set_answer(script, script->so_far ? script->so_far : "");
    for (int i = 0; i < 3 && script->others[i]; i++)
        set_answer(script, script->others[i]);
}

static void script_end(struct script *script) {
    for (int32_t i = 0; i < script->turn.answer_count; i++)
        text_deinit(&script->answers[i].text);
}

bool session_next(struct session *session, int timeout_ms, struct turn_update *update) {
    (void)session, (void)timeout_ms;
    struct turn *turn = &playing->turn;
    const struct step *step = playing->steps;
    if (step->screen && !playing->waits) {
        stage_read(played_on);
        assert_cursor_at_end(assert_screen(played_on, step->screen), step->screen);
    }
    if (playing->waits) {
        playing->waits = false;
        return false;
    }
    playing->waits = step->typed || step->signal;
    if (step->typed) assert_true(write(keyboard, step->typed, strlen(step->typed)) > 0);
    const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)step->columns};
    if (step->columns) ioctl(keyboard, TIOCSWINSZ, &size);
    if (step->signal) raise(step->signal);
    *update = (struct turn_update){.turn = turn, .event = TURN_DONE};
    if (step->event == TURN_DONE || was_cancelled(playing)) {
        if (playing->draft) turn->kept = -1;
        turn->status = playing->status;
        if (was_cancelled(playing)) playing->answers[0].reason = STOP_REASON_CANCELLED;
        if (turn->status != STATUS_OK) error_set(&turn->err, turn->status, "the reason");
        return true;
    }
    playing->steps++;
    if (step->waits) return false;
    *update = (struct turn_update){.turn = turn,
                                   .event = step->event,
                                   .text = step->text,
                                   .length = step->text ? strlen(step->text) : 0,
                                   .answer = step->answer,
                                   .done = step->done,
                                   .total = step->total};
    return true;
}

const char *chat_draft(const struct chat *chat) {
    (void)chat;
    return playing->draft ? playing->draft : "";
}

static char question[] = "the question", old_answer[] = "the old answer";
static const struct message CONVERSATION[] = {
    {.role = MESSAGE_USER, .text = question, .length = sizeof question - 1},
    {.role = MESSAGE_ASSISTANT, .text = old_answer, .length = sizeof old_answer - 1},
};

size_t chat_message_count(const struct chat *chat) {
    (void)chat;
    return sizeof CONVERSATION / sizeof CONVERSATION[0];
}
const struct message *chat_message(const struct chat *chat, size_t index) {
    (void)chat;
    return &CONVERSATION[index];
}

static void stage_open(struct stage *stage) {
    int ours, theirs;
    const struct winsize size = {.ws_row = 24, .ws_col = 80};
    fflush(stdout);
    assert_int_equal(openpty(&ours, &theirs, NULL, NULL, &size), 0);
    fcntl(ours, F_SETFL, O_NONBLOCK);
    stage->screen = keyboard = ours;
    stage->length = 0;
    played_on = stage;
    stage->saved_in = dup(STDIN_FILENO);
    stage->saved_out = dup(STDOUT_FILENO);
    dup2(theirs, STDIN_FILENO);
    dup2(theirs, STDOUT_FILENO);
    close(theirs);
    setenv("TERM", "xterm", 1);
    assert_true(terminal_open());
}

static const char *stage_close(struct stage *stage) {
    terminal_close();
    stage_read(stage);
    dup2(stage->saved_in, STDIN_FILENO);
    dup2(stage->saved_out, STDOUT_FILENO);
    close(stage->saved_in);
    close(stage->saved_out);
    close(stage->screen);
    return stage->shown;
}

// A line that is sent meanwhile ends the view when it says so.
static bool leaves_the_view(void *user, struct text *line) {
    (void)user;
    return strcmp(text_string(line), "/bg") == 0;
}

static bool keeps_the_line(void *user, struct text *line) {
    struct text *kept = user;
    *kept = *line;
    *line = (struct text){0};
    return false;
}

static enum view_end play_with(struct stage *stage, struct script *script,
                               const struct view_options *options) {
    struct session session = {.event_fd = -1};
    struct text draft = {0};
    bool cancelled;
    stage->exit_code = -1;
    stage_open(stage);
    editor_open(&(struct editor_options){.event_fd = -1});
    script_begin(script);
    editor_begin_type_ahead();
    const enum view_end end =
        view_turn(&session, &script->turn, options, &stage->exit_code, &cancelled);
    assert_int_equal(editor_end_type_ahead(&draft), STATUS_OK);
    assert_int_equal(cancelled, was_cancelled(script));
    script_end(script);
    editor_close();
    stage_close(stage);
    snprintf(stage->draft, sizeof stage->draft, "%s", text_string(&draft));
    text_deinit(&draft);
    return end;
}

static enum view_end play_script(struct stage *stage, struct script *script) {
    return play_with(stage, script, &(struct view_options){.line = leaves_the_view});
}

static void assert_shown(const struct stage *stage, const char *what) {
    if (strstr(stage->shown, what)) return;
    print_error("no %s in: %s\n", what, stage->shown);
    fail();
}

static void an_answer_is_shown_live_with_its_escapes_disarmed(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "Hello "},
                                 {.waits = true},
                                 {.event = TURN_TEXT, .text = "\033[2Jworld"},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps, .stop = STOP_END};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_ANSWERED);
    assert_shown(&stage, "Hello ␛[2Jworld\r\n");
    assert_null(strstr(stage.shown, "interrupted"));
}

static void the_first_of_several_answers_is_shown_live(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "One"},
                                 {.event = TURN_TEXT, .text = "Tw", .answer = 1},
                                 {.event = TURN_TEXT, .text = "Th", .answer = 2},
                                 {.event = TURN_TEXT, .text = "o", .answer = 1},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps, .stop = STOP_END, .others = {"Two", "Three"}};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_ANSWERED);
    assert_shown(&stage, "[1]");
    assert_shown(&stage, "One\r\n");
    assert_shown(&stage, "2 more: 8 bytes");
    assert_shown(&stage, "Two\r\n");
    assert_shown(&stage, "[3]");
    assert_shown(&stage, "Three\r\n");
}

static void an_interrupt_marks_the_partial_answer(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "Once upon"},
                                 {.waits = true, .typed = "\003"},
                                 {.event = TURN_TEXT, .text = " never shown"},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_ANSWERED);
    assert_shown(&stage, "Once upon\r\n");
    assert_shown(&stage, "[interrupted — /continue resumes it, /regen replaces it]");
    assert_null(strstr(stage.shown, "never"));
}

static void a_withdrawn_message_is_announced(void **state) {
    (void)state;
    const struct step steps[] = {
        {.event = TURN_PREFILL, .done = 512, .total = 4300, .signal = SIGINT}, {.waits = true}};
    struct script script = {.steps = steps, .draft = "Hello", .status = STATUS_CANCELLED};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_BACK);
    assert_shown(&stage, "back in the editor");
}

static void two_interrupts_exit(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "Once", .typed = "\003\003"},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_LEAVE);
    assert_int_equal(stage.exit_code, EXIT_INTERRUPTED);
}

static void a_term_signal_stops_the_turn_and_exits(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "Once", .signal = SIGTERM},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_LEAVE);
    assert_int_equal(stage.exit_code, EXIT_TERMINATED);
    assert_true(was_cancelled(&script));
    assert_int_equal(script.turn.state, TURN_LEAVING); // a message without an answer stays
    assert_shown(&stage, "Once\r\n");
}

static void a_failed_turn_shows_the_reason(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_DONE}};
    struct script script = {.steps = steps, .status = STATUS_DEVICE};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_FAILED);
    assert_shown(&stage, "the reason");
}

static void typing_during_an_answer_is_shown_below_and_kept(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "An answer", .typed = "typed "},
                                 {.event = TURN_TEXT, .text = ".", .typed = "ahead"},
                                 {.waits = true},
                                 {.event = TURN_DONE, .screen = "An answer.\n> typed ahead"}};
    struct script script = {.steps = steps, .stop = STOP_END};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_ANSWERED);
    assert_string_equal(stage.draft, "typed ahead");
    assert_screen(&stage, "An answer.");
}

static void a_line_sent_during_an_answer_is_handed_over(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "An answer", .typed = "one\rtwo"},
                                 {.waits = true},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps, .stop = STOP_END};
    struct stage stage;
    struct text sent = {0};
    const struct view_options options = {.line = keeps_the_line, .user = &sent};
    assert_int_equal(play_with(&stage, &script, &options), VIEW_ANSWERED);
    assert_string_equal(text_string(&sent), "one");
    assert_string_equal(stage.draft, "two");
    text_deinit(&sent);
}

static void leaving_the_view_does_not_stop_the_turn(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "An answer", .typed = "/bg\r"},
                                 {.waits = true},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps, .stop = STOP_END};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_MOVED);
    assert_false(was_cancelled(&script));
    assert_shown(&stage, "An answer");
}

static void a_resize_breaks_no_word_and_leaves_no_blank_row(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "An answer th", .typed = "typed"},
                                 {.waits = true, .signal = SIGWINCH, .columns = 70},
                                 {.event = TURN_TEXT, .text = "at goes on\n"},
                                 {.waits = true},
                                 {.waits = true, .screen = "An answer that goes on\n\n> typed"},
                                 {.waits = true, .signal = SIGWINCH, .columns = 80},
                                 {.event = TURN_TEXT, .text = "below."},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps, .stop = STOP_END};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_ANSWERED);
    assert_screen(&stage, "An answer that goes on\nbelow.");
}

static void a_word_that_outgrows_a_full_line_moves_down_whole(void **state) {
    (void)state;
    static const char full[] = "aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa "
                               "aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaaa";
    struct step steps[] = {{.event = TURN_TEXT, .text = full, .typed = "x"},
                           {.waits = true},
                           {.event = TURN_TEXT, .text = "b"},
                           {.event = TURN_DONE}};
    char before[sizeof full + 8], after[sizeof full + 8];
    snprintf(before, sizeof before, "%s\n> x", full);
    snprintf(after, sizeof after, "%.69s\naaaaaaaaaab", full);
    steps[2].screen = before;
    struct script script = {.steps = steps, .stop = STOP_END};
    struct stage stage;
    assert_int_equal(play_script(&stage, &script), VIEW_ANSWERED);
    assert_screen(&stage, after);
}

static void returning_to_an_answer_shows_it_from_the_start(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = " and the rest"},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps, .stop = STOP_END, .so_far = "What there was"};
    const struct view_options options = {.again = true, .line = leaves_the_view};
    struct stage stage;
    assert_int_equal(play_with(&stage, &script, &options), VIEW_ANSWERED);
    assert_shown(&stage, "What there was");
    assert_shown(&stage, " and the rest\r\n");
}

// Of the conversation in which /regen or /continue writes, or nothing does.
static void replay(struct stage *stage, bool writing) {
    const struct chat chat = {.turn.state = writing ? TURN_FOLLOWED : TURN_IDLE,
                              .reply.message_count = 1};
    stage_open(stage);
    view_replay(&chat, 2);
    stage_close(stage);
}

static void an_answer_being_rewritten_is_not_replayed(void **state) {
    (void)state;
    struct stage stage;
    replay(&stage, false);
    assert_shown(&stage, question);
    assert_shown(&stage, old_answer);
    replay(&stage, true);
    assert_shown(&stage, question);
    assert_null(strstr(stage.shown, old_answer));
}

static void toggling_a_thought_twice_restores_its_setting(void **state) {
    (void)state;
    const struct step steps[] = {{.event = TURN_TEXT, .text = "<think>first\n", .typed = "\017"},
                                 {.waits = true},
                                 {.event = TURN_TEXT, .text = "second\n", .typed = "\017"},
                                 {.waits = true},
                                 {.event = TURN_TEXT, .text = "third and\nfourth\n"},
                                 {.event = TURN_TEXT, .text = "</think>Yes."},
                                 {.event = TURN_DONE}};
    struct script script = {.steps = steps, .stop = STOP_END};
    struct stage stage;
    stream_wishes()->look = THOUGHT_HIDDEN;
    assert_int_equal(play_script(&stage, &script), VIEW_ANSWERED);
    stream_wishes()->look = THOUGHT_FOLDS;
    assert_null(strstr(stage.shown, "first"));
    assert_shown(&stage, "second");
    assert_null(strstr(stage.shown, "third"));
    assert_shown(&stage, "Yes.");
}

static void closing_the_terminal_restores_its_modes(void **state) {
    (void)state;
    struct stage stage;
    struct termios before, during, after;
    stage_open(&stage);
    tcgetattr(STDIN_FILENO, &during);
    terminal_close();
    tcgetattr(STDIN_FILENO, &before);
    assert_true(terminal_open());
    terminal_give_back();
    tcgetattr(STDIN_FILENO, &after);
    stage_close(&stage);
    assert_false(during.c_lflag & (ICANON | ECHO));
    assert_true(before.c_lflag & ICANON && before.c_lflag & ECHO);
    assert_int_equal(before.c_lflag, after.c_lflag);
    assert_int_equal(before.c_iflag, after.c_iflag);
    assert_shown(&stage, "\033[?2004l");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_shown_live_with_its_escapes_disarmed),
        cmocka_unit_test(the_first_of_several_answers_is_shown_live),
        cmocka_unit_test(an_interrupt_marks_the_partial_answer),
        cmocka_unit_test(a_withdrawn_message_is_announced),
        cmocka_unit_test(two_interrupts_exit),
        cmocka_unit_test(a_term_signal_stops_the_turn_and_exits),
        cmocka_unit_test(a_failed_turn_shows_the_reason),
        cmocka_unit_test(typing_during_an_answer_is_shown_below_and_kept),
        cmocka_unit_test(a_line_sent_during_an_answer_is_handed_over),
        cmocka_unit_test(leaving_the_view_does_not_stop_the_turn),
        cmocka_unit_test(a_resize_breaks_no_word_and_leaves_no_blank_row),
        cmocka_unit_test(a_word_that_outgrows_a_full_line_moves_down_whole),
        cmocka_unit_test(returning_to_an_answer_shows_it_from_the_start),
        cmocka_unit_test(an_answer_being_rewritten_is_not_replayed),
        cmocka_unit_test(toggling_a_thought_twice_restores_its_setting),
        cmocka_unit_test(closing_the_terminal_restores_its_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
