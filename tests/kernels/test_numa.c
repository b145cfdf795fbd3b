// tests/kernels/test_numa.c — which memory nodes the threads' processors belong to.
#include "tests/kernels/machine_root.h" // cmocka and the headers that it wants first

#include <sys/syscall.h>
#include <unistd.h>

#include "kernels/numa.h"

static void write_node(int node, const char *cpus) {
    char name[64];
    snprintf(name, sizeof name, "sys/devices/system/node/node%d/cpulist", node);
    machine_root_write(name, cpus);
}

static void nodes_are_those_of_the_processors_in_use(void **state) {
    (void)state;
    assert_int_equal(numa_nodes(machine_root, 0), 0); // nothing is known
    write_node(0, "0-1023\n");
    assert_int_equal(numa_nodes(machine_root, 0), 0); // one node: there is nothing to choose
    write_node(1, "\n");                              // memory without processors
    assert_int_equal(numa_nodes(machine_root, 0), 1);
    write_node(3, "0,2-1023\n");
    assert_int_equal(numa_nodes(machine_root, 0) & 1, 1);
    write_node(0, "1000000-2000000,-5,x\n");
    write_node(3, "0-1023");
    assert_int_equal(numa_nodes(machine_root, 0), 8);
    assert_int_equal(numa_nodes(machine_root, 1), 8);
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

static int policy(void) {
    int found = -1;
    return syscall(SYS_get_mempolicy, &found, NULL, 0, NULL, 0) == 0 ? found : -1;
}

// As under numactl --interleave=0.
static void a_policy_chosen_by_numactl_is_kept(void **state) {
    enum { DEFAULT = 0, INTERLEAVE = 3 };
    unsigned long first = 1;
    (void)state;
    if (policy() != DEFAULT) skip(); // this runs under it
    if (syscall(SYS_set_mempolicy, INTERLEAVE, &first, sizeof first * 8 + 1) != 0) skip();
    const bool spread = numa_spread(1);
    const int after = policy();
    (void)syscall(SYS_set_mempolicy, DEFAULT, NULL, 0);
    assert_false(spread);
    assert_int_equal(after, INTERLEAVE);
    assert_true(numa_spread(1));
    numa_end();
    assert_int_equal(policy(), DEFAULT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_those_of_the_processors_in_use),
        cmocka_unit_test(spreading_ends_as_it_began),
        cmocka_unit_test(a_policy_chosen_by_numactl_is_kept),
    };
    return cmocka_run_group_tests(tests, machine_root_make, machine_root_remove);
}
