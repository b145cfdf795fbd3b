// tests/device/tests.cuh — what main.cu runs, and how it counts.
#pragma once
#include "tests/device/pages.cuh"

struct tally {
    int passed, failed;
    uint64_t seed;    // printed; --seed repeats a run
    bool quick;       // a reduced matrix, for compute-sanitizer
    int every;        // takes each so many-th case of it, for its slowest tool
    int cases;        // of attention, so far
    const char *type; // the only type of weights, or NULL
};

// Counts; says on stdout what failed.
void tally_count(struct tally *tally, bool ok, const char *what, double error);

// Whether weights of a type are to be tested.
bool tally_takes(const struct tally *tally, enum dtype type);

void test_attention(struct device *device, struct tally *tally);
void test_cache(struct device *device, struct tally *tally);
void test_copies(struct device *device, struct tally *tally);
void test_decode(struct device *device, struct tally *tally);
void test_recurrence(struct device *device, struct tally *tally);
void test_experts(struct device *device, struct tally *tally);
void test_flash(struct device *device, struct tally *tally);
void test_mail(struct device *device, struct tally *tally);
void test_linear(struct device *device, struct tally *tally);
void test_sampling(struct device *device, struct tally *tally);
void test_ops(struct device *device, struct tally *tally);
void test_reopen(struct device *device, struct tally *tally); // the last, as it resets the card

// Tables; they count nothing. Some open a device of their own.
void time_attention(struct device *device, struct tally *tally);
void time_linear(struct device *device, struct tally *tally);
void time_experts(struct device *device, struct tally *tally);
void time_shared(struct device *device, struct tally *tally);
void time_sampling(struct device *device, struct tally *tally);
