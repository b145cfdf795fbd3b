#include "app/hub/hub_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/path.h"
#include "kernels/base/assert.h"

enum { WAIT_US = 100000, LOCK_FLAGS = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW };
static const char PREFIX[] = "/models--", SNAPSHOTS[] = "/snapshots/";

static enum status fail_path(struct error *err, const char *path, const char *what) {
    return error_set(err, errno == ENOSPC || errno == EDQUOT ? STATUS_FULL : STATUS_IO,
                     "cannot %s %.300s: %s", what, path, strerror(errno));
}

// ---- places

enum status hub_cache_folder(struct text *folder, struct error *err) {
    static const char *const places[][2] = {{"HF_HUB_CACHE", ""},
                                            {"HUGGINGFACE_HUB_CACHE", ""},
                                            {"HF_HOME", "/hub"},
                                            {"XDG_CACHE_HOME", "/huggingface/hub"},
                                            {"HOME", "/.cache/huggingface/hub"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *root = getenv(places[i][0]);
        if (!root || !*root) continue;
        TRY(path_expand(root, folder));
        return text_append_string(folder, places[i][1]);
    }
    return error_set(err, STATUS_IO, "cannot find the model cache; set HF_HOME or HOME");
}

// "models--ORG--REPO"
static enum status append_repo(const char *repo, struct text *path) {
    const char *slash = strchr(repo, '/');
    ASSERT(slash);
    return text_format(path, "models--%.*s--%s", (int)(slash - repo), repo, slash + 1);
}

enum status hub_cache_path(const char *repo, const char *below, struct text *path,
                           struct error *err) {
    TRY(hub_cache_folder(path, err));
    TRY(text_append(path, "/", 1));
    TRY(append_repo(repo, path));
    return text_format(path, "%s%s", below[0] ? "/" : "", below);
}

enum status hub_cache_make_folders(const char *path, struct error *err) {
    struct text folder = {0};
    enum status status = STATUS_OK;
    for (const char *at = strchr(path + 1, '/'); at && status == STATUS_OK;
         at = strchr(at + 1, '/')) {
        text_clear(&folder);
        status = text_append(&folder, path, (size_t)(at - path));
        if (status == STATUS_OK && mkdir(folder.bytes, 0777) != 0 && errno != EEXIST)
            status = fail_path(err, folder.bytes, "create");
    }
    text_deinit(&folder);
    return status;
}

// ---- what is there

// Of what `below` names in the repository's folder; false: there is no such file.
static bool stat_below(const char *repo, const char *below, const char *end, uint64_t *bytes) {
    struct text path = {0};
    struct stat info;
    const bool found = hub_cache_path(repo, below, &path, NULL) == STATUS_OK &&
                       text_append_string(&path, end) == STATUS_OK &&
                       stat(path.bytes, &info) == 0 && S_ISREG(info.st_mode);
    if (found) *bytes = (uint64_t)info.st_size;
    text_deinit(&path);
    return found;
}

static bool stat_blob(const char *repo, const struct hub_file *file, const char *end,
                      uint64_t *bytes) {
    char blob[sizeof "blobs/" + HUB_SHA256_DIGITS];
    snprintf(blob, sizeof blob, "blobs/%s", file->digest);
    return stat_below(repo, blob, end, bytes) && *bytes <= file->bytes;
}

bool hub_cache_is_whole(const char *repo, const struct hub_file *file) {
    uint64_t bytes;
    return stat_blob(repo, file, "", &bytes) && bytes == file->bytes;
}

uint64_t hub_cache_bytes(const char *repo, const struct hub_file *file) {
    uint64_t bytes = 0;
    if (hub_cache_is_whole(repo, file)) return file->bytes;
    return stat_blob(repo, file, ".incomplete", &bytes) ? bytes : 0;
}

enum status hub_cache_model(const char *repo, const struct hub_listing *listing,
                            const struct hub_model *model, struct text *path, struct error *err) {
    TRY(hub_cache_path(repo, "snapshots/", path, err));
    TRY(text_append_string(path, listing->commit));
    return model->parts ? text_format(path, "/%s", hub_model_path(listing, model)) : STATUS_OK;
}

static bool read_ref(const char *repo, char commit[HUB_COMMIT_DIGITS + 1]) {
    struct text path = {0};
    bool found = false;
    char bytes[HUB_COMMIT_DIGITS + 1] = "";
    FILE *file = hub_cache_path(repo, "refs/main", &path, NULL) == STATUS_OK
                     ? fopen(path.bytes, "re")
                     : NULL;
    text_deinit(&path);
    if (!file) return false;
    found = fread(bytes, 1, HUB_COMMIT_DIGITS, file) == HUB_COMMIT_DIGITS &&
            strspn(bytes, "0123456789abcdef") == HUB_COMMIT_DIGITS;
    fclose(file);
    if (found) memcpy(commit, bytes, sizeof bytes);
    return found;
}

static FTS *open_walk(char *folder) {
    char *folders[] = {folder, NULL};
    return fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
}

static enum status list_folder(char *folder, struct hub_listing *listing, struct error *err) {
    FTS *walk = open_walk(folder);
    enum status status = STATUS_OK;
    for (FTSENT *entry; walk && status == STATUS_OK && (entry = fts_read(walk));) {
        struct stat info;
        const bool file = entry->fts_info == FTS_F || entry->fts_info == FTS_SL;
        if (file && stat(entry->fts_path, &info) == 0 && S_ISREG(info.st_mode))
            status = hub_listing_add(listing, entry->fts_path + strlen(folder) + 1,
                                     (uint64_t)info.st_size, "", err);
    }
    if (walk) fts_close(walk);
    return status;
}

enum status hub_cache_list(const char *repo, struct hub_listing *listing, struct error *err) {
    struct text path = {0};
    enum status status = STATUS_NOT_FOUND;
    if (read_ref(repo, listing->commit)) status = hub_cache_path(repo, "snapshots/", &path, err);
    if (status == STATUS_OK) status = text_append_string(&path, listing->commit);
    if (status == STATUS_OK) status = list_folder(path.bytes, listing, err);
    text_deinit(&path);
    return status == STATUS_OK && listing->count == 0 ? STATUS_NOT_FOUND : status;
}

// ---- what is added

enum status hub_cache_lock(const char *repo, const char *digest, bool (*waiting)(void *user),
                           void *user, int *fd, struct error *err) {
    struct text path = {0};
    int lock = -1;
    enum status status = hub_cache_folder(&path, err);
    if (status == STATUS_OK) status = text_append_string(&path, "/.locks/");
    if (status == STATUS_OK) status = append_repo(repo, &path);
    if (status == STATUS_OK) status = text_format(&path, "/%s.lock", digest);
    if (status == STATUS_OK) status = hub_cache_make_folders(path.bytes, err);
    if (status == STATUS_OK && (lock = open(path.bytes, LOCK_FLAGS, 0644)) < 0)
        status = fail_path(err, path.bytes, "create");
    while (status == STATUS_OK && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            status = fail_path(err, path.bytes, "lock");
        else if (!waiting(user))
            status = STATUS_CANCELLED;
        else
            usleep(WAIT_US);
    }
    text_deinit(&path);
    if (status == STATUS_OK)
        *fd = lock;
    else if (lock >= 0)
        close(lock);
    return status;
}

// Atomically replaces an older link or file by the new one.
static enum status replace(const char *next, const char *path, struct error *err) {
    if (rename(next, path) == 0) return STATUS_OK;
    const enum status status = fail_path(err, path, "create");
    unlink(next);
    return status;
}

static enum status make_link(const char *repo, const char *commit, const struct hub_file *file,
                             struct error *err) {
    struct text path = {0}, next = {0}, target = {0};
    enum status status = hub_cache_path(repo, "snapshots/", &path, err);
    if (status == STATUS_OK) status = text_format(&path, "%s/%s", commit, file->path);
    if (status == STATUS_OK) status = text_format(&next, "%s.%d", path.bytes, (int)getpid());
    for (const char *at = file->path; at && status == STATUS_OK; at = strchr(at + 1, '/'))
        status = text_append_string(&target, "../");
    if (status == STATUS_OK) status = text_format(&target, "../blobs/%s", file->digest);
    if (status == STATUS_OK) status = hub_cache_make_folders(path.bytes, err);
    if (status == STATUS_OK && symlink(target.bytes, next.bytes) != 0)
        status = fail_path(err, next.bytes, "create");
    if (status == STATUS_OK) status = replace(next.bytes, path.bytes, err);
    text_deinit(&path);
    text_deinit(&next);
    text_deinit(&target);
    return status;
}

static enum status write_ref(const char *repo, const char *commit, struct error *err) {
    struct text path = {0}, next = {0};
    enum status status = hub_cache_path(repo, "refs/main", &path, err);
    if (status == STATUS_OK) status = text_format(&next, "%s.%d", path.bytes, (int)getpid());
    if (status == STATUS_OK) status = hub_cache_make_folders(path.bytes, err);
    FILE *file = NULL;
    if (status == STATUS_OK) {
        unlink(next.bytes); // of a process of the same number, which died
        file = fopen(next.bytes, "wxe");
    }
    if (status == STATUS_OK) {
        const bool written = file && fputs(commit, file) >= 0;
        if ((file && fclose(file) != 0) || !written) status = fail_path(err, next.bytes, "write");
    }
    if (status == STATUS_OK) status = replace(next.bytes, path.bytes, err);
    text_deinit(&path);
    text_deinit(&next);
    return status;
}

enum status hub_cache_publish(const char *repo, const struct hub_listing *listing,
                              const struct hub_model *model, struct error *err) {
    for (size_t i = 0; i < listing->count; i++)
        if (hub_model_has(listing, model, i))
            TRY(make_link(repo, listing->commit, &listing->files[i], err));
    return write_ref(repo, listing->commit, err);
}

// ---- what is removed

// Calls `visit` with each file and link below `folder`, and folders after what is in them.
static enum status walk_files(const char *folder,
                              enum status (*visit)(void *user, const FTSENT *entry), void *user) {
    char *root = strdup(folder);
    FTS *walk = root ? open_walk(root) : NULL;
    enum status status = root ? STATUS_OK : STATUS_NO_MEMORY;
    for (FTSENT *entry; walk && status == STATUS_OK && (entry = fts_read(walk));)
        if (entry->fts_info != FTS_D) status = visit(user, entry);
    if (walk) fts_close(walk);
    free(root);
    return status;
}

// "CACHE/models--ORG--REPO", or what is in a snapshot of it; *repo_bytes: the length of the former.
static bool is_removable(const char *path, const char *cache, size_t *repo_bytes) {
    const size_t length = strlen(cache);
    if (strncmp(path, cache, length) != 0 || strncmp(path + length, PREFIX, sizeof PREFIX - 1) != 0)
        return false;
    const size_t repo = length + 1 + strcspn(path + length + 1, "/");
    *repo_bytes = repo;
    if (!path[repo]) return true;
    return strncmp(path + repo, SNAPSHOTS, sizeof SNAPSHOTS - 1) == 0 &&
           path[repo + sizeof SNAPSHOTS - 1];
}

// Where the path really is. Its last part stays as it is if that is a link, for it leads to a blob.
static enum status resolve(const char *path, struct text *real) {
    struct stat info;
    struct text folder = {0};
    const char *slash = strrchr(path, '/');
    if (lstat(path, &info) != 0) return STATUS_NOT_FOUND;
    const bool is_link = S_ISLNK(info.st_mode);
    enum status status = STATUS_OK;
    if (is_link)
        status = slash ? text_append(&folder, path, (size_t)(slash + 1 - path))
                       : text_append_string(&folder, "./");
    char *resolved = status == STATUS_OK ? realpath(is_link ? folder.bytes : path, NULL) : NULL;
    if (status == STATUS_OK) status = resolved ? text_append_string(real, resolved) : STATUS_IO;
    if (status == STATUS_OK && is_link) status = text_format(real, "/%s", slash ? slash + 1 : path);
    text_deinit(&folder);
    free(resolved);
    return status;
}

enum status hub_cache_find(const char *path, struct text *real, size_t *repo_bytes,
                           struct error *err) {
    struct text folder = {0};
    TRY(hub_cache_folder(&folder, err));
    char *cache = realpath(folder.bytes, NULL);
    text_deinit(&folder);
    enum status status = cache ? resolve(path, real) : STATUS_NOT_FOUND;
    const bool found = status == STATUS_OK && is_removable(real->bytes, cache, repo_bytes);
    free(cache);
    if (found || status == STATUS_NO_MEMORY) return status;
    return error_set(err, STATUS_UNSUPPORTED,
                     "%.300s is not in Hugging Face's cache; quire removes models only there",
                     path);
}

struct removal {
    const char *model;                   // path of the file or folder that goes
    struct text repo;                    // the repository's folder
    size_t links;                        // that stay
    char (*kept)[HUB_SHA256_DIGITS + 1]; // blobs that they need
    uint64_t freed_bytes;
    struct error *err;
};

static bool is_of_model(const struct removal *removal, const char *path) {
    const size_t length = strlen(removal->model);
    const struct path_part first = path_part(removal->model), part = path_part(path);
    if (strcmp(path, removal->model) == 0) return true;
    if (strncmp(path, removal->model, length) == 0 && path[length] == '/') return true;
    return first.parts > 1 && part.parts == first.parts && part.stem == first.stem &&
           strncmp(path, removal->model, first.stem) == 0;
}

// The name of the blob that a link leads to.
static bool read_blob(const char *link, char blob[HUB_SHA256_DIGITS + 1]) {
    char target[1024];
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length <= 0) return false;
    target[length] = '\0';
    const char *slash = strrchr(target, '/');
    const size_t digits = slash ? strspn(slash + 1, "0123456789abcdef") : 0;
    if (digits == 0 || digits > HUB_SHA256_DIGITS || slash[1 + digits]) return false;
    memcpy(blob, slash + 1, digits + 1);
    return true;
}

static enum status note_kept(void *user, const FTSENT *entry) {
    struct removal *removal = user;
    char blob[HUB_SHA256_DIGITS + 1] = "";
    if (entry->fts_info == FTS_DP || is_of_model(removal, entry->fts_path)) return STATUS_OK;
    (void)read_blob(entry->fts_path, blob);
    void *longer = realloc(removal->kept, (removal->links + 1) * sizeof *removal->kept);
    if (!longer) return STATUS_NO_MEMORY;
    removal->kept = longer;
    memcpy(removal->kept[removal->links++], blob, sizeof blob);
    return STATUS_OK;
}

static bool is_kept(const struct removal *removal, const char *blob) {
    for (size_t i = 0; i < removal->links; i++)
        if (strcmp(removal->kept[i], blob) == 0) return true;
    return false;
}

static enum status remove_file(struct removal *removal, const char *path) {
    struct stat info;
    if (lstat(path, &info) != 0) return STATUS_OK;
    if (unlink(path) != 0) return fail_path(removal->err, path, "remove");
    if (S_ISREG(info.st_mode)) removal->freed_bytes += (uint64_t)info.st_size;
    return STATUS_OK;
}

// The link first: a link to nothing would be a model that cannot be opened.
static enum status remove_link(void *user, const FTSENT *entry) {
    struct removal *removal = user;
    char blob[HUB_SHA256_DIGITS + 1];
    struct text path = {0};
    if (entry->fts_info == FTS_DP) {
        (void)rmdir(entry->fts_path); // it stays if there is something in it
        return STATUS_OK;
    }
    if (!is_of_model(removal, entry->fts_path)) return STATUS_OK;
    const bool linked = read_blob(entry->fts_path, blob);
    enum status status = remove_file(removal, entry->fts_path);
    if (status != STATUS_OK || !linked || is_kept(removal, blob)) return status;
    status = text_format(&path, "%s/blobs/%s", text_string(&removal->repo), blob);
    if (status == STATUS_OK) status = remove_file(removal, path.bytes);
    text_deinit(&path);
    return status;
}

static enum status remove_any(void *user, const FTSENT *entry) {
    if (entry->fts_info != FTS_DP) return remove_file(user, entry->fts_path);
    return rmdir(entry->fts_path) == 0 || errno == ENOENT
               ? STATUS_OK
               : fail_path(((struct removal *)user)->err, entry->fts_path, "remove");
}

// Removes what the hub's clients keep there. Other files stay, and so does the folder then.
static enum status remove_repo(struct removal *removal) {
    static const char *const KEPT[] = {"snapshots", "refs", "blobs", ".no_exist"};
    struct text path = {0};
    struct stat info;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof KEPT / sizeof KEPT[0] && status == STATUS_OK; i++) {
        text_clear(&path);
        status = text_format(&path, "%s/%s", text_string(&removal->repo), KEPT[i]);
        if (status == STATUS_OK && lstat(path.bytes, &info) == 0)
            status = walk_files(path.bytes, remove_any, removal);
    }
    text_deinit(&path);
    (void)rmdir(text_string(&removal->repo));
    return status;
}

enum status hub_cache_remove(const char *path, uint64_t *freed_bytes, struct error *err) {
    struct removal removal = {.err = err};
    struct text real = {0}, snapshots = {0};
    size_t repo_bytes = 0;
    enum status status = hub_cache_find(path, &real, &repo_bytes, err);
    removal.model = text_string(&real);
    if (status == STATUS_OK) status = text_append(&removal.repo, real.bytes, repo_bytes);
    if (status == STATUS_OK) status = text_format(&snapshots, "%s/snapshots", removal.repo.bytes);
    if (status == STATUS_OK && real.bytes[repo_bytes])
        status = walk_files(snapshots.bytes, note_kept, &removal);
    if (status == STATUS_OK && removal.links) // of other models
        status = walk_files(snapshots.bytes, remove_link, &removal);
    else if (status == STATUS_OK)
        status = remove_repo(&removal);
    if (status == STATUS_OK) *freed_bytes = removal.freed_bytes;
    text_deinit(&real);
    text_deinit(&removal.repo);
    text_deinit(&snapshots);
    free(removal.kept);
    return status;
}
