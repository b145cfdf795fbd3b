#include "app/base/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernels/base/log.h"
#include "kernels/base/trace.h"

static int file = -1;
static atomic_bool failed;

// With O_APPEND, the lines of several threads do not mix.
static void put(const char *before, const char *bytes, size_t length) {
    const size_t comma = strlen(before);
    const struct iovec parts[] = {{(void *)(uintptr_t)before, comma},
                                  {(void *)(uintptr_t)bytes, length}};
    if (atomic_load(&failed) || writev(file, parts, 2) == (ssize_t)(comma + length)) return;
    if (!atomic_exchange(&failed, true))
        log_write(LOG_WARNING, "the trace ends here: it cannot be written: %s", strerror(errno));
}

static void write_event(const char *event, size_t length) { put(",\n", event, length); }

enum status trace_file_open(const char *path, struct error *err) {
    static const char first[] =
        "[\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"quire\"}}";
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0)
        return error_set(err, STATUS_IO, "the trace %.300s cannot be written: %s", path,
                         strerror(errno));
    put("", first, sizeof first - 1);
    trace_set_sink(write_event);
    trace_thread("main");
    return STATUS_OK;
}

void trace_file_close(void) {
    if (file < 0) return;
    trace_set_sink(NULL);
    put("", "\n]\n", 3);
    close(file);
    file = -1;
}
