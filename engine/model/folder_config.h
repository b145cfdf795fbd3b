// engine/model/folder_config.h — reads a config.json. Private to the folder_*.c, folder.c and
// shape.c.
//
// Hugging Face's configurations describe the same quantities as GGUF's keys. Most become figures,
// by one line of a table each. config_read.h and the families read figures like the keys of a GGUF
// file. The lines for a kind of layer stand in its source (layer_part.h). Rotations and recurrences
// are read directly into their specs. A key that has no line but would change the answers is an
// error.
//
// Sources: the published configurations and documentation of transformers, model by model.
#ifndef ENGINE_FOLDER_CONFIG_H
#define ENGINE_FOLDER_CONFIG_H

#include <cjson/cJSON.h>

#include "engine/model/family.h"
#include "engine/model/folder_layout.h"
#include "kernels/base/text.h"

#define FOLDER_UNQUANTIZED                                                          \
    "quantized weights are not supported in a folder (expected F32, F16 or BF16); " \
    "use a GGUF file of the model"

// The family of its model_type. UNSUPPORTED: it is unknown; the message lists the known ones.
MUST_CHECK enum status folder_config_family(const cJSON *json, const char *path,
                                            const struct family **family, struct error *err);

// BAD_FILE and UNSUPPORTED name the key. `path` is for errors. *config is the caller's until
// folder_config_deinit(), but nothing is left after a failure.
MUST_CHECK enum status folder_config_read(const cJSON *json, const struct family *family,
                                          const char *path, struct folder_config *config,
                                          struct error *err);

// A gguf without tensors whose figures are the configuration's, which has to outlive it.
MUST_CHECK enum status folder_config_open(struct folder_config *config, const char *path,
                                          struct gguf **gguf, struct error *err);
void folder_config_deinit(struct folder_config *config);

#endif
