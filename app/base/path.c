#include "app/base/path.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum status path_expand(const char *typed, struct text *path) {
    const char *home = getenv("HOME");
    const bool at_home = typed[0] == '~' && (typed[1] == '/' || typed[1] == '\0');
    if (!at_home || !home) return text_append_string(path, typed);
    TRY(text_append_string(path, home));
    return text_append_string(path, typed + 1);
}

bool path_is_url(const char *path) {
    return strncasecmp(path, "http://", 7) == 0 || strncasecmp(path, "https://", 8) == 0;
}

bool path_ends_with(const char *path, const char *ending) {
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

enum status path_of_share(const char *name, const char *built, struct text *path) {
    char program[PATH_MAX];
    const size_t before = path->length;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    const char *slash = length > 0 ? memrchr(program, '/', (size_t)length) : NULL;
    if (slash) {
        TRY(text_format(path, "%.*s/../share/quire/%s", (int)(slash - program), program, name));
        if (access(text_string(path) + before, R_OK) == 0) return STATUS_OK;
        path->length = before;
        path->bytes[before] = '\0';
    }
    return text_append_string(path, built);
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

static bool escapes_in_quotes(const char *at) {
    return at[0] == '\\' && (at[1] == '"' || at[1] == '\\');
}

// The mark that closes the quotation beginning at `at`, or NULL.
static const char *closing_mark(const char *at) {
    if (*at != '"') return NULL;
    for (at++; *at && *at != '"'; at++)
        at += escapes_in_quotes(at);
    return *at ? at : NULL;
}

bool path_next(const char **rest, struct text *word) {
    const char *at = *rest + strspn(*rest, BLANKS);
    if (!*at) return false;
    const char *end = closing_mark(at);
    *rest = end ? end + 1 : at;
    if (!end) return append_unescaped(word, rest) == STATUS_OK;
    enum status status = text_append(word, "", 0);
    for (at++; at < end && status == STATUS_OK; at++) {
        at += escapes_in_quotes(at);
        status = text_append(word, at, 1);
    }
    return status == STATUS_OK;
}

size_t path_word_length(const char *at) {
    const char *end = closing_mark(at);
    size_t length = end ? (size_t)(end - at) + 1 : 0;
    for (; at[length] && !strchr(BLANKS, at[length]); length++)
        length += escapes_blank(at + length);
    return length;
}

void path_unquote(char *name) {
    const size_t length = strlen(name);
    const char *end = closing_mark(name), *at = name;
    const bool quoted = end && end == name + length - 1;
    char *out = name;
    for (at += quoted; *at && !(quoted && at == end); at++) {
        at += quoted ? escapes_in_quotes(at) : escapes_blank(at);
        *out++ = *at;
    }
    *out = '\0';
}

bool path_needs_quotes(const char *name) {
    return name[0] == '"' || strpbrk(name, " \t\n\\") != NULL;
}

enum status path_put_in_quotes(const char *name, struct text *out) {
    TRY(text_append(out, "\"", 1));
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') TRY(text_append(out, "\\", 1));
        TRY(text_append(out, name, 1));
    }
    return text_append(out, "\"", 1);
}

enum status path_quote(const char *name, struct text *out) {
    if (path_needs_quotes(name)) return path_put_in_quotes(name, out);
    return text_append_string(out, name);
}

static bool is_folder(const char *folder, const char *name) {
    struct text path = {0};
    struct stat found;
    const bool is = text_format(&path, "%s%s", folder, name) == STATUS_OK &&
                    stat(path.bytes, &found) == 0 && S_ISDIR(found.st_mode);
    text_deinit(&path);
    return is;
}

// `prefix` is the folder as typed, up to its last '/'; `begin` is the rest.
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
