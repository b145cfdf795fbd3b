// app/base/model_name.h — judging by its name, is a GGUF file a model or an accessory of one?
//
// Repositories and folders mix them: gemma-Q8_0.gguf, mmproj-F16.gguf, mtp-gemma-Q8_0.gguf,
// MTP/gemma-Q8_0-MTP.gguf, draft-gemma-Q8_0.gguf, ggml-vocab-gemma.gguf.
#ifndef APP_MODEL_NAME_H
#define APP_MODEL_NAME_H

#include <stdbool.h>

// Does the text contain `part` as a word, ignoring case? No letter or digit may precede it, and no
// letter, digit or "_" may follow it ("_" continues the name of a weight type).
bool model_name_has(const char *text, const char *part);

#define MODEL_NAME_ADAPTER "an adapter"

// "a drafter", MODEL_NAME_ADAPTER, …; NULL: the path gives no reason to think it is not a model.
const char *model_name_role(const char *path);

// Does the name have a word that both drafters and models use (mtp, eagle, assistant …)? Next to a
// much larger model such a file is a drafter.
bool model_name_may_draft(const char *path);

#endif
