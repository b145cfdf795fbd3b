// app/cli/model_role.h — judging by its contents, is a file a model or an accessory of one?
//
// Metadata tells what a name cannot (app/base/model_name.h).
#ifndef APP_MODEL_ROLE_H
#define APP_MODEL_ROLE_H

#include "engine/model/gguf.h"

// "for --lora", "a projector", …; NULL: a model, even if quire cannot run it.
const char *model_role(const struct gguf *gguf);

// The same for a file or folder; NULL also if it cannot be opened.
const char *model_role_of_file(const char *path);

#endif
