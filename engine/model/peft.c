#include "engine/model/peft.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/model/folder.h"
#include "engine/model/folder_names.h"
#include "engine/model/mapped_file.h"
#include "engine/model/safetensors.h"
#include "kernels/base/assert.h"
#include "kernels/base/text.h"

static const char config_name[] = "adapter_config.json";

struct peft { // owned by the gguf that it becomes
    struct safetensors *file;
    struct gguf_tensor *tensors;
    char (*names)[FOLDER_NAME_BYTES + 8];
};

static struct hash128 peft_digest(const void *self) {
    return safetensors_digest(((const struct peft *)self)->file);
}

static void peft_visit_files(const void *self, mapped_file_visitor *visitor, void *user) {
    visitor(safetensors_mapping(((const struct peft *)self)->file), user);
}

static void peft_close(void *self) {
    struct peft *peft = self;
    safetensors_close(peft->file);
    free(peft->tensors);
    free(peft->names);
    free(peft);
}

bool peft_is_folder(const char *path) { return folder_has_file(path, config_name); }

static bool is_unset(const cJSON *item) {
    return cJSON_IsNull(item) || cJSON_IsFalse(item) ||
           ((cJSON_IsArray(item) || cJSON_IsObject(item)) && !item->child);
}

// Is one of the values that leave the model's own weights as they were published?
static bool is_understood(const cJSON *item) {
    static const char *const harmless[] = {
        "auto_mapping",        "base_model_name_or_path",
        "eva_config",          "exclude_modules",
        "inference_mode",      "layers_pattern",
        "layers_to_transform", "lora_alpha",
        "lora_dropout",        "megatron_config",
        "megatron_core",       "peft_version",
        "qalora_group_size",   "r",
        "rank_pattern",        "revision",
        "target_modules",      "task_type",
        "use_rslora",
    };
    static const struct {
        const char *key, *value;
    } pairs[] = {{"peft_type", "LORA"},
                 {"bias", "none"},
                 {"init_lora_weights", "gaussian"},
                 {"init_lora_weights", "eva"},
                 {"init_lora_weights", "orthogonal"}};
    if (is_unset(item)) return true;
    if (cJSON_IsTrue(item) && !strcmp(item->string, "init_lora_weights")) return true;
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (!strcmp(item->string, harmless[i])) return true;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (cJSON_IsString(item) && !strcmp(item->string, pairs[i].key) &&
            !strcmp(item->valuestring, pairs[i].value))
            return true;
    return false;
}

static enum status read_config(const char *path, struct peft_config *config, struct error *err) {
    cJSON *json = NULL;
    const cJSON *item;
    TRY(folder_read_json(path, config_name, &json, err));
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(json, "base_model_name_or_path");
    const cJSON *alpha = cJSON_GetObjectItemCaseSensitive(json, "lora_alpha");
    const cJSON *kind = cJSON_GetObjectItemCaseSensitive(json, "peft_type");
    enum status status = STATUS_OK;
    cJSON_ArrayForEach(item, json) {
        if (status == STATUS_OK && !is_understood(item))
            status =
                error_set(err, STATUS_UNSUPPORTED, "%s: %s: the value of %.60s is not supported",
                          mapped_file_shown(path), config_name, item->string);
    }
    if (status == STATUS_OK && !cJSON_IsString(kind))
        status = error_set(err, STATUS_BAD_FILE, "%s: %s has no peft_type", mapped_file_shown(path),
                           config_name);
    const double value = cJSON_IsNumber(alpha) ? alpha->valuedouble : 0;
    if (status == STATUS_OK && (value == 0 || !isfinite((float)value)))
        status = error_set(err, STATUS_BAD_FILE, "%s: %s has no lora_alpha",
                           mapped_file_shown(path), config_name);
    config->alpha = (float)value;
    config->root_of_rank = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "use_rslora"));
    if (cJSON_IsString(base) && utf8_valid(base->valuestring, strlen(base->valuestring), NULL) &&
        !utf8_has_control(base->valuestring, strlen(base->valuestring)))
        snprintf(config->base, sizeof config->base, "%s", base->valuestring);
    cJSON_Delete(json);
    return status;
}

// "base_model.model.model.layers.7.self_attn.q_proj.lora_A.weight" is "blk.7.attn_q.weight.lora_a".
// What nests the text's part in a multimodal model is left out.
static bool pair_name(const char *theirs, char name[FOLDER_NAME_BYTES + 8]) {
    static const char *const nests[] = {"model.language_model.", "language_model.model.", "model."};
    static const char prefix[] = "base_model.model.";
    char module[160], ours[FOLDER_NAME_BYTES];
    const char *end = strstr(theirs, ".lora_");
    if (strncmp(theirs, prefix, sizeof prefix - 1) != 0 || !end) return false;
    if (strcmp(end, ".lora_A.weight") != 0 && strcmp(end, ".lora_B.weight") != 0) return false;
    const char *begin = theirs + sizeof prefix - 1;
    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++)
        if (!strncmp(begin, nests[i], strlen(nests[i]))) {
            begin += strlen(nests[i]);
            break;
        }
    if (end < begin || (size_t)(end - begin) > sizeof module - 16) return false;
    snprintf(module, sizeof module, "model.%.*s.weight", (int)(end - begin), begin);
    if (!folder_matrix_name(module, ours)) return false;
    snprintf(name, FOLDER_NAME_BYTES + 8, "%s.lora_%c", ours, end[6] == 'A' ? 'a' : 'b');
    return true;
}

static enum status name_tensors(struct peft *peft, const char *path, struct error *err) {
    const size_t count = safetensors_count(peft->file);
    peft->tensors = calloc(count + 1, sizeof *peft->tensors);
    peft->names = calloc(count + 1, sizeof *peft->names);
    if (!peft->tensors || !peft->names)
        return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", mapped_file_shown(path));
    for (size_t i = 0; i < count; i++) {
        peft->tensors[i] = *safetensors_at(peft->file, i);
        const char *theirs = peft->tensors[i].name.bytes;
        if (!pair_name(theirs, peft->names[i]))
            return error_set(err, STATUS_UNSUPPORTED,
                             "%s: tensor '%.160s' cannot be changed by an adapter",
                             mapped_file_shown(path), theirs);
        peft->tensors[i].name = (struct gguf_string){peft->names[i], strlen(peft->names[i])};
    }
    return STATUS_OK;
}

static enum status open_tensors(const char *path, struct peft *peft, struct gguf **gguf,
                                struct error *err) {
    static const _Alignas(8) unsigned char no_keys[24] = {'G', 'G', 'U', 'F', 3};
    struct text file = {0};
    enum status status = text_format(&file, "%s/adapter_model.safetensors", path);
    if (status == STATUS_OK) status = safetensors_open(text_string(&file), &peft->file, err);
    text_deinit(&file);
    TRY(status);
    TRY(name_tensors(peft, path, err));
    struct gguf *opened;
    TRY(gguf_open_memory(no_keys, sizeof no_keys, path, &opened, err));
    const struct gguf_owner owner = {peft,
                                     safetensors_bytes(peft->file),
                                     safetensors_state(peft->file),
                                     peft_digest,
                                     peft_visit_files,
                                     peft_close};
    status = gguf_attach(opened, peft->tensors, safetensors_count(peft->file), &owner, err);
    if (status == STATUS_OK)
        *gguf = opened;
    else
        gguf_close(opened);
    return status;
}

enum status peft_open(const char *path, struct gguf **gguf, struct peft_config *config,
                      struct error *err) {
    struct peft_config read = {.alpha = 0};
    TRY(read_config(path, &read, err));
    struct peft *peft = calloc(1, sizeof *peft);
    if (!peft)
        return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", mapped_file_shown(path));
    const enum status status = open_tensors(path, peft, gguf, err);
    if (status == STATUS_OK)
        *config = read;
    else
        peft_close(peft);
    return status;
}
