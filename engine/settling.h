// engine/settling.h — which bytes of the model's files move into huge pages, in how much memory?
//
// Called once, after the engine has allocated its memory. From then on a thread
// (kernels/huge_pages.h) moves weights, at a pace that depends on the engine's steps.
// engine_close() stops it before the files are closed.
#ifndef ENGINE_SETTLING_H
#define ENGINE_SETTLING_H

#include "engine/engine_options.h"

struct engine;

// Does nothing if the backend has copies of its own, or the engine has no file.
void settling_start(struct engine *engine, const struct engine_options *options);

#endif
