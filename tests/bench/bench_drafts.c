// tests/bench/bench_drafts.c — tokens for each step, where it is known what the answer will be.
//
//   bench_drafts MODEL.gguf NEW [OLD…]
//
// NEW is fed as an answer, token by token, to what drafts would come from: each OLD once as a file
// attached to the message (prompt lookup), and once as an earlier answer (history). Without OLD the
// answer has nothing but itself. A step is assumed to take 1 + 0.05 for each draft token, as on a
// card, and then 1 + 0.3, as on two cores. Only the tokenizer of MODEL is read.
//
// Prints tokens for each step, the share of drafts that were right, the ratio of the steps' time to
// that without drafts, and what the proposals took on this processor for each token.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/draft/draft.h"
#include "engine/model/gguf.h"
#include "engine/tokenizer/tokenizer.h"
#include "kernels/base/clock.h"
#include "kernels/base/text.h"

enum { BASE_US = 1000, NOTES = 64 };

struct run {
    int64_t steps, drafted, accepted, us, propose_us;
};

static bool read_ids(const struct tokenizer *tokenizer, const char *path, struct token_ids *ids) {
    struct text text = {0};
    char bytes[4096];
    size_t count;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        if (text_append(&text, bytes, count) != STATUS_OK) return false;
    fclose(file);
    const struct piece piece = {PIECE_TEXT, text_string(&text), text.length};
    const bool whole = tokenizer_encode(tokenizer, &piece, 1, ids) == STATUS_OK;
    text_deinit(&text);
    return whole;
}

// The log has its first `begin` tokens before the answer.
static struct run feed(const struct token_ids *log, int32_t begin, struct history *history,
                       int32_t row_us) {
    static struct draft_record record;
    const int32_t end = (int32_t)log->count;
    int32_t tokens[DRAFT_MAX];
    struct run run = {0};
    record = draft_record_new();
    struct draft draft = {.record = &record, .history = history, .most = DRAFT_MAX};
    if (draft_init(&draft, end) != STATUS_OK) exit(1);
    for (int32_t at = begin; at < end;) {
        const struct draft_log so_far = {log->ids, at};
        struct draft_step step = {.rows = 1, .tokens = 1, .limit = end - at - 1};
        const int64_t before = clock_now_us();
        const int32_t drafted = draft_propose(&draft, &so_far, &step, tokens);
        run.propose_us += clock_now_us() - before;
        int32_t accepted = 0;
        while (accepted < drafted && tokens[accepted] == log->ids[at + accepted])
            accepted++;
        draft_note(&draft, log->ids + at, accepted + 1);
        const int32_t us = BASE_US + drafted * row_us;
        row_cost_note(&record.cost, 1 + drafted, us);
        run.steps++;
        run.us += us;
        run.drafted += drafted;
        run.accepted += accepted;
        at += accepted + 1;
    }
    draft_deinit(&draft);
    return run;
}

static void show(const char *what, const struct run *run, int64_t count, double row) {
    printf("%-28s %5.2f %8.2f %7.0f %% %8.3f %10.1f\n", what, row,
           (double)count / (double)run->steps,
           run->drafted ? 100.0 * (double)run->accepted / (double)run->drafted : 0,
           (double)run->us / (double)(count * BASE_US), (double)run->propose_us / (double)count);
}

int main(int argc, char **argv) {
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    struct error err = {0};
    if (argc < 3) {
        fprintf(stderr, "usage: bench_drafts MODEL.gguf NEW [OLD…]\n");
        return 2;
    }
    if (gguf_open(argv[1], &gguf, &err) != STATUS_OK ||
        tokenizer_open(gguf, &tokenizer, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 3;
    }
    struct token_ids old = {0}, answer = {0}, both = {0};
    struct history history;
    bool whole = read_ids(tokenizer, argv[2], &answer) && history_init(&history) == STATUS_OK;
    for (int i = 3; i < argc && whole; i++)
        whole = read_ids(tokenizer, argv[i], &old);
    for (size_t i = 0; i < old.count && whole; i++)
        whole = token_ids_push(&both, old.ids[i]) == STATUS_OK;
    for (size_t i = 0; i < answer.count && whole; i++)
        whole = token_ids_push(&both, answer.ids[i]) == STATUS_OK;
    if (!whole || answer.count == 0) {
        fprintf(stderr, "cannot read the texts\n");
        return 1;
    }
    history_add(&history, old.ids, (int32_t)old.count);
    printf("%-28s %5s %8s %9s %8s %10s\n", "", "a row", "tok/step", "right", "time", "us/token");
    for (int i = 0; i < 2; i++) {
        const int32_t row_us = i ? 300 : 50;
        const struct run attached = feed(&both, (int32_t)old.count, NULL, row_us);
        show(old.count ? "attached" : "nothing before", &attached, (int64_t)answer.count,
             row_us / 1e3);
        if (old.count == 0) continue;
        const struct run again = feed(&answer, 0, &history, row_us);
        show("an earlier answer", &again, (int64_t)answer.count, row_us / 1e3);
    }
    token_ids_deinit(&old);
    token_ids_deinit(&answer);
    token_ids_deinit(&both);
    history_deinit(&history);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    return 0;
}
