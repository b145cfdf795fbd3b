// engine/model/folder_defaults.h — what does a key mean that a config.json does not have?
//
// The defaults of the configuration classes of transformers, model_type by model_type. Required
// keys have none (folder_config.h), and keys whose absence means the same to quire need none.
#ifndef ENGINE_FOLDER_DEFAULTS_H
#define ENGINE_FOLDER_DEFAULTS_H

#include <cjson/cJSON.h>

// The defaults that a configuration of this model_type has, as an object that the caller deletes;
// except for those that another key of `json` replaces. NULL: not enough memory.
cJSON *folder_defaults_create(const cJSON *json, const char *model_type);

#endif
