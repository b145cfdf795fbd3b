// app/chat/chat.h — what the files behind turn.h share; nobody else includes it.
//
//   chat.c          opening, and moving between conversations
//   chat_beside.c   a second chat, while the first one's answer is written
//   chat_head.c     the head: what it costs, who shares it
//   chat_kv.c       the chat's part of the cache: its sequence, its holder, its head
//   chat_shorten.c  a shorter fork: a summary, or nothing, for its old turns
//   chat_tree.c     moving in the tree: /tree, /redo, forks after an answer
//   turn.c          one question and its answers
//
// Between turns: the transcript is the path to the conversation's tip, and `sequence` holds
// its token log, or less than it when the log does not fit the context. A stored conversation
// holds the KV of its log by the number of its id.
#ifndef APP_CHAT_H
#define APP_CHAT_H

#include "app/chat/answer.h"
#include "app/chat/transcript.h"
#include "engine/sampling/beams.h"

enum turn_kind {
    TURN_ANSWER,  // to a new message
    TURN_ANOTHER, // beside the last answer
    TURN_LONGER,  // of the last answer
};

struct turn {
    bool active; // until TURN_DONE was handed out
    enum turn_kind kind;
    int64_t began_ms;              // since 1970
    int64_t tip_before;            // where a taken-back message leaves the tip
    size_t replies_to;             // messages of the transcript that the answers come after
    int64_t parent;                // the last of them
    int32_t answer_count;          // of chat.answers
    int32_t beside;                // answers to the same message that are older
    int32_t ended;                 // of those
    int32_t kept;                  // the first of them that is stored, or -1
    _Atomic(struct beams *) beams; // the one answer is searched; else NULL
    bool behind;                   // nobody is there to whom a message could be given back
    bool done;                     // TURN_DONE is next, with
    enum status status;
    struct error err;
};

// One way back that /redo can go forward again: it holds while the conversation's tip is `from`.
struct chat_step {
    char conversation[CONVERSATION_ID_BYTES];
    int64_t from, to;
};
enum { CHAT_MAX_STEPS = 64 }; // remembered; then the oldest go

struct chat {
    struct engine *engine;
    struct db *db;
    bool owns_db;
    const struct tokenizer *tokenizer;
    struct chat_template *chat_template;
    bool owns_template; // else the chat's that this one was opened beside
    int32_t context;
    struct text system; // of new conversations
    struct chat_settings settings;
    struct stops stops;

    struct conversation conversation;     // id "": not stored yet
    char previous[CONVERSATION_ID_BYTES]; // the one left last, or ""
    struct transcript transcript;
    struct sequence *sequence;
    bool head_pinned; // of the sequence
    struct text draft;
    struct turn turn;
    struct answer answers[CHAT_MAX_ANSWERS]; // of the turn, or of the last one
    bool answered;                           // that one is the last, and stored

    struct chat_step steps[CHAT_MAX_STEPS]; // the last is the newest
    size_t step_count;
};

// BUSY while an answer is being written.
MUST_CHECK enum status chat_check_idle(const struct chat *chat, struct error *err);

// Makes the sequence hold the log of the first `count` messages: what it shares with that stays,
// and a sequence that shares nothing is left. TOO_LONG with the numbers.
MUST_CHECK enum status chat_place(struct chat *chat, size_t count, struct error *err);

// The log of all messages. What does not fit the context now, or is not of this model, is logged:
// it can still be read, rewound and forked.
void chat_place_if_it_fits(struct chat *chat);

// An empty sequence instead of the current one, whose blocks are found again by their content.
void chat_leave_sequence(struct chat *chat);

// A fork of the current one in its place, so that its tail stays as it is.
void chat_split_sequence(struct chat *chat);

// The tokens of the system prompt are the head of many conversations. Once for each sequence, as
// soon as their KV is there.
void chat_pin_head(struct chat *chat);

// The sequence instead of the current one: moved in. The log is placed in it.
void chat_take_sequence(struct chat *chat, struct sequence *sequence);

// The conversation holds the KV of its log as it is now; one that is not stored holds nothing.
void chat_hold(struct chat *chat);

// Where the ids of the turn's answers begin in their sequences; and an answer as a message, whose
// text is the answer's.
size_t chat_log_begin(const struct chat *chat);
struct message chat_message_of(const struct chat *chat, const struct answer *answer);

// How many of the first tokens of a log depend on this head alone.
MUST_CHECK enum status chat_measure_head(const struct chat *chat, const char *head,
                                         struct token_ids *ids, struct error *err);

// Which message is the user's number `turn`, 1-based? BAD_INPUT.
MUST_CHECK enum status chat_find_turn(const struct transcript *transcript, int64_t turn,
                                      size_t *index, struct error *err);

// A question without its answer at the end leaves the transcript for the draft.
MUST_CHECK enum status chat_take_unanswered(struct transcript *transcript, struct text *draft);

// A fork of the current conversation that keeps its first `count` messages.
MUST_CHECK enum status chat_fork_keeping(struct chat *chat, size_t count, const char *name,
                                         struct error *err);

// The tip goes back from where it is to `from`.
void chat_note_step(struct chat *chat, int64_t from);

// Stores the conversation if it is not yet, and locks it.
MUST_CHECK enum status chat_make(struct chat *chat, const char *name, struct error *err);

#endif
