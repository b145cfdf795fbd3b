#include "kernels/base/assert.h"

#include <stdio.h>
#include <stdlib.h>

static void (*before_abort)(void);

void assert_set_hook(void (*hook)(void)) { before_abort = hook; }

void assert_fail(const char *what, const char *file, int line) {
    if (before_abort) before_abort();
    fprintf(stderr, "%s:%d: ASSERT(%s)\n", file, line, what);
    abort();
}
