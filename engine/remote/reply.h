// engine/remote/reply.h — what one event of a server's answer says.
//
// Reads a chunk of chat completions (text, and thoughts in `reasoning` or `reasoning_content`), of
// completions with token ids (vLLM), of llama-server's own completion, and of SGLang's /generate.
// Fields that it does not know, and those of another type than they should have, are as if they
// were not there.
//
// Memory: {0} is empty; owned.
#ifndef ENGINE_REMOTE_REPLY_H
#define ENGINE_REMOTE_REPLY_H

#include "engine/request.h"
#include "engine/tokenizer/tokenizer.h"

struct reply {
    size_t choices;            // that the event has
    int64_t choice;            // which of the answers this event belongs to
    struct text text, thought; // that are added
    struct token_ids ids;
    bool cumulative; // the ids may begin with earlier ones: output_tokens says where they end
    bool finished;   // with `reason`
    bool filtered;   // the server ended the answer for what it says
    enum stop_reason reason;
    int64_t prompt_tokens, cached_tokens, output_tokens; // of the request; -1: not said
    bool failed; // the server gives up, and says why in `failure`
    struct text failure;
};

// Fills an empty reply with the event's choice at `at`; the first one has the counts of tokens.
// BAD_INPUT: it is not a JSON object.
MUST_CHECK enum status reply_read(const char *json, size_t length, size_t at, struct reply *reply);
void reply_deinit(struct reply *reply); // leaves it empty

// What a server says of a failure: the message of its error object, or the first line of its text.
MUST_CHECK enum status reply_failure(const char *body, size_t length, struct text *failure);

#endif
