// app/screen/editor.h — the line editor: the prompt, its keys, and type-ahead.
//
// GNU Readline on the terminal that terminal.h has taken over; a process has one editor.
//   Enter sends.            ^J, Alt-Enter, and Enter after a backslash make a new line.
//   """ … """ is a block: Enter makes new lines in it until it is closed.
//   ↑ ↓ move between the lines of a draft, then through the history.
//   ^G and ^X^E open $VISUAL or $EDITOR on the draft.
//   Esc Esc on an empty line sends "/fork -", the list of turns.
// A paste is text: its newlines never send, what it begins with runs nothing, and a long one is
// folded (paste.h); so is a long line of the history. Keys that mean nothing here do nothing
// (keys.h).
//
//   at the prompt ──Enter──► idle ──editor_begin_type_ahead──► typing ahead
//                              ▲                                    │
//                              └──────editor_end_type_ahead─────────┘
//
// Type-ahead is what the person types while an answer streams. The same keys edit a line that is
// shown in the screen's last line as soon as it is not empty; what was not sent by the end becomes
// the next prompt's draft. Esc counts as terminal.h's `stop` then. Threads: the UI's.
#ifndef APP_EDITOR_H
#define APP_EDITOR_H

#include <stdbool.h>

#include "kernels/base/text.h"

// Completions of `word`, which follows `before` in the line: a NULL-terminated array of strings,
// all from malloc and moved to the editor; NULL if there are none.
typedef char **editor_complete(void *user, const char *before, const char *word);

// The same for a name with blanks that stands without quotation marks at the end of the line:
// *start is where it begins.
typedef char **editor_complete_name(void *user, const char *line, size_t *start);

// What a pasted text becomes: appended to *line, with the characters that mean only themselves
// marked (app/base/verbatim.h). `before` is the line before it. Returns what the person should
// know, or NULL.
typedef const char *editor_paste(void *user, const char *before, const char *text,
                                 struct text *line);

// Notices: the first looks for one and says whether there is something to tell; the second tells
// it, when the line that is being edited is out of the way.
typedef bool editor_notice(void *user);
typedef void editor_tell(void *user);

struct editor_options {
    const char *history_path; // NULL: none is kept
    editor_complete *complete;
    editor_complete_name *complete_name;
    editor_paste *paste;
    int event_fd; // readable when editor_notice() is to be called
    editor_notice *notice;
    editor_tell *tell;
    editor_tell *unfold; // ^O: shows the thinking of the last answer; or NULL
    void *user;
};

void editor_open(const struct editor_options *options);
void editor_remember(const char *draft); // adds to the history; "" is ignored
void editor_close(void);

enum editor_end {
    EDITOR_LINE,      // Enter
    EDITOR_INTERRUPT, // ^C on an empty line, or in a question
    EDITOR_LEAVE,     // ^D on an empty line, or the terminal is gone
    EDITOR_SIGNAL,    // SIGTERM or SIGHUP: *signal
};

struct editor_prompt {
    const char *text;  // "> "
    const char *draft; // what the line begins with
    bool question;     // a short answer to the program: one line, kept in no history
    bool enter;        // Enter alone is a line too, ""
};

// Fills the empty *line on EDITOR_LINE: with the marks of what was pasted, unless it is a
// question's.
enum editor_end editor_read(const struct editor_prompt *prompt, struct text *line, int *signal);

// The next key, for callers that read keys themselves: a byte or an enum key_code (keys.h). NONE:
// none came in this time (-1: no limit), or a signal or an event did. GONE: the terminal is gone.
enum { EDITOR_KEY_NONE = -1, EDITOR_KEY_GONE = -2 };
int editor_key(int timeout_ms);

void editor_begin_type_ahead(void);
bool editor_interrupted(void); // in a wait between: has ^C been pressed? Other keys are kept
bool editor_has_keys(void);    // for editor_listen()
bool editor_has_words(void);   // what was typed and not read yet begins with a character
bool editor_listen(struct text *line); // reads what has been typed; true: the empty *line was sent
void editor_queued(int lines, const char *first); // wait to be sent, as the type-ahead line says
bool editor_unfolds(void);                        // ^O was pressed since the last call
void editor_resized(void);                        // draws the type-ahead line again
enum status editor_end_type_ahead(struct text *draft); // appends what was typed, for a prompt

#endif
