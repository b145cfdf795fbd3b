// app/chat/model_template.h — where a chat template is found: in a file of its own, or in a model.
//
//   FILE.jinja      the file; BOS and EOS are written as <BOS> and <EOS>
//   MODEL.gguf      tokenizer.chat_template, with the vocabulary's own BOS and EOS
//   FOLDER          chat_template.jinja; or chat_template in tokenizer_config.json or, for models
//                   that see images, in chat_template.json
//
// Memory: texts are owned by the struct, {0} is empty; a template by the caller.
#ifndef APP_MODEL_TEMPLATE_H
#define APP_MODEL_TEMPLATE_H

#include <stdbool.h>

#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/text.h"
#include "prompts/template.h"

struct model_template {
    struct text source, bos, eos;
    bool absent; // the model has none; `source` is empty
};

// NOT_FOUND, IO, BAD_FILE, UNSUPPORTED: why it cannot be read, with its path.
MUST_CHECK enum status model_template_read(const char *path, struct model_template *found,
                                           struct error *err);
void model_template_deinit(struct model_template *found);

// The template of an open model, or ChatML, ready to render; without a tokenizer (NULL) BOS and EOS
// are nothing. `other`, unless it is NULL, takes its place: the name of a template that quire has,
// or a file as above. As chat_template_create(), and as model_template_read().
MUST_CHECK enum status model_template_create(const struct gguf *gguf,
                                             const struct tokenizer *tokenizer, const char *other,
                                             struct chat_template **result, struct error *err);

#endif
