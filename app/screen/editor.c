#include "app/screen/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// After <stdio.h>: Readline's headers use FILE.
#include <readline/readline.h>

#include "app/base/figures.h"
#include "app/screen/input_history.h"
#include "app/screen/terminal.h"

enum {
    KEY_SEQUENCE_MS = 50, // between ESC and the rest of a key
    TYPE_AHEAD_PROMPT_BYTES = 32,
};

static const char BLOCK[] = "\"\"\"";
enum { BLOCK_BYTES = sizeof BLOCK - 1 };

static struct {
    struct editor_options options;
    bool type_ahead;   // an answer streams meanwhile
    bool shown;        // the type-ahead line is on the screen
    bool unfolds;      // ^O was pressed beside an answer
    int queued;        // lines that it says are waiting
    FILE *nowhere;     // where Readline's output goes during type-ahead
    FILE *terminal;    // where it goes otherwise
    char **candidates; // of the completion under way
    size_t candidate;
    bool question;
    bool enter;                 // sends even an empty line
    bool done, closed;          // the line was sent; or ^D
    char *line;                 // owned, when done
    KEYMAP_ENTRY after_escapes; // what Esc Esc was before
} editor;

// Readline passes the time it would wait, in microseconds; a call with -1 reads it.
static int key_waits(void) {
    const int asked_us = rl_set_keyboard_input_timeout(-1);
    return terminal_wait(asked_us > 0 ? KEY_SEQUENCE_MS : 0);
}

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

static int line_start(int point) {
    while (point > 0 && rl_line_buffer[point - 1] != '\n')
        point--;
    return point;
}

static int line_end(int point) {
    while (point < rl_end && rl_line_buffer[point] != '\n')
        point++;
    return point;
}

static bool starts_character(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; }

static int characters_between(int from, int to) {
    int count = 0;
    for (; from < to; from++)
        count += starts_character(rl_line_buffer[from]);
    return count;
}

// `count` characters into the line that begins at `start`, or its end.
static int point_in_line(int start, int count) {
    const int end = line_end(start);
    int point = start;
    while (point < end && (count > 0 || !starts_character(rl_line_buffer[point])))
        count -= starts_character(rl_line_buffer[point++]);
    return point;
}

static int line_up(int count, int key) {
    const int start = line_start(rl_point);
    if (start == 0) return rl_get_previous_history(count, key);
    rl_point = point_in_line(line_start(start - 1), characters_between(start, rl_point));
    return 0;
}

static int line_down(int count, int key) {
    const int start = line_start(rl_point), end = line_end(rl_point);
    if (end == rl_end) return rl_get_next_history(count, key);
    rl_point = point_in_line(end + 1, characters_between(start, rl_point));
    return 0;
}

static bool write_draft(int file) {
    const size_t length = (size_t)rl_end;
    return write(file, rl_line_buffer, length) == (ssize_t)length;
}

static bool read_draft(const char *path, struct text *draft) {
    FILE *file = fopen(path, "re");
    if (!file) return false;
    char bytes[4096];
    bool whole = true;
    for (size_t got; whole && (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        whole = text_append(draft, bytes, got) == STATUS_OK;
    fclose(file);
    while (draft->length > 0 && draft->bytes[draft->length - 1] == '\n')
        draft->bytes[--draft->length] = '\0';
    return whole;
}

// Runs the editor on the file, through the shell so that "code --wait" works.
static bool run_editor(const char *program, const char *path) {
    const pid_t child = fork();
    if (child == 0) {
        char command[512];
        snprintf(command, sizeof command, "%s \"$1\"", program);
        execl("/bin/sh", "sh", "-c", command, "sh", path, (char *)NULL);
        _exit(127);
    }
    int result = 0;
    while (child > 0 && waitpid(child, &result, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

static int open_in_editor(int count, int key) {
    (void)count, (void)key;
    const char *program = getenv("VISUAL");
    if (!program || !program[0]) program = getenv("EDITOR");
    if (!program || !program[0]) program = "vi";
    char path[] = "/tmp/quire-draft-XXXXXX";
    const int file = mkostemp(path, O_CLOEXEC);
    if (file < 0) return rl_ding();
    struct text draft = {0};
    const bool written = write_draft(file);
    close(file);
    rl_clear_visible_line();
    fflush(rl_outstream);
    terminal_lend();
    const bool edited = written && run_editor(program, path) && read_draft(path, &draft);
    terminal_retake();
    if (edited) {
        rl_replace_line(text_string(&draft), 0);
        rl_point = rl_end;
    } else {
        terminal_tell(STYLE_ERROR, "%.60s failed: the draft is as it was\n", program);
        rl_on_new_line();
    }
    unlink(path);
    text_deinit(&draft);
    return rl_forced_update_display();
}

static void tell_above(editor_tell *tell) {
    rl_clear_visible_line();
    fflush(rl_outstream);
    tell(editor.options.user);
    rl_on_new_line();
    rl_forced_update_display();
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

static char **complete(const char *word, int start, int end) {
    (void)end;
    rl_attempted_completion_over = 1;
    if (editor.question) return NULL;
    char *before = strndup(rl_line_buffer, (size_t)start);
    if (!before) return NULL;
    editor.candidates = editor.options.complete(editor.options.user, before, word);
    free(before);
    if (!editor.candidates) return NULL;
    char **matches = rl_completion_matches(word, next_candidate);
    const size_t length = matches ? strlen(matches[0]) : 0;
    if (length > 0 && matches[0][length - 1] == '/') rl_completion_append_character = '\0';
    for (size_t i = 0; editor.candidates[i]; i++)
        free(editor.candidates[i]);
    free(editor.candidates);
    editor.candidates = NULL;
    return matches;
}

// On an empty line: the list of turns.
static int open_turn_list(int count, int key) {
    if (rl_end > 0 || editor.question) return 0;
    rl_insert_text("/fork -");
    rl_redisplay();
    return rl_newline(count, key);
}

// terminal.h sets the modes for the whole chat, so Readline must not change them.
static void keep_modes_at_begin(int meta) { (void)meta; }

static void keep_modes_at_end(void) {}

static bool is_taller_than_the_screen(const char *line) {
    int rows, columns, row = 1, column = 0;
    rl_get_screen_size(&rows, &columns);
    for (const char *at = line; *at; at++) {
        column += starts_character(*at);
        if (*at != '\n' && column < columns) continue;
        row++;
        column = 0;
    }
    return row >= rows;
}

static void line_handler(char *line) {
    rl_callback_handler_remove();
    // Readline loses count of the rows that have left the screen.
    if (line && is_taller_than_the_screen(line)) terminal_to_bottom();
    editor.done = true;
    editor.closed = line == NULL;
    editor.line = line;
}

void editor_open(const struct editor_options *options) {
    editor.options = *options;
    rl_readline_name = "quire";
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
    rl_prep_term_function = keep_modes_at_begin;
    rl_deprep_term_function = keep_modes_at_end;
    rl_input_available_hook = key_waits;
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = " \t\n";
    rl_initialize();
    rl_tty_set_echoing(1);
    rl_variable_bind("bell-style", "none");
    rl_variable_bind("enable-active-region", "off");
    rl_variable_bind("show-all-if-ambiguous", "on");
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
    // Bound by hand: an inputrc may bind longer keys with this prefix, for which Readline would
    // wait.
    editor.after_escapes = emacs_meta_keymap[ESC];
    emacs_meta_keymap[ESC] = (KEYMAP_ENTRY){ISFUNC, open_turn_list};
    rl_bind_key(TERMINAL_INTERRUPT, press_signal_key);
    rl_bind_key(TERMINAL_SUSPEND, press_signal_key);
    input_history_open(options->history_path);
}

void editor_remember(const char *text) { input_history_add(text); }

void editor_close(void) {
    emacs_meta_keymap[ESC] = editor.after_escapes;
    input_history_close();
    if (editor.nowhere) fclose(editor.nowhere);
    editor.nowhere = NULL;
}

static void begin_line(const struct editor_prompt *prompt, const char *draft) {
    char shown[128];
    const bool bold = terminal_styled();
    snprintf(shown, sizeof shown, "%s%s%s", bold ? "\001\033[1m\002" : "", prompt->text,
             bold ? "\001\033[0m\002" : "");
    editor.question = prompt->question;
    editor.enter = prompt->enter;
    editor.done = false;
    rl_reset_screen_size();
    rl_callback_handler_install(shown, line_handler);
    if (draft[0]) {
        rl_insert_text(draft);
        rl_redisplay();
    }
}

// Leaves the screen as it is and abandons the line.
static void drop_line(void) {
    rl_callback_sigcleanup();
    rl_point = rl_end;
    rl_redisplay();
    rl_callback_handler_remove();
}

// The shell continues below the line, which is drawn again where the shell's output ends.
static void suspend(void) {
    const int point = rl_point;
    rl_point = rl_end;
    rl_redisplay();
    terminal_say(STYLE_PLAIN, "\n");
    terminal_suspend();
    rl_point = point;
    rl_on_new_line();
}

// Handles what happened meanwhile.
static void tell_news(void) {
    if (editor.options.notice(editor.options.user)) tell_above(editor.options.tell);
}

// False when the signals end the reading.
static bool obey_signals(const struct editor_prompt *prompt, enum editor_end *end, int *signal) {
    const struct terminal_signals signals = terminal_read_signals();
    if (signals.end) {
        if (!prompt->question) input_history_add(rl_line_buffer);
        drop_line();
        terminal_say(STYLE_PLAIN, "\n");
        *signal = signals.end;
        *end = EDITOR_SIGNAL;
        return false;
    }
    if (signals.interrupts) {
        const bool was_empty = rl_end == 0;
        drop_line();
        if (was_empty && terminal_styled())
            terminal_clear_line();
        else
            terminal_say(STYLE_DIM, "^C\n");
        *end = EDITOR_INTERRUPT;
        if (was_empty || prompt->question) return false;
        begin_line(prompt, "");
    }
    if (signals.suspend) suspend();
    if (signals.resized) rl_resize_terminal();
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

static enum editor_end finish_line(const struct editor_prompt *prompt, struct text *line) {
    if (editor.closed) {
        if (terminal_styled())
            terminal_clear_line();
        else
            terminal_say(STYLE_PLAIN, "\n");
        return EDITOR_LEAVE;
    }
    const char *text = prompt->question ? editor.line : without_block(editor.line);
    if (!prompt->question) input_history_add(text);
    const enum status status = text_append_string(line, text);
    free(editor.line);
    return status == STATUS_OK ? EDITOR_LINE : EDITOR_INTERRUPT;
}

enum editor_end editor_read(const struct editor_prompt *prompt, struct text *line, int *signal) {
    enum editor_end end = EDITOR_LEAVE;
    begin_line(prompt, prompt->draft);
    while (!editor.done) {
        if (terminal_wait_beside(editor.options.event_fd, -1))
            rl_callback_read_char();
        else
            tell_news();
        if (!editor.done && !obey_signals(prompt, &end, signal)) return end;
    }
    return finish_line(prompt, line);
}

int editor_key(int timeout_ms) {
    unsigned char byte;
    if (!terminal_wait_beside(editor.options.event_fd, timeout_ms)) return EDITOR_KEY_NONE;
    const ssize_t got = read(STDIN_FILENO, &byte, 1);
    if (got < 0 && errno == EINTR) return EDITOR_KEY_NONE;
    return got == 1 ? byte : EDITOR_KEY_GONE;
}

// ---- type-ahead

// One character of the line, as the last line of the screen shows it, and its columns.
static enum status show_character(const char *bytes, size_t length, struct text *out) {
    if (bytes[0] == '\n') return text_append_string(out, "⏎");
    if (bytes[0] == '\t') return text_append_string(out, " ");
    return terminal_neutralise(bytes, length, out);
}

static int shown_columns(const char *bytes, size_t length, size_t *used) {
    const uint32_t code_point = utf8_decode(bytes, length, used);
    const int columns = character_columns(code_point);
    const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
    return control ? 1 : columns;
}

// The beginning of the part of the line that fits the width and ends at the cursor.
static size_t first_in_sight(const char *line, size_t point, int columns) {
    size_t first = 0, used;
    int width = 0;
    for (size_t at = 0; at < point; at += used)
        width += shown_columns(line + at, point - at, &used);
    for (; width >= columns && first < point; first += used)
        width -= shown_columns(line + first, point - first, &used);
    return first;
}

static enum status fit_type_ahead(struct text *out, int columns, int *cursor) {
    const size_t end = (size_t)rl_end, point = (size_t)rl_point;
    int width = 0;
    size_t used;
    for (size_t at = first_in_sight(rl_line_buffer, point, columns); at < end; at += used) {
        const int more = shown_columns(rl_line_buffer + at, end - at, &used);
        if (width + more >= columns) break;
        width += more;
        if (at < point) *cursor += more;
        TRY(show_character(rl_line_buffer + at, used, out));
    }
    return STATUS_OK;
}

// Draws the line in place of Readline.
static void draw_type_ahead(void) {
    struct text shown = {0};
    const bool plain = rl_display_prompt == rl_prompt;
    if (rl_end == 0 && plain && !editor.shown) return;
    int cursor = text_columns(rl_display_prompt);
    enum status status = text_append_string(&shown, rl_display_prompt);
    if (status == STATUS_OK) status = fit_type_ahead(&shown, terminal_width() - cursor, &cursor);
    if (status == STATUS_OK) terminal_footer(text_string(&shown), cursor);
    editor.shown = true;
    text_deinit(&shown);
}

static void end_type_ahead_line(char *line) {
    rl_callback_handler_remove();
    editor.done = true;
    editor.line = line; // NULL: ^D, which sends nothing
}

static void begin_type_ahead_line(void) {
    char prompt[TYPE_AHEAD_PROMPT_BYTES] = "> ";
    if (editor.queued > 0) snprintf(prompt, sizeof prompt, "%d queued > ", editor.queued);
    editor.done = false;
    rl_callback_handler_install(prompt, end_type_ahead_line);
}

void editor_begin_type_ahead(void) {
    if (!editor.nowhere) editor.nowhere = fopen("/dev/null", "we");
    if (!editor.nowhere) return; // keys wait for the next prompt
    editor.terminal = rl_outstream;
    rl_outstream = editor.nowhere;
    rl_redisplay_function = draw_type_ahead;
    editor.type_ahead = true;
    editor.question = editor.enter = editor.shown = false;
    begin_type_ahead_line();
}

bool editor_listen(struct text *line) {
    if (!editor.type_ahead) return false;
    while (!editor.done && terminal_wait(0))
        rl_callback_read_char();
    if (!editor.done) return false;
    bool sent = false;
    if (editor.line) {
        const char *text = without_block(editor.line);
        input_history_add(text);
        sent = text_append_string(line, text) == STATUS_OK;
        free(editor.line);
    }
    begin_type_ahead_line();
    return sent;
}

bool editor_unfolds(void) {
    const bool pressed = editor.unfolds;
    editor.unfolds = false;
    return pressed;
}

void editor_queued(int lines) {
    editor.queued = lines;
    if (!editor.type_ahead) return;
    rl_callback_handler_remove();
    begin_type_ahead_line();
}

void editor_resized(void) {
    if (editor.type_ahead) rl_resize_terminal(); // which draws, as we do it in Readline's place
}

enum status editor_end_type_ahead(struct text *draft) {
    if (!editor.type_ahead) return STATUS_OK;
    rl_callback_sigcleanup(); // of a search, say, that is under way
    const enum status status = text_append(draft, rl_line_buffer, (size_t)rl_end);
    rl_callback_handler_remove();
    rl_redisplay_function = rl_redisplay;
    rl_outstream = editor.terminal;
    editor.type_ahead = false;
    terminal_end_footer();
    return status;
}
