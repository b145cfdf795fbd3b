// engine/model/shape.h — the shapes of well-known models, for benchmarks without a download.
#ifndef ENGINE_SHAPE_H
#define ENGINE_SHAPE_H

#include "engine/model/model_config.h"

struct shape {
    const char *name;
    const char *family; // general.architecture
    bool tied;          // is the output matrix the embedding?
    const char *config; // config.json as published, as far as it matters, with ' for "
    int32_t layers;     // only that many, the first ones; 0: all
};

// "NAME", or "NAME:LAYERS" for a model that is cut, from 1 layer to all of them. False: there is
// none.
bool shape_find(const char *name, struct shape *shape);
const char *shape_names(void); // "llama-3-8b, …"

// What the shape says, as if it were a file's. NO_MEMORY; UNSUPPORTED or BAD_FILE where a
// family has no model of so few layers.
MUST_CHECK enum status shape_config(const struct shape *shape, struct model_config *config,
                                    struct error *err);

#endif
