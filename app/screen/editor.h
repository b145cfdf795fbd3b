// app/screen/editor.h — the line editor: prompt, keys and type-ahead.
//
// GNU Readline on the terminal that terminal.h has taken over; a process has one editor.
//   Enter sends.            ^J, Alt-Enter, and Enter after a backslash make a new line.
//   """ … """ is a block: Enter makes new lines in it until it is closed.
//   ↑ ↓ move between the lines of a draft, then through the history.
//   ^G and ^X^E open $VISUAL or $EDITOR on the draft.
//   Esc Esc on an empty line sends "/fork -", the list of turns.
// A paste is plain text: its newlines never send, and it never runs a command. A long paste is
// folded (paste.h), and so is a long history entry. Unknown keys do nothing (keys.h).
//
//   at the prompt ──Enter──► idle ──editor_begin_type_ahead──► typing ahead
//                              ▲                                    │
//                              └──────editor_end_type_ahead─────────┘
//
// Type-ahead is what the user types while an answer streams. The same keys edit a line that appears
// below the answer as soon as it is not empty; text not sent by the end becomes the next
// prompt's draft. Esc then counts as terminal.h's `stop`, and ^D on an empty line sends "/quit".
// Threads: the UI's.
#ifndef APP_EDITOR_H
#define APP_EDITOR_H

#include <stdbool.h>

#include "kernels/base/text.h"

// Completions of `word`, which follows `before` in the line: a NULL-terminated array of strings,
// all from malloc and moved to the editor; NULL if none.
typedef char **editor_complete(void *user, const char *before, const char *word);

// The same for an unquoted name with blanks at the end of the line; *start is where the name
// begins.
typedef char **editor_complete_name(void *user, const char *line, size_t *start);

// Appends pasted text to *line, with its special characters marked (app/base/verbatim.h). `before`
// is the line before it. Returns a message for the user, or NULL.
typedef const char *editor_paste(void *user, const char *before, const char *text,
                                 struct text *line);

// editor_notice() says whether there is something to tell the user; editor_tell() prints it, once
// the line being edited has been hidden.
typedef bool editor_notice(void *user);
typedef void editor_tell(void *user);

struct editor_options {
    const char *history_path; // NULL: no history
    editor_complete *complete;
    editor_complete_name *complete_name;
    editor_paste *paste;
    int event_fd; // readable when editor_notice() should be called
    editor_notice *notice;
    editor_tell *tell;
    editor_tell *unfold; // ^O: shows the last answer's thinking; or NULL
    void *user;
};

void editor_open(const struct editor_options *options);
void editor_remember(const char *draft); // adds to the history; "" is ignored
void editor_close(void);

enum editor_end {
    EDITOR_LINE,      // Enter
    EDITOR_INTERRUPT, // ^C on an empty line, or in a question
    EDITOR_LEAVE,     // ^D on an empty line, or the terminal has gone
    EDITOR_SIGNAL,    // SIGTERM or SIGHUP: *signal
};

struct editor_prompt {
    const char *text;  // "> "
    const char *draft; // initial text of the line
    bool question;     // a short answer to the program: one line, not kept in the history
    bool enter;        // accept an empty line
};

// Reads a line. On EDITOR_LINE fills the empty *line, with pasted text marked.
enum editor_end editor_read(const struct editor_prompt *prompt, struct text *line, int *signal);

// The next key, for callers that read keys themselves: a byte or an enum key_code (keys.h). NONE:
// no key within timeout_ms (-1: no limit), or a signal or an event arrived. GONE: the terminal has
// gone. PASTE: editor_pasted() is the text until the next key is read.
enum { EDITOR_KEY_NONE = -1, EDITOR_KEY_GONE = -2, EDITOR_KEY_PASTE = -3 };
int editor_key(int timeout_ms);
const struct text *editor_pasted(void);
void editor_unread(char byte); // gives a byte back: it is the next key

void editor_begin_type_ahead(void);
bool editor_interrupted(void);         // during other waits: was ^C pressed? Keeps other keys
bool editor_has_keys(void);            // keys are waiting for editor_listen()
bool editor_has_words(int timeout_ms); // input begins with a character or a paste, or will in time
void editor_insert_pasted(void);       // inserts editor_pasted() as if it had been pasted here
bool editor_listen(struct text *line); // handles typed keys; true: filled *line with a sent line
void editor_queued(int lines, const char *first);      // shows how many lines wait to be sent
bool editor_unfolds(void);                             // was ^O pressed since the last call?
void editor_resized(void);                             // redraws the type-ahead line
enum status editor_end_type_ahead(struct text *draft); // appends the unsent text

#endif
