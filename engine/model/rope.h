// engine/model/rope.h — the angles of the rotary embedding.
//
// Pair p of a head turns by position * inv_freq[p], inv_freq[p] = base^(-2p / dimensions),
// changed by what stretches the context: linear scaling divides all (arXiv 2306.15595), YaRN
// divides the slow pairs and leaves the fast ones (arXiv 2309.00071), Llama 3 divides each by a
// factor that its file carries (rope_freqs.weight), and so does LongRoPE (arXiv 2402.13753), which
// has other factors for contexts past the original one (rope_factors_short.weight and _long).
#ifndef ENGINE_ROPE_H
#define ENGINE_ROPE_H

#include "engine/model/metadata.h"
#include "engine/model/model_config.h"

// inv_freq [dimensions / 2], out. factors [dimensions / 2] or NULL.
void rope_inv_freq(const struct rope *rope, const float *factors, float *inv_freq);

// The rotation that a model states, over what its family's row says. A factor without a type is a
// linear one.
struct rope rope_read(struct metadata *metadata, const struct rope *family,
                      const struct model_config *config, int32_t head_size);

#endif
