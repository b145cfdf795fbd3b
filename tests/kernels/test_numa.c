// tests/kernels/test_numa.c — which memory nodes the threads' processors belong to.
#include "tests/check.h" // cmocka and the headers that it wants first

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/numa.h"

static char root[] = "/tmp/quire-numa-XXXXXX";

static void write_node(int node, const char *cpus) {
    char path[256];
    snprintf(path, sizeof path, "%s/sys/devices/system/node/node%d/cpulist", root, node);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(cpus, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_root(void **state) {
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void nodes_are_those_of_the_processors_in_use(void **state) {
    (void)state;
    assert_int_equal(numa_nodes(root, 0), 0); // nothing is known
    write_node(0, "0-1023\n");
    assert_int_equal(numa_nodes(root, 0), 0); // one node: there is nothing to choose
    write_node(1, "\n");                      // memory without processors
    assert_int_equal(numa_nodes(root, 0), 1);
    write_node(3, "0,2-1023\n");
    assert_int_equal(numa_nodes(root, 0) & 1, 1);
    write_node(0, "1000000-2000000,-5,x\n");
    write_node(3, "0-1023");
    assert_int_equal(numa_nodes(root, 0), 8);
    assert_int_equal(numa_nodes(root, 1), 8);
}

// One machine may refuse, as in a container, and another has the one node only.
static void spreading_ends_as_it_began(void **state) {
    (void)state;
    if (numa_spread(1)) numa_end();
    assert_false(numa_spread(0));
    void *memory = malloc(1 << 20);
    assert_non_null(memory);
    memset(memory, 1, 1 << 20);
    free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_those_of_the_processors_in_use),
        cmocka_unit_test(spreading_ends_as_it_began),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
