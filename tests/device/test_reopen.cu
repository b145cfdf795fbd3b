// tests/device/test_reopen.cu — after a fault of a kernel the card is reset,
// and the driver has forgotten what it was asked; a device that is opened then
// must ask again.
#include <stdio.h>
#include <stdlib.h>

#include "kernels/cuda/device.cuh"
#include "tests/device/tests.cuh"

static __global__ void fault(volatile int *nowhere) { *nowhere = 1; }

static void break_card(struct tally *tally) {
    struct device *device;
    struct error err;
    const struct device_options options = {0, false};
    if (backend_cuda()->open(&options, &device, &err) != STATUS_OK) {
        fprintf(stderr, "the device could not be opened\n");
        exit(2);
    }
    fault<<<1, 1, 0, device->stream>>>(nullptr);
    tally_count(tally, backend_cuda()->sync(device) != STATUS_OK, "a fault is noticed", 0);
    backend_cuda()->close(device);
}

// The types that take the most shared memory, so that each launcher asks for
// some, and then all other ops. compute-sanitizer, which runs the quick tests,
// would count the fault.
void test_reopen(struct device *, struct tally *tally) {
    struct tally some = *tally;
    if (tally->quick) return;
    some.type = dtype_name(DTYPE_Q4_K);
    test_linear(nullptr, &some);
    test_experts(nullptr, &some);
    break_card(&some);
    test_linear(nullptr, &some);
    test_experts(nullptr, &some);
    test_ops(nullptr, &some);
    tally->passed = some.passed;
    tally->failed = some.failed;
}
