// app/chat/title.h — what a conversation without a name is called: the model says it, when nobody
// waits.
//
//   title_begin ─► the session hands its turn the events ─► the store has a title, or has none
//        └─► title_stop: it ends soon, without a title
//
// The question follows the first exchange in a sequence of its own, so it finds that exchange in
// the cache; nothing of it stays. It runs in the background (engine/step/scheduler.h): whatever a
// person asks for goes before it. A name is never touched, nor a title that is there.
//
// Embedded by its owner, {0} at first, and stays where it is. Threads: the UI's.
#ifndef APP_TITLE_H
#define APP_TITLE_H

#include "app/chat/chat.h"

enum { TITLE_BYTES = 61 };

struct title {
    struct session *session; // borrowed
    struct turn turn;
    struct answer answer;
    struct sequence *sequence;                // owned
    char conversation[CONVERSATION_ID_BYTES]; // that it was begun for last
    bool stopped;
};

// Does this conversation want one: stored, answered, called nothing, and not asked for before?
bool title_wanted(const struct title *title, const struct chat *chat);

// Not while one is asked for.
MUST_CHECK enum status title_begin(struct title *title, struct chat *chat, struct error *err);
void title_stop(struct title *title);   // the conversation may be asked for again
void title_deinit(struct title *title); // waits for its end

// A title from an answer: its first line with words in it, without thinking, quotation marks and
// what marks up text, at most TITLE_BYTES - 1 bytes up to the end of a word; "": there is none.
void title_read(const char *answer, size_t length, char line[TITLE_BYTES]);

#endif
