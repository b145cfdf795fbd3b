// engine/model/folder_layout.h — what a folder's config.json says, once it is read.
//
// The figures that metadata.h asks for, those of parts as the spec has them, and what the folder's
// tensors need to become those of a GGUF file. See folder_config.h.
#ifndef ENGINE_FOLDER_LAYOUT_H
#define ENGINE_FOLDER_LAYOUT_H

#include "engine/model/model_config.h"
#include "kernels/base/text.h"

struct family;

enum {
    FIGURE_KEYS = 5,
    FOLDER_MAX_SCALES = 12,
    FOLDER_MAX_FIGURES = 48,
    FOLDER_MAX_LISTS = 6,
    FOLDER_MAX_REALS = 2,
    FOLDER_MAX_TABLES = 8,
    XIELU_NUMBERS = 4
};

// A figure by the name that metadata.h asks for, and the keys of a config.json that state it.
struct figure_names {
    const char *ours, *theirs[FIGURE_KEYS];
};

// A figure of the model by the name that metadata.h asks for: a number, or one for each layer.
struct figure {
    const char *name;   // a literal
    const char *stated; // config.json's key for it, a literal; NULL: it has none of its own
    double number;
    const int32_t *list; // [count] of the same struct folder_config; or NULL
    const float *reals;  // the same
    int32_t count;
};

// The next `rows` rows of a layer's matrix or bias are multiplied; 0: all. A part that is listed
// again continues where it ended.
struct folder_scale {
    const char *part; // "self_attn.o_proj."
    int64_t rows;
    float by;
};

struct folder_config {
    const struct family *family;
    struct figure figures[FOLDER_MAX_FIGURES];
    int32_t figure_count;
    const struct figure_names *tables[FOLDER_MAX_TABLES]; // that were read
    int32_t table_count;
    int32_t lists[FOLDER_MAX_LISTS][MODEL_MAX_LAYERS], list_count; // of figures
    float reals[FOLDER_MAX_REALS][MODEL_MAX_LAYERS];
    int32_t reals_count;
    struct rope rope; // original_context 0: the whole context
    bool raw_shares;  // of experts
    struct recurrence_spec recurrence;
    float xielu[XIELU_NUMBERS][MODEL_MAX_LAYERS]; // alpha_p, alpha_n, beta, eps; of its tensors
    int32_t xielu_count[XIELU_NUMBERS];           // layers that have one

    struct text stub;              // the bytes of a GGUF file with the family alone; owned
    bool tied;                     // the output is the embedding, whatever else the files hold
    int32_t pairs;                 // of rotated elements
    int32_t draft_layer;           // the first that predicts further tokens; 0: no layer does
    float *rope_freqs;             // [pairs], owned; Llama 3's divisors, or NULL
    float *rope_short, *rope_long; // [pairs], owned; LongRoPE's, or NULL
    bool mixture;                  // of Granite's: experts in addition to the shared one
    struct folder_scale scales[FOLDER_MAX_SCALES];
    int32_t scale_count;
};

#endif
