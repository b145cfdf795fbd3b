// engine/model/folder_rope.h — reads from a config.json how heads are rotated. Private to
// folder_config.c.
#ifndef ENGINE_FOLDER_ROPE_H
#define ENGINE_FOLDER_ROPE_H

#include "engine/model/folder_layout.h"
#include "engine/model/folder_reader.h"

// Fills the rotation of reader->config: `rope`, `pairs`, and the divisors that some kinds of
// scaling have, which the config owns. States keys for what is not part of `rope`. Errors go to the
// reader.
void folder_rope_read(struct reader *reader);

// Reads a count that belongs to layers without a window: `key`, or `otherwise` if that is missing.
// In newer files per_layer_config has it for each layer, under the name `own`: {"5": {"head_dim":
// 16}}.
int64_t folder_rope_global_count(struct reader *reader, const char *key, const char *own,
                                 int64_t otherwise);

#endif
