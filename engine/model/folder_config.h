// engine/model/folder_config.h — a config.json in the words of GGUF. Private to folder.c.
//
// Hugging Face's configurations name the same quantities as GGUF's keys do. Each is translated by
// a line of a table; what has no line but would change the answers is refused. The result is the
// bytes of a GGUF file with keys and no tensors, so that family.h reads both alike.
//
// Sources: the published configurations and documentation of transformers, model by model.
#ifndef ENGINE_FOLDER_CONFIG_H
#define ENGINE_FOLDER_CONFIG_H

#include <cjson/cJSON.h>

#include "engine/model/family.h"
#include "engine/model/folder_layout.h"
#include "kernels/base/text.h"

// The family of its model_type. UNSUPPORTED: quire has none, and which it has.
MUST_CHECK enum status folder_config_family(const cJSON *json, const char *path,
                                            const struct family **family, struct error *err);

// Appends the bytes to an empty text. BAD_FILE and UNSUPPORTED name the key. `path` is for errors.
// *config holds what the tensors need; folder_config_deinit() frees what it owns.
MUST_CHECK enum status folder_config_read(const cJSON *json, const struct family *family,
                                          const char *path, struct text *gguf,
                                          struct folder_config *config, struct error *err);
void folder_config_deinit(struct folder_config *config);

#endif
