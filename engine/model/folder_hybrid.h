// engine/model/folder_hybrid.h — layers that do not all attend, as a config.json lists them.
// Private to folder_config.c; a family's row says in which of these ways (enum hybrid).
//
// Sources: the configurations of transformers for LFM2, Qwen3-Next, Qwen3.5, GraniteMoeHybrid,
// Nemotron-H and Falcon-H1.
#ifndef ENGINE_FOLDER_HYBRID_H
#define ENGINE_FOLDER_HYBRID_H

#include "engine/model/folder_layout.h"
#include "engine/model/folder_reader.h"

// Does it list a layer that is a mixture of experts?
bool folder_hybrid_has_mixtures(const cJSON *json);

// States which layers attend and what the others are. After their recurrence has been read.
void folder_hybrid_read(struct reader *reader);

#endif
