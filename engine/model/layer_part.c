#include "engine/model/layer_part.h"

#include <stddef.h>

const struct layer_part *layer_mixer(const struct layer_spec *spec) {
    switch (spec->mixer) {
    case MIXER_ATTENTION:
        return spec->attention.latent.kv_rank > 0 ? &latent_attention_part : &attention_part;
    case MIXER_SHORT_CONV:
        return &short_conv_part;
    case MIXER_RECURRENCE:
        return &recurrence_part;
    case MIXER_NONE:
        break;
    }
    return NULL;
}

const struct layer_part *layer_feed_forward(const struct layer_spec *spec) {
    if (spec->ffn.kind == FFN_NONE) return NULL;
    return spec->ffn.kind == FFN_DENSE ? &dense_part : &experts_part;
}
