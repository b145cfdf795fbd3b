// app/chat/session.h — what one process shares among all its chats with a model.
//
// The engine, the store, the chat template, the settings, the active turns, and the chat in front.
// Only the session takes the engine's events: session_next() passes each to the turn whose answer
// owns it and returns the resulting update.
//
//   turn_start ─► session_run ─► session_next … TURN_DONE
//                     └─► session_leave: nobody follows it any more ─► closed when done
//
// turn.h draws the states of a turn. One that nobody follows yields to the others
// (engine/step/scheduler.h).
//
// Invariants, checked by session_check(): `turns` are those that are not idle, each as turn_check()
// wants it; at most SESSION_MAX_UNFOLLOWED are unfollowed.
//
// Threads: the UI's. Memory: a session owns its template and, if nothing is saved, its database;
// the rest is borrowed. Callers may read its fields, and change `settings` and `notes`.
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "app/chat/past.h"
#include "app/chat/structure.h"
#include "app/chat/transcript.h"
#include "app/chat/turn.h"
#include "prompts/template.h"
#include "store/conversation.h"
#include "store/model_source.h"

enum { SESSION_MAX_UNFOLLOWED = 16, SESSION_MAX_STEPS = 64 };

struct chat;

// Where drafts may come from (engine/draft/draft.h). AUTO: from every source there is.
enum draft_wish { DRAFT_AUTO, DRAFT_OFF, DRAFT_FROM_HISTORY, DRAFT_BY_HEAD };

// The settings that /set changes; a change takes effect with the next turn.
struct session_settings {
    struct sampler_options sampler;
    bool seed_given;    // the user chose sampler.seed; else each turn draws one
    int32_t max_tokens; // per answer; 0: until the context is full
    int32_t answers;    // answers per message, written at once; 0: one
    enum draft_wish draft;
    int32_t speculate; // most tokens drafted at once; 0: none
    int32_t beams;     // above 1: beam width; the best beam is the only answer
    float length_penalty;
    bool early_stopping;   // both as in engine/beams.h
    enum think_wish think; // whether the model is asked to think
    bool titles;           // let the model title unnamed conversations
};

// A step back that /redo can reverse while the conversation's tip is `from`.
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
    char remote[16]; // what goes to the model's server, "messages" or "tokens"; "": a local model
    struct db *db, *own_db;
    int64_t model;           // the db's number
    int64_t source;          // the db's number of its source (store/model_source.h); 0: unknown
    struct hash128 identity; // of that source
    struct text preamble;    // for new conversations (prompts/preamble.h)
    bool one_shot;           // a question outside a chat: marks new conversations
    struct session_settings settings;
    struct stops stops;
    struct stop_words stop_words; // from session_set_stops()
    struct structure structure;   // of answers in chats
    transcript_progress *reading; // progress of loading stored conversations, or NULL
    void *reading_user;

    struct past past; // what drafts may come from

    struct turn *turns; // those that are not idle
    struct text notes;  // one line per answer that ended unfollowed

    struct chat *front;
    struct chat *unsaved;                 // chats left with an answer that could not be stored
    char previous[CONVERSATION_ID_BYTES]; // the conversation left last, or ""
    struct session_step steps[SESSION_MAX_STEPS]; // newest last
    size_t step_count;
};

struct session_options {
    struct engine *engine;             // borrowed
    struct db *db;                     // borrowed; NULL: nothing is saved (a database in memory)
    struct hash128 digest;             // of the model
    const struct model_source *source; // how it was opened, `model` unset; NULL: unknown
    const char *preamble;              // for new conversations; "" or NULL: none; copied
    const char *chat_template;         // file or name that replaces the model's own; NULL: none
    bool one_shot;                     // mark unnamed conversations as one-shot
    struct session_settings settings;
    const char *const *stops; // strings that end an answer, NULL-terminated; borrowed; or NULL
};

// UNSUPPORTED: no template fits the model.
MUST_CHECK enum status session_open(const struct session_options *options, struct session **session,
                                    struct error *err);
void session_close(struct session *session); // close its chats first; NULL is fine

// Carries the user's settings from a session that is about to close to one with another model. On
// UNSUPPORTED and the like everything but the structure was applied; the error says why not.
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

// Stores that the conversation continues with the model that is open here.
MUST_CHECK enum status session_hold(const struct session *session,
                                    struct conversation *conversation, struct error *err);

// Sets *differs if the conversation uses a model that answers differently.
MUST_CHECK enum status session_differs(const struct session *session,
                                       const struct conversation *conversation, bool *differs,
                                       struct error *err);

// Lets a request draft up to `most` tokens at once, from where `wish` says.
void session_set_drafts(struct request_options *options, enum draft_wish wish, int32_t most);

// The options for a turn's requests. Draws a seed unless the user chose one.
struct request_options session_request(const struct session *session);

// Registers a started turn. FOLLOWED: session_next() returns its updates until it is done.
// SIDE_QUESTION: nobody sees them, not even TURN_DONE.
void session_run(struct session *session, struct turn *turn, enum turn_state state);

// Waits up to timeout_ms for the next update of a followed turn; false: none yet. TURN_DONE is a
// turn's last update: its status and err say how it ended.
bool session_next(struct session *session, int timeout_ms, struct turn_update *update);

// Reads up to `answers` stored answers that drafts may come from, unless drafting is off.
void session_read_past(struct session *session, int answers);

// Handles pending events without waiting and drops their updates: call it only while nobody needs
// to see them.
void session_listen(struct session *session);

// Abandons the turn if it is running, and waits for its end, which is not reported.
void session_finish(struct session *session, struct turn *turn);

// Stops following the turn.
void session_leave(struct session *session, struct turn *turn);
int32_t session_unfollowed(const struct session *session); // turns that nobody follows

// Cancels the turns that nobody follows and waits for their end.
void session_end_unfollowed(struct session *session);

// Replaces all stop strings, including those the session was opened with. `typed` is in the format
// of stop_words_read(); "": none.
MUST_CHECK enum status session_set_stops(struct session *session, const char *typed,
                                         struct error *err);

void session_check(const struct session *session);

#endif
