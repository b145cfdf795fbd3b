// app/chat/answer.h — one answer while it is written: tokens become text.
//
//   answer_begin ─► answer_start, or answer_place ─► answer_push, for each token ─► answer_end
//                                       └─► answer_show: what may be shown of it
//
// A turn has one, or several that are written at once, each in a sequence of its own. Stop strings
// are held back until they can no longer match; what the model writes after one is ignored, and the
// tokens that made it are not kept.
//
// Embedded by its owner, {0} is empty. Memory: the text is owned, and reused by the next begin.
// answer_cancel() is safe in a signal handler; the rest is the UI thread's.
#ifndef APP_ANSWER_H
#define APP_ANSWER_H

#include <stdatomic.h>

#include "app/chat/stops.h"
#include "engine/engine.h"
#include "engine/tokenizer/detokenizer.h"
#include "kernels/base/text.h"
#include "store/message.h"

struct answer_cache { // where the cached tokens of the prompt were found
    int64_t device_tokens, host_tokens, disk_tokens;
    int64_t restore_us; // spent on bringing them to the device
};

struct answer {
    struct turn *turn;                 // that it belongs to
    struct sequence *sequence;         // borrowed; its owner sets it for answer_start()
    _Atomic(struct request *) request; // NULL when none runs
    atomic_bool cancelled;
    struct request_options options; // its events carry this answer as their owner
    struct text text;               // of the whole answer
    size_t shown;                   // bytes of it that the caller has
    bool stop_matched;              // a stop string begins where text ends
    size_t *token_ends;             // [token_count] length of text after each sampled token
    int32_t *token_ids;             // [token_count]
    size_t token_count, token_capacity;
    size_t old_tokens, old_length; // of the answer that is continued, or of what the prompt began
    struct detokenizer detokenizer;
    struct message_stats stats;
    struct answer_cache cache;
    bool ended;
    enum stop_reason reason; // of one that ended
    bool unfinished;         // more must follow for it to fit its grammar
    enum status status;      // why it failed, if it did
    bool kept;               // it has text, and its owner has kept it
    int64_t message;         // its id in the store, or MESSAGE_NONE
};

void answer_begin(struct answer *answer, const struct tokenizer *tokenizer,
                  const struct request_options *options);

// Starts from the text and ids of an answer so far, so that the rest can complete its last
// character.
MUST_CHECK enum status answer_load(struct answer *answer, const struct message *so_far,
                                   const int32_t *ids, size_t count);

// The answer will be written at the sequence's end. If that is an opened thought (thinking.h), the
// text begins with it.
MUST_CHECK enum status answer_place(struct answer *answer, struct sequence *sequence);

// Starts answers [count] in their sequences, all at once or none.
MUST_CHECK enum status answer_start(struct answer *answers, int32_t count);

// Adds a token. If that completes a stop string or fails, the request is cancelled.
void answer_push(struct answer *answer, const struct stops *stops, int32_t id);

// What may be shown and has not been yet, borrowed. False: nothing.
bool answer_show(struct answer *answer, const struct stops *stops, const char **text,
                 size_t *length);

// The request is DONE: releases it.
void answer_end(struct answer *answer, const struct event *event);

enum message_stop answer_stop(const struct answer *answer); // of one that ended
bool answer_is_nothing(const struct answer *answer);        // interrupted before any text
size_t answer_shown_tokens(const struct answer *answer);    // those of what was shown
size_t answer_kept_tokens(const struct answer *answer);     // all, or those before a stop string
void answer_cancel(struct answer *answer);                  // its DONE comes soon
void answer_deinit(struct answer *answer);

#endif
