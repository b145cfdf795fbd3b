// app/cli/held_model.c — a file is identified by its content; its path only says where to look
// first.
//
//   described   path, size and digest of each part: weights, adapters, template, vocabulary
//   found       1. at its path            the usual case, which reads little: digests of files that
//                                         have not changed are remembered
//               2. under its name         of the demo model and the hub's, whose paths change with
//                                         an installation and a download
//               3. in the known folders   only files of exactly its size are hashed, so a search
//                                         among many models reads one or two
//
// A copy with the same content is the conversation's model, wherever it is. If no copy is found, a
// different file at the old path counts as changed. Everything else that answers depend on is
// hashed into the identity, which distinguishes one model with two templates; their weights have
// the same digest, so the two share cached blocks.
#include "app/cli/held_model.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/base/path.h"
#include "app/chat/model_template.h"
#include "app/cli/digest.h"
#include "app/cli/finder.h"
#include "app/cli/remote_model.h"
#include "app/hub/hub_listing.h"
#include "engine/model/checkpoint.h"
#include "engine/tokenizer/tokenizer_json.h"

enum { RECENT_MOST = 200 };
static const char CUT[] = "…";

// ---- the open model

static enum status hash_template(const char *path, struct hash128 *digest, struct error *err) {
    struct model_template found;
    TRY(model_template_read(path, &found, err));
    *digest = hash_bytes(text_string(&found.source), found.source.length, 0);
    model_template_deinit(&found);
    return STATUS_OK;
}

static enum status hash_weights(struct db *db, const struct digest_file *file,
                                struct hash128 *digest, struct error *err) {
    struct gguf *gguf = NULL;
    TRY(checkpoint_open(file->given, &gguf, err));
    *digest = gguf_digest(gguf);
    digest_remember(db, file, gguf, *digest);
    gguf_close(gguf);
    return STATUS_OK;
}

static enum status hash_adapter(struct db *db, const struct digest_file *file,
                                struct hash128 *digest, struct error *err) {
    struct adapter adapter = {0};
    TRY(adapter_open(&(struct adapter_source){file->given, 1}, &adapter, err));
    *digest = gguf_digest(adapter.gguf);
    digest_remember(db, file, adapter.gguf, *digest);
    adapter_close(&adapter);
    return STATUS_OK;
}

// Templates, and a folder's tokenizer, are short and are hashed each time. A vocabulary needs no
// weights.
static enum status digest_of(struct db *db, enum model_role role, const char *path,
                             struct hash128 *digest, struct error *err) {
    struct digest_file file;
    if (role == PART_TEMPLATE) return hash_template(path, digest, err);
    if (role == PART_VOCABULARY && tokenizer_is_in_folder(path)) {
        *digest = digest_with_texts(path, (struct hash128){0});
        return STATUS_OK;
    }
    digest_identify(path, &file);
    if (!digest_find(db, &file, digest))
        TRY(role == PART_ADAPTER ? hash_adapter(db, &file, digest, err)
                                 : hash_weights(db, &file, digest, err));
    if (role != PART_ADAPTER) *digest = digest_with_texts(path, *digest);
    return STATUS_OK;
}

// Resolves the folder but keeps the file's own name, even of a link.
static enum status absolute(const char *path, struct text *result) {
    char folder[PATH_MAX];
    char *own = strdup(path), *above = strdup(path);
    const bool whole = own && above && realpath(dirname(above), folder);
    const enum status status =
        whole ? text_format(result, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, basename(own))
              : text_append_string(result, path);
    free(own);
    free(above);
    return status;
}

static enum status add_part(struct db *db, struct model_source *source,
                            const struct model_part *given, const char *path, struct error *err) {
    struct model_part part = *given;
    struct text place = {0};
    enum status status = STATUS_OK;
    if (part.digest.low == 0 && part.digest.high == 0)
        status = digest_of(db, part.role, path, &part.digest, err);
    part.bytes = (int64_t)finder_bytes(path);
    if (status == STATUS_OK) status = absolute(path, &place);
    if (status == STATUS_OK) status = model_source_add(source, &part, text_string(&place));
    text_deinit(&place);
    return status;
}

static enum status add_template(struct db *db, const char *chat_template,
                                struct model_source *source, struct error *err) {
    const struct model_part part = {.role = PART_TEMPLATE};
    if (!chat_template) return STATUS_OK;
    if (chat_template_find(chat_template)) return model_source_add(source, &part, chat_template);
    return add_part(db, source, &part, chat_template, err);
}

static enum status add_adapters(struct db *db, const struct args *args, struct model_source *source,
                                struct error *err) {
    for (size_t i = 0; i < args->loras.count; i++) {
        struct text path = {0};
        struct model_part part = {.role = PART_ADAPTER};
        enum status status = args_read_lora(args, i, &path, &part.scale, err);
        if (status == STATUS_OK) status = add_part(db, source, &part, text_string(&path), err);
        text_deinit(&path);
        TRY(status);
    }
    return STATUS_OK;
}

// A command may contain the key, and must not run just because a database says so.
static bool may_be_kept(const char *key_from) {
    return strncmp(key_from, "env:", 4) == 0 || strncmp(key_from, "file:", 5) == 0;
}

static enum status describe_server(struct db *db, const struct held_opened *opened,
                                   struct model_source *source, struct error *err) {
    const struct args *args = opened->args;
    const bool section = !path_is_url(opened->name);
    source->kind = section ? MODEL_SECTION : MODEL_SERVER;
    source->listed = !opened->unlisted;
    TRY(text_append_string(&source->name, section ? opened->name : opened->path));
    TRY(text_append_string(&source->server, opened->path));
    if (args->key_from && args_source(args, "key-from") == ARGS_WORDS &&
        may_be_kept(args->key_from))
        TRY(text_append_string(&source->key_from, args->key_from));
    if (!args->vocabulary) return STATUS_OK;
    struct text path = {0};
    enum status status = finder_find(args->vocabulary, &path, err);
    if (status == STATUS_OK)
        status = add_part(db, source, &(struct model_part){.role = PART_VOCABULARY},
                          text_string(&path), err);
    text_deinit(&path);
    return status;
}

static enum status describe_files(struct db *db, const struct held_opened *opened,
                                  struct model_source *source, struct error *err) {
    const bool demo = !opened->name, hub = !demo && hub_name_is(opened->name);
    source->kind = demo ? MODEL_DEMO : hub ? MODEL_HUB : MODEL_PATH;
    const struct model_part weights = {.role = PART_WEIGHTS, .digest = opened->digest};
    TRY(add_part(db, source, &weights, opened->path, err));
    TRY(text_append_string(&source->name, demo  ? "demo"
                                          : hub ? opened->name
                                                : text_string(&source->parts[0].path)));
    return add_adapters(db, opened->args, source, err);
}

// Hashes what answers depend on beyond the model and its adapters.
static struct hash128 identity_of(const struct model_source *source, struct hash128 model) {
    const enum model_role roles[] = {PART_TEMPLATE, PART_VOCABULARY};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        const struct model_part *part = model_source_part(source, roles[i]);
        if (!part) continue;
        const struct hash128 named =
            part->bytes ? part->digest : hash_bytes(text_string(&part->path), part->path.length, 0);
        const struct hash128 both[2] = {model, named};
        model = hash_bytes(both, sizeof both, roles[i]);
    }
    return model;
}

enum status held_describe(struct db *db, const struct held_opened *opened,
                          struct model_source *result, struct error *err) {
    struct model_source source = {0};
    enum status status = opened->elsewhere ? describe_server(db, opened, &source, err)
                                           : describe_files(db, opened, &source, err);
    if (status == STATUS_OK) status = add_template(db, opened->chat_template, &source, err);
    source.identity = identity_of(&source, opened->identity);
    if (status == STATUS_OK)
        *result = source;
    else
        model_source_deinit(&source);
    return status;
}

// ---- finding it again

void held_files_deinit(struct held_files *files) {
    for (size_t i = 0; i < MODEL_PARTS_MAX; i++)
        text_deinit(&files->paths[i]);
}

bool held_is_part(struct db *db, const struct model_part *part, const char *path) {
    struct hash128 digest;
    struct error ignored;
    return access(path, R_OK) == 0 && (int64_t)finder_bytes(path) == part->bytes &&
           digest_of(db, part->role, path, &digest, &ignored) == STATUS_OK &&
           hash_equal(digest, part->digest);
}

// Finds it by name: the installed demo model, or the hub model's current path in the cache.
static bool find_by_name(struct db *db, const struct model_source *source,
                         const struct model_part *part, struct text *path) {
    struct error ignored;
    enum status status = STATUS_NOT_FOUND;
    if (part->role != PART_WEIGHTS) return false;
    if (source->kind == MODEL_DEMO) status = finder_find_demo(path, &ignored);
    if (source->kind == MODEL_HUB) status = finder_find(text_string(&source->name), path, &ignored);
    if (status == STATUS_OK && held_is_part(db, part, text_string(path))) return true;
    text_clear(path);
    return false;
}

// Hashes files of the same size completely, because nothing else can tell.
static bool find_moved(struct db *db, const struct model_part *part, struct text *path) {
    struct found_models models = {0};
    char *old = strdup(text_string(&part->path));
    bool found = false;
    const enum status status =
        old ? finder_list_of_size(dirname(old), (size_t)part->bytes, &models) : STATUS_NO_MEMORY;
    for (size_t i = 0; status == STATUS_OK && i < models.count && !found; i++)
        found = models.items[i].bytes == (size_t)part->bytes &&
                held_is_part(db, part, models.items[i].path) &&
                text_append_string(path, models.items[i].path) == STATUS_OK;
    found_models_deinit(&models);
    free(old);
    return found;
}

static const char *role_name(enum model_role role) {
    switch (role) {
    case PART_WEIGHTS:
        return "the file";
    case PART_ADAPTER:
        return "its adapter";
    case PART_TEMPLATE:
        return "its chat template";
    case PART_VOCABULARY:
        return "its vocabulary";
    }
    return "a file";
}

static enum status find_part(struct db *db, const struct model_source *source,
                             const struct model_part *part, struct text *path, struct error *err) {
    const char *old = text_string(&part->path);
    if (part->bytes == 0 || held_is_part(db, part, old)) return text_append_string(path, old);
    if (find_by_name(db, source, part, path) || find_moved(db, part, path)) return STATUS_OK;
    const bool there = access(old, F_OK) == 0;
    if (there && access(old, R_OK) != 0)
        return error_set(err, STATUS_NOT_FOUND, "cannot read %s %.200s", role_name(part->role),
                         old);
    if (there)
        return error_set(err, STATUS_UNSUPPORTED, "%s %.200s has changed", role_name(part->role),
                         old);
    return error_set(err, STATUS_NOT_FOUND, "%s %.200s is missing", role_name(part->role), old);
}

enum status held_find(struct db *db, const struct args *args, const struct model_source *source,
                      struct held_files *files, struct error *err) {
    const char *name = text_string(&source->name);
    if (source->kind == MODEL_SECTION && !remote_model_is(args, name))
        return error_set(err, STATUS_UNSUPPORTED, "the config file has no section [remote.%.100s]",
                         name);
    for (size_t i = 0; i < source->part_count; i++)
        TRY(find_part(db, source, &source->parts[i], &files->paths[i], err));
    return STATUS_OK;
}

static enum status set_part(struct args *args, const struct model_part *part, const char *path,
                            struct text *text, struct error *err) {
    switch (part->role) {
    case PART_WEIGHTS:
        args->model = path;
        return STATUS_OK;
    case PART_ADAPTER:
        TRY(text_format(text, "%s=%.9g", path, (double)part->scale));
        return args_set(args, "lora", text_string(text), ARGS_WORDS, "--lora", err);
    case PART_TEMPLATE:
        return args_set(args, "chat-template", path, ARGS_WORDS, "--chat-template", err);
    case PART_VOCABULARY:
        return args_set(args, "vocabulary", path, ARGS_WORDS, "--vocabulary", err);
    }
    return STATUS_OK;
}

static const char *option_of(enum model_role role) {
    switch (role) {
    case PART_WEIGHTS:
        return "model";
    case PART_ADAPTER:
        return "lora";
    case PART_TEMPLATE:
        return "chat-template";
    case PART_VOCABULARY:
        return "vocabulary";
    }
    return "model";
}

enum status held_args(const struct model_source *source, const struct held_files *files,
                      struct args *args, struct text *texts, struct error *err) {
    bool given[PART_VOCABULARY + 1] = {false};
    const bool elsewhere = source->kind == MODEL_SERVER || source->kind == MODEL_SECTION;
    for (int role = PART_ADAPTER; role <= PART_VOCABULARY; role++)
        given[role] = args_source(args, option_of((enum model_role)role)) == ARGS_WORDS;
    if (!given[PART_ADAPTER]) args->loras = (struct args_list){0};
    if (!given[PART_TEMPLATE]) args->chat_templates = (struct args_list){0};
    if (!given[PART_VOCABULARY] && source->kind != MODEL_SECTION) args->vocabulary = NULL;
    args->operand_count = 0;
    if (elsewhere) args->model = text_string(&source->name);
    if (source->key_from.length && args_source(args, "key-from") != ARGS_WORDS)
        TRY(args_set(args, "key-from", text_string(&source->key_from), ARGS_WORDS, "--key-from",
                     err));
    for (size_t i = 0; i < source->part_count; i++)
        if (!given[source->parts[i].role])
            TRY(set_part(args, &source->parts[i], text_string(&files->paths[i]), &texts[i], err));
    return STATUS_OK;
}

bool held_is_same_server(const struct model_source *held, const struct model_source *other) {
    const char *a = strchr(text_string(&held->server), '#');
    const char *b = strchr(text_string(&other->server), '#');
    if (!a || !b || strcmp(a, b) != 0) return false;
    return held->kind == MODEL_SECTION && other->kind == MODEL_SECTION
               ? strcmp(text_string(&held->name), text_string(&other->name)) == 0
               : strcmp(text_string(&held->server), text_string(&other->server)) == 0;
}

// ---- by name

static bool is_called(const struct model_source *source, const char *name, size_t length,
                      bool whole) {
    const struct model_part *weights = model_source_part(source, PART_WEIGHTS);
    const char *const names[] = {source->model_name, text_string(&source->name),
                                 text_string(&source->server),
                                 weights ? text_string(&weights->path) : ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncasecmp(names[i], name, length) == 0 && (!whole || !names[i][length])) return true;
    return false;
}

enum status held_named(struct db *db, const char *name, struct model_source *result,
                       struct error *err) {
    int64_t *ids = NULL;
    size_t count = 0, length = strlen(name);
    const size_t cut = sizeof CUT - 1;
    const bool whole = length <= cut || strcmp(name + length - cut, CUT) != 0;
    bool found = false;
    if (!whole) length -= cut;
    TRY(model_source_recent(db, RECENT_MOST, &ids, &count, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK && !found; i++) {
        struct model_source source = {0};
        status = model_source_get(db, ids[i], &source, err);
        found = status == STATUS_OK && is_called(&source, name, length, whole);
        if (found)
            *result = source;
        else
            model_source_deinit(&source);
    }
    free(ids);
    if (status != STATUS_OK || found) return status;
    return error_set(err, STATUS_NOT_FOUND, "no model \"%.200s\"", name);
}
