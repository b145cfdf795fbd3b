// engine/model/shape.h — the shapes of well-known models, for benchmarks without a download.
//
// Figures from each model's published config.json.
#ifndef ENGINE_SHAPE_H
#define ENGINE_SHAPE_H

#include "engine/model/family.h"

struct shape {
    const char *name;
    const char *family;         // a row of family.h
    bool tied;                  // is the output matrix the embedding?
    struct model_config config; // as far as it is written out: shape_config() has the rest
    int32_t global_period;      // of mixed layers: each so many-th has no window
};

const struct shape *shape_find(const char *name); // or NULL
const char *shape_names(void);                    // "llama-3-8b, …"

// The whole configuration, with its family and what follows from the shape.
void shape_config(const struct shape *shape, struct model_config *config);

#endif
