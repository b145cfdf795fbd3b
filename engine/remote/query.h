// engine/remote/query.h — what a server is asked: a log and its sampling as the JSON of its kind.
//
// A form is how a server is spoken to; the first takes messages, which are read from a log of bytes
// (byte_tokenizer.h), the others the log's own ids:
//
//   QUERY_MESSAGES   POST URL/chat/completions   any
//   QUERY_LLAMA      POST ROOT/completion        llama-server (tools/server/README.md)
//   QUERY_VLLM       POST URL/completions        vLLM: a prompt of ids, return_token_ids
//                                                (docs.vllm.ai, OpenAI-Compatible Server)
//   QUERY_SGLANG     POST ROOT/generate          SGLang: input_ids, output_ids (docs.sglang.io,
//                                                Sampling Parameters and Native APIs)
//
// Where it takes messages, what nobody has set of the sampling is left to the server, as it knows
// what its model likes. How a structure is wished for is the server's own; a schema for messages is
// OpenAI's response_format, strictly. Thoughts are never sent back, but for one that goes on.
#ifndef ENGINE_REMOTE_QUERY_H
#define ENGINE_REMOTE_QUERY_H

#include "engine/remote/answer_text.h"
#include "engine/request.h"
#include "kernels/base/text.h"

enum query_form { QUERY_MESSAGES, QUERY_LLAMA, QUERY_VLLM, QUERY_SGLANG };
enum query_server { SERVER_UNKNOWN, SERVER_LLAMA, SERVER_VLLM, SERVER_SGLANG };

struct query {
    enum query_form form;
    enum query_server server;
    const char *model; // "": whichever it has
    const char *salt;  // of the server's cache; "": none
    const int32_t *tokens;
    int32_t length;
    int32_t room;    // tokens that an answer has at most
    int32_t choices; // answers that are asked for
    unsigned omits;  // what the server refuses to know (optional_fields.h)
    const struct request_options *options;
};

// Where it is sent: behind the server's root, or its URL.
const char *query_path(enum query_form form, bool *of_root);

// Appends the request's body. *place: where the answer stands that goes on. UNSUPPORTED: a server
// cannot go on with an answer, or a thought, in a structure.
MUST_CHECK enum status query_write(const struct query *query, struct text *body,
                                   enum answer_state *place, struct error *err);

#endif
