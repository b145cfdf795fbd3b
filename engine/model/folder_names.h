// engine/model/folder_names.h — what tensors of a Hugging Face folder are called in a GGUF file.
#ifndef ENGINE_FOLDER_NAMES_H
#define ENGINE_FOLDER_NAMES_H

#include "engine/model/family.h"

enum { FOLDER_NAME_BYTES = 64 }; // of a tensor in a GGUF file's words

// "model.language_model.norm.weight" is "model.norm.weight" where the text part is nested; older
// files nest it the other way round. A name that is not nested is returned as it is.
const char *folder_name_unnested(const struct family *family, const char *theirs,
                                 char name[FOLDER_NAME_BYTES]);

// What follows "model.layers.7.", and the 7. NULL: it does not begin like that.
const char *folder_name_in_layer(const char *theirs, int *layer);

// "mtp.fc.weight" is "model.layers.32.eh_proj.weight", and "mtp.layers.0." is "model.layers.32.",
// behind the 32 layers of the trunk. NULL: it is of no block that drafts, or of a further one.
const char *folder_name_of_mtp(const char *theirs, int32_t layers, char name[FOLDER_NAME_BYTES]);

// Of what is not nested. False: it has no place in a file.
bool folder_name_find(const struct family *family, const char *theirs,
                      char name[FOLDER_NAME_BYTES]);

// "model.layers.7.self_attn.q_proj.weight" is "blk.7.attn_q.weight"; so for all that families have
// in common and adapters may change. False: it is none of those.
bool folder_matrix_name(const char *theirs, char name[FOLDER_NAME_BYTES]);

#endif
