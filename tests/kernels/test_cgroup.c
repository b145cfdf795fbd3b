// tests/kernels/test_cgroup.c — the smallest limit of a process's control groups counts, of either
// version, under the name that the machine gives them or at the root that a container sees.
#include "tests/kernels/machine_root.h" // cmocka and the headers that it wants first

#include "kernels/cgroup.h"

static void expect(size_t limit, size_t left) {
    const struct cgroup_memory memory = cgroup_memory_read(machine_root);
    assert_int_equal(memory.limit, limit);
    assert_int_equal(memory.left, left);
}

static void without_groups_there_is_no_limit(void **state) {
    (void)state;
    expect(SIZE_MAX, SIZE_MAX);
    machine_root_write("proc/self/cgroup", "0::/\n");
    expect(SIZE_MAX, SIZE_MAX);
    machine_root_write("proc/self/cgroup", "\n::\nwords\n0:\n:::\n3:memory\n0::relative\n");
    expect(SIZE_MAX, SIZE_MAX);
}

static void the_smallest_of_the_groups_above_counts(void **state) {
    (void)state;
    machine_root_write("proc/self/cgroup", "0::/user/app\n");
    machine_root_write("sys/fs/cgroup/user/app/memory.max", "max\n");
    machine_root_write("sys/fs/cgroup/user/app/memory.current", "100\n");
    expect(SIZE_MAX, SIZE_MAX);
    machine_root_write("sys/fs/cgroup/user/memory.max", "5000\n");
    machine_root_write("sys/fs/cgroup/user/memory.current", "4000\n");
    expect(5000, 1000);
    machine_root_write("sys/fs/cgroup/user/memory.stat",
                       "anon 900\nfile 3100\ninactive_file 300\nactive_file 200\nworkingset 7\n");
    expect(5000, 1500); // what is cached can be dropped
    machine_root_write("sys/fs/cgroup/user/app/memory.high",
                       "1200\n"); // from which it is slowed down
    expect(1200, 1100);
    machine_root_write("sys/fs/cgroup/user/memory.current", "9000\n");
    expect(1200, 0);
}

static void a_container_sees_its_own_group_as_the_root(void **state) {
    (void)state;
    machine_root_write("proc/self/cgroup",
                       "12:cpu,cpuacct:/docker/1a2b\n5:memory:/docker/1a2b\n0::/\n");
    machine_root_write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    machine_root_write("sys/fs/cgroup/memory/memory.usage_in_bytes", "10\n");
    expect(9223372036854771712U, 9223372036854771702U);
    machine_root_write("sys/fs/cgroup/memory/memory.limit_in_bytes", "8000\n");
    machine_root_write("sys/fs/cgroup/memory/memory.usage_in_bytes", "6000\n");
    machine_root_write(
        "sys/fs/cgroup/memory/memory.stat",
        "inactive_file 1\nactive_file 1\ntotal_inactive_file 500\ntotal_active_file 500\n");
    expect(8000, 3000);
    machine_root_write("proc/self/cgroup", "5:cpu,memory_of_others:/\n");
    expect(SIZE_MAX, SIZE_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_groups_there_is_no_limit, machine_root_make,
                                        machine_root_remove),
        cmocka_unit_test_setup_teardown(the_smallest_of_the_groups_above_counts, machine_root_make,
                                        machine_root_remove),
        cmocka_unit_test_setup_teardown(a_container_sees_its_own_group_as_the_root,
                                        machine_root_make, machine_root_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
