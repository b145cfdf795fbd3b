// app/base/model_name.h — by its name, is a GGUF file a model, or something that goes with one?
//
// Repositories and folders have them side by side: gemma-Q8_0.gguf, mmproj-F16.gguf,
// mtp-gemma-Q8_0.gguf, MTP/gemma-Q8_0-MTP.gguf, draft-gemma-Q8_0.gguf, ggml-vocab-gemma.gguf.
#ifndef APP_MODEL_NAME_H
#define APP_MODEL_NAME_H

#include <stdbool.h>

// Is `part` in the text between boundaries, whatever its case? It may go on neither with a letter
// or digit, nor, as the name of a type does, with "_".
bool model_name_has(const char *text, const char *part);

#define MODEL_NAME_ADAPTER "an adapter"

// "a drafter", MODEL_NAME_ADAPTER, …, or NULL: nothing in the path says that it is no model.
const char *model_name_role(const char *path);

// Its name is a drafter's or a model's: beside a model that is much larger it is a drafter.
bool model_name_may_draft(const char *path);

#endif
