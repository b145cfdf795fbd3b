#include "app/cli/journal.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/descriptor.h"
#include "kernels/base/array.h"

struct entry {
    size_t line;
    char request[HASH_HEX_BYTES];
    char *result; // owned
};

struct journal {
    int fd;
    char *path;
    struct entry *entries; // in order of lines
    size_t count, capacity;
};

static enum status push(struct journal *journal, const struct entry *entry) {
    if (!array_reserve(&journal->entries, journal->count, &journal->capacity,
                       sizeof journal->entries[0]))
        return STATUS_NO_MEMORY;
    journal->entries[journal->count++] = *entry;
    return STATUS_OK;
}

// Lines that are no results are skipped.
static enum status parse_line(struct journal *journal, const char *bytes, size_t length) {
    cJSON *json = cJSON_ParseWithLength(bytes, length);
    const cJSON *line = cJSON_GetObjectItemCaseSensitive(json, "line");
    const cJSON *request = cJSON_GetObjectItemCaseSensitive(json, "request");
    const bool whole = cJSON_IsNumber(line) && line->valuedouble >= 1 && line->valuedouble < 4e15 &&
                       cJSON_IsString(request) &&
                       strlen(request->valuestring) == HASH_HEX_BYTES - 1;
    enum status status = STATUS_OK;
    if (whole) {
        struct entry entry = {.line = (size_t)line->valuedouble, .result = strndup(bytes, length)};
        memcpy(entry.request, request->valuestring, HASH_HEX_BYTES);
        status = entry.result ? push(journal, &entry) : STATUS_NO_MEMORY;
        if (status != STATUS_OK) free(entry.result);
    }
    cJSON_Delete(json);
    return status;
}

static int by_line(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

// A file must contain a result to count as a journal; otherwise some other file would be truncated.
// Zeros before one, or nothing else, is what a power failure leaves of results that were not
// synced.
static enum status check_beginning(const struct journal *journal, struct error *err) {
    static const char RESULT[] = "{\"line\":";
    char begin[4096];
    ssize_t got, at = 0;
    off_t offset = 0;
    do {
        got = pread(journal->fd, begin, sizeof begin, offset);
        if (got < 0) return error_set(err, STATUS_IO, "%s: %m", journal->path);
        for (at = 0; at < got && begin[at] == 0;)
            at++;
        offset += at;
    } while (got > 0 && at == got);
    if (got > 0) got = pread(journal->fd, begin, sizeof RESULT - 1, offset);
    if (got < 0) return error_set(err, STATUS_IO, "%s: %m", journal->path);
    if (journal->count > 0 || memcmp(begin, RESULT, (size_t)got) == 0) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "%s holds something else than results of a batch",
                     journal->path);
}

// Reads the complete lines; *end is the end of the last one.
static enum status read_lines(struct journal *journal, FILE *file, off_t *end, struct error *err) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t got = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && (got = getline(&line, &capacity, file)) > 0) {
        if (line[got - 1] != '\n') break;
        *end += got;
        status = parse_line(journal, line, (size_t)got - 1);
    }
    if (ferror(file) || (got < 0 && !feof(file)))
        status = error_set(err, STATUS_IO, "%s: %m", journal->path);
    free(line);
    return status;
}

// Truncates the file after its last complete line.
static enum status read_all(struct journal *journal, struct error *err) {
    off_t end = 0;
    FILE *file = fdopen(dup(journal->fd), "r");
    if (!file) return error_set(err, STATUS_IO, "%s: %m", journal->path);
    enum status status = read_lines(journal, file, &end, err);
    fclose(file);
    if (status == STATUS_OK) status = check_beginning(journal, err);
    if (status == STATUS_OK && ftruncate(journal->fd, end) != 0)
        status = error_set(err, STATUS_IO, "%s: %m", journal->path);
    if (journal->count > 0)
        qsort(journal->entries, journal->count, sizeof journal->entries[0], by_line);
    return status;
}

enum status journal_open(const char *path, struct journal **result, struct error *err) {
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal) return STATUS_NO_MEMORY;
    journal->path = strdup(path);
    journal->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct stat info;
    enum status status = STATUS_OK;
    if (!journal->path)
        status = STATUS_NO_MEMORY;
    else if (journal->fd < 0)
        status = error_set(err, STATUS_IO, "%s: %m", path);
    else if (fstat(journal->fd, &info) != 0 || !S_ISREG(info.st_mode))
        status = error_set(err, STATUS_BAD_INPUT, "%s is a pipe or a device, not a file", path);
    else if (flock(journal->fd, LOCK_EX | LOCK_NB) != 0)
        status = error_set(err, STATUS_BUSY, "%s: another run writes it", path);
    if (status == STATUS_OK) status = read_all(journal, err);
    if (status != STATUS_OK) {
        journal_close(journal);
        return status;
    }
    *result = journal;
    return STATUS_OK;
}

void journal_close(struct journal *journal) {
    if (!journal) return;
    for (size_t i = 0; i < journal->count; i++)
        free(journal->entries[i].result);
    if (journal->fd >= 0) close(journal->fd);
    free(journal->entries);
    free(journal->path);
    free(journal);
}

const char *journal_find(const struct journal *journal, size_t line, struct hash128 request) {
    char hex[HASH_HEX_BYTES];
    size_t low = 0, high = journal->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (journal->entries[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    hash_hex(request, hex);
    for (; low < journal->count && journal->entries[low].line == line; low++)
        if (strcmp(journal->entries[low].request, hex) == 0) return journal->entries[low].result;
    return NULL;
}

// One write, so that being killed leaves a complete line or the beginning of one.
enum status journal_add(struct journal *journal, const char *result, struct error *err) {
    const size_t length = strlen(result);
    char *line = malloc(length + 1);
    if (!line) return STATUS_NO_MEMORY;
    memcpy(line, result, length);
    line[length] = '\n';
    const bool whole = descriptor_write(journal->fd, line, length + 1);
    const int cause = errno;
    free(line);
    if (whole) return STATUS_OK;
    return error_set(err, STATUS_IO, "%s: %s", journal->path, strerror(cause));
}
