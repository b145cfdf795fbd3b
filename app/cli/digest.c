#include "app/cli/digest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/model/checkpoint.h"
#include "engine/model/mapped_file.h"
#include "engine/tokenizer/tokenizer_json.h"
#include "kernels/base/log.h"

static bool add_file(const char *path, struct file_state *state) {
    struct stat file;
    if (stat(path, &file) != 0) return false;
    file_state_add(state, &file);
    return true;
}

// All files of a folder, as any of them may be a part of the model.
static bool add_folder(const char *path, struct file_state *state) {
    DIR *folder = opendir(path);
    bool whole = folder != NULL;
    for (struct dirent *entry; whole && (entry = readdir(folder));) {
        char file[PATH_MAX];
        const int length = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        whole = length > 0 && (size_t)length < sizeof file;
        if (whole && strcmp(entry->d_name, "..") != 0) add_file(file, state);
    }
    if (folder) closedir(folder);
    return whole;
}

static bool add_parts(const char *path, struct digest_file *file) {
    struct stat info;
    char part[PATH_MAX];
    if (!realpath(path, file->path) || stat(file->path, &info) != 0) return false;
    file->is_folder = S_ISDIR(info.st_mode);
    if (file->is_folder) return add_folder(file->path, &file->state);
    if (!checkpoint_part(path, 1, part, sizeof part)) return add_file(path, &file->state);
    for (int32_t i = 1; checkpoint_part(path, i, part, sizeof part); i++)
        if (!add_file(part, &file->state)) return false;
    return true;
}

void digest_identify(const char *path, struct digest_file *file) {
    *file = (struct digest_file){.given = path};
    if (!add_parts(path, file)) file->path[0] = '\0';
}

bool digest_find(struct db *db, const struct digest_file *file, struct hash128 *digest) {
    const struct file_state *state = &file->state;
    return file->path[0] &&
           db_digest_find(db, file->path, state->bytes, state->changed_ns, digest) == STATUS_OK;
}

static bool is_still(const struct digest_file *file, const struct gguf *opened) {
    struct digest_file now;
    const struct file_state of_opened = gguf_state(opened);
    digest_identify(file->given, &now);
    return strcmp(now.path, file->path) == 0 && file_state_equal(&now.state, &file->state) &&
           (file->is_folder || file_state_equal(&of_opened, &file->state));
}

void digest_remember(struct db *db, const struct digest_file *file, const struct gguf *opened,
                     struct hash128 digest) {
    struct error err = {0};
    if (!file->path[0] || !is_still(file, opened)) return;
    if (db_digest_remember(db, file->path, file->state.bytes, file->state.changed_ns, digest,
                           &err) != STATUS_OK)
        log_write(LOG_WARNING, "cannot save the model's digest: %s", err.text);
}

// A missing file adds nothing. The seed says which file the bytes are from.
struct hash128 digest_with_texts(const char *path, struct hash128 weights) {
    static const char *const NAMES[] = {"tokenizer.json", "tokenizer_config.json",
                                        "chat_template.jinja", "chat_template.json"};
    struct hash128 digest = weights;
    char folder[PATH_MAX];
    if (!tokenizer_is_in_folder(path)) return weights;
    tokenizer_folder(path, folder);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char name[PATH_MAX];
        struct mapped_file file;
        const int length = snprintf(name, sizeof name, "%s/%s", folder, NAMES[i]);
        if (length < 0 || (size_t)length >= sizeof name ||
            mapped_file_open(name, "a text file", &file, NULL) != STATUS_OK)
            continue;
        const struct hash128 both[2] = {digest, hash_bytes(file.bytes, file.length, i)};
        digest = hash_bytes(both, sizeof both, i);
        mapped_file_close(&file);
    }
    return digest;
}
