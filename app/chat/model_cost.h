// app/chat/model_cost.h — what it costs to go on with a conversation in another model.
//
// Read from that model's file before it is opened: its messages become its own tokens, which are
// computed anew. No threads.
#ifndef APP_MODEL_COST_H
#define APP_MODEL_COST_H

#include "kernels/base/text.h"
#include "store/message.h"

struct model_cost {
    int64_t tokens; // of the conversation, about
    int64_t context;
    size_t weight_bytes, kv_bytes;
};

// Of the messages from the root to `tip`. As checkpoint_open(), tokenizer_open() and
// message_path().
MUST_CHECK enum status model_cost_read(const char *path, struct db *db, int64_t tip,
                                       struct model_cost *cost, struct error *err);

// "1.2 GiB of weights are loaded, …", appended.
MUST_CHECK enum status model_cost_describe(const struct model_cost *cost, struct text *text);

#endif
