// app/chat/session.h — what a process has once for all that it asks a model.
//
// The engine, the store, the chat template, the settings, every turn that is being written, and
// which chat is in front of the person. Nobody else takes the engine's events: session_next() hands
// each to the turn whose answer owns it, and says what has come of it.
//
//   turn_start ─► session_run ─► session_next … TURN_DONE
//                     └─► session_leave: nobody follows it any more ─► closed when it is done
//
// A turn that was left gives way to the others (engine/step/scheduler.h).
//
// Invariants, checked by session_check(): each active turn is in exactly one of the lists `running`
// and `ended`; `unfollowed_count` is the number of running turns that nobody follows.
//
// Threads: the UI's. Memory: a session owns its template and, if nothing is saved, its database;
// the rest is borrowed. Callers read its fields, and change the settings and the notes.
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "app/chat/structure.h"
#include "app/chat/transcript.h"
#include "app/chat/turn.h"
#include "prompts/template.h"
#include "store/conversation.h"
#include "store/model_source.h"

enum { SESSION_MAX_UNFOLLOWED = 16, SESSION_MAX_STEPS = 64 };

struct chat;

// The settings that /set changes; a change holds from the next turn on.
struct session_settings {
    struct sampler_options sampler;
    bool seed_given;    // sampler.seed is a person's; else each turn draws its own
    int32_t max_tokens; // of one answer; 0: until the context is full
    int32_t answers;    // to each message, written at once; 0: one
    int32_t speculate;  // tokens that may be guessed at once; 0: none
    int32_t beams;      // above 1: one answer, the best that a search of this width finds
    float length_penalty;
    bool early_stopping;   // these two are engine/sampling/beams.h's
    enum think_wish think; // whether the model is asked to
    bool titles;           // conversations without a name get a title of the model
};

// One way back that /redo can go forward again: it holds while the conversation's tip is `from`.
struct session_step {
    char conversation[CONVERSATION_ID_BYTES];
    int64_t from, to;
};

struct session {
    struct engine *engine;
    int event_fd; // readable while the engine has events
    const struct tokenizer *tokenizer;
    struct chat_template *chat_template;
    int32_t context; // tokens
    char remote[16]; // "messages" or "tokens" go to a server that has the model; "": it is here
    struct db *db, *own_db;
    int64_t model;           // the db's number
    int64_t source;          // the same of how it is opened (store/model_source.h); 0: not known
    struct hash128 identity; // of that one
    struct text preamble;    // of new conversations (prompts/preamble.h)
    bool one_shot;           // a question outside of a chat, as its conversation is marked
    struct session_settings settings;
    struct stops stops;
    struct stop_words stop_words; // that session_set_stops() was given
    struct structure structure;   // of a chat's answers
    transcript_progress *reading; // of stored conversations, by chats that are opened; or NULL
    void *reading_user;

    struct turn *running, *ended; // ended: done, and not yet reported
    int32_t unfollowed_count;
    struct text notes; // a line for each answer that ended unfollowed

    struct chat *front;
    char previous[CONVERSATION_ID_BYTES];         // the conversation that was left last, or ""
    struct session_step steps[SESSION_MAX_STEPS]; // the last is the newest
    size_t step_count;
};

struct session_options {
    struct engine *engine;             // borrowed
    struct db *db;                     // borrowed; NULL: nothing is saved (a database in memory)
    struct hash128 digest;             // of the model
    const struct model_source *source; // how it is opened, but for `model`; NULL: not known
    const char *preamble;              // of new conversations; "" or NULL: none; copied
    const char *chat_template;         // file or name in place of the model's own; NULL: that
    bool one_shot;                     // unnamed conversations are marked so
    struct session_settings settings;
    const char *const *stops; // strings that end an answer, NULL-terminated; borrowed; or NULL
};

// UNSUPPORTED: no template fits the model.
MUST_CHECK enum status session_open(const struct session_options *options, struct session **session,
                                    struct error *err);
void session_close(struct session *session); // when its chats are closed; NULL is fine

// What a person has set since, moved out of a session that is about to be closed, and into one with
// another model. UNSUPPORTED and the like: all but the structure, which says why.
struct session_changes {
    struct session_settings settings;
    enum structure_kind kind;
    struct text structure;
    struct stop_words stop_words;
    bool has_stop_words;
};
struct session_changes session_take_changes(struct session *session);
MUST_CHECK enum status session_make_changes(struct session *session,
                                            struct session_changes *changes, struct error *err);

// The stored conversation is held with this session's model from now on.
MUST_CHECK enum status session_hold(const struct session *session,
                                    struct conversation *conversation, struct error *err);

// Is it held with a model that answers otherwise?
MUST_CHECK enum status session_differs(const struct session *session,
                                       const struct conversation *conversation, bool *differs,
                                       struct error *err);

// What a turn's requests are asked with. Without a given seed one is drawn.
struct request_options session_request(const struct session *session);

// The turn has started: its updates come from session_next() until it is done.
void session_run(struct session *session, struct turn *turn);

// Waits up to timeout_ms for what comes next of a turn that is followed; false: nothing yet.
// TURN_DONE is a turn's last: its status and err say how it ended.
bool session_next(struct session *session, int timeout_ms, struct turn_update *update);

// Takes the events that are there, as far as nobody needs to see what comes of them.
void session_listen(struct session *session);

// Cancels the turn, if it runs, and waits for its end, which is not reported.
void session_finish(struct session *session, struct turn *turn);

// Nobody follows the turn any more, or somebody does again.
void session_leave(struct session *session, struct turn *turn);
void session_follow(struct session *session, struct turn *turn);

// Cancels the turns that were left and waits for their end.
void session_end_unfollowed(struct session *session);

// From now on these end answers, and none that the session was opened with. Typed as
// stop_words_read() has it; "": none.
MUST_CHECK enum status session_set_stops(struct session *session, const char *typed,
                                         struct error *err);

void session_check(const struct session *session);

#endif
