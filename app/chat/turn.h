// app/chat/turn.h — one question and its answers while they are written.
//
//   turn_begin ─► turn_start or turn_search ─► session_run ─► turn_handle, for each of its events
//
// A turn knows tokens and text but not the store: its owner saves the answers, through turn_ops. A
// started turn is given to the session (session.h), which passes it events and moves it from state
// to state; whoever follows it reads updates there.
//
//   IDLE ──session_run──┬─► SIDE_QUESTION ──────────────────────────┐
//    ▲                  │                                           │
//    │                  └─► FOLLOWED ◄── session_leave, front ──► UNFOLLOWED
//    │                        │   │                                 │
//    │                        │   └─turn_abandon─► LEAVING ─────────┤ the last answer ends,
//    │                        └─────────────────────────────────────┤ and the owner saves it
//    │                                                              ▼
//    └───── its follower is told, or its owner closes it ───────  ENDED
//
//                    its updates go to   without an answer its message    its requests
//   FOLLOWED         session_next()      goes back to the user            wait like all others
//   LEAVING          session_next()      stays: the user is leaving       are cancelled
//   UNFOLLOWED       nobody              stays                            yield to others
//   SIDE_QUESTION    nobody              (the program asked)              yield to others
//
// Invariants, checked by turn_check(): (1) The first answer is written in the owner's sequence,
// each other one in a fork of it that the turn owns, until the owner takes it. Once ENDED, the turn
// has none. (2) It is running until all answers have ended: each of the others has a request, or a
// search writes it. (3) `kept` is the first answer that was kept, until the owner chooses another.
// Text that was shown is never taken back.
//
// Embedded by its owner. Memory: the owner keeps the answers, the first answer's sequence, and the
// stops.
// turn_cancel() is safe in a signal handler; the rest is the UI thread's.
#ifndef APP_TURN_H
#define APP_TURN_H

#include "app/chat/answer.h"
#include "engine/beams.h"

enum turn_state {
    TURN_IDLE, // not started, or over and reported
    TURN_FOLLOWED,
    TURN_LEAVING,
    TURN_UNFOLLOWED,
    TURN_SIDE_QUESTION,
    TURN_ENDED, // TURN_DONE was not delivered yet
};

enum turn_event { TURN_PREFILL, TURN_TEXT, TURN_DONE };

struct turn_update {
    struct turn *turn;
    enum turn_event event;
    int32_t answer;   // TEXT: which, from 0
    const char *text; // TEXT: complete characters, borrowed until the next update
    size_t length;
    int32_t tokens;      // TEXT: of the answer so far
    int32_t done, total; // PREFILL
};

// Callbacks of the turn's owner. Each may be NULL: without `keep` all that has text counts as kept.
struct turn_ops {
    // More was shown, and more follows. A failure is reported once (turn->trouble); the answer goes
    // on.
    enum status (*shown)(void *owner, struct answer *answer, struct error *err);
    enum status (*keep)(void *owner, struct answer *answer, struct error *err); // one with text
    enum status (*end)(void *owner, struct error *err); // all answers have ended
    void (*close)(void *owner);                         // nobody followed it to its end
};

struct turn {
    enum turn_state state;  // changed by turn_move() only
    struct turn *next;      // in the session's list
    struct answer *answers; // [answer_count]
    int32_t answer_count;
    int32_t ended;  // answers that have ended
    int32_t kept;   // index of the first answer that was kept, or -1
    int32_t older;  // earlier answers to the same message
    int64_t parent; // that message's id in the store, if it is stored
    struct engine *engine;
    const struct stops *stops;
    const struct turn_ops *ops; // or NULL
    void *owner;
    _Atomic(struct beams *) beams; // beam search for the only answer; else NULL
    bool hides_seed;               // a server chooses the seed and does not say which
    enum status status;            // OK, or why it failed, and
    struct error err;
    bool troubled;        // the call of `shown` has failed
    struct error trouble; // why; until the turn's follower has reported it
    bool resumable;       // it failed, but can be continued from what was kept
};

// Initialises the turn from *fresh: engine, stops, ops, owner, answers[answer_count], older and
// parent. The first answer uses the options *first, each further one the next seed.
void turn_begin(struct turn *turn, const struct turn *fresh, const struct request_options *first);

// Requests all answers at once. On failure none is written. If only some could be started, they are
// cancelled, and the turn fails once they have ended.
MUST_CHECK enum status turn_start(struct turn *turn, struct sequence *sequence, struct error *err);

// Writes the only answer by beam search (engine/beams.h); its text arrives all at once.
// TOO_LONG: it does not fit the context.
MUST_CHECK enum status turn_search(struct turn *turn, struct sequence *sequence,
                                   const struct beams_options *options, struct error *err);

// True when *update has something to show.
bool turn_handle(struct answer *answer, const struct event *event, struct turn_update *update);

// Moves the sequence of an answer after the first to the caller. Call it from the owner's `end`.
struct sequence *turn_take_fork(struct turn *turn, int32_t index);

// The turn is done soon, with what each answer has so far.
void turn_cancel(struct turn *turn);

// The same, when the user is leaving.
void turn_abandon(struct turn *turn);

// Moves the turn to its next state, and changes whether its requests yield to all others.
void turn_move(struct turn *turn, enum turn_state next);
bool turn_is_running(const struct turn *turn); // some of its answers are being written
void turn_check(const struct turn *turn);      // asserts that each field fits the state

struct turn_report { // of one answer
    bool any;        // the answer was kept
    int32_t number;  // index among all answers to its message, from 1, as in chat_alternatives()
    enum message_stop stop;
    bool unfinished; // cut before it matched its grammar
    struct message_stats stats;
    struct answer_cache cache;
    struct draft_stats drafts;
    int64_t message, parent; // ids in the store, or MESSAGE_NONE
    uint64_t seed;           // it was sampled with this seed
    bool knows_seed;         // false: a server chose a seed and did not say which
    const char *text;        // the whole answer, with its thinking (thinking.h)
    size_t length;
};
struct turn_report turn_answer(const struct turn *turn, int32_t index);
struct turn_report turn_first(const struct turn *turn); // the first answer kept

#endif
