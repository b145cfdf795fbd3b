#include "app/base/attachment.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// Editors on Windows begin a text with a byte order mark, which is not part of it.
static void drop_mark(struct text *text, size_t from) {
    static const char MARK[] = "\xEF\xBB\xBF";
    const size_t bytes = sizeof MARK - 1;
    if (text->length - from < bytes || memcmp(text->bytes + from, MARK, bytes) != 0) return;
    memmove(text->bytes + from, text->bytes + from + bytes, text->length - from - bytes + 1);
    text->length -= bytes;
}

enum status file_read_open(int fd, const char *name, struct text *text, struct error *err) {
    char chunk[1 << 14];
    const size_t before = text->length;
    for (;;) {
        const ssize_t got = read(fd, chunk, sizeof chunk);
        if (got == 0) {
            drop_mark(text, before);
            return STATUS_OK;
        }
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return error_set(err, STATUS_IO, "cannot read %s: %s", name, strerror(errno));
        if (text->length - before + (size_t)got > ATTACHMENT_MAX_BYTES)
            return error_set(err, STATUS_BAD_INPUT, "%s is larger than %d MiB", name,
                             ATTACHMENT_MAX_BYTES >> 20);
        TRY(text_append(text, chunk, (size_t)got));
    }
}

// A pipe that the shell opened for us, as in -f <(git diff), has a writer. Other pipes may never
// get one, so they are refused, like terminals. /dev/null is an empty file.
static enum status check_kind(int fd, const char *path, struct error *err) {
    struct stat info;
    if (fstat(fd, &info) != 0)
        return error_set(err, STATUS_IO, "cannot read %s: %s", path, strerror(errno));
    if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return STATUS_OK;
    const bool ours = strncmp(path, "/dev/fd/", 8) == 0 || strcmp(path, "/dev/stdin") == 0;
    if (S_ISFIFO(info.st_mode) && ours && fcntl(fd, F_SETFL, O_RDONLY) == 0) return STATUS_OK;
    if (S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3)) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "%s is a %s, not a file", path,
                     S_ISFIFO(info.st_mode) ? "pipe" : "device");
}

enum status file_read(const char *path, struct text *text, struct error *err) {
    // O_NONBLOCK: opening a pipe would wait for its writer.
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, errno == ENOENT || errno == ENOTDIR ? STATUS_NOT_FOUND : STATUS_IO,
                         "cannot read %s: %s", path, strerror(errno));
    enum status status = check_kind(fd, path, err);
    if (status == STATUS_OK) status = file_read_open(fd, path, text, err);
    close(fd);
    return status;
}

enum status file_check_text(const struct text *text, size_t from, const char *name,
                            struct error *err) {
    size_t offset;
    if (text->length == from) return STATUS_OK;
    const char *begin = text->bytes + from, *nul = memchr(begin, '\0', text->length - from);
    if (nul)
        return error_set(err, STATUS_BAD_INPUT, "%s is not text: byte 0x00 at offset %zu", name,
                         (size_t)(nul - begin));
    if (utf8_valid(begin, text->length - from, &offset)) return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "%s is not UTF-8 text: byte 0x%02x at offset %zu", name,
                     (unsigned char)begin[offset], offset);
}

enum status attachment_append(struct text *message, const char *path, struct error *err) {
    TRY(text_format(message, "[file: %s]\n", basename(path)));
    const size_t begin = message->length;
    TRY(file_read(path, message, err));
    TRY(file_check_text(message, begin, path, err));
    if (message->length > begin && message->bytes[message->length - 1] != '\n')
        TRY(text_append_string(message, "\n"));
    return text_append_string(message, "\n");
}
