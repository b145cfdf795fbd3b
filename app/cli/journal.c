#include "app/cli/journal.h"

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
#include "kernels/base/json_view.h"
#include "kernels/base/text.h"

// Replaces the last brace of a result by the hash of the result, so that later changes to the
// journal are noticed.
static const char CHECK_BEGIN[] = ",\"check\":\"", CHECK_END[] = "\"}";
enum {
    BEGIN_BYTES = sizeof CHECK_BEGIN - 1,
    END_BYTES = sizeof CHECK_END - 1,
    CHECK_BYTES = BEGIN_BYTES + HASH_HEX_BYTES - 1 + END_BYTES,
};

struct entry {
    size_t line;
    char request[HASH_HEX_BYTES];
    char *result; // owned
};

struct journal {
    int fd;
    char *path;
    struct entry *entries; // in order of lines, then of requests
    size_t count, capacity;
    size_t damaged; // the first damaged line, from 1; 0: none
};

static enum status push(struct journal *journal, const struct entry *entry) {
    if (!array_reserve(&journal->entries, journal->count, &journal->capacity,
                       sizeof journal->entries[0]))
        return STATUS_NO_MEMORY;
    journal->entries[journal->count++] = *entry;
    return STATUS_OK;
}

// Older versions wrote results without a check, which end in a number.
static bool has_check(const char *line, size_t length) {
    return length < 2 || line[length - 1] != '}' || line[length - 2] < '0' ||
           line[length - 2] > '9';
}

// The result in a line, owned; NULL: *status is BAD_INPUT, it is damaged, or NO_MEMORY.
static char *read_result(const char *line, size_t length, enum status *status) {
    const bool checked = has_check(line, length);
    *status = STATUS_BAD_INPUT;
    if (checked && length <= CHECK_BYTES) return NULL;
    const size_t own = checked ? length - CHECK_BYTES : length;
    char *result = malloc(own + 2), hex[HASH_HEX_BYTES];
    *status = result ? STATUS_OK : STATUS_NO_MEMORY;
    if (!result) return NULL;
    memcpy(result, line, own);
    memcpy(result + own, checked ? "}" : "", checked ? 2 : 1);
    if (!checked) return result;
    hash_hex(hash_bytes(result, own + 1, 0), hex);
    if (memcmp(line + own, CHECK_BEGIN, BEGIN_BYTES) == 0 &&
        memcmp(line + own + BEGIN_BYTES, hex, HASH_HEX_BYTES - 1) == 0 &&
        memcmp(line + length - END_BYTES, CHECK_END, END_BYTES) == 0)
        return result;
    free(result);
    *status = STATUS_BAD_INPUT;
    return NULL;
}

static enum status push_result(struct journal *journal, char *result) {
    struct json_view view;
    int64_t line;
    TRY(json_view_open(result, strlen(result), "", &view, NULL));
    const struct json_view request = json_view_find(view, "request");
    if (!json_view_int(json_view_find(view, "line"), &line) || line < 1 ||
        json_view_kind(request) != JSON_STRING ||
        json_view_string_bound(request) != HASH_HEX_BYTES - 1)
        return STATUS_BAD_INPUT;
    struct entry entry = {.line = (size_t)line, .result = result};
    entry.request[json_view_string(request, entry.request)] = '\0';
    return push(journal, &entry);
}

// A power failure leaves zeros in place of results that were not synced.
static enum status parse_line(struct journal *journal, const char *bytes, size_t length) {
    enum status status = STATUS_OK;
    while (length > 0 && bytes[length - 1] == '\r') // from an editor on Windows
        length--;
    if (length == 0 || memchr(bytes, '\0', length)) return STATUS_OK;
    char *result = read_result(bytes, length, &status);
    if (result) status = push_result(journal, result);
    if (status != STATUS_OK) free(result);
    return status;
}

static int by_request(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return strcmp(x->request, y->request);
}

// A file must contain a result to count as a journal; otherwise some other file would be truncated.
// It may begin with, or consist of, the zeros that a power failure leaves of results that were not
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
    if (journal->count == 0 && memcmp(begin, RESULT, (size_t)got) != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s is not a file of batch results; choose another name", journal->path);
    if (journal->damaged == 0) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT,
                     "%s, line %zu: damaged; remove the line, and its request is repeated",
                     journal->path, journal->damaged);
}

// Reads the complete lines; *end is the end of the last one.
static enum status read_lines(struct journal *journal, FILE *file, off_t *end, struct error *err) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t got = 0;
    enum status status = STATUS_OK;
    for (size_t number = 1; status == STATUS_OK && (got = getline(&line, &capacity, file)) > 0;
         number++) {
        if (line[got - 1] != '\n') break;
        *end += got;
        status = parse_line(journal, line, (size_t)got - 1);
        if (status != STATUS_BAD_INPUT) continue;
        if (journal->damaged == 0) journal->damaged = number;
        status = STATUS_OK;
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
        qsort(journal->entries, journal->count, sizeof journal->entries[0], by_request);
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
        status = error_set(err, STATUS_BUSY, "%s is in use by another run", path);
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
    struct entry wanted = {.line = line};
    hash_hex(request, wanted.request);
    const struct entry *found = journal->count ? bsearch(&wanted, journal->entries, journal->count,
                                                         sizeof wanted, by_request)
                                               : NULL;
    return found ? found->result : NULL;
}

// A single write, so that a kill leaves a complete line or the start of one.
enum status journal_add(struct journal *journal, const char *result, struct error *err) {
    const size_t length = strlen(result);
    char hex[HASH_HEX_BYTES];
    struct text line = {0};
    enum status status = text_append(&line, result, length - 1);
    if (status == STATUS_OK)
        status = text_format(&line, "%s%s%s\n", CHECK_BEGIN,
                             hash_hex(hash_bytes(result, length, 0), hex), CHECK_END);
    const bool whole =
        status == STATUS_OK && descriptor_write(journal->fd, line.bytes, line.length);
    const int cause = errno;
    text_deinit(&line);
    if (whole || status != STATUS_OK) return status;
    return error_set(err, STATUS_IO, "cannot write %s: %s", journal->path, strerror(cause));
}
