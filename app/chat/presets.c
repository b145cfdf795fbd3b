#include "app/chat/presets.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/path.h"
#include "kernels/base/array.h"
#include "prompts/preamble.h"

static const char SUFFIX[] = ".txt";
enum { SUFFIX_BYTES = sizeof SUFFIX - 1, FOLDERS = 2 };

// Looks in the user's folder, then in quire's.
static enum status find_folder(int which, const char *config_path, struct text *folder) {
    const char *slash = strrchr(config_path, '/');
    if (which == 0) {
        TRY(text_append(folder, config_path, slash ? (size_t)(slash - config_path) : 0));
        return text_append_string(folder, slash ? "/presets" : "presets");
    }
    return path_of_share("presets", QUIRE_PRESETS, folder);
}

static bool is_name(const char *name, size_t length) {
    return length > 0 && length < PRESET_NAME_BYTES && name[0] != '.' && !memchr(name, '/', length);
}

enum status preset_read_file(const char *path, struct text *preamble, struct error *err) {
    struct text bytes = {0};
    struct error why = {0};
    enum status status = file_read(path, &bytes, err);
    if (status == STATUS_OK) {
        status = preamble_read(text_string(&bytes), bytes.length, preamble, &why);
        if (status != STATUS_OK && why.text[0])
            error_set(err, status, "%.200s: %.280s", path, why.text);
    }
    text_deinit(&bytes);
    return status;
}

enum status preset_read(const char *config_path, const char *name, struct text *preamble,
                        struct error *err) {
    struct text path = {0};
    bool found = false;
    enum status status = STATUS_OK;
    for (int i = 0; i < FOLDERS && !found && status == STATUS_OK; i++) {
        text_clear(&path);
        status = find_folder(i, config_path, &path);
        if (status == STATUS_OK) status = text_format(&path, "/%s%s", name, SUFFIX);
        found = status == STATUS_OK && access(text_string(&path), R_OK) == 0;
    }
    if (status == STATUS_OK && (!found || !is_name(name, strlen(name))))
        status = error_set(err, STATUS_BAD_INPUT, "no preset \"%.60s\"; /preset lists them", name);
    if (status == STATUS_OK) status = preset_read_file(text_string(&path), preamble, err);
    text_deinit(&path);
    return status;
}

struct list {
    struct preset *items;
    size_t count, capacity;
};

static bool has(const struct list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0) return true;
    return false;
}

// The file's first comment; nothing if the file cannot be read.
static void read_about(const char *folder, const char *file, struct preset *preset) {
    struct text path = {0}, bytes = {0};
    struct error ignored;
    size_t length;
    if (text_format(&path, "%s/%s", folder, file) == STATUS_OK &&
        file_read(path.bytes, &bytes, &ignored) == STATUS_OK) {
        const char *about = preamble_comment(text_string(&bytes), bytes.length, &length);
        if (length >= PRESET_ABOUT_BYTES) length = PRESET_ABOUT_BYTES - 1;
        length -= utf8_incomplete_tail(about, length);
        memcpy(preset->about, about, length);
    }
    text_deinit(&path);
    text_deinit(&bytes);
}

static enum status add(struct list *list, const char *folder, const char *file, bool own) {
    struct preset preset = {.own = own};
    const size_t length = strlen(file);
    if (length <= SUFFIX_BYTES || strcmp(file + length - SUFFIX_BYTES, SUFFIX) != 0 ||
        !is_name(file, length - SUFFIX_BYTES))
        return STATUS_OK;
    memcpy(preset.name, file, length - SUFFIX_BYTES);
    if (has(list, preset.name)) return STATUS_OK;
    if (!array_reserve(&list->items, list->count, &list->capacity, sizeof list->items[0]))
        return STATUS_NO_MEMORY;
    read_about(folder, file, &preset);
    list->items[list->count++] = preset;
    return STATUS_OK;
}

static enum status add_folder(struct list *list, const char *folder, bool own) {
    DIR *entries = opendir(folder);
    if (!entries) return STATUS_OK; // most users have no folder of their own
    enum status status = STATUS_OK;
    for (const struct dirent *entry;
         status == STATUS_OK && list->count < PRESETS_MOST && (entry = readdir(entries));)
        status = add(list, folder, entry->d_name, own);
    closedir(entries);
    return status;
}

static int compare(const void *a, const void *b) {
    return strcmp(((const struct preset *)a)->name, ((const struct preset *)b)->name);
}

enum status presets_list(const char *config_path, struct preset **presets, size_t *count) {
    struct list list = {0};
    enum status status = STATUS_OK;
    for (int i = 0; i < FOLDERS && status == STATUS_OK; i++) {
        struct text folder = {0};
        status = find_folder(i, config_path, &folder);
        if (status == STATUS_OK) status = add_folder(&list, text_string(&folder), i == 0);
        text_deinit(&folder);
    }
    if (status != STATUS_OK) {
        free(list.items);
        return status;
    }
    if (list.count > 0) qsort(list.items, list.count, sizeof list.items[0], compare);
    *presets = list.items;
    *count = list.count;
    return STATUS_OK;
}
