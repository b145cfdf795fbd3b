// app/chat/model_template.h — reads a chat template from its own file or from a model.
//
//   FILE.jinja      the file; BOS and EOS are written as <BOS> and <EOS>
//   MODEL.gguf      tokenizer.chat_template, with the vocabulary's own BOS and EOS
//   FOLDER          chat_template.jinja; or chat_template in tokenizer_config.json or, for models
//                   that see images, in chat_template.json
//
// Memory: the struct owns its texts, {0} is empty; the caller owns a created template.
#ifndef APP_MODEL_TEMPLATE_H
#define APP_MODEL_TEMPLATE_H

#include <stdbool.h>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/text.h"
#include "prompts/template.h"

struct model_template {
    struct text source, bos, eos;
    bool absent; // the model has no template; `source` is ""
};

// NOT_FOUND, IO, BAD_FILE, UNSUPPORTED: the error says why it cannot be read, with its path.
MUST_CHECK enum status model_template_read(const char *path, struct model_template *found,
                                           struct error *err);
void model_template_deinit(struct model_template *found);

// The template of an open model, or ChatML if it has none, ready to render. Without a tokenizer
// (NULL), BOS and EOS are empty. `other`, unless NULL, replaces the model's template: a built-in
// template's name, or a file as above. Fails as chat_template_create() and model_template_read()
// do; BAD_INPUT: `other` has no template.
MUST_CHECK enum status model_template_create(const struct gguf *gguf,
                                             const struct tokenizer *tokenizer, const char *other,
                                             struct chat_template **result, struct error *err);

#endif
