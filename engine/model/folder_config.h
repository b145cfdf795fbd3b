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

struct folder_family {
    const char *model_type; // of config.json
    const char *family;     // a row of family.h
    bool tied;              // where tie_word_embeddings is not said
    bool one_plus;          // norms multiply by 1 + weight
    bool four_norms;        // post_attention_layernorm norms what attention adds
    bool mixed;             // layers of two shapes, listed in layer_types
    bool nested;            // the text's part is under text_config, beside others that are left
};

struct folder_config {
    const struct folder_family *family;
    bool tied;                     // the output is the embedding, whatever else the files hold
    int32_t pairs;                 // of rotated elements
    float *rope_freqs;             // [pairs], owned; Llama 3's divisors, or NULL
    float *rope_short, *rope_long; // [pairs], owned; LongRoPE's, or NULL
};

// Appends the bytes to an empty text. BAD_FILE and UNSUPPORTED name the key. `path` is for errors.
// *config holds what the tensors need; folder_config_deinit() frees what it owns.
MUST_CHECK enum status folder_config_read(const cJSON *json, const char *path, struct text *gguf,
                                          struct folder_config *config, struct error *err);
void folder_config_deinit(struct folder_config *config);

#endif
