// tests/bench/bench_keys.c — how soon is a key on the screen?
//
//   bench_keys QUIRE MODEL [RUNS]
//
// Opens a chat in a pseudo-terminal (typist.h), types a question with pauses of 5 to 45 ms, sends
// it, and keeps typing while the answer streams as fast as it comes. Of each key it takes the
// time from its write to the read that brought its echo: apart for keys at the prompt and keys
// during the answer. A run is one chat with 40 keys of both kinds; the limit during an answer is 5
// ms for 99 of 100. What the environment says with QUIRE_*, such as threads, holds for the chat.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/bench/folder.h"
#include "app/bench/harness.h"
#include "kernels/base/assert.h"
#include "tests/bench/typist.h"

enum {
    DEFAULT_RUNS = 5,
    RUNS_MOST = 64,
    KEYS_PER_RUN = 40,
    KEYS_MOST = RUNS_MOST * KEYS_PER_RUN,
    LIMIT_MS = 5,
    // Messages one after the other, during whose answers no key could be pressed: every other one
    // of a small model is as short.
    SHORT_ANSWERS_MOST = 30,
    PAUSE_LEAST_MS = 5,
    PAUSE_STEPS = 41, // of a millisecond each
};

// Two neighbours never alike, so that no echo is taken for the next one's.
static const char QUESTION[] = "Tel me a long story of a quire of paper.";
static const char DRAFT[] = "and the next one, about ink, while I am ";
_Static_assert(sizeof QUESTION - 1 == KEYS_PER_RUN, "each run presses all of it");
_Static_assert(sizeof DRAFT - 1 == KEYS_PER_RUN, "each run presses all of it");

struct presses {
    const char *name;
    double ms[KEYS_MOST];
    int32_t count;
};

struct keys {
    const char *quire, *model;
    struct bench_folder folder;
    struct typist typist;
    int32_t wanted;   // of each kind
    uint32_t pressed; // keys so far, which the pauses go by
    struct presses prompt, answer;
    double text_bytes, text_ms; // of the answers, while keys were pressed
    struct error err;
};

static enum status press(struct keys *keys, char key, struct presses *presses, bool *ended) {
    double ms;
    const uint32_t step = keys->pressed++ * 17 % PAUSE_STEPS; // each of them once, out of order
    TRY(typist_rest(&keys->typist, PAUSE_LEAST_MS + step, &keys->err));
    TRY(typist_press(&keys->typist, key, &ms, ended, &keys->err));
    if (!*ended && presses->count < keys->wanted) presses->ms[presses->count++] = ms;
    return STATUS_OK;
}

static enum status press_all(struct keys *keys, const char *text, struct presses *presses) {
    bool ended = false;
    for (; *text && !ended; text++)
        TRY(press(keys, *text, presses, &ended));
    return STATUS_OK;
}

static enum status answer_beside(struct keys *keys) {
    bool over;
    TRY(typist_send(&keys->typist, &over, &keys->err));
    if (over) return STATUS_OK;
    const double from_us = harness_now_us();
    const uint64_t before = keys->typist.text_bytes;
    TRY(press_all(keys, DRAFT, &keys->answer));
    keys->text_ms += (harness_now_us() - from_us) / 1e3;
    keys->text_bytes += (double)(keys->typist.text_bytes - before);
    return STATUS_OK;
}

static enum status chat(struct keys *keys) {
    TRY(typist_open(&keys->typist, keys->quire, keys->model, keys->folder.path, &keys->err));
    enum status status = typist_wait_prompt(&keys->typist, &keys->err);
    if (status == STATUS_OK) status = press_all(keys, QUESTION, &keys->prompt);
    if (status == STATUS_OK) status = answer_beside(keys);
    typist_close(&keys->typist);
    return status;
}

// An answer that ends early leaves keys for one chat more.
static enum status measure_keys(struct keys *keys) {
    for (int32_t in_vain = 0; keys->answer.count < keys->wanted;) {
        const int32_t before = keys->answer.count;
        TRY(chat(keys));
        in_vain = keys->answer.count > before ? 0 : in_vain + 1;
        if (in_vain == SHORT_ANSWERS_MOST)
            return error_set(&keys->err, STATUS_IO,
                             "the model's answers end before a key can be pressed");
    }
    return STATUS_OK;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The least that this many per cent do not exceed; sorted, at least one.
static double percentile(const struct presses *presses, int32_t percent) {
    ASSERT(presses->count > 0);
    return presses->ms[(presses->count * percent + 99) / 100 - 1];
}

static double text_bytes_per_s(const struct keys *keys) {
    return keys->text_ms > 0 ? keys->text_bytes / keys->text_ms * 1e3 : 0;
}

static void print_row(const struct presses *presses) {
    const double p99 = percentile(presses, 99);
    printf("%-18s %6" PRId32 " %10.2f %10.2f %10.2f %8d%s\n", presses->name, presses->count,
           percentile(presses, 50), p99, percentile(presses, 100), LIMIT_MS,
           p99 > LIMIT_MS ? "  over" : "");
}

static void print(const struct keys *keys) {
    printf("from a key to its echo in a terminal, ms; the answers streamed at %.1f KB/s\n\n",
           text_bytes_per_s(keys) / 1e3);
    printf("%-18s %6s %10s %10s %10s %8s\n", "", "keys", "median", "99 %", "most", "limit");
    print_row(&keys->prompt);
    print_row(&keys->answer);
}

int main(int argc, char **argv) {
    static struct keys keys = {.prompt.name = "at the prompt", .answer.name = "during an answer"};
    const int runs = argc > 3 ? atoi(argv[3]) : DEFAULT_RUNS;
    if (argc < 3 || runs < 1 || runs > RUNS_MOST) {
        fprintf(stderr, "usage: %s QUIRE MODEL [RUNS]\n", argv[0]);
        return 2;
    }
    keys.quire = argv[1];
    keys.model = argv[2];
    keys.wanted = runs * KEYS_PER_RUN;
    harness_catch_signals();
    enum status status = bench_folder_open(&keys.folder, "", false, &keys.err);
    if (status == STATUS_OK) status = measure_keys(&keys);
    bench_folder_close(&keys.folder);
    if (status != STATUS_OK) {
        fprintf(stderr, "%s\n", keys.err.text[0] ? keys.err.text : status_text(status));
        return 1;
    }
    qsort(keys.prompt.ms, (size_t)keys.prompt.count, sizeof keys.prompt.ms[0], compare_doubles);
    qsort(keys.answer.ms, (size_t)keys.answer.count, sizeof keys.answer.ms[0], compare_doubles);
    print(&keys);
    return 0;
}
