// engine/core/engine_info.h — what can an engine say about itself?
#ifndef ENGINE_CORE_ENGINE_INFO_H
#define ENGINE_CORE_ENGINE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/model/placement.h"

enum { ENGINE_NAME_BYTES = 128 };

struct engine_info {
    char model_name[ENGINE_NAME_BYTES]; // general.name, else the file's name, else "unnamed":
                                        // UTF-8 without control characters;
                                        // then " + NAME" for each adapter
    char family[32];                    // "llama"
    char file_type[16];                 // the type of most bytes of weights: "q8_0"
    char backend[16];                   // "cpu", …; "remote": a server computes
    char remote[16];                    // what it is sent: "messages" or "tokens"; "": no server
    int tries;                          // how often the last exchange with it was tried
    bool takes_grammars;                // the server accepts grammars, not only schemas
    bool unlisted;                      // the server lists models, but not this one
    char device[ENGINE_NAME_BYTES];
    char placement[PLACEMENT_TEXT_BYTES]; // placement_describe() of weights in two places; else ""
    double predicted_tokens_s;            // of one answer with these; 0: unknown
    char kv_type[8];
    const char *model_path; // borrowed; NULL for a random shape
    const char *adapters;   // borrowed: "poet, rank 8, scale 1; …"; "": none
    int64_t parameters;
    size_t weight_bytes;
    int32_t layers, vocabulary;
    bool has_draft_head; // in use
    int32_t context, trained_context;
    int32_t step_tokens; // of one batch, at most
    int32_t block_size;
    uint32_t blocks_total; // of the device, of layers that see everything; see engine_kv_usage()
    size_t block_bytes;    // KV of a block in layers that see everything
    size_t token_bytes;    // KV of one token in the same layers
    size_t state_bytes;    // of recurrent layers after a token; 0: no such layers
    size_t sequence_bytes; // at most, for windows and states while a sequence is computed
    int32_t threads;
};

#endif
