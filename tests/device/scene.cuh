// tests/device/scene.cuh — random sequences in a paged cache of rows, and attention over them.
//
// scene_fill() makes random block tables, queries, K and V on the card. All that no query may see
// is NaN: other layers, unused blocks, slots past a sequence's end, keys before its window.
// scene_attend() is what the kernels are held to: the formula of backend.h as plain loops in
// double, on the card because the matrix is large.
#pragma once
#include "kernels/cuda/flash.cuh"
#include "tests/device/pages.cuh"
#include "tests/kernels/trees.h"

struct scene_shape {
    enum dtype type; // of the cache
    int num_heads, num_kv_heads, head_size, block_size;
    std::vector<int32_t> queries, keys; // of each sequence, the queries among the keys
    float softcap;
    int32_t window;
    bool has_sinks;
    const struct tree *tree; // of the sequences, which share what it says; NULL: no common blocks
    bool latent;             // the cache is
};

struct scene {
    struct kv_cache cache;
    struct batch batch;
    struct paged_attention args; // as the op takes it
    std::vector<int32_t> starts; // cu_seqlens_q
    size_t out_bytes;
};

// Lengths for flash_few(): up to four sequences with a token and drafts after it each, or all of a
// short prompt.
void scene_set_few(struct scene_shape *shape, int longest, uint64_t *state);

void scene_fill(struct scene *scene, const struct scene_shape *shape, uint64_t seed);
void scene_release(struct scene *scene);
void scene_poison(const struct scene *scene); // out and the guard behind it
bool scene_guard_holds(const struct scene *scene);
std::vector<double> scene_attend(const struct scene *scene);
std::vector<uint16_t> scene_output(const struct scene *scene); // the bits of fp16

// The largest relative L2 error of a row of the output; NaN and infinity count as 1.
double scene_error(const struct scene *scene, const std::vector<double> &expected);

// Device memory with a copy of `bytes` bytes; the caller's to free.
void *copy_to_card(const void *host, size_t bytes);
