// tests/device/main.cu — device_tests [--as CARD] [--quick | --time] [--only NAME] [--type NAME]
//                                [--every N] [--seed N]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/cuda/card.cuh"
#include "tests/device/tests.cuh"

void tally_count(struct tally *tally, bool ok, const char *what, double error) {
    ok ? tally->passed++ : tally->failed++;
    if (!ok) printf("failed: %s (error %.2e)\n", what, error);
}

bool tally_takes(const struct tally *tally, enum dtype type) {
    return !tally->type || !strcmp(tally->type, dtype_name(type));
}

struct part {
    const char *name;
    void (*test)(struct device *device, struct tally *tally);
    void (*time)(struct device *device, struct tally *tally); // or NULL
};

static const struct part PARTS[] = {
    {"sampling", test_sampling, time_sampling},
    {"cache", test_cache, nullptr},
    {"ops", test_ops, nullptr},
    {"copies", test_copies, nullptr},
    {"mail", test_mail, nullptr},
    {"recurrence", test_recurrence, nullptr},
    {"linear", test_linear, time_linear},
    {"experts", test_experts, time_experts},
    {"flash", test_flash, nullptr},
    {"decode", test_decode, time_shared},
    {"attention", test_attention, time_attention},
    {"reopen", test_reopen, nullptr},
};

static int usage() {
    fprintf(stderr,
            "usage: device_tests [--as CARD] [--quick | --time] [--only NAME] [--type NAME] "
            "[--every N] [--seed N]\nNAME is one of");
    for (const struct part &part : PARTS)
        fprintf(stderr, " %s", part.name);
    fprintf(stderr, "\n");
    return 2;
}

static bool is_part(const char *name) {
    for (const struct part &part : PARTS)
        if (!strcmp(part.name, name)) return true;
    return false;
}

int main(int argc, char **argv) {
    struct tally tally = {0, 0, (uint64_t)time(nullptr), false, 1, 0, nullptr};
    const char *only = nullptr;
    bool timing = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            tally.quick = true;
        } else if (!strcmp(argv[i], "--time")) {
            timing = true;
        } else if (!strcmp(argv[i], "--as") && i + 1 < argc) {
            setenv("QUIRE_CARD", argv[++i], 1); // for every device that a test opens
        } else if (!strcmp(argv[i], "--only") && i + 1 < argc && is_part(argv[i + 1])) {
            only = argv[++i];
        } else if (!strcmp(argv[i], "--type") && i + 1 < argc) {
            tally.type = argv[++i];
        } else if (!strcmp(argv[i], "--every") && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            tally.every = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "--seed") && i + 1 < argc) {
            tally.seed = strtoull(argv[++i], nullptr, 10);
        } else {
            return usage();
        }
    }
    struct device device = {};
    struct error err;
    if (card_open(&device, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    CUDA(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
    printf("%s, seed %llu\n", device.properties.name, (unsigned long long)tally.seed);
    for (const struct part &part : PARTS) {
        if (only && strcmp(part.name, only)) continue;
        const auto run = timing ? part.time : part.test;
        if (run) run(&device, &tally);
    }
    if (timing) return 0;
    printf("%d passed, %d failed\n", tally.passed, tally.failed);
    return tally.failed > 0 || tally.passed == 0;
}
