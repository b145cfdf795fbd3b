// kernels/cuda/ranges.cu — trace.h's spans as NVTX ranges, where a tool listens.
#include <nvtx3/nvToolsExt.h>

#include "kernels/base/trace.h"
#include "kernels/cuda/device.cuh"

static nvtxDomainHandle_t domain;

static void push(const char *name) {
    nvtxEventAttributes_t range = {};
    range.version = NVTX_VERSION;
    range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    range.messageType = NVTX_MESSAGE_TYPE_ASCII;
    range.message.ascii = name;
    nvtxDomainRangePushEx(domain, &range);
}

static void pop(void) { nvtxDomainRangePop(domain); }

void cuda_open_ranges(void) {
    static const struct trace_ranges ranges = {push, pop};
    if (!domain) domain = nvtxDomainCreateA("quire"); // NULL: no tool is there
    if (domain) trace_set_ranges(&ranges);
}
