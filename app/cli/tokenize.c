#include "app/cli/tokenize.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/exit_code.h"
#include "app/base/output.h"
#include "app/base/printable.h"
#include "app/cli/launch.h"
#include "app/screen/complain.h"
#include "engine/model/checkpoint.h"
#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/tokenizer_json.h"

enum status tokenize_open(const char *path, struct gguf **gguf, struct tokenizer **tokenizer,
                          struct error *err) {
    struct gguf *file;
    if (tokenizer_is_in_folder(path)) return tokenizer_open_folder(path, tokenizer, err);
    TRY(checkpoint_open(path, &file, err));
    const enum status status = tokenizer_open(file, tokenizer, err);
    if (status != STATUS_OK)
        gguf_close(file);
    else
        *gguf = file;
    return status;
}

static enum status open_tokenizer(const struct args *args, struct gguf **gguf,
                                  struct tokenizer **tokenizer, struct error *err) {
    struct text path = {0};
    bool demo;
    enum status status = launch_find_model(args, &path, &demo, err);
    if (status == STATUS_OK) status = tokenize_open(text_string(&path), gguf, tokenizer, err);
    text_deinit(&path);
    return status;
}

static enum status encode(const struct args *args, const struct tokenizer *tokenizer,
                          const struct text *text, struct token_ids *ids, struct error *err) {
    if (args->bos && tokenizer_bos(tokenizer) == TOKEN_NONE)
        return error_set(err, STATUS_UNSUPPORTED, "this vocabulary has no BOS token");
    if (args->bos) TRY(token_ids_push(ids, tokenizer_bos(tokenizer)));
    const struct piece piece = {PIECE_TEXT, text_string(text), text->length};
    return tokenizer_encode(tokenizer, &piece, 1, ids);
}

// Ids on one line, separated by spaces; pieces one a line.
static enum status print(const struct args *args, const struct tokenizer *tokenizer,
                         const struct token_ids *ids) {
    struct text lines = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < ids->count && status == STATUS_OK; i++) {
        const struct gguf_string piece = tokenizer_piece(tokenizer, ids->ids[i]);
        status = args->ids ? text_format(&lines, "%s%d", i ? " " : "", (int)ids->ids[i])
                           : printable_append(&lines, piece.bytes, piece.length);
        if (status == STATUS_OK && !args->ids) status = text_append_string(&lines, "\n");
    }
    if (status == STATUS_OK && args->ids) status = text_append_string(&lines, "\n");
    if (status == STATUS_OK) output_write(text_string(&lines), lines.length);
    text_deinit(&lines);
    return status;
}

int tokenize_run(const struct args *args) {
    struct gguf *gguf = NULL;
    struct tokenizer *tokenizer = NULL;
    struct text text = {0};
    struct token_ids ids = {0};
    struct error err = {0};
    int code = EXIT_DONE;
    enum status status = open_tokenizer(args, &gguf, &tokenizer, &err);
    if (status != STATUS_OK) {
        code = complain_failed(EXIT_MODEL, status, &err);
        goto done;
    }
    status = file_read_open(STDIN_FILENO, "stdin", &text, &err);
    if (status == STATUS_OK) status = encode(args, tokenizer, &text, &ids, &err);
    if (status == STATUS_OK) status = print(args, tokenizer, &ids);
    if (status != STATUS_OK) code = complain_failed(exit_code_for(status), status, &err);
done:
    token_ids_deinit(&ids);
    text_deinit(&text);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    return output_exit_code(code);
}
