#include "app/chat/model_cost.h"

#include "app/base/figures.h"
#include "engine/model/checkpoint.h"
#include "engine/model/config_read.h"
#include "engine/model/kv_shape.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "kernels/base/size.h"

enum {
    ROLE_TOKENS = 8, // estimate of a template's tokens around a message
};

static enum status count_tokens(const struct tokenizer *tokenizer, const struct message *messages,
                                size_t count, int64_t *tokens) {
    struct token_ids ids = {0};
    enum status status = STATUS_OK;
    *tokens = 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct piece piece = {PIECE_TEXT, messages[i].text, messages[i].length};
        ids.count = 0;
        status = tokenizer_encode(tokenizer, &piece, 1, &ids);
        *tokens += (int64_t)ids.count + ROLE_TOKENS;
    }
    token_ids_deinit(&ids);
    return status;
}

static enum status read_model(const struct gguf *gguf, const struct message *messages, size_t count,
                              struct model_cost *cost, struct error *err) {
    struct model_config config;
    struct tokenizer *tokenizer;
    TRY(model_config_read(gguf, &config, err));
    TRY(tokenizer_open_model(gguf, &tokenizer, err));
    *cost = (struct model_cost){.context = config.context};
    const enum status status = count_tokens(tokenizer, messages, count, &cost->tokens);
    tokenizer_close(tokenizer);
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++)
        cost->weight_bytes += gguf_tensor_at(gguf, i)->bytes;
    const struct kv_shape shape = kv_shape_of(&config);
    cost->kv_bytes = kv_shape_sequence_bytes(&shape, cost->tokens);
    return status;
}

enum status model_cost_read(const char *path, struct db *db, int64_t tip, struct model_cost *cost,
                            struct error *err) {
    struct gguf *gguf = NULL;
    struct message *messages = NULL;
    size_t count = 0;
    enum status status = message_path(db, tip, &messages, &count, err);
    if (status == STATUS_OK) status = checkpoint_open(path, &gguf, err);
    if (status == STATUS_OK) status = read_model(gguf, messages, count, cost, err);
    gguf_close(gguf);
    message_path_free(messages, count);
    return status;
}

enum status model_cost_describe(const struct model_cost *cost, struct text *text) {
    char weights[SIZE_TEXT_BYTES], kv[SIZE_TEXT_BYTES], tokens[COUNT_TEXT_BYTES];
    return text_format(text,
                       "This loads %s of weights and recomputes about %s of this conversation, "
                       "which take %s of cache.",
                       size_format(cost->weight_bytes, weights),
                       tokens_format(cost->tokens, tokens), size_format(cost->kv_bytes, kv));
}
