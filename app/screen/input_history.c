#include "app/screen/input_history.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// After <stdio.h>: Readline's headers use FILE.
#include <readline/history.h>

#include "kernels/base/text.h"

static char *history_path; // owned; NULL: no file

static enum status escape(const char *text, struct text *line) {
    for (; *text; text++) {
        if (*text == '\n')
            TRY(text_append(line, "\\n", 2));
        else if (*text == '\\')
            TRY(text_append(line, "\\\\", 2));
        else
            TRY(text_append(line, text, 1));
    }
    return text_append(line, "\n", 1);
}

// In place: the result is never longer.
static void unescape(char *line) {
    char *out = line;
    for (; *line && *line != '\n'; line++) {
        if (*line == '\\' && line[1] != '\0' && line[1] != '\n') {
            line++;
            *out++ = *line == 'n' ? '\n' : *line;
        } else {
            *out++ = *line;
        }
    }
    *out = '\0';
}

static int open_private(const char *path, int flags) {
    return open(path, flags | O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
}

// True when all of it is in the file.
static bool append_entry(int file, const char *text) {
    struct text line = {0};
    const bool whole = escape(text, &line) == STATUS_OK &&
                       write(file, line.bytes, line.length) == (ssize_t)line.length;
    text_deinit(&line);
    return whole;
}

// A new file that takes the place of the old one; where that is a link, of what it leads to. One
// that a dying process left is written again; a link by its name is not followed.
struct replacement {
    char *path; // owned, as is the name of the new file
    struct text temporary;
    int file; // -1: none
};

static int open_empty(const char *path) {
    struct stat info;
    const int file = open_private(path, O_NOFOLLOW);
    if (file < 0) return -1;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 &&
        ftruncate(file, 0) == 0)
        return file;
    close(file);
    return -1;
}

static void replacement_begin(struct replacement *replacement, const char *path) {
    *replacement = (struct replacement){.path = realpath(path, NULL), .file = -1};
    if (replacement->path &&
        text_format(&replacement->temporary, "%s.quire-new", replacement->path) == STATUS_OK)
        replacement->file = open_empty(replacement->temporary.bytes);
}

static void replacement_end(struct replacement *replacement, bool is_whole) {
    const char *temporary = text_string(&replacement->temporary);
    const int file = replacement->file;
    is_whole = is_whole && file >= 0 && fsync(file) == 0;
    if (file >= 0) is_whole = close(file) == 0 && is_whole;
    if (is_whole)
        rename(temporary, replacement->path);
    else if (file >= 0)
        unlink(temporary);
    text_deinit(&replacement->temporary);
    free(replacement->path);
}

// Writes Readline's history to a new file and, if that succeeds, replaces the old one.
static void rewrite(const char *path) {
    struct replacement next;
    replacement_begin(&next, path);
    HIST_ENTRY **entries = history_list();
    bool whole = next.file >= 0;
    for (size_t i = 0; whole && entries && entries[i]; i++)
        whole = append_entry(next.file, entries[i]->line);
    replacement_end(&next, whole);
}

static long load(FILE *file) {
    char *line = NULL;
    size_t capacity = 0;
    long count = 0;
    while (getline(&line, &capacity, file) > 0) {
        unescape(line);
        if (line[0]) add_history(line);
        count++;
    }
    free(line);
    return count;
}

void input_history_open(const char *path) {
    using_history();
    stifle_history(INPUT_HISTORY_ENTRIES);
    if (!path) return;
    history_path = strdup(path);
    struct stat info; // a pipe might never be written to
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "re") : NULL;
    if (!file) return;
    const long count = load(file);
    fclose(file);
    if (count > 2 * INPUT_HISTORY_ENTRIES) rewrite(path);
}

void input_history_add(const char *text) {
    const HIST_ENTRY *last =
        history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
    if (!text[strspn(text, " \t\n")] || (last && strcmp(last->line, text) == 0)) return;
    add_history(text);
    if (!history_path) return;
    const int file = open_private(history_path, O_APPEND);
    if (file < 0) return;
    const bool ignored = append_entry(file, text);
    (void)ignored;
    close(file);
}

// Other processes have added to the file since it was read: it is read again.
static void forget_in_file(const char *path, bool (*is_one)(const void *user, const char *entry),
                           const void *user) {
    struct replacement next;
    char *line = NULL;
    size_t capacity = 0, forgotten = 0;
    FILE *from = fopen(path, "re");
    if (!from) return;
    replacement_begin(&next, path);
    bool whole = next.file >= 0;
    while (whole && getline(&line, &capacity, from) > 0) {
        unescape(line);
        const bool goes = is_one(user, line);
        forgotten += goes;
        if (!goes) whole = append_entry(next.file, line);
    }
    free(line);
    fclose(from);
    replacement_end(&next, whole && forgotten > 0);
}

void input_history_forget(bool (*is_one)(const void *user, const char *entry), const void *user) {
    for (int i = history_length; i-- > 0;) {
        const HIST_ENTRY *entry = history_get(history_base + i);
        if (!entry || !is_one(user, entry->line)) continue;
        HIST_ENTRY *removed = remove_history(i);
        if (removed) free_history_entry(removed);
    }
    if (history_path) forget_in_file(history_path, is_one, user);
}

void input_history_close(void) {
    clear_history();
    free(history_path);
    history_path = NULL;
}
