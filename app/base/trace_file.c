#include "app/base/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernels/base/log.h"
#include "kernels/base/trace.h"

static const char FIRST[] =
    "[\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"quire\"}}";
static int file = -1;
static atomic_bool failed;

// With O_APPEND, the lines of several threads do not mix.
static void write_all(const char *before, const char *bytes, size_t length) {
    const size_t comma = strlen(before);
    const struct iovec parts[] = {{(void *)(uintptr_t)before, comma},
                                  {(void *)(uintptr_t)bytes, length}};
    if (atomic_load(&failed) || writev(file, parts, 2) == (ssize_t)(comma + length)) return;
    if (!atomic_exchange(&failed, true))
        log_write(LOG_WARNING, "the trace ends here: cannot write it: %s", strerror(errno));
}

static void write_event(const char *event, size_t length) { write_all(",\n", event, length); }

// Creates the file, or empties an existing one that holds a trace or nothing. Refuses a pipe, which
// would wait for its reader at every line.
static int open_file(const char *path, bool *is_foreign, bool *is_file) {
    const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK;
    char begin[sizeof FIRST - 1];
    struct stat info;
    int opened = open(path, flags | O_CREAT | O_EXCL, 0600);
    if (opened >= 0 || errno != EEXIST) return opened;
    *is_file = stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode);
    if (!*is_file) return -1;
    opened = open(path, flags);
    if (opened < 0) return opened;
    if (fstat(opened, &info) != 0) info.st_size = 0;
    const int reader = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = reader >= 0 ? pread(reader, begin, sizeof begin, 0) : -1;
    if (reader >= 0) close(reader);
    const bool is_trace =
        info.st_size == 0 || (got == sizeof begin && memcmp(begin, FIRST, sizeof begin) == 0);
    if (is_trace && ftruncate(opened, 0) == 0) return opened;
    *is_foreign = !is_trace;
    close(opened);
    return -1;
}

enum status trace_file_open(const char *path, struct error *err) {
    bool is_foreign = false, is_file = true;
    file = open_file(path, &is_foreign, &is_file);
    if (!is_file)
        return error_set(err, STATUS_BAD_INPUT, "cannot write the trace %.300s: not a regular file",
                         path);
    if (is_foreign)
        return error_set(err, STATUS_BAD_INPUT,
                         "%.300s exists and is not a trace; choose another name", path);
    if (file < 0)
        return error_set(err, STATUS_IO, "cannot write the trace %.300s: %s", path,
                         strerror(errno));
    write_all("", FIRST, sizeof FIRST - 1);
    trace_set_sink(write_event);
    trace_thread("main");
    return STATUS_OK;
}

void trace_file_close(void) {
    if (file < 0) return;
    trace_set_sink(NULL);
    write_all("", "\n]\n", 3);
    close(file);
    file = -1;
}
