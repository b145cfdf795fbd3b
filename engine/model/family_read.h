// engine/model/family_read.h — how do the layers of a family differ from one another?
//
// Each function reads what a row of family.c cannot say: layers come in that are all alike, from
// the row and from the keys that all families share, and go out as the family has them. Failures
// are kept in `metadata`.
#ifndef ENGINE_FAMILY_READ_H
#define ENGINE_FAMILY_READ_H

#include "engine/model/metadata.h"
#include "engine/model/model_config.h"

typedef void family_read(struct metadata *metadata, struct model_config *config);

family_read family_read_plain;
family_read family_read_windowed;
family_read family_read_mistral3;
family_read family_read_glm4;
family_read family_read_glm4_moe;
family_read family_read_gemma;
family_read family_read_gemma2;
family_read family_read_gemma3;
family_read family_read_gemma4;
family_read family_read_smollm3;
family_read family_read_nanbeige;
family_read family_read_granite;
family_read family_read_granite_swa;
family_read family_read_olmo2;
family_read family_read_exaone4;
family_read family_read_afmoe;
family_read family_read_muse_glimmer;
family_read family_read_laguna;
family_read family_read_smallthinker;
family_read family_read_step35;
family_read family_read_mimo2;
family_read family_read_deepseek2;
family_read family_read_mistral4;
family_read family_read_minicpm3;
family_read family_read_command_r;
family_read family_read_cohere2;
family_read family_read_cohere2moe;
family_read family_read_llama4;
family_read family_read_gpt_oss;
family_read family_read_qwen3next;
family_read family_read_granite_hybrid;
family_read family_read_nemotron_h;
family_read family_read_falcon_h1;

#endif
