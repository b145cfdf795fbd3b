// tests/fault/failing_device.c — the program with a processor that fails as a card does.
//
// While the file "failures" in QUIRE_HOME has bytes, a sync takes one of them and fails, and so
// does every later one of that device. While there is a file "gone", no device opens after a
// failure, as some drivers keep a card from the process whose kernel failed.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/backend.h"

const struct backend *__real_backend_cpu(void);
const struct backend *__wrap_backend_cpu(void);

static struct backend failing;
static bool failed;

static enum status open_whole(const struct device_options *options, struct device **device,
                              struct error *err) {
    char path[4096];
    snprintf(path, sizeof path, "%s/gone", getenv("QUIRE_HOME"));
    if (failed && access(path, F_OK) == 0)
        return error_set(err, STATUS_DEVICE, "the device is gone");
    failed = false;
    return __real_backend_cpu()->open(options, device, err);
}

static void attend_or_fail(struct device *device, const struct attention *args) {
    char path[4096];
    struct stat info;
    snprintf(path, sizeof path, "%s/failures", getenv("QUIRE_HOME"));
    if (!failed && stat(path, &info) == 0 && info.st_size > 0)
        failed = truncate(path, info.st_size - 1) == 0;
    __real_backend_cpu()->attention(device, args);
}

static enum status sync_or_fail(struct device *device) {
    const enum status status = __real_backend_cpu()->sync(device);
    return failed ? STATUS_DEVICE : status;
}

const struct backend *__wrap_backend_cpu(void) {
    failing = *__real_backend_cpu();
    failing.open = open_whole;
    failing.attention = attend_or_fail;
    failing.sync = sync_or_fail;
    return &failing;
}
