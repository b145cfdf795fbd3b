// engine/model/family.h — the model families that quire knows, each described once.
//
// A row of the table has a family's names and what its layers have in common; a function says how
// layers differ and what the file's figures default to. The row serves GGUF files and
// folders alike (folder_config.h). A file whose family, or any detail of it, is not understood is
// refused with a sentence that names what is missing; nothing half-works.
//
// Sources: LLaMA, arXiv 2302.13971; Llama 3, arXiv 2407.21783; Mistral, 2310.06825; Mixtral,
// 2401.04088; Qwen2, 2407.10671; Qwen2.5-VL, 2502.13923; Qwen3, 2505.09388; Gemma, 2403.08295;
// Gemma 2, 2408.00118; Gemma 3, 2503.19786; Gemma 4 by its published configurations; Phi-3,
// 2404.14219; Phi-3.5-MoE's router, 2409.12136; OLMo 2, 2501.00656, and 3; gpt-oss, 2508.10925;
// EXAONE 4, 2507.11407; SmolLM3, Granite, Command-R, Cohere 2 and Seed-OSS, ERNIE 4.5, GLM-4, Arcee
// and Ministral 3, and the mixtures ERNIE 4.5, MiniMax-M2 and Ling 2 by their published
// configurations; GLM-4.5, 2508.06471; Apertus, 2509.14233; Llama 4 by its published
// configurations; dots.1, 2506.05767; DeepSeek-V2 and 3, 2405.04434 and 2412.19437; LFM2,
// 2511.23404; gated delta nets, 2412.06464, in Qwen3-Next and Qwen3.5; Mamba-2, 2405.21060, in
// Granite 4's hybrids, Nemotron-H, 2504.03624, and Nemotron 3 Nano by its published configuration,
// and Falcon-H1, 2507.22448; keys as in the GGUF specification.
#ifndef ENGINE_FAMILY_H
#define ENGINE_FAMILY_H

#include "engine/model/metadata.h"
#include "engine/model/model_config.h"

// How a folder's config.json lists layers that do not all attend (folder_hybrid.h).
enum hybrid {
    HYBRID_NONE,
    HYBRID_CONVOLUTIONS,
    HYBRID_DELTA,
    HYBRID_GRANITE,
    HYBRID_NEMOTRON,
    HYBRID_FALCON,
};

struct family {
    const char *name;        // general.architecture
    const char *model_types; // of config.json: "mistral, mixtral"; NULL: no folder is read
    struct layer_spec layer; // of every layer; ffn.kind is that of files with experts

    // Called with layers that are all alike, from the row and the keys that all families share.
    // Reads the rest. NULL: family_read_plain().
    void (*read)(struct metadata *metadata, struct model_config *config);

    // In folders, too, the two elements of a rotated pair lie side by side; else half a head apart.
    bool interleaved_folder;
    float norm_eps;          // where a file does not state it; 0: it has to
    const char *second_norm; // a folder's post_attention_layernorm, where the layer does not say it
    bool multimodal;         // as in model_config.h
    int32_t window_kv_heads; // times as many in a folder's layers with a window; 0: as many
    bool tied;             // a folder's output is its embedding where tie_word_embeddings is absent
    const char *quantized; // the method by which a folder's experts may be packed; or NULL
    const char *keys;      // of those that change answers in some families only: what it reads,
                           // as family_keys_have() has them
    bool norms_plus_one;   // a folder's norms multiply by 1 + weight
    bool plain_output_norm; // except the output norm, which multiplies by its weight
    enum norm_kind norms;
    bool latent; // its attention is latent
    enum hybrid hybrid;
    bool multiplied;     // files' matrices are those of a folder, multiplied
    bool measured;       // its speed is on record, on a card and on a processor
    const char *mixture; // the row that serves its folders with experts; or NULL
    bool mtp;            // a block behind the trunk's may draft: mtp.h
    bool single;         // a layer is either a mixer or a feed-forward, whose width may be 0
};

const struct family *family_find(const char *name, size_t length); // or NULL
const struct family *family_of_model_type(const char *model_type); // or NULL

// How far a family is known to work: "measured", its speed and its answers on a card and on a
// processor; or "tested", its answers (engine/model/README.md).
const char *family_tier(const struct family *family);

enum { FAMILY_LIST_BYTES = 1024 };

// "llama, qwen2, …" and "llama, mistral, …", each in FAMILY_LIST_BYTES, for messages.
void family_list(char *names, char *model_types);

#endif
