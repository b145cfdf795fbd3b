#include "app/cli/template_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/exit_code.h"
#include "app/base/output.h"
#include "app/base/printable.h"
#include "app/chat/model_template.h"
#include "app/screen/complain.h"
#include "app/screen/terminal.h"
#include "prompts/jinja/jinja.h"
#include "prompts/jinja/json_value.h"
#include "prompts/template.h"

static enum status read_clock(struct tm *now, struct error *err) {
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t seconds = time(NULL);
    if (fixed && fixed[0]) {
        char *end;
        errno = 0;
        seconds = (time_t)strtoll(fixed, &end, 10);
        if (errno || *end)
            return error_set(err, STATUS_BAD_INPUT,
                             "SOURCE_DATE_EPOCH: expected a number, found \"%.40s\"", fixed);
    }
    if (!localtime_r(&seconds, now))
        return error_set(err, STATUS_BAD_INPUT, "SOURCE_DATE_EPOCH is out of range");
    return STATUS_OK;
}

// The request's variables, preceded by the defaults of what it may omit: no tools, no documents.
static enum status set_variables(const struct model_template *model, const struct value *request,
                                 struct jinja_run *run) {
    const struct dict *dict = request->as.dict;
    struct jinja_variable *variables = arena_alloc(&run->arena, dict->count + 5, sizeof *variables);
    if (!variables) return STATUS_FULL;
    struct value bos, eos;
    TRY(value_text(&run->arena, text_string(&model->bos), model->bos.length, ORIGIN_CONTROL, &bos));
    TRY(value_text(&run->arena, text_string(&model->eos), model->eos.length, ORIGIN_CONTROL, &eos));
    variables[run->variable_count++] = (struct jinja_variable){"bos_token", bos};
    variables[run->variable_count++] = (struct jinja_variable){"eos_token", eos};
    variables[run->variable_count++] = (struct jinja_variable){"tools", value_none()};
    variables[run->variable_count++] = (struct jinja_variable){"documents", value_none()};
    variables[run->variable_count++] =
        (struct jinja_variable){"add_generation_prompt", value_boolean(false)};
    for (size_t i = 0; i < dict->count; i++) {
        const struct chars *key = dict->entries[i].key.as.string;
        char *name = arena_alloc(&run->arena, key->length + 1, 1);
        if (!name) return STATUS_FULL;
        memcpy(name, key->bytes, key->length);
        variables[run->variable_count++] = (struct jinja_variable){name, dict->entries[i].value};
    }
    run->variables = variables;
    return STATUS_OK;
}

static enum status read_request(struct jinja_run *run, struct value *request, struct error *err) {
    struct text text = {0};
    enum status status = file_read_open(STDIN_FILENO, "stdin", &text, err);
    if (status == STATUS_OK) {
        struct error inner = {0};
        status = json_value_read(text_string(&text), text.length, &run->arena, request, &inner);
        if (status == STATUS_FULL)
            error_set(err, status, "the request on stdin is too large");
        else if (status != STATUS_OK)
            error_set(err, status, "the request on stdin: %s", inner.text);
    }
    text_deinit(&text);
    if (status == STATUS_OK && request->kind != VALUE_DICT)
        status = error_set(err, STATUS_BAD_INPUT, "the request on stdin is not a JSON object");
    return status;
}

static int complain_refused(const struct chars *refusal) {
    struct text line = {0};
    if (printable_text(refusal->bytes, refusal->length, &line) == STATUS_OK)
        fprintf(stderr, "%s\n", text_string(&line));
    text_deinit(&line);
    return EXIT_RUN_TIME;
}

// Reports a template's error, with the file before the position.
static int complain_template(const char *path, enum status status, const struct error *inner) {
    struct error err = {0};
    error_set(&err, status, "%.200s:%s", path, inner->text[0] ? inner->text : status_text(status));
    return complain_failed(EXIT_RUN_TIME, status, &err);
}

static int render(const char *path, const struct model_template *model, struct jinja_run *run) {
    struct error err = {0};
    struct jinja *jinja = NULL;
    int code = EXIT_DONE;
    const char *source = model->absent ? chat_template_chatml : text_string(&model->source);
    const size_t length = model->absent ? strlen(source) : model->source.length;
    enum status status = jinja_create(source, length, &jinja, &err);
    if (status == STATUS_OK) status = jinja_run(jinja, run, &err);
    if (status == STATUS_OK)
        for (size_t i = 0; i < run->piece_count; i++)
            output_write(run->pieces[i].bytes, run->pieces[i].length);
    else if (run->refusal)
        code = complain_refused(run->refusal);
    else
        code = complain_template(path, status, &err);
    jinja_destroy(jinja);
    return code;
}

int template_command_run(const struct args *args) {
    const char *path = args->operand_count ? args->operands[0] : args->model;
    struct model_template model = {0};
    struct jinja_run run;
    struct value request;
    struct error err = {0};
    struct tm now;
    int code = EXIT_DONE;
    enum status status = STATUS_OK;
    jinja_run_init(&run);
    if (!path)
        return complain_failed(EXIT_USAGE, STATUS_BAD_INPUT,
                               &(struct error){.text = "quire template needs FILE.jinja or MODEL"});
    status = model_template_read(path, &model, &err);
    if (status != STATUS_OK) {
        code = complain_failed(EXIT_MODEL, status, &err);
        goto done;
    }
    status = read_clock(&now, &err);
    run.now = &now;
    if (status == STATUS_OK) status = read_request(&run, &request, &err);
    if (status == STATUS_OK) status = set_variables(&model, &request, &run);
    code = status == STATUS_OK ? render(path, &model, &run)
                               : complain_failed(exit_code_for(status), status, &err);
done:
    jinja_run_deinit(&run);
    model_template_deinit(&model);
    return output_exit_code(code);
}
