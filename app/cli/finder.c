#include "app/cli/finder.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/model_name.h"
#include "app/base/path.h"
#include "app/cli/fit.h"
#include "app/cli/model_role.h"
#include "app/hub/hub_cache.h"
#include "engine/model/checkpoint.h"
#include "kernels/base/array.h"

enum { NAMES_SHOWN = 5 };
static const char DEMO_NAME[] = "quire-demo-30m";

// How the path below a place becomes a name.
enum naming { NAMING_PATH, NAMING_HUB, NAMING_OLLAMA };

struct walk {
    struct found_models *models;
    const char *place;
    enum naming naming;
    enum status status;
    size_t wanted; // find only files and folders of this size; 0: find models
    char *adapter; // path of the adapter's blob; NULL: none
};

void found_models_deinit(struct found_models *models) {
    for (size_t i = 0; i < models->count; i++) {
        free(models->items[i].name);
        free(models->items[i].path);
        free(models->items[i].adapter);
    }
    free(models->items);
    *models = (struct found_models){0};
}

static bool is_same_file(const struct found_model *a, const struct found_model *b) {
    return a->device == b->device && a->inode == b->inode;
}

static bool is_same_model(const struct found_model *a, const struct found_model *b) {
    const char *one = a->adapter ? a->adapter : "", *other = b->adapter ? b->adapter : "";
    return is_same_file(a, b) && strcmp(one, other) == 0;
}

// Ollama gives one file several names, each of which counts.
static bool is_known(const struct walk *walk, const struct found_model *model) {
    for (size_t i = 0; i < walk->models->count; i++) {
        const struct found_model *known = &walk->models->items[i];
        if (is_same_file(known, model) &&
            (walk->naming != NAMING_OLLAMA || strcmp(known->name, model->name) == 0))
            return true;
    }
    return false;
}

static enum status add(struct found_models *models, const struct found_model *model) {
    if (models->count == FINDER_MAX_MODELS) return STATUS_OK;
    if (!array_reserve(&models->items, models->count, &models->capacity, sizeof models->items[0]))
        return STATUS_NO_MEMORY;
    struct found_model copy = *model;
    copy.name = strdup(model->name);
    copy.path = strdup(model->path);
    copy.adapter = model->adapter ? strdup(model->adapter) : NULL;
    if (!copy.name || !copy.path || (model->adapter && !copy.adapter)) {
        free(copy.name);
        free(copy.path);
        free(copy.adapter);
        return STATUS_NO_MEMORY;
    }
    models->items[models->count++] = copy;
    return STATUS_OK;
}

// The size of a file, or of all parts of a split.
static size_t file_bytes(const char *path, size_t first) {
    char part[4096];
    struct stat info;
    size_t bytes = first;
    for (int32_t i = 2; checkpoint_part(path, i, part, sizeof part); i++)
        if (stat(part, &info) == 0) bytes += (size_t)info.st_size;
    return bytes;
}

static size_t folder_bytes(const char *path) {
    size_t bytes = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat info;
        if (path_ends_with(entry->d_name, ".safetensors") &&
            fstatat(dirfd(folder), entry->d_name, &info, 0) == 0)
            bytes += (size_t)info.st_size;
    }
    if (folder) closedir(folder);
    return bytes;
}

size_t finder_bytes(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) return 0;
    if (S_ISDIR(info.st_mode)) return folder_bytes(path);
    return path_part(path).part == 1 ? file_bytes(path, (size_t)info.st_size)
                                     : (size_t)info.st_size;
}

// "models--Qwen--Qwen3-8B-GGUF/snapshots/REVISION/x" is Qwen/Qwen3-8B-GGUF/x.
static enum status hub_name(const char *below, struct text *name) {
    static const char prefix[] = "models--", middle[] = "/snapshots/";
    const char *end = strstr(below, middle);
    if (strncmp(below, prefix, sizeof prefix - 1) != 0 || !end)
        return text_append_string(name, below);
    for (const char *at = below + sizeof prefix - 1; at < end; at++) {
        const bool dashes = at[0] == '-' && at[1] == '-' && at + 1 < end;
        TRY(dashes ? text_append(name, "/", 1) : text_append(name, at, 1));
        if (dashes) at++;
    }
    const char *file = strchr(end + sizeof middle - 1, '/');
    return file ? text_append_string(name, file) : STATUS_OK;
}

static enum status name_of(const struct walk *walk, const char *below, struct text *name) {
    TRY(walk->naming == NAMING_HUB ? hub_name(below, name) : text_append_string(name, below));
    if (walk->naming == NAMING_OLLAMA || !path_ends_with(text_string(name), ".gguf"))
        return STATUS_OK;
    name->length -= strlen(".gguf");
    name->bytes[name->length] = '\0';
    return STATUS_OK;
}

static enum status add_named(const struct walk *walk, const char *path, const char *below,
                             const struct stat *info, size_t bytes) {
    struct text name = {0};
    enum status status = name_of(walk, below, &name);
    char *whole = strdup(path);
    if (!whole) status = STATUS_NO_MEMORY;
    if (status == STATUS_OK && name.length) {
        const struct found_model model = {.name = name.bytes,
                                          .path = whole,
                                          .adapter = walk->adapter,
                                          .place = walk->place,
                                          .bytes = bytes,
                                          .device = (uint64_t)info->st_dev,
                                          .inode = (uint64_t)info->st_ino};
        if (!is_known(walk, &model)) status = add(walk->models, &model);
    }
    free(whole);
    text_deinit(&name);
    return status;
}

struct folder_facts {
    bool config;
    size_t weights; // bytes of safetensors
};

static void walk_folder(struct walk *walk, const char *path, const char *below, int depth);

// Adapters are listed, for --lora.
static bool goes_with_model(const char *path) {
    const char *role = model_name_role(path);
    return role && strcmp(role, MODEL_NAME_ADAPTER) != 0;
}

// Handles a model file, a file that makes its folder a model, or a subfolder.
static void visit_entry(struct walk *walk, const char *path, const char *below, const char *entry,
                        int depth, struct folder_facts *facts) {
    char whole[4096], relative[4096];
    struct stat info, link;
    const int a = snprintf(whole, sizeof whole, "%s/%s", path, entry);
    const int b = snprintf(relative, sizeof relative, "%s%s%s", below, *below ? "/" : "", entry);
    if (a < 0 || b < 0 || (size_t)a >= sizeof whole || (size_t)b >= sizeof relative) return;
    if (stat(whole, &info) != 0) return;
    if (S_ISDIR(info.st_mode)) {
        const bool linked = lstat(whole, &link) == 0 && S_ISLNK(link.st_mode);
        if (!linked && depth < FINDER_MAX_DEPTH) walk_folder(walk, whole, relative, depth + 1);
        return;
    }
    if (!S_ISREG(info.st_mode)) return;
    facts->config = facts->config || !strcmp(entry, "config.json") ||
                    (walk->wanted && !strcmp(entry, "adapter_config.json"));
    if (path_ends_with(entry, ".safetensors")) facts->weights += (size_t)info.st_size;
    if (walk->wanted) {
        if ((size_t)info.st_size == walk->wanted || finder_bytes(whole) == walk->wanted)
            walk->status = add_named(walk, whole, relative, &info, walk->wanted);
        return;
    }
    if (!path_ends_with(entry, ".gguf") || path_part(entry).part != 1 || goes_with_model(relative))
        return;
    walk->status = add_named(walk, whole, relative, &info, file_bytes(whole, (size_t)info.st_size));
}

// Bounded by FINDER_MAX_DEPTH nested folders and FINDER_MAX_ENTRIES entries in total.
static void walk_folder(struct walk *walk, const char *path, const char *below, int depth) {
    struct folder_facts facts = {0};
    struct stat info;
    DIR *folder = opendir(path);
    if (!folder) return;
    for (struct dirent *entry; walk->status == STATUS_OK && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.' || ++walk->models->entries > FINDER_MAX_ENTRIES) continue;
        visit_entry(walk, path, below, entry->d_name, depth, &facts);
    }
    closedir(folder);
    if (walk->wanted && facts.weights != walk->wanted) return;
    if (walk->status == STATUS_OK && facts.config && facts.weights && stat(path, &info) == 0)
        walk->status = add_named(walk, path, *below ? below : path, &info, facts.weights);
}

// ---- Ollama: a manifest names the blob that is the model.

static const char OLLAMA_HOST[] = "registry.ollama.ai/", OLLAMA_OWNER[] = "library/";

static const char *without(const char *text, const char *beginning) {
    const size_t length = strlen(beginning);
    return strncasecmp(text, beginning, length) == 0 ? text + length : text;
}

// Drops from "HOST/OWNER/NAME…" what `ollama list` leaves out.
static const char *shortest_name(const char *name) {
    const char *rest = without(name, OLLAMA_HOST);
    return rest == name ? name : without(rest, OLLAMA_OWNER);
}

static enum status add_blob(const struct walk *walk, const char *blob, char *adapter,
                            const char *below) {
    struct stat info;
    struct text name = {0};
    const char *tag = strrchr(below, '/');
    if (!tag || stat(blob, &info) != 0) return STATUS_OK;
    if (walk->wanted && (size_t)info.st_size != walk->wanted) return STATUS_OK;
    enum status status = text_append(&name, below, (size_t)(tag - below));
    if (status == STATUS_OK) status = text_format(&name, ":%s", tag + 1);
    struct walk named = *walk;
    named.naming = NAMING_OLLAMA;
    named.adapter = adapter;
    if (status == STATUS_OK)
        status = add_named(&named, blob, shortest_name(name.bytes), &info, (size_t)info.st_size);
    text_deinit(&name);
    return status;
}

// Appends the path of the first blob of this kind, if there is one.
static enum status find_blob(const cJSON *layers, const char *root, const char *kind,
                             struct text *blob) {
    static const char KIND[] = "application/vnd.ollama.image.", DIGEST[] = "sha256:";
    const cJSON *layer;
    cJSON_ArrayForEach(layer, layers) {
        const cJSON *type = cJSON_GetObjectItemCaseSensitive(layer, "mediaType");
        const cJSON *digest = cJSON_GetObjectItemCaseSensitive(layer, "digest");
        if (!cJSON_IsString(type) || !cJSON_IsString(digest) ||
            strncmp(type->valuestring, KIND, sizeof KIND - 1) != 0 ||
            strcmp(type->valuestring + sizeof KIND - 1, kind) != 0 ||
            strncmp(digest->valuestring, DIGEST, sizeof DIGEST - 1) != 0 ||
            strchr(digest->valuestring, '/'))
            continue;
        return text_format(blob, "%s/blobs/sha256-%s", root,
                           digest->valuestring + sizeof DIGEST - 1);
    }
    return STATUS_OK;
}

static enum status add_manifest(struct walk *walk, const char *root, const char *path,
                                const char *below, struct error *err) {
    struct text json_text = {0}, blob = {0}, adapter = {0};
    if (file_read(path, &json_text, err) != STATUS_OK) { // skip it
        text_deinit(&json_text);
        return STATUS_OK;
    }
    cJSON *json = cJSON_ParseWithLength(text_string(&json_text), json_text.length);
    const cJSON *layers = cJSON_GetObjectItemCaseSensitive(json, "layers");
    enum status status = find_blob(layers, root, "model", &blob);
    if (status == STATUS_OK) status = find_blob(layers, root, "adapter", &adapter);
    if (status == STATUS_OK && blob.length)
        status = add_blob(walk, blob.bytes, adapter.length ? adapter.bytes : NULL, below);
    cJSON_Delete(json);
    text_deinit(&json_text);
    text_deinit(&blob);
    text_deinit(&adapter);
    return status;
}

// manifests/HOST/OWNER/NAME/TAG
static void walk_manifests(struct walk *walk, const char *root, const char *path, const char *below,
                           int depth) {
    DIR *folder = opendir(path);
    if (!folder) return;
    for (struct dirent *entry; walk->status == STATUS_OK && (entry = readdir(folder));) {
        char whole[4096], relative[1024];
        struct stat info;
        if (entry->d_name[0] == '.' || ++walk->models->entries > FINDER_MAX_ENTRIES) continue;
        const int a = snprintf(whole, sizeof whole, "%s/%s", path, entry->d_name);
        const int b =
            snprintf(relative, sizeof relative, "%s%s%s", below, *below ? "/" : "", entry->d_name);
        if (a < 0 || b < 0 || (size_t)a >= sizeof whole || (size_t)b >= sizeof relative) continue;
        if (lstat(whole, &info) != 0) continue;
        if (S_ISDIR(info.st_mode) && depth < FINDER_MAX_DEPTH)
            walk_manifests(walk, root, whole, relative, depth + 1);
        else if (S_ISREG(info.st_mode))
            walk->status = add_manifest(walk, root, whole, relative, NULL);
    }
    closedir(folder);
}

// ---- the places

// Makes "ROOT/below"; false if the variable is not set, or the path is too long.
static bool join(char path[4096], const char *root, const char *below) {
    struct text expanded = {0};
    if (!root || !*root) return false;
    int length = -1;
    if (path_expand(root, &expanded) == STATUS_OK)
        length = snprintf(path, 4096, "%s%s%s", expanded.bytes, *below ? "/" : "", below);
    text_deinit(&expanded);
    return length > 0 && length < 4096;
}

static void search(struct walk *walk, const char *place, const char *root, const char *below,
                   enum naming naming) {
    char path[4096];
    walk->place = place;
    walk->naming = naming;
    if (walk->status == STATUS_OK && join(path, root, below)) walk_folder(walk, path, "", 0);
}

static void search_ollama(struct walk *walk, const char *root, const char *below) {
    char path[4096], manifests[4096];
    walk->place = "ollama";
    if (walk->status != STATUS_OK || !join(path, root, below)) return;
    if (join(manifests, path, "manifests")) walk_manifests(walk, path, manifests, "", 0);
}

static void search_own(struct walk *walk) {
    const char *listed = getenv("QUIRE_MODELS");
    const char *home = getenv("HOME"), *own = getenv("QUIRE_HOME");
    const char *xdg = getenv("XDG_CONFIG_HOME");
    for (const char *at = listed; at && *at;) {
        const size_t length = strcspn(at, ":");
        char root[4096];
        if (length > 0 && length < sizeof root) {
            memcpy(root, at, length);
            root[length] = '\0';
            search(walk, "QUIRE_MODELS", root, "", NAMING_PATH);
        }
        at += length + (at[length] == ':');
    }
    if (own && *own)
        search(walk, "quire", own, "models", NAMING_PATH);
    else if (xdg && xdg[0] == '/') // a relative one must be ignored (its specification)
        search(walk, "quire", xdg, "quire/models", NAMING_PATH);
    else
        search(walk, "quire", home, ".config/quire/models", NAMING_PATH);
}

static int by_name(const void *a, const void *b) {
    const struct found_model *left = a, *right = b;
    const int order = strcasecmp(left->name, right->name);
    return order ? order : strcmp(left->path, right->path);
}

static void search_all(struct walk *walk) {
    const char *home = getenv("HOME");
    search_own(walk);
    search(walk, "Hugging Face", getenv("HF_HUB_CACHE"), "", NAMING_HUB);
    search(walk, "Hugging Face", getenv("HUGGINGFACE_HUB_CACHE"), "", NAMING_HUB);
    search(walk, "Hugging Face", getenv("HF_HOME"), "hub", NAMING_HUB);
    search(walk, "Hugging Face", getenv("XDG_CACHE_HOME"), "huggingface/hub", NAMING_HUB);
    search(walk, "Hugging Face", home, ".cache/huggingface/hub", NAMING_HUB);
    search_ollama(walk, getenv("OLLAMA_MODELS"), "");
    search_ollama(walk, home, ".ollama/models");
    search_ollama(walk, "/usr/share/ollama/.ollama/models", "");
    search(walk, "LM Studio", home, ".lmstudio/models", NAMING_PATH);
    search(walk, "LM Studio", home, ".cache/lm-studio/models", NAMING_PATH);
    search(walk, "llama.cpp", getenv("LLAMA_CACHE"), "", NAMING_PATH);
    search(walk, "llama.cpp", getenv("XDG_CACHE_HOME"), "llama.cpp", NAMING_PATH);
    search(walk, "llama.cpp", home, ".cache/llama.cpp", NAMING_PATH);
}

enum status finder_list(struct found_models *models) {
    struct walk walk = {.models = models};
    search_all(&walk);
    if (models->count) qsort(models->items, models->count, sizeof models->items[0], by_name);
    return walk.status;
}

enum status finder_list_of_size(const char *folder, size_t bytes, struct found_models *models) {
    struct walk walk = {.models = models, .place = folder, .wanted = bytes};
    if (bytes == 0) return STATUS_OK;
    walk_folder(&walk, folder, "", FINDER_MAX_DEPTH - 1);
    search_all(&walk);
    return walk.status;
}

// ---- by name

static bool is_boundary(char c) { return !isalnum((unsigned char)c); }

// Does the name contain `part` between boundaries?
static bool has_part(const char *name, const char *part) {
    const size_t length = strlen(part);
    for (const char *at = name; *at; at++)
        if (!strncasecmp(at, part, length) && (at == name || is_boundary(at[-1])) &&
            is_boundary(at[length]))
            return true;
    return false;
}

// How a name can match, best first. Ollama's "fox" is "fox:latest".
enum match { MATCH_EXACT, MATCH_CASE, MATCH_LATEST, MATCH_PART, MATCH_COUNT };

static bool matches(const struct found_model *model, const char *name, enum match match) {
    static const char latest[] = ":latest";
    const size_t length = strlen(name);
    switch (match) {
    case MATCH_EXACT:
        return strcmp(model->name, name) == 0;
    case MATCH_CASE:
        return strcasecmp(model->name, name) == 0;
    case MATCH_LATEST:
        return strncasecmp(model->name, name, length) == 0 &&
               strcasecmp(model->name + length, latest) == 0;
    case MATCH_PART:
    case MATCH_COUNT:
        return has_part(model->name, name);
    }
    return false;
}

struct matching { // matches in different files
    const struct found_model *chosen[NAMES_SHOWN];
    size_t count;
};

static void note_match(struct matching *matching, const struct found_model *model) {
    for (size_t i = 0; i < matching->count && i < NAMES_SHOWN; i++)
        if (is_same_model(matching->chosen[i], model)) return;
    if (matching->count < NAMES_SHOWN) matching->chosen[matching->count] = model;
    matching->count++;
}

// Of a few matches, keeps those whose contents are a model.
static void keep_models(struct matching *matching) {
    struct matching models = {.count = 0};
    if (matching->count > NAMES_SHOWN) return;
    for (size_t i = 0; i < matching->count; i++)
        if (!model_role_of_file(matching->chosen[i]->path))
            note_match(&models, matching->chosen[i]);
    if (models.count > 0) *matching = models;
}

static enum status refuse_several(const struct matching *matching, const char *name,
                                  struct error *err) {
    char several[300] = "";
    for (size_t i = 0; i < matching->count && i < NAMES_SHOWN; i++) {
        const size_t used = strlen(several);
        snprintf(several + used, sizeof several - used, "%s%.50s", used ? ", " : "",
                 matching->chosen[i]->name);
    }
    return error_set(err, STATUS_BAD_INPUT, "\"%.60s\" matches %zu models: %s%s", name,
                     matching->count, several, matching->count > NAMES_SHOWN ? ", …" : "");
}

// "localhost:8080", "gpu.lan:8000/v1#qwen": a server without its scheme. A tag made only of digits
// belongs to some other store.
static bool is_host_and_port(const char *name) {
    const char *colon = name[0] == '[' ? strstr(name, "]:") : strchr(name, ':');
    if (!colon || colon == name) return false;
    colon += *colon == ']';
    const size_t digits = strspn(colon + 1, "0123456789");
    return digits >= 2 && digits <= 5 && strchr("/#", colon[1 + digits]) &&
           strcspn(name, "/ \t") >= (size_t)(colon - name);
}

static enum status hint_at_scheme(const char *name, struct error *err) {
    const size_t host = strcspn(name, "/#?");
    const size_t path = strcspn(name + host, "#?");
    const char *hash = strchr(name, '#');
    return error_set(err, STATUS_NOT_FOUND,
                     "no model \"%.*s\" on this machine; for a server, start with the scheme: "
                     "http://%.*s%.*s%.80s, or https://",
                     (int)(host + path), name, (int)host, name, path ? (int)path : 3,
                     path ? name + host : "/v1", hash ? hash : "");
}

static enum status use_chosen(const struct found_model *chosen, struct text *path,
                              struct error *err) {
    if (!chosen->adapter) return text_append_string(path, chosen->path);
    return error_set(err, STATUS_UNSUPPORTED,
                     "%.100s has an adapter in Ollama; open both: -m %.300s --lora %.300s",
                     chosen->name, chosen->path, chosen->adapter);
}

static enum status choose_found(const struct found_models *models, const char *given,
                                struct text *path, struct error *err) {
    const char *name = shortest_name(given);
    struct matching matching = {.count = 0};
    for (int match = 0; match < MATCH_COUNT && matching.count == 0; match++)
        for (size_t i = 0; i < models->count; i++)
            if (matches(&models->items[i], name, (enum match)match) &&
                (match != MATCH_EXACT || matching.count == 0))
                note_match(&matching, &models->items[i]);
    if (matching.count > 1) keep_models(&matching);
    if (matching.count == 1) return use_chosen(matching.chosen[0], path, err);
    if (matching.count > 1) return refuse_several(&matching, given, err);
    if (is_host_and_port(given)) return hint_at_scheme(given, err);
    return error_set(err, STATUS_NOT_FOUND,
                     "no file and no model \"%.200s\" on this machine; quire models lists them",
                     given);
}

static bool holds(const char *folder, const char *name) {
    char path[4096];
    struct stat info;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path && stat(path, &info) == 0;
}

// Of several matches, drops those that are not models, unless none is.
static void drop_what_goes_with(struct found_models *models) {
    size_t kept = 0;
    for (size_t i = 0; i < models->count; i++) {
        if (model_role_of_file(models->items[i].path)) continue;
        const struct found_model model = models->items[i];
        models->items[i] = models->items[kept];
        models->items[kept++] = model;
    }
    if (kept == 0) return;
    for (size_t i = kept; i < models->count; i++) {
        free(models->items[i].name);
        free(models->items[i].path);
        free(models->items[i].adapter);
    }
    models->count = kept;
}

// A folder that is a model or contains one. A folder with only a config.json is a model without
// weights, or an adapter, which opening it reports; but some folders have a config.json next to a
// GGUF file.
static enum status find_in_folder(const char *folder, struct text *path, struct error *err) {
    struct found_models models = {0};
    DIR *opened = opendir(folder);
    if (!opened)
        return error_set(err, STATUS_IO, "cannot open %.200s: %s", folder, strerror(errno));
    closedir(opened);
    struct walk walk = {.models = &models, .place = folder};
    const bool configured = holds(folder, "config.json") || holds(folder, "adapter_config.json");
    walk_folder(&walk, folder, "", FINDER_MAX_DEPTH - 1);
    if (models.count > 1 && models.count <= NAMES_SHOWN) drop_what_goes_with(&models);
    bool itself = configured && models.count == 0;
    for (size_t i = 0; i < models.count; i++)
        itself = itself || !strcmp(models.items[i].path, folder);
    enum status status = walk.status;
    if (status == STATUS_OK && (itself || models.count == 1))
        status = text_append_string(path, itself ? folder : models.items[0].path);
    else if (status == STATUS_OK)
        status =
            error_set(err, models.count ? STATUS_BAD_INPUT : STATUS_NOT_FOUND,
                      "%.200s: expected one model in this folder, found %zu", folder, models.count);
    found_models_deinit(&models);
    return status;
}

// Looks up "hf:ORG/REPO:Q4_K_M" in the cache. Without a type, pull's choice is looked up.
static enum status find_in_hub(const char *given, struct text *path, struct error *err) {
    struct hub_name name;
    struct hub_listing listing = {0};
    struct hub_machine machine = {.memory_free = UINT64_MAX};
    struct hub_model model;
    struct text why = {0};
    struct fit fit;
    TRY(hub_name_parse(given, &name, err));
    enum status status = hub_cache_list(name.repo, &listing, err);
    if (status == STATUS_OK && !name.which[0] && hub_listing_model(&listing, 1, &model) &&
        fit_machine(true, &fit))
        machine = (struct hub_machine){fit.memory_free, fit.card};
    if (status == STATUS_OK)
        status = hub_listing_choose(&listing, &name, &machine, &model, &why, err);
    if (status == STATUS_OK) status = hub_cache_model(name.repo, &listing, &model, path, err);
    hub_listing_deinit(&listing);
    text_deinit(&why);
    if (status != STATUS_NOT_FOUND) return status;
    return error_set(err, status, "no model %s on this machine; quire pull %s downloads it", given,
                     given);
}

enum status finder_find_demo(struct text *path, struct error *err) {
    TRY(path_of_share("quire-demo-30m-q8_0.gguf", QUIRE_DEMO_MODEL, path));
    if (access(text_string(path), R_OK) == 0) return STATUS_OK;
    return error_set(err, STATUS_NOT_FOUND,
                     "no model given, and the demo model is not installed; use -m FILE.gguf");
}

bool finder_is_demo(const char *name) {
    return !strcmp(name, "demo") || !strcasecmp(name, DEMO_NAME);
}

enum status finder_find(const char *name, struct text *path, struct error *err) {
    struct stat info;
    struct found_models models = {0};
    if (stat(name, &info) == 0 && S_ISDIR(info.st_mode)) return find_in_folder(name, path, err);
    if (stat(name, &info) == 0) return text_append_string(path, name);
    const bool is_there = lstat(name, &info) == 0; // a link to nothing, or to itself
    if (hub_name_is(name)) return find_in_hub(name, path, err);
    const bool is_file = path_ends_with(name, ".gguf") && !strchr(name, ':'); // else a tag
    if (name[0] == '/' || name[0] == '.' || path_is_url(name) || is_file || is_there)
        return text_append_string(path, name); // a path: opening it reports what is wrong
    enum status status = finder_list(&models);
    if (status == STATUS_OK) status = choose_found(&models, name, path, err);
    found_models_deinit(&models);
    return status == STATUS_NOT_FOUND && finder_is_demo(name) ? finder_find_demo(path, err)
                                                              : status;
}
