// engine/model/placement_need.h — what does a model need, and where may it be (placement.h)?
//
// Counts weights by their names, from a file's list of tensors or as random.c asks for them. A
// token reads all of a matrix; of experts the share that it uses; of an embedding a row, unless the
// output is the same matrix. A layer that is visited again reads its weights once more.
#ifndef ENGINE_PLACEMENT_NEED_H
#define ENGINE_PLACEMENT_NEED_H

#include "engine/model/gguf.h"
#include "engine/model/model_config.h"
#include "engine/model/placement.h"
#include "kernels/backend.h"

// layer is -1 where the name is whole. The backend says what a matrix takes on the card. A pinned
// one is an embedding that may leave.
void placement_need_matrix(struct placement_need *need, const struct model_config *config,
                           int32_t layer, const char *name, const struct weight *weight,
                           const struct backend *backend);
void placement_need_vector(struct placement_need *need, const struct model_config *config,
                           int32_t layer, const char *name, size_t bytes);

// The same for all tensors of a file. kv_bytes, buffer_bytes and row_bytes are 0.
void placement_need_file(const struct gguf *gguf, const struct model_config *config,
                         const struct backend *backend, struct placement_need *need);

#endif
