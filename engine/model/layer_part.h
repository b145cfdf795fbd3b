// engine/model/layer_part.h — what is a part of a layer, and which parts are there?
//
// A layer mixes tokens and then feeds each of them forward; each half is a part of some kind. Each
// kind has a source of its own with all that belongs to it: what it reads from metadata and from a
// folder's config.json, which tensors it loads, the memory that its activations take, and its
// forward pass. Whatever a configuration says about several kinds at once is read by
// folder_config.c; folder_hybrid.c reads the kind of each layer, because each family lists the
// kinds differently.
//
//   mixers        attention.c  latent_attention.c  recurrence.c  short_conv.c
//   feed-forward  dense.c  experts.c
//
// Whatever walks the layers (model.c, forward.c) asks for a spec's parts and never which kind they
// are.
#ifndef ENGINE_LAYER_PART_H
#define ENGINE_LAYER_PART_H

#include "engine/model/folder_layout.h"
#include "engine/model/metadata.h"
#include "engine/model/model_config.h"

struct forward;
struct layer;
struct loader;
struct reader;
struct scratch;

struct layer_part {
    // Finds the tensors of the layer that is being loaded (loader.h), except the norm before the
    // part.
    void (*load)(struct loader *loader, const struct layer_spec *spec, struct layer *layer);

    // Takes its activations from the scratch memory, which may only be adding them up.
    void (*lay_out)(struct scratch *scratch, const struct layer_spec *spec);

    // Enqueues residual += part(residual), as forward_state.h describes a step.
    void (*enqueue)(const struct forward *forward, int32_t index);

    // The figures that it reads of a config.json by name alone; one without a name is the end. Or
    // NULL.
    const struct figure_names *figures;

    // Enqueues what it makes of the residual before the mixer adds to it; or NULL.
    void (*enqueue_first)(const struct forward *forward, int32_t index);
};

extern const struct layer_part attention_part, latent_attention_part, recurrence_part,
    short_conv_part;
extern const struct layer_part dense_part, experts_part;

// The parts of a layer. NULL: it has none.
const struct layer_part *layer_mixer(const struct layer_spec *spec);
const struct layer_part *layer_feed_forward(const struct layer_spec *spec);

// What the parts read of the figures that a model states, for all its layers at once or for a layer
// that all others are copies of. Failures are kept in `metadata`.
void attention_read(struct metadata *metadata, const struct model_config *config,
                    struct attention_spec *attention);
void latent_attention_read(struct metadata *metadata, const struct model_config *config,
                           struct attention_spec *attention);
struct recurrence_spec recurrence_read(struct metadata *metadata, enum recurrence_rule rule);
void recurrence_set(struct metadata *metadata, struct model_config *config,
                    const struct recurrence_spec *recurrence);
struct attention_spec short_conv_place(int32_t dim, int32_t width, int32_t layer); // in the cache
void short_conv_read(struct metadata *metadata, struct model_config *config);
void dense_read_xielu(struct metadata *metadata, struct model_config *config);
void experts_read(struct metadata *metadata, int32_t width, struct ffn_spec *ffn);
void experts_set_dense_layers(struct metadata *metadata, struct model_config *config,
                              const int32_t *widths);
void experts_accept(struct metadata *metadata, const struct ffn_spec *ffn);

// What they read of a folder's config.json besides those figures (folder_reader.h).
void recurrence_read_config(struct reader *reader);
void experts_read_config(struct reader *reader);

// dense.c: for experts.c too. layer_embedding.c: the tables of all layers, and what each has of its
// own.
void dense_load(struct loader *loader, const struct layer_spec *spec, struct layer *layer);
void layer_embedding_load_tables(struct loader *loader);
void layer_embedding_load(struct loader *loader, struct layer *layer);

#endif
