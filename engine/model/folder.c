// engine/model/folder.c — a folder becomes what a GGUF file is, so nothing behind it knows the
// difference.
//
// The gguf that comes out is a file in name only: a stub without tensors, whose figures are those
// of config.json (folder_config_open). The tensors, as folder_tensors.c names and arranges them,
// are attached to it (gguf_attach).
#include "engine/model/folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/model/folder_state.h"
#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"
#include "kernels/base/json_view.h"

#define INDEX_NAME "model.safetensors.index.json"

static void folder_close(void *self) {
    struct folder *folder = self;
    if (!folder) return;
    for (size_t i = 0; i < folder->file_count; i++)
        safetensors_close(folder->files[i]);
    for (size_t i = 0; i < folder->made_count; i++)
        free(folder->made[i]);
    folder_config_deinit(&folder->config);
    free(folder->made);
    free(folder->names);
    free(folder->tensors);
    free(folder);
}

static struct hash128 folder_digest(const void *self) {
    const struct folder *folder = self;
    struct hash128 digest = folder->stated;
    for (size_t i = 0; i < folder->file_count; i++) {
        const struct hash128 both[2] = {digest, safetensors_digest(folder->files[i])};
        digest = hash_bytes(both, sizeof both, 0);
    }
    return digest;
}

static void folder_visit_files(const void *self, mapped_file_visitor *visitor, void *user) {
    const struct folder *folder = self;
    for (size_t i = 0; i < folder->file_count; i++)
        visitor(safetensors_mapping(folder->files[i]), user);
}

// Configurations may say Infinity, as JSON does not: a number that is too large is read as that.
static enum status parse_json(const struct mapped_file *file, const char *path, cJSON **json,
                              struct error *err) {
    static const char word[] = "Infinity", number[] = "1e9999  ";
    const size_t length = sizeof word - 1;
    char *text = malloc(file->length + 1);
    struct json_view view;
    bool quoted = false;
    if (!text) return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", path);
    if (file->length > 0)
        memcpy(text, file->bytes, file->length); // an empty file is mapped nowhere
    for (size_t i = 0; i + length <= file->length; i++) {
        if (text[i] == '"') quoted = !quoted;
        if (quoted && text[i] == '\\') i++;
        if (!quoted && !memcmp(text + i, word, length)) memcpy(text + i, number, length);
    }
    enum status status = json_view_open(text, file->length, path, &view, err);
    if (status == STATUS_OK && json_view_kind(view) == JSON_OBJECT)
        *json = cJSON_ParseWithLength(text, file->length);
    free(text);
    if (status == STATUS_BAD_INPUT) status = STATUS_BAD_FILE;
    if (status == STATUS_BAD_FILE && err) err->status = status;
    if (status == STATUS_OK && !*json)
        status = error_set(err, STATUS_BAD_FILE, "%s: expected a JSON object", path);
    return status;
}

enum status folder_read_json(const char *folder, const char *name, cJSON **json,
                             struct error *err) {
    struct text path = {0};
    struct mapped_file file = {0};
    enum status status = text_format(&path, "%s/%s", folder, name);
    if (status == STATUS_OK)
        status = mapped_file_open(text_string(&path), "a JSON file", &file, err);
    if (status == STATUS_OK && file.length > FOLDER_MAX_JSON)
        status = error_set(err, STATUS_BAD_FILE, "%s: expected at most %d bytes, found %zu",
                           mapped_file_shown(text_string(&path)), FOLDER_MAX_JSON, file.length);
    if (status == STATUS_OK)
        status = parse_json(&file, mapped_file_shown(text_string(&path)), json, err);
    mapped_file_close(&file);
    text_deinit(&path);
    return status;
}

bool folder_has_file(const char *folder, const char *name) {
    struct text path = {0};
    const bool has = text_format(&path, "%s/%s", folder, name) == STATUS_OK &&
                     access(text_string(&path), F_OK) == 0;
    text_deinit(&path);
    return has;
}

static enum status open_file(struct folder *folder, const char *name) {
    ASSERT(folder->file_count <= FOLDER_MAX_FILES);
    struct text path = {0};
    if (strchr(name, '/') || folder->file_count == FOLDER_MAX_FILES)
        return error_set(folder->err, STATUS_BAD_FILE,
                         "%s: expected at most %d files, all in the folder of the index",
                         mapped_file_shown(folder->path), FOLDER_MAX_FILES);
    enum status status = text_format(&path, "%s/%s", folder->path, name);
    if (status == STATUS_OK)
        status =
            safetensors_open(text_string(&path), &folder->files[folder->file_count], folder->err);
    if (status == STATUS_OK) {
        const struct safetensors *opened = folder->files[folder->file_count++];
        const struct file_state state = safetensors_state(opened);
        folder->bytes += safetensors_bytes(opened);
        file_state_join(&folder->state, &state);
    }
    text_deinit(&path);
    return status;
}

// Files in the order in which the index names them first.
static enum status open_indexed(struct folder *folder, const cJSON *index) {
    const cJSON *map = cJSON_GetObjectItemCaseSensitive(index, "weight_map"), *item;
    const char *opened[FOLDER_MAX_FILES];
    cJSON_ArrayForEach(item, map) {
        if (!cJSON_IsString(item))
            return error_set(folder->err, STATUS_BAD_FILE, "%s: weight_map must hold file names",
                             mapped_file_shown(folder->path));
        size_t i = folder->file_count; // the last one first: neighbours are in one file
        while (i > 0 && strcmp(opened[i - 1], item->valuestring) != 0)
            i--;
        if (i > 0) continue;
        if (folder->file_count < FOLDER_MAX_FILES) opened[folder->file_count] = item->valuestring;
        TRY(open_file(folder, item->valuestring));
    }
    if (folder->file_count > 0) return STATUS_OK;
    return error_set(folder->err, STATUS_BAD_FILE, "%s: weight_map names no file",
                     mapped_file_shown(folder->path));
}

// Says what weights there are instead.
static enum status refuse_weights(const struct folder *folder) {
    static const char *const others[] = {
        "consolidated.safetensors",     "consolidated.00.pth", "pytorch_model.bin",
        "pytorch_model.bin.index.json", "tf_model.h5",         "flax_model.msgpack"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (folder_has_file(folder->path, others[i]))
            return error_set(folder->err, STATUS_UNSUPPORTED,
                             "%s: %s is not supported (expected model.safetensors)",
                             mapped_file_shown(folder->path), others[i]);
    return error_set(folder->err, STATUS_BAD_FILE,
                     "%s: no weights (expected model.safetensors, or " INDEX_NAME
                     " and the files that it names)",
                     mapped_file_shown(folder->path));
}

static enum status open_files(struct folder *folder) {
    static const char index_name[] = INDEX_NAME, single_name[] = "model.safetensors";
    cJSON *index = NULL;
    if (!folder_has_file(folder->path, index_name))
        return folder_has_file(folder->path, single_name) ? open_file(folder, single_name)
                                                          : refuse_weights(folder);
    enum status status = folder_read_json(folder->path, index_name, &index, folder->err);
    if (status == STATUS_OK) status = open_indexed(folder, index);
    cJSON_Delete(index);
    return status;
}

// The libraries that write such a folder would add the adapter to the model that it names.
static enum status refuse_adapter(const struct folder *folder) {
    static const char name[] = "adapter_config.json", key[] = "base_model_name_or_path";
    cJSON *json = NULL;
    if (!folder_has_file(folder->path, name)) return STATUS_OK;
    TRY(folder_read_json(folder->path, name, &json, folder->err));
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(json, key);
    const enum status status = error_set(
        folder->err, STATUS_UNSUPPORTED,
        "%s is an adapter for %.80s; open that model and pass this folder with --lora",
        mapped_file_shown(folder->path), cJSON_IsString(base) ? base->valuestring : "a model");
    cJSON_Delete(json);
    return status;
}

static enum status read_config(struct folder *folder) {
    cJSON *json = NULL;
    TRY(refuse_adapter(folder));
    if (!folder_has_file(folder->path, "config.json"))
        return error_set(folder->err, STATUS_NOT_FOUND, "%s has no config.json",
                         mapped_file_shown(folder->path));
    enum status status = folder_read_json(folder->path, "config.json", &json, folder->err);
    char *stated = cJSON_PrintUnformatted(json);
    if (stated) folder->stated = hash_bytes(stated, strlen(stated), 0);
    if (status == STATUS_OK && !stated)
        status = error_set(folder->err, STATUS_NO_MEMORY, "%s: not enough memory",
                           mapped_file_shown(folder->path));
    cJSON_free(stated);
    if (status == STATUS_OK)
        status = folder_config_family(json, folder->path, &folder->family, folder->err);
    if (status == STATUS_OK)
        status =
            folder_config_read(json, folder->family, folder->path, &folder->config, folder->err);
    cJSON_Delete(json);
    return status;
}

static enum status open_folder(struct folder *folder, struct gguf **gguf) {
    TRY(read_config(folder));
    TRY(open_files(folder));
    TRY(folder_arrange(folder));
    return folder_config_open(&folder->config, folder->path, gguf, folder->err);
}

enum status folder_open(const char *path, struct gguf **gguf, struct error *err) {
    struct folder *folder = calloc(1, sizeof *folder);
    struct gguf *opened = NULL;
    if (!folder) return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", path);
    folder->path = path;
    folder->err = err;
    enum status status = open_folder(folder, &opened);
    ASSERT(folder->count <= folder->room && folder->file_count <= FOLDER_MAX_FILES);
    const struct gguf_owner owner = {folder,        folder->bytes,      folder->state,
                                     folder_digest, folder_visit_files, folder_close};
    if (status == STATUS_OK)
        status = gguf_attach(opened, folder->tensors, folder->count, &owner, err);
    folder->path = NULL;
    folder->err = NULL;
    if (status == STATUS_OK) {
        *gguf = opened;
    } else {
        gguf_close(opened);
        folder_close(folder);
    }
    return status;
}
