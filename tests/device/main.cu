// tests/device/main.cu — device_tests [--quick | --time] [--every N] [--seed N]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/device/tests.cuh"

void tally_count(struct tally *tally, bool ok, const char *what, double error) {
    ok ? tally->passed++ : tally->failed++;
    if (!ok) printf("failed: %s (error %.2e)\n", what, error);
}

int main(int argc, char **argv) {
    struct tally tally = {0, 0, (uint64_t)time(nullptr), false, 1, 0};
    bool timing = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            tally.quick = true;
        } else if (!strcmp(argv[i], "--time")) {
            timing = true;
        } else if (!strcmp(argv[i], "--every") && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            tally.every = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "--seed") && i + 1 < argc) {
            tally.seed = strtoull(argv[++i], nullptr, 10);
        } else {
            fprintf(stderr, "usage: device_tests [--quick | --time] [--every N] [--seed N]\n");
            return 2;
        }
    }
    struct device device = {};
    CUDA(cudaGetDeviceProperties(&device.properties, 0));
    CUDA(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
    printf("%s, seed %llu\n", device.properties.name, (unsigned long long)tally.seed);
    if (timing) {
        time_linear();
        time_sampling(&device);
        time_attention(&device, &tally);
        return 0;
    }
    test_sampling(&device, &tally);
    test_cache(&device, &tally);
    test_verbs(&tally);
    test_linear(&tally);
    test_flash(&tally);
    test_decode(&tally);
    test_attention(&device, &tally);
    printf("%d passed, %d failed\n", tally.passed, tally.failed);
    return tally.failed > 0 || tally.passed == 0;
}
