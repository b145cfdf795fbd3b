#include "app/cli/kv_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "kernels/base/hash.h"
#include "store/conversation.h"
#include "store/disk_cache/disk_cache.h"

enum { FREE_PARTS = 4 }; // the cache takes one of these parts

static const uint64_t DEFAULT_MOST = (uint64_t)32 << 30;

enum status kv_disk_folder(const struct args *args, const struct config *config,
                           struct text *folder) {
    if (args->kv_dir) return text_append_string(folder, args->kv_dir);
    return text_format(folder, "%s/kv", text_string(&config->cache_path));
}

// Free space of the folder, or of its nearest existing parent.
static bool find_free(const char *folder, uint64_t *bytes) {
    char path[PATH_MAX];
    struct statvfs system;
    if (strlen(folder) >= sizeof path) return false;
    memcpy(path, folder, strlen(folder) + 1);
    while (statvfs(path, &system) != 0) {
        char *slash = strrchr(path, '/');
        if (strcmp(path, "/") == 0 || strcmp(path, ".") == 0) return false;
        if (!slash)
            memcpy(path, ".", 2);
        else
            slash[slash == path] = '\0';
    }
    *bytes = (uint64_t)system.f_bavail * system.f_frsize;
    return true;
}

static uint64_t taken_by(const char *folder) {
    uint64_t bytes = 0;
    DIR *listed = opendir(folder);
    if (!listed) return 0;
    for (struct dirent *entry; (entry = readdir(listed));) {
        struct stat file;
        if (fstatat(dirfd(listed), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(file.st_mode))
            bytes += (uint64_t)file.st_size;
    }
    closedir(listed);
    return bytes;
}

uint64_t kv_disk_limit(const struct args *args, const char *folder) {
    uint64_t bytes = 0;
    if (args_source(args, "kv-disk") != ARGS_DEFAULT) return args->kv_disk_bytes;
    if (!find_free(folder, &bytes)) return 0;
    bytes = (bytes + taken_by(folder)) / FREE_PARTS;
    return bytes < DEFAULT_MOST ? bytes : DEFAULT_MOST;
}

uint64_t kv_disk_home(const struct config *config) {
    char *path = realpath(text_string(&config->db_path), NULL);
    if (!path) return 0;
    const uint64_t home = hash_bytes(path, strlen(path), 0).low | 1;
    free(path);
    return home;
}

static enum status is_there(struct db *db, uint64_t number, bool *there, struct error *err) {
    char id[CONVERSATION_ID_BYTES];
    struct conversation found;
    *there = false;
    if (number == 0 || number > UINT32_MAX) return STATUS_OK;
    conversation_id_write((int64_t)number, id);
    const enum status status = conversation_find(db, id, &found, err);
    *there = status == STATUS_OK;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

// Moves to the front the references of this database to conversations that it no longer has.
static enum status find_gone(struct db *db, uint64_t home, const struct disk_cache_summary *summary,
                             uint64_t *numbers, size_t *gone, struct error *err) {
    for (size_t i = 0; i < summary->reference_count; i++) {
        const struct disk_reference_usage *reference = &summary->references[i];
        bool there;
        if (reference->home != home) continue;
        TRY(is_there(db, reference->conversation, &there, err));
        if (!there) numbers[(*gone)++] = reference->conversation;
    }
    return STATUS_OK;
}

size_t kv_disk_forget_gone(const struct config *config, const char *folder) {
    const uint64_t home = kv_disk_home(config);
    struct disk_cache_summary summary = {0};
    struct db *db = NULL;
    struct error err = {0};
    size_t gone = 0;
    uint64_t freed_bytes, *numbers = NULL;
    enum status status = home ? STATUS_OK : STATUS_NOT_FOUND;
    if (status == STATUS_OK) status = db_open(text_string(&config->db_path), &db, &err);
    if (status == STATUS_OK) status = disk_cache_summarise(folder, &summary, &err);
    if (status == STATUS_OK) {
        numbers = calloc(summary.reference_count + 1, sizeof *numbers);
        status = numbers ? find_gone(db, home, &summary, numbers, &gone, &err) : STATUS_NO_MEMORY;
    }
    if (status == STATUS_OK && gone > 0)
        status = disk_cache_forget(folder, numbers, gone, &freed_bytes, &err);
    free(numbers);
    disk_cache_summary_deinit(&summary);
    db_close(db);
    return status == STATUS_OK ? gone : 0;
}
