// engine/remote/remote.h — an engine whose tokens a remote server computes.
//
// It has the same interface as any engine (engine.h): sequences are token logs, requests end in
// events. Instead of a device it has connections, and one thread that serves them all:
//
//   a request ─► query.h ─► HTTP ─► event_stream.h ─► reply.h ─► tokens of the log, events
//
// If the server takes token ids, and `vocabulary` names its model's vocabulary, the log is sent as
// it is, so that each request extends the last one token for token. Else the server gets messages,
// and the log holds their bytes (byte_tokenizer.h).
//
// Until its first token has arrived, a failed request is retried up to five times, after the delay
// that Retry-After asks for. After that a failure ends the request, which keeps its text so far.
// There is no KV here: a request's statistics say what the server found in its own cache.
//
// Threads: while a request runs, its tokens and its transfer belong to the remote thread.
#ifndef ENGINE_REMOTE_REMOTE_H
#define ENGINE_REMOTE_REMOTE_H

#include "engine/remote/remote_options.h"
#include "engine/sampling/sampler.h"

struct engine;
struct engine_info;
struct remote;

// Asks the server for its model, and sets the engine's name, tokenizer, template and context. IO:
// no response; BAD_INPUT: not a URL; UNSUPPORTED: the server cannot do what the options require, or
// quire was built without libcurl.
MUST_CHECK enum status remote_open(struct engine *engine, const struct remote_options *options,
                                   struct error *err);
void *remote_main(void *argument);        // the thread's main function; takes the engine
void remote_close(struct remote *remote); // after the thread has ended; NULL is fine

void remote_info(const struct engine *engine, struct engine_info *info);

// For servers that take messages: options that leave everything unset to the server (query.h).
struct sampler_options remote_sampler_defaults(void);

#endif
