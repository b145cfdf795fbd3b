// tests/bench/bench_grammar.c — what does a structure cost for each token?
//
//   bench_grammar VOCABULARY.gguf SCHEMA.json ANSWER.json
//
// Walks along an answer that fits. At each token: 256 candidates are filtered, half of which are
// tokens of the answer; then the mask is made (the first time at a place), found again, and a token
// is picked from a whole row under it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/base/attachment.h"
#include "engine/grammar/grammar.h"
#include "engine/grammar/schema.h"
#include "engine/sampling/sampler.h"
#include "kernels/backend.h"
#include "kernels/base/assert.h"
#include "kernels/base/clock.h"

enum { MOST = 1 << 16, PARTS = 5 };
static const char *const NAMES[PARTS] = {"walk", "filter", "mask, first", "mask, again",
                                         "pick from a row"};

static int compare_doubles(const void *a, const void *b) {
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double lap(int64_t *before_ns) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t ns = now.tv_sec * 1000000000LL + now.tv_nsec;
    const double us = (double)(ns - *before_ns) / 1e3;
    *before_ns = ns;
    return us;
}

static void measure_grammar(struct grammar *grammar, const struct tokenizer *tokenizer,
                            const struct token_ids *answer) {
    static double times[PARTS][MOST];
    const int32_t vocabulary = tokenizer_vocabulary(tokenizer);
    struct sampler_options options = sampler_options_default();
    struct sampler *sampler = sampler_create(vocabulary, &options);
    float *logits = malloc((size_t)vocabulary * sizeof *logits);
    struct grammar_walk walk = {0};
    struct candidate best[CANDIDATES_MAX], kept[CANDIDATES_MAX];
    struct token_ids forced = {0};
    uint32_t seed = 1;
    ASSERT(sampler && logits);
    for (size_t i = 0; i < answer->count; i++) {
        struct grammar_mask mask;
        int64_t now = 0;
        for (int32_t j = 0; j < CANDIDATES_MAX; j++) {
            seed = seed * 1664525u + 1013904223u;
            const uint32_t other =
                (seed >> 8) % (uint32_t)(j % 2 ? vocabulary : (int)answer->count);
            best[j] = (struct candidate){j % 2 ? (int32_t)other : answer->ids[other], 0};
        }
        for (int32_t id = 0; id < vocabulary; id++)
            logits[id] = (float)((seed = seed * 1664525u + 1013904223u) >> 8);
        lap(&now);
        MUST(grammar_walk(grammar, &walk, answer->ids, (int32_t)i));
        times[0][i] = lap(&now);
        grammar_filter(grammar, &walk, best, options.top_k, kept);
        times[1][i] = lap(&now);
        for (int part = 2; part < 4; part++) {
            ASSERT(grammar_allowed(grammar, &walk, &mask) == STATUS_OK);
            times[part][i] = lap(&now);
        }
        sampler_allow(sampler, mask.bits);
        sampler_pick(sampler, logits, answer->ids, i);
        times[4][i] = lap(&now);
        const size_t before = forced.count;
        ASSERT(grammar_forced(grammar, &walk, MOST, &forced) == STATUS_OK);
        i += forced.count - before;
    }
    const size_t count = answer->count - forced.count;
    printf("%zu tokens; %zu need no sampling. us for each of the others:\n\n", answer->count,
           forced.count);
    printf("%-16s %9s %9s %9s %9s\n", "", "mean", "median", "99 %", "most");
    for (int part = 0; part < PARTS; part++) {
        double sum = 0, *sorted = times[part];
        for (size_t i = 0; i < answer->count; i++)
            sum += sorted[i];
        qsort(sorted, answer->count, sizeof *sorted, compare_doubles);
        sorted += forced.count; // of those nothing was measured
        printf("%-16s %9.2f %9.2f %9.2f %9.2f\n", NAMES[part], sum / (double)count,
               sorted[count / 2], sorted[count * 99 / 100], sorted[count - 1]);
    }
    sampler_destroy(sampler);
    free(logits);
    token_ids_deinit(&forced);
}

int main(int count, char **words) {
    struct error err = {0};
    struct gguf *gguf;
    struct tokenizer *tokenizer;
    struct token_trie *trie;
    struct grammar *grammar;
    struct text schema = {0}, answer = {0}, gbnf = {0};
    struct token_ids ids = {0};
    if (count != 4) return fprintf(stderr, "usage: bench_grammar VOCABULARY SCHEMA ANSWER\n"), 2;
    int64_t now = 0;
    if (gguf_open(words[1], &gguf, &err) != STATUS_OK ||
        tokenizer_open(gguf, &tokenizer, &err) != STATUS_OK ||
        file_read(words[2], &schema, &err) != STATUS_OK ||
        file_read(words[3], &answer, &err) != STATUS_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    lap(&now);
    if (token_trie_create(tokenizer, NULL, &trie, &err) != STATUS_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    printf("%d tokens, %u nodes: %.1f ms; ", tokenizer_vocabulary(tokenizer), trie->node_count,
           lap(&now) / 1e3);
    if (schema_to_gbnf(schema.bytes, schema.length, &gbnf, &err) != STATUS_OK ||
        grammar_create(trie, text_string(&gbnf), "root", &grammar, &err) != STATUS_OK)
        return fprintf(stderr, "%s\n", err.text), 1;
    printf("schema: %.1f ms\n", lap(&now) / 1e3);
    while (answer.length > 0 && answer.bytes[answer.length - 1] == '\n')
        answer.length--;
    const struct piece piece = {PIECE_TEXT, answer.bytes, answer.length};
    if (tokenizer_encode(tokenizer, &piece, 1, &ids) != STATUS_OK) return 1;
    struct grammar_walk whole = {0};
    if (ids.count == 0 || ids.count >= MOST ||
        !grammar_walk(grammar, &whole, ids.ids, (int32_t)ids.count))
        return fprintf(stderr, "%s: does not fit the schema, or is longer than %d tokens\n",
                       words[3], MOST),
               2;
    measure_grammar(grammar, tokenizer, &ids);
    grammar_release(grammar);
    token_trie_destroy(trie);
    tokenizer_close(tokenizer);
    gguf_close(gguf);
    token_ids_deinit(&ids);
    text_deinit(&schema);
    text_deinit(&answer);
    text_deinit(&gbnf);
    return 0;
}
