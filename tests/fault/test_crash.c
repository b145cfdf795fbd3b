// tests/fault/test_crash.c — kill -9 at random points: what was acknowledged is there, and sound.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check.h"
#include "tests/store/store_fixture.h"

enum { ROUNDS = 30, TEXT = 64 };

// What the child says once a message is stored.
struct receipt {
    int64_t id, number;
};

static void make_text(int64_t number, char text[TEXT]) {
    snprintf(text, TEXT, "message %lld of the crash test", (long long)number);
}

// One message and its token, with the tip moved to it, as a turn is stored.
static enum status store_one(struct db *db, const char *talk, int64_t model,
                             struct receipt *receipt, struct error *err) {
    char text[TEXT];
    const int32_t token = (int32_t)receipt->number;
    make_text(receipt->number, text);
    const struct message message = {.parent = receipt->id,
                                    .role = receipt->number % 2 ? MESSAGE_ASSISTANT : MESSAGE_USER,
                                    .text = text,
                                    .length = strlen(text)};
    TRY(db_begin(db, err));
    enum status status = message_add(db, &message, model, &token, 1, &receipt->id, err);
    if (status == STATUS_OK) status = conversation_move(db, talk, receipt->id, model, err);
    if (status == STATUS_OK) status = db_commit(db, err);
    if (status != STATUS_OK) db_rollback(db);
    return status;
}

// Never returns: stores messages after `last` until it is killed.
static void write_for_ever(const struct store_fixture *fixture, const char *talk,
                           struct receipt last, int out) {
    struct error err = {0};
    struct db *db = NULL;
    enum status status = db_open(fixture->path, &db, &err);
    if (status == STATUS_OK) status = conversation_lock(db, talk, &err);
    while (status == STATUS_OK) {
        last.number++;
        status = store_one(db, talk, fixture->model, &last, &err);
        if (status == STATUS_OK && write(out, &last, sizeof last) != sizeof last) _exit(2);
    }
    fprintf(stderr, "%s\n", err.text);
    _exit(1);
}

// The path to the tip holds all numbers in order, at least up to `last`.
static struct receipt check_path(struct store_fixture *fixture, const char *id,
                                 struct receipt last) {
    struct error *err = &fixture->err;
    struct conversation talk;
    struct message *path;
    size_t count;
    must(conversation_find(fixture->db, id, &talk, err), err);
    must(message_path(fixture->db, talk.tip, &path, &count, err), err);
    assert_true((int64_t)count >= last.number);
    assert_true((int64_t)count <= last.number + 1); // stored, but killed before it was said
    for (size_t i = 0; i < count; i++) {
        char text[TEXT];
        int32_t *tokens;
        size_t token_count;
        make_text((int64_t)i + 1, text);
        assert_string_equal(path[i].text, text);
        must(message_tokens(fixture->db, path[i].id, fixture->model, &tokens, &token_count, err),
             err);
        assert_int_equal(token_count, 1);
        assert_int_equal(tokens[0], i + 1);
        free(tokens);
    }
    if (last.number > 0) assert_int_equal(path[last.number - 1].id, last.id);
    message_path_free(path, count);
    return (struct receipt){talk.tip, (int64_t)count};
}

static void acknowledged_messages_survive_kill_9(void **state) {
    (void)state;
    struct store_fixture fixture;
    struct receipt last = {0, 0};
    uint32_t random = 20;
    print_message("seed %u\n", random);
    store_fixture_init(&fixture, true);
    const struct conversation talk = store_fixture_talk(&fixture, "", 0, NULL, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        int said[2];
        struct receipt receipt;
        db_close(fixture.db);
        fixture.db = NULL;
        assert_int_equal(pipe(said), 0);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            close(said[0]);
            write_for_ever(&fixture, talk.id, last, said[1]);
        }
        close(said[1]);
        // Each other one has said something, however slow the disk is.
        if (round % 2 && read(said[0], &receipt, sizeof receipt) == sizeof receipt) last = receipt;
        random = random * 1664525u + 1013904223u;
        usleep(2000 + (random >> 8) % 60000);
        kill(child, SIGKILL);
        int result;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL);
        while (read(said[0], &receipt, sizeof receipt) == sizeof receipt)
            last = receipt;
        close(said[0]);
        store_fixture_reopen(&fixture);
        must(db_check(fixture.db, &fixture.err), &fixture.err);
        last = check_path(&fixture, talk.id, last);
        must(conversation_lock(fixture.db, talk.id, &fixture.err), &fixture.err);
    }
    print_message("%lld messages over %d kills\n", (long long)last.number, ROUNDS);
    assert_true(last.number >= ROUNDS / 2);
    store_fixture_deinit(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(acknowledged_messages_survive_kill_9)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
