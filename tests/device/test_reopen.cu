// tests/device/test_reopen.cu — after a kernel's fault the card is reset, and the driver has
// forgotten what it was asked; a device that is opened then must ask again.
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

// Some drivers keep the card from a process whose kernel failed, whatever it does.
static bool card_is_back() {
    const bool back = cudaFree(nullptr) == cudaSuccess;
    cudaGetLastError(); // clears it for the next call
    if (!back) printf("reopen: the driver does not give the card back after a fault\n");
    return back;
}

static void test_all(struct tally *tally) {
    test_linear(nullptr, tally);
    test_experts(nullptr, tally);
    test_ops(nullptr, tally);
}

// The types that take the most shared memory, so that each launcher asks for some, and then all
// other ops: before and after a reset, and after a fault. compute-sanitizer, which runs the quick
// tests, would count the fault.
void test_reopen(struct device *, struct tally *tally) {
    struct tally some = *tally;
    if (tally->quick) return;
    some.type = dtype_name(DTYPE_Q4_K);
    test_all(&some);
    CUDA(cudaDeviceReset());
    test_all(&some);
    break_card(&some);
    if (card_is_back()) test_all(&some);
    tally->passed = some.passed;
    tally->failed = some.failed;
}
