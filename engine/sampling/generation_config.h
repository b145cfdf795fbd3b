// engine/sampling/generation_config.h — how does the publisher of a Hugging Face folder want its
// model to be sampled?
//
// The folder's generation_config.json says so. llama.cpp's converter makes a GGUF file's
// general.sampling.* of the same file (sampling_keys.h), and both are treated alike.
//
// Source: transformers' documentation of GenerationConfig.
#ifndef ENGINE_GENERATION_CONFIG_H
#define ENGINE_GENERATION_CONFIG_H

#include "engine/sampling/sampler.h"

// Sets in *options what the file states; a missing file states nothing. An invalid value, or a key
// that asks for something unsupported, is ignored with a warning that names it.
void generation_config_read(const char *folder, struct sampler_options *options);

#endif
