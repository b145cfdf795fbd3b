#include "app/cli/config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/base/attachment.h"
#include "app/base/path.h"
#include "app/cli/options.h"

// The folder for one kind of file: QUIRE_HOME, else quire's in the XDG folder.
static enum status find_path(struct text *path, const char *variable, const char *below_home,
                             const char *name, struct error *err) {
    const char *own = getenv("QUIRE_HOME");
    if (own && *own) return text_format(path, "%s%s%s", own, *name ? "/" : "", name);
    const char *separator = *name ? "/" : "";
    const char *xdg = getenv(variable);
    // A relative one must be ignored (XDG base directory specification).
    if (xdg && xdg[0] == '/') return text_format(path, "%s/quire%s%s", xdg, separator, name);
    const char *home = getenv("HOME");
    if (!home || !*home)
        return error_set(err, STATUS_IO,
                         "HOME is not set, so conversations cannot be saved; set QUIRE_HOME to a "
                         "folder, or use --no-save");
    return text_format(path, "%s/%s/quire%s%s", home, below_home, separator, name);
}

enum status config_open(struct config *config, struct error *err) {
    struct config made = {0};
    enum status status = find_path(&made.config_path, "XDG_CONFIG_HOME", ".config", "config", err);
    if (status == STATUS_OK)
        status = find_path(&made.db_path, "XDG_DATA_HOME", ".local/share", "quire.db", err);
    if (status == STATUS_OK)
        status = find_path(&made.cache_path, "XDG_CACHE_HOME", ".cache", "", err);
    if (status == STATUS_OK)
        status = find_path(&made.rates_path, "XDG_CACHE_HOME", ".cache", "rates", err);
    if (status == STATUS_OK)
        status = find_path(&made.history_path, "XDG_STATE_HOME", ".local/state", "history", err);
    if (status != STATUS_OK) {
        config_close(&made);
        return status;
    }
    *config = made;
    return STATUS_OK;
}

void config_close(struct config *config) {
    text_deinit(&config->config_path);
    text_deinit(&config->db_path);
    text_deinit(&config->cache_path);
    text_deinit(&config->rates_path);
    text_deinit(&config->history_path);
}

enum status config_make_folder(const char *path, struct error *err) {
    char folder[PATH_MAX];
    const size_t length = strlen(path);
    if (length >= sizeof folder)
        return error_set(err, STATUS_IO, "the path %.60s… is too long", path);
    memcpy(folder, path, length + 1);
    for (char *at = folder + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
            struct stat existing;
            const int reason = errno;
            if (stat(folder, &existing) != 0)
                return error_set(
                    err, STATUS_IO,
                    "cannot create %s: %s; use --no-save, or set QUIRE_HOME to another folder",
                    folder, strerror(reason));
        }
        *at = '/';
    }
    return STATUS_OK;
}

static char *trim(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

// In place: "quoted", where \" and \\ stand for themselves, or up to a comment, which follows a
// blank.
static enum status read_value(char **value, const char *where, struct error *err) {
    char *at = *value;
    if (*at != '"') {
        for (; *at && !(*at == '#' && (at == *value || isspace((unsigned char)at[-1]))); at++)
            ;
        *at = '\0';
        *value = trim(*value);
        return STATUS_OK;
    }
    char *out = at++;
    *value = out;
    for (; *at && *at != '"'; at++) {
        if (*at == '\\' && (at[1] == '"' || at[1] == '\\')) at++;
        *out++ = *at;
    }
    if (!*at) return error_set(err, STATUS_BAD_INPUT, "%s: missing closing quotation mark", where);
    const char *rest = trim(at + 1);
    if (*rest && *rest != '#')
        return error_set(err, STATUS_BAD_INPUT,
                         "%s: unexpected text after the closing quotation mark", where);
    *out = '\0';
    return STATUS_OK;
}

// "[remote.office]": the lines below apply only to that.
static enum status read_heading(const char *where, char *line, const char **section,
                                struct error *err) {
    char *end = strchr(line, ']');
    const char *rest = end ? trim(end + 1) : "";
    if (!end || (*rest && *rest != '#') || strncmp(line, "[remote.", 8) != 0 || end == line + 8)
        return error_set(err, STATUS_BAD_INPUT, "%s: expected [remote.NAME]", where);
    *end = '\0';
    *section = line + 1;
    return STATUS_OK;
}

// A model on a server has a URL, a name, and the options that are for those alone.
static enum status check_section_line(const struct args_section *line, const char *where,
                                      struct error *err) {
    const struct option *option = option_find(line->key, strlen(line->key));
    struct args ignored = {0};
    if (option && option->commands & ONLY_ON_SERVER)
        return option_set(option, line->value, &ignored, where, err);
    if (strcmp(line->key, "url") == 0 && !path_is_url(line->value))
        return error_set(err, STATUS_BAD_INPUT, "%s: expected http://HOST:PORT/v1, found \"%.60s\"",
                         where, line->value);
    if (strcmp(line->key, "url") == 0 || strcmp(line->key, "model") == 0) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "%s: unknown key (expected url, model or an option for a model on a server)",
                     where);
}

static enum status keep_line(struct args *args, const struct args_section *line, const char *where,
                             struct error *err) {
    TRY(check_section_line(line, where, err));
    if (args->section_count == ARGS_SECTION_LINES_MAX)
        return error_set(err, STATUS_BAD_INPUT, "%s: too many lines in sections (at most %d)",
                         where, ARGS_SECTION_LINES_MAX);
    args->sections[args->section_count++] = *line;
    return STATUS_OK;
}

static enum status read_line(const char *path, int number, char *line, const char **section,
                             struct args *args, struct error *err) {
    char where[PATH_MAX];
    line = trim(line);
    if (*line == '\0' || *line == '#') return STATUS_OK;
    snprintf(where, sizeof where, "%.300s:%d", path, number);
    if (*line == '[') return read_heading(where, line, section, err);
    char *equals = strchr(line, '=');
    if (!equals || equals == line) // the line is trimmed
        return error_set(err, STATUS_BAD_INPUT, "%s:%d: expected `key = value`", path, number);
    *equals = '\0';
    const char *key = trim(line);
    char *value = trim(equals + 1);
    snprintf(where, sizeof where, "%.300s:%d: %.60s", path, number, key);
    TRY(read_value(&value, where, err));
    if (*section) return keep_line(args, &(struct args_section){*section, key, value}, where, err);
    return args_set(args, key, value, ARGS_CONFIG, where, err);
}

// Reads all lines, and appends the error of each.
static enum status read_lines(const char *path, struct args *args, struct text *mistakes) {
    char *line = args->config.bytes;
    const char *section = NULL;
    for (int number = 1; line; number++) {
        struct error err = {0};
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        const enum status status = read_line(path, number, line, &section, args, &err);
        if (status == STATUS_NO_MEMORY) return status;
        if (status != STATUS_OK)
            TRY(text_format(mistakes, "%s%s", mistakes->length ? "; " : "", err.text));
        line = end ? end + 1 : NULL;
    }
    return STATUS_OK;
}

// Where the path of a line begins, for an option whose value is one: "model = x.gguf", or behind
// the name of a model: "chat-template = Nemo=x.jinja". NULL: the line has none.
static const char *find_file(const char *line, const char *end, bool in_section) {
    const char *key = line, *equals = memchr(line, '=', (size_t)(end - line)), *last = equals;
    while (key < end && isspace((unsigned char)*key))
        key++;
    while (last && last > key && isspace((unsigned char)last[-1]))
        last--;
    const struct option *option = last ? option_find(key, (size_t)(last - key)) : NULL;
    if (!option || !option_names_file(option)) return NULL;
    if (in_section && !(option->commands & ONLY_ON_SERVER)) return NULL; // its own `model`
    const char *value = equals + 1, *named = memchr(value, '=', (size_t)(end - value));
    if (named && option->kind == OPTION_LIST && named + 1 < end && named[1] == '~')
        value = named + 1;
    while (value < end && (isspace((unsigned char)*value) || *value == '"'))
        value++;
    return value;
}

// No shell has seen these lines, so "~/" is written out here.
static enum status expand_homes(const struct text *text, struct text *out) {
    const char *home = getenv("HOME"), *line = text_string(text), *end;
    bool in_section = false;
    for (; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        in_section = in_section || line[strspn(line, " \t")] == '[';
        const char *file = find_file(line, end, in_section);
        const bool at_home = home && file && end - file >= 2 && file[0] == '~' && file[1] == '/';
        TRY(text_append(out, line, (size_t)((at_home ? file : line) - line)));
        if (at_home) TRY(text_append_string(out, home));
        const char *rest = at_home ? file + 1 : line;
        TRY(text_append(out, rest, (size_t)(end - rest) + (*end == '\n')));
    }
    return text_append(out, "", 0);
}

enum status config_read(const struct config *config, struct args *args, struct error *err) {
    const char *path = text_string(&config->config_path);
    struct error missing;
    struct stat link; // one that leads nowhere is not the same as no file
    struct text written = {0}, mistakes = {0};
    enum status status = file_read(path, &written, &missing);
    if (status == STATUS_NOT_FOUND && lstat(path, &link) != 0) return STATUS_OK;
    if (status != STATUS_OK) return error_set(err, status, "%s", missing.text);
    status = file_check_text(&written, 0, path, err);
    if (status == STATUS_OK) status = expand_homes(&written, &args->config);
    text_deinit(&written);
    if (status == STATUS_OK) status = read_lines(path, args, &mistakes);
    if (status == STATUS_OK && mistakes.length)
        status = error_set(err, STATUS_BAD_INPUT, "%s", mistakes.bytes);
    text_deinit(&mistakes);
    return status;
}
