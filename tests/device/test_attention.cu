// tests/device/test_attention.cu — PagedAttention v1 and v2 against attention gathered in double.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/device/instances.cuh"
#include "tests/device/tests.cuh"

#include <algorithm>

enum { POISON = 0xff }; // NaN in every type here

static struct instances *known;

void instances_add(struct instances *instances) {
    instances->next = known;
    known = instances;
}

packed_kernel instances_find(const struct packed_shape *shape) {
    for (struct instances *i = known; i; i = i->next)
        if (i->shape.type == shape->type && i->shape.format == shape->format &&
            i->shape.block_size == shape->block_size &&
            i->shape.heads_per_block == shape->heads_per_block)
            return i->of_size(shape->head_size);
    return nullptr;
}

// A few roundings of the output: its last bit is 2^-11, 2^-8 or 2^-24 of it.
static double tolerance(enum dtype type) {
    return type == DTYPE_F16 ? 1e-3 : type == DTYPE_BF16 ? 5e-3 : 2e-5;
}

static const char *type_name(enum dtype type) {
    return type == DTYPE_F16 ? "fp16" : type == DTYPE_BF16 ? "bf16" : "fp32";
}

static void describe(char *text, size_t bytes, const struct packed_attention *args,
                     const char *op) {
    snprintf(text, bytes, "%s %s%s, %d/%d heads of %d, blocks of %d, %d sequences up to %d%s", op,
             type_name(args->type), args->format == CACHE_SAME ? "" : " with fp8 pages",
             args->num_heads, args->num_kv_heads, args->head_size, args->block_size, args->num_seqs,
             args->max_seq_len, args->alibi_slopes ? ", ALiBi" : "");
}

static void run_verb(struct device *device, struct pages *pages, bool v1, int heads) {
    pages_poison(pages);
    CUDA(cudaDeviceSynchronize()); // the device's stream does not wait for the one that poisons
    if (v1)
        paged_attention_v1_with(device, &pages->args, instances_find, heads);
    else
        paged_attention_v2_with(device, &pages->args, instances_find, heads);
    CUDA(device->failure);
    CUDA(cudaStreamSynchronize(device->stream));
}

static std::vector<char> output(const struct pages *pages) {
    std::vector<char> out(pages->out_bytes);
    CUDA(cudaMemcpy(out.data(), pages->args.out, out.size(), cudaMemcpyDeviceToHost));
    return out;
}

// Thread blocks that serve several query heads must give the bits of those that serve one.
static void compare_shared_heads(struct device *device, struct pages *pages, struct tally *tally,
                                 bool v1) {
    const struct packed_attention *args = &pages->args;
    char what[256], op[64];
    run_verb(device, pages, v1, 1);
    const std::vector<char> alone = output(pages);
    for (int heads = 2; heads <= 4; heads *= 2) {
        const struct packed_shape shape = {args->type, args->format, args->head_size,
                                           args->block_size, heads};
        if (args->num_heads / args->num_kv_heads % heads || !instances_find(&shape)) continue;
        run_verb(device, pages, v1, heads);
        snprintf(op, sizeof op, "%s, %d heads a thread block, to the bit:", v1 ? "v1" : "v2",
                 heads);
        describe(what, sizeof what, args, op);
        tally_count(tally, output(pages) == alone, what, 0);
    }
}

// The first rows of sequences that have 1, 3, 1 and 0 queries in turn, and then of nothing more.
static std::vector<int32_t> mixed_rows(int num_seqs) {
    static const int QUERIES[] = {1, 3, 1, 0};
    std::vector<int32_t> first = {0};
    for (int s = 0; s < num_seqs; s++)
        first.push_back(first.back() + QUERIES[s % 4]);
    return first;
}

// In a mixed batch, sequences with one query get the bits that they get alone; the rows of others
// are neither read nor written.
static void compare_mixed(struct device *device, struct pages *pages, struct tally *tally,
                          bool v1) {
    const struct packed_attention before = pages->args;
    struct packed_attention *args = &pages->args;
    const std::vector<int32_t> first = mixed_rows(args->num_seqs);
    const size_t row = pages->out_bytes / (size_t)args->num_seqs;
    const size_t bytes = (size_t)first.back() * row;
    run_verb(device, pages, v1, 0);
    const std::vector<char> alone = output(pages);
    std::vector<char> expected(bytes, (char)POISON), got(bytes);
    char *q, *out, what[256];
    int32_t *cu_seqlens_q;
    CUDA(cudaMalloc(&q, bytes));
    CUDA(cudaMalloc(&out, bytes));
    CUDA(cudaMalloc(&cu_seqlens_q, first.size() * sizeof first[0]));
    CUDA(cudaMemset(q, POISON, bytes));
    CUDA(cudaMemset(out, POISON, bytes));
    CUDA(cudaMemcpy(cu_seqlens_q, first.data(), first.size() * sizeof first[0],
                    cudaMemcpyHostToDevice));
    for (int s = 0; s < args->num_seqs; s++) {
        if (first[s + 1] - first[s] != 1) continue;
        const char *from = (const char *)args->q + (size_t)s * row;
        CUDA(cudaMemcpy(q + (size_t)first[s] * row, from, row, cudaMemcpyDeviceToDevice));
        memcpy(&expected[(size_t)first[s] * row], &alone[(size_t)s * row], row);
    }
    args->q = q;
    args->out = out;
    args->cu_seqlens_q = cu_seqlens_q;
    CUDA(cudaDeviceSynchronize()); // the device's stream does not wait for the one that copies
    (v1 ? paged_attention_v1_with : paged_attention_v2_with)(device, args, instances_find, 0);
    CUDA(device->failure);
    CUDA(cudaStreamSynchronize(device->stream));
    CUDA(cudaMemcpy(got.data(), out, bytes, cudaMemcpyDeviceToHost));
    describe(what, sizeof what, args, v1 ? "v1 in a mixed batch," : "v2 in a mixed batch,");
    tally_count(tally, got == expected, what, 0);
    *args = before;
    void *memory[] = {q, out, cu_seqlens_q};
    for (void *each : memory)
        CUDA(cudaFree(each));
}

static void test_case(struct device *device, struct pages *pages, struct tally *tally,
                      const struct page_limits *limits) {
    char what[256];
    std::vector<double> expected;
    pages_fill(pages, limits);
    pages_attend(pages, &expected);
    for (int v = 1; v <= 2; v++) {
        run_verb(device, pages, v == 1, 0);
        const double error = pages_error(pages, expected);
        describe(what, sizeof what, &pages->args, v == 1 ? "v1" : "v2");
        tally_count(tally, error <= tolerance(pages->args.type) && pages_guards_hold(pages), what,
                    error);
        compare_shared_heads(device, pages, tally, v == 1);
        if (pages->args.block_size == 16 && pages->args.format == CACHE_SAME)
            compare_mixed(device, pages, tally, v == 1);
    }
    pages_release(pages);
}

// The reference itself, against the same loops on the processor.
static void test_reference(struct pages *pages, struct tally *tally, uint64_t *state) {
    std::vector<double> expected;
    const struct page_limits limits = {2, 70, false, random_next(state)};
    char what[256];
    pages_fill(pages, &limits);
    pages_attend(pages, &expected);
    const struct packed_attention *args = &pages->args;
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        const int seq = (int)(random_next(state) % (uint64_t)args->num_seqs);
        const int head = (int)(random_next(state) % (uint64_t)args->num_heads);
        const int d = (int)(random_next(state) % (uint64_t)args->head_size);
        const double value = pages_attend_on_host(pages, seq, head, d);
        const size_t at = ((size_t)seq * args->num_heads + head) * args->head_size + d;
        worst = std::max(worst, fabs(value - expected[at]));
    }
    describe(what, sizeof what, args, "the reference");
    tally_count(tally, worst < 1e-9, what, worst);
    pages_release(pages);
}

static void set_shape(struct packed_attention *args, int head_size, int block_size, bool alibi) {
    static const float random_slopes = 0; // asks pages_fill() for some
    args->head_size = head_size;
    args->block_size = block_size;
    args->scale = 1 / sqrtf((float)head_size);
    args->alibi_slopes = alibi ? &random_slopes : nullptr;
}

static void test_type(struct device *device, struct pages *pages, struct tally *tally,
                      uint64_t *state) {
    static const int SIZES[] = {32, 64, 80, 96, 112, 120, 128, 192, 256}, BLOCKS[] = {8, 16, 32};
    struct packed_attention *args = &pages->args;
    for (int size : SIZES)
        for (int block : BLOCKS)
            for (int alibi = 0; alibi < 2; alibi++) {
                // fp8 pages take 16 elements a vec, and 120 is no multiple of them.
                if (args->format == CACHE_FP8_E4M3 && size % 16) continue;
                if (tally->quick && (size % 80 == 32 || size == 64 || size == 96)) continue;
                if (tally->cases++ % tally->every) continue;
                set_shape(args, size, block, alibi);
                const struct page_limits limits = {2, tally->quick ? 1100 : 4096, false,
                                                   random_next(state)};
                test_case(device, pages, tally, &limits);
            }
    set_shape(args, 64, 16, true);
    test_reference(pages, tally, state);
}

void test_attention(struct device *device, struct tally *tally) {
    static const int HEADS[][2] = {{40, 40}, {64, 8}}, QUICK_HEADS[][2] = {{3, 3}, {8, 2}};
    static const enum dtype TYPES[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};
    struct pages pages = {};
    struct packed_attention *args = &pages.args;
    uint64_t state = tally->seed;
    args->num_seqs = tally->quick ? 3 : 7;
    for (int h = 0; h < 2; h++)
        for (enum dtype type : TYPES)
            for (int format = 0; format < 2; format++) {
                args->num_heads = tally->quick ? QUICK_HEADS[h][0] : HEADS[h][0];
                args->num_kv_heads = tally->quick ? QUICK_HEADS[h][1] : HEADS[h][1];
                args->type = type;
                args->format = (enum cache_format)format;
                args->k_scale = format ? 0.0061f : 1;
                args->v_scale = format ? 0.0043f : 1;
                test_type(device, &pages, tally, &state);
            }
    CUDA(cudaFree(pages.memory));
    CUDA(cudaFree(pages.scratch));
}
