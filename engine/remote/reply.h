// engine/remote/reply.h — parses one event of a server's response.
//
// Reads chunks of chat completions, or whole ones: text as a string or a list of parts, thoughts in
// the fields that servers use for them, refusals, tool calls. Also completions with token ids
// (vLLM), llama-server's own completion, SGLang's /generate, and failures in all the places where
// servers put them. Unknown fields, and fields of the wrong type, are ignored.
//
// An event is parsed once, however many choices it has. No string in a reply contains the key.
//
// Memory: {0} is empty; owned.
#ifndef ENGINE_REMOTE_REPLY_H
#define ENGINE_REMOTE_REPLY_H

#include "engine/core/request.h"
#include "engine/remote/secret.h"
#include "engine/tokenizer/tokenizer.h"

struct reply {
    int64_t choice;            // index of the answer
    struct text text, thought; // added by this event
    struct text refusal;       // instead of text
    struct text tool;          // name of the tool called, or more of that name
    bool calls_tool;
    struct token_ids ids;
    bool whole;      // the text is the whole answer, not an addition
    bool cumulative; // ids may include earlier ones; output_tokens is the total
    bool finished;   // with `reason`
    bool filtered;   // ended by the server's content filter
    bool broken;     // ended by an error of the server
    enum stop_reason reason;
    bool unknown;                                        // nothing in the event was understood
    int64_t prompt_tokens, cached_tokens, output_tokens; // of the request; -1: not given
    bool failed;                                         // the server gave up; `failure` says why
    struct text failure;
};

// Receives a reply, borrowed for the call. A failure ends reply_read().
typedef enum status reply_take(void *user, const struct reply *reply);

// Calls `take` with a reply for each choice of the event, or once if it has none. The first has the
// token counts. BAD_INPUT: not a JSON object. BAD_FILE: an object has two texts by one name.
// TOO_LONG: too many values. Or what `take` returned.
MUST_CHECK enum status reply_read(const char *json, size_t length, const struct secret *secret,
                                  reply_take *take, void *user);
void reply_deinit(struct reply *reply); // leaves it empty

// A server's explanation of a failure as one line without the key: the message of its error object,
// else the title of an HTML page, else the text.
MUST_CHECK enum status reply_failure(const char *body, size_t length, const struct secret *secret,
                                     struct text *failure);

#endif
