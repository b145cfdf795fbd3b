// engine/model/folder_layout.h — what a folder's tensors need to become those of a GGUF file.
//
// Read from its config.json (folder_config.h), and no key of the file.
#ifndef ENGINE_FOLDER_LAYOUT_H
#define ENGINE_FOLDER_LAYOUT_H

#include "engine/model/model_config.h"

enum { FOLDER_MAX_SCALES = 12 };

// Of the rows that a layer's matrix or bias has, `rows` are multiplied; 0: all. A part that is
// listed again goes on where it ended.
struct folder_scale {
    const char *part; // "self_attn.o_proj."
    int64_t rows;
    float by;
};

struct folder_config {
    bool tied;                         // the output is the embedding, whatever else the files hold
    int32_t pairs;                     // of rotated elements
    int32_t draft_layer;               // the first that predicts further tokens; 0: there is none
    float *rope_freqs;                 // [pairs], owned; Llama 3's divisors, or NULL
    float *rope_short, *rope_long;     // [pairs], owned; LongRoPE's, or NULL
    struct recurrence_spec recurrence; // of hybrids
    bool mixture;                      // of Granite's: experts are beside what is shared
    struct folder_scale scales[FOLDER_MAX_SCALES];
    int32_t scale_count;
};

#endif
