// engine/model/folder_defaults.h — what a config.json means that lacks a key.
//
// As the configuration classes of transformers have it, model_type by model_type. Keys that must be
// there have no default (folder_config.h), and those whose absence means the same to quire need
// none.
#ifndef ENGINE_FOLDER_DEFAULTS_H
#define ENGINE_FOLDER_DEFAULTS_H

#include <cjson/cJSON.h>

// The defaults that a configuration of this model_type has, as an object that the caller deletes;
// without those that another key of `json` takes the place of. NULL: not enough memory.
cJSON *folder_defaults_create(const cJSON *json, const char *model_type);

#endif
