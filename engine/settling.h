// engine/settling.h — which of the files' bytes move into huge pages, and with how much memory?
//
// The engine calls this once, when its memory is allocated. From then on its thread of
// kernels/huge_pages.h may work, at a pace that steps set; engine_close() stops it before files
// close.
#ifndef ENGINE_SETTLING_H
#define ENGINE_SETTLING_H

#include "engine/engine_options.h"

struct engine;

// Nothing where the backend has copies of its own, or the engine has no file.
void settling_start(struct engine *engine, const struct engine_options *options);

#endif
