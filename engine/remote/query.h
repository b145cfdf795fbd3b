// engine/remote/query.h — writes a log and its sampling options as the JSON request of each kind of
// server.
//
// A form is one way to talk to a server. The first sends messages, recovered from a log of bytes
// (byte_tokenizer.h); the others send the token ids of the log:
//
//   QUERY_MESSAGES   POST URL/chat/completions   any
//   QUERY_LLAMA      POST ROOT/completion        llama-server (tools/server/README.md)
//   QUERY_VLLM       POST URL/completions        vLLM: a prompt of ids, return_token_ids
//                                                (docs.vllm.ai, OpenAI-Compatible Server)
//   QUERY_SGLANG     POST ROOT/generate          SGLang: input_ids, output_ids (docs.sglang.io,
//                                                Sampling Parameters and Native APIs)
//
// With messages, sampling options that the user did not set are left to the server, which knows
// what suits its model. Each server has its own way to request a structure; a schema with messages
// uses OpenAI's response_format with strict. Thoughts are never sent back, except one that is being
// continued.
#ifndef ENGINE_REMOTE_QUERY_H
#define ENGINE_REMOTE_QUERY_H

#include "engine/core/request.h"
#include "engine/remote/answer_text.h"
#include "kernels/base/text.h"

enum query_form { QUERY_MESSAGES, QUERY_LLAMA, QUERY_VLLM, QUERY_SGLANG };
enum query_server { SERVER_UNKNOWN, SERVER_LLAMA, SERVER_VLLM, SERVER_SGLANG };

struct query {
    enum query_form form;
    enum query_server server;
    const char *model; // "": whichever the server has
    const char *salt;  // of the server's cache; "": none
    const int32_t *tokens;
    int32_t length;
    int32_t room;    // most tokens of an answer
    int32_t choices; // number of answers requested
    unsigned omits;  // fields the server refuses (optional_fields.h)
    const struct request_options *options;
};

// The path of the request, relative to the server's root (*of_root) or its URL.
const char *query_path(enum query_form form, bool *of_root);

// Appends the request's body. *place is the state of the answer being continued. UNSUPPORTED: the
// server cannot continue an answer, or a thought within a structure.
MUST_CHECK enum status query_write(const struct query *query, struct text *body,
                                   enum answer_state *place, struct error *err);

#endif
