#include "app/bench/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/config.h"

static const char TEMPLATE[] = "bench-XXXXXX";

static enum status make_in(struct bench_folder *folder, const char *parent, struct error *err) {
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", parent, TEMPLATE);
    if (length < 0 || (size_t)length >= sizeof path)
        return error_set(err, STATUS_IO, "the path %.60s… is too long", parent);
    struct error unused; // says what is not about a bench
    if (config_make_folder(path, &unused) != STATUS_OK || !mkdtemp(path))
        return error_set(err, STATUS_IO, "no folder can be made in %.300s: %s", parent,
                         strerror(errno));
    memcpy(folder->path, path, sizeof path);
    return STATUS_OK;
}

enum status bench_folder_open(struct bench_folder *folder, const char *parent, bool fallback,
                              struct error *err) {
    const char *temporary = getenv("TMPDIR");
    if (!temporary || !*temporary) temporary = "/tmp";
    if (*parent) {
        const enum status status = make_in(folder, parent, err);
        if (status == STATUS_OK || !fallback) return status;
    }
    return make_in(folder, temporary, err);
}

static int remove_entry(const char *path, const struct stat *entry, int kind, struct FTW *place) {
    (void)entry, (void)kind, (void)place;
    remove(path);
    return 0; // continue: what cannot be removed stays, alone
}

void bench_folder_close(struct bench_folder *folder) {
    enum { FOLDERS_OPEN = 8 };
    if (folder->path[0]) nftw(folder->path, remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
    folder->path[0] = '\0';
}
