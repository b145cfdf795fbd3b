#include "app/cli/kv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/json.h"
#include "app/base/output.h"
#include "app/base/printable.h"
#include "app/cli/kv_disk.h"
#include "app/cli/launch.h"
#include "app/screen/complain.h"
#include "app/screen/terminal.h"
#include "kernels/base/size.h"
#include "store/conversation.h"
#include "store/disk_cache/disk_cache.h"

enum { NAMES_MOST = 10000, MODEL_COLUMNS = 28, NAME_COLUMNS = 28, ID_TEXT_BYTES = 24 };

static int failed(enum status status, const struct error *err) {
    return complain_failed(EXIT_RUN_TIME, status, err);
}

static bool wants_json(const struct args *args) { return strcmp(args->format, "text") != 0; }

static int put_object(cJSON *object, const struct args *args, int code) {
    if (json_put(object, strcmp(args->format, "jsonl") == 0)) return output_exit_code(code);
    return failed(STATUS_NO_MEMORY, &(struct error){0});
}

static void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void print(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    output_text(line, strlen(line));
}

static const char *conversation_id(uint64_t conversation, char id[ID_TEXT_BYTES]) {
    snprintf(id, ID_TEXT_BYTES, "%08" PRIx64, conversation);
    return id;
}

// The conversations of the database, for their names.
struct names {
    struct conversation_row *rows;
    size_t count;
};

// A conversation's name or preview; NULL: not in the database.
static const char *find_name(const struct names *names, const char *id) {
    for (size_t i = 0; i < names->count; i++) {
        const struct conversation *conversation = &names->rows[i].conversation;
        if (strcmp(conversation->id, id) == 0)
            return conversation->name[0] ? conversation->name : names->rows[i].preview;
    }
    return NULL;
}

static cJSON *model_json(const struct disk_format_usage *model) {
    cJSON *object = cJSON_CreateObject();
    char format[HASH_HEX_BYTES];
    if (object && json_add_text(object, "model", model->model) &&
        json_add_text(object, "format", hash_hex(model->format, format)) &&
        json_add_number(object, "block_size", model->block_size) &&
        json_add_number(object, "blocks", (double)model->blocks) &&
        json_add_number(object, "tokens", (double)model->tokens) &&
        json_add_number(object, "payload_bytes", (double)model->payload_bytes) &&
        json_add_number(object, "used_ms", (double)model->used_ms))
        return object;
    cJSON_Delete(object);
    return NULL;
}

static cJSON *reference_json(const struct names *names,
                             const struct disk_reference_usage *reference) {
    cJSON *object = cJSON_CreateObject();
    char id[ID_TEXT_BYTES];
    if (object && json_add_text(object, "id", conversation_id(reference->conversation, id)) &&
        json_add_text(object, "name", find_name(names, id)) &&
        json_add_number(object, "tokens", (double)reference->tokens) &&
        json_add_number(object, "unique_bytes", (double)reference->unique_bytes) &&
        json_add_number(object, "shared_bytes", (double)reference->shared_bytes))
        return object;
    cJSON_Delete(object);
    return NULL;
}

static bool fill_summary(cJSON *object, const struct names *names,
                         const struct disk_cache_summary *summary) {
    const bool whole =
        json_add_number(object, "stored_bytes", (double)summary->stored_bytes) &&
        json_add_number(object, "limit_bytes", (double)summary->limit_bytes) &&
        json_add_number(object, "block_bytes", (double)summary->block_bytes) &&
        json_add_number(object, "unreferenced_bytes", (double)summary->unreferenced_bytes) &&
        json_add_number(object, "free_bytes", (double)summary->free_bytes) &&
        json_add_number(object, "index_bytes", (double)summary->index_bytes) &&
        json_add_number(object, "files", (double)summary->files) &&
        json_add_number(object, "blocks", (double)summary->blocks);
    cJSON *models = cJSON_AddArrayToObject(object, "models");
    cJSON *references = cJSON_AddArrayToObject(object, "conversations");
    if (!whole || !models || !references) return false;
    for (size_t i = 0; i < summary->format_count; i++)
        if (!cJSON_AddItemToArray(models, model_json(&summary->formats[i]))) return false;
    for (size_t i = 0; i < summary->reference_count; i++)
        if (!cJSON_AddItemToArray(references, reference_json(names, &summary->references[i])))
            return false;
    return true;
}

static int list_json(const struct args *args, const struct names *names, const char *folder,
                     const struct disk_cache_summary *summary) {
    cJSON *object = cJSON_CreateObject();
    if (object && json_add_text(object, "folder", folder) && fill_summary(object, names, summary))
        return put_object(object, args, EXIT_DONE);
    cJSON_Delete(object);
    return failed(STATUS_NO_MEMORY, &(struct error){0});
}

// Names come from files or people, so they are made safe for a terminal.
static void print_column(const char *text, int columns) {
    struct text harmless = {0}, column = {0};
    if (printable_text(text, strlen(text), &harmless) == STATUS_OK &&
        text_fit(&column, text_string(&harmless), columns, true) == STATUS_OK)
        output_string(text_string(&column));
    text_deinit(&harmless);
    text_deinit(&column);
}

static void print_models(const struct disk_cache_summary *summary) {
    print("%-*s %5s %9s %11s %11s  %s\n", MODEL_COLUMNS, "model", "block", "blocks", "tokens",
          "bytes", "used");
    for (size_t i = 0; i < summary->format_count; i++) {
        const struct disk_format_usage *model = &summary->formats[i];
        char blocks[COUNT_TEXT_BYTES], tokens[COUNT_TEXT_BYTES], bytes[SIZE_TEXT_BYTES];
        char age[AGE_TEXT_BYTES];
        print_column(model->model, MODEL_COLUMNS);
        print(" %5" PRId32 " %9s %11s %11s  %s\n", model->block_size,
              count_format((int64_t)model->blocks, blocks),
              count_format((int64_t)model->tokens, tokens),
              size_format(model->payload_bytes, bytes),
              age_format(calendar_ms() - model->used_ms, age));
    }
}

static void print_references(const struct names *names, const struct disk_cache_summary *summary) {
    print("\n%-8s  %-*s %9s %13s %13s\n", "id", NAME_COLUMNS, "conversation", "tokens", "unique",
          "shared");
    for (size_t i = 0; i < summary->reference_count; i++) {
        const struct disk_reference_usage *reference = &summary->references[i];
        char id[ID_TEXT_BYTES], tokens[COUNT_TEXT_BYTES];
        char unique[SIZE_TEXT_BYTES], shared[SIZE_TEXT_BYTES];
        print("%-8s  ", conversation_id(reference->conversation, id));
        const char *name = find_name(names, id);
        print_column(name ? name : "(not in this database)", NAME_COLUMNS);
        print(" %9s %13s %13s\n", count_format((int64_t)reference->tokens, tokens),
              size_format(reference->unique_bytes, unique),
              size_format(reference->shared_bytes, shared));
    }
}

static void print_bytes(uint64_t bytes, const char *what) {
    char count[COUNT_TEXT_BYTES];
    print("%17s  %s\n", count_format((int64_t)bytes, count), what);
}

static void print_sum(const struct disk_cache_summary *summary) {
    char blocks[COUNT_TEXT_BYTES], files[COUNT_TEXT_BYTES], limit[SIZE_TEXT_BYTES], what[160];
    output_string("\n");
    print_bytes(summary->block_bytes - summary->unreferenced_bytes,
                "bytes in blocks that a conversation uses");
    print_bytes(summary->unreferenced_bytes, "in blocks that no conversation uses");
    print_bytes(summary->free_bytes, "free");
    print_bytes(summary->index_bytes, "in the index");
    snprintf(what, sizeof what, "stored%s%s: %s in %s", summary->limit_bytes ? ", of " : "",
             summary->limit_bytes ? size_format(summary->limit_bytes, limit) : "",
             nouns_format((int64_t)summary->blocks, "block", blocks),
             nouns_format((int64_t)summary->files, "file", files));
    print_bytes(summary->stored_bytes, what);
}

static void complain_of_foreign(const char *folder, const struct disk_cache_summary *summary) {
    struct error err = {0};
    if (summary->foreign_files == 1)
        error_set(&err, STATUS_OK, "%s/%s does not belong to quire and is not counted", folder,
                  summary->foreign);
    else
        error_set(&err, STATUS_OK,
                  "%zu files in %s, such as %s, do not belong to quire and are not counted",
                  summary->foreign_files, folder, summary->foreign);
    complain(err.text);
}

static int list(const struct args *args, const struct names *names, const char *folder) {
    struct disk_cache_summary summary = {0};
    struct error err = {0};
    const enum status status = disk_cache_summarise(folder, &summary, &err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) return failed(status, &err);
    int code = EXIT_DONE;
    if (wants_json(args)) {
        code = list_json(args, names, folder, &summary);
    } else if (status == STATUS_NOT_FOUND) {
        error_set(&err, status, "nothing is cached in %s", folder);
        if (!args->quiet) complain(err.text);
    } else {
        print_models(&summary);
        if (summary.reference_count) print_references(names, &summary);
        print_sum(&summary);
        code = output_exit_code(code);
    }
    if (summary.foreign_files > 0 && !args->quiet) complain_of_foreign(folder, &summary);
    disk_cache_summary_deinit(&summary);
    return code;
}

static int list_with_names(const struct args *args, const struct config *config,
                           const char *folder) {
    struct launch launch = {.args = args, .config = config};
    struct names names = {0};
    struct error err = {0};
    int code = launch_store(&launch);
    if (code == EXIT_DONE) {
        const enum status status =
            conversation_list(launch.db, &(struct conversation_query){"", NAMES_MOST, true},
                              &names.rows, &names.count, &err);
        code = status == STATUS_OK ? list(args, &names, folder) : failed(status, &err);
    }
    free(names.rows);
    launch_close(&launch);
    return code;
}

// Bad blocks: lines of text, or items of an array (NULL when memory was short).
static void print_note(void *user, const char *line) {
    cJSON *notes = user;
    if (notes)
        cJSON_AddItemToArray(notes, cJSON_CreateString(line));
    else
        print("%s\n", line);
}

static cJSON *check_json(const struct disk_cache_report *report, size_t gone, cJSON *notes) {
    cJSON *object = cJSON_CreateObject();
    if (object && json_add_number(object, "blocks", (double)report->blocks) &&
        json_add_number(object, "bytes", (double)report->bytes) &&
        json_add_number(object, "damaged", (double)report->damaged) &&
        json_add_number(object, "missing", (double)report->missing) &&
        json_add_number(object, "lost", (double)report->lost) &&
        json_add_number(object, "free_bytes", (double)report->free_bytes) &&
        json_add_number(object, "gone", (double)gone) &&
        cJSON_AddItemToObject(object, "notes", notes))
        return object;
    cJSON_Delete(object);
    cJSON_Delete(notes);
    return NULL;
}

static void print_check(const struct disk_cache_report *report) {
    char blocks[COUNT_TEXT_BYTES], bytes[SIZE_TEXT_BYTES], count[COUNT_TEXT_BYTES];
    print("%s, %s: good\n", nouns_format((int64_t)report->blocks, "block", blocks),
          size_format(report->bytes, bytes));
    if (report->damaged)
        print("%s damaged: dropped\n", count_format((int64_t)report->damaged, count));
    if (report->missing)
        print("%s missing: dropped\n", count_format((int64_t)report->missing, count));
    if (report->lost)
        print("%s unusable because earlier blocks are missing: dropped\n",
              count_format((int64_t)report->lost, count));
    if (report->free_bytes)
        print("%s outside any block: freed\n", size_format(report->free_bytes, bytes));
}

static int check(const struct args *args, const struct config *config, const char *folder) {
    struct disk_cache_report report = {0};
    struct error err = {0};
    const size_t gone = kv_disk_forget_gone(config, folder);
    cJSON *notes = wants_json(args) ? cJSON_CreateArray() : NULL;
    if (wants_json(args) && !notes) return failed(STATUS_NO_MEMORY, &err);
    const enum status status = disk_cache_check(folder, print_note, notes, &report, &err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) {
        cJSON_Delete(notes);
        return failed(status, &err);
    }
    const int code = report.damaged || report.missing || report.lost ? EXIT_RUN_TIME : EXIT_DONE;
    if (notes) return put_object(check_json(&report, gone, notes), args, code);
    print_check(&report);
    if (gone > 0)
        print("%zu conversation%s deleted elsewhere: removed from the index\n", gone,
              gone == 1 ? "" : "s");
    return output_exit_code(code);
}

// Dropping blocks removes everything except an index that is damaged or somebody else's.
static enum status set_aside(const struct args *args, const char *folder, struct error *err) {
    struct text aside = {0};
    const enum status status = disk_cache_set_aside(folder, &aside, err);
    if (status == STATUS_OK && aside.length > 0 && !args->quiet) {
        struct error said = {0};
        error_set(&said, status,
                  "index.db is not a quire index; moved it to %s (delete it if you do not need it)",
                  text_string(&aside));
        complain(said.text);
    }
    text_deinit(&aside);
    return status;
}

static int drop(const struct args *args, const char *folder) {
    uint64_t bytes = 0;
    struct error err = {0};
    enum status status = set_aside(args, folder, &err);
    if (status == STATUS_OK) status = disk_cache_drop(folder, &bytes, &err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) return failed(status, &err);
    if (wants_json(args)) {
        cJSON *object = cJSON_CreateObject();
        if (object && !json_add_number(object, "freed_bytes", (double)bytes)) {
            cJSON_Delete(object);
            object = NULL;
        }
        return put_object(object, args, EXIT_DONE);
    }
    char size[SIZE_TEXT_BYTES];
    if (!args->quiet) fprintf(stderr, "freed %s\n", size_format(bytes, size));
    return EXIT_DONE;
}

int kv_run(const struct args *args, const struct config *config) {
    struct text folder = {0};
    const char *verb = args->operand_count ? args->operands[0] : "";
    if (kv_disk_folder(args, config, &folder) != STATUS_OK)
        return failed(STATUS_NO_MEMORY, &(struct error){0});
    int code;
    if (strcmp(verb, "check") == 0)
        code = check(args, config, text_string(&folder));
    else if (strcmp(verb, "drop") == 0)
        code = drop(args, text_string(&folder));
    else
        code = list_with_names(args, config, text_string(&folder));
    text_deinit(&folder);
    return code;
}
