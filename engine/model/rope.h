// engine/model/rope.h — the angles of the rotary embedding.
//
// Pair p of a head turns by position * inv_freq[p], inv_freq[p] = base^(-2p / dimensions),
// changed by what stretches the context: linear scaling divides all (arXiv 2306.15595), YaRN
// divides the slow pairs and leaves the fast ones (arXiv 2309.00071), Llama 3 divides each by a
// factor that its file carries (rope_freqs.weight).
#ifndef ENGINE_ROPE_H
#define ENGINE_ROPE_H

#include "engine/model/family.h"

// inv_freq [dimensions / 2], out. factors [dimensions / 2] or NULL.
void rope_inv_freq(const struct rope *rope, const float *factors, float *inv_freq);

// What cosine and sine are multiplied by: 1, or YaRN's attention factor.
float rope_magnitude(const struct rope *rope);

#endif
