#include "app/bench/template.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/exit_code.h"
#include "app/base/json.h"
#include "app/base/output.h"
#include "app/bench/samples.h"
#include "app/chat/model_template.h"
#include "app/screen/complain.h"
#include "engine/model/checkpoint.h"
#include "kernels/base/clock.h"

enum {
    DEFAULT_RUNS = 21,
    MESSAGE_BYTES = 4096, // the new one
    PAST_BYTES = 400,     // each of those before
    ROWS = 3,
};

static const size_t PAST_TURNS[ROWS] = {1, 10, 100};

struct row {
    size_t turns, bytes, tokens; // before the new one; of the new one
    struct figure render_us, tokenize_us;
};

struct template_bench {
    const struct bench_template_options *options;
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    struct chat_template *chat_template;
    struct row rows[ROWS];
};

static enum status create_from_file(struct template_bench *bench, struct error *err) {
    struct model_template found = {0};
    TRY(model_template_read(bench->options->template_path, &found, err));
    const struct chat_template_options options = {.source = text_string(&found.source),
                                                  .length = found.source.length,
                                                  .bos = text_string(&found.bos),
                                                  .eos = text_string(&found.eos)};
    const enum status status = chat_template_create(&options, &bench->chat_template, err);
    model_template_deinit(&found);
    return status;
}

static enum status open_bench(struct template_bench *bench, struct error *err) {
    TRY(checkpoint_open(bench->options->model_path, &bench->gguf, err));
    TRY(tokenizer_open(bench->gguf, &bench->tokenizer, err));
    if (bench->options->template_path) return create_from_file(bench, err);
    return model_template_create(bench->gguf, bench->tokenizer, &bench->chat_template, err);
}

static void close_bench(struct template_bench *bench) {
    chat_template_destroy(bench->chat_template);
    tokenizer_close(bench->tokenizer);
    gguf_close(bench->gguf);
}

// Prose of so many bytes.
static enum status write_text(struct text *text, size_t bytes, uint32_t salt) {
    static const char *const words[] = {"the ",    "paper ",  "of a ",   "quire, ",
                                        "folded ", "once; ",  "then ",   "sewn.\n",
                                        "Leaves ", "and 24 ", "sheets ", "in "};
    text_clear(text);
    while (text->length < bytes) {
        salt = salt * 1664525u + 1013904223u;
        TRY(text_append_string(text, words[(salt >> 16) % (sizeof words / sizeof words[0])]));
    }
    text->length = bytes;
    text->bytes[bytes] = '\0';
    return STATUS_OK;
}

static enum status time_once(const struct template_bench *bench, const struct render *what,
                             struct row *row, struct samples samples[2], struct error *err) {
    struct prompt prompt = {0};
    struct token_ids ids = {0};
    enum prompt_keeps keeps;
    const char *end = chat_template_stops(bench->chat_template)[0];
    const int64_t begun = clock_now_us();
    enum status status =
        chat_template_continue(bench->chat_template, what, end ? end : "", &prompt, &keeps, err);
    const int64_t rendered = clock_now_us();
    if (status == STATUS_OK)
        status = tokenizer_encode(bench->tokenizer, prompt.pieces, prompt.count, &ids);
    samples_add(&samples[0], (double)(rendered - begun));
    samples_add(&samples[1], (double)(clock_now_us() - rendered));
    row->tokens = ids.count;
    token_ids_deinit(&ids);
    prompt_deinit(&prompt);
    return status;
}

static enum status time_row(const struct template_bench *bench, struct row *row,
                            struct error *err) {
    const size_t count = 2 * row->turns + 1;
    struct chat_message *messages = calloc(count, sizeof *messages);
    struct text past = {0}, new = {0};
    struct samples samples[2] = {0};
    const int32_t runs = bench->options->runs > 0 ? bench->options->runs : DEFAULT_RUNS;
    enum status status = messages ? STATUS_OK : STATUS_NO_MEMORY;
    if (status == STATUS_OK) status = write_text(&past, PAST_BYTES, 1);
    if (status == STATUS_OK) status = write_text(&new, MESSAGE_BYTES, 2);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        messages[i] = (struct chat_message){i % 2 ? ROLE_ASSISTANT : ROLE_USER, text_string(&past),
                                            past.length};
    if (status == STATUS_OK)
        messages[count - 1] = (struct chat_message){ROLE_USER, text_string(&new), new.length};
    const struct render what = {.messages = messages, .count = count, .ask = true};
    for (int32_t run = 0; run < runs && status == STATUS_OK; run++)
        status = time_once(bench, &what, row, samples, err);
    row->bytes = 2 * row->turns * PAST_BYTES;
    row->render_us = samples_figure(&samples[0]);
    row->tokenize_us = samples_figure(&samples[1]);
    free(messages);
    text_deinit(&past);
    text_deinit(&new);
    return status;
}

static void print_table(const struct template_bench *bench) {
    char line[160];
    output_string("a new message of 4096 bytes   turns before   rendering   tokenising    "
                  "together   tokens\n");
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &bench->rows[i];
        const double render_us = row->render_us.median, tokenize_us = row->tokenize_us.median;
        snprintf(line, sizeof line, "%-30s%12zu %8.0f µs %9.0f µs %8.0f µs %8zu\n",
                 i == 0 ? chat_template_name(bench->chat_template) : "", row->turns, render_us,
                 tokenize_us, render_us + tokenize_us, row->tokens);
        output_string(line);
    }
}

static bool add_row(cJSON *array, const struct row *row) {
    cJSON *object = cJSON_CreateObject();
    if (!object || !cJSON_AddItemToArray(array, object)) return false;
    return cJSON_AddNumberToObject(object, "turns_before", (double)row->turns) &&
           cJSON_AddNumberToObject(object, "bytes_before", (double)row->bytes) &&
           cJSON_AddNumberToObject(object, "message_bytes", MESSAGE_BYTES) &&
           cJSON_AddNumberToObject(object, "tokens", (double)row->tokens) &&
           cJSON_AddNumberToObject(object, "render_us", row->render_us.median) &&
           cJSON_AddNumberToObject(object, "tokenize_us", row->tokenize_us.median);
}

static enum status print_json(const struct template_bench *bench) {
    cJSON *root = cJSON_CreateObject();
    cJSON *rows = cJSON_AddArrayToObject(root, "template");
    bool built = rows != NULL;
    for (size_t i = 0; i < ROWS && built; i++)
        built = add_row(rows, &bench->rows[i]);
    char *text = !built                     ? NULL
                 : bench->options->one_line ? cJSON_PrintUnformatted(root)
                                            : cJSON_Print(root);
    if (text) {
        output_string(text);
        output_string("\n");
    }
    cJSON_free(text);
    cJSON_Delete(root);
    return text ? STATUS_OK : STATUS_NO_MEMORY;
}

int bench_template_run(const struct bench_template_options *options) {
    struct template_bench bench = {.options = options};
    struct error err = {0};
    enum status status = open_bench(&bench, &err);
    for (size_t i = 0; i < ROWS && status == STATUS_OK; i++) {
        bench.rows[i].turns = PAST_TURNS[i];
        status = time_row(&bench, &bench.rows[i], &err);
    }
    if (status == STATUS_OK && options->json)
        status = print_json(&bench);
    else if (status == STATUS_OK)
        print_table(&bench);
    close_bench(&bench);
    const int code = status == STATUS_OK
                         ? EXIT_DONE
                         : complain_failed(exit_code_for_model(status), status, &err);
    return output_exit_code(code);
}
