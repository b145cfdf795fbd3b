#include "app/chat/model_template.h"

#include <cjson/cJSON.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "engine/model/checkpoint.h"
#include "engine/tokenizer/tokenizer_json.h"

static const char KEY[] = "tokenizer.chat_template";

static enum status read_token(const struct tokenizer *tokenizer, int32_t id, struct text *text) {
    return id == TOKEN_NONE ? STATUS_OK : tokenizer_decode(tokenizer, id, true, text);
}

static enum status read_gguf(const char *path, struct model_template *found, struct error *err) {
    struct gguf *gguf = NULL;
    struct tokenizer *tokenizer = NULL;
    struct gguf_string source = {"", 0};
    enum status status = checkpoint_open(path, &gguf, err);
    if (status == STATUS_OK) status = tokenizer_open(gguf, &tokenizer, err);
    if (status == STATUS_OK) status = gguf_check_kind(gguf, KEY, GGUF_TEXT, err);
    if (status == STATUS_OK) {
        gguf_find_string(gguf, KEY, &source);
        found->absent = source.length == 0;
        status = text_append(&found->source, source.bytes, source.length);
    }
    if (status == STATUS_OK) status = read_token(tokenizer, tokenizer_bos(tokenizer), &found->bos);
    if (status == STATUS_OK) status = read_token(tokenizer, tokenizer_eos(tokenizer), &found->eos);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    return status;
}

// A special token in tokenizer_config.json is a string, or an object with its content.
static enum status append_token(const cJSON *config, const char *key, struct text *text) {
    const cJSON *token = cJSON_GetObjectItemCaseSensitive(config, key);
    if (cJSON_IsObject(token)) token = cJSON_GetObjectItemCaseSensitive(token, "content");
    return cJSON_IsString(token) ? text_append_string(text, token->valuestring) : STATUS_OK;
}

// A string, or several named ones: then the one named "default", or the only one.
static const char *find_source(const cJSON *config) {
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(config, "chat_template");
    if (cJSON_IsString(source)) return source->valuestring;
    const bool alone = cJSON_GetArraySize(source) == 1;
    const cJSON *one;
    cJSON_ArrayForEach(one, source) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(one, "name");
        const cJSON *body = cJSON_GetObjectItemCaseSensitive(one, "template");
        if (cJSON_IsString(name) && cJSON_IsString(body) &&
            (alone || strcmp(name->valuestring, "default") == 0))
            return body->valuestring;
    }
    return NULL;
}

static enum status read_config(const char *path, struct model_template *found, struct error *err) {
    struct text text = {0};
    cJSON *config = NULL;
    enum status status = file_read(path, &text, err);
    if (status == STATUS_OK) {
        config = cJSON_ParseWithLength(text_string(&text), text.length);
        if (!cJSON_IsObject(config))
            status = error_set(err, STATUS_UNSUPPORTED, "%s: not a JSON object", path);
    }
    const char *source = find_source(config);
    if (status == STATUS_OK && !found->source.length && source)
        status = text_append_string(&found->source, source);
    if (status == STATUS_OK) status = append_token(config, "bos_token", &found->bos);
    if (status == STATUS_OK) status = append_token(config, "eos_token", &found->eos);
    cJSON_Delete(config);
    text_deinit(&text);
    return status;
}

static enum status read_folder(const char *path, struct model_template *found, struct error *err) {
    struct text file = {0};
    enum status status = text_format(&file, "%s/chat_template.jinja", path);
    if (status == STATUS_OK) status = file_read(text_string(&file), &found->source, err);
    if (status == STATUS_OK || status == STATUS_NOT_FOUND) {
        text_clear(&file);
        status = text_format(&file, "%s/tokenizer_config.json", path);
    }
    if (status == STATUS_OK) status = read_config(text_string(&file), found, err);
    text_clear(&file);
    if (status == STATUS_OK) status = text_format(&file, "%s/chat_template.json", path);
    if (status == STATUS_OK && !found->source.length && access(text_string(&file), F_OK) == 0)
        status = read_config(text_string(&file), found, err);
    found->absent = found->source.length == 0;
    text_deinit(&file);
    return status;
}

enum status model_template_read(const char *path, struct model_template *found, struct error *err) {
    static const char GGUF_MAGIC[] = "GGUF";
    struct model_template read = {0};
    struct stat facts;
    enum status status;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        status = read_folder(path, &read, err);
    } else if (strlen(path) > 5 && strcmp(path + strlen(path) - 5, ".gguf") == 0) {
        status = read_gguf(path, &read, err);
    } else {
        status = file_read(path, &read.source, err);
        if (status == STATUS_OK && read.source.length >= 4 &&
            memcmp(read.source.bytes, GGUF_MAGIC, 4) == 0) {
            text_clear(&read.source);
            status = read_gguf(path, &read, err);
        } else if (status == STATUS_OK) {
            status = text_append_string(&read.bos, "<BOS>");
            if (status == STATUS_OK) status = text_append_string(&read.eos, "<EOS>");
        }
    }
    if (status != STATUS_OK) {
        model_template_deinit(&read);
        return status;
    }
    *found = read;
    return STATUS_OK;
}

void model_template_deinit(struct model_template *found) {
    text_deinit(&found->source);
    text_deinit(&found->bos);
    text_deinit(&found->eos);
}

// Reads from the folder's files, or the file's keys.
static enum status read_source(const struct gguf *gguf, struct text *source, struct error *err) {
    struct model_template folder = {0};
    struct gguf_string key = {"", 0};
    if (!gguf || !tokenizer_is_in_folder(gguf_path(gguf))) {
        TRY(gguf_check_kind(gguf, KEY, GGUF_TEXT, err));
        gguf_find_string(gguf, KEY, &key);
        return text_append(source, key.bytes, key.length);
    }
    const enum status status = read_folder(gguf_path(gguf), &folder, err);
    *source = folder.source;
    folder.source = (struct text){0};
    model_template_deinit(&folder);
    return status;
}

// Reads a built-in template by name, or a file.
static enum status read_other(const char *other, struct text *source, struct error *err) {
    const char *known = chat_template_find(other);
    struct model_template file = {0};
    if (known) return text_append_string(source, known);
    TRY(model_template_read(other, &file, err));
    *source = file.source;
    file.source = (struct text){0};
    model_template_deinit(&file);
    if (source->length > 0) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "%.200s has no chat template", other);
}

enum status model_template_create(const struct gguf *gguf, const struct tokenizer *tokenizer,
                                  const char *other, struct chat_template **result,
                                  struct error *err) {
    struct text source = {0}, bos = {0}, eos = {0};
    enum status status = other ? read_other(other, &source, err) : read_source(gguf, &source, err);
    if (tokenizer && status == STATUS_OK)
        status = read_token(tokenizer, tokenizer_bos(tokenizer), &bos);
    if (tokenizer && status == STATUS_OK)
        status = read_token(tokenizer, tokenizer_eos(tokenizer), &eos);
    if (status == STATUS_OK) {
        const struct chat_template_options options = {
            .source = text_string(&source),
            .length = source.length,
            .bos = text_string(&bos),
            .eos = text_string(&eos),
            .begins_with_bos = tokenizer && tokenizer_adds_bos(tokenizer),
        };
        status = chat_template_create(&options, result, err);
    }
    text_deinit(&source);
    text_deinit(&bos);
    text_deinit(&eos);
    return status;
}
