// engine/model/folder_hybrid.h — layers that do not all attend, as a config.json lists them.
// Private to family.c, whose rows name one of these functions.
//
// Each writes which layers attend and what the others are, and sets what of `config` the tensors
// need to become those of a GGUF file.
//
// Sources: the configurations of transformers for LFM2, Qwen3-Next, Qwen3.5, GraniteMoeHybrid,
// Nemotron-H and Falcon-H1.
#ifndef ENGINE_FOLDER_HYBRID_H
#define ENGINE_FOLDER_HYBRID_H

#include <cjson/cJSON.h>
#include <stdbool.h>

struct folder_config;
struct writer;

// Does it list a layer that is a mixture of experts?
bool folder_hybrid_has_mixtures(const cJSON *json);

void folder_hybrid_convolutions(struct writer *writer, struct folder_config *config);
void folder_hybrid_delta(struct writer *writer, struct folder_config *config);
void folder_hybrid_granite(struct writer *writer, struct folder_config *config);
void folder_hybrid_nemotron(struct writer *writer, struct folder_config *config);
void folder_hybrid_falcon(struct writer *writer, struct folder_config *config);

#endif
