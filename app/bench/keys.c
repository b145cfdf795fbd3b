#include "app/bench/keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/base/exit_code.h"
#include "app/base/json.h"
#include "app/bench/disk.h"
#include "app/bench/harness.h"
#include "app/bench/typist.h"
#include "app/screen/complain.h"
#include "kernels/base/assert.h"

enum {
    DEFAULT_RUNS = 5,
    RUNS_MOST = 64, // of --runs
    KEYS_PER_RUN = 40,
    KEYS_MOST = RUNS_MOST * KEYS_PER_RUN,
    LIMIT_MS = 5,
    SHORT_ANSWERS_MOST = 5, // one after the other, beside which no key could be pressed
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
    const struct bench_options *options;
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
    TRY(typist_open(&keys->typist, &keys->options->subject, keys->folder.path, &keys->err));
    enum status status = typist_wait_prompt(&keys->typist, &keys->err);
    if (status == STATUS_OK) status = press_all(keys, QUESTION, &keys->prompt);
    if (status == STATUS_OK) status = answer_beside(keys);
    typist_close(&keys->typist);
    return status;
}

// An answer that ends early leaves keys for one chat more.
static enum status measure(struct keys *keys) {
    for (int32_t in_vain = 0; keys->answer.count < keys->wanted;) {
        const int32_t before = keys->answer.count;
        TRY(chat(keys));
        in_vain = keys->answer.count > before ? 0 : in_vain + 1;
        if (in_vain == SHORT_ANSWERS_MOST)
            return error_set(&keys->err, STATUS_IO,
                             "the model's answers end before a key can be pressed beside them");
    }
    return STATUS_OK;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The least that so many per cent do not exceed; sorted, at least one.
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

static bool add_row(cJSON *results, const struct presses *presses) {
    cJSON *row = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(results, row)) {
        cJSON_Delete(row);
        return false;
    }
    return json_add_text(row, "name", presses->name) &&
           json_add_number(row, "keys", presses->count) &&
           json_add_number(row, "ms", percentile(presses, 50)) &&
           json_add_number(row, "ms_p99", percentile(presses, 99)) &&
           json_add_number(row, "ms_high", percentile(presses, 100)) &&
           json_add_number(row, "limit_ms", LIMIT_MS);
}

static bool print_json(const struct keys *keys) {
    cJSON *root = cJSON_CreateObject(), *results = NULL;
    const bool whole = root && json_add_number(root, "text_bytes_per_s", text_bytes_per_s(keys)) &&
                       (results = cJSON_AddArrayToObject(root, "results")) &&
                       add_row(results, &keys->prompt) && add_row(results, &keys->answer);
    if (whole) return json_put(root, keys->options->one_line);
    cJSON_Delete(root);
    return false;
}

static int run(struct keys *keys) {
    harness_catch_signals();
    enum status status = bench_folder_open(&keys->folder, "", false, &keys->err);
    if (status == STATUS_OK) status = measure(keys);
    bench_folder_close(&keys->folder);
    if (harness_signal()) return 128 + harness_signal();
    if (status == STATUS_UNSUPPORTED) return complain_failed(EXIT_MODEL, status, &keys->err);
    if (status != STATUS_OK) return complain_failed(EXIT_RUN_TIME, status, &keys->err);
    qsort(keys->prompt.ms, (size_t)keys->prompt.count, sizeof keys->prompt.ms[0], compare);
    qsort(keys->answer.ms, (size_t)keys->answer.count, sizeof keys->answer.ms[0], compare);
    if (!keys->options->json) print(keys);
    if (keys->options->json && !print_json(keys))
        return complain_failed(EXIT_RUN_TIME, STATUS_NO_MEMORY, &keys->err);
    return EXIT_DONE;
}

int bench_keys_run(const struct bench_options *options) {
    struct error err = {0};
    const int32_t runs = options->runs ? options->runs : DEFAULT_RUNS;
    if (options->subject.shape) {
        const enum status status =
            error_set(&err, STATUS_BAD_INPUT, "quire bench keys needs a model, not a shape");
        return complain_failed(EXIT_USAGE, status, &err);
    }
    struct keys *keys = calloc(1, sizeof *keys);
    if (!keys) return complain_failed(EXIT_RUN_TIME, STATUS_NO_MEMORY, &err);
    keys->options = options;
    keys->wanted = (runs < RUNS_MOST ? runs : RUNS_MOST) * KEYS_PER_RUN;
    keys->prompt.name = "at the prompt";
    keys->answer.name = "beside an answer";
    const int code = run(keys);
    free(keys);
    return code;
}
