// engine/model/folder_config.h — a config.json in the words of GGUF. Private to folder.c.
//
// Hugging Face's configurations name the same quantities as GGUF's keys do. Each is translated by
// a line of a table; what has no line but would change the answers is refused. The result is the
// bytes of a GGUF file with keys and no tensors, so that family.h reads both alike.
//
// Sources: the published configurations and documentation of transformers, model by model.
#ifndef ENGINE_FOLDER_CONFIG_H
#define ENGINE_FOLDER_CONFIG_H

#include <cjson/cJSON.h>

#include "engine/model/family.h"
#include "kernels/base/text.h"

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

// The family of its model_type. UNSUPPORTED: quire has none, and which it has.
MUST_CHECK enum status folder_config_family(const cJSON *json, const char *path,
                                            const struct family **family, struct error *err);

// Appends the bytes to an empty text. BAD_FILE and UNSUPPORTED name the key. `path` is for errors.
// *config holds what the tensors need; folder_config_deinit() frees what it owns.
MUST_CHECK enum status folder_config_read(const cJSON *json, const struct family *family,
                                          const char *path, struct text *gguf,
                                          struct folder_config *config, struct error *err);
void folder_config_deinit(struct folder_config *config);

#endif
