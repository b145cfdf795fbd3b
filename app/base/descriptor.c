#include "app/base/descriptor.h"

#include <errno.h>
#include <unistd.h>

bool descriptor_write(int file, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}
