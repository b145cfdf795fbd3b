// engine/model/kv_shape.h — where each layer's keys and values lie in a block of the cache.
//
// Layers are grouped by what they need of the past (engine/kv/cache_kind.h): those whose queries
// see all keys; those with a window, a group for each length; short convolutions; recurrences with
// states of one size. Each group has a cache of its own, so that it need not keep what no query of
// it sees any more (engine/kv/grouped_cache.h). A model whose layers are all alike has one group.
//
// Kernels only know caches whose layers all have one shape (kernels/backend.h). If a group has
// layers of two shapes, a block is seen in two ways, each as if all of it were planes of that
// shape. A view says how many planes would fit, and a layer's place is the number of its plane.
//
//   50 layers of 16 x 256, 10 of 4 x 512: half as large
//   view 0           place 0 ... 49 of 55      [ 0 | 1 | ...           | 49 | . . . . . ]
//   view 1           place 100 ... 109 of 110  [ . . . . . . . . . . . . . .|100|...|109]
//
// A layer that uses another layer's keys and values has the same place. The only unused bytes of a
// block are those that round it up to whole planes in both views.
#ifndef ENGINE_KV_SHAPE_H
#define ENGINE_KV_SHAPE_H

#include "engine/kv/cache_kind.h"
#include "engine/model/model_config.h"

// View 0 has the shape of the group's first layer, view 1 the group's other shape, or the same one.
enum { KV_VIEWS = 2 };

struct kv_view {
    int32_t kv_heads, head_size;
    bool latent; // V is a part of K
};

struct kv_group {
    enum cache_kind kind;
    int32_t reach;      // keys that a query of its layers sees: of CACHE_STATE its own and the one
                        // before, of CACHE_FULL 0, for all
    bool recurrent;     // no attention reads it
    size_t state_bytes; // of CACHE_STATE
    struct kv_view views[KV_VIEWS];
    int64_t elements; // of K, and as many of V unless it is latent, that a token takes
};

struct kv_shape {
    int group_count; // at most KV_GROUPS, in the order of their kinds: those of CACHE_FULL first
    struct kv_group groups[KV_GROUPS];
    struct kv_place {
        int group, view;
        int32_t place;          // in its view
    } layers[MODEL_MAX_LAYERS]; // those that draft, too
};

struct kv_shape kv_shape_of(const struct model_config *config);

// Sets the shape of one view, and where it is of short convolutions also type and layout; all other
// fields stay. A block has the same bytes in both.
void kv_shape_set(struct kv_cache *cache, const struct kv_shape *shape, int group, int view);

// What a token takes in a group, and what a sequence takes in F16 in all layers, which have no more
// of it than they see.
size_t kv_shape_token_bytes(const struct kv_shape *shape, int group, enum dtype type);
size_t kv_shape_sequence_bytes(const struct kv_shape *shape, int64_t tokens);

#endif
