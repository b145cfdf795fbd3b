// app/console/view.h — what a turn looks like while it runs, and afterwards.
//
// Text is written as it is decoded, one write per piece, without anything that would control the
// terminal (stream.h). A long prefill shows its progress in a line that disappears. Keys pressed
// meanwhile edit the type-ahead line (editor.h). ^C cancels the turn; a second one within
// a second leaves.
//
// Threads: the UI's. Owns nothing.
#ifndef APP_VIEW_H
#define APP_VIEW_H

#include "app/chat/chat.h"
#include "app/screen/status_line.h"

enum view_end {
    VIEW_ANSWERED, // the answer is stored, complete or in part; anything unusual was said
    VIEW_BACK,     // nothing was answered: the message was given back
    VIEW_FAILED,   // and said why
    VIEW_MOVED,    // a line that was sent meanwhile does not wait for the turn, which goes on
    VIEW_LEAVE,    // *exit_code: a signal, or ^C twice
};

// Gets a line that was sent meanwhile, which it may move out. True: the view ends.
typedef bool view_line(void *user, struct text *line);

struct view_options {
    bool again;      // shows the answer from its beginning
    bool unmarked;   // the caller says how it ended
    view_line *line; // with
    void *user;
};

// Shows a turn that runs until its end. Of several answers the first is shown as it
// comes, numbered, and the others when all are complete. Between editor_begin_type_ahead() and its
// end. *cancelled: the person has stopped the turn.
enum view_end view_turn(struct session *session, struct turn *turn,
                        const struct view_options *options, int *exit_code, bool *cancelled);

void view_answer(const struct message *message); // all of it

// Shows the last `exchanges` exchanges as they were streamed, with long questions shortened.
void view_replay(const struct chat *chat, int64_t exchanges);

// The same with whole questions; where these are all of them, with the preamble.
void view_history(const struct chat *chat, int64_t exchanges);

// What the status line says now. `used` is 0 while the conversation is empty.
struct status_facts view_status(const struct chat *chat);

#endif
