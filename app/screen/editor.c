// app/screen/editor.c — Readline edits the line, and does nothing else (on a dumb terminal it
// draws).
//
//   bytes ─► keys.h ─► press() ─┬─► feed(): Readline's commands change rl_line_buffer
//                               ├─► pastes, Esc and searches, which are handled here
//                               └─► unknown sequences are dropped
//
//   rl_redisplay ─► note_change() … show_line() ─► draft_view.h
//                                   show_type_ahead() ─► draft_view.h's footer
//
// Readline reads through next_byte(), which has the whole key already: it never waits for the rest
// of one, and never gets an unknown one, which it would type as text. Its drawing goes to
// /dev/null; a redisplay only notes that the line is stale, and it is drawn when no more keys wait.
// So a burst of keys is drawn once, and the same line can be drawn as rows at the prompt or as a
// footer while an answer streams. Modes and signals belong to terminal.h.
//
// Type-ahead is not another editor: only where the line is drawn, and who asks for keys, differ. At
// the prompt editor_read() waits for them; during an answer the caller polls editor_listen(). Keys
// that arrive between the two stay in `keys`.
//
// A folded paste is one character of a private range in rl_line_buffer (paste.h), so every motion
// and deletion treats it as one. It is unfolded when the line is sent, remembered or edited
// elsewhere.
#include "app/screen/editor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// After <stdio.h>: Readline's headers use FILE.
#include <readline/history.h>
#include <readline/readline.h>

#include "app/base/figures.h"
#include "app/base/printable.h"
#include "app/base/verbatim.h"
#include "app/screen/cluster_keys.h"
#include "app/screen/draft_view.h"
#include "app/screen/external_editor.h"
#include "app/screen/history_search.h"
#include "app/screen/input_history.h"
#include "app/screen/keys.h"
#include "app/screen/line_motion.h"
#include "app/screen/paste.h"
#include "app/screen/printable_stream.h"
#include "app/screen/terminal.h"

enum {
    KEY_SEQUENCE_MS = 50, // between ESC and the rest of a key
    TWICE_MS = 1000,      // Esc Esc
    PASTE_ROWS = 5,       // a longer paste is folded
    ROWS_BESIDE_DRAFT = 2,
    READ_BYTES = 4096,
    LISTED_MOST = 100, // completions
    QUEUE_PART = 3,    // of the line, for what is queued
};

static const char BLOCK[] = "\"\"\"";
enum { BLOCK_BYTES = sizeof BLOCK - 1 };

static struct {
    struct editor_options options;
    bool type_ahead;   // an answer streams meanwhile
    bool shown;        // the type-ahead line is on the screen
    bool unfolds;      // ^O was pressed during an answer
    struct text queue; // its text about queued lines
    bool stale;        // the line has changed since it was drawn
    FILE *nowhere;     // where Readline's output goes
    struct keys keys;  // what was read
    struct key key;    // of which Readline gets bytes, from key_at on
    size_t key_at;
    int64_t escaped_ms; // when Esc was pressed, with no key since; 0: it was not
    char **candidates;  // of the current completion
    size_t candidate;
    bool question;
    bool enter;        // sends even an empty line
    bool done, closed; // the line was sent; or ^D
    char *line;        // owned, when done
} editor;

static bool fold_line(void);

static int insert_newline(int count, int key) {
    (void)count, (void)key;
    rl_insert_text("\n");
    return 0;
}

static bool block_is_open(const char *line, size_t length) {
    if (strncmp(line, BLOCK, BLOCK_BYTES) != 0) return false;
    const bool closed =
        length >= (size_t)2 * BLOCK_BYTES && strcmp(line + length - BLOCK_BYTES, BLOCK) == 0;
    return !closed;
}

static bool ends_in_backslash(const char *line, size_t length) {
    size_t backslashes = 0;
    while (backslashes < length && line[length - 1 - backslashes] == '\\')
        backslashes++;
    return backslashes % 2 == 1;
}

static int send_or_continue(int count, int key) {
    const size_t length = (size_t)rl_end;
    if (editor.question) return rl_newline(count, key);
    if (length == 0) return editor.enter ? rl_newline(count, key) : 0;
    if (ends_in_backslash(rl_line_buffer, length)) {
        rl_point = rl_end;
        rl_rubout(1, key);
        return insert_newline(1, key);
    }
    if (block_is_open(rl_line_buffer, length)) return insert_newline(1, key);
    return rl_newline(count, key);
}

static int press_signal_key(int count, int key) {
    (void)count;
    terminal_press((char)key);
    return 0;
}

static int move_in_history(rl_command_func_t *move, int count, int key) {
    const int result = move(count, key);
    fold_line();
    return result;
}

static int line_up(int count, int key) {
    return line_motion_up() ? 0 : move_in_history(rl_get_previous_history, count, key);
}

static int line_down(int count, int key) {
    return line_motion_down() ? 0 : move_in_history(rl_get_next_history, count, key);
}

static struct draft current_draft(void) {
    const bool plain = rl_display_prompt == rl_prompt;
    if (history_search_is_on()) {
        size_t at = (size_t)rl_point;
        const char *found = history_search_entry(&at), *line = found ? found : rl_line_buffer;
        return (struct draft){
            .prompt = history_search_prompt(), .line = line, .length = strlen(line), .point = at};
    }
    return (struct draft){.prompt = rl_display_prompt,
                          .bold = plain && terminal_styled(),
                          .line = rl_line_buffer,
                          .length = (size_t)rl_end,
                          .point = (size_t)rl_point};
}

// ---- the line on the screen
//
// We draw it, and Readline's own output goes nowhere; except on a dumb terminal, where Readline
// draws what can be drawn there.

static bool draws(void) { return terminal_capable(); }

static void note_change(void) { editor.stale = true; }

// A search by Readline itself: after typed words, or on a dumb terminal.
static bool searches(void) { return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH) != 0; }

static void show_line(void) {
    struct draft draft = current_draft();
    struct text label = {0};
    const int rows = terminal_height() - ROWS_BESIDE_DRAFT;
    if (!draws() || !editor.stale || editor.done) return;
    editor.stale = false;
    // Shows a search's result, or its label if it does not fit the screen.
    if (history_search_is_on() && paste_is_tall(draft.line, draft.length, terminal_width(), rows) &&
        paste_describe(draft.line, draft.length, false, &label) == STATUS_OK) {
        draft.line = text_string(&label);
        draft.length = draft.point = label.length;
    }
    draft_view_draw(&draft);
    text_deinit(&label);
}

static void hide_line(void) {
    if (draws())
        draft_view_hide();
    else
        rl_clear_visible_line();
    fflush(rl_outstream);
}

// After hide_line() and other output.
static void show_line_again(void) {
    rl_on_new_line();
    rl_forced_update_display();
}

// Moves the cursor after the line, which stays on the screen; true: the cursor is on an empty row.
static bool leave_line(void) {
    const struct draft draft = current_draft();
    if (draws()) return draft_view_leave(&draft);
    const int point = rl_point;
    rl_point = rl_end;
    rl_redisplay();
    rl_point = point;
    return false;
}

// As one change, which can be undone.
static void replace_line(const char *line) {
    rl_begin_undo_group();
    rl_delete_text(0, rl_end);
    rl_point = 0;
    rl_insert_text(line);
    rl_end_undo_group();
}

// Inserts a text, as one character if it would fill more than this many rows.
static void insert_text(const char *text, size_t length, int rows, bool pasted) {
    char folded[UTF8_MAX_BYTES + 1];
    const bool folds = draws() && !editor.question &&
                       paste_is_tall(text, length, terminal_width(), rows) &&
                       paste_fold(text, length, pasted, folded);
    rl_insert_text(folds ? folded : text);
}

// A line that came at once, such as one of the history: the screen has all of it, or its label.
// False: there was nothing to fold.
static bool fold_line(void) {
    const int rows = terminal_height() - ROWS_BESIDE_DRAFT;
    struct text whole = {0};
    if (!draws() || !paste_is_tall(rl_line_buffer, (size_t)rl_end, terminal_width(), rows))
        return false;
    if (paste_unfold(rl_line_buffer, &whole) == STATUS_OK) {
        rl_begin_undo_group();
        rl_delete_text(0, rl_end);
        rl_point = 0;
        insert_text(text_string(&whole), whole.length, rows, false);
        rl_end_undo_group();
    }
    text_deinit(&whole);
    return true;
}

static int open_in_editor(int count, int key) {
    (void)count, (void)key;
    struct text draft = {0}, plain = {0}, edited = {0}, repaired = {0}, line = {0};
    size_t left_out = 0, bad;
    bool done = false;
    hide_line();
    if (paste_unfold(rl_line_buffer, &draft) == STATUS_OK &&
        verbatim_plain(&plain, text_string(&draft), draft.length) == STATUS_OK)
        done = external_editor_run(text_string(&plain), plain.length, &edited, &left_out);
    if (left_out > 0)
        terminal_tell(STYLE_ERROR, "NUL bytes cannot be sent; removed %zu\n", left_out);
    if (done && !utf8_valid(text_string(&edited), edited.length, NULL))
        terminal_tell(STYLE_DIM, "the draft is not all UTF-8; bad bytes are now \uFFFD\n");
    done = done && paste_repair(text_string(&edited), edited.length, &repaired, &bad) == STATUS_OK;
    if (done && verbatim_restore(&line, text_string(&draft), text_string(&repaired)) == STATUS_OK) {
        replace_line(text_string(&line));
        fold_line();
    }
    text_deinit(&draft);
    text_deinit(&plain);
    text_deinit(&edited);
    text_deinit(&repaired);
    text_deinit(&line);
    show_line_again();
    return 0;
}

static void tell_above(editor_tell *tell) {
    hide_line();
    tell(editor.options.user);
    show_line_again();
}

static int unfold(int count, int key) {
    (void)count, (void)key;
    if (editor.type_ahead)
        editor.unfolds = true;
    else if (!editor.question && editor.options.unfold)
        tell_above(editor.options.unfold);
    return 0;
}

static char *next_candidate(const char *word, int state) {
    (void)word;
    if (state == 0) editor.candidate = 0;
    char *candidate = editor.candidates[editor.candidate];
    if (!candidate) return NULL;
    editor.candidate++;
    return strdup(candidate);
}

static void free_candidates(char **candidates) {
    for (size_t i = 0; candidates && candidates[i]; i++)
        free(candidates[i]);
    free(candidates);
}

// What all of them begin with, or all of the only one and a blank, unless it can be continued.
static enum status append_common(char *const *candidates, struct text *out) {
    size_t length = strlen(candidates[0]);
    for (size_t i = 1; candidates[i]; i++)
        while (strncmp(candidates[0], candidates[i], length) != 0)
            length--;
    while (length > 0 && ((unsigned char)candidates[0][length] & 0xC0) == 0x80)
        length--;
    TRY(text_append(out, candidates[0], length));
    const bool ends = !candidates[1] && length > 0 && candidates[0][length - 1] != '/';
    return ends ? text_append(out, " ", 1) : STATUS_OK;
}

// The name with blanks before the cursor, in which Readline sees several words.
static void complete_name(void) {
    struct text line = {0}, name = {0};
    size_t start = 0;
    char **candidates = NULL;
    if (text_append(&line, rl_line_buffer, (size_t)rl_point) == STATUS_OK)
        candidates = editor.options.complete_name(editor.options.user, text_string(&line), &start);
    if (candidates && append_common(candidates, &name) == STATUS_OK) {
        rl_begin_undo_group();
        rl_delete_text((int)start, rl_point);
        rl_point = (int)start;
        rl_insert_text(text_string(&name));
        rl_end_undo_group();
    }
    free_candidates(candidates);
    text_deinit(&line);
    text_deinit(&name);
}

static char **complete(const char *word, int start, int end) {
    (void)end;
    rl_attempted_completion_over = 1;
    if (editor.question) return NULL;
    struct text before = {0}, typed = {0};
    editor.candidates = NULL;
    if (verbatim_plain(&before, rl_line_buffer, (size_t)start) == STATUS_OK &&
        verbatim_plain(&typed, word, strlen(word)) == STATUS_OK)
        editor.candidates =
            editor.options.complete(editor.options.user, text_string(&before), text_string(&typed));
    text_deinit(&before);
    text_deinit(&typed);
    if (!editor.candidates) {
        complete_name();
        return NULL;
    }
    char **matches = rl_completion_matches(word, next_candidate);
    const size_t length = matches ? strlen(matches[0]) : 0;
    if (length > 0 && matches[0][length - 1] == '/') rl_completion_append_character = '\0';
    free_candidates(editor.candidates);
    editor.candidates = NULL;
    return matches;
}

// terminal.h sets the modes for the whole chat, so Readline must not change them.
static void keep_modes_at_begin(int meta) { (void)meta; }

static void keep_modes_at_end(void) {}

static void line_handler(char *line) {
    if (line)
        rl_end = rl_point = (int)strlen(line); // of an edited entry, Readline has the old length
    if (draws() && !line) draft_view_hide();
    if (draws() && line && !leave_line()) terminal_say(STYLE_PLAIN, "\n");
    rl_callback_handler_remove();
    editor.done = true;
    editor.closed = line == NULL;
    editor.line = line;
}

static int clear_screen(int count, int key) {
    (void)count, (void)key;
    if (editor.type_ahead || !draws()) return 0;
    draft_view_hide();
    terminal_clear();
    show_line_again();
    return 0;
}

// In columns, read downwards.
static void list_in_columns(char **matches, int count, int column) {
    const int fitting = (terminal_width() - 1) / column, columns = fitting > 0 ? fitting : 1;
    const int rows = (count + columns - 1) / columns;
    for (int row = 0; row < rows; row++) {
        for (int i = row; i < count; i += rows) {
            const int blanks = i + rows < count ? column - text_columns(matches[i]) : 0;
            terminal_say(STYLE_PLAIN, "%s%*s", matches[i], blanks > 0 ? blanks : 0, "");
        }
        terminal_say(STYLE_PLAIN, "\n");
    }
}

// matches[1..count]; not a list that would push everything else off the screen.
static void list_completions(char **matches, int count, int longest) {
    if (editor.type_ahead) return;
    if (!leave_line()) terminal_say(STYLE_PLAIN, "\n");
    if (count > LISTED_MOST)
        terminal_say(STYLE_DIM, "%d matches; type more of the word\n", count);
    else
        list_in_columns(matches + 1, count, longest + 2);
    show_line_again();
}

// ---- keys

static bool has_byte(void) { return editor.key_at < editor.key.length; }

static int bytes_wait(void) { return has_byte(); }

// Waits for input and appends it to the keys; false: none in time, a signal arrived, or the
// terminal has gone (*gone).
static bool read_bytes(int event_fd, int timeout_ms, bool *gone) {
    char bytes[READ_BYTES];
    if (!terminal_wait_event(event_fd, timeout_ms)) return false;
    const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    *gone = got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
    return got > 0 && keys_put(&editor.keys, bytes, (size_t)got) == STATUS_OK;
}

// Reads the next key into editor.key and waits this long for it to begin. The rest of a key arrives
// at once, or the key has ended.
static enum key_kind next_key(int event_fd, int timeout_ms, bool *gone) {
    editor.key_at = 0;
    *gone = false;
    for (;;) {
        if (keys_next(&editor.keys, false, &editor.key) != KEY_NONE) return editor.key.kind;
        const bool begun = keys_are_partial(&editor.keys);
        if (read_bytes(begun ? -1 : event_fd, begun ? KEY_SEQUENCE_MS : timeout_ms, gone)) continue;
        return begun ? keys_next(&editor.keys, true, &editor.key) : KEY_NONE;
    }
}

// A byte for Readline; it also asks in the middle of a command.
static int next_byte(FILE *unused) {
    (void)unused;
    bool gone = false;
    while (!has_byte()) {
        const enum key_kind kind = next_key(-1, -1, &gone);
        if (gone || terminal_gone()) return EOF;
        if (kind != KEY_BYTES && kind != KEY_SEQUENCE) editor.key.length = 0;
    }
    return (unsigned char)editor.key.bytes[editor.key_at++];
}

// Readline gets a key whole, so it never waits for the rest of one.
static void feed(void) {
    while (has_byte() && !editor.done)
        rl_callback_read_char();
    editor.key_at = editor.key.length;
}

// As if it had been typed.
static void feed_byte(char byte) {
    editor.key = (struct key){.kind = KEY_BYTES, .bytes = {byte}, .length = 1};
    editor.key_at = 0;
    feed();
}

static bool is_bound(const struct key *key) {
    int type = ISKMAP;
    rl_command_func_t *bound = rl_function_of_keyseq_len(key->bytes, key->length, NULL, &type);
    return bound && bound != rl_do_lowercase_version && type != ISKMAP;
}

// Ends a search; stops the answer that is being written; the second one on an empty line opens the
// list of turns. Readline would take it for the beginning of another key.
static void press_escape(int64_t before_ms) {
    const bool vi = rl_editing_mode == 0;
    if (vi || searches()) {
        feed();
        return;
    }
    if (editor.type_ahead) {
        terminal_press(ESC);
        return;
    }
    editor.escaped_ms = clock_ms();
    if (!before_ms || editor.escaped_ms - before_ms > TWICE_MS || rl_end > 0 || editor.question)
        return;
    editor.escaped_ms = 0;
    rl_insert_text("/fork -");
    feed_byte('\r');
}

static void tell_hint(const char *hint) {
    if (editor.type_ahead) return;
    hide_line();
    terminal_tell(STYLE_DIM, "%s\n", hint);
    show_line_again();
}

static void insert_paste(const struct text *pasted) {
    struct text before = {0}, line = {0}, repaired = {0};
    const char *hint = NULL;
    size_t bad;
    const bool whole = paste_repair(pasted->bytes, pasted->length, &repaired, &bad) == STATUS_OK;
    const struct text *paste = whole && bad > 0 ? &repaired : pasted;
    if (whole && bad > 0) tell_hint("the paste was not all UTF-8; bad bytes are now \uFFFD");
    const bool marks =
        draws() && text_append(&before, rl_line_buffer, (size_t)rl_point) == STATUS_OK;
    if (marks)
        hint = editor.options.paste(editor.options.user, text_string(&before), text_string(paste),
                                    &line);
    const struct text *inserted = line.length ? &line : paste;
    if (hint && !editor.question) tell_hint(hint);
    insert_text(text_string(inserted), inserted->length, PASTE_ROWS, true);
    note_change();
    text_deinit(&before);
    text_deinit(&line);
    text_deinit(&repaired);
}

static int search_older(int count, int key) {
    (void)count, (void)key;
    if (!editor.question) history_search_begin(false);
    return 0;
}

static int search_newer(int count, int key) {
    (void)count, (void)key;
    if (!editor.question) history_search_begin(true);
    return 0;
}

// Makes the found entry the line. True: it was shown only as a label, so the user has not seen it.
static bool take_found(void) {
    size_t at = 0;
    const char *found = history_search_entry(&at);
    const int entry = history_search_end(), older = where_history() - entry;
    if (!found) return false;
    if (older > 0) rl_get_previous_history(older, 0);
    if (older < 0) rl_get_next_history(-older, 0);
    if (older == 0) replace_line(found);
    const bool folded = fold_line();
    if (!folded) rl_point = (int)at;
    return folded;
}

// True: the key is not the search's.
static bool press_in_search(void) {
    const struct key *key = &editor.key;
    if (key->kind == KEY_SEQUENCE && key->code != KEY_ESCAPE && !is_bound(key)) return false;
    note_change();
    switch (history_search_press(key)) {
    case SEARCH_CONTINUES:
        return false;
    case SEARCH_ENDS:
        take_found();
        return false;
    case SEARCH_ENDS_BEFORE_KEY:
        break;
    }
    const bool sends = key->kind == KEY_BYTES && strchr("\r\n", key->bytes[0]);
    const bool ends_alone = key->bytes[0] == TERMINAL_INTERRUPT && !editor.type_ahead;
    return !(take_found() && sends) && !ends_alone;
}

static void press(void) {
    const int64_t escaped_ms = editor.escaped_ms;
    const bool searching = searches();
    editor.escaped_ms = 0;
    if (history_search_is_on() && !press_in_search()) {
        editor.key_at = editor.key.length;
        return;
    }
    switch (editor.key.kind) {
    case KEY_NONE:
        break;
    case KEY_BYTES:
        feed();
        break;
    case KEY_SEQUENCE:
        if (editor.key.code == KEY_ESCAPE)
            press_escape(escaped_ms);
        else if (is_bound(&editor.key))
            feed();
        break;
    case KEY_PASTE:
        if (searching) rl_callback_sigcleanup();
        insert_paste(editor.key.paste);
        break;
    }
    if (searching && !searches() && !editor.done) fold_line();
}

static void bind_keys(void) {
    rl_bind_keyseq("\\C-m", send_or_continue);
    rl_bind_keyseq("\\C-j", insert_newline);
    rl_bind_keyseq("\\e\\C-m", insert_newline);
    rl_bind_keyseq("\\e\\C-j", insert_newline);
    rl_bind_keyseq("\\e[A", line_up);
    rl_bind_keyseq("\\eOA", line_up);
    rl_bind_keyseq("\\C-p", line_up);
    rl_bind_keyseq("\\e[B", line_down);
    rl_bind_keyseq("\\eOB", line_down);
    rl_bind_keyseq("\\C-n", line_down);
    rl_bind_keyseq("\\C-g", open_in_editor);
    rl_bind_keyseq("\\C-o", unfold);
    rl_bind_keyseq("\\C-x\\C-e", open_in_editor);
    if (draws()) rl_bind_keyseq("\\C-r", search_older);
    if (draws()) rl_bind_keyseq("\\C-s", search_newer);
    if (draws()) rl_bind_keyseq("\\C-l", clear_screen);
    if (draws()) rl_bind_keyseq("\\e\\C-l", clear_screen);
    // Readline does not ask the terminal for its keys when it does not draw, and an inputrc of the
    // person's own replaces /etc/inputrc, which knows these Homes and Ends.
    rl_bind_keyseq_if_unbound("\\e[1~", rl_beg_of_line);
    rl_bind_keyseq_if_unbound("\\e[7~", rl_beg_of_line);
    rl_bind_keyseq_if_unbound("\\e[4~", rl_end_of_line);
    rl_bind_keyseq_if_unbound("\\e[8~", rl_end_of_line);
    rl_bind_key(TERMINAL_INTERRUPT, press_signal_key);
    rl_bind_key(TERMINAL_SUSPEND, press_signal_key);
}

void editor_open(const struct editor_options *options) {
    editor.options = *options;
    rl_readline_name = "quire";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_prep_term_function = keep_modes_at_begin;
    rl_deprep_term_function = keep_modes_at_end;
    rl_getc_function = next_byte;
    rl_input_available_hook = bytes_wait;
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = " \t\n";
    rl_completion_query_items = 0;
    rl_completion_display_matches_hook = draws() ? list_completions : NULL;
    editor.nowhere = fopen("/dev/null", "we");
    if (draws() ? editor.nowhere != NULL : printable_stream() != NULL)
        rl_outstream = draws() ? editor.nowhere : printable_stream();
    if (draws()) rl_redisplay_function = note_change;
    rl_initialize();
    rl_tty_set_echoing(1);
    rl_variable_bind("bell-style", "none");
    rl_variable_bind("enable-active-region", "off");
    rl_variable_bind("page-completions", "off");
    rl_variable_bind("show-all-if-ambiguous", "on");
    bind_keys();
    cluster_keys_bind();
    input_history_open(options->history_path);
}

void editor_remember(const char *draft) {
    struct text whole = {0};
    if (paste_unfold(draft, &whole) == STATUS_OK) input_history_add(text_string(&whole));
    text_deinit(&whole);
}

void editor_close(void) {
    input_history_close();
    keys_deinit(&editor.keys);
    text_deinit(&editor.queue);
    paste_forget_all();
    if (editor.nowhere) fclose(editor.nowhere);
    editor.nowhere = NULL;
}

static void begin_line(const struct editor_prompt *prompt, const char *draft) {
    char shown[128];
    const bool marked = terminal_styled() && !draws();
    snprintf(shown, sizeof shown, "%s%s%s", marked ? "\001\033[1m\002" : "", prompt->text,
             marked ? "\001\033[0m\002" : "");
    editor.question = prompt->question;
    editor.enter = prompt->enter;
    editor.done = false;
    editor.escaped_ms = 0;
    rl_reset_screen_size();
    rl_callback_handler_install(shown, line_handler);
    if (!draft[0]) return;
    rl_insert_text(draft);
    fold_line();
    rl_redisplay();
}

// Leaves the screen as it is and abandons the line.
static void drop_line(void) {
    history_search_end();
    rl_callback_sigcleanup();
    leave_line();
    rl_callback_handler_remove();
}

// The shell continues below the line, which is drawn again where the shell's output ends.
static void suspend(void) {
    leave_line();
    terminal_say(STYLE_PLAIN, "\n");
    terminal_suspend();
    rl_on_new_line();
}

// Handles what happened meanwhile.
static void tell_news(void) {
    if (editor.options.notice(editor.options.user)) tell_above(editor.options.tell);
}

static void resize_line(void) {
    const struct draft draft = current_draft();
    if (draws() && !editor.type_ahead) draft_view_resized(&draft);
    rl_resize_terminal(); // also shows the line
}

// False when the signals end the reading.
static bool obey_signals(const struct editor_prompt *prompt, enum editor_end *end, int *signal) {
    const struct terminal_signals signals = terminal_read_signals();
    if (signals.end) {
        if (!prompt->question) editor_remember(rl_line_buffer);
        drop_line();
        terminal_say(STYLE_PLAIN, "\n");
        *signal = signals.end;
        *end = EDITOR_SIGNAL;
        return false;
    }
    if (signals.interrupts) {
        const bool was_empty = rl_end == 0;
        drop_line();
        if (was_empty && terminal_capable())
            terminal_clear_line();
        else
            terminal_say(STYLE_DIM, "^C\n");
        *end = EDITOR_INTERRUPT;
        if (was_empty || prompt->question) return false;
        begin_line(prompt, "");
    }
    if (signals.suspend) suspend();
    if (signals.resized) resize_line();
    if (signals.continued) rl_forced_update_display();
    return true;
}

static const char *without_block(char *line) {
    const size_t length = strlen(line);
    if (length < (size_t)2 * BLOCK_BYTES || strncmp(line, BLOCK, BLOCK_BYTES) != 0 ||
        block_is_open(line, length))
        return line;
    line[length - BLOCK_BYTES] = '\0';
    line += BLOCK_BYTES;
    if (line[0] == '\n') line++;
    const size_t inside = strlen(line);
    if (inside > 0 && line[inside - 1] == '\n') line[inside - 1] = '\0';
    return line;
}

// Moves the line that was sent into the empty *line, and into the history.
static bool pop_sent(struct text *line) {
    const bool whole = paste_unfold(without_block(editor.line), line) == STATUS_OK;
    if (whole) input_history_add(text_string(line));
    free(editor.line);
    return whole;
}

static enum editor_end finish_line(const struct editor_prompt *prompt, struct text *line) {
    if (editor.closed) {
        if (!draws()) terminal_say(STYLE_PLAIN, "\n");
        return EDITOR_LEAVE;
    }
    if (prompt->question) {
        const enum status status = text_append_string(line, editor.line);
        free(editor.line);
        return status == STATUS_OK ? EDITOR_LINE : EDITOR_INTERRUPT;
    }
    return pop_sent(line) ? EDITOR_LINE : EDITOR_INTERRUPT;
}

static void close_line(void) {
    if (!editor.question) editor_remember(rl_line_buffer);
    drop_line();
    editor.done = editor.closed = true;
}

enum editor_end editor_read(const struct editor_prompt *prompt, struct text *line, int *signal) {
    enum editor_end end = EDITOR_LEAVE;
    begin_line(prompt, prompt->draft);
    while (!editor.done) {
        bool gone;
        if (!keys_are_partial(&editor.keys)) show_line(); // else more keys have been typed
        if (next_key(editor.options.event_fd, -1, &gone) != KEY_NONE)
            press();
        else if (gone)
            close_line();
        else
            tell_news();
        if (!editor.done && !obey_signals(prompt, &end, signal)) return end;
    }
    return finish_line(prompt, line);
}

int editor_key(int timeout_ms) {
    bool gone;
    const enum key_kind kind = next_key(editor.options.event_fd, timeout_ms, &gone);
    const struct key *key = &editor.key;
    editor.key_at = key->length;
    switch (kind) {
    case KEY_NONE:
        break;
    case KEY_BYTES:
        return key->length == 1 ? (unsigned char)key->bytes[0] : KEY_OTHER;
    case KEY_SEQUENCE:
        return (int)key->code;
    case KEY_PASTE:
        return EDITOR_KEY_PASTE;
    }
    return gone ? EDITOR_KEY_GONE : EDITOR_KEY_NONE;
}

const struct text *editor_pasted(void) { return editor.key.paste; }

void editor_unread(char byte) {
    // It fails only for lack of memory, and then the line cannot be read either.
    const enum status ignored = keys_put_back(&editor.keys, byte);
    (void)ignored;
}

// ---- type-ahead

// On a footer, as an answer streams above it.
static void show_type_ahead(void) {
    const struct draft draft = current_draft();
    const bool plain = rl_display_prompt == rl_prompt;
    const bool nothing =
        rl_end == 0 && plain && !history_search_is_on() && editor.queue.length == 0;
    if (!editor.stale || (nothing && !editor.shown)) return;
    editor.stale = false;
    draft_view_footer(&draft);
    editor.shown = true;
}

static void end_type_ahead_line(char *line) {
    rl_callback_handler_remove();
    editor.done = true;
    editor.line = line ? line : strdup("/quit"); // ^D
}

static void begin_type_ahead_line(void) {
    editor.done = false;
    rl_callback_handler_install(editor.queue.length ? editor.queue.bytes : "> ",
                                end_type_ahead_line);
}

void editor_begin_type_ahead(void) {
    if (!editor.nowhere) return; // keys wait for the next prompt
    rl_outstream = editor.nowhere;
    rl_redisplay_function = note_change;
    editor.type_ahead = true;
    editor.question = editor.enter = editor.shown = false;
    begin_type_ahead_line();
    show_type_ahead();
}

bool editor_interrupted(void) {
    bool gone;
    while (read_bytes(-1, 0, &gone))
        ;
    const bool pressed = keys_take_interrupt(&editor.keys);
    return terminal_interrupted() || pressed;
}

bool editor_has_keys(void) { return keys_are_partial(&editor.keys) || terminal_wait(0); }

bool editor_has_words(int timeout_ms) {
    bool gone;
    if (!keys_are_partial(&editor.keys)) read_bytes(-1, timeout_ms, &gone);
    while (read_bytes(-1, 0, &gone))
        ;
    return keys_begin_word(&editor.keys);
}

void editor_insert_pasted(void) {
    if (editor.type_ahead) insert_paste(editor.key.paste);
}

bool editor_listen(struct text *line) {
    bool gone, sent = false;
    if (!editor.type_ahead) return false;
    while (!editor.done && next_key(-1, 0, &gone) != KEY_NONE)
        press();
    if (editor.done) {
        sent = editor.line && pop_sent(line);
        begin_type_ahead_line();
    }
    show_type_ahead();
    return sent;
}

bool editor_unfolds(void) {
    const bool pressed = editor.unfolds;
    editor.unfolds = false;
    return pressed;
}

// "2 queued: And of Spain? > "
static enum status describe_queue(int lines, const char *first, struct text *out) {
    struct text harmless = {0};
    if (lines == 0) return STATUS_OK;
    struct text plain = {0};
    enum status status = verbatim_plain(&plain, first, strlen(first));
    if (status == STATUS_OK) status = text_format(out, "%d queued: ", lines);
    if (status == STATUS_OK) status = printable_text(text_string(&plain), plain.length, &harmless);
    text_deinit(&plain);
    if (status == STATUS_OK)
        status = text_fit(out, text_string(&harmless), terminal_width() / QUEUE_PART, false);
    if (status == STATUS_OK) status = text_append_string(out, " > ");
    text_deinit(&harmless);
    return status;
}

void editor_queued(int lines, const char *first) {
    text_clear(&editor.queue);
    if (describe_queue(lines, first, &editor.queue) != STATUS_OK) text_clear(&editor.queue);
    if (!editor.type_ahead) return;
    rl_callback_handler_remove();
    begin_type_ahead_line();
    show_type_ahead();
}

void editor_resized(void) {
    if (!editor.type_ahead) return;
    rl_resize_terminal();
    show_type_ahead();
}

enum status editor_end_type_ahead(struct text *draft) {
    if (!editor.type_ahead) return STATUS_OK;
    history_search_end();
    rl_callback_sigcleanup();
    const enum status status = text_append(draft, rl_line_buffer, (size_t)rl_end);
    rl_callback_handler_remove();
    if (!draws()) rl_redisplay_function = rl_redisplay;
    if (!draws() && printable_stream()) rl_outstream = printable_stream();
    editor.type_ahead = false;
    terminal_end_footer();
    return status;
}
