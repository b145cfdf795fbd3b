#include "app/base/output.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/base/exit_code.h"
#include "app/base/printable.h"

static struct {
    bool gone;
    int error;
} output;

void output_write(const char *bytes, size_t length) {
    while (length && !output_ended()) {
        const ssize_t written = write(STDOUT_FILENO, bytes, length);
        if (written >= 0) {
            bytes += written;
            length -= (size_t)written;
        } else if (errno == EAGAIN) {
            struct pollfd room = {STDOUT_FILENO, POLLOUT, 0};
            poll(&room, 1, -1);
        } else if (errno == EPIPE) {
            output.gone = true;
        } else if (errno != EINTR) {
            output.error = errno;
        }
    }
}

void output_string(const char *string) { output_write(string, strlen(string)); }

bool output_is_file(void) {
    struct stat info;
    return fstat(STDOUT_FILENO, &info) == 0 && S_ISREG(info.st_mode);
}

void output_text(const char *bytes, size_t length) {
    struct text harmless = {0};
    if (output_is_file())
        output_write(bytes, length);
    else if (printable_text(bytes, length, &harmless) == STATUS_OK)
        output_write(text_string(&harmless), harmless.length);
    text_deinit(&harmless);
}

bool output_gone(void) { return output.gone; }

const char *output_error(void) { return output.error ? strerror(output.error) : NULL; }

bool output_ended(void) { return output.gone || output.error; }

// stdio remembers that a write failed, but not why: one more byte does.
static void close_stdio(void) {
    if ((fflush(stdout) == 0 && !ferror(stdout)) || output_ended()) return;
    output_write("\n", 1);
    if (!output_ended()) output.error = EIO;
}

int output_exit_code(int code) {
    close_stdio();
    if (!output.error) return code;
    fprintf(stderr, "quire: cannot write to stdout: %s\n", output_error());
    return EXIT_RUN_TIME;
}
