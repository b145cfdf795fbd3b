// app/chat/title.h — lets the model title an unnamed conversation while nobody waits.
//
//   title_begin ─► the session passes events to its turn ─► the title is stored, or not
//        └─► title_stop: ends soon, without a title
//
// The question follows the first exchange in a sequence of its own, so it finds that exchange in
// the cache; nothing of it stays there. It runs in the background (engine/step/scheduler.h) and
// yields to everything the user asks for. It never changes a name or an existing title.
//
// Embedded by its owner, who must not move it; starts as {0}. Threads: the UI's.
#ifndef APP_TITLE_H
#define APP_TITLE_H

#include "app/chat/chat.h"

enum { TITLE_BYTES = 61 };

struct title {
    struct session *session; // borrowed
    struct turn turn;
    struct answer answer;
    struct sequence *sequence;                // owned
    char conversation[CONVERSATION_ID_BYTES]; // the last one it was begun for
};

// Does this conversation need a title? True if it is stored and answered, has neither name nor
// title, and was not asked about before.
bool title_wanted(const struct title *title, const struct chat *chat);

// Must not be called while another title is being written.
MUST_CHECK enum status title_begin(struct title *title, struct chat *chat, struct error *err);
void title_stop(struct title *title);   // the conversation may be asked about again
void title_deinit(struct title *title); // waits for its end

// Extracts a title from an answer: its first line with words, without thinking, quotation marks and
// markup, cut after a word to at most TITLE_BYTES - 1 bytes. "": no title.
void title_read(const char *answer, size_t length, char line[TITLE_BYTES]);

#endif
