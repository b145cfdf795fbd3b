// engine/remote/query.h — what a server is asked: a log and its sampling as the JSON of its kind.
//
// A form is how a server is spoken to; the first takes messages, which are read from a log of bytes
// (byte_tokenizer.h), the others the log's own ids:
//
//   QUERY_MESSAGES   POST URL/chat/completions   any
//   QUERY_LLAMA      POST ROOT/completion        llama-server
//   QUERY_VLLM       POST URL/completions        vLLM: a prompt of ids, return_token_ids
//
// What a sampler's option leaves alone (temperature 1, top-p 1, top-k 0, …) is left to the server
// where it takes messages, as it knows what its model likes.
#ifndef ENGINE_REMOTE_QUERY_H
#define ENGINE_REMOTE_QUERY_H

#include "engine/request.h"
#include "kernels/base/text.h"

enum query_form { QUERY_MESSAGES, QUERY_LLAMA, QUERY_VLLM };

struct query {
    enum query_form form;
    const char *model; // "": whichever it has
    const char *salt;  // of the server's cache; "": none
    const int32_t *tokens;
    int32_t length;
    const struct request_options *options;
};

// Appends the request's body. *thinking: the answer goes on within a thought.
MUST_CHECK enum status query_write(const struct query *query, struct text *body, bool *thinking);

#endif
