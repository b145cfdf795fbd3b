// tests/store/test_vault_crash.c — killed at any point, and two processes at once: what was
// acknowledged is there, and nothing else is in its place.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"
#include "tests/store/vault_fixture.h"

enum { PAYLOAD = 20000, ROUNDS = 40, CHAIN = 8 };

static struct vault_fixture fixture;
static struct listed listed;

// Chains of CHAIN blocks, so that parents are known from the numbers alone.
static enum status write_chain(int64_t first) {
    return vault_fixture_write(&fixture, first, CHAIN, 0);
}

// What the child says: a chain that is stored, or the negative of a block that was dropped.
static void say(int out, int64_t what) {
    if (write(out, &what, sizeof what) != sizeof what) _exit(2);
}

// Never returns: writes chains, and drops blocks of chains, until it is killed.
static void write_for_ever(int64_t first, int out) {
    vault_fixture_open(&fixture);
    for (; first + CHAIN < FIXTURE_BLOCKS; first += CHAIN) {
        if (write_chain(first) != STATUS_OK) _exit(1);
        say(out, first);
        if (first % 3 == 0) {
            say(out, -(first + 2));
            vault_fixture_drop(&fixture, first + 2);
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

static void what_was_acknowledged_survives_kill_9(void **state) {
    (void)state;
    static struct heard heard;
    uint32_t random = 20;
    int orphans = 0;
    heard.next = 1;
    print_message("seed %u\n", random);
    vault_fixture_init(&fixture, PAYLOAD, true);
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
        vault_fixture_open(&fixture);
        vault_fixture_read_all(&fixture, &listed);
        for (int64_t i = 1; i < FIXTURE_BLOCKS; i++)
            if (heard.expected[i]) assert_true(listed.listed[i]);
        assert_int_equal(fixture.dropped_count, 0);
        vault_fixture_close(&fixture);
        const struct vault_report report = vault_fixture_check(&fixture);
        assert_int_equal(report.damaged, 0);
        assert_int_equal(report.missing, 0);
        orphans += report.orphan_bytes > 0;
    }
    print_message("%lld chains over %d kills; %d left holes unpunched\n", (long long)heard.chains,
                  ROUNDS, orphans);
    assert_true(heard.chains >= ROUNDS / 2);
    vault_fixture_deinit(&fixture);
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
        fixture.tier->verbs->hold(fixture.tier, (uint64_t)own % 7, fixture_key(own + i * CHAIN));
    }
}

static void wait_for(pid_t child) {
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

static void two_processes_write_at_once(void **state) {
    (void)state;
    vault_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    int to_child[2], to_parent[2];
    assert_true(pipe(to_child) == 0 && pipe(to_parent) == 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    vault_fixture_open(&fixture);
    must(write_chain(child == 0 ? 1 : 1001), &fixture.err);
    meet(child == 0 ? to_parent[1] : to_child[1], child == 0 ? to_child[0] : to_parent[0]);
    write_own_and_shared(child == 0 ? 1 : 1001);
    vault_fixture_close(&fixture);
    if (child == 0) _exit(0);
    wait_for(child);
    vault_fixture_open(&fixture);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 3 * 40 * CHAIN);
    assert_int_not_equal(listed.places[1].segment, listed.places[1001].segment);
    assert_int_equal(fixture.dropped_count, 0);
    vault_fixture_close(&fixture);
    const struct vault_report report = vault_fixture_check(&fixture);
    assert_int_equal(report.blocks, 3 * 40 * CHAIN);
    assert_int_equal(report.damaged, 0);
    for (int i = 0; i < 2; i++) {
        close(to_child[i]);
        close(to_parent[i]);
    }
    vault_fixture_deinit(&fixture);
}

// Both have a limit that the two together reach again and again, so each drops what the other has.
static void two_processes_share_a_limit(void **state) {
    (void)state;
    enum { LIMIT = 4 << 20 };
    vault_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    fixture.limit_bytes = LIMIT;
    const pid_t child = fork();
    assert_true(child >= 0);
    vault_fixture_open(&fixture);
    int64_t reads[2] = {0, 0}, stored = 0;
    for (int64_t i = 0; i < 100; i++) {
        const int64_t first = (child == 0 ? 1 : 1001) + i * CHAIN;
        const enum status status = write_chain(first);
        // FULL: the other was faster to fill what was freed, and again.
        if (status != STATUS_BUSY && status != STATUS_FULL) must(status, &fixture.err);
        stored += status == STATUS_OK;
        const enum status outcome = // somebody else's block, perhaps
            vault_fixture_read(&fixture, first ^ 1024, (struct tier_place){1, 0});
        reads[outcome == STATUS_OK]++;
    }
    assert_true(stored > 50);
    vault_fixture_close(&fixture);
    if (child == 0) _exit(0);
    wait_for(child);
    print_message("%lld of the other's blocks were there, %lld not\n", (long long)reads[1],
                  (long long)reads[0]);
    vault_fixture_open(&fixture);
    assert_true(vault_fixture_read_all(&fixture, &listed) > 50);
    assert_true(vault_fixture_stored(&fixture) <= LIMIT + LIMIT / 2);
    must(write_chain(2001), &fixture.err);
    assert_true(vault_fixture_stored(&fixture) <= LIMIT);
    vault_fixture_close(&fixture);
    const struct vault_report report = vault_fixture_check(&fixture);
    assert_int_equal(report.damaged, 0);
    assert_int_equal(report.missing, 0);
    vault_fixture_deinit(&fixture);
}

// What one has listed, the other drops.
static void a_block_that_another_process_dropped_is_not_found(void **state) {
    (void)state;
    vault_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    vault_fixture_open(&fixture);
    must(write_chain(1), &fixture.err);
    vault_fixture_list(&fixture, &listed);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fixture.tier = NULL; // the parent's
        vault_fixture_open(&fixture);
        vault_fixture_drop(&fixture, 4);
        must(write_chain(1), &fixture.err); // 4 is elsewhere now
        vault_fixture_drop(&fixture, 5);
        vault_fixture_close(&fixture);
        _exit(0);
    }
    wait_for(child);
    assert_int_equal(vault_fixture_read(&fixture, 4, listed.places[4]), STATUS_OK);
    assert_int_not_equal(vault_fixture_read(&fixture, 5, listed.places[5]), STATUS_OK);
    assert_true(fixture.dropped[5]);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), CHAIN - 1);
    vault_fixture_deinit(&fixture);
}

static void a_folder_that_is_written_to_is_not_dropped(void **state) {
    (void)state;
    uint64_t freed = 77;
    vault_fixture_init(&fixture, PAYLOAD, true);
    set_parents();
    vault_fixture_open(&fixture);
    must(write_chain(1), &fixture.err);
    assert_int_equal(vault_drop(fixture.folder, &freed, &fixture.err), STATUS_BUSY);
    assert_non_null(strstr(fixture.err.text, "segment 1 "));
    assert_int_equal(freed, 77);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), CHAIN);
    vault_fixture_check(&fixture); // which does no harm meanwhile
    must(write_chain(101), &fixture.err);
    assert_int_equal(vault_fixture_read_all(&fixture, &listed), 2 * CHAIN);
    vault_fixture_close(&fixture);
    must(vault_drop(fixture.folder, &freed, &fixture.err), &fixture.err);
    assert_true(freed >= 2 * CHAIN * PAYLOAD);
    vault_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_acknowledged_survives_kill_9),
        cmocka_unit_test(two_processes_write_at_once),
        cmocka_unit_test(two_processes_share_a_limit),
        cmocka_unit_test(a_block_that_another_process_dropped_is_not_found),
        cmocka_unit_test(a_folder_that_is_written_to_is_not_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
