#include "app/base/path.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum status path_expand(const char *typed, struct text *path) {
    const char *home = getenv("HOME");
    const bool at_home = typed[0] == '~' && (typed[1] == '/' || typed[1] == '\0');
    if (!at_home || !home) return text_append_string(path, typed);
    TRY(text_append_string(path, home));
    return text_append_string(path, typed + 1);
}

bool path_is_url(const char *path) {
    return strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0;
}

struct path_part path_part(const char *path) {
    const size_t length = strlen(path), tail = sizeof "-00001-of-00003.gguf" - 1;
    int part, parts, read = 0;
    if (length > tail && sscanf(path + length - tail, "-%5d-of-%5d%n", &part, &parts, &read) == 2 &&
        read == (int)(tail - strlen(".gguf")) && part >= 1 && part <= parts)
        return (struct path_part){length - tail, part, parts};
    return (struct path_part){length, 1, 1};
}

static const char BLANKS[] = " \t\n";

static bool escapes_blank(const char *at) {
    return at[0] == '\\' && at[1] && strchr(BLANKS, at[1]);
}

static enum status append_unescaped(struct text *word, const char **rest) {
    const char *at = *rest;
    for (; *at && !strchr(BLANKS, *at); at++) {
        at += escapes_blank(at);
        TRY(text_append(word, at, 1));
    }
    *rest = at;
    return STATUS_OK;
}

bool path_next(const char **rest, struct text *word) {
    const char *at = *rest + strspn(*rest, BLANKS);
    if (!*at) return false;
    const char *end = at[0] == '"' ? strchr(at + 1, '"') : NULL;
    *rest = end ? end + 1 : at;
    if (end) return text_append(word, at + 1, (size_t)(end - at - 1)) == STATUS_OK;
    return append_unescaped(word, rest) == STATUS_OK;
}

void path_unquote(char *name) {
    const size_t length = strlen(name);
    char *out = name;
    if (length >= 2 && name[0] == '"' && name[length - 1] == '"') {
        memmove(name, name + 1, length - 2);
        name[length - 2] = '\0';
        return;
    }
    for (const char *at = name; *at; at++) {
        at += escapes_blank(at);
        *out++ = *at;
    }
    *out = '\0';
}

static bool is_folder(const char *folder, const char *name) {
    struct text path = {0};
    struct stat found;
    const bool is = text_format(&path, "%s%s", folder, name) == STATUS_OK &&
                    stat(path.bytes, &found) == 0 && S_ISDIR(found.st_mode);
    text_deinit(&path);
    return is;
}

// `prefix` is the folder as it was typed, up to its last '/'; `begin` what follows.
static void complete_in(DIR *entries, const char *folder, const struct text *prefix,
                        const char *begin, void (*push)(void *user, const char *path), void *user) {
    int left = PATH_MAX_CANDIDATES;
    for (const struct dirent *entry; left > 0 && (entry = readdir(entries));) {
        const char *name = entry->d_name;
        struct text path = {0};
        if (strncmp(name, begin, strlen(begin)) != 0) continue;
        if (name[0] == '.' && begin[0] != '.') continue;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (text_format(&path, "%s%s%s", text_string(prefix), name,
                        is_folder(folder, name) ? "/" : "") == STATUS_OK)
            push(user, path.bytes);
        text_deinit(&path);
        left--;
    }
}

void path_complete(const char *typed, void (*push)(void *user, const char *path), void *user) {
    const char *slash = strrchr(typed, '/');
    const char *begin = slash ? slash + 1 : typed;
    struct text prefix = {0}, folder = {0};
    enum status status = text_append(&prefix, typed, (size_t)(begin - typed));
    if (status == STATUS_OK)
        status =
            slash ? path_expand(text_string(&prefix), &folder) : text_append_string(&folder, "./");
    DIR *entries = status == STATUS_OK ? opendir(text_string(&folder)) : NULL;
    if (entries) {
        complete_in(entries, text_string(&folder), &prefix, begin, push, user);
        closedir(entries);
    }
    text_deinit(&prefix);
    text_deinit(&folder);
}
