// engine/model/loader.h — finds a file's tensors, checks them and brings them to the device.
//
// A loader serves one opening of a file. It keeps the first failure, after which its calls do
// nothing, so that the tensors of a layer read as a list. It remembers which tensors were asked
// for. One that nobody has asked for would change the answers if it were ignored, so it is an error
// at the end.
//
// While `layer` is set, names are those within the layer: "attn_q.weight" is "blk.7.attn_q.weight".
#ifndef ENGINE_LOADER_H
#define ENGINE_LOADER_H

#include "engine/model/model_parts.h"

// A substitute for a file (random.c): each required matrix, and vectors of one value.
struct loader;
struct loader_source {
    struct weight (*matrix)(const struct loader *loader, const char *part, int32_t rows,
                            int32_t columns);
    struct expert_weights (*experts)(const struct loader *loader, const char *part, int32_t rows,
                                     int32_t columns, int32_t count);
    const float *(*constants)(const struct loader *loader, const char *part, size_t count,
                              float value);
    void *self;
};

struct loader {
    struct model *model;
    const struct gguf *gguf;
    const struct loader_source *source; // in place of the gguf; or NULL
    int32_t layer;                      // -1: none, names are whole
    bool *placed; // the file's tensors, in its order, that found their place; owned by model.c
    size_t bytes_of_type[DTYPE_COUNT];
    enum status status;
    struct error *err;
    const struct model_options *options;
};

// Loads a layer: its parts, its norms, and what it has of the token's embedding. One that is
// visited again has its weights already.
void loader_load_layer(struct loader *loader, int32_t index);

enum presence { TENSOR_ABSENT, TENSOR_OPTIONAL, TENSOR_REQUIRED };

// Elements of a tensor: `columns` side by side, `rows` of them, `depth` matrices.
struct extent {
    int32_t columns, rows, depth;
};

enum { LOADER_NAME_BYTES = 64 };
const char *loader_name(const struct loader *loader, const char *part,
                        char name[LOADER_NAME_BYTES]);

// Whether the tensor belongs in host memory, by the placement of the model that is opened.
bool loader_in_host(const struct loader *loader, const char *part);

// The same for an embedding, which the device reads in host memory; tied: the output is the same
// matrix.
bool loader_pins(const struct loader *loader, const char *part, bool tied);

// Keeps "PATH: tensor NAME: WHAT", unless something failed before. The second is for a call of the
// device that did not succeed; a device that has failed reports that again.
void loader_refuse(struct loader *loader, enum status status, const char *part, const char *what);
void loader_refuse_device(struct loader *loader, const char *part);
void loader_refuse_type(struct loader *loader, const char *part, enum dtype found,
                        const char *other, enum dtype expected);

// The tensor as the file has it, or NULL.
const struct gguf_tensor *loader_peek(const struct loader *loader, const char *part);

// The same with its shape and type checked, and NULL where it is refused.
const struct gguf_tensor *loader_find(struct loader *loader, const char *part, struct extent extent,
                                      enum presence presence);
void loader_skip(struct loader *loader, const char *part); // it may be there and is not needed

// The scale of the matrix that has row `first`, numbered through all of the tensor's matrices: of
// NVFP4, from the tensor's own "….scale"; 0 if it has none.
float loader_scale(struct loader *loader, const char *part, const struct gguf_tensor *tensor,
                   int32_t first);

// Rows of a tensor from `first` on, numbered through all its matrices, in place on the device.
struct weight loader_rows(struct loader *loader, const char *part, const struct gguf_tensor *tensor,
                          struct extent extent, int32_t first);

struct weight loader_matrix(struct loader *loader, const char *part, int32_t rows, int32_t columns,
                            enum presence presence);

// One tensor that holds several matrices of the same columns, one below the other.
void loader_matrices(struct loader *loader, const char *part, int32_t columns,
                     struct weight *const parts[], const int32_t rows[], int32_t count);

// The matrices of a tensor, each.depth of them, in one call if the device can take them that way,
// because a card is slow to take each by itself.
void loader_stacked(struct loader *loader, const char *part, const struct gguf_tensor *tensor,
                    struct extent each, struct weight *matrices);

// Vectors are small and every kernel wants them in fp32: other types are converted once. Each
// element is multiplied by `scale`. A norm is "attn_norm.weight" and, where norms have biases,
// "attn_norm.bias".
const float *loader_vector(struct loader *loader, const char *part, int32_t length,
                           enum presence presence);
struct norm loader_norm(struct loader *loader, const char *part, enum presence presence);
const float *loader_vectors(struct loader *loader, const char *part, struct extent extent,
                            float scale, enum presence presence);

// A row of a file's tensor has the weights of a channel, a row of ours those of a token. With the
// name of a bias, which the file need not have, there is one more row.
const float *loader_convolution(struct loader *loader, const char *part, struct extent extent,
                                const char *bias_part);

// A tensor of one number, not 0, for the host.
float loader_number(struct loader *loader, const char *part, float otherwise);

const float *loader_to_device(struct loader *loader, const char *part, const float *host,
                              size_t count);

#endif
