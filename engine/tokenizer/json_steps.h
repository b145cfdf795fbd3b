// engine/tokenizer/json_steps.h — the steps of a tokenizer.json before and after its model.
//
// Reads "normalizer", "pre_tokenizer", "decoder" and "post_processor" into a tokenizer that is
// being opened. A part that is absent or null does nothing. UNSUPPORTED names what is not
// supported, BAD_FILE what is not well-formed; see tokenizer_json.h for the list.
#ifndef ENGINE_JSON_STEPS_H
#define ENGINE_JSON_STEPS_H

#include "engine/tokenizer/internal.h"
#include "kernels/base/json_view.h"

enum { JSON_STEPS_MAX_DEPTH = 4 }; // of Sequences in Sequences

MUST_CHECK enum status json_steps_normalizer(struct json_view view, const char *name,
                                             struct normalizer *normalizer, struct error *err);

struct json_cuts { // the result of a pre_tokenizer
    struct pretokenizer *pretokenizer;
    struct normalizer *spacing; // what it does to spaces before it cuts
    bool byte_level;            // are its words written as bytes?
};

// Fills in the steps of both, which are empty.
MUST_CHECK enum status json_steps_pretokenizer(struct json_view view, const char *name,
                                               struct json_cuts *cuts, struct error *err);

struct json_decoding {
    bool marks_space; // U+2581 is a space
    bool drops_space; // the first one is left out
};

MUST_CHECK enum status json_steps_decoder(struct json_view view, const char *name,
                                          struct json_decoding *decoding, struct error *err);

struct json_beginning {
    bool templates;         // is there a template that determines what comes first?
    struct json_view token; // the text of the special token that does, or JSON_ABSENT
};

MUST_CHECK enum status json_steps_post_processor(struct json_view view, const char *name,
                                                 struct json_beginning *beginning,
                                                 struct error *err);

#endif
