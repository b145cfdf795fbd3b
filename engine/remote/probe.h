// engine/remote/probe.h — which model does a server have, and does it accept our tokens?
#ifndef ENGINE_REMOTE_PROBE_H
#define ENGINE_REMOTE_PROBE_H

#include "engine/remote/remote_options.h"
#include "engine/remote/transfer.h"

enum { PROBE_LOG_BYTES = 4 << 20 }; // most bytes of a log of messages; the server decides what fits

// Sets the server's form, kind and model, and the engine's name, tokenizer, template and context.
// Outcomes as for remote_open().
MUST_CHECK enum status probe_server(struct engine *engine, const struct remote_options *options,
                                    struct remote_server *server, struct error *err);

#endif
