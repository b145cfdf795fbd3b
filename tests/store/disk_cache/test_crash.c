// tests/store/disk_cache/test_crash.c — killed at any point, and two processes at once: what was
// acknowledged is there, and nothing else is in its place.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/disk_cache/disk_fixture.h"
#include "tests/store/store_fixture.h"

enum { PAYLOAD = 20000, ROUNDS = 40, CHAIN = 8 };

static struct disk_fixture fixture;
static struct listed listed;

// Chains of CHAIN blocks, so that parents are known from the numbers alone.
static enum status write_chain(int64_t first) {
    return disk_fixture_write(&fixture, first, CHAIN, 0);
}

// What the child says: a chain that is stored, or the negative of a block that was dropped.
static void say(int out, int64_t what) {
    if (write(out, &what, sizeof what) != sizeof what) _exit(2);
}

// Never returns: writes chains, and drops blocks of chains, until it is killed.
static void write_for_ever(int64_t first, int out) {
    disk_fixture_open(&fixture);
    for (; first + CHAIN < FIXTURE_BLOCKS; first += CHAIN) {
        if (write_chain(first) != STATUS_OK) _exit(1);
        say(out, first);
        if (first % 3 == 0) {
            say(out, -(first + CHAIN - 1));
            disk_fixture_drop(&fixture, first + CHAIN - 1);
        }
    }
    close(out); // it is faster than the numbers suffice for
    for (;;)
        pause();
}

struct heard { // from the children
    bool expected[FIXTURE_BLOCKS];
    int64_t next; // chain to be written
    int64_t chains;
};

// False when the child has nothing more to say.
static bool note_said(int from, struct heard *heard) {
    int64_t what;
    if (read(from, &what, sizeof what) != sizeof what) return false;
    if (what < 0) {
        heard->expected[-what] = false; // it may be there still
        return true;
    }
    for (int64_t i = what; i < what + CHAIN; i++)
        heard->expected[i] = true;
    heard->next = what + CHAIN;
    heard->chains++;
    return true;
}

static void set_parents(void) {
    for (int64_t number = 1; number < FIXTURE_BLOCKS; number++)
        fixture.parents[number] = (number - 1) % CHAIN == 0 ? 0 : number - 1;
}

static void acknowledged_blocks_survive_kill_9(void **state) {
    (void)state;
    static struct heard heard;
    uint32_t random = 20;
    int leftovers = 0;
    heard.next = 1;
    print_message("seed %u\n", random);
    disk_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    for (int round = 0; round < ROUNDS; round++) {
        int said[2];
        assert_int_equal(pipe(said), 0);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            close(said[0]);
            write_for_ever(heard.next, said[1]);
        }
        close(said[1]);
        random = random * 1664525u + 1013904223u;
        if (round % 2) note_said(said[0], &heard); // past the first chain, however slow it is
        usleep(1000 + (random >> 8) % 12000);
        kill(child, SIGKILL);
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL);
        while (note_said(said[0], &heard))
            continue;
        close(said[0]);
        heard.next += CHAIN; // the one that was being written may be there as well
        disk_fixture_open(&fixture);
        disk_fixture_read_all(&fixture, &listed);
        for (int64_t i = 1; i < FIXTURE_BLOCKS; i++)
            if (heard.expected[i]) assert_true(listed.listed[i]);
        assert_int_equal(fixture.dropped_count, 0);
        disk_fixture_close(&fixture);
        const struct disk_cache_report report = disk_fixture_check(&fixture);
        assert_int_equal(report.damaged, 0);
        assert_int_equal(report.missing, 0);
        leftovers += report.free_bytes > 0;
    }
    print_message("%lld chains over %d kills; %d left bytes of no block\n", (long long)heard.chains,
                  ROUNDS, leftovers);
    assert_true(heard.chains >= ROUNDS / 2);
    disk_fixture_deinit(&fixture);
}

// Says that it is here, and waits until the other is.
static void meet(int out, int in) {
    char byte = 0;
    assert_int_equal(write(out, &byte, 1), 1);
    assert_int_equal(read(in, &byte, 1), 1);
}

// Both write blocks of their own, and both the same ones.
static void write_own_and_shared(int64_t own) {
    for (int64_t i = 0; i < 40; i++) {
        must(write_chain(own + i * CHAIN), &fixture.err);
        must(write_chain(3001 + i * CHAIN), &fixture.err);
        disk_fixture_reference(&fixture, (uint64_t)own % 7, own + i * CHAIN);
    }
}

static void wait_for(pid_t child) {
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

static void two_processes_write_without_losing_a_block(void **state) {
    (void)state;
    disk_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    int to_child[2], to_parent[2];
    assert_true(pipe(to_child) == 0 && pipe(to_parent) == 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    disk_fixture_open(&fixture);
    must(write_chain(child == 0 ? 1 : 1001), &fixture.err);
    meet(child == 0 ? to_parent[1] : to_child[1], child == 0 ? to_child[0] : to_parent[0]);
    write_own_and_shared(child == 0 ? 1 : 1001);
    disk_fixture_close(&fixture);
    if (child == 0) _exit(0);
    wait_for(child);
    disk_fixture_open(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), 3 * 40 * CHAIN);
    assert_int_equal(fixture.dropped_count, 0);
    disk_fixture_close(&fixture);
    const struct disk_cache_report report = disk_fixture_check(&fixture);
    assert_int_equal(report.blocks, 3 * 40 * CHAIN);
    assert_int_equal(report.damaged, 0);
    for (int i = 0; i < 2; i++) {
        close(to_child[i]);
        close(to_parent[i]);
    }
    disk_fixture_deinit(&fixture);
}

// Both have a limit that the two together reach again and again, so each drops what the other has.
static void two_processes_together_stay_within_a_shared_limit(void **state) {
    (void)state;
    enum { LIMIT = 4 << 20 };
    disk_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    fixture.limit_bytes = LIMIT;
    const pid_t child = fork();
    assert_true(child >= 0);
    disk_fixture_open(&fixture);
    int64_t reads[2] = {0, 0}, stored = 0;
    for (int64_t i = 0; i < 100; i++) {
        const int64_t first = (child == 0 ? 1 : 1001) + i * CHAIN;
        const enum status status = write_chain(first);
        // FULL: the other was faster to fill what was freed, and again.
        if (status != STATUS_BUSY && status != STATUS_FULL) must(status, &fixture.err);
        stored += status == STATUS_OK;
        const enum status outcome = // somebody else's block, perhaps
            disk_fixture_read(&fixture, first ^ 1024);
        reads[outcome == STATUS_OK]++;
    }
    assert_true(stored > 50);
    disk_fixture_close(&fixture);
    if (child == 0) _exit(0);
    wait_for(child);
    print_message("%lld of the other's blocks were there, %lld not\n", (long long)reads[1],
                  (long long)reads[0]);
    disk_fixture_open(&fixture);
    assert_true(disk_fixture_read_all(&fixture, &listed) > 50);
    assert_true(disk_fixture_stored(&fixture) <= LIMIT + LIMIT / 2);
    must(write_chain(2001), &fixture.err);
    assert_true(disk_fixture_stored(&fixture) <= LIMIT);
    disk_fixture_close(&fixture);
    const struct disk_cache_report report = disk_fixture_check(&fixture);
    assert_int_equal(report.damaged, 0);
    assert_int_equal(report.missing, 0);
    disk_fixture_deinit(&fixture);
}

// What one has listed, the other drops.
static void a_block_dropped_by_another_process_is_not_found(void **state) {
    (void)state;
    disk_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    disk_fixture_open(&fixture);
    must(write_chain(1), &fixture.err);
    disk_fixture_list(&fixture, &listed);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fixture.pool = NULL; // the parent's
        disk_fixture_open(&fixture);
        disk_fixture_drop(&fixture, 4);
        must(write_chain(1001), &fixture.err); // where 4 was, and what hung on it
        must(write_chain(1), &fixture.err);    // which are elsewhere now
        disk_fixture_drop(&fixture, 5);
        disk_fixture_close(&fixture);
        _exit(0);
    }
    wait_for(child);
    assert_int_equal(disk_fixture_read(&fixture, 4), STATUS_OK);
    assert_int_equal(disk_fixture_read(&fixture, 5), STATUS_NOT_FOUND);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), CHAIN + 4);
    disk_fixture_deinit(&fixture);
}

static struct disk_fixture other; // another process, as far as files and rows know
static int64_t stolen;            // before the next read of a slot, this block gives its slot up

ssize_t __real_pread(int file, void *bytes, size_t length, off_t offset);
ssize_t __wrap_pread(int file, void *bytes, size_t length, off_t offset);
ssize_t __wrap_pread(int file, void *bytes, size_t length, off_t offset) {
    if (stolen != 0) {
        const int64_t number = stolen;
        stolen = 0;
        disk_fixture_drop(&other, number);
        must(disk_fixture_write(&other, 2001, 1, 0), &other.err); // into the free slot
    }
    return __real_pread(file, bytes, length, offset);
}

// The row was found, and its slot has another block when it is read: a miss, never those bytes.
static void a_slot_reused_during_a_read_is_a_miss(void **state) {
    (void)state;
    disk_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    disk_fixture_open(&fixture);
    must(write_chain(1), &fixture.err);
    other = fixture;
    other.pool = NULL;
    disk_fixture_open(&other);
    stolen = CHAIN;
    assert_int_equal(disk_fixture_read(&fixture, CHAIN), STATUS_NOT_FOUND);
    assert_int_equal(stolen, 0);
    assert_int_equal(disk_fixture_read(&fixture, 2001), STATUS_OK);
    const int64_t again = CHAIN;
    must(disk_fixture_write_these(&fixture, &again, 1), &fixture.err);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), CHAIN + 1);
    disk_fixture_close(&other);
    disk_fixture_deinit(&fixture);
}

static void a_cache_in_use_can_be_emptied(void **state) {
    (void)state;
    uint64_t freed = 0;
    disk_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    disk_fixture_open(&fixture);
    must(write_chain(1), &fixture.err);
    must(disk_cache_drop(fixture.folder, &freed, &fixture.err), &fixture.err);
    assert_true(freed >= CHAIN * PAYLOAD);
    assert_int_equal(disk_fixture_read(&fixture, 1), STATUS_NOT_FOUND);
    must(write_chain(101), &fixture.err); // into a file that the folder has
    disk_fixture_reopen(&fixture);
    assert_int_equal(disk_fixture_read_all(&fixture, &listed), CHAIN);
    disk_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acknowledged_blocks_survive_kill_9),
        cmocka_unit_test(two_processes_write_without_losing_a_block),
        cmocka_unit_test(two_processes_together_stay_within_a_shared_limit),
        cmocka_unit_test(a_block_dropped_by_another_process_is_not_found),
        cmocka_unit_test(a_slot_reused_during_a_read_is_a_miss),
        cmocka_unit_test(a_cache_in_use_can_be_emptied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
