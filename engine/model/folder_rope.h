// engine/model/folder_rope.h — how a config.json says that heads are rotated. Private to
// folder_config.c.
#ifndef ENGINE_FOLDER_ROPE_H
#define ENGINE_FOLDER_ROPE_H

#include "engine/model/folder_layout.h"
#include "engine/model/folder_reader.h"

// Reads the rotation.
void folder_rope_read(struct reader *reader);

// A figure of layers without a window. Newer files have these layer by layer, under a name of their
// `own`: {"5": {"head_dim": 16}}.
int64_t folder_rope_global_count(struct reader *reader, const char *key, const char *own,
                                 int64_t otherwise);

#endif
