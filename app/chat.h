// app/chat.h — what the files behind turn.h share; nobody else includes it.
//
//   chat.c     opening, and moving between conversations
//   chat_kv.c  the chat's part of the cache: its sequence, its holder, its head
//   turn.c     one question and its answers
//
// Between turns: the transcript is the path to the conversation's tip, and `sequence` holds
// its token log, or less than it when the log does not fit the context. A stored conversation
// holds the KV of its log by the number of its id.
#ifndef APP_CHAT_H
#define APP_CHAT_H

#include "app/answer.h"
#include "app/transcript.h"
#include "engine/beams.h"

enum turn_kind {
    TURN_ANSWER,  // to a new message
    TURN_ANOTHER, // beside the last answer
    TURN_LONGER,  // of the last answer
};

struct turn {
    bool active; // until TURN_DONE was handed out
    enum turn_kind kind;
    int64_t tip_before;            // where a taken-back message leaves the tip
    size_t replies_to;             // messages of the transcript that the answers come after
    int64_t parent;                // the last of them
    int32_t answer_count;          // of chat.answers
    int32_t ended;                 // of those
    int32_t kept;                  // the first of them that is stored, or -1
    _Atomic(struct beams *) beams; // the one answer is searched; else NULL
    bool done;                     // TURN_DONE is next, with
    enum status status;
    struct error err;
};

struct chat {
    struct engine *engine;
    struct db *db;
    bool owns_db;
    const struct tokenizer *tokenizer;
    bool template_guessed;
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

// The conversation holds the KV of its log as it is now; one that is not stored holds nothing.
void chat_hold(struct chat *chat);

// Stores the conversation if it is not yet, and locks it.
MUST_CHECK enum status chat_make(struct chat *chat, const char *name, struct error *err);

#endif
