// app/console/command_model.c — /model: the conversation goes on in another model, in a fork.
//
// Its messages are the same, and their tokens are that model's own, computed anew. What that costs
// is read from the other model's file before this one is left.
#include "app/base/figures.h"
#include "app/base/path.h"
#include "app/console/command.h"
#include "app/console/keys.h"
#include "app/screen/terminal.h"
#include "engine/model/checkpoint.h"
#include "engine/model/config_read.h"
#include "engine/model/kv_shape.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "kernels/base/size.h"

enum {
    ROLE_TOKENS = 8, // about what a template writes around a message
};

struct cost {
    int64_t tokens; // of the conversation, about
    int64_t context;
    size_t weight_bytes, kv_bytes;
};

static enum status check(const struct console *console, struct error *err) {
    if (console->session->front->turn.active || console->session->unfollowed_count > 0)
        return error_set(err, STATUS_BUSY,
                         "cannot change the model while answers are being written");
    if (!console->saved && chat_turn_count(console->session->front) > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "nothing is saved in this chat, so another model would end it: /export "
                         "keeps it");
    return STATUS_OK;
}

static enum status count_tokens(const struct tokenizer *tokenizer,
                                const struct transcript *transcript, int64_t *tokens) {
    struct token_ids ids = {0};
    enum status status = STATUS_OK;
    *tokens = 0;
    for (size_t i = 0; i < transcript->count && status == STATUS_OK; i++) {
        const struct message *message = &transcript->entries[i].message;
        const struct piece piece = {PIECE_TEXT, message->text, message->length};
        ids.count = 0;
        status = tokenizer_encode(tokenizer, &piece, 1, &ids);
        *tokens += (int64_t)ids.count + ROLE_TOKENS;
    }
    token_ids_deinit(&ids);
    return status;
}

static enum status read_cost(const struct gguf *gguf, const struct transcript *transcript,
                             struct cost *cost, struct error *err) {
    struct model_config config;
    struct tokenizer *tokenizer;
    TRY(model_config_read(gguf, &config, err));
    TRY(tokenizer_open_model(gguf, &tokenizer, err));
    *cost = (struct cost){.context = config.context};
    const enum status status = count_tokens(tokenizer, transcript, &cost->tokens);
    tokenizer_close(tokenizer);
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++)
        cost->weight_bytes += gguf_tensor_at(gguf, i)->bytes;
    cost->kv_bytes = kv_shape_sequence_bytes(&config, cost->tokens);
    return status;
}

// False: no, or it is impossible; why has been said.
static bool wants(struct console *console, const char *path) {
    const struct transcript *transcript = &console->session->front->transcript;
    char weights[SIZE_TEXT_BYTES], kv[SIZE_TEXT_BYTES], tokens[COUNT_TEXT_BYTES];
    struct gguf *gguf = NULL;
    struct cost cost = {0};
    struct error err = {0};
    enum status status = checkpoint_open(path, &gguf, &err);
    if (status == STATUS_OK) status = read_cost(gguf, transcript, &cost, &err);
    gguf_close(gguf);
    if (status == STATUS_OK && cost.tokens >= cost.context)
        status = error_set(&err, STATUS_TOO_LONG,
                           "the conversation has about %s tokens there, and the model was made for "
                           "%d; /compact makes it shorter",
                           count_format(cost.tokens, tokens), (int)cost.context);
    if (console_failed(status, &err)) return false;
    if (chat_turn_count(console->session->front) == 0) return true;
    terminal_tell(STYLE_PLAIN,
                  "%s of weights are loaded, and about %s tokens of this conversation computed "
                  "anew, which take %s of cache. It goes on there in a fork, and stays here as it "
                  "is.\n",
                  size_format(cost.weight_bytes, weights), count_format(cost.tokens, tokens),
                  size_format(cost.kv_bytes, kv));
    return keys_agree(console);
}

void command_model(struct console *console, const char *argument) {
    struct engine_info info;
    struct text typed = {0}, path = {0};
    struct error err = {0};
    bool elsewhere = false; // what it costs is the server's to say
    engine_info(console->session->engine, &info);
    if (!argument[0]) {
        terminal_say(STYLE_PLAIN, "%s, %s\n", info.model_name,
                     info.model_path ? info.model_path : "built in");
        return;
    }
    enum status status = check(console, &err);
    if (status == STATUS_OK) status = path_expand(argument, &typed);
    if (status == STATUS_OK)
        status =
            console->find_model(console->find_user, text_string(&typed), &path, &elsewhere, &err);
    text_deinit(&typed);
    const struct conversation *here = &console->session->front->conversation;
    if (console_failed(status, &err) || !(elsewhere || wants(console, text_string(&path)))) {
        text_deinit(&path);
        return;
    }
    if (here->id[0])
        terminal_tell(STYLE_DIM, "/resume %s goes back to this conversation.\n", here->id);
    console->model = path;
    console->leave = true;
}
