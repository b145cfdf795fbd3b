// app/console/view.h — how a turn looks while it runs, and how old ones look.
//
// Text is written as it is decoded, one write for each piece, with nothing in it that a terminal
// would obey (stream.h). A long prefill shows how far it is in one line that goes away. Keys
// pressed meanwhile edit a line of their own (editor.h). ^C cancels the turn; a second one within
// a second leaves.
//
// Threads: the UI's. Owns nothing.
#ifndef APP_VIEW_H
#define APP_VIEW_H

#include "app/chat/chat.h"

enum view_end {
    VIEW_ANSWERED, // the answer is stored, whole or in part; what is odd about it was said
    VIEW_BACK,     // nothing was answered: the message was given back
    VIEW_FAILED,   // said why
    VIEW_MOVED,    // away from the turn, which goes on, by a line that was sent meanwhile
    VIEW_LEAVE,    // *exit_code: a signal, or ^C twice
};

// A line that was sent meanwhile, which it may take. True: the view shall end for it.
typedef bool view_line(void *user, struct text *line);

struct view_options {
    bool again;      // from the answer's beginning: what there is of it has left the screen
    bool unmarked;   // how it ended is the caller's to say
    view_line *line; // with
    void *user;
};

// Shows a turn that runs until its end. Of several answers the first is shown as it
// comes, numbered, and the others when all are whole. Between editor_begin_type_ahead() and its
// end. *cancelled says whether the person has stopped the turn.
enum view_end view_turn(struct session *session, struct turn *turn,
                        const struct view_options *options, int *exit_code, bool *cancelled);

void view_answer(const struct message *message); // whole

// Shows the last `exchanges` of the conversation, dimmed, long messages shortened.
void view_replay(const struct chat *chat, int exchanges);

// Appends "a story · 412/2.0k (20 %) · 96 % cached · 118 tok/s · pool 4 %" (status_line.h), or
// nothing while the conversation is empty.
MUST_CHECK enum status view_status_line(const struct chat *chat, struct text *line);

#endif
