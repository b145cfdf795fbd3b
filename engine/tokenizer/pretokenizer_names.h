// engine/tokenizer/pretokenizer_names.h — which expressions does a pre-tokeniser name in GGUF mean?
//
// Converters name models, not expressions; hence many names share one row of expressions. These are
// the ones published in the models' own tokenizer.json or tokenizer code.
#ifndef ENGINE_PRETOKENIZER_NAMES_H
#define ENGINE_PRETOKENIZER_NAMES_H

#include "engine/model/gguf.h"

enum { PRETOKENIZER_ROW_STEPS = 6 };

struct pretokenizer_row {
    const char *const *steps; // [PRETOKENIZER_ROW_STEPS], NULL after the last; each CUT_ISOLATED
    const char *names;        // between spaces
    bool ignores_merges, adds_bos;
};

extern const char pretokenizer_words[]; // GPT-2's expression

// NULL if the name is not known.
const struct pretokenizer_row *pretokenizer_find_row(struct gguf_string name);

// Is it one of the names of GGUF for BPE over characters, with U+2581 for a space?
bool pretokenizer_is_of_characters(struct gguf_string name);

#endif
