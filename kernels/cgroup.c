// kernels/cgroup.c — /proc/self/cgroup names the groups, /sys/fs/cgroup has their figures.
//
//   0::/user/app            version 2: /sys/fs/cgroup/user/app, or below "unified" with version 1
//   5:memory:/docker/1a2b   version 1: /sys/fs/cgroup/memory/docker/1a2b
//
// A container often sees its own group as the mounted root while the name is the machine's. So a
// folder that does not exist is skipped, and the root is always read.
#include "kernels/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_MAX = 64 }; // above one another

struct version {
    const char *folder; // below the root
    const char *limits[2], *used, *cached[2];
};

static const struct version VERSION_1 = {"/sys/fs/cgroup/memory",
                                         {"memory.limit_in_bytes", NULL},
                                         "memory.usage_in_bytes",
                                         {"total_inactive_file ", "total_active_file "}};
static const struct version VERSION_2 = {"/sys/fs/cgroup",
                                         {"memory.max", "memory.high"},
                                         "memory.current",
                                         {"inactive_file ", "active_file "}};
static const struct version BESIDE_1 = {"/sys/fs/cgroup/unified",
                                        {"memory.max", "memory.high"},
                                        "memory.current",
                                        {"inactive_file ", "active_file "}};

static FILE *open_in(const char *folder, const char *name) {
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
}

// False for "max", and where there is no such file.
static bool read_number(const char *folder, const char *name, size_t *number) {
    FILE *file = open_in(folder, name);
    const bool read = file && fscanf(file, "%zu", number) == 1;
    if (file) (void)fclose(file);
    return read;
}

static size_t read_cached(const char *folder, const struct version *version) {
    FILE *file = open_in(folder, "memory.stat");
    char line[256];
    size_t bytes = 0;
    while (file && fgets(line, sizeof line, file))
        for (int i = 0; i < 2; i++) {
            const size_t length = strlen(version->cached[i]);
            if (strncmp(line, version->cached[i], length) == 0)
                bytes += (size_t)strtoull(line + length, NULL, 10);
        }
    if (file) (void)fclose(file);
    return bytes;
}

static void read_group(const char *folder, const struct version *version,
                       struct cgroup_memory *memory) {
    size_t limit = SIZE_MAX, number, used;
    for (int i = 0; i < 2 && version->limits[i]; i++)
        if (read_number(folder, version->limits[i], &number) && number < limit) limit = number;
    if (limit == SIZE_MAX || !read_number(folder, version->used, &used)) return;
    const size_t cached = read_cached(folder, version);
    const size_t held = used > cached ? used - cached : 0, left = limit > held ? limit - held : 0;
    if (limit < memory->limit) memory->limit = limit;
    if (left < memory->left) memory->left = left;
}

// The group and all above it, up to the mounted root.
static void read_groups(const char *root, const struct version *version, const char *name,
                        struct cgroup_memory *memory) {
    char folder[PATH_MAX];
    const int top = snprintf(folder, sizeof folder, "%s%s", root, version->folder);
    if (top <= 0 || (size_t)top + strlen(name) >= sizeof folder) return;
    memcpy(folder + top, name, strlen(name) + 1);
    for (int i = 0; i < GROUPS_MAX; i++) {
        read_group(folder, version, memory);
        char *slash = strrchr(folder + top, '/');
        if (!slash) break;
        *slash = '\0';
    }
}

// Is "memory" one of the controllers, "cpu,memory"?
static bool has_memory(const char *controllers) {
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, "memory", 6) == 0 && (at[6] == '\0' || at[6] == ',')) return true;
    }
    return false;
}

struct cgroup_memory cgroup_memory_read(const char *root) {
    struct cgroup_memory memory = {SIZE_MAX, SIZE_MAX};
    char folder[PATH_MAX], line[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/proc/self", root);
    FILE *file = open_in(folder, "cgroup");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *name = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!name || name[1] != '/') continue;
        *name++ = '\0';
        controllers++;
        if (*controllers == '\0') {
            read_groups(root, &VERSION_2, name, &memory);
            read_groups(root, &BESIDE_1, name, &memory);
        } else if (has_memory(controllers)) {
            read_groups(root, &VERSION_1, name, &memory);
        }
    }
    if (file) (void)fclose(file);
    return memory;
}
