// engine/model/config_read.h — a model's metadata, read through its family into a model_config.
#ifndef ENGINE_CONFIG_READ_H
#define ENGINE_CONFIG_READ_H

#include "engine/model/model_config.h"

// Reads and checks the keys. UNSUPPORTED names the family or feature that is not supported;
// BAD_FILE the key that is missing or out of range. `vocabulary` is left 0: it follows from the
// embedding tensor.
MUST_CHECK enum status model_config_read(const struct gguf *gguf, struct model_config *config,
                                         struct error *err);

// Is the tensor an encoder's, or a draft layer's that mtp.h does not read? Those are not loaded.
bool model_config_ignores(const struct model_config *config, struct gguf_string name);

#endif
