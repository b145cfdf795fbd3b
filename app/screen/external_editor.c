#include "app/screen/external_editor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/base/attachment.h"
#include "app/base/descriptor.h"
#include "app/screen/terminal.h"

static const char *named_by(const char *variable, const char *otherwise) {
    const char *value = getenv(variable);
    return value && value[0] ? value : otherwise;
}

static enum status append_without_nul(struct text *out, const char *bytes, size_t length,
                                      size_t *left_out) {
    for (size_t at = 0; at < length;) {
        const size_t run = strnlen(bytes + at, length - at);
        TRY(text_append(out, bytes + at, run));
        *left_out += at + run < length;
        at += run + 1;
    }
    return STATUS_OK;
}

static bool read_file(const char *path, struct text *out, size_t *left_out) {
    struct text bytes = {0};
    const bool whole =
        file_read(path, &bytes, NULL) == STATUS_OK &&
        append_without_nul(out, text_string(&bytes), bytes.length, left_out) == STATUS_OK;
    text_deinit(&bytes);
    while (out->length > 0 && strchr("\r\n", out->bytes[out->length - 1]))
        out->bytes[--out->length] = '\0';
    return whole;
}

// Through the shell, so that "code --wait" works.
static bool run(const char *program, const char *path) {
    struct text command = {0};
    int result = 0;
    pid_t child = -1;
    if (text_format(&command, "%s \"$1\"", program) == STATUS_OK) child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command.bytes, "sh", path, (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &result, 0) < 0 && errno == EINTR)
        ;
    text_deinit(&command);
    return child > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

static bool edit_file(const char *program, int file, const char *path, const char *draft,
                      size_t length) {
    const bool written = descriptor_write(file, draft, length);
    close(file);
    terminal_lend();
    const bool saved = written && run(program, path);
    terminal_retake();
    return saved;
}

bool external_editor_run(const char *draft, size_t length, struct text *edited, size_t *left_out) {
    const char *program = named_by("VISUAL", named_by("EDITOR", "vi"));
    struct text path = {0};
    int file = -1;
    *left_out = 0;
    if (text_format(&path, "%s/quire-draft-XXXXXX", named_by("TMPDIR", "/tmp")) == STATUS_OK)
        file = mkostemp(path.bytes, O_CLOEXEC);
    bool done = false;
    if (file < 0) {
        terminal_tell(STYLE_ERROR, "cannot create %.200s: %s\n", text_string(&path),
                      strerror(errno));
    } else {
        done = edit_file(program, file, path.bytes, draft, length) &&
               read_file(path.bytes, edited, left_out);
        unlink(path.bytes);
        if (!done) terminal_tell(STYLE_ERROR, "%.60s failed; the draft is unchanged\n", program);
    }
    text_deinit(&path);
    return done;
}
