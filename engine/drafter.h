// engine/drafter.h — which smaller model drafts, and what does it take?
#ifndef ENGINE_DRAFTER_H
#define ENGINE_DRAFTER_H

#include "engine/engine_options.h"

struct engine;

// How the engine of the smaller model at options->draft_path is to be opened: on a device of the
// same kind, and before the weights of the engine that it drafts for are placed, so that what it
// takes there is no longer free.
struct engine_options drafter_options(const struct engine *engine,
                                      const struct engine_options *options);

// Can engine->drafter, which was opened from `path`, draft for the engine? UNSUPPORTED: its ids
// mean other tokens.
MUST_CHECK enum status drafter_check(struct engine *engine, const char *path, struct error *err);
size_t drafter_device_bytes(struct engine *engine); // taken by the drafter; 0 without one

// Of an engine that drafts: the KV that its pool gets, and the longest context that it needs.
size_t drafter_kv_bytes(struct engine *drafter, int32_t context);

#endif
