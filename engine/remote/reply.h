// engine/remote/reply.h — what one event of a server's answer says.
//
// Reads a chunk of chat completions, or a whole one: text as a string or a list of parts, thoughts
// in the fields that servers have for them, refusals, calls of tools. Also completions with token
// ids (vLLM), llama-server's own completion, and SGLang's /generate; and failures in all the places
// where servers put them. Fields that it does not know, and those of another type than they should
// have, are as if they were not there.
//
// An event is parsed once, whatever the number of its choices. No string of it has the key.
//
// Memory: {0} is empty; owned.
#ifndef ENGINE_REMOTE_REPLY_H
#define ENGINE_REMOTE_REPLY_H

#include "engine/remote/secret.h"
#include "engine/request.h"
#include "engine/tokenizer/tokenizer.h"

struct reply {
    int64_t choice;            // which of the answers this is of
    struct text text, thought; // that are added
    struct text refusal;       // in place of a text
    struct text tool;          // that the model calls, or more of its name
    bool calls_tool;
    struct token_ids ids;
    bool whole;      // the text is all of the answer, not what is added
    bool cumulative; // the ids may begin with earlier ones: output_tokens says where they end
    bool finished;   // with `reason`
    bool filtered;   // the server ended the answer for what it says
    bool broken;     // the server ended it with an error of its own
    enum stop_reason reason;
    int64_t prompt_tokens, cached_tokens, output_tokens; // of the request; -1: not said
    bool failed; // the server gives up, and says why in `failure`
    struct text failure;
};

// Takes a reply, borrowed for the call. A failure ends the reading.
typedef enum status reply_take(void *user, const struct reply *reply);

// Hands out a reply for each choice of the event, one if it has none; the first one has the counts
// of tokens. BAD_INPUT: it is not a JSON object. TOO_LONG: it has too many values. Or what `take`
// returned.
MUST_CHECK enum status reply_read(const char *json, size_t length, const struct secret *secret,
                                  reply_take *take, void *user);
void reply_deinit(struct reply *reply); // leaves it empty

// What a server says of a failure, as one line without the key: the message of its error object, or
// else its text, of a page the title.
MUST_CHECK enum status reply_failure(const char *body, size_t length, const struct secret *secret,
                                     struct text *failure);

#endif
