// engine/model/model_parts.h — what a model read from a file and one made up (random.c) share.
//
// Memory: what model_alloc() returns belongs to the model and lives until model_close().
#ifndef ENGINE_MODEL_PARTS_H
#define ENGINE_MODEL_PARTS_H

#include "engine/model/model.h"

// Device memory that lives as long as the model. NULL when the device has no memory left.
void *model_alloc(struct model *model, size_t bytes);

// A copy there, or in host memory. NULL when there is no memory, or the device failed.
const void *model_copy_vector(struct model *model, const void *vector, size_t bytes, bool in_host);

// Gives a matrix in memory of the caller's to weights(). What the device does not copy is copied
// here, so that the memory can be reused. NO_MEMORY, or what weights() says.
MUST_CHECK enum status model_copy(struct model *model, struct weight *weight);

// A small matrix of `rows`, in the type of activations, which are spoiled. UNSUPPORTED: a number
// exceeds that type's range.
MUST_CHECK enum status model_copy_floats(struct model *model, float *rows, struct weight *weight);

// How each layer rotates q and k, and how far it looks back. factors [dimensions / 2] or NULL, of
// the layers that share the context's rotation.
MUST_CHECK enum status model_set_rotations(struct model *model, const float *factors);

// The distance between `count` matrices like `one` that are stacked, one below the other, and were
// given to weights() as a single matrix. 0: the device cannot take them so, each needs a call.
size_t model_stacked_bytes(const struct model *model, const struct weight *one, int32_t count);

#endif
