// engine/remote/transfer.h — one request in flight: sent, retried, streamed, over.
//
//   transfer_begin ─► transfer_ask ─► (bytes come) ─► transfer_hear ─► over
//                        ▲                                  │
//                        └────── retry if no token came ────┘
//
// If the server supports choices, several answers to the same log share one exchange: the first
// transfer leads and requests them all. If the server returns fewer, the rest are requested one by
// one. If it refuses optional fields (optional_fields.h), the request is repeated without them, and
// the server's record remembers that.
//
// An exchange ends with its connection, or soon after its last answer. A stop reason ends an answer
// only if no more text follows: some servers send one with each piece. Bytes that are not events,
// or events that say nothing, are kept, to report what a server said instead of an answer.
//
// Embedded by the remote engine, {0} is free. Threads: the remote thread. The engine's lock is
// taken to add tokens to the log, and by the caller around transfer_begin() and transfer_end().
#ifndef ENGINE_REMOTE_TRANSFER_H
#define ENGINE_REMOTE_TRANSFER_H

#include "engine/remote/answer_text.h"
#include "engine/remote/event_stream.h"
#include "engine/remote/http.h"
#include "engine/remote/query.h"

struct reply;

struct remote_server { // how to talk to the server
    _Atomic int tries; // tries of the most recent exchange
    struct endpoint endpoint;
    enum query_form form;
    enum query_server kind;
    unsigned omits;  // fields it refuses (optional_fields.h)
    bool one_choice; // it does not support choices
    bool unlisted;   // it lists models, but not this one
    bool undecoded;  // its responses have a Content-Encoding that is none
};

struct transfer {
    struct request *request; // NULL: free
    struct remote_server *server;
    struct transfer *leader; // the one that requests it; NULL: itself
    struct transfer *next;   // next choice of the same exchange
    int32_t choice;          // index in the exchange
    unsigned omits;          // fields left out of the query
    struct exchange exchange;
    struct event_stream events;
    struct text body;          // of a response that is one JSON text, not a stream
    struct text words;         // of a response without events or success; key masked
    struct secret_reader hush; // masks the key in `words`
    bool is_body;              // the response goes to `body`
    bool is_cut;               // `body` is truncated: ignore its stop reason
    bool heard_event;          // one that was understood
    bool heard_unknown;        // one that was not
    bool ending;               // reading the held rest, perhaps half an event
    bool done;                 // the server said that it is done
    int64_t finished_us;       // when all answers had ended; 0: not yet
    int tries;
    bool said;        // the reason for a retry was logged
    bool asking;      // its handle is in the curl multi
    int64_t again_us; // time of the next try; 0: now
    int64_t asked_us; // time of the last try
    int64_t heard_us; // when the last byte arrived; 0: none yet
    bool begun;       // a token has arrived
    struct answer_text text;
    int64_t waits_us;           // since when its beginning is held back; 0: it is not
    int64_t pieces, characters; // received so far
    struct text refusal, tool;  // the model's refusal; the tool it calls
    bool calls_tool;
    bool finished; // the server ended the answer
    bool filtered; // by its content filter
    bool broken;   // by an error of its own
    bool cut;      // ended here: no more is wanted
    enum stop_reason reason;
    bool over;             // only transfer_end(), which reports, is left to do
    struct error err;      // why it failed; status OK: no failure
    bool resumable;        // it failed after its beginning, and might not the next time
    int64_t output_tokens; // by the server's count, else its events with text
    bool counted;          // output_tokens is the server's count
};

// With the engine's lock. `leader`: a transfer that has just begun and will request this answer
// too; NULL: it requests its own.
void transfer_begin(struct transfer *transfer, struct remote_server *server,
                    struct request *request, struct transfer *leader);

// Are both requests for the same log, with the same options except for the seed?
bool transfer_shares(const struct transfer *transfer, const struct request *request);

// Sends the request if it is time to.
void transfer_ask(struct transfer *transfer, CURLM *multi, int64_t now_us);

// Handles the end of the exchange, with curl's code.
void transfer_hear(struct transfer *leader, CURLM *multi, CURLcode code);

// Ends the transfer if it was cancelled, or if the server was silent for too long.
void transfer_watch(struct transfer *transfer, CURLM *multi, int64_t now_us);

// Reports the end of a transfer that is over, and frees it. With the engine's lock.
void transfer_end(struct transfer *transfer);

// Frees it without a report; NULL request is fine.
void transfer_drop(struct transfer *transfer, CURLM *multi);

#endif
