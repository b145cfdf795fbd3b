// app/chat.h — what the files behind turn.h share; nobody else includes it.
//
//   chat.c   opening, and moving between conversations
//   turn.c   one question and its answer
//
// Between turns: the transcript is the path to the conversation's tip, and `sequence` holds
// its token log, or less than it when the log does not fit the context.
#ifndef APP_CHAT_H
#define APP_CHAT_H

#include <stdatomic.h>

#include "app/shelf.h"
#include "app/stops.h"
#include "app/transcript.h"
#include "app/turn.h"
#include "engine/tokenizer/detokenizer.h"

enum turn_kind {
    TURN_ANSWER,  // to a new message
    TURN_ANOTHER, // beside the last answer
    TURN_LONGER,  // of the last answer
};

struct turn {
    bool active; // until TURN_DONE was handed out
    enum turn_kind kind;
    _Atomic(struct request *) request; // NULL when none runs
    atomic_bool cancelled;
    struct request_options options;
    int64_t tip_before; // where a taken-back message leaves the tip
    size_t replies_to;  // messages of the transcript that the answer comes after
    size_t old_tokens;  // LONGER: of the answer so far
    size_t old_length;  // LONGER: bytes of its text
    struct text text;   // of the whole answer
    size_t shown;       // bytes of it that the caller has
    bool stop_matched;  // a stop string begins where text ends
    size_t *token_ends; // [token_count] length of text after each sampled token
    size_t token_count, token_capacity;
    struct detokenizer detokenizer;
    struct message_stats stats;
    bool done; // TURN_DONE is next, with
    enum status status;
    struct error err;
};

struct chat {
    struct engine *engine;
    struct db *db;
    bool owns_db;
    const struct tokenizer *tokenizer;
    bool template_guessed;
    int32_t context, block_size;
    struct text system; // of new conversations
    struct chat_settings settings;
    struct stops stops;

    struct conversation conversation;     // id "": not stored yet
    char previous[CONVERSATION_ID_BYTES]; // the one left last, or ""
    struct transcript transcript;
    struct shelf shelf;
    struct sequence *sequence;
    struct text draft;
    struct turn turn;
    struct turn_report last;
};

// Makes the sequence hold the log of the first `count` messages. TOO_LONG with the numbers.
MUST_CHECK enum status chat_place(struct chat *chat, size_t count, struct error *err);

// Stores the conversation if it is not yet, and locks it.
MUST_CHECK enum status chat_make(struct chat *chat, const char *name, struct error *err);

#endif
