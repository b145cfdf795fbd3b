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

// Writes Readline's history to a new file and, if that succeeds, replaces the old one; where that
// is a link, what it leads to.
static void rewrite(const char *path) {
    struct text temporary = {0};
    char *real = realpath(path, NULL);
    if (!real || text_format(&temporary, "%s.XXXXXX", real) != STATUS_OK) {
        free(real);
        return;
    }
    const int file = mkostemp(temporary.bytes, O_CLOEXEC);
    HIST_ENTRY **entries = history_list();
    bool whole = file >= 0;
    for (size_t i = 0; whole && entries && entries[i]; i++)
        whole = append_entry(file, entries[i]->line);
    whole = whole && fsync(file) == 0;
    if (file >= 0) whole = close(file) == 0 && whole;
    if (whole)
        rename(temporary.bytes, real);
    else if (file >= 0)
        unlink(temporary.bytes);
    text_deinit(&temporary);
    free(real);
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
    if (!text[0] || (last && strcmp(last->line, text) == 0)) return;
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
    struct text temporary = {0};
    char *line = NULL;
    size_t capacity = 0, forgotten = 0;
    FILE *from = fopen(path, "re");
    if (!from) return;
    const bool named = text_format(&temporary, "%s.new", path) == STATUS_OK;
    const int file = named ? open_private(temporary.bytes, O_TRUNC) : -1;
    bool whole = file >= 0;
    while (whole && getline(&line, &capacity, from) > 0) {
        unescape(line);
        const bool goes = is_one(user, line);
        forgotten += goes;
        if (!goes) whole = append_entry(file, line);
    }
    free(line);
    fclose(from);
    whole = whole && fsync(file) == 0;
    if (file >= 0) whole = close(file) == 0 && whole;
    if (whole && forgotten > 0)
        rename(temporary.bytes, path);
    else if (file >= 0)
        unlink(temporary.bytes);
    text_deinit(&temporary);
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
