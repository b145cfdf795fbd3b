// app/cli/model_role.h — by what is in it, is a file a model, or something that goes with one?
//
// What a name cannot tell (app/base/model_name.h), its metadata can.
#ifndef APP_MODEL_ROLE_H
#define APP_MODEL_ROLE_H

#include "engine/model/gguf.h"

// "for --lora", "a projector", …, or NULL: a model, be it one that quire cannot run.
const char *model_role(const struct gguf *gguf);

// The same of a file or folder that may not even open, which is then NULL.
const char *model_role_of_file(const char *path);

#endif
