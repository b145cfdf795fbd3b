// app/chat/turn.h — one chat: where engine, store and prompts meet.
//
// A chat is the conversation that a person is in: its messages in the store, its token log in
// the engine, and the template between them. Everything that a command does to a conversation
// goes through here, so the interactive chat and one-shot use share one path and tests need no
// terminal.
//
// The order of a turn (promise P1): the user's message is in the store before the model sees
// it; tokens stream to the caller; the answer is in the store when chat_turn_* says DONE. An
// interrupted answer is stored with what it had.
//
// A chat keeps the sequence of the conversation it is in, and nothing else: the KV of others is
// found by its content. Each stored conversation holds what its log needs, from its last answer,
// fork or rewind on, so that it leaves the disk last.
//
// Threads: the UI's only. Memory: a chat owns all it hands out; texts are valid until the next
// call that changes the chat.
#ifndef APP_TURN_H
#define APP_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "kernels/base/text.h"
#include "prompts/template.h"
#include "store/conversation.h"

struct chat;

enum { CHAT_MAX_ANSWERS = ENGINE_MAX_REQUESTS }; // to one message at once

// The settings that /set changes; a change holds from the next turn on.
struct chat_settings {
    struct sampler_options sampler;
    bool seed_given;    // sampler.seed is a person's; else each turn draws its own
    int32_t max_tokens; // of one answer; 0: until the context is full
    int32_t answers;    // to each message, written at once; 0: one
    int32_t speculate;  // tokens that may be guessed at once; 0: none
    int32_t beams;      // above 1: one answer, the best that a search of this width finds
    float length_penalty;
    bool early_stopping;   // these two are engine/sampling/beams.h's
    enum think_wish think; // whether the model shall
};

struct chat_options {
    struct engine *engine; // borrowed
    struct db *db;         // borrowed; NULL: nothing is saved (a database in memory)
    struct hash128 digest; // of the model
    const char *system;    // system prompt of new conversations; "" or NULL: none; copied
    struct chat_settings settings;
    const char *const *stops; // strings that end an answer, NULL-terminated; borrowed; or NULL
};

// Opens at a new, empty conversation. UNSUPPORTED: no template fits the model.
MUST_CHECK enum status chat_open(const struct chat_options *options, struct chat **chat,
                                 struct error *err);
void chat_close(struct chat *chat); // NULL is fine

// A second chat with the same engine, store and settings, in another conversation, or (NULL) in a
// new one. BUSY: another chat, or another process, is in that one. Closed before the one that owns
// the database, if that is in memory.
MUST_CHECK enum status chat_open_beside(const struct chat *chat, const char *name_or_id,
                                        struct chat **beside, struct error *err);

// While an answer is written: a second chat, in a fork that ends with what there is of it.
MUST_CHECK enum status chat_fork_beside(const struct chat *chat, const char *name,
                                        struct chat **beside, struct error *err);

// The one that a person goes to instead of `from`: with its settings, its system prompt for new
// conversations, and the way back. What `from` owns for both, it owns from now on.
MUST_CHECK enum status chat_take_over(struct chat *chat, struct chat *from, struct error *err);

struct chat_settings *chat_settings(struct chat *chat);

// Where the chat is. A new conversation is stored with its first message, or as soon as it has
// a name; until then its id is "".
const struct conversation *chat_conversation(const struct chat *chat);
size_t chat_message_count(const struct chat *chat);
const struct message *chat_message(const struct chat *chat, size_t index); // from the root
const char *chat_system(const struct chat *chat);   // the head (prompts/head.h); "" if none
const char *chat_previous(const struct chat *chat); // id of the one that was left last, or ""
int64_t chat_turn_count(const struct chat *chat);   // user messages
const struct chat_template *chat_template_of(const struct chat *chat); // borrowed
struct sequence *chat_sequence(struct chat *chat); // the current one, never NULL; may be empty
struct db *chat_db(struct chat *chat);             // never NULL; borrowed

// Moving. Each releases the lock of the conversation that is left; on failure the chat is where
// it was. BUSY: an answer is being written, or another process has the conversation. A question
// that never got its answer (a crash, say) is given back into chat_draft() by a resume.
MUST_CHECK enum status chat_new(struct chat *chat, const char *name, struct error *err);
MUST_CHECK enum status chat_resume(struct chat *chat, const char *name_or_id, struct error *err);
MUST_CHECK enum status chat_fork(struct chat *chat, const char *name, struct error *err);

// Forks at turn N (1-based): before that user message, whose text goes to chat_draft().
MUST_CHECK enum status chat_fork_at(struct chat *chat, int64_t turn, const char *name,
                                    struct error *err);

// Forks any conversation, before turn N or (0) at its tip, and moves to the fork. The original
// is not locked: another process may have it.
MUST_CHECK enum status chat_fork_from(struct chat *chat, const char *name_or_id, int64_t turn,
                                      const char *name, struct error *err);

// Moves the tip `turns` exchanges back; the text of the first message left goes to *draft.
MUST_CHECK enum status chat_rewind(struct chat *chat, int64_t turns, struct text *draft,
                                   struct error *err);

// Forks after the answer to turn N.
MUST_CHECK enum status chat_fork_after(struct chat *chat, int64_t turn, const char *name,
                                       struct error *err);

// Forward again, after a rewind or a chat_go(), until something new is said: the way back of the
// last that led to here. NOT_FOUND: there is none.
MUST_CHECK enum status chat_redo(struct chat *chat, struct error *err);

// The tip goes to any message of the conversation's family (store/family.h), without deleting
// anything; at a user's message to before it, with its text in chat_draft(). NOT_FOUND.
MUST_CHECK enum status chat_go(struct chat *chat, int64_t message, struct error *err);

// The head: its tokens, where they are in the cache, and how many conversations have it, this one
// not counted.
struct chat_head {
    int32_t tokens, cached;
    int64_t others;
};
MUST_CHECK enum status chat_head(struct chat *chat, struct chat_head *head, struct error *err);

// The old turns give way, in a fork that the chat moves to; the original stays as it is. The fork
// has the head, the summary (NULL: none) as an exchange of its own, and the messages from number
// `keep_from`, a user's, on. Whole or not at all.
MUST_CHECK enum status chat_shorten(struct chat *chat, const char *summary, size_t keep_from,
                                    struct error *err);

// From which user's message on must be kept so that what is kept, `more` tokens and `spare` tokens
// fit the context? The first that does, or chat_message_count(): nothing fits but the head. At
// least one exchange is left out. TOO_LONG: not even the head and those fit.
MUST_CHECK enum status chat_keep_from(struct chat *chat, int32_t more, int32_t spare,
                                      size_t *keep_from, struct error *err);

int32_t chat_context(const struct chat *chat);                    // tokens it can have
size_t chat_log_tokens(const struct chat *chat, size_t messages); // of the first so many

// A chat with the first `count` messages of this one, in a database in memory: what is said in it
// leaves no trace. Closed before this one.
MUST_CHECK enum status chat_open_scratch(const struct chat *chat, size_t count,
                                         struct chat **scratch, struct error *err);
void chat_close_scratch(struct chat *scratch); // NULL is fine

// The conversation starts anew under this head (prompts/head.h): a new conversation when the
// current one has turns already.
MUST_CHECK enum status chat_set_system(struct chat *chat, const char *head, struct error *err);
MUST_CHECK enum status chat_rename(struct chat *chat, const char *name, struct error *err);

// Brings what is cached of the conversation to the device, before the next turn needs it: after a
// move, if the caller wants to say what that took. As sequence_restore().
void chat_restore(struct chat *chat, int timeout_ms, struct restore_report *report);

// Deletes the KV that only this conversation needs, of which nothing else is lost. NOT_FOUND.
MUST_CHECK enum status chat_strip(struct chat *chat, const char *name_or_id,
                                  struct conversation *stripped, uint32_t *blocks,
                                  struct error *err);

// How many tokens a user message would add, and how many are free. For warnings before sending.
MUST_CHECK enum status chat_measure(struct chat *chat, const char *text, size_t length,
                                    int32_t *tokens, int32_t *free_tokens, struct error *err);

// Begins a turn: stores the message, starts the request. TOO_LONG, with the numbers and nothing
// stored, when message and one token of answer do not fit. Then call chat_turn_next until DONE.
//
// Several answers are written at once, over the same cached past, with the seeds seed, seed + 1, …:
// each is as it would be alone with its seed. FULL says how many the cache has room for, before
// anything is stored. All are stored, each when it ends, and the tip is the first of them;
// chat_choose() moves it to another.
MUST_CHECK enum status chat_send(struct chat *chat, const char *text, size_t length,
                                 struct error *err);
// New answers beside the last one, which stays. BAD_INPUT when there is none to replace.
MUST_CHECK enum status chat_regenerate(struct chat *chat, int32_t answers, struct error *err);
// Another by a search of this width, 2 to BEAMS_MAX_WIDTH: its text comes as a whole.
MUST_CHECK enum status chat_search(struct chat *chat, int32_t width, struct error *err);
// Goes on with a cut or interrupted answer. BAD_INPUT when the last answer is complete.
MUST_CHECK enum status chat_continue(struct chat *chat, struct error *err);

enum turn_event { TURN_WAIT, TURN_PREFILL, TURN_TEXT, TURN_DONE };

struct turn_progress {
    int32_t answer;   // TEXT: which, from 0
    const char *text; // TEXT: complete characters, borrowed until the next call
    size_t length;
    int32_t tokens;      // TEXT: of the answer, up to here
    int32_t done, total; // PREFILL
};

// Waits up to timeout_ms for what comes next. TURN_WAIT: nothing yet. Stop strings are held
// back until they can not match. TURN_DONE: the answer is stored (see chat_last), or *status
// and err say why not; what was typed is stored in any case.
enum turn_event chat_turn_next(struct chat *chat, int timeout_ms, struct turn_progress *progress,
                               enum status *status, struct error *err);

// The same for several chats of one engine, whose events come in one queue: is this one the chat's;
// what comes of it (WAIT: nothing to show); and is the turn over, as DONE says it?
bool chat_owns(struct chat *chat, const struct event *event);
enum turn_event chat_turn_take(struct chat *chat, const struct event *event,
                               struct turn_progress *progress);
bool chat_turn_ended(struct chat *chat, enum status *status, struct error *err);

// Stops the turn soon; safe in a signal handler. Stopped in prefill or before any text: the user
// message is taken back into chat_draft(), and the tip is where it was.
void chat_cancel(struct chat *chat);
// Its requests give way to those of others, or no longer; and a message that gets no answer is
// given back by a later resume, not by the turn.
void chat_set_background(struct chat *chat, bool background);
const char *chat_draft(const struct chat *chat); // "" unless a turn or resume gave text back
bool chat_running(const struct chat *chat);

struct turn_cache { // where the cached tokens of a prompt were found
    int64_t device_tokens, host_tokens, disk_tokens;
    int64_t restore_us; // that bringing them to the device took
};

struct turn_report { // of one answer of the last turn
    bool any;        // it was stored
    int32_t number;  // among all answers to its message, from 1: as chat_alternatives() has them
    enum message_stop stop;
    struct message_stats stats;
    struct turn_cache cache;
    int64_t message, parent; // ids in the store
    uint64_t seed;           // that the turn was sampled with
    const char *text;        // the whole answer, with its thinking (thinking.h)
    size_t length;
};
struct turn_report chat_last(const struct chat *chat); // the first that was stored

// Answers of the turn, while it is written and until the next; and each of them.
int32_t chat_answer_count(const struct chat *chat);
struct turn_report chat_answer(const struct chat *chat, int32_t index);

// All answers to the message that the last one replies to, by their numbers: *answers is the
// caller's (message_path_free), *current the one that the conversation has. BAD_INPUT: there is
// none.
MUST_CHECK enum status chat_alternatives(struct chat *chat, struct message **answers, size_t *count,
                                         size_t *current, struct error *err);

// The conversation has this one of them from now on. NOT_FOUND: it is none.
MUST_CHECK enum status chat_choose(struct chat *chat, int64_t answer, struct error *err);

#endif
