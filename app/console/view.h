// app/console/view.h — shows a turn while it runs, and messages afterwards.
//
// Writes text as it is decoded, one write per piece, without anything that could control the
// terminal (stream.h). A long prefill shows its progress in a line that disappears. Keys pressed
// meanwhile edit the type-ahead line (editor.h). ^C cancels the turn; a second one within a second
// leaves the chat.
//
// Threads: the UI's. Owns nothing.
#ifndef APP_VIEW_H
#define APP_VIEW_H

#include "app/chat/chat.h"
#include "app/screen/status_line.h"

enum view_end {
    VIEW_ANSWERED, // the answer is stored, complete or partial; anything unusual was reported
    VIEW_BACK,     // no answer: the message was given back
    VIEW_FAILED,   // the reason was reported
    VIEW_MOVED,    // a line sent meanwhile does not wait; the turn continues
    VIEW_LEAVE,    // *exit_code: a signal, or ^C twice
};

// Gets a line sent meanwhile and may move it out. True ends the view.
typedef bool view_line(void *user, struct text *line);

struct view_options {
    bool again;      // show the answer from its beginning
    bool unmarked;   // the caller reports how it ended
    view_line *line; // with
    void *user;
};

// Shows a running turn until its end. With several answers, shows the first one, numbered, as it
// arrives, and the others when all are complete. Call it between editor_begin_type_ahead() and
// editor_end_type_ahead(). *cancelled: the user stopped the turn.
enum view_end view_turn(struct session *session, struct turn *turn,
                        const struct view_options *options, int *exit_code, bool *cancelled);

void view_answer(const struct message *message); // the whole message

// Shows the last `exchanges` exchanges as when they were streamed, with long questions shortened.
void view_replay(const struct chat *chat, int64_t exchanges);

// The same with whole questions, and with the preamble if that shows the whole conversation.
void view_history(const struct chat *chat, int64_t exchanges);

// The current facts for the status line. `used` is 0 while the conversation is empty.
struct status_facts view_status(const struct chat *chat);

#endif
