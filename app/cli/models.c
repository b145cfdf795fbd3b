#include "app/cli/models.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/base/figures.h"
#include "app/base/json.h"
#include "app/base/output.h"
#include "app/base/printable.h"
#include "app/cli/confirm.h"
#include "app/cli/finder.h"
#include "app/cli/fit.h"
#include "app/cli/model_role.h"
#include "app/hub/hub_cache.h"
#include "app/screen/complain.h"
#include "engine/model/checkpoint.h"
#include "engine/model/config_read.h"
#include "kernels/base/size.h"

enum { NAME_COLUMNS = 52, TYPE_BYTES = 16, FAMILY_BYTES = 24, LEAST_CONTEXT = 4096 };

struct row {
    const struct found_model *model;
    char family[FAMILY_BYTES];
    char type[TYPE_BYTES]; // the type of most bytes
    const char *fit;       // "fits", "too large", a role, "not for quire", "incomplete"
};

// The type of most of its bytes, as the format's number.
static uint32_t main_type(const struct gguf *gguf) {
    size_t bytes[64] = {0};
    uint32_t most = 0;
    for (size_t i = 0; i < gguf_tensor_count(gguf); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(gguf, i);
        if (tensor->file_type < 64) bytes[tensor->file_type] += tensor->bytes;
    }
    for (uint32_t type = 0; type < 64; type++)
        if (bytes[type] > bytes[most]) most = type;
    return most;
}

static const char *fit_of(const struct gguf *gguf, size_t memory_free) {
    struct model_config config;
    const char *role = model_role(gguf);
    if (role) return role;
    if (model_config_read(gguf, &config, NULL) != STATUS_OK) return "not for quire";
    const struct fit_need shape = fit_kv_of(&config, DTYPE_F16);
    const struct layer_maxima most = model_config_maxima(&config);
    const struct fit_need need = fit_need_of(gguf, &shape, most.experts, most.experts_used);
    const int64_t context = config.context < LEAST_CONTEXT ? config.context : LEAST_CONTEXT;
    return fit_bytes(&need, context) <= memory_free ? "fits" : "too large";
}

static struct row read_row(const struct found_model *model, size_t memory_free) {
    struct row row = {.model = model, .fit = "not for quire"};
    struct gguf *gguf = NULL;
    struct gguf_string family = {"", 0};
    if (checkpoint_open(model->path, &gguf, NULL) != STATUS_OK) return row;
    if (gguf_find_string(gguf, "general.architecture", &family))
        snprintf(row.family, sizeof row.family, "%.*s",
                 (int)(family.length < FAMILY_BYTES ? family.length : FAMILY_BYTES - 1),
                 family.bytes);
    snprintf(row.type, sizeof row.type, "%s", gguf_type_name(main_type(gguf)));
    row.fit = model->adapter ? "with adapter" : fit_of(gguf, memory_free);
    gguf_close(gguf);
    return row;
}

static enum status put_row(struct text *out, const struct row *row) {
    char size[SIZE_TEXT_BYTES];
    struct text name = {0}, family = {0};
    enum status status = printable_append(&name, row->model->name, strlen(row->model->name));
    if (status == STATUS_OK) status = printable_append(&family, row->family, strlen(row->family));
    if (status == STATUS_OK) status = text_fit(out, text_string(&name), NAME_COLUMNS, true);
    if (status == STATUS_OK)
        status = text_format(out, "  %10s  %-8s  %-10.10s  %-13s  %s\n",
                             size_format(row->model->bytes, size), row->type, text_string(&family),
                             row->fit, row->model->place);
    text_deinit(&name);
    text_deinit(&family);
    return status;
}

// Prints one item of the array, or with jsonl one line.
static enum status put_object(const struct row *row, cJSON *array) {
    cJSON *object = cJSON_CreateObject();
    const bool whole = object && cJSON_AddStringToObject(object, "name", row->model->name) &&
                       cJSON_AddStringToObject(object, "path", row->model->path) &&
                       cJSON_AddStringToObject(object, "place", row->model->place) &&
                       cJSON_AddStringToObject(object, "family", row->family) &&
                       cJSON_AddStringToObject(object, "type", row->type) &&
                       cJSON_AddStringToObject(object, "fit", row->fit) &&
                       cJSON_AddNumberToObject(object, "bytes", (double)row->model->bytes);
    if (whole && !array) return json_put(object, true) ? STATUS_OK : STATUS_NO_MEMORY;
    if (whole && cJSON_AddItemToArray(array, object)) return STATUS_OK;
    cJSON_Delete(object);
    return STATUS_NO_MEMORY;
}

// `array`: for --format json, which prints one document; NULL for other formats.
static enum status print_row(const struct args *args, const struct row *row, cJSON *array) {
    struct text line = {0};
    if (strcmp(args->format, "text") != 0) return put_object(row, array);
    const enum status status = put_row(&line, row);
    if (status == STATUS_OK) output_write(text_string(&line), line.length);
    text_deinit(&line);
    return status;
}

static const char MODELS[] = "/models--";

// "CACHE/models--ORG--REPO/blobs/DIGEST.incomplete": an unfinished download that `quire pull`
// continues.
static enum status print_incomplete(const struct args *args, const char *path, cJSON *array) {
    char name[300];
    struct stat info;
    const char *org = path, *repo;
    for (const char *at;
         (at = strstr(org, MODELS));) // the folder of the cache may be named so, too
        org = at + strlen(MODELS);
    repo = strstr(org, "--");
    if (!repo || stat(path, &info) != 0) return STATUS_OK;
    snprintf(name, sizeof name, "hf:%.*s/%.*s", (int)(repo - org), org, (int)strcspn(repo + 2, "/"),
             repo + 2);
    const struct found_model model = {
        .name = name, .path = name, .place = "Hugging Face", .bytes = (size_t)info.st_size};
    return print_row(args, &(struct row){.model = &model, .fit = "incomplete"}, array);
}

// A pattern for this path alone.
static enum status append_literally(const char *path, struct text *pattern) {
    for (; *path; path++)
        TRY(text_format(pattern, "%s%c", strchr("*?[\\", *path) ? "\\" : "", *path));
    return STATUS_OK;
}

static enum status print_all_incomplete(const struct args *args, cJSON *array, size_t *count) {
    struct text folder = {0}, pattern = {0};
    glob_t found = {0};
    enum status status = hub_cache_folder(&folder, NULL);
    if (status == STATUS_OK) status = append_literally(folder.bytes, &pattern);
    if (status == STATUS_OK) status = text_format(&pattern, "%s*/blobs/*.incomplete", MODELS);
    text_deinit(&folder);
    if (status == STATUS_OK && glob(pattern.bytes, 0, NULL, &found) == 0) *count = found.gl_pathc;
    for (size_t i = 0; i < *count && status == STATUS_OK; i++)
        status = print_incomplete(args, found.gl_pathv[i], array);
    globfree(&found);
    text_deinit(&pattern);
    return status == STATUS_IO ? STATUS_OK : status; // no HOME, no cache
}

int models_run(const struct args *args) {
    struct found_models models = {0};
    struct fit fit = {0};
    size_t incomplete = 0;
    const bool whole = strcmp(args->format, "json") == 0;
    cJSON *array = whole ? cJSON_CreateArray() : NULL;
    enum status status = whole && !array ? STATUS_NO_MEMORY : finder_list(&models);
    fit_machine(true, &fit);
    for (size_t i = 0; i < models.count && status == STATUS_OK; i++) {
        const struct row row = read_row(&models.items[i], fit.memory_free);
        status = print_row(args, &row, array);
    }
    if (status == STATUS_OK) status = print_all_incomplete(args, array, &incomplete);
    if (status == STATUS_OK && whole)
        status = json_put(array, false) ? STATUS_OK : STATUS_NO_MEMORY;
    else
        cJSON_Delete(array);
    if (status == STATUS_OK && models.count + incomplete == 0 && !args->quiet)
        fprintf(stderr, "no models in QUIRE_MODELS, in quire's folder, or in the caches of Hugging "
                        "Face, Ollama, LM Studio and llama.cpp\n");
    found_models_deinit(&models);
    if (status != STATUS_OK) return complain_failed(EXIT_RUN_TIME, status, NULL);
    return output_exit_code(EXIT_DONE);
}

// The path to remove, and its name.
static enum status find_removed(const char *name, struct text *path, struct error *err) {
    struct hub_name hub;
    if (hub_name_is(name)) {
        TRY(hub_name_parse(name, &hub, err));
        if (!hub.which[0]) TRY(hub_cache_path(hub.repo, "", path, err));
        if (!hub.which[0] && access(path->bytes, F_OK) != 0)
            return error_set(err, STATUS_NOT_FOUND, "no model %.200s on this machine", name);
    }
    if (!path->length) TRY(finder_find(name, path, err));
    struct text real = {0};
    size_t repo_bytes;
    const enum status status = hub_cache_find(path->bytes, &real, &repo_bytes, err);
    text_clear(path);
    if (status == STATUS_OK) TRY(text_append(path, real.bytes, real.length));
    text_deinit(&real);
    return status;
}

int models_remove(const struct args *args) {
    struct text path = {0};
    struct error err = {0};
    uint64_t freed_bytes;
    char size[SIZE_TEXT_BYTES], question[300];
    bool agreed = args->yes;
    enum status status = find_removed(args->operands[1], &path, &err);
    snprintf(question, sizeof question, "remove %.280s", text_string(&path));
    if (status == STATUS_OK && !agreed && !confirm_possible())
        status =
            error_set(&err, STATUS_BAD_INPUT, "quire models rm needs --yes without a terminal");
    else if (status == STATUS_OK && !agreed)
        agreed = confirm(question);
    if (status == STATUS_OK && agreed) status = hub_cache_remove(path.bytes, &freed_bytes, &err);
    if (status == STATUS_OK && agreed && !args->quiet)
        fprintf(stderr, "removed; freed %s\n", size_format(freed_bytes, size));
    text_deinit(&path);
    const int code = status == STATUS_NOT_FOUND ? EXIT_MODEL : exit_code_for(status);
    return status == STATUS_OK ? EXIT_DONE : complain_failed(code, status, &err);
}
