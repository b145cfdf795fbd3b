// tests/kernels/subjects.h — every backend, on every instruction set that this machine has.
#ifndef TESTS_SUBJECTS_H
#define TESTS_SUBJECTS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/backend.h"
#include "kernels/cpu/isa.h"
#include "tests/check.h"

struct subject {
    const struct backend *backend;
    const char *isa; // of the cpu backend, or NULL
    bool splits;     // its matrix unit may give many tokens other bits than few
    struct device *device;
};

enum {
    SUBJECT_REFERENCE,
    SUBJECT_GENERIC,
    SUBJECT_AVX2,
    SUBJECT_AVXVNNI,
    SUBJECT_AVX512,
    SUBJECT_AMX,
    SUBJECT_SPLITS, // AMX, too
    SUBJECTS
};
enum { CANARIES = 64, CANARY = 0x5A };

// How threads divide the work shows on the loops that this machine would choose, the ones that
// kernels/CMakeLists.txt compiles for ThreadSanitizer: they take the place of the narrowest. What
// computes on one thread shows nothing, and is there to compare with.
static inline bool subject_shows_threads(int which, int32_t threads) {
    return which == SUBJECT_REFERENCE ? threads == 1
                                      : which == SUBJECT_GENERIC || which == SUBJECT_SPLITS;
}

// False, and a word printed, where this machine lacks the instruction set. Under ThreadSanitizer
// also where there is nothing for it to find.
static bool subject_open(struct subject *subject, int which, int32_t threads) {
    static const char *const isas[SUBJECTS] = {NULL,     "generic", "avx2", "avxvnni",
                                               "avx512", "amx",     "amx"};
    struct error err;
    if (CHECK_THREADS && !subject_shows_threads(which, threads)) return false;
    subject->splits = which == SUBJECT_SPLITS;
    const struct device_options options = {.threads = threads, .deterministic = !subject->splits};
    subject->isa =
        CHECK_THREADS && which == SUBJECT_GENERIC ? isa_choose()->isa->name : isas[which];
    subject->backend = subject->isa ? backend_cpu() : backend_reference();
    if (subject->isa && !isa_force(subject->isa)) {
        printf("skip: this machine has no %s\n", subject->isa);
        return false;
    }
    assert_int_equal(subject->backend->open(&options, &subject->device, &err), STATUS_OK);
    assert_true(isa_force(NULL));
    const struct workspace workspace = {.max_tokens = 300,
                                        .max_features = 8192,
                                        .max_seqs = 8,
                                        .max_context = 512,
                                        .num_heads = 48,
                                        .head_size = 576,
                                        .experts = 64,
                                        .experts_used = 8,
                                        .expert_rows = 512};
    assert_int_equal(subject->backend->reserve(subject->device, &workspace), STATUS_OK);
    return true;
}

static void subject_close(struct subject *subject) { subject->backend->close(subject->device); }

static inline const char *subject_name(const struct subject *subject) {
    return subject->isa ? subject->isa : subject->backend->name;
}

// Memory between two rows of canaries, poisoned: every byte 0xFF, which is not a number in any
// plain type.
static inline void *guarded_alloc(size_t bytes) {
    char *memory = malloc(bytes + 2 * CANARIES);
    assert_non_null(memory);
    memset(memory, CANARY, bytes + 2 * CANARIES);
    memset(memory + CANARIES, 0xFF, bytes);
    return memory + CANARIES;
}

static inline void guarded_free(void *memory, size_t bytes) {
    const char *data = memory;
    for (int i = 0; i < CANARIES; i++) {
        assert_int_equal(data[-1 - i], CANARY);
        assert_int_equal(data[bytes + (size_t)i], CANARY);
    }
    free((char *)memory - CANARIES);
}

static inline float *floats_alloc(size_t count) { return guarded_alloc(count * sizeof(float)); }
static inline void floats_free(float *data, size_t count) {
    guarded_free(data, count * sizeof(float));
}

// A uniform variable of -1 to 1; `state` is seeded by the caller.
static inline float random_float(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (float)((int32_t)(*state >> 33) - (1 << 30)) * 0x1p-30f;
}

static inline int32_t random_below(uint64_t *state, int32_t limit) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((*state >> 33) % (uint64_t)limit);
}

// Any elements of FP8 or INT8, not only those that heads come to, and a scale by which they are
// about as large as 1.
static inline bf16 random_elements(enum dtype type, uint8_t *elements, int32_t count,
                                   uint64_t *state) {
    for (int32_t i = 0; i < count; i++) {
        elements[i] = (uint8_t)random_below(state, 256);
        if (type == DTYPE_FP8) elements[i] &= 0xFE; // no NaN
    }
    const float largest = 1 + random_float(state);
    return float_to_bf16(largest / (type == DTYPE_FP8 ? 448 : 128));
}

static inline float *random_floats(uint64_t *state, size_t count) {
    float *data = floats_alloc(count);
    for (size_t i = 0; i < count; i++)
        data[i] = random_float(state);
    return data;
}

#endif
