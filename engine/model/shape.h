// engine/model/shape.h — the shapes of well-known models, for benchmarks without a download.
#ifndef ENGINE_SHAPE_H
#define ENGINE_SHAPE_H

#include "engine/model/model_config.h"

struct shape {
    const char *name;
    const char *family; // general.architecture
    bool tied;          // is the output matrix the embedding?
    const char *config; // config.json as published, as far as it matters, with ' for "
};

const struct shape *shape_find(const char *name); // or NULL
const char *shape_names(void);                    // "llama-3-8b, …"

// What the shape says, as if it were a file's. NO_MEMORY; anything else is a mistake in the shape.
MUST_CHECK enum status shape_config(const struct shape *shape, struct model_config *config,
                                    struct error *err);

#endif
