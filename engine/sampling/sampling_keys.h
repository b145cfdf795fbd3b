// engine/sampling/sampling_keys.h — how does the publisher of a GGUF file want its model to be
// sampled?
//
// The file's general.sampling.* say so, which llama.cpp's converter takes from the folder's
// generation_config.json (generation_config.h).
//
// Source: llama.cpp's list of keys, LLM_KV_GENERAL_SAMPLING_*.
#ifndef ENGINE_SAMPLING_KEYS_H
#define ENGINE_SAMPLING_KEYS_H

#include "engine/model/gguf.h"
#include "engine/sampling/sampler.h"

// Sets in *options what the file states. An invalid value, or a key that asks for something
// unsupported, is ignored with a warning that names it.
void sampling_keys_read(const struct gguf *gguf, struct sampler_options *options);

#endif
