// engine/remote/remote.h — an engine whose tokens a server elsewhere computes.
//
// It has the face of any engine (engine.h): sequences are token logs, requests end in events. In
// place of the device and its thread it has connections, and one thread that serves them all:
//
//   a request ─► query.h ─► HTTP ─► event_stream.h ─► reply.h ─► tokens of the log, events
//
// Where the server takes token ids, and the vocabulary that `vocabulary` names is its own, the log
// is sent as it is, so that each request extends the last one to the token. Else it takes messages,
// and the log has their bytes (byte_tokenizer.h).
//
// A request is tried again, up to five times and as late as Retry-After says, until its first token
// has come; then what there is stays, and the request fails. There is no KV here: what a server
// found in its own cache is in the request's statistics.
//
// Threads: a request's tokens and its transfer are the remote thread's while it runs.
#ifndef ENGINE_REMOTE_REMOTE_H
#define ENGINE_REMOTE_REMOTE_H

#include "engine/remote/remote_options.h"
#include "engine/sampling/sampler.h"

struct engine;
struct engine_info;
struct remote;

// Asks the server what it has, and gives the engine its name, tokenizer, template and context. IO:
// no answer; BAD_INPUT: not a URL; UNSUPPORTED: it cannot do what is wished, or this quire was
// built without libcurl.
MUST_CHECK enum status remote_open(struct engine *engine, const struct remote_options *options,
                                   struct error *err);
void *remote_main(void *argument);        // the thread, with its engine
void remote_close(struct remote *remote); // after the thread; NULL is fine

void remote_info(const struct engine *engine, struct engine_info *info);

// Where the server takes messages: all is left to it that nobody sets (query.h).
struct sampler_options remote_sampler_defaults(void);

#endif
