// app/cli/launch_check.c — launch_check(): what else is wrong, where there is no prompt to answer.
//
// Loading a model takes a while, only to say afterwards that the prompt is empty. So this looks for
// everything that the options name, and opens just what is small: the model's header and
// vocabulary, the adapters, the chat template, the preamble and the structure. A server is not
// asked.
#include "app/base/exit_code.h"
#include "app/chat/model_template.h"
#include "app/chat/structure.h"
#include "app/cli/launch.h"
#include "app/screen/complain.h"
#include "engine/model/adapter.h"
#include "engine/model/checkpoint.h"
#include "engine/model/config_read.h"
#include "engine/tokenizer/tokenizer_json.h"

static enum status check_adapters(const struct args *args, struct error *err) {
    struct launch_adapters named = {.count = 0};
    struct adapters adapters = {.count = 0};
    enum status status = launch_read_adapters(args, &named, err);
    if (status == STATUS_OK) status = adapters_open(named.sources, named.count, &adapters, err);
    adapters_close(&adapters);
    launch_adapters_deinit(&named);
    return status;
}

static enum status check_model(const struct launch *launch, struct gguf **gguf,
                               struct tokenizer **tokenizer, struct error *err) {
    struct model_config config;
    struct chat_template *chat_template = NULL;
    TRY(checkpoint_open(text_string(&launch->model), gguf, err));
    TRY(model_config_read(*gguf, &config, err));
    TRY(tokenizer_open_model(*gguf, tokenizer, err));
    TRY(check_adapters(launch->args, err));
    TRY(model_template_create(*gguf, *tokenizer, launch_chat_template(launch), &chat_template,
                              err));
    chat_template_destroy(chat_template);
    return STATUS_OK;
}

static int check_structure(const struct launch *launch, const struct tokenizer *tokenizer) {
    const struct args *args = launch->args;
    struct structure structure = {.tokenizer = tokenizer, .remote = !tokenizer};
    struct error err = {0};
    structure.takes_grammars = structure.remote;
    const enum status status = launch_structure(args, &structure, &err);
    structure_deinit(&structure);
    return status == STATUS_OK ? EXIT_DONE
                               : complain_failed(exit_code_for_file(status), status, &err);
}

int launch_check(struct launch *launch) {
    struct gguf *gguf = NULL;
    struct tokenizer *tokenizer = NULL;
    struct error err = {0};
    launch->only_finds = launch->cost_said = true;
    int code = launch_files(launch);
    if (code == EXIT_DONE) code = launch_model(launch);
    if (code == EXIT_DONE && launch->model.length) { // else it is on a server
        const enum status status = check_model(launch, &gguf, &tokenizer, &err);
        if (status != STATUS_OK) code = complain_failed(exit_code_for_model(status), status, &err);
    }
    if (code == EXIT_DONE) code = check_structure(launch, tokenizer);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    return code;
}
