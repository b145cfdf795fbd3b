// app/chat/transcript.h — the messages of a conversation from its root, and their exact tokens.
//
// The token log is what the model has read and written: the ids of the messages, concatenated.
//
//   system     the preamble (prompts/preamble.h); no ids of its own: it is rendered with the first
//              user message
//   user       the end of the message before it, the message, and the prompt for an answer
//   assistant  the sampled ids, including the end of turn if the model produced it
//
// Nothing is tokenized twice for the same model, unless the chat template renders an earlier turn
// differently once the next one begins (it drops the thinking from an answer, or moves the system
// prompt). Then the user message's ids begin with a cut (store/message.h). Removing that message
// restores what it cut.
//
// Four places hold such ids:
//
//   the store              each message's, for good: a question's before the model sees them, an
//                          answer's when it ends
//   `log`                  the path's, copied from the store or when storing them
//   the chat's sequence    the same, or none if they do not fit the context
//   answer.tokens          the answer's, as they arrive
//
// The store is the truth, but for an answer that is being written: that grows in its sequence, and
// answer.tokens follows with what the user may see, which is stored once a second for the case of a
// crash. When the answer ends, what is kept of the sequence goes to the store and then to the log.
//
// Invariants, checked by transcript_check(): the ranges of the messages follow one another, each
// after what it cut, and end with the log; each message is the parent of the next.
//
// Embedded by its owner. Memory: owned; the tokenizer and the template are borrowed.
#ifndef APP_TRANSCRIPT_H
#define APP_TRANSCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "engine/tokenizer/tokenizer.h"
#include "prompts/template.h"
#include "store/message.h"

struct transcript_entry {
    struct message message;
    size_t log_begin, log_end; // range of its ids in the log
    struct token_ids cut;      // the ids that it removed from the log at log_begin
};

// Reports how many of the messages have been tokenized; returning false stops. The last call has
// done == total even if tokenizing failed.
typedef bool transcript_progress(void *user, size_t done, size_t total);

struct transcript {
    const struct tokenizer *tokenizer;
    const struct chat_template *chat_template;
    int64_t model; // the db's number of the model whose ids these are
    enum think_wish think;
    transcript_progress *progress; // or NULL
    void *progress_user;
    struct transcript_entry *entries;
    size_t count, capacity;
    struct token_ids log;
};

// An empty transcript with the settings of `like`.
struct transcript transcript_like(const struct transcript *like);
void transcript_deinit(struct transcript *transcript); // leaves it empty

// Fills an empty transcript with the path to `tip`. Messages that this model has not read yet are
// rendered together if the template allows telling them apart, else one by one; their ids are
// stored a few hundred messages at a time. On failure the transcript is empty, but ids already
// stored stay. CANCELLED: `progress` returned false.
MUST_CHECK enum status transcript_load(struct transcript *transcript, struct db *db, int64_t tip,
                                       struct error *err);

// The ids that a user message would add, possibly after a cut. In an empty transcript the preamble
// `system` ("": none) comes first. Templates see the date of the first message.
MUST_CHECK enum status transcript_render(const struct transcript *transcript, const char *system,
                                         const char *text, size_t length, struct token_ids *ids,
                                         struct error *err);

// How many ids of the log remain when `ids` are pushed, and how many are added.
size_t transcript_kept(const struct transcript *transcript, const struct token_ids *ids);
size_t transcript_added(const struct token_ids *ids);

// Moves *message in and copies its ids; on failure *message stays the caller's. BAD_FILE: the cut
// is past the end of the log.
MUST_CHECK enum status transcript_push(struct transcript *transcript, struct message *message,
                                       const int32_t *ids, size_t count);

// Keeps only the first `count` messages.
void transcript_cut(struct transcript *transcript, size_t count);

// Appends to *log the log of a transcript that ends after its first `count` messages.
MUST_CHECK enum status transcript_log_of(const struct transcript *transcript, size_t count,
                                         struct token_ids *log);

int64_t transcript_tip(const struct transcript *transcript);   // MESSAGE_NONE when empty
int64_t transcript_turns(const struct transcript *transcript); // user messages

// The index of user message number `turn`, from 1. BAD_INPUT: no such turn.
MUST_CHECK enum status transcript_find_turn(const struct transcript *transcript, int64_t turn,
                                            size_t *index, struct error *err);

// How many ids of the log belong to the first `count` messages and were not cut by later ones.
size_t transcript_standing(const struct transcript *transcript, size_t count);

// The same when no later message has cut into them.
size_t transcript_log_end(const struct transcript *transcript, size_t count);

void transcript_check(const struct transcript *transcript);

#endif
