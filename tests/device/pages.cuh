// tests/device/pages.cuh — random contexts in a packed cache, and what attention over them is.
//
// pages_fill() makes random block tables, queries, K and V on the card. All that no sequence owns
// is NaN: other layers, unused blocks, slots past a sequence's end. pages_attend() is the gather
// reference: softmax(q K^T scale + ALiBi) V as plain loops in double, on the card because the
// matrix is large; pages_attend_on_host() is the same again on the processor, to check it with.
#pragma once
#include "kernels/cuda/paged_attention.cuh"

#include <vector>

struct page_limits { // what a case looks like, besides packed_attention's shape
    int layers;      // that a block holds; the middle one is used
    int longest;     // one sequence is this long, one has one token, others are in between
    bool all_longest;
    uint64_t seed;
};

struct pages {
    struct packed_attention args; // as the ops take it
    void *memory, *scratch;       // of blocks; of v2
    size_t memory_bytes, scratch_bytes, out_bytes;
    std::vector<int32_t> lens, table;
    uint32_t num_blocks;
};

enum { GUARD_BYTES = 256 }; // after out and scratch, poisoned alike

// Failures of CUDA end the program: nothing after one can be believed.
#define CUDA(call) cuda_check(call, #call, __LINE__)
void cuda_check(cudaError_t result, const char *call, int line);

uint64_t random_next(uint64_t *state);

// `args` has shape, types and scales, and alibi_slopes is anything but NULL for random ones. Blocks
// and scratch grow over calls and are kept; pages_release() frees the rest.
void pages_fill(struct pages *pages, const struct page_limits *limits);
void pages_poison(struct pages *pages); // out, scratch and their guards
bool pages_guards_hold(const struct pages *pages);
void pages_attend(struct pages *pages, std::vector<double> *out);
double pages_attend_on_host(const struct pages *pages, int seq, int head, int element);
void pages_release(struct pages *pages);

// The largest relative L2 error of a row of args.out; NaN and infinity count as 1.
double pages_error(const struct pages *pages, const std::vector<double> &expected);
