#include "engine/model/checkpoint.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/model/folder.h"
#include "engine/model/mapped_file.h"
#include "kernels/base/assert.h"
#include "kernels/base/text.h"

enum {
    TAIL_BYTES = sizeof "-00001-of-00003.gguf" - 1,
    LINKS_MOST = 40, // as the system follows
};

struct split {   // of a path's name
    size_t stem; // bytes before the tail
    int32_t part, parts;
};

// "…-00002-of-00003.gguf": part 2 of 3.
static bool find_split(const char *path, struct split *split) {
    const size_t length = strlen(path);
    if (length < TAIL_BYTES) return false;
    const char *tail = path + length - TAIL_BYTES;
    int part = 0, parts = 0, used = 0;
    if (sscanf(tail, "-%5d-of-%5d.gguf%n", &part, &parts, &used) != 2 || used != TAIL_BYTES)
        return false;
    if (part < 1 || parts < part) return false;
    *split = (struct split){length - TAIL_BYTES, part, parts};
    return true;
}

// One step, to where the path leads. False: it is no link, or there is no memory.
static bool follow_link(struct text *path) {
    char target[PATH_MAX];
    struct text next = {0};
    const char *link = text_string(path), *slash = strrchr(link, '/');
    const ssize_t length = readlink(link, target, sizeof target);
    if (length <= 0 || length == sizeof target) return false;
    const int folder = slash && target[0] != '/' ? (int)(slash + 1 - link) : 0;
    const enum status status = text_format(&next, "%.*s%.*s", folder, link, (int)length, target);
    text_deinit(path);
    *path = next;
    return status == STATUS_OK;
}

// The name by which the other parts are found: the path, or the first that is a part's on the way
// where it leads. The file itself may have another, as in a hub's cache. False: a part of none.
static bool find_named(const char *path, struct text *named, struct split *split) {
    bool is_there = text_append_string(named, path) == STATUS_OK;
    for (int links = 0; is_there && !find_split(text_string(named), split); links++)
        is_there = links < LINKS_MOST && follow_link(named);
    return is_there;
}

bool checkpoint_part(const char *path, int32_t part, char *out, size_t size) {
    struct split split;
    struct text named = {0};
    int length = 0;
    ASSERT(size > 0);
    if (find_named(path, &named, &split) && part >= 1 && part <= split.parts)
        length = snprintf(out, size, "%.*s-%05d-of-%05d.gguf", (int)split.stem, text_string(&named),
                          (int)part, (int)split.parts);
    text_deinit(&named);
    return length > 0 && (size_t)length < size;
}

static enum status part_path(const char *path, const struct split *split, int32_t part,
                             struct text *out) {
    text_clear(out);
    return text_format(out, "%.*s-%05d-of-%05d.gguf", (int)split->stem, path, (int)part,
                       (int)split->parts);
}

static struct hash128 digest_part(const void *self) { return gguf_digest(self); }
static void visit_part(const void *self, mapped_file_visitor *visitor, void *user) {
    gguf_visit_files(self, visitor, user);
}
static void close_part(void *self) { gguf_close(self); }

// The part becomes the model's, or is still the caller's when that fails.
static enum status attach_part(struct gguf *model, struct gguf *part, struct error *err) {
    const size_t count = gguf_tensor_count(part);
    ASSERT(model != part);
    struct gguf_tensor *tensors = calloc(count + 1, sizeof *tensors);
    if (!tensors) return error_set(err, STATUS_NO_MEMORY, "%s: not enough memory", gguf_path(part));
    for (size_t i = 0; i < count; i++)
        tensors[i] = *gguf_tensor_at(part, i);
    const struct gguf_owner owner = {
        part, gguf_file_bytes(part), gguf_state(part), digest_part, visit_part, close_part};
    const enum status status = gguf_attach(model, tensors, count, &owner, err);
    free(tensors);
    return status;
}

static int64_t key_or(const struct gguf *gguf, const char *key, int64_t otherwise) {
    int64_t value = otherwise;
    gguf_find_int(gguf, key, &value);
    return value;
}

static enum status open_part(struct gguf *model, const char *path, const struct split *split,
                             int32_t number, struct error *err) {
    struct gguf *part = NULL;
    struct text name = {0};
    enum status status = part_path(path, split, number, &name);
    if (status == STATUS_OK) status = gguf_open(text_string(&name), &part, err);
    if (status == STATUS_OK && (key_or(part, "split.no", -1) != number - 1 ||
                                key_or(part, "split.count", -1) != split->parts))
        status = error_set(err, STATUS_BAD_FILE,
                           "%s: expected part %d of %d, found split.no %lld of %lld",
                           mapped_file_shown(text_string(&name)), (int)number, (int)split->parts,
                           (long long)key_or(part, "split.no", -1) + 1,
                           (long long)key_or(part, "split.count", -1));
    if (status == STATUS_OK) status = attach_part(model, part, err);
    if (status != STATUS_OK) gguf_close(part);
    text_deinit(&name);
    return status;
}

static enum status open_parts(struct gguf *model, const char *path, struct error *err) {
    struct split split = {0};
    const int64_t parts = key_or(model, "split.count", 1);
    if (parts <= 1) return STATUS_OK;
    if (parts > CHECKPOINT_MAX_PARTS)
        return error_set(err, STATUS_BAD_FILE, "%s: expected at most %d parts, found %lld",
                         mapped_file_shown(path), CHECKPOINT_MAX_PARTS, (long long)parts);
    if (!find_split(path, &split) || split.parts != parts)
        return error_set(
            err, STATUS_BAD_FILE,
            "%s is one of %lld parts, which must be named like NAME-00001-of-%05lld.gguf",
            mapped_file_shown(path), (long long)parts, (long long)parts);
    if (key_or(model, "split.no", 0) != 0)
        return error_set(err, STATUS_BAD_FILE, "%s: expected the first part, found part %lld",
                         mapped_file_shown(path), (long long)key_or(model, "split.no", 0) + 1);
    for (int32_t i = 2; i <= split.parts; i++)
        TRY(open_part(model, path, &split, i, err));
    const int64_t tensors = key_or(model, "split.tensors.count", -1);
    if (tensors >= 0 && (size_t)tensors != gguf_tensor_count(model))
        return error_set(err, STATUS_BAD_FILE, "%s: expected %lld tensors in %d parts, found %zu",
                         mapped_file_shown(path), (long long)tensors, (int)split.parts,
                         gguf_tensor_count(model));
    return STATUS_OK;
}

static enum status open_file(const char *path, struct gguf **gguf, struct error *err) {
    struct split split;
    struct text first = {0}, named = {0};
    struct gguf *model = NULL;
    enum status status = find_named(path, &named, &split)
                             ? part_path(text_string(&named), &split, 1, &first)
                             : text_append_string(&first, path);
    text_deinit(&named);
    if (status == STATUS_OK) status = gguf_open(text_string(&first), &model, err);
    if (status == STATUS_OK) status = open_parts(model, text_string(&first), err);
    if (status == STATUS_OK)
        *gguf = model;
    else
        gguf_close(model);
    text_deinit(&first);
    return status;
}

enum status checkpoint_open(const char *path, struct gguf **gguf, struct error *err) {
    struct stat info;
    const bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    return folder ? folder_open(path, gguf, err) : open_file(path, gguf, err);
}
