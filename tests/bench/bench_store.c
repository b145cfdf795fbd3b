// tests/bench/bench_store.c — how long does a person wait for a large database?
//
//   bench_store [FOLDER]
//
// Makes one of 10,000 conversations (one in ten a fork) and 1,000,000 messages in a folder of its
// own inside FOLDER, $TMPDIR or /tmp, which goes afterwards, through the same calls as a chat.
// Words are made up, a few of them frequent and most rare, as in a language. Then it times what the
// commands ask for; each row has the limit that it is held to.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/bench/folder.h"
#include "app/bench/harness.h"
#include "app/bench/samples.h"
#include "kernels/base/assert.h"
#include "kernels/base/size.h"
#include "kernels/base/text.h"
#include "store/conversation.h"
#include "store/family.h"
#include "tests/bench/cache/meter.h"

enum {
    CONVERSATIONS = 10000,
    MESSAGES_EACH = 100,
    FORK_EVERY = 10,
    AT_ONCE = 100, // conversations in a transaction, to be done some day
    WORDS = 20000,
    QUESTION_WORDS = 12,
    ANSWER_WORDS = 40,
    RARE_EVERY = 99991, // messages that have RARE in them
    LISTED = 200,       // rows of /list
    PICKED = 1000,      // of the picker, before the person looks further
    FAMILY_MOST = 20000,
    RUNS = 9,
    LIST_LIMIT_MS = 50,
    SEARCH_LIMIT_MS = 100,
    ROWS_MOST = 12,
};

static const char RARE[] = "quaggacorn";

struct row {
    const char *name;
    int32_t limit_ms;
    int64_t found; // rows, messages
    struct figure ms;
};

struct store_bench {
    struct bench_folder folder;
    struct db *db;
    int64_t model;
    uint64_t random; // of the words
    int64_t messages;
    struct conversation middle; // one of them, neither old nor new
    double made_s;
    struct row rows[ROWS_MOST];
    int32_t count;
    struct error err;
};

// xorshift64 (Marsaglia 2003).
static uint64_t next_random(struct store_bench *bench) {
    bench->random ^= bench->random << 13;
    bench->random ^= bench->random >> 7;
    bench->random ^= bench->random << 17;
    return bench->random;
}

// Word n, of two to four syllables: the smaller n, the more frequent.
static enum status append_word(struct text *text, size_t n) {
    static const char *const syllables[] = {"ka", "lo",  "mi", "ren", "tas", "vo",  "shi", "nu",
                                            "be", "dor", "ga", "ph",  "il",  "wen", "zu",  "or"};
    const int count = 2 + (int)(n % 3);
    for (int i = 0; i < count; i++, n /= 16)
        TRY(text_append_string(text, syllables[(n * 7 + (size_t)i) % 16]));
    return STATUS_OK;
}

static enum status make_text(struct store_bench *bench, int words, struct text *text) {
    text_clear(text);
    for (int i = 0; i < words; i++) {
        const double u = (double)(next_random(bench) >> 11) / (double)(UINT64_C(1) << 53);
        if (i > 0) TRY(text_append_string(text, " "));
        TRY(append_word(text, (size_t)pow(WORDS, u)));
    }
    return bench->messages % RARE_EVERY == 0 ? text_format(text, " %s", RARE) : STATUS_OK;
}

static enum status add_messages(struct store_bench *bench, int64_t *tip) {
    static const int32_t tokens[] = {1, 2, 3, 4};
    struct text text = {0};
    enum status status = STATUS_OK;
    for (int i = 0; i < MESSAGES_EACH && status == STATUS_OK; i++) {
        const bool asked = i % 2 == 0;
        status = make_text(bench, asked ? QUESTION_WORDS : ANSWER_WORDS, &text);
        const struct message message = {.parent = *tip,
                                        .role = asked ? MESSAGE_USER : MESSAGE_ASSISTANT,
                                        .stop = asked ? STOP_NONE : STOP_END,
                                        .text = text.bytes,
                                        .length = text.length};
        if (status == STATUS_OK)
            status = message_add(bench->db, &message, bench->model, tokens, 4, tip, &bench->err);
        bench->messages++;
    }
    text_deinit(&text);
    return status;
}

static enum status add_conversation(struct store_bench *bench, int number,
                                    struct conversation *last) {
    struct conversation made;
    int64_t tip = MESSAGE_NONE;
    char name[32] = "";
    if (number % FORK_EVERY == FORK_EVERY - 1) {
        tip = last->tip;
        TRY(conversation_fork(bench->db, last, tip, "", &made, &bench->err));
    } else {
        if (number % 3 == 0) snprintf(name, sizeof name, "talk number %d", number);
        TRY(conversation_create(bench->db, name, bench->model, &made, &bench->err));
    }
    TRY(add_messages(bench, &tip));
    TRY(conversation_move(bench->db, made.id, tip, bench->model, &bench->err));
    made.tip = tip;
    *last = made;
    if (number == CONVERSATIONS / 2) bench->middle = made;
    return STATUS_OK;
}

static void show_progress(int made) {
    if (!isatty(STDERR_FILENO)) return;
    if (made < CONVERSATIONS)
        fprintf(stderr, "\rmaking %d of %d conversations", made, CONVERSATIONS);
    else
        fprintf(stderr, "\r%50s\r", "");
    fflush(stderr);
}

static enum status make_database(struct store_bench *bench) {
    char path[PATH_MAX + 16];
    struct conversation last = {0};
    const double began_us = harness_now_us();
    snprintf(path, sizeof path, "%s/quire.db", bench->folder.path);
    TRY(db_open(path, &bench->db, &bench->err));
    TRY(db_model(bench->db, (struct hash128){1, 1}, "bench", &bench->model, &bench->err));
    for (int i = 0; i < CONVERSATIONS; i += AT_ONCE) {
        TRY(db_begin(bench->db, &bench->err));
        enum status status = STATUS_OK;
        for (int j = i; j < i + AT_ONCE && status == STATUS_OK; j++)
            status = add_conversation(bench, j, &last);
        if (status == STATUS_OK) status = db_commit(bench->db, &bench->err);
        if (status != STATUS_OK) db_rollback(bench->db);
        TRY(status);
        show_progress(i + AT_ONCE);
        if (harness_signal()) return STATUS_CANCELLED;
    }
    // As the next start finds it, and with nothing prepared yet.
    db_close(bench->db);
    bench->db = NULL;
    bench->made_s = (harness_now_us() - began_us) / 1e6;
    return db_open(path, &bench->db, &bench->err);
}

// ---- what is timed; each returns how much it found

typedef enum status question(struct store_bench *bench, const char *words, int64_t *found);

static enum status list(struct store_bench *bench, const char *words, int64_t *found) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    TRY(conversation_list(bench->db, &(struct conversation_query){.words = words, .limit = LISTED},
                          &rows, &count, &bench->err));
    free(rows);
    *found = (int64_t)count;
    return STATUS_OK;
}

static enum status pick(struct store_bench *bench, const char *words, int64_t *found) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    TRY(conversation_list(bench->db, &(struct conversation_query){.words = words, .limit = PICKED},
                          &rows, &count, &bench->err));
    free(rows);
    *found = (int64_t)count;
    return STATUS_OK;
}

static enum status list_all(struct store_bench *bench, const char *words, int64_t *found) {
    struct conversation_row *rows = NULL;
    size_t count = 0;
    TRY(conversation_list(bench->db,
                          &(struct conversation_query){.words = words, .limit = CONVERSATIONS},
                          &rows, &count, &bench->err));
    free(rows);
    *found = (int64_t)count;
    return STATUS_OK;
}

// By a prefix of its id, with all its messages and their tokens.
static enum status resume(struct store_bench *bench, const char *words, int64_t *found) {
    char prefix[7] = "";
    struct conversation conversation;
    struct message *path = NULL;
    size_t count = 0;
    (void)words;
    memcpy(prefix, bench->middle.id, sizeof prefix - 1);
    TRY(conversation_find(bench->db, prefix, &conversation, &bench->err));
    TRY(message_path(bench->db, conversation.tip, &path, &count, &bench->err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        int32_t *tokens = NULL;
        size_t tokens_count;
        status = message_tokens(bench->db, path[i].id, bench->model, &tokens, &tokens_count,
                                &bench->err);
        free(tokens);
    }
    message_path_free(path, count);
    *found = (int64_t)count;
    return status;
}

static enum status tree(struct store_bench *bench, const char *words, int64_t *found) {
    struct family_message *messages = NULL;
    size_t count = 0;
    (void)words;
    TRY(family_messages(bench->db, bench->middle.id, FAMILY_MOST, &messages, &count, &bench->err));
    free(messages);
    *found = (int64_t)count;
    return STATUS_OK;
}

static enum status time_row(struct store_bench *bench, const char *name, int32_t limit_ms,
                            question *ask, const char *words) {
    struct samples samples = {0};
    struct row row = {.name = name, .limit_ms = limit_ms};
    ASSERT(bench->count < ROWS_MOST);
    for (int32_t i = 0; i <= RUNS; i++) { // the first does not count
        const double began_us = harness_now_us();
        TRY(ask(bench, words, &row.found));
        if (i > 0) samples_add(&samples, (harness_now_us() - began_us) / 1e3);
        if (harness_signal()) return STATUS_CANCELLED;
    }
    row.ms = samples_figure(&samples);
    bench->rows[bench->count++] = row;
    return STATUS_OK;
}

static enum status measure_store(struct store_bench *bench) {
    struct text frequent = {0}, two = {0};
    enum status status = append_word(&frequent, 1);
    if (status == STATUS_OK) status = append_word(&two, 1);
    if (status == STATUS_OK) status = text_append_string(&two, " ");
    if (status == STATUS_OK) status = append_word(&two, 300);
    if (status == STATUS_OK) status = time_row(bench, "/list", LIST_LIMIT_MS, list, "");
    if (status == STATUS_OK)
        status = time_row(bench, "/resume, its picker", LIST_LIMIT_MS, pick, "");
    if (status == STATUS_OK)
        status = time_row(bench, "its first letter: all", SEARCH_LIMIT_MS, list_all, "");
    if (status == STATUS_OK) status = time_row(bench, "/resume ID", LIST_LIMIT_MS, resume, "");
    if (status == STATUS_OK) status = time_row(bench, "/tree", LIST_LIMIT_MS, tree, "");
    if (status == STATUS_OK)
        status = time_row(bench, "search, a rare word", SEARCH_LIMIT_MS, list, RARE);
    if (status == STATUS_OK)
        status = time_row(bench, "search, a frequent word", SEARCH_LIMIT_MS, list, frequent.bytes);
    if (status == STATUS_OK)
        status = time_row(bench, "search, two words", SEARCH_LIMIT_MS, list, two.bytes);
    if (status == STATUS_OK)
        status = time_row(bench, "search, two letters", SEARCH_LIMIT_MS, list, "ka");
    if (status == STATUS_OK)
        status = time_row(bench, "search, nothing found", SEARCH_LIMIT_MS, list, "xyzzy");
    text_deinit(&frequent);
    text_deinit(&two);
    return status;
}

// ---- rows

static void print(const struct store_bench *bench, uint64_t bytes) {
    char size[SIZE_TEXT_BYTES];
    printf("%d conversations, %" PRId64 " messages, %s, made in %.0f s\n\n", CONVERSATIONS,
           bench->messages, size_format(bytes, size), bench->made_s);
    printf("%-26s %9s %9s %9s %9s %8s\n", "", "median ms", "least", "most", "limit", "found");
    for (int32_t i = 0; i < bench->count; i++) {
        const struct row *row = &bench->rows[i];
        printf("%-26s %9.2f %9.2f %9.2f %9" PRId32 " %8" PRId64 "%s\n", row->name, row->ms.median,
               row->ms.low, row->ms.high, row->limit_ms, row->found,
               row->ms.median > row->limit_ms ? "  over" : "");
    }
}

int main(int argc, char **argv) {
    static struct store_bench bench = {.random = 88172645463325252U};
    harness_catch_signals();
    enum status status =
        bench_folder_open(&bench.folder, argc > 1 ? argv[1] : "", false, &bench.err);
    if (status == STATUS_OK) status = make_database(&bench);
    if (status == STATUS_OK) status = measure_store(&bench);
    const uint64_t bytes = bench_folder_bytes(&bench.folder);
    db_close(bench.db);
    bench_folder_close(&bench.folder);
    if (status == STATUS_OK)
        print(&bench, bytes);
    else
        fprintf(stderr, "%s\n", bench.err.text[0] ? bench.err.text : status_text(status));
    return status == STATUS_OK ? 0 : 1;
}
