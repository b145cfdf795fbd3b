// app/chat/transcript.h — the messages from the root to here, and their exact tokens.
//
// The token log is what the model has read and written: the ids of each message, one after the
// other.
//
//   system     the preamble (prompts/preamble.h); no ids of its own: it is rendered with the first
//              user message
//   user       what closes the message before it, the message, and the prompt for an answer
//   assistant  the sampled ids, including the end of turn if the model wrote it
//
// Nothing is tokenised twice for the same model, unless the chat template renders an earlier turn
// differently once the next one has begun (it drops the thinking from an answer, or
// moves the system prompt). Then the user message's ids begin with a cut
// (store/message.h). What it takes away comes back when its message goes.
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
    size_t log_begin, log_end; // its ids in the log
    struct token_ids cut;      // what it removed from the log, from log_begin on
};

// Hears how many of the messages to be read are read; false: no more of them. The last call has
// done == total, also where reading failed.
typedef bool transcript_progress(void *user, size_t done, size_t total);

struct transcript {
    const struct tokenizer *tokenizer;
    const struct chat_template *chat_template;
    int64_t model; // the db's number of the model that the ids belong to
    enum think_wish think;
    transcript_progress *progress; // or NULL
    void *progress_user;
    struct transcript_entry *entries;
    size_t count, capacity;
    struct token_ids log;
};

// Empty, for the same model as `like`.
struct transcript transcript_like(const struct transcript *like);
void transcript_deinit(struct transcript *transcript); // leaves it empty

// Fills an empty transcript with the path to `tip`. Messages that this model has not read yet are
// rendered at once where the template lets them be told apart, else one by one; their ids are
// stored a few hundred at a time. On failure it is empty, and what was stored stays. CANCELLED by
// the progress.
MUST_CHECK enum status transcript_load(struct transcript *transcript, struct db *db, int64_t tip,
                                       struct error *err);

// The ids that a user message would add, possibly after a cut. If there is no message yet, the
// preamble `system` ("": none) comes before it. The date is that of the first message.
MUST_CHECK enum status transcript_render(const struct transcript *transcript, const char *system,
                                         const char *text, size_t length, struct token_ids *ids,
                                         struct error *err);

// How many ids of the log stay when these are pushed, and how many are added.
size_t transcript_kept(const struct transcript *transcript, const struct token_ids *ids);
size_t transcript_added(const struct token_ids *ids);

// Moves *message in, with a copy of its ids; on failure it stays the caller's. BAD_FILE: the cut is
// beyond the log's end.
MUST_CHECK enum status transcript_push(struct transcript *transcript, struct message *message,
                                       const int32_t *ids, size_t count);

// Keeps the first `count` messages.
void transcript_cut(struct transcript *transcript, size_t count);

// The log as it was when the transcript ended with its first `count` messages: appended to *log.
MUST_CHECK enum status transcript_log_of(const struct transcript *transcript, size_t count,
                                         struct token_ids *log);

int64_t transcript_tip(const struct transcript *transcript);   // MESSAGE_NONE when empty
int64_t transcript_turns(const struct transcript *transcript); // messages of the user

// The index of the user's message number `turn`, from 1. BAD_INPUT: there is none.
MUST_CHECK enum status transcript_find_turn(const struct transcript *transcript, int64_t turn,
                                            size_t *index, struct error *err);

// How many ids of the log belong to the first `count` messages, without what later ones have cut.
size_t transcript_standing(const struct transcript *transcript, size_t count);

// The same, where no later message has cut into them.
size_t transcript_log_end(const struct transcript *transcript, size_t count);

#endif
