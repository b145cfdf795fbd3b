#include "app/cli/kv_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum { FREE_PARTS = 4 }; // of which the cache takes one

static const uint64_t DEFAULT_MOST = (uint64_t)32 << 30;

enum status kv_disk_folder(const struct args *args, const struct config *config,
                           struct text *folder) {
    if (args->kv_dir) return text_append_string(folder, args->kv_dir);
    return text_format(folder, "%s/kv", text_string(&config->cache_path));
}

// Of the folder, or of the nearest one above it that exists.
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
