// tests/bench/bench_quality.c — what does a smaller type of cached keys and values cost in quality?
//
//   bench_quality MODEL [FILE]
//
// Feeds the file's tokens, again and again if there are too few of them, or random ones, to a model
// whose keys and values are f16 and to one for each other type, and compares what they expect to
// come next after each token: the Kullback-Leibler divergence KL(f16 || type) in nats, its mean and
// its 99th percentile, and how often both find the same token likeliest. Rows are for the last 512
// tokens of each length, because whatever is lost must be worst there. The row of f32 is what f16
// itself costs, with whatever rounding of activations to 8 bits makes of it. On the cpu; also past
// the context that the model was made for.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tokenizer/tokenizer.h"
#include "tests/harness/harness.h"

enum { CHUNK = HARNESS_MAX_TOKENS, BLOCK = 16 };

static const int32_t LENGTHS[] = {512, 1024, 2048, 4096, 8192};
enum { MOST = 8192 };

// The first is what the others are compared with.
static const enum dtype TYPES[] = {DTYPE_F16, DTYPE_F32, DTYPE_BF16, DTYPE_FP8, DTYPE_INT8};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

struct run { // of one model over the text
    struct harness harness;
    struct block_table table;
};

struct sums { // over the rows of a chunk
    double divergence[CHUNK];
    int32_t agreed;
};

static void must(enum status status, const struct error *err) {
    if (status == STATUS_OK) return;
    fprintf(stderr, "%s\n", err && err->text[0] ? err->text : status_text(status));
    exit(1);
}

static void run_open(struct run *run, const char *path, enum dtype type) {
    harness_open(&run->harness, &(struct harness_options){.path = path,
                                                          .backend = backend_cpu(),
                                                          .kv_type = type,
                                                          .block_size = BLOCK,
                                                          .blocks = MOST / BLOCK + 1});
    must(block_table_init(&run->table, MOST, BLOCK), NULL);
}

static void run_close(struct run *run) {
    block_table_deinit(&run->table, run->harness.pool);
    harness_close(&run->harness);
}

static double log_of_sum(const float *logits, int32_t count) {
    double highest = -INFINITY, sum = 0;
    for (int32_t i = 0; i < count; i++)
        highest = fmax(highest, (double)logits[i]);
    for (int32_t i = 0; i < count; i++)
        sum += exp((double)logits[i] - highest);
    return highest + log(sum);
}

// KL(p || q) of the distributions that two rows of logits stand for.
static double divergence(const float *p, const float *q, int32_t count) {
    const double p_sum = log_of_sum(p, count), q_sum = log_of_sum(q, count);
    double sum = 0;
    for (int32_t i = 0; i < count; i++) {
        const double log_p = (double)p[i] - p_sum, log_q = (double)q[i] - q_sum;
        sum += exp(log_p) * (log_p - log_q);
    }
    return fmax(sum, 0);
}

static int ascending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void print_row(enum dtype type, int32_t length, struct sums *sums) {
    double mean = 0;
    for (int32_t i = 0; i < CHUNK; i++)
        mean += sums->divergence[i] / CHUNK;
    qsort(sums->divergence, CHUNK, sizeof sums->divergence[0], ascending);
    printf("%-5s %6d   %.2e   %.2e   %6.2f %%\n", dtype_name(type), (int)length, mean,
           sums->divergence[CHUNK * 99 / 100], 100.0 * sums->agreed / CHUNK);
}

static void compare_logits(const struct run *run, const float *p, const float *q,
                           struct sums *sums) {
    const int32_t vocabulary = run->harness.model.config.vocabulary;
    const size_t width = (size_t)vocabulary;
    *sums = (struct sums){0};
    for (size_t i = 0; i < CHUNK; i++) {
        const float *a = p + i * width, *b = q + i * width;
        sums->divergence[i] = divergence(a, b, vocabulary);
        sums->agreed += harness_argmax(a, vocabulary) == harness_argmax(b, vocabulary);
    }
}

// The tokens from `first` on; a row for each type where a length ends.
static void feed(struct run runs[TYPE_COUNT], const int32_t *ids, int32_t first, int32_t length) {
    static struct sums sums;
    const float *base = NULL;
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        struct run *run = &runs[i];
        const float *logits =
            harness_run(&run->harness, &run->table, ids + first, first, CHUNK, CHUNK);
        if (i == 0) base = logits;
        if (i == 0 || first + CHUNK != length) continue;
        compare_logits(run, base, logits, &sums);
        print_row(TYPES[i], length, &sums);
    }
}

static void read_text(const char *path, struct text *text) {
    char bytes[4096];
    size_t count;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        must(text_append(text, bytes, count), NULL);
    fclose(file);
}

static void read_ids(const struct harness *harness, const char *path, int32_t *ids) {
    struct tokenizer *tokenizer;
    struct token_ids read = {0};
    struct error err = {0};
    struct text text = {0};
    read_text(path, &text);
    must(tokenizer_open(harness->gguf, &tokenizer, &err), &err);
    const struct piece piece = {PIECE_TEXT, text.bytes, text.length};
    must(tokenizer_encode(tokenizer, &piece, 1, &read), NULL);
    for (size_t i = 0; i < MOST && read.count > 0; i++)
        ids[i] = read.ids[i % read.count];
    printf("%s: %zu tokens\n", path, read.count);
    token_ids_deinit(&read);
    tokenizer_close(tokenizer);
    text_deinit(&text);
}

// splitmix64 (Steele, Lea, Flood 2014)
static void draw_ids(int32_t vocabulary, int32_t *ids) {
    uint64_t state = 1;
    for (int32_t i = 0; i < MOST; i++) {
        uint64_t z = state += 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        ids[i] = (int32_t)((z ^ z >> 31) % (uint64_t)vocabulary);
    }
}

int main(int count, char **words) {
    static int32_t ids[MOST];
    static struct run runs[TYPE_COUNT];
    if (count < 2 || count > 3) {
        fprintf(stderr, "usage: bench_quality MODEL [FILE]\n");
        return 2;
    }
    for (size_t i = 0; i < TYPE_COUNT; i++)
        run_open(&runs[i], words[1], TYPES[i]);
    if (count == 3)
        read_ids(&runs[0].harness, words[2], ids);
    else
        draw_ids(runs[0].harness.model.config.vocabulary, ids);
    printf("%-5s %6s   %-8s   %-8s   %s\n", "type", "tokens", "KL mean", "KL 99 %",
           "greedy agrees");
    for (int32_t first = 0, nth = 0; first < MOST; first += CHUNK) {
        feed(runs, ids, first, LENGTHS[nth]);
        nth += first + CHUNK == LENGTHS[nth];
    }
    for (size_t i = 0; i < TYPE_COUNT; i++)
        run_close(&runs[i]);
    return 0;
}
