// tests/kernels/machine_root.h — a folder for what a machine says of itself: /proc and /sys below
// it.
#ifndef TESTS_MACHINE_ROOT_H
#define TESTS_MACHINE_ROOT_H

#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char machine_root[] = "/tmp/quire-machine-XXXXXX";

static int machine_root_make(void **state) {
    (void)state;
    strcpy(machine_root + sizeof machine_root - sizeof "XXXXXX", "XXXXXX");
    return mkdtemp(machine_root) ? 0 : -1;
}

static int machine_root_remove(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", machine_root);
    return system(command);
}

// Writes the file, such as "proc/self/cgroup", and makes the folders above it.
static void machine_root_write(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", machine_root, name);
    for (char *slash = strchr(path + strlen(machine_root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#endif
