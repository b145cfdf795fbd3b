// app/chat/desk.h — the chat in front of the person, and those behind it whose answers are being
// written.
//
//   in front ──moved away from while its answer is written──► behind ──its answer ends──► closed
//       ▲                                                        │
//       └────────────────────── desk_resume() ───────────────────┘
//
// All of them have one engine, whose events come in one queue: desk_next() gives each to the chat
// that it belongs to. So a running chat is never asked for its next event itself. What is behind
// gives way to what is in front (engine/step/scheduler.h), is stored when it ends as any other
// answer, and leaves a note.
//
// Invariants, checked by desk_check(): each chat behind is running; no two chats are in one
// conversation.
//
// Threads: the UI's. Memory: the chat in front and those behind are owned from desk_open() on.
#ifndef APP_DESK_H
#define APP_DESK_H

#include "app/chat/turn.h"

enum { DESK_MOST_BEHIND = 16 };

struct desk {
    struct engine *engine; // borrowed
    struct chat *front;
    struct chat *behind[DESK_MOST_BEHIND];
    int32_t behind_count;
    struct text notes; // a line for each answer that ended behind
};

void desk_open(struct desk *desk, struct engine *engine, struct chat *front); // front is moved in

// Stops what is written behind, which is stored as far as it has come. The chat in front is the
// caller's again.
struct chat *desk_close(struct desk *desk);

// What comes next of the turn in front, which runs, as chat_turn_next() says it, without waiting:
// WAIT, when there is no event yet.
enum turn_event desk_next(struct desk *desk, struct turn_progress *progress, enum status *status,
                          struct error *err);

int desk_event_fd(const struct desk *desk); // readable when there are events

// Takes all events there are; the end of the turn in front, if that runs, is left for desk_next().
void desk_listen(struct desk *desk);

// Stops the turn in front, if one runs, and waits for its end; what runs behind goes on.
void desk_stop_front(struct desk *desk);

// For a caller with chats of its own: an event that is for none of them.
enum turn_event desk_take(struct desk *desk, const struct event *event,
                          struct turn_progress *progress);

// Is an answer being written in the conversation, in front or behind?
bool desk_is_writing(const struct desk *desk, const char *conversation);

// Moving: as chat_new(), chat_resume() ("-" is the previous one) and chat_fork(), but while an
// answer is written in front, that chat goes behind; and one that is behind comes to the front.
// FULL: DESK_MOST_BEHIND are there already. On failure all is as it was.
MUST_CHECK enum status desk_new(struct desk *desk, const char *name, struct error *err);
MUST_CHECK enum status desk_resume(struct desk *desk, const char *which, struct error *err);
MUST_CHECK enum status desk_fork(struct desk *desk, const char *name, struct error *err);

// chat_fork_at().
MUST_CHECK enum status desk_fork_at(struct desk *desk, int64_t turn, struct error *err);

void desk_check(const struct desk *desk);

#endif
