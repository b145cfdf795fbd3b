// app/chat/turn.h — one question and its answers while they are written.
//
//   turn_begin ─► turn_start or turn_search ─► turn_handle, for each of its events ─► done
//
// A turn knows tokens and text, not the store: what is to be kept of its answers goes to its owner,
// by turn_ops. Events come from the session (session.h), which a turn is handed to once it has
// started; whoever follows it reads updates there.
//
// Invariants: (1) the first answer is written in the owner's sequence, each other one in a fork of
// it that is the turn's. (2) `done` comes after the last answer has ended and the owner has heard
// of it. (3) What is shown of an answer is never taken back.
//
// Embedded by its owner. Memory: the answers, the sequence that they are written in, and the stops
// are the owner's.
// turn_cancel() is safe in a signal handler; the rest is the UI thread's.
#ifndef APP_TURN_H
#define APP_TURN_H

#include "app/chat/answer.h"
#include "engine/sampling/beams.h"

enum turn_event { TURN_PREFILL, TURN_TEXT, TURN_DONE };

struct turn_update {
    struct turn *turn;
    enum turn_event event;
    int32_t answer;   // TEXT: which, from 0
    const char *text; // TEXT: complete characters, borrowed until the next update
    size_t length;
    int32_t tokens;      // TEXT: of the answer, up to here
    int32_t done, total; // PREFILL
};

// What the owner of a turn does for it. Without ops the answers stay with the turn.
struct turn_ops {
    void (*shown)(void *owner, struct answer *answer); // more of it, and it goes on
    enum status (*keep)(void *owner, struct answer *answer, struct error *err); // one with text
    enum status (*end)(void *owner, struct error *err); // all answers are over
    void (*close)(void *owner);                         // it ended while nobody followed it
};

struct turn {
    struct turn *next;      // among the session's
    struct answer *answers; // [answer_count]
    int32_t answer_count;
    int32_t ended;  // of those
    int32_t kept;   // the first of them that was kept, or -1
    int32_t older;  // answers to the same message, and
    int64_t parent; // that message in the store, as far as the owner has one
    struct engine *engine;
    struct sequence *sequence; // of the first answer
    const struct stops *stops;
    const struct turn_ops *ops; // or NULL
    void *owner;
    _Atomic(struct beams *) beams; // the one answer is searched; else NULL
    bool active;                   // until whoever follows it has heard that it is done
    bool background;               // gives way to others; a message is not given back
    bool side_question;            // nobody follows it or sees it: it ends for itself
    bool unfollowed;               // the person is elsewhere: at its end the session closes it
    bool given_back;               // nothing was answered, and the message is the person's again
    bool done;                     // with
    enum status status;            // OK, or why it failed, and
    struct error err;
};

// Begins what *fresh has: its engine, stops, ops, owner, answers [answer_count], older and parent.
// The first answer is asked for with *first, each further one with the next seed.
void turn_begin(struct turn *turn, const struct turn *fresh, const struct request_options *first);

// Asks for all answers at once. On failure none is written. Where only some could be started, they
// are cancelled, and the turn fails when they have ended.
MUST_CHECK enum status turn_start(struct turn *turn, struct sequence *sequence, struct error *err);

// A search (engine/sampling/beams.h) writes the one answer: its text comes as a whole. TOO_LONG:
// the context has no room for it.
MUST_CHECK enum status turn_search(struct turn *turn, struct sequence *sequence,
                                   const struct beams_options *options, struct error *err);

// True when *update has something to show.
bool turn_handle(struct answer *answer, const struct event *event, struct turn_update *update);

// Soon it is done, with what there is of each answer.
void turn_cancel(struct turn *turn);
void turn_set_background(struct turn *turn, bool background);

struct turn_report { // of one answer
    bool any;        // it was kept
    int32_t number;  // among all answers to its message, from 1: as chat_alternatives() has them
    enum message_stop stop;
    bool unfinished; // cut before it fits its grammar
    struct message_stats stats;
    struct answer_cache cache;
    int64_t message, parent; // ids in the store, or MESSAGE_NONE
    uint64_t seed;           // that it was sampled with
    bool knows_seed;         // else a server chose one, and keeps it to itself
    const char *text;        // the whole answer, with its thinking (thinking.h)
    size_t length;
};
bool turn_knows_seed(const struct answer *answer);
struct turn_report turn_answer(const struct turn *turn, int32_t index);
struct turn_report turn_first(const struct turn *turn); // the first that was kept

#endif
