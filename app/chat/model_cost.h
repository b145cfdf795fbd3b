// app/chat/model_cost.h — what would it cost to continue a conversation with another model?
//
// Read from the model's file without opening the model: all messages would be tokenized and
// computed again. Threads: no state.
#ifndef APP_MODEL_COST_H
#define APP_MODEL_COST_H

#include "kernels/base/text.h"
#include "store/message.h"

struct model_cost {
    int64_t tokens; // approximate length of the conversation
    int64_t context;
    size_t weight_bytes, kv_bytes;
};

// For the messages from the root to `tip`. Fails as checkpoint_open(), tokenizer_open() and
// message_path() do.
MUST_CHECK enum status model_cost_read(const char *path, struct db *db, int64_t tip,
                                       struct model_cost *cost, struct error *err);

// Appends "1.2 GiB of weights are loaded, …".
MUST_CHECK enum status model_cost_describe(const struct model_cost *cost, struct text *text);

#endif
