// app/view.h — how a turn looks while it runs, and how old ones look.
//
// Text is written as it is decoded, one write for each piece, with nothing in it that a terminal
// would obey. A long prefill shows one line that goes away. Keys pressed meanwhile are kept for
// the next prompt (editor.h). ^C cancels the turn; a second one within a second leaves.
//
// Threads: the UI's. Owns nothing.
#ifndef APP_VIEW_H
#define APP_VIEW_H

#include "app/turn.h"

enum view_end {
    VIEW_ANSWERED, // the answer is stored, whole or in part; what is odd about it was said
    VIEW_BACK,     // nothing was answered: the message is in chat_draft()
    VIEW_FAILED,   // said why
    VIEW_LEAVE,    // *exit_code: a signal, or ^C twice
};

// Shows the running turn of the chat until its end. Of several answers the first is shown as it
// comes, numbered, and the others when all are whole.
enum view_end view_turn(struct chat *chat, int *exit_code);

void view_answer(const struct message *message); // whole

// Shows the last `exchanges` of the conversation, dimmed, long messages shortened.
void view_replay(const struct chat *chat, int exchanges);

// "412/2,048 tokens (20 %) · 96 % cached · 118 tok/s · pool 4 %", after the conversation's name.
void view_status_line(struct chat *chat, struct engine *engine);

#endif
