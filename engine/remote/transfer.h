// engine/remote/transfer.h — one request on its way: asked, asked again, streamed, over.
//
//   transfer_begin ─► transfer_ask ─► (bytes come) ─► transfer_hear ─► over
//                        ▲                                  │
//                        └──── later, nothing has come yet ─┘
//
// Several answers to the same log are choices of one exchange where the server has them: the first
// transfer leads, and asks for all. A server that gives fewer is asked again for each of the rest;
// one that refuses what is optional (optional_fields.h) is asked without, and that is remembered.
//
// An exchange ends with its connection, or soon after its last answer has. Bytes that are no events
// are kept, so that a person can be told what a server says in place of an answer.
//
// Embedded by the remote engine, {0} is free. Threads: the remote one's. The engine's lock is taken
// where tokens are added to the log, and by the caller around transfer_begin() and transfer_end().
#ifndef ENGINE_REMOTE_TRANSFER_H
#define ENGINE_REMOTE_TRANSFER_H

#include "engine/internal.h"
#include "engine/remote/answer_text.h"
#include "engine/remote/event_stream.h"
#include "engine/remote/http.h"
#include "engine/remote/query.h"

struct reply;

struct remote_server { // how it is spoken to
    _Atomic int tries; // of the exchange that began last
    struct endpoint endpoint;
    enum query_form form;
    enum query_server kind;
    unsigned omits;  // what it refuses to know (optional_fields.h)
    bool one_choice; // it has no choices
    bool unlisted;   // it lists models, and not this one
};

struct transfer {
    struct request *request; // NULL: free
    struct remote_server *server;
    struct transfer *leader; // that asks for it; NULL: it asks itself
    struct transfer *next;   // choice of the same exchange
    int32_t choice;          // its number
    unsigned omits;          // of the query
    struct exchange exchange;
    struct event_stream events;
    struct text body;          // of an answer that is no stream, but one JSON text
    struct text words;         // of one that has no event, or is no success, without the key
    struct secret_reader hush; // of words
    bool is_body;              // it goes to `body`
    bool is_cut;               // which has no end: the reason in it is none
    bool heard_event;
    bool ending;         // what comes is what was held, perhaps half an event
    bool done;           // the server has said so
    int64_t finished_us; // when all answers had ended; 0: not yet
    int tries;
    bool said;        // why it is tried again
    bool asking;      // its handle is in `multi`
    int64_t again_us; // when it is asked for the next time; 0: at once
    int64_t asked_us; // and
    int64_t heard_us; // when the last byte came; 0: none yet
    bool begun;       // a token has come
    struct answer_text text;
    int64_t waits_us;           // since when its beginning has been held; 0: it is not
    int64_t pieces, characters; // that have come of it
    struct text refusal, tool;  // the model's; what it calls
    bool calls_tool;
    bool finished; // the server has ended the answer, with
    bool filtered; // for what it says, and
    bool broken;   // with an error of its own, and
    bool cut;      // here: nothing more of it is wanted
    enum stop_reason reason;
    bool over;             // all is done but transfer_end(), which reports
    struct error err;      // why it failed; status OK: it did not
    int64_t output_tokens; // as the server counts, else its events with text: most have one each
    bool counted;          // it does
};

// With the engine's lock. `leader`: one that has just begun, and will ask for this answer too;
// NULL: it asks itself.
void transfer_begin(struct transfer *transfer, struct remote_server *server,
                    struct request *request, struct transfer *leader);

// Do both requests want an answer to the same log, in the same way but for the seed?
bool transfer_shares(const struct transfer *transfer, const struct request *request);

// Asks the server, when it is time to.
void transfer_ask(struct transfer *transfer, CURLM *multi, int64_t now_us);

// The exchange is over, with curl's code.
void transfer_hear(struct transfer *leader, CURLM *multi, CURLcode code);

// Ends it where it was cancelled, or where nothing is heard for too long.
void transfer_watch(struct transfer *transfer, CURLM *multi, int64_t now_us);

// Reports the end of one that is over, and frees it. With the engine's lock.
void transfer_end(struct transfer *transfer);

// Frees it without a word; NULL request is fine.
void transfer_drop(struct transfer *transfer, CURLM *multi);

#endif
