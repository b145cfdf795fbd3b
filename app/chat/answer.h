// app/chat/answer.h — one answer while the model writes it: turns tokens into text.
//
//   answer_begin ─► answer_start, or answer_place ─► answer_push, for each token ─► answer_end
//                                       └─► answer_show: the text that may be shown
//
// A turn has one answer, or several that are written at once, each in its own sequence. Text that
// may begin a stop string is held back until it cannot match. The tokens of a matched stop string
// are dropped, and everything after them is ignored.
//
// Embedded by its owner; {0} is empty. Memory: owns its text, which the next answer_begin() reuses.
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
    int64_t restore_us; // time to copy them to the device
};

struct answer {
    struct turn *turn;                 // the turn it belongs to
    struct sequence *sequence;         // borrowed; its owner sets it for answer_start()
    _Atomic(struct request *) request; // NULL when none runs
    atomic_bool cancelled;
    struct request_options options; // `owner` is this answer, so its events find it
    struct text text;               // the whole answer
    size_t shown;                   // bytes already given to the caller
    bool stop_matched;              // a stop string followed the text
    struct token_ids tokens;        // the sampled ones
    size_t *token_ends;             // [tokens.count] length of text after each
    size_t ends_capacity;
    size_t old_tokens, old_length; // of a continued answer, or of an opened thought
    struct detokenizer detokenizer;
    struct message_stats stats;
    struct answer_cache cache;
    struct draft_stats drafts;
    bool ended;
    enum stop_reason reason; // why, once ended
    bool unfinished;         // incomplete: its grammar requires more
    enum status status;      // OK, or why it failed
    bool kept;               // it has text, and its owner saved it
    int64_t message;         // its id in the store, or MESSAGE_NONE
};

void answer_begin(struct answer *answer, const struct tokenizer *tokenizer,
                  const struct request_options *options);

// Loads the text and ids of an unfinished answer to be continued. The continuation can complete its
// last character.
MUST_CHECK enum status answer_load(struct answer *answer, const struct message *so_far,
                                   const int32_t *ids, size_t count);

// Prepares to write the answer at the end of the sequence. If the sequence ends with an open
// thinking mark (thinking.h), the text begins with that mark.
MUST_CHECK enum status answer_place(struct answer *answer, struct sequence *sequence);

// Starts answers[count] in their sequences: all or none.
MUST_CHECK enum status answer_start(struct answer *answers, int32_t count);

// Adds a token. Cancels the request if that completes a stop string or fails.
void answer_push(struct answer *answer, const struct stops *stops, int32_t id);

// The text that may be shown now and has not been shown yet; borrowed. False: none.
bool answer_show(struct answer *answer, const struct stops *stops, const char **text,
                 size_t *length);

// Handles the request's DONE event and releases the request.
void answer_end(struct answer *answer, const struct event *event);

enum message_stop answer_stop(const struct answer *answer); // of an answer that has ended
bool answer_is_nothing(const struct answer *answer);        // interrupted before any text
size_t answer_shown_tokens(const struct answer *answer);    // tokens of the shown text
size_t answer_kept_tokens(const struct answer *answer);     // all, or those before the stop string
void answer_cancel(struct answer *answer);                  // its DONE follows soon
void answer_deinit(struct answer *answer);
void answer_check(const struct answer *answer);

#endif
